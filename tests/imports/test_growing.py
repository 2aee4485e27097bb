"""Exports of one conversation that overlap: each turn is there once, whichever export came first."""

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.imports.test_importer import fates
from tests.imports.test_programs import said
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.merging import merged
from vcontract.runtime.imports.sources import Problem
from vcontract.runtime.imports.summary import Summary
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.store import VconStore

RunImport: TypeAlias = Callable[..., Awaitable[tuple[Summary, list[Problem]]]]
TEXTS = [
    "Will it rain?",
    "Not before noon.",
    "Then we go at ten.",
    "Bring the ladder.",
    "It is here.",
    "Good.",
]


def whatsapp(folder: Path, turns: range, ann: str = "Ann Example", bob: str = "Bob") -> Path:
    path = folder / f"WhatsApp Chat with {bob} {turns.start}.txt"
    lines = [f"05/03/2024, 10:{number:02} - {(ann, bob)[number % 2]}: {TEXTS[number]}\n" for number in turns]
    path.write_text("".join(lines))
    return path


def telegram(folder: Path, turns: range, ann: str = "Ann Example", bob: str = "Bob") -> Path:
    path = folder / f"result-{turns.start}.json"
    messages = [
        {
            "id": number + len(ann),
            "type": "message",
            "date": f"2024-03-05T10:{number:02}:00",
            "from": (ann, bob)[number % 2],
            "from_id": f"user{number % 2}",
            "text": TEXTS[number],
        }
        for number in turns
    ]
    reported = {"name": bob, "type": "personal_chat", "id": len(bob), "messages": messages}
    path.write_text(json.dumps(reported))
    return path


def slack(folder: Path, turns: range, ann: str = "Ann Example", bob: str = "Bob") -> Path:
    path = folder / str(turns.start) / "general" / "2024-03-05.json"
    path.parent.mkdir(parents=True)
    (path.parent.parent / "users.json").write_text(
        json.dumps([{"id": "U0", "profile": {"real_name": ann}}, {"id": "U1", "profile": {"real_name": bob}}])
    )
    messages = [
        {
            "type": "message",
            "user": f"U{number % 2}",
            "text": TEXTS[number],
            "ts": f"17096328{number:02}.000100",
        }
        for number in turns
    ]
    path.write_text(json.dumps(messages))
    return path


PROGRAMS = pytest.mark.parametrize("export", [whatsapp, telegram, slack])


async def all_of(database: Database, tenant: str) -> list[JsonObject]:
    store = VconStore(database)
    async with database.reading(tenant) as connection:
        rows = await connection.fetch("select uuid from vcontract.vcon where tenant = $1", tenant)
    found = [await store.get(tenant, row["uuid"]) for row in rows]
    return [each.document() for each in found if each is not None]


async def texts_of(database: Database, tenant: str) -> list[str]:
    (vcon,) = await all_of(database, tenant)
    return [text for _, text in said(vcon)]


@PROGRAMS
@pytest.mark.parametrize(
    "parts",
    [
        (range(4), range(2, 6)),
        (range(2, 6), range(4)),
        (range(2, 4), range(6)),
        (range(3), range(1, 5), range(3, 6), range(1, 4)),
    ],
)
async def test_exports_that_overlap_become_one_conversation_in_any_order(
    export: Callable[..., Path],
    parts: Sequence[range],
    run_import: RunImport,
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    for number, part in enumerate(parts):
        (tmp_path / str(number)).mkdir()
        await run_import(export(tmp_path / str(number), part))

    assert await texts_of(database, tenant) == TEXTS


@PROGRAMS
async def test_both_peoples_exports_become_one_conversation(
    export: Callable[..., Path], run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    for owner in ("ann", "bob"):
        (tmp_path / owner).mkdir()
    await run_import(export(tmp_path / "ann", range(5), "Ann Example", "Bobby"))
    summary, _ = await run_import(export(tmp_path / "bob", range(6), "Annie", "Bob Beispiel"))

    assert fates(summary) == {"replaced": 1}
    (vcon,) = await all_of(database, tenant)
    assert [text for _, text in said(vcon)] == TEXTS
    assert {name for name, _ in said(vcon)} == {"Ann Example", "Bobby"}


@PROGRAMS
async def test_an_export_within_what_is_stored_is_identical(
    export: Callable[..., Path], run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    for number in range(2):
        (tmp_path / str(number)).mkdir()
    await run_import(export(tmp_path / "0", range(6)))

    again, _ = await run_import(export(tmp_path / "1", range(2, 5)))

    assert fates(again) == {"identical": 1}
    assert await texts_of(database, tenant) == TEXTS


async def test_a_message_that_was_deleted_since_stays_and_doubles_nothing(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    await run_import(whatsapp(tmp_path, range(5)))
    newer = whatsapp(tmp_path, range(1, 6))
    newer.write_text(newer.read_text().replace(TEXTS[3], "This message was deleted"))

    await run_import(newer)

    assert await texts_of(database, tenant) == TEXTS


async def test_files_and_new_people_of_later_turns_come_in_with_them(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    await run_import(whatsapp(tmp_path, range(4)))
    newer = whatsapp(tmp_path, range(1, 6))
    newer.write_text(newer.read_text() + "05/03/2024, 10:09 - Zoe: roof.jpg (file attached)\n")

    await run_import(newer)

    (vcon,) = await all_of(database, tenant)
    (file,) = [each for each in vcon["attachments"] if each.get("filename")]
    assert (file["filename"], file["dialog"]) == ("roof.jpg", 6)
    assert vcon["parties"][file["party"]]["name"] == "Zoe"
    assert said(vcon)[6] == ("Zoe", "roof.jpg (file attached)")


async def test_two_chats_in_which_the_same_was_sent_are_not_joined(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    greeting = "01/01/2024, 00:01 - Ann Example: A happy new year to all of you!\n"
    for name in ("Bob", "Zoe"):
        lines = [f"31/12/2023, 20:0{number} - {name}: {name} says {number}\n" for number in range(3)]
        thanks = f"01/01/2024, 00:02 - {name}: Thanks from {name}\n"
        (tmp_path / f"WhatsApp Chat with {name}.txt").write_text("".join([*lines, greeting, thanks]))

    summary, _ = await run_import(tmp_path)

    assert fates(summary) == {"created": 2}


def test_what_is_told_of_turns_moves_with_them() -> None:
    def vcon(texts: Sequence[str], **members: object) -> JsonObject:
        dialog = [
            {
                "start": f"2024-03-05T10:0{TEXTS.index(text)}:00Z",
                "body": text,
                "parties": [0],
                "originator": 0,
            }
            for text in texts
        ]
        start = dialog[0]["start"]
        return {"created_at": start, "parties": [{"name": "Ann"}], "dialog": dialog, **members}

    stored = vcon(TEXTS[2:], analysis=[{"dialog": [0, 1]}], attachments=[{"dialog": 1, "purpose": "note"}])

    joined = merged(stored, vcon(TEXTS[:4]))

    assert joined is not None
    assert [turn["body"] for turn in joined["dialog"]] == TEXTS
    assert joined["analysis"] == [{"dialog": [2, 3]}]
    assert joined["attachments"] == [{"dialog": 3, "purpose": "note"}]
    assert joined["created_at"] == "2024-03-05T10:00:00Z"
