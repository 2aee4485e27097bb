"""Webhooks: each change is queued in its own transaction, and retried until delivered or given up."""

import asyncio
from collections.abc import Iterator, Mapping
from uuid import UUID

import pytest

from tests.conftest import Call
from tests.receiver import Receiver, receiving
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.inspect.deliveries import Deliveries
from vcontract.runtime.store.postgres.consent import reading_for
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons import webhooks
from vcontract.runtime.store.vcons.webhooks import EVENTS, Delivery, Event, Recipient, TooMany
from vcontract.runtime.vcon.trust.webhooks import is_recent, is_signed, new_secret

VCON: JsonObject = {"parties": [{"name": "Ann"}], "created_at": "2025-10-14T10:30:00Z"}
HERE = ["127.0.0.1"]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


async def subscribe(
    owner: OwnerConnection,
    tenant: str,
    url: str,
    *events: Event,
    tags: Mapping[str, str] | None = None,
    sends_vcon: bool = False,
) -> Recipient:
    made = Recipient(tenant, new_secret().hex()[:12], url, new_secret(), sends_vcon)
    async with owner.transaction():
        await webhooks.add_webhook(owner, made, events or EVENTS, tags or {})
    return made


async def deliver(database: Database) -> None:
    """Everything that is due now."""
    working = Deliveries(database, HERE)
    while await working.deliver_once():
        pass


async def waiting(owner: OwnerConnection, to: Recipient, *, dead_only: bool = False) -> list[Delivery]:
    return await webhooks.deliveries(owner, to.tenant, to.id, dead_only=dead_only, most=1_000)


async def let_time_pass(owner: OwnerConnection, to: Recipient) -> None:
    """Nothing has to rest any longer."""
    await owner.execute("update vcontract.webhook set rests_until = now() where tenant = $1", to.tenant)
    await owner.execute("update vcontract.webhook_delivery set due_at = now() where tenant = $1", to.tenant)


async def test_each_change_is_told_once_in_its_order_and_signed(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    to = await subscribe(owner, tenant, receiver.url)
    id_ = (await call("create_vcon", vcon_data=VCON))["uuid"]
    await call("update_vcon", uuid=id_, updates={"subject": "Boiler"})
    await call("update_vcon", uuid=id_, updates={"subject": "Boiler"})  # changes nothing
    await call("update_tags", vcon_uuid=id_, tags={"team": "north"})
    await call("delete_vcon", uuid=id_, confirm=True)

    await deliver(database)
    await deliver(database)

    assert receiver.received() == [
        ("vcon.created", id_),
        ("vcon.changed", id_),
        ("vcon.changed", id_),
        ("vcon.deleted", id_),
    ]
    assert all("vcon" not in message["data"] for message in receiver.messages)
    pairs = list(zip(receiver.headers, receiver.bodies, strict=True))
    assert all(is_signed(to.secret, headers, body) for headers, body in pairs)
    assert all(is_recent(headers, int(headers["webhook-timestamp"])) for headers, _ in pairs)
    assert len({headers["webhook-id"] for headers, _ in pairs}) == 4
    assert await waiting(owner, to) == []
    (known,) = await webhooks.all_webhooks(owner, tenant)
    assert (known.delivered, known.waiting, known.dead, known.failures) == (4, 0, 0, 0)


async def test_who_asked_for_some_events_and_tags_hears_of_no_others(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    await subscribe(owner, tenant, receiver.url, "vcon.deleted", tags={"team": "north", "level": "2"})
    await subscribe(owner, f"{tenant}.other", receiver.url)
    tagged = {"vcon_data": VCON, "metadata": {"tags": {"team": "north", "level": 2, "more": "x"}}}
    heard = (await call("create_vcon", **tagged))["uuid"]
    other = (await call("create_vcon", vcon_data=VCON, metadata={"tags": {"team": "north"}}))["uuid"]
    for id_ in (heard, other):
        await call("delete_vcon", uuid=id_, confirm=True)

    await deliver(database)

    assert receiver.received() == [("vcon.deleted", heard)]


async def test_the_vcon_goes_along_where_it_was_asked_for_as_it_is_then(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    await subscribe(owner, tenant, receiver.url, "vcon.created", sends_vcon=True)
    gone = (await call("create_vcon", vcon_data=VCON))["uuid"]
    await call("delete_vcon", uuid=gone, confirm=True)
    id_ = (await call("create_vcon", vcon_data=VCON))["uuid"]
    await call("update_vcon", uuid=id_, updates={"subject": "Boiler"})

    await deliver(database)

    first, second = (message["data"] for message in receiver.messages)
    assert first == {"uuid": gone, "vcon_omitted": "not_found"}
    assert (second["uuid"], second["vcon"]["subject"]) == (id_, "Boiler")


async def test_what_is_not_taken_is_told_again_under_its_id_and_holds_up_what_is_behind_it(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    to = await subscribe(owner, tenant, receiver.url, "vcon.created")
    receiver.answers = [500, 302, 204]
    ids = [(await call("create_vcon", vcon_data=VCON))["uuid"] for _ in range(2)]

    await deliver(database)
    assert [uuid for _, uuid in receiver.received()] == ids[:1]
    first, second = await waiting(owner, to)
    assert (first.attempts, first.failure, second.attempts) == (1, "it answered 500", 0)
    await let_time_pass(owner, to)
    await deliver(database)  # a redirection is not followed
    await let_time_pass(owner, to)
    await deliver(database)

    assert [uuid for _, uuid in receiver.received()] == [ids[0], ids[0], ids[0], ids[1]]
    assert len({headers["webhook-id"] for headers in receiver.headers}) == 2
    assert await waiting(owner, to) == []


async def test_what_is_never_taken_is_dead_and_kept_until_it_is_tried_again(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    to = await subscribe(owner, tenant, receiver.url, "vcon.created")
    receiver.answers = [503]
    await call("create_vcon", vcon_data=VCON)

    for _ in range(12):
        await deliver(database)
        await let_time_pass(owner, to)

    (dead,) = await waiting(owner, to, dead_only=True)
    assert (dead.attempts, len(receiver.bodies)) == (9, 9)
    receiver.answers = [200]
    assert await webhooks.retry(owner, tenant, to.id) == 1
    await deliver(database)
    assert await waiting(owner, to) == []
    assert {headers["webhook-id"] for headers in receiver.headers} == {str(dead.id)}


async def test_what_waited_for_days_behind_one_that_fails_is_dead_with_it(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    to = await subscribe(owner, tenant, receiver.url, "vcon.created")
    receiver.answers = [503]
    for _ in range(3):
        await call("create_vcon", vcon_data=VCON)
    await owner.execute(
        "update vcontract.webhook_delivery set at = at - interval '6 days' where tenant = $1", tenant
    )

    await deliver(database)

    assert len(await waiting(owner, to, dead_only=True)) == 3
    await owner.execute(
        "update vcontract.webhook_delivery set dead_at = dead_at - interval '31 days' where tenant = $1",
        tenant,
    )
    await owner.execute("select vcontract.remove_expired()")
    assert await waiting(owner, to) == []


async def test_what_one_that_was_killed_had_claimed_others_tell_once_its_lease_is_over(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    to = await subscribe(owner, tenant, receiver.url, "vcon.created")
    id_ = (await call("create_vcon", vcon_data=VCON))["uuid"]
    async with database.writing("default") as connection:
        claimed = await webhooks.claim(connection, 100, 60)
    assert to in claimed

    await deliver(database)
    assert receiver.received() == []
    await let_time_pass(owner, to)
    await deliver(database)

    assert receiver.received() == [("vcon.created", id_)]


async def test_nothing_is_told_of_what_was_not_committed(
    owner: OwnerConnection, database: Database, tenant: str
) -> None:
    to = await subscribe(owner, tenant, "https://hooks.example/")

    async def undone() -> None:
        async with database.writing(tenant) as connection:
            await webhooks.announce(connection, tenant, "vcon.created", [UUID(int=1)])
            raise ConnectionError

    with pytest.raises(ConnectionError):
        await undone()

    assert await waiting(owner, to) == []


async def test_a_server_neither_adds_webhooks_nor_sees_those_of_another_tenant(
    owner: OwnerConnection, database: Database, tenant: str
) -> None:
    await subscribe(owner, f"{tenant}.other", "https://hooks.example/")

    async with database.reading(tenant) as connection:
        assert await connection.fetchval("select count(*) from vcontract.webhook") == 0
        for what in ("insert", "delete"):
            assert not await connection.fetchval("select has_table_privilege('vcontract.webhook', $1)", what)
        assert not await connection.fetchval(
            "select has_column_privilege('vcontract.webhook', 'url', 'update')"
        )


async def test_a_tenant_has_no_more_webhooks_than_its_writes_can_bear(
    owner: OwnerConnection, tenant: str
) -> None:
    for _ in range(webhooks.MAX_WEBHOOKS):
        await subscribe(owner, tenant, "https://hooks.example/", "vcon.deleted")

    with pytest.raises(TooMany):
        await subscribe(owner, tenant, "https://hooks.example/")


async def test_it_goes_on_in_the_background_after_a_failure(
    owner: OwnerConnection,
    database: Database,
    call: Call,
    receiver: Receiver,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await subscribe(owner, tenant, receiver.url, "vcon.created")
    id_ = (await call("create_vcon", vcon_data=VCON))["uuid"]
    working, once = Deliveries(database, HERE), Deliveries.deliver_once
    failures = [ConnectionError("the database went away")]

    async def failing(self: Deliveries) -> int:
        if failures:
            raise failures.pop()
        return await once(self)

    monkeypatch.setattr(Deliveries, "deliver_once", failing)
    working.start()
    async with asyncio.timeout(30):
        while not receiver.bodies:  # noqa: ASYNC110  (another thread)
            await asyncio.sleep(0.01)
    await working.stop()

    assert receiver.received() == [("vcon.created", id_)]


async def test_what_is_not_answered_for_the_purpose_of_the_server_does_not_go_along(
    owner: OwnerConnection, database: Database, call: Call, receiver: Receiver, tenant: str
) -> None:
    await subscribe(owner, tenant, receiver.url, "vcon.created", sends_vcon=True)
    said = {"consents": [{"purpose": "analysis", "status": "denied"}], "party": 0}
    vcon = {**VCON, "attachments": [{"type": "consent", "start": VCON["created_at"], **said}]}
    id_ = (await call("create_vcon", vcon_data=vcon, validate_before_insert=False))["uuid"]

    with reading_for(["analysis"]):
        await deliver(database)

    assert [message["data"] for message in receiver.messages] == [{"uuid": id_, "vcon_omitted": "not_found"}]
