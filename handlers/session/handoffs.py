"""Handoffs: a finished session's record for the next session, and its text file."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypedDict

from vcontract.generated.results.session import LearnedReflection, SessionEndResultLearningCaptured
from vcontract.handlers.session.describing import lost_points
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.sessions import reflections
from vcontract.runtime.store.sessions import work as sessions
from vcontract.runtime.store.sessions.reflections import Reflection
from vcontract.runtime.store.sessions.work import Checkpoint, WorkSession
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.workspace.git import Since, shown
from vcontract.runtime.workspace.handoff import Section, render
from vcontract.runtime.workspace.project_facts import ProjectFacts

MAX_LEARNING_LENGTH: Final = 300
_MAX_FILES: Final = 50
_DECIDED: Final = ("decision", "decisions", "decided")
_MAX_OPEN_ITEMS: Final = 50
_STALE_AFTER: Final = timedelta(days=1)
"""Idle time after which a session counts as abandoned."""
_MAX_UNCOMMITTED: Final = 10
_LISTS: Final = {
    "insight": "insights",
    "insights": "insights",
    "solution": "solutions",
    "solutions": "solutions",
    "pattern": "patterns",
    "patterns": "patterns",
}


class LearningEntry(TypedDict):
    """Excerpt of a reflection."""

    id: str
    text: str
    tags: list[str]


class CheckpointEntry(TypedDict):
    """A checkpoint in a handoff."""

    at: str
    score: int
    commit: str | None


class Handoff(TypedDict):
    """Handoff as stored with the session."""

    project: str
    directory: str | None
    started_at: str
    ended_at: str
    branch: str | None
    start_score: int | None
    final_score: int | None
    checks: list[str]
    learning: list[LearningEntry]
    checkpoints: list[CheckpointEntry]
    commits: int | None
    subjects: list[str]
    files: list[str]
    files_count: int
    uncommitted: list[str]
    uncommitted_count: int
    open: list[LearningEntry]


def group_by_tag(stored: Sequence[Reflection]) -> SessionEndResultLearningCaptured:
    """Excerpts of reflections, grouped by tag. Those without these tags are insights."""
    lists: dict[str, list[str]] = {name: [] for name in ("insights", "solutions", "patterns")}
    for reflection in stored:
        for name in dict.fromkeys(_LISTS[tag] for tag in reflection.tags if tag in _LISTS) or ["insights"]:
            lists[name].append(excerpt_of(reflection))
    return {
        "insights": lists["insights"],
        "solutions": lists["solutions"],
        "patterns": lists["patterns"],
    }


def excerpt_of(reflection: Reflection) -> str:
    """The text. If long, cut it at a word and append the reflection's id."""
    text = reflection.content
    if len(text) <= MAX_LEARNING_LENGTH:
        return text
    words = text[: MAX_LEARNING_LENGTH + 1].rsplit(maxsplit=1)
    begin = words[0] if len(words) > 1 else text[:MAX_LEARNING_LENGTH]
    return f"{begin}… [reflection {reflection.id}]"


def open_item_texts(left_open: Sequence[Reflection]) -> list[str]:
    """Open items, each with its reflection id, which is needed to close it."""
    texts = [excerpt_of(item) for item in left_open[:_MAX_OPEN_ITEMS]]
    shown = [
        text if text.endswith(f"{item.id}]") else f"{text} [reflection {item.id}]"
        for item, text in zip(left_open, texts, strict=False)
    ]
    if more := len(left_open) - len(shown):
        shown.append(f"and {more} older ones")
    return shown


def learned_documents(stored: Sequence[Reflection]) -> list[LearnedReflection]:
    """Reflections in the form of init."""
    return [
        {
            "reflection_id": str(reflection.id),
            "text": excerpt_of(reflection),
            "tags": list(reflection.tags),
            "stored_at": format_time(reflection.stored_at),
        }
        for reflection in stored
    ]


def build_handoff(
    session: WorkSession,
    facts: ProjectFacts | None,
    since: Since,
    score: int | None,
    left_open: Sequence[Reflection],
    stored: Sequence[Reflection],
    taken: Sequence[Checkpoint],
    ended_at: datetime,
) -> Handoff:
    """Build the handoff of a session."""
    git = None if facts is None else facts.git
    uncommitted = [] if git is None else shown([*git.changed, *git.untracked])
    return {
        "project": session.project_name,
        "directory": session.directory,
        "started_at": format_time(session.started_at),
        "ended_at": format_time(ended_at),
        "branch": None if git is None else git.branch,
        "start_score": session.start_score,
        "final_score": score,
        "checks": lost_points(facts),
        "learning": _learned_entries(stored),
        "checkpoints": [
            {"at": format_time(point.at), "score": point.score, "commit": point.commit} for point in taken
        ],
        "commits": since.commits,
        "subjects": shown(since.subjects),
        "files": shown(since.files[:_MAX_FILES]),
        "files_count": len(since.files),
        "uncommitted": uncommitted[:_MAX_FILES],
        "uncommitted_count": len(uncommitted),
        "open": _learned_entries(left_open[:_MAX_OPEN_ITEMS]),
    }


def render_handoff(record: Handoff) -> str:
    """Handoff as Markdown, without unknown facts."""
    facts = {
        "Project": record["project"] or None,
        "Directory": record["directory"],
        "Start": _to_the_second(record["started_at"]),
        "End": _to_the_second(record["ended_at"]),
        "Branch": record["branch"],
    }
    scores = {"At the start": record["start_score"], "At the end": record["final_score"]}
    taken = [
        f"{_to_the_second(entry['at'])}: {entry['score']}/100{_commit(entry['commit'])}"
        for entry in record["checkpoints"]
    ]
    return render(
        f"Session handoff: {record['project'] or 'no project'}",
        [
            Section("Session", _named(facts)),
            Section("Open items", [f"{entry['id']}: {entry['text']}" for entry in record["open"]]),
            Section("Decided", _learned(record, _DECIDED)),
            Section("Learning", _learned(record, (), but=(*_DECIDED, *reflections.OPEN_TAGS))),
            Section("Quality", [*_named(scores, "/100"), *record["checks"]]),
            Section("Checkpoints", taken),
            Section(
                "Git",
                [
                    *_named({"Commits since the start": record["commits"]}),
                    *(f"Commit: {subject}" for subject in record["subjects"]),
                    *(f"Changed since the start: {path}" for path in record["files"]),
                    *_and_more(record["files_count"], record["files"]),
                    *(f"Not committed: {path}" for path in record["uncommitted"][:_MAX_UNCOMMITTED]),
                    *_and_more(record["uncommitted_count"], record["uncommitted"][:_MAX_UNCOMMITTED]),
                ],
            ),
            Section("Next steps", _next_steps(record)),
        ],
    )


async def abandon_stale(connection: Connection, tenant: str, at: datetime) -> int:
    """End sessions idle for a day as abandoned, each with a handoff. Return their number."""
    stale = await sessions.stale_sessions(connection, tenant, at - _STALE_AFTER)
    for session in stale:
        stored = await reflections.reflections_of(connection, tenant, session.id)
        taken = await sessions.checkpoints(connection, tenant, session.id)
        score = taken[-1].score if taken else session.start_score
        record = build_handoff(session, None, Since(), score, (), stored, taken, session.last_seen_at)
        await sessions.end_session(
            connection, tenant, session.id, "abandoned", score, dict(record), session.last_seen_at
        )
    return len(stale)


def _learned_entries(stored: Sequence[Reflection]) -> list[LearningEntry]:
    return [
        {"id": str(reflection.id), "text": excerpt_of(reflection), "tags": list(reflection.tags)}
        for reflection in stored
    ]


def _learned(record: Handoff, tags: Sequence[str], but: Sequence[str] = ()) -> list[str]:
    """Reflections with one of `tags`, or any if empty, and none of `but`."""
    return [
        f"{entry['id']}: {entry['text']}"
        for entry in record["learning"]
        if (not tags or set(tags) & set(entry["tags"])) and not set(but) & set(entry["tags"])
    ]


def _and_more(count: int, listed: Sequence[str]) -> list[str]:
    return [f"and {count - len(listed)} more files"] if count > len(listed) else []


def _named(values: Mapping[str, object], unit: str = "") -> list[str]:
    return [f"{name}: {value}{unit}" for name, value in values.items() if value is not None]


def _to_the_second(time: str) -> str:
    return re.sub(r"\.\d+", "", time)


def _commit(commit: str | None) -> str:
    return f", commit {commit}" if commit else ""


def _next_steps(record: Handoff) -> list[str]:
    if record["directory"] is None:
        return []
    branch = f" on branch {record['branch']}" if record["branch"] else ""
    return [f"Call init in {record['directory']}{branch}; it names this session and its open items."]
