"""Fixtures of the bridge's tests: its tools under a clock that stands, and records to work with."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import ALL_SCOPES, Ask, Call
from tests.tools.bridge.serving import NOON, Clock, Make, Mark, Rows, Say, Server
from tests.watch import Watch
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.calls.dispatch import CallOutcome, Dispatcher
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database


@pytest.fixture(scope="module")
async def server(settings: Settings, database: Database) -> AsyncIterator[Server]:
    embeddings = Embeddings(settings, database)
    catalogue = Catalogue(load_package(), Selection(toolsets=("bridge",)))
    worker = EmbeddingWorker(embeddings, database)
    yield Server(database, embeddings, catalogue, Clock(), worker)
    await embeddings.close()


@pytest.fixture
def embedded_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """No call waits for vectors: until the worker has run, texts are found by words only."""
    monkeypatch.setattr("vcontract.runtime.embedding.immediate._SECONDS", 0)


@pytest.fixture
def clock(server: Server) -> Clock:
    server.clock.now = NOON
    return server.clock


@pytest.fixture
def dispatcher(server: Server) -> Dispatcher:
    """Without a language model, without files; a module may have another one."""
    return server.dispatcher()


@pytest.fixture
def ask(dispatcher: Dispatcher, tenant: str, clock: Clock, watch: Watch) -> Ask:
    """Calls a tool as this test's tenant, or another; each call a millisecond after the one before."""

    async def ask(tool: str, /, *, as_tenant: str = tenant, **arguments: object) -> CallOutcome:
        clock.pass_by(milliseconds=1)
        outcome = await dispatcher.call(tool, arguments, Caller(as_tenant, ALL_SCOPES, local=True))
        watch.report()
        return outcome

    return ask


@pytest.fixture
def say(ask: Ask) -> Say:
    """Calls a tool and gives the text of its answer."""

    async def say(tool: str, /, **arguments: object) -> str:
        return (await ask(tool, **arguments)).text

    return say


@pytest.fixture
def capture(call: Call) -> Make:
    """Captures a text; the id."""

    async def capture(content: str = "I notice the rain.", **members: object) -> str:
        given = {"experiencer": "Claude", "perspective": "I", "processing": "during", **members}
        answer = await call("capture", content=content, **given)
        assert answer["success"], answer
        return str(answer["record"]["id"])

    return capture


@pytest.fixture
def frame(call: Call) -> Make:
    """Frames sources; the id."""

    async def frame(*sources: str, **members: object) -> str:
        given = {
            "emoji": "🤔",
            "summary": "Rain becomes a thing to hear",
            "shot": "sustained-attention",
            "qualities": [{"type": "attentional", "manifestation": "The drops one by one."}],
            **members,
        }
        answer = await call("frame", sourceIds=list(sources), **given)
        assert answer["success"], answer
        return str(answer["record"]["id"])

    return frame


@pytest.fixture
def weave(call: Call) -> Make:
    """Weaves moments; the id."""

    async def weave(*moments: str, **members: object) -> str:
        given = {
            "emoji": "🌉",
            "summary": "From rain to the other side",
            "narrative": "It began with a sound and ended with a walk.",
            "shot": "crossing-threshold",
            **members,
        }
        answer = await call("weave", momentIds=list(moments), **given)
        assert answer["success"], answer
        return str(answer["record"]["id"])

    return weave


@pytest.fixture
def made_by_model(database: Database, tenant: str) -> Mark:
    """Makes a moment or scene look as a model made it: not reviewed."""

    async def made_by_model(*ids: str) -> None:
        async with database.writing(tenant) as connection:
            await connection.execute(
                "update vcontract.bridge_record set auto_generated = true, reviewed = false"
                " where id = any($1)",
                list(ids),
            )

    return made_by_model


BRIDGE_TABLES = (
    *("bridge_record", "bridge_link", "bridge_quality", "bridge_tombstone", "bridge_processing_error"),
    *("search_document", "passage", "embedding", "embedding_task"),
)


@pytest.fixture
def every_row(database: Database, tenant: str) -> Rows:
    """Every row that the tenant has, as text, by table."""

    async def every_row() -> dict[str, list[str]]:
        rows: dict[str, list[str]] = {}
        async with database.reading(tenant) as connection:
            for table in BRIDGE_TABLES:
                found = await connection.fetch(
                    f"select t::text as row from vcontract.{table} t order by 1"  # noqa: S608
                )
                rows[table] = [row["row"] for row in found]
        return rows

    return every_row
