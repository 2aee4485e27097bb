"""A synthetic corpus: believable vCons, the same for the same seed, with common words and rare ones."""

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from vcontract.runtime.documents.json import JsonObject

FIRST_CONVERSATION = datetime(2024, 1, 1, 8, tzinfo=UTC)
BETWEEN_CONVERSATIONS = timedelta(minutes=7)

VOCABULARY_SIZE = 20_000
ZIPF_OFFSET = 2.7
"""Frequency of the word of rank r is proportional to 1 / (r + this), as in spoken English."""

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

LEAST_TURNS, MOST_TURNS = 4, 14
LEAST_WORDS, MOST_WORDS = 5, 26


class Corpus:
    """vCons by number: number 17 is the same vCon whatever the corpus' size."""

    def __init__(self, seed: int = 1, turns: tuple[int, int] = (LEAST_TURNS, MOST_TURNS)) -> None:
        self._seed = seed
        self._turns = turns
        self.vocabulary = _vocabulary(random.Random(seed))  # noqa: S311  (not for secrets)
        """Words by rank, the most common first."""
        self._weights = list(accumulate(1 / (rank + ZIPF_OFFSET) for rank in range(len(self.vocabulary))))

    def vcons(self, start: int, end: int) -> Iterator[JsonObject]:
        """The vCons numbered from `start` up to, without, `end`."""
        return (self.vcon(number) for number in range(start, end))

    def vcon(self, number: int) -> JsonObject:
        """The vCon of this number: a conversation of two, with a summary, tags and sometimes a dealer."""
        chance = random.Random(f"{self._seed}:{number}")  # noqa: S311
        begin = FIRST_CONVERSATION + number * BETWEEN_CONVERSATIONS
        customer, agent = _person(chance, "customer"), _person(chance, "agent")
        turns = [self._turn(chance) for _ in range(chance.randint(*self._turns))]
        summary = f"{customer['name']} and {agent['name']}: {self._turn(chance)} {self._turn(chance)}"
        return {
            "vcon": "0.4.0",
            "uuid": str(_uuid(begin, chance)),
            "created_at": _text(begin),
            "subject": self._words(chance, chance.randint(3, 7)).capitalize(),
            "extensions": ["cc"],
            "parties": [customer, agent],
            "dialog": [
                {
                    "type": "text",
                    "start": _text(begin + timedelta(seconds=20 * index)),
                    "parties": [index % 2, 1 - index % 2],
                    "originator": index % 2,
                    "mediatype": "text/plain",
                    "encoding": "none",
                    "body": turn,
                }
                for index, turn in enumerate(turns)
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

    def _turn(self, chance: random.Random) -> str:
        sentences = [
            self._words(chance, chance.randint(LEAST_WORDS, MOST_WORDS)).capitalize()
            for _ in range(chance.randint(1, 2))
        ]
        return ". ".join(sentences) + "."

    def _words(self, chance: random.Random, count: int) -> str:
        return " ".join(chance.choices(self.vocabulary, cum_weights=self._weights, k=count))


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
