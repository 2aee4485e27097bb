"""Base classes of errors that a tool can return."""

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
    """Meaning of a store's failure for the caller. `retryable`: the same call may succeed later."""

    reason: Reason
    retryable: bool
    details: JsonObject | None = None
    """Details for the caller in addition to the reason."""

    @property
    def is_outage(self) -> bool:
        """Whether every further write would fail in the same way."""
        return self.reason in ("unavailable", "disk_full", "read_only", "outcome_unknown", "quota_exceeded")


class OngoingOutage(Exception):
    """An ongoing outage: logged once when it begins, not for every call that fails."""


class AnswerWithheld(Exception):
    """The call under this key was done, and its answer is withheld from this caller now."""


class ToolError(Exception):
    """An error of the contract. `generated.errors` has one subclass per code in spec/errors.yaml.

    `message` gives the problem, the value and what is allowed; `details` holds the same as data;
    `suggestions` say what to send instead. The client receives all three.
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
        """The failure is normal operation, although the code is one of the server's. It is not logged as a
        fault.
        """
        super().__init__(self.message)
