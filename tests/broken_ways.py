"""A way to the database that breaks while a write is committed."""

import asyncio
import ssl
from contextlib import suppress
from typing import Literal
from urllib.parse import parse_qs, urlsplit, urlunsplit

COMMIT = b"Q\0\0\0\x0bcommit\0"
SSL_REQUEST = b"\0\0\0\x08\x04\xd2\x16\x2f"


class Proxy:
    """A way to the server that breaks at the first commit after a write, as `breaks` says.

    It reads what is said, so it is spoken to without TLS; to the server it speaks TLS where the URL says so.
    """

    def __init__(self, url: str, port: int = 0) -> None:
        self._url = url
        self._port = port
        self.breaks: Literal["never", "before", "after"] = "never"
        self.stays_broken = False
        self._is_broken = False
        self._server: asyncio.Server | None = None
        self._serving: list[asyncio.Task[None]] = []
        self._clients: list[asyncio.StreamWriter] = []

    async def start(self) -> str:
        """The URL that leads through it."""
        self._server = await asyncio.start_server(self._take, "127.0.0.1", self._port)
        port: int = self._server.sockets[0].getsockname()[1]
        return self.url(port)

    def url(self, port: int) -> str:
        """The URL that leads through it when it listens at the port."""
        parts = urlsplit(self._url)
        user = parts.netloc.partition("@")[0]
        return urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{port}", query="sslmode=disable"))

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await asyncio.gather(*self._serving)

    async def cut(self) -> None:
        """Break every connection, and take no more."""
        for client_out in self._clients:
            client_out.transport.abort()
        await self.stop()

    def _take(self, client_in: asyncio.StreamReader, client_out: asyncio.StreamWriter) -> None:
        self._clients.append(client_out)
        self._serving.append(asyncio.create_task(self._serve(client_in, client_out)))

    async def _serve(self, client_in: asyncio.StreamReader, client_out: asyncio.StreamWriter) -> None:
        if self._is_broken and self.stays_broken:
            await _close(client_out)
            return
        server_in, server_out = await self._open()
        answering = asyncio.create_task(_pass_on(server_in, client_out))
        with suppress(ConnectionError):
            while data := await client_in.read(1 << 16):
                if data == COMMIT and self.breaks != "never":
                    answering.cancel()
                    await asyncio.wait([answering])
                    if self.breaks == "after":
                        server_out.write(data)
                        await server_in.readuntil(b"COMMIT\0")
                    self.breaks, self._is_broken = "never", True
                    break
                server_out.write(data)
        await _close(server_out)
        await asyncio.wait([answering])
        await _close(client_out)

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self._url)
        query = parse_qs(parts.query)
        if "host" in query:
            return await asyncio.open_unix_connection(f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}")
        server_in, server_out = await asyncio.open_connection(parts.hostname, parts.port or 5432)
        if query.get("sslmode", ["disable"])[0] not in ("disable", "allow", "prefer"):
            server_out.write(SSL_REQUEST)
            assert await server_in.readexactly(1) == b"S"
            await server_out.start_tls(_any_server())
        return server_in, server_out


def _any_server() -> ssl.SSLContext:
    """As `sslmode=require`: whoever answers is the server."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
    writer.close()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
