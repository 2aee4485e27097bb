"""get_vcon: which parts come back, what is said beside them, and how tags go out."""

import base64
import json

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.store.vcons.preparation import ARRAYS

ELEMENTS: JsonObject = {
    "dialog": [{"type": "text", "body": "hello"}],
    "analysis": [{"type": "summary", "vendor": "x"}, {}],
    "attachments": [{"purpose": "notes"}],
}


async def test_without_include_components_everything_comes_back(call: Call, create: Create) -> None:
    uuid = await create(**ELEMENTS)

    assert (await call("get_vcon", uuid=uuid))["vcon"].keys() >= set(ARRAYS)


@pytest.mark.parametrize(
    ("wanted", "arrays"),
    [
        ([], set[str]()),
        (["dialog"], {"dialog"}),
        (["attachments", "parties"], {"attachments", "parties"}),
        (["all"], set(ARRAYS)),
        (["dialog", "all"], set(ARRAYS)),
    ],
)
async def test_only_the_named_arrays_come_back_and_top_level_members_always(
    call: Call, create: Create, wanted: list[str], arrays: set[str]
) -> None:
    uuid = await create({"tags": {"n": 1}}, **ELEMENTS, subject="Hello", extra=None)
    whole = (await call("get_vcon", uuid=uuid))["vcon"]

    got = await call("get_vcon", uuid=uuid, include_components=wanted)

    assert got["vcon"] == {
        name: value for name, value in whole.items() if name not in ARRAYS or name in arrays
    }
    assert got["vcon"]["extra"] is None


async def test_the_vcon_is_the_same_with_and_without_metadata(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": True}}, **ELEMENTS)

    bare = await call("get_vcon", uuid=uuid, include_metadata=False)

    assert bare.keys() == {"success", "vcon"}
    assert bare["vcon"] == (await call("get_vcon", uuid=uuid))["vcon"]


@pytest.mark.parametrize(
    ("uuid", "code"),
    [
        ("01939c3a-6f00-8abc-9def-0123456789ab", "NOT_FOUND"),
        ("5", "VALIDATION_ERROR"),
        ("", "VALIDATION_ERROR"),
        ("01939c3a6f008abc9def0123456789ab", "VALIDATION_ERROR"),
        (" 01939c3a-6f00-8abc-9def-0123456789ab", "VALIDATION_ERROR"),
        ("01939c3a-6f00-8abc-9def-0123456789ab\n", "VALIDATION_ERROR"),
        ("01939c3a-6f00-8abc-9def-0123456789ab\0", "VALIDATION_ERROR"),
    ],
)
async def test_a_uuid_that_is_malformed_or_unknown(call: Call, uuid: str, code: str) -> None:
    assert (await call("get_vcon", uuid=uuid))["error_code"] == code


async def test_a_uuid_is_read_in_any_case(call: Call, create: Create) -> None:
    uuid = await create()

    assert (await call("get_vcon", uuid=uuid.upper()))["success"] is True


def encoded(value: JsonValue) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def carrier(body: JsonValue, **members: str) -> JsonObject:
    return {"purpose": "tags", "body": body, **members}


TYPED: JsonObject = {"a": 1, "b": True, "c": 1.5, "d": ""}
CARRIED: list[tuple[JsonObject, JsonObject]] = [
    ({"attachments": [carrier(["a:b", "c:d:e"])]}, {"a": "b", "c": "d:e"}),
    ({"attachments": [carrier('["a:b"]')]}, {"a": "b"}),
    ({"attachments": [carrier({"a": 1, "b": True, "c": 1.5, "d": ""})]}, TYPED),
    ({"attachments": [carrier('{"a": 1}', type="tags")]}, {"a": 1}),
    ({"attachments": [carrier(encoded({"a": "b"}), encoding="base64url")]}, {"a": "b"}),
    ({"attachments": [{"type": "tags", "body": ["a:b"]}, carrier({"a": "c"})]}, {"a": "c"}),
    ({"tags": {"a": "b"}}, {"a": "b"}),
    ({"tags": {"a": "b"}, "attachments": [carrier(["a:c"])]}, {"a": "c"}),
    ({"attachments": [carrier(["a:b", 5, " bad :x"])]}, {"a": "b"}),
    ({"attachments": [carrier("nope")]}, {}),
    ({}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("members", "tags"), CARRIED)
async def test_carriers_that_say_what_the_tags_are_go_out_untouched(
    call: Call, create: Create, members: JsonObject, tags: JsonObject
) -> None:
    got = await call("get_vcon", uuid=await create(**members))

    assert got["metadata"]["tags"] == tags
    assert {name: got["vcon"].get(name) for name in members} == members


OUT: list[tuple[JsonObject, JsonObject, list[JsonValue], JsonValue]] = [
    # members, tags beside them, bodies of the attachments that go out, top-level tags that go out
    ({"attachments": [carrier(["a:b"])]}, {"a": "x"}, [["a:x"]], None),
    ({"attachments": [carrier(["a:b"])]}, {"n": 1}, [{"a": "b", "n": 1}], None),
    ({"attachments": [carrier('["a:b"]')]}, {"a": "x"}, ['["a:x"]'], None),
    ({"attachments": [carrier({"a": "b", "other": [1]})]}, {"a": 2}, [{"a": 2, "other": [1]}], None),
    ({"attachments": [carrier(["a:b"]), carrier({"c": "d"})]}, {"a": "x"}, [["a:x", "c:d"], {}], None),
    ({"tags": {"a": "b"}}, {"a": "x"}, [], {"a": "x"}),
    ({"tags": {"a": "b"}, "attachments": [carrier(["a:b"])]}, {"a": "x"}, [["a:x"]], {}),
    ({}, {"a": "b"}, [["a:b"]], None),
    ({}, {"a": "b", "n": 1}, [{"a": "b", "n": 1}], None),
    ({"attachments": [carrier("nope")]}, {"a": "b"}, ["nope", ["a:b"]], None),
    ({"attachments": [carrier(["a:b", 5])]}, {"n": 1}, [[5], {"a": "b", "n": 1}], None),
    ({"tags": 5}, {"a": "b"}, [["a:b"]], 5),
]  # fmt: skip


@pytest.mark.parametrize(("members", "tags", "bodies", "top"), OUT)
async def test_tags_go_out_in_the_first_carrier_in_its_own_form(
    call: Call, create: Create, members: JsonObject, tags: JsonObject, bodies: list[JsonValue], top: JsonValue
) -> None:
    got = await call("get_vcon", uuid=await create({"tags": tags}, **members))

    attachments: list[JsonObject] = got["vcon"].get("attachments", [])
    assert [attachment["body"] for attachment in attachments] == bodies
    assert got["vcon"].get("tags") == top
    assert got["metadata"]["tags"].items() >= tags.items()


@pytest.mark.parametrize("members", [members for members, _, _, _ in OUT])
async def test_counts_are_the_lengths_of_what_comes_back(
    call: Call, create: Create, members: JsonObject
) -> None:
    got = await call("get_vcon", uuid=await create({"tags": {"n": 1}}, **{**ELEMENTS, **members}))

    lengths = {array: len(got["vcon"].get(array, [])) for array in ARRAYS}
    assert got["metadata"]["counts"] == lengths


async def test_a_carrier_that_is_made_stands_last_and_names_party_and_dialog(
    call: Call, create: Create
) -> None:
    uuid = await create({"tags": {"a": "b"}}, **ELEMENTS, created_at="2025-01-01T00:00:00Z")

    got = await call("get_vcon", uuid=uuid)

    assert got["vcon"]["attachments"] == [
        {"purpose": "notes"},
        {
            "purpose": "tags",
            "type": "tags",
            "start": "2025-01-01T00:00:00Z",
            "party": 0,
            "dialog": 0,
            "mediatype": "application/json",
            "encoding": "json",
            "body": ["a:b"],
        },
    ]


async def test_a_vcon_beyond_the_limit_of_a_result_is_read_by_its_components(
    call: Call, create: Create
) -> None:
    recording = {
        "type": "recording",
        "mediatype": "audio/x-wav",
        "encoding": "base64url",
        "body": "A" * 18_000_000,
    }
    uuid = await create(dialog=[recording], subject="Large")

    whole = await call("get_vcon", uuid=uuid)
    small = await call("get_vcon", uuid=uuid, include_components=["parties"])

    assert whole["error_code"] == "VALIDATION_ERROR"
    assert whole["details"]["reason"] == "result_too_large"
    assert whole["details"]["bytes"]["dialog"] > 18_000_000
    assert small["vcon"]["subject"] == "Large"
