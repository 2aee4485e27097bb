"""All lints of the spec."""

from collections.abc import Sequence
from typing import Final

from vcontract.codegen.lints import (
    documents,
    examples,
    inputs,
    names,
    outputs,
    surface,
    tools,
)
from vcontract.codegen.lints import references as reference_lints
from vcontract.codegen.lints.lint import Lint

STRUCTURAL: Final[Sequence[Lint]] = documents.LINTS
"""Lints that others rely on: documents exist and match their meta-schemas."""

LINTS: Final[Sequence[Lint]] = (
    *reference_lints.LINTS,
    *inputs.LINTS,
    *outputs.LINTS,
    *names.LINTS,
    *tools.LINTS,
    *examples.LINTS,
    *surface.LINTS,
)

__all__ = ["LINTS", "STRUCTURAL", "Lint"]
