"""The benchmark of the floor: what it asks, and the statements it counts."""

from bench.floor import calls_of, counted_statements
from bench.subject import Subject
from vcontract.runtime.app import build
from vcontract.runtime.settings import Settings


def test_a_question_is_asked_in_each_way_that_is_measured() -> None:
    calls = calls_of("When did Caroline go to the group?")

    assert {tool for tool, _ in calls.values()} == {"vcon_search", "vcon_recall"}
    assert calls["keyword"][1]["query"] == "caroline OR go OR group"


async def test_the_statements_of_a_call_are_counted_with_its_transaction(settings: Settings) -> None:
    app = await build(settings.model_copy(update={"pool_size": 1}))
    try:
        async with (
            counted_statements(Subject(settings.data_dir, app)) as sent,
            app.database.reading(app.caller.tenant) as connection,
        ):
            await connection.fetchval("select 1")
    finally:
        await app.close()

    assert [statement.split()[0] for statement in sent] == ["begin", "select", "commit"]
