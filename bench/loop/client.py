"""The loop by hand: a model with a shell makes calls, and all that it reads is logged by question.

python -m bench.loop.client FOLDER prepare [--meetings FOLDER]
python -m bench.loop.client FOLDER list   --run NAME --access recall
python -m bench.loop.client FOLDER call   --run NAME --access recall --question 3 TOOL '{"query": "..."}'
python -m bench.loop.client FOLDER call   --run NAME --access text --question 3 sh '{"command": "ls"}'
python -m bench.loop.client FOLDER answer --run NAME --question 3 'Thirty each.'
"""

import argparse
import asyncio
import sys
from pathlib import Path

from bench.loop.access import ACCESSES, open_access
from bench.loop.material import MEETINGS, OWN, AlreadyPrepared, Workplace, own_sets, prepare
from bench.loop.questions import DECLINED, read_questions
from bench.loop.record import GREETING, Answer, Call, append
from bench.relevance.folders import MEETINGS as MEETINGS_FOLDER
from vcontract.runtime.frame.documents.json import JsonObject, parse_json


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code."""
    options = _parser().parse_args(arguments)
    place = Workplace(options.folder)
    match options.command:
        case "prepare":
            return _prepare(place, options.meetings)
        case "answer":
            append(place.log(options.run), Answer(options.question, " ".join(options.words)))
        case "list":
            print(asyncio.run(call(place, options.run, options.access, GREETING, "list", {})))
        case _:
            try:
                given = parse_json(options.arguments)
            except ValueError as error:
                print(f"The arguments are no JSON object: {error}", file=sys.stderr)
                return 2
            print(
                asyncio.run(call(place, options.run, options.access, options.question, options.tool, given))
            )
    return 0


async def call(
    place: Workplace, run: str, access: str, question: int, tool: str, arguments: JsonObject
) -> str:
    """What a model reads; for question 0 the greeting. It is logged."""
    async with open_access(access, place) as opened:
        text = await (opened.greeting() if question == GREETING else opened.call(tool, arguments))
    append(place.log(run), Call(question, access, tool, arguments, len(text.encode())))
    return text


def _prepare(place: Workplace, meetings: Path) -> int:
    found = meetings if meetings.is_dir() else None
    if found is None:
        print(f"Skipping the questions about meetings: {meetings} does not exist.", file=sys.stderr)
    questions = read_questions(materials=[OWN, *([MEETINGS] if found else [])])
    try:
        asyncio.run(prepare(place, own_sets(), found, questions))
    except AlreadyPrepared as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{place.asked} holds {len(questions)} questions. To decline, answer {DECLINED}.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.loop.client",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where store, text files and runs are")
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare", help="make the store, the text files and the questions")
    preparing.add_argument("--meetings", type=Path, default=MEETINGS_FOLDER, metavar="FOLDER")
    listing = commands.add_parser("list", help="print what a model reads before its first call")
    calling = commands.add_parser("call", help="make a call and print what it returns")
    answering = commands.add_parser("answer", help="record the answer to a question")
    for one in (listing, calling, answering):
        one.add_argument("--run", required=True, metavar="NAME", help="the model and the kind of access")
    for one in (listing, calling):
        one.add_argument("--access", required=True, choices=ACCESSES)
    for one in (calling, answering):
        one.add_argument("--question", required=True, type=int, metavar="N")
    calling.add_argument("tool", metavar="TOOL")
    calling.add_argument("arguments", metavar="JSON")
    answering.add_argument("words", nargs="+", metavar="ANSWER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
