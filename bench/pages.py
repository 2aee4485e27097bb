"""The web UI over stores of bench.scale: time to results, bytes a page. `python -m bench.pages FOLDER…`."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import httpx2

from bench.scale.calls import Questions
from bench.scale.stores import Filled, corpus

_COMMAND: Final = str(Path(sys.executable).with_name("vcontract"))
_SEARCHES: Final = 20
_PATHS: Final = ("/", "/store", "/evidence")


def main() -> None:
    """Print a table with a line for each store."""
    print(
        "| conversations | first search | median of 20 after it | slowest | bytes of results | other pages |"
    )
    print("|---|---|---|---|---|---|")
    for name in sys.argv[1:]:
        print(_measured(Path(name)), flush=True)


def _measured(folder: Path) -> str:
    filled = Filled.read(folder)
    assert filled is not None, f"{folder} was not filled by bench.scale"
    environment = {**os.environ, "VCONTRACT_DATA_DIR": str(folder / "data")}
    command = [_COMMAND, "browse", "--no-open", "--read-only"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        try:
            return _asked(process.stdout.readline().strip(), filled.conversations)
        finally:
            process.terminate()


def _asked(address: str, conversations: int) -> str:
    with httpx2.Client(base_url=address.partition("/enter")[0], timeout=120) as client:
        client.get(address)
        found = [
            _timed(client, f"/?q={text}")
            for text in Questions(corpus(), conversations).texts[: _SEARCHES + 1]
        ]
        pages = [(path, *_timed(client, path)) for path in _PATHS]
    first, *later = [seconds for seconds, _ in found]
    told = ", ".join(f"{path} {seconds * 1000:.0f} ms {size:,} B" for path, seconds, size in pages)
    size = statistics.median(size for _, size in found)
    median, slowest = statistics.median(later), max(later)
    cells = [f"{seconds * 1000:,.0f} ms" for seconds in (first, median, slowest)]
    return f"| {conversations:,} | {' | '.join(cells)} | {size:,.0f} | {told} |"


def _timed(client: httpx2.Client, path: str) -> tuple[float, int]:
    begun = time.perf_counter()
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - begun, len(answer.content)


if __name__ == "__main__":
    main()
