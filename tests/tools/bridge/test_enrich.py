"""enrich corrects a record in its place, and tells what follows from it."""

import pytest

from tests.conftest import Call
from tests.tools.bridge.serving import Make, Mark, Rows, Server
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database


@pytest.mark.parametrize(
    ("updates", "reason"),
    [
        ({"id": "src_x"}, "fixed"),
        ({"type": "moment"}, "fixed"),
        ({"created": "2020-01-01"}, "fixed"),
        ({"file": "/etc/passwd"}, "fixed"),
        ({"foo": 1}, "unknown_field"),
        ({"shot": "wide"}, "other_type"),
        ({"momentIds": []}, "members"),
        ({}, "empty"),
        ({"perspective": "it"}, "enum"),
        ({"content": " "}, "blank"),
        ({"reflects_on": ["x"] * 51}, "type"),
        ({"experiencer": "a\nb"}, "single_line"),
    ],
)
async def test_a_source_keeps_what_may_not_change(
    call: Call, capture: Make, every_row: Rows, updates: JsonObject, reason: str
) -> None:
    source = await capture()
    before = await every_row()

    answer = await call("enrich", id=source, updates=updates)

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", reason)
    assert await every_row() == before


@pytest.mark.parametrize(
    ("updates", "reason"),
    [
        ({"shot": "wide"}, "enum"),
        ({"emoji": "ab"}, "emoji"),
        ({"qualities": []}, "items"),
        ({"qualities": [{"type": "magical", "manifestation": "x"}]}, "enum"),
        ({"reviewed": True, "content": "x"}, "other_type"),
        ({"sourceIds": []}, "members"),
        ({"summary": ""}, "blank"),
    ],
)
async def test_a_moment_takes_only_values_that_frame_takes(
    call: Call, capture: Make, frame: Make, updates: JsonObject, reason: str
) -> None:
    answer = await call("enrich", id=await frame(await capture()), updates=updates)

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", reason)


async def test_every_field_changes_and_the_changes_are_told(call: Call, capture: Make, frame: Make) -> None:
    moment = await frame(await capture(when="2024"))
    updates: JsonObject = {
        "emoji": "🌱",
        "summary": "Something else is there to see",
        "narrative": "n" * 300,
        "shot": "holding-opposites",
        "experiencer": "Sarah",
        "when": "2023-05",
        "reviewed": False,
        "qualities": [{"type": "spatial", "manifestation": "Near."}],
    }

    answer = await call("enrich", id=moment, updates=updates)

    assert {name: answer["record"][name] for name in updates} == updates
    changes = {change["field"]: change for change in answer["changes"]}
    assert changes.keys() == updates.keys()
    assert changes["experiencer"] == {"field": "experiencer", "before": "Claude", "after": "Sarah"}
    assert len(changes["narrative"]["after"]) == 201
    assert "before" not in changes["narrative"]
    assert answer["record"]["modified"] > answer["record"]["created"]


async def test_the_same_values_change_nothing(call: Call, capture: Make) -> None:
    source = await capture("Fog.", when="yesterday")

    answer = await call("enrich", id=source, updates={"content": "Fog.", "when": "yesterday"})

    assert (answer["success"], answer["changes"], "modified" in answer["record"]) == (True, [], False)


async def test_an_empty_text_clears_and_the_event_time_is_inherited_again(
    call: Call, capture: Make, frame: Make
) -> None:
    moment = await frame(await capture(when="2024"), narrative="Long ago.")
    await call("enrich", id=moment, updates={"when": "2020"})

    record = (await call("enrich", id=moment, updates={"when": "", "narrative": ""}))["record"]

    assert (record["when"], "narrative" in record) == ("2024", False)


async def test_a_changed_event_time_of_a_source_reaches_moments_and_scenes(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    source = await capture(when="2024")
    moment = await frame(source)
    scene = await weave(moment)
    own = await frame(source)
    await call("enrich", id=own, updates={"when": "2022"})

    await call("enrich", id=source, updates={"when": "2021"})

    whens = [
        (await call("enrich", id=id_, updates={"emoji": "🌱"}))["record"]["when"]
        for id_ in (moment, scene, own)
    ]
    assert whens == ["2021", "2021", "2022"]


async def test_a_reflection_may_not_come_back_to_its_source(call: Call, capture: Make) -> None:
    first = await capture()
    second = await capture(reflects_on=[first])
    third = await capture(reflects_on=[second])

    cycle = await call("enrich", id=first, updates={"reflects_on": [third]})
    itself = await call("enrich", id=first, updates={"reflects_on": [first]})
    cleared = await call("enrich", id=third, updates={"reflects_on": []})

    assert cycle["details"]["reason"] == itself["details"]["reason"] == "cycle"
    assert "reflects_on" not in cleared["record"]


async def test_a_corrected_moment_of_a_model_is_reviewed(
    call: Call, capture: Make, frame: Make, made_by_model: Mark
) -> None:
    one, two = await frame(await capture()), await frame(await capture())
    await made_by_model(one, two)
    before = (await call("status"))["unreviewed"]["moments"]

    first = await call("enrich", id=one, updates={"summary": "A better summary of this rain"})
    second = await call("enrich", id=two, updates={"summary": "A better summary of this", "reviewed": False})

    assert (first["record"]["reviewed"], second["record"]["reviewed"]) == (True, False)
    assert (before, (await call("status"))["unreviewed"]["moments"]) == (2, 1)


async def test_changed_content_is_found_at_once_by_words_and_loses_its_vector(
    call: Call, capture: Make, frame: Make, server: Server, database: Database, tenant: str
) -> None:
    source = await capture("The zebra crossed. Then rain fell on the road.")
    whole, part = await frame(source), await frame(source)
    async with database.writing(tenant) as connection:
        await connection.execute(
            "update vcontract.bridge_link set start_char = 0, end_char = 18 where holder = $1",
            part,
        )
    await server.worker.drain(tenant)

    answer = await call(
        "enrich", id=source, updates={"content": "An okapi crossed. Then rain fell on the road."}
    )

    codes = {warning["code"]: warning for warning in answer["warnings"]}
    assert (codes["affects_moments"]["count"], codes["affects_moments"]["ids"]) == (2, [whole, part])
    assert codes["excerpt_stale"]["ids"] == [part]
    async with database.reading(tenant) as connection:
        words = await connection.fetchrow(
            "select words @@ 'okapi'::tsquery as new, words @@ 'zebra'::tsquery as old from vcontract.passage"
            " where kind = 'bridge_source'"
        )
        vectors = await connection.fetchval(
            "select count(*) from vcontract.embedding where kind = 'bridge_source'"
        )
    assert words is not None
    assert (words["new"], words["old"], vectors) == (True, False, 0)
    framed = (await call("enrich", id=part, updates={"emoji": "🌱"}))["record"]["sources"]
    assert framed == [{"sourceId": source, "stale": True}]

    await server.worker.drain(tenant)

    status = (await call("status"))["embeddings"]
    assert (status["coverage"], status["passages"]) == (1.0, status["embedded"])


async def test_an_excerpt_follows_its_words(
    call: Call, capture: Make, frame: Make, database: Database, tenant: str
) -> None:
    source = await capture("Rain. Then sun.")
    moment = await frame(source)
    async with database.writing(tenant) as connection:
        await connection.execute(
            "update vcontract.bridge_link set start_char = 6, end_char = 15 where holder = $1",
            moment,
        )

    await call("enrich", id=source, updates={"content": "Early rain. Then sun."})

    framed = (await call("enrich", id=moment, updates={"emoji": "🌱"}))["record"]["sources"]
    assert framed == [{"sourceId": source, "start": 12, "end": 21}]


async def test_an_unknown_record_is_not_found(call: Call) -> None:
    answer = await call("enrich", id="src_x", updates={"experiencer": "Sarah"})

    assert (answer["error_code"], answer["details"]["ids"]) == ("NOT_FOUND", ["src_x"])
