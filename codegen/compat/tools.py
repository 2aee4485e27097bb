"""Changes of one tool: what tools/list says of it, and its two schemas."""

from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen.compat.findings import Finding, Witness, fact
from vcontract.codegen.compat.promises import PROMISED_HINTS, SCOPES, STABILITIES
from vcontract.codegen.compat.rule import Rule, level_for
from vcontract.codegen.compat.rules import rule_for
from vcontract.codegen.compat.shared import rate_text, tighter_rate
from vcontract.codegen.compat.texts import ABSENT, canonical, json_text
from vcontract.codegen.compat.walk import Change, walk
from vcontract.codegen.compat.witnesses import answer_of, listing_of, witness_of
from vcontract.codegen.documents import JsonObject, JsonValue
from vcontract.codegen.members import members_of

_ALL_LEVELS: Final = 64
"""More than any input has."""
_CODES: Final = ("error.error.code", "error.error_code")
"""Where an answer names its error; which errors there are is compared by themselves."""

_HINTS: Final = {
    "readOnlyHint": "read only",
    "destructiveHint": "not destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "closed world",
}
_PROMISES: Final = {**PROMISED_HINTS, "openWorldHint": False}


class ToolComparison:
    """Compares one tool with what it was; `name` is the one it had before."""

    def __init__(self, name: str, before: JsonObject, after: JsonObject) -> None:
        self._name = name
        self._before = before
        self._after = after
        self._held = str(before["stability"])

    def findings(self, classes_before: JsonObject, classes_after: JsonObject) -> Iterator[Finding]:
        """Every change of the tool; the rate classes are those of the two policies."""
        yield from self._words()
        yield from self._stability()
        yield from self._hints()
        yield from self._access()
        yield from self._rate(classes_before, classes_after)
        yield from self._errors()
        yield from self._view()
        yield from self._listing()
        yield from self._schemas()

    def finding(
        self, kind: str, action: str, path: str, before: str, after: str, witness: Witness | None = None
    ) -> Finding:
        return self._held_to(rule_for("tool", kind, action), path, f"its {kind}", before, after, witness)

    def _held_to(
        self, rule: Rule, path: str, words: str, before: str, after: str, witness: Witness | None
    ) -> Finding:
        """A finding at the level that the tool's stability before allows."""
        level, because = level_for(rule, self._held)
        return Finding(rule, level, self._name, path, words, before, after, witness, because)

    def _changed(self, member: str) -> tuple[JsonValue, JsonValue] | None:
        before, after = self._before.get(member), self._after.get(member)
        return None if before == after else (before, after)

    def _words(self) -> Iterator[Finding]:
        for member in ("title", "description"):
            if changed := self._changed(member):
                yield self.finding(member, "changed", member, *changed)
        if changed := self._changed("deprecated"):
            before, after = changed
            action = "removed" if after is None else "added"
            yield self.finding("deprecation", action, "deprecated", json_text(before), json_text(after))

    def _stability(self) -> Iterator[Finding]:
        if changed := self._changed("stability"):
            before, after = changed
            lowered = STABILITIES.index(after) < STABILITIES.index(before)
            witness = listing_of(self._name, self._after, "stability") if lowered else None
            action = "lowered" if lowered else "raised"
            yield self.finding("stability", action, "stability", before, after, witness)

    def _hints(self) -> Iterator[Finding]:
        for hint, kind in _HINTS.items():
            before, after = (tool["annotations"][hint] for tool in (self._before, self._after))
            if before is after:
                continue
            withdrawn = before is _PROMISES[hint]
            held = withdrawn and hint in PROMISED_HINTS
            witness = listing_of(self._name, self._after, "annotations") if held else None
            action, path = "withdrawn" if withdrawn else "promised", f"annotations.{hint}"
            yield self.finding(kind, action, path, json_text(before), json_text(after), witness)

    def _access(self) -> Iterator[Finding]:
        if changed := self._changed("scope"):
            before, after = changed
            raised = SCOPES.index(after) > SCOPES.index(before)
            witness = fact("before", name=self._name, scope=before) if raised else None
            yield self.finding("scope", "raised" if raised else "lowered", "scope", before, after, witness)
        if changed := self._changed("toolset"):
            yield self.finding("toolset", "changed", "toolset", *changed)

    def _rate(self, classes_before: JsonObject, classes_after: JsonObject) -> Iterator[Finding]:
        if changed := self._changed("rate_class"):
            before, after = classes_before[changed[0]], classes_after[changed[1]]
            action = "tightened" if tighter_rate(before, after) else "loosened"
            texts = f"{changed[0]}: {rate_text(before)}", f"{changed[1]}: {rate_text(after)}"
            yield self.finding("rate", action, "rate_class", *texts)

    def _errors(self) -> Iterator[Finding]:
        before, after = self._before["errors"], self._after["errors"]
        for code in (code for code in before if code not in after):
            yield self.finding("error", "removed", f"errors.{code}", code, ABSENT)
        for code in (code for code in after if code not in before):
            yield self.finding("error", "added", f"errors.{code}", ABSENT, code)

    def _view(self) -> Iterator[Finding]:
        if changed := self._changed("ui"):
            before, after = changed
            action = "added" if before is None else "removed" if after is None else "changed"
            yield self.finding("view", action, "ui", before or ABSENT, after or ABSENT)

    def errors_replaced(self, was: Sequence[JsonObject], now: Sequence[JsonObject]) -> Iterator[Finding]:
        """The calls of examples that are answered with other errors than they were."""
        old, new = _errors_by_call(was), _errors_by_call(now)
        for call in (call for call in old if call in new):
            for code, example in old[call].items():
                if code not in new[call]:
                    witness = fact("before", name=self._name, arguments=example["params"], error=code)
                    path, others = f"examples.{example['name']}", ", ".join(new[call])
                    yield self.finding("error", "changed", path, code, others, witness)

    def _listing(self) -> Iterator[Finding]:
        before, after = _members_shown(self._before), _members_shown(self._after)
        for path, was_shown in before.items():
            if path in after and after[path] is not was_shown:
                words = ("shown", "not shown") if was_shown else ("not shown", "shown")
                yield self.finding("listing", "changed", path, *words)

    def _schemas(self) -> Iterator[Finding]:
        before, after = self._before["inputSchema"], self._after["inputSchema"]
        for change in walk("input", before, after, "input"):
            yield self._of_change(change, before, after)
        if changed := self._changed("envelope"):
            witness = answer_of(self._name, self._after)
            yield self.finding("envelope", "changed", "envelope", *changed, witness)
            return
        before, after = self._before["outputSchema"], self._after["outputSchema"]
        for change in walk("output", before, after, "output"):
            if not (change.rule.kind == "enum value" and change.place.path in _CODES):
                yield self._of_change(change, before, after)

    def _of_change(self, change: Change, before: JsonObject, after: JsonObject) -> Finding:
        witness = None if change.rule.level == "INFO" else witness_of(change, self._name, before, after)
        place = change.place
        return self._held_to(change.rule, place.path, place.words, change.before, change.after, witness)


def _errors_by_call(examples: Sequence[JsonObject]) -> dict[str, dict[str, JsonObject]]:
    """The examples of errors by what is called and by the code of the error."""
    found: dict[str, dict[str, JsonObject]] = {}
    for example in (example for example in examples if "error" in example):
        found.setdefault(canonical(example["params"]), {})[example["error"]["code"]] = example
    return found


def _members_shown(tool: JsonObject) -> dict[str, bool]:
    """Every member inside the parameters of `tool`, and whether tools/list shows it."""
    whole: JsonObject = tool["inputSchema"]
    shown = _paths(tool.get("listedSchema", whole))
    return {path: path in shown for path in _paths(whole)}


def _paths(schema: JsonObject) -> list[str]:
    return [member.path for member in members_of(schema, levels=_ALL_LEVELS)]
