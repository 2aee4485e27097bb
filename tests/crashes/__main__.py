"""Kills a server in the midst of writes, round after round, and says what was lost: `make kill`."""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.crashes.deaths import DEATHS
from tests.crashes.rounds import play
from tests.e2e.conftest import serve
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster


async def main() -> int:
    """The exit status: 1 when anything was lost."""
    parser = argparse.ArgumentParser(prog="make kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--writes", type=int, default=25, help="acknowledged writes before each death")
    given = parser.parse_args()
    lost, counts = 0, Counter[str]()
    with tempfile.TemporaryDirectory(prefix="vcontract-kill-") as folder:
        store = Path(folder, "store")
        try:
            for number in range(given.rounds):
                death = list(DEATHS)[number % len(DEATHS)]
                outcome = await play(serve, store, Path(folder, str(number)), death, given.writes)
                counts.update(
                    acknowledged=outcome.acknowledged,
                    unanswered=outcome.unanswered,
                    refused=outcome.refused,
                )
                lost += len(outcome.wrong)
                print(f"{number + 1:4} {death:10} {outcome.acknowledged} acknowledged", flush=True)
                print(*(f"     {line}\n" for line in outcome.wrong), sep="", end="", flush=True)
        finally:
            EmbeddedCluster(store).stop()
    print(f"{given.rounds} rounds, {dict(counts)}, {lost} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
