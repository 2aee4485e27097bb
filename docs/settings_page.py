"""The tables of docs/settings.md, made of the settings themselves.

`make generate` writes them between the page's marks, one table a mark; the words around
them are written by hand.
"""

import re
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import cast

from vcontract.runtime.settings import Settings

PAGE = Path(__file__).with_name("settings.md")
COMMAND = "make generate"

_TABLE = re.compile(r"(<!-- settings: (?P<names>[a-z_* ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_THE_REST = "*"


def with_tables(page: str) -> str:
    """The page with its tables made anew: each mark names its settings, `llm_*` those that begin so.

    The mark `*` has what no other mark names.
    """
    named = [name for mark in _TABLE.finditer(page) for name in mark["names"].split() if name != _THE_REST]
    rest = [name for name in Settings.model_fields if not _is_among(name, named)]
    return _TABLE.sub(lambda mark: mark[1] + _table(mark["names"].split(), rest) + mark[3], page)


def _is_among(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _table(patterns: Sequence[str], rest: Sequence[str]) -> str:
    fields = Settings.model_fields
    names = rest if patterns == [_THE_REST] else [name for name in fields if _is_among(name, patterns)]
    rows = [
        f"| `VCONTRACT_{name.upper()}` | {default_of(name)} | {fields[name].description} |" for name in names
    ]
    return "\n".join(["| setting | default | |", "|---|---|---|", *rows]) + "\n"


def default_of(name: str) -> str:
    """A default as one would write it in the environment."""
    if name == "data_dir":
        return "your user data folder"
    field = Settings.model_fields[name]
    value: object = "" if field.default is None or field.default_factory is not None else field.default
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        value = ",".join(map(str, cast("tuple[object, ...]", value)))
    return "" if value in ("", {}) else f"`{value}`"


def main() -> int:
    """Write the page; the exit status of the command."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
