"""Names of generated classes, methods and types."""

import json
import keyword
import re
from collections.abc import Sequence

_VARIABLE = re.compile(r"\{([a-z0-9_]+)\}")
_WORD = re.compile(r"[A-Za-z0-9]+")
_TYPESCRIPT_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_TYPESCRIPT_GLOBALS = frozenset(
    {"Array", "Boolean", "Date", "Error", "Function", "Map", "Number", "Object", "Promise", "Record"}
    | {"RegExp", "Set", "String", "Symbol"}
)

TOOLS_TYPE = "Tools"
TOOL_NAME_TYPE = "ToolName"
RESOURCES_TYPE = "Resources"
RESOURCE_NAME_TYPE = "ResourceName"


def class_name(name: str) -> str:
    """`find_notes` and `FIND_NOTES` become `FindNotes`; inner capitals of mixed case stay."""
    words: list[str] = _WORD.findall(name)
    return "".join(word.capitalize() if word.isupper() else word[:1].upper() + word[1:] for word in words)


def params_class(tool: str) -> str:
    return class_name(tool) + "Params"


def result_class(tool: str) -> str:
    return class_name(tool) + "Result"


def protocol_class(toolset: str, group: str) -> str:
    """Name of the protocol for the handlers of one group of tools."""
    return class_name(toolset) + class_name(group) + "Tools"


def groups_class(toolset: str) -> str:
    """Name of the class with the handlers of all groups of a toolset."""
    return class_name(toolset) + "Handlers"


def handler_class(group: str) -> str:
    """Name of the hand-written class with the handlers of a group, in handlers/<toolset>/<group>.py."""
    return class_name(group) + "Tools"


def resources_class(toolset: str) -> str:
    return class_name(toolset) + "Resources"


def completion_method(source: str) -> str:
    return f"complete_{source}"


def resource_name(name: str, uris: Sequence[str], number: int) -> str:
    """Unique name of the URI with this number: `note_ids`, then `note_ids_by_limit`."""
    own = [variable for variable in _VARIABLE.findall(uris[number]) if variable not in uris[0]]
    return f"{name}_by_{'_and_'.join(own)}" if own else name


def error_class(code: str) -> str:
    return class_name(code)


def error_form_class(tool: str) -> str:
    """The error object that a tool answers with."""
    return class_name(tool) + "Error"


def response_class(tool: str) -> str:
    """Everything that a tool answers with: its result or its error."""
    return class_name(tool) + "Response"


def content_class(resource: str) -> str:
    """Name of a resource's content."""
    return class_name(resource) + "Content"


def typescript_type(name: str) -> str:
    """`name` as a type that hides none of TypeScript's own: `Date` becomes `DateValue`."""
    own = class_name(name)
    return own + "Value" if own in _TYPESCRIPT_GLOBALS else own


def typescript_member(name: str) -> str:
    """`name` as an object type has it: in quotes where it is no identifier."""
    return name if _TYPESCRIPT_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def member_class(owner: str, member: str) -> str:
    """The class of an object without a name of its own, at `member` of the class `owner`."""
    return owner + class_name(member)


def entry_class(container: str) -> str:
    """The class of an array's elements or a map's values; `container` is the name the whole would have."""
    return container.removesuffix("Items") + "Entry"


def branch_class(owner: str, number: int) -> str:
    """The class of one of several objects between which `anyOf` chooses, counted from 1."""
    return f"{owner}Option{number}"


def is_identifier(name: str) -> bool:
    """Whether `name` can stand as a Python name of a module, a field or a method."""
    return name.isidentifier() and not keyword.iskeyword(name)
