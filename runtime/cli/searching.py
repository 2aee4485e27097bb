"""`vcontract search`, `list` and `similar`: find conversations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from vcontract.runtime.cli.completing import vcon_ids
from vcontract.runtime.cli.console import Column, is_read_by_a_person, note, print_json, print_rows
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.filter_options import (
    Events,
    NotSaid,
    Party,
    RepeatWithin,
    Said,
    SaidBy,
    SaidWithin,
    Since,
    Tags,
    Until,
    filters_of,
    said_filters,
)
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.tool_client import MAX_PAGE_ITEMS, ToolFailed, Tools, call_tools
from vcontract.runtime.cli.transcripts import moment_of
from vcontract.runtime.frame.documents.plain_text import one_line
from vcontract.runtime.vcon.search_explanations import MATCH_LABELS, hints_of, place_of

if TYPE_CHECKING:
    from rich.text import Text

    from vcontract.runtime.frame.documents.json import JsonObject

Limit: TypeAlias = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="Maximum number of results.")
]
VconId: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="The conversation's ID, or at least its first 4 digits.", autocompletion=vcon_ids
    ),
]

_MARK = re.compile(r"</?mark>")
_MAX_QUERY_LENGTH = 2_000
_MAX_RECALL_LIMIT = 50
_MAX_CELL_LENGTH = 80
_INCLUDED = ("core", "parties")


@dataclass(frozen=True, slots=True)
class Hit:
    """A result of any toolset."""

    id: str
    when: str
    subject: str
    who: str
    score: float | None
    strength: str = ""
    places: Sequence[tuple[str, str]] = ()
    """Matching positions, with highlighted text."""


@dataclass(slots=True)
class _Found:
    """Results of searches: hits, total, and raw responses."""

    hits: list[Hit] = field(default_factory=list[Hit])
    has_more: bool = False
    total: str = ""
    """Total in words, if known."""
    answer: "JsonObject" = field(default_factory=dict[str, object])
    hints: list[str] = field(default_factory=list[str])

    def leave_out_weak(self) -> None:
        """Replace weak hits by a hint if the best hit is strong."""
        clear = [hit for hit in self.hits if hit.strength != "weak"]
        weak = len(self.hits) - len(clear)
        if weak and self.hits[0].strength == "strong":
            self.hits, self.has_more = clear, False
            more = "weak match" if weak == 1 else "weak matches"
            self.hints.append(f"{weak} {more} not shown; --all shows them.")


def search(
    context: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help="Words or a sentence.", show_default=False)
    ],
    mode: Annotated[
        Literal["keyword", "semantic", "hybrid"] | None,
        typer.Option(
            help="Match words, meaning, or both (the default).",
            show_default=False,
        ),
    ] = None,
    tag: Tags = [],  # noqa: B006  (typer wants a list)
    party: Party = None,
    since: Since = None,
    until: Until = None,
    event: Events = [],  # noqa: B006  (typer wants a list)
    said: Said = [],  # noqa: B006  (typer wants a list)
    not_said: NotSaid = [],  # noqa: B006  (typer wants a list)
    said_by: SaidBy = None,
    said_within: SaidWithin = None,
    repeat_within: RepeatWithin = None,
    toolset: Annotated[
        Literal["contract", "memory", "bridge"],
        typer.Option(help="Search conversations, agent sessions, or the journal."),
    ] = "contract",
    limit: Limit = 10,
    show_all: Annotated[
        bool, typer.Option("--all", help="Also show weak matches when there are strong ones.")
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Search conversations by words and meaning.

    Best match first. Exits with 1 if nothing is found.
    """
    query = " ".join(words)
    filters = filters_of(tag, party, since, until, event, repeat_within) | said_filters(
        said, not_said, said_by, said_within
    )
    if toolset == "contract":
        found = call_tools(context, tenant, lambda tools: _search(tools, query, mode, filters, limit))
    elif filters.keys() - {"start_date", "end_date"}:
        raise CommandFailed(
            f"--tag, --party, --event and --said cannot be combined with --toolset {toolset}",
            cure="omit them, or omit --toolset",
            code=ExitCode.USAGE,
        )
    elif toolset == "memory":
        found = call_tools(
            context, tenant, lambda tools: _recall(tools, query, mode, since, until, limit), "memory"
        )
    else:
        found = call_tools(
            context, tenant, lambda tools: _journal(tools, query, since, until, limit), "bridge"
        )
    if is_read_by_a_person() and not (show_all or as_json):
        found.leave_out_weak()
    _print(found, as_json=as_json)
    if not found.hits:
        raise typer.Exit(ExitCode.FAILED)


def list_(
    context: typer.Context,
    tag: Tags = [],  # noqa: B006  (typer wants a list)
    party: Party = None,
    since: Since = None,
    until: Until = None,
    event: Events = [],  # noqa: B006  (typer wants a list)
    said: Said = [],  # noqa: B006  (typer wants a list)
    not_said: NotSaid = [],  # noqa: B006  (typer wants a list)
    said_by: SaidBy = None,
    said_within: SaidWithin = None,
    repeat_within: RepeatWithin = None,
    latest: Annotated[bool, typer.Option("--latest", help="Omit earlier and redacted versions.")] = False,
    limit: Limit = 20,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """List conversations, newest first."""
    filters = (
        filters_of(tag, party, since, until, event, repeat_within)
        | said_filters(said, not_said, said_by, said_within)
        | ({"versions": "latest"} if latest else {})
    )
    found = call_tools(context, tenant, lambda tools: _list(tools, filters, limit))
    if as_json:
        print_json(found.answer)
        return
    if is_read_by_a_person():
        columns = (Column("ID", whole=True), Column("WHEN", whole=True), Column("CONVERSATION"))
        print_rows(columns, [(hit.id, hit.when, _summary_of(hit)) for hit in found.hits])
    else:
        print_rows((), [(hit.id, hit.when, hit.subject, hit.who) for hit in found.hits])
    _print_remainder(found)


def similar(
    context: typer.Context,
    id_: VconId,
    limit: Limit = 10,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Find conversations similar to another one.

    Compares the meaning of its summary, or of its first words if it has none. Exits with 1 if nothing is
    found, or the conversation does not exist.
    """
    found = call_tools(context, tenant, lambda tools: _similar(tools, id_, limit))
    _print(found, as_json=as_json)
    if not found.hits:
        raise typer.Exit(ExitCode.FAILED)


async def _search(tools: Tools, query: str, mode: str | None, filters: "JsonObject", limit: int) -> _Found:
    """Search in hybrid mode by default, or as the tool suggests if that is unavailable."""
    try:
        return await _pages(tools, limit, mode=mode or "hybrid", query=query, filters=filters)
    except ToolFailed as refused:
        instead = refused.suggestion.get("mode")
        if mode is not None or instead not in ("keyword", "semantic"):
            raise
        note(f"Searched by words only: {refused.message}" if instead == "keyword" else refused.message)
        return await _pages(tools, limit, mode=instead, query=query, filters=filters)


async def _list(tools: Tools, filters: "JsonObject", limit: int) -> _Found:
    return await _pages(tools, limit, mode="metadata", filters=filters)


async def _similar(tools: Tools, id_: str, limit: int) -> _Found:
    answer = await tools.ask("vcon_fetch", id=id_, include=["core", "summary", "transcript"])
    item = answer["item"]
    transcript: JsonObject = item["transcript"] or {}
    texts: list[str] = [each["text"] for each in item["summary"]]
    texts += [transcript.get("text", ""), item.get("subject", "")]
    wording = next((one_line(text) for text in texts if text.strip()), None)
    if wording is None:
        raise CommandFailed(f"{id_} has no text to compare")
    try:
        found = await _pages(tools, limit + 1, mode="semantic", query=wording[:_MAX_QUERY_LENGTH])
    except ToolFailed as refused:
        if refused.error_code != "SEMANTIC_UNAVAILABLE":
            raise
        are_made = refused.details.get("reason") == "loading"
        cure = "run `vcontract embed`" if are_made else "run `vcontract doctor` to find out why"
        raise CommandFailed(refused.message, cure=cure) from None
    found.hits = [hit for hit in found.hits if hit.id != item["id"]][:limit]
    found.answer["items"] = [one for one in found.answer["items"] if one["id"] != item["id"]][:limit]
    found.has_more = False
    return found


async def _pages(tools: Tools, limit: int, **arguments: object) -> _Found:
    found = _Found()
    items: list[JsonObject] = []
    async for answer in tools.pages("vcon_search", limit, include=_INCLUDED, **arguments):
        items += answer["items"]
        found.answer = {**answer, "items": items}
    page, meta = found.answer["page"], found.answer["meta"]
    found.hits = [_hit(item) for item in items]
    if page["has_more"]:
        total = page.get("total")
        at_least = "more than " if page.get("total_relation") == "at_least" else ""
        found.total = "" if total is None else f" of {at_least}{total:,}"
        found.has_more = True
    found.hints = [*hints_of(meta)]
    return found


def _hit(item: "JsonObject") -> Hit:
    from vcontract.runtime.vcon.reading import began_at, party_labels

    match: JsonObject = item.get("match", {})
    return Hit(
        item["id"],
        _when(began_at(item)),
        item.get("subject", ""),
        ", ".join(party_labels(item)),
        item.get("score"),
        match.get("strength", ""),
        [(_place(hit), hit["snippet"]) for hit in match.get("hits", ())],
    )


def _place(hit: "JsonObject") -> str:
    """Position and reasons of a hit: `dialog 3; matched: words, meaning`."""
    because: list[str] = hit.get("because", [])
    reasons = ", ".join(MATCH_LABELS.get(reason, reason) for reason in because)
    return f"{place_of(hit)}; matched: {reasons}" if reasons else place_of(hit)


async def _recall(
    tools: Tools, query: str, mode: str | None, since: str | None, until: str | None, limit: int
) -> _Found:
    last = moment_of(until, "until")
    answer = await tools.ask(
        "memory_search",
        query=query,
        mode={"keyword": "text", "semantic": "vector"}.get(mode or "", "both"),
        limit=min(limit, _MAX_RECALL_LIMIT),
        after=since,
        before=None if last is None else last.date().isoformat(),
        response_format="json",
    )
    hits = [
        Hit(
            each["vcon_uuid"],
            each["date"],
            each.get("summary", ""),
            each.get("project", ""),
            each.get("score"),
            places=[(f"exchange {each['exchange']}", each["snippet"])],
        )
        for each in answer["results"]
    ]
    return _Found(hits, *_rest(answer, hits), answer, list(answer.get("notes", ())))


async def _journal(tools: Tools, query: str, since: str | None, until: str | None, limit: int) -> _Found:
    created = {name: value for name, value in (("start", since), ("end", until)) if value is not None}
    answer = await tools.ask(
        "bridge_search", query=query, limit=min(limit, MAX_PAGE_ITEMS), created=created or None
    )
    hits = [
        Hit(
            each["id"],
            _when(each.get("created", "")),
            each.get("summary", "") or each["type"],
            each.get("experiencer", ""),
            each.get("relevance"),
            places=[(each["type"], each.get("snippet", ""))],
        )
        for each in answer["results"]
    ]
    return _Found(hits, *_rest(answer, hits), answer, [each["message"] for each in answer["hints"]])


def _rest(answer: "JsonObject", hits: Sequence[Hit]) -> tuple[bool, str]:
    return answer["total"] > len(hits), f" of {answer['total']:,}"


def _summary_of(hit: Hit) -> str:
    """Description of a conversation that fits in a table."""
    cut = f"{hit.subject[:_MAX_CELL_LENGTH]}…" if len(hit.subject) > _MAX_CELL_LENGTH else hit.subject
    return "; ".join(filter(None, (cut, hit.who)))


def _when(moment: str) -> str:
    """Day and minute of a tool's time, in UTC."""
    return moment[:16].replace("T", " ")


def _print(found: _Found, *, as_json: bool) -> None:
    if as_json:
        print_json(found.answer)
        return
    if is_read_by_a_person():
        from rich.console import Console
        from rich.padding import Padding

        console = Console(highlight=False)
        for number, hit in enumerate(found.hits):
            if number:
                console.print()
            for text, indent in _lines(hit):
                console.print(Padding(text, (0, 0, 0, indent)))
    else:
        print_rows((), [(*_cells(hit),) for hit in found.hits])
    if not found.hits:
        note("Nothing found.")
    _print_remainder(found)


def _cells(hit: Hit) -> Iterator[str]:
    yield from (hit.id, hit.when, hit.subject, hit.who)
    yield "" if hit.score is None else f"{hit.score:.3f}"
    yield _MARK.sub("", hit.places[0][1]) if hit.places else ""


def _lines(hit: Hit) -> "Iterator[tuple[Text, int]]":
    """Format a hit: heading, positions with highlighted words, and ID."""
    from rich.text import Text

    head = Text.assemble((hit.when, "cyan"), "  ", (one_line(hit.subject) or "(no subject)", "bold"))
    if hit.who:
        head.append(f"  {one_line(hit.who)}", "dim")
    yield head, 0
    for place, snippet in hit.places:
        yield Text.assemble(*_marked(snippet), (f"  [{one_line(place)}]", "dim")), 2
    score = "" if hit.score is None else f"  {hit.strength} {hit.score:.2f}"
    yield Text.assemble((hit.id, "green"), (score, "dim")), 2


def _marked(snippet: str) -> Iterator[tuple[str, str]]:
    for number, piece in enumerate(_MARK.split(one_line(snippet))):
        yield piece, "bold yellow" if number % 2 else ""


def _print_remainder(found: _Found) -> None:
    for hint in found.hints:
        note(hint)
    if found.has_more and is_read_by_a_person():
        note(f"The first {len(found.hits):,}{found.total}; --limit N shows more")
