"""Models of the tools of the `session` toolset.

Made from spec/tools/session and the shapes it uses (sha256:14a1da8b4417452004b13899d147226b4b28aef1dc65a773512120d8f02ee206).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Annotated, Literal

from pydantic import MISSING, ConfigDict, Field
from vcontract.generated.models.base import Model


class CheckResult(Model):
    """One thing looked at."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: bool
    """Whether it is in order."""
    detail: str
    """What was found."""
    ms: int
    """Milliseconds it took."""


class DependencySync(Model):
    """What became of bringing dependencies up to date."""

    model_config = ConfigDict(
        extra="allow",
    )
    status: str
    """disabled, not_applicable, ok, failed or timeout; may grow."""
    manager: str | None
    """The package manager."""
    command: str | None
    """The command that ran."""
    duration_ms: int
    """How long it took."""
    message: str
    """The reason, or the end of its output."""


class GitState(Model):
    """A git work tree."""

    model_config = ConfigDict(
        extra="allow",
    )
    branch: str | None
    """Null when HEAD is detached."""
    commit: str | None
    """The last commit."""
    state: str
    """clean, changed, merge, rebase, cherry_pick, revert, bisect, detached or no_commit; may grow."""
    changed_files: int
    """Tracked files that differ from it."""
    untracked_files: int
    """Files git does not know."""
    worktree: str
    """Folder of the work tree."""


class HealthCheck(Model):
    """One check."""

    model_config = ConfigDict(
        extra="allow",
    )
    name: str
    """Its name."""
    weight: int
    """Most points."""
    points: float
    """Points it has."""
    detail: str
    """The fact behind it."""


class PreviousSession(Model):
    """A session that is over."""

    model_config = ConfigDict(
        extra="allow",
    )
    session_id: str
    """Its id."""
    ended_at: str
    """When it ended."""
    state: str
    """ended or abandoned; may grow."""
    final_quality_score: int | None
    """Its last score."""
    branch: str | None
    """The branch it was on."""
    open_items: list[str]
    """What it left undone."""
    learning: list[str]
    """What it stored, 300 characters each."""
    handoff_file_path: str | None
    """The file it left for people."""


class ProjectContext(Model):
    """The project around the working directory."""

    model_config = ConfigDict(
        extra="allow",
    )
    name: str
    """Base name of the root; empty without workspace."""
    type: str
    """python, node, rust, go, java, ruby, php, dotnet, mixed or unknown, by manifests; may grow."""
    health_score: int
    """100 times the points over the weights of the checks that apply."""
    root: str | None
    """The project's root folder."""
    working_directory: str | None
    """The folder the session works in."""
    structure_analysis: StructureAnalysis


class QualityScore(Model):
    """Scores of 0 to 100."""

    model_config = ConfigDict(
        extra="allow",
    )
    overall: int
    """0.6, 0.2 and 0.2 of the parts that apply."""
    project_health: int
    """The health score."""
    permissions: int
    """What may be read and written."""
    tools_available: int
    """Package manager, git and language runtime."""
    not_applicable: list[str] | MISSING = MISSING
    """Parts that do not apply and are 0."""


class SessionCheckpointParams(Model):
    """Parameters of session_checkpoint."""

    model_config = ConfigDict(
        extra="forbid",
    )
    session_id: str | MISSING = MISSING
    """A session_id that init returned; needed when several are active."""


class SessionCheckpointResult(Model):
    """The success of session_checkpoint."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    quality_score: QualityScore
    recommendations: list[str]
    """What would raise the scores, most first."""
    git_checkpoint_created: bool
    """Whether HEAD moved to our commit."""
    git: SessionCheckpointResultGit
    """The git checkpoint."""
    optimization_suggestions: list[str]
    """What the insights suggest."""
    workflow_insights: SessionCheckpointResultWorkflowInsights
    """Numbers of the session; null where not knowable."""
    session_id: str | None
    """The session; null when it could not be stored."""
    checkpoint_id: str | None
    """The checkpoint; null when it could not be stored."""
    session_started: bool | MISSING = MISSING
    """Whether there was no session and one was begun."""


class SessionCheckpointResultGit(Model):
    """The git checkpoint."""

    model_config = ConfigDict(
        extra="allow",
    )
    status: str
    """created, disabled, not_a_repository, nothing_to_commit, refused, failed or timeout; may grow."""
    reason: str | None
    """Why there is none."""
    commit: str | None
    """The commit that was made."""
    branch: str | None
    """The branch it is on."""
    files: int
    """Files in it."""


class SessionCheckpointResultWorkflowInsights(Model):
    """Numbers of the session; null where not knowable."""

    model_config = ConfigDict(
        extra="allow",
    )
    session_minutes: int | None
    """Since init."""
    minutes_since_checkpoint: int | None
    """Since the last checkpoint."""
    checkpoints: int | None
    """Taken, with this one."""
    commits_since_start: int | None
    """Commits since init."""
    changed_files: int | None
    """Tracked files changed."""
    untracked_files: int | None
    """Files git does not know."""
    lines_added: int | None
    """Since init."""
    lines_removed: int | None
    """Since init."""
    score_change: int | None
    """Since the last checkpoint or init."""
    reflections_stored: int | None
    """In this session."""
    embedding_backlog: int | None
    """Passages that wait to be embedded."""


class SessionEndParams(Model):
    """Parameters of session_end."""

    model_config = ConfigDict(
        extra="forbid",
    )
    session_id: str | MISSING = MISSING
    """A session_id that init returned; needed when several are active."""


class SessionEndResult(Model):
    """The success of session_end."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    final_quality_score: int
    """The overall score now."""
    learning_captured: SessionEndResultLearningCaptured
    """What was stored in this session, 300 characters each."""
    handoff_file_created: bool
    """Whether the file is there."""
    handoff_file_path: str | MISSING = MISSING
    """Where it is."""
    handoff_skipped: str | MISSING = MISSING
    """Why there is none."""
    memory_persisted: bool
    """Whether the end of the session is stored."""
    cleanup_performed: bool
    """Whether cleaning up went without error."""
    cleanup: SessionEndResultCleanup
    """What was cleaned up."""


class SessionEndResultCleanup(Model):
    """What was cleaned up."""

    model_config = ConfigDict(
        extra="allow",
    )
    cache_entries: int
    """Expired cached results."""
    stale_sessions: int
    """Sessions now abandoned."""
    handoff_files: int
    """Old handoff files."""


class SessionEndResultLearningCaptured(Model):
    """What was stored in this session, 300 characters each."""

    model_config = ConfigDict(
        extra="allow",
    )
    insights: list[str]
    """Tagged insight, or none of the three."""
    solutions: list[str]
    """Tagged solution."""
    patterns: list[str]
    """Tagged pattern."""


class SessionInitParams(Model):
    """Parameters of session_init."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Folder to work in; the server's start folder by default."""


class SessionInitResult(Model):
    """The success of session_init."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    session_id: str | None
    """The session; null when the store is down."""
    resumed: bool
    """Whether it was active before."""
    other_active_sessions: int
    """Other active sessions of this caller and project."""
    project_context: ProjectContext
    dependencies_synced: bool
    """Whether the manager ran and ended well."""
    dependency_sync: DependencySync
    memory_initialized: bool
    """Whether the session is stored."""
    permissions_setup: bool
    """Whether all that applies may be read and written."""
    recommendations: list[str]
    """What would raise the scores, most first."""
    previous_session: PreviousSession | None
    """The project's last session that is over."""


class SessionStatusParams(Model):
    """Parameters of session_status."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """A folder to look at instead of the session's."""
    session_id: str | MISSING = MISSING
    """A session_id that init returned; needed when several are active."""


class SessionStatusResult(Model):
    """The success of session_status."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    session_active: bool
    """Whether there is a session."""
    session_id: str | None
    """Its id."""
    project_context: ProjectContext
    available_tools: list[str]
    """The tools of this server, as served."""
    memory_system_status: SessionStatusResultMemorySystemStatus
    """The memory; counts are null when the store is down."""
    permissions_status: SessionStatusResultPermissionsStatus
    """What this process may do."""
    health_checks: SessionStatusResultHealthChecks
    """What was looked at."""


class SessionStatusResultHealthChecks(Model):
    """What was looked at."""

    model_config = ConfigDict(
        extra="allow",
    )
    store: CheckResult
    schema_: Annotated[CheckResult, Field(alias="schema")]
    embeddings: CheckResult
    git: CheckResult
    working_directory: CheckResult


class SessionStatusResultMemorySystemStatus(Model):
    """The memory; counts are null when the store is down."""

    model_config = ConfigDict(
        extra="allow",
    )
    enabled: bool
    """Whether the store answers."""
    conversations_stored: int | None
    """Stored vCons."""
    embeddings_available: bool
    """Whether search by meaning works."""
    reflections_stored: int | None
    """Stored reflections."""
    embedding_backlog: int | None
    """Passages that wait to be embedded."""


class SessionStatusResultPermissionsStatus(Model):
    """What this process may do."""

    model_config = ConfigDict(
        extra="allow",
    )
    checks: dict[str, bool]
    """Each permission that applies."""
    allowed_roots: list[str]
    """Folders that sessions may work in."""
    opt_ins: dict[str, bool]
    """What the operator switched on for this project."""


class StructureAnalysis(Model):
    """What was seen there."""

    model_config = ConfigDict(
        extra="allow",
    )
    checks: list[HealthCheck]
    """The checks that apply."""
    languages: list[str]
    """Languages found."""
    manifests: list[str]
    """Manifest files."""
    managers: list[str]
    """Package managers."""
    has_readme: bool
    """Whether there is a README."""
    has_tests: bool
    """Whether there are test files."""
    has_docs: bool
    """Whether a docs folder holds files."""
    has_ci: bool
    """Whether CI is configured."""
    git: GitState | None
    """The git work tree; null without one."""
    entries_scanned: int
    """Files and folders looked at."""
    truncated: bool
    """Whether the look ended at its limit."""
