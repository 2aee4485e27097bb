"""Sub-agents: read shows what they said, search leaves them aside."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tests.conftest import ALL_SCOPES, Ask
from tests.tools.memory.conftest import START, Import, Transcript
from vcontract.runtime.app import App, build
from vcontract.runtime.settings import Settings


def with_sub_agent() -> Transcript:
    transcript = Transcript().turns("Look into the flaky test.", "I send a helper.")
    return transcript.sub_agent("Find the zebra.", "The zebra is in the fixture.").answer(
        "It was the fixture."
    )


@pytest.fixture(scope="module")
async def both(memory_settings: Settings) -> AsyncIterator[App]:
    """A server that serves other tools beside."""
    built = await build(memory_settings.model_copy(update={"toolsets": ("memory", "vcon")}))
    yield built
    await built.close()


async def test_what_a_sub_agent_said_is_quoted_in_the_exchange_that_began_it(
    ask: Ask, import_: Import
) -> None:
    (path,) = await import_(with_sub_agent(), embed=False)

    outcome = await ask("read", path=str(path))

    assert (
        "> **Sub-agent:**\n>\n> **User:**\n> Find the zebra.\n>\n"
        "> **Assistant:**\n> The zebra is in the fixture."
    ) in outcome.text
    assert [exchange["number"] for exchange in outcome.structured["exchanges"]] == [1]
    assert "zebra" in outcome.structured["exchanges"][0]["sub_agents"][0]


async def test_a_sub_agent_with_a_file_of_its_own_is_named_where_it_began(ask: Ask, import_: Import) -> None:
    main = Transcript().turns("Look into the flaky test.", "I send a helper.")
    main.call("Task", "It is the fixture.", prompt="Find the zebra.")
    main.turns("Thanks.", "Not at all.")
    helper = Transcript(session=main.session, agent="a1", start=START + timedelta(seconds=2))
    helper.turns("Find the zebra.", "The zebra is in the fixture.")
    path, _ = await import_(main, helper, embed=False)

    outcome = await ask("read", path=str(path))

    first, second = outcome.structured["exchanges"]
    (named,) = first["sub_agents"]
    assert "sub_agents" not in second
    reported = re.search(r"\[1 exchange; path to read: (.*)\]", named)
    assert reported is not None
    assert (
        f"> **Sub-agent:**\n>\n> Find the zebra. → The zebra is in the fixture.\n>\n> {reported[0]}"
        in outcome.text
    )
    of_its_own = await ask("read", path=reported[1])
    assert of_its_own.structured["exchanges"][0]["assistant"] == "The zebra is in the fixture."


async def test_a_search_leaves_sub_agents_aside(ask: Ask, import_: Import) -> None:
    await import_(with_sub_agent(), embed=False)

    aside = await ask("search", query="zebra fixture", mode="text")

    assert all("zebra" not in result["snippet"] for result in aside.structured["results"])
    assert aside.structured["scope"] == {"sidechains": False}


async def test_beside_others_the_tools_bear_the_name_of_their_toolset(both: App) -> None:
    names = set(both.catalogue.seen_with(ALL_SCOPES).tools)

    assert {"memory_search", "memory_read"} <= names
    assert not {"search", "read"} & names
