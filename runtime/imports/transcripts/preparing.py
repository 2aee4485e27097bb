"""Prepare a transcript for the store: its vCon, summary and searchable exchanges."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import objects
from vcontract.runtime.imports.transcripts.building import build_vcon
from vcontract.runtime.imports.transcripts.identity import project_of
from vcontract.runtime.imports.transcripts.merging import merged, merged_tags
from vcontract.runtime.imports.transcripts.model import Session
from vcontract.runtime.imports.transcripts.summaries import one_line, summary_line
from vcontract.runtime.store.transcripts.rows import ExchangeRow, FileRow, TranscriptRow
from vcontract.runtime.store.vcons.indexed_texts import PassageRow
from vcontract.runtime.store.vcons.preparation import PrepareContext, PreparedVcon, prepare
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.text.tsvector import encode_strengths
from vcontract.runtime.vcon.bodies import TextBody, read_body
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION
from vcontract.runtime.vcon.tags import MAX_VALUE_LENGTH, TagValue
from vcontract.runtime.vcon.version_migration import with_new_dialog, written

_LABELS = {"dialog": "B", "trace": "B", "trace_body": "C"}


@dataclass(frozen=True, slots=True)
class PreparedTranscript:
    """Everything that one transcript adds to the store, except its file's state."""

    vcon: PreparedVcon
    exchanges: tuple[ExchangeRow, ...]
    files: tuple[FileRow, ...]
    title: str | None
    summary: str
    given: JsonObject
    changed: bool
    """Whether the vCon differs from the stored one."""


def prepare_transcript(
    session: Session,
    stored: StoredVcon | None,
    before: TranscriptRow | None,
    shared_summary: str | None,
    prepare_context: PrepareContext,
    now: datetime,
    version: str = WRITTEN_VERSION,
) -> PreparedTranscript:
    """Build and prepare the vCon of a session; `shared_summary` is a summary from another file.

    A new vCon is of this version; a stored one keeps its own.

    Raises: VconRefused.
    """
    own = [
        text for record, text in session.facts.summaries if record is None or record in session.facts.records
    ]
    title = session.facts.title
    summary = summary_line(
        (stored_summary(stored), own[-1] if own else shared_summary, title),
        [exchange for exchange in session.exchanges if not exchange.abandoned],
    )
    subject = one_line(title) if title else summary
    built = build_vcon(session, subject, now)
    tags = _tags(session)
    given: JsonObject = {"subject": subject, "tags": tags}
    old = stored.raw() if stored is not None else None
    if old is not None and stored is not None:
        old_given: JsonObject = before.given if before is not None else {}
        built = merged(old, built, old_given.get("subject"))
        tags = merged_tags(stored.tags, tags, old_given.get("tags") or {})
        built = replace(built, document=with_new_dialog(built.document))
    else:
        built = replace(built, document=written(built.document, version))
    prepared = prepare(
        built.document,
        prepare_context,
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
    """Newest summary among the analyses of a vCon."""
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
    return {key: one_line(str(value), MAX_VALUE_LENGTH) for key, value in values.items() if value}


def _indexed(exchanges: Sequence[ExchangeRow], vcon: PreparedVcon) -> Iterable[ExchangeRow]:
    """Add digest and words to each exchange."""
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
    """Digest of the text of an exchange, without tool inputs and outputs."""
    said = [passage.content for passage in passages if passage.part != "trace_body"]
    return hashlib.sha256("\n".join(said).encode()).digest() if said else None
