"""The short ID that vcon_recall prints is taken by every tool that takes an ID."""

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import CallAs, Store
from vcontract.runtime.frame.documents.json import JsonObject

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
