"""Verdict on the spec against another state: accepted breaks, and the required version."""

import io
import json
import re
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from vcontract.codegen.compat.compare import compare
from vcontract.codegen.compat.findings import Cause, causes_of
from vcontract.codegen.documents import JsonObject, JsonValue, is_object, print_json
from vcontract.codegen.load import Spec, load_spec, read_document
from vcontract.codegen.problems import SpecError
from vcontract.codegen.references import BrokenReferenceError
from vcontract.codegen.surface import surface_of
from vcontract.codegen.validate import load_sound_spec

RELEASED: Final = "spec/released"
"""Folder of released contracts, one file per version."""

ACCEPTANCES: Final = "spec/compat.yaml"
"""File with accepted breaks."""


NO_ACCEPTANCES: Final = """\
# yaml-language-server: $schema=meta/compat.schema.json
# Breaks of the contract since the last release that are wanted: docs/compatibility.md says how.
acceptances: []
"""


class Acceptance(NamedTuple):
    """An accepted cause: an entry of spec/compat.yaml."""

    rule: str
    tool: str
    path: str
    """Its first place."""
    fingerprint: str
    reason: str


class ReleaseError(Exception):
    """The contract cannot be released; the message says why and what to do."""


class NoStateError(Exception):
    """No contract was found; the message says where, and what to give instead."""


@dataclass(frozen=True, slots=True)
class State:
    """One side of a comparison."""

    surface: JsonObject
    """Everything clients depend on, from `surface_of`."""
    acceptances: Mapping[Acceptance, int]
    """Accepted breaks with their lines."""

    @property
    def version(self) -> str:
        return str(self.surface["version"])


def state_of(root: Path, spec: Spec) -> State:
    """State of a valid spec and its accepted breaks below `root`. Raises: SpecError."""
    file, accepted = root / ACCEPTANCES, dict[Acceptance, int]()
    if file.is_file():
        document = read_document(ACCEPTANCES, file.read_text(encoding="utf-8"))
        for index, entry in enumerate(document.data["acceptances"]):
            acceptance = Acceptance(**{**entry, "tool": str(entry["tool"])})
            accepted[acceptance] = document.line(("acceptances", index))
    return State(surface_of(spec), accepted)


def read_state(root: Path, against: str) -> State:
    """Read a contract from a released file, a folder with spec/, or a git ref. Raises: NoStateError."""
    for path in (root / against, Path(against)):
        if path.is_dir():
            return _of_spec(path, against)
        if path.is_file():
            return read_file(path)
    return _of_ref(root, against)


def read_file(file: Path) -> State:
    """Read a released contract. Raises: NoStateError."""
    try:
        surface: JsonValue = json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        where = f"{file.parent}: {file.name}:{error.lineno}"
        raise NoStateError(f"{where} is no JSON: {error.msg}; restore the file") from error
    if is_object(surface) and surface.keys() >= {"version", "tools", "errors", "policy", "toolsets"}:
        return State(surface, {})
    raise NoStateError(f"{file} is no released contract; restore the file")


def _of_spec(folder: Path, name: str) -> State:
    if not (folder / "spec" / "server.yaml").is_file():
        raise NoStateError(f"{name} has no spec/server.yaml: there is no contract to compare with")
    try:
        return state_of(folder, load_spec(folder))
    except (SpecError, BrokenReferenceError, LookupError, TypeError) as error:
        why = " ".join(str(error).split())
        raise NoStateError(
            f"the spec of {name} cannot be read as specs are written now ({why}); "
            "compare with a released contract instead"
        ) from error


def _of_ref(root: Path, ref: str) -> State:
    command = ["git", "-C", str(root), "archive", "--format=tar", f"{ref}^{{commit}}", "spec/"]
    done = None if ref.startswith("-") else subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    if done is None or done.returncode:
        raise NoStateError(
            f"{ref!r} is neither a folder nor a git ref of {root} with spec/ in it; "
            "give one of them (a ref must be fetched: git fetch origin main)"
        )
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(done.stdout)) as members:
        # manually, because `extractall` filters are newer than the first Python 3.11
        for member in members:
            if (content := members.extractfile(member)) is not None:
                file = Path(folder, member.name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.read())
        return _of_spec(Path(folder), ref)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Findings of a comparison, and which of them pass.

    `base` names the other state. `promised` is the version whose promises count: the last release, or the
    base's if lower. `accepted` holds acceptances by cause, even if the version does not allow them. `idle`
    are acceptances without a break, with their lines.
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
        """Lowest version that allows the breaks."""
        return next_breaking(self.promised)

    @property
    def breaks(self) -> list[Cause]:
        return [cause for cause in self.causes if cause.first.level == "ERR"]

    @property
    def refused(self) -> list[Cause]:
        """Blocking breaks: not accepted, or not allowed by the version."""
        allowed = self.accepted if self.version_allows_breaks else ()
        return [cause for cause in self.breaks if cause.fingerprint not in allowed]

    def mark(self, cause: Cause) -> str:
        return " accepted" if cause.fingerprint in self.accepted else ""

    @property
    def passes(self) -> bool:
        return not self.refused and not self.idle


def verdict_of(root: Path, spec: Spec, against: str | None) -> Verdict:
    """Compare a valid spec with a git ref, a folder, or the last release.

    Acceptances that the other state already has may match nothing. Raises: SpecError, NoStateError.
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


def version_of(text: str) -> tuple[int, ...]:
    """Parse `1.2.3`. Raises: ValueError."""
    return tuple(map(int, text.split(".")))


def allows_breaks(before: str, after: str) -> bool:
    """Whether `after` may break promises of `before`. With major 0, the minor version decides."""
    return version_of(after) >= version_of(next_breaking(before))


def next_breaking(version: str) -> str:
    """Lowest version that may break promises of `version`."""
    major, minor, _ = version_of(version)
    return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"


def released_versions(root: Path) -> list[str]:
    """Released versions below `root`, lowest first. Raises: NoStateError."""
    folder = root / RELEASED
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    for name in names:
        if not re.fullmatch(r"\d+\.\d+\.\d+\.json", name):
            raise NoStateError(f"{RELEASED}/{name} is not named for a version, such as 1.2.0.json; remove it")
    return sorted((name.removesuffix(".json") for name in names), key=version_of)


def released_file(version: str) -> str:
    """Path of a released contract, relative to the root."""
    return f"{RELEASED}/{version}.json"


def release(root: Path, again: bool) -> list[str]:
    """Store the spec's contract as released. Removes used acceptances.

    Returns the changed paths. Raises: SpecError, NoStateError, ReleaseError.
    """
    spec = load_sound_spec(root)
    surface = surface_of(spec)
    version: str = surface["version"]
    released = [name for name in released_versions(root) if not (again and name == version)]
    if released and version_of(version) <= version_of(released[-1]):
        or_again = ", or say --again while nobody has it" if version in released else ""
        needed = f"the spec says {version}: raise version in spec/server.yaml{or_again}"
        raise ReleaseError(f"{released[-1]} is released, and {needed}")
    last = released_file(released[-1]) if released else None
    if last and not verdict_of(root, spec, last).passes:
        shown = f"python -m vcontract.codegen breaking --against {last}"
        raise ReleaseError(f"{version} breaks what {released[-1]} promised; see: {shown}")
    kept = {released_file(version): print_json(surface)}
    if (root / ACCEPTANCES).is_file():
        kept[ACCEPTANCES] = NO_ACCEPTANCES
    changed = [path for path, text in kept.items() if _text_of(root / path) != text]
    for path in changed:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(kept[path], encoding="utf-8")
    return changed


def _text_of(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None
