"""How the bridge answers: records on the wire, notices, and the text that a model reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from vcontract.handlers.bridge.texts import snippet
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.store.bridge.records import Composed, EventTime, Link, Record, Source
from vcontract.runtime.vcon.times import format_time


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning or a hint."""

    code: str
    message: str
    facts: JsonObject = field(default_factory=dict[str, object])

    def document(self) -> JsonObject:
        return {"code": self.code, "message": self.message, **self.facts}


@dataclass(slots=True)
class Notices:
    """What deserves a look after a call."""

    warnings: list[Notice] = field(default_factory=list[Notice])
    hints: list[Notice] = field(default_factory=list[Notice])

    def warn(self, code: str, message: str, **facts: object) -> None:
        self.warnings.append(Notice(code, message, facts))

    def hint(self, code: str, message: str, **facts: object) -> None:
        self.hints.append(Notice(code, message, facts))

    def document(self) -> JsonObject:
        return {
            "warnings": [notice.document() for notice in self.warnings],
            "hints": [notice.document() for notice in self.hints],
        }

    def lines(self) -> list[str]:
        return [
            *(f"Warning: {notice.message}" for notice in self.warnings),
            *(f"Hint: {notice.message}" for notice in self.hints),
        ]


def told(happened: str, facts: Iterable[str], notices: Notices) -> str:
    """The text of an answer: what happened, a fact a line, then warnings and hints."""
    return "\n".join([happened, *facts, *notices.lines()])


def record_document(record: Record) -> JsonObject:
    """The record as it goes on the wire; what it lacks is absent."""
    members: JsonObject = {}
    if isinstance(record, Source):
        members = _source(record)
    elif isinstance(record, Composed):
        members = _composed(record)
    return {name: value for name, value in members.items() if value is not None}


def record_facts(record: Record) -> list[str]:
    """The record in lines, a fact each; long texts are cut, so that no text can pass for a line."""
    if isinstance(record, Source):
        facts = [
            f"Content: {snippet(record.content)}",
            f"Experiencer: {record.experiencer}",
            f"Perspective: {record.perspective}",
            f"Processing: {record.processing}",
        ]
        if record.links:
            facts.append(f"Reflects on: {', '.join(record.member_ids)}")
        if record.file is not None:
            facts.append(f"File: {snippet(record.file, 200)}")
    elif isinstance(record, Composed):
        facts = [f"{record.emoji} {record.summary}", f"Experiencer: {record.experiencer}"]
        if record.type == "moment":
            facts.append(f"Qualities: {', '.join(quality_types(record))}")
        facts.append(f"Shot: {record.shot}")
        held = "Sources" if record.type == "moment" else "Members"
        facts.append(f"{held}: {', '.join(record.member_ids)}")
        facts.append(f"Reviewed: {'yes' if record.reviewed else 'no'}")
    else:
        facts = []
    if record.when is not None:
        facts.append(f"When: {when_line(record.when)}")
    return facts


def quality_types(moment: Composed) -> list[str]:
    """The distinct types of a moment's qualities, in their order."""
    return list(dict.fromkeys(quality.type for quality in moment.qualities))


def when_line(when: EventTime) -> str:
    """The event time as it was written, and what it means."""
    if when.start is None or when.end is None:
        return f"{when.text} (not understood)"
    return f"{when.text} = {format_time(when.start)} to {format_time(when.end)} ({when.zone})"


def listed(ids: Sequence[str], most: int = 10) -> str:
    """Ids in a sentence; of many the first."""
    more = len(ids) - most
    return ", ".join(ids[:most]) + (f" and {more} more" if more > 0 else "")


def _source(source: Source) -> JsonObject:
    return {
        "id": source.id,
        "type": source.type,
        "content": source.content,
        "contentType": source.content_type,
        "experiencer": source.experiencer,
        "perspective": source.perspective,
        "processing": source.processing,
        "when": None if source.when is None else source.when.text,
        "reflects_on": list(source.member_ids) or None,
        "file": source.file,
        "created": format_time(source.created),
        "whenResolved": _interval(source.when),
        "modified": None if source.modified is None else format_time(source.modified),
    }


def _composed(record: Composed) -> JsonObject:
    """A moment or scene: the reference's members in its order, then ours."""
    members: JsonObject = {
        "id": record.id,
        "type": record.type,
        "emoji": record.emoji,
        "summary": record.summary,
    }
    if record.type == "moment":
        members["qualities"] = [
            {"type": quality.type, "manifestation": quality.manifestation} for quality in record.qualities
        ]
    members["shot"] = record.shot
    members |= _members(record)
    return members | {
        "created": format_time(record.created),
        "experiencer": record.experiencer,
        "narrative": record.narrative,
        "when": None if record.when is None else record.when.text,
        "whenResolved": _interval(record.when),
        "modified": None if record.modified is None else format_time(record.modified),
        "reviewed": record.reviewed,
        "autoGenerated": record.auto_generated,
        "reframedBy": record.reframed_by,
    }


def _members(record: Composed) -> JsonObject:
    if record.type == "moment":
        return {"sources": [_framed(link) for link in record.links]}
    return {
        "momentIds": list(record.members_of("moment")) or None,
        "sceneIds": list(record.members_of("scene")) or None,
    }


def _framed(link: Link) -> JsonObject:
    if link.stale:
        return {"sourceId": link.member, "stale": True}
    if link.start is None:
        return {"sourceId": link.member}
    return {"sourceId": link.member, "start": link.start, "end": link.end}


def _interval(when: EventTime | None) -> JsonObject | None:
    if when is None or when.start is None or when.end is None:
        return None
    return {
        "start": format_time(when.start),
        "end": format_time(when.end),
        "zone": when.zone,
        "precision": when.precision,
    }
