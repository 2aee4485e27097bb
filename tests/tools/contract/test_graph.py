"""vcon_graph_shape: what the corpus has, and what occurs together in it."""

from itertools import combinations

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import CallAs, Store, StoreFor
from vcontract.handlers.contract import graph
from vcontract.handlers.contract.graph import strong_edges
from vcontract.runtime.documents.json import JsonObject

TRANSCRIPT: JsonObject = {"type": "transcript", "vendor": "acme", "encoding": "none", "body": "x"}


def conversation(**members: object) -> JsonObject:
    return {"parties": [{"name": "A"}], "created_at": "2025-06-01T00:00:00Z", **members}


def transcripts_and_priorities() -> list[JsonObject]:
    """Ten vCons with a transcript, four of them with the tag priority, and one with only the tag."""
    return [
        *(conversation(analysis=[TRANSCRIPT], tags={"priority": "high"} if n < 4 else {}) for n in range(10)),
        conversation(tags={"priority": "low"}),
    ]


async def told(call: Call, **arguments: object) -> JsonObject:
    """The item, without the moment."""
    item: JsonObject = (await call("vcon_graph_shape", **arguments))["item"]
    assert item["corpus"].pop("computed_at")
    return item


def counts(item: JsonObject) -> dict[str, int]:
    return {node["id"]: node["count"] for node in item["nodes"]}


async def test_the_strength_of_a_pair_is_the_share_of_the_rarer_one(call: Call, store: Store) -> None:
    await store(transcripts_and_priorities())

    item = await told(call)

    assert item["nodes"] == [
        {"id": "analysis:transcript", "type": "analysis_type", "label": "transcript", "count": 10},
        {"id": "tag:priority", "type": "tag_key", "label": "priority", "count": 5},
    ]
    assert item["edges"] == [
        {"source": "analysis:transcript", "target": "tag:priority", "strength": 0.8, "joint_count": 4}
    ]
    assert item["corpus"] == {"vcons": 11, "edges_from": 11, "sampled": False}
    assert item["truncated"] == {"nodes": 0, "edges": 0}
    assert await told(call) == item


async def test_an_empty_corpus_has_no_nodes(call: Call) -> None:
    item = await told(call)

    assert (item["nodes"], item["edges"]) == ([], [])
    assert item["corpus"] == {"vcons": 0, "edges_from": 0, "sampled": False}


async def test_every_kind_of_node_shows_and_the_carriers_of_tags_do_not(call: Call, store: Store) -> None:
    await store(
        [
            conversation(
                parties=[{"name": "A", "role": "agent"}, {"name": "B", "role": "agent"}],
                dialog=[{"type": "text", "body": "x"}, {"type": "incomplete"}],
                analysis=[TRANSCRIPT, TRANSCRIPT],
                attachments=[
                    {"purpose": "tags", "body": ["team:west"]},
                    {"type": "invoice", "body": "x"},
                ],
                extensions=["cc"],
            )
        ]
    )

    assert counts(await told(call)) == dict.fromkeys(
        [
            "analysis:transcript",
            "attachment:invoice",
            "dialog:incomplete",
            "dialog:text",
            "extension:cc",
            "role:agent",
            "tag:team",
        ],
        1,
    )
    assert set(counts(await told(call, node_types=["party_role", "extension"]))) == {
        "extension:cc",
        "role:agent",
    }


async def test_each_pair_is_told_once_and_the_strongest_first(call: Call, store: Store) -> None:
    await store([conversation(tags={"a": 1, "b": 1, "c": 1}) for _ in range(3)])
    await store([conversation(tags={"a": 1, "d": 1}), conversation(tags={"d": 1})])

    edges = (await told(call))["edges"]

    pairs = [(edge["source"], edge["target"]) for edge in edges]
    assert pairs == [("tag:a", "tag:b"), ("tag:a", "tag:c"), ("tag:b", "tag:c"), ("tag:a", "tag:d")]
    assert [edge["strength"] for edge in edges] == [1, 1, 1, 0.5]
    assert [pairs[-1]] not in [
        [(edge["source"], edge["target"])] for edge in (await told(call, min_strength=0.6))["edges"]
    ]


async def test_what_the_limits_leave_out_is_counted(call: Call, store: Store) -> None:
    await store([conversation(tags={"a": 1, "b": 1, "c": 1}), conversation(tags={"a": 1})])

    none = await told(call, max_edges=0)
    one = await told(call, max_edges=1)
    few = await told(call, max_nodes=2)

    assert (none["edges"], none["truncated"]) == ([], {"nodes": 0, "edges": 3})
    assert (len(one["edges"]), one["truncated"]) == (1, {"nodes": 0, "edges": 2})
    assert list(counts(few)) == ["tag:a", "tag:b"]
    assert few["truncated"] == {"nodes": 1, "edges": 0}
    assert [edge["target"] for edge in few["edges"]] == ["tag:b"]


async def test_a_pair_needs_its_share_of_the_vcons(
    call: Call, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store([conversation(tags={"a": 1, "b": 1}) for _ in range(3)])
    await store([conversation(tags={"a": 1, "c": 1}) for _ in range(2)])
    await store([conversation(tags={"z": 1}) for _ in range(7)])
    rare = await told(call, min_strength=0)
    monkeypatch.setattr(graph, "SHARE_OF_SAMPLE", 4)

    often = await told(call, min_strength=0)

    assert [edge["joint_count"] for edge in rare["edges"]] == [3, 2]
    # of twelve vCons three have to have both
    assert [(edge["source"], edge["target"]) for edge in often["edges"]] == [("tag:a", "tag:b")]
    assert counts(often) == counts(rare)


async def test_a_change_shows_at_once(call: Call, store: Store) -> None:
    (uuid,) = await store([conversation(tags={"a": 1})])
    before = await told(call)

    await call("add_tag", vcon_uuid=uuid, key="b", value=1)
    assert counts(await told(call)) == {"tag:a": 1, "tag:b": 1}
    assert len((await told(call))["edges"]) == 1
    await call("remove_tag", vcon_uuid=uuid, key="b")
    assert await told(call) == before


async def test_of_many_vcons_edges_come_from_the_same_sample_each_time(
    call: Call, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MOST_COUNTED", 20)
    await store([conversation(tags={"a": 1, f"k{n % 2}": 1}) for n in range(50)])

    item = await told(call)
    (await told(call, max_nodes=2))  # asked otherwise, it is counted again
    again = await told(call, max_nodes=200, max_edges=199)

    assert item["corpus"] == {"vcons": 50, "edges_from": 20, "sampled": True}
    assert counts(item) == {"tag:a": 50, "tag:k0": 25, "tag:k1": 25}
    assert sum(edge["joint_count"] for edge in item["edges"]) == 20
    assert again["edges"] == item["edges"]
    # and an answer from a sample is kept for a while
    await store([conversation(tags={"new": 1})])
    assert "tag:new" not in counts(await told(call))


async def test_what_one_tenant_writes_changes_nothing_for_another(
    call_as: CallAs, store_for: StoreFor, tenant: str
) -> None:
    mine, theirs = f"{tenant}_a", f"{tenant}_b"
    for name in (mine, theirs):
        await store_for(name, transcripts_and_priorities())
    before = await told(call_as(mine))
    assert await told(call_as(theirs)) == before

    await store_for(theirs, [conversation(tags={"secret": 1, "priority": 1})])

    assert await told(call_as(mine)) == before
    assert "tag:secret" in counts(await told(call_as(theirs)))


def test_edges_are_those_that_comparing_every_pair_gives() -> None:
    sets = [
        ([name for bit, name in enumerate("abcdefg") if number >> bit & 1], number % 5 + 1)
        for number in range(128)
    ]
    had = {name: {i for i, (features, _) in enumerate(sets) if name in features} for name in "abcdefg"}

    def vcons(rows: set[int]) -> int:
        return sum(sets[row][1] for row in rows)

    expected = {
        (one, other): (vcons(had[one] & had[other]), min(vcons(had[one]), vcons(had[other])))
        for one, other in combinations("abcdefg", 2)
    }
    edges = strong_edges("gfedcba", sets, 0.5, 90)

    assert {(edge["source"], edge["target"]): edge["joint_count"] for edge in edges} == {
        pair: joint for pair, (joint, least) in expected.items() if joint / least >= 0.5 and joint >= 90
    }
    for edge in edges:
        joint, least = expected[edge["source"], edge["target"]]
        assert edge["strength"] == joint / least
