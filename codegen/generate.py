"""Generate all files in memory from a loaded spec."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from vcontract.codegen.emit import contract as wire
from vcontract.codegen.emit import (
    docs,
    errors,
    models,
    openapi,
    prompts,
    protocols,
    registry,
    resources,
    surface_docs,
    typescript,
)
from vcontract.codegen.emitters import emitters_of
from vcontract.codegen.load import Spec
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile
from vcontract.codegen.printed import published
from vcontract.codegen.report import entries
from vcontract.codegen.resolve import resolve
from vcontract.codegen.surface import SURFACE, print_surface, surface_of

EMITTERS: Final[Sequence[Callable[[Contract], Iterator[OutputFile]]]] = (
    errors.emit,
    models.emit,
    protocols.emit,
    registry.emit,
    wire.emit,
    resources.emit,
    prompts.emit,
    docs.emit,
    surface_docs.emit,
    typescript.emit,
    openapi.emit,
    entries.emit,
)
"""Those of every contract; spec/project.yaml names a project's own."""


def generate_files(spec: Spec) -> list[OutputFile]:
    """Every generated file, sorted by path. The spec must have passed `validate`.

    The last is surface.json, with which the gate compares later states.
    """
    contract, surface = resolve(spec), surface_of(spec)
    files = print_files(contract)
    surface["published"] = published(contract, surface, {file.path: file.text for file in files})
    return [*files, OutputFile(SURFACE, print_surface(surface))]


def print_files(contract: Contract) -> list[OutputFile]:
    """Every file that `contract` is printed to, sorted by path: a pure function of it."""
    emitters = [*EMITTERS, *(emitter.emit for emitter in emitters_of(contract.emitters))]
    return sorted((file for emit in emitters for file in emit(contract)), key=lambda file: file.path)
