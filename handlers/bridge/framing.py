"""frame and weave: sources into a moment, moments into a scene."""

from collections.abc import Sequence
from typing import Final

from pydantic import MISSING

from vcontract.generated.models import bridge as models
from vcontract.handlers.bridge.answers import Notices, listed, record_document, record_facts, told
from vcontract.handlers.bridge.base import BridgeToolset, hint_at_length, tool_name, unique
from vcontract.handlers.bridge.texts import Problems, invalid
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.envelope import Document
from vcontract.runtime.store.bridge.records import Composed, Link, Quality, Record
from vcontract.runtime.store.postgres.database import Connection

_EQUAL: Final = "same_members"


class FramingTools(BridgeToolset):
    """The tools that a person frames and weaves with."""

    async def frame(
        self, params: models.BridgeFrameParams, ctx: ToolContext, /
    ) -> Document[models.BridgeFrameResult]:
        emoji = params.emoji.strip()
        narrative = None if params.narrative is MISSING else params.narrative
        _check(emoji, params.summary, narrative, params.qualities)
        now, notices = self.now(), Notices()
        ids = unique(params.sourceIds, "sourceIds", notices)
        hint_at_length(params.summary, notices)
        async with self.changing(ctx) as connection:
            sources = await self.records(connection, ctx, ids, "source", "sourceIds")
            moment = Composed(
                id=self._ids.make("moment", now),
                emoji=emoji,
                summary=params.summary,
                narrative=narrative,
                shot=params.shot,
                experiencer=sources[0].experiencer,
                reviewed=True,
                auto_generated=False,
                created=now,
                qualities=tuple(Quality(each.type, each.manifestation) for each in params.qualities),
                links=tuple(map(Link, ids)),
            )
            stored = await self._store.put(connection, ctx.tenant, moment)
            superseded = await self._supersede_parts(connection, ctx, moment, notices)
        return Document(
            models.BridgeFrameResult.model_validate(_facts(stored, superseded, notices)),
            _text("Framed moment", stored, superseded, notices),
        )

    async def weave(
        self, params: models.BridgeWeaveParams, ctx: ToolContext, /
    ) -> Document[models.BridgeWeaveResult]:
        emoji = params.emoji.strip()
        _check(emoji, params.summary, params.narrative, ())
        now, notices = self.now(), Notices()
        ids = unique(params.momentIds, "momentIds", notices)
        hint_at_length(params.summary, notices)
        async with self.changing(ctx) as connection:
            moments = await self.records(connection, ctx, ids, "moment", "momentIds")
            check_active(ctx, moments, "momentIds")
            scene = Composed(
                id=self._ids.make("scene", now),
                emoji=emoji,
                summary=params.summary,
                narrative=params.narrative,
                shot=params.shot,
                experiencer=moments[0].experiencer,
                reviewed=True,
                auto_generated=False,
                created=now,
                links=tuple(map(Link, ids)),
            )
            stored = await self._store.put(connection, ctx.tenant, scene)
            superseded = await self._supersede_parts(connection, ctx, scene, notices)
        return Document(
            models.BridgeWeaveResult.model_validate(_facts(stored, superseded, notices)),
            _text("Wove scene", stored, superseded, notices),
        )

    async def _supersede_parts(
        self, connection: Connection, ctx: ToolContext, made: Composed, notices: Notices
    ) -> list[str]:
        """Put records of a part of its members behind the new one; one of the same members stays."""
        superseded: list[str] = []
        for other in await self._store.supersedable(connection, ctx.tenant, made.type, made.members):
            if other.members < made.members:
                await self._store.supersede(connection, ctx.tenant, other.id, made.id)
                superseded.append(other.id)
            elif other.members == made.members:
                notices.hint(
                    _EQUAL,
                    f"{other.id}, made by a model, has the same members and stays;"
                    f" {tool_name(ctx, 'release')} it if this one replaces it.",
                )
        return superseded


def check_active(ctx: ToolContext, records: Sequence[Record], parameter: str) -> None:
    """Pass when none of the records was superseded.

    Raises: ValidationError naming the successor.
    """
    for position, record in enumerate(records):
        if isinstance(record, Composed) and record.reframed_by is not None:
            raise invalid(
                f"$.{parameter}[{position}]",
                "superseded",
                f"{record.id} was superseded by {record.reframed_by}; use that one.",
                f"Call {tool_name(ctx, 'weave')} with {record.reframed_by} in its place.",
            )


def _check(
    emoji: str, summary: str, narrative: str | None, qualities: Sequence[models.BridgeQuality]
) -> None:
    problems = Problems()
    problems.check_emoji("$.emoji", emoji)
    problems.check_text("$.summary", "summary", summary)
    if narrative is not None:
        problems.check_text("$.narrative", "narrative", narrative)
    for position, quality in enumerate(qualities):
        path = f"$.qualities[{position}].manifestation"
        problems.check_text(path, "manifestation", quality.manifestation)
    problems.refuse()


def _facts(record: Record, superseded: Sequence[str], notices: Notices) -> JsonObject:
    return {"record": record_document(record), "superseded": list(superseded), **notices.document()}


def _text(happened: str, record: Record, superseded: Sequence[str], notices: Notices) -> str:
    facts = record_facts(record)
    if superseded:
        facts.append(f"Supersedes: {listed(superseded)}")
    return told(f"{happened} {record.id}.", facts, notices)
