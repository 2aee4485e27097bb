"""Types of settings that environment variables hold as text: secrets, addresses, lists and limits."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

_SWITCHES = frozenset({"true", "false", "1", "0", "on", "off", "yes", "no"})


def _split_names(value: object) -> object:
    """Split `"a, b"` into `("a", "b")`. Return other values unchanged."""
    if isinstance(value, str):
        return tuple(name for name in (part.strip() for part in value.split(",")) if name)
    return value


def _split_limits(value: object) -> object:
    """Parse `"search=200, create=5"` into a dict, and `"off"` into None. Return other values unchanged."""
    if not isinstance(value, str):
        return value
    if value.strip().lower() == "off":
        return None
    limits: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in value.split(","))):
        name, equals, limit = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} is not CLASS=CALLS_PER_WINDOW, for example search=200")
        limits[name.strip()] = limit.strip()
    return limits


AddressT = TypeVar("AddressT", str, SecretStr)


def check_address(address: AddressT | None) -> AddressT | None:
    """Return the address if it can be parsed.

    The error does not quote it, because it may contain a password.
    """
    if address is not None:
        try:
            urlsplit(address if isinstance(address, str) else address.get_secret_value())
        except ValueError:
            raise ValueError(
                "is not a valid address, such as scheme://name:8080/path or scheme://[::1]:8080/path"
            ) from None
    return address


def _split_roots(value: object) -> object:
    """Split `"/a, ~/b"` into `("/a", "~/b")`. Return booleans such as `"true"` unchanged."""
    if isinstance(value, str) and value.strip().lower() not in _SWITCHES:
        return _split_names(value)
    return value


@dataclass(frozen=True, slots=True)
class SecretFile:
    """Secret in a file, which a variable ending in _FILE names."""

    variable: str
    path: Path
    is_set_too: bool


def _read_secret(value: object) -> object:
    """Read the secret from its file, without the final line break. Return other values unchanged."""
    if not isinstance(value, SecretFile):
        return value
    if value.is_set_too:
        raise ValueError(f"it is set, and {value.variable} too; set one of them")
    try:
        return value.path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        name = os.fsencode(value.path).decode("utf-8", "backslashreplace")
        raise ValueError(f"{value.variable} names {name}, which cannot be read: {reason}") from None


Secret: TypeAlias = Annotated[SecretStr | None, BeforeValidator(_read_secret)]
Address: TypeAlias = Annotated[str | None, AfterValidator(check_address)]
SecretAddress: TypeAlias = Annotated[Secret, AfterValidator(check_address)]
Names: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split_names)]
Limits: TypeAlias = Annotated[
    dict[str, Annotated[int, Field(ge=1)]] | None, NoDecode, BeforeValidator(_split_limits)
]
Folders: TypeAlias = Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_split_names)]
SwitchOrRoots: TypeAlias = Annotated[bool | tuple[Path, ...], NoDecode, BeforeValidator(_split_roots)]
