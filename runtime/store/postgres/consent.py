"""Purposes of use. Conversations whose parties do not consent to them are not returned."""

import contextlib
from collections.abc import Generator, Iterable
from contextvars import ContextVar
from typing import Final

from vcontract.runtime.settings import Settings, is_purpose

_CALLER_PURPOSES: Final[ContextVar[frozenset[str] | None]] = ContextVar("purposes", default=frozenset())
"""Purposes of the caller, added to those in the settings. None disables the consent filter."""


@contextlib.contextmanager
def reading_for(purposes: Iterable[str]) -> Generator[None]:
    """Read inside the block for these purposes, in addition to those in the settings.

    Raises: ValueError for an invalid name.
    """
    named = frozenset(purposes)
    if wrong := sorted(name for name in named if not is_purpose(name)):
        raise ValueError(f"{wrong[0]!r} is no purpose")
    token = _CALLER_PURPOSES.set(named)
    try:
        yield
    finally:
        _CALLER_PURPOSES.reset(token)


@contextlib.contextmanager
def without_consent_filter() -> Generator[None]:
    """Disable the consent filter inside the block. Never return what is read there to a caller."""
    token = _CALLER_PURPOSES.set(None)
    try:
        yield
    finally:
        _CALLER_PURPOSES.reset(token)


def caller_purposes() -> tuple[str, ...] | None:
    """Purposes of the caller, in order, as a key for what a process keeps. None without filter."""
    of_caller = _CALLER_PURPOSES.get()
    return None if of_caller is None else tuple(sorted(of_caller))


def active_purposes(settings: Settings) -> tuple[str, ...]:
    """Active purposes: those of the settings and of the caller."""
    of_caller = _CALLER_PURPOSES.get()
    return () if of_caller is None else tuple(sorted(of_caller.union(settings.purpose)))


def consent_sql(settings: Settings) -> str:
    """SQL that sets the active purposes for a transaction. Empty without purposes."""
    purposes = active_purposes(settings)
    if not purposes:
        return ""
    required = "on" if settings.consent_required else "off"
    # names are validated, so no quoting is needed
    named = ",".join(purposes)
    return f"; set local vcontract.purposes = '{named}'; set local vcontract.consent_required = {required}"
