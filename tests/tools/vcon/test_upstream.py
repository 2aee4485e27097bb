"""Calls in the forms of another server: rewritten when that is switched on, refused when it is not."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.types import TextContent

from tests.conftest import Call
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.dispatch import UnknownTool
from vcontract.runtime.frame.context import SCOPES, Caller, Scope
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.mcp.requests import unknown_tool
from vcontract.runtime.frame.mcp.server import build_server
from vcontract.runtime.settings import Settings
from vcontract.runtime.vcon.spec_files import shipped_yaml

GUIDE = Path(__file__).parents[3] / "docs" / "upstream.md"
PARTIES = [{"name": "Ada", "mailto": "ada@example.com"}, {"name": "Bo"}]


@pytest.fixture(scope="module")
async def accepting(settings: Settings) -> AsyncIterator[App]:
    """The application that takes calls in the forms of another server."""
    built = await build(settings.model_copy(update={"rate_limits": None, "accept_upstream": True}))
    yield built
    await built.close()


@pytest.fixture
def upstream(accepting: App, tenant: str) -> Call:
    """Calls it, and holds the answer against the published schema as any other."""

    async def upstream(tool: str, /, **arguments: object) -> JsonObject:
        outcome = await accepting.dispatcher.call(tool, arguments, Caller(tenant, accepting.caller.scopes))
        return outcome.structured

    return upstream


@pytest.fixture(scope="module")
async def accepting_more(settings: Settings) -> AsyncIterator[App]:
    """The same with the tools for single elements."""
    given = {"rate_limits": None, "accept_upstream": True, "toolsets": ("contract", "vcon", "vcon_more")}
    built = await build(settings.model_copy(update=given))
    yield built
    await built.close()


async def test_a_tool_that_would_change_another_element_than_upstream_is_not_served(
    accepting_more: App, tenant: str
) -> None:
    caller = Caller(tenant, frozenset(SCOPES))
    turns = [{"type": "text", "body": word, "parties": [0]} for word in ("one", "two", "three")]
    created = await accepting_more.dispatcher.call(
        "create_vcon", {"parties": PARTIES, "dialog": turns}, caller
    )
    uuid = created.structured["uuid"]

    for tool, arguments in (
        ("remove_dialog", {}),
        ("remove_party", {}),
        ("update_party", {"party": {"name": "Ann B"}}),
        ("update_dialog", {"dialog": {"body": "Lost"}}),
        ("update_analysis", {"analysis": {"body": "Lost"}}),
        ("update_attachment", {"attachment": {"body": "Lost"}}),
    ):
        with pytest.raises(UnknownTool) as refused:
            await accepting_more.dispatcher.call(tool, {"vcon_uuid": uuid, "index": 0, **arguments}, caller)
        assert refused.value.because is not None
        assert refused.value.because.startswith("In vcon-mcp")
        assert refused.value.because in unknown_tool(refused.value).error.message

    listed = {
        tool["name"]
        for tool in accepting_more.dispatcher.listed(accepting_more.catalogue.seen_by(caller).tools)
    }
    assert {name for name in listed if name.startswith(("add_", "remove_", "update_"))} == {
        *("add_party", "add_dialog", "add_analysis", "add_attachment", "add_tag"),
        *("remove_analysis", "remove_attachment", "remove_tag", "remove_all_tags"),
        *("update_vcon", "update_tags"),
    }
    added = await accepting_more.dispatcher.call(
        "add_party", {"vcon_uuid": uuid, "party": {"name": "Cy"}}, caller
    )
    assert (added.structured["index"], added.structured["party_index"]) == (2, 2)
    stored = await accepting_more.dispatcher.call("get_vcon", {"uuid": uuid}, caller)
    assert [turn["body"] for turn in stored.structured["vcon"]["dialog"]] == ["one", "two", "three"]


async def test_a_tool_that_only_upstream_has_is_refused_with_what_to_call_instead(
    accepting: App, app: App
) -> None:
    for tool, instead in (
        ("get_content_analytics", "vcon_aggregate"),
        ("get_monthly_growth_analytics", "vcon_trends"),
        ("get_tag_analytics", "get_unique_tags"),
        ("get_attachment_analytics", "vcon_aggregate"),
        ("get_database_analytics", "get_database_stats"),
        ("get_database_health_metrics", "get_database_stats"),
        ("get_database_size_info", "get_database_shape"),
        ("get_smart_search_limits", "no limits"),
    ):
        with pytest.raises(UnknownTool) as refused:
            await accepting.dispatcher.call(tool, {}, accepting.caller)
        assert instead in str(refused.value.because)
        with pytest.raises(UnknownTool) as unknown:
            await app.dispatcher.call(tool, {}, app.caller)
        assert unknown.value.because is None


async def test_the_flat_form_creates_a_vcon(upstream: Call, call: Call) -> None:
    answer = await upstream("create_vcon", subject="Refund", parties=PARTIES, must_support=["cc"])

    assert answer["success"]
    assert answer["message"] == f"Created vCon with UUID: {answer['uuid']}"
    assert answer["vcon"]["vcon"] == "0.4.0"
    assert (answer["vcon"]["subject"], answer["vcon"]["parties"]) == ("Refund", PARTIES)
    assert answer["vcon"]["critical"] == ["cc"]
    assert (await call("get_vcon", uuid=answer["uuid"]))["vcon"] == answer["vcon"]


async def test_without_the_option_the_flat_form_is_refused(call: Call) -> None:
    answer = await call("create_vcon", subject="Refund", parties=PARTIES)

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert "vcon_data" in str(answer["details"])


async def test_what_is_listed_gains_the_tools_of_upstream_and_nothing_else(app: App, accepting: App) -> None:
    def listed(application: App, *scopes: Scope) -> dict[str, JsonObject]:
        contract = application.catalogue.seen_with(frozenset(scopes))
        return {tool["name"]: tool for tool in application.dispatcher.listed(contract.tools)}

    declared, accepted = listed(app, *SCOPES), listed(accepting, *SCOPES)

    assert accepted.keys() - declared.keys() == {"manage_tag", "get_tags"}
    # whose rows may be ids, as no declared answer has them
    loose = {name for name in declared if declared[name] != accepted[name]}
    assert loose == {"search_vcons_content", "search_vcons_semantic", "search_vcons_hybrid"}
    assert {accepted[name]["outputSchema"] for name in loose} == {None}
    assert accepted["manage_tag"]["annotations"] == declared["add_tag"]["annotations"]
    assert "manage_tag" not in listed(accepting, "read")
    digests = {each.catalogue.seen_with(frozenset(SCOPES)).digest for each in (app, accepting)}
    assert len(digests) == 1


async def test_a_call_that_is_valid_as_declared_is_not_rewritten(upstream: Call, call: Call) -> None:
    document = {"vcon": "0.4.0", "created_at": "2025-01-01T00:00:00Z", "parties": PARTIES}
    created = await upstream("create_vcon", vcon_data=document)

    assert created["success"]
    assert not {"message", "vcon"} & created.keys()
    for tool, arguments in (("search_vcons", {"limit": 5}), ("get_vcon", {"uuid": created["uuid"]})):
        reported, declared = await upstream(tool, **arguments), await call(tool, **arguments)
        assert {name: reported[name] for name in declared} == declared
        assert reported.keys() - declared.keys() <= {"results", "total_count"}


async def test_a_search_that_is_valid_as_declared_gains_the_results_of_upstream_too(upstream: Call) -> None:
    uuid = (await upstream("create_vcon", parties=PARTIES))["uuid"]

    answer = await upstream("search_vcons", party_email="ada@example.com")

    assert [row["uuid"] for row in answer["results"]] == [uuid]
    assert (answer["results"], answer["total_count"]) == (answer["vcons"], 1)


async def test_the_rows_are_cut_to_the_format_that_is_asked_for(upstream: Call) -> None:
    created = await upstream("create_vcon", subject="Late parcel", parties=PARTIES, dialog=[])

    answers = {
        form: await upstream("search_vcons", subject="parcel", response_format=form)
        for form in ("full", "metadata", "ids_only")
    }

    (full,), (metadata,), ids = (answer["results"] for answer in answers.values())
    assert {"uuid", "subject", "parties", "dialog"} <= full.keys()
    assert metadata.keys() == {"uuid", "created_at", "subject", "parties"}
    assert ids == [created["uuid"]]
    for tool in ("search_vcons", "search_vcons_content", "search_vcons_semantic", "search_vcons_hybrid"):
        words = {} if tool == "search_vcons" else {"query": "parcel"}
        assert (await upstream(tool, **words, response_format="bogus"))["error_code"] == "VALIDATION_ERROR"


async def test_a_search_of_words_gives_snippets_only_where_the_format_has_them(upstream: Call) -> None:
    await upstream("create_vcon", subject="Late parcel", parties=PARTIES)

    for form, has_snippets in (("snippets", True), ("full", True), ("metadata", False), ("ids_only", False)):
        answer = await upstream("search_vcons_content", query="parcel", response_format=form)
        assert all(("snippet" in row) is has_snippets for row in answer["results"])
        assert answer["results"]


@pytest.mark.parametrize(
    ("response_format", "arrays"),
    [
        ("full", {"parties", "dialog", "analysis", "attachments"}),
        ("metadata", {"parties"}),
        ("summary", {"parties", "analysis"}),
    ],
)
async def test_a_response_format_chooses_the_components(
    upstream: Call, response_format: str, arrays: set[str]
) -> None:
    members: JsonObject = {name: [] for name in ("dialog", "analysis", "attachments")}
    uuid = (await upstream("create_vcon", parties=PARTIES, **members))["uuid"]

    answer = await upstream("get_vcon", uuid=uuid, response_format=response_format)

    assert answer["vcon"].keys() & {"parties", "dialog", "analysis", "attachments"} == arrays


async def test_a_search_gains_the_members_that_upstream_has(
    upstream: Call, accepting: App, tenant: str
) -> None:
    uuids = {(await upstream("create_vcon", subject="Late parcel", parties=PARTIES))["uuid"] for _ in "12"}
    await accepting.worker.drain(tenant)

    listed = await upstream("search_vcons", subject="parcel", response_format="full", include_count=True)
    found = await upstream(
        "search_vcons_content", query="parcel", response_format="snippets", include_count=True
    )
    similar = await upstream("search_vcons_semantic", query="late", response_format="metadata")
    both = await upstream("search_vcons_hybrid", query="parcel", include_count=False)

    assert listed["results"] == listed["vcons"]
    assert {vcon["uuid"] for vcon in listed["results"]} == uuids
    assert (listed["total_count"], listed["response_format"]) == (2, "full")
    assert {result["vcon_id"] for result in found["results"]} == uuids
    assert (found["total_count"], found["response_format"]) == (2, "snippets")
    assert (similar["success"], similar["response_format"]) == (True, "metadata")
    assert {result["vcon_id"] for result in both["results"]} == uuids


async def test_ids_alone_are_the_rows_of_each_search(upstream: Call, accepting: App, tenant: str) -> None:
    uuids = {(await upstream("create_vcon", subject="Late parcel", parties=PARTIES))["uuid"] for _ in "12"}
    await accepting.worker.drain(tenant)

    for tool in ("search_vcons_content", "search_vcons_semantic", "search_vcons_hybrid"):
        answer = await upstream(tool, query="parcel that is late", response_format="ids_only")
        assert set(answer["results"]) == uuids
        assert (answer["count"], answer["response_format"]) == (2, "ids_only")


async def test_a_client_of_upstream_goes_its_way_from_the_first_list_to_the_last_deletion(
    accepting: App, tenant: str
) -> None:
    server = build_server(
        accepting.catalogue,
        accepting.dispatcher,
        Caller(tenant, frozenset(SCOPES)),
        resources=accepting.resources,
    )
    async with Client(server) as client:

        async def call(tool: str, **arguments: object) -> JsonObject:
            reported = (await client.call_tool(tool, arguments)).content[0]
            assert isinstance(reported, TextContent)
            answer: JsonObject = json.loads(reported.text)
            return answer

        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"create_vcon", "get_vcon", "search_vcons", "delete_vcon", "add_dialog"} <= names
        assert {"add_analysis", "manage_tag", "get_tags"} <= names

        party = {"name": "Zoë Late", "mailto": "zoe@late.example", "tel": "+15550104477"}
        uuid = (await call("create_vcon", subject="Combined filter", parties=[party]))["uuid"]
        got = (await call("get_vcon", uuid=uuid))["vcon"]
        assert (got["uuid"], got["subject"], got["parties"]) == (uuid, "Combined filter", [party])

        today = str(datetime.now(UTC).date())
        for filters in (
            {"party_email": "zoe@late.example"},
            {"party_email": "late.example"},
            {"party_name": "Zoë Late"},
            {"party_tel": "+15550104477"},
            {"party_email": "zoe@late.example", "subject": "Combined"},
            {"party_email": "zoe@late.example", "start_date": today},
        ):
            found = await call("search_vcons", **filters)
            assert (found["count"], [row["uuid"] for row in found["results"]]) == (1, [uuid]), filters
        nobody = await call("search_vcons", party_email="nobody@nowhere.invalid")
        assert (nobody["success"], nobody["count"], nobody["results"]) == (True, 0, [])

        turn = {"type": "text", "body": "Hello, a test.", "encoding": "none", "parties": [0]}
        assert (await call("add_dialog", vcon_uuid=uuid, dialog=turn))["success"]
        mood = {"type": "sentiment", "vendor": "Maker", "schema": "v1", "body": "{}", "encoding": "json"}
        assert (await call("add_analysis", vcon_uuid=uuid, analysis=mood))["success"]
        whole = (await call("get_vcon", uuid=uuid))["vcon"]
        assert [each["body"] for each in whole["dialog"]] == ["Hello, a test."]
        assert [(each["vendor"], each["schema"]) for each in whole["analysis"]] == [("Maker", "v1")]

        assert (await call("manage_tag", vcon_uuid=uuid, action="set", key="step", value="e2e"))["success"]
        assert (await call("get_tags", vcon_uuid=uuid))["tags"] == {"step": "e2e"}
        assert (await call("search_by_tags", tags={"step": "e2e"}))["vcon_uuids"] == [uuid]

        plain = await call("search_vcons_content", query="test", limit=1)
        assert (plain["success"], plain["count"], len(plain["results"])) == (True, 1, 1)
        for form in ("snippets", "metadata", "ids_only"):
            answer = await call("search_vcons_content", query="test", response_format=form)
            (row,) = answer["results"]
            assert answer["response_format"] == form
            assert row == uuid if form == "ids_only" else ("snippet" in row) is (form == "snippets")
        none = await call("search_vcons_content", query="xyznonexistentquerytermxyz12345")
        assert (none["success"], none["count"], none["results"]) == (True, 0, [])

        # what stays different: a deletion is confirmed, and an error is a result
        assert (await call("delete_vcon", uuid=uuid))["success"] is False
        assert (await call("delete_vcon", uuid=uuid, confirm=True))["success"]
        assert (await call("get_vcon", uuid=uuid))["error_code"] == "NOT_FOUND"


async def test_tags_are_managed_and_read_under_the_names_of_upstream(upstream: Call, call: Call) -> None:
    uuid = (await upstream("create_vcon", parties=PARTIES))["uuid"]

    put = await upstream("manage_tag", vcon_uuid=uuid, action="set", key="priority", value=2)
    one = await upstream("get_tags", vcon_uuid=uuid, key="priority")
    absent = await upstream("get_tags", vcon_uuid=uuid, key="colour", default_value="none")
    all_of_them = await upstream("get_tags", vcon_uuid=uuid)
    gone = await upstream("manage_tag", vcon_uuid=uuid, action="remove", key="priority")

    assert (put["success"], put["action"], gone["action"]) == (True, "set", "remove")
    assert (one["value"], one["exists"]) == (2, True)
    assert (absent["value"], absent["exists"]) == ("none", False)
    assert all_of_them["tags"] == {"priority": 2}
    assert gone["removed"] is True
    assert (await call("get_all_tags", vcon_uuid=uuid))["tags"] == {}


async def test_what_no_form_fits_is_refused_as_declared(upstream: Call, call: Call, app: App) -> None:
    uuid = (await upstream("create_vcon", parties=PARTIES))["uuid"]

    for tool, arguments in (
        ("get_vcon", {"uuid": uuid, "response_format": "tiny"}),
        ("delete_vcon", {"uuid": uuid}),
        ("update_vcon", {"uuid": uuid, "return_updated": True}),
        ("search_vcons", {"colour": "red"}),
    ):
        refused = await upstream(tool, **arguments)
        assert refused["error_code"] == "VALIDATION_ERROR"
        assert (await call(tool, **arguments))["error_code"] == "VALIDATION_ERROR"
    for arguments, parameter in (
        ({"action": "zap", "key": "a", "value": 1}, "action"),
        ({"key": "a", "value": 1}, "action"),
        ({"action": "set", "key": "a"}, "value"),
    ):
        refused = await upstream("manage_tag", vcon_uuid=uuid, **arguments)
        assert refused["error_code"] == "VALIDATION_ERROR"
        assert refused["details"]["parameter"] == parameter
    assert (await call("get_all_tags", vcon_uuid=uuid))["tags"] == {}
    with pytest.raises(UnknownTool):
        await upstream("no_such_tool")
    with pytest.raises(UnknownTool):
        await app.dispatcher.call("manage_tag", {"action": "set"}, app.caller)
    updated = await upstream("update_vcon", uuid=uuid, updates={"subject": "New"}, return_updated=True)
    assert updated["updated_vcon"]["subject"] == "New"
    assert updated["vcon"] == updated["updated_vcon"]


async def test_searches_take_what_upstream_clients_send_beside_the_words(
    upstream: Call, accepting: App, tenant: str
) -> None:
    turn = {"type": "text", "body": "The parcel is late.", "parties": [0]}
    uuid = (await upstream("create_vcon", subject="Late", parties=PARTIES, dialog=[turn]))["uuid"]
    await upstream("manage_tag", vcon_uuid=uuid, action="set", key="step", value="e2e")
    await accepting.worker.drain(tenant)

    full = await upstream("search_by_tags", tags={"step": "e2e"}, return_full_vcons=True, max_full_vcons=20)
    plain = await upstream("search_by_tags", tags={"step": "e2e"}, return_full_vcons=False)
    both = await upstream("search_vcons_hybrid", query="parcel", embedding=[0.1] * 384)
    listed = await upstream("vcon_search", filters={"tags": {"step": "e2e"}})

    assert full["vcons"][0]["dialog"][0]["body"] == "The parcel is late."
    assert (plain["vcon_uuids"], "dialog" in plain["vcons"][0]) == ([uuid], False)
    assert [row["vcon_id"] for row in both["results"]] == [uuid]
    assert [item["id"] for item in listed["items"]] == [uuid]


async def test_a_rewritten_call_needs_the_scope_of_what_it_becomes(accepting: App, tenant: str) -> None:
    reader = Caller(tenant, frozenset({"read"}))
    arguments: JsonObject = {"vcon_uuid": "x", "action": "set", "key": "a", "value": 1}

    answer = (await accepting.dispatcher.call("manage_tag", arguments, reader)).structured

    assert answer["error_code"] == "PERMISSION_DENIED"


def test_the_guide_names_every_form() -> None:
    guide = GUIDE.read_text(encoding="utf-8")

    for name in (name for entry in shipped_yaml("upstream.yaml")["not_served"] for name in entry["names"]):
        assert f"`{name}`" in guide
    for form in shipped_yaml("upstream.yaml")["forms"]:
        row = f"`{form['call']}`"
        assert row in guide
        for name in (*form.get("drop", []), *form.get("by_value", {}), *form.get("gains", {})):
            assert f"`{name}" in guide or name in ("value", "default_value", "action")
