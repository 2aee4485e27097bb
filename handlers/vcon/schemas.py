"""Schemas: what a vCon looks like, for clients that want to know before they write one."""

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon as models
from vcontract.handlers.vcon.base import VconToolset
from vcontract.runtime.context import ToolContext
from vcontract.runtime.vcon.conformance import LATEST_VERSION, VERSIONS


class SchemaTools(VconToolset):
    """get_schema."""

    async def get_schema(self, params: models.GetSchemaParams, ctx: ToolContext, /) -> models.GetSchemaResult:
        version = LATEST_VERSION if params.version == "latest" else params.version
        if version not in VERSIONS:
            accepted = [*VERSIONS, "latest"]
            raise ValidationError(
                f'There is no schema for version "{version[:40]}"; there is {", ".join(accepted)}.',
                details={
                    "parameter": "version",
                    "reason": "unknown_version",
                    "value": version[:40],
                    "accepted": accepted,
                },
            )
        schema = self._knowledge.schemas.documents[version]
        return models.GetSchemaResult.model_validate(
            {"format": params.format, "version": version, "schema": schema}
        )
