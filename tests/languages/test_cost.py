"""What tools/list costs a model, counted with a public vocabulary: o200k_base."""

import json
import subprocess
from pathlib import Path

import pytest

from vcontract.codegen.compact_schema import read_by_model
from vcontract.codegen.documents import compact_json
from vcontract.codegen.lints.tools import model_tokens
from vcontract.codegen.model import Contract

SCRIPT = Path(__file__).parent / "tokens.mjs"
MAX_AVERAGE_TOKENS = 160
MAX_TOOL_TOKENS = 400
NEAR = 0.03


@pytest.fixture(scope="module")
def texts(contract: Contract) -> dict[str, str]:
    """What a model reads of each tool."""
    return {tool.key: compact_json(read_by_model(tool)) for tool in contract.tools}


@pytest.fixture(scope="module")
def counts(node: str, texts: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The tokens of each tool."""
    file = tmp_path_factory.mktemp("tokens") / "texts.json"
    file.write_text(json.dumps(list(texts.values())), encoding="utf-8")
    ran = subprocess.run([node, str(SCRIPT), str(file)], capture_output=True, text=True, check=True)  # noqa: S603
    return dict(zip(texts, json.loads(ran.stdout), strict=True))


def test_a_tool_costs_160_tokens_on_average_and_none_more_than_400(counts: dict[str, int]) -> None:
    for name, count in sorted(counts.items(), key=lambda entry: -entry[1]):
        print(f"{count:5}  {name}")

    assert sum(counts.values()) / len(counts) <= MAX_AVERAGE_TOKENS
    assert max(counts.values()) <= MAX_TOOL_TOKENS


def test_the_estimate_from_characters_is_near_the_count(
    counts: dict[str, int], texts: dict[str, str]
) -> None:
    estimated = sum(map(model_tokens, texts.values()))

    assert estimated == pytest.approx(sum(counts.values()), rel=NEAR)  # pyright: ignore[reportUnknownMemberType]
