"""Older names: accepted in calls, never used in answers."""

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject


async def test_an_attachment_with_a_type_is_fetched_by_its_purpose_and_kept_as_it_came(call: Call) -> None:
    attachment = {"type": "invoice", "encoding": "none", "body": "42"}
    vcon: JsonObject = {"parties": [{"name": "A"}], "attachments": [attachment]}
    created = await call("create_vcon", vcon_data=vcon, validate_before_insert=False)

    fetched = await call("vcon_fetch", id=created["uuid"], include=["attachments"])
    got = await call("get_vcon", uuid=created["uuid"])

    (shown,) = fetched["item"]["attachments"]
    assert shown == {"purpose": "invoice", "encoding": "none", "body": "42"}
    assert got["vcon"]["attachments"] == [attachment]


async def test_must_support_is_told_as_critical(call: Call) -> None:
    vcon: JsonObject = {"parties": [{"name": "A"}], "must_support": ["cc"], "extensions": ["cc"]}
    created = await call("create_vcon", vcon_data=vcon, validate_before_insert=False)

    item = (await call("vcon_fetch", id=created["uuid"], include=["core"]))["item"]

    assert item["critical"] == ["cc"]
    assert "must_support" not in item
