"""The commands of the gate: compare with what was promised, and keep what is promised from now on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from vcontract.codegen.compat.locations import Locations
from vcontract.codegen.compat.markdown import markdown_problems, markdown_report
from vcontract.codegen.compat.report import (
    annotated_problems,
    annotations_report,
    json_report,
    text_report,
)
from vcontract.codegen.compat.state import (
    ACCEPTANCES,
    NoStateError,
    State,
    read_file,
    read_folder,
    read_ref,
    state_document,
    state_of,
)
from vcontract.codegen.compat.verdict import Verdict, judge
from vcontract.codegen.compat.versions import RELEASED, released_file, released_versions, version_of
from vcontract.codegen.documents import print_json
from vcontract.codegen.load import Spec, load_spec
from vcontract.codegen.problems import Problem
from vcontract.codegen.resolve import resolve
from vcontract.codegen.validate import validate

FORMATS: Final = ("text", "json", "annotations", "markdown")

NO_ACCEPTANCES: Final = """\
# yaml-language-server: $schema=meta/compat.schema.json
# Breaks of the contract since the last release that are wanted: docs/compatibility.md says how.
acceptances: []
"""


class ReleaseError(Exception):
    """The contract cannot be released as it is; the message says why and what to do."""


def breaking(root: Path, against: str | None, form: str) -> tuple[str, bool]:
    """The report of the spec against a git ref, a folder, or without either the last release.

    Returns the report, and whether the spec passes. Raises: SpecError, NoStateError.
    """
    spec = _sound_spec(root)
    verdict = verdict_of(root, spec, against)
    locations = Locations(spec)
    match form:
        case "json":
            report = json_report(verdict, locations)
        case "annotations":
            report = annotations_report(verdict, locations)
        case "markdown":
            report = markdown_report(verdict)
        case _:
            report = text_report(verdict, locations)
    return report, verdict.passes


def problems_report(problems: Sequence[Problem], form: str) -> str:
    """What is wrong with a spec that cannot be compared, in the formats of code hosts; empty in others."""
    match form:
        case "annotations":
            return annotated_problems(problems)
        case "markdown":
            return markdown_problems(problems)
        case _:
            return ""


def release(root: Path, again: bool) -> list[str]:
    """Keep the contract of the spec as the one that its version promises; acceptances are used up by that.

    Returns the paths that changed. Raises: SpecError, NoStateError, ReleaseError.
    """
    spec = _sound_spec(root)
    contract = resolve(spec)
    version = contract.server.version
    released = [name for name in released_versions(root) if not (again and name == version)]
    if released and version_of(version) <= version_of(released[-1]):
        raise ReleaseError(
            f"{released[-1]} is released, and the spec says {version}: raise version in spec/server.yaml"
            + ("" if version not in released else ", or say --again while nobody has it")
        )
    if released and not verdict_of(root, spec, released_file(released[-1])).passes:
        raise ReleaseError(
            f"{version} breaks what {released[-1]} promised; see: python -m vcontract.codegen breaking "
            f"--against {released_file(released[-1])}"
        )
    changed: list[str] = []
    kept, text = root / released_file(version), print_json(state_document(state_of(contract)))
    if not kept.is_file() or kept.read_text(encoding="utf-8") != text:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(text, encoding="utf-8")
        changed.append(released_file(version))
    acceptances = root / ACCEPTANCES
    if acceptances.is_file() and acceptances.read_text(encoding="utf-8") != NO_ACCEPTANCES:
        acceptances.write_text(NO_ACCEPTANCES, encoding="utf-8")
        changed.append(ACCEPTANCES)
    return changed


def _sound_spec(root: Path) -> Spec:
    spec = load_spec(root)
    validate(spec)
    return spec


def verdict_of(root: Path, spec: Spec, against: str | None) -> Verdict:
    """The verdict on a sound spec against a git ref, a folder, or the last release. Raises: NoStateError."""
    released = released_versions(root)
    base, before = _base(root, against, released)
    made = state_of(resolve(spec))
    file = root / ACCEPTANCES
    accepted = file.read_text(encoding="utf-8") if file.is_file() else ""
    after = replace(made, acceptances=accepted)
    return judge(base, before, after, released[-1] if released else None)


def _base(root: Path, against: str | None, released: list[str]) -> tuple[str, State]:
    """What to compare with, and its name."""
    if against is None:
        if not released:
            raise NoStateError(
                f"{RELEASED} is empty: nothing was released; give a git ref or a folder with --against, "
                "or run: python -m vcontract.codegen release"
            )
        against = released_file(released[-1])
    for path in (root / against, Path(against)):
        if path.is_dir():
            return against, read_folder(path)
        if path.is_file():
            return against, read_file(path)
    return against, read_ref(root, against)
