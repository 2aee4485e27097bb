"""What a server signs and decrypts with, and whom it trusts, as its settings name them."""

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
    """The keys of one server; without a setting there is none of its kind."""

    signer: Signer | None
    trusted: Trusted
    decryption: tuple[PrivateKey, ...]
    fetcher: Fetcher

    @classmethod
    def of(cls, keys: Mapping[str, str], fetch_hosts: Iterable[str]) -> "Keyring":
        """The keyring of keys in PEM by the names of their settings.

        Raises: UnusableKey, with the setting that holds it.
        """
        return cls(
            _read("signing_key", keys, read_signer),
            _read("trusted_keys", keys, read_trusted) or Trusted(),
            _read("decryption_keys", keys, read_private_keys) or (),
            Fetcher(frozenset(fetch_hosts)),
        )

    async def verify(self, form: str, *, external: bool = False) -> Verification:
        """What can be said of a signed form; with `external` certificates that lie elsewhere are fetched."""
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
