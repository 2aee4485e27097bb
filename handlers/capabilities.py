"""Capabilities: what this server can do for this caller, read from the contract that is served."""

from vcontract.runtime.context import ToolContext
from vcontract.runtime.documents import JsonObject
from vcontract.runtime.query import MOST_WORDS
from vcontract.runtime.store.search import COUNTED_TO
from vcontract.runtime.vcon.conformance import LATEST_VERSION, SUPPORTED_EXTENSIONS, VERSIONS
from vcontract.runtime.vcon.legacy import LegacyNames

_SEARCH = "vcon_search"
_ORDERS = {"metadata": "created_at, then uuid, falling", "keyword": "score, then uuid, falling"}
_REPLACED_TOOLS = {"get_vcon": "vcon_fetch"}


def capabilities(ctx: ToolContext, legacy_names: LegacyNames) -> JsonObject:
    """The item of vcon_capabilities."""
    contract = ctx.contract
    policy = contract.policy
    search = _parameters(contract.tools.get(_SEARCH))
    return {
        "contract": {"name": contract.name, "version": contract.version, "digest": contract.digest},
        "supported_includes": list(policy["include_groups"]),
        "default_includes": {
            tool: groups for tool, groups in policy["default_includes"].items() if tool in contract.tools
        },
        "search_modes": [
            {
                "mode": mode,
                "requires": rule["requires"],
                "accepts": [name for name in search if name != "mode" and name not in rule["rejects"]],
                "rejects": rule["rejects"],
                "ranked": rule["ranked"],
                "total": rule["total"],
            }
            for mode, rule in policy["search_modes"].items()
            if search
        ],
        "pagination_semantics": {
            "style": "cursor",
            "request_field": "cursor",
            "response_field": "page.next_cursor",
            "end": None,
            "default_limit": policy["pages"]["default_limit"],
            "max_limit": policy["pages"]["max_limit"],
            "order": _ORDERS,
            "bound_to": ["query", "tenant", "order"],
            "survives_inserts": True,
            "expires": None,
        },
        "byte_budgets": {
            "parameter": "max_response_bytes",
            **policy["byte_budget"],
            "measured_on": "the text block: the whole answer as compact JSON in UTF-8",
            "error": "RESPONSE_TOO_LARGE",
            "no_truncation": True,
        },
        "migration_hints": _migration_hints(ctx, legacy_names),
        "toolsets": contract.toolsets,
        "filters": [
            {"name": name, "type": schema["type"], "meaning": schema["description"]}
            for name, schema in search.get("filters", {}).get("properties", {}).items()
        ],
        "limits": {
            "query_characters": search.get("query", {}).get("maxLength"),
            "query_words": MOST_WORDS,
            "counted_to": COUNTED_TO,
            "tags": policy["tags"],
            "vcon_bytes": policy["input_limits"]["vcon_bytes"],
            "nesting": policy["input_limits"]["nesting"],
            "dates": "YYYY-MM-DD or RFC 3339; windows are half-open in UTC",
        },
        "rate_limits": policy["rate_classes"],
        "vcon": {
            "versions": list(VERSIONS),
            "latest": LATEST_VERSION,
            "supported_extensions": list(SUPPORTED_EXTENSIONS),
        },
        "access": {
            "read_only": contract.read_only,
            "scopes": sorted(ctx.caller.scopes),
            "tenant_bound": True,
        },
    }


def _parameters(tool: JsonObject | None) -> JsonObject:
    return tool["inputSchema"]["properties"] if tool else {}


def _migration_hints(ctx: ToolContext, legacy_names: LegacyNames) -> list[JsonObject]:
    fields: list[JsonObject] = [
        {
            "kind": "field",
            "object": name.object,
            "legacy": name.legacy,
            "current": name.current,
            "accepted_on_input": True,
            "emitted": False,
        }
        for name in legacy_names.table
    ]
    tools: list[JsonObject] = [
        {
            "kind": "tool",
            "legacy": legacy,
            "current": current,
            "note": f"{current} answers within a byte budget and with only the groups you ask for.",
        }
        for legacy, current in _REPLACED_TOOLS.items()
        if legacy in ctx.contract.tools and current in ctx.contract.tools
    ]
    return fields + tools
