"""What a client sees, word for word: a change of it changes a snapshot or generated/."""

import difflib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from mcp import types
from mcp.client import Client
from pydantic import BaseModel
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.amber import AmberSnapshotExtension

from tests.conftest import Call
from vcontract.runtime.app import App
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.frame.mcp.server import build_server

Accepted = Callable[[JsonValue], None]

TOOLS = sorted(load_package().tools)
LISTED = ("name", "title", "description", "annotations", "outputSchema")
"""The members of a tool's generated contract that tools/list repeats as they are."""
LONG_RESULTS = {"anthropic/maxResultSizeChars": 250_000}
"""What a tool that reads says of the length of its results."""
PROMPTS = {name: load_package().read_prompt(name) for name in sorted(load_package().prompts)}
UUID = "01939c3a-6f00-8abc-9def-0123456789ab"
VCON: JsonObject = {
    "vcon": "0.4.0",
    "uuid": UUID,
    "created_at": "2025-10-14T10:30:00Z",
    "subject": "Refund for order CUST-12345",
    "must_support": ["cc"],
    "parties": [{"name": "Agent Smith", "role": "agent"}, {"name": "John Doe", "tel": "+1-555-123-4567"}],
    "dialog": [
        {
            "type": "text",
            "start": "2025-10-14T10:30:00Z",
            "parties": 1,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "I want a refund: the second order never came.",
        }
    ],
    "analysis": [
        {
            "type": "summary",
            "vendor": "acme",
            "dialog": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "John wants a refund.",
        }
    ],
    "attachments": [
        {
            "purpose": "strolid_dealer",
            "start": "2025-10-14T10:30:00Z",
            "party": 0,
            "dialog": 0,
            "mediatype": "application/json",
            "encoding": "json",
            "body": {"id": 815, "name": "Iron Horse", "team": {"id": 4, "name": "West"}},
        }
    ],
}
ALL = ["core", "parties", "summary", "tags", "dealer", "counts", "dialog", "analysis", "attachments"]
MISSING = "00000000-0000-4000-8000-000000000000"

ANSWERS: dict[str, tuple[str, JsonObject]] = {
    "capabilities": ("vcon_capabilities", {}),
    "shapes": ("describe_response_shape", {}),
    "shape": ("describe_response_shape", {"tool_name": "vcon_fetch"}),
    "shape_of_a_misspelled_tool": ("describe_response_shape", {"tool_name": "vcon_serch"}),
    "fetch": ("vcon_fetch", {"id": UUID}),
    "fetch_all_groups": ("vcon_fetch", {"id": UUID, "include": ALL}),
    "fetch_missing": ("vcon_fetch", {"id": MISSING}),
    "fetch_unknown_group": ("vcon_fetch", {"id": UUID, "include": ["cores"]}),
    "fetch_over_budget": ("vcon_fetch", {"id": UUID, "include": ALL, "max_response_bytes": 1024}),
    "search_newest": ("vcon_search", {"mode": "metadata", "limit": 1}),
    "search_keyword": (
        "vcon_search",
        {"mode": "keyword", "query": "refund john", "filters": {"tags": {"department": "sales"}}},
    ),
    "search_misspelled": ("vcon_search", {"mode": "keyword", "query": "reffund"}),
    "search_dealer": (
        "vcon_search",
        {
            "mode": "metadata",
            "filters": {"dealer_name": "horse", "start_date": "2025-10-14", "end_date": "2025-10-14"},
            "include": ["dealer"],
        },
    ),
    "search_unseen_value": (
        "vcon_search",
        {"mode": "metadata", "filters": {"tags": {"department": "slaes"}}},
    ),
    "search_unknown_tag_key": (
        "vcon_search",
        {"mode": "metadata", "filters": {"tags": {"deparment": "sales"}}},
    ),
    "search_only_stop_words": ("vcon_search", {"mode": "keyword", "query": "the of and"}),
    "search_bad_date": ("vcon_search", {"mode": "metadata", "filters": {"start_date": "last week"}}),
    "search_unused_parameter": ("vcon_search", {"mode": "metadata", "query": "refund"}),
    "search_unknown_filter": ("vcon_search", {"mode": "metadata", "filters": {"color": "red"}}),
    "search_foreign_cursor": ("vcon_search", {"mode": "metadata", "cursor": "b3BhcXVl"}),
    "get": ("get_vcon", {"uuid": UUID}),
    "get_missing": ("get_vcon", {"uuid": MISSING}),
    "create_without_parties": ("create_vcon", {"vcon_data": {"subject": "x", "parties": []}}),
    "create_invalid": (
        "create_vcon",
        {"vcon_data": {"parties": [{"name": "A"}], "dialog": [{"type": "text"}]}},
    ),
    "create_again": ("create_vcon", {"vcon_data": VCON}),
    "update_nothing": ("update_vcon", {"uuid": UUID, "updates": {"subject": VCON["subject"]}}),
    "update_array_by_merge": ("update_vcon", {"uuid": UUID, "updates": {"dialog": []}}),
    "update_tags_here": ("update_vcon", {"uuid": UUID, "updates": {"tags": {"a": "b"}}}),
    "tag": ("get_tag", {"vcon_uuid": UUID, "key": "department"}),
    "tag_missing": ("get_tag", {"vcon_uuid": UUID, "key": "level", "default_value": 1}),
    "tags": ("get_all_tags", {"vcon_uuid": UUID}),
    "tags_of_a_missing_vcon": ("get_all_tags", {"vcon_uuid": MISSING}),
    "tags_in_use": ("get_unique_tags", {"include_counts": True}),
    "tags_searched": ("search_by_tags", {"tags": {"department": "sales"}}),
    "tags_searched_by_a_bad_key": ("search_by_tags", {"tags": {"team:west": 1}}),
    "tag_with_another_value": (
        "add_tag",
        {"vcon_uuid": UUID, "key": "department", "value": "support", "overwrite": False},
    ),
    "tags_merging_none": ("update_tags", {"vcon_uuid": UUID, "tags": {}}),
    "add_dialog_that_does_not_fit": (
        "add_dialog",
        {"vcon_uuid": UUID, "dialog": {"type": "text", "parties": 7, "encoding": "none", "body": {}}},
    ),
    "add_tags_as_an_attachment": ("add_attachment", {"vcon_uuid": UUID, "attachment": {"purpose": "tags"}}),
    "delete_unconfirmed": ("delete_vcon", {"uuid": UUID, "confirm": False}),
    "schema_of_an_unknown_version": ("get_schema", {"version": "9.9"}),
    "example_as_yaml": ("get_examples", {"example_type": "minimal", "format": "yaml"}),
    "template_with_unknown_params": (
        "create_vcon_from_template",
        {
            "template_name": "phone_call",
            "parties": [{}, {}],
            "template_params": {"originater": 1, "duration": -1},
        },
    ),
    "template_with_a_party_too_many": (
        "create_vcon_from_template",
        {
            "template_name": "chat_conversation",
            "parties": [{}, {}],
            "template_params": {"messages": [{"from": 2, "text": "Hello"}]},
        },
    ),
    "query_that_writes": ("analyze_query", {"query": "with d as (delete from vcon returning 1) select 1"}),
    "query_on_a_secret": ("analyze_query", {"query": "select * from shared_secret"}),
    "query_with_an_unknown_column": ("analyze_query", {"query": "select subjct from vcon"}),
}


class JsonInOneFile(AmberSnapshotExtension):
    """The snapshots of a module in one file, each as JSON."""

    def serialize(self, data: JsonValue, **_: object) -> str:
        return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)


@pytest.fixture
def accepted(snapshot: SnapshotAssertion) -> Accepted:
    """Passes when a document equals its snapshot; else says how a meant change is accepted."""
    in_file = snapshot.use_extension(JsonInOneFile)

    def accepted(document: JsonValue) -> None:
        assert document == in_file, "what clients see has changed; if that is meant, run: make snapshots"

    return accepted


async def test_each_tool_is_listed_as_the_generated_contract_has_it(app: App) -> None:
    package = load_package()
    everything = Catalogue(package, Selection(toolsets=("all",)))
    async with Client(build_server(everything, app.dispatcher, app.caller), mode="legacy") as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    contracts = {name: package.read_contract(name) for name in TOOLS}

    assert {
        name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for name, tool in listed.items()
    } == {
        name: {
            **{member: published[member] for member in LISTED},
            "inputSchema": published.get("listedSchema", published["inputSchema"]),
            **({"_meta": LONG_RESULTS} if published["annotations"]["readOnlyHint"] else {}),
        }
        for name, published in contracts.items()
    }


async def test_resources_and_prompts_as_they_are_listed(app: App, accepted: Accepted) -> None:
    server = build_server(app.catalogue, app.dispatcher, app.caller, resources=app.resources)
    async with Client(server, mode="legacy") as client:
        lists: list[Sequence[BaseModel]] = [
            (await client.list_resources()).resources,
            (await client.list_resource_templates()).resource_templates,
            (await client.list_prompts()).prompts,
        ]

    accepted(
        [[each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in one] for one in lists]
    )


@pytest.mark.parametrize("name", PROMPTS)
async def test_the_message_of_each_prompt(name: str, app: App, accepted: Accepted) -> None:
    arguments = {argument["name"]: f"<{argument['name']}>" for argument in PROMPTS[name]["arguments"]}
    everything = Catalogue(load_package(), Selection(toolsets=("all",)))
    server = build_server(everything, app.dispatcher, app.caller, resources=app.resources)
    async with Client(server, mode="legacy") as client:
        (message,) = (await client.get_prompt(name, arguments)).messages

    assert isinstance(message.content, types.TextContent)
    accepted(message.content.text.splitlines())


@pytest.mark.parametrize("name", ANSWERS)
async def test_the_answer_of_a_call(name: str, call: Call, accepted: Accepted) -> None:
    created = await call("create_vcon", vcon_data=VCON, metadata={"tags": {"department": "sales"}})
    assert created["success"], created
    tool, arguments = ANSWERS[name]

    accepted(steady(await call(tool, **arguments)))


async def test_the_answers_of_writes(call: Call, accepted: Accepted) -> None:
    accepted(
        steady(
            [
                await call("create_vcon", vcon_data=VCON, metadata={"tags": {"level": 2}}, return_vcon=True),
                await call("create_vcon", vcon_data={"parties": [{"name": "A"}]}),
                await call(
                    "update_vcon", uuid=UUID, updates={"subject": "Changed", "appended": {"uuid": UUID}}
                ),
                await call("delete_vcon", uuid=UUID, confirm=True, cascade_delete=False),
                await call("delete_vcon", uuid=UUID, confirm=True),
                await call("delete_vcon", uuid=UUID, confirm=True),
            ]
        )
    )


async def test_the_answers_of_changes_of_tags(call: Call, accepted: Accepted) -> None:
    await call("create_vcon", vcon_data=VCON, metadata={"tags": {"level": 2}})
    accepted(
        steady(
            [
                await call("add_tag", vcon_uuid=UUID, key="level", value=3),
                await call("add_tag", vcon_uuid=UUID, key="level", value=3),
                await call("update_tags", vcon_uuid=UUID, tags={"level": "high", "open": True}),
                await call("remove_tag", vcon_uuid=UUID, key="open"),
                await call("remove_tag", vcon_uuid=UUID, key="open"),
                await call("remove_all_tags", vcon_uuid=UUID),
            ]
        )
    )


async def test_the_answers_of_additions(call: Call, accepted: Accepted) -> None:
    await call("create_vcon", vcon_data=VCON)
    accepted(
        steady(
            [
                await call("add_dialog", vcon_uuid=UUID, dialog={**VCON["dialog"][0], "body": "And then?"}),
                await call("add_analysis", vcon_uuid=UUID, analysis=VCON["analysis"][0]),
                await call("add_attachment", vcon_uuid=UUID, attachment={"type": "note", "body": "Call."}),
            ]
        )
    )


_OF_THE_SERVER: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"(?!2025-10-1)20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"sha256:[0-9a-f]{64}"), "<digest>"),
]
_REPLACED = {
    "next_cursor": "<cursor>",
    "schema": "<schema>",
    "example": "<example>",
    "details_schema": "<schema>",
}


def steady(value: JsonValue) -> JsonValue:
    """The answer with what differs from run to run, or is published elsewhere, replaced."""
    if is_object(value):
        return {
            name: _REPLACED[name] if name in _REPLACED and member is not None else steady(member)
            for name, member in value.items()
        }
    if is_array(value):
        return [steady(element) for element in value]
    if isinstance(value, str):
        for pattern, replacement in _OF_THE_SERVER:
            value = pattern.sub(replacement, value)
    return value


def test_a_member_more_in_an_answer_is_a_difference_of_the_snapshots_that_fits_a_screen() -> None:
    file = Path(__file__).parent / "__snapshots__" / "test_snapshots.ambr"
    kept = re.findall(r"# name: (.+)\n((?:  .*\n)+)# ---", file.read_text(encoding="utf-8"))
    answers = {name: json.loads(text) for name, text in kept if "answer_of_a_call" in name}
    extension = JsonInOneFile()

    for answer in answers.values():
        before, after = (
            extension.serialize(one).splitlines() for one in (answer, {**answer, "more": {"a": 1}})
        )
        difference = list(difflib.unified_diff(before, after))
        assert 4 < len(difference) <= 40, "\n".join(difference)

    assert answers.keys() == {f"test_the_answer_of_a_call[{name}]" for name in ANSWERS}
