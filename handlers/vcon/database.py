"""Database tools: describe the schema, report usage statistics, and explain queries."""

import asyncio
from datetime import UTC, datetime
from typing import cast

from pydantic import MISSING

from vcontract.generated.errors import NotFound, PermissionDenied, ValidationError
from vcontract.generated.models import vcon as models
from vcontract.generated.results import vcon as results
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.inspect.query_analysis import analyze_query
from vcontract.runtime.store.inspect.query_check import QueryRejected
from vcontract.runtime.store.inspect.shape import ShapeParts, database_shape
from vcontract.runtime.store.inspect.statistics import StatisticsParts, database_statistics, table_names
from vcontract.runtime.vcon.times import format_time


class DatabaseTools(Tools):
    """get_database_shape, get_database_stats and analyze_query."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._analyzing = asyncio.Lock()

    def _may_see_all(self, ctx: ToolContext) -> bool:
        """Whether the caller may see sizes and statistics, which count the rows of everybody."""
        return ctx.caller.local and not self._database.purposes

    async def get_database_shape(
        self, params: models.GetDatabaseShapeParams, ctx: ToolContext, /
    ) -> results.GetDatabaseShapeResult:
        parts = ShapeParts(
            counts=params.include_counts,
            sizes=params.include_sizes,
            indexes=params.include_indexes,
            columns=params.include_columns,
            internal=params.include_internal,
        )
        async with self._database.reading(ctx.tenant) as connection:
            shape = await database_shape(connection, parts, whole_store=self._may_see_all(ctx))
        tables: list[results.GetDatabaseShapeResultDatabaseShapeTablesEntry] = shape["tables"]
        relationships: list[results.GetDatabaseShapeResultDatabaseShapeRelationshipsEntry]
        relationships = shape["relationships"]
        return {
            "success": True,
            "database_shape": {
                "timestamp": format_time(datetime.now(UTC)),
                "tables": tables,
                "relationships": relationships,
            },
        }

    async def get_database_stats(
        self, params: models.GetDatabaseStatsParams, ctx: ToolContext, /
    ) -> results.GetDatabaseStatsResult:
        if not ctx.caller.local:
            raise PermissionDenied(
                "The statistics are of all tenants together: only the local user of this server sees them.",
                details={"reason": "local_only"},
            )
        if not self._may_see_all(ctx):
            raise PermissionDenied(
                "The statistics count what consent withholds, too: nobody with a purpose gets them.",
                details={"reason": "counts_withheld"},
            )
        table = None if params.table_name is MISSING else params.table_name
        parts = StatisticsParts(
            queries=params.include_query_stats,
            indexes=params.include_index_usage,
            cache=params.include_cache_stats,
            table=table,
        )
        async with self._database.reading(ctx.tenant) as connection:
            known = await table_names(connection)
            if table is not None and table not in known:
                raise _unknown_table(table, known)
            statistics = await database_statistics(connection, parts)
        # counters of PostgreSQL are passed through
        stats = {"timestamp": format_time(datetime.now(UTC)), **statistics}
        return {
            "success": True,
            "database_stats": cast("results.GetDatabaseStatsResultDatabaseStats", stats),
        }

    async def analyze_query(
        self, params: models.AnalyzeQueryParams, ctx: ToolContext, /
    ) -> results.AnalyzeQueryResult:
        try:
            # one at a time, because resource limits apply to each query
            async with self._analyzing:
                found = await analyze_query(
                    self._database,
                    ctx.tenant,
                    params.query,
                    params.analyze_mode,
                    whole_store=self._may_see_all(ctx),
                )
        except QueryRejected as refused:
            raise _query_refused(refused) from None
        analysis: results.AnalyzeQueryResultQueryAnalysis = {
            "mode": params.analyze_mode,
            "plan": found.plan,
            "total_cost": float(found.plan["Total Cost"]),
            "plan_rows": float(found.plan["Plan Rows"]),
            "notes": found.notes,
        }
        if found.planning_ms is not None:
            analysis["planning_time_ms"] = float(found.planning_ms)
        if found.execution_ms is not None:
            analysis["execution_time_ms"] = float(found.execution_ms)
        if found.actual_rows is not None:
            analysis["actual_rows"] = float(found.actual_rows)
        in_place = in_order(results.AnalyzeQueryResultQueryAnalysis, analysis)
        return {"success": True, "query_analysis": in_place}


def _query_refused(refused: QueryRejected) -> ValidationError:
    details: JsonObject = {"parameter": "query", "reason": refused.reason}
    if refused.name is not None:
        details["name"] = refused.name
    if refused.position is not None:
        details["position"] = refused.position
    if refused.nearest:
        details["nearest"] = [*refused.nearest]
    return ValidationError(refused.message, details=details)


def _unknown_table(name: str, known: list[str]) -> NotFound:
    return NotFound(
        f'There is no table "{name}" here; there are {", ".join(known)}.',
        details={"table_name": name, "known": known},
    )
