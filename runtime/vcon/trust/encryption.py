"""Encrypt signed vCons for recipients (JSON Web Encryption), and decrypt with own keys."""

from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from joserfc.errors import JoseError
from joserfc.jwe import JWERegistry

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.vcon.bodies import decode_base64url, encode_base64url
from vcontract.runtime.vcon.trust.key_errors import UnusableKey
from vcontract.runtime.vcon.trust.keys import PrivateKey, PublicKey
from vcontract.runtime.vcon.wrapped_forms import UnreadableVcon

_PADDINGS: Final = {
    "RSA-OAEP": OAEP(MGF1(hashes.SHA1()), hashes.SHA1(), None),  # noqa: S303 (what RFC 7518, 4.3 says)
    "RSA-OAEP-256": OAEP(MGF1(hashes.SHA256()), hashes.SHA256(), None),
}
KEY_ALGORITHMS: Final = tuple(_PADDINGS)
"""Algorithms for a recipient's key. The first is used for writing, all are read."""
CONTENT_ALGORITHMS: Final = ("A256CBC-HS512", "A256GCM")
"""Algorithms for the content. The first is used for writing, all are read."""

_MAX_RECIPIENTS: Final = 64


def encrypt(signed: JsonObject, uuid: str, recipients: Sequence[PublicKey]) -> JsonObject:
    """Encrypt a signed vCon in general JSON form, readable by each recipient.

    The headers are unprotected, as in the draft; only the content is authenticated.

    Raises: UnusableKey if a recipient's key is not RSA. Source: draft-ietf-vcon-vcon-core-04, encrypted form;
    RFC 7516, 5.1 and 7.2.1.
    """
    content, padding = _registry().get_enc(CONTENT_ALGORITHMS[0]), _PADDINGS[KEY_ALGORITHMS[0]]
    key, iv = content.generate_cek(), content.generate_iv()
    ciphertext, tag = content.encrypt(dump_json(signed), key, iv, b"")
    return {
        "unprotected": {"cty": "application/vcon", "enc": content.name, "uuid": uuid},
        "recipients": [
            {
                "header": {"alg": KEY_ALGORITHMS[0]},
                "encrypted_key": encode_base64url(_rsa(recipient).encrypt(key, padding)),
            }
            for recipient in recipients
        ],
        "iv": encode_base64url(iv),
        "ciphertext": encode_base64url(ciphertext),
        "tag": encode_base64url(tag),
    }


def decrypt(document: JsonObject, keys: Sequence[PrivateKey]) -> JsonObject:
    """Decrypt a document with the first key that fits a recipient.

    Raises: UnreadableVcon if none fits, an algorithm is not allowed, or the content was changed.
    """
    protected = _protected(document)
    shared = {**members(document.get("unprotected")), **protected}
    for recipient in array(document.get("recipients"))[:_MAX_RECIPIENTS] or [document]:
        header = {**members(members(recipient).get("header")), **shared}
        for key in keys:
            plain = _decrypted(document, header, members(recipient).get("encrypted_key"), key)
            if plain is not None:
                return _parsed(plain)
    raise UnreadableVcon(
        "The vCon is encrypted, and no configured key opens it; allowed are "
        f"{', '.join(KEY_ALGORITHMS)} with {', '.join(CONTENT_ALGORITHMS)}."
    )


def _decrypted(
    document: JsonObject, header: JsonObject, encrypted_key: JsonValue, key: PrivateKey
) -> bytes | None:
    algorithm, method = header.get("alg"), header.get("enc")
    padding = _PADDINGS.get(str(algorithm))
    if padding is None or method not in CONTENT_ALGORITHMS or "zip" in header or "crit" in header:
        return None
    parts = [_bytes(document.get(name)) for name in ("ciphertext", "tag", "iv")]
    wrapped = _bytes(encrypted_key)
    if not isinstance(key, rsa.RSAPrivateKey) or wrapped is None or None in parts:
        return None
    ciphertext, tag, iv = (part or b"" for part in parts)
    try:
        opened = key.decrypt(wrapped, padding)
        return _registry().get_enc(str(method)).decrypt(ciphertext, tag, opened, iv, _authenticated(document))
    except (JoseError, ValueError):
        return None


def _authenticated(document: JsonObject) -> bytes:
    """Additional authenticated data: the protected header as written, and the given data.

    Source: RFC 7516, 5.1, step 14.
    """
    protected, given = str(document.get("protected") or ""), document.get("aad")
    return (f"{protected}.{given}" if isinstance(given, str) else protected).encode()


def _protected(document: JsonObject) -> JsonObject:
    data = _bytes(document.get("protected"))
    return _parsed(data) if data else {}


def _parsed(data: bytes) -> JsonObject:
    try:
        value = parse_json(data)
    except MalformedJson as error:
        raise UnreadableVcon(f"What is encrypted is not JSON: {error}.") from None
    if not is_object(value):
        raise UnreadableVcon("What is encrypted is JSON, but no object; a signed vCon is an object.")
    return value


def _rsa(key: PublicKey) -> rsa.RSAPublicKey:
    if not isinstance(key, rsa.RSAPublicKey):
        raise UnusableKey("Only RSA keys can be encrypted for; this is a key of another kind.")
    return key


def _registry() -> JWERegistry:
    return JWERegistry(algorithms=CONTENT_ALGORITHMS)


def _bytes(value: JsonValue) -> bytes | None:
    return decode_base64url(value) if isinstance(value, str) else None
