"""Pages that show what the server answers: each call on a page is made, and compared."""

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.conftest import Call
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object

ROOT = Path(__file__).parents[3]
LEFT_OUT = "…"
CALLS = re.compile(
    r"```console\n\$ vcontract call (?P<tool>\w+) '(?P<arguments>[^']*)'\n```\n\n"
    r"```json\n(?P<answer>.*?)\n```",
    re.DOTALL,
)


@pytest.mark.parametrize("name", ["contract.md", "search.md"])
async def test_every_call_on_a_page_is_answered_as_the_page_says(
    call: Call, app: App, tenant: str, name: str
) -> None:
    reader = YAML(typ="safe", pure=True)
    for file in sorted((ROOT / "spec" / "examples").glob("*.yaml")):
        example: JsonObject = reader.load(file.read_text(encoding="utf-8"))  # pyright: ignore[reportUnknownMemberType]
        stored = await call("create_vcon", vcon_data=example["vcon"])
        assert stored["success"], stored
    await app.worker.drain(tenant)
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert len(CALLS.findall(page)) == page.count("$ vcontract call") > 0

    cursor = ""
    for shown in CALLS.finditer(page):
        arguments = json.loads(shown["arguments"].replace("NEXT_CURSOR", cursor))
        answer = await call(shown["tool"], **arguments)
        differences = different(json.loads(shown["answer"]), answer, "$")
        assert differences == [], (shown["tool"], shown["arguments"])
        cursor = answer.get("page", {}).get("next_cursor") or cursor


def test_the_sums_of_the_worked_example_are_right() -> None:
    page = (ROOT / "docs" / "search.md").read_text(encoding="utf-8")
    sums = re.findall(r"^\w+ +([\d.+*/() ]+) = ([\d.]+)$", page, re.MULTILINE)

    assert len(sums) == 3
    for expression, result in sums:
        assert round(eval(expression), 6) == float(result)  # noqa: S307 - digits and operators only
    assert f'"score": {sums[-1][1]},' in page


def different(shown: JsonValue, real: JsonValue, path: str) -> list[str]:
    """The places where the page says something else; `…` leaves out a value, further members or elements."""
    if shown == LEFT_OUT:
        return []
    if is_object(shown) and is_object(real):
        more = LEFT_OUT in shown
        names = shown.keys() - {LEFT_OUT}
        wrong = [f"{path}: {name}" for name in names ^ real.keys() if not more or name not in real]
        inside = [different(shown[name], real[name], f"{path}.{name}") for name in names & real.keys()]
        return wrong + [each for found in inside for each in found]
    if is_array(shown) and is_array(real):
        more = shown[-1:] == [LEFT_OUT]
        listed = shown[:-1] if more else shown
        if len(listed) > len(real) or (len(listed) < len(real) and not more):
            return [f"{path}: {len(real)} elements"]
        pairs = enumerate(zip(listed, real, strict=False))
        return [each for at, (one, other) in pairs for each in different(one, other, f"{path}[{at}]")]
    return [] if shown == real else [f"{path}: {real!r}"]
