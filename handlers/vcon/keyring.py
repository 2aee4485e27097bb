"""Load the keys for vCons on first use, because their module is slow to load."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from vcontract.runtime.vcon.trust.keyring import Keyring

KeyringFactory: TypeAlias = "Callable[[], Keyring]"


def keyring_of(keys: Mapping[str, str], fetch_hosts: Iterable[str]) -> KeyringFactory:
    """Return a loader of the keyring from PEM keys by setting name. It raises UnusableKey."""

    @cache
    def keyring() -> "Keyring":
        from vcontract.runtime.vcon.trust.keyring import Keyring

        return Keyring.of(keys, fetch_hosts)

    return keyring
