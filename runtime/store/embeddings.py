"""Embeddings in the database: spaces, tasks of the worker, vectors, and coverage."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple
from uuid import UUID

import asyncpg
from pgvector import HalfVector

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query
from vcontract.runtime.store.vocabulary.count_cache import CountCache

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]

_MAX_TASKS: Final = 64
_MAX_PASSAGES: Final = 64
"""Maximum passages claimed together, unless one conversation has more: some seconds of work."""
_MAX_DELAY_SECONDS: Final = 3_600
_MAX_FILL_SECONDS: Final = 3_600
_MIN_SAMPLE: Final = 30
"""Minimum passages from which the spread of cosines is estimated."""

_OF_BRIDGE: Final = "select from vcontract.bridge_record where tenant = :tenant and uid = :id for share"
_LOCKS: Final = {
    "vcon": "select from vcontract.vcon where tenant = :tenant and uuid = :id for key share",
    "bridge_source": _OF_BRIDGE,
    "bridge_moment": _OF_BRIDGE,
    "bridge_scene": _OF_BRIDGE,
}
"""Statement that locks a record's passages, by kind."""


@dataclass(frozen=True, slots=True)
class Space:
    """The vectors of one model. `model` is the embedder's ID."""

    id: int
    model: str
    dimension: int
    state: Literal["building", "active", "retired"]
    recipe: JsonObject
    calibration: tuple[float, ...] | None
    """Cosines that mean a similarity of 0.2, 0.5 and 0.8; None if unknown."""
    is_filled: bool


@dataclass(frozen=True, slots=True)
class Task:
    """One record whose passages wait for vectors."""

    tenant: str
    kind: str
    id: UUID


@dataclass(frozen=True, slots=True)
class PassageToEmbed:
    """A passage, with its speaker's name if it is a turn of a text dialog."""

    part: str
    element: int
    chunk: int
    content: str
    speaker: str | None
    has_vector: bool = False
    made_of: int | None = None
    """Digest of the texts of its vector; None if there is no vector, or if they never change."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Passages without a vector. `failed` could not be embedded and are retried later."""

    passages: int
    failed: int
    is_over: bool = True
    """Whether only failures are left. A changed record may need nothing but a check."""
    taken: int = 0
    """Passages claimed by workers now."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a tenant's text can be found by meaning."""

    model: str | None
    """Model of the active space; None without one."""
    dimension: int | None
    passages: int
    """All passages except those of parts that are not embedded."""
    embedded: int
    pending: int
    failed: int = 0
    """Pending passages that failed; they are retried."""

    @property
    def share(self) -> float:
        """embedded / passages; 1 if there are none."""
        return self.embedded / self.passages if self.passages else 1.0


class Reach(NamedTuple):
    """How much of a tenant's text a search by meaning covers."""

    share: float
    """Coverage.share."""
    pending: int


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors to store together with their texts: by passage, in one space."""

    space: int
    by_text: Mapping[str, HalfVector]


class EmbeddingStore:
    """The embeddings of every tenant; each method works in the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = CountCache()
        self.changes = 0
        """Number of changes of spaces by this process."""

    async def spaces(self, connection: Connection) -> list[Space]:
        """Return the active space, then the one being built."""
        rows = await connection.fetch(
            "select id, model, dimension, state, recipe, calibration, filled from vcontract.embedding_space"
            " where state <> 'retired' order by state, id"
        )
        return [
            Space(
                *(row["id"], row["model"], row["dimension"], row["state"], parse_json(row["recipe"])),
                None if row["calibration"] is None else tuple(row["calibration"]),
                row["filled"],
            )
            for row in rows
        ]

    async def sample(self, connection: Connection, space: int) -> "Matrix | None":
        """Return the vectors of some 200 passages spread over time; None if there are fewer than 30."""
        import numpy as np

        rows = await connection.fetch("select s from vcontract.sampled_vectors($1) s", space)
        if len(rows) < _MIN_SAMPLE:
            return None
        return np.array([row["s"].to_numpy() for row in rows], np.float32)

    async def open_space(
        self,
        connection: Connection,
        model: str,
        dimension: int,
        recipe: JsonObject,
        calibration: Sequence[float] | None,
    ) -> int:
        """Return the ID of the model's space, created if needed. A new one must then be filled."""
        self.changes += 1
        number: int = await connection.fetchval(
            "select vcontract.open_embedding_space($1, $2, $3, $4)",
            model,
            dimension,
            dump_json(recipe).decode(),
            calibration,
        )
        return number

    async def await_writers(self, connection: Connection) -> None:
        """Wait for transactions begun before a new space was created. Commit before `fill_space`."""
        await connection.execute("select vcontract.await_passage_writers()")

    async def fill_space(self, connection: Connection, space: int) -> None:
        """Create tasks for all stored records that the space lacks, without a time limit."""
        # a limit set by the function would only apply from the next statement on
        await connection.execute("set local statement_timeout = 0")
        await connection.execute(
            "select vcontract.fill_embedding_space($1)", space, timeout=_MAX_FILL_SECONDS
        )

    async def activate_space(self, connection: Connection, space: int) -> bool:
        """Use the space for searches if it is complete, or if the active one is empty. Returns whether it is
        used.
        """
        self.changes += 1
        active: bool = await connection.fetchval("select vcontract.activate_embedding_space($1)", space)
        return active

    async def has_retired_space(self, connection: Connection) -> bool:
        """Whether a replaced space has not been dropped yet."""
        found: bool = await connection.fetchval(
            "select exists (select from vcontract.embedding_space where state = 'retired')"
        )
        return found

    async def drop_retired_spaces(self, connection: Connection, retired_seconds: float) -> int:
        """Drop spaces that were replaced at least this long ago. Returns their number."""
        dropped: int = await connection.fetchval(
            "select vcontract.drop_retired_embedding_spaces(make_interval(secs => $1))", retired_seconds
        )
        return dropped

    async def claim(
        self, connection: Connection, space: int, claim: UUID, tenant: str | None = None
    ) -> list[Task]:
        """Claim unclaimed tasks of one tenant: `tenant`, or the one that has waited longest."""
        rows = await connection.fetch(
            "select tenant, kind, id from vcontract.claim_embedding_tasks($1, $2, $3, $4, $5)",
            *(space, tenant, claim, _MAX_PASSAGES, _MAX_TASKS),
        )
        return [Task(row["tenant"], row["kind"], row["id"]) for row in rows]

    async def claim_vcon(
        self,
        connection: Connection,
        tenant: str,
        claim: UUID,
        model: str,
        vcon: UUID,
        *,
        max_passages: int,
        seconds: float,
    ) -> int | None:
        """Claim the task of a vCon changed in this transaction, for some seconds. Returns its space.

        None if nothing is pending, if too many passages are, or if the searched space is of another model.
        """
        space: int | None = await connection.fetchval(
            *named_query(
                "update vcontract.embedding_task t"
                " set claim = :claim, due_at = clock_timestamp() + make_interval(secs => :seconds)"
                " from vcontract.embedding_space s"
                " where s.state = 'active' and s.model = :model and t.space = s.id"
                " and t.tenant = :tenant and t.kind = 'vcon' and t.id = :vcon and t.claim is null"
                " and t.passages <= :max_passages returning t.space",
                claim=claim,
                seconds=seconds,
                model=model,
                tenant=tenant,
                vcon=vcon,
                max_passages=max_passages,
            )
        )
        return space

    async def release(
        self, connection: Connection, tenant: str, claim: UUID, ids: Collection[UUID], *, failed: bool
    ) -> None:
        """Release claimed tasks: at once, or after a failure later, with growing delays."""
        await connection.execute(
            *named_query(
                "update vcontract.embedding_task set claim = null, attempts = attempts + :failed::integer,"
                " due_at = now() + make_interval("
                "  secs => case when :failed = 0 then 0 else least(:longest, 30 * power(4, attempts)) end)"
                " where tenant = :tenant and claim = :claim and id = any(:ids)",
                tenant=tenant,
                claim=claim,
                ids=list(ids),
                failed=int(failed),
                longest=_MAX_DELAY_SECONDS,
            ),
        )

    async def passages(
        self, connection: Connection, tenant: str, kind: str, ids: Collection[UUID], space: int
    ) -> dict[UUID, list[PassageToEmbed]]:
        """Return the passages to embed of records of one kind, in order for each."""
        rows = await connection.fetch(
            *query("passages_to_embed", tenant=tenant, kind=kind, ids=list(ids), space=space)
        )
        names = await connection.fetch(
            "select vcon, index, doc ->> 'name' as name from vcontract.party"
            " where tenant = $1 and vcon = any($2)",
            tenant,
            list({row["id"] for row in rows if row["parties"] or row["originator"]}),
        )
        name_of = {(row["vcon"], row["index"]): row["name"] for row in names}
        found: dict[UUID, list[PassageToEmbed]] = {id_: [] for id_ in ids}
        for row in rows:
            speaker = _speaker(row["originator"], row["parties"])
            name = None if speaker is None else name_of.get((row["id"], speaker))
            found[row["id"]].append(
                PassageToEmbed(
                    row["part"],
                    row["element"],
                    row["chunk"],
                    row["content"],
                    name or None,
                    row["has_vector"],
                    row["made_of"],
                )
            )
        return found

    async def lock(self, connection: Connection, task: Task) -> None:
        """Lock a record's passages until the transaction ends."""
        statement = _LOCKS.get(task.kind)
        if statement is not None:
            # writers that replace or delete a record first lock it for update
            await connection.execute(*named_query(statement, tenant=task.tenant, id=task.id))

    async def store(
        self,
        connection: Connection,
        task: Task,
        space: int,
        claim: UUID,
        passages: Sequence[PassageToEmbed],
        vectors: Sequence[HalfVector],
        made_of: Sequence[int],
        *,
        is_last: bool,
    ) -> None:
        """Store one vector per passage of a locked record, with digests of the texts they were made of.

        The task ends with the last vectors; before, anyone may claim it. Nothing is stored without a claim.
        """
        await connection.execute(
            *query(
                "store_embeddings",
                tenant=task.tenant,
                kind=task.kind,
                id=task.id,
                space=space,
                claim=claim,
                is_last=is_last,
                added=sum(not passage.has_vector for passage in passages),
                parts=[passage.part for passage in passages],
                elements=[passage.element for passage in passages],
                chunks=[passage.chunk for passage in passages],
                vectors=list(vectors),
                made_of=list(made_of),
            )
        )

    async def reach(self, connection: Connection, tenant: str, pending: int | None = None) -> Reach:
        """Return the coverage for a search. If nothing is pending, nothing is counted.

        `pending` is the number of pending passages, if the search has read it.
        """
        if pending == 0:
            return Reach(1.0, 0)
        active = await self._active(connection, tenant)
        if active is not None and not active["pending"]:
            return Reach(1.0, 0)
        coverage = await self._coverage(connection, tenant, active)
        return Reach(coverage.share, coverage.pending)

    async def coverage(self, connection: Connection, tenant: str) -> Coverage:
        """Return the tenant's coverage in the active space. `pending` is exact; a large count is up to 10 s
        old.
        """
        return await self._coverage(connection, tenant, await self._active(connection, tenant))

    async def _active(self, connection: Connection, tenant: str) -> asyncpg.Record | None:
        """Return the active space and the tenant's pending work."""
        return await connection.fetchrow(
            *named_query(
                "select s.id, s.model, s.dimension, t.pending, t.failed from vcontract.embedding_space s"
                " cross join lateral (select coalesce(sum(passages), 0) as pending,"
                "  coalesce(sum(passages) filter (where attempts > 0 and claim is null), 0) as failed"
                "  from vcontract.embedding_task where tenant = :tenant and space = s.id) t"
                " where s.state = 'active'",
                tenant=tenant,
            ),
        )

    async def _coverage(self, connection: Connection, tenant: str, active: asyncpg.Record | None) -> Coverage:
        if active is None:
            passages = await self._passages(connection, tenant)
            return Coverage(None, None, passages, 0, passages)
        pending = int(active["pending"])
        passages = max(await self._passages(connection, tenant), pending)
        failed = int(active["failed"])
        return Coverage(active["model"], active["dimension"], passages, passages - pending, pending, failed)

    async def waiting(self, connection: Connection, tenant: str, space: int) -> Waiting:
        """Count the tenant's passages that wait for vectors of a space."""
        row = await connection.fetchrow(
            *named_query(
                "select coalesce(sum(passages), 0)::integer as passages,"
                " coalesce(sum(passages) filter (where attempts > 0"
                " and claim is null), 0)::integer as failed,"
                " coalesce(sum(passages) filter (where claim is not null and due_at > now()), 0)::integer"
                " as taken,"
                " coalesce(bool_and(attempts > 0 and claim is null), true) as is_over"
                " from vcontract.embedding_task where tenant = :tenant and space = :space",
                tenant=tenant,
                space=space,
            ),
        )
        return Waiting(**row) if row is not None else Waiting(0, 0)

    async def _passages(self, connection: Connection, tenant: str) -> int:
        known = self._steady.get(tenant, "passages")
        if known is not None:
            return known
        count: int = await connection.fetchval(
            "select count(*) from vcontract.passage where tenant = $1 and vcontract.is_embedded(part)", tenant
        )
        self._steady.put(tenant, "passages", count)
        return count


def _speaker(originator: str | None, parties: str | None) -> int | None:
    """Index of the party that speaks in a text dialog: the originator, else the first participant."""
    given: JsonValue = None if originator is None else parse_json(originator)
    if given is None and parties is not None:
        taking_part: JsonValue = parse_json(parties)
        given = next(iter(array(taking_part)), None) if is_array(taking_part) else taking_part
    return as_index(given)
