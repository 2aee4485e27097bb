"""Store overview: how many conversations there are, when, and of which kinds."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.administering import Administration
from vcontract.runtime.pages.auth import CHANGE
from vcontract.runtime.pages.plots import Bar, columns, heat
from vcontract.runtime.pages.rendering import Pace, Pages, address, ago, counted, moment
from vcontract.runtime.pages.searching import SearchForm, dealer_of
from vcontract.runtime.pages.time_spans import SHOWN_DAYS, Window, step_for
from vcontract.runtime.pages.tool_client import call_tool, read_resource, visitor_of
from vcontract.runtime.vcon.reading import began_at

KINDS: Final = {
    "party": "Parties",
    "tag_value": "Values of tags",
    "tag_key": "Tags",
    "analysis_type": "Analyses",
    "attachment_purpose": "Attachments",
    "dialog_type": "Dialogs",
    "party_role": "Roles",
    "extension": "Extensions",
    "dealer": "Dealers",
}
"""Kinds of values with their labels."""
_TALLIED: Final = ("party", "tag_value", "dealer")
"""Kinds that are counted on request; the others have stored counts."""
_NAMES: Final = {
    "party": "party",
    "analysis_type": "analysis",
    "attachment_purpose": "attachment",
    "party_role": "role",
    "dealer": "dealer",
}
"""Filter for a value of each kind."""
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MAX_VALUES: Final = 8
_MAX_IMPORTS: Final = 5
_MAX_NODES: Final = 1_000


async def store(request: Request, pages: Pages, administration: Administration | None) -> Response:
    """Show the overview; for the operator, with the last backup."""
    root = request.scope.get("root_path", "")
    hours = await shape(request, node_types=["hour"])
    embedding = (await call_tool(request, "vcon_capabilities"))["item"]["embedding"]
    may_read = "imports" in visitor_of(request).resources
    arrived = _arrived(await read_resource(request, "imports")) if may_read else []
    return pages.answer(
        request,
        "store.html.jinja",
        facts=[
            *_facts(hours["corpus"], embedding, pages.pace, request.scope[CHANGE]),
            *_duplicates(arrived),
            *await _backed_up(administration),
        ],
        is_embedding=embedding.get("embedded", 0) < embedding.get("passages", 0),
        arrived=arrived[:_MAX_IMPORTS],
        times=await _times(request, hours["corpus"], root) if hours["nodes"] else None,
        hours=_hours(hours["nodes"]),
        kinds=await _kinds(request, root),
    )


async def shape(request: Request, **arguments: object) -> JsonObject:
    """Return counts of vcon_graph_shape; edges only if requested."""
    given = {"max_edges": 0, "max_nodes": _MAX_NODES} | arguments
    item: JsonObject = (await call_tool(request, "vcon_graph_shape", **given))["item"]
    return item


def filter_of(node: JsonObject) -> JsonObject:
    """Filter of a search for conversations with this value; empty if no filter exists for it."""
    kind: str = node["type"]
    if kind == "tag_value":
        return {"tag": (_named(node),)}
    value: str = dealer_of(node) if kind == "dealer" else node["label"]
    return {_NAMES[kind]: value} if kind in _NAMES else {}


def narrowed(node: JsonObject, root: str) -> str:
    """URL of a search for conversations with this value; empty if no filter exists for it."""
    found = filter_of(node)
    return replace(SearchForm(), **found).address(root) if found else ""


def _named(node: JsonObject) -> str:
    label: str = node["label"]
    return label.replace(":", "=", 1) if node["type"] == "tag_value" else label


def _facts(corpus: JsonObject, embedding: JsonObject, pace: Pace, visitor: str) -> list[tuple[str, str]]:
    facts = [("conversations", f"{corpus['vcons']:,}")]
    facts += [
        (f"{name} conversation", began_at(corpus[name])[:10]) for name in ("first", "last") if name in corpus
    ]
    if "passages" in embedding:
        embedded, passages = embedding["embedded"], embedding["passages"]
        facts.append(("found by meaning", f"{embedded:,} of {passages:,} passages"))
        if waiting := passages - embedded:
            facts.append(
                ("waiting for it", f"{waiting:,} passages{pace.caption(visitor, embedded, waiting)}")
            )
    return facts


def _arrived(imports: JsonObject) -> list[JsonObject]:
    """Reports of the last imports. Documents that were already stored count as recognized."""
    return [
        {
            "at": each["at"],
            "new": each["report"].get("created", 0) + each["report"].get("replaced", 0),
            "known": each["report"].get("identical", 0) + each["report"].get("skipped", 0),
            "refused": each["report"].get("refused", 0),
            "sessions": each["report"].get("transcripts", {}).get("files", 0),
        }
        for each in imports["imports"]
    ]


def _duplicates(arrived: Sequence[JsonObject]) -> list[tuple[str, str]]:
    """Number of conversations that the recorded imports skipped as duplicates."""
    known = sum(each["known"] for each in arrived)
    return [(f"already stored, in {counted(len(arrived), 'import')}", f"{known:,}")] if known else []


async def _backed_up(administration: Administration | None) -> list[tuple[str, str]]:
    if administration is None:
        return []
    try:
        at = await administration.last_backup()
    except ValueError as error:
        return [("last backup", str(error))]
    return [("last backup", f"{moment(at)}, {ago(at)}" if at else "none yet")]


async def _times(request: Request, corpus: JsonObject, root: str) -> JsonObject:
    """Columns of the selected window, with links to others."""
    first, last = (date.fromisoformat(began_at(corpus[end])[:10]) for end in ("first", "last"))
    step = request.query_params.get("by", "")
    step = step if step in SHOWN_DAYS else step_for(first, last)
    window = Window.ending(step, _day(request.query_params.get("until", ""), last))
    filters = SearchForm(since=f"{window.since}", until=f"{window.until}").filters()
    kind = "month" if step == "month" else "day"
    nodes = (await shape(request, node_types=[kind], filters=filters))["nodes"]
    counts = {date.fromisoformat(f"{node['label']}-01"[:10]): int(node["count"]) for node in nodes}
    found = [
        Bar(span.name, span.count, SearchForm(since=f"{span.since}", until=f"{span.until}").address(root))
        for span in window.spans(counts)
    ]
    here = f"{root}/store"
    return {
        "step": step,
        "steps": [(name, address(here, {"by": name})) for name in SHOWN_DAYS],
        "bars": found,
        "drawn": columns(found, f"Conversations by {step}"),
        "earlier": address(here, {"by": step, "until": window.before}) if first < window.since else "",
        "later": address(here, {"by": step, "until": min(window.after, last)}) if last > window.until else "",
    }


def _day(text: str, otherwise: date) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return otherwise


def _hours(nodes: Sequence[JsonObject]) -> JsonObject | None:
    """Hours of the week with the number of conversations that began in each."""
    if not nodes:
        return None
    counts = {node["label"]: int(node["count"]) for node in nodes}
    rows = [(day, [counts.get(f"{day} {hour:02}", 0) for hour in range(24)]) for day in _WEEKDAYS]
    return {"rows": rows, "drawn": heat(rows), "most": max(counts.values())}


async def _kinds(request: Request, root: str) -> list[tuple[str, Sequence[Bar]]]:
    """The most frequent values of each kind."""
    nodes = [
        *(await shape(request, node_types=list(_TALLIED), max_nodes=100))["nodes"],
        *(await shape(request, node_types=[kind for kind in KINDS if kind not in _TALLIED]))["nodes"],
    ]
    by_kind: dict[str, list[Bar]] = {kind: [] for kind in KINDS}
    for node in nodes:
        found = by_kind[node["type"]]
        if len(found) < _MAX_VALUES:
            found.append(Bar(_named(node), node["count"], narrowed(node, root)))
    return [(KINDS[kind], found) for kind, found in by_kind.items() if found]
