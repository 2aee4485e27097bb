"""Tables, described once: the columns, their types, and how each is made of what becomes a row."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from asyncpg import Record

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

Row = TypeVar("Row")

_WITHOUT_EQUALITY: Final = ("json",)


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a table."""

    name: str
    type: str
    of: Callable[[Row], object]
    """What is stored of a row, in a type that the driver takes for `sent_as`."""
    sent_as: str = ""
    """Where it is not sent as the type that it has: a list within a list, say, as text."""
    change: str = "{}"
    """SQL of what an update sets it to: `{}` is what is given, `t` the row that is stored."""
    read: Callable[[JsonValue], object] | None = None
    """Makes of what is stored what the reader of whole rows gives; None when it does not load the column."""


@dataclass(frozen=True)
class Table(Generic[Row]):
    """One table below a tenant. Its properties are pieces of SQL: `r` is a row given, `t` one stored.

    The parameters of a piece are one list a column, named `<table>_<column>`.
    """

    name: str
    owner: str
    """The column that says what a row belongs to; what is owned has further columns in its key."""
    columns: tuple[Column[Row], ...]
    key: tuple[str, ...] = ()
    kind: str = ""
    """Of a table that several kinds of things share: which kind these are."""
    owner_type: str = "uuid"

    @property
    def rows(self) -> str:
        """The rows that are given, as `r`."""
        sent = [
            (self.owner, self.owner_type),
            *((column.name, column.sent_as or column.type) for column in self.columns),
        ]
        lists = ", ".join(f":{self.name}_{name}::{type_}[]" for name, type_ in sent)
        return f"unnest({lists}) as r ({', '.join(name for name, _ in sent)})"

    @property
    def insert(self) -> str:
        """Insert the rows that are given; conditions on `r` may follow."""
        fixed, values = (", kind", f", '{self.kind}'") if self.kind else ("", "")
        names = ", ".join((self.owner, *(column.name for column in self.columns)))
        given = ", ".join((f"r.{self.owner}", *map(_given, self.columns)))
        return (
            f"insert into vcontract.{self.name} as t (tenant{fixed}, {names})"  # noqa: S608  (names of columns)
            f" select :tenant{values}, {given} from {self.rows}"
        )

    @property
    def upsert(self) -> str:
        """Insert the rows that are given, or write them over those that differ."""
        key = ", ".join(("tenant", *(["kind"] if self.kind else []), self.owner, *self.key))
        written = [column for column in self.columns if column.name not in self.key]
        changes = ", ".join(f"{column.name} = excluded.{column.name}" for column in written)
        stored, given = (", ".join(_compared(row, column) for column in written) for row in ("t", "excluded"))
        return (
            f"{self.insert} on conflict ({key}) do update set {changes}"
            f" where ({stored}) is distinct from ({given})"
        )

    @property
    def changes(self) -> str:
        """What an update sets the row to."""
        return ", ".join(f"{column.name} = {column.change.format(_given(column))}" for column in self.columns)

    @property
    def read(self) -> str:
        """The columns that are loaded."""
        return ", ".join((f"t.{self.owner}", *(f"t.{column.name}" for column in self.columns if column.read)))

    def loaded(self, record: Record) -> JsonObject:
        """What was loaded by `read`, by the names of the columns."""
        return {
            self.owner: record[self.owner],
            **{column.name: column.read(record[column.name]) for column in self.columns if column.read},
        }

    def parameters(self, owned: Iterable[tuple[object, Sequence[Row]]]) -> dict[str, list[object]]:
        """The lists that hold these rows of these owners."""
        pairs = [(owner, row) for owner, rows in owned for row in rows]
        rows = [row for _, row in pairs]
        lists: dict[str, list[object]] = {f"{self.name}_{self.owner}": [owner for owner, _ in pairs]}
        for column in self.columns:
            lists[f"{self.name}_{column.name}"] = list(map(column.of, rows))
        return lists


def _given(column: Column[Row]) -> str:
    return f"r.{column.name}::{column.type}" if column.sent_as else f"r.{column.name}"


def _compared(row: str, column: Column[Row]) -> str:
    return f"{row}.{column.name}{'::text' if column.type in _WITHOUT_EQUALITY else ''}"
