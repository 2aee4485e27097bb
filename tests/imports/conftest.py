"""What the tests of the import share: vCons made to order, and an import of one's own."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.importer import ConflictPolicy, Importer
from vcontract.runtime.imports.preparing import Workers
from vcontract.runtime.imports.sources import Problem, find_files
from vcontract.runtime.imports.summary import Fate, Summary, TranscriptSummary
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.store import VconStore

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def make_vcon() -> Callable[..., JsonObject]:
    """Makes a small vCon that conforms, the same for the same number; keywords are further members."""

    def make(number: int, **members: object) -> JsonObject:
        return {
            "uuid": str(UUID(int=0x0190_0000_0000_8000_8000_0000_0000_0000 + number)),
            "created_at": f"2024-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z",
            "subject": f"Call {number}",
            "parties": [{"name": "Ann Example"}, {"name": "Bob Beispiel"}],
            "dialog": [
                {
                    "type": "text",
                    "start": "2024-01-01T00:00:00Z",
                    "parties": [0, 1],
                    "mediatype": "text/plain",
                    "body": f"This is number {number}.",
                    "encoding": "none",
                }
            ],
            **members,
        }

    return make


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Where documents are prepared, shared by the module's tests."""
    with Workers() as made:
        yield made


class _Notes:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.bytes_done: list[int] = []

    def met(self, fate: Fate, problems: Sequence[Problem]) -> None:
        self.problems += problems if fate == "refused" else ()

    def advanced(self, summary: Summary | TranscriptSummary, bytes_done: int) -> None:
        self.bytes_done.append(bytes_done)


@pytest.fixture
def run_import(
    workers: Workers, database: Database, tenant: str
) -> Callable[..., Awaitable[tuple[Summary, list[Problem]]]]:
    """Imports paths, into the test's own tenant by default; also returns every problem."""

    async def run(
        *paths: Path,
        on_conflict: ConflictPolicy = "skip",
        into: str = tenant,
        store: VconStore | None = None,
        rehearse: bool = False,
        by: Workers = workers,
    ) -> tuple[Summary, list[Problem]]:
        notes = _Notes()
        target = None if rehearse else store or VconStore(database)
        sources = find_files([str(path) for path in paths])
        importer = Importer(by, lambda: NOW, into, target, on_conflict)
        summary = await importer.run(sources.files, notes)
        assert notes.bytes_done == sorted(notes.bytes_done)
        assert not notes.bytes_done or notes.bytes_done[-1] == sources.size
        return summary, notes.problems

    return run
