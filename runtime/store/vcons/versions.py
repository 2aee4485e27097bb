"""Version chains: what a vCon amends or redacts, and which versions amend it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import asyncpg

from vcontract.runtime.frame.documents.json import parse_json
from vcontract.runtime.frame.documents.json_values import members
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query, query
from vcontract.runtime.vcon.identity import parse_uuid

Relation = Literal["original", "amended", "redacted"]

_MAX_CHAIN_STEPS: Final = 32


@dataclass(frozen=True, slots=True)
class Version:
    """A stored vCon, its relation to the previous version, and that version's uuid if known."""

    uuid: UUID
    created_at: datetime
    relation: Relation
    earlier: UUID | None


@dataclass(frozen=True, slots=True)
class Chain:
    """Versions, oldest first. `complete` means that they begin with an original and none is missing."""

    versions: tuple[Version, ...]
    complete: bool
    forked: bool
    """Whether one version was amended more than once; the newest amendment is included."""


async def chain_of(connection: Connection, tenant: str, uuid: UUID) -> Chain | None:
    """Return the chain of a vCon, up to 32 steps in each direction; None if it is not stored.

    Backwards it follows redactions and amendments, forwards only amendments: the latest version never shows
    less than the given one.
    """
    asked = await _version(connection, tenant, uuid)
    if asked is None:
        return None
    back = await _back(connection, tenant, asked)
    return await _forth(connection, tenant, back)


async def _back(connection: Connection, tenant: str, asked: Version) -> list[Version]:
    chain = [asked]
    while (uuid := chain[0].earlier) and len(chain) <= _MAX_CHAIN_STEPS and uuid not in _uuids(chain):
        earlier = await _version(connection, tenant, uuid)
        if earlier is None:
            break
        chain.insert(0, earlier)
    return chain


async def _forth(connection: Connection, tenant: str, back: Sequence[Version]) -> Chain:
    chain, forked = list(back), False
    while (later := await _later(connection, tenant, chain)) and len(chain) < len(back) + _MAX_CHAIN_STEPS:
        chain.append(later[0])
        forked |= len(later) > 1
    complete = chain[0].relation == "original" and not later
    return Chain(tuple(chain), complete, forked)


def _uuids(chain: Sequence[Version]) -> list[UUID]:
    return [version.uuid for version in chain]


async def _version(connection: Connection, tenant: str, uuid: UUID) -> Version | None:
    row = await connection.fetchrow(
        *named_query(
            "select uuid, created_at, vcontract.amended_from(head)::text as amended,"
            " vcontract.redacted_from(head)::text as redacted"
            " from vcontract.vcon where tenant = :tenant and uuid = :uuid",
            tenant=tenant,
            uuid=uuid,
        )
    )
    return None if row is None else _read(row)


async def _later(connection: Connection, tenant: str, chain: Sequence[Version]) -> list[Version]:
    """Return the newest two amendments of the chain's last version."""
    seen = _uuids(chain)
    rows = await connection.fetch(*query("later_versions", tenant=tenant, uuid=seen[-1], seen=seen))
    return list(map(_read, rows))


def _read(row: asyncpg.Record) -> Version:
    relations: tuple[Relation, ...] = ("redacted", "amended")
    for relation in relations:
        declared = parse_json(row[relation] or "null")
        if declared is not None and declared != {}:
            earlier = parse_uuid(str(members(declared).get("uuid")))
            return Version(row["uuid"], row["created_at"], relation, earlier)
    return Version(row["uuid"], row["created_at"], "original", None)


async def superseded_versions(connection: Connection) -> list[UUID]:
    """Return the vCons that are not counted as conversations, because a stored version supersedes them."""
    rows = await connection.fetch("select distinct vcontract.superseded_versions() as uuid order by uuid")
    return [row["uuid"] for row in rows]


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A relation between vCons: amends, redacts or groups."""

    source: UUID
    relation: str
    target: UUID


@dataclass(frozen=True, slots=True)
class Related:
    """Related vCons by uuid; None for one that is not stored here."""

    vcons: dict[UUID, datetime | None]
    links: list[Link]
    is_cut: bool
    """Whether there are more than requested."""


async def related_to(connection: Connection, tenant: str, uuid: UUID, most: int) -> Related | None:
    """Return the vCons related over any number of steps, nearest first; None if the vCon is not stored."""
    known: dict[UUID, None] = {uuid: None}
    links: set[Link] = set()
    new = [uuid]
    while new and len(known) <= most:
        rows = await connection.fetch(*named_query("select * from vcontract.relations_of(:uuids)", uuids=new))
        found = {Link(row["source"], row["relation"], row["target"]) for row in rows} - links
        links |= found
        new = sorted({end for link in found for end in (link.source, link.target)} - known.keys())
        known |= dict.fromkeys(new)
    shown = [*known][:most]
    rows = await connection.fetch(
        *named_query(
            "select uuid, created_at from vcontract.vcon where tenant = :tenant and uuid = any(:uuids)",
            tenant=tenant,
            uuids=shown,
        )
    )
    stored = {row["uuid"]: row["created_at"] for row in rows}
    if uuid not in stored:
        return None
    among = sorted(link for link in links if {link.source, link.target} <= {*shown})
    return Related({each: stored.get(each) for each in shown}, among, len(known) > most)
