"""Interface of a language model: messages in, JSON text out, or a fault with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject

FaultReason: TypeAlias = Literal[
    "unreachable",
    "credentials_refused",
    "not_found",
    "timeout",
    "rate_limited",
    "provider_error",
    "request_refused",
    "refused",
]
UNAVAILABLE: Final[tuple[FaultReason, ...]] = ("unreachable", "credentials_refused", "not_found")
"""Reasons that only the operator can fix."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """Text that the model wrote. `is_cut`: it reached its length limit."""

    text: str
    is_cut: bool


class LlmFault(Exception):
    """The model could not be called, or did not answer."""

    def __init__(
        self,
        reason: FaultReason,
        *,
        status: int | None = None,
        retry_after_ms: int | None = None,
        setting: str | None = None,
        code: str | None = None,
        said: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.retry_after_ms = retry_after_ms
        self.setting = setting
        """The setting to check."""
        self.code = code
        """The endpoint's error code, such as `context_length_exceeded`."""
        self.said = said
        """The endpoint's message about a rejected request. It may be long and contain anything but the
        key.
        """


class LanguageModel(Protocol):
    """A language model that writes JSON of a schema."""

    async def complete(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        """Return one completion. Whether it fits the schema is not checked.

        Raises: LlmFault.
        """
        ...
