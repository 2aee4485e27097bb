"""Schemas: what a vCon looks like, for clients that want to know before they write one."""

from typing import Literal

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.handlers.vcon.base import VconToolset
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import LATEST_VERSION, VERSIONS
from vcontract.runtime.vcon.published import openapi_document, typescript_types


class SchemaTools(VconToolset):
    """get_schema."""

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

    def _schema(
        self, language: Literal["json_schema", "typescript", "openapi"], version: str
    ) -> JsonObject | str:
        match language:
            case "json_schema":
                return self._knowledge.schemas.documents[version]
            case "typescript":
                return typescript_types(version)
            case "openapi":
                return openapi_document(version)


def read_version(text: str) -> str:
    """The version of the vCon syntax that is meant. Raises: ValidationError."""
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
