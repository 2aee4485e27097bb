"""The README is true: it names the toolsets that are there, and its commands print what it shows."""

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.typing_in import Terminal, typed_in
from tests.e2e.test_first_two_minutes import an_export

ROOT = Path(__file__).parents[1]
TOOLSETS = sorted(folder.name for folder in (ROOT / "spec" / "tools").iterdir())


def test_the_readme_names_every_toolset() -> None:
    named = re.findall(r"^\| \[`(\w+)`\]", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(named) == TOOLSETS


def test_the_readme_says_about_how_many_tools_there_are() -> None:
    """In tens, so that two branches that add a tool each do not both change the number."""
    said = re.search(r"more than (\d+0) tools", (ROOT / "README.md").read_text())
    assert said is not None
    assert 0 < len([*(ROOT / "spec" / "tools").glob("*/*.yaml")]) - int(said[1]) <= 10


def test_the_commands_of_the_readme_print_what_it_shows_in_a_fresh_home(
    own_data_dir: Path, tmp_path: Path
) -> None:
    # given a home with one session of an agent and an export of chats
    home = tmp_path / "home" / "ann"
    (home / "Downloads").mkdir(parents=True)
    sessions = home / ".claude" / "projects" / "-home-ann-ledger"
    sessions.mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "demo_session.jsonl", sessions)
    an_export(home / "Downloads" / "chatgpt-export.zip")
    commands = [
        each for each in typed_in((ROOT / "README.md").read_text()) if each.line.startswith("vcontract ")
    ]
    assert [each.line.split()[1] for each in commands] == [
        *("import", "ask"),
        *("sync", "connect"),
        *("import", "ask", "connect"),
        "call",
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        terminal = Terminal(home, patch)
        terminal.environment = {
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "VCONTRACT_DATA_DIR": str(own_data_dir),
            "COLUMNS": "120",
        }
        terminal.known = frozenset(re.findall(r"[0-9a-f-]{36}", (ROOT / "README.md").read_text()))
        # when each is typed in turn
        false: list[str] = []
        for typed in commands:
            code, printed = terminal.type(typed.line, "y\n" if " connect " in typed.line else "")
            if typed.shown and not terminal.is_shown(typed.shown, printed):
                false.append(f"$ {typed.line}\n{terminal.plain(printed)}\n\nand not\n\n{typed.shown}")
            assert typed.shown or code == 0, printed
    # then it prints what the README shows
    assert not false, "README.md is to show:\n\n" + "\n\n".join(false)
