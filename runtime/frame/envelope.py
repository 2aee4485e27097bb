"""Envelopes: the complete JSON of a result or an error as it is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.errors import ToolError

Envelope: TypeAlias = Literal["item", "page", "success", "document"]

Facts = TypeVar("Facts", bound=Mapping[str, object], covariant=True)


@dataclass(frozen=True, slots=True)
class Document(Generic[Facts]):
    """Result of a tool with the `document` envelope: a text to read, and the same facts as data."""

    facts: Facts
    text: str | None = None
    """Text for a model. If None, the compact JSON of the facts is sent, as in other envelopes."""


Members = TypeVar("Members", bound=Mapping[str, object])

Answer: TypeAlias = Mapping[str, object] | Document[Any]
"""A handler's return value: a typed dict of generated/results, or a text with one."""


def in_order(form: type[Members], members: Members) -> Members:
    """Order `members` as the contract lists them; unlisted ones come last."""
    ordered = {name: members[name] for name in form.__annotations__ if name in members}
    return cast("Members", {**ordered, **members})


def error_document(envelope: Envelope, error: ToolError) -> JsonObject:
    """Build the JSON object of an error in the tool's envelope.

    `item` and `page` have no member for suggestions, so the code that raises the error puts one into its
    details.
    """
    if envelope in ("item", "page"):
        body: JsonObject = {"code": error.code, "message": error.message}
        if error.details is not None:
            body["details"] = error.details
        return {"ok": False, "error": body}
    document: JsonObject = {"success": False, "error": error.message, "error_code": error.code}
    if error.details is not None:
        document["details"] = error.details
    if error.suggestions:
        document["suggestions"] = error.suggestions
    return document
