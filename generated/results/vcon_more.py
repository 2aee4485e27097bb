"""Results of the tools of the `vcon_more` toolset.

Made from spec/tools/vcon_more and the shapes it uses (sha256:d2aeab9bdac239293ab1b8fdc849a31515323776d382c36304859afbf45c75f6).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal, NotRequired, TypedDict


class AddPartyResult(TypedDict):
    """The success of add_party."""

    success: Literal[True]
    message: str
    """What was done."""
    party_index: int
    """Where it stands in parties."""
    vcon_uuid: str
    """The vCon's uuid."""
    updated_at: str
    """When the vCon was changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


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


class RemoveAnalysisResult(TypedDict):
    """The success of remove_analysis."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in analysis."""
    left_placeholder: bool
    """Whether an empty one stands in its place."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class RemoveAttachmentResult(TypedDict):
    """The success of remove_attachment."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in attachments."""
    left_placeholder: bool
    """Whether an empty one stands in its place."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class RemoveDialogResult(TypedDict):
    """The success of remove_dialog."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in dialog."""
    left_placeholder: bool
    """Whether an empty one stands in its place."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class RemovePartyResult(TypedDict):
    """The success of remove_party."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stood in parties."""
    left_placeholder: bool
    """Whether an empty one stands in its place."""
    moved: int
    """How many behind it have an index less by one now."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdateAnalysisResult(TypedDict):
    """The success of update_analysis."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stands in analysis."""
    changed: list[str]
    """Its members that changed."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdateAttachmentResult(TypedDict):
    """The success of update_attachment."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stands in attachments."""
    changed: list[str]
    """Its members that changed."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdateDialogResult(TypedDict):
    """The success of update_dialog."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stands in dialog."""
    changed: list[str]
    """Its members that changed."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class UpdatePartyResult(TypedDict):
    """The success of update_party."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    index: int
    """Where it stands in parties."""
    changed: list[str]
    """Its members that changed."""
    counts: Counts
    updated_at: str
    """When the vCon was last changed, RFC 3339 in UTC."""
    warnings: NotRequired[list[WarningsEntry]]
    """What was accepted but deserves a look. Absent when empty."""


class WarningsEntry(TypedDict):
    """One entry of the shape Warnings."""

    code: str
    """
    legacy_name, standard_base64, unsupported_critical, tag_ignored, would_violate,
    conversation_date_missing and others; may grow.
    """
    path: NotRequired[str]
    """Where in the vCon."""
    message: str
    """What it means."""
