"""OpenAPI document of a running server, filtered to what the caller may use."""

from collections.abc import Iterator
from typing import Final

from vcontract.runtime.frame.contract.catalogue import CallerContract
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object

_SCHEMAS: Final = "#/components/schemas/"


def openapi_document(whole: JsonObject, contract: CallerContract, prefix: str) -> JsonObject:
    """Filter `whole` to the tools and resources of the caller of `contract`.

    Paths are relative to `prefix`, under which they are served.
    """
    kept = {f"/tools/{key}" for key in contract.names} | {f"/resources/{name}" for name in contract.resources}
    paths: JsonObject = {path: item for path, item in whole["paths"].items() if path in kept}
    components: JsonObject = whole["components"]
    used = {tag for item in paths.values() for operation in item.values() for tag in operation["tags"]}
    return {
        **whole,
        "servers": [{"url": prefix}],
        "tags": [tag for tag in whole["tags"] if tag["name"] in used],
        "paths": paths,
        "components": {
            **components,
            "schemas": _reached([paths, components["responses"]], components["schemas"]),
        },
    }


def _reached(roots: JsonValue, schemas: JsonObject) -> JsonObject:
    """Return the schemas that `roots` reference, directly or indirectly, in their order."""
    reached: set[str] = set()
    waiting = [*_references(roots)]
    while waiting:
        name = waiting.pop()
        if name in schemas and name not in reached:
            reached.add(name)
            waiting.extend(_references(schemas[name]))
    return {name: schema for name, schema in schemas.items() if name in reached}


def _references(value: JsonValue) -> Iterator[str]:
    if is_object(value):
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith(_SCHEMAS):
            yield reference.removeprefix(_SCHEMAS)
        for member in value.values():
            yield from _references(member)
    elif is_array(value):
        for entry in value:
            yield from _references(entry)
