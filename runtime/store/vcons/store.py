"""Store of vCons: insert, load, replace and delete, one transaction each."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection, Database
from vcontract.runtime.store.postgres.idempotency import forget_answers
from vcontract.runtime.store.queries import named, query
from vcontract.runtime.store.transcripts import rows as transcripts
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.store.vcons.counts import fold_all
from vcontract.runtime.store.vcons.holds import Held, held_among, refuse_held
from vcontract.runtime.store.vcons.preparation import ARRAYS, PreparedVcon, content_digest
from vcontract.runtime.store.vcons.row_reuse import ReadBefore, kept_of
from vcontract.runtime.store.vcons.spellings import forget_spellings, learn_spellings
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon, stored_turns, stored_vcon
from vcontract.runtime.store.vcons.tables import passage_parameters, row_parameters, vcon_query
from vcontract.runtime.store.vcons.webhooks import announce
from vcontract.runtime.text.languages import ENGLISH, OTHERS
from vcontract.runtime.text.words import fold, language_mark
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.transcript import TRANSCRIPT_TYPES, Said

OnConflict = Literal["skip", "replace", "fail"]
Action = Literal["created", "replaced", "skipped", "identical", "failed"]
_Parameters: TypeAlias = dict[str, list[object]]

_VCONS_PER_STATEMENT: Final = 256
"""vCons of an import per statement, because planning and counting have a fixed cost."""
_MANY_ROWS: Final = 5_000
_EXPORTED_AT_ONCE: Final = 100
_ALL: Final = 2**31 - 1
_FEW: Final = 200
"""Below this row count the planner's index choice is unreliable."""
_MANY_TURNS: Final = 500
"""Number of turns from which reading them again takes noticeable time."""
_ENGLISH_ONLY: Final = frozenset({ENGLISH})
_LANGUAGE_MARKS: Final = " | ".join(f"'{language_mark(language)}'" for language in OTHERS)
_NOTE_CONSENT: Final = "select vcontract.note_consent($1)"

_ANOTHER: Final = "another vCon with this uuid is stored"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result for one vCon of a batch."""

    uuid: UUID
    action: Action
    reason: str | None = None


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
        self._database = database
        """Whether reading that would delay other calls is deferred."""

    async def insert_batch(
        self, tenant: str, prepared: Sequence[PreparedVcon], on_conflict: OnConflict = "skip"
    ) -> list[Outcome]:
        """Store vCons in one transaction. Existing ones are skipped, replaced or rejected one by one.

        If a batch contains a uuid repeatedly, its first vCon counts as the existing one.
        """
        first: dict[UUID, PreparedVcon] = {}
        for vcon in prepared:
            first.setdefault(vcon.uuid, vcon)
        async with self._database.writing(tenant) as connection:
            batch = await self._stored_batch(connection, tenant, first, on_conflict)
        outcomes = [batch.outcome_of(vcon) for vcon in prepared]
        if on_conflict != "replace":
            return outcomes
        # vCons added between look-up and insert were not locked, so repeat
        met = [vcon for vcon, outcome in zip(prepared, outcomes, strict=True) if outcome.action == "skipped"]
        again = {each.uuid: each for each in await self.insert_batch(tenant, met, on_conflict)} if met else {}
        return [again[each.uuid] if each.action == "skipped" else each for each in outcomes]

    async def _stored_batch(
        self,
        connection: Connection,
        tenant: str,
        first: Mapping[UUID, PreparedVcon],
        on_conflict: OnConflict,
    ) -> _Batch:
        """Store vCons. Returns the result for each."""
        look = self._lock if on_conflict == "replace" else self._digests
        existing = await look(connection, tenant, first)
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
            await audit.record(
                connection,
                tenant,
                caller="import",
                action="import",
                now=datetime.now(UTC),
                detail={"created": len(created), "replaced": len(replaced)},
            )
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
            columns, passages = await _parameters(part)
            rows = await connection.fetch(*vcon_query("insert_vcons", tenant=tenant, **columns, **passages))
            new = [row["uuid"] for row in rows]
            await connection.execute(*query("count_vcons", tenant=tenant, vcons=new, sign=1))
            if any(_may_be_of_consent(purpose) for purpose in columns["attachment_purpose"]):
                await connection.execute(_NOTE_CONSENT, new)
            await announce(connection, tenant, "vcon.created", new)
            inserted.update(new)
        return inserted

    async def create(self, connection: Connection, tenant: str, prepared: PreparedVcon) -> JsonObject | None:
        """Store one vCon. Returns None, or `{existing_updated_at, identical}` if it exists.

        If consent hides the existing vCon, returns only `{identical: False}`.
        """
        if self._database.purposes and not await connection.fetchval(
            "select vcontract.answered('vcon', $1)", prepared.uuid
        ):
            return {"identical": False}
        if await self.insert(connection, tenant, [prepared]):
            await learn_spellings(connection, tenant, [prepared])
            return None
        row = await connection.fetchrow(
            *named(
                "select updated_at, content_digest from vcontract.vcon where tenant = :tenant"
                " and uuid = :uuid",
                tenant=tenant,
                uuid=prepared.uuid,
            ),
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
    ) -> dict[UUID, tuple[Said, ...]]:
        """Return the turns of these vCons that come from `dialogs`, or from transcripts in their analyses.

        Turns of a vCon without transcripts have no words. Other turns may be included.
        """
        rows = await connection.fetch(
            *query(
                "turns_of_vcons",
                tenant=tenant,
                vcons=list(uuids),
                types=list(TRANSCRIPT_TYPES),
                of=[uuid for uuid, _ in dialogs],
                elements=[index for _, index in dialogs],
                whole=False,
            )
        )
        return {row["uuid"]: stored_turns(row) for row in rows}

    async def some_turns(
        self, connection: Connection, tenant: str, uuid: UUID, numbers: Sequence[int]
    ) -> tuple[tuple[Said, ...], int] | None:
        """Return the turns with these numbers and the total; None if the whole vCon must be read."""
        rows = await connection.fetch(
            *query(
                "turns_of_vcons",
                tenant=tenant,
                vcons=[uuid],
                types=list(TRANSCRIPT_TYPES),
                of=[uuid] * len(numbers),
                elements=list(numbers),
                whole=True,
            )
        )
        turns = stored_turns(rows[0]) if rows and rows[0]["are_numbered"] else ()
        return (turns, rows[0]["dialogs"]) if turns and all(turn.words for turn in turns) else None

    async def get(self, tenant: str, uuid: UUID, parts: Collection[str] = ARRAYS) -> StoredVcon | None:
        async with self._database.reading(tenant, by_key=True) as connection:
            found = await self.load(connection, tenant, [uuid], parts)
        return found[0] if found else None

    async def signed_form(self, connection: Connection, tenant: str, uuid: UUID) -> str | None:
        """Return the signed document of a vCon, as imported or signed here; None if there is none."""
        form: str | None = await connection.fetchval(
            *named(
                "select signed_form from vcontract.vcon where tenant = :tenant and uuid = :uuid",
                tenant=tenant,
                uuid=uuid,
            )
        )
        return form

    async def lock(
        self, connection: Connection, tenant: str, uuid: UUID, parts: Collection[str] = ARRAYS
    ) -> StoredVcon | None:
        """Lock a vCon until the transaction ends, and return it. Changes of one vCon queue up.

        If it was deleted while waiting, returns None, even if another one was created with its uuid.
        """
        if not await self._lock(connection, tenant, {uuid}):
            return None
        found = await self.load(connection, tenant, [uuid], parts)
        return found[0] if found else None

    async def read_before(self, connection: Connection, tenant: str, vcon: StoredVcon) -> ReadBefore | None:
        """Load the stored text of a locked vCon with many turns; None if everything must be read again."""
        turns = vcon.row_counts["dialog"]
        if turns < _MANY_TURNS or "unsupported_critical" in vcon.conformance:
            return None
        row = await connection.fetchrow(
            *named(
                "select words, first_at, last_at, is_numbered from vcontract.search_document"
                " where tenant = :tenant and kind = 'vcon' and id = :uuid"
                " and not words @@ :marks::text::tsquery",
                tenant=tenant,
                uuid=vcon.uuid,
                marks=_LANGUAGE_MARKS,
            )
        )
        if row is None:
            return None
        times = tuple(at for at in (row["first_at"], row["last_at"]) if at is not None)
        return ReadBefore(turns, row["words"], times, row["is_numbered"])

    async def revise(
        self,
        connection: Connection,
        tenant: str,
        prepared: PreparedVcon,
        before: StoredVcon | None = None,
    ) -> None:
        """Replace the locked vCon with the same uuid by `prepared`, changed at its `stored_at`.

        Unchanged rows stay, and unchanged text keeps its vectors. `before` is the whole previous vCon;
        elements shared with it are not compared. Raises: Held.
        """
        await refuse_held(connection, tenant, prepared.uuid)
        if before is not None:
            is_read_alike = bool(prepared.kept.turns) or (
                not prepared.conformance.unsupported_critical
                and "unsupported_critical" not in before.conformance
                and prepared.languages <= _ENGLISH_ONLY
                and await self._is_english(connection, tenant, prepared.uuid)
            )
            kept = kept_of(before.arrays, prepared.document, is_read_alike=is_read_alike)
            assert kept.turns >= prepared.kept.turns, "turns that are not read again are those stored"
            prepared = replace(prepared, kept=kept)
        gone = await self._revise(connection, tenant, prepared)
        await learn_spellings(connection, tenant, [prepared])
        await forget_spellings(connection, prepared.uuid, gone, prepared.spellings)

    async def extend(self, tenant: str, prepared: PreparedVcon, before: StoredVcon) -> bool:
        """Replace `before` by `prepared`, unless it has changed since or is under legal hold."""
        async with self._database.writing(tenant) as connection:
            stored = await self.lock(connection, tenant, prepared.uuid)
            if stored is None or stored.updated_at != before.updated_at:
                return False
            try:
                await self.revise(connection, tenant, prepared, stored)
            except Held:
                return False
            await audit.record(
                connection,
                tenant,
                caller="import",
                action="import",
                now=datetime.now(UTC),
                detail={"created": 0, "replaced": 1},
            )
        return True

    async def delete(
        self, connection: Connection, tenant: str, uuid: UUID, *, leave_tombstone: bool = True
    ) -> Path | None:
        """Delete a vCon and everything derived from it.

        Returns a transcript's archived file, to delete after the commit. A tombstone prevents `sync` and
        `import` from restoring it. Raises: Held, which rolls back.
        """
        archived = await transcripts.forget(connection, tenant, uuid, leave_tombstone=leave_tombstone)
        await self._lock(connection, tenant, {uuid})
        await refuse_held(connection, tenant, uuid)
        await announce(connection, tenant, "vcon.deleted", [uuid])
        await connection.execute(*query("count_vcons", tenant=tenant, vcons=[uuid], sign=-1))
        texts = await connection.fetch(*query("clear_vcons", tenant=tenant, vcons=[uuid]))
        await connection.execute(
            *named(
                "delete from vcontract.vcon where tenant = :tenant and uuid = :uuid", tenant=tenant, uuid=uuid
            )
        )
        if leave_tombstone:
            await connection.execute(
                *named(
                    "insert into vcontract.vcon_tombstone (tenant, uuid, deleted_at)"
                    " values (:tenant, :uuid, now()) on conflict (tenant, uuid) do nothing",
                    tenant=tenant,
                    uuid=uuid,
                )
            )
        await forget_answers(connection, tenant, [str(uuid)])
        await forget_spellings(connection, uuid, [row["content"] for row in texts])
        return archived

    async def deleted_among(self, tenant: str, uuids: Collection[UUID]) -> set[UUID]:
        """Return those that were deleted and not restored."""
        async with self._database.reading(tenant) as connection:
            rows = await connection.fetch(
                *named(
                    "select uuid from vcontract.vcon_tombstone t"
                    " where tenant = :tenant and uuid = any(:uuids) and not exists"
                    "  (select from vcontract.vcon v where v.tenant = t.tenant and v.uuid = t.uuid)",
                    tenant=tenant,
                    uuids=list(uuids),
                )
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
        async with self._database.reading(tenant) as connection:
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

    async def settle_early(self, tenant: str) -> None:
        """During a large import: update planner statistics if the table still counts as empty.

        For an empty table every index looks equally good, and a connection keeps its plan. Each foreign key
        check would then scan the tenant's whole index.
        """
        async with self._database.writing(tenant) as connection:
            await connection.execute(
                *named(
                    "select vcontract.refresh_statistics() from pg_class"
                    " where oid = 'vcontract.vcon'::regclass and reltuples < :few",
                    few=_FEW,
                ),
            )

    async def settle(self, tenant: str) -> None:
        """After a large import: fold counts, and update planner statistics."""
        await fold_all(self._database)
        async with self._database.writing(tenant) as connection:
            await connection.execute("select vcontract.refresh_statistics()")

    async def iterate(
        self, tenant: str, within: "Connection | None" = None, matching: JsonObject | None = None
    ) -> AsyncGenerator[StoredVcon]:
        """Yield every vCon of the tenant as of now, oldest first; in the transaction `within` if given.

        With `matching`, conditions of a search, only matching ones.
        """
        order_of = (
            named(
                "select id as uuid from vcontract.search_newest(cast(:matching as jsonb), 'vcon', :most)"
                " order by occurred_at, id",
                matching=dump_json(matching).decode(),
                most=_ALL,
            )
            if matching
            else named(
                "select uuid from vcontract.vcon where tenant = :tenant order by created_at, uuid",
                tenant=tenant,
            )
        )
        async with self._database.reading(tenant) if within is None else nullcontext(within) as connection:
            cursor = await connection.cursor(*order_of)
            while rows := await cursor.fetch(_EXPORTED_AT_ONCE):
                order = [row["uuid"] for row in rows]
                loaded = {vcon.uuid: vcon for vcon in await self.load(connection, tenant, order)}
                for uuid in order:
                    yield loaded[uuid]

    async def _digests(
        self, connection: Connection, tenant: str, uuids: Collection[UUID]
    ) -> dict[UUID, bytes]:
        rows = await connection.fetch(
            *named(
                "select uuid, content_digest from vcontract.vcon where tenant = :tenant"
                " and uuid = any(:uuids)",
                tenant=tenant,
                uuids=list(uuids),
            ),
        )
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

    async def _lock(self, connection: Connection, tenant: str, uuids: Collection[UUID]) -> dict[UUID, bytes]:
        """Lock existing vCons until the transaction ends, and return their digests."""
        rows = await connection.fetch(
            *named(
                "select uuid, content_digest from vcontract.vcon where tenant = :tenant"
                " and uuid = any(:uuids)"
                " order by uuid for update",
                tenant=tenant,
                uuids=list(uuids),
            ),
        )
        return {row["uuid"]: row["content_digest"] for row in rows}

    async def _revise(self, connection: Connection, tenant: str, prepared: PreparedVcon) -> list[str]:
        """Update what differs in a locked vCon and everything derived from it, except spellings.

        Returns the removed texts.
        """
        uuid = prepared.uuid
        columns, passages = await _parameters([prepared])
        await connection.execute(*query("count_vcons", tenant=tenant, vcons=[uuid], sign=-1))
        await connection.execute(*vcon_query("revise_vcon", tenant=tenant, uuid=uuid, **columns))
        await connection.execute(*query("count_vcons", tenant=tenant, vcons=[uuid], sign=1))
        await connection.execute(_NOTE_CONSENT, [uuid])
        gone = await connection.fetch(
            *named(
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

    async def _is_english(self, connection: Connection, tenant: str, uuid: UUID) -> bool:
        """Whether all stored text of a vCon counts as English."""
        found: bool | None = await connection.fetchval(
            *named(
                "select not words @@ :marks::text::tsquery from vcontract.search_document"
                " where tenant = :tenant and kind = 'vcon' and id = :uuid",
                tenant=tenant,
                uuid=uuid,
                marks=_LANGUAGE_MARKS,
            )
        )
        return bool(found)


def _may_be_of_consent(purpose: object) -> bool:
    """Whether attachments with this purpose may be consent; the database decides which count."""
    return any(part in str(purpose).lower() for part in ("consent", "lawful"))


async def _parameters(prepared: Sequence[PreparedVcon]) -> tuple[_Parameters, _Parameters]:
    """Return the rows of vCons and passages as query parameters, in a thread if there are many."""
    rows = sum(len(vcon.passages) + sum(len(vcon.elements(name)) for name in ARRAYS) for vcon in prepared)
    return _made(prepared) if rows <= _MANY_ROWS else await asyncio.to_thread(_made, prepared)


def _made(prepared: Sequence[PreparedVcon]) -> tuple[_Parameters, _Parameters]:
    return row_parameters(prepared), passage_parameters(prepared)
