"""Authenticate vCons received by webhook with a shared secret, and keep their signed form."""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.vcons.preparation import PreparedVcon
from vcontract.runtime.vcon.trust.webhooks import ID, SIGNATURE, is_recent, is_signed, parse_secret
from vcontract.runtime.vcon.wrapped_forms import UnreadableVcon as UnreadableVcon
from vcontract.runtime.vcon.wrapped_forms import unwrap

IsSender: TypeAlias = Callable[[Mapping[str, str], bytes], bool]
"""Whether headers prove that a message was sent with the secret, recently."""

_signed_form: Final = ContextVar[str | None]("signed_form", default=None)


def message_id(headers: Mapping[str, str]) -> str | None:
    """ID of a message, the same when it is sent again."""
    return headers.get(ID)


def claims_sender(headers: Mapping[str, str]) -> bool:
    """Whether a message has signature headers."""
    return SIGNATURE in headers


def sender_of(secret: str) -> IsSender:
    """Return a check for a secret. Raises: ValueError if it is invalid."""
    shared = parse_secret(secret)

    def is_sender(headers: Mapping[str, str], body: bytes) -> bool:
        return is_recent(headers, time.time()) and is_signed(shared, headers, body)

    return is_sender


@contextmanager
def plain_form(document: JsonObject, text: str) -> Generator[JsonObject]:
    """Unwrap a document in any form. A vCon created in the block keeps its signed form.

    Raises: UnreadableVcon.
    """
    unwrapped = unwrap(document, text)
    token = _signed_form.set(unwrapped.signed_form)
    try:
        yield unwrapped.vcon
    finally:
        _signed_form.reset(token)


def is_signed_form() -> bool:
    """Whether this call's vCon is signed, so nothing may be added to it."""
    return _signed_form.get() is not None


def with_signed_form(prepared: PreparedVcon) -> PreparedVcon:
    """Add the signed form, if there is one."""
    form = _signed_form.get()
    if form is None:
        return prepared
    return replace(prepared, signed_form=form, size=prepared.size + len(form.encode()))
