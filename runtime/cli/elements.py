"""`vcontract element …`: single elements of a conversation, added, changed and taken out."""

import re
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from vcontract.runtime.cli.asking import asked
from vcontract.runtime.cli.console import note, print_json, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.searching import VconId

if TYPE_CHECKING:
    from vcontract.runtime.documents.json import JsonObject, JsonValue

element = typer.Typer(
    name="element",
    help="Add, change or remove single elements of a conversation.",
    no_args_is_help=True,
)

_MEMBER = re.compile(r"([^=:]+)(:?=)(.*)", re.DOTALL)
_TOOLSETS = ("vcon", "vcon_more")

_Kind = Annotated[
    Literal["party", "dialog", "analysis", "attachment"],
    typer.Argument(metavar="KIND", help="party, dialog, analysis or attachment.", show_default=False),
]
_Index = Annotated[
    int, typer.Argument(metavar="INDEX", help="Its index, counted from 0.", min=0, show_default=False)
]
_Members = Annotated[
    list[str],
    typer.Argument(
        metavar="MEMBER=TEXT",
        help="Its members. Use MEMBER:=JSON for values that are not text.",
        show_default=False,
    ),
]
_Seen = Annotated[
    str | None,
    typer.Option(
        "--seen",
        metavar="UPDATED_AT",
        help="Fail if the conversation has changed since this updated_at.",
        show_default=False,
    ),
]


@element.command()
@reporting
def add(
    context: typer.Context,
    id_: VconId,
    kind: _Kind,
    members: _Members,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Add an element at the end of its array.

    Exits with 1 if the conversation is not found.
    """
    given = {"vcon_uuid": id_, kind: _parsed(members)}
    _tell(
        asked(context, tenant, lambda tools: tools.ask(f"add_{kind}", **given), *_TOOLSETS), as_json=as_json
    )


@element.command("set")
@reporting
def set_(
    context: typer.Context,
    id_: VconId,
    kind: _Kind,
    index: _Index,
    members: _Members,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the whole element instead of merging.")
    ] = False,
    seen: _Seen = None,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Change members of an element.

    MEMBER:=null removes a member. Exits with 1 if the conversation is not found, or has changed since --seen.
    """
    given = {"vcon_uuid": id_, "index": index, kind: _parsed(members), "expected_updated_at": seen}
    strategy = "replace" if replace else "merge"
    answer = asked(
        context,
        tenant,
        lambda tools: tools.ask(f"update_{kind}", **given, merge_strategy=strategy),
        *_TOOLSETS,
    )
    _tell(answer, as_json=as_json)


@element.command()
@reporting
def remove(
    context: typer.Context,
    id_: VconId,
    kind: _Kind,
    index: _Index,
    placeholder: Annotated[
        bool,
        typer.Option(
            "--placeholder", help="Leave an empty element if others refer to this index or a later one."
        ),
    ] = False,
    seen: _Seen = None,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Remove an element.

    Exits with 1 if other elements refer to its index or a later one and --placeholder is not given, if the
    conversation is not found, or if it has changed since --seen.
    """
    given: JsonObject = {"vcon_uuid": id_, "index": index, "expected_updated_at": seen}
    if kind != "analysis":  # nothing ever points at one
        given["when_referenced"] = "placeholder" if placeholder else "refuse"
    answer = asked(context, tenant, lambda tools: tools.ask(f"remove_{kind}", **given), *_TOOLSETS)
    _tell(answer, as_json=as_json)


def _parsed(members: list[str]) -> "JsonObject":
    """Raises: CommandFailed."""
    return dict(map(_member, members))


def _member(text: str) -> "tuple[str, JsonValue]":
    from vcontract.runtime.documents.json import MalformedJson, parse_json

    found = _MEMBER.fullmatch(text)
    if found is None:
        raise CommandFailed(
            f"{text!r} is not MEMBER=TEXT", cure="write MEMBER=TEXT or MEMBER:=JSON", code=ExitCode.USAGE
        )
    name, sign, value = found.groups()
    if sign == "=":
        return name, value
    try:
        return name, parse_json(value)
    except MalformedJson as error:
        raise CommandFailed(
            f"the value of {name} is not JSON",
            cause=str(error),
            cure=f"write {name}=TEXT for a text",
            code=ExitCode.USAGE,
        ) from None


def _tell(answer: "JsonObject", *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    say(answer["message"])
    for warning in answer.get("warnings", ()):
        note(
            f"{warning['code']} at {warning['path']}: {warning['message']}"
            if "path" in warning
            else warning["message"]
        )
