"""The tool create_vcon_from_template."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.handlers.services import Tools
from vcontract.handlers.vcon.listing import fits
from vcontract.handlers.vcon.responses import (
    conformance_of,
    load,
    note_change,
    violations_error,
    warnings_of,
)
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import Violation
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.vcons.preparation import MetadataRefused, PreparedVcon, VconRefused
from vcontract.runtime.store.vcons.tables import conformance_document
from vcontract.runtime.vcon.templates import ParamsRefused, Template


class TemplatesTools(Tools):
    """create_vcon_from_template."""

    async def create_vcon_from_template(
        self, params: models.CreateVconFromTemplateParams, ctx: ToolContext, /
    ) -> results.CreateVconFromTemplateResult:
        template = _template(params.template_name)
        now = datetime.now(UTC)
        prepared = await self._prepared_from(template, params, now)
        async with self._database.writing(ctx.tenant, ctx.transaction) as connection:
            while await self._vcons.create(connection, ctx.tenant, prepared) is not None:
                # a version 8 uuid has 12 random bits, so retry on a collision
                prepared = await self._prepared_from(template, params, now)
            await note_change(connection, ctx, "create_vcon_from_template", prepared.uuid, now)
            stored = await load(self._vcons, connection, ctx, prepared.uuid)
        result: results.CreateVconFromTemplateResult = {
            "success": True,
            "uuid": str(prepared.uuid),
            "conformance": conformance_of(conformance_document(prepared)),
        }
        document = stored.document()
        if fits(document, ctx):
            result["vcon"] = document
        else:
            result["vcon_omitted"] = True
        if warnings := warnings_of(prepared.notices):
            result["warnings"] = warnings
        return in_order(results.CreateVconFromTemplateResult, result)

    async def _prepared_from(
        self, template: Template, params: models.CreateVconFromTemplateParams, now: datetime
    ) -> PreparedVcon:
        """Prepare the vCon of a template.

        Raises: ValidationError.
        """
        given = {} if params.template_params is MISSING else params.template_params
        metadata = {} if params.metadata is MISSING else params.metadata
        subject = None if params.subject is MISSING else params.subject
        try:
            vcon, tags = template.make(
                params.parties, given, subject, now, self._services.settings.vcon_version
            )
            metadata = {**metadata, "tags": {**tags, **metadata.get("tags", {})}}
            prepared = await self._preparer.prepare(vcon, now=now, metadata=metadata, fill_created_at=True)
        except ParamsRefused as refused:
            problem = refused.problem
            raise ValidationError(
                problem.message, details=problem.details, suggestions=problem.suggestions
            ) from None
        except MetadataRefused as refused:
            raise violations_error(refused.violations, "$") from None
        except VconRefused as refused:
            raise _refusal(template, refused.violations) from None
        if not prepared.conformance.valid:
            raise _refusal(template, self._context.schemas.all_violations(prepared.document))
        return prepared


@cache
def _template(name: str) -> Template:
    return Template.load(name)


def _refusal(template: Template, violations: tuple[Violation, ...] | list[Violation]) -> ValidationError:
    placed = [replace(violation, path=template.place_of(violation.path)) for violation in violations]
    return violations_error(placed, "$")
