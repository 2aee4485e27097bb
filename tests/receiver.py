"""A receiver of webhook events: an address on this machine that keeps what is sent there."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from vcontract.runtime.frame.documents.json import JsonObject, parse_json


@dataclass(slots=True)
class Receiver:
    """`answers` are given one a message, the last one again and again."""

    url: str
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    bodies: list[bytes] = field(default_factory=list[bytes])
    answers: list[int] = field(default_factory=lambda: [204])

    @property
    def messages(self) -> list[JsonObject]:
        return [parse_json(body) for body in self.bodies]

    def received(self) -> list[tuple[str, str]]:
        """Event and vCon of each message."""
        return [(one["type"], one["data"]["uuid"]) for one in self.messages]


@contextmanager
def receiving() -> Generator[Receiver]:
    """A receiver that listens on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            answers = receiver.answers
            self.send_response(answers.pop(0) if len(answers) > 1 else answers[0])
            self.send_header("Location", receiver.url)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """The standard error belongs to the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}/heard")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
