"""Models of the tools of the `vcon` toolset.

Made from spec/tools/vcon and the shapes it uses (sha256:a29c19036e3678d4c1dc2f00bd4223668a0cd4851a638b14cefa71c8311ffdd6).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Annotated, Any, Literal

from pydantic import MISSING, ConfigDict, Field
from vcontract.generated.models.base import Model


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


class CreateVconParams(Model):
    """Parameters of create_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_data: dict[str, Any]
    """The vCon; members not named here are kept."""
    metadata: dict[str, Any] | MISSING = MISSING
    """Kept beside the vCon and returned in metadata."""
    validate_before_insert: bool = True
    """Refuse what the schema refuses; false stores it and reports it."""
    return_vcon: bool = False
    """Also return the stored vCon."""


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
    """The vCon's uuid."""
    confirm: bool
    """Must be true."""
    cascade_delete: bool = True
    """false refuses when there is any dialog, analysis or attachment."""


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


class GetSchemaParams(Model):
    """Parameters of get_schema."""

    model_config = ConfigDict(
        extra="forbid",
    )
    format: Literal["json_schema"] = "json_schema"
    """The language of the schema."""
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
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """The schema itself."""


class GetVconParams(Model):
    """Parameters of get_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """The vCon's uuid."""
    include_components: list[Literal["parties", "dialog", "analysis", "attachments", "all"]] | MISSING = (
        MISSING
    )
    """The arrays to return; all when left out, none for an empty list."""
    include_metadata: bool = True
    """Also return tags, counts, conformance and times."""


class GetVconResult(Model):
    """The success of get_vcon."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    vcon: dict[str, Any]
    """A vCon, every stored member under its current name; get_schema has its schema."""
    metadata: VconMetadata | MISSING = MISSING


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


class UpdateVconParams(Model):
    """Parameters of update_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    uuid: str
    """The vCon's uuid."""
    updates: dict[str, Any]
    """Top-level members to change; null removes a member."""
    merge_strategy: Literal["replace", "merge", "append"] = "merge"
    """merge: RFC 7396 patch. replace: the value whole. append: arrays are added to the end."""
    validate_after_update: bool = True
    """Refuse violations that were not there before."""
    expected_updated_at: str | MISSING = MISSING
    """The metadata.updated_at this change is based on; another one is CONFLICT."""


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
