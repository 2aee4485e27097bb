"""One thing that `vcontract doctor` has looked at, and how it stands."""

from dataclasses import dataclass
from typing import Literal

from vcontract.runtime.cli.failures import ExitCode


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at, and how it stands."""

    name: str
    state: Literal["ok", "warning", "failed"]
    detail: str
    cure: str = ""
    code: ExitCode = ExitCode.FAILED
    """What the command returns when this failed."""
