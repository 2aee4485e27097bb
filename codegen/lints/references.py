"""Lints of what the documents say about each other: it exists, and is used."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from typing import Final

from vcontract.codegen.documents import JsonObject, Pointer, is_object
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.problems import Problem
from vcontract.codegen.references import BrokenReferenceError, DocumentValue, follow, target_of, walk
from vcontract.codegen.schema_places import roots_in_use, shape_roots
from vcontract.codegen.schemas import ANNOTATIONS, EXTENSIONS, subschemas

_OF_THE_SAME_VALUE: Final = frozenset({"anyOf", "oneOf", "allOf", "not", "if", "then", "else"})
"""Keywords whose schemas are held against the value itself, not against a part of it."""


def every_place(spec: Spec) -> Iterator[DocumentValue]:
    """Every schema and sub-schema of the spec; a shape's comes once for each way to it."""
    for root in chain(roots_in_use(spec), shape_roots(spec)):
        yield from walk(spec, root)


def _resolves(spec: Spec) -> Iterator[Problem]:
    for place in every_place(spec):
        if is_object(place.value) and "$ref" in place.value:
            try:
                follow(spec, place.document, place.value["$ref"])
            except BrokenReferenceError as error:
                yield place.problem("reference-resolves", str(error), ("$ref",))


def _siblings(spec: Spec) -> Iterator[Problem]:
    for place in every_place(spec):
        target = target_of(spec, place)
        if target is None or not is_object(target.value):
            continue
        for keyword in place.value.keys() - {"$ref"}:
            if keyword in ANNOTATIONS:
                continue
            if keyword in EXTENSIONS and ("properties" in target.value or "$ref" in target.value):
                continue
            message = (
                f"{keyword} may not stand beside $ref: only title, description, default, x-unlisted and "
                "x-grows may, and properties and required where the shape is an object with members"
            )
            yield place.problem("reference-siblings", message, (keyword,))


def _shape_name_unique(spec: Spec) -> Iterator[Problem]:
    first: dict[str, DocumentValue] = {}
    for place in shape_roots(spec):
        earlier = first.setdefault(place.name, place)
        if earlier is not place:
            where = f"{earlier.document.path}:{earlier.document.line(earlier.pointer)}"
            yield place.problem("shape-name-unique", f"{place.name} is the name of a shape in {where} too")


def _ends(spec: Spec) -> Iterator[Problem]:
    for shape in shape_roots(spec):
        yield from _same(spec, shape, (shape,))
        yield from _copied(spec, shape, (shape,))


def _same(spec: Spec, place: DocumentValue, within: tuple[DocumentValue, ...]) -> Iterator[Problem]:
    """Shapes whose value would have to match the same shape again, before any member or entry."""
    target = target_of(spec, place)
    if target is not None:
        yield from _entered(_same, spec, place, target, within)
    for pointer, _ in subschemas(place.value):
        if pointer[0] in _OF_THE_SAME_VALUE:
            yield from _same(spec, place.at(pointer), within)


def _copied(spec: Spec, place: DocumentValue, within: tuple[DocumentValue, ...]) -> Iterator[Problem]:
    """Extended shapes, which are inlined, that would be inlined inside themselves."""
    target = target_of(spec, place)
    if target is not None and EXTENSIONS & place.value.keys():
        yield from _entered(_copied, spec, place, target, within)
    for pointer, _ in subschemas(place.value):
        yield from _copied(spec, place.at(pointer), within)


def _entered(
    search: Callable[[Spec, DocumentValue, tuple[DocumentValue, ...]], Iterator[Problem]],
    spec: Spec,
    place: DocumentValue,
    target: DocumentValue,
    within: tuple[DocumentValue, ...],
) -> Iterator[Problem]:
    if any(shape.key == target.key for shape in within):
        names = " -> ".join(shape.name for shape in (*within, target))
        message = f"{names}: this never ends; let a member or an entry refer to the shape, and add no members"
        yield place.problem("reference-ends", message, ("$ref",))
    else:
        yield from search(spec, target, (*within, target))


def _unknown(
    document: Document, pointer: Pointer, lint: str, what: str, name: str, known: Collection[str]
) -> Iterator[Problem]:
    if name not in known:
        listed = ", ".join(known) or "none"
        yield document.problem(pointer, lint, f"there is no {what} {name!r}; there is: {listed}")


def _error_exists(spec: Spec) -> Iterator[Problem]:
    known: JsonObject = spec.the("errors").data["errors"]
    for document, pointer, code in _codes_named(spec):
        yield from _unknown(document, pointer, "error-exists", "error", code, known)


def _codes_named(spec: Spec) -> Iterator[tuple[Document, Pointer, str]]:
    """Every mention of an error code outside examples: document, place, code."""
    for document in spec.of_kind("tool"):
        for index, code in enumerate(document.data.get("errors", [])):
            yield document, ("errors", index), code
    mixins = spec.the("mixins")
    for name, mixin in mixins.data["mixins"].items():
        for index, code in enumerate(mixin.get("errors", [])):
            yield mixins, ("mixins", name, "errors", index), code
    toolsets = spec.the("toolsets")
    for number, toolset in enumerate(toolsets.data["toolsets"]):
        for index, code in enumerate(toolset["base_errors"]):
            yield toolsets, ("toolsets", number, "base_errors", index), code
        for kind, code in toolset["codes"].items():
            yield toolsets, ("toolsets", number, "codes", kind), code


def _mixin_exists(spec: Spec) -> Iterator[Problem]:
    known: JsonObject = spec.the("mixins").data["mixins"]
    for document in spec.of_kind("tool"):
        for index, name in enumerate(document.data.get("mixins", [])):
            yield from _unknown(document, ("mixins", index), "mixin-exists", "mixin", name, known)


def _rate_class_exists(spec: Spec) -> Iterator[Problem]:
    known: JsonObject = spec.the("policy").data["rate_classes"]
    for document in spec.of_kind("tool"):
        name: str = document.data["rate_class"]
        yield from _unknown(document, ("rate_class",), "rate-class-exists", "rate class", name, known)


def _toolset_exists(spec: Spec) -> Iterator[Problem]:
    known = [toolset["id"] for toolset in spec.the("toolsets").data["toolsets"]]
    for document in spec.of_kind("tool"):
        yield from _unknown(
            document, ("toolset",), "toolset-exists", "toolset", document.data["toolset"], known
        )


def _details_required(spec: Spec) -> Iterator[Problem]:
    """Members of details that a message names: as `details.x`, as "the x", or with an underscore."""
    errors = spec.the("errors")
    for code, error in errors.data["errors"].items():
        details: JsonObject = error.get("details", {})
        members: JsonObject = details.get("properties", {})
        words = {*re.findall(r"\bdetails\.(\w+)", error["message"])}
        words |= {name for name in members if re.search(rf"\bthe {name}\b", error["message"])}
        words |= {name for name in members if "_" in name and re.search(rf"\b{name}\b", error["message"])}
        for name in sorted(words - {*details.get("required", ())}):
            message = f"the message names {name}, which details may lack: require it, or say nothing of it"
            yield errors.problem(("errors", code, "message"), "error-details-required", message)
    for document in spec.of_kind("tool"):
        for index, entry in enumerate(document.data.get("messages", [])):
            text = f"{entry['message']} {entry.get('suggestion', '')}"
            for name in re.findall(r"\bdetails\.(\w+)", text):
                if name not in entry.get("details", {}):
                    message = f"details.{name} is named, and is not among the details"
                    yield document.problem(("messages", index), "error-details-required", message)


def _error_unused(spec: Spec) -> Iterator[Problem]:
    used = {code for _, _, code in _codes_named(spec)}
    errors = spec.the("errors")
    for code in errors.data["errors"]:
        if code not in used:
            yield errors.problem(("errors", code), "error-unused", f"no tool, mixin or toolset has {code}")


def _mixin_unused(spec: Spec) -> Iterator[Problem]:
    used = {name for document in spec.of_kind("tool") for name in document.data.get("mixins", [])}
    mixins = spec.the("mixins")
    for name in mixins.data["mixins"]:
        if name not in used:
            yield mixins.problem(("mixins", name), "mixin-unused", f"no tool has the mixin {name}")


def _rate_class_unused(spec: Spec) -> Iterator[Problem]:
    used = {document.data["rate_class"] for document in spec.of_kind("tool")}
    policy = spec.the("policy")
    for name in policy.data["rate_classes"]:
        if name not in used:
            yield policy.problem(
                ("rate_classes", name), "rate-class-unused", f"no tool is of the class {name}"
            )


def _toolset_unused(spec: Spec) -> Iterator[Problem]:
    used = {document.data["toolset"] for document in spec.of_kind("tool")}
    toolsets = spec.the("toolsets")
    for number, toolset in enumerate(toolsets.data["toolsets"]):
        if toolset["id"] not in used:
            message = f"no tool belongs to {toolset['id']}"
            yield toolsets.problem(("toolsets", number, "id"), "toolset-unused", message)


def _shape_unused(spec: Spec) -> Iterator[Problem]:
    reached = {place.key for root in roots_in_use(spec) for place in walk(spec, root)}
    for place in shape_roots(spec):
        if place.key not in reached:
            yield place.problem("shape-unused", f"nothing that is served refers to {place.name}")


LINTS: Final[Sequence[Lint]] = (
    Lint("reference-resolves", "every $ref leads to a shape", _resolves),
    Lint("reference-ends", "no shape needs itself to be written out", _ends, comes_first=True),
    Lint("reference-siblings", "beside a $ref stands only what can be merged into the shape", _siblings),
    Lint("shape-name-unique", "a shape's name is its name in every file", _shape_name_unique),
    Lint("error-exists", "every error code named is in errors.yaml", _error_exists),
    Lint("error-details-required", "details that a message names are always there", _details_required),
    Lint("mixin-exists", "every mixin named is in shapes/mixins.yaml", _mixin_exists),
    Lint("rate-class-exists", "every rate class named is in policy.yaml", _rate_class_exists),
    Lint("toolset-exists", "every toolset named is in toolsets.yaml", _toolset_exists),
    Lint("error-unused", "no error is left over", _error_unused, needs_whole_spec=True),
    Lint("mixin-unused", "no mixin is left over", _mixin_unused, needs_whole_spec=True),
    Lint("rate-class-unused", "no rate class is left over", _rate_class_unused, needs_whole_spec=True),
    Lint("shape-unused", "no shape is left over", _shape_unused, needs_whole_spec=True),
    Lint("toolset-unused", "every toolset has a tool", _toolset_unused, needs_whole_spec=True),
)
