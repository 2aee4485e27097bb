"""What the tests of search and read share: sessions of Claude Code, imported, and calls of the two tools."""

import json
import os
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import ALL_SCOPES, Ask
from tests.watch import Watch
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.dispatch import CallOutcome
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

START = datetime(2025, 11, 3, 10, tzinfo=UTC)

Import = Callable[..., Awaitable[list[Path]]]


@dataclass
class Transcript:
    """The lines of a Claude Code session as they are made; each has a second of its own from `start` on."""

    session: str = field(default_factory=lambda: str(uuid.uuid4()))
    cwd: str = "/home/ann/my-project"
    start: datetime = START
    agent: str | None = None
    """Of a sub-agent, which has a file of its own below that of its session."""
    lines: list[str] = field(default_factory=list[str])

    def raw(self, line: str) -> "Transcript":
        self.lines.append(line)
        return self

    def prompt(self, text: object, at: datetime | None = None) -> "Transcript":
        return self._line("user", {"role": "user", "content": text}, at)

    def answer(self, *blocks: object) -> "Transcript":
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        message = {"id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "model": "m", "content": content}
        return self._line("assistant", message)

    def call(
        self, name: str, result: str = "done", *, is_error: bool = False, **given: object
    ) -> "Transcript":
        """A tool's call on one line and its result on the next."""
        id_ = f"toolu_{uuid.uuid4().hex}"
        self.answer({"type": "tool_use", "id": id_, "name": name, "input": given})
        block = {"type": "tool_result", "tool_use_id": id_, "content": result, "is_error": is_error}
        return self.prompt([block])

    def turns(self, *turns: str) -> "Transcript":
        """Prompts and answers in turn."""
        for number, text in enumerate(turns):
            _ = self.answer(text) if number % 2 else self.prompt(text)
        return self

    def sub_agent(self, prompt: str, answer: str) -> "Transcript":
        """What older versions wrote of a sub-agent into the file of its session."""
        begun = len(self.lines)
        self.turns(prompt, answer)
        reported = [{**json.loads(line), "isSidechain": True} for line in self.lines[begun:]]
        reported[0]["parentUuid"], reported[1]["parentUuid"] = None, reported[0]["uuid"]
        self.lines[begun:] = [json.dumps(line) for line in reported]
        return self

    def _line(self, type_: str, message: JsonObject, at: datetime | None = None) -> "Transcript":
        time = at or self.start + timedelta(seconds=len(self.lines))
        return self.raw(
            json.dumps(
                {
                    "type": type_,
                    "uuid": str(uuid.uuid4()),
                    "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "sessionId": self.session,
                    "cwd": self.cwd,
                    "version": "2.1.230",
                    "gitBranch": "main",
                    "isSidechain": self.agent is not None,
                    **({} if self.agent is None else {"agentId": self.agent}),
                    "message": message,
                },
                ensure_ascii=False,
            )
        )


@pytest.fixture(scope="module")
def memory_settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"rate_limits": None, "toolsets": ("memory",)})


@pytest.fixture(scope="module")
async def memory(memory_settings: Settings) -> AsyncIterator[App]:
    """The memory toolset served alone, with the model that comes along."""
    built = await build(memory_settings)
    yield built
    await built.close()


@pytest.fixture
def import_(memory: App, memory_settings: Settings, tenant: str, tmp_path: Path) -> Import:
    """Imports transcripts, or files as they are, embedded by default; returns the files."""

    async def import_(*given: Transcript | Path, embed: bool = True, as_tenant: str = tenant) -> list[Path]:
        paths: list[Path] = []
        for transcript in given:
            if isinstance(transcript, Path):
                paths.append(transcript)
                continue
            path = tmp_path / "projects" / f"{transcript.session}.jsonl"
            if transcript.agent is not None:
                path = path.with_suffix("") / "subagents" / f"agent-{transcript.agent}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{line}\n" for line in transcript.lines), encoding="utf-8")
            paths.append(path)
        store = TranscriptStore(
            memory.database,
            VconStore(memory.database),
            PrepareContext.load(),
            as_tenant,
            lambda: datetime.now(UTC),
        )
        options = Options(as_tenant, memory_settings.data_dir)
        summary = await TranscriptImporter(store, options).run(paths)
        assert summary.failed == 0
        if embed:
            await memory.worker.drain(as_tenant)
        return paths

    return import_


@pytest.fixture
def ask(memory: App, tenant: str, watch: Watch) -> Ask:
    """Calls `search` or `read`."""

    async def ask(
        tool: str, /, *, of: App = memory, as_tenant: str = tenant, **arguments: object
    ) -> CallOutcome:
        outcome = await of.dispatcher.call(tool, arguments, Caller(as_tenant, ALL_SCOPES))
        watch.report()
        return outcome

    return ask


class FileCalls:
    """Every file that this process opens, lists or looks at, by whatever function, while somebody watches."""

    def __init__(self) -> None:
        self._calls: list[object] | None = None
        sys.addaudithook(self._note)  # can never be taken away again

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._calls is not None and event in ("open", "os.listdir", "os.scandir"):
            self._calls.append(arguments[0])

    @contextmanager
    def below(self, *folders: Path) -> Generator[list[Path]]:
        """What is touched of these folders and files; complete when the context has ended."""
        touched: list[Path] = []
        calls: list[object] = []
        self._calls = calls
        with pytest.MonkeyPatch.context() as patch:
            for name in ("stat", "lstat", "access", "readlink"):  # Python audits none of these
                patch.setattr(os, name, self._noting(getattr(os, name)))
            yield touched
        self._calls = None
        paths = [Path(os.fsdecode(call)) for call in calls if isinstance(call, str | bytes | Path)]
        touched += [path for path in paths if any(folder in (path, *path.parents) for folder in folders)]

    def _noting(self, function: Callable[..., object]) -> Callable[..., object]:
        def noting(*args: object, **named: object) -> object:
            if self._calls is not None:
                self._calls.append(args[0])
            return function(*args, **named)

        return noting


@pytest.fixture(scope="session")
def file_calls() -> FileCalls:
    return FileCalls()


def prompts_found(outcome: CallOutcome) -> list[str]:
    """The snippets of the results, in order."""
    results: Sequence[JsonObject] = outcome.structured["results"]
    return [result["snippet"] for result in results]
