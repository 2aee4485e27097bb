"""Projects: the folders of sessions, their names, and links between them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID, uuid5

from vcontract.runtime.frame.documents.unicode_cleanup import fold_name
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query

LinkKind = Literal["uses", "extends", "references", "shares_code"]
LINK_KINDS: Final[tuple[LinkKind, ...]] = ("uses", "extends", "references", "shares_code")

_PROJECTS: Final = UUID("6f1f0a5e-0a3c-5d0e-9a55-2f3c1d7b8e21")


@dataclass(frozen=True, slots=True)
class Project:
    """A project folder."""

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
    """Return the ID of the project with this root. It never changes."""
    return uuid5(_PROJECTS, f"{tenant}\0{root}")


async def put_project(connection: Connection, tenant: str, root: str, name: str, now: datetime) -> Project:
    """Record that the project was seen. Creates its row on first use."""
    found = Project(project_id(tenant, root), root, name)
    await connection.execute(
        *named_query(
            "insert into vcontract.project (tenant, id, root, name, name_folded, seen_at)"
            " values (:tenant, :id, :root, :name, :name_folded, :seen_at)"
            " on conflict (tenant, id) do update set seen_at = excluded.seen_at",
            tenant=tenant,
            id=found.id,
            root=root,
            name=name,
            name_folded=fold_name(name),
            seen_at=now,
        )
    )
    return found


async def find_projects(connection: Connection, tenant: str, name_or_root: str) -> list[Project]:
    """Find projects by name, or one by root, sorted by root."""
    rows = await connection.fetch(
        *named_query(
            "select id, root, name from vcontract.project where tenant = :tenant"
            " and case when :given like '/%' or :given ~ '^[A-Za-z]:'"
            "  then root = :given else name_folded = :folded end order by root",
            tenant=tenant,
            given=name_or_root,
            folded=fold_name(name_or_root),
        )
    )
    return [Project(**row) for row in rows]


async def all_projects(connection: Connection, tenant: str) -> list[Project]:
    """Return every project of the tenant, last seen first."""
    rows = await connection.fetch(
        *named_query(
            "select id, root, name from vcontract.project where tenant = :tenant order by seen_at desc, root",
            tenant=tenant,
        )
    )
    return [Project(**row) for row in rows]


async def related_projects(connection: Connection, tenant: str, ids: Collection[UUID]) -> list[Project]:
    """Return the projects one link away in either direction, except those in `ids`."""
    rows = await connection.fetch(
        *named_query(
            "select distinct p.id, p.root, p.name from vcontract.project_link l"
            " join vcontract.project p on p.tenant = l.tenant"
            " and (p.id = l.other and l.project = any(:ids) or p.id = l.project and l.other = any(:ids))"
            " where l.tenant = :tenant and (l.project = any(:ids) or l.other = any(:ids))"
            " and p.id <> all(:ids) order by p.root",
            tenant=tenant,
            ids=list(ids),
        )
    )
    return [Project(**row) for row in rows]


async def links(connection: Connection, tenant: str) -> list[Link]:
    """Return every link of the tenant."""
    rows = await connection.fetch(
        *named_query(
            "select p.id, p.root, p.name, o.id as other_id, o.root as other_root, o.name as other_name,"
            " l.kind, l.origin from vcontract.project_link l"
            " join vcontract.project p on p.tenant = l.tenant and p.id = l.project"
            " join vcontract.project o on o.tenant = l.tenant and o.id = l.other"
            " where l.tenant = :tenant order by p.name_folded, p.root, o.name_folded, o.root, l.kind",
            tenant=tenant,
        )
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
    """Link two projects as a user declares. Returns whether the link is new."""
    done = await connection.execute(
        *named_query(
            "insert into vcontract.project_link (tenant, project, other, kind, origin)"
            " values (:tenant, :project, :other, :kind, 'declared') on conflict do nothing",
            tenant=tenant,
            project=project,
            other=other,
            kind=kind,
        )
    )
    return done.endswith(" 1")


async def remove_links(
    connection: Connection, tenant: str, project: UUID, other: UUID, kind: LinkKind | None
) -> int:
    """Remove declared links between two projects, in either direction. Returns their number."""
    done = await connection.execute(
        *named_query(
            "delete from vcontract.project_link where tenant = :tenant and origin = 'declared'"
            " and (project = :project and other = :other or project = :other and other = :project)"
            " and (:kind::text is null or kind = :kind)",
            tenant=tenant,
            project=project,
            other=other,
            kind=kind,
        )
    )
    return int(done.rpartition(" ")[2])


async def set_manifest_links(
    connection: Connection, tenant: str, project: UUID, others: Sequence[UUID]
) -> None:
    """Replace the links from the project's own manifests."""
    await connection.execute(
        *named_query(
            "delete from vcontract.project_link where tenant = :tenant and project = :project"
            " and origin = 'manifest' and other <> all(:others)",
            tenant=tenant,
            project=project,
            others=list(others),
        )
    )
    await connection.execute(
        *named_query(
            "insert into vcontract.project_link (tenant, project, other, kind, origin)"
            " select :tenant, :project, other, 'uses', 'manifest' from unnest(:others::uuid[]) other"
            " on conflict do nothing",
            tenant=tenant,
            project=project,
            others=list(others),
        )
    )


async def is_known(connection: Connection, tenant: str, project: str) -> bool:
    """Whether a transcript or tag has this project name, or a transcript is from below this root."""
    found: bool = await connection.fetchval(
        *named_query(
            "select exists (select from vcontract.transcript where tenant = :tenant"
            "  and (vcontract.without_case(project) = :name"
            "   or cwd = :root or starts_with(cwd, rtrim(:root, '/') || '/')))"
            " or exists (select from vcontract.tag"
            "  where tenant = :tenant and key = 'project' and vcontract.without_case(value) = :name)",
            tenant=tenant,
            name=fold_name(project),
            root=project,
        )
    )
    return found


async def known_names(connection: Connection, tenant: str) -> list[str]:
    """Return all project names: of sessions, of transcripts, and in tags."""
    rows = await connection.fetch(
        *named_query(
            "select name from vcontract.project where tenant = :tenant"
            " union select project from vcontract.transcript where tenant = :tenant"
            " union select value from vcontract.tag where tenant = :tenant and key = 'project' order by 1",
            tenant=tenant,
        )
    )
    return [row["name"] for row in rows]
