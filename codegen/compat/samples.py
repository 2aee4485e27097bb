"""Generate sample values of a schema: a small valid one, and edge cases."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from vcontract.codegen.compat.forms import Form, Shapes, listed_values, type_of
from vcontract.codegen.compat.patterns import text_of
from vcontract.codegen.compat.schema_diff import ENTRY, NAMES, OTHER
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object

_FORMATS: Final[dict[str, str]] = {
    "date": "2025-10-14",
    "date-time": "2025-10-14T10:30:00Z",
    "time": "10:30:00Z",
    "email": "ada@example.com",
    "uri": "https://example.com/",
    "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
}
"""A sample text for each format."""

_MAX_DEPTH: Final = 16
"""Maximum depth of a sample, because recursive shapes have no end."""

_MAX_SAMPLE_LENGTH: Final = 100_000
"""Maximum length of generated texts and lists."""

_FURTHER: Final = "further"
"""Name of an undeclared member."""

_SIZES: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_ONE_OF_EACH: Final[list[JsonValue]] = ["text", 1, 0.5, True, None, [], {}]


class Samples:
    """Generates values for schemas of one document, using example values for members of the same name."""

    def __init__(self, document: JsonObject, examples: Sequence[JsonValue] = ()) -> None:
        self.shapes = Shapes.of(document)
        self._known: JsonObject = {}
        for example in examples:
            self._learn(example)

    def _learn(self, value: JsonValue) -> None:
        members = value if is_object(value) else {}
        self._known = {**members, **self._known}
        for member in [*members.values(), *(value if is_array(value) else ())]:
            self._learn(member)

    def values(
        self,
        schema: JsonValue,
        others: Sequence[JsonObject] = (),
        base: JsonValue = None,
        depth: int = 0,
    ) -> Iterator[JsonValue]:
        """Yield valid values: `base` or a small one, then edge cases of `others`."""
        for form in self.shapes.forms(schema) if depth < _MAX_DEPTH else ():
            listed = listed_values(form.schema)
            made = self._made(form, [form.schema, *others], base, depth + 1) if listed is None else listed
            for value in made:
                if type_of(value) == form.type and self.shapes.allows(form.schema, value):
                    yield value

    def _made(
        self, form: Form, near: Sequence[JsonObject], base: JsonValue, depth: int
    ) -> Iterator[JsonValue]:
        match form.type:
            case "string":
                yield from _texts(form.schema, near)
            case "array":
                entries = list(self._some(form.schema.get("items", True), depth))
                yield from (entries * size for size in _sizes(near) if entries or not size)
            case "object":
                fits = base is not None and self.shapes.allows(form.schema, base)
                yield from self._objects(form.schema, near, base if fits else None, depth)
            case "integer" | "fraction":
                yield from _numbers(near)
            case _:
                yield from (True, False, None)

    def _some(self, schema: JsonValue, depth: int, name: str = "") -> Iterator[JsonValue]:
        """Yield one valid value, from an example if possible; nothing if none is found."""
        if name in self._known and self.shapes.allows(schema, self._known[name]):
            yield self._known[name]
            return
        yield from islice(self.values(schema, depth=depth), 1)

    def _objects(
        self, schema: JsonObject, near: Sequence[JsonObject], base: JsonObject | None, depth: int
    ) -> Iterator[JsonObject]:
        members, further = schema.get("properties", {}), schema.get("additionalProperties", True)
        made: JsonObject = base or {
            name: value
            for name in schema.get("required", ())
            for value in self._some(members.get(name, further), depth, name)
        }
        yield made
        if not near[1:] and not schema.get("minProperties"):
            return
        optional = {
            name: value
            for name, member in members.items()
            if name not in made
            for value in self._some(member, depth, name)
        }
        yield from ({**made, name: value} for name, value in optional.items())
        yield from map(partial(_without, made), made)
        if further is not False:
            names = dict.fromkeys(
                [_FURTHER, *(name for plain in near for name in plain.get("properties", {}))]
            )
            yield from _with_one_more(made, [name for name in names if name not in members])
        for size in _sizes(near):
            spare = {f"{_FURTHER}_{number}": "text" for number in range(size)} if further is not False else {}
            yield dict([*{**made, **optional, **spare}.items()][:size])

    def placed(
        self, schema: JsonValue, steps: Sequence[str], value: JsonValue, around: JsonValue
    ) -> Iterator[JsonValue]:
        """Yield `around`, or a small document per alternative, with `value` at `steps`."""
        steps = [step for step in steps if not step.startswith("<")]
        if not steps:
            yield value
            return
        for form in self.shapes.forms(schema):
            if steps[0] == ENTRY and form.type == "array":
                entry = around[0] if is_array(around) and around else None
                for inner in self.placed(form.schema.get("items", True), steps[1:], value, entry):
                    yield [inner] * max(1, form.schema.get("minItems", 0))
            elif steps[0] == NAMES and form.type == "object" and isinstance(value, str):
                further = form.schema.get("additionalProperties", True)
                yield from ({value: inner} for inner in self._some(further, 0))
            elif steps[0] not in (ENTRY, NAMES) and form.type == "object":
                name = _FURTHER if steps[0] == OTHER else steps[0]
                member = form.schema.get("properties", {}).get(
                    name, form.schema.get("additionalProperties", True)
                )
                small = (value for value in self.values(form.schema) if is_object(value))
                holder: JsonObject = around if is_object(around) else next(small, dict[str, JsonValue]())
                for inner in self.placed(member, steps[1:], value, holder.get(name)):
                    yield {**holder, name: inner}


def _without(made: JsonObject, left: str) -> JsonObject:
    return {name: value for name, value in made.items() if name != left}


def _with_one_more(made: JsonObject, names: Sequence[str]) -> Iterator[JsonObject]:
    for name in names:
        yield from ({**made, name: value} for value in _ONE_OF_EACH)


def _sizes(near: Sequence[JsonObject]) -> list[int]:
    """Sizes at the edges, smallest first."""
    edges = [schema[keyword] for schema in near for keyword in _SIZES if keyword in schema]
    return sorted(
        {
            size
            for edge in (0, *edges)
            for size in range(edge - 1, edge + 2)
            if 0 <= size <= _MAX_SAMPLE_LENGTH
        }
    )


def _numbers(near: Sequence[JsonObject]) -> Iterator[float]:
    yield from (1, 0.5)
    for edge in (value for schema in near for value in schema.values() if isinstance(value, int | float)):
        yield from (edge, edge - 1, edge + 1, edge - 0.5, edge + 0.5, 2 * edge, -edge)


def _texts(schema: JsonObject, near: Sequence[JsonObject]) -> Iterator[str]:
    if "format" in schema:
        yield _FORMATS.get(schema["format"], "text")
    if "pattern" in schema:
        others = [other["pattern"] for other in near[1:] if "pattern" in other] or [None]
        yield from (text for other in others if (text := text_of(schema["pattern"], other)) is not None)
    yield from (f"no {other['format']}" for other in near[1:] if "format" in other)
    yield from () if "pattern" in schema else ("text",)
    yield from ("a" * size for size in _sizes(near))
    yield from (" ", "not of this kind")
