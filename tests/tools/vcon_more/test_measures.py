"""Measures of vcon_aggregate: what a call does not tell is unknown, not zero."""

from datetime import timedelta

import pytest

from tests.conftest import Call
from tests.vcon.said_calls import BEGAN, DISCLOSED, PARTIES, Line, chat, recording, segments
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.word_forms import index_again
from vcontract.runtime.store.vocabulary.people import merge

ASKS: Line = (1, 8, 20, "I want to speak to a manager.")
WHOLE: JsonObject = {"start": BEGAN.isoformat(), "duration": 60}
HOLD: JsonObject = {
    "events": [
        {"type": kind, "time": (BEGAN + timedelta(seconds=at)).isoformat(), "party": 1}
        for kind, at in (("hold", 30), ("unhold", 42), ("blind-transfer", 50))
    ]
}
CALLS: list[tuple[JsonObject, JsonObject]] = [
    (recording("asks", segments(DISCLOSED, ASKS), **WHOLE) | HOLD, {"team": "red", "csat": 2}),
    (chat("chats", [(0, 0, 10, "Hello."), (1, 8, 2, "Bye.")]), {"team": "red", "csat": "4.5"}),
    (recording("no words", None, **WHOLE), {"team": "blue", "csat": "none"}),
    (recording("no times", segments(DISCLOSED, timed=False)), {"team": "blue"}),
]
OF_CALLS = ("handle_seconds", "talk_seconds", "longest_turn_seconds", "silence_seconds", "overlaps")


@pytest.fixture
async def calls(call: Call) -> Call:
    for vcon, tags in CALLS:
        created = await call(
            "create_vcon", vcon_data=vcon, metadata={"tags": tags}, validate_before_insert=False
        )
        assert created["success"], created
    return call


def known(name: str, count: int, unknown: int, *figures: float) -> JsonObject:
    return {"name": name, "known": count, "unknown": unknown} | dict(
        zip(("total", "mean", "median"), figures, strict=False)
    )


def share(count: int, unknown: int, *figures: float) -> JsonObject:
    return {"name": "talk_share", "known": count, "unknown": unknown} | dict(
        zip(("mean", "median", "share"), figures, strict=False)
    )


async def measured(call: Call, by: str, *measures: str, **arguments: object) -> dict[str, list[JsonObject]]:
    """Measures of each group, and with the key "" of all."""
    answer = await call("vcon_aggregate", group_by=[by], measures=[*measures], **arguments)
    assert answer["success"], answer
    groups = {group["key"][-1]: group["measures"] for group in answer["groups"]}
    return groups | ({"": answer["measures"]} if "measures" in answer else {})


RED = [
    known("handle_seconds", 2, 0, 70, 35, 35),
    known("talk_seconds", 2, 0, 37, 18.5, 18.5),
    known("longest_turn_seconds", 2, 0, 30, 15, 15),
    known("silence_seconds", 2, 0, 35, 17.5, 17.5),
    known("overlaps", 2, 0, 1, 0.5, 0.5),
]


async def test_groups_have_measures_of_calls_and_unknown_ones_are_counted_apart(calls: Call) -> None:
    found = await measured(calls, "tag:team", *OF_CALLS)

    nothing = [known(name, 0, 2) for name in OF_CALLS[1:]]
    assert found["red"] == RED
    assert found["blue"] == [known("handle_seconds", 1, 1, 60, 60, 60), *nothing]
    assert found[""][0] == known("handle_seconds", 3, 1, 130, 43.333, 60)


async def test_holds_and_transfers_are_known_of_calls_that_record_events(calls: Call) -> None:
    found = await measured(calls, "month", "hold_seconds", "transfers")

    assert found == {
        key: [known("hold_seconds", 1, 3, 12, 12, 12), known("transfers", 1, 3, 1, 1, 1)]
        for key in ("", "2026-11")
    }


async def test_numbers_in_tags_are_measured_and_other_values_are_unknown(calls: Call) -> None:
    found = await measured(calls, "tag:team", "tag:csat")

    assert found == {
        "red": [known("tag:csat", 2, 0, 6.5, 3.25, 3.25)],
        "blue": [known("tag:csat", 0, 2)],
        "": [known("tag:csat", 2, 2, 6.5, 3.25, 3.25)],
    }


AGENT = [known("talk_seconds", 2, 2, 15, 7.5, 7.5), share(2, 2, 0.5167, 0.5167, 0.4054)]
CUSTOMER = [known("talk_seconds", 2, 2, 22, 11, 11), share(2, 2, 0.4833, 0.4833, 0.5946)]


@pytest.mark.parametrize(
    ("by", "agent", "customer", "without"),
    [
        ("role", "agent", "customer", 2),
        ("party", "ann lee", "bob ray", 2),
        ("speaker", "ann lee", "bob ray", 1),
    ],
)
async def test_talk_by_role_party_or_speaker_is_their_own(
    calls: Call, by: str, agent: str, customer: str, without: int
) -> None:
    found = await measured(calls, by, "talk_seconds", "talk_share", "longest_turn_seconds")

    assert found[""] == [
        known("talk_seconds", 2, 2, 37, 18.5, 18.5),
        known("longest_turn_seconds", 2, 2, 30, 15, 15),
    ]
    # of those who speak, a call in which nobody speaks is not counted as unknown
    talk_of = {agent: AGENT, customer: CUSTOMER}
    for key, expected in talk_of.items():
        assert [{**entry, "unknown": 2} for entry in found[key][:2]] == expected, key
    assert found[agent][0]["unknown"] == without
    assert found[customer][2]["median"] == 11


async def test_talk_of_a_person_under_two_names_is_of_one(calls: Call, app: App, tenant: str) -> None:
    other = chat("other name", [(0, 0, 6, "Hello.")])
    other["parties"] = [{"name": "A. Lee", "role": "agent"}, other["parties"][1]]
    await calls("create_vcon", vcon_data=other, validate_before_insert=False)
    async with app.database.writing(tenant) as connection:
        await merge(connection, tenant, [["Ann Lee", "A. Lee"]])

    for by in ("party", "speaker"):
        found = await measured(calls, by, "talk_seconds")
        assert found["ann lee"][0]["total"] == 21, by


async def test_measures_follow_a_conversation_that_changes(calls: Call) -> None:
    red = {"filters": {"tags": {"team": "red"}}}
    listed = await calls("vcon_search", mode="metadata", filters={"subject": "chats"})
    [added] = chat("", [(1, 30, 5, "A refund please.")])["dialog"]
    await calls("add_dialog", vcon_uuid=listed["items"][0]["id"], dialog=added)
    found = await measured(calls, "month", "talk_seconds", "handle_seconds", **red)
    assert found[""] == [
        known("talk_seconds", 2, 0, 42, 21, 21),
        known("handle_seconds", 2, 0, 95, 47.5, 47.5),
    ]

    await calls("delete_vcon", uuid=listed["items"][0]["id"], confirm=True)
    found = await measured(calls, "role", "talk_seconds", **red)
    assert found[""] == [known("talk_seconds", 1, 0, 25, 25, 25)]


async def test_measures_of_stored_calls_are_filled_in_the_background_and_unknown_until_then(
    calls: Call, tenant: str, owner: OwnerConnection, database: Database
) -> None:
    await owner.execute(
        "update vcontract.search_document set talk_seconds = null, silence_seconds = null where tenant = $1",
        tenant,
    )
    await owner.execute(
        "insert into vcontract.word_task select tenant, 'turns', uuid from vcontract.vcon where tenant = $1",
        tenant,
    )
    assert (await measured(calls, "month", "talk_seconds"))[""] == [known("talk_seconds", 0, 4)]

    await index_again(database)

    assert (await measured(calls, "month", *OF_CALLS, filters={"tags": {"team": "red"}}))[""] == RED


@pytest.mark.parametrize(
    ("measures", "reason"),
    [
        (["talk_time"], "unknown_value"),
        (["overlaps", "overlaps"], "repeated_value"),
        (["talk_share"], "not_together"),
        (["times_said"], "not_together"),
        (["share"], "not_together"),
        (["analysis:"], "unknown_value"),
        (["repeats:0"], "unknown_value"),
        (["tag:nothing"], "unknown_tag_key"),
        (["tag:"], "bad_tag_key"),
    ],
)
async def test_a_measure_that_is_none_is_rejected(calls: Call, measures: list[str], reason: str) -> None:
    answer = await calls("vcon_aggregate", group_by=["month"], measures=measures)

    assert answer["details"]["reason"] == reason
    assert answer["details"]["parameter"] == "measures"


MANAGER: JsonObject = {"any": ["speak to a manager"]}


async def test_share_is_of_the_calls_whose_answer_is_known(
    calls: Call,
) -> None:
    of_all = {"name": "share", "known": 3, "unknown": 1, "total": 1, "mean": 0.3333}
    of_red = {"name": "share", "known": 2, "unknown": 0, "total": 1, "mean": 0.5}
    found = await measured(calls, "tag:team", "share", filters={"said": MANAGER})
    assert found == {"red": [of_red], "": [of_all]}

    found = await measured(calls, "tag:team", "share", filters={"not_said": MANAGER})
    of_blue = {"name": "share", "known": 1, "unknown": 1, "total": 1, "mean": 1}
    assert found == {"red": [of_red], "blue": [of_blue], "": [of_all | {"total": 2, "mean": 0.6667}]}


async def test_times_said_counts_turns_and_those_of_a_role_or_speaker(call: Call) -> None:
    lines: list[Line] = [(0, 0, 5, "A refund?"), (1, 9, 5, "Yes, a refund."), (1, 20, 5, "My refund!")]
    for vcon in (
        chat("asks", lines),
        chat("asks late", [(0, 0, 5, "Hello."), (1, 9, 5, "Refund."), (1, 90, 5, "Refund me.")]),
        recording("nobody known", {"segments": [{"start": 0, "end": 5, "text": "A refund."}]}, **WHOLE),
    ):
        await call("create_vcon", vcon_data=vcon, validate_before_insert=False)

    refund: JsonObject = {"filters": {"said": {"any": ["refund"]}}}
    for by, customer, agent, without in (
        ("role", "customer", "agent", 1),
        ("speaker", "bob ray", "ann lee", 0),
    ):
        found = await measured(call, by, "times_said", **refund)
        assert found == {
            "": [known("times_said", 3, 0, 6, 2, 2)],
            customer: [known("times_said", 2, without, 4, 2, 2)],
            agent: [known("times_said", 2, without, 1, 0.5, 0.5)],
        }, by
    early: JsonObject = {"any": ["refund"], "by": {"role": "customer"}, "within": {"first_seconds": 60}}
    found = await measured(call, "month", "times_said", filters={"said": early})
    assert found[""] == [known("times_said", 2, 0, 3, 1.5, 1.5)]


async def test_numbers_in_analyses_are_measured_wherever_json_has_them(call: Call) -> None:
    bodies: list[object] = [
        {"score": 1, "by": [{"agent": 0.5}]},
        '{"score": 4}',
        {"score": "5"},
        "score: 6",
        {"score": True},
        '{"score": "\\u0000"}',
        {"score": 10**400},
    ]
    for body in bodies:
        vcon = chat("", [(0, 0, 5, "Hello.")])
        analysis: JsonObject = {"type": "sentiment", "vendor": "ear", "encoding": "json", "body": body}
        vcon["analysis"] = [analysis, {**analysis, "body": {"score": 3}}] if body == bodies[0] else [analysis]
        await call("create_vcon", vcon_data=vcon, validate_before_insert=False)

    found = await measured(call, "month", "analysis:sentiment.score", "analysis:sentiment.by.0.agent")

    assert found[""] == [
        known("analysis:sentiment.score", 2, 5, 6, 3, 3),
        known("analysis:sentiment.by.0.agent", 1, 6, 0.5, 0.5, 0.5),
    ]


EVE: JsonObject = {"name": "Eve", "role": "customer"}
CONTACTS: list[tuple[str, float, list[JsonObject]]] = [
    # name, day, parties
    ("by number", 0, [PARTIES[0], EVE | {"tel": "+1 212-555-0100"}]),
    ("by number again", 6.9, [PARTIES[0], EVE | {"name": "E.", "tel": "tel:+12125550100"}]),
    ("by number late", 14, [EVE | {"tel": "+12125550100"}]),
    ("by address", 1, [EVE | {"name": "Ivy", "mailto": "mailto:Ivy@example.org"}]),
    ("by address again", 3, [EVE | {"name": "I", "mailto": "ivy@example.org"}]),
    ("by address at the same time", 3, [EVE | {"mailto": "ivy@example.org"}]),
    ("one person", 20, [EVE | {"name": "Joan Roe"}]),
    ("one person again", 22, [EVE | {"name": "J. Roe"}]),
    ("agents alone", 30, [PARTIES[0] | {"tel": "+1555"}, EVE | {"tel": "+1999"}]),
    ("agents alone again", 31, [PARTIES[0] | {"tel": "+1555"}, EVE | {"tel": "+1998"}]),
    ("a name alone", 40, [EVE]),
    ("a name alone again", 41, [EVE]),
]
AGAIN = {"by number again", "by address again", "by address at the same time", "one person again"}


@pytest.fixture
async def contacts(call: Call, app: App, tenant: str) -> Call:
    for subject, day, parties in CONTACTS:
        vcon = chat(subject, [(0, 0, 5, "Hello.")]) | {"parties": parties}
        vcon["dialog"][0]["start"] = (BEGAN + timedelta(days=day)).isoformat()
        await call("create_vcon", vcon_data=vcon, validate_before_insert=False)
    async with app.database.writing(tenant) as connection:
        await merge(connection, tenant, [["Joan Roe", "J. Roe"]])
    return call


async def test_repeated_contacts_are_found_by_number_address_and_person_but_not_by_agents(
    contacts: Call,
) -> None:
    for days, expected in ((7, AGAIN), (8, {*AGAIN, "by number late"}), (1, set[str]())):
        filters: JsonObject = {"repeat_within_days": days}
        answer = await contacts("vcon_search", mode="metadata", filters=filters, limit=50)
        assert {item["subject"] for item in answer["items"]} == expected, days
        counted = await contacts("vcon_aggregate", group_by=["role"], filters=filters)
        assert counted["vcons"] == len(expected)


async def test_the_measure_repeats_is_unknown_without_a_number_address_or_person(contacts: Call) -> None:
    found = await measured(contacts, "month", "repeats", "repeats:8")

    assert found[""] == [
        {"name": "repeats", "known": 10, "unknown": 2, "total": 4, "mean": 0.4},
        {"name": "repeats:8", "known": 10, "unknown": 2, "total": 5, "mean": 0.5},
    ]


async def test_a_redacted_version_repeats_nothing(contacts: Call) -> None:
    parties = [EVE | {"tel": "+4420"}]
    vcon = chat("alone", [(0, 0, 5, "Secret.")]) | {"parties": parties}
    created = await contacts("create_vcon", vcon_data=vcon, validate_before_insert=False)
    await contacts("redact_vcon", vcon_uuid=created["uuid"], words=["Secret"])
    filters: JsonObject = {"repeat_within_days": 366, "party_tel": "4420", "versions": "all"}
    assert (await contacts("vcon_aggregate", group_by=["month"], filters=filters))["vcons"] == 0
