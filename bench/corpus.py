"""A synthetic corpus: believable vCons, the same for the same seed, with common words and rare ones."""

import math
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from vcontract.runtime.frame.documents.json import JsonObject

FIRST_CONVERSATION = datetime(2024, 1, 1, 8, tzinfo=UTC)
BETWEEN_CONVERSATIONS = timedelta(minutes=7)
YEARS = timedelta(days=5 * 365)
GOLDEN_RATIO = (math.sqrt(5) - 1) / 2
"""Its multiples, without their whole part, are spread evenly however many there are."""

VOCABULARY_SIZE = 60_000
ZIPF_OFFSET = 13
ZIPF_EXPONENT = 1.46
"""The word of rank r is as frequent as 1 / (r + offset) ** exponent, as in recorded meetings."""
TOPIC_WORDS = 20
TOPIC_SHARE = 0.05
"""Words that belong to a conversation, and their share of its words: what is rare elsewhere recurs there."""
COMMON_RANKS = 100
"""Words that belong to no topic."""

COMMON_WORDS = """
the you to and i a that it is of for we can in have on this your be with my not but was so at do what they
are if just will me there as one would all from know get like now then when up how about out right going time
see back think more been call could some an were okay need them also did yes no want our day here good let
order sure account thank please help number week two make take still send only after over said before same
much last other first than these any who where which something problem today system really check sorry price
try pay name next three phone great month look might working work done through another bill into change its
way new show part done again because email address question delivery line down since customer service team
give put thing start long find line old five hour tomorrow believe actually each talk never read line open
plan offer car bike repair refund discount invoice battery warranty password router contract policy claim
appointment shipment damaged missing replacement upgrade renewal cancel schedule confirm update transfer
estimate deposit insurance medical prescription password printer screen keyboard software license meeting
budget forecast quarter release deadline supplier warehouse inventory pallet forklift apartment landlord
""".split()

SYLLABLES = """
ba be bi bo bra bre ca ce cla co cru da de di dor dra el en fa fi flo fra ga gen gra ha hel in ja ka ke kin
la le li lo lu ma me mi mon na ne nor o pa pe pla po pra qua ra re ri ro sa se shi sol sta ta te ti tor tra
u va ve vi vor wa we win xe ya ze zi zo
""".split()

GIVEN_NAMES = """
Ada Amir Anna Bao Carla Chen Dario Devi Elif Emma Farid Felix Grace Hana Hugo Ines Ivan Jonas Julia Kofi Lara
Leo Lina Marco Maya Mina Nadia Nils Omar Paula Priya Quinn Rosa Samir Sofia Tariq Uma Vera Walt Yuki Zoe
""".split()
FAMILY_NAMES = """
Abbott Adler Baker Bauer Castillo Cole Dorsey Duarte Eriksen Fisher Garcia Haddad Hughes Ito Jensen Kaya Kim
Lang Lopez Mensah Moreau Nguyen Novak Okafor Olsen Patel Pratt Quist Rossi Sato Silva Tanaka Torres Ueda Varga
Weber Wong Yilmaz Young Zhang
""".split()
DEALERS = [f"{word} Motors" for word in "Northgate Lakeside Iron Gray Summit Harbor Valley Prairie".split()]

TAGS: dict[str, list[str]] = {
    "department": ["sales", "support", "billing", "service", "retention", "claims"],
    "priority": ["low", "normal", "high", "urgent"],
    "language": ["en", "en", "en", "en", "es", "fr"],
    "outcome": ["resolved", "callback", "escalated", "lost"],
}

SHARES = {"eighth": 8, "hundredth": 100, "thousandth": 1_000}
"""Tags that each keep so much of the corpus, whatever its size."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of conversation: the least and the most of turns and of speakers, and the words of a turn."""

    turns: tuple[int, int]
    words: float
    """The median; the logarithm of the number of words is distributed normally."""
    spread: float
    """Its standard deviation."""
    speakers: tuple[int, int] = (2, 2)


SHORT = Kind(turns=(4, 14), words=20, spread=0.6)
CALL = Kind(turns=(10, 40), words=14, spread=0.8, speakers=(2, 3))
CHAT = Kind(turns=(5, 60), words=9, spread=0.8, speakers=(2, 6))
MEETING = Kind(turns=(300, 1_000), words=5, spread=1.43, speakers=(3, 12))
THREAD = Kind(turns=(10_000, 10_000), words=9, spread=0.8, speakers=(20, 40))
THREAD_EVERY = 5_000
MAX_WORDS = 600
"""Of a turn."""
MAX_SENTENCE = 20


class Corpus:
    """vCons by number: number 17 is the same vCon whatever the corpus' size.

    All are short talks of two; or, as in life, calls, chats, meetings and a few threads, over years.
    """

    def __init__(self, seed: int = 1, *, as_in_life: bool = False) -> None:
        self._seed = seed
        self._as_in_life = as_in_life
        self.vocabulary = _vocabulary(random.Random(seed))  # noqa: S311  (not for secrets)
        """Words by rank, the most common first."""
        weights = [(rank + ZIPF_OFFSET) ** -ZIPF_EXPONENT for rank in range(len(self.vocabulary))]
        self._weights = list(accumulate(weights))
        self._topic_weights = list(accumulate(weights[COMMON_RANKS:]))

    def vcons(self, start: int, end: int) -> Iterator[JsonObject]:
        """The vCons numbered from `start` up to, without, `end`."""
        return (self.vcon(number) for number in range(start, end))

    def kind(self, number: int) -> Kind:
        """What kind of conversation the vCon of this number is."""
        if not self._as_in_life:
            return SHORT
        if number % THREAD_EVERY == THREAD_EVERY // 10:
            return THREAD
        share = random.Random(f"kind:{self._seed}:{number}").random()  # noqa: S311
        return CALL if share < 0.1 else MEETING if share < 0.15 else CHAT

    def vcon(self, number: int) -> JsonObject:
        """The vCon of this number: a conversation with a summary, tags and sometimes a dealer."""
        chance = random.Random(f"{self._seed}:{number}")  # noqa: S311
        kind, begin = self.kind(number), self._begin(number)
        topic = chance.choices(self.vocabulary[COMMON_RANKS:], cum_weights=self._topic_weights, k=TOPIC_WORDS)
        customer, *others = (
            _person(chance, "agent" if index else "customer")
            for index in range(chance.randint(*kind.speakers))
        )
        turns = [self._turn(chance, kind, topic) for _ in range(chance.randint(*kind.turns))]
        speakers = _speakers(chance, len(turns), 1 + len(others))
        summary = (
            f"{customer['name']} and {others[0]['name']}: {self._turn(chance, SHORT, topic)}"
            f" {self._turn(chance, SHORT, topic)}"
        )
        return {
            "vcon": "0.4.0",
            "uuid": str(_uuid(begin, chance)),
            "created_at": _text(begin),
            "subject": self._words(chance, chance.randint(3, 7), topic).capitalize(),
            "extensions": ["cc"],
            "parties": [customer, *others],
            "dialog": [
                {
                    "type": "text",
                    "start": _text(begin + timedelta(seconds=20 * index)),
                    "parties": [speaker, *(party for party in range(1 + len(others)) if party != speaker)],
                    "originator": speaker,
                    "mediatype": "text/plain",
                    "encoding": "none",
                    "body": turn,
                }
                for index, (speaker, turn) in enumerate(zip(speakers, turns, strict=True))
            ],
            "analysis": [
                {
                    "type": "summary",
                    "dialog": list(range(len(turns))),
                    "vendor": "bench",
                    "mediatype": "text/plain",
                    "encoding": "none",
                    "body": summary,
                }
            ],
            "attachments": [
                _attachment("tags", begin, _tags(chance, number)),
                *([_attachment("strolid_dealer", begin, _dealer(chance))] if chance.random() < 0.4 else []),
            ],
        }

    def word(self, rank: int) -> str:
        """The word of this rank; 0 is the most common one."""
        return self.vocabulary[rank]

    def _begin(self, number: int) -> datetime:
        if not self._as_in_life:
            return FIRST_CONVERSATION + number * BETWEEN_CONVERSATIONS
        return (FIRST_CONVERSATION - YEARS + number * GOLDEN_RATIO % 1 * YEARS).replace(microsecond=0)

    def _turn(self, chance: random.Random, kind: Kind, topic: list[str]) -> str:
        left = min(max(round(chance.lognormvariate(math.log(kind.words), kind.spread)), 1), MAX_WORDS)
        sentences: list[str] = []
        while left > 0:
            count = min(left, chance.randint(3, MAX_SENTENCE))
            sentences.append(self._words(chance, count, topic).capitalize())
            left -= count
        return ". ".join(sentences) + "."

    def _words(self, chance: random.Random, count: int, topic: list[str]) -> str:
        words = chance.choices(self.vocabulary, cum_weights=self._weights, k=count)
        return " ".join(chance.choice(topic) if chance.random() < TOPIC_SHARE else word for word in words)


def _speakers(chance: random.Random, turns: int, parties: int) -> list[int]:
    """Who says each turn: nobody two in a row, and the first ones more often than the last."""
    speakers: list[int] = []
    for _ in range(turns):
        last = speakers[-1] if speakers else parties
        others = [party for party in range(min(parties, 40)) if party != last]
        speakers.append(others[int(len(others) * chance.random() ** 2)])
    return speakers


def _vocabulary(chance: random.Random) -> list[str]:
    words = dict.fromkeys(COMMON_WORDS)
    while len(words) < VOCABULARY_SIZE:
        words["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))] = None
    return list(words)


def _person(chance: random.Random, role: str) -> JsonObject:
    given, family = chance.choice(GIVEN_NAMES), chance.choice(FAMILY_NAMES)
    return {
        "tel": f"tel:+1-{chance.randint(201, 989)}-555-{chance.randint(100, 9999):04}",
        "mailto": f"{given}.{family}@example.com".lower(),
        "name": f"{given} {family}",
        "validation": "none",
        "role": role,
    }


def _tags(chance: random.Random, number: int) -> list[str]:
    chosen = [f"{key}:{chance.choice(values)}" for key, values in TAGS.items()]
    shares = [f"{name}:{number % parts}" for name, parts in SHARES.items()]
    return [*chosen, f"customer_id:C-{chance.randint(1, 1 + number // 3):05}", *shares]


def _dealer(chance: random.Random) -> JsonObject:
    index = chance.randrange(len(DEALERS))
    return {
        "id": 800 + index,
        "name": DEALERS[index],
        "team": {"id": index // 4, "name": f"Team {index // 4}"},
    }


def _attachment(purpose: str, begin: datetime, body: JsonObject | list[str]) -> JsonObject:
    return {
        "purpose": purpose,
        "start": _text(begin),
        "party": 1,
        "dialog": 0,
        "mediatype": "application/json",
        "encoding": "json",
        "body": body,
    }


def _uuid(begin: datetime, chance: random.Random) -> uuid.UUID:
    """A version 7 UUID of `begin`, its random bits from `chance`."""
    milliseconds = int(begin.timestamp() * 1000)
    return uuid.UUID(
        int=milliseconds << 80
        | 0x7 << 76
        | chance.getrandbits(12) << 64
        | 0b10 << 62
        | chance.getrandbits(62)
    )


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
