"""Sign vCons (JSON Web Signature), and verify signatures against trusted keys."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509 import verification
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey
from joserfc.jws import FlattenedJSONSerialization

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members, objects
from vcontract.runtime.vcon.bodies import decode_base64url
from vcontract.runtime.vcon.trust.key_errors import UnusableKey
from vcontract.runtime.vcon.trust.keys import (
    PrivateKey,
    PublicKey,
    Signer,
    Trusted,
    algorithm_of,
    key_of,
)
from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES, UnreadableVcon, is_jws, payload_of

Status = Literal["verified", "unverified", "broken"]
Reason = Literal[
    "trusted_certificate",
    "trusted_key",
    "algorithm_not_allowed",
    "certificate_not_trusted",
    "certificate_unreadable",
    "certificate_elsewhere",
    "no_trusted_key_fits",
    "signature_wrong",
    "signature_malformed",
    "too_many_signatures",
]

ALGORITHMS: Final = ("RS256", "ES256")
"""Supported signature algorithms; each key has one."""

MAX_SIGNATURES: Final = 16
_MAX_CERTIFICATES: Final = 8

_STATUS: Final[Mapping[Reason, Status]] = {
    "trusted_certificate": "verified",
    "trusted_key": "verified",
    "signature_wrong": "broken",
    "signature_malformed": "broken",
}
"""Status for each reason; for any other, it is unknown."""


_MEANS: Final[Mapping[Status, str]] = {
    "verified": "What is trusted here vouches for it.",
    "unverified": "Nothing that is trusted here vouches for it.",
    "broken": "A signature does not fit what it covers: that was changed since, or signed by another key.",
}


_CHANGED: Final = (
    "What is stored here was changed after it was signed; `export --signed` writes what was signed."
)


class _Registry(jws.JWSRegistry):
    """Allows large payloads and certificates, and more header members than RFC 7515."""

    max_header_length = 64 * 1024
    max_payload_length = 2 * MAX_VCON_BYTES
    max_signature_length = 4 * 1024


@dataclass(frozen=True, slots=True)
class Signature:
    """Result for one signature."""

    reason: Reason
    algorithm: str | None = None
    signer: str | None = None
    """Subject of its certificate, trusted or not."""
    detail: str | None = None

    @property
    def status(self) -> Status:
        return _STATUS.get(self.reason, "unverified")


@dataclass(frozen=True, slots=True)
class Verification:
    """Result for a signed document; `signatures` of all layers, outermost first."""

    status: Status
    signatures: list[Signature]
    is_changed: bool = False
    """Whether what is stored differs from what was signed."""

    @property
    def message(self) -> str:
        return _CHANGED if self.is_changed else _MEANS[self.status]


@dataclass(frozen=True, slots=True)
class Verifier:
    """Verifies signatures at one point in time against trusted keys."""

    trusted: Trusted
    now: datetime
    fetched: Mapping[str, tuple[x509.Certificate, ...]] | None = None
    """Certificates fetched from allowed `x5u` URLs."""

    def verify(self, document: JsonObject) -> Verification:
        """Verify a signed document and any signed documents nested in it.

        Broken if any signature does not match its content. Verified if one of the outermost is, and all were
        checked.
        """
        layers = [self._layer(layer) for layer in _layers(document)]
        signatures = [signature for layer in layers for signature in layer]
        statuses = {signature.status for signature in signatures}
        if "broken" in statuses or not layers[0]:
            return Verification("broken", signatures)
        is_verified = any(signature.status == "verified" for signature in layers[0])
        is_verified = is_verified and all(each.reason != "too_many_signatures" for each in signatures)
        return Verification("verified" if is_verified else "unverified", signatures)

    def _layer(self, document: JsonObject) -> list[Signature]:
        payload, given = document.get("payload"), array(document.get("signatures"))
        checked = [self._signature(payload, signature) for _, signature in objects(given[:MAX_SIGNATURES])]
        if len(given) > MAX_SIGNATURES:
            detail = f"It has {len(given)} signatures; the first {MAX_SIGNATURES} were checked."
            checked.append(Signature("too_many_signatures", detail=detail))
        return checked

    def _signature(self, payload: JsonValue, signature: JsonObject) -> Signature:
        header = _header(signature)
        if header is None or not isinstance(payload, str):
            return Signature("signature_malformed", detail="Its header or payload cannot be read.")
        algorithm = header.get("alg")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            return Signature("algorithm_not_allowed", detail=f"Allowed are {' and '.join(ALGORITHMS)}.")
        if "x5c" not in header and "x5u" not in header:
            return self._by_key(payload, signature, algorithm, header.get("kid"))
        try:
            chain = self._chain(header)
            if chain is None:
                return Signature("certificate_elsewhere", algorithm, detail="Its x5u was not fetched.")
            return self._by_certificate(payload, signature, algorithm, chain)
        except UnusableKey as error:
            return Signature("certificate_unreadable", algorithm, detail=str(error))

    def _by_key(self, payload: str, signature: JsonObject, algorithm: str, kid: JsonValue) -> Signature:
        fitting = [key for key in self.trusted.keys if algorithm_of(key) == algorithm]
        if any(_fits(payload, signature, key) for key in fitting):
            return Signature("trusted_key", algorithm)
        if any(_thumbprint(key) == kid for key in fitting):
            return Signature("signature_wrong", algorithm, detail="It names a trusted key.")
        return Signature("no_trusted_key_fits", algorithm)

    def _by_certificate(
        self, payload: str, signature: JsonObject, algorithm: str, chain: tuple[x509.Certificate, ...]
    ) -> Signature:
        signer = chain[0].subject.rfc4514_string()
        key = key_of(chain[0])
        if algorithm_of(key) != algorithm or not _fits(payload, signature, key):
            return Signature("signature_wrong", algorithm, signer)
        if (fault := self._distrust(chain)) is not None:
            return Signature("certificate_not_trusted", algorithm, signer, fault)
        return Signature("trusted_certificate", algorithm, signer)

    def _chain(self, header: JsonObject) -> tuple[x509.Certificate, ...] | None:
        if "x5c" not in header:
            return (self.fetched or {}).get(str(header["x5u"]))
        encoded = array(header["x5c"])
        if not 0 < len(encoded) <= _MAX_CERTIFICATES:
            raise UnusableKey(f"x5c has {len(encoded)} certificates; it may have 1 to {_MAX_CERTIFICATES}.")
        return tuple(_certificate(entry) for entry in encoded)

    def _distrust(self, chain: tuple[x509.Certificate, ...]) -> str | None:
        """Return why the certificates do not lead to a trust anchor, or None.

        Extended key usage is not checked, because none is agreed for vCons.
        """
        if not self.trusted.anchors:
            return "No certificate is trusted here."
        if chain[0] in self.trusted.anchors:
            return _outside_its_time(chain[0], self.now)
        anything = verification.ExtensionPolicy.permit_all()
        of_issuers = anything.require_present(
            x509.BasicConstraints, verification.Criticality.AGNOSTIC, None
        ).may_be_present(x509.KeyUsage, verification.Criticality.AGNOSTIC, _may_issue)
        verifier = (
            verification.PolicyBuilder()
            .store(verification.Store(list(self.trusted.anchors)))
            .time(self.now)
            .extension_policies(ca_policy=of_issuers, ee_policy=anything)
            .build_client_verifier()
        )
        try:
            verifier.verify(chain[0], list(chain[1:]))
        except verification.VerificationError as error:
            return _outside_its_time(chain[0], self.now) or str(error)
        return None


def sign(plain: bytes, uuid: str, signer: Signer) -> JsonObject:
    """Sign a vCon's text. Returns general JSON form.

    Algorithm, certificates and uuid are in the signature's `header`, as in the draft. RFC 7515 forbids
    repeating them in the protected header. A verifier therefore takes the algorithm from the key.

    Source: draft-ietf-vcon-vcon-core-04, signed form; RFC 7515, 7.2.1.
    """
    header: JsonObject = {"alg": algorithm_of(signer.key), "uuid": uuid}
    if signer.chain:
        header["x5c"] = [_encoded(certificate) for certificate in signer.chain]
    else:
        header["kid"] = _thumbprint(signer.key.public_key())
    made = jws.serialize_json(
        [{"protected": {"cty": "application/vcon"}, "header": header}],
        plain,
        _jose_key(signer.key),
        registry=_Registry(algorithms=ALGORITHMS, strict_check_header=False),
    )
    return {"payload": made["payload"], "signatures": [dict(one) for one in made["signatures"]]}


def addresses_of_certificates(document: JsonObject) -> list[str]:
    """URLs of certificates for signatures that do not include them."""
    headers = [
        _header(signature) or {}
        for layer in _layers(document)
        for _, signature in objects(array(layer.get("signatures"))[:MAX_SIGNATURES])
    ]
    addresses = [header.get("x5u") for header in headers if "x5c" not in header]
    return list(dict.fromkeys(address for address in addresses if isinstance(address, str)))


def _layers(document: JsonObject) -> list[JsonObject]:
    """The signed document, and each nested payload."""
    layers = [document]
    while len(layers) < MAX_SIGNATURES:
        try:
            inner = payload_of(layers[-1])
        except UnreadableVcon:
            break
        if not is_jws(inner):
            break
        layers.append(inner)
    return layers


def _header(signature: JsonObject) -> JsonObject | None:
    """Members of both headers; None if the protected one is invalid."""
    protected = signature.get("protected")
    if protected is None:
        return members(signature.get("header"))
    data = decode_base64url(protected) if isinstance(protected, str) else None
    try:
        read = None if data is None else parse_json(data)
    except MalformedJson:
        return None
    return {**members(signature.get("header")), **read} if is_object(read) else None


def _fits(payload: str, signature: JsonObject, key: PublicKey) -> bool:
    registry = _Registry(algorithms=[algorithm_of(key)], strict_check_header=False)
    value = FlattenedJSONSerialization(payload=payload, signature=str(signature.get("signature")))
    if "protected" in signature:
        value["protected"] = str(signature["protected"])
    value["header"] = members(signature.get("header"))
    try:
        jws.deserialize_json(value, _jose_key(key), registry=registry)
    except (JoseError, ValueError, TypeError, KeyError):
        return False
    return True


def _jose_key(key: PublicKey | PrivateKey) -> RSAKey | ECKey:
    if isinstance(key, rsa.RSAPublicKey | rsa.RSAPrivateKey):
        return RSAKey.import_key(key)
    return ECKey.import_key(key)


def _thumbprint(key: PublicKey) -> str:
    """Name of a key, derived from it. Source: RFC 7638."""
    return _jose_key(key).thumbprint()


def _certificate(encoded: JsonValue) -> x509.Certificate:
    """Parse a certificate of `x5c`: base64 (not base64url) of its DER.

    Raises: UnusableKey. Source: RFC 7515, 4.1.6.
    """
    try:
        return x509.load_der_x509_certificate(base64.b64decode(str(encoded)))
    except ValueError:
        raise UnusableKey("Its x5c is not base64 of certificates.") from None


def _encoded(certificate: x509.Certificate) -> str:
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()


def _may_issue(_: verification.Policy, __: x509.Certificate, usage: x509.KeyUsage | None) -> None:
    """Check that a certificate may sign others. Raises: ValueError. Source: RFC 5280, 6.1.4 (n)."""
    if usage is not None and not usage.key_cert_sign:
        raise ValueError("a certificate of its chain may not issue others: keyUsage lacks keyCertSign")


def _outside_its_time(certificate: x509.Certificate, now: datetime) -> str | None:
    if now < certificate.not_valid_before_utc:
        return f"Its certificate is valid from {certificate.not_valid_before_utc:%Y-%m-%d} on."
    if now > certificate.not_valid_after_utc:
        return f"Its certificate was valid until {certificate.not_valid_after_utc:%Y-%m-%d}."
    return None
