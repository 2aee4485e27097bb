"""Searches of our store, at the level below the tools and through the public tool."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from bench.corpus import Corpus
from bench.measure import Timing, measure, measure_at_once
from bench.scale.filling import Filled
from bench.scale.floor import Floor
from bench.scale.vectors import Matrix, nearest, recall
from bench.searching import COMMON_WORD, MIDDLE_WORD, RARE_RANK
from bench.subject import Subject
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.hits import QueryVector
from vcontract.runtime.store.search.matching import Filters
from vcontract.runtime.store.search.search import Search, SearchRequest
from vcontract.runtime.text.query import parse_query

PAGE = 10
CLIENTS = 4
RECORDS = 300
QUESTIONS = 25
SHARES: dict[str, tuple[str, str]] = {
    "12 %": ("eighth", "3"),
    "1 %": ("hundredth", "42"),
    "0.1 %": ("thousandth", "137"),
}
"""Filters by the share of vCons that they keep."""

Run = Callable[[Connection, int], Awaitable[Sequence[UUID]]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One search: of the store alone, and as a call of vcon_search in process."""

    what: str
    store: Timing | None
    tool: Timing | None
    recall: float | None
    """Of the ten nearest by exact comparison; None for searches that are exact."""
    raw: Timing | None = None
    """Of a statement by hand over the same tables."""


@dataclass
class Ours:
    """Measures the searches of one store at its present size."""

    subject: Subject
    corpus: Corpus
    filled: Filled
    queries: Matrix
    runs: int
    vectors: list[QueryVector] = field(default_factory=list[QueryVector])

    def __post_init__(self) -> None:
        self._search = Search()

    async def measure(self) -> list[Measured]:
        """Every search of the table."""
        application = self.subject.application
        self.vectors = [
            await application.embeddings.given(application.caller.tenant, query.tolist())
            for query in self.queries
        ]
        rare, both = self.corpus.word(RARE_RANK), f"{COMMON_WORD} {MIDDLE_WORD}"
        floor = Floor(self.subject, self.queries, self.runs)
        newest = await self._metadata("metadata, newest", Filters(), {})
        return [
            replace(newest, raw=await floor.latest()),
            *[await self._tagged(share, *tag) for share, tag in SHARES.items()],
            *[
                replace(await self._keyword(f"keyword, {what}", text), raw=await floor.words(text))
                for what, text in (
                    ("rare word", rare),
                    ("word of some", MIDDLE_WORD),
                    ("word of most", COMMON_WORD),
                    ("two words", both),
                )
            ],
            await self._keyword("keyword, word of most, 1 % kept", COMMON_WORD, SHARES["1 %"]),
            *[
                replace(await self._by_meaning(what, tag), raw=await floor.nearest(tag))
                for what, tag in (
                    ("semantic", None),
                    *((f"semantic, {share} kept", tag) for share, tag in SHARES.items()),
                )
            ],
            *[
                replace(await self._blended(what, text, tag), raw=await floor.both(text, tag))
                for what, text, tag in (
                    ("hybrid", f"{MIDDLE_WORD} {rare}", None),
                    ("hybrid, word of most", both, None),
                    ("hybrid, word of most, 1 % kept", both, SHARES["1 %"]),
                )
            ],
            *await self._deep_pages(),
            await self._at_once("keyword, two words", {"mode": "keyword", "query": both}),
            await self._at_once("semantic", {"mode": "semantic", "threshold": 0}, "embedding"),
            await self._at_once("hybrid", {"mode": "hybrid", "query": both}, "embedding"),
        ]

    async def _at_once(self, what: str, arguments: JsonObject, vector: str | None = None) -> Measured:
        timing = await measure_at_once(self._call(arguments, vector), self.runs, CLIENTS)
        return Measured(f"{what}, {CLIENTS} at once", None, timing, None)

    async def _metadata(self, what: str, filters: Filters, arguments: JsonObject) -> Measured:
        tenant = self.subject.application.caller.tenant

        async def search(connection: Connection, _: int) -> Sequence[UUID]:
            return (await self._search.newest(connection, tenant, filters, PAGE, None)).ids

        return Measured(
            what, await self._timed(search), await self._tool({"mode": "metadata", **arguments}), None
        )

    async def _tagged(self, share: str, key: str, value: str) -> Measured:
        filters = Filters(tags=((key, value),))
        return await self._metadata(f"tag of {share}", filters, {"filters": {"tags": {key: int(value)}}})

    async def _keyword(self, what: str, text: str, tag: tuple[str, str] | None = None) -> Measured:
        tenant, filters = self.subject.application.caller.tenant, Filters(tags=(tag,) if tag else ())

        async def search(connection: Connection, _: int) -> Sequence[UUID]:
            request = SearchRequest(filters, PAGE, parse_query(text))
            page = await self._search.find(connection, tenant, request)
            return [item.id for item in page.items]

        arguments: JsonObject = {"mode": "keyword", "query": text, **_kept_by(tag)}
        return Measured(what, await self._timed(search), await self._tool(arguments), None)

    async def _by_meaning(self, what: str, tag: tuple[str, str] | None) -> Measured:
        tenant, filters = self.subject.application.caller.tenant, Filters(tags=(tag,) if tag else ())

        async def search(connection: Connection, number: int) -> Sequence[UUID]:
            request = SearchRequest(filters, PAGE, vector=self._vector(number), threshold=0.0)
            page = await self._search.find(connection, tenant, request)
            return [item.id for item in page.items]

        # every query once, so that ours finds in memory what the raw statement will find there behind it
        found = await self._recall(search, tag)
        arguments: JsonObject = {"mode": "semantic", "threshold": 0, **_kept_by(tag)}
        return Measured(what, await self._timed(search), await self._tool(arguments, "embedding"), found)

    async def _blended(self, what: str, text: str, tag: tuple[str, str] | None) -> Measured:
        tenant, filters = self.subject.application.caller.tenant, Filters(tags=(tag,) if tag else ())
        query = parse_query(text, any_word=True)

        async def search(connection: Connection, number: int) -> Sequence[UUID]:
            request = SearchRequest(filters, PAGE, query, self._vector(number), weight=0.6)
            page = await self._search.find(connection, tenant, request)
            return [item.id for item in page.items]

        tool = await self._tool({"mode": "hybrid", "query": text, **_kept_by(tag)}, "embedding")
        return Measured(what, await self._timed(search), tool, None)

    async def _deep_pages(self) -> list[Measured]:
        """The first page, and the one behind nine tenths of the store, by cursor."""
        size = len(set(self.filled.owners))
        arguments: JsonObject = {"mode": "metadata", "include": ["core"], "limit": 100}
        for _ in range(size * 9 // 10 // 100):
            page = await self.subject.call("vcon_search", arguments)
            arguments = {**arguments, "cursor": page["page"]["next_cursor"]}

        async def deep(_: int) -> None:
            await self.subject.run("vcon_search", {**arguments, "limit": PAGE})

        timing = await measure(deep, self.runs)
        return [Measured("metadata, page behind nine tenths", None, timing, None)]

    async def _timed(self, search: Run) -> Timing:
        database, tenant = self.subject.application.database, self.subject.application.caller.tenant

        async def run(number: int) -> None:
            async with database.reading(tenant) as connection:
                await search(connection, number)

        return await measure(run, self.runs)

    async def _tool(self, arguments: JsonObject, vector: str | None = None) -> Timing:
        return await measure(self._call(arguments, vector), self.runs)

    def _call(self, arguments: JsonObject, vector: str | None) -> Callable[[int], Awaitable[None]]:
        """A call of vcon_search by its number; `vector` is the parameter that takes that of a query."""

        async def run(number: int) -> None:
            given: JsonObject = {vector: self.queries[number % len(self.queries)].tolist()} if vector else {}
            await self.subject.run("vcon_search", {"include": ["core"], "limit": PAGE, **arguments, **given})

        return run

    async def _recall(self, search: Run, tag: tuple[str, str] | None) -> float:
        database, tenant = self.subject.application.database, self.subject.application.caller.tenant
        numbers = {owner: number for number, owner in enumerate(dict.fromkeys(self.filled.owners))}
        async with database.reading(tenant) as connection:
            kept = await self._kept(connection, tenant, tag)
            owners = self.filled.owners
            places = [place for place, owner in enumerate(owners) if kept is None or owner in kept]
            vectors = self.filled.vectors[places]
            among = [numbers[owners[place]] for place in places]
            shares = [
                recall(
                    [numbers[id_] for id_ in await search(connection, number)],
                    nearest(vectors, among, query, PAGE),
                )
                for number, query in enumerate(self.queries)
            ]
        return sum(shares) / len(shares)

    async def _kept(
        self, connection: Connection, tenant: str, tag: tuple[str, str] | None
    ) -> set[UUID] | None:
        if tag is None:
            return None
        rows = await connection.fetch(
            "select vcon from vcontract.tag where tenant = $1 and key = $2 and value = $3", tenant, *tag
        )
        return {row["vcon"] for row in rows}

    def _vector(self, number: int) -> QueryVector:
        return self.vectors[number % len(self.vectors)]


def _kept_by(tag: tuple[str, str] | None) -> JsonObject:
    """The filters of a call that keep what has a tag."""
    return {"filters": {"tags": {tag[0]: int(tag[1])}}} if tag else {}


async def write_records(subject: Subject, corpus: Corpus) -> None:
    """Capture some records of Bridge; the application has that toolset."""
    for number in range(RECORDS):
        turns = corpus.vcon(number)["dialog"]
        await subject.call(
            "capture",
            {
                "content": turns[0]["body"],
                "experiencer": "Ann",
                "perspective": "I",
                "processing": "right-after",
            },
        )


async def measure_toolset(
    subject: Subject, tools: dict[str, str], corpus: Corpus, runs: int
) -> list[Measured]:
    """First pages of searches of other toolsets, by their names in the table; each asks for what was said."""
    sentences = [
        turn["body"][:80] for number in range(QUESTIONS) for turn in corpus.vcon(number)["dialog"][:1]
    ]
    found: list[Measured] = []
    for what, tool in tools.items():

        async def run(number: int, tool: str = tool) -> None:
            await subject.run(tool, {"query": sentences[number % len(sentences)]})

        found.append(Measured(what, None, await measure(run, runs), None))
    return found
