"""What the handlers of each toolset must be: one method per tool.

Made from spec/tools (sha256:97e4e2abfacdc2c3a0ef53a9a49ffd1f8a2efe87f4ec6a6ec322a000b649fe3a).
Do not edit; run: make generate
"""

from typing import Protocol

from vcontract.generated.models.contract import (
    DescribeResponseShapeParams,
    DescribeResponseShapeResult,
    VconCapabilitiesParams,
    VconCapabilitiesResult,
    VconFetchParams,
    VconFetchResult,
    VconSearchParams,
    VconSearchResult,
)
from vcontract.generated.models.vcon import (
    CreateVconParams,
    CreateVconResult,
    DeleteVconParams,
    DeleteVconResult,
    GetSchemaParams,
    GetSchemaResult,
    GetVconParams,
    GetVconResult,
    UpdateVconParams,
    UpdateVconResult,
)
from vcontract.runtime.context import ToolContext


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

    async def vcon_search(
        self, params: VconSearchParams, ctx: ToolContext, /
    ) -> VconSearchResult:
        """Search vCons by metadata or by words, one item a vCon. Words must all occur, in any part
        of the vCon; "a phrase", OR and -not work; misspelled words are corrected only when
        nothing matches.

        Raises: AmbiguousQuery, CursorInvalid, Internal, InvalidArgument, PermissionDenied,
        RateLimitExceeded, ResponseTooLarge.
        """
        ...


class VconTools(Protocol):
    """Tools of the `vcon` toolset."""

    async def create_vcon(
        self, params: CreateVconParams, ctx: ToolContext, /
    ) -> CreateVconResult:
        """Store a new vCon. Legacy member names are translated and reported; a missing uuid and
        created_at are filled in. There is no upsert: a uuid that exists is CONFLICT, which says
        whether the content is identical.

        Raises: Conflict, DatabaseError, PermissionDenied, RateLimitExceeded, ValidationError.
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

    async def get_schema(
        self, params: GetSchemaParams, ctx: ToolContext, /
    ) -> GetSchemaResult:
        """The schema that validate_before_insert checks against, as one JSON Schema 2020-12
        document.

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

    async def update_vcon(
        self, params: UpdateVconParams, ctx: ToolContext, /
    ) -> UpdateVconResult:
        """Change top-level members of a vCon. A member that updates does not name is never touched.
        Component arrays need append or replace; tags never change here.

        Raises: Conflict, DatabaseError, NotFound, PermissionDenied, RateLimitExceeded,
        ValidationError.
        """
        ...
