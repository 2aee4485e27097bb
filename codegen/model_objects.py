"""Convert the contract's schemas to named objects for generated Python classes."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.model import Resource, Shape, Toolset
from vcontract.codegen.schemas import DEFS, EXTENSIONS, map_subschemas, shape_name

DOCUMENT_MARKER: Final = "x-document"

_DROPPED: Final = frozenset(
    {"title", "deprecated", "examples", "format", "pattern", "minLength", "maxLength"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    | {"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"}
)
"""Left to the JSON Schema, which every value passes: classes say what is there, not how much."""

_OPEN_OBJECT: Final[JsonObject] = {"type": "object", "additionalProperties": True}


class NameTakenError(Exception):
    """Two different objects would become classes of one name; the message names both places."""


def params_schemas(toolset: Toolset, shapes: Mapping[str, Shape]) -> dict[str, JsonObject]:
    """Class name to object schema, for every class that the parameters of `toolset` need.

    References are `#/$defs/<class>`. Every object with declared members is a class of its own, named
    after its place; shapes keep their names. Raises: NameTakenError.
    """
    collector = _Collector(shapes)
    for tool in toolset.tools:
        params = {"description": f"Parameters of {tool.key}.", **tool.params_model}
        collector.add(naming.params_class(tool.key), params, f"parameters of {tool.key}")
    return collector.classes


def result_schemas(
    toolset: Toolset, resources: Iterable[Resource], shapes: Mapping[str, Shape]
) -> dict[str, JsonObject]:
    """As `params_schemas`, for the results of `toolset` and the contents of its `resources`.

    Raises: NameTakenError.
    """
    collector = _Collector(shapes)
    for tool in toolset.tools:
        result = {"description": f"The success of {tool.key}.", **tool.result_model}
        collector.add(naming.result_class(tool.key), result, f"success of {tool.key}")
    for resource in resources:
        if resource.toolset == toolset.id and has_members(resource):
            content = {"description": f"The content of {resource.uris[0]}.", **resource.content_form}
            collector.add(naming.content_class(resource.name), content, f"content of {resource.name}")
    return collector.classes


def has_members(resource: Resource) -> bool:
    """Whether the content is an object with declared members, and not a document of any form."""
    return bool(resource.content.get("properties"))


class _Collector:
    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self._shapes = {name: shape.schema for name, shape in shapes.items()}
        self._sources: dict[str, tuple[JsonObject, str]] = {}
        self.classes: dict[str, JsonObject] = {}

    def add(self, name: str, schema: JsonObject, origin: str) -> None:
        """Make `schema`, an object with members, the class `name`; `origin` says what it is."""
        if name in self._sources:
            source, first = self._sources[name]
            if source != schema:
                raise NameTakenError(f"{first} and {origin} would both be the class {name}; rename one")
            return
        self._sources[name] = schema, origin
        shape = shape_name(schema)
        base = self._shape(shape) if shape is not None else {}
        own = {**self._own_members(name, schema), "description": self._description(schema, origin)}
        self.classes[name] = {"allOf": [base], **own} if base else own

    def _own_members(self, name: str, schema: JsonObject) -> JsonObject:
        properties = {
            member: self._place(value, name, member) for member, value in schema.get("properties", {}).items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": schema.get("required", []),
            "additionalProperties": schema.get("additionalProperties") is not False,
        }

    def _description(self, schema: JsonObject, origin: str) -> str:
        shape = shape_name(schema)
        inherited = self._shapes[shape].get("description") if shape is not None else None
        return _wrapped(schema.get("description") or inherited or f"{origin[:1].upper()}{origin[1:]}.")

    def _place(self, schema: JsonValue, owner: str, member: str) -> JsonValue:
        """`schema`, which stands at `member` of the class `owner`, with every object made a class."""
        return self._part(schema, naming.member_class(owner, member), f"`{member}` of {owner}")

    def _part(self, schema: JsonValue, name: str, origin: str) -> JsonValue:
        """`schema` without what models do not check; an object in it becomes the class `name`."""
        if not is_object(schema):
            return schema
        shape = shape_name(schema)
        if shape is not None and not EXTENSIONS & schema.keys():
            return {**self._shape(shape), **_annotations(schema)}
        if schema.get(DOCUMENT_MARKER):
            return {**_annotations(schema), **_OPEN_OBJECT}
        if schema.get("properties"):
            self.add(name, schema, origin)
            return {**_annotations(schema), "$ref": DEFS + name}
        return self._container(schema, name, origin)

    def _container(self, schema: JsonObject, name: str, origin: str) -> JsonObject:
        """`schema`, which is no object with members, with its parts placed."""
        kept: JsonObject = {
            keyword: value
            for keyword, value in schema.items()
            if keyword not in _DROPPED and not keyword.startswith("x-")
        }
        if "anyOf" in kept:
            kept["anyOf"] = _with_integers(kept["anyOf"])
            several = sum(is_object(branch) and "properties" in branch for branch in kept["anyOf"]) > 1
            branches = [
                self._part(branch, naming.branch_class(name, number) if several else name, origin)
                for number, branch in enumerate(kept["anyOf"], start=1)
            ]
            return {**kept, **_annotations(kept), "anyOf": branches}
        parts = map_subschemas(
            kept, lambda part: self._part(part, naming.entry_class(name), f"one entry of {origin}")
        )
        return {**parts, **_annotations(kept)}

    def _shape(self, name: str) -> JsonObject:
        """Convert a reference to the shape `name`: to a class, or to its schema if it has no members."""
        schema = self._shapes[name]
        class_name = naming.class_name(name)
        if schema.get("properties") and not schema.get(DOCUMENT_MARKER):
            self.add(class_name, schema, f"the shape {name}")
            return {"$ref": DEFS + class_name}
        placed: JsonObject = self._part(schema, class_name, f"the shape {name}")
        return placed


def _with_integers(branches: Sequence[JsonValue]) -> list[JsonValue]:
    """`branches` with one for integers beside numbers: Python's float alone would turn 5 into 5.0."""
    types = [branch.get("type") for branch in branches if is_object(branch)]
    if "number" in types and "integer" not in types:
        return [{"type": "integer"}, *branches]
    return list(branches)


def _annotations(schema: JsonObject) -> JsonObject:
    kept: JsonObject = {
        keyword: schema[keyword] for keyword in ("description", "default") if keyword in schema
    }
    return {**kept, "description": _wrapped(kept["description"])} if "description" in kept else kept


def _wrapped(text: str) -> str:
    """`text` in lines that fit a docstring."""
    return "\n".join(textwrap.fill(line, width=100, break_long_words=False) for line in text.splitlines())
