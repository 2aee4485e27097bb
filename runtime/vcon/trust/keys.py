"""Read keys and certificates in PEM: trusted ones, signers, private keys, recipients."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from vcontract.runtime.vcon.trust.key_errors import UnusableKey

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey
PublicKey = rsa.RSAPublicKey | ec.EllipticCurvePublicKey

Algorithm = Literal["RS256", "ES256"]

MIN_RSA_BITS: Final = 2_048

_BLOCK: Final = re.compile(r"-----BEGIN (?P<what>[A-Z0-9 ]+)-----.+?-----END (?P=what)-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Trusted:
    """Certificates and keys to verify signatures with."""

    anchors: tuple[x509.Certificate, ...] = ()
    """Signatures whose certificate chain ends at one of these are verified."""
    keys: tuple[PublicKey, ...] = ()
    """Signatures without certificates by one of these keys are verified."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key with its certificate chain, own certificate first; empty for a bare key."""

    key: PrivateKey
    chain: tuple[x509.Certificate, ...] = ()


def read_trusted(pem: str) -> Trusted:
    """Read certificates and public keys.

    Raises: UnusableKey.
    """
    anchors: list[x509.Certificate] = []
    keys: list[PublicKey] = []
    for what, block in _blocks(pem):
        if what == "CERTIFICATE":
            anchors.append(_certificate(block))
        elif what.endswith("PUBLIC KEY"):
            keys.append(_public_key(block))
        else:
            raise UnusableKey(f"A {what} is no certificate and no public key, which is what is trusted.")
    return Trusted(tuple(anchors), tuple(keys))


def read_signer(pem: str) -> Signer:
    """Read an unencrypted private key with its certificates.

    Raises: UnusableKey.
    """
    key: PrivateKey | None = None
    chain: list[x509.Certificate] = []
    for what, block in _blocks(pem):
        if what == "CERTIFICATE":
            chain.append(_certificate(block))
        elif what.endswith("PRIVATE KEY"):
            key = _private_key(block)
    if key is None:
        raise UnusableKey("There is no private key in the PEM text; give one, and its certificates with it.")
    if chain and key.public_key() != chain[0].public_key():
        raise UnusableKey("The first certificate is of another key; put that of the private key first.")
    return Signer(key, tuple(chain))


def read_private_keys(pem: str) -> tuple[PrivateKey, ...]:
    """Read every unencrypted private key.

    Raises: UnusableKey.
    """
    keys = tuple(_private_key(block) for what, block in _blocks(pem) if what.endswith("PRIVATE KEY"))
    if not keys:
        raise UnusableKey("There is no private key in the PEM text.")
    return keys


def read_recipients(pem: str) -> tuple[PublicKey, ...]:
    """Read the public keys of keys and certificates, to encrypt for.

    Raises: UnusableKey.
    """
    trusted = read_trusted(pem)
    return (*trusted.keys, *(key_of(certificate) for certificate in trusted.anchors))


def key_of(certificate: x509.Certificate) -> PublicKey:
    """Return the certificate's public key.

    Raises: UnusableKey.
    """
    try:
        return _strong(certificate.public_key())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnusableKey(f"The certificate's key cannot be used: {error}") from None


def algorithm_of(key: PrivateKey | PublicKey) -> Algorithm:
    """Signature algorithm of this key: RS256, or ES256 on the curve P-256."""
    return "RS256" if isinstance(key, rsa.RSAPrivateKey | rsa.RSAPublicKey) else "ES256"


def _blocks(pem: str) -> list[tuple[str, bytes]]:
    blocks = [(found["what"], found[0].encode()) for found in _BLOCK.finditer(pem)]
    if not blocks:
        raise UnusableKey("There is nothing in PEM (-----BEGIN …-----) in the text.")
    return blocks


def _certificate(block: bytes) -> x509.Certificate:
    try:
        certificate = x509.load_pem_x509_certificate(block)
    except ValueError as error:
        raise UnusableKey(f"A certificate cannot be read: {error}") from None
    key_of(certificate)
    return certificate


def _public_key(block: bytes) -> PublicKey:
    try:
        return _strong(serialization.load_pem_public_key(block))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnusableKey(f"A public key cannot be read: {error}") from None


def _private_key(block: bytes) -> PrivateKey:
    try:
        key = serialization.load_pem_private_key(block, password=None)
    except TypeError:
        raise UnusableKey("The private key has a password; give it without one.") from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnusableKey(f"A private key cannot be read: {error}") from None
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise UnusableKey("The private key is of another kind than RSA and P-256.")
    _strong(key.public_key())
    return key


def _strong(key: object) -> PublicKey:
    """Check the type and strength of a key.

    Raises: UnusableKey.
    """
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < MIN_RSA_BITS:
            raise UnusableKey(
                f"An RSA key of {key.key_size} bits is too short; {MIN_RSA_BITS} are the least."
            )
        return key
    if isinstance(key, ec.EllipticCurvePublicKey):
        if not isinstance(key.curve, ec.SECP256R1):
            raise UnusableKey(f"The curve {key.curve.name} is not used; P-256 is.")
        return key
    raise UnusableKey("The key is of another kind than RSA and P-256.")
