"""The served contract: which tools, under which names, and as whom they are seen by."""

import copy
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import rfc8785

from vcontract.codegen.lints.tools import model_tokens
from vcontract.generated.handlers import Readers
from vcontract.runtime.frame.context import Scope, ToolContext
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection, UnknownSelection
from vcontract.runtime.frame.contract.package import ContractPackage, load_package
from vcontract.runtime.frame.contract.registry import Prompt, Resource, ServerIdentity
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import members

ALL: frozenset[Scope] = frozenset({"read", "write", "admin"})


def served_names(package: ContractPackage, **selection: object) -> list[str]:
    chosen = replace(Selection(), **selection)  # type: ignore[arg-type]
    return list(Catalogue(package, chosen).seen_with(ALL).tools)


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        ({}, ["note_fetch", "note_search", "put_note"]),
        ({"toolsets": ("shelf",)}, ["put_note"]),
        ({"toolsets": ("shelf", "notes")}, ["note_fetch", "note_search", "put_note"]),
        ({"toolsets": ("diary",)}, ["read", "search"]),
        ({"toolsets": ("diary", "trace")}, ["diary_read", "diary_search", "trace_search"]),
        (
            {"toolsets": ("all",)},
            ["note_fetch", "note_search", "put_note", "diary_read", "diary_search", "trace_search"],
        ),
        ({"tools": ("put_note", "note_fetch")}, ["note_fetch", "put_note"]),
        ({"tools": ("get_note",)}, ["note_fetch"]),
        ({"exclude_tools": ("note_search",)}, ["note_fetch", "put_note"]),
        ({"tools": ("note_fetch", "put_note"), "exclude_tools": ("put_note",)}, ["note_fetch"]),
        ({"tools": ("put_note",), "read_only": True}, []),
        ({"read_only": True}, ["note_fetch", "note_search"]),
    ],
)
def test_the_selection_decides_what_is_served_in_the_contracts_order(
    package: ContractPackage, selection: JsonObject, names: list[str]
) -> None:
    assert served_names(package, **selection) == names


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (
            {"toolsets": ("nots",)},
            "toolsets: there is no 'nots'; choose from notes, shelf, diary, trace, all",
        ),
        (
            {"tools": ("put_nte",)},
            "tools: there is no 'put_nte'; choose from note_fetch, note_search, put_note",
        ),
        ({"exclude_tools": ("x", "y")}, "exclude_tools: there is no 'x', 'y'; choose from"),
        ({"tools": ("diary_search",)}, "tools: there is no 'diary_search'"),
    ],
)
def test_an_unknown_name_is_an_error_that_lists_what_exists(
    package: ContractPackage, selection: JsonObject, message: str
) -> None:
    with pytest.raises(UnknownSelection, match=message):
        served_names(package, **selection)


@pytest.mark.parametrize(
    ("toolsets", "name", "meant"),
    [
        (("notes",), "note_fetch", "note_fetch"),
        (("notes",), "get_note", "note_fetch"),
        (("notes",), "notes_note_fetch", None),
        (("notes",), "put_note", None),
        (("diary",), "search", "search"),
        (("diary",), "diary_search", "search"),
        (("notes", "diary"), "search", "diary_search"),
        (("notes", "diary"), "diary_search", "diary_search"),
        (("diary", "trace"), "search", None),
        (("diary", "trace"), "trace_search", "trace_search"),
    ],
)
def test_a_name_is_understood_wherever_only_one_tool_can_be_meant(
    package: ContractPackage, toolsets: tuple[str, ...], name: str, meant: str | None
) -> None:
    contract = Catalogue(package, Selection(toolsets)).seen_with(ALL)

    assert contract.canonical_name(name) == meant


@pytest.mark.parametrize(
    ("selection", "name", "where"),
    [
        (
            Selection(("notes",)),
            "diary_search",
            "toolset diary, which is not served here: add it to --toolsets",
        ),
        (Selection(("notes", "diary")), "trace_search", "toolset trace, which is not served here"),
        (Selection(("notes",), exclude_tools=("note_fetch",)), "note_fetch", "notes, of which this server"),
        (Selection(("shelf",), read_only=True), "put_note", "shelf, of which this server leaves it out"),
        (Selection(("diary", "trace")), "search", None),
        (Selection(), "no_such_tool", None),
    ],
)
def test_a_tool_that_is_not_served_is_known_by_its_toolset(
    package: ContractPackage, selection: Selection, name: str, where: str | None
) -> None:
    said = Catalogue(package, selection).where_it_is(name)

    assert (where in said) if where and said else said is where


def test_a_caller_sees_only_tools_that_it_may_use(package: ContractPackage) -> None:
    contract = Catalogue(package, Selection()).seen_with(frozenset({"read"}))

    assert list(contract.tools) == list(contract.shapes) == ["note_fetch", "note_search"]
    assert contract.canonical_name("put_note") is None
    assert "put_note" not in contract.nearest_names("put_notes")


def test_documents_bear_the_served_name(package: ContractPackage) -> None:
    contract = Catalogue(package, Selection(("diary", "trace"))).seen_with(ALL)

    assert contract.tools["diary_search"]["name"] == "diary_search"
    assert contract.shapes["diary_search"]["tool_name"] == "diary_search"
    assert len(contract.shapes) == 3


def test_toolsets_say_what_is_enabled_and_which_tools_they_have(package: ContractPackage) -> None:
    contract = Catalogue(package, Selection(read_only=True)).seen_with(ALL)

    assert contract.toolsets == [
        {"id": "notes", "title": "Notes", "enabled": True, "tools": ["note_fetch", "note_search"]},
        {"id": "shelf", "title": "Shelf", "enabled": True, "tools": []},
        {"id": "diary", "title": "Diary", "enabled": False, "tools": []},
        {"id": "trace", "title": "Trace", "enabled": False, "tools": []},
    ]


def test_instructions_name_no_tool_that_is_not_served(package: ContractPackage) -> None:
    text = "Notes are kept here.\nStart with note_search, then note_fetch.\nput_note keeps one."
    given = replace(
        package, identity=ServerIdentity("fake", "Fake", "1", text, "https://example.org", "data:,")
    )

    def instructions_of(selection: Selection) -> list[str]:
        return Catalogue(given, selection).seen_with(ALL).instructions.splitlines()

    assert instructions_of(Selection()) == text.splitlines()
    assert instructions_of(Selection(read_only=True)) == text.splitlines()[:2]
    assert instructions_of(Selection(("shelf",))) == ["Notes are kept here.", "put_note keeps one."]
    assert instructions_of(Selection(tools=("note_fetch",))) == ["Notes are kept here."]


@pytest.mark.parametrize(
    ("served", "reported", "not_told"),
    [
        (("contract",), "vcon_search", "memory"),
        (("memory",), "call search at the start", "vcon_capabilities"),
        (("contract", "memory"), "call memory_search at the start", "checkpoint"),
        (("session",), "checkpoint every half hour", "vcon_search"),
        (("bridge",), "Call search before", "checkpoint"),
        (("vcon_more",), "one element of a vCon", "get_vcon"),
    ],
)
def test_each_toolset_that_is_served_says_when_to_use_it(
    served: tuple[str, ...], reported: str, not_told: str
) -> None:
    instructions = Catalogue(load_package(), Selection(served)).seen_with(ALL).instructions

    assert instructions.startswith(load_package().identity.instructions)
    assert reported in instructions
    assert not_told not in instructions


def test_instructions_say_of_end_dates_what_the_parameters_say() -> None:
    package = load_package()
    parameters = [
        (name, str(members(member).get("description")))
        for key in package.tools
        for name, member in members(package.read_contract(key)["inputSchema"]["properties"]).items()
    ]
    ends = {text for name, text in parameters if name in ("end_date", "until") and "day" in text}
    assert ends
    assert all(description.endswith("A day without a time is included.") for description in ends)
    assert "end days included." in package.identity.instructions


def test_all_instructions_together_take_a_client_no_more_than_five_hundred_tokens() -> None:
    instructions = Catalogue(load_package(), Selection(("all",))).seen_with(ALL).instructions

    assert all(toolset.instructions for toolset in load_package().toolsets)
    assert model_tokens(instructions) <= 500


def test_the_digest_is_that_of_the_served_contracts_as_canonical_json(package: ContractPackage) -> None:
    contract = Catalogue(package, Selection(("shelf",))).seen_with(ALL)

    canonical = rfc8785.dumps(
        {
            "instructions": "Use it well.",
            "tools": [package.read_contract("put_note")],
            "resources": [],
            "prompts": [],
        }
    )
    assert contract.digest == f"sha256:{hashlib.sha256(canonical).hexdigest()}"
    assert contract.digest == Catalogue(package, Selection(("shelf",))).seen_with(ALL).digest


def test_the_digest_changes_with_any_description_and_with_what_is_served(package: ContractPackage) -> None:
    def reworded(key: str) -> JsonObject:
        document = copy.deepcopy(package.read_contract(key))
        document["inputSchema"]["properties"].setdefault("x", {})["description"] = "Reworded."
        return document

    def digest_of(given: ContractPackage, selection: Selection) -> str:
        return Catalogue(given, selection).seen_with(ALL).digest

    digests = {
        digest_of(package, Selection()),
        digest_of(package, Selection(read_only=True)),
        digest_of(package, Selection(("notes",))),
        digest_of(replace(package, read_contract=reworded), Selection()),
    }

    # Serving `notes` alone and serving everything read-only offer the same tools.
    assert len(digests) == 3


def test_identity_and_policy_are_those_of_the_package(package: ContractPackage) -> None:
    contract = Catalogue(package, Selection(read_only=True)).seen_with(ALL)

    assert (contract.name, contract.version, contract.read_only) == ("fake", "3.1.4", True)
    assert contract.policy["result_limit_bytes"] == 4_096


def test_the_digest_covers_resources_and_prompts(package: ContractPackage) -> None:
    async def read(readers: Readers, params: Mapping[str, Any], ctx: ToolContext) -> JsonObject:
        return {}

    resource = Resource("note", "notes", "note_fetch", ("note://v1/note",), read)
    prompt = Prompt("ask", (), "notes")
    steps = [{"say": ["Call {note_fetch}."], "when": None, "optional": False}]

    def digest_of(title: str, task: str, *excluded: str) -> str:
        given = replace(
            package,
            resources={"note": resource},
            prompts={"ask": prompt},
            read_resource={"note": {"title": title}}.__getitem__,
            read_prompt={"ask": {"task": task, "steps": steps}}.__getitem__,
        )
        return Catalogue(given, Selection(exclude_tools=excluded)).seen_with(ALL).digest

    assert digest_of("A", "B") == digest_of("A", "B")
    assert len({digest_of("A", "B"), digest_of("C", "B"), digest_of("A", "D")}) == 3
    # without the tool, neither can be seen
    assert digest_of("A", "B", "note_fetch") == digest_of("C", "D", "note_fetch")
