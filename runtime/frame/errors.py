"""The base of every error that a tool may answer with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

Fault = Literal["client", "server"]

Reason = Literal[
    "unavailable",
    "disk_full",
    "read_only",
    "timeout",
    "serialization",
    "outcome_unknown",
    "quota_exceeded",
    "unstorable_text",
    "internal",
]


@dataclass(frozen=True, slots=True)
class StoreFault:
    """What the failure of a store means; `retryable`: the same call may succeed when it is made again."""

    reason: Reason
    retryable: bool
    details: JsonObject | None = None
    """What the caller may know beyond the reason."""

    @property
    def is_outage(self) -> bool:
        """Whether whatever is stored next would meet the same."""
        return self.reason in ("unavailable", "disk_full", "read_only", "outcome_unknown", "quota_exceeded")


class StandingFault(Exception):
    """What cannot be done for the time being; logged when it begins, not at every call that meets it."""


class ToolError(Exception):
    """An error of the contract; `generated.errors` holds one subclass per code of spec/errors.yaml.

    `message` says what was wrong, the value and what is allowed; `details` holds the same as data;
    `suggestions` say what to send instead. All three reach the client.
    """

    code: ClassVar[str]
    fault: ClassVar[Fault]
    retryable: ClassVar[bool]
    default_message: ClassVar[str]

    def __init__(
        self,
        message: str | None = None,
        *,
        details: JsonObject | None = None,
        suggestions: Sequence[JsonValue] = (),
        expected: bool = False,
    ) -> None:
        self.message = message or self.default_message
        self.details = details
        self.suggestions = list(suggestions)
        self.expected = expected
        """Nothing has failed, though the code is one of the server's: nobody need look at a log for it."""
        super().__init__(self.message)
