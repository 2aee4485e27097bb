"""vcon_taxonomy: what the corpus uses, exact at once after every kind of write."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from tests.conftest import ALL_SCOPES, Call
from tests.tools.contract.conftest import CallAs, Store, StoreFor
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.counts import fold_all
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.tags import TagStore
from vcontract.runtime.vcon.features import MAX_NAME_LENGTH

NOW = datetime(2025, 7, 1, tzinfo=UTC)
EMPTY: JsonObject = {
    "portal_taxonomy": {},
    "common_tag_keys": [],
    "attachment_types": [],
    "analysis_types": [],
}


def conversation(**members: object) -> JsonObject:
    return {"parties": [{"name": "A"}], "created_at": "2025-06-01T00:00:00Z", **members}


def analysis(type_: str, vendor: str = "acme") -> JsonObject:
    return {"type": type_, "vendor": vendor, "encoding": "none", "body": "x"}


async def taxonomy_of(call: Call) -> JsonObject:
    """The item, without the moment."""
    item: JsonObject = (await call("vcon_taxonomy"))["item"]
    assert item["corpus"].pop("computed_at")
    return item


def keys_of(item: JsonObject) -> dict[str, int]:
    return {entry["key"]: entry["count"] for entry in item["common_tag_keys"]}


def counted(item: JsonObject, part: str) -> dict[str, int]:
    return {entry["type"]: entry["count"] for entry in item[part]}


def filled(item: JsonObject) -> dict[str, int]:
    return {entry["field"]: entry["filled"] for entry in item["preferred_fields"]}


async def test_an_empty_corpus_has_empty_lists(call: Call) -> None:
    item = await taxonomy_of(call)

    assert {name: item[name] for name in EMPTY} == EMPTY
    assert item["corpus"] == {"vcons": 0, "exact": True}
    assert {entry["fill_rate"] for entry in item["preferred_fields"]} == {None}
    assert not any(entry["preferred"] for entry in item["preferred_fields"])


async def test_a_tag_shows_right_after_it_was_added_and_no_longer_when_it_is_removed(
    call: Call, store: Store
) -> None:
    (uuid,) = await store([conversation()])
    before = await taxonomy_of(call)

    await call("add_tag", vcon_uuid=uuid, key="mood", value="calm")
    with_tag = await taxonomy_of(call)
    await call("add_tag", vcon_uuid=uuid, key="mood", value=3, overwrite=False)
    refused = await taxonomy_of(call)
    await call("add_tag", vcon_uuid=uuid, key="mood", value=3)
    changed = await taxonomy_of(call)
    await call("remove_tag", vcon_uuid=uuid, key="mood")

    assert with_tag["common_tag_keys"] == [
        {
            "key": "mood",
            "count": 1,
            "distinct_values": 1,
            "value_types": ["string"],
            "sample_values": [{"value": "calm", "count": 1}],
        }
    ]
    assert filled(with_tag)["tags"] == 1
    assert refused == with_tag
    assert changed["common_tag_keys"][0]["sample_values"] == [{"value": "3", "count": 1}]
    assert changed["common_tag_keys"][0]["value_types"] == ["number"]
    assert await taxonomy_of(call) == before


async def test_values_are_listed_by_how_many_vcons_have_them(call: Call, store: Store) -> None:
    values = ["c"] * 3 + ["a"] * 2 + ["b"] * 2 + [str(n) for n in range(20)]
    await store([conversation(tags={"letter": value, "kind": value[0]}) for value in values])
    await store([conversation(tags={"letter": 1, "flag": True})])

    item = await taxonomy_of(call)

    letter, kind, flag = item["common_tag_keys"]
    assert (letter["key"], letter["count"], letter["distinct_values"]) == ("letter", 28, 23)
    assert letter["value_types"] == ["string", "number"]
    assert [tuple(entry.values()) for entry in letter["sample_values"][:4]] == [
        ("c", 3),
        ("1", 2),
        ("a", 2),
        ("b", 2),
    ]
    assert len(letter["sample_values"]) == 10
    assert (kind["count"], flag["count"]) == (27, 1)


async def test_keys_with_few_values_are_vocabularies_and_portal_always_is(call: Call, store: Store) -> None:
    vcons = [
        conversation(tags={"portal": f"p{n}", "id": f"i{n}", "team": f"t{n % 3}", "half": f"h{n // 2}"})
        for n in range(120)
    ]
    await store(vcons)

    portal = (await taxonomy_of(call))["portal_taxonomy"]

    # half has 60 values, more than a vocabulary; id one a vCon
    assert set(portal) == {"team", "portal"}
    assert portal["team"] == {
        "values": [{"value": f"t{n}", "count": 40} for n in range(3)],
        "closed": False,
        "source": "observed",
    }
    assert len(portal["portal"]["values"]) == 120


async def test_a_declared_vocabulary_is_closed_and_listed_as_declared(
    settings: Settings, store: Store, tenant: str, tmp_path: Path
) -> None:
    declared = tmp_path / "vocabulary.yaml"
    declared.write_text("tags:\n  team: [west, east, west]\n  level: [1, true]\n", encoding="utf-8")
    await store([conversation(tags={"team": team, "level": 1}) for team in ("east", "east", "north")])
    app = await build(settings.model_copy(update={"vocabulary": declared}))
    try:
        outcome = await app.dispatcher.call("vcon_taxonomy", {}, Caller(tenant, ALL_SCOPES))
    finally:
        await app.close()

    assert outcome.structured["item"]["portal_taxonomy"] == {
        "team": {
            "values": [{"value": "west", "count": 0}, {"value": "east", "count": 2}],
            "closed": True,
            "source": "declared",
        },
        "level": {
            "values": [{"value": "1", "count": 3}, {"value": "true", "count": 0}],
            "closed": True,
            "source": "declared",
        },
    }


async def test_types_are_counted_in_vcons_with_what_is_known_of_them(call: Call, store: Store) -> None:
    await store(
        [
            conversation(
                analysis=[analysis("summary"), analysis("summary", "zeta"), analysis("Transcript", "zeta")],
                attachments=[
                    {"type": "invoice", "body": "1"},
                    {"purpose": "invoice", "body": "2"},
                    {"purpose": "lawful_basis", "body": "x"},
                    {"purpose": "strolid_dealer", "body": {"id": 815}},
                ],
            ),
            conversation(analysis=[analysis("summary", "zeta")]),
            conversation(analysis=[analysis("x" * (MAX_NAME_LENGTH + 1))]),
        ]
    )

    item = await taxonomy_of(call)

    assert item["analysis_types"] == [
        {"type": "summary", "count": 2, "vendors": ["zeta", "acme"]},
        {"type": "Transcript", "count": 1, "vendors": ["zeta"]},
    ]
    assert item["attachment_types"] == [
        {"type": "invoice", "count": 1, "recognised": False},
        {"type": "lawful_basis", "count": 1, "extension": "lawful_basis", "recognised": True},
        {"type": "strolid_dealer", "count": 1, "recognised": True},
    ]
    assert filled(item)["analysis.transcript"] == 1
    assert filled(item)["dealer"] == 1


async def test_a_fill_rate_is_the_one_that_sql_counts(
    call: Call, store: Store, owner: OwnerConnection, tenant: str
) -> None:
    await store(
        [
            conversation(
                subject="s", parties=[{"mailto": "a@b.example"}, {"mailto": "c@b.example", "role": "x"}]
            ),
            conversation(subject="", parties=[{"tel": "+1"}]),
            conversation(dialog=[{"type": "text", "start": "2025-01-01T00:00:00Z", "body": "hi"}]),
        ]
    )
    rates = {
        entry["field"]: (entry["fill_rate"], entry["preferred"])
        for entry in (await taxonomy_of(call))["preferred_fields"]
    }
    questions = {
        "subject": "select head ->> 'subject' <> '' from vcontract.vcon v",
        "parties.mailto": "select exists (select from vcontract.party p where p.tenant = v.tenant"
        " and p.vcon = v.uuid and p.doc ->> 'mailto' <> '') from vcontract.vcon v",
        "parties.name": "select exists (select from vcontract.party p where p.tenant = v.tenant"
        " and p.vcon = v.uuid and p.doc ->> 'name' <> '') from vcontract.vcon v",
        "dialog": "select dialogs > 0 from vcontract.vcon v",
    }
    for field, question in questions.items():
        has = [bool(row[0]) for row in await owner.fetch(f"{question} where v.tenant = $1", tenant)]
        rate = sum(has) / len(has)
        assert rates[field] == (rate, rate >= 0.5)


async def test_every_way_of_writing_counts(
    call: Call, store: Store, owner: OwnerConnection, tenant: str, app: App
) -> None:
    """After each step the counts are those that recounting everything gives."""
    made = await call(
        "create_vcon",
        vcon_data=conversation(subject="first", dialog=[{"type": "text", "body": "x"}], extensions=["cc"]),
        metadata={"tags": {"team": "west", "level": 1}},
        validate_before_insert=False,
    )
    uuid = made["uuid"]
    (other,) = await store([conversation(tags={"team": "x" * 300})])
    steps: list[tuple[str, JsonObject]] = [
        ("add_dialog", {"vcon_uuid": uuid, "dialog": {"type": "transfer"}}),
        ("add_analysis", {"vcon_uuid": uuid, "analysis": analysis("summary")}),
        ("add_attachment", {"vcon_uuid": uuid, "attachment": {"purpose": "invoice", "body": "x"}}),
        ("update_vcon", {"uuid": uuid, "updates": {"subject": None}}),
        ("add_tag", {"vcon_uuid": uuid, "key": "a", "value": True}),
        ("update_tags", {"vcon_uuid": uuid, "tags": {"team": "east", "level": "1"}}),
        ("update_tags", {"vcon_uuid": other, "tags": {"b": "c"}, "merge": False}),
        ("remove_tag", {"vcon_uuid": uuid, "key": "a"}),
        ("remove_all_tags", {"vcon_uuid": uuid}),
        ("delete_vcon", {"uuid": other, "confirm": True}),
        (
            "create_vcon_from_template",
            {"template_name": "phone_call", "parties": [{"name": "N"}, {"name": "M"}]},
        ),
    ]
    for tool, arguments in steps:
        answer = await call(tool, **arguments)
        assert answer["success"], answer
        await same_as_recounted(call, owner)
    again = prepare({**conversation(subject="again"), "uuid": uuid}, PrepareContext.load(), now=NOW)
    await VconStore(app.database).insert_batch(tenant, [again], "replace")
    await same_as_recounted(call, owner)
    more = conversation(uuid=uuid, analysis=[analysis("summary")], tags={"team": "north"})
    async with app.database.writing(tenant) as connection:
        vcons = VconStore(app.database)
        await vcons.lock(connection, tenant, UUID(uuid))
        await vcons.revise(connection, tenant, prepare(more, PrepareContext.load(), now=NOW))
    assert keys_of(await same_as_recounted(call, owner)) == {"team": 1}
    await call("delete_vcon", uuid=uuid, confirm=True)
    item = await same_as_recounted(call, owner)
    assert item["corpus"]["vcons"] == 1


async def same_as_recounted(call: Call, owner: OwnerConnection) -> JsonObject:
    before, features = await taxonomy_of(call), await features_of(owner)
    await owner.execute("select vcontract.recount_vocabulary()")
    assert await taxonomy_of(call) == before
    assert await features_of(owner) == features
    return before


async def features_of(owner: OwnerConnection) -> dict[str, set[str]]:
    rows = await owner.fetch("select uuid, features from vcontract.vcon")
    assert all(len(row["features"]) == len(set(row["features"])) for row in rows)
    return {str(row["uuid"]): set(row["features"]) for row in rows}


async def test_folding_changes_no_answer_and_leaves_nothing_behind(
    call: Call, store: Store, app: App, owner: OwnerConnection, tenant: str
) -> None:
    uuids = await store([conversation(tags={"team": f"t{n % 3}", "id": str(n)}) for n in range(12)])
    before = await taxonomy_of(call)
    await fold_all(app.database)
    assert await taxonomy_of(call) == before

    # changes meet what was folded: a value gone, one more, one that was not there
    for uuid, team in zip(uuids[:5], ("t9", "t1", "t1", "t9", "t2"), strict=True):
        await call("add_tag", vcon_uuid=uuid, key="team", value=team)
    unfolded = await taxonomy_of(call)
    await fold_all(app.database)

    assert await taxonomy_of(call) == unfolded
    team = next(entry for entry in unfolded["common_tag_keys"] if entry["key"] == "team")
    assert team["distinct_values"] == 4
    assert {tuple(value.values()) for value in team["sample_values"]} == {
        ("t0", 2),
        ("t1", 4),
        ("t2", 4),
        ("t9", 2),
    }
    assert await owner.fetchval("select count(*) from vcontract.vocabulary_change") == 0
    for uuid in uuids:
        await call("delete_vcon", uuid=uuid, confirm=True)
    assert (await taxonomy_of(call))["common_tag_keys"] == []
    await fold_all(app.database)
    assert await owner.fetchval("select count(*) from vcontract.vocabulary where tenant = $1", tenant) == 0


async def test_writers_of_one_count_do_not_wait_for_each_other_nor_for_the_folding(
    call: Call, store: Store, app: App, tenant: str
) -> None:
    first, second = await store([conversation(), conversation()])
    tags = TagStore(VconStore(app.database))

    async with app.database.writing(tenant) as connection:
        locked = await tags.lock(connection, tenant, UUID(first))
        assert locked is not None
        await tags.put(connection, tenant, locked, {"team": "west"}, NOW)
        # the other writer comes to its end while this one has not committed, and counts are folded meanwhile
        await call("add_tag", vcon_uuid=second, key="team", value="west")
        await fold_all(app.database)
        meanwhile = await taxonomy_of(call)
    after = await taxonomy_of(call)

    assert (keys_of(meanwhile), keys_of(after)) == ({"team": 1}, {"team": 2})
    assert after["common_tag_keys"][0]["sample_values"] == [{"value": "west", "count": 2}]


async def test_what_one_tenant_writes_changes_no_count_of_another(
    call_as: CallAs, store_for: StoreFor, tenant: str
) -> None:
    mine, theirs = f"{tenant}_a", f"{tenant}_b"
    for name in (mine, theirs):
        await store_for(name, [conversation(tags={"team": "west"}, analysis=[analysis("summary")])])
    before = await taxonomy_of(call_as(mine))

    await store_for(theirs, [conversation(tags={"team": "east", "secret": "x"}, analysis=[analysis("mood")])])

    assert await taxonomy_of(call_as(mine)) == before
    assert keys_of(await taxonomy_of(call_as(theirs))) == {"team": 2, "secret": 1}


async def test_lists_end_where_the_page_says(call: Call, store: Store) -> None:
    await store(
        [
            conversation(
                tags={f"key{n:02}": "x" for n in range(51)},
                analysis=[
                    *(analysis(f"type{n:03}") for n in range(101)),
                    *(analysis("type000", f"v{n}") for n in range(11)),
                ],
                attachments=[{"purpose": f"purpose{n:03}", "body": "x"} for n in range(101)],
            ),
            conversation(tags={"key50": "x"}),
        ]
    )
    await store([conversation(tags={"portal": f"p{n}"}) for n in range(1_001)])

    item = await taxonomy_of(call)

    # portal and key50 are used most, the others as often as each other
    assert [entry["key"] for entry in item["common_tag_keys"]] == [
        *("portal", "key50"),
        *(f"key{n:02}" for n in range(48)),
    ]
    portal = item["common_tag_keys"][0]
    assert (portal["distinct_values"], len(portal["sample_values"])) == (1_001, 10)
    assert len(item["portal_taxonomy"]["portal"]["values"]) == 1_000
    assert len(item["analysis_types"]) == len(item["attachment_types"]) == 100
    assert len(item["analysis_types"][0]["vendors"]) == 10


async def test_a_long_value_is_counted_and_not_listed(call: Call, store: Store) -> None:
    await store([conversation(tags={"note": "x" * 1_000}), conversation(tags={"note": "short"})])

    (note,) = (await taxonomy_of(call))["common_tag_keys"]

    assert note["distinct_values"] == 2
    assert note["sample_values"] == [{"value": "short", "count": 1}]


async def test_an_answer_over_its_budget_says_which_budget_fits(call: Call, store: Store) -> None:
    await store([conversation(tags={f"key{n}": "v" * 200 for n in range(40)})])

    refused = await call("vcon_taxonomy", max_response_bytes=1024)

    assert refused["error"]["code"] == "RESPONSE_TOO_LARGE"
    budget = refused["error"]["details"]["suggestion"]["max_response_bytes"]
    assert (await call("vcon_taxonomy", max_response_bytes=budget))["ok"]
