"""Every edit of the spec is graded by what a client would suffer from it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.compat.documents import fits
from tests.compat.mutations import Mutation, mutations, operators
from tests.compat.test_gate import EDITS
from tests.mutants import mutants
from tests.sweep import sweep
from vcontract.codegen.compat.absent_values import SENT_FOR_NOTHING, is_given
from vcontract.codegen.compat.compare import compare
from vcontract.codegen.compat.findings import Finding, causes_of
from vcontract.codegen.compat.forms import Shapes
from vcontract.codegen.compat.report import acceptance_line
from vcontract.codegen.compat.rules import RULES, Direction, Rule, rule_at, schemas_at
from vcontract.codegen.compat.schema_diff import walk
from vcontract.codegen.compat.witnesses import as_read
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.load import Spec, load_spec
from vcontract.codegen.surface import surface_of
from vcontract.codegen.validate import problems_of
from vcontract.runtime.frame.calls.schemas import without_placeholders

ROOT = Path(__file__).parents[2]
TABLES = {
    "mutations.txt": 131,
    "mutations_own.txt": 60,
    "mutations_rules.txt": 27,
    "mutations_found.txt": 114,
}
ROWS = {name: list(mutations(name)) for name in TABLES}
EDITED = {name: [row for row in rows if " " not in row.grade] for name, rows in ROWS.items()}
STOPPED = [row for row in ROWS["mutations_found.txt"] if row.grade.startswith("LINT")]
KEPT = {
    f"spec/tools/{name}.yaml"
    for name in (
        *("vcon/get_tag", "vcon/get_vcon", "vcon/search_by_tags", "vcon/search_vcons", "vcon/add_tag"),
        *("vcon/create_vcon", "vcon/get_all_tags", "vcon/get_unique_tags", "contract/vcon_search"),
        *("memory/search", "vcon_more/vcon_aggregate", "bridge/capture", "bridge/frame"),
    )
}


@pytest.fixture(scope="module")
def spec() -> Spec:
    """The spec with the tools that the tables edit, and those that resources go with."""
    whole = load_spec(ROOT)
    wanted = KEPT | {
        path
        for path, document in whole.documents.items()
        for resource in whole.the("resources").data["resources"]
        if document.kind == "tool" and document.data["name"] == resource["tool"]
    }
    others = {path for path in whole.documents if path.startswith("spec/tools/")} - wanted
    return whole.without(frozenset(others))


@pytest.fixture(scope="module")
def surface(spec: Spec) -> JsonObject:
    return {**surface_of(spec), "interfaces": operators()}


@pytest.fixture(scope="module")
def judged() -> dict[Mutation, set[str]]:
    """The rules that judged an edit or its reverse, of the edits that a test has tried."""
    return {}


def rules_of(surface: JsonObject, after: JsonObject) -> set[str]:
    """The rules that judge the change from one contract to another, and back."""
    return {one.rule.id for sides in ((surface, after), (after, surface)) for one in compare(*sides)}


def grade(findings: list[Finding]) -> str:
    return findings[0].level if findings else "NONE"


def test_the_tables_are_as_long_as_they_claim() -> None:
    assert all(len(ROWS[name]) >= least for name, least in TABLES.items())
    numbers = Counter(row.number[0] for row in ROWS["mutations_found.txt"])
    assert numbers == {"o": 60, "c": 24, "n": 30}
    assert len({row.number for row in ROWS["mutations_found.txt"]}) == 114
    assert sum(" && " in one.edits for one in EDITED["mutations_own.txt"]) >= 20


@pytest.mark.parametrize(
    "mutation",
    [mutation for table in EDITED.values() for mutation in table],
    ids=lambda mutation: f"{mutation.number} {mutation.grade} {mutation.edits}"[:120],
)
def test_an_edit_has_the_grade_of_what_a_client_suffers(
    mutation: Mutation, spec: Spec, surface: JsonObject, judged: dict[Mutation, set[str]]
) -> None:
    after = mutation.surface(spec)
    findings = compare(surface, after)
    judged[mutation] = {one.rule.id for one in [*findings, *compare(after, surface)]}

    assert grade(findings) == mutation.grade, [
        (finding.level, finding.rule.id, finding.tool, finding.path) for finding in findings
    ]
    for finding in findings:
        if finding.level == "ERR" and finding.tool in surface["tools"] and is_of_schema_or_name(finding):
            assert finding.witness, (finding.rule.id, finding.path)
        if finding.witness:
            assert holds(finding.witness, finding.rule.id, surface, after), finding.witness
            assert invented_ids(finding.witness) == []


@pytest.mark.parametrize("mutation", STOPPED, ids=lambda mutation: f"{mutation.number} {mutation.edits}")
def test_an_edit_that_no_spec_may_have_is_stopped_by_a_lint(mutation: Mutation, spec: Spec) -> None:
    found = {problem.id for problem in problems_of(mutation.of(spec))}

    assert mutation.grade.removeprefix("LINT ") in found


def test_what_the_gate_does_not_grade_here_is_seen_by_a_test_that_has_its_name() -> None:
    seen = {row.grade.removeprefix("SEEN ") for row in ROWS["mutations_found.txt"] if "SEEN" in row.grade}

    assert len(seen) == 13
    assert seen - EDITS.keys() - {mutant.name for mutant in mutants()} == {"a lowered version"}


def is_of_schema_or_name(finding: Finding) -> bool:
    """Whether a call or an answer can show a break of a tool; what it says of itself is a statement."""
    return not finding.rule.where or finding.rule.id in (
        "tool-tool-removed",
        "tool-alias-removed",
        "tool-example-refused",
    )


def holds(witness: JsonObject, rule: str, before: JsonObject, after: JsonObject) -> bool:
    """Whether a witness is valid on one side only: judged by another library, and by the dispatcher's words
    for what is not given."""
    old, new = ({**side, "tools": {**side["tools"]}} for side in (before, after))
    name, document = witness.values()
    if "document" in witness:
        schemas = [side["vcon"][name.removeprefix("vCon ")] for side in (old, new)]
        takes, refuses = schemas if rule.startswith("input") else (schemas[1], as_read(schemas[0]))
        return fits(takes, document) and not fits(refuses, document)
    is_tool = name in old["tools"] or name in new["tools"]
    part, member = ("tools", "input") if is_tool else ("prompts", "arguments")
    if "response" in witness:
        return fits(new[part][name]["output"], document) and not fits(
            as_read(old[part][name]["output"]), document
        )
    if rule == "tool-example-refused":
        return [refuses_outright(side[part][name], document) for side in (old, new)] == [False, True]
    taken = [
        fits(side[part][name][member], without_placeholders(document, side[part][name][member]))
        if name in side[part]
        else False
        for side in (old, new)
    ]
    return taken == [True, False]


def invented_ids(value: JsonValue) -> list[str]:
    """Members of a witness that name a vCon and hold any text: what every server refuses shows nothing."""
    if is_array(value):
        return [found for entry in value for found in invented_ids(entry)]
    members = value if is_object(value) else {}
    own = [
        name for name, member in members.items() if "uuid" in name and member in ("text", "not of this kind")
    ]
    return own + [found for member in members.values() for found in invented_ids(member)]


def refuses_outright(tool: JsonObject, arguments: JsonObject) -> bool:
    """Whether a tool refuses arguments by the members of one of their objects."""
    places = [key.split(" ") for key in tool["refuses"]]
    return any(set(having.split("+")) <= arguments.get(at[2:], {}).keys() for at, having in places)


NUMBER: JsonObject = {"type": "number"}
TEXT: JsonObject = {"type": "string"}
OPEN: JsonObject = {"type": "object", "additionalProperties": TEXT}
FORMS = [
    {"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]} for kind in ("a", "b")
]
SCHEMAS: list[tuple[JsonObject, JsonObject]] = [
    (TEXT, {"type": ["string", "null"]}),
    (TEXT, NUMBER),
    (FORMS[0], {"anyOf": FORMS}),
    ({**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["a", "b"]}),
    ({**TEXT, "enum": ["a"], "x-grows": False}, {**TEXT, "enum": ["a", "b"], "x-grows": False}),
    ({**TEXT, "enum": ["a"], "x-grows": True}, {**TEXT, "enum": ["a", "b"], "x-grows": True}),
    (
        {**TEXT, "enum": ["a"], "x-grows": True, "description": "A; may grow."},
        {**TEXT, "enum": ["a"], "x-grows": False, "description": "A; will not grow."},
    ),
    (TEXT, {**TEXT, "enum": ["a"]}),
    (NUMBER, {**NUMBER, "minimum": 1}),
    ({**NUMBER, "multipleOf": 2}, {**NUMBER, "multipleOf": 3}),
    (TEXT, {**TEXT, "pattern": "^a$"}),
    ({**TEXT, "pattern": "^b$"}, {**TEXT, "pattern": "^a$"}),
    (TEXT, {**TEXT, "format": "date"}),
    ({**TEXT, "format": "uuid"}, {**TEXT, "format": "date"}),
    ({"type": "object"}, {"type": "object", "additionalProperties": False}),
    ({**OPEN, "properties": {"a": NUMBER}}, OPEN),
    ({**OPEN, "properties": {"a": TEXT}}, OPEN),
    (TEXT, {**TEXT, "not": {"const": "a"}}),
    ({**TEXT, "description": "One."}, {**TEXT, "description": "Another."}),
    ({**TEXT, "description": "Its kind; by default a."}, {**TEXT, "description": "Its kind; by default b."}),
    (TEXT, {**TEXT, "default": "a"}),
    ({**TEXT, "minLength": 0}, TEXT),
    ({**TEXT, "minLength": 1}, TEXT),
]
"""A schema of a member before and after; each pair is also read backwards, and as an answer's."""


def holder(value: JsonObject | None = None, *, needed: bool = False) -> JsonObject:
    """An object with a member of this schema, or without one."""
    members: JsonObject = {"value": value} if value else {}
    required: list[JsonValue] = ["value"] if needed else []
    return {"type": "object", "properties": members, "required": required, "additionalProperties": False}


HOLDERS = [
    (holder(), holder(TEXT)),
    (holder(), holder(TEXT, needed=True)),
    (holder(TEXT), holder(TEXT, needed=True)),
]


PRINTED: JsonObject = {"from": "tools/get_tag", "of": "0", "type": "1"}
PUBLISHED: list[tuple[JsonObject, JsonObject]] = [
    ({}, PRINTED),
    (PRINTED, {**PRINTED, "type": "2", "more": "3"}),
]
"""A published name before and after."""

RENAMED = 'tools/vcon/get_tag.yaml name = "read_tag" && tools/vcon/get_tag.yaml aliases = ["get_tag"]'


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        (PRINTED, {**PRINTED, "type": "2"}, ["published-part-changed"]),
        (PRINTED, {**PRINTED, "of": "9", "type": "2"}, []),
        (PRINTED, {**PRINTED, "from": "tools/add_tag"}, []),
        (PRINTED, {}, ["published-name-removed"]),
        ({**PRINTED, "from": "tools/gone"}, {}, []),
    ],
)
def test_a_published_name_is_judged_where_the_spec_does_not_explain_its_change(
    surface: JsonObject, old: JsonObject, new: JsonObject, rules: list[str]
) -> None:
    sides = [{**surface, "published": {"GetTagParams": side} if side else {}} for side in (old, new)]

    assert [finding.rule.id for finding in compare(*sides)] == rules


def test_each_rule_has_an_example_that_it_judges(
    spec: Spec, surface: JsonObject, judged: dict[Mutation, set[str]]
) -> None:
    holders = [*((holder(old), holder(new)) for old, new in SCHEMAS), *HOLDERS]
    ways: tuple[Direction, ...] = ("input", "output")
    rules = {
        change.rule.id
        for way in ways
        for old, new in holders
        for sides in ((old, new), (new, old))
        for change in walk(way, *sides, way)
    }
    for mutation in (mutation for table in EDITED.values() for mutation in table):
        known = mutation in judged
        rules |= judged[mutation] if known else rules_of(surface, mutation.surface(spec))
    for old, new in PUBLISHED:
        before, after = (
            {**surface, "published": {"GetTagParams": side} if side else {}} for side in (old, new)
        )
        rules |= rules_of(before, after)
    renamed = Mutation("INFO", RENAMED).surface(spec)
    rules |= {one.rule.id for one in compare({**surface, "published": {"GetTagParams": PRINTED}}, renamed)}

    assert RULES.keys() - rules == set()


@sweep(
    "rule",
    [rule for rule in RULES.values() if rule.where and rule.actions != ("renamed",)],
    ids=lambda rule: rule.id,
)
def test_without_its_rule_a_leaf_is_a_warning_that_names_itself(rule: Rule) -> None:
    others = [other for other in RULES.values() if other != rule]
    for action in set(rule.actions) - {"any"} or {"changed"}:
        where = re.sub(r"\{([^,}]*)[^}]*\}", r"\1", rule.where)
        path = tuple(step.replace("**", "leaf").replace("*", "entry") for step in where.split("/"))
        decided = rule_at(path, action)
        assert decided, path
        if decided == rule:
            left = rule_at(path, action, others)
            assert left is None or "*" in left.where, f"{rule.id} and {left and left.id} say the same"


def test_a_leaf_that_no_rule_knows_is_a_warning(surface: JsonObject) -> None:
    after = {**surface, "surprise": {"of": {"a": 1}}, "server": {**surface["server"], "motto": "Carpe diem"}}

    assert {(one.level, one.rule.id, one.path) for one in compare(surface, after)} == {
        ("WARN", "unclassified", "surprise.of.a"),
        ("WARN", "unclassified", "server.motto"),
    }


def test_each_leaf_of_the_contract_is_known_to_a_rule(surface: JsonObject) -> None:
    unknown = {
        "/".join(path)
        for path, value in leaves(surface, ())
        if path[0] not in ("version", "shapes")
        for after in [put(surface, path, changed(value))]
        for finding in compare(surface, after)
        if finding.rule.id == "unclassified"
    }

    assert unknown == set()


def leaves(value: JsonValue, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    """One leaf for each kind of place: entries of maps by name are alike, and the first stands for all."""
    if schemas_at(path):
        return
    if not is_object(value) or not value:
        yield path, value
        return
    alike = "/".join(path) in NAMED or (len(path) == 3 and path[2] in INNER)
    for name in list(value)[: 1 if alike else None]:
        yield from leaves(value[name], (*path, name))


NAMED = (
    "toolsets errors reasons tools resources prompts apps vcon templates legacy dealers sizes formats "
    "interfaces"
).split()
INNER = ("examples", "messages", "refuses", "codes", "completions")
OTHERS = {
    "vcon": "contract",
    "contract": "vcon",
    "vcon_more": "vcon",
    "memory": "vcon",
    "bridge": "vcon",
    "read": "write",
    "write": "read",
    "admin": "read",
    "stable": "beta",
    "beta": "stable",
    "experimental": "stable",
    "other": "search",
    "search": "other",
    "create": "other",
}
"""Words that are names of something else, and another of the same kind."""


def put(document: JsonObject, path: Sequence[str], value: JsonValue) -> JsonObject:
    """A copy of the document with another value at `path`."""
    name, *rest = path
    return {**document, name: put(document[name], rest, value) if rest else value}


def changed(value: JsonValue) -> JsonValue:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return OTHERS.get(value, "another")
        case _:
            return [*value, "another"] if is_array(value) else {"another": "value"}


@pytest.fixture(scope="module")
def tools() -> JsonObject:
    """Every tool as clients see it."""
    whole: JsonObject = surface_of(load_spec(ROOT))["tools"]
    return whole


@pytest.mark.parametrize("sent", SENT_FOR_NOTHING, ids=repr)
def test_gate_and_dispatcher_agree_on_what_is_not_given(sent: JsonValue, tools: JsonObject) -> None:
    for tool in tools.values():
        schema = tool["input"]
        for name, member in schema["properties"].items():
            given = name in without_placeholders({name: sent}, schema)
            said = is_given(sent, member, Shapes.of(schema), closed=True)
            if name not in schema.get("required", []) and said is not None:
                assert given is said, (tool["title"], name)


def test_a_change_of_one_cause_is_one_entry_that_one_line_accepts(spec: Spec, surface: JsonObject) -> None:
    edit = "shapes/mixins.yaml mixins/budgeted/params/properties/max_response_bytes/maximum = 5000"
    findings = compare(surface, Mutation("ERR", edit).surface(spec))

    breaks = [cause for cause in causes_of(findings) if cause.first.level == "ERR"]

    assert [(cause.places, len(cause.subjects)) for cause in breaks] == [("2 places", 2)]
    assert acceptance_line(breaks[0]).count("rule:") == 1


def test_an_example_differs_member_by_member(spec: Spec, surface: JsonObject) -> None:
    edit = 'tools/vcon/get_tag.yaml examples/there/response/value = "support"'
    (finding,) = compare(surface, Mutation("INFO", edit).surface(spec))

    assert (finding.before, finding.after) == ('response.value: "sales"', 'response.value: "support"')
