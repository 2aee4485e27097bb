"""The verdict on a comparison: what is accepted, what is refused, and which version breaks need."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.codegen.compat.compare import compare
from vcontract.codegen.compat.findings import Cause, causes_of
from vcontract.codegen.compat.state import Acceptance, NoStateError, read_state, state_of
from vcontract.codegen.load import Spec

RELEASED: Final = "spec/released"
"""Where the released contracts lie, a file a version."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison found, and what of it passes.

    `base` is what was compared with, as the caller named it; `promised` is the version whose promises count:
    the last released one, or the base's when that is lower. `accepted` holds acceptances by what they accept,
    whether or not the version allows it; `idle` those that match no break, each with its line.
    """

    base: str
    before: str
    after: str
    promised: str
    causes: Sequence[Cause]
    accepted: Mapping[str, Acceptance]
    idle: Mapping[Acceptance, int]

    @property
    def version_allows_breaks(self) -> bool:
        return allows_breaks(self.promised, self.after)

    @property
    def wanted_version(self) -> str:
        """The lowest version under which the breaks can be accepted."""
        return next_breaking(self.promised)

    @property
    def breaks(self) -> list[Cause]:
        return [cause for cause in self.causes if cause.first.level == "ERR"]

    @property
    def refused(self) -> list[Cause]:
        """The breaks that block: not accepted, or accepted without a version that allows them."""
        allowed = self.accepted if self.version_allows_breaks else ()
        return [cause for cause in self.breaks if cause.fingerprint not in allowed]

    def mark(self, cause: Cause) -> str:
        return " accepted" if cause.fingerprint in self.accepted else ""

    @property
    def passes(self) -> bool:
        return not self.refused and not self.idle


def verdict_of(root: Path, spec: Spec, against: str | None) -> Verdict:
    """The verdict on a sound spec against a git ref, a folder, or the last release.

    An acceptance that the other side has already was judged when it was added, and may match nothing.
    Raises: SpecError, NoStateError.
    """
    released = released_versions(root)
    if against is None and not released:
        raise NoStateError(
            f"{RELEASED} is empty: nothing was released; give a git ref or a folder with --against, "
            "or run: python -m vcontract.codegen release"
        )
    base = released_file(released[-1]) if against is None else against
    before, after = read_state(root, base), state_of(root, spec)
    causes = causes_of(compare(before.surface, after.surface))
    breaks = {cause.named: cause.fingerprint for cause in causes if cause.first.level == "ERR"}
    accepted = {breaks[one[:4]]: one for one in after.acceptances if one[:4] in breaks}
    known = {*accepted.values(), *before.acceptances}
    return Verdict(
        base=base,
        before=before.version,
        after=after.version,
        promised=min([before.version, *released[-1:]], key=version_of),
        causes=causes,
        accepted=accepted,
        idle={one: line for one, line in after.acceptances.items() if one not in known},
    )


def version_of(text: str) -> tuple[int, int, int]:
    """`1.2.3` as numbers. Raises: ValueError."""
    major, minor, patch = (int(part) for part in text.split("."))
    return major, minor, patch


def allows_breaks(before: str, after: str) -> bool:
    """Whether `after` may break what `before` promised: while major is 0, the minor version counts as it."""
    return version_of(after) >= version_of(next_breaking(before))


def next_breaking(version: str) -> str:
    """The lowest version that may break what `version` promised."""
    major, minor, _ = version_of(version)
    return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"


def released_versions(root: Path) -> list[str]:
    """Every released version below `root`, the lowest first. Raises: NoStateError."""
    folder = root / RELEASED
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    for name in names:
        if not re.fullmatch(r"\d+\.\d+\.\d+\.json", name):
            raise NoStateError(f"{RELEASED}/{name} is not named for a version, such as 1.2.0.json; remove it")
    return sorted((name.removesuffix(".json") for name in names), key=version_of)


def released_file(version: str) -> str:
    """The path of a released contract below the root."""
    return f"{RELEASED}/{version}.json"
