"""The verdict on the spec against another state of it: what is accepted, and which version breaks need."""

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
"""Where the released contracts lie, a file a version."""

ACCEPTANCES: Final = "spec/compat.yaml"
"""Where a contract keeps the breaks that it accepts."""


NO_ACCEPTANCES: Final = """\
# yaml-language-server: $schema=meta/compat.schema.json
# Breaks of the contract since the last release that are wanted: docs/compatibility.md says how.
acceptances: []
"""


class Acceptance(NamedTuple):
    """One cause whose breaks pass when the version rose: an entry of spec/compat.yaml."""

    rule: str
    tool: str
    path: str
    """Its first place."""
    fingerprint: str
    reason: str


class ReleaseError(Exception):
    """The contract cannot be released as it is; the message says why and what to do."""


class NoStateError(Exception):
    """No contract was found where one was asked for; the message says where, and what to give instead."""


@dataclass(frozen=True, slots=True)
class State:
    """One side of a comparison."""

    surface: JsonObject
    """Everything that clients depend on, as `surface_of` composes it."""
    acceptances: Mapping[Acceptance, int]
    """What its spec/compat.yaml accepts, each with its line."""

    @property
    def version(self) -> str:
        return str(self.surface["version"])


def state_of(root: Path, spec: Spec) -> State:
    """The contract of a sound spec with what the file below `root` accepts. Raises: SpecError."""
    file, accepted = root / ACCEPTANCES, dict[Acceptance, int]()
    if file.is_file():
        document = read_document(ACCEPTANCES, file.read_text(encoding="utf-8"))
        for index, entry in enumerate(document.data["acceptances"]):
            acceptance = Acceptance(**{**entry, "tool": str(entry["tool"])})
            accepted[acceptance] = document.line(("acceptances", index))
    return State(surface_of(spec), accepted)


def read_state(root: Path, against: str) -> State:
    """The contract in a released file, in a folder with spec/, or at a git ref. Raises: NoStateError."""
    for path in (root / against, Path(against)):
        if path.is_dir():
            return _of_spec(path, against)
        if path.is_file():
            return read_file(path)
    return _of_ref(root, against)


def read_file(file: Path) -> State:
    """The contract that a release kept. Raises: NoStateError."""
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
        # by hand: the filters of extractall are newer than the first Python 3.11
        for member in members:
            if (content := members.extractfile(member)) is not None:
                file = Path(folder, member.name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.read())
        return _of_spec(Path(folder), ref)


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


def version_of(text: str) -> tuple[int, ...]:
    """`1.2.3` as numbers. Raises: ValueError."""
    return tuple(map(int, text.split(".")))


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


def release(root: Path, again: bool) -> list[str]:
    """Keep the contract of the spec as the one that its version promises; acceptances are used up by that.

    Returns the paths that changed. Raises: SpecError, NoStateError, ReleaseError.
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
