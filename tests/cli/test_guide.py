"""What docs/cli.md shows is typed, in its order and in one store, and prints what stands there."""

import json
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.cli.typing_in import Terminal, typed_in
from vcontract.runtime.imports.examples import example_files

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "cli.md"
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

BEFORE = {
    "vcontract search refund --party whitfield -n 1": ["vcontract embed"],
    "vcontract embed": ["vcontract import --no-wait-embeddings ~/.claude/projects"],
    "vcontract project link shop library --kind uses": [
        f'vcontract call --toolsets session session_init \'{{"working_directory": "~/code/{name}"}}\''
        for name in ("library", "shop")
    ],
    "vcontract tenant list": [
        "vcontract import --examples --tenant acme",
        "vcontract tenant quota acme --bytes 1GB",
    ],
}
"""What is typed before a command, and not shown: what its output needs that no other command has made."""


@pytest.fixture
def terminal(own_data_dir: Path, tmp_path: Path) -> Generator[Terminal]:
    """Ann's: her store, her calls, her agents' sessions."""
    home = tmp_path / "home" / "ann"
    home.mkdir(parents=True)
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
            "COLUMNS": "80",
        }
        write_files(home)
        examples = {json.loads(path.read_text())["uuid"] for path in (home / "calls").glob("*.vcon.json")}
        terminal.known = frozenset(examples)
        yield terminal


def write_files(home: Path) -> None:
    calls = home / "calls"
    with example_files() as examples:
        shutil.copytree(examples, calls)
    (calls / "older.json").write_text(json.dumps(OLDER))
    (calls / "broken.json").write_text('{\n  "uuid": oops')
    (calls / "odd.json").write_text('{"vcon": "0.4.0", "analysis": "none"}')
    (calls / "notes.txt").write_text("Call Ann back.")
    sessions = home / ".claude" / "projects" / "-home-ann-ledger"
    sessions.mkdir(parents=True)
    shutil.copy(REPOSITORY / "docs" / "demo_session.jsonl", sessions)
    for name in ("shop", "library"):
        (home / "code" / name / ".git").mkdir(parents=True)


def test_the_page_shows_what_is_printed(terminal: Terminal) -> None:
    # when each command of the page is typed
    false: list[str] = []
    for typed in typed_in(PAGE.read_text()):
        for line in BEFORE.get(typed.line, ()):
            code, printed = terminal.type(line)
            assert (code, line) == (0, line), printed
        _, printed = terminal.type(typed.line, terminal.answers_to(typed.shown))
        if not terminal.is_shown(typed.shown, printed):
            false.append(
                f"$ {typed.line}\n{terminal.plain(printed)}\n\nand not\n\n{terminal.plain(typed.shown)}"
            )

    # then it prints what the page shows
    assert not false, "docs/cli.md is to show:\n\n" + "\n\n".join(false)


def test_a_page_that_shows_something_else_is_told(terminal: Terminal) -> None:
    _, printed = terminal.type("vcontract version")
    assert terminal.is_shown(printed, printed)
    assert not terminal.is_shown(printed.replace("vcontract 0", "vcontract 1"), printed)
