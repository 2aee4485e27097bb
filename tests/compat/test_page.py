"""docs/compatibility.md is made from the rules."""

from pathlib import Path

from vcontract.codegen.compat.page import page
from vcontract.codegen.compat.rules import RULES

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
CURE = "out of date; run: python -m vcontract.codegen rules > docs/compatibility.md"


def test_the_page_is_what_the_rules_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), CURE


def test_the_page_has_every_rule_in_one_row() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    named = [row.split("`")[1] for row in rows]

    assert sorted(set(named)) == sorted(RULES)
    assert all(row.count(" | ") in (1, 3) for row in rows)
