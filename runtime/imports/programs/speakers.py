"""Decide for a whole file whether and how it names speakers, then attribute all of it by that one rule."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from unicodedata import category

from vcontract.runtime.imports.programs.guessing_hints import ROLES


@dataclass(frozen=True, slots=True)
class Speech:
    """Words of one voice."""

    name: str | None
    """None if the file does not say who speaks."""
    text: str
    is_change: bool = False
    """Whether the file marks that another voice begins here."""


_MAX_LABEL_LENGTH: Final = 80
_MAX_WORDS: Final = 6
_MAX_WORDS_WITHOUT_CASE: Final = 3
_MAX_LENGTH_WITHOUT_CASE: Final = 8
_MIN_PHONE_DIGITS: Final = 5
_MOST: Final = 0.6
"""Share of the pieces that begin with a name where a file names the speaker of each."""
_SOME: Final = 0.2
"""Share of the pieces that begin with a name that comes again, where the first piece has no name."""

_NOT_PERSONS: Final = frozenset(
    (
        # headings, and what a sentence before a colon begins or ends with
        "note notes nb remember important warning caution attention tip tips hint reminder example action"
        " actions item items todo task tasks step steps rule rules part chapter section lesson option reason"
        " result results summary conclusion agenda topic topics subject title date time place location"
        " present absent attendees participants participant apologies invited decision decisions update"
        " minutes transcript next also then however because and but or so the my our your this"
        " that these those here there first second third finally question questions answer answers problem"
        " solution idea ps fyi"
        " name phone email address info warn error debug trace fatal url http https link source"
        " duration recording invitees organizer notetaker"
        # German
        " notiz notizen hinweis hinweise achtung wichtig merke beispiel aufgabe aufgaben schritt regel regeln"
        " teil kapitel grund ergebnis ergebnisse beschluss beschlüsse zusammenfassung fazit tagesordnung top"
        " thema themen betreff titel datum uhrzeit zeit ort beginn ende dauer anwesend anwesende abwesend"
        " entschuldigt teilnehmer teilnehmerinnen teilnehmende protokoll protokollant protokollführung"
        " sitzung besprechung und oder aber denn der die das ein eine mein meine unser unsere dieser diese"
        " erste erster erstens zweite zweitens drittens frage fragen antwort antworten maßnahme maßnahmen"
        # French
        " remarque attention exemple étape règle partie chapitre raison résultat décision décisions résumé"
        " ordre objet sujet titre date heure lieu début fin durée présents présent absents excusés"
        " participants réunion et ou mais donc les une mon notre ce cette question réponse"
        # Spanish, Portuguese, Italian, Dutch
        " nota ojo importante aviso ejemplo tarea paso regla parte capítulo motivo resultado decisión resumen"
        " tema asunto título fecha hora lugar inicio duración asistentes presentes ausentes participantes"
        " reunión y o pero una nuestro este esta primero pregunta respuesta"
        " observação atenção exemplo tarefa etapa regra capítulo resultado decisão resumo assunto data local"
        " duração presenças reunião e ou mas uma meu nosso esse essa pergunta resposta"
        " attenzione esempio compito passo regola capitolo risultato decisione riassunto oggetto titolo data"
        " ora luogo inizio durata presenti assenti partecipanti riunione gli mio nostro questo"
        " domanda risposta opmerking let belangrijk voorbeeld taak stap hoofdstuk reden resultaat besluit"
        " samenvatting onderwerp datum tijd plaats begin einde duur aanwezig aanwezigen afwezig deelnemers"
        " vergadering en of maar het een mijn ons deze dit vraag antwoord actie acties"
        # Polish, Russian, Turkish, Swedish
        " uwaga przykład zadanie temat data czas miejsce obecni nieobecni uczestnicy spotkanie pytanie"
        " odpowiedź внимание важно пример задача шаг тема дата время место присутствовали присутствуют"
        " участники протокол вопрос ответ решение not önemli dikkat örnek görev konu tarih saat yer"
        " katılanlar katılımcılar toplantı soru cevap obs viktigt exempel ämne tid plats närvarande"
        " deltagare möte fråga svar åtgärd"
        # Chinese, Japanese, Korean
        " 注意 备注 備註 时间 時間 地点 地點 日期 主题 主題 出席 与会者 與會者 议题"
        " 問題 问题 回答 场所 場所 日時 議題 出席者 参加者 메모 주의 날짜 시간 장소 참석자 질문 답변"
    ).split()
)
_PARTICLES: Final = frozenset(
    "van von der den de del della di da do dos das du la le el al bin ibn ben abu zu zur zum ter ten te af"
    " av y e et und and from of für aus the iphone ipad".split()
)
_INTERVIEWS: Final = tuple(
    frozenset(pair.split())
    for pair in (
        "q a|question answer|f a|frage antwort|q r|question réponse|p r|pregunta respuesta|pergunta resposta"
        "|d r|domanda risposta|v a|vraag antwoord|в о|вопрос ответ|p o|pytanie odpowiedź|s c|soru cevap"
        "|f s|fråga svar|i b|i p|問 答|问 答|問題 回答|问题 回答|질문 답변"
    ).split("|")
)
"""Labels of questions and answers, which are speakers where they make up an interview."""

_LABEL: Final = r"[^\s:：\[\]{}<>\n](?:[^:：\n\[\]{}<>]{0,78}[^\s:：\[\]{}<>\n])?"
_LEAD: Final = r"[ \t]*(?:(?:>{1,3}|[-–—•*])[ \t]*)?"
_COLON: Final = re.compile(
    rf"{_LEAD}(?:[\[({{<][ \t]*(?P<inner>{_LABEL})[ \t]*[\])}}>]|(?P<label>{_LABEL}))"
    r"[ \t]*(?::(?=\s|$)|：)[ \t]*"
)
_BRACKETS: Final = re.compile(rf"{_LEAD}(?:\[(?P<inner>{_LABEL})\]|<(?P<label>{_LABEL})>)[ \t]+(?=\S)")
_ANGLE: Final = re.compile(rf"[ \t]*<(?P<label>{_LABEL})>[ \t]*(?=\S)")
_OWN_LINE: Final = re.compile(rf"{_LEAD}[\[(]?(?P<label>{_LABEL})[\])]?[ \t]*\Z")
_DASH: Final = re.compile(
    r"[ \t]*(?P<label>[^\s:：\[\]{}<>–—-][^:：\n\[\]{}<>–—]{0,78}?)[ \t]+(?:[–—]|-{1,2})[ \t]+(?=\S)"
)
_CHANGE: Final = re.compile(r"[ \t]*(?:>{2,3}|[-–—](?!-))[ \t]*(?=\S)")
_SOUND: Final = re.compile(r"[ \t]*(?:[\[(*♪♫#].*[\])*♪♫#]|[♪♫].*)[ \t]*\Z")
_IN_PARENTHESES: Final = re.compile(r"[(（][^()（）]*[)）]?")
_DATE: Final = re.compile(r"\d[./-]\d{1,2}[./-]\d{2,4}\Z")
_QUOTES: Final = ".'’\"“”«»"
_WORD: Final = re.compile(r"[^\s,;/|&+·•–—-]+")
_SENTENCE: Final = re.compile(
    r"\b(?!(?i:prof|capt|dipl|dott|univ|asst)\.)[^\W\d_]{4,}\.(?:\s|\Z)|[?!…;](?:\s|\Z)"
)
"""The end of a sentence, unlike the point of a title or an initial."""
_PHRASES: Final = frozenset({"to do", "follow up", "follow-up", "meeting", "call"})


def is_sound(text: str) -> bool:
    """Whether a text is a note about sounds, such as `[music]`."""
    return _SOUND.match(text) is not None


def attributed(pieces: Sequence[Sequence[Speech]]) -> list[list[Speech]]:
    """Return the speech of each piece (a cue or paragraph), with the names that its text gives.

    Pieces come in as their lines, one `Speech` each, with a name where the format itself gives one. Lines of
    one voice become one `Speech`. If names are only at changes, a piece without one goes on with the last.
    """
    way = _way_of(pieces)
    found = [list(_speeches(piece, way)) for piece in pieces]
    return _continued(found) if _is_named_at_changes(found) else found


def label_of(line: str) -> tuple[str, str] | None:
    """Return what stands before the colon that begins a line, or in its angle brackets, and the rest."""
    found = _COLON.match(line) or _ANGLE.match(line)
    return None if found is None else (_name(found), line[found.end() :])


@dataclass(frozen=True, slots=True)
class Way:
    """How a file names speakers: the pattern of a line that begins with a name, and the names."""

    pattern: re.Pattern[str]
    names: frozenset[str]

    def match(self, line: str) -> tuple[str, str] | None:
        """Return name and further text of a line that begins with one of the names."""
        found = self.pattern.match(line)
        if found is None or (name := _name(found)) not in self.names:
            return None
        return name, line[found.end() :]


def _name(found: re.Match[str]) -> str:
    label = found.groupdict().get("inner") or found["label"] or ""
    return " ".join(label.strip(' \t*_"“”').split())


def _way_of(pieces: Sequence[Sequence[Speech]]) -> Way | None:
    """The way that the pieces are named by their text; None if it names nobody."""
    spoken = [
        piece for piece in pieces if any(each.text.strip() and not is_sound(each.text) for each in piece)
    ]
    for pattern in (_COLON, _BRACKETS, _OWN_LINE, _DASH):
        is_strict = pattern is not _COLON
        if names := _accepted(spoken, pattern, is_strict=is_strict):
            return Way(pattern, names)
    return None


def _accepted(
    pieces: Sequence[Sequence[Speech]], pattern: re.Pattern[str], *, is_strict: bool
) -> frozenset[str]:
    """The labels of a pattern that are names of speakers, judged over all pieces."""
    counts = Counter[str]()
    firsts = list[str | None]()
    for piece in pieces:
        labels = [
            _name(found)
            for number, line in enumerate(piece)
            if line.name is None
            and (found := pattern.match(line.text))
            and (pattern is not _OWN_LINE or (number == 0 and len(piece) > 1))
        ]
        counts.update(labels)
        given = next((line.name for line in piece if line.name), None)
        firsts.append(given or next(iter(labels), None))
    interview = interview_of(counts, len(pieces))
    if interview:
        return interview
    grades = {label: likeness(label) for label in counts}
    strong = {label for label, grade in grades.items() if grade == 2}
    named = sum(label in strong or (label is not None and label not in grades) for label in firsts)
    again = {label for label in strong if counts[label] > 1}
    share = named / max(1, len(pieces))
    is_first = bool(firsts) and (firsts[0] in strong or (firsts[0] is not None and firsts[0] not in grades))
    if is_strict:
        is_named = share >= _MOST and len(again) >= min(2, len(strong)) and len(strong) * 2 <= len(pieces)
    else:
        is_named = (
            share >= _MOST
            or (is_first and (len(strong) > 1 or bool(again)))
            or (len(again) > 1 and sum(counts[label] for label in again) >= _SOME * len(pieces))
        )
    if is_named:
        return frozenset(strong)
    weak = {label for label, grade in grades.items() if grade == 1 and counts[label] > 1}
    known = weak | strong
    if len(weak) > 1 and sum(counts[label] for label in known) >= _MOST * len(pieces):
        return frozenset(known)
    return frozenset()


def interview_of(counts: Counter[str], pieces: int) -> frozenset[str]:
    """Return the labels of an interview, if most pieces begin with those of questions and answers."""
    by_key: dict[str, list[str]] = {}
    for label in counts:
        by_key.setdefault(label.casefold().rstrip(". "), []).append(label)
    for pair in _INTERVIEWS:
        if pair <= by_key.keys():
            labels = [label for key in pair for label in by_key[key]]
            if sum(counts[label] for label in labels) >= max(2, pieces / 2 * _MOST):
                return frozenset({*labels, *(each for each in counts if likeness(each) == 2)})
    return frozenset()


def likeness(label: str) -> int:
    """Return how much a label looks like the name of a speaker: 0 not, 1 perhaps, 2 clearly."""
    bare = _IN_PARENTHESES.sub(" ", label).strip()
    if not bare or len(label) > _MAX_LABEL_LENGTH or _SENTENCE.search(bare):
        return 0
    if bare.casefold() in _PHRASES:
        return 0
    if ROLES.fullmatch(bare):
        return 2
    digits = sum(each.isdigit() for each in bare)
    if not any(each.isalpha() for each in bare):
        return 2 if digits >= _MIN_PHONE_DIGITS and not _DATE.search(bare) else 1
    words = [word.strip(_QUOTES).casefold() for word in _WORD.findall(bare)]
    if len(words) > _MAX_WORDS or words[0] in _NOT_PERSONS:
        return 0
    if any(word in _NOT_PERSONS and word not in _PARTICLES and word != "example" for word in words):
        return 0
    words = _WORD.findall(bare)
    if not any(each.isupper() or each.islower() or category(each) == "Lt" for each in bare):
        is_short = len(words) <= _MAX_WORDS_WITHOUT_CASE and max(map(len, words)) <= _MAX_LENGTH_WITHOUT_CASE
        return 2 if is_short or "@" in bare else 1
    lower = [word for word in words if _is_lower(word)]
    if not lower:
        return 2
    return 1 if len(words) <= 2 else 0


def _is_lower(word: str) -> bool:
    letter = next((each for each in word if each.isalpha()), "")
    return (
        letter.islower()
        and word.casefold() not in _PARTICLES
        and not any(each.isupper() or each.isdigit() or each in "@_" for each in word)
    )


def _speeches(piece: Sequence[Speech], way: Way | None) -> Iterator[Speech]:
    """Split a piece where another voice begins. Lines of one voice are joined."""
    lines = list(piece)
    has_dashes = sum(each.name is None and _CHANGE.match(each.text) is not None for each in lines) > 1
    held: Speech | None = None
    for line in lines:
        for found in _parts(line, way, has_dashes=has_dashes):
            if held is not None and _goes_on(held, found):
                held = replace(held, text=f"{held.text} {found.text}".strip())
                continue
            if held is not None and held.text:
                yield held
            held = found
    if held is not None and held.text:
        yield held


def _goes_on(before: Speech, after: Speech) -> bool:
    if after.name is None:
        return not after.is_change
    return after.name == before.name


def _parts(line: Speech, way: Way | None, *, has_dashes: bool) -> Iterator[Speech]:
    text = line.text.strip()
    if line.name is not None:
        yield Speech(line.name, _without_label(text, line.name), is_change=True)
        return
    if way is not None and (found := way.match(line.text)):
        name, text = found
        yield from _running(name, text.strip(), way)
        return
    marked = _CHANGE.match(line.text)
    if marked and (has_dashes or marked[0].strip().startswith(">>")):
        yield Speech(None, line.text[marked.end() :].strip(), is_change=True)
        return
    yield from _running(None, text, way)


def _without_label(text: str, name: str) -> str:
    """A text without the name that its voice tag repeats."""
    found = _COLON.match(text)
    return text[found.end() :] if found and _name(found) == name else text


def _running(name: str | None, text: str, way: Way | None) -> Iterator[Speech]:
    """Split a text in which further speakers are named after the end of a sentence."""
    if way is None or way.pattern is not _COLON:
        yield Speech(name, text, is_change=name is not None)
        return
    names = "|".join(re.escape(each) for each in sorted(way.names, key=len, reverse=True))
    place = 0
    for found in re.finditer(rf"(?:(?<=[.?!…])|(?<=[.?!…][\"”»')])) +(?P<label>{names}):(?=\s)", text):
        yield Speech(name, text[place : found.start()].strip(), is_change=name is not None)
        name, place = found["label"], found.end()
    yield Speech(name, text[place:].strip(), is_change=name is not None)


def _is_named_at_changes(pieces: Sequence[Sequence[Speech]]) -> bool:
    """Whether names stand only where the speaker changes: hardly ever twice in a row."""
    again, unnamed = 0, 0
    last: str | None = None
    for each in (speech for piece in pieces for speech in piece):
        again += each.name is not None and each.name == last
        unnamed += each.name is None
        last = each.name
    return unnamed > again


def _continued(pieces: Sequence[Sequence[Speech]]) -> list[list[Speech]]:
    """Give speech without a name the last one, unless another voice begins with it."""
    last: str | None = None
    found: list[list[Speech]] = []
    for piece in pieces:
        whole: list[Speech] = []
        for each in piece:
            last = each.name if each.name or each.is_change else last
            whole.append(each if each.name or last is None else replace(each, name=last))
        found.append(whole)
    return found
