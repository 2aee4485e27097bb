"""Parameters of the tools of the `bridge` toolset.

Made from spec (sha256:d8f62d49dc7a246a532446fd7b3c708cdcb175eeabfedec5b98877f424eb8f11).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class BridgeAutoframeParams(Model):
    """Parameters of bridge_autoframe."""

    model_config = ConfigDict(
        extra="forbid",
    )
    sourceId: str
    """Source ID."""
    preview: bool = False
    """Save nothing."""


class BridgeAutoweaveParams(Model):
    """Parameters of bridge_autoweave."""

    model_config = ConfigDict(
        extra="forbid",
    )
    momentIds: list[str] | MISSING = MISSING
    """Moment IDs."""
    sceneIds: list[str] | MISSING = MISSING
    """Scene IDs."""
    preview: bool = False
    """Save nothing."""


class BridgeCaptureParams(Model):
    """Parameters of bridge_capture."""

    model_config = ConfigDict(
        extra="forbid",
    )
    content: str | MISSING = MISSING
    """What you sense, feel, notice; present tense."""
    experiencer: str
    """Who lived it."""
    perspective: Literal["I", "we", "you", "they"]
    """Who speaks."""
    processing: Literal["during", "right-after", "long-after", "crafted"]
    """When captured."""
    contentType: str = "text"
    """Kind of text."""
    when: str | MISSING = MISSING
    """ISO or words like 'last night'."""
    reflects_on: list[str] | MISSING = MISSING
    """IDs of earlier sources."""
    file: str | MISSING = MISSING
    """Path of a text file."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class BridgeEnrichParams(Model):
    """Parameters of bridge_enrich."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    """Record ID."""
    updates: dict[str, Any]
    """Its fields, as in capture, frame and weave; reviewed; '' or [] clears."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class BridgeFrameParams(Model):
    """Parameters of bridge_frame."""

    model_config = ConfigDict(
        extra="forbid",
    )
    sourceIds: list[str]
    """Source IDs."""
    emoji: str
    """One emoji."""
    summary: str
    """5-7 words."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"]
    """How attention moved."""
    qualities: list[BridgeQuality]
    """How each shows up."""
    narrative: str | MISSING = MISSING
    """The whole story."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class BridgeQuality(Model):
    """A quality of the experience."""

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["embodied", "attentional", "emotional", "purposive", "spatial", "temporal", "relational"]
    """Which quality; will not grow."""
    manifestation: str
    """How it shows up."""


class BridgeReleaseParams(Model):
    """Parameters of bridge_release."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    """Record ID."""


class BridgeSearchParams(Model):
    """Parameters of bridge_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | MISSING = MISSING
    """Text or ID."""
    created: str | BridgeWindow | MISSING = MISSING
    """Capture time: ISO, 'last week', {start, end}."""
    when: str | BridgeWindow | MISSING = MISSING
    """Event time."""
    reflectedOn: str | MISSING = MISSING
    """Linked to this ID."""
    type: list[Literal["source", "moment", "scene"]] | MISSING = MISSING
    """Kinds."""
    experiencer: str | MISSING = MISSING
    """Name."""
    qualities: list[Literal["embodied", "attentional", "emotional", "purposive", "spatial", "temporal", "relational"]] | MISSING = (
        MISSING
    )
    """All of these."""
    perspective: Literal["I", "we", "you", "they"] | MISSING = MISSING
    """Exact."""
    processing: Literal["during", "right-after", "long-after", "crafted"] | MISSING = MISSING
    """Exact."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"] | MISSING = (
        MISSING
    )
    """Exact."""
    framed: bool | MISSING = MISSING
    """Framed."""
    groupBy: Literal["type", "experiencer", "day", "week", "month", "hierarchy"] | MISSING = MISSING
    """Grouping."""
    sort: Literal["relevance", "created", "when"] | MISSING = MISSING
    """Order."""
    limit: int = 20
    """Page size."""
    includeContext: bool = False
    """Whole records."""
    reviewed: bool | MISSING = MISSING
    """Reviewed."""


class BridgeStatusParams(Model):
    """Parameters of bridge_status."""

    model_config = ConfigDict(
        extra="forbid",
    )


class BridgeWeaveParams(Model):
    """Parameters of bridge_weave."""

    model_config = ConfigDict(
        extra="forbid",
    )
    momentIds: list[str]
    """Moment IDs."""
    emoji: str
    """One emoji."""
    summary: str
    """5-7 words."""
    narrative: str
    """What connects them."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"]
    """How attention moved."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class BridgeWindow(Model):
    """The shape BridgeWindow."""

    model_config = ConfigDict(
        extra="forbid",
    )
    start: str
    """From."""
    end: str
    """To; days, weeks, … whole."""
