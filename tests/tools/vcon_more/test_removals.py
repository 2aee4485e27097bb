"""Removals: an element goes, and no index that stands for another one changes its meaning."""

import pytest

from tests.conftest import Call
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.placeholders import placeholder

TEXT: JsonObject = {
    "type": "text",
    "start": "2025-01-01T00:00:00Z",
    "parties": 0,
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "hello",
}
NOTE: JsonObject = {"purpose": "note", "start": "2025-01-01T00:00:00Z", "party": 0, "dialog": 0}
SUMMARY: JsonObject = {"type": "summary", "vendor": "acme", "encoding": "none", "body": "Greeted."}
PARTIES: list[JsonObject] = [{"name": name} for name in ("Ann", "Bob", "Cid")]


@pytest.mark.parametrize(
    ("tool", "array", "index", "moved"),
    [
        ("remove_party", "parties", 1, 1),
        ("remove_dialog", "dialog", 2, 0),
        ("remove_analysis", "analysis", 0, 2),
        ("remove_attachment", "attachments", 0, 2),
    ],
)
async def test_what_nothing_points_at_is_taken_out_and_those_behind_it_move_up(
    call: Call, create: Create, tool: str, array: str, index: int, moved: int
) -> None:
    uuid = await create(
        parties=PARTIES,
        dialog=[{**TEXT, "body": body} for body in "abc"],
        analysis=[{**SUMMARY, "dialog": [0, 1], "body": body} for body in "abc"],
        attachments=[{**NOTE, "body": body, "encoding": "none"} for body in "abc"],
    )
    before = (await call("get_vcon", uuid=uuid))["vcon"]

    answer = await call(tool, vcon_uuid=uuid, index=index)

    after = await call("get_vcon", uuid=uuid)
    assert (answer["left_placeholder"], answer["moved"]) == (False, moved)
    assert answer["message"] == f"Removed {tool.removeprefix('remove_')} {index}."
    assert answer["counts"] == after["metadata"]["counts"]
    left = [element for place, element in enumerate(before[array]) if place != index]
    assert after["vcon"] == {**before, array: left, "updated_at": answer["updated_at"]}


POINTED_AT: list[tuple[str, int, JsonObject, list[str], list[str]]] = [
    ("remove_party", 0, {"dialog": [TEXT]}, ["$.dialog[0].parties"], []),
    ("remove_party", 0, {"dialog": [{**TEXT, "parties": [1, [2, None]]}]}, [], ["[0]", "[1][0]"]),
    ("remove_party", 1, {"dialog": [{**TEXT, "originator": 1}]}, ["$.dialog[0].originator"], []),
    (
        "remove_party",
        2,
        {"dialog": [{"type": "recording", "party_history": [{"party": 2, "event": "join"}]}]},
        ["$.dialog[0].party_history[0].party"],
        [],
    ),
    (
        "remove_party",
        2,
        {"attachments": [{**NOTE, "party": 2}], "dialog": [TEXT]},
        ["$.attachments[0].party"],
        [],
    ),
    (
        "remove_party",
        2,
        {"analysis": [{**SUMMARY, "encoding": "json", "body": [{"parties": 2, "text": "hi"}]}]},
        ["$.analysis[0].body[0].parties"],
        [],
    ),
    (
        "remove_party",
        2,
        {"analysis": [{**SUMMARY, "encoding": "json", "body": '[{"party": [2], "text": "hi"}]'}]},
        ["$.analysis[0].body[0].party[0]"],
        [],
    ),
    (
        "remove_dialog",
        0,
        {
            "dialog": [
                {"type": "recording", "filename": "a.wav"},
                {"type": "recording-set", "recordings": [0]},
            ]
        },
        ["$.dialog[1].recordings[0]"],
        [],
    ),
    (
        "remove_dialog",
        0,
        {"dialog": [TEXT, TEXT, {"type": "transfer", "original": 1, "target_dialog": 0}]},
        ["$.dialog[2].target_dialog"],
        ["$.dialog[2].original"],
    ),
    (
        "remove_dialog",
        0,
        {"dialog": [TEXT], "analysis": [{**SUMMARY, "dialog": [0]}]},
        ["$.analysis[0].dialog[0]"],
        [],
    ),
    (
        "remove_attachment",
        0,
        {"dialog": [TEXT], "attachments": [NOTE], "analysis": [{**SUMMARY, "attachment": 0}]},
        ["$.analysis[0].attachment"],
        [],
    ),
]


@pytest.mark.parametrize(
    ("tool", "index", "members", "there", "behind"),
    POINTED_AT,
    ids=[f"{tool}-{(there or behind)[0]}" for tool, _, _, there, behind in POINTED_AT],
)
async def test_what_is_pointed_at_is_refused_with_where_or_leaves_a_placeholder(
    call: Call,
    create: Create,
    tool: str,
    index: int,
    members: JsonObject,
    there: list[str],
    behind: list[str],
) -> None:
    uuid = await create(parties=PARTIES, **members)
    before = await call("get_vcon", uuid=uuid)

    refused = await call(tool, vcon_uuid=uuid, index=index)

    assert refused["error_code"] == "REFERENCED"
    assert refused["details"]["references"] == there
    assert [
        path.removeprefix("$.dialog[0].parties") for path in refused["details"]["references_behind"]
    ] == behind
    assert refused["details"]["reference_count"] == len(there) + len(behind)
    assert await call("get_vcon", uuid=uuid) == before

    answer = await call(tool, vcon_uuid=uuid, index=index, when_referenced="placeholder")

    after = await call("get_vcon", uuid=uuid)
    array = {"remove_party": "parties", "remove_dialog": "dialog", "remove_attachment": "attachments"}[tool]
    assert (answer["left_placeholder"], answer["moved"]) == (True, 0)
    elements = list(before["vcon"][array])
    elements[index] = placeholder(array, elements[index])
    assert after["vcon"] == {**before["vcon"], array: elements, "updated_at": answer["updated_at"]}
    again = await call(tool, vcon_uuid=uuid, index=index, when_referenced="placeholder")
    assert (again["message"], again["updated_at"]) == (
        "No change: already up to date.",
        answer["updated_at"],
    )


async def test_what_only_the_removed_element_points_at_hinders_nothing(call: Call, create: Create) -> None:
    uuid = await create(dialog=[{"type": "recording-set", "recordings": [1]}, {"type": "recording"}])

    answer = await call("remove_dialog", vcon_uuid=uuid, index=0)

    assert (answer["success"], answer["left_placeholder"], answer["moved"]) == (True, False, 1)


async def test_an_index_of_nothing_that_is_there_hinders_nothing(call: Call, create: Create) -> None:
    uuid = await create(dialog=[{**TEXT, "parties": 7}, TEXT])

    answer = await call("remove_dialog", vcon_uuid=uuid, index=0)

    assert answer["success"]


@pytest.mark.parametrize("version", ["0.3.0", "0.4.0"])
@pytest.mark.parametrize(
    ("array", "element"),
    [
        ("parties", {"name": "Ann"}),
        ("dialog", TEXT),
        (
            "dialog",
            {"type": "recording", "parties": 0, "mediatype": "a/b", "body": "AA", "encoding": "base64url"},
        ),
        ("dialog", {"type": "recording-set", "recordings": [1], "start": "2025-01-01T00:00:00Z"}),
        ("dialog", {"type": "transfer", "transferee": 0}),
        ("dialog", {"type": "incomplete", "disposition": "busy"}),
        ("attachments", NOTE),
    ],
)
def test_a_placeholder_conforms_where_the_element_did(version: str, array: str, element: JsonObject) -> None:
    vcon: JsonObject = {
        "vcon": version,
        "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
        "created_at": "2025-01-01T00:00:00Z",
        "parties": PARTIES,
        "dialog": [TEXT, {"type": "recording"}],
    }
    elements = [element, *vcon.get(array, [])[1:]]
    schemas = VconSchemas.load()

    left = [placeholder(array, element), *elements[1:]]

    if schemas.check({**vcon, array: elements}).valid:
        assert schemas.check({**vcon, array: left}).valid
    else:
        assert version == "0.3.0"
