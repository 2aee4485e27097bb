"""vCons found by their tags, and the tags that are in use."""

import pytest

from tests.conftest import Call
from tests.tools.vcon.conftest import Create
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


@pytest.fixture
def tagged(create: Create) -> Create:
    """Stores a vCon of a day of January 2025 with the given tags."""

    async def tagged(day: int, tags: JsonObject, **members: object) -> str:
        return await create({"tags": tags}, created_at=f"2025-01-{day:02}T00:00:00Z", **members)

    return tagged


async def test_all_given_tags_must_be_there_and_the_newest_comes_first(call: Call, tagged: Create) -> None:
    both_old = await tagged(1, {"department": "support", "status": "open", "other": 1})
    both_new = await tagged(3, {"department": "support", "status": "open"})
    await tagged(2, {"department": "support", "status": "closed"})
    await tagged(4, {"department": "open", "status": "support"})

    found = await call("search_by_tags", tags={"department": "support", "status": "open"})

    assert found["vcon_uuids"] == [both_new, both_old]
    assert [vcon["uuid"] for vcon in found["vcons"]] == [both_new, both_old]
    assert (found["count"], found["total"], found["has_more"]) == (2, 2, False)
    assert found["tags_searched"] == {"department": "support", "status": "open"}


@pytest.mark.parametrize(
    ("stored", "searched", "as_text"),
    [
        (1, "1", "1"),
        ("1", 1, "1"),
        (1, 1.0, "1"),
        ("true", True, "true"),
        (True, "true", "true"),
        (1.5, "1.5", "1.5"),
        ("", "", ""),
        ("a:b", "a:b", "a:b"),
        ("x" * 300 + "a", "x" * 300 + "a", "x" * 300 + "a"),
    ],
)
async def test_values_are_compared_as_text(
    call: Call, tagged: Create, stored: JsonValue, searched: JsonValue, as_text: str
) -> None:
    uuid = await tagged(1, {"k": stored})

    found = await call("search_by_tags", tags={"k": searched})

    assert (found["vcon_uuids"], found["tags_searched"]) == ([uuid], {"k": as_text})


@pytest.mark.parametrize(
    "searched", [{"K": "v"}, {"k": "V"}, {"k": ""}, {"k": "v%"}, {"k": "v", "l": "v"}, {"k": "v" * 300}]
)
async def test_keys_and_values_are_exact(call: Call, tagged: Create, searched: JsonObject) -> None:
    await tagged(1, {"k": "v"})
    await tagged(1, {"k": "v" * 299 + "w"})

    found = await call("search_by_tags", tags=searched)

    assert (found["success"], found["count"], found["vcons"], found["total"]) == (True, 0, [], 0)


@pytest.mark.parametrize("value", ["v", "v" * 255, "v" * 256])
async def test_the_total_of_one_tag_follows_every_change(call: Call, tagged: Create, value: str) -> None:
    async def total() -> int:
        listed = await call("vcon_search", mode="metadata", filters={"tags": {"k": value}}, limit=1)
        found = await call("search_by_tags", tags={"k": value}, limit=1)
        assert listed["page"]["total"] == found["total"]
        return int(found["total"])

    uuids = [await tagged(day, {"k": value, "other": day}) for day in range(1, 6)]
    await tagged(6, {"k": f"{value}v"})

    assert await total() == 5
    await call("remove_tag", vcon_uuid=uuids[0], key="k")
    assert await total() == 4
    await call("add_tag", vcon_uuid=uuids[1], key="k", value="another")
    assert await total() == 3
    await call("delete_vcon", uuid=uuids[2], confirm=True, cascade_delete=True)
    assert await total() == 2


async def test_a_filter_without_tags_is_refused(call: Call) -> None:
    assert (await call("search_by_tags", tags={}))["error_code"] == "VALIDATION_ERROR"


async def test_pages_by_offset_show_each_vcon_once_to_the_end(call: Call, tagged: Create) -> None:
    uuids = [await tagged(day, {"k": "v"}) for day in range(1, 18)]

    pages = [await call("search_by_tags", tags={"k": "v"}, limit=7, offset=offset) for offset in (0, 7, 14)]
    beyond = await call("search_by_tags", tags={"k": "v"}, limit=7, offset=21)
    exact = await call("search_by_tags", tags={"k": "v"}, limit=7, offset=10)

    assert [uuid for page in pages for uuid in page["vcon_uuids"]] == uuids[::-1]
    assert [(page["has_more"], page["total"]) for page in (*pages, exact)] == [
        (True, 17),
        (True, 17),
        (False, 17),
        (False, 17),
    ]
    assert (beyond["vcons"], beyond["has_more"], beyond["total"]) == ([], False, 17)


async def test_a_vcon_of_a_result_has_its_parties_and_what_is_asked_for(call: Call, tagged: Create) -> None:
    dialog = [{"type": "text", "body": "Hello"}]
    await tagged(1, {"k": "v"}, subject="Hello", dialog=dialog, x={"a": 1})

    async def members(**arguments: object) -> JsonObject:
        (vcon,) = (await call("search_by_tags", tags={"k": "v"}, **arguments))["vcons"]
        return {
            name: vcon.get(name)
            for name in ("subject", "x", "parties", "dialog", "attachments")
            if name in vcon
        }

    top: JsonObject = {"subject": "Hello", "x": {"a": 1}}
    parties = [{"name": "James"}]
    assert await members() == {**top, "parties": parties}
    assert await members(include_components=[]) == top
    assert await members(include_components=["dialog"]) == {**top, "dialog": dialog}
    everything = await members(include_components=["all"])
    assert everything == {
        **top,
        "parties": parties,
        "dialog": dialog,
        "attachments": everything["attachments"],
    }
    assert everything["attachments"][0]["body"] == ["k:v"]


async def test_a_page_larger_than_any_answer_is_refused_with_arguments_that_fit(
    call: Call, tagged: Create
) -> None:
    half = "x" * 9_000_000
    uuids = [
        await tagged(day, {"k": "v"}, dialog=[{"type": "text", "mediatype": "audio/wav", "url": half}])
        for day in (1, 2)
    ]
    wanted: JsonObject = {"tags": {"k": "v"}, "include_components": ["dialog"]}

    refused = await call("search_by_tags", **wanted, max_response_bytes=10_000_000)
    suggestion = refused["details"]["suggestion"]
    first = await call("search_by_tags", **wanted, max_response_bytes=10_000_000, limit=suggestion["limit"])
    whole = await call("search_by_tags", tags={"k": "v"})

    assert suggestion["limit"] == 1
    assert (first["vcon_uuids"], first["has_more"], first["total"]) == (uuids[1:], True, 2)
    assert whole["vcon_uuids"] == uuids[::-1]


async def test_a_vcon_too_large_for_any_answer_is_told_so(call: Call, tagged: Create) -> None:
    await tagged(1, {"k": "v"}, dialog=[{"type": "text", "url": "x" * 17_000_000}])

    refused = await call("search_by_tags", tags={"k": "v"}, include_components=["all"])

    assert (refused["error_code"], refused["details"]["reason"]) == ("VALIDATION_ERROR", "result_too_large")
    assert (await call("search_by_tags", tags={"k": "v"}))["count"] == 1


async def test_every_change_of_tags_is_found_at_once(call: Call, tagged: Create) -> None:
    uuid = await tagged(1, {"k": "v"})

    async def found(**tags: JsonValue) -> bool:
        return uuid in (await call("search_by_tags", tags=tags))["vcon_uuids"]

    await call("add_tag", vcon_uuid=uuid, key="k", value="w")
    assert (await found(k="v"), await found(k="w")) == (False, True)
    await call("update_tags", vcon_uuid=uuid, tags={"l": 1})
    assert await found(k="w", l="1")
    await call("remove_tag", vcon_uuid=uuid, key="k")
    assert (await found(k="w"), await found(l=1)) == (False, True)
    await call("remove_all_tags", vcon_uuid=uuid)
    assert not await found(l=1)
    assert (await call("get_unique_tags"))["unique_keys"] == []


@pytest.fixture
async def in_use(tagged: Create) -> None:
    """Five vCons with tags and one without."""
    for day, tags in enumerate(
        [
            {"department": "sales", "level": 1},
            {"department": "support", "level": "1"},
            {"department": "support", "Sub Department": True},
            {"department": "art", "level": 2},
            {"zone": "x"},
            {},
        ],
        start=1,
    ):
        await tagged(day, tags)


@pytest.mark.usefixtures("in_use")
async def test_keys_are_sorted_and_their_values_most_used_first(call: Call) -> None:
    listed = await call("get_unique_tags")

    assert listed["unique_keys"] == ["Sub Department", "department", "level", "zone"]
    assert listed["unique_key_count"] == 4
    assert listed["tags_by_key"] == {
        "Sub Department": ["true"],
        "department": ["support", "art", "sales"],
        "level": ["1", "2"],
        "zone": ["x"],
    }
    assert listed["total_vcons_with_tags"] == 5
    assert not {"counts_per_value", "truncated_keys"} & listed.keys()


@pytest.mark.usefixtures("in_use")
async def test_counts_are_in_vcons_and_only_given_when_asked_for(call: Call) -> None:
    listed = await call("get_unique_tags", include_counts=True)

    assert listed["counts_per_value"] == {
        "Sub Department": {"true": 1},
        "department": {"support": 2, "art": 1, "sales": 1},
        "level": {"1": 2, "2": 1},
        "zone": {"x": 1},
    }


@pytest.mark.usefixtures("in_use")
@pytest.mark.parametrize(
    ("arguments", "tags_by_key"),
    [
        ({"key_filter": "DEPART"}, {"Sub Department": ["true"], "department": ["support", "art", "sales"]}),
        ({"key_filter": "b d"}, {"Sub Department": ["true"]}),
        ({"key_filter": "%"}, {}),
        ({"min_count": 2}, {"department": ["support"], "level": ["1"]}),
        ({"min_count": 2, "key_filter": "lev"}, {"level": ["1"]}),
        ({"min_count": 3}, {}),
    ],
)
async def test_filters_drop_keys_and_values_but_not_the_total(
    call: Call, arguments: JsonObject, tags_by_key: JsonObject
) -> None:
    listed = await call("get_unique_tags", include_counts=True, **arguments)

    assert listed["tags_by_key"] == tags_by_key
    assert listed["unique_keys"] == list(tags_by_key)
    assert listed["counts_per_value"].keys() == tags_by_key.keys()
    assert listed["total_vcons_with_tags"] == 5


async def test_a_key_of_very_many_values_lists_a_thousand_and_says_how_many_there_are(
    call: Call, tagged: Create, app: App, tenant: str
) -> None:
    for day in (1, 2):
        await tagged(day, {"id": "common"})
    async with app.database.writing(tenant) as connection:
        await connection.execute(
            "insert into vcontract.tag (tenant, vcon, key, value, type)"
            " select tenant, uuid, 'n', '0', 'number' from vcontract.vcon where tenant = $1",
            tenant,
        )
        await connection.execute(
            """
            with made as (
                insert into vcontract.vcon
                select tenant, gen_random_uuid(), created_at, stored_at, updated_at, spec_version,
                    subject_folded, head, metadata, conformance, signed_form, content_digest,
                    parties, dialogs, analyses, attachments, tag_carriers, features, bytes, began_at
                from (select * from vcontract.vcon where tenant = $1 limit 1) one, generate_series(1, 1500)
                returning uuid
            ), counted as (
                insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
                select $1, 'value', 'id', lpad(number::text, 6, '0'), 1 from generate_series(1, 1500) number
            )
            insert into vcontract.tag (tenant, vcon, key, value, type)
            select $1, uuid, 'id', lpad(row_number() over ()::text, 6, '0'), 'string' from made
            """,
            tenant,
        )

    listed = await call("get_unique_tags")

    assert listed["truncated_keys"] == {"id": 1501}
    assert len(listed["tags_by_key"]["id"]) == 1000
    assert listed["tags_by_key"]["id"][:3] == ["common", "000001", "000002"]
    assert listed["total_vcons_with_tags"] == 1502
