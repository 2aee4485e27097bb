"""Reading resources around their handlers: limits, faults and contents that break the contract."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from vcontract.generated.errors import DatabaseError, NotFound
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.resources import ResourceReader, ResourceRefused
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import ContractPackage
from vcontract.runtime.frame.contract.ratelimit import RateClass, RateLimiter
from vcontract.runtime.frame.contract.registry import Resource
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.errors import StoreFault

URI = "note://v1/notes/{id}"
CALLER = Caller("acme", frozenset({"read"}))

DOCUMENT: JsonObject = {
    "name": "note",
    "tool": "note_fetch",
    "uris": [{"name": "note", "uri": URI}],
    "paramsSchema": {
        "type": "object",
        "properties": {"id": {"type": "string", "maxLength": 5}},
        "required": ["id"],
        "additionalProperties": False,
    },
    "completions": {"id": "ids"},
    "contentSchema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
}


@dataclass(frozen=True)
class Overload:
    """A store fault, as it is classified."""

    reason: str = "unavailable"
    retryable: bool = True


Answer = Callable[[], JsonObject]
Make = Callable[..., ResourceReader]


@pytest.fixture
def make(package: ContractPackage) -> Make:
    """Makes a reader of the one resource `note`, whose handler answers what a function returns."""

    def make(answer: Answer, fault: StoreFault | None = None, limiter: Any = None) -> ResourceReader:
        async def read(readers: Any, params: Mapping[str, Any], ctx: ToolContext) -> JsonObject:
            return answer()

        def classify(error: BaseException) -> StoreFault | None:
            return fault

        async def complete(
            readers: Any, ctx: ToolContext, beginning: str, given: Mapping[str, str]
        ) -> Sequence[str]:
            return list(answer())

        with_note = replace(
            package,
            resources={"note": Resource("note", "notes", "note_fetch", (URI,), read)},
            read_resource={"note": DOCUMENT}.__getitem__,
            completions={"ids": complete},
        )
        return ResourceReader(RequestScope(Catalogue(with_note, Selection()), classify, limiter), None)

    return make


def failing(error: Exception) -> Answer:
    def answer() -> JsonObject:
        raise error

    return answer


async def refusal_of(reading: Awaitable[object]) -> ResourceRefused:
    with pytest.raises(ResourceRefused) as caught:
        await reading
    return caught.value


async def test_what_fits_is_sent_as_compact_json(make: Make) -> None:
    assert await make(lambda: {"text": "ß"}).read("note://v1/notes/1", CALLER) == '{"text":"ß"}'


async def test_a_content_over_the_limit_names_the_limit(make: Make) -> None:
    refused = await refusal_of(make(lambda: {"text": "x" * 5_000}).read("note://v1/notes/1", CALLER))

    assert (refused.kind, refused.data["reason"]) == ("invalid", "result_too_large")
    assert refused.data["limit_bytes"] == 4_096


async def test_a_content_that_breaks_its_schema_is_never_sent(make: Make) -> None:
    refused = await refusal_of(make(lambda: {"text": 7}).read("note://v1/notes/1", CALLER))

    assert refused.kind == "failed"
    assert set(refused.data) == {"retryable", "correlation_id"}


async def test_nothing_of_an_exception_reaches_the_client(make: Make) -> None:
    refused = await refusal_of(make(failing(RuntimeError("hunter2"))).read("note://v1/notes/1", CALLER))

    assert (refused.kind, refused.data["retryable"]) == ("failed", False)
    assert "hunter2" not in f"{refused.message} {refused.data}"


async def test_a_fault_of_the_store_says_to_try_again(make: Make) -> None:
    reader = make(failing(OSError("gone")), fault=Overload())

    refused = await refusal_of(reader.read("note://v1/notes/1", CALLER))

    assert (refused.kind, refused.data["retryable"]) == ("failed", True)
    assert "try again" in refused.message


@pytest.mark.parametrize(
    ("error", "kind"), [(NotFound("No.", details={"id": "1"}), "invalid"), (DatabaseError("Off."), "failed")]
)
async def test_a_tools_error_keeps_its_words_and_its_code(make: Make, error: Any, kind: str) -> None:
    refused = await refusal_of(make(failing(error)).read("note://v1/notes/1", CALLER))

    assert (refused.kind, refused.message, refused.data["code"]) == (kind, error.message, error.code)


async def test_a_parameter_that_breaks_its_schema_never_gets_to_the_handler(make: Make) -> None:
    refused = await refusal_of(make(failing(AssertionError())).read("note://v1/notes/123456", CALLER))

    assert refused.kind == "invalid"
    assert refused.message == 'Parameter id is "123456"; it must be at most 5 characters long.'


async def test_reads_count_in_the_rate_class_of_their_tool(make: Make) -> None:
    limiter = RateLimiter({"other": RateClass("other", 1, 60)})
    reader = make(lambda: {"text": "x"}, limiter=limiter)
    await reader.read("note://v1/notes/1", CALLER)

    refused = await refusal_of(reader.read("note://v1/notes/1", CALLER))
    completing = await refusal_of(reader.complete("ids", "", {}, CALLER))

    assert (refused.kind, completing.kind) == ("limited", "limited")
    assert refused.data["retry_after_ms"] > 0


async def test_a_caller_without_the_scope_of_the_tool_sees_nothing(make: Make) -> None:
    stranger = Caller("acme", frozenset({"write"}))

    refused = await refusal_of(make(lambda: {"text": "x"}).read("note://v1/notes/1", stranger))

    assert refused.data == {"uri": "note://v1/notes/1", "reason": "unknown_resource", "nearest": []}


async def test_a_failing_completion_is_a_fault_of_the_server(make: Make) -> None:
    refused = await refusal_of(make(failing(RuntimeError("x"))).complete("ids", "", {}, CALLER))

    assert refused.kind == "failed"


async def test_a_limiter_that_fails_lets_no_more_of_it_out_than_a_handler(make: Make) -> None:
    refused = await refusal_of(
        make(lambda: {"text": "x"}, limiter=RateLimiter({})).read("note://v1/notes/1", CALLER)
    )

    assert (refused.kind, set(refused.data)) == ("failed", {"retryable", "correlation_id"})
