"""autoframe and autoweave: moments and scenes that the configured language model makes, for review."""

import contextlib
from collections.abc import AsyncGenerator, Collection, Sequence
from functools import partial
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import LlmFailed
from vcontract.generated.models import bridge as models
from vcontract.handlers.bridge import framing_answer, weaving_answer
from vcontract.handlers.bridge.answers import Notices, listed, record_document, told
from vcontract.handlers.bridge.asking import AskingFailed, ask, check_configured
from vcontract.handlers.bridge.base import BridgeToolset, tool_name
from vcontract.handlers.bridge.batches import Batch, digest, make_batch
from vcontract.handlers.bridge.framing import check_active
from vcontract.handlers.bridge.prompting import first_messages
from vcontract.handlers.bridge.texts import invalid
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents.findings import counted
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.envelope import Document
from vcontract.runtime.store.bridge import links
from vcontract.runtime.store.bridge.records import Composed, Link, Record, Source
from vcontract.runtime.store.bridge.status import Processing, ProcessingError, note_error, resolve_errors
from vcontract.runtime.store.postgres.database import Connection

_MOST_UNWOVEN: Final = 50
_MOST_LEVELS: Final = 8


class AutoTools(BridgeToolset):
    """The tools that ask a model. No transaction is open while it thinks."""

    async def autoframe(
        self, params: models.BridgeAutoframeParams, ctx: ToolContext, /
    ) -> Document[models.BridgeAutoframeResult]:
        notices = Notices()
        async with self._database.reading(ctx.tenant) as connection:
            await self.record(connection, ctx, params.sourceId, "source", "sourceId")
            ids = await links.reflections_of(connection, ctx.tenant, params.sourceId)
            found = await self._store.load(connection, ctx.tenant, ids)
        check_configured(self._llm, tool_name(ctx, "frame"))
        batch = make_batch(list(found.values()), notices)
        sources = {label: record for label, record in batch.records.items() if isinstance(record, Source)}
        async with self._noting(ctx, "framing", batch, is_kept=not params.preview):
            answered = await ask(
                self._model,
                self._llm,
                "moments",
                first_messages("framing", framing_answer.material(sources)),
                framing_answer.SCHEMA,
                partial(framing_answer.read_moments, sources=sources),
            )
            now = self.now()
            moments = [
                Composed(
                    id=self._ids.make("moment", now),
                    emoji=each.emoji,
                    summary=each.summary,
                    narrative=each.narrative,
                    shot=each.shot,
                    experiencer=found[each.links[0].member].experiencer,
                    reviewed=False,
                    auto_generated=True,
                    created=now,
                    qualities=each.qualities,
                    links=each.links,
                )
                for each in answered.value
            ]
            made, superseded = await self._save(ctx, "framing", batch, moments, is_preview=params.preview)
        facts = {
            **_facts(made, superseded, batch, is_preview=params.preview),
            "coverage": [
                {
                    "sourceId": source.id,
                    "share": round(framing_answer.covered_share(source, answered.value), 4),
                }
                for source in sources.values()
            ],
            "attempts": answered.attempts,
            "model": self._llm.model,
        }
        text = self._told(ctx, "moment", made, superseded, facts, notices)
        return Document(models.BridgeAutoframeResult.model_validate({**facts, **notices.document()}), text)

    async def autoweave(
        self, params: models.BridgeAutoweaveParams, ctx: ToolContext, /
    ) -> Document[models.BridgeAutoweaveResult]:
        notices = Notices()
        async with self._database.reading(ctx.tenant) as connection:
            found, left_out = await self._to_weave(connection, ctx, params)
        if not found:
            return _nothing_to_weave(params.preview, notices)
        check_configured(self._llm, tool_name(ctx, "weave"))
        batch = make_batch(found, notices, left_out)
        records = {label: record for label, record in batch.records.items() if isinstance(record, Composed)}
        async with self._noting(ctx, "weaving", batch, is_kept=not params.preview):
            answered = await ask(
                self._model,
                self._llm,
                "scenes",
                first_messages("weaving", weaving_answer.material(records)),
                weaving_answer.SCHEMA,
                partial(weaving_answer.read_scenes, records=records),
            )
            woven, unplaced = answered.value
            now = self.now()
            by_id = {record.id: record for record in records.values()}
            scenes = [
                Composed(
                    id=self._ids.make("scene", now),
                    emoji=each.emoji,
                    summary=each.summary,
                    narrative=each.narrative,
                    shot=each.shot,
                    experiencer=by_id[each.members[0]].experiencer,
                    reviewed=False,
                    auto_generated=True,
                    created=now,
                    links=tuple(map(Link, each.members)),
                )
                for each in woven
            ]
            made, superseded = await self._save(ctx, "weaving", batch, scenes, is_preview=params.preview)
        facts = {
            **_facts(made, superseded, batch, is_preview=params.preview),
            "unplaced": unplaced,
            "attempts": answered.attempts,
            "model": self._llm.model,
        }
        text = self._told(ctx, "scene", made, superseded, facts, notices)
        return Document(models.BridgeAutoweaveResult.model_validate({**facts, **notices.document()}), text)

    async def _to_weave(
        self, connection: Connection, ctx: ToolContext, params: models.BridgeAutoweaveParams
    ) -> tuple[list[Record], list[str]]:
        """The records to weave, and ids that had no room; no records when there is nothing to do."""
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
            moment_ids, left_out = unwoven[:_MOST_UNWOVEN], unwoven[_MOST_UNWOVEN:]
        else:
            left_out = []
        moments = await self.records(connection, ctx, moment_ids, "moment", "momentIds")
        scenes = await self.records(connection, ctx, scene_ids, "scene", "sceneIds")
        check_active(ctx, moments, "momentIds")
        check_active(ctx, scenes, "sceneIds")
        if await links.height_of(connection, ctx.tenant, scene_ids) >= _MOST_LEVELS:
            raise invalid(
                "$.sceneIds", "too_high", f"Scenes of scenes go {_MOST_LEVELS} levels high at most."
            )
        return [*moments, *scenes], left_out

    @contextlib.asynccontextmanager
    async def _noting(
        self, ctx: ToolContext, kind: Processing, batch: Batch, *, is_kept: bool
    ) -> AsyncGenerator[None]:
        """Keep why the model's work could not be done, in a transaction of its own, before it is told."""
        try:
            yield
        except AskingFailed as failed:
            if is_kept:
                error = ProcessingError(
                    kind,
                    failed.error.code,
                    failed.reason,
                    tuple(batch.ids),
                    failed.attempts,
                    self._llm.model or "",
                )
                async with self._database.writing(ctx.tenant) as connection:
                    await note_error(connection, ctx.tenant, error, self.now())
            raise failed.error from None

    async def _save(
        self,
        ctx: ToolContext,
        kind: Processing,
        batch: Batch,
        drafts: Sequence[Composed],
        *,
        is_preview: bool,
    ) -> tuple[list[Composed], list[str]]:
        """Store what the model made, if its material is as it was; what earlier runs made goes behind it."""
        if is_preview:
            async with self._database.reading(ctx.tenant) as connection:
                return list(drafts), [old for old, _ in await self._replaced(connection, ctx, batch, drafts)]
        async with self.changing(ctx) as connection:
            there = await self._store.load(connection, ctx.tenant, batch.ids)
            if [digest(record) for record in there.values()] != list(map(digest, batch.records.values())):
                raise AskingFailed(
                    LlmFailed(
                        "The material changed while the model was at work; nothing was saved. Try again.",
                        details={"reason": "source_changed"},
                    ),
                    "source_changed",
                    0,
                )
            replaced = await self._replaced(connection, ctx, batch, drafts)
            for draft in drafts:
                await self._store.put(connection, ctx.tenant, draft)
            for old, successor in replaced:
                await self._store.supersede(connection, ctx.tenant, old, successor)
            await resolve_errors(connection, ctx.tenant, kind, batch.ids, self.now())
            stored = await self._store.load(connection, ctx.tenant, [draft.id for draft in drafts])
        made = [record for record in stored.values() if isinstance(record, Composed)]
        return made, [old for old, _ in replaced]

    async def _replaced(
        self, connection: Connection, ctx: ToolContext, batch: Batch, drafts: Sequence[Composed]
    ) -> list[tuple[str, str]]:
        """What earlier runs made of this batch or a part of it, each with the new record nearest to it."""
        covered = set(batch.ids)
        earlier = await self._store.supersedable(connection, ctx.tenant, drafts[0].type, covered)
        return [
            (old.id, max(drafts, key=lambda draft: len(draft.members & old.members)).id)
            for old in earlier
            if old.members <= covered and old.id not in covered
        ]

    def _told(
        self,
        ctx: ToolContext,
        noun: str,
        made: Sequence[Composed],
        superseded: Sequence[str],
        facts: JsonObject,
        notices: Notices,
    ) -> str:
        is_preview: bool = facts["preview"]
        lines = [
            f"{each.emoji} {each.summary} ({', '.join(sorted(each.members))})"
            if is_preview
            else f"{each.id} {each.emoji} {each.summary}"
            for each in made
        ]
        lines += [f"Unplaced: {entry['id']}: {entry['reason']}" for entry in facts.get("unplaced", [])]
        if superseded:
            lines.append(f"{'Would supersede' if is_preview else 'Supersedes'}: {listed(superseded)}")
        tries = counted(facts["attempts"], "try") if facts["attempts"] == 1 else f"{facts['attempts']} tries"
        if is_preview:
            happened = f"[PREVIEW] {counted(len(made), noun)} by {self._llm.model} in {tries}."
            return told(happened, lines, notices) + "\nNothing was saved."
        notices.hint(
            "review", f"{tool_name(ctx, 'enrich')} {{id, updates: {{reviewed: true}}}} marks one as reviewed."
        )
        return told(f"Created {counted(len(made), noun)} by {self._llm.model} in {tries}.", lines, notices)


def _facts(
    made: Collection[Composed], superseded: Sequence[str], batch: Batch, *, is_preview: bool
) -> JsonObject:
    documents = [record_document(record) for record in made]
    if not is_preview:
        return {
            "preview": False,
            "created": documents,
            "superseded": list(superseded),
            "batch": batch.document(),
        }
    drafts = [
        {name: value for name, value in document.items() if name not in ("id", "created")}
        for document in documents
    ]
    return {
        "preview": True,
        "created": drafts,
        "superseded": [],
        "wouldSupersede": list(superseded),
        "batch": batch.document(),
    }


def _nothing_to_weave(is_preview: bool, notices: Notices) -> Document[models.BridgeAutoweaveResult]:
    notices.hint("nothing_to_weave", "Fewer than two moments are in no scene.")
    facts: JsonObject = {
        "preview": is_preview,
        "created": [],
        "superseded": [],
        "batch": {"ids": [], "leftOut": []},
        "unplaced": [],
        "attempts": 0,
        **notices.document(),
    }
    happened = "[PREVIEW] Nothing to weave." if is_preview else "Nothing to weave."
    text = told(happened, [], notices) + ("\nNothing was saved." if is_preview else "")
    return Document(models.BridgeAutoweaveResult.model_validate(facts), text)
