"""SQL statements with named parameters (`:name`). Statements of more than a few lines have a file each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, Self

_NAME_OR_NONE: Final = re.compile(r"""--[^\n]*|'[^']*'|"[^"]*"|::|:([a-z][a-z0-9_]*)""")
"""Text that cannot contain a parameter (a comment, string, quoted name, cast), else a parameter."""


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with numbered parameters for the driver, and their names in the order of the numbers."""

    name: str
    sql: str
    parameters: tuple[str, ...]

    @classmethod
    def parse(cls, name: str, sql: str) -> Self:
        """Parse SQL with named parameters. A name may occur several times."""
        numbers: dict[str, int] = {}

        def numbered(found: re.Match[str]) -> str:
            parameter: str | None = found[1]
            return found[0] if parameter is None else f"${numbers.setdefault(parameter, len(numbers) + 1)}"

        numbered_sql = _NAME_OR_NONE.sub(numbered, sql)
        return cls(name, numbered_sql, tuple(numbers))

    def given(self, values: Mapping[str, object]) -> tuple[str, *tuple[object, ...]]:
        """Return the SQL and the parameter values in the driver's order.

        Raises: TypeError if a parameter has no value, or a value no parameter.
        """
        if set(values) != set(self.parameters):
            wrong = [f"no value for {name}" for name in self.parameters if name not in values]
            wrong += [f"no parameter {name}" for name in values if name not in self.parameters]
            raise TypeError(f"{self.name}: {', '.join(wrong)}; its parameters: {', '.join(self.parameters)}")
        return (self.sql, *map(values.__getitem__, self.parameters))


def query(name: str, /, **values: object) -> tuple[str, *tuple[object, ...]]:
    """Return the statement in <name>.sql and its values, to unpack into a call of a connection.

    Raises: TypeError if a parameter has no value, or a value no parameter.
    """
    return statement(name).given(values)


def named_query(sql: str, /, **values: object) -> tuple[str, *tuple[object, ...]]:
    """Return a short statement and its values, to unpack into a call of a connection.

    Raises: TypeError if a parameter has no value, or a value no parameter.
    """
    return _parsed(sql).given(values)


@lru_cache(maxsize=1_024)
def _parsed(sql: str) -> Statement:
    return Statement.parse(sql, sql)


@lru_cache
def statement(name: str) -> Statement:
    """Load the statement in <name>.sql."""
    return load(name)


def load(name: str, tables: Mapping[str, object] | None = None) -> Statement:
    """Load the statement in <name>.sql. With `tables`, pieces of them are in braces: `{party.insert}`."""
    sql = resources.files(__name__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
    return Statement.parse(name, sql if tables is None else sql.format_map(tables))
