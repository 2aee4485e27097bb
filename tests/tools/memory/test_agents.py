"""Sessions of every coding agent are found and read alike."""

from pathlib import Path

import pytest

from tests.conftest import Ask
from tests.imports.agents import ANSWER, FIRST, LAST, SECOND, WRITERS
from tests.tools.memory.conftest import Import


@pytest.mark.parametrize("name", ["gemini-cli", "cursor", "opencode", "aider", "continue"])
async def test_a_session_of_any_agent_is_found_and_read(
    name: str, ask: Ask, import_: Import, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    await import_(WRITERS[name](tmp_path), embed=False)

    found = await ask("search", query="RS256 published", mode="text", response_format="json")
    (result,) = found.structured["results"]
    shown = (await ask("read", path=result["path"])).text

    assert (result["harness"], result["project"], result["date"][:4]) == (name, "shop", "2025")
    assert all(said in shown for said in (FIRST, ANSWER, SECOND, LAST, "**Tools:**", "auth.py"))
