"""`vcontract token …`: create, list and revoke tokens for the HTTP server."""

import re
from collections.abc import Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import note, print_json, print_table, written_time
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, reporting
from vcontract.runtime.cli.invocation import DEFAULT_TENANT, AsJson, Tenant, settings_of
from vcontract.runtime.cli.open_store import open_as_owner, open_store, run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection
    from vcontract.runtime.store.postgres.tokens import Token

token = typer.Typer(name="token", help="Manage access tokens for the HTTP server.", no_args_is_help=True)

_SCOPES: Final[tuple[str, ...]] = ("read", "write", "admin")
_TIME = re.compile(r"(\d{1,6})(h|d)")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1)}
_MAX_NAME_LENGTH: Final = 100


@token.command()
@reporting
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the token in lists and logs.")],
    tenant: Tenant = DEFAULT_TENANT,
    scopes: Annotated[
        str, typer.Option(metavar="SCOPE,SCOPE", help="Scopes to grant: read, write, admin.")
    ] = "read",
    purpose: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME", help="Withhold conversations if a party denies any of these purposes."
        ),
    ] = "",
    expires: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Lifetime, as in 12h or 90d (default: unlimited).", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a token and print it.

    It is shown only once; the store keeps a digest.
    """
    made = run(create_token(settings_of(context), name, tenant, scopes, purpose, expires))
    if as_json:
        print_json(made)
        return
    note("Save this token: it is not shown again.")
    typer.echo(made["token"])


@token.command("list")
@reporting
def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """List tokens, newest first, without the secrets."""
    found = run(tokens_of(settings_of(context)))
    if as_json:
        print_json({"tokens": [token_document(each) for each in found]})
    elif not found:
        typer.echo("No tokens. Create one with `vcontract token create NAME`.")
    else:
        heads = ("ID", "NAME", "TENANT", "SCOPES", "PURPOSES", "STATE", "LAST USED")
        print_table([heads, *map(_row, found)], indent="")


@token.command()
@reporting
def revoke(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name or ID of the token.")],
) -> None:
    """Revoke a token.

    Running servers reject it within five seconds. Exits with 1 if no active token has this name.
    """
    if not run(revoke_token(settings_of(context), name)):
        raise CommandFailed(f"no active token is named {name!r}", cure="`vcontract token list` lists them")
    typer.echo(f"Revoked {name}.")


def _scopes(text: str) -> list[str]:
    named = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(named.difference(_SCOPES))
    if unknown or not named:
        what = f"unknown scope {unknown[0]!r}" if unknown else "a token needs a scope"
        raise CommandFailed(what, cure="choose from read, write and admin", code=ExitCode.USAGE)
    return [scope for scope in _SCOPES if scope in named]


def _purposes(text: str) -> list[str]:
    from vcontract.runtime.settings import is_purpose

    named = sorted({part.strip() for part in text.split(",") if part.strip()})
    if wrong := [name for name in named if not is_purpose(name)]:
        raise CommandFailed(
            f"{wrong[0]!r} cannot name a purpose",
            cure="name it in up to 64 lowercase letters, digits and '_.:-', as in analysis or ai_training",
            code=ExitCode.USAGE,
        )
    return named


def _end(text: str | None) -> datetime | None:
    if text is None:
        return None
    found = _TIME.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise CommandFailed(
            f"{text!r} is not a duration", cure="use hours or days, as in 12h or 90d", code=ExitCode.USAGE
        )
    try:
        return datetime.now(UTC).replace(microsecond=0) + int(found[1]) * _UNITS[found[2]]
    except OverflowError:
        raise CommandFailed(
            f"{text!r} is too long",
            cure="omit --expires for a token that does not expire",
            code=ExitCode.USAGE,
        ) from None


def _row(one: "Token") -> Sequence[str]:
    used = "never" if one.last_used_at is None else f"{one.last_used_at:%Y-%m-%d %H:%M}"
    return one.id, one.name, one.tenant, ",".join(one.scopes), ",".join(one.purposes), _state(one), used


def token_document(one: "Token") -> "JsonObject":
    """A token as `--json` shows it."""
    return {
        "id": one.id,
        "name": one.name,
        "tenant": one.tenant,
        "scopes": [*one.scopes],
        "purposes": [*one.purposes],
        "state": _state(one),
        "created_at": written_time(one.created_at),
        "expires_at": written_time(one.expires_at),
        "last_used_at": written_time(one.last_used_at),
        "revoked_at": written_time(one.revoked_at),
    }


def _state(one: "Token") -> str:
    if one.revoked_at is not None:
        return "revoked"
    if one.expires_at is None:
        return "in use"
    return f"until {one.expires_at:%Y-%m-%d %H:%M}" if one.expires_at > datetime.now(UTC) else "expired"


@asynccontextmanager
async def _as_owner(settings: "Settings") -> "AsyncGenerator[OwnerConnection]":
    """Open the store as its owner, with a current schema."""
    async with open_store(settings), open_as_owner(settings) as connection:
        yield connection


async def create_token(
    settings: "Settings", name: str, tenant: str, scopes: str, purpose: str = "", expires: str | None = None
) -> "JsonObject":
    """Create a token and return it with its data. Raises: CommandFailed."""
    from vcontract.runtime.store.postgres.tokens import NameTaken, make_token

    chosen, purposes, until = _scopes(scopes), _purposes(purpose), _end(expires)
    if not name or len(name) > _MAX_NAME_LENGTH or not name.isprintable() or name != name.strip():
        raise CommandFailed(
            f"a name has 1 to {_MAX_NAME_LENGTH} printable characters, and no space before or after them",
            cause=f"got {name[:_MAX_NAME_LENGTH]!r}",
            cure="choose another",
            code=ExitCode.USAGE,
        )
    async with _as_owner(settings) as connection:
        try:
            async with connection.transaction():
                made = await make_token(connection, name, tenant, chosen, until, purposes)
                entry: JsonObject = {"token": name, "scopes": [*chosen], "expires_at": written_time(until)}
                if purposes:
                    entry["purposes"] = [*purposes]
                await record_command(connection, tenant, "token create", entry)
        except NameTaken as error:
            raise CommandFailed(
                str(error), cure="choose another name, or revoke that token", code=ExitCode.FAILED
            ) from None
    shown: JsonObject = {"name": name, "tenant": tenant, "scopes": [*chosen], "purposes": [*purposes]}
    return {**shown, "expires_at": written_time(until), "token": made}


async def tokens_of(settings: "Settings") -> list["Token"]:
    """Return all tokens, newest first. Raises: CommandFailed."""
    from vcontract.runtime.store.postgres.tokens import all_tokens

    async with _as_owner(settings) as connection:
        return await all_tokens(connection)


async def revoke_token(settings: "Settings", name: str) -> bool:
    """Revoke an active token. Returns whether there was one. Raises: CommandFailed."""
    from vcontract.runtime.store.postgres import tokens as stored

    async with _as_owner(settings) as connection, connection.transaction():
        revoked = await stored.revoke_token(connection, name)
        if revoked is not None:
            await record_command(connection, revoked.tenant, "token revoke", {"token": revoked.name})
        return revoked is not None
