"""Project scope of a search, and how it is reported."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.generated.results.session import SearchScope
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.nearest_names import nearest_names
from vcontract.runtime.frame.documents.unicode_cleanup import fold_name
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.sessions import projects
from vcontract.runtime.store.sessions.projects import Project

_MAX_SUGGESTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Scope:
    """Projects of a search; empty `filters` include everything."""

    filters: JsonObject
    projects: Sequence[str] = ()
    related: Sequence[str] = ()
    nearest: Sequence[str] | None = None
    """Similar names if the project is unknown; None if it is known."""

    @property
    def is_unknown(self) -> bool:
        return self.nearest is not None

    def document(self, sources: Sequence[str]) -> SearchScope:
        document: SearchScope = {
            "projects": list(self.projects),
            "related": list(self.related),
            "sources": list(sources),
        }
        if self.is_unknown:
            document["unknown_project"] = True
        return document

    def suggestions(self) -> list[str]:
        return [f'Nobody knows this project; did you mean "{name}"?' for name in self.nearest or ()]


EVERYTHING: Final = Scope({})


async def scope_of(connection: Connection, tenant: str, project: str | None, *, related: bool) -> Scope:
    """Resolve a project name or root, optionally with linked projects."""
    if project is None:
        return EVERYTHING
    found = await projects.find_projects(connection, tenant, project)
    linked: list[Project] = []
    if related and found:
        linked = await projects.related_projects(connection, tenant, [known.id for known in found])
    by_root = bool(found) and project == found[0].root
    names = [fold_name(known.name) for known in linked]
    if not by_root:
        names.append(fold_name(project))
    filters: JsonObject = {
        "projects": [str(known.id) for known in (*found, *linked)],
        "names": list(dict.fromkeys(names)),
        "roots": [known.root for known in (*found, *linked)] + ([project] if project[:1] == "/" else []),
    }
    nearest = None
    if not found and not await projects.is_known(connection, tenant, project):
        nearest = await _nearest(connection, tenant, project)
    shown = [known.root for known in found] or [project]
    return Scope(filters, shown, [known.root for known in linked], nearest)


async def _nearest(connection: Connection, tenant: str, project: str) -> list[str]:
    known = await projects.known_names(connection, tenant)
    by_folded = {fold_name(name): name for name in known}
    close = nearest_names(fold_name(project), by_folded, _MAX_SUGGESTIONS)
    return [by_folded[name] for name in close]
