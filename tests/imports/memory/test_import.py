"""Transcript files come in once, grow in place, and are kept when their source is gone."""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.imports.memory.conftest import Memory, Write
from tests.imports.transcripts.conftest import SESSION, ClaudeCode, as_lines, call
from tests.ordinary_user import files_as_an_ordinary_user
from vcontract.runtime.imports.summary import TranscriptSummary
from vcontract.runtime.imports.transcripts.agents.agent_registry import CLAUDE_CODE
from vcontract.runtime.imports.transcripts.exclusion import Exclusion
from vcontract.runtime.imports.transcripts.files import FileState
from vcontract.runtime.imports.transcripts.session_folders import SessionLocation, transcript_files
from vcontract.runtime.imports.transcripts.source import Source, is_transcript, prescan_source
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.transcripts.rows import TranscriptRow, at_path

REAL = Path(__file__).parents[4] / "shared" / "data" / "transcripts" / "claude-code"


def did(summary: TranscriptSummary) -> dict[str, int]:
    return {action: count for action, count in summary.actions.items() if count}


def two_exchanges(claude: ClaudeCode) -> list[object]:
    return [
        claude.prompt("Where is the export?"),
        claude.answer("In export/csv.py."),
        claude.prompt("Run the tests."),
        claude.answer("I will run them.", id="m"),
        claude.answer(call("t1", "Bash", command="pytest -q"), id="m"),
        claude.result("t1", "3 passed"),
        claude.answer("All pass."),
    ]


def append(path: Path, *lines: object) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(as_lines(lines))


async def test_a_session_of_two_exchanges_is_stored_with_its_lines(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    assert did(await memory.bring_in(write(*two_exchanges(claude)))) == {"imported": 1}

    exchanges = await memory.fetch(
        "select number, line_start, line_end, dialog_from, dialog_to from vcontract.transcript_exchange"
        " where tenant = $1 order by number"
    )
    assert [tuple(row) for row in exchanges] == [(1, 1, 2, 0, 2), (2, 3, 7, 2, 5)]
    vcon = await memory.vcon()
    assert len(vcon.arrays["dialog"]) == 5
    assert [analysis["type"] for analysis in vcon.arrays["analysis"]] == ["agent_trace"]
    assert vcon.tags == {
        "agent_version": "2.1.230",
        "git_branch": "main",
        "harness": "claude-code",
        "project": "ledger",
        "session_id": SESSION,
    }


async def test_a_file_whose_writing_met_a_deadlock_is_written_again(
    memory: Memory, claude: ClaudeCode, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing, attempts = TranscriptStore.store, 0

    async def meeting_a_deadlock(store: TranscriptStore, *given: Any) -> TranscriptRow:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise asyncpg.DeadlockDetectedError("deadlock detected")
        return await storing(store, *given)

    monkeypatch.setattr(TranscriptStore, "store", meeting_a_deadlock)
    summary = await memory.bring_in(write(*two_exchanges(claude)))

    assert (did(summary), attempts) == ({"imported": 1}, 2)
    assert len((await memory.vcon()).arrays["dialog"]) == 5


async def test_a_file_imported_again_or_copied_elsewhere_is_the_same_transcript(
    memory: Memory, claude: ClaudeCode, write: Write, tmp_path: Path
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    before = await memory.row()
    copied = tmp_path / "elsewhere" / path.name
    copied.parent.mkdir()
    shutil.copyfile(path, copied)

    assert did(await memory.bring_in(path)) == {"unchanged": 1}
    assert did(await memory.bring_in(copied)) == {"unchanged": 1}
    assert await memory.row() == before


async def test_a_file_that_grows_keeps_its_uuid_its_numbers_and_its_earlier_rows(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    rows = "select index, xmin, doc ->> 'body' as body from vcontract.dialog where tenant = $1 order by index"
    passages = (
        "select element, xmin from vcontract.passage"
        " where tenant = $1 and part = 'dialog' and element < 5 order by element"
    )
    before = [tuple(row) for row in await memory.fetch(rows)]
    passages_before = [tuple(row) for row in await memory.fetch(passages)]
    uuid = (await memory.row()).vcon

    append(
        path,
        claude.answer(call("t2", "Bash", command="ruff check")),
        claude.result("t2", "All good"),
        claude.answer("And it is tidy."),
    )
    assert did(await memory.bring_in(path)) == {"grown": 1}

    after = [tuple(row) for row in await memory.fetch(rows)]
    assert after[:5] == before
    assert [tuple(row) for row in await memory.fetch(passages)] == passages_before
    assert [body for _, _, body in after[5:]] == ["And it is tidy."]
    row = await memory.row()
    assert (row.vcon, row.lines, row.exchanges) == (uuid, 10, 2)
    ends = await memory.fetch(
        "select line_end from vcontract.transcript_exchange where tenant = $1 order by number"
    )
    assert [record["line_end"] for record in ends] == [2, 10]
    assert memory.archived[0].read_bytes() == path.read_bytes()
    copies = await memory.fetch(
        "select kind, count(*) from vcontract.search_document where tenant = $1 group by 1"
    )
    assert {record["kind"]: record["count"] for record in copies} == {"vcon": 1, "exchange": 2}


async def test_growth_leaves_vectors_in_place_and_asks_for_the_missing_ones_only(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    title = {"type": "custom-title", "customTitle": "The export", "sessionId": SESSION}
    path = write(title, *two_exchanges(claude))
    await memory.bring_in(path)
    async with memory.store.database.writing(memory.store.tenant) as connection:
        await connection.execute(
            "insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)"
            " select tenant, kind, id, part, element, chunk, 1,"
            " array_fill(0.05, array[384])::real[]::public.halfvec"
            " from vcontract.passage where tenant = $1 and vcontract.is_embedded(part)",
            memory.store.tenant,
        )
        await connection.execute(
            "delete from vcontract.embedding_task where tenant = $1", memory.store.tenant
        )
    before = await memory.fetch("select count(*) from vcontract.embedding where tenant = $1")

    append(path, claude.answer("And it is tidy."))
    await memory.bring_in(path)

    assert await memory.fetch("select count(*) from vcontract.embedding where tenant = $1") == before
    (task,) = await memory.fetch("select passages from vcontract.embedding_task where tenant = $1")
    assert task["passages"] == 1


async def test_a_line_still_being_written_waits_for_the_next_run(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    last = json.dumps(claude.answer("Half and whole."))
    path = write(claude.prompt("Hello."), end=last[:40])
    first = await memory.bring_in(path)
    assert (first.malformed, (await memory.row()).lines) == (0, 1)

    path.write_text(path.read_text() + last[40:] + "\n")
    assert did(await memory.bring_in(path)) == {"grown": 1}

    bodies = [turn["body"] for turn in (await memory.vcon()).arrays["dialog"]]
    assert bodies == ["Hello.", "Half and whole."]


async def test_broken_lines_are_counted_and_stop_nothing(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(
        '"x"',
        "42",
        claude.prompt("Hello."),
        "[1]",
        '{"silly": 1}',
        {"type": "user", "message": "error", "sessionId": SESSION},
        '{"type": "user", "mess',
        claude.answer("Hello."),
    )
    summary = await memory.bring_in(path)
    assert (did(summary), summary.malformed) == ({"imported": 1}, 6)
    (row,) = await memory.fetch(
        "select line_start, line_end from vcontract.transcript_exchange where tenant = $1"
    )
    assert tuple(row) == (3, 8)


async def test_a_summary_goes_to_the_transcript_that_holds_its_record(memory: Memory, write: Write) -> None:
    one, other = ClaudeCode(), ClaudeCode("99999999-4f5e-4d0a-9c1e-2f3a4b5c6d7e")
    held = one.answer("Here.")
    session = write(one.prompt("Where?"), held)
    summary = {"type": "summary", "summary": "The export was found", "leafUuid": held["uuid"]}
    telling = write(summary, other.prompt("Hello."), name=f"{other.session}.jsonl")

    await memory.bring_in(session, telling)

    rows = {row.session: row for row in await memory.rows()}
    assert rows[SESSION].summary == "The export was found"
    assert rows[other.session].summary == "Hello."
    assert (await memory.vcon(rows[SESSION].vcon)).head["subject"] == "The export was found"


async def test_a_summary_that_came_first_waits_for_its_transcript(memory: Memory, write: Write) -> None:
    one = ClaudeCode()
    held = one.answer("Here.")
    summary = {"type": "summary", "summary": "The export was found", "leafUuid": held["uuid"]}
    alone = write(summary, name="summaries.jsonl")
    assert did(await memory.bring_in(alone)) == {"empty": 1}

    await memory.bring_in(write(one.prompt("Where?"), held))

    assert (await memory.row()).summary == "The export was found"


async def test_a_work_tree_belongs_to_its_project(memory: Memory, write: Write) -> None:
    claude = ClaudeCode(cwd="/p/example-project/.worktrees/x")
    await memory.bring_in(write(claude.prompt("Hello."), name="-p-example-project--worktrees-x/a.jsonl"))
    row = await memory.row()
    assert row.project == "example-project"
    assert Path(row.archive_path).parent.name == "example-project"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real transcripts are not here")
async def test_real_transcripts_come_in_and_conform(memory: Memory) -> None:
    summary = await memory.bring_in(*sorted(REAL.glob("*.jsonl")))

    assert did(summary) == {"imported": 8, "empty": 1}
    for row in await memory.rows():
        vcon = await memory.vcon(row.vcon)
        assert vcon.conformance["valid"], row.source_path
        assert vcon.arrays["analysis"][0]["dialog"] == list(range(len(vcon.arrays["dialog"])))
        parties = vcon.arrays["parties"]
        assert {parties[a["party"]]["role"] for a in vcon.arrays["attachments"]} <= {"agent"}
    assert did(await memory.bring_in(*sorted(REAL.glob("*.jsonl")))) == {"unchanged": 8, "empty": 1}


async def test_the_archive_stays_when_the_source_is_gone(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    content = path.read_bytes()
    path.unlink()

    row = await memory.row()
    assert memory.archived[0].read_bytes() == content
    assert row.archive_path == str(memory.archived[0])
    assert memory.archived[0].stat().st_mode & 0o777 == 0o600
    assert memory.archived[0].parent.stat().st_mode & 0o777 == 0o700
    async with memory.store.database.reading(memory.store.tenant) as connection:
        for known in (str(path), row.archive_path):
            assert await at_path(connection, memory.store.tenant, known) == [row]
        assert await at_path(connection, memory.store.tenant, "/etc/passwd") == []


async def test_a_secret_is_stored_nowhere_unless_asked_for(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    token = "ghp_" + "aB3dE6gH9j" * 4
    path = write(
        claude.prompt("Show the settings."),
        claude.answer(call("t", "Bash", command="cat .env")),
        claude.result("t", f"TOKEN={token}"),
        claude.answer("There."),
    )
    summary = await memory.bring_in(path)

    row = await memory.row()
    assert (summary.redactions, row.redactions, row.lines) == (1, 1, 4)
    assert token not in memory.archived[0].read_text()
    assert token not in json.dumps((await memory.vcon()).raw())
    contents = await memory.fetch("select content from vcontract.passage where tenant = $1")
    assert not any(token in record["content"] for record in contents)
    words = await memory.fetch(
        "select 1 from vcontract.search_document where tenant = $1 and words::text ilike '%' || $2 || '%'",
        token,
    )
    assert words == []

    assert did(await memory.bring_in(path, redact=False, force=True)) == {"imported": 1}
    assert token in memory.archived[0].read_text()


MARKER = "<vcontract:do-not-index/>"


async def test_a_marker_in_a_prompt_removes_what_was_imported(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)

    append(path, claude.prompt(f"Please forget this. {MARKER}"))
    summary = await memory.bring_in(path)

    assert did(summary) == {"removed": 1}
    assert [report.path for report in summary.named] == [str(path)]
    assert await memory.rows() == []
    assert memory.archived == []
    for table in ("vcon", "passage", "search_document", "transcript_exchange"):
        assert await memory.fetch(f"select from vcontract.{table} where tenant = $1") == []
    assert did(await memory.bring_in(path)) == {"excluded": 1}


async def test_a_marker_that_only_a_tool_quotes_removes_nothing(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(
        claude.prompt("Read the notes."),
        claude.answer(call("t", "Read", file_path="notes.md")),
        claude.result("t", f"Write {MARKER} to keep a chat out."),
    )
    assert did(await memory.bring_in(path)) == {"imported": 1}


async def test_what_a_glob_excludes_later_is_removed_without_being_read(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    assert did(await memory.bring_in(path, exclusion=Exclusion(("/home/ann/*",)))) == {"removed": 1}
    assert did(await memory.bring_in(path, exclusion=Exclusion(("ledger",)))) == {"excluded": 1}
    assert did(await memory.bring_in(path)) == {"imported": 1}


async def test_what_is_excluded_when_its_source_is_gone_is_removed_all_the_same(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    path.unlink()

    assert did(await memory.bring_in(exclusion=Exclusion((), ("ledger",)))) == {}
    summary = await memory.bring_in(exclusion=Exclusion(("ledger",)))

    assert did(summary) == {"removed": 1}
    assert [(report.path, report.reason) for report in summary.named] == [(str(path), "ledger")]
    assert await memory.rows() == []
    assert memory.archived == []


async def test_globs_are_read_whatever_an_editor_made_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "exclude.txt").write_bytes("ledger\n# résumé\n".encode("utf-8-sig") + b"/home/\xff/*\r\n")
    excluded = Exclusion.load(tmp_path, ())
    assert excluded.matches("ledger", None, "/x") == "ledger"
    assert excluded.matches("x", None, os.fsdecode(b"/home/\xff/a.jsonl")) is not None


async def test_what_cannot_be_read_is_told_and_stops_nothing(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    closed, listed = path.parent / "closed", path.parent / "listed"
    for folder, mode in ((closed, 0), (listed, 0o600)):
        folder.mkdir()
        write(*two_exchanges(claude), name=f"{folder.name}/{path.name}")
        folder.chmod(mode)
    try:
        with files_as_an_ordinary_user():
            files = await asyncio.to_thread(transcript_files, [SessionLocation(CLAUDE_CODE, path.parent)])
            summary = await memory.bring_in(*files)
    finally:
        closed.chmod(0o700)
        listed.chmod(0o700)
    assert did(summary) == {"imported": 1, "failed": 2}
    assert {(report.path, report.reason) for report in summary.named} == {
        (str(closed), "Permission denied"),
        (str(listed / path.name), "Permission denied"),
    }


async def test_only_files_that_stay_what_they_are_are_looked_for(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "ring.jsonl").symlink_to("ring.jsonl")
    (tmp_path / "nowhere.jsonl").symlink_to("nothing")
    (tmp_path / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a.jsonl").write_text("{}")
    assert transcript_files([SessionLocation(CLAUDE_CODE, tmp_path)]) == [tmp_path / "a.jsonl"]
    assert not is_transcript(tmp_path / "pipe.jsonl")


async def test_what_was_typed_meanwhile_is_delivered_later_or_stays_undelivered(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    typed = "And the changelog, please."
    path = write(claude.prompt("Mend it."), claude.answer("I mend it."), claude.queue("enqueue", typed))
    await memory.bring_in(path)
    turn = (await memory.vcon()).arrays["dialog"][2]
    assert (turn["body"], turn["meta"]["transcript"].get("undelivered")) == (typed, True)

    append(path, claude.answer("Mended."), claude.queue("dequeue"), claude.prompt(typed))
    await memory.bring_in(path)

    turns = [(t["body"], t["meta"]["transcript"]["exchange"]) for t in (await memory.vcon()).arrays["dialog"]]
    assert turns == [("Mend it.", 1), ("I mend it.", 1), ("Mended.", 1), (typed, 2)]
    contents = await memory.fetch("select 1 from vcontract.passage where tenant = $1 and content = $2", typed)
    assert len(contents) == 1


async def test_lines_of_unknown_types_are_counted_and_archived(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(claude.prompt("Hello."), claude.line("hologram", content="x"), claude.line("hologram"))
    summary = await memory.bring_in(path)
    assert (summary.unknown_types, summary.malformed) == ({"hologram": 2}, 0)
    assert b"hologram" in memory.archived[0].read_bytes()


async def test_what_a_compaction_repeats_is_found_once(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(
        claude.prompt("Call the release zebra."),
        claude.answer("It is called so."),
        claude.prompt("We called the release zebra.", isCompactSummary=True),
        claude.answer("I go on."),
    )
    await memory.bring_in(path)
    found = await memory.fetch(
        "select e.number from vcontract.search_document d"
        " join vcontract.transcript_exchange e on e.tenant = d.tenant and e.id = d.id"
        " where d.tenant = $1 and d.kind = 'exchange' and d.words::text like '%zebra%'"
    )
    assert [record["number"] for record in found] == [1]
    passages = await memory.fetch(
        "select 1 from vcontract.passage where tenant = $1 and part <> 'subject' and content like '%zebra%'"
    )
    assert len(passages) == 1


async def test_a_file_that_shrank_is_kept_as_it_was_unless_forced(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    lines = two_exchanges(claude)
    path = write(*lines)
    await memory.bring_in(path)

    write(*lines[:2])
    summary = await memory.bring_in(path)
    assert did(summary) == {"kept": 1}
    assert summary.named[0].warnings == ("source_shrank",)
    assert (await memory.row()).lines == 7

    assert did(await memory.bring_in(path, force=True)) == {"rewritten": 1}
    assert (await memory.row()).lines == 2
    assert len((await memory.vcon()).arrays["dialog"]) == 2


async def test_a_file_whose_beginning_changed_is_imported_anew_in_place(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    uuid = (await memory.row()).vcon

    again = ClaudeCode()
    write(*two_exchanges(again)[1:], *[again.prompt(f"Question {n}, long enough.") for n in range(9)])
    summary = await memory.bring_in(path)

    assert did(summary) == {"rewritten": 1}
    assert summary.named[0].warnings == ("rewritten",)
    assert (await memory.row()).vcon == uuid


async def test_a_file_in_which_another_session_stands_by_now_leaves_the_first_as_it_is(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude), name="latest.jsonl")
    await memory.bring_in(path)
    before = await memory.row()

    other = ClaudeCode("11111111-4f5e-4d0a-9c1e-2f3a4b5c6d7e")
    write(*[other.prompt(f"Question {number}, long enough.") for number in range(20)], name=path.name)
    assert did(await memory.bring_in(path)) == {"imported": 1}
    assert did(await memory.bring_in(path)) == {"unchanged": 1}

    first, second = await memory.rows()
    assert (first, second.session) == (before, other.session)
    assert {str(path) for path in memory.archived} == {first.archive_path, second.archive_path}
    excluded = Exclusion((str(path),))
    assert did(await memory.bring_in(exclusion=excluded)) == {"removed": 2}


async def test_many_transcripts_at_once_leave_the_planner_knowing_the_data(
    memory: Memory, write: Write, owner: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.store.vcons.settling._MANY", 3)
    sessions = [ClaudeCode(f"{number:08}-4f5e-4d0a-9c1e-2f3a4b5c6d7e") for number in range(4)]
    files = [write(*two_exchanges(each), name=f"{each.session}.jsonl") for each in sessions]

    assert did(await memory.bring_in(*files)) == {"imported": 4}

    known = await owner.fetchval(
        "select reltuples from pg_class where oid = 'vcontract.search_document'::regclass"
    )
    assert known >= 4 * 3  # each is a document, and so are its exchanges


async def test_two_files_of_one_session_are_one_when_one_begins_the_other(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    lines = two_exchanges(claude)
    short, long = write(*lines[:4], name="a.jsonl"), write(*lines, name="b.jsonl")
    assert did(await memory.bring_in(short, long)) == {"imported": 1, "grown": 1}
    assert did(await memory.bring_in(short)) == {"unchanged": 1}
    assert (await memory.row()).lines == 7


async def test_two_files_that_claim_one_session_and_differ_are_two(memory: Memory, write: Write) -> None:
    one, other = ClaudeCode(), ClaudeCode()
    first = write(one.prompt("Ann asks."), name="a.jsonl")
    second = write(other.prompt("Bob asks something else."), name="b.jsonl")

    summary = await memory.bring_in(first, second)

    assert did(summary) == {"imported": 2}
    assert summary.named[0].warnings == ("identity_clash",)
    sessions = sorted(row.session for row in await memory.rows())
    assert sessions[0] == SESSION
    assert sessions[1].startswith(f"{SESSION}~")
    assert did(await memory.bring_in(first, second)) == {"unchanged": 2}


async def test_a_deleted_transcript_stays_away_until_it_is_forced(
    memory: Memory, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    await memory.delete()
    assert memory.archived == []

    append(path, claude.answer("More."))
    assert did(await memory.bring_in(path)) == {"deleted": 1}
    assert did(await memory.bring_in(path, force=True)) == {"imported": 1}
    append(path, claude.answer("And more."))
    assert did(await memory.bring_in(path)) == {"grown": 1}


async def test_a_sub_agents_file_is_a_vcon_of_its_own(memory: Memory, write: Write) -> None:
    main, agent = ClaudeCode(), ClaudeCode()
    lines = [agent.prompt("Look.", isSidechain=True, agentId="a1"), agent.answer("Seen.", isSidechain=True)]
    await memory.bring_in(
        write(main.prompt("Hello.")), write(*lines, name=f"{SESSION}/subagents/agent-a1.jsonl")
    )
    rows = {row.agent: row for row in await memory.rows()}
    assert rows["a1"].sidechain
    assert rows["a1"].session == rows[None].session == SESSION
    assert Path(rows["a1"].archive_path).name == f"{SESSION}.agent-a1.jsonl"
    parties = (await memory.vcon(rows["a1"].vcon)).arrays["parties"]
    assert [party["name"] for party in parties] == ["Claude Code", "Claude Code sub-agent"]


async def test_an_unknown_file_and_one_that_is_gone_are_told(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"a": 1}\n')
    summary = await memory.bring_in(other, tmp_path / "nothing.jsonl")
    assert did(summary) == {"unrecognised": 1, "failed": 1}


async def test_a_transcript_that_cannot_be_read_stops_no_other(
    memory: Memory, claude: ClaudeCode, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = write(*two_exchanges(claude), name="bad.jsonl"), write(*two_exchanges(claude))

    def fail(state: FileState) -> Source | None:
        if state.path == bad:
            raise RecursionError
        return prescan_source(state)

    monkeypatch.setattr("vcontract.runtime.imports.transcripts.importer.prescan_source", fail)

    summary = await memory.bring_in(bad, good)

    assert did(summary) == {"imported": 1, "failed": 1}
    assert [(report.path, report.reason) for report in summary.named] == [(str(bad), "RecursionError")]
