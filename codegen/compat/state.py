"""Where contracts are read from: the spec at a git ref or in a folder, or what a release kept."""

import io
import json
import subprocess
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from vcontract.codegen.documents import JsonObject
from vcontract.codegen.load import Spec, load_spec, read_document
from vcontract.codegen.problems import SpecError
from vcontract.codegen.references import BrokenReferenceError
from vcontract.codegen.surface import surface_of

ACCEPTANCES: Final = "spec/compat.yaml"
"""Where a contract keeps the breaks that it accepts."""


class Acceptance(NamedTuple):
    """One cause whose breaks pass when the version rose: an entry of spec/compat.yaml."""

    rule: str
    tool: str
    path: str
    """Its first place."""
    fingerprint: str
    reason: str


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
        surface: JsonObject = json.loads(file.read_text(encoding="utf-8"))
        if surface.keys() >= {"version", "tools", "errors", "policy", "toolsets"}:
            return State(surface, {})
    except json.JSONDecodeError as error:
        where = f"{file.parent}: {file.name}:{error.lineno}"
        raise NoStateError(f"{where} is no JSON: {error.msg}; restore the file") from error
    except AttributeError:
        pass
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
    known = None if ref.startswith("-") else _git(root, "rev-parse", "--verify", "-q", f"{ref}^{{commit}}")
    if known is None:
        raise NoStateError(
            f"{ref!r} is neither a folder nor a git ref of {root}; give a folder with spec/ in it, "
            "or a ref that is fetched (git fetch origin main)"
        )
    archive = _git(root, "archive", "--format=tar", known.decode().strip(), "spec/")
    with TemporaryDirectory() as folder:
        if archive is not None:
            with tarfile.open(fileobj=io.BytesIO(archive)) as members:
                members.extractall(folder, filter="data")
        return _of_spec(Path(folder), ref)


def _git(root: Path, *arguments: str) -> bytes | None:
    """What git says, or None when it fails."""
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - arguments are our own
    return done.stdout if done.returncode == 0 else None
