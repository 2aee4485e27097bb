"""The package `vcon` loads what is exported here, in each version. Skips where it is not installed."""

import json
from importlib.metadata import version as version_of
from typing import Any

import pytest

from tests.vcon.calls_050 import CALLS
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.vcon.formats import INDENTED
from vcontract.runtime.vcon.spec_files import shipped_yaml
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.version_migration import migrate_version

pytestmark = pytest.mark.unit

library: Any = pytest.importorskip("vcon", reason="the package vcon is not installed")
EXAMPLES = ("call_transfer", "phone_call", "chat", "email", "video", "voicemail", "telehealth")
GIVEN: dict[str, JsonObject] = CALLS | {
    name: shipped_yaml("examples", f"{name}.yaml")["vcon"] for name in EXAMPLES
}


def as_instants(value: JsonValue) -> JsonValue:
    """With each date as a time, because the library spells dates its own way."""
    if is_object(value):
        return {name: as_instants(each) for name, each in value.items()}
    if is_array(value):
        return [as_instants(each) for each in value]
    return (read_time(value) or value) if isinstance(value, str) else value


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("version", ["0.4.0", "0.5.0"])
def test_an_exported_vcon_is_loaded_with_all_that_it_holds(given: JsonObject, version: str) -> None:
    exported = INDENTED.write(migrate_version(given, version).vcon).decode()

    loaded = library.Vcon.build_from_json(exported)

    expected = json.loads(exported)
    held = loaded.to_dict()
    assert as_instants({name: held.get(name) for name in expected}) == as_instants(expected)


# the library wants a list of parties, and the voicemail names one by its index
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "voicemail"])
def test_an_export_of_0_4_0_is_valid_for_a_library_of_0_4_0(name: str) -> None:
    if tuple(map(int, version_of("vcon").split(".")[:2])) >= (1, 0):
        pytest.skip("this library writes 0.5.0")
    exported = INDENTED.write(migrate_version(GIVEN[name], "0.4.0").vcon).decode()

    assert library.Vcon.build_from_json(exported).is_valid() == (True, [])
