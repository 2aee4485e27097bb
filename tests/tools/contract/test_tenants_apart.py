"""Two tenants with the same corpus: no answer to one depends on what the other writes."""

from tests.tools.contract.conftest import CallAs, StoreFor
from vcontract.runtime.frame.documents.json import JsonObject

QUESTIONS: list[JsonObject] = [
    {"mode": "metadata"},
    {"mode": "metadata", "filters": {"tags": {"deparment": "sales"}}},
    {"mode": "metadata", "filters": {"tags": {"department": "slaes"}}},
    {"mode": "metadata", "filters": {"dealer_name": "horse"}},
    {"mode": "metadata", "filters": {"dealer_id": "8"}},
    {"mode": "keyword", "query": "refund"},
    {"mode": "keyword", "query": "refund pricing"},
    {"mode": "keyword", "query": "zebrra"},
    {"mode": "keyword", "query": "pricng", "filters": {"party_name": "a"}},
]


def corpus(tags: JsonObject, word: str, dealer_id: int) -> list[JsonObject]:
    return [
        {
            "subject": f"refund {word}",
            "created_at": "2025-06-01T00:00:00Z",
            "parties": [{"name": "A"}],
            "tags": tags,
            "attachments": [{"purpose": "strolid_dealer", "body": {"id": dealer_id, "name": "Iron Horse"}}],
        }
        for _ in range(3)
    ]


def without_ids(answer: JsonObject) -> JsonObject:
    """The answer without what differs by itself: identities and times of storing."""
    for item in answer.get("items", []):
        for name in ("id", "uuid", "updated_at"):
            item.pop(name)
    if "meta" in answer:
        answer["meta"].pop("response_bytes")
    return answer


async def test_what_one_is_told_does_not_change_with_what_the_other_writes(
    call_as: CallAs, store_for: StoreFor, tenant: str
) -> None:
    mine, theirs = f"{tenant}_a", f"{tenant}_b"
    for name in (mine, theirs):
        await store_for(name, corpus({"department": "sales"}, "zebra", 815))

    async def reported(name: str) -> list[JsonObject]:
        return [without_ids(await call_as(name)("vcon_search", **question)) for question in QUESTIONS]

    before = await reported(mine)
    assert before == await reported(theirs)
    await store_for(theirs, corpus({"deparment": "slaes", "secret": "x"}, "pricing zebrra", 8))
    after = await reported(mine)

    assert after == before
    assert await reported(theirs) != before
    assert "secret" not in str(after)


async def test_the_same_vcon_may_be_stored_by_both_and_is_deleted_for_one(
    call_as: CallAs, store_for: StoreFor, tenant: str
) -> None:
    mine, theirs = call_as(f"{tenant}_a"), call_as(f"{tenant}_b")
    vcon: JsonObject = {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab", "parties": [{"name": "A"}]}
    for name in ("a", "b"):
        await store_for(f"{tenant}_{name}", [{**vcon, "subject": f"of {name}"}])

    deleted = await theirs("delete_vcon", uuid=vcon["uuid"], confirm=True)
    left = await mine("vcon_fetch", id=vcon["uuid"])
    gone = await theirs("vcon_fetch", id=vcon["uuid"])

    assert deleted["success"]
    assert left["item"]["subject"] == "of a"
    assert gone["error"]["code"] == "NOT_FOUND"
