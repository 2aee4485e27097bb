"""Models of the tools of the `memory` toolset.

Made from spec/tools/memory and the shapes it uses (sha256:1e86e3d9203f07ced8286ab48b8ec46bd76247d763569799877a5603cb75f67e).
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal

from pydantic import MISSING, ConfigDict
from vcontract.generated.models.base import Model


class MemoryReadParams(Model):
    """Parameters of memory_read."""

    model_config = ConfigDict(
        extra="forbid",
    )
    path: str
    """Of a search result."""
    startLine: int = 1
    """First line."""
    endLine: int | MISSING = MISSING
    """Default the end."""


class MemoryReadResult(Model):
    """The success of memory_read."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    path: str
    """The archived transcript."""
    session_id: str
    """The agent's session."""
    project: str
    """Name of the project it was about."""
    date: str
    """Day of its first entry, UTC."""
    harness: str
    """The program that wrote it: claude-code or codex; may grow."""
    vcon_uuid: str
    """The vCon of the conversation, which has the whole trace."""
    total_lines: int
    """Lines of the transcript."""
    start_line: int
    """First line of this answer."""
    end_line: int
    """Its last line."""
    exchanges: list[MemoryReadResultExchangesEntry]
    """The exchanges with anything in these lines."""
    truncated: bool
    """Whether the answer ends before the lines asked for."""
    next_start_line: int | MISSING = MISSING
    """When it does, the startLine to continue with."""


class MemoryReadResultExchangesEntry(Model):
    """One entry of `exchanges` of MemoryReadResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    number: int
    """Counts the exchanges of the whole conversation."""
    line_start: int
    """First line of the exchange."""
    line_end: int
    """Its last line."""
    started_at: str
    """When it began, RFC 3339 in UTC."""
    user: str | MISSING = MISSING
    """What the person said in these lines."""
    assistant: str | MISSING = MISSING
    """What the agent said."""
    tools: list[str] | MISSING = MISSING
    """A line for each call of a tool."""
    sub_agents: list[str] | MISSING = MISSING
    """What sub-agents said that it began."""
    notes: list[str] | MISSING = MISSING
    """Compaction, interruption, lines that cannot be read."""


class MemorySearchParams(Model):
    """Parameters of memory_search."""

    model_config = ConfigDict(
        extra="forbid",
    )
    query: str | list[str]
    """Text, or 2-5 concepts that one conversation must all hold. Quotes make a phrase."""
    mode: Literal["vector", "text", "both"] = "both"
    """vector: by meaning. text: every word, symbols literally."""
    limit: int = 10
    """Page size."""
    after: str | MISSING = MISSING
    """From, YYYY-MM-DD."""
    before: str | MISSING = MISSING
    """Before this day."""
    response_format: Literal["markdown", "json"] = "markdown"
    """Its form."""


class MemorySearchResult(Model):
    """The success of memory_search."""

    model_config = ConfigDict(
        extra="allow",
    )
    success: Literal[True] = True
    results: list[MemorySearchResultResultsEntry]
    """One a conversation, best first."""
    total: int
    """Conversations that match."""
    returned: int
    """Conversations in this answer."""
    total_is_exact: bool
    """False when there may be more than total."""
    mode_used: str
    """vector, text or both; text when both was asked for and meaning is not to be had."""
    relaxed: bool | MISSING = MISSING
    """True when no exchange has all words, or a piece of a word was found by reading."""
    embedding_coverage: float
    """Share of the text that is found by meaning yet."""
    scope: MemorySearchResultScope
    """What was searched."""
    message: str | MISSING = MISSING
    """No conversations found, when there are none."""
    notes: list[str] | MISSING = MISSING
    """What to know about this answer, a sentence each."""


class MemorySearchResultResultsEntry(Model):
    """One entry of `results` of MemorySearchResult."""

    model_config = ConfigDict(
        extra="allow",
    )
    path: str
    """The archived transcript; the key that read takes."""
    project: str
    """Name of the project it was about."""
    date: str
    """Day of the exchange found, UTC."""
    score: float
    """How well it fits, two decimals, rounded down."""
    summary: str
    """The conversation in one line, at most 300 characters."""
    snippet: str
    """Text around the match, at most 240 characters and a mark where it was cut."""
    line_start: int
    """First line of the exchange found."""
    line_end: int
    """Its last line."""
    exchange: int
    """Its number; negative for a sub-agent's."""
    exchanges: int
    """How many exchanges the conversation has."""
    session_id: str
    """The agent's session."""
    vcon_uuid: str
    """The vCon of the conversation."""
    harness: str
    """The program that wrote it: claude-code or codex; may grow."""
    git_branch: str | MISSING = MISSING
    """The branch worked on, if known."""
    similarity: float | MISSING = MISSING
    """How near the meaning is; of one query, not of an array."""
    text_score: float | MISSING = MISSING
    """How well the words fit; of one query, not of an array."""
    concepts: list[MemorySearchResultResultsEntryConceptsEntry] | MISSING = MISSING
    """For an array, the best score of each concept in the conversation."""
    also_in: list[str] | MISSING = MISSING
    """Paths of later conversations that hold the same exchange."""


class MemorySearchResultResultsEntryConceptsEntry(Model):
    """One entry of `concepts` of MemorySearchResultResultsEntry."""

    model_config = ConfigDict(
        extra="allow",
    )
    query: str
    """The concept."""
    score: float
    """Its score, rounded down."""


class MemorySearchResultScope(Model):
    """What was searched."""

    model_config = ConfigDict(
        extra="allow",
    )
    after: str | MISSING = MISSING
    """From this day on."""
    before: str | MISSING = MISSING
    """Until before this day."""
    sidechains: bool
    """Whether conversations of sub-agents were searched."""
