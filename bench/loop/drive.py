"""The loop by an endpoint: the model of VCONTRACT_LLM_* answers the questions by itself.

python -m bench.loop.drive FOLDER --access recall [--run NAME] [--most-calls 8]
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.loop.access import ACCESSES, Access, open_access
from bench.loop.material import Workplace
from bench.loop.questions import DECLINED, LoopQuestion, read_questions
from bench.loop.record import GREETING, Answer, Call, append
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.llm.endpoint import Endpoint
from vcontract.runtime.llm.model import LanguageModel, LlmFault, Message
from vcontract.runtime.llm.settings import LlmSettings
from vcontract.runtime.settings import Settings

_STEP: Final[JsonObject] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool", "arguments", "answer"],
    "properties": {
        "tool": {"type": "string", "description": "The tool to call; empty to answer."},
        "arguments": {"type": "string", "description": "Its arguments, a JSON object as text."},
        "answer": {"type": "string", "description": "The answer; empty to call a tool."},
    },
}
_TASK: Final = (
    "Answer the question from the stored conversations and from nothing else. Reply with JSON: name a tool"
    " and its arguments to call it, or give the answer in one or two sentences. If nothing stored answers the"
    f" question, the answer is {DECLINED}. Do not guess. Make as few calls as you need."
)
_LAST: Final = "No call is left. Give the answer."


@dataclass(frozen=True, slots=True)
class Loop:
    """A model that answers questions with one kind of access."""

    model: LanguageModel
    access: Access
    access_name: str
    log: Path
    max_calls: int = 8
    """For each question."""

    async def run(self, questions: Sequence[LoopQuestion]) -> None:
        """Ask every question; calls and answers go to the log.

        Raises: LlmFault.
        """
        greeting = await self.access.greeting()
        append(self.log, Call(GREETING, self.access_name, "list", {}, len(greeting.encode())))
        for question in questions:
            answer = await self._answer(question, greeting)
            append(self.log, Answer(question.number, answer))

    async def _answer(self, question: LoopQuestion, greeting: str) -> str:
        messages = [Message("system", f"{_TASK}\n\n{greeting}"), Message("user", question.text)]
        for _ in range(self.max_calls):
            completion = await self.model.complete(messages, "step", _STEP)
            messages.append(Message("assistant", completion.text))
            step = _object(completion.text)
            if not step.get("tool"):
                return str(step.get("answer", ""))
            messages.append(Message("user", await self._call(question, step)))
        messages.append(Message("user", _LAST))
        return str(_object((await self.model.complete(messages, "step", _STEP)).text).get("answer", ""))

    async def _call(self, question: LoopQuestion, step: JsonObject) -> str:
        tool = str(step["tool"])
        arguments = _object(str(step.get("arguments") or "{}"))
        text = await self.access.call(tool, arguments)
        append(self.log, Call(question.number, self.access_name, tool, arguments, len(text.encode())))
        return text


def _object(text: str) -> JsonObject:
    """The JSON object that a model wrote; empty when it wrote none."""
    try:
        document = parse_json(text)
    except ValueError:
        return {}
    return document if is_object(document) else {}


async def _drive(place: Workplace, access: str, run: str, max_calls: int, llm: LlmSettings) -> None:
    numbers = place.numbers()
    questions = [one for one in read_questions() if one.number in numbers]
    async with open_access(access, place) as opened:
        await Loop(Endpoint(llm), opened, access, place.log(run), max_calls).run(questions)


def main() -> int:
    """Answer the questions of a prepared folder; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.loop.drive",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="prepared by bench.loop.client")
    parser.add_argument("--access", required=True, choices=ACCESSES)
    parser.add_argument("--run", metavar="NAME", help="name of the run (model and access)")
    parser.add_argument("--most-calls", type=int, default=8, metavar="N", help="calls for a question (8)")
    options = parser.parse_args()
    llm = LlmSettings.of(Settings())
    if not llm.configured:
        print(f"No model is set. Set {' and '.join(llm.missing)}.", file=sys.stderr)
        return 2
    run = options.run or f"{llm.model}-{options.access}".replace("/", "-")
    try:
        asyncio.run(_drive(Workplace(options.folder), options.access, run, options.most_calls, llm))
    except LlmFault as fault:
        print(
            f"The model did not answer: {fault.reason}. Check {fault.setting or llm.base_url}.",
            file=sys.stderr,
        )
        return 1
    print(f"python -m bench.loop.score {Workplace(options.folder).log(run)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
