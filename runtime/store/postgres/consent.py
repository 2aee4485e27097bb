"""Purposes: what a caller wants conversations for; those whose parties do not consent are not answered."""

import contextlib
from collections.abc import Generator, Iterable
from contextvars import ContextVar
from typing import Final

from vcontract.runtime.settings import Settings, is_purpose

_OF_CALLER: Final[ContextVar[frozenset[str] | None]] = ContextVar("purposes", default=frozenset())
"""Those of whoever calls, beside those of the settings; None when it is the store itself that works."""


@contextlib.contextmanager
def for_purposes(purposes: Iterable[str]) -> Generator[None]:
    """What is read inside is for these purposes too. Raises: ValueError for a name that is none."""
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
    """What is read inside is answered to nobody, so consent withholds nothing of it."""
    token = _OF_CALLER.set(None)
    try:
        yield
    finally:
        _OF_CALLER.reset(token)


def in_force(settings: Settings) -> tuple[str, ...]:
    """The purposes that what is read now is for: those of the settings, and those of the caller."""
    of_caller = _OF_CALLER.get()
    return () if of_caller is None else tuple(sorted(of_caller.union(settings.purpose)))


def bound_to_consent(settings: Settings) -> str:
    """SQL that binds a transaction to the purposes in force; empty when there are none."""
    purposes = in_force(settings)
    if not purposes:
        return ""
    required = "on" if settings.consent_required else "off"
    # checked names need no quoting
    named = ",".join(purposes)
    return f"; set local vcontract.purposes = '{named}'; set local vcontract.consent_required = {required}"
