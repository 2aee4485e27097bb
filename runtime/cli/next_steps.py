"""`vcontract` without a command: suggest next steps for this store."""

import typer

from vcontract.runtime.cli.invocation import settings_of

_EMPTY = """\
Nothing is stored in {place} yet. Bring conversations in:

  vcontract import FOLDER      calls, chats, mail, exports of other programs
  vcontract sync               sessions of the coding agents on this machine
  vcontract import --examples  a few example conversations"""
_STORED = """\
Your conversations are in {place}.

  vcontract ask "QUESTION"     the turns that answer a question
  vcontract browse             search and read in a browser
  vcontract connect            let Claude, Cursor or another client use them
  vcontract import FOLDER      bring in more"""


def begin(context: typer.Context) -> None:
    """Print the next steps. Checks for a store without starting its database."""
    settings = settings_of(context)
    if settings.database_url is not None:
        place, is_stored = "your database", True
    else:
        place, is_stored = str(settings.data_dir), (settings.data_dir / "postgres").is_dir()
    typer.echo((_STORED if is_stored else _EMPTY).format(place=place))
    typer.echo("\nvcontract --help lists all commands; vcontract COMMAND --help explains one.")
