"""Consent: what a party does not consent to is answered to no caller of that purpose, by whatever tool."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import pytest

from tests.conftest import ALL_SCOPES
from tests.security.test_handles import HANDLES, NEEDED, input_of
from vcontract.generated.registry import RESOURCES, TOOLS
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

SESSION: Final = Path(__file__).parents[2] / "docs" / "demo_session.jsonl"
SECRET: Final = "Rumpelstiltskin"  # noqa: S105 - a word of a conversation
DENIED: Final = "01939c3a-6f00-8abc-9def-000000000001"
GIVEN: Final = "01939c3a-6f00-8abc-9def-000000000002"
FOR_ANALYSIS: Final = {"toolsets": ("all",), "rate_limits": None, "purpose": ("analysis",)}


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    """A server that says nothing of what its conversations are for."""
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


@pytest.fixture(scope="module")
async def analysing(settings: Settings) -> AsyncIterator[App]:
    """A server on the same store, whose purpose is analysis."""
    built = await build(settings.model_copy(update=FOR_ANALYSIS))
    yield built
    await built.close()


def consent(*consents: JsonValue, expiration: str | None = None, **members: JsonValue) -> JsonObject:
    """An attachment as the draft has it."""
    said: JsonObject = {"expiration": expiration, "party": 0, "dialog": 0, "consents": [*consents], **members}
    return {"type": "consent", "start": "2025-01-01T00:00:00Z", **said}


def a_vcon(word: str, *attachments: JsonObject, uuid: str | None = None) -> JsonObject:
    return {
        **({} if uuid is None else {"uuid": uuid}),
        "created_at": "2025-01-01T00:00:00Z",
        "subject": f"of {word}",
        "parties": [{"name": word, "tel": "+15550001111", "role": "customer"}],
        "dialog": [
            {
                "type": "text",
                "start": "2025-01-01T00:00:00Z",
                "parties": [0],
                "mediatype": "text/plain",
                "encoding": "none",
                "body": f"My name is {word}",
            }
        ],
        "analysis": [{"type": "summary", "dialog": 0, "vendor": word, "encoding": "none", "body": word}],
        "attachments": [
            {"type": "bria_call_ended", "encoding": "json", "body": {"dealerId": word, "dealerName": word}},
            *attachments,
        ],
    }


async def ask(
    app: App, tenant: str, tool: str, purposes: frozenset[str] = frozenset(), /, **arguments: object
) -> JsonObject:
    caller = Caller(tenant, ALL_SCOPES, purposes=purposes)
    return (await app.dispatcher.call(tool, dict(arguments), caller)).structured


async def store(app: App, tenant: str, word: str, *attachments: JsonObject, uuid: str | None = None) -> str:
    answer = await ask(
        app,
        tenant,
        "create_vcon",
        vcon_data=a_vcon(word, *attachments, uuid=uuid),
        metadata={"tags": {"xtag": word}},
        validate_before_insert=False,
    )
    assert answer["success"], answer
    return str(answer["uuid"])


def alike(answer: JsonValue) -> str:
    """An answer without what differs from call to call."""
    text = re.sub(r"[0-9a-f]{16}|\d{4}-\d\d-\d\dT[\d:.]+Z", "", json.dumps(answer))
    # no spelling is returned while any may belong to a withheld vCon
    text = re.sub(r'("spelling", [^}]*?"row_count": )\d+', "", text)
    return re.sub(r'"(next_cursor|cache_key|session_id|bytes|\w*ms)": ("[^"]*"|[\d.]+)', "", text)


SEARCHES: Final[list[tuple[str, JsonObject]]] = [
    *(
        ("vcon_search", {"mode": mode, **({} if mode == "metadata" else {"query": f"My name is {SECRET}"})})
        for mode in ("metadata", "keyword", "semantic", "hybrid")
    ),
    ("vcon_search", {"mode": "keyword", "query": "Rumpelstiltskim"}),
    ("vcon_search", {"mode": "metadata", "filters": {"party_name": SECRET}}),
    ("vcon_search", {"mode": "metadata", "filters": {"tags": {"xtag": SECRET}}}),
    ("vcon_search", {"mode": "metadata", "filters": {"dealer_id": SECRET}}),
    *(
        ("vcon_recall", {"query": query, **more})
        for query in (f"My name is {SECRET}", "what was said on 1 January", "Rumpelstiltskim")
        for more in ({}, {"view": "survey", "explain": True}, {"speaker": SECRET})
    ),
    ("get_unique_tags", {}),
    ("vcon_aggregate", {"group_by": ["party"]}),
    ("vcon_aggregate", {"group_by": ["tag:xtag", "month"]}),
    ("vcon_aggregate", {"group_by": ["vendor"]}),
    *(
        ("vcon_aggregate", {"group_by": [by], "measures": ["handle_seconds", "talk_share", "tag:xtag"]})
        for by in ("role", "party", "speaker")
    ),
    *(
        ("vcon_aggregate", {"group_by": ["month"], "measures": measures, "filters": filters})
        for measures, filters in (
            (["share", "times_said"], {"said": {"any": ["my name"]}}),
            (["repeats:366"], {}),
            (["analysis:summary.score"], {"repeat_within_days": 366}),
        )
    ),
    ("vcon_trends", {"unit": "month", "filters": {"end_date": "2025-02-01"}}),
    ("vcon_topics", {"period": "2025-01"}),
    *(
        (tool, {**rest, "filters": {condition: {"any": [words], **by}}})
        for tool, rest in (
            ("vcon_search", {"mode": "metadata"}),
            ("vcon_aggregate", {"group_by": ["role"]}),
            ("vcon_graph_shape", {}),
        )
        for condition in ("said", "not_said")
        for words in ("my name", SECRET)
        for by in ({}, {"by": {"role": "customer"}}, {"within": {"first_seconds": 60}})
    ),
    ("get_database_shape", {"include_internal": True}),
    *(
        ("analyze_query", {"query": query, "analyze_mode": "explain_analyze"})
        for query in (
            "select 1 from spelling where word ^@ 'rump'",
            "select 1 from spelling where word = 'rumpelstiltskin'",
        )
    ),
]
HANDLED = sorted((tool, name) for tool in TOOLS for name in input_of(tool)["properties"] if name in HANDLES)


@pytest.mark.parametrize("whose", ["server", "caller"])
async def test_every_tool_answers_a_purpose_as_if_what_was_denied_were_not_there(
    app: App, analysing: App, tenant: str, whose: str
) -> None:
    answering, purposes = (
        (analysing, frozenset[str]()) if whose == "server" else (app, frozenset({"analysis"}))
    )
    denied = consent({"purpose": "analysis", "status": "denied"})
    await store(app, tenant, SECRET, denied, uuid=DENIED)
    for one in (tenant, f"{tenant}.without"):
        await store(app, one, "Isabelle", uuid=GIVEN)
        await analysing.worker.drain(one)
    for mode in ("keyword", "semantic"):
        seen = await ask(app, tenant, "vcon_search", mode=mode, query=f"My name is {SECRET}")
        assert seen["items"][0]["uuid"] == DENIED

    calls = list(SEARCHES)
    for tool in sorted(TOOLS):
        if TOOLS[tool].read_only:
            schema = input_of(tool)
            names = [*schema.get("required", ()), *({"query"} & schema["properties"].keys())]
            if not HANDLES & {*names}:
                calls.append((tool, {name: NEEDED.get(name, "x") for name in names}))
    assert len(calls) > 40
    for tool, arguments in calls:
        reported = await ask(answering, tenant, tool, purposes, **arguments)
        without = await ask(answering, f"{tenant}.without", tool, purposes, **arguments)
        assert alike(reported) == alike(without), (tool, arguments)

    for tool, name in HANDLED:
        schema = input_of(tool)
        given = {each: NEEDED[each] for each in schema.get("required", ()) if each not in HANDLES}
        given[name] = [DENIED] if "items" in schema["properties"][name] else DENIED
        reported = await ask(answering, tenant, tool, purposes, **given)
        assert SECRET not in json.dumps(reported).replace(str(given.get("query")), ""), (tool, name)
    for resource in RESOURCES.values():
        parameters = app.catalogue.package.read_resource(resource.name)["paramsSchema"]["properties"]
        values = dict.fromkeys(parameters, DENIED)
        reader = Caller(tenant, ALL_SCOPES, purposes=purposes)
        read = answering.resources.read_named(resource.name, values, reader)
        text = await asyncio.gather(read, return_exceptions=True)
        assert SECRET not in str(text), resource.name
        if not parameters:
            read = answering.resources.read_named(
                resource.name, {}, Caller(f"{tenant}.without", ALL_SCOPES, purposes=purposes)
            )
            assert alike(str(text)) == alike(str(await asyncio.gather(read, return_exceptions=True))), (
                resource.name
            )

    kept = await ask(app, tenant, "get_vcon", uuid=DENIED)
    assert SECRET in str(kept), "what may not be seen was changed"


NOW: Final = datetime.now(UTC)
GRANTED: Final[JsonObject] = {"purpose": "analysis", "status": "granted"}
DENIAL: Final[JsonObject] = {"purpose": "analysis", "status": "denied"}


def in_days(days: int) -> str:
    return f"{NOW + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"


def attachment(purpose: str, **members: JsonValue) -> JsonObject:
    return {"purpose": purpose, **members}


WITHHELD: Final[dict[str, list[JsonObject]]] = {
    "denied": [consent(DENIAL)],
    "revoked": [consent({"purpose": "Analysis", "status": "revoked"})],
    "expired": [consent(GRANTED, expiration=in_days(-1))],
    "older form": [consent({"consent": "analysis", "value": False})],
    "the most restrictive": [consent(GRANTED), consent(DENIAL)],
    "of another party": [consent(GRANTED), consent(DENIAL, party=9)],
    "in a body": [
        attachment("consent", encoding="json", body='{"consents": [{"purpose": "analysis", "value": false}]}')
    ],
    "encoded": [
        attachment(
            "consent",
            encoding="base64url",
            body="eyJjb25zZW50cyI6W3sicHVycG9zZSI6ImFuYWx5c2lzIiwidmFsdWUiOmZhbHNlfV19",
        )
    ],
    "lawful basis": [
        attachment("lawful_basis", body={"purpose_grants": [{"purpose": "analysis", "granted": False}]})
    ],
    "no JSON": [attachment("consent", encoding="json", body="{")],
    "elsewhere": [attachment("consent", url="https://consent.example/1", content_hash="sha512-x")],
    "no end": [consent(GRANTED, expiration="some day")],
    "nothing said": [{"type": "consent", "party": 0, "dialog": 0, "expiration": None}],
    "no purpose": [consent({"status": "granted"})],
    "granted, and not": [consent({**GRANTED, "granted": False, "value": False})],
    "value false of granted": [consent({**GRANTED, "value": False})],
    "in a body and not in the attachment": [
        consent(GRANTED, encoding="json", body=f'{{"consents": [{json.dumps(DENIAL)}]}}')
    ],
    "in the attachment and not in a body": [
        consent(DENIAL, encoding="json", body=f'{{"consents": [{json.dumps(GRANTED)}]}}')
    ],
    "in both lists": [consent(GRANTED, purpose_grants=[{"purpose": "analysis", "granted": False}])],
    "expired in a body": [
        consent(GRANTED, encoding="json", body=f'{{"consents": [], "expiration": "{in_days(-1)}"}}')
    ],
    **{
        f"until {word}": [consent(GRANTED, expiration=word)]
        for word in ("tomorrow", "infinity", "now", "", "2999", "1893456000", "2030-02-30", "Jan 1 2999")
    },
    "an entry that expired": [consent({**GRANTED, "expiration": in_days(-1)})],
    "an entry until tomorrow": [consent({**GRANTED, "expiration": "tomorrow"})],
    "with spaces": [consent({"purpose": " Analysis\n", "status": " denied "})],
    "purpose with spaces": [attachment(" Consent ", consents=[DENIAL])],
    "lawful-basis": [attachment("lawful-basis", purpose_grants=[{"purpose": "analysis", "granted": False}])],
}
ANSWERED: Final[dict[str, list[JsonObject]]] = {
    "granted": [consent(GRANTED)],
    "not yet expired": [consent({**GRANTED, "expiration": in_days(2)}, expiration=in_days(1))],
    "until a day": [consent(GRANTED, expiration="2999-12-31")],
    "granted, with spaces": [consent({"purpose": "analysis ", "status": " Granted"})],
    "for something else": [consent(GRANTED, {"purpose": "sharing", "status": "denied"})],
    "nothing said of it": [],
}


async def answered(app: App, tenant: str) -> set[str]:
    """The words that the vCons which a server answers were made of."""
    found = await ask(app, tenant, "vcon_search", mode="metadata", limit=50, include=["core"])
    return {str(item["subject"]).removeprefix("of ") for item in found["items"]}


async def test_consent_is_read_as_the_drafts_have_it_and_what_cannot_be_read_is_none(
    app: App, analysing: App, tenant: str
) -> None:
    for said, attachments in (WITHHELD | ANSWERED).items():
        await store(app, tenant, said, *attachments)

    assert await answered(analysing, tenant) == set(ANSWERED)
    assert await answered(app, tenant) == set(WITHHELD | ANSWERED)


async def test_where_consent_is_required_each_party_but_agents_has_to_have_given_it(
    app: App, settings: Settings, tenant: str
) -> None:
    required = await build(settings.model_copy(update={**FOR_ANALYSIS, "consent_required": True}))
    for said, attachments in ANSWERED.items():
        uuid = await store(app, tenant, said, *attachments)
        await ask(app, tenant, "add_party", vcon_uuid=uuid, party={"name": "Ann", "role": "Agent"})
    uuid = await store(app, tenant, "one of two", consent(GRANTED))
    await ask(app, tenant, "add_party", vcon_uuid=uuid, party={"name": "Bob"})
    try:
        assert await answered(required, tenant) == set(ANSWERED) - {"nothing said of it"}
        made = await ask(required, tenant, "create_vcon", vcon_data={"parties": [{"name": "Cid"}]})
        assert made["success"], made
    finally:
        await required.close()


async def test_a_preference_of_the_general_holds_for_the_narrower_unless_that_is_named(
    owner: OwnerConnection,
) -> None:
    said = consent(
        {"purpose": "tdm", "status": "denied", "vocabulary": "ai-pref"},
        {"purpose": "search", "status": "granted", "vocabulary": "ai-pref"},
    )
    rows = await owner.fetch(
        "select purpose from vcontract.consents_in($1) where until = '-infinity'", json.dumps(said)
    )
    assert {row["purpose"] for row in rows} == {"tdm", "ai", "genai", "inference"}


async def test_consent_that_a_caller_of_the_purpose_takes_back_is_gone_for_it_and_no_count_is_lost(
    app: App, analysing: App, tenant: str
) -> None:
    uuid = await store(analysing, tenant, "Ida", consent(GRANTED))
    change: JsonObject = {"vcon_uuid": uuid, "index": 1, "attachment": {"consents": [DENIAL]}}

    revoked = await ask(analysing, tenant, "update_attachment", **change)
    again = await ask(analysing, tenant, "update_attachment", **change)
    taken = await ask(
        analysing, tenant, "create_vcon", vcon_data={"uuid": uuid, "parties": [{"name": "Ida"}]}
    )

    assert (revoked["success"], again["error_code"]) == (True, "NOT_FOUND")
    assert (taken["error_code"], taken["details"]["reason"]) == ("CONFLICT", "exists")
    counts = [
        await ask(analysing, one, "get_unique_tags", include_counts=True)
        for one in (tenant, f"{tenant}.empty")
    ]
    assert alike(counts[0]) == alike(counts[1])
    assert "Ida" in json.dumps(await ask(app, tenant, "get_unique_tags", include_counts=True))
    given = await ask(app, tenant, "update_attachment", **{**change, "attachment": {"consents": [GRANTED]}})
    assert given["success"]
    assert await answered(analysing, tenant) == {"Ida"}
    assert (await ask(app, tenant, "delete_vcon", uuid=uuid, confirm=True))["success"]


async def test_nothing_is_a_candidate_without_consent(app: App, analysing: App, tenant: str) -> None:
    # given two that hold the same word, one of them withheld
    given = await store(app, tenant, "Ida", consent(GRANTED))
    denied = await store(app, tenant, "Eve", consent(DENIAL))
    await analysing.worker.drain(tenant)
    await app.worker.drain(tenant)

    async def found(
        by: App, most_by_words: int, most_nearest: int, among: list[UUID] | None, *, is_exhaustive: bool
    ) -> set[str]:
        async with by.database.reading(tenant) as connection:
            rows = await connection.fetch(
                "select c.id::text from (select * from vcontract.embedding_space where state = 'active') s"
                " cross join lateral"
                " (select e.vector from vcontract.embedding e where e.space = s.id limit 1) e"
                " cross join lateral vcontract.search_candidates('{}', 'vcon', $1, array[$2]::tsquery[],"
                " array[16], $2::tsquery, $3, 10, null, null, null, s.id, e.vector, $4, $5) c",
                *(among, "ida | eve", most_by_words, most_nearest, is_exhaustive),
            )
        return {row["id"] for row in rows}

    # when they are looked for by words and by a vector, also by their ids
    for among in (None, [UUID(given), UUID(denied)]):
        for is_exhaustive in (False, True):
            for by_words, nearest in ((10, 0), (0, 10)):
                # then only a caller without a purpose finds both
                assert await found(app, by_words, nearest, among, is_exhaustive=is_exhaustive) == {
                    given,
                    denied,
                }
                assert await found(analysing, by_words, nearest, among, is_exhaustive=is_exhaustive) == {
                    given
                }


async def test_no_memory_of_a_transcript_is_answered_without_consent(
    app: App, analysing: App, tenant: str, owner: OwnerConnection
) -> None:
    transcripts = TranscriptStore(
        app.database, VconStore(app.database), PrepareContext.load(), tenant, lambda: NOW
    )
    await TranscriptImporter(transcripts, Options(tenant, app.settings.data_dir)).run([SESSION])
    await app.worker.drain(tenant)
    searches: list[tuple[str, JsonObject]] = [
        *(
            ("memory_search", {"query": "invoice export dates", "mode": mode})
            for mode in ("both", "text", "vector")
        ),
        ("reflect_on_past", {"query": "invoice export dates"}),
        ("vcon_recall", {"query": "invoice export dates", "kinds": ["session"]}),
    ]
    found = [str(await ask(app, tenant, tool, **arguments)) for tool, arguments in searches]
    path = (await owner.fetch("select archive_path from vcontract.transcript where tenant = $1", tenant))[0][
        0
    ]
    assert "ledgerly" in str(await ask(app, tenant, "memory_read", path=path))

    await owner.execute(
        "insert into vcontract.consent select tenant, vcon, -1, 'analysis', '-infinity'"
        " from vcontract.transcript where tenant = $1",
        tenant,
    )

    for (tool, arguments), before in zip(searches, found, strict=True):
        reported = await ask(analysing, tenant, tool, **arguments)
        assert alike(reported) == alike(await ask(analysing, f"{tenant}.empty", tool, **arguments))
        assert len(str(reported)) < len(before)
    assert "ledgerly" not in str(await ask(analysing, tenant, "memory_read", path=path)).replace(path, "")


async def test_capabilities_tell_of_a_purpose_and_not_of_what_it_withholds(
    app: App, analysing: App, tenant: str
) -> None:
    access = (await ask(analysing, tenant, "vcon_capabilities"))["item"]["access"]
    assert access["purposes"] == ["analysis"]
    assert "not answered" in access["consent"]
    assert "purposes" not in (await ask(app, tenant, "vcon_capabilities"))["item"]["access"]


def test_a_purpose_has_a_name_that_can_be_one() -> None:
    with pytest.raises(ValueError, match="cannot name a purpose"):
        Settings.load(purpose="no; purpose")
