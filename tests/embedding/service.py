"""A local embedding service for the tests."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from vcontract.runtime.embedding.openai import OpenAiCompatible
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json, parse_json

Answer = Callable[[JsonObject], JsonValue]


def vector_of(text: str) -> list[float]:
    """Return a vector that differs for different texts."""
    return [float(len(text)), float(sum(text.encode())), 1.0]


def embed_all(body: JsonObject) -> JsonValue:
    rows = [{"index": place, "embedding": vector_of(text)} for place, text in enumerate(body["input"])]
    return {"data": rows[::-1]}


class Service:
    """A local service; `answers` are given one a request, the last one again and again."""

    def __init__(self) -> None:
        self.requests: list[JsonObject] = []
        self.keys: list[str | None] = []
        self.answers: list[int | Answer] = [embed_all]
        self.url = ""

    def make(self, **options: object) -> OpenAiCompatible:
        given: JsonObject = {"first_pause": 0.001, **options}
        return OpenAiCompatible(self.url, "small", **given)


@contextmanager
def running_service() -> Generator[Service]:
    """The service, listening on a port of this machine."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body: JsonObject = parse_json(self.rfile.read(int(self.headers["Content-Length"])))
            service.requests.append(body)
            service.keys.append(self.headers["Authorization"])
            answer = service.answers.pop(0) if len(service.answers) > 1 else service.answers[0]
            if self.path != "/v1/embeddings":
                answer = 404
            content = b"no" if isinstance(answer, int) else dump_json(answer(body))
            self.send_response(answer if isinstance(answer, int) else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """The standard error belongs to the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}/v1/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
