"""Embeddings in the database: spaces, the tasks of the worker, vectors, and how far all of it has come."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from uuid import UUID

import asyncpg
from pgvector import HalfVector

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named, query
from vcontract.runtime.store.vocabulary.count_cache import SteadyCounts

_MAX_TASKS: Final = 64
_MAX_PASSAGES: Final = 64
"""So many passages are claimed together, unless one thing has more: some seconds of work."""
_MAX_DELAY_SECONDS: Final = 3_600
_MAX_FILL_SECONDS: Final = 3_600


_OF_BRIDGE: Final = "select from vcontract.bridge_record where tenant = :tenant and uid = :id for share"
_LOCKS: Final = {
    "vcon": "select from vcontract.vcon where tenant = :tenant and uuid = :id for key share",
    "bridge_source": _OF_BRIDGE,
    "bridge_moment": _OF_BRIDGE,
    "bridge_scene": _OF_BRIDGE,
}
"""What keeps the passages of a thing as they are, by kind."""


@dataclass(frozen=True, slots=True)
class Space:
    """A model's vectors. `model` is the embedder's id."""

    id: int
    model: str
    dimension: int
    state: Literal["building", "active", "retired"]
    recipe: JsonObject
    calibration: tuple[float, ...] | None
    """The cosines that mean a similarity of 0.2, 0.5 and 0.8; None when they are not known."""
    is_filled: bool


@dataclass(frozen=True, slots=True)
class Task:
    """One thing whose passages wait for their vectors."""

    tenant: str
    kind: str
    id: UUID


@dataclass(frozen=True, slots=True)
class PassageToEmbed:
    """A passage with the name of its speaker, when it is a turn of a text dialog."""

    part: str
    element: int
    chunk: int
    content: str
    speaker: str | None
    has_vector: bool = False
    made_of: int | None = None
    """The digest of the texts that the vector was made of; None when there is none, or they never change."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Passages without a vector; `failed` are those that could not be embedded and are tried again later."""

    passages: int
    failed: int
    is_over: bool = True
    """Whether nothing but what failed is left to do; a changed thing may have to be looked over only."""
    taken: int = 0
    """Passages that a worker has right now."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a tenant's text can be found by meaning."""

    model: str | None
    """Of the active space; None when there is none."""
    dimension: int | None
    passages: int
    """All but those of parts that are not embedded."""
    embedded: int
    pending: int
    failed: int = 0
    """Of those that are pending; they are tried again."""

    @property
    def share(self) -> float:
        """embedded / passages; 1 when there are none."""
        return self.embedded / self.passages if self.passages else 1.0


class Reach(NamedTuple):
    """How much of a tenant's text a search by meaning reaches."""

    share: float
    """Coverage.share."""
    pending: int


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors that are stored together with the text they belong to: by passage, in one space."""

    space: int
    by_text: Mapping[str, HalfVector]


class EmbeddingStore:
    """The embeddings of every tenant; each method works within the transaction of its connection."""

    def __init__(self) -> None:
        self._steady = SteadyCounts()

    async def spaces(self, connection: Connection) -> list[Space]:
        """The active space first, then the one being built."""
        rows = await connection.fetch(
            "select id, model, dimension, state, recipe, calibration, filled from vcontract.embedding_space"
            " where state <> 'retired' order by state, id"
        )
        return [
            Space(
                row["id"],
                row["model"],
                row["dimension"],
                row["state"],
                parse_json(row["recipe"]),
                None if row["calibration"] is None else tuple(row["calibration"]),
                row["filled"],
            )
            for row in rows
        ]

    async def spread(self, connection: Connection, space: int, vector: HalfVector) -> float | None:
        """The standard deviation of a vector's cosines with the tenant's texts; None where these are few."""
        found: float | None = await connection.fetchval(
            "select vcontract.spread_of_cosines($1, $2)", space, vector
        )
        return found

    async def open_space(
        self,
        connection: Connection,
        model: str,
        dimension: int,
        recipe: JsonObject,
        calibration: Sequence[float] | None,
    ) -> int:
        """The id of the model's space, begun if need be; it must then be filled."""
        number: int = await connection.fetchval(
            *named(
                "select vcontract.open_embedding_space(:model, :dimension, :recipe, :calibration)",
                model=model,
                dimension=dimension,
                recipe=dump_json(recipe).decode(),
                calibration=calibration,
            ),
        )
        return number

    async def await_writers(self, connection: Connection) -> None:
        """Wait for transactions that may not know of a space begun before; commit before `fill_space`."""
        await connection.execute("select vcontract.await_passage_writers()")

    async def fill_space(self, connection: Connection, space: int) -> None:
        """Make tasks of everything stored that the space lacks, however long that takes."""
        # a limit that the function sets would begin with the next statement
        await connection.execute("set local statement_timeout = 0")
        await connection.execute(
            *named("select vcontract.fill_embedding_space(:space)", space=space),
            timeout=_MAX_FILL_SECONDS,
        )

    async def activate_space(self, connection: Connection, space: int) -> bool:
        """Let searches use the space if it is complete, or the active one empty; whether they do now."""
        active: bool = await connection.fetchval(
            *named("select vcontract.activate_embedding_space(:space)", space=space)
        )
        return active

    async def has_retired_space(self, connection: Connection) -> bool:
        """Whether a space was replaced and is not removed yet."""
        found: bool = await connection.fetchval(
            "select exists (select from vcontract.embedding_space where state = 'retired')"
        )
        return found

    async def drop_retired_spaces(self, connection: Connection, retired_seconds: float) -> int:
        """Remove spaces that were replaced so long ago; how many."""
        dropped: int = await connection.fetchval(
            *named(
                "select vcontract.drop_retired_embedding_spaces(make_interval(secs => :retired_seconds))",
                retired_seconds=retired_seconds,
            )
        )
        return dropped

    async def claim(
        self, connection: Connection, space: int, claim: UUID, tenant: str | None = None
    ) -> list[Task]:
        """Some tasks of one tenant that nobody else has; of `tenant`, or of the one that waits longest."""
        rows = await connection.fetch(
            *named(
                "select tenant, kind, id"
                " from vcontract.claim_embedding_tasks(:space, :tenant, :claim, :most_passages, :most_tasks)",
                space=space,
                tenant=tenant,
                claim=claim,
                most_passages=_MAX_PASSAGES,
                most_tasks=_MAX_TASKS,
            ),
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
        """Claim the task of a vCon that the transaction changes, for some seconds from now; its space.

        None where nothing waits, more passages wait, or the searched space is of another model.
        """
        space: int | None = await connection.fetchval(
            *named(
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
        """Give claimed tasks back: at once, or after a failure later, and each time later still."""
        await connection.execute(
            *named(
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
        """What is to be embedded of things of one kind, each one's passages in order."""
        rows = await connection.fetch(
            *query("passages_to_embed", tenant=tenant, kind=kind, ids=list(ids), space=space)
        )
        names = await connection.fetch(
            *named(
                "select vcon, index, doc ->> 'name' as name from vcontract.party"
                " where tenant = :tenant and vcon = any(:vcons)",
                tenant=tenant,
                vcons=list({row["id"] for row in rows if row["parties"] or row["originator"]}),
            ),
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
        """Keep others from changing the passages of a thing until the transaction ends."""
        statement = _LOCKS.get(task.kind)
        if statement is not None:
            # whoever replaces or deletes a thing locks it first, for update
            await connection.execute(*named(statement, tenant=task.tenant, id=task.id))

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
        """Store vectors of a locked thing, one a passage, with the digests of the texts they are made of.

        Its task ends with the last ones, and is anybody's before. Nothing is stored when it is not ours.
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

    async def reach(self, connection: Connection, tenant: str) -> Reach:
        """What `coverage` tells a search; where nothing waits, nothing is counted."""
        active = await self._active(connection, tenant)
        if active is not None and not active["pending"]:
            return Reach(1.0, 0)
        coverage = await self._coverage(connection, tenant, active)
        return Reach(coverage.share, coverage.pending)

    async def coverage(self, connection: Connection, tenant: str) -> Coverage:
        """The tenant's coverage in the active space. `pending` is exact; a large count is up to 10 s old."""
        return await self._coverage(connection, tenant, await self._active(connection, tenant))

    async def _active(self, connection: Connection, tenant: str) -> asyncpg.Record | None:
        """The active space and what of the tenant waits for its vectors."""
        return await connection.fetchrow(
            *named(
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
        """What of the tenant still waits for a space's vectors."""
        row = await connection.fetchrow(
            *named(
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
            *named(
                "select count(*) from vcontract.passage"
                " where tenant = :tenant and vcontract.is_embedded(part)",
                tenant=tenant,
            )
        )
        self._steady.put(tenant, "passages", count)
        return count


def _speaker(originator: str | None, parties: str | None) -> int | None:
    """The index of the party whose turn a text dialog is: the originator, else the first that takes part."""
    given: JsonValue = None if originator is None else parse_json(originator)
    if given is None and parties is not None:
        taking_part: JsonValue = parse_json(parties)
        given = next(iter(array(taking_part)), None) if is_array(taking_part) else taking_part
    return as_index(given)
