"""Cases of the rules: a small change of one contract, and the findings that it makes.

A case is an entry of `rules/<first word of its rule>.yaml`. `given` prepares the contract, `change` is what
the gate sees; both map a place to its new value, null to leave it out. `{like: place, …}` copies what stands
at another place and sets the other members.
"""

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from pathlib import Path

from vcontract.codegen.compat.state import State
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object, print_json
from vcontract.codegen.load import read_document

FOLDER = Path(__file__).parent
CASES = FOLDER / "rules"


@dataclass(frozen=True, slots=True)
class Case:
    """Two contracts as documents `{shared, tools, resources, prompts}`, and the findings between them."""

    rule: str
    before: JsonObject
    after: JsonObject
    findings: list[JsonObject]

    def explained(self, findings: Sequence[JsonObject]) -> str:
        """For when `findings` are made instead: what changed, and what the case says when it is meant."""
        before, after = (print_json(contract).splitlines() for contract in (self.before, self.after))
        return "\n".join(
            [
                *unified_diff(before, after, "before", "after", lineterm=""),
                f"The gate found otherwise. If that is right, {self.rule} in tests/compat/{_file(self.rule)}",
                "ends with:",
                f"level: {', '.join(sorted({finding['level'] for finding in findings}))}",
                "findings:",
                *(f"- {json.dumps(_of_case(finding), ensure_ascii=False)}" for finding in findings),
            ]
        )


def names() -> list[str]:
    """The rules that have a case, in alphabetical order."""
    return sorted(rule for path in CASES.iterdir() for rule in _read(f"rules/{path.name}"))


def case(rule: str) -> Case:
    """The case of a rule; its documents are the caller's own."""
    written = copy.deepcopy(_read(_file(rule))[rule])
    before = changed(_read("contract.yaml"), written.get("given", {}))
    head: JsonObject = {"rule": rule, "level": written["level"]}
    findings: list[JsonObject] = [{**head, **finding} for finding in written["findings"]]
    return Case(rule, before, changed(before, written["change"]), findings)


def states(rule: str) -> tuple[State, State]:
    """The two contracts of a rule's case."""
    found = case(rule)
    return State(**found.before), State(**found.after)


def changed(contract: JsonObject, changes: JsonObject) -> JsonObject:
    """The contract with the value of each place exchanged, added or, for null, left out."""
    result = copy.deepcopy(contract)
    for place, value in changes.items():
        within, _, key = place.rpartition("/")
        _put(_at(result, within), key, _written_out(contract, value))
    return result


def _put(holder: JsonValue, key: str, value: JsonValue) -> None:
    if is_array(holder):
        holder[int(key) :] = [value, *holder[int(key) + 1 :]]
    elif value is None:
        del holder[key]
    else:
        holder[key] = value


def _written_out(contract: JsonObject, value: JsonValue) -> JsonValue:
    if not (is_object(value) and "like" in value):
        return value
    others = {name: member for name, member in value.items() if name != "like"}
    return {**copy.deepcopy(_at(contract, value["like"])), **others}


def _at(document: JsonValue, place: str) -> JsonValue:
    for key in place.split("/"):
        document = document[int(key)] if is_array(document) else document[key]
    return document


def _of_case(finding: JsonObject) -> JsonObject:
    return {name: member for name, member in finding.items() if name not in ("rule", "level")}


def _file(rule: str) -> str:
    return f"rules/{rule.partition('-')[0]}.yaml"


@cache
def _read(path: str) -> JsonObject:
    read = read_document(f"tests/compat/{path}", (FOLDER / path).read_text(encoding="utf-8")).data
    assert is_object(read), path
    return read
