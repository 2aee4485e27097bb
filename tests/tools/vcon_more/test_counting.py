"""vcon_aggregate counts what counting the documents themselves gives."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import CallAs, Store, StoreFor
from vcontract.codegen.lints.tools import model_tokens
from vcontract.handlers.vcon_more import talk_time
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.times import format_time

CORPUS = "counted"
REAL_FILES = Path(__file__).parents[4] / "shared" / "data" / "vcons" / "call-centre"


def attachment(purpose: str, body: object) -> JsonObject:
    return {"purpose": purpose, "encoding": "json", "mediatype": "application/json", "body": body}


def dialog(duration: object = None) -> JsonObject:
    reported = {} if duration is None else {"duration": duration}
    return {"type": "text", "encoding": "none", "body": "Hello.", **reported}


def analysis(type_: str, vendor: str) -> JsonObject:
    return {"type": type_, "vendor": vendor, "encoding": "none", "body": "Well."}


ANN = {"name": "Ann Müller", "role": "agent"}
BOB = {"name": "Bob", "tel": "+1-555-0101", "role": "customer"}
NAMELESS = {"tel": "+1-555-0102", "role": "customer"}
SMALL: list[JsonObject] = [
    {
        "created_at": "2025-01-31T23:30:00-05:00",  # in February, of UTC
        "parties": [ANN, BOB, {"name": "ann müller", "role": "agent"}],
        "dialog": [dialog(12.5), dialog(7), dialog("long"), dialog()],
        "analysis": [analysis("summary", "acme"), analysis("transcript", "other")],
        "tags": {"department": "sales", "level": 2},
        "attachments": [
            attachment("invoice", {}),
            attachment("strolid_dealer", {"id": 815, "name": "First"}),
        ],
    },
    {
        "created_at": "2024-12-30T08:00:00Z",  # of the first week of 2025
        "parties": [ANN, NAMELESS],
        "dialog": [dialog(0)],
        "analysis": [analysis("summary", "acme"), analysis("summary", "other")],
        "tags": {"department": "sales"},
        "attachments": [
            attachment("strolid_dealer", {"id": 815, "name": "First"}),
            attachment("invoice", {}),
        ],
    },
    {"created_at": "2025-02-01T10:00:00Z", "parties": [BOB, {}], "tags": {"department": "service"}},
    {"created_at": "2025-02-01T10:59:59.999999Z", "parties": [], "dialog": [dialog(None), dialog(3.25)]},
]


def listed(vcon: JsonObject, name: str) -> list[JsonObject]:
    found: list[JsonObject] | None = vcon.get(name)
    return found or []


def moment(vcon: JsonObject) -> datetime:
    """When it began: its earliest dialog, else when it was made."""
    starts = [each["start"] for each in listed(vcon, "dialog") if each.get("start")]
    return min(datetime.fromisoformat(at).astimezone(UTC) for at in starts or [vcon["created_at"]])


def person(party: JsonObject) -> str:
    if party.get("name"):
        return fold(party["name"])
    tel = "".join(character for character in party.get("tel", "") if character.isdigit())
    return fold(party.get("mailto", "").removeprefix("mailto:")) or tel


def tags_in(vcon: JsonObject) -> dict[str, str]:
    """Given as an object, or in the files as "key:value" strings, or the JSON text of a list of them."""
    given: dict[str, str | int] = vcon.get("tags", {})
    tags = {key: str(value) for key, value in given.items()}
    for each in listed(vcon, "attachments"):
        if purpose(each) == "tags":
            body: JsonValue = each["body"]
            entries: list[str] = json.loads(body) if isinstance(body, str) else list(body)
            tags |= dict(entry.split(":", 1) for entry in entries)
    return tags


def purpose(each: JsonObject) -> str | None:
    found: str | None = each.get("purpose") or each.get("type")
    return found


def dealers(vcon: JsonObject) -> Iterator[tuple[str]]:
    for each in listed(vcon, "attachments"):
        if purpose(each) == "strolid_dealer":
            body: JsonValue = each["body"]
            yield (str((json.loads(body) if isinstance(body, str) else body)["id"]),)


def when(pattern: str) -> Callable[[JsonObject], list[tuple[str]]]:
    return lambda vcon: [(moment(vcon).strftime(pattern),)]


OF_ONE: dict[tuple[str, ...], Callable[[JsonObject], Iterator[tuple[str, ...]] | list[tuple[str]]]] = {
    ("party",): lambda vcon: ((person(party),) for party in listed(vcon, "parties")),
    ("role",): lambda vcon: ((party.get("role", ""),) for party in listed(vcon, "parties")),
    ("party", "role"): lambda vcon: (
        (person(party), party.get("role", "")) for party in listed(vcon, "parties")
    ),
    ("type",): lambda vcon: ((each["type"],) for each in listed(vcon, "analysis")),
    ("type", "vendor"): lambda vcon: (
        (each["type"], each.get("vendor", "")) for each in listed(vcon, "analysis")
    ),
    ("vendor",): lambda vcon: ((each.get("vendor", ""),) for each in listed(vcon, "analysis")),
    ("purpose",): lambda vcon: (
        (purpose(each) or "",) for each in listed(vcon, "attachments") if purpose(each) != "tags"
    ),
    ("dealer",): dealers,
    ("day",): when("%Y-%m-%d"),
    ("week",): when("%G-W%V"),
    ("month",): when("%Y-%m"),
    ("hour",): when("%a %H"),
}
"""What one element, or the date, of a vCon says of these groupings together."""


def said(vcon: JsonObject, groupings: tuple[str, ...]) -> set[tuple[str, ...]]:
    if groupings[0].startswith("tag:"):
        return {(value,) for key, value in tags_in(vcon).items() if f"tag:{key}" == groupings[0]}
    return {keys for keys in OF_ONE[groupings](vcon) if all(keys)}


def counted(vcons: Sequence[JsonObject], parts: Sequence[tuple[str, ...]]) -> list[JsonObject]:
    """The groups by brute force: each of the parts is of one element."""
    groups: dict[tuple[str, ...], list[JsonObject]] = {}
    for vcon in vcons:
        for keys in product(*(said(vcon, part) for part in parts)):
            groups.setdefault(sum(keys, ()), []).append(vcon)
    entries = [{"key": list(key), **facts(members)} for key, members in groups.items()]
    return sorted(entries, key=lambda entry: (-entry["vcons"], entry["key"]))


def facts(vcons: Sequence[JsonObject]) -> JsonObject:
    durations = [
        [
            each["duration"]
            for each in listed(vcon, "dialog")
            if isinstance(each.get("duration"), int | float) and each["duration"] >= 0
        ]
        for vcon in vcons
    ]
    reported: JsonObject = {
        "vcons": len(vcons),
        "parties": len({person(party) for vcon in vcons for party in listed(vcon, "parties")} - {""}),
    }
    if any(durations):
        reported |= {
            "timed": sum(map(bool, durations)),
            "duration_seconds": round(sum(map(sum, durations)), 3),
        }
    moments = sorted(map(moment, vcons))
    return {**reported, "first": format_time(moments[0]), "last": format_time(moments[-1])}


SMALL_CASES: list[list[tuple[str, ...]]] = [
    *([part] for part in OF_ONE),
    [("tag:department",)],
    [("tag:level",), ("party", "role")],
    [("month",), ("tag:department",), ("role",)],
    [("tag:department",), ("tag:level",), ("hour",)],
    [("party",), ("type",), ("dealer",)],
]


@pytest.fixture(scope="module")
async def small(store_for: StoreFor) -> None:
    await store_for(CORPUS, SMALL)


def without_labels(answer: JsonObject) -> list[JsonObject]:
    groups: list[JsonObject] = answer["groups"]
    return [{name: value for name, value in group.items() if name != "label"} for group in groups]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("parts", SMALL_CASES, ids=["-".join(sum(parts, ())) for parts in SMALL_CASES])
async def test_groups_are_what_the_documents_hold(call_as: CallAs, parts: list[tuple[str, ...]]) -> None:
    answer = await call_as(CORPUS)("vcon_aggregate", group_by=list(sum(parts, ())), top=100)
    groups = counted(SMALL, parts)

    assert without_labels(answer) == groups
    assert answer["rest"] == {"groups": 0, "vcons": 0}
    assert {name: answer[name] for name in facts(SMALL)} == facts(SMALL)
    assert answer["ungrouped"] == sum(not all(said(vcon, part) for part in parts) for vcon in SMALL)


@pytest.mark.usefixtures("small")
async def test_a_party_and_a_dealer_are_shown_as_they_are_written(call_as: CallAs) -> None:
    filters = {"dealer_id": "815", "party_tel": "555-0102"}
    answer = await call_as(CORPUS)("vcon_aggregate", group_by=["dealer", "party"], filters=filters)

    assert answer["vcons"] == 1
    labels = {tuple(group["key"]): group["label"] for group in answer["groups"]}
    assert labels[("815", fold("Ann Müller"))] == ["First", "Ann Müller"]
    assert labels[("815", "15550102")] == ["First", "+1-555-0102"]


@pytest.mark.usefixtures("small")
async def test_what_is_not_listed_is_added_up(call_as: CallAs) -> None:
    answer = await call_as(CORPUS)("vcon_aggregate", group_by=["party"], top=1)

    assert [group["key"] for group in answer["groups"]] == [[fold("Ann Müller")]]
    assert answer["rest"] == {"groups": 2, "vcons": 3}

    by_key = await call_as(CORPUS)("vcon_aggregate", group_by=["day"], order="key", top=2)
    assert [group["key"] for group in by_key["groups"]] == [["2024-12-30"], ["2025-02-01"]]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("group_by", "seconds"),
    [
        (["vcon"], [19.5, 3.25, 0.0, None]),
        (["month"], [22.75, 0.0]),
        (["party"], [19.5, 19.5, 0.0]),
    ],
)
async def test_groups_are_listed_with_the_longest_first(
    call_as: CallAs, group_by: list[str], seconds: list[float | None]
) -> None:
    ask = call_as(CORPUS)
    all_of_them = await ask("vcon_aggregate", group_by=group_by, order="duration", top=10)
    first = await ask("vcon_aggregate", group_by=group_by, order="duration", top=1)

    assert [group.get("duration_seconds") for group in all_of_them["groups"]] == seconds
    assert first["groups"] == all_of_them["groups"][:1]


async def test_a_group_of_one_vcon_is_named_by_uuid_and_subject(call: Call, store: Store) -> None:
    (named, nameless) = await store([{"subject": "Late parcel", "dialog": [dialog(2)]}, {"dialog": []}])

    answer = await call("vcon_aggregate", group_by=["vcon"], order="duration")

    assert [(group["key"], group.get("label")) for group in answer["groups"]] == [
        ([named], ["Late parcel"]),
        ([nameless], None),
    ]


def line(party: int, text: str) -> JsonObject:
    return {"type": "text", "parties": party, "originator": party, "encoding": "none", "body": text}


async def test_who_says_how_much_is_counted_in_chats_and_in_transcripts_of_recordings(
    call: Call, store: Store
) -> None:
    talk = [
        {"speaker": "ann", "text": "Two words.", "start": 0, "end": 3},
        {"speaker": "Cy", "text": "Yes", "start": 3, "end": 4.5},
    ]
    recorded = {"type": "recording", "start": "2025-05-01T10:00:00Z", "duration": 5}
    transcript = {"type": "transcript", "vendor": "x", "dialog": 0, "encoding": "json", "body": talk}
    await store(
        [
            {
                "parties": [{"name": "Ann"}, {"name": "Bo"}],
                "dialog": [line(0, "One two three."), line(1, "One.")],
            },
            {"parties": [{"name": "Ann"}], "dialog": [recorded], "analysis": [transcript]},
            {"parties": [{"name": "Bo"}], "dialog": [recorded]},
        ]
    )

    answer = await call("vcon_aggregate", group_by=["speaker"], order="words")
    first = await call("vcon_aggregate", group_by=["speaker"], order="duration", top=1)

    assert [
        (group["key"], group["vcons"], group["turns"], group["words"], group.get("duration_seconds"))
        for group in answer["groups"]
    ] == [(["ann"], 2, 2, 5, 3), (["bo"], 1, 1, 1, None), (["cy"], 1, 1, 1, 1.5)]
    assert answer["groups"][0]["label"] == ["Ann"]
    assert (answer["vcons"], answer["ungrouped"]) == (3, 1)
    assert first["groups"][0]["key"] == ["ann"]
    assert first["rest"] == {"groups": 2, "vcons": 2}


async def test_turns_of_more_vcons_than_are_read_are_not_counted(
    call: Call, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk_time, "_MAX_READ_VCONS", 1)
    await store([{"dialog": [line(0, "Yes.")], "parties": [{"name": "Ann"}]} for _ in range(2)])

    answer = await call("vcon_aggregate", group_by=["speaker"])

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert answer["details"] == {"parameter": "filters", "reason": "too_many_vcons", "max": 1}


@pytest.mark.usefixtures("small")
async def test_filters_are_those_of_search_and_say_why_nothing_is_left(call_as: CallAs) -> None:
    ask = call_as(CORPUS)
    february = {"start_date": "2025-02-01", "end_date": "2025-02-28", "tags": {"department": "sales"}}
    found = await ask("vcon_aggregate", group_by=["month"], filters=february)
    none = await ask("vcon_aggregate", group_by=["month"], filters={"tags": {"department": "sails"}})

    assert without_labels(found) == [{"key": ["2025-02"], **facts(SMALL[:1])}]
    assert none["vcons"] == 0
    assert none["groups"] == []
    assert none["hints"][0]["reason"] == "value_not_seen"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"group_by": ["year"]}, "unknown_value"),
        ({"group_by": ["tag:departmnt"]}, "unknown_tag_key"),
        ({"group_by": ["tag:"]}, "bad_tag_key"),
        ({"group_by": ["day", "day"]}, "repeated_value"),
        ({"group_by": ["day"], "filters": {"party_tel": "1"}}, "too_few_digits"),
        ({"group_by": ["speaker", "month"]}, "not_together"),
        ({"group_by": ["day"], "order": "words"}, "not_together"),
    ],
    ids=["unknown", "no-such-key", "no-key", "twice", "filter", "speaker-and-month", "words-of-days"],
)
@pytest.mark.usefixtures("small")
async def test_what_cannot_be_counted_is_refused(call_as: CallAs, arguments: JsonObject, reason: str) -> None:
    answer = await call_as(CORPUS)("vcon_aggregate", **arguments)

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert answer["details"]["reason"] == reason


@pytest.mark.usefixtures("small")
async def test_nothing_of_another_tenant_is_counted(call: Call) -> None:
    answer = await call("vcon_aggregate", group_by=["party"])

    assert (answer["vcons"], answer["parties"], answer["groups"]) == (0, 0, [])
    assert answer["hints"] == [{"reason": "nothing_stored", "message": "Nothing is stored yet."}]


async def test_an_answer_without_top_is_small_whatever_the_names(call: Call, store: Store) -> None:
    await store(
        [
            {
                "created_at": f"2025-01-{day:02}T00:00:00.123456Z",
                "parties": [{"name": f"{day:02} " + "Ä very long name " * 14}],
                "dialog": [dialog(1.5)],
                "tags": {"remark": f"{day:02} " + "x" * 250, "note": f"{day:02} " + "y" * 250},
            }
            for day in range(1, 21)
        ]
    )

    long = await call("vcon_aggregate", group_by=["party", "tag:remark", "tag:note"])
    short = await call("vcon_aggregate", group_by=["day", "hour", "month"])

    assert 1 <= len(long["groups"]) < len(short["groups"]) == 10
    assert long["rest"]["groups"] == long["rest"]["vcons"] == 20 - len(long["groups"])
    for answer in (long, short):
        assert model_tokens(json.dumps(answer, ensure_ascii=False)) < 2_000


@pytest.mark.skipif(not REAL_FILES.is_dir(), reason=f"{REAL_FILES} is not there")
async def test_groups_of_files_that_nobody_here_made_are_what_they_hold(call: Call, store: Store) -> None:
    vcons: list[JsonObject] = [json.loads(path.read_text()) for path in sorted(REAL_FILES.glob("*.json"))]
    await store(vcons)
    tags: list[tuple[str, ...]] = [
        (f"tag:{key}",) for key in sorted({key for vcon in vcons for key in tags_in(vcon)})
    ]
    cases: list[list[tuple[str, ...]]] = [
        *([part] for part in OF_ONE if part != ("dealer",)),
        [("month",), *tags[:2]],
    ]
    cases += [[tag] for tag in tags]

    assert len(vcons) == 601
    for parts in cases:
        group_by = list(sum(parts, ()))
        answer = await call("vcon_aggregate", group_by=group_by, top=500)
        groups = counted(vcons, parts)
        assert without_labels(answer) == groups[:500], group_by
        assert answer["rest"]["groups"] == max(0, len(groups) - 500)
        assert answer["rest"]["vcons"] == sum(group["vcons"] for group in groups[500:])
        assert answer["vcons"] == 601
        default = await call("vcon_aggregate", group_by=group_by)
        assert model_tokens(json.dumps(default)) < 2_000


@pytest.mark.usefixtures("small")
async def test_whole_months_are_compared_with_as_many_before(call_as: CallAs) -> None:
    answer = await call_as(CORPUS)("vcon_trends", periods=2, filters={"end_date": "2025-03-15"})

    assert answer["from"] == "2025-01-01"
    assert [(each["begins"], each["vcons"]) for each in answer["periods"]] == [
        ("2024-11-01", 0),
        ("2024-12-01", 1),
        ("2025-01-01", 0),
        ("2025-02-01", 3),
    ]
    assert answer["measures"] == [
        {"name": "vcons", "now": 3, "before": 1, "change": 2, "growth": 2},
        {"name": "dialogs", "now": 6, "before": 1, "change": 5, "growth": 5},
        {"name": "analyses", "now": 2, "before": 2, "change": 0, "growth": 0},
        {"name": "attachments", "now": 2, "before": 2, "change": 0, "growth": 0},
        {"name": "parties", "now": 2, "before": 2, "change": 0, "growth": 0},
    ]
    assert answer["tags"] == [
        {"key": "department", "now": 2, "before": 1, "change": 1, "growth": 1},
        {"key": "level", "now": 1, "before": 0, "change": 1},
    ]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("period", ["day", "week"])
async def test_periods_hold_what_groups_of_them_do(call_as: CallAs, period: str) -> None:
    filters = {"end_date": "2025-02-02", "party_name": "Bob"}
    trends = await call_as(CORPUS)("vcon_trends", period=period, periods=5, filters=filters)
    groups = await call_as(CORPUS)("vcon_aggregate", group_by=[period], filters=filters)

    assert [each["vcons"] for each in trends["periods"] if each["vcons"]] == [2]
    assert [group["vcons"] for group in groups["groups"]] == [2]
    assert len(trends["periods"]) == 10


async def test_trends_of_nothing_say_why(call: Call) -> None:
    answer = await call("vcon_trends")

    assert answer["hints"] == [{"reason": "nothing_stored", "message": "Nothing is stored yet."}]
    assert all("growth" not in each for each in answer["measures"])
    early = await call("vcon_trends", filters={"end_date": "0005-01-01"})
    assert early["details"]["reason"] == "bad_date"


async def test_of_a_conversation_with_versions_the_latest_counts_once(call: Call, store: Store) -> None:
    def made(number: int, **members: object) -> JsonObject:
        uuid = f"01900000-0000-8000-8000-00000000000{number}"
        created_at = "2025-09-14T10:00:00Z"
        return {"uuid": uuid, "created_at": created_at, "parties": [ANN], "tags": {"step": number}, **members}

    def of(number: int) -> JsonObject:
        return {"uuid": f"01900000-0000-8000-8000-00000000000{number}"}

    await store(
        [
            made(1),  # amended by 2
            made(2, amended=of(1)),
            made(3),  # redacted as 4
            made(4, redacted={"type": "privacy", **of(3)}),
            made(5, redacted={"type": "privacy", **of(9)}),  # whose original is not stored
            made(6, amended=of(6)),
        ]
    )
    latest, everything = [2, 3, 5, 6], [1, 2, 3, 4, 5, 6]

    for filters, steps, left_out in (
        ({}, latest, 2),
        ({"versions": "latest"}, latest, 2),
        ({"versions": "all"}, everything, 0),
        ({"tags": {"step": 1}}, [], 1),
        ({"version_of": of(1)["uuid"]}, [2], 0),
    ):
        groups = await call("vcon_aggregate", group_by=["tag:step"], filters=filters)
        trends = await call("vcon_trends", filters={**filters, "end_date": "2025-10-02"}, periods=1)
        assert sorted(group["key"] for group in groups["groups"]) == [[str(step)] for step in steps]
        assert groups["vcons"] == sum(each["vcons"] for each in trends["periods"]) == len(steps)
        assert {each.get("versions_left_out", 0) for each in (groups, trends)} == {left_out}

    early = await call("vcon_trends", filters={"end_date": "2025-09-02"}, periods=1)
    assert "versions_left_out" not in early
    for nodes in (["tag_key"], ["tag_value"]):
        for filters, steps in (({}, latest), ({"versions": "all"}, everything)):
            item = (await call("vcon_graph_shape", node_types=nodes, filters=filters))["item"]
            assert sum(node["count"] for node in item["nodes"]) == len(steps)
            assert item["corpus"]["vcons"] == len(steps)
            assert item["corpus"].get("versions_left_out", 0) == 6 - len(steps)
        whole = (await call("vcon_graph_shape", node_types=nodes))["item"]
        assert (sum(node["count"] for node in whole["nodes"]), whole["corpus"]["vcons"]) == (4, 4)
    listed = await call("vcon_search", mode="metadata", filters={"versions": "latest"}, limit=10)
    assert (listed["page"]["total"], len(listed["items"])) == (4, 4)
    assert (await call("vcon_search", mode="metadata"))["page"]["total"] == 6
