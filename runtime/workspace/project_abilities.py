"""Permissions of this process in a project, and which of the project's tools are installed."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.runtime.workspace.health import weighted
from vcontract.runtime.workspace.languages import LANGUAGES
from vcontract.runtime.workspace.project_facts import ProjectFacts

_ALSO_CALLED: Final = {"pip": ("pip3",), "gradle": ("gradlew",), "mvn": ("mvnw",)}
_ENVIRONMENTS: Final = (".venv/bin", "venv/bin", "env/bin", "node_modules/.bin", ".venv/Scripts")


@dataclass(frozen=True, slots=True)
class Ability:
    """One applicable ability, its weight, and whether it is available."""

    name: str
    weight: int
    held: bool


def permissions(facts: ProjectFacts | None, store_writable: bool) -> list[Ability]:
    """Check permissions: read and write the directory, write the store, read git. Inapplicable ones are left
    out.
    """
    store = Ability("store_writable", 25, store_writable)
    if facts is None:
        return [store]
    directory = facts.workspace.directory
    found = [
        Ability("directory_readable", 30, os.access(directory, os.R_OK | os.X_OK)),
        Ability("directory_writable", 30, os.access(directory, os.W_OK)),
        store,
    ]
    if facts.git is not None or _lies_in_repository(directory):
        found.append(Ability("git_readable", 15, facts.git is not None))
    return found


def tools_of(facts: ProjectFacts | None) -> list[Ability]:
    """Check that package managers, language runtimes and git are installed. Inapplicable ones are left
    out.
    """
    if facts is None or facts.missing is not None:
        return []
    root = facts.workspace.seen
    found = [Ability("git", 30, shutil.which("git") is not None)]
    if facts.manifests.managers:
        held = all(find_program(root, manager.program) for manager in facts.manifests.managers)
        found.append(Ability("package_manager", 40, held))
    if facts.manifests.languages:
        runtimes = [LANGUAGES[language].runtimes for language in facts.manifests.languages]
        held = all(any(find_program(root, program) for program in programs) for programs in runtimes)
        found.append(Ability("language_runtime", 30, held))
    return found


def score(abilities: Iterable[Ability]) -> int | None:
    """Score from 0 to 100; None if nothing applies."""
    parts = [(ability.weight * ability.held, ability.weight) for ability in abilities]
    return weighted(parts) if parts else None


def find_program(root: Path, program: str) -> str | None:
    """Find a program in the project's own environment or on PATH."""
    own = os.pathsep.join(str(root / folder) for folder in _ENVIRONMENTS)
    for name in (program, *_ALSO_CALLED.get(program, ())):
        found: str | None = shutil.which(name, path=own) or shutil.which(name)
        if found is not None:
            return found
    return None


def _lies_in_repository(directory: Path) -> bool:
    return any((folder / ".git").exists() for folder in (directory, *directory.parents))
