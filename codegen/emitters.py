"""Load the emitters that a project names in spec/project.yaml."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from vcontract.codegen.documents import JsonObject
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Spec
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile
from vcontract.codegen.problems import Problem


def _nothing(_: Spec) -> JsonObject:
    return {}


@dataclass(frozen=True, slots=True)
class Emitter:
    """A project's addition to the generator, the `EMITTER` of a module."""

    emit: Callable[[Contract], Iterator[OutputFile]]
    lints: Sequence[Lint] = ()
    surface: Callable[[Spec], JsonObject] = _nothing
    """Parts of the document that the gate compares."""


def emitters_of(paths: Sequence[str]) -> list[Emitter]:
    """Return the emitters of the modules with these import paths. Raises: LookupError."""
    return [_emitter(path) for path in paths]


def _emitter(path: str) -> Emitter:
    try:
        found: object = getattr(import_module(path), "EMITTER", None)
    except ImportError as error:
        raise LookupError(f"the module {path} cannot be imported: {error}") from error
    if not isinstance(found, Emitter):
        raise LookupError(f"the module {path} has no EMITTER")
    return found


def lints_of(spec: Spec) -> list[Lint]:
    """Return the lints of the project's emitters that can be imported."""
    return [lint for path in spec.emitters if not _why_missing(path) for lint in _emitter(path).lints]


def _why_missing(path: str) -> str:
    try:
        _emitter(path)
    except LookupError as error:
        return str(error)
    return ""


def _is_there(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("project"):
        for index, path in enumerate(document.data["emitters"]):
            if why := _why_missing(path):
                yield document.problem(("emitters", index), "emitter-exists", why)


LINTS: Final[Sequence[Lint]] = (
    Lint("emitter-exists", "the emitters that the project names are there", _is_there),
)
