"""Calibrate a model with test questions and answers: what its cosines mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import Calibration

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Embedder

_DECIMALS: Final = 3


def measured(embedder: "Embedder") -> Calibration:
    """Calibrate a model without known values. The file has one question and its answer a line.

    Raises: EmbeddingFailed; ModelUnavailable.
    """
    import numpy as np

    lines = Path(__file__).with_name("probes.txt").read_text(encoding="utf-8").splitlines()
    questions, answers = zip(*(line.split("\t") for line in lines), strict=True)
    cosines = embedder.embed(questions, "query") @ embedder.embed(answers, "document").T
    is_answer = np.eye(len(lines), dtype=bool)
    return calibration_of(cosines[~is_answer].tolist(), cosines[is_answer].tolist())


def calibration_of(unrelated: Sequence[float], relevant: Sequence[float]) -> Calibration:
    """Compute a calibration from cosines of unrelated pairs, and of questions with their answers."""
    import numpy as np

    points = (np.median(unrelated), np.percentile(unrelated, 99), np.median(relevant))
    return Calibration(*(round(float(point), _DECIMALS) for point in points))
