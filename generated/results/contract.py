"""Results of the tools and contents of the resources of the `contract` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class CorpusEnd(TypedDict):
    """The conversation that began first or last. Absent if nothing is stored."""

    id: str
    """ID of the vCon."""
    created_at: str
    """When it was made, RFC 3339 in UTC."""
    began_at: NotRequired[str]
    """When it began. Absent if equal to created_at."""


class CorrectionsEntry(TypedDict):
    """One entry of the shape Corrections."""

    word: str
    """The word of the query."""
    used: str
    """The word searched instead."""
    similarity: float
    """How close they are."""


class DescribeResponseShapeResult(TypedDict):
    """The success of describe_response_shape."""

    ok: Literal[True]
    item: NotRequired[DescribeResponseShapeResultItem]
    meta: NotRequired[DescribeResponseShapeResultMeta]
    items: NotRequired[list[DescribeResponseShapeResultEntry]]
    page: NotRequired[DescribeResponseShapeResultPage]


class DescribeResponseShapeResultEntry(TypedDict):
    """One entry of `items` of DescribeResponseShapeResult."""

    tool_name: str
    """The tool's name."""
    toolset: str
    """Its toolset."""
    title: str
    """Its title."""
    envelope: str
    """item, page, success or document."""
    stability: str
    """experimental, beta or stable."""
    typical_bytes: dict[str, Any]
    """Bytes: example; measured on a realistic store: typical, and per_item for pages."""


class DescribeResponseShapeResultItem(TypedDict):
    """`item` of DescribeResponseShapeResult."""

    tool_name: str
    """The tool's name."""
    toolset: str
    """Its toolset."""
    title: str
    """Its title."""
    envelope: str
    """item, page, success or document."""
    text: NotRequired[bool]
    """Whether the text content is prose, with the JSON only in structuredContent. Otherwise absent."""
    stability: str
    """experimental, beta or stable."""
    schema: dict[str, Any]
    """
    The output schema: whole as in tools/list, otherwise of success alone, without descriptions and
    bounds.
    """
    arguments_schema: dict[str, Any]
    """The schema of its arguments, without descriptions unless whole."""
    example: NotRequired[dict[str, Any]]
    """A response that fits the schema."""
    typical_bytes: dict[str, Any]
    """Bytes: example; measured on a realistic store: typical, and per_item for pages."""
    errors: list[DescribeResponseShapeResultItemErrorsEntry]
    """The errors that this tool can return."""


class DescribeResponseShapeResultItemErrorsEntry(TypedDict):
    """One entry of `errors` of DescribeResponseShapeResultItem."""

    code: str
    """The error code."""
    retryable: bool
    """Whether the same call may succeed later."""
    message: str
    """What it means."""
    details_schema: dict[str, Any]
    """Schema of the details. Empty unless whole."""


class DescribeResponseShapeResultMeta(TypedDict):
    """`meta` of DescribeResponseShapeResult."""

    response_bytes: NotRequired[int]
    """Bytes of this response as JSON, including this number."""
    max_response_bytes: NotRequired[int]
    """The byte budget of the call."""


class DescribeResponseShapeResultPage(TypedDict):
    """`page` of DescribeResponseShapeResult."""

    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Number of tools."""


class FetchedTurn(TypedDict):
    """A turn of a transcript."""

    turn: int
    """Number of the turn, from 0, as in hits of vcon_search."""
    speaker: NotRequired[str]
    """Speaker, if known."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC, if known."""
    dialog: NotRequired[int]
    """Index of its dialog."""
    analysis: NotRequired[int]
    """Index of the analysis that its words come from, if any."""
    text: str
    """The whole text."""
    instead: NotRequired[str]
    """Type of a turn without words, such as recording."""


class GraphShapeContent(TypedDict):
    """The content of vcon://v1/graph/shape."""

    nodes: list[GraphShapeContentNodesEntry]
    """Features of vCons."""
    edges: list[GraphShapeContentEdgesEntry]
    """Pairs of these nodes, each once, source before target."""
    corpus: GraphShapeContentCorpus
    """What was counted."""
    truncated: GraphShapeContentTruncated
    """Numbers left out because of max_nodes and max_edges."""


class GraphShapeContentCorpus(TypedDict):
    """What was counted."""

    vcons: int
    """Number of vCons."""
    edges_from: int
    """vCons that edges are counted from."""
    sampled: bool
    """Whether these are a sample."""
    computed_at: str
    """When it was counted, RFC 3339."""
    counted: NotRequired[int]
    """Number of vCons that query and filters match, up to 10,000. Absent without them."""
    versions_left_out: NotRequired[int]
    """Number of earlier and redacted versions that are not counted. filters.versions: all counts them."""
    said_unknown: NotRequired[int]
    """
    Number of vCons that match the other filters, but whose words, times or roles are too little known
    for said or not_said. They are not counted.
    """
    first: NotRequired[CorpusEnd]
    last: NotRequired[CorpusEnd]


class GraphShapeContentEdgesEntry(TypedDict):
    """One entry of `edges` of GraphShapeContent."""

    source: str
    """A node's id."""
    target: str
    """Another node's id."""
    strength: float
    """Share of the vCons with the rarer feature that also have the other."""
    joint_count: int
    """Number of vCons that have both, of those that edges are counted from."""


class GraphShapeContentNodesEntry(TypedDict):
    """One entry of `nodes` of GraphShapeContent."""

    id: str
    """ID, such as analysis:transcript or tag:priority."""
    type: str
    """
    analysis_type, tag_key, attachment_purpose, dialog_type, party_role, extension, dealer, month, day,
    hour, party or tag_value; may grow.
    """
    label: str
    """Name without the type. Times in UTC: 2025-10, 2025-10-14, Tue 09."""
    count: int
    """Exact number of vCons that have it."""


class GraphShapeContentTruncated(TypedDict):
    """Numbers left out because of max_nodes and max_edges."""

    nodes: int
    """Nodes left out."""
    edges: int
    """Edges between the listed nodes left out."""


class HintsEntry(TypedDict):
    """One entry of the shape Hints."""

    reason: str
    """
    Nothing matches: nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has
    the first and the last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen,
    words_never_together, demands_never_together, not_by_speaker, below_threshold or vectors_pending.
    Weak matches only, at most five: only_weak_matches. The query is a UUID: query_is_a_vcon. How a word
    of the query was read: date_in_query, field_in_query, part_of_a_number, no_wildcard, no_operator or
    words_joined; may grow.
    """
    message: str
    """The reason in a sentence."""
    filter: NotRequired[str]
    """The filter that it is about."""
    nearest: NotRequired[list[dict[str, Any]]]
    """Similar known values."""
    suggestion: NotRequired[dict[str, Any]]
    """Arguments to send instead, or another tool with its arguments."""


class ImportsContent(TypedDict):
    """The content of vcon://v1/imports."""

    stored: ImportsContentStored
    """Stored vCons and bytes of the caller's tenant, as counted for quotas."""
    count: int
    """Imports in this answer."""
    imports: list[ImportsContentImportsEntry]
    """At most 50."""


class ImportsContentImportsEntry(TypedDict):
    """One entry of `imports` of ImportsContent."""

    at: str
    """When it ended, RFC 3339."""
    report: dict[str, Any]
    """Counts, the rules that refused, and the first files that were refused."""


class ImportsContentStored(TypedDict):
    """Stored vCons and bytes of the caller's tenant, as counted for quotas."""

    vcons: int
    """How many vCons."""
    bytes: int
    """Bytes of vCons, records and transcripts, without indexes."""


class Item(TypedDict):
    """One vCon by include groups. Groups that you did not ask for are absent."""

    id: str
    """ID for other calls. Equal to uuid."""
    uuid: str
    """The vCon's uuid."""
    created_at: str
    """created_at of the vCon, RFC 3339 in UTC."""
    began_at: NotRequired[str]
    """Start of its earliest dialog. Absent if it is created_at."""
    updated_at: str
    """When it was last changed here, RFC 3339 in UTC."""
    vcon_version: NotRequired[str]
    """The vCon version, if stated."""
    subject: NotRequired[str]
    """The subject, if it has one."""
    extensions: NotRequired[list[str]]
    """Extensions that it uses."""
    critical: NotRequired[list[str]]
    """Extensions a reader must support."""
    redacted: NotRequired[dict[str, Any]]
    """The version that it was redacted from."""
    amended: NotRequired[dict[str, Any]]
    """The version that it amends."""
    other_members: NotRequired[list[str]]
    """Names of further top-level members. get_vcon returns their values."""
    parties: NotRequired[list[dict[str, Any]]]
    """Group parties: whole, in order."""
    summary: NotRequired[list[ItemSummaryEntry]]
    """Group summary: the analyses of type summary as text."""
    transcript: NotRequired[ItemTranscript | None]
    """Group transcript: what was said. null if no words are stored."""
    tags: NotRequired[dict[str, int | str | float | bool]]
    """Tags with their typed values."""
    dealer: NotRequired[dict[str, Any] | None]
    """Group dealer. null if no attachment names one."""
    counts: NotRequired[ItemCounts]
    """Group counts: lengths of the four arrays, and of what was said."""
    sessions: NotRequired[list[dict[str, Any]]]
    """Group events: sessions, whole."""
    events: NotRequired[list[dict[str, Any]]]
    """Group events: joins, holds, transfers and others, by time."""
    dialog: NotRequired[list[dict[str, Any]]]
    """Group dialog: whole, in order."""
    analysis: NotRequired[list[dict[str, Any]]]
    """Group analysis: whole, in order."""
    attachments: NotRequired[list[dict[str, Any]]]
    """Group attachments: whole, in order, each with its effective purpose."""


class ItemCounts(TypedDict):
    """Group counts: lengths of the four arrays, and of what was said."""

    parties: int
    """Number of parties."""
    dialog: int
    """Number of dialogs."""
    analysis: int
    """Number of analyses."""
    attachments: int
    """Number of attachments."""
    turns: NotRequired[int]
    """Turns of the transcript that have words."""
    words: NotRequired[int]
    """Words of these turns, separated by white space."""
    opening: NotRequired[str]
    """The first words, up to 160 characters."""
    duration_seconds: NotRequired[float]
    """Total duration of the dialogs. Absent if unknown."""
    speakers: NotRequired[list[ItemCountsSpeakersEntry]]
    """Words by speaker, most first. Unknown speakers are omitted."""


class ItemCountsSpeakersEntry(TypedDict):
    """One entry of `speakers` of ItemCounts."""

    speaker: str
    """The name, as in the transcript."""
    turns: int
    """Turns."""
    words: int
    """Words."""
    seconds: NotRequired[float]
    """Total seconds of turns with a known length. Absent if unknown."""


class ItemSummaryEntry(TypedDict):
    """One entry of `summary` of Item."""

    analysis_index: int
    """Index in analysis."""
    type: NotRequired[str]
    """The analysis type as stored."""
    vendor: NotRequired[str]
    """Who made it."""
    product: NotRequired[str]
    """What made it."""
    schema: NotRequired[str]
    """Its format."""
    dialog: NotRequired[int | list[int]]
    """The dialogs it was made from."""
    text: str
    """The whole text."""


class ItemTranscript(TypedDict):
    """`transcript` of Item."""

    source: str
    """Where the words come from: dialog, analysis or both; may grow."""
    type: NotRequired[str]
    """The type of that analysis."""
    text: str
    """
    All words in order of time, one turn per line, with known speakers. Holds, transfers and an agent's
    tool calls are lines in parentheses. With turns, only these.
    """
    total_turns: NotRequired[int]
    """Number of turns."""
    untranscribed: NotRequired[list[int]]
    """Turns that are recordings without stored words."""


class MeaningMapContent(TypedDict):
    """The content of vcon://v1/map."""

    state: str
    """ready; making while it is being made, ask again; none where nothing has a vector; may grow."""
    vcons: int
    """Number of vCons."""
    computed_at: NotRequired[str]
    """When it was made, RFC 3339."""
    explained: NotRequired[float]
    """Share of the variance between the vectors that the plane shows."""
    points: list[MeaningMapContentPointsEntry]
    """At most 1,000 vCons, a sample that stays the same."""


class MeaningMapContentPointsEntry(TypedDict):
    """One entry of `points` of MeaningMapContent."""

    id: str
    """ID of the vCon."""
    x: float
    """From the left."""
    y: float
    """From the bottom."""
    subject: NotRequired[str]
    """What it is about, if it says."""
    value: NotRequired[str]
    """Its value of the tag, if it has one."""


class ServedContractContent(TypedDict):
    """The content of vcon://v1/contract."""

    contract: ServedContractContentContract
    """Name, version and digest of the contract; the digest changes when anything a client sees changes."""
    supported_includes: list[str]
    """The include groups."""
    default_includes: dict[str, Any]
    """The groups that each tool returns by default."""
    search_modes: list[ServedContractContentSearchModesEntry]
    """The modes of vcon_search."""
    pagination_semantics: dict[str, Any]
    """How to follow pages."""
    byte_budgets: dict[str, Any]
    """The parameter, its default and bounds, and the error."""
    migration_hints_total: NotRequired[int]
    """Number of renamed members. migration_hints: true lists them."""
    migration_hints: list[dict[str, Any]]
    """Legacy names with their replacements. Empty unless requested."""
    toolsets: list[ServedContractContentToolsetsEntry]
    """Toolsets, and the tools that this caller may use."""
    embedding: ServedContractContentEmbedding
    """State of search by meaning, up to 10 seconds old."""
    filters: list[dict[str, Any]]
    """The filters of vcon_search: name, type, meaning."""
    limits: dict[str, Any]
    """Limits of queries and values."""
    rate_limits: dict[str, Any]
    """Allowed calls of each class."""
    vcon: dict[str, Any]
    """vCon versions, the latest, and supported extensions."""
    access: dict[str, Any]
    """What this caller may do."""


class ServedContractContentContract(TypedDict):
    """Name, version and digest of the contract; the digest changes when anything a client sees changes."""

    name: str
    """The server's name."""
    version: str
    """Semantic version of the contract."""
    digest: str
    """SHA-256 of the served tools, resources and prompts."""


class ServedContractContentEmbedding(TypedDict):
    """State of search by meaning, up to 10 seconds old."""

    available: bool
    """Whether a query can be searched by meaning."""
    model: NotRequired[str]
    """The model whose vectors are searched, if any."""
    dimensions: NotRequired[int]
    """Dimensions of a vector."""
    passages: int
    """Number of passages to embed."""
    embedded: int
    """Number of embedded passages."""
    coverage: float
    """embedded / passages, 1 when there are none."""
    stale: int
    """During a change of the model: passages that the new one still has to embed. Otherwise 0."""


class ServedContractContentSearchModesEntry(TypedDict):
    """One entry of `search_modes` of ServedContractContent."""

    mode: str
    """The value of mode."""
    requires: list[str]
    """Required parameters."""
    one_of: NotRequired[list[str]]
    """Parameters of which exactly one is required."""
    accepts: list[str]
    """Optional parameters."""
    rejects: list[str]
    """Parameters that this mode rejects."""
    ranked: bool
    """Whether items have a score."""
    total: bool
    """Whether page.total is given."""
    defaults: NotRequired[dict[str, Any]]
    """Defaults of this mode."""


class ServedContractContentToolsetsEntry(TypedDict):
    """One entry of `toolsets` of ServedContractContent."""

    id: str
    """The toolset."""
    title: str
    """Its title."""
    enabled: bool
    """Whether it is served."""
    tools: list[str]
    """Tool names."""


class ValueCount(TypedDict):
    """A value and how often it occurs."""

    value: str
    """The value as text."""
    count: int
    """Number of vCons that have it."""


class VconCapabilitiesResult(TypedDict):
    """The success of vcon_capabilities."""

    ok: Literal[True]
    item: VconCapabilitiesResultItem


class VconCapabilitiesResultItem(TypedDict):
    """`item` of VconCapabilitiesResult."""

    contract: VconCapabilitiesResultItemContract
    """Name, version and digest of the contract; the digest changes when anything a client sees changes."""
    supported_includes: list[str]
    """The include groups."""
    default_includes: dict[str, Any]
    """The groups that each tool returns by default."""
    search_modes: list[VconCapabilitiesResultItemSearchModesEntry]
    """The modes of vcon_search."""
    pagination_semantics: dict[str, Any]
    """How to follow pages."""
    byte_budgets: dict[str, Any]
    """The parameter, its default and bounds, and the error."""
    migration_hints_total: NotRequired[int]
    """Number of renamed members. migration_hints: true lists them."""
    migration_hints: list[dict[str, Any]]
    """Legacy names with their replacements. Empty unless requested."""
    toolsets: list[VconCapabilitiesResultItemToolsetsEntry]
    """Toolsets, and the tools that this caller may use."""
    embedding: VconCapabilitiesResultItemEmbedding
    """State of search by meaning, up to 10 seconds old."""
    filters: list[dict[str, Any]]
    """The filters of vcon_search: name, type, meaning."""
    limits: dict[str, Any]
    """Limits of queries and values."""
    rate_limits: dict[str, Any]
    """Allowed calls of each class."""
    vcon: dict[str, Any]
    """vCon versions, the latest, and supported extensions."""
    access: dict[str, Any]
    """What this caller may do."""


class VconCapabilitiesResultItemContract(TypedDict):
    """Name, version and digest of the contract; the digest changes when anything a client sees changes."""

    name: str
    """The server's name."""
    version: str
    """Semantic version of the contract."""
    digest: str
    """SHA-256 of the served tools, resources and prompts."""


class VconCapabilitiesResultItemEmbedding(TypedDict):
    """State of search by meaning, up to 10 seconds old."""

    available: bool
    """Whether a query can be searched by meaning."""
    model: NotRequired[str]
    """The model whose vectors are searched, if any."""
    dimensions: NotRequired[int]
    """Dimensions of a vector."""
    passages: int
    """Number of passages to embed."""
    embedded: int
    """Number of embedded passages."""
    coverage: float
    """embedded / passages, 1 when there are none."""
    stale: int
    """During a change of the model: passages that the new one still has to embed. Otherwise 0."""


class VconCapabilitiesResultItemSearchModesEntry(TypedDict):
    """One entry of `search_modes` of VconCapabilitiesResultItem."""

    mode: str
    """The value of mode."""
    requires: list[str]
    """Required parameters."""
    one_of: NotRequired[list[str]]
    """Parameters of which exactly one is required."""
    accepts: list[str]
    """Optional parameters."""
    rejects: list[str]
    """Parameters that this mode rejects."""
    ranked: bool
    """Whether items have a score."""
    total: bool
    """Whether page.total is given."""
    defaults: NotRequired[dict[str, Any]]
    """Defaults of this mode."""


class VconCapabilitiesResultItemToolsetsEntry(TypedDict):
    """One entry of `toolsets` of VconCapabilitiesResultItem."""

    id: str
    """The toolset."""
    title: str
    """Its title."""
    enabled: bool
    """Whether it is served."""
    tools: list[str]
    """Tool names."""


class VconFetchResult(TypedDict):
    """The success of vcon_fetch."""

    ok: Literal[True]
    item: VconFetchResultItem
    meta: VconFetchResultMeta


class VconFetchResultItem(Item):
    """One vCon by include groups. Groups that you did not ask for are absent."""

    turns: NotRequired[list[FetchedTurn]]
    """With turns: each of these turns of the transcript, in order."""
    others: NotRequired[list[VconFetchResultItemOthersEntry]]
    """With vcons: those after the first one found, in order."""


class VconFetchResultItemOthersEntry(TypedDict):
    """One entry of `others` of VconFetchResultItem."""

    id: str
    """UUID."""
    subject: NotRequired[str]
    """Its subject, if it has one."""
    began_at: str
    """When it began, RFC 3339 in UTC."""
    total_turns: int
    """Total number of turns."""
    turns: list[FetchedTurn]
    """These turns of its transcript, in order."""


class VconFetchResultMeta(TypedDict):
    """`meta` of VconFetchResult."""

    include: list[str]
    """The groups in this response."""
    total_turns: NotRequired[int]
    """With turns: total number of turns."""
    not_found: NotRequired[list[VconFetchResultMetaNotFoundEntry]]
    """With vcons: those that were not found, in order."""
    left_out: NotRequired[list[VconFetchResultMetaLeftOutEntry]]
    """
    What did not fit into 70,000 bytes (with vcons into max_response_bytes, too), and the arguments that
    return it.
    """
    response_bytes: NotRequired[int]
    """Bytes of this response as JSON, including this number."""
    max_response_bytes: NotRequired[int]
    """The byte budget of the call."""


class VconFetchResultMetaLeftOutEntry(TypedDict):
    """One entry of `left_out` of VconFetchResultMeta."""

    group: str
    """The group that is incomplete or absent."""
    arguments: dict[str, Any]
    """Arguments to send, with the same id unless they have vcons."""


class VconFetchResultMetaNotFoundEntry(TypedDict):
    """One entry of `not_found` of VconFetchResultMeta."""

    id: str
    """The ID as given."""
    reason: str
    """not_found, ambiguous_id or malformed_uuid; may grow."""
    accepted: NotRequired[list[str]]
    """IDs that begin with it, if it is ambiguous."""


class VconGraphShapeResult(TypedDict):
    """The success of vcon_graph_shape."""

    ok: Literal[True]
    item: VconGraphShapeResultItem
    meta: NotRequired[VconGraphShapeResultMeta]


class VconGraphShapeResultItem(TypedDict):
    """`item` of VconGraphShapeResult."""

    nodes: list[VconGraphShapeResultItemNodesEntry]
    """Features of vCons."""
    edges: list[VconGraphShapeResultItemEdgesEntry]
    """Pairs of these nodes, each once, source before target."""
    corpus: VconGraphShapeResultItemCorpus
    """What was counted."""
    truncated: VconGraphShapeResultItemTruncated
    """Numbers left out because of max_nodes and max_edges."""


class VconGraphShapeResultItemCorpus(TypedDict):
    """What was counted."""

    vcons: int
    """Number of vCons."""
    edges_from: int
    """vCons that edges are counted from."""
    sampled: bool
    """Whether these are a sample."""
    computed_at: str
    """When it was counted, RFC 3339."""
    counted: NotRequired[int]
    """Number of vCons that query and filters match, up to 10,000. Absent without them."""
    versions_left_out: NotRequired[int]
    """Number of earlier and redacted versions that are not counted. filters.versions: all counts them."""
    said_unknown: NotRequired[int]
    """
    Number of vCons that match the other filters, but whose words, times or roles are too little known
    for said or not_said. They are not counted.
    """
    first: NotRequired[CorpusEnd]
    last: NotRequired[CorpusEnd]


class VconGraphShapeResultItemEdgesEntry(TypedDict):
    """One entry of `edges` of VconGraphShapeResultItem."""

    source: str
    """A node's id."""
    target: str
    """Another node's id."""
    strength: float
    """Share of the vCons with the rarer feature that also have the other."""
    joint_count: int
    """Number of vCons that have both, of those that edges are counted from."""


class VconGraphShapeResultItemNodesEntry(TypedDict):
    """One entry of `nodes` of VconGraphShapeResultItem."""

    id: str
    """ID, such as analysis:transcript or tag:priority."""
    type: str
    """
    analysis_type, tag_key, attachment_purpose, dialog_type, party_role, extension, dealer, month, day,
    hour, party or tag_value; may grow.
    """
    label: str
    """Name without the type. Times in UTC: 2025-10, 2025-10-14, Tue 09."""
    count: int
    """Exact number of vCons that have it."""


class VconGraphShapeResultItemTruncated(TypedDict):
    """Numbers left out because of max_nodes and max_edges."""

    nodes: int
    """Nodes left out."""
    edges: int
    """Edges between the listed nodes left out."""


class VconGraphShapeResultMeta(TypedDict):
    """`meta` of VconGraphShapeResult."""

    matching: NotRequired[str]
    """
    exact; fuzzy if words were corrected; relaxed if no vCon contains all words. Absent without query;
    may grow.
    """
    corrections: NotRequired[list[CorrectionsEntry]]
    """Corrected words that no vCon contains."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""
    response_bytes: NotRequired[int]
    """Bytes of this response as JSON, including this number."""
    max_response_bytes: NotRequired[int]
    """The byte budget of the call."""


class VconRecallResult(TypedDict):
    """The success of vcon_recall."""

    ok: Literal[True]
    items: list[VconRecallResultEntry]
    page: VconRecallResultPage
    meta: VconRecallResultMeta


class VconRecallResultEntry(TypedDict):
    """One conversation, or one record of another kind."""

    id: str
    """ID, for vcon_fetch if kind is conversation or session."""
    kind: str
    """conversation, session, reflection or journal; may grow."""
    at: NotRequired[str]
    """Start, RFC 3339 in UTC."""
    subject: NotRequired[str]
    """Its subject, if it has one."""
    version: NotRequired[str]
    """older, redacted, or both, as in vcon_search. Otherwise absent; may grow."""
    people: NotRequired[list[str]]
    """Known participants."""
    hits: int
    """Number of passages that match better than chance."""
    turns: list[VconRecallResultEntryTurnsEntry]
    """Matching turns in order. In a survey only the best one."""


class VconRecallResultEntryTurnsEntry(TypedDict):
    """One entry of `turns` of VconRecallResultEntry."""

    turn: NotRequired[int]
    """Number of the turn, for turns of vcon_fetch. Absent if it is not a turn."""
    part: NotRequired[str]
    """
    Kind of text that is not a turn: subject, party, analysis, attachment, trace, reflection, source,
    moment, scene; may grow.
    """
    speaker: NotRequired[str]
    """Speaker, if known."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC, if known."""
    text: str
    """The text."""
    cut: NotRequired[bool]
    """True if the text is cut at …. Otherwise absent."""
    context: NotRequired[bool]
    """True if it is included only as context of a hit. Absent for hits."""
    answers: NotRequired[list[int]]
    """Index of the query that found it, from 0."""
    score: NotRequired[float]
    """With explain: how well it matches."""


class VconRecallResultMeta(TypedDict):
    """`meta` of VconRecallResult."""

    view: str
    """The view of this response."""
    answerable: str
    """likely, unsure or nothing_found: whether what is stored answers the question; may grow."""
    matching: int
    """Number of conversations and records that match better than chance."""
    matching_turns: NotRequired[int]
    """With view list: number of turns and other texts in it, on all pages."""
    searched: NotRequired[int]
    """With view list or survey: number of conversations that people and filters allow, up to 10,001."""
    matching_relation: NotRequired[str]
    """at_least if not all were counted. Absent if exact."""
    parts: NotRequired[list[str]]
    """With several queries: answerable for each, in order."""
    said_by: NotRequired[list[str]]
    """Who said the best turn, if the question names somebody else. Then it is not likely."""
    nothing_by: NotRequired[list[str]]
    """People in the question by and about whom none of the best turns is."""
    never_said: NotRequired[list[str]]
    """Words of the question that nothing stored contains."""
    days: NotRequired[list[str]]
    """Dates in the question. Turns of that time are ranked first."""
    tokens: int
    """Size of the text in tokens of 4 bytes."""
    max_tokens: int
    """Limit of the call, in tokens of 4 bytes."""
    kinds: list[str]
    """What was searched."""
    said_unknown: NotRequired[int]
    """
    Number of vCons that match the other filters, but whose words, times or roles are too little known
    for said or not_said. They are not counted.
    """
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""
    pending: NotRequired[int]
    """Passages that are not embedded yet and found by words only. Absent if none."""
    by_words_only: NotRequired[bool]
    """True if search by meaning was unavailable. Otherwise absent."""


class VconRecallResultPage(TypedDict):
    """`page` of VconRecallResult."""

    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Conversations on this page."""
    has_more: bool
    """Whether another page follows."""


class VconSearchResult(TypedDict):
    """The success of vcon_search."""

    ok: Literal[True]
    items: list[VconSearchResultEntry]
    page: VconSearchResultPage
    meta: VconSearchResultMeta


class VconSearchResultEntry(Item):
    """One vCon by include groups. Groups that you did not ask for are absent."""

    version: NotRequired[str]
    """older if a newer version is stored, redacted, or both. Otherwise absent; may grow."""
    people: NotRequired[list[str]]
    """Group hits: name or address of each party, in order."""
    score: NotRequired[float]
    """
    How well its best passage matches, comparable between calls: by words, by similarity, or both
    weighted by semantic_weight. Absent in mode metadata and group hits.
    """
    match: NotRequired[VconSearchResultEntryMatch]
    """Why it matches. Absent in mode metadata."""


class VconSearchResultEntryMatch(TypedDict):
    """Why it matches. Absent in mode metadata."""

    matching: str
    """
    exact; fuzzy if words were corrected; relaxed if words are missing; semantic if no word matched; may
    grow.
    """
    strength: NotRequired[str]
    """Strength of the match compared with chance: strong, fair or weak; may grow."""
    missing: NotRequired[list[str]]
    """Missing words of a relaxed match."""
    keyword_score: NotRequired[float]
    """Modes keyword and hybrid: how well the words of its best passage match. Rare words count more."""
    semantic_score: NotRequired[float]
    """Modes semantic and hybrid: similarity of its best passage. Unrelated text rarely reaches 0.5."""
    meaning_score: NotRequired[float]
    """
    Mode hybrid: how well the meaning of its best passage matches. score combines it with keyword_score
    by semantic_weight.
    """
    cosine: NotRequired[float]
    """The cosine that the similarity was calibrated from."""
    hits: list[VconSearchResultEntryMatchHitsEntry]
    """The best passages, up to hits_per_item, best first."""
    more_hits: NotRequired[int]
    """Number of further matching passages. Raise hits_per_item to see them."""


class VconSearchResultEntryMatchHitsEntry(TypedDict):
    """One entry of `hits` of VconSearchResultEntryMatch."""

    content_type: str
    """subject, party, dialog, analysis, attachment or trace (an agent's tools); may grow."""
    content_index: NotRequired[int]
    """Index in its array. Absent for subject and trace."""
    content_name: NotRequired[str]
    """Type of the analysis or purpose of the attachment, up to 100 characters. Absent if it has none."""
    turn: NotRequired[int]
    """Number of its turn, for turns of vcon_fetch."""
    speaker: NotRequired[str]
    """Speaker: name, address, role or number."""
    at: NotRequired[str]
    """When it was said, RFC 3339 in UTC."""
    snippet: str
    """
    The turn if it has up to 400 characters, otherwise up to 300 characters. Words of the query are in
    <mark>…</mark>.
    """
    score: float
    """How well this passage matches."""
    neighbours: NotRequired[list[VconSearchResultEntryMatchHitsEntryNeighboursEntry]]
    """Adjacent turns that match too."""
    because: NotRequired[list[str]]
    """
    Where words matched: own (here), together (close to each other), beside (at most two turns away),
    speaker, subject, day. Or meaning; may grow.
    """


class VconSearchResultEntryMatchHitsEntryNeighboursEntry(TypedDict):
    """One entry of `neighbours` of VconSearchResultEntryMatchHitsEntry."""

    turn: int
    """Its number."""
    speaker: NotRequired[str]
    """Speaker."""
    at: NotRequired[str]
    """When, if on another day."""
    snippet: str
    """Its text."""


class VconSearchResultMeta(TypedDict):
    """`meta` of VconSearchResult."""

    mode: str
    """The mode of the search."""
    include: list[str]
    """The groups in this response."""
    filters: dict[str, Any]
    """The filters as applied."""
    window: NotRequired[VconSearchResultMetaWindow]
    """The instants of the date filters."""
    said_unknown: NotRequired[int]
    """
    Number of vCons that match the other filters, but whose words, times or roles are too little known
    for said or not_said. They are not counted.
    """
    matching: NotRequired[str]
    """
    exact; fuzzy if words were corrected; relaxed if no vCon contains all words; semantic in that mode.
    Also semantic if no word of a hybrid query is known. Absent in mode metadata; may grow.
    """
    corrections: NotRequired[list[CorrectionsEntry]]
    """Corrected words that no vCon contains."""
    words: NotRequired[list[WordCountsEntry]]
    """Number of vCons that contain each word, without filters."""
    embedding: NotRequired[VconSearchResultMetaEmbedding]
    """Modes semantic and hybrid: progress of embedding."""
    best_below_threshold: NotRequired[float]
    """The best similarity, or score in hybrid, if none reached the threshold."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched well, and similar values."""
    dealers: NotRequired[list[VconSearchResultMetaDealersEntry]]
    """Dealers that match dealer_name, one entry per name."""
    ranked_newest: NotRequired[int]
    """No longer sent; the best candidates are ranked together, and the other matches follow, newest first."""
    response_bytes: NotRequired[int]
    """Bytes of this response as JSON, including this number."""
    max_response_bytes: NotRequired[int]
    """The byte budget of the call."""


class VconSearchResultMetaDealersEntry(TypedDict):
    """One entry of `dealers` of VconSearchResultMeta."""

    id: str
    """Dealer id."""
    name: NotRequired[str]
    """Dealer name."""
    count: int
    """Number of vCons with this name of the dealer."""


class VconSearchResultMetaEmbedding(TypedDict):
    """Modes semantic and hybrid: progress of embedding."""

    model: str
    """The model whose vectors were searched."""
    coverage: float
    """The share of all passages that have a vector."""
    pending: int
    """Passages that are not embedded yet and found by words only."""


VconSearchResultMetaWindow = TypedDict(
    "VconSearchResultMetaWindow",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
    },
)


class VconSearchResultPage(TypedDict):
    """`page` of VconSearchResult."""

    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Items on this page."""
    has_more: bool
    """
    Whether another page follows. A vCon that changes between pages may be missed or returned twice, if
    sorted by score.
    """
    total: NotRequired[int]
    """Modes metadata and keyword: number of matches, up to 10,000."""
    total_relation: NotRequired[str]
    """at_least if there are more than total. Absent if total is exact."""


class VconTaxonomyResult(TypedDict):
    """The success of vcon_taxonomy."""

    ok: Literal[True]
    item: VconTaxonomyResultItem
    meta: NotRequired[VconTaxonomyResultMeta]


class VconTaxonomyResultItem(TypedDict):
    """`item` of VconTaxonomyResult."""

    portal_taxonomy: dict[str, VconTaxonomyResultItemPortalTaxonomyEntry]
    """Tag keys with a vocabulary of their own, by key."""
    common_tag_keys: list[VconTaxonomyResultItemCommonTagKeysEntry]
    """The 50 most frequent tag keys."""
    attachment_types: list[VconTaxonomyResultItemAttachmentTypesEntry]
    """The 100 most frequent attachment purposes."""
    analysis_types: list[VconTaxonomyResultItemAnalysisTypesEntry]
    """The 100 most frequent analysis types."""
    preferred_fields: list[VconTaxonomyResultItemPreferredFieldsEntry]
    """How often fields are filled."""
    corpus: VconTaxonomyResultItemCorpus
    """What was counted."""


class VconTaxonomyResultItemAnalysisTypesEntry(TypedDict):
    """One entry of `analysis_types` of VconTaxonomyResultItem."""

    type: str
    """The type."""
    count: int
    """Number of vCons that have it."""
    vendors: list[str]
    """Up to 10 vendors, most frequent first."""


class VconTaxonomyResultItemAttachmentTypesEntry(TypedDict):
    """One entry of `attachment_types` of VconTaxonomyResultItem."""

    type: str
    """The purpose, or the older type."""
    count: int
    """Number of vCons that have it."""
    extension: NotRequired[str]
    """The extension that defines it."""
    recognised: bool
    """Whether this server interprets it."""


class VconTaxonomyResultItemCommonTagKeysEntry(TypedDict):
    """One entry of `common_tag_keys` of VconTaxonomyResultItem."""

    key: str
    """The tag key."""
    count: int
    """Number of vCons that have it."""
    distinct_values: int
    """Number of its values."""
    value_types: list[str]
    """string, number, boolean; most frequent first."""
    sample_values: list[ValueCount]
    """Up to 10 values of at most 255 characters, most used first."""


class VconTaxonomyResultItemCorpus(TypedDict):
    """What was counted."""

    vcons: int
    """Number of vCons."""
    computed_at: str
    """When it was counted, RFC 3339."""
    exact: bool
    """Whether the counts are exact."""
    first: NotRequired[CorpusEnd]
    last: NotRequired[CorpusEnd]


class VconTaxonomyResultItemPortalTaxonomyEntry(TypedDict):
    """One entry of `portal_taxonomy` of VconTaxonomyResultItem."""

    values: list[ValueCount]
    """Values, most used first. All values of a declared vocabulary."""
    closed: bool
    """Whether filters reject other values."""
    source: str
    """observed, or declared by the deployment."""


class VconTaxonomyResultItemPreferredFieldsEntry(TypedDict):
    """One entry of `preferred_fields` of VconTaxonomyResultItem."""

    field: str
    """The field."""
    fill_rate: float | None
    """filled / of. null if nothing is stored."""
    filled: int
    """Number of vCons that have it."""
    of: int
    """Number of vCons."""
    preferred: bool
    """Whether at least half of the vCons have it."""
    use: str
    """The filter, include group or mode that uses it."""


class VconTaxonomyResultMeta(TypedDict):
    """`meta` of VconTaxonomyResult."""

    response_bytes: NotRequired[int]
    """Bytes of this response as JSON, including this number."""
    max_response_bytes: NotRequired[int]
    """The byte budget of the call."""


class WordCountsEntry(TypedDict):
    """One entry of the shape WordCounts."""

    word: str
    """The word."""
    vcons: int
    """Number of vCons that contain it, up to 10,000."""
    begun: NotRequired[list[str]]
    """For a prefix: the 12 shortest known words that begin with it."""
    languages: NotRequired[list[str]]
    """Languages in which it was searched by another stem than in English."""
