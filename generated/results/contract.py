"""Results of the tools and contents of the resources of the `contract` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Any, Literal, NotRequired, TypedDict


class CorpusEnd(TypedDict):
    """The oldest or newest vCon, by created_at; absent in an empty corpus."""

    id: str
    """Its handle."""
    created_at: str
    """When it was made, RFC 3339 in UTC."""


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
    """The toolset it belongs to."""
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
    """The toolset it belongs to."""
    title: str
    """Its title."""
    envelope: str
    """item, page, success or document."""
    text: NotRequired[bool]
    """
    Whether its content is a text to read, and the JSON of this schema only structured; absent where it
    is not.
    """
    stability: str
    """experimental, beta or stable."""
    schema: dict[str, Any]
    """
    The output schema, whole as in tools/list; else of success alone, which no error fits, without
    descriptions and bounds.
    """
    arguments_schema: dict[str, Any]
    """What its arguments are checked against, unless whole without descriptions."""
    example: NotRequired[dict[str, Any]]
    """A response that fits the schema."""
    typical_bytes: dict[str, Any]
    """Bytes: example; measured on a realistic store: typical, and per_item for pages."""
    errors: list[DescribeResponseShapeResultItemErrorsEntry]
    """The errors this tool can answer with."""


class DescribeResponseShapeResultItemErrorsEntry(TypedDict):
    """One entry of `errors` of DescribeResponseShapeResultItem."""

    code: str
    """The error code."""
    retryable: bool
    """Whether the same call may succeed later."""
    message: str
    """What it means."""
    details_schema: dict[str, Any]
    """The schema of its details; empty unless whole."""


class DescribeResponseShapeResultMeta(TypedDict):
    """`meta` of DescribeResponseShapeResult."""

    response_bytes: NotRequired[int]
    """Bytes of this answer as JSON, counting this number."""
    max_response_bytes: NotRequired[int]
    """The budget of the call."""


class DescribeResponseShapeResultPage(TypedDict):
    """`page` of DescribeResponseShapeResult."""

    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Number of tools."""


class GraphShapeContent(TypedDict):
    """The content of vcon://v1/graph/shape."""

    nodes: list[GraphShapeContentNodesEntry]
    """What vCons have."""
    edges: list[GraphShapeContentEdgesEntry]
    """Pairs of these nodes, each once, source before target."""
    corpus: GraphShapeContentCorpus
    """What was counted."""
    truncated: GraphShapeContentTruncated
    """How many were left out by max_nodes and max_edges."""


class GraphShapeContentCorpus(TypedDict):
    """What was counted."""

    vcons: int
    """All vCons."""
    edges_from: int
    """vCons that edges are counted from."""
    sampled: bool
    """Whether these are a sample."""
    computed_at: str
    """The moment of counting, RFC 3339."""
    counted: NotRequired[int]
    """vCons that query and filters match, to 10,000; absent without them."""
    versions_left_out: NotRequired[int]
    """
    Earlier and redacted versions that are not counted; absent when none. filters.versions: all counts
    them.
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
    """Of the vCons with the rarer one, the share that also has the other."""
    joint_count: int
    """vCons that have both, of those that edges are counted from."""


class GraphShapeContentNodesEntry(TypedDict):
    """One entry of `nodes` of GraphShapeContent."""

    id: str
    """As analysis:transcript or tag:priority."""
    type: str
    """
    analysis_type, tag_key, attachment_purpose, dialog_type, party_role, extension, dealer, month, day,
    hour, party or tag_value; may grow.
    """
    label: str
    """The name alone: a month as 2025-10, a day as 2025-10-14, an hour as Tue 09; all UTC."""
    count: int
    """vCons that have it, exact."""


class GraphShapeContentTruncated(TypedDict):
    """How many were left out by max_nodes and max_edges."""

    nodes: int
    """Nodes left out."""
    edges: int
    """Edges between the listed nodes left out."""


class HintsEntry(TypedDict):
    """One entry of the shape Hints."""

    reason: str
    """
    nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has the first and the
    last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen, words_never_together,
    query_is_a_vcon (the suggestion fetches it), below_threshold, vectors_pending,
    demands_never_together, only_weak_matches (at most five are shown), date_in_query, field_in_query,
    part_of_a_number, no_wildcard, no_operator or words_joined (how a word of the query was read); may
    grow.
    """
    message: str
    """The same in a sentence."""
    filter: NotRequired[str]
    """The filter concerned."""
    nearest: NotRequired[list[dict[str, Any]]]
    """Known values that are close."""
    suggestion: NotRequired[dict[str, Any]]
    """Arguments to send instead of the same ones in the call, or another tool with its own."""


class ImportsContent(TypedDict):
    """The content of vcon://v1/imports."""

    stored: ImportsContentStored
    """What is stored of the caller's tenant, as it counts for a quota."""
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
    """What is stored of the caller's tenant, as it counts for a quota."""

    vcons: int
    """How many vCons."""
    bytes: int
    """Bytes of vCons, records and transcripts, without indexes."""


class Item(TypedDict):
    """One vCon by include groups; a group not asked for is absent."""

    id: str
    """The handle of these tools; equal to uuid."""
    uuid: str
    """The vCon's uuid."""
    created_at: str
    """When the conversation was made, RFC 3339 in UTC."""
    updated_at: str
    """When it was last changed here, RFC 3339 in UTC."""
    vcon_version: NotRequired[str]
    """The vCon's own version, if it states one."""
    subject: NotRequired[str]
    """The subject, if it has one."""
    extensions: NotRequired[list[str]]
    """Extensions it names."""
    critical: NotRequired[list[str]]
    """Extensions a reader must support."""
    redacted: NotRequired[dict[str, Any]]
    """The less redacted version it was made from."""
    amended: NotRequired[dict[str, Any]]
    """The earlier version it adds to."""
    other_members: NotRequired[list[str]]
    """Further top-level members; get_vcon has their values."""
    parties: NotRequired[list[dict[str, Any]]]
    """Group parties: whole, in order."""
    summary: NotRequired[list[ItemSummaryEntry]]
    """Group summary: the analyses of type summary as text."""
    transcript: NotRequired[ItemTranscript | None]
    """Group transcript: what was said, once; null when no words are stored."""
    tags: NotRequired[dict[str, int | str | float | bool]]
    """Tags with their typed values."""
    dealer: NotRequired[dict[str, Any] | None]
    """Group dealer: null when no attachment names one."""
    counts: NotRequired[ItemCounts]
    """Group counts: lengths of the four arrays, and of what was said."""
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
    """Words of these turns, as white space parts them."""
    duration_seconds: NotRequired[float]
    """The durations of the dialogs added up; absent when none has one."""
    speakers: NotRequired[list[ItemCountsSpeakersEntry]]
    """Who says how much, most words first; turns of unknown speakers are left out."""


class ItemCountsSpeakersEntry(TypedDict):
    """One entry of `speakers` of ItemCounts."""

    speaker: str
    """The name, as in the transcript."""
    turns: int
    """Turns."""
    words: int
    """Words."""
    seconds: NotRequired[float]
    """Seconds of the turns that have a length; absent when none has."""


class ItemSummaryEntry(TypedDict):
    """One entry of `summary` of Item."""

    analysis_index: int
    """Position in analysis."""
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
    """The text, uncut."""


class ItemTranscript(TypedDict):
    """`transcript` of Item."""

    source: str
    """dialog, analysis or both: where the words were read; may grow."""
    type: NotRequired[str]
    """The type of that analysis."""
    text: str
    """
    All words in order of time, uncut, a turn a line, with speakers where they are known; with turns
    only those.
    """
    total_turns: NotRequired[int]
    """How many turns there are."""
    untranscribed: NotRequired[list[int]]
    """Turns that are recordings whose words are not stored."""


class MeaningMapContent(TypedDict):
    """The content of vcon://v1/map."""

    state: str
    """ready; making while it is being made, ask again; none where nothing has a vector; may grow."""
    vcons: int
    """All vCons."""
    computed_at: NotRequired[str]
    """When it was made, RFC 3339."""
    explained: NotRequired[float]
    """Share of the variance between the vectors that the plane shows."""
    points: list[MeaningMapContentPointsEntry]
    """At most 1,000 vCons, a sample that stays the same."""


class MeaningMapContentPointsEntry(TypedDict):
    """One entry of `points` of MeaningMapContent."""

    id: str
    """Its handle."""
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
    """By tool, the groups returned when include is left out."""
    search_modes: list[ServedContractContentSearchModesEntry]
    """The modes of vcon_search."""
    pagination_semantics: dict[str, Any]
    """How to follow pages."""
    byte_budgets: dict[str, Any]
    """The parameter, its default and bounds, and the error."""
    migration_hints_total: NotRequired[int]
    """How many there are; migration_hints: true lists them."""
    migration_hints: list[dict[str, Any]]
    """Legacy names and what replaces them; empty unless asked for."""
    toolsets: list[ServedContractContentToolsetsEntry]
    """Toolsets and the tools this caller may use."""
    embedding: ServedContractContentEmbedding
    """Search by meaning, at most 10 seconds old."""
    filters: list[dict[str, Any]]
    """The filters of vcon_search: name, type, meaning."""
    limits: dict[str, Any]
    """Bounds of queries and values."""
    rate_limits: dict[str, Any]
    """Calls by class."""
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
    """sha256 of the tools, resources and prompts served."""


class ServedContractContentEmbedding(TypedDict):
    """Search by meaning, at most 10 seconds old."""

    available: bool
    """Whether a query can be searched by meaning."""
    model: NotRequired[str]
    """The model whose vectors are searched, if there are any."""
    dimensions: NotRequired[int]
    """Numbers of one vector."""
    passages: int
    """Passages of text that are to be found by meaning."""
    embedded: int
    """Those that are."""
    coverage: float
    """embedded / passages, 1 when there are none."""
    stale: int
    """While the model changes: passages that the new one has yet to embed; 0 else."""


class ServedContractContentSearchModesEntry(TypedDict):
    """One entry of `search_modes` of ServedContractContent."""

    mode: str
    """The value of mode."""
    requires: list[str]
    """Parameters it needs."""
    one_of: NotRequired[list[str]]
    """Parameters of which it needs exactly one."""
    accepts: list[str]
    """Parameters it takes."""
    rejects: list[str]
    """Parameters that are an error in it."""
    ranked: bool
    """Whether items have a score."""
    total: bool
    """Whether page.total is given."""
    defaults: NotRequired[dict[str, Any]]
    """Defaults that hold in this mode only."""


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
    """vCons that have it."""


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
    """By tool, the groups returned when include is left out."""
    search_modes: list[VconCapabilitiesResultItemSearchModesEntry]
    """The modes of vcon_search."""
    pagination_semantics: dict[str, Any]
    """How to follow pages."""
    byte_budgets: dict[str, Any]
    """The parameter, its default and bounds, and the error."""
    migration_hints_total: NotRequired[int]
    """How many there are; migration_hints: true lists them."""
    migration_hints: list[dict[str, Any]]
    """Legacy names and what replaces them; empty unless asked for."""
    toolsets: list[VconCapabilitiesResultItemToolsetsEntry]
    """Toolsets and the tools this caller may use."""
    embedding: VconCapabilitiesResultItemEmbedding
    """Search by meaning, at most 10 seconds old."""
    filters: list[dict[str, Any]]
    """The filters of vcon_search: name, type, meaning."""
    limits: dict[str, Any]
    """Bounds of queries and values."""
    rate_limits: dict[str, Any]
    """Calls by class."""
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
    """sha256 of the tools, resources and prompts served."""


class VconCapabilitiesResultItemEmbedding(TypedDict):
    """Search by meaning, at most 10 seconds old."""

    available: bool
    """Whether a query can be searched by meaning."""
    model: NotRequired[str]
    """The model whose vectors are searched, if there are any."""
    dimensions: NotRequired[int]
    """Numbers of one vector."""
    passages: int
    """Passages of text that are to be found by meaning."""
    embedded: int
    """Those that are."""
    coverage: float
    """embedded / passages, 1 when there are none."""
    stale: int
    """While the model changes: passages that the new one has yet to embed; 0 else."""


class VconCapabilitiesResultItemSearchModesEntry(TypedDict):
    """One entry of `search_modes` of VconCapabilitiesResultItem."""

    mode: str
    """The value of mode."""
    requires: list[str]
    """Parameters it needs."""
    one_of: NotRequired[list[str]]
    """Parameters of which it needs exactly one."""
    accepts: list[str]
    """Parameters it takes."""
    rejects: list[str]
    """Parameters that are an error in it."""
    ranked: bool
    """Whether items have a score."""
    total: bool
    """Whether page.total is given."""
    defaults: NotRequired[dict[str, Any]]
    """Defaults that hold in this mode only."""


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
    """One vCon by include groups; a group not asked for is absent."""

    turns: NotRequired[list[VconFetchResultItemTurnsEntry]]
    """With turns: each of these turns of the transcript, in order."""


class VconFetchResultItemTurnsEntry(TypedDict):
    """One entry of `turns` of VconFetchResultItem."""

    turn: int
    """Its number, from 0, as in hits of vcon_search; every element of dialog counts."""
    speaker: NotRequired[str]
    """Who says it, where that is known."""
    at: NotRequired[str]
    """When, RFC 3339 in UTC, where that is known."""
    dialog: NotRequired[int]
    """The dialog that it is or is part of."""
    analysis: NotRequired[int]
    """The analysis that its words are from; absent for a dialog's own."""
    text: str
    """The words, uncut."""
    instead: NotRequired[str]
    """What is there without words, such as a recording."""


class VconFetchResultMeta(TypedDict):
    """`meta` of VconFetchResult."""

    include: list[str]
    """The groups in this answer."""
    total_turns: NotRequired[int]
    """With turns: how many there are."""
    response_bytes: NotRequired[int]
    """Bytes of this answer as JSON, counting this number."""
    max_response_bytes: NotRequired[int]
    """The budget of the call."""


class VconGraphShapeResult(TypedDict):
    """The success of vcon_graph_shape."""

    ok: Literal[True]
    item: VconGraphShapeResultItem
    meta: NotRequired[VconGraphShapeResultMeta]


class VconGraphShapeResultItem(TypedDict):
    """`item` of VconGraphShapeResult."""

    nodes: list[VconGraphShapeResultItemNodesEntry]
    """What vCons have."""
    edges: list[VconGraphShapeResultItemEdgesEntry]
    """Pairs of these nodes, each once, source before target."""
    corpus: VconGraphShapeResultItemCorpus
    """What was counted."""
    truncated: VconGraphShapeResultItemTruncated
    """How many were left out by max_nodes and max_edges."""


class VconGraphShapeResultItemCorpus(TypedDict):
    """What was counted."""

    vcons: int
    """All vCons."""
    edges_from: int
    """vCons that edges are counted from."""
    sampled: bool
    """Whether these are a sample."""
    computed_at: str
    """The moment of counting, RFC 3339."""
    counted: NotRequired[int]
    """vCons that query and filters match, to 10,000; absent without them."""
    versions_left_out: NotRequired[int]
    """
    Earlier and redacted versions that are not counted; absent when none. filters.versions: all counts
    them.
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
    """Of the vCons with the rarer one, the share that also has the other."""
    joint_count: int
    """vCons that have both, of those that edges are counted from."""


class VconGraphShapeResultItemNodesEntry(TypedDict):
    """One entry of `nodes` of VconGraphShapeResultItem."""

    id: str
    """As analysis:transcript or tag:priority."""
    type: str
    """
    analysis_type, tag_key, attachment_purpose, dialog_type, party_role, extension, dealer, month, day,
    hour, party or tag_value; may grow.
    """
    label: str
    """The name alone: a month as 2025-10, a day as 2025-10-14, an hour as Tue 09; all UTC."""
    count: int
    """vCons that have it, exact."""


class VconGraphShapeResultItemTruncated(TypedDict):
    """How many were left out by max_nodes and max_edges."""

    nodes: int
    """Nodes left out."""
    edges: int
    """Edges between the listed nodes left out."""


class VconGraphShapeResultMeta(TypedDict):
    """`meta` of VconGraphShapeResult."""

    matching: NotRequired[str]
    """
    exact, fuzzy when words were corrected, relaxed when no vCon has all words and some are enough;
    absent without query; may grow.
    """
    corrections: NotRequired[list[CorrectionsEntry]]
    """Words replaced because no vCon has them."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""
    response_bytes: NotRequired[int]
    """Bytes of this answer as JSON, counting this number."""
    max_response_bytes: NotRequired[int]
    """The budget of the call."""


class VconRecallResult(TypedDict):
    """The success of vcon_recall."""

    ok: Literal[True]
    items: list[VconRecallResultEntry]
    page: VconRecallResultPage
    meta: VconRecallResultMeta


class VconRecallResultEntry(TypedDict):
    """One conversation, or one record of another kind."""

    id: str
    """Its handle, whole; for vcon_fetch where kind is conversation or session."""
    kind: str
    """conversation, session, reflection or journal; may grow."""
    at: NotRequired[str]
    """When it began, RFC 3339 in UTC."""
    subject: NotRequired[str]
    """Its subject, if it has one."""
    people: NotRequired[list[str]]
    """Who takes part, as far as it is known."""
    hits: int
    """How many of its places match better than chance."""
    turns: list[VconRecallResultEntryTurnsEntry]
    """What it says, in order; in a survey its best place alone."""


class VconRecallResultEntryTurnsEntry(TypedDict):
    """One entry of `turns` of VconRecallResultEntry."""

    turn: NotRequired[int]
    """Its number, as turns of vcon_fetch takes it; absent for what is not a turn."""
    part: NotRequired[str]
    """
    What it is where it is not a turn: subject, party, analysis, attachment, trace, reflection, source,
    moment, scene; may grow.
    """
    speaker: NotRequired[str]
    """Who says it, where that is known."""
    at: NotRequired[str]
    """When, RFC 3339 in UTC, where that is known."""
    text: str
    """The words; cut where cut is true."""
    cut: NotRequired[bool]
    """Whether words are missing at … in it; absent when whole."""
    context: NotRequired[bool]
    """Whether it is here only because it is next to a hit; absent for hits."""
    answers: NotRequired[list[int]]
    """Which of several queries it was found for, from 0."""
    score: NotRequired[float]
    """With explain: how well it matches."""


class VconRecallResultMeta(TypedDict):
    """`meta` of VconRecallResult."""

    view: str
    """The view of this answer."""
    answerable: str
    """likely, unsure or nothing_found: whether what is stored answers the question; may grow."""
    matching: int
    """Conversations and records with a place that matches better than chance."""
    matching_relation: NotRequired[str]
    """at_least when not all could be counted; absent when exact."""
    never_said: NotRequired[list[str]]
    """Words of the question that nothing stored contains."""
    days: NotRequired[list[str]]
    """What the question names of a day; turns said then come first, none is left out."""
    tokens: int
    """Size of the text, 4 bytes each."""
    max_tokens: int
    """The budget of the call."""
    kinds: list[str]
    """What was searched."""
    pending: NotRequired[int]
    """Passages that wait for their vector, found by words only until then; absent when none."""
    by_words_only: NotRequired[bool]
    """Whether meaning could not be searched; absent when it was."""


class VconRecallResultPage(TypedDict):
    """`page` of VconRecallResult."""

    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Conversations on this page."""
    has_more: bool
    """Whether more matches follow; nothing of this page comes again."""


class VconSearchResult(TypedDict):
    """The success of vcon_search."""

    ok: Literal[True]
    items: list[VconSearchResultEntry]
    page: VconSearchResultPage
    meta: VconSearchResultMeta


class VconSearchResultEntry(Item):
    """One vCon by include groups; a group not asked for is absent."""

    people: NotRequired[list[str]]
    """Group hits: what each party is called, in their order: name, else address."""
    score: NotRequired[float]
    """
    But in mode metadata, and not in group hits: how well it matches, comparable between calls. That of
    its best place: by words, by similarity, or the two weighed by semantic_weight.
    """
    match: NotRequired[VconSearchResultEntryMatch]
    """But in mode metadata: why it matches."""


class VconSearchResultEntryMatch(TypedDict):
    """But in mode metadata: why it matches."""

    matching: str
    """
    exact, fuzzy when words were corrected, relaxed when words are missing, semantic when no word was
    matched; may grow.
    """
    strength: NotRequired[str]
    """How far from chance: strong, fair or weak; may grow."""
    missing: NotRequired[list[str]]
    """The words it lacks, when the match is relaxed."""
    keyword_score: NotRequired[float]
    """Modes keyword and hybrid: what the words of its best place say; rarer words count more."""
    semantic_score: NotRequired[float]
    """
    Modes semantic and hybrid: similarity of its best passage, calibrated so that 0.5 is what chance
    rarely reaches.
    """
    meaning_score: NotRequired[float]
    """
    Mode hybrid: what the vector of its best passage says; score combines it with keyword_score, weighed
    by semantic_weight.
    """
    cosine: NotRequired[float]
    """The cosine that the similarity was calibrated from."""
    hits: list[VconSearchResultEntryMatchHitsEntry]
    """The best places, hits_per_item at most, best first."""
    more_hits: NotRequired[int]
    """Further places that match; give a larger hits_per_item to see them."""


class VconSearchResultEntryMatchHitsEntry(TypedDict):
    """One entry of `hits` of VconSearchResultEntryMatch."""

    content_type: str
    """subject, party, dialog, analysis, attachment or trace (an agent's tools); may grow."""
    content_index: NotRequired[int]
    """Position in its array; absent for subject and trace."""
    content_name: NotRequired[str]
    """
    The type of that analysis or the purpose of that attachment, up to 100 characters; absent where it
    has none.
    """
    turn: NotRequired[int]
    """Its turn, as turns of vcon_fetch takes it."""
    speaker: NotRequired[str]
    """Who says it: name, address, role or number."""
    at: NotRequired[str]
    """When it is said, RFC 3339 in UTC."""
    snippet: str
    """A turn of up to 400 characters, else at most 300; words of the query are in <mark>…</mark>."""
    score: float
    """How well this place matches."""
    because: NotRequired[list[str]]
    """
    What speaks for it: own (words stand here), together (close to the next word of the query), beside
    (in the turn before or after), speaker (who is named so), day, meaning; may grow.
    """


class VconSearchResultMeta(TypedDict):
    """`meta` of VconSearchResult."""

    mode: str
    """The mode of the search."""
    include: list[str]
    """The groups in this answer."""
    filters: dict[str, Any]
    """The filters as applied."""
    window: NotRequired[VconSearchResultMetaWindow]
    """The instants of the date filters."""
    matching: NotRequired[str]
    """
    exact, fuzzy when words were corrected, relaxed when no vCon has all words and some are enough,
    semantic in that mode and where no word of a hybrid query is known; absent in mode metadata; may
    grow.
    """
    corrections: NotRequired[list[CorrectionsEntry]]
    """Words replaced because no vCon has them."""
    words: NotRequired[list[WordCountsEntry]]
    """How many vCons have each word, whatever the filters."""
    embedding: NotRequired[VconSearchResultMetaEmbedding]
    """Modes semantic and hybrid: what is found by meaning."""
    best_below_threshold: NotRequired[float]
    """Mode semantic, when nothing passed: the best similarity there is."""
    hints: NotRequired[list[HintsEntry]]
    """Why nothing matched, or nothing well, and what is near."""
    dealers: NotRequired[list[VconSearchResultMetaDealersEntry]]
    """The dealers that dealer_name fits; one with several such names comes once for each."""
    ranked_newest: NotRequired[int]
    """No longer sent; the best candidates are ranked together, and the other matches follow, newest first."""
    response_bytes: NotRequired[int]
    """Bytes of this answer as JSON, counting this number."""
    max_response_bytes: NotRequired[int]
    """The budget of the call."""


class VconSearchResultMetaDealersEntry(TypedDict):
    """One entry of `dealers` of VconSearchResultMeta."""

    id: str
    """Dealer id."""
    name: NotRequired[str]
    """Dealer name."""
    count: int
    """vCons that name this dealer so."""


class VconSearchResultMetaEmbedding(TypedDict):
    """Modes semantic and hybrid: what is found by meaning."""

    model: str
    """The model whose vectors were searched."""
    coverage: float
    """The share of all passages that have a vector."""
    pending: int
    """Passages that wait for one, found by words only until then."""


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
    Whether another page follows. A vCon that does not change meanwhile comes once; one that is changed
    may, by score, be missed or come twice.
    """
    total: NotRequired[int]
    """Modes metadata and keyword: all matches, counted to 10,000."""
    total_relation: NotRequired[str]
    """at_least when there are more than total; absent when total is exact."""


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
    """The 50 tag keys that most vCons have."""
    attachment_types: list[VconTaxonomyResultItemAttachmentTypesEntry]
    """The 100 attachment purposes that most vCons have."""
    analysis_types: list[VconTaxonomyResultItemAnalysisTypesEntry]
    """The 100 analysis types that most vCons have."""
    preferred_fields: list[VconTaxonomyResultItemPreferredFieldsEntry]
    """How often fields are filled."""
    corpus: VconTaxonomyResultItemCorpus
    """What was counted."""


class VconTaxonomyResultItemAnalysisTypesEntry(TypedDict):
    """One entry of `analysis_types` of VconTaxonomyResultItem."""

    type: str
    """The type."""
    count: int
    """vCons that have it."""
    vendors: list[str]
    """Up to 10 vendors, most frequent first."""


class VconTaxonomyResultItemAttachmentTypesEntry(TypedDict):
    """One entry of `attachment_types` of VconTaxonomyResultItem."""

    type: str
    """The purpose, or the older type."""
    count: int
    """vCons that have it."""
    extension: NotRequired[str]
    """The extension that defines it."""
    recognised: bool
    """Whether this server knows what it holds."""


class VconTaxonomyResultItemCommonTagKeysEntry(TypedDict):
    """One entry of `common_tag_keys` of VconTaxonomyResultItem."""

    key: str
    """The tag key."""
    count: int
    """vCons that have it."""
    distinct_values: int
    """How many values it has."""
    value_types: list[str]
    """string, number, boolean; most frequent first."""
    sample_values: list[ValueCount]
    """Up to 10 values of at most 255 characters, most used first."""


class VconTaxonomyResultItemCorpus(TypedDict):
    """What was counted."""

    vcons: int
    """All vCons."""
    computed_at: str
    """The moment of counting, RFC 3339."""
    exact: bool
    """Whether the counts are exact."""
    first: NotRequired[CorpusEnd]
    last: NotRequired[CorpusEnd]


class VconTaxonomyResultItemPortalTaxonomyEntry(TypedDict):
    """One entry of `portal_taxonomy` of VconTaxonomyResultItem."""

    values: list[ValueCount]
    """The values, most used first; of a declared vocabulary all, as declared."""
    closed: bool
    """Whether other values are refused as filters."""
    source: str
    """observed, or declared by the deployment."""


class VconTaxonomyResultItemPreferredFieldsEntry(TypedDict):
    """One entry of `preferred_fields` of VconTaxonomyResultItem."""

    field: str
    """The field."""
    fill_rate: float | None
    """filled / of; null in an empty corpus."""
    filled: int
    """vCons that have it."""
    of: int
    """All vCons."""
    preferred: bool
    """Whether at least half have it."""
    use: str
    """The filter, include group or mode it serves."""


class VconTaxonomyResultMeta(TypedDict):
    """`meta` of VconTaxonomyResult."""

    response_bytes: NotRequired[int]
    """Bytes of this answer as JSON, counting this number."""
    max_response_bytes: NotRequired[int]
    """The budget of the call."""


class WordCountsEntry(TypedDict):
    """One entry of the shape WordCounts."""

    word: str
    """The word."""
    vcons: int
    """vCons that have it, counted to 10,000."""
    begun: NotRequired[list[str]]
    """Of a prefix: known words that begin so, the shortest 12."""
    languages: NotRequired[list[str]]
    """Languages in which it was looked for by another stem than in English."""
