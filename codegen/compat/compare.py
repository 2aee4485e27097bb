"""Compare two contracts and report every finding, the most severe first."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard

from vcontract.codegen.compat.findings import Finding, subject_of
from vcontract.codegen.compat.forms import ABSENT, canonical
from vcontract.codegen.compat.rules import LEVELS, UNKNOWN, Level, Path, Rule, SchemaWay, rule_at, schemas_at
from vcontract.codegen.compat.schema_diff import Change, path_of, walk, words_of
from vcontract.codegen.compat.witnesses import Witnesses
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json, is_array, is_object
from vcontract.codegen.surface import member_paths

_RANKS: Final = ("read", "write", "admin", "experimental", "beta", "stable")
"""Ordered values of a tool: scopes and stabilities."""

_NOT_COMPARED: Final = frozenset({"version", "shapes"})
"""The version has its own check. Changes of a shape are reported where it is used."""

_CODES: Final = ("error.error.code", "error.error_code")
"""Error codes in responses, which are compared separately."""

_MISSING: Final = object()


def compare(before: JsonObject, after: JsonObject) -> list[Finding]:
    """Return every change from one contract to the other, sorted by level and subject."""
    renamed, names = _renamed(before, after)
    names += _explained(before, renamed, {path for path, _ in names})
    comparison = _Comparison(before, renamed)
    found = [
        *(comparison.finding(path, "renamed", path[1], name) for path, name in names),
        *comparison.differences((), before, renamed),
    ]
    return sorted(found, key=lambda finding: (LEVELS.index(finding.level), finding.tool or ""))


def _renamed(before: JsonObject, after: JsonObject) -> tuple[JsonObject, list[tuple[Path, str]]]:
    """Return `after` with renamed tools and prompts under their old names, and the renames."""
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


def _explained(before: JsonObject, after: JsonObject, renamed: set[Path]) -> list[tuple[Path, str]]:
    """Leave out of `after` the published names whose change the spec explains. Returns the renamed ones."""
    old, new = before.get("published", {}), dict(after.get("published", {}))
    names: list[tuple[Path, str]] = []
    for name, entry in old.items():
        part, _, owner = entry["from"].partition("/")
        if name not in new and (part == "parts" or (part, owner) in renamed):
            names.append((("published", name), ABSENT))
        elif name in new and new[name]["of"] == entry["of"]:
            new[name] = {**new[name], "from": entry["from"]}
            continue
        elif name not in new and (not owner or owner in after.get(part, {})):
            continue
        new[name] = entry
    after.update({"published": new} if new else {})
    return names


class _Comparison:
    def __init__(self, before: JsonObject, after: JsonObject) -> None:
        self._before, self._after = before, after
        self._witnesses = Witnesses(before, after)

    def differences(self, path: Path, before: JsonValue, after: JsonValue) -> Iterator[Finding]:
        if before is _MISSING or after is _MISSING:
            yield from self._alone(path, before, after)
        elif canonical(before) == canonical(after):
            return
        elif ways := schemas_at(path):
            found = [one for way in ways for one in self._schemas(path, way, before, after)]
            found.sort(key=lambda one: LEVELS.index(one.level), reverse=True)  # keep the most severe
            yield from {(one.path, one.rule.kind, one.before, one.after): one for one in found}.values()
        elif rule_at(path, "edited"):
            yield self.finding(path, "edited", *_member_by_member(before, after))
        elif is_object(before) and is_object(after):
            for name in dict.fromkeys([*before, *after]):
                sides = before.get(name, _MISSING), after.get(name, _MISSING)
                yield from self.differences((*path, name), *sides)
            yield from self._errors_replaced(path, before, after) if path[-1:] == ("examples",) else ()
        elif _is_list_of_words(before) and _is_list_of_words(after):
            yield from self._lists(path, before, after)
        elif not _NOT_COMPARED & {*path[:1]}:
            yield self.finding(path, self._action(path, before, after), _text(before), _text(after))

    def _alone(self, path: Path, before: JsonValue, after: JsonValue) -> Iterator[Finding]:
        """Judge an entry on one side only, as a whole or by its members."""
        action, value = ("added", after) if before is _MISSING else ("removed", before)
        if action == "added" and path[2:3] == ("refuses",) and self._witnesses.refused(path):
            action = "refusing"
        elif not rule_at(path, action) and (is_object(value) or is_array(value)):
            for name, member in value.items() if is_object(value) else ((str(one), True) for one in value):
                sides = (_MISSING, member) if action == "added" else (member, _MISSING)
                yield from self._alone((*path, name), *sides)
            return
        text = _text(value["title"] if is_object(value) and "title" in value else value)
        yield self.finding(path, action, *((ABSENT, text) if before is _MISSING else (text, ABSENT)))

    def _lists(
        self, path: Path, before: Sequence[JsonValue], after: Sequence[JsonValue]
    ) -> Iterator[Finding]:
        old, new = [str(entry) for entry in before], [str(entry) for entry in after]
        for entry in (entry for entry in old if entry not in new):
            yield self.finding((*path, entry), "removed", entry, ABSENT)
        known = set(member_paths(self._before["tools"][path[1]]["input"])) if path[-1] == "unlisted" else None
        for entry in (entry for entry in new if entry not in old):
            if known is None or entry in known:  # a new member was never shown
                yield self.finding((*path, entry), "added", ABSENT, entry)
        ranked = rule_at(path, "reordered") or path[-1].endswith("order")
        if ranked and sorted(old) == sorted(new):
            yield self.finding(path, "reordered", ", ".join(old), ", ".join(new))

    def _action(self, path: Path, before: JsonValue, after: JsonValue) -> str:
        """Classify a changed leaf: raised, lowered, true, false, or changed."""
        if isinstance(before, bool) and isinstance(after, bool):
            return "true" if after else "false"
        old, new = _rank(self._before, path, before), _rank(self._after, path, after)
        if old is None or new is None or old == new:
            return "changed"
        return "raised" if old < new else "lowered"

    def _errors_replaced(self, path: Path, before: JsonObject, after: JsonObject) -> Iterator[Finding]:
        """Calls in examples whose error has changed."""
        new: dict[str, list[str]] = {}
        for example in (example for example in after.values() if "error" in example):
            new.setdefault(canonical(example["params"]), []).append(example["error"]["code"])
        for name, example in ((name, example) for name, example in before.items() if "error" in example):
            codes, code = new.get(canonical(example["params"]), []), example["error"]["code"]
            if codes and code not in codes:
                yield self.finding((*path, name, "error"), "replaced", code, ", ".join(codes))

    def finding(self, path: Path, action: str, before: str, after: str) -> Finding:
        rule = rule_at(path, action) or UNKNOWN
        subject, inner = subject_of(path)
        witness = self._witnesses.of_name(path) if rule.level == "ERR" else None
        words = f"`{inner}`" if subject is None or len(path) > 2 else f"the {inner}"
        level, because = self._level(rule, path)
        return Finding(rule, level, subject, inner, words, before, after, witness, because)

    def _level(self, rule: Rule, path: Path) -> tuple[Level, str]:
        """Level of a rule at a place, and the reason if it differs from the rule's."""
        tool = path[1] if path[0] == "tools" else ""
        if path[0] == "published":
            part, _, tool = self._before["published"].get(path[1], {}).get("from", "").partition("/")
            path = (part, tool) if part in ("tools", "resources") else path
        if path[0] == "resources":
            tool = self._before["resources"].get(path[1], {}).get("tool", "")
        held = self._before["tools"].get(tool, {}).get("stability", "stable")
        if rule.level != "ERR" or held == "stable":
            return rule.level, ""
        return "WARN", f"{tool} was {held}, and only stable tools are held to ERR"

    def _schemas(
        self, path: Path, way: SchemaWay, before: JsonObject, after: JsonObject
    ) -> Iterator[Finding]:
        subject, inner = subject_of(path)
        code = f" (`{path[1]}`)" if path[0] == "errors" else ""
        for change in walk(way.direction, before, after, way.root):
            if path_of(change.place) in _CODES and "enum" in change.rule.id:
                continue
            level, because = self._level(change.rule, path)
            if way.cap and level == "ERR" and not (path[0] == "errors" and _is_required(change, before)):
                level, because = "WARN", way.cap
            breaks = change.rule.level == "ERR"
            witness = self._witnesses.of_change(path, change, before, after) if breaks else None
            where = f"{inner.rpartition('.')[0]}.{path_of(change.place)}".lstrip(".")
            words, texts = words_of(change.place) + code, (change.before, change.after)
            yield Finding(change.rule, level, subject, where, words, *texts, witness, because)


def _is_required(change: Change, details: JsonObject) -> bool:
    """Whether a change concerns a required member of error details that messages name."""
    return bool({*change.place[1:2]} & {*details.get("required", ())})


def _is_list_of_words(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return is_array(value) and not any(is_object(entry) or is_array(entry) for entry in value)


def _rank(contract: JsonObject, path: Path, value: JsonValue) -> float | None:
    """Rank of a leaf's value, if it is ordered."""
    if isinstance(value, int | float):
        return value
    match path:
        case ["tools", _, "toolset"]:
            return float(contract["toolsets"][value]["default"])
        case ["tools", _, "rate_class"]:
            rate = contract["policy"]["rate_classes"][value]
            return float(rate["limit"] / rate["window_seconds"])
        case ["tools" | "resources", _, "scope" | "stability"]:
            return _RANKS.index(value)
        case _:
            return None


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ABSENT if value is None else compact_json(value)


def _member_by_member(before: JsonValue, after: JsonValue) -> tuple[str, str]:
    """Show the members in which two examples differ, one a line."""
    old, new = dict(_leaves(before, "")), dict(_leaves(after, ""))
    lines = [
        "\n".join(f"{path}: {text}" for path, text in side.items() if other.get(path) != text)
        for side, other in ((old, new), (new, old))
    ]
    return lines[0], lines[1]


def _leaves(value: JsonValue, path: str) -> Iterator[tuple[str, str]]:
    if is_object(value) and value:
        for name, member in value.items():
            yield from _leaves(member, f"{path}.{name}".lstrip("."))
    elif is_array(value) and value:
        for index, member in enumerate(value):
            yield from _leaves(member, f"{path}[{index}]")
    else:
        yield path, compact_json(value)
