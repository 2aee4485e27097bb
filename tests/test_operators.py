"""What operators and scripts rely on is listed, and the gate judges its changes."""

import pytest

from docs import operators
from vcontract.codegen.compat.compare import compare

Listed = dict[str, str]


@pytest.fixture(scope="module")
def listed() -> Listed:
    return {
        name: value.strip()
        for name, _, value in (line.partition(":") for line in operators.listed().splitlines())
    }


def test_the_list_is_current() -> None:
    written = operators.FILE.read_text(encoding="utf-8")

    assert written == operators.listed(), f"docs/operators.txt is out of date; run: {operators.COMMAND}"


@pytest.mark.parametrize(
    "entry",
    [
        "setting VCONTRACT_LOG_LEVEL",
        "command vcontract list",
        "option vcontract list --latest",
        "argument vcontract show 1",
        "exit code 3",
        "json key webhooks events",
        "metric vcontract_calls counter",
        "webhook event vcon.changed",
        "webhook header webhook-signature",
        "path /readyz",
        "path /v1",
    ],
)
def test_an_interface_that_goes_is_a_break(listed: Listed, entry: str) -> None:
    before = {"tools": {}, "interfaces": listed}
    after = {"tools": {}, "interfaces": {name: value for name, value in listed.items() if name != entry}}

    (finding,) = compare(before, after)

    assert (finding.level, finding.tool) == ("ERR", entry)


@pytest.mark.parametrize(
    ("entry", "value"),
    [("setting VCONTRACT_LOG_LEVEL", "`warning`"), ("option vcontract list --limit/-n", "10")],
)
def test_another_default_is_a_warning(listed: Listed, entry: str, value: str) -> None:
    (finding,) = compare(
        {"tools": {}, "interfaces": listed}, {"tools": {}, "interfaces": {**listed, entry: value}}
    )

    assert (finding.level, finding.tool, finding.after) == ("WARN", entry, value)
