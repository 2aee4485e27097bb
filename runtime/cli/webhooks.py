"""`vcontract webhook …`: add, list and remove webhooks, and retry deliveries."""

import secrets
from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import note, print_json, print_table, say, written_time
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.filter_options import TAG_CURE
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_as_owner, open_store, run, store_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection
    from vcontract.runtime.store.vcons.webhooks import Delivery, Event, Recipient, Webhook

webhook = typer.Typer(
    name="webhook", help="Manage webhooks for changes of conversations.", no_args_is_help=True
)

_ID_BYTES: Final = 6
_EVENTS: Final = ("created", "changed", "deleted")
_LIST: Final = "`vcontract webhook list` lists the webhooks"

_Id = Annotated[str, typer.Argument(metavar="ID", help="ID of the webhook.", show_default=False)]


@webhook.command()
@reporting
def add(
    context: typer.Context,
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Endpoint, beginning with https://.", show_default=False)
    ],
    events: Annotated[
        str, typer.Option(metavar="EVENT,EVENT", help="Events to send: created, changed, deleted.")
    ] = ",".join(_EVENTS),
    tags: Annotated[
        list[str] | None,
        typer.Option(
            "--tag",
            metavar="KEY=VALUE",
            help="Only for conversations with this tag. Repeatable; all must match.",
            show_default=False,
        ),
    ] = None,
    with_vcon: Annotated[
        bool, typer.Option("--with-vcon", help="Send the whole conversation, not only its UUID.")
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Send changes of conversations to an endpoint from now on.

    Prints the ID and the secret that signs the deliveries. The secret is shown only once.
    """
    made = run(add_webhook(settings_of(context), tenant, url, events, tags or (), with_vcon=with_vcon))
    if as_json:
        print_json(made)
        return
    note("Save this secret: it is not shown again.")
    typer.echo(f"{made['id']} {made['secret']}")


@webhook.command("list")
@reporting
def list_(context: typer.Context, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """List webhooks and their deliveries, without the secrets."""
    found = run(webhooks_of(settings_of(context), tenant))
    if as_json:
        print_json({"webhooks": [webhook_document(each) for each in found]})
    elif not found:
        note("No webhooks. Add one with `vcontract webhook add URL`.")
    else:
        titles = ("ID", "URL", "EVENTS", "TAGS", "SENDS", "DELIVERED", "WAITING", "DEAD", "FAILURES")
        print_table([titles, *map(_row, found)], indent="")


@webhook.command()
@reporting
def remove(context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT) -> None:
    """Remove a webhook and its pending deliveries.

    Exits with 1 if the webhook is not found.
    """
    if not run(remove_webhook(settings_of(context), tenant, id_)):
        raise _none(id_)
    say(f"Removed {id_}.")


@webhook.command("test")
@reporting
def send_test(
    context: typer.Context, id_: _Id, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False
) -> None:
    """Send a test event now.

    Exits with 1 if the delivery fails, or the webhook is not found.
    """
    failure = run(_test(settings_of(context), tenant, id_))
    if as_json:
        print_json({"id": id_, "taken": failure is None, "failure": failure})
    elif failure is None:
        say("Delivered.")
    else:
        raise CommandFailed("the delivery failed", cause=failure, cure="check the endpoint, then try again")
    if failure is not None:
        raise typer.Exit(ExitCode.FAILED)


@webhook.command()
@reporting
def deliveries(
    context: typer.Context,
    id_: _Id,
    dead: Annotated[bool, typer.Option("--dead", help="Only deliveries that are no longer retried.")] = False,
    limit: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of deliveries; the oldest are shown.", min=1)
    ] = 100,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """List pending and dead deliveries of a webhook, oldest first.

    Exits with 1 if the webhook is not found.
    """
    found = run(_deliveries(settings_of(context), tenant, id_, limit, dead_only=dead))
    if as_json:
        print_json({"deliveries": [_delivery(each) for each in found]})
    elif not found:
        note("Nothing is pending.")
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
    """Retry pending and dead deliveries of a webhook now.

    A running server sends them. Exits with 1 if the webhook is not found.
    """
    count = run(_retry(settings_of(context), tenant, id_))
    if as_json:
        print_json({"id": id_, "tried_again": count})
    else:
        what = "1 delivery" if count == 1 else f"{count:,} deliveries"
        say(f"Retrying {what}.")


def _events(text: str) -> "list[Event]":
    named = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(named.difference(_EVENTS))
    if unknown or not named:
        what = f"unknown event {unknown[0]!r}" if unknown else "a webhook needs an event"
        raise CommandFailed(what, cure="choose from created, changed and deleted", code=ExitCode.USAGE)
    from vcontract.runtime.store.vcons.webhooks import EVENTS

    return [event for event in EVENTS if event.removeprefix("vcon.") in named]


def _none(id_: str) -> CommandFailed:
    return CommandFailed(f"webhook {id_!r} not found", cure=_LIST)


def webhook_document(one: "Webhook") -> "JsonObject":
    """A webhook as `--json` shows it."""
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
async def _as_owner(settings: "Settings", tenant: str) -> "AsyncGenerator[OwnerConnection]":
    """Open the tenant's store as its owner, with a current schema, in one transaction."""
    settings = await store_of(settings, tenant)
    async with open_store(settings), open_as_owner(settings) as connection, connection.transaction():
        yield connection


async def add_webhook(
    settings: "Settings", tenant: str, url: str, events: str, tags: Sequence[str], *, with_vcon: bool = False
) -> "JsonObject":
    """Add a webhook and return it with its secret. Raises: CommandFailed."""
    from vcontract.runtime.store.vcons import webhooks as stored
    from vcontract.runtime.vcon.filters import BadTag, tag_pair
    from vcontract.runtime.vcon.trust.sending import NotSent, Sender
    from vcontract.runtime.vcon.trust.webhooks import format_secret, new_secret

    chosen = _events(events)
    try:
        Sender(settings.webhook_hosts).check(url)
        wanted = dict(map(tag_pair, tags))
    except NotSent as error:
        raise CommandFailed(f"{url!r} cannot be used", cause=str(error), code=ExitCode.USAGE) from None
    except BadTag as error:
        raise CommandFailed(str(error), cure=TAG_CURE, code=ExitCode.USAGE) from None
    made = stored.Recipient(tenant, secrets.token_hex(_ID_BYTES), url, new_secret(), with_vcon)
    async with _as_owner(settings, tenant) as connection:
        try:
            await stored.add_webhook(connection, made, chosen, wanted)
        except stored.TooMany as error:
            raise CommandFailed(str(error), cure="remove one first") from None
        entry = {"webhook": made.id, "url": url, "events": [*chosen], "vcon": with_vcon}
        await record_command(connection, tenant, "webhook add", entry)
    return {
        "id": made.id,
        "url": url,
        "events": [*chosen],
        "tags": {**wanted},
        "vcon": with_vcon,
        "secret": format_secret(made.secret),
    }


async def webhooks_of(settings: "Settings", tenant: str) -> "list[Webhook]":
    """Return a tenant's webhooks, oldest first. Raises: CommandFailed."""
    from vcontract.runtime.store.vcons.webhooks import all_webhooks

    async with _as_owner(settings, tenant) as connection:
        return await all_webhooks(connection, tenant)


async def remove_webhook(settings: "Settings", tenant: str, id_: str) -> bool:
    """Remove a webhook. Returns whether it existed. Raises: CommandFailed."""
    from vcontract.runtime.store.vcons import webhooks as stored

    async with _as_owner(settings, tenant) as connection:
        removed = await stored.remove_webhook(connection, tenant, id_)
        if removed:
            await record_command(connection, tenant, "webhook remove", {"webhook": id_})
        return removed


async def _test(settings: "Settings", tenant: str, id_: str) -> str | None:
    """Send a test event. Returns why it failed, or None."""
    from uuid import uuid4

    from vcontract.runtime.store.inspect.deliveries import send

    async with _as_owner(settings, tenant) as connection:
        to = await _recipient(connection, tenant, id_)
    message: JsonObject = {"type": "vcon.test", "timestamp": written_time(datetime.now(UTC)), "data": {}}
    return await send(to, str(uuid4()), message, settings.webhook_hosts)


async def _deliveries(
    settings: "Settings", tenant: str, id_: str, most: int, *, dead_only: bool
) -> "list[Delivery]":
    from vcontract.runtime.store.vcons.webhooks import deliveries as found

    async with _as_owner(settings, tenant) as connection:
        await _recipient(connection, tenant, id_)
        return await found(connection, tenant, id_, dead_only=dead_only, most=most)


async def _retry(settings: "Settings", tenant: str, id_: str) -> int:
    from vcontract.runtime.store.vcons.webhooks import retry as try_again

    async with _as_owner(settings, tenant) as connection:
        await _recipient(connection, tenant, id_)
        count = await try_again(connection, tenant, id_)
        await record_command(connection, tenant, "webhook retry", {"webhook": id_, "deliveries": count})
        return count


async def _recipient(connection: "OwnerConnection", tenant: str, id_: str) -> "Recipient":
    """Return the webhook. Raises: CommandFailed."""
    from vcontract.runtime.store.vcons.webhooks import recipient

    to = await recipient(connection, tenant, id_)
    if to is None:
        raise _none(id_)
    return to
