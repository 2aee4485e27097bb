"""Parameters of the tools of the `vcon` toolset.

Made from spec (sha256:19f171714256a0d8dcc21ff8eb76662be83484883347697f8b802b4a00431d0a).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal

from pydantic import MISSING, ConfigDict
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


class AnalyzeQueryParams(Model):
    """Parameters of analyze_query."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """PostgreSQL SELECT."""
    analyze_mode: Literal["explain", "explain_analyze"] = "explain"
    """Plan or run."""


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


class GetAllTagsParams(Model):
    """Parameters of get_all_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""


class GetDatabaseShapeParams(Model):
    """Parameters of get_database_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_counts: bool = True
    """Rows."""
    include_sizes: bool = True
    """Bytes."""
    include_indexes: bool = True
    """Indexes."""
    include_columns: bool = False
    """Columns."""
    include_internal: bool = False
    """All tables."""


class GetDatabaseStatsParams(Model):
    """Parameters of get_database_stats."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_query_stats: bool = True
    """Scans and statements."""
    include_index_usage: bool = True
    """Indexes."""
    include_cache_stats: bool = True
    """Hit rates."""
    table_name: str | MISSING = MISSING
    """This one alone."""


class GetExamplesParams(Model):
    """Parameters of get_examples."""

    model_config = ConfigDict(
        extra="forbid",
    )
    example_type: Literal["minimal", "phone_call", "chat", "email", "video", "full_featured"]
    """Which one."""
    format: Literal["json", "yaml"] = "json"
    """Its form."""


class GetSchemaParams(Model):
    """Parameters of get_schema."""

    model_config = ConfigDict(
        extra="forbid",
    )
    format: Literal["json_schema", "typescript", "openapi"] = "json_schema"
    """Its language."""
    version: str = "latest"
    """0.3.0, 0.4.0 or latest."""


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
    version: Literal["latest", "original"] | MISSING = MISSING
    """Instead of it, its newest amended version or what it was first."""


class RemoveAllTagsParams(Model):
    """Parameters of remove_all_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""


class RemoveTagParams(Model):
    """Parameters of remove_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    key: str
    """Key, without a colon."""


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
    max_response_bytes: int = 250000
    """Over it: VALIDATION_ERROR with arguments that fit."""


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
    """Arrays to return; default parties."""
    max_response_bytes: int = 250000
    """Over it: VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Rows to skip; writes shift them."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""


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
    """Arrays to return; default parties."""
    max_response_bytes: int = 250000
    """Over it: VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Rows to skip; writes shift them."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""


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
    """Arrays to return; default parties."""
    limit: int = 50
    """Page size."""
    max_response_bytes: int = 250000
    """Over it: VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Rows to skip; writes shift them."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""


class SearchVconsSemanticParams(Model):
    """Parameters of search_vcons_semantic."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | MISSING = MISSING
    """A sentence."""
    threshold: float | MISSING = MISSING
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
    """Arrays to return; default parties."""
    max_response_bytes: int = 250000
    """Over it: VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Rows to skip; writes shift them."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""
    embedding: list[float] | MISSING = MISSING
    """384 numbers, the query's meaning."""


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
    """merge: RFC 7396 patch. append: to arrays. replace: whole members."""
    validate_after_update: bool = True
    """Refuse new violations of schema and indices; false reports them."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """
