"""The view that changes several conversations at once: each change is shown before it is made."""

from collections.abc import Mapping, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.pages.asking import Refused, asked, visitor_of
from vcontract.runtime.pages.door import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages, counted
from vcontract.runtime.vcon.formats import format_named
from vcontract.runtime.vcon.identity import parse_uuid

_MOST: Final = 100
_RULES: Final = ("cards", "numbers", "emails", "addresses", "names")
_FILES: Final = {"jsonl": ("jsonl", "application/x-ndjson"), "markdown": ("md", "text/markdown")}


async def manage(request: Request, pages: Pages) -> Response:
    """The page of a selection: what is in it, and what can be done with it."""
    return await _shown(request, pages, _chosen(request.query_params.getlist("id")))


async def change(request: Request, pages: Pages) -> Response:
    """Tags, deletes or redacts a selection; without the box that confirms it only shows what would go."""
    form: Mapping[str, str] = request.scope[FORM]
    chosen = _chosen(form.get("ids", "").split(","))
    try:
        told = await _changed(request, form, chosen)
    except Refused as refused:
        return await _shown(request, pages, chosen, problem=str(refused), status=refused.status)
    left = () if form.get("act") == "delete" and "sure" in form else chosen
    return await _shown(request, pages, left, told=told)


async def export(request: Request) -> Response:
    """A selection as a file."""
    form = request.query_params.get("form", "")
    if form not in _FILES:
        raise Refused(f"There is no form {form!r}; choose one of {', '.join(_FILES)}.", 404)
    chosen = _chosen(request.query_params.getlist("id"))
    written = format_named("jsonl" if form == "jsonl" else "markdown")
    vcons = [(await asked(request, "get_vcon", uuid=uuid))["vcon"] for uuid in chosen]
    name, kind = _FILES[form]
    body = written.head + b"".join(written.write(vcon) for vcon in vcons) + written.foot
    headers = {"content-disposition": f'attachment; filename="conversations.{name}"'}
    return Response(body, media_type=kind, headers=headers)


async def _changed(request: Request, form: Mapping[str, str], chosen: Sequence[str]) -> str:
    """Do what a form says; what was done, or would be."""
    act, sure = form.get("act"), "sure" in form
    if not chosen:
        raise Refused("Nothing is selected.")
    if act in ("tag", "untag"):
        for uuid in chosen:
            given: JsonObject = {"vcon_uuid": uuid, "key": form.get("key", "")}
            if act == "tag":
                await asked(request, "add_tag", **given, value=form.get("value", ""))
            else:
                await _untag(request, given)
        return f"{'Tagged' if act == 'tag' else 'Removed the tag of'} {counted(len(chosen), 'conversation')}."
    if act == "delete":
        if not sure:
            raise Refused("Nothing was deleted. Tick the box to confirm.")
        for uuid in chosen:
            await asked(request, "delete_vcon", uuid=uuid, confirm=True)
        return f"Deleted {counted(len(chosen), 'conversation')}."
    if act == "redact":
        return await _redacted(request, form, chosen, sure=sure)
    raise Refused(f"There is no change {act!r}.")


async def _untag(request: Request, given: JsonObject) -> None:
    """Remove a tag where there is one."""
    try:
        await asked(request, "remove_tag", **given)
    except Refused as refused:
        if refused.status != 404:
            raise


async def _redacted(request: Request, form: Mapping[str, str], chosen: Sequence[str], *, sure: bool) -> str:
    """What goes of each kind, all conversations together; the originals stay."""
    rules = [rule for rule in _RULES if rule in form]
    words = [word for line in form.get("words", "").split(",") if (word := line.strip())]
    total: dict[str, int] = {}
    for uuid in chosen:
        answer = await asked(
            request, "redact_vcon", vcon_uuid=uuid, rules=rules, words=words, dry_run=not sure
        )
        for kind, count in answer["counts"].items():
            total[kind] = total.get(kind, 0) + count
    told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(total.items())) or "nothing"
    done = (
        "Redacted; the originals stay beside the new versions"
        if sure
        else "This would go, nothing was changed"
    )
    return f"{done}: {told}."


def _chosen(ids: Sequence[str]) -> tuple[str, ...]:
    """The ids that are UUIDs, once each. Raises: Refused, for more than can be changed at once."""
    found = tuple(dict.fromkeys(str(uuid) for id_ in ids if (uuid := parse_uuid(id_.strip()))))
    if len(found) > _MOST:
        raise Refused(f"{len(found):,} conversations are selected; at most {_MOST} can be changed at once.")
    return found


async def _shown(
    request: Request,
    pages: Pages,
    chosen: Sequence[str],
    told: str = "",
    problem: str = "",
    status: int = 200,
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
        told=told,
        problem=problem,
    )


async def _item(request: Request, uuid: str) -> JsonObject:
    try:
        item: JsonObject = (await asked(request, "vcon_fetch", id=uuid, include=["core", "tags"]))["item"]
    except Refused as refused:
        return {"id": uuid, "subject": str(refused), "created_at": "", "tags": {}}
    return item
