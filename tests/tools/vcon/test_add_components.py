"""Adding a dialog, an analysis or an attachment: checked, at the end of its array, and found at once."""

import asyncio
from uuid import UUID

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json

MISSING = "123e4567-e89b-12d3-a456-426614174000"
SIGNED = {
    "payload": "eyJwYXJ0aWVzIjpbe31dLCJzdWJqZWN0IjoiU2lnbmVkIn0",
    "signatures": [{"protected": "e30", "signature": "x"}],
}
TEXT: JsonObject = {
    "type": "text",
    "start": "2025-01-01T00:00:00Z",
    "parties": 0,
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "hello",
}
SUMMARY: JsonObject = {
    "type": "summary",
    "vendor": "acme",
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "They greeted.",
}
NOTE: JsonObject = {
    "purpose": "note",
    "start": "2025-01-01T00:00:00Z",
    "party": 0,
    "dialog": 0,
    "mediatype": "text/plain",
    "encoding": "none",
    "body": "Call back.",
}
TOOLS: list[tuple[str, str, str, JsonObject]] = [
    ("add_dialog", "dialog", "dialog", TEXT),
    ("add_analysis", "analysis", "analysis", SUMMARY),
    ("add_attachment", "attachment", "attachments", NOTE),
]
each_tool = pytest.mark.parametrize(("tool", "parameter", "array", "element"), TOOLS)


@each_tool
async def test_an_element_goes_to_the_end_of_its_array_as_it_is(
    call: Call, create: Create, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    uuid = await create(dialog=[TEXT], analysis=[SUMMARY], attachments=[NOTE])
    before = await call("get_vcon", uuid=uuid)
    unknown = {**element, "x": {"y": [None, [1.5]]}}

    answer = await call(tool, vcon_uuid=uuid, **{parameter: unknown})

    after = await call("get_vcon", uuid=uuid)
    assert (answer[f"{parameter}_index"], answer["vcon_uuid"]) == (1, uuid)
    assert answer["message"] == f"Added {parameter} 1."
    assert "warnings" not in answer
    assert after["vcon"] == {
        **before["vcon"],
        array: [element, unknown],
        "updated_at": answer["updated_at"],
    }
    assert after["metadata"]["updated_at"] == answer["updated_at"] > before["metadata"]["updated_at"]
    assert after["metadata"]["counts"] == {**before["metadata"]["counts"], array: 2}
    assert after["metadata"]["conformance"]["valid"] is True


@each_tool
async def test_the_first_element_makes_its_array(
    call: Call, create: Create, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    uuid = await create(**({"dialog": [TEXT]} if array == "attachments" else {}))

    answer = await call(tool, vcon_uuid=uuid, **{parameter: element})

    assert answer[f"{parameter}_index"] == 0
    assert (await call("get_vcon", uuid=uuid))["vcon"][array] == [element]


@each_tool
async def test_many_additions_at_once_all_succeed_at_gapless_indices(
    call: Call, create: Create, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    uuid = await create({"tags": {"a": "b"}}, dialog=[TEXT])
    already = 1 if array == "dialog" else 0

    answers = await asyncio.gather(
        *(
            call(tool, vcon_uuid=uuid, **{parameter: {**element, "body": f"turn number{number}"}})
            for number in range(50)
        )
    )

    indices = [answer[f"{parameter}_index"] for answer in answers]
    assert sorted(indices) == list(range(already, 50 + already))
    assert len({answer["updated_at"] for answer in answers}) == 50
    stored = (await call("get_vcon", uuid=uuid))["vcon"][array]
    assert [stored[index]["body"] for index in indices] == [f"turn number{number}" for number in range(50)]


@each_tool
async def test_what_was_added_is_found_at_once_beside_what_was_there(
    call: Call, create: Create, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    uuid = await create(subject="Zanzibar", dialog=[TEXT])

    await call(tool, vcon_uuid=uuid, **{parameter: {**element, "body": "Timbuktu"}})

    found = await call("vcon_search", mode="keyword", query="zanzibar timbuktu hello")
    assert [item["id"] for item in found["items"]] == [uuid]


REFUSED: list[tuple[str, str, JsonValue, str, str]] = [
    ("add_dialog", "dialog", {**TEXT, "type": "song"}, "$.dialog.type", "enum"),
    ("add_dialog", "dialog", {"body": "x"}, "$.dialog.type", "required"),
    ("add_dialog", "dialog", {**TEXT, "parties": [0, 7]}, "$.dialog.parties[1]", "index_out_of_range"),
    (
        "add_dialog",
        "dialog",
        {**TEXT, "parties": [[0], None, [7]]},
        "$.dialog.parties[2][0]",
        "index_out_of_range",
    ),
    ("add_dialog", "dialog", {**TEXT, "parties": [0, -1]}, "$.dialog.parties[1]", "index_out_of_range"),
    ("add_dialog", "dialog", {**TEXT, "originator": 1}, "$.dialog.originator", "index_out_of_range"),
    (
        "add_dialog",
        "dialog",
        {"type": "transfer", "transferor": 3},
        "$.dialog.transferor",
        "index_out_of_range",
    ),
    (
        "add_dialog",
        "dialog",
        {"type": "recording-set", "recordings": [9]},
        "$.dialog.recordings[0]",
        "index_out_of_range",
    ),
    (
        "add_dialog",
        "dialog",
        {**TEXT, "party_history": [{"party": 9}]},
        "$.dialog.party_history[0].party",
        "index_out_of_range",
    ),
    ("add_dialog", "dialog", {**TEXT, "duration": -1}, "$.dialog.duration", "minimum"),
    ("add_dialog", "dialog", {**TEXT, "body": 42}, "$.dialog.body", "type"),
    ("add_dialog", "dialog", {**TEXT, "encoding": "rot13"}, "$.dialog.encoding", "enum"),
    ("add_dialog", "dialog", {**TEXT, "encoding": "base64url", "body": "a b"}, "$.dialog.body", "pattern"),
    ("add_dialog", "dialog", {**TEXT, "encoding": "base64url", "body": {}}, "$.dialog.body", "type"),
    ("add_dialog", "dialog", {**TEXT, "url": "file:///etc/passwd"}, "$.dialog.url", "format"),
    ("add_dialog", "dialog", {**TEXT, "body": "a\0"}, "$.dialog.body", "nul_character"),
    ("add_dialog", "dialog", {**TEXT, "x": 1e400}, "$.dialog.x", ""),
    ("add_analysis", "analysis", {"type": "summary"}, "$.analysis.vendor", "required"),
    ("add_analysis", "analysis", {**SUMMARY, "vendor": ""}, "$.analysis.vendor", "minLength"),
    ("add_analysis", "analysis", {"vendor": "acme"}, "$.analysis.type", "required"),
    ("add_analysis", "analysis", {**SUMMARY, "dialog": [7]}, "$.analysis.dialog[0]", "index_out_of_range"),
    ("add_analysis", "analysis", {**SUMMARY, "attachment": 0}, "$.analysis.attachment", "index_out_of_range"),
    ("add_attachment", "attachment", {"body": "x"}, "$.attachment.purpose", "required"),
    ("add_attachment", "attachment", {**NOTE, "party": 1}, "$.attachment.party", "index_out_of_range"),
    ("add_attachment", "attachment", {**NOTE, "dialog": 2}, "$.attachment.dialog", "index_out_of_range"),
]


@pytest.mark.parametrize(("tool", "parameter", "element", "path", "rule"), REFUSED)
async def test_what_does_not_fit_is_refused_with_its_path_and_nothing_is_stored(
    call: Call, create: Create, tool: str, parameter: str, element: JsonValue, path: str, rule: str
) -> None:
    uuid = await create(dialog=[TEXT, TEXT])
    before = await call("get_vcon", uuid=uuid)

    refused = await call(tool, vcon_uuid=uuid, **{parameter: element})

    assert refused["error_code"] == "VALIDATION_ERROR"
    (violation,) = refused["details"]["violations"]
    assert violation["path"] == path
    assert violation["rule"] == rule or not rule
    assert await call("get_vcon", uuid=uuid) == before


async def test_an_index_out_of_range_is_told_with_the_length(call: Call, create: Create) -> None:
    uuid = await create(dialog=[TEXT, TEXT])

    refused = await call("add_analysis", vcon_uuid=uuid, analysis={**SUMMARY, "dialog": [7]})

    assert "7 is out of range: the length of dialog is 2" in refused["details"]["violations"][0]["message"]


async def test_all_that_does_not_fit_is_told_at_once(call: Call, create: Create) -> None:
    uuid = await create()
    dialog: JsonObject = {
        "type": "text",
        "parties": [4],
        "encoding": "none",
        "body": {},
        "url": "ftp://x.example",
    }

    refused = await call("add_dialog", vcon_uuid=uuid, dialog=dialog)

    assert {violation["path"] for violation in refused["details"]["violations"]} == {
        "$.dialog.body",
        "$.dialog.url",
        "$.dialog.parties[0]",
    }


@pytest.mark.parametrize(
    "dialog",
    [
        {**TEXT, "parties": [[0], None, 1]},
        {**TEXT, "session_id": {"local": "a", "remote": "b"}},
        {**TEXT, "content_hash": ["sha512-x"], "url": "HTTPS://x.example/a", "duration": 0.30000000000000004},
        {"type": "incomplete", "disposition": "busy"},
        {"type": "mcp_session", "body": {"messages": [[1]]}, "encoding": "json"},
        {"type": "recording-set", "recordings": []},
    ],
)
async def test_members_that_may_take_several_forms_are_kept_as_given(
    call: Call, create: Create, dialog: JsonObject
) -> None:
    uuid = await create(parties=[{}, {}])

    answer = await call("add_dialog", vcon_uuid=uuid, dialog=dialog)

    assert answer["success"] is True, answer
    assert (await call("get_vcon", uuid=uuid))["vcon"]["dialog"] == [dialog]


BODIES = ["42", "no JSON", '{"a": 1}', 42, 1.5, [0], [], [None, {"b": [[2]]}], {"a": [[[[1]]]]}, None, True]


@pytest.mark.parametrize("body", BODIES)
@each_tool
async def test_a_json_body_may_be_any_value_and_keeps_its_type(
    call: Call,
    create: Create,
    tool: str,
    parameter: str,
    array: str,
    element: JsonObject,
    body: JsonValue,
) -> None:
    uuid = await create(dialog=[TEXT])

    await call(tool, vcon_uuid=uuid, **{parameter: {**element, "encoding": "json", "body": body}})

    stored = (await call("get_vcon", uuid=uuid))["vcon"][array][-1]
    assert (type(stored["body"]), stored["body"]) == (type(body), body)


async def test_the_body_of_an_analysis_may_be_a_matrix(call: Call, create: Create) -> None:
    uuid = await create()
    analysis = {**SUMMARY, "encoding": "json", "body": [[0.1, 0.2], []]}

    await call("add_analysis", vcon_uuid=uuid, analysis=analysis)

    assert (await call("get_vcon", uuid=uuid))["vcon"]["analysis"] == [analysis]


@each_tool
async def test_what_the_schema_would_still_ask_comes_back_as_warnings(
    call: Call, create: Create, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    uuid = await create(dialog=[{"type": "text", "body": "old fault"}, TEXT])
    bare = {name: value for name, value in element.items() if name != "mediatype"}

    answer = await call(tool, vcon_uuid=uuid, **{parameter: bare})

    place = f"$.{array}[{answer[f'{parameter}_index']}]"
    expected = [] if array == "analysis" else [("would_violate", f"{place}.mediatype")]
    assert [(warning["code"], warning["path"]) for warning in answer.get("warnings", [])] == expected
    conformance = (await call("get_vcon", uuid=uuid))["metadata"]["conformance"]
    assert conformance["valid"] is False


async def test_a_warning_is_not_lost_behind_fifty_faults_that_were_there(call: Call, create: Create) -> None:
    uuid = await create(dialog=[{"type": "song"}] * 60)

    answer = await call(
        "add_dialog", vcon_uuid=uuid, dialog={"type": "text", "body": "x", "encoding": "none"}
    )

    assert ("would_violate", "$.dialog[60].mediatype") in {
        (warning["code"], warning["path"]) for warning in answer["warnings"]
    }


async def test_the_version_of_the_vcon_decides_what_its_schema_asks(call: Call, create: Create) -> None:
    attachment = {"type": "note", "body": "x", "encoding": "none"}

    older = await call("add_attachment", vcon_uuid=await create(vcon="0.3.0"), attachment=attachment)
    newer = await call("add_attachment", vcon_uuid=await create(vcon="0.4.0"), attachment=attachment)

    assert "warnings" not in older
    assert {warning["code"] for warning in newer["warnings"]} == {"would_violate"}


async def test_base64_of_the_standard_alphabet_and_legacy_names_pass_with_warnings(
    call: Call, create: Create
) -> None:
    uuid = await create(dialog=[TEXT])
    dialog: JsonObject = {**TEXT, "encoding": "base64url", "body": "a+/b=="}
    dialog["mimetype"] = dialog.pop("mediatype")

    answer = await call("add_dialog", vcon_uuid=uuid, dialog=dialog)

    assert [(warning["code"], warning["path"]) for warning in answer["warnings"][:2]] == [
        ("legacy_name", "$.dialog[1].mediatype"),
        ("standard_base64", "$.dialog[1].body"),
    ]
    stored = (await call("get_vcon", uuid=uuid))["vcon"]["dialog"][1]
    assert stored == {**TEXT, "encoding": "base64url", "body": "a+/b=="}


@pytest.mark.parametrize(
    ("body", "warned"), [("{bad", True), ("plain", True), ('{"good": 1}', False), ({"good": 1}, False)]
)
async def test_a_body_that_is_not_the_json_it_is_said_to_be_passes_with_a_warning(
    call: Call, create: Create, body: JsonValue, warned: bool
) -> None:
    uuid = await create(dialog=[TEXT])
    analysis = {"type": "report", "vendor": "x", "dialog": 0, "mediatype": "application/json"}

    answer = await call(
        "add_analysis", vcon_uuid=uuid, analysis={**analysis, "encoding": "json", "body": body}
    )

    found = [(warning["code"], warning["path"]) for warning in answer.get("warnings", [])]
    assert (("body_not_json", "$.analysis[0].body") in found) is warned
    assert (await call("get_vcon", uuid=uuid))["vcon"]["analysis"][0]["body"] == body


@pytest.mark.parametrize("name", ["purpose", "type"])
async def test_an_attachment_of_tags_is_refused_and_told_the_tool_for_it(
    call: Call, create: Create, name: str
) -> None:
    uuid = await create()

    refused = await call("add_attachment", vcon_uuid=uuid, attachment={name: "tags", "body": ["a:b"]})

    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "tags_not_here")
    assert "update_tags" in refused["suggestions"][0]
    assert (await call("get_all_tags", vcon_uuid=uuid))["tags"] == {}


async def test_tags_stay_as_they_are_behind_what_is_added(call: Call, create: Create) -> None:
    uuid = await create({"tags": {"a": 1}}, dialog=[TEXT])

    answer = await call("add_attachment", vcon_uuid=uuid, attachment=NOTE)

    got = await call("get_vcon", uuid=uuid)
    assert answer["attachment_index"] == 0
    assert [attachment["purpose"] for attachment in got["vcon"]["attachments"]] == ["note", "tags"]
    assert (got["metadata"]["tags"], got["metadata"]["counts"]["attachments"]) == ({"a": 1}, 2)


@each_tool
async def test_a_vcon_of_a_signed_file_takes_no_element(
    call: Call, create_signed: Create, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    uuid = await create_signed(SIGNED)
    before = await call("get_vcon", uuid=uuid)
    without_reference = {name: value for name, value in element.items() if name != "dialog"}

    refused = await call(tool, vcon_uuid=uuid, **{parameter: without_reference})

    assert (refused["error_code"], refused["details"]) == ("CONFLICT", {"reason": "signed", "uuid": uuid})
    assert await call("get_vcon", uuid=uuid) == before


@each_tool
async def test_a_uuid_that_is_malformed_or_unknown(
    call: Call, tool: str, parameter: str, array: str, element: JsonObject
) -> None:
    malformed = await call(tool, vcon_uuid="5", **{parameter: element})
    unknown = await call(tool, vcon_uuid=MISSING, **{parameter: element})

    assert (malformed["error_code"], malformed["details"]["parameter"]) == ("VALIDATION_ERROR", "vcon_uuid")
    assert (unknown["error_code"], unknown["details"]) == ("NOT_FOUND", {"uuid": MISSING})


async def test_a_vcon_that_names_an_unsupported_extension_as_critical_says_so(
    call: Call, create: Create
) -> None:
    uuid = await create(critical=["quantum"])

    answer = await call("add_dialog", vcon_uuid=uuid, dialog=TEXT)

    assert [warning["code"] for warning in answer["warnings"]] == ["unsupported_critical"]


async def test_an_earlier_dialog_moves_when_the_conversation_began(call: Call, create: Create) -> None:
    uuid = await create(created_at="once upon a time", dialog=[TEXT])

    await call("add_dialog", vcon_uuid=uuid, dialog={**TEXT, "start": "2020-01-01T00:00:00Z"})

    found = await call(
        "vcon_search", mode="metadata", filters={"start_date": "2020-01-01", "end_date": "2020-01-01"}
    )
    assert [item["id"] for item in found["items"]] == [uuid]


async def test_the_audit_names_the_index_and_no_text(
    call: Call, create: Create, app: App, tenant: str
) -> None:
    uuid = await create()

    await call("add_dialog", vcon_uuid=uuid, dialog=TEXT)
    await call("add_dialog", vcon_uuid=uuid, dialog={**TEXT, "parties": 9})

    async with app.database.reading(tenant) as connection:
        rows = await connection.fetch(
            "select action, detail from vcontract.audit where vcon = $1 order by at, id", UUID(uuid)
        )
    assert [(row["action"], row["detail"] and parse_json(row["detail"])) for row in rows] == [
        ("create_vcon", None),
        ("add_dialog", {"index": 0}),
    ]
