"""A journal of half a year over stdio: captured, framed, woven, found, as the documentation shows it."""

import re
from pathlib import Path

import jsonschema_rs
import pytest
from syrupy.assertion import SnapshotAssertion

from tests.e2e.conftest import Serving, Wire
from tests.tools.bridge.journal import CAPTURES, MOMENTS, SCENES, WHO
from tests.waiting import until_told
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject

PAGE = Path(__file__).parents[2] / "docs" / "bridge.md"
PACKAGE = load_package()
ON_THE_PAGE = ("meaning", "release")
"""What the page shows; a snapshot has the other texts."""


class Journal:
    """The bridge on the other side of the pipe; keeps what a reader is shown."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def call(self, tool: str, /, **arguments: object) -> tuple[JsonObject, str]:
        """The facts and the text of a call that succeeds."""
        answer = (await self._wire.request("tools/call", {"name": tool, "arguments": arguments}))["result"]
        facts: JsonObject = answer["structuredContent"]
        schema = PACKAGE.read_contract(f"bridge_{tool}")["outputSchema"]
        jsonschema_rs.validate(schema, facts)
        (block,) = answer["content"]
        return facts, str(block["text"])

    async def made(self, tool: str, /, **arguments: object) -> str:
        facts, _ = await self.call(tool, **arguments)
        assert facts["success"], facts
        return str(facts["record"]["id"])

    async def embedded(self) -> None:
        """Return once everything can be found by meaning."""

        async def is_embedded() -> bool:
            facts, _ = await self.call("status")
            return bool(facts["embeddings"]["coverage"] == 1)

        await until_told(is_embedded)


def shown(text: str) -> str:
    """The text as the documentation has it: ids and the clock are of one day only."""
    text = re.sub(r"(src|mom|sce)_[0-9a-z]{26}", r"\1_…", text)
    return re.sub(r"(Last change: ).*", r"\1…", text)


async def kept(journal: Journal) -> tuple[list[str], list[str], list[str]]:
    """The journal, captured, framed and woven."""
    sources: list[str] = []
    for when, members in CAPTURES:
        reflects: JsonObject = {"reflects_on": [sources[0]]} if len(sources) == len(CAPTURES) - 1 else {}
        sources.append(await journal.made("capture", **{**WHO, **members, **reflects}, when=when))
    moments = [
        await journal.made("frame", sourceIds=[sources[at] for at in places], **members)
        for places, members in MOMENTS
    ]
    scenes = [
        await journal.made("weave", momentIds=[moments[at] for at in places], **members)
        for places, members in SCENES
    ]
    return sources, moments, scenes


@pytest.fixture
async def texts(serving: Serving) -> dict[str, str]:
    """What a reader is shown of a session with the journal, by what was asked."""
    found: dict[str, str] = {}
    async with serving(toolsets="bridge", time_zone="Europe/Berlin", rate_limits="off") as wire:
        await wire.initialize()
        journal = Journal(wire)
        sources, moments, scenes = await kept(journal)
        await journal.embedded()
        asked: dict[str, tuple[str, JsonObject]] = {
            "meaning": ("search", {"query": "overcoming fear", "limit": 3}),
            "time": (
                "search",
                {"when": {"start": "2026-05", "end": "2026-06"}, "type": ["source"], "limit": 2},
            ),
            "months": ("search", {"groupBy": "month", "sort": "when", "type": ["moment"]}),
            "tree": ("search", {"groupBy": "hierarchy", "type": ["moment", "scene"]}),
            "correction": ("enrich", {"id": moments[4], "updates": {"summary": "My hand on the rusty buoy"}}),
            "status": ("status", {}),
            "release": ("release", {"id": sources[13]}),
            "no model": ("autoframe", {"sourceId": sources[5]}),
        }
        for name, (tool, arguments) in asked.items():
            if tool == "status":
                await journal.embedded()
            found[name] = shown((await journal.call(tool, **arguments))[1])
        assert len(scenes) == len(SCENES)
    return found


async def test_a_session_with_the_journal_answers_as_the_page_and_the_snapshot_show(
    texts: dict[str, str], snapshot: SnapshotAssertion
) -> None:
    page = PAGE.read_text(encoding="utf-8")

    missing = {name: texts[name] for name in ON_THE_PAGE if texts[name] not in page}

    assert missing == {}, "put these into docs/bridge.md:\n\n" + "\n\n".join(missing.values())
    assert {name: text for name, text in texts.items() if name not in ON_THE_PAGE} == snapshot
