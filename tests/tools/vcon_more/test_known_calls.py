"""Calls whose truth is known: each count that a tool or the command gives equals it."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from typer.testing import CliRunner

from bench.known_calls import (
    AGENTS,
    CANCEL,
    COMPETITOR,
    DISCLOSURE,
    FIRST_DAY,
    MANAGER,
    NEVER,
    REFUND,
    WEEKS,
    Center,
    KnownCall,
    Said,
    known_calls,
)
from tests.conftest import Call
from tests.tools.contract.conftest import StoreFor
from vcontract.runtime.app import App, build
from vcontract.runtime.cli.main import app as command
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.settings import Settings

CENTER = known_calls(120)
TENANT = "known"
CONDITIONS = [
    Said(any=(DISCLOSURE,)),
    Said(any=(DISCLOSURE,), role="agent", first=60),
    Said(any=(DISCLOSURE,), role="customer"),
    Said(any=(f'"{DISCLOSURE}"',), role="agent"),
    Said(any=(MANAGER, CANCEL), role="customer"),
    Said(all=(MANAGER, CANCEL)),
    Said(any=(REFUND,), all=(CANCEL,)),
    Said(any=(REFUND,), role="agent", last=60),
    Said(any=(CANCEL,), last=30),
    Said(any=(COMPETITOR,), name=AGENTS[0]),
    Said(any=(COMPETITOR,), role="agent", first=30),
    Said(any=(NEVER,)),
]


def truth(said: Said) -> Said:
    """The condition with its phrases as the calls name them."""
    return replace(said, any=tuple(phrase.strip('"') for phrase in said.any))


@pytest.fixture(scope="module")
async def stored(app: App, store_for: StoreFor) -> None:
    await store_for(TENANT, CENTER.documents())


@pytest.fixture
def tenant(stored: None) -> str:
    return TENANT


async def searched(call: Call, filters: JsonObject) -> tuple[int, int]:
    """Total of a search, and of how many the answer is unknown."""
    answer = await call("vcon_search", mode="metadata", filters=filters, limit=1)
    assert answer["ok"], answer
    return answer["page"]["total"], answer["meta"].get("said_unknown", 0)


async def counts(call: Call, said: Said, **filters: object) -> tuple[int, int, int]:
    """How many conversations are found with a condition, without it, and of how many it is unknown."""
    (yes, unknown), (no, also_unknown) = [
        await searched(call, {**filters, name: said.filter()}) for name in ("said", "not_said")
    ]
    assert unknown == also_unknown, said
    return yes, no, unknown


def by_department(center: Center) -> dict[str, int]:
    return dict(Counter(call.department for call in center.calls))


def by_week(center: Center) -> dict[str, int]:
    return dict(Counter(f"{call.began:%G-W%V}" for call in center.calls))


def by_monday(center: Center) -> dict[str, int]:
    return dict(Counter(call.week.date().isoformat() for call in center.calls))


async def test_a_search_finds_as_many_as_said_it_and_as_did_not(call: Call) -> None:
    for said in CONDITIONS:
        assert await counts(call, said) == CENTER.counts(truth(said)), said


async def test_the_condition_holds_beside_a_tag_and_a_week(call: Call) -> None:
    billing = CENTER.those(lambda call: call.department == "billing")
    monday = FIRST_DAY + timedelta(weeks=3)
    week = {"start_date": f"{monday.date()}", "end_date": f"{(monday + timedelta(days=6)).date()}"}
    of_week = CENTER.those(lambda call: call.week == monday)

    for said in CONDITIONS:
        tagged = await counts(call, said, tags={"department": "billing"})
        assert tagged == billing.counts(truth(said)), said
        assert await counts(call, said, **week) == of_week.counts(truth(said)), said


async def test_groups_and_weeks_are_those_of_the_calls_that_meet_it(call: Call) -> None:
    last = (FIRST_DAY + timedelta(weeks=WEEKS, days=-1)).date().isoformat()
    for said in CONDITIONS:
        for name, meant in (("said", True), ("not_said", False)):
            those = CENTER.those(lambda each: each.said(truth(said)) is meant)  # noqa: B023
            filters = {name: said.filter()}
            for grouping, expected in (("tag:department", by_department), ("week", by_week)):
                counted = await call("vcon_aggregate", group_by=[grouping], filters=filters, top=20)
                found = {group["key"][0]: group["vcons"] for group in counted["groups"]}
                assert found == expected(those), (said, grouping)
                assert counted["vcons"] == len(those.calls)
                assert counted.get("said_unknown", 0) == CENTER.counts(truth(said))[2]
            trend = await call(
                "vcon_trends", period="week", periods=WEEKS, filters={**filters, "end_date": last}
            )
            weeks = {each["begins"]: each["vcons"] for each in trend["periods"] if each["vcons"]}
            assert weeks == by_monday(those), said


def test_the_command_counts_the_same(database_url: str, stored: None) -> None:
    said = Said(any=(DISCLOSURE,), role="agent", first=60)
    given = ["--not-said", DISCLOSURE, "--said-by", "agent", "--said-within", "first=60"]
    arguments = ["count", "tag:department", *given, "--tenant", TENANT, "--json"]

    outcome = CliRunner().invoke(command, arguments, env={"VCONTRACT_DATABASE_URL": database_url})

    assert outcome.exit_code == 0, outcome.output
    counted = json.loads(outcome.stdout)
    found = {group["key"][0]: group["vcons"] for group in counted["groups"]}
    assert found == by_department(CENTER.those(lambda call: call.said(said) is False))
    assert counted["said_unknown"] == CENTER.counts(said)[2]


async def test_another_tenant_sees_none_of_them(call_as: Callable[[str], Call], stored: None) -> None:
    for said in CONDITIONS:
        assert await counts(call_as("stranger"), said) == (0, 0, 0)


@pytest.fixture(scope="module")
async def analysing(settings: Settings) -> AsyncIterator[App]:
    """A server on the same store whose purpose is analysis."""
    given = {"toolsets": ("contract", "vcon", "vcon_more"), "rate_limits": None, "purpose": ("analysis",)}
    built = await build(settings.model_copy(update=given))
    yield built
    await built.close()


async def test_withheld_calls_are_counted_nowhere(analysing: App, stored: None) -> None:
    answered = CENTER.those(lambda call: not call.is_withheld)

    async def call(tool: str, /, **arguments: object) -> JsonObject:
        caller = Caller(TENANT, frozenset({"read"}))
        return (await analysing.dispatcher.call(tool, arguments, caller)).structured

    for said in CONDITIONS:
        assert await counts(call, said) == answered.counts(truth(said)), said
        counted = await call(
            "vcon_aggregate", group_by=["tag:department"], filters={"said": said.filter()}, top=20
        )
        found = {group["key"][0]: group["vcons"] for group in counted["groups"]}
        assert found == by_department(answered.those(lambda each: each.said(truth(said)) is True))  # noqa: B023


async def test_what_was_redacted_is_counted_as_it_reads_now(
    call_as: Callable[[str], Call], store_for: StoreFor
) -> None:
    await store_for("redacting", CENTER.documents())
    call, said = call_as("redacting"), Said(any=(MANAGER,))
    redacted = [each for each in CENTER.calls if each.said(said)][:2]
    for each in redacted:
        answer = await call("redact_vcon", vcon_uuid=each.uuid, words=["manager"], keep_original=False)
        assert answer["success"], answer

    now = Center(tuple(without_manager(each) if each in redacted else each for each in CENTER.calls))
    for asked in (said, Said(any=(MANAGER,), role="customer"), Said(any=(DISCLOSURE,))):
        assert await counts(call, asked) == now.counts(asked), asked


def without_manager(call: KnownCall) -> KnownCall:
    lines = [replace(line, says=None) if line.says == MANAGER else line for line in call.lines]
    return replace(call, lines=tuple(lines))
