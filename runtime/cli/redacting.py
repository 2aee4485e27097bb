"""`vcontract redact`: create a redacted version of a conversation."""

from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.console import note, print_json, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.searching import VconId
from vcontract.runtime.cli.tool_client import call_tools

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject


def redact(
    context: typer.Context,
    id_: VconId,
    rules: Annotated[
        str,
        typer.Option(
            metavar="RULE,...",
            help="What to redact: cards, numbers, emails, addresses, names.",
            show_default=False,
        ),
    ] = "",
    word: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="Redact this word or phrase, in any case. Repeatable.", show_default=False
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(metavar="REGEX", help="Redact what this matches. Repeatable.", show_default=False),
    ] = None,
    keep_media: Annotated[
        bool,
        typer.Option("--keep-media", help="Keep recordings, images and links, which cannot be redacted."),
    ] = False,
    delete_original: Annotated[
        bool,
        typer.Option(
            "--delete-original", help="Permanently delete the original and everything derived from it."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the matches and change nothing.")] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Create a redacted version of a conversation.

    Prints the ID of the new version. Exits with 1 if the conversation is not found.
    """
    given: JsonObject = {
        "vcon_uuid": id_,
        "rules": [rule.strip() for rule in rules.split(",") if rule.strip()],
        "words": word or [],
        "patterns": pattern or [],
        "keep_media": keep_media,
        "keep_original": not delete_original,
        "dry_run": dry_run,
    }
    if not (given["rules"] or word or pattern):
        raise CommandFailed(
            "nothing to redact was named", cure="add --rules, --word or --pattern", code=ExitCode.USAGE
        )
    answer = call_tools(context, tenant, lambda tools: tools.ask("redact_vcon", **given), "vcon", "vcon_more")
    if as_json:
        print_json(answer)
        return
    note(answer["message"])
    if answer["original_deleted"]:
        note("`vcontract import` skips the original from now on, unless you add --force.")
    for kind, count in answer["counts"].items():
        note(f"{count}  {kind}")
    for path in answer["removed"]:
        note(f"removed  {path}")
    if "uuid" in answer:
        say(answer["uuid"])
