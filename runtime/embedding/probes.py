"""Probes: questions with their answers, by which it is measured what the cosines of a model mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import Calibration

if TYPE_CHECKING:
    from vcontract.runtime.embedding.embedder import Embedder

_DECIMALS: Final = 3


def measured(embedder: "Embedder") -> Calibration:
    """The calibration of a model that nobody measured, from a question and its answer a line of the file.

    Raises: EmbeddingFailed; ModelUnavailable.
    """
    import numpy as np

    lines = Path(__file__).with_name("probes.txt").read_text(encoding="utf-8").splitlines()
    questions, answers = zip(*(line.split("\t") for line in lines), strict=True)
    cosines = embedder.embed(questions, "query") @ embedder.embed(answers, "document").T
    is_answer = np.eye(len(lines), dtype=bool)
    return calibration_of(cosines[~is_answer].tolist(), cosines[is_answer].tolist())


def calibration_of(unrelated: Sequence[float], relevant: Sequence[float]) -> Calibration:
    """What cosines mean, from those of unrelated pairs, and of questions and what answers them."""
    import numpy as np

    points = (np.median(unrelated), np.percentile(unrelated, 99), np.median(relevant))
    return Calibration(*(round(float(point), _DECIMALS) for point in points))
