"""The form of each tool in a real browser on a phone: it answers as the contract says, whatever is sent."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.languages.conftest import InChromium
from tests.languages.test_page_in_browser import VCON, browsing
from tests.published import broken_promises
from vcontract.codegen.documents import JsonObject
from vcontract.runtime.frame.contract.package import load_package


@pytest.fixture
def address(database_url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a page on which every tool can be tried, in a folder of nobody's."""
    with browsing(database_url, tmp_path, [VCON], of_page=["--toolsets", "all"]) as address:
        yield address


def test_the_form_of_each_tool_answers_what_its_contract_says(in_chromium: InChromium, address: str) -> None:
    package = load_package()
    schemas = {key: package.read_contract(key)["inputSchema"] for key in package.tools}
    required = {key: schema["required"][0] for key, schema in schemas.items() if schema.get("required")}

    seen: JsonObject = in_chromium("forms.mjs", {"address": address, "required": required})
    tried: JsonObject = seen["tried"]
    assert set(tried) == set(package.tools)
    assert (seen["messages"], seen["overflows"], seen["unlabelled"]) == ([], [], [])
    answers = [(key, reported) for key, calls in tried.items() for reported in calls.values()]
    assert [(key, reported) for key, reported in answers if "answer" not in reported] == []
    assert [broken for key, reported in answers for broken in broken_promises(key, reported["answer"])] == []
    emptied = {key: calls["emptied"]["is_error"] for key, calls in tried.items() if "emptied" in calls}
    assert emptied == dict.fromkeys(required, True)
    errors = [json.dumps(reported["answer"]) for _, reported in answers if reported["is_error"]]
    assert [error for error in errors if '"INTERNAL' in error] == []
