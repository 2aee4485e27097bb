"""Words for the parts of a day in all languages of CLDR: run it to write `day_periods.txt`."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from babel import Locale, localedata

from vcontract.runtime.imports.programs import day_periods

FILE = Path(day_periods.__file__).with_suffix(".txt")
HEAD = (
    "# Words for parts of a day and the hours that they name, from CLDR by way of Babel. © Unicode, Inc.,"
    " Unicode License v3.\n"
)
_USUAL = {"am": [(0, 12)], "pm": [(12, 24)], "noon": [(12, 13)], "midnight": [(0, 1)]}


def table() -> str:
    """The words with their hours, one a line."""
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for name in sorted(localedata.locale_identifiers()):
        locale: Any = Locale.parse(name)
        hours = dict(_USUAL)
        for period, rules in locale.day_period_rules.get(None, {}).items():
            hours[period] = [
                (rule["at"] // 3600, rule["at"] // 3600 + 1)
                if "at" in rule
                else (rule.get("from", 0) // 3600, rule.get("before", 0) // 3600 or 24)
                for rule in rules
            ]
        for width in (width for context in locale.day_periods.values() for width in context.values()):
            for period, text in width.items():
                word = day_periods.plain_word(text)
                if word and not re.search(r"\d", word):
                    found[word].update(hours.get(period, ()))
    return HEAD + "".join(
        f"{word}: {' '.join(f'{first}-{last}' for first, last in sorted(hours))}\n"
        for word, hours in sorted(found.items())
        if hours
    )


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
