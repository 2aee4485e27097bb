"""The errors that tools answer with, one class per code.

Made from spec/errors.yaml.
Do not edit; run: make generate
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from vcontract.runtime.frame.errors import Fault, ToolError


class AmbiguousQuery(ToolError):
    """The arguments are valid, but the query is ambiguous."""

    code: ClassVar[str] = "AMBIGUOUS_QUERY"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "The arguments are valid, but the query is ambiguous."


class Conflict(ToolError):
    """The stored state does not allow this."""

    code: ClassVar[str] = "CONFLICT"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "The stored state does not allow this."


class CursorInvalid(ToolError):
    """This cursor does not belong to this search; repeat the search without a cursor."""

    code: ClassVar[str] = "CURSOR_INVALID"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = (
        "This cursor does not belong to this search; repeat the search without a cursor."
    )


class DatabaseError(ToolError):
    """The store could not complete the call."""

    code: ClassVar[str] = "DATABASE_ERROR"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = True
    default_message: ClassVar[str] = "The store could not complete the call."


class Internal(ToolError):
    """Internal error; the correlation ID identifies the line in the server's log."""

    code: ClassVar[str] = "INTERNAL"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = (
        "Internal error; the correlation ID identifies the line in the server's log."
    )


class InvalidArgument(ToolError):
    """An argument is invalid; details say which and what is accepted."""

    code: ClassVar[str] = "INVALID_ARGUMENT"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = (
        "An argument is invalid; details say which and what is accepted."
    )


class LlmFailed(ToolError):
    """The language model returned no usable reply; nothing was saved."""

    code: ClassVar[str] = "LLM_FAILED"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = True
    default_message: ClassVar[str] = (
        "The language model returned no usable reply; nothing was saved."
    )


class LlmUnavailable(ToolError):
    """No language model is configured: set VCONTRACT_LLM_BASE_URL and VCONTRACT_LLM_MODEL (and
    VCONTRACT_LLM_API_KEY if the endpoint asks for a key)."""

    code: ClassVar[str] = "LLM_UNAVAILABLE"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = (
        "No language model is configured: set VCONTRACT_LLM_BASE_URL and VCONTRACT_LLM_MODEL "
        "(and VCONTRACT_LLM_API_KEY if the endpoint asks for a key)."
    )


class MemoryUnavailable(ToolError):
    """The memory is unavailable now; try again in a moment."""

    code: ClassVar[str] = "MEMORY_UNAVAILABLE"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = True
    default_message: ClassVar[str] = "The memory is unavailable now; try again in a moment."


class NotFound(ToolError):
    """The vCon was not found."""

    code: ClassVar[str] = "NOT_FOUND"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "The vCon was not found."


class PermissionDenied(ToolError):
    """This caller may not use this tool."""

    code: ClassVar[str] = "PERMISSION_DENIED"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "This caller may not use this tool."


class ProjectNotFound(ToolError):
    """The folder does not exist, is not a folder, or cannot be read."""

    code: ClassVar[str] = "PROJECT_NOT_FOUND"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = (
        "The folder does not exist, is not a folder, or cannot be read."
    )


class RateLimitExceeded(ToolError):
    """Too many calls of this class; wait retry_after_ms, then repeat the call."""

    code: ClassVar[str] = "RATE_LIMIT_EXCEEDED"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = True
    default_message: ClassVar[str] = (
        "Too many calls of this class; wait retry_after_ms, then repeat the call."
    )


class Referenced(ToolError):
    """Other elements of the vCon refer to what would be removed."""

    code: ClassVar[str] = "REFERENCED"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "Other elements of the vCon refer to what would be removed."


class ResponseTooLarge(ToolError):
    """The response would exceed max_response_bytes; ask for less."""

    code: ClassVar[str] = "RESPONSE_TOO_LARGE"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "The response would exceed max_response_bytes; ask for less."


class SearchFailed(ToolError):
    """The store is available, but the search failed."""

    code: ClassVar[str] = "SEARCH_FAILED"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = True
    default_message: ClassVar[str] = "The store is available, but the search failed."


class SemanticUnavailable(ToolError):
    """Search by meaning is not available now; use mode keyword to search by words."""

    code: ClassVar[str] = "SEMANTIC_UNAVAILABLE"
    fault: ClassVar[Fault] = "server"
    retryable: ClassVar[bool] = True
    default_message: ClassVar[str] = (
        "Search by meaning is not available now; use mode keyword to search by words."
    )


class UnknownTool(ToolError):
    """No tool with this name is served here."""

    code: ClassVar[str] = "UNKNOWN_TOOL"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = "No tool with this name is served here."


class ValidationError(ToolError):
    """The arguments are invalid; details say where and what is allowed."""

    code: ClassVar[str] = "VALIDATION_ERROR"
    fault: ClassVar[Fault] = "client"
    retryable: ClassVar[bool] = False
    default_message: ClassVar[str] = (
        "The arguments are invalid; details say where and what is allowed."
    )


ERRORS: Final[Mapping[str, type[ToolError]]] = MappingProxyType(
    {
        "AMBIGUOUS_QUERY": AmbiguousQuery,
        "CONFLICT": Conflict,
        "CURSOR_INVALID": CursorInvalid,
        "DATABASE_ERROR": DatabaseError,
        "INTERNAL": Internal,
        "INVALID_ARGUMENT": InvalidArgument,
        "LLM_FAILED": LlmFailed,
        "LLM_UNAVAILABLE": LlmUnavailable,
        "MEMORY_UNAVAILABLE": MemoryUnavailable,
        "NOT_FOUND": NotFound,
        "PERMISSION_DENIED": PermissionDenied,
        "PROJECT_NOT_FOUND": ProjectNotFound,
        "RATE_LIMIT_EXCEEDED": RateLimitExceeded,
        "REFERENCED": Referenced,
        "RESPONSE_TOO_LARGE": ResponseTooLarge,
        "SEARCH_FAILED": SearchFailed,
        "SEMANTIC_UNAVAILABLE": SemanticUnavailable,
        "UNKNOWN_TOOL": UnknownTool,
        "VALIDATION_ERROR": ValidationError,
    }
)
"""Every error class by its code."""
