"""vCons of 0.5.0 in the store: equal when they come out, and no index in them changes its meaning."""

import random
from collections.abc import Iterator

import pytest

from tests.conftest import Call
from tests.vcon.calls_050 import CALLS, at
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array, objects
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.pointers import pointers

SCHEMAS = VconSchemas.load()
EACH = pytest.mark.parametrize("given", CALLS.values(), ids=CALLS)


def marked(vcon: JsonObject) -> JsonObject:
    """A copy in which each element that an index can refer to says which one it is."""
    names = ("parties", "dialog", "analysis", "sessions", "attachments")
    return vcon | {
        name: [{**element, "x-mark": f"{name} {index}"} for index, element in objects(vcon[name])]
        for name in names
        if name in vcon
    }


def meant(vcon: JsonObject) -> Iterator[tuple[str, str]]:
    """What refers to which element: by its mark, or the type and time of an event."""
    for pointer in pointers(vcon):
        name, index = pointer.steps[:2]
        holder = vcon[str(name)][index]
        source = f"{holder['type']} {holder['time']}" if name == "events" else holder.get("x-mark")
        target = array(vcon.get(pointer.array))[pointer.index]
        if source is not None:
            yield f"{source} {pointer.steps[2]}", str(target.get("x-mark"))


@EACH
async def test_a_call_comes_out_as_it_went_in(call: Call, given: JsonObject) -> None:
    created = await call("create_vcon", vcon_data=given)

    stored = await call("get_vcon", uuid=given["uuid"])
    assert created["conformance"]["version"] == "0.5.0"
    assert created["conformance"]["valid"] is True
    assert {**stored["vcon"], "updated_at": None} == {**given, "updated_at": None}


@EACH
async def test_references_keep_their_meaning_while_elements_come_and_go(
    call: Call, given: JsonObject
) -> None:
    vcon = marked(given)
    await call("create_vcon", vcon_data=vcon)
    before = {*meant(vcon)}
    chance = random.Random(given["uuid"])  # noqa: S311  (no secret)

    for _ in range(4):
        stored = (await call("get_vcon", uuid=given["uuid"]))["vcon"]
        array_, tool = chance.choice([("parties", "remove_party"), ("dialog", "remove_dialog")])
        if array(stored.get(array_)):
            index = chance.randrange(len(stored[array_]))
            await call(tool, vcon_uuid=given["uuid"], index=index, when_referenced="placeholder")
        await call("add_party", vcon_uuid=given["uuid"], party={"name": "Nina", "x-mark": "new"})

    after = (await call("get_vcon", uuid=given["uuid"]))["vcon"]
    gone = {mark for name in ("parties", "dialog") for mark in marks(vcon, name) - marks(after, name)}
    # a placeholder stands where an element was: whatever referred to it still does, and to nothing else
    left = {
        (source, target)
        for source, target in before
        if target not in gone and not source.startswith(tuple(gone))
    }
    assert left <= {*meant(after)}
    assert not [each for each in meant(after) if each not in before and each[1] != "None"]
    assert [each.rule for each in SCHEMAS.all_violations(after) if each.rule == "index_out_of_range"] == []


def marks(vcon: JsonObject, name: str) -> set[str]:
    return {str(element.get("x-mark")) for _, element in objects(vcon.get(name))}


@EACH
async def test_a_redacted_version_has_the_same_references_and_names_the_one_before(
    call: Call, given: JsonObject
) -> None:
    vcon = marked(given)
    await call("create_vcon", vcon_data=vcon)

    answer = await call(
        "redact_vcon", vcon_uuid=given["uuid"], words=["Hugh", "call", "open", "arrive", "am"]
    )

    redacted = (await call("get_vcon", uuid=answer["uuid"]))["vcon"]
    assert redacted["redacted_from"]["uuid"] == given["uuid"]
    assert "amended_from" not in redacted
    assert "redacted" not in redacted
    # a dialog whose media cannot be redacted is emptied, and stays where others refer to it
    assert {each for each in pointers(redacted) if each.steps[0] != "dialog"} == {
        each for each in pointers(vcon) if each.steps[0] != "dialog"
    }
    assert len(array(redacted.get("dialog"))) == len(array(vcon.get("dialog")))
    assert SCHEMAS.all_violations(redacted) == []


@EACH
async def test_an_amended_version_has_the_same_references(call: Call, given: JsonObject) -> None:
    await call("create_vcon", vcon_data=given)
    uuid = "01928e10-193e-8231-b9a2-279e0d16bf00"
    amended = {name: value for name, value in given.items() if name != "redacted_from"}
    amended |= {"uuid": uuid, "amended_from": {"uuid": given["uuid"]}, "subject": "Amended"}

    created = await call("create_vcon", vcon_data=amended)
    latest = await call("get_vcon", uuid=given["uuid"], version="latest")

    assert created["conformance"]["valid"] is True
    assert latest["versions"]["given"] == uuid
    assert {*pointers(latest["vcon"])} == {*pointers(amended)}


@EACH
async def test_dialog_that_is_added_belongs_to_the_first_session(call: Call, given: JsonObject) -> None:
    await call("create_vcon", vcon_data=given)
    turn = {"type": "text", "start": at(40), "parties": [3], "body": "Hello?", "encoding": "none"}

    added = await call("add_dialog", vcon_uuid=given["uuid"], dialog={**turn, "mediatype": "text/plain"})

    vcon = (await call("get_vcon", uuid=given["uuid"]))["vcon"]
    first, *others = vcon["sessions"]
    assert added["dialog_index"] in first["dialog"]
    assert 3 in first["parties"]
    assert others == given["sessions"][1:]
    assert SCHEMAS.all_violations(vcon) == []


async def test_the_first_dialog_of_a_vcon_of_0_5_0_makes_its_session(call: Call) -> None:
    made = await call(
        "create_vcon_from_template", template_name="chat_conversation", parties=[{"name": "Ann"}, {}]
    )
    turn = {"type": "text", "start": at(0), "parties": [0], "body": "Hi", "encoding": "none"}

    await call("add_dialog", vcon_uuid=made["uuid"], dialog={**turn, "mediatype": "text/plain"})

    stored = await call("get_vcon", uuid=made["uuid"])
    assert stored["metadata"]["conformance"] == {"version": "0.5.0", "valid": True, "violation_count": 0}
    assert stored["vcon"]["sessions"] == [{"start": at(0), "parties": [0], "dialog": [0]}]
