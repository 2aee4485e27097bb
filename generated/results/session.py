"""Results of the tools and contents of the resources of the `session` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class CheckResult(TypedDict):
    """One thing looked at."""

    ok: bool
    """Whether it is in order."""
    detail: str
    """What was found."""
    ms: int
    """Milliseconds it took."""


class DependencySync(TypedDict):
    """What became of bringing dependencies up to date."""

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
    """Tracked files that differ from it."""
    untracked_files: int
    """Files git does not know."""
    worktree: str
    """Folder of the work tree."""


class HealthCheck(TypedDict):
    """One check."""

    name: str
    """Its name."""
    weight: int
    """Most points."""
    points: float
    """Points it has."""
    detail: str
    """The fact behind it."""


class LearnedReflection(TypedDict):
    """Something that was learned in the project."""

    reflection_id: str
    """Its id."""
    text: str
    """What was stored; after 300 characters … and the id."""
    tags: list[str]
    """Its tags."""
    stored_at: str
    """When it was stored first."""


class LeftoverSession(TypedDict):
    """An active session that nobody holds any more."""

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


class MemoryResult(TypedDict):
    """One exchange, dialog or reflection."""

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
    kind: NotRequired[str]
    """exchange (with an agent), dialog (of a call, chat or mail) or reflection; may grow."""
    id: str
    """The vCon's uuid or the reflection's id."""
    matched_by: str
    """semantic, text, both or path; may grow."""
    path: NotRequired[str]
    """The transcript; memory's read takes it."""
    line_start: NotRequired[int]
    """Its first line there."""
    line_end: NotRequired[int]
    """Its last line there."""
    tags: NotRequired[list[str]]
    """A reflection's tags."""
    strength: NotRequired[str]
    """How far from chance: strong, fair or weak; may grow."""
    more_in_conversation: NotRequired[int]
    """Further matches in the same conversation, later in the list."""
    files: NotRequired[list[FoundFile]]
    """Files of that exchange, edited first."""
    matches: NotRequired[list[MemoryResultMatchesEntry]]
    """The paths that matched."""


class MemoryResultMatchesEntry(TypedDict):
    """One entry of `matches` of MemoryResult."""

    path: str
    """The path as it was stored."""
    operation: str
    """add, edit, delete, rename, read or mention; may grow."""
    match: str
    """exact, suffix, folder or text; may grow."""
    line: NotRequired[int]
    """The first line of its exchange."""


class NextCall(TypedDict):
    """A call to make next."""

    tool: str
    """Its name as served."""
    arguments: dict[str, Any]
    """What to send."""


class PreviousSession(TypedDict):
    """A session that is over."""

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
    """What it stored; after 300 characters … and the id of the whole."""
    handoff_file_path: str | None
    """The file it left for people."""
    commits: NotRequired[list[str]]
    """Short hash and subject of each of its commits, newest first."""
    files_changed: NotRequired[list[str]]
    """Files that differed at its end from its beginning, at most 50."""


class ProjectContext(TypedDict):
    """The project around the working directory."""

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


class QualityScore(TypedDict):
    """Scores of 0 to 100."""

    overall: int
    """0.6, 0.2 and 0.2 of the parts that apply, and 0.2 of session where it is reported."""
    project_health: int
    """The health score."""
    permissions: int
    """What may be read and written."""
    tools_available: int
    """Package manager, git and language runtime."""
    not_applicable: NotRequired[list[str]]
    """Parts that do not apply and are 0."""
    session: NotRequired[int]
    """Only while something goes wrong in the session: 50, or 0 for several things."""


class SearchScope(TypedDict):
    """Where was looked."""

    projects: list[str]
    """The projects: names, or roots where known; empty is all."""
    related: list[str]
    """Roots of related projects looked in too."""
    sources: list[str]
    """Kinds of memory."""
    unknown_project: NotRequired[bool]
    """Whether nobody knows the project."""


class SessionCheckpointResult(TypedDict):
    """The success of session_checkpoint."""

    success: Literal[True]
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
    working_directory: NotRequired[str | None]
    """The folder of the session."""
    session_started: NotRequired[bool]
    """No longer sent: a checkpoint needs a session."""


class SessionCheckpointResultGit(TypedDict):
    """The git checkpoint."""

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


class SessionCheckpointResultWorkflowInsights(TypedDict):
    """Numbers of the session; null where not knowable."""

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


class SessionEndResult(TypedDict):
    """The success of session_end."""

    success: Literal[True]
    final_quality_score: int
    """The overall score now."""
    learning_captured: SessionEndResultLearningCaptured
    """What was stored in this session; after 300 characters … and the id of the whole."""
    handoff_file_created: bool
    """Whether the file is there."""
    handoff_file_path: NotRequired[str]
    """Where it is."""
    handoff_skipped: NotRequired[str]
    """Why there is none."""
    transcripts_imported: NotRequired[SessionEndResultTranscriptsImported]
    """The project's transcripts brought in, where that is switched on."""
    memory_persisted: bool
    """Whether the end of the session is stored."""
    cleanup_performed: bool
    """Whether cleaning up went without error."""
    cleanup: SessionEndResultCleanup
    """What was cleaned up."""


class SessionEndResultCleanup(TypedDict):
    """What was cleaned up."""

    cache_entries: int
    """Expired cached results."""
    stale_sessions: int
    """Sessions now abandoned."""
    handoff_files: int
    """Old handoff files."""


class SessionEndResultLearningCaptured(TypedDict):
    """What was stored in this session; after 300 characters … and the id of the whole."""

    insights: list[str]
    """Tagged insight, or none of the three."""
    solutions: list[str]
    """Tagged solution."""
    patterns: list[str]
    """Tagged pattern."""


class SessionEndResultTranscriptsImported(TypedDict):
    """The project's transcripts brought in, where that is switched on."""

    files: int
    """Transcripts looked at."""
    exchanges: int
    """Exchanges stored."""
    failed: int
    """Files that could not be read."""


class SessionGetCachedChunkResult(TypedDict):
    """The success of session_get_cached_chunk."""

    success: Literal[True]
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


class SessionGetMoreResultsResult(TypedDict):
    """The success of session_get_more_results."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    has_more: bool
    """Whether results follow; in a chunk, whether chunks do."""
    total_available: int
    """Length of the list."""
    cache_key: str
    """Reads on what was found."""
    notice: NotRequired[str]
    """That the default offset skips results which were not shown."""
    gone: NotRequired[int]
    """Left out because they were deleted since."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long answer."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """Until when get_cached_chunk has them."""


class SessionInitResult(TypedDict):
    """The success of session_init."""

    success: Literal[True]
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
    leftover_sessions: NotRequired[list[LeftoverSession]]
    """
    Active sessions of this caller that nobody holds any more, in any project; absent when the store is
    down.
    """
    previous_session: PreviousSession | None
    """The project's last session that is over."""
    learning: NotRequired[list[LearnedReflection]]
    """The most useful of what all its sessions stored: recent, repeated, important."""


class SessionQuickSearchResult(TypedDict):
    """The success of session_quick_search."""

    success: Literal[True]
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
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    notice: NotRequired[str]
    """Why meaning was not searched, or that only the nearest are shown."""
    next: NotRequired[NextCall]


class SessionReflectOnPastResult(TypedDict):
    """The success of session_reflect_on_past."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Matches before limit."""
    total_is_exact: bool
    """Whether there are no more."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    best_below_threshold: NotRequired[float]
    """The best score below min_score."""
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    notice: NotRequired[str]
    """Why meaning was not searched, or that only the nearest are shown."""
    embedding_coverage: NotRequired[float]
    """Share of the text found by meaning, when below 1."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long answer."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """Until when get_cached_chunk has them."""
    cache_key: NotRequired[str]
    """Reads on what was found."""
    has_more: NotRequired[bool]
    """Whether chunks follow."""


class SessionReflectionStatsResult(TypedDict):
    """The success of session_reflection_stats."""

    success: Literal[True]
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
    storage_size_is_estimate: NotRequired[bool]
    """Whether tenants share the tables."""
    oldest_conversation: str | None
    """When it was."""
    most_recent: str | None
    """When it was."""


class SessionSearchByConceptResult(TypedDict):
    """The success of session_search_by_concept."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Matches before limit."""
    total_is_exact: bool
    """Whether there are no more."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    best_below_threshold: NotRequired[float]
    """The best score below 0.5."""
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    notice: NotRequired[str]
    """Why meaning was not searched, or that only the nearest are shown."""
    embedding_coverage: NotRequired[float]
    """Share of the text found by meaning, when below 1."""
    related_files: NotRequired[list[SessionSearchByConceptResultRelatedFilesEntry]]
    """Files of the results."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long answer."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """Until when get_cached_chunk has them."""
    cache_key: NotRequired[str]
    """Reads on what was found."""
    has_more: NotRequired[bool]
    """Whether chunks follow."""


class SessionSearchByConceptResultRelatedFilesEntry(TypedDict):
    """One entry of `related_files` of SessionSearchByConceptResult."""

    path: str
    """Its path."""
    count: int
    """Results it occurs in."""


class SessionSearchByFileResult(TypedDict):
    """The success of session_search_by_file."""

    success: Literal[True]
    results: list[MemoryResult]
    """Best first."""
    total_found: int
    """Matches before limit."""
    search_strategy: str
    """semantic, text_fallback or path; may grow."""
    scope: SearchScope
    suggestions: NotRequired[list[str]]
    """What to send instead, and other search terms."""
    next: NotRequired[NextCall]
    chunked: NotRequired[bool]
    """Whether this is a part of a long answer."""
    current_chunk: NotRequired[int]
    """Its number, from 1."""
    total_chunks: NotRequired[int]
    """How many there are."""
    expires_at: NotRequired[str]
    """Until when get_cached_chunk has them."""
    cache_key: NotRequired[str]
    """Reads on what was found."""
    has_more: NotRequired[bool]
    """Whether chunks follow."""


class SessionStatusResult(TypedDict):
    """The success of session_status."""

    success: Literal[True]
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
    leftover_sessions: NotRequired[list[LeftoverSession]]
    """
    Active sessions of this caller that nobody holds any more, in any project; absent when the store is
    down.
    """
    health_checks: SessionStatusResultHealthChecks
    """What was looked at."""


class SessionStatusResultHealthChecks(TypedDict):
    """What was looked at."""

    store: CheckResult
    schema: CheckResult
    embeddings: CheckResult
    git: CheckResult
    working_directory: CheckResult


class SessionStatusResultMemorySystemStatus(TypedDict):
    """The memory; counts are null when the store is down."""

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


class SessionStatusResultPermissionsStatus(TypedDict):
    """What this process may do."""

    checks: dict[str, bool]
    """Each permission that applies."""
    allowed_roots: list[str]
    """Folders that sessions may work in."""
    opt_ins: dict[str, bool]
    """What the operator switched on for this project."""


class SessionStoreReflectionResult(TypedDict):
    """The success of session_store_reflection."""

    success: Literal[True]
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
    session_id: NotRequired[str]
    """The session it belongs to."""
    replaced: NotRequired[bool]
    """Whether it took the place of another text, which is gone."""
    duplicate: NotRequired[bool]
    """Whether the same text was there."""
    embedding_pending: NotRequired[bool]
    """Whether it will be found by meaning soon."""
    redactions: NotRequired[int]
    """Secrets that were replaced."""


class StructureAnalysis(TypedDict):
    """What was seen there."""

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
