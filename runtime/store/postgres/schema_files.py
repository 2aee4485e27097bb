"""SQL files of the schema: numbered ones for tables, and those for functions."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from vcontract.runtime.store.postgres.errors import MigrationError

_NUMBERED = re.compile(r"(?P<version>[0-9]{4})_(?P<name>[a-z0-9_]+)\.sql")
_BEFORE, _AFTER = "before.sql", "after.sql"


@dataclass(frozen=True, slots=True)
class Migration:
    """A numbered file: tables, indexes, policies, roles, data. Applied once and never changed afterwards."""

    version: int
    name: str
    sql: str
    checksum: str
    """SHA-256 of the text, hexadecimal, ignoring line endings."""

    @property
    def file_name(self) -> str:
        return f"{self.version:04d}_{self.name}.sql"


@dataclass(frozen=True, slots=True)
class FunctionFile:
    """A file of functions. All are applied again if one of them has changed."""

    file_name: str
    """Relative to the migrations folder, such as functions/search.sql."""
    sql: str
    checksum: str


@dataclass(frozen=True, slots=True)
class SchemaFiles:
    """Everything that makes a schema, in the order for an empty database."""

    before: tuple[FunctionFile, ...] = ()
    """Functions that numbered files call; at most one file."""
    numbered: tuple[Migration, ...] = ()
    functions: tuple[FunctionFile, ...] = ()
    after: tuple[FunctionFile, ...] = ()
    """Grants on functions; at most one file."""

    @property
    def all_functions(self) -> tuple[FunctionFile, ...]:
        return (*self.before, *self.functions, *self.after)


def load_schema_files(folder: Path | None = None) -> SchemaFiles:
    """Load the schema files of a folder, by default this program's own.

    Raises: MigrationError for an invalid name, and for missing or repeated numbers.
    """
    place = folder or Path(str(files("vcontract") / "migrations"))
    beside = (_BEFORE, _AFTER)
    numbered = tuple(_migration(path) for path in sorted(place.glob("*.sql")) if path.name not in beside)
    for expected, migration in enumerate(numbered, start=1):
        if migration.version != expected:
            raise MigrationError(
                f"{place / migration.file_name} stands where number {expected:04d} should: "
                "numbers count from 0001, without gaps, each once; renumber it"
            )
    return SchemaFiles(
        before=_function_files(place, _BEFORE),
        numbered=numbered,
        functions=_function_files(place, "functions/*.sql"),
        after=_function_files(place, _AFTER),
    )


def _migration(path: Path) -> Migration:
    match = _NUMBERED.fullmatch(path.name)
    if match is None:
        raise MigrationError(
            f"{path} is not named like 0001_name.sql (small letters, digits and _); rename it"
        )
    return Migration(int(match["version"]), match["name"], *_read(path))


def _function_files(place: Path, pattern: str) -> tuple[FunctionFile, ...]:
    return tuple(
        FunctionFile(path.relative_to(place).as_posix(), *_read(path)) for path in sorted(place.glob(pattern))
    )


def _read(path: Path) -> tuple[str, str]:
    """Return a file's text and checksum."""
    sql = path.read_text(encoding="utf-8")  # universal newlines, so every checkout is equal
    return sql, hashlib.sha256(sql.encode()).hexdigest()
