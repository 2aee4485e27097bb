"""`vcontract audit`: show who did what; and record what commands do."""

import getpass
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from vcontract.runtime.cli.console import counted, note, print_json, print_table, written_time
from vcontract.runtime.cli.failures import CommandFailed, ExitCode
from vcontract.runtime.cli.invocation import AsJson, check_tenant_option, settings_of
from vcontract.runtime.cli.open_store import of_each_store, run
from vcontract.runtime.cli.transcripts import moment_of

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.database import Connection
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection
    from vcontract.runtime.store.vcons.audit import AuditEntry

_MAX_RETENTION_DAYS: Final = 36_500


def audit(
    context: typer.Context,
    tenant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only events of this tenant.",
            callback=check_tenant_option,
            show_default=False,
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Only events on or after this date.", show_default=False),
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only events of this tool or command.", show_default=False),
    ] = None,
    outcome: Annotated[
        Literal["done", "refused"] | None,
        typer.Option(help="Only events with this outcome.", show_default=False),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of events; the newest are shown.", min=1)
    ] = 100,
    keep_days: Annotated[
        int | None,
        typer.Option(
            metavar="DAYS",
            help="Set how many days events are kept, and exit.",
            min=1,
            max=_MAX_RETENTION_DAYS,
            show_default=False,
        ),
    ] = None,
    lifecycle: Annotated[
        bool,
        typer.Option(
            "--lifecycle",
            help="Print the lifecycle of vCons for a ledger, one JSON event per line.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show who did what, and what was refused.

    Oldest first. Events contain names and counts, never what was said.
    """
    settings = settings_of(context)
    if keep_days is not None:
        if tenant or since or tool or outcome:
            raise CommandFailed(
                "--keep-days cannot be combined with other options",
                cure="omit the others",
                code=ExitCode.USAGE,
            )
        for failure in run(_keep(settings, keep_days)):
            raise failure
        note(f"Audit events are kept for {counted(keep_days, 'day')}.")
        return
    moment = moment_of(since)
    found, away = run(_lines(settings, tenant, moment, tool, outcome, limit))
    if lifecycle:
        for event in filter(None, map(_event, found)):
            typer.echo(json.dumps(event, ensure_ascii=False))
    elif as_json:
        print_json({"lines": [_document(line) for line in found]})
    elif not found:
        note("No matching events.")
    else:
        print_table([("TIME", "TENANT", "WHO", "WHAT", "OUTCOME", "ABOUT"), *map(_row, found)], indent="")
    for failure in away:
        raise failure


async def record_command(
    connection: "Connection | OwnerConnection",
    tenant: str,
    action: str,
    detail: "JsonObject | None" = None,
) -> None:
    """Record a command's action for the current user; `detail` holds names and counts."""
    from vcontract.runtime.store.vcons import audit

    await audit.record(
        connection,
        tenant,
        caller=command_caller(),
        action=action,
        now=datetime.now(UTC),
        detail=detail,
    )


def command_caller() -> str:
    """User of the command, as named in the audit."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container's user ID may have no name
        user = str(os.getuid())
    return f"command:{user}"


async def _lines(
    settings: "Settings",
    tenant: str | None,
    since: datetime | None,
    action: str | None,
    outcome: Literal["done", "refused"] | None,
    most: int,
) -> "tuple[Sequence[AuditEntry], Sequence[CommandFailed]]":
    """Newest entries of all stores, and why some are unavailable."""
    from vcontract.runtime.store.vcons import audit

    async def read(connection: "OwnerConnection") -> "Sequence[AuditEntry]":
        return await audit.lines(
            connection, tenant=tenant, since=since, action=action, outcome=outcome, most=most
        )

    found, away = await of_each_store(settings, read)
    return sorted(chain(*found.values()), key=lambda line: line.at)[-most:], away


async def _keep(settings: "Settings", days: int) -> "Sequence[CommandFailed]":
    from vcontract.runtime.store.vcons import audit

    async def keep(connection: "OwnerConnection") -> None:
        async with connection.transaction():
            await audit.keep(connection, days)
            await record_command(connection, audit.WHOLE_STORE, "audit keep", {"days": days})

    _, away = await of_each_store(settings, keep)
    return away


_CREATED: Final = frozenset({"create_vcon", "create_vcon_from_template", "amend_vcon", "redact_vcon"})
_DELETED: Final = frozenset({"delete_vcon", "forget_transcript", "retention"})
_TAGS: Final = frozenset({"add_tag", "remove_tag", "remove_all_tags", "update_tags"})
"""Tags are stored separately from the vCon."""


def _event(line: "AuditEntry") -> "JsonObject | None":
    """Convert an entry to an event of draft-howe-vcon-lifecycle; None if it is not about a vCon."""
    if line.vcon is None or line.outcome != "done" or line.action in _TAGS:
        return None
    if line.action in _CREATED:
        event = "vcon_created"
    elif line.action in _DELETED:
        event = "vcon_deleted"
    elif line.action.startswith(("add_", "update_", "remove_", "sign_")):
        event = "vcon_enhanced"
    else:
        return None
    document = _document(line)
    named = {name: document[name] for name in ("vcon", "at", "tenant", "who", "what")}
    made_of = line.detail.get("amends") or line.detail.get("redacted_from")
    return {"event": event, **named, **({"made_of": made_of} if made_of else {})}


def _document(line: "AuditEntry") -> "JsonObject":
    return {
        "at": written_time(line.at),
        "tenant": line.tenant or None,
        "who": line.caller,
        "what": line.action,
        "outcome": line.outcome,
        "vcon": None if line.vcon is None else str(line.vcon),
        "detail": line.detail,
    }


def _row(line: "AuditEntry") -> tuple[str, ...]:
    about = [] if line.vcon is None else [str(line.vcon)]
    about += [f"{name}={_shown(value)}" for name, value in line.detail.items() if value is not None]
    moment = f"{line.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return moment, line.tenant or "-", line.caller, line.action, line.outcome, " ".join(about)


def _shown(value: "JsonValue") -> str:
    from vcontract.runtime.frame.documents.json import dump_json
    from vcontract.runtime.frame.documents.json_values import is_array

    if is_array(value):
        return ",".join(map(_shown, value))
    return value if isinstance(value, str) else dump_json(value).decode()
