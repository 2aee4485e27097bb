"""Results of the tools and contents of the resources of the `memory` toolset.

Made from spec.
Do not edit; run: make generate
"""
from __future__ import annotations

# ruff: noqa - printed by the model generator, which has its own layout

from typing import Literal, NotRequired, TypedDict


class MemoryReadResult(TypedDict):
    """The success of memory_read."""

    success: Literal[True]
    path: str
    """The archived transcript."""
    session_id: str
    """The agent's session."""
    project: str
    """Name of the project."""
    date: str
    """Date of its first entry, UTC."""
    harness: str
    """The program that wrote it, such as claude-code or cursor."""
    vcon_uuid: str
    """UUID of the conversation's vCon, with the whole trace."""
    total_lines: int
    """Lines of the transcript."""
    start_line: int
    """First line of this response."""
    end_line: int
    """Its last line."""
    exchanges: list[MemoryReadResultExchangesEntry]
    """The exchanges in these lines."""
    truncated: bool
    """Whether the response ends before the requested lines."""
    next_start_line: NotRequired[int]
    """startLine to continue with, if it does."""


class MemoryReadResultExchangesEntry(TypedDict):
    """One entry of `exchanges` of MemoryReadResult."""

    number: int
    """Number of the exchange in the conversation."""
    line_start: int
    """First line of the exchange."""
    line_end: int
    """Its last line."""
    started_at: str
    """Start, RFC 3339 in UTC."""
    user: NotRequired[str]
    """What the person said in these lines."""
    assistant: NotRequired[str]
    """What the agent said."""
    tools: NotRequired[list[str]]
    """One line per tool call."""
    outputs: NotRequired[list[MemoryReadResultExchangesEntryOutputsEntry]]
    """Outputs of these calls that are longer than a line, in order."""
    sub_agents: NotRequired[list[str]]
    """Sub-agents that it started."""
    notes: NotRequired[list[str]]
    """Notices of compaction, interruption and unreadable lines."""


class MemoryReadResultExchangesEntryOutputsEntry(TypedDict):
    """One entry of `outputs` of MemoryReadResultExchangesEntry."""

    line: int
    """Line of the call. Read it as startLine and endLine for the whole output."""
    text: str
    """The output, or its beginning."""
    characters: int
    """Length of the whole output."""


class MemorySearchResult(TypedDict):
    """The success of memory_search."""

    success: Literal[True]
    results: list[MemorySearchResultResultsEntry]
    """One result per conversation, best first."""
    total: int
    """Conversations that match."""
    returned: int
    """Number of conversations in this response."""
    next_offset: NotRequired[int]
    """Offset of the next page, if any."""
    total_is_exact: bool
    """False if there may be more than total."""
    mode_used: str
    """vector, text or both. text if search by meaning is unavailable."""
    relaxed: NotRequired[bool]
    """True if no exchange contains all words, or a part of a word matched."""
    embedding_coverage: float
    """Share of the text that is embedded."""
    scope: MemorySearchResultScope
    """What was searched."""
    message: NotRequired[str]
    """Says that nothing was found."""
    notes: NotRequired[list[str]]
    """Notices about this response."""


class MemorySearchResultResultsEntry(TypedDict):
    """One entry of `results` of MemorySearchResult."""

    path: str
    """Path of the archived transcript, for memory_read."""
    project: str
    """Name of the project."""
    date: str
    """Date of the matching exchange, UTC."""
    score: float
    """Score of the match, rounded down to two decimals."""
    summary: str
    """The conversation in one line, at most 300 characters."""
    snippet: str
    """Text around the match, at most 240 characters and a mark where it was cut."""
    line_start: int
    """First line of the matching exchange."""
    line_end: int
    """Its last line."""
    match_line: NotRequired[int]
    """Line of the matching message, or the first line if a tool call matched."""
    exchange: int
    """Number of the exchange."""
    exchanges: int
    """Number of exchanges in the conversation."""
    session_id: str
    """The agent's session."""
    vcon_uuid: str
    """The vCon of the conversation."""
    harness: str
    """The program that wrote it, such as claude-code or cursor."""
    git_branch: NotRequired[str]
    """The branch worked on, if known."""
    similarity: NotRequired[float]
    """Similarity of meaning, for a single query."""
    text_score: NotRequired[float]
    """Match of words, for a single query."""
    concepts: NotRequired[list[MemorySearchResultResultsEntryConceptsEntry]]
    """Best score of each concept, if query is an array."""
    strength: NotRequired[str]
    """strong, fair or weak. If all results are weak, at most ten are returned; may grow."""
    also_in: NotRequired[list[str]]
    """Paths of later conversations with the same exchange."""
    more: NotRequired[list[MemorySearchResultResultsEntryMoreEntry]]
    """Further matching exchanges, best first, if requested."""
    more_exchanges: NotRequired[int]
    """Number of further matching exchanges."""


class MemorySearchResultResultsEntryConceptsEntry(TypedDict):
    """One entry of `concepts` of MemorySearchResultResultsEntry."""

    query: str
    """The concept."""
    score: float
    """Its score, rounded down."""


class MemorySearchResultResultsEntryMoreEntry(TypedDict):
    """One entry of `more` of MemorySearchResultResultsEntry."""

    exchange: int
    """Its number."""
    line_start: int
    """Its first line."""
    line_end: int
    """Its last line."""
    match_line: int
    """Line of the message that matched."""
    date: str
    """Its day, UTC."""
    score: float
    """How well it fits."""
    strength: str
    """strong, fair or weak; may grow."""
    snippet: str
    """Text around the match."""


class MemorySearchResultScope(TypedDict):
    """What was searched."""

    after: NotRequired[str]
    """First date."""
    before: NotRequired[str]
    """Date before which results end."""
    project: NotRequired[str]
    """Only this project."""
    sidechains: bool
    """Whether sub-agents were searched."""
