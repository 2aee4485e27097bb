"""Takes out one guard after another and says which the tests do not miss: `make mutants`."""

import argparse
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Literal

from tests.house import ROOT
from tests.mutants import Mutant, mutants

Fate = Literal["dies", "SURVIVES", "BROKEN"]

_FATES: Final[dict[int, Fate]] = {0: "SURVIVES", 1: "dies"}
"""By the exit status of pytest; with any other one no test has judged the mutant."""


def main() -> int:
    """The exit status: 1 unless every mutant dies. The files are as they were afterwards, even if stopped."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="only these")
    given = parser.parse_args()
    known = {mutant.name: mutant for mutant in mutants()}
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"no mutant is called {', '.join(unknown)}; tests/mutants/mutants.yaml names them")
    chosen = [known[name] for name in given.names] or list(known.values())
    if changed := _changed({mutant.file for mutant in chosen}):
        parser.error(f"commit or undo first what you changed in {', '.join(changed)}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    alive = 0
    for mutant in chosen:
        fate = _fate(mutant)
        alive += fate != "dies"
        print(f"{fate:<8} {mutant.name}", flush=True)
    print(f"{len(chosen)} mutants, {alive or 'none'} alive")
    return 1 if alive else 0


def _fate(mutant: Mutant) -> Fate:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *mutant.tests]
    with _applied(mutant):
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    fate = _FATES.get(run.returncode, "BROKEN")
    if fate == "BROKEN":
        print(run.stdout[-2_000:] + run.stderr[-2_000:], file=sys.stderr)
    return fate


@contextmanager
def _applied(mutant: Mutant) -> Generator[None]:
    """The file without its guard, for as long as the block runs."""
    file = ROOT / mutant.file
    original = file.read_bytes()
    try:
        file.write_text(mutant.applied(original.decode()), encoding="utf-8")
        yield
    finally:
        file.write_bytes(original)


def _changed(files: set[str]) -> list[str]:
    """Those of the files that hold what git does not have."""
    command = ["git", "diff", "--name-only", "HEAD", "--", *sorted(files)]
    reported = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    return reported.stdout.split()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
