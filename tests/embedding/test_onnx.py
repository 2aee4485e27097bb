"""A model of the operator's own: the shipped weights as a file, with a tokenizer beside them."""

import shutil
import sys
from errno import EACCES
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vcontract.runtime.embedding import minilm as shipped
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.embedding.minilm import MiniLm, find_model
from vcontract.runtime.embedding.onnx import OnnxModel

TEXTS = ["I want my money back.", "The frame is cracked.", "a longer text " * 30]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").symlink_to(find_model())
    return tmp_path


@pytest.fixture
def with_vocabulary(folder: Path) -> Path:
    shutil.copy(Path(shipped.__file__).with_name("vocab.txt"), folder)
    return folder


@pytest.fixture
def with_tokenizer(folder: Path) -> Path:
    """A tokenizer.json that pads to a fixed length, as published ones do."""
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(Path(shipped.__file__).with_name("vocab.txt")), lowercase=True)
    tokenizer.enable_padding(length=128)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.parametrize("tokenizer", ["with_vocabulary", "with_tokenizer"])
def test_the_shipped_weights_as_a_file_give_the_shipped_vectors(
    tokenizer: str, request: pytest.FixtureRequest, minilm: MiniLm
) -> None:
    model = OnnxModel(request.getfixturevalue(tokenizer), most_tokens=256)

    assert model.dim == 384
    assert (model.embed(TEXTS) == minilm.embed(TEXTS)).all()
    assert model.embed([]).shape == (0, 384)


def test_prompts_and_pooling_make_other_vectors_and_another_space(
    with_vocabulary: Path, minilm: MiniLm
) -> None:
    path = with_vocabulary / "model.onnx"
    plain = OnnxModel(path)
    prompted = OnnxModel(path, query_prompt="query: ", document_prompt="text: ")
    first_token = OnnxModel(path, pooling="cls")

    assert (prompted.embed(TEXTS, "query") == minilm.embed([f"query: {text}" for text in TEXTS])).all()
    assert (prompted.embed(TEXTS, "document") == minilm.embed([f"text: {text}" for text in TEXTS])).all()
    assert not np.allclose(first_token.embed(TEXTS), plain.embed(TEXTS), atol=0.1)
    assert len({plain.id, prompted.id, first_token.id}) == 3


def test_a_vocabulary_of_another_kind_is_refused(folder: Path) -> None:
    (folder / "vocab.txt").write_text("<unk>\n<s>\n")
    with pytest.raises(ModelUnavailable, match=r"vocab\.txt lacks the token '\[UNK\]'"):
        OnnxModel(folder)


def test_a_vocabulary_that_is_not_text_makes_the_model_unavailable(folder: Path) -> None:
    (folder / "vocab.txt").write_bytes(b"[PAD]\n\xff\n")
    with pytest.raises(ModelUnavailable, match=r"vocab\.txt is not UTF-8"):
        OnnxModel(folder)


def test_a_vocabulary_that_cannot_be_read_makes_the_model_unavailable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "vocab.txt").write_text("[PAD]\n")
    whole = Path.open

    def forbidden(path: Path, *args: Any, **options: Any) -> Any:
        if path.name == "vocab.txt":
            raise PermissionError(EACCES, "Permission denied")
        return whole(path, *args, **options)  # pyright: ignore[reportUnknownVariableType]

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(ModelUnavailable, match=r"cannot read .*vocab\.txt: Permission denied"):
        OnnxModel(folder)


def test_a_broken_tokenizer_json_makes_the_model_unavailable(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ModelUnavailable, match=r"cannot read .*tokenizer\.json"):
        OnnxModel(folder)


def test_what_reads_a_tokenizer_json_is_installed_when_it_is_wanted(
    with_tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ModelUnavailable) as raised:
        OnnxModel(with_tokenizer)
    assert "pip install '.[onnx]'" in raised.value.cure


def test_a_model_without_a_tokenizer_is_unavailable(folder: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"neither tokenizer\.json nor vocab\.txt"):
        OnnxModel(folder)
