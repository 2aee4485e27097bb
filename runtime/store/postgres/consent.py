"""Consent: the purposes of a caller, which hide conversations whose parties do not consent."""

import contextlib
from collections.abc import Generator, Iterable
from contextvars import ContextVar
from typing import Final

from vcontract.runtime.settings import Settings, is_purpose

_OF_CALLER: Final[ContextVar[frozenset[str] | None]] = ContextVar("purposes", default=frozenset())
"""The caller's purposes, in addition to those in settings; None for the store's own work."""


@contextlib.contextmanager
def for_purposes(purposes: Iterable[str]) -> Generator[None]:
    """Add purposes to everything read inside. Raises: ValueError for an invalid name."""
    named = frozenset(purposes)
    if wrong := sorted(name for name in named if not is_purpose(name)):
        raise ValueError(f"{wrong[0]!r} is no purpose")
    token = _OF_CALLER.set(named)
    try:
        yield
    finally:
        _OF_CALLER.reset(token)


@contextlib.contextmanager
def for_the_store() -> Generator[None]:
    """Ignore consent for reads inside, because nobody receives the result."""
    token = _OF_CALLER.set(None)
    try:
        yield
    finally:
        _OF_CALLER.reset(token)


def in_force(settings: Settings) -> tuple[str, ...]:
    """Return the current purposes: those in settings and those of the caller."""
    of_caller = _OF_CALLER.get()
    return () if of_caller is None else tuple(sorted(of_caller.union(settings.purpose)))


def bound_to_consent(settings: Settings) -> str:
    """Return SQL that restricts a transaction to the current purposes; empty without any."""
    purposes = in_force(settings)
    if not purposes:
        return ""
    required = "on" if settings.consent_required else "off"
    # checked names need no quoting
    named = ",".join(purposes)
    return f"; set local vcontract.purposes = '{named}'; set local vcontract.consent_required = {required}"
