"""Webhooks and their outbox: subscribers to changes of vCons, and pending deliveries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import UUID

from vcontract.runtime.frame.documents.json import dump_json, parse_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.queries import named_query, query

Event: TypeAlias = Literal["vcon.created", "vcon.changed", "vcon.deleted"]
EVENTS: Final[tuple[Event, ...]] = ("vcon.created", "vcon.changed", "vcon.deleted")

MAX_WEBHOOKS: Final = 20
"""Maximum webhooks per tenant: each adds a row to every write."""
_RETRIES: Final = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000)
"""Seconds before the second attempt, the third, and so on."""
_MAX_BACKOFF_SECONDS: Final = 300
_MAX_WAITING_DAYS: Final = 5
"""Days after which an undelivered event is dead."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A tenant's webhook and its delivery state, without its secret."""

    id: str
    url: str
    events: Sequence[str]
    tags: Mapping[str, str]
    sends_vcon: bool
    created_at: datetime
    delivered: int
    delivered_at: datetime | None
    """Time of the last successful delivery."""
    failures: int
    """Failures since then."""
    waiting: int
    dead: int


@dataclass(frozen=True, slots=True)
class Recipient:
    """A webhook with the data for delivery."""

    tenant: str
    id: str
    url: str
    secret: bytes
    sends_vcon: bool


@dataclass(frozen=True, slots=True)
class Delivery:
    """A pending event for a webhook."""

    webhook: str
    id: UUID
    event: str
    vcon: UUID
    at: datetime
    due_at: datetime
    attempts: int
    failure: str | None
    """Why the last attempt failed."""
    dead_at: datetime | None


_DELIVERY: Final = "webhook, id, event, vcon, at, due_at, attempts, failure, dead_at"


class TooMany(ValueError):
    """The tenant already has the maximum number of webhooks."""


async def announce(connection: Connection, tenant: str, event: Event, vcons: Sequence[UUID]) -> None:
    """Add events for this transaction's changes to the outbox: before deleting, or after other changes."""
    await connection.execute(*query("announce", tenant=tenant, event=event, vcons=list(vcons)))


async def add_webhook(
    connection: OwnerConnection,
    webhook: Recipient,
    events: Collection[Event],
    tags: Mapping[str, str],
) -> None:
    """Subscribe a webhook to events from now on. Run this in a transaction. Raises: TooMany."""
    await connection.execute("lock table vcontract.webhook in share row exclusive mode")
    there = await connection.fetchval(
        "select count(*) from vcontract.webhook where tenant = $1", webhook.tenant
    )
    if there >= MAX_WEBHOOKS:
        raise TooMany(f"{webhook.tenant} has {there} webhooks, and no more are allowed")
    await connection.execute(
        *named_query(
            "insert into vcontract.webhook (tenant, id, url, secret, events, tags, sends_vcon)"
            " values (:tenant, :id, :url, :secret, :events, :tags, :sends_vcon)",
            tenant=webhook.tenant,
            id=webhook.id,
            url=webhook.url,
            secret=webhook.secret,
            events=[event for event in EVENTS if event in events],
            tags=dump_json(dict(tags)).decode(),
            sends_vcon=webhook.sends_vcon,
        )
    )


async def all_webhooks(connection: OwnerConnection, tenant: str) -> list[Webhook]:
    """Return a tenant's webhooks, oldest first."""
    rows = await connection.fetch(
        *named_query(
            "select w.id, w.url, w.events, w.tags::text, w.sends_vcon, w.created_at, w.delivered,"
            "  w.delivered_at, w.failures,"
            "  (select count(*) from vcontract.webhook_delivery d where d.tenant = :tenant"
            "    and d.webhook = w.id and d.dead_at is null) as waiting,"
            "  (select count(*) from vcontract.webhook_delivery d where d.tenant = :tenant"
            "    and d.webhook = w.id and d.dead_at is not null) as dead"
            " from vcontract.webhook w where w.tenant = :tenant order by w.created_at, w.id",
            tenant=tenant,
        )
    )
    return [Webhook(**{**row, "tags": parse_json(row["tags"])}) for row in rows]


async def recipient(connection: OwnerConnection, tenant: str, webhook: str) -> Recipient | None:
    """Return one webhook of a tenant, for an immediate delivery."""
    row = await connection.fetchrow(
        *named_query(
            "select tenant, id, url, secret, sends_vcon from vcontract.webhook"
            " where tenant = :tenant and id = :webhook",
            tenant=tenant,
            webhook=webhook,
        )
    )
    return None if row is None else Recipient(**row)


async def remove_webhook(connection: OwnerConnection, tenant: str, webhook: str) -> bool:
    """Delete a webhook and its pending deliveries. Returns whether it existed."""
    status: str = await connection.execute(
        "delete from vcontract.webhook where tenant = $1 and id = $2", tenant, webhook
    )
    return status != "DELETE 0"


async def deliveries(
    connection: OwnerConnection, tenant: str, webhook: str, *, dead_only: bool, most: int
) -> list[Delivery]:
    """Return pending deliveries, oldest first."""
    rows = await connection.fetch(
        *named_query(
            f"select {_DELIVERY} from vcontract.webhook_delivery"  # noqa: S608  (names of columns)
            " where tenant = :tenant and webhook = :webhook and (dead_at is not null or not :dead_only)"
            " order by at, id limit :most",
            tenant=tenant,
            webhook=webhook,
            dead_only=dead_only,
            most=most,
        )
    )
    return [Delivery(**row) for row in rows]


async def retry(connection: OwnerConnection, tenant: str, webhook: str) -> int:
    """Retry all pending and dead deliveries now, with a fresh count of attempts. Returns their number."""
    status: str = await connection.execute(
        *named_query(
            "update vcontract.webhook_delivery set attempts = 0, due_at = now(), dead_at = null"
            " where tenant = :tenant and webhook = :webhook",
            tenant=tenant,
            webhook=webhook,
        )
    )
    await connection.execute(
        "update vcontract.webhook set rests_until = now(), failures = 0 where tenant = $1 and id = $2",
        tenant,
        webhook,
    )
    return int(status.split()[-1])


async def claim(connection: Connection, most: int, lease_seconds: float) -> list[Recipient]:
    """Claim webhooks of any tenant with due deliveries, for the duration of the lease."""
    rows = await connection.fetch(
        *named_query(
            "select * from vcontract.claim_webhooks(:most, make_interval(secs => :lease))",
            most=most,
            lease=lease_seconds,
        )
    )
    return [Recipient(**row) for row in rows]


async def due(connection: Connection, to: Recipient, most: int) -> list[Delivery]:
    """Return due deliveries of a webhook, oldest first."""
    rows = await connection.fetch(
        *named_query(
            f"select {_DELIVERY} from vcontract.webhook_delivery"  # noqa: S608  (names of columns)
            " where tenant = :tenant and webhook = :webhook and dead_at is null and due_at <= now()"
            " order by due_at, at, id limit :most",
            tenant=to.tenant,
            webhook=to.id,
            most=most,
        )
    )
    return [Delivery(**row) for row in rows]


async def note_taken(connection: Connection, to: Recipient, delivery: Delivery) -> None:
    """Record a successful delivery."""
    await connection.execute(
        *named_query(
            "delete from vcontract.webhook_delivery"
            " where tenant = :tenant and webhook = :webhook and id = :id",
            tenant=to.tenant,
            webhook=to.id,
            id=delivery.id,
        )
    )
    await connection.execute(
        *named_query(
            "update vcontract.webhook set delivered = delivered + 1, delivered_at = now(), failures = 0"
            " where tenant = :tenant and id = :webhook",
            tenant=to.tenant,
            webhook=to.id,
        )
    )


async def note_failed(connection: Connection, to: Recipient, delivery: Delivery, failure: str) -> None:
    """Record a failure: schedule a retry, or mark as dead, together with events that waited too long."""
    retries = _RETRIES[delivery.attempts : delivery.attempts + 1]
    await connection.execute(
        *named_query(
            "update vcontract.webhook_delivery set attempts = attempts + 1, failure = :failure,"
            " due_at = now() + make_interval(secs => coalesce(:delay::integer, 0)),"
            " dead_at = case when :delay::integer is null then now() end"
            " where tenant = :tenant and webhook = :webhook and id = :id",
            tenant=to.tenant,
            webhook=to.id,
            id=delivery.id,
            failure=failure,
            delay=retries[0] if retries else None,
        )
    )
    await connection.execute(
        *named_query(
            "update vcontract.webhook_delivery set failure = coalesce(failure, :failure), dead_at = now()"
            " where tenant = :tenant and webhook = :webhook and dead_at is null"
            " and at < now() - make_interval(days => :days)",
            tenant=to.tenant,
            webhook=to.id,
            failure=failure,
            days=_MAX_WAITING_DAYS,
        )
    )


async def release(connection: Connection, to: Recipient, *, failed: bool) -> None:
    """Release a webhook: now, or after a pause that grows with its failures."""
    await connection.execute(
        *named_query(
            "update vcontract.webhook set failures = failures + :failed::integer,"
            " rests_until = now() + :failed::integer"
            "  * make_interval(secs => least(5 * 2 ^ least(failures, 10), :longest))"
            " where tenant = :tenant and id = :webhook",
            tenant=to.tenant,
            webhook=to.id,
            failed=int(failed),
            longest=_MAX_BACKOFF_SECONDS,
        )
    )
