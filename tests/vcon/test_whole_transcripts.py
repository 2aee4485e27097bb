"""Whole transcripts: every sentence that a vCon holds is said once, in order of time."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, parse_json
from vcontract.runtime.frame.documents.json_values import (
    array,
    as_index,
    is_array,
    is_object,
    members,
    objects,
)
from vcontract.runtime.vcon.legacy import LegacyNames
from vcontract.runtime.vcon.spec_files import shipped_yaml
from vcontract.runtime.vcon.text import body_text
from vcontract.runtime.vcon.transcript import read_ranges, read_transcript

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "vcons"
EXAMPLES = sorted(file.name for file in resources.files("vcontract.spec").joinpath("examples").iterdir())
TRANSCRIPTS = {"transcript", "diarized", "wtf_transcription"}
SENTENCE = re.compile(r"[^.!?]+[.!?]*")


def sentences(text: str) -> Iterator[str]:
    """Sentences of letters and digits alone, however they are set."""
    for sentence in SENTENCE.findall(text):
        if words := " ".join(re.findall(r"\w+", sentence)):
            yield words


def words_in(body: JsonValue) -> str:
    """The words of a transcript in the forms that the files have, without who says them."""
    if isinstance(body, str):
        return re.sub(r"(?m)^[A-Z][\w ]{1,30}: ", "", body)
    if is_array(body):
        return "\n".join(str(turn["message"]) for _, turn in objects(body))
    if is_object(body) and is_object(whole := body.get("transcript")):
        return str(whole["text"])
    return str(members(body).get("transcript") or members(body).get("text"))


def said_in(vcon: JsonObject) -> list[str]:
    """What dialogs say, and for those without words what a transcript of them says."""
    dialogs = array(vcon.get("dialog"))
    own = [body_text(members(dialog), array(vcon.get("parties"))).strip() for dialog in dialogs]
    texts, covered = [text for text in own if text], set[int]()
    # a recording that was transcribed twice, as text and by speaker, is said once
    for _, analysis in sorted(objects(vcon.get("analysis")), key=lambda each: str(each[1].get("type"))):
        index = as_index(analysis.get("dialog"))
        if analysis.get("type") in TRANSCRIPTS and index is not None and not own[index]:
            texts += [words_in(analysis["body"])] if index not in covered else []
            covered.add(index)
    return texts


def check_all_is_said_once(vcon: JsonObject) -> None:
    turns = read_transcript(vcon)
    text = "\n".join(turn.words for turn in turns)
    texts = said_in(vcon)
    said, expected = (" ".join(sentences(each)) for each in (text, "\n".join(texts)))
    assert Counter(said.split()) == Counter(expected.split())
    # a sentence that a transcript has cut into several turns stands in them in sequence
    for sentence in (sentence for each in texts for sentence in sentences(each)):
        assert f" {sentence} " in f" {said} "
    times = [turn.at for turn in turns if turn.at is not None]
    assert times == sorted(times)
    assert [turn.number for turn in turns] == list(range(len(turns)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_sentence_of_a_shipped_example_is_in_its_transcript_once(name: str) -> None:
    check_all_is_said_once(shipped_yaml("examples", name)["vcon"])


@pytest.mark.skipif(not CORPUS.is_dir(), reason=f"needs the vCons in {CORPUS}, which are not part of this")
@pytest.mark.parametrize("folder", ["call-centre", "gpt-conversations"])
def test_every_sentence_of_a_real_file_is_in_its_transcript_once(
    folder: str, legacy_names: LegacyNames
) -> None:
    for file in sorted((CORPUS / folder).iterdir()):
        vcon, _ = legacy_names.translate(parse_json(file.read_bytes()))
        check_all_is_said_once(vcon)


@pytest.mark.parametrize(
    ("body", "turns"),
    [
        ("One. Two.", [(None, "One. Two.")]),
        ("Ann: One.\nBob: Two.\nAnn: Three.", [("Ann", "One."), ("Bob", "Two."), ("Ann", "Three.")]),
        ("One.\n\nTwo.\nthree.\n\n\nFour.", [(None, "One."), (None, "Two.\nthree."), (None, "Four.")]),
        ("One.\nNote: two.", [(None, "One.\nNote: two.")]),
        ("One.\n\nNote: two.\n\nThree.", [(None, "One."), (None, "Note: two."), (None, "Three.")]),
    ],
)
def test_a_transcript_without_structure_has_turns_where_its_text_shows_them(
    body: str, turns: list[tuple[str | None, str]]
) -> None:
    analysis: JsonObject = {"type": "transcript", "body": body, "encoding": "none"}

    said = read_transcript({"dialog": [{"type": "recording"}], "analysis": [analysis]})

    assert [(turn.speaker, turn.words) for turn in said] == turns


def test_turns_with_words_by_speaker_have_times() -> None:
    words = [
        {"word": "hello", "punctuated_word": "Hello.", "start": 0.1, "end": 0.4, "speaker": 0},
        {"word": "how", "punctuated_word": "How", "start": 0.9, "end": 1.0, "speaker": 1},
        {"word": "goes", "punctuated_word": "goes?", "start": 1.0, "end": 1.4, "speaker": 1},
    ]
    body = {"results": {"channels": [{"alternatives": [{"transcript": "hello how goes", "words": words}]}]}}
    recording = {"type": "recording", "start": "2025-10-14T10:00:00Z"}

    said = read_transcript(
        {
            "dialog": [recording],
            "analysis": [{"type": "transcript", "encoding": "json", "body": body, "dialog": 0}],
        }
    )

    assert [(turn.speaker, turn.words, turn.seconds) for turn in said] == [
        ("Speaker 0", "Hello.", 0.1),
        ("Speaker 1", "How goes?", 0.9),
    ]
    assert [str(turn.at) for turn in said] == [
        "2025-10-14 10:00:00.100000+00:00",
        "2025-10-14 10:00:00.900000+00:00",
    ]


def test_a_range_has_both_of_its_ends() -> None:
    assert read_ranges("0-1") == [range(2)]


def test_calls_of_tools_are_at_the_agents_turn_that_made_them() -> None:
    def said(exchange: int, line: int, speaker: int) -> JsonObject:
        where: JsonObject = {"exchange": exchange, "lines": [line, line]}
        return {"type": "text", "body": f"Line {line}.", "originator": speaker, "meta": {"transcript": where}}

    def called(exchange: int, line: int) -> JsonObject:
        name = f"tool{line}"
        return {"type": "tool-call", "name": name, "call-id": name, "line": line, "exchange": exchange}

    entries: list[JsonValue] = [
        called(*place) for place in [(1, 2), (1, 4), (1, 5), (1, 8), (2, 10), (3, 13), (4, 15)]
    ]
    dialog: list[JsonValue] = [said(1, 1, 0), said(1, 3, 1), said(1, 6, 1), said(2, 9, 0), said(3, 12, 0)]
    dialog.append(said(3, 14, 1))
    trace: JsonObject = {"type": "agent_trace", "body": {"session": {"entries": entries}}}

    turns = read_transcript({"dialog": dialog, "analysis": [trace]}, with_tools=True)

    assert [[use.name for use in turn.tools] for turn in turns] == [
        [],  # the prompt
        ["tool2", "tool4", "tool5"],  # before the agent's first words, and after them
        ["tool8"],
        ["tool10"],  # a prompt that the agent answered by calls alone
        [],
        ["tool13", "tool15"],  # before its words; and of an exchange without a word
    ]
