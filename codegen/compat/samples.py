"""Documents made from a schema: the smallest that is valid, and such as lie at its edges."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

import jsonschema_rs

from vcontract.codegen.compat.forms import (
    Form,
    JsonType,
    Shapes,
    further_members,
    listed_values,
    members_of,
    required_of,
    type_of,
)
from vcontract.codegen.compat.place import Step
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object

_FORMATS: Final[dict[str, str]] = {
    "date": "2025-10-14",
    "date-time": "2025-10-14T10:30:00Z",
    "time": "10:30:00Z",
    "email": "ada@example.com",
    "uri": "https://example.com/",
    "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
}
"""A text of each format that schemas of the contract may name."""

_WORD: Final = "text"
_DEEPEST: Final = 16
"""How deep a document may become: a shape that needs itself has no end."""

_LONGEST: Final = 100_000
"""Longer texts and arrays are not made: a bound beyond that is shown by no document."""

_FURTHER: Final = "further"
"""The name of a property that nothing declares."""


_ONE_OF_EACH: Final[list[JsonValue]] = ["text", 1, 0.5, True, None, [], {}]


class NoDocumentError(Exception):
    """The schema allows nothing, or nothing that can be made here."""


class Samples:
    """Makes values for the schemas of one document, those of examples where members have their names."""

    def __init__(self, document: JsonObject, examples: Sequence[JsonValue] = ()) -> None:
        self._shapes = Shapes.of(document)
        self._depth = 0
        self._known: dict[str, JsonValue] = {}
        for example in examples:
            self._learn(example)

    def _learn(self, value: JsonValue) -> None:
        for name, member in value.items() if is_object(value) else ():
            self._known.setdefault(name, member)
        for member in value.values() if is_object(value) else value if is_array(value) else ():
            self._learn(member)

    def _named(self, name: str, schema: JsonValue) -> JsonValue:
        """A valid value for a member: that of an example, or a small one. Raises: NoDocumentError."""
        if name in self._known and self.allows(schema, self._known[name]):
            return self._known[name]
        return self.smallest(schema)

    def allows(self, schema: JsonValue, value: JsonValue) -> bool:
        """Whether `value` is valid, formats included."""
        whole = self._shapes.self_contained(schema)
        return jsonschema_rs.validator_for(whole, validate_formats=True).is_valid(value)

    def smallest(self, schema: JsonValue, kind: JsonType | None = None) -> JsonValue:
        """A small valid value, of one type when that is given. Raises: NoDocumentError."""
        if self._depth == _DEEPEST:
            raise NoDocumentError
        self._depth += 1
        try:
            for form in self._shapes.forms(schema):
                if kind is None or form.type == kind:
                    with suppress(NoDocumentError):
                        return self._of(form)
            raise NoDocumentError
        finally:
            self._depth -= 1

    def holding(
        self, schema: JsonValue, steps: tuple[Step, ...], value: JsonValue, example: JsonValue, before: bool
    ) -> JsonValue:
        """`example`, or a small document of `schema`, with `value` where `steps` lead.

        `before` tells which index of a step into a form counts. Raises: NoDocumentError.
        """
        if not steps:
            return value
        step, rest = steps[0], steps[1:]
        forms = self._shapes.forms(schema)
        if step.kind == "form":
            index = step.forms[0 if before else 1]
            if index >= len(forms):
                raise NoDocumentError
            inner = forms[index].schema
            fits = example is not None and self.allows(inner, example)
            return self.holding(inner, rest, value, example if fits else None, before)
        form = next(
            (one for one in forms if one.type == ("array" if step.kind == "entry" else "object")), None
        )
        if form is None:
            raise NoDocumentError
        if step.kind == "entry":
            entries = (
                example if is_array(example) and example else [None] * max(1, form.schema.get("minItems", 0))
            )
            items = form.schema.get("items", True)
            return [self.holding(items, rest, value, entry, before) for entry in entries]
        name = step.name or _FURTHER
        member = members_of(form.schema).get(name, further_members(form.schema))
        around = example if is_object(example) else self._of(form)
        return {**around, name: self.holding(member, rest, value, around.get(name), before)}

    def edges(
        self, schema: JsonValue, target: JsonValue, other: "Samples", example: JsonValue = None
    ) -> Iterator[JsonValue]:
        """Values around the edges of `schema` and of `target`, which belongs to `other`; most are valid."""
        forms, targets = self._shapes.forms(schema), other._shapes.forms(target)
        for form in forms:
            yield from listed_values(form.schema) or ()
            try:
                base = example if form.type == type_of(example) and example is not None else self._of(form)
            except NoDocumentError:
                continue
            yield base
            for one in (*(one for one in targets if one.type == form.type), form):
                yield from self._around(base, form, one.schema)

    def _around(self, base: JsonValue, form: Form, target: JsonObject) -> Iterator[JsonValue]:
        """Variants of `base`, a value of `form`, near what `target` forbids."""
        if isinstance(base, str):
            yield from _texts(form.schema, target)
        elif isinstance(base, bool):
            yield not base
        elif is_array(base):
            filler = self._entry(form)
            for length in _near(target, "minItems", "maxItems"):
                yield [filler] * length
            yield [filler, filler]
        elif is_object(base):
            yield from self._objects(base, form, target)
        elif type_of(base) in ("integer", "fraction"):
            yield from _numbers(base, form.schema, target)

    def _objects(self, base: JsonObject, form: Form, target: JsonObject) -> Iterator[JsonObject]:
        optional: JsonObject = {}
        for name, schema in members_of(form.schema).items():
            if name not in base and schema is not False:
                with suppress(NoDocumentError):
                    optional[name] = self._named(name, schema)
        for name, value in optional.items():
            yield {**base, name: value}
        for name in base:
            yield {other: value for other, value in base.items() if other != name}
        names = [_FURTHER, *members_of(target)] if further_members(form.schema) is not False else []
        for name in (name for name in names if name not in members_of(form.schema)):
            yield from ({**base, name: value} for value in _ONE_OF_EACH)
        for size in _near(target, "minProperties", "maxProperties"):
            spare = {**optional, **({} if not names else {f"{_FURTHER}_{n}": "text" for n in range(size)})}
            yield dict(list({**base, **spare}.items())[:size])

    def _entry(self, form: Form) -> JsonValue:
        try:
            return self.smallest(form.schema.get("items", True))
        except NoDocumentError:
            return None

    def _of(self, form: Form) -> JsonValue:
        schema = form.schema
        values = listed_values(schema)
        if values is not None:
            return next(value for value in values if type_of(value) == form.type)
        match form.type:
            case "array":
                return [self._entry(form)] * schema.get("minItems", 0)
            case "object":
                return self._object(schema)
            case _:
                candidates = (value for value in _scalars(form) if type_of(value) == form.type)
                fitting = next((value for value in candidates if self.allows(schema, value)), _FURTHER)
                if fitting is _FURTHER:
                    raise NoDocumentError
                return fitting

    def _object(self, schema: JsonObject) -> JsonObject:
        members, further = members_of(schema), further_members(schema)
        made = {name: self._named(name, members.get(name, further)) for name in required_of(schema)}
        spare = [name for name in members if name not in made]
        if further is not False:
            spare += [f"{_FURTHER}_{number}" for number in range(schema.get("minProperties", 0))]
        for name in spare[: max(0, schema.get("minProperties", 0) - len(made))]:
            made[name] = self._named(name, members.get(name, further))
        return made


def _near(target: JsonObject, least: str, most: str) -> Iterator[int]:
    """Sizes just outside what `target` allows, and its least."""
    lowest: int = target.get(least, 0)
    sizes = [lowest - 1, target.get(most, lowest) + 1, lowest]
    yield from (size for size in sizes if 0 <= size <= _LONGEST)


def _numbers(base: float, source: JsonObject, target: JsonObject) -> Iterator[float]:
    edges = [
        schema[name]
        for schema in (source, target)
        for name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        if name in schema
    ]
    for value in (base, *edges):
        yield from (value, value - 1, value + 1, value - 0.5, value + 0.5)
    step = source.get("multipleOf")
    if step:
        yield from (step * count for count in range(-3, 8))


def _texts(source: JsonObject, target: JsonObject) -> Iterator[str]:
    for length in _near(target, "minLength", "maxLength"):
        yield "a" * length
    yield from ("", " ", "text", "not of this kind")
    if "format" in source:
        yield _FORMATS.get(source["format"], _WORD)
    if "pattern" in source:
        other = target.get("pattern")
        yield from _matching(source["pattern"], but_not=None if other == source["pattern"] else other)


def _scalars(form: Form) -> Iterator[JsonValue]:
    """Small values of one type, one of which fits unless the schema asks for much."""
    schema = form.schema
    match form.type:
        case "string":
            yield from () if "pattern" in schema else (_WORD, _WORD[: schema.get("maxLength")])
            yield from _texts(schema, schema)
        case "integer" | "fraction":
            yield from (1, 0.5)
            yield from _numbers(1, schema, schema)
        case _:
            yield from (True, None)


def _matching(pattern: str, but_not: str | None = None) -> Iterator[str]:
    """A short text that matches `pattern` and does not match `but_not`; nothing when none is found."""
    from hypothesis import HealthCheck, Phase, find, settings  # takes long to import; rarely needed
    from hypothesis import strategies as st
    from hypothesis.errors import HypothesisException

    calm = settings(
        database=None,
        derandomize=True,
        max_examples=500,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    try:
        yield find(
            st.from_regex(pattern),
            lambda text: "\n" not in text and (but_not is None or re.search(but_not, text) is None),
            settings=calm,
        )
    except (HypothesisException, re.error):
        return
