"""Rules: what the operator allows sessions to do, read from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from vcontract.runtime.workspace.checkpoints import is_allowed
from vcontract.runtime.workspace.confinement import Confinement

if TYPE_CHECKING:
    from vcontract.runtime.settings import Settings


_NOWHERE: Final = Confinement.of((), None)


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings `session.…`, and where callers may work."""

    local: Confinement
    """For the user of this machine, who speaks through stdio."""
    remote: Mapping[str, Confinement]
    """For callers over HTTP, by tenant: nowhere, unless roots of the tenant are set."""
    dependency_sync: bool | tuple[Path, ...]
    dependency_seconds: float
    git_seconds: float
    git_checkpoint: bool | tuple[Path, ...]
    protected_branches: tuple[str, ...]
    handoff_folder: str
    sync_transcripts: bool
    require_semantic: bool
    default_scope: Literal["all", "project"]
    cache_seconds: int
    stale_hours: float
    redacts: bool
    """Whether secrets are replaced in what is stored."""

    @classmethod
    def of(cls, settings: "Settings", start: Path | None = None) -> "Rules":
        """The rules of `settings` for a process that began in `start`, the working directory by default."""
        return cls(
            local=Confinement.of(settings.session_allowed_roots, start or Path.cwd()),
            remote={
                tenant: Confinement.of(roots, None) for tenant, roots in settings.session_http_roots.items()
            },
            dependency_sync=settings.session_dependency_sync,
            dependency_seconds=settings.session_dependency_timeout_s,
            git_seconds=settings.session_git_timeout_s,
            git_checkpoint=settings.session_git_checkpoint,
            protected_branches=settings.session_git_protected_branches,
            handoff_folder=settings.session_handoff_dir,
            sync_transcripts=settings.session_sync_transcripts,
            require_semantic=settings.session_require_semantic,
            default_scope=settings.session_default_scope,
            cache_seconds=settings.session_cache_ttl_s,
            stale_hours=settings.session_stale_after_h,
            redacts=settings.memory_redact == "secrets",
        )

    def confinement(self, tenant: str, *, local: bool) -> Confinement:
        """Where a caller may work."""
        return self.local if local else self.remote.get(tenant, _NOWHERE)

    def syncs_dependencies(self, root: Path, *, local: bool) -> bool:
        """Whether `init` does; over HTTP never, for it runs code of the project."""
        return local and is_allowed(self.dependency_sync, root)

    def commits(self, root: Path, *, local: bool) -> bool:
        """Whether `checkpoint` does; over HTTP never, for it runs hooks and filters of the project."""
        return local and is_allowed(self.git_checkpoint, root)
