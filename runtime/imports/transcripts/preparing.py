"""A transcript that was read, prepared for the store: its vCon, its summary, what exchanges are found by."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from vcontract.runtime.documents.json import JsonObject, JsonValue
from vcontract.runtime.documents.values import objects
from vcontract.runtime.imports.transcripts.building import build_vcon
from vcontract.runtime.imports.transcripts.identity import project_of
from vcontract.runtime.imports.transcripts.merging import merged, merged_tags
from vcontract.runtime.imports.transcripts.model import Exchange, Session
from vcontract.runtime.store.transcripts.rows import ExchangeRow, FileRow, TranscriptRow
from vcontract.runtime.store.vcons.preparation import Knowledge, PassageRow, PreparedVcon, prepare
from vcontract.runtime.store.vcons.store import StoredVcon
from vcontract.runtime.text.words import encode_strengths
from vcontract.runtime.vcon.bodies import TextBody, read_body
from vcontract.runtime.vcon.tags import LONGEST_VALUE, TagValue

LONGEST_SUMMARY: Final = 300

_LONGEST_SENTENCE: Final = 145
_SENTENCE: Final = re.compile(r".+?(?:[.!?…](?=[\s\"')]|$)|[\u3002\uff01\uff1f]|$)", re.DOTALL)
_MOST_TOOLS: Final = 5


def one_line(text: str, most: int = LONGEST_SUMMARY) -> str:
    """The text on one line, at most so many characters, `…` where it is cut."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def summary_line(told: Sequence[str | None], exchanges: Sequence[Exchange]) -> str:
    """The first of `told` that says something, else the first prompt and the last answer, else the tools."""
    for text in told:
        if text and text.strip():
            return one_line(text)
    prompt = next((message.text for exchange in exchanges for message in exchange.prompts), "")
    answer = next(
        (message.text for exchange in reversed(exchanges) for message in reversed(exchange.answers)), ""
    )
    sentences = [sentence for text in (prompt, answer) if (sentence := first_sentence(text))]
    return " → ".join(sentences) or _of_tools(exchanges)


def first_sentence(text: str) -> str:
    """The first sentence of the first line that has words, without the marks of a heading or a list."""
    line = next((bare for line in text.splitlines() if (bare := line.strip().lstrip("#>*- \t"))), "")
    found = _SENTENCE.match(line)
    return one_line(found[0] if found is not None else line, _LONGEST_SENTENCE)


def _of_tools(exchanges: Sequence[Exchange]) -> str:
    calls = Counter(call.name for exchange in exchanges for call in exchange.calls)
    if not calls:
        return "Agent session"
    told = ", ".join(f"{name} {count}" for name, count in calls.most_common(_MOST_TOOLS))
    plural = "call" if calls.total() == 1 else "calls"
    return one_line(f"Agent session with {calls.total()} tool {plural} ({told})")


_LABELS = {"dialog": "B", "trace": "B", "trace_body": "C"}


@dataclass(frozen=True, slots=True)
class PreparedTranscript:
    """Everything that one transcript puts into the store, but for what is known of its file."""

    vcon: PreparedVcon
    exchanges: tuple[ExchangeRow, ...]
    files: tuple[FileRow, ...]
    title: str | None
    summary: str
    given: JsonObject
    changed: bool
    """Whether the vCon is another than the one that is stored."""


def prepare_transcript(
    session: Session,
    stored: StoredVcon | None,
    before: TranscriptRow | None,
    told: str | None,
    knowledge: Knowledge,
    now: datetime,
) -> PreparedTranscript:
    """Build and prepare the vCon of a session; `told` is a summary that another file holds for it.

    Raises: VconRefused.
    """
    own = [
        text for record, text in session.facts.summaries if record is None or record in session.facts.records
    ]
    title = session.facts.title
    summary = summary_line((stored_summary(stored), own[-1] if own else told, title), session.exchanges)
    subject = one_line(title) if title else summary
    built = build_vcon(session, subject, now)
    tags = _tags(session)
    given: JsonObject = {"subject": subject, "tags": tags}
    old = stored.raw() if stored is not None else None
    if old is not None and stored is not None:
        old_given: JsonObject = before.given if before is not None else {}
        built = merged(old, built, old_given.get("subject"))
        tags = merged_tags(stored.tags, tags, old_given.get("tags") or {})
    prepared = prepare(
        built.document,
        knowledge,
        now=now,
        metadata=stored.metadata if stored is not None else None,
        tags=tags,
        keep_words=True,
    )
    changed = (
        old is None
        or stored is None
        or tags != stored.tags
        or {**old, "updated_at": None} != {**built.document, "updated_at": None}
    )
    return PreparedTranscript(
        prepared,
        tuple(_indexed(built.exchanges, prepared)),
        built.files,
        title,
        summary,
        given,
        changed,
    )


def stored_summary(stored: StoredVcon | None) -> str | None:
    """The newest summary among the analyses of a vCon."""
    if stored is None:
        return None
    found: list[str] = []
    for _, analysis in objects(stored.arrays.get("analysis")):
        body = read_body(analysis) if analysis.get("type") == "summary" else None
        if isinstance(body, TextBody):
            found.append(body.text)
    return found[-1] if found else None


def _tags(session: Session) -> dict[str, TagValue]:
    facts = session.facts
    values: dict[str, JsonValue] = {
        "project": project_of(facts.cwd),
        "harness": session.harness,
        "session_id": session.session,
        "git_branch": facts.branch,
        "agent_version": facts.version,
    }
    return {key: one_line(str(value), LONGEST_VALUE) for key, value in values.items() if value}


def _indexed(exchanges: Sequence[ExchangeRow], vcon: PreparedVcon) -> Iterable[ExchangeRow]:
    """The exchanges, each with what it says as a digest, and the words of that and of its tools."""
    found: dict[tuple[bool, int], list[tuple[PassageRow, tuple[str, ...]]]] = {}
    for passage, words in zip(vcon.passages, vcon.passage_words, strict=True):
        if passage.part in _LABELS:
            found.setdefault((passage.part == "dialog", passage.element), []).append((passage, words))
    for exchange in exchanges:
        dialogs = ((True, place) for place in range(exchange.dialog_from, exchange.dialog_to))
        own = [each for place in (*dialogs, (False, exchange.number)) for each in found.get(place, ())]
        counts: Counter[str] = Counter()
        labels: dict[str, str] = {}
        for passage, words in own:
            counts.update(words)
            for word in words:
                label = _LABELS[passage.part]
                labels[word] = min(labels.get(word, label), label)
        strengths = {word: (labels[word], count) for word, count in counts.items()}
        digest = _digest(passage for passage, _ in own)
        yield replace(exchange, digest=digest, words=encode_strengths(strengths))


def _digest(passages: Iterable[PassageRow]) -> bytes | None:
    """Equal for exchanges in which the same is said; what tools were given and gave back does not count."""
    said = [passage.content for passage in passages if passage.part != "trace_body"]
    return hashlib.sha256("\n".join(said).encode()).digest() if said else None
