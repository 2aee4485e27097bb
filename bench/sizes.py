"""Sizes: the bytes of each reading tool's default answer on a realistic store; writes spec/sizes.yaml."""

import asyncio
import statistics
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ruamel.yaml import YAML

from bench.corpus import Corpus
from bench.subject import Subject, open_subject
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

ROOT: Final = Path(__file__).parents[1]
FIGURES: Final = ROOT / "spec" / "sizes.yaml"
TOOLSETS: Final = ("contract", "vcon", "vcon_more")
LIFELIKE: Final = 46
"""vCons of the corpus; with the examples more than a page of any tool."""
_MEASURED_VCONS: Final = 9
_HEAD: Final = """\
# yaml-language-server: $schema=meta/sizes.schema.json
# Written by `make sizes`: bytes of the default answer, the median of several calls, on a store with the
# vCons of spec/examples and of bench/corpus.py. per_item is that of one item of a page.

"""

ABOUT_A_VCON: Final[Mapping[str, JsonObject]] = {
    "vcon_fetch": {"id": "UUID"},
    "get_vcon": {"uuid": "UUID"},
    "get_all_tags": {"vcon_uuid": "UUID"},
    "get_tag": {"vcon_uuid": "UUID", "key": "department"},
    "vcon_relations": {"vcon_uuid": "UUID"},
    "verify_vcon": {"vcon_uuid": "UUID"},
}
ABOUT_THE_STORE: Final[Mapping[str, Sequence[JsonObject]]] = {
    "describe_response_shape": ({},),
    "vcon_capabilities": ({},),
    "vcon_graph_shape": ({},),
    "vcon_search": tuple(
        {"mode": mode, "query": "refund order"} for mode in ("keyword", "semantic", "hybrid")
    ),
    "vcon_recall": ({"query": "why was the refund refused"}, {"query": "when does the order arrive"}),
    "vcon_taxonomy": ({},),
    "analyze_query": ({"query": "select uuid from vcon order by created_at desc limit 5"},),
    "get_database_shape": ({},),
    "get_database_stats": ({},),
    "get_examples": ({"example_type": "phone_call"},),
    "get_schema": ({},),
    "get_unique_tags": ({},),
    "search_by_tags": ({"tags": {"department": "sales"}},),
    "search_vcons": ({},),
    "search_vcons_content": ({"query": "refund"},),
    "search_vcons_hybrid": ({"query": "refund order"},),
    "search_vcons_semantic": ({"query": "refund order"},),
    "list_holds": ({},),
    "vcon_aggregate": tuple({"group_by": [by]} for by in ("tag:department", "dealer", "month")),
    "vcon_topics": ({"period": "2024-02"},),
    "vcon_trends": ({"filters": {"end_date": "2024-03-01"}},),
}


async def measure(application: App) -> dict[str, JsonObject]:
    """The sizes by tool, measured in an empty store of the application's caller, which is filled first."""
    subject = Subject(Path(), replace(application, caller=replace(application.caller, connection="sizes")))
    uuids = [uuid async for uuid in _stored(subject)]
    await application.worker.drain(application.caller.tenant)
    of_corpus = uuids[-LIFELIKE :: LIFELIKE // _MEASURED_VCONS]
    calls = {
        **ABOUT_THE_STORE,
        **{
            tool: [
                {name: uuid if value == "UUID" else value for name, value in arguments.items()}
                for uuid in of_corpus
            ]
            for tool, arguments in ABOUT_A_VCON.items()
        },
    }
    shapes = application.catalogue.seen_with(application.caller.scopes).shapes
    return {
        tool: _size(
            [await subject.call(tool, each) for each in calls[tool]],
            is_page=shapes[tool]["envelope"] == "page",
        )
        for tool in sorted(calls)
    }


async def _stored(subject: Subject) -> AsyncIterator[str]:
    yaml = YAML(typ="safe")
    examples: list[JsonObject] = [
        yaml.load(path)["vcon"]  # pyright: ignore[reportUnknownMemberType]
        for path in sorted((ROOT / "spec" / "examples").glob("*.yaml"))
    ]
    for vcon in (*examples, *Corpus().vcons(0, LIFELIKE)):
        answer = await subject.call("create_vcon", {"vcon_data": vcon, "validate_before_insert": False})
        yield answer["uuid"]


def _size(answers: Sequence[JsonObject], *, is_page: bool) -> JsonObject:
    size: JsonObject = {"typical": round(statistics.median(len(dump_json(answer)) for answer in answers))}
    items = [len(dump_json(item)) for answer in answers for item in answer.get("items", [])]
    if items and is_page:
        size["per_item"] = round(statistics.mean(items))
    return size


async def _write() -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with open_subject(Path(folder), TOOLSETS) as subject:
            sizes = await measure(subject.application)
    lines = [
        f"  {tool}: {{{', '.join(f'{name}: {value}' for name, value in size.items())}}}\n"
        for tool, size in sizes.items()
    ]
    FIGURES.write_text(_HEAD + "sizes:\n" + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write())
