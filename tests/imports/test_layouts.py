"""Texts in which names and times stand apart from the words are read by their layout."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.programs.conversation import About, Conversation, FileFormat
from vcontract.runtime.imports.programs.declared_formats import declared
from vcontract.runtime.imports.programs.guessing import guess

SAID = (
    ("Ann Lee", "Good morning everybody, shall we start?", 3),
    ("Ben Ode", "Yes, the numbers are in.", 7),
    ("Ann Lee", "Great, go on.", 12),
    ("Carl", "Wait for me, please.", 71),
)
MORNING = datetime(2025, 3, 5, tzinfo=UTC)

LAYOUTS = {
    "a time below the name": "{name}\n{minutes}:{seconds:02}\n{text}\n\n",
    "a time above the name": "{minutes:02}:{seconds:02}\n{name}\n{text}\n",
    "a time above the name, and empty lines": "[00:{minutes:02}:{seconds:02}]\n\n{name}\n\n{text}\n\n",
    "a time above the name and the words": "[00:{minutes:02}:{seconds:02}]\n{name}: {text}\n",
    "a line of name and time": "{name} | {minutes:02}:{seconds:02}\n{text}\n\n",
    "a dash between them": "{name} - {minutes:02}:{seconds:02}\n{text}\n\n",
    "a comma between them": "{name}, {minutes:02}:{seconds:02}\n{text}\n\n",
    "a colon between them": "{name}: ({minutes:02}:{seconds:02})\n{text}\n\n",
    "a time with a sign before the name": "@{minutes}:{seconds:02} - {name}\n{text}\n\n",
    "tabs": "{minutes:02}:{seconds:02}\t{name}\t{text}\n",
    "name and time in brackets": "[{name} 00:{minutes:02}:{seconds:02}] {text}\n",
    "seconds in parentheses": "[{name}] ({whole}.00 - {whole}.90): {text}\n",
    "a heading with a dash": "### {name} — {minutes:02}:{seconds:02}\n{text}\n\n",
}
WITHOUT_TIMES = {"a tab": "{name}\t{text}\n", "brackets": "[{name}] {text}\n"}
OF_TWELVE_HOURS = {
    "in brackets behind the name": "{name} [1:{seconds:02} PM]\n{text}\n\n",
    "before the name": "[1:{seconds:02} p.m.] {name}: {text}\n",
}
OTHERS = {
    "a list of changes": "[Fixed] the bug in the reader\n[Added] a new command\n[Fixed] one more\n",
    "a programme": "10:00\nWelcome\nby Ann\n10:30\nBudget\nby Ben\n11:00\nCoffee\nin the lobby\n",
    "songs": "Queen - 3:21\nBohemian something\nAbba - 4:01\nWaterloo and more\nQueen - 2:20\nAnother one\n",
    "captions": "0:00\nOkay so today\n0:03\nwe will talk about tea\n0:09\nand coffee\n0:12\nAlright\n",
    "settings": "[Server]\nport = 80\n[Client]\nport = 81\n",
    "values": "Invoice\t22\nTotal\t90 EUR\nInvoice\tA\n",
}


def written(layout: str) -> bytes:
    return "".join(
        layout.format(name=name, text=text, minutes=whole // 60, seconds=whole % 60, whole=whole)
        for name, text, whole in SAID
    ).encode()


def conversation(text: bytes, *, is_sure: bool | None = None) -> Conversation:
    """The conversation that a text is guessed to be."""
    guessed = guess(text)
    assert guessed is not None
    assert is_sure in (None, guessed.is_sure)
    source = declared(guessed.spec)
    assert isinstance(source, FileFormat)
    (found,) = source.read(text, About("notes.txt", MORNING))
    return found


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_who_spoke_and_when_is_read_from_any_layout(layout: str) -> None:
    found = conversation(b"Weekly sync\n\n" + written(layout), is_sure=True)

    assert [
        (turn.speaker, turn.text, (turn.at - MORNING).seconds) for turn in found.turns if turn.at
    ] == list(SAID)


@pytest.mark.parametrize("layout", WITHOUT_TIMES.values(), ids=WITHOUT_TIMES)
def test_a_name_before_words_is_shown_before_it_is_taken_for_a_speaker(layout: str) -> None:
    found = conversation(written(layout), is_sure=False)

    assert [(turn.speaker, turn.text) for turn in found.turns] == [(name, text) for name, text, _ in SAID]


@pytest.mark.parametrize("layout", OF_TWELVE_HOURS.values(), ids=OF_TWELVE_HOURS)
def test_a_clock_of_twelve_hours_gives_times_of_the_day(layout: str) -> None:
    found = conversation(written(layout).rpartition(b"Carl")[0].rpartition(b"\n")[0], is_sure=True)

    assert [(turn.speaker, f"{turn.at:%H:%M}") for turn in found.turns] == [
        ("Ann Lee", "13:03"),
        ("Ben Ode", "13:07"),
        ("Ann Lee", "13:12"),
    ]


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_is_laid_out_alike_but_says_nothing_is_no_dialogue_for_sure(text: str) -> None:
    guessed = guess(text.encode())

    assert guessed is None or not guessed.is_sure


TABLES = {
    "a column for either side": """id,time,user_message,bot_response
s1,2025-03-05T10:00:00Z,Where is my parcel?,In Leipzig.
s1,2025-03-05T10:01:00Z,When does it come?,Tomorrow.
""",
    "a side that is silent": """Anruf;Kunde;Agent
1;Mein Router blinkt rot.;
1;;Ich schaue nach.
1;Vielen Dank dafür.;
""",
    "turns as JSON in a cell": """id,date,turns
1,2025-03-05,"[{""speaker"":""agent"",""text"":""Good day.""},{""speaker"":""customer"",""text"":""Hello.""}]"
""",
    "turns as JSON in a column with a point in its name": """id,date,call.turns
1,2025-03-05,"[{""speaker"":""agent"",""text"":""Good day.""},{""speaker"":""customer"",""text"":""Hello.""}]"
""",
}
READ = {
    "a column for either side": [
        ("User", "Where is my parcel?"),
        ("Bot", "In Leipzig."),
        ("User", "When does it come?"),
        ("Bot", "Tomorrow."),
    ],
    "a side that is silent": [
        ("Kunde", "Mein Router blinkt rot."),
        ("Agent", "Ich schaue nach."),
        ("Kunde", "Vielen Dank dafür."),
    ],
    "turns as JSON in a cell": [("agent", "Good day."), ("customer", "Hello.")],
    "turns as JSON in a column with a point in its name": [("agent", "Good day."), ("customer", "Hello.")],
}


@pytest.mark.parametrize("name", TABLES)
def test_a_row_with_several_turns_gives_each_its_speaker(name: str) -> None:
    found = conversation(TABLES[name].encode(), is_sure=True)

    assert [(turn.speaker, turn.text) for turn in found.turns] == READ[name]


def test_names_of_both_sides_are_no_words_of_theirs_and_an_faq_is_shown_first() -> None:
    calls = guess(
        b"id,customer,agent,transcript\n1,Ann Lee,Ben Ode,Agent: Hello. Customer: My line is dead.\n"
    )
    faq = guess(b"question,answer\nHow do I boil an egg?,Seven minutes.\nAnd a soft one?,Five minutes.\n")

    assert calls is not None
    assert "columns" not in calls.spec["turns"][0]
    assert faq is not None
    assert not faq.is_sure


MESSAGES: dict[str, JsonObject] = {
    "people by their id, and a channel that all have": {
        "comments": [
            {"author_id": 1, "body": "My kettle leaks.", "via": {"channel": "web"}},
            {"author_id": 2, "body": "Send it back, please.", "via": {"channel": "web"}},
        ],
        "users": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Ben"}],
    },
    "a list of one sender": {
        "results": [
            {"text": "My kettle leaks.", "senders": [{"id": "V-1", "name": "Ann"}]},
            {"text": "Send it back, please.", "senders": [{"id": "A-1", "name": "Ben"}]},
        ]
    },
    "the newest first": {
        "messages": [
            {"msg": "Send it back, please.", "ts": "2024-05-01T10:02:00Z", "u": {"name": "Ben"}},
            {"msg": "My kettle leaks.", "ts": "2024-05-01T10:00:00Z", "u": {"name": "Ann"}},
        ]
    },
    "texts in a list of a message": {
        "data": [
            {
                "created_at": 1714557660,
                "role": "Ben",
                "content": [{"text": {"value": "Send it back, please."}}],
            },
            {"created_at": 1714557600, "role": "Ann", "content": [{"text": {"value": "My kettle leaks."}}]},
        ]
    },
    "a name that only some have": {
        "messages": [
            {"text": "My kettle leaks.", "sender": {"username": "Ann"}},
            {"text": "Send it back, please.", "sender": {"name": "Ben"}},
        ]
    },
}


@pytest.mark.parametrize("document", MESSAGES.values(), ids=MESSAGES)
def test_who_wrote_each_message_is_guessed_and_two_are_never_one(document: JsonObject) -> None:
    found = conversation(json.dumps(document).encode())

    names = {key: party.get("name", key) for key, party in found.parties.items()}
    assert [(names.get(turn.speaker, turn.speaker), turn.text) for turn in found.turns] == [
        ("Ann", "My kettle leaks."),
        ("Ben", "Send it back, please."),
    ]


def test_times_above_some_turns_leave_every_voice_its_own() -> None:
    found = conversation(
        b"[00:00:05]\nAnn: Good morning.\nBen: Hello to you.\n[00:05:00]\nAnn: Shall we?\nBen: Yes, please.\n"
    )

    assert [(turn.speaker, turn.text) for turn in found.turns] == [
        ("Ann", "Good morning."),
        ("Ben", "Hello to you."),
        ("Ann", "Shall we?"),
        ("Ben", "Yes, please."),
    ]
    assert found.turns[2].at == MORNING + timedelta(minutes=5)


def test_words_with_commas_are_no_table() -> None:
    assert (
        guess(b"3.5 Ann: Good morning, shall we start?\n7.5 Ben: Yes, we shall.\n9.5 Ann: Well, go on.\n")
        is None
    )
