"""What the tests of memory share: an import of one's own, and a look at what it stored."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from tests.imports.transcripts.conftest import SESSION, ClaudeCode, as_lines
from vcontract.runtime.imports.summary import TranscriptSummary
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.transcripts import rows as transcripts
from vcontract.runtime.store.transcripts.rows import TranscriptRow
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon

Import = Callable[..., Awaitable[TranscriptSummary]]
Write = Callable[..., Path]


@dataclass(frozen=True, slots=True)
class Memory:
    """One tenant's transcripts, and the folder of their archive."""

    store: TranscriptStore
    data_dir: Path
    database_url: str

    async def bring_in(self, *paths: Path, **options: object) -> TranscriptSummary:
        """Import files; keywords are options of the import."""
        given = Options(self.store.tenant, self.data_dir, jobs=1)
        for name, value in options.items():
            object.__setattr__(given, name, value)
        return await TranscriptImporter(self.store, given).run(paths)

    async def rows(self) -> list[TranscriptRow]:
        return await self.store.all()

    async def row(self) -> TranscriptRow:
        """The only transcript there is."""
        (row,) = await self.store.all()
        return row

    async def vcon(self, uuid: UUID | None = None) -> StoredVcon:
        stored = await self.store.vcons.get(self.store.tenant, uuid or (await self.row()).vcon)
        assert stored is not None
        return stored

    async def fetch(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """What a query of this tenant's rows gives; the tenant is $1."""
        async with self.store.database.reading(self.store.tenant) as connection:
            return await connection.fetch(query, self.store.tenant, *arguments)

    async def delete(self) -> None:
        """Delete the only vCon, as a tool does."""
        async with self.store.database.writing(self.store.tenant) as connection:
            (row,) = await transcripts.all_of(connection, self.store.tenant)
            archived = await delete_vcon(connection, self.store.tenant, row.vcon)
        transcripts.discard(archived)

    @property
    def archived(self) -> list[Path]:
        """Every file of the archive, half-written ones too."""
        return sorted(path for path in (self.data_dir / "archive").rglob("*") if path.is_file())


@pytest.fixture(scope="session")
def prepare_context() -> PrepareContext:
    return PrepareContext.load()


@pytest.fixture
def memory(
    database: Database, database_url: str, prepare_context: PrepareContext, tenant: str, tmp_path: Path
) -> Memory:
    """The memory of this test's tenant, empty; its clock shows a later second at each look."""
    seconds = count(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def clock() -> datetime:
        return start + timedelta(seconds=next(seconds))

    store = TranscriptStore(database, VconStore(database), prepare_context, tenant, clock)
    return Memory(store, tmp_path / "data", database_url)


@pytest.fixture
def claude() -> ClaudeCode:
    return ClaudeCode()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines to a file of a program's folder and gives its path."""

    def write(*lines: object, name: str = f"{SESSION}.jsonl", end: str = "") -> Path:
        path = tmp_path / "projects" / "-home-ann-ledger" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_lines(lines) + end, encoding="utf-8")
        return path

    return write
