"""Fixtures of the fuzz tests: a server that serves every toolset."""

from collections.abc import AsyncIterator

import pytest

from vcontract.runtime.app import App, build
from vcontract.runtime.settings import Settings


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application with all toolsets, so that a tool's name is its key of the registry."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()
