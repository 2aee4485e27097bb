"""Unwrap signed, encrypted and compressed vCons."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from vcontract.runtime.frame.documents.findings import Notice, path_of, quoted
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import is_object, members, objects
from vcontract.runtime.vcon.bodies import decode_base64url
from vcontract.runtime.vcon.duplicate_keys import duplicate_keys
from vcontract.runtime.vcon.identity import parse_uuid

MAX_VCON_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of a vCon, as compact JSON and after decompression."""

Decrypt: TypeAlias = Callable[[JsonObject], JsonObject]
"""Decrypts a JWE and returns its document. Raises: UnreadableVcon."""

_GZIP = b"\x1f\x8b"
_MAX_LAYERS = 8


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A plain vCon and its original signed form."""

    vcon: JsonObject
    signed_form: str | None
    """Text of the signed document, stored with the vCon. None if unsigned."""
    notices: list[Notice]


class UnreadableVcon(ValueError):
    """The document is not a readable vCon. The message gives the reason."""


class Encrypted(UnreadableVcon):
    """The vCon is encrypted and no key was given."""


def is_jws(document: JsonObject) -> bool:
    """Whether this is a JWS in the general JSON form."""
    return "payload" in document and "signatures" in document


def is_jwe(document: JsonObject) -> bool:
    """Whether this is a JWE in the general JSON form."""
    return "ciphertext" in document and ("recipients" in document or "encrypted_key" in document)


def unwrap(document: JsonObject, text: str | None = None, decrypt: Decrypt | None = None) -> Unwrapped:
    """Unwrap a document to a plain vCon. `text` is the document's original text, if available.

    Payloads can be compressed and nested. Signatures are not verified. Encrypted documents need `decrypt`.
    Duplicate object keys produce notices, if the text is available.

    Raises: UnreadableVcon, Encrypted.
    """
    if is_jwe(document):
        document, text = _decrypted(document, decrypt), None
    notices = [] if text is None else duplicate_keys(text, document)
    if not is_jws(document):
        return Unwrapped(document, None, notices)
    signed_form = text if text is not None else dump_json(document).decode()
    layers = [document]
    while is_jws(layers[-1]):
        if len(layers) > _MAX_LAYERS:
            raise UnreadableVcon(f"The vCon is signed more than {_MAX_LAYERS} times over; unwrap it first.")
        payload = _payload(layers[-1])
        layers.append(_parsed(payload))
        notices += duplicate_keys(payload.decode(), layers[-1])
        if is_jwe(layers[-1]):
            layers[-1] = _decrypted(layers[-1], decrypt)
    vcon = layers.pop()
    notices += [notice for layer in layers for notice in _mismatches(layer, vcon)]
    return Unwrapped(vcon, signed_form, notices)


def payload_of(document: JsonObject) -> JsonObject:
    """Payload of a signed document: a vCon, or another signed or encrypted document.

    Raises: UnreadableVcon.
    """
    return _parsed(_payload(document))


def _payload(document: JsonObject) -> bytes:
    payload: JsonValue = document["payload"]
    data = decode_base64url(payload) if isinstance(payload, str) else None
    if not data:
        raise UnreadableVcon("The payload of a signed vCon must be base64url text; this is not.")
    return _decompressed(data).removeprefix(b"\xef\xbb\xbf")


def _decompressed(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        plain = inflater.decompress(data, MAX_VCON_BYTES + 1)
    except zlib.error as error:
        raise UnreadableVcon(f"The payload begins as gzip but cannot be decompressed: {error}.") from None
    if len(plain) > MAX_VCON_BYTES:
        raise UnreadableVcon(
            f"The payload has more than {MAX_VCON_BYTES} bytes when decompressed; that is the most."
        )
    if not inflater.eof:
        raise UnreadableVcon("The payload is gzip that ends too early; it was cut.")
    return plain


def _parsed(data: bytes) -> JsonObject:
    try:
        value = parse_json(data)
    except MalformedJson as error:
        raise UnreadableVcon(f"The payload is not JSON: {error}.") from None
    if not is_object(value):
        raise UnreadableVcon("The payload is JSON, but not an object; a vCon is an object.")
    return value


def _decrypted(document: JsonObject, decrypt: Decrypt | None) -> JsonObject:
    if decrypt is not None:
        return decrypt(document)
    uuid = members(document.get("unprotected")).get("uuid")
    named = f" {quoted(uuid)}" if isinstance(uuid, str) else ""
    raise Encrypted(
        f"The vCon{named} is encrypted; without the key nothing of it can be read. Decrypt it first, or set "
        "VCONTRACT_DECRYPTION_KEYS_FILE."
    )


def _mismatches(signed: JsonObject, vcon: JsonObject) -> list[Notice]:
    """Return a notice for each signature whose header has another uuid than the payload."""
    notices: list[Notice] = []
    for index, signature in objects(signed.get("signatures")):
        named: JsonValue = members(signature.get("header")).get("uuid")
        if named is not None and not _same_uuid(named, vcon.get("uuid")):
            shown = quoted(named) if isinstance(named, str) else "something that is no string"
            message = f"The signature's header names the uuid {shown}, the signed vCon another."
            path = path_of(("signatures", index, "header", "uuid"))
            notices.append(Notice("signed_uuid_differs", message, path))
    return notices


def _same_uuid(one: JsonValue, other: JsonValue) -> bool:
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    return one == other or (parse_uuid(one) is not None and parse_uuid(one) == parse_uuid(other))
