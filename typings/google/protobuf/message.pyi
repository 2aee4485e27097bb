"""The part of protobuf that is used."""

from collections.abc import Sequence
from typing import Any

class _MessageType:
    name: str

class _Field:
    name: str
    message_type: _MessageType | None

class DecodeError(Exception): ...

class Message:
    DESCRIPTOR: _MessageType
    def ListFields(self) -> Sequence[tuple[_Field, Any]]: ...
    def WhichOneof(self, oneof_group: str) -> str | None: ...
