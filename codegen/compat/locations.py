"""Where in the spec a finding can be mended: file and line."""

from vcontract.codegen.compat.findings import Finding
from vcontract.codegen.compat.promises import PROMPT, RESOURCE
from vcontract.codegen.documents import Pointer
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.resolve import tool_key

_SHARED = {"errors": "errors", "policy": "policy", "instructions": "server", "toolsets": "toolsets"}
"""The first step of a path outside tools, to the kind of document that it lies in."""

_RESPONSES = {"output", "error", "list"}


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
        return None if document is None else (document.path, _line(document, finding.path))

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

    def _shared(self, path: str) -> tuple[str, int] | None:
        steps = path.split(".")
        kind = _SHARED.get(steps[0])
        for document in self._spec.documents.values():
            if document.kind == kind:
                pointer = tuple(steps[1:]) if kind in ("policy", "toolsets") else tuple(steps)
                return document.path, document.line(pointer)
        return None


def _line(document: Document, path: str) -> int:
    """The line of `path` in a tool's file; members of a shape are found at the reference to it."""
    root, *steps = path.replace("[]", ".[]").replace(".*", "").split(".")
    if root == "input":
        return document.line(("params", *_members(steps)))
    if root not in _RESPONSES:
        return document.line((root,))
    if root == "error":
        return document.line(("errors",))
    response: Pointer = ("response", "list") if root == "list" else ("response",)
    if "properties" in document.data["response"]:
        return document.line((*response, *_members(steps)))
    if steps[:2] == ["items", "[]"]:
        return document.line((*response, "item", *_members(steps[2:])))
    return document.line((*response, *steps[:1], *_members(steps[1:])))


def _members(steps: list[str]) -> Pointer:
    pointer: list[str] = []
    for step in steps:
        pointer += ["items"] if step == "[]" else ["properties", step]
    return tuple(pointer)
