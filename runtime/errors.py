"""The base of every error that a tool may answer with."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from vcontract.runtime.documents.json import JsonObject, JsonValue

Fault = Literal["client", "server"]


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
