"""`vcontract tag`, `vcontract untag` and `vcontract delete`: change conversations."""

from typing import TYPE_CHECKING, Annotated

import typer

from vcontract.runtime.cli.completing import tag_keys_in_use, tags_in_use, vcon_ids
from vcontract.runtime.cli.console import counted, is_answered, note, print_json, say
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.filter_options import TAG_CURE
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.searching import VconId
from vcontract.runtime.cli.tool_client import Tools, call_tools
from vcontract.runtime.frame.documents.plain_text import one_line

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject


def tag(
    context: typer.Context,
    id_: VconId,
    tags: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE", help="The tags to set.", autocompletion=tags_in_use, show_default=False
        ),
    ],
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Add or update tags on a conversation.

    Other tags stay. Exits with 1 if the conversation is not found.
    """
    from vcontract.runtime.vcon.filters import BadTag, tag_pair

    try:
        pairs = dict(map(tag_pair, tags))
    except BadTag as error:
        raise CommandFailed(str(error), cure=TAG_CURE, code=ExitCode.USAGE) from None
    answer = call_tools(context, tenant, lambda tools: tools.ask("update_tags", vcon_uuid=id_, tags=pairs))
    _print_tags(answer, as_json=as_json)


def untag(
    context: typer.Context,
    id_: VconId,
    keys: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY", help="The tags to remove.", autocompletion=tag_keys_in_use, show_default=False
        ),
    ],
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Remove tags from a conversation.

    Exits with 1 if a tag or the conversation does not exist.
    """

    async def remove(tools: Tools) -> "JsonObject":
        answers = [await tools.ask("remove_tag", vcon_uuid=id_, key=key) for key in keys]
        missing.extend(answer["key"] for answer in answers if not answer["removed"])
        return await tools.ask("get_all_tags", vcon_uuid=id_)

    missing: list[str] = []
    _print_tags(call_tools(context, tenant, remove), as_json=as_json)
    if missing:
        raise CommandFailed(f"tag not found: {', '.join(missing)}")


def _print_tags(answer: "JsonObject", *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
        return
    from vcontract.runtime.vcon.tags import tag_text

    tags = answer["tags"]
    listed = ", ".join(one_line(tag_text(*tag)) for tag in tags.items())
    say(f"tags {listed}" if tags else "no tags")


def delete(
    context: typer.Context,
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID", help="The conversations.", autocompletion=vcon_ids, show_default=False),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Permanently delete conversations.

    Also deletes everything derived from them. Asks for confirmation. If an ID is not found, deletes nothing
    and exits with 1.
    """
    if not yes and not is_answered():
        raise CommandFailed(
            "cannot ask for confirmation: standard input is not a terminal",
            cure="add --yes",
            code=ExitCode.USAGE,
        )

    async def work(tools: Tools) -> "list[JsonObject]":
        items = [(await tools.ask("vcon_fetch", id=id_, include=["core", "parties"]))["item"] for id_ in ids]
        found: dict[str, JsonObject] = {item["id"]: item for item in items}
        if not yes:
            _confirm(list(found.values()))
        return [await tools.ask("delete_vcon", uuid=id_, confirm=True) for id_ in found]

    deleted = call_tools(context, tenant, work)
    if as_json:
        print_json({"deleted": deleted})
    else:
        say(f"Deleted {counted(len(deleted), 'conversation')}.")
        note("`vcontract import` skips them from now on, unless you add --force.")


def _confirm(items: "list[JsonObject]") -> None:
    """Ask for confirmation. Raises: typer.Abort."""
    from vcontract.runtime.vcon.reading import began_at, party_labels

    for item in items:
        label = item.get("subject") or ", ".join(party_labels(item)) or "(no subject)"
        note(f"{began_at(item)[:10]}  {one_line(label)}  {item['id']}")
    typer.confirm(f"Permanently delete {counted(len(items), 'conversation')}?", abort=True, err=True)
