"""What the commands print and return, on a real database."""

import gzip
import io
import json
import os
import re
import uuid
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn, TypeAlias

import asyncpg
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from tests.ordinary_user import call_as_an_ordinary_user
from vcontract.runtime.cli import doctor
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.format_registry import FORMATS
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.errors import OutcomeUnknown
from vcontract.runtime.store.vcons.store import VconStore

Run: TypeAlias = Callable[..., Result]

NOWHERE = "postgresql://someone:secret-word@127.0.0.1:1/nothing"


@pytest.fixture
def run(database_url: str, tmp_path: Path) -> Run:
    """Runs the command on the module's database; keywords are its standard input and more environment."""

    def invoke(*arguments: object, input: str | bytes | None = None, **env: str | None) -> Result:
        settings: dict[str, str | None] = {
            "VCONTRACT_DATABASE_URL": database_url,
            "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
            "COLUMNS": "200",
            **env,
        }
        return CliRunner().invoke(app, [str(item) for item in arguments], input, env=settings)

    return invoke


def vcon(number: int, **members: object) -> JsonObject:
    return {
        "uuid": f"01900000-0000-8000-8000-{number:012}",
        "created_at": f"2024-01-01T00:00:{number:02}Z",
        "subject": f"Call {number}",
        "parties": [{"name": "Ann"}],
        **members,
    }


def packed(name: str) -> bytes:
    """A zip archive with an empty file of this name."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr(name, b"")
    return archive.getvalue()


def lines_of(path: Path, *documents: object) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def test_an_import_says_what_it_did_and_why_not_more(run: Run, tenant: str, tmp_path: Path) -> None:
    lines_of(tmp_path / "calls.jsonl", vcon(1), vcon(2), {"uuid": "x"}, vcon(3, vcon="0.0.1"))
    (tmp_path / "notes.txt").write_text("no vCon")

    outcome = run("import", tmp_path, "--tenant", tenant)

    assert outcome.exit_code == 1
    assert outcome.stdout.startswith("Read 3 vCons from 1 file ")
    counts = dict(line.split()[:2] for line in outcome.stdout.splitlines()[1:3])
    assert counts == {"created": "3", "refused": "1"}
    assert "Not read: 1 file. Name one to try it.\n" in outcome.stdout
    assert "Refused because of\n  1  format\n" in outcome.stdout
    assert f"refused: {tmp_path}/calls.jsonl:3: format at $.uuid: " in outcome.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (("import", "CLOSED/x.json"), 2, "'CLOSED/x.json' cannot be read: Permission denied"),
        (("export", "-o", "CLOSED/x.jsonl"), 2, "cannot write CLOSED/x.jsonl: Permission denied"),
        (("backup", "CLOSED/b"), 1, "CLOSED/b: Permission denied"),
        (("restore", "CLOSED/b"), 1, "cannot read CLOSED/b: Permission denied"),
    ],
)
def test_a_path_that_the_user_may_not_use_is_named_with_its_cure(
    command: tuple[str, ...], code: int, said: str, run: Run, tmp_path: Path
) -> None:
    # given
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    # when
    outcome = call_as_an_ordinary_user(
        lambda: run(*(argument.replace("CLOSED", str(closed)) for argument in command))
    )
    # then
    assert outcome.exit_code == code
    assert said.replace("CLOSED", str(closed)) in outcome.stderr
    assert "cure:" in outcome.stderr
    assert "internal error" not in outcome.stderr


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (
            OutcomeUnknown("the server was lost while it committed"),
            3,
            "the database was lost during a commit",
        ),
        (asyncpg.DiskFullError("No space left on device"), 3, "the database's disk is full"),
        (asyncpg.DataError("too much"), 1, "The database refused 1 vCon"),
    ],
)
def test_a_refusal_by_the_database_is_not_blamed_on_the_file(
    error: Exception,
    code: int,
    message: str,
    run: Run,
    tenant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # given
    async def refuse(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(VconStore, "insert_batch", refuse)
    calls = lines_of(tmp_path / "calls.json", vcon(1))
    # when
    outcome = run("import", calls, "--tenant", tenant)
    # then
    assert outcome.exit_code == code
    assert message in outcome.stderr
    assert "looks like" not in outcome.stderr
    assert "internal error" not in outcome.stderr


def test_an_export_can_be_read_by_its_owner_alone_and_a_replaced_file_keeps_its_mode(
    run: Run, tmp_path: Path
) -> None:
    new, shared = tmp_path / "new.jsonl", tmp_path / "shared.jsonl"
    shared.touch(0o644)

    for file in (new, shared):
        assert run("export", "--output", file).exit_code == 0

    assert [file.stat().st_mode & 0o777 for file in (new, shared)] == [0o600, 0o644]


@pytest.mark.parametrize("on_conflict", ["skip", "fail"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("call.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hello.\n"),
        ("call.json", '{"segments": [{"start": 1, "end": 2, "text": "Hello.", "speaker": "Ann"}]}'),
    ],
)
def test_a_recording_without_a_date_is_reported_and_recognised_when_its_file_is_touched(
    name: str, content: str, on_conflict: str, run: Run, tenant: str, tmp_path: Path
) -> None:
    # given
    path = tmp_path / name
    path.write_text(content)
    first = run("import", path, "--tenant", tenant)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    # when
    again = run("import", path, "--tenant", tenant, "--on-conflict", on_conflict)
    # then
    assert "no date in the file or in its name, so the file's own time was used" in first.stdout
    assert (again.exit_code, again.stderr) == (0, "")
    assert "  identical  1" in again.stdout
    # but what was exported and changed is another vCon
    exported = tmp_path / "exported.jsonl"
    run("export", "--tenant", tenant, "--output", exported)
    exported.write_text(exported.read_text().replace('"Ann"', '"Anna"'))
    assert json.loads(run("import", exported, "--tenant", tenant, "--json").stdout)["skipped"] == 1


@pytest.mark.parametrize(
    "command", [("delete", "ID", "--yes"), ("redact", "ID", "--word", "Ann", "--delete-original")]
)
def test_what_was_deleted_stays_away_until_an_import_is_forced(
    command: tuple[str, ...], run: Run, tenant: str, tmp_path: Path
) -> None:
    # given
    calls = lines_of(tmp_path / "calls.jsonl", vcon(1), vcon(2))
    other = f"{tenant}-other"
    for name in (tenant, other):
        run("import", calls, "--tenant", name)
    gone = str(vcon(1)["uuid"])
    # when
    removed = run(*(gone if word == "ID" else word for word in command), "--tenant", tenant)
    again = run("import", calls, "--tenant", tenant)
    # then
    assert removed.exit_code == 0, removed.output
    assert "`vcontract import` skips" in removed.stderr
    assert again.exit_code == 0
    assert "  deleted    1  deleted or redacted here; --force restores them" in again.stdout
    assert run("show", gone, "--tenant", tenant).exit_code == 1
    assert run("show", gone, "--tenant", other).exit_code == 0
    # and it comes back when that is asked for, and is then like any other
    assert "  created    1" in run("import", calls, "--tenant", tenant, "--force").stdout
    assert "  identical  2" in run("import", calls, "--tenant", tenant).stdout


def test_an_import_in_json_prints_one_object_and_nothing_else(run: Run, tenant: str, tmp_path: Path) -> None:
    old = vcon(2, attachments=[{"type": "x", "mimetype": "text/plain"}])
    path = lines_of(tmp_path / "calls.jsonl", vcon(1), old, {"uuid": "x"})

    outcome = run("import", path, "--tenant", tenant, "--json")

    summary = json.loads(outcome.stdout)
    assert (outcome.exit_code, outcome.stderr) == (1, "")
    assert {name: summary[name] for name in ("files", "read", "created", "refused", "dry_run", "tenant")} == {
        "files": 1,
        "read": 3,
        "created": 2,
        "refused": 1,
        "dry_run": False,
        "tenant": tenant,
    }
    assert summary["translated"] == [{"from": "mimetype", "to": "mediatype", "count": 1}]
    assert summary["conformance"]["valid"] == 1
    assert {"rule": "required", "path": "$.attachments[*].start", "vcons": 1} in summary["conformance"][
        "findings"
    ]
    (problem,) = summary["problems"]
    assert {name: problem[name] for name in ("file", "line", "path", "rule")} == {
        "file": str(path),
        "line": 3,
        "path": "$.uuid",
        "rule": "format",
    }


def test_all_problems_are_written_to_a_file_and_only_the_first_are_shown(
    run: Run, tenant: str, tmp_path: Path
) -> None:
    path = lines_of(tmp_path / "bad.jsonl", *range(30))

    outcome = run("import", path, "--problems", tmp_path / "problems.jsonl", "--tenant", tenant)

    written = [json.loads(line) for line in (tmp_path / "problems.jsonl").read_text().splitlines()]
    assert [problem["line"] for problem in written] == list(range(1, 31))
    assert outcome.stderr.count("refused: ") == 20
    assert "and 10 more problems" in outcome.stderr


@pytest.mark.parametrize(
    ("name", "content", "look"),
    [
        ("pic.png", b"\x89PNG\r\n\x1a\n\0", "a recording, video or picture. Import its transcript"),
        ("call.wav", b"RIFF\0\0\0\0WAVEfmt ", "a recording, video or picture. Import its transcript"),
        (
            "scan.pdf",
            b"%PDF-1.7",
            "a PDF, RTF or old Office document. Save it as .docx or .txt and import that",
        ),
        ("data.bin", b"soup\0leek", "a file of an unknown kind"),
        (
            "page.json",
            b"<!DOCTYPE html><p>",
            "a web page. Import the program's own export, or save the text as .txt",
        ),
        (
            "calls.csv",
            b"id,agent\n1,Ann\n",
            "a CSV table without a known column of what was said. If it is a conversation,"
            " say in a mapping.yaml which columns are the speaker and the text (this table has"
            " `id`, `agent`); docs/import.md has an example",
        ),
        (
            "notes.txt",
            b"Call Ann back, please.\n",
            "text in an unknown format. If it is a conversation,"
            " say in a mapping.yaml how a line begins in which somebody speaks;"
            " docs/import.md has an example",
        ),
    ],
)
def test_what_cannot_be_imported_is_named_by_its_content(
    name: str, content: bytes, look: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)

    outcome = run("import", tmp_path / name, "--dry-run")

    assert outcome.exit_code == 1
    assert f"refused: {tmp_path}/{name}: unknown_kind: This is {look}" in outcome.stderr
    assert "malformed_json" not in outcome.output
    assert "looks like" not in outcome.stderr
    assert outcome.stderr.endswith(
        "Nothing could be read. `vcontract import --list-formats` lists the formats.\n"
    )
    assert outcome.stdout.startswith("Checked 0 vCons from 1 file")


def test_a_dry_run_of_a_session_guesses_nothing(run: Run, tmp_path: Path) -> None:
    record = {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s", "cwd": "/x"}
    said = {**record, "timestamp": "2026-06-03T10:00:00Z", "message": {"role": "user", "content": "Hi there"}}
    (tmp_path / "s.jsonl").write_text(f"{json.dumps(said)}\n")

    outcome = run("import", tmp_path / "s.jsonl", "--dry-run")

    assert "first conversation" not in outcome.output
    assert "imported  1" in outcome.stdout


def test_a_dry_run_shows_the_first_conversation_and_writes_the_mapping_that_is_asked_for(
    run: Run, tenant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / "in" / f"{number}.csv").write_text(f"nr,notes\n{number},The line is dead.\n")

    refused = run("import", "in/1.csv", "--tenant", tenant)
    shown = run("import", "in/1.csv", "--dry-run", "--tenant", tenant)
    assert not Path("mapping.yaml").exists()
    wrote = run("import", "in/1.csv", "--dry-run", "--map", "mapping.yaml", "--tenant", tenant)
    came_in = run("import", "in", "--map", "mapping.yaml", "--report", "report.json", "--tenant", tenant)

    assert "`vcontract import FILE --dry-run` shows how it could be read" in refused.stderr
    assert "The first conversation of in/1.csv\n" in shown.stdout
    assert "The line is dead." in shown.stdout
    assert "add --map mapping.yaml" in shown.stderr
    assert "Wrote mapping.yaml" in wrote.stderr
    assert [each.exit_code for each in (refused, shown, wrote, came_in)] == [1, 0, 0, 0]
    report = json.loads((tmp_path / "report.json").read_text())
    assert [
        (Path(file["file"]).name, file["format"], file["turns"], file["created"]) for file in report["files"]
    ] == [
        ("1.csv", "calls", 1, 1),
        ("2.csv", "calls", 1, 1),
    ]


def test_a_report_says_of_each_file_what_came_in_and_why_not(run: Run, tenant: str, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    calls.mkdir()
    (calls / "call_2026-07-07.txt").write_text("Agent: Hello.\nCustomer: My line is dead.\n")
    (calls / "pic.json").write_bytes(b"\x89PNG\r\n\x1a\n\0")

    run("import", calls, "--report", tmp_path / "report", "--tenant", tenant)
    run("import", calls, "--report", tmp_path / "again", "--tenant", tenant)

    came_in, again = (json.loads((tmp_path / name).read_text())["files"] for name in ("report", "again"))
    assert came_in == [
        {
            "file": str(calls / "call_2026-07-07.txt"),
            "format": "call-text",
            "conversations": 1,
            "turns": 2,
            "people": 2,
            "begins": "2026-07-07T00:00:00Z",
            "ends": "2026-07-07T00:00:00Z",
            "messages": {"turns": 2, "kept": 0, "joined": 0, "left_out": 0},
            "created": 1,
        },
        {
            "file": str(calls / "pic.json"),
            "refused": 1,
            "why": ["This is a recording, video or picture. Import its transcript"],
        },
    ]
    assert [file.get("identical") for file in again] == [1, None]


def test_an_import_names_what_it_passes_over_and_why(run: Run, tenant: str, tmp_path: Path) -> None:
    lines_of(tmp_path / "calls" / "old.jsonl", vcon(1), vcon(2))
    run("import", tmp_path / "calls", "--tenant", tenant)
    lines_of(tmp_path / "calls" / "old.jsonl", vcon(1, subject="new"), vcon(2))
    (tmp_path / "calls" / "notes.txt").write_text("no vCon")

    outcome = run("import", tmp_path / "calls", "--problems", tmp_path / "p", "--tenant", tenant)
    as_json = json.loads(run("import", tmp_path / "calls", "--json", "--tenant", tenant).stdout)

    assert outcome.exit_code == 0
    name = f"{tmp_path}/calls"
    assert f"skipped: {name}/old.jsonl:1: conflict at $.uuid: another vCon with this uuid" in outcome.stderr
    assert "notes.txt" not in outcome.stderr
    assert f"Not read: 1 file. Name one to try it.\n  {name}/notes.txt\n" in outcome.stdout
    written = [json.loads(line) for line in (tmp_path / "p").read_text().splitlines()]
    assert [(each["fate"], each["file"]) for each in written] == [
        ("skipped", f"{name}/old.jsonl"),
        ("left aside", f"{name}/notes.txt"),
    ]
    assert as_json["kept_out"] == written


@pytest.mark.parametrize(
    ("name", "content", "look"),
    [
        ("call.wav", b"RIFF\0\0\0\0WAVEfmt ", "a recording, video or picture"),
        ("scan.pdf", b"%PDF-1.7", "a PDF, RTF or old Office document"),
        ("pictures.zip", packed("a.png"), "an archive without conversations"),
    ],
)
def test_an_import_of_a_folder_without_anything_to_read_says_what_the_files_look_like(
    name: str, content: bytes, look: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(content)

    outcome = run("import", tmp_path / "in", "--dry-run")

    assert outcome.exit_code == 1
    assert "Nothing could be read. `vcontract import --list-formats` lists the formats." in outcome.stderr
    assert f"{name} looks like {look}\n" in outcome.stderr


def test_what_can_be_imported_is_listed_with_how_it_is_got(run: Run) -> None:
    listed = run("import", "--list-formats")

    assert (listed.exit_code, listed.stderr) == (0, "")
    assert {each.name for each in FORMATS} < {line.split()[0] for line in listed.stdout.splitlines()}
    assert "WhatsApp: a chat's menu, Export chat" in listed.stdout


def test_a_folder_of_exports_comes_in_and_what_lies_beside_is_left_aside(
    run: Run, tenant: str, tmp_path: Path
) -> None:
    (tmp_path / "users.json").write_text("[]")
    (tmp_path / "channels.json").write_text("[]")
    (tmp_path / "builds").mkdir()
    day = [{"type": "message", "user": "U1", "text": "The build is red", "ts": "1700000000.000100"}]
    (tmp_path / "builds" / "2023-11-14.json").write_text(json.dumps(day))

    outcome = run("import", tmp_path, "--json", "--tenant", tenant)

    assert outcome.exit_code == 0, outcome.stderr
    report = json.loads(outcome.stdout)
    assert (report["created"], report["files_ignored"]) == (1, 2)


def test_an_import_or_a_sync_of_nothing_starts_no_database(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    none: dict[str, str | None] = {"VCONTRACT_DATABASE_URL": None}
    homes = ("HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    folders = dict.fromkeys(homes, str(tmp_path / "none"))

    imported = run("import", tmp_path / "empty", **none)
    synced = run("sync", **none, **folders)

    assert (imported.exit_code, synced.exit_code) == (1, 0)
    assert synced.stdout == "No agent session was found.\n"
    assert synced.stderr == "`vcontract import PATH` reads other files.\n"
    assert imported.stdout == "No file was read.\n"
    assert not (tmp_path / "data").exists()


def test_an_import_reads_the_standard_input(run: Run, tenant: str) -> None:
    outcome = run("import", "-", "--tenant", tenant, input=gzip.compress(json.dumps([vcon(1)]).encode()))
    assert outcome.exit_code == 0
    assert outcome.stdout.startswith("Read 1 vCon from 1 file ")


def test_a_rehearsal_needs_no_database(run: Run, tmp_path: Path) -> None:
    path = lines_of(tmp_path / "calls.jsonl", vcon(1))
    outcome = run("import", path, "--dry-run", VCONTRACT_DATABASE_URL=NOWHERE)
    assert outcome.exit_code == 0
    assert "usable" in outcome.stdout


def test_the_examples_that_come_along_are_imported_like_any_files(run: Run) -> None:
    outcome = run("import", "--examples", "--dry-run", VCONTRACT_DATABASE_URL=NOWHERE)
    assert outcome.exit_code == 0
    assert "14 of 14 conform" in outcome.stdout


@pytest.mark.parametrize("command", ["import", "sync"])
def test_a_date_that_is_none_is_refused_before_anything_is_done(
    command: str, run: Run, tenant: str, tmp_path: Path
) -> None:
    paths = [lines_of(tmp_path / "calls.jsonl", vcon(1))] if command == "import" else []
    outcome = run(command, *paths, "--since", "yesterday", "--tenant", tenant)

    assert outcome.exit_code == 2
    assert '"yesterday" is not a date' in outcome.output
    assert run("export", "--tenant", tenant).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "env", "code", "words"),
    [
        (["import", "/no/such/file"], {}, 2, "there is no file or folder '/no/such/file'"),
        (["import", "/no/such/*.vcon"], {}, 2, "nothing matches"),
        (["import"], {}, 2, "missing PATH"),
        (["import", ""], {}, 2, "a PATH is empty"),
        (
            ["import", __file__, "--on-conflict", "ask"],
            {},
            2,
            "'--on-conflict': 'ask' is not one of skip, keep-both, replace, fail.",
        ),
        (
            ["show", "1", "--part", "analyses"],
            {},
            2,
            "'analyses' is not one of dialog, analysis, attachments. Did you mean analysis?",
        ),
        (["list", "--limit", "0"], {}, 2, "0 is less than the minimum, 1."),
        (["list", "--limit", "all"], {}, 2, "'all' is not a whole number."),
        (["browse", "--port", "99999"], {}, 2, "99999 is more than the maximum, 65535."),
        (["import", __file__, "--tenant", "No Name"], {}, 2, "is not a valid tenant name"),
        (["import", __file__, "--problems", "/no/such/folder/p"], {}, 2, "cannot write"),
        (["import", __file__], {"VCONTRACT_DATABASE_URL": NOWHERE}, 3, "cure:"),
        (["export"], {"VCONTRACT_DATABASE_URL": NOWHERE}, 3, "cannot connect"),
        (["export", "123"], {}, 2, "is not a UUID"),
        (["export", "--pretty"], {}, 2, "name an ID"),
        (["export", "--output", "/no/such/folder/file"], {}, 2, "cannot write"),
        (["export", "00000000-0000-0000-0000-000000000009"], {}, 1, "conversation 00000000"),
        (["doctor"], {"VCONTRACT_DATABASE_URL": NOWHERE}, 3, "failed"),
        (["db", "status"], {"VCONTRACT_DATABASE_URL": "mysql://x"}, 3, "cure:"),
        (["db", "status"], {"VCONTRACT_POOL_SIZE": "many"}, 2, "VCONTRACT_POOL_SIZE"),
        (["--env-file", "/no/such/file", "doctor"], {}, 2, "/no/such/file"),
        (["serve"], {"VCONTRACT_RATE_LIMITS": "serch=3"}, 2, "the classes are search, create, other"),
        (["serve"], {"VCONTRACT_TIME_ZONE": "Mars"}, 2, "'Mars' is not an IANA time zone"),
        (["call", "memory_search"], {}, 2, "toolset memory, which is not served here: add it to --toolsets"),
        (["call", "status"], {}, 2, "toolset bridge or session, which is not served here"),
        (["call", "vcon_serch"], {}, 2, "did you mean vcon_search"),
        (["tools", "vcon_serch"], {}, 2, "did you mean vcon_search"),
        (["tools", "VCON_SERCH"], {}, 2, "did you mean vcon_search"),
        (["tools", "--toolset", "nope"], {}, 2, "choose from bridge, contract"),
        (["nonsense"], {}, 2, "No such command"),
    ],
)
def test_a_failure_says_what_and_why_and_returns_its_code(
    arguments: list[str], env: dict[str, str], code: int, words: str, run: Run
) -> None:
    outcome = run(*arguments, **env)
    assert outcome.exit_code == code
    assert words in outcome.output
    assert "Traceback" not in outcome.output
    assert "secret-word" not in outcome.output
    assert isinstance(outcome.exception, SystemExit), outcome.exception


@pytest.mark.parametrize("command", [["serve"], ["list"], ["connect", "cursor", "--print"], []])
def test_every_command_names_misspelt_variables_and_refuses_those_that_would_open_more(
    command: list[str], run: Run, tmp_path: Path
) -> None:
    # an unknown class ends the server before it waits for a client
    named = run(*command, VCONTRACT_POOL_SIZ="3", VCONTRACT_RATE_LIMITS="serch=3")
    (tmp_path / "settings.env").write_text("VCONTRACT_CONSENT_REQURED=true\n")
    refused = run("--env-file", tmp_path / "settings.env", *command)

    note = "VCONTRACT_POOL_SIZ is not a setting and has no effect. Did you mean VCONTRACT_POOL_SIZE?"
    assert named.stderr.count(note) == 1
    assert refused.exit_code == 2
    assert "Did you mean VCONTRACT_CONSENT_REQUIRED?" in refused.stderr
    assert refused.stdout == ""


def test_exported_files_are_complete_and_compressed_by_their_ending(
    run: Run, tenant: str, tmp_path: Path
) -> None:
    run("import", lines_of(tmp_path / "in.jsonl", vcon(2), vcon(1)), "--tenant", tenant)

    plain = run("export", "--output", tmp_path / "out.jsonl", "--tenant", tenant)
    packed = run("export", "--output", tmp_path / "out.jsonl.gz", "--tenant", tenant)
    printed = run("export", "--tenant", tenant)

    text = (tmp_path / "out.jsonl").read_bytes()
    assert [json.loads(line) for line in text.splitlines()] == [vcon(1), vcon(2)]
    assert gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()) == text == printed.stdout_bytes
    assert (plain.exit_code, packed.exit_code, printed.exit_code) == (0, 0, 0)
    assert f"Wrote 2 vCons to {tmp_path}/out.jsonl\n" == plain.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl", "out.jsonl.gz"}


def test_an_export_writes_to_a_pipe_and_to_where_a_link_leads(run: Run, tenant: str, tmp_path: Path) -> None:
    run("import", lines_of(tmp_path / "in.jsonl", vcon(1)), "--tenant", tenant)
    printed = run("export", "--tenant", tenant).stdout
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    link.symlink_to(file)
    with ThreadPoolExecutor() as reading:
        read = reading.submit(pipe.read_text)
        piped = run("export", "--output", pipe, "--tenant", tenant)
        linked = run("export", "--output", link, "--tenant", tenant)

    assert (piped.exit_code, linked.exit_code) == (0, 0)
    assert (read.result(), pipe.is_fifo()) == (printed, True)
    assert (file.read_text(), link.is_symlink()) == (printed, True)


def test_single_vcons_are_exported_pretty_or_compact(run: Run, tenant: str, tmp_path: Path) -> None:
    run("import", lines_of(tmp_path / "in.jsonl", vcon(1), vcon(2)), "--tenant", tenant)
    pretty = run("export", vcon(1)["uuid"], "--pretty", "--tenant", tenant)
    compact = run("export", vcon(2)["uuid"].upper(), vcon(1)["uuid"], "--tenant", tenant)
    assert json.loads(pretty.stdout) == vcon(1)
    assert pretty.stdout.startswith('{\n  "uuid"')
    assert [json.loads(line) for line in compact.stdout.splitlines()] == [vcon(2), vcon(1)]


def test_a_failed_export_leaves_the_file_that_was_there(run: Run, tenant: str, tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("precious")
    outcome = run("export", vcon(9)["uuid"], "-o", tmp_path / "out.jsonl", "--tenant", tenant)
    assert outcome.exit_code == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.jsonl": "precious"}


def test_tenants_do_not_see_each_other(run: Run, tenant: str, tmp_path: Path) -> None:
    path = lines_of(tmp_path / "in.jsonl", vcon(1))
    mine = run("import", path, "--tenant", tenant, "--json")
    other = run("import", path, "--tenant", f"{tenant}.other", "--json")
    assert [json.loads(o.stdout)["created"] for o in (mine, other)] == [1, 1]
    assert run("export", "--tenant", f"{tenant}.third").stdout == ""


def test_the_doctor_finds_a_healthy_database_healthy(run: Run, tenant: str, tmp_path: Path) -> None:
    # the doctor names the tenants that have most
    run("import", lines_of(tmp_path / "in.jsonl", *map(vcon, range(20))), "--tenant", tenant)
    plain, outcome = run("doctor"), run("doctor", "--json")
    found = json.loads(outcome.stdout)
    assert (plain.exit_code, outcome.exit_code, found["healthy"]) == (0, 0, True)
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert "external" in details["database"]
    assert "vector 0." in details["extensions"]
    assert details["pages"].startswith("checksums are on")
    assert f"{tenant} 20" in details["content"]
    assert all(detail in plain.stdout for name, detail in details.items() if name != "content")
    guide = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [name for name in details if not re.search(rf"^ok       {name} ", guide, re.MULTILINE)] == []


def test_the_doctor_says_when_most_is_in_a_language_that_the_model_does_not_know(
    run: Run, tenant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = "Ich habe die Rechnung noch nicht bekommen, können Sie mir bitte sagen, wann sie kommt?"
    turn = {"type": "text", "start": "2024-01-01T00:00:00Z", "parties": 0, "encoding": "none", "body": german}
    vcons = [vcon(number, dialog=[turn] if number else []) for number in range(3)]
    run("import", lines_of(tmp_path / "in.jsonl", *vcons), "--tenant", tenant)
    monkeypatch.setattr(doctor, "DEFAULT_TENANT", tenant)

    outcome = run("doctor", "--json")

    (check,) = [each for each in json.loads(outcome.stdout)["checks"] if each["name"] == "languages"]
    assert check["state"] == "warning"
    assert check["detail"].startswith("de in 2 of 3 conversations")
    assert "docs/search.md" in check["cure"]


@pytest.mark.parametrize(
    ("variable", "value", "state", "detail"),
    [
        ("VCONTRACT_VOCABULARY", "/no/such/file", "failed", "/no/such/file cannot be read"),
        ("VCONTRACT_TOOLSETS", "memry", "failed", "there is no 'memry'"),
        ("VCONTRACT_RATE_LIMITS", "serch=3", "failed", "unknown classes: serch"),
        ("VCONTRACT_POOL_SIZ", "3", "warning", "VCONTRACT_POOL_SIZ is not a setting"),
        ("VCONTRACT_READONLY", "true", "failed", "Did you mean VCONTRACT_READ_ONLY?"),
    ],
)
def test_the_doctor_tells_of_settings_that_serve_would_refuse_or_not_see(
    run: Run, variable: str, value: str, state: str, detail: str
) -> None:
    outcome = run("doctor", "--json", **{variable: value})

    (check,) = [check for check in json.loads(outcome.stdout)["checks"] if check["name"] == "settings"]
    assert check["state"] == state
    assert detail in check["detail"]
    assert check["cure"]
    assert (outcome.exit_code > 0) == (state == "failed")


def test_the_doctor_says_what_to_do_about_a_database_that_does_not_answer(run: Run) -> None:
    outcome = run("doctor", VCONTRACT_DATABASE_URL=NOWHERE)

    assert outcome.exit_code == 3
    lines = outcome.stdout.splitlines()
    assert lines[-2].startswith("failed   server")
    assert lines[-1].strip() == "cure: start the server, or correct VCONTRACT_DATABASE_URL"


def test_the_doctor_names_the_cure_for_a_folder_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "below"
    outcome = run("doctor", VCONTRACT_DATA_DIR=str(folder), VCONTRACT_DATABASE_URL=None)
    assert outcome.exit_code == 3
    assert f"embedded, in {folder}" in outcome.stdout
    assert "cure: name another folder in VCONTRACT_DATA_DIR" in outcome.stdout
    states = {line.split()[1]: line.split()[0] for line in outcome.stdout.splitlines() if line.strip()}
    assert (states["program"], states["disk"]) == ("ok", "failed")


@pytest.fixture
async def empty_database(settings: Settings, database_url: str) -> str:
    """The URL of a database without our schema, on the same server."""
    name = f"vcontract_test_{uuid.uuid4().hex}"
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(f"create database {name}")
    finally:
        await connection.close()
    assert isinstance(settings.database_url, SecretStr)
    return database_url.replace(database_url.split("?")[0].rpartition("/")[2], name)


def test_a_database_without_schema_is_refused_until_it_is_migrated(
    run: Run, empty_database: str, tmp_path: Path
) -> None:
    env = {"VCONTRACT_DATABASE_URL": empty_database}
    path = lines_of(tmp_path / "in.jsonl", vcon(1))

    before = run("db", "status", "--json", **env)
    refused = run("import", path, **env)
    ill = run("doctor", **env)
    migrated = run("db", "migrate", "--json", **env)
    after = run("db", "status", **env)
    again = run("db", "migrate", **env)
    done = run("import", path, **env)

    lacking = json.loads(before.stdout)
    pending, functions = lacking["pending"], lacking["functions"]["pending"]
    assert (before.exit_code, pending[0]["version"]) == (1, 1)
    assert "functions/search.sql" in functions
    assert (refused.exit_code, ill.exit_code) == (3, 3)
    assert "vcontract db migrate" in refused.stderr
    assert "cure: run: vcontract db migrate" in ill.stdout
    assert json.loads(migrated.stdout) == {"applied": pending, "functions": functions}
    assert (after.exit_code, again.stdout) == (0, "The schema is up to date.\n")
    assert "functions/search.sql" in after.stdout
    assert "pending" not in after.stdout
    assert done.exit_code == 0


def test_an_env_file_is_read_only_when_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text("VCONTRACT_POOL_SIZE=0\n")
    named = run("--env-file", tmp_path / "settings.env", "db", "status")
    unnamed = run("db", "status")
    outdone = run("--env-file", tmp_path / "settings.env", "db", "status", VCONTRACT_POOL_SIZE="2")
    assert (named.exit_code, unnamed.exit_code, outdone.exit_code) == (2, 0, 0)
    assert "VCONTRACT_POOL_SIZE" in named.stderr


def test_the_tools_are_listed_and_shown_in_full(run: Run) -> None:
    listed, as_json = run("tools"), run("tools", "--json")
    one, in_full = run("tools", "vcon_fetch"), run("tools", "vcon_fetch", "--json")
    names = [tool["name"] for tool in json.loads(as_json.stdout)]
    assert {"vcon_fetch", "create_vcon"} <= set(names)
    assert [line.split()[0] for line in listed.stdout.splitlines()] == names
    assert "uuid" in one.stdout
    assert json.loads(in_full.stdout)["inputSchema"]["properties"]["uuid"]
    assert {tool["toolset"] for tool in json.loads(run("tools", "--toolset", "vcon", "--json").stdout)} == {
        "vcon"
    }


def test_the_version_is_printed(run: Run) -> None:
    plain, as_json = run("version"), run("version", "--json")
    assert plain.stdout == f"vcontract {json.loads(as_json.stdout)['version']}\n"
    assert [run(option).stdout for option in ("--version", "-V")] == [plain.stdout] * 2


def test_an_export_in_another_version_says_what_it_inferred_and_is_recognized_as_such(
    run: Run, tenant: str, tmp_path: Path
) -> None:
    transfer = {"type": "transfer", "transferee": 0, "transferor": 0, "transfer_target": 0, "original": 0}
    recording = {"type": "recording", "start": "2024-01-01T00:00:00Z", "parties": [0]}
    given = vcon(1, vcon="0.4.0", dialog=[recording, {**transfer, "target_dialog": 0}])
    run("import", lines_of(tmp_path / "a.jsonl", given), "--tenant", tenant)

    outcome = run("export", "--vcon-version", "0.5.0", "--tenant", tenant)

    (exported,) = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert [event["type"] for event in exported["events"]] == ["blind-transfer"]
    assert "time_inferred in 1 place" in outcome.stderr
    assert [json.loads(line) for line in run("export", "--tenant", tenant).stdout.splitlines()] == [given]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "csv"], "--vcon-version requires --format jsonl, not csv"),
        (["--signed"], "--vcon-version cannot be combined with --signed or --encrypt-for"),
    ],
)
def test_an_export_in_another_version_cannot_be_signed_or_a_table(
    run: Run, options: list[str], said: str
) -> None:
    outcome = run("export", "--vcon-version", "0.5.0", *options)

    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert said in outcome.stderr
