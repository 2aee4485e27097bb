"""Reference for authors of vCons: get_schema and get_examples."""

from typing import Final, Literal

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.handlers.services import Tools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import LATEST_VERSION, VERSIONS
from vcontract.runtime.vcon.published import openapi_document, typescript_types
from vcontract.runtime.vcon.spec_files import shipped_yaml
from vcontract.runtime.vcon.yaml_text import dump_yaml

_EXAMPLES: Final = "examples"


class ReferenceTools(Tools):
    """get_schema and get_examples."""

    async def get_schema(
        self, params: models.GetSchemaParams, ctx: ToolContext, /
    ) -> results.GetSchemaResult:
        version = read_version(params.version)
        return {
            "success": True,
            "format": params.format,
            "version": version,
            "schema": self._schema(params.format, version),
        }

    async def get_examples(
        self, params: models.GetExamplesParams, ctx: ToolContext, /
    ) -> results.GetExamplesResult:
        vcon = shipped_yaml(_EXAMPLES, f"{params.example_type}.yaml")["vcon"]
        return {
            "success": True,
            "example_type": params.example_type,
            "format": params.format,
            "vcon": dump_yaml(vcon) if params.format == "yaml" else vcon,
        }

    def _schema(
        self, language: Literal["json_schema", "typescript", "openapi"], version: str
    ) -> JsonObject | str:
        match language:
            case "json_schema":
                return self._context.schemas.documents[version]
            case "typescript":
                return typescript_types(version)
            case "openapi":
                return openapi_document(version)


def read_version(text: str) -> str:
    """Parse a version of the vCon syntax. Raises: ValidationError."""
    version = LATEST_VERSION if text == "latest" else text
    if version not in VERSIONS:
        accepted = [*VERSIONS, "latest"]
        raise ValidationError(
            f'There is no schema for version "{version[:40]}"; there are {", ".join(accepted)}.',
            details={
                "parameter": "version",
                "reason": "unknown_version",
                "value": version[:40],
                "accepted": accepted,
            },
        )
    return version
