"""Calls whose truth is known: who said what when, holds, transfers, scores, who called again.

    python -m bench.known_calls FILE [--calls 2000] [--seed 1]

writes them as lines of JSON. The documents are made from the truth, which nothing reads back from them.
"""

import argparse
import random
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, dump_json

FIRST_DAY: Final = datetime(2026, 6, 1, tzinfo=UTC)
"""A Monday."""
WEEKS: Final = 8
DISCLOSURE: Final = "call is recorded"
MANAGER: Final = "speak to a manager"
CANCEL: Final = "cancel"
REFUND: Final = "refund"
COMPETITOR: Final = "Northstar Telecom"
NEVER: Final = "purple elephant"
"""A phrase that nobody says."""
SAYING: Final[dict[str, tuple[str, ...]]] = {
    DISCLOSURE: ("Hello, this call is recorded.", "Before we go on: the call is recorded for training."),
    MANAGER: ("I want to speak to a manager.", "Let me speak to a manager, please."),
    CANCEL: ("I am cancelling today.", "Then cancel it.", "It was to be cancelled in May."),
    REFUND: ("I am waiting for my refund.", "The refund is on its way."),
    COMPETITOR: ("At Northstar Telecom I pay half.", "Others go to Northstar Telecom."),
}
"""Sentences that say a phrase, and none of the others."""
ALMOST: Final = (
    "Is this a recorded call?",
    "The manager was here, I heard him speak.",
    "My northern star is on the telecom side.",
    "Speak slowly to us, a new one manages this.",
)
"""Sentences with words of phrases that say none."""
ABOUT: Final[dict[str, tuple[str, ...]]] = {
    "billing": (
        "The invoice of last month is too high.",
        "My bank was charged twice for one invoice.",
        "I see the payment and will correct the balance.",
    ),
    "sales": (
        "Which plan has more data for my tablet?",
        "The family plan costs less from next spring.",
        "I would add two phones to the plan.",
    ),
    "support": (
        "The router blinks red since the morning.",
        "Unplug the router and wait ten seconds.",
        "The picture freezes on my television box.",
    ),
    "outage": (
        "The storm tore the line off our roof.",
        "Our whole street lost its connection in the storm.",
        "A crew repairs the mast after the storm.",
    ),
}
"""Sentences of each department; the last one begins two weeks before the end."""
NEW_DEPARTMENT: Final = "outage"
SMALL_TALK: Final = ("Yes.", "One moment, please.", "All right, thank you.", "And then?", "Goodbye.")
AGENTS: Final = ("Ann Lee", "Ben Okafor", "Cleo Varga", "Dan Sato", "Eva Lindqvist", "Finn Moreau")
AGENT, CUSTOMER, SECOND = 0, 1, 2
"""Parties of a call by index."""
GAPS: Final = ("words", "second words", "times", "roles")
"""Parts that a document may lack: the transcript, that after a transfer, times of turns, roles."""
_GIVEN: Final = tuple("Ada Bao Carl Devi Emil Fay Gus Hana Ines Jon Kim Lou Mia Ned Ola Pia".split())
_FAMILY: Final = tuple("Adler Baker Cole Diaz Ebert Frank Gray Hill Ito Jones Klein Lopez Novak Ott".split())
_BETWEEN: Final = tuple(timedelta(days=days) for days in (0.2, 1, 2.5, 6.9, 7.1, 9, 16, 30))
"""Times between two calls of a customer; within seven days and beyond."""
_RINGS: Final = 5.0
"""Seconds between the recording before a transfer and that after it."""
_FIRST_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Line:
    """One turn."""

    who: int
    starts: float
    """Seconds from the start of the call; all times are whole halves."""
    seconds: float
    words: str
    says: str | None = None
    """Its phrase, a key of SAYING."""

    @property
    def ends(self) -> float:
        return self.starts + self.seconds


@dataclass(frozen=True, slots=True)
class Said:
    """A condition on what was said: phrases, who, and when."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    role: str | None = None
    name: str | None = None
    first: float | None = None
    last: float | None = None

    def filter(self) -> JsonObject:
        """It as tools take it."""
        phrases = {name: [*given] for name, given in (("any", self.any), ("all", self.all)) if given}
        by = {name: given for name, given in (("role", self.role), ("name", self.name)) if given is not None}
        times = {"first_seconds": self.first, "last_seconds": self.last}
        within = {name: given for name, given in times.items() if given is not None}
        return phrases | ({"by": by} if by else {}) | ({"within": within} if within else {})


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call as it was. `gap` names what its document leaves out."""

    number: int
    began: datetime
    customer: int
    agents: tuple[str, ...]
    """One, or two with a transfer."""
    department: str
    lines: tuple[Line, ...]
    parts: tuple[tuple[float, float], ...]
    """Start and end of each recording, in seconds: one, or two with a transfer. A chat has none."""
    holds: tuple[tuple[float, float], ...] = ()
    gap: str | None = None
    is_chat: bool = False
    """Each line is a dialog."""
    csat: int | None = None
    sentiment: float | None = None
    is_withheld: bool = False
    """Whether the customer denied analysis."""
    names_customer: str = field(default="", compare=False)

    @property
    def uuid(self) -> str:
        milliseconds = int(self.began.timestamp() * 1000)
        return str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | 0b10 << 62 | self.number))

    @property
    def week(self) -> datetime:
        """The Monday on which its week begins."""
        return (self.began - timedelta(days=self.began.weekday())).replace(
            hour=0, minute=0, second=0, microsecond=0
        )

    @property
    def ends(self) -> float:
        """Seconds from its start to its end."""
        spoken = max(line.ends for line in self.lines)
        return spoken if self.is_chat else max(self.parts[-1][1], spoken)

    @property
    def has_events(self) -> bool:
        """Whether its document is of 0.5.0."""
        return self.number % 2 == 0

    def role_of(self, who: int) -> str:
        return "customer" if who == CUSTOMER else "agent"

    def name_of(self, who: int) -> str:
        return self.names_customer if who == CUSTOMER else self.agents[0 if who == AGENT else 1]

    def written(self) -> Sequence[Line]:
        """Lines whose words its document has."""
        if self.gap == "words":
            return ()
        if self.gap == "second words":
            return [line for line in self.lines if line.starts < self.parts[0][1]]
        return self.lines

    @property
    def has_lengths(self) -> bool:
        """Whether its document has all turns and their lengths."""
        return self.gap is None or self.gap == "roles"

    def talk(self, *who: int) -> float:
        """Seconds of all turns, or of those of some parties."""
        return sum(line.seconds for line in self.lines if not who or line.who in who)

    def measure(self, name: str) -> float | None:
        """A measure of its document as vcon_aggregate names it; None if unknown."""
        match name:
            case "handle_seconds":
                return self.ends
            case "hold_seconds" | "transfers":
                if not (self.has_events or self.holds or len(self.parts) > 1):
                    return None
                is_hold = name == "hold_seconds"
                return sum(ends - starts for starts, ends in self.holds) if is_hold else len(self.parts) - 1
            case "tag:csat":
                return self.csat
            case "analysis:sentiment.score":
                return self.sentiment
            case _:
                return self._talk_measure(name) if self.has_lengths else None

    def _talk_measure(self, name: str) -> float:
        match name:
            case "talk_seconds":
                return self.talk()
            case "longest_turn_seconds":
                return max(line.seconds for line in self.lines)
            case "overlaps":
                return sum(
                    any(
                        other.who != line.who and other.starts <= line.starts < other.ends for other in before
                    )
                    for before, line in (
                        (self.lines[:number], line) for number, line in enumerate(self.lines)
                    )
                )
            case "silence_seconds":
                halves = {
                    half for line in self.lines for half in range(int(2 * line.starts), int(2 * line.ends))
                }
                return self.ends - len(halves) / 2
            case _:
                raise KeyError(name)

    def saying(self, said: Said, phrases: Collection[str]) -> list[Line]:
        """Lines that say one of the phrases, by whom and when the condition asks."""
        return [
            line
            for line in self.written()
            if line.says in phrases
            and (said.role is None or (self.gap != "roles" and self.role_of(line.who) == said.role))
            and (said.name is None or said.name.lower() in self.name_of(line.who).lower())
            and (said.first is None or (self.gap != "times" and line.starts < said.first))
            and (said.last is None or (self.gap != "times" and line.ends > self.ends - said.last))
        ]

    def said(self, said: Said) -> bool | None:
        """Whether it was said; None if the document leaves that unknown."""
        demands = [*([said.any] if said.any else []), *((phrase,) for phrase in said.all)]
        if all(self.saying(said, phrases) for phrases in demands):
            return True
        is_timed = said.first is not None or said.last is not None
        is_unknown = (
            self.gap in ("words", "second words")
            or (self.gap == "times" and is_timed)
            or (self.gap == "roles" and said.role is not None)
        )
        return None if is_unknown else False


@dataclass(frozen=True, slots=True)
class Center:
    """The calls, by time."""

    calls: tuple[KnownCall, ...]

    def those(self, meets: Callable[[KnownCall], bool]) -> "Center":
        """The calls that meet a condition."""
        return Center(tuple(call for call in self.calls if meets(call)))

    def counts(self, said: Said) -> tuple[int, int, int]:
        """How many say it, how many do not, and of how many that is unknown."""
        answers = [call.said(said) for call in self.calls]
        return answers.count(True), answers.count(False), answers.count(None)

    def before(self, call: KnownCall, within: timedelta) -> list[KnownCall]:
        """Earlier calls of the same customer that began within this time before."""
        return [
            other
            for other in self.calls
            if other.customer == call.customer and timedelta(0) < call.began - other.began <= within
        ]

    def documents(self) -> list[JsonObject]:
        """The vCons of the calls."""
        return [_document(call) for call in self.calls]


def known_calls(count: int, seed: int = 1) -> Center:
    """Return `count` calls; the same for the same seed."""
    chance = random.Random(f"known calls:{seed}")  # noqa: S311  (not for secrets)
    times = _times(chance, count)
    return Center(tuple(_call(chance, number, *at) for number, at in enumerate(times)))


def _times(chance: random.Random, count: int) -> list[tuple[datetime, int]]:
    """When each call begins and who calls: most once, some again sooner or later."""
    found: list[tuple[datetime, int]] = []
    end = FIRST_DAY + timedelta(weeks=WEEKS)
    taken: set[datetime] = set()
    customer = 0
    while len(found) < count:
        at = FIRST_DAY + timedelta(minutes=chance.randrange(WEEKS * 7 * 24 * 60))
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
            while at in taken:
                at += timedelta(minutes=1)
            if at >= end or len(found) == count:
                break
            taken.add(at)
            found.append((at, customer))
            at = (at + chance.choice(_BETWEEN)).replace(second=0, microsecond=0)
        customer += 1
    return sorted(found)


def _call(chance: random.Random, number: int, began: datetime, customer: int) -> KnownCall:
    new_from = FIRST_DAY + timedelta(weeks=WEEKS - 2)
    departments = [name for name in ABOUT if name != NEW_DEPARTMENT or began >= new_from]
    department = chance.choice(departments)
    is_chat = chance.random() < 0.3
    is_transferred = not is_chat and chance.random() < 0.2
    agents = tuple(chance.sample(AGENTS, 2 if is_transferred else 1))
    holds = 0 if is_chat else chance.choice((0, 0, 0, 1, 1, 2))
    lines, held, parts = _talk(chance, department, holds, is_transferred=is_transferred)
    return KnownCall(
        number=number,
        began=began,
        customer=customer,
        agents=agents,
        department=department,
        lines=tuple(lines),
        parts=tuple(parts),
        holds=tuple(held),
        gap=_gap(chance, is_chat=is_chat, is_transferred=is_transferred),
        is_chat=is_chat,
        csat=chance.randint(1, 5) if chance.random() < 0.7 else None,
        sentiment=chance.randint(-8, 8) / 8 if chance.random() < 0.6 else None,
        is_withheld=chance.random() < 0.06,
        names_customer=_customer_name(customer),
    )


def _gap(chance: random.Random, *, is_chat: bool, is_transferred: bool) -> str | None:
    if is_transferred and chance.random() < 0.2:
        return "second words"
    if chance.random() > 0.2:
        return None
    if is_chat:
        return "roles"
    return chance.choice(("words", "times", "roles"))


def _talk(
    chance: random.Random, department: str, holds: int, *, is_transferred: bool
) -> tuple[list[Line], list[tuple[float, float]], list[tuple[float, float]]]:
    """Lines, holds and recordings of a call."""
    script = _script(chance, department)
    turns_of_holds = {*chance.sample(range(3, len(script) - 1), holds)}
    transfer = chance.randrange(4, len(script) - 1) if is_transferred else len(script)
    lines: list[Line] = []
    held: list[tuple[float, float]] = []
    at, agent, part_began = 0.0, AGENT, 0.0
    parts: list[tuple[float, float]] = []
    for turn, (who, words, says, earliest) in enumerate(script):
        if turn == transfer:
            parts.append((part_began, at + 1))
            at, agent = at + 1 + _RINGS, SECOND
            part_began = at
        elif turn in turns_of_holds:
            begins, lasts = at + 1, chance.randint(20, 240) / 2
            held.append((begins, begins + lasts))
            at = begins + lasts + 0.5
        elif lines:
            can_overlap = lines[-1].who != who and lines[-1].seconds > 2 and lines[-1].starts >= part_began
            at += chance.choice((-1.5 if can_overlap else 0.0, 0.0, 0.5, 0.5, 1.0, 4.0, 9.0))
        at = max(at, earliest)
        line = Line(agent if who == AGENT else who, at, chance.randint(2, 40) / 2, words, says)
        lines.append(line)
        at = line.ends
    parts.append((part_began, max(line.ends for line in lines) + chance.choice((0.0, 0.5, 6.0))))
    return lines, held, parts


def _script(chance: random.Random, department: str) -> list[tuple[int, str, str | None, float]]:
    """Who says what, the phrase that it says, and the second before which it does not begin."""
    script: list[tuple[int, str, str | None, float]] = []

    def add(who: int, says: str | None, earliest: float = 0.0) -> None:
        words = chance.choice(SAYING[says] if says else (*ABOUT[department], *ABOUT[department], *SMALL_TALK))
        script.append((who, words, says, earliest))

    disclosure = chance.choices(("first", "late", "never", "customer", "both"), (50, 15, 20, 5, 10))[0]
    add(AGENT, DISCLOSURE if disclosure in ("first", "both") else None)
    add(CUSTOMER, DISCLOSURE if disclosure in ("customer", "both") else None)
    for turn in range(chance.randint(4, 14)):
        who = chance.choice((CUSTOMER, AGENT)) if turn % 5 == 4 else (AGENT, CUSTOMER)[turn % 2]
        phrases = (MANAGER, CANCEL, REFUND) if who == CUSTOMER else (REFUND, COMPETITOR)
        add(who, chance.choice(phrases) if chance.random() < 0.25 else None)
        if chance.random() < 0.1:
            script.append((who, chance.choice(ALMOST), None, 0.0))
    if disclosure == "late":
        add(AGENT, DISCLOSURE, _FIRST_SECONDS)
    add(CUSTOMER, CANCEL if chance.random() < 0.1 else None)
    return script


def _customer_name(customer: int) -> str:
    """Names repeat, numbers do not."""
    return f"{_GIVEN[customer % len(_GIVEN)]} {_FAMILY[customer % len(_FAMILY)]}"


def _document(call: KnownCall) -> JsonObject:
    parties = [_agent(call.agents[0]), _customer(call), *map(_agent, call.agents[1:])]
    if call.gap == "roles":
        parties = [{name: value for name, value in party.items() if name != "role"} for party in parties]
    dialogs = _chat(call) if call.is_chat else _recordings(call)
    tags = [f"department:{call.department}", *([] if call.csat is None else [f"csat:{call.csat}"])]
    document: JsonObject = {
        "vcon": "0.5.0" if call.has_events else "0.4.0",
        "uuid": call.uuid,
        "created_at": _at(call, call.ends + 30),
        "subject": f"Call {call.number}",
        "parties": parties,
        "dialog": dialogs,
        "analysis": [*_transcripts(call), *_sentiment(call)],
        "attachments": [_attachment(call, "tags", tags), *_denial(call)],
    }
    if call.has_events:
        document["sessions"] = [
            {"start": _at(call, 0), "parties": [*range(len(parties))], "dialog": [*range(len(dialogs))]}
        ]
        document["events"] = _events(call)
    return document


def _agent(name: str) -> JsonObject:
    return {"name": name, "mailto": f"{name.replace(' ', '.').lower()}@center.example", "role": "agent"}


def _customer(call: KnownCall) -> JsonObject:
    """With a number, written in one of several ways, or an address."""
    person: JsonObject = {"name": call.names_customer, "role": "customer"}
    if call.customer % 8 == 7:
        return {**person, "mailto": f"caller.{call.customer}@mail.example"}
    line = f"{2_000_000 + call.customer * 37:07}"
    ways = (f"+1212{line}", f"tel:+1212{line}", f"+1 212-{line[:3]}-{line[3:]}")
    return {**person, "tel": ways[call.number % len(ways)]}


def _chat(call: KnownCall) -> list[JsonObject]:
    return [
        {
            "type": "text",
            "start": _at(call, line.starts),
            "duration": line.seconds,
            "parties": [line.who, 1 - line.who],
            "originator": line.who,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": line.words,
        }
        for line in call.lines
    ]


def _recordings(call: KnownCall) -> list[JsonObject]:
    """A recording, or before 0.5.0 also the transfer between two."""
    dialogs: list[JsonObject] = []
    for part, (starts, ends) in enumerate(call.parts):
        if part and not call.has_events:
            dialogs.append(
                {
                    "type": "transfer",
                    "start": _at(call, starts - _RINGS),
                    "transferee": CUSTOMER,
                    "transferor": AGENT,
                    "transfer_target": SECOND,
                    "original": 0,
                    "target_dialog": 2,
                }
            )
        recording: JsonObject = {
            "type": "recording",
            "start": _at(call, starts),
            "duration": ends - starts,
            "parties": [SECOND if part else AGENT, CUSTOMER],
            "mediatype": "audio/x-wav",
            "url": f"https://recordings.example/{call.number}-{part}.wav",
            "content_hash": "sha512-" + "A" * 86,
        }
        history = [
            {"party": CUSTOMER, "event": kind, "time": _at(call, at)}
            for hold in call.holds
            for kind, at in zip(("hold", "unhold"), hold, strict=True)
            if starts <= at <= ends
        ]
        if history and not call.has_events:
            recording["party_history"] = history
        dialogs.append(recording)
    return dialogs


def _events(call: KnownCall) -> list[JsonObject]:
    events: list[JsonObject] = [
        {"type": kind, "time": _at(call, at), "session": 0, "party": CUSTOMER}
        for hold in call.holds
        for kind, at in zip(("hold", "unhold"), hold, strict=True)
    ]
    if len(call.parts) > 1:
        transfer = {"transferee": CUSTOMER, "transfer_target": SECOND, "target_session": 0}
        time = _at(call, call.parts[0][1])
        events.append({"type": "blind-transfer", "time": time, "session": 0, "party": AGENT, **transfer})
    return sorted(events, key=lambda event: str(event["time"]))


def _transcripts(call: KnownCall) -> list[JsonObject]:
    """For each recording with words, in one of two forms."""
    if call.is_chat or call.gap == "words":
        return []
    found: list[JsonObject] = []
    for part, (starts, ends) in enumerate(call.parts):
        if part and call.gap == "second words":
            break
        segments = [
            {
                "speaker": call.name_of(line.who),
                "text": line.words,
                **({} if call.gap == "times" else {"start": line.starts - starts, "end": line.ends - starts}),
            }
            for line in call.lines
            if starts <= line.starts < ends
        ]
        dialog = part if call.has_events else 2 * part
        body: JsonObject | list[JsonObject] = {"segments": segments} if call.number % 3 else segments
        found.append(_analysis("transcript", dialog, body))
    return found


def _sentiment(call: KnownCall) -> list[JsonObject]:
    return [] if call.sentiment is None else [_analysis("sentiment", 0, {"score": call.sentiment})]


def _denial(call: KnownCall) -> list[JsonObject]:
    if not call.is_withheld:
        return []
    consents = [{"purpose": "analysis", "status": "denied"}]
    said = {"expiration": None, "party": CUSTOMER, "dialog": 0, "consents": consents}
    return [_attachment(call, "consent", said) | {"type": "consent", "party": CUSTOMER}]


def _analysis(kind: str, dialog: int, body: object) -> JsonObject:
    return {
        "type": kind,
        "dialog": dialog,
        "vendor": "ear",
        "mediatype": "application/json",
        "encoding": "json",
        "body": body,
    }


def _attachment(call: KnownCall, purpose: str, body: object) -> JsonObject:
    return {
        "purpose": purpose,
        "start": _at(call, 0),
        "party": AGENT,
        "dialog": 0,
        "mediatype": "application/json",
        "encoding": "json",
        "body": body,
    }


def _at(call: KnownCall, seconds: float) -> str:
    return (call.began + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def main() -> None:
    """Write the calls."""
    parser = argparse.ArgumentParser(prog="python -m bench.known_calls", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="JSON Lines, one vCon a line")
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    documents = known_calls(given.calls, given.seed).documents()
    given.file.write_bytes(b"".join(dump_json(document) + b"\n" for document in documents))


if __name__ == "__main__":
    main()
