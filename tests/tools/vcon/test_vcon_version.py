"""get_vcon in another version of the syntax: what it says about it, and that the stored vCon stays."""

from typing import Final

import pytest

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.spec_files import shipped_yaml

TRANSFER: Final[JsonObject] = shipped_yaml("examples", "call_transfer.yaml")["vcon"]


async def test_a_vcon_is_returned_in_the_version_asked_for_and_stays_as_it_was(call: Call) -> None:
    uuid = (await call("create_vcon", vcon_data=TRANSFER))["uuid"]
    before = await call("get_vcon", uuid=uuid)

    up = await call("get_vcon", uuid=uuid, vcon_version="0.5.0")

    assert up["vcon"]["vcon"] == "0.5.0"
    assert any(event["type"].endswith("-transfer") for event in up["vcon"]["events"])
    assert {each["type"] for each in up["vcon"]["dialog"]} == {"recording"}
    assert [(each["code"], each["path"]) for each in up["converted"]] == [
        ("session_inferred", "$.sessions[0]"),
        ("event_converted", "$.dialog[3]"),
    ]
    assert await call("get_vcon", uuid=uuid) == before
    # the version that it has is no conversion
    same = await call("get_vcon", uuid=uuid, vcon_version="0.4.0")
    assert (same["vcon"], "converted" in same) == (before["vcon"], False)


async def test_a_converted_vcon_can_be_stored_and_read_in_its_old_version(call: Call) -> None:
    uuid = (await call("create_vcon", vcon_data=TRANSFER))["uuid"]
    up = (await call("get_vcon", uuid=uuid, vcon_version="0.5.0"))["vcon"]
    other = (await call("create_vcon", vcon_data={**up, "uuid": "01928e10-193e-8231-b9a2-279e0d16bc99"}))[
        "uuid"
    ]

    down = await call("get_vcon", uuid=other, vcon_version="0.4.0")

    stored = (await call("get_vcon", uuid=uuid))["vcon"]
    assert down["vcon"] == {**stored, "uuid": other}


@pytest.mark.parametrize(
    ("arrays", "members"),
    [
        (["parties"], {"parties", "sessions", "events"}),
        (["dialog"], {"dialog", "sessions", "events"}),
        (["all"], {"parties", "dialog", "analysis", "attachments", "sessions", "events", "kept_from"}),
    ],
)
async def test_only_the_arrays_asked_for_are_returned(
    call: Call, arrays: list[str], members: set[str]
) -> None:
    uuid = (await call("create_vcon", vcon_data=TRANSFER))["uuid"]

    answer = await call("get_vcon", uuid=uuid, vcon_version="0.5.0", include_components=arrays)

    large = {"parties", "dialog", "analysis", "attachments", "sessions", "events", "kept_from"}
    assert {*answer["vcon"]} & large == members & ({*TRANSFER} | {"sessions", "events", "kept_from"})
