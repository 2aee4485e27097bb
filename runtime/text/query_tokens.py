"""Split a query into tokens: words, phrases, operators and parentheses."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from vcontract.runtime.text.words import unspaced_runs

QuerySyntaxReason = Literal[
    "dangling_operator",
    "mixed_operators",
    "excluded_choice",
    "unknown_operator",
    "field_operator",
    "short_prefix",
    "nested_too_deeply",
]

_TOKEN: Final = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)"?|(?P<chunk>[^\s"]+)')
_QUOTED: Final = r'["“](?P<phrase>[^"“”]*[^\s"“”][^"“”]*)["”]'
_PLAIN_TOKEN: Final = re.compile(
    rf"(?P<minus>){_QUOTED}|(?P<chunk>\(+(?={_QUOTED.replace('?P<phrase>', '')})|\S+)"
)
"""An unmatched quote is a character. So is one inside a word, except after an opening parenthesis."""
AFTER_A_WORD: Final = ".,;:!?"
_CHOICE: Final = re.compile(r"(\|+)")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}\*")
_PREFIX: Final = re.compile(r"(?P<text>[^\W_][^*]*)\*+")
_UNKNOWN: Final = re.compile(
    r"!(?P<excluded>[^\W_].*)|\++(?P<wanted>[^\W\d_].*)|\*+(?P<ending>[^\W_][^*]*)\**"
    r"|(?P<broken>[^\W\d_][^\W_]*)(?:\*+[^\W_*].*|\?[^\W\d_]+|~\d*|\^\d+)"
    r"|(?P<regular>/(?=.*(?:\.[*+?]|[\[\]\\^$?+])).+/)"
)
_INNER_WILDCARD: Final = re.compile(r"[^\W\d_][^\W_]*[*?]|/")
FILTER_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(("subject", "title"), "subject"),
    **dict.fromkeys(("party", "from", "to", "name", "speaker", "participant"), "party_name"),
    "email": "party_email",
    **dict.fromkeys(("tel", "phone"), "party_tel"),
    "role": "party_role",
    **dict.fromkeys(("tag", "tags", "label"), "tags"),
    "dealer": "dealer_name",
    **dict.fromkeys(("after", "since"), "start_date"),
    **dict.fromkeys(("before", "until"), "end_date"),
    **dict.fromkeys(("date", "created", "created_at"), "start_date and end_date"),
    **{
        name: name
        for name in (
            *("party_name", "party_email", "party_tel", "party_role"),
            *("dealer_name", "dealer_id", "start_date", "end_date"),
        )
    },
}
"""Filters by the field names that people write before a colon."""
_FIELD_NAME: Final = rf"(?:filters\.)?(?:{'|'.join(FILTER_OF)})"
_FIELD: Final = re.compile(rf"{_FIELD_NAME}:(?:[<>]=?)?[^\W_].*", re.IGNORECASE)
_FIELD_OF_PHRASE: Final = re.compile(rf"[-(]*{_FIELD_NAME}:", re.IGNORECASE)
"""A field before a quote."""
_COMMA: Final = re.compile(r"(?<=[^\W\d_]),+(?=[^\W\d_])")
MIN_PREFIX_LENGTH: Final = 3
"""Minimum letters and digits before an asterisk."""
_OPERATORS: Final[Mapping[str, Literal["and", "or", "not"]]] = {
    "AND": "and",
    "&": "and",
    "&&": "and",
    "OR": "or",
    "or": "or",
    "NOT": "not",
}
_NAMED: Final = frozenset({"AND", "OR", "NOT"})
"""Operators that are words."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or phrase, an operator or a parenthesis."""

    kind: Literal["text", "and", "or", "not", "open", "close"]
    text: str
    quoted: bool = False
    is_prefix: bool = False
    misread: QuerySyntaxReason | None = None
    """Problem of a token that looks like an operator and is not one."""
    is_inexpressible: bool = False
    """Whether no query can express it."""
    written: str = ""


def split_tokens(text: str, runs: Mapping[int, int]) -> Iterator[Token]:
    """Tokenize a query. `runs`, start to end, are one word each."""
    for piece in split_pieces(text, runs, fields=True):
        if piece.minus:
            yield Token("not", "-")
        if piece.is_field:
            written = piece.text.lstrip("-(")
            for sign in piece.text[: -len(written)]:
                yield Token("not", "-") if sign == "-" else Token("open", "(")
            yield Token("text", written, misread="field_operator", is_inexpressible=True, written=written)
        elif piece.whole:
            yield Token("text", piece.text, piece.quoted)
        else:
            yield from _of_chunk(piece.text)


def split_plain_tokens(text: str, runs: Mapping[int, int]) -> Iterator[Token]:
    """Tokenize with symbols as ordinary characters."""
    pieces = list(split_pieces(text, runs, symbols=False))
    for at, piece in enumerate(pieces):
        following = pieces[at + 1].text if at + 1 < len(pieces) and not pieces[at + 1].quoted else ""
        is_alone = piece.text == "NOT" and (at == 0 or pieces[at - 1].text != "AND")
        if piece.whole or (is_alone and len(following) > 1 and following.isupper()):
            yield Token("text", piece.text, piece.quoted)
            continue
        chunk = piece.text
        opened = len(chunk) - len(chunk.lstrip("("))
        bare = chunk[opened:].rstrip(AFTER_A_WORD)
        closed = min(len(bare) - len(bare.rstrip(")")), max(bare.count(")") - bare.count("("), 0))
        yield from [Token("open", "(")] * opened
        if word := (bare[: len(bare) - closed] if closed else chunk[opened:]):
            yield from (
                _of_word(word)
                if _LETTERS.fullmatch(word)
                else [Token(_OPERATORS[word] if word in _NAMED else "text", word)]
            )
        yield from [Token("close", ")")] * closed


def _of_chunk(chunk: str) -> Iterator[Token]:
    """Tokenize text without spaces: words separated by bars."""
    for part in _CHOICE.split(chunk):
        if part.startswith("|"):
            yield Token("or", part)
        elif part:
            yield from _of_part(part)


def _of_part(chunk: str) -> Iterator[Token]:
    """Tokenize text without spaces and bars: a word with parentheses and a minus."""
    while chunk.startswith(("(", "-(")):
        if chunk[0] == "-":
            yield Token("not", "-")
        yield Token("open", "(")
        chunk = chunk.partition("(")[2]
    if len(chunk) > 1 and chunk[0] == "-":
        yield Token("not", "-")
        chunk = chunk[1:]
    bare = chunk.rstrip(AFTER_A_WORD)
    closing = min(len(bare) - len(bare.rstrip(")")), max(bare.count(")") - bare.count("("), 0))
    if closing:
        chunk = bare[: len(bare) - closing]
    if chunk:
        yield from _of_word(chunk)
    yield from [Token("close", ")")] * closing


def _of_word(word: str) -> Iterator[Token]:
    if len(words := _COMMA.split(word)) > 1:
        yield Token("open", "(")
        for each in words:
            yield from _of_word(each)
        yield Token("close", ")")
    elif _FIELD.fullmatch(word) and not word.lower().startswith("tel:"):
        yield Token("text", word, misread="field_operator", is_inexpressible=True, written=word)
    elif prefix := _PREFIX.fullmatch(word.rstrip(AFTER_A_WORD)):
        text = prefix["text"]
        # without spaces, words have no boundaries, so prefixes match anyway
        is_open = not any(unspaced_runs(text))
        is_short = is_open and sum(map(str.isalnum, text)) < MIN_PREFIX_LENGTH
        misread: QuerySyntaxReason | None = "short_prefix" if is_short else None
        is_prefix = is_open and not is_short
        yield Token(
            "text", text, is_prefix=is_prefix, misread=misread, is_inexpressible=is_short, written=word
        )
    elif unknown := _UNKNOWN.fullmatch(word):
        if unknown["excluded"]:
            yield Token("not", "-")
        kept = next(filter(None, unknown.groups()))
        # **bold** is a word; *fund and re*nd cannot be looked up
        is_inexpressible = (
            word.startswith("*") != word.startswith("**") or _INNER_WILDCARD.match(word) is not None
        )
        yield Token("text", kept, misread="unknown_operator", is_inexpressible=is_inexpressible, written=word)
    else:
        yield Token(_OPERATORS.get(word, "text"), word)


@dataclass(frozen=True, slots=True)
class Piece:
    """Text between spaces, a quoted text, or a run. Only the first kind may contain operators."""

    text: str
    minus: bool = False
    quoted: bool = False
    whole: bool = True
    is_field: bool = False
    """Whether it is a field before a phrase."""


def split_pieces(
    text: str, runs: Mapping[int, int], *, symbols: bool = True, fields: bool = False
) -> Iterator[Piece]:
    """Split a query at spaces and quotes."""
    position = 0
    while match := (_TOKEN if symbols else _PLAIN_TOKEN).search(text, position):
        position = match.end()
        if match["phrase"] is not None:
            yield Piece(match["phrase"], bool(match["minus"]), quoted=True)
            continue
        if fields and text[position : position + 1] == '"' and _FIELD_OF_PHRASE.fullmatch(match["chunk"]):
            phrase = _TOKEN.match(text, position)
            assert phrase is not None
            position = phrase.end()
            yield Piece(match["chunk"] + phrase[0], is_field=True)
            continue
        start = match.start()
        minus = symbols and match["chunk"].startswith("-")
        end = runs.get(start + minus)
        if end is not None and end > position:
            yield Piece(text[start + minus : end], minus)
            position = end
        else:
            yield Piece(match["chunk"], whole=False)
