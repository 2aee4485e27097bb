"""Search view: results with reasons, and filters with counts."""

import math
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.auth import CHANGE
from vcontract.runtime.pages.rendering import HAS, Pages, address, counted, marked
from vcontract.runtime.pages.speakers import Person
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool, visitor_of
from vcontract.runtime.pages.turns import turn_address
from vcontract.runtime.vcon.filters import BadFilter, BadTag, said_filters, search_filters
from vcontract.runtime.vcon.reading import began_at, party_labels
from vcontract.runtime.vcon.search_explanations import MATCH_LABELS, hints_of, place_of
from vcontract.runtime.vcon.tags import tag_text
from vcontract.runtime.vcon.transcript import speaker_label_of

MODES: Final = (
    ("hybrid", "Best match", "Conversations that match by words or meaning, the best first"),
    ("keyword", "All words", "Conversations that contain all words"),
    ("semantic", "Meaning", "Conversations that match by meaning alone"),
    ("metadata", "Newest", "All conversations that the filters admit, the newest first"),
)
"""Modes of vcon_search, with label and description."""
_MODES: Final = {mode: label for mode, label, _ in MODES}
_DEFAULT: Final = MODES[0][0]
_NEWEST: Final = MODES[-1][0]
"""Order of a search without words, in any mode."""
_STRENGTHS: Final = {
    "strong": "Matches far better than chance.",
    "fair": "Matches better than chance.",
    "weak": "Matches no better than chance.",
}
_ON_A_PAGE: Final = 20
_PART: Final = "x-vcontract-part"
"""Header with which the page's script requests only `results` or `facets`, because counts are slower."""
_FACETS: Final = {
    "month": ("month", "When"),
    "party": ("party", "People"),
    "tag_value": ("tag", "Tags"),
    "party_role": ("role", "Roles"),
    "dealer": ("dealer", "Dealers"),
    "analysis_type": ("analysis", "Analyses"),
    "attachment_purpose": ("attachment", "Attachments"),
}
"""Kinds of counted values with filter and heading, in display order."""
_SAID: Final = {
    "said_role": "by role",
    "said_name": "by",
    "said_first": "in the first seconds:",
    "said_last": "in the last seconds:",
}
"""Filters by the speaker and the time of a phrase."""
_SINGLE: Final = ("party", "since", "until", "analysis", "attachment", "role", "dealer", *_SAID)
"""Filters with a single value."""
_REPEATED: Final = ("tag", "said", "not_said")
"""Filters with several values."""
_CALLED: Final = {"since": "from", "not_said": "not said", **_SAID}
"""Filters whose form field has another name than the URL parameter."""
_MAX_CHIPS: Final = 8
_MAX_LEAD: Final = 30
"""Characters shown before the first mark of a line."""
_MAX_MONTHS: Final = 12
"""Months in sight; earlier ones are one step away."""
_MAX_GAP: Final = 3
"""Consecutive months without conversations that are listed one by one."""
_MAX_FACET_NODES: Final = 400
_MAX_MONTH_NODES: Final = 1_000


@dataclass(frozen=True, slots=True)
class SearchForm:
    """A visitor's search; each member is a URL parameter."""

    q: str = ""
    mode: str = "hybrid"
    tag: tuple[str, ...] = ()
    party: str = ""
    since: str = ""
    until: str = ""
    analysis: str = ""
    attachment: str = ""
    role: str = ""
    dealer: str = ""
    """ID of a dealer."""
    said: tuple[str, ...] = ()
    """Phrases of which one was said."""
    not_said: tuple[str, ...] = ()
    said_role: str = ""
    said_name: str = ""
    said_first: str = ""
    """Seconds from the start."""
    said_last: str = ""
    """Seconds before the end."""
    like: str = ""
    """ID of a conversation to find similar ones for; it is excluded from the results."""
    cursor: str = ""

    @classmethod
    def of(cls, given: QueryParams) -> "SearchForm":
        """Read the URL parameters."""
        q, mode = given.get("q", "").strip(), given.get("mode", "")
        if q and mode == _NEWEST:  # the newest are listed without words
            mode = _DEFAULT
        values: JsonObject = {name: _values(given.getlist(name)) for name in _REPEATED}
        values |= {name: given.get(name, "").strip() for name in (*_SINGLE, "like", "cursor")}
        return cls(
            q=q,
            mode=mode if mode in _MODES else _DEFAULT,
            **values,
        )

    def address(self, root: str) -> str:
        """URL of this search."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return address(f"{root}/", values | {"mode": "" if self.mode == _DEFAULT else self.mode})

    def narrowed(self, name: str, value: str) -> "SearchForm":
        """Copy with another value, at the first page."""
        changed: JsonObject = {name: value, "cursor": ""}
        return replace(self, **changed)

    def filters(self) -> JsonObject:
        """Filters of vcon_search. Raises: BadFilter."""
        of_parts = {
            "analysis_type": self.analysis,
            "attachment_type": self.attachment,
            "party_role": self.role,
            "dealer_id": self.dealer,
        }
        filters = search_filters(self.tag, self.party, self.since, self.until)
        by = {name: value for name in ("role", "name") if (value := getattr(self, f"said_{name}"))}
        within = {
            f"{end}_seconds": _seconds(value)
            for end in ("first", "last")
            if (value := getattr(self, f"said_{end}"))
        }
        filters |= said_filters(self.said, self.not_said, by, within)
        return {**filters, **{name: value for name, value in of_parts.items() if value}}

    def without(self, name: str, value: str) -> "SearchForm":
        """Copy without a value of a filter, at the first page; who says a phrase goes with the last one."""
        kept = tuple(other for other in getattr(self, name) if other != value)
        changed: JsonObject = {name: kept, "cursor": ""}
        search = replace(self, **changed)
        alone: JsonObject = {} if search.said or search.not_said else dict.fromkeys(_SAID, "")
        return replace(search, **alone)


def _values(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in given if value.strip()))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise BadFilter(f"{text!r} is not a number of seconds")
    return seconds


@dataclass(frozen=True, slots=True)
class Chip:
    """A link that sets or removes a filter."""

    kind: str
    label: str
    href: str
    count: int = 0


async def search(request: Request, pages: Pages, saved: Mapping[str, str] | None = None) -> Response:
    """Show a search, or the newest conversations. `saved` are URLs of searches by name."""
    root, query = request.scope.get("root_path", ""), SearchForm.of(request.query_params)
    if pages.imports and not request.url.query and "conversations" not in request.scope[HAS]:
        return RedirectResponse(f"{root}/import", 303)
    shown: JsonObject = {
        "groups": [],
        "notes": [],
        "caption": "",
        "next": "",
        "problem": "",
        "instead": None,
        "facets": [],
    }
    status, values = 200, list[JsonObject]()
    try:
        filters = query.filters()
        part = request.headers.get(_PART, "")
        if part != "facets":
            answer, notes = await _found(request, query, filters)
            shown |= {"notes": notes, **_shown(answer, query, root)}
        if part != "results":
            values = await _counted(request, query, filters)
            shown["facets"] = list(_facets(values, query, root))
    except BadTag as error:
        status, shown["problem"] = 400, f"{error}; write key=value."
    except BadFilter as error:
        status, shown["problem"] = 400, f"{error}."
    except ToolFailed as refused:
        status, shown["problem"] = refused.status, str(refused)
        shown["instead"] = _instead(refused, query, root)
    chosen = list(_chosen(values, query, root))
    modes = [
        {
            "value": mode,
            "label": label,
            "meaning": meaning,
            "href": _in_mode(query, mode).address(root),
            "is_current": mode == (query.mode if query.q else _NEWEST),
        }
        for mode, label, meaning in MODES
        if query.q or mode == _NEWEST
    ]
    return pages.answer(
        request,
        "search.html.jinja",
        status,
        asked=query,
        modes=modes,
        chosen=chosen,
        months_in_sight=_MAX_MONTHS,
        saved=saved,
        here=query.narrowed("cursor", "").address(""),
        change=request.scope[CHANGE],
        **shown,
    )


def _in_mode(query: SearchForm, mode: str) -> SearchForm:
    """The same search in another mode; the newest are listed without the words."""
    return replace(query, q="", mode=_DEFAULT, cursor="") if mode == _NEWEST else query.narrowed("mode", mode)


async def _found(request: Request, query: SearchForm, filters: JsonObject) -> tuple[JsonObject, list[str]]:
    """Return the results, and notes about how they were found."""

    async def found(mode: str) -> JsonObject:
        return await call_tool(
            request,
            "vcon_search",
            mode=mode if query.q else "metadata",
            query=(query.q if mode != "metadata" else "") or None,
            filters=filters,
            include=["core", "parties", "tags", "summary", "counts"],
            limit=_ON_A_PAGE,
            cursor=query.cursor or None,
        )

    try:
        answer = await found(query.mode)
    except ToolFailed as refused:
        # hybrid mode is the default: if it is unavailable, search by keywords
        if query.mode != _DEFAULT or refused.suggestion.get("mode") != "keyword":
            raise
        return await found("keyword"), [f"By words alone: {refused}"]
    if not answer["items"] and not query.q and not filters:
        return answer, [
            "No conversation is stored yet. Run `vcontract import FILE`, `vcontract sync` or "
            "`vcontract import --examples`."
        ]
    return answer, list(hints_of(answer["meta"]))


def _shown(answer: JsonObject, query: SearchForm, root: str) -> JsonObject:
    page: JsonObject = answer["page"]
    total, count = page.get("total"), page["count"]
    cursor: str | None = page["next_cursor"]
    others = [item for item in answer["items"] if item["id"] != query.like]
    count -= len(answer["items"]) - len(others)
    hits = [_hit(item, root) for item in others]
    last = max((place for place, hit in enumerate(hits, 1) if hit["strength"] != "weak"), default=0)
    groups = (("", hits[:last]), ("Weaker matches" if last else "", hits[last:]))
    return {
        "groups": [(title, group) for title, group in groups if group],
        "caption": _caption(count, total, page) if count else "Nothing found.",
        "next": replace(query, cursor=cursor).address(root) if cursor else "",
    }


def _caption(count: int, total: int | None, page: JsonObject) -> str:
    """Format the number of results shown and in total."""
    if total is None:
        more = ", and there are more" if page["has_more"] else ""
        return f"{counted(count, 'conversation')}{more}"
    at_least = "more than " if page.get("total_relation") == "at_least" else ""
    return f"{count:,} of {at_least}{counted(total, 'conversation')}"


def _hit(item: JsonObject, root: str) -> JsonObject:
    match: JsonObject = item.get("match", {})
    href = f"{root}/vcon/{item['id']}"
    counts: JsonObject = item.get("counts", {})
    summary = "".join(each["text"] for each in item.get("summary", ())[:1])
    hits: list[JsonObject] = match.get("hits", [])
    subject = item.get("subject", "")
    snippets = (hit["snippet"] for hit in hits if hit["content_type"] == "subject")
    heading = next((snippet for snippet in snippets if _unmarked(snippet) == subject), None)
    places = [place for hit in hits for place in _turns_of(hit)]
    turns = sorted({place["turn"] for place in places if "turn" in place})
    shown = [_place(place, href, turns) for place in places if place["snippet"] != heading]
    words, best = summary or counts.get("opening", ""), shown[:1]
    if subject:
        title: JsonObject = {"heading": subject if heading is None else marked(heading), "lead": href}
        first: JsonObject = best[0] if best else {"href": "", "snippet": words, "person": None}
    else:  # what was found, or its first words, take the place of a subject
        first = {"href": "", "snippet": "", "person": None}
        title = {
            "heading": marked(_around_mark(best[0]["snippet"])) if best else words,
            "lead": best[0]["href"] if best else href,
        }
    return {
        "id": item["id"],
        "href": href,
        "subject": subject,
        **title,
        "first": {**first, "snippet": _around_mark(first["snippet"])},
        "people": [speaker_label_of(item["parties"], number) for number in range(len(item["parties"]))],
        "turns": counts.get("turns", 0),
        "began_at": began_at(item),
        "parties": party_labels(item),
        "tags": [tag_text(*tag) for tag in item["tags"].items()],
        "version": item.get("version", ""),
        "score": item.get("score"),
        "strength": match.get("strength", ""),
        "meaning": _STRENGTHS.get(match.get("strength", ""), ""),
        "summary": summary,
        "places": shown,
        "hits": len(shown) + match.get("more_hits", 0),
        "more": counted(match.get("more_hits"), "further hit"),
    }


def _turns_of(hit: JsonObject) -> list[JsonObject]:
    """A hit and its neighbours, in turn order."""
    others = [
        {"content_type": "turn", "content_index": other["turn"], **other}
        for other in hit.get("neighbours", ())
    ]
    return sorted([hit, *others], key=lambda place: place.get("turn", 0))


def _around_mark(snippet: str) -> str:
    """The snippet from a few words before its first mark, for a line that shows little of it."""
    before = snippet.partition("<mark>")[0]
    if len(before) <= _MAX_LEAD or before == snippet:
        return snippet
    begin = before.find(" ", len(before) - _MAX_LEAD) + 1
    return f"… {snippet[begin or len(before) :]}"


def _unmarked(snippet: str) -> str:
    return snippet.replace("<mark>", "").replace("</mark>", "")


def _place(hit: JsonObject, href: str, turns: Sequence[int]) -> JsonObject:
    """A hit with its link; a turn's link marks all `turns` found in its conversation."""
    part, index = hit["content_type"], hit.get("content_index")
    anchor = {
        "analysis": f"#analysis-{index}",
        "attachment": f"#attachments-{index}",
    }
    because: list[str] = hit.get("because", [])
    shown = turn_address(href, hit["turn"], turns) if "turn" in hit else f"{href}{anchor.get(part, '')}"
    at = hit.get("at", "")[11:16] if "speaker" in hit else ""
    return {
        "where": "" if at else (hit.get("content_name") or place_of(hit)).replace("_", " "),
        "person": Person.of(hit["speaker"]) if "speaker" in hit else None,
        "at": at,
        "href": shown,
        "snippet": hit["snippet"],
        "why": [MATCH_LABELS.get(reason, reason) for reason in because],
    }


async def _counted(request: Request, query: SearchForm, filters: JsonObject) -> list[JsonObject]:
    """Most frequent values among the results, with counts; empty if they cannot be counted."""
    if not visitor_of(request).may("vcon_graph_shape"):
        return []
    words = query.q if query.mode in ("hybrid", "keyword") else ""
    kinds = [kind for kind in _FACETS if kind != "month"]
    nodes = list[JsonObject]()
    # months are counted apart: among the others only the most frequent would be left
    for wanted, most in (["month"], _MAX_MONTH_NODES), (kinds, _MAX_FACET_NODES):
        try:
            answer = await call_tool(
                request,
                "vcon_graph_shape",
                node_types=wanted,
                max_edges=0,
                max_nodes=most,
                query=words or None,
                filters=filters or None,
            )
        except ToolFailed:
            return []
        nodes += answer["item"]["nodes"]
    return nodes


def dealer_of(node: JsonObject) -> str:
    """ID of a counted dealer, whose label is the name."""
    dealer: str = node["id"]
    return dealer.removeprefix("dealer:")


def _facets(
    values: Sequence[JsonObject], query: SearchForm, root: str
) -> Iterator[tuple[str, Sequence[Chip]]]:
    """Values of each kind that would narrow the search, most frequent or latest first."""
    for kind, (name, title) in _FACETS.items():
        nodes = [node for node in values if node["type"] == kind]
        if kind == "month":
            chips, more = list(_months(nodes, query, root)), False
        else:
            chips, more = list(_of_kind(name, nodes[:_MAX_CHIPS], query, root)), len(nodes) > _MAX_CHIPS
        if chips:
            yield f"{title}, the most frequent {_MAX_CHIPS}" if more else title, chips


def _months(nodes: Sequence[JsonObject], query: SearchForm, root: str) -> Iterator[Chip]:
    """Every month from the latest to the earliest; long spans without conversations in one line."""
    counts = {_month_number(node["label"]): node["count"] for node in nodes}
    above: int | None = None
    for month in sorted(counts, reverse=True):
        if above is not None and above - month - 1 > _MAX_GAP:
            yield Chip("month", f"{_month(above - 1)} to {_month(month + 1)}", "")
        elif above is not None:
            yield from (Chip("month", _month(empty), "") for empty in range(above - 1, month, -1))
        above, label = month, _month(month)
        last = f"{label}-{monthrange(*_year_and_month(month))[1]}"
        narrowed = replace(query, since=f"{label}-01", until=last, cursor="")
        href = narrowed.address(root) if narrowed.filters() != query.filters() else ""
        yield Chip("month", label, href, counts[month])


def _month_number(label: str) -> int:
    """Number of a month such as 2025-10, so that consecutive months have consecutive numbers."""
    return int(label[:4]) * 12 + int(label[5:7]) - 1


def _year_and_month(number: int) -> tuple[int, int]:
    """Year and month of a number."""
    year, month = divmod(number, 12)
    return year, month + 1


def _month(number: int) -> str:
    year, month = _year_and_month(number)
    return f"{year:04}-{month:02}"


def _of_kind(name: str, nodes: Sequence[JsonObject], query: SearchForm, root: str) -> Iterator[Chip]:
    for node in nodes:
        label: str = node["label"]
        if name == "tag":
            label = label.replace(":", "=", 1)
            narrowed = replace(query, tag=(*query.tag, label), cursor="")
        else:
            narrowed = query.narrowed(name, dealer_of(node) if name == "dealer" else label)
        if narrowed.filters() != query.filters():
            yield Chip(name, label, narrowed.address(root), node["count"])


def _chosen(values: Sequence[JsonObject], query: SearchForm, root: str) -> Iterator[Chip]:
    """Active filters, each with the URL of the search without it; a dealer by name."""
    for name in _REPEATED:
        for value in getattr(query, name):
            label = value if name == "tag" else f"{_CALLED.get(name, name)} {value}"
            yield Chip(name, label, query.without(name, value).address(root))
    names = {dealer_of(node): node["label"] for node in values if node["type"] == "dealer"}
    for name in _SINGLE:
        if value := getattr(query, name):
            shown = names.get(value, value) if name == "dealer" else value
            yield Chip(name, f"{_CALLED.get(name, name)} {shown}", query.narrowed(name, "").address(root))


def _instead(refused: ToolFailed, query: SearchForm, root: str) -> Chip | None:
    """The search that the tool suggests instead of a rejected one."""
    suggested = refused.suggestion
    if isinstance(words := suggested.get("query"), str):
        return Chip("", f"Search for {words}", replace(query, q=words, cursor="").address(root))
    if (mode := suggested.get("mode")) in _MODES:
        return Chip("", f"Search instead: {_MODES[mode]}", replace(query, mode=mode, cursor="").address(root))
    return None
