"""Build the result of vcon_capabilities: what this server offers this caller."""

from collections.abc import Sequence

from vcontract.generated.results.contract import (
    VconCapabilitiesResultItem,
    VconCapabilitiesResultItemEmbedding,
    VconCapabilitiesResultItemSearchModesEntry,
)
from vcontract.runtime.embedding.service import EmbeddingStatus
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.search.filter_conditions import COUNTED_TO
from vcontract.runtime.store.search.search_params import MAX_FILTER_LENGTH, MIN_NUMBER_DIGITS
from vcontract.runtime.text.query import MAX_QUERY_WORDS
from vcontract.runtime.vcon.conformance import LATEST_VERSION, SUPPORTED_EXTENSIONS, VERSIONS
from vcontract.runtime.vcon.legacy import LegacyNames

_SEARCH = "vcon_search"
_FETCH = "vcon_fetch"
_RANKED_ORDER, _LISTED_ORDER = "score, then uuid, falling", "began_at, then uuid, falling"
_MODE_OF_REPLACED_SEARCH = {
    "search_vcons": "metadata",
    "search_vcons_content": "keyword",
    "search_vcons_semantic": "semantic",
    "search_vcons_hybrid": "hybrid",
}


def capabilities(
    ctx: ToolContext,
    embedding: EmbeddingStatus,
    legacy_names: LegacyNames,
    consent: tuple[Sequence[str], bool] = ((), False),
    *,
    with_hints: bool = False,
) -> VconCapabilitiesResultItem:
    """Return the item of vcon_capabilities; migration hints only with `with_hints`; `consent` is from a
    Database.
    """
    contract = ctx.contract
    hints = _migration_hints(ctx, legacy_names)
    policy = contract.policy
    search = _parameters(contract.tools.get(_SEARCH))
    modes: JsonObject = policy["search_modes"] if search else {}
    filters: JsonObject = search.get("filters", {}).get("properties", {})
    return {
        "contract": {"name": contract.name, "version": contract.version, "digest": contract.digest},
        "supported_includes": list(policy["include_groups"]),
        "default_includes": {
            tool: groups for tool, groups in policy["default_includes"].items() if tool in contract.tools
        },
        "search_modes": _search_modes(modes, search),
        "pagination_semantics": _pagination(policy["pages"], modes),
        "byte_budgets": {
            "parameter": "max_response_bytes",
            **policy["byte_budget"],
            "measured_on": "the text block: the whole answer as compact JSON in UTF-8",
            "error": "RESPONSE_TOO_LARGE",
            "no_truncation": True,
        },
        "migration_hints_total": len(hints),
        "migration_hints": hints if with_hints else [],
        "toolsets": [{**toolset} for toolset in contract.toolsets],
        "embedding": _embedding(embedding),
        "filters": [
            {"name": name, "type": schema["type"], "meaning": schema["description"]}
            for name, schema in filters.items()
        ],
        "limits": _limits(policy, search, filters),
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
            **_consent(*consent),
        },
    }


def _consent(purposes: Sequence[str], required: bool) -> JsonObject:
    """Purposes in force, without revealing how much they hide."""
    if not purposes:
        return {}
    lacking = "is not stored as consenting" if required else "does not consent, or no longer does,"
    return {
        "purposes": [*purposes],
        "consent": f"Conversations with a party that {lacking} to a purpose are not answered, as if they "
        "were not there: what is empty may be so because of that.",
    }


def _parameters(tool: JsonObject | None) -> JsonObject:
    return tool["inputSchema"]["properties"] if tool else {}


def _search_modes(
    modes: JsonObject, parameters: JsonObject
) -> list[VconCapabilitiesResultItemSearchModesEntry]:
    return [_search_mode(mode, rule, parameters) for mode, rule in modes.items()]


def _search_mode(
    name: str, rule: JsonObject, parameters: JsonObject
) -> VconCapabilitiesResultItemSearchModesEntry:
    mode: VconCapabilitiesResultItemSearchModesEntry = {
        "mode": name,
        "requires": rule["requires"],
        "accepts": [each for each in parameters if each != "mode" and each not in rule["rejects"]],
        "rejects": rule["rejects"],
        "ranked": rule["ranked"],
        "total": rule["total"],
    }
    if "one_of" in rule:
        mode["one_of"] = rule["one_of"]
    if "defaults" in rule:
        mode["defaults"] = rule["defaults"]
    return in_order(VconCapabilitiesResultItemSearchModesEntry, mode)


def _pagination(pages: JsonObject, modes: JsonObject) -> JsonObject:
    return {
        "style": "cursor",
        "request_field": "cursor",
        "response_field": "page.next_cursor",
        "end": None,
        "default_limit": pages["default_limit"],
        "max_limit": pages["max_limit"],
        "order": {mode: _RANKED_ORDER if rule["ranked"] else _LISTED_ORDER for mode, rule in modes.items()},
        "bound_to": ["query", "tenant", "order"],
        "survives_inserts": True,
        "expires": None,
    }


def _limits(policy: JsonObject, search: JsonObject, filters: JsonObject) -> JsonObject:
    return {
        "query_characters": search.get("query", {}).get("maxLength"),
        "query_words": MAX_QUERY_WORDS,
        "counted_to": COUNTED_TO,
        "filter_characters": MAX_FILTER_LENGTH,
        "filter_tags": filters.get("tags", {}).get("maxProperties"),
        "party_tel_digits": MIN_NUMBER_DIGITS,
        "tags": policy["tags"],
        "items_per_page": policy["pages"]["max_limit"],
        "vcon_bytes": policy["input_limits"]["vcon_bytes"],
        "nesting": policy["input_limits"]["nesting"],
        "dates": "YYYY-MM-DD or RFC 3339, UTC; end days included",
    }


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
    note = "{} answers within a byte budget and with only the groups you ask for."
    tools: list[JsonObject] = [
        {"kind": "tool", "legacy": "get_vcon", "current": _FETCH, "note": note.format(_FETCH)},
        *(
            {
                "kind": "tool",
                "legacy": tool,
                "current": _SEARCH,
                "note": f'mode "{mode}"; {note.format("it")}',
            }
            for tool, mode in _MODE_OF_REPLACED_SEARCH.items()
        ),
    ]
    served = ctx.contract.tools
    return fields + [hint for hint in tools if hint["legacy"] in served and hint["current"] in served]


def _embedding(status: EmbeddingStatus) -> VconCapabilitiesResultItemEmbedding:
    coverage = status.coverage
    embedding: VconCapabilitiesResultItemEmbedding = {
        "available": status.is_available,
        "passages": coverage.passages,
        "embedded": coverage.embedded,
        "coverage": coverage.share,
        "stale": status.stale,
    }
    if coverage.model is not None:
        embedding["model"] = coverage.model
    if coverage.dimension is not None:
        embedding["dimensions"] = coverage.dimension
    return in_order(VconCapabilitiesResultItemEmbedding, embedding)
