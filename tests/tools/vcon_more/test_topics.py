"""vcon_topics: groups of conversations by meaning, their words, sizes and changes."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import CallAs, Store, StoreFor
from vcontract.runtime.app import App
from vcontract.runtime.embedding.clusters import MAX_CLUSTERS, clusters
from vcontract.runtime.frame.documents.json import JsonObject

REAL_FILES: Final = Path(__file__).parents[4] / "shared" / "data" / "vcons" / "call-centre"
SAID: Final = {
    "delivery": (
        "My parcel has not arrived, where is the courier?",
        "The delivery is late again, the parcel should be here.",
        "The courier left my parcel with a neighbour, but the delivery was for me.",
        "Can you track the delivery of my parcel? The courier does not answer.",
    ),
    "password": (
        "I cannot log in, the password of my account is rejected.",
        "Please reset the password, my account is locked after the login failed.",
        "The login asks for a password that I never set for this account.",
        "My account says wrong password at each login since yesterday.",
    ),
    "guitar": (
        "Do you teach guitar? I would like lessons on Mondays.",
        "The guitar lessons with my teacher are wonderful, can I book more?",
        "How much are guitar lessons for a child with an own guitar?",
        "My teacher cancelled the guitar lessons of this week.",
    ),
}


def call_about(number: int, text: str, month: int, name: str = "Zoltan") -> JsonObject:
    start = f"2025-{month:02}-{number % 27 + 1:02}T10:00:00Z"
    return {
        "uuid": f"01900000-0000-8000-8000-{number:012}",
        "created_at": start,
        "parties": [{"name": name, "role": "customer"}],
        "dialog": [{"type": "text", "start": start, "parties": [0], "body": text, "encoding": "none"}],
    }


def calls(counts: dict[str, int], month: int, first: int) -> list[JsonObject]:
    found: list[JsonObject] = []
    for topic, count in counts.items():
        for number in range(count):
            begins, ends = list(permutations(SAID[topic], 2))[number]
            found.append(call_about(first + len(found), f"{begins} Zoltan speaking. {ends}", month))
    return found


async def test_topics_of_known_subjects_are_found_with_sizes_changes_and_examples(
    app: App, call: Call, store: Store, tenant: str
) -> None:
    await store(calls({"delivery": 4, "password": 8}, 9, 100))
    await store(calls({"delivery": 12, "password": 4, "guitar": 8}, 10, 200))
    await app.worker.drain(tenant)

    answer = await call("vcon_topics", period="2025-10")

    sizes = {
        topic: (each["now"], each["before"], each["change"])
        for each in answer["topics"]
        for topic in SAID
        if topic in each["words"]
    }
    assert sizes == {"delivery": (12, 4, 8), "guitar": (8, 0, 8), "password": (4, 8, -4)}
    assert [each.get("growth") for each in answer["topics"]] == [2.0, None, -0.5]
    assert (answer["vcons"], answer["vcons_before"], answer["without_vector"]) == (24, 12, 0)
    assert answer["compared_with"] == {"from": "2025-09-01T00:00:00Z", "to": "2025-10-01T00:00:00Z"}
    assert not any("zoltan" in each["words"] for each in answer["topics"])
    for each in answer["topics"]:
        (about,) = {await _about(call, example["id"]) for example in each["examples"]}
        assert about in each["words"]
        assert len(each["examples"]) == 3
        assert all(example["began_at"].startswith("2025-10") for example in each["examples"])
    assert await call("vcon_topics", period="2025-10") == answer
    # the last full month before the end is named by its unit, and any other one may be compared
    named = await call("vcon_topics", period="month", filters={"end_date": "2025-10-31"})
    other = await call("vcon_topics", period="2025-09", compare_to="2025-10")
    assert named["topics"] == answer["topics"]
    assert (other["vcons"], other["vcons_before"]) == (12, 24)
    days = await call("vcon_topics", period="2025-10-01/2025-10-31", compare_to="2025-09-01/2025-09-30")
    assert days["topics"] == answer["topics"]


async def _about(call: Call, id_: str) -> str:
    text = (await call("vcon_fetch", id=id_, turns="0"))["item"]["turns"][0]["text"]
    return next(topic for topic, texts in SAID.items() if any(text.startswith(each) for each in texts))


async def test_topics_count_what_has_no_vector_apart_and_only_what_filters_match(
    app: App, call: Call, store: Store, call_as: CallAs, store_for: StoreFor, tenant: str
) -> None:
    await store(calls({"delivery": 6, "guitar": 6}, 10, 300))
    await store_for("another-tenant", calls({"password": 9}, 10, 400))
    await app.worker.drain(tenant)
    await store([call_about(500, "Not embedded yet.", 10), call_about(501, "Nor this.", 9)])

    everything = await call("vcon_topics")
    some = await call("vcon_topics", filters={"start_date": "2025-11-01"})
    of_others = await call_as("another-tenant")("vcon_topics", period="2025-10")

    assert (everything["vcons"], everything["without_vector"]) == (12, 2)
    assert "before" not in everything["topics"][0]
    assert (some["vcons"], some["topics"], some["period"]) == (0, [], {"from": "2025-11-01T00:00:00Z"})
    assert (of_others["vcons"], of_others["without_vector"]) == (0, 9)


@pytest.mark.parametrize(
    ("arguments", "parameter", "reason"),
    [
        ({"period": "recently"}, "period", "bad_date"),
        ({"period": "2025-13"}, "period", "bad_date"),
        ({"period": "week", "compare_to": "2025-W60"}, "compare_to", "bad_date"),
        ({"period": "2025-10-31/2025-10-01"}, "period", "bad_date"),
        ({"compare_to": "2025-10"}, "compare_to", "missing"),
    ],
)
async def test_a_period_that_is_none_is_rejected_with_what_is_allowed(
    call: Call, arguments: JsonObject, parameter: str, reason: str
) -> None:
    details = (await call("vcon_topics", **arguments))["details"]
    assert (details["parameter"], details["reason"]) == (parameter, reason)


@pytest.mark.skipif(not REAL_FILES.is_dir(), reason="the real files are not beside the repository")
async def test_topics_of_real_calls_are_what_their_businesses_sell(
    app: App, call: Call, store: Store, tenant: str
) -> None:
    files = sorted(REAL_FILES.rglob("*.json"))[::10]
    await store([json.loads(file.read_text(encoding="utf-8")) for file in files])
    await app.worker.drain(tenant)

    answer = await call("vcon_topics")

    assert answer["vcons"] == len(files)
    words = Counter(word for topic in answer["topics"] for word in topic["words"])
    assert max(words.values()) <= 2
    insurance = next(topic for topic in answer["topics"] if "insurance" in topic["words"])
    for example in insurance["examples"]:
        read = await call("vcon_fetch", id=example["id"], include=["transcript"])
        assert "insurance" in read["item"]["transcript"]["text"].lower()


@pytest.mark.unit
def test_clusters_are_those_that_were_mixed_whatever_their_number_and_the_same_each_time() -> None:
    random = np.random.default_rng(7)
    for count in (2, 5, 9):
        centres = random.normal(size=(count, 384))
        of = random.integers(count, size=600)
        vectors = (centres[of] + 0.4 * random.normal(size=(600, 384))).astype(np.float32)

        found = clusters(vectors)

        assert found.count == count
        assert len({(one, other) for one, other in zip(of.tolist(), found.of, strict=True)}) == count
        assert clusters(vectors) == found


@pytest.mark.unit
@pytest.mark.parametrize("size", [0, 1, 5, 20_000])
def test_clusters_of_few_alike_or_very_many_vectors_are_bounded(size: int) -> None:
    vectors = np.ones((size, 8), dtype=np.float32)
    found = clusters(vectors)
    assert (len(found.of), len(found.nearness)) == (size, size)
    assert found.count <= MAX_CLUSTERS
