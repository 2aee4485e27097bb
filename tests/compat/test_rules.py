"""The rules prove themselves: exact findings, breaks with a witness, harmless changes tried at random."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compat import cases
from tests.compat.cases import states
from tests.compat.documents import documents, edited, fits, schemas
from vcontract.codegen.compat.comparison import compare
from vcontract.codegen.compat.findings import Finding, Witness
from vcontract.codegen.compat.promises import as_read, entry_named, listing_promise, promised
from vcontract.codegen.compat.report import finding_document, shortened
from vcontract.codegen.compat.rule import LEVELS, Direction, Rule
from vcontract.codegen.compat.rules import RULES
from vcontract.codegen.compat.samples import NoDocumentError, Samples
from vcontract.codegen.compat.state import State
from vcontract.codegen.compat.walk import walk
from vcontract.codegen.compat.witnesses import shows, witness_of
from vcontract.codegen.documents import JsonObject, JsonValue

MIRRORED_DIRECTIONS: Mapping[Direction, Direction] = {"input": "output", "output": "input"}

MIRRORED_ACTIONS: Mapping[str, str] = {
    one: other
    for pair in (
        ("added", "removed"),
        ("required", "optional"),
        ("declared", "undeclared"),
        ("widened", "narrowed"),
        ("set", "dropped"),
        ("tightened", "loosened"),
        ("closed", "opened"),
        ("raised", "lowered"),
        ("promised", "withdrawn"),
        ("changed", "changed"),
    )
    for one, other in (pair, pair[::-1])
}
"""An action, and the one that takes it back."""

calmly = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


def test_each_rule_has_its_case() -> None:
    assert cases.names() == sorted(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_the_findings_are_exactly_the_expected(rule: str) -> None:
    findings = compare(*states(rule))
    found, case = [finding_document(finding) for finding in findings], cases.case(rule)

    assert found == case.findings, case.explained(found)
    assert {finding.rule.id for finding in findings} == {rule}
    assert {finding.level for finding in findings} == {RULES[rule].level}


@pytest.mark.parametrize("rule", RULES)
def test_a_state_does_not_differ_from_itself(rule: str) -> None:
    before, after = states(rule)

    assert compare(before, before) == compare(after, after) == []


def keeps(state: State, witness: Witness) -> bool:
    """Whether the document is valid in `state`, judged without the checker's validator."""
    if witness.kind == "fact":
        return fits(promised(state, witness), witness.document)
    tool = entry_named(state, witness.document["name"])
    if tool is None:
        return False
    match witness.kind:
        case "call":
            return fits(tool["inputSchema"], witness.document["arguments"])
        case "response":
            return fits(as_read(tool["outputSchema"]), witness.document["response"])
        case "listing":
            return fits(listing_promise(tool), witness.document)
        case "read":
            return fits(promised(state, witness), witness.document)


BREAKS = [rule for rule, found in RULES.items() if found.level == "ERR"]


@pytest.mark.parametrize("rule", BREAKS)
def test_each_break_has_a_witness_that_is_valid_on_one_side_only(rule: str) -> None:
    before, after = states(rule)

    for finding in compare(before, after):
        witness = finding.witness
        assert witness is not None, finding
        valid, refused = (before, after) if witness.valid == "before" else (after, before)
        assert keeps(valid, witness), witness
        assert not keeps(refused, witness), witness
        assert shows(witness, before, after)


OF_TOOLS = [rule for rule in BREAKS if RULES[rule].direction not in ("prompt", "contract")]


@pytest.mark.parametrize("rule", OF_TOOLS)
def test_a_tool_that_is_not_stable_is_held_to_a_warning(rule: str) -> None:
    before, after = states(rule)
    unstable = {name: {**tool, "stability": "experimental"} for name, tool in before.tools.items()}

    findings = compare(replace(before, tools=unstable), after)

    found = [finding for finding in findings if finding.rule.id == rule]
    assert [finding.level for finding in found] == ["WARN"] * len(found)
    assert all("experimental" in finding.lowered_because for finding in found)
    assert bool(found) is (rule != "tool-stability-lowered")


def sides(direction: Direction, before: JsonObject, after: JsonObject) -> tuple[JsonValue, JsonValue]:
    """The schema that documents come from, and the one that has to take them all."""
    return (before, after) if direction == "input" else (after, as_read(before))


HARMLESS = [
    rule
    for rule, found in RULES.items()
    if found.level == "INFO" and found.direction in ("input", "output") and not found.read_by_model
]


@pytest.mark.parametrize("rule", HARMLESS)
@settings(calmly, max_examples=30)
@given(data=st.data())
def test_what_is_only_listed_breaks_no_document(rule: str, data: st.DataObject) -> None:
    before, after = (next(iter(state.tools.values())) for state in states(rule))
    schema = "inputSchema" if RULES[rule].direction == "input" else "outputSchema"
    source, target = sides(RULES[rule].direction, before[schema], after[schema])

    assert fits(target, data.draw(documents(source)))


@pytest.mark.parametrize("way", ["input", "output"])
@settings(calmly, max_examples=150)
@given(data=st.data())
def test_a_schema_edited_at_random_breaks_no_document_unless_it_is_said(
    way: Literal["input", "output"], data: st.DataObject
) -> None:
    before = data.draw(schemas)
    after = data.draw(edited(before))
    changes = walk(way, before, after, way)
    source, target = sides(way, before, after)

    for change in changes:
        if change.rule.level == "ERR" and (witness := witness_of(change, "tool", before, after)):
            document = witness.document["arguments" if way == "input" else "response"]
            assert fits(source, document)
            assert not fits(target, document)
    if all(change.rule.level == "INFO" for change in changes):
        assert fits(target, data.draw(documents(source)))


def mirrors_of(rule: Rule) -> Iterator[tuple[Direction, str, str]]:
    """`(direction, kind, action)` of the rules that a complete set has beside `rule`."""
    if rule.direction in MIRRORED_DIRECTIONS:
        yield MIRRORED_DIRECTIONS[rule.direction], rule.kind, rule.action
    yield rule.direction, rule.kind, MIRRORED_ACTIONS[rule.action]


def test_each_rule_has_its_mirrors_or_says_why_not() -> None:
    known = {(rule.direction, rule.kind, rule.action) for rule in RULES.values()}

    lacking = {
        rule.id: missing
        for rule in RULES.values()
        if (missing := [mirror for mirror in mirrors_of(rule) if mirror not in known]) and not rule.alone
    }
    idle = [rule.id for rule in RULES.values() if rule.alone and known.issuperset(mirrors_of(rule))]

    assert lacking == {}, "give each its mirror, or say in `alone` why it has none"
    assert idle == [], "these have their mirrors: leave out `alone`"


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_says_what_changed_and_what_that_does(rule: Rule) -> None:
    assert rule.level in LEVELS
    assert rule.purpose.endswith(".")
    assert rule.effect.endswith(".")
    assert not (rule.read_by_model and rule.level != "INFO")


def levels(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.path) for finding in findings]


def with_details(state: State, details: JsonObject) -> State:
    errors: JsonObject = state.shared["errors"]
    error = {**errors["BAD_REQUEST"], "details": details}
    return replace(state, shared={**state.shared, "errors": {**errors, "BAD_REQUEST": error}})


def test_details_of_an_error_are_held_to_a_warning() -> None:
    before, _ = states("tool-title-changed")
    after = with_details(before, {"type": "object", "properties": {"reason": {"type": "integer"}}})

    assert levels(compare(before, after)) == [("WARN", "errors.BAD_REQUEST.details.reason")]


def test_calls_that_may_end_in_several_errors_are_held_to_all_of_them() -> None:
    before, after = states("tool-title-changed")
    call: JsonObject = {"params": {"id": "n9"}}
    errors = [{**call, "name": code, "error": {"code": code}} for code in ("NO_SUCH_NOTE", "BAD_REQUEST")]
    before.shared["examples"]["read_note"] = errors
    after.tools["read_note"]["title"] = before.tools["read_note"]["title"]

    after.shared["examples"]["read_note"] = errors[::-1]
    assert levels(compare(before, after)) == [("INFO", "examples")]
    after.shared["examples"]["read_note"] = errors[1:]
    assert levels(compare(before, after)) == [("ERR", "examples.NO_SUCH_NOTE")]


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


def test_another_successor_of_a_deprecated_tool_is_a_finding() -> None:
    _, before = states("tool-deprecation-added")
    _, after = states("tool-deprecation-added")
    after.tools["read_note"]["deprecated"]["successor"] = "get_note"

    assert levels(compare(before, after)) == [("INFO", "deprecated")]


def test_a_renamed_tool_is_compared_with_what_it_was() -> None:
    before, after = states("tool-name-changed")
    del after.tools["get_note"]["inputSchema"]["properties"]["id"]

    assert levels(compare(before, after)) == [("ERR", "input.id"), ("INFO", "name")]


def test_two_forms_of_an_answer_are_told_apart_by_their_members() -> None:
    before, after = states("tool-title-changed")
    listed: JsonObject = {
        "type": "object",
        "properties": {"ok": {"const": True}, "items": {"type": "array", "items": {"type": "string"}}},
        "required": ["ok", "items"],
    }
    for state in (before, after):
        state.tools["read_note"]["title"] = "Read"
        state.tools["read_note"]["outputSchema"]["oneOf"].insert(1, json.loads(json.dumps(listed)))
    branches = after.tools["read_note"]["outputSchema"]["oneOf"]
    branches[1]["properties"]["items"]["items"] = {"type": "integer"}
    branches[0]["properties"]["item"]["required"] = []
    branches[2]["properties"]["error"]["required"] = ["code"]

    assert levels(compare(before, after)) == [
        ("ERR", "output.item.id"),
        ("ERR", "list.items[]"),
        ("ERR", "error.error.message"),
    ]


def test_recursive_shapes_come_to_an_end() -> None:
    before, after = states("tool-title-changed")
    for state, text in ((before, "string"), (after, "integer")):
        state.tools["read_note"]["title"] = "Read"
        schema = state.tools["read_note"]["outputSchema"]
        schema["oneOf"][0]["properties"]["item"]["properties"]["answer"] = {"$ref": "#/$defs/Note"}
        schema["$defs"] = {
            "Note": {
                "type": "object",
                "properties": {"text": {"type": text}, "answer": {"$ref": "#/$defs/Note"}},
            }
        }

    (finding,) = compare(before, after)

    assert finding.path == "output.item.answer.text"
    assert finding.witness is not None
    assert shows(finding.witness, before, after)


def found(before: JsonObject, after: JsonObject) -> list[tuple[str, str]]:
    """Rule and place of each change of an answer."""
    return [(change.rule.id, change.place.path) for change in walk("output", before, after, "output")]


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


def test_words_beside_a_reference_are_compared_at_each_place_and_the_shape_once() -> None:
    def whole(text: str, words: str) -> JsonObject:
        note = {"type": "object", "properties": {"text": {"type": text}}}
        return of_members({"Note": note}, one=NOTE, other={**NOTE, "description": words})

    assert found(whole("string", "This."), whole("integer", "That.")) == [
        ("output-type-changed", "output.one.text"),
        ("output-description-changed", "output.other"),
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


def test_what_a_resource_and_a_prompt_take_and_hold_is_compared_like_a_tool() -> None:
    before, after = states("resource-title-changed")
    after.resources["note"]["title"] = before.resources["note"]["title"]
    after.resources["note"]["paramsSchema"]["properties"]["id"]["maxLength"] = 4
    after.resources["note"]["contentSchema"]["required"] = []
    after.prompts["sum_up"]["arguments"][0]["required"] = True

    findings = compare(before, after)

    assert [(finding.level, finding.tool, finding.words) for finding in findings] == [
        ("ERR", "prompt sum_up", "argument `id` of the prompt"),
        ("ERR", "resource note", "variable `id` of the URI"),
        ("ERR", "resource note", "member `id` of the content"),
    ]
    assert all(finding.witness and shows(finding.witness, before, after) for finding in findings)


def test_a_break_without_a_witness_is_a_break_as_well() -> None:
    before, after = states("input-enum-value-added")
    for state, longest in ((before, 9), (after, 8)):
        state.tools["read_note"]["inputSchema"]["properties"]["kind"] = {
            "type": "string",
            "enum": ["memo"],
            "maxLength": longest,
        }

    (finding,) = compare(before, after)

    assert (finding.level, finding.rule.id, finding.witness) == ("ERR", "input-bound-tightened", None)


@pytest.mark.parametrize(("longest", "shown"), [(2_000, True), (30_000_000, False)])
def test_a_witness_is_no_larger_than_can_be_looked_at(longest: int, shown: bool) -> None:
    before, after = states("input-optional-property-added")
    for state, most in ((before, longest + 10), (after, longest)):
        state.tools["read_note"]["inputSchema"]["properties"]["kind"] = {"type": "string", "maxLength": most}

    (finding,) = compare(before, after)

    assert bool(finding.witness) is shown
    if finding.witness:
        assert shortened(finding.witness.document) == {
            "name": "read_note",
            "arguments": {"id": "text", "kind": f"{'a' * 20}… ({longest + 1} characters)"},
        }


def test_words_and_default_of_a_parameter_that_gets_one_more_form_are_unchanged() -> None:
    before, after = states("input-optional-property-added")
    words = {"description": "Which one.", "default": "a"}
    string, integer = {"type": "string"}, {"type": "integer"}
    for state, schema in ((before, string), (after, {"anyOf": [string, integer]})):
        state.tools["read_note"]["inputSchema"]["properties"]["kind"] = {**schema, **words}

    (finding,) = compare(before, after)

    assert (finding.level, finding.rule.id) == ("INFO", "input-type-widened")


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

    assert fits(schema, Samples(schema).smallest(schema))
    with pytest.raises(NoDocumentError):
        Samples(endless).smallest(endless)
