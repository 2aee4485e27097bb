"""What is said of machines on which the program cannot be had."""

import subprocess
import sys
from dataclasses import replace

import pytest

from vcontract.runtime.cli.platform_check import Machine, missing_requirement, platform_error

USUAL = Machine("linux", "x86_64", is_musl=False, python=(3, 12), makes_environments=True)


@pytest.mark.parametrize(
    "machine",
    [USUAL, replace(USUAL, processor="aarch64"), replace(USUAL, system="darwin", processor="arm64")],
    ids=["linux", "linux-arm", "mac"],
)
def test_nothing_stands_in_the_way_where_there_are_packages(machine: Machine) -> None:
    assert missing_requirement(machine) is None


@pytest.mark.parametrize(
    ("machine", "message", "cure"),
    [
        (replace(USUAL, system="win32", processor="AMD64"), "Windows", "WSL 2"),
        (replace(USUAL, system="darwin"), "Intel processors", "Python for arm64"),
        (replace(USUAL, is_musl=True), "musl", "glibc"),
        (replace(USUAL, processor="riscv64"), "linux on riscv64", "glibc"),
        (replace(USUAL, python=(3, 10)), "Python 3.10", "PYTHON="),
        (replace(USUAL, makes_environments=False), "virtual environment", "apt install python3.12-venv"),
    ],
    ids=["windows", "intel-mac", "musl", "riscv", "old-python", "no-venv"],
)
def test_what_stands_in_the_way_is_said_with_what_to_do(machine: Machine, message: str, cure: str) -> None:
    lack = missing_requirement(machine)
    assert lack is not None
    assert message in lack.message
    assert cure in lack.cure


def test_this_machine_is_one_of_those() -> None:
    assert platform_error(Machine.here()) is None


def test_on_windows_the_command_says_so_before_anything_else() -> None:
    """The modules that Windows lacks are not there, and the first word is what to do."""
    as_on_windows = (
        "import sys; sys.modules.update(dict.fromkeys(['fcntl', 'pwd', 'grp', 'resource', 'termios']))\n"
        "from vcontract.runtime.cli.main import Machine, _refuse\n"
        "_refuse(Machine('win32', 'AMD64', False, (3, 12), True))"
    )
    done = subprocess.run([sys.executable, "-c", as_on_windows], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "vcontract: vcontract does not run on Windows\n  cure:  install it in WSL 2"
    )
