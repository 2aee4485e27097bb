"""What the handlers of each toolset must be: one method per tool, and one per resource.

Made from spec (sha256:2ab05769529478cd06766249703a28a8fb5370a5a595100d58fe0a39a69190e0).
Do not edit; run: make generate
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from vcontract.generated.models.bridge import (
    BridgeAutoframeParams,
    BridgeAutoframeResult,
    BridgeAutoweaveParams,
    BridgeAutoweaveResult,
    BridgeCaptureParams,
    BridgeCaptureResult,
    BridgeEnrichParams,
    BridgeEnrichResult,
    BridgeFrameParams,
    BridgeFrameResult,
    BridgeReleaseParams,
    BridgeReleaseResult,
    BridgeSearchParams,
    BridgeSearchResult,
    BridgeStatusParams,
    BridgeStatusResult,
    BridgeWeaveParams,
    BridgeWeaveResult,
)
from vcontract.generated.models.contract import (
    DescribeResponseShapeParams,
    DescribeResponseShapeResult,
    VconCapabilitiesParams,
    VconCapabilitiesResult,
    VconFetchParams,
    VconFetchResult,
    VconGraphShapeParams,
    VconGraphShapeResult,
    VconSearchParams,
    VconSearchResult,
    VconTaxonomyParams,
    VconTaxonomyResult,
)
from vcontract.generated.models.memory import (
    MemoryReadParams,
    MemoryReadResult,
    MemorySearchParams,
    MemorySearchResult,
)
from vcontract.generated.models.session import (
    SessionCheckpointParams,
    SessionCheckpointResult,
    SessionEndParams,
    SessionEndResult,
    SessionGetCachedChunkParams,
    SessionGetCachedChunkResult,
    SessionGetMoreResultsParams,
    SessionGetMoreResultsResult,
    SessionInitParams,
    SessionInitResult,
    SessionQuickSearchParams,
    SessionQuickSearchResult,
    SessionReflectionStatsParams,
    SessionReflectionStatsResult,
    SessionReflectOnPastParams,
    SessionReflectOnPastResult,
    SessionSearchByConceptParams,
    SessionSearchByConceptResult,
    SessionSearchByFileParams,
    SessionSearchByFileResult,
    SessionStatusParams,
    SessionStatusResult,
    SessionStoreReflectionParams,
    SessionStoreReflectionResult,
)
from vcontract.generated.models.vcon import (
    AddAnalysisParams,
    AddAnalysisResult,
    AddAttachmentParams,
    AddAttachmentResult,
    AddDialogParams,
    AddDialogResult,
    AddTagParams,
    AddTagResult,
    AnalyzeQueryParams,
    AnalyzeQueryResult,
    CreateVconFromTemplateParams,
    CreateVconFromTemplateResult,
    CreateVconParams,
    CreateVconResult,
    DeleteVconParams,
    DeleteVconResult,
    GetAllTagsParams,
    GetAllTagsResult,
    GetDatabaseShapeParams,
    GetDatabaseShapeResult,
    GetDatabaseStatsParams,
    GetDatabaseStatsResult,
    GetExamplesParams,
    GetExamplesResult,
    GetSchemaParams,
    GetSchemaResult,
    GetTagParams,
    GetTagResult,
    GetUniqueTagsParams,
    GetUniqueTagsResult,
    GetVconParams,
    GetVconResult,
    RemoveAllTagsParams,
    RemoveAllTagsResult,
    RemoveTagParams,
    RemoveTagResult,
    SearchByTagsParams,
    SearchByTagsResult,
    SearchVconsContentParams,
    SearchVconsContentResult,
    SearchVconsHybridParams,
    SearchVconsHybridResult,
    SearchVconsParams,
    SearchVconsResult,
    SearchVconsSemanticParams,
    SearchVconsSemanticResult,
    UpdateTagsParams,
    UpdateTagsResult,
    UpdateVconParams,
    UpdateVconResult,
)
from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.envelope import Document


class BridgeTools(Protocol):
    """Tools of the `bridge` toolset."""

    async def autoframe(
        self, params: BridgeAutoframeParams, ctx: ToolContext, /
    ) -> Document[BridgeAutoframeResult]:
        """Automatically frame a source and its reflections into moments using the configured
        language model. Creates moments marked as unreviewed for human oversight.

        Raises: DatabaseError, Internal, LlmFailed, LlmUnavailable, NotFound, PermissionDenied,
        RateLimitExceeded, ValidationError.
        """
        ...

    async def autoweave(
        self, params: BridgeAutoweaveParams, ctx: ToolContext, /
    ) -> Document[BridgeAutoweaveResult]:
        """Automatically weave moments or scenes into higher-level scenes using the configured
        language model. Creates scenes marked as unreviewed for human oversight. Without ids:
        moments in no scene.

        Raises: DatabaseError, Internal, LlmFailed, LlmUnavailable, NotFound, PermissionDenied,
        RateLimitExceeded, ValidationError.
        """
        ...

    async def capture(
        self, params: BridgeCaptureParams, ctx: ToolContext, /
    ) -> Document[BridgeCaptureResult]:
        """Capture raw experiential text as a source record. For unprocessed, in-the-moment entries
        (journal notes, chat messages, transcripts) before any framing. Give content, file, or
        both.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def enrich(
        self, params: BridgeEnrichParams, ctx: ToolContext, /
    ) -> Document[BridgeEnrichResult]:
        """Correct or update an existing source, moment or scene. For factual corrections, typos,
        missing details, and review. Edits the record itself; moments of a source reflect its new
        content.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def frame(
        self, params: BridgeFrameParams, ctx: ToolContext, /
    ) -> Document[BridgeFrameResult]:
        """Transform raw sources into complete experiential moments by identifying their qualities
        and attention patterns.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def release(
        self, params: BridgeReleaseParams, ctx: ToolContext, /
    ) -> Document[BridgeReleaseResult]:
        """Release (delete) a source, moment or scene - some experiences are meant to be
        acknowledged then let go. Moments left without a source, and scenes left without members,
        go with it.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def search(
        self, params: BridgeSearchParams, ctx: ToolContext, /
    ) -> Document[BridgeSearchResult]:
        """Unified faceted search across all records. Supports semantic, temporal, relationship, and
        metadata filters. Use 'created' for capture time and 'when' for event time. An ID as
        query reads that record.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def status(
        self, params: BridgeStatusParams, ctx: ToolContext, /
    ) -> Document[BridgeStatusResult]:
        """Get a high-level status report of the system, including counts of unframed sources,
        unreviewed content, and processing errors.

        Raises: DatabaseError, Internal, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def weave(
        self, params: BridgeWeaveParams, ctx: ToolContext, /
    ) -> Document[BridgeWeaveResult]:
        """Connect multiple moments to reveal narrative journeys and transformations.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class ContractTools(Protocol):
    """Tools of the `contract` toolset."""

    async def describe_response_shape(
        self, params: DescribeResponseShapeParams, ctx: ToolContext, /
    ) -> DescribeResponseShapeResult:
        """The JSON Schema, an example and the errors of one tool's response; without tool_name, the
        list of all tools.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded, ResponseTooLarge,
        UnknownTool.
        """
        ...

    async def vcon_capabilities(
        self, params: VconCapabilitiesParams, ctx: ToolContext, /
    ) -> VconCapabilitiesResult:
        """Include groups, search modes, filters, paging, byte budgets, limits and tools of this
        server. Call it first and keep the answer.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded.
        """
        ...

    async def vcon_fetch(
        self, params: VconFetchParams, ctx: ToolContext, /
    ) -> VconFetchResult:
        """Fetch one vCon, only the groups asked for, within a byte budget.

        Raises: Internal, InvalidArgument, NotFound, PermissionDenied, RateLimitExceeded,
        ResponseTooLarge.
        """
        ...

    async def vcon_graph_shape(
        self, params: VconGraphShapeParams, ctx: ToolContext, /
    ) -> VconGraphShapeResult:
        """Which analysis types, tag keys, attachment purposes, dialog types, party roles and
        extensions this corpus has, and which occur together. Use it to ground assumptions before
        searching.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded, ResponseTooLarge.
        """
        ...

    async def vcon_search(
        self, params: VconSearchParams, ctx: ToolContext, /
    ) -> VconSearchResult:
        """Search vCons by filters, words, meaning, or both; one item a vCon. In keyword mode all
        words must occur; "a phrase", OR and -not work.

        Raises: AmbiguousQuery, CursorInvalid, Internal, InvalidArgument, PermissionDenied,
        RateLimitExceeded, ResponseTooLarge, SemanticUnavailable.
        """
        ...

    async def vcon_taxonomy(
        self, params: VconTaxonomyParams, ctx: ToolContext, /
    ) -> VconTaxonomyResult:
        """Tag keys and values, attachment and analysis types, and which fields are filled, counted
        in this corpus now. Use it to write filters that match.

        Raises: Internal, InvalidArgument, PermissionDenied, RateLimitExceeded, ResponseTooLarge.
        """
        ...


class MemoryTools(Protocol):
    """Tools of the `memory` toolset."""

    async def read(
        self, params: MemoryReadParams, ctx: ToolContext, /
    ) -> Document[MemoryReadResult]:
        """Read a past agent conversation as Markdown, whole or by the lines of a search result. A
        long one says where to go on.

        Raises: DatabaseError, Internal, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def search(
        self, params: MemorySearchParams, ctx: ToolContext, /
    ) -> Document[MemorySearchResult]:
        """Find past agent conversations by meaning and by words. Each result says where its
        exchange lies; pass path and lines to read.

        Raises: DatabaseError, Internal, PermissionDenied, RateLimitExceeded, SemanticUnavailable,
        ValidationError.
        """
        ...


class SessionTools(Protocol):
    """Tools of the `session` toolset."""

    async def checkpoint(
        self, params: SessionCheckpointParams, ctx: ToolContext, /
    ) -> SessionCheckpointResult:
        """Take stock in the middle of a session: scores, insights, and a git commit of tracked
        changes where that is allowed.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def end(
        self, params: SessionEndParams, ctx: ToolContext, /
    ) -> SessionEndResult:
        """End the session: a last score, what was learned in it, and a handoff for the next one.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def get_cached_chunk(
        self, params: SessionGetCachedChunkParams, ctx: ToolContext, /
    ) -> SessionGetCachedChunkResult:
        """Read one chunk of a chunked answer, again and again until expires_at.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def get_more_results(
        self, params: SessionGetMoreResultsParams, ctx: ToolContext, /
    ) -> SessionGetMoreResultsResult:
        """Page through what quick_search found; the list stays as it was then. Start with offset 1.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def init(
        self, params: SessionInitParams, ctx: ToolContext, /
    ) -> SessionInitResult:
        """Begin a working session, or resume it: looks at the project and tells its health and what
        the last session left.

        Raises: Internal, MemoryUnavailable, PermissionDenied, ProjectNotFound, RateLimitExceeded,
        SearchFailed, ValidationError.
        """
        ...

    async def quick_search(
        self, params: SessionQuickSearchParams, ctx: ToolContext, /
    ) -> SessionQuickSearchResult:
        """Count what the memory has on a query and show the best of it. The rest: get_more_results
        with offset 1.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def reflect_on_past(
        self, params: SessionReflectOnPastParams, ctx: ToolContext, /
    ) -> SessionReflectOnPastResult:
        """Search past conversations and reflections by meaning and by words. Long answers come in
        chunks: read on with get_cached_chunk.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def reflection_stats(
        self, params: SessionReflectionStatsParams, ctx: ToolContext, /
    ) -> SessionReflectionStatsResult:
        """Count what the memory holds.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def search_by_concept(
        self, params: SessionSearchByConceptParams, ctx: ToolContext, /
    ) -> SessionSearchByConceptResult:
        """Find how a concept was dealt with before, and the files it touched.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def search_by_file(
        self, params: SessionSearchByFileParams, ctx: ToolContext, /
    ) -> SessionSearchByFileResult:
        """Find the exchanges that edited, read or mentioned a file or folder, edits first. Whole
        path segments match.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...

    async def status(
        self, params: SessionStatusParams, ctx: ToolContext, /
    ) -> SessionStatusResult:
        """Tell how the session, its project, the memory and this server stand. Changes nothing.

        Raises: Internal, MemoryUnavailable, PermissionDenied, ProjectNotFound, RateLimitExceeded,
        SearchFailed, ValidationError.
        """
        ...

    async def store_reflection(
        self, params: SessionStoreReflectionParams, ctx: ToolContext, /
    ) -> SessionStoreReflectionResult:
        """Store an insight for later sessions; it is found by the searches at once. Secrets in it
        are replaced.

        Raises: Internal, MemoryUnavailable, PermissionDenied, RateLimitExceeded, SearchFailed,
        ValidationError.
        """
        ...


class VconTools(Protocol):
    """Tools of the `vcon` toolset."""

    async def add_analysis(
        self, params: AddAnalysisParams, ctx: ToolContext, /
    ) -> AddAnalysisResult:
        """Add a result computed from a vCon at the end of its analysis array, under the rules of
        add_dialog.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def add_attachment(
        self, params: AddAttachmentParams, ctx: ToolContext, /
    ) -> AddAttachmentResult:
        """Add a document at the end of a vCon's attachments, under the rules of add_dialog. Give
        purpose, or type, its older name. Tags are set with update_tags.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def add_dialog(
        self, params: AddDialogParams, ctx: ToolContext, /
    ) -> AddDialogResult:
        """Add a dialog at the end of a vCon. Indices must be in range; what the schema would still
        ask comes back as warnings.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def add_tag(
        self, params: AddTagParams, ctx: ToolContext, /
    ) -> AddTagResult:
        """Set one tag of a vCon. With overwrite false, another value already there is CONFLICT.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def analyze_query(
        self, params: AnalyzeQueryParams, ctx: ToolContext, /
    ) -> AnalyzeQueryResult:
        """Get PostgreSQL's plan of one SELECT on the tables of get_database_shape. explain_analyze
        also runs it, read-only, for at most 5 seconds, without its rows.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def create_vcon(
        self, params: CreateVconParams, ctx: ToolContext, /
    ) -> CreateVconResult:
        """Store a new vCon. Legacy names are translated and reported, a missing uuid and created_at
        filled in. A uuid that exists is CONFLICT, which says whether the content is identical.

        Raises: Conflict, DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def create_vcon_from_template(
        self, params: CreateVconFromTemplateParams, ctx: ToolContext, /
    ) -> CreateVconFromTemplateResult:
        """Store a new vCon, valid 0.4.0, that is made from a template. Times default to now, and a
        recording without a URL is a placeholder.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def delete_vcon(
        self, params: DeleteVconParams, ctx: ToolContext, /
    ) -> DeleteVconResult:
        """Delete a vCon and everything derived from it, at once and for good. confirm must be true.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...

    async def get_all_tags(
        self, params: GetAllTagsParams, ctx: ToolContext, /
    ) -> GetAllTagsResult:
        """Read all tags of a vCon with their typed values.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_database_shape(
        self, params: GetDatabaseShapeParams, ctx: ToolContext, /
    ) -> GetDatabaseShapeResult:
        """List the server's own tables with rows, sizes, indexes and foreign keys. Rows count all
        tenants.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_database_stats(
        self, params: GetDatabaseStatsParams, ctx: ToolContext, /
    ) -> GetDatabaseStatsResult:
        """Read how the server's own tables and indexes are used: cache hits, scans, writes, unused
        indexes. All tenants count, since stats_reset.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_examples(
        self, params: GetExamplesParams, ctx: ToolContext, /
    ) -> GetExamplesResult:
        """Read a complete example vCon, valid 0.4.0, that create_vcon takes unchanged.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_schema(
        self, params: GetSchemaParams, ctx: ToolContext, /
    ) -> GetSchemaResult:
        """The vCon schema, as JSON Schema 2020-12, TypeScript types or OpenAPI 3.1 components.
        Types lack patterns, formats and rules between members.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_tag(
        self, params: GetTagParams, ctx: ToolContext, /
    ) -> GetTagResult:
        """Read one tag of a vCon, or a default when it has no such tag.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_unique_tags(
        self, params: GetUniqueTagsParams, ctx: ToolContext, /
    ) -> GetUniqueTagsResult:
        """List the tag keys that are in use and the values of each.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def get_vcon(
        self, params: GetVconParams, ctx: ToolContext, /
    ) -> GetVconResult:
        """Read one vCon with every member that was stored. vcon_fetch does the same within a byte
        budget.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def remove_all_tags(
        self, params: RemoveAllTagsParams, ctx: ToolContext, /
    ) -> RemoveAllTagsResult:
        """Remove every tag of a vCon.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def remove_tag(
        self, params: RemoveTagParams, ctx: ToolContext, /
    ) -> RemoveTagResult:
        """Remove one tag of a vCon. Succeeds with removed false when there is none.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_by_tags(
        self, params: SearchByTagsParams, ctx: ToolContext, /
    ) -> SearchByTagsResult:
        """Find the vCons that have all given tags, newest first. Keys are exact; values compare as
        text.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_vcons(
        self, params: SearchVconsParams, ctx: ToolContext, /
    ) -> SearchVconsResult:
        """List vCons by subject, party, date and tags, newest first. Without a filter it lists the
        newest.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_vcons_content(
        self, params: SearchVconsContentParams, ctx: ToolContext, /
    ) -> SearchVconsContentResult:
        """Find the turns, analyses, parties and subjects that hold words, in vCons that have all of
        them. "a phrase", OR and -not work; misspelled words are corrected only when nothing
        matches.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_vcons_hybrid(
        self, params: SearchVconsHybridParams, ctx: ToolContext, /
    ) -> SearchVconsHybridResult:
        """Find vCons by words and meaning together; any word may match, so a sentence works.
        Phrases and exclusions still bind.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def search_vcons_semantic(
        self, params: SearchVconsSemanticParams, ctx: ToolContext, /
    ) -> SearchVconsSemanticResult:
        """Find vCons with passages that mean what the query says, whatever their words. Give query
        or embedding, not both.

        Raises: DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def update_tags(
        self, params: UpdateTagsParams, ctx: ToolContext, /
    ) -> UpdateTagsResult:
        """Set several tags of a vCon at once, all or none. With merge false they replace every tag
        it has.

        Raises: DatabaseError, NotFound, PermissionDenied, RateLimitExceeded, ValidationError.
        """
        ...

    async def update_vcon(
        self, params: UpdateVconParams, ctx: ToolContext, /
    ) -> UpdateVconResult:
        """Change top-level members of a vCon; others are never touched. Component arrays need
        append or replace; tags change through update_tags.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...


class ContractResources(Protocol):
    """Resources of the `contract` toolset: each method answers the content as a JSON object."""

    async def graph_shape(self, ctx: ToolContext, /) -> JsonObject:
        """The item of vcon_graph_shape, all kinds of nodes.

        Source: vcon://v1/graph/shape.
        """
        ...

    async def served_contract(self, ctx: ToolContext, /) -> JsonObject:
        """The item of vcon_capabilities.

        Source: vcon://v1/contract.
        """
        ...


class VconResources(Protocol):
    """Resources of the `vcon` toolset: each method answers the content as a JSON object."""

    async def recent_vcons(self, ctx: ToolContext, /, *, limit: int) -> JsonObject:
        """The newest vCons with every member but the bodies of dialogs, analyses and attachments.

        Source: vcon://v1/vcons/recent, vcon://v1/vcons/recent/{limit}.
        """
        ...

    async def recent_vcon_ids(self, ctx: ToolContext, /, *, limit: int) -> JsonObject:
        """Uuid, date and subject of the newest vCons.

        Source: vcon://v1/vcons/recent/ids, vcon://v1/vcons/recent/ids/{limit}.
        """
        ...

    async def vcon_ids(self, ctx: ToolContext, /, *, limit: int, cursor: str | None) -> JsonObject:
        """Uuid, date and subject of all vCons, newest first; next_cursor leads to older ones until
        it is null.

        Source: vcon://v1/vcons/ids, vcon://v1/vcons/ids/{limit},
        vcon://v1/vcons/ids/{limit}/after/{cursor}.
        """
        ...

    async def vcon(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """One vCon with every member that was stored, and what the store knows of it.

        Source: vcon://v1/vcons/{uuid}.
        """
        ...

    async def vcon_metadata(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """Tags, counts, conformance and times of one vCon.

        Source: vcon://v1/vcons/{uuid}/metadata.
        """
        ...

    async def vcon_parties(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """Who took part; the position is the identity.

        Source: vcon://v1/vcons/{uuid}/parties.
        """
        ...

    async def vcon_dialog(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """What was said.

        Source: vcon://v1/vcons/{uuid}/dialog.
        """
        ...

    async def vcon_analysis(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """Results computed from the conversation.

        Source: vcon://v1/vcons/{uuid}/analysis.
        """
        ...

    async def vcon_attachments(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """Documents and other records beside the conversation.

        Source: vcon://v1/vcons/{uuid}/attachments.
        """
        ...

    async def attachments_of_type(self, ctx: ToolContext, /, *, uuid: str, type: str) -> JsonObject:
        """The attachments of one vCon whose purpose, or type where no purpose is stated, is this.

        Source: vcon://v1/vcons/{uuid}/attachments/type/{type}.
        """
        ...

    async def attachments_of_purpose(self, ctx: ToolContext, /, *, uuid: str, purpose: str) -> JsonObject:
        """The attachments of one vCon that serve this purpose.

        Source: vcon://v1/vcons/{uuid}/attachments/purpose/{purpose}.
        """
        ...

    async def analysis_of_type(self, ctx: ToolContext, /, *, uuid: str, type: str) -> JsonObject:
        """The analyses of one vCon that are of this type.

        Source: vcon://v1/vcons/{uuid}/analysis/type/{type}.
        """
        ...

    async def vcon_transcript(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """The transcripts among its analyses, each as text with speakers.

        Source: vcon://v1/vcons/{uuid}/transcript.
        """
        ...

    async def vcon_summary(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """The summaries among its analyses, each as text.

        Source: vcon://v1/vcons/{uuid}/summary.
        """
        ...

    async def vcon_tags(self, ctx: ToolContext, /, *, uuid: str) -> JsonObject:
        """All tags of one vCon with their typed values.

        Source: vcon://v1/vcons/{uuid}/tags.
        """
        ...

    async def attachment_types(self, ctx: ToolContext, /) -> JsonObject:
        """Every type by which attachments can be read, with the number of vCons that have it.

        Source: vcon://v1/discovery/attachments/types.
        """
        ...

    async def attachment_purposes(self, ctx: ToolContext, /) -> JsonObject:
        """Every purpose that attachments serve, with the number of vCons that have it.

        Source: vcon://v1/discovery/attachments/purposes.
        """
        ...

    async def analysis_types(self, ctx: ToolContext, /) -> JsonObject:
        """Every type of analysis, with the number of vCons that have it.

        Source: vcon://v1/discovery/analysis/types.
        """
        ...

    async def vcon_schema(self, ctx: ToolContext, /, *, version: str) -> JsonObject:
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
