"""What the tools for vCons do alike: refusals in its envelope, warnings, changes, the audit."""

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
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.times import format_time, read_time

_MAX_VIOLATIONS = 100
_MAX_WARNINGS = 100


async def load(vcons: VconStore, connection: Connection, ctx: ToolContext, uuid: UUID) -> StoredVcon:
    """A vCon that is known to be stored."""
    (stored,) = await vcons.load(connection, ctx.tenant, [uuid])
    return stored


async def prepare_change(
    preparer: Preparer,
    document: JsonObject,
    before: StoredVcon,
    moment: datetime,
    read_before: ReadBefore | None = None,
) -> PreparedVcon:
    """A changed vCon, ready to take the place of what it was; metadata, tags and created_at stay.

    `read_before` is for one that only gets turns.

    Raises: VconRefused.
    """
    # with another version or other extensions the schema asks other things of the elements that were there
    asks_the_same = all(document.get(name) == before.head.get(name) for name in ("vcon", "extensions"))
    added = added_elements(before.arrays, document) if before.conformance["valid"] and asks_the_same else None
    prepared = await preparer.prepare(
        document, now=moment, metadata=before.metadata, tags=before.tags, added=added, read_before=read_before
    )
    return replace(prepared, created_at=before.created_at)


async def create_fresh(
    vcons: VconStore, connection: Connection, ctx: ToolContext, make: Callable[[], Awaitable[PreparedVcon]]
) -> PreparedVcon:
    """Store what `make` makes under a uuid of its own, and give it.

    Of a uuid of version 8 few bits may be random: where it is taken, another one is made.
    """
    while True:
        prepared = await make()
        if await vcons.create(connection, ctx.tenant, prepared) is None:
            return prepared


def read_uuid(text: str, parameter: str = "uuid") -> UUID:
    uuid = parse_uuid(text)
    if uuid is None:
        raise ValidationError(
            f'{parameter} "{text[:60]}" is not a uuid (five groups of hex digits, 8-4-4-4-12).',
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
    """Raises: Conflict, when what is done inside meets a legal hold."""
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
    """Put `prepared` in the place of the locked vCon; see `VconStore.revise`. Raises: Conflict."""
    with rejecting_held_vcons():
        await vcons.revise(connection, ctx.tenant, prepared, before)


def violations_error(
    violations: Sequence[Violation], root: str, suggestions: Iterable[str] = (), count: int | None = None
) -> ValidationError:
    """VALIDATION_ERROR with every violation; their paths, from the vCon's root, are put below `root`.

    `count` is how many there are, when these are only the first.
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
    """Raises: Conflict when the vCon was changed since `expected_updated_at`; ValidationError."""
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
    """The conformance of a vCon, stored or new, as an answer has it."""
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
    """Lengths of the four arrays as `get_vcon` gives them: tags that have no carrier get one."""
    appended = bool(prepared.tags) and prepared.tag_carriers == "none"
    return {
        "parties": len(prepared.elements("parties")),
        "dialog": len(prepared.elements("dialog")),
        "analysis": len(prepared.elements("analysis")),
        "attachments": len(prepared.elements("attachments")) + appended,
    }


def moment_of_change(before: StoredVcon) -> datetime:
    """Now, and in any case later than the change before."""
    return max(datetime.now(UTC), before.updated_at + timedelta(microseconds=1))


def warnings_of(notices: Iterable[Notice]) -> list[WarningsEntry]:
    """The warnings of an answer; of those beyond the first 100 only how many there are of each kind."""
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
