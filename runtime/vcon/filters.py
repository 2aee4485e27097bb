"""Parse search filters as users write them."""

import re
from collections.abc import Iterable, Mapping, Sequence

from vcontract.runtime.frame.documents.json import JsonObject

_TAG = re.compile(r"([^=:]+)[=:](.*)", re.DOTALL)
_NUMBER = re.compile(r"[\d\s+()./-]*\d{3}[\d\s+()./-]*")


class BadFilter(ValueError):
    """A filter cannot be read; the message names it."""


class BadTag(BadFilter):
    """The text is not a valid tag; the message quotes it."""


def tag_pair(text: str) -> tuple[str, str]:
    """Split `KEY=VALUE` or `KEY:VALUE`. Raises: BadTag."""
    found = _TAG.fullmatch(text)
    if found is None:
        raise BadTag(f"{text!r} is no tag")
    return found[1], found[2]


def search_filters(
    tags: Iterable[str] = (), party: str | None = None, since: str | None = None, until: str | None = None
) -> JsonObject:
    """Build the filters of vcon_search. A party is a number, address or name, by its form.

    Raises: BadTag.
    """
    filters: JsonObject = {"start_date": since, "end_date": until, "tags": dict(map(tag_pair, tags))}
    if party:
        is_number = _NUMBER.fullmatch(party)
        filters["party_tel" if is_number else "party_email" if "@" in party else "party_name"] = party
    return {name: value for name, value in filters.items() if value}


def said_filters(
    said: Sequence[str], not_said: Sequence[str], by: Mapping[str, str], within: Mapping[str, float]
) -> JsonObject:
    """Build the filters `said` and `not_said` of vcon_search: one of the phrases, and who said it when.

    Raises: BadFilter.
    """
    phrases = {name: [*given] for name, given in (("said", said), ("not_said", not_said)) if given}
    if not phrases and (by or within):
        raise BadFilter("Who says something and when need a phrase")
    about: JsonObject = {name: {**given} for name, given in (("by", by), ("within", within)) if given}
    return {name: {"any": given, **about} for name, given in phrases.items()}
