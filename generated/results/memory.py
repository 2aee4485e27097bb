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
    """Name of the project it was about."""
    date: str
    """Day of its first entry, UTC."""
    harness: str
    """The program that wrote it, such as claude-code or cursor."""
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
    next_start_line: NotRequired[int]
    """When it does, the startLine to continue with."""


class MemoryReadResultExchangesEntry(TypedDict):
    """One entry of `exchanges` of MemoryReadResult."""

    number: int
    """Counts the exchanges of the whole conversation."""
    line_start: int
    """First line of the exchange."""
    line_end: int
    """Its last line."""
    started_at: str
    """When it began, RFC 3339 in UTC."""
    user: NotRequired[str]
    """What the person said in these lines."""
    assistant: NotRequired[str]
    """What the agent said."""
    tools: NotRequired[list[str]]
    """A line for each call of a tool."""
    outputs: NotRequired[list[MemoryReadResultExchangesEntryOutputsEntry]]
    """What these calls gave back, where it is no short line; in their order."""
    sub_agents: NotRequired[list[str]]
    """What sub-agents said that it began."""
    notes: NotRequired[list[str]]
    """Compaction, interruption, lines that cannot be read."""


class MemoryReadResultExchangesEntryOutputsEntry(TypedDict):
    """One entry of `outputs` of MemoryReadResultExchangesEntry."""

    line: int
    """Of the call; read with it as startLine and endLine, the output is shown whole."""
    text: str
    """The output, or its beginning."""
    characters: int
    """How many the whole has."""


class MemorySearchResult(TypedDict):
    """The success of memory_search."""

    success: Literal[True]
    results: list[MemorySearchResultResultsEntry]
    """One a conversation, best first."""
    total: int
    """Conversations that match."""
    returned: int
    """Conversations in this answer."""
    next_offset: NotRequired[int]
    """The offset that goes on, when more follow."""
    total_is_exact: bool
    """False when there may be more than total."""
    mode_used: str
    """vector, text or both; text when both was asked for and meaning is not to be had."""
    relaxed: NotRequired[bool]
    """True when no exchange has all words, or a piece of a word was found by reading."""
    embedding_coverage: float
    """Share of the text that is found by meaning yet."""
    scope: MemorySearchResultScope
    """What was searched."""
    message: NotRequired[str]
    """No conversations found, when there are none."""
    notes: NotRequired[list[str]]
    """What to know about this answer, a sentence each."""


class MemorySearchResultResultsEntry(TypedDict):
    """One entry of `results` of MemorySearchResult."""

    path: str
    """The archived transcript; send it as path to read it."""
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
    match_line: NotRequired[int]
    """Line of the message that matched, or the first when tools did."""
    exchange: int
    """Its number; negative for a sub-agent's."""
    exchanges: int
    """How many exchanges the conversation has."""
    session_id: str
    """The agent's session."""
    vcon_uuid: str
    """The vCon of the conversation."""
    harness: str
    """The program that wrote it, such as claude-code or cursor."""
    git_branch: NotRequired[str]
    """The branch worked on, if known."""
    similarity: NotRequired[float]
    """How near the meaning is; of one query, not of an array."""
    text_score: NotRequired[float]
    """How well the words fit; of one query, not of an array."""
    concepts: NotRequired[list[MemorySearchResultResultsEntryConceptsEntry]]
    """For an array, the best score of each concept in the conversation."""
    strength: NotRequired[str]
    """How far from chance: strong, fair or weak; of weak ones alone, at most ten come; may grow."""
    also_in: NotRequired[list[str]]
    """Paths of later conversations that hold the same exchange."""
    more: NotRequired[list[MemorySearchResultResultsEntryMoreEntry]]
    """Further exchanges of it, best first, when more than one was asked for."""
    more_exchanges: NotRequired[int]
    """Exchanges of it that are better than chance and not shown, if any."""


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
    """From this day on."""
    before: NotRequired[str]
    """Until before this day."""
    project: NotRequired[str]
    """Only this project."""
    sidechains: bool
    """Whether conversations of sub-agents were searched."""
