"""vcon.d.ts: every vCon that fits the schema compiles, and what is plainly wrong does not."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.vcon.calls_050 import CALLS
from vcontract.codegen.documents import JsonObject, compact_json
from vcontract.codegen.generate import print_files
from vcontract.codegen.model import Contract

Compile = Callable[..., list[list[str]]]
Mutations = Callable[[JsonObject], st.SearchStrategy[JsonObject]]

VERSIONS = ("0.3.0", "0.4.0")
IMPORT = 'import type { Vcon } from "./vcon";'

NOT_ASSIGNABLE = "TS2322"
DOES_NOT_FIT = {NOT_ASSIGNABLE, "TS2820", "TS2739", "TS2740", "TS2741"}
"""A value of another type, also where a near one is known; several, many or one of the members missing."""

TIME = "2025-10-14T10:30:00Z"
VCON: JsonObject = {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab", "created_at": TIME, "parties": [{}]}
DIALOG: JsonObject = {"type": "text", "start": TIME, "parties": 0}
ATTACHMENT: JsonObject = {"start": TIME, "party": 0, "dialog": 0}


@dataclass(frozen=True)
class Wrong:
    """A vCon that must not compile."""

    about: str
    vcon: JsonObject


def wrong(about: str, **members: object) -> Wrong:
    return Wrong(about, {**VCON, **members})


def without(document: JsonObject, name: str) -> JsonObject:
    return {member: value for member, value in document.items() if member != name}


WRONG = [
    Wrong("no uuid", without(VCON, "uuid")),
    Wrong("neither uuid nor created_at", {"parties": [{}]}),
    wrong("a number as uuid", uuid=5),
    wrong("null as subject", subject=None),
    wrong("a version unknown to the schema", vcon="0.1.0"),
    wrong("parties as object", parties={"0": {}}),
    wrong("a party that is a string", parties=["James"]),
    wrong("a number as tel", parties=[{"tel": 5}]),
    wrong("an address that is a string", parties=[{"civicaddress": "Main Street"}]),
    wrong("a number among the extensions", extensions=["cc", 1]),
    wrong("a dialog without type", dialog=[without(DIALOG, "type")]),
    wrong("an unknown kind of dialog", dialog=[{**DIALOG, "type": "telepathy"}]),
    wrong("a party index that is text", dialog=[{**DIALOG, "parties": "0"}]),
    wrong("party indices nested too deep", dialog=[{**DIALOG, "parties": [[[0]]]}]),
    wrong("a duration that is text", dialog=[{**DIALOG, "duration": "5 s"}]),
    wrong("an encoding unknown to the draft", dialog=[{**DIALOG, "body": "x", "encoding": "base64"}]),
    wrong("an unknown disposition", dialog=[{**DIALOG, "type": "incomplete", "disposition": "asleep"}]),
    wrong(
        "an unknown party event",
        dialog=[{**DIALOG, "party_history": [{"party": 0, "time": TIME, "event": "sneeze"}]}],
    ),
    wrong(
        "a party event without time",
        dialog=[{**DIALOG, "party_history": [{"party": 0, "event": "join"}]}],
    ),
    wrong("an analysis without type", analysis=[{"vendor": "acme"}]),
    wrong("a dialog index that is text", analysis=[{"type": "summary", "vendor": "acme", "dialog": "0"}]),
    wrong("a content hash that is a number", attachments=[{**ATTACHMENT, "content_hash": 5}]),
]
WRONG_IN_040 = [
    wrong("an attachment without start", attachments=[without(ATTACHMENT, "start")]),
    wrong("a group", group=[]),
    wrong("the version before", vcon="0.3.0"),
    wrong("an analysis without vendor", analysis=[{"type": "summary"}]),
    wrong("an attachment without party", attachments=[without(ATTACHMENT, "party")]),
]


def constant(number: int, vcon: JsonObject) -> str:
    return f"export const vcon{number}: Vcon = {compact_json(vcon)};"


@pytest.fixture(scope="module")
def types(contract: Contract) -> dict[str, str]:
    """Version to the text of its vcon.d.ts."""
    files = {file.path: file.text for file in print_files(contract)}
    return {version: files[f"vcon/{version}/vcon.d.ts"] for version in (*VERSIONS, "0.5.0")}


@pytest.fixture(scope="module")
def validators(contract: Contract) -> dict[str, jsonschema_rs.Draft202012Validator]:
    return {
        schema.version: jsonschema_rs.Draft202012Validator(schema.schema, validate_formats=True)
        for schema in contract.document_schemas
    }


def of_version(vcon: JsonObject, version: str) -> JsonObject:
    return {**vcon, "vcon": version} if "vcon" in vcon else vcon


@pytest.mark.parametrize("version", VERSIONS)
def test_every_example_compiles(
    version: str,
    vcons: Mapping[str, JsonObject],
    types: Mapping[str, str],
    validators: Mapping[str, jsonschema_rs.Draft202012Validator],
    compile_typescript: Compile,
) -> None:
    # An example is of 0.4.0; the older syntax has most of them too.
    given_version = [of_version(vcon, version) for vcon in vcons.values()]
    valid = [vcon for vcon in given_version if validators[version].is_valid(vcon)]
    assert len(valid) == len(vcons) if version == "0.4.0" else len(valid) > len(vcons) / 2

    lines = [IMPORT, *(constant(number, vcon) for number, vcon in enumerate(valid))]

    assert compile_typescript({"vcon.d.ts": types[version]}, lines) == [[] for _ in lines]


def test_calls_of_0_5_0_compile_and_their_mistakes_do_not(
    types: Mapping[str, str],
    validators: Mapping[str, jsonschema_rs.Draft202012Validator],
    compile_typescript: Compile,
) -> None:
    call = CALLS["a call with a hold"]
    mistakes = [
        {**call, "events": [{**call["events"][0], "type": "sneeze"}]},
        {**call, "events": [without(call["events"][0], "time")]},
        {**call, "sessions": [{**call["sessions"][0], "dialog": ["0"]}]},
    ]
    assert [vcon for vcon in mistakes if validators["0.5.0"].is_valid(vcon)] == []

    lines = [IMPORT, *(constant(number, vcon) for number, vcon in enumerate([*CALLS.values(), *mistakes]))]
    found = compile_typescript({"vcon.d.ts": types["0.5.0"]}, lines)

    assert found[: -len(mistakes)] == [[] for _ in lines[: -len(mistakes)]]
    assert all(found[-len(mistakes) :])


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_wrong_does_not_compile(
    version: str,
    types: Mapping[str, str],
    validators: Mapping[str, jsonschema_rs.Draft202012Validator],
    compile_typescript: Compile,
) -> None:
    cases = [*WRONG, *(WRONG_IN_040 if version == "0.4.0" else [])]
    assert [case.about for case in cases if validators[version].is_valid(case.vcon)] == []

    lines = [IMPORT, *(constant(number, case.vcon) for number, case in enumerate(cases))]
    found = compile_typescript({"vcon.d.ts": types[version]}, lines)

    errors = dict(zip((case.about for case in cases), found[1:], strict=True))
    assert {about: codes for about, codes in errors.items() if not codes or set(codes) - DOES_NOT_FIT} == {}


def test_whatever_else_fits_the_schema_compiles_too(
    vcons: Mapping[str, JsonObject],
    types: Mapping[str, str],
    validators: Mapping[str, jsonschema_rs.Draft202012Validator],
    mutations: Mutations,
    compile_typescript: Compile,
) -> None:
    made: list[JsonObject] = []

    @settings(
        max_examples=600,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.filter_too_much,
            HealthCheck.large_base_example,
        ],
    )
    @given(data=st.data())
    def make(data: st.DataObject) -> None:
        example = data.draw(st.sampled_from(sorted(vcons)))
        vcon = data.draw(mutations(vcons[example]))
        if validators["0.4.0"].is_valid(vcon):
            made.append(vcon)

    make()
    assert len(made) > 50

    lines = [IMPORT, *(constant(number, vcon) for number, vcon in enumerate(made))]
    found = compile_typescript({"vcon.d.ts": types["0.4.0"]}, lines)

    assert [
        (codes, json.loads(line.partition(" = ")[2][:-1]))
        for line, codes in zip(lines, found, strict=True)
        if codes
    ] == []


def test_members_have_types_when_they_are_read(types: Mapping[str, str], compile_typescript: Compile) -> None:
    lines = [
        IMPORT,
        "declare const vcon: Vcon;",
        "export const id: string = vcon.uuid;",
        "export const subject: string = vcon.subject;",
        'export const kind: "text" | "recording" = vcon.dialog![0]!.type;',
        'export const text: boolean = vcon.dialog?.[0]?.type === "text";',
        'export const call: boolean = vcon.dialog?.[0]?.type === "call";',
        "export const unknown: number = vcon.further;",
    ]

    found = compile_typescript({"vcon.d.ts": types["0.4.0"]}, lines)

    assert found == [[], [], [], [NOT_ASSIGNABLE], [NOT_ASSIGNABLE], [], ["TS2367"], [NOT_ASSIGNABLE]]
