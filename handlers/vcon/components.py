"""Validate a dialog, analysis or attachment to add."""

import re
from collections.abc import Mapping
from typing import Final

from vcontract.generated.errors import ValidationError
from vcontract.runtime.frame.documents.findings import Notice
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, MalformedJson, parse_json
from vcontract.runtime.frame.documents.json_values import is_array, is_object

_DIALOG_TYPES: Final = ("recording", "recording-set", "text", "transfer", "incomplete", "mcp_session")
_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {"dialog": ("type",), "analysis": ("type", "vendor")}
USE_UPDATE_TAGS: Final = "Set tags with update_tags, which keeps them beside the vCon."
_INDICES: Final[Mapping[str, tuple[str, ...]]] = {
    "dialog": (
        *("parties", "originator", "transferee", "transferor", "transfer_target"),
        *("recordings", "recording_set", "original", "consultation", "target_dialog"),
    ),
    "analysis": ("dialog", "attachment"),
    "attachments": ("party", "dialog"),
}
"""Members with indexes; `references` checks them against the vCon."""
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")
_STANDARD_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")


def check_elements(array: str, elements: JsonValue, path: str) -> list[Notice]:
    """Validate elements to add to `array`. Returns warnings.

    Raises: ValidationError with all violations; `path` is that of the array.
    """
    if not is_array(elements):
        raise refused([_violation(path, "type", f"{array} is a list of objects.")])
    violations: list[JsonObject] = []
    notices: list[Notice] = []
    for index, element in enumerate(elements):
        place = f"{path}[{index}]"
        if not is_object(element):
            violations.append(_violation(place, "type", f"An element of {array} is an object."))
        elif array != "parties":
            violations += element_violations(array, element, place, notices)
    if violations:
        raise refused(violations)
    return notices


def element_violations(
    array: str, element: JsonObject, place: str, notices: list[Notice]
) -> list[JsonObject]:
    """Violations of an element to add to `array`; warnings are added to `notices`."""
    return [
        *_member_violations(array, element, place),
        *_body_violations(element, place, notices),
        *(v for name in _INDICES[array] for v in _negative_indices(element.get(name), f"{place}.{name}")),
    ]


def refused(violations: list[JsonObject]) -> ValidationError:
    """Build the error with these violations."""
    first = violations[0]
    details: JsonObject = {"reason": first["rule"], "violations": violations[:100]}
    if len(violations) > 100:
        details["violation_count"] = len(violations)
    return ValidationError(f"{first['path']}: {first['message']}", details=details)


def _member_violations(array: str, element: JsonObject, place: str) -> list[JsonObject]:
    violations = [
        _violation(f"{place}.{name}", "required", f"{name} is a non-empty string and must be given.")
        for name in _REQUIRED.get(array, ())
        if not isinstance(element.get(name), str) or not element[name]
    ]
    if array == "dialog" and not violations and element["type"] not in _DIALOG_TYPES:
        known = ", ".join(_DIALOG_TYPES)
        violations.append(
            _violation(f"{place}.type", "enum", f'"{element["type"]}" is no dialog type; allowed: {known}.')
        )
    if array == "attachments" and not (element.get("purpose") or element.get("type")):
        violations.append(
            _violation(f"{place}.purpose", "required", "Give purpose (or type, its older name).")
        )
    duration = element.get("duration")
    if duration is not None and (
        isinstance(duration, bool) or not isinstance(duration, int | float) or duration < 0
    ):
        violations.append(
            _violation(f"{place}.duration", "minimum", "duration is a number of seconds, 0 or more.")
        )
    url = element.get("url")
    if url is not None and not (isinstance(url, str) and url.lower().startswith(("https://", "http://"))):
        violations.append(_violation(f"{place}.url", "format", "url is an http or https address."))
    return violations


def _body_violations(element: JsonObject, place: str, notices: list[Notice]) -> list[JsonObject]:
    """Check `body` against `encoding`. Standard base64 and invalid JSON only cause a notice."""
    encoding, body = element.get("encoding"), element.get("body")
    if encoding is None or "body" not in element:
        return []
    if encoding not in ("none", "base64url", "json"):
        return [_violation(f"{place}.encoding", "enum", "encoding is none, base64url or json.")]
    if encoding == "json":
        if isinstance(body, str) and not _is_json(body):
            message = "With encoding json the body is JSON; this text is not, so it is read as plain text."
            notices.append(Notice("body_not_json", message, f"{place}.body"))
        return []
    if not isinstance(body, str):
        return [_violation(f"{place}.body", "type", f"With encoding {encoding} the body is a string.")]
    if encoding == "base64url" and not _BASE64URL.fullmatch(body):
        if not _STANDARD_BASE64.fullmatch(body):
            return [_violation(f"{place}.body", "pattern", "The body has characters outside base64url.")]
        notices.append(
            Notice(
                "standard_base64",
                "The body is in the standard alphabet of base64 or padded.",
                f"{place}.body",
            )
        )
    return []


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except (MalformedJson, RecursionError):
        return False
    return True


def _negative_indices(value: JsonValue, place: str) -> list[JsonObject]:
    if is_array(value):
        return [v for index, one in enumerate(value) for v in _negative_indices(one, f"{place}[{index}]")]
    if isinstance(value, int | float) and value < 0:
        return [_violation(place, "index_out_of_range", f"{value} is out of range: indices begin at 0.")]
    return []


def _violation(path: str, rule: str, message: str) -> JsonObject:
    return {"path": path, "rule": rule, "message": message}
