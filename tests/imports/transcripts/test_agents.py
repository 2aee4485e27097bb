"""Sessions of coding agents without line files: detected by content, read into the same exchanges."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.imports.agents import ANSWER, COMMAND, FAULT, FILE, FIRST, LAST, SECOND, WRITERS, write
from vcontract.runtime.imports.transcripts.edits import changes_of
from vcontract.runtime.imports.transcripts.model import Event, Reasoning
from vcontract.runtime.imports.transcripts.reading import Loaded, load
from vcontract.runtime.imports.transcripts.source import Source, is_transcript, prescan_source, sessions_in


def read(path: Path) -> tuple[Source, Loaded]:
    """The last session of a file."""
    source = prescan_source(sessions_in(path)[-1])
    assert source is not None
    return source, load(source, None, None, None)


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "GEMINI_CLI_HOME", "CONTINUE_GLOBAL_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", WRITERS)
def test_a_session_is_read_into_its_exchanges(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path)
    source, loaded = read(path)

    assert is_transcript(path)
    assert source.harness == name.split()[0]
    exchanges = [
        each for each in loaded.exchanges if any(said.text in (FIRST, SECOND) for said in each.prompts)
    ]
    assert [[said.text for said in each.prompts] for each in exchanges] == [[FIRST], [SECOND]]
    answers = ["\n".join(said.text for said in each.answers) for each in exchanges]
    assert (answers[0].startswith(ANSWER), answers[1]) == (True, LAST)
    assert loaded.facts.malformed == 0
    changed = changes_of(exchanges[0].calls)
    assert [(change.path, change.operation) for change in changed] == (
        [("src/auth.py", "edit")] if name == "aider" else [(FILE, "add")]
    )
    if name != "aider":
        (failed,) = exchanges[1].calls
        assert COMMAND in json.dumps(failed.input)
        assert failed.result is not None
        assert (failed.result.is_error, FAULT in failed.result.text) == (True, True)


@pytest.mark.parametrize("name", WRITERS)
def test_a_session_knows_where_it_was_at_work(name: str, tmp_path: Path) -> None:
    source, loaded = read(WRITERS[name](tmp_path))
    if name == "cursor lines":  # the folder's name with dashes stands for one that is not there
        assert source.survey.cwd is None
    else:
        assert source.project == "shop"
    if name.split()[-1] not in ("checkpoint", "lines") or name == "gemini-cli lines":
        assert loaded.exchanges[-1].started_at.year == 2025


@pytest.mark.parametrize("name", ["gemini-cli", "gemini-cli lines", "continue", "opencode", "cursor"])
def test_what_is_not_understood_is_kept_in_the_lines(name: str, tmp_path: Path) -> None:
    source, _ = read(WRITERS[name](tmp_path))
    written = b"".join(source.lines or ())
    assert b"new_member" in written or b"new-kind" in written
    assert b"EncryptionKey" not in written


def test_thoughts_and_notices_are_no_part_of_what_was_said(tmp_path: Path) -> None:
    thoughts: dict[str, list[str]] = {}
    for name in ("gemini-cli", "opencode", "cursor"):
        _, loaded = read(WRITERS[name](tmp_path))
        entries = [entry for exchange in loaded.exchanges for entry in exchange.entries]
        thoughts[name] = [entry.text for entry in entries if isinstance(entry, Reasoning)]
    assert thoughts == {
        "gemini-cli": ["Keys\nTwo of them."],
        "opencode": ["Two keys."],
        "cursor": ["Two keys."],
    }
    _, loaded = read(WRITERS["gemini-cli checkpoint"](tmp_path))
    assert [entry.type for entry in loaded.exchanges[0].entries if isinstance(entry, Event)] == ["context"]


def test_a_message_that_is_written_again_is_there_once_and_what_is_taken_back_stays(tmp_path: Path) -> None:
    path = WRITERS["gemini-cli lines"](tmp_path)
    older = write(path.with_suffix(".json"), {"sessionId": "x", "projectHash": "y", "messages": []})
    source, loaded = read(path)
    events = [entry.type for entry in loaded.exchanges[-1].entries if isinstance(entry, Event)]
    assert (loaded.lines, events) == (8, ["info", "rewind"])
    assert source.session == "0c1d2e3f-4a5b-4c6d-8e7f-8091a2b3c4d5"
    assert sessions_in(older) == [], "the lines go on from the document"


def test_prompts_of_a_log_are_those_of_sessions_that_were_not_recorded(tmp_path: Path) -> None:
    chat = WRITERS["gemini-cli"](tmp_path)
    known, other = "0c1d2e3f-4a5b-4c6d-8e7f-8091a2b3c4d5", "99999999-4a5b-4c6d-8e7f-8091a2b3c4d5"
    entries = [
        {
            "sessionId": own,
            "messageId": number,
            "type": "user",
            "message": said,
            "timestamp": "2025-06-01T10:00:00Z",
        }
        for number, (own, said) in enumerate([(known, FIRST), (other, "/help"), (other, "Why is it slow?")])
    ]
    source, loaded = read(write(chat.parents[1] / "logs.json", entries))
    assert source.session == other
    assert [said.text for each in loaded.exchanges for said in each.prompts] == ["Why is it slow?"]


def test_each_session_of_one_file_is_one_of_its_own(tmp_path: Path) -> None:
    states = sessions_in(WRITERS["aider"](tmp_path))
    assert [(state.part or "")[:19] for state in states] == ["2025-11-02T09-00-00", "2025-11-03T10-00-00"]
    _, loaded = read(tmp_path / "shop" / ".aider.chat.history.md")
    assert "no prompt" in loaded.exchanges[0].answers[0].text
    assert (loaded.facts.version, list(loaded.facts.models)) == ("0.86.0", ["model-x"])
    begun = [exchange.started_at - loaded.exchanges[0].started_at for exchange in loaded.exchanges]
    assert [each.total_seconds() for each in begun] == [0, 58.5], (
        "prompts have the times of the input history"
    )


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        (name, cut)
        for name in ("gemini-cli", "gemini-cli lines", "continue", "cursor lines")
        for cut in (40, 300)
    ],
)
def test_of_a_file_that_breaks_off_what_is_whole_comes_in_and_the_rest_is_counted(
    name: str, cut: int, tmp_path: Path
) -> None:
    path = WRITERS[name](tmp_path)
    path.write_bytes(path.read_bytes()[:-cut])
    _, loaded = read(path)
    assert loaded.exchanges[0].prompts[0].text == FIRST
    assert loaded.facts.malformed == 1


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_is_read_as_it_is_and_nothing_is_written_beside_it(mode: str, tmp_path: Path) -> None:
    path = WRITERS["cursor"](tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"pragma journal_mode = {mode}")
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    _, loaded = read(path)
    assert len(loaded.exchanges) == 2
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


def test_a_database_that_its_program_has_locked_is_read_from_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.imports.transcripts.agents.sqlite._PATIENCE", 0.0)
    path = WRITERS["cursor"](tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("begin exclusive")
        _, loaded = read(path)
    assert len(loaded.exchanges) == 2


def test_a_database_that_is_damaged_is_told_of(tmp_path: Path) -> None:
    path = WRITERS["cursor"](tmp_path)
    path.write_bytes(path.read_bytes()[:2_000])
    assert not is_transcript(path)


@pytest.mark.parametrize("when", ["no time", float("inf"), 2**62, b"\xff"])
def test_a_session_whose_times_are_none_is_as_old_as_its_file(when: object, tmp_path: Path) -> None:
    path = WRITERS["opencode"](tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update session set time_updated = ?", (when,))
    source, loaded = read(path)
    assert source.state.mtime_ns == path.stat().st_mtime_ns
    assert len(loaded.exchanges) == 2


@pytest.mark.parametrize("folder", ["file://[a", "file:///%ff", "file:"])
def test_a_session_whose_folder_has_no_path_is_read(folder: str, tmp_path: Path) -> None:
    path = WRITERS["cursor"](tmp_path)
    (workspace,) = path.parents[1].glob("workspaceStorage/*/workspace.json")
    write(workspace, {"folder": folder})
    _, loaded = read(path)
    assert len(loaded.exchanges) == 2


def test_a_history_in_which_no_session_begins_holds_none(tmp_path: Path) -> None:
    path = WRITERS["aider"](tmp_path)
    path.write_text("# aider chat started at 0001-01-01 00:00:00, perhaps\n")
    assert sessions_in(path) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"vcon": "0.4.0", "parties": [], "sessionId": 1}),
        ("ses_1.json", {"id": "ses_1"}),
        ("checkpoint.json", {"step": 1}),
        ("logs.json", [{"level": "info"}]),
        ("sessions.json", [{"sessionId": "a"}]),
        ("notes.md", "# aider\n\n#### Heading\n"),
    ],
    ids=lambda each: each if isinstance(each, str) and "." in each else "",
)
def test_other_files_are_no_sessions(name: str, content: object, tmp_path: Path) -> None:
    assert not is_transcript(write(tmp_path / name, content))


def test_older_sessions_of_continue_have_one_tool_call_a_message(tmp_path: Path) -> None:
    path = WRITERS["continue"](tmp_path)
    session = json.loads(path.read_text())
    for item in session["history"]:
        for state in item.pop("toolCallStates", ()):
            item["toolCallState"] = state
    path.write_text(json.dumps(session))

    exchanges = read(path)[1].exchanges

    (wrote,), (ran,) = [each.calls for each in exchanges]
    assert wrote.input == {"filepath": FILE, "contents": "KEYS = 2\n"}
    assert ran.input == {"command": COMMAND}
    assert ran.result is not None
    assert ran.result.is_error


@pytest.mark.parametrize("named", ["Model", "Models", "Main model"])
def test_aider_names_its_model_in_three_ways(named: str, tmp_path: Path) -> None:
    path = WRITERS["aider"](tmp_path)
    path.write_text(path.read_text().replace("> Model: ", f"> {named}: "))

    _, loaded = read(path)

    assert list(loaded.facts.models) == ["model-x"]
