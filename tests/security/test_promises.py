"""Each promise of SECURITY.md has tests, which docs/threat-model.md names."""

import re

from tests.house import ROOT, is_test

PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
TESTS = re.compile(r"`(tests/[\w./:]+)`")


def rows() -> dict[str, list[str]]:
    """The tests of each promise."""
    _, _, table = PAGE.partition("## The promises and their tests\n")
    table, _, _ = table.partition("\n## ")
    found = re.findall(r"^\| ([^|]+) \| (`[^|]+) \|$", table, re.MULTILINE)
    return {promise: TESTS.findall(tests) for promise, tests in found}


def test_every_promise_has_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = [promise.rstrip(".") for promise in re.findall(r"^\*\*(.+?)\*\*", text, re.MULTILINE)]

    assert list(rows()) == promises
    assert [promise for promise, tests in rows().items() if not tests] == []


def test_the_tests_that_are_named_exist() -> None:
    assert [test for test in TESTS.findall(PAGE) if not is_test(test)] == []
