"""What a lint is: a rule of the spec with a name, a purpose and a check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from vcontract.codegen.load import Spec
from vcontract.codegen.problems import Problem

Check: TypeAlias = Callable[[Spec], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Lint:
    """One rule. `check` finds every place of a spec that breaks it."""

    id: str
    purpose: str
    check: Check
    needs_whole_spec: bool = False
    """Whether a document left out would make it report what is no problem."""
    comes_first: bool = False
    """Whether the others rely on it: they are left out while it finds a problem."""
