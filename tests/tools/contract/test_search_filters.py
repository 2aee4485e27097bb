"""vcon_search: each filter holds in every mode, and an answer of none says what is near."""

from pathlib import Path

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import CallAs, Embed, Store, StoreFor
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

MODES: list[JsonObject] = [
    {"mode": "metadata"},
    {"mode": "keyword", "query": "refund"},
    {"mode": "semantic", "query": "refund request", "threshold": 0},
    {"mode": "hybrid", "query": "refund request"},
]
EACH_MODE = pytest.mark.parametrize("mode", MODES, ids=[str(mode["mode"]) for mode in MODES])
COUNTING = ("metadata", "keyword")
CORPUS = "filtered"


def conversation(number: int, **members: object) -> JsonObject:
    """One of the hundred that match both modes."""
    return {
        "subject": "Refund request",
        "created_at": f"2025-06-{number % 28 + 1:02}T12:00:00Z",
        "parties": [{"name": "Alex", "tel": f"+1-555-{number:04}"}],
        **members,
    }


def dealer(id_: object, name: str) -> JsonObject:
    body = {"id": id_, "name": name}
    return {"purpose": "strolid_dealer", "encoding": "json", "mediatype": "application/json", "body": body}


# Each filter, and what the four vCons that it fits have and no other has.
FILTERS: list[tuple[JsonObject, JsonObject]] = [
    ({"subject": "ÉCLAIR 100%"}, {"subject": "Refund for an eclair 100% stale"}),
    ({"party_name": "o'brien_"}, {"parties": [{"name": "Pat O'Brien_Smith"}]}),
    ({"party_email": "mailto:PAT@"}, {"parties": [{"mailto": "mailto:pat@example.com"}]}),
    ({"party_tel": "(303) 444-5"}, {"parties": [{"tel": "tel:+1-303-444-5555"}]}),
    ({"start_date": "2025-09-01"}, {"created_at": "2025-09-01T00:00:00Z"}),
    ({"end_date": "2025-01-31"}, {"created_at": "2025-01-31T23:59:59.999999Z"}),
    ({"dealer_id": "815"}, {"attachments": [dealer(815, "First")]}),
    ({"dealer_name": "IRON h"}, {"attachments": [dealer("x1", "The Iron Horse")]}),
    (
        {"version_of": "0190AAAA-0000-8000-8000-000000000001"},
        {"amended": {"uuid": "0190aaaa-0000-8000-8000-000000000001"}},
    ),
    ({"tags": {"department": "sales", "level": 2}}, {"tags": {"department": "sales", "level": 2}}),
]


@pytest.fixture(scope="module")
async def fitting(store_for: StoreFor, app: App) -> list[set[str]]:
    """A hundred vCons; for each filter the uuids of the four that it fits."""
    hundred = [conversation(number) for number in range(100)]
    for index, (_, members) in enumerate(FILTERS):
        for number in range(index * 4, index * 4 + 4):
            hundred[number] = conversation(number, **members)
    # near misses: one tag without the other
    hundred[96] = conversation(96, tags={"department": "sales"})
    hundred[97] = conversation(97, tags={"department": "service", "level": 2})
    uuids = await store_for(CORPUS, hundred)
    await app.worker.drain(CORPUS)
    return [set(uuids[index * 4 : index * 4 + 4]) for index in range(len(FILTERS))]


@EACH_MODE
async def test_a_hundred_match_the_mode(fitting: list[set[str]], call_as: CallAs, mode: JsonObject) -> None:
    answer = await call_as(CORPUS)("vcon_search", **mode, limit=100)

    assert len({item["id"] for item in answer["items"]}) == 100
    assert answer["page"].get("total") == (100 if mode["mode"] in COUNTING else None)
    assert {id_ for four in fitting for id_ in four} < {item["id"] for item in answer["items"]}


@EACH_MODE
@pytest.mark.parametrize("index", range(len(FILTERS)), ids=[next(iter(given)) for given, _ in FILTERS])
async def test_a_filter_alone_leaves_exactly_the_four_that_it_fits(
    fitting: list[set[str]], call_as: CallAs, mode: JsonObject, index: int
) -> None:
    given = FILTERS[index][0]

    answer = await call_as(CORPUS)("vcon_search", **mode, filters=given)

    assert {item["id"] for item in answer["items"]} == fitting[index]
    assert len(answer["items"]) == answer["page"]["count"] == 4
    assert answer["page"].get("total") == (4 if mode["mode"] in COUNTING else None)
    assert answer["page"]["next_cursor"] is None
    assert answer["meta"]["filters"] == given


@EACH_MODE
async def test_filters_combine_by_and(fitting: list[set[str]], call_as: CallAs, mode: JsonObject) -> None:
    both = {**FILTERS[0][0], "dealer_id": "815"}
    window = {"start_date": "2025-06-01", "end_date": "2025-06-30", **FILTERS[1][0]}

    assert (await call_as(CORPUS)("vcon_search", **mode, filters=both))["items"] == []
    found = await call_as(CORPUS)("vcon_search", **mode, filters=window)
    assert {item["id"] for item in found["items"]} == fitting[1]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"start_date": "2025-10-14"}, "BC D"),
        ({"end_date": "2025-10-14"}, "ABC"),
        ({"start_date": "2025-10-14", "end_date": "2025-10-14"}, "BC"),
        ({"start_date": "2025-10-14T23:59:59.999999Z", "end_date": "2025-10-15T00:00:00.000001Z"}, "CD"),
        ({"start_date": "2025-10-14T02:00:00+02:00", "end_date": "2025-10-14T00:00:00.000001Z"}, "B"),
        ({"end_date": "2025-10-14T00:00:00Z"}, "A"),
        ({"start_date": "2025-10-14T00:00", "end_date": "2025-10-14T00:01"}, "B"),
    ],
)
async def test_windows_are_half_open_in_utc_and_a_bare_day_is_the_whole_day(
    call: Call, store: Store, filters: JsonObject, expected: str
) -> None:
    times = {
        "A": "2025-10-13T23:59:59.999999Z",
        "B": "2025-10-14T02:00:00+02:00",
        "C": "2025-10-14T23:59:59.999999Z",
        "D": "2025-10-15T00:00:00Z",
    }
    await store([conversation(1, subject=name, created_at=time) for name, time in times.items()])

    answer = await call("vcon_search", mode="metadata", filters=filters, include=["core"])

    assert {item["subject"] for item in answer["items"]} == set(expected) - {" "}


async def test_the_answer_shows_the_instants_of_its_window(call: Call) -> None:
    filters = {"start_date": "2025-10-14", "end_date": "2025-10-14"}
    both = await call("vcon_search", mode="metadata", filters=filters)
    one = await call("vcon_search", mode="metadata", filters={"start_date": "2025-10-14T12:00:00+02:00"})
    none = await call("vcon_search", mode="metadata")

    assert both["meta"]["window"] == {"from": "2025-10-14T00:00:00Z", "to": "2025-10-15T00:00:00Z"}
    assert one["meta"]["window"] == {"from": "2025-10-14T10:00:00Z"}
    assert "window" not in none["meta"]


@EACH_MODE
async def test_a_tag_key_that_nobody_has_is_ambiguous_and_the_nearest_comes_first(
    call: Call, store: Store, embed: Embed, mode: JsonObject
) -> None:
    await store(
        [
            conversation(1, tags={"department": "sales", "depth": "low"}),
            conversation(2, tags={"department": "service", "color": "red"}),
        ]
    )
    await embed()

    answer = await call("vcon_search", **mode, filters={"tags": {"deparment": "sales"}})
    details: JsonObject = answer["error"]["details"]
    followed = await call("vcon_search", **mode, **details["suggestion"])

    assert answer["error"]["code"] == "AMBIGUOUS_QUERY"
    assert (details["reason"], details["key"]) == ("unknown_tag_key", "deparment")
    assert details["nearest"][0] == {"key": "department", "count": 2}
    assert len(details["nearest"]) <= 5
    assert details["suggestion"] == {"filters": {"tags": {"department": "sales"}}}
    assert len(followed["items"]) == 1


async def test_no_key_is_suggested_that_looks_like_none(call: Call, store: Store) -> None:
    await store([conversation(1, tags={f"key{n}": "sales" for n in range(7)})])

    answer = await call("vcon_search", mode="metadata", filters={"tags": {"zzz": "sales"}})
    details: JsonObject = answer["error"]["details"]
    followed = await call(details["suggestion"]["tool"], **details["suggestion"]["arguments"])

    assert (details["reason"], details["key"]) == ("unknown_tag_key", "zzz")
    assert len(details["nearest"]) == 5
    assert [entry["key"] for entry in followed["item"]["common_tag_keys"]] == [f"key{n}" for n in range(7)]


@EACH_MODE
async def test_a_tag_value_that_was_not_seen_is_an_empty_page_with_a_hint(
    call: Call, store: Store, embed: Embed, mode: JsonObject
) -> None:
    await store([conversation(1, tags={"department": value}) for value in ("sales", "sales", "service")])
    await embed()

    answer = await call("vcon_search", **mode, filters={"tags": {"department": "slaes"}})

    assert answer["items"] == []
    total = {"total": 0} if mode["mode"] in COUNTING else {}
    assert answer["page"] == {"next_cursor": None, "count": 0, "has_more": False, **total}
    (hint,) = answer["meta"]["hints"]
    assert hint["reason"] == "value_not_seen"
    assert "department" in hint["filter"]
    assert hint["nearest"][0] == {"value": "sales", "count": 2}


async def test_a_value_outside_a_declared_vocabulary_is_ambiguous_and_the_accepted_are_told(
    settings: Settings, store: Store, tenant: str, app: App, tmp_path: Path
) -> None:
    await store([conversation(1, tags={"department": "sales", "color": "red"})])
    declared = tmp_path / "vocabulary.yaml"
    declared.write_text("tags: {department: [sales, service], team: [1, 2]}", encoding="utf-8")
    built = await build(settings.model_copy(update={"vocabulary": declared, "rate_limits": None}))

    async def search(tags: JsonObject) -> JsonObject:
        arguments = {"mode": "metadata", "filters": {"tags": tags}}
        return (
            await built.dispatcher.call("vcon_search", arguments, Caller(tenant, app.caller.scopes))
        ).structured

    try:
        refused = await search({"department": "slaes"})
        followed = await search(refused["error"]["details"]["suggestion"]["filters"]["tags"])
        far = await search({"team": "blue"})
        unused = await search({"team": 2})
        of_open_key = await search({"color": "blue"})
        misspelled = await search({"taem": 2})
    finally:
        await built.close()

    assert refused["error"]["code"] == "AMBIGUOUS_QUERY"
    assert refused["error"]["details"] == {
        "reason": "unknown_tag_value",
        "key": "department",
        "value": "slaes",
        "accepted": ["sales", "service"],
        "suggestion": {"filters": {"tags": {"department": "sales"}}},
    }
    assert len(followed["items"]) == 1
    assert far["error"]["details"]["accepted"] == ["1", "2"]
    # a declared value, and any value of an open key, may have no vCon yet
    assert unused["ok"]
    assert of_open_key["ok"]
    # a declared key is near its misspelling, used or not
    assert misspelled["error"]["details"]["nearest"][0] == {"key": "team", "count": 0}
    assert misspelled["error"]["details"]["suggestion"] == {"filters": {"tags": {"team": 2}}}


async def test_without_any_tags_in_the_corpus_every_tag_key_is_unknown(call: Call, store: Store) -> None:
    await store([conversation(1)])

    answer = await call("vcon_search", mode="metadata", filters={"tags": {"deparment": "sales"}})

    assert answer["error"]["code"] == "AMBIGUOUS_QUERY"
    assert answer["error"]["details"]["reason"] == "unknown_tag_key"
    assert answer["error"]["details"]["nearest"] == []


@pytest.mark.parametrize(
    ("name", "filter_", "found"),
    [
        ("Jane Doe", "Doe, Jane", True),
        ("Doe, Jane", "jane doe", True),
        ("Doe,Jane", "jane doe", True),
        ("Jürgen Müller", "Muller Jurgen", True),
        ("O’Brien", "o'brien", True),
        ("O'Brien", "O’BRIEN", True),
        ("Mary O`Neil", "o’neil mary", True),
        ("Jane Doe", "ane do", False),
        ("Jane Doe", "jan* do*", True),
        ("Leeanne Hanley", "ann lee", False),
        ("OxBrien", "o'brien", False),
        ("Jane Doe", "Jane Roe", False),
    ],
)
async def test_a_name_is_found_in_any_order_and_with_any_apostrophe(
    call: Call, store: Store, name: str, filter_: str, found: bool
) -> None:
    await store([{"created_at": "2025-06-01T00:00:00Z", "parties": [{"name": name}]}])

    answer = await call("vcon_search", mode="metadata", filters={"party_name": filter_})

    assert len(answer["items"]) == found


@pytest.mark.parametrize("stored", ["Käufer", "KA\u0308UFER", "Ｋäu\u00adfer", "kaufer"])
@pytest.mark.parametrize("asked", ["Käufer", "Ka\u0308ufer", "KÄUFER", "kaufer"])
async def test_a_role_is_found_however_its_letters_are_written(
    call: Call, store: Store, stored: str, asked: str
) -> None:
    await store([{"parties": [{"role": role}], "subject": role} for role in (stored, "Käuferin")])

    page = await call("vcon_search", mode="metadata", filters={"party_role": asked}, include=["core"])

    assert [item["subject"] for item in page["items"]] == [stored]


@pytest.mark.parametrize("length", [255, 256, 600])
async def test_a_role_is_found_however_long_it_is(call: Call, store: Store, length: int) -> None:
    long = "Käufer".ljust(length, "x")
    await store([{"parties": [{"role": role}]} for role in (long, long[:-1] + "y")])

    page = await call("vcon_search", mode="metadata", filters={"party_role": long.upper()})

    assert len(page["items"]) == 1


async def test_an_empty_store_is_said_to_be_one(call: Call) -> None:
    answer = await call("vcon_search", mode="metadata")

    assert answer["items"] == []
    assert answer["meta"]["hints"] == [{"reason": "nothing_stored", "message": "Nothing is stored yet."}]


@pytest.mark.parametrize(
    ("filters", "hints"),
    [
        (
            {"start_date": "2030-01-01"},
            [("no_vcons_of_that_time", "start_date")],
        ),
        (
            {"end_date": "1999-01-01"},
            [("no_vcons_of_that_time", "end_date")],
        ),
        ({"party_name": "Reed, Glenn"}, [("value_not_seen", "party_name")]),
        ({"subject": "parcel"}, [("value_not_seen", "subject")]),
        (
            {"party_role": "agent", "party_tel": "999"},
            [("value_not_seen", "party_tel"), ("value_not_seen", "party_role")],
        ),
        ({"analysis_type": "wtf"}, [("value_not_seen", "analysis_type")]),
        ({"subject": "one", "party_name": "Ann"}, [("demands_never_together", None)]),
    ],
)
async def test_an_empty_page_says_why_nothing_is_there(
    call: Call, store: Store, filters: JsonObject, hints: list[tuple[str, str | None]]
) -> None:
    await store(
        [
            {"created_at": "2025-06-01T00:00:00Z", "subject": "One", "parties": [{"name": "Gloria Reed"}]},
            {
                "created_at": "2025-07-01T00:00:00Z",
                "subject": "Two",
                "parties": [{"name": "Ann", "tel": "+15551"}],
            },
        ]
    )

    answer = await call("vcon_search", mode="metadata", filters=filters)

    assert answer["items"] == []
    assert [(hint["reason"], hint.get("filter")) for hint in answer["meta"]["hints"]] == hints
    stored = {"first": "2025-06-01T00:00:00Z", "last": "2025-07-01T00:00:00Z"}
    dated = [hint for hint in answer["meta"]["hints"] if hint["reason"] == "no_vcons_of_that_time"]
    assert all(hint["nearest"] == [stored] for hint in dated)


HEATHER: JsonObject = {
    "subject": "Refund for order 19873",
    "parties": [{"name": "Heather Parker", "mailto": "heather.parker@gmail.com", "tel": "+1 561 555 0199"}],
    "attachments": [{"purpose": "strolid_dealer", "body": {"id": "1100", "name": "RT 6 Boozers"}}],
}
IRON: JsonObject = {
    "subject": "Opening hours",
    "parties": [{"name": "Ann Bo", "mailto": "ann@example.org", "tel": "+49 30 1234"}],
    "attachments": [{"purpose": "strolid_dealer", "body": {"id": "7", "name": "Iron Horse Motors"}}],
}


@pytest.mark.parametrize(
    ("filter_", "value", "near"),
    [
        ("party_name", "Hether Parker", "Heather Parker"),
        ("party_email", "heather.parker@gmial.com", "heather.parker@gmail.com"),
        ("party_email", "<heather.parker@gmail.com>", "heather.parker@gmail.com"),
        ("subject", "Refnd", "Refund for order 19873"),
        ("party_tel", "+1 561 555 0199 ext. 5", "+1 561 555 0199"),
        ("party_tel", "001 561 555 0199", "+1 561 555 0199"),
        ("dealer_name", "bozers", "RT 6 Boozers"),
    ],
)
async def test_a_value_that_nobody_has_is_told_with_the_one_that_looks_like_it_first(
    call: Call, store: Store, filter_: str, value: str, near: str
) -> None:
    await store([HEATHER, IRON, IRON])

    answer = await call("vcon_search", mode="metadata", filters={filter_: value})

    (hint,) = answer["meta"]["hints"]
    first = hint["nearest"][0]
    assert near in (first.get("value"), first.get("name"))
    assert hint["message"].startswith(f"No conversation matches {filter_} ")
    assert f'Near it: "{near}"' in hint["message"]


@EACH_MODE
async def test_a_dealer_id_stored_as_a_number_is_found_by_its_text(
    call: Call, store: Store, embed: Embed, mode: JsonObject
) -> None:
    ids = await store(
        [conversation(n, attachments=[dealer(id_, "D")]) for n, id_ in enumerate((815, 8150, "81"))]
    )
    await embed()

    answer = await call("vcon_search", **mode, filters={"dealer_id": "815"}, include=["dealer"])

    assert [item["id"] for item in answer["items"]] == [ids[0]]
    assert answer["items"][0]["dealer"]["id"] == "815"


@EACH_MODE
async def test_a_dealer_name_that_fits_two_searches_both_and_names_them(
    call: Call, store: Store, embed: Embed, mode: JsonObject
) -> None:
    names = [
        ("1", "Iron Horse"),
        ("1", "Iron Horse"),
        ("2", "HORSE & Sons"),
        ("3", "Cow"),
        ("4", "100% Horses"),
    ]
    await store([conversation(n, attachments=[dealer(*pair)]) for n, pair in enumerate(names)])
    await embed()

    horses = await call("vcon_search", **mode, filters={"dealer_name": "horse"})
    percent = await call("vcon_search", **mode, filters={"dealer_name": "%"})
    underscore = await call("vcon_search", **mode, filters={"dealer_name": "_"})
    first_page = await call("vcon_search", **mode, filters={"dealer_name": "horse"}, limit=1)

    assert horses["page"]["count"] == 4
    assert horses["meta"]["dealers"] == first_page["meta"]["dealers"]
    assert horses["meta"]["dealers"] == [
        {"id": "1", "name": "Iron Horse", "count": 2},
        {"id": "2", "name": "HORSE & Sons", "count": 1},
        {"id": "4", "name": "100% Horses", "count": 1},
    ]
    assert percent["meta"]["dealers"] == [{"id": "4", "name": "100% Horses", "count": 1}]
    assert len(percent["items"]) == 1
    assert underscore["items"] == []


async def test_of_many_dealers_that_a_name_fits_twenty_are_named_and_all_are_searched(
    call: Call, store: Store
) -> None:
    await store([conversation(n, attachments=[dealer(str(n), f"Horse {n}")]) for n in range(21)])

    answer = await call("vcon_search", mode="metadata", filters={"dealer_name": "horse"})

    assert answer["page"]["total"] == 21
    assert len(answer["meta"]["dealers"]) == 20


@pytest.mark.parametrize(
    ("filters", "nearest"),
    [
        ({"dealer_id": "8155"}, {"id": "815", "name": "Iron Horse", "count": 1}),
        ({"dealer_name": "iron hrose"}, {"id": "815", "name": "Iron Horse", "count": 1}),
    ],
)
async def test_an_unknown_dealer_is_an_empty_page_with_the_nearest(
    call: Call, store: Store, filters: JsonObject, nearest: JsonObject
) -> None:
    await store([conversation(1, attachments=[dealer(815, "Iron Horse")])])

    answer = await call("vcon_search", mode="metadata", filters=filters)

    (hint,) = answer["meta"]["hints"]
    assert answer["items"] == []
    assert (hint["filter"], hint["reason"]) == (next(iter(filters)), "dealer_not_seen")
    assert hint["nearest"] == [nearest]


async def test_a_dealer_with_several_names_is_named_and_counted_by_each(call: Call, store: Store) -> None:
    names = ["RT 6 Boozers", "RT 6 Boozers", "Barn Hides", "Aging Boozers"]
    await store([conversation(n, attachments=[dealer(1100, name)]) for n, name in enumerate(names)])
    await store([conversation(9, attachments=[dealer(7, "Iron Horse")])])

    found = await call("vcon_search", mode="metadata", filters={"dealer_name": "boozers"})
    misspelled = await call("vcon_search", mode="metadata", filters={"dealer_name": "RT 6 Bozers"})
    unknown = await call("vcon_search", mode="metadata", filters={"dealer_id": "11"})
    counted = await call("vcon_graph_shape", node_types=["dealer"])

    names_of_1100 = "RT 6 Boozers (2), Aging Boozers (1), Barn Hides (1)"
    dealers: list[JsonObject] = found["meta"]["dealers"]
    assert dealers == [
        {"id": "1100", "name": "RT 6 Boozers", "count": 2},
        {"id": "1100", "name": "Aging Boozers", "count": 1},
    ]
    assert sum(one["count"] for one in dealers) == found["page"]["total"]
    assert misspelled["meta"]["hints"][0]["nearest"][0] == dealers[0]
    assert unknown["meta"]["hints"][0]["nearest"][0] == {"id": "1100", "name": names_of_1100, "count": 4}
    assert 'Near it: "1100", "7".' in unknown["meta"]["hints"][0]["message"]
    assert counted["item"]["nodes"][0] == {
        "id": "dealer:1100",
        "type": "dealer",
        "label": names_of_1100,
        "count": 4,
    }


async def test_two_dealer_attachments_on_one_vcon_are_one_item(call: Call, store: Store) -> None:
    await store([conversation(1, attachments=[dealer(815, "Iron Horse"), dealer(815, "Iron Horse")])])

    answer = await call("vcon_search", mode="metadata", filters={"dealer_name": "iron"})

    assert answer["page"]["total"] == 1
    assert answer["meta"]["dealers"] == [{"id": "815", "name": "Iron Horse", "count": 1}]


async def test_a_broken_dealer_body_disturbs_no_search(call: Call, store: Store) -> None:
    broken = {"purpose": "strolid_dealer", "encoding": "json", "body": '{"id": 815, '}
    ids = await store(
        [conversation(1, attachments=[broken]), conversation(2, attachments=[dealer(815, "D")])]
    )

    answer = await call("vcon_search", mode="metadata", filters={"dealer_id": "815"})
    everything = await call("vcon_search", mode="keyword", query="refund", include=["dealer"])

    assert [item["id"] for item in answer["items"]] == [ids[1]]
    assert {item["id"]: item["dealer"] and item["dealer"]["id"] for item in everything["items"]} == {
        ids[0]: None,
        ids[1]: "815",
    }


async def test_no_filter_lists_the_newest_first_and_equal_times_by_uuid(call: Call, store: Store) -> None:
    ids = await store(
        [conversation(n, created_at=f"2025-06-{day:02}T00:00:00Z") for n, day in enumerate((3, 1, 2, 3, 3))]
    )

    answer = await call("vcon_search", mode="metadata")
    empty = await call("vcon_search", mode="metadata", filters={})

    listed = [item["id"] for item in answer["items"]]
    assert listed == [*sorted((ids[0], ids[3], ids[4]), reverse=True), ids[2], ids[1]]
    assert [item["id"] for item in empty["items"]] == listed
    assert all("score" not in item and "match" not in item for item in answer["items"])
