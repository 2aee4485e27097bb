"""Translate legacy member names to the current ones on import."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Literal, Self, cast

from vcontract.runtime.frame.documents.findings import Step, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.vcon.spec_files import shipped_yaml

ElementKind = Literal["dialog", "analysis", "attachments", "parties"]


@dataclass(frozen=True, slots=True)
class Rename:
    """One translation; `path` is the new position of the value."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class LegacyName:
    """One rule: in `object`, `legacy` is read as `current`."""

    object: str
    legacy: str
    current: str


@dataclass(frozen=True, slots=True)
class _Value:
    member: str
    legacy: str
    current: str


@dataclass(frozen=True, slots=True)
class _Hash:
    algorithm: str
    digest: str
    current: str
    prefix: str
    algorithm_pattern: re.Pattern[str]
    digest_pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Rules:
    """Translations for one kind of object."""

    members: tuple[tuple[str, str], ...] = ()
    values: tuple[_Value, ...] = ()
    hashes: tuple[_Hash, ...] = ()


_NO_RULES = _Rules()


class LegacyNames:
    """The legacy table of spec/vcon/legacy.yaml."""

    def __init__(self, table: JsonObject) -> None:
        self._rules = _rules_by_object(table)
        self.table: tuple[LegacyName, ...] = _table(table)

    @classmethod
    def load(cls) -> Self:
        """Load the bundled table."""
        return cls(shipped_yaml("vcon", "legacy.yaml"))

    def translate(self, vcon: JsonObject) -> tuple[JsonObject, list[Rename]]:
        """Return the vCon with current names, and each rename in document order.

        The argument does not change; unchanged parts are shared with the result.
        """
        renames: list[Rename] = []
        result = dict(self._object(vcon, "vcon", (), renames))
        for member in ("redacted", "amended"):
            if is_object(result.get(member)):
                result[member] = self._object(result[member], member, (member,), renames)
        for member, kind in (("dialog", "dialog"), ("analysis", "analysis"), ("attachments", "attachment")):
            if is_array(result.get(member)):
                result[member] = self._array(result[member], kind, (member,), renames)
        return result, renames

    def translate_element(
        self, kind: ElementKind, element: JsonObject, path: str
    ) -> tuple[JsonObject, list[Rename]]:
        """Return one element with current names, and each rename; `path` is the element's own."""
        renames: list[Rename] = []
        singular = "attachment" if kind == "attachments" else kind
        result = self._element(element, singular, (), renames)
        return result, [Rename(path + rename.path[1:], rename.old, rename.new) for rename in renames]

    def _array(
        self, elements: list[JsonValue], kind: str, at: tuple[Step, ...], renames: list[Rename]
    ) -> list[JsonValue]:
        translated = [
            self._element(element, kind, (*at, index), renames) if is_object(element) else element
            for index, element in enumerate(elements)
        ]
        return elements if all(map(is_, translated, elements)) else translated

    def _element(
        self, element: JsonObject, kind: str, at: tuple[Step, ...], renames: list[Rename]
    ) -> JsonObject:
        result = self._object(element, kind, at, renames)
        history = result.get("party_history") if kind == "dialog" else None
        if is_array(history):
            translated = self._array(history, "party_history", (*at, "party_history"), renames)
            if translated is not history:
                return {**result, "party_history": translated}
        return result

    def _object(
        self, given: JsonObject, kind: str, at: tuple[Step, ...], renames: list[Rename]
    ) -> JsonObject:
        rules = self._rules.get(kind, _NO_RULES)
        result = given
        for legacy, current in rules.members:
            if legacy in result and current not in result:
                result = {current if name == legacy else name: value for name, value in result.items()}
                renames.append(Rename(path_of((*at, current)), legacy, current))
        for value in rules.values:
            if result.get(value.member) == value.legacy:
                result = {**result, value.member: value.current}
                renames.append(Rename(path_of((*at, value.member)), value.legacy, value.current))
        for pair in rules.hashes:
            content_hash = _content_hash(result, pair)
            if content_hash is not None:
                result = {
                    pair.current if name == pair.algorithm else name: content_hash
                    if name == pair.algorithm
                    else value
                    for name, value in result.items()
                    if name != pair.digest
                }
                old = f"{pair.algorithm} + {pair.digest}"
                renames.append(Rename(path_of((*at, pair.current)), old, pair.current))
        return result


def _content_hash(given: Mapping[str, JsonValue], pair: _Hash) -> str | None:
    """Build a content hash from two legacy members; None if the algorithm is unknown."""
    if pair.current in given:
        return None
    algorithm, digest = given.get(pair.algorithm), given.get(pair.digest)
    if not isinstance(algorithm, str) or not isinstance(digest, str):
        return None
    if not pair.algorithm_pattern.fullmatch(algorithm) or not pair.digest_pattern.fullmatch(digest):
        return None
    return f"{pair.prefix}-{digest.rstrip('=')}"


def _rules_by_object(table: JsonObject) -> dict[str, _Rules]:
    members: dict[str, list[tuple[str, str]]] = {}
    values: dict[str, list[_Value]] = {}
    hashes: dict[str, list[_Hash]] = {}
    for rule in table["members"]:
        for kind in rule["objects"]:
            members.setdefault(kind, []).append((rule["legacy"], rule["current"]))
    for rule in table["values"]:
        for kind in rule["objects"]:
            values.setdefault(kind, []).append(_Value(rule["member"], rule["legacy"], rule["current"]))
    for rule in table["hashes"]:
        pair = _Hash(
            algorithm=rule["algorithm"],
            digest=rule["digest"],
            current=rule["current"],
            prefix=rule["prefix"],
            algorithm_pattern=re.compile(rule["algorithm_pattern"]),
            digest_pattern=re.compile(rule["digest_pattern"]),
        )
        for kind in rule["objects"]:
            hashes.setdefault(kind, []).append(pair)
    return {
        kind: _Rules(tuple(members.get(kind, ())), tuple(values.get(kind, ())), tuple(hashes.get(kind, ())))
        for kind in members.keys() | values.keys() | hashes.keys()
    }


def _table(table: JsonObject) -> tuple[LegacyName, ...]:
    lines: list[LegacyName] = []
    for rule in _rule_list(table, "members"):
        lines += [LegacyName(kind, rule["legacy"], rule["current"]) for kind in rule["objects"]]
    for rule in _rule_list(table, "hashes"):
        old = f"{rule['algorithm']} + {rule['digest']}"
        lines += [LegacyName(kind, old, rule["current"]) for kind in rule["objects"]]
    for rule in _rule_list(table, "values"):
        member = rule["member"]
        lines += [
            LegacyName(kind, f"{member}: {rule['legacy']}", f"{member}: {rule['current']}")
            for kind in rule["objects"]
        ]
    return tuple(lines)


def _rule_list(table: JsonObject, name: str) -> Sequence[JsonObject]:
    return cast(Sequence[JsonObject], table[name])
