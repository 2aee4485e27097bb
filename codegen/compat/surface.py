"""Changes of what clients read and ask for beside tools: resources and prompts."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from vcontract.codegen.compat.findings import Finding, Witness
from vcontract.codegen.compat.promises import PROMPT, RESOURCE, arguments_schema
from vcontract.codegen.compat.rule import Rule, level_for
from vcontract.codegen.compat.rules import rule_for
from vcontract.codegen.compat.samples import Samples
from vcontract.codegen.compat.state import State
from vcontract.codegen.compat.texts import ABSENT, json_text
from vcontract.codegen.compat.walk import Change, walk
from vcontract.codegen.compat.witnesses import prompt_call, uri_read, witness_of
from vcontract.codegen.documents import JsonObject

_WORDS: Final = ("title", "description")


def compare_surface(before: State, after: State) -> Iterator[Finding]:
    """Every change of the resources and prompts of two states."""
    for name, resource in before.resources.items():
        held = before.tools.get(resource["tool"], {}).get("stability", "stable")
        comparison = _Comparison("resource", RESOURCE + name, held)
        if name in after.resources:
            yield from _resource(comparison, resource, after.resources[name])
        else:
            witness = uri_read(RESOURCE + name, resource["uris"][0]["uri"], _variables(resource))
            yield comparison.finding("resource", "removed", "resource", resource["title"], ABSENT, witness)
    for name in (name for name in after.resources if name not in before.resources):
        title = after.resources[name]["title"]
        yield _Comparison("resource", RESOURCE + name).finding("resource", "added", "resource", ABSENT, title)
    yield from _prompts(before.prompts, after.prompts)


class _Comparison:
    """Makes the findings of one resource or prompt; `subject` is its name as acceptances have it."""

    def __init__(self, direction: Literal["resource", "prompt"], subject: str, held: str = "stable") -> None:
        self._direction: Literal["resource", "prompt"] = direction
        self.subject = subject
        self._held = held

    def finding(
        self, kind: str, action: str, path: str, before: str, after: str, witness: Witness | None = None
    ) -> Finding:
        rule = rule_for(self._direction, kind, action)
        words = f"the {kind}" if kind == self._direction else f"its {kind}"
        return self._at(rule, path, words, before, after, witness)

    def of_change(self, change: Change, before: JsonObject, after: JsonObject) -> Finding:
        witness = None
        if change.rule.level != "INFO":
            witness = witness_of(change, self.subject, before, after)
        place = change.place
        return self._at(change.rule, place.path, place.words, change.before, change.after, witness)

    def words(self, before: JsonObject, after: JsonObject) -> Iterator[Finding]:
        for member in _WORDS:
            if before[member] != after[member]:
                yield self.finding(member, "changed", member, before[member], after[member])

    def _at(
        self, rule: Rule, path: str, words: str, before: str, after: str, witness: Witness | None
    ) -> Finding:
        level, because = level_for(rule, self._held, "its tool")
        return Finding(rule, level, self.subject, path, words, before, after, witness, because)


def _resource(comparison: _Comparison, before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    yield from comparison.words(before, after)
    if before["tool"] != after["tool"]:
        yield comparison.finding("tool", "changed", "tool", before["tool"], after["tool"])
    old, new = _uris(before), _uris(after)
    for uri in (old[form] for form in old if form not in new):
        witness = uri_read(comparison.subject, uri, _variables(before))
        yield comparison.finding("uri", "removed", f"uris.{uri}", uri, ABSENT, witness)
    for uri in (new[form] for form in new if form not in old):
        yield comparison.finding("uri", "added", f"uris.{uri}", ABSENT, uri)
    variables = before["paramsSchema"], after["paramsSchema"]
    for change in walk("input", *variables, "variables"):
        yield comparison.of_change(change, *variables)
    contents = before["contentSchema"], after["contentSchema"]
    for change in walk("output", *contents, "content"):
        yield comparison.of_change(change, *contents)


def _prompts(before: Mapping[str, JsonObject], after: Mapping[str, JsonObject]) -> Iterator[Finding]:
    successors = {
        name: name if name in after else next((new for new, p in after.items() if name in p["aliases"]), None)
        for name in before
    }
    for name, successor in successors.items():
        comparison, old = _Comparison("prompt", PROMPT + name), before[name]
        if successor is None:
            witness = prompt_call(name, old)
            yield comparison.finding("prompt", "removed", "prompt", old["title"], ABSENT, witness)
            continue
        if successor != name:
            yield comparison.finding("name", "changed", "name", name, successor)
        yield from _prompt(comparison, name, old, successor, after[successor])
    for name in (name for name in after if name not in successors.values()):
        title = after[name]["title"]
        yield _Comparison("prompt", PROMPT + name).finding("prompt", "added", "prompt", ABSENT, title)


def _prompt(
    comparison: _Comparison, name: str, before: JsonObject, successor: str, after: JsonObject
) -> Iterator[Finding]:
    yield from comparison.words(before, after)
    if before["toolset"] != after["toolset"]:
        yield comparison.finding("toolset", "changed", "toolset", before["toolset"], after["toolset"])
    for alias in (one for one in before["aliases"] if one not in (*after["aliases"], successor)):
        witness = prompt_call(alias, before)
        yield comparison.finding("alias", "removed", f"aliases.{alias}", alias, ABSENT, witness)
    for alias in (one for one in after["aliases"] if one not in (*before["aliases"], name)):
        yield comparison.finding("alias", "added", f"aliases.{alias}", ABSENT, alias)
    plans = [json_text({"task": prompt["task"], "steps": prompt["steps"]}) for prompt in (before, after)]
    if plans[0] != plans[1]:
        yield comparison.finding("plan", "changed", "plan", _plan(before), _plan(after))
    schemas = arguments_schema(before), arguments_schema(after)
    for change in walk("input", *schemas, "arguments"):
        yield comparison.of_change(change, *schemas)


def _plan(prompt: JsonObject) -> str:
    """A prompt's task and steps as a text, a line each."""
    steps = (
        " / ".join(step["say"])
        + (f" [when {step['when']}]" if step["when"] else "")
        + (" [optional]" if step["optional"] else "")
        for step in prompt["steps"]
    )
    return "\n".join([prompt["task"], *steps])


def _uris(resource: JsonObject) -> dict[str, str]:
    """The URIs of a resource; the names of their variables do not tell them apart."""
    return {re.sub(r"\{\w+\}", "{}", entry["uri"]): entry["uri"] for entry in resource["uris"]}


def _variables(resource: JsonObject) -> JsonObject:
    """A value for each variable of the resource's URIs."""
    schema: JsonObject = resource["paramsSchema"]
    samples = Samples(schema)
    return {name: samples.smallest(member) for name, member in schema["properties"].items()}
