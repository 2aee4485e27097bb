"""`vcontract stats`: counts by month and kind, and coverage by meaning."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import typer

from vcontract.runtime.cli.console import Column, is_read_by_a_person, print_json, print_rows, size_of
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant
from vcontract.runtime.cli.tool_client import Tools, call_tools

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject

_BARS: Final = "▁▂▃▄▅▆▇█"
_MAX_MONTHS: Final = 1_000
_MONTHS_SHOWN: Final = 24
_MAX_VALUES: Final = 5
_COUNTED_TO: Final = 10_000
_IMPORTS_SHOWN: Final = 3
_KINDS: Final = ("vcon",)
_FATES: Final = ("created", "replaced", "skipped", "identical", "refused")


def stats(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Show how much is stored, by month and kind."""
    counted = call_tools(context, tenant, _count)
    if as_json:
        print_json(counted)
        return
    columns = (Column("WHAT", whole=True), Column("HOW MUCH"))
    print_rows(columns, [(what, value) for what, value in _rows(counted)])


async def _count(tools: Tools) -> "JsonObject":
    """Combine the tools' counts."""
    from vcontract.runtime.store.search.languages import counts_by_language
    from vcontract.runtime.vcon.reading import began_at

    shape = (await tools.ask("vcon_graph_shape", node_types=["month"], max_nodes=_MAX_MONTHS, max_edges=0))[
        "item"
    ]
    parts = (await tools.ask("vcon_graph_shape", max_nodes=_MAX_MONTHS, max_edges=0))["item"]
    capabilities = (await tools.ask("vcon_capabilities"))["item"]
    tables = (await tools.ask("get_database_shape", include_indexes=False))["database_shape"]["tables"]
    imports = await tools.read("imports")
    async with tools.database.reading(tools.tenant) as connection:
        languages = await counts_by_language(connection, _KINDS, _COUNTED_TO)
    by_kind: dict[str, dict[str, int]] = {}
    for node in parts["nodes"]:
        by_kind.setdefault(node["type"], {})[node["label"]] = node["count"]
    corpus = shape["corpus"]
    return {
        "vcons": corpus["vcons"],
        **{name: began_at(corpus[name]) for name in ("first", "last") if name in corpus},
        "months": {
            node["label"]: node["count"] for node in sorted(shape["nodes"], key=lambda one: one["label"])
        },
        "having": by_kind,
        "languages": languages,
        "embedding": capabilities["embedding"],
        "rows": {table["name"]: table["row_count"] for table in tables if "row_count" in table},
        "stored_bytes": imports["stored"]["bytes"],
        "bytes": sum(table.get("total_size_bytes", 0) for table in tables),
        "imports": imports["imports"],
    }


_OF_KINDS: Final = {
    "dialog_type": "dialogs",
    "analysis_type": "analyses",
    "attachment_purpose": "attachments",
    "tag_key": "tags",
    "party_role": "roles",
    "extension": "extensions",
}
"""Display names of node kinds."""


def _rows(counted: "JsonObject") -> Iterator[tuple[str, str]]:
    yield "conversations", f"{counted['vcons']:,}"
    if "first" in counted:
        yield "from", counted["first"][:16].replace("T", " ")
        yield "to", counted["last"][:16].replace("T", " ")
    from vcontract.runtime.vcon.times import by_month

    months = by_month(counted["months"])[-_MONTHS_SHOWN:]
    if months:
        yield "months", f"{spark([count for _, count in months])} {months[0][0]} to {months[-1][0]}"
        latest = ", ".join(f"{month} {count:,}" for month, count in months[-3:])
        yield "new per month", latest
    for kind, name in _OF_KINDS.items():
        if having := counted["having"].get(kind):
            yield f"with {name}", _most(having)
    yield (
        "languages",
        f"English or unknown; {_most(counted['languages'])}"
        if counted["languages"]
        else "English or unknown",
    )
    yield "embedded", _coverage(counted["embedding"])
    size = f"{size_of(counted['stored_bytes'])} without indexes"
    yield "size", f"{size}; {size_of(counted['bytes'])} of all tenants" if counted["bytes"] else size
    for each in counted["imports"][:_IMPORTS_SHOWN]:
        yield "import", f"{each['at'][:16].replace('T', ' ')} {_report(each['report'])}"


def _report(report: "JsonObject") -> str:
    """Format an import's summary without zero counts."""
    counts = {fate: report.get(fate, 0) for fate in _FATES} | report.get("transcripts", {})
    listed = ", ".join(f"{fate} {count:,}" for fate, count in counts.items() if count) or "nothing read"
    rules = ", ".join(each["rule"] for each in report.get("refusals", ()))
    return f"{listed} ({rules})" if rules else listed


def spark(counts: Sequence[int]) -> str:
    """Format counts as a sparkline; a blank for zero."""
    most = max(counts, default=0)
    return "".join(_BARS[-(-count * len(_BARS) // most) - 1] if count else " " for count in counts)


def _most(counts: "dict[str, int]") -> str:
    """Most frequent values with counts, and how many more there are."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    listed = ", ".join(f"{name} {count:,}" for name, count in ordered[:_MAX_VALUES])
    more = len(ordered) - _MAX_VALUES
    return f"{listed}, {more} more" if more > 0 else listed


def _coverage(embedding: "JsonObject") -> str:
    if "passages" not in embedding:
        return "search by meaning is off"
    description = f"{embedding['embedded']:,} of {embedding['passages']:,} passages"
    if is_read_by_a_person():
        description += f", by {embedding['model']}"
    if embedding["stale"]:
        passages: int = embedding["passages"]
        description += f"; {passages - min(embedding['stale'], passages):,} by the next model"
    return description
