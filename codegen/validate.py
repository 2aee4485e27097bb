"""Find all problems of a loaded spec at once."""

from pathlib import Path
from typing import Final

from vcontract.codegen import emitters
from vcontract.codegen.lints import LINTS, STRUCTURAL
from vcontract.codegen.load import Kind, Spec, load_spec
from vcontract.codegen.problems import Problem, SpecError

_SHARED: Final[frozenset[Kind]] = frozenset({"server", "toolsets", "policy", "errors", "mixins", "shapes"})
"""Shared documents: while one is invalid, tools cannot be checked."""


def load_sound_spec(root: Path) -> Spec:
    """Load and validate the spec below `root`. Raises: SpecError with all problems."""
    spec = load_spec(root)
    validate(spec)
    return spec


def validate(spec: Spec) -> None:
    """Validate a spec. Raises: SpecError with all problems, sorted by place."""
    found = problems_of(spec)
    if found:
        raise SpecError(found)


def problems_of(spec: Spec) -> list[Problem]:
    """Return all problems of the spec without duplicates, sorted by place.

    A document that violates its meta-schema gets no further lints. Meanwhile, lints that need the whole spec
    are skipped, because most of their findings would be consequences.
    """
    structural = [problem for lint in STRUCTURAL for problem in lint.check(spec)]
    unsound = frozenset(problem.file for problem in structural)
    if any(_kind(spec, path) in _SHARED for path in unsound) or _lacks_shared(spec):
        return sorted(set(structural))
    sound = spec.without(unsound)
    lints = [*LINTS, *emitters.LINTS, *emitters.lints_of(sound)]
    first = [problem for lint in lints if lint.comes_first for problem in lint.check(sound)]
    if first:
        return sorted({*structural, *first})
    further = [
        problem for lint in lints if not (unsound and lint.needs_whole_spec) for problem in lint.check(sound)
    ]
    return sorted({*structural, *further})


def _kind(spec: Spec, path: str) -> Kind:
    document = spec.documents.get(path)
    return document.kind if document else "other"


def _lacks_shared(spec: Spec) -> bool:
    return bool(_SHARED - {document.kind for document in spec.documents.values()} - {"shapes"})
