"""Parameters of the tools of the `vcon` toolset.

Made from spec/tools/vcon and the shapes it uses (sha256:3d160b8754b69a229bb25d52f05f899ad6714c3aa170101730e765d4e244d90b).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Annotated, Any, Literal

from pydantic import MISSING, ConfigDict, Field
from vcontract.generated.models.base import Model


class AddAnalysisParams(Model):
    """Parameters of add_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    analysis: dict[str, Any]
    """dialog: indices. Any analysis member may be given."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class AddAnalysisResult(Model):
    """The success of add_analysis."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    analysis_index: int
    """Where it stands in analysis."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: list[WarningsEntry] | MISSING = MISSING
    """What was accepted but deserves a look. Absent when empty."""


class AddAttachmentParams(Model):
    """Parameters of add_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    attachment: dict[str, Any]
    """party, dialog: indices. Any attachment member may be given."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class AddAttachmentResult(Model):
    """The success of add_attachment."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    attachment_index: int
    """Where it stands in attachments."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: list[WarningsEntry] | MISSING = MISSING
    """What was accepted but deserves a look. Absent when empty."""


class AddDialogParams(Model):
    """Parameters of add_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    dialog: dict[str, Any]
    """start: RFC 3339; parties: indices; url goes with content_hash. Any dialog member may be given."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class AddDialogResult(Model):
    """The success of add_dialog."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    dialog_index: int
    """Where it stands in dialog."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: list[WarningsEntry] | MISSING = MISSING
    """What was accepted but deserves a look. Absent when empty."""


class AddTagParams(Model):
    """Parameters of add_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    key: str
    """Key, without a colon."""
    value: int | str | float | bool
    """Its type is kept."""
    overwrite: bool = True
    """Replace another value."""


class AddTagResult(Model):
    """The success of add_tag."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    key: str
    """Key, without a colon."""
    value: int | str | float | bool
    """Its type is kept."""
    previous_value: int | str | float | bool | MISSING = MISSING
    """The value before; absent when the tag is new."""


class AnalyzeQueryParams(Model):
    """Parameters of analyze_query."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """PostgreSQL SELECT."""
    analyze_mode: Literal["explain", "explain_analyze"] = "explain"
    """Plan or run."""


class AnalyzeQueryResult(Model):
    """The success of analyze_query."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    query_analysis: AnalyzeQueryResultQueryAnalysis
    """The plan and what is worth a look in it."""


class AnalyzeQueryResultQueryAnalysis(Model):
    """The plan and what is worth a look in it."""

    model_config = ConfigDict(
        extra="allow",
    )
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
    planning_time_ms: float | MISSING = MISSING
    """Milliseconds of planning."""
    execution_time_ms: float | MISSING = MISSING
    """Milliseconds of running; only of explain_analyze."""
    actual_rows: float | MISSING = MISSING
    """Rows the query found; only of explain_analyze."""
    notes: list[str]
    """What is worth a look."""


class Conformance(Model):
    """How the stored vCon stands against the schema of its version."""

    model_config = ConfigDict(
        extra="allow",
    )
    version: str
    """The schema version checked against."""
    valid: bool
    """Whether nothing was found."""
    violations: list[ViolationsEntry]
    """What does not fit, each with the path from the arguments' root."""
    violation_count: int
    """All findings, also those beyond the 50 listed."""
    unsupported_critical: list[str] | MISSING = MISSING
    """Names in critical that this server does not support."""


class CorrectionsEntry(Model):
    """One entry of the shape Corrections."""

    model_config = ConfigDict(
        extra="allow",
    )
    word: str
    """The word of the query."""
    used: str
    """The word searched instead."""
    similarity: float
    """How close they are."""


class Counts(Model):
    """Lengths of the four arrays."""

    model_config = ConfigDict(
        extra="allow",
    )
    parties: int
    """Number of parties."""
    dialog: int
    """Number of dialogs."""
    analysis: int
    """Number of analyses."""
    attachments: int
    """Number of attachments."""


class CreateVconFromTemplateParams(Model):
    """Parameters of create_vcon_from_template."""

    model_config = ConfigDict(
        extra="forbid",
    )
    template_name: Literal["phone_call", "chat_conversation", "email_thread", "video_meeting", "custom"]
    """Kind of conversation."""
    subject: str | MISSING = MISSING
    """Subject; templates have one."""
    parties: list[dict[str, Any]]
    """name, tel, mailto, role; params name them by position."""
    metadata: dict[str, Any] | MISSING = MISSING
    """tags to set, and what is kept beside the vCon."""
    template_params: dict[str, Any] | MISSING = MISSING
    """
    phone_call: start, duration, originator, direction, recording_url, content_hash. chat_conversation:
    messages [{from, text, at}]. email_thread: messages [{from, to, cc, subject, body, date}].
    video_meeting: as phone_call, attendance [{party, joined, left}]. custom: fields, dialog, analysis,
    attachments.
    """
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class CreateVconFromTemplateResult(Model):
    """The success of create_vcon_from_template."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    uuid: str
    """The uuid of the stored vCon."""
    vcon: dict[str, Any] | MISSING = MISSING
    """A vCon, every stored member under its current name; get_schema has its schema."""
    vcon_omitted: bool | MISSING = MISSING
    """True when the stored vCon is too large to be returned here."""
    conformance: Conformance
    warnings: list[WarningsEntry] | MISSING = MISSING
    """What was accepted but deserves a look. Absent when empty."""


class CreateVconParams(Model):
    """Parameters of create_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_data: dict[str, Any]
    """
    As get_examples shows: parties have name, tel, mailto, role; a text dialog type, start, parties,
    mediatype, body, encoding.
    """
    metadata: dict[str, Any] | MISSING = MISSING
    """tags to set, and what is kept beside the vCon."""
    validate_before_insert: bool = True
    """false stores and reports violations."""
    return_vcon: bool = False
    """Also return it."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class CreateVconResult(Model):
    """The success of create_vcon."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    uuid: str
    """The uuid of the stored vCon."""
    created_at: str
    """When the conversation was made."""
    updated_at: str
    """When it was stored."""
    conformance: Conformance
    translated: list[TranslatedEntry]
    """Members renamed from legacy names."""
    warnings: list[WarningsEntry] | MISSING = MISSING
    """What was accepted but deserves a look. Absent when empty."""
    vcon: dict[str, Any] | MISSING = MISSING
    """A vCon, every stored member under its current name; get_schema has its schema."""
    vcon_omitted: bool | MISSING = MISSING
    """True when the stored vCon is too large to be returned here."""


class DeleteVconParams(Model):
    """Parameters of delete_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """Which vCon."""
    confirm: bool
    """Must be true."""
    cascade_delete: bool = True
    """false keeps a vCon that has content."""


class DeleteVconResult(Model):
    """The success of delete_vcon."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    deleted_uuid: str
    """The uuid that is gone."""
    deleted: Counts


class EmbeddingIndex(Model):
    """What is found by meaning; pending passages are found by words only, until they are embedded."""

    model_config = ConfigDict(
        extra="allow",
    )
    model: str
    """The model whose vectors were searched."""
    embedded: int
    """Passages with a vector."""
    pending: int
    """Passages that wait for one."""


class GetAllTagsParams(Model):
    """Parameters of get_all_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""


class GetAllTagsResult(Model):
    """The success of get_all_tags."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """How many tags there are."""
    vcon_uuid: str
    """The vCon's uuid."""
    tags: dict[str, int | str | float | bool]
    """Tags with their typed values."""
    count: int
    """Number of tags."""


class GetDatabaseShapeParams(Model):
    """Parameters of get_database_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_counts: bool = True
    """Rows of tables."""
    include_sizes: bool = True
    """Disk bytes."""
    include_indexes: bool = True
    """Indexes."""
    include_columns: bool = False
    """Columns."""


class GetDatabaseShapeResult(Model):
    """The success of get_database_shape."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    database_shape: GetDatabaseShapeResultDatabaseShape
    """
    The tables of the schema vcontract; parts switched off are absent, and for others than the local
    user all sizes.
    """


class GetDatabaseShapeResultDatabaseShape(Model):
    """
    The tables of the schema vcontract; parts switched off are absent, and for others than the local
    user all sizes.
    """

    model_config = ConfigDict(
        extra="allow",
    )
    timestamp: str
    """When it was read, RFC 3339 in UTC."""
    tables: list[GetDatabaseShapeResultDatabaseShapeTablesEntry]
    """One entry a table, those that analyze_query may read first."""
    relationships: list[GetDatabaseShapeResultDatabaseShapeRelationshipsEntry]
    """Foreign keys, one entry a column."""


class GetDatabaseShapeResultDatabaseShapeRelationshipsEntry(Model):
    """One entry of `relationships` of GetDatabaseShapeResultDatabaseShape."""

    model_config = ConfigDict(
        extra="allow",
    )
    from_table: str
    """The table that refers."""
    from_column: str
    """Its column."""
    to_table: str
    """The table referred to."""
    to_column: str
    """Its column."""


class GetDatabaseShapeResultDatabaseShapeTablesEntry(Model):
    """One entry of `tables` of GetDatabaseShapeResultDatabaseShape."""

    model_config = ConfigDict(
        extra="allow",
    )
    name: str
    """Its name."""
    schema_: Annotated[str, Field(alias="schema")]
    """Its schema, vcontract."""
    analyzable: bool | MISSING = MISSING
    """Whether analyze_query may read it."""
    row_count: int | MISSING = MISSING
    """Rows: the local user's are of all tenants, a tenant's its own."""
    row_count_exact: bool | MISSING = MISSING
    """Whether row_count was counted; else it is the planner's estimate."""
    total_size: str | MISSING = MISSING
    """Size with indexes, as text."""
    total_size_bytes: int | MISSING = MISSING
    """The same in bytes."""
    table_size: str | MISSING = MISSING
    """Size without indexes, as text."""
    table_size_bytes: int | MISSING = MISSING
    """The same in bytes."""
    indexes_size: str | MISSING = MISSING
    """Size of all its indexes, as text."""
    indexes_size_bytes: int | MISSING = MISSING
    """The same in bytes."""
    indexes: list[GetDatabaseShapeResultDatabaseShapeTablesEntryIndexesEntry] | MISSING = MISSING
    """Its indexes, by name."""
    columns: list[GetDatabaseShapeResultDatabaseShapeTablesEntryColumnsEntry] | MISSING = MISSING
    """Its columns, in order."""


class GetDatabaseShapeResultDatabaseShapeTablesEntryColumnsEntry(Model):
    """One entry of `columns` of GetDatabaseShapeResultDatabaseShapeTablesEntry."""

    model_config = ConfigDict(
        extra="allow",
    )
    column_name: str
    """Its name."""
    data_type: str
    """Its SQL type."""
    is_nullable: str
    """YES when it may be null, else NO."""


class GetDatabaseShapeResultDatabaseShapeTablesEntryIndexesEntry(Model):
    """One entry of `indexes` of GetDatabaseShapeResultDatabaseShapeTablesEntry."""

    model_config = ConfigDict(
        extra="allow",
    )
    indexname: str
    """Its name."""
    index_type: str
    """The access method: btree, gin, hnsw and others."""
    index_size: str | MISSING = MISSING
    """Its size, as text."""
    index_size_bytes: int | MISSING = MISSING
    """The same in bytes."""
    is_unique: bool
    """Whether it allows a key once."""
    is_primary: bool
    """Whether it is the primary key's."""


class GetDatabaseStatsParams(Model):
    """Parameters of get_database_stats."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_query_stats: bool = True
    """Scans, writes, costly statements."""
    include_index_usage: bool = True
    """Scans, unused indexes."""
    include_cache_stats: bool = True
    """Hit rates."""
    table_name: str | MISSING = MISSING
    """Only this table."""


class GetDatabaseStatsResult(Model):
    """The success of get_database_stats."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    database_stats: GetDatabaseStatsResultDatabaseStats
    """The statistics; parts switched off are absent."""


class GetDatabaseStatsResultDatabaseStats(Model):
    """The statistics; parts switched off are absent."""

    model_config = ConfigDict(
        extra="allow",
    )
    timestamp: str
    """When it was read, RFC 3339 in UTC."""
    stats_reset: str | MISSING = MISSING
    """Since when is counted; absent when it was never reset."""
    cache_stats: GetDatabaseStatsResultDatabaseStatsCacheStats | MISSING = MISSING
    """Blocks of tables that were found in memory."""
    table_stats: list[GetDatabaseStatsResultDatabaseStatsTableStatsEntry] | MISSING = MISSING
    """Use of each table, by name."""
    query_stats_available: bool | MISSING = MISSING
    """Whether pg_stat_statements is there."""
    query_stats: list[GetDatabaseStatsResultDatabaseStatsQueryStatsEntry] | MISSING = MISSING
    """The ten statements that took longest in all, constants replaced."""
    index_usage: list[GetDatabaseStatsResultDatabaseStatsIndexUsageEntry] | MISSING = MISSING
    """Use of each index."""
    unused_indexes: list[GetDatabaseStatsResultDatabaseStatsUnusedIndexesEntry] | MISSING = MISSING
    """Indexes without a scan that are neither unique nor primary, the largest first."""


class GetDatabaseStatsResultDatabaseStatsCacheStats(Model):
    """Blocks of tables that were found in memory."""

    model_config = ConfigDict(
        extra="allow",
    )
    hit_ratio: str
    """Share found, as 99.12%; n/a before any read."""
    heap_blocks_hit: int
    """Blocks found in memory."""
    heap_blocks_read: int
    """Blocks that had to be read."""


class GetDatabaseStatsResultDatabaseStatsIndexUsageEntry(Model):
    """One entry of `index_usage` of GetDatabaseStatsResultDatabaseStats."""

    model_config = ConfigDict(
        extra="allow",
    )
    table_name: str
    """Its table."""
    index_name: str
    """The index."""
    scans: int
    """How often it was used."""
    rows_read: int
    """Entries read from it."""


class GetDatabaseStatsResultDatabaseStatsQueryStatsEntry(Model):
    """One entry of `query_stats` of GetDatabaseStatsResultDatabaseStats."""

    model_config = ConfigDict(
        extra="allow",
    )
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


class GetDatabaseStatsResultDatabaseStatsTableStatsEntry(Model):
    """One entry of `table_stats` of GetDatabaseStatsResultDatabaseStats."""

    model_config = ConfigDict(
        extra="allow",
    )
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


class GetDatabaseStatsResultDatabaseStatsUnusedIndexesEntry(Model):
    """One entry of `unused_indexes` of GetDatabaseStatsResultDatabaseStats."""

    model_config = ConfigDict(
        extra="allow",
    )
    table_name: str
    """Its table."""
    index_name: str
    """The index."""
    index_size: str
    """Its size, as text."""
    index_size_bytes: int
    """The same in bytes."""


class GetExamplesParams(Model):
    """Parameters of get_examples."""

    model_config = ConfigDict(
        extra="forbid",
    )
    example_type: Literal["minimal", "phone_call", "chat", "email", "video", "full_featured"]
    """Which one."""
    format: Literal["json", "yaml"] = "json"
    """Its form."""


class GetExamplesResult(Model):
    """The success of get_examples."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    example_type: str
    """What the example shows."""
    format: str
    """The form of vcon."""
    vcon: dict[str, Any] | str
    """The example, an object, or YAML text that loads as the same object."""


class GetSchemaParams(Model):
    """Parameters of get_schema."""

    model_config = ConfigDict(
        extra="forbid",
    )
    format: Literal["json_schema", "typescript", "openapi"] = "json_schema"
    """Its language."""
    version: str = "latest"
    """0.3.0, 0.4.0 or latest."""


class GetSchemaResult(Model):
    """The success of get_schema."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    format: str
    """The language of the schema."""
    version: str
    """The vCon version it describes."""
    schema_: Annotated[dict[str, Any] | str, Field(alias="schema")]
    """The schema itself; text for typescript, else an object."""


class GetTagParams(Model):
    """Parameters of get_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    key: str
    """Key, without a colon."""
    default_value: int | str | float | bool | dict[str, Any] | list[int | str | float | bool | dict[str, Any] | None] | None | MISSING = (
        MISSING
    )
    """If absent."""


class GetTagResult(Model):
    """The success of get_tag."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """Whether there is such a tag."""
    key: str
    """Key, without a colon."""
    value: Any
    """The tag's value, the default, or null."""
    exists: bool
    """Whether the vCon has the tag, whatever its value."""


class GetUniqueTagsParams(Model):
    """Parameters of get_unique_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_counts: bool = False
    """vCons by value."""
    key_filter: str | MISSING = MISSING
    """Part of a key."""
    min_count: int = 1
    """Least count of a value."""


class GetUniqueTagsResult(Model):
    """The success of get_unique_tags."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """How many keys there are."""
    unique_keys: list[str]
    """The keys, sorted."""
    unique_key_count: int
    """Number of keys."""
    tags_by_key: dict[str, list[str]]
    """Up to 1,000 values of each key as text, most used first."""
    counts_per_value: dict[str, dict[str, int]] | MISSING = MISSING
    """Number of vCons by key and value; only with include_counts."""
    truncated_keys: dict[str, int] | MISSING = MISSING
    """Keys with more values than are listed, and how many they have."""
    total_vcons_with_tags: int
    """vCons with any tag, whatever the filters."""


class GetVconParams(Model):
    """Parameters of get_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """Which vCon."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Default all."""
    include_metadata: bool = True
    """Tags, counts, conformance, times."""


class GetVconResult(Model):
    """The success of get_vcon."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    vcon: dict[str, Any]
    """A vCon, every stored member under its current name; get_schema has its schema."""
    metadata: VconMetadata | MISSING = MISSING


class RemoveAllTagsParams(Model):
    """Parameters of remove_all_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""


class RemoveAllTagsResult(Model):
    """The success of remove_all_tags."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    removed_count: int
    """How many tags there were."""


class RemoveTagParams(Model):
    """Parameters of remove_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    key: str
    """Key, without a colon."""


class RemoveTagResult(Model):
    """The success of remove_tag."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    key: str
    """Key, without a colon."""
    removed: bool
    """Whether there was such a tag."""
    previous_value: int | str | float | bool | MISSING = MISSING
    """The value it had."""


class SearchByTagsParams(Model):
    """Parameters of search_by_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    tags: dict[str, int | str | float | bool]
    """All must match."""
    limit: int = 50
    """Page size."""
    offset: int = 0
    """vCons to skip; writes shift them."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Default parties."""


class SearchByTagsResult(Model):
    """The success of search_by_tags."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
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
    total_relation: str | MISSING = MISSING
    """at_least when there are more than total; absent when total is exact."""


class SearchVconsContentParams(Model):
    """Parameters of search_vcons_content."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """All must match."""
    start_date: str | MISSING = MISSING
    """From."""
    end_date: str | MISSING = MISSING
    """Until; a day counts whole."""
    limit: int = 50
    """Page size."""
    include_snippets: bool = True
    """With text around."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return."""
    offset: int = 0
    """Rows to skip; writes shift them."""


class SearchVconsContentResult(Model):
    """The success of search_vcons_content."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    count: int
    """Results in this answer."""
    results: list[SearchVconsContentResultResultsEntry]
    """One a place, best first, at most 10 a vCon."""
    matching: str
    """exact, or fuzzy when words were corrected."""
    corrections: list[CorrectionsEntry] | MISSING = MISSING
    """Words replaced because no vCon has them."""
    word_counts: list[WordCountsEntry]
    """How many vCons have each word, whatever the filters."""
    has_more: bool
    """Whether more results follow."""
    total: int
    """vCons that match, counted to 10,000."""
    total_relation: str | MISSING = MISSING
    """at_least when there are more than total."""
    ranked_newest: int | MISSING = MISSING
    """Present when only the newest of the matching vCons were ranked."""


class SearchVconsContentResultResultsEntry(Model):
    """One entry of `results` of SearchVconsContentResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    vcon_id: str
    """The vCon's uuid."""
    content_type: str
    """subject, dialog, analysis, attachment, party or trace (an agent's tools); may grow."""
    content_index: int | MISSING = MISSING
    """Position in its array; absent for subject and trace."""
    relevance_score: float
    """How well this place matches."""
    snippet: str | MISSING = MISSING
    """Up to 300 characters, the words in <mark>…</mark>."""
    vcon: dict[str, Any] | MISSING = MISSING
    """A vCon with its top-level members and parties, or the components asked for."""


class SearchVconsHybridParams(Model):
    """Parameters of search_vcons_hybrid."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words or a sentence."""
    semantic_weight: float = 0.6
    """Share of meaning."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """All must match."""
    start_date: str | MISSING = MISSING
    """From."""
    end_date: str | MISSING = MISSING
    """Until; a day counts whole."""
    limit: int = 30
    """Page size."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return."""
    offset: int = 0
    """Rows to skip; writes shift them."""


class SearchVconsHybridResult(Model):
    """The success of search_vcons_hybrid."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    count: int
    """vCons in this answer."""
    results: list[SearchVconsHybridResultResultsEntry]
    """One a vCon, best first."""
    matching: str
    """exact, or fuzzy when words were corrected."""
    corrections: list[CorrectionsEntry] | MISSING = MISSING
    """Words replaced because no vCon has them."""
    has_more: bool
    """Whether more follow."""
    index: EmbeddingIndex


class SearchVconsHybridResultResultsEntry(Model):
    """One entry of `results` of SearchVconsHybridResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    vcon_id: str
    """The vCon's uuid."""
    combined_score: float
    """semantic_weight of the semantic and the rest of the keyword score."""
    keyword_score: float
    """How well the words match."""
    semantic_score: float
    """How similar the meaning is."""
    snippet: str | MISSING = MISSING
    """Where words of the query stand, up to 300 characters."""
    vcon: dict[str, Any] | MISSING = MISSING
    """A vCon with its top-level members and parties, or the components asked for."""


class SearchVconsParams(Model):
    """Parameters of search_vcons."""

    model_config = ConfigDict(
        extra="forbid",
    )
    subject: str | MISSING = MISSING
    """Part of it."""
    party_name: str | MISSING = MISSING
    """Part of it."""
    party_email: str | MISSING = MISSING
    """Part of it."""
    party_tel: str | MISSING = MISSING
    """3 digits or more."""
    start_date: str | MISSING = MISSING
    """From."""
    end_date: str | MISSING = MISSING
    """Until; a day counts whole."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """All must match."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return."""
    limit: int = 50
    """Page size."""
    offset: int = 0
    """Rows to skip; writes shift them."""


class SearchVconsResult(Model):
    """The success of search_vcons."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    count: int
    """vCons in this answer."""
    vcons: list[dict[str, Any]]
    """Newest first."""
    has_more: bool
    """Whether more follow."""
    total: int
    """All that match, counted to 10,000."""
    total_relation: str | MISSING = MISSING
    """at_least when there are more than total."""


class SearchVconsSemanticParams(Model):
    """Parameters of search_vcons_semantic."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | MISSING = MISSING
    """A sentence."""
    embedding: list[float] | MISSING = MISSING
    """384 numbers."""
    threshold: float = 0.7
    """Least similarity; chance rarely reaches 0.5."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """All must match."""
    start_date: str | MISSING = MISSING
    """From."""
    end_date: str | MISSING = MISSING
    """Until; a day counts whole."""
    limit: int = 20
    """Page size."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return."""
    offset: int = 0
    """Rows to skip; writes shift them."""


class SearchVconsSemanticResult(Model):
    """The success of search_vcons_semantic."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    count: int
    """vCons in this answer."""
    results: list[SearchVconsSemanticResultResultsEntry]
    """One a vCon, best first."""
    has_more: bool
    """Whether more follow."""
    index: EmbeddingIndex
    best_below_threshold: float | MISSING = MISSING
    """When nothing passed: the best similarity there is."""
    suggestions: list[str] | MISSING = MISSING
    """What to send instead."""


class SearchVconsSemanticResultResultsEntry(Model):
    """One entry of `results` of SearchVconsSemanticResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    vcon_id: str
    """The vCon's uuid."""
    similarity_score: float
    """Calibrated similarity of its best passage."""
    cosine: float
    """The cosine that the similarity was calibrated from."""
    matched_content: SearchVconsSemanticResultResultsEntryMatchedContent
    """The passages that reach the threshold, at most three of a kind."""
    vcon: dict[str, Any] | MISSING = MISSING
    """A vCon with its top-level members and parties, or the components asked for."""


class SearchVconsSemanticResultResultsEntryMatchedContent(Model):
    """The passages that reach the threshold, at most three of a kind."""

    model_config = ConfigDict(
        extra="allow",
    )
    subject: str | MISSING = MISSING
    """The subject, when it is similar."""
    dialog_excerpts: list[SearchVconsSemanticResultResultsEntryMatchedContentDialogExcerptsEntry] | MISSING = (
        MISSING
    )
    """Similar turns."""
    analysis_excerpts: list[SearchVconsSemanticResultResultsEntryMatchedContentAnalysisExcerptsEntry] | MISSING = (
        MISSING
    )
    """Similar analyses."""
    attachment_excerpts: list[SearchVconsSemanticResultResultsEntryMatchedContentAttachmentExcerptsEntry] | MISSING = (
        MISSING
    )
    """Similar attachments."""
    trace_excerpts: list[SearchVconsSemanticResultResultsEntryMatchedContentTraceExcerptsEntry] | MISSING = (
        MISSING
    )
    """Similar tool use of an agent."""


class SearchVconsSemanticResultResultsEntryMatchedContentAnalysisExcerptsEntry(Model):
    """One entry of `analysis_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    model_config = ConfigDict(
        extra="allow",
    )
    analysis_index: int
    """Position in analysis."""
    type: str | MISSING = MISSING
    """The analysis type."""
    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentAttachmentExcerptsEntry(Model):
    """One entry of `attachment_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    model_config = ConfigDict(
        extra="allow",
    )
    attachment_index: int
    """Position in attachments."""
    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentDialogExcerptsEntry(Model):
    """One entry of `dialog_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    model_config = ConfigDict(
        extra="allow",
    )
    dialog_index: int
    """Position in dialog."""
    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


class SearchVconsSemanticResultResultsEntryMatchedContentTraceExcerptsEntry(Model):
    """One entry of `trace_excerpts` of SearchVconsSemanticResultResultsEntryMatchedContent."""

    model_config = ConfigDict(
        extra="allow",
    )
    text: str
    """Up to 300 characters."""
    relevance: float
    """Its similarity."""


class TranslatedEntry(Model):
    """One entry of the shape Translated."""

    model_config = ConfigDict(
        extra="allow",
    )
    path: str
    """Where the member stands now."""
    from_: Annotated[str, Field(alias="from")]
    """The legacy name."""
    to: str
    """The current name it is stored under."""


class UpdateTagsParams(Model):
    """Parameters of update_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    tags: dict[str, int | str | float | bool]
    """Tags to set."""
    merge: bool = True
    """Keep other tags."""


class UpdateTagsResult(Model):
    """The success of update_tags."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
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


class UpdateVconParams(Model):
    """Parameters of update_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """Which vCon."""
    updates: dict[str, Any]
    """null removes a member."""
    merge_strategy: Literal["replace", "merge", "append"] = "merge"
    """merge: RFC 7396 patch. append: to arrays."""
    validate_after_update: bool = True
    """Refuse new violations."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class UpdateVconResult(Model):
    """The success of update_vcon."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    message: str
    """What was done."""
    uuid: str
    """The vCon's uuid."""
    updated_vcon: dict[str, Any] | MISSING = MISSING
    """A vCon, every stored member under its current name; get_schema has its schema."""
    vcon_omitted: bool | MISSING = MISSING
    """True when the updated vCon is too large to be returned here."""
    changed: list[str]
    """The members that changed."""
    updated_at: str
    """When it was last changed, RFC 3339 in UTC."""
    conformance: Conformance
    translated: list[TranslatedEntry] | MISSING = MISSING
    """Members renamed from legacy names."""
    warnings: list[WarningsEntry] | MISSING = MISSING
    """What was accepted but deserves a look. Absent when empty."""


class VconMetadata(Model):
    """What the store knows beside the vCon itself."""

    model_config = ConfigDict(
        extra="allow",
    )
    basename: str | MISSING = MISSING
    """The basename given at creation."""
    filename: str | MISSING = MISSING
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
    signed: bool | MISSING = MISSING
    """True for a vCon stored from a signed form."""


class VconMetadataConformance(Model):
    """The verdict against the schema of its version."""

    model_config = ConfigDict(
        extra="allow",
    )
    version: str
    """The schema version checked against."""
    valid: bool
    """Whether nothing was found."""
    violation_count: int
    """Number of findings."""


class ViolationsEntry(Model):
    """One entry of the shape Violations."""

    model_config = ConfigDict(
        extra="allow",
    )
    path: str
    """Where, as $.vcon_data.dialog[0].type."""
    rule: str
    """The rule that does not hold."""
    message: str
    """What was found, what is allowed, what to do."""


class WarningsEntry(Model):
    """One entry of the shape Warnings."""

    model_config = ConfigDict(
        extra="allow",
    )
    code: str
    """
    legacy_name, standard_base64, unsupported_critical, tag_ignored, would_violate,
    conversation_date_missing and others; may grow.
    """
    path: str | MISSING = MISSING
    """Where in the vCon."""
    message: str
    """What it means."""


class WordCountsEntry(Model):
    """One entry of the shape WordCounts."""

    model_config = ConfigDict(
        extra="allow",
    )
    word: str
    """The word."""
    vcons: int
    """vCons that have it, counted to 10,000."""
