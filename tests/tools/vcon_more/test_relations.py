"""Relations: versions and groups are found from any of their vCons."""

from tests.conftest import Ask, Call
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.frame.documents.json import JsonObject

GONE = "01928e10-193e-8231-b9a2-279e0d16bc49"


def edges(answer: JsonObject) -> set[tuple[str, str, str]]:
    return {(edge["source"], edge["relation"], edge["target"]) for edge in answer["edges"]}


async def test_versions_and_groups_are_found_from_each_of_their_vcons(
    ask: Ask, call: Call, create: Create, tenant: str
) -> None:
    first, second, lonely = [await create(parties=[{"name": name}]) for name in ("Ann", "Bob", "Cid")]
    members = [{"uuid": first.upper()}, {"uuid": second}, {"uuid": GONE}, {"url": "https://calls.example"}, 1]
    group = await create(vcon="0.3.0", parties=[{"name": "Dan"}], group=members)
    amended = (await call("amend_vcon", vcon_uuid=first))["vcon_uuid"]
    redacted = (await call("redact_vcon", vcon_uuid=amended, rules=["names"]))["uuid"]
    expected = {
        (group, "group", first),
        (group, "group", second),
        (group, "group", GONE),
        (amended, "amended", first),
        (redacted, "redacted", amended),
    }

    for uuid in (first, second, group, amended, redacted):
        answer = await call("vcon_relations", vcon_uuid=uuid)
        assert edges(answer) == expected
        assert answer["nodes"][0]["uuid"] == uuid
        assert [node["uuid"] for node in answer["nodes"] if not node["stored"]] == [GONE]
        assert not answer["truncated"]
    cut = await call("vcon_relations", vcon_uuid=first, max_nodes=2)
    assert (len(cut["nodes"]), len(cut["edges"]), cut["truncated"]) == (2, 1, True)
    alone = await call("vcon_relations", vcon_uuid=lonely)
    assert (len(alone["nodes"]), alone["edges"]) == (1, [])
    other = (await ask("vcon_relations", as_tenant=f"{tenant}.other", vcon_uuid=first)).structured
    assert other["error_code"] == "NOT_FOUND"
