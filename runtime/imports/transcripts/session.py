"""A session: a transcript that was read to its end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from vcontract.runtime.imports.transcripts.model import Exchange, Facts, Harness

UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Session:
    """A transcript that was read to its end."""

    uuid: UUID
    harness: Harness
    session: str
    is_sidechain: bool
    facts: Facts
    exchanges: Sequence[Exchange]

    @property
    def all_exchanges(self) -> Iterator[Exchange]:
        """Each exchange of the main sequence, and behind it those of sub-agents that began in it."""
        for exchange in self.exchanges:
            yield exchange
            yield from exchange.sidechains

    @property
    def model(self) -> str:
        """The model of most messages."""
        models = self.facts.models
        return max(models, key=models.__getitem__) if models else UNKNOWN

    @property
    def provider(self) -> str:
        if self.facts.provider:
            return self.facts.provider
        if self.harness == "claude-code" and self.model.startswith("claude"):
            return "anthropic"
        return UNKNOWN

    @property
    def started_at(self) -> datetime:
        return min(exchange.started_at for exchange in self.all_exchanges)

    @property
    def ended_at(self) -> datetime:
        return max(exchange.ended_at for exchange in self.all_exchanges)
