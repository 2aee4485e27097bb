"""Parameters of the tools of the `session` toolset.

Made from spec/tools/session and the shapes it uses (sha256:513320ed5d9387b5766e14bbdb9bbba11d0ef51c5a8e073b58509c5fb6f5f7e8).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Annotated, Any, Literal

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


class FoundFile(Model):
    """A file of an exchange."""

    model_config = ConfigDict(
        extra="allow",
    )
    path: str
    """Its path."""
    operation: str
    """add, edit, delete, rename or read; may grow."""


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


class LeftoverSession(Model):
    """An active session that nobody holds any more."""

    model_config = ConfigDict(
        extra="allow",
    )
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
    """How long ago that was."""
    go_on: NextCall | None
    """The call that resumes it; null without a folder."""
    close: NextCall


class MemoryResult(Model):
    """One exchange, dialog or reflection."""

    model_config = ConfigDict(
        extra="allow",
    )
    content: str
    """At most 2,000 characters around the match; … where cut."""
    project: str
    """The project's name, or empty."""
    timestamp: str
    """When it was."""
    similarity_score: float
    """How well it matches, rounded down."""
    context: str
    """What was said before and after, or a reflection's project and date."""
    source: str
    """conversation or reflection; may grow."""
    id: str
    """The vCon's uuid or the reflection's id."""
    matched_by: str
    """semantic, text, both or path; may grow."""
    path: str | MISSING = MISSING
    """The transcript; memory's read takes it."""
    line_start: int | MISSING = MISSING
    """Its first line there."""
    line_end: int | MISSING = MISSING
    """Its last line there."""
    tags: list[str] | MISSING = MISSING
    """A reflection's tags."""
    more_in_conversation: int | MISSING = MISSING
    """Further matches in the same conversation."""
    files: list[FoundFile] | MISSING = MISSING
    """Files of that exchange, edited first."""
    matches: list[MemoryResultMatchesEntry] | MISSING = MISSING
    """The paths that matched."""


class MemoryResultMatchesEntry(Model):
    """One entry of `matches` of MemoryResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    path: str
    """The path as it was stored."""
    operation: str
    """add, edit, delete, rename, read or mention; may grow."""
    match: str
    """exact, suffix, folder or text; may grow."""
    line: int | MISSING = MISSING
    """The first line of its exchange."""


class NextCall(Model):
    """A call to make next."""

    model_config = ConfigDict(
        extra="allow",
    )
    tool: str
    """Its name as served."""
    arguments: dict[str, Any]
    """What to send."""


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


class SearchScope(Model):
    """Where was looked."""

    model_config = ConfigDict(
        extra="allow",
    )
    projects: list[str]
    """The projects: names, or roots where known; empty is all."""
    related: list[str]
    """Roots of related projects looked in too."""
    sources: list[str]
    """Kinds of memory."""
    unknown_project: bool | MISSING = MISSING
    """Whether nobody knows the project."""


class SessionCheckpointParams(Model):
    """Parameters of session_checkpoint."""

    model_config = ConfigDict(
        extra="forbid",
    )
    session_id: str | MISSING = MISSING
    """From init; needed when several are active."""


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
    """Why there is none, or what is amiss with it."""
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
    """From init; needed when several are active."""


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
    transcripts_imported: SessionEndResultTranscriptsImported | MISSING = MISSING
    """The project's transcripts brought in, where that is switched on."""
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


class SessionEndResultTranscriptsImported(Model):
    """The project's transcripts brought in, where that is switched on."""

    model_config = ConfigDict(
        extra="allow",
    )
    files: int
    """Transcripts looked at."""
    exchanges: int
    """Exchanges stored."""
    failed: int
    """Files that could not be read."""


class SessionGetCachedChunkParams(Model):
    """Parameters of session_get_cached_chunk."""

    model_config = ConfigDict(
        extra="forbid",
    )
    cache_key: str
    """Of the answer."""
    chunk_index: int
    """From 1."""


class SessionGetCachedChunkResult(Model):
    """The success of session_get_cached_chunk."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    chunked: bool
    """Whether this is a part of a long answer."""
    current_chunk: int
    """Its number, from 1."""
    total_chunks: int
    """How many there are."""
    expires_at: str
    """Until when get_cached_chunk has them."""
    cache_key: str
    """Reads on what was found."""
    has_more: bool
    """Whether chunks follow."""
    results: list[MemoryResult]
    """The results of this chunk."""


class SessionGetMoreResultsParams(Model):
    """Parameters of session_get_more_results."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Of quick_search."""
    offset: int = 3
    """Results to skip."""
    limit: int = 3
    """Page size."""
    project: str | None | MISSING = MISSING
    """Name or absolute root; default all."""
    cache_key: str | MISSING = MISSING
    """Of quick_search; default its newest."""


class SessionGetMoreResultsResult(Model):
    """The success of session_get_more_results."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    results: list[MemoryResult]
    """Best first."""
    has_more: bool
    """Whether results follow; in a chunk, whether chunks do."""
    total_available: int
    """Length of the list."""
    cache_key: str
    """Reads on what was found."""
    gone: int | MISSING = MISSING
    """Left out because they were deleted since."""
    next: NextCall | MISSING = MISSING
    chunked: bool | MISSING = MISSING
    """Whether this is a part of a long answer."""
    current_chunk: int | MISSING = MISSING
    """Its number, from 1."""
    total_chunks: int | MISSING = MISSING
    """How many there are."""
    expires_at: str | MISSING = MISSING
    """Until when get_cached_chunk has them."""


class SessionInitParams(Model):
    """Parameters of session_init."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Default the server's start folder."""


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
    leftover_sessions: list[LeftoverSession] | MISSING = MISSING
    """
    Active sessions of this caller that nobody holds any more, in any project; absent when the store is
    down.
    """
    previous_session: PreviousSession | None
    """The project's last session that is over."""


class SessionQuickSearchParams(Model):
    """Parameters of session_quick_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    project: str | None | MISSING = MISSING
    """Name or absolute root; default all."""
    min_score: float = 0.7
    """Least score; all words give 0.7."""


class SessionQuickSearchResult(Model):
    """The success of session_quick_search."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    total_count: int
    """Matches."""
    top_result: MemoryResult | None
    """The best, its content cut to 500 characters."""
    has_more: bool
    """Whether there is more than one."""
    cache_key: str
    """Reads on what was found."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    suggestions: list[str] | MISSING = MISSING
    """What to send instead, and other search terms."""
    notice: str | MISSING = MISSING
    """Why meaning was not searched."""
    next: NextCall | MISSING = MISSING


class SessionReflectOnPastParams(Model):
    """Parameters of session_reflect_on_past."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    limit: int = 10
    """Page size."""
    min_score: float = 0.7
    """Least score; all words give 0.7."""
    project: str | None | MISSING = MISSING
    """Name or absolute root; default all."""
    include_related_projects: bool = True
    """Also linked projects."""


class SessionReflectOnPastResult(Model):
    """The success of session_reflect_on_past."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Matches before limit."""
    total_is_exact: bool
    """Whether there are no more."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    best_below_threshold: float | MISSING = MISSING
    """The best score below min_score."""
    suggestions: list[str] | MISSING = MISSING
    """What to send instead, and other search terms."""
    notice: str | MISSING = MISSING
    """Why meaning was not searched."""
    embedding_coverage: float | MISSING = MISSING
    """Share of the text found by meaning, when below 1."""
    chunked: bool | MISSING = MISSING
    """Whether this is a part of a long answer."""
    current_chunk: int | MISSING = MISSING
    """Its number, from 1."""
    total_chunks: int | MISSING = MISSING
    """How many there are."""
    expires_at: str | MISSING = MISSING
    """Until when get_cached_chunk has them."""
    cache_key: str | MISSING = MISSING
    """Reads on what was found."""
    has_more: bool | MISSING = MISSING
    """Whether chunks follow."""


class SessionReflectionStatsParams(Model):
    """Parameters of session_reflection_stats."""

    model_config = ConfigDict(
        extra="forbid",
    )


class SessionReflectionStatsResult(Model):
    """The success of session_reflection_stats."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    total_conversations: int
    """Stored vCons."""
    total_reflections: int
    """Stored reflections."""
    projects_tracked: int
    """Projects they belong to."""
    embedding_coverage: float
    """Percent of the text that is found by meaning."""
    storage_size_mb: float
    """Megabytes of tables and archive."""
    storage_size_is_estimate: bool | MISSING = MISSING
    """Whether tenants share the tables."""
    oldest_conversation: str | None
    """When it was."""
    most_recent: str | None
    """When it was."""


class SessionSearchByConceptParams(Model):
    """Parameters of session_search_by_concept."""

    model_config = ConfigDict(
        extra="forbid",
    )
    concept: str
    """Words or a phrase."""
    include_files: bool = True
    """With files."""
    limit: int = 10
    """Page size."""
    project: str | None | MISSING = MISSING
    """Name or absolute root; default all."""


class SessionSearchByConceptResult(Model):
    """The success of session_search_by_concept."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Matches before limit."""
    total_is_exact: bool
    """Whether there are no more."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    best_below_threshold: float | MISSING = MISSING
    """The best score below 0.5."""
    suggestions: list[str] | MISSING = MISSING
    """What to send instead, and other search terms."""
    notice: str | MISSING = MISSING
    """Why meaning was not searched."""
    embedding_coverage: float | MISSING = MISSING
    """Share of the text found by meaning, when below 1."""
    related_files: list[SessionSearchByConceptResultRelatedFilesEntry] | MISSING = MISSING
    """Files of the results."""
    chunked: bool | MISSING = MISSING
    """Whether this is a part of a long answer."""
    current_chunk: int | MISSING = MISSING
    """Its number, from 1."""
    total_chunks: int | MISSING = MISSING
    """How many there are."""
    expires_at: str | MISSING = MISSING
    """Until when get_cached_chunk has them."""
    cache_key: str | MISSING = MISSING
    """Reads on what was found."""
    has_more: bool | MISSING = MISSING
    """Whether chunks follow."""


class SessionSearchByConceptResultRelatedFilesEntry(Model):
    """One entry of `related_files` of SessionSearchByConceptResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    path: str
    """Its path."""
    count: int
    """Results it occurs in."""


class SessionSearchByFileParams(Model):
    """Parameters of session_search_by_file."""

    model_config = ConfigDict(
        extra="forbid",
    )
    file_path: str
    """Path, its end, or folder/."""
    limit: int = 10
    """Page size."""
    project: str | None | MISSING = MISSING
    """Name or absolute root; default all."""


class SessionSearchByFileResult(Model):
    """The success of session_search_by_file."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Matches before limit."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    suggestions: list[str] | MISSING = MISSING
    """What to send instead, and other search terms."""
    chunked: bool | MISSING = MISSING
    """Whether this is a part of a long answer."""
    current_chunk: int | MISSING = MISSING
    """Its number, from 1."""
    total_chunks: int | MISSING = MISSING
    """How many there are."""
    expires_at: str | MISSING = MISSING
    """Until when get_cached_chunk has them."""
    cache_key: str | MISSING = MISSING
    """Reads on what was found."""
    has_more: bool | MISSING = MISSING
    """Whether chunks follow."""


class SessionStatusParams(Model):
    """Parameters of session_status."""

    model_config = ConfigDict(
        extra="forbid",
    )
    working_directory: str | MISSING = MISSING
    """Instead of the session's."""
    session_id: str | MISSING = MISSING
    """From init; needed when several are active."""


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
    leftover_sessions: list[LeftoverSession] | MISSING = MISSING
    """
    Active sessions of this caller that nobody holds any more, in any project; absent when the store is
    down.
    """
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


class SessionStoreReflectionParams(Model):
    """Parameters of session_store_reflection."""

    model_config = ConfigDict(
        extra="forbid",
    )
    content: str
    """The insight."""
    tags: list[str] | MISSING = MISSING
    """Such as insight, solution, pattern."""


class SessionStoreReflectionResult(Model):
    """The success of session_store_reflection."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    reflection_id: str
    """Its id."""
    stored_at: str
    """When it was stored first."""
    embedding_generated: bool
    """Whether it is found by meaning already."""
    tags_applied: list[str]
    """Its tags as stored."""
    project: str | None
    """The session's project."""
    session_id: str | MISSING = MISSING
    """The session it belongs to."""
    duplicate: bool | MISSING = MISSING
    """Whether the same text was there."""
    embedding_pending: bool | MISSING = MISSING
    """Whether it will be found by meaning soon."""
    redactions: int | MISSING = MISSING
    """Secrets that were replaced."""


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
