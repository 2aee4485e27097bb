"""Results of the tools of the `vcon_more` toolset.

Made from spec/tools/vcon_more and the shapes it uses (sha256:964b7d996b4cee7c8365d25816a0933edc7714cca029b0f9fdc1aea9cfd18606).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal, NotRequired, TypedDict


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
