"""The schema walk: every difference between two schemas, each with its rule and its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vcontract.codegen.compat import keywords
from vcontract.codegen.compat.forms import (
    NOT_COMPARED,
    Form,
    Shapes,
    constants_of,
    further_members,
    listed_values,
    members_of,
    references_in,
    required_of,
    type_of,
)
from vcontract.codegen.compat.given import SENT_FOR_NOTHING, is_cleared, is_given, without_what_is_not_given
from vcontract.codegen.compat.place import Place
from vcontract.codegen.compat.rules import RULES, Direction, Rule
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
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json, is_object
from vcontract.codegen.schemas import GROWS_MARKER, shape_name

_DECIDED: Final = (
    keywords.DECIDED
    | NOT_COMPARED
    | {"type", "enum", "const", "properties", "required", "additionalProperties", "items"}
)
"""Keywords whose change is decided; any other is composition, which is a WARN."""

_DEFAULT_WORDS: Final = re.compile(
    r"\bdefault(?:s to)?:?\s+([^.;]+)|([^.;:]+?)\s*(?:when|if) (?:it is )?left out", re.IGNORECASE
)

Seen = frozenset[tuple[str, str]]


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


def walk(direction: Direction, before: JsonObject, after: JsonObject, root: str) -> list[Change]:
    """Every difference between two documents of one direction, each once."""
    found = list(_Walk(direction, before, after).schemas(Place(root), before, after, frozenset()))
    return list({(one.rule.id, one.place.path, one.before, one.after): one for one in found}.values())


class _Walk:
    def __init__(self, direction: Direction, before: JsonObject, after: JsonObject) -> None:
        self._direction = direction
        self._documents = before, after
        self._before, self._after = Shapes.of(before), Shapes.of(after)
        self._same_shapes = canonical(before.get("$defs")) == canonical(after.get("$defs"))

    def schemas(self, place: Place, before: JsonValue, after: JsonValue, seen: Seen) -> Iterator[Change]:
        """The differences at `place`; `seen` are the pairs of schemas around it, where recursion ends."""
        pair = shape_name(before) or canonical(before), shape_name(after) or canonical(after)
        if pair in seen:
            return
        old, new = self._before.resolved(before), self._after.resolved(after)
        if canonical(old) == canonical(new) and (self._same_shapes or not any(references_in(old))):
            return
        yield from self._annotations(place, old, new)
        if self._before.overlaps(old) or self._after.overlaps(new):
            yield self._change("composition-changed", place, schema_text(old), schema_text(new), old, new)
        forms = self._before.forms(old), self._after.forms(new)
        types = tuple({form.type for form in side} for side in forms)
        if types[0] != types[1]:
            way = "widened" if types[0] < types[1] else "narrowed" if types[0] > types[1] else "changed"
            texts = types_text(types[0]), types_text(types[1])
            yield self._change(f"type-{way}", place, *texts, old, new)
        for kind in sorted(types[0] & types[1]):
            for change in self._of_type(place, kind, *forms, seen | {pair}):
                yield _as_promised(change, old) if change.place.path == place.path else change

    def _change(
        self, kind: str, place: Place, before: str, after: str, old: JsonValue, new: JsonValue
    ) -> Change:
        holder = place.parent if "property-" in kind else place
        return Change(RULES[f"{self._direction}-{kind}"], place, before, after, (old, new), holder)

    def _annotations(self, place: Place, before: JsonValue, after: JsonValue) -> Iterator[Change]:
        incoming = self._direction == "input"
        old, new = keyword_text(before, "default"), keyword_text(after, "default")
        if incoming and old != new:
            yield self._change("default-changed", place, old, new, before, after)
        texts = words_of(before, "description"), words_of(after, "description")
        if texts[0] == texts[1]:
            return
        kind = "description-changed"
        if incoming and old == new:
            told, tells = (_DEFAULT_WORDS.findall(text.lower()) for text in texts)
            kind = "default-words-changed" if told and told != tells else kind
        elif not incoming and listed_values(before if is_object(before) else {}) is not None:
            promised = [grows(schema) is False for schema in (before, after)]
            ways = {(True, False): "growth-withdrawn", (False, True): "growth-promised"}
            kind = ways.get((promised[0], promised[1]), kind)
        yield self._change(kind, place, *texts, before, after)

    def _of_type(
        self, place: Place, kind: str, before: Sequence[Form], after: Sequence[Form], seen: Seen
    ) -> Iterator[Change]:
        pairs, left, right = _paired(kind, before, after)
        for one, other in pairs:
            schemas = before[one].schema, after[other].schema
            inner = self._form_place(place, before, one, other)
            yield from self._annotations(inner, *schemas)
            yield from self._forms(inner, kind, *schemas, seen)
        if left and right:
            texts = [
                " or ".join(schema_text(side[index].schema) for index in indices)
                for side, indices in ((before, left), (after, right))
            ]
            yield self._change("composition-changed", place, texts[0], texts[1], True, True)
            return
        for index in left:
            schema, inner = before[index].schema, self._form_place(place, before, index, 0)
            yield self._change("form-removed", inner, schema_text(schema), ABSENT, schema, False)
        for index in right:
            schema, inner = after[index].schema, self._form_place(place, after, index, index, new=True)
            yield self._change("form-added", inner, ABSENT, schema_text(schema), False, schema)

    def _form_place(
        self, place: Place, forms: Sequence[Form], one: int, other: int, *, new: bool = False
    ) -> Place:
        """`place` inside one form; at the root of an answer a form has a name of its own."""
        if not place.steps and place.root == "output" and len(forms) > 1:
            return Place(_root_of(forms[one].schema, forms)).form(one, other)
        alike = [form for form in forms if form.type == forms[one].type]
        shown = f"<{alike.index(forms[one]) + 1}>" if len(alike) > 1 else ""
        return place.form(0 if new else one, other, shown)

    def _forms(
        self, place: Place, kind: str, before: JsonObject, after: JsonObject, seen: Seen
    ) -> Iterator[Change]:
        """The differences of two forms of the type `kind`."""
        old, new = _undecided(before, self._before), _undecided(after, self._after)
        if canonical(old) != canonical(new):
            texts = [schema_text(rest) if rest else ABSENT for rest in (old, new)]
            yield self._change("composition-changed", place, texts[0], texts[1], before, after)
        yield from self._values(place, kind, before, after)
        for change, *texts in keywords.keyword_changes(kind, before, after):
            yield self._change(change, place, texts[0], texts[1], before, after)
        if kind == "array":
            items = before.get("items", True), after.get("items", True)
            yield from self.schemas(place.entry(), *items, seen)
        if kind == "object":
            yield from self._members(place, before, after, seen)

    def _values(self, place: Place, kind: str, before: JsonObject, after: JsonObject) -> Iterator[Change]:
        old, new = _values_of(before, kind), _values_of(after, kind)
        if old is None or new is None:
            if old != new:
                action = "enum-set" if old is None else "enum-dropped"
                yield self._change(action, place, ", ".join(old or ()), ", ".join(new or ()), before, after)
            return
        for text in (text for text in old if text not in new):
            yield self._change("enum-value-removed", place, text, ABSENT, {"const": old[text]}, after)
        for text in (text for text in new if text not in old):
            change = self._change("enum-value-added", place, ABSENT, text, before, {"const": new[text]})
            yield _as_promised(change, before)

    def _members(self, place: Place, before: JsonObject, after: JsonObject, seen: Seen) -> Iterator[Change]:
        old, new = members_of(before), members_of(after)
        needed = [required_of(side) for side in (before, after)]
        closed = all(further_members(side) is False for side in (before, after))
        cleared = self._direction == "input" and all(is_cleared(one, place) for one in self._documents)
        for name in dict.fromkeys([*old, *new, *needed[0], *needed[1]]):
            inner, was, now = place.member(name), name in needed[0], name in needed[1]
            if name in new and name not in old:
                yield self._added(inner, name, before, after, seen)
            elif name in old and name not in new:
                yield self._removed(inner, name, before, after, seen)
            else:
                if was != now:
                    kind = "property-required" if now else "property-optional"
                    yield self._change(kind, inner, _needed(was), _needed(now), before, after)
                if name in old:
                    both: tuple[JsonValue, JsonValue] = old[name], new[name]
                    if cleared and not (was or now):
                        yield from self._given(inner, *both, closed=closed)
                        both = (
                            without_what_is_not_given(both[0], closed=closed),
                            without_what_is_not_given(both[1], closed=closed),
                        )
                    yield from self.schemas(inner, *both, seen)
        yield from self._further(place, further_members(before), further_members(after), seen)

    def _given(self, place: Place, before: JsonValue, after: JsonValue, *, closed: bool) -> Iterator[Change]:
        """Whether what clients send for a parameter that they do not give counts as given, or no longer."""
        told = False
        for sent in SENT_FOR_NOTHING:
            old, new = (is_given(sent, schema, closed=closed) for schema in (before, after))
            if old is not None and new is not None and old is not new:
                texts = [f"{compact_json(sent)} {'says so' if one else 'is not given'}" for one in (old, new)]
                yield self._change("not-given-changed", place, texts[0], texts[1], before, after)
                told = True
        bare = [canonical(without_what_is_not_given(schema, closed=closed)) for schema in (before, after)]
        if not told and bare[0] == bare[1] and canonical(before) != canonical(after):
            texts = [schema_text(schema) for schema in (before, after)]
            yield self._change("not-given-told", place, texts[0], texts[1], before, after)

    def _added(self, place: Place, name: str, before: JsonObject, after: JsonObject, seen: Seen) -> Change:
        schema = members_of(after)[name]
        needed = name in required_of(after) and name not in required_of(before)
        kind = f"{_needed(needed)}-property-added"
        if not (needed and self._direction == "input") and self._breaks(
            place, further_members(before), schema, seen
        ):
            kind = "open-property-declared"
        return self._change(kind, place, ABSENT, member_text(schema, needed), before, after)

    def _removed(self, place: Place, name: str, before: JsonObject, after: JsonObject, seen: Seen) -> Change:
        schema, open_after = members_of(before)[name], further_members(after)
        needed = name in required_of(before)
        kind = f"{_needed(needed)}-property-removed"
        stays = self._direction == "input" and open_after is not False
        if stays and not self._breaks(place, schema, open_after, seen):
            kind = "open-property-undeclared"
        return self._change(kind, place, member_text(schema, needed), ABSENT, before, after)

    def _breaks(self, place: Place, before: JsonValue, after: JsonValue, seen: Seen) -> bool:
        """Whether `after` may break what `before` says; nothing breaks where there was nothing."""
        return before is not False and any(
            change.rule.level != "INFO" and "default" not in change.rule.id
            for change in self.schemas(place, before, after, seen)
        )

    def _further(self, place: Place, old: JsonValue, new: JsonValue, seen: Seen) -> Iterator[Change]:
        if (old is False) is not (new is False):
            kind = "object-opened" if old is False else "object-closed"
            schemas: tuple[JsonObject, JsonObject] = (
                {"type": "object", "additionalProperties": old},
                {"type": "object", "additionalProperties": new},
            )
            yield self._change(kind, place, schema_text(old), schema_text(new), *schemas)
        elif old is not False:
            yield from self.schemas(place.other(), old, new, seen)


def _paired(
    kind: str, before: Sequence[Form], after: Sequence[Form]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Forms of one type that belong together, by equality and by discriminator; and the rest of each side."""
    left, right = (
        [index for index, form in enumerate(side) if form.type == kind] for side in (before, after)
    )
    pairs: list[tuple[int, int]] = []
    for key in (_canonical_form, _discriminator, _only):
        old, new = (
            {index: key(side[index].schema, [side[one].schema for one in rest]) for index in rest}
            for side, rest in ((before, left), (after, right))
        )
        for one in old:
            other = next((index for index in right if old[one] and new[index] == old[one]), None)
            if other is not None:
                pairs.append((one, other))
                left.remove(one)
                right.remove(other)
    return sorted(pairs), left, right


def _only(_: JsonObject, forms: Sequence[JsonObject]) -> str:
    return "only" if len(forms) == 1 else ""


def _canonical_form(form: JsonObject, _: Sequence[JsonObject]) -> str:
    return canonical(without_words(form))


def _discriminator(form: JsonObject, forms: Sequence[JsonObject]) -> str:
    """What tells a form from the others of its side: constants, then required members that only it has."""
    constants, others = constants_of(form), [other for other in forms if other is not form]
    rivals = [other for other in others if constants_of(other) == constants]
    needed = set(required_of(form)) - set(constants)
    own = sorted(name for name in needed if not any(name in members_of(other) for other in rivals))
    return canonical([constants, own[:1] if rivals else []]) if constants or own else ""


def _undecided(schema: JsonObject, shapes: Shapes) -> JsonObject:
    """The keywords of `schema` that are not decided, without words, and the shapes that they refer to."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in _DECIDED}
    reached = shapes.reached(kept)
    result: JsonObject = without_words({**kept, "$defs": reached} if reached else kept)
    return result


def _root_of(form: JsonObject, forms: Sequence[Form]) -> str:
    """What one form of an answer is called."""
    answers = [other.schema for other in forms if False not in constants_of(other.schema).values()]
    if not any(form is answer for answer in answers):
        return "error"
    return "list" if len(answers) > 1 and "items" in members_of(form) else "output"


def grows(schema: JsonValue) -> bool | None:
    """Whether a list of values may grow, as it promises; None where it does not say."""
    return schema.get(GROWS_MARKER) if is_object(schema) else None


def _as_promised(change: Change, schema: JsonValue) -> Change:
    """A value added to an answer's list, judged by what the list promises of its growth."""
    names = {True: "output-growing-enum-grown", False: "output-promised-enum-grown"}
    promised = grows(schema)
    if change.rule.id != "output-enum-value-added" or promised is None:
        return change
    return replace(change, rule=RULES[names[promised]])


def _values_of(schema: JsonObject, kind: str) -> dict[str, JsonValue] | None:
    values = listed_values(schema)
    return None if values is None else {canonical(value): value for value in values if type_of(value) == kind}


def _needed(required: bool) -> str:
    return "required" if required else "optional"
