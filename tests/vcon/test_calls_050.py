"""Calls of 0.5.0 as the draft describes them: valid, each mistake found at its place, and other versions."""

from copy import deepcopy
from typing import Final

import pytest

from tests.vcon.calls_050 import CALLS
from vcontract.runtime.frame.documents.findings import Step, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, objects
from vcontract.runtime.vcon.call_events import call_events
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.formats import as_text, format_named
from vcontract.runtime.vcon.pointers import pointers
from vcontract.runtime.vcon.reading import read_conversation
from vcontract.runtime.vcon.version_migration import KEPT, migrate_version

pytestmark = pytest.mark.unit

SCHEMAS: Final = VconSchemas.load()
EACH: Final = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def with_value(vcon: JsonObject, steps: tuple[Step, ...], value: JsonValue) -> JsonObject:
    """A copy with another value at a place."""
    result = deepcopy(vcon)
    place: JsonValue = result
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    return result


def without(vcon: JsonObject, steps: tuple[Step, ...]) -> JsonObject:
    """A copy without the member at a place."""
    result = deepcopy(vcon)
    place: JsonValue = result
    for step in steps[:-1]:
        place = place[step]
    del place[steps[-1]]
    return result


def test_there_are_twenty() -> None:
    assert len({call["uuid"] for call in CALLS.values()}) == 20


@EACH
def test_a_call_conforms(call: JsonObject) -> None:
    assert SCHEMAS.all_violations(call) == []


@EACH
def test_an_index_out_of_range_is_found_at_its_place(call: JsonObject) -> None:
    found = list(pointers(call))

    assert found
    for pointer in found:
        paths = [each.path for each in SCHEMAS.all_violations(with_value(call, pointer.steps, 99))]
        assert path_of(pointer.steps) in paths


@EACH
def test_a_member_of_a_wrong_type_is_found_at_its_place(call: JsonObject) -> None:
    wrong: list[tuple[Step, ...]] = [
        (name, index, member)
        for name in ("sessions", "events")
        for index, element in objects(call.get(name))
        for member in element
    ]

    for steps in (("sessions",), *wrong):
        paths = [each.path for each in SCHEMAS.all_violations(with_value(call, steps, {"is": "wrong"}))]
        assert path_of(steps) in paths


@EACH
def test_a_missing_or_forbidden_member_of_an_event_is_found_at_its_place(call: JsonObject) -> None:
    for index, event in objects(call.get("events")):
        for member in ("type", "time", "session", "party"):
            paths = [each.path for each in SCHEMAS.all_violations(without(call, ("events", index, member)))]
            assert path_of(("events", index, member)) in paths
        forbidden = "dialog" if "transferee" in event else "target_session"
        paths = [
            each.path for each in SCHEMAS.all_violations(with_value(call, ("events", index, forbidden), 0))
        ]
        assert paths == [path_of(("events", index, forbidden))]


@EACH
def test_a_call_goes_to_0_4_0_and_comes_back_equal(call: JsonObject) -> None:
    down = migrate_version(call, "0.4.0")

    assert [each.path for each in SCHEMAS.all_violations(down.vcon)] == []
    assert ("kept_aside" in {notice.code for notice in down.notices}) == (KEPT in down.vcon)
    assert migrate_version(down.vcon, "0.5.0").vcon == call


@EACH
def test_a_call_of_0_4_0_is_equal_when_it_comes_back_from_0_5_0(call: JsonObject) -> None:
    given = migrate_version(call, "0.4.0").vcon
    given = {name: value for name, value in given.items() if name != KEPT}

    up = migrate_version(given, "0.5.0")
    down = migrate_version(up.vcon, "0.4.0")

    assert SCHEMAS.all_violations(up.vcon) == []
    assert down.vcon == given
    assert down.notices == () or KEPT in down.vcon


@EACH
def test_exports_for_readers_say_each_event_once(call: JsonObject) -> None:
    sentences = [event.sentence(call) for event in call_events(call)]
    written = {
        "text": as_text(read_conversation(call)),
        "markdown": format_named("markdown").write(call).decode(),
        "html": format_named("html").write(call).decode(),
        "csv": format_named("csv").write(call).decode(),
    }

    assert len(sentences) == len(array(call.get("events")))
    for sentence in sentences:
        for form, text in written.items():
            assert text.count(sentence) == sentences.count(sentence), form
