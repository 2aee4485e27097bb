"""The commands on the pages of docs are typed in one home and one store, page after page.

docs/cli.md, docs/contract.md and docs/search.md have tests of their own.
"""

import re
import shlex
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from docs import llms
from tests.cli.test_help import COMMANDS
from tests.cli.typing_in import Terminal, Typed, typed_in
from tests.e2e.test_first_two_minutes import an_export
from tests.imports import agents
from tests.keys import EC_KEY, RSA_KEY, certificate, pem
from tests.sweep import sweep
from vcontract.runtime.cli.main import app
from vcontract.runtime.imports.examples import example_files

ROOT = Path(__file__).parents[2]
PAGES = (
    "start-chats",
    "start-agents",
    "start-calls",
    "clients",
    "session",
    "counting",
    "redact",
    "signatures",
    "consent",
    "vcon-work",
    "bridge",
    "http",
    "operations",
    "webhooks",
)
UNTIL_INTERRUPTED = ("serve", "watch", "browse")
ELSEWHERE = {
    "vcontract call --toolsets all update_party": "tests/tools/vcon_more/test_page.py",
    "vcontract call --toolsets all remove_party": "tests/tools/vcon_more/test_page.py",
}
"""The commands of these pages that another test types, by how they begin."""
_BLOCK = re.compile(r"^ *```(console|sh)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_DAYS = 36_500
_ISSUER = certificate("Root", EC_KEY, "Root", EC_KEY, is_ca=True, days=_DAYS)
_SIGNER = certificate("Calls of Example", RSA_KEY, "Root", EC_KEY, days=_DAYS)


@pytest.fixture
def terminal(own_data_dir: Path, tmp_path: Path) -> Generator[Terminal]:
    """That of Ann, who has an export of chats, agents' sessions, calls and a project."""
    home = tmp_path / "home" / "ann"
    shutil.copytree(own_data_dir, home / "restored")
    (home / ".local" / "share").mkdir(parents=True)
    own_data_dir.rename(home / ".local" / "share" / "vcontract")
    (home / "Downloads").mkdir()
    an_export(home / "Downloads" / "chatgpt-export.zip")
    sessions = home / ".claude" / "projects" / "-home-ann-ledger"
    sessions.mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "demo_session.jsonl", sessions)
    agents.cursor(home)
    (home / "code" / "shop" / ".git").mkdir(parents=True)
    with example_files() as examples:
        shutil.copytree(examples, home / "calls")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        terminal = Terminal(home, patch)
        terminal.environment = {
            "HOME": str(home),
            "USER": "ann",
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "COLUMNS": "80",
        }
        terminal.known = frozenset(re.findall(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b", "".join(map(text_of, PAGES))))
        yield terminal


def text_of(page: str) -> str:
    return (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")


def test_the_pages_show_what_is_printed(terminal: Terminal) -> None:
    # given the commands of all pages that end by themselves
    shown = [(page, typed) for page in PAGES for typed in typed_in(text_of(page)) if is_typed_here(typed)]

    # when each is typed
    wrong: list[str] = []
    for page, typed in shown:
        if page == "signatures":  # keys are secrets, which `connect` does not write
            terminal.environment["VCONTRACT_SIGNING_KEY"] = pem(RSA_KEY, _SIGNER)
            terminal.environment["VCONTRACT_TRUSTED_KEYS"] = pem(_ISSUER)
        code, printed = terminal.type(typed.line, terminal.answers_to(typed.shown))
        if not terminal.is_shown(typed.shown, printed):
            wrong.append(f"{page}: $ {typed.line}\n{terminal.plain(printed)}\n\nand not\n\n{typed.shown}")
        elif code and set(typed.shown.split()) <= {"…"}:
            wrong.append(f"{page}: $ {typed.line}\nends with {code}:\n{terminal.plain(printed)}")

    # then it prints what its page shows, or ends well
    assert len(shown) > 30
    assert not wrong, "docs are to show:\n\n" + "\n\n".join(wrong)


def is_typed_here(typed: Typed) -> bool:
    words = typed.line.split(" | ")[0].split()
    command = words[words.index("vcontract") + 1]
    return command not in UNTIL_INTERRUPTED and not any(map(typed.line.startswith, ELSEWHERE))


@sweep("page", llms.pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_of_a_page_has_the_arguments_and_options_that_it_shows(page: Path) -> None:
    assert list(invalid_in(page.read_text(encoding="utf-8"))) == []


def test_an_option_that_does_not_exist_is_found() -> None:
    lines = "0 2 * * *  A=b vcontract audit --acton x > log\nvcontract tag 0199 a=b && vcontract lst\n"
    page = f"```sh\n{lines}```\n"
    assert [line for line, _ in invalid_in(page)] == ["audit --acton x", "lst"]


def invalid_in(page: str) -> Iterator[tuple[str, str]]:
    """The commands in the code blocks of a page that `vcontract` would reject, and why."""
    for block in _BLOCK.finditer(page):
        for line in block[2].replace("\\\n", " ").splitlines():
            if block[1] == "console" and not line.lstrip().startswith("$ "):
                continue
            for words in commands_in(line):
                try:
                    parse(list(words))
                except typer.Exit:
                    pass
                except (typer.BadParameter, LookupError) as error:
                    yield shlex.join(words), str(error)
                except Exception as error:
                    # of click, whose classes typer does not export
                    yield shlex.join(words), repr(error)


def commands_in(line: str) -> Iterator[list[str]]:
    """What follows `vcontract` on a line, for each command of it."""
    if "vcontract" not in line or not re.match(r"\s*(\$ |(?:[\d*/,]+ +){5}|\w+=|vcontract )", line):
        return
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:  # an argument over several lines
        return
    command: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set("|&;<>()"):
            while command and re.fullmatch(r"\$|[\d*/,]+|\w+=.*", command[0]):
                command.pop(0)
            if command[:1] == ["vcontract"] and "…" not in command:
                yield command[1:]
            command = []
        else:
            command.append(word)


def parse(words: list[str]) -> None:
    """Parse the arguments of a command without running it."""
    name = "vcontract"
    while words and f"{name} {words[0]}" in COMMANDS:
        name = f"{name} {words.pop(0)}"
    command: Any = COMMANDS[name]
    if getattr(command, "commands", None) and words and not words[0].startswith("-"):
        raise LookupError(f"no command {words[0]!r} below {name}")
    root = get_command(app).make_context("vcontract", ["version"])
    with command.make_context(name, list(words), parent=root):
        pass
