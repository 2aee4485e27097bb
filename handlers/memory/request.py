"""Parameters of `search`, with checks that the schema cannot express."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Literal, TypeAlias

from pydantic import MISSING

from vcontract.generated.errors import ValidationError
from vcontract.generated.models import memory as models
from vcontract.runtime.frame.documents.json import JsonObject

Mode: TypeAlias = Literal["vector", "text", "both"]

_MIN_QUERY_LENGTH = 2


@dataclass(frozen=True, slots=True)
class Request:
    """A search for one query, or for conversations that match several queries."""

    queries: tuple[str, ...]
    is_array: bool
    mode: Mode
    limit: int
    after: date | None
    before: date | None
    project: str | None
    exchanges: int
    """Number of exchanges shown per conversation."""
    offset: int

    def filters(self, *, dates: bool = True) -> JsonObject:
        """Filters in the form of vcontract.search_conditions."""
        edges = {"from": self.after, "to": self.before} if dates else {}
        return {
            **{name: _midnight(day).isoformat() for name, day in edges.items() if day is not None},
            "sidechains": False,
        }


def read_request(params: models.MemorySearchParams) -> Request:
    """The search that the parameters ask for.

    Raises: ValidationError for a query under two characters, an invalid date, or an empty date range.
    """
    is_array = isinstance(params.query, list)
    given = params.query if isinstance(params.query, list) else [params.query]
    queries = tuple(_storable(query).strip() for query in given)
    for number, query in enumerate(queries):
        if len(query) < _MIN_QUERY_LENGTH:
            parameter = f"query[{number}]" if is_array else "query"
            raise ValidationError(
                "Query must be at least 2 characters",
                details={"parameter": parameter, "reason": "wrong_length", "value": given[number]},
            )
    after, before = _day("after", params.after), _day("before", params.before)
    if after is not None and before is not None and after >= before:
        raise ValidationError(
            "Invalid date range",
            details={
                "parameter": "before",
                "reason": "date_range",
                "after": after.isoformat(),
                "before": before.isoformat(),
            },
            suggestions=["Send a day for before that is later than after; before itself is left out."],
        )
    project = None if params.project is MISSING else _storable(params.project)
    return Request(
        queries,
        is_array,
        params.mode,
        params.limit,
        after,
        before,
        project,
        params.exchanges,
        params.offset,
    )


def _day(name: str, given: str | MISSING) -> date | None:
    if given is MISSING:
        return None
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise ValidationError(
            "Invalid date format",
            details={"parameter": name, "reason": "bad_date", "value": given, "accepted": ["YYYY-MM-DD"]},
            suggestions=["Use a day of the calendar as YYYY-MM-DD."],
        ) from None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _storable(text: str) -> str:
    """Replace lone surrogates and U+0000 by U+FFFD, as in stored transcripts."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
