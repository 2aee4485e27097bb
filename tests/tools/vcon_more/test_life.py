"""The life of vCons: what is under legal hold stays, whoever would change or delete it."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from tests.conftest import Call
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.postgres.tenants import tenant_tables
from vcontract.runtime.store.vcons.retention import (
    RetentionCounts,
    count_expired,
    delete_expired,
    tenants_with_expired,
)

SESSION = Path(__file__).parents[3] / "docs" / "demo_session.jsonl"
OLD, NEW = "2020-01-01T00:00:00Z", f"{datetime.now(UTC):%Y-%m-%dT00:00:00Z}"
DIALOG: JsonObject = {"type": "text", "start": "2026-01-01T00:00:00Z", "parties": [0], "body": "keep this"}
PARTIES: list[JsonObject] = [{"name": "Ann"}]
CHANGES: dict[str, JsonObject] = {
    "delete_vcon": {"uuid": None, "confirm": True},
    "update_vcon": {"uuid": None, "updates": {"subject": "another"}},
    "add_dialog": {"vcon_uuid": None, "dialog": {**DIALOG, "mediatype": "text/plain", "encoding": "none"}},
    "update_party": {"vcon_uuid": None, "index": 0, "party": {"name": "Bob"}},
    "remove_party": {"vcon_uuid": None, "index": 0},
}


async def run(settings: Settings, *arguments: object) -> Result:
    assert settings.database_url is not None
    env = {
        "VCONTRACT_DATABASE_URL": settings.database_url.get_secret_value(),
        "VCONTRACT_DATA_DIR": str(settings.data_dir),
    }
    return await asyncio.to_thread(CliRunner().invoke, command, [str(each) for each in arguments], env=env)


async def test_what_is_held_is_neither_changed_nor_deleted_until_it_is_released(
    call: Call, create: Create, owner: OwnerConnection, tenant: str
) -> None:
    uuid = await create(parties=PARTIES)
    before = await call("get_vcon", uuid=uuid)

    assert (await call("hold_vcon", vcon_uuid=uuid, reason="matter 1"))["success"]

    for tool, arguments in CHANGES.items():
        given = {name: uuid if value is None else value for name, value in arguments.items()}
        answer = await call(tool, **given)
        assert answer["error_code"] == "CONFLICT", tool
        assert answer["details"] == {"reason": "held", "uuid": uuid, "held_for": "matter 1"}
    assert await call("get_vcon", uuid=uuid) == before
    assert (await call("update_tags", vcon_uuid=uuid, tags={"team": "legal"}))["success"]
    with pytest.raises(asyncpg.ForeignKeyViolationError):  # not even the schema's owner by mistake
        await owner.execute("delete from vcontract.vcon where tenant = $1", tenant)

    assert [(await call("release_hold", vcon_uuid=uuid))["released"] for _ in range(2)] == [True, False]

    assert (await call("delete_vcon", uuid=uuid, confirm=True))["success"]
    lines = await owner.fetch(
        "select action, detail from vcontract.audit where tenant = $1 order by at", tenant
    )
    assert [line["action"] for line in lines if "hold" in line["action"]] == ["hold_vcon", "release_hold"]
    assert "matter 1" not in str([dict(line) for line in lines])


async def test_what_is_held_stays_evidence_until_it_is_released_and_deleted(
    call: Call, create: Create
) -> None:
    said = {"type": "text", "parties": [0], "mediatype": "text/plain", "encoding": "none"}
    uuid = await create(parties=PARTIES, dialog=[{**said, "body": "The boiler key hangs behind the door."}])
    assert (await call("hold_vcon", vcon_uuid=uuid, reason="matter 1"))["success"]
    await call("delete_vcon", uuid=uuid, confirm=True)

    held = await call("vcon_recall", query="where is the boiler key")
    await call("release_hold", vcon_uuid=uuid)
    await call("delete_vcon", uuid=uuid, confirm=True)
    gone = await call("vcon_recall", query="where is the boiler key")

    assert [item["id"] for item in held["items"]] == [uuid]
    assert (gone["items"], gone["meta"]["answerable"]) == ([], "nothing_found")


async def test_a_held_vcon_is_not_replaced_by_an_import_and_its_neighbours_are(
    call: Call, create: Create, settings: Settings, tenant: str, tmp_path: Path
) -> None:
    held, other = [await create(parties=PARTIES) for _ in range(2)]
    file = tmp_path / "changed.jsonl"
    vcons = [{**(await call("get_vcon", uuid=uuid))["vcon"], "subject": "changed"} for uuid in (held, other)]
    file.write_text("\n".join(map(json.dumps, vcons)))
    await call("hold_vcon", vcon_uuid=held, reason="matter 2")

    outcome = await run(settings, "import", file, "--tenant", tenant, "--on-conflict", "replace", "--json")

    counts = json.loads(outcome.stdout)
    assert (counts["replaced"], counts["refused"]) == (1, 1)
    assert "legal hold" in outcome.output
    assert "subject" not in (await call("get_vcon", uuid=held))["vcon"]


async def imported_session(settings: Settings, owner: OwnerConnection, tenant: str) -> tuple[str, str]:
    """The vCon of a session that was imported, and its archived copy."""
    await run(settings, "import", SESSION, "--tenant", tenant)
    query = "select vcon::text, archive_path from vcontract.transcript where tenant = $1"
    vcon, copy = (await owner.fetch(query, tenant))[0]
    return vcon, copy


async def test_a_held_transcript_is_not_forgotten_and_keeps_its_copy(
    call: Call, settings: Settings, owner: OwnerConnection, tenant: str
) -> None:
    vcon, copy = await imported_session(settings, owner, tenant)
    await call("hold_vcon", vcon_uuid=vcon, reason="matter 3")

    refused = await run(settings, "forget", copy, "--tenant", tenant)
    kept = await run(settings, "tenant", "delete", tenant, "--yes")

    assert (refused.exit_code, kept.exit_code) == (1, 1)
    assert "legal hold" in refused.stderr
    assert "1 vCon" in kept.stderr
    assert await asyncio.to_thread(Path(copy).is_file)
    assert (await call("get_vcon", uuid=vcon))["success"]


async def test_a_redacted_transcript_that_goes_under_a_key_goes_once_and_its_copy_with_the_commit(
    call: Call, settings: Settings, owner: OwnerConnection, tenant: str
) -> None:
    vcon, copy = await imported_session(settings, owner, tenant)
    given: JsonObject = {"vcon_uuid": vcon, "words": ["accountant"], "keep_original": False}

    answers = [await call("redact_vcon", **given, request_key="a") for _ in range(2)]

    assert answers[0]["original_deleted"], answers[0]
    assert answers[0] == answers[1]
    assert not await asyncio.to_thread(Path(copy).exists)
    assert not (await call("get_vcon", uuid=vcon))["success"]


async def test_holds_are_listed_the_latest_first_and_counted(call: Call, create: Create) -> None:
    assert await call("list_holds") == {"success": True, "total": 0, "holds": []}
    first, second = [await create(parties=PARTIES) for _ in range(2)]
    for uuid, reason in ((first, "matter 5"), (second, "matter 6")):
        await call("hold_vcon", vcon_uuid=uuid, reason=reason)

    both, rest = await call("list_holds"), await call("list_holds", limit=1, offset=1)

    assert [(each["vcon_uuid"], each["reason"]) for each in both["holds"]] == [
        (second, "matter 6"),
        (first, "matter 5"),
    ]
    assert (rest["total"], rest["holds"]) == (2, both["holds"][1:])


async def test_what_is_not_there_cannot_be_held(call: Call) -> None:
    uuid = "123e4567-e89b-12d3-a456-426614174000"
    for answer in (
        await call("hold_vcon", vcon_uuid=uuid, reason="x"),
        await call("release_hold", vcon_uuid=uuid),
    ):
        assert (answer["error_code"], answer["details"]) == ("NOT_FOUND", {"uuid": uuid})


async def test_the_audit_tells_what_became_of_vcons_as_events_of_their_life(
    call: Call, create: Create, settings: Settings, tenant: str
) -> None:
    first = await create(parties=PARTIES)
    await call("update_party", vcon_uuid=first, index=0, party={"name": "Bob"})
    await call("add_tag", vcon_uuid=first, key="team", value="legal")
    await call("hold_vcon", vcon_uuid=first, reason="matter 7")
    amended = (await call("amend_vcon", vcon_uuid=first))["vcon_uuid"]
    await call("delete_vcon", uuid=amended, confirm=True)

    reported = await run(settings, "audit", "--tenant", tenant, "--lifecycle")

    events = [json.loads(line) for line in reported.stdout.splitlines()]
    assert [(each["event"], each["vcon"], each.get("made_of")) for each in events] == [
        ("vcon_created", first, None),
        ("vcon_enhanced", first, None),
        ("vcon_created", amended, first),
        ("vcon_deleted", amended, None),
    ]
    assert {each["who"] for each in events} == {"local"}


async def everything(owner: OwnerConnection, tenant: str) -> list[str]:
    """Every row of the tenant as text, but those that say what was done and what was deleted."""
    return [
        row["row"]
        for table in {*await tenant_tables(owner)} - {"audit", "vcon_tombstone"}
        for row in await owner.fetch(
            f"select t::text as row from vcontract.{table} t where tenant = $1",  # noqa: S608  (a table's name)
            tenant,
        )
    ]


async def old_and_new(call: Call, create: Create) -> dict[str, str]:
    """One vCon of long ago, one of long ago that is held, and one of now; by what they say."""
    made: dict[str, str] = {}
    for text, created_at in (("xylophonist", OLD), ("harpsichordist", OLD), ("trombonist", NEW)):
        dialog = [{**DIALOG, "mediatype": "text/plain", "encoding": "none", "body": f"the {text} came"}]
        made[text] = await create(parties=PARTIES, dialog=dialog, created_at=created_at)
    await call("hold_vcon", vcon_uuid=made["harpsichordist"], reason="matter 4")
    return made


async def test_what_is_older_than_it_is_kept_goes_from_every_table_and_leaves_a_line(
    call: Call, create: Create, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    made = await old_and_new(call, create)
    before = datetime.now(UTC) - timedelta(days=365)
    assert await count_expired(database, tenant, before) == RetentionCounts(due=1, held=1)
    assert tenant in await tenants_with_expired(database, before)
    assert any(made["xylophonist"] in row for row in await everything(owner, tenant))

    # as two servers at once
    deleted = await asyncio.gather(*(delete_expired(database, tenant, before, "server") for _ in range(2)))

    assert sum(deleted) == 1
    rows = await everything(owner, tenant)
    assert [row for row in rows if made["xylophonist"] in row or "the xylophonist" in row] == []
    for text in ("harpsichordist", "trombonist"):
        assert any(made[text] in row for row in rows)
    assert await count_expired(database, tenant, before) == RetentionCounts(due=0, held=1)
    assert tenant not in await tenants_with_expired(database, before)
    lines = await owner.fetch(
        "select vcon::text, caller from vcontract.audit where tenant = $1 and action = 'retention'", tenant
    )
    assert [tuple(line) for line in lines] == [(made["xylophonist"], "server")]


async def test_the_command_tells_how_many_it_would_be_and_deletes_them(
    call: Call, create: Create, settings: Settings, tenant: str
) -> None:
    await old_and_new(call, create)
    arguments = ("retain", "--days", 365, "--tenant", tenant, "--json")

    would = json.loads((await run(settings, *arguments, "--dry-run")).stdout)
    done = [json.loads((await run(settings, *arguments, "--yes")).stdout) for _ in range(2)]

    assert (would["due"], would["held"]) == (1, 1)
    assert [(each["deleted"], each["held"]) for each in done] == [(1, 1), (0, 1)]
    assert (await run(settings, "retain", "--tenant", tenant, "--yes")).exit_code == 2
    nobody = await run(settings, "retain", "--days", 365, "--tenant", "nobody", "--dry-run")
    assert nobody.stdout == "Would delete 0 conversations.\n"
