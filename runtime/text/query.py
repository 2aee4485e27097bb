"""Parse a search query into words that must, may and must not occur."""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.unicode_cleanup import with_visible_spaces
from vcontract.runtime.text.identifiers import AROUND, DIGITS, PHONE, bare
from vcontract.runtime.text.languages import function_words, irregular_stems
from vcontract.runtime.text.query_language import AllOf, AnyOf, Node, Not, Text, read
from vcontract.runtime.text.words import (
    LOCAL_NUMBER_DIGITS,
    STOP_WORDS,
    base_of,
    fold,
    former_lexeme,
    has_symbol_or_digit,
    in_pairs,
    is_stop_word,
    lexeme,
    phone_lexeme,
    phone_words,
    spelling,
    stemmed,
    surfaces,
    symbol_words,
    without_apostrophes,
    words,
)

MAX_QUERY_WORDS: Final = 64
"""Maximum words of one query; each is weighted and scored, and its weight is part of the cursor."""

_MARK: Final = re.compile(r"</?mark>")
"""Highlighting in snippets."""
_SCHEME: Final = re.compile(r"(?:mailto|sips?|tel):(?=.)", re.IGNORECASE)
"""Scheme of a party's address; only the rest is indexed."""
_STRAIGHT: Final = str.maketrans("“”„‟«»＂", '"' * 7)


class UnsearchableQuery(ValueError):
    """A query that cannot be answered without guessing. `words` are its words."""

    def __init__(self, reason: str, refused: list[str]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = refused


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase of a query. It matches if any of its alternatives does.

    An alternative is a sequence of consecutive lexemes, usually one.
    """

    text: str
    alternatives: tuple[tuple[str, ...], ...]
    correctable: bool = False
    """Whether to assume a possible misspelling: only for plain words outside quotes."""
    languages: tuple[str, ...] = ()
    """Languages other than English in which to match its stem."""
    literal: str | None = None
    """Text that must occur exactly, ignoring case. Its alternative is the words in it, if any."""
    beginnings: tuple[tuple[str, ...], ...] = ()
    """Alternatives whose last lexeme is a prefix."""

    def in_languages(self, languages: Sequence[str]) -> "Term":
        """Return the term with its stems in these languages added. Only plain words change."""
        if not self.correctable or not languages:
            return self
        return replace(self, alternatives=_stems(self.text, languages), languages=tuple(languages))

    @property
    def languages_of_other_stems(self) -> list[str]:
        """Languages in which its stem differs from the English one."""
        known = ("", lexeme(self.text))
        return [language for language in self.languages if stemmed(self.text, language) not in known]

    def document(self) -> JsonObject:
        """Return the term in the form that the SQL functions of search accept."""
        if self.literal is None:
            whole = [_alternative(run) for run in self.alternatives]
            return {"alternatives": whole + [_beginning(run) for run in self.beginnings]}
        words = [quote_lexeme(lexeme) for run in self.alternatives for lexeme in run]
        found_by: JsonObject = {"words": " & ".join(words)} if words else {"holders": []}
        return {"alternatives": [{**found_by, "literal": self.literal}]}

    @property
    def prefix(self) -> str:
        """The prefix of words to match; empty if the term is not a prefix."""
        return (spelling(self.text[:-1]) or "") if self.beginnings else ""

    @property
    def is_open(self) -> bool:
        """Whether other names may replace it: it is not a phrase, prefix or literal."""
        text = "".join(self.text.split())
        is_plain = self.correctable or has_symbol_or_digit(text)
        return is_plain and bool(self.alternatives) and self.literal is None

    def with_names(self, names: Sequence[str]) -> "Term":
        """Return the term with these names, addresses and numbers as further alternatives."""
        others = (run for name in names for run in _runs_of_name(name))
        return replace(self, alternatives=tuple(dict.fromkeys((*self.alternatives, *others))))

    def with_forms(self, spellings: Sequence[str], languages: Sequence[str]) -> "Term":
        """Return a prefix term with these words added, whose stems do not begin with the prefix."""
        stems = dict.fromkeys(run for word in spellings for run in _stems(word, languages))
        return replace(self, alternatives=tuple(stems), languages=tuple(languages))


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: every demand must be met by one of its terms, no excluded term may occur."""

    demands: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...]
    optional: tuple[Term, ...] = ()
    """Terms that only add to the score."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """Distinct terms to look for, in the order of the query."""
        return tuple(dict.fromkeys((*chain.from_iterable(self.demands), *self.optional)))

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Prefixes that the query looks for or excludes."""
        return tuple(dict.fromkeys(term.prefix for term in (*self.terms, *self.excluded) if term.prefix))

    def in_languages(self, languages: Sequence[str]) -> "Query":
        """Return the query with stems in these languages added."""
        return self._each(lambda term: term.in_languages(languages)) if languages else self

    def with_forms(self, forms: Mapping[str, Sequence[str]], languages: Sequence[str]) -> "Query":
        """Return the query with words added whose stems do not begin with its prefixes."""
        if not forms:
            return self
        return self._each(
            lambda term: term.with_forms(forms.get(term.prefix, ()), languages) if term.prefix else term
        )

    def with_names(self, names: Mapping[str, Sequence[str]]) -> "Query":
        """Return the query with a person's other names as alternatives. Keys are words of the query."""
        if not names:
            return self
        return self._each(
            lambda term: term.with_names(names[term.text]) if term.text in names and term.is_open else term
        )

    def _each(self, change: Callable[[Term], Term]) -> "Query":
        demands, excluded, optional = (
            tuple(tuple(map(change, terms)) for terms in part)
            for part in (self.demands, (self.excluded,), (self.optional,))
        )
        return Query(demands, *excluded, *optional)


def parse_query(text: str, *, any_word: bool = False, literal: bool = False) -> Query:
    """Parse `text` in the language of `query_language.read`.

    Stop words count only inside quotes, which may be curly. With `any_word`, words outside quotes are
    optional, so that a sentence finds what shares some of its words. With `literal`, symbols are not
    operators: A term with a symbol or digit must occur as written. There is always something to look for.
    Words beyond the limit are skipped.

    Raises: UnsearchableQuery with reason no_searchable_words, only_exclusions, too_many_words or
    too_many_choices; QuerySyntaxError.
    """
    text = with_visible_spaces(text).translate(_STRAIGHT)
    if not literal:
        text = _MARK.sub("", text)
    reader = _TermReader(STOP_WORDS | function_words(surfaces(text)), literal=literal)
    tree = read(text, _phone_numbers(text), symbols=not literal)
    wanted = reader.normal_form(tree) if tree is not None else _QueryParts()
    if literal and not wanted.demands and not wanted.excluded:
        wanted = _QueryParts([[_as_written(text)] for text in dict.fromkeys(reader.left_out)])
    if not wanted.demands:
        if wanted.excluded:
            raise UnsearchableQuery("only_exclusions", [term.text for term in wanted.excluded])
        raise UnsearchableQuery("no_searchable_words", reader.left_out)
    quoted, unquoted = reader.split_quoted(wanted.demands) if any_word else (wanted.demands, [])
    query = _query_of(quoted, unquoted, wanted.excluded)
    if literal:
        room = max(MAX_QUERY_WORDS - len(query.excluded), 1)
        query = replace(query, demands=query.demands[:room], optional=query.optional[:room])
    if len(query.terms) + len(query.excluded) > MAX_QUERY_WORDS:
        raise UnsearchableQuery("too_many_words", [])
    return query


def _query_of(quoted: list[list[Term]], unquoted: list[list[Term]], excluded: list[Term]) -> Query:
    """Build the query, with each term once."""
    if any(_says_something(demand) for demand in (*quoted, *unquoted)):
        # an exclusion means nothing if any of the words may be absent
        unquoted = [demand for demand in unquoted if _says_something(demand)]
    return Query(
        tuple(dict.fromkeys(tuple(dict.fromkeys(demand)) for demand in quoted)),
        tuple(dict.fromkeys(excluded)),
        tuple(dict.fromkeys(term for demand in unquoted for term in demand)),
    )


def _says_something(demand: list[Term]) -> bool:
    return any(term.alternatives for term in demand)


@dataclass(frozen=True, slots=True)
class _QueryParts:
    """Demands of a query, each with its alternatives."""

    demands: list[list[Term]] = field(default_factory=list[list[Term]])
    excluded: list[Term] = field(default_factory=list[Term])


class _TermReader:
    """Reads the words of a query's tree as terms."""

    def __init__(self, stop_words: frozenset[str], *, literal: bool) -> None:
        self.left_out: list[str] = []
        """Words that do not distinguish vCons."""
        self._literal = literal
        self._stop_words = stop_words
        self._known: dict[tuple[object, ...], Term] = {}
        self._unquoted: set[Term] = set()

    def normal_form(self, node: Node, *, whole: bool = False) -> _QueryParts:
        """Convert the tree to demands that must all be met. `whole` runs without spaces are one word each.

        Raises: UnsearchableQuery.
        """
        match node:
            case Text(text, is_prefix=True):
                return _QueryParts([[self._once(_prefix(text), quoted=False)]])
            case Text(text, quoted):
                pieces = [text] if quoted or whole else in_pairs(text)
                return _QueryParts(
                    [[term] for piece in pieces if (term := self._term(piece, quoted)) is not None]
                )
            case Not(of):
                return _QueryParts(excluded=[*chain(*self.normal_form(of, whole=True).demands)])
            case AllOf(of):
                parts = [self.normal_form(part, whole=whole) for part in of]
                return _QueryParts(
                    [*chain(*(part.demands for part in parts))], [*chain(*(part.excluded for part in parts))]
                )
            case AnyOf(of):
                return self._choices([self.normal_form(part, whole=whole).demands for part in of])

    @staticmethod
    def _choices(options: list[list[list[Term]]]) -> _QueryParts:
        """Choose one option each time. Raises: UnsearchableQuery."""
        # a stop word between two ORs joins the words around it
        options = [demands for demands in options if demands]
        if math.prod(map(len, options)) > MAX_QUERY_WORDS:
            raise UnsearchableQuery("too_many_choices", [])
        choices = itertools.product(*options) if options else ()
        return _QueryParts([[*chain(*choice)] for choice in choices])

    def split_quoted(self, demands: list[list[Term]]) -> tuple[list[list[Term]], list[list[Term]]]:
        """Separate the demands that only phrases meet from those with a word outside quotes."""
        unquoted = [demand for demand in demands if not self._unquoted.isdisjoint(demand)]
        return [demand for demand in demands if self._unquoted.isdisjoint(demand)], unquoted

    def _term(self, text: str, quoted: bool) -> Term | None:
        is_literal = self._literal and (_is_literal(text) or not any(True for _ in words(text)))
        term = _as_written(text) if is_literal else _term(text, quoted, self._stop_words)
        if term is None:
            self.left_out.append(text)
            return None
        return self._once(term, quoted=quoted)

    def _once(self, term: Term, *, quoted: bool) -> Term:
        """Return the first of equal terms: refund and Refund are one word, which counts once."""
        literal = term.literal and term.literal.lower()
        what = (term.alternatives, term.beginnings, term.correctable, literal)
        term = self._known.setdefault(what, term)
        if not quoted:
            self._unquoted.add(term)
        return term


def correction(term: Term, spellings: list[str]) -> Term:
    """Replace the spellings of `term`."""
    found = dict.fromkeys(run for spelling in spellings for run in _stems(spelling, term.languages))
    return replace(term, alternatives=tuple(found))


def _stems(word: str, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Alternatives of a plain word: its stem in English, in any form, and in each of the languages."""
    english = lexeme(word)
    base = (lexeme(one) for one in (base_of(word),) if one)
    stems = (english, *base, *irregular_stems(english), *(stemmed(word, language) for language in languages))
    return tuple(dict.fromkeys((stem,) for stem in stems if stem))


def forms_of(word: str) -> list[str]:
    """Lexemes that match all English forms of a plain word."""
    return [run[0] for run in _stems(word, ())]


def of_another_stem(prefix: str, spellings: Sequence[str], languages: Sequence[str]) -> list[str]:
    """Words with this prefix whose stem does not have it, one per stem."""
    found: dict[tuple[tuple[str, ...], ...], str] = {}
    for word in spellings:
        stems = tuple(run for run in _stems(word, languages) if not run[0].startswith(prefix))
        if stems:
            found.setdefault(stems, word)
    return list(found.values())


def _phone_numbers(text: str) -> dict[int, int]:
    """Find phone numbers in `text`, start to end. Each is one word, including its spaces."""
    return {
        word.start: word.end
        for word in phone_words(text)
        if sum(
            len(DIGITS.findall(part)) >= LOCAL_NUMBER_DIGITS for part in text[word.start : word.end].split()
        )
        < 2
    }


def _term(text: str, quoted: bool, stop_words: frozenset[str]) -> Term | None:
    """Return the term for one token, or None if there is nothing to look for."""
    if quoted:
        runs = [[stem for stem in map(rule, surfaces(text)) if stem] for rule in (lexeme, former_lexeme)]
        phrases = tuple(dict.fromkeys(tuple(run) for run in runs if run))
        return Term(text, phrases) if phrases else None
    address = text if (scheme := _SCHEME.match(text)) is None else text[scheme.end() :]
    parts = tuple(word.lexeme for word in words(address))
    whole = [word.lexeme for word in symbol_words(address)]
    if not parts:
        return None
    if len(parts) == 1 and not whole:
        bare = text.strip(AROUND)
        if has_symbol_or_digit(bare):
            return Term(bare, _with_phone(text, [parts]))
        return None if is_stop_word(bare, stop_words) else Term(bare, _stems(bare, ()), correctable=True)
    alternatives: list[tuple[str, ...]] = []
    if len(whole) == 1 and " " not in address:
        alternatives.append((whole[0],))
    if len(parts) > 1 or not alternatives:
        alternatives.append(parts)
    return Term(text, _with_phone(text, alternatives))


def _runs_of_name(name: str) -> tuple[tuple[str, ...], ...]:
    """Alternatives for a name, which is a phrase, or for an address or number."""
    term = _term(name, not has_symbol_or_digit("".join(name.split())), frozenset())
    return () if term is None else term.alternatives


def _is_literal(text: str) -> bool:
    """Whether a text contains a symbol or digit. False for numbers that people write in several ways."""
    is_phone = " " in text and PHONE.fullmatch(text) is not None
    return has_symbol_or_digit("".join(bare(text).split())) and not is_phone


def _as_written(text: str) -> Term:
    """Return a term that matches exactly; a plain word alone matches by its stem."""
    plain = bare(text)
    lexemes = tuple(dict.fromkeys(word.lexeme for word in words(plain)))
    if lexemes and not has_symbol_or_digit(plain):
        return Term(plain, (lexemes,), correctable=len(lexemes) == 1)
    return Term(plain, (lexemes,) if lexemes else (), literal=plain)


def _prefix(text: str) -> Term:
    """Return a prefix term: for whole words, and for the parts by which they are indexed."""
    *parts, last = surfaces(text)
    runs = dict.fromkeys([(fold(text),), (*map(lexeme, parts), without_apostrophes(fold(last)))])
    return Term(f"{text}*", (), beginnings=tuple(runs))


def _with_phone(text: str, alternatives: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    digits = "".join(DIGITS.findall(text))
    if len(digits) >= LOCAL_NUMBER_DIGITS and any(True for _ in phone_words(text)):
        alternatives.append((phone_lexeme(digits),))
    return tuple(dict.fromkeys(alternatives))


def _alternative(run: tuple[str, ...]) -> JsonObject:
    quoted = [quote_lexeme(lexeme) for lexeme in run]
    if len(run) == 1:
        return {"words": quoted[0]}
    return {"words": " & ".join(dict.fromkeys(quoted)), "sequence": " <-> ".join(quoted)}


def _beginning(run: tuple[str, ...]) -> JsonObject:
    *whole, last = map(quote_lexeme, run)
    return {"words": " & ".join((*whole, f"{last}:*")), "sequence": " <-> ".join((*whole, f"{last}:*"))}


def quote_lexeme(lexeme: str) -> str:
    """Quote a lexeme as a literal of PostgreSQL's tsquery."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
