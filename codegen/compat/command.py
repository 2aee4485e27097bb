"""The commands of the gate: compare with what was promised, and keep what is promised from now on."""

from pathlib import Path
from typing import Final

from vcontract.codegen.compat.locations import Locations
from vcontract.codegen.compat.report import REPORTS
from vcontract.codegen.compat.state import ACCEPTANCES
from vcontract.codegen.compat.verdict import released_file, released_versions, verdict_of, version_of
from vcontract.codegen.documents import print_json
from vcontract.codegen.load import Spec, load_spec
from vcontract.codegen.surface import surface_of
from vcontract.codegen.validate import validate

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
    return REPORTS[form](verdict, Locations(spec)), verdict.passes


def release(root: Path, again: bool) -> list[str]:
    """Keep the contract of the spec as the one that its version promises; acceptances are used up by that.

    Returns the paths that changed. Raises: SpecError, NoStateError, ReleaseError.
    """
    spec = _sound_spec(root)
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
    changed: list[str] = []
    for path, text in kept.items():
        file = root / path
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def _sound_spec(root: Path) -> Spec:
    spec = load_spec(root)
    validate(spec)
    return spec
