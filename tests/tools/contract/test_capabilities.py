"""vcon_capabilities: what it says is what the tools do, and nothing else."""

import hashlib
from dataclasses import replace

import pytest
import rfc8785

from tests.conftest import ALL_SCOPES, Call
from tests.tools.contract.conftest import Embed, Store
from vcontract.codegen.lints.tools import model_tokens
from vcontract.handlers.contract.capabilities import capabilities
from vcontract.runtime.app import App
from vcontract.runtime.embedding.model import ModelState
from vcontract.runtime.embedding.service import EmbeddingStatus
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.embeddings import Coverage
from vcontract.runtime.vcon.legacy import LegacyNames

SAMPLES: JsonObject = {
    "query": "refund",
    "embedding": [0.5] * 384,
    "threshold": 0.2,
    "semantic_weight": 0.3,
    "hits_per_item": 2,
    "filters": {},
    "limit": 3,
    "include": ["core"],
    "max_response_bytes": 5000,
    "cursor": "x",
}
FILTERS: JsonObject = {
    "party_role": "agent",
    "analysis_type": "transcript",
    "analysis_vendor": "ear",
    "attachment_type": "note",
    "events": {"any": ["transfer"]},
    "said": {"any": ["refund"]},
    "not_said": {"any": ["goodbye"]},
    "repeat_within_days": 7,
    "version_of": "01900000-0000-8000-8000-000000000001",
    "versions": "latest",
    "subject": "refund",
    "party_name": "James",
    "party_email": "james@example.com",
    "party_tel": "555-1234",
    "start_date": "2025-01-01",
    "end_date": "2025-01-31",
    "dealer_id": "815",
    "dealer_name": "horse",
    "tags": {"department": "sales"},
}


MAX_TOKENS = 1_220
MAX_TOKENS_OF_ALL_TOOLSETS = 1_500


@pytest.fixture
async def item(call: Call) -> JsonObject:
    answer = await call("vcon_capabilities", migration_hints=True)
    found: JsonObject = answer["item"]
    return found


def needed_of(mode: JsonObject, beside: str = "") -> JsonObject:
    """Arguments that a mode needs, `beside` one that is given as well."""
    one_of: list[str] = mode.get("one_of", [])
    one_of = [] if beside in one_of else one_of[:1]
    return {name: SAMPLES[name] for name in (*mode["requires"], *one_of)}


def code_of(answer: JsonObject) -> str | None:
    return None if answer["ok"] else answer["error"]["code"]


async def test_the_documented_names_are_there(item: JsonObject) -> None:
    assert {
        "supported_includes",
        "search_modes",
        "pagination_semantics",
        "byte_budgets",
        "migration_hints",
    } <= item.keys()
    assert item["supported_includes"] == [
        *("core", "parties", "summary", "transcript", "tags", "dealer"),
        *("counts", "events", "dialog", "analysis", "attachments"),
    ]
    assert item["default_includes"] == {
        "vcon_fetch": ["core", "parties", "summary"],
        "vcon_search": ["core", "summary"],
    }


async def test_every_listed_include_is_accepted_and_no_other(call: Call, item: JsonObject) -> None:
    listed: list[str] = item["supported_includes"]
    for tool, arguments in (
        ("vcon_fetch", {"id": "00000000-0000-4000-8000-000000000000"}),
        ("vcon_search", {"mode": "metadata"}),
    ):
        accepted = {code_of(await call(tool, **arguments, include=[group])) for group in listed}
        refused = [
            code_of(await call(tool, **arguments, include=[group]))
            for group in ("cores", "Core", "", "party", "metadata", "all")
        ]

        assert accepted <= {None, "NOT_FOUND"}
        assert set(refused) == {"INVALID_ARGUMENT"}


async def test_every_listed_mode_is_accepted_and_no_other(call: Call, item: JsonObject) -> None:
    for mode in item["search_modes"]:
        answer = await call("vcon_search", mode=mode["mode"], **needed_of(mode))

        assert answer["ok"]
        assert ("total" in answer["page"]) is mode["total"]
    listed = {mode["mode"] for mode in item["search_modes"]}
    assert listed == {"metadata", "keyword", "semantic", "hybrid"}
    for mode in ("fuzzy", "Keyword", ""):
        assert code_of(await call("vcon_search", mode=mode, query="refund")) == "INVALID_ARGUMENT"


async def test_each_mode_takes_what_it_accepts_and_refuses_what_it_rejects(
    call: Call, item: JsonObject
) -> None:
    for mode in item["search_modes"]:
        assert set(mode["requires"]) <= set(mode["accepts"])
        assert not set(mode["accepts"]) & set(mode["rejects"])
        assert set(mode["accepts"]) | set(mode["rejects"]) == SAMPLES.keys()
        for name in (*mode["requires"], *mode.get("one_of", [])[:1]):
            without = {other: value for other, value in needed_of(mode).items() if other != name}
            answer = await call("vcon_search", mode=mode["mode"], **without)
            assert code_of(answer) == "INVALID_ARGUMENT"
            assert answer["error"]["details"]["parameter"] == name
        for name in mode["accepts"]:
            needed = needed_of(mode, beside=name)
            answer = await call("vcon_search", mode=mode["mode"], **{**needed, name: SAMPLES[name]})
            assert code_of(answer) == ("CURSOR_INVALID" if name == "cursor" else None)
        for name in mode["rejects"]:
            answer = await call("vcon_search", mode=mode["mode"], **{**needed_of(mode), name: SAMPLES[name]})
            assert code_of(answer) == "INVALID_ARGUMENT"
            assert answer["error"]["details"]["parameter"] == name
        for name, value in mode.get("defaults", {}).items():
            silent = await call("vcon_search", mode=mode["mode"], **needed_of(mode))
            said = await call("vcon_search", mode=mode["mode"], **needed_of(mode), **{name: value})
            assert silent == said


async def test_every_listed_filter_is_accepted_in_every_mode_and_no_other(
    call: Call, item: JsonObject
) -> None:
    tagged = await call("create_vcon", vcon_data={"parties": [{}]}, metadata={"tags": FILTERS["tags"]})
    assert tagged["success"]
    listed = [entry["name"] for entry in item["filters"]]
    assert sorted(listed) == sorted(FILTERS)
    assert all(entry["meaning"] and entry["type"] for entry in item["filters"])
    for mode in item["search_modes"]:
        needed = needed_of(mode)
        for name in listed:
            answer = await call("vcon_search", mode=mode["mode"], **needed, filters={name: FILTERS[name]})
            assert answer["ok"]
            assert answer["meta"]["filters"] == {name: FILTERS[name]}
        for name in ("color", "tag", "created_from", "Subject"):
            answer = await call("vcon_search", mode=mode["mode"], **needed, filters={name: "red"})
            assert code_of(answer) == "INVALID_ARGUMENT"


async def test_the_paging_and_budget_that_it_describes_are_those_of_the_input_schemas(
    call: Call, item: JsonObject, app: App
) -> None:
    paging, budget = item["pagination_semantics"], item["byte_budgets"]
    search = app.catalogue.seen_with(app.caller.scopes).tools["vcon_search"]["inputSchema"]["properties"]

    assert paging["request_field"] in search
    assert search["limit"]["default"] == paging["default_limit"]
    assert search["limit"]["maximum"] == paging["max_limit"]
    assert set(paging["order"]) == {mode["mode"] for mode in item["search_modes"]}
    assert budget["parameter"] in search
    bounds = search[budget["parameter"]]
    assert (bounds["default"], bounds["minimum"], bounds["maximum"]) == (
        budget["default"],
        budget["minimum"],
        budget["maximum"],
    )
    page = await call("vcon_search", mode="metadata")
    assert page["page"]["next_cursor"] is paging["end"] is None
    assert item["limits"]["query_characters"] == search["query"]["maxLength"]


OLDER_VALUES: JsonObject = {
    "appended": {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab"},
    "must_support": ["cc"],
    "must_understand": ["cc"],
}
ARRAYS = {"dialog": "dialog", "analysis": "analysis", "attachment": "attachments"}


def with_older_name(object_: str, legacy: str) -> JsonObject:
    """A vCon with one object of this kind that has this member."""
    value = OLDER_VALUES.get(legacy, "x")
    dialog: JsonObject = {"type": "text", "body": "x"}
    match object_:
        case "vcon":
            return {legacy: value}
        case "party_history":
            return {"dialog": [{**dialog, "party_history": [{"party": 0, legacy: value}]}]}
        case _:
            return {ARRAYS[object_]: [{"type": "text", "vendor": "v", "purpose": "p", legacy: value}]}


async def test_every_field_hint_is_a_name_that_is_translated_on_the_way_in_and_never_told(
    call: Call, item: JsonObject
) -> None:
    fields = [hint for hint in item["migration_hints"] if hint["kind"] == "field"]

    names = [hint for hint in fields if " " not in hint["legacy"]]
    # what becomes another member's value, or one of two members, tests/vcon shows
    assert {hint["legacy"] for hint in fields if hint not in names} == {
        *("alg + signature", "event: dtmfdown", "event: dtmfup"),
    }
    assert {hint["object"] for hint in names} == {"vcon", "party_history", *ARRAYS}
    assert {(hint["legacy"], hint["current"]) for hint in names} >= {
        ("must_support", "critical"),
        ("appended", "amended"),
        ("mimetype", "mediatype"),
    }
    for hint in names:
        legacy, current = hint["legacy"], hint["current"]
        created = await call(
            "create_vcon",
            vcon_data={"parties": [{"name": "A"}], **with_older_name(hint["object"], legacy)},
            validate_before_insert=False,
        )
        fetched = await call("vcon_fetch", id=created["uuid"], include=["core", *ARRAYS.values()])
        assert (hint["accepted_on_input"], hint["emitted"]) == (True, False)
        assert [(one["from"], one["to"]) for one in created["translated"]] == [(legacy, current)]
        assert f"'{current}': {OLDER_VALUES.get(legacy, 'x')!r}" in str(fetched["item"])
        assert f"'{legacy}'" not in str(fetched["item"])


async def test_what_it_says_in_words_is_what_the_page_says(item: JsonObject) -> None:
    ranked, listed = "score, then uuid, falling", "began_at, then uuid, falling"

    assert item["pagination_semantics"] == {
        "style": "cursor",
        "request_field": "cursor",
        "response_field": "page.next_cursor",
        "end": None,
        "default_limit": 10,
        "max_limit": 100,
        "order": {"metadata": listed, "keyword": ranked, "semantic": ranked, "hybrid": ranked},
        "bound_to": ["query", "tenant", "order"],
        "survives_inserts": True,
        "expires": None,
    }
    assert item["byte_budgets"].pop("measured_on")
    assert item["byte_budgets"] == {
        "parameter": "max_response_bytes",
        "default": 250_000,
        "minimum": 1_024,
        "maximum": 10_000_000,
        "error": "RESPONSE_TOO_LARGE",
        "no_truncation": True,
    }
    assert {name: rate["limit"] for name, rate in item["rate_limits"].items()} == {
        "search": 100,
        "create": 50,
        "other": 200,
    }
    assert {rate["window_seconds"] for rate in item["rate_limits"].values()} == {60}
    assert item["vcon"]["versions"] == ["0.3.0", "0.4.0", "0.5.0"]
    assert item["vcon"]["latest"] == "0.5.0"
    assert {mode["mode"]: (mode["ranked"], mode["total"]) for mode in item["search_modes"]} == {
        "metadata": (False, True),
        "keyword": (True, True),
        "semantic": (True, False),
        "hybrid": (True, False),
    }


async def test_every_tool_hint_names_tools_that_are_served(item: JsonObject) -> None:
    hints = [hint for hint in item["migration_hints"] if hint["kind"] == "tool"]
    served = {name for toolset in item["toolsets"] for name in toolset["tools"]}

    assert {hint["legacy"]: hint["current"] for hint in hints} == {
        "get_vcon": "vcon_fetch",
        "search_vcons": "vcon_search",
        "search_vcons_content": "vcon_search",
        "search_vcons_semantic": "vcon_search",
        "search_vcons_hybrid": "vcon_search",
    }
    assert [hint["note"].split(";")[0] for hint in hints[1:]] == [
        'mode "metadata"',
        'mode "keyword"',
        'mode "semantic"',
        'mode "hybrid"',
    ]
    assert {hint[side] for hint in hints for side in ("legacy", "current")} <= served


async def test_it_tells_how_much_is_found_by_meaning(call: Call, store: Store, embed: Embed) -> None:
    before = (await call("vcon_capabilities"))["item"]["embedding"]
    await store([{"subject": f"Refund {number}", "parties": [{"name": "A"}]} for number in range(4)])
    stored = (await call("vcon_capabilities"))["item"]["embedding"]
    await embed()
    after = (await call("vcon_capabilities"))["item"]["embedding"]

    assert {
        name: before[name] for name in ("available", "dimensions", "passages", "embedded", "coverage")
    } == {
        "available": True,
        "dimensions": 384,
        "passages": 0,
        "embedded": 0,
        "coverage": 1,
    }
    assert (stored["passages"], stored["embedded"], stored["coverage"]) == (4, 0, 0)
    assert (after["passages"], after["embedded"], after["coverage"], after["stale"]) == (4, 4, 1, 0)
    assert after["model"] == before["model"]


async def test_the_limits_are_those_that_hold(call: Call, item: JsonObject) -> None:
    limits = item["limits"]
    most = limits["filter_characters"]
    tags = {f"k{number}": 1 for number in range(limits["filter_tags"] + 1)}

    for filters, fits in (
        ({"subject": "x" * most}, True),
        ({"subject": "x" * (most + 1)}, False),
        ({"tags": tags}, False),
        ({"party_tel": "1" * limits["party_tel_digits"]}, True),
        ({"party_tel": "1" * (limits["party_tel_digits"] - 1)}, False),
    ):
        assert (await call("vcon_search", mode="metadata", filters=filters))["ok"] is fits
    too_many = await call("vcon_search", mode="metadata", limit=limits["items_per_page"] + 1)
    assert code_of(too_many) == "INVALID_ARGUMENT"


async def test_no_tenant_and_no_secret_is_told(call: Call, tenant: str) -> None:
    answer = await call("vcon_capabilities")

    assert tenant not in str(answer)
    assert answer["item"]["access"] == {
        "read_only": False,
        "scopes": ["admin", "read", "write"],
        "tenant_bound": True,
    }


async def test_a_caller_who_may_only_read_is_shown_only_what_reads(app: App, item: JsonObject) -> None:
    reader = Caller("reader", frozenset({"read"}))
    answer = (await app.dispatcher.call("vcon_capabilities", {}, reader)).structured["item"]
    tools = {name for toolset in answer["toolsets"] for name in toolset["tools"]}

    assert {"vcon_search", "vcon_fetch", "get_vcon"} <= tools
    assert not tools & {"create_vcon", "update_vcon", "delete_vcon"}
    assert answer["access"]["scopes"] == ["read"]
    assert answer["contract"]["digest"] != item["contract"]["digest"]


async def test_it_costs_a_model_little_unless_older_names_are_asked_for(
    call: Call, item: JsonObject, every_toolset: App, tenant: str
) -> None:
    everything = await every_toolset.dispatcher.call("vcon_capabilities", {}, Caller(tenant, ALL_SCOPES))
    answer = await call("vcon_capabilities")

    assert len(item["migration_hints"]) == item["migration_hints_total"] > 0
    assert answer["item"] == {**item, "migration_hints": []}
    assert model_tokens(dump_json(answer).decode()) < MAX_TOKENS
    assert model_tokens(everything.text) < MAX_TOKENS_OF_ALL_TOOLSETS


async def test_unknown_parameters_are_refused(call: Call) -> None:
    answer = await call("vcon_capabilities", verbose=True)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"


async def test_the_digest_is_that_of_all_that_is_served_as_canonical_json(item: JsonObject, app: App) -> None:
    contract = app.catalogue.seen_with(frozenset({"read", "write", "admin"}))

    seen: JsonObject = {
        "instructions": contract.instructions,
        "tools": list(contract.tools.values()),
        "resources": list(contract.resources.values()),
        "prompts": list(contract.prompts.values()),
    }
    assert item["contract"]["digest"] == "sha256:" + hashlib.sha256(rfc8785.dumps(seen)).hexdigest()


async def test_the_digest_changes_with_the_description_of_any_tool(item: JsonObject) -> None:
    package = load_package()
    served = [name for toolset in item["toolsets"] if toolset["enabled"] for name in toolset["tools"]]

    def digest(reworded: str | None = None) -> str:
        def read(key: str) -> JsonObject:
            document = package.read_contract(key)
            return {**document, "description": "Other words."} if key == reworded else document

        return Catalogue(replace(package, read_contract=read), Selection()).seen_with(ALL_SCOPES).digest

    digests = [digest(), *(digest(name) for name in served)]
    assert digests[0] == item["contract"]["digest"]
    assert len(served) > 20
    assert len(set(digests)) == len(digests)


def test_tools_that_are_not_served_are_named_nowhere() -> None:
    selection = Selection(exclude_tools=("get_vcon", "vcon_search"))
    catalogue = Catalogue(load_package(), selection)
    caller = Caller("default", frozenset({"read", "write", "admin"}))
    context = ToolContext(caller, catalogue.seen_with(caller.scopes), "0")
    nothing = Coverage(None, None, 0, 0, 0)
    status = EmbeddingStatus(ModelState("idle"), nothing, building=None, stale=0)
    item = capabilities(context, status, LegacyNames.load(), with_hints=True)

    assert "get_vcon" not in str(item["migration_hints"])
    assert "vcon_search" not in str(item["toolsets"])
    assert item["default_includes"] == {"vcon_fetch": ["core", "parties", "summary"]}
