"""One call's way: names, permissions, limits, arguments, answers, and every way to fail."""

import asyncio
import io
import json
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import pytest

from vcontract.generated.errors import CursorInvalid, NotFound
from vcontract.generated.errors import DatabaseError as StoreFailed
from vcontract.runtime.frame import logs
from vcontract.runtime.frame.calls.dispatch import CallOutcome, Dispatcher, UnknownTool
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.contract.catalogue import Selection
from vcontract.runtime.frame.contract.package import ContractPackage
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.contract.ratelimit import RateLimiter
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.frame.errors import ToolError

Answers = dict[str, Callable[[Any, ToolContext], Awaitable[Any]]]


@dataclass(frozen=True)
class StoreFault:
    reason: str
    retryable: bool


class Pages(TypedDict):
    """The facts of a document."""

    success: bool
    pages: int


@pytest.fixture
def logged() -> Iterator[Callable[[], list[JsonObject]]]:
    """The log lines written so far."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure("debug", stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("vcontract").setLevel(logging.NOTSET)
    logging.captureWarnings(False)


def raises(error: BaseException) -> Callable[[Any, ToolContext], Awaitable[Any]]:
    async def answer(params: Any, ctx: ToolContext) -> Any:
        raise error

    return answer


def returns(document: JsonObject | Document[Pages]) -> Callable[[Any, ToolContext], Awaitable[Any]]:
    async def answer(params: Any, ctx: ToolContext) -> Any:
        return document

    return answer


def details_of(outcome: CallOutcome) -> JsonObject:
    """Details of an error, whichever its envelope."""
    assert outcome.is_error, outcome.text
    error = outcome.structured if "error_code" in outcome.structured else outcome.structured["error"]
    details: JsonObject = error["details"]
    return details


def code_of(outcome: CallOutcome) -> str:
    code: str = outcome.structured.get("error_code") or outcome.structured["error"]["code"]
    return code


# --- names and permissions


@pytest.mark.parametrize("name", ["note_fetch", "get_note"])
async def test_a_tool_answers_to_its_name_and_its_alias(
    dispatcher: Dispatcher, caller: Caller, name: str
) -> None:
    outcome = await dispatcher.call(name, {"id": "7"}, caller)

    assert outcome.structured["item"] == {"id": "7"}
    assert not outcome.is_error


@pytest.mark.parametrize(
    ("name", "nearest", "meant"),
    [
        ("vcon_serch", ["vcon_search", "vcon_trends"], "vcon_search"),
        ("search", ["vcon_search", "search_vcons"], "vcon_search"),
        ("query", ["analyze_query"], "analyze_query"),
        # alike in letters only
        ("greet", ["remove_tag", "get_tag"], None),
        ("hello_world", ["release_hold"], None),
        ("foo", [], None),
    ],
)
def test_only_a_tool_that_was_likely_meant_is_suggested(
    name: str, nearest: list[str], meant: str | None
) -> None:
    assert UnknownTool(name, nearest).meant == meant


async def test_an_unknown_tool_is_the_one_thing_that_raises(dispatcher: Dispatcher, caller: Caller) -> None:
    with pytest.raises(UnknownTool) as caught:
        await dispatcher.call("note_fetsch", {}, caller)

    assert caught.value.nearest[0] == "note_fetch"


@pytest.mark.parametrize(
    ("name", "nearest", "meant"),
    [
        ("status", ["bridge_status", "session_status", "stats"], "bridge_status or session_status"),
        ("note_fetsch", ["note_fetch", "note_search"], "note_fetch"),
        ("x", [], None),
    ],
)
def test_an_unknown_name_that_ends_several_tools_may_mean_each_of_them(
    name: str, nearest: list[str], meant: str | None
) -> None:
    assert UnknownTool(name, nearest).meant == meant


async def test_the_text_is_the_compact_json_of_the_structured_content(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    answers["put_note"] = returns({"success": True, "id": "ß日", "null": None, "whole": 2.0, "big": 10**30})

    outcome = await dispatcher.call("put_note", {"note": {}}, caller)

    assert outcome.text == '{"success":true,"id":"ß日","null":null,"whole":2.0,"big":' + str(10**30) + "}"
    assert json.loads(outcome.text) == outcome.structured


async def test_a_missing_scope_is_refused_with_the_scope_it_takes(
    dispatcher: Dispatcher, caller: Caller
) -> None:
    outcome = await dispatcher.call("put_note", {"note": {}}, replace(caller, scopes=frozenset({"read"})))

    assert code_of(outcome) == "PERMISSION_DENIED"
    assert details_of(outcome) == {"required_scope": "write"}


async def test_a_read_only_server_refuses_a_write_whatever_the_scopes(
    make_dispatcher: Callable[..., Dispatcher], caller: Caller
) -> None:
    dispatcher = make_dispatcher(selection=Selection(read_only=True))

    outcome = await dispatcher.call("put_note", {"note": {}}, caller)

    assert code_of(outcome) == "PERMISSION_DENIED"
    assert details_of(outcome) == {"required_scope": "write", "reason": "read_only"}


async def test_permission_is_judged_before_the_arguments(dispatcher: Dispatcher, caller: Caller) -> None:
    outcome = await dispatcher.call("put_note", {}, replace(caller, scopes=frozenset({"read"})))

    assert code_of(outcome) == "PERMISSION_DENIED"


# --- rate limits


@pytest.fixture
def limited(make_dispatcher: Callable[..., Dispatcher], package: ContractPackage) -> Dispatcher:
    classes = Policy.read(package.policy).rate_classes_with({})
    return make_dispatcher(rate_limiter=RateLimiter(classes, clock=lambda: 0.0))


@pytest.mark.parametrize(
    ("name", "arguments", "rate_class", "limit", "code"),
    [
        ("note_search", {"mode": "keyword"}, "search", 100, "RATE_LIMIT_EXCEEDED"),
        ("put_note", {"note": {}}, "create", 50, "RATE_LIMIT_EXCEEDED"),
        ("note_fetch", {"id": "1"}, "other", 200, "RATE_LIMIT_EXCEEDED"),
    ],
)
async def test_the_call_over_the_limit_of_its_class_is_refused(
    limited: Dispatcher,
    caller: Caller,
    name: str,
    arguments: JsonObject,
    rate_class: str,
    limit: int,
    code: str,
) -> None:
    within = [await limited.call(name, arguments, caller) for _ in range(limit)]
    over = await limited.call(name, arguments, caller)

    assert not any(outcome.is_error for outcome in within)
    assert code_of(over) == code
    assert details_of(over) == {
        "class": rate_class,
        "limit": limit,
        "window_seconds": 60,
        "retry_after_ms": 60_000,
    }


async def test_a_tool_of_another_class_still_answers(limited: Dispatcher, caller: Caller) -> None:
    for _ in range(51):
        await limited.call("put_note", {"note": {}}, caller)

    assert not (await limited.call("note_fetch", {"id": "1"}, caller)).is_error


async def test_a_call_that_is_not_permitted_is_not_counted(limited: Dispatcher, caller: Caller) -> None:
    for _ in range(51):
        await limited.call("put_note", {"note": {}}, replace(caller, scopes=frozenset({"read"})))

    assert not (await limited.call("put_note", {"note": {}}, caller)).is_error


# --- arguments


@pytest.mark.parametrize(
    ("name", "arguments", "details"),
    [
        ("note_fetch", {}, {"parameter": "id", "reason": "missing"}),
        ("note_fetch", None, {"parameter": "id", "reason": "missing"}),
        (
            "note_fetch",
            {"id": 5},
            {"parameter": "id", "reason": "wrong_type", "value": 5, "accepted": ["string"]},
        ),
        ("note_fetch", {"id": ""}, {"parameter": "id", "reason": "wrong_length", "value": "", "minimum": 1}),
        (
            "note_fetch",
            {"id": "1", "max_response_bytes": 1023},
            {
                "parameter": "max_response_bytes",
                "reason": "out_of_range",
                "value": 1023,
                "minimum": 1024,
                "maximum": 10_000_000,
            },
        ),
        (
            "note_fetch",
            {"id": "1", "include": ["cores", "tags", "x"]},
            {
                "parameter": "include",
                "reason": "unknown_value",
                "invalid_values": ["cores", "x"],
                "accepted": ["core", "parties", "tags", "dialog"],
            },
        ),
        (
            "note_fetch",
            {"id": "1", "inclued": ["tags"]},
            {
                "parameter": "inclued",
                "reason": "unknown_parameter",
                "accepted": ["id", "include", "max_response_bytes", "filters"],
                "suggestion": {"include": ["tags"], "leave_out": ["inclued"]},
            },
        ),
        (
            "note_search",
            {},
            {"parameter": "mode", "reason": "missing", "accepted": ["keyword", "metadata"]},
        ),
        (
            "note_search",
            {"mode": "fuzzy"},
            {
                "parameter": "mode",
                "reason": "unknown_value",
                "value": "fuzzy",
                "accepted": ["keyword", "metadata"],
            },
        ),
        (
            "note_search",
            {"mode": "keywrod"},
            {
                "parameter": "mode",
                "reason": "unknown_value",
                "value": "keywrod",
                "accepted": ["keyword", "metadata"],
                "suggestion": {"mode": "keyword"},
            },
        ),
        (
            "note_search",
            {"mode": "keyword", "limitt": 3},
            {
                "parameter": "limitt",
                "reason": "unknown_parameter",
                "value": 3,
                "accepted": ["mode", "limit", "include", "max_response_bytes"],
                "suggestion": {"limit": 3, "leave_out": ["limitt"]},
            },
        ),
        (
            "put_note",
            {"note": {}, "stars": "five"},
            {
                "parameter": "stars",
                "reason": "wrong_type",
                "value": "five",
                "accepted": ["integer", "boolean"],
            },
        ),
        (
            "put_note",
            {"note": {}, "stars": 6},
            {"parameter": "stars", "reason": "out_of_range", "value": 6, "maximum": 5},
        ),
        (
            "note_search",
            {"mode": "keyword", "limit": float("nan")},
            {"parameter": "limit", "reason": "wrong_type", "accepted": ["integer"]},
        ),
    ],
)
async def test_one_wrong_parameter_is_told_with_its_cause(
    dispatcher: Dispatcher, caller: Caller, name: str, arguments: JsonObject | None, details: JsonObject
) -> None:
    reported = details_of(await dispatcher.call(name, arguments, caller))

    assert {key: value for key, value in reported.items() if value is not None} == details


async def test_one_wrong_place_inside_a_parameter_is_told_with_its_path(
    dispatcher: Dispatcher, caller: Caller
) -> None:
    outcome = await dispatcher.call("note_fetch", {"id": "1", "filters": {"color": "red"}}, caller)

    details = details_of(outcome)
    assert code_of(outcome) == "INVALID_ARGUMENT"
    assert details["parameter"] == "filters.color"
    assert details["accepted"] == ["subject", "start_date"]
    assert [violation["path"] for violation in details["violations"]] == ["$.filters.color"]


async def test_every_violation_is_listed_with_path_rule_and_a_message_that_names_the_value(
    dispatcher: Dispatcher, caller: Caller
) -> None:
    arguments = {
        "note": {"dialog": [{"type": "text"}, {"type": 7}, "no object"]},
        "stars": 9,
        "extra": 1,
        "odd name": 2,
    }

    outcome = await dispatcher.call("put_note", arguments, caller)

    assert code_of(outcome) == "VALIDATION_ERROR"
    details = details_of(outcome)
    listed = {violation["path"]: violation for violation in details["violations"]}
    assert details["reason"] == "invalid_arguments"
    assert "more_violations" not in details
    assert {path: violation["rule"] for path, violation in listed.items()} == {
        "$.note.dialog[1].type": "type",
        "$.note.dialog[2]": "type",
        "$.stars": "maximum",
        "$.extra": "additionalProperties",
        "$['odd name']": "additionalProperties",
    }
    assert listed["$.stars"]["message"] == "Parameter stars is 9; it must be at most 5"
    assert "known ones are note, stars" in listed["$.extra"]["message"]


@pytest.mark.parametrize(("wrong", "number"), [(100, "100"), (101, "more than 100")])
async def test_of_more_than_a_hundred_violations_it_is_said_that_there_are_more(
    dispatcher: Dispatcher, caller: Caller, wrong: int, number: str
) -> None:
    outcome = await dispatcher.call("put_note", {"note": {"dialog": [1] * wrong}}, caller)

    details = details_of(outcome)
    assert f"The arguments break {number} rules; the first: " in outcome.text
    assert len(details["violations"]) == 100
    assert details.get("more_violations", False) is (wrong > 100)


async def test_a_long_value_is_cut_in_a_message_and_not_repeated_in_details(
    dispatcher: Dispatcher, caller: Caller
) -> None:
    outcome = await dispatcher.call("note_search", {"mode": "x" * 5_000}, caller)

    assert len(outcome.text) < 600
    assert "value" not in details_of(outcome)


async def test_the_nearest_name_is_suggested(dispatcher: Dispatcher, caller: Caller) -> None:
    outcome = await dispatcher.call("put_note", {"note": {}, "start": 4}, caller)

    assert outcome.structured["suggestions"] == ['Send "stars" instead of "start".']
    assert "did you mean stars?" in outcome.structured["error"]


async def test_arguments_that_only_the_model_refuses_are_violations_too(
    dispatcher: Dispatcher, caller: Caller, package: ContractPackage, logged: Callable[[], list[JsonObject]]
) -> None:
    package.read_contract("note_fetch")["inputSchema"]["properties"]["id"] = {}

    outcome = await dispatcher.call("note_fetch", {"id": 7}, caller)

    assert code_of(outcome) == "INVALID_ARGUMENT"
    assert details_of(outcome)["parameter"] == "id"
    assert any(line["event"] == "arguments_fit_schema_but_not_model" for line in logged())


async def test_the_handler_gets_the_model_the_caller_and_the_contract(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    seen: list[tuple[Any, ToolContext]] = []

    async def answer(params: Any, ctx: ToolContext) -> JsonObject:
        seen.append((params, ctx))
        return {"success": True, "id": "1"}

    answers["put_note"] = answer

    await dispatcher.call("put_note", {"note": {"a": 1}}, caller)

    ((params, ctx),) = seen
    assert (params.note, params.stars) == ({"a": 1}, None)
    assert ctx.tenant == "acme"
    assert ctx.contract.version == "3.1.4"
    assert "put_note" in ctx.contract.tools
    assert len(ctx.correlation_id) == 16


# --- answers


@pytest.mark.parametrize(
    ("name", "arguments", "document", "code"),
    [
        ("note_fetch", {"id": "1"}, {"ok": True, "item": {"id": 5}}, "INTERNAL"),
        ("note_fetch", {"id": "1"}, {"ok": True}, "INTERNAL"),
        ("put_note", {"note": {}}, {"success": True, "id": None}, "DATABASE_ERROR"),
        ("put_note", {"note": {}}, {"success": True, "id": float("nan")}, "DATABASE_ERROR"),
    ],
)
async def test_an_answer_that_breaks_the_contract_never_leaves(
    dispatcher: Dispatcher,
    caller: Caller,
    answers: Answers,
    logged: Callable[[], list[JsonObject]],
    name: str,
    arguments: JsonObject,
    document: JsonObject,
    code: str,
) -> None:
    answers[name] = returns(document)

    outcome = await dispatcher.call(name, arguments, caller)

    details = details_of(outcome)
    assert code_of(outcome) == code
    assert (details["reason"], details["retryable"]) == ("internal", False)
    (line,) = [line for line in logged() if line["event"] == "answer_breaks_contract"]
    assert line["correlation_id"] == details["correlation_id"]
    assert line["rules"]


async def test_an_answer_over_the_hard_limit_is_refused(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    frame = len('{"success":true,"id":""}')
    answers["put_note"] = returns({"success": True, "id": "x" * (4_096 - frame)})
    fits = await dispatcher.call("put_note", {"note": {}}, caller)
    answers["put_note"] = returns({"success": True, "id": "x" * (4_097 - frame)})
    over = await dispatcher.call("put_note", {"note": {}}, caller)

    assert len(fits.text) == 4_096
    assert code_of(over) == "VALIDATION_ERROR"
    assert details_of(over) == {
        "reason": "result_too_large",
        "response_bytes": 4_097,
        "max_response_bytes": 4_096,
    }


@pytest.mark.parametrize(
    ("text", "sent"), [("# Two pages\n\nread", "# Two pages\n\nread"), (None, '{"success":true,"pages":2}')]
)
async def test_a_document_is_sent_as_its_text_beside_its_facts(
    every_toolset: Dispatcher, caller: Caller, answers: Answers, text: str | None, sent: str
) -> None:
    facts = Pages(success=True, pages=2)
    answers["diary_read"] = returns(Document(facts, text))

    outcome = await every_toolset.call("diary_read", {"words": "tea"}, caller)

    assert (outcome.text, outcome.structured) == (sent, {"success": True, "pages": 2})


async def test_a_document_and_its_facts_share_one_budget(
    every_toolset: Dispatcher, caller: Caller, answers: Answers
) -> None:
    facts = Pages(success=True, pages=2)
    frame = len('{"success":true,"pages":2}')
    answers["diary_read"] = returns(Document(facts, "é" * ((250_000 - frame) // 2)))
    fits = await every_toolset.call("diary_read", {"words": "tea"}, caller)
    answers["diary_read"] = returns(Document(facts, "é" * ((250_000 - frame) // 2) + "!"))
    over = await every_toolset.call("diary_read", {"words": "tea"}, caller)

    assert not fits.is_error
    assert code_of(over) == "VALIDATION_ERROR"
    assert details_of(over) == {"reason": "response_too_large", "bytes": 250_001, "budget": 250_000}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Say what to read"),
        ({"words": 7}, "Words are a text or a list"),
        ({"words": "a"}, "Words are too short"),
        ({"words": ["tea", "b"]}, "A word is too short"),
        ({"words": ["tea"]}, "Two words at least"),
        ({"words": "tea", "more": 1}, "Parameter more is not known; the known ones are words"),
    ],
)
async def test_a_tool_answers_with_its_own_words_for_a_violated_rule(
    every_toolset: Dispatcher, caller: Caller, arguments: JsonObject, message: str
) -> None:
    outcome = await every_toolset.call("diary_read", arguments, caller)

    assert code_of(outcome) == "VALIDATION_ERROR"
    assert outcome.structured["error"] == message


async def test_a_tools_own_words_leave_the_rule_to_the_suggestions(
    every_toolset: Dispatcher, caller: Caller
) -> None:
    outcome = await every_toolset.call("diary_read", {"words": 7}, caller)

    assert outcome.structured["error"] == "Words are a text or a list"
    assert outcome.structured["suggestions"] == ["Parameter words is 7; it must be of type string or array"]


async def test_a_budget_of_exactly_the_size_succeeds_and_one_byte_less_does_not(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    answers["note_fetch"] = returns(
        {
            "ok": True,
            "item": {"id": "1", "dialog": ["Grüße 日本語 🙂 " * 100]},
            "meta": {"include": ["core", "dialog"]},
        }
    )
    free = await dispatcher.call("note_fetch", {"id": "1", "max_response_bytes": 9_999}, caller)
    size = len(free.text.encode())

    exact = await dispatcher.call("note_fetch", {"id": "1", "max_response_bytes": size}, caller)
    less = await dispatcher.call("note_fetch", {"id": "1", "max_response_bytes": size - 1}, caller)

    assert free.structured["meta"]["response_bytes"] == size
    assert exact.structured["meta"] == {
        "include": ["core", "dialog"],
        "max_response_bytes": size,
        "response_bytes": len(exact.text.encode()),
    }
    assert code_of(less) == "RESPONSE_TOO_LARGE"
    assert details_of(less)["response_bytes"] == size


async def test_an_answer_of_3_megabytes_is_refused_shortly_and_its_suggestion_succeeds(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    async def fetch(params: Any, ctx: ToolContext) -> JsonObject:
        parts = {"parties": [{"name": "n" * 100}], "tags": {"a": "b"}, "dialog": ["d" * 1_000] * 3_000}
        include = ["core", *(group for group in parts if group in params.include)]
        item = {"id": params.id, **{group: parts[group] for group in include if group in parts}}
        return {"ok": True, "item": item, "meta": {"include": include}}

    answers["note_fetch"] = fetch
    arguments: JsonObject = {"id": "1", "include": ["core", "parties", "tags", "dialog"]}

    refused = await dispatcher.call("note_fetch", arguments, caller)
    suggestion, estimated = (details_of(refused)[name] for name in ("suggestion", "estimated_bytes"))
    again = await dispatcher.call("note_fetch", {**arguments, **suggestion}, caller)

    assert len(refused.text.encode()) < 1_024
    assert suggestion.pop("max_response_bytes") > 3_000_000
    assert suggestion == {"include": ["core", "parties", "tags", "dialog"]}
    assert not again.is_error
    assert len(again.text.encode()) <= estimated


async def test_the_default_budget_holds_without_the_parameter(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    answers["note_fetch"] = returns({"ok": True, "item": {"id": "x" * 250_000}, "meta": {}})

    outcome = await dispatcher.call("note_fetch", {"id": "1"}, caller)

    assert details_of(outcome)["max_response_bytes"] == 250_000


# --- errors


@pytest.mark.parametrize(
    ("name", "arguments", "error", "document"),
    [
        (
            "note_fetch",
            {"id": "9"},
            NotFound("No note 9.", details={"id": "9"}),
            {"ok": False, "error": {"code": "NOT_FOUND", "message": "No note 9.", "details": {"id": "9"}}},
        ),
        (
            "note_search",
            {"mode": "keyword"},
            CursorInvalid(details={"reason": "malformed"}),
            {
                "ok": False,
                "error": {
                    "code": "CURSOR_INVALID",
                    "message": CursorInvalid.default_message,
                    "details": {"reason": "malformed"},
                },
            },
        ),
        (
            "put_note",
            {"note": {}},
            StoreFailed("No.", details={"reason": "x"}, suggestions=["wait"]),
            {
                "success": False,
                "error": "No.",
                "error_code": "DATABASE_ERROR",
                "details": {"reason": "x"},
                "suggestions": ["wait"],
            },
        ),
        (
            "put_note",
            {"note": {}},
            StoreFailed("No."),
            {"success": False, "error": "No.", "error_code": "DATABASE_ERROR"},
        ),
    ],
)
async def test_an_error_that_a_handler_raises_goes_out_in_the_tools_envelope(
    dispatcher: Dispatcher,
    caller: Caller,
    answers: Answers,
    name: str,
    arguments: JsonObject,
    error: ToolError,
    document: JsonObject,
) -> None:
    answers[name] = raises(error)

    outcome = await dispatcher.call(name, arguments, caller)

    assert outcome.is_error
    assert outcome.structured == document
    assert json.loads(outcome.text) == document


@pytest.mark.parametrize(
    ("error", "event"),
    [
        (NotFound("Not declared by this tool."), "error_not_declared"),
        (StoreFailed("Not printable: \ud800"), "error_breaks_contract"),
        (StoreFailed("Not JSON.", details={"value": object()}), "error_breaks_contract"),
        (
            StoreFailed(details=["Not an object"]),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            "error_breaks_contract",
        ),
    ],
    ids=["undeclared", "surrogate", "object", "list"],
)
async def test_an_error_outside_the_contract_is_an_internal_fault_that_fits_it(
    dispatcher: Dispatcher,
    caller: Caller,
    answers: Answers,
    logged: Callable[[], list[JsonObject]],
    error: ToolError,
    event: str,
) -> None:
    answers["put_note"] = raises(error)

    outcome = await dispatcher.call("put_note", {"note": {}}, caller)

    assert code_of(outcome) == "DATABASE_ERROR"
    assert details_of(outcome)["reason"] == "internal"
    assert "Not " not in outcome.text
    assert event in [line["event"] for line in logged()]


@pytest.mark.parametrize(
    ("reason", "retryable"),
    [
        ("unavailable", True),
        ("disk_full", True),
        ("read_only", True),
        ("timeout", True),
        ("serialization", True),
        ("internal", False),
    ],
)
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [("put_note", {"note": {}}, "DATABASE_ERROR"), ("note_fetch", {"id": "1"}, "INTERNAL")],
)
async def test_a_fault_of_the_store_is_told_by_its_kind_and_not_in_its_words(
    make_dispatcher: Callable[..., Dispatcher],
    caller: Caller,
    answers: Answers,
    name: str,
    arguments: JsonObject,
    code: str,
    reason: str,
    retryable: bool,
) -> None:
    answers[name] = raises(ConnectionError("password=hunter2 host=db"))

    def classify(error: BaseException) -> StoreFault:
        return StoreFault(reason, retryable)

    dispatcher = make_dispatcher(classify=classify)

    outcome = await dispatcher.call(name, arguments, caller)

    details = details_of(outcome)
    assert code_of(outcome) == code
    assert (details["reason"], details["retryable"]) == (reason, retryable)
    assert details["correlation_id"] in outcome.text
    assert "hunter2" not in outcome.text


@pytest.mark.parametrize(
    ("name", "arguments", "retryable", "advice"),
    [
        ("put_note", {"note": {}}, False, "look before you call again"),
        ("note_fetch", {"id": "1"}, True, "call again, which does no harm"),
    ],
)
async def test_when_nobody_knows_what_a_call_did_only_a_harmless_one_is_to_be_repeated(
    make_dispatcher: Callable[..., Dispatcher],
    caller: Caller,
    answers: Answers,
    name: str,
    arguments: JsonObject,
    retryable: bool,
    advice: str,
) -> None:
    answers[name] = raises(ConnectionError("lost"))

    def classify(error: BaseException) -> StoreFault:
        return StoreFault("outcome_unknown", retryable=False)

    outcome = await make_dispatcher(classify=classify).call(name, arguments, caller)

    details = details_of(outcome)
    assert (details["reason"], details["outcome"]) == ("outcome_unknown", "unknown")
    assert details["retryable"] is retryable
    assert advice in outcome.text


@pytest.mark.parametrize(
    ("arguments", "code", "parameter"),
    [({"id": "a\0b"}, "INVALID_ARGUMENT", "id"), ({"id": "plain"}, "INTERNAL", None)],
)
async def test_text_that_the_store_cannot_take_is_the_fault_of_the_argument_that_holds_it(
    make_dispatcher: Callable[..., Dispatcher],
    caller: Caller,
    answers: Answers,
    arguments: JsonObject,
    code: str,
    parameter: str | None,
) -> None:
    answers["note_fetch"] = raises(ValueError("invalid byte sequence"))

    def classify(error: BaseException) -> StoreFault:
        return StoreFault("unstorable_text", retryable=False)

    outcome = await make_dispatcher(classify=classify).call("note_fetch", arguments, caller)

    assert code_of(outcome) == code
    assert details_of(outcome).get("parameter") == parameter
    assert details_of(outcome)["reason"] == ("nul_character" if parameter else "internal")


async def test_any_other_exception_is_internal_with_the_correlation_id_of_its_log_line(
    dispatcher: Dispatcher, caller: Caller, answers: Answers, logged: Callable[[], list[JsonObject]]
) -> None:
    answers["note_fetch"] = raises(RuntimeError("the customer said: my card is 4111"))

    outcome = await dispatcher.call("note_fetch", {"id": "1"}, caller)

    assert code_of(outcome) == "INTERNAL"
    assert "4111" not in outcome.text
    (line,) = [line for line in logged() if line["event"] == "call_failed"]
    assert line["correlation_id"] == details_of(outcome)["correlation_id"]
    assert line["cause"]["type"] == "builtins.RuntimeError"
    assert "4111" not in json.dumps(line)


async def test_a_cancelled_call_passes_through(
    dispatcher: Dispatcher, caller: Caller, answers: Answers
) -> None:
    answers["note_fetch"] = raises(asyncio.CancelledError())

    with pytest.raises(asyncio.CancelledError):
        await dispatcher.call("note_fetch", {"id": "1"}, caller)


async def test_a_call_is_logged_without_its_arguments_and_its_answer(
    dispatcher: Dispatcher, caller: Caller, answers: Answers, logged: Callable[[], list[JsonObject]]
) -> None:
    answers["note_fetch"] = returns({"ok": True, "item": {"id": "said-in-confidence"}, "meta": {}})

    await dispatcher.call("note_fetch", {"id": "asked-in-confidence"}, caller)

    (line,) = logged()
    assert (line["event"], line["tool"], line["is_error"]) == ("call", "note_fetch", False)
    assert "confidence" not in json.dumps(line)
