"""Verdict on the spec against another state: accepted breaks, and the required version."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from vcontract.codegen.compat.compare import compare
from vcontract.codegen.compat.findings import Cause, causes_of
from vcontract.codegen.documents import JsonObject, JsonValue, digest_of, is_object
from vcontract.codegen.generate import generate_files
from vcontract.codegen.load import Spec, read_document
from vcontract.codegen.surface import SURFACE, print_surface, surface_of
from vcontract.codegen.validate import load_sound_spec

RELEASED: Final = "spec/released"
"""Folder of released contracts, one file per version."""

_GENERATED: Final = f"generated/{SURFACE}"

_INTERFACES: Final = "docs/operators.txt"
"""What operators and scripts rely on: an entry a line, `kind name: value`."""

ACCEPTANCES: Final = "spec/compat.yaml"
"""File with accepted breaks."""


TextOf: TypeAlias = Callable[[str], str | None]
"""Text of the file with a path below the root, or None."""

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
    """State of a valid spec, with what is published of it as generated. Raises: SpecError, NoStateError."""
    generated = _generated(root.name, _in_folder(root))
    return _state({**surface_of(spec), "published": generated["published"]}, _in_folder(root))


def read_state(root: Path, against: str) -> State:
    """Read a contract as it was generated: a released file, a folder, or a git ref. Raises: NoStateError."""
    found = next((path for path in (root / against, Path(against)) if path.exists()), None)
    if found and found.is_file():
        surface = _surface(found.read_text(encoding="utf-8"), found)
        if surface.pop("digest", None) != digest_of(surface):
            raise NoStateError(f"{against} is not as it was released: its digest differs; restore the file")
        return State(surface, {})
    text_of = _in_folder(found) if found else _at_ref(root, against)
    return _state(_generated(against, text_of), text_of)


def _generated(name: str, text_of: TextOf) -> JsonObject:
    text = text_of(_GENERATED)
    if text is None:
        raise NoStateError(
            f"{name} has no {_GENERATED}, which is compared: it is older than that file, or nothing was "
            "generated; run make generate there, or compare with a later state or a released contract"
        )
    return _surface(text, Path(_GENERATED))


def _surface(text: str, file: Path) -> JsonObject:
    def members(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        if len(found := dict(pairs)) < len(pairs):
            twice = next(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)
            raise NoStateError(f"{file} has {twice!r} twice, as a merge leaves it; run make generate")
        return found

    try:
        surface: JsonValue = json.loads(text, object_pairs_hook=members)
    except json.JSONDecodeError as error:
        where = f"{file.parent}: {file.name}:{error.lineno}"
        raise NoStateError(f"{where} is no JSON: {error.msg}; restore the file, or make generate") from error
    if is_object(surface) and surface.keys() >= {"version", "tools", "errors", "policy", "toolsets"}:
        return surface
    raise NoStateError(f"{file} is no released contract; restore the file")


def _state(surface: JsonObject, text_of: TextOf) -> State:
    accepted = dict[Acceptance, int]()
    if (text := text_of(ACCEPTANCES)) is not None:
        document = read_document(ACCEPTANCES, text)
        for index, entry in enumerate(document.data["acceptances"]):
            acceptance = Acceptance(**{**entry, "tool": str(entry["tool"])})
            accepted[acceptance] = document.line(("acceptances", index))
    return State({**surface, "interfaces": _interfaces(text_of)}, accepted)


def _interfaces(text_of: TextOf) -> JsonObject:
    lines = (line.partition(":") for line in (text_of(_INTERFACES) or "").splitlines())
    return {name: value.strip() for name, _, value in lines}


def _in_folder(folder: Path) -> TextOf:
    return lambda path: _text_of(folder / path)


def _at_ref(root: Path, ref: str) -> TextOf:
    def git(*arguments: str) -> str | None:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)  # noqa: S603, S607
        return None if done.returncode else done.stdout.decode()

    if ref.startswith("-") or git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") is None:
        raise NoStateError(
            f"{ref!r} is neither a folder nor a git ref of {root}; "
            "give one of them (a ref must be fetched: git fetch origin main)"
        )
    return lambda path: git("show", f"{ref}:./{path}")


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
    deprecated: frozenset[str] = frozenset()
    """Tools that the last release deprecated."""
    is_default: bool = False
    """Whether nothing was named to compare with: changes that break nothing are then only counted."""

    @property
    def version_allows_breaks(self) -> bool:
        return allows_breaks(self.promised, self.after)

    @property
    def wanted_version(self) -> str:
        """Lowest version that allows the breaks."""
        return next_breaking(self.promised)

    @property
    def unannounced(self) -> list[Cause]:
        """Removed stable tools that no release deprecated: they cannot be accepted."""
        removed = (cause for cause in self.breaks if cause.first.rule.id == "tool-tool-removed")
        return [cause for cause in removed if not {*cause.subjects} <= self.deprecated]

    @property
    def is_lowered(self) -> bool:
        """Whether the version is below what was released."""
        return version_of(self.after) < version_of(self.promised)

    @property
    def breaks(self) -> list[Cause]:
        return [cause for cause in self.causes if cause.first.level == "ERR"]

    @property
    def refused(self) -> list[Cause]:
        """Blocking breaks: not accepted, or not allowed by the version."""
        allowed = self.accepted if self.version_allows_breaks else ()
        unannounced = self.unannounced
        return [one for one in self.breaks if one in unannounced or one.fingerprint not in allowed]

    def mark(self, cause: Cause) -> str:
        return " accepted" if cause.fingerprint in self.accepted else ""

    @property
    def passes(self) -> bool:
        return not (self.refused or self.idle or self.is_lowered)


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
    if not before.surface.get("interfaces"):  # older than the file
        after.surface.pop("interfaces")
    causes = sorted(causes_of(compare(before.surface, after.surface)), key=lambda cause: cause.gravity)
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
        is_default=against is None,
        deprecated=_deprecated(root, released[-1:]),
        idle={one: line for one, line in after.acceptances.items() if one not in known},
    )


def _deprecated(root: Path, last: Sequence[str]) -> frozenset[str]:
    tools: JsonObject = {}
    for version in last:
        tools = read_state(root, released_file(version)).surface["tools"]
    return frozenset(name for name, tool in tools.items() if tool["deprecated"])


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
    (text,) = (file.text for file in generate_files(spec) if file.path == SURFACE)
    version: str = json.loads(text)["version"]
    released = [name for name in released_versions(root) if not (again and name == version)]
    if released and version_of(version) <= version_of(released[-1]):
        or_again = ", or say --again while nobody has it" if version in released else ""
        needed = f"the spec says {version}: raise version in spec/server.yaml{or_again}"
        raise ReleaseError(f"{released[-1]} is released, and {needed}")
    last = released_file(released[-1]) if released else None
    if last and not verdict_of(root, spec, last).passes:
        shown = f"python -m vcontract.codegen breaking --against {last}"
        raise ReleaseError(f"{version} breaks what {released[-1]} promised; see: {shown}")
    surface = {**json.loads(text), "interfaces": _interfaces(_in_folder(root))}
    kept = {released_file(version): print_surface({**surface, "digest": digest_of(surface)})}
    if (root / ACCEPTANCES).is_file():
        kept[ACCEPTANCES] = NO_ACCEPTANCES
    changed = [path for path, text in kept.items() if _text_of(root / path) != text]
    for path in changed:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(kept[path], encoding="utf-8")
    return changed


def _text_of(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None
