"""What becomes of documents on their way from files into the store."""

import base64
import gzip
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from uuid import UUID

import asyncpg
import pytest

from tests.imports.test_programs import come_in
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports import preparing
from vcontract.runtime.imports.export import NoSuchVcon, export_all, export_some
from vcontract.runtime.imports.importer import BATCH_DOCUMENTS, Importer
from vcontract.runtime.imports.preparing import Workers
from vcontract.runtime.imports.sources import Origin, Problem, RawDocument, find_files
from vcontract.runtime.imports.summary import Fate, Summary, TranscriptSummary
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.roles import Roles
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.preparation import PrepareContext, PreparedVcon, prepare
from vcontract.runtime.store.vcons.store import OnConflict, Outcome, VconStore
from vcontract.runtime.vcon.formats import INDENTED

RunImport: TypeAlias = Callable[..., Awaitable[tuple[Summary, list[Problem]]]]
MakeVcon: TypeAlias = Callable[..., JsonObject]


def lines_of(path: Path, *documents: JsonValue | str) -> Path:
    """A file of one document a line; a string goes in as it is."""
    lines = [line if isinstance(line, str) else json.dumps(line) for line in documents]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def fates(summary: Summary) -> dict[str, int]:
    counts = {
        "created": summary.created,
        "replaced": summary.replaced,
        "skipped": summary.skipped,
        "identical": summary.identical,
        "refused": summary.refused,
    }
    assert summary.read == sum(counts.values())
    return {name: count for name, count in counts.items() if count}


async def stored(database: Database, tenant: str, uuid: str) -> JsonObject:
    found = await VconStore(database).get(tenant, UUID(uuid))
    assert found is not None
    return found.document()


def in_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def signed(vcon: JsonValue, *, compressed: bool = False) -> JsonObject:
    payload = json.dumps(vcon).encode()
    return {
        "payload": in_base64url(gzip.compress(payload) if compressed else payload),
        "signatures": [{"protected": "e30", "signature": "AA", "header": {"alg": "RS256", "x5c": ["AA"]}}],
    }


ENCRYPTED: JsonObject = {
    "unprotected": {"cty": "application/vcon", "enc": "A256CBC-HS512"},
    "recipients": [{"header": {"alg": "RSA-OAEP"}, "encrypted_key": "AA"}],
    "iv": "AA",
    "ciphertext": "AA",
    "tag": "AA",
}


async def test_a_second_import_finds_the_same_vcons_identical(
    run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path
) -> None:
    lines_of(tmp_path / "two.jsonl", make_vcon(1), make_vcon(2))
    (tmp_path / "one.vcon").write_text(json.dumps(make_vcon(3), indent=2))

    first, _ = await run_import(tmp_path)
    # the same content in another order of members, as another program would write it
    (tmp_path / "one.vcon").write_text(json.dumps(make_vcon(3), sort_keys=True))
    second, _ = await run_import(tmp_path)

    assert (first.files, fates(first)) == (2, {"created": 3})
    assert (second.files, fates(second)) == (2, {"identical": 3})


@pytest.mark.parametrize(
    ("on_conflict", "fate", "subject"),
    [("skip", "skipped", "Call 1"), ("replace", "replaced", "new"), ("fail", "refused", "Call 1")],
)
async def test_a_vcon_that_is_there_with_other_content_goes_by_on_conflict(
    on_conflict: OnConflict,
    fate: str,
    subject: str,
    run_import: RunImport,
    make_vcon: MakeVcon,
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    old, same, changed = make_vcon(1), make_vcon(2), make_vcon(1, subject="new")
    await run_import(lines_of(tmp_path / "old.jsonl", old, same))

    summary, problems = await run_import(
        lines_of(tmp_path / "new.jsonl", changed, same), on_conflict=on_conflict
    )

    assert fates(summary) == {fate: 1, "identical": 1}
    assert (await stored(database, tenant, old["uuid"]))["subject"] == subject
    assert [(p.rule, p.path, p.origin.line) for p in problems] == (
        [("conflict", "$.uuid", 1)] if on_conflict == "fail" else []
    )


async def test_a_conversation_that_went_on_gets_its_new_turns_and_keeps_what_was_added_here(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    first = make_vcon(1)
    summary = {"type": "summary", "vendor": "x", "dialog": 0, "encoding": "none", "body": "A number."}
    turn = {**first["dialog"][0], "parties": [2], "body": "And one more."}
    grown = {
        **first,
        "parties": [*first["parties"], {"name": "Cy"}],
        "dialog": [*first["dialog"], turn],
    }
    await run_import(lines_of(tmp_path / "a.jsonl", {**first, "analysis": [summary]}))

    once, _ = await run_import(lines_of(tmp_path / "b.jsonl", grown))
    again, _ = await run_import(lines_of(tmp_path / "b.jsonl", grown))
    older, _ = await run_import(lines_of(tmp_path / "c.jsonl", first))

    assert (fates(once), fates(again), fates(older)) == ({"replaced": 1}, {"identical": 1}, {"identical": 1})
    assert await stored(database, tenant, first["uuid"]) == {**grown, "analysis": [summary]}


async def test_a_conversation_whose_earlier_turns_differ_stays_as_it_is_stored(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    first = make_vcon(1)
    said = {**first["dialog"][0], "body": "Something else."}
    await run_import(lines_of(tmp_path / "a.jsonl", first))

    summary, _ = await run_import(
        lines_of(tmp_path / "b.jsonl", {**first, "dialog": [said, *first["dialog"]]})
    )

    assert fates(summary) == {"skipped": 1}
    assert await stored(database, tenant, first["uuid"]) == first


@pytest.mark.parametrize(
    ("on_conflict", "fate", "last"), [("skip", "skipped", 0), ("replace", "replaced", 2)]
)
async def test_a_uuid_twice_in_one_file_is_treated_as_if_in_two(
    on_conflict: OnConflict,
    fate: str,
    last: int,
    run_import: RunImport,
    make_vcon: MakeVcon,
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    versions = [make_vcon(1), make_vcon(1, subject="second"), make_vcon(1, subject="third")]

    summary, _ = await run_import(
        lines_of(tmp_path / "f.jsonl", *versions, versions[last]), on_conflict=on_conflict
    )

    assert fates(summary) == {"created": 1, fate: 2, "identical": 1}
    assert await stored(database, tenant, versions[0]["uuid"]) == versions[last]


async def test_bad_documents_are_named_and_stop_no_other(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    # given good lines with one of each fault between them
    path = lines_of(
        tmp_path / "mixed.jsonl",
        make_vcon(1),
        '{"uuid": "é", x}',
        make_vcon(2),
        [make_vcon(3)],
        make_vcon(4, parties={"name": "no array"}),
        make_vcon(5, subject="a\0b"),
        ENCRYPTED,
        "42",
        make_vcon(6, uuid="not one"),
        {"payload": "!", "signatures": []},
        make_vcon(7),
        {"name": "a package", "version": "1.0.0"},
        {"uuid": make_vcon(8)["uuid"]},
    )

    summary, problems = await run_import(path)

    assert fates(summary) == {"created": 4, "refused": 9}
    assert [(p.origin.line, p.rule, p.path) for p in problems] == [
        (2, "malformed_json", "$"),
        (4, "type", "$"),
        (5, "type", "$.parties"),
        (6, "nul_character", "$.subject"),
        (7, "encrypted", "$"),
        (8, "type", "$"),
        (9, "format", "$.uuid"),
        (10, "signed_form", "$"),
        (12, "not_a_vcon", "$"),
    ]
    assert problems[0].origin.column == 15
    assert "without the key" in problems[4].message
    assert dict(summary.refusals) == {
        "type": 3,
        "malformed_json": 1,
        "nul_character": 1,
        "encrypted": 1,
        "format": 1,
        "signed_form": 1,
        "not_a_vcon": 1,
    }
    for number in (1, 2, 7):
        assert await stored(database, tenant, make_vcon(number)["uuid"]) == make_vcon(number)


async def test_numbers_for_texts_and_dates_and_nulls_in_arrays_come_in_and_are_reported(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    text = {"type": "text", "start": "2024-01-01T00:00:00Z", "parties": 1, "body": "Hi", "encoding": "none"}
    odd = make_vcon(1, created_at=1_700_000_000, updated_at=1_700_000_000_500, extensions=["cc", None])
    path = lines_of(
        tmp_path / "odd.jsonl", odd | {"parties": [None, {"name": "Ann"}], "dialog": [text, None]}
    )
    path.write_text(path.read_text().replace('"Call 1"', "12.50").replace("{", '{"vcon": 0.3,', 1))

    summary, problems = await run_import(path)
    again, _ = await run_import(path)

    assert (fates(summary), problems, fates(again)) == ({"created": 1}, [], {"identical": 1})
    kept = await stored(database, tenant, odd["uuid"])
    assert {name: kept[name] for name in ("vcon", "subject", "created_at", "updated_at", "extensions")} == {
        "vcon": "0.3",
        "subject": "12.50",
        "created_at": "2023-11-14T22:13:20Z",
        "updated_at": "2023-11-14T22:13:20.500000Z",
        "extensions": ["cc"],
    }
    assert (kept["parties"], kept["dialog"]) == ([{}, {"name": "Ann"}], [text, {}])
    reported = {row["path"] for row in summary.as_json()["notices"] if row["code"] == "value_translated"}
    assert reported >= {
        "$.vcon",
        "$.subject",
        "$.created_at",
        "$.updated_at",
        "$.extensions[*]",
        "$.parties[*]",
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n "b": }', "f.json:2:7"),
        ('\ufeff{"ä€😀": x}', "f.json:1:9"),
        ('{"a": "b\nc"}', "f.json:1:9"),
        ('[{"vcon": ""}, {"a"\n  1}]', "f.json:2:3 (element 1)"),
        ('{"a": NaN}', "f.json:1:7"),
        ('{"a": 1', "f.json:1:7"),
        ('{"a": "\\ud800"}', "f.json:1:14"),
    ],
)
async def test_what_is_not_json_is_named_with_line_and_column(
    text: str, place: str, run_import: RunImport, tmp_path: Path
) -> None:
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    _, problems = await run_import(path, rehearse=True)
    malformed = [str(p.origin).removeprefix(f"{tmp_path}/") for p in problems if p.rule == "malformed_json"]
    assert malformed == [place]


async def test_a_document_may_break_several_rules_and_is_refused_once(
    run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path
) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps(make_vcon(1, parties="x", dialog="y")))

    summary, problems = await run_import(path)

    assert fates(summary) == {"refused": 1}
    assert [problem.path for problem in problems] == ["$.parties", "$.dialog"]


@pytest.mark.parametrize("compressed", [False, True])
async def test_a_signed_vcon_comes_in_unwrapped_and_its_signed_form_is_kept(
    compressed: bool,
    run_import: RunImport,
    make_vcon: MakeVcon,
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    vcon = make_vcon(1)
    text = json.dumps(signed(vcon, compressed=compressed), indent=3)
    (tmp_path / "signed.vcon").write_text(text)

    summary, _ = await run_import(tmp_path)

    assert (fates(summary), summary.signed) == ({"created": 1}, 1)
    assert await stored(database, tenant, vcon["uuid"]) == vcon
    async with database.reading(tenant) as connection:
        kept = await connection.fetchval(
            "select signed_form from vcontract.vcon where uuid = $1", vcon["uuid"]
        )
    assert kept == text


async def test_a_vcon_without_uuid_gets_one_of_its_content_and_comes_in_once(
    run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path
) -> None:
    nameless = {name: value for name, value in make_vcon(1).items() if name != "uuid"}
    path = lines_of(
        tmp_path / "f.jsonl", nameless, {**nameless, "subject": "another"}, {**nameless, "uuid": None}
    )

    first, _ = await run_import(path)
    second, _ = await run_import(path)

    assert fates(first) == {"created": 2, "identical": 1}
    assert fates(second) == {"identical": 3}


async def test_the_file_name_is_kept_beside_the_vcon(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    lines_of(tmp_path / "été.jsonl", make_vcon(1))
    await run_import(tmp_path)
    found = await VconStore(database).get(tenant, UUID(make_vcon(1)["uuid"]))
    assert found is not None
    assert found.metadata == {"filename": "été.jsonl"}


async def test_translations_findings_and_notices_are_counted(
    run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path
) -> None:
    old_dialog = {**make_vcon(1)["dialog"][0], "mimetype": "text/plain"}
    del old_dialog["mediatype"]
    path = lines_of(
        tmp_path / "f.jsonl",
        make_vcon(1),
        make_vcon(2, dialog=[old_dialog, old_dialog]),
        make_vcon(3, dialog=[{"type": "video"}, {"type": "video"}]),
        make_vcon(4, critical=["unheard of"]),
    )

    summary, problems = await run_import(path)

    assert (fates(summary), problems) == ({"created": 4}, [])
    assert dict(summary.translated) == {("mimetype", "mediatype"): 2}
    assert summary.findings["enum", "$.dialog[*].type"] == 1
    assert summary.notices["unsupported_critical", "$.critical"] == 1
    assert summary.conforming == 3
    assert summary.as_json()["translated"] == [{"from": "mimetype", "to": "mediatype", "count": 2}]


async def test_a_name_that_stands_twice_is_told_with_its_path(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    text = json.dumps(make_vcon(1)).replace('"name": "Ann Example"', '"name": "Eve", "name": "Ann Example"')
    path = tmp_path / "f.json"
    path.write_text(text)

    summary, problems = await run_import(path)

    assert (fates(summary), problems) == ({"created": 1}, [])
    reported = {"code": "doubled_member", "path": "$.parties[*].name", "vcons": 1}
    assert summary.as_json()["notices"] == [reported]
    stored = await VconStore(database).get(tenant, UUID(make_vcon(1)["uuid"]))
    assert stored is not None
    assert stored.document() == make_vcon(1)


async def test_a_rehearsal_stores_nothing(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    path = lines_of(tmp_path / "f.jsonl", make_vcon(1), "{}}")

    summary, _ = await run_import(path, rehearse=True)

    assert fates(summary) == {"created": 1, "refused": 1}
    assert await VconStore(database).get(tenant, UUID(make_vcon(1)["uuid"])) is None


class _Choosy(VconStore):
    """A store whose database cannot take some vCons, or goes away."""

    def __init__(self, database: Database, poison: str, error: Exception) -> None:
        super().__init__(database)
        self._poison = poison
        self._error = error

    async def insert_batch(
        self, tenant: str, prepared: Sequence[PreparedVcon], on_conflict: OnConflict = "skip"
    ) -> list[Outcome]:
        if any(vcon.document["subject"] == self._poison for vcon in prepared):
            raise self._error
        return await super().insert_batch(tenant, prepared, on_conflict)


@pytest.mark.parametrize("error", [asyncpg.DataError("too much"), asyncpg.SerializationError("too late")])
async def test_a_vcon_that_the_database_cannot_take_is_refused_alone(
    error: Exception, run_import: RunImport, make_vcon: MakeVcon, database: Database, tmp_path: Path
) -> None:
    path = lines_of(tmp_path / "f.jsonl", *(make_vcon(number) for number in range(11)))

    summary, problems = await run_import(path, store=_Choosy(database, "Call 4", error))

    assert fates(summary) == {"created": 10, "refused": 1}
    assert [(p.origin.line, p.rule) for p in problems] == [(5, "not_stored")]
    assert str(error) in problems[0].message


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.ConnectionDoesNotExistError("gone"),
        asyncpg.FeatureNotSupportedError("not over several machines"),
        asyncpg.UndefinedColumnError("no such column"),
    ],
    ids=["gone", "cannot", "another schema"],
)
async def test_a_fault_of_the_database_ends_the_import_and_blames_no_document(
    error: Exception, run_import: RunImport, make_vcon: MakeVcon, database: Database, tmp_path: Path
) -> None:
    path = lines_of(tmp_path / "f.jsonl", make_vcon(1))
    with pytest.raises(type(error)):
        await run_import(path, store=_Choosy(database, "Call 1", error))


async def test_a_revoked_privilege_ends_the_import_and_blames_no_document(
    run_import: RunImport,
    make_vcon: MakeVcon,
    owner: OwnerConnection,
    database: Database,
    settings: Settings,
    tmp_path: Path,
) -> None:
    role = Roles.of(settings).server
    path = lines_of(tmp_path / "f.jsonl", make_vcon(1), make_vcon(2))
    await owner.execute(f"revoke insert on vcontract.vcon from {role}")
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for table vcon"):
            await run_import(path)
    finally:
        await owner.execute(f"grant insert on vcontract.vcon to {role}")

    assert fates((await run_import(path))[0]) == {"created": 2}


async def test_many_documents_are_prepared_by_processes_and_keep_their_order(
    make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    # given so many batches that processes are started, and a bad document in each
    count = 7 * BATCH_DOCUMENTS
    path = lines_of(
        tmp_path / "f.jsonl",
        *(make_vcon(n) if n % BATCH_DOCUMENTS != 13 else f"bad {n}" for n in range(count)),
    )
    seen: list[int] = []

    class Notes:
        def met(self, fate: Fate, problems: Sequence[Problem]) -> None:
            seen.extend(problem.origin.line or 0 for problem in problems)

        def advanced(self, summary: Summary | TranscriptSummary, bytes_done: int) -> None:
            assert summary.read % BATCH_DOCUMENTS == 0

    with Workers(processes=2) as workers:
        importer = Importer(workers, lambda: datetime.now(UTC), tenant, VconStore(database))
        summary = await importer.run(find_files([str(path)]).files, Notes())

    assert fates(summary) == {"created": count - 7, "refused": 7}
    assert seen == [14 + batch * BATCH_DOCUMENTS for batch in range(7)]


async def test_what_is_exported_is_imported_as_equal_vcons(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    # given vCons with what is easily lost: nulls, empty arrays, large numbers, tags, order
    vcons = [
        make_vcon(3, tags={"a": 1, "b": True}, analysis=None, attachments=[]),
        make_vcon(1, vcon="0.0.1", odd=[None, {}, [], "", 0, -0.5, 12345678901234567890, "\u2028 😀"]),
        make_vcon(2, attachments=[{"purpose": "tags", "encoding": "json", "body": ["k:v:w"]}], parties=[{}]),
        {"uuid": make_vcon(4)["uuid"]},
    ]
    await run_import(lines_of(tmp_path / "in.jsonl", *vcons))

    text = b"".join([line async for line in export_all(VconStore(database), tenant)])
    (tmp_path / "out.jsonl").write_bytes(text)
    again, _ = await run_import(tmp_path / "out.jsonl")
    elsewhere, _ = await run_import(tmp_path / "out.jsonl", into=f"{tenant}.copy")
    copy = b"".join([line async for line in export_all(VconStore(database), f"{tenant}.copy")])

    by_time = [vcons[1], vcons[2], vcons[0], vcons[3]]
    assert [json.loads(line) for line in text.splitlines()] == by_time
    assert (fates(again), fates(elsewhere)) == ({"identical": 4}, {"created": 4})
    assert copy == text


async def test_single_vcons_are_exported_in_the_order_asked_for(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    await run_import(lines_of(tmp_path / "in.jsonl", make_vcon(1), make_vcon(2)))
    uuids = [UUID(make_vcon(number)["uuid"]) for number in (2, 1)]

    lines = [line async for line in export_some(VconStore(database), tenant, uuids)]
    (pretty,) = [line async for line in export_some(VconStore(database), tenant, uuids[1:], INDENTED)]

    assert [json.loads(line) for line in lines] == [make_vcon(2), make_vcon(1)]
    assert json.loads(pretty) == make_vcon(1)
    assert pretty.count(b"\n") > 10
    with pytest.raises(NoSuchVcon, match="00000000-0000-0000-0000-000000000009"):
        await anext(export_some(VconStore(database), tenant, [UUID(int=9)]))


class _Noting(VconStore):
    """A store that notes what is asked of it, and what the planner knows each time."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.asked: list[tuple[str, bool]] = []

    async def insert_batch(
        self, tenant: str, prepared: Sequence[PreparedVcon], on_conflict: OnConflict = "skip"
    ) -> list[Outcome]:
        async with self.database.reading(tenant) as connection:
            rows = await connection.fetchval(
                "select reltuples from pg_class where oid = 'vcontract.vcon'::regclass"
            )
        self.asked.append(("insert_batch", rows >= BATCH_DOCUMENTS))
        return await super().insert_batch(tenant, prepared, on_conflict)


async def test_the_planner_knows_the_first_vcons_of_an_import_while_the_others_come_in(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, database_url: str, tmp_path: Path
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("truncate vcontract.vcon cascade")
    await owner.close()
    store = _Noting(database)
    count = 2 * BATCH_DOCUMENTS + 1

    await run_import(lines_of(tmp_path / "f.jsonl", *(make_vcon(n) for n in range(count))), store=store)

    assert store.asked == [("insert_batch", False), ("insert_batch", True), ("insert_batch", True)]


async def test_a_large_import_leaves_the_planner_knowing_the_data(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, database_url: str, tmp_path: Path
) -> None:
    path = lines_of(tmp_path / "f.jsonl", *(make_vcon(number) for number in range(120)))

    await run_import(path, store=VconStore(database))

    connection = await asyncpg.connect(database_url)
    try:
        known = await connection.fetchval(
            "select reltuples from pg_class where oid = 'vcontract.search_document'::regclass"
        )
    finally:
        await connection.close()
    assert known >= 120


@pytest.mark.parametrize("place", [0, 5, 9])
async def test_no_text_stops_the_import_of_the_others(
    run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path, place: int
) -> None:
    for number in range(10):
        vcon = make_vcon(number)
        if number == place:
            vcon["dialog"][0] |= {"mediatype": "text/html", "body": "<p>hello <![foo bar</p>"}
        (tmp_path / f"{number}.vcon").write_text(json.dumps(vcon))

    summary, problems = await run_import(tmp_path)

    assert fates(summary) == {"created": 10}
    assert problems == []


def test_a_document_that_cannot_be_prepared_is_refused_with_the_reason(
    make_vcon: MakeVcon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> PreparedVcon:
        raise RecursionError

    monkeypatch.setattr(preparing, "prepare", fail)
    raw = RawDocument(Origin("calls.jsonl", line=3), json.dumps(make_vcon(1)).encode())

    refused = preparing.prepare_document(raw, PrepareContext.load(), datetime(2024, 1, 1, tzinfo=UTC))

    assert isinstance(refused, preparing.Rejected)
    assert str(refused.problems[0]) == (
        "calls.jsonl:3: not_prepared: cannot be prepared: RecursionError; the others are imported without it"
    )


NUMBERS = (
    *("1.50", "1e5", "1E-7", "1e-400", "-0", "-0.0", "100.00e2", "0.1", "12345678901234567890"),
    *("3.141592653589793238462643383279", "-1234567890123456789.0123456789"),
)


async def test_numbers_come_out_in_the_characters_they_came_in(
    run_import: RunImport, make_vcon: MakeVcon, database: Database, tenant: str, tmp_path: Path
) -> None:
    spelled = ",".join(NUMBERS)
    text = json.dumps(make_vcon(1, subject="é", odd="ODD"), ensure_ascii=True).replace(
        '"ODD"', f"[{spelled}]"
    )
    text = text.replace('"name": "Ann Example"', '"name": "1.50, 2", "meta": {"score": 7.10}')
    (tmp_path / "in.json").write_text(text)

    first, problems = await run_import(tmp_path / "in.json")
    out = b"".join([line async for line in export_all(VconStore(database), tenant)])
    pretty = [
        text
        async for text in export_some(VconStore(database), tenant, [UUID(make_vcon(1)["uuid"])], INDENTED)
    ]
    (tmp_path / "out.jsonl").write_bytes(out)
    again, _ = await run_import(tmp_path / "out.jsonl")

    assert (fates(first), problems, fates(again)) == ({"created": 1}, [], {"identical": 1})
    assert first.conforming == 1
    assert f'"odd":[{spelled}]'.encode() in out
    assert b'"score":7.10' in out
    assert [number in pretty[0].decode() for number in NUMBERS] == [True] * len(NUMBERS)


@pytest.mark.parametrize(
    ("other", "fate"),
    [("1.5", "identical"), ("15e-1", "identical"), ("1.50000000000000000000001", "skipped")],
)
async def test_numbers_are_the_same_that_are_equal_to_the_last_digit(
    other: str, fate: str, run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path
) -> None:
    text = json.dumps(make_vcon(1, odd="ODD"))
    (tmp_path / "one.json").write_text(text.replace('"ODD"', "1.50"))
    (tmp_path / "other.json").write_text(text.replace('"ODD"', other))
    await run_import(tmp_path / "one.json")

    again, _ = await run_import(tmp_path / "other.json")

    assert fates(again) == {fate: 1}


async def test_a_number_that_no_double_holds_is_refused_with_its_place(
    run_import: RunImport, make_vcon: MakeVcon, tmp_path: Path
) -> None:
    (tmp_path / "in.json").write_text(json.dumps(make_vcon(1, odd=["ODD"])).replace('"ODD"', "1e400"))

    summary, problems = await run_import(tmp_path / "in.json")

    assert fates(summary) == {"refused": 1}
    assert [(problem.rule, problem.path) for problem in problems] == [("infinite_number", "$.odd[0]")]


@pytest.mark.parametrize("on_conflict", ["skip", "replace", "fail"])
async def test_what_was_given_a_uuid_or_tags_here_is_known_again(
    on_conflict: OnConflict,
    run_import: RunImport,
    make_vcon: MakeVcon,
    database: Database,
    tenant: str,
    tmp_path: Path,
) -> None:
    prepare_context, store, now = PrepareContext.load(), VconStore(database), datetime.now(UTC)
    bare = {name: value for name, value in make_vcon(1).items() if name not in ("uuid", "created_at")}
    await run_import(lines_of(tmp_path / "in.jsonl", make_vcon(2)))
    async with database.writing(tenant) as connection:
        prepared = prepare(bare, prepare_context, now=now, fill_created_at=True)
        await store.create(connection, tenant, prepared)
        tagged = await store.lock(connection, tenant, UUID(make_vcon(2)["uuid"]))
        assert tagged is not None
        revised = prepare(tagged.raw(), prepare_context, now=now, tags={"reviewed": True, "score": 1.5})
        await store.revise(connection, tenant, revised)

    text = b"".join([line async for line in export_all(store, tenant)])
    (tmp_path / "out.jsonl").write_bytes(text)
    again, problems = await run_import(tmp_path / "out.jsonl", on_conflict=on_conflict)

    assert (fates(again), problems) == ({"identical": 2}, [])


async def test_an_export_that_has_grown_is_the_same_when_it_is_taken_again(
    run_import: RunImport, database: Database, tenant: str, tmp_path: Path
) -> None:
    def chat(*texts: str) -> Path:
        messages = [
            {
                "id": number,
                "type": "message",
                "date": f"2024-03-05T10:0{number}:00",
                "text": text,
                "from": "Ann",
                "from_id": "user1",
                "file": f"files/{number}.ogg",
            }
            for number, text in enumerate(texts)
        ]
        reported = {"name": "Bob", "type": "personal_chat", "id": 7, "messages": messages}
        (tmp_path / "result.json").write_text(json.dumps(reported))
        return tmp_path / "result.json"

    created, _ = await run_import(chat("Rain?"))
    grown, _ = await run_import(chat("Rain?", "Hello?"))
    again, _ = await run_import(chat("Rain?", "Hello?"))
    older, _ = await run_import(chat("Rain?"))

    assert [fates(each) for each in (created, grown, again, older)] == [
        {"created": 1},
        {"replaced": 1},
        {"identical": 1},
        {"identical": 1},
    ]
    vcon = await stored(database, tenant, come_in(tmp_path / "result.json")[0][0]["uuid"])
    assert vcon["updated_at"] == "2024-03-05T10:01:00Z"
    assert [each["filename"] for each in vcon["attachments"] if "filename" in each] == ["0.ogg", "1.ogg"]
