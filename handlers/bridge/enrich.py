"""enrich: correct a record in place."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import BridgeEnrichResult, BridgeEnrichResultChangesEntry
from vcontract.handlers.bridge.answers import Notices, format_message, join_ids, record_document, record_facts
from vcontract.handlers.bridge.framing import check_active, check_height
from vcontract.handlers.bridge.records import hint_at_length, tool_name, unique
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.handlers.bridge.texts import invalid
from vcontract.handlers.bridge.updates import check_updates, shown
from vcontract.handlers.bridge.when import event_time
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.store.bridge import links
from vcontract.runtime.store.bridge.ids import RecordType
from vcontract.runtime.store.bridge.index import Passage, passages
from vcontract.runtime.store.bridge.records import Composed, EventTime, Link, Quality, Record, Source
from vcontract.runtime.store.postgres.database import Connection

_MAX_MOMENTS: Final = 50
_NOT_TOLD: Final = ("whenResolved", "modified")
"""Members derived from others."""
_PARTS: Final[Mapping[RecordType, tuple[tuple[RecordType, str], ...]]] = {
    "moment": (("source", "sourceIds"),),
    "scene": (("moment", "momentIds"), ("scene", "sceneIds")),
}
"""Members of a moment or scene, and the field that lists them."""


class EnrichTools(BridgeTools):
    """The tool `enrich`."""

    async def enrich(
        self, params: models.BridgeEnrichParams, ctx: ToolContext, /
    ) -> Document[BridgeEnrichResult]:
        now, notices = self._records.now(), Notices()
        vectors = await self._records.vectors(ctx, _new_passages(params.updates))
        async with self._records.changing(ctx) as connection:
            before = await self._records.locked(connection, ctx, params.id)
            if before is None:
                raise await self._records.not_found(connection, ctx, [params.id])
            check_updates(before.type, params.updates)
            after = await self._updated(connection, ctx, before, params.updates, now, notices)
            is_changed = after != before
            if is_changed:
                after = await self._records.store.put(
                    connection, ctx.tenant, replace(after, modified=now), vectors
                )
                await self._records.note(connection, ctx, "enrich", [after.id])
                await self._records.hint_at_unembedded(connection, ctx, [after.id], notices)
            if isinstance(before, Source) and isinstance(after, Source) and is_changed:
                await self._follow(connection, ctx, before, after, notices)
            if isinstance(after, Composed):
                await self._check_levels(connection, ctx, before, after)
                _hint_at_inherited(after, params.updates, notices)
        changes = _changes(before, after)
        facts: BridgeEnrichResult = {
            "success": True,
            "record": record_document(after),
            "changes": changes,
            "warnings": notices.warnings,
            "hints": notices.hints,
        }
        happened = (
            f"Enriched {after.type} {after.id}."
            if is_changed
            else f"No change: {after.id} is already up to date."
        )
        return Document(
            facts, format_message(happened, [*map(_change_line, changes), *record_facts(after)], notices)
        )

    async def _updated(
        self,
        connection: Connection,
        ctx: ToolContext,
        before: Record,
        updates: JsonObject,
        now: datetime,
        notices: Notices,
    ) -> Record:
        """Apply updates to a record, without storing it."""
        when = before.when
        if updates.get("when") == "" and (isinstance(before, Source) or _has_own_time(before)):
            when = None
        elif updates.get("when") and updates["when"] != (None if when is None else when.text):
            when = event_time(self._times, updates["when"], now, notices)
        if isinstance(before, Source):
            reflects_on = before.links
            if "reflects_on" in updates:
                ids = unique(updates["reflects_on"], "reflects_on", notices)
                await self._check_chain(connection, ctx, before, ids)
                reflects_on = tuple(map(Link, ids))
            return replace(
                before,
                content=updates.get("content", before.content),
                content_type=updates.get("contentType", before.content_type),
                experiencer=updates.get("experiencer", before.experiencer),
                perspective=updates.get("perspective", before.perspective),
                processing=updates.get("processing", before.processing),
                when=when,
                links=reflects_on,
            )
        if isinstance(before, Composed):
            held = await self._held(connection, ctx, before, updates, notices)
            return replace(_recomposed(before, updates, when, notices), links=held)
        return before

    async def _held(
        self,
        connection: Connection,
        ctx: ToolContext,
        before: Composed,
        updates: JsonObject,
        notices: Notices,
    ) -> tuple[Link, ...]:
        """New members of a moment or scene; unchanged ones keep their excerpts."""
        members: list[str] = []
        is_changed = False
        for type_, name in _PARTS[before.type]:
            present = list(dict.fromkeys(before.members_of(type_)))
            ids = present
            if name in updates:
                parameter = f"updates.{name}"
                ids = unique(updates[name], parameter, notices)
                found = await self._records.of_type(connection, ctx, ids, type_, parameter)
                check_active(ctx, [record for record in found if record.id not in present], parameter)
            is_changed = is_changed or ids != present
            members += ids
        if not is_changed:
            return before.links
        if not members:
            release = tool_name(ctx, "release")
            message = f"A {before.type} keeps one member or more; {release} lets it go."
            raise invalid("$.updates", "items", message)
        if before.id in await links.below(connection, ctx.tenant, members):
            message = f"{before.id} would hold itself, directly or through others."
            raise invalid("$.updates.sceneIds", "cycle", message)
        held = {id_: [link for link in before.links if link.member == id_] for id_ in members}
        return tuple(link for id_ in members for link in held[id_] or [Link(id_)])

    async def _check_levels(
        self, connection: Connection, ctx: ToolContext, before: Record, after: Composed
    ) -> None:
        """Check that neither a changed scene nor one that contains it has too many levels."""
        if after.type == "scene" and after.links != before.links:
            holders = await links.above(connection, ctx.tenant, after.id)
            await check_height(connection, ctx, holders, "updates.sceneIds")

    async def _check_chain(
        self, connection: Connection, ctx: ToolContext, source: Source, ids: list[str]
    ) -> None:
        """Check that a source can reflect on these sources: they exist, and do not lead back to it."""
        await self._records.of_type(connection, ctx, ids, "source", "updates.reflects_on")
        if source.id in await links.below(connection, ctx.tenant, ids):
            raise invalid(
                "$.updates.reflects_on",
                "cycle",
                f"{source.id} would reflect on itself, directly or through others.",
            )

    async def _follow(
        self, connection: Connection, ctx: ToolContext, before: Source, after: Source, notices: Notices
    ) -> None:
        """Locate excerpts again after a source changed, and report the affected moments."""
        moments = await links.moments_of(connection, ctx.tenant, [after.id])
        if moments:
            named = moments[:_MAX_MOMENTS]
            notices.warn(
                "affects_moments",
                f"{counted(len(moments), 'moment')} will reflect the change: {join_ids(named)}.",
                count=len(moments),
                ids=named,
            )
        if before.content != after.content:
            stale = await self._records.store.replace_excerpts(
                connection, ctx.tenant, after.id, before.content, after.content
            )
            if stale:
                notices.warn(
                    "excerpt_stale",
                    f"An excerpt is no longer in the source, in {join_ids(stale)}.",
                    ids=stale,
                )


def _new_passages(updates: JsonObject) -> Iterator[Passage]:
    """Passages that updates may need embedded; they are validated later."""
    given = (updates.get(name) for name in ("content", "summary", "narrative"))
    content, summary, narrative = (text if isinstance(text, str) else None for text in given)
    yield from passages(content, summary, narrative)
    with contextlib.suppress(KeyError, TypeError):
        yield from passages(
            qualities=[Quality(each["type"], each["manifestation"]) for each in updates.get("qualities", ())]
        )


def _has_own_time(record: Record) -> bool:
    return isinstance(record, Composed) and record.when_own


def _hint_at_inherited(record: Composed, updates: JsonObject, notices: Notices) -> None:
    """Explain the effect of `when: ""` on a moment or scene."""
    if updates.get("when") == "":
        inherited = (
            "its sources have none."
            if record.when is None
            else f"that of its sources counts: {record.when.text}."
        )
        notices.hint("when_inherited", f"It has no event time of its own; {inherited}")


def _recomposed(before: Composed, updates: JsonObject, when: EventTime | None, notices: Notices) -> Composed:
    """Apply updates to a moment or scene. Correcting a model's record marks it as reviewed."""
    reviewed = updates.get("reviewed", True if before.auto_generated else before.reviewed)
    if "summary" in updates:
        hint_at_length(updates["summary"], notices)
    after = replace(
        before,
        emoji=updates.get("emoji", before.emoji).strip(),
        summary=updates.get("summary", before.summary),
        narrative=updates.get("narrative", before.narrative) or None,
        shot=updates.get("shot", before.shot),
        experiencer=updates.get("experiencer", before.experiencer),
        reviewed=reviewed,
        when=when,
        when_own=(when is not None) if when != before.when else before.when_own,
    )
    if "qualities" in updates:
        return replace(
            after,
            qualities=tuple(Quality(each["type"], each["manifestation"]) for each in updates["qualities"]),
        )
    return after


def _changes(before: Record, after: Record) -> list[BridgeEnrichResultChangesEntry]:
    old: Mapping[str, object] = record_document(before)
    new: Mapping[str, object] = record_document(after)
    return [
        _change(name, old.get(name), new.get(name))
        for name in dict.fromkeys((*new, *old))
        if name not in _NOT_TOLD and old.get(name) != new.get(name)
    ]


def _change(field: str, before: object, after: object) -> BridgeEnrichResultChangesEntry:
    change: BridgeEnrichResultChangesEntry = {"field": field}
    if (was := shown(before)) is not None:
        change["before"] = was
    if (now := shown(after)) is not None:
        change["after"] = now
    return change


def _change_line(change: BridgeEnrichResultChangesEntry) -> str:
    sides = (change.get("before", "none"), change.get("after", "none"))
    return f"Changed {change['field']}: " + " -> ".join(" ".join(side.split()) for side in sides)
