"""Sessions that their programs write anew come in once, grow in place, and are one wherever they are kept."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.imports.agents import SESSION, WRITERS
from tests.imports.memory.conftest import Memory
from vcontract.runtime.imports.summary import TranscriptSummary
from vcontract.runtime.vcon.conformance import VconSchemas


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def did(summary: TranscriptSummary) -> dict[str, int]:
    return {action: count for action, count in summary.actions.items() if count}


def go_on(path: Path, *, by: int) -> None:
    """Let a session of Cursor go on by a question, or take its last messages back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        key = f"composerData:{SESSION}"
        (value,) = connection.execute("select value from cursorDiskKV where key = ?", (key,)).fetchone()
        composer = json.loads(value)
        headers = composer["fullConversationHeadersOnly"]
        composer["lastUpdatedAt"] += 1_000
        if by > 0:
            headers.append({"bubbleId": "b8", "type": 1})
            said = {"bubbleId": "b8", "type": 1, "text": "Mend it: DB_PASSWORD=correct-horse-7 is wrong."}
            connection.execute(
                "insert into cursorDiskKV values (?, ?)", (f"bubbleId:{SESSION}:b8", json.dumps(said))
            )
        else:
            composer["fullConversationHeadersOnly"] = headers[:by]
        connection.execute("update cursorDiskKV set value = ? where key = ?", (json.dumps(composer), key))


async def test_a_session_of_a_database_grows_and_what_is_taken_back_there_stays(
    memory: Memory, tmp_path: Path
) -> None:
    path = WRITERS["cursor"](tmp_path)
    assert did(await memory.bring_in(path)) == {"imported": 1}
    before = await memory.row()
    assert did(await memory.bring_in(path)) == {"unchanged": 1}

    go_on(path, by=1)
    summary = await memory.bring_in(path)
    grown = await memory.row()
    assert (did(summary), summary.redactions) == ({"grown": 1}, 1)
    assert (grown.vcon, before.exchanges, grown.exchanges) == (before.vcon, 2, 3)
    assert (grown.source_path, grown.title) == (f"{path}#{SESSION}", "Keys")
    (archived,) = memory.archived
    assert (SESSION in archived.name, b"correct-horse" in archived.read_bytes()) == (True, False)

    go_on(path, by=-4)
    summary = await memory.bring_in(path)
    assert (did(summary), (await memory.row()).exchanges) == ({"kept": 1}, 3)
    assert [report.warnings for report in summary.named] == [("source_shrank",)]


@pytest.mark.parametrize("version", ["0.4.0", "0.5.0"])
async def test_sessions_are_written_in_the_version_that_is_set_and_grow_in_it(
    memory: Memory, tmp_path: Path, version: str
) -> None:
    # given
    written = replace(memory, store=replace(memory.store, version=version))
    path = WRITERS["cursor"](tmp_path)
    await written.bring_in(path)
    go_on(path, by=1)
    # when
    assert did(await written.bring_in(path)) == {"grown": 1}
    # then
    vcon = (await written.vcon()).raw()
    assert vcon["vcon"] == version
    assert VconSchemas.load().check(vcon).violations == ()
    sessions = [[*range(len(vcon["dialog"]))]] if version == "0.5.0" else []
    assert [session["dialog"] for session in vcon.get("sessions", [])] == sessions


async def test_a_session_that_its_program_moved_into_a_database_stays_one(
    memory: Memory, tmp_path: Path
) -> None:
    documents = WRITERS["opencode documents"](tmp_path)
    assert did(await memory.bring_in(documents)) == {"imported": 1}
    moved = WRITERS["opencode"](tmp_path)
    assert did(await memory.bring_in(documents, moved)) == {"unchanged": 1}
    assert did(await memory.bring_in(documents)) == {}, "what the database has is not read from the documents"
    assert (await memory.row()).harness == "opencode"


async def test_a_copy_in_the_archive_is_read_again_as_what_it_is(memory: Memory, tmp_path: Path) -> None:
    path = WRITERS["gemini-cli"](tmp_path)
    await memory.bring_in(path)
    (archived,) = memory.archived
    path.unlink()
    assert did(await memory.bring_in(archived)) == {"unchanged": 1}
    assert (await memory.row()).exchanges == 2
