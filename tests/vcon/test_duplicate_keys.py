"""Doubled members: every name that stands twice in an object is found, and nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonValue, parse_json
from vcontract.runtime.vcon.duplicate_keys import duplicate_keys

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.sampled_from([":", "a:b:", "\\u003a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


def paths(text: str) -> list[str | None]:
    return [notice.path for notice in duplicate_keys(text, parse_json(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', ["$.a"]),
        ('{"a": 1, "\\u0061": 2}', ["$.a"]),
        ('{"a": {"x": 1}, "b": [0, {"x y": 1, "z": ":", "x y": 2, "x y": 3}]}', ["$.b[1]['x y']"]),
        ('{"a": {"b": 1, "b": 2}, "a": {"c": 1, "c": 2}}', ["$.a", "$.a.c"]),
        # what makes as many colons as a dropped member took away
        ('{"a": 1, "a": "\\u003a"}', ["$.a"]),
        ('{"a": 1, "b": "\\u003A \\\\u003a :"}', []),
        ('{"a": {"a": {"a": "a:a"}}, "b": [":"], "c": 1e999, "d": 123456789012345678901234567890}', []),
        ('[{"a": 1}, {"a": 1}]', []),
    ],
)
def test_a_name_that_stands_twice_in_one_object_is_found(text: str, expected: list[str]) -> None:
    assert paths(text) == expected


def test_the_notice_says_how_often_and_which_one_counts() -> None:
    (notice,) = duplicate_keys('{"a": 1, "a": 2, "a": 3}', {"a": 3})

    assert (notice.code, notice.path) == ("doubled_member", "$.a")
    assert notice.message == '"a" stands 3 times in one object; the last one counts.'


@given(DOCUMENTS, st.booleans(), st.sampled_from([None, 2]))
def test_what_a_writer_made_of_a_document_has_none(
    document: JsonValue, ascii_only: bool, indent: int | None
) -> None:
    assert paths(json.dumps(document, ensure_ascii=ascii_only, indent=indent)) == []


def test_a_number_of_any_length_is_no_hindrance() -> None:
    assert paths('{"a": 1, "a": ' + "9" * 4_000 + "}") == ["$.a"]
