"""Deletion: of a conversation that was deleted no word is left, in no table and no backup."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import ALL_SCOPES, Call
from tests.security.test_consent import a_vcon
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.dumps import write_dump
from vcontract.runtime.store.postgres.installation import find_installation
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.counts import fold_all
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

WORD = "wobbelquark"


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


async def rows_with(owner: OwnerConnection, word: str) -> list[tuple[str, str]]:
    """The rows of any table that hold the word, each beside its table."""
    tables = await owner.fetch(
        "select relname from pg_class where relnamespace = 'vcontract'::regnamespace and relkind = 'r'"
    )
    return [
        (table["relname"], row["row"])
        for table in tables
        for row in await owner.fetch(
            f"select t::text as row from vcontract.{table['relname']} t where t::text ilike '%' || $1 || '%'",  # noqa: S608  (a table's name)
            word,
        )
    ]


async def spellings(owner: OwnerConnection, tenant: str) -> set[str]:
    rows = await owner.fetch("select word from vcontract.spelling where tenant = $1", tenant)
    return {row["word"] for row in rows}


async def backup(url: str, folder: Path) -> str:
    """What a backup of the store holds, as text."""
    await write_dump(url, folder / "dump")
    program = await asyncio.create_subprocess_exec(
        *(find_installation().program("pg_restore"), "--file=-", str(folder / "dump")),
        stdout=asyncio.subprocess.PIPE,
    )
    written, _ = await program.communicate()
    assert program.returncode == 0
    return written.decode()


async def create(call: Call, document: JsonObject, tag: str) -> str:
    created = await call(
        "create_vcon",
        vcon_data=document,
        metadata={"tags": {"xtag": tag}},
        validate_before_insert=False,
    )
    assert created["success"], created
    return str(created["uuid"])


async def test_a_deleted_conversation_leaves_no_word_in_any_table_and_in_no_backup(
    app: App, call: Call, tenant: str, owner: OwnerConnection, tmp_path: Path
) -> None:
    word = "zorblatquark"
    kept = await create(call, a_vcon("hollyhock"), "hollyhock")
    uuid = await create(call, a_vcon(word), word)
    await app.worker.drain(tenant)
    await call("vcon_search", mode="hybrid", query=f"{word} hollyhock")
    before = {table for table, _ in await rows_with(owner, word)}
    assert {"dialog", "passage", "search_document", "spelling", "tag", "dealer"} <= before
    assert word in await backup(app.database.owner_url, tmp_path)

    assert (await call("delete_vcon", uuid=uuid, confirm=True))["success"]
    await fold_all(app.database)

    assert await rows_with(owner, word) == []
    dumped = await backup(app.database.owner_url, tmp_path)
    assert word not in dumped.lower()
    assert "hollyhock" in dumped
    assert {row for row in await rows_with(owner, "hollyhock") if row[0] == "spelling"}
    assert (await call("get_vcon", uuid=kept))["success"]


@pytest.mark.parametrize("way", ["element", "update", "redaction", "replacing import"])
async def test_a_word_that_a_conversation_loses_is_no_spelling_any_more(
    app: App, call: Call, tenant: str, owner: OwnerConnection, way: str
) -> None:
    document = {**a_vcon("hollyhock"), "subject": f"of {WORD}"}
    document["analysis"] = [{"type": "summary", "dialog": 0, "vendor": "x", "encoding": "none", "body": WORD}]
    if way == "element":
        document["subject"] = "of it"
    else:
        document["analysis"] = []
    uuid = await create(call, document, "x")
    assert WORD in await spellings(owner, tenant)

    match way:
        case "element":
            done = await call("remove_analysis", vcon_uuid=uuid, index=0)
        case "update":
            done = await call("update_vcon", uuid=uuid, updates={"subject": "of another"})
        case "redaction":
            done = await call("redact_vcon", vcon_uuid=uuid, words=[WORD], keep_original=False)
        case _:
            given = {**document, "uuid": uuid, "subject": "of another"}
            prepared = prepare(given, PrepareContext.load(), now=datetime.now(UTC))
            (outcome,) = await VconStore(app.database).insert_batch(tenant, [prepared], "replace")
            done = {"success": outcome.action == "replaced"}
    assert done["success"], done

    assert (await spellings(owner, tenant)).intersection({WORD, "hollyhock"}) == {"hollyhock"}


async def test_a_spelling_goes_with_its_last_conversation_in_whatever_order_these_go(
    app: App, call: Call, tenant: str, owner: OwnerConnection
) -> None:
    uuids = [await create(call, a_vcon(WORD), f"tag{number}") for number in range(4)]
    others = [await create(call, a_vcon("hollyhock"), f"tag{number}") for number in range(2)]
    # as in a store that was made before spellings knew of vCons
    await owner.execute("update vcontract.spelling set vcon = null where tenant = $1", tenant)
    caller = Caller(tenant, ALL_SCOPES)

    left: list[bool] = []
    for uuid in (others[0], *uuids[::2], uuids[1]):
        assert (await call("delete_vcon", uuid=uuid, confirm=True))["success"]
        left.append(WORD in await spellings(owner, tenant))
    last = [{"uuid": uuid, "confirm": True} for uuid in (uuids[3], others[1])]
    await asyncio.gather(*(app.dispatcher.call("delete_vcon", each, caller) for each in last))

    assert left == [True] * 4
    assert await spellings(owner, tenant) == set()
