"""The filters `said` and `not_said`: by phrase, role, name and time, and what cannot be known."""

from datetime import timedelta

import pytest

from tests.conftest import Call
from tests.vcon.said_calls import BEGAN, DISCLOSED, Line, chat, recording, segments
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.word_forms import index_again

ASKS: Line = (1, 70, 6, "I want to speak to a manager, I am cancelling.")
CALLS: dict[str, list[Line]] = {
    "disclosed": [DISCLOSED, (1, 8, 4, "Fine."), ASKS],
    "disclosed late": [(0, 0, 5, "Hello."), (1, 8, 4, "Hi."), (0, 75, 5, "This call is recorded."), ASKS],
    "by the customer": [(0, 0, 5, "Hello."), (1, 8, 4, "I know this call is recorded."), (0, 200, 5, "Bye.")],
    "nothing": [(0, 0, 5, "Hello."), (1, 8, 90, "Speaking of managers, to a degree."), (0, 100, 5, "Bye.")],
}
UNTIMED = {"no times", "no times but of the whole"}
UNKNOWN = {"no words", "no roles", *UNTIMED}


@pytest.fixture
async def calls(call: Call) -> Call:
    whole = {"start": BEGAN.isoformat(), "duration": 120}
    for vcon in (
        *(chat(subject, lines) for subject, lines in CALLS.items()),
        recording("transcribed", segments(DISCLOSED, ASKS), **whole),
        recording("no words", None, **whole),
        recording("no times", segments((0, 0, 5, "Hello."), timed=False)),
        recording("no times but of the whole", segments((0, 0, 5, "Hello."), timed=False), **whole),
        recording("no roles", segments((0, 0, 5, "Hello."), named=False), **whole),
    ):
        created = await call("create_vcon", vcon_data=vcon, validate_before_insert=False)
        assert created.get("success") or created.get("ok"), created
    return call


RECORDED = ["call is recorded"]
AGENT_FIRST: JsonObject = {"any": RECORDED, "by": {"role": "agent"}, "within": {"first_seconds": 60}}
ALL = {*CALLS, "transcribed", *UNKNOWN}
CASES: list[tuple[JsonObject, set[str], set[str]]] = [
    # the condition, where it was said, and where that is unknown
    ({"any": RECORDED}, {"disclosed", "disclosed late", "by the customer", "transcribed"}, {"no words"}),
    (AGENT_FIRST, {"disclosed", "transcribed"}, UNKNOWN),
    (
        {"any": RECORDED, "by": {"name": "bob"}},
        {"by the customer"},
        {"no words"},
    ),
    ({"any": RECORDED, "by": {"role": "Customer"}}, {"by the customer"}, {"no words", "no roles"}),
    ({"any": ["speak to a manager"]}, {"disclosed", "disclosed late", "transcribed"}, {"no words"}),
    ({"any": ["spoke to a managers", "xyz"]}, {"disclosed", "disclosed late", "transcribed"}, {"no words"}),
    ({"any": ['"cancelling"']}, {"disclosed", "disclosed late", "transcribed"}, {"no words"}),
    ({"any": ['"cancel"']}, set(), {"no words"}),
    ({"all": ["cancel", "recorded"]}, {"disclosed", "disclosed late", "transcribed"}, {"no words"}),
    ({"all": ["cancel", "fine"]}, {"disclosed"}, {"no words"}),
    ({"any": ["cancel"], "all": ["fine"]}, {"disclosed"}, {"no words"}),
    ({"all": ["recorded", "fine"], "by": {"role": "agent"}}, set(), {"no words", "no roles"}),
    (
        {"any": ["bye"], "within": {"last_seconds": 10}},
        {"by the customer", "nothing"},
        {"no words", *UNTIMED},
    ),
    ({"any": ["hello"], "within": {"last_seconds": 30}}, set(), {"no words", *UNTIMED}),
]


async def _found(call: Call, filters: JsonObject) -> tuple[set[str], int]:
    answer = await call("vcon_search", mode="metadata", filters=filters, limit=50)
    assert answer["ok"], answer
    return {item["subject"] for item in answer["items"]}, answer["meta"].get("said_unknown", 0)


async def test_conversations_are_found_by_what_was_said_in_them_and_what_was_not(calls: Call) -> None:
    for said, where, unknown in CASES:
        assert await _found(calls, {"said": said}) == (where, len(unknown)), said
        assert await _found(calls, {"not_said": said}) == (ALL - where - unknown, len(unknown)), said


async def test_what_fails_one_of_two_conditions_is_not_unknown_by_the_other(calls: Call) -> None:
    asked: JsonObject = {"any": ["manager"], "by": {"role": "customer"}}
    nobody: set[str] = set()
    for filters, where, unknown in (
        # known not to ask for a manager: those without times
        ({"said": asked, "not_said": AGENT_FIRST}, {"disclosed late", "nothing"}, {"no words", "no roles"}),
        # known to be disclosed: nothing is asked of them
        ({"said": {"any": ["hello"]}, "not_said": {"any": ["hello"]}}, nobody, {"no words"}),
        ({"said": AGENT_FIRST, "not_said": {"any": ["hello"]}}, nobody, {"no words"}),
    ):
        assert await _found(calls, filters) == (where, len(unknown)), filters


async def test_every_tool_that_counts_takes_the_condition_and_names_what_is_unknown(calls: Call) -> None:
    both: JsonObject = {"filters": {"not_said": AGENT_FIRST}}
    counted = await calls("vcon_aggregate", group_by=["month"], **both)
    assert (counted["vcons"], counted["said_unknown"]) == (3, len(UNKNOWN))

    until = (BEGAN + timedelta(days=40)).date().isoformat()
    trend = await calls(
        "vcon_trends", period="month", periods=3, filters={"not_said": AGENT_FIRST, "end_date": until}
    )
    assert trend["said_unknown"] == len(UNKNOWN)

    shape = await calls("vcon_graph_shape", node_types=["month"], **both)
    corpus = shape["item"]["corpus"]
    assert (corpus["counted"], corpus["said_unknown"]) == (3, len(UNKNOWN))

    topics = await calls("vcon_topics", period="2026-11", **both)
    assert (topics["vcons"] + topics["without_vector"], topics["said_unknown"]) == (3, len(UNKNOWN))

    recalled = await calls(
        "vcon_recall", query="hello", filters={"said": AGENT_FIRST}, kinds=["conversation"]
    )
    assert {item["subject"] for item in recalled["items"]} <= {"disclosed", "transcribed"}
    assert recalled["meta"]["said_unknown"] == len(UNKNOWN)


async def test_a_changed_conversation_is_found_by_what_it_says_now(calls: Call) -> None:
    vcon = chat("grows", [(0, 0, 5, "Hello.")])
    created = await calls("create_vcon", vcon_data=vcon, validate_before_insert=False)
    uuid = created["uuid"]
    assert "grows" in (await _found(calls, {"not_said": {"any": ["refund"]}}))[0]
    greeted_last: JsonObject = {"any": ["hello"], "within": {"last_seconds": 20}}
    assert await _found(calls, {"said": greeted_last}) == ({"grows"}, 1 + len(UNTIMED))

    [added] = chat("", [(1, 30, 5, "A refund please.")])["dialog"]
    answer = await calls("add_dialog", vcon_uuid=uuid, dialog=added)
    assert answer["success"], answer

    assert await _found(calls, {"said": {"any": ["refund"], "by": {"role": "customer"}}}) == ({"grows"}, 2)
    assert await _found(calls, {"said": greeted_last}) == (set(), 1 + len(UNTIMED))
    await calls("delete_vcon", uuid=uuid, confirm=True)
    assert (await _found(calls, {"said": {"any": ["refund"]}}))[0] == set()


async def test_what_was_redacted_is_no_longer_said(call: Call) -> None:
    vcon = chat("card", [(0, 0, 5, "The secret word is Xylophone.")])
    created = await call("create_vcon", vcon_data=vcon, validate_before_insert=False)
    await call("redact_vcon", vcon_uuid=created["uuid"], words=["Xylophone"])

    found = await call(
        "vcon_aggregate", group_by=["month"], filters={"said": {"any": ["xylophone"]}, "versions": "all"}
    )

    assert found["vcons"] == 1, "only the original says it"


async def test_turns_of_stored_conversations_are_filled_in_the_background_and_unknown_before(
    calls: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    await owner.execute("delete from vcontract.turn where tenant = $1", tenant)
    await owner.execute("update vcontract.search_document set turns_known = null where tenant = $1", tenant)
    await owner.execute(
        "insert into vcontract.word_task select tenant, 'turns', uuid from vcontract.vcon where tenant = $1",
        tenant,
    )
    assert await _found(calls, {"not_said": AGENT_FIRST}) == (set(), len(ALL))

    await index_again(database)

    assert await _found(calls, {"said": AGENT_FIRST}) == ({"disclosed", "transcribed"}, len(UNKNOWN))
    bye: JsonObject = {"any": ["bye"], "within": {"last_seconds": 10}}
    assert await _found(calls, {"said": bye}) == ({"by the customer", "nothing"}, 1 + len(UNTIMED))


@pytest.mark.parametrize(
    ("said", "parameter"),
    [
        ({"by": {"role": "agent"}}, "filters.said.any"),
        ({"any": ["…"]}, "filters.said.any"),
        ({"any": ["x"], "by": {"role": "agent", "name": "Ann"}}, "filters.said.by"),
        ({"any": ["x"], "within": {"first_seconds": 1, "last_seconds": 1}}, "filters.said.within"),
        ({"any": ["x"], "within": {"seconds": 1}}, "filters.said.within.seconds"),
    ],
)
async def test_a_condition_that_does_not_fit_is_named(call: Call, said: JsonObject, parameter: str) -> None:
    answer = await call("vcon_search", mode="metadata", filters={"said": said})

    assert answer["ok"] is False
    assert answer["error"]["details"].get("parameter", "").startswith(parameter), answer
