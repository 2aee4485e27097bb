"""Return later chunks of a long result of the `session` toolset."""

from typing import cast

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import session as models
from vcontract.generated.results.session import SessionGetCachedChunkResult
from vcontract.handlers.session.services import SessionTools
from vcontract.runtime.frame.context import ToolContext


class ChunksTools(SessionTools):
    """The tool that returns chunks."""

    async def get_cached_chunk(
        self, params: models.SessionGetCachedChunkParams, ctx: ToolContext, /
    ) -> SessionGetCachedChunkResult:
        chunks = await self._cache.chunks(ctx, params.cache_key)
        if params.chunk_index > len(chunks):
            raise ValidationError(
                f"chunk_index {params.chunk_index} is beyond the last of {len(chunks)} chunks.",
                details={
                    "parameter": "chunk_index",
                    "reason": "beyond_the_last",
                    "total_chunks": len(chunks),
                },
            )
        return cast("SessionGetCachedChunkResult", chunks[params.chunk_index - 1])
