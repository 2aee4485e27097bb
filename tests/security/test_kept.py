"""What is kept for later is listed, and answers no caller with a purpose about what is withheld."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from tests.conftest import ALL_SCOPES
from tests.security.test_consent import (
    DENIAL,
    DENIED,
    GRANTED,
    SECRET,
    SESSION,
    a_vcon,
    alike,
    ask,
    consent,
    store,
)
from tests.tools.test_request_keys import CASES, KEY, PARTIES, turn
from vcontract.generated.errors import ValidationError
from vcontract.handlers.session.cached_results import ResultCache
from vcontract.runtime.app import App, build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.consent import reading_for
from vcontract.runtime.store.postgres.error_mapping import StoreDown
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vocabulary.people import merge
from vcontract.runtime.vcon.spec_files import read_yaml

HERE: Final = Path(__file__).parent
KEPT: Final[JsonObject] = read_yaml((HERE / "kept.yaml").read_text())
TABLES: Final[dict[str, JsonObject]] = KEPT["tables"]


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


async def withheld_everywhere(app: App, settings: Settings, owner: OwnerConnection, tenant: str) -> list[str]:
    """Fill each table of the tenant with rows of what is withheld from analysis. Returns what marks them."""
    vcon = a_vcon(SECRET, consent(DENIAL), uuid=DENIED)
    made = await ask(
        *(app, tenant, "create_vcon"),
        vcon_data=vcon,
        metadata={"tags": {"xtag": SECRET}},
        validate_before_insert=False,
        return_vcon=True,
        request_key=KEY,
    )
    assert made["success"], made
    database = {} if settings.database_url is None else {"VCONTRACT_DATABASE_URL": settings.database_url}
    env = {name: url.get_secret_value() for name, url in database.items()}
    env["VCONTRACT_DATA_DIR"] = str(settings.data_dir)
    arguments = ["import", str(SESSION), "--tenant", tenant]
    outcome = await asyncio.to_thread(CliRunner().invoke, command, arguments, env=env)
    assert outcome.exit_code == 0, outcome.output
    await app.worker.drain(tenant)
    session = str(await owner.fetchval("select vcon from vcontract.transcript where tenant = $1", tenant))
    exchange = str(
        await owner.fetchval("select id from vcontract.transcript_exchange where tenant = $1 limit 1", tenant)
    )
    async with app.database.writing(tenant) as connection:
        await merge(connection, tenant, [["Visible Name", SECRET]])
    for statement in (
        "insert into vcontract.consent select tenant, vcon, -1, 'analysis', '-infinity'"
        " from vcontract.transcript where tenant = $1",
        "insert into vcontract.hold select tenant, uuid, 'x', 'x', now()"
        " from vcontract.vcon where tenant = $1",
        "insert into vcontract.embedding_task select $1, 'vcon', uuid, 1, 1, now() + interval '1 hour'"
        " from vcontract.vcon where tenant = $1",
    ):
        await owner.execute(statement, tenant)
    await owner.execute(
        "insert into vcontract.result_cache"
        " (tenant, key, caller, tool, content, made_at, expires_at, purposes, vcons)"
        " values ($1, $2, 'x', 'chunks', '{}', now(), now() + interval '1 hour', 'analysis', $3)",
        *(tenant, SECRET, [DENIED]),
    )
    return [SECRET.lower(), DENIED, session, exchange]


async def test_every_table_is_in_the_list_with_its_policies(owner: OwnerConnection) -> None:
    rows = await owner.fetch(
        "select c.relname as name, array_agg(p.polname::text order by p.polname)"
        " filter (where not p.polpermissive) as policies"
        " from pg_class c left join pg_policy p on p.polrelid = c.oid"
        " where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p', 'm')"
        " and not c.relispartition group by c.relname"
    )

    found: dict[str, list[str]] = {row["name"]: row["policies"] or [] for row in rows}

    assert found == {name: table.get("policies", []) for name, table in TABLES.items()}
    assert all(("policies" in table) != bool(table.get("because")) for table in TABLES.values())


async def test_no_row_of_a_guarded_table_is_read_for_a_purpose_that_was_denied(
    app: App, settings: Settings, owner: OwnerConnection, tenant: str
) -> None:
    marks = await withheld_everywhere(app, settings, owner, tenant)
    marked = "lower(to_jsonb(t)::text) like any($2)"
    for name, table in TABLES.items():
        if "policies" not in table:
            continue
        counting = f"select count(*) from vcontract.{name} t where t.tenant = $1 and {marked}"  # noqa: S608
        arguments = (tenant, [f"%{mark}%" for mark in marks])
        assert await owner.fetchval(counting, *arguments), f"give {name} a row of what is withheld"

        with reading_for({"analysis"}):
            async with app.database.reading(tenant) as connection:
                assert await connection.fetchval(counting, *arguments) == 0, name


def test_what_a_process_keeps_is_in_the_list() -> None:
    for path, kept in KEPT["processes"].items():
        assert f"class {kept['class']}" in (HERE.parents[1] / path).read_text(), path


FOR_ANALYSIS: Final = frozenset({"analysis"})
OF_VCONS: Final = sorted(name for name in CASES if not name.startswith("bridge_"))


@pytest.mark.parametrize("tool", OF_VCONS)
async def test_an_answer_under_a_key_is_not_given_once_consent_withholds_what_it_is_of(
    app: App, owner: OwnerConnection, tenant: str, tool: str
) -> None:
    async def call(name: str, /, **arguments: object) -> JsonObject:
        return await ask(app, tenant, name, **arguments)

    arrange, one, _ = CASES[tool]
    arguments = {**await arrange(call), **one, "request_key": KEY}
    of_everybody = await ask(app, tenant, tool, **arguments)
    assert of_everybody["success"], of_everybody
    deny = (
        "insert into vcontract.consent select tenant, uuid, -1, 'analysis', '-infinity'"
        " from vcontract.vcon where tenant = $1 on conflict do nothing"
    )

    # the key of a caller without a purpose is none of a caller with one
    arguments |= {"request_key": "theirs"}
    mine = await ask(app, tenant, tool, FOR_ANALYSIS, **arguments)
    again = await ask(app, tenant, tool, FOR_ANALYSIS, **arguments)
    assert again == mine
    await owner.execute(deny, tenant)
    withheld = await ask(app, tenant, tool, FOR_ANALYSIS, **arguments)
    other = await ask(app, tenant, tool, FOR_ANALYSIS, **arguments | {"request_key": KEY})

    if mine["success"]:
        assert withheld["details"] == {"parameter": "request_key", "reason": "request_key_withheld"}
    else:
        assert withheld["error_code"] == "NOT_FOUND"
    if any(name in arguments for name in ("uuid", "vcon_uuid")):
        assert other["error_code"] == "NOT_FOUND"
    assert await ask(app, tenant, tool, **arguments | {"request_key": KEY}) == of_everybody


async def test_a_key_of_a_caller_without_a_purpose_gives_a_caller_with_one_nothing(
    app: App, tenant: str
) -> None:
    await store(app, tenant, SECRET, consent(DENIAL), uuid=DENIED)
    change: JsonObject = {"uuid": DENIED, "updates": {"subject": "new"}, "request_key": KEY}

    whole = await ask(app, tenant, "update_vcon", **change)
    for_analysis = await ask(app, tenant, "update_vcon", FOR_ANALYSIS, **change)

    assert SECRET in str(whole)
    assert for_analysis["error_code"] == "NOT_FOUND"
    assert SECRET not in str(for_analysis)


async def test_a_caller_with_a_purpose_may_store_what_names_a_vcon_that_is_withheld(
    app: App, tenant: str
) -> None:
    await store(app, tenant, SECRET, consent(DENIAL), uuid=DENIED)
    vcon: JsonObject = {"parties": PARTIES, "dialog": [turn(f"See {DENIED}.")]}

    made, again = [
        await ask(app, tenant, "create_vcon", FOR_ANALYSIS, vcon_data=vcon, request_key=KEY) for _ in range(2)
    ]

    assert made["success"], made
    assert again == made


@pytest.mark.parametrize("is_in_the_store", [True, False])
async def test_chunks_of_an_answer_are_gone_when_consent_is(
    app: App, tenant: str, monkeypatch: pytest.MonkeyPatch, is_in_the_store: bool
) -> None:
    uuid = await store(app, tenant, SECRET, consent(GRANTED))
    cache = ResultCache(app.database)
    caller = Caller(tenant, ALL_SCOPES, purposes=FOR_ANALYSIS)
    answer: JsonObject = {"results": [{"id": uuid, "content": SECRET * 2_000}] * 2}
    if not is_in_the_store:

        def no_writing(_: str) -> None:
            raise StoreDown

        monkeypatch.setattr(app.database, "writing", no_writing)
    ctx = ToolContext(caller, app.catalogue.seen_by(caller), "0")
    with reading_for(FOR_ANALYSIS):
        key = (await cache.in_chunks(ctx, answer))["cache_key"]
        assert SECRET in str(await cache.chunks(ctx, key))
    monkeypatch.undo()
    change: JsonObject = {"vcon_uuid": uuid, "index": 1, "attachment": {"consents": [DENIAL]}}
    assert (await ask(app, tenant, "update_attachment", **change))["success"]
    with reading_for(FOR_ANALYSIS), pytest.raises(ValidationError, match="leads nowhere"):
        await cache.chunks(ctx, key)


async def test_a_person_merged_with_somebody_who_is_withheld_is_as_if_unmerged(
    app: App, owner: OwnerConnection, tenant: str
) -> None:
    await store(app, tenant, "Ann")
    await store(app, tenant, SECRET, consent(DENIAL))
    asked: list[tuple[str, JsonObject]] = [
        *(("vcon_recall", {"query": "name", "people": [name]}) for name in (SECRET, SECRET[:6], "Ann")),
        ("vcon_recall", {"query": SECRET}),
        *(
            ("vcon_search", {"mode": "metadata", "filters": {"party_name": name}})
            for name in (SECRET, "rumpel", "Ann")
        ),
        ("vcon_search", {"mode": "keyword", "query": f"name {SECRET}"}),
        ("vcon_aggregate", {"group_by": ["party"]}),
        ("vcon_graph_shape", {}),
        ("get_database_shape", {"include_internal": True}),
    ]

    async def answers() -> list[str]:
        return [alike(await ask(app, tenant, tool, FOR_ANALYSIS, **given)) for tool, given in asked]

    before = await answers()
    for names in (["Ann", SECRET], [SECRET, "Ann"]):
        async with app.database.writing(tenant) as connection:
            await merge(connection, tenant, [names])
        assert await answers() == before, names
        assert "Ann" in str(await ask(app, tenant, "vcon_recall", query="name", people=[SECRET]))
        await owner.execute("delete from vcontract.alias where tenant = $1", tenant)


async def test_no_size_or_count_tells_of_what_others_store_or_consent_withholds(
    app: App, tenant: str
) -> None:
    async def told() -> list[JsonObject]:
        caller = Caller(tenant, ALL_SCOPES, local=True, purposes=FOR_ANALYSIS)
        calls: list[tuple[str, JsonObject]] = [
            ("session_reflection_stats", {}),
            ("get_database_shape", {"include_internal": True}),
            ("get_database_stats", {}),
            ("analyze_query", {"query": "select uuid from vcon", "analyze_mode": "explain"}),
        ]
        answers = [(await app.dispatcher.call(tool, dict(given), caller)).structured for tool, given in calls]
        return [{name: said for name, said in answer.items() if name != "error"} for answer in answers]

    await store(app, tenant, "Ann")
    await ask(app, tenant, "session_store_reflection", content="Remember this.")
    before = await told()
    await store(app, tenant, SECRET, consent(DENIAL))
    for _ in range(3):
        await store(app, f"{tenant}.other", "Bob")

    after = await told()

    assert [alike(one) for one in after] == [alike(one) for one in before]
    assert before[0]["storage_size_mb"] > 0
    assert before[2]["details"]["reason"] == "counts_withheld"
