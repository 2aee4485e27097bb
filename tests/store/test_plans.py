"""Plans: how many rows of a large store each statement looks at for what it answers."""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import md5
from inspect import getsource, isfunction
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import pytest

from tests.house import ROOT
from tests.plans import PlansOf, explaining, rows_read_by
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import query
from vcontract.runtime.store.search import candidates
from vcontract.runtime.store.search.candidates import (
    Candidate,
    CandidateQuery,
    Cut,
    QueryWords,
    find_candidates,
    find_with_context,
    read_context,
    read_words,
    words_of_vcons,
)
from vcontract.runtime.store.search.hits import read_shown

TENANT = "plans"
STORE = Path(__file__).with_name("large_store.sql")


@pytest.fixture(scope="module")
async def stored(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    # the fixture `superuser` fails for any other role
    if await connection.fetchval("select rolsuper from pg_roles where rolname = current_user"):
        await connection.execute(STORE.read_text(encoding="utf-8"))
    await connection.close()


@pytest.fixture
async def plans_of(superuser: None, stored: None, database_url: str) -> AsyncIterator[PlansOf]:
    async with explaining(database_url, TENANT) as plans_of:
        yield plans_of


def uid(kind: str, number: int) -> UUID:
    digest = md5(kind.encode(), usedforsecurity=False).hexdigest()
    return UUID(f"{digest[:8]}-0000-8000-8000-{number:012x}")


SOME = [uid("vcon", number) for number in range(100, 140)]
"""Forty vCons."""
SOME_EXCHANGES = [uid("exchange", number * 10 + 3) for number in range(100, 120)]
RARE: JsonObject = {"required": [[{"words": "'w7'"}]]}
"""A word of six vCons."""
FILE = f"{md5(b'7', usedforsecurity=False).hexdigest()}0.py"
"""Changed in fifty exchanges."""
SOURCE = "src_" + "7".zfill(26)
PAGE = 26


class Case(NamedTuple):
    """A statement, and how many rows of each table it may look at."""

    name: str
    statement: str | Callable[[Connection], Awaitable[object]]
    arguments: tuple[object, ...]
    rows: dict[str, int]


def called(function: str, *arguments: object, **rows: int) -> Case:
    texts = [json.dumps(value) if isinstance(value, dict) else value for value in arguments]
    numbered = ", ".join(f"${number}" for number in range(1, len(texts) + 1))
    name = " ".join([function, *(str(text)[:60] for text in texts if not isinstance(text, list))])
    statement = f"select * from vcontract.{function}({numbered})"  # noqa: S608  (names of functions)
    return Case(name, statement, tuple(texts), rows)


def asked(name: str, rows: dict[str, int], /, **values: object) -> Case:
    sql, *arguments = query(name, **values)
    return Case(name, sql, tuple(arguments), rows)


FILTERED = ("vcon", "party", "search_document", "dealer", "tag", "turn", "vocabulary")
FILTERS: list[tuple[str, JsonValue]] = [
    ("party_name", "ann 8f14e45f*"),
    ("party_email", "8f14e45f"),
    ("party_role", "judge"),
    ("subject", "number 1177"),
    ("dealer_id", "dealer 7"),
    ("dealer_name", "8f14e45f"),
    ("features", ["analysis:rare"]),
    ("tags", [{"key": "batch", "value": "7"}]),
    ("said", {"any": "'common' <-> 'w7'", "all": ["'w7'"]}),
    ("version_of", str(uid("vcon", 7))),
]
"""Filters that few vCons meet."""


def searches() -> Iterator[Case]:
    """Pages by a filter alone, whether many or few meet it, and what counts them."""
    few = dict.fromkeys(FILTERED, 40)
    for name, value in FILTERS:
        for function, most in (("search_newest", PAGE), ("search_count", 10_001)):
            yield called(function, {name: value}, "vcon", most, **few)
    frequent = dict.fromkeys(("search_document", "vcon", "analysis", "vocabulary"), 5 * PAGE)
    for name, value in (
        ("party_role", "agent"),
        ("features", ["analysis:summary"]),
        ("analysis_vendor", "vendor 1"),
    ):
        yield called("search_newest", {name: value}, "vcon", PAGE, **frequent)
    scope: JsonObject = {"names": ["project 1"], "roots": ["/home/p1"], "projects": [str(uid("project", 1))]}
    scoped = {"search_document": 200, "transcript_exchange": 400, "transcript": 400}
    yield called("search_newest", {"scope": scope, "sidechains": False}, "exchange", PAGE, **scoped)
    # of a fifth of all reflections: one look at each is less than one by one
    fifth = {"search_document": 3_000, "reflection": 600}
    yield called("search_newest", {"scope": scope}, "reflection", PAGE, **fifth)


def counts() -> Iterator[Case]:
    """Counts of what matches read what matches; those of the whole store are kept."""
    for about, table in (
        *(("dealer", "dealer"), ("party", "party"), ("tag_value", "tag"), ("role", "vcon")),
        *(("month", "search_document"), ("day", "search_document"), ("hour", "search_document")),
    ):
        yield called("search_tally", RARE, "vcon", about, 10, **{"search_document": 6, table: 18})
    # of a word in every turn, each turn and each vCon is read once
    each_once = {"search_document": 24_100, "turn": 24_100}
    for when in ({"first_seconds": 10}, {"last_seconds": 10}):
        said: JsonObject = {"any": "'common'", **when}
        yield called("search_count", {"said": said}, "vcon", 12_001, **each_once)
        yield called("search_count", {"not_said": said}, "vcon", 12_001, **each_once)
        unknown: JsonObject = {"not_said": said, "said_unknown": True}
        yield called("search_count", unknown, "vcon", 12_001, **each_once)
    yield called("search_tally", {}, "vcon", "party", 10, vocabulary=3_010)
    yield called("search_tally", {}, "vcon", "tag_value", 10, vocabulary=3_010)
    of_six = {"search_document": 6, "dialog": 12, "dealer": 6, "party": 18, "analysis": 6}
    yield called("aggregate_vcons", RARE, ["dealer", "party", "type"], "count", 10, **of_six)
    # a turn in a hundred has a duration
    of_all = {"search_document": 12_000, "tag": 26_000, "party": 24_010, "dialog": 240}
    yield called("aggregate_vcons", {}, ["tag:side"], "count", 10, **of_all)
    of_six = {"search_document": 6, "dialog": 12, "tag": 6, "attachment": 6, "party": 12}
    yield called("aggregate_vcons", RARE, ["tag:side", "purpose", "hour"], "count", 10, **of_six)
    of_six |= {"turn": 12, "party": 40}
    measures = ["talk_seconds", "tag:side"]
    yield called("aggregate_vcons", RARE, ["role"], "count", 10, measures, **of_six)
    yield called("aggregate_vcons", RARE, ["party"], "count", 10, measures, **of_six)
    yield called("measure_values", RARE, measures, search_document=6, tag=6)
    yield called("times_said_by", {"said": {"any": "'w7'"}}, search_document=6, turn=40)
    two_weeks = {"search_document": 336, "vcon": 336, "party": 336, "tag": 800}
    yield called("trend_vcons", {}, "day", 7, datetime(2025, 6, 1, tzinfo=UTC), **two_weeks)
    week = (datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 5, 8, tzinfo=UTC))
    in_a_week = {"vcon": 168, "dealer": 168, "tag": 800}
    yield called("aggregate_vcons_by_dealer_stats", {"side": "1"}, *week, **in_a_week)
    yield called("superseded_versions", vcon=3)
    facts = (["vcon"], ["'w7'"], 10_001, ["ann"])
    yield called("query_facts", *facts, search_document=6, embedding_space=2, pg_class=2)
    yield called("superseded_count", {}, vcon=3, search_document=2)
    latest = {**RARE, "versions": "latest"}
    yield called("search_tally", latest, "vcon", "dealer", 10, vcon=3, search_document=6, dealer=18)
    yield called("counted", ["value"], ["side"])
    yield called("tag_values", ["side"])
    yield called("usage", TENANT)
    yield asked("counts_of_values", {"vocabulary": 2}, key="batch", values=["1", "2"], tenant=TENANT)
    yield asked("most_used_values", {"vocabulary": 5}, keys=["batch"], most=[5], tenant=TENANT)
    yield asked("feature_sets", {"vcon": 100}, most=100, tenant=TENANT, without=[])
    yield asked("tag_keys", {"tag": 4}, tenant=TENANT)
    of_forty: JsonObject = {"tenant": TENANT, "ids": SOME, "passages": 10}
    yield asked("topic_vectors", {"vcon": 40}, **of_forty)
    yield asked("topic_words", {"passage": 80, "party": 120}, **of_forty, most=600)


def of_some() -> Iterator[Case]:
    """Reading some items reads their rows and those beside them only."""
    yield called("relations_of", SOME, vcon=80)
    yield called("relations_of", [uid("vcon", 7)], vcon=4)
    yield called("amended_versions", uid("vcon", 7), vcon=1)
    yield called("vocabulary_of", TENANT, SOME, vcon=120, tag=200, party=40, analysis=40)
    yield called("bridge_rows", {"ids": [SOURCE]}, bridge_record=1)
    of_five = {"attachment": 5, "vcon": 5, "tag": 5}
    keys = ["thread 140", "no such key"]
    yield called("sharing_export_keys", keys, "email", **of_five)
    day = {"from": "2025-02-01T00:00:00Z", "to": "2025-02-02T00:00:00Z"}
    yield called("bridge_rows", {"created": day}, bridge_record=24)
    yield asked("later_versions", {"vcon": 2}, uuid=uid("vcon", 7), seen=[], tenant=TENANT)
    of_turns = {"vcon": 40, "search_document": 40, "party": 40, "dialog": 40, "analysis": 40}
    for whole in (False, True):
        yield asked(
            "turns_of_vcons",
            of_turns,
            vcons=SOME,
            types=["transcript"],
            of=SOME,
            elements=[0] * len(SOME),
            whole=whole,
            tenant=TENANT,
        )
    kinds = ["bridge_source", "bridge_moment"]
    of_ids = {"ids": [uid("source", 7)], "kinds": kinds}
    yield asked(
        "unembedded_bridge_records", {"search_document": 1, "embedding_space": 2}, tenant=TENANT, **of_ids
    )
    for part, more in (("analysis", {}), ("dialog", {"party": 40})):
        yield asked(
            "shown_passages",
            {"passage": 40, "search_document": 40, "analysis": 120, "attachment": 40, **more},
            ids=SOME,
            parts=[part] * len(SOME),
            elements=[0] * len(SOME),
            chunks=[0] * len(SOME),
            types=["transcript"],
            tenant=TENANT,
        )
    beside = {"dialog": 40, "passage": 40, "tag": 40}
    dialogs = {"vcons": SOME, "indexes": [0] * len(SOME), "most_of_prompt": 300}
    yield asked("remembered_dialogs", beside, tenant=TENANT, **dialogs)
    beside = {"transcript_exchange": 60, "transcript": 20, "dialog": 120}
    exchanges = {"ids": SOME_EXCHANGES, "most_of_turn": 100, "most_of_prompt": 100}
    yield asked("remembered_exchanges", beside, tenant=TENANT, **exchanges)
    of_file = {"transcript_file": 50, "transcript_exchange": 50, "transcript": 50}
    file: JsonObject = {"segments": f"/src/{FILE}/", "path": f"/src/{FILE}", "last": FILE}
    yield asked("file_changes", of_file, only_of_projects=False, names=[], roots=[], tenant=TENANT, **file)
    of_project = {"reflection": 700}
    yield asked("project_learning", of_project, project=uid("project", 1), most=5, tenant=TENANT)
    linked = {"bridge_link": 2, "bridge_record": 1}
    yield asked("bridge_neighbours", linked, ids=[SOURCE], tenant=TENANT)
    yield asked("bridge_containers", linked, ids=[SOURCE], tenant=TENANT)
    yield asked("bridge_unlinked", linked, gone=[SOURCE], tenant=TENANT)
    yield asked("bridge_orphaned_records", linked, gone=[SOURCE], tenant=TENANT)
    found = [uid("source", number) for number in range(100, 140)]
    yield asked(
        "bridge_search",
        {"bridge_record": len(found)},
        filters=json.dumps({"uids": [str(each) for each in found]}),
        uids=found,
        scores=[1.0] * len(found),
        distances=[None] * len(found),
        sort="relevance",
        group_by=None,
        zone="UTC",
        days_of_events=False,
        most=10,
    )


def words_of(*words: str, literal: str | None = None) -> QueryWords:
    """Words of a query, and what has to occur character for character besides."""
    alternatives: list[JsonObject] = [{"words": f"'{word}'"} for word in words]
    if literal is not None:
        alternatives.append({"words": "'common'", "literal": literal})
    return read_words([{"weight": 1, "alternatives": [each]} for each in alternatives])


def found(name: str, words: QueryWords, /, kind: str = "vcon", **wanted: Any) -> Case:
    """What looks for candidates; at most 200 of them, led by the last word."""
    given: JsonObject = {"conditions": {}, "lead": (len(words) - 1,), "max_by_words": 200, **wanted}
    rows: dict[str, int] = given.pop("rows")
    of = CandidateQuery(kind, words=words, **given)
    return Case(f"find_candidates {name}", partial(find_candidates, wanted=of), (), rows)


def _reading(
    words: QueryWords, of: Sequence[Candidate], kind: str = "vcon"
) -> Callable[[Connection], Awaitable[object]]:
    return partial(read_context, tenant=TENANT, kind=kind, words=words, vector=None, candidates=of)


def of_candidates() -> Iterator[Case]:
    """Candidates are read by the index of words, under each filter; their context by their keys."""
    rare, both = words_of("common", "w7"), words_of("common")
    # six vCons hold the word, each in one passage; the one of a smaller tenant is read and left out
    yield found("of a rare word", rare, rows={"passage": 7})
    for name, value in FILTERS:
        rows = {"passage": 46, **dict.fromkeys(FILTERED, 40)}
        yield found(f"of a rare word and {name}", rare, conditions={name: value}, rows=rows)
        yield found(
            f"of a common word and {name}", both, conditions={name: value}, rows=rows | {"passage": 80}
        )
    many: JsonObject = {"from": "2025-02-01T00:00:00Z"}
    looked_at = {"passage": 7, "search_document": 24_000}
    yield found("of a rare word among many", rare, conditions=many, rows=looked_at)
    yield found("of listed vCons", both, among=SOME, rows={"passage": 80, "search_document": 40})
    cut = Cut(32, None, UUID(int=0))
    yield found("up to the cut", rare, cut=cut, rows={"passage": 7})
    # a word that all have is not led by where there is a rarer one; alone it reads what it finds
    yield found("of a common word", both, rows={"passage": 24_080})
    for kind, stored in (("exchange", 6_000), ("reflection", 3_000), ("bridge", 12_000)):
        yield found(f"of kind {kind}", both, kind, rows={"search_document": stored + 40})
    holding = [word._replace(holders=tuple(SOME)) for word in words_of(literal="common w100")]
    yield found("that hold a literal", holding, lead=(), rows={"passage": 80})

    phrase = read_words(
        [
            {"weight": 1, "alternatives": [{"words": "'w7'"}]},
            {
                "weight": 1,
                "alternatives": [{"words": "'common' & 'w7'", "sequence": "'common' <-> 'w7'"}],
            },
        ]
    )
    found_before = [Candidate(id_, "dialog", 0, 0, None, 16, None) for id_ in SOME]
    of_forty = {"passage": 80, "search_document": 40}
    for words in (rare, phrase, words_of("w7", literal="common w100")):
        yield Case(
            "read_context _context_of_vcons of vCons",
            _reading(words, found_before),
            (),
            of_forty,
        )
    for words in (rare, phrase):
        wanted = CandidateQuery("vcon", {}, words, (len(words) - 1,), max_by_words=200)
        yield Case(
            "find_with_context",
            partial(find_with_context, tenant=TENANT, wanted=wanted, vector=None),
            (),
            {"passage": 60, "search_document": 6},
        )
    of_whole = partial(words_of_vcons, tenant=TENANT, words=rare, ids=SOME)
    yield Case("words_of_vcons", of_whole, (), {"search_document": 40})
    exchanges = [Candidate(id_, None, None, None, None, 16, None) for id_ in SOME_EXCHANGES]
    yield Case(
        "read_context _context_of_records of exchanges",
        _reading(rare, exchanges, "exchange"),
        (),
        {"passage": 80, "search_document": 20, "transcript_exchange": 40},
    )
    keys = [(id_, "dialog", 0, 0) for id_ in SOME]
    beside = {"passage": 40, "search_document": 40, "analysis": 120, "attachment": 40, "party": 40}
    yield Case("read_shown", partial(read_shown, tenant=TENANT, kind="vcon", keys=keys), (), beside)
    of_exchanges = [(id_, "dialog", 0, 0) for id_ in SOME_EXCHANGES]
    beside = {"passage": 80, "transcript_exchange": 40}
    yield Case(
        "read_shown of exchanges",
        partial(read_shown, tenant=TENANT, kind="exchange", keys=of_exchanges),
        (),
        beside,
    )


CASES = [*searches(), *counts(), *of_some(), *of_candidates()]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
async def test_a_statement_looks_at_no_more_rows_than_its_answer_is_about(
    plans_of: PlansOf, case: Case
) -> None:
    read = rows_read_by(await plans_of(case.statement, *case.arguments))

    assert read <= Counter(case.rows)


@pytest.mark.parametrize(
    ("tenant", "condition"), [(TENANT, "p.tenant || '' = 'plans'"), ("another", "p.tenant = 'another'")]
)
async def test_words_are_looked_for_without_the_tenant_where_most_of_the_store_is_its_own(
    superuser: None, stored: None, database_url: str, tenant: str, condition: str
) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"set vcontract.tenant = '{tenant}'")

    assert await connection.fetchval("select vcontract.tenant_condition('p.tenant')") == condition

    await connection.close()


WORKERS = "work beside calls, of all tenants, which takes what is due by the index of when"
SETTING_UP = "done once, over all there is"
FEW = "a table of few rows"
BY_KEY = "a write, which finds the rows of the things that it is about by their keys"
WHOLE = "figures of a whole store, which somebody asks for now and then"
OF_CHATS = "an import asks once for each chat, about six turns of those from its source and time"
READ_BY_KEY = "reads the rows of the things that are asked for by their keys"
REASONS = {
    name: reason
    for reason, names in (
        (WORKERS, "claim_embedding_tasks remove_expired tenants_with_old claim_webhooks passages_to_embed"),
        (WORKERS, "word_tasks"),
        (BY_KEY, "add_vectors announce clear_vcons forget_reflection forget_spellings index_bridge_record"),
        (BY_KEY, "index_reflection insert_vcons"),
        (BY_KEY, "place_bridge_excerpts put_bridge_record put_exchanges put_tags refresh_bridge unindex"),
        (BY_KEY, "release_bridge_parts release_bridge_records revise_passages revise_vcon store_embeddings"),
        (BY_KEY, "supersedable_bridge_records"),
        (OF_CHATS, "overlapping_vcons"),
        (READ_BY_KEY, "load_bridge_records load_vcons _held_literally remembered_in_projects"),
        (WHOLE, "bridge_status memory_statistics vocabulary"),
        ("tests/pages/test_store.py looks at its plan", "meaning_sample"),
        (SETTING_UP, "fill_embedding_space recount_vocabulary fold_vocabulary"),
        (FEW, "open_embedding_space activate_embedding_space drop_retired_embedding_spaces"),
        (FEW, "set_quota over_quota bearer has_tokens note_token_use removed_tenants"),
        (FEW, "enter_tenant store_of"),
    )
    for name in names.split()
}
"""Why a function or a statement has no test of its plan."""
FUNCTION = re.compile(r"(?m)^create or replace function vcontract\.(\w+)")
READ_TABLE = re.compile(r"(?:from|join|update|merge into) vcontract\.\w+\b(?!\()")
CALLED = re.compile(r"vcontract\.(\w+)\(")
IN_SQL = re.compile(r"\bvcontract\.(passage|search_document|embedding|passages_of|search_candidates)\b")


def functions() -> dict[str, str]:
    """The SQL of each of our functions, by its name."""
    found: dict[str, str] = {}
    for path in (ROOT / "migrations" / "functions").glob("*.sql"):
        _, *pieces = FUNCTION.split(re.sub(r"--.*", "", path.read_text(encoding="utf-8")))
        found |= dict(zip(pieces[::2], pieces[1::2], strict=True))
    return found


def test_whatever_reads_a_table_has_a_test_of_its_plan_or_a_reason_to_have_none() -> None:
    bodies = functions()
    statements = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (ROOT / "runtime" / "store" / "queries").glob("*.sql")
    }
    elsewhere = [ROOT / "tests" / name for name in ("store/test_search_pages.py", "embedding/test_near.py")]
    texts = [path.read_text(encoding="utf-8") for path in elsewhere]
    texts += [case.statement for case in CASES if isinstance(case.statement, str)]
    texts += [getsource(candidates)]
    tested = {name for case in CASES for name in (case.name, *case.name.split())}
    new = {name for text in texts for name in CALLED.findall(text)} & bodies.keys()
    while new:
        tested |= new
        new = {name for one in new for name in CALLED.findall(bodies[one])} & bodies.keys() - tested

    of_candidates = {
        name: getsource(function)
        for name, function in vars(candidates).items()
        if isfunction(function) and function.__module__ == candidates.__name__
    }
    reading = {name for name, body in (bodies | statements).items() if READ_TABLE.search(body)}
    reading |= {name for name, body in of_candidates.items() if IN_SQL.search(body)}
    assert reading - tested == REASONS.keys(), "name it in CASES, or say in REASONS why it needs no test"
