"""Transcripts: how fast they come in, are searched and read: `python -m bench.memory`."""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.corpus import Corpus
from bench.importing import timed_import
from bench.measure import Timing, measure
from bench.searching import COMMON_WORD, MIDDLE_WORD, RARE_RANK
from bench.subject import Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

FIRST = datetime(2025, 1, 1, 8, tzinfo=UTC)
PROJECTS = ("billing", "website", "importer", "mobile", "search")
EXCHANGES = (1, 4)
LONG_EXCHANGES = 2_466
"""Four lines each: a file of 9,864 lines."""
COLUMNS_WITHOUT_TERMINAL = 120


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument(
        "--transcripts", type=int, default=10_000, metavar="N", help="sessions to import (10000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the sessions (1)")
    parser.add_argument("--runs", type=int, default=50, metavar="N", help="runs of each search (50)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as JSON, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vcontract-memory-", ignore_cleanup_errors=True) as name:
        found = asyncio.run(_measure(Path(name), options.transcripts, options.seed, options.runs))
    console = Console() if sys.stdout.isatty() else Console(width=COLUMNS_WITHOUT_TERMINAL)
    table = Table("what", "figure", title=f"{options.transcripts:,} transcripts", title_justify="left")
    for what, figure in found.items():
        table.add_row(what, figure)
    console.print(table)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


async def _measure(folder: Path, count: int, seed: int, runs: int) -> dict[str, str]:
    corpus = Corpus(seed)
    sessions = folder / "projects"
    size = 0
    for number in range(count):
        size += write_session(sessions, number, corpus, random.Random(f"{seed}:{number}").randint(*EXCHANGES))  # noqa: S311
    long = folder / "long"
    write_session(long, count, corpus, LONG_EXCHANGES)
    found: dict[str, str] = {}
    async with open_subject(folder / "data", toolsets=("memory",)) as subject:
        seconds = import_transcripts(subject, sessions, count)
        found["import"] = f"{size / seconds / 1e6:.2f} MB/s, {count / seconds:,.0f} transcripts a second"
        seconds = import_transcripts(subject, sessions, 0)
        found["import again, nothing changed"] = f"{count / seconds:,.0f} transcripts a second"
        import_transcripts(subject, long, 1)
        for what, arguments in _searches(corpus).items():
            found[f"search, {what}"] = _span(await _timed(subject, "search", arguments, runs))
        rows = await subject.call(
            "search", {"query": word_of(count), "mode": "text", "limit": 1, "response_format": "json"}
        )
        path = rows["results"][0]["path"]
        found["read, first page of 9,864 lines"] = _span(
            await _timed(subject, "read", {"path": path}, runs // 5 or 1)
        )
        found["read, an exchange in the middle"] = _span(
            await _timed(subject, "read", {"path": path, "startLine": 5_001, "endLine": 5_004}, runs)
        )
    return found


def _searches(corpus: Corpus) -> dict[str, JsonObject]:
    text: JsonObject = {"mode": "text"}
    return {
        "rare word": {**text, "query": corpus.word(RARE_RANK)},
        "word of some": {**text, "query": MIDDLE_WORD},
        "word of most": {**text, "query": COMMON_WORD},
        "two concepts": {**text, "query": [MIDDLE_WORD, COMMON_WORD]},
        "a month": {**text, "query": MIDDLE_WORD, "after": "2025-01-01", "before": "2025-02-01"},
    }


async def _timed(subject: Subject, tool: str, arguments: JsonObject, runs: int) -> Timing:
    async def run(_: int) -> None:
        await subject.run(tool, arguments)

    return await measure(run, runs)


def import_transcripts(subject: Subject, folder: Path, imported: int) -> float:
    """Seconds of one `vcontract import` that should bring in so many. Raises: ImportFailed."""
    return timed_import(subject, folder, lambda summary: summary["transcripts"]["imported"] == imported)


def session_id(number: int) -> str:
    """The id of a session made up here."""
    return f"00000000-0000-4000-8000-{number:012x}"


def write_session(folder: Path, number: int, corpus: Corpus, exchanges: int) -> int:
    """One session as Claude Code writes it; its bytes."""
    project = PROJECTS[number % len(PROJECTS)]
    session = session_id(number)
    target = folder / f"-home-ann-{project}" / f"{session}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = b"".join(dump_json(line) + b"\n" for line in _lines(number, session, project, corpus, exchanges))
    return target.write_bytes(lines)


def _lines(number: int, session: str, project: str, corpus: Corpus, exchanges: int) -> Iterator[JsonObject]:
    """Per exchange a prompt, a call, its result and an answer."""
    begin = FIRST + timedelta(minutes=37 * number)
    turns = _turns(corpus, number, 2 * exchanges)
    for index in range(exchanges):
        call = f"toolu_{number}_{index}"
        path = f"/home/ann/{project}/src/part_{index % 40}.py"
        prompt = next(turns) if index else f"{word_of(number)} {next(turns)}"
        contents: list[tuple[str, object]] = [
            ("user", prompt),
            (
                "assistant",
                [{"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": path}}],
            ),
            ("user", [{"type": "tool_result", "tool_use_id": call, "content": f"{index} lines"}]),
            ("assistant", [{"type": "text", "text": next(turns)}]),
        ]
        for step, (role, content) in enumerate(contents):
            yield {
                "type": role,
                "uuid": f"{session}-{index}-{step}",
                "sessionId": session,
                "timestamp": (begin + timedelta(seconds=20 * index + 4 * step)).isoformat(),
                "cwd": f"/home/ann/{project}",
                "version": "2.1.230",
                "message": {
                    "role": role,
                    "content": content,
                    **(
                        {"id": f"msg_{number}_{index}_{step}", "model": "claude-opus"}
                        if role == "assistant"
                        else {}
                    ),
                },
            }


def _turns(corpus: Corpus, number: int, count: int) -> Iterator[str]:
    """So many turns of the corpus' conversations, from those of this number on."""
    made, at = 0, 10 * number
    while made < count:
        for turn in corpus.vcon(at)["dialog"]:
            yield turn["body"]
            made += 1
        at += 1


def word_of(number: int) -> str:
    """A word that stands in the session of this number and in few others."""
    return f"ticket-{number:06}"


def _span(timing: Timing) -> str:
    return f"{timing.p50:.1f} ms p50, {timing.p95:.1f} ms p95"


if __name__ == "__main__":
    main()
