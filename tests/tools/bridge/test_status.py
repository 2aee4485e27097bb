"""status reports what is stored and what waits, and never its text."""

from types import SimpleNamespace

import pytest

from tests.conftest import ALL_SCOPES, Call
from tests.services import isolated_services
from tests.tools.bridge.serving import Clock, Make, Mark, Say, Server
from vcontract.handlers.bridge.status import StatusTools
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.error_mapping import classify


async def test_an_empty_journal_has_full_coverage_and_no_model(call: Call, say: Say) -> None:
    status = await call("status")

    assert status["counts"] == {"sources": 0, "reflections": 0, "moments": 0, "scenes": 0}
    assert (status["embeddings"]["coverage"], status["embeddings"]["passages"]) == (1, 0)
    assert "oldestPendingSeconds" not in status["embeddings"]
    assert status["llm"] == {
        "configured": False,
        "missing": ["VCONTRACT_LLM_BASE_URL", "VCONTRACT_LLM_MODEL"],
    }
    assert (await say("status")).startswith("Status\nSources: 0 (0 reflect on others)\nMoments: 0\n")


@pytest.mark.usefixtures("embedded_later")
async def test_figures_follow_what_is_done_and_hints_name_the_search_that_lists_it(
    call: Call,
    capture: Make,
    frame: Make,
    weave: Make,
    made_by_model: Mark,
    clock: Clock,
    server: Server,
    tenant: str,
) -> None:
    old = await capture("A secret of mine.")
    clock.pass_by(days=2)
    one, two = await capture(reflects_on=[old]), await capture()
    part = await frame(one)
    await made_by_model(part)
    whole = await frame(one, two)
    lone = await frame(two)
    await made_by_model(lone)
    await weave(whole)
    await call("enrich", id=one, updates={"contentType": "note"})
    await call("release", id=await capture())
    clock.pass_by(minutes=1)

    status = await call("status")

    assert status["counts"] == {"sources": 3, "reflections": 1, "moments": 2, "scenes": 1}
    assert (status["unframedSources"], status["unwovenMoments"]) == (1, 1)
    assert status["unreviewed"] == {"moments": 1, "scenes": 0}
    assert status["superseded"] == {"moments": 1, "scenes": 0}
    activity = status["recentActivity"]
    assert [activity[name] for name in ("hours", "captured", "framed", "woven", "enriched", "released")] == [
        *(24, 2, 3, 1, 1, 1)
    ]
    assert status["embeddings"]["oldestPendingSeconds"] > 86_400
    assert [hint["message"] for hint in status["hints"]][:2] == [
        "search {framed: false} lists the 1 unframed source.",
        'search {reviewed: false, type: ["moment"]} lists the 1 unreviewed moment.',
    ]
    assert "secret" not in str(status)
    await server.worker.drain(tenant)
    embedded = (await call("status"))["embeddings"]
    assert (embedded["coverage"], "oldestPendingSeconds" in embedded) == (1, False)


async def test_a_group_of_tools_can_be_built_alone(server: Server, database: Database, tenant: str) -> None:
    group = StatusTools(isolated_services(database, server.embeddings))
    handlers = SimpleNamespace(bridge=SimpleNamespace(status=group))
    dispatcher = Dispatcher(RequestScope(server.catalogue, classify), handlers)

    outcome = await dispatcher.call("status", {}, Caller(tenant, ALL_SCOPES))

    assert outcome.structured["counts"] == {"sources": 0, "reflections": 0, "moments": 0, "scenes": 0}
