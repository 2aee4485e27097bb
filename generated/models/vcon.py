"""Parameters of the tools of the `vcon` toolset.

Made from spec.
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
    """UUID of the vCon."""
    analysis: dict[str, Any]
    """The analysis, with any of its members. dialog holds indices."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class AddAttachmentParams(Model):
    """Parameters of add_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    attachment: dict[str, Any]
    """The attachment, with any of its members. party and dialog are indices."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class AddDialogParams(Model):
    """Parameters of add_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    dialog: dict[str, Any]
    """
    The dialog, with any of its members. start is RFC 3339, parties are indices, url requires
    content_hash.
    """
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class AddTagParams(Model):
    """Parameters of add_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    key: str
    """Key of the tag, without a colon."""
    value: int | str | float | bool
    """String, number or boolean. The type is kept."""
    overwrite: bool = True
    """false: fail with CONFLICT if the tag has another value."""


class AnalyzeQueryParams(Model):
    """Parameters of analyze_query."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """One PostgreSQL SELECT statement."""
    analyze_mode: Literal["explain", "explain_analyze"] = "explain"
    """explain: plan only. explain_analyze: run it for at most 5 seconds."""


class CreateVconFromTemplateParams(Model):
    """Parameters of create_vcon_from_template."""

    model_config = ConfigDict(
        extra="forbid",
    )
    template_name: Literal["phone_call", "chat_conversation", "email_thread", "video_meeting", "custom"]
    """Kind of conversation."""
    subject: str | MISSING = MISSING
    """Subject. Default: that of the template."""
    parties: list[dict[str, Any]]
    """Parties with name, tel, mailto, role. template_params refers to them by index, from 0."""
    metadata: dict[str, Any] | MISSING = MISSING
    """Tags to set, and file names to store with the vCon. Other members are kept as they are."""
    template_params: dict[str, Any] | MISSING = MISSING
    """
    `phone_call`: start, duration, originator, direction, recording_url, content_hash.
    `chat_conversation`: messages [{from, text, at}]. `email_thread`: messages [{from, to, cc, subject,
    body, date}]. `video_meeting`: as phone_call, attendance [{party, joined, left}]. `custom`: fields,
    dialog, analysis, attachments.
    """
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class CreateVconParams(Model):
    """Parameters of create_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_data: dict[str, Any]
    """
    The vCon, as in get_examples. A party has name, tel, mailto, role; a text dialog has type, start,
    parties, body; mediatype and encoding default to text/plain and none.
    """
    metadata: dict[str, Any] | MISSING = MISSING
    """Tags to set, and file names to store with the vCon. Other members are kept as they are."""
    validate_before_insert: bool = True
    """false: store the vCon although it breaks the schema, and report how."""
    return_vcon: bool = False
    """Also return the stored vCon."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class DeleteVconParams(Model):
    """Parameters of delete_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """UUID of the vCon."""
    confirm: bool
    """Must be true."""
    cascade_delete: bool = True
    """false: refuse to delete a vCon that has content."""


class GetAllTagsParams(Model):
    """Parameters of get_all_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""


class GetDatabaseShapeParams(Model):
    """Parameters of get_database_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_counts: bool = True
    """Include row counts."""
    include_sizes: bool = True
    """Include sizes in bytes."""
    include_indexes: bool = True
    """Include indexes."""
    include_columns: bool = False
    """Include columns."""
    include_internal: bool = False
    """Include internal tables."""


class GetDatabaseStatsParams(Model):
    """Parameters of get_database_stats."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_query_stats: bool = True
    """Include scans and statements."""
    include_index_usage: bool = True
    """Include index usage."""
    include_cache_stats: bool = True
    """Include cache hit rates."""
    table_name: str | MISSING = MISSING
    """Return only this table."""


class GetExamplesParams(Model):
    """Parameters of get_examples."""

    model_config = ConfigDict(
        extra="forbid",
    )
    example_type: Literal["minimal", "phone_call", "chat", "email", "video", "full_featured"]
    """Kind of conversation."""
    format: Literal["json", "yaml"] = "json"
    """Format of the example."""


class GetSchemaParams(Model):
    """Parameters of get_schema."""

    model_config = ConfigDict(
        extra="forbid",
    )
    format: Literal["json_schema", "typescript", "openapi"] = "json_schema"
    """Schema language."""
    version: str = "latest"
    """0.3.0, 0.4.0, 0.5.0 or latest."""


class GetTagParams(Model):
    """Parameters of get_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    key: str
    """Key of the tag, without a colon."""
    default_value: int | str | float | bool | dict[str, Any] | list[int | str | float | bool | dict[str, Any] | None] | None | MISSING = (
        MISSING
    )
    """Returned if the tag is absent."""


class GetUniqueTagsParams(Model):
    """Parameters of get_unique_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    include_counts: bool = False
    """Also count the vCons of each value."""
    key_filter: str | MISSING = MISSING
    """Return only keys that contain this text."""
    min_count: int = 1
    """Leave out values with fewer vCons."""


class GetVconParams(Model):
    """Parameters of get_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """UUID of the vCon."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return. Default: all."""
    include_metadata: bool = True
    """Also return tags, counts, conformance and times."""
    version: Literal["latest", "original"] | MISSING = MISSING
    """Return the newest amended version or the original instead."""
    vcon_version: Literal["0.4.0", "0.5.0"] | MISSING = MISSING
    """Version of the syntax to return it in. Default: as stored."""


class RemoveAllTagsParams(Model):
    """Parameters of remove_all_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""


class RemoveTagParams(Model):
    """Parameters of remove_tag."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    key: str
    """Key of the tag, without a colon."""


class SearchByTagsParams(Model):
    """Parameters of search_by_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    tags: dict[str, int | str | float | bool]
    """Tags and their values, all of which must match."""
    limit: int = 50
    """Results per page."""
    offset: int = 0
    """Results to skip. Writes in between shift them."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return. Default: parties."""
    max_response_bytes: int = 250000
    """A larger response is a VALIDATION_ERROR with arguments that fit."""


class SearchVconsContentParams(Model):
    """Parameters of search_vcons_content."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str
    """Words to find."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Tags and their values, all of which must match."""
    start_date: str | MISSING = MISSING
    """From this date on: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Up to this date. A day without a time is included."""
    limit: int = 50
    """Results per page."""
    include_snippets: bool = True
    """Return the text around each match."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return. Default: parties."""
    max_response_bytes: int = 250000
    """A larger response is a VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Results to skip. Writes in between shift them."""
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
    """Weight of meaning against words."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Tags and their values, all of which must match."""
    start_date: str | MISSING = MISSING
    """From this date on: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Up to this date. A day without a time is included."""
    limit: int = 30
    """Results per page."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return. Default: parties."""
    max_response_bytes: int = 250000
    """A larger response is a VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Results to skip. Writes in between shift them."""
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
    """Part of the subject."""
    party_name: str | MISSING = MISSING
    """Whole words of a name; Andr* is a beginning."""
    party_email: str | MISSING = MISSING
    """Part of an email address."""
    party_tel: str | MISSING = MISSING
    """At least 3 digits of a phone number."""
    start_date: str | MISSING = MISSING
    """From this date on: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Up to this date. A day without a time is included."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Tags and their values, all of which must match."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return. Default: parties."""
    limit: int = 50
    """Results per page."""
    max_response_bytes: int = 250000
    """A larger response is a VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Results to skip. Writes in between shift them."""
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
    """A sentence or question."""
    threshold: float | MISSING = MISSING
    """Minimum similarity. Unrelated texts rarely reach 0.5."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Tags and their values, all of which must match."""
    start_date: str | MISSING = MISSING
    """From this date on: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Up to this date. A day without a time is included."""
    limit: int = 20
    """Results per page."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """Arrays to return. Default: parties."""
    max_response_bytes: int = 250000
    """A larger response is a VALIDATION_ERROR with arguments that fit."""
    offset: int = 0
    """Results to skip. Writes in between shift them."""
    party_role: str | MISSING = MISSING
    """Role of that party, in any case."""
    analysis_type: str | MISSING = MISSING
    """Exact type of an analysis."""
    analysis_vendor: str | MISSING = MISSING
    """Exact vendor of an analysis, of that type if one is given."""
    attachment_type: str | MISSING = MISSING
    """Exact purpose, or older type, of an attachment."""
    embedding: list[float] | MISSING = MISSING
    """Embedding of the query, 384 numbers."""


class UpdateTagsParams(Model):
    """Parameters of update_tags."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """UUID of the vCon."""
    tags: dict[str, int | str | float | bool]
    """Tags and their values."""
    merge: bool = True
    """false: remove all other tags."""


class UpdateVconParams(Model):
    """Parameters of update_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """UUID of the vCon."""
    updates: dict[str, Any]
    """Members to change. null removes a member."""
    merge_strategy: Literal["replace", "merge", "append"] = "merge"
    """merge: patch as in RFC 7396. append: add to arrays. replace: replace whole members."""
    validate_after_update: bool = True
    """Reject updates that break the schema. false: only report them, except wrong types."""
    expected_updated_at: str | MISSING = MISSING
    """updated_at that you read. Fails with CONFLICT if the vCon changed since then."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """
