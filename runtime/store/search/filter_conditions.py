"""Filters of a vCon search as SQL conditions, and counts of matching vCons."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons.counts import MAX_LISTED_VALUE_LENGTH, counts_of_values

KIND: Final = "vcon"
COUNTED_TO: Final = 10_000
"""Maximum exact count."""
ALL: Final = 10_000_000
"""Limit of counts that have to be exact."""


@dataclass(frozen=True, slots=True)
class Said:
    """Phrases as tsqueries, and who said them when."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    role: str | None = None
    """Folded role of the speaker."""
    speaker: str | None = None
    """Folded words of the speaker's name."""
    first_seconds: float | None = None
    last_seconds: float | None = None

    def conditions(self) -> JsonObject:
        conditions: JsonObject = {
            "any": " | ".join(f"({phrase})" for phrase in self.any) or None,
            "all": list(self.all) or None,
            "role": self.role,
            "speaker": self.speaker,
            "first_seconds": self.first_seconds,
            "last_seconds": self.last_seconds,
        }
        return {name: value for name, value in conditions.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on results. Texts are folded, `party_tel` is digits, tag values are text."""

    created_from: datetime | None = None
    created_to: datetime | None = None
    said_from: datetime | None = None
    said_to: datetime | None = None
    """End of a window of what was said, whenever its conversation began."""
    subject: str | None = None
    party_name: str | None = None
    party_email: str | None = None
    party_tel: str | None = None
    party_role: str | None = None
    dealer_id: str | None = None
    dealer_name: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    analysis_type: str | None = None
    analysis_vendor: str | None = None
    """Vendor of an analysis of that type, if one is given."""
    attachment_type: str | None = None
    events: tuple[str, ...] = ()
    """Kinds of events of which one happened."""
    events_from: datetime | None = None
    events_to: datetime | None = None
    said: Said | None = None
    not_said: Said | None = None
    """Matches only if all that was said is known."""
    repeat_within_days: int | None = None
    """Matches if a party was in a conversation that began in these days before."""
    version_of: UUID | None = None
    latest_versions: bool = False
    """Whether superseded versions are excluded."""
    people: tuple[str, ...] = ()
    """Words of parties' names that must all occur."""
    transcripts: bool | None = None
    """Whether only agents' transcripts match, or none; None for both."""

    def was_said(self, at: datetime | None) -> bool:
        """Whether a time is, or may be, in the window of what was said."""
        if at is None:
            return True
        return (self.said_from is None or at >= self.said_from) and (
            self.said_to is None or at < self.said_to
        )

    def _events(self) -> JsonObject:
        bounds = {"from": self.events_from, "to": self.events_to}
        window = {name: at.isoformat() for name, at in bounds.items() if at is not None}
        return {"any": [*self.events], **window}

    def conditions(self) -> JsonObject:
        """Convert the filters to the form of the SQL functions."""
        features = {"analysis": self.analysis_type, "attachment": self.attachment_type}
        conditions: JsonObject = {
            "from": self.created_from and self.created_from.isoformat(),
            "to": self.created_to and self.created_to.isoformat(),
            "said_from": self.said_from and self.said_from.isoformat(),
            "said_to": self.said_to and self.said_to.isoformat(),
            "subject": self.subject,
            "party_name": self.party_name,
            "party_email": self.party_email,
            "party_tel": self.party_tel,
            "party_role": self.party_role,
            "features": [f"{about}:{name}" for about, name in features.items() if name is not None] or None,
            "events": self._events() if self.events else None,
            "said": self.said and self.said.conditions(),
            "not_said": self.not_said and self.not_said.conditions(),
            "repeat_within_days": self.repeat_within_days,
            "version_of": self.version_of and str(self.version_of),
            "versions": "latest" if self.latest_versions else None,
            "analysis_vendor": self.analysis_vendor,
            "analysis_type": None if self.analysis_vendor is None else self.analysis_type,
            "dealer_id": self.dealer_id,
            "dealer_name": self.dealer_name,
            "people": list(self.people) or None,
            "transcripts": self.transcripts,
            "tags": [{"key": key, "value": value} for key, value in self.tags] or None,
        }
        return {name: value for name, value in conditions.items() if value is not None}


async def count_filtered(connection: Connection, tenant: str, filters: Filters) -> int:
    """Count the vCons that match the filters, to 10,000; one more if there are more.

    The number of vCons with a tag is maintained on writes, so for a single tag nothing is counted.
    """
    if filters == Filters(tags=filters.tags) and len(filters.tags) == 1:
        key, value = filters.tags[0]
        if len(value) <= MAX_LISTED_VALUE_LENGTH:
            (having,) = await counts_of_values(connection, tenant, key, [value])
            return min(having.vcons, COUNTED_TO + 1)
    return await count_matching(connection, filters.conditions())


async def count_unknown(connection: Connection, filters: Filters) -> int:
    """Count the vCons that match the other filters, but of which it is unknown whether something was said."""
    if filters.said is None and filters.not_said is None:
        return 0
    return await count_matching(connection, {**filters.conditions(), "said_unknown": True}, ALL)


async def count_matching(
    connection: Connection, conditions: JsonObject, at_most: int = COUNTED_TO + 1
) -> int:
    """Count the vCons that match conditions, up to `at_most`, else one more."""
    (count,) = await count_each(connection, [conditions_alone(conditions)], at_most)
    return count


def conditions_alone(conditions: JsonObject) -> str:
    """Return the part of conditions that counts depend on, as JSON: without empty lists and word weights."""
    return dump_json(
        {name: value for name, value in conditions.items() if value != [] and name != "words"}
    ).decode()


async def count_each(
    connection: Connection, conditions: Sequence[str], at_most: int = COUNTED_TO + 1
) -> list[int]:
    """Count for several conditions at once, each from `conditions_alone`."""
    rows = await connection.fetch(
        "select vcontract.search_count(c::jsonb, $2, $3) as things from unnest($1::text[]) c",
        conditions,
        KIND,
        at_most,
    )
    return [row["things"] for row in rows]


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of vCons for each name, most first."""

    counted: list[tuple[str, str | None, int]]
    """The name, its spelling if different, and the number of vCons."""
    names: int
    """Total number of names, including unlisted ones."""


async def tally(connection: Connection, conditions: JsonObject, about: str, most: int) -> Tally:
    """Count matching vCons by dealer, month, party, tag_value, or a kind of features."""
    text = dump_json({name: value for name, value in conditions.items() if name != "words"}).decode()
    rows = await connection.fetch(
        "select * from vcontract.search_tally($1::jsonb, $2, $3, $4)", text, KIND, about, most
    )
    counted = [(row["name"], row["label"], row["things"]) for row in rows]
    return Tally(counted, rows[0]["names"] if rows else 0)
