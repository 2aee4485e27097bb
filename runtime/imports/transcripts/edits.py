"""Find files changed by successful tool calls of an exchange."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, members, objects
from vcontract.runtime.imports.transcripts.model import ToolCall
from vcontract.runtime.vcon.trust.hashes import content_hash

Operation: TypeAlias = Literal["add", "edit", "delete", "rename"]

_Kind: TypeAlias = Literal["write", "edit", "delete"]
_TOOLS: Final[dict[str, _Kind]] = {
    **dict.fromkeys(("Write", "write_file", "write", "create_new_file"), "write"),
    **dict.fromkeys(("Edit", "MultiEdit", "NotebookEdit", "edit", "multiedit", "replace"), "edit"),
    **dict.fromkeys(("search_replace", "edit_file", "edit_file_v2", "StrReplace", "apply_edit"), "edit"),
    **dict.fromkeys(("edit_existing_file", "single_find_and_replace", "multi_edit"), "edit"),
    **dict.fromkeys(("delete_file", "Delete"), "delete"),
}
"""Operation of each known tool on files, by tool name."""
_PATHS: Final = (
    "file_path",
    "notebook_path",
    "filePath",
    "filepath",
    "target_file",
    "path",
    "relativeWorkspacePath",
)
_CONTENTS: Final = ("content", "contents")
_BEFORE: Final = ("old_string", "oldString")
_HEADER: Final = re.compile(
    r"^\*\*\* (?P<what>Add File|Update File|Delete File|Move to): (?P<path>.+)$", re.MULTILINE
)
_PATCH_TOOL: Final = "apply_patch"


@dataclass(slots=True)
class FileChange:
    """All changes of one exchange to one file."""

    path: str
    operation: Operation
    line: int
    """Line of the first call."""
    edits: int = 1
    calls: list[str] = field(default_factory=list[str])
    line_range: tuple[int, int] | None = None
    content_hash: str | None = None
    previous_path: str | None = None

    def add(self, later: "FileChange") -> None:
        """Merge a later change of the same file."""
        self.edits += later.edits
        self.calls += [call for call in later.calls if call not in self.calls]
        self.line_range = None  # line numbers of the first change are no longer valid
        self.content_hash = later.content_hash
        if later.operation in ("delete", "rename") or self.operation == "delete":
            self.operation = later.operation


def changes_of(calls: list[ToolCall]) -> list[FileChange]:
    """Return the files changed by these calls, in the order of their first change."""
    changes: dict[str, FileChange] = {}
    for call in calls:
        if call.result is None or call.result.is_error:
            continue
        for change in _changes(call):
            if change.path in changes:
                changes[change.path].add(change)
            else:
                changes[change.path] = change
    return list(changes.values())


def _changes(call: ToolCall) -> list[FileChange]:
    given = members(call.input)
    if call.name in _TOOLS:
        path = _first(given, _PATHS)
        return [_edited(call, path, given)] if path else []
    patch = _patch(call, given)
    return [] if patch is None else _patched(call, patch)


def _edited(call: ToolCall, path: str, given: JsonObject) -> FileChange:
    detail = members(None if call.result is None else call.result.detail)
    content = _first(given, _CONTENTS) if _TOOLS[call.name] == "write" else None
    change = FileChange(path, _operation(call, given, detail), call.line, calls=[call.call_id])
    change.edits = max(1, len(array(given.get("edits"))))
    if isinstance(content, str):
        change.content_hash = content_hash(content.encode("utf-8", "replace"))
        change.line_range = (1, max(1, len(content.splitlines())))
    else:
        change.line_range = _patched_lines(detail.get("structuredPatch"))
    return change


def _operation(call: ToolCall, given: JsonObject, detail: JsonObject) -> Operation:
    kind = _TOOLS[call.name]
    if kind == "delete" or call.name == "NotebookEdit":
        return "delete" if kind == "delete" else "edit"
    if kind == "write":
        said = "" if call.result is None else call.result.text
        if detail.get("type") == "update" or "has been updated" in said:
            return "edit"
        return "add"
    first = members(array(given.get("edits"))[0]) if array(given.get("edits")) else given
    return "add" if any(first.get(name) == "" for name in _BEFORE) else "edit"


def _first(given: JsonObject, names: tuple[str, ...]) -> str | None:
    """First text member with one of these names."""
    return next((value for name in names if isinstance(value := given.get(name), str)), None)


def _patched_lines(patch: JsonValue) -> tuple[int, int] | None:
    """Lines that the hunks of one edit cover in the new file."""
    lines: list[int] = []
    for _, hunk in objects(patch):
        start, count = hunk.get("newStart"), hunk.get("newLines")
        if isinstance(start, int) and isinstance(count, int) and start > 0:
            lines += [start, start + max(count, 1) - 1]
    return (min(lines), max(lines)) if lines else None


def _patch(call: ToolCall, given: JsonObject) -> str | None:
    """Text of a patch, if the call is one."""
    command: JsonValue = given.get("command")
    if is_array(command) and len(command) > 1 and command[0] == _PATCH_TOOL:
        return str(command[1])
    if call.name != _PATCH_TOOL:
        return None
    if isinstance(call.input, str):
        return call.input
    text = given.get("input") or given.get("patch") or given.get("patchText")
    return text if isinstance(text, str) else None


def _patched(call: ToolCall, patch: str) -> list[FileChange]:
    """Files in the headers of a patch."""
    operations: dict[str, Operation] = {"Add File": "add", "Update File": "edit", "Delete File": "delete"}
    changes: list[FileChange] = []
    for header in _HEADER.finditer(patch):
        if header["what"] != "Move to":
            operation = operations[header["what"]]
            changes.append(FileChange(header["path"].rstrip(), operation, call.line, calls=[call.call_id]))
        elif changes:
            moved = changes[-1]
            moved.previous_path, moved.path, moved.operation = moved.path, header["path"].rstrip(), "rename"
    return changes
