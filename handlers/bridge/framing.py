"""frame and weave: create a moment from sources, a scene from moments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import MISSING

from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import BridgeFrameResult, BridgeWeaveResult
from vcontract.handlers.bridge.answers import Notices, format_message, join_ids, record_document, record_facts
from vcontract.handlers.bridge.records import hint_at_length, tool_name, unique
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.handlers.bridge.texts import Problems, invalid
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.store.bridge import links
from vcontract.runtime.store.bridge.ids import RecordType
from vcontract.runtime.store.bridge.index import passages
from vcontract.runtime.store.bridge.records import Composed, Link, Quality, Record
from vcontract.runtime.store.postgres.database import Connection

_EQUAL: Final = "same_members"
_MAX_LEVELS: Final = 8


@dataclass(frozen=True, slots=True)
class _Kind:
    """The record type to create, and the type of its members."""

    tool: str
    type: RecordType
    of: RecordType
    parameter: str
    """Parameter with the members."""


_MOMENT: Final = _Kind("frame", "moment", "source", "sourceIds")
_SCENE: Final = _Kind("weave", "scene", "moment", "momentIds")


@dataclass(frozen=True, slots=True)
class _Made:
    """A new moment or scene, and the records it supersedes."""

    record: Composed
    superseded: list[str]

    def message(self, happened: str, notices: Notices) -> str:
        facts = record_facts(self.record)
        if self.superseded:
            facts.append(f"Supersedes: {join_ids(self.superseded)}")
        return format_message(f"{happened} {self.record.id}.", facts, notices)


class FramingTools(BridgeTools):
    """The tools `frame` and `weave`."""

    async def frame(
        self, params: models.BridgeFrameParams, ctx: ToolContext, /
    ) -> Document[BridgeFrameResult]:
        notices = Notices()
        qualities = tuple(Quality(each.type, each.manifestation) for each in params.qualities)
        made = await self._make(ctx, _MOMENT, params, params.sourceIds, qualities, notices)
        facts: BridgeFrameResult = {
            "success": True,
            "record": record_document(made.record),
            "superseded": made.superseded,
            "warnings": notices.warnings,
            "hints": notices.hints,
        }
        return Document(facts, made.message("Framed moment", notices))

    async def weave(
        self, params: models.BridgeWeaveParams, ctx: ToolContext, /
    ) -> Document[BridgeWeaveResult]:
        notices = Notices()
        made = await self._make(ctx, _SCENE, params, params.momentIds, (), notices)
        facts: BridgeWeaveResult = {
            "success": True,
            "record": record_document(made.record),
            "superseded": made.superseded,
            "warnings": notices.warnings,
            "hints": notices.hints,
        }
        return Document(facts, made.message("Wove scene", notices))

    async def _make(
        self,
        ctx: ToolContext,
        kind: _Kind,
        params: models.BridgeFrameParams | models.BridgeWeaveParams,
        member_ids: Sequence[str],
        qualities: tuple[Quality, ...],
        notices: Notices,
    ) -> _Made:
        """Store a moment or scene. It supersedes a model's records of a part of its members."""
        narrative = None if params.narrative is MISSING else params.narrative
        _check(params.emoji, params.summary, narrative, qualities)
        now = self._records.now()
        ids = unique(member_ids, kind.parameter, notices)
        hint_at_length(params.summary, notices)
        vectors = await self._records.vectors(ctx, passages(None, params.summary, narrative, qualities))
        async with self._records.changing(ctx) as connection:
            members = await self._records.of_type(connection, ctx, ids, kind.of, kind.parameter)
            check_active(ctx, members, kind.parameter)
            record = Composed(
                id=self._records.make_id(kind.type, now),
                emoji=params.emoji.strip(),
                summary=params.summary,
                narrative=narrative,
                shot=params.shot,
                experiencer=members[0].experiencer,
                reviewed=True,
                auto_generated=False,
                created=now,
                qualities=qualities,
                links=tuple(map(Link, ids)),
            )
            stored = await self._records.store.put(connection, ctx.tenant, record, vectors)
            await self._records.note(connection, ctx, kind.tool, [record.id])
            await self._records.hint_at_unembedded(connection, ctx, [record.id], notices)
            return _Made(stored, await self._supersede_parts(connection, ctx, record, notices))

    async def _supersede_parts(
        self, connection: Connection, ctx: ToolContext, made: Composed, notices: Notices
    ) -> list[str]:
        """Supersede records with a part of these members, except one with exactly the same members."""
        store = self._records.store
        superseded: list[str] = []
        for other in await store.supersedable(connection, ctx.tenant, made.type, made.members):
            if other.members < made.members:
                await store.supersede(connection, ctx.tenant, other.id, made.id)
                superseded.append(other.id)
            elif other.members == made.members:
                notices.hint(
                    _EQUAL,
                    f"{other.id}, made by a model, has the same members and stays;"
                    f" {tool_name(ctx, 'release')} it if this one replaces it.",
                )
        return superseded


def check_active(ctx: ToolContext, records: Sequence[Record], parameter: str) -> None:
    """Check that no record was superseded.

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


async def check_height(
    connection: Connection, ctx: ToolContext, scene_ids: Sequence[str], parameter: str, *, spare: int = 0
) -> None:
    """Check that these scenes leave room for more levels.

    Raises: ValidationError.
    """
    if await links.height_of(connection, ctx.tenant, scene_ids) + spare > _MAX_LEVELS:
        raise invalid(f"$.{parameter}", "too_high", f"Scenes of scenes go {_MAX_LEVELS} levels high at most.")


def _check(emoji: str, summary: str, narrative: str | None, qualities: Sequence[Quality]) -> None:
    problems = Problems()
    problems.check_emoji("$.emoji", emoji.strip())
    problems.check_text("$.summary", "summary", summary)
    if narrative is not None:
        problems.check_text("$.narrative", "narrative", narrative)
    for position, quality in enumerate(qualities):
        path = f"$.qualities[{position}].manifestation"
        problems.check_text(path, "manifestation", quality.manifestation)
    problems.refuse()
