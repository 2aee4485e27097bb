"""`vcontract webhook …`: who is told of changes of conversations, and what they were not told yet."""

import secrets
from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import note, print_json, print_table, say, written_time
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.searching import TAG_CURE
from vcontract.runtime.cli.stores import open_as_owner, open_store, run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from vcontract.runtime.documents.json import JsonObject
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection
    from vcontract.runtime.store.vcons.webhooks import Delivery, Event, Recipient, Webhook

webhook = typer.Typer(name="webhook", help="Say who is told when conversations change.", no_args_is_help=True)

_ID_BYTES: Final = 6
_EVENTS: Final = ("created", "changed", "deleted")
_LIST: Final = "`vcontract webhook list` shows those that there are"

_Id = Annotated[str, typer.Argument(metavar="ID", help="The webhook's id.", show_default=False)]


@webhook.command()
@reporting
def add(
    context: typer.Context,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Where to; it begins with https://.", show_default=False)
    ],
    events: Annotated[
        str, typer.Option(metavar="EVENT,EVENT", help="Of created, changed and deleted, those to tell.")
    ] = ",".join(_EVENTS),
    tags: Annotated[
        list[str] | None,
        typer.Option(
            "--tag",
            metavar="KEY=VALUE",
            help="Only of those with this tag; of several, all.",
            show_default=False,
        ),
    ] = None,
    with_vcon: Annotated[
        bool, typer.Option("--with-vcon", help="Send the conversation with it, not only its uuid.")
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Tell an address of what happens to conversations from now on.

    Prints the id and the secret that what is sent is signed with; the secret is not shown again.
    """
    from vcontract.runtime.store.vcons.webhooks import Recipient
    from vcontract.runtime.vcon.filters import BadTag, tag_pair
    from vcontract.runtime.vcon.trust.sending import NotSent, Sender
    from vcontract.runtime.vcon.trust.webhooks import new_secret, written_secret

    settings = settings_of(context)
    chosen = _events(events)
    try:
        Sender(settings.webhook_hosts).check(url)
        wanted = dict(map(tag_pair, tags or ()))
    except NotSent as error:
        raise CommandFailed(f"{url!r} cannot be told", cause=str(error), code=ExitCode.USAGE) from None
    except BadTag as error:
        raise CommandFailed(str(error), cure=TAG_CURE, code=ExitCode.USAGE) from None
    made = Recipient(tenant, secrets.token_hex(_ID_BYTES), url, new_secret(), with_vcon)
    run(_add(settings, made, chosen, wanted))
    secret = written_secret(made.secret)
    if as_json:
        print_json(
            {
                "id": made.id,
                "url": url,
                "events": [*chosen],
                "tags": wanted,
                "vcon": with_vcon,
                "secret": secret,
            }
        )
        return
    note("Keep the secret well: it is not shown again.")
    typer.echo(f"{made.id} {secret}")


@webhook.command("list")
@reporting
def list_(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Show who is told of what, and how that goes; not the secrets."""
    found = run(_list(settings_of(context), tenant))
    if as_json:
        print_json({"webhooks": [_document(each) for each in found]})
    elif not found:
        note("Nobody is told yet; `vcontract webhook add URL` adds somebody.")
    else:
        titles = ("ID", "URL", "EVENTS", "TAGS", "SENDS", "TAKEN", "WAITING", "DEAD", "FAILURES")
        print_table([titles, *map(_row, found)], indent="")


@webhook.command()
@reporting
def remove(context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT) -> None:
    """Tell an address nothing more, nor what waits for it. Exit code 1 when there is no such webhook."""
    if not run(_remove(settings_of(context), tenant, id_)):
        raise _none(id_)
    say(f"Removed {id_}.")


@webhook.command("test")
@reporting
def send_test(
    context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False
) -> None:
    """Send `vcon.test` now. Exit code 1 when it is not taken, or there is no such webhook."""
    failure = run(_test(settings_of(context), tenant, id_))
    if as_json:
        print_json({"id": id_, "taken": failure is None, "failure": failure})
    elif failure is None:
        say("It was taken.")
    else:
        raise CommandFailed("it was not taken", cause=failure, cure="see to the address, then try again")
    if failure is not None:
        raise typer.Exit(ExitCode.FAILED)


@webhook.command()
@reporting
def deliveries(
    context: typer.Context,
    id_: _Id,
    dead: Annotated[bool, typer.Option("--dead", help="Only what is not tried any more.")] = False,
    limit: Annotated[int, typer.Option(metavar="N", help="At most so many, the oldest.", min=1)] = 100,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Show what a webhook has not taken yet, the oldest first. Exit code 1 when there is no such webhook."""
    found = run(_deliveries(settings_of(context), tenant, id_, limit, dead_only=dead))
    if as_json:
        print_json({"deliveries": [_delivery(each) for each in found]})
    elif not found:
        note("It has taken everything.")
    else:
        rows = [
            (
                f"{each.at:%Y-%m-%d %H:%M}",
                each.event,
                str(each.vcon),
                str(each.attempts),
                _state(each),
                each.failure or "",
            )
            for each in found
        ]
        print_table([("TIME", "EVENT", "VCON", "TRIED", "STATE", "FAILURE"), *rows], indent="")


@webhook.command()
@reporting
def retry(context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Have a server try at once what waits for a webhook, or is dead. Exit code 1 when there is none."""
    count = run(_retry(settings_of(context), tenant, id_))
    if as_json:
        print_json({"id": id_, "tried_again": count})
    else:
        what = "1 delivery is" if count == 1 else f"{count:,} deliveries are"
        say(f"{what} tried again.")


def _events(text: str) -> "list[Event]":
    named = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(named.difference(_EVENTS))
    if unknown or not named:
        what = f"there is no event {unknown[0]!r}" if unknown else "a webhook needs an event"
        raise CommandFailed(what, cure="choose from created, changed and deleted", code=ExitCode.USAGE)
    from vcontract.runtime.store.vcons.webhooks import EVENTS

    return [event for event in EVENTS if event.removeprefix("vcon.") in named]


def _none(id_: str) -> CommandFailed:
    return CommandFailed(f"there is no webhook {id_!r}", cure=_LIST)


def _document(one: "Webhook") -> "JsonObject":
    return {
        "id": one.id,
        "url": one.url,
        "events": [*one.events],
        "tags": {**one.tags},
        "vcon": one.sends_vcon,
        "created_at": written_time(one.created_at),
        "taken": one.delivered,
        "taken_at": written_time(one.delivered_at),
        "failures": one.failures,
        "waiting": one.waiting,
        "dead": one.dead,
    }


def _row(one: "Webhook") -> Sequence[str]:
    return (
        one.id,
        one.url,
        ",".join(event.removeprefix("vcon.") for event in one.events),
        ",".join(f"{key}={value}" for key, value in one.tags.items()) or "any",
        "vcon" if one.sends_vcon else "uuid",
        *(f"{count:,}" for count in (one.delivered, one.waiting, one.dead, one.failures)),
    )


def _delivery(one: "Delivery") -> "JsonObject":
    return {
        "id": str(one.id),
        "event": one.event,
        "vcon": str(one.vcon),
        "at": written_time(one.at),
        "attempts": one.attempts,
        "due_at": None if one.dead_at else written_time(one.due_at),
        "dead_at": written_time(one.dead_at),
        "failure": one.failure,
    }


def _state(one: "Delivery") -> str:
    return "dead" if one.dead_at else f"due {one.due_at.astimezone(UTC):%Y-%m-%d %H:%M}"


@asynccontextmanager
async def _as_owner(settings: "Settings") -> "AsyncGenerator[OwnerConnection]":
    """The store's owner, in one transaction, once the store is there and up to date."""
    async with open_store(settings), open_as_owner(settings) as connection, connection.transaction():
        yield connection


async def _add(
    settings: "Settings", made: "Recipient", events: "Sequence[Event]", tags: dict[str, str]
) -> None:
    from vcontract.runtime.store.vcons.webhooks import TooMany, add_webhook

    async with _as_owner(settings) as connection:
        try:
            await add_webhook(connection, made, events, tags)
        except TooMany as error:
            raise CommandFailed(str(error), cure="remove one first") from None
        told = {"webhook": made.id, "url": made.url, "events": [*events], "vcon": made.sends_vcon}
        await record_command(connection, made.tenant, "webhook add", told)


async def _list(settings: "Settings", tenant: str) -> "list[Webhook]":
    from vcontract.runtime.store.vcons.webhooks import all_webhooks

    async with _as_owner(settings) as connection:
        return await all_webhooks(connection, tenant)


async def _remove(settings: "Settings", tenant: str, id_: str) -> bool:
    from vcontract.runtime.store.vcons.webhooks import remove_webhook

    async with _as_owner(settings) as connection:
        removed = await remove_webhook(connection, tenant, id_)
        if removed:
            await record_command(connection, tenant, "webhook remove", {"webhook": id_})
        return removed


async def _test(settings: "Settings", tenant: str, id_: str) -> str | None:
    """Why it was not taken."""
    from uuid import uuid4

    from vcontract.runtime.store.inspect.deliveries import send

    async with _as_owner(settings) as connection:
        to = await _recipient(connection, tenant, id_)
    message: JsonObject = {"type": "vcon.test", "timestamp": written_time(datetime.now(UTC)), "data": {}}
    return await send(to, str(uuid4()), message, settings.webhook_hosts)


async def _deliveries(
    settings: "Settings", tenant: str, id_: str, most: int, *, dead_only: bool
) -> "list[Delivery]":
    from vcontract.runtime.store.vcons.webhooks import deliveries as found

    async with _as_owner(settings) as connection:
        await _recipient(connection, tenant, id_)
        return await found(connection, tenant, id_, dead_only=dead_only, most=most)


async def _retry(settings: "Settings", tenant: str, id_: str) -> int:
    from vcontract.runtime.store.vcons.webhooks import retry as try_again

    async with _as_owner(settings) as connection:
        await _recipient(connection, tenant, id_)
        count = await try_again(connection, tenant, id_)
        await record_command(connection, tenant, "webhook retry", {"webhook": id_, "deliveries": count})
        return count


async def _recipient(connection: "OwnerConnection", tenant: str, id_: str) -> "Recipient":
    """Raises: CommandFailed."""
    from vcontract.runtime.store.vcons.webhooks import recipient

    to = await recipient(connection, tenant, id_)
    if to is None:
        raise _none(id_)
    return to
