"""Twenty vCons of 0.5.0, written after the draft: calls, transfers, meetings, chats, mail, failed calls."""

from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject

_DAY: Final = "2026-11-02T09:"
_PEOPLE: Final[list[JsonObject]] = [
    {"name": "Hugh Alvarez", "tel": "tel:+15550100001", "role": "customer"},
    {"name": "Sofia Lindqvist", "mailto": "sofia@support.example", "role": "agent"},
    {"name": "Bashir Haddad", "sip": "sip:bashir@support.example", "role": "supervisor"},
    {"name": "anonymous"},
]


def at(minute: int, second: int = 0) -> str:
    return f"{_DAY}{minute:02}:{second:02}Z"


def recording(minute: int, parties: list[int], seconds: int = 60, **members: object) -> JsonObject:
    return {
        "type": "recording",
        "start": at(minute),
        "duration": seconds,
        "parties": parties,
        "mediatype": "audio/x-wav",
        "url": f"https://recordings.example/{minute}.wav",
        "content_hash": "sha512-" + "A" * 86,
        **members,
    }


def text(minute: int, parties: list[int], body: str, **members: object) -> JsonObject:
    content = {"body": body, "encoding": "none", "mediatype": "text/plain"}
    return {
        "type": "text",
        "start": at(minute),
        "parties": parties,
        "originator": parties[0],
        **content,
        **members,
    }


def incomplete(minute: int, parties: list[int], disposition: str) -> JsonObject:
    return {"type": "incomplete", "start": at(minute), "parties": parties, "disposition": disposition}


def session(minute: int, parties: list[int], dialog: list[int], **members: object) -> JsonObject:
    return {"start": at(minute), "parties": parties, "dialog": dialog, **members}


def event(kind: str, minute: int, party: int, number: int = 0, **members: object) -> JsonObject:
    return {"type": kind, "time": at(minute, 30), "session": number, "party": party, **members}


def related(number: int, kind: str, **members: object) -> JsonObject:
    return {"session": number, "type": kind, **members}


_TO_BASHIR: Final[JsonObject] = {"transferee": 0, "transfer_target": 2}
_MEMBERS: Final[dict[str, JsonObject]] = {
    "a call": {
        "sessions": [session(0, [0, 1], [0], duration=60)],
        "dialog": [recording(0, [0, 1], originator=0, session_id={"local": "a", "remote": "b"})],
    },
    "a call with a hold": {
        "sessions": [session(0, [0, 1], [0], duration=180)],
        "dialog": [recording(0, [0, 1], 180)],
        "events": [
            event("join", 0, 0, dialog=0),
            event("hold", 1, 0, dialog=0),
            event("unhold", 2, 0, dialog=0),
            event("drop", 3, 0),
        ],
    },
    "a muted agent": {
        "sessions": [session(0, [0, 1], [0])],
        "dialog": [recording(0, [0, 1])],
        "events": [event("mute", 0, 1), event("unmute", 1, 1)],
    },
    "keys of a menu": {
        "sessions": [session(0, [0], [0])],
        "dialog": [recording(0, [0])],
        "events": [event("keydown", 0, 0, button="5"), event("keyup", 0, 0, button="5")],
    },
    "a blind transfer": {
        "sessions": [
            {"sessions": [related(1, "child"), related(2, "child")]},
            session(0, [0, 1], [0]),
            session(2, [0, 2], [1]),
        ],
        "dialog": [recording(0, [0, 1]), recording(2, [0, 2])],
        "events": [event("blind-transfer", 1, 1, 1, **_TO_BASHIR, target_session=2)],
        "analysis": [
            {"type": "summary", "vendor": "acme", "dialog": [0, 1], "body": "Moved on.", "encoding": "none"}
        ],
    },
    "a blind transfer that nobody answered": {
        "sessions": [session(0, [0, 1], [0]), session(2, [0, 2], [1])],
        "dialog": [recording(0, [0, 1]), incomplete(2, [0, 2], "no-answer")],
        "events": [event("blind-transfer", 1, 1, **_TO_BASHIR, target_session=1)],
    },
    "a consultative transfer": {
        "sessions": [session(0, [0, 1], [0]), session(1, [1, 2], [1]), session(3, [0, 2], [2])],
        "dialog": [recording(0, [0, 1], 180), recording(1, [1, 2]), recording(3, [0, 2])],
        "events": [
            event("hold", 0, 0),
            event("consultation-start", 1, 1, **_TO_BASHIR, consultation=1),
            event("consultative-transfer", 2, 1, **_TO_BASHIR, consultation=1, target_session=2),
        ],
        "attachments": [
            {
                "purpose": "note",
                "start": at(3),
                "party": 2,
                "dialog": 2,
                "body": "x",
                "encoding": "none",
                "mediatype": "text/plain",
            }
        ],
    },
    "a consultation of which nothing is known": {
        "sessions": [session(0, [0, 1], [0]), {}, {}],
        "dialog": [recording(0, [0, 1])],
        "events": [event("consultative-transfer", 1, 1, **_TO_BASHIR, consultation=1, target_session=2)],
    },
    "an abandoned transfer": {
        "sessions": [session(0, [0, 1], [0]), session(1, [1, 2], [1])],
        "dialog": [recording(0, [0, 1]), incomplete(1, [1, 2], "busy")],
        "events": [
            event("consultation-start", 1, 1, **_TO_BASHIR, consultation=1),
            event("transfer-abandoned", 2, 1, transferee=0, consultation=1),
        ],
    },
    "a transfer that was given up before its target was known": {
        "sessions": [session(0, [0, 1], [0])],
        "dialog": [recording(0, [0, 1])],
        "events": [event("transfer-abandoned", 1, 1, transferee=0)],
    },
    "two transfers, one after the other": {
        "sessions": [session(0, [0, 1], [0]), session(2, [0, 2], [1]), session(4, [0, 3], [2])],
        "dialog": [recording(0, [0, 1]), recording(2, [0, 2]), recording(4, [0, 3])],
        "events": [
            event("blind-transfer", 3, 2, 1, transferee=0, transfer_target=3, target_session=2),
            event("blind-transfer", 1, 1, **_TO_BASHIR, target_session=1),
        ],
    },
    "a conference with breakout sessions": {
        "sessions": [
            session(0, [0, 1, 2, 3], [0, 3], duration=1800),
            session(5, [0, 1], [1], sessions=[related(0, "breakout", description="room one")]),
            session(5, [2, 3], [2], sessions=[related(0, "breakout"), related(1, "peer")]),
        ],
        "dialog": [
            recording(0, [0, 1, 2, 3], 300),
            recording(5, [0, 1], 600),
            recording(5, [2, 3], 600),
            recording(15, [0, 1, 2, 3], 900),
        ],
    },
    "a silent supervisor": {
        "sessions": [
            {"sessions": [related(1, "child"), related(2, "child")]},
            session(0, [0, 1], [0, 1]),
            session(0, [0, 1, 2], [0, 1, 2]),
        ],
        "dialog": [recording(0, [0]), recording(1, [1]), recording(2, [2])],
        "events": [event("join", 0, 2, 2)],
    },
    "a recording of each stream": {
        "sessions": [session(0, [0, 1], [0, 1, 2])],
        "dialog": [
            recording(0, [0], recording_set=2),
            recording(0, [1], recording_set=2),
            {"type": "recording-set", "start": at(0), "parties": [0, 1], "recordings": [0, 1]},
        ],
    },
    "a chat": {
        "sessions": [session(0, [0, 1], [0, 1], duration=60)],
        "dialog": [text(0, [0, 1], "Is it open?"), text(1, [1, 0], "Until six.", application="webchat")],
    },
    "a chat before a call": {
        "sessions": [session(0, [0, 1], [0]), session(5, [0, 1], [1], sessions=[related(0, "precursor")])],
        "dialog": [text(0, [0, 1], "Please call me."), recording(5, [0, 1])],
    },
    "mail": {
        "sessions": [session(0, [0, 1, 2], [0, 1])],
        "dialog": [
            text(0, [0, 1], "When does it arrive?", message_id="<1@mail.example>"),
            text(9, [1, 0, 2], "On Monday.", message_id="<2@mail.example>"),
        ],
    },
    "a call that nobody answered": {
        "sessions": [session(0, [0, 1], [0])],
        "dialog": [incomplete(0, [0, 1], "no-answer")],
    },
    "a redacted call": {
        "redacted_from": {"uuid": "01928e10-193e-8231-b9a2-279e0d16bd00", "type": "names"},
        "sessions": [session(0, [0, 1], [0])],
        "dialog": [text(0, [0, 1], "I am [name].")],
    },
    "an amended call that only happened": {
        "amended_from": {"uuid": "01928e10-193e-8231-b9a2-279e0d16bd00"},
        "sessions": [{"start": at(0), "parties": [0, 1]}],
        "events": [event("join", 0, 0), event("join", 0, 1), event("drop", 1, 0)],
    },
}
CALLS: Final[dict[str, JsonObject]] = {
    name: {
        "vcon": "0.5.0",
        "uuid": f"01928e10-193e-8231-b9a2-279e0d16be{number:02}",
        "created_at": at(30),
        "subject": name.capitalize(),
        "parties": _PEOPLE,
        **members,
    }
    for number, (name, members) in enumerate(_MEMBERS.items())
}
