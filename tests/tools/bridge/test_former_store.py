"""A store with a table for each type of record answers as it did, once it has one for all."""

import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest
from pydantic import SecretStr

from tests.conftest import ALL_SCOPES
from tests.house import ROOT
from tests.tools.bridge.serving import NOON, Clock, Server
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_files import load_schema_files

HERE = Path(__file__).parent
RECORDS = HERE / "former_records.sql"
"""Sources, reflections, excerpts, scenes of scenes, and what was superseded or released."""
ANSWERS = HERE / "former_answers.jsonl"
"""What the tools answered about them, a call a line."""
LAST_OF_BEFORE = "0011"


BY_TIME = ("day", "week", "month")


@pytest.mark.usefixtures("superuser")
async def test_records_are_carried_over_and_answers_stay_as_they_were(
    make_empty_database: Callable[[], Awaitable[str]], tmp_path: Path, settings: Settings
) -> None:
    # given a store with records in the tables of before
    for file in (ROOT / "migrations").glob("*.sql"):
        if file.name == "before.sql" or file.name[:4] <= LAST_OF_BEFORE:
            shutil.copy(file, tmp_path)
    url = await make_empty_database()
    connection = await asyncpg.connect(url)
    await migrate(connection, load_schema_files(tmp_path))
    async with connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        await connection.execute(RECORDS.read_text("utf-8"))
    # when it is brought up to date
    await migrate(connection)
    await connection.close()
    # then the tools answer as they did
    settings = settings.model_copy(update={"database_url": SecretStr(url)})
    database = await Database.open(settings)
    embeddings = Embeddings(settings, database)
    catalogue = Catalogue(load_package(), Selection(toolsets=("bridge",)))
    worker = EmbeddingWorker(embeddings, database)
    dispatcher = Server(database, embeddings, catalogue, Clock(NOON), worker).dispatcher()
    try:
        for line in ANSWERS.read_text("utf-8").splitlines():
            expected = json.loads(line)
            outcome = await dispatcher.call(
                expected["tool"], expected["arguments"], Caller("default", ALL_SCOPES)
            )
            beside = ("embeddings", "llm")
            answer, before = (
                {name: value for name, value in each.items() if name not in beside}
                for each in (outcome.structured, expected["answer"])
            )
            if expected["arguments"].get("groupBy") in BY_TIME:
                # they were the days of typing
                assert [group["key"] for group in answer.pop("groups")] == ["2023-01"]
                before.pop("groups")
            assert answer == before, expected["arguments"]
    finally:
        await embeddings.close()
        await database.close()
