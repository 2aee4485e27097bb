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
    """What was accepted but deserves a look. Absent when empty."""


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
    """What was accepted but deserves a look. Absent when empty."""


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
    """What was accepted but deserves a look. Absent when empty."""


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
    """The value before; absent when the tag is new."""


class AnalysisBodyContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/analysis/{index}/body."""

    index: int
    """Its place in the array."""
    offset: int
    """Where this part begins."""
    length: int
    """Characters of the whole body."""
    next_offset: int | None
    """Where the next part begins; null behind the last."""
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
    """Its place in analysis."""
    type: NotRequired[str]
    """The kind of analysis."""
    vendor: NotRequired[str]
    """Who made it."""
    product: NotRequired[str]
    """With what."""
    schema: NotRequired[str]
    """The form of the body."""
    dialog: NotRequired[int | list[int]]
    """One index or several."""
    text: str
    """What it says, whatever the form of the body."""


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
    """The plan and what is worth a look in it."""


class AnalyzeQueryResultQueryAnalysis(TypedDict):
    """The plan and what is worth a look in it."""

    mode: str
    """The mode asked for."""
    plan: dict[str, Any]
    """
    The top node as EXPLAIN (FORMAT JSON) gives it, others in its Plans. The local user's is of the
    store; a tenant's, of empty tables, reckoned with as small.
    """
    total_cost: float
    """Expected cost of the plan, in the planner's units."""
    plan_rows: float
    """Expected rows of the plan."""
    planning_time_ms: NotRequired[float]
    """Milliseconds of planning."""
    execution_time_ms: NotRequired[float]
    """Milliseconds of running; only of explain_analyze."""
    actual_rows: NotRequired[float]
    """Rows the query found; only of explain_analyze."""
    notes: list[str]
    """What is worth a look."""


class AttachmentBodyContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/attachments/{index}/body."""

    index: int
    """Its place in the array."""
    offset: int
    """Where this part begins."""
    length: int
    """Characters of the whole body."""
    next_offset: int | None
    """Where the next part begins; null behind the last."""
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
    """Whether nothing was found."""
    violations: list[ViolationsEntry]
    """What does not fit, each with the path from the arguments' root."""
    violation_count: int
    """All findings, also those beyond the 50 listed."""
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
    """A vCon, every stored member under its current name; get_schema has its schema."""
    vcon_omitted: NotRequired[bool]
    """True when the stored vCon is too large to be returned here."""
    conformance: Conformance
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


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
    """What was accepted but deserves a look. Absent when empty."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon, every stored member under its current name; get_schema has its schema."""
    vcon_omitted: NotRequired[bool]
    """True when the stored vCon is too large to be returned here."""


class DeleteVconResult(TypedDict):
    """The success of delete_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    deleted_uuid: str
    """The uuid that is gone."""
    deleted: Counts


class DialogBodyContent(TypedDict):
    """The content of vcon://v1/vcons/{uuid}/dialog/{index}/body."""

    index: int
    """Its place in the array."""
    offset: int
    """Where this part begins."""
    length: int
    """Characters of the whole body."""
    next_offset: int | None
    """Where the next part begins; null behind the last."""
    mediatype: NotRequired[str]
    """What the body is, if it says."""
    encoding: NotRequired[str]
    """How the body is written, if it says."""
    body: str
    """At most 240,000 characters of the body; JSON text where it is no text."""


class EmbeddingIndex(TypedDict):
    """What is found by meaning; pending passages are found by words only, until they are embedded."""

    model: str
    """The model whose vectors were searched."""
    embedded: int
    """Passages with a vector."""
    pending: int
    """Passages that wait for one."""


class GetAllTagsResult(TypedDict):
    """The success of get_all_tags."""

    success: Literal[True]
    message: str
    """How many tags there are."""
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
    The tables of the schema vcontract; parts switched off are absent, and for others than the local
    user all sizes.
    """


class GetDatabaseShapeResultDatabaseShape(TypedDict):
    """
    The tables of the schema vcontract; parts switched off are absent, and for others than the local
    user all sizes.
    """

    timestamp: str
    """When it was read, RFC 3339 in UTC."""
    tables: list[GetDatabaseShapeResultDatabaseShapeTablesEntry]
    """
    One entry a table or view, those that analyze_query may read first; others only with
    include_internal.
    """
    relationships: list[GetDatabaseShapeResultDatabaseShapeRelationshipsEntry]
    """Foreign keys, one entry a column."""


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
    """Rows: the local user's are of all tenants, a tenant's its own."""
    row_count_exact: NotRequired[bool]
    """Whether row_count was counted; else it is the planner's estimate."""
    total_size: NotRequired[str]
    """Size with indexes, as text; that of its partitions included."""
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
    """YES when it may be null, else NO."""


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
    """Whether it allows a key once."""
    is_primary: bool
    """Whether it is the primary key's."""


class GetDatabaseStatsResult(TypedDict):
    """The success of get_database_stats."""

    success: Literal[True]
    database_stats: GetDatabaseStatsResultDatabaseStats
    """The statistics; parts switched off are absent."""


class GetDatabaseStatsResultDatabaseStats(TypedDict):
    """The statistics; parts switched off are absent."""

    timestamp: str
    """When it was read, RFC 3339 in UTC."""
    stats_reset: NotRequired[str]
    """Since when is counted; absent when it was never reset."""
    cache_stats: NotRequired[GetDatabaseStatsResultDatabaseStatsCacheStats]
    """Blocks of tables that were found in memory."""
    table_stats: NotRequired[list[GetDatabaseStatsResultDatabaseStatsTableStatsEntry]]
    """Use of each table, by name."""
    query_stats_available: NotRequired[bool]
    """Whether pg_stat_statements is there."""
    query_stats: NotRequired[list[GetDatabaseStatsResultDatabaseStatsQueryStatsEntry]]
    """The ten statements that took longest in all, constants replaced."""
    index_usage: NotRequired[list[GetDatabaseStatsResultDatabaseStatsIndexUsageEntry]]
    """Use of each index."""
    unused_indexes: NotRequired[list[GetDatabaseStatsResultDatabaseStatsUnusedIndexesEntry]]
    """Indexes without a scan that are neither unique nor primary, the largest first."""


class GetDatabaseStatsResultDatabaseStatsCacheStats(TypedDict):
    """Blocks of tables that were found in memory."""

    hit_ratio: str
    """Share found, as 99.12%; n/a before any read."""
    heap_blocks_hit: int
    """Blocks found in memory."""
    heap_blocks_read: int
    """Blocks that had to be read."""


class GetDatabaseStatsResultDatabaseStatsIndexUsageEntry(TypedDict):
    """One entry of `index_usage` of GetDatabaseStatsResultDatabaseStats."""

    table_name: str
    """Its table."""
    index_name: str
    """The index."""
    scans: int
    """How often it was used."""
    rows_read: int
    """Entries read from it."""


class GetDatabaseStatsResultDatabaseStatsQueryStatsEntry(TypedDict):
    """One entry of `query_stats` of GetDatabaseStatsResultDatabaseStats."""

    query: str
    """The statement."""
    calls: int
    """How often it ran."""
    rows: int
    """Rows in all."""
    total_ms: float
    """Milliseconds in all."""
    mean_ms: float
    """Milliseconds a call."""


class GetDatabaseStatsResultDatabaseStatsTableStatsEntry(TypedDict):
    """One entry of `table_stats` of GetDatabaseStatsResultDatabaseStats."""

    table_name: str
    """The table."""
    sequential_scans: int
    """How often it was read as a whole."""
    index_scans: int
    """How often one of its indexes was used."""
    inserts: int
    """Rows inserted."""
    updates: int
    """Rows updated."""
    deletes: int
    """Rows deleted."""
    live_rows: int
    """Rows there, estimated."""
    dead_rows: int
    """Rows that wait to be vacuumed, estimated."""


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
    """The form of vcon."""
    vcon: dict[str, Any] | str
    """The example, an object, or YAML text that loads as the same object."""


class GetSchemaResult(TypedDict):
    """The success of get_schema."""

    success: Literal[True]
    format: str
    """The language of the schema."""
    version: str
    """The vCon version it describes."""
    schema: dict[str, Any] | str
    """The schema itself; text for typescript, else an object."""


class GetTagResult(TypedDict):
    """The success of get_tag."""

    success: Literal[True]
    message: str
    """Whether there is such a tag."""
    key: str
    """Key of the tag, without a colon."""
    value: Any
    """The tag's value, the default, or null."""
    exists: bool
    """Whether the vCon has the tag, whatever its value."""


class GetUniqueTagsResult(TypedDict):
    """The success of get_unique_tags."""

    success: Literal[True]
    message: str
    """How many keys there are."""
    unique_keys: list[str]
    """The keys, sorted."""
    unique_key_count: int
    """Number of keys."""
    tags_by_key: dict[str, list[str]]
    """Up to 1,000 values of each key as text, most used first."""
    counts_per_value: NotRequired[dict[str, dict[str, int]]]
    """Number of vCons by key and value; only with include_counts."""
    truncated_keys: NotRequired[dict[str, int]]
    """Keys with more values than are listed, and how many they have."""
    total_vcons_with_tags: int
    """vCons with any tag, whatever the filters."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class GetVconResult(TypedDict):
    """The success of get_vcon."""

    success: Literal[True]
    vcon: dict[str, Any]
    """A vCon, every stored member under its current name; get_schema has its schema."""
    metadata: NotRequired[VconMetadata]
    signature: NotRequired[GetVconResultSignature]
    """Of a vCon that is signed; absent of any other."""
    versions: NotRequired[GetVconResultVersions]
    """Only when version is given."""


class GetVconResultSignature(TypedDict):
    """Of a vCon that is signed; absent of any other."""

    status: Literal["verified", "unverified", "broken"]
    """broken: not what was signed. unverified: nothing trusted here vouches for it; will not grow."""
    message: str
    """What it means."""


class GetVconResultVersions(TypedDict):
    """Only when version is given."""

    asked: str
    """The uuid that was asked for."""
    given: str
    """The uuid of the version that is answered."""
    chain: list[GetVconResultVersionsChainEntry]
    """What it was made of, itself, and what was made of it by amending; the oldest first."""
    complete: bool
    """False when an earlier version is not stored, or the chain is cut after 32 steps."""
    forked: NotRequired[bool]
    """True when one was amended more than once, and the newest was followed; else absent."""


class GetVconResultVersionsChainEntry(TypedDict):
    """One entry of `chain` of GetVconResultVersions."""

    uuid: str
    """UUID of the vCon."""
    relation: Literal["original", "amended", "redacted"]
    """What it is of the one before; will not grow."""
    created_at: str
    """RFC 3339."""


class HintsEntry(TypedDict):
    """One entry of the shape Hints."""

    reason: str
    """
    nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has the first and the
    last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen, words_never_together,
    query_is_a_vcon (the suggestion fetches it), below_threshold, vectors_pending,
    demands_never_together, only_weak_matches (at most five are shown), date_in_query, field_in_query,
    part_of_a_number, no_wildcard, no_operator or words_joined (how a word of the query was read); may
    grow.
    """
    message: str
    """The same in a sentence."""
    filter: NotRequired[str]
    """The filter concerned."""
    nearest: NotRequired[list[dict[str, Any]]]
    """Known values that are close."""
    suggestion: NotRequired[dict[str, Any]]
    """Arguments to send instead of the same ones in the call, or another tool with its own."""


class RecentVconIdsContent(TypedDict):
    """The content of vcon://v1/vcons/recent/ids."""

    count: int
    """vCons in this answer."""
    limit: int
    """Most vCons that were asked for."""
    vcons: list[VconIdsEntry]
    """vCons without their content, newest first."""


class RecentVconsContent(TypedDict):
    """The content of vcon://v1/vcons/recent."""

    count: int
    """vCons in this answer."""
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
    """How many tags there were."""


class RemoveTagResult(TypedDict):
    """The success of remove_tag."""

    success: Literal[True]
    message: str
    """What was done."""
    key: str
    """Key of the tag, without a colon."""
    removed: bool
    """Whether there was such a tag."""
    previous_value: NotRequired[int | str | float | bool]
    """The value it had."""


class SearchByTagsResult(TypedDict):
    """The success of search_by_tags."""

    success: Literal[True]
    message: str
    """What was found."""
    count: int
    """vCons in this answer."""
    tags_searched: dict[str, str]
    """The tags as compared, as text."""
    vcon_uuids: list[str]
    """Their uuids, newest first."""
    vcons: list[dict[str, Any]]
    """The vCons in the same order."""
    has_more: bool
    """Whether more follow at offset + count."""
    total: int
    """All vCons that match, counted to 10,000."""
    total_relation: NotRequired[str]
    """at_least when there are more than total; absent when total is exact."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class SearchVconsContentResult(TypedDict):
    """The success of search_vcons_content."""

    success: Literal[True]
    count: int
    """Hits in this answer, several of one vCon."""
    results: list[SearchVconsContentResultResultsEntry]
    """One a place, best first, at most 10 a vCon."""
    matching: str
    """exact, or fuzzy when words were corrected."""
    corrections: NotRequired[list[CorrectionsEntry]]
    """Words replaced because no vCon has them."""
    word_counts: list[WordCountsEntry]
    """How many vCons have each word, whatever the filters."""
    has_more: bool
    """Whether more results follow."""
    total: int
    """vCons that match, counted to 10,000."""
    total_relation: NotRequired[str]
    """at_least when there are more than total."""
    ranked_newest: NotRequired[int]
    """No longer sent; the best candidates are ranked together."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class SearchVconsContentResultResultsEntry(TypedDict):
    """One entry of `results` of SearchVconsContentResult."""

    vcon_id: str
    """The vCon's uuid."""
    content_type: str
    """subject, dialog, analysis, attachment, party or trace (an agent's tools); may grow."""
    content_index: NotRequired[int]
    """Position in its array; absent for subject and trace."""
    relevance_score: float
    """How well this place matches."""
    turn: NotRequired[int]
    """Its turn, as turns of vcon_fetch takes it."""
    speaker: NotRequired[str]
    """Who says it: name, address, role or number."""
    at: NotRequired[str]
    """When it is said, RFC 3339 in UTC."""
    snippet: NotRequired[str]
    """A turn of up to 400 characters, else at most 300 characters, the words in <mark>…</mark>."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon with its top-level members and parties, or the components asked for."""


class SearchVconsHybridResult(TypedDict):
    """The success of search_vcons_hybrid."""

    success: Literal[True]
    count: int
    """vCons in this answer."""
    results: list[SearchVconsHybridResultResultsEntry]
    """One a vCon, best first."""
    matching: str
    """exact, or fuzzy when words were corrected."""
    corrections: NotRequired[list[CorrectionsEntry]]
    """Words replaced because no vCon has them."""
    has_more: bool
    """Whether more follow."""
    index: EmbeddingIndex
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class SearchVconsHybridResultResultsEntry(TypedDict):
    """One entry of `results` of SearchVconsHybridResult."""

    vcon_id: str
    """The vCon's uuid."""
    combined_score: float
    """
    What the words and the meaning of its best place say, weighed by semantic_weight; no sum of the two
    scores beside it.
    """
    keyword_score: float
    """How well the words match."""
    semantic_score: float
    """How similar the meaning is."""
    strength: NotRequired[str]
    """How far from chance: strong, fair or weak; of weak ones alone, at most five come; may grow."""
    turn: NotRequired[int]
    """The turn of the snippet, as turns of vcon_fetch takes it."""
    speaker: NotRequired[str]
    """Who says it: name, address, role or number."""
    at: NotRequired[str]
    """When it is said, RFC 3339 in UTC."""
    snippet: NotRequired[str]
    """Where words of the query stand: a turn of up to 400 characters, else at most 300."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon with its top-level members and parties, or the components asked for."""


class SearchVconsResult(TypedDict):
    """The success of search_vcons."""

    success: Literal[True]
    count: int
    """vCons in this answer."""
    vcons: list[dict[str, Any]]
    """Newest first."""
    has_more: bool
    """Whether more follow."""
    total: int
    """All that match, counted to 10,000."""
    total_relation: NotRequired[str]
    """at_least when there are more than total."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class SearchVconsSemanticResult(TypedDict):
    """The success of search_vcons_semantic."""

    success: Literal[True]
    count: int
    """vCons in this answer."""
    results: list[SearchVconsSemanticResultResultsEntry]
    """One a vCon, best first."""
    has_more: bool
    """Whether more follow."""
    index: EmbeddingIndex
    best_below_threshold: NotRequired[float]
    """When nothing passed: the best similarity there is."""
    suggestions: NotRequired[list[str]]
    """What to do instead."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""


class SearchVconsSemanticResultResultsEntry(TypedDict):
    """One entry of `results` of SearchVconsSemanticResult."""

    vcon_id: str
    """The vCon's uuid."""
    similarity_score: float
    """Calibrated similarity of its best passage."""
    cosine: float
    """The cosine that the similarity was calibrated from."""
    strength: NotRequired[str]
    """How far from chance: strong, fair or weak; of weak ones alone, at most five come; may grow."""
    matched_content: SearchVconsSemanticResultResultsEntryMatchedContent
    """The passages that reach the threshold, at most three of a kind."""
    vcon: NotRequired[dict[str, Any]]
    """A vCon with its top-level members and parties, or the components asked for."""


class SearchVconsSemanticResultResultsEntryMatchedContent(TypedDict):
    """The passages that reach the threshold, at most three of a kind."""

    subject: NotRequired[str]
    """The subject, when it is similar."""
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
    """Position in analysis."""
    type: NotRequired[str]
    """The analysis type."""
    turn: NotRequired[int]
    """Its turn, as turns of vcon_fetch takes it."""
    speaker: NotRequired[str]
    """Who says it: name, address, role or number."""
    at: NotRequired[str]
    """When it is said, RFC 3339 in UTC."""
    text: str
    """A turn of up to 400 characters, else at most 300."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentAttachmentExcerptsEntry(TypedDict):
    """One entry of `attachment_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    attachment_index: int
    """Position in attachments."""
    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentDialogExcerptsEntry(TypedDict):
    """One entry of `dialog_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    dialog_index: int
    """Position in dialog."""
    turn: NotRequired[int]
    """Its turn, as turns of vcon_fetch takes it."""
    speaker: NotRequired[str]
    """Who says it: name, address, role or number."""
    at: NotRequired[str]
    """When it is said, RFC 3339 in UTC."""
    text: str
    """A turn of up to 400 characters, else at most 300."""
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
    """All tags of the vCon now."""
    count: int
    """Number of tags now."""
    added: list[str]
    """Keys that are new."""
    updated: list[str]
    """Keys whose value changed."""
    removed: list[str]
    """Keys that are gone."""


class UpdateVconResult(TypedDict):
    """The success of update_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    uuid: str
    """The vCon's uuid."""
    updated_vcon: NotRequired[dict[str, Any]]
    """A vCon, every stored member under its current name; get_schema has its schema."""
    vcon_omitted: NotRequired[bool]
    """True when the updated vCon is too large to be returned here."""
    changed: list[str]
    """The members that changed."""
    updated_at: str
    """When it was last changed, RFC 3339 in UTC."""
    conformance: Conformance
    translated: NotRequired[list[TranslatedEntry]]
    """Members renamed from legacy names."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class ValueCountsEntry(TypedDict):
    """One entry of the shape ValueCounts."""

    value: str
    """The value."""
    count: int
    """vCons that have it."""


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
    """A vCon, every stored member under its current name; get_schema has its schema."""
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
    Of one of more than 16,000 characters the first 16,000 of the body, or no body in base64url, and no
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
    subject: NotRequired[str]
    """What it is about; absent when it does not say."""


class VconMetadata(TypedDict):
    """What the store knows beside the vCon itself."""

    basename: NotRequired[str]
    """The basename given at creation."""
    filename: NotRequired[str]
    """The file name given at creation."""
    tags: dict[str, int | str | float | bool]
    """Tags with their typed values."""
    counts: Counts
    conformance: VconMetadataConformance
    """The verdict against the schema of its version."""
    stored_at: str
    """When it was stored, RFC 3339 in UTC."""
    updated_at: str
    """When it was last changed, RFC 3339 in UTC."""
    signed: NotRequired[bool]
    """True for a vCon stored from a signed form."""


class VconMetadataConformance(TypedDict):
    """The verdict against the schema of its version."""

    version: str
    """The schema version checked against."""
    valid: bool
    """Whether nothing was found."""
    violation_count: int
    """Number of findings."""


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
    """Where, as $.vcon_data.dialog[0].type."""
    rule: str
    """The rule that does not hold."""
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
    """Where in the vCon."""
    message: str
    """What it means."""


class WordCountsEntry(TypedDict):
    """One entry of the shape WordCounts."""

    word: str
    """The word."""
    vcons: int
    """vCons that have it, counted to 10,000."""
    begun: NotRequired[list[str]]
    """Of a prefix: known words that begin so, the shortest 12."""
    languages: NotRequired[list[str]]
    """Languages in which it was looked for by another stem than in English."""
