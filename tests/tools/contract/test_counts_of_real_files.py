"""Files from elsewhere: reported counts equal those of the files themselves."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import pytest

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

Call: TypeAlias = Callable[..., Awaitable[JsonObject]]
Store: TypeAlias = Callable[[Sequence[JsonObject]], Awaitable[list[str]]]

REAL_FILES = Path(__file__).parents[4] / "shared" / "data" / "vcons"

pytestmark = pytest.mark.skipif(not REAL_FILES.is_dir(), reason=f"{REAL_FILES} is not there")


@pytest.fixture(scope="module")
def vcons() -> list[JsonObject]:
    folders = (REAL_FILES / "call-centre", REAL_FILES / "gpt-conversations")
    return [json.loads(path.read_text()) for folder in folders for path in sorted(folder.glob("*.json"))]


def listed(vcon: JsonObject, name: str) -> list[JsonValue]:
    found: list[JsonValue] | None = vcon.get(name)
    return found or []


def of_types(vcon: JsonObject, array: str, *names: str) -> Iterator[str]:
    """What the first of these members that is there says, of each element."""
    for element in listed(vcon, array):
        yield from [str(element[name]) for name in names if element.get(name)][:1]


def tags_in(vcon: JsonObject) -> dict[str, str]:
    """The tags, all of which are "key:value" strings in these files, or the JSON text of a list of them."""
    tags: dict[str, str] = {}
    for attachment in listed(vcon, "attachments"):
        if (attachment.get("purpose") or attachment.get("type")) == "tags":
            body: JsonValue = attachment["body"]
            entries: list[str] = json.loads(body) if isinstance(body, str) else list(body)
            for entry in entries:
                key, _, value = entry.partition(":")
                tags[key] = value
    return tags


def features(vcon: JsonObject) -> set[str]:
    """The nodes of one vCon."""
    return {
        *(f"analysis:{name}" for name in of_types(vcon, "analysis", "type")),
        *(
            f"attachment:{name}"
            for name in of_types(vcon, "attachments", "purpose", "type")
            if name != "tags"
        ),
        *(f"dialog:{name}" for name in of_types(vcon, "dialog", "type")),
        *(f"role:{name}" for name in of_types(vcon, "parties", "role")),
        *(f"extension:{name}" for name in listed(vcon, "extensions")),
        *(f"tag:{key}" for key in tags_in(vcon)),
    }


def counted(vcons: Sequence[JsonObject], array: str, *names: str) -> dict[str, int]:
    return Counter(name for vcon in vcons for name in set(of_types(vcon, array, *names)))


async def test_the_taxonomy_is_what_the_files_hold(call: Call, store: Store, vcons: list[JsonObject]) -> None:
    await store(vcons)
    item = (await call("vcon_taxonomy"))["item"]

    assert item["corpus"]["vcons"] == len(vcons) == 643
    assert {entry["type"]: entry["count"] for entry in item["analysis_types"]} == counted(
        vcons, "analysis", "type"
    )
    assert {entry["type"]: entry["count"] for entry in item["attachment_types"]} == counted(
        vcons, "attachments", "purpose", "type"
    )
    for entry in item["analysis_types"]:
        vendors = {
            analysis["vendor"]
            for vcon in vcons
            for analysis in listed(vcon, "analysis")
            if analysis["type"] == entry["type"] and analysis.get("vendor")
        }
        assert set(entry["vendors"]) == vendors
    tags = [tags_in(vcon) for vcon in vcons]
    keys = Counter(key for each in tags for key in each)
    assert {entry["key"]: entry["count"] for entry in item["common_tag_keys"]} == keys
    for entry in item["common_tag_keys"]:
        values = Counter(each[entry["key"]] for each in tags if entry["key"] in each)
        assert entry["distinct_values"] == len(values)
        assert [(value["value"], value["count"]) for value in entry["sample_values"]] == sorted(
            values.items(), key=lambda pair: (-pair[1], pair[0])
        )[:10]
    filled = {entry["field"]: entry["filled"] for entry in item["preferred_fields"]}
    assert filled["subject"] == sum(bool(vcon.get("subject")) for vcon in vcons)
    assert filled["tags"] == sum(map(bool, tags))
    for name in ("name", "mailto", "tel", "role"):
        have = [any(party.get(name) for party in vcon["parties"]) for vcon in vcons]
        assert filled[f"parties.{name}"] == sum(have), name


async def test_the_graph_is_what_the_files_hold(call: Call, store: Store, vcons: list[JsonObject]) -> None:
    await store(vcons)
    limits = {"max_nodes": 1000, "max_edges": 1000, "min_strength": 0}
    item = (await call("vcon_graph_shape", **limits))["item"]

    nodes = Counter(name for vcon in vcons for name in features(vcon))
    pairs = Counter(pair for vcon in vcons for pair in combinations(sorted(features(vcon)), 2))
    assert {node["id"]: node["count"] for node in item["nodes"]} == nodes
    assert item["truncated"] == {"nodes": 0, "edges": max(0, len(pairs) - 1000)}
    assert len(item["edges"]) == min(1000, len(pairs))
    for edge in item["edges"]:
        pair = edge["source"], edge["target"]
        assert edge["joint_count"] == pairs[pair]
        assert edge["strength"] == pairs[pair] / min(nodes[pair[0]], nodes[pair[1]])
