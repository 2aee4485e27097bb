"""People with several names: their names, addresses and numbers, merged and split by users."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from typing import Final, Self

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import objects
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.queries import named_query
from vcontract.runtime.text.languages import is_function_word
from vcontract.runtime.text.query import Query
from vcontract.runtime.text.words import STOP_WORDS, fold

MAX_ALIAS_LENGTH: Final = 200
_MIN_NUMBER_DIGITS: Final = 5
_MAX_ALIASES_OF_A_WORD: Final = 12
"""Maximum other names of a query word. A cursor holds them."""
_NUMBER: Final = re.compile(r"(?:tel:)?[\d\s+()./-]+", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"(?:mailto:)?(\S+@\S+)", re.IGNORECASE)
_SPACES: Final = re.compile(r"[\s,;]+")
_EDGES: Final = re.compile(r"^[\W_]+|[\W_]+$")
_UNSPACED: Final = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼ`", "'"))
_PARTS: Final = re.compile(r"[\s,;.]+")


class NoAlias(ValueError):
    """A text that cannot be a name; the message says why."""


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of a person, folded as parties are compared. Only one of the last three members is set."""

    written: str
    name_folded: str = ""
    email_folded: str = ""
    tel_digits: str = ""

    @property
    def folded(self) -> str:
        return self.name_folded or self.email_folded or self.tel_digits

    @property
    def party(self) -> JsonObject:
        """Return a party with this name, address or number."""
        is_number = self.tel_digits or _NUMBER.fullmatch(self.written)
        return {"mailto" if self.email_folded else "tel" if is_number else "name": self.written}


def aliases_of(written: str) -> list[Alias]:
    """Return the aliases for a name or address. A number also counts as a name, for phones without one.

    Raises: NoAlias.
    """
    text = " ".join(written.split())
    if not any(character.isalnum() for character in text) or "\0" in text:
        raise NoAlias(f"{written!r} has no letters or digits; use a name, an email address or a phone number")
    if len(text) > MAX_ALIAS_LENGTH:
        raise NoAlias(f"{text[:40]!r}… has {len(text)} characters; at most {MAX_ALIAS_LENGTH} are allowed")
    if address := _ADDRESS.fullmatch(text):
        return [Alias(text, email_folded=fold(address[1]))]
    digits = "".join(character for character in text if character.isdigit())
    if _NUMBER.fullmatch(text) and len(digits) >= _MIN_NUMBER_DIGITS:
        return [Alias(text, tel_digits=digits), Alias(text, name_folded=fold(text))]
    return [Alias(text, name_folded=fold(text))]


@dataclass(frozen=True)
class People:
    """All aliases of a tenant."""

    names: Mapping[str, Sequence[Alias]]
    """Aliases by person."""

    @classmethod
    async def of(cls, connection: Connection, tenant: str) -> Self:
        rows = await connection.fetch(
            *named_query(
                "select person, written, name_folded, email_folded, tel_digits from vcontract.alias"
                " where tenant = :tenant order by person, written <> person, written, tel_digits = ''",
                tenant=tenant,
            )
        )
        return cls(_by_person(rows))

    @cached_property
    def _by_key(self) -> dict[str, str]:
        """The person of each folded name, address and number."""
        return {alias.folded: person for person, aliases in self.names.items() for alias in aliases}

    def person_of(self, party: JsonObject) -> str | None:
        """Return the person of a party, by its name, else address, else number; None if unknown."""
        labels = (party.get(name) for name in ("name", "mailto", "tel")) if self.names else ()
        people = (self._by_key.get(key_of(one)) for one in labels if isinstance(one, str))
        return next(filter(None, people), None)

    def other_parties(self, parties: Sequence[JsonValue]) -> list[JsonObject]:
        """Return parties with all aliases of the people among these parties."""
        people = {self.person_of(party) for _, party in objects(list(parties))}
        return [alias.party for person in people if person for alias in self.names[person]]

    def called(self, name: str) -> set[str]:
        """Return all folded names of people one of whose names has the words of `name`."""
        return {
            alias.folded
            for aliases in self.names.values()
            if any(is_named(alias.name_folded, name) for alias in aliases)
            for alias in aliases
        }


def _by_person(rows: Iterable[Iterable[str]]) -> dict[str, list[Alias]]:
    """Group rows of a person and an alias."""
    found: dict[str, list[Alias]] = {}
    for person, *alias in rows:
        found.setdefault(person, []).append(Alias(*alias))
    return found


def is_named(folded: str, name: str) -> bool:
    """Whether a folded name has each word of `name`, as whole words in any order; `andr*` is a beginning.

    Scripts without spaces have no whole words, so that their pieces count. As vcontract.naming().
    """
    return all(pattern.search(folded.translate(_APOSTROPHES)) for pattern in _patterns(name))


@lru_cache(maxsize=64)
def _patterns(name: str) -> Sequence[re.Pattern[str]]:
    words = [
        (_EDGES.sub("", word), word.endswith("*"))
        for word in _SPACES.split(fold(name).translate(_APOSTROPHES))
    ]
    return [
        re.compile(
            ("" if re.match(_UNSPACED, word) else r"(?<![^\W_])")
            + re.escape(word)
            + ("" if is_beginning or re.match(_UNSPACED, word[-1]) else r"(?![^\W_])")
        )
        for word, is_beginning in words
        if word
    ]


def key_of(label: str) -> str:
    """Return the folded key of a name, address or number."""
    try:
        return aliases_of(label)[0].folded
    except NoAlias:
        return fold(label)


async def merge(connection: Connection, tenant: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """Merge the names of each group into one person. Returns the people: the first name, or its existing
    person.

    Raises: NoAlias, before anything is changed.
    """
    read = [[alias for written in group for alias in aliases_of(written)] for group in groups]
    people: list[str] = []
    for aliases in read:
        given = [asdict(alias) for alias in aliases]
        known: str | None = await connection.fetchval(
            *named_query(
                "select a.person from vcontract.alias a where a.tenant = :tenant and a.name_folded = :name"
                " and a.email_folded = :address and a.tel_digits = :number",
                tenant=tenant,
                name=aliases[0].name_folded,
                address=aliases[0].email_folded,
                number=aliases[0].tel_digits,
            )
        )
        person = known or aliases[0].written
        await connection.execute(
            *named_query(
                f"""
                with given as ({_GIVEN}), joined as (
                    update vcontract.alias a set person = :person
                    where a.tenant = :tenant and a.person in (
                        select o.person from vcontract.alias o join given g on {_SAME}
                        where o.tenant = :tenant)
                )
                insert into vcontract.alias (tenant, person, written, name_folded, email_folded, tel_digits)
                select :tenant, :person, g.written, g.name_folded, g.email_folded, g.tel_digits from given g
                where not exists (select from vcontract.alias o where o.tenant = :tenant and {_SAME})
                """,  # noqa: S608  (pieces of ours)
                tenant=tenant,
                person=person,
                given=dump_json(given).decode(),
            )
        )
        people.append(person)
    return people


_GIVEN: Final = (
    "select distinct on (name_folded, email_folded, tel_digits) *"
    " from jsonb_to_recordset(:given::jsonb)"
    " as g (written text, name_folded text, email_folded text, tel_digits text)"
)
_SAME: Final = "(o.name_folded, o.email_folded, o.tel_digits) = (g.name_folded, g.email_folded, g.tel_digits)"


async def split(connection: Connection, tenant: str, person: str, others: Sequence[str]) -> int:
    """Remove names from a person; all if none or the first one is given. Returns the number removed.

    Raises: NoAlias.
    """
    (first, *_) = aliases_of(person)
    given = [asdict(alias) for written in others for alias in aliases_of(written)]
    rows = await connection.fetch(
        *named_query(
            f"""
            with given as ({_GIVEN}), whole as (
                select o.person, not exists (select from given)
                    or exists (select from given g where g.written = o.person) as is_whole
                from vcontract.alias o where o.tenant = :tenant and o.name_folded = :name
                    and o.email_folded = :address and o.tel_digits = :number
            )
            delete from vcontract.alias o using whole w
            where o.tenant = :tenant and o.person = w.person
                and (w.is_whole or exists (select from given g where {_SAME}))
            returning o.written
            """,  # noqa: S608  (pieces of ours)
            tenant=tenant,
            name=first.name_folded,
            address=first.email_folded,
            number=first.tel_digits,
            given=dump_json(given).decode(),
        )
    )
    return len({row["written"] for row in rows})


def keys_in(query: Query) -> dict[str, str]:
    """Return the words of a query that may be of a name, each with its key."""
    return {term.text: key_of(term.text) for term in query.terms if term.is_open}


def names_in(aliases: Iterable[Iterable[str]], words: Mapping[str, str]) -> dict[str, list[str]]:
    """Find people whose full name is in a query, whose `keys_in` are `words`, among rows of aliases.

    Returns their other names by query word. If a name is part of a longer one, the longer one counts.
    """
    people = _by_person(aliases)
    named_so = [
        (parts, person)
        for person, aliases in people.items()
        for alias in aliases
        if (parts := _name_words(alias)) and parts <= {*words.values()}
    ]
    found: dict[str, list[str]] = {}
    taken: set[str] = set()
    for parts, person in sorted(named_so, key=lambda one: (-len(one[0]), one[1])):
        if parts <= taken:
            continue
        taken |= parts
        others = [alias.written for alias in people[person] if _name_words(alias) != parts]
        for text, word in words.items():
            if word in parts:
                found[text] = [*dict.fromkeys((*found.get(text, ()), *others))][:_MAX_ALIASES_OF_A_WORD]
    return found


def _name_words(alias: Alias) -> frozenset[str]:
    """Words of a name that a query must contain; for an address or number, the whole."""
    if not alias.name_folded:
        return frozenset({alias.folded})
    parts = frozenset(filter(None, _PARTS.split(alias.name_folded)))
    telling = frozenset(part for part in parts if part not in STOP_WORDS and not is_function_word(part))
    return telling or parts
