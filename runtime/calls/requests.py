"""Requests: calls under a key of their caller, which are done once and answered as often as they are sent."""

import hashlib
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from vcontract.runtime.calls.canonical import canonical
from vcontract.runtime.context import Transaction
from vcontract.runtime.documents.json import JsonObject

PARAMETER: Final = "request_key"


class Earlier(Protocol):
    """A call that was done under the key; see `runtime.store.postgres.requests`."""

    @property
    def arguments(self) -> bytes: ...
    @property
    def answer(self) -> str: ...
    @property
    def reading(self) -> str | None: ...


class Request(Protocol):
    """A call under a key, in the transaction that it has to write in."""

    @property
    def connection(self) -> Transaction: ...
    @property
    def earlier(self) -> Earlier | None: ...

    async def keep(self, answer: str, reading: str | None) -> None: ...


class Requests(Protocol):
    """Opens the transaction of a call under a key, alone under it; by tenant, tool, key and arguments."""

    def open(
        self, tenant: str, tool: str, key: str, arguments: bytes
    ) -> AbstractAsyncContextManager[Request]: ...


def key_of(arguments: JsonObject) -> str | None:
    """The key that a call has; a tool without keys refuses the parameter before this is asked."""
    key: str | None = arguments.get(PARAMETER)
    return key


def digest_of(arguments: JsonObject) -> bytes:
    """The same for the same arguments, whatever the key."""
    others = {name: value for name, value in arguments.items() if name != PARAMETER}
    return hashlib.sha256(canonical(others)).digest()
