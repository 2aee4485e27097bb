"""Twenty questions of a call center's manager, whose answers come from the truth of bench.known_calls.

    python -m bench.manager prepare FOLDER [--calls 2000] [--seed 1]
    python -m bench.loop.client FOLDER list   --run NAME --access calls
    python -m bench.loop.client FOLDER call   --run NAME --access calls --question 3 TOOL '{...}'
    python -m bench.loop.client FOLDER answer --run NAME --question 3 'In 214 calls.'
    python -m bench.manager score FOLDER/runs/NAME.jsonl

`prepare` stores the calls and writes the questions without answers. Right is at least 19 of 20 in 30 calls.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import mean, median
from typing import Final

from rich.console import Console

from bench.known_calls import (
    AGENT,
    AGENTS,
    CANCEL,
    COMPETITOR,
    DISCLOSURE,
    MANAGER,
    NEVER,
    NEW_DEPARTMENT,
    REFUND,
    SECOND,
    Center,
    KnownCall,
    Said,
    known_calls,
)
from bench.loop.material import Workplace
from bench.loop.questions import LoopQuestion
from bench.loop.record import read_run
from bench.loop.score import Score, show
from bench.subject import open_subject
from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json

TOOLSETS: Final = ("contract", "vcon", "vcon_more")
_TRUTH: Final = "truth.json"
_WEEK: Final = timedelta(days=7)
_WIDTH: Final = 110
_WHOLE: Final = 10
"""Numbers above it may be answered without decimals."""
_EARLY: Final = Said(any=(DISCLOSURE,), role="agent", first=60)

Asked = tuple[str, Sequence[Sequence[str]]]
"""A question, and of each part of its answer the ways to write it."""


def questions(center: Center) -> list[LoopQuestion]:
    """The questions about these calls."""
    asked = [*_said(center), *_undisclosed(center), *_measured(center), *_scored(center), *_again(center)]
    return [
        LoopQuestion(number, "calls", "list" if len(answer) > 1 else "one", text, _phrases(answer), ())
        for number, (text, answer) in enumerate(asked, 1)
    ]


def _phrases(answer: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(ways) for ways in answer)


def _said(center: Center) -> Iterator[Asked]:
    def yes(said: Said, among: Center = center) -> Sequence[str]:
        return _count(among.counts(said)[0])

    by_customer = Said(any=(CANCEL,), role="customer")
    billing = center.those(lambda call: call.department == "billing")
    yield f'In how many calls did somebody say "{MANAGER}"?', [yes(Said(any=(MANAGER,)))]
    yield f"In how many calls did an agent say {COMPETITOR}?", [yes(Said(any=(COMPETITOR,), role="agent"))]
    text = "In how many calls of the department billing did the customer say that they cancel?"
    yield text, [yes(by_customer, billing)]
    yield "In how many calls were both a refund and cancelling spoken of?", [yes(Said(all=(REFUND, CANCEL)))]
    text = "In how many calls did the customer say cancel in the last thirty seconds?"
    yield text, [yes(replace(by_customer, last=30))]
    text = "In which calendar week (such as 2026-W20) did customers say cancel in most calls?"
    yield text, [[_most(center, _week_of, lambda calls: Center(calls).counts(by_customer)[0])]]
    yield f'In how many calls did somebody say "{NEVER}"?', [["0", "no", "none", "nobody"]]


def _undisclosed(center: Center) -> Iterator[Asked]:
    _, without, unknown = center.counts(_EARLY)
    text = (
        f'In how many calls did no agent say "{DISCLOSURE}" in the first minute? Of how many is that unknown?'
    )
    yield text, [_count(without), _count(unknown)]
    text = "Which agent took part in most of those calls, and in how many?"
    names, count = _best_agent(center, lambda calls: Center(calls).counts(_EARLY)[1])
    yield text, [names, _count(round(count))]


def _measured(center: Center) -> Iterator[Asked]:
    holds = _known(center.calls, "hold_seconds")
    yield "How many seconds of hold has a call on average, where that is known?", [_number(mean(holds))]
    names, longest = _best_agent(center, lambda calls: mean(_known(calls, "hold_seconds")))
    text = "In whose calls is the mean hold longest (name the agent), and how many seconds is it?"
    yield text, [names, _number(longest)]
    transfers = sum(_known(center.calls, "transfers"))
    yield (
        "How many transfers were there, and in how many calls is that known?",
        [
            _count(round(transfers)),
            _count(len(_known(center.calls, "transfers"))),
        ],
    )
    own = [call for call in center.calls if call.gap is None]
    share = sum(call.talk(AGENT, SECOND) for call in own) / sum(call.talk() for call in own)
    yield "What share of all talk, in percent, is that of the agents (by role)?", [_percent(share)]
    dan = [call for call in center.calls if AGENTS[3] in call.agents]
    length = mean(call.ends for call in dan)
    yield f"How many seconds does a call of {AGENTS[3]} take on average?", [_number(length)]
    turns = _known(center.calls, "longest_turn_seconds")
    yield "What is the median, in seconds, of the longest turn of a call?", [_number(median(turns))]


def _scored(center: Center) -> Iterator[Asked]:
    scores = _known(center.calls, "tag:csat")
    yield (
        "What is the mean of the tag csat, and how many calls have one?",
        [
            _number(mean(scores)),
            _count(len(scores)),
        ],
    )
    names, _ = _best_agent(center, lambda calls: -mean(_known(calls, "tag:csat")))
    yield "Which agent has the lowest mean csat?", [names]
    week = center.those(lambda call: _week_of(call) == "2026-W27")
    yield "What is the mean csat of the calls of 2026-W27?", [_number(mean(_known(week.calls, "tag:csat")))]


def _again(center: Center) -> Iterator[Asked]:
    again = center.those(lambda call: bool(center.before(call, _WEEK)))
    text = "In how many calls had the same customer called within the seven days before?"
    yield text, [_count(len(again.calls))]
    assert NEW_DEPARTMENT == "outage"
    text = "What do people call about in 2026-W29 that nobody called about in 2026-W28?"
    yield text, [["storm", "outage"]]


def _week_of(call: KnownCall) -> str:
    return f"{call.began:%G-W%V}"


def _known(calls: Sequence[KnownCall], name: str) -> list[float]:
    return [value for call in calls if (value := call.measure(name)) is not None]


def _most(
    center: Center, key: Callable[[KnownCall], str], value: Callable[[tuple[KnownCall, ...]], float]
) -> str:
    groups: dict[str, list[KnownCall]] = {}
    for call in center.calls:
        groups.setdefault(key(call), []).append(call)
    return max(groups, key=lambda name: value(tuple(groups[name])))


def _best_agent(center: Center, value: Callable[[tuple[KnownCall, ...]], float]) -> tuple[list[str], float]:
    """The agents with the greatest value, usually one, and that."""
    values = {name: value(tuple(call for call in center.calls if name in call.agents)) for name in AGENTS}
    best = max(values.values())
    return [name for name in AGENTS if values[name] == best], best


def _count(count: int) -> list[str]:
    return [str(count), f"{count:,}"]


def _number(value: float) -> list[str]:
    """The number to three places or fewer."""
    return [f"{value:.{places}f}" for places in (3, 2, 1, *([0] if value > _WHOLE else []))]


def _percent(share: float) -> list[str]:
    return [f"{share * 100:.0f}", f"{share * 100:.1f}", f"{share * 100:.2f}", f"{share:.2f}", f"{share:.4f}"]


async def prepare(place: Workplace, calls: int, seed: int) -> int:
    """Store the calls and write the questions. Returns the number of questions."""
    center = known_calls(calls, seed)
    async with open_subject(place.store, TOOLSETS) as subject:
        for document in center.documents():
            await subject.call("create_vcon", {"vcon_data": document})
        await subject.application.worker.drain(subject.application.caller.tenant)
    asked = questions(center)
    place.asked.write_text("".join(f"{one.number}. {one.text}\n" for one in asked), encoding="utf-8")
    (place.folder / _TRUTH).write_bytes(dump_json({"calls": calls, "seed": seed}))
    return len(asked)


def score_of(log: Path) -> Score:
    """The score of a run over the questions of its folder."""
    truth: JsonObject = parse_json((log.parents[1] / _TRUTH).read_bytes())
    return Score(read_run(log), questions(known_calls(truth["calls"], truth["seed"])))


def main() -> int:
    """Prepare a folder or score runs; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.manager",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare", help="make the store and the questions")
    preparing.add_argument("folder", type=Path, metavar="FOLDER")
    preparing.add_argument("--calls", type=int, default=2_000)
    preparing.add_argument("--seed", type=int, default=1)
    scoring = commands.add_parser("score", help="count calls and right answers of runs")
    scoring.add_argument("logs", nargs="+", type=Path, metavar="LOG")
    given = parser.parse_args()
    if given.command == "score":
        show([score_of(log) for log in given.logs], Console(width=_WIDTH))
        return 0
    place = Workplace(given.folder)
    if place.folder.exists() and any(place.folder.iterdir()):
        print(f"{place.folder} is not empty. Name a new folder, or remove this one first.", file=sys.stderr)
        return 1
    count = asyncio.run(prepare(place, given.calls, given.seed))
    print(f"{place.asked} holds {count} questions.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
