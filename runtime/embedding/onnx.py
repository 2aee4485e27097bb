"""A local embedding model of the operator: a sentence transformer in ONNX form."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vcontract.runtime.embedding.embedder import LATE, Calibration, Kind, ModelUnavailable
from vcontract.runtime.embedding.late import LateVectors
from vcontract.runtime.embedding.transformer import Pooling, Tokenizer, Transformer, sha256_of
from vcontract.runtime.embedding.wordpiece import WordPieces

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

_CURE = (
    "name in VCONTRACT_EMBEDDING_PATH the model's .onnx file, with its tokenizer.json or vocab.txt beside it"
)
_EXTRA = "pip install '.[onnx]' in a checkout, or put the vocab.txt of an uncased BERT in its place"


class OnnxModel:
    """A model file with its tokenizer beside it: `tokenizer.json`, or the `vocab.txt` of an uncased BERT.

    Raises: ModelUnavailable if one of them is missing or unreadable.
    """

    calibration: Calibration | None = None

    def __init__(
        self,
        path: Path,
        *,
        pooling: Pooling = "mean",
        most_tokens: int = 512,
        query_prompt: str = "",
        document_prompt: str = "",
    ) -> None:
        model = path / "model.onnx" if path.is_dir() else path
        self._prompts: dict[Kind, str] = {"query": query_prompt, "document": document_prompt}
        digest = _digest(model)
        self._transformer = Transformer(model, _tokenizer(model.parent), pooling, most_tokens)
        self.dim = self._transformer.embed(["dimension"]).shape[1]
        has_states = self._transformer.has_states
        self.windows = LateVectors(self._transformer, document_prompt) if has_states else None
        prompts = f"q={query_prompt!r}/d={document_prompt!r}{LATE if has_states else ''}"
        self.id = f"onnx:{model.name}@{digest[:12]}/{pooling}/l2/{most_tokens}/{prompts}"

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> "Matrix":
        import numpy as np

        prompt = self._prompts[kind]
        if not texts:
            return np.empty((0, self.dim), np.float32)
        return self._transformer.embed([prompt + text for text in texts])

    def close(self) -> None:
        """Do nothing: there are no connections."""


def _digest(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise ModelUnavailable("failed", f"cannot read {path}: {error.strerror}", _CURE) from error


def _tokenizer(folder: Path) -> Tokenizer:
    if (file := folder / "tokenizer.json").is_file():
        return _DescribedTokenizer(file)
    if (file := folder / "vocab.txt").is_file():
        return _listed_in(file)
    raise ModelUnavailable("failed", f"{folder} has neither tokenizer.json nor vocab.txt", _CURE)


def _listed_in(file: Path) -> Tokenizer:
    try:
        return WordPieces(file)
    except KeyError as missing:
        raise ModelUnavailable("failed", f"{file} lacks the token {missing}", _CURE) from None
    except OSError as error:
        raise ModelUnavailable("failed", f"cannot read {file}: {error.strerror}", _CURE) from error
    except UnicodeDecodeError as error:
        raise ModelUnavailable("failed", f"{file} is not UTF-8: {error.reason}", _CURE) from error


class _DescribedTokenizer:
    """The tokenizer of a tokenizer.json, read by the package `tokenizers`."""

    def __init__(self, file: Path) -> None:
        try:
            from tokenizers import Tokenizer as Library
        except ImportError as error:
            raise ModelUnavailable("failed", f"tokenizers cannot be loaded: {error}", _EXTRA) from error

        try:
            self._library = Library.from_file(str(file))
        except Exception as error:  # tokenizers raises nothing more specific
            raise ModelUnavailable("failed", f"cannot read {file}: {error}", _CURE) from error
        # many such files pad every text to a fixed length, which is much slower
        self._library.no_padding()
        self._library.no_truncation()
        (bare,) = self.pieces(["a"])
        framed: list[int] = self._library.encode("a").ids
        before = next(at for at in range(len(framed)) if framed[at : at + len(bare)] == bare)
        self.first, self.last = framed[:before], framed[before + len(bare) :]

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        # the tokenizer rejects unpaired surrogates
        whole = [text.encode("utf-8", "replace").decode() for text in texts]
        return [encoding.ids for encoding in self._library.encode_batch(whole, add_special_tokens=False)]
