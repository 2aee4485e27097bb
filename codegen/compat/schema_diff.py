"""Find every difference between two schemas, with rule and place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from vcontract.codegen.compat import keywords
from vcontract.codegen.compat.absent_values import SENT_FOR_NOTHING, as_called, is_cleared, is_given
from vcontract.codegen.compat.forms import (
    ABSENT,
    NOT_COMPARED,
    Form,
    Shapes,
    canonical,
    constants_of,
    keyword_text,
    listed_values,
    schema_text,
    type_of,
    types_text,
    without_words,
)
from vcontract.codegen.compat.rules import RULES, Direction, Rule
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json, is_object
from vcontract.codegen.published import references
from vcontract.codegen.schemas import GROWS_MARKER, shape_name

Place: TypeAlias = tuple[str, ...]
"""Path from the document's name through member names, ENTRY, OTHER (undeclared members) and `<1>`
(alternatives).
"""

ENTRY: Final = "[]"
OTHER: Final = "*"
NAMES: Final = "names()"

_NOUNS: Final = {
    "input": ("parameter", "the arguments", ""),
    "output": ("member", "the answer", " of the answer"),
    "error": ("member", "the error", " of the error"),
    "list": ("member", "the answer's list form", " of the answer's list form"),
    "details": ("member", "the error's details", " of the error's details"),
    "variables": ("variable", "the variables of the URI", " of the URI"),
    "content": ("member", "the content", " of the content"),
    "arguments": ("argument", "the arguments", " of the prompt"),
    "document": ("member", "the document", " of the document"),
    "params": ("parameter", "the parameters", ""),
}
"""By root: what a part and the whole are called, and what follows a part."""

_DECIDED: Final = (
    keywords.DECIDED
    | NOT_COMPARED
    | {"type", "enum", "const", "properties", "required", "additionalProperties", "items", "propertyNames"}
)
"""Keywords compared elsewhere; changes of others are composition, a WARN."""

_DEFAULT_WORDS: Final = re.compile(
    r"\bdefault(?:s to)?:?\s+([^.;]+)|([^.;:]+?)\s*(?:when|if) (?:it is )?left out", re.IGNORECASE
)

Seen = frozenset[tuple[str, str]]
Pair = tuple[JsonValue, JsonValue]


def words_of(place: Place) -> str:
    """Describe a place in words: "parameter `filters.tags.*`", "member `items[].id` of the answer"."""
    part, whole, owner = _NOUNS[place[0]]
    inner = path_of(place).removeprefix(place[0]).removeprefix(".")
    return f"{part} `{inner}`{owner}" if inner else whole


def path_of(place: Place) -> str:
    """Format a place for acceptances: `input.filters.tags.*`, `output.items[].id`."""
    return place[0] + "".join(step if step[:1] in ("[", "<") else f".{step}" for step in place[1:])


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `before` and `after` are texts to show; empty means absent."""

    rule: Rule
    place: Place
    before: str
    after: str
    schemas: tuple[JsonValue, JsonValue]
    """Schemas before and after, at `holder`."""

    @property
    def holder(self) -> Place:
        """The place itself, or for an added or removed property, its object."""
        return self.place[:-1] if "property-" in self.rule.id else self.place


def walk(direction: Direction, before: JsonObject, after: JsonObject, root: str) -> list[Change]:
    """Return every difference between two documents of one direction, once."""
    found = _Walk(direction, before, after).schemas((root,), before, after, frozenset())
    return list({(one.rule.id, one.place, one.before, one.after): one for one in found}.values())


class _Walk:
    def __init__(self, direction: Direction, before: JsonObject, after: JsonObject) -> None:
        self._direction = direction
        self._documents = before, after
        self._before, self._after = Shapes.of(before), Shapes.of(after)
        self._same_shapes = canonical(before.get("$defs")) == canonical(after.get("$defs"))

    def schemas(self, place: Place, before: JsonValue, after: JsonValue, seen: Seen) -> Iterator[Change]:
        """Differences at `place`; `seen` are enclosing pairs of schemas, which stop recursion."""
        pair = shape_name(before) or canonical(before), shape_name(after) or canonical(after)
        if pair in seen:
            return
        old, new = self._before.resolved(before), self._after.resolved(after)
        if canonical(old) == canonical(new) and (self._same_shapes or not any(references(old))):
            return
        yield from self._annotations(place, old, new)
        if self._before.overlaps(old) or self._after.overlaps(new):
            yield self._change("composition-changed", place, old, new)
        forms = self._before.forms(old), self._after.forms(new)
        types = tuple({form.type for form in side} for side in forms)
        if types[0] != types[1]:
            way = "widened" if types[0] < types[1] else "narrowed" if types[0] > types[1] else "changed"
            yield self._change(f"type-{way}", place, old, new, [types_text(side) for side in types])
        for kind in sorted(types[0] & types[1]):
            yield from self._of_type(place, kind, *forms, seen | {pair})

    def _change(
        self, kind: str, place: Place, before: JsonValue, after: JsonValue, texts: Sequence[str] = ()
    ) -> Change:
        """Build a difference of two schemas; `texts` replace what is shown."""
        old, new = texts or (schema_text(before), schema_text(after))
        return Change(RULES[f"{self._direction}-{kind}"], place, old, new, (before, after))

    def _annotations(self, place: Place, before: JsonValue, after: JsonValue) -> Iterator[Change]:
        incoming, sides = self._direction == "input", (before, after)
        defaults = [keyword_text(side, "default") for side in sides]
        if incoming and defaults[0] != defaults[1]:
            yield self._change("default-changed", place, *sides, defaults)
        texts = [str(side.get("description", ABSENT)) if is_object(side) else ABSENT for side in sides]
        if texts[0] == texts[1]:
            return
        kind = "description-changed"
        if incoming and defaults[0] == defaults[1]:
            told, tells = (_DEFAULT_WORDS.findall(text.lower()) for text in texts)
            kind = "default-words-changed" if told and told != tells else kind
        elif not incoming and listed_values(before if is_object(before) else {}) is not None:
            was, now = (is_object(side) and side.get(GROWS_MARKER) is False for side in sides)
            kind = kind if was is now else "growth-withdrawn" if was else "growth-promised"
        yield self._change(kind, place, *sides, texts)

    def _of_type(
        self, place: Place, kind: str, before: Sequence[Form], after: Sequence[Form], seen: Seen
    ) -> Iterator[Change]:
        left, right = ([form for form in side if form.type == kind] for side in (before, after))
        for one, other in _paired(left, right):
            inner = _form_place(place, before, one)
            yield from self._annotations(inner, one.schema, other.schema)
            yield from self._forms(inner, kind, one.schema, other.schema, seen)
        if left and right:
            texts = [" or ".join(schema_text(form.schema) for form in side) for side in (left, right)]
            yield self._change("composition-changed", place, True, True, texts)
            return
        for form in left:
            yield self._change("form-removed", _form_place(place, before, form), form.schema, False)
        for form in right:
            yield self._change("form-added", _form_place(place, after, form), False, form.schema)

    def _forms(
        self, place: Place, kind: str, before: JsonObject, after: JsonObject, seen: Seen
    ) -> Iterator[Change]:
        """Differences of two alternatives of type `kind`."""
        rest = _undecided(before, self._before), _undecided(after, self._after)
        if canonical(rest[0]) != canonical(rest[1]):
            texts = [schema_text(side) if side else ABSENT for side in rest]
            yield self._change("composition-changed", place, before, after, texts)
        yield from self._values(place, kind, before, after)
        for change, *texts in keywords.keyword_changes(kind, before, after):
            yield self._change(change, place, before, after, texts)
        if kind == "array":
            items = before.get("items", True), after.get("items", True)
            yield from self.schemas((*place, ENTRY), *items, seen)
        if kind == "object":
            yield from self._members(place, before, after, seen)

    def _values(self, place: Place, kind: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        old, new = _values_of(before, kind), _values_of(after, kind)
        if old is None or new is None:
            if old != new:
                action = "enum-set" if old is None else "enum-dropped"
                yield self._change(action, place, before, after, [", ".join(old or ()), ", ".join(new or ())])
            return
        for text in (text for text in old if text not in new):
            yield self._change("enum-value-removed", place, {"const": old[text]}, after, [text, ABSENT])
        action = "enum-value-added"
        if self._direction == "output" and GROWS_MARKER in before:
            action = "growing-enum-grown" if before[GROWS_MARKER] else "promised-enum-grown"
        for text in (text for text in new if text not in old):
            yield self._change(action, place, before, {"const": new[text]}, [ABSENT, text])

    def _members(self, place: Place, before: JsonObject, after: JsonObject, seen: Seen) -> Iterator[Change]:
        old, new = before.get("properties", {}), after.get("properties", {})
        needed = [side.get("required", ()) for side in (before, after)]
        closed = all(side.get("additionalProperties", True) is False for side in (before, after))
        cleared = self._direction == "input" and all(is_cleared(one, place[1:]) for one in self._documents)
        for name in dict.fromkeys([*old, *new, *needed[0], *needed[1]]):
            inner, was, now = (*place, name), name in needed[0], name in needed[1]
            if (name in new) is not (name in old):
                yield self._alone(inner, name, before, after)
                continue
            if was != now:
                kind = "property-required" if now else "property-optional"
                yield self._change(kind, inner, before, after, [_needed(was), _needed(now)])
            if name in old:
                both: Pair = old[name], new[name]
                if cleared and not now:
                    called = as_called(both[0], closed=closed), as_called(both[1], closed=closed)
                    yield from self._given(inner, both, called, was=was, closed=closed)
                    both = both if was else called
                yield from self.schemas(inner, *both, seen)
        names = [side.get("propertyNames", True) for side in (before, after)]
        texts = [{"type": "string", **side} if is_object(side) else side for side in names]
        yield from self.schemas((*place, NAMES), texts[0], texts[1], seen)
        yield from self._further(
            place, before.get("additionalProperties", True), after.get("additionalProperties", True), seen
        )

    def _given(self, place: Place, both: Pair, called: Pair, *, was: bool, closed: bool) -> Iterator[Change]:
        """Whether absent values of a parameter start or stop being meaningful."""
        is_declared = False
        for sent in SENT_FOR_NOTHING:
            old = is_given(sent, both[0], self._before, required=was, closed=closed)
            new = is_given(sent, both[1], self._after, closed=closed)
            if None not in (old, new) and old is not new:
                texts = [f"{compact_json(sent)} {'says so' if one else 'is not given'}" for one in (old, new)]
                yield self._change("not-given-changed", place, *both, texts)
                is_declared = True
        same = canonical(called[0]) == canonical(called[1]) and canonical(both[0]) != canonical(both[1])
        if same and not is_declared and not was:
            yield self._change("not-given-told", place, *both)

    def _alone(self, place: Place, name: str, before: JsonObject, after: JsonObject) -> Change:
        """A property that only one side declares; the other may accept it as undeclared."""
        added, incoming = name in after.get("properties", {}), self._direction == "input"
        side, other = (after, before) if added else (before, after)
        schema, around = side["properties"][name], other.get("additionalProperties", True)
        needed = name in side.get("required", ()) and name not in other.get("required", ())
        kind = f"{_needed(needed)}-property-{'added' if added else 'removed'}"
        wide = schema_text(schema if added is incoming else around)
        may_break = around is not False and wide != "any" and schema_text(schema) != schema_text(around)
        if added and may_break and not (needed and incoming):
            kind = "open-property-declared"
        elif not added and incoming and around is not False and not may_break:
            kind = "open-property-undeclared"
        texts = [f"{_needed(needed)}, {schema_text(schema)}", ABSENT]
        return self._change(kind, place, before, after, texts[::-1] if added else texts)

    def _further(self, place: Place, old: JsonValue, new: JsonValue, seen: Seen) -> Iterator[Change]:
        if (old is False) is (new is False):
            yield from self.schemas((*place, OTHER), old, new, seen)
            return
        kind = "object-opened" if old is False else "object-closed"
        before, after = ({"type": "object", "additionalProperties": side} for side in (old, new))
        yield self._change(kind, place, before, after, [schema_text(old), schema_text(new)])


def _form_place(place: Place, forms: Sequence[Form], form: Form) -> Place:
    """Path inside one alternative; at a response's root, alternatives have names."""
    if place == ("output",) and len(forms) > 1:
        answers = [one.schema for one in forms if False not in constants_of(one.schema).values()]
        if form.schema not in answers:
            return ("error",)
        is_list = len(answers) > 1 and "items" in form.schema.get("properties", {})
        return ("list",) if is_list else place
    alike = [one for one in forms if one.type == form.type]
    return (*place, f"<{alike.index(form) + 1}>") if len(alike) > 1 else place


def _paired(left: list[Form], right: list[Form]) -> list[tuple[Form, Form]]:
    """Pair alternatives of one type, removing them from both sides: equal ones, same discriminator, single
    ones.
    """
    pairs: list[tuple[Form, Form]] = []
    for key in (_canonical_form, _discriminator, _only):
        sides = [[(key(form, side), form) for form in side] for side in (left, right)]
        for name, one in sides[0]:
            other = next((form for label, form in sides[1] if name and label == name and form in right), None)
            if other is not None:
                pairs.append((one, other))
                left.remove(one)
                right.remove(other)
    return pairs


def _canonical_form(form: Form, _: Sequence[Form]) -> str:
    return canonical(without_words(form.schema))


def _discriminator(form: Form, forms: Sequence[Form]) -> str:
    """What distinguishes an alternative from others: constants, then its own required members."""
    constants = constants_of(form.schema)
    rivals = [one.schema for one in forms if one is not form and constants_of(one.schema) == constants]
    needed = set(form.schema.get("required", ())) - set(constants)
    own = sorted(name for name in needed if not any(name in one.get("properties", {}) for one in rivals))
    return canonical([constants, own[:1] if rivals else []]) if constants or own else ""


def _only(_: Form, forms: Sequence[Form]) -> str:
    return "only" if len(forms) == 1 else ""


def _undecided(schema: JsonObject, shapes: Shapes) -> JsonObject:
    """Remaining keywords of `schema` without descriptions, and the shapes they reference."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in _DECIDED}
    reached = shapes.reached(kept)
    result: JsonObject = without_words({**kept, "$defs": reached} if reached else kept)
    return result


def _values_of(schema: JsonObject, kind: str) -> dict[str, JsonValue] | None:
    values = listed_values(schema)
    return None if values is None else {canonical(value): value for value in values if type_of(value) == kind}


def _needed(required: bool) -> str:
    return "required" if required else "optional"
