"""The vCon syntax, version by version, as JSON Schema, TypeScript and OpenAPI, and what the gate compares."""

from collections.abc import Iterator
from typing import Final

from vcontract.codegen.documents import JsonObject, print_json
from vcontract.codegen.emit import openapi, typescript
from vcontract.codegen.emitters import Emitter
from vcontract.codegen.load import Spec
from vcontract.codegen.model import Contract, DocumentSchema
from vcontract.codegen.output import OutputFile
from vcontract.codegen.published import schemas_by_name

_VCON: Final = "Vcon"
"""The name of a whole vCon beside those of its parts."""


def _emit(contract: Contract) -> Iterator[OutputFile]:
    versions = [each for each in contract.document_schemas if each.name == "vcon"]
    for each in versions:
        yield OutputFile(f"vcon/{each.version}/vcon.d.ts", _types(each))
        yield OutputFile(f"vcon/{each.version}/vcon.openapi.json", _openapi(each))
    for latest in versions[-1:]:
        yield OutputFile("vcon.d.ts", _types(latest))
        yield OutputFile("vcon.schema.json", print_json(latest.schema))


def _types(each: DocumentSchema) -> str:
    return typescript.module(
        f"The vCon syntax, version {each.version}", schemas_by_name(_VCON, each.schema), [_VCON]
    )


def _openapi(each: DocumentSchema) -> str:
    about: str = each.schema.get("description", "")
    info: JsonObject = {"title": "vCon", "version": each.version, "description": about}
    return openapi.schemas_alone(info, schemas_by_name(_VCON, each.schema))


def _surface(spec: Spec) -> JsonObject:
    """Return the promises about vCons: schemas, templates, legacy names and dealers."""
    templates, legacy, dealers = (
        [document.data for document in spec.of_kind(kind)] for kind in ("template", "legacy", "dealers")
    )
    purposes: list[JsonObject] = [entry for table in dealers for entry in table["dealers"]]
    return {
        "vcon": {
            path.split("/")[2]: schema
            for path, schema in spec.schemas.items()
            if path.startswith("spec/vcon/")
        },
        "templates": {template["name"]: _template(template) for template in templates},
        "legacy": {
            f"{part}.{name}.{entry.get('legacy', entry['current'])}": {
                member: value for member, value in entry.items() if member != "objects"
            }
            for table in legacy
            for part, entries in table.items()
            for entry in entries
            for name in entry["objects"]
        },
        "dealers": {entry["purpose"]: entry for entry in purposes},
        "dealers_order": [entry["purpose"] for entry in purposes],
    }


def _template(template: JsonObject) -> JsonObject:
    params: JsonObject = {
        name: {keyword: value for keyword, value in schema.items() if not keyword.startswith("x-")}
        for name, schema in template["params"].items()
    }
    groups = {kind: [" + ".join(group) for group in template.get(kind, [])] for kind in ("together", "apart")}
    words = {name: template.get(name, "") for name in ("title", "description", "subject", "form")}
    closed: JsonObject = {"type": "object", "properties": params, "additionalProperties": False}
    return {**words, **groups, "tags": template.get("tags", []), "params": closed}


EMITTER: Final = Emitter(_emit, surface=_surface)
