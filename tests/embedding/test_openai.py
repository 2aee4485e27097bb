"""An embedding service over HTTP: order, checks, retries, and what is the service's fault."""

import numpy as np
import pytest

from tests.embedding.service import Answer, Service, embed_all, vector_of
from vcontract.runtime.embedding.embedder import EmbeddingFailed, ModelUnavailable
from vcontract.runtime.embedding.openai import OpenAiCompatible
from vcontract.runtime.frame.documents.json import JsonValue


def test_vectors_come_in_the_order_of_the_texts_at_unit_length(service: Service) -> None:
    texts = [f"text {number}" * (1 + number % 7) for number in range(150)]
    model = service.make()
    rows = model.embed(texts)
    model.close()

    expected = np.array([vector_of(text) for text in texts], np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert rows == pytest.approx(expected, abs=1e-6)
    assert model.dim == 3
    assert rows.dtype == np.float32
    assert max(len(request["input"]) for request in service.requests) <= 64


def test_prompts_model_key_and_dimension_are_sent(service: Service) -> None:
    model = service.make(api_key="k3y", dimension=3, query_prompt="query: ", document_prompt="text: ")
    model.embed(["a"], "query")
    model.embed(["b", "", "\ud800"], "document")
    model.close()

    assert [request["input"] for request in service.requests] == [
        ["query: a"],
        ["text: b", "text: ", "text: ?"],
    ]
    assert {(request["model"], request["dimensions"]) for request in service.requests} == {("small", 3)}
    assert set(service.keys) == {"Bearer k3y"}
    assert "query: " in model.id
    assert "k3y" not in model.id


def test_an_empty_text_is_not_sent_empty(service: Service) -> None:
    model = service.make(dimension=3)
    model.embed([""])
    model.close()

    assert service.requests[0]["input"] == [" "]


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_service_that_recovers_is_asked_again(service: Service, status: int) -> None:
    service.answers = [status, status, embed_all]
    model = service.make(dimension=3)

    assert model.embed(["a"]).shape == (1, 3)

    model.close()
    assert len(service.requests) == 3


def test_a_service_that_stays_down_is_unavailable_after_four_attempts(service: Service) -> None:
    service.answers = [503]
    model = service.make(dimension=3)

    with pytest.raises(ModelUnavailable, match="HTTP 503, 4 times") as unavailable:
        model.embed(["a"])

    model.close()
    assert "that the service runs" in unavailable.value.cure
    assert len(service.requests) == 4


def test_a_text_that_the_service_refuses_is_not_sent_again(service: Service) -> None:
    service.answers = [400]
    model = service.make(dimension=3)

    with pytest.raises(EmbeddingFailed, match="HTTP 400"):
        model.embed(["a"])

    model.close()
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_address_makes_the_model_unavailable(service: Service, status: int) -> None:
    service.answers = [status]

    with pytest.raises(ModelUnavailable, match=f"HTTP {status}") as refused:
        service.make()

    assert "VCONTRACT_EMBEDDING_URL" in refused.value.cure
    assert len(service.requests) == 1


def test_a_service_that_is_not_there_makes_the_model_unavailable() -> None:
    with pytest.raises(ModelUnavailable, match="ConnectError"):
        OpenAiCompatible("http://127.0.0.1:9/v1", "small", first_pause=0.001)


def test_an_address_that_is_none_makes_the_model_unavailable() -> None:
    for url, reason in (
        ("http://[::1", "InvalidURL"),
        ("127.0.0.1/v1", "UnsupportedProtocol"),
        ("http://127.0.0.1:99999/v1", "no such port"),
    ):
        with pytest.raises(ModelUnavailable, match=reason):
            OpenAiCompatible(url, "small", first_pause=0.001)


@pytest.mark.parametrize(("key", "sent"), [(None, "Basic YWRhOnMzY3JldA=="), ("k3y", "Bearer k3y")])
def test_a_password_in_the_address_is_sent_where_no_key_is_and_never_told(
    service: Service, key: str | None, sent: str
) -> None:
    service.answers = [404]

    with pytest.raises(ModelUnavailable, match="HTTP 404") as refused:
        OpenAiCompatible(service.url.replace("//", "//ada:s3cret@"), "small", api_key=key)

    assert service.keys == [sent]
    assert "s3cret" not in str(refused.value)


def test_an_answer_without_end_is_not_read_to_its_end(service: Service) -> None:
    service.answers = [answering({"data": " " * 20_000_000})]
    model = service.make(dimension=3)

    with pytest.raises(EmbeddingFailed, match="more than 16000000 bytes"):
        model.embed(["a"])

    model.close()
    assert len(service.requests) == 1


def answering(answer: JsonValue) -> Answer:
    return lambda _: answer


def rows_of(*rows: JsonValue) -> Answer:
    return answering({"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (rows_of([1.0, 2.0]), r"dimension \[2\]; expected 3"),
        (rows_of([0.0, 0.0, 0.0]), "zeros"),
        (rows_of([1.0, "2", 3.0]), "not a list of numbers"),
        (rows_of("AAAA"), "not a list of numbers"),
        (rows_of([1.0, 1e39, 1.0]), "not finite"),
        (rows_of(), "answered 1 texts with 0"),
        (rows_of([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), "answered 1 texts with 2"),
        (answering({"data": [{"index": 5, "embedding": [1.0, 2.0, 3.0]}]}), "wrong indices"),
        (answering({"error": "no"}), "answered 1 texts with 0"),
        (answering([]), "answered 1 texts with 0"),
    ],
)
def test_an_answer_that_is_no_vectors_is_refused(service: Service, answer: Answer, message: str) -> None:
    service.answers = [answer]
    model = service.make(dimension=3)

    with pytest.raises(EmbeddingFailed, match=message):
        model.embed(["a"])

    model.close()
