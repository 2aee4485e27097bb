"""What the handlers of each group of tools must be, one method per tool, and of each toolset's resources.

Made from spec.
Do not edit; run: make generate
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from vcontract.generated.models.bridge import (
    BridgeAutoframeParams,
    BridgeAutoweaveParams,
    BridgeCaptureParams,
    BridgeEnrichParams,
    BridgeFrameParams,
    BridgeReleaseParams,
    BridgeSearchParams,
    BridgeStatusParams,
    BridgeWeaveParams,
)
from vcontract.generated.models.contract import (
    DescribeResponseShapeParams,
    VconCapabilitiesParams,
    VconFetchParams,
    VconGraphShapeParams,
    VconRecallParams,
    VconSearchParams,
    VconTaxonomyParams,
)
from vcontract.generated.models.memory import (
    MemoryReadParams,
    MemorySearchParams,
)
from vcontract.generated.models.session import (
    SessionCheckpointParams,
    SessionEndParams,
    SessionGetCachedChunkParams,
    SessionGetMoreResultsParams,
    SessionInitParams,
    SessionQuickSearchParams,
    SessionReflectionStatsParams,
    SessionReflectOnPastParams,
    SessionSearchByConceptParams,
    SessionSearchByFileParams,
    SessionStatusParams,
    SessionStoreReflectionParams,
)
from vcontract.generated.models.vcon import (
    AddAnalysisParams,
    AddAttachmentParams,
    AddDialogParams,
    AddTagParams,
    AnalyzeQueryParams,
    CreateVconFromTemplateParams,
    CreateVconParams,
    DeleteVconParams,
    GetAllTagsParams,
    GetDatabaseShapeParams,
    GetDatabaseStatsParams,
    GetExamplesParams,
    GetSchemaParams,
    GetTagParams,
    GetUniqueTagsParams,
    GetVconParams,
    RemoveAllTagsParams,
    RemoveTagParams,
    SearchByTagsParams,
    SearchVconsContentParams,
    SearchVconsHybridParams,
    SearchVconsParams,
    SearchVconsSemanticParams,
    UpdateTagsParams,
    UpdateVconParams,
)
from vcontract.generated.models.vcon_more import (
    AddPartyParams,
    AmendVconParams,
    HoldVconParams,
    ListHoldsParams,
    RedactVconParams,
    ReleaseHoldParams,
    RemoveAnalysisParams,
    RemoveAttachmentParams,
    RemoveDialogParams,
    RemovePartyParams,
    SignVconParams,
    UpdateAnalysisParams,
    UpdateAttachmentParams,
    UpdateDialogParams,
    UpdatePartyParams,
    VconAggregateParams,
    VconRelationsParams,
    VconTopicsParams,
    VconTrendsParams,
    VerifyVconParams,
)
from vcontract.generated.results.bridge import (
    BridgeAutoframeResult,
    BridgeAutoweaveResult,
    BridgeCaptureResult,
    BridgeEnrichResult,
    BridgeFrameResult,
    BridgeReleaseResult,
    BridgeSearchResult,
    BridgeStatusResult,
    BridgeWeaveResult,
)
from vcontract.generated.results.contract import (
    DescribeResponseShapeResult,
    GraphShapeContent,
    ImportsContent,
    MeaningMapContent,
    ServedContractContent,
    VconCapabilitiesResult,
    VconFetchResult,
    VconGraphShapeResult,
    VconRecallResult,
    VconSearchResult,
    VconTaxonomyResult,
)
from vcontract.generated.results.memory import (
    MemoryReadResult,
    MemorySearchResult,
)
from vcontract.generated.results.session import (
    SessionCheckpointResult,
    SessionEndResult,
    SessionGetCachedChunkResult,
    SessionGetMoreResultsResult,
    SessionInitResult,
    SessionQuickSearchResult,
    SessionReflectionStatsResult,
    SessionReflectOnPastResult,
    SessionSearchByConceptResult,
    SessionSearchByFileResult,
    SessionStatusResult,
    SessionStoreReflectionResult,
)
from vcontract.generated.results.vcon import (
    AddAnalysisResult,
    AddAttachmentResult,
    AddDialogResult,
    AddTagResult,
    AnalysisBodyContent,
    AnalysisOfTypeContent,
    AnalysisTypesContent,
    AnalyzeQueryResult,
    AttachmentBodyContent,
    AttachmentPurposesContent,
    AttachmentsOfPurposeContent,
    AttachmentsOfTypeContent,
    AttachmentTypesContent,
    CreateVconFromTemplateResult,
    CreateVconResult,
    DeleteVconResult,
    DialogBodyContent,
    GetAllTagsResult,
    GetDatabaseShapeResult,
    GetDatabaseStatsResult,
    GetExamplesResult,
    GetSchemaResult,
    GetTagResult,
    GetUniqueTagsResult,
    GetVconResult,
    RecentVconIdsContent,
    RecentVconsContent,
    RemoveAllTagsResult,
    RemoveTagResult,
    SearchByTagsResult,
    SearchVconsContentResult,
    SearchVconsHybridResult,
    SearchVconsResult,
    SearchVconsSemanticResult,
    UpdateTagsResult,
    UpdateVconResult,
    VconAnalysisContent,
    VconAttachmentsContent,
    VconContent,
    VconDialogContent,
    VconElementsContent,
    VconIdsContent,
    VconMetadataContent,
    VconPartiesContent,
    VconSummaryContent,
    VconTagsContent,
    VconTranscriptContent,
)
from vcontract.generated.results.vcon_more import (
    AddPartyResult,
    AmendVconResult,
    HoldVconResult,
    ListHoldsResult,
    RedactVconResult,
    ReleaseHoldResult,
    RemoveAnalysisResult,
    RemoveAttachmentResult,
    RemoveDialogResult,
    RemovePartyResult,
    SignVconResult,
    UpdateAnalysisResult,
    UpdateAttachmentResult,
    UpdateDialogResult,
    UpdatePartyResult,
    VconAggregateResult,
    VconRelationsResult,
    VconTopicsResult,
    VconTrendsResult,
    VerifyVconResult,
)
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import Document


class BridgeAutoTools(Protocol):
    """Tools of the `bridge` toolset: auto."""

    async def autoframe(
        self, params: BridgeAutoframeParams, ctx: ToolContext, /
    ) -> Document[BridgeAutoframeResult]:
        """Create unreviewed moments from a source and its reflections with the configured language
        model.

        Raises: DatabaseError, Internal, LlmFailed, LlmUnavailable, NotFound, PermissionDenied,
        RateLimitExceeded, ValidationError.
        """
        ...

    async def autoweave(
        self, params: BridgeAutoweaveParams, ctx: ToolContext, /
    ) -> Document[BridgeAutoweaveResult]:
        """Create unreviewed scenes from moments or scenes with the configured language model.
        Default: moments that are in no scene.

        Raises: DatabaseError, Internal, LlmFailed, LlmUnavailable, NotFound, PermissionDenied,
        RateLimitExceeded, ValidationError.
        """
        ...


class BridgeCaptureTools(Protocol):
    """Tools of the `bridge` toolset: capture."""

    async def capture(
        self, params: BridgeCaptureParams, ctx: ToolContext, /
    ) -> Document[BridgeCaptureResult]:
        """Store an experience in its own words (journal notes, messages, transcripts) as a source.
        Requires content, file, or both.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class BridgeEnrichTools(Protocol):
    """Tools of the `bridge` toolset: enrich."""

    async def enrich(
        self, params: BridgeEnrichParams, ctx: ToolContext, /
    ) -> Document[BridgeEnrichResult]:
        """Change fields of a source, moment or scene. Moments follow changes of their source.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class BridgeFramingTools(Protocol):
    """Tools of the `bridge` toolset: framing."""

    async def frame(
        self, params: BridgeFrameParams, ctx: ToolContext, /
    ) -> Document[BridgeFrameResult]:
        """Create a moment from sources, with its qualities and how attention moved.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def weave(
        self, params: BridgeWeaveParams, ctx: ToolContext, /
    ) -> Document[BridgeWeaveResult]:
        """Connect moments into a scene with a narrative.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class BridgeReleaseTools(Protocol):
    """Tools of the `bridge` toolset: release."""

    async def release(
        self, params: BridgeReleaseParams, ctx: ToolContext, /
    ) -> Document[BridgeReleaseResult]:
        """Delete a source, moment or scene. Moments without a source and scenes without members are
        deleted too.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class BridgeSearchTools(Protocol):
    """Tools of the `bridge` toolset: search."""

    async def search(
        self, params: BridgeSearchParams, ctx: ToolContext, /
    ) -> Document[BridgeSearchResult]:
        """Search records by meaning, words or facets.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class BridgeStatusTools(Protocol):
    """Tools of the `bridge` toolset: status."""

    async def status(
        self, params: BridgeStatusParams, ctx: ToolContext, /
    ) -> Document[BridgeStatusResult]:
        """Count records, sources without moments, unreviewed records and processing errors.

        Raises: DatabaseError, Internal, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class ContractCountsTools(Protocol):
    """Tools of the `contract` toolset: counts."""

    async def vcon_graph_shape(
        self, params: VconGraphShapeParams, ctx: ToolContext, /
    ) -> VconGraphShapeResult:
        """Count tag keys, types, roles and other features of vCons, and how often two occur
        together. query and filters select the vCons.

        Raises: AmbiguousQuery, Internal, InvalidArgument, PermissionDenied, RateLimitExceeded,
        ResponseTooLarge.
        """
        ...

    async def vcon_taxonomy(
        self, params: VconTaxonomyParams, ctx: ToolContext, /
    ) -> VconTaxonomyResult:
        """List tag keys and values, attachment and analysis types, and filled fields, with current
        counts. Use it to write filters that match.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded, ResponseTooLarge.
        """
        ...


class ContractDescribingTools(Protocol):
    """Tools of the `contract` toolset: describing."""

    async def describe_response_shape(
        self, params: DescribeResponseShapeParams, ctx: ToolContext, /
    ) -> DescribeResponseShapeResult:
        """Return a tool's schemas, an example response and its errors. Without tool_name: a summary
        of all tools.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded, ResponseTooLarge,
        UnknownTool.
        """
        ...

    async def vcon_capabilities(
        self, params: VconCapabilitiesParams, ctx: ToolContext, /
    ) -> VconCapabilitiesResult:
        """List what this server supports: include groups, search modes, filters, limits and tools.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded.
        """
        ...


class ContractFetchTools(Protocol):
    """Tools of the `contract` toolset: fetch."""

    async def vcon_fetch(
        self, params: VconFetchParams, ctx: ToolContext, /
    ) -> Document[VconFetchResult]:
        """Fetch one vCon with the groups you ask for. For what was said, give turns: numbered lines
        of text. A long answer is cut; meta.left_out says how to get the rest.

        Raises: Internal, InvalidArgument, NotFound, PermissionDenied, RateLimitExceeded,
        ResponseTooLarge.
        """
        ...


class ContractRecallTools(Protocol):
    """Tools of the `contract` toolset: recall."""

    async def vcon_recall(
        self, params: VconRecallParams, ctx: ToolContext, /
    ) -> Document[VconRecallResult]:
        """Call this first for a question. Returns the turns that answer it, with date (UTC),
        speaker and id, and whether an answer is likely. vcon_fetch reads turns left out at ….

        Raises: AmbiguousQuery, Internal, InvalidArgument, PermissionDenied, RateLimitExceeded.
        """
        ...


class ContractSearchTools(Protocol):
    """Tools of the `contract` toolset: search."""

    async def vcon_search(
        self, params: VconSearchParams, ctx: ToolContext, /
    ) -> VconSearchResult:
        """Search vCons by filters, words or meaning. Keyword: all words; "phrase", beg*, OR, NOT.

        Raises: AmbiguousQuery, CursorInvalid, Internal, InvalidArgument, PermissionDenied,
        RateLimitExceeded, ResponseTooLarge, SemanticUnavailable.
        """
        ...


class MemoryReadingTools(Protocol):
    """Tools of the `memory` toolset: reading."""

    async def read(
        self, params: MemoryReadParams, ctx: ToolContext, /
    ) -> Document[MemoryReadResult]:
        """Return a past conversation as Markdown, whole or by the lines of a search result.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class MemorySearchingTools(Protocol):
    """Tools of the `memory` toolset: searching."""

    async def search(
        self, params: MemorySearchParams, ctx: ToolContext, /
    ) -> Document[MemorySearchResult]:
        """Search past conversations of coding agents by meaning and words. Returns the path and
        lines to read.

        Raises: DatabaseError, Internal, PermissionDenied, RateLimitExceeded, SemanticUnavailable,
        ValidationError.
        """
        ...


class SessionCheckpointsTools(Protocol):
    """Tools of the `session` toolset: checkpoints."""

    async def checkpoint(
        self, params: SessionCheckpointParams, ctx: ToolContext, /
    ) -> SessionCheckpointResult:
        """Score the session and the project, and commit tracked changes to git where that is
        allowed.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class SessionChunksTools(Protocol):
    """Tools of the `session` toolset: chunks."""

    async def get_cached_chunk(
        self, params: SessionGetCachedChunkParams, ctx: ToolContext, /
    ) -> SessionGetCachedChunkResult:
        """Return one chunk of a response that was too long.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class SessionEndingTools(Protocol):
    """Tools of the `session` toolset: ending."""

    async def end(
        self, params: SessionEndParams, ctx: ToolContext, /
    ) -> SessionEndResult:
        """End the session with a final score, lessons and a handoff for the next session.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class SessionFilesTools(Protocol):
    """Tools of the `session` toolset: files."""

    async def search_by_file(
        self, params: SessionSearchByFileParams, ctx: ToolContext, /
    ) -> SessionSearchByFileResult:
        """Find exchanges that edited, read or mentioned a file or folder, edits first, and
        reflections that name it.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class SessionReflectingTools(Protocol):
    """Tools of the `session` toolset: reflecting."""

    async def reflection_stats(
        self, params: SessionReflectionStatsParams, ctx: ToolContext, /
    ) -> SessionReflectionStatsResult:
        """Count the conversations and reflections that are stored.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def store_reflection(
        self, params: SessionStoreReflectionParams, ctx: ToolContext, /
    ) -> SessionStoreReflectionResult:
        """Store an insight for later sessions. It can be searched at once. Secrets are masked.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class SessionSearchingTools(Protocol):
    """Tools of the `session` toolset: searching."""

    async def get_more_results(
        self, params: SessionGetMoreResultsParams, ctx: ToolContext, /
    ) -> SessionGetMoreResultsResult:
        """Return further results of quick_search. Start with offset 1.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def quick_search(
        self, params: SessionQuickSearchParams, ctx: ToolContext, /
    ) -> SessionQuickSearchResult:
        """Count matches in past conversations and reflections and return the best one.
        get_more_results returns the rest.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def reflect_on_past(
        self, params: SessionReflectOnPastParams, ctx: ToolContext, /
    ) -> SessionReflectOnPastResult:
        """Search past conversations and reflections by meaning and words. Read further chunks with
        get_cached_chunk.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def search_by_concept(
        self, params: SessionSearchByConceptParams, ctx: ToolContext, /
    ) -> SessionSearchByConceptResult:
        """Find how a concept was dealt with before, and in which files.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class SessionStartingTools(Protocol):
    """Tools of the `session` toolset: starting."""

    async def init(
        self, params: SessionInitParams, ctx: ToolContext, /
    ) -> SessionInitResult:
        """Begin or resume a working session. Returns the health of the project and what the last
        session left open.

        Raises: Internal, MemoryUnavailable, PermissionDenied, ProjectNotFound, RateLimitExceeded,
        SearchFailed, ValidationError.
        """
        ...


class SessionStatusTools(Protocol):
    """Tools of the `session` toolset: status."""

    async def status(
        self, params: SessionStatusParams, ctx: ToolContext, /
    ) -> SessionStatusResult:
        """Return the state of the session, its project, the memory and the server.

        Raises: Internal, MemoryUnavailable, PermissionDenied, ProjectNotFound, RateLimitExceeded,
        SearchFailed, ValidationError.
        """
        ...


class VconAddingTools(Protocol):
    """Tools of the `vcon` toolset: adding."""

    async def add_analysis(
        self, params: AddAnalysisParams, ctx: ToolContext, /
    ) -> AddAnalysisResult:
        """Append an analysis, such as a summary or transcript, to a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def add_attachment(
        self, params: AddAttachmentParams, ctx: ToolContext, /
    ) -> AddAttachmentResult:
        """Append a document to a vCon. It requires purpose (or type, its older name). Use
        update_tags for tags.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def add_dialog(
        self, params: AddDialogParams, ctx: ToolContext, /
    ) -> AddDialogResult:
        """Append a dialog to a vCon. Returns what the schema still requires as warnings.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class VconCoreTools(Protocol):
    """Tools of the `vcon` toolset: core."""

    async def create_vcon(
        self, params: CreateVconParams, ctx: ToolContext, /
    ) -> CreateVconResult:
        """Store a new vCon. Fills in a missing uuid and created_at, and translates legacy member
        names. CONFLICT if the uuid exists.

        Raises: Conflict, DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def delete_vcon(
        self, params: DeleteVconParams, ctx: ToolContext, /
    ) -> DeleteVconResult:
        """Permanently delete a vCon and everything derived from it.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def get_vcon(
        self, params: GetVconParams, ctx: ToolContext, /
    ) -> GetVconResult:
        """Return one vCon with all its members. vcon_fetch does so within a byte budget.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def update_vcon(
        self, params: UpdateVconParams, ctx: ToolContext, /
    ) -> UpdateVconResult:
        """Change top-level members of a vCon. Arrays of parties, dialog and so on require append or
        replace. Use update_tags for tags.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class VconDatabaseTools(Protocol):
    """Tools of the `vcon` toolset: database."""

    async def analyze_query(
        self, params: AnalyzeQueryParams, ctx: ToolContext, /
    ) -> AnalyzeQueryResult:
        """Return the query plan of one SELECT on the tables of get_database_shape.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_database_shape(
        self, params: GetDatabaseShapeParams, ctx: ToolContext, /
    ) -> GetDatabaseShapeResult:
        """List tables with row counts, indexes and keys. Sizes are included for the local user
        only.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_database_stats(
        self, params: GetDatabaseStatsParams, ctx: ToolContext, /
    ) -> GetDatabaseStatsResult:
        """Return usage statistics of tables and indexes since stats_reset, for all tenants. Local
        user only.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconMeaningTools(Protocol):
    """Tools of the `vcon` toolset: meaning."""

    async def search_vcons_hybrid(
        self, params: SearchVconsHybridParams, ctx: ToolContext, /
    ) -> SearchVconsHybridResult:
        """Find vCons by words and meaning together. Any word may match; "phrase" and NOT are
        required to hold.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_vcons_semantic(
        self, params: SearchVconsSemanticParams, ctx: ToolContext, /
    ) -> SearchVconsSemanticResult:
        """Find vCons by meaning, of a query or of an embedding (384 numbers). Without threshold,
        weak matches are returned too.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconReferenceTools(Protocol):
    """Tools of the `vcon` toolset: reference."""

    async def get_examples(
        self, params: GetExamplesParams, ctx: ToolContext, /
    ) -> GetExamplesResult:
        """Return a complete vCon 0.4.0 that create_vcon accepts.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_schema(
        self, params: GetSchemaParams, ctx: ToolContext, /
    ) -> GetSchemaResult:
        """Return the vCon schema. TypeScript and OpenAPI omit patterns, formats and rules between
        members.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconSearchingTools(Protocol):
    """Tools of the `vcon` toolset: searching."""

    async def search_vcons(
        self, params: SearchVconsParams, ctx: ToolContext, /
    ) -> SearchVconsResult:
        """List vCons by subject, party, date and tags, newest first. Without a filter: all.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_vcons_content(
        self, params: SearchVconsContentParams, ctx: ToolContext, /
    ) -> SearchVconsContentResult:
        """Find vCons whose text contains all words. "phrase", beg*, OR, NOT and () work. Misspelled
        words are corrected if nothing matches.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconTagsTools(Protocol):
    """Tools of the `vcon` toolset: tags."""

    async def add_tag(
        self, params: AddTagParams, ctx: ToolContext, /
    ) -> AddTagResult:
        """Set one tag of a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def get_all_tags(
        self, params: GetAllTagsParams, ctx: ToolContext, /
    ) -> GetAllTagsResult:
        """Return all tags of a vCon.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_tag(
        self, params: GetTagParams, ctx: ToolContext, /
    ) -> GetTagResult:
        """Return one tag of a vCon.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_unique_tags(
        self, params: GetUniqueTagsParams, ctx: ToolContext, /
    ) -> GetUniqueTagsResult:
        """List all tag keys in use with their values.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def remove_all_tags(
        self, params: RemoveAllTagsParams, ctx: ToolContext, /
    ) -> RemoveAllTagsResult:
        """Remove all tags of a vCon.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def remove_tag(
        self, params: RemoveTagParams, ctx: ToolContext, /
    ) -> RemoveTagResult:
        """Remove one tag of a vCon. Does nothing if it is absent.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_by_tags(
        self, params: SearchByTagsParams, ctx: ToolContext, /
    ) -> SearchByTagsResult:
        """Find vCons that have all given tags, newest first. Keys match exactly; values are
        compared as text.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def update_tags(
        self, params: UpdateTagsParams, ctx: ToolContext, /
    ) -> UpdateTagsResult:
        """Set several tags of a vCon in one step.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconTemplatesTools(Protocol):
    """Tools of the `vcon` toolset: templates."""

    async def create_vcon_from_template(
        self, params: CreateVconFromTemplateParams, ctx: ToolContext, /
    ) -> CreateVconFromTemplateResult:
        """Store a new vCon made from a template. Times default to now.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconMoreCountingTools(Protocol):
    """Tools of the `vcon_more` toolset: counting."""

    async def vcon_aggregate(
        self, params: VconAggregateParams, ctx: ToolContext, /
    ) -> VconAggregateResult:
        """Count vCons in groups of tag:KEY, dealer, party, role, type or vendor of analysis,
        purpose, vcon, day, week, month or hour. By speaker, count turns and words.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def vcon_trends(
        self, params: VconTrendsParams, ctx: ToolContext, /
    ) -> VconTrendsResult:
        """Compare the counts of conversations, turns and tags of the last full days, weeks or
        months with as many before them.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconMoreElementsTools(Protocol):
    """Tools of the `vcon_more` toolset: elements."""

    async def add_party(
        self, params: AddPartyParams, ctx: ToolContext, /
    ) -> AddPartyResult:
        """Append a party to a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def remove_analysis(
        self, params: RemoveAnalysisParams, ctx: ToolContext, /
    ) -> RemoveAnalysisResult:
        """Remove one element of the analysis array of a vCon. Later elements move up.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def remove_attachment(
        self, params: RemoveAttachmentParams, ctx: ToolContext, /
    ) -> RemoveAttachmentResult:
        """Remove one element of the attachments array of a vCon. References to other elements stay
        correct.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, Referenced,
        ValidationError.
        """
        ...

    async def remove_dialog(
        self, params: RemoveDialogParams, ctx: ToolContext, /
    ) -> RemoveDialogResult:
        """Remove one element of the dialog array of a vCon. References to other elements stay
        correct.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, Referenced,
        ValidationError.
        """
        ...

    async def remove_party(
        self, params: RemovePartyParams, ctx: ToolContext, /
    ) -> RemovePartyResult:
        """Remove one element of the parties array of a vCon. References to other elements stay
        correct.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, Referenced,
        ValidationError.
        """
        ...

    async def update_analysis(
        self, params: UpdateAnalysisParams, ctx: ToolContext, /
    ) -> UpdateAnalysisResult:
        """Change one element of the analysis array of a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def update_attachment(
        self, params: UpdateAttachmentParams, ctx: ToolContext, /
    ) -> UpdateAttachmentResult:
        """Change one element of the attachments array of a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def update_dialog(
        self, params: UpdateDialogParams, ctx: ToolContext, /
    ) -> UpdateDialogResult:
        """Change one element of the dialog array of a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def update_party(
        self, params: UpdatePartyParams, ctx: ToolContext, /
    ) -> UpdatePartyResult:
        """Change one element of the parties array of a vCon.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class VconMoreLegalHoldsTools(Protocol):
    """Tools of the `vcon_more` toolset: legal_holds."""

    async def hold_vcon(
        self, params: HoldVconParams, ctx: ToolContext, /
    ) -> HoldVconResult:
        """Put a vCon under legal hold: it cannot be changed or deleted until release_hold.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def list_holds(
        self, params: ListHoldsParams, ctx: ToolContext, /
    ) -> ListHoldsResult:
        """List vCons under legal hold, the newest hold first.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def release_hold(
        self, params: ReleaseHoldParams, ctx: ToolContext, /
    ) -> ReleaseHoldResult:
        """End the legal hold of a vCon.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconMoreRedactionTools(Protocol):
    """Tools of the `vcon_more` toolset: redaction."""

    async def redact_vcon(
        self, params: RedactVconParams, ctx: ToolContext, /
    ) -> RedactVconResult:
        """Create a version of a vCon without sensitive text. Media and links are removed too.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class VconMoreRelationsTools(Protocol):
    """Tools of the `vcon_more` toolset: relations."""

    async def vcon_relations(
        self, params: VconRelationsParams, ctx: ToolContext, /
    ) -> VconRelationsResult:
        """Return the versions of a vCon (amended, redacted) and its group as a graph.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconMoreTopicsTools(Protocol):
    """Tools of the `vcon_more` toolset: topics."""

    async def vcon_topics(
        self, params: VconTopicsParams, ctx: ToolContext, /
    ) -> VconTopicsResult:
        """Group conversations by meaning, without tags, and name each topic by its telling words,
        largest first. With period, also what grew or is new since the period before.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class VconMoreTrustTools(Protocol):
    """Tools of the `vcon_more` toolset: trust."""

    async def amend_vcon(
        self, params: AmendVconParams, ctx: ToolContext, /
    ) -> AmendVconResult:
        """Create a new version of a vCon that can be changed, for example of a signed one. It
        refers to the previous version.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def sign_vcon(
        self, params: SignVconParams, ctx: ToolContext, /
    ) -> SignVconResult:
        """Sign a vCon with the server's key. It cannot be changed afterwards.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def verify_vcon(
        self, params: VerifyVconParams, ctx: ToolContext, /
    ) -> VerifyVconResult:
        """Check who signed a vCon, whether the signer is trusted here, and whether content and
        hashes match.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...


class ContractResources(Protocol):
    """Resources of the `contract` toolset: each method answers the content."""

    async def graph_shape(
        self, ctx: ToolContext, /
    ) -> GraphShapeContent:
        """The item of vcon_graph_shape, all kinds of nodes.

        Source: vcon://v1/graph/shape.
        """
        ...

    async def served_contract(
        self, ctx: ToolContext, /
    ) -> ServedContractContent:
        """The item of vcon_capabilities.

        Source: vcon://v1/contract.
        """
        ...

    async def meaning_map(
        self, ctx: ToolContext, /, *, key: str | None
    ) -> MeaningMapContent:
        """Conversations on a plane, near to those of like meaning; made in the background, kept for
        ten minutes.

        Source: vcon://v1/map, vcon://v1/map/{key}.
        """
        ...

    async def imports(
        self, ctx: ToolContext, /
    ) -> ImportsContent:
        """What the last imports by command found, imported and rejected, newest first.

        Source: vcon://v1/imports.
        """
        ...


class VconResources(Protocol):
    """Resources of the `vcon` toolset: each method answers the content."""

    async def recent_vcons(
        self, ctx: ToolContext, /, *, limit: int
    ) -> RecentVconsContent:
        """The newest vCons with every member but the bodies of dialogs, analyses and attachments.

        Source: vcon://v1/vcons/recent, vcon://v1/vcons/recent/{limit}.
        """
        ...

    async def recent_vcon_ids(
        self, ctx: ToolContext, /, *, limit: int
    ) -> RecentVconIdsContent:
        """Uuid, date and subject of the newest vCons.

        Source: vcon://v1/vcons/recent/ids, vcon://v1/vcons/recent/ids/{limit}.
        """
        ...

    async def vcon_ids(
        self, ctx: ToolContext, /, *, limit: int, cursor: str | None
    ) -> VconIdsContent:
        """Uuid, date and subject of all vCons, newest first; next_cursor leads to older ones until
        it is null.

        Source: vcon://v1/vcons/ids, vcon://v1/vcons/ids/{limit},
        vcon://v1/vcons/ids/{limit}/after/{cursor}.
        """
        ...

    async def vcon(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconContent:
        """One vCon with all of its members, and the store's metadata.

        Source: vcon://v1/vcons/{uuid}.
        """
        ...

    async def vcon_metadata(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconMetadataContent:
        """Tags, counts, conformance and times of one vCon.

        Source: vcon://v1/vcons/{uuid}/metadata.
        """
        ...

    async def vcon_parties(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconPartiesContent:
        """Participants, referred to by index.

        Source: vcon://v1/vcons/{uuid}/parties.
        """
        ...

    async def vcon_dialog(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconDialogContent:
        """What was said.

        Source: vcon://v1/vcons/{uuid}/dialog.
        """
        ...

    async def vcon_analysis(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconAnalysisContent:
        """Results computed from the conversation.

        Source: vcon://v1/vcons/{uuid}/analysis.
        """
        ...

    async def vcon_attachments(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconAttachmentsContent:
        """Documents and other files of the conversation.

        Source: vcon://v1/vcons/{uuid}/attachments.
        """
        ...

    async def dialog_body(
        self, ctx: ToolContext, /, *, uuid: str, index: int, offset: int
    ) -> DialogBodyContent:
        """The body of a dialog, 240,000 characters at a time; next_offset leads on until it is
        null.

        Source: vcon://v1/vcons/{uuid}/dialog/{index}/body,
        vcon://v1/vcons/{uuid}/dialog/{index}/body/{offset}.
        """
        ...

    async def analysis_body(
        self, ctx: ToolContext, /, *, uuid: str, index: int, offset: int
    ) -> AnalysisBodyContent:
        """The body of an analysis, 240,000 characters at a time; next_offset leads on until it is
        null.

        Source: vcon://v1/vcons/{uuid}/analysis/{index}/body,
        vcon://v1/vcons/{uuid}/analysis/{index}/body/{offset}.
        """
        ...

    async def attachment_body(
        self, ctx: ToolContext, /, *, uuid: str, index: int, offset: int
    ) -> AttachmentBodyContent:
        """The body of an attachment, 240,000 characters at a time; next_offset leads on until it is
        null.

        Source: vcon://v1/vcons/{uuid}/attachments/{index}/body,
        vcon://v1/vcons/{uuid}/attachments/{index}/body/{offset}.
        """
        ...

    async def vcon_elements(
        self, ctx: ToolContext, /, *, uuid: str, part: str, first: int
    ) -> VconElementsContent:
        """Up to 100 elements of dialog, analysis or attachments from an index on. Long texts are
        cut.

        Source: vcon://v1/vcons/{uuid}/elements/{part}/{first}.
        """
        ...

    async def attachments_of_type(
        self, ctx: ToolContext, /, *, uuid: str, type: str
    ) -> AttachmentsOfTypeContent:
        """The attachments of one vCon whose purpose, or type where no purpose is stated, is this.

        Source: vcon://v1/vcons/{uuid}/attachments/type/{type}.
        """
        ...

    async def attachments_of_purpose(
        self, ctx: ToolContext, /, *, uuid: str, purpose: str
    ) -> AttachmentsOfPurposeContent:
        """The attachments of one vCon that serve this purpose.

        Source: vcon://v1/vcons/{uuid}/attachments/purpose/{purpose}.
        """
        ...

    async def analysis_of_type(
        self, ctx: ToolContext, /, *, uuid: str, type: str
    ) -> AnalysisOfTypeContent:
        """The analyses of one vCon that are of this type.

        Source: vcon://v1/vcons/{uuid}/analysis/type/{type}.
        """
        ...

    async def vcon_transcript(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconTranscriptContent:
        """The transcripts among its analyses, each as text with speakers.

        Source: vcon://v1/vcons/{uuid}/transcript.
        """
        ...

    async def vcon_summary(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconSummaryContent:
        """The summaries among its analyses, each as text.

        Source: vcon://v1/vcons/{uuid}/summary.
        """
        ...

    async def vcon_tags(
        self, ctx: ToolContext, /, *, uuid: str
    ) -> VconTagsContent:
        """All tags of one vCon with their typed values.

        Source: vcon://v1/vcons/{uuid}/tags.
        """
        ...

    async def attachment_types(
        self, ctx: ToolContext, /
    ) -> AttachmentTypesContent:
        """Every type by which attachments can be read, with the number of vCons that have it.

        Source: vcon://v1/discovery/attachments/types.
        """
        ...

    async def attachment_purposes(
        self, ctx: ToolContext, /
    ) -> AttachmentPurposesContent:
        """Every purpose that attachments serve, with the number of vCons that have it.

        Source: vcon://v1/discovery/attachments/purposes.
        """
        ...

    async def analysis_types(
        self, ctx: ToolContext, /
    ) -> AnalysisTypesContent:
        """Every type of analysis, with the number of vCons that have it.

        Source: vcon://v1/discovery/analysis/types.
        """
        ...

    async def vcon_schema(
        self, ctx: ToolContext, /, *, version: str
    ) -> JsonObject:
        """The JSON Schema of one version of the vCon syntax, one document.

        Source: vcon://v1/schema/{version}.
        """
        ...

    async def complete_analysis_types(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        """At most 101 analysis types that begin with `beginning`; `given` are the other arguments."""
        ...

    async def complete_attachment_purposes(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        """At most 101 attachment purposes that begin with `beginning`; `given` are the other arguments."""
        ...

    async def complete_tag_keys(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        """At most 101 tag keys that begin with `beginning`; `given` are the other arguments."""
        ...

    async def complete_vcon_uuids(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        """At most 101 vcon uuids that begin with `beginning`; `given` are the other arguments."""
        ...

    async def complete_vcon_versions(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        """At most 101 vcon versions that begin with `beginning`; `given` are the other arguments."""
        ...
