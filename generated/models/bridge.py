"""Parameters of the tools of the `bridge` toolset.

Made from spec/tools/bridge and the shapes it uses (sha256:cc151ec7a86f98689ced8680e930d960b09b107e36492f926fbec9d56f5dfe77).
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


class BridgeAutoframeResult(Model):
    """The success of bridge_autoframe."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    preview: bool
    """True when nothing was saved."""
    created: list[dict[str, Any]]
    """The moments; in a preview without ids."""
    superseded: list[str]
    """Unreviewed records in whose place these stand now."""
    wouldSupersede: list[str] | MISSING = MISSING
    """In a preview, what would be superseded."""
    batch: BridgeBatch
    coverage: list[BridgeAutoframeResultCoverageEntry]
    """How much of each source is in an excerpt."""
    attempts: int
    """Tries that the model needed."""
    model: str | MISSING = MISSING
    """The model."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeAutoframeResultCoverageEntry(Model):
    """One entry of `coverage` of BridgeAutoframeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    sourceId: str
    """The source."""
    share: float
    """Share of its text, spaces aside."""


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


class BridgeAutoweaveResult(Model):
    """The success of bridge_autoweave."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    preview: bool
    """True when nothing was saved."""
    created: list[dict[str, Any]]
    """The scenes; in a preview without ids."""
    superseded: list[str]
    """Unreviewed records in whose place these stand now."""
    wouldSupersede: list[str] | MISSING = MISSING
    """In a preview, what would be superseded."""
    batch: BridgeBatch
    unplaced: list[BridgeAutoweaveResultUnplacedEntry]
    """Records of the batch that are in no scene."""
    attempts: int
    """Tries that the model needed."""
    model: str | MISSING = MISSING
    """The model."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeAutoweaveResultUnplacedEntry(Model):
    """One entry of `unplaced` of BridgeAutoweaveResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str
    """The record."""
    reason: str
    """Why, in the model's words."""


class BridgeBatch(Model):
    """What the model was given."""

    model_config = ConfigDict(
        extra="allow",
    )
    ids: list[str]
    """Records given."""
    leftOut: list[str]
    """Records that had no room."""


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
    """Source IDs."""
    file: str | MISSING = MISSING
    """Text file."""
    request_key: str | MISSING = MISSING
    """
    Of the client's making. The same call under the same key within 24 hours answers what the first one
    did, and writes nothing.
    """


class BridgeCaptureResult(Model):
    """The success of bridge_capture."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


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


class BridgeEnrichResult(Model):
    """The success of bridge_enrich."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    changes: list[BridgeEnrichResultChangesEntry]
    """What changed; long texts are cut at 200 characters."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeEnrichResultChangesEntry(Model):
    """One entry of `changes` of BridgeEnrichResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    field: str
    """The field."""
    before: str | MISSING = MISSING
    """Its value before, as text; absent when it had none."""
    after: str | MISSING = MISSING
    """Its value now, as text; absent when it has none."""


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


class BridgeFrameResult(Model):
    """The success of bridge_frame."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    superseded: list[str]
    """Unreviewed records in whose place this one stands now."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeNoticesEntry(Model):
    """One entry of the shape BridgeNotices."""

    model_config = ConfigDict(
        extra="allow",
    )
    code: str
    """A stable word; may grow."""
    message: str
    """What it means."""


class BridgeQuality(Model):
    """A quality of the experience."""

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["embodied", "attentional", "emotional", "purposive", "spatial", "temporal", "relational"]
    """Which quality; will not grow."""
    manifestation: str
    """How it shows up."""


class BridgeRecordRef(Model):
    """A record."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str
    """Its id."""
    type: Literal["source", "moment", "scene"]
    """Its kind; will not grow."""


class BridgeReleaseParams(Model):
    """Parameters of bridge_release."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    """Record ID."""


class BridgeReleaseResult(Model):
    """The success of bridge_release."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    released: list[BridgeRecordRef]
    """What is gone, the one asked for first."""
    unlinked: list[BridgeRecordRef]
    """What stays and has lost a link to it."""
    restored: list[BridgeRecordRef]
    """Superseded records that are active again."""
    alreadyReleased: bool | MISSING = MISSING
    """True when it was gone before."""
    releasedAt: str | MISSING = MISSING
    """When it went, RFC 3339."""
    causeId: str | MISSING = MISSING
    """The record whose release took it along."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeSearchParams(Model):
    """Parameters of bridge_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | MISSING = MISSING
    """Text or record ID."""
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
    """All."""
    perspective: Literal["I", "we", "you", "they"] | MISSING = MISSING
    """Exact."""
    processing: Literal["during", "right-after", "long-after", "crafted"] | MISSING = MISSING
    """Exact."""
    shot: Literal["moment-of-recognition", "sustained-attention", "crossing-threshold", "peripheral-awareness", "directed-momentum", "holding-opposites"] | MISSING = (
        MISSING
    )
    """Exact."""
    framed: bool | MISSING = MISSING
    """Framed sources."""
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


class BridgeSearchResult(Model):
    """The success of bridge_search."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    format: Literal["base", "enhanced", "grouped"]
    """Layout of the text; will not grow."""
    total: int
    """Matching records, also those not shown."""
    totalIsExact: bool
    """False when there may be more."""
    returned: int
    """Records shown."""
    results: list[dict[str, Any]]
    """In order, never nested."""
    groups: list[BridgeSearchResultGroupsEntry] | MISSING = MISSING
    """With groupBy, in the order of the text."""
    groupTotal: int | MISSING = MISSING
    """Groups, also those not listed."""
    emptyBecause: list[BridgeSearchResultEmptyBecauseEntry] | MISSING = MISSING
    """When nothing was found, by filter: how many would match without it."""
    applied: BridgeSearchResultApplied
    """What was searched for."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeSearchResultApplied(Model):
    """What was searched for."""

    model_config = ConfigDict(
        extra="allow",
    )
    filters: dict[str, Any]
    """Filters, times as resolved."""
    sort: str
    """Order."""
    groupBy: str | MISSING = MISSING
    """Grouping."""
    limit: int
    """Most records."""
    strategy: Literal["filters", "text", "both"]
    """How the query was matched: filters without one, both is by words and meaning; may grow."""


class BridgeSearchResultEmptyBecauseEntry(Model):
    """One entry of `emptyBecause` of BridgeSearchResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    without: str
    """The filter."""
    total: int
    """Records that match without it."""


class BridgeSearchResultGroupsEntry(Model):
    """One entry of `groups` of BridgeSearchResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    key: str
    """What the group is keyed by; in a hierarchy the id of its root."""
    label: str
    """Its name."""
    count: int
    """Matching records in it."""
    returned: int
    """Those shown."""
    ids: list[str]
    """Their ids."""


class BridgeStatusParams(Model):
    """Parameters of bridge_status."""

    model_config = ConfigDict(
        extra="forbid",
    )


class BridgeStatusResult(Model):
    """The success of bridge_status."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    counts: BridgeStatusResultCounts
    """Records; moments and scenes that were superseded are not among them."""
    unframedSources: int
    """Sources in no moment."""
    unwovenMoments: int
    """Moments in no scene."""
    unreviewed: BridgeStatusResultUnreviewed
    """Made by a model and not reviewed."""
    superseded: BridgeStatusResultSuperseded
    """Records in whose place another stands."""
    processingErrors: list[BridgeStatusResultProcessingErrorsEntry]
    """Unresolved errors of autoframe and autoweave in the last 30 days, by type."""
    recentActivity: BridgeStatusResultRecentActivity
    """What happened lately."""
    embeddings: BridgeStatusResultEmbeddings
    """How much can be found by meaning."""
    llm: BridgeStatusResultLlm
    """The language model of autoframe and autoweave."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeStatusResultCounts(Model):
    """Records; moments and scenes that were superseded are not among them."""

    model_config = ConfigDict(
        extra="allow",
    )
    sources: int
    """Sources."""
    reflections: int
    """Sources that reflect on another."""
    moments: int
    """Moments."""
    scenes: int
    """Scenes."""


class BridgeStatusResultEmbeddings(Model):
    """How much can be found by meaning."""

    model_config = ConfigDict(
        extra="allow",
    )
    passages: int
    """Passages."""
    embedded: int
    """Those with a vector."""
    coverage: float
    """embedded / passages; 1 without any."""
    model: str | MISSING = MISSING
    """The model searched."""
    oldestPendingSeconds: int | MISSING = MISSING
    """How long the oldest has waited."""


class BridgeStatusResultLlm(Model):
    """The language model of autoframe and autoweave."""

    model_config = ConfigDict(
        extra="allow",
    )
    configured: bool
    """Whether one is set."""
    model: str | MISSING = MISSING
    """Its name."""
    missing: list[str]
    """Settings that are not set."""


class BridgeStatusResultProcessingErrorsEntry(Model):
    """One entry of `processingErrors` of BridgeStatusResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    type: str
    """framing or weaving."""
    count: int
    """How many."""
    lastCode: str
    """Code of the last one."""
    lastReason: str
    """Its reason."""
    lastOccurrence: str
    """When, RFC 3339."""


class BridgeStatusResultRecentActivity(Model):
    """What happened lately."""

    model_config = ConfigDict(
        extra="allow",
    )
    hours: int
    """In so many hours."""
    captured: int
    """Sources captured."""
    framed: int
    """Moments framed."""
    woven: int
    """Scenes woven."""
    enriched: int
    """Records enriched."""
    released: int
    """Records released."""
    last: str | MISSING = MISSING
    """The last change, at any time, RFC 3339."""


class BridgeStatusResultSuperseded(Model):
    """Records in whose place another stands."""

    model_config = ConfigDict(
        extra="allow",
    )
    moments: int
    """Moments."""
    scenes: int
    """Scenes."""


class BridgeStatusResultUnreviewed(Model):
    """Made by a model and not reviewed."""

    model_config = ConfigDict(
        extra="allow",
    )
    moments: int
    """Moments."""
    scenes: int
    """Scenes."""


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


class BridgeWeaveResult(Model):
    """The success of bridge_weave."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    superseded: list[str]
    """Unreviewed records in whose place this one stands now."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeWindow(Model):
    """The shape BridgeWindow."""

    model_config = ConfigDict(
        extra="forbid",
    )
    start: str
    """From."""
    end: str
    """To; days, weeks, … whole."""
