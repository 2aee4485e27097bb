"""The version that imports write: new conversations have it, and it changes nothing about known ones."""

import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.imports.test_growing import all_of, slack, telegram, whatsapp
from tests.imports.test_importer import fates
from tests.imports.test_programs import CHATGPT, CLAUDE
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.merging import extended, merged
from vcontract.runtime.imports.preparing import Workers
from vcontract.runtime.imports.sources import Problem
from vcontract.runtime.imports.summary import Summary
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.version_migration import session_of_all, with_new_dialog

RunImport: TypeAlias = Callable[..., Awaitable[tuple[Summary, list[Problem]]]]
SCHEMAS = VconSchemas.load()
VERSIONS = ("0.4.0", "0.5.0")
AT = "2026-11-02T09:00:00Z"
LATER = "2026-11-02T09:02:00Z"


@pytest.fixture(scope="module")
def writing() -> Iterator[dict[str, Workers]]:
    """Where documents are prepared, by the version that is written."""
    with Workers(version="0.4.0") as older, Workers(version="0.5.0") as newer:
        yield {"0.4.0": older, "0.5.0": newer}


def chatgpt(folder: Path, turns: range) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps([CHATGPT]))
    return path


def claude(folder: Path, turns: range) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps([CLAUDE]))
    return path


PROGRAMS = pytest.mark.parametrize("export", [whatsapp, telegram, slack, chatgpt, claude])


def assert_one_session(vcon: JsonObject) -> None:
    """All dialog is in one session, and the vCon conforms."""
    assert vcon["vcon"] == "0.5.0"
    assert vcon["sessions"] == [session_of_all(vcon)]
    assert vcon["sessions"][0]["dialog"] == list(range(len(vcon["dialog"])))
    assert SCHEMAS.all_violations(vcon) == []


@PROGRAMS
@pytest.mark.parametrize("before", VERSIONS)
async def test_an_export_that_was_imported_in_another_version_is_identical(
    run_import: RunImport,
    writing: dict[str, Workers],
    database: Database,
    tenant: str,
    tmp_path: Path,
    export: Callable[[Path, range], Path],
    before: str,
) -> None:
    (after,) = {*VERSIONS} - {before}
    path = export(tmp_path, range(4))
    await run_import(path, by=writing[before])
    stored = await all_of(database, tenant)

    summary, _ = await run_import(path, by=writing[after])

    assert fates(summary) == {"identical": 1}
    assert await all_of(database, tenant) == stored
    assert [vcon["vcon"] for vcon in stored] == [before]


@pytest.mark.parametrize("export", [whatsapp, telegram, slack])
@pytest.mark.parametrize("before", VERSIONS)
async def test_a_conversation_that_grows_keeps_its_version_and_its_session_grows(
    run_import: RunImport,
    writing: dict[str, Workers],
    database: Database,
    tenant: str,
    tmp_path: Path,
    export: Callable[[Path, range], Path],
    before: str,
) -> None:
    await run_import(export(tmp_path, range(2, 4)), by=writing[before])

    await run_import(export(tmp_path, range(1, 6)), by=writing["0.5.0"])

    (vcon,) = await all_of(database, tenant)
    assert vcon["vcon"] == before
    assert len(vcon["dialog"]) == 5
    if before == "0.5.0":
        assert_one_session(vcon)
    else:
        assert "sessions" not in vcon


async def test_a_copy_beside_another_one_has_the_same_uuid_in_each_version(
    run_import: RunImport, writing: dict[str, Workers], database: Database, tenant: str, tmp_path: Path
) -> None:
    for number, text in enumerate(("Near the river.", "By the sea.")):
        path = tmp_path / str(number) / "conversations.json"
        path.parent.mkdir()
        changed = json.loads(json.dumps(CLAUDE))
        changed["chat_messages"] = [
            {**each, "uuid": f"{number}{each['uuid'][1:]}", "text": text, "content": []}
            for each in changed["chat_messages"]
        ]
        path.write_text(json.dumps([changed]))
    both = [tmp_path / str(number) / "conversations.json" for number in (0, 1)]
    for path in both:
        await run_import(path, on_conflict="keep-both", by=writing["0.4.0"])
    stored = {vcon["uuid"] for vcon in await all_of(database, tenant)}

    for path in both:
        await run_import(path, on_conflict="keep-both", by=writing["0.5.0"])

    assert {vcon["uuid"] for vcon in await all_of(database, tenant)} == stored


def call(**members: object) -> JsonObject:
    """A stored call of two turns, with a session beside the first one and an event of the second turn."""
    turns = [
        {
            "type": "text",
            "start": at,
            "parties": [0, 1],
            "originator": 0,
            "body": body,
            "encoding": "none",
            "mediatype": "text/plain",
        }
        for at, body in ((AT, "Is it raining?"), (LATER, "Not before noon."))
    ]
    return {
        "vcon": "0.5.0",
        "uuid": "01928e10-193e-8231-b9a2-279e0d16bc46",
        "parties": [{"name": "Ann"}, {"name": "Bob"}],
        "sessions": [
            {"start": AT, "duration": 120, "parties": [0, 1], "dialog": [0, 1]},
            {"start": LATER, "parties": [1], "dialog": [1], "sessions": [{"session": 0, "type": "breakout"}]},
        ],
        "dialog": turns,
        "events": [{"type": "hold", "time": LATER, "session": 1, "party": 1, "dialog": 1}],
        **members,
    }


def test_sessions_and_events_follow_the_turns_that_a_merge_moves() -> None:
    stored = call()
    between = {**stored["dialog"][0], "start": "2026-11-02T09:01:00Z", "body": "I have no coat."}
    newer = {**stored, "dialog": [stored["dialog"][0], between, stored["dialog"][1]]}

    whole = merged(stored, newer)

    assert whole is not None
    assert [turn["body"] for turn in whole["dialog"]] == [
        "Is it raining?",
        "I have no coat.",
        "Not before noon.",
    ]
    assert [each["dialog"] for each in whole["sessions"]] == [[0, 1, 2], [2]]
    assert whole["events"] == [{**stored["events"][0], "dialog": 2}]
    assert SCHEMAS.all_violations({**whole, "created_at": AT}) == []


def test_a_newer_version_of_a_vcon_brings_its_sessions_and_events() -> None:
    older = call(
        sessions=[{"start": AT, "parties": [0, 1], "dialog": [0]}], dialog=call()["dialog"][:1], events=[]
    )

    whole = extended(older, call())

    assert whole == call()
    assert whole is not None
    assert extended(whole, older) is whole


def test_what_was_added_to_an_older_version_stays_beside_what_is_newer() -> None:
    noted = {"type": "mute", "time": AT, "session": 0, "party": 0}
    older = call(dialog=call()["dialog"][:1], events=[noted], sessions=call()["sessions"][:1])

    whole = extended(older, call())

    assert whole is not None
    assert whole["events"] == [*call()["events"], noted]


def test_dialog_that_a_session_has_changes_nothing() -> None:
    assert with_new_dialog(call()) == call()
    older = {**call(), "vcon": "0.4.0"}
    assert with_new_dialog(older) is older
