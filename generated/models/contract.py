"""Parameters of the tools of the `contract` toolset.

Made from spec/tools/contract and the shapes it uses (sha256:c8f18046a8bd882976dfb90608539dc157a379620d08ec9fb0d82d0ea43a5cbe).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Annotated, Any, Literal

from pydantic import MISSING, ConfigDict, Field
from vcontract.generated.models.base import Model


class CorrectionsEntry(Model):
    """One entry of the shape Corrections."""

    model_config = ConfigDict(
        extra="allow",
    )
    word: str
    """The word of the query."""
    used: str
    """The word searched instead."""
    similarity: float
    """How close they are."""


class Counts(Model):
    """Lengths of the four arrays."""

    model_config = ConfigDict(
        extra="allow",
    )
    parties: int
    """Number of parties."""
    dialog: int
    """Number of dialogs."""
    analysis: int
    """Number of analyses."""
    attachments: int
    """Number of attachments."""


class DescribeResponseShapeParams(Model):
    """Parameters of describe_response_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    tool_name: str | MISSING = MISSING
    """As in tools/list."""
    include_example: bool = True
    """Also an example."""
    max_response_bytes: int = 250000
    """Over it: RESPONSE_TOO_LARGE."""


class DescribeResponseShapeResult(Model):
    """The success of describe_response_shape."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: Literal[True] = True
    item: DescribeResponseShapeResultItem | MISSING = MISSING
    meta: DescribeResponseShapeResultMeta | MISSING = MISSING
    items: list[DescribeResponseShapeResultEntry] | MISSING = MISSING
    page: DescribeResponseShapeResultPage | MISSING = MISSING


class DescribeResponseShapeResultEntry(Model):
    """One entry of `items` of DescribeResponseShapeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
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
    """Sizes: example, and per_item for pages."""


class DescribeResponseShapeResultItem(Model):
    """`item` of DescribeResponseShapeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
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
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    """The output schema, as in tools/list."""
    arguments_schema: dict[str, Any]
    """What its arguments are checked against; tools/list shows a short form."""
    example: dict[str, Any] | MISSING = MISSING
    """A response that fits the schema."""
    typical_bytes: dict[str, Any]
    """Sizes: example, and per_item for pages."""
    errors: list[DescribeResponseShapeResultItemErrorsEntry]
    """The errors this tool can answer with."""


class DescribeResponseShapeResultItemErrorsEntry(Model):
    """One entry of `errors` of DescribeResponseShapeResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    code: str
    """The error code."""
    retryable: bool
    """Whether the same call may succeed later."""
    message: str
    """What it means."""
    details_schema: dict[str, Any]
    """The schema of its details."""


class DescribeResponseShapeResultMeta(Model):
    """`meta` of DescribeResponseShapeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    response_bytes: int | MISSING = MISSING
    """Bytes of this answer as text, counting this number."""
    max_response_bytes: int | MISSING = MISSING
    """The budget of the call."""


class DescribeResponseShapeResultPage(Model):
    """`page` of DescribeResponseShapeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Number of tools."""


class Item(Model):
    """One vCon by include groups; a group not asked for is absent."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str
    """The handle of these tools; equal to uuid."""
    uuid: str
    """The vCon's uuid."""
    created_at: str
    """When the conversation was made, RFC 3339 in UTC."""
    updated_at: str
    """When it was last changed here, RFC 3339 in UTC."""
    vcon_version: str | MISSING = MISSING
    """The vCon's own version, if it states one."""
    subject: str | MISSING = MISSING
    """The subject, if it has one."""
    extensions: list[str] | MISSING = MISSING
    """Extensions it names."""
    critical: list[str] | MISSING = MISSING
    """Extensions a reader must support."""
    redacted: dict[str, Any] | MISSING = MISSING
    """The less redacted version it was made from."""
    amended: dict[str, Any] | MISSING = MISSING
    """The earlier version it adds to."""
    other_members: list[str] | MISSING = MISSING
    """Further top-level members; get_vcon has their values."""
    parties: list[dict[str, Any]] | MISSING = MISSING
    """Group parties: whole, in order."""
    summary: list[ItemSummaryEntry] | MISSING = MISSING
    """Group summary: the analyses of type summary as text."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Tags with their typed values."""
    dealer: dict[str, Any] | None | MISSING = MISSING
    """Group dealer: null when no attachment names one."""
    counts: Counts | MISSING = MISSING
    dialog: list[dict[str, Any]] | MISSING = MISSING
    """Group dialog: whole, in order."""
    analysis: list[dict[str, Any]] | MISSING = MISSING
    """Group analysis: whole, in order."""
    attachments: list[dict[str, Any]] | MISSING = MISSING
    """Group attachments: whole, in order, each with its effective purpose."""


class ItemSummaryEntry(Model):
    """One entry of `summary` of Item."""

    model_config = ConfigDict(
        extra="allow",
    )
    analysis_index: int
    """Position in analysis."""
    type: str | MISSING = MISSING
    """The analysis type as stored."""
    vendor: str | MISSING = MISSING
    """Who made it."""
    product: str | MISSING = MISSING
    """What made it."""
    schema_: Annotated[str | MISSING, Field(alias="schema")] = MISSING
    """Its format."""
    dialog: int | list[int] | MISSING = MISSING
    """The dialogs it was made from."""
    text: str
    """The text, uncut."""


class SearchFilters(Model):
    """
    All must hold. Tags and dealer_id exactly, other text in part, party_tel by 3 digits; dates YYYY-MM-
    DD.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    subject: str | MISSING = MISSING
    """Part of it."""
    party_name: str | MISSING = MISSING
    """Part of a name."""
    party_email: str | MISSING = MISSING
    """Part of an address."""
    party_tel: str | MISSING = MISSING
    """3 digits or more of a number."""
    start_date: str | MISSING = MISSING
    """From: YYYY-MM-DD or RFC 3339."""
    end_date: str | MISSING = MISSING
    """Until; a bare day is included."""
    dealer_id: str | MISSING = MISSING
    """Exact id."""
    dealer_name: str | MISSING = MISSING
    """Part of a name."""
    tags: dict[str, int | str | float | bool] | MISSING = MISSING
    """Exact pairs."""


class ValueCount(Model):
    """A value and how often it occurs."""

    model_config = ConfigDict(
        extra="allow",
    )
    value: str
    """The value as text."""
    count: int
    """vCons that have it."""


class VconCapabilitiesParams(Model):
    """Parameters of vcon_capabilities."""

    model_config = ConfigDict(
        extra="forbid",
    )


class VconCapabilitiesResult(Model):
    """The success of vcon_capabilities."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: Literal[True] = True
    item: VconCapabilitiesResultItem


class VconCapabilitiesResultItem(Model):
    """`item` of VconCapabilitiesResult."""

    model_config = ConfigDict(
        extra="allow",
    )
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
    migration_hints: list[dict[str, Any]]
    """Legacy names and what replaces them."""
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


class VconCapabilitiesResultItemContract(Model):
    """Name, version and digest of the contract; the digest changes when anything a client sees changes."""

    model_config = ConfigDict(
        extra="allow",
    )
    name: str
    """The server's name."""
    version: str
    """Semantic version of the contract."""
    digest: str
    """sha256 of the tools, resources and prompts served."""


class VconCapabilitiesResultItemEmbedding(Model):
    """Search by meaning, at most 10 seconds old."""

    model_config = ConfigDict(
        extra="allow",
    )
    available: bool
    """Whether a query can be searched by meaning."""
    model: str | MISSING = MISSING
    """The model whose vectors are searched, if there are any."""
    dimensions: int | MISSING = MISSING
    """Numbers of one vector."""
    passages: int
    """Passages of text that are to be found by meaning."""
    embedded: int
    """Those that are."""
    coverage: float
    """embedded / passages, 1 when there are none."""
    stale: int
    """While the model changes: passages that the new one has yet to embed; 0 else."""


class VconCapabilitiesResultItemSearchModesEntry(Model):
    """One entry of `search_modes` of VconCapabilitiesResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    mode: str
    """The value of mode."""
    requires: list[str]
    """Parameters it needs."""
    one_of: list[str] | MISSING = MISSING
    """Parameters of which it needs exactly one."""
    accepts: list[str]
    """Parameters it takes."""
    rejects: list[str]
    """Parameters that are an error in it."""
    ranked: bool
    """Whether items have a score."""
    total: bool
    """Whether page.total is given."""
    defaults: dict[str, Any] | MISSING = MISSING
    """Defaults that hold in this mode only."""


class VconCapabilitiesResultItemToolsetsEntry(Model):
    """One entry of `toolsets` of VconCapabilitiesResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str
    """The toolset."""
    title: str
    """Its title."""
    enabled: bool
    """Whether it is served."""
    tools: list[str]
    """Tool names."""


class VconFetchParams(Model):
    """Parameters of vcon_fetch."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str | MISSING = MISSING
    """Give id or uuid."""
    uuid: str | MISSING = MISSING
    """Same as id."""
    include: list[Literal["core", "parties", "summary", "tags", "dealer", "counts", "dialog", "analysis", "attachments"]] | MISSING = (
        MISSING
    )
    """Default core, parties, summary."""
    max_response_bytes: int = 250000
    """Over it: RESPONSE_TOO_LARGE."""


class VconFetchResult(Model):
    """The success of vcon_fetch."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: Literal[True] = True
    item: Item
    meta: VconFetchResultMeta


class VconFetchResultMeta(Model):
    """`meta` of VconFetchResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    include: list[str]
    """The groups in this answer."""
    response_bytes: int | MISSING = MISSING
    """Bytes of this answer as text, counting this number."""
    max_response_bytes: int | MISSING = MISSING
    """The budget of the call."""


class VconGraphShapeParams(Model):
    """Parameters of vcon_graph_shape."""

    model_config = ConfigDict(
        extra="forbid",
    )
    node_types: list[Literal["analysis_type", "tag_key", "attachment_purpose", "dialog_type", "party_role", "extension"]] | MISSING = (
        MISSING
    )
    """Only these."""
    max_nodes: int = 200
    """Frequent first."""
    max_edges: int = 200
    """Strongest first."""
    min_strength: float = 0.05
    """Least of an edge."""
    max_response_bytes: int = 250000
    """Over it: RESPONSE_TOO_LARGE."""


class VconGraphShapeResult(Model):
    """The success of vcon_graph_shape."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: Literal[True] = True
    item: VconGraphShapeResultItem
    meta: VconGraphShapeResultMeta | MISSING = MISSING


class VconGraphShapeResultItem(Model):
    """`item` of VconGraphShapeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    nodes: list[VconGraphShapeResultItemNodesEntry]
    """What vCons have."""
    edges: list[VconGraphShapeResultItemEdgesEntry]
    """Pairs of these nodes, each once, source before target."""
    corpus: VconGraphShapeResultItemCorpus
    """What was counted."""
    truncated: VconGraphShapeResultItemTruncated
    """How many were left out by max_nodes and max_edges."""


class VconGraphShapeResultItemCorpus(Model):
    """What was counted."""

    model_config = ConfigDict(
        extra="allow",
    )
    vcons: int
    """All vCons."""
    edges_from: int
    """vCons that edges are counted from."""
    sampled: bool
    """Whether these are a sample."""
    computed_at: str
    """The moment of counting, RFC 3339."""


class VconGraphShapeResultItemEdgesEntry(Model):
    """One entry of `edges` of VconGraphShapeResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    source: str
    """A node's id."""
    target: str
    """Another node's id."""
    strength: float
    """Of the vCons with the rarer one, the share that also has the other."""
    joint_count: int
    """vCons that have both, of those that edges are counted from."""


class VconGraphShapeResultItemNodesEntry(Model):
    """One entry of `nodes` of VconGraphShapeResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str
    """As analysis:transcript or tag:priority."""
    type: str
    """analysis_type, tag_key, attachment_purpose, dialog_type, party_role or extension; may grow."""
    label: str
    """The name alone."""
    count: int
    """vCons that have it, exact."""


class VconGraphShapeResultItemTruncated(Model):
    """How many were left out by max_nodes and max_edges."""

    model_config = ConfigDict(
        extra="allow",
    )
    nodes: int
    """Nodes left out."""
    edges: int
    """Edges between the listed nodes left out."""


class VconGraphShapeResultMeta(Model):
    """`meta` of VconGraphShapeResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    response_bytes: int | MISSING = MISSING
    """Bytes of this answer as text, counting this number."""
    max_response_bytes: int | MISSING = MISSING
    """The budget of the call."""


class VconSearchParams(Model):
    """Parameters of vcon_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    mode: Literal["metadata", "keyword", "semantic", "hybrid"]
    """metadata: newest first. keyword: by words. semantic: by meaning. hybrid: both."""
    query: str | MISSING = MISSING
    """Words or a sentence."""
    embedding: list[float] | MISSING = MISSING
    """384 numbers, the query's meaning."""
    threshold: float | MISSING = MISSING
    """Least score; semantic: 0.7."""
    semantic_weight: float = 0.6
    """Share of meaning in hybrid."""
    filters: SearchFilters | MISSING = MISSING
    include: list[Literal["core", "parties", "summary", "tags", "dealer", "counts", "dialog", "analysis", "attachments"]] | MISSING = (
        MISSING
    )
    """Default core, summary."""
    max_response_bytes: int = 250000
    """Over it: RESPONSE_TOO_LARGE."""
    limit: int = 25
    """Page size."""
    cursor: str | MISSING = MISSING
    """page.next_cursor, with the same arguments."""


class VconSearchResult(Model):
    """The success of vcon_search."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: Literal[True] = True
    items: list[VconSearchResultEntry]
    page: VconSearchResultPage
    meta: VconSearchResultMeta


class VconSearchResultEntry(Item):
    """One vCon by include groups; a group not asked for is absent."""

    model_config = ConfigDict(
        extra="allow",
    )
    score: float | MISSING = MISSING
    """
    But in mode metadata: how well it matches, comparable between calls. By words, by similarity, or the
    two weighed by semantic_weight.
    """
    match: VconSearchResultEntryMatch | MISSING = MISSING
    """But in mode metadata: why it matches."""


class VconSearchResultEntryMatch(Model):
    """But in mode metadata: why it matches."""

    model_config = ConfigDict(
        extra="allow",
    )
    matching: str
    """exact, fuzzy when words were corrected, semantic when no word was matched; may grow."""
    keyword_score: float | MISSING = MISSING
    """Modes keyword and hybrid: rarer words and more places count more."""
    semantic_score: float | MISSING = MISSING
    """
    Modes semantic and hybrid: similarity of its best passage, calibrated so that 0.5 is what chance
    rarely reaches.
    """
    cosine: float | MISSING = MISSING
    """The cosine that the similarity was calibrated from."""
    hits: list[VconSearchResultEntryMatchHitsEntry]
    """At most three places, best first."""


class VconSearchResultEntryMatchHitsEntry(Model):
    """One entry of `hits` of VconSearchResultEntryMatch."""

    model_config = ConfigDict(
        extra="allow",
    )
    content_type: str
    """subject, party, dialog, analysis, attachment or trace (an agent's tools); may grow."""
    content_index: int | MISSING = MISSING
    """Position in its array; absent for subject and trace."""
    snippet: str
    """Up to 300 characters; words of the query are in <mark>…</mark>."""
    score: float
    """How well this place matches."""


class VconSearchResultMeta(Model):
    """`meta` of VconSearchResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    mode: str
    """The mode of the search."""
    include: list[str]
    """The groups in this answer."""
    filters: dict[str, Any]
    """The filters as applied."""
    window: VconSearchResultMetaWindow | MISSING = MISSING
    """The instants of the date filters."""
    matching: str | MISSING = MISSING
    """exact, fuzzy when words were corrected, semantic in that mode; absent in mode metadata. May grow."""
    corrections: list[CorrectionsEntry] | MISSING = MISSING
    """Words replaced because no vCon has them."""
    words: list[WordCountsEntry] | MISSING = MISSING
    """How many vCons have each word, whatever the filters."""
    embedding: VconSearchResultMetaEmbedding | MISSING = MISSING
    """Modes semantic and hybrid: what is found by meaning."""
    best_below_threshold: float | MISSING = MISSING
    """Mode semantic, when nothing passed: the best similarity there is."""
    hints: list[VconSearchResultMetaHintsEntry] | MISSING = MISSING
    """Why nothing matched, and what is near."""
    dealers: list[VconSearchResultMetaDealersEntry] | MISSING = MISSING
    """The dealers that dealer_name fits."""
    ranked_newest: int | MISSING = MISSING
    """
    Present when more vCons match than are ranked together; scores order vCons within each run of this
    many, newest run first.
    """
    response_bytes: int | MISSING = MISSING
    """Bytes of this answer as text, counting this number."""
    max_response_bytes: int | MISSING = MISSING
    """The budget of the call."""


class VconSearchResultMetaDealersEntry(Model):
    """One entry of `dealers` of VconSearchResultMeta."""

    model_config = ConfigDict(
        extra="allow",
    )
    id: str
    """Dealer id."""
    name: str | MISSING = MISSING
    """Dealer name."""
    count: int
    """vCons of this dealer."""


class VconSearchResultMetaEmbedding(Model):
    """Modes semantic and hybrid: what is found by meaning."""

    model_config = ConfigDict(
        extra="allow",
    )
    model: str
    """The model whose vectors were searched."""
    coverage: float
    """The share of all passages that have a vector."""
    pending: int
    """Passages that wait for one, found by words only until then."""


class VconSearchResultMetaHintsEntry(Model):
    """One entry of `hints` of VconSearchResultMeta."""

    model_config = ConfigDict(
        extra="allow",
    )
    reason: str
    """value_not_seen, dealer_not_seen, words_never_together; may grow."""
    filter: str | MISSING = MISSING
    """The filter concerned."""
    nearest: list[dict[str, Any]] | MISSING = MISSING
    """Known values that are close."""


class VconSearchResultMetaWindow(Model):
    """The instants of the date filters."""

    model_config = ConfigDict(
        extra="allow",
    )
    from_: Annotated[str | MISSING, Field(alias="from")] = MISSING
    """Created at or after."""
    to: str | MISSING = MISSING
    """Created before."""


class VconSearchResultPage(Model):
    """`page` of VconSearchResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    next_cursor: str | None
    """Send it back as cursor for the next page; null when nothing follows."""
    count: int
    """Items on this page."""
    has_more: bool
    """
    Whether another page follows. A vCon that does not change meanwhile comes once; one that is changed
    may, by score, be missed or come twice.
    """
    total: int | MISSING = MISSING
    """Modes metadata and keyword: all matches, counted to 10,000."""
    total_relation: str | MISSING = MISSING
    """at_least when there are more than total; absent when total is exact."""


class VconTaxonomyParams(Model):
    """Parameters of vcon_taxonomy."""

    model_config = ConfigDict(
        extra="forbid",
    )
    max_response_bytes: int = 250000
    """Over it: RESPONSE_TOO_LARGE."""


class VconTaxonomyResult(Model):
    """The success of vcon_taxonomy."""

    model_config = ConfigDict(
        extra="allow",
    )
    ok: Literal[True] = True
    item: VconTaxonomyResultItem
    meta: VconTaxonomyResultMeta | MISSING = MISSING


class VconTaxonomyResultItem(Model):
    """`item` of VconTaxonomyResult."""

    model_config = ConfigDict(
        extra="allow",
    )
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


class VconTaxonomyResultItemAnalysisTypesEntry(Model):
    """One entry of `analysis_types` of VconTaxonomyResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    type: str
    """The type."""
    count: int
    """vCons that have it."""
    vendors: list[str]
    """Up to 10 vendors, most frequent first."""


class VconTaxonomyResultItemAttachmentTypesEntry(Model):
    """One entry of `attachment_types` of VconTaxonomyResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    type: str
    """The purpose, or the older type."""
    count: int
    """vCons that have it."""
    extension: str | MISSING = MISSING
    """The extension that defines it."""
    recognised: bool
    """Whether this server knows what it holds."""


class VconTaxonomyResultItemCommonTagKeysEntry(Model):
    """One entry of `common_tag_keys` of VconTaxonomyResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
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


class VconTaxonomyResultItemCorpus(Model):
    """What was counted."""

    model_config = ConfigDict(
        extra="allow",
    )
    vcons: int
    """All vCons."""
    computed_at: str
    """The moment of counting, RFC 3339."""
    exact: bool
    """Whether the counts are exact."""


class VconTaxonomyResultItemPortalTaxonomyEntry(Model):
    """One entry of `portal_taxonomy` of VconTaxonomyResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
    values: list[ValueCount]
    """The values, most used first; of a declared vocabulary all, as declared."""
    closed: bool
    """Whether other values are refused as filters."""
    source: str
    """observed, or declared by the deployment."""


class VconTaxonomyResultItemPreferredFieldsEntry(Model):
    """One entry of `preferred_fields` of VconTaxonomyResultItem."""

    model_config = ConfigDict(
        extra="allow",
    )
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


class VconTaxonomyResultMeta(Model):
    """`meta` of VconTaxonomyResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    response_bytes: int | MISSING = MISSING
    """Bytes of this answer as text, counting this number."""
    max_response_bytes: int | MISSING = MISSING
    """The budget of the call."""


class WordCountsEntry(Model):
    """One entry of the shape WordCounts."""

    model_config = ConfigDict(
        extra="allow",
    )
    word: str
    """The word."""
    vcons: int
    """vCons that have it, counted to 10,000."""
