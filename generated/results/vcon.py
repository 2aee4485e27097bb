"""Results of the tools and contents of the resources of the `vcon` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class AddAnalysisResult(TypedDict):
    """The success of add_analysis."""

    success: Literal[True]
    message: str
    """What was done."""
    analysis_index: int
    """Its index in analysis."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class AddAttachmentResult(TypedDict):
    """The success of add_attachment."""

    success: Literal[True]
    message: str
    """What was done."""
    attachment_index: int
    """Its index in attachments."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class AddDialogResult(TypedDict):
    """The success of add_dialog."""

    success: Literal[True]
    message: str
    """What was done."""
    dialog_index: int
    """Its index in dialog."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class AddTagResult(TypedDict):
    """The success of add_tag."""

    success: Literal[True]
    message: str
    """What was done."""
    key: str
    """Key of the tag, without a colon."""
    value: int | str | float | bool
    """String, number or boolean. The type is kept."""
    previous_value: NotRequired[int | str | float | bool]
    """Former value. Absent if the tag is new."""


class AnalysisBodyContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/analysis/{index}/body."""

    index: int
    """Its place in the array."""
    offset: int
    """Offset of this part."""
    length: int
    """Characters of the whole body."""
    next_offset: int | None
    """Offset of the next part; null after the last one."""
    mediatype: NotRequired[str]
    """What the body is, if it says."""
    encoding: NotRequired[str]
    """How the body is written, if it says."""
    body: str
    """At most 240,000 characters of the body; JSON text where it is no text."""


class AnalysisOfTypeContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/analysis/type/{type}."""

    count: int
    """Number of analyses."""
    type: str
    """The type that was asked for."""
    analysis: list[dict[str, Any]]
    """As stored."""


class AnalysisTextsEntry(TypedDict):
    """One entry of the shape AnalysisTexts."""

    analysis_index: int
    """Index in analysis."""
    type: NotRequired[str]
    """The kind of analysis."""
    vendor: NotRequired[str]
    """Who made it."""
    product: NotRequired[str]
    """Product that made it."""
    schema: NotRequired[str]
    """The form of the body."""
    dialog: NotRequired[int | list[int]]
    """One index or several."""
    text: str
    """Text of the body, in any encoding."""


class AnalysisTypesContent(TypedDict):
    """The content of vcon://v1/discovery/analysis/types."""

    count: int
    """Number of types."""
    has_more: NotRequired[bool]
    """True when there are more than are listed."""
    analysis_types: list[ValueCountsEntry]
    """Values in use, most used first."""


class AnalyzeQueryResult(TypedDict):
    """The success of analyze_query."""

    success: Literal[True]
    query_analysis: AnalyzeQueryResultQueryAnalysis
    """The plan and what to check in it."""


class AnalyzeQueryResultQueryAnalysis(TypedDict):
    """The plan and what to check in it."""

    mode: str
    """The requested mode."""
    plan: dict[str, Any]
    """
    The top node of EXPLAIN (FORMAT JSON), with others in Plans. For a tenant, the plan is made on empty
    tables.
    """
    total_cost: float
    """Expected cost of the plan, in the planner's units."""
    plan_rows: float
    """Expected rows of the plan."""
    planning_time_ms: NotRequired[float]
    """Milliseconds of planning."""
    execution_time_ms: NotRequired[float]
    """Milliseconds of running. Only with explain_analyze."""
    actual_rows: NotRequired[float]
    """Rows returned by the query. Only with explain_analyze."""
    notes: list[str]
    """What to check."""


class AttachmentBodyContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/attachments/{index}/body."""

    index: int
    """Its place in the array."""
    offset: int
    """Offset of this part."""
    length: int
    """Characters of the whole body."""
    next_offset: int | None
    """Offset of the next part; null after the last one."""
    mediatype: NotRequired[str]
    """What the body is, if it says."""
    encoding: NotRequired[str]
    """How the body is written, if it says."""
    body: str
    """At most 240,000 characters of the body; JSON text where it is no text."""


class AttachmentPurposesContent(TypedDict):
    """The content of vcon://v1/discovery/attachments/purposes."""

    count: int
    """Number of purposes."""
    has_more: NotRequired[bool]
    """True when there are more than are listed."""
    attachment_purposes: list[ValueCountsEntry]
    """Values in use, most used first."""


class AttachmentTypesContent(TypedDict):
    """The content of vcon://v1/discovery/attachments/types."""

    count: int
    """Number of types."""
    has_more: NotRequired[bool]
    """True when there are more than are listed."""
    attachment_types: list[ValueCountsEntry]
    """Values in use, most used first."""


class AttachmentsOfPurposeContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/attachments/purpose/{purpose}."""

    count: int
    """Number of attachments."""
    purpose: str
    """The purpose that was asked for."""
    attachments: list[dict[str, Any]]
    """As stored."""


class AttachmentsOfTypeContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/attachments/type/{type}."""

    count: int
    """Number of attachments."""
    type: str
    """The type that was asked for."""
    attachments: list[dict[str, Any]]
    """As stored."""


class Conformance(TypedDict):
    """Whether the stored vCon conforms to the schema of its version."""

    version: str
    """The schema version checked against."""
    valid: bool
    """Whether there are no violations."""
    violations: list[ViolationsEntry]
    """Violations, each with its path from the root of the arguments."""
    violation_count: int
    """Number of violations, including those beyond the 50 listed."""
    unsupported_critical: NotRequired[list[str]]
    """Names in critical that this server does not support."""


class CorrectionsEntry(TypedDict):
    """One entry of the shape Corrections."""

    word: str
    """The word of the query."""
    used: str
    """The word searched instead."""
    similarity: float
    """How close they are."""


class Counts(TypedDict):
    """Lengths of the four arrays."""

    parties: int
    """Number of parties."""
    dialog: int
    """Number of dialogs."""
    analysis: int
    """Number of analyses."""
    attachments: int
    """Number of attachments."""


class CreateVconFromTemplateResult(TypedDict):
    """The success of create_vcon_from_template."""

    success: Literal[True]
    uuid: str
    """The uuid of the stored vCon."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon with all stored members under their current names. get_schema returns its schema."""
    vcon_omitted: NotRequired[bool]
    """True if the vCon is too large to be returned here."""
    conformance: Conformance
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class CreateVconResult(TypedDict):
    """The success of create_vcon."""

    success: Literal[True]
    uuid: str
    """The uuid of the stored vCon."""
    created_at: str
    """When the conversation was made."""
    updated_at: str
    """When it was stored."""
    conformance: Conformance
    translated: list[TranslatedEntry]
    """Members renamed from legacy names."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon with all stored members under their current names. get_schema returns its schema."""
    vcon_omitted: NotRequired[bool]
    """True if the vCon is too large to be returned here."""


class DeleteVconResult(TypedDict):
    """The success of delete_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    deleted_uuid: str
    """UUID of the deleted vCon."""
    deleted: Counts


class DialogBodyContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/dialog/{index}/body."""

    index: int
    """Its place in the array."""
    offset: int
    """Offset of this part."""
    length: int
    """Characters of the whole body."""
    next_offset: int | None
    """Offset of the next part; null after the last one."""
    mediatype: NotRequired[str]
    """What the body is, if it says."""
    encoding: NotRequired[str]
    """How the body is written, if it says."""
    body: str
    """At most 240,000 characters of the body; JSON text where it is no text."""


class EmbeddingIndex(TypedDict):
    """Progress of embedding. Pending passages are found by words only."""

    model: str
    """The model whose vectors were searched."""
    embedded: int
    """Passages with a vector."""
    pending: int
    """Passages without a vector."""


class GetAllTagsResult(TypedDict):
    """The success of get_all_tags."""

    success: Literal[True]
    message: str
    """Number of tags."""
    vcon_uuid: str
    """The vCon's uuid."""
    tags: dict[str, int | str | float | bool]
    """Tags with their typed values."""
    count: int
    """Number of tags."""


class GetDatabaseShapeResult(TypedDict):
    """The success of get_database_shape."""

    success: Literal[True]
    database_shape: GetDatabaseShapeResultDatabaseShape
    """
    Tables of the schema vcontract. Parts that you excluded are absent. Sizes are for the local user
    only.
    """


class GetDatabaseShapeResultDatabaseShape(TypedDict):
    """
    Tables of the schema vcontract. Parts that you excluded are absent. Sizes are for the local user
    only.
    """

    timestamp: str
    """Time of reading, RFC 3339 in UTC."""
    tables: list[GetDatabaseShapeResultDatabaseShapeTablesEntry]
    """Tables and views, those that analyze_query may read first. Others only with include_internal."""
    relationships: list[GetDatabaseShapeResultDatabaseShapeRelationshipsEntry]
    """Foreign keys, one entry per column."""


class GetDatabaseShapeResultDatabaseShapeRelationshipsEntry(TypedDict):
    """One entry of `relationships` of GetDatabaseShapeResultDatabaseShape."""

    from_table: str
    """The table that refers."""
    from_column: str
    """Its column."""
    to_table: str
    """The table referred to."""
    to_column: str
    """Its column."""


class GetDatabaseShapeResultDatabaseShapeTablesEntry(TypedDict):
    """One entry of `tables` of GetDatabaseShapeResultDatabaseShape."""

    name: str
    """Its name."""
    schema: str
    """Its schema, vcontract."""
    analyzable: NotRequired[bool]
    """Whether analyze_query may read it."""
    row_count: NotRequired[int]
    """Number of rows: of all tenants for the local user, otherwise of the caller's tenant."""
    row_count_exact: NotRequired[bool]
    """Whether row_count is exact. Otherwise it is the planner's estimate."""
    total_size: NotRequired[str]
    """Size with indexes and partitions, as text."""
    total_size_bytes: NotRequired[int]
    """The same in bytes."""
    table_size: NotRequired[str]
    """Size without indexes, as text."""
    table_size_bytes: NotRequired[int]
    """The same in bytes."""
    indexes_size: NotRequired[str]
    """Size of all its indexes, as text."""
    indexes_size_bytes: NotRequired[int]
    """The same in bytes."""
    indexes: NotRequired[list[GetDatabaseShapeResultDatabaseShapeTablesEntryIndexesEntry]]
    """Its indexes, by name."""
    columns: NotRequired[list[GetDatabaseShapeResultDatabaseShapeTablesEntryColumnsEntry]]
    """Its columns, in order."""


class GetDatabaseShapeResultDatabaseShapeTablesEntryColumnsEntry(TypedDict):
    """One entry of `columns` of GetDatabaseShapeResultDatabaseShapeTablesEntry."""

    column_name: str
    """Its name."""
    data_type: str
    """Its SQL type."""
    is_nullable: str
    """YES if it may be null, otherwise NO."""


class GetDatabaseShapeResultDatabaseShapeTablesEntryIndexesEntry(TypedDict):
    """One entry of `indexes` of GetDatabaseShapeResultDatabaseShapeTablesEntry."""

    indexname: str
    """Its name."""
    index_type: str
    """The access method: btree, gin, hnsw and others."""
    index_size: NotRequired[str]
    """Its size, as text."""
    index_size_bytes: NotRequired[int]
    """The same in bytes."""
    is_unique: bool
    """Whether it is unique."""
    is_primary: bool
    """Whether it is of the primary key."""


class GetDatabaseStatsResult(TypedDict):
    """The success of get_database_stats."""

    success: Literal[True]
    database_stats: GetDatabaseStatsResultDatabaseStats
    """The statistics. Parts that you excluded are absent."""


class GetDatabaseStatsResultDatabaseStats(TypedDict):
    """The statistics. Parts that you excluded are absent."""

    timestamp: str
    """Time of reading, RFC 3339 in UTC."""
    stats_reset: NotRequired[str]
    """Start of counting. Absent if it was never reset."""
    cache_stats: NotRequired[GetDatabaseStatsResultDatabaseStatsCacheStats]
    """Blocks of tables that were found in memory."""
    table_stats: NotRequired[list[GetDatabaseStatsResultDatabaseStatsTableStatsEntry]]
    """Use of each table, by name."""
    query_stats_available: NotRequired[bool]
    """Whether pg_stat_statements is installed."""
    query_stats: NotRequired[list[GetDatabaseStatsResultDatabaseStatsQueryStatsEntry]]
    """The ten statements with the longest total time, without constants."""
    index_usage: NotRequired[list[GetDatabaseStatsResultDatabaseStatsIndexUsageEntry]]
    """Use of each index."""
    unused_indexes: NotRequired[list[GetDatabaseStatsResultDatabaseStatsUnusedIndexesEntry]]
    """Unused indexes that are neither unique nor primary, largest first."""


class GetDatabaseStatsResultDatabaseStatsCacheStats(TypedDict):
    """Blocks of tables that were found in memory."""

    hit_ratio: str
    """Cache hit rate, such as 99.12%. n/a before any read."""
    heap_blocks_hit: int
    """Number of blocks found in memory."""
    heap_blocks_read: int
    """Number of blocks read from disk."""


class GetDatabaseStatsResultDatabaseStatsIndexUsageEntry(TypedDict):
    """One entry of `index_usage` of GetDatabaseStatsResultDatabaseStats."""

    table_name: str
    """Its table."""
    index_name: str
    """The index."""
    scans: int
    """Number of scans."""
    rows_read: int
    """Entries read from it."""


class GetDatabaseStatsResultDatabaseStatsQueryStatsEntry(TypedDict):
    """One entry of `query_stats` of GetDatabaseStatsResultDatabaseStats."""

    query: str
    """The statement."""
    calls: int
    """Number of executions."""
    rows: int
    """Total number of rows."""
    total_ms: float
    """Total milliseconds."""
    mean_ms: float
    """Average milliseconds."""


class GetDatabaseStatsResultDatabaseStatsTableStatsEntry(TypedDict):
    """One entry of `table_stats` of GetDatabaseStatsResultDatabaseStats."""

    table_name: str
    """The table."""
    sequential_scans: int
    """Number of sequential scans."""
    index_scans: int
    """Number of index scans."""
    inserts: int
    """Rows inserted."""
    updates: int
    """Rows updated."""
    deletes: int
    """Rows deleted."""
    live_rows: int
    """Estimated number of rows."""
    dead_rows: int
    """Estimated number of dead rows."""


class GetDatabaseStatsResultDatabaseStatsUnusedIndexesEntry(TypedDict):
    """One entry of `unused_indexes` of GetDatabaseStatsResultDatabaseStats."""

    table_name: str
    """Its table."""
    index_name: str
    """The index."""
    index_size: str
    """Its size, as text."""
    index_size_bytes: int
    """The same in bytes."""


class GetExamplesResult(TypedDict):
    """The success of get_examples."""

    success: Literal[True]
    example_type: str
    """What the example shows."""
    format: str
    """Format of vcon."""
    vcon: dict[str, Any] | str
    """The example, as an object or YAML text."""


class GetSchemaResult(TypedDict):
    """The success of get_schema."""

    success: Literal[True]
    format: str
    """The language of the schema."""
    version: str
    """The vCon version it describes."""
    schema: dict[str, Any] | str
    """The schema: text for typescript, otherwise an object."""


class GetTagResult(TypedDict):
    """The success of get_tag."""

    success: Literal[True]
    message: str
    """Says whether the tag exists."""
    key: str
    """Key of the tag, without a colon."""
    value: Any
    """The tag's value, the default, or null."""
    exists: bool
    """Whether the vCon has the tag."""


class GetUniqueTagsResult(TypedDict):
    """The success of get_unique_tags."""

    success: Literal[True]
    message: str
    """Says how many keys there are."""
    unique_keys: list[str]
    """The keys, sorted."""
    unique_key_count: int
    """Number of keys."""
    tags_by_key: dict[str, list[str]]
    """Up to 1,000 values of each key as text, most used first."""
    counts_per_value: NotRequired[dict[str, dict[str, int]]]
    """Number of vCons by key and value. Only with include_counts."""
    truncated_keys: NotRequired[dict[str, int]]
    """Number of values of each key that has more than are listed."""
    total_vcons_with_tags: int
    """Number of vCons with any tag, without filters."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class GetVconResult(TypedDict):
    """The success of get_vcon."""

    success: Literal[True]
    vcon: dict[str, Any]
    """A vCon with all stored members under their current names. get_schema returns its schema."""
    metadata: NotRequired[VconMetadata]
    converted: NotRequired[list[WarningsEntry]]
    """With vcon_version: what was inferred, moved, or kept in the member kept_from. Absent if nothing."""
    signature: NotRequired[GetVconResultSignature]
    """State of the signature. Absent if it is not signed."""
    versions: NotRequired[GetVconResultVersions]
    """Only when version is given."""


class GetVconResultSignature(TypedDict):
    """State of the signature. Absent if it is not signed."""

    status: Literal["verified", "unverified", "broken"]
    """
    broken: differs from what was signed. unverified: no trusted key or certificate made it; will not
    grow.
    """
    message: str
    """What it means."""


class GetVconResultVersions(TypedDict):
    """Only when version is given."""

    asked: str
    """The requested UUID."""
    given: str
    """UUID of the returned version."""
    chain: list[GetVconResultVersionsChainEntry]
    """Its ancestors, itself and its amended versions, oldest first."""
    complete: bool
    """False if an earlier version is not stored, or the chain has more than 32 steps."""
    forked: NotRequired[bool]
    """True if a vCon was amended more than once and the newest version was followed. Otherwise absent."""


class GetVconResultVersionsChainEntry(TypedDict):
    """One entry of `chain` of GetVconResultVersions."""

    uuid: str
    """UUID of the vCon."""
    relation: Literal["original", "amended", "redacted"]
    """Relation to the previous one; will not grow."""
    created_at: str
    """RFC 3339."""


class HintsEntry(TypedDict):
    """One entry of the shape Hints."""

    reason: str
    """
    Nothing matches: nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has
    the first and the last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen,
    words_never_together, demands_never_together, not_by_speaker, below_threshold or vectors_pending.
    Weak matches only, at most five: only_weak_matches. The query is a UUID: query_is_a_vcon. How a word
    of the query was read: date_in_query, field_in_query, part_of_a_number, no_wildcard, no_operator or
    words_joined; may grow.
    """
    message: str
    """The reason in a sentence."""
    filter: NotRequired[str]
    """The filter that it is about."""
    nearest: NotRequired[list[dict[str, Any]]]
    """Similar known values."""
    suggestion: NotRequired[dict[str, Any]]
    """Arguments to send instead, or another tool with its arguments."""


class RecentVconIdsContent(TypedDict):
    """The content of vcon://v1/vcons/recent/ids."""

    count: int
    """Number of vCons in this response."""
    limit: int
    """Most vCons that were asked for."""
    vcons: list[VconIdsEntry]
    """vCons without their content, newest first."""


class RecentVconsContent(TypedDict):
    """The content of vcon://v1/vcons/recent."""

    count: int
    """Number of vCons in this response."""
    limit: int
    """Most vCons that were asked for."""
    has_more: NotRequired[bool]
    """True when not all that were asked for fit into one answer."""
    vcons: list[dict[str, Any]]
    """Newest first."""


class RemoveAllTagsResult(TypedDict):
    """The success of remove_all_tags."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    removed_count: int
    """Former number of tags."""


class RemoveTagResult(TypedDict):
    """The success of remove_tag."""

    success: Literal[True]
    message: str
    """What was done."""
    key: str
    """Key of the tag, without a colon."""
    removed: bool
    """Whether the tag existed."""
    previous_value: NotRequired[int | str | float | bool]
    """Former value."""


class SearchByTagsResult(TypedDict):
    """The success of search_by_tags."""

    success: Literal[True]
    message: str
    """Summary of the result."""
    count: int
    """Number of vCons in this response."""
    tags_searched: dict[str, str]
    """The compared tags as text."""
    vcon_uuids: list[str]
    """UUIDs of the vCons, newest first."""
    vcons: list[dict[str, Any]]
    """The vCons in the same order."""
    has_more: bool
    """Whether another page follows at offset + count."""
    total: int
    """Number of matching vCons, up to 10,000."""
    total_relation: NotRequired[str]
    """at_least if there are more than total. Absent if total is exact."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class SearchVconsContentResult(TypedDict):
    """The success of search_vcons_content."""

    success: Literal[True]
    count: int
    """Number of hits in this response, several per vCon."""
    results: list[SearchVconsContentResultResultsEntry]
    """One hit per passage, best first, up to 10 per vCon."""
    matching: str
    """exact, or fuzzy if words were corrected."""
    corrections: NotRequired[list[CorrectionsEntry]]
    """Corrected words that no vCon contains."""
    word_counts: list[WordCountsEntry]
    """Number of vCons that contain each word, without filters."""
    has_more: bool
    """Whether another page follows."""
    total: int
    """Number of matching vCons, up to 10,000."""
    total_relation: NotRequired[str]
    """at_least if there are more than total."""
    ranked_newest: NotRequired[int]
    """No longer sent; the best candidates are ranked together."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class SearchVconsContentResultResultsEntry(TypedDict):
    """One entry of `results` of SearchVconsContentResult."""

    vcon_id: str
    """The vCon's uuid."""
    content_type: str
    """subject, dialog, analysis, attachment, party or trace (an agent's tools); may grow."""
    content_index: NotRequired[int]
    """Index in its array. Absent for subject and trace."""
    relevance_score: float
    """How well this passage matches."""
    turn: NotRequired[int]
    """Number of its turn, for turns of vcon_fetch."""
    speaker: NotRequired[str]
    """Speaker: name, address, role or number."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC."""
    snippet: NotRequired[str]
    """
    The turn if it has up to 400 characters, otherwise up to 300 characters. Words of the query are in
    <mark>…</mark>.
    """
    vcon: NotRequired[dict[str, Any]]
    """A vCon with its top-level members and parties, or the requested components."""


class SearchVconsHybridResult(TypedDict):
    """The success of search_vcons_hybrid."""

    success: Literal[True]
    count: int
    """Number of vCons in this response."""
    results: list[SearchVconsHybridResultResultsEntry]
    """One result per vCon, best first."""
    matching: str
    """exact, or fuzzy if words were corrected."""
    corrections: NotRequired[list[CorrectionsEntry]]
    """Corrected words that no vCon contains."""
    has_more: bool
    """Whether another page follows."""
    index: EmbeddingIndex
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class SearchVconsHybridResultResultsEntry(TypedDict):
    """One entry of `results` of SearchVconsHybridResult."""

    vcon_id: str
    """The vCon's uuid."""
    combined_score: float
    """
    Match of words and meaning in its best passage, weighted by semantic_weight. Not the sum of the two
    other scores.
    """
    keyword_score: float
    """Match of words."""
    semantic_score: float
    """Similarity of meaning."""
    strength: NotRequired[str]
    """strong, fair or weak. If all results are weak, at most five are returned; may grow."""
    turn: NotRequired[int]
    """The turn of the snippet, as turns of vcon_fetch takes it."""
    speaker: NotRequired[str]
    """Speaker: name, address, role or number."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC."""
    snippet: NotRequired[str]
    """
    Text with words of the query: the turn if it has up to 400 characters, otherwise up to 300
    characters.
    """
    vcon: NotRequired[dict[str, Any]]
    """A vCon with its top-level members and parties, or the requested components."""


class SearchVconsResult(TypedDict):
    """The success of search_vcons."""

    success: Literal[True]
    count: int
    """Number of vCons in this response."""
    vcons: list[dict[str, Any]]
    """Newest first."""
    has_more: bool
    """Whether another page follows."""
    total: int
    """Number of matching vCons, up to 10,000."""
    total_relation: NotRequired[str]
    """at_least if there are more than total."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class SearchVconsSemanticResult(TypedDict):
    """The success of search_vcons_semantic."""

    success: Literal[True]
    count: int
    """Number of vCons in this response."""
    results: list[SearchVconsSemanticResultResultsEntry]
    """One result per vCon, best first."""
    has_more: bool
    """Whether another page follows."""
    index: EmbeddingIndex
    best_below_threshold: NotRequired[float]
    """The best similarity, if none reached the threshold."""
    suggestions: NotRequired[list[str]]
    """What to do instead."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""


class SearchVconsSemanticResultResultsEntry(TypedDict):
    """One entry of `results` of SearchVconsSemanticResult."""

    vcon_id: str
    """The vCon's uuid."""
    similarity_score: float
    """Calibrated similarity of its best passage."""
    cosine: float
    """The cosine that the similarity was calibrated from."""
    strength: NotRequired[str]
    """strong, fair or weak. If all results are weak, at most five are returned; may grow."""
    matched_content: SearchVconsSemanticResultResultsEntryMatchedContent
    """Passages that reach the threshold, up to three per kind."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon with its top-level members and parties, or the requested components."""


class SearchVconsSemanticResultResultsEntryMatchedContent(TypedDict):
    """Passages that reach the threshold, up to three per kind."""

    subject: NotRequired[str]
    """The subject, if it is similar."""
    dialog_excerpts: NotRequired[list[SearchVconsSemanticResultResultsEntryMatchedContentDialogExcerptsEntry]]
    """Similar turns."""
    analysis_excerpts: NotRequired[list[SearchVconsSemanticResultResultsEntryMatchedContentAnalysisExcerptsEntry]]
    """Similar analyses."""
    attachment_excerpts: NotRequired[list[SearchVconsSemanticResultResultsEntryMatchedContentAttachmentExcerptsEntry]]
    """Similar attachments."""
    trace_excerpts: NotRequired[list[SearchVconsSemanticResultResultsEntryMatchedContentTraceExcerptsEntry]]
    """Similar tool use of an agent."""


class SearchVconsSemanticResultResultsEntryMatchedContentAnalysisExcerptsEntry(TypedDict):
    """One entry of `analysis_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    analysis_index: int
    """Index in analysis."""
    type: NotRequired[str]
    """The analysis type."""
    turn: NotRequired[int]
    """Number of its turn, for turns of vcon_fetch."""
    speaker: NotRequired[str]
    """Speaker: name, address, role or number."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC."""
    text: str
    """The turn if it has up to 400 characters, otherwise up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentAttachmentExcerptsEntry(TypedDict):
    """One entry of `attachment_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    attachment_index: int
    """Index in attachments."""
    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentDialogExcerptsEntry(TypedDict):
    """One entry of `dialog_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    dialog_index: int
    """Index in dialog."""
    turn: NotRequired[int]
    """Number of its turn, for turns of vcon_fetch."""
    speaker: NotRequired[str]
    """Speaker: name, address, role or number."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC."""
    text: str
    """The turn if it has up to 400 characters, otherwise up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentTraceExcerptsEntry(TypedDict):
    """One entry of `trace_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


TranslatedEntry = TypedDict(
    "TranslatedEntry",
    {
        "path": str,
        "from": str,
        "to": str,
    },
)


class UpdateTagsResult(TypedDict):
    """The success of update_tags."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    tags: dict[str, int | str | float | bool]
    """All tags of the vCon."""
    count: int
    """Number of tags."""
    added: list[str]
    """Added keys."""
    updated: list[str]
    """Changed keys."""
    removed: list[str]
    """Removed keys."""


class UpdateVconResult(TypedDict):
    """The success of update_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    uuid: str
    """The vCon's uuid."""
    updated_vcon: NotRequired[dict[str, Any]]
    """A vCon with all stored members under their current names. get_schema returns its schema."""
    vcon_omitted: NotRequired[bool]
    """True if the vCon is too large to be returned here."""
    changed: list[str]
    """The members that changed."""
    updated_at: str
    """When it was last changed, RFC 3339 in UTC."""
    conformance: Conformance
    translated: NotRequired[list[TranslatedEntry]]
    """Members renamed from legacy names."""
    warnings: NotRequired[list[WarningsEntry]]
    """Accepted input that you should check. Absent if empty."""


class ValueCountsEntry(TypedDict):
    """One entry of the shape ValueCounts."""

    value: str
    """The value."""
    count: int
    """Number of vCons that have it."""


class VconAnalysisContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/analysis."""

    analysis: list[dict[str, Any]]
    """As stored."""


class VconAttachmentsContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/attachments."""

    attachments: list[dict[str, Any]]
    """As stored."""


class VconContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}."""

    vcon: dict[str, Any]
    """A vCon with all stored members under their current names. get_schema returns its schema."""
    metadata: VconMetadata


class VconDialogContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/dialog."""

    dialog: list[dict[str, Any]]
    """As stored."""


class VconElementsContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/elements/{part}/{first}."""

    part: str
    """Which array."""
    first: int
    """The index of the first one."""
    total: int
    """How many elements the array has."""
    elements: list[dict[str, Any]]
    """
    One of more than 16,000 characters has the first 16,000 of its body, or none in base64url. It has no
    other member of more than 1,000.
    """


class VconIdsContent(TypedDict):
    """The content of vcon://v1/vcons/ids."""

    count: int
    """vCons on this page."""
    limit: int
    """Most vCons of one page."""
    has_more: bool
    """Whether older ones follow."""
    next_cursor: str | None
    """The cursor of the next page; null on the last."""
    vcons: list[VconIdsEntry]
    """vCons without their content, newest first."""


class VconIdsEntry(TypedDict):
    """One entry of the shape VconIds."""

    uuid: str
    """The vCon's uuid."""
    created_at: str
    """RFC 3339 in UTC."""
    began_at: NotRequired[str]
    """Start of its earliest dialog. Absent if it is created_at."""
    subject: NotRequired[str]
    """Subject. Absent if it has none."""


class VconMetadata(TypedDict):
    """Data that is stored in addition to the vCon."""

    basename: NotRequired[str]
    """The basename given at creation."""
    filename: NotRequired[str]
    """The file name given at creation."""
    tags: dict[str, int | str | float | bool]
    """Tags with their typed values."""
    counts: Counts
    conformance: VconMetadataConformance
    """Whether it conforms to the schema of its version."""
    stored_at: str
    """When it was stored, RFC 3339 in UTC."""
    updated_at: str
    """When it was last changed, RFC 3339 in UTC."""
    signed: NotRequired[bool]
    """True for a vCon stored from a signed form."""


class VconMetadataConformance(TypedDict):
    """Whether it conforms to the schema of its version."""

    version: str
    """The schema version checked against."""
    valid: bool
    """Whether there are no violations."""
    violation_count: int
    """Number of violations."""


class VconMetadataContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/metadata."""

    metadata: VconMetadata


class VconPartiesContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/parties."""

    parties: list[dict[str, Any]]
    """As stored."""


class VconSummaryContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/summary."""

    count: int
    """Number of summaries."""
    summaries: list[AnalysisTextsEntry]
    """Analyses with their text."""


class VconTagsContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/tags."""

    tags: dict[str, int | str | float | bool]
    """Tags with their typed values."""


class VconTranscriptContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/transcript."""

    count: int
    """Number of transcripts."""
    transcripts: list[AnalysisTextsEntry]
    """Analyses with their text."""


class ViolationsEntry(TypedDict):
    """One entry of the shape Violations."""

    path: str
    """Path, such as $.vcon_data.dialog[0].type."""
    rule: str
    """The violated rule."""
    message: str
    """What was found, what is allowed, what to do."""


class WarningsEntry(TypedDict):
    """One entry of the shape Warnings."""

    code: str
    """
    legacy_name, standard_base64, body_not_json, unsupported_critical, tag_ignored, would_violate,
    conversation_date_missing and others; may grow.
    """
    path: NotRequired[str]
    """Path in the vCon."""
    message: str
    """What it means."""


class WordCountsEntry(TypedDict):
    """One entry of the shape WordCounts."""

    word: str
    """The word."""
    vcons: int
    """Number of vCons that contain it, up to 10,000."""
    begun: NotRequired[list[str]]
    """For a prefix: the 12 shortest known words that begin with it."""
    languages: NotRequired[list[str]]
    """Languages in which it was searched by another stem than in English."""
