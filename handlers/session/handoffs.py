"""Handoffs: what a session leaves for the next one, as a record in the store and as a file for people."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, TypedDict

from vcontract.generated.results.session import SessionEndResultLearningCaptured
from vcontract.handlers.session.describing import lost_points
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.sessions import reflections
from vcontract.runtime.store.sessions import work as sessions
from vcontract.runtime.store.sessions.reflections import Reflection
from vcontract.runtime.store.sessions.work import Checkpoint, WorkSession
from vcontract.runtime.vcon.times import format_time
from vcontract.runtime.workspace.facts import ProjectFacts
from vcontract.runtime.workspace.git import Since, shown
from vcontract.runtime.workspace.handoff import Section, render

LONGEST_LEARNING: Final = 300
_MOST_FILES: Final = 50
_LISTS: Final = {
    "insight": "insights",
    "insights": "insights",
    "solution": "solutions",
    "solutions": "solutions",
    "pattern": "patterns",
    "patterns": "patterns",
}


class Learned(TypedDict):
    """The beginning of a reflection."""

    id: str
    text: str


class Taken(TypedDict):
    """A checkpoint."""

    at: str
    score: int
    commit: str | None


class Handoff(TypedDict):
    """What a session's row keeps of it when it is over."""

    project: str
    directory: str | None
    started_at: str
    ended_at: str
    branch: str | None
    start_score: int | None
    final_score: int | None
    checks: list[str]
    learning: list[Learned]
    checkpoints: list[Taken]
    commits: int | None
    uncommitted: list[str]
    uncommitted_count: int
    open_items: list[str]


def learning_of(stored: Sequence[Reflection]) -> SessionEndResultLearningCaptured:
    """The beginnings of what was stored, in lists by tag; what has none of the tags is an insight."""
    lists: dict[str, list[str]] = {name: [] for name in ("insights", "solutions", "patterns")}
    for reflection in stored:
        for name in dict.fromkeys(_LISTS[tag] for tag in reflection.tags if tag in _LISTS) or ["insights"]:
            lists[name].append(reflection.content[:LONGEST_LEARNING])
    return {
        "insights": lists["insights"],
        "solutions": lists["solutions"],
        "patterns": lists["patterns"],
    }


def record_of(
    session: WorkSession,
    facts: ProjectFacts | None,
    since: Since,
    score: int | None,
    open_items: Sequence[str],
    stored: Sequence[Reflection],
    taken: Sequence[Checkpoint],
    ended_at: datetime,
) -> Handoff:
    """The handoff of a session."""
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
        "learning": [
            {"id": str(reflection.id), "text": reflection.content[:LONGEST_LEARNING]} for reflection in stored
        ],
        "checkpoints": [
            {"at": format_time(point.at), "score": point.score, "commit": point.commit} for point in taken
        ],
        "commits": since.commits,
        "uncommitted": uncommitted[:_MOST_FILES],
        "uncommitted_count": len(uncommitted),
        "open_items": list(open_items),
    }


def text_of(record: Handoff) -> str:
    """The handoff as a file for people; what is not known is not said."""
    facts = {
        "Project": record["project"] or None,
        "Directory": record["directory"],
        "Start": record["started_at"],
        "End": record["ended_at"],
        "Branch": record["branch"],
    }
    scores = {"At the start": record["start_score"], "At the end": record["final_score"]}
    taken = [
        f"{entry['at']}: {entry['score']}/100{_commit(entry['commit'])}" for entry in record["checkpoints"]
    ]
    more = record["uncommitted_count"] - len(record["uncommitted"])
    return render(
        f"Session handoff: {record['project'] or 'no project'}",
        [
            Section("Session", _named(facts)),
            Section("Quality", [*_named(scores, "/100"), *record["checks"]]),
            Section("Learning", [f"{entry['id']}: {entry['text']}" for entry in record["learning"]]),
            Section("Checkpoints", taken),
            Section(
                "Git",
                [
                    *_named({"Commits since the start": record["commits"]}),
                    *(f"Not committed: {path}" for path in record["uncommitted"]),
                    *([f"and {more} more files"] if more > 0 else []),
                ],
            ),
            Section("Open items", record["open_items"]),
            Section("How to go on", _how_to_go_on(record)),
        ],
    )


async def abandon_stale(connection: Connection, tenant: str, stale_hours: float, at: datetime) -> int:
    """Give up the sessions that were silent for so long, each with a handoff made of its rows; how many."""
    stale = await sessions.stale_sessions(connection, tenant, at - timedelta(hours=stale_hours))
    for session in stale:
        stored = await reflections.reflections_of(connection, tenant, session.id)
        taken = await sessions.checkpoints(connection, tenant, session.id)
        score = taken[-1].score if taken else session.start_score
        record = record_of(session, None, Since(), score, [], stored, taken, session.last_seen_at)
        await sessions.end_session(
            connection, tenant, session.id, "abandoned", score, dict(record), session.last_seen_at
        )
    return len(stale)


def _named(values: Mapping[str, object], unit: str = "") -> list[str]:
    return [f"{name}: {value}{unit}" for name, value in values.items() if value is not None]


def _commit(commit: str | None) -> str:
    return f", commit {commit}" if commit else ""


def _how_to_go_on(record: Handoff) -> list[str]:
    if record["directory"] is None:
        return []
    branch = f" on branch {record['branch']}" if record["branch"] else ""
    return [f"Call init in {record['directory']}{branch}; it names this session and its open items."]
