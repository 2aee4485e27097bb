"""What the tests of vCon knowledge share: the compiled schemas and the loaded tables."""

import pytest

from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.dealers import Dealers
from vcontract.runtime.vcon.legacy import LegacyNames


@pytest.fixture(scope="session")
def schemas() -> VconSchemas:
    return VconSchemas.load()


@pytest.fixture(scope="session")
def legacy_names() -> LegacyNames:
    return LegacyNames.load()


@pytest.fixture(scope="session")
def dealers() -> Dealers:
    return Dealers.load()
