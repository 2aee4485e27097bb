"""No tenant reaches another one's records."""

import pytest

from tests.conftest import Call
from tests.tools.bridge.serving import Make, Rows
from vcontract.runtime.frame.documents.json import JsonObject

WHO = {"experiencer": "Eve", "perspective": "they", "processing": "during"}
MOMENT: JsonObject = {
    "emoji": "🌱",
    "summary": "Rain becomes a thing to hear",
    "shot": "sustained-attention",
    "qualities": [{"type": "emotional", "manifestation": "Delight."}],
}
SCENE: JsonObject = {
    "emoji": "🌉",
    "summary": "From rain to there",
    "narrative": "On.",
    "shot": "directed-momentum",
}


async def test_another_tenants_ids_are_not_found_and_nothing_changes(
    call: Call, capture: Make, frame: Make, weave: Make, every_row: Rows
) -> None:
    source = await capture()
    moment = await frame(source)
    scene = await weave(moment)
    before = await every_row()
    calls: list[tuple[str, JsonObject]] = [
        ("capture", {"content": "Mine?", "reflects_on": [source], **WHO}),
        ("frame", {"sourceIds": [source], **MOMENT}),
        ("weave", {"momentIds": [moment], **SCENE}),
        *(("enrich", {"id": id_, "updates": {"experiencer": "Eve"}}) for id_ in (source, moment, scene)),
        *(("release", {"id": id_}) for id_ in (source, moment, scene)),
    ]

    codes = [(await call(tool, as_tenant="eve", **arguments))["error_code"] for tool, arguments in calls]

    assert codes == ["NOT_FOUND"] * len(calls)
    assert await every_row() == before


@pytest.mark.parametrize("tool", ["status"])
async def test_another_tenants_records_are_not_counted(call: Call, capture: Make, tool: str) -> None:
    await capture()

    assert (await call(tool, as_tenant="eve"))["counts"]["sources"] == 0
