"""Page of storage use: table sizes, embedding coverage and import results."""

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.tool_client import call_tool, read_resource, visitor_of

_IMPORT_COUNTS = ("read", "created", "replaced", "skipped", "identical", "refused", "conforming")


async def storage_page(request: Request, pages: Pages) -> Response:
    """Show sizes, coverage and imports."""
    capabilities = (await call_tool(request, "vcon_capabilities"))["item"]
    imports = await read_resource(request, "imports")
    return pages.answer(
        request,
        "size.html.jinja",
        embedding=capabilities["embedding"],
        tables=await _tables(request),
        imports=[{"at": each["at"], **_import(each["report"])} for each in imports["imports"]],
        stored=imports["stored"],
        fates=_IMPORT_COUNTS,
    )


async def _tables(request: Request) -> list[JsonObject]:
    """Tables, largest first. Empty if the visitor lacks permission."""
    if not visitor_of(request).may("get_database_shape"):
        return []
    shape = (await call_tool(request, "get_database_shape", include_indexes=False, include_internal=True))[
        "database_shape"
    ]
    tables: list[JsonObject] = shape["tables"]
    return sorted(tables, key=lambda table: (-table.get("total_size_bytes", 0), table["name"]))


def _import(report: JsonObject) -> JsonObject:
    transcripts: JsonObject = report.get("transcripts", {})
    return {
        "counts": {name: report.get(name) for name in _IMPORT_COUNTS},
        "transcripts": ", ".join(f"{name} {count:,}" for name, count in transcripts.items()),
        "refusals": report.get("refusals", []),
        "first_refused": report.get("first_refused", []),
    }
