"""vcon_recall gives the turns that answer a question, within its budget."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import ALL_SCOPES, Ask, Call
from tests.tools.contract.conftest import CallAs, Embed, Store
from vcontract.handlers.contract.recall_days import NamedDays
from vcontract.handlers.contract.recall_packing import Packing, RecallHit, ShownLine
from vcontract.runtime.app import App
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.importer import Options, TranscriptImporter
from vcontract.runtime.imports.transcripts.storing import TranscriptStore
from vcontract.runtime.store.search.search_params import read_query
from vcontract.runtime.store.vcons.preparation import PrepareContext
from vcontract.runtime.store.vcons.store import VconStore

_SESSION: Final = Path(__file__).parents[3] / "docs" / "demo_session.jsonl"
_ALLOTMENT: Final = (
    ("Moira", "The city has given us plot 31! The waiting list was five years."),
    ("Sven", "No! The one with the old pear tree?"),
    ("Greta", "I bring my father's tools, he left four spades."),
    ("Moira", "Saturday I am on call for Greyfriars, Sunday is better."),
    ("Sven", "Hello!"),
    ("Greta", "What did the skip cost, and who paid it?"),
    ("Sven", "Ninety in all. I paid, so thirty from each of you."),
    ("Moira", "Thank you!"),
)
_HOLIDAY: Final = (
    ("Ann", "The ferry to Bergen leaves on the fourth of June at nine."),
    ("Bo", "Who has the tickets for the ferry?"),
    ("Ann", "I printed the ferry tickets twice, they are in the blue folder."),
)


def chat(
    turns: Sequence[tuple[str, str]], *, subject: str = "", at: str = "2025-03-01T09:00:00Z"
) -> JsonObject:
    """A conversation of text turns, a minute apart."""
    names = list(dict.fromkeys(name for name, _ in turns))
    minute = at[:14]
    return {
        "vcon": "0.4.0",
        "created_at": at,
        **({"subject": subject} if subject else {}),
        "parties": [{"name": name} for name in names],
        "dialog": [
            {
                "type": "text",
                "start": f"{minute}{number:02}:00Z",
                "parties": [names.index(name)],
                "originator": names.index(name),
                "mediatype": "text/plain",
                "encoding": "none",
                "body": text,
            }
            for number, (name, text) in enumerate(turns)
        ],
    }


@pytest.fixture
async def chats(store: Store, embed: Embed) -> list[str]:
    """The uuids of two chats that words and meaning find."""
    uuids = await store(
        [
            chat(_ALLOTMENT, subject="The allotment"),
            chat(_HOLIDAY, subject="Norway", at="2025-05-20T10:00:00Z"),
        ]
    )
    await embed()
    return uuids


def shown(answer: JsonObject) -> list[tuple[str, int]]:
    """The turns that an answer shows, by conversation."""
    return [
        (item["id"], turn["turn"]) for item in answer["items"] for turn in item["turns"] if "turn" in turn
    ]


async def test_a_question_is_answered_by_whole_turns_under_their_conversation(
    ask: Ask, chats: list[str]
) -> None:
    answer = await ask("vcon_recall", query="what did the skip cost")

    lines = answer.text.splitlines()
    assert lines[0].startswith("Sat 2025-03-01 09:00 | The allotment | Moira, Sven, Greta | ")
    assert chats[0].startswith(lines[0].rsplit(" | ")[-1])
    assert "[5] Greta: What did the skip cost, and who paid it?" in lines
    assert "[6] Sven: Ninety in all. I paid, so thirty from each of you." in lines
    assert lines[-1].startswith("An answer is likely above.")
    (item, *_) = answer.structured["items"]
    turn = next(turn for turn in item["turns"] if turn["turn"] == 5)
    assert turn == {
        "turn": 5,
        "speaker": "Greta",
        "at": "2025-03-01T09:05:00Z",
        "text": "What did the skip cost, and who paid it?",
    }
    assert answer.structured["meta"]["answerable"] == "likely"


@pytest.mark.parametrize("query", ["Where are they?", "How are you?"])
async def test_a_question_of_stop_words_is_answered_by_meaning(
    ask: Ask, call: Call, chats: list[str], query: str
) -> None:
    answer = await ask("vcon_recall", query=query)
    semantic, hybrid = [
        await call("vcon_search", mode=mode, query=query, threshold=0) for mode in ("semantic", "hybrid")
    ]

    assert {id_ for id_, _ in shown(answer.structured)} <= {*chats}
    assert answer.structured["items"]
    assert "never_said" not in answer.structured["meta"]
    assert [item["uuid"] for item in hybrid["items"]] == [item["uuid"] for item in semantic["items"]] != []
    assert hybrid["meta"]["matching"] == "semantic"


async def test_a_question_of_which_only_the_names_are_said_is_not_called_answered(
    ask: Ask, chats: list[str]
) -> None:
    answer = await ask("vcon_recall", query="which tattoo did Sven and Greta get")

    assert answer.structured["meta"]["answerable"] == "unsure"
    assert "likely" not in answer.text


async def test_the_beginning_of_an_id_in_the_text_fetches_the_conversation(
    ask: Ask, call: Call, chats: list[str]
) -> None:
    text = (await ask("vcon_recall", query="ferry tickets")).text
    short = text.splitlines()[0].rsplit(" | ")[-1]

    fetched = await call("vcon_fetch", id=short, turns="1-2")

    assert fetched["item"]["uuid"] == chats[1]
    assert [turn["turn"] for turn in fetched["item"]["turns"]] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "turns"),
    [
        pytest.param({"speaker": "Ann"}, {(1, 0), (1, 2)}, id="who says it"),
        pytest.param({"people": ["bo", "ann"]}, {(1, 0), (1, 1), (1, 2)}, id="who takes part"),
        pytest.param({"people": ["Ann", "Moira"]}, set[tuple[int, int]](), id="people who never met"),
        pytest.param({"until": "2025-04-30"}, set[tuple[int, int]](), id="until a day"),
        pytest.param({"since": "2025-05-20", "until": "2025-05-20"}, {(1, 0), (1, 1), (1, 2)}, id="one day"),
        pytest.param({"filters": {"subject": "norway"}}, {(1, 0), (1, 1), (1, 2)}, id="a filter of search"),
        pytest.param({"kinds": ["session"]}, set[tuple[int, int]](), id="another kind"),
    ],
)
async def test_a_question_is_narrowed(
    call: Call, chats: list[str], arguments: JsonObject, turns: set[tuple[int, int]]
) -> None:
    answer = await call("vcon_recall", query="ferry tickets", **arguments)

    found = {(chats.index(id_), turn) for id_, turn in shown(answer) if id_ == chats[1]}
    by_others = {
        (chats.index(item["id"]), turn["turn"])
        for item in answer["items"]
        for turn in item["turns"]
        if turn.get("speaker") != arguments.get("speaker")
    }
    assert (found - by_others if "speaker" in arguments else found) == turns


_YEAR: Final = (
    ("2025-02-16", "Moira", "The beans need a pole, I bring one."),
    ("2025-03-02", "Sven", "The skip for the brambles costs 90."),
    ("2025-03-02", "Greta", "My back hurts."),
    ("2025-05-18", "Greta", "The beans need a pole at last, mine broke."),
    ("2025-05-18", "Sven", "I itch to the ears."),
)


@pytest.fixture
async def year(store: Store, embed: Embed) -> str:
    """The uuid of a chat over a year."""
    document = chat([(name, text) for _, name, text in _YEAR], subject="The plot")
    document["created_at"] = "2025-02-16T09:00:00Z"
    for dialog, (day, _, _) in zip(document["dialog"], _YEAR, strict=True):
        dialog["start"] = f"{day}{dialog['start'][10:]}"
    (uuid,) = await store([document])
    await embed()
    return uuid


@pytest.mark.parametrize(
    ("query", "first", "days"),
    [
        ("which beans need a pole in May", {3}, ["May"]),
        ("which beans need a pole in February", {0}, ["February"]),
        ("which beans need a pole on 18 May 2025", {3}, ["18 May 2025"]),
        ("which beans need a pole on a Sunday", {0, 3}, ["Sunday"]),
        ("which beans need a pole", {0, 3}, None),
    ],
)
async def test_a_day_in_a_question_prefers_what_was_said_then_and_leaves_nothing_out(
    ask: Ask, year: str, query: str, first: set[int], days: list[str] | None
) -> None:
    answer = await ask("vcon_recall", query=query, explain=True, max_tokens=2000)

    turns = [turn for item in answer.structured["items"] for turn in item["turns"] if not turn.get("context")]
    assert {0, 3} <= {turn["turn"] for turn in turns}
    assert answer.structured["meta"].get("days") == days
    assert ("Preferred what was said on: " in answer.text) is (days is not None)
    alone = await ask("vcon_recall", query=query, max_tokens=100, filters={"subject": "plot"})
    assert first & {turn["turn"] for item in alone.structured["items"] for turn in item["turns"]}


@pytest.mark.parametrize("query", ["What did Greta say on the 2nd of March?", "what happened on 2 March"])
async def test_a_question_for_a_day_alone_lists_what_was_said_on_it(
    call: Call, year: str, query: str
) -> None:
    answer = await call("vcon_recall", query=query, explain=True)

    hits = [turn for item in answer["items"] for turn in item["turns"] if not turn.get("context")]
    assert [turn["turn"] for turn in hits] == [1, 2]
    assert {turn["at"][:10] for turn in hits} == {"2025-03-02"}


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what did we decide yesterday", "2026-03-01"),
        ("Today?", "2026-03-02"),
        ("who called last week", "2026-02-23 to 2026-03-01"),
        ("who called this week", "2026-03-02"),
        ("what was sold last month", "2026-02-01 to 2026-02-28"),
        ("what was sold Last Year", "2025-01-01 to 2025-12-31"),
        ("what was sold this year", "2026-01-01 to 2026-03-02"),
        ("what was sold last week in March 2025", "March 2025"),
        ("what lasted a week", ""),
    ],
)
def test_days_relative_to_now_are_read_where_no_date_is_named(question: str, days: str) -> None:
    named = NamedDays.of(read_query(question, any_word=True), question, date(2026, 3, 2))

    assert str(named) == days
    assert bool(named) is bool(days)


async def test_a_span_of_days_in_a_question_prefers_what_was_said_then(
    ask: Ask, store: Store, embed: Embed
) -> None:
    shed = "and the rake leans by the shed, " * 8
    document = chat(
        [
            ("Ann", f"The beans need a pole {shed}"),
            ("Bo", "Hello."),
            ("Ann", f"The peas need a pole {shed}"),
        ]
    )
    now = datetime.now(UTC)
    for dialog, ago in zip(document["dialog"], (9, 9, 1), strict=True):
        dialog["start"] = f"{now.year - ago}-06-01T09:00:00Z"
    await store([document])
    await embed()

    answer = await ask("vcon_recall", query="what needs a pole last year", explain=True, max_tokens=100)

    shown = {turn["turn"] for turn in answer.structured["items"][0]["turns"]}
    assert 2 in shown
    assert 0 not in shown
    assert f"Preferred what was said on: {now.year - 1}-01-01 to {now.year - 1}-12-31." in answer.text


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which beans need a pole last week?", True),
        ("Which beans need a pole in March 2019?", True),
        ("Which beans need a pole in June 2020?", False),
        ("Which beans need a pole on Monday?", False),
        ("Which beans need a pole in March 2919?", False),
    ],
)
async def test_a_time_of_which_nothing_is_stored_is_said_and_makes_no_answer_likely(
    ask: Ask, store: Store, embed: Embed, question: str, named: bool
) -> None:
    document = chat([("Ann", "Which beans need a pole?"), ("Bo", "The runner beans need a pole.")])
    for turn in document["dialog"]:
        turn["start"] = "2020-06-01T09:00:00Z"
    await store([{**document, "created_at": "2020-06-01T09:00:00Z"}])
    await embed()

    answer = await ask("vcon_recall", query=question)

    meta = answer.structured["meta"]
    assert answer.structured["items"]
    assert [hint["reason"] for hint in meta.get("hints", [])] == ["no_vcons_of_that_time"] * named
    assert ("Nothing is stored of" in answer.text) is named
    assert not named or meta["answerable"] == "unsure"


async def test_older_and_redacted_versions_are_marked_beside_the_others(
    ask: Ask, store: Store, embed: Embed
) -> None:
    older = {**chat([("Ann", "The skip cost ninety.")]), "uuid": str(UUID(int=8 << 76 | 2 << 62 | 1))}
    newer = chat([("Ann", "The skip cost ninety-five.")]) | {"amended": {"uuid": older["uuid"]}}
    less = chat([("XXX", "The skip cost ninety.")]) | {"redacted": {"uuid": older["uuid"], "type": "names"}}
    old, new, redacted = await store([older, newer, less])
    await embed()

    answer = await ask("vcon_recall", query="what did the skip cost")

    heads = [line for line in answer.text.splitlines() if " | " in line]
    marks = {
        id_: next(line for line in heads if id_.startswith(line.rpartition(" | ")[2]))
        for id_ in (old, new, redacted)
    }
    assert "| older version |" in marks[old]
    assert "| redacted version |" in marks[redacted]
    assert "version" not in marks[new]
    expected = {old: "older", new: None, redacted: "redacted"}
    assert {item["id"]: item.get("version") for item in answer.structured["items"]} == expected
    for mode in ({"mode": "metadata"}, {"mode": "hybrid", "query": "skip cost", "include": ["hits"]}):
        items = (await ask("vcon_search", **mode)).structured["items"]
        assert {item["id"]: item.get("version") for item in items} == expected, mode


async def test_ids_and_rows_of_numbers_are_no_lines_of_an_answer(
    ask: Ask, store: Store, embed: Embed
) -> None:
    document = chat([("Ann", "I am furious about the late parcel."), ("Bo", "I am sorry.")])
    document["analysis"] = [
        {"type": "sentiment", "vendor": "x", "encoding": "json", "body": body}
        for body in ('{"tone": "negative", "at": [0, 120, 260, 400]}', '["n2"]')
    ]
    await store([document])
    await embed()

    answer = await ask("vcon_recall", query="how did the customer feel?")
    by_word = await ask("vcon_recall", query="negative")

    assert "furious" in answer.text
    assert "260" not in answer.text
    assert "n2" not in answer.text
    assert "260" in by_word.text
    for mode in ("hybrid", "semantic"):
        found = await ask("vcon_search", mode=mode, query="how did the customer feel?", threshold=0)
        (item,) = found.structured["items"]
        assert item["match"]["hits"], mode
        assert not [hit for hit in item["match"]["hits"] if hit["content_type"] == "analysis"], mode
    (marked,) = (await ask("vcon_search", mode="keyword", query="n2")).structured["items"]
    assert marked["match"]["hits"][0]["snippet"] == "<mark>n2</mark>"


async def test_where_nothing_is_shown_nothing_was_found(ask: Ask, year: str) -> None:
    answer = await ask("vcon_recall", query="What did Zoe say on the 2nd of March?", speaker="Zoe")

    assert answer.structured["items"] == []
    assert answer.structured["meta"]["answerable"] == "nothing_found"
    assert answer.text.startswith('Nothing found that answers it. No conversation matches speaker "zoe".')
    assert "conversations match" not in answer.text


@pytest.mark.parametrize(
    ("arguments", "reason", "filter_", "nearest"),
    [
        ({"speaker": "Moria"}, "value_not_seen", "speaker", [{"value": "Moira"}]),
        ({"people": ["Sven", "Zoe"]}, "value_not_seen", "people", []),
        ({"since": "2025-06-01"}, "no_vcons_of_that_time", "since", None),
        ({"until": "2024-06-01"}, "no_vcons_of_that_time", "until", None),
        ({"filters": {"subject": "The plut"}}, "value_not_seen", "subject", [{"value": "The plot"}]),
        ({"speaker": "Moira", "since": "2025-05-01"}, "not_by_speaker", None, None),
    ],
)
async def test_an_empty_answer_names_the_parameter_that_leaves_nothing(
    ask: Ask,
    year: str,
    arguments: JsonObject,
    reason: str,
    filter_: str | None,
    nearest: list[JsonObject] | None,
) -> None:
    answer = await ask("vcon_recall", query="which beans need a pole", **arguments)

    (hint,) = answer.structured["meta"]["hints"]
    near = [{"value": each["value"]} for each in hint["nearest"]] if nearest is not None else None
    assert answer.structured["items"] == []
    assert (hint["reason"], hint.get("filter"), near) == (reason, filter_, nearest)
    assert hint["message"] in answer.text


async def test_the_best_conversation_is_whole_where_it_is_short(
    call: Call, store: Store, embed: Embed
) -> None:
    document = chat(
        [
            ("Ann", "The ferry to Bergen sails at nine."),
            ("Bo", "Mine is the blue bag."),
            ("Ann", "Grey trousers it is."),
            ("Bo", "Ninety kroner."),
            ("Ann", "Is that the ferry?"),
            ("Bo", "Bread and eggs."),
        ]
    )
    await store([document])
    await embed()

    answer = await call("vcon_recall", query="when does the ferry to Bergen sail")

    (item,) = answer["items"]
    assert [turn["turn"] for turn in item["turns"]] == [*range(6)]


@pytest.mark.parametrize(("further", "ends"), [(0, "[2]"), (1, "[3]"), (20, "…")])
async def test_a_conversation_that_goes_on_after_its_last_line_says_so(
    ask: Ask, store: Store, embed: Embed, further: int, ends: str
) -> None:
    said = ["The ferry to Bergen sails at nine.", "Mine is the blue bag.", "Grey trousers it is."]
    await store([chat([("Ann", text) for text in (*said, *["Ninety kroner."] * further)])])
    await embed()

    answer = await ask("vcon_recall", query="when does the ferry to Bergen sail")

    assert answer.text.split("\n\n")[0].splitlines()[-1].startswith(ends)


@pytest.mark.parametrize(
    ("window", "turns"),
    [
        ({"since": "2025-05-01"}, {3, 4}),
        ({"until": "2025-02-28"}, {0}),
        ({"since": "2025-03-01", "until": "2025-03-31"}, {1, 2}),
        ({"since": "2025-05-18T00:00:00Z"}, {3, 4}),
        ({"since": "2025-05-19"}, set[int]()),
        ({"since": "2025-03-03", "until": "2025-05-17"}, set[int]()),
        ({"since": "2025-03-01", "filters": {"start_date": "2025-03-01"}}, set[int]()),
    ],
)
@pytest.mark.parametrize("query", ["which beans need a pole", "an aching spine", '"the beans" pole'])
async def test_since_and_until_bound_what_was_said_whenever_its_chat_began(
    call: Call, year: str, window: JsonObject, turns: set[int], query: str
) -> None:
    answer = await call("vcon_recall", query=query, max_tokens=2000, explain=True, **window)

    hits = {
        turn["turn"]
        for item in answer["items"]
        for turn in item["turns"]
        if "turn" in turn and not turn.get("context")
    }
    assert hits <= turns
    assert bool(hits) is bool(turns)


async def test_a_window_that_ends_before_it_starts_is_refused_with_one_that_does_not(
    call: Call,
) -> None:
    answer = await call("vcon_recall", query="beans", since="2025-05-02", until="2025-05-01")

    assert answer["error"]["code"] == "AMBIGUOUS_QUERY"
    assert answer["error"]["details"]["suggestion"] == {"since": "2025-05-01", "until": "2025-05-02"}


async def test_several_wordings_are_answered_together(call: Call, chats: list[str]) -> None:
    answer = await call("vcon_recall", query=["plot 31", "when does the ferry leave"])

    of_first, of_second = (
        {
            item["id"]
            for item in answer["items"]
            for turn in item["turns"]
            if number in turn.get("answers", ())
        }
        for number in (0, 1)
    )
    assert chats[0] in of_first
    assert chats[1] in of_second


async def test_a_word_that_nobody_says_is_named(ask: Ask, chats: list[str]) -> None:
    answer = await ask("vcon_recall", query="zeppelin harpsichord quarks")

    assert answer.structured["meta"]["answerable"] == "nothing_found"
    assert answer.structured["meta"]["never_said"] == ["zeppelin", "harpsichord", "quarks"]
    assert answer.text.splitlines()[-1].startswith(
        'Nothing found that answers it. Said nowhere: "zeppelin", "harpsichord", "quarks".'
    )


async def test_a_greeting_does_not_come_alone(call: Call, chats: list[str]) -> None:
    answer = await call("vcon_recall", query="a friendly salutation to everybody", max_tokens=2000)

    alone = [turn["text"] for item in answer["items"] for turn in item["turns"] if not turn.get("context")]
    assert not {"Hello!", "Thank you!"} & {*alone}


@pytest.mark.parametrize(
    ("between", "are_shown"),
    [
        (["Rent?"], True),
        (["Rent?", "Too much."], True),
        (["One.", "Two.", "Three.", "Four."], True),
        (["So it goes. " * 40], False),
        (["One.", "Two.", "Three.", "Four.", "Five."], False),
    ],
)
def test_few_short_turns_are_not_left_out_between_two_that_are_shown(
    between: list[str], are_shown: bool
) -> None:
    source, last = UUID(int=1), len(between) + 1
    lines = {(source, number): ShownLine(text) for number, text in enumerate(["First.", *between, "Last."])}
    places = [RecallHit(source, 0, 0.7), RecallHit(source, last, 0.6), RecallHit(UUID(int=2), 0, 1.0)]
    packing = Packing(places, lines, lambda line, _: len(line.text), lambda _: 0)

    (page, *_) = packing.pages(1_000)

    filled = [(source, number) for number in range(1, last)]
    assert [*page.keys] == [(source, 0), (source, last), *(filled if are_shown else [])]


@pytest.mark.parametrize(
    ("room", "shown"), [(200, [0, 1, 2, 3]), (95, [1, 2, 3]), (50, [1, 2]), (25, [1]), (10, [])]
)
def test_turns_around_a_passage_are_shown_as_far_as_they_fit_the_answer_first(
    room: int, shown: list[int]
) -> None:
    source = UUID(int=1)
    texts = ["Before that. " * 5, "Is there a fee?", "No, there is none.", "I see. " * 6]
    lines = {(source, number): ShownLine(text) for number, text in enumerate(texts)}
    packing = Packing([RecallHit(source, 1, 1.0)], lines, lambda line, _: len(line.text), lambda _: 0)

    page = next(packing.pages(room), None)

    assert (page.by_source()[source] if page else []) == shown


async def test_a_survey_has_a_line_for_each_conversation(ask: Ask, store: Store, embed: Embed) -> None:
    uuids = await store(
        [
            chat(
                [("Ann", f"The invoice {number} was paid late."), ("Bo", "Which one?")],
                at=f"2025-0{number}-01T08:00:00Z",
            )
            for number in range(1, 8)
        ]
    )
    await embed()

    first = await ask("vcon_recall", query="invoice paid late", view="survey", max_tokens=120)
    pages = [first.structured]
    while (cursor := pages[-1]["page"]["next_cursor"]) is not None:
        again = await ask(
            "vcon_recall", query="invoice paid late", view="survey", max_tokens=120, cursor=cursor
        )
        pages.append(again.structured)
    whole = await ask("vcon_recall", query="invoice paid late", view="survey")

    listed = [item["id"] for page in pages for item in page["items"]]
    assert sorted(listed) == sorted(uuids)
    assert first.structured["meta"]["matching"] == 7
    assert "These are all that match." in whole.text
    assert "These are all that match." not in first.text
    totals, *heads = first.text.split("\n\n")[0].splitlines()
    assert totals == "7 of 7 conversations match:"
    assert len(heads) == len(first.structured["items"])
    assert all(re.search(r" hits? in 0(-1)? \| \[0\] Ann: The invoice", line) for line in heads), heads


def talks_of_the_garden() -> list[JsonObject]:
    """Three talks of Ann and Bo about pears, two of them also about the fence, and two of others."""
    return [
        chat(
            [("Ann", f"The pear tree bore {number} kilos."), ("Bo", "Nice."), ("Ann", fence)],
            at=f"2025-0{number}-01T08:00:00Z",
        )
        for number, fence in ((1, "Rain all day."), (2, "The fence rotted."), (3, "The fence was painted."))
    ] + [
        chat([("Cy", "The pear tree of Cy died."), ("Di", "Oh no.")], at="2025-04-01T08:00:00Z"),
        chat([("Cy", "Trains were late."), ("Ann", "Again.")], at="2025-05-01T08:00:00Z"),
    ]


async def test_a_list_has_a_line_for_each_turn_that_matches_with_totals(
    ask: Ask, store: Store, embed: Embed
) -> None:
    uuids = await store(talks_of_the_garden())
    await embed()

    answer = await ask("vcon_recall", query="pear tree", view="list", people=["Ann", "Bo"])

    totals, *lines = answer.text.split("\n\n")[0].splitlines()
    meta = answer.structured["meta"]
    assert totals == "3 turns in 3 of 3 conversations with Ann and Bo:"
    assert (meta["matching_turns"], meta["searched"]) == (3, 3)
    assert {line.split(" ", 1)[1] for line in lines} == {
        "[0] Wed 2025-01-01 Ann: The pear tree bore 1 kilos.",
        "[0] Sat 2025-02-01 Ann: The pear tree bore 2 kilos.",
        "[0] Sat 2025-03-01 Ann: The pear tree bore 3 kilos.",
    }
    ids = [line.split(" ", 1)[0] for line in lines]
    read = await ask("vcon_fetch", vcons=[{"id": id_, "turns": "1"} for id_ in ids])
    assert {read.structured["item"]["id"], *(each["id"] for each in read.structured["item"]["others"])} == {
        *uuids[:3]
    }


async def test_several_queries_take_turns_in_a_list_and_mark_their_lines(
    ask: Ask, store: Store, embed: Embed
) -> None:
    await store(talks_of_the_garden())
    await embed()

    answer = await ask("vcon_recall", query=["pear tree", "fence"], view="list", max_tokens=150)
    excerpts = await ask("vcon_recall", query=["pear tree", "fence"])
    single = await ask("vcon_recall", query="fence", view="list")

    _, *lines = answer.text.split("\n\n")[0].splitlines()
    assert answer.structured["page"]["has_more"]
    assert re.fullmatch(r"\S+ \[0 q1\] .* The pear tree .*\.", lines[0])
    assert re.fullmatch(r"\S+ \[2 q(1,)?2\] .* The fence .*\.", lines[1])
    assert re.search(r"^\[2 q(1,)?2\] Ann: The fence was painted\.$", excerpts.text, re.MULTILINE)
    assert "[1] Bo: Nice." in excerpts.text
    assert "q1" not in single.text


async def test_the_pages_of_a_list_hold_each_turn_once(ask: Ask, store: Store, embed: Embed) -> None:
    said = [("Ann", f"The ferry of day {number} was late.") for number in range(30)]
    await store([chat(said, at="2025-01-01T08:00:00Z"), chat(said[:5], at="2025-02-01T08:00:00Z")])
    await embed()

    seen: list[tuple[str, int]] = []
    cursor: JsonObject = {}
    while True:
        answer = await ask("vcon_recall", query="late ferry", view="list", max_tokens=300, **cursor)
        assert answer.text.splitlines()[0] == "35 turns in 2 of 2 conversations:"
        seen += shown(answer.structured)
        if (following := answer.structured["page"]["next_cursor"]) is None:
            break
        cursor = {"cursor": following}

    assert len(seen) == len({*seen}) == answer.structured["meta"]["matching_turns"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_no_answer_is_over_its_budget_and_no_turn_comes_twice(
    ask: Ask, chats: list[str], data: st.DataObject
) -> None:
    query = data.draw(
        st.sampled_from(
            ["what did the skip cost", "ferry tickets", ["plot 31", "pear tree"], "Sven zeppelin 90"]
        )
    )
    budget = data.draw(st.integers(100, 400))
    view = data.draw(st.sampled_from(["excerpts", "list", "survey"]))
    seen: list[tuple[str, int]] = []
    cursor: JsonObject = {}
    for _ in range(20):
        answer = await ask("vcon_recall", query=query, max_tokens=budget, view=view, **cursor)
        size = len(answer.text.encode())
        assert size <= 4 * budget
        assert answer.structured["meta"]["tokens"] == -(-size // 4)
        seen += shown(answer.structured)
        if (following := answer.structured["page"]["next_cursor"]) is None:
            break
        cursor = {"cursor": following}
    else:
        pytest.fail("the pages have no end")
    assert len(seen) == len({*seen})


async def test_a_long_turn_is_cut_around_its_words_and_says_so(call: Call, store: Store) -> None:
    long = f"{'We talked about the weather. ' * 60}The boiler key hangs behind the door. {'Then rain. ' * 60}"
    await store([chat([("Ann", long)])])

    answer = await call("vcon_recall", query="where is the boiler key")

    (turn,) = answer["items"][0]["turns"]
    assert turn["cut"] is True
    assert "The boiler key hangs behind the door." in turn["text"]
    assert len(turn["text"]) <= 602


async def test_words_in_a_summary_are_shown_as_what_they_are(ask: Ask, store: Store) -> None:
    document = chat([("Ann", "Hello there.")])
    summary = {"type": "summary", "vendor": "example", "dialog": 0, "body": "A tortoise was lost and found."}
    await store([document | {"analysis": [summary | {"encoding": "none"}]}])

    answer = await ask("vcon_recall", query="lost tortoise")

    assert "[summary] A tortoise was lost and found." in answer.text.splitlines()


async def test_every_kind_that_is_served_is_evidence_and_can_be_asked_for_alone(
    every_toolset: App, tenant: str, store: Store, prepare_context: PrepareContext
) -> None:
    caller = Caller(tenant, ALL_SCOPES)

    async def ask(tool: str, /, **arguments: object) -> JsonObject:
        outcome = await every_toolset.dispatcher.call(tool, dict(arguments), caller)
        assert not outcome.is_error, outcome.text
        return outcome.structured

    (uuid,) = await store([chat([("Ann", "The invoice export writes American dates.")])])
    database = every_toolset.database
    sessions = TranscriptStore(
        database, VconStore(database), prepare_context, tenant, lambda: datetime.now(UTC)
    )
    await TranscriptImporter(sessions, Options(tenant, every_toolset.settings.data_dir)).run([_SESSION])
    reflection = await ask(
        "store_reflection", content="American dates in the invoice export break the import."
    )
    felt = {"experiencer": "Ann", "perspective": "I", "processing": "during"}
    source = await ask("bridge_capture", content="I dream of American dates in an invoice export.", **felt)
    await every_toolset.worker.drain(tenant)

    everything = await ask("vcon_recall", query="American dates in the invoice export", max_tokens=5000)
    alone = {
        kind: await ask("vcon_recall", query="American dates in the invoice export", kinds=[kind])
        for kind in ("conversation", "session", "reflection", "journal")
    }

    assert everything["meta"]["kinds"] == [*alone]
    assert {item["kind"] for item in everything["items"]} == {*alone}
    for kind, answer in alone.items():
        assert {item["kind"] for item in answer["items"]} == {kind}
        assert any("date" in turn["text"].lower() for item in answer["items"] for turn in item["turns"]), kind
    assert [item["id"] for item in alone["conversation"]["items"]] == [uuid]
    assert [item["id"] for item in alone["reflection"]["items"]] == [reflection["reflection_id"]]
    assert [item["id"] for item in alone["journal"]["items"]] == [source["record"]["id"]]
    (session,) = alone["session"]["items"]
    assert (await ask("vcon_fetch", id=session["id"]))["item"]["uuid"] == session["id"]


async def test_without_vectors_words_are_searched_and_it_is_said(call: Call, store: Store) -> None:
    await store([chat(_HOLIDAY)])

    answer = await call("vcon_recall", query="ferry tickets")

    assert answer["items"]
    assert answer["meta"]["pending"] == 3


@pytest.mark.parametrize("query", ["what did the skip cost", "what was said on 1 March"])
@pytest.mark.parametrize("view", ["excerpts", "list", "survey"])
async def test_another_tenant_has_no_evidence(
    call_as: CallAs, chats: list[str], query: str, view: str
) -> None:
    answer = await call_as("somebody-else")("vcon_recall", query=query, view=view)

    assert answer["items"] == []
    assert answer["meta"]["answerable"] == "nothing_found"


@pytest.mark.parametrize(
    ("arguments", "details"),
    [
        ({"query": "refund", "since": "last week"}, {"parameter": "since", "reason": "bad_date"}),
        ({"query": "refund", "until": "soon"}, {"parameter": "until", "reason": "bad_date"}),
        ({"query": "refund", "people": ["?!"]}, {"parameter": "people", "reason": "nothing_to_match"}),
        ({"query": "refund", "kinds": ["journal"]}, {"parameter": "kinds", "reason": "not_served"}),
    ],
)
async def test_what_cannot_be_followed_is_refused(
    call: Call, arguments: JsonObject, details: JsonObject
) -> None:
    answer = await call("vcon_recall", **arguments)

    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    reported = answer["error"]["details"]
    assert {name: reported[name] for name in details} == details
