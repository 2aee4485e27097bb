"""A session's summary says what was asked and what was decided, in one line."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.growth import grows_with_its_size
from vcontract.runtime.imports.transcripts.model import Exchange, LinePosition, Message, Speaker
from vcontract.runtime.imports.transcripts.summaries import summary_line

NOW = datetime(2025, 12, 1, tzinfo=UTC)


def session(*said: str) -> list[Exchange]:
    """Exchanges of a prompt and an answer each, in turn."""

    def message(line: int, speaker: Speaker) -> Message:
        return Message(LinePosition(line, NOW), speaker, said[line], line)

    return [
        Exchange(
            number,
            2 * number,
            2 * number + 1,
            NOW,
            NOW,
            entries=[message(2 * number, "user"), message(2 * number + 1, "agent")],
        )
        for number in range(len(said) // 2)
    ]


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        pytest.param(
            (
                "How should tokens be signed?",
                "Let me look at the code. We settled on one key pair per tenant, because keys rotate apart.",
                "Go on.",
                "All twelve pass.",
            ),
            "How should tokens be signed? → "
            "We settled on one key pair per tenant, because keys rotate apart.",
            id="the last words say nothing",
        ),
        pytest.param(
            (
                "Hello Claude! Why does the export fail on Mondays?",
                "I'll check. The cause is `parse_week` in week.py.",
            ),
            "Why does the export fail on Mondays? → The cause is `parse_week` in week.py.",
            id="a greeting before the question",
        ),
        pytest.param(
            (
                "continue",
                "Done!",
                "Rename the flag to --dry-run",
                "Renamed `--check` to `--dry-run` in cli.py.\n\nAnything else?",
            ),
            "Rename the flag to --dry-run → Renamed `--check` to `--dry-run` in cli.py.",
            id="a prompt that asks for nothing",
        ),
        pytest.param(
            ("Fix it", "```\nbecause = fixed(1)\n```\n# Result\nThe fix is in `a.py`."),
            "Fix it → The fix is in `a.py`.",
            id="code is no sentence",
        ),
        pytest.param(
            ("Warum?", "Weil der Schlüssel abgelaufen war."),
            "Warum? → Weil der Schlüssel abgelaufen war.",
            id="another language",
        ),
        pytest.param(("Why?", "So."), "Why? → So.", id="hardly a word"),
        pytest.param(
            (
                "What is the value of w000?",
                "It is 17.",
                "And of w229?",
                "The widget `w229` has the value 1603.",
            ),
            "What is the value of w000? … later: The widget `w229` has the value 1603.",
            id="the answer to another question",
        ),
    ],
)
def test_what_was_asked_and_decided(said: tuple[str, ...], summary: str) -> None:
    assert summary_line((None, " "), session(*said)) == summary


def test_what_somebody_summed_up_goes_first_and_a_line_has_three_hundred_characters() -> None:
    exchanges = session("Why? " + "a" * 400, "Because " + "b " * 300)
    assert summary_line((None, "Two\nlines"), exchanges) == "Two lines"
    assert len(summary_line((), exchanges)) <= 300
    assert summary_line((), session("", "")) == "Agent session"


@pytest.mark.parametrize("part", ["a. ", "a", "```\n", "because ", "# ", "hi ", "a?", "`a` "])
def test_the_time_grows_with_what_was_said(part: str) -> None:
    def read(size: int) -> Callable[[], object]:
        exchanges = session(part * (size // len(part)), part * (size // len(part)))
        return lambda: summary_line((), exchanges)

    assert grows_with_its_size(read)
