"""Call the language model: up to three attempts at a valid answer, and errors that explain failures."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NoReturn, TypeVar

from vcontract.generated.errors import LlmFailed, LlmUnavailable
from vcontract.handlers.bridge.answer_checks import Problem, UnusableAnswer
from vcontract.handlers.bridge.prompting import revision
from vcontract.runtime.frame.documents.findings import quoted
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.llm.model import UNAVAILABLE, LanguageModel, LlmFault, Message
from vcontract.runtime.llm.settings import LlmSettings

MAX_ATTEMPTS: Final = 3
_MAX_CALL_TIMEOUTS: Final = 3
"""Maximum duration of a whole call, in request timeouts."""
_WORDS: Final[dict[str, str]] = {
    "unreachable": "The language model cannot be reached",
    "credentials_refused": "The language model's endpoint refused the credentials",
    "not_found": "The language model's endpoint knows no such address or model",
    "timeout": "The language model did not answer in time",
    "rate_limited": "The language model's endpoint has had too many requests",
    "provider_error": "The language model's endpoint failed",
    "request_refused": "The language model's endpoint did not accept the request",
    "refused": "The language model refused to answer",
}

_MAX_QUOTED_LENGTH: Final = 200

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Answered(Generic[Read]):
    """A parsed answer, and the number of attempts."""

    value: Read
    attempts: int


class ModelCallFailed(Exception):
    """No valid answer; `error` is for the caller."""

    def __init__(self, error: LlmFailed | LlmUnavailable, reason: str, attempts: int) -> None:
        super().__init__(reason)
        self.error = error
        self.reason = reason
        self.attempts = attempts


async def ask_model(
    model: LanguageModel,
    settings: LlmSettings,
    name: str,
    messages: Sequence[Message],
    schema: JsonObject,
    read: Callable[[str], Read],
) -> Answered[Read]:
    """The first answer that `read` takes; after one that it does not, the model is sent what was wrong.

    Raises: ModelCallFailed.
    """
    attempts = 0
    try:
        async with asyncio.timeout(_MAX_CALL_TIMEOUTS * settings.timeout_seconds):
            asked = list(messages)
            while True:
                attempts += 1
                completion = await model.complete(asked, name, schema)
                try:
                    if completion.is_cut:
                        raise UnusableAnswer([Problem("The answer is cut off; make it shorter.")])
                    return Answered(read(completion.text), attempts)
                except UnusableAnswer as unusable:
                    if attempts == MAX_ATTEMPTS:
                        _give_up(unusable, attempts, is_cut=completion.is_cut)
                    asked = revision(messages, completion.text, unusable.problems)
    except TimeoutError:
        raise _failed(LlmFault("timeout"), attempts) from None
    except LlmFault as fault:
        raise _failed(fault, attempts) from None


def check_configured(settings: LlmSettings, by_hand: str) -> None:
    """Check that a model is configured; `by_hand` names the tool that works without one.

    Raises: LlmUnavailable.
    """
    if settings.missing:
        raise LlmUnavailable(
            details={"reason": "not_configured", "missing": list(settings.missing)},
            suggestions=[f"Call {by_hand} to do it yourself."],
            expected=True,
        )


def _give_up(unusable: UnusableAnswer, attempts: int, *, is_cut: bool) -> NoReturn:
    reason = "output_too_long" if is_cut else "invalid_output"
    problems = [problem.said for problem in unusable.problems]
    said = "cut off" if is_cut else "unusable"
    error = LlmFailed(
        f"The language model's answer was {said} {attempts} times; nothing was saved.",
        details={"reason": reason, "attempts": attempts, "problems": problems},
    )
    raise ModelCallFailed(error, reason, attempts)


def _failed(fault: LlmFault, attempts: int) -> ModelCallFailed:
    details: JsonObject = {"reason": fault.reason}
    said = None if fault.said is None else _in_a_line(fault.said)
    facts = {
        "status": fault.status,
        "retry_after_ms": fault.retry_after_ms,
        "code": fault.code,
        "endpoint_message": said,
    }
    details |= {name: value for name, value in facts.items() if value is not None}
    message = _WORDS[fault.reason] + (f" ({fault.code})" if fault.code else "")
    if said is not None:
        message += f". It says: {quoted(said, _MAX_QUOTED_LENGTH + 1)}"
    if fault.reason in UNAVAILABLE:
        details["setting"] = fault.setting
        error = LlmUnavailable(f"{message}: look at {fault.setting}.", details=details)
        return ModelCallFailed(error, fault.reason, attempts)
    failed = LlmFailed(f"{message}; nothing was saved.", details={**details, "attempts": attempts})
    return ModelCallFailed(failed, fault.reason, attempts)


def _in_a_line(said: str) -> str | None:
    """Shorten an endpoint's message to one line without secrets; None if nothing is left."""
    printable = "".join(c if c.isprintable() else " " for c in Redactor().text(said))
    line = " ".join(printable.split())
    return (line if len(line) <= _MAX_QUOTED_LENGTH else line[:_MAX_QUOTED_LENGTH].rstrip() + "…") or None
