"""Parameters of the tools of the `vcon_more` toolset.

Made from spec/tools/vcon_more and the shapes it uses (sha256:45cea0a3615d84961f145b3a0c1248a5c90d5c52568c16f428e44f8d52a4c428).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class AddPartyParams(Model):
    """Parameters of add_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    party: dict[str, Any]
    """Its members, as name, tel, mailto, role."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class AmendVconParams(Model):
    """Parameters of amend_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""


class RemoveAnalysisParams(Model):
    """Parameters of remove_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RemoveAttachmentParams(Model):
    """Parameters of remove_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """If indices point at it or behind it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RemoveDialogParams(Model):
    """Parameters of remove_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """If indices point at it or behind it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class RemovePartyParams(Model):
    """Parameters of remove_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    when_referenced: Literal["refuse", "placeholder"] = "refuse"
    """If indices point at it or behind it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class SignVconParams(Model):
    """Parameters of sign_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    content_hashes: bool = False
    """First put a content_hash into each element with inline content."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdateAnalysisParams(Model):
    """Parameters of update_analysis."""

    model_config = ConfigDict(
        extra="forbid",
    )
    analysis: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdateAttachmentParams(Model):
    """Parameters of update_attachment."""

    model_config = ConfigDict(
        extra="forbid",
    )
    attachment: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdateDialogParams(Model):
    """Parameters of update_dialog."""

    model_config = ConfigDict(
        extra="forbid",
    )
    dialog: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class UpdatePartyParams(Model):
    """Parameters of update_party."""

    model_config = ConfigDict(
        extra="forbid",
    )
    party: dict[str, Any]
    """Its members; null removes one."""
    merge_strategy: Literal["merge", "replace"] = "merge"
    """merge: RFC 7396 patch. replace: all of it."""
    vcon_uuid: str
    """Which vCon."""
    index: int
    """Its place in the array."""
    expected_updated_at: str | MISSING = MISSING
    """As read; else CONFLICT."""


class VerifyVconParams(Model):
    """Parameters of verify_vcon."""

    model_config = ConfigDict(
        extra="forbid",
    )
    vcon_uuid: str
    """Which vCon."""
    external: bool = False
    """Also fetch what lies at a url, from the hosts that are allowed."""
