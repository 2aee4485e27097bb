"""The formats that an import reads by declaration: their lints, and generated/formats.json."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen.documents import JsonObject, Pointer, is_object, print_json
from vcontract.codegen.emitters import Emitter
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Spec
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile
from vcontract.codegen.problems import Problem

_OF_THE_FORMAT: Final = ("head", "line", "skip", "above", "split", "group_by")
_OF_A_TURN: Final = ("split", "drop", "strip", "quoted")


def _emit(contract: Contract) -> Iterator[OutputFile]:
    if formats := contract.documents.get("format", ()):
        read = [{name: part for name, part in each.items() if name != "examples"} for each in formats]
        yield OutputFile("formats.json", print_json(read))


def _patterns(data: JsonObject) -> Iterator[tuple[Pointer, str]]:
    """Every regular expression of a declaration, with its place."""
    for name in _OF_THE_FORMAT:
        if name in data:
            yield (name,), data[name]
    for name, pattern in data.get("front", {}).items():
        yield ("front", name), pattern
    for index, where in enumerate(data.get("recognise", ())):
        if is_object(where):
            for path, pattern in where.items():
                yield ("recognise", index, path), pattern
    for index, turn in enumerate(data.get("turns", ())):
        for name in _OF_A_TURN:
            if name in turn:
                yield ("turns", index, name), turn[name]
        for name in ("where", "glue", "plain"):
            for path, pattern in turn.get(name, {}).items():
                yield ("turns", index, name, path), pattern


def _are_patterns(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("format"):
        for pointer, pattern in _patterns(document.data):
            try:
                found = re.compile(pattern)
            except re.error as error:
                message = f"{pattern!r} is not a regular expression: {error}"
                yield document.problem(pointer, "format-pattern", message)
                continue
            if pointer == ("line",) and "text" not in found.groupindex:
                message = f"the groups of `line` are {sorted(found.groupindex)}; it needs one named text"
                yield document.problem(pointer, "format-pattern", message)


def _is_named_as_its_file(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("format"):
        if document.path != f"spec/formats/{document.data['name']}.yaml":
            message = f"the file of {document.data['name']!r} is spec/formats/{document.data['name']}.yaml"
            yield document.problem(("name",), "format-name", message)


def _are_examples_of_versions(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("format"):
        versions = document.data.get("versions", [])
        for index, example in enumerate(document.data.get("examples", [])):
            if example["of"] not in versions:
                message = f"{example['of']!r} is none of the versions: {', '.join(versions)}"
                yield document.problem(("examples", index, "of"), "format-example", message)
        if document.data["shape"] == "code" and "examples" not in document.data:
            continue  # a program's sessions are no text that fits here
        without = set(versions) - {example["of"] for example in document.data.get("examples", [])}
        for version in sorted(without):
            yield document.problem(
                ("versions",), "format-example", f"the version {version!r} needs an example"
            )


_LINTS: Final[Sequence[Lint]] = (
    Lint("format-pattern", "regular expressions of a format compile, and a line has a text", _are_patterns),
    Lint("format-name", "a format is named as its file", _is_named_as_its_file),
    Lint("format-example", "each version of a format has an example", _are_examples_of_versions),
)


def _surface(spec: Spec) -> JsonObject:
    """The formats that an import reads, and the versions of each."""
    formats = sorted((document.data for document in spec.of_kind("format")), key=lambda data: data["name"])
    return {"formats": {data["name"]: {"versions": list(data.get("versions", []))} for data in formats}}


EMITTER: Final = Emitter(_emit, _LINTS, _surface)
