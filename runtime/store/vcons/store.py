"""Store of vCons: insert, load, replace and delete, one transaction each."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.queries import named_query, query
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.store.vcons.holds import UnderLegalHold, held_among, refuse_held
from vcontract.runtime.store.vcons.preparation import ARRAYS, PreparedVcon, content_digest
from vcontract.runtime.store.vcons.row_reuse import reused_rows
from vcontract.runtime.store.vcons.spellings import forget_spellings, learn_spellings
from vcontract.runtime.store.vcons.stored_text import is_english
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon, stored_turns, stored_vcon
from vcontract.runtime.store.vcons.tables import may_be_of_consent, row_and_passage_parameters, vcon_query
from vcontract.runtime.store.vcons.webhooks import announce
from vcontract.runtime.text.languages import ENGLISH
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.transcript import TRANSCRIPT_TYPES, TranscriptTurn

OnConflict = Literal["skip", "replace", "fail"]
Action = Literal["created", "replaced", "skipped", "identical", "failed"]

_VCONS_PER_STATEMENT: Final = 256
"""vCons of an import per statement, because planning and counting have a fixed cost."""
_EXPORTED_AT_ONCE: Final = 100
_ENGLISH_ONLY: Final = frozenset({ENGLISH})
_NOTE_CONSENT: Final = "select vcontract.note_consent($1)"

_ANOTHER: Final = "another vCon with this uuid is stored"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result for one vCon of a batch."""

    uuid: UUID
    action: Action
    reason: str | None = None
    loses: bool = False
    """Whether text of a skipped vCon is not in the stored one."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """Results of a batch by uuid."""

    first: Mapping[UUID, PreparedVcon]
    """The first vCon of each uuid."""
    existing: Mapping[UUID, bytes]
    """Digests of those that already existed."""
    created: Collection[UUID]
    replaced: Collection[UUID]
    held: Collection[UUID]
    on_conflict: OnConflict

    def outcome_of(self, vcon: PreparedVcon) -> Outcome:
        uuid, first = vcon.uuid, self.first[vcon.uuid]
        if first is not vcon:
            if first.content_digest == vcon.content_digest:
                return Outcome(uuid, "identical")
            return Outcome(uuid, "failed", _ANOTHER)
        if uuid in self.created:
            return Outcome(uuid, "created")
        if uuid in self.replaced:
            return Outcome(uuid, "replaced")
        if self.existing.get(uuid) == vcon.content_digest:
            return Outcome(uuid, "identical")
        if uuid in self.held:
            return Outcome(uuid, "failed", "the stored vCon is under legal hold")
        return Outcome(uuid, "failed" if self.on_conflict == "fail" else "skipped", _ANOTHER)


class VconStore:
    """The vCons of every tenant; each method works for the tenant of its connection or argument."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def insert_batch(
        self, tenant: str, prepared: Sequence[PreparedVcon], on_conflict: OnConflict = "skip"
    ) -> list[Outcome]:
        """Store vCons in one transaction. Existing ones are skipped, replaced or rejected one by one.

        If a batch contains a uuid repeatedly, its first vCon counts as the existing one.
        """
        first: dict[UUID, PreparedVcon] = {}
        for vcon in prepared:
            first.setdefault(vcon.uuid, vcon)
        async with self.database.writing(tenant) as connection:
            batch = await self._stored_batch(connection, tenant, first, on_conflict)
        outcomes = [batch.outcome_of(vcon) for vcon in prepared]
        if on_conflict != "replace":
            return outcomes
        # vCons added between look-up and insert were not locked, so repeat
        met = [vcon for vcon, outcome in zip(prepared, outcomes, strict=True) if outcome.action == "skipped"]
        again = {each.uuid: each for each in await self.insert_batch(tenant, met, on_conflict)} if met else {}
        return [again[each.uuid] if each.action == "skipped" else each for each in outcomes]

    async def _stored_batch(
        self, connection: Connection, tenant: str, first: Mapping[UUID, PreparedVcon], on_conflict: OnConflict
    ) -> _Batch:
        """Store vCons. Returns the result for each."""
        existing = await self._digests(connection, tenant, first, lock=on_conflict == "replace")
        existing |= await self._identical(connection, tenant, first, existing)
        replaced = {
            uuid
            for uuid, digest in existing.items()
            if on_conflict == "replace" and digest != first[uuid].content_digest
        }
        held = await held_among(connection, tenant, replaced) if replaced else {}
        replaced -= held.keys()
        gone = {uuid: await self._revise(connection, tenant, first[uuid]) for uuid in replaced}
        # sorted, to avoid deadlocks between writers
        new = [first[uuid] for uuid in sorted(first.keys() - existing.keys())]
        created = await self.insert(connection, tenant, new)
        # added by another process since the first look-up
        late = await self._digests(connection, tenant, first.keys() - created - existing.keys())
        existing |= late | await self._identical(connection, tenant, first, late)
        await learn_spellings(connection, tenant, [first[uuid] for uuid in created | replaced])
        if created or replaced:
            await _note_import(connection, tenant, created=len(created), replaced=len(replaced))
        for uuid, texts in gone.items():
            await forget_spellings(connection, uuid, texts, first[uuid].spellings)
        return _Batch(first, existing, created, replaced, held.keys(), on_conflict)

    async def insert(
        self, connection: Connection, tenant: str, prepared: Sequence[PreparedVcon]
    ) -> set[UUID]:
        """Insert vCons with distinct uuids. Returns the inserted uuids."""
        inserted: set[UUID] = set()
        for start in range(0, len(prepared), _VCONS_PER_STATEMENT):
            part = prepared[start : start + _VCONS_PER_STATEMENT]
            columns, passages = await row_and_passage_parameters(part)
            rows = await connection.fetch(*vcon_query("insert_vcons", tenant=tenant, **columns, **passages))
            new = [row["uuid"] for row in rows]
            await connection.execute(*query("count_vcons", tenant=tenant, vcons=new, sign=1))
            if any(may_be_of_consent(purpose) for purpose in columns["attachment_purpose"]):
                await connection.execute(_NOTE_CONSENT, new)
            await announce(connection, tenant, "vcon.created", new)
            inserted.update(new)
        return inserted

    async def create(self, connection: Connection, tenant: str, prepared: PreparedVcon) -> JsonObject | None:
        """Store one vCon. Returns None, or `{existing_updated_at, identical}` if it exists.

        If consent hides the existing vCon, returns only `{identical: False}`.
        """
        if self.database.purposes and not await connection.fetchval(
            "select vcontract.answered('vcon', $1)", prepared.uuid
        ):
            return {"identical": False}
        if await self.insert(connection, tenant, [prepared]):
            await learn_spellings(connection, tenant, [prepared])
            return None
        row = await connection.fetchrow(
            "select updated_at, content_digest from vcontract.vcon where tenant = $1 and uuid = $2",
            tenant,
            prepared.uuid,
        )
        if row is None:  # deleted at this moment
            return await self.create(connection, tenant, prepared)
        found = {prepared.uuid: row["content_digest"]}
        found |= await self._identical(connection, tenant, {prepared.uuid: prepared}, found)
        identical = found[prepared.uuid] == prepared.content_digest
        return {"existing_updated_at": row["updated_at"], "identical": identical}

    async def load(
        self, connection: Connection, tenant: str, uuids: Sequence[UUID], parts: Collection[str] = ARRAYS
    ) -> list[StoredVcon]:
        """Load vCons, newest first. `parts`: component arrays, `summary`, `dealer`."""
        rows = await connection.fetch(
            *vcon_query("load_vcons", tenant=tenant, uuids=list(uuids), wanted=list(parts))
        )
        return [stored_vcon(row, parts) for row in rows]

    async def turns(
        self, connection: Connection, tenant: str, uuids: Sequence[UUID], dialogs: Sequence[tuple[UUID, int]]
    ) -> dict[UUID, tuple[TranscriptTurn, ...]]:
        """Return the turns of these vCons that come from `dialogs`, or from transcripts in their analyses.

        Turns of a vCon without transcripts have no words. Other turns may be included.
        """
        rows = await connection.fetch(*_turns_of(tenant, uuids, dialogs, whole=False))
        return {row["uuid"]: stored_turns(row) for row in rows}

    async def some_turns(
        self, connection: Connection, tenant: str, wanted: Mapping[UUID, Sequence[int]]
    ) -> dict[UUID, tuple[tuple[TranscriptTurn, ...], int]]:
        """Return the turns with these numbers, and the total, of each vCon that need not be read whole."""
        places = [(uuid, number) for uuid, numbers in wanted.items() for number in numbers]
        rows = await connection.fetch(*_turns_of(tenant, list(wanted), places, whole=True))
        read = {row["uuid"]: (stored_turns(row), row["dialogs"]) for row in rows if row["are_numbered"]}
        return {
            uuid: (turns, total)
            for uuid, (turns, total) in read.items()
            if turns and all(turn.words for turn in turns)
        }

    async def get(self, tenant: str, uuid: UUID, parts: Collection[str] = ARRAYS) -> StoredVcon | None:
        async with self.database.reading(tenant, by_key=True) as connection:
            found = await self.load(connection, tenant, [uuid], parts)
        return found[0] if found else None

    async def signed_form(self, connection: Connection, tenant: str, uuid: UUID) -> str | None:
        """Return the signed document of a vCon, as imported or signed here; None for an unsigned vCon."""
        statement = "select signed_form from vcontract.vcon where tenant = $1 and uuid = $2"
        form: str | None = await connection.fetchval(statement, tenant, uuid)
        return form

    async def lock(
        self, connection: Connection, tenant: str, uuid: UUID, parts: Collection[str] = ARRAYS
    ) -> StoredVcon | None:
        """Lock a vCon until the transaction ends, and return it. Changes of one vCon queue up.

        If it was deleted while waiting, returns None, even if another one was created with its uuid.
        """
        if not await self._digests(connection, tenant, {uuid}, lock=True):
            return None
        found = await self.load(connection, tenant, [uuid], parts)
        return found[0] if found else None

    async def revise(
        self, connection: Connection, tenant: str, prepared: PreparedVcon, before: StoredVcon | None = None
    ) -> None:
        """Replace the locked vCon with the same uuid by `prepared`, changed at its `stored_at`.

        Unchanged rows stay, and unchanged text keeps its vectors. `before` is the whole previous vCon;
        elements shared with it are not compared. Raises: UnderLegalHold.
        """
        await refuse_held(connection, tenant, prepared.uuid)
        if before is not None:
            is_read_alike = bool(prepared.kept.turns) or (
                not prepared.conformance.unsupported_critical
                and "unsupported_critical" not in before.conformance
                and prepared.languages <= _ENGLISH_ONLY
                and await is_english(connection, tenant, prepared.uuid)
            )
            kept = reused_rows(before.arrays, prepared.document, is_read_alike=is_read_alike)
            assert kept.turns >= prepared.kept.turns, "turns that are not read again are those stored"
            prepared = replace(prepared, kept=kept)
        gone = await self._revise(connection, tenant, prepared)
        await learn_spellings(connection, tenant, [prepared])
        await forget_spellings(connection, prepared.uuid, gone, prepared.spellings)

    async def extend(
        self, tenant: str, prepared: PreparedVcon, before: StoredVcon, absorbed: Sequence[StoredVcon] = ()
    ) -> bool:
        """Replace `before` by `prepared`, and delete the vCons that are part of it now.

        Changes nothing if one of them has changed since, or is under legal hold.
        """
        read = {each.uuid: each for each in (before, *absorbed)}
        try:
            async with self.database.writing(tenant) as connection:
                locked = {uuid: await self.lock(connection, tenant, uuid) for uuid in sorted(read)}
                stored = locked.pop(prepared.uuid)
                if stored is None or stored.updated_at != before.updated_at:
                    return False
                if any(
                    each is None or each.updated_at != read[uuid].updated_at for uuid, each in locked.items()
                ):
                    return False
                await self.revise(connection, tenant, prepared, stored)
                for uuid in locked:
                    await delete_vcon(connection, tenant, uuid, leave_tombstone=False)
                await _note_import(connection, tenant, created=0, replaced=1)
        except UnderLegalHold:
            return False
        return True

    async def sharing_keys(self, tenant: str, source: str, keys: Collection[str]) -> dict[str, list[UUID]]:
        """Find vCons from this source that share one of these keys with an export, up to 20 a key, newest
        first."""
        if not keys:
            return {}
        async with self.database.reading(tenant) as connection:
            rows = await connection.fetch(*query("vcons_sharing_keys", source=source, keys=list(keys)))
        found: dict[str, list[UUID]] = {}
        for row in rows:
            found.setdefault(row["key"], []).append(row["uuid"])
        return found

    async def deleted_among(self, tenant: str, uuids: Collection[UUID]) -> set[UUID]:
        """Return those that were deleted and not restored."""
        async with self.database.reading(tenant) as connection:
            rows = await connection.fetch(
                "select uuid from vcontract.vcon_tombstone t where tenant = $1 and uuid = any($2)"
                " and not exists (select from vcontract.vcon v where v.tenant = $1 and v.uuid = t.uuid)",
                tenant,
                list(uuids),
            )
        return {row["uuid"] for row in rows}

    async def overlapping(
        self, tenant: str, source: str, turns: Sequence[tuple[str, str]], names: Collection[str]
    ) -> list[UUID]:
        """Find vCons from this source that may share some of these turns (time and text of each).

        Only first and last turns are compared. Every turn is compared if the conversation began before and
        ended after all of these turns, and has people with all these names.
        """
        if not turns:
            return []
        starts, bodies = zip(*turns, strict=True)
        async with self.database.reading(tenant) as connection:
            rows = await connection.fetch(
                *query(
                    "overlapping_vcons",
                    tenant=tenant,
                    source=source,
                    starts=starts,
                    bodies=bodies,
                    first=read_time(min(starts)),
                    last=read_time(max(starts)),
                    names=[fold(name) for name in names],
                )
            )
        return [row["id"] for row in rows]

    async def iterate(
        self, tenant: str, within: "Connection | None" = None, matching: JsonObject | None = None
    ) -> AsyncGenerator[StoredVcon]:
        """Yield every vCon of the tenant as of now, oldest first; in the transaction `within` if given.

        With `matching`, conditions of a search, only matching ones.
        """
        all_of_them = "select uuid from vcontract.vcon where tenant = $1 order by began_at, uuid"
        meeting = (
            "select id as uuid from vcontract.search_newest($1::jsonb, 'vcon', 2147483647)"
            " order by occurred_at, id"
        )
        async with self.database.reading(tenant) if within is None else nullcontext(within) as connection:
            cursor = await (
                connection.cursor(meeting, dump_json(matching).decode())
                if matching
                else connection.cursor(all_of_them, tenant)
            )
            while rows := await cursor.fetch(_EXPORTED_AT_ONCE):
                order = [row["uuid"] for row in rows]
                loaded = {vcon.uuid: vcon for vcon in await self.load(connection, tenant, order)}
                for uuid in order:
                    yield loaded[uuid]

    async def _digests(
        self, connection: Connection, tenant: str, uuids: Collection[UUID], *, lock: bool = False
    ) -> dict[UUID, bytes]:
        """Digests of existing vCons, which `lock` locks until the transaction ends."""
        statement = "select uuid, content_digest from vcontract.vcon where tenant = $1 and uuid = any($2)"
        if lock:
            statement += " order by uuid for update"
        rows = await connection.fetch(statement, tenant, list(uuids))
        return {row["uuid"]: row["content_digest"] for row in rows}

    async def _identical(
        self,
        connection: Connection,
        tenant: str,
        given: Mapping[UUID, PreparedVcon],
        digests: Mapping[UUID, bytes],
    ) -> dict[UUID, bytes]:
        """Return given digests of vCons whose stored digest differs although their content is what was given.

        These have since been tagged, or received a uuid or date on import.
        """
        others = [uuid for uuid, digest in digests.items() if digest != given[uuid].content_digest]
        loaded = await self.load(connection, tenant, others) if others else []
        return {
            vcon.uuid: given[vcon.uuid].content_digest
            for vcon in loaded
            if content_digest(vcon.document()) == given[vcon.uuid].content_digest
        }

    async def _revise(self, connection: Connection, tenant: str, prepared: PreparedVcon) -> list[str]:
        """Update what differs in a locked vCon and everything derived from it, except spellings.

        Returns the removed texts.
        """
        uuid = prepared.uuid
        columns, passages = await row_and_passage_parameters([prepared])
        await connection.execute(*query("count_vcons", tenant=tenant, vcons=[uuid], sign=-1))
        await connection.execute(
            *vcon_query("revise_vcon", tenant=tenant, uuid=uuid, first_turn=prepared.first_turn, **columns)
        )
        await connection.execute(*query("count_vcons", tenant=tenant, vcons=[uuid], sign=1))
        await connection.execute(_NOTE_CONSENT, [uuid])
        gone = await connection.fetch(
            *named_query(
                "select content from vcontract.passage where tenant = :tenant and kind = 'vcon'"
                " and id = :uuid and (part <> 'dialog' or element >= :turns) and content <> all(:texts)",
                tenant=tenant,
                uuid=uuid,
                turns=prepared.kept.turns,
                texts=[
                    passage.content
                    for passage in prepared.passages
                    if passage.part != "dialog" or (passage.element or 0) >= prepared.kept.turns
                ],
            )
        )
        await connection.execute(
            *vcon_query("revise_passages", tenant=tenant, uuid=uuid, turns=prepared.kept.turns, **passages)
        )
        await announce(connection, tenant, "vcon.changed", [uuid])
        return [row["content"] for row in gone]


async def _note_import(connection: Connection, tenant: str, *, created: int, replaced: int) -> None:
    counts: JsonObject = {"created": created, "replaced": replaced}
    now = datetime.now(UTC)
    await audit.record(connection, tenant, caller="import", action="import", now=now, detail=counts)


def _turns_of(
    tenant: str, uuids: Sequence[UUID], dialogs: Sequence[tuple[UUID, int]], *, whole: bool
) -> tuple[str, *tuple[object, ...]]:
    return query(
        "turns_of_vcons",
        tenant=tenant,
        vcons=list(uuids),
        types=list(TRANSCRIPT_TYPES),
        of=[uuid for uuid, _ in dialogs],
        elements=[index for _, index in dialogs],
        whole=whole,
    )
