"""The truth of queries: what a search finds is what every word, phrase and operator of it says."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.search.pages import SearchRequest
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.store.search.search_params import InvalidQuery, read_filters, read_query
from vcontract.runtime.store.sessions.reflections import Reflection, insert_reflection
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.text.query_language import AllOf, AnyOf, Node, Not, Text

TENANT = "truth"
SIZE = 240
FIRST = datetime(2025, 3, 3, 12, tzinfo=UTC)
FAMILIES: Final[tuple[tuple[tuple[str, ...], ...], ...]] = (
    # words of one row mean the same; those of one inner tuple stand for one another in quotes as well
    (("refund", "refunds", "Refunded", "REFUNDING"),),
    (("invoice", "invoices", "invoiced"),),
    (("go", "going"), ("goes",), ("went",), ("gone",)),
    (("buy", "buying"), ("bought",)),
    (("child",), ("children",)),
    (("hell",),),
    (("well",),),
    (("café", "cafe", "CAFE\u0301"),),
    (("O'Brien", "O’Brien", "obrien"),),
    (("angry",),),
    (("HLB-19873",),),
    (("HLB-20001",),),
    (("998877",),),
)
STOP: Final = ("we'll", "he’ll", "she'd", "the", "you've")
"""Words that no query looks for, whatever they hold."""
STEM: Final = {word: stem for family in FAMILIES for stem in family for word in stem}
FAMILY: Final = {word: family for family in FAMILIES for stem in family for word in stem}
WORDS: Final = tuple(STEM)
NAMES: Final = ("Jane Doe", "Doe, John", "Ann-Marie O’Neill")


@dataclass(repr=False)
class Conversation:
    """Passages of words, some of what filters ask for, and the number it was made by."""

    passages: list[list[str]] = field(default_factory=list[list[str]])
    at: datetime = FIRST
    side: str = "left"
    name: str = NAMES[0]

    @property
    def role(self) -> str:
        return "Agent" if len(self.passages) % 2 else "customer"

    @property
    def made(self) -> tuple[tuple[str, str], ...]:
        """The analyses, each as its type and its vendor."""
        return (("note", "acme"), ("score", "zeta"))[: 1 + (self.side == "left")]

    @property
    def purpose(self) -> str:
        return "contract" if self.at.day % 2 else "photo"

    def document(self) -> JsonObject:
        subject, *bodies = [", ".join(passage) for passage in self.passages]
        return {
            "created_at": self.at.isoformat(),
            "subject": subject,
            "parties": [{"name": self.name, "role": self.role}],
            "analysis": [
                {"type": type_, "vendor": vendor, "encoding": "none", "body": ""}
                for type_, vendor in self.made
            ],
            "attachments": [{"purpose": self.purpose, "encoding": "none", "body": ""}],
            "dialog": [{"type": "text", "encoding": "none", "body": body} for body in bodies],
        }

    def holds(self, node: Node) -> bool:
        """Whether the query is true of it."""
        match node:
            case Text(text, is_prefix=True):
                return any(_begins(text, word) for passage in self.passages for word in passage)
            case Text(text, quoted=True):
                wanted: list[tuple[str, ...]] = [STEM[word] for word in text.split()]
                return any(_stands(wanted, passage) for passage in self.passages)
            case Text(text):
                return any(FAMILY.get(word) == FAMILY[text] for passage in self.passages for word in passage)
            case Not(of):
                return not self.holds(of)
            case AllOf(of):
                return all(map(self.holds, of))
            case AnyOf(of):
                return any(map(self.holds, of))


def _begins(prefix: str, word: str) -> bool:
    forms = [form for stem in FAMILY.get(word, ()) for form in stem]
    return any(_plain(form).startswith(_plain(prefix)) for form in forms)


def _plain(word: str) -> str:
    return word.lower().translate({ord("é"): "e", 0x301: None, ord("'"): None, ord("’"): None})


def _stands(wanted: list[tuple[str, ...]], passage: list[str]) -> bool:
    stems = [STEM.get(word) for word in passage]
    return any(stems[at : at + len(wanted)] == wanted for at in range(len(stems)))


def corpus() -> list[Conversation]:
    chance = random.Random(7)  # noqa: S311
    found = [Conversation([[word], ["the"]]) for word in WORDS]
    while len(found) < SIZE:
        lengths = [chance.randint(1, 5) for _ in range(chance.randint(2, 4))]
        passages = [chance.choices((*WORDS, *STOP), k=length) for length in lengths]
        at = FIRST + timedelta(days=chance.randint(0, 30))
        found.append(Conversation(passages, at, chance.choice(("left", "right")), chance.choice(NAMES)))
    return found


CORPUS: Final = corpus()


@pytest.fixture(scope="module", autouse=True)
async def stored(database: Database) -> dict[str, Conversation]:
    prepare_context = PrepareContext.load()
    prepared = [
        prepare(one.document(), prepare_context, now=FIRST, metadata={"tags": {"side": one.side}})
        for one in CORPUS
    ]
    await VconStore(database).insert_batch(TENANT, prepared)
    return {str(vcon.uuid): one for vcon, one in zip(prepared, CORPUS, strict=True)}


PLAIN = st.sampled_from(WORDS).map(Text)
PREFIXES = st.sampled_from(
    sorted(
        {
            word[:end]
            for word in WORDS
            for end in range(3, len(word) + 1)
            if sum(map(str.isalnum, word[:end])) >= 3
        }
    )
).map(lambda text: Text(text, is_prefix=True))
NEXT_TO_ONE_ANOTHER = sorted(
    {
        " ".join(pair)
        for conversation in CORPUS
        for passage in conversation.passages
        for pair in pairwise(passage)
        if all(word in STEM and word.isalpha() for word in pair)
    }
)
PHRASES = (
    st.sampled_from(NEXT_TO_ONE_ANOTHER) | st.sampled_from([word for word in WORDS if word.isalpha()])
).map(lambda text: Text(text, quoted=True))
LEAVES = PLAIN | PREFIXES | PHRASES


def several(part: st.SearchStrategy[Node], of: Callable[[tuple[Node, ...]], Node]) -> st.SearchStrategy[Node]:
    return st.lists(part, min_size=2, max_size=3).map(lambda parts: of(tuple(parts)))


WANTED: st.SearchStrategy[Node] = st.recursive(
    LEAVES, lambda part: several(part, AllOf) | several(part, AnyOf), max_leaves=6
)
EXCLUDED: st.SearchStrategy[Node] = (LEAVES | several(LEAVES, AnyOf)).map(Not)
QUERIES = st.tuples(WANTED, st.lists(EXCLUDED, max_size=2)).map(
    lambda parts: AllOf((parts[0], *parts[1])) if parts[1] else parts[0]
)
Admits = Callable[[Conversation], bool]
FILTERS: Final[tuple[tuple[JsonObject, Admits], ...]] = (
    ({}, lambda one: True),
    ({"tags": {"side": "right"}}, lambda one: one.side == "right"),
    (
        {"start_date": "2025-03-10", "end_date": "2025-03-20"},
        lambda one: datetime(2025, 3, 10, tzinfo=UTC) <= one.at < datetime(2025, 3, 21, tzinfo=UTC),
    ),
    ({"party_name": "jane doe"}, lambda one: one.name == "Jane Doe"),
    ({"party_name": "Doe, Jane"}, lambda one: one.name == "Jane Doe"),
    ({"party_name": "john doe"}, lambda one: one.name == "Doe, John"),
    ({"party_name": "o'neill"}, lambda one: one.name == NAMES[2]),
    ({"party_role": "AGENT"}, lambda one: one.role == "Agent"),
    ({"party_role": "agent", "party_name": "neill"}, lambda one: (one.role, one.name) == ("Agent", NAMES[2])),
    ({"analysis_type": "score"}, lambda one: one.side == "left"),
    ({"analysis_vendor": "zeta"}, lambda one: one.side == "left"),
    ({"analysis_vendor": "zeta", "analysis_type": "note"}, lambda one: False),
    ({"attachment_type": "photo", "analysis_vendor": "acme"}, lambda one: one.purpose == "photo"),
    ({"party_name": "DOE", "tags": {"side": "left"}}, lambda one: "Doe" in one.name and one.side == "left"),
)


def write(node: Node, draw: st.DataObject) -> str:
    """The query in one of its spellings."""

    def choice(*spellings: str) -> str:
        return draw.draw(st.sampled_from(spellings))

    def group(part: Node) -> str:
        return f"({write(part, draw)})" if isinstance(part, AllOf | AnyOf) else write(part, draw)

    match node:
        case Text(text, quoted, is_prefix):
            # the oracle knows no word by its capitals
            text = choice(text, text.upper(), text.lower()) if text.isascii() else text
            marks = choice('""', "“”") if quoted else ("", "*" * is_prefix)
            return f"{marks[0]}{text}{marks[1]}"
        case Not(of):
            return f"{choice('-', 'NOT ')}{group(of)}"
        case AnyOf(of):
            return choice(" OR ", " or ", " | ", "|").join(map(group, of))
        case AllOf((first, *rest)):
            written = group(first)
            for part in rest:
                if isinstance(part, Not):
                    join = choice(" ", " AND ", " and ")
                    written += f" and not {group(part.of)}" if join == " and " else join + group(part)
                else:
                    written += choice(" ", " AND ", " & ", " && ") + group(part)
            return written
        case _:
            raise AssertionError(node)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(QUERIES, st.sampled_from(FILTERS), st.data())
async def test_a_search_finds_all_of_which_its_query_is_true(
    database: Database,
    stored: dict[str, Conversation],
    node: Node,
    given: tuple[JsonObject, Admits],
    data: st.DataObject,
) -> None:
    query, (filters, admits) = write(node, data), given

    async with database.reading(TENANT) as connection:
        request = SearchRequest(read_filters(filters), SIZE, read_query(query), hits_per_item=1)
        page = await Search().find(connection, TENANT, request)

    expected = {id_ for id_, one in stored.items() if admits(one) and one.holds(node)}
    found = {str(item.id) for item in page.items}
    assert page.weighed is not None
    is_exact = not page.weighed.is_relaxed and not page.weighed.corrections
    if expected or is_exact:
        assert found == expected, query
        assert page.total == len(expected)
    for id_ in found:
        excluded = [part for part in node.of if isinstance(part, Not)] if isinstance(node, AllOf) else []
        assert all(stored[id_].holds(part) for part in excluded), query


@given(QUERIES, st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_query_that_is_broken_is_refused_with_one_that_can_be_sent(node: Node, data: st.DataObject) -> None:
    query = write(node, data)
    broken = data.draw(
        st.sampled_from(
            [
                f"{query} AND",
                f"OR {query}",
                f"{query} NOT",
                f"+angry {query}",
            ]
        )
    )

    with pytest.raises(InvalidQuery) as refused:
        read_query(broken)

    assert refused.value.instead is not None, broken
    read_query(refused.value.instead["query"])


@given(QUERIES, st.data())
@settings(max_examples=20, deadline=None, derandomize=True)
def test_an_exclusion_beside_a_choice_has_no_query_that_means_the_same(
    node: Node, data: st.DataObject
) -> None:
    with pytest.raises(InvalidQuery) as refused:
        read_query(f"{write(node, data)} OR -angry")

    assert refused.value.instead is None


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_question_is_never_read_as_operators(words: list[str], data: st.DataObject) -> None:
    operators = st.sampled_from(["OR", "AND", "NOT", "|", "-angry", "(", ")", "*", "!"])
    mixed = [piece for word in words for piece in (word, data.draw(operators))]

    query = read_query(" ".join(mixed) + "?")

    assert not query.excluded
    assert all(len(demand) == 1 for demand in query.demands)
    assert {term.text for term in query.terms} <= {*words, "angry", "-angry"}


@pytest.fixture(scope="module")
async def reflected(database: Database) -> dict[str, Conversation]:
    """The same words as reflections, each in one passage."""
    found: dict[str, Conversation] = {}
    async with database.writing(TENANT) as connection:
        for one in CORPUS:
            text = [word for passage in one.passages for word in passage]
            reflection = Reflection(uuid4(), ", ".join(text), (), one.at)
            await insert_reflection(connection, TENANT, reflection, None, None, 0, None)
            found[str(reflection.id)] = Conversation([text], one.at)
    return found


WORDS_ALONE = st.sampled_from([word for word in WORDS if word.isalpha()]).map(Text)
SAID_IN_WORDS: st.SearchStrategy[Node] = st.recursive(
    WORDS_ALONE | PHRASES, lambda part: several(part, AllOf) | several(part, AnyOf), max_leaves=5
)


def spelled(node: Node) -> str:
    """The query with its operators as words, which are the operators of texts that are full of symbols."""

    def group(part: Node) -> str:
        return f"({spelled(part)})" if isinstance(part, AllOf | AnyOf) else spelled(part)

    match node:
        case Text(text, quoted):
            return f'"{text}"' if quoted else text
        case Not(of):
            return f"NOT {group(of)}"
        case AnyOf(of):
            return " OR ".join(map(group, of))
        case AllOf(of):
            return " AND ".join(map(group, of))


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(SAID_IN_WORDS, st.lists((WORDS_ALONE | PHRASES).map(Not), max_size=1))
async def test_operators_in_words_are_true_of_what_the_other_toolsets_search(
    database: Database, reflected: dict[str, Conversation], wanted: Node, excluded: list[Not]
) -> None:
    node = AllOf((wanted, *excluded)) if excluded else wanted
    query = read_query(spelled(node), literal=True)

    async with database.reading(TENANT) as connection:
        search = Search()
        asked = await search.ask(connection, TENANT, query, None, kinds=("reflection",))
        found = await search.listed(connection, "reflection", {}, asked)

    expected = {id_ for id_, one in reflected.items() if one.holds(node)}
    assert {str(thing.id) for thing in found.things} == expected, spelled(node)
