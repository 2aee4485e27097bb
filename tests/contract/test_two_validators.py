"""The library that guards at run time and another one agree on what fits the published schemas."""

from collections.abc import Iterator

import jsonschema
import jsonschema_rs

from tests.contract.examples import PACKAGE, examples
from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object

EXAMPLES = examples()


@sweep("name", sorted(PACKAGE.tools))
def test_both_validators_say_the_same_of_examples_and_of_what_is_near_them(name: str) -> None:
    contract = PACKAGE.read_contract(name)
    mine = [example for tool, example in EXAMPLES if tool == name]
    calls = [near for example in mine for near in (example["params"], *changed(example["params"]))]
    answer = PACKAGE.read_shape(name)["example"]
    answers = [answer, *changed(answer)]

    assert verdicts(contract["inputSchema"], calls) == guarded(contract["inputSchema"], calls)
    assert verdicts(contract["outputSchema"], answers) == guarded(contract["outputSchema"], answers)
    assert set(guarded(contract["outputSchema"], answers)) == {True, False}


def verdicts(schema: JsonObject, documents: list[JsonObject]) -> list[bool]:
    oracle = jsonschema.Draft202012Validator(schema)
    return [oracle.is_valid(document) for document in documents]  # pyright: ignore[reportUnknownMemberType]


def guarded(schema: JsonObject, documents: list[JsonObject]) -> list[bool]:
    guard = jsonschema_rs.Draft202012Validator(schema)
    return [guard.is_valid(document) for document in documents]


def changed(value: JsonObject) -> Iterator[JsonObject]:
    """The object with a member too many, and with each of its members missing, null or changed inside."""
    yield {**value, "surplus": 1}
    for name, member in value.items():
        yield {other: kept for other, kept in value.items() if other != name}
        yield from ({**value, name: wrong} for wrong in _wrong(member))


def _wrong(value: JsonValue) -> Iterator[JsonValue]:
    yield None
    yield 0 if isinstance(value, str) else "x"
    if is_object(value):
        yield from changed(value)
    if is_array(value) and value:
        yield from ([wrong, *value[1:]] for wrong in _wrong(value[0]))
