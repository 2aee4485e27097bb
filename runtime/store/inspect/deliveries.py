"""Send webhook deliveries in the background, from any number of processes."""

import asyncio
import time
from typing import TYPE_CHECKING, Final

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.logs import Log
from vcontract.runtime.store.postgres.database import DEPLOYMENT, Database
from vcontract.runtime.vcon.times import format_time

if TYPE_CHECKING:
    from collections.abc import Collection

    from vcontract.runtime.store.vcons.webhooks import Delivery, Recipient

_LOG = Log("webhooks")
_AT_ONCE: Final = 8
"""Number of webhooks that one process delivers to at once."""
_EACH: Final = 50
"""Deliveries to one webhook before others get their turn."""
_LEASE_SECONDS: Final = 120.0
"""How long a claim lasts. Afterwards other processes take over from one that died."""
_TURN_SECONDS: Final = 60.0
_MIN_PAUSE_SECONDS: Final = 0.25
_MAX_PAUSE_SECONDS: Final = 2.0
_MAX_BACKOFF_SECONDS: Final = 60.0
_MAX_VCON_BYTES: Final = 4 << 20


class Deliveries:
    """Sends the outbox between `start` and `stop`. Each delivery is sent at least once, under one ID."""

    def __init__(self, database: Database, private_hosts: "Collection[str]") -> None:
        self._database = database
        self._private_hosts = private_hosts
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Run in the background until `stop`."""
        if self._running is None:
            self._running = asyncio.create_task(self._work(), name="webhooks")

    async def stop(self) -> None:
        """Stop. Other processes resend what was being sent."""
        running, self._running = self._running, None
        if running is not None:
            running.cancel()
            await asyncio.wait([running])

    async def deliver_once(self) -> int:
        """Send some webhooks their due deliveries. Returns the number of webhooks."""
        from vcontract.runtime.store.vcons.webhooks import claim

        async with self._database.writing(DEPLOYMENT) as connection:
            claimed = await claim(connection, _AT_ONCE, _LEASE_SECONDS)
        async with asyncio.TaskGroup() as group:
            for webhook in claimed:
                group.create_task(self._serve(webhook))
        return len(claimed)

    async def _work(self) -> None:
        pause, failures = _MIN_PAUSE_SECONDS, 0
        while True:
            await asyncio.sleep(pause)
            try:
                served = await self.deliver_once()
            except Exception as error:  # only `stop` ends the loop
                failures += 1
                pause = min(2.0 ** min(failures, 10) / 2, _MAX_BACKOFF_SECONDS)
                if failures == 1:
                    _LOG.error("webhooks receive nothing for now", error)
            else:
                failures = 0
                pause = 0.0 if served else min(max(2 * pause, _MIN_PAUSE_SECONDS), _MAX_PAUSE_SECONDS)

    async def _serve(self, to: "Recipient") -> None:
        """Send due deliveries in order, until one fails or the time is up."""
        from vcontract.runtime.store.vcons import webhooks

        async with self._database.reading(to.tenant) as connection:
            waiting = await webhooks.due(connection, to, _EACH)
        ends, failure = time.monotonic() + _TURN_SECONDS, None
        for delivery in waiting:
            failure = await self._deliver(to, delivery)
            async with self._database.writing(to.tenant) as connection:
                if failure is None:
                    await webhooks.note_taken(connection, to, delivery)
                else:
                    await webhooks.note_failed(connection, to, delivery, failure)
            if failure is not None or time.monotonic() > ends:
                break
        async with self._database.writing(to.tenant) as connection:
            await webhooks.release(connection, to, failed=failure is not None)

    async def _deliver(self, to: "Recipient", delivery: "Delivery") -> str | None:
        """Send a delivery. Returns why it failed, or None."""
        data: JsonObject = {"uuid": str(delivery.vcon)}
        if to.sends_vcon and delivery.event != "vcon.deleted":
            data |= await self._vcon(to, delivery)
        message: JsonObject = {"type": delivery.event, "timestamp": format_time(delivery.at), "data": data}
        return await send(to, str(delivery.id), message, self._private_hosts)

    async def _vcon(self, to: "Recipient", delivery: "Delivery") -> JsonObject:
        """Return the current vCon, or why it is not sent."""
        from vcontract.runtime.store.vcons.store import VconStore

        stored = await VconStore(self._database).get(to.tenant, delivery.vcon)
        if stored is None:
            return {"vcon_omitted": "not_found"}
        document = stored.document()
        is_long = len(dump_json(document)) > _MAX_VCON_BYTES
        return {"vcon_omitted": "too_large"} if is_long else {"vcon": document}


async def send(
    to: "Recipient", message_id: str, message: JsonObject, private_hosts: "Collection[str]"
) -> str | None:
    """Send a signed message. Returns why it failed, or None."""
    from vcontract.runtime.vcon.trust.sending import NotSent, Sender
    from vcontract.runtime.vcon.trust.webhooks import signed_headers

    body = dump_json(message)
    headers = signed_headers(to.secret, message_id, int(time.time()), body)
    try:
        status = await Sender(private_hosts).post(to.url, headers, body)
    except NotSent as error:
        return str(error)
    return None if 200 <= status < 300 else f"it answered {status}"
