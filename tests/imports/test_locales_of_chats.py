"""WhatsApp in every country: an export in each locale of CLDR is read back; notices and near misses."""

from datetime import UTC, datetime

import pytest
from babel import Locale, localedata
from babel.dates import format_date, format_time

from tests.imports.day_periods import FILE, table
from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat, NotRead
from vcontract.runtime.imports.programs.format_registry import format_of_file


def _names_parts_of_the_day(name: str) -> bool:
    """Whether Babel has words for all parts of the day in a locale."""
    try:
        return all(format_time(at, "B", locale=Locale.parse(name)) for at in MOMENTS)
    except ValueError:
        return False


MOMENTS = [
    datetime(2024, 3, 25, *clock, 7, tzinfo=UTC) for clock in ((0, 5), (9, 1), (12, 2), (14, 3), (23, 4))
]
MOMENTS.append(datetime(2024, 3, 26, 8, 0, 7, tzinfo=UTC))
LOCALES = sorted(localedata.locale_identifiers())
SAID = ["Ready.", "Good: at ten", "no", "Yes - soon", "12:30?", "Bye"]
AMBIGUOUS = {"ebu", "gd", "guz"}
FLEXIBLE = {name for name in LOCALES if _names_parts_of_the_day(name)}


def read(text: str) -> Conversation:
    data = text.encode()
    source = format_of_file(data)
    assert isinstance(source, FileFormat), text[:80]
    assert source.name == "chat", (source.name, text[:80])
    (found,) = source.read(data, About("WhatsApp Chat with Ann.txt", MOMENTS[0]))
    return found


def written(name: str, form: str) -> str:
    locale = Locale.parse(name)
    lines: list[str] = []
    for number, at in enumerate(MOMENTS):
        who = ("Mira", "Jonas Berg")[number % 2]
        date = format_date(at, "short", locale=locale)
        clock = format_time(at, "medium" if form in ("ios", "old") else "short", locale=locale)
        if form == "flexible" and name in FLEXIBLE:
            clock = f"{format_time(at, 'h:mm', locale=locale)} {format_time(at, 'B', locale=locale)}"
        stamp = {
            "android": f"{date}, {clock} - ",
            "flexible": f"{date}, {clock} - ",
            "ios": f"\u200e[{date}, {clock}] ",
            "old": f"{date}, {clock}: ",
        }[form]
        lines.append(f"{stamp}{who}: {SAID[number]}")
    return "\n".join(lines)


@pytest.mark.parametrize("form", ["android", "ios", "old", "flexible"])
def test_an_export_of_every_locale_is_read_back(form: str) -> None:
    wrong: dict[str, object] = {}
    for name in LOCALES:
        try:
            found = read(written(name, form))
            got = [(turn.speaker, turn.text) for turn in found.turns]
            if got != [(("Mira", "Jonas Berg")[number % 2], text) for number, text in enumerate(SAID)]:
                wrong[name] = got
            elif any(
                (turn.at and turn.at.replace(second=0)) != at.replace(second=0)
                for turn, at in zip(found.turns, MOMENTS, strict=True)
            ):
                wrong[name] = [turn.at for turn in found.turns]
        except (AssertionError, NotRead) as error:
            wrong[name] = str(error)

    if form == "flexible":  # one letter each, which is another part of the day elsewhere
        wrong = {name: why for name, why in wrong.items() if name.partition("_")[0] not in AMBIGUOUS}
    assert not wrong, f"{len(wrong)} of {len(LOCALES)}: {dict(list(wrong.items())[:12])}"


def test_the_words_for_parts_of_the_day_are_those_of_cldr() -> None:
    assert FILE.read_text(encoding="utf-8") == table(), "run: python -m tests.imports.day_periods"


@pytest.mark.parametrize(
    "line",
    [
        "3/24/14, 1:59:59 PM: Mira: Ready.",
        "24/3/14 13:59:59: Mira: Ready.",
        "[24.03.14, 13:59:59] Mira: Ready.",
        "\u200e[24.03.14, 13:59:59] \u200eMira: Ready.",
        "[3/24/14, 1:59:59\u202fPM] Mira: Ready.",
        "2014-03-24, 1:59\u202fp.m. - Mira: Ready.",
        "24/03/2014, 1:59 da tarde - Mira: Ready.",
        "24.03.2014 г., 13:59 ч. - Mira: Ready.",
        "2014-03-24, 13 h 59 - Mira: Ready.",
        "24.03.2014 ÖS 1:59 - Mira: Ready.",
        "24/3/2014, अपराह्न 1:59 - Mira: Ready.",
        "2014/3/24 下午1:59 - Mira: Ready.",
        "2014/3/24 中午13:59 - Mira: Ready.",
        "24/03/2014 à 13:59 - Mira: Ready.",
        "24.3.2014 klo 13.59 - Mira: Ready.",
        "٢٤\u200f/٣\u200f/٢٠١٤، ١:٥٩ م - Mira: Ready.",
        "24. 3. 2014 13:59 - Mira: Ready.",
    ],
)
def test_old_and_new_forms_of_both_phones_are_read(line: str) -> None:
    (turn,) = read(line).turns

    assert (turn.speaker, turn.text) == ("Mira", "Ready.")
    assert turn.at is not None
    assert turn.at.replace(second=0) == datetime(2014, 3, 24, 13, 59, tzinfo=UTC)


IOS = """[14.08.24, 21:00:10] Garden: \u200eMessages and calls are end-to-end encrypted.
\u200e[14.08.24, 21:00:10] Mira: \u200eMira created group “Garden”
[14.08.24, 21:00:11] Garden: \u200eMira added you
[14.08.24, 21:01:00] Mira: The hose leaks.
\u200e[14.08.24, 21:02:00] Jonas: \u200eimage omitted
\u200e[14.08.24, 21:02:30] Jonas: \u200eJonas changed this group's icon
\u200e[14.08.24, 21:03:00] Jonas: \u200e<attached: 00000012-PHOTO.jpg>
\u200e[14.08.24, 21:04:00] Mira: \u200eThis message was deleted.
\u200e[14.08.24, 21:05:00] Jonas: \u200eMissed voice call
\u200e[14.08.24, 21:06:00] Jonas: \u200eLocation: https://maps.google.com/?q=52.5,13.4
\u200e[14.08.24, 21:07:00] Mira: \u200ePOLL:
When?
\u200eOPTION: Monday (2 votes)
[14.08.24, 21:08:00] Mira: Thanks"""


def test_what_the_phone_writes_under_a_name_is_a_notice() -> None:
    found = read(IOS)

    assert [(turn.speaker, turn.text.split("\n")[0]) for turn in found.turns] == [
        ("Mira", "The hose leaks."),
        ("Jonas", "image omitted"),
        ("Jonas", "<attached: 00000012-PHOTO.jpg>"),
        ("Jonas", "Location: https://maps.google.com/?q=52.5,13.4"),
        ("Mira", "POLL:"),
        ("Mira", "Thanks"),
    ]
    assert [each.partition(" ")[2] for each in found.left["events"]] == [
        "Garden: Messages and calls are end-to-end encrypted.",
        "Mira created group “Garden”",
        "Garden: Mira added you",
        "Jonas changed this group's icon",
        "Mira: This message was deleted.",
        "Jonas: Missed voice call",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "24/3/14, 13:59 Ortszeit Mitte - Mira: Ready.\n24/3/14, 14:00 Ortszeit Mitte - Jonas: Good.",
        "[24/3/14, 1:59:59 XYZZY Q] Mira: Ready.\n[24/3/14, 2:00:01 XYZZY Q] Jonas: Good.",
        "3-24-2014 foo bar baz 1:59 - Mira: Ready.\n3-24-2014 foo bar baz 1:59 - Jonas: Good.",
    ],
)
def test_a_chat_that_nearly_fits_is_refused_with_its_line_and_never_guessed(text: str) -> None:
    source = format_of_file(text.encode())
    assert isinstance(source, FileFormat)

    with pytest.raises(NotRead, match="seems to be a WhatsApp") as refused:
        list(source.read(text.encode(), About("x.txt", MOMENTS[0])))
    assert text.partition("\n")[0][:30] in str(refused.value)
