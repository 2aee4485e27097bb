"""Projects in the database: where sessions worked, what they are called, and which belong together."""

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID, uuid5

from vcontract.runtime.store.postgres.database import Connection

LinkKind = Literal["uses", "extends", "references", "shares_code"]
LINK_KINDS: Final[tuple[LinkKind, ...]] = ("uses", "extends", "references", "shares_code")

_PROJECTS: Final = UUID("6f1f0a5e-0a3c-5d0e-9a55-2f3c1d7b8e21")


@dataclass(frozen=True, slots=True)
class Project:
    """A folder that sessions worked in."""

    id: UUID
    root: str
    name: str


@dataclass(frozen=True, slots=True)
class Link:
    project: Project
    other: Project
    kind: LinkKind
    origin: Literal["declared", "manifest"]


def project_id(tenant: str, root: str) -> UUID:
    """The id of the project with this root: always the same."""
    return uuid5(_PROJECTS, f"{tenant}\0{root}")


def fold_name(name: str) -> str:
    """A project's name as names are compared: NFC, without case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


async def put_project(connection: Connection, tenant: str, root: str, name: str, now: datetime) -> Project:
    """Note that the project was seen; its row is made at the first time."""
    found = Project(project_id(tenant, root), root, name)
    await connection.execute(
        "insert into vcontract.project (tenant, id, root, name, name_folded, seen_at)"
        " values ($1, $2, $3, $4, $5, $6)"
        " on conflict (tenant, id) do update set seen_at = excluded.seen_at",
        tenant,
        found.id,
        root,
        name,
        fold_name(name),
        now,
    )
    return found


async def find_projects(connection: Connection, tenant: str, name_or_root: str) -> list[Project]:
    """The projects of a name, or the one with a root, in the order of their roots."""
    rows = await connection.fetch(
        "select id, root, name from vcontract.project where tenant = $1 and"
        " case when $2 like '/%' or $2 ~ '^[A-Za-z]:' then root = $2 else name_folded = $3 end order by root",
        tenant,
        name_or_root,
        fold_name(name_or_root),
    )
    return [Project(**row) for row in rows]


async def all_projects(connection: Connection, tenant: str) -> list[Project]:
    """Every project of the tenant, last seen first."""
    rows = await connection.fetch(
        "select id, root, name from vcontract.project where tenant = $1 order by seen_at desc, root", tenant
    )
    return [Project(**row) for row in rows]


async def related_projects(connection: Connection, tenant: str, ids: Collection[UUID]) -> list[Project]:
    """The projects one link away, in either direction, without those of `ids`."""
    rows = await connection.fetch(
        "select distinct p.id, p.root, p.name from vcontract.project_link l"
        " join vcontract.project p on p.tenant = l.tenant"
        " and (p.id = l.other and l.project = any($2) or p.id = l.project and l.other = any($2))"
        " where l.tenant = $1 and (l.project = any($2) or l.other = any($2)) and p.id <> all($2)"
        " order by p.root",
        tenant,
        list(ids),
    )
    return [Project(**row) for row in rows]


async def links(connection: Connection, tenant: str) -> list[Link]:
    """Every link of the tenant."""
    rows = await connection.fetch(
        "select p.id, p.root, p.name, o.id as other_id, o.root as other_root, o.name as other_name,"
        " l.kind, l.origin from vcontract.project_link l"
        " join vcontract.project p on p.tenant = l.tenant and p.id = l.project"
        " join vcontract.project o on o.tenant = l.tenant and o.id = l.other"
        " where l.tenant = $1 order by p.name_folded, p.root, o.name_folded, o.root, l.kind",
        tenant,
    )
    return [
        Link(
            Project(row["id"], row["root"], row["name"]),
            Project(row["other_id"], row["other_root"], row["other_name"]),
            row["kind"],
            row["origin"],
        )
        for row in rows
    ]


async def declare_link(
    connection: Connection, tenant: str, project: UUID, other: UUID, kind: LinkKind
) -> bool:
    """Link two projects by a person's word; whether that is new."""
    done = await connection.execute(
        "insert into vcontract.project_link (tenant, project, other, kind, origin)"
        " values ($1, $2, $3, $4, 'declared') on conflict do nothing",
        tenant,
        project,
        other,
        kind,
    )
    return done.endswith(" 1")


async def remove_links(
    connection: Connection, tenant: str, project: UUID, other: UUID, kind: LinkKind | None
) -> int:
    """Remove what a person declared between two projects, in either direction; how many links."""
    done = await connection.execute(
        "delete from vcontract.project_link where tenant = $1 and origin = 'declared'"
        " and (project = $2 and other = $3 or project = $3 and other = $2)"
        " and ($4::text is null or kind = $4)",
        tenant,
        project,
        other,
        kind,
    )
    return int(done.rpartition(" ")[2])


async def set_manifest_links(
    connection: Connection, tenant: str, project: UUID, others: Sequence[UUID]
) -> None:
    """Let the links that the project's own manifests make be exactly these."""
    await connection.execute(
        "delete from vcontract.project_link"
        " where tenant = $1 and project = $2 and origin = 'manifest' and other <> all($3)",
        tenant,
        project,
        list(others),
    )
    await connection.execute(
        "insert into vcontract.project_link (tenant, project, other, kind, origin)"
        " select $1, $2, other, 'uses', 'manifest' from unnest($3::uuid[]) other on conflict do nothing",
        tenant,
        project,
        list(others),
    )


async def is_known(connection: Connection, tenant: str, project: str) -> bool:
    """Whether a transcript or a tag bears the name, or a transcript was made below the root."""
    found: bool = await connection.fetchval(
        "select exists (select from vcontract.transcript where tenant = $1"
        "  and (lower(project) = $2 or cwd = $3 or starts_with(cwd, rtrim($3, '/') || '/')))"
        " or exists (select from vcontract.tag where tenant = $1 and key = 'project' and lower(value) = $2)",
        tenant,
        fold_name(project),
        project,
    )
    return found


async def known_names(connection: Connection, tenant: str) -> list[str]:
    """The names of all projects: of sessions, of transcripts, and in tags."""
    rows = await connection.fetch(
        "select name from vcontract.project where tenant = $1"
        " union select project from vcontract.transcript where tenant = $1"
        " union select value from vcontract.tag where tenant = $1 and key = 'project' order by 1",
        tenant,
    )
    return [row["name"] for row in rows]
