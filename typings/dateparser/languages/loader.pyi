"""The words of each language."""

from collections.abc import Mapping, Sequence

class Locale:
    info: Mapping[str, Sequence[str]]

class LocaleDataLoader:
    def get_locale(self, shortname: str) -> Locale: ...

default_loader: LocaleDataLoader
