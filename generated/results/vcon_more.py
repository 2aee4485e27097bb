"""Results of the tools of the `vcon_more` toolset.

Made from spec/tools/vcon_more and the shapes it uses (sha256:d862c1c30f193eb18f7f19be6327ca39d66b1a7a41868db21a507319da149e77).
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


class AmendVconResult(TypedDict):
    """The success of amend_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """Uuid of the new version."""
    amends: str
    """Uuid of the version before."""
    updated_at: str
    """When the new version was made, RFC 3339 in UTC."""


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


class SignVconResult(TypedDict):
    """The success of sign_vcon."""

    success: Literal[True]
    message: str
    """What was done."""
    vcon_uuid: str
    """The vCon's uuid."""
    algorithm: Literal["RS256", "ES256"]
    """That of the server's key; may grow."""
    signer: NotRequired[str]
    """Subject of the certificate beside the key; absent without one."""
    content_hashes: NotRequired[int]
    """Hashes that were added."""
    updated_at: str
    """The time of signing, RFC 3339 in UTC."""


class Signature(TypedDict):
    """The shape Signature."""

    status: Literal["verified", "unverified", "broken"]
    """What this one says; will not grow."""
    reason: Literal["trusted_certificate", "trusted_key", "algorithm_not_allowed", "certificate_not_trusted", "certificate_unreadable", "certificate_elsewhere", "no_trusted_key_fits", "signature_wrong", "signature_malformed"]
    """Why; may grow."""
    algorithm: NotRequired[str]
    """RS256 or ES256."""
    signer: NotRequired[str]
    """Subject of its certificate, whether trusted or not."""
    detail: NotRequired[str]
    """More on the reason."""


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


class VerifyVconResult(TypedDict):
    """The success of verify_vcon."""

    success: Literal[True]
    vcon_uuid: str
    """The vCon's uuid."""
    signature: VerifyVconResultSignature
    content_hashes: VerifyVconResultContentHashes


class VerifyVconResultContentHashes(TypedDict):
    """`content_hashes` of VerifyVconResult."""

    status: Literal["right", "wrong", "unchecked", "none"]
    """wrong when any is; none when no element has a hash; will not grow."""
    right: int
    """Hashes that fit."""
    wrong: list[str]
    """Paths of those that do not."""
    unchecked: list[VerifyVconResultContentHashesUncheckedEntry]
    """Those that were not checked; the first 50."""


class VerifyVconResultContentHashesUncheckedEntry(TypedDict):
    """One entry of `unchecked` of VerifyVconResultContentHashes."""

    path: str
    """The element."""
    reason: Literal["not_fetched", "algorithm_not_known", "no_content"]
    """Why; may grow."""


class VerifyVconResultSignature(TypedDict):
    """`signature` of VerifyVconResult."""

    status: Literal["verified", "unverified", "broken", "unsigned"]
    """broken: not what was signed. unverified: nothing trusted here vouches for it; will not grow."""
    message: str
    """What it means."""
    signatures: NotRequired[list[Signature]]
    """Each signature, the outermost first."""


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
