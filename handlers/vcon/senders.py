"""Who sends vCons by webhook, known by a secret that the operator shares with them; and in what form."""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.vcons.preparation import PreparedVcon
from vcontract.runtime.vcon.trust.webhooks import ID, SIGNATURE, is_recent, is_signed, read_secret
from vcontract.runtime.vcon.wrapped_forms import UnreadableForm as UnreadableForm
from vcontract.runtime.vcon.wrapped_forms import unwrap

IsSender: TypeAlias = Callable[[Mapping[str, str], bytes], bool]
"""Whether the headers of a message prove that it was sent with the secret, and about now."""

_signed_form: Final = ContextVar[str | None]("signed_form", default=None)


def message_id(headers: Mapping[str, str]) -> str | None:
    """What names a message each time that it is sent."""
    return headers.get(ID)


def claims_sender(headers: Mapping[str, str]) -> bool:
    """Whether a message says that it is signed."""
    return SIGNATURE in headers


def sender_of(secret: str) -> IsSender:
    """Raises: ValueError for what is no secret."""
    shared = read_secret(secret)

    def is_sender(headers: Mapping[str, str], body: bytes) -> bool:
        return is_recent(headers, time.time()) and is_signed(shared, headers, body)

    return is_sender


@contextmanager
def plain_form(document: JsonObject, text: str) -> Generator[JsonObject]:
    """The vCon of a document in any form; one that is created in the block keeps the signed form beside it.

    Raises: UnreadableForm.
    """
    unwrapped = unwrap(document, text)
    token = _signed_form.set(unwrapped.signed_form)
    try:
        yield unwrapped.vcon
    finally:
        _signed_form.reset(token)


def is_signed_form() -> bool:
    """Whether the vCon of this call came signed: then nothing of it is filled in."""
    return _signed_form.get() is not None


def with_signed_form(prepared: PreparedVcon) -> PreparedVcon:
    """The vCon with the signed form that it came in, if it did."""
    form = _signed_form.get()
    if form is None:
        return prepared
    return replace(prepared, signed_form=form, size=prepared.size + len(form.encode()))
