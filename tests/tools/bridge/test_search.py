"""search filters before it limits, relates both ways, and finds by words and by meaning."""

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.conftest import ALL_SCOPES, Call
from tests.house import ROOT
from tests.tools.bridge.serving import NOON, ZONE, Clock, Make, Mark, Say, Server
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.bridge.ids import RecordIds
from vcontract.runtime.store.bridge.records import Source
from vcontract.runtime.store.bridge.store import BridgeStore
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

MIGRATIONS = ROOT / "migrations"


def ids(answer: JsonObject) -> list[str]:
    return [each["id"] for each in answer["results"]]


async def test_no_arguments_give_the_newest_records(call: Call, capture: Make) -> None:
    made = [await capture(f"Rain {number}") for number in range(22)]

    answer = await call("search")

    assert ids(answer) == made[:-21:-1]
    assert (answer["total"], answer["returned"], answer["totalIsExact"]) == (22, 20, True)


async def test_a_search_before_anything_was_captured_says_so(say: Say) -> None:
    for arguments in ({}, {"query": "cold water"}, {"experiencer": "Mira"}):
        assert (await say("search", **arguments)).splitlines()[1] == (
            "Hint: The journal is empty. Agents add records with capture."
        )


async def test_moments_by_hand_are_reviewed_and_sources_are_neither(
    call: Call, capture: Make, frame: Make
) -> None:
    moment = await frame(await capture())

    assert ids(await call("search", reviewed=True)) == [moment]
    assert ids(await call("search", reviewed=False)) == []


@pytest.mark.parametrize("named", ["Zoë Groß", "Zoe\u0308 Groß", "ZOË GROSS"])
@pytest.mark.parametrize("asked", ["Zoë Groß", "zoe\u0308 gross"])
async def test_who_had_an_experience_is_found_however_the_name_is_written(
    call: Call, capture: Make, frame: Make, named: str, asked: str
) -> None:
    source = await capture(experiencer=named)
    await capture(experiencer="Zoe Gros")
    moment = await frame(source)

    assert sorted(ids(await call("search", experiencer=asked))) == sorted([source, moment])


async def test_a_name_that_was_stored_decomposed_is_composed_when_the_store_is_upgraded(
    call: Call, capture: Make, frame: Make, owner: OwnerConnection
) -> None:
    source = await capture(experiencer="Zoë")
    moment = await frame(source)
    await owner.execute(
        "update vcontract.bridge_record set experiencer_folded = normalize(experiencer_folded, nfd),"
        " experiencers = array(select normalize(e, nfd) from unnest(experiencers) e) where id = any($1)",
        [source, moment],
    )
    before = await call("search", experiencer="Zoë")

    await owner.execute((MIGRATIONS / "0028_composed_names.sql").read_text(encoding="utf-8"))

    assert ids(before) == []
    assert sorted(ids(await call("search", experiencer="Zoë"))) == sorted([source, moment])


async def test_the_one_match_is_found_however_old(call: Call, database: Database, capture: Make) -> None:
    crafted = await capture("The oldest.", processing="crafted")
    for number in range(300):
        await capture(f"Note {number}.")

    answer = await call("search", processing="crafted", limit=5)

    assert (answer["total"], ids(answer)) == (1, [crafted])


async def test_sorting_by_event_time_looks_at_all_matches(call: Call, say: Say, capture: Make) -> None:
    days = {}
    for number in range(300):
        day = (number * 37) % 300
        when = (datetime(2024, 1, 1) + timedelta(days=day)).strftime("%Y-%m-%d")
        days[day] = await capture(f"Note {number}.", when=when)

    answer = await call("search", sort="when", limit=5)
    text = await say("search", sort="when", limit=5)

    assert ids(answer) == [days[day] for day in (299, 298, 297, 296, 295)]
    assert answer["total"] == 300
    assert text.endswith("\n\n5 of 300 matching records shown.")


@pytest.mark.parametrize("query", [None, "rain"])
async def test_records_without_event_time_are_counted_where_the_order_is_of_events(
    call: Call, capture: Make, query: str | None
) -> None:
    await capture("Rain in May.", when="2024-05-20")
    for when in (None, "in the shower"):
        await capture("Rain, some day.", **({} if when is None else {"when": when}))
    asked = {} if query is None else {"query": query}

    by_event = await call("search", sort="when", **asked)
    by_capture = await call("search", sort="created", **asked)

    [hint] = by_event["hints"]
    assert (hint["code"], hint["count"]) == ("without_event_time", 2)
    assert by_capture["hints"] == []


async def test_a_filter_keeps_the_one_of_many_that_match_the_query(
    call: Call, capture: Make, database: Database, tenant: str
) -> None:
    store, ids_of = BridgeStore(), RecordIds()
    async with database.writing(tenant) as connection:
        for number in range(2_000):
            walk = f"A walk in the rain, number {number}."
            source = Source(
                id=ids_of.make("source", NOON),
                content=walk,
                content_type="text",
                experiencer="Claude",
                perspective="I",
                processing="during",
                created=NOON,
            )
            await store.put(connection, tenant, source)
    sarah = await capture("A walk in the rain with many other words around it.", experiencer="Sarah")

    answer = await call("search", query="walk in the rain", experiencer="sarah", limit=10)
    everybody = await call("search", query="walk in the rain", limit=1)

    assert ids(answer) == [sarah]
    assert everybody["total"] == 2_001


async def test_what_was_just_written_is_found_by_meaning(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    await capture("The bicycle needs a new chain.")
    visit = await capture("My father went into surgery this morning.")
    moment = await frame(visit, summary="Waiting outside the operating theatre")
    scene = await weave(moment, summary="The day at the hospital")
    await call("enrich", id=moment, updates={"summary": "Hours on the surgeon's corridor"})

    answer = await call("search", query="an operation by a doctor")

    assert set(ids(answer)[:3]) == {visit, moment, scene}
    assert (answer["totalIsExact"], answer["hints"]) == (True, [])


@pytest.mark.usefixtures("embedded_later")
@pytest.mark.parametrize("query", ["an operation by a doctor", "surgery"])
async def test_records_that_wait_for_their_vectors_are_counted_and_no_total_is_called_exact(
    call: Call, server: Server, tenant: str, query: str
) -> None:
    captured = await call(
        "capture",
        content="My father went into surgery.",
        experiencer="Claude",
        perspective="I",
        processing="during",
    )

    early = await call("search", query=query)
    by_filters = await call("search")
    await server.worker.drain(tenant)
    late = await call("search", query=query)

    assert "embedding_pending" in {hint["code"] for hint in captured["hints"]}
    [pending] = [hint for hint in early["hints"] if hint["code"] == "embedding_pending"]
    assert (pending["count"], early["totalIsExact"]) == (1, False)
    assert (late["totalIsExact"], late["total"]) == (True, 1)
    assert "embedding_pending" not in str(late)
    assert (by_filters["totalIsExact"], by_filters["hints"]) == (True, [])


async def test_without_a_model_words_alone_find_and_it_is_said(
    settings: Settings, database: Database, server: Server, tenant: str, capture: Make
) -> None:
    source = await capture("The zebra crossed.")
    without = replace(
        server,
        embeddings=Embeddings(settings.model_copy(update={"embedding_provider": "none"}), database),
    )

    outcome = await without.dispatcher().call("search", {"query": "zebra"}, Caller(tenant, ALL_SCOPES))

    assert ids(outcome.structured) == [source]
    assert outcome.structured["applied"]["strategy"] == "text"
    assert [hint["code"] for hint in outcome.structured["hints"]] == ["text_only"]


async def test_an_answer_over_the_budget_is_an_error_that_says_what_to_leave_out(
    call: Call, capture: Make
) -> None:
    for number in range(3):
        await capture(f"{number} " + "rain " * 19_000)

    answer = await call("search", includeContext=True)

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", "response_too_large")
    assert answer["suggestions"] == ["Send a lower limit.", "Leave out includeContext."]


async def test_a_day_is_from_midnight_to_midnight_of_the_zone(
    call: Call, capture: Make, clock: Clock
) -> None:
    made: list[str] = []
    for day, hour, minute in ((17, 0, 0), (17, 13, 0), (17, 23, 59), (18, 0, 0)):
        clock.now = datetime(2026, 11, day, hour, minute, tzinfo=ZoneInfo(ZONE))
        made.append(await capture())

    answer = await call("search", created="2026-11-17")

    assert ids(answer) == made[2::-1]
    assert answer["applied"]["filters"]["created"] == {
        "start": "2026-11-16T23:00:00Z",
        "end": "2026-11-17T23:00:00Z",
        "zone": ZONE,
    }


async def test_an_end_given_as_a_day_is_inside_and_as_a_clock_time_is_not(call: Call, capture: Make) -> None:
    noon = await capture(when="2024-01-15T12:00")
    evening = await capture(when="2024-01-15T20:00")
    await capture("Sometime.")

    day = await call("search", when={"start": "2024-01-15", "end": "2024-01-15"})
    morning = await call("search", when={"start": "2024-01-15", "end": "2024-01-15T12:00"})
    backwards = await call("search", when={"start": "2024-01-16", "end": "2024-01-15"})
    unreadable = await call("search", created="in the shower")

    assert ids(day) == [evening, noon]
    assert morning["total"] == 0
    assert (backwards["error_code"], unreadable["error_code"]) == ("VALIDATION_ERROR", "VALIDATION_ERROR")
    assert "created" in unreadable["error"]
    assert "yesterday morning" in unreadable["error"]
    assert day["hints"][0] == {
        "code": "without_event_time",
        "message": "1 record without a resolved event time cannot match when.",
        "count": 1,
    }


async def test_all_qualities_are_asked_for(call: Call, capture: Make, frame: Make) -> None:
    def qualities(*types: str) -> JsonObject:
        return {"qualities": [{"type": type_, "manifestation": "So."} for type_ in types]}

    both = await frame(await capture(), **qualities("embodied", "spatial", "emotional"))
    await frame(await capture(), **qualities("embodied"))

    assert ids(await call("search", qualities=["embodied", "emotional"])) == [both]
    assert ids(await call("search", query="harbour", qualities=["emotional", "embodied"] * 20)) == ids(
        await call("search", query="harbour", qualities=["embodied", "emotional"])
    )


@pytest.mark.usefixtures("embedded_later")
async def test_related_records_are_found_both_ways_nearest_first(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    a = await capture("The first.")
    b = await capture("The second.", reflects_on=[a])
    c = await capture("The third.", reflects_on=[b])
    m = await frame(a)
    s = await weave(m)
    await capture("Unrelated.")

    assert ids(await call("search", reflectedOn=c, type=["scene"])) == [s]
    assert ids(await call("search", reflectedOn=c)) == [c, b, a, m, s]
    assert ids(await call("search", reflectedOn=s)) == [s, m, a, b, c]
    assert ids(await call("search", reflectedOn=c, query="second")) == [b]
    unknown = await call("search", reflectedOn="src_x")
    assert (unknown["error_code"], unknown["details"]["ids"]) == ("NOT_FOUND", ["src_x"])


@pytest.mark.parametrize("query", ["src_main", "mom_", "sce_z0000000000000000000000000", f"src_{'0' * 30}"])
async def test_words_that_begin_like_an_id_are_searched_for(call: Call, capture: Make, query: str) -> None:
    said = await capture(f"I wrote {query} on the wall.")
    await capture("The kettle is hot.")

    found = await call("search", query=query, includeContext=True)

    assert found["results"][0]["id"] == said


async def test_a_circle_of_links_ends(call: Call, capture: Make, frame: Make, weave: Make) -> None:
    one = await capture()
    two = await capture(reflects_on=[one])
    moments = [await frame(one, two), await frame(two, one)]
    scene = await weave(*moments)

    answer = await call("search", reflectedOn=one)

    assert sorted(ids(answer)) == sorted([one, two, *moments, scene])


async def test_facets_of_moments_and_scenes_are_those_of_sources_underneath(
    call: Call, capture: Make, frame: Make, weave: Make
) -> None:
    ours = await capture(perspective="we", processing="crafted", experiencer="Team")
    moment = await frame(await capture(), ours)
    scene = await weave(moment)

    for filters in ({"perspective": "we"}, {"processing": "crafted"}, {"experiencer": "TEAM"}):
        assert ids(await call("search", **filters)) == [scene, moment, ours]


async def test_sources_are_framed_by_active_moments_only(
    call: Call, capture: Make, frame: Make, made_by_model: Mark
) -> None:
    one, two, three = await capture(), await capture(), await capture()
    part = await frame(one)
    await made_by_model(part)
    await frame(one, two)

    assert ids(await call("search", framed=True)) == [two, one]
    assert ids(await call("search", framed=False)) == [three]
    assert part not in ids(await call("search"))


@pytest.mark.parametrize("framed", [True, False])
async def test_what_is_framed_is_gathered_once_and_not_for_each_source(
    database: Database, tenant: str, framed: bool
) -> None:
    async with database.reading(tenant) as connection:
        conditions = await connection.fetchval(
            "select vcontract.bridge_conditions(jsonb_build_object('framed', $1::boolean))", framed
        )
        plan = await connection.fetch(f"explain select from vcontract.bridge_record r where {conditions}")

    assert any("hashed SubPlan" in row[0] for row in plan), plan


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        ({"framed": True, "shot": "holding-opposites"}, ("framed", "shot")),
        ({"type": ["source"], "reviewed": True}, ("type", "reviewed")),
        ({"type": ["scene"], "qualities": ["spatial"]}, ("type", "qualities")),
    ],
)
async def test_filters_that_exclude_each_other_are_named(
    call: Call, filters: JsonObject, named: tuple[str, str]
) -> None:
    answer = await call("search", **filters)

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", "contradiction")
    assert all(name in answer["error"] for name in named)


@pytest.mark.usefixtures("embedded_later")
async def test_literals_are_found_character_for_character(call: Call, capture: Make) -> None:
    cpp = await capture("I wrote C++ all night.")
    await capture("The vitamin C helped.")
    percent = await capture("I was 100% there.")
    await capture("There were 1000 birds.")

    assert ids(await call("search", query="C++")) == [cpp]
    assert ids(await call("search", query="100%")) == [percent]


@pytest.mark.usefixtures("embedded_later")
async def test_words_about_nothing_stored_find_nothing_and_say_so(
    call: Call, say: Say, capture: Make
) -> None:
    await capture("I notice the rain.", experiencer="Sarah")

    answer = await call("search", query="xylophone quarkset", experiencer="Tom")
    text = await say("search", query="xylophone quarkset", experiencer="Tom")

    assert (answer["total"], answer["results"]) == (0, [])
    assert answer["emptyBecause"] == [
        {"without": "experiencer", "total": 0},
        {"without": "query", "total": 0},
    ]
    assert text.startswith("No matching records.\nHint: ")
    other = await call("search", experiencer="Tom")
    assert other["emptyBecause"] == [{"without": "experiencer", "total": 1}]
    assert [hint["code"] for hint in other["hints"]] == ["known_experiencers", "nothing_found"]


async def test_an_id_as_query_reads_that_record_first(
    call: Call, capture: Make, frame: Make, made_by_model: Mark
) -> None:
    one, two = await capture(), await capture()
    part = await frame(one)
    await made_by_model(part)
    await frame(one, two)

    answer = await call("search", query=part, includeContext=True)
    filtered = await call("search", query=part, type=["source"])

    assert (answer["results"][0]["id"], answer["results"][0]["relevance"]) == (part, 1.0)
    assert "reframedBy" in answer["results"][0]["moment"]
    assert part not in ids(filtered)


async def test_meaning_finds_what_words_do_not(
    call: Call, capture: Make, server: Server, tenant: str
) -> None:
    dog = await capture("My dog ran across the meadow, chasing a ball.")
    await capture("The quarterly tax report is due on Friday.")
    await server.worker.drain(tenant)

    answer = await call("search", query="a puppy playing fetch outdoors")

    assert [each["id"] for each in answer["results"] if each["strength"] != "weak"] == [dog]
    assert ids(answer)[0] == dog
    assert answer["applied"]["strategy"] == "both"
    assert 0 < answer["results"][0]["relevance"] < 1


async def test_a_query_about_nothing_that_is_stored_shows_ten_at_most_and_says_that_they_are_weak(
    call: Call, say: Say, capture: Make, server: Server, tenant: str
) -> None:
    # given experiences with their vectors
    window = await capture("Mother cried at the window. She said the light was like in Lisbon in 1974.")
    kitchen = await capture("The kitchen smelled of burnt sugar and Tom hummed the same three notes.")
    fox = await capture("Halfway up the hill a fox crossed in front of me; I forgot that I was running.")
    await capture("Everybody stood too close, glasses in hand, and I counted the doors.")
    await capture("The bill came twice, so I rang them and was calm for once.")
    await capture("I planted beans along the fence before the rain came.")
    for number in range(5):
        await capture(f"The clock of hall {number} stood still, and dust lay on its case.")
    await server.worker.drain(tenant)
    # when what is asked for is of the same world, and not there
    near = (
        *("a recipe for sourdough bread", "booking a flight to Tokyo", "my dentist drilled a tooth"),
        *("a dog on the beach", "a visit to the museum of modern art", "learning to swim"),
        *("an argument about money", "the football match was cancelled", "fear of the dark"),
        *("tax return deadline", "kubernetes ingress controller", "the chess opening failed"),
        *("quarterly revenue forecast", "a broken arm in plaster", "the printer is out of toner"),
        *("new shoes for school", "the train to Vienna was late", "quantum chromodynamics"),
        *("a sermon on forgiveness", "xylophone quarkset"),
    )
    for query in near:
        answer = await call("search", query=query)
        # then the nearest come, each marked, and the answer says so
        assert [each["strength"] for each in answer["results"]] == ["weak"] * 10, query
        assert (answer["total"], answer["returned"]) == (10, 10), query
        assert [hint["code"] for hint in answer["hints"]] == ["only_weak_matches"], query
    text = await say("search", query=near[0])
    assert text.count("\n   Match: weak") == 10
    assert text.endswith("\nHint: Nothing is nearer to the query than chance; these are the nearest.")
    # but what is there comes first, in other words too
    right = {
        "someone homesick for Portugal": window,
        "singing while cooking in the kitchen": kitchen,
        "wildlife encounter while exercising": fox,
        "mother in tears by the window": window,
    }
    for query, source in right.items():
        assert ids(await call("search", query=query))[:1] == [source], query


async def test_sorted_by_time_or_grouped_only_what_is_better_than_chance_comes(
    call: Call, capture: Make, server: Server, tenant: str
) -> None:
    fox = await capture("Halfway up the hill a fox crossed in front of me; I forgot that I was running.")
    await capture("The bill came twice, so I rang them and was calm for once.")
    await server.worker.drain(tenant)

    query = "a fox on the hill"
    every = await call("search", query=query)

    assert [each["strength"] for each in every["results"]] == ["strong", "weak"]
    for arguments in ({"sort": "created"}, {"sort": "when"}, {"groupBy": "type"}, {"groupBy": "hierarchy"}):
        assert ids(await call("search", query=query, **arguments)) == [fox]


@pytest.mark.usefixtures("embedded_later")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("fox NOT hill", ["lake"]),
        ("fox AND hill", ["both", "hill", "lake"]),
        ('"the fox"', ["both", "lake"]),
        ('"fox hill"', []),
        ("(hill OR lake) AND NOT (fox OR boat)", ["hill"]),
        ("rm -rf NOT fox", []),
    ],
)
async def test_operators_are_followed(call: Call, capture: Make, query: str, found: list[str]) -> None:
    texts = {
        "both": "I saw the fox on the hill.",
        "hill": "Nobody was on the hill.",
        "lake": "Then the fox drank from the lake.",
    }
    made = {await capture(text): name for name, text in texts.items()}

    answer = await call("search", query=query)

    assert sorted(made[id_] for id_ in ids(answer)) == found


async def test_an_operator_that_cannot_be_followed_is_told_with_the_query_to_send(call: Call) -> None:
    answer = await call("search", query="battery OR refund AND angry")

    assert (answer["error_code"], answer["details"]["reason"]) == ("VALIDATION_ERROR", "mixed_operators")
    assert answer["suggestions"] == [{"query": "(battery OR refund) angry"}]


async def test_relevance_does_not_depend_on_the_limit(call: Call, capture: Make) -> None:
    for number in range(12):
        await capture("Rain on the roof. " + "And more words. " * number)

    few = await call("search", query="rain roof", limit=3)
    many = await call("search", query="rain roof", limit=50)

    assert [each["relevance"] for each in many["results"][:3]] == [
        each["relevance"] for each in few["results"]
    ]
    assert few["total"] == many["total"] == 12


async def test_another_tenants_records_are_not_found(call: Call, capture: Make, frame: Make) -> None:
    source = await capture("The zebra crossed.")
    moment = await frame(source)

    for arguments in ({}, {"query": "zebra"}, {"query": source}, {"query": moment}):
        assert (await call("search", as_tenant="eve", **arguments))["total"] == 0
    assert (await call("search", as_tenant="eve", reflectedOn=source))["error_code"] == "NOT_FOUND"
