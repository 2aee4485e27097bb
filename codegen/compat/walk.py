"""The schema walk: every difference between two schemas, each with its rule and its place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from vcontract.codegen.compat import keywords
from vcontract.codegen.compat.forms import (
    NOT_COMPARED,
    Form,
    Shapes,
    constants_of,
    further_members,
    listed_values,
    members_of,
    reference_of,
    references_in,
    required_of,
    type_of,
)
from vcontract.codegen.compat.pairs import paired
from vcontract.codegen.compat.place import Place, Root
from vcontract.codegen.compat.rule import Rule
from vcontract.codegen.compat.rules import rule_for
from vcontract.codegen.compat.texts import (
    ABSENT,
    canonical,
    keyword_text,
    member_text,
    schema_text,
    types_text,
    without_words,
    words_of,
)
from vcontract.codegen.documents import JsonObject, JsonValue

_DECIDED: Final = (
    keywords.DECIDED
    | NOT_COMPARED
    | {
        "type",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "items",
    }
)
"""Keywords whose change is decided; any other is composition."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `before` and `after` are texts to show, empty for what is not there."""

    rule: Rule
    place: Place
    before: str
    after: str
    schemas: tuple[JsonValue, JsonValue]
    """What holds before and after, at `holder`."""
    holder: Place
    """`place`, or for a property that is there or not, the object it belongs to."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.rule.id, self.place.path, self.before, self.after


def walk(
    direction: Literal["input", "output"], before: JsonObject, after: JsonObject, root: Root
) -> list[Change]:
    """Every difference between two documents of one direction, each once."""
    found = {
        change.key: change for change in reversed(list(_Walk(direction, before, after).changes(Place(root))))
    }
    return list(reversed(found.values()))


class _Walk:
    def __init__(self, direction: Literal["input", "output"], before: JsonObject, after: JsonObject) -> None:
        self._direction: Literal["input", "output"] = direction
        self._roots = before, after
        self._before, self._after = Shapes.of(before), Shapes.of(after)
        self._same_shapes = canonical(before.get("$defs")) == canonical(after.get("$defs"))
        self._seen: set[tuple[str, str]] = set()

    def changes(self, place: Place) -> Iterator[Change]:
        yield from self._schemas(place, *self._roots)

    def _change(
        self,
        kind: str,
        action: str,
        place: Place,
        texts: tuple[str, str],
        schemas: tuple[JsonValue, JsonValue],
    ) -> Change:
        holder = place.parent if kind.endswith("property") else place
        return Change(rule_for(self._direction, kind, action), place, *texts, schemas, holder)

    def _schemas(self, place: Place, before: JsonValue, after: JsonValue) -> Iterator[Change]:
        references = reference_of(before), reference_of(after)
        pair = references[0] or canonical(before), references[1] or canonical(after)
        if pair in self._seen:
            if all(references) and before != after:  # the shape was told; what stands beside it was not
                resolved = self._before.resolved(before), self._after.resolved(after)
                yield from self._annotations(place, *resolved)
            return
        self._seen.add(pair)
        yield from self._resolved(place, self._before.resolved(before), self._after.resolved(after))
        if not all(references):
            self._seen.discard(pair)  # of equal schemas each has its place; only what contains itself ends

    def _resolved(self, place: Place, before: JsonValue, after: JsonValue) -> Iterator[Change]:
        if canonical(before) == canonical(after) and (self._same_shapes or not any(references_in(before))):
            return
        yield from self._annotations(place, before, after)
        if self._before.overlaps(before) or self._after.overlaps(after):
            texts = schema_text(before), schema_text(after)
            yield self._change("composition", "changed", place, texts, (before, after))
        forms = self._before.forms(before), self._after.forms(after)
        old, new = ({form.type for form in side} for side in forms)
        if old != new:
            action = "widened" if old < new else "narrowed" if old > new else "changed"
            texts = types_text(old), types_text(new)
            yield self._change("type", action, place, texts, (before, after))
        for kind in sorted(old & new):
            yield from self._of_type(place, kind, *forms)

    def _annotations(self, place: Place, before: JsonValue, after: JsonValue) -> Iterator[Change]:
        if self._direction == "input":
            texts = keyword_text(before, "default"), keyword_text(after, "default")
            if texts[0] != texts[1]:
                yield self._change("default", "changed", place, texts, (before, after))
        texts = words_of(before, "description"), words_of(after, "description")
        if texts[0] != texts[1]:
            yield self._change("description", "changed", place, texts, (before, after))

    def _of_type(
        self, place: Place, kind: str, before: Sequence[Form], after: Sequence[Form]
    ) -> Iterator[Change]:
        pairing = paired(kind, before, after)
        for one, other in pairing.pairs:
            schemas = before[one].schema, after[other].schema
            inner = self._form_place(place, (before, one), (after, other))
            yield from self._annotations(inner, *schemas)
            yield from self._forms(inner, kind, *schemas)
        left, right = pairing.only_before, pairing.only_after
        if left and right:
            texts = (
                " or ".join(schema_text(before[index].schema) for index in left),
                " or ".join(schema_text(after[index].schema) for index in right),
            )
            yield self._change("composition", "changed", place, texts, (True, True))
            return
        for index in left:
            schema = before[index].schema
            inner = self._form_place(place, (before, index), None)
            yield self._change("form", "removed", inner, (schema_text(schema), ABSENT), (schema, False))
        for index in right:
            schema = after[index].schema
            inner = self._form_place(place, None, (after, index))
            yield self._change("form", "added", inner, (ABSENT, schema_text(schema)), (False, schema))

    def _form_place(
        self,
        place: Place,
        before: tuple[Sequence[Form], int] | None,
        after: tuple[Sequence[Form], int] | None,
    ) -> Place:
        """`place` inside one form; at the root of an answer a form has a name of its own."""
        forms, index = before or after or ((), 0)
        steps = before[1] if before else 0, after[1] if after else 0
        if not place.steps and self._direction == "output" and len(forms) > 1:
            return Place(_root_of(forms[index].schema, forms)).form(*steps)
        alike = [form for form in forms if form.type == forms[index].type]
        number = alike.index(forms[index]) + 1
        return place.form(*steps, f"<{number}>" if len(alike) > 1 else "")

    def _forms(self, place: Place, kind: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        """The differences of two forms of the type `kind`."""
        yield from self._composition(place, before, after)
        yield from self._values(place, kind, before, after)
        for found in keywords.keyword_changes(kind, before, after):
            texts = found.before, found.after
            yield self._change(found.kind, found.action, place, texts, (before, after))
        if kind == "array":
            yield from self._schemas(place.entry(), before.get("items", True), after.get("items", True))
        if kind == "object":
            yield from self._members(place, before, after)

    def _composition(self, place: Place, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        old, new = _undecided(before, self._before), _undecided(after, self._after)
        if canonical(old) != canonical(new):
            texts = schema_text(old) if old else ABSENT, schema_text(new) if new else ABSENT
            yield self._change("composition", "changed", place, texts, (before, after))

    def _values(self, place: Place, kind: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        old, new = _values_of(before, kind), _values_of(after, kind)
        schemas = before, after
        if old is None or new is None:
            if old != new:
                action = "set" if old is None else "dropped"
                yield self._change("enum", action, place, (_listed(old), _listed(new)), schemas)
            return
        for text in (text for text in old if text not in new):
            yield self._change("enum value", "removed", place, (text, ABSENT), ({"const": old[text]}, after))
        for text in (text for text in new if text not in old):
            yield self._change("enum value", "added", place, (ABSENT, text), (before, {"const": new[text]}))

    def _members(self, place: Place, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        old, new = members_of(before), members_of(after)
        for name in dict.fromkeys([*old, *new, *required_of(before), *required_of(after)]):
            if name in new and name not in old:
                yield from self._added(place, name, before, after)
            elif name in old and name not in new:
                yield from self._removed(place, name, before, after)
            else:
                yield from self._required(place, name, before, after)
                if name in old:
                    yield from self._schemas(place.member(name), old[name], new[name])
        yield from self._further(place, before, after)

    def _required(self, place: Place, name: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        was, now = name in required_of(before), name in required_of(after)
        if was != now:
            texts = _needed(was), _needed(now)
            action = "required" if now else "optional"
            yield self._change("property", action, place.member(name), texts, (before, after))

    def _added(self, place: Place, name: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        schema, inner = members_of(after)[name], place.member(name)
        needed = name in required_of(after) and name not in required_of(before)
        texts, schemas = (ABSENT, member_text(schema, needed)), (before, after)
        breaks = self._breaks(inner, further_members(before), schema)
        if breaks and not (needed and self._direction == "input"):
            yield self._change("open property", "declared", inner, texts, schemas)
        elif needed:
            yield self._change("required property", "added", inner, texts, schemas)
        else:
            yield self._change("optional property", "added", inner, texts, schemas)

    def _removed(self, place: Place, name: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        schema, inner = members_of(before)[name], place.member(name)
        needed = name in required_of(before)
        texts, schemas = (member_text(schema, needed), ABSENT), (before, after)
        open_after = further_members(after)
        if (
            self._direction == "input"
            and open_after is not False
            and not self._breaks(inner, schema, open_after)
        ):
            yield self._change("open property", "undeclared", inner, texts, schemas)
        else:
            kind = "required property" if needed else "optional property"
            yield self._change(kind, "removed", inner, texts, schemas)

    def _breaks(self, place: Place, before: JsonValue, after: JsonValue) -> bool:
        """Whether `after` may break what `before` says; nothing breaks where there was nothing."""
        if before is False:
            return False
        seen, self._seen = self._seen, set(self._seen)
        try:
            return any(
                change.rule.level != "INFO" and change.rule.kind != "default"
                for change in self._schemas(place, before, after)
            )
        finally:
            self._seen = seen  # what was only asked about has not been told

    def _further(self, place: Place, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        old, new = further_members(before), further_members(after)
        texts = schema_text(old), schema_text(new)
        if old is False and new is not False:
            yield self._change("object", "opened", place, texts, (before, after))
        elif old is not False and new is False:
            yield self._change("object", "closed", place, texts, (before, after))
        elif old is not False:
            yield from self._schemas(place.other(), old, new)


def _undecided(schema: JsonObject, shapes: Shapes) -> JsonObject:
    """The keywords of `schema` that are not decided, without words, and the shapes that they refer to."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in _DECIDED}
    reached = shapes.reached(kept)
    result: JsonObject = without_words({**kept, "$defs": reached} if reached else kept)
    return result


def _root_of(form: JsonObject, forms: Sequence[Form]) -> Root:
    """What one form of an answer is called."""
    if any(value is False for value in constants_of(form).values()):
        return "error"
    answers = [
        other.schema for other in forms if not any(v is False for v in constants_of(other.schema).values())
    ]
    return "list" if len(answers) > 1 and "items" in members_of(form) else "output"


def _values_of(schema: JsonObject, kind: str) -> dict[str, JsonValue] | None:
    values = listed_values(schema)
    if values is None:
        return None
    return {canonical(value): value for value in values if type_of(value) == kind}


def _listed(values: dict[str, JsonValue] | None) -> str:
    return ABSENT if values is None else ", ".join(values)


def _needed(required: bool) -> str:
    return "required" if required else "optional"
