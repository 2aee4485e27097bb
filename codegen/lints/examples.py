"""Lints of examples: they are there, and true."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Final

import jsonschema_rs

from vcontract.codegen.documents import JsonObject, JsonValue, Pointer, byte_length, has_pointer, is_object
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.problems import Problem
from vcontract.codegen.references import BrokenReferenceError, linked
from vcontract.codegen.resolve import BUDGET, error_codes, resolve_shapes, resolve_tools
from vcontract.codegen.schemas import extensions_inlined, map_subschemas, packed


def _examples(spec: Spec) -> Iterator[tuple[Document, int, JsonObject]]:
    for document in spec.of_kind("tool"):
        for index, example in enumerate(document.data["examples"]):
            yield document, index, example


def _has_one_answer(spec: Spec) -> Iterator[Problem]:
    for document, index, example in _examples(spec):
        if ("response" in example) == ("error" in example):
            yield document.problem(
                ("examples", index), "example-answer", "an example has a response, or an error, and not both"
            )


def _name_is_unique(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        seen: set[str] = set()
        for index, example in enumerate(document.data["examples"]):
            if example["name"] in seen:
                message = f"two examples are named {example['name']}"
                yield document.problem(("examples", index, "name"), "example-name-unique", message)
            seen.add(example["name"])


def _of_success(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        if not any("response" in example for example in document.data["examples"]):
            yield document.problem(("examples",), "example-of-success", "no example succeeds")


def _of_each_error(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        shown = {example["error"]["code"] for example in document.data["examples"] if "error" in example}
        for index, code in enumerate(document.data.get("errors", [])):
            if code not in shown:
                message = f"no example answers with {code}"
                yield document.problem(("errors", index), "example-of-error", message)


def _params_fit(spec: Spec) -> Iterator[Problem]:
    for path, tool in resolve_tools(spec).items():
        document = spec.documents[path]
        validator = jsonschema_rs.Draft202012Validator(tool.input_schema)
        for index, example in enumerate(document.data["examples"]):
            if "response" in example:
                pointer = ("examples", index, "params")
                yield from _violations(document, pointer, "example-params", validator, example["params"])


def _response_fits(spec: Spec) -> Iterator[Problem]:
    for path, tool in resolve_tools(spec).items():
        document = spec.documents[path]
        forms: list[JsonObject] = tool.output_schema["oneOf"][:-1]
        whole = jsonschema_rs.Draft202012Validator(tool.output_schema)
        for index, example in enumerate(document.data["examples"]):
            if "response" not in example or whole.is_valid(example["response"]):
                continue
            form = {**_form_meant(forms, example["response"]), "$defs": tool.output_schema.get("$defs", {})}
            pointer = ("examples", index, "response")
            validator = jsonschema_rs.Draft202012Validator(form)
            found = list(_violations(document, pointer, "example-response", validator, example["response"]))
            yield from found
            if not found:
                message = "it fits more than one form of the output schema; readers could not choose one"
                yield document.problem(pointer, "example-response", message)


def _response_is_declared(spec: Spec) -> Iterator[Problem]:
    """Members of a response that its schema does not declare: readers would not learn of them."""
    tools = resolve_tools(spec)
    shapes = resolve_shapes(spec) if tools else {}
    named = {name: _closed(extensions_inlined(shape, shapes)) for name, shape in shapes.items()}
    for path, tool in tools.items():
        document = spec.documents[path]
        whole = jsonschema_rs.Draft202012Validator(tool.output_schema)
        for index, example in enumerate(document.data["examples"]):
            if "response" not in example or not whole.is_valid(example["response"]):
                continue
            form = extensions_inlined(_form_meant(tool.success_forms, example["response"]), shapes)
            validator = jsonschema_rs.Draft202012Validator({**_closed(form), "$defs": named})
            for error in validator.iter_errors(example["response"]):
                for name in getattr(error.kind, "unexpected", ()):
                    place = ("examples", index, "response", *error.instance_path, name)
                    message = (
                        f"{name} is not declared in the response; declare it, or take it out of the example"
                    )
                    yield document.problem(place, "example-response-declared", message)


def _closed(schema: JsonValue) -> JsonValue:
    """`schema` with no members but the declared; documents of callers stay open."""
    if not is_object(schema):
        return schema
    closed = map_subschemas(schema, _closed)
    is_document = any(keyword.startswith("x-") for keyword in schema) or {"allOf", "anyOf"} & schema.keys()
    if closed.get("properties") and not is_document:
        closed.setdefault("additionalProperties", False)
    return closed


def _form_meant(forms: Sequence[JsonObject], response: JsonObject) -> JsonObject:
    """The success form with the most members in common with `response`: its violations say the most."""
    return max(forms, key=lambda form: len(form["properties"].keys() & response.keys()))


def _error_is_declared(spec: Spec) -> Iterator[Problem]:
    for document, index, example in _examples(spec):
        if "error" in example:
            code: str = example["error"]["code"]
            declared = error_codes(spec, document.data)
            if code not in declared:
                message = f"{code} is not declared; this tool answers with: {', '.join(declared)}"
                yield document.problem(
                    ("examples", index, "error", "code"), "example-error-declared", message
                )


def _details_fit(spec: Spec) -> Iterator[Problem]:
    try:
        shapes = resolve_shapes(spec)
        errors = spec.the("errors")
        details = {
            code: packed(linked(spec, errors, entry.get("details", {"type": "object"})), shapes)
            for code, entry in errors.data["errors"].items()
        }
    except BrokenReferenceError:
        return
    for document, index, example in _examples(spec):
        if "error" in example and "details" in example["error"] and example["error"]["code"] in details:
            validator = jsonschema_rs.Draft202012Validator(details[example["error"]["code"]])
            pointer = ("examples", index, "error", "details")
            yield from _violations(
                document, pointer, "example-error-details", validator, example["error"]["details"]
            )


def _size_is_true(spec: Spec) -> Iterator[Problem]:
    for document, index, example in _examples(spec):
        place = ("response", "meta", "response_bytes")
        if has_pointer(example, place):
            stated: JsonValue = example["response"]["meta"]["response_bytes"]
            true_size = byte_length(example["response"])
            if stated != true_size:
                message = f"response_bytes is {stated}, but this response takes {true_size} bytes"
                yield document.problem(("examples", index, *place), "example-response-bytes", message)


def _reason_is_declared(spec: Spec) -> Iterator[Problem]:
    known: JsonObject = spec.the("errors").data.get("reasons", {})
    place = ("error", "details", "reason")
    for document, index, example in _examples(spec):
        reason = str(example["error"]["details"]["reason"]) if has_pointer(example, place) else ""
        if known and reason and reason not in known:
            nearest = get_close_matches(reason, known, n=1)
            hint = f"; did you mean {nearest[0]}?" if nearest else ""
            message = f"errors.yaml has no reason {reason!r}{hint}"
            yield document.problem(("examples", index, *place), "example-reason", message)


def _fits_its_budget(spec: Spec) -> Iterator[Problem]:
    for document, index, example in _examples(spec):
        budget = example["params"].get(BUDGET)
        if not isinstance(budget, int) or "response" not in example:
            continue
        if (size := byte_length(example["response"])) > budget:
            message = f"{BUDGET} is {budget}, but the response takes {size} bytes"
            yield document.problem(("examples", index, "params", BUDGET), "example-budget", message)


def _violations(
    document: Document,
    pointer: Pointer,
    lint: str,
    validator: jsonschema_rs.Draft202012Validator,
    value: JsonValue,
) -> Iterator[Problem]:
    for error in validator.iter_errors(value):
        place = (*pointer, *error.instance_path)
        where = ".".join(str(step) for step in error.instance_path)
        message = " ".join(error.message.split())
        yield document.problem(place, lint, f"{where}: {message}" if where else message)


LINTS: Final[Sequence[Lint]] = (
    Lint("example-answer", "an example has a response or an error", _has_one_answer),
    Lint("example-name-unique", "a tool's examples have different names", _name_is_unique),
    Lint("example-of-success", "every tool has an example that succeeds", _of_success),
    Lint("example-of-error", "every error that a tool itself declares has an example", _of_each_error),
    Lint("example-params", "the parameters of a success fit the input schema", _params_fit),
    Lint("example-response", "every response fits the output schema", _response_fits),
    Lint(
        "example-response-declared", "a response has no members but the declared ones", _response_is_declared
    ),
    Lint(
        "example-error-declared",
        "an example answers with a code that the tool may answer with",
        _error_is_declared,
    ),
    Lint("example-error-details", "an error's details fit the schema of its code", _details_fit),
    Lint("example-reason", "the reason of an error is declared in errors.yaml", _reason_is_declared),
    Lint("example-budget", f"a response fits {BUDGET} of its example", _fits_its_budget),
    Lint("example-response-bytes", "meta.response_bytes of an example is its true size", _size_is_true),
)
