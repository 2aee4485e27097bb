"""Settings of the language model endpoint and its limits."""

from dataclasses import dataclass
from typing import Self

from pydantic import SecretStr

from vcontract.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """An OpenAI-compatible endpoint. Without a base URL and a model, nothing is ever called."""

    base_url: str | None = None
    model: str | None = None
    api_key: SecretStr | None = None
    timeout_seconds: float = 60
    """Timeout of one request."""
    max_output_tokens: int = 4_000

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the endpoint configured in settings."""
        return cls(settings.llm_base_url, settings.llm_model, settings.llm_api_key)

    @property
    def missing(self) -> tuple[str, ...]:
        """Required settings that are missing."""
        needed = (("VCONTRACT_LLM_BASE_URL", self.base_url), ("VCONTRACT_LLM_MODEL", self.model))
        return tuple(name for name, value in needed if not value)

    @property
    def configured(self) -> bool:
        return not self.missing
