"""What the README tells of the tools is what there is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLSETS = sorted(folder.name for folder in (ROOT / "spec" / "tools").iterdir())


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_the_readme_names_every_tool_of_a_toolset(toolset: str) -> None:
    row = re.search(rf"^\| `{toolset}` \|.*\| (.+) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert row is not None
    declared = {tool.stem for tool in (ROOT / "spec" / "tools" / toolset).glob("*.yaml")}
    assert set(re.findall(r"`(\w+)`", row[1])) == declared
