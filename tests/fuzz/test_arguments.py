"""Arguments nobody thought of: every served tool answers them with a result or an error of its contract."""

import copy
import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Ask, Call
from tests.effort import examples
from tests.fuzz.places import places
from tests.published import followed, reasons
from vcontract.generated.registry import TOOLS
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object, members

UUID = "01939c3a-6f00-8abc-9def-0123456789ab"
NASTY = [
    "\0",
    "a\0b",
    "",
    " ",
    "%",
    "\\",
    "'",
    '"',
    "-",
    "*",
    "ก่อน",
    "ﷺ" * 70,
    "\U0001f600",
    "x" * 2_001,
    UUID,
]
OPERATORS_ELSEWHERE = [
    *("2026-05-07", "since 2026-05-07", "2026-05", "05/07/2026", "May 7th", "0883", "0883 known", "OR 0883"),
    *("refund%", "%fund", "re%nd", "ref?nd", "/ref.*nd/", "refund~", "~2", "refund^2"),
    *("refund/bank", "a_b", "(a/b OR", "subject=refund", "refund>5"),
    *('title:"known james"', '-(title:"known")', "title: known", "from : james", "from:2026-05-07"),
    *("subject:known", "filters.party_name:james", "tel:12", "tag:a", "date:>2026-05-07", "dealer_id:7"),
]
"""What other search languages have, and this one has not."""
NUMBERS_OF_A_VECTOR = 384

KEYWORDS = {
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "default",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "pattern",
    "maxProperties",
    "$schema",
    "title",
}

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.sampled_from(NASTY),
    st.sampled_from([10**40, -1, 2**63, 1e308, -0.0, float("inf")]),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
lightly = settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)


def fitting(schema: JsonObject) -> st.SearchStrategy[JsonValue]:
    """Values that fit a schema of the kind that tools have for their input."""
    unknown = schema.keys() - KEYWORDS
    assert not unknown, f"teach this function {unknown}"
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*map(fitting, schema["anyOf"]))
    match schema.get("type"):
        case "string" if "pattern" in schema:
            return st.from_regex(re.compile(schema["pattern"], re.ASCII), fullmatch=True)
        case "string":
            shortest, longest = schema.get("minLength", 0), schema.get("maxLength", 2_000)
            nasty = [text for text in NASTY if shortest <= len(text) <= longest]
            return st.text(min_size=shortest, max_size=min(longest, 30)) | st.sampled_from(nasty)
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "number":
            least, most = schema.get("minimum"), schema.get("maximum")
            whole = st.integers(-5 if least is None else max(-5, least), 5 if most is None else min(5, most))
            # JSON has no infinities; `values` does, as what may stand where anything may
            return st.floats(least, most, allow_nan=False, allow_infinity=False) | whole
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            items = fitting(schema["items"]) if "items" in schema else values
            fewest = schema.get("minItems", 0)
            lists = st.lists(items, min_size=fewest, max_size=min(schema.get("maxItems", 3), 3))
            if schema.get("items", {}).get("type") == "number":
                # drawing each number of a vector would take longer than everything else together
                return lists | items.map(lambda item: [item] * NUMBERS_OF_A_VECTOR)
            return lists
        case "object":
            return fitting_objects(schema)
        case _:
            return values


def fitting_objects(schema: JsonObject) -> st.SearchStrategy[JsonValue]:
    members = {name: fitting(member) for name, member in schema.get("properties", {}).items()}
    required = schema.get("required", [])
    declared = st.fixed_dictionaries({name: members.pop(name, values) for name in required}, optional=members)
    further = schema.get("additionalProperties", True)
    if further is False:
        return declared
    names = st.text(max_size=8) | st.sampled_from(NASTY)
    others = st.dictionaries(names, values if further is True else fitting(further), max_size=3)
    least = schema.get("minProperties", 0)
    return st.builds(_joined, declared, others).filter(lambda made: len(made) >= least)


def _joined(known: JsonObject, others: JsonObject) -> JsonObject:
    return {**others, **known}


@lru_cache
def arguments_of(tool: str) -> st.SearchStrategy[JsonObject]:
    """Arguments that fit the tool's input schema; uuids are often that of a stored vCon."""
    contract = json.loads(
        resources.files("vcontract.generated").joinpath(f"contract/{tool}.json").read_text()
    )
    strategy = fitting(contract["inputSchema"])

    def with_known_uuid(arguments: JsonObject, known: bool) -> JsonObject:
        named: JsonObject = {name: UUID for name in ("uuid", "id", "vcon_uuid") if name in arguments}
        return {**arguments, **named} if known else arguments

    return st.builds(with_known_uuid, strategy, st.booleans())


def leaves(value: JsonValue) -> Iterator[JsonValue]:
    """Every value inside, and every name of a member."""
    yield value
    if is_object(value):
        yield from value
    for element in value.values() if is_object(value) else array(value):
        yield from leaves(element)


def is_unstorable(value: JsonValue) -> bool:
    return value in (math.inf, -math.inf) or (isinstance(value, str) and "\0" in value)


def mutated(arguments: JsonObject, data: st.DataObject) -> JsonObject:
    """The arguments with one to three members changed, left out or added, at any depth."""
    changed = copy.deepcopy(arguments)
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(places(changed))
        action = data.draw(st.sampled_from(["set", "remove", "add", "misname"]))
        if action == "add" or not found:
            changed[data.draw(st.text(max_size=10))] = data.draw(values)
            continue
        container, key = data.draw(st.sampled_from(found))
        if action == "set":
            container[key] = data.draw(values)
        elif action == "misname" and isinstance(key, str):
            container[data.draw(st.sampled_from([f"{key}s", f"the_{key}", key.title()]))] = container.pop(key)
        else:
            del container[key]
    return changed


@pytest.fixture
async def stored(call: Call) -> None:
    """A vCon for the calls to meet."""
    answer = await call(
        "create_vcon",
        vcon_data={"uuid": UUID, "subject": "Known", "parties": [{"name": "James", "tel": "+15615550883"}]},
        metadata={"tags": {"a": "b"}},
    )
    assert answer["success"]


def is_the_servers_fault(document: JsonObject) -> bool:
    """Whether the error is one that no handler meant: it sends the reader to the log.

    A store that has no vectors yet is none, though its log says why.
    """
    details = members(members(document["error"]).get("details") or document.get("details"))
    return "correlation_id" in details and details.get("reason") != "semantic_unavailable"


OF_THE_ARGUMENTS = {"VALIDATION_ERROR", "INVALID_ARGUMENT", "AMBIGUOUS_QUERY", "CURSOR_INVALID"}
"""Error codes about arguments. Each has a reason, and all but the last two a path."""
OF_THE_SCHEMA = {"unknown_parameter", "wrong_type", "invalid_arguments"}
"""Reasons that arguments do not deserve which fit the schema, but for what is inside of an open object."""


async def check(ask: Ask, tool: str, arguments: JsonObject, *, fit: bool = False) -> None:
    """Call; `ask` holds the answer against the output schema, and here the caller must deserve an error.

    That is not the server's fault, has a declared reason where it blames the arguments, and does not blame a
    parameter for what its schema says when the arguments `fit` that. Following suggestions leads on, and
    what a hint suggests is accepted.
    """
    reported: list[str] = []
    while (outcome := await ask(tool, **arguments)).is_error:
        answer = outcome.structured
        deserved(answer, arguments, fit=fit)
        details = members(members(answer["error"]).get("details") or answer.get("details"))
        suggestion = members(details.get("suggestion"))
        if not suggestion or "tool" in suggestion:
            return
        reported.append(json.dumps([details.get("reason"), details.get("parameter")]))
        arguments = followed(arguments, suggestion)
        assert len(reported) == len(set(reported)), (reported, arguments)
    hints: list[JsonObject] = members(outcome.structured.get("meta")).get("hints", [])
    for suggestion in (members(hint.get("suggestion")) for hint in hints):
        if suggestion and "tool" not in suggestion:
            again = await ask(tool, **followed(arguments, suggestion))
            assert not again.is_error, (arguments, suggestion, again.structured)


def deserved(answer: JsonObject, arguments: JsonObject, *, fit: bool) -> None:
    assert not is_the_servers_fault(answer), arguments
    code = members(answer["error"]).get("code") or answer.get("error_code")
    details = members(members(answer["error"]).get("details") or answer.get("details"))
    if code not in OF_THE_ARGUMENTS:
        return
    assert details.get("reason") in reasons(), (code, details, arguments)
    if fit and details["reason"] in OF_THE_SCHEMA:
        places = [details.get("parameter", ""), *(each["path"] for each in details.get("violations", ()))]
        assert any("." in place.removeprefix("$.") or "[" in place for place in places), (details, arguments)


def test_every_tool_of_every_toolset_is_served_here(app: App) -> None:
    assert {served.name for served in app.catalogue.served} == TOOLS.keys()


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("tool", sorted(TOOLS))
@lightly
@given(data=st.data())
async def test_arguments_that_fit_the_schema(ask: Ask, tool: str, data: st.DataObject) -> None:
    await check(ask, tool, data.draw(arguments_of(tool)), fit=True)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("tool", sorted(TOOLS))
@lightly
@given(data=st.data())
async def test_arguments_that_were_changed_at_random(ask: Ask, tool: str, data: st.DataObject) -> None:
    await check(ask, tool, mutated(data.draw(arguments_of(tool)), data))


@pytest.mark.usefixtures("stored")
@lightly
@given(query=st.one_of(st.text(max_size=60), st.lists(st.sampled_from(NASTY[:-2]), max_size=6).map(" ".join)))
async def test_any_query(ask: Ask, query: str) -> None:
    await check(ask, "vcon_search", {"mode": "keyword", "query": query})


@pytest.mark.usefixtures("stored")
@lightly
@given(
    tool=st.sampled_from(["vcon_search", "vcon_graph_shape"]),
    words=st.lists(
        st.sampled_from([*OPERATORS_ELSEWHERE, *OPERATORS_ELSEWHERE, "known", "OR", "AND", "-james", "("]),
        min_size=1,
        max_size=4,
    ),
    filters=st.sampled_from([{}, {"subject": "known"}, {"start_date": "2026-01-01"}, {"party_tel": "555"}]),
)
async def test_any_query_of_another_search_language(
    ask: Ask, tool: str, words: list[str], filters: JsonObject
) -> None:
    mode = {"mode": "keyword"} if tool == "vcon_search" else {}
    await check(ask, tool, {**mode, "query": " ".join(words), "filters": filters})


@lightly
@given(subject=st.text(max_size=80), body=values)
async def test_any_text_is_stored_and_comes_back(ask: Ask, subject: str, body: JsonValue) -> None:
    vcon = {"parties": [{"name": subject}], "subject": subject, "dialog": [{"type": "text", "body": body}]}

    outcome = await ask("create_vcon", vcon_data=vcon, validate_before_insert=False, return_vcon=True)

    unstorable = any(map(is_unstorable, leaves(vcon)))
    assert outcome.is_error is unstorable
    if not unstorable:
        stored: JsonObject = outcome.structured["vcon"]
        assert json.dumps({name: stored[name] for name in vcon}) == json.dumps(vcon)
