"""A transcript becomes a vCon that conforms, with a trace that names every exchange."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.imports.transcripts.conftest import SESSION, ClaudeCode, Write, call
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.building import BuiltVcon, build_vcon
from vcontract.runtime.imports.transcripts.identity import transcript_uuid
from vcontract.runtime.imports.transcripts.lines import read_lines
from vcontract.runtime.imports.transcripts.model import Harness, Session
from vcontract.runtime.imports.transcripts.prescan import prescan_file
from vcontract.runtime.imports.transcripts.reading import Reading
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.text import passages

NOW = datetime(2025, 12, 1, tzinfo=UTC)
REAL = Path(__file__).parents[4] / "shared" / "data" / "transcripts" / "claude-code"


def build(path: Path, harness: Harness = "claude-code") -> BuiltVcon:
    survey = prescan_file(path, harness)
    reading = Reading(harness, survey)
    with path.open("rb") as stream:
        exchanges = list(reading.exchanges(read_lines(stream)))
    session = survey.session or path.stem
    uuid = transcript_uuid("default", harness, session, survey.agent)
    return build_vcon(
        Session(uuid, harness, session, survey.is_sidechain, reading.facts, exchanges), "A session", NOW
    )


@pytest.fixture(scope="module")
def schemas() -> VconSchemas:
    return VconSchemas.load()


def worked(claude: ClaudeCode) -> list[object]:
    """A session with an answer, a call, its result, and an edited file."""
    return [
        claude.prompt("Where is the export?"),
        claude.answer("In export/csv.py."),
        claude.prompt("Make it write ISO dates."),
        claude.answer("I will change it.", id="m"),
        claude.answer(
            call("t1", "Edit", file_path="/home/ann/ledger/export/csv.py", old_string="a", new_string="b"),
            id="m",
        ),
        claude.result(
            "t1", "ok", toolUseResult={"structuredPatch": [{"newStart": 48, "newLines": 3, "oldStart": 48}]}
        ),
        claude.answer("Done."),
    ]


def entries(vcon: JsonObject) -> list[JsonObject]:
    found: list[JsonObject] = vcon["analysis"][0]["body"]["session"]["entries"]
    return found


def test_seven_lines_make_five_dialogs_and_one_trace(
    claude: ClaudeCode, write: Write, schemas: VconSchemas
) -> None:
    built = build(write(*worked(claude)))
    vcon = built.document

    assert schemas.check(vcon).violations == ()
    assert [turn["body"] for turn in vcon["dialog"]] == [
        "Where is the export?",
        "In export/csv.py.",
        "Make it write ISO dates.",
        "I will change it.",
        "Done.",
    ]
    assert vcon["dialog"][3]["meta"] == {"transcript": {"lines": [4, 4], "exchange": 2}}
    assert [(row.number, row.line_start, row.line_end) for row in built.exchanges] == [(1, 1, 2), (2, 3, 7)]
    assert [(row.dialog_from, row.dialog_to) for row in built.exchanges] == [(0, 2), (2, 5)]
    assert vcon["analysis"][0]["dialog"] == [0, 1, 2, 3, 4]
    assert [(entry["type"], entry["line"], entry["exchange"]) for entry in entries(vcon)] == [
        ("user", 1, 1),
        ("assistant", 2, 1),
        ("user", 3, 2),
        ("assistant", 4, 2),
        ("tool-call", 5, 2),
        ("tool-result", 6, 2),
        ("assistant", 7, 2),
    ]


def test_the_agent_is_a_party_and_says_what_it_ran_on(claude: ClaudeCode, write: Write) -> None:
    vcon = build(write(*worked(claude))).document
    assert vcon["parties"] == [
        {"name": "user", "type": "person", "role": "user"},
        {
            "name": "Claude Code",
            "type": "bot",
            "role": "agent",
            "meta": {
                "agent_session": {
                    "model_id": "claude-sonnet-4",
                    "provider": "anthropic",
                    "recording_agent": "claude-code/2.1.230",
                    "environment": {"cwd": "/home/ann/ledger", "vcs_branch": "main"},
                }
            },
        },
    ]
    assert vcon["created_at"] == "2025-11-03T10:00:01Z"


def test_an_edited_file_is_an_attachment_of_the_agent(claude: ClaudeCode, write: Write) -> None:
    built = build(write(*worked(claude)))
    (attachment,) = built.document["attachments"]
    assert (attachment["purpose"], attachment["party"], attachment["dialog"]) == ("agent_file_change", 1, 3)
    assert attachment["body"] == {
        "path": "/home/ann/ledger/export/csv.py",
        "relative_path": "export/csv.py",
        "contributor": "agent",
        "operation": "edit",
        "edits": 1,
        "line_range": {"start": 48, "end": 50},
        "calls": ["t1"],
    }
    assert [(row.exchange, row.relative_path, row.operation) for row in built.files] == [
        (2, "export/csv.py", "edit")
    ]


def test_an_edit_that_failed_changed_nothing(claude: ClaudeCode, write: Write) -> None:
    path = write(
        claude.prompt("Change it."),
        claude.answer(call("t1", "Edit", file_path="a.py", old_string="x", new_string="y")),
        claude.result("t1", "old_string not found", is_error=True),
    )
    assert build(path).document["attachments"] == []


@pytest.mark.parametrize(
    ("name", "given", "answer", "operation"),
    [
        ("Write", {"file_path": "a.py", "content": "x = 1\n"}, "File created successfully at: a.py", "add"),
        ("Write", {"file_path": "a.py", "content": "x"}, "The file a.py has been updated.", "edit"),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "", "new_string": "x"}]}, "ok", "add"),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "x"}, "ok", "edit"),
    ],
)
def test_what_was_done_to_a_file_is_told(
    claude: ClaudeCode, write: Write, name: str, given: dict[str, object], answer: str, operation: str
) -> None:
    path = write(
        claude.prompt("Do."), claude.answer("I do.", call("t", name, **given)), claude.result("t", answer)
    )
    (attachment,) = build(path).document["attachments"]
    assert attachment["body"]["operation"] == operation


def test_a_turn_of_tools_only_is_found_by_its_command(claude: ClaudeCode, write: Write) -> None:
    path = write(
        claude.prompt("Check."),
        claude.answer(call("t", "Bash", command="npm audit")),
        claude.result("t", "found 0 vulnerabilities"),
    )
    found = {(p.part, p.element): p.content for p in passages(build(path).document)}
    assert found["trace", 1] == "Bash npm audit"
    assert found["trace_body", 1] == "npm audit\nfound 0 vulnerabilities"


def test_answers_of_our_own_tools_are_kept_and_not_searched(claude: ClaudeCode, write: Write) -> None:
    path = write(
        claude.prompt("What did we say?"),
        claude.answer(call("t", "mcp__vcontract__memory_search", query="marmalade")),
        claude.result("t", "We spoke of marmalade."),
    )
    vcon = build(path).document
    assert any("marmalade" in str(entry) for entry in entries(vcon))
    assert not any("marmalade" in passage.content for passage in passages(vcon))


def test_bulk_is_told_and_not_kept(claude: ClaudeCode, write: Write) -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "Ab1/" * 30_000},
    }
    path = write(
        claude.prompt("Look."),
        claude.answer(call("t", "Read", file_path="a.png"), call("u", "Bash", command="cat big")),
        claude.result("t", [image]),
        claude.result("u", "word " * 40_000),
    )
    results = [entry for entry in entries(build(path).document) if entry["type"] == "tool-result"]
    assert results[0]["output"] == ["[image image/png, 90 kB]"]
    assert len(results[1]["output"]) == 65_536
    assert results[1]["truncated"] == {"kept": 65_536, "of": 200_000}


def test_sub_agents_have_a_party_of_their_own(claude: ClaudeCode, write: Write, schemas: VconSchemas) -> None:
    path = write(
        claude.prompt("Find it."),
        claude.prompt("Look for it.", isSidechain=True, uuid="s1", parentUuid=None),
        claude.answer("Found.", isSidechain=True, uuid="s2", parentUuid="s1"),
        claude.answer("Here."),
    )
    built = build(path)
    assert schemas.check(built.document).violations == ()
    assert [(row.number, row.sidechain) for row in built.exchanges] == [(1, False), (-1, True)]
    turns = [(turn["body"], turn["parties"]) for turn in built.document["dialog"]]
    assert turns[2:] == [("Look for it.", [1, 2]), ("Found.", [2, 1])]


def test_a_session_always_gets_the_same_uuid() -> None:
    uuid = transcript_uuid("default", "claude-code", SESSION, None)
    assert uuid == transcript_uuid("default", "claude-code", SESSION, None)
    assert uuid.version == 8
    assert len({uuid, transcript_uuid("other", "claude-code", SESSION, None)}) == 2


@pytest.mark.skipif(not REAL.is_dir(), reason="the real transcripts are not here")
@pytest.mark.parametrize("path", sorted(REAL.glob("*.jsonl")) if REAL.is_dir() else [], ids=lambda p: p.stem)
def test_real_transcripts_become_vcons_that_conform(path: Path, schemas: VconSchemas) -> None:
    survey = prescan_file(path, "claude-code")
    if survey.session is None:
        pytest.skip("the file holds no conversation")
    vcon = build(path).document
    assert schemas.check(vcon).violations == ()
    assert vcon["analysis"][0]["dialog"] == list(range(len(vcon["dialog"])))
    assert all(vcon["parties"][a["party"]]["role"] == "agent" for a in vcon["attachments"])


def test_a_session_is_headed_by_its_first_entry_whatever_a_later_one_says(
    claude: ClaudeCode, write: Write
) -> None:
    lines = [
        *worked(claude),
        claude.prompt("And now?", timestamp="1999-01-01T00:00:00Z"),
        claude.answer("Done."),
    ]

    built = build(write(*lines))

    assert built.document["created_at"] == "2025-11-03T10:00:01Z"
