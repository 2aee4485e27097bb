"""From a loaded spec to every problem it has, all at once."""

from pathlib import Path
from typing import Final

from vcontract.codegen.lints import LINTS, STRUCTURAL
from vcontract.codegen.load import Kind, Spec, load_spec
from vcontract.codegen.problems import Problem, SpecError

_SHARED: Final[frozenset[Kind]] = frozenset({"server", "toolsets", "policy", "errors", "mixins", "shapes"})
"""What tools are made with: while one of these is not sound, nothing can be said about any tool."""


def load_sound_spec(root: Path) -> Spec:
    """The spec below `root`. Raises: SpecError, with every problem that it has."""
    spec = load_spec(root)
    validate(spec)
    return spec


def validate(spec: Spec) -> None:
    """Raises: SpecError, with every problem of the spec, sorted by place."""
    found = problems_of(spec)
    if found:
        raise SpecError(found)


def problems_of(spec: Spec) -> list[Problem]:
    """Every problem of the spec, each once, sorted by place.

    A document that does not fit its meta-schema gets no further lints. While there is one, lints that need
    the whole spec are skipped, because most of their findings would follow from it.
    """
    structural = [problem for lint in STRUCTURAL for problem in lint.check(spec)]
    unsound = frozenset(problem.file for problem in structural)
    if any(_kind(spec, path) in _SHARED for path in unsound) or _lacks_shared(spec):
        return sorted(set(structural))
    sound = spec.without(unsound)
    first = [problem for lint in LINTS if lint.comes_first for problem in lint.check(sound)]
    if first:
        return sorted({*structural, *first})
    further = [
        problem for lint in LINTS if not (unsound and lint.needs_whole_spec) for problem in lint.check(sound)
    ]
    return sorted({*structural, *further})


def _kind(spec: Spec, path: str) -> Kind:
    document = spec.documents.get(path)
    return document.kind if document else "other"


def _lacks_shared(spec: Spec) -> bool:
    return bool(_SHARED - {document.kind for document in spec.documents.values()} - {"shapes"})
