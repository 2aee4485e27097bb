"""Queries: the syntax of web searches, read by the rule that indexes texts."""

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vcontract.runtime.store.search.search_params import InvalidQuery, read_query
from vcontract.runtime.text.identifiers import identifier_kind
from vcontract.runtime.text.query import MAX_QUERY_WORDS, Term, UnsearchableQuery, correction, parse_query
from vcontract.runtime.text.query_language import (
    AllOf,
    AnyOf,
    Node,
    Not,
    QuerySyntaxError,
    Text,
    format_query,
)
from vcontract.runtime.text.words import STOP_WORDS, fold, indexed_words, words

Found = list[list[tuple[tuple[str, ...], ...]]]


def demands_of(query: str) -> Found:
    return [[term.alternatives for term in demand] for demand in parse_query(query).demands]


@pytest.mark.parametrize(
    ("pasted", "seen"),
    [
        ("\u202brefunds\u202c", "refunds"),
        ("\ufeffbilling OR\u200b re\u00adfund", "billing OR refund"),
        ("billing \u200b-refund\u200e", "billing -refund"),
        ('\u2066"money back"\u2069', '"money back"'),
        ("HLB\u2060-19873", "HLB-19873"),
        ("refun\u00ad*", "refun*"),
    ],
)
def test_what_nobody_sees_in_a_query_says_nothing(pasted: str, seen: str) -> None:
    assert parse_query(pasted) == parse_query(seen)


def holds(term: Term, positions: dict[str, list[int]]) -> bool:
    """Whether a text with these word positions has the term."""
    return any(_occurs(run, positions) for run in term.alternatives) or any(
        _begins(run, positions) for run in term.beginnings
    )


def _begins(run: tuple[str, ...], positions: dict[str, list[int]]) -> bool:
    *whole, last = run
    return any(word.startswith(last) and _occurs((*whole, word), positions) for word in positions)


def _occurs(run: tuple[str, ...], positions: dict[str, list[int]]) -> bool:
    first, *rest = run
    return any(
        all(start + offset in positions.get(lexeme, ()) for offset, lexeme in enumerate(rest, start=1))
        for start in positions.get(first, ())
    )


def finds(query: str, text: str, *, literal: bool = False) -> bool:
    """Whether one passage with this text answers the query."""
    parsed, positions = parse_query(query, literal=literal), indexed_words(text)
    return all(any(holds(term, positions) for term in demand) for demand in parsed.demands) and not any(
        holds(term, positions) for term in parsed.excluded
    )


@pytest.mark.parametrize(
    ("query", "demands"),
    [
        ("billing refunds", [[(("bill",),)], [(("refund",),)]]),
        ('"billing the refund"', [[(("bill", "the", "refund"),)]]),
        ('"unclosed phrase', [[(("unclos", "phrase"),)]]),
        ("cat OR dog fish", [[(("cat",),), (("dog",),)], [(("fish",),)]]),
        ("cat OR dog OR bird", [[(("cat",),), (("dog",),), (("bird",),)]]),
        ("cat OR the OR dog", [[(("cat",),), (("dog",),)]]),
        ("cat the OR dog", [[(("cat",),)], [(("dog",),)]]),
        ("cat or dog", [[(("cat",),), (("dog",),)]]),
        ("or cat or", [[(("cat",),)]]),
        ("cat | dog", [[(("cat",),), (("dog",),)]]),
        ("cat|dog||bird", [[(("cat",),), (("dog",),), (("bird",),)]]),
        ("cat AND dog", [[(("cat",),)], [(("dog",),)]]),
        ("cat && dog & bird", [[(("cat",),)], [(("dog",),)], [(("bird",),)]]),
        ("(cat AND dog) OR bird", [[(("cat",),), (("bird",),)], [(("dog",),), (("bird",),)]]),
        ("(the AND cat) OR dog", [[(("cat",),), (("dog",),)]]),
        ("(cat OR dog) AND (bird)", [[(("cat",),), (("dog",),)], [(("bird",),)]]),
        ("((cat (dog", [[(("cat",),)], [(("dog",),)]]),
        ("cat) :) () dog", [[(("cat",),)], [(("dog",),)]]),
        ("cat (small), dog", [[(("cat",),)], [(("small",),)], [(("dog",),)]]),
        ("cat,dog OR bird", [[(("cat",),), (("bird",),)], [(("dog",),), (("bird",),)]]),
        ("<mark>cat</mark> dog", [[(("cat",),)], [(("dog",),)]]),
        ("tel:5551234567", [[(("5551234567",), ("tel:1234567",))]]),
        ("is it cats OR dogs?", [[(("cat",),)], [(("dog",),)]]),
        ("why NOT -cat?", [[(("cat",),)]]),
        ("the cat of refund refund", [[(("cat",),)], [(("refund",),)]]),
        ("CUST-12345", [[(("cust-12345",), ("cust", "12345"))]]),
        ("C++", [[(("c++",),)]]),
        ("$40", [[(("$40",),)]]),
        ("went", [[(("went",), ("go",), ("goe",), ("gone",))]]),
        ("buying", [[(("buy",), ("bought",))]]),
        ("he'll go", [[(("go",), ("goe",), ("gone",), ("went",))]]),
        ("Ann'll", [[(("ann",),)]]),
        ("ill", [[(("ill",),)]]),
        ("“billing the refund”", [[(("bill", "the", "refund"),)]]),
        ('"we’ll call"', [[(("we", "call"), ("well", "call"))]]),
        ("a@b.co", [[(("a@b.co",), ("a", "b", "co"))]]),
        ("mailto:a@b.co", [[(("a@b.co",), ("a", "b", "co"))]]),
        ("sip:ann@pbx", [[(("ann@pbx",), ("ann", "pbx"))]]),
        ("tel:", [[(("tel",),)]]),
        ("日本", [[(("日", "本"),)]]),
        ("ก่อน", [[(("ก", "อ"),)], [(("อ", "น"),)]]),
        ("1234567", [[(("1234567",), ("tel:1234567",))]]),
        ("+1 (555) 123-4567", [[(("1", "555", "123", "4567"), ("tel:1234567",))]]),
        ("résumé", [[(("resum",),)]]),
        ("re\u0301sume\u0301", [[(("resum",),)]]),
    ],
)
def test_a_query_demands_each_of_its_words(query: str, demands: Found) -> None:
    assert demands_of(query) == demands


@pytest.mark.parametrize(
    ("query", "excluded"),
    [
        ("cat -dog", ["dog"]),
        ('cat -"black dog"', ["black dog"]),
        ("cat -CUST-12345", ["CUST-12345"]),
        ("well-known cat", []),
        ("cat -", []),
        ("cat -the", []),
        ("billing AND refund AND NOT angry", ["angry"]),
        ("cat NOT dog bird", ["dog"]),
        ("cat and not dog", ["dog"]),
        ("cat not dog", []),
        ('cat NOT "black dog"', ["black dog"]),
        ("cat NOT (dog OR bird)", ["dog", "bird"]),
        ("cat -(dog|bird)", ["dog", "bird"]),
        ('cat "NOT" dog', []),
    ],
)
def test_what_a_minus_or_not_stands_before_is_excluded(query: str, excluded: list[str]) -> None:
    assert [term.text for term in parse_query(query).excluded] == excluded


@pytest.mark.parametrize(
    ("query", "reason", "refused"),
    [
        ("", "no_searchable_words", []),
        ("?! ...", "no_searchable_words", ["?!", "..."]),
        ("the of and", "no_searchable_words", ["the", "of", "and"]),
        ("don't", "no_searchable_words", ["don't"]),
        ('""', "no_searchable_words", [""]),
        ("-cat", "only_exclusions", ["cat"]),
        ('the -"black dog"', "only_exclusions", ["black dog"]),
        (" ".join(f"word{n}" for n in range(MAX_QUERY_WORDS + 1)), "too_many_words", []),
        ("cat " + " ".join(f"-word{n}" for n in range(MAX_QUERY_WORDS)), "too_many_words", []),
        (" OR ".join("(cat dog bird fish cow)" for _ in range(3)), "too_many_choices", []),
    ],
)
def test_a_query_that_cannot_be_answered_says_why(query: str, reason: str, refused: list[str]) -> None:
    with pytest.raises(UnsearchableQuery) as caught:
        parse_query(query)

    assert (caught.value.reason, caught.value.words) == (reason, refused)


@pytest.mark.parametrize(
    ("query", "reason", "operator", "suggestion"),
    [
        ("OR cat OR", "dangling_operator", "OR", "cat"),
        ("cat AND", "dangling_operator", "AND", "cat"),
        ("cat NOT", "dangling_operator", "NOT", "cat"),
        ("cat OR AND dog", "dangling_operator", "OR", "cat dog"),
        ("cat (OR dog) |", "dangling_operator", "OR", "cat dog"),
        ("NOT", "dangling_operator", "NOT", ""),
        ("cat OR dog AND bird", "mixed_operators", "AND", "(cat OR dog) bird"),
        ('cat AND "black dog" OR bird', "mixed_operators", "AND", 'cat ("black dog" OR bird)'),
        ("cat OR -dog", "excluded_choice", "NOT", ""),
        ("cat OR (dog NOT bird) OR cow", "excluded_choice", "NOT", ""),
        ("cow (NOT cat OR NOT dog)", "excluded_choice", "NOT", ""),
        ("bird NOT (cat dog)", "excluded_choice", "NOT", ""),
        ("bird NOT (NOT cat OR dog)", "excluded_choice", "NOT", "bird cat -dog"),
        ("bird NOT AND dog", "dangling_operator", "NOT", ""),
        ("(cat OR dog AND bird?)", "mixed_operators", "AND", "(cat OR dog) bird"),
        ("cat NOT NOT dog", "excluded_choice", "NOT", "cat dog"),
        ("re* late", "short_prefix", "re*", ""),
        ("*fund late", "unknown_operator", "*fund", ""),
        ("**late** refund", "unknown_operator", "**late**", "late refund"),
        ("re*nd late", "unknown_operator", "re*nd", ""),
        ("ref?nd late", "unknown_operator", "ref?nd", ""),
        ("/ref.*nd/ late", "unknown_operator", "/ref.*nd/", ""),
        ("refund~2 late", "unknown_operator", "refund~2", "refund late"),
        ("refund^3 late", "unknown_operator", "refund^3", "refund late"),
        ("+refund +late", "unknown_operator", "+refund", "refund late"),
        ("subject:refund late", "field_operator", "subject:refund", ""),
        ("late AND tag:sales", "field_operator", "tag:sales", ""),
        ("refund !angry", "unknown_operator", "!angry", "refund -angry"),
        ("(" * 17 + "cat" + ")" * 17, "nested_too_deeply", "(", ""),
    ],
)
def test_an_operator_that_cannot_be_followed_is_never_a_word(
    query: str, reason: str, operator: str, suggestion: str
) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_query(query)

    assert (caught.value.reason, caught.value.operator, caught.value.suggestion) == (
        reason,
        operator,
        suggestion,
    )
    if suggestion:
        assert parse_query(suggestion).demands


@pytest.mark.parametrize(
    ("query", "beginnings"),
    [("refun* late", [(("refun",),), ()]), ("void** late", [(), ()]), ("*.py late", [(), ()])],
)
def test_where_symbols_are_characters_an_asterisk_behind_letters_is_an_operator_still(
    query: str, beginnings: list[tuple[tuple[str, ...], ...]]
) -> None:
    terms = parse_query(query, literal=True).terms

    assert [term.beginnings for term in terms] == beginnings


def trees() -> st.SearchStrategy[Node]:
    """Queries that can be followed: an exclusion is of words, and no side of a choice."""
    text = st.sampled_from(["cat", "dog", "bird", "cow", "fish"]).map(Text)
    wanted = st.recursive(
        text,
        lambda part: (
            st.lists(part, min_size=2, max_size=3).map(lambda parts: AllOf(tuple(parts)))
            | st.lists(part, min_size=2, max_size=3).map(lambda parts: AnyOf(tuple(parts)))
        ),
        max_leaves=6,
    )
    excluded = (text | st.lists(text, min_size=2, max_size=3).map(lambda parts: AnyOf(tuple(parts)))).map(Not)
    return st.tuples(wanted, st.lists(excluded, max_size=2)).map(
        lambda parts: AllOf((parts[0], *parts[1])) if parts[1] else parts[0]
    )


def is_true(node: Node, text: str) -> bool:
    match node:
        case Text(word):
            return word in text.split()
        case Not(of):
            return not is_true(of, text)
        case AllOf(of):
            return all(is_true(part, text) for part in of)
        case AnyOf(of):
            return any(is_true(part, text) for part in of)


@given(trees(), st.sets(st.sampled_from(["cat", "dog", "bird", "cow", "fish"])))
def test_a_query_finds_the_texts_of_which_its_tree_is_true(tree: Node, present: set[str]) -> None:
    text = " ".join(sorted(present))

    assert finds(format_query(tree), text) is is_true(tree, text)


def any_trees() -> st.SearchStrategy[Node]:
    """Queries with an exclusion anywhere."""
    return st.recursive(
        st.sampled_from(["cat", "dog", "bird", "cow"]).map(Text),
        lambda part: (
            st.lists(part, min_size=2, max_size=3).map(lambda parts: AllOf(tuple(parts)))
            | st.lists(part, min_size=2, max_size=3).map(lambda parts: AnyOf(tuple(parts)))
            | part.map(Not)
        ),
        max_leaves=6,
    )


def in_some_spelling(node: Node, choose: Callable[[list[str]], str]) -> str:
    """The tree as a person may write it: OR binds closer than AND, so a choice needs no parentheses."""
    match node:
        case Text(word):
            return word
        case Not(of):
            inner = in_some_spelling(of, choose)
            return choose(["-", "NOT "]) + (inner if isinstance(of, Text) else f"({inner})")
        case AllOf(of):
            joined = choose([" ", " AND "])
            return joined.join(_part(part, isinstance(part, AllOf), choose) for part in of)
        case AnyOf(of):
            return " OR ".join(_part(part, isinstance(part, AllOf | AnyOf), choose) for part in of)


def _part(part: Node, is_grouped: bool, choose: Callable[[list[str]], str]) -> str:
    text = in_some_spelling(part, choose)
    return f"({text})" if is_grouped or (isinstance(part, AnyOf) and choose(["", "("])) else text


@given(
    any_trees(),
    st.data(),
    st.lists(st.sets(st.sampled_from(["cat", "dog", "bird", "cow"])), min_size=1, max_size=8),
    st.booleans(),
)
def test_what_is_suggested_finds_no_more_and_no_less_than_was_asked(
    tree: Node, data: st.DataObject, texts: list[set[str]], literal: bool
) -> None:
    spelling = in_some_spelling(
        tree, lambda forms: data.draw(st.sampled_from(forms[literal and forms[0] == "-" :]))
    )
    assume(not literal or "NOT (NOT" not in spelling)  # where NOT before capitals is a word
    try:
        read_query(spelling, literal=literal)
        queries = [spelling]
    except InvalidQuery as refused:
        assume(refused.reason not in ("only_exclusions", "too_many_words", "too_many_choices"))
        split: list[str] = refused.facts.get("queries", [])
        queries = [refused.instead["query"]] if refused.instead else split
        assume(queries)

    for present in texts:
        text = " ".join(sorted(present))
        found = any(finds(query, text, literal=literal) for query in queries)
        assert found is is_true(tree, text), (spelling, queries)


@given(st.text(alphabet=st.sampled_from('ab "()|-!*?&ORANDT'), max_size=40))
def test_any_operators_make_a_query_or_are_refused(text: str) -> None:
    try:
        query = parse_query(text)
    except (UnsearchableQuery, QuerySyntaxError):
        return

    assert query.terms


def test_the_most_words_of_a_query_are_accepted() -> None:
    assert len(parse_query(" ".join(f"word{n}" for n in range(MAX_QUERY_WORDS))).terms) == MAX_QUERY_WORDS


def test_a_word_that_is_given_twice_is_one_term() -> None:
    assert [term.text for term in parse_query("refund cat OR refund refund").terms] == ["refund", "cat"]


@pytest.mark.parametrize(
    ("query", "correctable"),
    [
        ("recieve", True),
        ('"recieve"', False),
        ("C++", False),
        ("v2", False),
        ("café", True),
        ("1234567", False),
    ],
)
def test_only_plain_words_outside_quotes_may_be_corrected(query: str, correctable: bool) -> None:
    (term,) = parse_query(query).terms

    assert term.correctable is correctable


def test_a_corrected_term_looks_for_the_spellings_and_keeps_its_own_text() -> None:
    (term,) = parse_query("recieve").terms

    corrected = correction(term, ["receive", "received"])

    assert (corrected.text, corrected.alternatives) == ("recieve", (("receiv",),))


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("refunded", "a refund", True),
        ('"billing refund"', "billing, refund!", True),
        ('"billing refund"', "refund billing", False),
        ("cat -dog", "a cat and a dog", False),
        ("cat OR dog", "a dog", True),
        ("CUST-12345", "see CUST-12345.", True),
        ("CUST-12345", "see CUST 12345", True),
        ("CUST-12345", "see CUST-99999", False),
        ("C++", "we use C++", True),
        ("C++", "we use C", False),
        ("+1 (555) 123-4567", "tel:+15551234567", True),
        ("555-123-4567", "call 1 555 123 4567", True),
        ("555-123-4568", "call 1 555 123 4567", False),
        ("日本", "私は日本語を話す", True),
        ("本日", "私は日本語を話す", False),
        ("cafe", "the Café", True),
        ("O'Brien", "OBrien", True),
        ("'quoted'", "quoted", True),
        ("‘quoted’", "quoted", True),
        ("hell", "he'll call", False),
        ("well", "we’ll call", False),
        ("shell", "she'll call", False),
        ("Ann", "Ann'll call", True),
        ("go home", "she went home", True),
        ("went home", "they go home", True),
        ('"go home"', "she went home", False),
        ("home -go", "she went home", False),
        ("refun*", "two refunds", True),
        ("refun*", "a fun", False),
        ("HLB-19*", "order HLB-19873", True),
        ("HLB-19*", "order HLB 19873", True),
        ("HLB-19*", "order HLB-20873", False),
        ("o'br*", "Mr O’Brien", True),
        ("home -refu*", "home and a refusal", False),
        ("退款*", "退款到账", True),
    ],
)
def test_what_a_query_finds(query: str, text: str, found: bool) -> None:
    assert finds(query, text) is found


TEXTS = st.text(
    alphabet=st.sampled_from("abcdrefund ABC 0123456789.,-@+#'’\"日本ก่า éü\u0301ñ$%_()"),
    min_size=1,
    max_size=120,
)


@given(TEXTS)
def test_every_word_of_a_text_is_found_by_querying_it(text: str) -> None:
    for word in words(text):
        surface = text[word.start : word.end]
        plain = fold(surface).replace("'", "").replace("’", "")
        if plain not in STOP_WORDS and surface != "OR":
            assert finds(surface, text), surface


@given(TEXTS, st.data())
def test_consecutive_words_of_a_text_are_found_as_a_phrase(text: str, data: st.DataObject) -> None:
    text = text.replace('"', " ")
    found = list(words(text))
    assume(found)
    first = data.draw(st.integers(0, len(found) - 1))
    last = data.draw(st.integers(first, len(found) - 1))

    assert finds(f'"{text[found[first].start : found[last].end]}"', text)


@given(st.text(max_size=60))
def test_any_text_is_refused_or_is_a_query_in_which_nothing_is_empty(text: str) -> None:
    try:
        query = parse_query(text)
    except (UnsearchableQuery, QuerySyntaxError):
        return

    assert query.demands
    assert all(
        lexeme
        for term in (*query.terms, *query.excluded)
        for run in (*term.alternatives, *term.beginnings)
        for lexeme in run
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("01939C3A-6f00-8abc-9def-0123456789ab", "uuid"),
        (" (01939c3a-6f00-8abc-9def-0123456789ab) ", "uuid"),
        ("a@b.co", "email"),
        ("<a@b.co>", "email"),
        ("mailto:a.b+c@d.example", "email"),
        ("+1 (555) 123-4567", "phone"),
        ("(555) 123-4567", "phone"),
        ("tel:+49 30 1234567", "phone"),
        ("CUST-12345", "code"),
        ('"CUST-12345"', "code"),
        ("#42", "code"),
        ("v1.2.3", "code"),
        ("2024", "code"),
        ("refund", None),
        ("C++", None),
        ("@home", None),
        ("order 66", None),
        ("12 34", None),
        ("a@b.co said no", None),
        ("01939c3a-6f00-8abc-9def-0123456789ab refund", None),
        ("", None),
        ("--", None),
    ],
)
def test_a_text_that_is_nothing_but_an_identifier_is_known_for_one(text: str, kind: str | None) -> None:
    assert identifier_kind(text) == kind
