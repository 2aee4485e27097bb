"""Map a finding to file and line in the spec."""

import re
from collections.abc import Iterator
from typing import Final

from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.documents import Pointer, is_array, is_object
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.references import DocumentValue, target_of
from vcontract.codegen.resolve import tool_key

_FORM: Final = re.compile(r"<\d+>")
"""Alternative number in a path; alternatives have no name in the spec."""

_AS_WRITTEN: Final = {
    "input": "params",
    "variables": "params",
    "output": "response",
    "list": "response",
    "error": "errors",
    "envelope": "response",
    "plan": "steps",
    "resource_prefix": "prefix",
    "[]": "items",
    "*": "additionalProperties",
    "names()": "propertyNames",
}
"""Parts with a different name in the spec."""

_FILES: Final = {"reasons": "errors", "resource_prefix": "resources", "dealers_order": "dealers"}
"""Parts in a file of another name."""

_PASSED: Final = ("properties", "anyOf", "oneOf", "params", "response")
"""Members of the spec that paths omit."""


class Locations:
    """Looks up lines in one spec."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    def of(self, finding: Finding) -> tuple[str, int] | None:
        """File and line, as exact as possible; None if the place is gone."""
        steps = _FORM.sub("", finding.path).replace("[]", ".[]").split(".")
        way = [_AS_WRITTEN.get(step, step) for step in steps]
        found = [self._lead(start, way[skip:]) for start in self._starts(finding) for skip in (0, 1)]
        if not found:
            return None
        _, place = min(found, key=lambda led: led[0])
        if _lies_in_shape(finding, place):
            place = target_of(self._spec, place) or place
        return place.document.path, place.document.line(place.pointer)

    def _starts(self, finding: Finding) -> Iterator[DocumentValue]:
        """Starting points from which the path can be followed."""
        kind, _, name = (finding.tool or "").rpartition(" ")
        part = finding.path.partition(".")[0]
        for path, document in self._spec.documents.items():
            stem = path.removeprefix("spec/").removesuffix(".yaml")
            if finding.tool is None:
                is_shape = part == "shapes" and document.kind == "shapes"
                if stem == _FILES.get(part, part).replace("legacy", "vcon/legacy") or is_shape:
                    yield _at(document)
            elif kind == "template" and stem == f"templates/{name}":
                yield _at(document)
            elif kind in ("resource", "prompt") and document.kind == f"{kind}s":
                for index, entry in enumerate(document.data[document.kind]):
                    if name in (entry["name"], *entry.get("aliases", [])):
                        yield _at(document).at((document.kind, index))
                        yield from self._of_tool(entry.get("tool", "")) if part == "content" else ()
        yield from self._of_tool(name) if not kind else ()

    def _of_tool(self, name: str) -> Iterator[DocumentValue]:
        for tool in self._spec.of_kind("tool"):
            if name in (tool_key(self._spec, tool.data), *tool.data.get("aliases", [])):
                yield _at(tool)
                for document in self._spec.of_kind("mixins"):
                    for mixin in tool.data.get("mixins", []):
                        yield _at(document).at(("mixins", mixin))

    def _lead(self, place: DocumentValue, way: list[str]) -> tuple[int, DocumentValue]:
        """Follow the path from `place` through references. Returns the number of remaining steps, and the
        place.
        """
        if not way:
            return 0, place
        value, further = place.value, way[1:]
        found: list[tuple[int, DocumentValue]] = [(len(way), place)]
        if is_array(value):
            named = [
                index for index, entry in enumerate(value) if is_object(entry) and way[0] in entry.values()
            ]
            found += [self._lead(place.at((index,)), further) for index in named[:1]]
        elif is_object(value):
            if way[:2] == ["items", "items"] and "item" in value:
                found.append(self._lead(place.at(("item",)), way[2:]))
            found += [self._lead(place.at((way[0],)), further)] if way[0] in value else []
            passed: list[Pointer] = [(name,) for name in _PASSED if name in value and name != way[0]]
            found += [self._lead(inner, way) for pointer in passed for inner in _entries(place.at(pointer))]
            target = target_of(self._spec, place)
            found += [self._lead(target, way)] if target else []
        return min(found, key=lambda led: led[0])


def _entries(place: DocumentValue) -> list[DocumentValue]:
    """The place, or its entries if it is a list of schemas."""
    return [place.at((index,)) for index in range(len(place.value))] if is_array(place.value) else [place]


def _at(document: Document) -> DocumentValue:
    return DocumentValue(document, (), document.data)


def _lies_in_shape(finding: Finding, place: DocumentValue) -> bool:
    """Whether the change is in the referenced shape, not in the reference."""
    if "property-" in finding.rule.id or not is_object(place.value):
        return False
    return not any(keyword in place.value for keyword in finding.rule.id.split("-")[1:2])
