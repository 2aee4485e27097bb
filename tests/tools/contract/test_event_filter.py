"""The filter `events`: by kind and time, for vCons of each version, and what does not fit."""

import pytest

from tests.conftest import Call
from tests.vcon.calls_050 import CALLS
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.vcon.call_events import call_events
from vcontract.runtime.vcon.version_migration import KEPT, migrate_version

HELD = {"a call with a hold", "a consultative transfer"}
TRANSFERRED = {
    "a blind transfer",
    "a blind transfer that nobody answered",
    "a consultative transfer",
    "a consultation of which nothing is known",
    "two transfers, one after the other",
}
CASES: list[tuple[JsonObject, set[str]]] = [
    ({"any": ["hold"]}, HELD),
    ({"any": ["transfer"]}, TRANSFERRED),
    ({"any": ["unhold", "keyup"]}, {"a call with a hold", "keys of a menu"}),
    ({"any": ["unmute"]}, {"a muted agent"}),
    ({"any": ["hold"], "start_date": "2026-11-02T09:01:00Z"}, {"a call with a hold"}),
    ({"any": ["hold"], "end_date": "2026-11-02T09:01:00Z"}, {"a consultative transfer"}),
    ({"any": ["hold"], "start_date": "2026-11-02", "end_date": "2026-11-02"}, HELD),
    ({"any": ["hold"], "start_date": "2026-11-03"}, set()),
]


@pytest.mark.parametrize("version", ["0.5.0", "0.4.0"])
async def test_conversations_are_found_by_what_happened_in_them_and_when(call: Call, version: str) -> None:
    for given in CALLS.values():
        vcon = migrate_version(given, version).vcon
        kept = {name: value for name, value in vcon.items() if name != KEPT}
        await call("create_vcon", vcon_data=kept, validate_before_insert=False)
    subjects = {name.capitalize(): name for name in CALLS}

    for events, expected in CASES:
        answer = await call("vcon_search", mode="metadata", filters={"events": events}, limit=50)
        assert {subjects[item["subject"]] for item in answer["items"]} == expected, events


@pytest.mark.parametrize(
    ("events", "parameter"),
    [
        ({"any": ["wave"]}, "filters.events.any"),
        ({"start_date": "2026-11-02"}, "filters.events.any"),
        ({"any": ["hold"], "start_date": "soon"}, "filters.events.start_date"),
    ],
)
async def test_a_filter_that_does_not_fit_is_named(call: Call, events: JsonObject, parameter: str) -> None:
    answer = await call("vcon_search", mode="metadata", filters={"events": events})

    assert answer["ok"] is False
    assert answer["error"]["details"]["parameter"].startswith(parameter)


async def test_the_dates_of_an_empty_window_are_suggested_within_the_filter(call: Call) -> None:
    events = {"any": ["hold"], "start_date": "2026-11-02T10:00:00Z", "end_date": "2026-11-02T10:00:00Z"}

    answer = await call("vcon_search", mode="metadata", filters={"subject": "call", "events": events})

    details = answer["error"]["details"]
    assert details["reason"] == "empty_window"
    whole = {"start_date": "2026-11-02", "end_date": "2026-11-02"}
    assert details["suggestion"]["filters"] == {"subject": "call", "events": {"any": ["hold"], **whole}}


async def test_what_is_counted_anew_has_the_same_events(
    call: Call, database: Database, owner: OwnerConnection, tenant: str
) -> None:
    for given in CALLS.values():
        await call("create_vcon", vcon_data=given)
    query = "select uuid, features from vcontract.vcon where tenant = $1"
    async with database.reading(tenant) as connection:
        before = {row["uuid"]: {*row["features"]} for row in await connection.fetch(query, tenant)}

    await owner.execute("select vcontract.recount_vocabulary()")

    async with database.reading(tenant) as connection:
        after = {row["uuid"]: {*row["features"]} for row in await connection.fetch(query, tenant)}
    assert after == before
    kinds = {event.kind for given in CALLS.values() for event in call_events(given)}
    assert {f for had in after.values() for f in had if f.startswith("event:")} == {
        f"event:{k}" for k in kinds
    }
