"""Searches nobody thought of: what must hold between the answers of all tools over the same random store."""

import json
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conftest import Ask
from tests.effort import SEED, examples
from tests.fuzz.random_store import BY_WORDS, START, WAYS, WORDS, Store, ids_of, import_sessions
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_object
from vcontract.runtime.settings import Settings

CHECKS = 14
"""Of each random store."""


async def the_same_call_gives_the_same_answer(store: Store) -> None:
    query, way = store.query(), store.random.choice(list(WAYS))
    assert await WAYS[way](store, query, "") == await WAYS[way](store, query, ""), way


async def a_spelling_changes_nothing(store: Store) -> None:
    query, way = store.query(), store.random.choice(list(WAYS))
    there = await WAYS[way](store, query, "")
    normal = [unicodedata.normalize(form, query) for form in ("NFD", "NFC")]
    # the operators of sessions are in capitals
    lower = query.lower().replace(" or ", " OR ").replace(" and ", " AND ")
    for form in (query.upper(), lower, *normal):
        # a model has pieces of its own for what case changes into other letters, as ß into SS
        if way in BY_WORDS or form.lower() in (query.lower(), *normal):
            assert sorted(await WAYS[way](store, form, "")) == sorted(there), (way, form)


async def another_tenant_sees_nothing(store: Store) -> None:
    for name, way in WAYS.items():
        assert await way(store, store.query(), f"{store.tenant}.other") == [], name


async def pages_are_the_list(store: Store) -> None:
    mode = store.random.choice(["metadata", "keyword", "semantic", "hybrid"])
    asked: JsonObject = {"mode": mode, "filters": store.random.choice([{}, store.filters()])}
    if mode != "metadata":
        asked["query"] = store.query()
    if mode in ("semantic", "hybrid"):
        asked["threshold"] = store.random.choice([0, 0.3])
    whole = await store("vcon_search", limit=100, **asked)
    if not whole["ok"]:
        return
    walked: list[str] = []
    after: JsonObject = {}
    while True:
        page = await store("vcon_search", limit=store.random.randint(1, 5), **asked, **after)
        walked += ids_of(page)
        after = {"cursor": page["page"]["next_cursor"]}
        if after["cursor"] is None:
            break
    assert walked == ids_of(whole)
    assert whole["page"].get("total", len(walked)) == len(walked)


async def offsets_are_the_list(store: Store) -> None:
    query = store.query()
    tools: list[tuple[str, str, JsonObject]] = [
        ("search_vcons", "vcons", {}),
        ("search_by_tags", "vcons", {"tags": {"side": "left"}}),
        ("search_vcons_content", "results", {"query": query}),
        ("search_vcons_semantic", "results", {"query": query, "threshold": 0}),
        ("search_vcons_hybrid", "results", {"query": query}),
        ("memory_search", "results", {"query": query}),
    ]
    tool, listed, asked = store.random.choice(tools)
    whole = (await store(tool, limit=50, **asked)).get(listed, [])
    walked: list[JsonObject] = []
    for _ in range(len(whole) + 1):
        page = await store(tool, limit=store.random.randint(1, 5), offset=len(walked), **asked)
        walked += page.get(listed, [])[: len(whole) - len(walked)]
    assert walked == whole, tool


async def a_filter_keeps_what_it_says(store: Store) -> None:
    filters = store.filters()
    kept = set(await store.listed("metadata", filters=filters))
    query = store.query()
    assert set(await store.found(query, **filters)) <= kept & set(await store.found(query))
    word = store.random.choice(WORDS)
    every = set(await store.found(word))
    if every & kept:
        assert set(await store.found(word, **filters)) == every & kept
    for mode in ("semantic", "hybrid"):
        asked: JsonObject = {"query": "a broken wheel", "threshold": 0}
        narrowed = set(await store.listed(mode, **asked, filters=filters))
        assert narrowed == kept & set(await store.listed(mode, **asked)), mode


async def halves_are_the_whole(store: Store) -> None:
    day = START.date() + timedelta(days=store.random.randint(0, 12))
    until: JsonObject = {"end_date": day.isoformat()}
    since: JsonObject = {"start_date": (day + timedelta(days=1)).isoformat()}
    mode = store.random.choice(["metadata", "semantic", "hybrid"])
    asked: JsonObject = {} if mode == "metadata" else {"query": store.query(), "threshold": 0}
    parts = [await store.listed(mode, filters=filters, **asked) for filters in (until, since)]
    assert sorted(parts[0] + parts[1]) == sorted(await store.listed(mode, **asked))


async def operators_mean_what_they_say(store: Store) -> None:
    one, two = store.random.sample(WORDS, 2)
    has_one, has_two = set(await store.found(one)), set(await store.found(two))
    assert set(await store.found(f"{one} OR {two}")) == has_one | has_two
    assert set(await store.found(f"{one} {two}")) == has_one & has_two
    assert set(await store.found(f'"{one} {two}"')) <= has_one & has_two
    assert set(await store.found(f"{one} -{two}")) == has_one - has_two
    assert set(await store.found(f"{one} NOT {two}")) == has_one - has_two
    if len(one) > 5 and one.isascii() and one.isalpha():
        assert set(await store.found(f"{one[:4]}*")) >= set(await store.found(f'"{one}"'))


async def tools_agree(store: Store) -> None:
    query = store.random.choice(WORDS)
    found = set(await store.found(query))
    content = await store("search_vcons_content", query=query, limit=1_000)
    if found and content["matching"] == "exact":
        assert {one["vcon_id"] for one in content["results"]} <= found
    words_alone = set(await store.listed("hybrid", query=query, semantic_weight=0))
    if found:
        assert words_alone == found
    filters = store.filters()
    listed = (await store("search_vcons", limit=100, **filters)).get("vcons", [])
    if not {"subject"} & filters.keys():  # which is another one there
        assert [one["uuid"] for one in listed] == await store.listed("metadata", filters=filters)


async def what_is_marked_is_there(store: Store) -> None:
    answer = await store("vcon_search", mode="keyword", query=store.query(), limit=100, hits_per_item=10)
    for item in answer.get("items", []):
        whole = (await store("get_vcon", uuid=item["id"]))["vcon"]
        text = " ".join(" ".join(strings_of(whole)).split())
        for hit in item["match"]["hits"]:
            marked = re.findall("<mark>(.+?)</mark>", hit["snippet"])
            assert marked or "own" not in hit["because"], hit
            assert all(one in text for one in marked), hit


def strings_of(document: JsonValue) -> Iterator[str]:
    """Every text of a document, wherever it stands in it."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, list | dict):
        for child in document.values() if is_object(document) else array(document):
            yield from strings_of(child)


async def what_is_deleted_is_gone_and_nothing_else(store: Store) -> None:
    query = store.random.choice(WORDS)
    ways = {name: WAYS[name] for name in ("keyword", "content", "hybrid", "semantic")}
    before = {name: await way(store, query, "") for name, way in ways.items()}
    if len(before["keyword"]) < 2:
        return
    gone = store.random.choice(before["keyword"])
    assert (await store("delete_vcon", uuid=gone, confirm=True))["success"]
    for name, way in ways.items():
        after = await way(store, query, "")
        # the nearest of what is near only by chance come as five at most
        if len(before[name]) > 5 or name in ("keyword", "content"):
            assert sorted(after) == sorted(one for one in before[name] if gone not in one), name


async def what_has_nothing_to_do_with_it_removes_nothing(store: Store) -> None:
    query = store.query()
    before = [await WAYS[name](store, query, "") for name in ("keyword", "content")]
    vcon: JsonObject = {**store.vcon(), "subject": "saxophone glacier falconry", "dialog": [], "analysis": []}
    assert (await store("create_vcon", vcon_data=vcon))["success"]
    after = [await WAYS[name](store, query, "") for name in ("keyword", "content")]
    assert [sorted(one) for one in after] == [sorted(one) for one in before]


RELATIONS: Sequence[Callable[[Store], Awaitable[None]]] = (
    the_same_call_gives_the_same_answer,
    a_spelling_changes_nothing,
    another_tenant_sees_nothing,
    pages_are_the_list,
    offsets_are_the_list,
    a_filter_keeps_what_it_says,
    halves_are_the_whole,
    operators_mean_what_they_say,
    tools_agree,
    what_is_marked_is_there,
    what_is_deleted_is_gone_and_nothing_else,
    what_has_nothing_to_do_with_it_removes_nothing,
)


@pytest.mark.parametrize("round_", range(examples(2)))
async def test_answers_agree_with_one_another(
    app: App, ask: Ask, tenant: str, settings: Settings, tmp_path: Path, round_: int
) -> None:
    store = Store(ask, tenant, SEED * 10_000 + round_)
    await store.fill()
    await import_sessions(app, settings, store, tmp_path)
    await app.worker.drain(tenant)
    for relation in store.random.choices(RELATIONS, k=CHECKS):
        begun = len(store.calls)
        try:
            await relation(store)
        except AssertionError as error:
            reported = [json.dumps(call, ensure_ascii=False) for call in store.calls[begun:]]
            error.add_note("\n".join([f"{relation.__name__}, round {round_}:", *reported]))
            raise
