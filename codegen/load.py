"""Load the files of spec/ as documents that know the line of each value."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from vcontract.codegen.documents import JsonObject, JsonValue, Pointer, is_object
from vcontract.codegen.problems import Problem, SpecError

Kind: TypeAlias = str

KINDS: Final[tuple[tuple[str, Kind], ...]] = (
    (r"spec/project\.yaml", "project"),
    (r"spec/server\.yaml", "server"),
    (r"spec/toolsets\.yaml", "toolsets"),
    (r"spec/policy\.yaml", "policy"),
    (r"spec/errors\.yaml", "errors"),
    (r"spec/resources\.yaml", "resources"),
    (r"spec/prompts\.yaml", "prompts"),
    (r"spec/apps\.yaml", "apps"),
    (r"spec/sizes\.yaml", "sizes"),
    (r"spec/compat\.yaml", "compat"),
    (r"spec/shapes/mixins\.yaml", "mixins"),
    (r"spec/shapes/[^/]+\.yaml", "shapes"),
    (r"spec/tools/.+\.yaml", "tool"),
)
"""The kind of a file follows from its path; the first pattern that fits decides. A file that only a project's
emitters know is of the kind whose meta-schema it names, and `other` without one."""

CORE_KINDS: Final = frozenset({"other"} | {kind for _, kind in KINDS})

LOAD_CHECKS: Final[Mapping[str, str]] = {
    "yaml-syntax": "every file is YAML that stands for JSON: no tags, no merge keys, no cycles, string keys",
    "yaml-duplicate-key": "no mapping has a key twice",
    "json-syntax": "every schema file is JSON",
}

_MAX_DEPTH: Final = 100
"""Maximum nesting; the spec itself nests less than 20 levels."""

_MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader represents exactly (RFC 8259, section 6)."""

_CURES: Final = {
    repr("\t"): "; write spaces instead",
    "mapping values are not allowed": "; quote a text that has a colon in it",
    "expected ',' or": "; quote a text that has a comma, a colon or a quote in it",
}
"""Advice by message of the YAML parser."""

_SHOWN: Final = 20
"""Characters of an unreadable value quoted in a message."""

_TOO_DEEP: Final = f"values lie more than {_MAX_DEPTH} deep in each other"
_SURROGATE = re.compile("[\ud800-\udfff]")
_OF_EMITTERS: Final = re.compile(r"(?:\.\./)*meta/(\w+)\.schema\.json")
_SCHEMA_LINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file of the spec."""

    path: str
    """Relative to the repository, with forward slashes: `spec/tools/notes/read_note.yaml`."""
    kind: Kind
    data: JsonValue
    lines: Mapping[Pointer, int]
    schema_reference: str | None
    """The path in the file's first line, `# yaml-language-server: $schema=…`; None without one."""

    def line(self, pointer: Pointer) -> int:
        """The line of the value at `pointer`, or of the nearest value that contains it."""
        while pointer and pointer not in self.lines:
            pointer = pointer[:-1]
        return self.lines.get(pointer, 1)

    def problem(self, pointer: Pointer, problem_id: str, message: str) -> Problem:
        return Problem(self.path, self.line(pointer), problem_id, message)


@dataclass(frozen=True, slots=True, eq=False)
class Spec:
    """Every YAML document of the spec, and every JSON Schema that lies beside them, by path; never edited."""

    documents: Mapping[str, Document]
    schemas: Mapping[str, JsonObject]

    def of_kind(self, kind: Kind) -> list[Document]:
        return [document for document in self.documents.values() if document.kind == kind]

    def the(self, kind: Kind) -> Document:
        """The document of a kind of which there is exactly one. Raises: LookupError."""
        for document in self.documents.values():
            if document.kind == kind:
                return document
        raise LookupError(f"the spec has no document of kind {kind}")

    @property
    def emitters(self) -> list[str]:
        """The import paths of the project's own emitters."""
        return [path for document in self.of_kind("project") for path in document.data["emitters"]]

    def without(self, paths: frozenset[str]) -> "Spec":
        if not paths:
            return self
        kept = {path: document for path, document in self.documents.items() if path not in paths}
        return Spec(kept, self.schemas)


def load_spec(root: Path) -> Spec:
    """The spec under `root`/spec, in the order of the paths.

    Raises: SpecError, with every file that cannot be read.
    """
    problems: list[Problem] = []
    documents: dict[str, Document] = {}
    for path in _files(root, ".yaml"):
        try:
            documents[path] = read_document(path, _text_of(root, path, "yaml-syntax"))
        except SpecError as error:
            problems.extend(error.problems)
    schemas: dict[str, JsonObject] = {}
    for path in _files(root, ".schema.json"):
        try:
            schemas[path] = _read_schema(path, _text_of(root, path, "json-syntax"))
        except SpecError as error:
            problems.extend(error.problems)
    if problems:
        raise SpecError(problems)
    return Spec(documents, schemas)


def read_document(path: str, text: str) -> Document:
    """The document that `text` holds. Raises: SpecError, with every problem of this file."""
    reader = _Reader(path)
    data = reader.read(text)
    if reader.problems:
        raise SpecError(reader.problems)
    header = _SCHEMA_LINE.fullmatch(text.partition("\n")[0])
    reference = header[1] if header else None
    return Document(path, _kind_of(path, reference), data, reader.lines, reference)


def _files(root: Path, suffix: str) -> Sequence[str]:
    found = ((root / "spec").rglob(f"*{suffix}")) if (root / "spec").is_dir() else iter(())
    return sorted(path.relative_to(root).as_posix() for path in found if path.is_file())


def _text_of(root: Path, path: str, problem_id: str) -> str:
    content = (root / path).read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = content.count(b"\n", 0, error.start) + 1, content[error.start]
        message = f"the byte 0x{byte:02x} is no UTF-8; save the file as UTF-8"
        raise SpecError([Problem(path, line, problem_id, message)]) from error


def _read_schema(path: str, text: str) -> JsonObject:
    try:
        schema: JsonValue = json.loads(text)
    except json.JSONDecodeError as error:
        raise SpecError([Problem(path, error.lineno, "json-syntax", error.msg)]) from error
    if not is_object(schema):
        raise SpecError([Problem(path, 1, "json-syntax", "a schema file holds an object")])
    return schema


def _kind_of(path: str, reference: str | None) -> Kind:
    for pattern, kind in KINDS:
        if re.fullmatch(pattern, path):
            return kind
    named = _OF_EMITTERS.fullmatch(reference or "")
    return named[1] if named and named[1] not in CORE_KINDS else "other"


class _Mark(Protocol):
    line: int


class _Node(Protocol):
    """The members that are used of a ruamel.yaml node, whose classes have no types."""

    id: str
    tag: object
    value: Any
    start_mark: _Mark


class _Reader:
    """Builds plain values from YAML nodes and notes the line of each."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.lines: dict[Pointer, int] = {}
        self._yaml: Any = YAML(typ="safe", pure=True)

    def read(self, text: str) -> JsonValue:
        try:
            node: _Node | None = self._yaml.compose(text)
        except YAMLError as error:
            mark: _Mark | None = getattr(error, "problem_mark", None)
            what: object = getattr(error, "problem", None) or error
            said = " ".join(str(what).split())
            said += next((cure for sign, cure in _CURES.items() if sign in said), "")
            self._report(mark.line + 1 if mark else 1, "yaml-syntax", said)
            return None
        except RecursionError:
            self._report(1, "yaml-syntax", _TOO_DEEP)
            return None
        if node is None:
            self._report(1, "yaml-syntax", "the file is empty")
            return None
        return self._value(node, (), ())

    def _value(self, node: _Node, pointer: Pointer, within: tuple[int, ...]) -> JsonValue:
        self.lines.setdefault(pointer, _line_of(node))
        if id(node) in within:
            self._report(_line_of(node), "yaml-syntax", "an alias contains itself")
            return None
        if len(within) == _MAX_DEPTH:
            self._report(_line_of(node), "yaml-syntax", _TOO_DEEP)
            return None
        within = (*within, id(node))
        if node.id == "mapping":
            return self._mapping(node, pointer, within)
        if node.id == "sequence":
            items: list[_Node] = node.value
            return [self._value(item, (*pointer, index), within) for index, item in enumerate(items)]
        return self._scalar(node)

    def _mapping(self, node: _Node, pointer: Pointer, within: tuple[int, ...]) -> JsonObject:
        result: JsonObject = {}
        for key, key_node, value_node in self._members(node):
            place = (*pointer, key)
            if key in result:
                message = f"the key {key!r} stands here and in line {self.lines[place]}; keep one"
                self._report(_line_of(key_node), "yaml-duplicate-key", message)
                continue
            self.lines[place] = _line_of(key_node)
            result[key] = self._value(value_node, place, within)
        return result

    def _members(self, node: _Node) -> Iterator[tuple[str, _Node, _Node]]:
        members: list[tuple[_Node, _Node]] = node.value
        for key_node, value_node in members:
            if str(key_node.tag) == "tag:yaml.org,2002:str":
                yield self._text(key_node), key_node, value_node
            else:
                shown = key_node.value if key_node.id == "scalar" else f"a {key_node.id}"
                self._report(
                    _line_of(key_node), "yaml-syntax", f"the key {shown!r} is not a string; quote it"
                )

    def _scalar(self, node: _Node) -> JsonValue:
        tag = str(node.tag).removeprefix("tag:yaml.org,2002:")
        if tag in ("str", "timestamp"):
            return self._text(node)
        if tag not in ("null", "bool", "int", "float"):
            self._report(_line_of(node), "yaml-syntax", f"the tag {tag!r} has no meaning in JSON")
            return None
        shown = str(node.value)
        try:
            value: JsonValue = self._yaml.constructor.construct_object(node)
        except (KeyError, ValueError):
            self._report(_line_of(node), "yaml-syntax", f"{shown[:_SHOWN]!r} is no {tag}")
            return None
        if tag in ("int", "float") and not _is_exact(value):
            message = f"{shown[:_SHOWN]} is not a number that every JSON reader holds; at most {_MAX_INTEGER}"
            self._report(_line_of(node), "yaml-syntax", message)
        return value

    def _text(self, node: _Node) -> str:
        text = str(node.value)
        if found := _SURROGATE.search(text):
            message = f"\\u{ord(found[0]):04x} is half a character; write the character itself"
            self._report(_line_of(node), "yaml-syntax", message)
        return text

    def _report(self, line: int, problem_id: str, message: str) -> None:
        self.problems.append(Problem(self.path, line, problem_id, message))


def _line_of(node: _Node) -> int:
    return node.start_mark.line + 1


def _is_exact(number: float) -> bool:
    return math.isfinite(number) if isinstance(number, float) else abs(number) <= _MAX_INTEGER
