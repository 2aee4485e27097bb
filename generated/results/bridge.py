"""Results of the tools of the `bridge` toolset.

Made from spec/tools/bridge and the shapes it uses (sha256:f1c44a871bf70b9ac815a6912c93b2a6a61b046d0a435e896a5ded9a735865fc).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class BridgeAutoframeResult(TypedDict):
    """The success of bridge_autoframe."""

    success: Literal[True]
    preview: bool
    """True when nothing was saved."""
    created: list[dict[str, Any]]
    """The moments; in a preview without ids."""
    superseded: list[str]
    """Unreviewed records in whose place these stand now."""
    wouldSupersede: NotRequired[list[str]]
    """In a preview, what would be superseded."""
    batch: BridgeBatch
    coverage: list[BridgeAutoframeResultCoverageEntry]
    """How much of each source is in an excerpt."""
    attempts: int
    """Tries that the model needed."""
    model: NotRequired[str]
    """The model."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeAutoframeResultCoverageEntry(TypedDict):
    """One entry of `coverage` of BridgeAutoframeResult."""

    sourceId: str
    """The source."""
    share: float
    """Share of its text, spaces aside."""


class BridgeAutoweaveResult(TypedDict):
    """The success of bridge_autoweave."""

    success: Literal[True]
    preview: bool
    """True when nothing was saved."""
    created: list[dict[str, Any]]
    """The scenes; in a preview without ids."""
    superseded: list[str]
    """Unreviewed records in whose place these stand now."""
    wouldSupersede: NotRequired[list[str]]
    """In a preview, what would be superseded."""
    batch: BridgeBatch
    unplaced: list[BridgeAutoweaveResultUnplacedEntry]
    """Records of the batch that are in no scene."""
    attempts: int
    """Tries that the model needed."""
    model: NotRequired[str]
    """The model."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeAutoweaveResultUnplacedEntry(TypedDict):
    """One entry of `unplaced` of BridgeAutoweaveResult."""

    id: str
    """The record."""
    reason: str
    """Why, in the model's words."""


class BridgeBatch(TypedDict):
    """What the model was given."""

    ids: list[str]
    """Records given."""
    leftOut: list[str]
    """Records that had no room."""


class BridgeCaptureResult(TypedDict):
    """The success of bridge_capture."""

    success: Literal[True]
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeEnrichResult(TypedDict):
    """The success of bridge_enrich."""

    success: Literal[True]
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    changes: list[BridgeEnrichResultChangesEntry]
    """What changed; long texts are cut at 200 characters."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeEnrichResultChangesEntry(TypedDict):
    """One entry of `changes` of BridgeEnrichResult."""

    field: str
    """The field."""
    before: NotRequired[str]
    """Its value before, as text; absent when it had none."""
    after: NotRequired[str]
    """Its value now, as text; absent when it has none."""


class BridgeFrameResult(TypedDict):
    """The success of bridge_frame."""

    success: Literal[True]
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    superseded: list[str]
    """Unreviewed records in whose place this one stands now."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeNoticesEntry(TypedDict):
    """One entry of the shape BridgeNotices."""

    code: str
    """A stable word; may grow."""
    message: str
    """What it means."""


class BridgeRecordRef(TypedDict):
    """A record."""

    id: str
    """Its id."""
    type: Literal["source", "moment", "scene"]
    """Its kind; will not grow."""


class BridgeReleaseResult(TypedDict):
    """The success of bridge_release."""

    success: Literal[True]
    released: list[BridgeRecordRef]
    """What is gone, the one asked for first."""
    unlinked: list[BridgeRecordRef]
    """What stays and has lost a link to it."""
    restored: list[BridgeRecordRef]
    """Superseded records that are active again."""
    alreadyReleased: NotRequired[bool]
    """True when it was gone before."""
    releasedAt: NotRequired[str]
    """When it went, RFC 3339."""
    causeId: NotRequired[str]
    """The record whose release took it along."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeSearchResult(TypedDict):
    """The success of bridge_search."""

    success: Literal[True]
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
    groups: NotRequired[list[BridgeSearchResultGroupsEntry]]
    """With groupBy, in the order of the text."""
    groupTotal: NotRequired[int]
    """Groups, also those not listed."""
    emptyBecause: NotRequired[list[BridgeSearchResultEmptyBecauseEntry]]
    """When nothing was found, by filter: how many would match without it."""
    applied: BridgeSearchResultApplied
    """What was searched for."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""


class BridgeSearchResultApplied(TypedDict):
    """What was searched for."""

    filters: dict[str, Any]
    """Filters, times as resolved."""
    sort: str
    """Order."""
    groupBy: NotRequired[str]
    """Grouping."""
    limit: int
    """Most records."""
    strategy: Literal["filters", "text", "both"]
    """How the query was matched: filters without one, both is by words and meaning; may grow."""


class BridgeSearchResultEmptyBecauseEntry(TypedDict):
    """One entry of `emptyBecause` of BridgeSearchResult."""

    without: str
    """The filter."""
    total: int
    """Records that match without it."""


class BridgeSearchResultGroupsEntry(TypedDict):
    """One entry of `groups` of BridgeSearchResult."""

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


class BridgeStatusResult(TypedDict):
    """The success of bridge_status."""

    success: Literal[True]
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


class BridgeStatusResultCounts(TypedDict):
    """Records; moments and scenes that were superseded are not among them."""

    sources: int
    """Sources."""
    reflections: int
    """Sources that reflect on another."""
    moments: int
    """Moments."""
    scenes: int
    """Scenes."""


class BridgeStatusResultEmbeddings(TypedDict):
    """How much can be found by meaning."""

    passages: int
    """Passages."""
    embedded: int
    """Those with a vector."""
    coverage: float
    """embedded / passages; 1 without any."""
    model: NotRequired[str]
    """The model searched."""
    oldestPendingSeconds: NotRequired[int]
    """How long the oldest has waited."""


class BridgeStatusResultLlm(TypedDict):
    """The language model of autoframe and autoweave."""

    configured: bool
    """Whether one is set."""
    model: NotRequired[str]
    """Its name."""
    missing: list[str]
    """Settings that are not set."""


class BridgeStatusResultProcessingErrorsEntry(TypedDict):
    """One entry of `processingErrors` of BridgeStatusResult."""

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


class BridgeStatusResultRecentActivity(TypedDict):
    """What happened lately."""

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
    last: NotRequired[str]
    """The last change, at any time, RFC 3339."""


class BridgeStatusResultSuperseded(TypedDict):
    """Records in whose place another stands."""

    moments: int
    """Moments."""
    scenes: int
    """Scenes."""


class BridgeStatusResultUnreviewed(TypedDict):
    """Made by a model and not reviewed."""

    moments: int
    """Moments."""
    scenes: int
    """Scenes."""


class BridgeWeaveResult(TypedDict):
    """The success of bridge_weave."""

    success: Literal[True]
    record: dict[str, Any]
    """A source, moment or scene; what it lacks is absent."""
    superseded: list[str]
    """Unreviewed records in whose place this one stands now."""
    warnings: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
    hints: list[BridgeNoticesEntry]
    """What deserves a look, each with a stable code; empty when there is nothing."""
