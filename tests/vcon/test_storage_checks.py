"""What is refused whether or not a vCon is validated."""

from typing import Any

import pytest

from vcontract.runtime.vcon.conformance import VconSchemas, blocking_violations

Wanted = list[tuple[str, str]]

CASES: list[tuple[Any, Wanted]] = [
    ({}, []),
    (None, [("$", "type")]),
    ([], [("$", "type")]),
    ("text", [("$", "type")]),
    (
        {"parties": None, "dialog": None, "subject": None, "redacted": None, "critical": None, "uuid": None},
        [],
    ),
    ({"parties": []}, []),
    ({"parties": {}}, [("$.parties", "type")]),
    ({"dialog": "text"}, [("$.dialog", "type")]),
    ({"analysis": "This should be an array not a string"}, [("$.analysis", "type")]),
    ({"attachments": [{}, None, 5]}, [("$.attachments[1]", "type"), ("$.attachments[2]", "type")]),
    ({"vcon": 0.4}, [("$.vcon", "type")]),
    ({"subject": 5}, [("$.subject", "type")]),
    ({"created_at": 1_700_000_000}, [("$.created_at", "type")]),
    ({"created_at": ""}, []),
    ({"updated_at": []}, [("$.updated_at", "type")]),
    ({"extensions": "cc"}, [("$.extensions", "type")]),
    ({"critical": ["cc", 5]}, [("$.critical[1]", "type")]),
    ({"redacted": []}, [("$.redacted", "type")]),
    ({"amended": "x"}, [("$.amended", "type")]),
    ({"uuid": ""}, [("$.uuid", "format")]),
    ({"uuid": "{01928e10-193e-8231-b9a2-279e0d16bc46}"}, [("$.uuid", "format")]),
    ({"uuid": "01928E10-193E-8231-B9A2-279E0D16BC46"}, []),
    ({"meta": 5, "group": "x", "tags": []}, []),
    ({"subject": "a\0b"}, [("$.subject", "nul_character")]),
    ({"dialog": [{"meta": [{"a": "\0"}]}]}, [("$.dialog[0].meta[0].a", "nul_character")]),
    ({"meta": {"a\0b": 1}}, [("$.meta['a\\u0000b']", "nul_character")]),
    (
        {"a": 1, "x": float("inf"), "y": [float("nan")]},
        [("$.x", "infinite_number"), ("$.y[0]", "infinite_number")],
    ),
    ({"subject": "half \ud83d"}, [("$.subject", "unpaired_surrogate")]),
    ({"subject": "whole \U0001f600 and ü"}, []),
    ({"number": 10**400}, []),
]


@pytest.mark.parametrize(("document", "wanted"), CASES)
def test_document_has_exactly_these_blocking_violations(document: Any, wanted: Wanted) -> None:
    assert [(v.path, v.rule) for v in blocking_violations(document)] == wanted


def nested(levels: int, *, in_arrays: bool) -> Any:
    value: Any = {}
    for _ in range(levels - 1):
        value = [value] if in_arrays else {"a": value}
    return {"a": value} if in_arrays else value


@pytest.mark.parametrize("in_arrays", [False, True])
def test_a_hundred_levels_pass_and_one_more_is_told_once(in_arrays: bool) -> None:
    # given: an array inside the top-level object is one level of it
    deep = nested(99 if in_arrays else 100, in_arrays=in_arrays)
    deeper = nested(100 if in_arrays else 101, in_arrays=in_arrays)

    assert blocking_violations(deep) == []
    assert [violation.rule for violation in blocking_violations(deeper)] == ["too_deep"]


def test_nesting_beyond_the_interpreters_own_limit_is_told_and_does_not_fail() -> None:
    assert [violation.rule for violation in blocking_violations(nested(50_000, in_arrays=False))] == [
        "too_deep"
    ]


def test_checking_text_that_is_no_unicode_tells_it_as_a_violation(schemas: VconSchemas) -> None:
    violations = schemas.all_violations({"subject": "half \ud83d"})

    assert [(v.path, v.rule) for v in violations] == [("$.subject", "unpaired_surrogate")]
