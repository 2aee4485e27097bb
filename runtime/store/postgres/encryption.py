"""Local TLS proxy for the bundled PostgreSQL client programs, which are built without TLS."""

import asyncio
import contextlib
import ssl
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast
from urllib.parse import quote

from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_SSL_REQUEST: Final = struct.pack("!ii", 8, 80_877_103)
"""Source: PostgreSQL, Frontend/Backend Protocol, Message Formats, SSLRequest."""
_CHANNEL_BOUND_LOGIN: Final = b"SCRAM-SHA-256-PLUS\0"
"""Login method with TLS channel binding."""
_PIECE: Final = 1 << 16
_PORT: Final = 5432


@asynccontextmanager
async def client_url(connection: OwnerConnection, url: str) -> AsyncGenerator[str]:
    """Yield a URL through which PostgreSQL's client programs reach the server of `connection`.

    Without TLS this is `url`. With TLS it is a Unix socket in a private folder. The proxy forwards to the
    same server and verifies its certificate as `connection` does.
    """
    private = cast("Any", connection)  # asyncpg keeps the parsed address in private attributes
    if private._transport.get_extra_info("ssl_object") is None:
        yield url
        return
    (host, port), parameters = private._addr, private._params
    who = f"{quote(parameters.user, safe='')}:{quote(parameters.password or '', safe='')}"

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # on failure, the client only sees its connection close
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            there, back = await _encrypted(host, port, parameters.ssl)
            with contextlib.closing(back):
                await asyncio.gather(_copy_stream(reader, back), _relay_server(there, writer))

    with TemporaryDirectory(prefix="vcontract-") as folder:
        async with await asyncio.start_unix_server(relay, Path(folder, f".s.PGSQL.{_PORT}")):
            yield (
                f"postgresql://{who}@/{quote(parameters.database, safe='')}"
                f"?host={quote(folder, safe='')}&port={_PORT}&sslmode=disable"
            )


async def _encrypted(
    host: str, port: int, context: ssl.SSLContext
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(_SSL_REQUEST)
    if await reader.readexactly(1) != b"S":
        writer.close()
        raise ConnectionError("the server does not encrypt")
    await writer.start_tls(context, server_hostname=host)
    return reader, writer


async def _relay_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Relay the server's replies.

    Remove channel binding from its login offer, because the client sees no TLS.
    """
    kind, length = struct.unpack("!ci", await reader.readexactly(5))
    offer = await reader.readexactly(length - 4)
    if kind == b"R":
        offer = offer.replace(_CHANNEL_BOUND_LOGIN, b"")
    writer.write(struct.pack("!ci", kind, len(offer) + 4) + offer)
    await _copy_stream(reader, writer)


async def _copy_stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy from `reader` to `writer` until the end, then close `writer`."""
    with contextlib.closing(writer):
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
