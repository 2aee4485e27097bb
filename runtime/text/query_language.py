"""Query language: parse words with AND, OR, NOT and parentheses into a tree, and print a tree."""

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from vcontract.runtime.text.query_tokens import (
    AFTER_A_WORD,
    FILTER_OF,
    QuerySyntaxReason,
    Token,
    split_pieces,
    split_plain_tokens,
    split_tokens,
)

_MAX_DEPTH: Final = 16
"""Maximum nesting of parentheses."""
_MAX_SPLIT: Final = 4
"""Maximum number of queries that one query is split into."""


@dataclass(frozen=True, slots=True)
class Text:
    """A word or phrase as written, without its quotes."""

    text: str
    quoted: bool = False
    is_prefix: bool = False
    """Whether it matches any word that begins with it."""


@dataclass(frozen=True, slots=True)
class Not:
    """What must not occur."""

    of: "Node"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Parts of which all must occur."""

    of: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Parts of which at least one must occur."""

    of: "tuple[Node, ...]"


Node: TypeAlias = Text | Not | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Narrowing:
    """A query with fields, split into the remaining query, which may be empty, and values of filters."""

    query: str
    filters: Mapping[str, str]


class QuerySyntaxError(ValueError):
    """A query with an operator that is not supported.

    `suggestion` is an equivalent query, or empty. Without one, `queries` may hold several queries that
    together are equivalent, or `narrowing` filters equivalent to its fields.
    """

    def __init__(
        self,
        reason: QuerySyntaxReason,
        operator: str,
        meant: Node | None,
        *,
        symbols: bool = True,
        narrowing: Narrowing | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason: QuerySyntaxReason = reason
        self.operator = operator
        self.narrowing = narrowing
        found = [] if meant is None else _followable(meant)
        # a question mark at the end would make the operators words
        texts = [format_query(node, symbols=symbols).rstrip("? ") for node in found]
        self.suggestion = texts[0] if len(texts) == 1 else ""
        self.queries = texts if len(texts) > 1 else []


def read(text: str, runs: Mapping[int, int], *, symbols: bool = True) -> Node | None:
    """Parse a query; None if it is empty. `runs`, start to end, are one word each.

    Adjacent words must all occur; AND between them changes nothing. OR, `or` and `|` require one of two and
    bind closer. `-word`, `NOT word` and `and not word` exclude. `begin*` matches any word with that prefix.
    Parentheses group; an unmatched one is punctuation. A sentence that ends in a question mark has no
    operators except quotes. Without `symbols`, the only operators are AND, OR, NOT, parentheses, quotes and
    an asterisk after letters. So `rm -rf` and `a | b` are searched as written. NOT without AND is not an
    operator before a word in capitals, as in `NOT NULL`.

    Raises: QuerySyntaxError.
    """
    if text.rstrip().endswith("?"):
        return _joined(
            [Text(piece.text, piece.quoted) for piece in split_pieces(text, runs, symbols=symbols)]
        )
    tokens = list(split_tokens(text, runs) if symbols else split_plain_tokens(text, runs))
    tokens = _resolve_keywords(_drop_unbalanced(tokens))
    dangling: list[Token] = []
    is_inexpressible = any(token.is_inexpressible for token in tokens)
    while places := {at for at in range(len(tokens)) if _lacks_operand(tokens, at)}:
        dangling += [tokens[at] for at in sorted(places)]
        is_inexpressible = is_inexpressible or any(_excludes_later(tokens, at) for at in places)
        tokens = _drop_unbalanced([token for at, token in enumerate(tokens) if at not in places])
    reader = _Reader(tokens)
    node = reader.whole()
    meant = None if is_inexpressible else node
    if reader.is_mixed:
        raise QuerySyntaxError("mixed_operators", "AND", meant, symbols=symbols)
    if dangling:
        raise QuerySyntaxError("dangling_operator", dangling[0].text, meant, symbols=symbols)
    _check_tokens(tokens, meant, symbols=symbols)
    if node is not None and not _is_followable(node):
        raise QuerySyntaxError("excluded_choice", "NOT", meant, symbols=symbols)
    return node


def _check_tokens(tokens: Sequence[Token], meant: Node | None, *, symbols: bool) -> None:
    """Reject the first token that looks like an operator and is not one. Raises: QuerySyntaxError."""
    token = next((token for token in tokens if token.misread), None)
    if token is not None and token.misread:
        narrowing = _narrowing(tokens) if token.misread == "field_operator" else None
        raise QuerySyntaxError(token.misread, token.written, meant, symbols=symbols, narrowing=narrowing)


def format_query(node: Node, *, symbols: bool = True) -> str:
    """Print a query that `read` with the same `symbols` parses as `node`."""
    match node:
        case Text(text, quoted, is_prefix):
            return f'"{text}"' if quoted else text + "*" * is_prefix
        case Not(of):
            return ("-" if symbols else "NOT ") + _grouped(of, symbols=symbols)
        case AllOf(of):
            if symbols:
                return " ".join(_grouped(part) for part in of)
            # where NOT may be a word, it is an operator after AND
            parts = sorted(of, key=lambda part: isinstance(part, Not))
            first, *others = (_grouped(part, symbols=False) for part in parts)
            return first + "".join(
                f" AND {other}" if isinstance(part, Not) else f" {other}"
                for part, other in zip(parts[1:], others, strict=True)
            )
        case AnyOf(of):
            return " OR ".join(_grouped(part, symbols=symbols) for part in of)


def _grouped(node: Node, *, symbols: bool = True) -> str:
    text = format_query(node, symbols=symbols)
    return f"({text})" if isinstance(node, AllOf | AnyOf) else text


class _Reader:
    """Parses tokens from left to right. Every operator and parenthesis is known to be complete."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self.is_mixed = False
        """Whether AND and OR are mixed at one level."""

    def whole(self) -> Node | None:
        return self._sequence() if self._tokens else None

    def _sequence(self) -> Node:
        parts: list[Node] = []
        joining = choosing = False
        while self._kind not in (None, "close"):
            joining = self._skip("and") or joining
            options = [self._one()]
            while self._skip("or"):
                options.append(self._one())
            choosing = choosing or len(options) > 1
            parts.append(AnyOf(tuple(options)) if len(options) > 1 else options[0])
        self.is_mixed = self.is_mixed or (joining and choosing)
        return AllOf(tuple(parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> Node:
        if self._skip("not"):
            return Not(self._one())
        if self._skip("open"):
            inner = self._sequence()
            self._skip("close")
            return inner
        token = self._tokens[self._at]
        self._at += 1
        return Text(token.text, token.quoted, token.is_prefix)

    @property
    def _kind(self) -> str | None:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else None

    def _skip(self, kind: str) -> bool:
        is_next = self._kind == kind
        self._at += is_next
        return is_next


def filters_of_field(operator: str) -> dict[str, str]:
    """Return the filters for a field and its value, as in `title:refund`; empty if it is not a field."""
    name, _, value = operator.partition(":")
    field, value = name.lower().removeprefix("filters."), value.strip('"').rstrip(AFTER_A_WORD)
    if field in ("from", "to") and value[:1].isdigit():
        return {"start_date" if field == "from" else "end_date": value}
    return dict.fromkeys(FILTER_OF.get(field, "").split(" and "), value)


def _narrowing(tokens: Sequence[Token]) -> Narrowing | None:
    """Convert fields to filters. None unless every word must occur and no filter has two values."""
    if any(token.kind not in ("text", "and") for token in tokens):
        return None
    filters: dict[str, str] = {}
    words: list[Node] = []
    for token in tokens:
        if token.misread == "field_operator":
            meant = filters_of_field(token.written)
            if not filters.keys().isdisjoint(meant):
                return None
            filters |= meant
        elif token.misread:
            return None
        elif token.kind == "text":
            words.append(Text(token.text, token.quoted, token.is_prefix))
    rest = _joined(words)
    return Narrowing("" if rest is None else format_query(rest), filters)


def _joined(parts: Sequence[Node]) -> Node | None:
    if len(parts) > 1:
        return AllOf(tuple(parts))
    return next(iter(parts), None)


def _is_followable(node: Node) -> bool:
    """Whether each exclusion is of single words, and none is part of a choice."""
    match node:
        case Text():
            return True
        case Not(of):
            return _is_choice_of_words(of)
        case AllOf(of):
            return all(map(_is_followable, of))
        case AnyOf(of):
            return not _excludes(node) and all(map(_is_followable, of))


def _is_choice_of_words(node: Node) -> bool:
    return isinstance(node, Text) or (isinstance(node, AnyOf) and all(map(_is_choice_of_words, node.of)))


def _followable(node: Node) -> list[Node]:
    """Supported queries that together are equivalent to `node`; none if that takes too many."""
    if _is_followable(node):
        return [node]
    return _split(_exclusions_of_words(node))


def _exclusions_of_words(node: Node, *, negated: bool = False) -> Node:
    """Move each exclusion down to single words or phrases."""
    match node:
        case Text():
            return Not(node) if negated else node
        case Not(of):
            return _exclusions_of_words(of, negated=not negated)
        case AllOf(of) | AnyOf(of):
            parts = tuple(_exclusions_of_words(part, negated=negated) for part in of)
            return _all(parts) if isinstance(node, AllOf) != negated else AnyOf(parts)


def _split(node: Node) -> list[Node]:
    """Split into the fewest queries without a choice of exclusions; none if there are too many."""
    match node:
        case Text() | Not():
            return [node]
        case AllOf(of):
            splits = [_split(part) for part in of]
            if not all(splits) or math.prod(map(len, splits)) > _MAX_SPLIT:
                return []
            return [_all(parts) for parts in itertools.product(*splits)]
        case AnyOf(of):
            wanted = tuple(part for part in of if not _excludes(part))
            splits = [_split(part) for part in of if _excludes(part)]
            if not all(splits):
                return []
            kept: list[Node] = [AnyOf(wanted)] if len(wanted) > 1 else [*wanted]
            queries = [*itertools.chain.from_iterable(splits), *kept]
            return queries if len(queries) <= _MAX_SPLIT else []


def _all(parts: Sequence[Node]) -> Node:
    """Combine parts into one All, without nesting."""
    flat = [inner for part in parts for inner in (part.of if isinstance(part, AllOf) else (part,))]
    return AllOf(tuple(flat))


def _excludes(node: Node) -> bool:
    match node:
        case Text():
            return False
        case Not():
            return True
        case AllOf(of) | AnyOf(of):
            return any(map(_excludes, of))


def _resolve_keywords(tokens: Sequence[Token]) -> list[Token]:
    """Classify small words by their neighbours: `or` joins or is a word; `and not` excludes."""
    settled = list(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "or" and token.text == "or" and _lacks_operand(tokens, at):
            settled[at] = replace(token, kind="text")
        if _is_word(token, "not") and at and _is_word(tokens[at - 1], "and", "AND"):
            settled[at] = replace(token, kind="not")
            if _lacks_operand(settled, at):
                settled[at] = token
    return settled


def _is_word(token: Token, *texts: str) -> bool:
    return not token.quoted and token.text in texts


def _drop_unbalanced(tokens: Sequence[Token]) -> list[Token]:
    """Drop unmatched and empty parentheses.

    Raises: QuerySyntaxError for more than 16 levels.
    """
    kept: list[Token] = []
    opened: list[int] = []
    deepest = 0
    for token in tokens:
        if token.kind == "close":
            if not opened:
                continue
            deepest = max(deepest, len(opened))
            start = opened.pop()
            if start == len(kept) - 1:
                kept.pop()
                continue
        if token.kind == "open":
            opened.append(len(kept))
        kept.append(token)
    if deepest > _MAX_DEPTH:
        raise QuerySyntaxError("nested_too_deeply", "(", None)
    unclosed = set(opened)
    return [token for at, token in enumerate(kept) if at not in unclosed]


def _lacks_operand(tokens: Sequence[Token], at: int) -> bool:
    """Whether the operator at an index has nothing to join or exclude."""
    kind = tokens[at].kind
    if kind not in ("and", "or", "not"):
        return False
    before = tokens[at - 1].kind if at else None
    after = tokens[at + 1].kind if at + 1 < len(tokens) else None
    return after not in ("text", "open", "not") or (kind != "not" and before not in ("text", "close"))


def _excludes_later(tokens: Sequence[Token], at: int) -> bool:
    """Whether an operator with nothing to exclude is followed by a word that may be meant."""
    return tokens[at].kind == "not" and any(token.kind == "text" for token in tokens[at + 1 :])


_SYMBOLS: Final = re.compile(r'["“”„«»()\[\]{}*~|&!?\\]|:(?!\d)|(?<!\S)[-+](?!\d)')
_CONNECTIVES: Final = re.compile(r"\b(?:AND|OR|NOT)\b")


def without_operators(text: str) -> str:
    """Rewrite a question so that nothing in it is an operator."""
    return _CONNECTIVES.sub(lambda found: found[0].lower(), _SYMBOLS.sub(" ", text)).strip()
