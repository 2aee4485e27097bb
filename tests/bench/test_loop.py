"""The loop: a model answers questions with one kind of access, and what it read is logged and scored."""

import json
from collections.abc import Sequence
from datetime import datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bench.loop import client
from bench.loop.access import TextAccess, open_access
from bench.loop.drive import Loop
from bench.loop.material import AlreadyPrepared, Workplace, own_sets, prepare
from bench.loop.questions import LoopQuestion, Mistake, read_questions
from bench.loop.record import GREETING, Answer, Call, append, read_run
from bench.loop.score import score_of, show
from bench.relevance.form import Conversation, RelevanceSet, Turn
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.llm.model import Completion, Message

SKIP = LoopQuestion(1, "own", "one", "What does the skip cost?", (("90", "ninety"),), ("19",))
WIFE = LoopQuestion(2, "own", "one", "What is the name of Sven's wife?", (), ())
TURNS = [
    Turn("Greta", "The brambles are gone.", datetime.fromisoformat("2025-03-02T19:10:00+00:00")),
    Turn("Sven", "The skip costs 90, I paid it.", datetime.fromisoformat("2025-03-02T19:11:00+00:00")),
]


class ScriptedModel:
    """Writes its steps in turn, and keeps what it was sent."""

    def __init__(self, *steps: JsonObject | str) -> None:
        self._steps = [step if isinstance(step, str) else json.dumps(step) for step in steps]
        self.read: list[list[Message]] = []

    async def complete(self, messages: Sequence[Message], name: str, schema: JsonObject) -> Completion:
        self.read.append(list(messages))
        return Completion(self._steps.pop(0), is_cut=False)


def step(tool: str = "", arguments: str = "", answer: str = "") -> JsonObject:
    return {"tool": tool, "arguments": arguments, "answer": answer}


def shell(command: str) -> JsonObject:
    return step("sh", json.dumps({"command": command}))


def contents(folder: Path) -> dict[Path, str]:
    return {file: file.read_text() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Text files of one conversation."""
    folder = tmp_path / "text"
    (folder / "own").mkdir(parents=True)
    (folder / "own" / "plot.txt").write_text("2025-03-02 | The plot\nSven: The skip costs 90, I paid it.\n")
    return folder


async def test_a_model_calls_and_answers_and_every_byte_is_logged(files: Path, tmp_path: Path) -> None:
    log = tmp_path / "runs" / "scripted.jsonl"
    model = ScriptedModel(
        shell("grep -ri skip ."),
        step(answer="It costs 90."),
        shell("grep -ri wife ."),
        step(answer="NOT SAID"),
    )

    await Loop(model, TextAccess(files), "text", log).run([SKIP, WIFE])

    run = read_run(log)
    found = "./own/plot.txt:Sven: The skip costs 90, I paid it."
    assert [(call.question, call.bytes) for call in run.calls[1:]] == [(1, len(found)), (2, 0)]
    assert run.calls[0].question == GREETING
    assert run.answers == {1: "It costs 90.", 2: "NOT SAID"}
    assert model.read[1][-1] == Message("user", found)
    assert score_of(log, [SKIP, WIFE], [1, 2]).right() == (2, 2)


async def test_a_model_without_calls_left_is_asked_for_its_answer(files: Path, tmp_path: Path) -> None:
    log = tmp_path / "scripted.jsonl"
    model = ScriptedModel(shell("ls"), shell("ls own"), step(answer="Ninety."))

    await Loop(model, TextAccess(files), "text", log, max_calls=2).run([SKIP])

    assert read_run(log).answers == {1: "Ninety."}
    assert len(read_run(log).calls) == 1 + 2


async def test_a_model_that_writes_no_json_has_no_answer(files: Path, tmp_path: Path) -> None:
    log = tmp_path / "scripted.jsonl"

    await Loop(ScriptedModel("Ninety."), TextAccess(files), "text", log).run([SKIP])

    assert score_of(log, [SKIP], [1]).right() == (0, 1)


@pytest.mark.parametrize(
    "command",
    [
        *("cat /etc/hostname", "grep -r x ..", "ls own/../..", "rm own/plot.txt", "ls > own/new", "ls; ls"),
        *("sed -i s/90/91/ own/plot.txt", "sed 'w own/new' own/plot.txt", "sort -o/tmp/x own/plot.txt", ""),
    ],
)
async def test_a_command_reads_text_files_and_nothing_else(files: Path, command: str) -> None:
    before = contents(files)

    said = await TextAccess(files).call("sh", {"command": command})

    assert "allowed" in said or "sandbox" in said
    assert contents(files) == before


async def test_commands_are_joined_by_pipes(files: Path) -> None:
    said = await TextAccess(files).call("sh", {"command": "sed -n 2p own/plot.txt | grep -o 'skip|costs' -E"})

    assert said == "skip\ncosts"


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("Ninety in all.", True),
        ("It costs 90, Sven says.", True),
        ("It costs 190.", False),
        ("90 or 19.", False),
        ("NOT SAID", False),
        ("", False),
    ],
)
def test_an_answer_is_right_that_has_the_key_phrases(answer: str, is_right: bool) -> None:
    assert SKIP.is_right(answer) is is_right


def test_a_question_without_an_answer_is_to_be_declined() -> None:
    assert WIFE.is_right("Not said: nobody names her.")
    assert not WIFE.is_right("Her name is Greta.")


def test_a_tenth_of_the_questions_is_never_answered() -> None:
    questions = read_questions()

    own = [one for one in questions if one.material == "own"]
    assert len(own) >= 30
    assert len({one.text for one in questions}) == len(questions)
    assert sum(one.is_never_said for one in own) >= len(own) / 10
    assert {one.material for one in questions} == {"own", "meetings"}


def test_every_key_phrase_of_our_own_questions_stands_in_the_material() -> None:
    said = " ".join(
        f"{turn.at:%Y-%m-%d} {turn.speaker}: {turn.text}"
        for set_ in own_sets()
        for one in set_.conversations
        for turn in one.turns
    ).casefold()

    for one in read_questions(materials=["own"]):
        for phrases in one.answer:
            assert any(phrase.casefold() in said for phrase in phrases) or one.kind == "list", one
        assert not one.answer or one.is_right(" ".join(phrases[0] for phrases in one.answer)), one


def test_a_question_of_no_known_kind_is_named(tmp_path: Path) -> None:
    file = tmp_path / "questions.yaml"
    file.write_text("own:\n  - {kind: riddle, ask: What has it got in its pockets?}\n")

    with pytest.raises(Mistake, match=r"question 1: .*riddle.*one, several, date, list"):
        read_questions(file)


def test_a_run_is_shown_with_its_calls_its_bytes_and_its_wrong_answers(tmp_path: Path) -> None:
    log = tmp_path / "small.jsonl"
    for entry in (
        Call(GREETING, "recall", "list", {}, 900),
        Call(1, "recall", "vcon_recall", {"query": "skip"}, 300),
        Call(2, "recall", "vcon_recall", {"query": "wife"}, 500),
        Answer(1, "It costs 90."),
        Answer(2, "Greta."),
    ):
        append(log, entry)
    out = StringIO()

    show([score_of(log, [SKIP, WIFE], [1, 2])], Console(file=out, width=120))

    row = next(line for line in out.getvalue().splitlines() if "small" in line)
    assert [cell.strip() for cell in row.strip("│ ").split("│")][:6] == [
        "small",
        "recall",
        "2",
        "400",
        "900",
        "1 of 2",
    ]
    assert (
        "small 2. What is the name of Sven's wife?\n  said: Greta.\n  expected: to decline" in out.getvalue()
    )


async def test_the_same_conversations_are_asked_with_each_kind_of_access(tmp_path: Path) -> None:
    place = Workplace(tmp_path / "loop")
    set_ = RelevanceSet("chats", [Conversation("plot", "The plot", TURNS)])
    await prepare(place, [set_], None, [SKIP, WIFE])

    recalled = await client.call(place, "a", "recall", 1, "vcon_recall", {"query": "what does the skip cost"})
    read = await client.call(place, "b", "text", 1, "sh", {"command": "grep -r skip ."})
    async with open_access("contract", place) as contract:
        greeting = await contract.greeting()
        refused = await contract.call("vcon_recall", {"query": "skip"})

    assert "Sven: The skip costs 90, I paid it." in recalled
    assert "2025-03-02 19:11 Sven: The skip costs 90, I paid it." in read
    assert '"name": "vcon_search"' in greeting
    assert "vcon_recall" not in greeting
    assert "skip costs" not in refused
    assert read_run(place.log("a")).calls == [
        Call(1, "recall", "vcon_recall", {"query": "what does the skip cost"}, len(recalled.encode()))
    ]
    assert place.numbers() == [1, 2]
    with pytest.raises(AlreadyPrepared, match="Name a new folder"):
        await prepare(place, [], None, [])


def test_an_answer_and_a_call_that_is_no_json_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path)

    answered = client.main([folder, "answer", "--run", "a", "--question", "1", "Ninety", "in", "all."])
    wrong = client.main([folder, "call", "--run", "a", "--access", "text", "--question", "1", "sh", "ls"])

    assert (answered, wrong) == (0, 2)
    assert read_run(tmp_path / "runs" / "a.jsonl").answers == {1: "Ninety in all."}
    assert "no JSON object" in capsys.readouterr().err
