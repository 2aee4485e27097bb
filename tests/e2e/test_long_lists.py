"""Long lists as arguments over stdio: each is taken or refused, and the next call is answered."""

import json
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.e2e.conftest import Serving, Wire
from tests.effort import examples
from tests.fuzz.test_arguments import arguments_of, fitting, is_the_servers_fault
from vcontract.generated.registry import TOOLS
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import members

LENGTHS = [99, 101, 1_001, 20_000]


def lists_in(schema: JsonObject) -> Iterator[JsonObject]:
    """The arrays that a schema is or may be."""
    if schema.get("type") == "array":
        yield schema
    for alternative in schema.get("anyOf", ()):
        yield from lists_in(alternative)


@lru_cache
def lists_of(tool: str) -> dict[str, list[JsonObject]]:
    """The parameters of a tool that take a list, with the schemas of these."""
    contract = json.loads(
        resources.files("vcontract.generated").joinpath(f"contract/{tool}.json").read_text()
    )
    parameters: JsonObject = contract["inputSchema"]["properties"]
    return {name: found for name, schema in parameters.items() if (found := list(lists_in(schema)))}


TAKING_LISTS = sorted(tool for tool in TOOLS if lists_of(tool))


@pytest.fixture(scope="module")
async def wide(serving: Serving, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Wire]:
    """A server of every toolset that touches no folder but its own."""
    folder: Path = tmp_path_factory.mktemp("project")
    given = {"toolsets": "all", "rate_limits": "off", "session_allowed_roots": str(folder)}
    async with serving(start=folder, **given) as opened:
        yield opened


@st.composite
def calls(draw: st.DrawFn, tool: str) -> JsonObject:
    """Arguments of a tool, one of them a long list of things that fit or of any."""
    name = draw(st.sampled_from(sorted(lists_of(tool))))
    items = draw(st.sampled_from(lists_of(tool)[name])).get("items", {})
    few = draw(st.lists(fitting(items), min_size=1, max_size=4))
    length = draw(st.sampled_from(LENGTHS))
    return {**draw(arguments_of(tool)), name: (few * length)[:length]}


@pytest.mark.parametrize("tool", TAKING_LISTS)
@settings(
    max_examples=examples(6),
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
        HealthCheck.filter_too_much,
    ],
)
@given(data=st.data())
async def test_a_long_list_is_taken_or_refused(wide: Wire, tool: str, data: st.DataObject) -> None:
    answer = await wide.call(tool, **data.draw(calls(tool)))

    if "error" in answer:
        assert not is_the_servers_fault(answer)
    assert members(await wide.request("ping"))["result"] == {}
