"""Thirty transcripts of a call centre in the shapes that people have, and who says what in each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.runtime.frame.documents.json import JsonValue

Turns = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file, and the turns of each of its conversations."""

    name: str
    content: str | bytes
    calls: list[Turns]
    mapping: str | None = None
    """A mapping that somebody writes for it; most need none."""
    titles: Sequence[str] = ()


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(*values: JsonValue) -> str:
    return "".join(f"{_json(value)}\n" for value in values)


HELLO, DEAD, NAME = "Good morning, how can I help?", "My line is dead.", "May I have your name?"
TWO: Final[Turns] = [("Agent", HELLO), ("Customer", DEAD)]
UPPER: Final[Turns] = [("AGENT", HELLO), ("CUSTOMER", DEAD)]
LOWER: Final[Turns] = [("agent", HELLO), ("customer", DEAD)]
NAMED: Final[Turns] = [("Ann Example", HELLO), ("Bob Bär", DEAD)]
LABELLED = f"Agent: {HELLO}\nCustomer: {DEAD}"

A_ROW_A_CALL: Final = (
    Transcript(
        "calls.csv",
        f'call_id,date,agent,customer,transcript\n1021,2026-07-07 14:00,Ann Example,Bob Bär,"{LABELLED}"\n'
        f'1022,2026-07-08 09:30,Cem,Dora,"Agent: Yes?\nCustomer: {DEAD}"\n',
        [NAMED, [("Cem", "Yes?"), ("Dora", DEAD)]],
    ),
    Transcript("semicolons.csv", f'Call ID;Datum;Transcript\n7;07.07.2026;"{LABELLED}"\n', [TWO]),
    Transcript("tabs.tsv", f'id\tstarted_at\ttranscript\n7\t2026-07-07T14:00:00Z\t"{LABELLED}"\n', [TWO]),
    Transcript("one_line.csv", f'id,transcript\n7,"Agent: {HELLO} Customer: {DEAD}"\n', [TWO]),
    Transcript("pipes.csv", f'id,call_transcript\n7,"Agent: {HELLO} | Customer: {DEAD}"\n', [TWO]),
    Transcript(
        "clocks.csv",
        f'Call ID,Call Date,Transcript\n7,07/31/2026 2:05 PM,"[00:00:01] Agent: {HELLO}\n'
        f'[00:00:09] Customer: {DEAD}"\n',
        [TWO],
    ),
    Transcript("mark.csv", f'\ufeffContact Id,Full Transcript\r\n7,"{LABELLED}"\r\n', [TWO]),
    Transcript(
        "unlabelled.csv",
        "nr,notes\n7,The line is dead since Monday.\n8,Wants a refund.\n",
        [[("Caller", "The line is dead since Monday.")], [("Caller", "Wants a refund.")]],
        mapping="name: notes\ntitle: notes of calls\ngot: ours\nshape: table\nrecognise: [[nr, notes]]\n"
        "conversations: ['*']\nid: [nr]\nlocal: true\nturns: [{at: '', text: [notes], nobody: Caller}]\n",
    ),
)
A_ROW_AN_UTTERANCE: Final = (
    Transcript(
        "utterances.csv",
        f"call_id,speaker,text,start\n1,Agent,{json.dumps(HELLO)},0.5\n"
        f"1,Customer,{DEAD},3\n2,Agent,Yes?,0\n2,Customer,{DEAD},2\n",
        [TWO, [("Agent", "Yes?"), ("Customer", DEAD)]],
    ),
    Transcript(
        "clock.csv",
        f'ConversationId,Timestamp,Role,Message\na,2026-07-07 14:00:01,AGENT,"{HELLO}"\n'
        f"a,2026-07-07 14:00:05,CUSTOMER,{DEAD}\n",
        [UPPER],
    ),
    Transcript(
        "milliseconds.tsv",
        f"contact_id\tparticipant\tstart_ms\tend_ms\tutterance\n1\tagent\t500\t2000\t{HELLO}\n"
        f"1\tcustomer\t2500\t4000\t{DEAD}\n",
        [LOWER],
    ),
    Transcript(
        "latin.csv",
        f"Anruf;Sprecher;Satz\n1;Ann Example;{HELLO}\n1;Bob Bär;{DEAD}\n".encode("cp1252"),
        [NAMED],
        mapping="name: anrufe\ntitle: Anrufe\ngot: ours\nshape: table\nrecognise: [[Anruf, Sprecher, Satz]]\n"
        "group: [Anruf]\nid: [0.Anruf]\nlocal: true\nturns: [{at: '*', speaker: [Sprecher], text: [Satz]}]\n",
    ),
)
TEXTS: Final = (
    Transcript("call_2026-07-07.txt", f"{LABELLED}\n", [TWO]),
    Transcript("blank_lines.txt", f"AGENT: {HELLO}\n\nCUSTOMER: {DEAD}\n", [UPPER]),
    Transcript(
        "front.txt",
        f"Call ID: 1021\nDate: 2026-07-07 14:00\nDuration: 00:02:10\nAgent Name: Ann\n-----\n{LABELLED}\n",
        [TWO],
    ),
    Transcript(
        "long.txt",
        f"Agent: {HELLO}\nCustomer: {DEAD}\nSince Monday.\n",
        [[TWO[0], ("Customer", f"{DEAD}\nSince Monday.")]],
    ),
    Transcript(
        "numbers.txt",
        f"Speaker 1: {HELLO}\nSpeaker 2: {DEAD}\n",
        [[("Speaker 1", HELLO), ("Speaker 2", DEAD)]],
    ),
    Transcript("above.txt", f"Agent:\n{HELLO}\n\nCustomer:\n{DEAD}\n", [TWO]),
    Transcript(
        "german.txt", f"Berater: {HELLO}\r\nKunde: {DEAD}\r\n", [[("Berater", HELLO), ("Kunde", DEAD)]]
    ),
)
STAMPED: Final = (
    Transcript("brackets.txt", f"[00:00:08] Ann Example: {HELLO}\n[00:00:12] Bob Bär: {DEAD}\n", [NAMED]),
    Transcript("round.txt", f"(0:08) Agent: {HELLO}\n(0:12) Customer: {DEAD}\n", [TWO]),
    Transcript("bare.txt", f"00:08 - Ann Example: {HELLO}\n00:12 - Bob Bär: {DEAD}\n", [NAMED]),
    Transcript("behind.txt", f"Ann Example [00:00:08]: {HELLO}\nBob Bär [00:00:12]: {DEAD}\n", [NAMED]),
    Transcript(
        "dates.txt", f"2026-07-07 14:00:08 Agent: {HELLO}\n2026-07-07 14:00:12 Customer: {DEAD}\n", [TWO]
    ),
)
DOCUMENTS: Final = (
    Transcript(
        "call.json",
        _json(
            {
                "callId": "1021",
                "startedAt": "2026-07-07T14:00:00Z",
                "utterances": [
                    {"speaker": "agent", "text": HELLO, "offset": 0.5},
                    {"speaker": "customer", "text": DEAD, "offset": 3.0},
                ],
            }
        ),
        [LOWER],
    ),
    Transcript(
        "deep.json",
        _json(
            {
                "meta": {"id": 7},
                "result": {
                    "segments": [
                        {"participant": "Agent", "content": HELLO, "start_ms": 500},
                        {"participant": "Customer", "content": DEAD, "start_ms": 3000},
                    ]
                },
            }
        ),
        [TWO],
    ),
    Transcript(
        "list.json",
        _json(
            [
                {"id": n, "turns": [{"role": "agent", "text": HELLO}, {"role": "customer", "text": DEAD}]}
                for n in (1, 2)
            ]
        ),
        [LOWER, LOWER],
    ),
    Transcript(
        "flat.json",
        _json([{"speaker": "Agent", "text": HELLO}, {"speaker": "Customer", "text": DEAD}]),
        [TWO],
    ),
    Transcript(
        "texts.jsonl",
        _lines({"id": 1, "transcript": LABELLED}, {"id": 2, "transcript": LABELLED}),
        [TWO, TWO],
    ),
    Transcript(
        "utterances.jsonl",
        _lines(
            {"call_id": "1", "speaker": "agent", "text": HELLO, "ts": 1},
            {"call_id": "1", "speaker": "customer", "text": DEAD, "ts": 2},
            {"call_id": "2", "speaker": "agent", "text": NAME, "ts": 1},
        ),
        [LOWER, [("agent", NAME)]],
    ),
)
THIRTY: Final = (*A_ROW_A_CALL, *A_ROW_AN_UTTERANCE, *TEXTS, *STAMPED, *DOCUMENTS)

_SPOKEN: Final = [{"speaker": "A", "text": HELLO, "start": 0.5}, {"speaker": "B", "text": DEAD, "start": 2.5}]
_A_AND_B: Final[Turns] = [("A", HELLO), ("B", DEAD)]
_CHANNELS: Final[Turns] = [("Speaker 0", HELLO), ("Speaker 1", DEAD)]


def _rows(name: str, headings: str, first: str, second: str, sign: str = ";", end: str = "") -> Transcript:
    """A table of one call with two utterances."""
    rows = "".join(
        f"1{sign}{speaker}{sign}{text}{end}\n" for speaker, text in ((first, HELLO), (second, DEAD))
    )
    text = f"{headings}\n{rows}"
    return Transcript(name, text, [[(first, HELLO), (second, DEAD)]], titles=["1"])


MORE: Final = (
    Transcript(
        "de.csv",
        "Anrufnummer;Sprecher;Nachricht;Zeitpunkt\n"
        f"1;Agent;{HELLO};07.07.2026 14:00:01\n1;Customer;{DEAD};07.07.2026 14:00:05\n"
        f"2;Agent;{NAME};08.07.2026 09:00:00\n",
        [TWO, [("Agent", NAME)]],
        titles=["1", "2"],
    ),
    _rows("gespraech.csv", "Gesprächs-ID;Rolle;Äußerung", "Berater", "Kunde"),
    _rows("fr.csv", "N° d'appel;Locuteur;Texte;Heure", "Conseiller", "Client", end=";14:00:01"),
    _rows("es.csv", "ID llamada;Hablante;Mensaje;Fecha", "Agente", "Cliente", end=";07/07/2026 14:00"),
    _rows("pt.csv", "Chamada;Falante;Fala;Data", "Ana", "Beto", end=";07/07/2026 14:00:01"),
    _rows("it.tsv", "Chiamata\tParlante\tTesto\tInizio", "Operatore", "Cliente", "\t", end="\t0,5"),
    _rows("nl.csv", "Gesprek|Spreker|Tekst", "Medewerker", "Klant", "|"),
    _rows("excel.csv", "sep=;\nCall ID;Speaker Type;Spoken Text", "Agent", "Customer"),
    Transcript(
        "transkripte.csv",
        f'Vorgang;Datum;Berater;Kunde;Transkript\n77;07.07.2026;Ann;Bo;"Berater: {HELLO}\nKunde: {DEAD}"\n',
        [[("Ann", HELLO), ("Bo", DEAD)]],
        titles=["77"],
    ),
    Transcript(
        "kopf.txt",
        f"Gesprächs-ID: 77\nDatum: 07.07.2026 14:00\nBetreff: Störung\nDauer: 3:00\n\nBerater: {HELLO}\n"
        f"Kunde: {DEAD}\n",
        [[("Berater", HELLO), ("Kunde", DEAD)]],
        titles=["Störung"],
    ),
    Transcript(
        "channels.csv",
        f"channel,text\n0,{json.dumps(HELLO)}\n1,{DEAD}\n",
        [_CHANNELS],
        titles=["channels"],
    ),
    Transcript(
        "channel_number.csv",
        f"conversation_id;Channel Number;Utterance;Start Time (ms)\na;0;{HELLO};500\na;1;{DEAD};2500\n",
        [_CHANNELS],
        titles=["a"],
    ),
    Transcript(
        "nested.jsonl",
        _lines(*({"call": {"id": name, "result": {"utterances": _SPOKEN}}} for name in ("c1", "c2"))),
        [_A_AND_B, _A_AND_B],
        titles=["c1", "c2"],
    ),
    Transcript(
        "calls_in_one_object.json",
        _json({"data": {"calls": [{"meta": {"callId": n}, "asr": {"turns": _SPOKEN}} for n in range(900)]}}),
        [_A_AND_B] * 900,
        titles=[str(n) for n in range(900)],
    ),
    Transcript(
        "a_list_a_channel.json",
        _json(
            {
                "call": {
                    "id": 7,
                    "channels": [
                        {"channel": 0, "said": [{"text": HELLO, "start": 0.5}, {"text": NAME, "start": 5}]},
                        {"channel": 1, "said": [{"text": DEAD, "start": 2.5}]},
                    ],
                }
            }
        ),
        [[*_CHANNELS, ("Speaker 0", NAME)]],
        titles=["7"],
    ),
    Transcript(
        "objects.json",
        _json(
            {
                "id": 7,
                "messages": [
                    {"sender": {"id": 1, "name": "Ann"}, "body": {"text": HELLO}},
                    {"sender": {"id": 2, "name": "Bo"}, "body": {"text": DEAD}},
                ],
            }
        ),
        [[("Ann", HELLO), ("Bo", DEAD)]],
        titles=["7"],
    ),
    Transcript(
        "a_line_an_utterance.jsonl",
        _lines(
            *(
                {"call": {"id": 1}, "speaker": {"name": n}, "text": t}
                for n, t in (("Ann", HELLO), ("Bo", DEAD))
            )
        ),
        [[("Ann", HELLO), ("Bo", DEAD)]],
        titles=["1"],
    ),
    Transcript(
        "salesforce.csv",
        f'Case Number,Date/Time Opened,Body\n7,7/31/2026 2:05 PM,"{LABELLED}"\n',
        [TWO],
        titles=["7"],
    ),
    Transcript(
        "blocks.csv",
        f"Nr,Sprecher,Satz,Sprache\n1,Agent,{json.dumps(HELLO)},en\n1,Customer,{DEAD},en\n2,Agent,Yes?,en\n"
        f"2,Customer,{DEAD},en\n",
        [TWO, [("Agent", "Yes?"), ("Customer", DEAD)]],
        titles=["1", "2"],
    ),
    Transcript(
        "name_above.txt",
        f"[00:00:08] Ann Example\n{HELLO}\n\n[00:00:12] Bob Bär\n{DEAD}\n\n[00:00:20] Ann Example\n{NAME}\n",
        [[("Ann Example", HELLO), ("Bob Bär", DEAD), ("Ann Example", NAME)]],
        titles=["name_above"],
    ),
    Transcript(
        "header.txt",
        f"Call ID: 7\nDate: 2026-07-07 14:00\nAgent: Ann Example\nCustomer: Bob Bär\n\n{LABELLED}\n",
        [TWO],
        titles=["header"],
    ),
)
"""Headings in other languages, channels for speakers, and JSON in which the turns lie deep."""
