"""SQL whose parameters have names: `:name`; statements of more than a few lines have a file each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, Self

_NAME_OR_NONE: Final = re.compile(r"""--[^\n]*|'[^']*'|"[^"]*"|::|:([a-z][a-z0-9_]*)""")
"""What no parameter can be in (a comment, a string, a quoted name, a cast), else a parameter."""


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with numbered parameters, as the driver takes it, and their names in the order of the numbers."""

    name: str
    sql: str
    parameters: tuple[str, ...]

    @classmethod
    def parse(cls, name: str, sql: str) -> Self:
        """The statement that SQL with named parameters is; a name may come more than once."""
        numbers: dict[str, int] = {}

        def numbered(found: re.Match[str]) -> str:
            parameter: str | None = found[1]
            return found[0] if parameter is None else f"${numbers.setdefault(parameter, len(numbers) + 1)}"

        numbered_sql = _NAME_OR_NONE.sub(numbered, sql)
        return cls(name, numbered_sql, tuple(numbers))

    def given(self, values: Mapping[str, object]) -> tuple[str, *tuple[object, ...]]:
        """The SQL and the values of its parameters, in the order in which the driver takes them.

        Raises: TypeError when a parameter has no value, or a value no parameter.
        """
        if set(values) != set(self.parameters):
            wrong = [f"no value for {name}" for name in self.parameters if name not in values]
            wrong += [f"no parameter {name}" for name in values if name not in self.parameters]
            raise TypeError(f"{self.name}: {', '.join(wrong)}; its parameters: {', '.join(self.parameters)}")
        return (self.sql, *map(values.__getitem__, self.parameters))


def query(name: str, /, **values: object) -> tuple[str, *tuple[object, ...]]:
    """<name>.sql and the values of its parameters, to be unpacked into a call of a connection.

    Raises: TypeError when a parameter has no value, or a value no parameter.
    """
    return statement(name).given(values)


def named(sql: str, /, **values: object) -> tuple[str, *tuple[object, ...]]:
    """A short statement and the values of its parameters, to be unpacked into a call of a connection.

    Raises: TypeError when a parameter has no value, or a value no parameter.
    """
    return _parsed(sql).given(values)


@lru_cache(maxsize=1_024)
def _parsed(sql: str) -> Statement:
    return Statement.parse(sql, sql)


@lru_cache
def statement(name: str) -> Statement:
    """The statement in <name>.sql."""
    return load(name)


def load(name: str, tables: Mapping[str, object] | None = None) -> Statement:
    """The statement in <name>.sql. With tables, by name, pieces of them are in braces: `{party.insert}`."""
    sql = resources.files(__name__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
    return Statement.parse(name, sql if tables is None else sql.format_map(tables))
