"""Views of the journal: records by month or from a search, and one record with its sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.rendering import Pages, address, counted
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool

_TOOL: Final = "bridge_search"
_ON_A_PAGE: Final = 100
_FOUND: Final = 50
_MAX_CHIPS: Final = 12


@dataclass(frozen=True, slots=True)
class AskedJournal:
    """A visitor's request to the journal; each member is a URL parameter."""

    q: str = ""
    type: str = ""
    experiencer: str = ""
    created: str = ""
    """A month or a day."""

    @classmethod
    def of(cls, request: Request) -> "AskedJournal":
        """Read the URL parameters."""
        return cls(**{name: request.query_params.get(name, "").strip() for name in cls.__slots__})

    def address(self, root: str) -> str:
        """URL of this request."""
        return address(f"{root}/journal", {name: getattr(self, name) for name in self.__slots__})

    def narrowed(self, name: str, value: str) -> "AskedJournal":
        """Copy with another value."""
        changed: JsonObject = {name: value}
        return replace(self, **changed)

    def filters(self) -> JsonObject:
        """Filters of the tool."""
        given: JsonObject = {
            "type": [self.type] if self.type else None,
            "experiencer": self.experiencer or None,
            "created": self.created or None,
        }
        return given


async def journal(request: Request, pages: Pages) -> Response:
    """Show the newest records by month, or the results of a search."""
    root, query = request.scope.get("root_path", ""), AskedJournal.of(request)
    shown: JsonObject = {"groups": [], "chips": [], "caption": "", "notes": [], "problem": ""}
    status = 200
    try:
        shown |= await (_found if query.q else _listed)(request, query, root)
        shown["chips"] += await _chips(request, query, root)
    except ToolFailed as refused:
        status, shown["problem"] = refused.status, str(refused)
    chosen = [
        (f"{name} {value}", query.narrowed(name, "").address(root))
        for name in ("type", "experiencer", "created")
        if (value := getattr(query, name))
    ]
    return pages.answer(
        request, "journal.html.jinja", status, asked=query, chosen=chosen, counted=counted, **shown
    )


async def record(request: Request, pages: Pages) -> Response:
    """Show a record with its members and containers."""
    id_: str = request.path_params["id"]
    answer = await call_tool(request, _TOOL, query=id_, includeContext=True, limit=1)
    found = [hit for hit in answer["results"] if hit["id"] == id_]
    if not found:
        raise ToolFailed("There is no such record in the journal.", 404)
    known = await _linked(request, id_)
    shown: JsonObject = found[0][found[0]["type"]]
    known[id_] = shown
    above = [each for each in known.values() if id_ in _members(each)]
    return pages.answer(
        request,
        "record.html.jinja",
        record=_shown(shown, known, set()),
        above=[_head(each) for each in above],
    )


async def _listed(request: Request, query: AskedJournal, root: str) -> JsonObject:
    by = "day" if query.created else "month"
    answer = await call_tool(request, _TOOL, groupBy=by, sort="created", limit=_ON_A_PAGE, **query.filters())
    hits = {hit["id"]: hit for hit in answer["results"]}
    return {
        "groups": [
            (group["label"], [hits[id_] for id_ in group["ids"]])
            for group in answer["groups"]
            if group["ids"]
        ],
        "chips": list(_of_groups(answer["groups"], by, "created", query, root)),
        **_caption(answer, is_filtered=any(query.filters().values())),
    }


async def _found(request: Request, query: AskedJournal, root: str) -> JsonObject:
    answer = await call_tool(request, _TOOL, query=query.q, limit=_FOUND, **query.filters())
    return {"groups": [("", answer["results"])], **_caption(answer, is_filtered=True)}


def _caption(answer: JsonObject, *, is_filtered: bool) -> JsonObject:
    """Count and notes; in an empty journal, only the note that it is empty."""
    total, returned = answer["total"], answer["returned"]
    at_least = "" if answer["totalIsExact"] else "more than "
    nothing = "Nothing found." if is_filtered else ""
    return {
        "caption": f"{returned:,} of {at_least}{counted(total, 'record')}" if total else nothing,
        "notes": [notice["message"] for notice in (*answer["warnings"], *answer["hints"])],
    }


async def _chips(request: Request, query: AskedJournal, root: str) -> list[JsonObject]:
    """Kinds and experiencers of the results, with counts."""
    chips: list[JsonObject] = []
    for name in ("type", "experiencer"):
        if not getattr(query, name):
            answer = await call_tool(
                request, _TOOL, query=query.q or None, groupBy=name, limit=1, **query.filters()
            )
            chips += _of_groups(answer["groups"], name, name, query, root)
    return chips


def _of_groups(
    groups: Sequence[JsonObject], kind: str, name: str, query: AskedJournal, root: str
) -> Iterator[JsonObject]:
    for group in groups[:_MAX_CHIPS]:
        if group["key"] != getattr(query, name):
            yield {
                "kind": kind,
                "label": group["label"],
                "count": group["count"],
                "href": query.narrowed(name, group["key"]).address(root),
            }


async def _linked(request: Request, id_: str) -> dict[str, JsonObject]:
    """Linked records, whole if they fit in the response."""
    given = {"reflectedOn": id_, "limit": _ON_A_PAGE}
    try:
        answer = await call_tool(request, _TOOL, includeContext=True, **given)
    except ToolFailed as refused:
        if refused.status != 413:
            raise
        answer = await call_tool(request, _TOOL, **given)
    return {hit["id"]: hit.get(hit["type"], hit) for hit in answer["results"]}


def _members(record: JsonObject) -> list[str]:
    """IDs of a record's members in order."""
    framed: list[str] = [framed["sourceId"] for framed in record.get("sources", ())]
    ids = (*record.get("momentIds", ()), *record.get("sceneIds", ()), *record.get("reflects_on", ()))
    return [*framed, *ids]


def _head(record: JsonObject) -> JsonObject:
    """Heading of a record."""
    name = f"{record.get('emoji', '')} {record.get('summary', '')}".strip()
    return {"id": record["id"], "type": record["type"], "name": name or _beginning(record)}


def _beginning(record: JsonObject) -> str:
    text = " ".join(str(record.get("content") or record.get("snippet") or record["id"]).split())
    return text if len(text) <= 80 else f"{text[:79]}…"


def _shown(record: JsonObject, known: Mapping[str, JsonObject], above: set[str]) -> JsonObject:
    """A record with its members, recursively; cycles end."""
    framed = {each["sourceId"]: each for each in record.get("sources", ())}
    above = above | {record["id"]}
    return {
        **_head(record),
        "facts": record,
        "members": [
            {**_shown(known[id_], known, above), "excerpt": _excerpt(known[id_], framed.get(id_, {}))}
            if id_ in known and id_ not in above
            else {"id": id_, "type": "", "name": id_, "facts": {}, "members": [], "excerpt": None}
            for id_ in _members(record)
        ],
    }


def _excerpt(source: JsonObject, framed: JsonObject) -> tuple[str, str, str] | None:
    """Text before, in and after the framed part of a source; None if it is the whole."""
    if "content" not in source or "start" not in framed or "end" not in framed:
        return None
    content, start, end = source["content"], framed["start"], framed["end"]
    return content[:start], content[start:end], content[end:]
