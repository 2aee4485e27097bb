"""Handles that one tenant was given lead another to nothing, by whatever tool takes them."""

import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Final

import pytest

from tests.conftest import Ask
from tests.web import Bearers, Web, applied, running
from vcontract.generated.registry import RESOURCES, TOOLS
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.sessions import result_cache

SECRET: Final = "Rumpelstiltskin"  # noqa: S105 - a word of a conversation
NOBODYS: Final = "01939c3a-6f00-8abc-9def-000000000000"
"""The uuid of no vCon."""
CACHE_KEY: Final = "a-key-that-somebody-guessed"
HANDLES: Final = {
    *("uuid", "id", "vcon_uuid", "sourceId", "sourceIds", "momentIds", "sceneIds", "reflects_on"),
    *("session_id", "cache_key", "cursor", "path", "replaces", "reflectedOn", "version_of"),
}
"""Parameters, or filters, that name what a caller was given before, or a list of such names."""


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application with all toolsets, so that a tool's name is its key of the registry."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


def input_of(tool: str) -> JsonObject:
    """The tool's input schema."""
    contract = json.loads(
        resources.files("vcontract.generated").joinpath(f"contract/{tool}.json").read_text()
    )
    schema: JsonObject = contract["inputSchema"]
    return schema


NEEDED: Final[JsonObject] = {
    "key": "note",
    "value": "x",
    "tags": {"note": "x"},
    "confirm": True,
    "updates": {"subject": "Stolen"},
    "query": SECRET,
    "mode": "metadata",
    "chunk_index": 0,
    "dialog": {"type": "text"},
    "analysis": {"type": "summary", "vendor": "x"},
    "attachment": {"purpose": "x"},
    "party": {"name": "Eve"},
    "index": 0,
    "emoji": "🌱",
    "summary": "From rain to a thing",
    "shot": "sustained-attention",
    "narrative": "On.",
    "qualities": [{"type": "emotional", "manifestation": "x"}],
    "experiencer": "Eve",
    "perspective": "they",
    "processing": "during",
    "reason": "a matter",
    "content": "x",
    "group_by": ["month"],
}
"""What tools with a handle ask for besides."""


async def handles_of(ask: Ask, app: App, tenant: str) -> list[str]:
    """What a tenant was given that holds the secret: of a vCon, a page, records, and a kept answer."""
    uuids: list[str] = []
    for _ in range(2):
        vcon: JsonObject = {"subject": SECRET, "parties": [{"name": SECRET}]}
        made = await ask("create_vcon", vcon_data=vcon, metadata={"tags": {"note": SECRET}})
        uuids.append(made.structured["uuid"])
    page = await ask("vcon_search", mode="metadata", limit=1)
    felt: JsonObject = {"experiencer": "Ann", "perspective": "I", "processing": "during"}
    source = (await ask("bridge_capture", content=SECRET, **felt)).structured["record"]["id"]
    moment = await ask(
        "bridge_frame",
        sourceIds=[source],
        emoji="🌱",
        summary=f"{SECRET} becomes a thing to hear",
        shot="sustained-attention",
        qualities=[{"type": "emotional", "manifestation": SECRET}],
    )
    at = datetime.now(UTC)
    content: JsonObject = {"chunks": [SECRET], "items": [SECRET]}
    async with app.database.writing(tenant) as connection:
        entry = result_cache.Entry(CACHE_KEY, "reflect_on_past", b"x", content, at, at + timedelta(hours=1))
        await result_cache.put(connection, tenant, "local", entry)
    return [
        *uuids,
        page.structured["page"]["next_cursor"],
        source,
        moment.structured["record"]["id"],
        CACHE_KEY,
    ]


def handles_in(tool: str) -> set[str]:
    """Where the tool takes handles."""
    parameters: JsonObject = input_of(tool)["properties"]
    return HANDLES & {*parameters, *parameters.get("filters", {}).get("properties", ())}


def arguments_with(tool: str, name: str, handle: str) -> JsonObject:
    """Arguments of a call that gives the handle there."""
    schema = input_of(tool)
    given = {each: NEEDED[each] for each in schema.get("required", ()) if each not in HANDLES}
    if name not in schema["properties"]:
        return {**given, "filters": {name: handle}}
    takes_many = "items" in schema["properties"][name]
    return {**given, name: [handle] if takes_many else handle}


TAKING_HANDLES = sorted((tool, name) for tool in TOOLS for name in handles_in(tool))


def test_every_tool_that_takes_a_handle_is_tried() -> None:
    assert len(TAKING_HANDLES) > 25
    assert {name for _, name in TAKING_HANDLES} == HANDLES


async def test_no_handle_of_another_tenant_leads_anywhere(ask: Ask, app: App, tenant: str) -> None:
    handles = await handles_of(ask, app, tenant)
    mine = (await ask("get_vcon", uuid=handles[0])).structured
    assert SECRET in str(mine)

    for tool, name in TAKING_HANDLES:
        for handle in handles:
            arguments = arguments_with(tool, name, handle)
            reported = await ask(tool, as_tenant=f"{tenant}.other", **arguments)
            repeated = reported.text.replace(str(arguments.get("query")), "")
            assert SECRET not in repeated, (tool, name, handle)

    assert (await ask("get_vcon", uuid=handles[0])).structured == mine


@pytest.fixture
async def web(app: App, settings: Settings, owner: OwnerConnection) -> AsyncIterator[Web]:
    await Bearers(owner).make("somebody")
    async with running(await applied(app, settings)) as client:
        yield client


async def test_no_handle_of_another_tenant_leads_anywhere_over_http(
    web: Web, ask: Ask, app: App, tenant: str, owner: OwnerConnection
) -> None:
    handles = await handles_of(ask, app, tenant)
    key: JsonObject = {"vcon_data": {"parties": [{"name": SECRET}]}, "request_key": "the same"}
    await ask("create_vcon", **key)
    resources_with = [
        (resource.name, name)
        for resource in RESOURCES.values()
        for name in app.catalogue.package.read_resource(resource.name)["paramsSchema"]["properties"]
    ]
    assert len(resources_with) > 10

    async with web(await Bearers(owner).make(f"{tenant}.other")) as other:
        for tool, name in TAKING_HANDLES:
            reported: dict[str, JsonObject] = {}
            for handle in (*handles, NOBODYS):
                arguments = arguments_with(tool, name, handle)
                answer = await other.post(f"/v1/tools/{tool}", json=arguments)
                repeated = answer.text.replace(str(arguments.get("query")), "")
                assert SECRET not in repeated, (tool, name, handle)
                reported[handle] = answer.json()
            for uuid in handles[:2]:
                assert like(reported[uuid], uuid) == like(reported[NOBODYS], NOBODYS), (tool, name)
        for resource, name in resources_with:
            for handle in handles:
                answer = await other.get(f"/v1/resources/{resource}", params={name: handle})
                assert SECRET not in answer.text, (resource, handle)
        again = (await other.post("/v1/tools/create_vcon", json=key)).json()

    mine = (await ask("get_vcon", uuid=again["uuid"])).structured
    assert not mine["success"], "the call under the same key was done for the other tenant, not answered"


async def test_a_vcon_that_names_one_of_another_tenant_is_related_to_nothing(
    ask: Ask, app: App, tenant: str
) -> None:
    uuid, *_ = await handles_of(ask, app, tenant)
    mine = (await ask("vcon_relations", vcon_uuid=uuid)).structured
    claims: JsonObject = {"parties": [{"name": "Eve"}], "amended": {"uuid": uuid}}

    stranger = f"{tenant}.other"
    theirs = (await ask("create_vcon", as_tenant=stranger, vcon_data=claims)).structured["uuid"]
    reported = await ask("vcon_relations", as_tenant=stranger, vcon_uuid=theirs)
    versions = await ask("vcon_search", as_tenant=stranger, mode="metadata", filters={"version_of": uuid})

    assert reported.structured["success"] is True
    assert SECRET not in reported.text + versions.text
    assert like((await ask("vcon_relations", vcon_uuid=uuid)).structured, uuid) == like(mine, uuid)


def like(answer: JsonObject, handle: str) -> str:
    """An answer without what differs from call to call."""
    text = json.dumps(answer).replace(handle, "HANDLE")
    return re.sub(r"[0-9a-f]{16}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+(\.\d+)?", "", text)
