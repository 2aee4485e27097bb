"""One conversation in several files is one, in whatever order they come, and two conversations stay two."""

import json
from collections.abc import Awaitable, Callable, Sequence
from itertools import permutations
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from tests.imports.test_growing import all_of, texts_of
from tests.imports.test_importer import fates
from tests.imports.test_programs import said
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.sources import Problem
from vcontract.runtime.imports.summary import Summary
from vcontract.runtime.store.postgres.database import Database

RunImport: TypeAlias = Callable[..., Awaitable[tuple[Summary, list[Problem]]]]
TEXTS: Final = [f"We meet at {hour} sharp" for hour in range(6)]
"""Alike, as messages of a chat may be: they are not corrections of one another."""
PEOPLE: Final = ("Mira", "Jonas")


def graph(numbers: Sequence[int]) -> JsonObject:
    value = [
        {
            "id": str(1000 + number),
            "messageType": "message",
            "createdDateTime": f"2024-03-05T10:0{number}:00Z",
            "chatId": "19:c@thread.v2",
            "from": {"user": {"id": PEOPLE[number % 2], "displayName": PEOPLE[number % 2]}},
            "body": {"contentType": "text", "content": TEXTS[number]},
        }
        for number in reversed(numbers)
    ]
    return {"@odata.nextLink": f"https://graph.example/{numbers}", "value": value}


def matrix(numbers: Sequence[int]) -> JsonObject:
    chunk = [
        {
            "type": "m.room.message",
            "sender": f"@{PEOPLE[number % 2]}:a.example",
            "content": {"msgtype": "m.text", "body": TEXTS[number]},
            "origin_server_ts": 1709632800000 + 60_000 * number,
            "event_id": f"${number}",
            "room_id": "!r:a.example",
        }
        for number in reversed(numbers)
    ]
    return {"start": f"t{numbers[-1]}", "end": f"t{numbers[0]}", "chunk": chunk}


def twilio(numbers: Sequence[int]) -> JsonObject:
    messages = [
        {
            "sid": f"IM{number}",
            "conversation_sid": "CH1",
            "index": number,
            "author": PEOPLE[number % 2],
            "body": TEXTS[number],
            "date_created": f"2024-03-05T10:0{number}:00Z",
        }
        for number in numbers
    ]
    return {"meta": {"key": "messages", "page": numbers[0]}, "messages": messages}


def sentences(numbers: Sequence[int]) -> JsonObject:
    spoken = [
        {"media_channel": number % 2, "start_time": 4.0 * number, "end_time": 4.0 * number + 1}
        | {"transcript": TEXTS[number], "sid": f"GX{number}"}
        for number in numbers
    ]
    url = f"https://intelligence.example/v2/Transcripts/GT1/Sentences?PageSize=50&Page={numbers[0]}"
    return {"meta": {"key": "sentences", "url": url}, "sentences": spoken}


def discord(numbers: Sequence[int]) -> JsonObject:
    messages = [
        {
            "id": str(7000 + number),
            "type": "Default",
            "timestamp": f"2024-03-05T10:0{number}:00+00:00",
            "content": TEXTS[number],
            "author": {"id": str(number % 2), "name": PEOPLE[number % 2]},
        }
        for number in numbers
    ]
    return {"guild": {"name": "Club"}, "channel": {"id": "42", "name": "general"}, "messages": messages}


def messenger(numbers: Sequence[int]) -> JsonObject:
    messages = [
        {"sender_name": PEOPLE[number % 2], "timestamp_ms": 1709632800000 + 60_000 * number}
        | {"content": TEXTS[number]}
        for number in reversed(numbers)
    ]
    return {"participants": [], "messages": messages, "title": "Mira", "thread_path": "inbox/mira_1"}


def telegram(numbers: Sequence[int]) -> JsonObject:
    messages = [
        {"id": number, "type": "message", "date": f"2024-03-05T10:0{number}:00", "text": TEXTS[number]}
        | {"from": PEOPLE[number % 2], "from_id": f"user{number % 2}"}
        for number in numbers
    ]
    return {"name": "Mira", "type": "personal_chat", "id": 7, "messages": messages}


def slack(numbers: Sequence[int]) -> list[JsonObject]:
    return [
        {
            "type": "message",
            "user": PEOPLE[number % 2],
            "text": TEXTS[number],
            "ts": f"17096328{number}0.000100",
        }
        for number in numbers
    ]


def sms(numbers: Sequence[int]) -> str:
    def one(number: int) -> str:
        address = "+491~+492" if number % 2 else "+492~+491"
        box = 1 + number % 2
        return (
            f'<mms date="{1709632800000 + 60_000 * number}" msg_box="{box}" address="{address}">'
            f'<parts><part ct="text/plain" text="{TEXTS[number]}" /></parts>'
            '<addrs><addr address="+491" type="137" /></addrs></mms>'
        )

    return f"<?xml version='1.0' ?><smses count='1'>{''.join(map(one, numbers))}</smses>"


def mail(numbers: Sequence[int]) -> str:
    def one(number: int) -> str:
        references = f"In-Reply-To: <{number - 1}@a.example>\n" if number else ""
        return (
            "From a Tue Mar  5 10:00:00 2024\n"
            f"From: {PEOPLE[number % 2]} <{PEOPLE[number % 2]}@a.example>\nSubject: Roof\n"
            f"Message-ID: <{number}@a.example>\n{references}Date: Tue, 5 Mar 2024 10:0{number}:00 +0000\n\n"
            f"{TEXTS[number]}\n\n"
        )

    return "".join(map(one, numbers))


FORMATS: Final[dict[str, Callable[[Sequence[int]], object]]] = {
    "graph.json": graph,
    "matrix.json": matrix,
    "twilio.json": twilio,
    "sentences_2024-03-05.json": sentences,
    "discord.json": discord,
    "messenger.json": messenger,
    "telegram.json": telegram,
    "general/2024-03-05.json": slack,
    "sms.xml": sms,
    "box.mbox": mail,
}
PARTS: Final = [[range(2), range(2, 4), range(4, 6)], [range(4), range(2, 6)], [range(6), range(2, 4)]]


def written(folder: Path, name: str, part: Sequence[int]) -> Path:
    path = folder / f"{part[0]}-{part[-1]}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    content = FORMATS[name](part)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("parts", PARTS, ids=["apart", "overlapping", "one within the other"])
@pytest.mark.parametrize("name", FORMATS)
async def test_parts_of_a_conversation_are_one_in_any_order(
    name: str,
    parts: Sequence[Sequence[int]],
    run_import: RunImport,
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    for number, order in enumerate((parts, parts[::-1], [*parts[::2], *parts[1::2]])):
        into = f"{tenant}-{number}"
        paths = [written(tmp_path, name, part) for part in order]
        for path in paths:
            _, problems = await run_import(path, into=into)
            assert problems == []

        assert await texts_of(database, into) == TEXTS
        again = [await run_import(path, into=into) for path in paths]
        assert [fates(summary) for summary, _ in again] == [{"identical": 1}] * len(parts)


@pytest.mark.parametrize("name", FORMATS)
async def test_parts_in_one_import_are_one_conversation(
    name: str, run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    paths = [written(tmp_path, name, part) for part in PARTS[0]]

    await run_import(*paths)

    assert await texts_of(database, tenant) == TEXTS


async def test_single_messages_join_their_thread_whichever_comes_first(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    for place, order in enumerate(permutations(range(3))):
        into = f"{tenant}-{place}"
        for number in order:
            path = tmp_path / f"{number}.eml"
            path.write_text(mail([number]).partition("\n")[2])
            await run_import(path, into=into)

        assert await texts_of(database, into) == TEXTS[:3]


async def test_what_was_added_to_a_conversation_stays_when_a_part_joins(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    await run_import(written(tmp_path, "graph.json", range(3, 6)))
    (vcon,) = await all_of(database, tenant)
    vcon["analysis"] = [
        {"type": "note", "dialog": [1], "vendor": "us", "encoding": "none", "body": "on the ladder"}
    ]
    vcon["attachments"][0]["body"].append("topic:roof")
    (tmp_path / "edited.json").write_text(json.dumps(vcon))
    await run_import(tmp_path / "edited.json", on_conflict="replace")

    summary, _ = await run_import(written(tmp_path, "graph.json", range(3)))

    assert fates(summary) == {"replaced": 1}
    (joined,) = await all_of(database, tenant)
    assert [text for _, text in said(joined)] == TEXTS
    assert [TEXTS[place] for place in joined["analysis"][0]["dialog"]] == [TEXTS[4]]
    assert "topic:roof" in joined["attachments"][0]["body"]


async def test_an_edited_message_has_its_new_words_and_keeps_the_earlier_ones(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    await run_import(written(tmp_path, "graph.json", range(6)))
    path = written(tmp_path, "graph.json", range(2, 5))
    page = json.loads(path.read_text())
    page["value"][0] |= {"lastEditedDateTime": "2024-03-06T10:00:00Z"}
    page["value"][0]["body"]["content"] = "It is in the shed."
    path.write_text(json.dumps(page))

    await run_import(path)

    (vcon,) = await all_of(database, tenant)
    assert said(vcon)[4] == ("Mira", "It is in the shed.")
    assert vcon["dialog"][4]["meta"]["conversation_export"]["earlier"] == [TEXTS[4]]
    assert fates((await run_import(path))[0]) == {"identical": 1}


# Files without dates.


def table(folder: Path, name: str, *calls: Sequence[str]) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    lines = [
        f"{number},{('Agent', 'Customer')[place % 2]},{text}\n"
        for number, call in enumerate(calls, 1)
        for place, text in enumerate(call)
    ]
    path.write_text("call_id,speaker,text\n" + "".join(lines))
    return path


FRIDGE: Final = ("Thank you for calling.", "My fridge is broken.")
OVEN: Final = ("Thank you for calling.", "My oven exploded.")
LONG: Final = (*FRIDGE, "Which model?", "The white one.")


async def bodies(database: Database, tenant: str) -> list[list[str]]:
    return sorted([text for _, text in said(vcon)] for vcon in await all_of(database, tenant))


async def test_captions_that_go_on_in_the_same_turn_extend_the_earlier_ones(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    path = tmp_path / "call.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:02,000\nOne speaker only here\n")
    await run_import(path)
    with path.open("a") as file:
        file.write("\n2\n00:00:02,500 --> 00:00:04,000\nand goes on to say so much more\n")

    summary, _ = await run_import(path)

    assert fates(summary) == {"replaced": 1}
    assert await bodies(database, tenant) == [["One speaker only here and goes on to say so much more"]]


async def test_two_calls_with_one_number_and_greeting_are_two(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    months = [table(tmp_path, "march.csv", FRIDGE), table(tmp_path, "april.csv", OVEN)]

    summary, _ = await run_import(*months)

    assert fates(summary) == {"created": 2}
    assert await bodies(database, tenant) == [list(FRIDGE), list(OVEN)]
    for month in reversed(months):
        assert fates((await run_import(month))[0]) == {"identical": 1}


@pytest.mark.parametrize(
    "later",
    [
        (*LONG, "We send somebody."),
        (FRIDGE[0], "My freezer is broken.", *LONG[2:]),
        (*LONG[:3], "Hello?", LONG[3]),
        ("Thanks for calling us.", *LONG[1:]),
    ],
    ids=["appended", "corrected", "inserted", "another greeting"],
)
async def test_a_changed_file_without_dates_replaces_what_it_was(
    later: Sequence[str], run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    await run_import(table(tmp_path, "calls.csv", LONG, OVEN))

    failing, problems = await run_import(table(tmp_path, "calls.csv", later, OVEN), on_conflict="fail")
    assert (fates(failing), len(problems)) == ({"identical": 1, "refused": 1}, 1)
    summary, _ = await run_import(tmp_path / "calls.csv")

    assert fates(summary) == {"identical": 1, "replaced": 1}
    assert await bodies(database, tenant) == sorted([list(later), list(OVEN)])
    assert fates((await run_import(tmp_path / "calls.csv"))[0]) == {"identical": 2}


@pytest.mark.parametrize(
    ("name", "text", "more"),
    [
        ("notes.md", "**Ann:** Rain?\n\n**Bob:** No.\n\n**Ann:** Good.\n", "\n**Bob:** Then at ten.\n"),
        (
            "call.vtt",
            "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>Rain?\n",
            "\n00:09.000 --> 00:10.000\n<v Bob>No.\n",
        ),
        (
            "call_2024-03-05.vtt",
            "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>Rain?\n",
            "\n00:09.000 --> 00:10.000\n<v Bob>No.\n",
        ),
        ("talk.txt", "Agent: Rain?\nCustomer: No.\nAgent: Good.\n", "Customer: Then at ten.\n"),
    ],
)
async def test_a_file_that_grew_replaces_what_it_grew_from(
    name: str, text: str, more: str, run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    await run_import(path)
    path.write_text(text + more)

    summary, _ = await run_import(path)

    assert fates(summary) == {"replaced": 1}
    assert len(await all_of(database, tenant)) == 1
    path.write_text(text)
    assert fates((await run_import(path))[0]) == {"identical": 1}
    assert (await texts_of(database, tenant))[-1] in more


async def test_both_of_two_vcons_with_one_uuid_can_be_kept(
    run_import: RunImport,
    make_vcon: Callable[..., JsonObject],
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    other = make_vcon(1)
    other["dialog"][0]["body"] = "Something else."
    for name, vcon in (("one.json", make_vcon(1)), ("other.json", other)):
        (tmp_path / name).write_text(json.dumps(vcon))
    await run_import(tmp_path / "one.json")

    skipped, _ = await run_import(tmp_path / "other.json")
    both, _ = await run_import(tmp_path / "other.json", on_conflict="keep-both")
    again, _ = await run_import(tmp_path / "other.json", on_conflict="keep-both")

    assert (fates(skipped), skipped.lost) == ({"skipped": 1}, 1)
    assert (fates(both), fates(again)) == ({"created": 1}, {"identical": 1})
    texts = [vcon["dialog"][0]["body"] for vcon in await all_of(database, tenant)]
    assert sorted(texts) == ["Something else.", "This is number 1."]
