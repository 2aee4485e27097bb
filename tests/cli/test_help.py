"""Every command and option explains itself, and docs/cli.md shows them all."""

import re
import shlex
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from docs import cli_page
from tests.sweep import sweep
from vcontract.runtime.cli.main import app
from vcontract.runtime.cli.usage import GROUPS


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """`command` and all below it, by what one types."""
    yield name, command
    for word, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {word}")


COMMANDS = dict(commands(get_command(app), "vcontract"))


@sweep("name", COMMANDS)
def test_arguments_are_named_in_one_word(name: str) -> None:
    shown = [each.metavar for each in COMMANDS[name].params if each.param_type_name == "argument"]
    assert [each for each in shown if each and ("[" in each or "..." in each)] == []


def test_these_are_the_commands() -> None:
    assert set(COMMANDS) == {
        "vcontract",
        "vcontract serve",
        "vcontract connect",
        "vcontract convert",
        "vcontract report",
        "vcontract report calls",
        "vcontract import",
        "vcontract sync",
        "vcontract watch",
        "vcontract forget",
        "vcontract browse",
        "vcontract ask",
        "vcontract search",
        "vcontract list",
        "vcontract show",
        "vcontract similar",
        "vcontract stats",
        "vcontract count",
        *(
            f"vcontract webhook{verb}"
            for verb in ("", " add", " list", " remove", " test", " deliveries", " retry")
        ),
        *(f"vcontract people{verb}" for verb in ("", " merge", " split", " list", " import")),
        "vcontract tag",
        "vcontract untag",
        "vcontract redact",
        "vcontract sign",
        "vcontract verify",
        "vcontract delete",
        "vcontract retain",
        "vcontract export",
        "vcontract embed",
        "vcontract backup",
        "vcontract restore",
        "vcontract purge",
        "vcontract db upgrade",
        "vcontract audit",
        "vcontract call",
        "vcontract tools",
        "vcontract doctor",
        "vcontract db",
        "vcontract db status",
        "vcontract db migrate",
        "vcontract db plan",
        "vcontract project",
        "vcontract project link",
        "vcontract project unlink",
        "vcontract project list",
        "vcontract tenant",
        "vcontract tenant list",
        "vcontract tenant show",
        "vcontract tenant quota",
        "vcontract tenant export",
        "vcontract tenant delete",
        "vcontract tenant move",
        "vcontract token",
        "vcontract token create",
        "vcontract token list",
        "vcontract token revoke",
        "vcontract reflection",
        "vcontract reflection show",
        "vcontract reflection edit",
        "vcontract reflection delete",
        "vcontract version",
    }


@sweep("name", COMMANDS)
def test_a_command_and_each_of_its_options_has_a_help_text(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    without = [parameter.name for parameter in command.params if not getattr(parameter, "help", None)]
    assert without == []


def test_the_page_of_commands_shows_each_with_all_its_options() -> None:
    page = cli_page.PAGE.read_text(encoding="utf-8")

    assert page == cli_page.with_options(page), f"docs/cli.md is out of date; run: {cli_page.COMMAND}"
    assert [name for name in COMMANDS if page.count(f"\n## `{name}`\n\n<!-- command -->\n") != 1] == []
    missing = [
        (name, option)
        for name, command in COMMANDS.items()
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--") and "completion" not in option and option not in section_of(page, name)
    ]
    assert missing == []


def section_of(page: str, name: str) -> str:
    return page.split(f"\n## `{name}`\n")[1].split("\n## ")[0]


@sweep("name", [name for name, command in COMMANDS.items() if "Example: " in (command.epilog or "")])
def test_an_example_in_the_help_can_be_typed(name: str) -> None:
    words = shlex.split(COMMANDS[name].epilog.removeprefix("Example: "))
    asked = name.split()
    assert words[: len(asked)] == asked
    with COMMANDS[name].make_context(name, words[len(asked) :]) as context:
        assert context.args == []


@sweep("name", COMMANDS)
def test_help_is_printed_for_each_command(name: str) -> None:
    outcome = CliRunner().invoke(app, [*name.split()[1:], "--help"])
    assert outcome.exit_code == 0
    assert "Usage:" in outcome.output
    assert name in outcome.output
    assert "<bool>" not in outcome.output


def test_each_command_is_listed_once_in_a_group() -> None:
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output

    grouped = [name for names, _ in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(name.split()[1] for name in COMMANDS if len(name.split()) == 2)
    for title, (names, about) in GROUPS.items():
        assert re.search(rf"^  {title} +{', '.join(names)} +{about}$", listed, re.MULTILINE)


def test_help_fits_on_one_screen() -> None:
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output.splitlines()

    assert len(listed) < 24
    assert max(map(len, listed)) <= 80


@pytest.mark.parametrize(
    ("folder", "shown", "hidden"),
    [("", "vcontract import FOLDER", "vcontract ask"), ("postgres", "vcontract ask", "--examples")],
)
def test_without_a_command_it_says_what_to_do_next(
    tmp_path: Path, folder: str, shown: str, hidden: str
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)

    printed = CliRunner().invoke(app, [], env={"VCONTRACT_DATA_DIR": str(tmp_path)})

    assert printed.exit_code == 0
    assert shown in printed.output
    assert hidden not in printed.output
    assert str(tmp_path) in printed.output
    assert [path.name for path in tmp_path.iterdir()] == [folder][: len(folder)]


@sweep("name", [name for name in COMMANDS if getattr(COMMANDS[name], "commands", None)])
def test_the_summary_of_each_command_fits_on_its_line(name: str) -> None:
    listed = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": "80"}).output
    assert [line for line in listed.splitlines() if re.search(r"[a-z,]\.\.\.$", line)] == []


@sweep(("name", "columns"), product(COMMANDS, ["80", "60", "40"]))
def test_help_shows_each_option_and_choice_whole_on_any_terminal(name: str, columns: str) -> None:
    # when
    printed = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": columns}).output
    # then
    options = [
        option
        for each in COMMANDS[name].params
        for option in getattr(each, "opts", ())
        if option[0] == "-" and "completion" not in option
    ]
    assert [option for option in options if not re.search(rf"{option}(?![\w-])", printed)] == []
    choices = re.findall(r"<\w[^>]*", printed)
    assert [each for each in choices if re.search(r"\s", each)] == []
    assert not re.search(r"…\s|default: \(", printed.replace("(VCONTRACT_…)", ""))


_TRANSLATED = re.compile(
    r"\b(tells?|told|whoever|for good|there is none|is none|may be repeated|goes before"
    r"|lets in|Exit code \d)\b",
    re.IGNORECASE,
)


@sweep("name", COMMANDS)
def test_help_is_written_in_the_words_of_the_field(name: str) -> None:
    command = COMMANDS[name]
    texts = [command.help, *(getattr(parameter, "help", None) or "" for parameter in command.params)]
    assert [text for text in texts if _TRANSLATED.search(text)] == []
