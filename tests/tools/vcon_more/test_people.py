"""A person under several names is found, filtered, recalled and counted as one."""

from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from tests.conftest import Ask, Call
from tests.tools.contract.conftest import CallAs, Store, StoreFor
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.vocabulary.people import NoAlias, merge, split

NAMES: Final = ("Ana Souza", "Aninha", "+55 11 91234-5678", "ana@example.org")
Merge = Callable[..., Awaitable[str]]


def said(party: JsonObject, text: str, *others: JsonObject) -> JsonObject:
    """A conversation in which one party says a text, and others say nothing to it."""
    return {
        "created_at": "2025-03-01T09:00:00Z",
        "parties": [party, *others],
        "dialog": [
            {
                "type": "text",
                "start": "2025-03-01T09:00:00Z",
                "parties": [0],
                "originator": 0,
                "mediatype": "text/plain",
                "encoding": "none",
                "body": text,
            }
        ],
    }


FOUR: Final = [
    said({"name": "Ana Souza"}, "The invoice of the tiler is wrong."),
    said({"name": "Aninha"}, "The tiler sent another invoice."),
    said({"tel": "tel:+5511912345678"}, "I paid the invoice."),
    said({"name": "A. S.", "mailto": "mailto:Ana@example.org"}, "Please cancel the invoice."),
]
OTHERS: Final = [
    said({"name": "Anabela Costa"}, "Which invoice?"),
    said({"name": "Diana", "mailto": "diana@example.org"}, "The invoice is here."),
]


@pytest.fixture
def merged(app: App, tenant: str) -> Merge:
    """Merges names of this test's tenant, or of another; who they are."""

    async def merged(*names: str, of: str = tenant) -> str:
        async with app.database.writing(of) as connection:
            (person,) = await merge(connection, of, [names])
        return person

    return merged


@pytest.fixture
async def stored(store: Store) -> list[str]:
    """The uuids of six conversations, four of which are with one person."""
    return await store([*FOUR, *OTHERS])


def found(answer: JsonObject) -> set[str]:
    return {item["id"] for item in answer["items"]}


@pytest.mark.parametrize(
    "filters",
    [
        {"party_name": "ana souza"},
        {"party_name": "souza"},
        {"party_name": "Aninha"},
        {"party_email": "ana@example.org"},
        {"party_tel": "91234-5678"},
    ],
    ids=str,
)
async def test_a_filter_by_any_name_finds_the_person_under_each(
    call: Call, stored: list[str], merged: Merge, filters: JsonObject
) -> None:
    alone = found(await call("vcon_search", mode="metadata", filters=filters))
    await merged(*NAMES)

    together = found(await call("vcon_search", mode="metadata", filters=filters))

    assert together == {*stored[:4], *alone}
    assert len(alone & {*stored[:4]}) == 1


@pytest.mark.parametrize(
    "query",
    [
        "ana souza invoice",
        "Souza, Ana invoice",
        "aninha invoice",
        "+55 11 91234-5678 invoice",
        "ana@example.org invoice",
    ],
)
async def test_a_search_for_any_name_finds_the_person_under_each(
    call: Call, stored: list[str], merged: Merge, query: str
) -> None:
    before = await call("vcon_search", mode="keyword", query=query)
    await merged(*NAMES)

    answer = await call("vcon_search", mode="keyword", query=query)

    assert found(answer) == {*stored[:4]}
    assert found(before) < found(answer)


async def test_pages_of_a_search_for_a_person_repeat_and_skip_nothing(
    call: Call, stored: list[str], merged: Merge
) -> None:
    await merged(*NAMES)
    seen: list[str] = []
    cursor: JsonObject = {}
    while True:
        answer = await call("vcon_search", mode="keyword", query="ana souza invoice", limit=1, **cursor)
        seen += [item["id"] for item in answer["items"]]
        if not answer["page"]["has_more"]:
            break
        cursor = {"cursor": answer["page"]["next_cursor"]}

    assert sorted(seen) == sorted(stored[:4])


async def test_part_of_a_name_a_phrase_and_an_excluded_word_are_looked_for_as_they_are_written(
    call: Call, stored: list[str], merged: Merge
) -> None:
    await merged(*NAMES)

    part = await call("vcon_search", mode="keyword", query="souza")
    phrase = await call("vcon_search", mode="keyword", query='"ana souza"')
    excluded = await call("vcon_search", mode="keyword", query="invoice NOT aninha")

    assert found(part) == found(phrase) == {stored[0]}
    assert found(excluded) == {*stored} - {stored[1]}


async def test_recall_of_a_person_and_of_what_they_say_follows_their_names(
    ask: Ask, stored: list[str], merged: Merge
) -> None:
    await merged(*NAMES)

    with_them = await ask("vcon_recall", query="invoice", people=["Ana Souza"], max_tokens=4_000)
    by_them = await ask("vcon_recall", query="invoice", speaker="ana souza", max_tokens=4_000)
    asked = await ask("vcon_recall", query="what did Ana Souza pay", max_tokens=4_000)

    assert found(with_them.structured) == found(by_them.structured) == {*stored[:4]}
    assert "I paid the invoice." in asked.text


async def test_counts_by_party_and_by_speaker_are_of_the_person(
    call: Call, stored: list[str], merged: Merge
) -> None:
    await merged(*NAMES)

    of_parties = await call("vcon_aggregate", group_by=["party"])
    of_speakers = await call("vcon_aggregate", group_by=["speaker"])
    trends = await call("vcon_trends", period="month", periods=1, filters={"end_date": "2025-03-31"})

    assert of_parties["parties"] == 3
    for answer in (of_parties, of_speakers):
        first = answer["groups"][0]
        assert (first["key"], first["label"], first["vcons"]) == (["ana souza"], ["Ana Souza"], 4)
        assert len(answer["groups"]) == 3
    assert of_speakers["groups"][0]["turns"] == 4
    assert trends["periods"][-1]["parties"] == 3


async def test_the_graph_has_one_node_for_the_person(call: Call, stored: list[str], merged: Merge) -> None:
    await merged(*NAMES)

    answer = await call("vcon_graph_shape", node_types=["party"])

    assert {node["label"]: node["count"] for node in answer["item"]["nodes"]} == {
        "Ana Souza": 4,
        "Anabela Costa": 1,
        "Diana": 1,
    }


async def test_a_merge_is_undone_name_by_name_and_as_a_whole(
    call: Call, app: App, tenant: str, stored: list[str], merged: Merge
) -> None:
    await merged(*NAMES)

    async def after(person: str, *names: str) -> tuple[int, set[str]]:
        async with app.database.writing(tenant) as connection:
            removed = await split(connection, tenant, person, names)
        answer = await call("vcon_search", mode="metadata", filters={"party_name": "ana souza"})
        return removed, found(answer)

    assert await after("Aninha", "+55 11 91234-5678") == (1, {stored[0], stored[1], stored[3]})
    assert await after("ana@example.org") == (3, {stored[0]})
    assert await after("Ana Souza") == (0, {stored[0]})


async def test_merging_again_joins_two_people_and_keeps_the_first_name(
    call: Call, stored: list[str], merged: Merge
) -> None:
    assert await merged("Aninha", "+55 11 91234-5678") == "Aninha"
    assert await merged("Ana Souza", "ana@example.org") == "Ana Souza"

    assert await merged("ana@example.org", "aninha") == "Ana Souza"

    answer = await call("vcon_search", mode="metadata", filters={"party_name": "ana souza"})
    assert found(answer) == {*stored[:4]}


async def test_the_names_of_one_tenant_mean_nothing_to_another(
    store_for: StoreFor, call_as: CallAs, tenant: str, merged: Merge
) -> None:
    other = f"{tenant}x"
    uuids = await store_for(other, FOUR)
    await merged(*NAMES)

    for query in (
        {"mode": "metadata", "filters": {"party_name": "ana souza"}},
        {"mode": "keyword", "query": "ana souza"},
    ):
        assert found(await call_as(other)("vcon_search", **query)) == {uuids[0]}
    counted = await call_as(other)("vcon_aggregate", group_by=["party"])
    assert len(counted["groups"]) == 4


async def test_a_persons_other_names_are_redacted_with_theirs(
    call: Call, store: Store, merged: Merge
) -> None:
    (uuid,) = await store([said({"name": "Ana Souza"}, "Aninha here, on 5511912345678 as well as Diana.")])
    await merged(*NAMES)

    await call("redact_vcon", vcon_uuid=uuid, rules=["names", "numbers"], keep_original=False)

    (item,) = (await call("vcon_search", mode="keyword", query="Diana"))["items"]
    reported = await call("get_vcon", uuid=item["id"])
    body = reported["vcon"]["dialog"][0]["body"]
    assert body == "[redacted: name] here, on [redacted: number] as well as Diana."


@pytest.mark.parametrize("name", ["", "  ", "!?", "a" * 201, "x\0y"])
async def test_what_nobody_is_called_is_refused_and_changes_nothing(
    call: Call, stored: list[str], merged: Merge, name: str
) -> None:
    with pytest.raises(NoAlias):
        await merged("Ana Souza", "Aninha", name)

    answer = await call("vcon_search", mode="metadata", filters={"party_name": "ana souza"})
    assert found(answer) == {stored[0]}
