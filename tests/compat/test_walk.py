"""The schema walk: every difference is reported where it is; a listed one breaks no document."""

from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compat.documents import documents, edited, fits, schemas
from vcontract.codegen.compat.patterns import allows_all_of
from vcontract.codegen.compat.samples import Samples
from vcontract.codegen.compat.schema_diff import path_of, walk
from vcontract.codegen.compat.witnesses import as_read, documents_of, shows
from vcontract.codegen.documents import JsonObject, JsonValue
from vcontract.runtime.frame.calls.schemas import without_placeholders

calmly = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

Way = Literal["input", "output"]


@pytest.mark.parametrize("way", ["input", "output"])
@settings(calmly, max_examples=150)
@given(data=st.data())
def test_a_schema_edited_at_random_breaks_no_document_unless_it_is_said(
    way: Way, data: st.DataObject
) -> None:
    before = data.draw(schemas)
    after = data.draw(edited(before))
    changes = walk(way, before, after, way)
    source, target = (before, after) if way == "input" else (after, as_read(before))

    for change in (change for change in changes if change.rule.level == "ERR"):
        for document in documents_of(change, before, after, []):
            if shows(document, before, after, incoming=way == "input", arguments=False):
                assert fits(source, document)
                assert not fits(target, document)
                break
    if all(change.rule.level == "INFO" for change in changes):
        document = data.draw(documents(source))
        sent = [
            without_placeholders(document, schema) if way == "input" else document
            for schema in (source, target)
        ]
        assert not fits(source, sent[0]) or fits(target, sent[1])


@pytest.mark.parametrize(
    ("wide", "narrow", "allowed"),
    [
        ("^[a-z]+$", "^[a-c]+$", True),
        ("^[a-c]+$", "^[a-z]+$", False),
        ("^(?:a|b|c)$", "^(?:a|b)$", True),
        ("^(?:a|b)$", "^(?:a|b|c)$", False),
        (r"^\d{1,4}$", r"^\d{2,3}$", True),
        (r"^\d{2,3}$", r"^\d{1,4}$", False),
        (r"^\d{4}(?:-\d{2})?$", r"^\d{4}$", True),
        ("^[^/]+$", "^[a-z]+$", True),
        ("^[^a]+$", "^[a-z]+$", False),
        ("^a$", "^b$", False),
        ("^a*b$", "^a+b$", True),
        ("^(a)$", "^(b)$", False),
        ("(", "^a$", False),
    ],
)
def test_a_pattern_allows_all_of_another_where_their_structure_proves_it(
    wide: str, narrow: str, allowed: bool
) -> None:
    assert allows_all_of(wide, narrow) is allowed


def of_one(*forms: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {"value": {"oneOf": list(forms)}}}


@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        # a text of two characters fits both: it was no value, and is one when the forms come apart
        (
            of_one({"type": "string", "maxLength": 2}, {"type": "string", "minLength": 2}),
            of_one({"type": "string", "maxLength": 1}, {"type": "string", "minLength": 2}),
            {"output-composition-changed", "output-bound-tightened"},
        ),
        (
            of_one({"type": "string"}, {"type": "integer"}),
            of_one({"type": "string"}, {"type": "boolean"}),
            {"output-type-changed"},
        ),
        (
            {"type": "object", "properties": {"value": {"anyOf": [{"enum": ["a", "b"]}, {"enum": ["b"]}]}}},
            of_one({"enum": ["a", "b"]}, {"enum": ["b"]}),
            {"output-composition-changed"},
        ),
    ],
)
def test_a_choice_of_exactly_one_is_judged_as_that_where_a_value_may_fit_two(
    before: JsonObject, after: JsonObject, rules: set[str]
) -> None:
    assert {rule for rule, _ in found(before, after)} == rules


def found(before: JsonObject, after: JsonObject) -> list[tuple[str, str]]:
    """Rule and place of each change of an answer."""
    return [(change.rule.id, path_of(change.place)) for change in walk("output", before, after, "output")]


def of_members(shapes: JsonObject, **members: JsonValue) -> JsonObject:
    return {"type": "object", "properties": members, "$defs": shapes}


NOTE: JsonObject = {"$ref": "#/$defs/Note"}
CARD: JsonObject = {"$ref": "#/$defs/Card"}


def test_a_shape_that_holds_itself_or_null_comes_to_an_end() -> None:
    def whole(text: str) -> JsonObject:
        answer = {"anyOf": [NOTE, {"type": "null"}]}
        note = {"type": "object", "properties": {"text": {"type": text}, "answer": answer}}
        return of_members({"Note": note}, note=NOTE)

    assert found(whole("string"), whole("integer")) == [
        ("output-type-changed", "output.note.text"),
        ("output-type-changed", "output.note.answer.text"),
    ]


def test_a_member_that_becomes_the_shape_around_it_comes_to_an_end() -> None:
    def whole(again: JsonObject) -> JsonObject:
        return {
            "type": "object",
            "additionalProperties": NOTE,
            "$defs": {"Note": {"type": "object", "properties": {"again": again}}},
        }

    assert found(whole({}), whole(NOTE)) == [
        ("output-type-narrowed", "output.*.again"),
        ("output-optional-property-added", "output.*.again.again"),
    ]


def test_a_shape_is_compared_at_each_place_and_so_are_the_words_beside_a_reference() -> None:
    def whole(text: str, words: str) -> JsonObject:
        note = {"type": "object", "properties": {"text": {"type": text}}}
        return of_members({"Note": note}, one=NOTE, other={**NOTE, "description": words})

    assert found(whole("string", "This."), whole("integer", "That.")) == [
        ("output-type-changed", "output.one.text"),
        ("output-description-changed", "output.other"),
        ("output-type-changed", "output.other.text"),
    ]


def test_a_shape_that_a_new_property_was_tried_with_is_compared_where_it_stands() -> None:
    shapes: JsonObject = {"Note": {"type": "string"}, "Card": {"type": "integer"}}
    notes = {"type": "object", "additionalProperties": NOTE}

    before = of_members(shapes, notes=notes, last=NOTE)
    after = of_members(shapes, notes={**notes, "properties": {"card": CARD}}, last=CARD)

    assert found(before, after) == [
        ("output-open-property-declared", "output.notes.card"),
        ("output-type-changed", "output.last"),
    ]


def test_what_is_composed_of_a_shape_changes_with_it() -> None:
    def whole(longest: int) -> JsonObject:
        shapes: JsonObject = {"Note": {"not": CARD}, "Card": {"type": "string", "maxLength": longest}}
        return of_members(shapes, note={"type": "string", "allOf": [NOTE]})

    assert found(whole(8), whole(9)) == [("output-composition-changed", "output.note")]


def test_a_union_that_what_stands_around_it_leaves_nothing_of_allows_nothing() -> None:
    texts: JsonObject = {"type": "array", "items": {"type": "string"}}

    before = of_members({}, texts={**texts, "anyOf": [{"type": "string"}, {"type": "null"}]})

    assert found(before, of_members({}, texts=texts)) == [("output-type-widened", "output.texts")]


def test_a_shape_that_may_hold_itself_has_a_smallest_document() -> None:
    note: JsonObject = {
        "type": "object",
        "properties": {"answer": {"anyOf": [{"$ref": "#/$defs/Note"}, {"type": "null"}]}},
        "required": ["answer"],
    }
    schema: JsonObject = {"$ref": "#/$defs/Note", "$defs": {"Note": note}}
    endless: JsonObject = {
        "$ref": "#/$defs/Note",
        "$defs": {"Note": {**note, "properties": {"answer": {"$ref": "#/$defs/Note"}}}},
    }

    assert fits(schema, next(Samples(schema).values(schema)))
    assert list(Samples(endless).values(endless)) == []


def test_an_empty_list_says_nothing_any_more_when_its_parameter_becomes_optional() -> None:
    def whole(*required: str) -> JsonObject:
        texts: JsonObject = {"type": "array", "items": {"type": "string"}}
        closed = {"type": "object", "additionalProperties": False}
        return {**closed, "properties": {"texts": texts}, "required": list(required)}

    changes = walk("input", whole("texts"), whole(), "input")

    assert {(change.rule.id, change.after) for change in changes} == {
        ("input-property-optional", "optional"),
        ("input-not-given-changed", "[] is not given"),
    }


def test_null_in_an_entry_of_a_list_is_given_and_its_loss_a_break() -> None:
    def whole(*types: str) -> JsonObject:
        entry = {"type": "object", "properties": {"b": {"type": list(types)}}, "additionalProperties": False}
        return of_members({}, entries={"type": "array", "items": entry}, alone=entry)

    changes = walk("input", whole("string", "null"), whole("string"), "input")

    assert {(change.rule.id, path_of(change.place)) for change in changes} == {
        ("input-type-narrowed", "input.entries[].b"),
        ("input-not-given-told", "input.alone.b"),
    }
