"""Bulk changes of selected conversations, each previewed before it is made."""

from collections.abc import Mapping, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.pages.auth import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages, counted
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool, full_id, visitor_of
from vcontract.runtime.vcon.formats import format_named
from vcontract.runtime.vcon.identity import digits_of, parse_uuid

_MAX_CONVERSATIONS: Final = 100
_TAGGING: Final = ("tag", "untag")
_RULES: Final = ("cards", "numbers", "emails", "addresses", "names")
_FILES: Final = {"jsonl": ("jsonl", "application/x-ndjson"), "markdown": ("md", "text/markdown")}


async def manage(request: Request, pages: Pages) -> Response:
    """Show the selection and the possible actions."""
    return await _shown(request, pages, await _chosen(request, request.query_params.getlist("id")))


async def change(request: Request, pages: Pages) -> Response:
    """Tag, delete or redact a selection. Without confirmation, only preview the result."""
    form: Mapping[str, str] = request.scope[FORM]
    chosen = await _chosen(request, form.get("ids", "").split(","))
    before: dict[str, str | None] = {}
    try:
        if form.get("act") in _TAGGING:
            before = await _values(request, chosen, form.get("key", ""))
        caption = await _changed(request, form, chosen)
    except ToolFailed as refused:
        return await _shown(request, pages, chosen, problem=str(refused), status=refused.status)
    left = () if form.get("act") == "delete" and "sure" in form else chosen
    undo = {"key": form.get("key", ""), "before": dump_json(before).decode()} if before else {}
    return await _shown(request, pages, left, caption=caption, undo=undo)


async def export(request: Request) -> Response:
    """Download a selection as a file."""
    form = request.query_params.get("form", "")
    if form not in _FILES:
        raise ToolFailed(f"There is no form {form!r}; choose one of {', '.join(_FILES)}.", 404)
    chosen = await _chosen(request, request.query_params.getlist("id"))
    written = format_named("jsonl" if form == "jsonl" else "markdown")
    vcons = [(await call_tool(request, "get_vcon", uuid=uuid))["vcon"] for uuid in chosen]
    name, kind = _FILES[form]
    body = written.head + b"".join(written.write(vcon) for vcon in vcons) + written.foot
    headers = {"content-disposition": f'attachment; filename="conversations.{name}"'}
    return Response(body, media_type=kind, headers=headers)


async def _changed(request: Request, form: Mapping[str, str], chosen: Sequence[str]) -> str:
    """Execute or preview a form. Returns the message."""
    act, sure = form.get("act"), "sure" in form
    if not chosen:
        raise ToolFailed("Nothing is selected.")
    key = form.get("key", "")
    if act == "tag":
        await _set(request, key, dict.fromkeys(chosen, form.get("value", "")))
        return f"Tagged {counted(len(chosen), 'conversation')}."
    if act == "untag":
        await _set(request, key, dict.fromkeys(chosen))
        return f"Removed the tag of {counted(len(chosen), 'conversation')}."
    if act == "undo":
        before = _read(form.get("before", ""))
        await _set(request, key, {uuid: before[uuid] for uuid in chosen if uuid in before})
        return "Undone: the tags are as they were."
    if act == "delete":
        if not sure:
            raise ToolFailed("Nothing was deleted. Tick the box to confirm.")
        for uuid in chosen:
            await call_tool(request, "delete_vcon", uuid=uuid, confirm=True)
        return f"Deleted {counted(len(chosen), 'conversation')}."
    if act == "redact":
        return await _redacted(request, form, chosen, sure=sure)
    raise ToolFailed(f"There is no change {act!r}.")


async def _values(request: Request, chosen: Sequence[str], key: str) -> dict[str, str | None]:
    """Value of a tag in each conversation; None without one."""
    found: dict[str, str | None] = {}
    for uuid in chosen:
        item = (await call_tool(request, "vcon_fetch", id=uuid, include=["tags"]))["item"]
        found[uuid] = item["tags"].get(key)
    return found


async def _set(request: Request, key: str, values: Mapping[str, str | None]) -> None:
    """Set a tag's value in each conversation; None removes it."""
    for uuid, value in values.items():
        try:
            if value is None:
                await call_tool(request, "remove_tag", vcon_uuid=uuid, key=key)
            else:
                await call_tool(request, "add_tag", vcon_uuid=uuid, key=key, value=value)
        except ToolFailed as refused:
            if value is not None or refused.status != 404:
                raise


def _read(text: str) -> dict[str, str | None]:
    """Parse values that the page wrote into its own form. Raises: ToolFailed."""
    try:
        found = members(parse_json(text))
    except ValueError:
        raise ToolFailed("What the tags were cannot be read; nothing was changed.") from None
    return {uuid: value for uuid, value in found.items() if isinstance(value, str | None)}


async def _redacted(request: Request, form: Mapping[str, str], chosen: Sequence[str], *, sure: bool) -> str:
    """Count redactions by kind over all conversations. The originals stay."""
    rules = [rule for rule in _RULES if rule in form]
    words = [word for line in form.get("words", "").split(",") if (word := line.strip())]
    total: dict[str, int] = {}
    for uuid in chosen:
        answer = await call_tool(
            request, "redact_vcon", vcon_uuid=uuid, rules=rules, words=words, dry_run=not sure
        )
        for kind, count in answer["counts"].items():
            total[kind] = total.get(kind, 0) + count
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(total.items())) or "nothing"
    done = (
        "Redacted; the originals stay beside the new versions"
        if sure
        else "This would go, nothing was changed"
    )
    return f"{done}: {counts}."


async def _chosen(request: Request, ids: Sequence[str]) -> tuple[str, ...]:
    """Return distinct UUIDs. Raises: ToolFailed if there are too many, or an ID is unknown."""
    stripped = map(str.strip, ids)
    named = dict.fromkeys(id_.lower() for id_ in stripped if parse_uuid(id_) or digits_of(id_))
    if len(named) > _MAX_CONVERSATIONS:
        raise ToolFailed(
            f"{len(named):,} conversations are selected; at most {_MAX_CONVERSATIONS} can be changed at once."
        )
    return tuple(dict.fromkeys([await full_id(request, id_) for id_ in named]))


async def _shown(
    request: Request,
    pages: Pages,
    chosen: Sequence[str],
    caption: str = "",
    problem: str = "",
    status: int = 200,
    undo: Mapping[str, str] | None = None,
) -> Response:
    items = [await _item(request, uuid) for uuid in chosen]
    may = visitor_of(request).may
    return pages.answer(
        request,
        "manage.html.jinja",
        status,
        items=items,
        ids=",".join(chosen),
        form=request.scope[FORM],
        rules=_RULES,
        files=list(_FILES) if may("get_vcon") else [],
        may={name: may(name) for name in ("add_tag", "remove_tag", "delete_vcon", "redact_vcon")},
        change=request.scope[CHANGE],
        caption=caption,
        undo=undo or {},
        problem=problem,
    )


async def _item(request: Request, uuid: str) -> JsonObject:
    try:
        item: JsonObject = (await call_tool(request, "vcon_fetch", id=uuid, include=["core", "tags"]))["item"]
    except ToolFailed as refused:
        return {"id": uuid, "subject": str(refused), "created_at": "", "tags": {}}
    return item
