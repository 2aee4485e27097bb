"""Cursors: signed, opaque positions in the result list of one query by one tenant."""

import hashlib
import hmac
import zlib
from collections.abc import Mapping
from typing import Literal

from itsdangerous import BadData, base64_decode, base64_encode
from itsdangerous.signer import HMACAlgorithm

from vcontract.runtime.frame.calls.canonical import canonical
from vcontract.runtime.frame.documents.json import JsonValue, dump_json, parse_json

CURSOR_LIMIT = 1024
"""Maximum length of a cursor in characters."""

CursorReason = Literal["malformed", "other_query", "other_contract", "other_model"]

_FORMAT = 1
_PLAIN, _DEFLATED = 0, 1
_SIGNATURE_BYTES = 32
_QUERY_BYTES = 12
_ARGUMENT_BYTES = 3
_MODEL_BYTES = 6
_HEAD_BYTES = 3 + _MODEL_BYTES + _QUERY_BYTES + 1


class CursorRejected(Exception):
    """A cursor that cannot be continued. For `other_query`, `changed` names the arguments that differ."""

    def __init__(self, reason: CursorReason, changed: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason: CursorReason = reason
        self.changed = changed


class CursorTooLong(ValueError):
    """The position does not fit into a cursor of 1,024 characters."""


class CursorCodec:
    """Seals and opens cursors with one key.

    A cursor is bound to its purpose (the tool), the tenant, the contract's major version and the arguments
    of the query. If there is an embedding model, it is bound to that, too. Purpose and tenant are part of the
    signature, so a cursor of another tenant is indistinguishable from a forged one. Cursors are signed, not
    encrypted. The position therefore contains nothing that the page did not show.

    Layout, in base64url without padding: Format, major version and packing (a byte each), digest of the
    model, digest of all arguments, and their number (a byte). Then a digest of each argument, the position
    as JSON, and HMAC-SHA-256 over all of it.
    """

    def __init__(self, key: bytes | None, contract_version: str) -> None:
        """Create a codec. Without a key it cannot be used until `use` is called."""
        self._key = b""
        if key is not None:
            self.use(key)
        self._algorithm = HMACAlgorithm(hashlib.sha256)
        self._major = int(contract_version.partition(".")[0]) % 256

    def use(self, key: bytes) -> None:
        """Set the key that is used from now on.

        Raises: ValueError if it is empty.
        """
        if not key:
            raise ValueError("a cursor key must not be empty")
        self._key = hashlib.sha256(b"vcontract.cursor\0" + key).digest()

    def seal(
        self,
        position: JsonValue,
        *,
        purpose: str,
        tenant: str,
        arguments: Mapping[str, JsonValue],
        model: str | None = None,
    ) -> str:
        """Return a cursor for `position` (any small JSON value), of at most 1,024 characters.

        `arguments` are those that the next call must repeat; an absent one is None.

        Raises: CursorTooLong.
        """
        plain = dump_json(position)
        deflated = zlib.compress(plain, 9)
        packing, packed = (_DEFLATED, deflated) if len(deflated) < len(plain) else (_PLAIN, plain)
        query, digests = self._argument_digests(arguments)
        payload = b"".join(
            (
                bytes((_FORMAT, self._major, packing)),
                self._model_digest(model),
                query,
                bytes((len(digests),)),
                *digests.values(),
                packed,
            )
        )
        cursor = base64_encode(payload + self._signature(payload, purpose, tenant)).decode("ascii")
        if len(cursor) > CURSOR_LIMIT:
            raise CursorTooLong(f"a cursor of {len(cursor)} characters; at most {CURSOR_LIMIT} are allowed")
        return cursor

    def open(
        self,
        cursor: str,
        *,
        purpose: str,
        tenant: str,
        arguments: Mapping[str, JsonValue],
        model: str | None = None,
    ) -> JsonValue:
        """Return the position that `cursor` holds, if tenant and query are the same.

        Raises: CursorRejected; ConnectionError while no key is known.
        """
        if not self._key:
            raise ConnectionError("the key of cursors is in the database, which was not reached yet")
        payload = self._verified_payload(cursor, purpose, tenant)
        if payload[0] != _FORMAT or payload[1] != self._major:
            raise CursorRejected("other_contract")
        query, digests = self._argument_digests(arguments)
        model_end = 3 + _MODEL_BYTES
        if payload[model_end : model_end + _QUERY_BYTES] != query:
            raise CursorRejected("other_query", self._changed(payload, digests))
        if payload[3:model_end] != self._model_digest(model):
            raise CursorRejected("other_model")
        packed = payload[_HEAD_BYTES + _ARGUMENT_BYTES * len(digests) :]
        return parse_json(zlib.decompress(packed) if payload[2] == _DEFLATED else packed)

    def _verified_payload(self, cursor: str, purpose: str, tenant: str) -> bytes:
        if len(cursor) > CURSOR_LIMIT:
            raise CursorRejected("malformed")
        try:
            signed = base64_decode(cursor)
        except BadData:
            raise CursorRejected("malformed") from None
        payload, signature = signed[:-_SIGNATURE_BYTES], signed[-_SIGNATURE_BYTES:]
        # Base64 has several spellings of the same bytes; only ours is a cursor.
        canonical = base64_encode(signed).decode("ascii") == cursor
        genuine = self._algorithm.verify_signature(self._signing_key(purpose, tenant), payload, signature)
        if not (canonical and genuine and len(payload) >= _HEAD_BYTES):
            raise CursorRejected("malformed")
        return payload

    def _changed(self, payload: bytes, digests: Mapping[str, bytes]) -> tuple[str, ...]:
        """Names of the arguments that differ from those of the first page, in alphabetical order."""
        if payload[_HEAD_BYTES - 1] != len(digests):
            return tuple(digests)
        sealed = payload[_HEAD_BYTES:]
        return tuple(
            name
            for index, (name, digest) in enumerate(digests.items())
            if sealed[index * _ARGUMENT_BYTES : (index + 1) * _ARGUMENT_BYTES] != digest
        )

    def _argument_digests(self, arguments: Mapping[str, JsonValue]) -> tuple[bytes, dict[str, bytes]]:
        """Return the digest of all arguments together, and the digest of each by name."""
        members = {name: (canonical(name), canonical(arguments[name])) for name in sorted(arguments)}
        whole = b"{%s}" % b",".join(b"%s:%s" % member for member in members.values())
        each = {
            name: self._digest(b"argument", b"[%s,%s]" % member, _ARGUMENT_BYTES)
            for name, member in members.items()
        }
        return self._digest(b"query", whole, _QUERY_BYTES), each

    def _model_digest(self, model: str | None) -> bytes:
        return self._digest(b"model", (model or "").encode(), _MODEL_BYTES)

    def _signature(self, payload: bytes, purpose: str, tenant: str) -> bytes:
        return self._algorithm.get_signature(self._signing_key(purpose, tenant), payload)

    def _signing_key(self, purpose: str, tenant: str) -> bytes:
        return self._digest(b"sign", canonical([purpose, tenant]), _SIGNATURE_BYTES)

    def _digest(self, use: bytes, value: bytes, length: int) -> bytes:
        return hmac.digest(self._key, use + b"\0" + value, "sha256")[:length]
