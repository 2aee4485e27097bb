"""Schemas published for other languages, by name: everything a client sends, receives or stores."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, is_object
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.model_objects import NameTakenError
from vcontract.codegen.schemas import (
    DEFS,
    extensions_inlined,
    map_subschemas,
    shape_name,
    subschemas,
    without_markers,
)

_RULES: Final = frozenset({"allOf", "not", "if", "then", "else"})
"""Keywords that bind the members of an object to one another."""

_RESERVED: Final = frozenset(
    {naming.TOOLS_TYPE, naming.TOOL_NAME_TYPE, naming.RESOURCES_TYPE, naming.RESOURCE_NAME_TYPE}
)


def contract_schemas(contract: Contract, *, has_rules: bool = True) -> dict[str, JsonObject]:
    """Parameters, result, error and response of every tool, and the content of every resource.

    Behind them come the shapes and document parts that they refer to. References are `#/$defs/<name>`, where
    each name is a key of the returned dict. Each schema means the same as the one published for its tool or
    resource. A schema that is marked as a part of a document, such as `x-note: Author`, refers to that part.
    Without `has_rules`, parts of documents list their members and not the rules between them.

    Raises: NameTakenError if a name is used twice, or is reserved.
    """
    markers = {f"x-{each.name}": naming.class_name(each.name) for each in contract.document_schemas}
    shapes: dict[str, JsonObject] = {
        name: _with_parts(shape.schema, markers) for name, shape in contract.shapes.items()
    }
    schemas: dict[str, JsonObject] = {}
    for tool in contract.tools:
        for name, schema in _of_tool(tool).items():
            _add(schemas, name, _published(_with_parts(schema, markers), shapes))
    for resource in contract.resources:
        content = _described(_with_parts(resource.content_form, markers), f"What is read as {resource.name}.")
        _add(schemas, naming.content_class(resource.name), _published(content, shapes))
    for shape in sorted(_reached(schemas.values(), shapes)):
        _add(schemas, naming.class_name(shape), _published(shapes[shape], shapes))
    named: dict[str, JsonObject] = {
        name: renamed(schema, naming.class_name) for name, schema in schemas.items()
    }
    for name, part in _parts(contract, named.values(), has_rules=has_rules).items():
        _add(named, name, part)
    return named


def _parts(contract: Contract, schemas: Iterable[JsonObject], *, has_rules: bool) -> dict[str, JsonObject]:
    """The parts of documents, of the latest versions, that `schemas` refer to, also through other parts."""
    parts: dict[str, JsonObject] = {}
    for latest in {each.name: each for each in contract.document_schemas}.values():
        prefix = naming.class_name(latest.name)
        for name, part in latest.schema.get("$defs", {}).items():
            parts[prefix + name] = renamed(part if has_rules else _without_rules(part), prefix.__add__)
    return {name: parts[name] for name in sorted(_reached(schemas, parts))}


def _without_rules(schema: JsonValue) -> JsonValue:
    """`schema` without rules between members, and without booleans as schemas (what is false is left out)."""
    if not is_object(schema):
        return {} if schema is True else schema
    kept = map_subschemas(
        {keyword: value for keyword, value in schema.items() if keyword not in _RULES}, _without_rules
    )
    if "properties" in kept:
        kept["properties"] = {name: one for name, one in kept["properties"].items() if one is not False}
    for union in {"anyOf", "oneOf"} & kept.keys():
        kept[union] = [form for form in kept[union] if form is not False]
    return {**kept, "items": {}, "maxItems": 0} if kept.get("items") is False else kept


def schemas_by_name(name: str, schema: JsonObject) -> dict[str, JsonObject]:
    """`schema` as `name`, then its parts; references are `#/$defs/<name>`. Raises: NameTakenError."""
    whole = {
        keyword: value for keyword, value in schema.items() if keyword not in ("$schema", "$id", "$defs")
    }
    schemas: dict[str, JsonObject] = {name: whole}
    for part, definition in schema.get("$defs", {}).items():
        _add(schemas, part, definition)
    return schemas


def renamed(schema: JsonValue, name_of: Callable[[str], str], prefix: str = DEFS) -> JsonValue:
    """`schema` with each reference `#/$defs/<name>` as `prefix` and `name_of(name)`."""
    if not is_object(schema):
        return schema
    result = map_subschemas(schema, lambda member: renamed(member, name_of, prefix))
    name = shape_name(schema)
    return result if name is None else {**result, "$ref": prefix + name_of(name)}


def _of_tool(tool: Tool) -> dict[str, JsonObject]:
    result, error = naming.result_class(tool.key), naming.error_form_class(tool.key)
    forms = tool.success_forms
    return {
        naming.params_class(tool.key): _described(tool.params_model, f"Parameters of {tool.key}."),
        result: _described(
            forms[0] if len(forms) == 1 else {"type": "object", "oneOf": list(forms)},
            f"The success of {tool.key}.",
        ),
        error: _described(tool.error_form, f"The error of {tool.key}."),
        naming.response_class(tool.key): {
            "description": f"What {tool.key} answers.",
            "type": "object",
            "oneOf": [{"$ref": DEFS + result}, {"$ref": DEFS + error}],
        },
    }


def _described(schema: JsonObject, description: str) -> JsonObject:
    return schema if "description" in schema else {"description": description, **schema}


def _published(schema: JsonObject, shapes: Mapping[str, JsonObject]) -> JsonObject:
    """`schema` without the generator's markers, and with only annotations beside a `$ref`."""
    result: JsonObject = without_markers(extensions_inlined(schema, shapes))
    return result


def _with_parts(schema: JsonValue, markers: Mapping[str, str]) -> JsonValue:
    """`schema` where each marked place refers to its document part, or accepts any object stored there."""
    if not is_object(schema):
        return schema
    for marker in markers.keys() & schema.keys():
        stored: JsonObject = {"type": "object"}
        return {"anyOf": [{"$ref": f"{DEFS}{markers[marker]}{schema[marker]}"}, stored]}
    return map_subschemas(schema, lambda member: _with_parts(member, markers))


def _reached(schemas: Iterable[JsonValue], shapes: Mapping[str, JsonObject]) -> set[str]:
    """The shapes that `schemas` refer to, directly or through other shapes."""
    reached: set[str] = set()
    waiting = [name for schema in schemas for name in references(schema)]
    while waiting:
        name = waiting.pop()
        if name in shapes and name not in reached:
            reached.add(name)
            waiting.extend(references(_published(shapes[name], shapes)))
    return reached


def references(schema: JsonValue) -> Iterator[str]:
    """The names that `schema` refers to."""
    name = shape_name(schema)
    if name is not None:
        yield name
    for _, part in subschemas(schema):
        yield from references(part)


def _add(schemas: dict[str, JsonObject], name: str, schema: JsonObject) -> None:
    if name in schemas or name in _RESERVED:
        raise NameTakenError(f"two schemas would be published as {name}; rename one")
    schemas[name] = schema
