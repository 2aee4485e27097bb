"""autoframe and autoweave: let the configured language model create moments and scenes for review."""

import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NotRequired, TypedDict, TypeVar, cast

from pydantic import MISSING

from vcontract.generated.errors import LlmFailed
from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import (
    BridgeAutoframeResult,
    BridgeAutoweaveResult,
    BridgeAutoweaveResultUnplacedEntry,
    BridgeBatch,
    BridgeDraft,
    BridgeNoticesEntry,
)
from vcontract.handlers.bridge import framing_answer, weaving_answer
from vcontract.handlers.bridge.answer_checks import Draft
from vcontract.handlers.bridge.answers import Notices, format_message, join_ids, record_document
from vcontract.handlers.bridge.framing import check_active, check_height
from vcontract.handlers.bridge.model_calls import Answered, ModelCallFailed, ask_model, check_configured
from vcontract.handlers.bridge.prompting import Batch, digest, first_messages, make_batch
from vcontract.handlers.bridge.records import tool_name
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.handlers.bridge.texts import invalid, snippet
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import Document, in_order
from vcontract.runtime.store.bridge import links
from vcontract.runtime.store.bridge.ids import RecordType
from vcontract.runtime.store.bridge.index import passages_of
from vcontract.runtime.store.bridge.records import Composed, Record, Source
from vcontract.runtime.store.bridge.status import Processing, ProcessingError, note_error, resolve_errors
from vcontract.runtime.store.postgres.database import Connection

_MAX_UNWOVEN_MOMENTS: Final = 50
_MAX_EXCERPT_LENGTH: Final = 300
_MADE_BY: Final[dict[Processing, RecordType]] = {"framing": "moment", "weaving": "scene"}
_TOOLS: Final[dict[Processing, str]] = {"framing": "autoframe", "weaving": "autoweave"}

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class _Run:
    """Records made by a model, saved or as a preview."""

    made: list[Composed]
    superseded: list[str]
    is_preview: bool

    def documents(self) -> list[BridgeDraft]:
        """The records; in a preview without ID and creation time."""
        unsaved = ("id", "created") if self.is_preview else ()
        return [
            cast(
                "BridgeDraft",
                {name: value for name, value in record_document(record).items() if name not in unsaved},
            )
            for record in self.made
        ]


class _Facts(TypedDict):
    """What both tools answer."""

    success: Literal[True]
    preview: bool
    created: list[BridgeDraft]
    superseded: list[str]
    wouldSupersede: NotRequired[list[str]]
    batch: BridgeBatch
    attempts: int
    model: str
    warnings: list[BridgeNoticesEntry]
    hints: list[BridgeNoticesEntry]


class AutoTools(BridgeTools):
    """Tools that call a model. No transaction is open while it works."""

    async def autoframe(
        self, params: models.BridgeAutoframeParams, ctx: ToolContext, /
    ) -> Document[BridgeAutoframeResult]:
        notices = Notices()
        async with self._records.reading(ctx) as connection:
            await self._records.source(connection, ctx, params.sourceId, "sourceId")
            ids = await links.reflections_of(connection, ctx.tenant, params.sourceId)
            found = await self._records.store.load(connection, ctx.tenant, ids)
            framed = await links.moments_of(connection, ctx.tenant, ids)
            standing = await self._records.store.load(connection, ctx.tenant, framed)
        check_configured(self._llm, tool_name(ctx, "frame"))
        batch = make_batch(list(found.values()), notices)
        sources = {label: record for label, record in batch.records.items() if isinstance(record, Source)}
        async with self._noting(ctx, "framing", batch, is_kept=not params.preview):
            answered = await self._ask(
                "framing",
                framing_answer.material(sources),
                framing_answer.SCHEMA,
                partial(framing_answer.read_moments, sources=sources),
            )
            run = await self._save(ctx, "framing", batch, answered.value, is_preview=params.preview)
        _warn_of_moments_that_stay(ctx, standing, run, notices)
        text = self._told(ctx, "framing", batch, run, answered.attempts, [], notices)
        facts: BridgeAutoframeResult = {
            **self._facts(run, batch, answered.attempts, notices),
            "coverage": [
                {
                    "sourceId": source.id,
                    "share": round(framing_answer.covered_share(source, answered.value), 4),
                }
                for source in sources.values()
            ],
        }
        return Document(in_order(BridgeAutoframeResult, facts), text)

    def _facts(self, run: _Run, batch: Batch, attempts: int, notices: Notices) -> _Facts:
        facts: _Facts = {
            "success": True,
            "preview": run.is_preview,
            "created": run.documents(),
            "superseded": [] if run.is_preview else run.superseded,
            "batch": batch.document(),
            "attempts": attempts,
            "model": self._llm.model or "",
            "warnings": notices.warnings,
            "hints": notices.hints,
        }
        if run.is_preview:
            facts["wouldSupersede"] = run.superseded
        return facts

    async def autoweave(
        self, params: models.BridgeAutoweaveParams, ctx: ToolContext, /
    ) -> Document[BridgeAutoweaveResult]:
        notices = Notices()
        async with self._records.reading(ctx) as connection:
            found, left_out = await self._to_weave(connection, ctx, params)
        if not found:
            return _nothing_to_weave(params.preview, notices)
        check_configured(self._llm, tool_name(ctx, "weave"))
        batch = make_batch(found, notices, left_out)
        records = {label: record for label, record in batch.records.items() if isinstance(record, Composed)}
        async with self._noting(ctx, "weaving", batch, is_kept=not params.preview):
            answered = await self._ask(
                "weaving",
                weaving_answer.material(records),
                weaving_answer.SCHEMA,
                partial(weaving_answer.read_scenes, records=records),
            )
            woven = answered.value
            run = await self._save(ctx, "weaving", batch, woven.drafts, is_preview=params.preview)
        text = self._told(ctx, "weaving", batch, run, answered.attempts, woven.unplaced, notices)
        facts: BridgeAutoweaveResult = {
            **self._facts(run, batch, answered.attempts, notices),
            "unplaced": woven.unplaced,
        }
        return Document(in_order(BridgeAutoweaveResult, facts), text)

    async def _to_weave(
        self, connection: Connection, ctx: ToolContext, params: models.BridgeAutoweaveParams
    ) -> tuple[list[Record], list[str]]:
        """Return the records to weave, and IDs without room; no records if there is nothing to do."""
        moment_ids = [] if params.momentIds is MISSING else list(dict.fromkeys(params.momentIds))
        scene_ids = [] if params.sceneIds is MISSING else list(dict.fromkeys(params.sceneIds))
        if len(moment_ids) + len(scene_ids) == 1:
            raise invalid(
                "$.momentIds" if moment_ids else "$.sceneIds",
                "single_record",
                "One record cannot be woven with others; give two or more, or none for all unwoven moments.",
                f"Call {tool_name(ctx, 'weave')} to make a scene of one moment.",
            )
        if not moment_ids and not scene_ids:
            unwoven = await links.unwoven_moments(connection, ctx.tenant)
            if len(unwoven) < 2:
                return [], []
            moment_ids, left_out = unwoven[:_MAX_UNWOVEN_MOMENTS], unwoven[_MAX_UNWOVEN_MOMENTS:]
        else:
            left_out = []
        moments = await self._records.of_type(connection, ctx, moment_ids, "moment", "momentIds")
        scenes = await self._records.of_type(connection, ctx, scene_ids, "scene", "sceneIds")
        check_active(ctx, moments, "momentIds")
        check_active(ctx, scenes, "sceneIds")
        await check_height(connection, ctx, scene_ids, "sceneIds", spare=1)
        return [*moments, *scenes], left_out

    async def _ask(
        self, kind: Processing, material: JsonObject, schema: JsonObject, read: Callable[[str], Read]
    ) -> Answered[Read]:
        messages = first_messages(kind, material)
        return await ask_model(self._model, self._llm, f"{_MADE_BY[kind]}s", messages, schema, read)

    @contextlib.asynccontextmanager
    async def _noting(
        self, ctx: ToolContext, kind: Processing, batch: Batch, *, is_kept: bool
    ) -> AsyncGenerator[None]:
        """Store why the model failed, in a separate transaction, before the error is reported."""
        try:
            yield
        except ModelCallFailed as failed:
            if is_kept:
                ids, model = tuple(batch.ids), self._llm.model or ""
                error = ProcessingError(kind, failed.error.code, failed.reason, ids, failed.attempts, model)
                async with self._records.noting(ctx) as connection:
                    await note_error(connection, ctx.tenant, error, self._records.now())
            raise failed.error from None

    async def _save(
        self, ctx: ToolContext, kind: Processing, batch: Batch, drafts: Sequence[Draft], *, is_preview: bool
    ) -> _Run:
        """Store the model's records if the material is unchanged. They supersede those of earlier runs."""
        records = self._composed(_MADE_BY[kind], batch, drafts)
        if is_preview:
            async with self._records.reading(ctx) as connection:
                replaced = await self._replaced(connection, ctx, batch, records)
                return _Run(records, [old for old, _ in replaced], is_preview=True)
        store = self._records.store
        vectors = await self._records.vectors(
            ctx, [passage for record in records for passage in passages_of(record)]
        )
        async with self._records.changing(ctx) as connection:
            there = await store.load(connection, ctx.tenant, batch.ids)
            if [digest(record) for record in there.values()] != list(map(digest, batch.records.values())):
                raise ModelCallFailed(
                    LlmFailed(
                        "The material changed while the model was at work; nothing was saved. Try again.",
                        details={"reason": "source_changed"},
                    ),
                    "source_changed",
                    0,
                )
            replaced = await self._replaced(connection, ctx, batch, records)
            made = [await store.put(connection, ctx.tenant, record, vectors) for record in records]
            for old, successor in replaced:
                await store.supersede(connection, ctx.tenant, old, successor)
            await resolve_errors(connection, ctx.tenant, kind, batch.ids, self._records.now())
            await self._records.note(connection, ctx, _TOOLS[kind], [record.id for record in made])
        return _Run(made, [old for old, _ in replaced], is_preview=False)

    def _composed(self, type_: RecordType, batch: Batch, drafts: Sequence[Draft]) -> list[Composed]:
        """Create unreviewed records from drafts, with the experiencer of their first member."""
        now = self._records.now()
        experiencers = {record.id: record.experiencer for record in batch.records.values()}
        return [
            Composed(
                id=self._records.make_id(type_, now),
                emoji=draft.emoji,
                summary=draft.summary,
                narrative=draft.narrative,
                shot=draft.shot,
                experiencer=experiencers[draft.links[0].member],
                reviewed=False,
                auto_generated=True,
                created=now,
                qualities=draft.qualities,
                links=draft.links,
            )
            for draft in drafts
        ]

    async def _replaced(
        self, connection: Connection, ctx: ToolContext, batch: Batch, made: Sequence[Composed]
    ) -> list[tuple[str, str]]:
        """Earlier results for this batch or a part of it, each with the new record that supersedes it."""
        covered = set(batch.ids)
        earlier = await self._records.store.supersedable(connection, ctx.tenant, made[0].type, covered)
        return [
            (old.id, max(made, key=lambda record: len(record.members & old.members)).id)
            for old in earlier
            if old.members <= covered and old.id not in covered
        ]

    def _told(
        self,
        ctx: ToolContext,
        kind: Processing,
        batch: Batch,
        run: _Run,
        attempts: int,
        unplaced: Sequence[BridgeAutoweaveResultUnplacedEntry],
        notices: Notices,
    ) -> str:
        if run.is_preview:
            lines = list(_to_judge(batch, run.made))
        else:
            lines = [f"{each.id} {each.emoji} {each.summary}" for each in run.made]
        lines += [f"Unplaced: {entry['id']}: {entry['reason']}" for entry in unplaced]
        if run.superseded:
            lines.append(
                f"{'Would supersede' if run.is_preview else 'Supersedes'}: {join_ids(run.superseded)}"
            )
        tries = "1 try" if attempts == 1 else f"{attempts} tries"
        what = f"{counted(len(run.made), _MADE_BY[kind])} by {self._llm.model} in {tries}."
        if run.is_preview:
            return format_message(f"[PREVIEW] {what}", lines, notices) + "\nNothing was saved."
        notices.hint(
            "review", f"{tool_name(ctx, 'enrich')} {{id, updates: {{reviewed: true}}}} marks one as reviewed."
        )
        return format_message(f"Created {what}", lines, notices)


def _warn_of_moments_that_stay(
    ctx: ToolContext, standing: Mapping[str, Record], run: _Run, notices: Notices
) -> None:
    """Warn about moments of the same material that the run does not replace."""
    stay = [
        record.id
        for record in standing.values()
        if isinstance(record, Composed) and record.reframed_by is None and record.id not in run.superseded
    ]
    if stay:
        notices.warn(
            "framed_already",
            f"{counted(len(stay), 'moment')} of this material stay beside the new ones: {join_ids(stay)}."
            f" {tool_name(ctx, 'release')} what repeats them.",
            count=len(stay),
            ids=stay,
        )


def _to_judge(batch: Batch, made: Sequence[Composed]) -> Iterator[str]:
    """Yield the facts that a person should review, with long excerpts cut."""
    contents = {each.id: each.content for each in batch.records.values() if isinstance(each, Source)}
    for number, record in enumerate(made, start=1):
        yield f"{number}. {record.emoji} {record.summary}"
        yield f"   Shot: {record.shot}"
        for quality in record.qualities:
            yield f"   {quality.type}: {' '.join(quality.manifestation.split())}"
        if record.narrative is not None:
            yield f"   Narrative: {' '.join(record.narrative.split())}"
        if record.type == "scene":
            yield f"   Members: {', '.join(record.member_ids)}"
            continue
        for link in record.links:
            excerpt = snippet(contents[link.member][link.start : link.end], _MAX_EXCERPT_LENGTH)
            yield f'   Excerpt of {link.member}, {link.start} to {link.end}: "{excerpt}"'


def _nothing_to_weave(is_preview: bool, notices: Notices) -> Document[BridgeAutoweaveResult]:
    notices.hint("nothing_to_weave", "Fewer than two moments are in no scene.")
    facts: BridgeAutoweaveResult = {
        "success": True,
        "preview": is_preview,
        "created": [],
        "superseded": [],
        "batch": {"ids": [], "leftOut": []},
        "unplaced": [],
        "attempts": 0,
        "warnings": notices.warnings,
        "hints": notices.hints,
    }
    happened = "[PREVIEW] Nothing to weave." if is_preview else "Nothing to weave."
    text = format_message(happened, [], notices) + ("\nNothing was saved." if is_preview else "")
    return Document(facts, text)
