"""Keys of a server: for signing, decrypting, and trusted ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.vcon.trust.fetching import Fetcher
from vcontract.runtime.vcon.trust.key_errors import UnusableKey
from vcontract.runtime.vcon.trust.keys import (
    PrivateKey,
    Signer,
    Trusted,
    read_private_keys,
    read_signer,
    read_trusted,
)
from vcontract.runtime.vcon.trust.signatures import Verification, Verifier, addresses_of_certificates

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of one server; a kind without a setting is empty."""

    signer: Signer | None
    trusted: Trusted
    decryption: tuple[PrivateKey, ...]
    fetcher: Fetcher

    @classmethod
    def of(cls, keys: Mapping[str, str], fetch_hosts: Iterable[str]) -> "Keyring":
        """Create the keyring from PEM keys by setting name.

        Raises: UnusableKey, with the setting.
        """
        return cls(
            _read("signing_key", keys, read_signer),
            _read("trusted_keys", keys, read_trusted) or Trusted(),
            _read("decryption_keys", keys, read_private_keys) or (),
            Fetcher(frozenset(fetch_hosts)),
        )

    async def verify(self, form: str, *, external: bool = False) -> Verification:
        """Verify a signed form. With `external`, certificates are fetched from their URLs."""
        document: JsonObject = parse_json(form)
        fetched = {
            url: chain
            for url in (addresses_of_certificates(document) if external else [])
            if (chain := await self.fetcher.certificates(url))
        }
        return Verifier(self.trusted, datetime.now(UTC), fetched).verify(document)


def _read(name: str, keys: Mapping[str, str], read: Callable[[str], Read]) -> Read | None:
    if name not in keys:
        return None
    try:
        return read(keys[name])
    except UnusableKey as error:
        raise UnusableKey(f"VCONTRACT_{name.upper()}: {error}") from None
