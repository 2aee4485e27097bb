"""Names of people and dealers: whole words match, roles too, and counts show every name."""

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import Store
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vocabulary.people import is_named

NAMES = [
    "Andre Castillo",
    "Andrea Lopez",
    "Andrew O’Brien_Smith",
    "Sandra Kim",
    "Doe, Jane",
    "Anne-Marie Müller",
    "Андрей Петров",
    "田中太郎",
    "(Bob)",
    "+1 555 0100",
]
MATCHES: list[tuple[str, list[str]]] = [
    ("andre", ["Andre Castillo"]),
    ("andr*", ["Andre Castillo", "Andrea Lopez", "Andrew O’Brien_Smith"]),
    ("andr", []),
    ("ANDRE castillo", ["Andre Castillo"]),
    ("castillo, andre", ["Andre Castillo"]),
    ("andre cast", []),
    ("andre cast*", ["Andre Castillo"]),
    ("jane doe", ["Doe, Jane"]),
    ("o'brien", ["Andrew O’Brien_Smith"]),
    ("brien", ["Andrew O’Brien_Smith"]),
    ("marie", ["Anne-Marie Müller"]),
    ("mull*", ["Anne-Marie Müller"]),
    ("muller", ["Anne-Marie Müller"]),
    ("Андре", []),
    ("Андрей", ["Андрей Петров"]),
    ("田中", ["田中太郎"]),
    ("bob", ["(Bob)"]),
    ("555", ["+1 555 0100"]),
    ("and.e", []),
]


@pytest.mark.parametrize(("name", "expected"), MATCHES)
async def test_a_name_matches_by_whole_words_and_a_star_by_their_beginnings(
    call: Call, store: Store, name: str, expected: list[str]
) -> None:
    await store([{"subject": "x", "parties": [{"name": each}]} for each in NAMES])
    found = await call(
        "vcon_search", mode="metadata", filters={"party_name": name}, include=["parties"], limit=50
    )
    assert sorted(item["parties"][0]["name"] for item in found["items"]) == sorted(expected)
    listed = await call("search_vcons", party_name=name)
    assert listed["count"] == len(expected)
    from vcontract.runtime.text.words import fold

    assert sorted(each for each in NAMES if is_named(fold(each), name)) == sorted(expected)
    if not expected:
        near = [hint for hint in found["meta"]["hints"] if hint["reason"] == "value_not_seen"]
        assert near, found


async def test_people_and_speaker_take_whole_words_and_roles(call: Call, store: Store) -> None:
    def talk(name: str, role: str, said: str) -> JsonObject:
        parties = [{"name": name, "role": role}, {"name": "Store", "role": "agent"}]
        dialog = [
            {"type": "text", "start": "2025-10-14T10:00:00Z", "parties": 0, "body": said, "encoding": "none"},
            {
                "type": "text",
                "start": "2025-10-14T10:01:00Z",
                "parties": 1,
                "body": "The chargeback is noted.",
                "encoding": "none",
            },
        ]
        return {"subject": "Call", "parties": parties, "dialog": dialog}

    andre, andrea = await store(
        [
            talk("Andre Castillo", "customer", "The chargeback is wrong."),
            talk("Andrea Lopez", "auditor", "The chargeback is right."),
        ]
    )
    only = await call("vcon_recall", query="chargeback", people=["Andre"], view="survey")
    assert [item["id"] for item in only["items"]] == [andre]
    both = await call("vcon_recall", query="chargeback", people=["andr*"], view="survey")
    assert {item["id"] for item in both["items"]} == {andre, andrea}
    customers = await call("vcon_recall", query="chargeback", people=["Customer"], view="survey")
    assert [item["id"] for item in customers["items"]] == [andre]
    said = await call("vcon_recall", query="what was said about the chargeback", speaker="customer")
    assert [item["id"] for item in said["items"]] == [andre]
    assert any(turn["text"] == "The chargeback is wrong." for turn in said["items"][0]["turns"])
    nobody = await call("vcon_recall", query="chargeback", speaker="Andr")
    assert "Andre" in str(nobody["meta"]["hints"])


async def test_dealers_are_counted_by_id_and_labelled_with_each_name_and_its_count(
    call: Call, store: Store, database: Database, tenant: str
) -> None:
    def call_of(id_: str, name: str | None) -> JsonObject:
        body = {"id": id_, **({"name": name} if name else {})}
        attachment = {
            "purpose": "strolid_dealer",
            "encoding": "json",
            "mediatype": "application/json",
            "body": body,
        }
        return {
            "created_at": "2025-10-14T10:30:00Z",
            "parties": [{"name": "Ann"}],
            "attachments": [attachment],
        }

    names = [*["Jaguar"] * 3, *["Boozers"] * 2, "Ford", None]
    await store([*(call_of("1100", name) for name in names), *(call_of("7", "Volvo") for _ in range(2))])
    labels = {"1100": "Jaguar (3), Boozers (2), Ford (1)", "7": "Volvo"}
    shape = await call("vcon_graph_shape", node_types=["dealer"])
    assert {node["id"]: (node["label"], node["count"]) for node in shape["item"]["nodes"]} == {
        "dealer:1100": (labels["1100"], 7),
        "dealer:7": ("Volvo", 2),
    }
    groups = (await call("vcon_aggregate", group_by=["dealer"]))["groups"]
    assert {group["key"][0]: group["label"][0] for group in groups} == labels
    by_month = (await call("vcon_aggregate", group_by=["month", "dealer"]))["groups"]
    assert {group["key"][1]: group["label"][1] for group in by_month} == labels
    async with database.reading(tenant) as connection:
        rows = await connection.fetch("select * from vcontract.aggregate_vcons_by_dealer_stats()")
    assert {row["dealer_id"]: row["dealer_name"] for row in rows} == labels


async def test_of_many_names_of_a_dealer_the_rest_is_counted(database: Database) -> None:
    async with database.reading("t") as connection:
        label = await connection.fetchval(
            "select vcontract.names_and_counts($1, $2)", list("abcdefg"), [7, 6, 5, 4, 3, 2, 1]
        )
    assert label == "a (7), b (6), c (5), d (4), e (3), 2 more names (3)"
