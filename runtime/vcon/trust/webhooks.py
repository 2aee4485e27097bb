"""Sign and verify webhooks with a shared secret. Source: Standard Webhooks 1.0.0."""

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
"""Maximum difference of a message's timestamp from now."""
_MAX_NUMBER_LENGTH: Final = 16
_MAX_SIGNATURES: Final = 10
"""Maximum signatures: while a secret is rotated, messages are signed with both."""


def new_secret() -> bytes:
    return secrets.token_bytes(_SECRET_BYTES)


def written_secret(secret: bytes) -> str:
    """Format a secret for the other side."""
    return _PREFIX + base64.b64encode(secret).decode()


def read_secret(text: str) -> bytes:
    """Parse a secret. Raises: ValueError if it is invalid."""
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
    """Whether a message has an ID and a current timestamp, which prevents replays."""
    message_id, timestamp = headers.get(ID, ""), headers.get(TIMESTAMP, "")
    if not 0 < len(message_id) <= MAX_ID_LENGTH or not (timestamp.isascii() and timestamp.isdigit()):
        return False
    return len(timestamp) < _MAX_NUMBER_LENGTH and abs(now - int(timestamp)) <= _TOLERANCE_SECONDS


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    """Whether one of the signatures is valid, compared in constant time."""
    expected = _signature(secret, headers.get(ID, ""), headers.get(TIMESTAMP, ""), body).encode()
    found = False
    for given in headers.get(SIGNATURE, "").split(" ")[:_MAX_SIGNATURES]:
        scheme, _, signature = given.partition(",")
        found |= scheme == _SCHEME and hmac.compare_digest(signature.encode(), expected)
    return found


def _signature(secret: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
