"""Generate all files in memory from a loaded spec."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from vcontract.codegen.emit import contract as wire
from vcontract.codegen.emit import (
    docs,
    errors,
    formats,
    models,
    openapi,
    prompts,
    protocols,
    registry,
    resources,
    surface_docs,
    typescript,
    upstream,
    vcon,
)
from vcontract.codegen.load import Spec
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile
from vcontract.codegen.report import entries
from vcontract.codegen.resolve import resolve

Emitter: TypeAlias = Callable[[Contract], Iterator[OutputFile]]

EMITTERS: Final[Sequence[Emitter]] = (
    errors.emit,
    models.emit,
    protocols.emit,
    registry.emit,
    wire.emit,
    resources.emit,
    prompts.emit,
    docs.emit,
    surface_docs.emit,
    vcon.emit,
    typescript.emit,
    openapi.emit,
    upstream.emit,
    formats.emit,
    entries.emit,
)


def generate_files(spec: Spec) -> list[OutputFile]:
    """Every generated file, sorted by path. The spec must have passed `validate`."""
    return print_files(resolve(spec))


def print_files(contract: Contract) -> list[OutputFile]:
    """Every file that `contract` is printed to, sorted by path: a pure function of it."""
    return sorted((file for emitter in EMITTERS for file in emitter(contract)), key=lambda file: file.path)
