"""Two states of the contract compared: every finding, the gravest first."""

from collections.abc import Iterator
from dataclasses import replace

from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.compat.rule import LEVELS, level_for
from vcontract.codegen.compat.rules import rule_for
from vcontract.codegen.compat.shared import compare_shared
from vcontract.codegen.compat.state import State
from vcontract.codegen.compat.surface import compare_surface
from vcontract.codegen.compat.texts import ABSENT, json_text
from vcontract.codegen.compat.tools import ToolComparison
from vcontract.codegen.compat.witnesses import call_of, shows
from vcontract.codegen.documents import JsonObject


def compare(before: State, after: State) -> list[Finding]:
    """Every change from one state to the other: by level, then by tool, in the order of its document.

    A witness is kept only when it does show its break.
    """
    found = [
        finding
        if finding.witness is None or shows(finding.witness, before, after)
        else replace(finding, witness=None)
        for part in (
            compare_shared(before.shared, after.shared),
            compare_surface(before, after),
            _tools(before, after),
        )
        for finding in part
    ]
    return sorted(found, key=lambda finding: (LEVELS.index(finding.level), finding.tool or ""))


def _tools(before: State, after: State) -> Iterator[Finding]:
    kept = {name: _successor(name, tool, after) for name, tool in before.tools.items()}
    for name, successor in kept.items():
        if successor is None:
            yield _removed(name, before.tools[name])
        else:
            yield from _compared(name, successor, before, after)
    for name in after.tools.keys() - set(kept.values()):
        tool = after.tools[name]
        rule = rule_for("tool", "tool", "added")
        yield Finding(rule, rule.level, name, "tool", "the tool", ABSENT, str(tool["title"]))


def _successor(name: str, tool: JsonObject, after: State) -> str | None:
    """The tool after that is `tool`: of its name, or with its name as an alias."""
    if name in after.tools:
        return name
    return next((other for other, document in after.tools.items() if name in document["aliases"]), None)


def _removed(name: str, tool: JsonObject) -> Finding:
    rule = rule_for("tool", "tool", "removed")
    level, because = level_for(rule, tool["stability"])
    witness = call_of(name, tool, "before")
    return Finding(rule, level, name, "tool", "the tool", str(tool["title"]), ABSENT, witness, because)


def _compared(name: str, successor: str, before: State, after: State) -> Iterator[Finding]:
    old, new = before.tools[name], after.tools[successor]
    yield from _names(name, successor, old, new)
    comparison = ToolComparison(name, old, new)
    classes = (state.shared["policy"]["rate_classes"] for state in (before, after))
    yield from comparison.findings(*classes)
    was, now = before.shared["examples"].get(name), after.shared["examples"].get(successor)
    replaced = list(comparison.errors_replaced(was or (), now or ()))
    yield from replaced
    if was != now and not replaced:
        yield comparison.finding("example", "changed", "examples", json_text(was), json_text(now))


def _names(name: str, successor: str, old: JsonObject, new: JsonObject) -> Iterator[Finding]:
    comparison = ToolComparison(name, old, new)
    if name != successor:
        yield comparison.finding("name", "changed", "name", name, successor)
    for alias in (alias for alias in old["aliases"] if alias not in (*new["aliases"], successor)):
        witness = call_of(alias, old, "before")
        yield comparison.finding("alias", "removed", f"aliases.{alias}", alias, ABSENT, witness)
    for alias in (alias for alias in new["aliases"] if alias not in (*old["aliases"], name)):
        yield comparison.finding("alias", "added", f"aliases.{alias}", ABSENT, alias)
