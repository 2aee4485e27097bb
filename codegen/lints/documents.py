"""Lints of documents as such: they are there, name their meta-schema, and fit it."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import jsonschema_rs

from vcontract.codegen.documents import Pointer, value_at
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Document, Kind, Spec
from vcontract.codegen.problems import Problem

_META: Final = "spec/meta/"

_REQUIRED: Final[Mapping[Kind, str]] = {
    "server": "spec/server.yaml",
    "toolsets": "spec/toolsets.yaml",
    "policy": "spec/policy.yaml",
    "errors": "spec/errors.yaml",
    "mixins": "spec/shapes/mixins.yaml",
}


_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
_FALSE_SCHEMA: Final = jsonschema_rs.ValidationErrorKind.FalseSchema


def _missing(spec: Spec) -> Iterator[Problem]:
    present = {document.kind for document in spec.documents.values()}
    for kind, path in _REQUIRED.items():
        if kind not in present:
            yield Problem(path, 1, "document-missing", "the spec needs this file")


def _schema_line(spec: Spec) -> Iterator[Problem]:
    for document in spec.documents.values():
        expected = _reference_to(document, _META + f"{document.kind}.schema.json")
        if document.schema_reference is None:
            shown = expected if document.kind != "other" else "<path to its schema>"
            message = f"the first line must be: # yaml-language-server: $schema={shown}"
            yield Problem(document.path, 1, "schema-line", message)
        elif document.kind != "other" and document.schema_reference != expected:
            message = f"this file is described by {expected}, not by {document.schema_reference}"
            yield Problem(document.path, 1, "schema-line", message)
        elif _schema_path(document) not in spec.schemas:
            message = f"there is no {_schema_path(document)}"
            yield Problem(document.path, 1, "schema-line", message)


def _meta_schema(spec: Spec) -> Iterator[Problem]:
    try:
        registry = jsonschema_rs.Registry([(_uri(path), schema) for path, schema in spec.schemas.items()])
    except ValueError as error:
        yield Problem(_META, 1, "meta-schema", f"the meta-schemas do not fit together: {_line(error)}")
        return
    validators: dict[str, jsonschema_rs.Draft202012Validator] = {}
    for document in spec.documents.values():
        # The folder of a file decides its kind, even if its first line says otherwise.
        path = _schema_path(document) if document.kind == "other" else f"{_META}{document.kind}.schema.json"
        if not path.startswith(_META) or path not in spec.schemas:
            continue
        try:
            if path not in validators:
                validators[path] = jsonschema_rs.Draft202012Validator(
                    {"$ref": _uri(path)}, registry=registry, validate_formats=True
                )
        except (jsonschema_rs.ValidationError, ValueError) as error:
            yield Problem(path, 1, "meta-schema", f"this is no JSON Schema: {_line(error)}")
            continue
        yield from _violations(document, validators[path])


def _line(error: Exception) -> str:
    """The first line of what a validator says."""
    return str(error).partition("\n")[0]


def _violations(document: Document, validator: jsonschema_rs.Draft202012Validator) -> Iterator[Problem]:
    for error in validator.iter_errors(document.data):
        pointer: Pointer = tuple(error.instance_path)
        kind = error.kind
        # An unexpected member is reported where it stands, not where its object begins.
        unexpected: Sequence[str] = (
            kind.unexpected
            if isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties)
            else ()
        )
        places = [(*pointer, name) for name in unexpected] or [pointer]
        where = _shown(pointer)
        for place in places:
            found = _said(document, error, place)
            yield document.problem(place, "meta-schema", f"{where}: {found}")


def _said(document: Document, error: jsonschema_rs.ValidationError, place: Pointer) -> str:
    """Describe the violation at `place`, with advice for common mistakes."""
    value = value_at(document.data, place)
    if isinstance(error.kind, _FALSE_SCHEMA):
        return "does not belong here"
    if place[-1:] == ("type",) and isinstance(value, str):
        return f"{value!r} is no type; a type is one of {', '.join(_TYPES)}"
    message = " ".join(error.message.split())
    if place != tuple(error.instance_path) and value is None:
        return f"{message}; if it belongs to the text before it, quote the whole text: a comma ends it"
    return message


def _shown(pointer: Pointer) -> str:
    return ".".join(str(step) for step in pointer) or "the document"


def _reference_to(document: Document, path: str) -> str:
    return posixpath.relpath(path, posixpath.dirname(document.path))


def _schema_path(document: Document) -> str:
    reference = document.schema_reference or ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document.path), reference))


def _uri(path: str) -> str:
    # Relative references between the meta-schemas need a base with folders.
    return f"spec:///{path}"


LINTS: Final[Sequence[Lint]] = (
    Lint("document-missing", "the documents that every spec needs are there", _missing),
    Lint(
        "schema-line",
        "every document's first line names the schema that describes it, for editors",
        _schema_line,
    ),
    Lint("meta-schema", "every document fits its meta-schema", _meta_schema),
)
