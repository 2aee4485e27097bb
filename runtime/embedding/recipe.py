"""Recipe: the model and options that made a store's vectors, saved with them so queries match."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from vcontract.runtime.embedding import minilm
from vcontract.runtime.embedding.embedder import Calibration, ModelUnavailable
from vcontract.runtime.frame.documents.json import JsonObject

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Embedder
    from vcontract.runtime.embedding.transformer import Pooling
    from vcontract.runtime.settings import Settings

Provider = Literal["minilm", "onnx", "openai", "none"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A provider and all options that influence its vectors, without secrets."""

    provider: Provider
    path: str | None = None
    url: str | None = None
    model: str | None = None
    dimension: int | None = None
    pooling: "Pooling" = "mean"
    most_tokens: int = 512
    query_prompt: str = ""
    document_prompt: str = ""

    @classmethod
    def of_settings(cls, settings: "Settings") -> "Recipe":
        """Create the recipe for the settings, without options that the provider does not use."""
        provider = settings.embedding_provider
        path = None if settings.embedding_path is None else str(settings.embedding_path.absolute())
        if provider == "minilm":
            return cls(provider, path=path)
        if provider == "onnx":
            return cls(
                provider,
                path=path,
                pooling=settings.embedding_pooling,
                query_prompt=settings.embedding_query_prompt,
                document_prompt=settings.embedding_document_prompt,
            )
        if provider == "openai":
            return cls(
                provider,
                url=settings.embedding_url,
                model=settings.embedding_model,
                query_prompt=settings.embedding_query_prompt,
                document_prompt=settings.embedding_document_prompt,
            )
        return cls(provider)

    @classmethod
    def read(cls, document: JsonObject) -> "Recipe":
        return cls(**document)

    def document(self) -> JsonObject:
        """Return the recipe as a JSON object, without default values."""
        default = asdict(Recipe(self.provider))
        changed = {name: value for name, value in asdict(self).items() if value != default[name]}
        return {"provider": self.provider, **changed}

    @property
    def is_local(self) -> bool:
        """Whether texts are embedded on this machine, in milliseconds and without a network."""
        return self.provider in ("minilm", "onnx")

    @property
    def identity(self) -> "Identity | None":
        """Identity of the embedder, if it is known before the model is loaded."""
        if self.provider != "minilm":
            return None
        return Identity(minilm.ID, minilm.DIMENSION, minilm.CALIBRATION)


@dataclass(frozen=True, slots=True)
class Identity:
    """Identifies the space of an embedder."""

    id: str
    dim: int
    calibration: Calibration | None


def make_embedder(recipe: Recipe, api_key: str | None = None) -> "Embedder":
    """Load the embedder of a recipe; takes up to seconds.

    Raises: ModelUnavailable, and what a provider's libraries raise for an unusable file.
    """
    if recipe.provider == "minilm":
        return minilm.MiniLm(None if recipe.path is None else Path(recipe.path))
    if recipe.provider == "onnx":
        from vcontract.runtime.embedding.onnx import OnnxModel

        if recipe.path is None:
            raise _incomplete("VCONTRACT_EMBEDDING_PATH", "the model's .onnx file")
        return OnnxModel(
            Path(recipe.path),
            pooling=recipe.pooling,
            most_tokens=recipe.most_tokens,
            query_prompt=recipe.query_prompt,
            document_prompt=recipe.document_prompt,
        )
    if recipe.provider == "openai":
        from vcontract.runtime.embedding.openai import OpenAiCompatible

        if recipe.url is None:
            raise _incomplete("VCONTRACT_EMBEDDING_URL", "such as http://localhost:11434/v1")
        if recipe.model is None:
            raise _incomplete("VCONTRACT_EMBEDDING_MODEL", "the model's name at the service")
        if "@" in urlsplit(recipe.url).netloc:
            raise ModelUnavailable(
                "not_configured",
                "VCONTRACT_EMBEDDING_URL holds a user or a password",
                "take them out; a key belongs into VCONTRACT_EMBEDDING_API_KEY",
            )
        return OpenAiCompatible(
            recipe.url,
            recipe.model,
            api_key=api_key,
            dimension=recipe.dimension,
            query_prompt=recipe.query_prompt,
            document_prompt=recipe.document_prompt,
        )
    raise ModelUnavailable(
        "not_configured",
        "embedding is switched off (VCONTRACT_EMBEDDING_PROVIDER=none)",
        "unset VCONTRACT_EMBEDDING_PROVIDER to use the model that comes with the program",
    )


def _incomplete(setting: str, what: str) -> ModelUnavailable:
    return ModelUnavailable("not_configured", f"{setting} is not set", f"set {setting}: {what}")
