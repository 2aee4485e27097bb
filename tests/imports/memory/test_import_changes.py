"""What people and tools change in a session's vCon stays when the session goes on."""

import asyncio
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.imports.memory.conftest import Memory, Write
from tests.imports.memory.test_import import append, did, two_exchanges
from tests.imports.transcripts.conftest import ClaudeCode
from tests.imports.transcripts.conftest import call as called
from tests.waiting import until_one_waits
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.transcripts.rows import discard
from vcontract.runtime.store.vcons.deletion import delete_vcon
from vcontract.runtime.vcon.conformance import VconSchemas


@pytest.fixture
async def grown_after(memory: Memory, claude: ClaudeCode, write: Write) -> Path:
    """A session that was imported; lines appended to it come in as growth."""
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    return path


async def test_tags_that_a_person_set_stay_and_those_of_import_follow(
    memory: Memory, call: Call, claude: ClaudeCode, grown_after: Path
) -> None:
    uuid = str((await memory.row()).vcon)
    await call("update_tags", vcon_uuid=uuid, tags={"project": "renamed", "topic": "export"})

    append(grown_after, claude.prompt("Go on.", gitBranch="other", version="2.2.0"))
    await memory.bring_in(grown_after)

    tags = (await memory.vcon()).tags
    assert (tags["project"], tags["topic"]) == ("renamed", "export")
    assert (tags["git_branch"], tags["agent_version"]) == ("other", "2.2.0")


async def test_a_subject_that_a_person_gave_stays(
    memory: Memory, call: Call, claude: ClaudeCode, grown_after: Path
) -> None:
    uuid = str((await memory.row()).vcon)
    await call("update_vcon", uuid=uuid, updates={"subject": "The export"})
    append(grown_after, claude.answer("More."))
    await memory.bring_in(grown_after)
    assert (await memory.vcon()).head["subject"] == "The export"


async def test_what_tools_added_keeps_its_place_and_new_turns_come_behind_it(
    memory: Memory, call: Call, claude: ClaudeCode, grown_after: Path
) -> None:
    uuid = str((await memory.row()).vcon)
    note = {
        "type": "text",
        "start": "2025-12-01T00:00:00Z",
        "parties": [0],
        "body": "A note.",
        "encoding": "none",
    }
    note["mediatype"] = "text/plain"
    await call("add_dialog", vcon_uuid=uuid, dialog=note)
    summary = {
        "type": "summary",
        "vendor": "me",
        "dialog": [0, 5],
        "body": "All about it.",
        "encoding": "none",
    }
    await call("add_analysis", vcon_uuid=uuid, analysis=summary)
    await call(
        "add_attachment",
        vcon_uuid=uuid,
        attachment={
            "purpose": "notes",
            "start": "2025-12-01T00:00:00Z",
            "party": 0,
            "dialog": 5,
            "mediatype": "text/plain",
            "body": "x",
            "encoding": "none",
        },
    )

    append(
        grown_after,
        claude.answer("I edit it.", call_of_edit()),
        claude.result("e1", "ok"),
        claude.answer("Done."),
    )
    assert did(await memory.bring_in(grown_after)) == {"grown": 1}

    vcon = await memory.vcon()
    bodies = [turn["body"] for turn in vcon.arrays["dialog"]]
    assert bodies[5:] == ["A note.", "I edit it.", "Done."]
    assert [analysis["type"] for analysis in vcon.arrays["analysis"]] == ["agent_trace", "summary"]
    assert [a["purpose"] for a in vcon.arrays["attachments"]] == ["notes", "agent_file_change"]
    assert vcon.arrays["attachments"][1]["dialog"] == 6
    trace = vcon.arrays["analysis"][0]
    assert trace["dialog"] == [0, 1, 2, 3, 4, 6, 7]
    said = [entry["dialog"] for entry in trace["body"]["session"]["entries"] if "dialog" in entry]
    assert said == [0, 1, 2, 3, 4, 6, 7]
    assert VconSchemas.load().check(vcon.raw()).violation_count == 0
    assert (await memory.row()).summary == "All about it."
    (last,) = await memory.fetch(
        "select dialog_from, dialog_to from vcontract.transcript_exchange where tenant = $1 and number = 2"
    )
    assert tuple(last) == (2, 8)


async def test_what_an_analysis_of_a_tool_points_to_stays_when_the_session_is_imported_shorter(
    memory: Memory, call: Call, grown_after: Path, write: Write
) -> None:
    uuid = str((await memory.row()).vcon)
    added = {"type": "sentiment", "vendor": "me", "dialog": 4, "body": "Glad.", "encoding": "none"}
    await call("add_analysis", vcon_uuid=uuid, analysis=added)

    write(*two_exchanges(ClaudeCode())[:2])
    assert did(await memory.bring_in(grown_after, force=True)) == {"rewritten": 1}

    vcon = await memory.vcon()
    assert vcon.arrays["analysis"][1]["dialog"] == 4
    assert [turn["body"] for turn in vcon.arrays["dialog"][2:]] == ["", "", ""]
    assert VconSchemas.load().check(vcon.raw()).violation_count == 0


def call_of_edit() -> dict[str, object]:
    return called("e1", "Edit", file_path="/home/ann/ledger/a.py", old_string="x", new_string="y")


async def test_deleting_the_vcon_takes_the_archive_along_and_leaves_a_tombstone(
    memory: Memory, call: Call, grown_after: Path
) -> None:
    uuid = str((await memory.row()).vcon)
    await call("delete_vcon", uuid=uuid, confirm=True, cascade_delete=True)
    assert memory.archived == []
    for table in ("transcript", "transcript_exchange", "search_document"):
        assert await memory.fetch(f"select from vcontract.{table} where tenant = $1") == []
    assert did(await memory.bring_in(grown_after)) == {"deleted": 1}


async def test_a_session_that_is_deleted_while_it_comes_in_again_stays_away(
    memory: Memory,
    database: Database,
    owner: OwnerConnection,
    claude: ClaudeCode,
    grown_after: Path,
    tenant: str,
) -> None:
    uuid = (await memory.row()).vcon
    append(grown_after, claude.prompt("Go on."))

    async with database.writing(tenant) as connection:
        archived = await delete_vcon(connection, tenant, uuid)
        growing = asyncio.create_task(memory.bring_in(grown_after))
        await until_one_waits(owner)
    discard(archived)

    assert did(await growing) == {"deleted": 1}
    assert await memory.fetch("select from vcontract.vcon where tenant = $1") == []
    assert memory.archived == []


async def test_a_changed_vcon_keeps_what_its_exchanges_are_found_by(
    memory: Memory, call: Call, grown_after: Path
) -> None:
    uuid = str((await memory.row()).vcon)
    places = (
        "select part, element, content from vcontract.passage"
        " where tenant = $1 and part like 'trace%' order by 1, 2"
    )
    before = await memory.fetch(places)
    assert before
    await call("update_vcon", uuid=uuid, updates={"subject": "Other"})
    assert await memory.fetch(places) == before


async def test_every_tool_sees_a_session_as_the_conversation_it_is(
    memory: Memory, call: Call, grown_after: Path
) -> None:
    uuid = str((await memory.row()).vcon)
    found = await call("vcon_search", mode="keyword", query="pytest", filters={"tags": {"project": "ledger"}})
    assert [item["id"] for item in found["items"]] == [uuid]
    assert {hit["content_type"] for hit in found["items"][0]["match"]["hits"]} == {"trace"}
    places = await call("search_vcons_content", query="pytest")
    assert {place["content_type"] for place in places["results"]} == {"trace"}
    vcon = (await call("get_vcon", uuid=uuid))["vcon"]
    assert vcon["extensions"] == ["agent_session"]
