"""The short ID that vcon_recall prints is taken by every tool, resource and page that takes an ID."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest

from tests.conftest import ALL_SCOPES, Call
from tests.pages.test_page import change_of, looking
from tests.security.test_handles import NEEDED, input_of
from tests.tools.contract.conftest import CallAs, Store
from vcontract.generated.registry import RESOURCES, TOOLS
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.resources import ResourceRefused
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.settings import Settings

FIRST, SECOND, OTHER = (
    "0193aaaa-1111-8000-8000-000000000001",
    "0193aaaa-1122-8000-8000-000000000002",
    "0193bbbb-1111-8000-8000-000000000003",
)
CALLS: list[tuple[str, JsonObject]] = [
    ("add_tag", {"key": "kind", "value": "order"}),
    ("get_all_tags", {}),
    ("get_tag", {"key": "kind"}),
    ("vcon_relations", {}),
    ("add_party", {"party": {"name": "Ben"}}),
]


UNKNOWN: Final = "ffffffff"
NO_ID_OF_OURS: Final = {"dealer_id", "message_id"}
"""Names from the world outside."""
VALUES: Final = {"index": "0", "offset": "0", "first": "0", "part": "dialog", "type": "x", "purpose": "x"}
"""Values of the other variables of resources."""


def id_parameters() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each text parameter of the contract that takes an ID of hex digits: its tool, and its path."""
    for name, tool in TOOLS.items():
        if tool.toolset != "bridge":  # its IDs have an alphabet of their own
            yield from ((name, path) for path in _ids_in(input_of(name)))


def _ids_in(schema: JsonObject) -> Iterator[tuple[str, ...]]:
    properties: JsonObject = schema.get("properties", {})
    for name, each in properties.items():
        if each.get("type") == "string" and name not in NO_ID_OF_OURS:
            described = re.search(r"\b(UU|uu)?(ID|id)\b", each.get("description", ""))
            if described or re.search(r"(^|_)(uu)?id$", name):
                yield (name,)
        elif name == "filters" and is_object(each):
            yield from ((name, *path) for path in _ids_in(each))


ID_PARAMETERS: Final = list(id_parameters())


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


@pytest.fixture
async def stored(store: Store) -> None:
    await store([{"uuid": uuid, "parties": [{"name": "Ann"}]} for uuid in (FIRST, SECOND, OTHER)])


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("short", ["0193bbbb", "0193BBBB-1", OTHER[:-1], OTHER])
async def test_the_beginning_of_an_id_names_its_conversation(call: Call, short: str) -> None:
    for tool, arguments in CALLS:
        answer = await call(tool, vcon_uuid=short, **arguments)
        assert answer.get("success", answer.get("ok")), (tool, answer)
    got = await call("get_vcon", uuid=short)
    assert got["vcon"]["uuid"] == OTHER
    assert [party["name"] for party in got["vcon"]["parties"]] == ["Ann", "Ben"]
    assert (await call("delete_vcon", uuid=short, confirm=True))["deleted_uuid"] == OTHER


@pytest.mark.usefixtures("stored")
async def test_an_ambiguous_beginning_changes_nothing_and_lists_the_candidates(call: Call) -> None:
    answer = await call("delete_vcon", uuid="0193aaaa", confirm=True)
    assert answer["error_code"] == "VALIDATION_ERROR"
    assert answer["details"]["reason"] == "ambiguous_id"
    assert answer["details"]["accepted"] == [FIRST, SECOND]
    assert (await call("search_vcons"))["count"] == 3


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("short", "code"), [("0193cccc", "NOT_FOUND"), ("0193", "VALIDATION_ERROR"), ("soon", "VALIDATION_ERROR")]
)
async def test_an_unknown_or_too_short_beginning_is_an_error(call: Call, short: str, code: str) -> None:
    answer = await call("add_tag", vcon_uuid=short, key="a", value="b")
    assert answer["error_code"] == code


@pytest.mark.usefixtures("stored")
async def test_a_beginning_names_no_conversation_of_another_tenant(call_as: CallAs) -> None:
    answer = await call_as("stranger")("get_vcon", uuid="0193bbbb")
    assert answer["error_code"] == "NOT_FOUND"


async def test_every_parameter_for_an_id_is_completed_before_the_tool_runs(call: Call) -> None:
    found = {(tool, path[-1]) for tool, path in ID_PARAMETERS}
    assert {("vcon_fetch", "id"), ("session_end", "session_id"), ("vcon_recall", "version_of")} <= found
    assert ("session_store_reflection", "replaces") in found
    assert len(found) > 35

    for tool, path in ID_PARAMETERS:
        arguments: JsonObject = {
            name: NEEDED[name] for name in input_of(tool).get("required", ()) if name != path[0]
        }
        value: object = UNKNOWN
        for name in reversed(path[1:]):
            value = {name: value}
        answer = await call(tool, **{**arguments, path[0]: value})
        assert f"has an id that begins with {UNKNOWN}" in json.dumps(answer), (tool, path, answer)


async def test_a_filter_a_session_and_a_reflection_are_named_by_their_first_digits(call: Call) -> None:
    vcon = {"uuid": FIRST, "parties": [{"name": "Ann"}], "dialog": [], "subject": "Card 4111 1111 1111 1111"}
    assert (await call("create_vcon", vcon_data=vcon))["success"]
    version = (await call("redact_vcon", vcon_uuid=FIRST, rules=["cards"], words=["Card"]))["uuid"]
    found = await call("vcon_search", mode="metadata", filters={"version_of": FIRST[:8]})
    assert [item["id"] for item in found["items"]] == [version]

    session = (await call("session_init"))["session_id"]
    assert (await call("session_status", session_id=session[:13]))["session_id"] == session
    kept = await call("session_store_reflection", content="The order form keeps its draft.")
    first = kept["reflection_id"]
    mended = await call("session_store_reflection", content="It drops its draft.", replaces=first[:18])
    assert mended["reflection_id"] == first


@pytest.mark.usefixtures("stored")
async def test_every_resource_of_a_vcon_is_read_by_its_first_digits(app: App, tenant: str) -> None:
    caller = Caller(tenant, ALL_SCOPES)
    templates = [uri for each in RESOURCES.values() for uri in each.uris if "{uuid}" in uri]
    assert len(templates) > 15

    async def read(template: str, uuid: str) -> str:
        uri = re.sub(r"\{(\w+)\}", lambda found: {**VALUES, "uuid": uuid}[found[1]], template)
        try:
            return await app.resources.read(uri, caller)
        except ResourceRefused as refused:
            return str(refused)

    for template in templates:
        assert await read(template, OTHER[:8]) == await read(template, OTHER), template
        assert f"begins with {UNKNOWN}" in await read(template, UNKNOWN), template
    completed = await app.resources.complete("analysis_types", "", {"uuid": UNKNOWN}, caller)
    assert completed.values == []


@pytest.mark.usefixtures("stored")
async def test_the_page_takes_the_first_digits_of_an_id_in_each_of_its_addresses(
    app: App, tenant: str
) -> None:
    async with looking(app, tenant) as page:
        for rest in ("", "/raw", "/as/text", "/similar", "?find=Ann"):
            moved = await page.get(f"/vcon/{OTHER[:8]}{rest}", follow_redirects=False)
            assert (moved.status_code, moved.headers["location"]) == (307, f"/vcon/{OTHER}{rest}")
        change = change_of((await page.get(f"/manage?id={OTHER[:8]}&id={OTHER}")).text)
        tagging = {"change": change, "act": "tag", "ids": OTHER[:8], "key": "kind", "value": "order"}
        assert "Tagged 1 conversation." in (await page.post("/manage", data=tagging)).text
        unknown = await page.get(f"/vcon/{UNKNOWN}")
        several = await page.get("/manage?id=0193aaaa")
        assert (unknown.status_code, several.status_code) == (404, 404)
        assert ("begins with ffffffff" in unknown.text, "several ids" in several.text) == (True, True)


async def test_a_session_of_another_caller_has_no_short_id(app: App, tenant: str) -> None:
    mine, other = (Caller(tenant, ALL_SCOPES, name=name) for name in ("me", "other"))
    session = (await app.dispatcher.call("session_init", {}, mine)).structured["session_id"]

    asked: JsonObject = {"session_id": session[:13]}
    found = (await app.dispatcher.call("session_status", asked, mine)).structured
    refused = (await app.dispatcher.call("session_status", asked, other)).structured

    assert found["session_id"] == session
    assert "No session here has an id that begins with" in str(refused)
