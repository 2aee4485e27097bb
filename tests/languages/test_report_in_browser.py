"""The contract report in a real browser: it loads from the file alone, searches, links and fits a phone."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.languages.conftest import InChromium
from vcontract.codegen.documents import JsonObject
from vcontract.codegen.model import Contract
from vcontract.codegen.report.page import page

HOSTILE = '</script><script>injected = 1</script><img src="x" onerror="injected = 1">\'"&`'

Visit = Callable[..., list[JsonObject]]


@pytest.fixture(scope="session")
def visit(in_chromium: InChromium, contract: Contract, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Opens the page of the contract, or of another, once for each visit, and returns what it saw."""

    def visit(*visits: JsonObject, of: Contract = contract) -> list[JsonObject]:
        file = tmp_path_factory.mktemp("report") / "report.html"
        file.write_text(page(of), encoding="utf-8")
        seen: list[JsonObject] = in_chromium("report.mjs", {"page": file.as_uri(), "visits": visits})
        return seen

    return visit


def test_the_page_works_from_its_file_alone(visit: Visit, contract: Contract) -> None:
    whole, search, error, deep, key, prompt, phone, dark, open_phone = visit(
        {},
        {"search": "max_response_bytes  search"},
        {"search": "response_too_large"},
        {"hash": "#tool-vcon_fetch"},
        {"hash": "#overview", "keys": ["/", "t", "a", "g", "s"]},
        {"search": "no such thing", "keys": ["Escape"]},
        {"width": 360, "height": 740},
        {"scheme": "dark"},
        {"width": 360, "height": 740, "hash": "#tool-create_vcon"},
    )

    everything = [f"tool-{tool.key}" for tool in contract.tools]
    everything += [f"resource-{resource.name}" for resource in contract.resources]
    everything += [f"prompt-{each.name}" for each in contract.prompts]
    everything += [f"error-{error.code}" for error in contract.errors]
    for seen in (whole, search, deep, key, prompt, phone, dark, open_phone):
        assert (seen["messages"], seen["requests"], seen["overflow"]) == ([], [], 0)

    assert whole["entries"] == everything == whole["links"]
    assert (whole["opened"], whole["status"]) == ([], "")

    assert search["entries"][:1] != []
    assert "tool-vcon_search" in search["entries"]
    assert "tool-add_tag" not in search["entries"]
    assert search["links"] == search["entries"]
    assert search["status"] == f"{len(search['entries'])} of {len(everything)} shown"

    assert "error-RESPONSE_TOO_LARGE" in error["entries"]
    assert error["links"] == error["entries"]

    assert deep["opened"] == ["tool-vcon_fetch"]
    assert "tool-vcon_fetch" in deep["inView"]

    assert (key["focused"], "tool-update_tags" in key["entries"]) == ("search", True)
    assert len(key["entries"]) < len(everything)
    assert prompt["entries"] == everything

    assert phone["entries"] == everything
    assert open_phone["opened"] == ["tool-create_vcon"]
    assert whole["brightness"] > 200 > 60 > dark["brightness"]


def test_a_word_of_the_spec_is_never_markup(visit: Visit, contract: Contract) -> None:
    tool = replace(contract.tools[0], description=HOSTILE, title=HOSTILE, aliases=(HOSTILE,))
    toolset = replace(contract.toolsets[0], title=HOSTILE, description=HOSTILE, tools=(tool,))

    (seen,) = visit(
        {"hash": f"#tool-{tool.key}"},
        of=replace(contract, toolsets=(toolset,), resources=(), prompts=()),
    )

    assert seen["injected"] is None
    assert (seen["messages"], seen["requests"]) == ([], [])
    assert seen["opened"] == [f"tool-{tool.key}"]
