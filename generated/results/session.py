"""Results of the tools and contents of the resources of the `session` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class CheckResult(TypedDict):
    """One check."""

    ok: bool
    """Whether it passed."""
    detail: str
    """Summary of the result."""
    ms: int
    """Duration in milliseconds."""


class DependencySync(TypedDict):
    """Result of updating dependencies."""

    status: str
    """disabled, not_applicable, ok, failed or timeout; may grow."""
    manager: str | None
    """The package manager."""
    command: str | None
    """The command that ran."""
    duration_ms: int
    """How long it took."""
    message: str
    """The reason, or the end of the command's output."""


class FoundFile(TypedDict):
    """A file of an exchange."""

    path: str
    """Its path."""
    operation: str
    """add, edit, delete, rename or read; may grow."""


class GitState(TypedDict):
    """A git work tree."""

    branch: str | None
    """Null when HEAD is detached."""
    commit: str | None
    """The last commit."""
    state: str
    """clean, changed, merge, rebase, cherry_pick, revert, bisect, detached or no_commit; may grow."""
    changed_files: int
    """Number of changed tracked files."""
    untracked_files: int
    """Number of untracked files."""
    worktree: str
    """Folder of the work tree."""


class HealthCheck(TypedDict):
    """One check."""

    name: str
    """Its name."""
    weight: int
    """Maximum points."""
    points: float
    """Points reached."""
    detail: str
    """Summary of the result."""


class LearnedReflection(TypedDict):
    """A reflection of the project."""

    reflection_id: str
    """Its id."""
    text: str
    """The text, cut after 300 characters with … and the ID."""
    tags: list[str]
    """Its tags."""
    stored_at: str
    """When it was first stored."""


class LeftoverSession(TypedDict):
    """An active session that no client uses any more."""

    session_id: str
    """Its id."""
    project: str
    """Its project's name, or empty."""
    working_directory: str | None
    """The folder it works in."""
    started_at: str
    """When it began."""
    last_seen_at: str
    """When it was last used."""
    silent_minutes: int
    """Minutes since then."""
    go_on: NextCall | None
    """The call that resumes it. null without a folder."""
    close: NextCall


class MemoryResult(TypedDict):
    """One exchange, dialog or reflection."""

    content: str
    """Up to 2,000 characters around the match, with … where it is cut."""
    project: str
    """The project's name, or empty."""
    timestamp: str
    """Date and time."""
    similarity_score: float
    """How well it matches, rounded down."""
    context: str
    """The text before and after, or a reflection's project and date."""
    source: str
    """conversation or reflection; may grow."""
    kind: NotRequired[str]
    """exchange (with an agent), dialog (of a call, chat or mail) or reflection; may grow."""
    id: str
    """The vCon's uuid or the reflection's id."""
    matched_by: str
    """semantic, text, both or path; may grow."""
    path: NotRequired[str]
    """Path of the transcript, for memory_read."""
    line_start: NotRequired[int]
    """First line."""
    line_end: NotRequired[int]
    """Last line."""
    tags: NotRequired[list[str]]
    """A reflection's tags."""
    strength: NotRequired[str]
    """Strength of the match compared with chance: strong, fair or weak; may grow."""
    more_in_conversation: NotRequired[int]
    """Further matches in the same conversation, later in the list."""
    files: NotRequired[list[FoundFile]]
    """Files of that exchange, edited first."""
    matches: NotRequired[list[MemoryResultMatchesEntry]]
    """The paths that matched."""


class MemoryResultMatchesEntry(TypedDict):
    """One entry of `matches` of MemoryResult."""

    path: str
    """The stored path."""
    operation: str
    """add, edit, delete, rename, read or mention; may grow."""
    match: str
    """exact, suffix, folder or text; may grow."""
    line: NotRequired[int]
    """The first line of its exchange."""


class NextCall(TypedDict):
    """A call to make next."""

    tool: str
    """Name of the tool as served."""
    arguments: dict[str, Any]
    """Arguments of the call."""


class PreviousSession(TypedDict):
    """A session that has ended."""

    session_id: str
    """Its id."""
    ended_at: str
    """When it ended."""
    state: str
    """ended or abandoned; may grow."""
    final_quality_score: int | None
    """Its last score."""
    branch: str | None
    """The git branch."""
    open_items: list[str]
    """Open items."""
    learning: list[str]
    """Stored reflections, cut after 300 characters with … and the ID."""
    handoff_file_path: str | None
    """The handoff file."""
    commits: NotRequired[list[str]]
    """Short hash and subject of each commit, newest first."""
    files_changed: NotRequired[list[str]]
    """Up to 50 files that changed during the session."""


class ProjectContext(TypedDict):
    """The project around the working directory."""

    name: str
    """Name of the root folder. Empty without a workspace."""
    type: str
    """python, node, rust, go, java, ruby, php, dotnet, mixed or unknown, by manifests; may grow."""
    health_score: int
    """Percentage of points in the checks that apply."""
    root: str | None
    """The project's root folder."""
    working_directory: str | None
    """The folder the session works in."""
    structure_analysis: StructureAnalysis


class QualityScore(TypedDict):
    """Scores of 0 to 100."""

    overall: int
    """Weighted average of the parts that apply: 0.6, 0.2, 0.2, and 0.2 of session if present."""
    project_health: int
    """The health score."""
    permissions: int
    """Read and write permissions."""
    tools_available: int
    """Package manager, git and language runtime."""
    not_applicable: NotRequired[list[str]]
    """Parts that do not apply, shown as 0."""
    session: NotRequired[int]
    """Present only during problems of the session: 50 for one, 0 for several."""


class SearchScope(TypedDict):
    """What was searched."""

    projects: list[str]
    """Names or roots of the projects. Empty means all."""
    related: list[str]
    """Roots of related projects that were searched too."""
    sources: list[str]
    """Kinds of memory."""
    unknown_project: NotRequired[bool]
    """Whether the project is unknown."""


class SessionCheckpointResult(TypedDict):
    """The success of session_checkpoint."""

    success: Literal[True]
    quality_score: QualityScore
    recommendations: list[str]
    """What would raise the scores, most effective first."""
    git_checkpoint_created: bool
    """Whether the commit was made."""
    git: SessionCheckpointResultGit
    """The git checkpoint."""
    optimization_suggestions: list[str]
    """Suggestions."""
    workflow_insights: SessionCheckpointResultWorkflowInsights
    """Statistics of the session. null if unknown."""
    session_id: str | None
    """ID of the session. null if it was not stored."""
    checkpoint_id: str | None
    """ID of the checkpoint. null if it was not stored."""
    working_directory: NotRequired[str | None]
    """The folder of the session."""
    session_started: NotRequired[bool]
    """No longer sent: a checkpoint needs a session."""


class SessionCheckpointResultGit(TypedDict):
    """The git checkpoint."""

    status: str
    """created, disabled, not_a_repository, nothing_to_commit, refused, failed or timeout; may grow."""
    reason: str | None
    """Why no commit was made, or what failed."""
    commit: str | None
    """The commit that was made."""
    branch: str | None
    """The git branch."""
    files: int
    """Number of committed files."""


class SessionCheckpointResultWorkflowInsights(TypedDict):
    """Statistics of the session. null if unknown."""

    session_minutes: int | None
    """Minutes since init."""
    minutes_since_checkpoint: int | None
    """Since the last checkpoint."""
    checkpoints: int | None
    """Number of checkpoints, including this one."""
    commits_since_start: int | None
    """Commits since init."""
    changed_files: int | None
    """Tracked files changed."""
    untracked_files: int | None
    """Number of untracked files."""
    lines_added: int | None
    """Minutes since init."""
    lines_removed: int | None
    """Minutes since init."""
    score_change: int | None
    """Since the last checkpoint or init."""
    reflections_stored: int | None
    """Number in this session."""
    embedding_backlog: int | None
    """Number of passages that are not embedded yet."""


class SessionEndResult(TypedDict):
    """The success of session_end."""

    success: Literal[True]
    final_quality_score: int
    """The current overall score."""
    learning_captured: SessionEndResultLearningCaptured
    """Reflections stored in this session, cut after 300 characters with … and the ID."""
    handoff_file_created: bool
    """Whether the file was written."""
    handoff_file_path: NotRequired[str]
    """Path of the handoff file."""
    handoff_skipped: NotRequired[str]
    """Why no handoff file was written."""
    memory_persisted: bool
    """Whether the end of the session was stored."""
    cleanup_performed: bool
    """Whether cleaning up succeeded."""
    cleanup: SessionEndResultCleanup
    """Numbers of removed rows."""


class SessionEndResultCleanup(TypedDict):
    """Numbers of removed rows."""

    cache_entries: int
    """Number of expired cached results."""
    stale_sessions: int
    """Number of sessions marked as abandoned."""
    handoff_files: int
    """Number of deleted old handoff files."""


class SessionEndResultLearningCaptured(TypedDict):
    """Reflections stored in this session, cut after 300 characters with … and the ID."""

    insights: list[str]
    """Reflections tagged insight, or without any of the three tags."""
    solutions: list[str]
    """Reflections tagged solution."""
    patterns: list[str]
    """Reflections tagged pattern."""


class SessionGetCachedChunkResult(TypedDict):
    """The success of session_get_cached_chunk."""

    success: Literal[True]
    chunked: bool
    """Whether this is a part of a long response."""
    current_chunk: int
    """Its number, from 1."""
    total_chunks: int
    """How many there are."""
    expires_at: str
    """When the cached response expires."""
    cache_key: str
    """Key for get_more_results or get_cached_chunk."""
    has_more: bool
    """Whether another chunk follows."""
    results: list[MemoryResult]
    """The results of this chunk."""


class SessionGetMoreResultsResult(TypedDict):
    """The success of session_get_more_results."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    has_more: bool
    """Whether more results follow, or in a chunk more chunks."""
    total_available: int
    """Number of results."""
    cache_key: str
    """Key for get_more_results or get_cached_chunk."""
    notice: NotRequired[str]
    """Says that the default offset skips results that were not shown."""
    gone: NotRequired[int]
    """Number of results deleted since then."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long response."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """When the cached response expires."""


class SessionInitResult(TypedDict):
    """The success of session_init."""

    success: Literal[True]
    session_id: str | None
    """ID of the session. null if the store is unavailable."""
    resumed: bool
    """Whether an active session was resumed."""
    other_active_sessions: int
    """Number of other active sessions of this caller and project."""
    project_context: ProjectContext
    dependencies_synced: bool
    """Whether the package manager succeeded."""
    dependency_sync: DependencySync
    memory_initialized: bool
    """Whether the session was stored."""
    permissions_setup: bool
    """Whether all permissions that apply are granted."""
    recommendations: list[str]
    """What would raise the scores, most effective first."""
    leftover_sessions: NotRequired[list[LeftoverSession]]
    """
    Active sessions of this caller that no client uses any more, in any project. Absent if the store is
    unavailable.
    """
    previous_session: PreviousSession | None
    """The project's last ended session."""
    learning: NotRequired[list[LearnedReflection]]
    """The most useful reflections of all its sessions."""


class SessionQuickSearchResult(TypedDict):
    """The success of session_quick_search."""

    success: Literal[True]
    total_count: int
    """Number of matches."""
    top_result: MemoryResult | None
    """The best result, with up to 500 characters."""
    has_more: bool
    """Whether there is more than one."""
    cache_key: str
    """Key for get_more_results or get_cached_chunk."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    notice: NotRequired[str]
    """Why search by meaning was not used, or that only the nearest results are shown."""
    next: NotRequired[NextCall]


class SessionReflectOnPastResult(TypedDict):
    """The success of session_reflect_on_past."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Number of matches, regardless of limit."""
    total_is_exact: bool
    """Whether these are all."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    best_below_threshold: NotRequired[float]
    """The best score, if it is below min_score."""
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    notice: NotRequired[str]
    """Why search by meaning was not used, or that only the nearest results are shown."""
    embedding_coverage: NotRequired[float]
    """Share of the text that is embedded, if below 1."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long response."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """When the cached response expires."""
    cache_key: NotRequired[str]
    """Key for get_more_results or get_cached_chunk."""
    has_more: NotRequired[bool]
    """Whether another chunk follows."""


class SessionReflectionStatsResult(TypedDict):
    """The success of session_reflection_stats."""

    success: Literal[True]
    total_conversations: int
    """Number of vCons."""
    total_reflections: int
    """Number of reflections."""
    projects_tracked: int
    """Number of projects."""
    embedding_coverage: float
    """Percentage of embedded text."""
    storage_size_mb: float
    """Megabytes of what is stored, with the archive, without indexes."""
    oldest_conversation: str | None
    """Date and time."""
    most_recent: str | None
    """Date and time."""


class SessionSearchByConceptResult(TypedDict):
    """The success of session_search_by_concept."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Number of matches, regardless of limit."""
    total_is_exact: bool
    """Whether these are all."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    best_below_threshold: NotRequired[float]
    """The best score, if it is below 0.5."""
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    notice: NotRequired[str]
    """Why search by meaning was not used, or that only the nearest results are shown."""
    embedding_coverage: NotRequired[float]
    """Share of the text that is embedded, if below 1."""
    related_files: NotRequired[list[SessionSearchByConceptResultRelatedFilesEntry]]
    """Files of the results."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long response."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """When the cached response expires."""
    cache_key: NotRequired[str]
    """Key for get_more_results or get_cached_chunk."""
    has_more: NotRequired[bool]
    """Whether another chunk follows."""


class SessionSearchByConceptResultRelatedFilesEntry(TypedDict):
    """One entry of `related_files` of SessionSearchByConceptResult."""

    path: str
    """Its path."""
    count: int
    """Number of results that mention it."""


class SessionSearchByFileResult(TypedDict):
    """The success of session_search_by_file."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Number of matches, regardless of limit."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long response."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """When the cached response expires."""
    cache_key: NotRequired[str]
    """Key for get_more_results or get_cached_chunk."""
    has_more: NotRequired[bool]
    """Whether another chunk follows."""


class SessionStatusResult(TypedDict):
    """The success of session_status."""

    success: Literal[True]
    session_active: bool
    """Whether a session is active."""
    session_id: str | None
    """Its id."""
    project_context: ProjectContext
    available_tools: list[str]
    """Names of the served tools."""
    memory_system_status: SessionStatusResultMemorySystemStatus
    """State of the memory. Counts are null if the store is unavailable."""
    permissions_status: SessionStatusResultPermissionsStatus
    """Permissions of this process."""
    leftover_sessions: NotRequired[list[LeftoverSession]]
    """
    Active sessions of this caller that no client uses any more, in any project. Absent if the store is
    unavailable.
    """
    health_checks: SessionStatusResultHealthChecks
    """Checks of the server."""


class SessionStatusResultHealthChecks(TypedDict):
    """Checks of the server."""

    store: CheckResult
    schema: CheckResult
    embeddings: CheckResult
    git: CheckResult
    working_directory: CheckResult


class SessionStatusResultMemorySystemStatus(TypedDict):
    """State of the memory. Counts are null if the store is unavailable."""

    enabled: bool
    """Whether the store is available."""
    conversations_stored: int | None
    """Number of vCons."""
    embeddings_available: bool
    """Whether search by meaning works."""
    reflections_stored: int | None
    """Number of reflections."""
    embedding_backlog: int | None
    """Number of passages that are not embedded yet."""


class SessionStatusResultPermissionsStatus(TypedDict):
    """Permissions of this process."""

    checks: dict[str, bool]
    """The permissions that apply."""
    allowed_roots: list[str]
    """Folders that sessions may work in."""
    opt_ins: dict[str, bool]
    """What the operator enabled for this project."""


class SessionStoreReflectionResult(TypedDict):
    """The success of session_store_reflection."""

    success: Literal[True]
    reflection_id: str
    """Its id."""
    stored_at: str
    """When it was first stored."""
    embedding_generated: bool
    """Whether it is embedded."""
    tags_applied: list[str]
    """Its tags as stored."""
    project: str | None
    """The session's project."""
    session_id: NotRequired[str]
    """The session it belongs to."""
    replaced: NotRequired[bool]
    """Whether it replaced another text."""
    duplicate: NotRequired[bool]
    """Whether the same text was already stored."""
    embedding_pending: NotRequired[bool]
    """Whether it will be embedded soon."""
    redactions: NotRequired[int]
    """Number of masked secrets."""


class StructureAnalysis(TypedDict):
    """State of the project."""

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
    """Number of files and folders scanned."""
    truncated: bool
    """Whether the scan stopped at its limit."""
