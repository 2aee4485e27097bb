"""Rules for coding sessions from settings: allowed folders, commits, dependency installation."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.workspace.checkpoints import is_allowed
from vcontract.runtime.workspace.confinement import Confinement

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings


DEPENDENCY_SECONDS: Final = 120.0
"""Timeout of a dependency installation."""
GIT_SECONDS: Final = 30.0
"""Timeout of one git call."""
_NOWHERE: Final = Confinement.of((), None)


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings `session.…`, and where callers may work."""

    local: Confinement
    """For the user of this machine, through stdio."""
    remote: Mapping[str, Confinement]
    """For callers over HTTP, by tenant: no folders, unless the tenant has roots."""
    dependency_sync: bool | tuple[Path, ...]
    dependency_seconds: float
    git_seconds: float
    git_checkpoint: bool | tuple[Path, ...]
    protected_branches: tuple[str, ...]

    @classmethod
    def of(cls, settings: "Settings", start: Path | None = None) -> "Rules":
        """Read the rules from `settings` for a process started in `start`, by default the working
        directory.
        """
        return cls(
            local=Confinement.of(settings.session_allowed_roots, start or Path.cwd()),
            remote={
                tenant: Confinement.of(roots, None) for tenant, roots in settings.session_http_roots.items()
            },
            dependency_sync=settings.session_dependency_sync,
            dependency_seconds=DEPENDENCY_SECONDS,
            git_seconds=GIT_SECONDS,
            git_checkpoint=settings.session_git_checkpoint,
            protected_branches=settings.session_git_protected_branches,
        )

    def confinement(self, tenant: str, *, local: bool) -> Confinement:
        """Return where a caller may work."""
        return self.local if local else self.remote.get(tenant, _NOWHERE)

    def syncs_dependencies(self, root: Path, *, local: bool) -> bool:
        """Whether `init` installs dependencies; never over HTTP, because it runs code of the project."""
        return local and is_allowed(self.dependency_sync, root)

    def commits(self, root: Path, *, local: bool) -> bool:
        """Whether `checkpoint` commits; never over HTTP, because it runs hooks and filters of the project."""
        return local and is_allowed(self.git_checkpoint, root)
