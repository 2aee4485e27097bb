"""What `vcon_recall` costs beside a hybrid search: `python -m bench.relevance.cost`.

Both answer the same questions about our own calls and chats, in process and in turn.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.measure import Timing, measure_in_turn
from bench.relevance.asking import store_vcons
from bench.relevance.days import read_days
from bench.relevance.form import OWN_SETS, read_set
from bench.subject import open_subject
from vcontract.runtime.frame.documents.json import JsonObject

_SETS: Final = ("calls", "chats")
_RUNS: Final = 400


async def _measure(folder: Path) -> Mapping[str, tuple[Timing, Timing]]:
    """The timings of recall and of search, for questions without a day and with one."""
    sets = [read_set(file) for file in OWN_SETS if file.stem in _SETS]
    asked = {
        "questions": [one.text for set_ in sets for one in set_.questions],
        "questions with a day": [one.text for one in read_days(sets)],
    }
    async with open_subject(folder / "store") as subject:
        await store_vcons(subject, sets)
        timings: dict[str, tuple[Timing, Timing]] = {}
        for what, texts in asked.items():

            async def recall(number: int, texts: list[str] = texts) -> None:
                await subject.run("vcon_recall", {"query": texts[number % len(texts)]})

            async def search(number: int, texts: list[str] = texts) -> None:
                arguments: JsonObject = {"mode": "hybrid", "query": texts[number % len(texts)]}
                await subject.run("vcon_search", arguments)

            timings[what] = await measure_in_turn(recall, search, _RUNS)
    return timings


def main() -> None:
    """Measure, and print ratios."""
    with tempfile.TemporaryDirectory(prefix="vcontract-cost-", ignore_cleanup_errors=True) as name:
        timings = asyncio.run(_measure(Path(name)))
    for what, (recall, search) in timings.items():
        print(f"{what}: {recall.p50 / search.p50:.2f} times a hybrid search ({recall.p50:.1f} ms, p50)")


if __name__ == "__main__":
    main()
