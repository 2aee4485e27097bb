"""Who speaks is decided for a whole file: captions and texts of many programs, and who says what in each."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.imports.test_programs import come_in, said
from vcontract.runtime.imports.programs.speakers import likeness

Turns = list[tuple[str, str]]


def srt(*cues: str, apart: int = 10) -> str:
    """Cues of a second each, so far apart that none joins the one before."""
    return "".join(
        f"{number}\n{stamp(apart * number)},000 --> {stamp(apart * number + 1)},000\n{cue}\n\n"
        for number, cue in enumerate(cues, 1)
    )


def vtt(*cues: str, apart: int = 10) -> str:
    return f"WEBVTT\n\n{srt(*cues, apart=apart)}".replace(",000", ".000")


def stamp(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


TTML: Final = (
    '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="urn:m" xmlns:ttp="urn:p" ttp:tickRate="10000000"><head>'
    '<ttm:agent xml:id="m"><ttm:name>Mira</ttm:name></ttm:agent>'
    '<ttm:agent xml:id="j"><ttm:name>Jonas &amp; Co</ttm:name></ttm:agent></head>'
    "<body><div>{}</div></body></tt>"
)
ROLLING: Final = ("the kettle is broken", "please send another one", "before friday")

CASES: Final[Mapping[str, tuple[str, str | bytes, Turns]]] = {
    "two voice spans on one line": (
        "a.vtt",
        vtt("<v Mira>Here?</v> <v Jonas>There.</v>"),
        [("Mira", "Here?"), ("Jonas", "There.")],
    ),
    "a voice span that nobody closes": (
        "a.vtt",
        vtt("<v.first.loud Mira Vogt>Here,\nor <i.x>where</i>?\n<v Jonas>There."),
        [("Mira Vogt", "Here, or where?"), ("Jonas", "There.")],
    ),
    "two names in a cue of SRT": (
        "a.srt",
        srt("Mira: Here?\nJonas: There.", "Mira: Where?", "Jonas: There. Mira: I see."),
        [("Mira", "Here?"), ("Jonas", "There."), ("Mira", "Where?"), ("Jonas", "There."), ("Mira", "I see.")],
    ),
    "two dashes in a cue": (
        "a.srt",
        srt("- Here?\n- There."),
        [("Speaker", "Here?"), ("Speaker", "There.")],
    ),
    "two agents in a paragraph of TTML": (
        "a.ttml",
        TTML.format(
            '<p begin="10000000t" end="20000000t"><span ttm:agent="m">R&amp;D?</span><br/>'
            '<span ttm:agent="j">It is\n   late.</span></p>'
        ),
        [("Mira", "R&D?"), ("Jonas & Co", "It is late.")],
    ),
    "a voice for all, and one without": (
        "a.vtt",
        vtt("<v Mira>One.", "<v Mira>Two.", "<v Jonas>Three.", "<v Jonas>Four.", "Five."),
        [("Mira", "One."), ("Mira", "Two."), ("Jonas", "Three."), ("Jonas", "Four."), ("Speaker", "Five.")],
    ),
    "voice spans only at changes": (
        "a.vtt",
        vtt("<v Mira>One.</v>", "Two.", "<v Jonas>Three.</v>", "Four."),
        [("Mira", "One."), ("Mira", "Two."), ("Jonas", "Three."), ("Jonas", "Four.")],
    ),
    "names only at changes, of SBV": (
        "a.sbv",
        "0:00:01.000,0:00:02.000\nMIRA: One.\n\n0:00:11.000,0:00:12.000\nTwo.\n\n"
        "0:00:21.000,0:00:22.000\nJONAS: Three.[br]Four.\n",
        [("MIRA", "One."), ("MIRA", "Two."), ("JONAS", "Three. Four.")],
    ),
    "names after the mark of a change": (
        "a.srt",
        srt(">> MIRA: One.", "Two.", ">> JONAS: Three.", ">> Four."),
        [("MIRA", "One."), ("MIRA", "Two."), ("JONAS", "Three."), ("Speaker", "Four.")],
    ),
    "names in brackets": (
        "a.srt",
        srt("[SPEAKER_00]: One.", "[SPEAKER_01]: Two.", "[SPEAKER_00]: Three."),
        [("SPEAKER_00", "One."), ("SPEAKER_01", "Two."), ("SPEAKER_00", "Three.")],
    ),
    "names in brackets without a colon": (
        "a.srt",
        srt("[Mira] One.", "[Jonas] Two.", "[Mira] Three.", "[Jonas] Four."),
        [("Mira", "One."), ("Jonas", "Two."), ("Mira", "Three."), ("Jonas", "Four.")],
    ),
    "names on a line of their own": (
        "a.srt",
        srt("Mira Vogt\nOne is\nhere.", "Jonas\nTwo.", "Mira Vogt\nThree.", "Jonas\nFour."),
        [("Mira Vogt", "One is here."), ("Jonas", "Two."), ("Mira Vogt", "Three."), ("Jonas", "Four.")],
    ),
    "names before a dash": (
        "a.srt",
        srt("Mira – One.", "Jonas – Two.", "Mira – Three.", "Jonas – Four."),
        [("Mira", "One."), ("Jonas", "Two."), ("Mira", "Three."), ("Jonas", "Four.")],
    ),
    "names as identifiers of cues": (
        "a.vtt",
        "WEBVTT\n\n"
        + "\n".join(
            f"{name}\n00:{number}1.000 --> 00:{number}2.000\n{text}\n"
            for number, (name, text) in enumerate([("Mira", "One."), ("Jonas", "Two.")] * 2)
        ),
        [("Mira", "One."), ("Jonas", "Two.")] * 2,
    ),
    "names of SSA": (
        "a.ass",
        "[Script Info]\nTitle: T\n\n[Events]\nFormat: Start, End, Name, Text\n"
        "Dialogue: 0:00:01.00,0:00:02.00,Mira,One, {\\i1}two{\\i0}.\\NThree.\n"
        "Dialogue: 0:00:11.00,0:00:12.00,Jonas,Four.\n",
        [("Mira", "One, two. Three."), ("Jonas", "Four.")],
    ),
    "names in LRC": (
        "a.lrc",
        "[ar:Band]\n[00:01.00]Mira: One.\n[00:11.00]Two.\n[00:21.00]Jonas: Three.\n",
        [("Mira", "One. Two."), ("Jonas", "Three.")],
    ),
    "names of China and of Japan": (
        "a.srt",
        srt("张伟：一。", "二。", "田中さん: 三。"),
        [("张伟", "一。"), ("张伟", "二。"), ("田中さん", "三。")],
    ),
    "prose with colons": (
        "a.srt",
        srt("We talk about rules.", "Rule number one: be kind.", "And one more thing: smile.", "Bye."),
        [
            ("Speaker", "We talk about rules."),
            ("Speaker", "Rule number one: be kind."),
            ("Speaker", "And one more thing: smile."),
            ("Speaker", "Bye."),
        ],
    ),
    "German prose with colons": (
        "a.vtt",
        vtt(
            "Ich habe zwei Regeln.",
            "Erste Regel: niemals leihen.",
            "Und merke: alles bleibt.",
            "Mein Rat: ja.",
        ),
        [
            ("Speaker", "Ich habe zwei Regeln."),
            ("Speaker", "Erste Regel: niemals leihen."),
            ("Speaker", "Und merke: alles bleibt."),
            ("Speaker", "Mein Rat: ja."),
        ],
    ),
    "a heading and a clock are nobody": (
        "a.srt",
        srt("Note: the room is cold.", "10:30 Meeting: we begin.", "Note: the door is open."),
        [
            ("Speaker", "Note: the room is cold."),
            ("Speaker", "10:30 Meeting: we begin."),
            ("Speaker", "Note: the door is open."),
        ],
    ),
    "headings that are names, which come again": (
        "a.md",
        "# Tea\n\n## Mira\n\nWhich?\n\n## Jonas\n\nGreen:\n\n- cold\n\n### Why\n\nHot.\n\n## Mira\n\nFine.\n",
        [("Mira", "Which?"), ("Jonas", "Green:\n\n- cold\n\n### Why\n\nHot."), ("Mira", "Fine.")],
    ),
    "names in bold on lines of their own": (
        "a.md",
        "**Mira Vogt** `00:05`\n\nWhich?\n\n**Jonas** `00:12`\n\nGreen.\n",
        [("Mira Vogt", "Which?"), ("Jonas", "Green.")],
    ),
    "names in italics, in a quotation": (
        "a.md",
        "> *Mira:* Which?\n>\n> *Jonas:* Green.\n",
        [("Mira", "Which?"), ("Jonas", "Green.")],
    ),
    "words of one result of Watson by several voices": (
        "a.json",
        json.dumps(
            {
                "result_index": 0,
                "results": [
                    {
                        "final": True,
                        "alternatives": [
                            {
                                "transcript": "Is it 5? No no. ",
                                "timestamps": [
                                    [word, number / 10, number / 10 + 0.1]
                                    for number, word in enumerate(("is", "it", "five", "no", "no"))
                                ],
                            }
                        ],
                    }
                ],
                "speaker_labels": [
                    {"from": number / 10, "to": number / 10 + 0.1, "speaker": int(number > 2)}
                    for number in range(5)
                ],
            }
        ),
        [("Speaker 0", "is it five"), ("Speaker 1", "no no")],
    ),
    "an interview of questions and answers": (
        "a.srt",
        srt("Q: Rain?", "A: No.", "Q: Snow?", "A: Perhaps."),
        [("Q", "Rain?"), ("A", "No."), ("Q", "Snow?"), ("A", "Perhaps.")],
    ),
    "rolling captions, two lines a cue": (
        "a.srt",
        srt(*("\n".join(ROLLING[max(0, n - 1) : n + 1]) for n in range(3)), apart=1),
        [("Speaker", " ".join(ROLLING))],
    ),
    "rolling captions that grow word by word": (
        "a.vtt",
        vtt(*(" ".join(ROLLING[0].split()[: n + 1]) for n in range(4)), ROLLING[1], apart=1),
        [("Speaker", " ".join(ROLLING[:2]))],
    ),
    "rolling captions of three lines": (
        "a.vtt",
        vtt(*("\n".join(ROLLING[max(0, n - 2) : n + 1]) for n in range(3)), apart=1),
        [("Speaker", " ".join(ROLLING))],
    ),
    "rolling captions in TTML": (
        "a.ttml",
        TTML.format(
            "".join(
                f'<p begin="{n}s" dur="1s">{"<br/>".join(ROLLING[max(0, n - 1) : n + 1])}</p>'
                for n in range(3)
            )
        ),
        [("Speaker", " ".join(ROLLING))],
    ),
    "somebody who says a thing twice": (
        "a.srt",
        srt("Yes.", "Yes.", "I see.", "So it is.", "Good.", "Fine.", apart=1),
        [("Speaker", "Yes. Yes. I see. So it is. Good. Fine.")],
    ),
    "references, only of WebVTT": (
        "a.srt",
        srt("Mira: R&amp;D?", "Jonas: 5 < 6 & <b>7 > 6</b>."),
        [("Mira", "R&amp;D?"), ("Jonas", "5 < 6 & 7 > 6.")],
    ),
    "numeric references in a name": (
        "a.vtt",
        vtt("<v M&#xed;ra>&#8222;Ja&#8220;&nbsp;&rarr; A&B;"),
        [("Míra", "„Ja“ → A&B;")],
    ),
    "styles, regions and notes": (
        "a.vtt",
        "WEBVTT\r\r\nSTYLE\r\n::cue { color: red }\r\n\r\nREGION\r\nid:a\r\n\r\nNOTE Draft\r\n\r\n"
        "00:01.000 --> 00:02.000\r\n<v Mira>One.\r\n",
        [("Mira", "One.")],
    ),
    "times without thousandths and numbers": (
        "a.srt",
        "00:00:01 --> 00:00:02\nMira: One.\n\n00:00:11,5 --> 00:00:12,5\nJonas: Two.\n",
        [("Mira", "One."), ("Jonas", "Two.")],
    ),
} | {
    f"8 bits: {charset}": ("a.srt", srt(f"{first}: {text}").encode(charset), [(first, text)])
    for charset, first, text in [
        ("cp1252", "Zoë", "Schöne Grüße, Señor."),
        ("gb18030", "张伟", "你好，包裹到了吗？"),
        ("cp932", "田中", "荷物は届きましたか。"),
        ("koi8-r", "Мира", "Посылка пришла?"),
        ("cp1251", "Мира", "Доброе утро, как дела?"),
        ("euc_kr", "지민", "안녕하세요, 소포가 도착했나요?"),
        ("big5", "王小明", "包裹到了嗎？"),
        ("utf-16-le", "Zoë", "Schöne Grüße."),
        ("utf-16-be", "Мира", "Посылка пришла?"),
    ]
}


@pytest.mark.parametrize("name", CASES)
def test_captions_are_said_by_whom_the_file_names(name: str, tmp_path: Path) -> None:
    file, content, turns = CASES[name]
    path = tmp_path / f"2024-03-05_{file}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    vcons, problems = come_in(path)

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [turns]


NAMES: Final = (
    "Mira Vogt (she/her)|Berg, Jonas|Спикер №1|Mira / Jonas|14155550123|+49 (0)30 123-456|Speaker 1|agent"
    "|SPEAKER_00|Dr. M. van der Berg|Jean-Luc d’Or|O'Neil & Sons|3M Support|iPhone von Mira|mira@a.example"
    "|Mira – Sales / EMEA|#2|2. Vorsitzende|Ann Example|أحمد|Ms. Lee's iPad|Frau Schulte|मीरा शर्मा|김지민"
    "|Unknown Speaker|Konferenzraum 2. OG|Prof. Vogt|Мира Иванова"
).split("|")
NO_NAMES: Final = (
    "The first one is simple|And remember|Note|Action|Anwesend|Teilnehmer|My advice|To do|Erste Regel|Wichtig"
    "|It works like this. First|Fecha|Ordre du jour|Наше решение|注意|Is it true? Yes|what I wanted to say is"
    "|Datum|Present|Das Wichtigste"
).split("|")


@pytest.mark.parametrize(("labels", "grades"), [(NAMES, {1, 2}), (NO_NAMES, {0})])
def test_a_name_is_known_from_a_heading_and_from_a_sentence(labels: list[str], grades: set[int]) -> None:
    assert [label for label in labels if likeness(label) not in grades] == []


TEXTS: Final[Mapping[str, tuple[str, str, str, str, Turns]]] = {
    "minutes in German, with who was present": (
        "Protokoll.txt",
        "Elternabend Klasse 4b, 17. September 2025\nAnwesend: Frau Schulte, Herr Kemp\n\n"
        "Frau Schulte: Guten Abend zusammen.\nHerr Kemp: Was kostet die Fahrt?\nFrau Schulte: Nicht viel.\n"
        "Herr Kemp: Das ist gut so.\n",
        "Elternabend Klasse 4b, 17. September 2025",
        "2025-09-17T00:00:00Z",
        [
            ("Frau Schulte", "Guten Abend zusammen."),
            ("Herr Kemp", "Was kostet die Fahrt?"),
            ("Frau Schulte", "Nicht viel."),
            ("Herr Kemp", "Das ist gut so."),
        ],
    ),
    "Markdown with a title, and an action in a list": (
        "board.md",
        "# Board call, 4 May 2026\n\nPresent: Rob, Ana\n\n**Rob:** We sign.\n\n**Ana (CFO):** No.\n\n"
        "- **Action:** Rob waits.\n\n**Rob:** Fine.\n",
        "Board call, 4 May 2026",
        "2026-05-04T00:00:00Z",
        [("Rob", "We sign."), ("Ana (CFO)", "No.\n\n- **Action:** Rob waits."), ("Rob", "Fine.")],
    ),
    "an interview in German": (
        "interview.txt",
        "Gespräch mit Dr. Vogt\n12.03.2024\n\nF: Wie war es?\nA: Gut.\nF: Und dann?\nA: Auch gut.\n",
        "Gespräch mit Dr. Vogt",
        "2024-03-12T00:00:00Z",
        [("F", "Wie war es?"), ("A", "Gut."), ("F", "Und dann?"), ("A", "Auch gut.")],
    ),
    "Otter with a heading in French": (
        "otter.txt",
        "Point d'équipe\n4 mai 2026 à 9h30\nPrésents : Léa, Marc\n\nLéa  0:03\nBonjour.\n\nMarc  0:09  \n"
        "Salut.\n\nTranscribed by https://otter.ai\n",
        "Point d'équipe",
        "2026-05-04T09:30:03Z",
        [("Léa", "Bonjour."), ("Marc", "Salut.")],
    ),
    "names with commas and digits after a stamp": (
        "call.txt",
        "Visita 4 de mayo de 2026\n\n[00:01] Berg, Jonas: Hola.\n[00:05] +34 600 123 456: Buenas.\n"
        "[00:09] ¿Qué tal?\n",
        "Visita 4 de mayo de 2026",
        "2026-05-04T00:00:01Z",
        [("Berg, Jonas", "Hola."), ("+34 600 123 456", "Buenas."), ("+34 600 123 456", "¿Qué tal?")],
    ),
    "Meet with a date in Dutch, and notes before it": (
        "Weekly.txt",
        "Samenvatting\nHet wordt later.\n\n📖 Transcript\n\n4 mei 2026\n\nWeekly - Transcript\n\n00:00:00\n\n"
        "Ann 2 (she/her): Rain?\n\nNote: it is loud.\n\nBob, Jr.: No\n",
        "Weekly",
        "2026-05-04T00:00:00Z",
        [("Ann 2 (she/her)", "Rain?\nNote: it is loud."), ("Bob, Jr.", "No")],
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_stands_before_the_first_turn_gives_subject_and_date_and_is_kept(
    name: str, tmp_path: Path
) -> None:
    file, content, subject, began, turns = TEXTS[name]
    path = tmp_path / file
    path.write_text(content, encoding="utf-8")

    (vcon,), problems = come_in(path)

    assert problems == []
    assert (said(vcon), vcon["subject"], vcon["created_at"]) == (turns, subject, began)
    kept = json.dumps([vcon["attachments"], vcon["dialog"], vcon["parties"]], ensure_ascii=False)
    lost = [
        line for line in content.split("\n") if not all(word in kept for word in re.findall(r"\w{4,}", line))
    ]
    assert lost in ([], ["Transcribed by https://otter.ai"])


@pytest.mark.parametrize(
    "content",
    [
        "INFO: it has started now\nERROR: it could not bind\nINFO: it has started again\n",
        "My plan\nGoal: buy a house soon\nBudget: not more than that\nGoal: sell the car later\n",
        "Name: Ann\nPhone: 12345678\n\nName: Bob\nPhone: 23456789\n",
        "Remember: keys stay here.\nThe first one is simple: never lend the van.\nWarning: it is loud.\n",
    ],
)
def test_a_text_with_colons_is_no_dialogue_for_sure(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content)

    vcons, problems = come_in(path)

    assert vcons == []
    assert len(problems) == 1
