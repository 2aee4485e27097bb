"""Fixtures of the sixth toolset's tests: a server that has it, and vCons to work on."""

from collections.abc import AsyncIterator

import pytest

from tests.tools.contract.conftest import Store, call_as, prepare_context, store, store_for
from tests.tools.vcon.conftest import Create, create, create_signed
from vcontract.runtime.app import App, build
from vcontract.runtime.settings import Settings

__all__ = ["Create", "Store", "call_as", "create", "create_signed", "prepare_context", "store", "store_for"]


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """The application with the toolset beside that whose vCons it works on."""
    toolsets = ("contract", "vcon", "vcon_more")
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": toolsets}))
    yield built
    await built.close()
