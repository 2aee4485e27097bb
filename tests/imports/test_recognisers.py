"""Speech recognition as its services write it: variants beside the examples of spec/formats."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.imports.test_programs import come_in, said
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.imports.programs.conversation import About, ObjectFormat
from vcontract.runtime.imports.programs.format_registry import FORMATS

Turns = list[tuple[str, str]]


def words(*said: tuple[float, str], text: str = "word", **more: JsonValue) -> list[JsonValue]:
    return [{text: word, "start": at, "end": at + 0.4, **more} for at, word in said]


def item(at: float, word: str, **more: JsonValue) -> JsonObject:
    times: JsonObject = {"start_time": str(at), "end_time": str(at + 0.4), "type": "pronunciation"}
    return {**times, "alternatives": [{"confidence": "0.9", "content": word}], **more}


def segment(at: float, end: float, speaker: str) -> JsonObject:
    return {"start_time": str(at), "end_time": str(end), "speaker_label": speaker, "items": []}


def aws(items: list[JsonValue], segments: list[JsonValue], **more: JsonValue) -> JsonObject:
    labels: JsonObject = {"speakers": 2, "segments": segments}
    return {"jobName": "j", "results": {"transcripts": [], "items": items, "speaker_labels": labels, **more}}


DEEPGRAM: Final[JsonObject] = {"request_id": "r", "created": "2024-03-05T10:00:00Z"}

CASES: Final[dict[str, tuple[JsonValue, Turns]]] = {
    "Amazon: segments without items, two people in turn": (
        aws(
            [item(0.5, "Hello"), item(0.9, "there"), item(1.4, "Hi"), item(1.9, "Well")],
            [segment(0.5, 1.3, "spk_0"), segment(1.4, 1.8, "spk_1"), segment(1.9, 2.3, "spk_0")],
        ),
        [("spk_0", "Hello there"), ("spk_1", "Hi"), ("spk_0", "Well")],
    ),
    "Amazon: audio segments of channels": (
        aws(
            [],
            [],
            audio_segments=[
                {"transcript": "Hi.", "start_time": "0.5", "end_time": "0.9", "channel_label": "ch_0"},
                {"transcript": "Yes.", "start_time": "3.5", "end_time": "3.9", "channel_label": "ch_1"},
            ],
        ),
        [("ch_0", "Hi."), ("ch_1", "Yes.")],
    ),
    "Deepgram: a speaker 0 on each of two channels": (
        {
            "metadata": DEEPGRAM,
            "results": {
                "channels": [
                    {"alternatives": [{"words": words((0.5, "Hello"), speaker=0)}]},
                    {"alternatives": [{"words": words((3.5, "Hi"), speaker=0)}]},
                ]
            },
        },
        [("Speaker 0", "Hello"), ("Speaker 1", "Hi")],
    ),
    "Deepgram: two speakers on each of two channels": (
        {
            "metadata": DEEPGRAM,
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {"words": [*words((0.5, "A"), speaker=0), *words((3.5, "B"), speaker=1)]}
                        ]
                    },
                    {
                        "alternatives": [
                            {"words": [*words((6.5, "C"), speaker=0), *words((9.5, "D"), speaker=1)]}
                        ]
                    },
                ]
            },
        },
        [
            ("Channel 0, speaker 0", "A"),
            ("Channel 0, speaker 1", "B"),
            ("Channel 1, speaker 0", "C"),
            ("Channel 1, speaker 1", "D"),
        ],
    ),
    "Deepgram: paragraphs only": (
        {
            "metadata": DEEPGRAM,
            "results": {
                "channels": [
                    {
                        "alternatives": [
                            {
                                "transcript": "Hello there. Hi.",
                                "paragraphs": {
                                    "paragraphs": [
                                        {
                                            "speaker": 0,
                                            "sentences": words((0.5, "Hello there."), text="text"),
                                        },
                                        {"speaker": 1, "sentences": words((3.5, "Hi."), text="text")},
                                    ]
                                },
                            }
                        ]
                    }
                ]
            },
        },
        [("Speaker 0", "Hello there."), ("Speaker 1", "Hi.")],
    ),
    "Deepgram: a transcript only": (
        {"metadata": DEEPGRAM, "results": {"channels": [{"alternatives": [{"transcript": "Hello there."}]}]}},
        [("Speaker", "Hello there.")],
    ),
    "AssemblyAI: words of two channels": (
        {
            "audio_url": "a",
            "status": "completed",
            "utterances": None,
            "words": [
                {"text": "Hello", "start": 0, "end": 400, "channel": "1"},
                {"text": "Hi", "start": 3000, "end": 3400, "channel": "2"},
            ],
        },
        [("Speaker 1", "Hello"), ("Speaker 2", "Hi")],
    ),
    "Google: Python's names": (
        {
            "results": [
                {
                    "alternatives": [
                        {
                            "words": [
                                {"word": "hi", "start_time": "0.5s", "end_time": "0.9s", "speaker_tag": 1},
                                {"word": "yes", "start_time": "1.5s", "end_time": "1.9s", "speaker_tag": 2},
                            ],
                            "transcript": "hi yes",
                        }
                    ]
                }
            ]
        },
        [("Speaker 1", "hi"), ("Speaker 2", "yes")],
    ),
    "Google: earlier results have tag 0": (
        {
            "results": [
                {"alternatives": [{"transcript": "hi", "words": [{"word": "hi", "speakerTag": 0}]}]},
                {
                    "alternatives": [
                        {
                            "words": [
                                {"word": "hi", "startTime": "0s", "endTime": "0.4s", "speakerTag": 2},
                                {"word": "yes", "startTime": "1s", "endTime": "1.4s", "speakerTag": 1},
                            ]
                        }
                    ]
                },
            ]
        },
        [("Speaker 2", "hi"), ("Speaker 1", "yes")],
    ),
    "Azure: combined phrases of fast transcription": (
        {
            "durationMilliseconds": 9,
            "combinedPhrases": [{"channel": 0, "text": "A"}, {"channel": 1, "text": "B"}],
        },
        [("Speaker 0", "A"), ("Speaker 1", "B")],
    ),
    "WhisperX: the words of a segment without blanks": (
        {
            "segments": [
                {
                    "start": 0.0,
                    "end": 2.4,
                    "text": "你好再见",
                    "speaker": "SPEAKER_00",
                    "words": [
                        *words((0.0, "你"), (0.4, "好"), speaker="SPEAKER_00"),
                        *words((1.6, "再"), (2.0, "见"), speaker="SPEAKER_01"),
                    ],
                }
            ]
        },
        [("SPEAKER_00", "你好"), ("SPEAKER_01", "再见")],
    ),
    "whisper.cpp: stereo": (
        {
            "transcription": [
                {"offsets": {"from": 0, "to": 900}, "text": " Hello.", "speaker": "0"},
                {"offsets": {"from": 1500, "to": 1900}, "text": " Hi.", "speaker": "1"},
            ]
        },
        [("Speaker 0", "Hello."), ("Speaker 1", "Hi.")],
    ),
    "faster-whisper: the list of its segments": (
        [
            {"id": 1, "seek": 0, "start": 0.0, "end": 0.9, "text": " Hello.", "avg_logprob": -0.2},
            {"id": 2, "seek": 0, "start": 4.0, "end": 4.9, "text": " Bye.", "avg_logprob": -0.2},
        ],
        [("Speaker", "Hello."), ("Speaker", "Bye.")],
    ),
    "ElevenLabs: an event, and no blanks in Chinese": (
        {
            "language_code": "zh",
            "words": [
                *words((0.5, "你"), (0.9, "好"), text="text", type="word", speaker_id="speaker_0"),
                *words((1.3, "(laughter)"), text="text", type="audio_event", speaker_id="speaker_1"),
            ],
        },
        [("speaker_0", "你好"), ("speaker_1", "(laughter)")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_speech_is_said_by_whom_the_service_recognised(name: str, tmp_path: Path) -> None:
    document, turns = CASES[name]
    path = tmp_path / "2024-03-05.json"
    path.write_text(json.dumps(document))

    vcons, problems = come_in(path)

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [turns]


BESIDE: Final[dict[str, tuple[JsonValue, Turns, str]]] = {
    "Deepgram: another alternative": (
        {
            "metadata": DEEPGRAM,
            "results": {
                "channels": [{"alternatives": [{"transcript": "My order"}, {"transcript": "My border"}]}],
            },
        },
        [("Speaker", "My order")],
        "My border",
    ),
    "Deepgram: a summary": (
        {
            "metadata": DEEPGRAM,
            "results": {
                "channels": [{"alternatives": [{"transcript": "My order"}]}],
                "summary": {"short": "It is late."},
            },
        },
        [("Speaker", "My order")],
        "It is late.",
    ),
    "Amazon: another alternative": (
        {
            "jobName": "j",
            "results": {
                "transcripts": [{"transcript": "order"}],
                "items": [item(0.5, "order")],
                "segments": [{"alternatives": [{"transcript": "order"}, {"transcript": "border"}]}],
            },
        },
        [("Speaker", "order")],
        "border",
    ),
    "Google: another alternative of a channel": (
        {
            "results": [
                {
                    "alternatives": [{"transcript": "my order"}, {"transcript": "my border"}],
                    "channelTag": 1,
                    "resultEndTime": "3s",
                }
            ]
        },
        [("Speaker 1", "my order")],
        "my border",
    ),
    "Vosk: alternatives": (
        [
            {
                "alternatives": [
                    {
                        "text": "my order",
                        "confidence": 2,
                        "result": words((0.5, "my"), (0.9, "order"), text="word"),
                    },
                    {"text": "my border", "confidence": 1},
                ]
            }
        ],
        [("Speaker", "my order")],
        "my border",
    ),
    "Speechmatics: a speaker 1 on each of two channels": (
        {
            "job": {"id": "j", "created_at": "2024-03-05T10:00:00Z"},
            "results": [
                {
                    "alternatives": [{"content": text, "speaker": "S1", "language": "en"}],
                    "type": "word",
                    "channel": channel,
                    "start_time": begin,
                    "end_time": begin + 0.3,
                }
                for text, channel, begin in (("Hello", "Agent", 0.5), ("Hi", "Customer", 4.5))
            ],
            "summary": {"content": "They greet."},
        },
        [("Agent S1", "Hello"), ("Customer S1", "Hi")],
        "They greet.",
    ),
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_a_service_has_beside_its_best_words_is_kept(name: str, tmp_path: Path) -> None:
    document, turns, beside = BESIDE[name]
    path = tmp_path / "call_2024-03-05.json"
    path.write_text(json.dumps(document))

    (vcon,), problems = come_in(path)

    assert problems == []
    assert said(vcon) == turns
    assert beside in json.dumps(vcon)


def test_an_import_reports_speakers_that_a_file_declares_and_that_say_nothing() -> None:
    document = aws([item(0.5, "Hello"), item(0.9, "there")], [segment(0.5, 1.3, "spk_0")])
    source = next(each for each in FORMATS if each.name == "aws-transcribe")
    assert isinstance(source, ObjectFormat)

    conversation = source.read(document, About("a", datetime(2024, 3, 5, tzinfo=UTC)))

    assert conversation.account.notices == {
        "fewer_speakers": "The file declares 2 speakers, but its words are those of 1."
    }
