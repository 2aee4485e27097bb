"""Result of one check of `vcontract doctor`."""

from dataclasses import dataclass
from typing import Literal

from vcontract.runtime.cli.failures import ExitCode


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result."""

    name: str
    state: Literal["ok", "warning", "failed"]
    detail: str
    cure: str = ""
    code: ExitCode = ExitCode.FAILED
    """Exit code if this check failed."""
