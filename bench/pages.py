"""The web UI over stores of bench.scale: time to results, bytes a page. `python -m bench.pages FOLDER…`.

The processor's time is that of the server and its database, whatever else the machine does (Linux).
Without a folder: what Chromium takes to scroll through a conversation of 10,000 turns.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx2

from bench.scale.calls import Questions
from bench.scale.stores import Filled, corpus

_COMMAND: Final = str(Path(sys.executable).with_name("vcontract"))
_SCROLL: Final = Path(__file__).parents[1] / "tests" / "languages" / "scroll.mjs"
_TURNS: Final = 10_000
_UUID: Final = "01900000-0000-8000-8000-000000000001"
_WORDS: Final = "the kettle leaks again and somebody has to look at it before the guests come " * 6
_SEARCHES: Final = 20
_RESULTS: Final = {"x-vcontract-part": "results"}
"""What the page's script sends, to show results before the filters' counts."""
_PATHS: Final = ("/", "/store", "/evidence")


def main() -> None:
    """Print a table with a line for each store, or what scrolling takes."""
    if not sys.argv[1:]:
        print(_scrolled())
        return
    print(
        "| conversations | first search | results, median of 20 after it | fastest | slowest | with counts "
        "| processor: results | with counts | bytes of results | with counts | other pages |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:]:
        print(_measured(Path(name)), flush=True)


def _measured(folder: Path) -> str:
    filled = Filled.read(folder)
    assert filled is not None, f"{folder} was not filled by bench.scale"
    environment = {**os.environ, "VCONTRACT_DATA_DIR": str(folder / "data")}
    with _browsing(environment) as (address, server):
        return _asked(address, filled, lambda: _processor(server, folder))


@contextmanager
def _browsing(environment: Mapping[str, str]) -> Generator[tuple[str, int]]:
    """The address of a page, and the process that serves it."""
    command = [_COMMAND, "browse", "--no-open", "--read-only"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


def _scrolled() -> str:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert browser is not None, "chromium is not installed"
    dialog = [
        {
            "type": "text",
            "start": f"2024-01-01T{10 + number // 3_600:02}:{number // 60 % 60:02}:{number % 60:02}Z",
            "parties": [number // 3 % 2],
            "mediatype": "text/plain",
            "body": f"Turn {number}: {_WORDS[: 40 + number * 37 % 360]}",
            "encoding": "none",
        }
        for number in range(_TURNS)
    ]
    vcon = {
        "vcon": "0.4.0",
        "uuid": _UUID,
        "created_at": "2024-01-01T10:00:00Z",
        "parties": [{"name": "Ann Weber"}, {"name": "Bo Lind"}],
        "dialog": dialog,
    }
    with tempfile.TemporaryDirectory(prefix="vcontract-scroll-", ignore_cleanup_errors=True) as folder:
        environment = {
            **os.environ,
            "VCONTRACT_DATA_DIR": f"{folder}/data",
            "VCONTRACT_EMBEDDING_PROVIDER": "none",
        }
        file = Path(folder, "long.json")
        file.write_text(json.dumps(vcon))
        subprocess.run([_COMMAND, "import", str(file)], env=environment, check=True, capture_output=True)  # noqa: S603
        with _browsing(environment) as (address, _):
            command = ["node", str(_SCROLL), browser, address, f"/vcon/{_UUID}"]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


def _processor(server: int, folder: Path) -> float:
    """Milliseconds of the processor that a server and the database in a folder have taken."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if int(process.name) == server or folder.resolve() in (process / "cwd").readlink().parents:
                ticks += sum(map(int, (process / "stat").read_text().rpartition(") ")[2].split()[11:15]))
        except OSError:  # it ended meanwhile, or is not ours to look at
            continue
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


def _asked(address: str, filled: Filled, processor: Callable[[], float]) -> str:
    with httpx2.Client(base_url=address.partition("/enter")[0], timeout=120) as client:
        client.get(address)
        made = corpus(as_in_life=filled.as_in_life)
        texts = Questions(made, filled.conversations).texts[: 2 * _SEARCHES + 1]
        first, _ = _timed(client, f"/?q={texts[0]}", _RESULTS)
        # other questions each time, so that nothing is still at hand
        begun = processor()
        found = [_timed(client, f"/?q={text}", _RESULTS) for text in texts[1 : _SEARCHES + 1]]
        between = processor()
        whole = [_timed(client, f"/?q={text}") for text in texts[_SEARCHES + 1 :]]
        ended = processor()
        pages = [(path, *_timed(client, path)) for path in _PATHS]
    timings = ", ".join(f"{path} {seconds * 1000:.0f} ms {size:,} B" for path, seconds, size in pages)
    later = [seconds for seconds, _ in found]
    counted = statistics.median(seconds for seconds, _ in whole)
    times = (first, statistics.median(later), min(later), max(later), counted)
    used = [taken / _SEARCHES for taken in (between - begun, ended - between)]
    sizes = (statistics.median(size for _, size in each) for each in (found, whole))
    cells = [f"{seconds * 1000:,.0f} ms" for seconds in times] + [f"{each:,.0f} ms" for each in used]
    cells += [f"{size:,.0f}" for size in sizes]
    return f"| {filled.conversations:,} | {' | '.join(cells)} | {timings} |"


def _timed(client: httpx2.Client, path: str, headers: Mapping[str, str] | None = None) -> tuple[float, int]:
    begun = time.perf_counter()
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - begun, len(answer.content)


if __name__ == "__main__":
    main()
