"""Two contracts compared leaf by leaf: every finding, the gravest first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeGuard

from vcontract.codegen.compat.findings import Finding, subject_of
from vcontract.codegen.compat.rules import LEVELS, RULES, UNKNOWN, Level, Path, Rule, rule_at, schemas_at
from vcontract.codegen.compat.texts import ABSENT, canonical, json_text
from vcontract.codegen.compat.walk import Change, walk
from vcontract.codegen.compat.witnesses import Witnesses
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.surface import member_paths

_RANKS: Final[Mapping[str, Sequence[str]]] = {
    "scope": ("read", "write", "admin"),
    "stability": ("experimental", "beta", "stable"),
}
"""Words of a tool that have an order."""

_NOT_COMPARED: Final = frozenset({"version", "shapes"})
"""The version is judged by itself; what changed in a shape is told where the shape stands."""

_CODES: Final = ("error.error.code", "error.error_code")
"""Where an answer names its error; which errors there are is compared by themselves."""

_MISSING: Final = object()


def compare(before: JsonObject, after: JsonObject, rules: Sequence[Rule] | None = None) -> list[Finding]:
    """Every change from one contract to the other: by level, then by subject."""
    renamed, names = _renamed(before, after)
    found = list(
        _Comparison(before, renamed, tuple(RULES.values()) if rules is None else rules).findings(names)
    )
    return sorted(found, key=lambda finding: (LEVELS.index(finding.level), finding.tool or ""))


def _renamed(before: JsonObject, after: JsonObject) -> tuple[JsonObject, list[tuple[Path, str]]]:
    """`after` with tools and prompts under the names they had, and where which has another name now."""
    names: list[tuple[Path, str]] = []
    parts: JsonObject = {}
    for part in ("tools", "prompts"):
        entries: JsonObject = dict(after.get(part, {}))
        for name in (name for name in before.get(part, {}) if name not in entries):
            successor = next((new for new in entries if name in entries[new]["aliases"]), None)
            if successor is not None:
                entry = entries.pop(successor)
                entries[name] = {**entry, "aliases": [one for one in entry["aliases"] if one != name]}
                names.append(((part, name), successor))
        parts[part] = entries
    return {**after, **{part: entries for part, entries in parts.items() if part in after}}, names


class _Comparison:
    def __init__(self, before: JsonObject, after: JsonObject, rules: Sequence[Rule]) -> None:
        self._before, self._after, self._rules = before, after, rules
        self._witnesses = Witnesses(before, after)

    def findings(self, renamed: Sequence[tuple[Path, str]]) -> Iterator[Finding]:
        for path, name in renamed:
            yield self._finding(path, "renamed", path[1], name)
        yield from self._differences((), self._before, self._after)

    def _differences(self, path: Path, before: JsonValue, after: JsonValue) -> Iterator[Finding]:
        if canonical_of(before) == canonical_of(after):
            return
        if before is _MISSING or after is _MISSING:
            yield from self._alone(path, before, after)
        elif ways := schemas_at(path):
            yield from self._schemas(path, ways, before, after)
        elif (whole := self._rule(path, "edited")) and "edited" in whole.actions:
            yield self._finding(path, "edited", *_member_by_member(before, after))
        elif is_object(before) and is_object(after):
            for name in dict.fromkeys([*before, *after]):
                yield from self._differences(
                    (*path, name), before.get(name, _MISSING), after.get(name, _MISSING)
                )
            yield from self._errors_replaced(path, before, after) if path[-1:] == ("examples",) else ()
        elif _is_list_of_words(before) and _is_list_of_words(after):
            yield from self._lists(path, before, after)
        elif not _NOT_COMPARED & {*path[:1]}:
            yield self._finding(path, self._action(path, before, after), _text(before), _text(after))

    def _alone(self, path: Path, before: JsonValue, after: JsonValue) -> Iterator[Finding]:
        """What is on one side only: judged as a whole, or by what is in it."""
        action, value = ("added", after) if before is _MISSING else ("removed", before)
        if action == "added" and path[2:3] == ("refuses",) and self._witnesses.refused(path):
            yield self._finding(path, "refusing", ABSENT, _text(value))
            return
        if not self._rule(path, action) and (is_object(value) or is_array(value)):
            members = value if is_object(value) else {str(entry): True for entry in value}
            for name, member in members.items():
                yield from self._alone(
                    (*path, name), *((_MISSING, member) if action == "added" else (member, _MISSING))
                )
            return
        text = str(value["title"]) if is_object(value) and "title" in value else _text(value)
        yield self._finding(path, action, *((ABSENT, text) if action == "added" else (text, ABSENT)))

    def _lists(
        self, path: Path, before: Sequence[JsonValue], after: Sequence[JsonValue]
    ) -> Iterator[Finding]:
        old, new = [str(entry) for entry in before], [str(entry) for entry in after]
        for entry in (entry for entry in old if entry not in new):
            yield self._finding((*path, entry), "removed", entry, ABSENT)
        known = set(member_paths(self._before["tools"][path[1]]["input"])) if path[-1] == "unlisted" else None
        for entry in (entry for entry in new if entry not in old):
            if known is None or entry in known:  # a member that is new was never shown
                yield self._finding((*path, entry), "added", ABSENT, entry)
        ranked = self._rule(path, "reordered") or path[-1:] == ("order",)
        if ranked and sorted(old) == sorted(new):
            yield self._finding(path, "reordered", ", ".join(old), ", ".join(new))

    def _action(self, path: Path, before: JsonValue, after: JsonValue) -> str:
        """What happened to a leaf: its value rose, fell, became true or false, or just another."""
        ranks = self._ranks(path)
        if ranks is not None and ranks[0] != ranks[1]:
            return "raised" if ranks[0] < ranks[1] else "lowered"
        if isinstance(before, bool) and isinstance(after, bool):
            return "true" if after else "false"
        numbers = isinstance(before, int | float) and isinstance(after, int | float)
        return ("raised" if before < after else "lowered") if numbers else "changed"

    def _ranks(self, path: Path) -> tuple[float, float] | None:
        """How much a word stands for before and after, where it has an order."""
        leaf, tools = path[-1], (self._before["tools"], self._after["tools"])
        if path[0] != "tools" or len(path) != 3:
            return None
        values = [side[path[1]][leaf] for side in tools]
        if leaf in _RANKS:
            return _RANKS[leaf].index(values[0]), _RANKS[leaf].index(values[1])
        if leaf == "toolset":
            served = [
                side["toolsets"][name]["default"]
                for side, name in zip((self._before, self._after), values, strict=True)
            ]
            return float(served[0]), float(served[1])
        if leaf == "rate_class":
            sides = (self._before, self._after)
            rates = [side["policy"]["rate_classes"][name] for side, name in zip(sides, values, strict=True)]
            tighter = (
                rates[1]["limit"] < rates[0]["limit"]
                or rates[1]["window_seconds"] > rates[0]["window_seconds"]
            )
            return (1, 0) if tighter else (0, 1)
        return None

    def _errors_replaced(self, path: Path, before: JsonObject, after: JsonObject) -> Iterator[Finding]:
        """The calls of examples that are answered with other errors than they were."""
        old, new = _errors_by_call(before), _errors_by_call(after)
        for call in (call for call in old if call in new):
            for code, name in old[call].items():
                if code not in new[call]:
                    yield self._finding((*path, name, "error"), "replaced", code, ", ".join(new[call]))

    def _rule(self, path: Path, action: str) -> Rule | None:
        return rule_at(path, action, self._rules)

    def _finding(self, path: Path, action: str, before: str, after: str) -> Finding:
        rule = self._rule(path, action) or UNKNOWN
        subject, inner = subject_of(path)
        level, because = self._level(rule, path)
        witness = self._witnesses.of_name(path) if rule.level == "ERR" else None
        words = f"`{inner}`" if subject is None or len(path) > 2 else f"the {inner}"
        return Finding(rule, level, subject, inner, words, before, after, witness, because)

    def _level(self, rule: Rule, path: Path) -> tuple[Level, str]:
        """The level of a rule at a place, and why it is not the rule's, if it is not."""
        tool = path[1] if path[0] == "tools" else ""
        if path[0] == "resources":
            tool = self._before["resources"].get(path[1], {}).get("tool", "")
        held = self._before["tools"].get(tool, {}).get("stability", "stable")
        if rule.level != "ERR" or held == "stable":
            return rule.level, ""
        return "WARN", f"{tool} was {held}, and only stable tools are held to ERR"

    def _schemas(
        self, path: Path, ways: Sequence[tuple[str, str, str]], before: JsonObject, after: JsonObject
    ) -> Iterator[Finding]:
        told: set[tuple[str, str]] = set()
        subject, inner = subject_of(path)
        for direction, root, cap in ways:
            for change in walk("input" if direction == "input" else "output", before, after, root):
                level, because = self._level(change.rule, path)
                if cap and level == "ERR" and not (path[0] == "errors" and _is_required(change, before)):
                    level, because = "WARN", cap
                if change.place.path in _CODES and "enum" in change.rule.id:
                    continue
                kind = change.place.path, change.rule.id.partition("-")[2]
                if path[0] == "vcon" and direction == "output" and (kind in told or level == "INFO"):
                    continue
                if level != "INFO":
                    told.add(kind)
                where = f"{inner.rpartition('.')[0]}.{change.place.path}".lstrip(".")
                witness = None if level == "INFO" else self._witnesses.of_change(path, change, before, after)
                words = change.place.words + (f" (`{path[1]}`)" if path[0] == "errors" else "")
                yield Finding(
                    change.rule,
                    level,
                    subject,
                    where,
                    words,
                    change.before,
                    change.after,
                    witness,
                    because,
                )


def canonical_of(value: JsonValue) -> str:
    return "" if value is _MISSING else canonical(value)


def _is_required(change: Change, details: JsonObject) -> bool:
    """Whether a change is about a member that an error's details must have: clients were told to use it."""
    first = next((step.name for step in change.place.steps if step.kind == "member"), "")
    return first in details.get("required", ())


def _is_list_of_words(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return is_array(value) and not any(is_object(entry) or is_array(entry) for entry in value)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json_text(value)


def _errors_by_call(examples: JsonObject) -> dict[str, dict[str, str]]:
    """The examples of errors by what is called: the code of each error, and the example's name."""
    found: dict[str, dict[str, str]] = {}
    for name, example in examples.items():
        if "error" in example:
            found.setdefault(canonical(example["params"]), {})[example["error"]["code"]] = name
    return found


def _member_by_member(before: JsonValue, after: JsonValue) -> tuple[str, str]:
    """Two examples as the members in which they differ, a line each."""
    old, new = dict(_leaves(before, "")), dict(_leaves(after, ""))
    return tuple(  # type: ignore[return-value]
        "\n".join(f"{path}: {text}" for path, text in side.items() if other.get(path) != text)
        for side, other in ((old, new), (new, old))
    )


def _leaves(value: JsonValue, path: str) -> Iterator[tuple[str, str]]:
    if is_object(value) and value:
        for name, member in value.items():
            yield from _leaves(member, f"{path}.{name}".lstrip("."))
    elif is_array(value) and value:
        for index, member in enumerate(value):
            yield from _leaves(member, f"{path}[{index}]")
    else:
        yield path, json_text(value) or "null"
