"""Find the schemas of a spec as `Place`s: inputs, outputs, error details and shapes."""

from collections.abc import Iterator
from itertools import chain

from vcontract.codegen.documents import JsonObject, Pointer, has_pointer, value_at
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.references import DocumentValue


def input_roots(spec: Spec) -> Iterator[DocumentValue]:
    """`params` of every tool and of every mixin."""
    for document in spec.of_kind("tool"):
        yield _place(document, ("params",))
    mixins = spec.the("mixins")
    for name in mixins.data["mixins"]:
        yield _place(mixins, ("mixins", name, "params"))


def output_roots(spec: Spec) -> Iterator[DocumentValue]:
    """Every schema of every response, `meta` of every mixin, and the `content_roots`."""
    for document in spec.of_kind("tool"):
        pointers: list[Pointer] = [
            ("response", "item"),
            ("response", "page"),
            ("response", "meta"),
            ("response", "list", "item"),
            ("response", "list", "page"),
        ]
        own: JsonObject = document.data["response"].get("properties", {})
        pointers.extend(("response", "properties", name) for name in own)
        yield from (_place(document, pointer) for pointer in pointers if has_pointer(document.data, pointer))
    mixins = spec.the("mixins")
    for name, mixin in mixins.data["mixins"].items():
        if "meta" in mixin:
            yield _place(mixins, ("mixins", name, "meta"))
    yield from content_roots(spec)


def content_roots(spec: Spec) -> Iterator[DocumentValue]:
    """`content` of every resource."""
    for document in spec.of_kind("resources"):
        for index, resource in enumerate(document.data["resources"]):
            if "content" in resource:
                yield _place(document, ("resources", index, "content"))


def details_roots(spec: Spec) -> Iterator[DocumentValue]:
    """`details` of every error."""
    errors = spec.the("errors")
    for code, entry in errors.data["errors"].items():
        if "details" in entry:
            yield _place(errors, ("errors", code, "details"))


def shape_roots(spec: Spec) -> Iterator[DocumentValue]:
    """Every shape."""
    for document in spec.of_kind("shapes"):
        for name in document.data["$defs"]:
            yield _place(document, ("$defs", name))


def roots_in_use(spec: Spec) -> Iterator[DocumentValue]:
    """Every schema except shapes, which are used only if one of these refers to them."""
    return chain(input_roots(spec), output_roots(spec), details_roots(spec))


def _place(document: Document, pointer: Pointer) -> DocumentValue:
    return DocumentValue(document, pointer, value_at(document.data, pointer))
