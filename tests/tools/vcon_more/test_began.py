"""When a conversation began: one definition for filters, order, counts, hints, resources and recall."""

from datetime import UTC, datetime

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import Store
from vcontract.runtime.frame.documents.json import JsonObject

DAY = {"start_date": "2025-10-14", "end_date": "2025-10-14"}
TOLD: JsonObject = {
    "type": "text",
    "start": "2025-10-14T23:30:00-02:00",
    "parties": 0,
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "The sofa came late.",
}
LATER = {**TOLD, "start": "2025-10-20T09:00:00Z", "body": "The sofa is here."}


def written_down(dialog: list[JsonObject], **members: object) -> JsonObject:
    return {"subject": "A sofa", "parties": [{"name": "Ann"}], "dialog": dialog, **members}


async def began(call: Call, uuid: str) -> str:
    answer = await call("vcon_fetch", id=uuid, include=["core"])
    item: JsonObject = answer["item"]
    text: str = item.get("began_at") or item["created_at"]
    return text


BEGINNINGS: list[tuple[JsonObject, str]] = [
    (written_down([LATER, TOLD]), "2025-10-15T01:30:00Z"),
    (written_down([LATER], created_at="2025-10-01T08:00:00Z"), "2025-10-20T09:00:00Z"),
    (written_down([{**TOLD, "start": "soon"}, LATER]), "2025-10-20T09:00:00Z"),
    (written_down([{**TOLD, "start": "soon"}], created_at="2025-10-01T08:00:00Z"), "2025-10-01T08:00:00Z"),
    (written_down([], created_at="2025-10-01T08:00:00+02:00"), "2025-10-01T06:00:00Z"),
    (written_down([{**TOLD, "start": "1970-01-01T00:00:00Z"}, LATER]), "2025-10-20T09:00:00Z"),
    (written_down([{**TOLD, "start": "1999-12-31T23:00:00Z"}, LATER]), "1999-12-31T23:00:00Z"),
    (written_down([{**TOLD, "start": "2025-10-20T10:00+02:00"}, LATER]), "2025-10-20T08:00:00Z"),
]


@pytest.mark.parametrize(("vcon", "when"), BEGINNINGS)
async def test_a_conversation_began_with_its_earliest_dialog_else_when_it_was_made(
    call: Call, store: Store, vcon: JsonObject, when: str
) -> None:
    (uuid,) = await store([vcon])
    assert await began(call, uuid) == when


async def test_what_is_written_down_later_is_found_by_the_day_on_which_it_began(
    call: Call,
) -> None:
    # given a conversation of October that is stored now, between two of other months
    made = await call("create_vcon", vcon_data=written_down([TOLD]), metadata={"tags": {"kind": "order"}})
    uuid, day = made["uuid"], {"start_date": "2025-10-15", "end_date": "2025-10-15"}
    assert made["created_at"][:4] >= f"{datetime.now(UTC).year}"
    others: list[str] = []
    for month in ("09", "11"):
        dialog = {**TOLD, "start": f"2025-{month}-01T10:00:00Z"}
        others.append((await call("create_vcon", vcon_data=written_down([dialog])))["uuid"])
    # when that day is asked for in every way, then it is found, and only it
    for tool, arguments in (
        ("search_vcons", day),
        ("search_vcons_content", {"query": "sofa", **day}),
        ("search_by_tags", {"tags": {"kind": "order"}}),
    ):
        found = await call(tool, **arguments)
        assert uuid in str(found), tool
        assert not any(other in str(found) for other in others), tool
    for arguments in ({"mode": "metadata"}, {"mode": "keyword", "query": "sofa"}):
        found = await call("vcon_search", filters=day, **arguments)
        assert [(item["uuid"], item["began_at"]) for item in found["items"]] == [
            (uuid, "2025-10-15T01:30:00Z")
        ]
        assert found["items"][0]["created_at"] == made["created_at"]
    shape = await call("vcon_graph_shape", filters=day, node_types=["month", "day"])
    assert {node["id"] for node in shape["item"]["nodes"]} == {"month:2025-10", "day:2025-10-15"}
    aggregated = await call("vcon_aggregate", group_by=["month"])
    assert {group["key"][0] for group in aggregated["groups"]} == {"2025-09", "2025-10", "2025-11"}
    recalled = await call("vcon_recall", query="the sofa", since="2025-10-15", until="2025-10-15")
    assert [item["at"] for item in recalled["items"]] == ["2025-10-15T01:30:00Z"]
    # and lists are in that order
    listed = await call("vcon_search", mode="metadata")
    assert [item["began_at"][:7] for item in listed["items"]] == ["2025-11", "2025-10", "2025-09"]
    taxonomy = await call("vcon_taxonomy")
    assert taxonomy["item"]["corpus"]["first"]["began_at"][:7] == "2025-09"
    # and of a day between them nothing is stored
    between = {"start_date": "2025-10-16", "end_date": "2025-10-20"}
    nothing = await call("vcon_search", mode="metadata", filters=between)
    assert [hint["reason"] for hint in nothing["meta"]["hints"]] == ["no_vcons_of_that_time"]


@pytest.mark.parametrize(
    ("template", "params"),
    [
        ("phone_call", {"start": "2025-10-14T10:00:00Z"}),
        ("video_meeting", {"start": "2025-10-14T10:00:00Z"}),
        ("chat_conversation", {"messages": [{"from": 0, "text": "Wet.", "at": "2025-10-14T10:00:00Z"}]}),
        ("chat_conversation", {"start": "2025-10-14T10:00:00Z", "messages": [{"from": 0, "text": "Wet."}]}),
        ("email_thread", {"messages": [{"from": 0, "to": [1], "body": "Wet.", "date": "2025-10-14"}]}),
        ("custom", {"dialog": [TOLD | {"start": "2025-10-14T10:00:00Z"}]}),
    ],
)
async def test_the_time_that_a_template_is_given_counts(
    call: Call, template: str, params: JsonObject
) -> None:
    made = await call(
        "create_vcon_from_template",
        template_name=template,
        parties=[{"name": "Ann"}, {"name": "Ben"}],
        template_params=params,
    )
    found = await call("search_vcons", **DAY)
    assert [row["uuid"] for row in found["vcons"]] == [made["uuid"]]


async def test_an_earlier_dialog_that_is_added_later_moves_the_beginning(call: Call) -> None:
    made = await call("create_vcon", vcon_data=written_down([LATER]))
    await call("add_dialog", vcon_uuid=made["uuid"], dialog=TOLD)
    assert await began(call, made["uuid"]) == "2025-10-15T01:30:00Z"
    found = await call("search_vcons", start_date="2025-10-15", end_date="2025-10-15")
    assert [row["uuid"] for row in found["vcons"]] == [made["uuid"]]
