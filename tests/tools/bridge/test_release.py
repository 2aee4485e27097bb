"""release deletes a record with what cannot stand without it, once."""

from collections import Counter
from datetime import datetime

import pytest

from tests.conftest import Call
from tests.tools.bridge.serving import Clock, Make, Mark, Rows
from vcontract.runtime.store.postgres.database import Database


@pytest.mark.usefixtures("embedded_later")
async def test_a_source_takes_the_moments_that_have_no_other_and_their_scenes(
    call: Call, capture: Make, frame: Make, weave: Make, every_row: Rows
) -> None:
    source, other = await capture(), await capture()
    first, second = await frame(source), await frame(source, other)
    scene = await weave(first)
    reflection = await capture(reflects_on=[source])

    answer = await call("release", id=source)

    assert [each["id"] for each in answer["released"]] == [source, first, scene]
    assert [each["id"] for each in answer["unlinked"]] == sorted([second, reflection])
    rows = await every_row()
    assert Counter(row.split(",")[3] for row in rows["bridge_record"]) == {"source": 2, "moment": 1}
    assert len(rows["bridge_tombstone"]) == 3
    assert len(rows["search_document"]) == 3
    assert len(rows["embedding_task"]) == 3
    assert [row.split(",")[3] for row in rows["bridge_link"]] == ["frames"]
    kept = (await call("enrich", id=second, updates={"emoji": "🌱"}))["record"]
    assert kept["sources"] == [{"sourceId": other}]


async def test_a_moment_leaves_its_sources_and_a_scene_its_members(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    source = await capture()
    moment, other = await frame(source), await frame(source)
    scene = await weave(moment, other)

    first = await call("release", id=moment)
    second = await call("release", id=scene)

    assert [each["id"] for each in first["released"]] == [moment]
    assert [each["id"] for each in first["unlinked"]] == [scene, source]
    assert [each["id"] for each in second["unlinked"]] == [other]
    assert (await call("status"))["counts"] == {"sources": 1, "reflections": 0, "moments": 1, "scenes": 0}


async def test_a_second_release_says_that_it_was_released(
    call: Call, capture: Make, frame: Make, clock: Clock, every_row: Rows
) -> None:
    source = await capture()
    moment = await frame(source)
    await call("release", id=source)
    at = clock.now
    before = await every_row()
    clock.pass_by(hours=1)

    again, taken, never = [await call("release", id=id_) for id_ in (source, moment, "src_x")]

    assert (again["success"], again["alreadyReleased"], again["causeId"]) == (True, True, source)
    assert (taken["success"], taken["alreadyReleased"], taken["causeId"]) == (True, True, source)
    assert again["releasedAt"] == taken["releasedAt"]
    assert datetime.fromisoformat(again["releasedAt"]) == at
    assert never["error_code"] == "NOT_FOUND"
    assert await every_row() == before


async def test_a_released_id_tells_when_it_went(call: Call, capture: Make) -> None:
    source = await capture()
    await call("release", id=source)

    answer = await call("enrich", id=source, updates={"content": "x"})

    assert answer["error_code"] == "NOT_FOUND"
    assert answer["details"]["releasedAt"].startswith("2026-11-18T14:30:00")


async def test_what_a_released_moment_had_superseded_is_active_again(
    call: Call, capture: Make, frame: Make, made_by_model: Mark, database: Database, tenant: str
) -> None:
    one, two = await capture(), await capture()
    part = await frame(one)
    await made_by_model(part)
    whole = await frame(one, two)

    answer = await call("release", id=whole)

    assert answer["restored"] == [{"id": part, "type": "moment"}]
    async with database.reading(tenant) as connection:
        found = await connection.fetchval(
            "select count(*) from vcontract.search_document d join vcontract.bridge_record m on m.uid = d.id"
            " where m.id = $1 and m.reframed_by is null",
            part,
        )
    assert found == 1


async def test_what_goes_with_its_successor_is_not_restored(
    call: Call, capture: Make, frame: Make, made_by_model: Mark
) -> None:
    one = await capture()
    two = await capture()
    part = await frame(one)
    await made_by_model(part)
    whole = await frame(one, two)
    await call("release", id=two)

    answer = await call("release", id=one)

    assert [each["id"] for each in answer["released"]] == [one, part, whole]
    assert answer["restored"] == []


async def test_a_scene_of_scenes_goes_with_its_last_member(
    call: Call, capture: Make, frame: Make, weave: Make, database: Database, tenant: str
) -> None:
    moment = await frame(await capture())
    low, high = await weave(moment), await weave(moment)
    async with database.writing(tenant) as connection:
        await connection.execute("update vcontract.bridge_link set member = $2 where holder = $1", high, low)

    answer = await call("release", id=moment)

    assert [each["id"] for each in answer["released"]] == [moment, low, high]
