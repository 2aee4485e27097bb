"""Mailboxes: what separates mails, and what is text that only looks like it."""

import pytest

from vcontract.runtime.imports.programs.conversation import About, FileFormat
from vcontract.runtime.imports.programs.format_registry import format_of_file
from vcontract.runtime.vcon.times import read_time

AT = read_time("2024-04-01T00:00:00Z")


def mail(number: int, body: str, below: str = "") -> str:
    return (
        f"{below}From: Mira <mira@a.example>\nSubject: Nr. {number}\n"
        f"Date: Tue, 5 Mar 2024 1{number}:00:00 +0000\n"
        f"Message-ID: <{number}@a.example>\n\n{body}\n"
    )


def read(box: str) -> list[str]:
    """The words of each mail."""
    data = box.encode()
    source = format_of_file(data)
    assert isinstance(source, FileFormat)
    assert source.name == "mail"
    assert AT is not None
    return [turn.text for one in source.read(data, About("a.mbox", AT)) for turn in one.turns]


@pytest.mark.parametrize(
    "separator",
    [
        "From mira@a.example Tue Mar  5 10:00:00 2024\n",
        "From mira@a.example\n",
        "From \n",
        "From - Tue Mar 05 10:00:00 2024\n",
        "From 1792@xxx Tue Mar 05 10:00:00 +0000 2024\n",
        "From MAILER-DAEMON Tue Mar  5 10:00:00 2024\n",
        "From MAILER DAEMON Tue Mar  5 10:00 2024\n",
        "From mira@a.example 2024-03-05T10:00:00Z\n",
        "From mira@a.example Tue Mar  5 10:00:00 2024\r\n",
        "From -\n",
        "\ufeffFrom mira@a.example\n",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_mail_begins_below_each_form_of_a_separator(separator: str, line_end: str) -> None:
    box = (
        mail(1, "Take the key.", separator) + "\n" + mail(2, "Bring the ladder.", separator.lstrip("\ufeff"))
    )

    assert read(box.replace("\r\n", "\n").replace("\n", line_end)) == ["Take the key.", "Bring the ladder."]


@pytest.mark.parametrize(
    "line",
    [
        "From April 2024 the rent is 900 euros.",
        "From 10:00 until 12:30 on 5 March 2024 the water is off.",
        "From jonas@b.example I heard nothing since 2024.",
        "From Mira",
        "From ",
        "From: the roof one sees the sea.",
    ],
)
@pytest.mark.parametrize("before", ["", "\n"])
@pytest.mark.parametrize("after", ["The deposit stays.", "", "Note: the deposit stays."])
def test_a_line_of_a_text_that_begins_with_from_is_text(line: str, before: str, after: str) -> None:
    body = f"Two things about the flat.\n{before}{line}\n{after}".rstrip("\n")
    box = mail(1, body, "From mira@a.example Tue Mar  5 10:00:00 2024\n") + "\n" + mail(2, "Yes.", "From \n")

    assert read(box) == [body.strip(), "Yes."]


def test_quoted_separators_lose_one_quote() -> None:
    body = "As he wrote:\n>From here on\n>>From there on\nBye."
    box = mail(1, body, "From \n")

    assert read(box) == ["As he wrote:\nFrom here on\n>From there on\nBye."]


def test_a_mail_alone_has_no_separators() -> None:
    box = mail(1, "Hello.\n\nFrom mira@a.example Tue Mar  5 10:00:00 2024\nFrom: x\n\nBye.")

    assert read(box) == [box.partition("\n\n")[2].strip()]
