"""Where in the spec a finding can be mended: file and line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.documents import Pointer, has_pointer, is_object
from vcontract.codegen.load import Document, Kind, Spec
from vcontract.codegen.references import Place, target_of
from vcontract.codegen.resolve import tool_key

PROMPT = "prompt "
RESOURCE = "resource "
TEMPLATE = "template "
_RESPONSES = {"output", "error", "list"}
_UNIONS = ("anyOf", "oneOf")
_FORM = re.compile(r"<\d+>")
"""What a path says of one form of several: a form has no name in the spec."""


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
        starts = list(self._starts(finding))
        if not starts:
            return None
        place = min((self._lead(*start) for start in starts), key=lambda led: led.left).place
        if _lies_in_shape(finding, place):
            place = target_of(self._spec, place) or place
        return place.document.path, place.document.line(place.pointer)

    def _starts(self, finding: Finding) -> Iterator[tuple[Place, Pointer]]:
        """The places from which the path may lead to what it names, each with the way from there."""
        root, *steps = _FORM.sub("", finding.path).replace("[]", ".[]").split(".")
        if finding.tool is None:
            yield from self._of_all(root, steps)
        elif finding.tool.startswith(RESOURCE):
            for entry in self._named("resources", finding.tool.removeprefix(RESOURCE)):
                yield from self._of_resource(entry, root, steps)
        elif finding.tool.startswith(PROMPT):
            for entry in self._named("prompts", finding.tool.removeprefix(PROMPT)):
                yield entry, _in_prompt(entry, root, steps)
        elif finding.tool.startswith(TEMPLATE):
            document = self._spec.documents.get(f"spec/templates/{finding.tool.removeprefix(TEMPLATE)}.yaml")
            if document:
                yield _at(document, ()), (root, *_members(steps)[1:])
        elif tool := self._tool(finding.tool):
            yield from self._of_tool(tool, root, steps)

    def _of_all(self, root: str, steps: Sequence[str]) -> Iterator[tuple[Place, Pointer]]:
        match root:
            case "reasons":
                yield self._the("errors"), (root, *steps)
            case "errors":
                yield self._the("errors"), (root, *steps[:2], *_members(steps[2:]))
            case "policy":
                yield self._the("policy"), tuple(steps)
            case "server":
                yield self._the("server"), tuple(steps)
            case "toolsets":
                whole = self._the("toolsets")
                ids = [toolset["id"] for toolset in whole.value[root]]
                yield whole, (root, ids.index(steps[0]) if steps[0] in ids else 0, *steps[1:])
            case "resource_prefix":
                yield self._the("resources"), ("prefix",)
            case "apps" | "dealers" | "dealers_order" | "upstream" | "legacy" | "sizes":
                kind: Kind = "dealers" if root == "dealers_order" else root
                yield from ((_at(document, ()), tuple(steps)) for document in self._spec.of_kind(kind))
            case _:
                for document in self._spec.of_kind("shapes"):
                    if has_pointer(document.data, ("$defs", *steps)):
                        yield _at(document, ("$defs", *steps)), ()

    def _of_resource(self, entry: Place, root: str, steps: Sequence[str]) -> Iterator[tuple[Place, Pointer]]:
        if root == "variables":
            yield entry, ("params", *_members(steps)[1:])
        elif root == "content" and root not in entry.value:
            if tool := self._tool(entry.value["tool"]):
                yield _at(tool, ("response",)), ("item", *_members(steps))
        else:
            yield entry, (root, *_members(steps))

    def _the(self, kind: Kind) -> Place:
        return _at(self._spec.the(kind), ())

    def _named(self, kind: Literal["resources", "prompts"], name: str) -> Iterator[Place]:
        """The resource or prompt that has this name, or had it."""
        for document in self._spec.of_kind(kind):
            for index, entry in enumerate(document.data[kind]):
                if name in (entry["name"], *entry.get("aliases", [])):
                    yield _at(document, (kind, index))

    def _tool(self, name: str) -> Document | None:
        tools = self._spec.of_kind("tool")
        named = [tool for tool in tools if tool_key(self._spec, tool.data) == name]
        aliased = [tool for tool in tools if name in tool.data.get("aliases", [])]
        return next(iter([*named, *aliased]), None)

    def _of_tool(self, tool: Document, root: str, steps: Sequence[str]) -> Iterator[tuple[Place, Pointer]]:
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
        elif root == "examples" and steps:
            names = [example["name"] for example in tool.data["examples"]]
            yield _at(tool, ()), (root, names.index(steps[0])) if steps[0] in names else (root,)
        else:
            yield _at(tool, ()), ("response", root) if root == "envelope" else (root,)

    def _lead(self, place: Place, way: Pointer) -> "_Led":
        """As far from `place` as the way leads, through references."""
        led = _Led(place, len(way))
        if has_pointer(place.value, way[:1]) and way:
            led = self._lead(place.at(way[:1]), way[1:])
        target = target_of(self._spec, place)
        further = [target] if target is not None else [place.at(branch) for branch in _branches(place)]
        for inner in further if led.left else ():
            led = min(led, self._lead(inner, way), key=lambda one: one.left)
        return led


def _branches(place: Place) -> Iterator[Pointer]:
    """The forms that a schema is a choice of."""
    for union in _UNIONS:
        if is_object(place.value) and union in place.value:
            yield from ((union, index) for index in range(len(place.value[union])))


def _in_prompt(prompt: Place, root: str, steps: Sequence[str]) -> Pointer:
    names = [argument["name"] for argument in prompt.value["arguments"]]
    if root == "arguments" and steps and steps[0] in names:
        return (root, names.index(steps[0]))
    return ("steps",) if root == "plan" else (root,)


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
    if "property-" in finding.rule.id or not is_object(place.value):
        return False
    return not any(keyword in place.value for keyword in finding.rule.id.split("-")[1:2])


def _members(steps: Sequence[str]) -> Pointer:
    keywords = {"[]": "items", "*": "additionalProperties"}
    pointer: list[str] = []
    for step in steps:
        pointer += [keywords[step]] if step in keywords else ["properties", step]
    return tuple(pointer)
