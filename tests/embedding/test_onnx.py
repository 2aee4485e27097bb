"""A model of the operator's own: the shipped weights as a file, with a tokenizer beside them."""

import shutil
import sys
from pathlib import Path

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
    with pytest.raises(ModelUnavailable, match=r"vocab\.txt has no piece '\[UNK\]'"):
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
