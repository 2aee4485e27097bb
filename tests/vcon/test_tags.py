"""Tags: three dialects in, and out again in the dialect, slot and form they came in."""

import base64
import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.tags import (
    TagValue,
    effective_purpose,
    is_tags_carrier,
    read_tags,
    tag_key_problem,
    tag_value_problem,
    write_tags,
)

DATE = "2025-10-14T10:30:00Z"


def carrier(body: Any, **members: Any) -> JsonObject:
    return {"purpose": "tags", "body": body, **members}


def base64url(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


READ: list[tuple[JsonObject, dict[str, TagValue]]] = [
    ({}, {}),
    ({"tags": None, "attachments": None}, {}),
    ({"attachments": [{"type": "invoice", "body": ["a:b"]}]}, {}),
    (
        {"attachments": [carrier(["a:b", "when:2025-10-14T15:30:00Z", "vip", "empty:"])]},
        {"a": "b", "when": "2025-10-14T15:30:00Z", "vip": "", "empty": ""},
    ),
    ({"attachments": [{"type": "tags", "body": ["a:b"]}]}, {"a": "b"}),
    ({"attachments": [carrier('["a:b"]')]}, {"a": "b"}),
    (
        {"attachments": [carrier({"s": "x", "n": 1, "f": 1.5, "b": True})]},
        {"s": "x", "n": 1, "f": 1.5, "b": True},
    ),
    ({"attachments": [carrier('{"n": 1}')]}, {"n": 1}),
    ({"attachments": [carrier(base64url({"n": 1}), encoding="base64url")]}, {"n": 1}),
    ({"tags": {"a": "b", "n": False}}, {"a": "b", "n": False}),
    ({"tags": '{"a": "b"}'}, {"a": "b"}),
    (
        {"tags": {"a": "top", "t": 1}, "attachments": [carrier(["a:first"]), carrier({"a": "second"})]},
        {"a": "second", "t": 1},
    ),
    ({"attachments": [carrier(None), carrier("")]}, {}),
]


@pytest.mark.parametrize(("vcon", "tags"), READ)
def test_tags_are_read_from_every_dialect_with_their_types(
    vcon: JsonObject, tags: dict[str, TagValue]
) -> None:
    found, notices = read_tags(vcon)

    assert found == tags
    assert [type(value) for value in found.values()] == [type(value) for value in tags.values()]
    assert notices == []


IGNORED: list[tuple[JsonObject, dict[str, TagValue], list[str]]] = [
    ({"attachments": [carrier("a:b")]}, {}, ["$.attachments[0].body"]),
    ({"attachments": [carrier(5)]}, {}, ["$.attachments[0].body"]),
    ({"attachments": [carrier(["a:b", 5, ":x"])]}, {"a": "b"}, ["$.attachments[0].body"] * 2),
    (
        {"attachments": [carrier({"a": None, "b": ["x"], "c": {}, "d": "kept", "": "x"})]},
        {"d": "kept"},
        ["$.attachments[0].body"] * 4,
    ),
    ({"tags": ["a:b"]}, {}, ["$.tags"]),
    (
        {"tags": {"a:b": 1, " a": 1, "a\n": 1, "long": "x" * 1_025, "k" * 129: 1, "e\u0301": 1}},
        {},
        ["$.tags"] * 6,
    ),
]


@pytest.mark.parametrize(("vcon", "tags", "paths"), IGNORED)
def test_what_is_no_tag_is_left_out_with_a_notice(
    vcon: JsonObject, tags: dict[str, TagValue], paths: list[str]
) -> None:
    found, notices = read_tags(vcon)

    assert found == tags
    assert [notice.path for notice in notices] == paths
    assert {notice.code for notice in notices} == {"tag_ignored"}


def test_tags_beyond_256_are_left_out_with_a_notice_each() -> None:
    found, notices = read_tags({"tags": {f"k{number}": number for number in range(260)}})

    assert list(found) == [f"k{number}" for number in range(256)]
    assert len(notices) == 4


@pytest.mark.parametrize("key", ["k", "k" * 128, "Größe", "a b", "a/b", "é"])
def test_usable_key_has_no_problem(key: str) -> None:
    assert tag_key_problem(key) is None


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("", "at least one"),
        ("k" * 129, "128"),
        ("a:b", "colon"),
        ("a\x00b", "control"),
        ("a\u0085b", "control"),
        (" a", "white space"),
        ("a\u00a0", "white space"),
        ("e\u0301", "normal form"),
    ],
)
def test_unusable_key_says_why(key: str, why: str) -> None:
    assert why in (tag_key_problem(key) or "")


@pytest.mark.parametrize("value", ["", "a:b:c", "x" * 1_024, "日本", 0, -1, 1.5, 10**30, True, False])
def test_usable_value_has_no_problem(value: TagValue) -> None:
    assert tag_value_problem(value) is None


@pytest.mark.parametrize("value", ["x" * 1_025, "a\0b", float("inf"), float("nan"), None, [], {}])
def test_unusable_value_has_a_problem(value: Any) -> None:
    assert tag_value_problem(value)


@pytest.mark.parametrize(
    ("attachment", "purpose"),
    [
        ({"purpose": "a", "type": "b"}, "a"),
        ({"type": "b"}, "b"),
        ({"purpose": None, "type": "b"}, "b"),
        ({}, None),
    ],
)
def test_effective_purpose_is_purpose_else_type(attachment: JsonObject, purpose: str | None) -> None:
    assert effective_purpose(attachment) == purpose
    assert is_tags_carrier({"type": "tags"})
    assert not is_tags_carrier({"type": "tags", "purpose": "invoice"})


@pytest.mark.parametrize(("vcon", "tags"), [*READ, *((vcon, tags) for vcon, tags, _ in IGNORED)])
def test_carriers_that_already_say_it_go_out_untouched(vcon: JsonObject, tags: dict[str, TagValue]) -> None:
    assert write_tags(vcon, tags) is vcon


WRITTEN: list[tuple[JsonObject, dict[str, TagValue], JsonObject]] = [
    # the list dialect keeps its slot, its form and its other members
    (
        {"attachments": [carrier(["a:1"], encoding="none", x=1), {}]},
        {"a": "2", "b": ""},
        {"attachments": [carrier(["a:2", "b:"], encoding="none", x=1), {}]},
    ),
    (
        {"attachments": [{}, carrier('["a:1"]', encoding="json")]},
        {"a": "2"},
        {"attachments": [{}, carrier('["a:2"]', encoding="json")]},
    ),
    # and becomes an object when a value is no string
    ({"attachments": [carrier(["a:1"])]}, {"a": 2}, {"attachments": [carrier({"a": 2})]}),
    ({"attachments": [carrier('["a:1"]')]}, {"a": True}, {"attachments": [carrier('{"a":true}')]}),
    # the object dialect
    (
        {"attachments": [carrier({"a": 1, "c": None, "d": [1]})]},
        {"b": "x"},
        {"attachments": [carrier({"b": "x", "c": None, "d": [1]})]},
    ),
    (
        {"attachments": [carrier(base64url({"a": 1}), encoding="base64url")]},
        {"a": 2},
        {
            "attachments": [
                carrier(base64.urlsafe_b64encode(b'{"a":2}').decode().rstrip("="), encoding="base64url")
            ]
        },
    ),
    ({"tags": {"a": 1, "keep": {}}}, {"b": 2}, {"tags": {"b": 2, "keep": {}}}),
    # the first carrier has all, the others none
    (
        {"tags": {"t": 1, "no": []}, "attachments": [carrier(["a:1", 7]), carrier({"b": 1})]},
        {"a": "x", "t": "y"},
        {"tags": {"no": []}, "attachments": [carrier(["a:x", "t:y", 7]), carrier({})]},
    ),
    # entries that are no tags and that an object cannot hold stay where they are
    (
        {"attachments": [carrier(["a:1", 7]), carrier({})]},
        {"a": 1},
        {"attachments": [carrier([7]), carrier({"a": 1})]},
    ),
    # no tags left
    (
        {"attachments": [carrier(["a:1"]), carrier('{"b": 1}')], "tags": {"c": 1}},
        {},
        {"attachments": [carrier([]), carrier("{}")], "tags": {}},
    ),
    # a carrier without a body, and one that cannot be read
    ({"attachments": [carrier(None)]}, {"a": "1"}, {"attachments": [carrier(["a:1"], encoding="json")]}),
    (
        {"attachments": [carrier("what"), carrier("")]},
        {"a": 1},
        {"attachments": [carrier("what"), carrier({"a": 1}, encoding="json")]},
    ),
]


@pytest.mark.parametrize(("vcon", "tags", "wanted"), WRITTEN)
def test_first_carrier_is_rewritten_and_the_others_are_emptied(
    vcon: JsonObject, tags: dict[str, TagValue], wanted: JsonObject
) -> None:
    before = copy.deepcopy(vcon)

    written = write_tags(vcon, tags)

    assert written == wanted
    assert read_tags(written)[0] == tags
    assert vcon == before


@pytest.mark.parametrize(
    ("tags", "body"),
    [({"a": "x", "b": ""}, ["a:x", "b:"]), ({"a": "x", "n": 1}, {"a": "x", "n": 1})],
)
def test_without_a_carrier_one_attachment_is_appended_last(tags: dict[str, TagValue], body: Any) -> None:
    vcon: JsonObject = {
        "created_at": "2025-10-14T12:30:00+02:00",
        "parties": [{}],
        "dialog": [{}],
        "attachments": [{"a": 1}],
    }

    written = write_tags(vcon, tags)

    assert written["attachments"][0] == {"a": 1}
    assert written["attachments"][1:] == [
        {
            "purpose": "tags",
            "type": "tags",
            "start": DATE,
            "party": 0,
            "dialog": 0,
            "mediatype": "application/json",
            "encoding": "json",
            "body": body,
        }
    ]


def test_appended_attachment_points_at_nothing_that_is_not_there() -> None:
    written = write_tags({"parties": [], "attachments": None}, {"a": "x"})

    (appended,) = written["attachments"]
    assert appended.keys() == {"purpose", "type", "mediatype", "encoding", "body"}


def test_tags_beyond_the_most_stay_in_their_carrier_when_others_change() -> None:
    vcon = {"tags": {f"k{number}": number for number in range(260)}}
    tags = {**read_tags(vcon)[0], "k0": "changed"}

    written = write_tags(vcon, tags)

    assert written["tags"]["k0"] == "changed"
    assert written["tags"]["k259"] == 259
    assert read_tags(written)[0] == tags


def test_one_and_true_are_different_values_and_one_and_one_point_zero_are_not() -> None:
    vcon = {"tags": {"a": 1}}

    assert write_tags(vcon, {"a": 1.0}) is vcon
    assert write_tags(vcon, {"a": True})["tags"]["a"] is True


keys = st.text(min_size=1, max_size=20).filter(lambda key: tag_key_problem(key) is None)
values = st.one_of(
    st.text(max_size=20), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()
)
tag_sets = st.dictionaries(keys, values.filter(lambda value: tag_value_problem(value) is None), max_size=6)
entries = st.one_of(st.text(max_size=12), st.integers(), st.none())
bodies = st.one_of(
    st.none(),
    st.text(max_size=8),
    st.lists(entries, max_size=4),
    st.dictionaries(
        st.text(max_size=5), st.one_of(values, st.none(), st.lists(st.integers(), max_size=1)), max_size=4
    ),
)
vcons = st.fixed_dictionaries(
    {"attachments": st.lists(bodies.map(carrier), max_size=3), "tags": bodies},
)


@given(vcons, tag_sets)
def test_written_tags_are_read_back_from_any_vcon(vcon: JsonObject, tags: dict[str, TagValue]) -> None:
    before = copy.deepcopy(vcon)

    written = write_tags(vcon, tags)

    found = read_tags(written)[0]
    assert found == tags
    assert {key: isinstance(value, bool) for key, value in found.items()} == {
        key: isinstance(value, bool) for key, value in tags.items()
    }
    assert vcon == before
