"""A typical call of each tool, timed in process: `python -m bench.scale.calls FOLDER`.

It runs under the Python of the release that filled the store. Calls that write change what they made.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

from bench.corpus import COMMON_RANKS, THREAD, Corpus
from bench.measure import Timing
from bench.memory import PROJECTS, word_of
from bench.scale.stores import SEED, Filled, corpus
from bench.scale.vectors import Vectors
from bench.subject import CallFailed, Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject

RUNS = 25
SECONDS = 3.0
"""A call is timed so often, or for so long."""
UNTIMED = 3
"""Runs before these, in which the process and the database get ready."""
QUERIES = 40
TOOLSETS = (("contract", "vcon", "vcon_more"), ("memory", "session"), ("bridge",))

NOT_CALLED = {
    "autoframe": "asks a language model",
    "autoweave": "asks a language model",
    "end": "ends a session once",
    "get_cached_chunk": "reads what another call stored",
    "sign_vcon": "needs a key",
    "vcon_recall": "embeds its question with the real model, and the vectors of these stores are made up",
}
"""Tools without a typical call, and the reason."""

Arguments = JsonObject | Callable[[int], JsonObject]
"""Of every run, or of a run by its number."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call, by the name it has in the table: a tool, and what is asked of it."""

    tool: str
    arguments: Arguments
    what: str = ""

    @property
    def name(self) -> str:
        return f"{self.tool}, {self.what}" if self.what else self.tool

    def of(self, run: int) -> JsonObject:
        return self.arguments(run) if callable(self.arguments) else self.arguments


class Questions:
    """What is asked: four words that stand together in a conversation, and a vector near some passages."""

    def __init__(self, made: Corpus, conversations: int) -> None:
        chance = random.Random(SEED)  # noqa: S311
        common = set(made.vocabulary[:COMMON_RANKS])
        self.texts: list[str] = []
        self.places: list[tuple[str, int]] = []
        """The uuid of the conversation and the number of the turn that a text is taken from."""
        while len(self.texts) < QUERIES:
            vcon = made.vcon(chance.randrange(conversations))
            turn = chance.randrange(len(vcon["dialog"][:40]))
            words = vcon["dialog"][turn]["body"].lower().replace(".", "").split()
            rare = [word for word in words if word not in common][:2]
            if len(rare) == 2 and len(words) > 6:
                usual = [word for word in words if word in common and len(word) > 4][:2]
                self.texts.append(" ".join([*usual, *rare]))
                self.places.append((vcon["uuid"], turn))
        self.vectors: list[list[float]] = Vectors(SEED).queries(QUERIES).tolist()

    def text(self, run: int) -> str:
        return self.texts[run % QUERIES]

    def vector(self, run: int) -> list[float]:
        return self.vectors[run % QUERIES]


def _of_one(uuids: list[str], more: JsonObject, run: int) -> JsonObject:
    return {"vcon_uuid": uuids[run], **more}


class Typical:
    """The typical calls on a store of so many conversations."""

    def __init__(self, subject: Subject, made: Corpus, conversations: int) -> None:
        self._subject = subject
        self._made = made
        self._questions = Questions(made, conversations)
        number = next(n for n in range(conversations) if len(made.vcon(n)["dialog"]) in range(20, 40))
        thread = next((n for n in range(conversations) if made.kind(n) is THREAD), number)
        self._chat, self._thread = made.vcon(number), made.vcon(thread)
        self._folder = subject.data_dir.parent

    def contract(self) -> list[Call]:
        """Of the toolset `contract`."""
        ask, uuid = self._questions, self._chat["uuid"]
        word, month = self._made.word(1_000), {"start_date": "2023-03-01", "end_date": "2023-03-31"}
        department: JsonObject = {"tags": {"department": "sales"}}
        inside = {"subject": self._thread["subject"]}

        def search(what: str, arguments: Arguments) -> Call:
            return Call("vcon_search", arguments, what)

        def hybrid(**more: object) -> Callable[[int], JsonObject]:
            return lambda n: {"mode": "hybrid", "query": ask.text(n), "embedding": ask.vector(n), **more}

        def semantic(**more: object) -> Callable[[int], JsonObject]:
            return lambda n: {"mode": "semantic", "embedding": ask.vector(n), **more}

        return [
            search("hybrid", hybrid()),
            search("hybrid, a sixth by tag", hybrid(filters=department)),
            search("hybrid, 1 % by tag", hybrid(filters={"tags": {"hundredth": 42}})),
            search("hybrid, a month", hybrid(filters=month)),
            search("hybrid, inside 10,000 turns", hybrid(filters=inside, hits_per_item=10)),
            search("semantic", semantic()),
            search("semantic, 1 % by tag", semantic(filters={"tags": {"hundredth": 42}})),
            search("keyword, a question's words", lambda n: {"mode": "keyword", "query": ask.text(n)}),
            search("keyword, a rare word", {"mode": "keyword", "query": self._made.word(6_000)}),
            search("keyword, a common word", {"mode": "keyword", "query": "order"}),
            search("keyword, a phrase", {"mode": "keyword", "query": '"your account"'}),
            search("keyword, a misspelled word", {"mode": "keyword", "query": "replacemment"}),
            search(
                "keyword, inside 10,000 turns",
                {"mode": "keyword", "query": word, "filters": inside, "hits_per_item": 10},
            ),
            search("metadata, newest", {"mode": "metadata"}),
            search("metadata, by tag", {"mode": "metadata", "filters": department}),
            search("metadata, by name", {"mode": "metadata", "filters": {"party_name": "tanaka"}}),
            search("metadata, by dealer", {"mode": "metadata", "filters": {"dealer_name": "harbor"}}),
            search(
                "metadata, a dealer misspelled", {"mode": "metadata", "filters": {"dealer_name": "harbur"}}
            ),
            Call("vcon_fetch", {"uuid": uuid}),
            Call(
                "vcon_fetch",
                {"uuid": self._thread["uuid"], "turns": "9000-9039"},
                "40 of 10,000 turns",
            ),
            Call("vcon_taxonomy", {}),
            Call("vcon_graph_shape", {}),
            Call("vcon_capabilities", {}),
            Call("describe_response_shape", {"tool_name": "vcon_fetch"}),
        ]

    def vcon(self) -> list[Call]:
        """The reading tools of `vcon` and `vcon_more`."""
        ask, uuid = self._questions, self._chat["uuid"]
        return [
            Call("get_vcon", {"uuid": uuid}),
            Call("search_vcons", {"subject": "order"}),
            Call("search_vcons", {"party_name": "tanaka"}, "by name"),
            Call("search_vcons_content", lambda n: {"query": ask.text(n)}),
            Call("search_vcons_semantic", lambda n: {"embedding": ask.vector(n)}),
            Call("search_vcons_hybrid", lambda n: {"query": ask.text(n)}),
            Call("search_by_tags", {"tags": {"department": "sales", "priority": "high"}}),
            Call("get_tag", {"vcon_uuid": uuid, "key": "department"}),
            Call("get_all_tags", {"vcon_uuid": uuid}),
            Call("get_unique_tags", {"include_counts": True, "key_filter": "department"}),
            Call("get_database_shape", {}),
            Call("get_database_stats", {}),
            Call("analyze_query", {"query": "select uuid from vcon order by created_at desc limit 5"}),
            Call("get_examples", {"example_type": "minimal"}),
            Call("get_schema", {}),
            Call("vcon_aggregate", {"group_by": ["tag:department"]}),
            Call("vcon_aggregate", {"group_by": ["month", "tag:department"], "top": 5}, "by month and tag"),
            Call("vcon_trends", {"periods": 6}),
            Call("vcon_topics", {"period": "month"}),
            Call("vcon_relations", {"vcon_uuid": uuid}),
            Call("verify_vcon", {"vcon_uuid": uuid}),
            Call("list_holds", {}),
        ]

    async def changing(self) -> AsyncIterator[list[Call]]:
        """The writing tools of both, in groups of which each begins with a conversation of its own."""
        short = Corpus(SEED)
        created: list[str] = []

        def new(number: int) -> JsonObject:
            return {**short.vcon(number), "uuid": str(uuid4())}

        yield [Call("create_vcon", lambda n: {"vcon_data": new(n)})]
        parties = [{"name": "Ann", "mailto": "ann@example.com"}, {"name": "Bob", "mailto": "bob@example.com"}]
        params = {"start": "2025-10-14T10:30:00Z", "duration": 312.5, "direction": "outbound"}
        template: JsonObject = {"template_name": "phone_call", "subject": "Sales", "parties": parties}
        yield [Call("create_vcon_from_template", {**template, "template_params": params})]
        for number in range(RUNS):
            document = new(number)
            await self._subject.run("create_vcon", {"vcon_data": document})
            created.append(document["uuid"])
        one = {"vcon_uuid": created[0]}
        turn = {"type": "text", "start": "2025-10-14T10:30:00Z", "parties": [0, 1], "mediatype": "text/plain"}
        dialog = {**turn, "body": "Hello, I need help with my account.", "encoding": "none"}
        note = {"type": "note", "vendor": "acme", "body": "All is well.", "encoding": "none"}
        file = {"type": "note", "mediatype": "text/plain", "body": "All is well.", "encoding": "none"}
        first = {**one, "index": 0}
        yield [
            Call("add_tag", lambda n: {**one, "key": "step", "value": str(n), "overwrite": True}),
            Call("update_tags", lambda n: {**one, "tags": {"state": str(n)}}),
            Call("remove_tag", {**one, "key": "state"}),
            Call("add_dialog", {**one, "dialog": dialog}),
            Call("add_dialog", {"vcon_uuid": self._thread["uuid"], "dialog": dialog}, "after 10,000 turns"),
            Call("add_analysis", {**one, "analysis": note}),
            Call("add_attachment", {**one, "attachment": file}),
            Call("add_party", {**one, "party": {"name": "Ada King"}}),
            Call("update_vcon", lambda n: {"uuid": created[0], "updates": {"subject": f"State {n}"}}),
            Call("update_dialog", lambda n: {**first, "dialog": {**dialog, "body": f"Hello, {n}."}}),
            Call("update_analysis", lambda n: {**first, "analysis": {"product": f"product {n}"}}),
            Call("update_attachment", lambda n: {**one, "index": 1, "attachment": {"filename": f"{n}.txt"}}),
            Call("update_party", lambda n: {**first, "party": {"tel": f"+1-555-{n:04}"}}),
            Call("hold_vcon", {**one, "reason": "matter 2025-114"}),
            Call("release_hold", one),
            Call("redact_vcon", {**one, "rules": ["names"], "dry_run": True}),
            Call("remove_attachment", {**one, "index": 1}),
            Call("remove_dialog", {**one, "index": 1, "when_referenced": "placeholder"}),
            Call("remove_all_tags", one),
        ]
        removals: dict[str, JsonObject] = {
            "remove_analysis": {"index": 0},
            "remove_party": {"index": 1, "when_referenced": "placeholder"},
            "amend_vcon": {},
        }
        for tool, more in removals.items():
            yield [Call(tool, partial(_of_one, created, more))]
        yield [Call("delete_vcon", lambda n: {"uuid": created[n], "confirm": True})]

    async def memory(self) -> AsyncIterator[list[Call]]:
        """Of `memory` and `session`."""
        ask = self._questions
        project = PROJECTS[0]
        changed = f"/home/ann/{project}/src/part_1.py"
        session = {"query": word_of(1), "mode": "text", "limit": 1, "response_format": "json"}
        path = (await self._subject.call("search", session))["results"][0]["path"]

        def by_query(tool: str, what: str = "", **more: object) -> Call:
            return Call(tool, lambda n: {"query": ask.text(n), **more}, what)

        yield [
            by_query("search"),
            by_query("search", "text", mode="text"),
            by_query("search", "text of a project", mode="text", project=project),
            by_query("search", "of a project", project=project),
            Call("read", {"path": path}),
            Call("init", {"working_directory": str(self._folder)}),
            by_query("reflect_on_past"),
            by_query("reflect_on_past", "of a project", project=project),
            by_query("quick_search"),
            by_query("get_more_results"),
            Call("search_by_concept", lambda n: {"concept": ask.text(n)}),
            Call("search_by_file", {"file_path": changed}),
            Call("store_reflection", lambda n: {"content": f"{n}: {ask.text(n)}", "tags": ["state"]}),
            Call("reflection_stats", {}),
            Call("status", {}),
            Call("checkpoint", {}),
        ]

    async def bridge(self) -> AsyncIterator[list[Call]]:
        """Of `bridge`."""
        ask = self._questions
        manner = {"experiencer": "Ann", "perspective": "I", "processing": "during"}
        shot = {"emoji": "🌱", "shot": "moment-of-recognition"}
        qualities = [{"type": "attentional", "manifestation": "Noticing the text read me back."}]
        yield [
            Call("capture", lambda n: {"content": ask.text(n), **manner}),
            Call("search", lambda n: {"query": ask.text(n)}),
            Call("search", {}, "without a query"),
            Call("search", {"groupBy": "day"}, "by day"),
            Call("status", {}),
        ]
        records = [
            (await self._subject.call("capture", {"content": ask.text(n), **manner}))["record"]["id"]
            for n in range(3 * RUNS + 10)
        ]
        framed = {**shot, "qualities": qualities, "summary": "It begins before I notice it"}
        moments = [
            (await self._subject.call("frame", {"sourceIds": [record], **framed}))["record"]["id"]
            for record in records[:2]
        ]
        woven = {**shot, "summary": "From reading about it to crossing", "narrative": "It went on."}
        yield [
            Call("enrich", lambda n: {"id": records[2], "updates": {"experiencer": f"Ann {n}"}}),
            Call("frame", lambda n: {"sourceIds": [records[5 + n]], **framed}),
            Call("weave", {"momentIds": moments, **woven}),
            Call("release", lambda n: {"id": records[-1 - n]}),
        ]


async def measure_calls(
    folder: Path, conversations: int, only: str = "", runs: int = RUNS
) -> dict[str, Timing]:
    """How long each call takes on the store in a folder, by its name."""
    found: dict[str, Timing] = {}
    made = corpus()
    _read_through(folder)
    for toolsets in TOOLSETS:
        async with open_subject(folder / "data", toolsets=toolsets) as subject:
            async for calls in _calls(Typical(subject, made, conversations), toolsets):
                for call in calls:
                    name = f"{call.name} of {toolsets[0]}" if call.name in found else call.name
                    if only not in name:
                        continue
                    try:
                        found[name] = await _timed(subject, call, runs)
                    except CallFailed as failure:  # an earlier release does not know every parameter
                        print(f"left out: {failure}", file=sys.stderr)
    return found


def _read_through(folder: Path) -> None:
    """Read every file once, so that a store which nobody has used lately is not timed by its disk."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as content:
                while content.read(1 << 24):
                    pass


async def _calls(typical: Typical, toolsets: tuple[str, ...]) -> AsyncIterator[list[Call]]:
    if toolsets[0] == "contract":
        yield typical.contract() + typical.vcon()
        async for calls in typical.changing():
            yield calls
    elif toolsets[0] == "memory":
        async for calls in typical.memory():
            yield calls
    else:
        async for calls in typical.bridge():
            yield calls


async def _timed(subject: Subject, call: Call, runs: int) -> Timing:
    seconds: list[float] = []
    until = 0.0
    for run in range(runs):
        if run == UNTIMED:
            seconds.clear()
            until = time.monotonic() + SECONDS
        arguments = call.of(run)
        started = time.perf_counter()
        await subject.run(call.tool, arguments)
        seconds.append(time.perf_counter() - started)
        if until and time.monotonic() > until:
            break
    return Timing.of(seconds)


def main() -> None:
    """Print the timings as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale.calls", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="calls whose name holds this")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs of each call, at most ({RUNS})")
    options = parser.parse_args()
    filled = Filled.read(options.folder)
    if filled is None:
        parser.error(f"{options.folder} holds no store; fill it with python -m bench.scale.stores")
    found = asyncio.run(measure_calls(options.folder, filled.conversations, options.only, options.runs))
    print(json.dumps({name: asdict(timing) for name, timing in found.items()}))


if __name__ == "__main__":
    main()
