"""Sequences of changes: no index stands for another element, and rows are those of the vCon stored afresh."""

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Call
from tests.effort import relaxed
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.frame.documents.findings import path_of
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.vcon.pointers import pointers, pointers_in_bodies
from vcontract.runtime.vcon.references import reference_violations

START = "2025-01-01T00:00:00Z"
COUNTS = {"parties": 3, "dialog": 4, "analysis": 2, "attachments": 2}
SINGULAR = {"parties": "party", "dialog": "dialog", "analysis": "analysis", "attachments": "attachment"}
TABLES = ("party", "dialog", "analysis", "attachment", "passage", "search_document")


def index_of(array: str) -> st.SearchStrategy[int]:
    return st.integers(0, COUNTS[array] - 1)


def some(**members: st.SearchStrategy[object]) -> st.SearchStrategy[JsonObject]:
    return st.fixed_dictionaries({}, optional=members)


POINTING = {
    "dialog": some(
        parties=st.lists(index_of("parties"), max_size=2),
        originator=index_of("parties"),
        original=index_of("dialog"),
    ),
    "analysis": some(dialog=st.lists(index_of("dialog"), max_size=2), attachment=index_of("attachments")),
    "attachments": some(party=index_of("parties"), dialog=index_of("dialog")),
}
FIXED: dict[str, JsonObject] = {
    "dialog": {"type": "text", "start": START, "encoding": "none"},
    "analysis": {"type": "report", "vendor": "v", "encoding": "json"},
    "attachments": {"purpose": "note", "start": START, "encoding": "none"},
}


@st.composite
def vcons(draw: st.DrawFn) -> JsonObject:
    """A vCon whose elements all differ in one member and point at one another."""
    vcon: JsonObject = {"parties": [{"name": f"p{n}", "x": f"parties{n}"} for n in range(COUNTS["parties"])]}
    for array, pointing in POINTING.items():
        vcon[array] = [
            {**FIXED[array], **draw(pointing), "x": f"{array}{n}", "body": f"word{n} of {array}"}
            for n in range(COUNTS[array])
        ]
    vcon["analysis"][0]["body"] = [{"parties": draw(index_of("parties")), "text": "word"}]
    return vcon


steps = st.lists(
    st.tuples(
        st.sampled_from(["update", "remove", "refuse"]),
        st.sampled_from(sorted(COUNTS)),
        st.integers(0, 4),
        st.sampled_from([{"note": "new"}, {"body": "newword"}, {"note": None}]),
    ),
    min_size=1,
    max_size=5,
)


def stands_for(vcon: JsonObject) -> dict[tuple[str, str], object]:
    """By the element it stands in and its place there: what each index stands for."""
    found = [*pointers(vcon), *pointers_in_bodies(vcon)]
    return {
        (str(vcon[str(each.steps[0])][each.steps[1]].get("x")), path_of(each.steps[2:])): vcon[each.array][
            each.index
        ].get("x")
        for each in found
    }


async def rows(owner: OwnerConnection, uuid: str) -> dict[str, list[JsonObject]]:
    """What the tables have of a vCon, without what differs from vCon to vCon."""
    found: dict[str, list[JsonObject]] = {}
    for table in TABLES:
        key = "id" if table in ("passage", "search_document") else "vcon"
        statement = (
            f"select to_jsonb(t) - array['{key}', 'tenant', 'occurred_at', 'embedded_at'] as row"  # noqa: S608
            f" from vcontract.{table} t where {key} = $1 order by 1"
        )
        found[table] = [row["row"] for row in await owner.fetch(statement, uuid)]
    return found


@relaxed(12)
@given(vcon=vcons(), steps=steps)
async def test_no_sequence_of_changes_makes_an_index_stand_for_another_element(
    call: Call,
    create: Create,
    owner: OwnerConnection,
    vcon: JsonObject,
    steps: list[tuple[str, str, int, JsonObject]],
) -> None:
    uuid = await create(**vcon)
    gone: set[str] = set()
    stood = stands_for(vcon)
    for action, array, index, members in steps:
        before = (await call("get_vcon", uuid=uuid))["vcon"]
        arguments: JsonObject = {"vcon_uuid": uuid, "index": index}
        kind = SINGULAR[array]
        if action == "update":
            # a body of an analysis holds an index, which another body would take away
            given = {"note": "new"} if array == "analysis" else members
            answer = await call(f"update_{kind}", **arguments, **{kind: given})
        else:
            how = {"when_referenced": "placeholder"} if action == "remove" and array != "analysis" else {}
            answer = await call(f"remove_{kind}", **arguments, **how)
            if answer["success"]:
                gone.add(str(before[array][index].get("x")))
        after = (await call("get_vcon", uuid=uuid))["vcon"]
        if not answer["success"]:
            assert after == before
            assert answer["error_code"] in ("REFERENCED", "VALIDATION_ERROR")
            continue
        now = stands_for(after)
        for place, meant in stood.items():
            if place[0] not in gone:
                assert now[place] == (None if meant in gone else meant)
        assert reference_violations(after) == []

    stored = (await call("get_vcon", uuid=uuid))["vcon"]
    members = {name: value for name, value in stored.items() if name not in ("uuid", "updated_at")}
    afresh = await create(**members)
    kept = await rows(owner, uuid)
    assert kept["dialog"]
    assert kept == await rows(owner, afresh)
