"""Calls whose truth is known: each count that a tool or the command gives equals it."""

import csv
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from math import nan
from pathlib import Path
from statistics import median

import pytest
from typer.testing import CliRunner

from bench.known_calls import (
    AGENT,
    AGENTS,
    CANCEL,
    COMPETITOR,
    CUSTOMER,
    DISCLOSURE,
    FIRST_DAY,
    MANAGER,
    NEVER,
    REFUND,
    SECOND,
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


MEASURES = (
    *("handle_seconds", "talk_seconds", "longest_turn_seconds", "silence_seconds", "overlaps"),
    *("hold_seconds", "transfers", "tag:csat"),
)


def summed(name: str, values: Sequence[float | None]) -> JsonObject:
    """The entry of a measure."""
    known = [value for value in values if value is not None]
    entry: JsonObject = {"name": name, "known": len(known), "unknown": len(values) - len(known)}
    if known:
        entry |= {"total": sum(known), "mean": sum(known) / len(known), "median": median(known)}
    return entry


def measures_of(center: Center) -> list[JsonObject]:
    return [summed(name, [each.measure(name) for each in center.calls]) for name in MEASURES]


def same(found: Sequence[JsonObject], expected: Sequence[JsonObject]) -> bool:
    """Whether entries are equal but for what is rounded."""
    return [each.keys() for each in found] == [each.keys() for each in expected] and all(
        one[name] == (value if isinstance(value, str) else pytest.approx(value, abs=6e-4))
        for one, other in zip(found, expected, strict=True)
        for name, value in other.items()
    )


async def measured(call: Call, by: str, *measures: str, **filters: object) -> dict[str, list[JsonObject]]:
    """Measures of each group, and with the key "" of all."""
    answer = await call("vcon_aggregate", group_by=[by], measures=[*measures], filters=filters, top=100)
    assert answer["success"], answer
    return {"": answer["measures"]} | {group["key"][0]: group["measures"] for group in answer["groups"]}


async def test_measures_of_groups_are_those_of_their_calls(call: Call) -> None:
    said = Said(any=(CANCEL,), role="customer")
    those = CENTER.those(lambda each: each.said(said) is True)
    for center, filters in ((CENTER, {}), (those, {"said": said.filter()})):
        departments = await measured(call, "tag:department", *MEASURES, **filters)
        weeks = await measured(call, "week", *MEASURES, **filters)
        assert same(departments.pop(""), measures_of(center))
        assert same(weeks.pop(""), measures_of(center))
        assert departments.keys() == by_department(center).keys()
        assert weeks.keys() == by_week(center).keys()
        for name, found in departments.items():
            of_group = center.those(lambda each: each.department == name)  # noqa: B023
            assert same(found, measures_of(of_group)), name
        for name, found in weeks.items():
            assert same(found, measures_of(center.those(lambda each: f"{each.began:%G-W%V}" == name)))  # noqa: B023


def shared(values: Sequence[tuple[float, float] | None]) -> JsonObject:
    """The entry of talk_share: of each call somebody's own talk and all."""
    known = [value for value in values if value is not None]
    shares = [own / whole for own, whole in known]
    return {
        "name": "talk_share",
        "known": len(known),
        "unknown": len(values) - len(known),
        "mean": sum(shares) / len(shares),
        "median": median(shares),
        "share": sum(own for own, _ in known) / sum(whole for _, whole in known),
    }


async def test_talk_by_role_and_by_person_is_their_own(call: Call) -> None:
    roles = await measured(call, "role", "talk_share", "talk_seconds", "hold_seconds")
    people = await measured(call, "party", "talk_share", "talk_seconds", "hold_seconds")

    named = CENTER.those(lambda each: each.gap != "roles").calls
    for role, who in (("agent", (AGENT, SECOND)), ("customer", (CUSTOMER,))):
        assert same(roles[role], talk_of([(each, who) for each in named])), role
    for name in AGENTS:
        own = [
            (each, (SECOND if each.agents[0] != name else AGENT,))
            for each in CENTER.calls
            if name in each.agents
        ]
        assert same(people[name.lower()], talk_of(own)), name


def talk_of(calls: Sequence[tuple[KnownCall, tuple[int, ...]]]) -> list[JsonObject]:
    """Measures of calls and of whose talk in them."""
    own = [(each.talk(*who), each.talk()) if each.has_lengths else None for each, who in calls]
    talk = summed("talk_seconds", [None if each is None else each[0] for each in own])
    return [shared(own), talk, summed("hold_seconds", [each.measure("hold_seconds") for each, _ in calls])]


async def test_measures_of_withheld_calls_and_of_another_tenant_are_left_out(
    analysing: App, call_as: Callable[[str], Call], stored: None
) -> None:
    answered = CENTER.those(lambda each: not each.is_withheld)
    caller = Caller(TENANT, frozenset({"read"}))

    async def call(tool: str, /, **arguments: object) -> JsonObject:
        return (await analysing.dispatcher.call(tool, arguments, caller)).structured

    assert same((await measured(call, "month", *MEASURES))[""], measures_of(answered))
    of_calls = MEASURES[:-1]
    nothing = [{"name": name, "known": 0, "unknown": 0} for name in of_calls]
    assert await measured(call_as("stranger"), "month", *of_calls) == {"": nothing}


async def test_times_and_shares_of_what_was_said_are_those_of_the_calls(call: Call) -> None:
    for asked in CONDITIONS:
        said = truth(asked)
        yes, no, unknown = CENTER.counts(said)
        times = [
            len(each.saying(said, {*said.any, *said.all})) for each in CENTER.calls if each.said(said) is True
        ]
        share: JsonObject = {"name": "share", "known": yes + no, "unknown": unknown, "total": yes}
        found = await measured(call, "tag:department", "times_said", "share", said=asked.filter())
        assert same(found[""], [summed("times_said", times), share | {"mean": yes / (yes + no)}]), asked


async def test_calls_of_customers_who_called_before_are_found_and_counted(call: Call) -> None:
    for days in (7, 1, 30):
        again = CENTER.those(lambda each: bool(CENTER.before(each, timedelta(days=days))))  # noqa: B023
        assert await searched(call, {"repeat_within_days": days}) == (len(again.calls), 0)
        counted = await call(
            "vcon_aggregate", group_by=["week"], filters={"repeat_within_days": days}, top=20
        )
        assert {group["key"][0]: group["vcons"] for group in counted["groups"]} == by_week(again)
        found = await measured(call, "tag:department", f"repeats:{days}", "analysis:sentiment.score")
        total = len(again.calls)
        repeats: JsonObject = {"name": f"repeats:{days}", "known": len(CENTER.calls), "unknown": 0}
        assert same(
            found[""],
            [
                repeats | {"total": total, "mean": total / len(CENTER.calls)},
                summed("analysis:sentiment.score", [each.sentiment for each in CENTER.calls]),
            ],
        )


def test_the_report_of_a_week_has_the_figures_of_its_calls(
    database_url: str, stored: None, tmp_path: Path
) -> None:
    week, before = [
        CENTER.those(lambda each: f"{each.began:%G-W%V}" == name)  # noqa: B023
        for name in ("2026-W26", "2026-W25")
    ]
    asked = ["--week", "2026-W26", "--said", CANCEL, "--said", MANAGER, "--disclosure", DISCLOSURE]
    arguments = ["report", "calls", *asked, "--score", "tag:csat", "--tenant", TENANT, "--out", str(tmp_path)]

    outcome = CliRunner().invoke(command, arguments, env={"VCONTRACT_DATABASE_URL": database_url})

    assert outcome.exit_code == 0, outcome.output
    tables = {
        path.stem: list(csv.DictReader(path.read_text().splitlines())) for path in tmp_path.glob("*.csv")
    }
    roles = [
        (role, Said(any=(phrase,), role=role))
        for phrase in (CANCEL, MANAGER)
        for role in ("agent", "customer")
    ]
    by_role = {
        (row["phrase"], row["by"]): (row["conversations"], row["unknown"])
        for row in tables["said"]
        if row["by"]
    }
    assert by_role == {
        (said.any[0], role): tuple(str(week.counts(said)[place]) for place in (0, 2)) for role, said in roles
    }
    anybody = {row["phrase"]: row for row in tables["said"] if not row["by"]}
    for phrase, row in anybody.items():
        yes, _, unknown = week.counts(Said(any=(phrase,)))
        expected = [str(each) for each in (yes, before.counts(Said(any=(phrase,)))[0], unknown)]
        assert [row["conversations"], row["before"], row["unknown"]] == expected
    early = Said(any=(DISCLOSURE,), role="agent", first=60)
    (everybody, *agents) = tables["disclosure"]
    assert [everybody["without"], everybody["unknown"]] == [str(each) for each in week.counts(early)[1:]]
    for row in agents:
        own = with_agent(week, row["agent"])
        assert [row["conversations"], row["without"], row["unknown"]] == [
            str(each) for each in (len(own.calls), *own.counts(early)[1:])
        ]
    for row in tables["agents"][1:]:
        own = with_agent(week, row["agent"])
        assert int(row["conversations"]) == len(own.calls)
        for name in ("handle_seconds", "hold_seconds", "transfers", "tag:csat"):
            entry = summed(name, [each.measure(name) for each in own.calls])
            assert int(row[f"{name}_known"]) == entry["known"]
            assert float(row[name] or "nan") == pytest.approx(entry.get("mean", nan), abs=6e-4, nan_ok=True)
    weeks = {row["week"]: row for row in tables["weeks"]}
    for name, row in weeks.items():
        of_week = CENTER.those(lambda each: f"{each.began:%G-W%V}" == name)  # noqa: B023
        figures = [row[each] for each in ("conversations", CANCEL, MANAGER, "without_disclosure")]
        assert figures == [
            str(each)
            for each in (
                len(of_week.calls),
                of_week.counts(Said(any=(CANCEL,)))[0],
                of_week.counts(Said(any=(MANAGER,)))[0],
                of_week.counts(early)[1],
            )
        ]
    assert len(weeks) == 8
    again = week.those(lambda each: bool(CENTER.before(each, timedelta(days=7))))
    callers = Counter(each.names_customer for each in again.calls)
    assert {row["caller"]: int(row["conversations"]) for row in tables["called_again"]} == dict(callers)


def with_agent(center: Center, name: str) -> Center:
    """The calls of an agent in which parties have roles."""
    return center.those(lambda each: name in each.agents and each.gap != "roles")
