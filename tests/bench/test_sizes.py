"""Sizes: what describe_response_shape says of an answer's bytes is what it takes on a realistic store."""

from collections.abc import AsyncIterator

import pytest
from ruamel.yaml import YAML

from bench.sizes import FIGURES, TOOLSETS, measure
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings


@pytest.fixture
async def of_the_toolsets(settings: Settings) -> AsyncIterator[App]:
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": TOOLSETS}))
    yield built
    await built.close()


async def test_published_sizes_are_within_a_factor_of_two_of_a_fresh_measurement(
    of_the_toolsets: App,
) -> None:
    read: JsonObject = YAML(typ="safe").load(FIGURES)  # pyright: ignore[reportUnknownMemberType]
    published: dict[str, JsonObject] = read["sizes"]

    measured = await measure(of_the_toolsets)

    wrong = {
        (tool, name): (published[tool].get(name), size)
        for tool, sizes in measured.items()
        for name, size in sizes.items()
        if not size / 2 <= published[tool].get(name, 0) <= size * 2
    }
    assert wrong == {}, "run: make sizes"


async def test_every_reading_tool_of_vcons_has_a_published_size(of_the_toolsets: App) -> None:
    shapes = of_the_toolsets.catalogue.seen_with(of_the_toolsets.caller.scopes).shapes
    tools = of_the_toolsets.catalogue.seen_with(of_the_toolsets.caller.scopes).tools

    without = [
        name
        for name, shape in shapes.items()
        if tools[name]["annotations"]["readOnlyHint"] and "typical" not in shape["typical_bytes"]
    ]

    assert without == [], "add a call of them to bench/sizes.py, and run: make sizes"
