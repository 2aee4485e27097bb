"""Calls whose words, speakers and times are known, as chats and as recordings with a transcript."""

from datetime import UTC, datetime, timedelta

from vcontract.runtime.frame.documents.json import JsonObject

BEGAN = datetime(2026, 11, 2, 9, tzinfo=UTC)
PARTIES = [{"name": "Ann Lee", "role": "agent"}, {"name": "Bob Ray", "role": "customer"}]
Line = tuple[int, int, int, str]
DISCLOSED: Line = (0, 0, 5, "Hello, this call is recorded.")


def chat(subject: str, lines: list[Line]) -> JsonObject:
    return {
        **_head(subject),
        "dialog": [
            {
                "type": "text",
                "start": (BEGAN + timedelta(seconds=at)).isoformat(),
                "duration": seconds,
                "parties": [who, 1 - who],
                "originator": who,
                "body": words,
                "encoding": "none",
            }
            for who, at, seconds, words in lines
        ],
    }


def recording(subject: str, body: JsonObject | None, **dialog: object) -> JsonObject:
    analysis = {"type": "transcript", "dialog": 0, "vendor": "ear", "encoding": "json", "body": body}
    return {
        **_head(subject),
        "dialog": [{"type": "recording", "parties": [0, 1], "url": "https://calls.example/1.wav", **dialog}],
        "analysis": [] if body is None else [analysis],
    }


def _head(subject: str) -> JsonObject:
    return {"vcon": "0.4.0", "subject": subject, "created_at": BEGAN.isoformat(), "parties": PARTIES}


def segments(*lines: Line, timed: bool = True, named: bool = True) -> JsonObject:
    return {
        "segments": [
            {
                **({"speaker": PARTIES[who]["name"]} if named else {"speaker": who}),
                **({"start": at, "end": at + seconds} if timed else {}),
                "text": words,
            }
            for who, at, seconds, words in lines
        ]
    }
