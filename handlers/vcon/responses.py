"""Common steps of the vCon tools: load, prepare changes, errors, warnings and audit."""

from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from vcontract.generated.errors import Conflict, NotFound, ValidationError
from vcontract.generated.results.vcon import Conformance, WarningsEntry
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.findings import Notice, Violation
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons import audit
from vcontract.runtime.store.vcons.holds import UnderLegalHold
from vcontract.runtime.store.vcons.preparation import PreparedVcon
from vcontract.runtime.store.vcons.preparer import Preparer
from vcontract.runtime.store.vcons.row_reuse import ReadBefore, added_elements
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.store.vcons.stored_vcon import ArrayCounts, StoredVcon
from vcontract.runtime.store.vcons.tables import ConformanceDocument
from vcontract.runtime.vcon.identity import not_an_id, parse_uuid
from vcontract.runtime.vcon.times import format_time, read_time

_MAX_VIOLATIONS = 100
_MAX_WARNINGS = 100


async def load(vcons: VconStore, connection: Connection, ctx: ToolContext, uuid: UUID) -> StoredVcon:
    """Load a vCon that is known to exist."""
    (stored,) = await vcons.load(connection, ctx.tenant, [uuid])
    return stored


async def prepare_change(
    preparer: Preparer,
    document: JsonObject,
    before: StoredVcon,
    moment: datetime,
    read_before: ReadBefore | None = None,
) -> PreparedVcon:
    """Prepare a changed vCon to replace the previous one, with the same metadata, tags and created_at.

    `read_before` is for a vCon that only gains turns.

    Raises: VconRefused.
    """
    # another version or other extensions change the schema of existing elements
    asks_the_same = all(document.get(name) == before.head.get(name) for name in ("vcon", "extensions"))
    added = added_elements(before.arrays, document) if before.conformance["valid"] and asks_the_same else None
    prepared = await preparer.prepare(
        document, now=moment, metadata=before.metadata, tags=before.tags, added=added, read_before=read_before
    )
    return replace(prepared, created_at=before.created_at)


async def create_fresh(
    vcons: VconStore, connection: Connection, ctx: ToolContext, make: Callable[[], Awaitable[PreparedVcon]]
) -> PreparedVcon:
    """Store what `make` returns, under a new uuid.

    Version 8 uuids may have few random bits, so a taken one is replaced.
    """
    while True:
        prepared = await make()
        if await vcons.create(connection, ctx.tenant, prepared) is None:
            return prepared


def read_uuid(text: str, parameter: str = "uuid") -> UUID:
    uuid = parse_uuid(text)
    if uuid is None:
        raise ValidationError(
            not_an_id(parameter, text),
            details={"parameter": parameter, "reason": "malformed_uuid", "value": text[:60]},
        )
    return uuid


def not_found(uuid: UUID) -> NotFound:
    return NotFound(f"There is no vCon {uuid} here.", details={"uuid": str(uuid)})


def signed(uuid: UUID) -> Conflict:
    return Conflict(
        "This vCon was stored from a signed form and cannot change.",
        details={"reason": "signed", "uuid": str(uuid)},
        suggestions=["Create a new vCon whose amended.uuid names this one."],
    )


@contextmanager
def rejecting_held_vcons() -> Generator[None]:
    """Convert a legal hold to an error. Raises: Conflict."""
    try:
        yield
    except UnderLegalHold as error:
        hold = error.hold
        raise Conflict(
            f"This vCon is under legal hold since {format_time(hold.held_at)} and stays as it is.",
            details={"reason": "held", "uuid": str(hold.vcon), "held_for": hold.reason},
            suggestions=["Once the matter is closed, release_hold lets it change and go."],
        ) from None


async def revise(
    vcons: VconStore,
    connection: Connection,
    ctx: ToolContext,
    prepared: PreparedVcon,
    before: StoredVcon | None = None,
) -> None:
    """Replace the locked vCon by `prepared`; see `VconStore.revise`. Raises: Conflict."""
    with rejecting_held_vcons():
        await vcons.revise(connection, ctx.tenant, prepared, before)


def violations_error(
    violations: Sequence[Violation], root: str, suggestions: Iterable[str] = (), count: int | None = None
) -> ValidationError:
    """Build VALIDATION_ERROR with every violation; paths are moved below `root`.

    `count` is the total, if these are only the first.
    """
    count = len(violations) if count is None else count
    listed = [
        {
            "path": root + violation.path.removeprefix("$"),
            "rule": violation.rule,
            "message": violation.message,
        }
        for violation in violations[:_MAX_VIOLATIONS]
    ]
    details: JsonObject = {"reason": violations[0].rule, "violations": listed}
    if count > len(listed):
        details["violation_count"] = count
    first = listed[0]
    faults = "one fault," if count == 1 else f"{count} faults; the first is"
    return ValidationError(
        f"The vCon has {faults} at {first['path']}: {first['message']}",
        details=details,
        suggestions=list(suggestions),
    )


def check_unchanged(given: str, before: StoredVcon) -> None:
    """Check `expected_updated_at`. Raises: Conflict if the vCon has changed; ValidationError."""
    expected = read_time(given)
    if expected is None:
        raise ValidationError(
            f'expected_updated_at "{given[:60]}" is not a date of RFC 3339.',
            details={
                "parameter": "expected_updated_at",
                "reason": "bad_date",
                "value": given[:60],
            },
        )
    if expected != before.updated_at:
        raise Conflict(
            "The vCon was changed since expected_updated_at; nothing was changed now.",
            details={
                "reason": "stale",
                "expected": format_time(expected),
                "actual": format_time(before.updated_at),
            },
            suggestions=["Read the vCon again, and repeat the change with its metadata.updated_at."],
        )


def conformance_of(document: ConformanceDocument) -> Conformance:
    """Conformance of a vCon in the form of responses."""
    conformance: Conformance = {
        "version": document["version"],
        "valid": document["valid"],
        "violations": [
            {"path": each["path"], "rule": each["rule"], "message": each["message"]}
            for each in document["violations"]
        ],
        "violation_count": document["violation_count"],
    }
    if "unsupported_critical" in document:
        conformance["unsupported_critical"] = document["unsupported_critical"]
    return conformance


def counts_of(prepared: PreparedVcon) -> ArrayCounts:
    """Lengths of the four arrays as in `get_vcon`, including an attachment for tags without a carrier."""
    appended = bool(prepared.tags) and prepared.tag_carriers == "none"
    return {
        "parties": len(prepared.elements("parties")),
        "dialog": len(prepared.elements("dialog")),
        "analysis": len(prepared.elements("analysis")),
        "attachments": len(prepared.elements("attachments")) + appended,
    }


def moment_of_change(before: StoredVcon) -> datetime:
    """The current time, or later if needed to follow the previous change."""
    return max(datetime.now(UTC), before.updated_at + timedelta(microseconds=1))


def warnings_of(notices: Iterable[Notice]) -> list[WarningsEntry]:
    """Warnings of a result; beyond the first 100 only the number of each kind."""
    listed = list(notices)
    further = Counter(notice.code for notice in listed[_MAX_WARNINGS:])
    if further:
        kinds = ", ".join(f"{count} {code}" for code, count in further.items())
        listed[_MAX_WARNINGS:] = [Notice("more_warnings", f"Further warnings, not listed: {kinds}.", None)]
    return [_warning(notice) for notice in listed]


def _warning(notice: Notice) -> WarningsEntry:
    if notice.path:
        return {"code": notice.code, "path": notice.path, "message": notice.message}
    return {"code": notice.code, "message": notice.message}


async def note_change(
    connection: Connection,
    ctx: ToolContext,
    action: str,
    uuid: UUID,
    now: datetime,
    detail: JsonObject | None = None,
) -> None:
    """Record a change in the audit, and have its text embedded before the call ends."""
    await audit.record(
        connection, ctx.tenant, caller=ctx.caller.name, action=action, now=now, vcon=uuid, detail=detail
    )
    if ctx.embedding is not None:
        await ctx.embedding.claim(connection, uuid)
