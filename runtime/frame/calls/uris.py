"""Resource URIs: find the matching template and the values of its variables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from urllib.parse import unquote

MAX_URI_LENGTH = 4_096
"""Maximum length in characters."""

_MAX_COMPARED_LENGTH = 200

_VARIABLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True)
class UriTemplate:
    """A URI template in which `{name}` matches one percent-encoded segment of the path."""

    text: str
    resource: str
    """Name of the resource."""

    @cached_property
    def variables(self) -> tuple[str, ...]:
        return tuple(_VARIABLE.findall(self.text))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        literals = _VARIABLE.split(self.text)[::2]
        return re.compile(r"([^/?#\s]+)".join(map(re.escape, literals)))

    def values(self, uri: str) -> dict[str, str] | None:
        """The decoded values of the variables, or None when the URI does not fit."""
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        try:
            values = [unquote(value, errors="strict") for value in found.groups()]
        except UnicodeDecodeError:
            return None
        return dict(zip(self.variables, values, strict=True))


class UriSpace:
    """All templates, most literal first: `/vcons/recent` does not match the vCon template with uuid
    `recent`.
    """

    def __init__(self, templates: Iterable[UriTemplate]) -> None:
        self._templates = sorted(templates, key=lambda template: list(_literalness(template.text)))

    def find(self, uri: str) -> tuple[UriTemplate, Mapping[str, str]] | None:
        """Return the template that the URI matches, and the values of its variables."""
        if len(uri) > MAX_URI_LENGTH:
            return None
        for template in self._templates:
            values = template.values(uri)
            if values is not None:
                return template, values
        return None

    def nearest(self, uri: str) -> list[str]:
        """Up to three templates similar to the URI, most similar first."""
        given = uri[:_MAX_COMPARED_LENGTH].split("/")

        def likeness(template: UriTemplate) -> float:
            mine = template.text.split("/")
            filled = [
                segment if index >= len(given) or not _VARIABLE.fullmatch(segment) else given[index]
                for index, segment in enumerate(mine)
            ]
            return SequenceMatcher(None, "/".join(filled), "/".join(given), autojunk=False).ratio()

        return [template.text for template in sorted(self._templates, key=likeness, reverse=True)[:3]]


def _literalness(text: str) -> Iterator[bool]:
    """For each segment, whether it is a variable. False sorts first."""
    for segment in text.split("/"):
        yield bool(_VARIABLE.fullmatch(segment))
