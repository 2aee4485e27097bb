"""Definition of a lint: a named rule with purpose and check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from vcontract.codegen.load import Spec
from vcontract.codegen.problems import Problem

Check: TypeAlias = Callable[[Spec], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Lint:
    """A rule of the spec. `check` yields every violation."""

    id: str
    purpose: str
    check: Check
    needs_whole_spec: bool = False
    """Whether missing documents would cause false reports."""
    comes_first: bool = False
    """Whether other lints rely on it; they are skipped while it fails."""
