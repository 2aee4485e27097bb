"""Writes under a key of the caller: sent again they are answered as before, and nothing is done twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

import pytest
from pydantic import SecretStr

from tests.broken_ways import Proxy
from tests.conftest import ALL_SCOPES, Ask, Call
from vcontract.generated.registry import TOOLS
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.calls.dispatch import CallOutcome
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres import commit_status
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

KEY = "7f1c, first try"
ANOTHER = "01939c3a-6f00-8abc-9def-0123456789ab"
PARTIES = [{"name": "Ann"}, {"name": "Bob"}]
ATTACHMENT = {"purpose": "note", "start": "2025-01-01T00:00:00Z", "party": 0, "dialog": 0}


def turn(body: str) -> JsonObject:
    said = {"parties": 0, "mediatype": "text/plain", "encoding": "none", "body": body}
    return {"type": "text", "start": "2025-01-01T00:00:00Z", **said}


def feeling(experiencer: str) -> JsonObject:
    return {"experiencer": experiencer, "perspective": "I", "processing": "during"}


async def a_vcon(call: Call) -> str:
    answer = await call("create_vcon", vcon_data={"parties": PARTIES, "dialog": [turn("Hello.")]})
    assert answer["success"], answer
    return str(answer["uuid"])


async def a_source(call: Call) -> str:
    return str((await call("bridge_capture", content="Rain.", **feeling("Ann")))["record"]["id"])


async def a_moment(call: Call) -> str:
    return str((await call("bridge_frame", **(await frame(call)), summary="Rain"))["record"]["id"])


async def frame(call: Call) -> JsonObject:
    qualities = [{"type": "attentional", "manifestation": "The drops one by one."}]
    shot = {"emoji": "🤔", "shot": "sustained-attention"}
    return {"sourceIds": [await a_source(call)], "qualities": qualities, **shot}


async def weave(call: Call) -> JsonObject:
    reported = {"emoji": "🌉", "narrative": "It went on.", "shot": "crossing-threshold"}
    return {"momentIds": [await a_moment(call)], **reported}


async def to_a_vcon(call: Call) -> JsonObject:
    return {"vcon_uuid": await a_vcon(call)}


async def to_a_vcon_beside_another(call: Call) -> JsonObject:
    assert (await call("create_vcon", vcon_data={"uuid": ANOTHER, "parties": PARTIES}))["success"]
    return await to_a_vcon(call)


async def of_a_vcon(call: Call) -> JsonObject:
    return {"uuid": await a_vcon(call), "merge_strategy": "append"}


async def of_many_elements(call: Call) -> JsonObject:
    said = {"type": "summary", "vendor": "a", "encoding": "none", "body": "x"}
    arrays = {"dialog": [turn("1")] * 3, "analysis": [said] * 3, "attachments": [ATTACHMENT] * 3}
    answer = await call(
        "create_vcon", vcon_data={"parties": [*PARTIES, {}], **arrays}, validate_before_insert=False
    )
    return {"vcon_uuid": str(answer["uuid"])}


async def of_a_source(call: Call) -> JsonObject:
    return {"id": await a_source(call)}


async def nothing(_: Call) -> JsonObject:
    return {}


Arrange = Callable[[Call], Awaitable[JsonObject]]
CASES: dict[str, tuple[Arrange, JsonObject, JsonObject]] = {
    "create_vcon": (
        nothing,
        {"vcon_data": {"parties": PARTIES}, "return_vcon": True},
        {"vcon_data": {"parties": PARTIES[:1]}},
    ),
    "create_vcon_from_template": (
        nothing,
        {"template_name": "custom", "parties": PARTIES},
        {"template_name": "custom", "parties": PARTIES, "subject": "Another"},
    ),
    "add_dialog": (to_a_vcon, {"dialog": turn("one")}, {"dialog": turn("two")}),
    "add_analysis": (
        to_a_vcon,
        {"analysis": {"type": "summary", "vendor": "a", "dialog": 0, "body": "x", "encoding": "none"}},
        {"analysis": {"type": "summary", "vendor": "b", "dialog": 0, "body": "x", "encoding": "none"}},
    ),
    "add_attachment": (
        to_a_vcon,
        {"attachment": {**ATTACHMENT, "body": "x", "encoding": "none"}},
        {"attachment": {**ATTACHMENT, "body": "y", "encoding": "none"}},
    ),
    "update_vcon": (of_a_vcon, {"updates": {"dialog": [turn("1")]}}, {"updates": {"dialog": [turn("2")]}}),
    "add_party": (to_a_vcon, {"party": {"name": "Cid"}}, {"party": {"name": "Dan"}}),
    "amend_vcon": (to_a_vcon_beside_another, {}, {"vcon_uuid": ANOTHER}),
    "redact_vcon": (to_a_vcon, {"rules": ["names"]}, {"words": ["Hello"]}),
    "bridge_capture": (
        nothing,
        {"content": "Wind.", **feeling("Ann")},
        {"content": "Wind.", **feeling("Bob")},
    ),
    "bridge_frame": (frame, {"summary": "From rain to sound"}, {"summary": "From sound to rain"}),
    "bridge_weave": (weave, {"summary": "From rain to walking"}, {"summary": "From walking to rain"}),
    "bridge_enrich": (of_a_source, {"updates": {"content": "Hail."}}, {"updates": {"content": "Snow."}}),
    **{
        tool: (of_many_elements, {"index": 2}, {"index": 1})
        for tool in ("remove_party", "remove_dialog", "remove_analysis", "remove_attachment")
    },
}
every_case = pytest.mark.parametrize("tool", CASES)

WITHOUT_KEYS = {
    "bridge_autoframe": "asks a language model between its transactions, and leaves out what is framed",
    "bridge_autoweave": "asks a language model between its transactions, and leaves out what is woven",
    "session_checkpoint": "writes files and a commit, which no transaction holds together",
    "sign_vcon": "signs a vCon once: the second call changes nothing, and says that it is signed",
    "session_end": "writes files; a session that has ended is not ended again",
}
"""Tools that may do something twice and take no key, and why."""


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    built = await build(settings.model_copy(update={"rate_limits": None, "toolsets": ("all",)}))
    yield built
    await built.close()


@pytest.fixture
async def through(proxy: Proxy, settings: Settings) -> AsyncIterator[App]:
    """The application on a way that breaks."""
    url = SecretStr(await proxy.start())
    changes = {"rate_limits": None, "toolsets": ("all",), "database_url": url}
    built = await build(settings.model_copy(update=changes))
    yield built
    await built.close()


State = Callable[[], Awaitable[JsonObject]]


@pytest.fixture
def state(owner: OwnerConnection, tenant: str) -> State:
    """Every row of the tenant, but for those of keys, as text by table."""

    async def state() -> JsonObject:
        tables = await owner.fetch(
            "select attrelid::regclass::text as name from pg_attribute join pg_class on oid = attrelid"
            " where relnamespace = 'vcontract'::regnamespace and relkind in ('r', 'p') and attname = 'tenant'"
            " and relname <> 'request' and not relispartition"
        )
        return {
            name: [
                row[0]
                for row in await owner.fetch(
                    f"select t::text from {name} t where tenant = $1 order by 1",  # noqa: S608
                    tenant,
                )
            ]
            for (name,) in tables
        }

    return state


def test_every_tool_that_may_do_something_twice_takes_a_key() -> None:
    contracts = {name: load_package().read_contract(name) for name in TOOLS}
    twice = {
        name
        for name, contract in contracts.items()
        if not contract["annotations"]["readOnlyHint"] and not contract["annotations"]["idempotentHint"]
    }
    keyed = {
        name for name, contract in contracts.items() if "request_key" in contract["inputSchema"]["properties"]
    }

    assert keyed == set(CASES)
    assert twice - keyed == set(WITHOUT_KEYS)


@every_case
async def test_the_same_call_under_the_same_key_is_answered_alike_and_done_once(
    ask: Ask, call: Call, state: State, tool: str
) -> None:
    arrange, one, other = CASES[tool]
    given = await arrange(call)
    before = await state()

    first = await ask(tool, **given, **one, request_key=KEY)
    once = await state()
    again = await ask(tool, **given, **dict(reversed(one.items())), request_key=KEY)

    assert first.structured["success"], first.structured
    assert (again.text, again.structured) == (first.text, first.structured)
    assert once != before
    assert await state() == once

    refused = (await ask(tool, **{**given, **other}, request_key=KEY)).structured

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert refused["details"] == {"parameter": "request_key", "reason": "request_key_reused"}
    assert await state() == once
    assert (await call(tool, **{**given, **other}, request_key="another"))["success"]
    assert await state() != once


@every_case
async def test_of_calls_at_once_under_one_key_one_writes_and_all_answer_alike(
    ask: Ask, call: Call, tool: str
) -> None:
    arrange, one, _ = CASES[tool]
    given = await arrange(call)

    answers = await asyncio.gather(*(ask(tool, **given, **one, request_key=KEY) for _ in range(4)))

    assert answers[0].structured["success"], answers[0].structured
    assert {answer.text for answer in answers} == {answers[0].text}


@every_case
@pytest.mark.parametrize("breaks", ["before", "after"])
async def test_a_call_whose_outcome_nobody_knows_is_done_once_when_it_is_sent_again(
    proxy: Proxy,
    through: App,
    call: Call,
    state: State,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    breaks: Literal["before", "after"],
) -> None:
    arrange, one, _ = CASES[tool]
    arguments = {**await arrange(call), **one, "request_key": KEY}
    before = await state()

    async def send() -> CallOutcome:
        return await through.dispatcher.call(tool, arguments, Caller(tenant, ALL_SCOPES))

    monkeypatch.setattr(commit_status, "_SETTLING_SECONDS", 0.2)
    # embedding reads in transactions of its own, which would be what breaks
    monkeypatch.setattr("vcontract.runtime.embedding.immediate._SECONDS", 0)
    proxy.breaks, proxy.stays_broken = breaks, True

    lost = (await send()).structured

    assert (lost["details"]["reason"], lost["details"]["retryable"]) == ("outcome_unknown", True)
    assert "call again, which does no harm" in lost["error"]
    left = await state()
    assert (left != before) == (breaks == "after")
    proxy.stays_broken = False

    found, again = await send(), await send()

    assert found.structured["success"], found.structured
    assert again.text == found.text
    if breaks == "after":
        assert await state() == left
    else:
        assert await state() != left


@pytest.mark.parametrize("tool", ["create_vcon", "bridge_capture"])
async def test_a_key_of_one_tenant_or_tool_is_no_key_of_another(ask: Ask, tenant: str, tool: str) -> None:
    _, one, other = CASES[tool]

    mine = await ask(tool, **one, request_key=KEY)
    theirs = await ask(tool, **other, request_key=KEY, as_tenant=f"{tenant}x")
    elsewhere = await ask(
        "create_vcon_from_template", template_name="custom", parties=PARTIES, request_key=KEY
    )

    assert [each.structured["success"] for each in (mine, theirs, elsewhere)] == [True] * 3
    assert len({each.text for each in (mine, theirs, elsewhere)}) == 3


async def test_a_key_is_free_again_when_its_time_is_over(
    ask: Ask, owner: OwnerConnection, tenant: str
) -> None:
    _, one, other = CASES["create_vcon"]
    first = await ask("create_vcon", **one, request_key=KEY)
    await owner.execute("update vcontract.request set expires_at = now() where tenant = $1", tenant)

    later = await ask("create_vcon", **other, request_key=KEY)
    again = await ask("create_vcon", **other, request_key=KEY)

    assert later.structured["success"]
    assert later.structured["uuid"] != first.structured["uuid"]
    assert again.text == later.text


async def test_a_call_that_failed_keeps_no_key(call: Call) -> None:
    uuid = "01939c3a-6f00-8abc-9def-0123456789ab"
    arguments = {"vcon_uuid": uuid, "dialog": turn("one"), "request_key": KEY}

    refused = await call("add_dialog", **arguments)
    await call("create_vcon", vcon_data={"uuid": uuid, "parties": PARTIES})
    added = await call("add_dialog", **arguments)

    assert refused["error_code"] == "NOT_FOUND"
    assert added["dialog_index"] == 0


async def test_no_answer_is_kept_of_what_was_removed(call: Call, owner: OwnerConnection, tenant: str) -> None:
    made = await call("create_vcon", **CASES["create_vcon"][1], request_key=KEY)
    kept = await call("bridge_capture", **CASES["bridge_capture"][1], request_key=KEY)
    count = "select count(*) from vcontract.request where tenant = $1"
    assert await owner.fetchval(count, tenant) == 2

    await call("delete_vcon", uuid=made["uuid"], confirm=True)
    released = await call("bridge_release", id=kept["record"]["id"])
    assert released["success"], released

    assert await owner.fetchval(count, tenant) == 0


@pytest.mark.parametrize(("key", "reason"), [("x" * 201, "wrong_length"), (7, "wrong_type")])
async def test_a_key_is_a_text_of_1_to_200_characters(call: Call, key: object, reason: str) -> None:
    refused = await call("create_vcon", vcon_data={"parties": PARTIES}, request_key=key)

    assert refused["error_code"] == "VALIDATION_ERROR"
    assert (refused["details"]["parameter"], refused["details"]["reason"]) == ("request_key", reason)
