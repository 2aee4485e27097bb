"""The first digits of an ID, as vcon_recall and the CLI print them, in place of a whole one."""

from typing import Final, TypeVar

from pydantic import BaseModel

from vcontract.generated.errors import NotFound, ValidationError
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.id_prefixes import digits_of, ids_beginning_with

MIN_DIGITS: Final = 8
_MAX_CANDIDATES: Final = 5
_PARAMETERS: Final = ("uuid", "vcon_uuid")
_TOOLSETS: Final = ("vcon", "vcon_more")

ParamsT = TypeVar("ParamsT", bound=BaseModel)


class ShortIds:
    """Completes the IDs that a call names, from the vCons that the caller can see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def in_params(self, toolset: str, params: ParamsT, ctx: ToolContext) -> ParamsT:
        """Return the parameters of a call with whole IDs. Raises: NotFound; ValidationError if ambiguous."""
        if toolset not in _TOOLSETS:
            return params
        given: dict[str, object] = {
            name: getattr(params, name) for name in _PARAMETERS if name in params.model_fields_set
        }
        whole: dict[str, str] = {
            name: await self.complete(value, name, ctx)
            for name, value in given.items()
            if isinstance(value, str)
        }
        return params if whole == given else params.model_copy(update=whole)

    async def complete(self, text: str, parameter: str, ctx: ToolContext) -> str:
        """Return the only ID that begins with these digits; other text as it is."""
        digits = digits_of(text)
        if digits is None or len(digits) < MIN_DIGITS:
            return text
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            found = await ids_beginning_with(connection, ctx.tenant, digits, _MAX_CANDIDATES)
        if not found:
            raise NotFound(f"No vCon here has an id that begins with {text}.", details={"uuid": text})
        if len(found) > 1:
            raise ValidationError(
                f"{parameter} {text} is the beginning of several ids; give more of it.",
                details={
                    "parameter": parameter,
                    "reason": "ambiguous_id",
                    "value": text,
                    "accepted": [each.id for each in found],
                },
            )
        return found[0].id
