"""What docs/cli.md shows is typed, in its order and in one store, and prints what stands there."""

import json
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.cli.typing_in import Terminal, Typed, typed_in
from tests.imports import agents
from tests.keys import EC_KEY, RSA_KEY, certificate, pem
from vcontract.runtime.imports.examples import example_files

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "cli.md"
HELD = "01994c2c-5d80-8224-a883-b1dc3f18cf9a"
"""An example, under legal hold."""
OLDER = {
    "vcon": "0.0.1",
    "uuid": "0190d2f0-5c00-8a10-9dd8-dd37220d739c",
    "created_at": "2024-07-21T09:00:00",
    "parties": [{"tel": "+15550100"}],
    "dialog": [
        {
            "type": "recording",
            "start": "2024-07-21T09:00:00",
            "parties": [0],
            "mimetype": "audio/wav",
            "url": "https://calls.example/0190d2f0.wav",
            "alg": "SHA-512",
            "signature": "c2lnbmF0dXJl",
        }
    ],
    "analysis": [{"type": "summary", "dialog": 0, "vendor": "ear", "body": {"summary": "Nobody answers."}}],
    "attachments": [{"type": "queue", "mimetype": "text/plain", "body": "night"}],
}
"""A call as programs wrote it before there were versions of the schema."""
SESSION = "ce684200-04f7-8e9b-9c2f-202e57f31c75"
"""Of the conversation that the session of Cursor becomes."""
_LONG = 36_500
ISSUER = certificate("Root", EC_KEY, "Root", EC_KEY, is_ca=True, days=_LONG)
SIGNER = certificate("Calls of Example", RSA_KEY, "Root", EC_KEY, days=_LONG)
MAIL = """From: ann@example.org
To: bob@example.org
Subject: Hello
Date: Mon, 3 Nov 2025 10:00:00 +0000
Message-ID: <1@example.org>

Hello.
"""
REFLECTION = "01a20169-0173-782d-a6e2-3914ce249120"
"""What the page calls the reflection that it edits; its real id is made with it."""

ELSEWHERE = {
    # what is served until it is interrupted
    ("vcontract browse", "Ctrl-C"): "tests/languages/test_page_in_browser.py",
    # a disk that is damaged
    ("vcontract doctor", "damaged on the disk"): "tests/cli/test_disk_checks.py",
    # an older PostgreSQL, and a store that it made
    ("vcontract db upgrade --programs ~/pg16", ""): "tests/e2e/databases/test_backup.py",
}
"""The commands that are not typed here, by the line and words that it shows, and where they are."""

BEFORE = {
    "vcontract search refund --party whitfield -n 1": ["vcontract embed"],
    "vcontract retain --days 30 --dry-run": [
        f'vcontract call --toolsets all hold_vcon \'{{"vcon_uuid": "{HELD}", "reason": "matter 2025-114"}}\''
    ],
    "vcontract embed": ["vcontract import --force --no-wait-embeddings ~/.claude/projects"],
    "vcontract project link shop library --kind uses": [
        f'vcontract call --toolsets session session_init \'{{"working_directory": "~/code/{name}"}}\''
        for name in ("library", "shop")
    ],
    "vcontract tenant list": [
        "vcontract import --examples --tenant acme",
        "vcontract tenant quota acme --bytes 1GB",
    ],
    "vcontract audit --tenant acme": ["vcontract import --examples --tenant acme"],
    f'vcontract reflection edit {REFLECTION} "The old token is refused after 20 seconds."': [
        'vcontract call --toolsets session session_store_reflection \'{"content": "It is 60 seconds."}\''
    ],
}
"""What is typed before a command, and not shown: what its output needs that no other command has made."""

LAST = ("vcontract purge",)
"""What leaves nothing for the commands that stand behind it."""


@pytest.fixture
def terminal(own_data_dir: Path, tmp_path: Path) -> Generator[Terminal]:
    """Ann's: her store, her calls, her agents' sessions."""
    home = tmp_path / "home" / "ann"
    home.mkdir(parents=True)
    shutil.copytree(own_data_dir, home / "restored")
    (home / ".local" / "share").mkdir(parents=True)
    own_data_dir.rename(home / ".local" / "share" / "vcontract")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setattr("pydoc.pager", print)
        terminal = Terminal(home, patch)
        terminal.environment = {
            "HOME": str(home),
            "USER": "ann",
            "LOGNAME": "ann",
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "VCONTRACT_SIGNING_KEY": pem(RSA_KEY, SIGNER),
            "VCONTRACT_TRUSTED_KEYS": pem(ISSUER),
            "COLUMNS": "80",
        }
        write_files(home)
        examples = {json.loads(path.read_text())["uuid"] for path in (home / "calls").glob("*.vcon.json")}
        terminal.known = frozenset({*examples, SESSION, agents.SESSION})
        yield terminal


def write_files(home: Path) -> None:
    calls = home / "calls"
    with example_files() as examples:
        shutil.copytree(examples, calls)
    (calls / "older.json").write_text(json.dumps(OLDER))
    (calls / "broken.json").write_text('{\n  "uuid": oops')
    (calls / "odd.json").write_text('{"vcon": "0.4.0", "analysis": "none"}')
    (calls / "notes.txt").write_text("Call Ann back.")
    takeout = home / "takeout"
    takeout.mkdir()
    (takeout / "call.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    (takeout / "inbox.bin").write_text(MAIL)
    sessions = home / ".claude" / "projects" / "-home-ann-ledger"
    sessions.mkdir(parents=True)
    shutil.copy(REPOSITORY / "docs" / "demo_session.jsonl", sessions)
    agents.cursor(home)
    for name in ("shop", "library"):
        (home / "code" / name / ".git").mkdir(parents=True)


def test_the_page_shows_what_is_printed(terminal: Terminal) -> None:
    # given the commands of the page, those last that leave nothing for the others
    shown = [each for each in typed_in(PAGE.read_text()) if not is_typed_elsewhere(each)]
    in_order = sorted(shown, key=lambda each: each.line in LAST)

    # when each is typed
    false: list[str] = []
    for typed in in_order:
        for line in BEFORE.get(typed.line, ()):
            code, printed = terminal.type(line)
            assert (code, line) == (0, line), printed
            if "store_reflection" in line:
                terminal.called[REFLECTION] = json.loads(printed)["reflection_id"]
        _, printed = terminal.type(typed.line, terminal.answers_to(typed.shown))
        if not terminal.is_shown(typed.shown, printed):
            false.append(
                f"$ {typed.line}\n{terminal.plain(printed)}\n\nand not\n\n{terminal.plain(typed.shown)}"
            )

    # then it prints what the page shows
    assert not false, "docs/cli.md is to show:\n\n" + "\n\n".join(false)


def test_what_the_page_shows_and_no_one_types_here_is_typed_elsewhere() -> None:
    page = typed_in(PAGE.read_text())
    for (line, words), module in ELSEWHERE.items():
        assert [each for each in page if each.line == line and words in each.shown]
        assert (REPOSITORY / module).exists()


def test_a_page_that_shows_something_else_is_told(terminal: Terminal) -> None:
    _, printed = terminal.type("vcontract version")
    assert terminal.is_shown(printed, printed)
    assert not terminal.is_shown(printed.replace("vcontract 0", "vcontract 1"), printed)


def is_typed_elsewhere(typed: Typed) -> bool:
    return any(typed.line == line and words in typed.shown for line, words in ELSEWHERE)
