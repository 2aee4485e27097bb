"""Names that generated files publish, with digests that separate edits of the generator from others."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, JsonValue, digest_of, is_array, is_object
from vcontract.codegen.model import Contract
from vcontract.codegen.model_objects import params_schemas, result_schemas
from vcontract.codegen.published import contract_schemas, references

Files = Mapping[str, str]
"""Text of generated files by path below generated/."""

_TYPES: Final = re.compile(r"^export type (\w+) =(.*?);$(?=\n\n|\n\Z|\n?\Z)", re.MULTILINE | re.DOTALL)
_COMMENTS: Final = re.compile(r"/\*\*.*?\*/|^\s*//.*?$", re.MULTILINE | re.DOTALL)
_WORDS: Final = ("description", "title", "summary")
_DERIVED: Final = ("example", "typical_bytes", "toolset", "version")
"""Members of served documents that depend on more than their own entry."""
_LENGTH: Final = 12


def published(contract: Contract, surface: JsonObject, files: Files) -> JsonObject:
    """Every published name with digests: `of` is its source in the spec, the others are parts of its print.

    A part that changes while `of` stays was changed by the generator.
    """
    schemas, owners = contract_schemas(contract), _owners(contract)
    entries = {
        **_typescript(schemas, owners, files.get("contract.d.ts", "")),
        **_openapi(schemas, owners, files.get("openapi.json", "")),
        **_python(contract, owners, files),
        **_served(surface, files),
    }
    return dict(sorted(entries.items()))


def _owners(contract: Contract) -> dict[str, str]:
    """The part of the contract that each name is made for, as `tools/get_tag`."""
    parts = {
        naming.class_name(each.name) + part
        for each in contract.document_schemas
        for part in each.schema.get("$defs", {})
    }
    made = (naming.params_class, naming.result_class, naming.error_form_class, naming.response_class)
    return {
        **{name: f"parts/{name}" for name in parts},
        **{naming.class_name(name): f"shapes/{name}" for name in contract.shapes},
        **{name(tool.key): f"tools/{tool.key}" for tool in contract.tools for name in made},
        **{naming.content_class(one.name): f"resources/{one.name}" for one in contract.resources},
        **{naming.error_class(error.code): f"errors/{error.code}" for error in contract.errors},
    }


def _entry(owner: str, of: JsonValue, **parts: JsonValue) -> JsonObject:
    digests = {name: _digest(_without_words(part)) for name, part in parts.items()}
    return {"from": owner, "of": _digest(of), **digests}


def _typescript(schemas: Mapping[str, JsonObject], owners: Mapping[str, str], text: str) -> JsonObject:
    source = {naming.typescript_type(name): name for name in schemas}
    return {
        f"typescript {name}": _entry(
            owners.get(source.get(name, ""), ""),
            _reached(source.get(name, ""), schemas),
            type=" ".join(body.split()),
        )
        for name, body in _TYPES.findall(_COMMENTS.sub("", text))
    }


def _openapi(schemas: Mapping[str, JsonObject], owners: Mapping[str, str], text: str) -> JsonObject:
    document: JsonObject = json.loads(text) if text else {"paths": {}, "components": {"schemas": {}}}
    components: JsonObject = document["components"]["schemas"]
    found: JsonObject = {}
    for name, component in components.items():
        if name.rstrip("0123456789") not in schemas or name in schemas:
            forms = [components[key] for key in components if key.rstrip("0123456789") == name != key]
            of = _reached(name, schemas)
            found[f"openapi {name}"] = _entry(owners.get(name, ""), of, component=[component, forms])
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            schema = [_references(operation.get(part)) for part in ("requestBody", "responses")]
            found[f"openapi {method.upper()} {path}"] = _entry(
                path.strip("/"),
                path,
                operationId=operation["operationId"],
                schemas=schema,
                statuses=sorted(operation["responses"]),
            )
    return found


def _python(contract: Contract, owners: Mapping[str, str], files: Files) -> JsonObject:
    found: JsonObject = {}
    made: dict[str, tuple[str, Mapping[str, JsonObject]]] = {}
    for toolset in contract.toolsets:
        made[f"models/{toolset.id}.py"] = toolset.id, params_schemas(toolset, contract.shapes)
        made[f"results/{toolset.id}.py"] = (
            toolset.id,
            result_schemas(toolset, contract.resources, contract.shapes),
        )
    for path, (toolset_id, schemas) in made.items():
        for name, body in _classes(files.get(path, "")):
            if name in owners:
                module = f"{path.split('/')[0]}.{toolset_id}"
                found[f"python {module} {name}"] = _entry(
                    owners[name], _reached(name, schemas), **{"class": body}
                )
    codes = {naming.error_class(error.code): error for error in contract.errors}
    for name, body in _classes(files.get("errors.py", "")):
        code = codes.get(name)
        of = [code.code, code.fault, code.retryable, code.message] if code else ""
        found[f"python errors {name}"] = _entry(owners.get(name, ""), of, **{"class": body})
    for name, body in _classes(files.get("models/base.py", "")):
        found[f"python models.base {name}"] = _entry("", "", **{"class": body})
    return found


def _served(surface: JsonObject, files: Files) -> JsonObject:
    """The documents that a server reads of tools, resources and prompts, member by member."""
    shared = [surface[part] for part in ("server", "toolsets", "policy", "errors", "reasons", "shapes")]
    whole: JsonObject = json.loads(files.get("contract.json", "{}"))
    members = {name: part for name, part in whole.items() if name not in _DERIVED}
    found: JsonObject = {"served contract": _entry("", shared, **members)}
    for folder, part in (("contract", "tools"), ("resources", "resources"), ("prompts", "prompts")):
        for name, entry in surface[part].items():
            text = files.get(f"{folder}/{name}.json")
            if text is not None:
                document: JsonObject = json.loads(text)
                members = {key: value for key, value in document.items() if key not in (*_WORDS, *_DERIVED)}
                found[f"served {part}/{name}"] = _entry(f"{part}/{name}", entry, **members)
    return found


def _classes(text: str) -> Iterator[tuple[str, str]]:
    """Each class of a module, without its docstrings."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            kept = [part for part in node.body if not isinstance(part, ast.Expr)]
            node.body = kept or [ast.Pass()]
            yield node.name, ast.dump(node)


def _reached(name: str, schemas: Mapping[str, JsonObject]) -> JsonObject:
    """A named schema and all that it refers to."""
    found: JsonObject = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name in schemas and name not in found:
            found[name] = schemas[name]
            waiting.extend(references(schemas[name]))
    return found


def _references(value: JsonValue) -> list[str]:
    if is_object(value):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for part in value.values() for found in _references(part)]
    return [found for part in value for found in _references(part)] if is_array(value) else []


def _without_words(value: JsonValue) -> JsonValue:
    if is_object(value):
        return {
            name: _without_words(part)
            for name, part in value.items()
            if not (name in _WORDS and isinstance(part, str))
        }
    return [_without_words(part) for part in value] if is_array(value) else value


def _digest(value: JsonValue) -> str:
    return digest_of(value).removeprefix("sha256:")[:_LENGTH]
