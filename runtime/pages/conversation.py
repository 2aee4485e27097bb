"""View of one conversation: turns, tags, similar conversations, and its stored form."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.documents.json_values import array, as_index, members, objects
from vcontract.runtime.pages.auth import CHANGE, FORM
from vcontract.runtime.pages.conversation_parts import fetched
from vcontract.runtime.pages.differences import Comparing
from vcontract.runtime.pages.rendering import Pages, address
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool, full_id, visitor_of
from vcontract.runtime.pages.turns import TURNS, Beside, ShownPart, Sought, first_turns, turn_address
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.formats import INDENTED, Format, as_text, format_named
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.reading import Conversation, Happening, Part, began_at, read_conversation
from vcontract.runtime.vcon.tags import tag_text
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.transcript import speaker_label_of
from vcontract.runtime.vcon.version_migration import indices

COPIES: Final = {
    "text": Format(lambda vcon: as_text(read_conversation(vcon)).encode()),
    "markdown": format_named("markdown"),
    "vcon": INDENTED,
}
"""Formats for copying a conversation."""
_FIRST_TURNS: Final = 100
"""Turns shown of each part if all parts are shown."""
_MAX_LIKE_LENGTH: Final = 1_000
_MAX_VERSIONS: Final = 20
_MAX_HITS: Final = 50
_MAX_FIND_LENGTH: Final = 200
_FILE_CHANGE: Final = "agent_file_change"
_MADE: Final = {"amended": ("amends", "amended in"), "redacted": ("redacted from", "redacted in")}
"""Name of each version relation in both directions."""


async def conversation(request: Request, pages: Pages, problem: str = "", status: int = 200) -> Response:
    """Show a conversation."""
    uuid = str(request.path_params["uuid"])
    item, pieces = await fetched(request, uuid)
    read = read_conversation(item, item["tags"], began_at(item), _happened(item))
    root = request.scope.get("root_path", "")
    here = f"{root}/vcon/{item['id']}"
    only = request.query_params.get("part", "")
    sought = Sought(
        here, request.query_params.get("find", "").strip()[:_MAX_FIND_LENGTH], _hits(request), read.turns
    )
    if sought.words and sought.hits and not only and "at" not in request.query_params:
        return RedirectResponse(sought.place(sought.hits[0]), 303)
    firsts = first_turns(read.turns)
    parts = [
        ShownPart(part, item, here, firsts, sought, is_apart=_is_apart(part, item))
        for part in _parts(read, item)
    ]
    known = [part for part in parts if part.key == only]
    beside: defaultdict[int, list[Beside]] = defaultdict(list)
    for part in parts:
        for dialog, analysis in part.beside():
            beside[firsts.get(dialog, dialog)].append(analysis)
    comparing, at = Comparing(), _number(request.query_params.get("at", "-"), -1)
    return pages.answer(
        request,
        "conversation.html.jinja",
        status,
        conversation=read,
        tags=[(key, tag_text(key, value)) for key, value in read.tags.items()],
        summaries=[each["text"] for each in item["summary"]],
        here=here,
        pieces=[piece.caption(here) for piece in pieces],
        only=bool(known),
        parts=parts,
        shown=[
            part.page(*_place(request, part, alone=bool(known), whole=not pieces), beside, comparing)
            for part in known or (part for part in parts if not part.is_apart)
        ],
        sought=sought,
        step=sought.step(at),
        overview=[] if pieces else sought.overview(read.turns, at),
        changed_files=_changed_files(item, here, firsts),
        sessions=_sessions(item, whole=not pieces),
        versions=await _versions(request, item, root),
        changed_at=item["updated_at"],
        **await _known(request, item["id"]),
        copies=list(COPIES) if visitor_of(request).may("get_vcon") else [],
        may_tag=visitor_of(request).may("add_tag") and visitor_of(request).may("remove_tag"),
        removed=_removed(request, item),
        change=request.scope[CHANGE],
        problem=problem,
    )


async def whole_address(request: Request) -> str:
    """Return the address of a view of a conversation whose address has the beginning of an ID."""
    parts: dict[str, str] = request.path_params
    uuid = await full_id(request, parts["beginning"])
    rest = "".join(f"/{quote(part)}" for part in parts.get("rest", "").split("/") if part)
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.scope.get('root_path', '')}/vcon/{uuid}{rest}{query}"


async def change_tags(request: Request, pages: Pages) -> Response:
    """Set or remove a tag and show the conversation, where a removal can be undone."""
    uuid, form = str(request.path_params["uuid"]), dict(request.scope[FORM])
    # a form field cannot contain every character of a value
    form |= parse_qsl(form.get("undo", ""))
    gone: JsonObject = {}
    try:
        if "remove" in form:
            answer = await call_tool(request, "remove_tag", vcon_uuid=uuid, key=form["remove"])
            if answer["removed"]:
                gone = {"removed": answer["key"], "was": answer["previous_value"]}
        else:
            await call_tool(
                request, "add_tag", vcon_uuid=uuid, key=form.get("key", ""), value=form.get("value", "")
            )
    except ToolFailed as refused:
        return await conversation(request, pages, problem=str(refused), status=refused.status)
    return RedirectResponse(address(f"{request.scope.get('root_path', '')}/vcon/{uuid}", gone), 303)


def _removed(request: Request, item: JsonObject) -> JsonObject:
    """Return the tag that was just removed and the query that restores it; empty if no tag was removed."""
    key, value = (request.query_params.get(name, "") for name in ("removed", "was"))
    if not key or key in item["tags"]:
        return {}
    return {"key": key, "undo": urlencode({"key": key, "value": value})}


async def raw(request: Request, pages: Pages) -> Response:
    """Show the stored vCon and its violations."""
    uuid = str(request.path_params["uuid"])
    vcon = (await call_tool(request, "get_vcon", uuid=uuid))["vcon"]
    text = dump_json(vcon, indent=2).decode()
    back = f"{request.scope.get('root_path', '')}/vcon/{uuid}"
    found = VconSchemas.load().check(vcon)
    return pages.answer(request, "raw.html.jinja", text=text, back=back, conformance=found)


async def copy(request: Request) -> Response:
    """Return the vCon as text, Markdown or JSON, for copying."""
    form = request.path_params["form"]
    if form not in COPIES:
        raise ToolFailed(f"There is no form {form!r}; choose one of {', '.join(COPIES)}.", 404)
    vcon = (await call_tool(request, "get_vcon", uuid=str(request.path_params["uuid"])))["vcon"]
    return PlainTextResponse(COPIES[form].write(vcon))


async def like(request: Request) -> Response:
    """Redirect to a search for similar conversations."""
    from vcontract.runtime.pages.searching import SearchForm

    uuid = str(request.path_params["uuid"])
    item = (await call_tool(request, "vcon_fetch", id=uuid, include=["core", "summary", "transcript"]))[
        "item"
    ]
    texts = [each["text"] for each in item["summary"]]
    texts += [members(item["transcript"]).get("text", ""), item.get("subject", "")]
    words = next((" ".join(text.split()) for text in texts if text.strip()), "")
    mode, itself = ("semantic", item["id"]) if words else ("hybrid", "")
    query = SearchForm(q=words[:_MAX_LIKE_LENGTH], mode=mode, like=itself)
    return RedirectResponse(query.address(request.scope.get("root_path", "")), 303)


async def _known(request: Request, uuid: str) -> JsonObject:
    """Violations, and signers of a signed vCon; empty without permission."""
    if not visitor_of(request).may("get_vcon"):
        return {"conformance": {}, "signature": ""}
    answer = await call_tool(request, "get_vcon", uuid=uuid, include_components=[])
    signature = members(answer.get("signature")).get("message", "")
    return {"conformance": answer["metadata"]["conformance"], "signature": signature}


async def _versions(request: Request, item: JsonObject, root: str) -> list[JsonObject]:
    """Versions that this vCon was made from, and stored ones made from it."""
    found: list[JsonObject] = []
    for name, (earlier, _) in _MADE.items():
        if relation := item.get(name):
            found.append({"how": earlier, **await _earlier(request, members(relation), root)})
    if not visitor_of(request).may("vcon_search"):
        return found
    filters = {"version_of": item["id"]}
    answer = await call_tool(request, "vcon_search", mode="metadata", filters=filters, limit=_MAX_VERSIONS)
    for later in answer["items"]:
        names = [name for name in _MADE if _is_of(later.get(name), item["id"])]
        how = _MADE[names[0] if names else "amended"][1]
        found.append({"how": how, **_led_to(later, root)})
    return found


async def _earlier(request: Request, relation: JsonObject, root: str) -> JsonObject:
    """The version that this one was made from if it is stored, else what this one says about it."""
    if uuid := parse_uuid(str(relation.get("uuid"))):
        try:
            answer = await call_tool(request, "vcon_fetch", id=f"{uuid}", include=["core"])
        except ToolFailed:
            return {"href": "", "caption": f"{uuid}, which is not here"}
        return _led_to(answer["item"], root)
    return {"href": "", "caption": dump_json(relation).decode()}


def _led_to(version: JsonObject, root: str) -> JsonObject:
    """Link to another version, labelled by day and subject."""
    caption = f"{version['created_at'][:10]} {version.get('subject') or version['id']}"
    return {"href": f"{root}/vcon/{version['id']}", "caption": caption}


def _is_of(relation: JsonObject | None, uuid: str) -> bool:
    return str(members(relation).get("uuid")).lower() == uuid


def _happened(item: JsonObject) -> list[Happening]:
    """What happened beside the words, with its time."""
    return [
        (read_time(at) if isinstance(at := event.get("at"), str) else None, str(event.get("text")))
        for _, event in objects(item.get("events"))
    ]


def _sessions(item: JsonObject, *, whole: bool) -> list[JsonObject]:
    """Sessions with their parties and relations; none for a single one in which everybody spoke."""
    people = array(item["parties"])
    shown: list[JsonObject] = []
    for index, session in objects(item.get("sessions")):
        own = {*indices(session.get("dialog"))}
        said = [turn for number, turn in objects(item["dialog"]) if number in own]
        spoke = {*indices([turn.get(name) for turn in said for name in ("parties", "originator")])}
        present = indices(session.get("parties"))
        shown.append(
            {
                "title": f"Session {index}",
                "began": began if isinstance(began := session.get("start"), str) else "",
                "present": [speaker_label_of(people, each) for each in present if each in spoke],
                "silent": [speaker_label_of(people, each) for each in present if each not in spoke],
                "related": [
                    f"{each.get('type') or 'related'}: session {each.get('session')}"
                    for _, each in objects(session.get("sessions"))
                ],
            }
        )
    return shown if whole and (len(shown) > 1 or any(each["silent"] for each in shown)) else []


def _parts(read: Conversation, item: JsonObject) -> Iterator[Part]:
    """Its parts, without the files that an agent changed, which have a list of their own."""
    for part in (*read.parts, *read.transcripts):
        if not _is_file_change(part, item):
            yield part


def _is_apart(part: Part, item: JsonObject) -> bool:
    """Whether the words of a part are shown elsewhere: in the dialog, or as the summary."""
    summaries = [each["analysis_index"] for each in item["summary"] if each["text"]]
    return part.is_in_dialog or (part.name == "analysis" and part.index in summaries)


def _is_file_change(part: Part, item: JsonObject) -> bool:
    if part.name != "attachments" or part.index is None:
        return False
    return members(array(item["attachments"])[part.index]).get("purpose") == _FILE_CHANGE


def _changed_files(item: JsonObject, here: str, firsts: Mapping[int, int]) -> list[JsonObject]:
    """Files that an agent's session changed, each with its turn."""
    found: list[JsonObject] = []
    for _, attachment in objects(item["attachments"]):
        if attachment.get("purpose") == _FILE_CHANGE:
            body, dialog = members(attachment.get("body")), as_index(attachment.get("dialog"))
            found.append(
                {
                    "path": body.get("path", ""),
                    "how": body.get("operation", ""),
                    "edits": body.get("edits", 1),
                    "href": "" if dialog is None else turn_address(here, firsts.get(dialog, dialog)),
                }
            )
    return found


def _place(request: Request, part: ShownPart, *, alone: bool, whole: bool) -> tuple[int, int]:
    """First turn and number of turns to show of a part; all turns of a loaded piece of dialogs."""
    given = request.query_params
    if part.key == "dialog" and not whole:
        return 0, TURNS
    if alone:
        return _number(given.get("from", "")), TURNS
    if part.key == "dialog" and (at := _number(given.get("at", ""))) >= _FIRST_TURNS:
        return max(0, at - _FIRST_TURNS // 2), _FIRST_TURNS
    return 0, _FIRST_TURNS


def _hits(request: Request) -> list[int]:
    """Turns found by a search, from the URL."""
    given = request.query_params.getlist("hits")[:_MAX_HITS]
    return sorted({int(hit) for hit in given if hit.isdecimal() and len(hit) < 10})


def _number(text: str, otherwise: int = 0) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else otherwise
