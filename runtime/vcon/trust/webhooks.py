"""Sign and verify webhooks with a shared secret, as in Standard Webhooks 1.0.0."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Final

ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
MAX_ID_LENGTH: Final = 200

_PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32
_ALLOWED_BYTES: Final = range(24, 65)
_SCHEME: Final = "v1"
_TOLERANCE_SECONDS: Final = 300
"""Maximum difference between a message's timestamp and now."""
_MAX_NUMBER_LENGTH: Final = 16
_MAX_SIGNATURES: Final = 10
"""Maximum signatures checked. A sender that rotates its secret signs with both."""


def new_secret() -> bytes:
    return secrets.token_bytes(_SECRET_BYTES)


def format_secret(secret: bytes) -> str:
    """Encode a secret for the other side."""
    return _PREFIX + base64.b64encode(secret).decode()


def parse_secret(text: str) -> bytes:
    """Decode a secret.

    Raises: ValueError for malformed text.
    """
    try:
        secret = base64.b64decode(text.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        secret = b""
    if not text.startswith(_PREFIX) or len(secret) not in _ALLOWED_BYTES:
        raise ValueError(f"a secret is {_PREFIX} and 24 to 64 bytes in base64")
    return secret


def signed_headers(secret: bytes, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message. Source: Standard Webhooks 1.0.0, signature scheme."""
    return {
        ID: message_id,
        TIMESTAMP: str(timestamp),
        SIGNATURE: f"{_SCHEME},{_signature(secret, message_id, str(timestamp), body)}",
    }


def is_recent(headers: Mapping[str, str], now: float) -> bool:
    """Whether a message has an id and a current timestamp. Old recorded messages are rejected."""
    message_id, timestamp = headers.get(ID, ""), headers.get(TIMESTAMP, "")
    if not 0 < len(message_id) <= MAX_ID_LENGTH or not (timestamp.isascii() and timestamp.isdigit()):
        return False
    return len(timestamp) < _MAX_NUMBER_LENGTH and abs(now - int(timestamp)) <= _TOLERANCE_SECONDS


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether any signature of a message matches the secret. Comparison takes constant time."""
    expected = _signature(secret, headers.get(ID, ""), headers.get(TIMESTAMP, ""), body).encode()
    found = False
    for given in headers.get(SIGNATURE, "").split(" ")[:_MAX_SIGNATURES]:
        scheme, _, signature = given.partition(",")
        found |= scheme == _SCHEME and hmac.compare_digest(signature.encode(), expected)
    return found


def _signature(secret: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
