"""The keys for vCons, read when first asked for: their reader is slow to load, and few servers need it."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from vcontract.runtime.vcon.trust.keyring import Keyring

KeyringFactory: TypeAlias = "Callable[[], Keyring]"


def keyring_of(keys: Mapping[str, str], fetch_hosts: Iterable[str]) -> KeyringFactory:
    """Gives the keyring of keys in PEM, by the names of their settings. Raises: UnusableKey, when asked."""

    @cache
    def keyring() -> "Keyring":
        from vcontract.runtime.vcon.trust.keyring import Keyring

        return Keyring.of(keys, fetch_hosts)

    return keyring
