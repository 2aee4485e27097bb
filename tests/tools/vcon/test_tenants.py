"""Two tenants on one database: nothing of the one is visible or changeable for the other, by any tool."""

import pytest

from tests.conftest import Ask, Call
from vcontract.runtime.frame.documents.json import JsonObject

UUID = "01939c3a-6f00-8abc-9def-0123456789ab"
MINE: JsonObject = {
    "uuid": UUID,
    "subject": "Xylophone",
    "parties": [{"name": "Xavier", "tel": "+15550001111", "mailto": "xavier@x.example"}],
    "attachments": [
        {"type": "bria_call_ended", "encoding": "json", "body": {"dealerId": "9815", "dealerName": "Xanadu"}}
    ],
}


@pytest.fixture
def other(tenant: str) -> str:
    return f"{tenant}.other"


@pytest.fixture
async def mine(call: Call) -> JsonObject:
    """A vCon of this test's tenant."""
    answer = await call(
        "create_vcon", vcon_data=MINE, metadata={"tags": {"xtag": "xvalue"}}, validate_before_insert=False
    )
    assert answer["success"]
    return await call("get_vcon", uuid=UUID)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_vcon", {"uuid": UUID}),
        ("update_vcon", {"uuid": UUID, "updates": {"subject": "Stolen"}}),
        ("delete_vcon", {"uuid": UUID, "confirm": True}),
        ("add_dialog", {"vcon_uuid": UUID, "dialog": {"type": "text"}}),
        ("add_analysis", {"vcon_uuid": UUID, "analysis": {"type": "summary", "vendor": "x"}}),
        ("add_attachment", {"vcon_uuid": UUID, "attachment": {"purpose": "note"}}),
        ("add_tag", {"vcon_uuid": UUID, "key": "xtag", "value": "stolen"}),
        ("get_tag", {"vcon_uuid": UUID, "key": "xtag"}),
        ("get_all_tags", {"vcon_uuid": UUID}),
        ("update_tags", {"vcon_uuid": UUID, "tags": {"xtag": "stolen"}}),
        ("remove_tag", {"vcon_uuid": UUID, "key": "xtag"}),
        ("remove_all_tags", {"vcon_uuid": UUID}),
        ("search_by_tags", {"tags": {"xtag": "xvalue"}}),
        ("get_unique_tags", {}),
        ("vcon_fetch", {"id": UUID}),
        ("vcon_search", {"mode": "metadata"}),
        ("vcon_search", {"mode": "keyword", "query": "xylophone"}),
        ("vcon_search", {"mode": "keyword", "query": "xylophane"}),
        ("vcon_search", {"mode": "metadata", "filters": {"subject": "xylo"}}),
        ("vcon_search", {"mode": "metadata", "filters": {"party_name": "xav"}}),
        ("vcon_search", {"mode": "metadata", "filters": {"party_tel": "555000"}}),
        ("vcon_search", {"mode": "metadata", "filters": {"party_email": "x.example"}}),
        ("vcon_search", {"mode": "metadata", "filters": {"tags": {"xtag": "xvalue"}}}),
        ("vcon_search", {"mode": "metadata", "filters": {"tags": {"xtagg": "xvalue"}}}),
        ("vcon_search", {"mode": "metadata", "filters": {"dealer_id": "9815"}}),
        ("vcon_search", {"mode": "metadata", "filters": {"dealer_name": "xanadu"}}),
    ],
)
async def test_a_call_answers_as_if_the_other_tenants_vcon_did_not_exist(
    ask: Ask, call: Call, mine: JsonObject, other: str, tool: str, arguments: JsonObject
) -> None:
    outcome = await ask(tool, as_tenant=other, **arguments)
    in_an_empty_store = await ask(tool, as_tenant=f"{other}.empty", **arguments)

    assert outcome.structured == in_an_empty_store.structured
    assert await call("get_vcon", uuid=UUID) == mine


async def test_both_tenants_may_have_the_same_uuid_and_each_keeps_its_own(
    ask: Ask, call: Call, mine: JsonObject, other: str
) -> None:
    theirs: JsonObject = {"uuid": UUID, "subject": "Theirs", "parties": [{}]}

    created = await ask("create_vcon", as_tenant=other, vcon_data=theirs)
    await ask("update_vcon", as_tenant=other, uuid=UUID, updates={"subject": "Changed"})
    deleted = await ask("delete_vcon", as_tenant=other, uuid=UUID, confirm=True)

    assert (created.is_error, deleted.is_error) == (False, False)
    assert await call("get_vcon", uuid=UUID) == mine


async def test_a_cursor_of_another_tenant_is_rejected(ask: Ask, call: Call, other: str) -> None:
    for tenant in (None, other):
        for _ in range(2):
            as_tenant = {} if tenant is None else {"as_tenant": tenant}
            await ask("create_vcon", vcon_data={"parties": [{"name": "Xavier"}]}, **as_tenant)
    for arguments in ({"mode": "metadata"}, {"mode": "keyword", "query": "xavier"}):
        first = await call("vcon_search", **arguments, limit=1)
        cursor = first["page"]["next_cursor"]

        refused = await ask("vcon_search", as_tenant=other, **arguments, limit=1, cursor=cursor)

        assert refused.structured["error"]["code"] == "CURSOR_INVALID"
        assert (await call("vcon_search", **arguments, limit=1, cursor=cursor))["ok"] is True


async def test_corrections_know_only_the_tenants_own_spellings(ask: Ask, call: Call, other: str) -> None:
    await call("create_vcon", vcon_data={"parties": [{}], "subject": "receive"})
    await ask("create_vcon", as_tenant=other, vcon_data={"parties": [{}], "subject": "relieve"})

    found = await ask("vcon_search", as_tenant=other, mode="keyword", query="recieve")

    assert {correction["used"] for correction in found.structured["meta"].get("corrections", [])} <= {
        "relieve"
    }
