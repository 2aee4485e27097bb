"""Resources as a client reads them: lists, templates, contents, bad URIs, and tenants apart."""

import uuid
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import pytest
from mcp import types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.conftest import Call
from tests.tools.vcon.conftest import Connect, Create
from vcontract.runtime.frame.context import Scope
from vcontract.runtime.frame.documents.json import JsonObject, parse_json

Read = Callable[[str], Awaitable[JsonObject]]

PREFIX = "vcon://v1"
MISSING = "123e4567-e89b-12d3-a456-426614174000"

VCON: JsonObject = {
    "vcon": "0.4.0",
    "created_at": "2025-10-14T10:30:00Z",
    "subject": "Refund",
    "parties": [{"name": "Agent Smith"}, {"name": "Zoë"}],
    "dialog": [
        {"type": "text", "start": "2025-10-14T10:30:00Z", "parties": 1, "encoding": "none", "body": "Hello"}
    ],
    "analysis": [
        {"type": "summary", "vendor": "acme", "dialog": 0, "encoding": "none", "body": "Zoë wants a refund."},
        {
            "type": "transcript",
            "vendor": "acme",
            "dialog": 0,
            "encoding": "json",
            "body": [{"speaker": "Zoë", "text": "I want a refund."}, {"speaker": "Smith", "text": "Sure."}],
        },
    ],
    "attachments": [
        {"purpose": "contract", "start": "2025-10-14T10:30:00Z", "party": 0, "encoding": "none", "body": "A"},
        {"type": "invoice/new", "start": "2025-10-14T10:30:00Z", "party": 0, "encoding": "none", "body": "B"},
    ],
}


@pytest.fixture
def read(connect: Connect) -> Read:
    """Reads a path below the prefix as JSON."""

    async def read(path: str) -> JsonObject:
        async with connect() as client:
            return await content_of(client, path)

    return read


async def content_of(client: Client, path: str) -> JsonObject:
    result = await client.read_resource(PREFIX + path)
    (content,) = result.contents
    assert isinstance(content, types.TextResourceContents)
    assert (content.uri, content.mime_type) == (PREFIX + path, "application/json")
    document: JsonObject = parse_json(content.text)
    return document


async def refusal_of(client: Client, path: str) -> types.ErrorData:
    with pytest.raises(MCPError) as caught:
        await client.read_resource(PREFIX + path)
    return caught.value.error


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_what_has_no_parameter_is_listed_and_the_rest_are_templates(connect: Connect, era: str) -> None:
    async with connect(era=era) as client:
        listed = await client.list_resources()
        templates = await client.list_resource_templates()

    uris = [str(resource.uri) for resource in listed.resources]
    assert uris == [
        f"{PREFIX}/vcons/recent",
        f"{PREFIX}/vcons/recent/ids",
        f"{PREFIX}/vcons/ids",
        f"{PREFIX}/discovery/attachments/types",
        f"{PREFIX}/discovery/attachments/purposes",
        f"{PREFIX}/discovery/analysis/types",
        f"{PREFIX}/graph/shape",
        f"{PREFIX}/contract",
        f"{PREFIX}/map",
        f"{PREFIX}/imports",
    ]
    assert f"{PREFIX}/vcons/{{uuid}}/analysis/type/{{type}}" in [
        template.uri_template for template in templates.resource_templates
    ]
    everything: list[types.Resource | types.ResourceTemplate] = [
        *listed.resources,
        *templates.resource_templates,
    ]
    assert len({each.name for each in everything}) == len(everything)
    assert all(each.title and each.description and each.mime_type for each in everything)


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_every_listed_resource_can_be_read(connect: Connect, create: Create, era: str) -> None:
    await create(None, **VCON)
    async with connect(era=era) as client:
        for resource in (await client.list_resources()).resources:
            assert await content_of(client, str(resource.uri).removeprefix(PREFIX))


async def test_a_vcon_and_its_parts_are_what_get_vcon_gives(read: Read, create: Create, call: Call) -> None:
    id_ = await create({"tags": {"department": "sales", "level": 2}}, **VCON)
    got = await call("get_vcon", uuid=id_)

    assert await read(f"/vcons/{id_.upper()}") == {"vcon": got["vcon"], "metadata": got["metadata"]}
    assert await read(f"/vcons/{id_}/metadata") == {"metadata": got["metadata"]}
    for part in ("parties", "dialog", "analysis", "attachments"):
        assert await read(f"/vcons/{id_}/{part}") == {part: got["vcon"][part]}
    assert await read(f"/vcons/{id_}/tags") == {"tags": {"department": "sales", "level": 2}}


async def test_a_body_longer_than_any_answer_is_read_in_parts(
    read: Read, connect: Connect, create_signed: Create, call: Call
) -> None:
    body = "".join(f"{number:08}" for number in range(2_200_000))
    sound = {
        "type": "recording",
        "start": "2025-10-14T10:30:00Z",
        "mediatype": "audio/x",
        "encoding": "base64url",
    }
    id_ = await create_signed({**VCON, "dialog": [*VCON["dialog"], {**sound, "body": body}]})

    whole = await call("get_vcon", uuid=id_)
    first = await read(f"/vcons/{id_}/dialog/1/body")
    second = await read(f"/vcons/{id_}/dialog/1/body/{first['next_offset']}")
    last = await read(f"/vcons/{id_}/dialog/1/body/{len(body) - 1_000}")

    assert first.items() >= {"length": len(body), "mediatype": "audio/x", "encoding": "base64url"}.items()
    assert first["body"] + second["body"] == body[: second["next_offset"]]
    assert (last["body"], last["next_offset"]) == (body[-1_000:], None)
    assert f"/vcons/{id_}/dialog/INDEX/body" in whole["suggestions"][0]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/dialog/0/body", "Hello"),
        ("/dialog/0/body/3", "lo"),
        ("/dialog/0/body/9", ""),
        ("/dialog/0/body/99999999999999", ""),
        ("/attachments/1/body", "B"),
    ],
)
async def test_a_short_body_is_one_part(path: str, body: str, read: Read, create: Create) -> None:
    found = await read(f"/vcons/{await create(None, **VCON)}{path}")

    assert (found["body"], found["next_offset"]) == (body, None)


async def test_a_body_that_is_no_text_is_read_as_json(read: Read, create: Create) -> None:
    found = await read(f"/vcons/{await create(None, **VCON)}/analysis/1/body")

    assert parse_json(found["body"]) == VCON["analysis"][1]["body"]


async def test_elements_are_read_some_at_a_time_and_what_is_long_in_them_is_cut(
    read: Read, create: Create, connect: Connect
) -> None:
    turn, note = VCON["dialog"][0], {"type": "note", "vendor": "ear", "dialog": 0, "encoding": "none"}
    long = {**note, "body": "W" * 20_000, "meta": {"words": "w" * 2_000}}
    sound = {**turn, "type": "recording", "encoding": "base64url", "body": "A" * 20_000}
    id_ = await create(None, **{**VCON, "dialog": [turn] * 130 + [sound], "analysis": [long]})

    later = await read(f"/vcons/{id_}/elements/dialog/100")
    analysis = await read(f"/vcons/{id_}/elements/analysis/0")
    beyond = await read(f"/vcons/{id_}/elements/dialog/99999999999999")

    assert (later["first"], later["total"], len(later["elements"])) == (100, 131, 31)
    assert later["elements"][0] == turn
    assert "body" not in later["elements"][-1]
    assert analysis["elements"] == [{**note, "body": "W" * 16_000}]
    assert (beyond["total"], beyond["elements"]) == (131, [])
    async with connect() as client:
        refused = await refusal_of(client, f"/vcons/{id_}/elements/parties/0")

    assert "elements are in dialog, analysis, attachments" in refused.message


async def test_where_there_is_no_body_it_is_said_what_there_is(connect: Connect, create: Create) -> None:
    id_ = await create(None, **VCON)
    async with connect() as client:
        beyond = await refusal_of(client, f"/vcons/{id_}/dialog/99999999999/body")
        missing = await refusal_of(client, f"/vcons/{MISSING}/dialog/0/body")

    assert "There is no body at dialog[99999999999]" in beyond.message
    assert beyond.data["counts"]["dialog"] == 1
    assert missing.data["code"] == "NOT_FOUND"


async def test_parts_that_a_vcon_lacks_are_empty(read: Read, create: Create) -> None:
    id_ = await create()

    assert await read(f"/vcons/{id_}/dialog") == {"dialog": []}
    assert await read(f"/vcons/{id_}/transcript") == {"count": 0, "transcripts": []}
    assert await read(f"/vcons/{id_}/tags") == {"tags": {}}


async def test_attachments_are_found_by_their_effective_purpose(read: Read, create: Create) -> None:
    id_ = await create(None, **VCON)
    contract, invoice = VCON["attachments"]

    for form in ("type", "purpose"):
        assert await read(f"/vcons/{id_}/attachments/{form}/contract") == {
            "count": 1,
            form: "contract",
            "attachments": [contract],
        }
        found = await read(f"/vcons/{id_}/attachments/{form}/{quote('invoice/new', safe='')}")
        assert (found[form], found["attachments"]) == ("invoice/new", [invoice])
    assert (await read(f"/vcons/{id_}/attachments/type/nothing"))["count"] == 0


async def test_analysis_by_type_transcript_and_summary(read: Read, create: Create) -> None:
    id_ = await create(None, **VCON)
    summary = VCON["analysis"][0]

    assert await read(f"/vcons/{id_}/analysis/type/summary") == {
        "count": 1,
        "type": "summary",
        "analysis": [summary],
    }
    transcripts = await read(f"/vcons/{id_}/transcript")
    assert transcripts["count"] == 1
    assert transcripts["transcripts"][0]["text"] == "Zoë: I want a refund.\nSmith: Sure."
    assert await read(f"/vcons/{id_}/summary") == {
        "count": 1,
        "summaries": [
            {
                "analysis_index": 0,
                "type": "summary",
                "vendor": "acme",
                "dialog": 0,
                "text": "Zoë wants a refund.",
            }
        ],
    }


async def test_recent_vcons_come_newest_first_and_without_bodies(read: Read, create: Create) -> None:
    later = {name: value for name, value in VCON.items() if name != "subject"}
    turn = {**VCON["dialog"][0], "start": "2025-10-15T10:30:00Z"}
    new = await create(None, **{**later, "created_at": "2025-10-15T10:30:00Z", "dialog": [turn]})
    old = await create(None, **{**VCON, "created_at": "2025-10-16T10:30:00Z"})

    found = await read("/vcons/recent")
    assert (found["count"], found["limit"]) == (2, 10)
    assert [vcon["uuid"] for vcon in found["vcons"]] == [new, old]
    assert found["vcons"][0]["dialog"] == [
        {"type": "text", "start": "2025-10-15T10:30:00Z", "parties": 1, "encoding": "none"}
    ]
    assert "body" not in str(found)
    assert [vcon["uuid"] for vcon in (await read("/vcons/recent/1"))["vcons"]] == [new]
    assert await read("/vcons/recent/ids/5") == {
        "count": 2,
        "limit": 5,
        "vcons": [
            {"uuid": new, "created_at": "2025-10-15T10:30:00Z"},
            {
                "uuid": old,
                "created_at": "2025-10-16T10:30:00Z",
                "began_at": "2025-10-14T10:30:00Z",
                "subject": "Refund",
            },
        ],
    }


async def test_following_next_cursor_visits_each_of_95_vcons_once_in_falling_time(
    connect: Connect, create: Create
) -> None:
    ids = [
        await create(created_at=f"2025-10-{1 + number // 24:02}T{number % 24:02}:00:00Z")
        for number in range(94)
    ]
    ids.append(await create(created_at="2025-10-04T21:00:00Z"))  # at the same time as another

    visited: list[JsonObject] = []
    async with connect() as client:
        path = "/vcons/ids/10"
        while True:
            page = await content_of(client, path)
            visited += page["vcons"]
            assert page["has_more"] is (page["next_cursor"] is not None)
            if not page["has_more"]:
                break
            assert page["count"] == 10
            path = f"/vcons/ids/10/after/{page['next_cursor']}"

    assert sorted(vcon["uuid"] for vcon in visited) == sorted(ids)
    times = [vcon["created_at"] for vcon in visited]
    assert times == sorted(times, reverse=True)


async def test_a_bare_timestamp_leads_to_what_is_older(read: Read, create: Create) -> None:
    old = await create(created_at="2025-10-14T10:00:00Z")
    await create(created_at="2025-10-14T11:00:00Z")

    for moment in ("2025-10-14T11:00:00Z", quote("2025-10-14T13:00:00+02:00"), "2025-10-14T10:00:01"):
        found = await read(f"/vcons/ids/10/after/{moment}")
        assert [vcon["uuid"] for vcon in found["vcons"]] == [old]
    assert (await read("/vcons/ids/10/after/2025-10-14"))["vcons"] == []


async def test_types_in_use_are_counted_in_vcons(read: Read, create: Create) -> None:
    await create(None, **VCON)
    await create(analysis=[{"type": "summary", "body": "a"}, {"type": "summary", "body": "b"}])

    assert await read("/discovery/analysis/types") == {
        "count": 2,
        "analysis_types": [{"value": "summary", "count": 2}, {"value": "transcript", "count": 1}],
    }
    purposes = [{"value": "contract", "count": 1}, {"value": "invoice/new", "count": 1}]
    assert (await read("/discovery/attachments/types"))["attachment_types"] == purposes
    assert (await read("/discovery/attachments/purposes"))["attachment_purposes"] == purposes


async def test_schema_and_contract_are_what_their_tools_answer(read: Read, connect: Connect) -> None:
    async with connect() as client:
        capabilities = await client.call_tool("vcon_capabilities", {"migration_hints": True})
        schema = await client.call_tool("get_schema", {"version": "0.3.0"})

    assert capabilities.structured_content is not None
    assert schema.structured_content is not None
    assert await read("/contract") == capabilities.structured_content["item"]
    assert await read("/schema/0.3.0") == schema.structured_content["schema"]
    assert await read("/schema/latest") == await read("/schema/0.5.0")


@pytest.mark.parametrize(
    ("path", "says", "data"),
    [
        ("/vcon", "There is no resource", {"reason": "unknown_resource"}),
        ("/vcons/", "There is no resource", {"reason": "unknown_resource"}),
        ("/vcons/recent?limit=5", "There is no resource", {"reason": "unknown_resource"}),
        (f"/vcons/{MISSING}/dialogs", f"{PREFIX}/vcons/{{uuid}}/", {"reason": "unknown_resource"}),
        (f"/vcons/{'x' * 5000}", "There is no resource", {"reason": "unknown_resource"}),
        ("/vcons/%ff", "There is no resource", {"reason": "unknown_resource"}),
        ("/vcons/12345", "12345", {"code": "VALIDATION_ERROR", "reason": "malformed_uuid"}),
        (f"/vcons/{MISSING}%00", "contains U+0000", {"parameter": "uuid"}),
        (f"/vcons/{MISSING}", "There is no vCon", {"code": "NOT_FOUND", "uuid": MISSING}),
        (f"/vcons/{MISSING}/tags", "There is no vCon", {"code": "NOT_FOUND"}),
        ("/vcons/recent/0", "it must be at least 1", {"parameter": "limit", "reason": "out_of_range"}),
        ("/vcons/recent/101", "it must be at most 100", {"parameter": "limit"}),
        ("/vcons/ids/1001", "it must be at most 1000", {"parameter": "limit"}),
        ("/vcons/recent/many", "it must be of type integer", {"reason": "wrong_type"}),
        ("/vcons/ids/5/after/b3BhcXVl", "neither the next_cursor", {"reason": "malformed"}),
        ("/schema/9", "0.3.0, 0.4.0, 0.5.0, latest", {"reason": "unknown_version"}),
    ],
)
async def test_an_unknown_or_malformed_uri_is_an_error_that_helps(
    connect: Connect, path: str, says: str, data: JsonObject
) -> None:
    async with connect() as client:
        error = await refusal_of(client, path)

    assert error.code == types.INVALID_PARAMS
    assert says in error.message
    assert data.items() <= error.data.items()


async def test_a_vcon_of_another_tenant_is_as_unknown_as_one_that_never_was(
    connect: Connect, create: Create
) -> None:
    mine = await create(None, **VCON)
    stranger = f"t{uuid.uuid4().hex}"

    async with connect(stranger) as client:
        for path in ("", "/tags", "/transcript", "/attachments/type/contract"):
            error = await refusal_of(client, f"/vcons/{mine}{path}")
            never = await refusal_of(client, f"/vcons/{MISSING}{path}")
            assert error.message.replace(mine, MISSING) == never.message
        assert (await content_of(client, "/vcons/recent"))["vcons"] == []
        assert (await content_of(client, "/vcons/ids"))["vcons"] == []
        assert (await content_of(client, "/discovery/analysis/types"))["analysis_types"] == []


async def test_a_cursor_of_another_tenant_is_refused(connect: Connect, read: Read, create: Create) -> None:
    for _ in range(2):
        await create()
    cursor = (await read("/vcons/ids/1"))["next_cursor"]

    async with connect(f"t{uuid.uuid4().hex}") as client:
        error = await refusal_of(client, f"/vcons/ids/1/after/{cursor}")

    assert error.data["reason"] == "malformed"


async def test_a_resource_goes_with_its_tool(connect: Connect) -> None:
    async def uris(**options: object) -> set[str]:
        async with connect(**options) as client:
            listed = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
        found = [str(each.uri) for each in listed] + [each.uri_template for each in templates]
        return {uri.removeprefix(PREFIX) for uri in found}

    everything = await uris()
    assert await uris(read_only=True) == everything
    assert await uris(toolsets=("contract",)) == {
        "/contract",
        "/graph/shape",
        "/imports",
        "/map",
        "/map/{key}",
    }
    assert await uris(tools=("get_all_tags",)) == {"/vcons/{uuid}/tags"}
    without = await uris(exclude_tools=("get_vcon",))
    assert everything - without == {uri for uri in everything if uri.startswith("/vcons/{uuid}")} - {
        "/vcons/{uuid}/tags"
    }
    assert await uris(scopes=frozenset[Scope]({"write"})) == set()


async def test_what_is_not_offered_cannot_be_read(connect: Connect, create: Create) -> None:
    id_ = await create()

    async with connect(exclude_tools=("get_vcon",)) as client:
        error = await refusal_of(client, f"/vcons/{id_}")

    assert (error.code, error.data["reason"]) == (types.INVALID_PARAMS, "unknown_resource")


async def test_ids_are_in_the_order_in_which_the_conversations_began(create: Create, read: Read) -> None:
    """All are stored now; their dialogs are of other days."""
    starts = ["2024-05-02T10:00:00Z", "2024-07-02T10:00:00Z", "2024-06-02T10:00:00Z"]
    for start in starts:
        dialog = [{**VCON["dialog"][0], "start": start}]
        members = {name: value for name, value in VCON.items() if name != "created_at"}
        await create(**{**members, "dialog": dialog})
    page = await read("/vcons/ids")
    assert [entry["began_at"] for entry in page["vcons"]] == sorted(starts, reverse=True)
    older = await read("/vcons/ids/5/after/2024-07-01")
    assert [entry["began_at"] for entry in older["vcons"]] == [starts[2], starts[0]]
