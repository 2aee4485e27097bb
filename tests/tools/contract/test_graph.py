"""vcon_graph_shape: what the corpus has, and what occurs together in it."""

from itertools import combinations

import pytest

from tests.conftest import Ask, Call
from tests.tools.contract.conftest import CallAs, Store, StoreFor
from vcontract.codegen.lints.tools import model_tokens
from vcontract.handlers.contract import graph
from vcontract.handlers.contract.graph import strong_edges
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.vcons.counts import fold_all

TRANSCRIPT: JsonObject = {"type": "transcript", "vendor": "acme", "encoding": "none", "body": "x"}


def conversation(**members: object) -> JsonObject:
    return {"parties": [{"name": "A"}], "created_at": "2025-06-01T00:00:00Z", **members}


def transcripts_and_priorities() -> list[JsonObject]:
    """Ten vCons with a transcript, four of them with the tag priority, and one with only the tag."""
    return [
        *(conversation(analysis=[TRANSCRIPT], tags={"priority": "high"} if n < 4 else {}) for n in range(10)),
        conversation(tags={"priority": "low"}),
    ]


async def graph_of(call: Call, **arguments: object) -> JsonObject:
    """The item, without the moment."""
    item: JsonObject = (await call("vcon_graph_shape", **arguments))["item"]
    assert item["corpus"].pop("computed_at")
    item["corpus"] = {name: value for name, value in item["corpus"].items() if name not in ("first", "last")}
    return item


def counts(item: JsonObject) -> dict[str, int]:
    return {node["id"]: node["count"] for node in item["nodes"]}


async def test_the_strength_of_a_pair_is_the_share_of_the_rarer_one(call: Call, store: Store) -> None:
    await store(transcripts_and_priorities())

    item = await graph_of(call)

    assert item["nodes"] == [
        {"id": "analysis:transcript", "type": "analysis_type", "label": "transcript", "count": 10},
        {"id": "tag:priority", "type": "tag_key", "label": "priority", "count": 5},
    ]
    assert item["edges"] == [
        {"source": "analysis:transcript", "target": "tag:priority", "strength": 0.8, "joint_count": 4}
    ]
    assert item["corpus"] == {"vcons": 11, "edges_from": 11, "sampled": False}
    assert item["truncated"] == {"nodes": 0, "edges": 0}
    assert await graph_of(call) == item


async def test_an_empty_corpus_has_no_nodes(call: Call) -> None:
    item = await graph_of(call)

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

    assert counts(await graph_of(call)) == dict.fromkeys(
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
    assert set(counts(await graph_of(call, node_types=["party_role", "extension"]))) == {
        "extension:cc",
        "role:agent",
    }


async def test_each_pair_is_told_once_and_the_strongest_first(call: Call, store: Store) -> None:
    await store([conversation(tags={"a": 1, "b": 1, "c": 1}) for _ in range(3)])
    await store([conversation(tags={"a": 1, "d": 1}), conversation(tags={"d": 1})])

    edges = (await graph_of(call))["edges"]

    pairs = [(edge["source"], edge["target"]) for edge in edges]
    assert pairs == [("tag:a", "tag:b"), ("tag:a", "tag:c"), ("tag:b", "tag:c"), ("tag:a", "tag:d")]
    assert [edge["strength"] for edge in edges] == [1, 1, 1, 0.5]
    assert [pairs[-1]] not in [
        [(edge["source"], edge["target"])] for edge in (await graph_of(call, min_strength=0.6))["edges"]
    ]


async def test_what_the_limits_leave_out_is_counted(call: Call, store: Store) -> None:
    await store([conversation(tags={"a": 1, "b": 1, "c": 1}), conversation(tags={"a": 1})])

    none = await graph_of(call, max_edges=0)
    one = await graph_of(call, max_edges=1)
    few = await graph_of(call, max_nodes=2)

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
    rare = await graph_of(call, min_strength=0)
    monkeypatch.setattr(graph, "SHARE_OF_SAMPLE", 4)

    often = await graph_of(call, min_strength=0)

    assert [edge["joint_count"] for edge in rare["edges"]] == [3, 2]
    # of twelve vCons three have to have both
    assert [(edge["source"], edge["target"]) for edge in often["edges"]] == [("tag:a", "tag:b")]
    assert counts(often) == counts(rare)


async def test_a_change_shows_at_once(call: Call, store: Store) -> None:
    (uuid,) = await store([conversation(tags={"a": 1})])
    before = await graph_of(call)

    await call("add_tag", vcon_uuid=uuid, key="b", value=1)
    assert counts(await graph_of(call)) == {"tag:a": 1, "tag:b": 1}
    assert len((await graph_of(call))["edges"]) == 1
    await call("remove_tag", vcon_uuid=uuid, key="b")
    assert await graph_of(call) == before


async def test_of_many_vcons_edges_come_from_the_same_sample_each_time(
    call: Call, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MAX_COUNTED_VCONS", 20)
    await store([conversation(tags={"a": 1, f"k{n % 2}": 1}) for n in range(50)])

    item = await graph_of(call)
    (await graph_of(call, max_nodes=2))  # asked otherwise, it is counted again
    again = await graph_of(call, max_nodes=200, max_edges=199)

    assert item["corpus"] == {"vcons": 50, "edges_from": 20, "sampled": True}
    assert counts(item) == {"tag:a": 50, "tag:k0": 25, "tag:k1": 25}
    assert sum(edge["joint_count"] for edge in item["edges"]) == 20
    assert again["edges"] == item["edges"]
    # and an answer from a sample is kept for a while
    await store([conversation(tags={"new": 1})])
    assert "tag:new" not in counts(await graph_of(call))


async def test_what_one_tenant_writes_changes_nothing_for_another(
    call_as: CallAs, store_for: StoreFor, tenant: str
) -> None:
    mine, theirs = f"{tenant}_a", f"{tenant}_b"
    for name in (mine, theirs):
        await store_for(name, transcripts_and_priorities())
    before = await graph_of(call_as(mine))
    assert await graph_of(call_as(theirs)) == before

    await store_for(theirs, [conversation(tags={"secret": 1, "priority": 1})])

    assert await graph_of(call_as(mine)) == before
    assert "tag:secret" in counts(await graph_of(call_as(theirs)))


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


def dealt(dealer: str, month: int, said: str, **members: object) -> JsonObject:
    return conversation(
        created_at=f"2025-{month:02}-10T00:00:00Z",
        parties=[{"name": "Ann", "role": "Customer"}, {"name": f"Agent {month}", "role": "agent"}],
        dialog=[{"type": "text", "parties": 0, "encoding": "none", "body": said}],
        attachments=[{"purpose": "strolid_dealer", "body": {"id": dealer, "name": f"Dealer {dealer}"}}],
        **members,
    )


DEALT = [
    dealt("1", 3, "A billing mistake", tags={"mood": "angry"}),
    dealt("1", 5, "Billing again", tags={"mood": "angry"}, analysis=[TRANSCRIPT]),
    dealt("2", 5, "A wrong billing", tags={"mood": "calm"}),
    *(dealt("2", 6, "A parcel") for _ in range(3)),
]


@pytest.mark.parametrize(
    ("arguments", "counted"),
    [
        ({"node_types": ["dealer"], "query": "billing"}, {"dealer:1": 2, "dealer:2": 1}),
        ({"node_types": ["dealer"]}, {"dealer:2": 4, "dealer:1": 2}),
        ({"node_types": ["month"]}, {"month:2025-06": 3, "month:2025-05": 2, "month:2025-03": 1}),
        ({"node_types": ["tag_value"]}, {"tag_value:mood:angry": 2, "tag_value:mood:calm": 1}),
        ({"node_types": ["party"], "max_nodes": 2}, {"party:ann": 6, "party:agent 6": 3}),
        ({"node_types": ["month"], "filters": {"dealer_id": "1"}}, {"month:2025-03": 1, "month:2025-05": 1}),
        (
            {"node_types": ["analysis_type"], "filters": {"tags": {"mood": "angry"}}},
            {"analysis:transcript": 1},
        ),
        ({"node_types": ["dealer"], "filters": {"party_name": "ann", "party_role": "AGENT"}}, {}),
        (
            {"node_types": ["month"], "filters": {"party_name": "agent 3", "party_role": "agent"}},
            {"month:2025-03": 1},
        ),
        ({"node_types": ["month"], "filters": {"analysis_type": "transcript"}}, {"month:2025-05": 1}),
        ({"node_types": ["dealer"], "filters": {"attachment_type": "note"}}, {}),
    ],
)
async def test_the_vcons_of_a_search_are_counted_without_being_read(
    ask: Ask, store: Store, arguments: JsonObject, counted: dict[str, int]
) -> None:
    await store(DEALT)

    outcome = await ask("vcon_graph_shape", **arguments)

    item = outcome.structured["item"]
    assert list(counts(item).items()) == list(counted.items())
    assert item["edges"] == []
    assert model_tokens(outcome.text) < 1_000


async def test_what_is_counted_is_what_a_search_finds(call: Call, store: Store) -> None:
    await store(DEALT)

    item = (await call("vcon_graph_shape", node_types=["dealer"], query="billing", max_nodes=1))["item"]
    found = await call("vcon_search", mode="keyword", query="billing")

    assert item["corpus"]["counted"] == found["page"]["total"] == 3
    assert item["nodes"] == [{"id": "dealer:1", "type": "dealer", "label": "Dealer 1", "count": 2}]
    assert item["truncated"] == {"nodes": 1, "edges": 0}


@pytest.mark.parametrize("kind", ["party", "tag_value", "month", "day", "hour"])
async def test_what_is_kept_of_all_vcons_is_what_counting_them_gives(
    call: Call, app: App, store: Store, tenant: str, kind: str
) -> None:
    long = "v" * 300
    ids = await store(
        [
            conversation(parties=[{"name": "Ann"}, {"name": "ANN"}], tags={"a": "x", "b": long}),
            conversation(parties=[{"name": "ann"}, {"name": "W" * 400}], tags={"a": "y", "b": f"{long}w"}),
            conversation(parties=[{"tel": "+49301"}], tags={"a": "x"}),
            conversation(parties=[{"name": "Gone"}], tags={"a": "gone", "b": "short"}),
        ]
    )

    async def nodes(**arguments: object) -> JsonObject:
        item: JsonObject = (await call("vcon_graph_shape", node_types=[kind], **arguments))["item"]
        return {"nodes": item["nodes"], "truncated": item["truncated"]}

    for is_folded in (False, True):
        if is_folded:
            await fold_all(app.database)
            await call("add_tag", vcon_uuid=ids[0], key="a", value="z")
            await call("delete_vcon", uuid=ids[3], confirm=True)
        counted = await nodes(filters={"start_date": "1970-01-01"})
        assert await nodes() == counted
        assert await nodes(max_nodes=1) == await nodes(max_nodes=1, filters={"start_date": "1970-01-01"})
        assert ("gone" in str(counted).lower()) is (not is_folded and kind in ("party", "tag_value"))


async def test_the_oldest_and_the_newest_vcon_are_told(call: Call, store: Store) -> None:
    ids = await store(DEALT[:3])

    shape = (await call("vcon_graph_shape", node_types=["month"]))["item"]["corpus"]
    taxonomy = (await call("vcon_taxonomy"))["item"]["corpus"]

    assert shape["first"] == taxonomy["first"] == {"id": ids[0], "created_at": "2025-03-10T00:00:00Z"}
    assert shape["last"] == taxonomy["last"]
    assert taxonomy["last"]["id"] == max(ids[1:])


async def test_a_count_of_another_tenant_is_not_told(call_as: CallAs, store_for: StoreFor) -> None:
    await store_for("graph-others", DEALT)

    item = (await call_as("graph-own")("vcon_graph_shape", node_types=["dealer", "party"], query="billing"))[
        "item"
    ]

    assert item["nodes"] == []
    assert item["corpus"]["counted"] == 0


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "biling"},
        {"query": "zzzqqq billing"},
        {"query": "billing parcel"},
        {"query": "quagmire"},
        {"filters": {"tags": {"mood": "furious"}}},
        {"filters": {"dealer_name": "Daeler"}},
        {"filters": {"start_date": "2030-01-01"}},
        {"query": "billing", "filters": {"party_name": "agnet"}},
    ],
)
async def test_a_count_reads_query_and_filters_as_a_search_does_and_gives_the_same_hints(
    call: Call, store: Store, asked: JsonObject
) -> None:
    await store(DEALT)

    shape = await call("vcon_graph_shape", node_types=["dealer"], **asked)
    found = await call("vcon_search", mode="keyword" if "query" in asked else "metadata", **asked)

    assert shape["item"]["corpus"]["counted"] == found["page"]["total"]
    for member in ("matching", "corrections", "hints"):
        assert shape["meta"].get(member) == found["meta"].get(member), member
    assert found["items"] or found["meta"]["hints"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "the of and", "filters": {"subject": "x"}},
        {"query": "billing NOT angry OR parcel"},
        {"filters": {"tags": {"moood": "angry"}}},
    ],
)
async def test_a_search_that_cannot_be_read_is_refused_as_vcon_search_does(
    call: Call, store: Store, arguments: JsonObject
) -> None:
    await store(DEALT)
    arguments = {"query": "billing", **arguments}

    refused = await call("vcon_graph_shape", **arguments)

    assert refused["error"] == (await call("vcon_search", mode="keyword", **arguments))["error"]


async def test_a_graph_over_its_budget_is_suggested_smaller_and_the_suggestion_fits(
    call: Call, store: Store
) -> None:
    await store([conversation(tags={f"key{number}": str(number)}) for number in range(60)])

    refused = await call("vcon_graph_shape", max_response_bytes=2048)
    suggestion: JsonObject = refused["error"]["details"]["suggestion"]
    followed = await call("vcon_graph_shape", max_response_bytes=2048, **suggestion)

    assert set(suggestion) == {"max_nodes", "max_edges"}
    assert followed["ok"]
    assert followed["item"]["nodes"]
