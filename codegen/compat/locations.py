"""Where in the spec a finding can be mended: file and line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.compat.promises import PROMPT, RESOURCE
from vcontract.codegen.documents import Pointer, has_pointer, is_object
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.references import Place, target_of
from vcontract.codegen.resolve import tool_key

_SHARED = {"errors": "errors", "policy": "policy", "instructions": "server", "toolsets": "toolsets"}
"""The first step of a path outside tools, to the kind of document that it lies in."""

_RESPONSES = {"output", "error", "list"}


@dataclass(frozen=True, slots=True)
class _Led:
    """The nearest place to one that was looked for."""

    place: Place
    left: int
    """How many steps of the way are not there."""


class Locations:
    """Finds the lines of one spec."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    def of(self, finding: Finding) -> tuple[str, int] | None:
        """File and line, as near as the spec can say; None for what is no longer in it."""
        if finding.tool is None:
            return self._shared(finding.path)
        for prefix, kind in ((RESOURCE, "resources"), (PROMPT, "prompts")):
            if finding.tool.startswith(prefix):
                return self._named(kind, finding.tool.removeprefix(prefix))
        document = self._tool(finding.tool)
        if document is None:
            return None
        starts = self._starts(document, finding.path)
        place = min((self._lead(*start) for start in starts), key=lambda led: led.left).place
        if _lies_in_shape(finding, place):
            place = target_of(self._spec, place) or place
        return place.document.path, place.document.line(place.pointer)

    def _named(self, kind: str, name: str) -> tuple[str, int] | None:
        """The line of a resource or prompt in the file of its kind."""
        for document in self._spec.documents.values():
            if document.kind == kind:
                for index, entry in enumerate(document.data[kind]):
                    if name in (entry["name"], *entry.get("aliases", [])):
                        return document.path, document.line((kind, index))
        return None

    def _tool(self, name: str) -> Document | None:
        tools = self._spec.of_kind("tool")
        named = [tool for tool in tools if tool_key(self._spec, tool.data) == name]
        aliased = [tool for tool in tools if name in tool.data.get("aliases", [])]
        return next(iter([*named, *aliased]), None)

    def _starts(self, tool: Document, path: str) -> Iterator[tuple[Place, Pointer]]:
        """The places from which `path` may lead to what it names, each with the way from there."""
        root, *steps = path.replace("[]", ".[]").replace(".*", "").split(".")
        mixins = [
            _at(document, ("mixins", name))
            for document in self._spec.of_kind("mixins")
            for name in tool.data.get("mixins", [])
        ]
        if root == "input":
            for place in (_at(tool, ()), *mixins):
                yield place, ("params", *_members(steps))
        elif root == "error":
            yield _at(tool, ()), ("errors",)
        elif root in _RESPONSES:
            response: Pointer = ("response", "list") if root == "list" else ("response",)
            yield _at(tool, response[:1]), (*response[1:], *_in_response(tool, steps))
            if steps[:1] == ["meta"]:
                for place in mixins:
                    yield place, ("meta", *_members(steps[1:]))
        else:
            yield _at(tool, ()), (root,)

    def _lead(self, place: Place, way: Pointer) -> "_Led":
        """As far from `place` as the way leads, through references."""
        led = _Led(place, len(way))
        if has_pointer(place.value, way[:1]) and way:
            led = self._lead(place.at(way[:1]), way[1:])
        target = target_of(self._spec, place)
        if target is not None and led.left:
            led = min(led, self._lead(target, way), key=lambda one: one.left)
        return led

    def _shared(self, path: str) -> tuple[str, int] | None:
        steps = path.split(".")
        kind = _SHARED.get(steps[0])
        for document in self._spec.documents.values():
            if document.kind == kind:
                pointer = tuple(steps[1:]) if kind in ("policy", "toolsets") else tuple(steps)
                return document.path, document.line(pointer)
        return None


def _in_response(tool: Document, steps: Sequence[str]) -> Pointer:
    """The way to a member of an answer in the spec of the answer, which leaves the envelope out."""
    if "properties" in tool.data["response"]:
        return _members(steps)
    if steps[:2] == ["items", "[]"]:
        return ("item", *_members(steps[2:]))
    return (*steps[:1], *_members(steps[1:]))


def _at(document: Document, pointer: Pointer) -> Place:
    return Place(document, (), document.data).at(pointer)


def _lies_in_shape(finding: Finding, place: Place) -> bool:
    """Whether a reference is not itself what changed, but the shape that it names."""
    said_here = finding.rule.kind in place.value if is_object(place.value) else False
    return not said_here and not finding.rule.kind.endswith("property")


def _members(steps: Sequence[str]) -> Pointer:
    pointer: list[str] = []
    for step in steps:
        pointer += ["items"] if step == "[]" else ["properties", step]
    return tuple(pointer)
