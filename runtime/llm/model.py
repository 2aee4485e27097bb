"""What a language model is to the program: messages in, one JSON text out, or a fault with its reason."""

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
"""The reasons that only the operator can do something about."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote; `is_cut` when it had no room for all of it."""

    text: str
    is_cut: bool


class LlmFault(Exception):
    """The model could not be asked, or would not answer."""

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
        """The setting to look at."""
        self.code = code
        """What the endpoint calls it, such as `context_length_exceeded`."""
        self.said = said
        """The endpoint's own words on a refused request, which may be long and hold anything but the key."""


class LanguageModel(Protocol):
    """Writes JSON of a schema."""

    async def complete(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        """One answer to the messages; nothing says that it fits the schema but the model.

        Raises: LlmFault.
        """
        ...
