"""What is published of the responses of every tool, and what an answer breaks of it."""

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources

import jsonschema_rs

from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json, parse_json
from vcontract.runtime.frame.documents.json_values import is_object, members


@lru_cache
def reasons() -> frozenset[str]:
    """The declared words for the causes of errors."""
    file = resources.files("vcontract.generated").joinpath("contract.json")
    shared: JsonObject = json.loads(file.read_text())
    return frozenset(shared["reasons"])


@lru_cache
def _shape(key: str) -> JsonObject:
    """What describe_response_shape gives of a tool."""
    return load_package().read_shape(key)


@lru_cache
def _validator(key: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(_shape(key)["schema"])


def broken_promises(key: str, structured: JsonObject) -> list[str]:
    """What an answer of the tool with this key of the registry breaks of its published shape."""
    return list(_broken(key, structured))


def broken_promises_of_text(key: str, structured: JsonObject, text: str, *, is_error: bool) -> list[str]:
    """As `broken_promises`, and what the text and the flag beside the structured answer break."""
    return [*_broken(key, structured), *_broken_beside(key, structured, text, is_error)]


def followed(arguments: JsonObject, suggestion: JsonObject) -> JsonObject:
    """The arguments to send when a suggestion is followed, as docs/contract.md says."""
    left_out = suggestion.get("leave_out", ())
    changed = {name: value for name, value in suggestion.items() if name != "leave_out"}
    return {name: value for name, value in arguments.items() if name not in left_out} | changed


def _broken(key: str, structured: JsonObject) -> Iterator[str]:
    for error in _validator(key).iter_errors(structured):
        yield f"{key}: {error.message[:300]}"
    reason = members(_details_of(structured)).get("reason")
    if reason is not None and reason not in reasons():
        yield f"{key}: the reason {reason} is not declared in spec/errors.yaml"
    code = _code_of(structured)
    if code is not None and code not in {error["code"] for error in _shape(key)["errors"]}:
        yield f"{key}: the error {code} is not among those that it declares"


def _broken_beside(key: str, structured: JsonObject, text: str, is_error: bool) -> Iterator[str]:
    succeeded = structured.get("ok", structured.get("success"))
    if is_error is succeeded:
        yield f"{key}: isError is {is_error}, while the answer says {succeeded}"
    is_json = is_error or not _shape(key).get("text")
    if is_json and parse_json(text) != structured:
        yield f"{key}: the text is not the answer's"
    size = members(structured.get("meta")).get("response_bytes")
    taken = len(text.encode() if is_json else dump_json(structured))
    if size is not None and size != taken:
        yield f"{key}: meta.response_bytes is {size} and the answer takes {taken}"


def _details_of(structured: JsonObject) -> JsonValue:
    error: JsonValue = structured.get("error")
    return error.get("details") if is_object(error) else structured.get("details")


def _code_of(structured: JsonObject) -> str | None:
    """The code of an error; None for a success."""
    if "error" not in structured:
        return None
    error: JsonValue = structured["error"]
    return str(error["code"] if is_object(error) else structured["error_code"])
