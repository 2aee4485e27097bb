"""status: counts of records, pending work, and errors."""

from collections.abc import Iterator

from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import (
    BridgeStatusResult,
    BridgeStatusResultEmbeddings,
    BridgeStatusResultLlm,
    BridgeStatusResultRecentActivity,
)
from vcontract.handlers.bridge.answers import Notices, format_message
from vcontract.handlers.bridge.records import is_served, tool_name
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import counted
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.store.bridge import status as bridge_status
from vcontract.runtime.store.bridge.status import BridgeStatus
from vcontract.runtime.vcon.times import format_time


class StatusTools(BridgeTools):
    """The tool `status`."""

    async def status(
        self, _params: models.BridgeStatusParams, ctx: ToolContext, /
    ) -> Document[BridgeStatusResult]:
        async with self._records.reading(ctx) as connection:
            found = await bridge_status.read(connection, ctx.tenant, self._records.now())
        notices = Notices()
        if is_served(ctx, "search"):
            for code, message in _searches(found, tool_name(ctx, "search")):
                notices.hint(code, message)
        facts: BridgeStatusResult = {
            "success": True,
            "counts": {
                "sources": found.sources,
                "reflections": found.reflections,
                "moments": found.moments,
                "scenes": found.scenes,
            },
            "unframedSources": found.unframed,
            "unwovenMoments": found.unwoven,
            "unreviewed": {"moments": found.unreviewed_moments, "scenes": found.unreviewed_scenes},
            "superseded": {"moments": found.superseded_moments, "scenes": found.superseded_scenes},
            "processingErrors": [
                {
                    "type": each.kind,
                    "count": each.count,
                    "lastCode": each.last_code,
                    "lastReason": each.last_reason,
                    "lastOccurrence": format_time(each.last_occurrence),
                }
                for each in found.errors
            ],
            "recentActivity": _activity(found),
            "embeddings": _embeddings(found),
            "llm": _model(self._llm),
            "warnings": notices.warnings,
            "hints": notices.hints,
        }
        return Document(facts, format_message("Status", _lines(facts), notices))


def _activity(found: BridgeStatus) -> BridgeStatusResultRecentActivity:
    activity: BridgeStatusResultRecentActivity = {
        "hours": bridge_status.RECENT_HOURS,
        "captured": found.captured,
        "framed": found.framed,
        "woven": found.woven,
        "enriched": found.enriched,
        "released": found.released,
    }
    if found.last is not None:
        activity["last"] = format_time(found.last)
    return activity


def _embeddings(found: BridgeStatus) -> BridgeStatusResultEmbeddings:
    embeddings: BridgeStatusResultEmbeddings = {
        "passages": found.passages,
        "embedded": found.embedded,
        "coverage": round(found.embedded / found.passages, 4) if found.passages else 1.0,
    }
    if found.model is not None:
        embeddings["model"] = found.model
    if found.oldest_pending_seconds is not None:
        embeddings["oldestPendingSeconds"] = max(found.oldest_pending_seconds, 0)
    return embeddings


def _model(llm: LlmSettings) -> BridgeStatusResultLlm:
    model: BridgeStatusResultLlm = {"configured": llm.configured, "missing": list(llm.missing)}
    if llm.model:
        model["model"] = llm.model
    return model


def _lines(facts: BridgeStatusResult) -> Iterator[str]:
    counts, unreviewed, superseded = facts["counts"], facts["unreviewed"], facts["superseded"]
    yield f"Sources: {counts['sources']} ({counts['reflections']} reflect on others)"
    yield f"Moments: {counts['moments']}"
    yield f"Scenes: {counts['scenes']}"
    yield f"Unframed sources: {facts['unframedSources']}"
    yield f"Unwoven moments: {facts['unwovenMoments']}"
    yield f"Unreviewed: {counted(unreviewed['moments'], 'moment')}, {counted(unreviewed['scenes'], 'scene')}"
    yield f"Superseded: {counted(superseded['moments'], 'moment')}, {counted(superseded['scenes'], 'scene')}"
    for error in facts["processingErrors"]:
        yield (
            f"Processing errors, {error['type']}: {error['count']}, last {error['lastCode']}"
            f" ({error['lastReason']}) at {error['lastOccurrence']}"
        )
    activity, embeddings, llm = facts["recentActivity"], facts["embeddings"], facts["llm"]
    yield (
        f"Last {activity['hours']} hours: {activity['captured']} captured, {activity['framed']} framed,"
        f" {activity['woven']} woven, {activity['enriched']} enriched, {activity['released']} released"
    )
    if "last" in activity:
        yield f"Last change: {activity['last']}"
    yield f"Embedded: {embeddings['embedded']} of {counted(embeddings['passages'], 'passage')}"
    if llm["configured"]:
        yield f"Language model: {llm.get('model', '')}"
    else:
        yield f"Language model: none; not set: {', '.join(llm['missing'])}"


def _searches(found: BridgeStatus, search: str) -> Iterator[tuple[str, str]]:
    """For each nonzero count, the search that lists what it counts."""
    if found.unframed:
        yield (
            "unframed",
            f"{search} {{framed: false}} lists the {counted(found.unframed, 'unframed source')}.",
        )
    for type_, number in (("moment", found.unreviewed_moments), ("scene", found.unreviewed_scenes)):
        if number:
            yield (
                "unreviewed",
                f'{search} {{reviewed: false, type: ["{type_}"]}} lists the'
                f" {counted(number, f'unreviewed {type_}')}.",
            )
    if found.unwoven:
        yield (
            "unwoven",
            f'{search} {{type: ["moment"], groupBy: "hierarchy"}} shows unwoven moments as roots.',
        )
