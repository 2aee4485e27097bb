"""The first digits of an ID, as vcon_recall and the CLI print them, in place of a whole one.

Every ID that a tool, a resource or the page takes is completed here.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

from pydantic import BaseModel

from vcontract.generated.errors import InvalidArgument, NotFound, ValidationError
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.id_prefixes import IdKind, ids_beginning_with
from vcontract.runtime.vcon.identity import MIN_SHORT_DIGITS, digits_of

KINDS: Final[Mapping[str, IdKind]] = {
    "id": "vcon",
    "uuid": "vcon",
    "vcon_uuid": "vcon",
    "version_of": "vcon",
    "session_id": "session",
    "replaces": "reflection",
}
"""Kind of object whose ID a parameter takes, by the parameter's name."""
_NESTED: Final = ("filters",)
"""Parameters that contain such parameters."""
_OTHER_IDS: Final = frozenset({"bridge"})
"""Toolsets whose IDs are not hex digits."""
_NAMES: Final[Mapping[IdKind, str]] = {"vcon": "vCon", "session": "session", "reflection": "reflection"}
_MAX_CANDIDATES: Final = 5

ParamsT = TypeVar("ParamsT", bound=BaseModel)


class ShortIds:
    """Completes the IDs that a call names, from what the caller can see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def in_params(
        self, toolset: str, errors: frozenset[str], params: ParamsT, ctx: ToolContext
    ) -> ParamsT:
        """Return the parameters of a call with whole IDs.

        Raises: NotFound, if it is among the `errors` of the tool; InvalidArgument or ValidationError.
        """
        return params if toolset in _OTHER_IDS else await self._within(params, ctx, errors)

    async def in_uri(self, values: Mapping[str, str], ctx: ToolContext) -> Mapping[str, str]:
        """Return the values of a resource's URI with whole IDs. Raises: NotFound; ValidationError."""
        return {
            name: await self.complete(value, name, ctx) if name in KINDS else value
            for name, value in values.items()
        }

    async def _within(self, params: ParamsT, ctx: ToolContext, errors: frozenset[str]) -> ParamsT:
        whole: dict[str, object] = {}
        for name in params.model_fields_set:
            value: object = getattr(params, name)
            if isinstance(value, str) and name in KINDS:
                completed: object = await self.complete(value, name, ctx, errors)
            elif isinstance(value, BaseModel) and name in _NESTED:
                # an ID that narrows a search is not what the call is about
                completed = await self._within(value, ctx, errors - {NotFound.code})
            else:
                continue
            if completed != value:
                whole[name] = completed
        return params.model_copy(update=whole) if whole else params

    async def complete(
        self, text: str, parameter: str, ctx: ToolContext, errors: frozenset[str] = frozenset({NotFound.code})
    ) -> str:
        """Return the only ID that begins with these digits; other text as it is. Raises: as `in_params`."""
        digits = digits_of(text)
        if digits is None or len(digits) < MIN_SHORT_DIGITS:
            return text
        kind = KINDS[parameter]
        owner = ""
        if kind == "session":
            from vcontract.handlers.session.workplace import subject_of

            owner = subject_of(ctx)
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            found = await ids_beginning_with(connection, ctx.tenant, digits, _MAX_CANDIDATES, kind, owner)
        if len(found) == 1:
            return found[0].id
        invalid = InvalidArgument if InvalidArgument.code in errors else ValidationError
        if found:
            raise invalid(
                f"{parameter} {text} is the beginning of several ids; give more of it.",
                details={
                    "parameter": parameter,
                    "reason": "ambiguous_id",
                    "value": text,
                    "accepted": [each.id for each in found],
                },
            )
        message = f"No {_NAMES[kind]} here has an id that begins with {text}."
        if NotFound.code in errors:
            raise NotFound(message, details={"uuid": text})
        raise invalid(message, details={"parameter": parameter, "reason": "not_found", "value": text})
