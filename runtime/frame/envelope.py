"""Envelopes: how a result and an error look as the whole object that is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.errors import ToolError

Envelope: TypeAlias = Literal["item", "page", "success", "document"]

Facts = TypeVar("Facts", bound=Mapping[str, object], covariant=True)


@dataclass(frozen=True, slots=True)
class Document(Generic[Facts]):
    """The success of a tool whose envelope is `document`: a text to read, and the same facts as data."""

    facts: Facts
    text: str | None = None
    """What a model reads; None sends the compact JSON of the facts, as other envelopes do."""


Members = TypeVar("Members", bound=Mapping[str, object])

Answer: TypeAlias = Mapping[str, object] | Document[Any]
"""What a handler returns: a typed dict of generated/results, or a text with one."""


def in_order(form: type[Members], members: Members) -> Members:
    """`members` as the contract lists them, which is the order in which they are sent; others at the end."""
    ordered = {name: members[name] for name in form.__annotations__ if name in members}
    return cast("Members", {**ordered, **members})


def error_document(envelope: Envelope, error: ToolError) -> JsonObject:
    """The JSON object of an error in the tool's envelope.

    `item` and `page` have no member for suggestions: the raiser of the error puts one into its details.
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
