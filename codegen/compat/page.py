"""docs/compatibility.md: the gate explained to a reviewer, with every rule."""

from vcontract.codegen.compat.rule import Direction
from vcontract.codegen.compat.rules import RULES
from vcontract.codegen.compat.versions import RELEASED
from vcontract.codegen.emit.printing import render

_SECTIONS: dict[Direction, str] = {
    "input": "What callers send",
    "output": "What readers get",
    "tool": "What tools/list says of a tool",
    "resource": "Resources",
    "prompt": "Prompts",
    "contract": "What holds for all tools",
}


def page() -> str:
    """The whole page."""
    sections = [
        {"title": title, "rules": [rule for rule in RULES.values() if rule.direction == direction]}
        for direction, title in _SECTIONS.items()
    ]
    return render(
        "compatibility.md.jinja",
        sections=sections,
        alone=[rule for rule in RULES.values() if rule.alone],
        released=RELEASED,
        count=len(RULES),
    )
