"""A random store of small vCons, records and sessions, and its searches by the tools of every toolset."""

import unicodedata
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from tests.conftest import Ask
from tests.tools.memory.conftest import Transcript
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

WORDS = (
    "boiler kettle invoice refund battery wagon parcel bicycle warranty discount letters bought went children"
    " Straße Rechnung Kündigung facture été naïve Ærø İzmir Ωmega Zürich ñandú"
    " 退款到账 日本語 договор חשבון ภาษาไทย"
    " HLB-19873 ann@example.org 4711 well's O'Brien"
).split()
DRESSED = ("<b>{}</b>", "({})", "&amp;{};", '"{}"', "{}, and", "*{}*", "{}\n\n", "C++ {}", "{}…")
PEOPLE = ("Ann Field", "Bob Stone", "Zoë Müller")
START = datetime(2025, 3, 1, 10, tzinfo=UTC)
INLINE = {"encoding": "none", "mediatype": "text/plain"}


class Store:
    """The store of one tenant; every call is kept, for whoever has to try it again."""

    def __init__(self, ask: Ask, tenant: str, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311  (not for secrets)
        self.tenant = tenant
        self.calls: list[tuple[str, JsonObject]] = []
        self._ask = ask

    async def __call__(self, tool: str, /, *, as_tenant: str = "", **arguments: object) -> JsonObject:
        self.calls.append((tool, arguments))
        return (await self._ask(tool, as_tenant=as_tenant or self.tenant, **arguments)).structured

    def text(self) -> str:
        """Some words, now and then a text of several passages."""
        longest = 300 if self.random.random() < 0.05 else 7
        return " ".join(self.written() for _ in range(self.random.randint(1, longest)))

    def written(self) -> str:
        """A word in one of the ways in which it may stand in a text."""
        word = self.random.choice(WORDS)
        forms = (
            word,
            word.upper(),
            unicodedata.normalize("NFD", word),
            self.random.choice(DRESSED).format(word),
        )
        return self.random.choice(
            (word, word, *forms, f"{word[:2]}\u00ad{word[2:]}" if word.isalpha() else word)
        )

    def vcon(self) -> JsonObject:
        at = (START + timedelta(hours=self.random.randint(0, 300))).isoformat()
        people = [{"name": name, "role": role} for name, role in zip(PEOPLE, "aab", strict=True)]
        turn = {"type": "text", "start": at, "parties": [0], **INLINE}
        note = {"type": "note", "vendor": "v", "dialog": 0, **INLINE}
        return {
            "subject": self.random.choice([self.text(), "Something"]),
            "created_at": at,
            "parties": self.random.sample(people, k=self.random.randint(1, 3)),
            "dialog": [{**turn, "body": self.text()} for _ in range(self.random.randint(1, 4))],
            "analysis": [{**note, "body": self.text()} for _ in range(self.random.randint(0, 1))],
        }

    async def fill(self) -> None:
        for _ in range(self.random.choice((8, 14, 20, 60))):  # forty are ranked together
            tags = {"side": self.random.choice(["left", "right"]), "level": self.random.randint(1, 3)}
            answer = await self("create_vcon", vcon_data=self.vcon(), metadata={"tags": tags})
            assert answer["success"], answer
        for _ in range(5):
            who = {"experiencer": self.random.choice(PEOPLE), "perspective": self.random.choice(["I", "we"])}
            answer = await self("bridge_capture", content=self.text(), processing="during", **who)
            assert answer["success"], answer

    def query(self) -> str:
        one, two = self.random.sample(WORDS, 2)
        both = (
            f"{one} {two}",
            f'"{one} {two}"',
            f"{one} OR {two}",
            f"{one} -{two}",
            f"({one} | {two}) AND {one}",
        )
        return self.random.choice((one, one, *both))

    def filters(self) -> JsonObject:
        day = (START + timedelta(days=self.random.randint(0, 12))).date().isoformat()
        name = self.random.choice(["ann", "STONE", "müller zoë", "Zoe"])
        filters: tuple[JsonObject, ...] = (
            *({"tags": {"side": "left"}}, {"tags": {"side": "right", "level": 2}}),
            *({"start_date": day}, {"end_date": day}, {"start_date": day, "party_role": "a"}),
            *({"party_name": name}, {"party_role": "B"}, {"party_name": name, "party_role": "b"}),
            *({"analysis_type": "note"}, {"subject": "some"}),
        )
        return self.random.choice(filters)

    async def found(self, query: str, *, as_tenant: str = "", **filters: object) -> list[str]:
        """The ids of all that match by words exactly as asked; nothing when other words were taken."""
        asked: JsonObject = {"mode": "keyword", "query": query, "filters": filters, "limit": 100}
        answer = await self("vcon_search", as_tenant=as_tenant, **asked)
        return ids_of(answer) if answer["ok"] and answer["meta"]["matching"] == "exact" else []

    async def listed(self, mode: str, **asked: JsonValue) -> list[str]:
        """The ids of a first page of a hundred."""
        answer = await self("vcon_search", mode=mode, limit=100, **asked)
        return ids_of(answer) if answer["ok"] else []


def ids_of(answer: JsonObject) -> list[str]:
    return [item["id"] for item in answer["items"]]


Way = Callable[[Store, str, str], Awaitable[list[str]]]


def _results(tool: str, id_: str, **given: JsonValue) -> Way:
    """What a tool of another toolset lists for a query."""

    async def way(store: Store, query: str, tenant: str) -> list[str]:
        answer = await store(tool, query=query, as_tenant=tenant, **given)
        return [f"{one[id_]} {one.get('content_type')}" for one in answer.get("results", [])]

    return way


async def _keyword(store: Store, query: str, tenant: str) -> list[str]:
    return await store.found(query, as_tenant=tenant)


WAYS: dict[str, Way] = {
    "keyword": _keyword,
    "content": _results("search_vcons_content", "vcon_id", limit=1_000),
    "texts of sessions": _results("memory_search", "path", limit=50, mode="text"),
    "hybrid": _results("search_vcons_hybrid", "vcon_id", limit=100),
    "semantic": _results("search_vcons_semantic", "vcon_id", limit=100, threshold=0),
    "bridge": _results("bridge_search", "id", limit=100),
    "memory": _results("memory_search", "path", limit=50),
    "session": _results("session_reflect_on_past", "id", limit=50),
}
"""Searches by each toolset: what is listed for a query, for a tenant."""
BY_WORDS = ("keyword", "content", "texts of sessions")


async def import_sessions(app: App, settings: Settings, store: Store, folder: Path) -> None:
    """Sessions of an agent, for the memory and session tools."""
    paths: list[Path] = []
    for number in range(3):
        transcript = Transcript(start=START + timedelta(days=number)).turns(*(store.text() for _ in range(6)))
        paths.append(folder / f"{transcript.session}.jsonl")
        paths[-1].write_text("".join(f"{line}\n" for line in transcript.lines), encoding="utf-8")
    transcripts = TranscriptStore(
        app.database, VconStore(app.database), PrepareContext.load(), store.tenant, lambda: datetime.now(UTC)
    )
    summary = await TranscriptImporter(transcripts, Options(store.tenant, settings.data_dir)).run(paths)
    assert summary.failed == 0
