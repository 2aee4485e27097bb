"""A language model's endpoint of our own on loopback, which returns the answers that a test sets."""

import asyncio
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import SecretStr

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.llm.settings import LlmSettings


@dataclass(frozen=True, slots=True)
class Raw:
    """A whole HTTP answer."""

    status: int
    body: str | bytes = "{}"
    headers: tuple[tuple[str, str], ...] = ()


class Hang:
    """No answer at all."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """Pieces of a text as events; after the first the gate is closed, until somebody gets `/open`."""

    pieces: tuple[str, ...]


Answer: TypeAlias = Raw | Hang | Streamed | JsonObject | str


@dataclass(slots=True)
class FakeModel:
    """Gives its `answers` in turn: an object or a text is what the model writes."""

    port: int = 0
    answers: list[Answer] = field(default_factory=list[Answer])
    requests: list[JsonObject] = field(default_factory=list[JsonObject])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    paths: list[str] = field(default_factory=list[str])
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with the first request."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Open unless a test closes it: then answers wait."""

    def __post_init__(self) -> None:
        self.gate.set()

    def settings(self, *, timeout_seconds: float = 20, key: str | None = "k3y") -> LlmSettings:
        return LlmSettings(
            f"http://127.0.0.1:{self.port}/v1",
            "small-model",
            None if key is None else SecretStr(key),
            timeout_seconds,
        )

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                if line.startswith(b"GET /open "):
                    self.gate.set()
                    writer.write(b"HTTP/1.1 204 X\r\nconnection: close\r\n\r\n")
                    return
                self.paths.append(line.decode().split()[1])
                headers: dict[str, str] = {}
                while (header := (await reader.readline()).decode().strip()) != "":
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.headers.append(headers)
                self.requests.append(parse_json(body))
                self.asked.set()
                await self.gate.wait()
                answer = self.answers.pop(0)
                if isinstance(answer, Hang):
                    await reader.read()  # until the client gives up
                    return
                if isinstance(answer, Streamed):
                    await self._stream(answer, writer)
                    return
                raw = self._raw(answer)
                content = raw.body.encode() if isinstance(raw.body, str) else raw.body
                lines = [
                    f"HTTP/1.1 {raw.status} X",
                    *(f"{name}: {value}" for name, value in raw.headers),
                    "content-type: application/json",
                    f"content-length: {len(content)}",
                ]
                writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + content)
                await writer.drain()
        except ConnectionError:
            pass  # the client has had enough
        finally:
            writer.close()

    async def _stream(self, answer: Streamed, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for number, piece in enumerate(answer.pieces):
            await self.gate.wait()
            event = {"choices": [{"index": 0, "delta": {"content": piece}}]}
            writer.write(f"data: {json.dumps(event)}\r\n\r\n".encode())
            await writer.drain()
            if not number:
                self.gate.clear()
        await self.gate.wait()
        writer.write(b"data: [DONE]\r\n\r\n")
        await writer.drain()

    def _raw(self, answer: Raw | JsonObject | str) -> Raw:
        if isinstance(answer, Raw):
            return answer
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Raw(200, json.dumps(completion(text)))


@contextmanager
def model_in_a_thread() -> Generator[FakeModel]:
    """A model's endpoint on loopback, served by a thread of its own."""
    fake = FakeModel()
    started, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
        fake.port = server.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        server.close()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    try:
        yield fake
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def completion(text: str | None, *, finish_reason: str = "stop", refusal: str | None = None) -> JsonObject:
    """An answer in the wire format of chat completions."""
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "small-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
            }
        ],
    }


def moment(*excerpts: tuple[str, str], **members: object) -> JsonObject:
    """A moment as a model writes it; excerpts are labels with text."""
    return {
        "emoji": "🌧️",
        "summary": "Rain becomes a thing to hear",
        "narrative": "It rains, and I listen.",
        "shot": "sustained-attention",
        "qualities": [{"type": "attentional", "manifestation": "The drops one by one."}],
        "excerpts": [{"source": source, "text": text} for source, text in excerpts],
        **members,
    }


def moments(*made: JsonObject) -> JsonObject:
    return {"moments": list(made)}


def scene(*members: str, **others: object) -> JsonObject:
    """A scene as a model writes it."""
    return {
        "emoji": "🌉",
        "summary": "From rain to the other side",
        "narrative": "It began with a sound.",
        "shot": "crossing-threshold",
        "members": list(members),
        **others,
    }


def scenes(*woven: JsonObject, unplaced: dict[str, str] | None = None) -> JsonObject:
    left = [{"id": label, "reason": reason} for label, reason in (unplaced or {}).items()]
    return {"scenes": list(woven), "unplaced": left}


def material_of(request: JsonObject) -> JsonObject:
    """The JSON document between the two marker lines of a request."""
    lines: list[str] = request["messages"][1]["content"].split("\n")
    assert len(lines) == 3
    assert lines[0] == lines[2]
    document: JsonObject = parse_json(lines[1])
    return document
