"""Bearer tokens of the HTTP server: created and revoked by the owner, looked up by the server."""

import contextlib
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.store.postgres.error_mapping import TakesNoWrites, writing_if_possible
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_PREFIX: Final = "vct_"
"""Prefix of every token, so that secret scanners recognize it."""
_SECRET_BYTES: Final = 32
_ID_LENGTH: Final = 12
_BEARERS: Final = (
    "select asked.digest, b.* from unnest($1::bytea[]) asked (digest), vcontract.bearer(asked.digest) b"
)
_COLUMNS: Final = "id, name, tenant, scopes, purposes, created_at, expires_at, last_used_at, revoked_at"


@dataclass(frozen=True, slots=True)
class Token:
    """Facts about a token, without the token itself."""

    id: str
    name: str
    tenant: str
    scopes: Sequence[str]
    purposes: Sequence[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    """To the minute."""
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Bearer:
    """Caller of a valid token."""

    id: str
    name: str
    tenant: str
    scopes: frozenset[str]
    purposes: frozenset[str]


class NameTaken(ValueError):
    """A token with this name is in use."""


async def make_token(
    connection: OwnerConnection,
    name: str,
    tenant: str,
    scopes: Sequence[str],
    expires_at: datetime | None,
    purposes: Sequence[str] = (),
) -> str:
    """Create a token and return it. It cannot be read again. Raises: NameTaken."""
    token = _PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
    digest = _digest(token)
    try:
        await connection.execute(
            "insert into vcontract.token (id, digest, name, tenant, scopes, expires_at, purposes)"
            " values ($1, $2, $3, $4, $5, $6, $7)",
            digest.hex()[:_ID_LENGTH],
            digest,
            name,
            tenant,
            list(scopes),
            expires_at,
            list(purposes),
        )
    except asyncpg.UniqueViolationError:
        raise NameTaken(f"a token named {name!r} is in use") from None
    return token


async def all_tokens(connection: OwnerConnection) -> list[Token]:
    """Return every token ever created, newest first."""
    rows = await connection.fetch(
        f"select {_COLUMNS} from vcontract.token order by created_at desc, id"  # noqa: S608  (names of columns)
    )
    return [Token(**row) for row in rows]


async def revoke_token(connection: OwnerConnection, name_or_id: str) -> Token | None:
    """Revoke a token. Returns None if none was active."""
    row = await connection.fetchrow(
        "update vcontract.token set revoked_at = now()"  # noqa: S608  (names of columns)
        f" where (name = $1 or id = $1) and revoked_at is null returning {_COLUMNS}",
        name_or_id,
    )
    return None if row is None else Token(**row)


class Tokens:
    """Look-up of tokens by the server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def exist(self) -> bool:
        """Whether any token is valid."""
        async with self._database.reading(DEPLOYMENT) as connection:
            return bool(await connection.fetchval("select vcontract.has_tokens()"))

    async def bearers(self, tokens: Sequence[str]) -> dict[str, Bearer]:
        """Return the holders of these tokens, without unknown, expired and revoked ones."""
        asked = {_digest(token): token for token in tokens if token.startswith(_PREFIX)}
        if not asked:
            return {}
        async with self._database.reading(DEPLOYMENT) as connection:
            rows = await connection.fetch(_BEARERS, [*asked])
        unnoted = [row["id"] for row in rows if row["is_unnoted"]]
        if unnoted:
            await self._note_use(unnoted)
        return {
            asked[row["digest"]]: Bearer(
                row["id"], row["name"], row["tenant"], frozenset(row["scopes"]), frozenset(row["purposes"])
            )
            for row in rows
        }

    async def removed_tenants(self, tenants: Sequence[str]) -> dict[str, datetime]:
        """Return when tenants were removed, for those of `tenants` that were."""
        async with self._database.reading(DEPLOYMENT) as connection:
            rows = await connection.fetch("select * from vcontract.removed_tenants($1)", tenants)
        return {row["name"]: row["removed_at"] for row in rows}

    async def _note_use(self, ids: Sequence[str]) -> None:
        with contextlib.suppress(TakesNoWrites), writing_if_possible():
            async with self._database.writing(DEPLOYMENT) as connection:
                # in a fixed order, to avoid deadlocks between servers
                await connection.execute(
                    "select vcontract.note_token_use(id) from unnest($1::text[]) id order by id", ids
                )


def _digest(token: str) -> bytes:
    """Hash a token. It has 256 random bits, so one round is enough."""
    return hashlib.sha256(token.encode()).digest()
