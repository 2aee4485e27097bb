"""Tags of one vCon: set, read, removed, with their types, in the carriers that the vCon came with."""

import asyncio
from uuid import UUID

import pytest

from tests.conftest import Call
from tests.services import isolated_services
from tests.tools.vcon.conftest import Create
from vcontract.generated.models.vcon import GetAllTagsParams
from vcontract.handlers.vcon.tags import TagsTools
from vcontract.runtime.app import App
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.imports.export import export_all
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.store import VconStore

MISSING = "123e4567-e89b-12d3-a456-426614174000"
SIGNED = {
    "payload": "eyJwYXJ0aWVzIjpbe31dLCJzdWJqZWN0IjoiU2lnbmVkIn0",
    "signatures": [{"protected": "e30", "signature": "x"}],
}
TYPED: JsonObject = {
    "text": "sales",
    "empty": "",
    "with colons": "2025-10-14T15:30:00Z",
    "digits": "42",
    "yes": "true",
    "ภาษา": "ไทย",
    "whole": 42,
    "huge": 9_007_199_254_740_993,
    "part": 1.5,
    "negative": -0.25,
    "true": True,
    "false": False,
    "zero": 0,
}


async def test_the_group_of_tags_works_without_the_others(
    database: Database, create: Create, call: Call, app: App, tenant: str
) -> None:
    uuid = await create()
    await call("add_tag", vcon_uuid=uuid, key="a", value=1)
    tools = TagsTools(isolated_services(database))
    context = ToolContext(Caller(tenant, frozenset({"read"})), app.catalogue.seen_with(frozenset()), "id")

    answer = await tools.get_all_tags(GetAllTagsParams(vcon_uuid=uuid), context)

    assert answer == await call("get_all_tags", vcon_uuid=uuid)


def typed(tags: JsonObject) -> dict[str, tuple[str, JsonValue]]:
    """The tags with the type of each value, because 1 == True and "1" != 1 alone do not show it."""
    return {key: (type(value).__name__, value) for key, value in tags.items()}


async def tags_of(call: Call, uuid: str) -> JsonObject:
    tags: JsonObject = (await call("get_all_tags", vcon_uuid=uuid))["tags"]
    return tags


@pytest.mark.parametrize(("key", "value"), TYPED.items())
async def test_a_tag_comes_back_with_its_type(call: Call, create: Create, key: str, value: JsonValue) -> None:
    uuid = await create()

    added = await call("add_tag", vcon_uuid=uuid, key=key, value=value)

    got = await call("get_tag", vcon_uuid=uuid, key=key)
    every = await call("get_all_tags", vcon_uuid=uuid)
    assert (added["key"], added["value"], "previous_value" in added) == (key, value, False)
    assert (type(got["value"]), got["value"], got["exists"]) == (type(value), value, True)
    assert typed(every["tags"]) == typed({key: value})
    assert (every["vcon_uuid"], every["count"]) == (uuid, 1)


async def test_a_vcon_without_tags_has_none(call: Call, create: Create) -> None:
    every = await call("get_all_tags", vcon_uuid=await create())

    assert (every["success"], every["tags"], every["count"]) == (True, {}, 0)


@pytest.mark.parametrize(
    ("arguments", "value", "exists"),
    [
        ({"key": "priority", "default_value": "high"}, "high", True),
        ({"key": "priority"}, "high", True),
        ({"key": "Priority"}, None, False),
        ({"key": "missing"}, None, False),
        ({"key": "missing", "default_value": None}, None, False),
        ({"key": "missing", "default_value": 0}, 0, False),
        ({"key": "missing", "default_value": False}, False, False),
        ({"key": "missing", "default_value": {"a": [None, [1]]}}, {"a": [None, [1]]}, False),
        ({"key": "missing", "default_value": ["a", 1, None]}, ["a", 1, None], False),
    ],
)
async def test_exists_looks_at_the_tag_and_never_at_the_value(
    call: Call, create: Create, arguments: JsonObject, value: JsonValue, exists: bool
) -> None:
    uuid = await create({"tags": {"priority": "high"}})

    got = await call("get_tag", vcon_uuid=uuid, **arguments)

    assert (type(got["value"]), got["value"], got["exists"]) == (type(value), value, exists)


async def test_a_tag_is_replaced_and_its_previous_value_told(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"level": 1}})

    replaced = await call("add_tag", vcon_uuid=uuid, key="level", value="1")

    assert (replaced["value"], replaced["previous_value"]) == ("1", 1)
    assert typed(await tags_of(call, uuid)) == typed({"level": "1"})


@pytest.mark.parametrize("value", [2, "1", True])
async def test_without_overwrite_another_value_is_a_conflict_and_stays(
    call: Call, create: Create, value: JsonValue
) -> None:
    uuid = await create({"tags": {"level": 1}})
    before = await call("get_vcon", uuid=uuid)

    refused = await call("add_tag", vcon_uuid=uuid, key="level", value=value, overwrite=False)

    assert refused["error_code"] == "CONFLICT"
    assert refused["details"] == {"reason": "tag_exists", "key": "level", "existing_value": 1}
    assert await call("get_vcon", uuid=uuid) == before


async def test_without_overwrite_the_same_value_and_a_new_key_succeed(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"level": 1}})

    same = await call("add_tag", vcon_uuid=uuid, key="level", value=1.0, overwrite=False)
    new = await call("add_tag", vcon_uuid=uuid, key="other", value="x", overwrite=False)

    assert (same["success"], new["success"]) == (True, True)
    assert await tags_of(call, uuid) == {"level": 1, "other": "x"}


async def test_a_tag_is_removed_once_and_then_there_is_none(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": False, "b": "2"}})

    removed = await call("remove_tag", vcon_uuid=uuid, key="a")
    again = await call("remove_tag", vcon_uuid=uuid, key="a")

    assert (removed["key"], removed["removed"], removed["previous_value"]) == ("a", True, False)
    assert (again["success"], again["removed"], "previous_value" in again) == (True, False, False)
    assert await tags_of(call, uuid) == {"b": "2"}


async def test_all_tags_are_removed(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": 1, "b": 2}})

    removed = await call("remove_all_tags", vcon_uuid=uuid)
    again = await call("remove_all_tags", vcon_uuid=uuid)

    assert (removed["vcon_uuid"], removed["removed_count"], again["removed_count"]) == (uuid, 2, 0)
    assert await tags_of(call, uuid) == {}
    assert "attachments" not in (await call("get_vcon", uuid=uuid))["vcon"]


Changes = tuple[list[str], list[str], list[str]]
"""Keys added, updated, removed."""

SEVERAL: list[tuple[JsonObject, bool, JsonObject, Changes]] = [
    ({"b": 3, "c": 4}, True, {"a": 1, "b": 3, "c": 4}, (["c"], ["b"], [])),
    ({"b": 3, "c": 4}, False, {"b": 3, "c": 4}, (["c"], ["b"], ["a"])),
    ({"a": 1}, True, {"a": 1, "b": 2}, ([], [], [])),
    ({"a": "1"}, True, {"a": "1", "b": 2}, ([], ["a"], [])),
    ({}, False, {}, ([], [], ["a", "b"])),
]


@pytest.mark.parametrize(("tags", "merge", "after", "changes"), SEVERAL)
async def test_several_tags_are_merged_or_replace_all(
    call: Call,
    create: Create,
    tags: JsonObject,
    merge: bool,
    after: JsonObject,
    changes: Changes,
) -> None:
    uuid = await create({"tags": {"a": 1, "b": 2}})

    answer = await call("update_tags", vcon_uuid=uuid, tags=tags, merge=merge)

    assert typed(answer["tags"]) == typed(after)
    assert answer["count"] == len(after)
    assert (answer["added"], answer["updated"], answer["removed"]) == changes
    assert typed(await tags_of(call, uuid)) == typed(after)


async def test_merging_nothing_is_refused(call: Call, create: Create) -> None:
    refused = await call("update_tags", vcon_uuid=await create(), tags={})

    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "no_tags")


@pytest.mark.parametrize("merge", [True, False])
async def test_one_bad_tag_of_several_changes_nothing_and_is_named(
    call: Call, create: Create, merge: bool
) -> None:
    uuid = await create({"tags": {"a": 1}})
    before = await call("get_vcon", uuid=uuid)

    refused = await call("update_tags", vcon_uuid=uuid, tags={"a": 2, "b:c": 3, "d\n": 4}, merge=merge)

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert [violation["path"] for violation in refused["details"]["violations"]] == [
        "$.tags['b:c']",
        "$.tags['d\\u000a']",
    ]
    assert await call("get_vcon", uuid=uuid) == before


BAD_KEYS = ["", "a:b", "a\nb", "a\0b", " a", "a ", "\u00a0a", "e\u0301", "k" * 129]


@pytest.mark.parametrize("key", BAD_KEYS)
async def test_what_can_be_no_key_is_refused_by_every_tool(call: Call, create: Create, key: str) -> None:
    uuid = await create()

    answers = [
        await call("add_tag", vcon_uuid=uuid, key=key, value="x"),
        await call("get_tag", vcon_uuid=uuid, key=key),
        await call("remove_tag", vcon_uuid=uuid, key=key),
        await call("update_tags", vcon_uuid=uuid, tags={key: "x"}),
        await call("search_by_tags", tags={key: "x"}),
    ]

    assert [answer.get("error_code") for answer in answers] == ["VALIDATION_ERROR"] * 5
    assert await tags_of(call, uuid) == {}


@pytest.mark.parametrize("value", [None, [], {}, ["a"], "x" * 1_025, "a\0b", 1e400])
async def test_what_can_be_no_value_is_refused_by_every_tool(
    call: Call, create: Create, value: JsonValue
) -> None:
    uuid = await create()

    answers = [
        await call("add_tag", vcon_uuid=uuid, key="a", value=value),
        await call("update_tags", vcon_uuid=uuid, tags={"a": value}),
        await call("search_by_tags", tags={"a": value}),
    ]

    assert [answer.get("error_code") for answer in answers] == ["VALIDATION_ERROR"] * 3
    assert await tags_of(call, uuid) == {}


async def test_the_longest_key_and_value_are_kept(call: Call, create: Create) -> None:
    uuid = await create()

    await call("add_tag", vcon_uuid=uuid, key="ก" * 128, value="ข" * 1_024)

    found = await call("search_by_tags", tags={"ก" * 128: "ข" * 1_024})
    assert found["vcon_uuids"] == [uuid]


async def test_a_vcon_has_at_most_256_tags(call: Call, create: Create) -> None:
    uuid = await create()
    full = {f"k{number}": number for number in range(256)}

    filled = await call("update_tags", vcon_uuid=uuid, tags=full)
    beyond = await call("add_tag", vcon_uuid=uuid, key="one more", value=1)
    merged = await call("update_tags", vcon_uuid=uuid, tags={"one more": 1})
    changed = await call("add_tag", vcon_uuid=uuid, key="k0", value="changed")

    assert (filled["count"], changed["success"]) == (256, True)
    assert {beyond["details"]["reason"], merged["details"]["reason"]} == {"too_many_tags"}
    assert len(await tags_of(call, uuid)) == 256


WRITES: list[tuple[str, JsonObject]] = [
    ("add_tag", {"key": "a", "value": 2}),
    ("remove_tag", {"key": "a"}),
    ("update_tags", {"tags": {"b": 1}}),
    ("remove_all_tags", {}),
]
READS: list[tuple[str, JsonObject]] = [("get_tag", {"key": "a"}), ("get_all_tags", {})]


@pytest.mark.parametrize(("tool", "arguments"), WRITES)
async def test_a_write_moves_updated_at_forward_and_changes_nothing_else(
    call: Call, create: Create, tool: str, arguments: JsonObject
) -> None:
    uuid = await create({"tags": {"a": 1}}, subject="Same", dialog=[{"type": "text"}])
    before = await call("get_vcon", uuid=uuid)

    await call(tool, vcon_uuid=uuid, **arguments)

    after = await call("get_vcon", uuid=uuid)
    moved = after["metadata"]["updated_at"]
    assert moved > before["metadata"]["updated_at"]
    assert after["vcon"]["updated_at"] == moved
    others = set(before["vcon"]) - {"attachments", "updated_at"}
    assert {name: after["vcon"][name] for name in others} == {name: before["vcon"][name] for name in others}
    assert after["metadata"]["counts"]["attachments"] == len(after["vcon"].get("attachments", []))


async def test_a_write_mends_what_was_wrong_with_updated_at_and_only_that(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": 1}}, updated_at="2025-01-01T00:00:00", group=[])

    await call("add_tag", vcon_uuid=uuid, key="a", value=2)

    got = await call("get_vcon", uuid=uuid)
    assert got["metadata"]["conformance"] == {"version": "0.4.0", "valid": False, "violation_count": 1}
    await call("update_vcon", uuid=uuid, updates={"group": None})
    got = await call("get_vcon", uuid=uuid)
    assert got["metadata"]["conformance"] == {"version": "0.4.0", "valid": True, "violation_count": 0}


async def test_a_vcon_whose_only_fault_was_updated_at_is_valid_once_a_tag_is_set(
    call: Call, create: Create
) -> None:
    uuid = await create(updated_at="2025-01-01T00:00:00")

    await call("add_tag", vcon_uuid=uuid, key="a", value=2)

    conformance = (await call("get_vcon", uuid=uuid))["metadata"]["conformance"]
    assert conformance == {"version": "0.4.0", "valid": True, "violation_count": 0}


async def test_what_changes_nothing_leaves_updated_at(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": 1}})
    before = await call("get_vcon", uuid=uuid)

    await call("add_tag", vcon_uuid=uuid, key="a", value=1)
    await call("remove_tag", vcon_uuid=uuid, key="b")
    await call("update_tags", vcon_uuid=uuid, tags={"a": 1.0})

    assert await call("get_vcon", uuid=uuid) == before


@pytest.mark.parametrize(("tool", "arguments"), WRITES + READS)
async def test_a_uuid_that_is_malformed_or_unknown(call: Call, tool: str, arguments: JsonObject) -> None:
    malformed = await call(tool, vcon_uuid="5", **arguments)
    unknown = await call(tool, vcon_uuid=MISSING, **arguments)

    assert (malformed["error_code"], malformed["details"]["parameter"]) == ("VALIDATION_ERROR", "vcon_uuid")
    assert (unknown["error_code"], unknown["details"]) == ("NOT_FOUND", {"uuid": MISSING})


async def test_a_uuid_is_read_in_any_case(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": 1}})

    assert (await call("get_all_tags", vcon_uuid=uuid.upper()))["vcon_uuid"] == uuid


async def test_a_creation_that_is_repeated_after_a_tag_was_set_is_still_identical(
    call: Call, create: Create
) -> None:
    document: JsonObject = {"uuid": MISSING, "parties": [{}], "created_at": "2025-01-01T00:00:00Z"}
    await call("add_tag", vcon_uuid=await create(**document), key="a", value=1)

    again = await call("create_vcon", vcon_data=document)

    assert (again["error_code"], again["details"]["identical"]) == ("CONFLICT", True)


async def test_many_writes_at_once_are_all_kept(call: Call, create: Create) -> None:
    uuid = await create()

    answers = await asyncio.gather(
        *(call("add_tag", vcon_uuid=uuid, key=f"k{number}", value=number) for number in range(50))
    )

    assert all(answer["success"] for answer in answers)
    assert await tags_of(call, uuid) == {f"k{number}": number for number in range(50)}


async def test_tags_of_a_signed_vcon_may_change_and_nothing_else_of_it(
    call: Call, create_signed: Create
) -> None:
    uuid = await create_signed(SIGNED)
    before = (await call("get_vcon", uuid=uuid))["vcon"]

    added = await call("add_tag", vcon_uuid=uuid, key="checked", value=True)

    got = await call("get_vcon", uuid=uuid)
    assert added["success"] is True
    assert got["metadata"]["tags"] == {"checked": True}
    assert {name: value for name, value in got["vcon"].items() if name != "attachments"} == before


async def test_the_printed_examples_of_the_reference_succeed(call: Call, create: Create) -> None:
    uuid = await create(uuid=MISSING)

    added = await call("add_tag", vcon_uuid=uuid, key="department", value="sales")
    updated = await call(
        "update_tags",
        vcon_uuid=uuid,
        tags={"status": "closed", "resolution": "resolved", "resolved_at": "2025-10-14T15:30:00Z"},
        merge=True,
    )

    assert (added["success"], updated["count"]) == (True, 4)
    got = await call("get_tag", vcon_uuid=uuid, key="resolved_at")
    found = await call("search_by_tags", tags={"resolved_at": "2025-10-14T15:30:00Z"})
    assert got["value"] == "2025-10-14T15:30:00Z"
    assert found["vcon_uuids"] == [uuid]


async def test_types_survive_an_export_and_a_new_import(
    call: Call, create: Create, app: App, tenant: str
) -> None:
    uuid = await create()
    await call("update_tags", vcon_uuid=uuid, tags=TYPED)
    (line,) = [line async for line in export_all(VconStore(app.database), tenant)]
    await call("delete_vcon", uuid=uuid, confirm=True)

    await create(**parse_json(line))

    assert typed(await tags_of(call, uuid)) == typed(TYPED)


async def test_a_list_of_tags_goes_out_as_it_came_until_a_tag_changes_and_then_at_its_index(
    call: Call, create: Create
) -> None:
    note = {"purpose": "note", "body": "x", "encoding": "none"}
    carrier = {"type": "tags", "encoding": "json", "body": '[ "a:b", 5 ]'}
    uuid = await create(attachments=[carrier, note, note])
    as_it_came = (await call("get_vcon", uuid=uuid))["vcon"]["attachments"]

    await call("add_tag", vcon_uuid=uuid, key="c", value="d:e")
    with_text = (await call("get_vcon", uuid=uuid))["vcon"]["attachments"]
    await call("add_tag", vcon_uuid=uuid, key="a", value="b")
    await call("remove_tag", vcon_uuid=uuid, key="c")
    back = (await call("get_vcon", uuid=uuid))["vcon"]["attachments"]

    assert as_it_came == [carrier, note, note]
    assert parse_json(with_text[0]["body"]) == ["a:b", "c:d:e", 5]
    assert with_text == [{**carrier, "body": with_text[0]["body"]}, note, note]
    assert back == as_it_came


async def test_tags_that_get_a_carrier_of_their_own_are_counted_and_lose_it_again(
    call: Call, create: Create
) -> None:
    uuid = await create(attachments=[{"purpose": "note"}])

    await call("add_tag", vcon_uuid=uuid, key="level", value=2)
    tagged = await call("get_vcon", uuid=uuid)
    await call("remove_tag", vcon_uuid=uuid, key="level")
    bare = await call("get_vcon", uuid=uuid)

    assert tagged["vcon"]["attachments"][1]["body"] == {"level": 2}
    assert tagged["metadata"]["counts"]["attachments"] == 2
    assert bare["vcon"]["attachments"] == [{"purpose": "note"}]
    assert bare["metadata"]["counts"]["attachments"] == 1


async def test_top_level_tags_are_rewritten_where_they_stand(call: Call, create: Create) -> None:
    uuid = await create(tags={"a": "1"})

    await call("update_tags", vcon_uuid=uuid, tags={"b": 2}, merge=False)

    got = await call("get_vcon", uuid=uuid)
    only_parties = await call("get_vcon", uuid=uuid, include_components=["parties"])
    assert got["vcon"]["tags"] == only_parties["vcon"]["tags"] == {"b": 2}
    assert "attachments" not in got["vcon"]


async def test_the_audit_names_the_keys_and_no_value(
    call: Call, create: Create, app: App, tenant: str
) -> None:
    uuid = await create()

    await call("add_tag", vcon_uuid=uuid, key="a", value="Secretive")
    await call("update_tags", vcon_uuid=uuid, tags={"a": "Secretive too", "b": 1})
    await call("remove_tag", vcon_uuid=uuid, key="a")
    await call("remove_all_tags", vcon_uuid=uuid)

    async with app.database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select * from vcontract.audit where vcon = $1 order by at, id", UUID(uuid)
        )
    assert [(row["action"], row["detail"] and parse_json(row["detail"])) for row in rows] == [
        ("create_vcon", None),
        ("add_tag", {"changed": ["a"]}),
        ("update_tags", {"changed": ["a", "b"]}),
        ("remove_tag", {"changed": ["a"]}),
        ("remove_all_tags", {"changed": ["b"]}),
    ]
    assert "ecretive" not in str([dict(row) for row in rows])
