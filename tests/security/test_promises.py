"""Each promise of SECURITY.md has tests, which promises.yaml lists."""

import re
from pathlib import Path

from ruamel.yaml import YAML

from tests.house import ROOT, is_test

TESTS: dict[str, list[str]] = YAML(typ="safe").load(Path(__file__).with_name("promises.yaml"))  # pyright: ignore[reportUnknownMemberType]


def test_every_promise_has_tests() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promises = [promise.rstrip(".") for promise in re.findall(r"^\*\*(.+?)\*\*", text, re.MULTILINE)]

    assert list(TESTS) == promises
    assert all(TESTS.values())


def test_the_tests_that_are_listed_exist() -> None:
    assert [test for tests in TESTS.values() for test in tests if not is_test(test)] == []
