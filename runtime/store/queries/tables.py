"""Table definitions: columns, their types, and how each value is computed from a Python object."""

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
    """Returns the value to store for a row, in a type that the driver accepts for `sent_as`."""
    sent_as: str = ""
    """Type sent to the database if it differs, such as text for a nested list."""
    change: str = "{}"
    """SQL of the new value in an update: `{}` is the given value, `t` the stored row."""
    read: Callable[[JsonValue], object] | None = None
    """Converts the stored value for readers of whole rows. None if the column is not loaded."""


@dataclass(frozen=True)
class Table(Generic[Row]):
    """A table of tenants' rows. Its properties are pieces of SQL: `r` is a given row, `t` a stored one.

    Each column has one list parameter, named `<table>_<column>`.
    """

    name: str
    owner: str
    """Column with the row's owner. The key has further columns if an owner has several rows."""
    columns: tuple[Column[Row], ...]
    key: tuple[str, ...] = ()
    kind: str = ""
    """Kind of the rows, in a table shared by several kinds."""
    owner_type: str = "uuid"

    @property
    def rows(self) -> str:
        """The given rows as `r`."""
        sent = [
            (self.owner, self.owner_type),
            *((column.name, column.sent_as or column.type) for column in self.columns),
        ]
        lists = ", ".join(f":{self.name}_{name}::{type_}[]" for name, type_ in sent)
        return f"unnest({lists}) as r ({', '.join(name for name, _ in sent)})"

    @property
    def insert(self) -> str:
        """Insert the given rows. Conditions on `r` may follow."""
        fixed, values = (", kind", f", '{self.kind}'") if self.kind else ("", "")
        names = ", ".join((self.owner, *(column.name for column in self.columns)))
        given = ", ".join((f"r.{self.owner}", *map(_given, self.columns)))
        return (
            f"insert into vcontract.{self.name} as t (tenant{fixed}, {names})"  # noqa: S608  (names of columns)
            f" select :tenant{values}, {given} from {self.rows}"
        )

    @property
    def upsert(self) -> str:
        """Insert the given rows, or update stored rows that differ."""
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
        """The assignments of an update."""
        return ", ".join(f"{column.name} = {column.change.format(_given(column))}" for column in self.columns)

    @property
    def read(self) -> str:
        """The columns to load."""
        return ", ".join((f"t.{self.owner}", *(f"t.{column.name}" for column in self.columns if column.read)))

    def loaded(self, record: Record) -> JsonObject:
        """Convert a record loaded with `read` to values by column name."""
        return {
            self.owner: record[self.owner],
            **{column.name: column.read(record[column.name]) for column in self.columns if column.read},
        }

    def parameters(self, owned: Iterable[tuple[object, Sequence[Row]]]) -> dict[str, list[object]]:
        """Return the lists with the rows of these owners."""
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
