"""What was imported is read by its archived path and by its source, and by no other."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import ALL_SCOPES, Ask
from tests.imports.memory.conftest import Memory, Write
from tests.imports.memory.test_import import two_exchanges
from tests.imports.transcripts.conftest import ClaudeCode
from tests.imports.transcripts.test_branches import rewound
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.dispatch import CallOutcome
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.settings import Settings


@pytest.fixture(scope="module")
async def remembering(settings: Settings) -> AsyncIterator[App]:
    """A server of the memory tools alone."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("memory",)}))
    yield built
    await built.close()


@pytest.fixture
def ask(remembering: App, tenant: str) -> Ask:
    async def ask(tool: str, /, *, as_tenant: str = tenant, **arguments: object) -> CallOutcome:
        return await remembering.dispatcher.call(tool, arguments, Caller(as_tenant, ALL_SCOPES))

    return ask


async def test_a_session_is_read_when_its_source_is_gone(
    memory: Memory, ask: Ask, claude: ClaudeCode, write: Write
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    path.unlink()
    for known in (path, memory.archived[0]):
        outcome = await ask("read", path=str(known))
        assert not outcome.is_error, outcome.text
        assert "## Exchange 2" in outcome.text
        assert "- Bash `pytest -q` → ok" in outcome.text


async def test_a_rewound_branch_is_read_with_a_mark_and_not_found(
    memory: Memory, ask: Ask, claude: ClaudeCode, write: Write
) -> None:
    path = write(*rewound(claude))
    await memory.bring_in(path)
    found = await ask("search", query="walrusdb", mode="text")
    assert "exchange 2" not in found.text
    assert "exchange 4 of 4" in (await ask("search", query="index", mode="text")).text
    read = await ask("read", path=str(path))
    assert "## Exchange 2\n\n_[rewound: the conversation does not continue from here]_" in read.text
    assert "Moved: the store is walrusdb now." in read.text
    assert [("notes" in each) for each in read.structured["exchanges"]] == [False, True, True, False]


async def test_no_other_path_is_read_and_all_get_one_answer(
    memory: Memory, ask: Ask, claude: ClaudeCode, write: Write, tmp_path: Path
) -> None:
    path = write(*two_exchanges(claude))
    await memory.bring_in(path)
    never = tmp_path / "never.jsonl"
    never.write_text("{}\n")
    answers = [
        await ask("read", path="/etc/passwd"),
        await ask("read", path="../x"),
        await ask("read", path=str(never)),
        await ask("read", path=str(path), as_tenant="stranger"),
    ]
    assert {(a.structured["error"], a.structured["error_code"]) for a in answers} == {
        ("File not found", "NOT_FOUND")
    }


async def test_search_and_read_name_the_same_physical_lines(
    memory: Memory, ask: Ask, claude: ClaudeCode, write: Write
) -> None:
    path = write(
        claude.prompt("Where is the marmalade?"),
        "",
        claude.answer("In the cupboard."),
        "{broken",
        "",
        claude.prompt("Thanks."),
    )
    await memory.bring_in(path)
    found = (await ask("search", query="marmalade", mode="text")).structured["results"]
    assert [(hit["line_start"], hit["line_end"]) for hit in found] == [(1, 4)]
    shown = await ask("read", path=found[0]["path"], startLine=3, endLine=4)
    assert "In the cupboard." in shown.text
    assert "[unparseable line 4]" in shown.text
    assert "Where is the marmalade?" not in shown.text
