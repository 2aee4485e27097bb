"""Lints of output schemas, and of what inputs and outputs have in common."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from vcontract.codegen.documents import JsonObject, is_object
from vcontract.codegen.lints.inputs import is_described
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.lints.references import every_place
from vcontract.codegen.load import Spec
from vcontract.codegen.problems import Problem
from vcontract.codegen.references import DocumentValue, target_of, walk
from vcontract.codegen.schema_places import output_roots, roots_in_use, shape_roots
from vcontract.codegen.schemas import GROWS_MARKER

_GROWTH_WORDS: Final = re.compile(r"\b(may|will not) grow\b", re.IGNORECASE)


def _enum_growth(spec: Spec) -> Iterator[Problem]:
    for root in output_roots(spec):
        for place in walk(spec, root):
            schema: JsonObject = place.value if is_object(place.value) else {}
            if len(schema.get("enum", [])) > 1 and GROWS_MARKER not in schema:
                message = (
                    "readers must know whether to expect other values: say x-grows: true when new ones may "
                    "come at any time, x-grows: false when the list is complete"
                )
                yield place.problem("output-enum-growth", message, ("enum",))


def _growth_is_declared(spec: Spec) -> Iterator[Problem]:
    for place in every_place(spec):
        if is_object(place.value) and (
            found := _GROWTH_WORDS.search(str(place.value.get("description", "")))
        ):
            grows = "true" if found[1].lower() == "may" else "false"
            message = f'"{found[0]}" is no promise in words: say x-grows: {grows}, which adds them'
            yield place.problem("growth-declared", message, ("description",))


def _required_declared(spec: Spec) -> Iterator[Problem]:
    for root in chain(roots_in_use(spec), shape_roots(spec), _successes(spec)):
        for place in walk(spec, root):
            if not is_object(place.value) or not {"properties", "$ref"} & place.value.keys():
                continue  # a branch that only says what is required beside its parent's properties
            declared = _declared(spec, place)
            for index, name in enumerate(place.value.get("required", [])):
                if name not in declared:
                    message = f"{name} is required but is not among the properties"
                    yield place.problem("required-declared", message, ("required", index))


def _described(spec: Spec) -> Iterator[Problem]:
    for root in output_roots(spec):
        for place in walk(spec, root):
            members: JsonObject = place.value.get("properties", {}) if is_object(place.value) else {}
            for name in members:
                if not is_described(spec, place.at(("properties", name))):
                    message = f"{name} has no description, and refers to no shape that has one"
                    yield place.problem("output-property-description", message, ("properties", name))


def _successes(spec: Spec) -> Iterator[DocumentValue]:
    """The responses that are object schemas themselves."""
    for document in spec.of_kind("tool"):
        if "properties" in document.data["response"]:
            yield DocumentValue(document, ("response",), document.data["response"])


def _declared(spec: Spec, place: DocumentValue) -> set[str]:
    """The members that the object at `place` has, those of its shape and of its tool's mixins among them."""
    declared: set[str] = set(place.value.get("properties", {}))
    target = target_of(spec, place)
    seen = {place.key}
    while target is not None and target.key not in seen and is_object(target.value):
        declared.update(target.value.get("properties", {}))
        seen.add(target.key)
        target = target_of(spec, target)
    if place.document.kind == "tool" and place.pointer == ("params",):
        mixins: JsonObject = spec.the("mixins").data["mixins"]
        for name in place.document.data.get("mixins", []):
            declared.update(mixins.get(name, {}).get("params", {}).get("properties", {}))
    return declared


LINTS: Final[Sequence[Lint]] = (
    Lint("growth-declared", "whether a list grows is said by x-grows, not in words", _growth_is_declared),
    Lint("output-enum-growth", "an enum in an output says whether it may grow", _enum_growth),
    Lint("output-property-description", "every member of an answer has a description", _described),
    Lint("required-declared", "what is required is declared", _required_declared),
)
