"""Parameters of the tools of the `bridge` toolset.

Made from spec.
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
    """ID of the source."""
    preview: bool = False
    """true: return the result without saving it."""


class BridgeAutoweaveParams(Model):
    """Parameters of bridge_autoweave."""

    model_config = ConfigDict(
        extra="forbid",
    )
    momentIds: list[str] | MISSING = MISSING
    """IDs of moments."""
    sceneIds: list[str] | MISSING = MISSING
    """IDs of scenes."""
    preview: bool = False
    """true: return the result without saving it."""


class BridgeCaptureParams(Model):
    """Parameters of bridge_capture."""

    model_config = ConfigDict(
        extra="forbid",
    )
    content: str | MISSING = MISSING
    """What was sensed, felt and noticed, in the present tense."""
    experiencer: str
    """Who lived it."""
    perspective: Literal["I", "we", "you", "they"]
    """Grammatical person of the text."""
    processing: Literal["during", "right-after", "long-after", "crafted"]
    """When it was written, relative to the experience."""
    contentType: str = "text"
    """Kind of text, such as text or transcript."""
    when: str | MISSING = MISSING
    """ISO or words like 'last night'."""
    reflects_on: list[str] | MISSING = MISSING
    """IDs of earlier sources that this one reflects on."""
    file: str | MISSING = MISSING
    """Path of a text file to read."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class BridgeEnrichParams(Model):
    """Parameters of bridge_enrich."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    """Record ID."""
    updates: dict[str, Any]
    """Fields to change, as in capture, frame and weave, and reviewed. '' or [] clears a field."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class BridgeFrameParams(Model):
    """Parameters of bridge_frame."""

    model_config = ConfigDict(
        extra="forbid",
    )
    sourceIds: list[str]
    """IDs of the sources."""
    emoji: str
    """One emoji."""
    summary: str
    """Summary in 5 to 7 words."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"]
    """How attention moved."""
    qualities: list[BridgeQuality]
    """Qualities of the experience, and how each shows."""
    narrative: str | MISSING = MISSING
    """The whole story."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
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
    """Captured: ISO or 'last week'."""
    when: str | BridgeWindow | MISSING = MISSING
    """Event time."""
    reflectedOn: str | MISSING = MISSING
    """Reflects on ID."""
    type: list[Literal["source", "moment", "scene"]] | MISSING = MISSING
    """Types."""
    experiencer: str | MISSING = MISSING
    """Whose."""
    qualities: list[Literal["embodied", "attentional", "emotional", "purposive", "spatial", "temporal", "relational"]] | MISSING = (
        MISSING
    )
    """All."""
    perspective: Literal["I", "we", "you", "they"] | MISSING = MISSING
    """At capture."""
    processing: Literal["during", "right-after", "long-after", "crafted"] | MISSING = MISSING
    """At capture."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"] | MISSING = (
        MISSING
    )
    """Of a moment."""
    framed: bool | MISSING = MISSING
    """In a moment."""
    groupBy: Literal["type", "experiencer", "day", "week", "month", "hierarchy"] | MISSING = MISSING
    """By event time."""
    sort: Literal["relevance", "created", "when"] | MISSING = MISSING
    """Order."""
    limit: int = 20
    """Page size."""
    includeContext: bool = False
    """Whole records."""
    reviewed: bool | MISSING = MISSING
    """By a person."""


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
    """IDs of the moments."""
    emoji: str
    """One emoji."""
    summary: str
    """Summary in 5 to 7 words."""
    narrative: str
    """What connects the moments."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"]
    """How attention moved."""
    request_key: str | MISSING = MISSING
    """
    A unique text for this change. A repeated call with the same key within 24 hours returns the first
    response and writes nothing.
    """


class BridgeWindow(Model):
    """The shape BridgeWindow."""

    model_config = ConfigDict(
        extra="forbid",
    )
    start: str
    """From."""
    end: str
    """To, inclusive."""
