"""The VCONTRACT_ variables of an environment and a settings file: which are in force, and which unknown."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

from vcontract.runtime.settings import PREFIX, Settings

_FOREIGN: Final = re.compile(r"VCONTRACT_(TOKEN|TEST_.+|SERVICE_.+|PORT(_.+)?)")
"""Variables of our other programs, and those that Kubernetes sets for a service called vcontract."""
_LIKENESS: Final = 0.6
_MARGIN: Final = 0.1
"""How much less alike than the nearest a setting may be to have been meant, too."""


class UnreadableEnvFile(Exception):
    """A settings file that is not UTF-8, or has a line that is not NAME=VALUE."""


@dataclass(frozen=True, slots=True)
class UnknownVariable:
    """A variable that looks like a setting and has no effect."""

    name: str
    file: Path | None
    """The settings file that contains it; None for the environment."""
    meant: str | None
    """The variable that was probably meant."""
    is_restriction: bool
    """Whether that one restricts what is served, done or kept, so that without it more is open."""

    def __str__(self) -> str:
        where = "" if self.file is None else f" (in {self.file})"
        if self.meant == self.name:
            return f"{self.name}{where} is read from the environment only, and has no effect here."
        question = f" Did you mean {self.meant}?" if self.meant else ""
        return f"{self.name}{where} is not a setting and has no effect.{question}"


@dataclass(frozen=True, slots=True)
class Variables:
    """Variables by name. Those of the environment take precedence over those of the file."""

    environment: Mapping[str, str]
    file: Mapping[str, str]
    path: Path | None

    @classmethod
    def read(cls, env_file: Path | None, environment: Mapping[str, str] | None = None) -> "Variables":
        """Read an environment, by default the process's, and a settings file.

        Raises: FileNotFoundError for an absent file; UnreadableEnvFile.
        """
        of_process = os.environ if environment is None else environment
        return cls(_ours(of_process), {} if env_file is None else _ours(_lines(env_file)), env_file)

    def in_force(self) -> dict[str, str]:
        """The settings that have an effect, sorted by name."""
        known = Settings.variables()
        merged = {**self.file, **self.environment}
        return {name: merged[name] for name in sorted(merged) if name in known and merged[name]}

    def unknown(self) -> Iterator[UnknownVariable]:
        """Yield variables that have no effect."""
        known = Settings.variables()
        files = {f"{PREFIX}{name.upper()}_FILE" for name in Settings.secrets()}
        for name in sorted(self.environment.keys() - known):
            yield _unknown(name, None)
        for name in sorted(self.file):
            if name in files:
                yield UnknownVariable(name, self.path, name, is_restriction=True)
            elif name not in known:
                yield _unknown(name, self.path)


def _ours(given: Mapping[str, str]) -> dict[str, str]:
    """Ours among the variables. Settings ignore case, so names are in capitals here."""
    capitals = {name.upper(): value for name, value in given.items()}
    return {
        name: value
        for name, value in capitals.items()
        if name.startswith(PREFIX) and not _FOREIGN.fullmatch(name)
    }


def _lines(path: Path) -> dict[str, str]:
    from dotenv import dotenv_values
    from dotenv.parser import parse_stream

    if not path.is_file():
        raise FileNotFoundError(f"{path} is not a file; name an existing one or leave it out")
    try:
        with path.open(encoding="utf-8") as stream:
            bindings = list(parse_stream(stream))
    except UnicodeDecodeError:
        raise UnreadableEnvFile(f"{path} is not UTF-8 text") from None
    for binding in bindings:
        if binding.error or (binding.key is not None and binding.value is None):
            raise UnreadableEnvFile(f"line {binding.original.line} of {path} is not NAME=VALUE")
    return {name: value or "" for name, value in dotenv_values(path, encoding="utf-8").items()}


def _unknown(name: str, file: Path | None) -> UnknownVariable:
    given = name.removeprefix(PREFIX).removesuffix("_FILE").lower()
    alike = {known: _likeness(given, known) for known in Settings.model_fields}
    least = max(_LIKENESS, max(alike.values()) - _MARGIN)
    near = sorted((known for known in alike if alike[known] >= least), key=lambda known: -alike[known])
    return UnknownVariable(
        name,
        file,
        f"{PREFIX}{near[0].upper()}" if near else None,
        is_restriction=any(known in Settings.restrictions() for known in near),
    )


def _likeness(given: str, known: str) -> float:
    """Similarity of two names from 0 to 1, in any order of their words."""
    one, other = (" ".join(sorted(name.split("_"))) for name in (given, known))
    return max(SequenceMatcher(None, given, known).ratio(), SequenceMatcher(None, one, other).ratio())
