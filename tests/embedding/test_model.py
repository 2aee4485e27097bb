"""A model in use: loaded once, when needed; a failure is a state with a cure; a query never waits."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.conftest import PATIENCE
from vcontract.runtime.embedding.embedder import Calibration, Kind, ModelUnavailable, WindowEmbedder
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.embedding.model import EmbeddingModel, ModelState
from vcontract.runtime.embedding.recipe import Recipe, make_embedder
from vcontract.runtime.settings import Settings


class Gated:
    """An embedder whose documents wait for a gate."""

    id, dim = "gated", 1
    calibration: Calibration | None = None
    windows: WindowEmbedder | None = None

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.waiting = threading.Semaphore(0)

    def embed(self, texts: Sequence[str], kind: Kind = "document") -> npt.NDArray[np.float32]:
        if kind == "document":
            self.waiting.release()
            assert self.gate.wait(30)
        return np.array([[float(len(text))] for text in texts], np.float32)

    def close(self) -> None:
        """Nothing to let go of."""


async def test_a_model_is_loaded_once_and_only_when_it_is_needed(minilm: MiniLm) -> None:
    loaded: list[MiniLm] = []

    def load() -> MiniLm:
        loaded.append(minilm)
        return minilm

    model = EmbeddingModel(load, 2)
    assert (model.state.status, loaded) == ("idle", [])

    rows = await asyncio.gather(*(model.embed_query(text) for text in ("one", "two", "one")))

    assert (model.state.status, len(loaded)) == ("ready", 1)
    assert (rows[0] == rows[2]).all()
    assert (rows[1] == minilm.embed(["two"])).all()
    await model.close()


async def test_documents_keep_their_order_over_all_threads(minilm: MiniLm) -> None:
    model = EmbeddingModel(lambda: minilm, 2)
    texts = [f"turn {number} " * (1 + number % 5) for number in range(90)]

    rows = await model.embed_documents(texts)

    assert (rows == minilm.embed(texts)).all()
    assert (await model.embed_documents([])).shape == (0, minilm.dim)
    await model.close()


async def test_a_query_is_answered_while_documents_fill_every_thread() -> None:
    gated = Gated()
    model = EmbeddingModel(lambda: gated, 2)
    await model.ready()
    documents = asyncio.create_task(model.embed_documents(["text"] * 200))
    for _ in range(2):
        assert await asyncio.to_thread(gated.waiting.acquire, timeout=PATIENCE)

    answered = await asyncio.wait_for(model.embed_query("query"), PATIENCE)

    assert not documents.done()
    assert answered.tolist() == [[5.0]]
    gated.gate.set()
    assert (await documents).shape == (200, 1)
    await model.close()


async def test_what_was_not_begun_when_a_caller_left_is_not_done() -> None:
    gated = Gated()
    model = EmbeddingModel(lambda: gated, 1)
    documents = asyncio.create_task(model.embed_documents(["text"] * 3_200))
    await model.ready()
    assert await asyncio.to_thread(gated.waiting.acquire, timeout=PATIENCE)

    documents.cancel()
    await asyncio.wait([documents])
    gated.gate.set()
    await model.close()

    assert documents.cancelled()
    assert not gated.waiting.acquire(blocking=False)


async def test_a_caller_does_not_wait_without_end_for_a_model_that_loads() -> None:
    gate = threading.Event()

    def load() -> Gated:
        assert gate.wait(30)
        return Gated()

    model = EmbeddingModel(load, 1)

    with pytest.raises(ModelUnavailable) as unavailable:
        await model.ready(wait=0.01)

    assert (unavailable.value.reason, model.state.status) == ("loading", "loading")
    gate.set()
    assert (await model.ready()).id == "gated"
    await model.close()


async def test_a_model_is_let_go_of_when_it_has_not_been_used_and_loaded_again_when_it_is() -> None:
    loaded: list[Gated] = []

    def load() -> Gated:
        loaded.append(Gated())
        return loaded[-1]

    model = EmbeddingModel(load, 1)
    documents = asyncio.create_task(model.embed_documents(["text"]))
    await model.ready()
    assert await asyncio.to_thread(loaded[0].waiting.acquire, timeout=PATIENCE)

    await model.rest(0)
    assert model.state.status == "ready"  # at work
    loaded[0].gate.set()
    await documents
    await model.rest(3_600)
    assert model.state.status == "ready"  # used a moment ago

    await model.rest(0)
    assert model.state == ModelState("idle")
    assert (await model.embed_query("query")).tolist() == [[5.0]]
    assert len(loaded) == 2
    await model.close()


async def test_a_model_that_cannot_be_loaded_is_a_state_with_a_cure() -> None:
    attempts: list[int] = []

    def load() -> Gated:
        attempts.append(1)
        raise RuntimeError("broken file")

    model = EmbeddingModel(load, 1)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="RuntimeError: broken file"):
            await model.embed_query("query")

    assert model.state.status == "failed"
    assert "VCONTRACT_EMBEDDING_PROVIDER=none" in model.state.cure
    assert len(attempts) == 1  # not at every query
    await model.close()


@pytest.mark.parametrize(
    ("settings", "reason", "message"),
    [
        ({"embedding_provider": "none"}, "not_configured", "switched off"),
        ({"embedding_provider": "onnx"}, "not_configured", "VCONTRACT_EMBEDDING_PATH"),
        ({"embedding_provider": "onnx", "embedding_path": Path("no-such.onnx")}, "failed", "No such file"),
        ({"embedding_provider": "openai"}, "not_configured", "VCONTRACT_EMBEDDING_URL"),
        (
            {"embedding_provider": "openai", "embedding_url": "http://localhost:1/v1"},
            "not_configured",
            "VCONTRACT_EMBEDDING_MODEL",
        ),
        (
            {
                "embedding_provider": "openai",
                "embedding_url": "http://ann:s3cret@localhost:1/v1",
                "embedding_model": "small",
            },
            "not_configured",
            "holds a user or a password",
        ),
    ],
)
def test_incomplete_settings_name_what_is_missing(
    settings: dict[str, object], reason: str, message: str
) -> None:
    with pytest.raises(ModelUnavailable, match=message) as unavailable:
        make_embedder(Recipe.of_settings(Settings.model_validate(settings)))

    assert unavailable.value.reason == reason
    assert unavailable.value.cure
    assert "s3cret" not in str(unavailable.value)
