"""enrich corrects a record in place, and reports what follows from it."""

import itertools

import pytest

from tests.conftest import Call
from tests.tools.bridge.serving import Make, Mark, Rows, Server
from vcontract.runtime.frame.documents.json import JsonObject
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
        ({"momentIds": []}, "other_type"),
        ({"sources": []}, "members"),
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
        ({"sourceIds": []}, "items"),
        ({"sourceIds": ["x"] * 51}, "items"),
        ({"sourceIds": "src_x"}, "wrong_type"),
        ({"sourceIds": ["mom_x"]}, "other_type"),
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

    answer = await call("enrich", id=moment, updates={"when": "", "narrative": ""})
    again = await call("enrich", id=moment, updates={"when": ""})

    record = answer["record"]
    assert (record["when"], "narrative" in record) == ("2024", False)
    assert answer["changes"] == [
        {"field": "when", "before": "2020", "after": "2024"},
        {"field": "narrative", "before": "Long ago."},
    ]
    assert (again["changes"], again["record"]) == ([], record)
    for hints in (answer["hints"], again["hints"]):
        assert hints == [
            {
                "code": "when_inherited",
                "message": "It has no event time of its own; that of its sources counts: 2024.",
            }
        ]


async def test_the_sources_of_a_moment_change_in_its_place_and_excerpts_of_those_that_stay_remain(
    call: Call, capture: Make, frame: Make, weave: Make, database: Database, tenant: str
) -> None:
    kept, gone = await capture("Rain. Then sun.", when="2024"), await capture(when="2022")
    added = await capture(when="2025", experiencer="Sarah")
    moment = await frame(kept, gone)
    scene = await weave(moment)
    async with database.writing(tenant) as connection:
        await connection.execute(
            "update vcontract.bridge_link set start_char = 6, end_char = 15 where member = $1", kept
        )

    answer = await call("enrich", id=moment, updates={"sourceIds": [added, kept]})

    assert answer["record"]["sources"] == [
        {"sourceId": added},
        {"sourceId": kept, "start": 6, "end": 15},
    ]
    assert [change["field"] for change in answer["changes"]] == ["sources", "when"]
    assert (await call("search", framed=False))["results"][0]["id"] == gone
    for filters in ({"experiencer": "sarah"}, {"when": "2025"}):
        found = await call("search", type=["moment", "scene"], **filters)
        assert [each["id"] for each in found["results"]] == [scene, moment]
    assert (await call("search", type=["moment", "scene"], when="2022"))["total"] == 0


async def test_the_members_of_a_scene_change_in_its_place(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    one, two, three = [await frame(await capture()) for _ in range(3)]
    scene, other = await weave(one, two), await weave(three)

    first = await call("enrich", id=scene, updates={"momentIds": [three, one]})
    second = await call("enrich", id=scene, updates={"sceneIds": [other]})
    third = await call("enrich", id=scene, updates={"momentIds": []})

    members = [
        (each["record"].get("momentIds"), each["record"].get("sceneIds")) for each in (first, second, third)
    ]
    assert members == [([three, one], None), ([three, one], [other]), (None, [other])]
    assert first["changes"] == [
        {"field": "momentIds", "before": f'["{one}", "{two}"]', "after": f'["{three}", "{one}"]'}
    ]


async def test_members_that_a_scene_cannot_have_are_refused_and_nothing_changes(
    call: Call, capture: Make, frame: Make, weave: Make, made_by_model: Mark, every_row: Rows
) -> None:
    source = await capture()
    part = await frame(source)
    await made_by_model(part)
    whole = await frame(source, await capture())
    low = await weave(whole)
    high = await weave(whole)
    await call("enrich", id=high, updates={"sceneIds": [low]})
    before = await every_row()

    wrong: list[JsonObject] = [
        {"sceneIds": [high]},
        {"sceneIds": [low]},
        {"momentIds": []},
        {"momentIds": [part]},
    ]

    refused = [(await call("enrich", id=low, updates=updates))["details"]["reason"] for updates in wrong]
    unknown = await call("enrich", id=low, updates={"momentIds": ["mom_x"]})

    assert refused == ["cycle", "cycle", "items", "superseded"]
    assert unknown["error_code"] == "NOT_FOUND"
    assert await every_row() == before


async def test_a_scene_does_not_grow_higher_than_eight_levels(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    moment = await frame(await capture())
    tower = [await weave(moment) for _ in range(8)]
    for low, high in itertools.pairwise(tower):
        await call("enrich", id=high, updates={"sceneIds": [low]})

    answer = await call("enrich", id=tower[0], updates={"sceneIds": [await weave(moment)]})

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", "too_high")


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


@pytest.mark.usefixtures("embedded_later")
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
