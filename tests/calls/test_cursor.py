"""Cursors: what they are bound to, and what becomes of a changed one."""

import base64
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.frame.calls.cursor import CURSOR_LIMIT, CursorCodec, CursorRejected, CursorTooLong
from vcontract.runtime.frame.documents.json import JsonObject

ALPHABET = set(string.ascii_letters + string.digits + "-_")
ARGUMENTS: JsonObject = {"mode": "hybrid", "query": "refund", "filters": {"tags": {"a": "b"}}, "weight": 0.6}
BOUND: JsonObject = {"purpose": "vcon_search", "tenant": "acme", "arguments": ARGUMENTS, "model": "m1"}
POSITION = [0.8312, "01939c3a-6f00-8abc-9def-0123456789ab"]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture
def codec() -> CursorCodec:
    return CursorCodec(b"key", "1.2.3")


def reason(codec: CursorCodec, cursor: str, **changes: Any) -> tuple[str, tuple[str, ...]]:
    with pytest.raises(CursorRejected) as caught:
        codec.open(cursor, **{**BOUND, **changes})
    return caught.value.reason, caught.value.changed


@given(position=json_values)
def test_a_cursor_leads_back_to_its_position(position: Any) -> None:
    codec = CursorCodec(b"key", "1.2.3")

    cursor = codec.seal(position, **BOUND)

    assert codec.open(cursor, **BOUND) == position


def test_a_cursor_is_base64url_of_at_most_1024_characters_with_weights_and_corrections(
    codec: CursorCodec,
) -> None:
    position = {
        "at": POSITION,
        "weights": [(37 * step) % 256 for step in range(20)],
        "corrections": {f"recieve{step}": f"receive{step}" for step in range(12)},
    }

    cursor = codec.seal(position, **BOUND)

    assert set(cursor) <= ALPHABET
    assert len(cursor) <= CURSOR_LIMIT
    assert codec.open(cursor, **BOUND) == position


def test_a_position_that_does_not_fit_is_refused_when_it_is_sealed(codec: CursorCodec) -> None:
    digits = "".join(str(hash((step, "x")) % 10**15) for step in range(200))

    with pytest.raises(CursorTooLong):
        codec.seal(digits, **BOUND)


def test_a_cursor_with_any_one_character_changed_is_malformed(codec: CursorCodec) -> None:
    cursor = codec.seal(POSITION, **BOUND)

    for index, character in enumerate(cursor):
        for other in ("A" if character != "A" else "B", chr(ord(character) ^ 1)):
            changed = cursor[:index] + other + cursor[index + 1 :]
            assert reason(codec, changed) == ("malformed", ()), changed


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "A",
        "opaque",
        "ä" * 40,
        "A" * 1024,
        "A" * 2000,
        base64.urlsafe_b64encode(bytes(60)).decode(),
        "null",
        "../../etc/passwd",
    ],
)
def test_what_is_no_cursor_is_malformed(codec: CursorCodec, cursor: str) -> None:
    assert reason(codec, cursor) == ("malformed", ())


@pytest.mark.parametrize("change", [{"tenant": "globex"}, {"purpose": "other_tool"}])
def test_a_cursor_of_another_tenant_or_purpose_is_like_a_forged_one(
    codec: CursorCodec, change: dict[str, str]
) -> None:
    assert reason(codec, codec.seal(POSITION, **BOUND), **change) == ("malformed", ())


def test_a_cursor_of_another_key_is_malformed(codec: CursorCodec) -> None:
    assert reason(codec, CursorCodec(b"other", "1.2.3").seal(POSITION, **BOUND)) == ("malformed", ())


def test_tenant_and_purpose_do_not_run_into_each_other(codec: CursorCodec) -> None:
    cursor = codec.seal(POSITION, purpose="ab", tenant="c", arguments=ARGUMENTS, model="m1")

    assert reason(codec, cursor, purpose="a", tenant="bc") == ("malformed", ())


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"query": "refunds"}, ("query",)),
        ({"query": None}, ("query",)),
        ({"mode": "keyword", "weight": None}, ("mode", "weight")),
        ({"filters": {"tags": {"a": 1}}}, ("filters",)),
        ({"filters": None}, ("filters",)),
        ({"weight": 0}, ("weight",)),
    ],
)
def test_other_arguments_are_named(codec: CursorCodec, change: JsonObject, changed: tuple[str, ...]) -> None:
    cursor = codec.seal(POSITION, **BOUND)

    assert reason(codec, cursor, arguments={**ARGUMENTS, **change}) == ("other_query", changed)


def test_equal_arguments_spelled_otherwise_are_the_same_query(codec: CursorCodec) -> None:
    first: JsonObject = {"a": 1, "b": {"x": 2.0, "y": [0.5]}}
    again: JsonObject = {"b": {"y": [0.5], "x": 2}, "a": 1.0}

    cursor = codec.seal(POSITION, purpose="search", tenant="acme", arguments=first)

    assert codec.open(cursor, purpose="search", tenant="acme", arguments=again) == POSITION


def test_another_model_and_another_major_version_are_told(codec: CursorCodec) -> None:
    cursor = codec.seal(POSITION, **BOUND)

    assert reason(codec, cursor, model="m2") == ("other_model", ())
    assert reason(codec, cursor, model=None) == ("other_model", ())
    assert reason(CursorCodec(b"key", "2.0.0"), cursor) == ("other_contract", ())


def test_a_cursor_outlives_a_restart_and_a_minor_version(codec: CursorCodec) -> None:
    cursor = codec.seal(POSITION, **BOUND)

    assert CursorCodec(b"key", "1.9.0").open(cursor, **BOUND) == POSITION


def test_neither_tenant_nor_arguments_can_be_read_from_a_cursor(codec: CursorCodec) -> None:
    cursor = codec.seal(POSITION, **BOUND)
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    assert b"acme" not in raw
    assert b"refund" not in raw


def test_an_empty_key_is_refused() -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        CursorCodec(b"", "1.0.0")
