"""Edits of the spec and of docs/operators.txt in memory: tables of them with the grade that is right."""

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.load import Spec
from vcontract.codegen.surface import surface_of

_ROW = re.compile(r"(?:(\w\d\d) )?(ERR|WARN|INFO|NONE|LINT [\w-]+|SEEN [\w -]+?)\s*(?:\| (.+))?")
_EDIT = re.compile(r"(\S+)(?: (\S+))? +(?:([=+~]) (.+)|-(?: (.+))?|(reversed))")
_LISTED = re.compile(r"operators\.txt (.*?) ?=>(?: (.+))?")
_NAMES = ("id", "name", "purpose", "legacy")
OPERATORS = Path(__file__).parents[2] / "docs" / "operators.txt"


@dataclass(frozen=True, slots=True)
class Mutation:
    grade: str
    edits: str
    number: str = ""

    def of(self, spec: Spec) -> Spec:
        """The spec with the edits made."""
        for edit in self.edits.split(" && "):
            if not _LISTED.fullmatch(edit):
                spec = _edited(spec, edit.strip())
        return spec

    def surface(self, spec: Spec) -> JsonObject:
        """What clients and operators depend on, with the edits made."""
        listed = operators()
        for edit in self.edits.split(" && "):
            if found := _LISTED.fullmatch(edit):
                old, new = (dict([_entry(line)]) if line else {} for line in found.groups())
                assert old.keys() <= listed.keys(), edit
                listed = {name: value for name, value in listed.items() if name not in old} | new
        return {**surface_of(self.of(spec)), "interfaces": listed}


def operators() -> JsonObject:
    """The entries of docs/operators.txt."""
    return dict(map(_entry, OPERATORS.read_text(encoding="utf-8").splitlines()))


def _entry(line: str) -> tuple[str, JsonValue]:
    name, _, value = line.partition(":")
    return name, value.strip()


def mutations(file: str) -> Iterator[Mutation]:
    for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        if row := _ROW.fullmatch(line):
            yield Mutation(row[2], row[3] or "", row[1] or "")
        else:
            assert not line or line.startswith("#"), line


def _edited(spec: Spec, edit: str) -> Spec:
    found = _EDIT.fullmatch(edit)
    assert found, edit
    file, place, sign, value, taken, turned = found.groups()
    sign = turned or sign
    path = f"spec/{file}"
    if place is None:
        kept = {name: schema for name, schema in spec.schemas.items() if name != path}
        return replace(spec.without(frozenset({path})), schemas=kept)
    if path in spec.schemas:
        schema = copy.deepcopy(spec.schemas[path])
        _change(schema, place, sign, value, taken)
        return replace(spec, schemas={**spec.schemas, path: schema})
    document = replace(spec.documents[path], data=copy.deepcopy(spec.documents[path].data))
    _change(document.data, place, sign, value, taken)
    return replace(spec, documents={**spec.documents, path: document})


def _change(data: JsonValue, place: str, sign: str | None, value: str | None, taken: str | None) -> None:
    *way, last = place.split("/")
    holder = data
    for step in way:
        holder = holder[_key(holder, step)]
    key = _key(holder, last)
    if sign == "=":
        holder[key] = json.loads(value or "")
    elif sign == "reversed":
        holder[key] = holder[key][::-1]
    elif sign == "~":
        old, new = (value or "").split(" => ")
        assert old in holder[key], f"{place} does not hold {old!r}"
        holder[key] = holder[key].replace(old, new)
    elif sign == "+":
        entry = json.loads(value or "")
        if _is_missing(holder, key):
            holder[key] = []
        holder[key] = [*holder[key], entry]
    elif taken is not None:
        assert json.loads(taken) in holder[key], f"{place} does not hold {taken}"
        holder[key] = [entry for entry in holder[key] if entry != json.loads(taken)]
    else:
        del holder[key]


def _is_missing(holder: JsonValue, key: str | int) -> bool:
    return is_object(holder) and key not in holder


def _key(holder: JsonObject | list[JsonValue], step: str) -> str | int:
    if not is_array(holder):
        return step
    if step.isdigit():
        return int(step)
    return next(
        index
        for index, entry in enumerate(holder)
        if is_object(entry) and step in (entry.get(name) for name in _NAMES)
    )
