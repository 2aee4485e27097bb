"""The call forms of another server: their lints, what the gate compares, and generated/upstream.json."""

from collections.abc import Iterator, Sequence
from typing import Final

import jsonschema_rs

from vcontract.codegen.documents import JsonObject, JsonValue, Pointer, compact_json, print_json
from vcontract.codegen.emitters import Emitter
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.model import Contract, Tool
from vcontract.codegen.output import OutputFile
from vcontract.codegen.problems import Problem
from vcontract.codegen.references import BrokenReferenceError
from vcontract.codegen.resolve import resolve, tool_key


def _emit(contract: Contract) -> Iterator[OutputFile]:
    for document in contract.documents.get("upstream", ()):
        parts = {name: document.get(name, []) for name in ("forms", "tools", "not_served")}
        yield OutputFile("upstream.json", print_json(parts))


def _surface(spec: Spec) -> JsonObject:
    """The calls that a server may accept beside those of the contract."""
    found: list[JsonObject] = [document.data for document in spec.of_kind("upstream")]
    upstream = found[0] if found else {}
    forms = {
        f"{form['call']} {compact_json(form.get('when', {}))}": form for form in upstream.get("forms", [])
    }
    return {
        "upstream": {
            "tools": {
                tool["name"]: {**tool, "params": {"additionalProperties": False, **tool["params"]}}
                for tool in upstream.get("tools", [])
            },
            "not_served": {
                name: entry["because"] for entry in upstream.get("not_served", []) for name in entry["names"]
            },
            "forms": forms,
            "order": list(forms),
        }
    }


def _forms(spec: Spec) -> Iterator[tuple[Document, int, JsonObject]]:
    for document in spec.of_kind("upstream"):
        for index, form in enumerate(document.data["forms"]):
            yield document, index, form


def _targets(spec: Spec) -> Iterator[tuple[Document, int, JsonObject, Tool]]:
    """Every form with the tool that it becomes, where there is one."""
    if not spec.of_kind("upstream"):
        return
    try:
        tools = {tool.key: tool for tool in resolve(spec).tools}
    except (BrokenReferenceError, KeyError):
        return  # other lints report the cause
    for document, index, form in _forms(spec):
        target = tools.get(form["becomes"] if "becomes" in form else form["call"])
        if target is not None:
            yield document, index, form, target


def _tool_exists(spec: Spec) -> Iterator[Problem]:
    known = {tool_key(spec, document.data) for document in spec.of_kind("tool")}
    for document, index, form in _forms(spec):
        member = "becomes" if "becomes" in form else "call"
        if form[member] not in known:
            message = f"there is no tool {form[member]!r} that this call could become"
            yield document.problem(("forms", index, member), "upstream-tool", message)
    for document in spec.of_kind("upstream"):
        called = {form["call"] for form in document.data["forms"]}
        for index, tool in enumerate(document.data.get("tools", [])):
            if tool["becomes"] not in known:
                message = f"there is no tool {tool['becomes']!r} whose callers could see it"
                yield document.problem(("tools", index, "becomes"), "upstream-tool", message)
            if tool["name"] not in called:
                message = f"no form takes a call of {tool['name']!r}"
                yield document.problem(("tools", index, "name"), "upstream-tool", message)


def _argument_is_declared(spec: Spec) -> Iterator[Problem]:
    for document, index, form, tool in _targets(spec):
        parameters: JsonObject = tool.input_schema["properties"]
        for pointer, name, value in _given(form):
            place = ("forms", index, *pointer)
            if name not in parameters:
                message = f"{tool.key} has no parameter {name!r}; it has: {', '.join(parameters)}"
                yield document.problem(place, "upstream-argument", message)
                continue
            for error in jsonschema_rs.Draft202012Validator(parameters[name]).iter_errors(value):
                yield document.problem(
                    place, "upstream-argument", f"{name}: {' '.join(error.message.split())}"
                )


def _given(form: JsonObject) -> Iterator[tuple[Pointer, str, JsonValue]]:
    """The arguments that a form gives: where it says so, the parameter and the value."""
    if "gather" in form:
        yield ("gather",), form["gather"]["into"], {"parties": [{}], **form["gather"].get("beside", {})}
    for name, value in form.get("add", {}).items():
        yield ("add", name), name, value
    for argument, meanings in form.get("by_value", {}).items():
        for meant, arguments in meanings.items():
            for name, value in arguments.items():
                yield ("by_value", argument, meant, name), name, value


def _nothing_declared_is_lost(spec: Spec) -> Iterator[Problem]:
    for document, index, form, tool in _targets(spec):
        places: list[tuple[Pointer, str]] = [
            (("drop", place), name) for place, name in enumerate(form.get("drop", []))
        ]
        places += [(("by_value", name), name) for name in form.get("by_value", {})]
        for pointer, name in places:
            if name in tool.input_schema["properties"]:
                message = f"{name} is a parameter of {tool.key}; a call that gives it means it"
                yield document.problem(("forms", index, *pointer), "upstream-keeps-declared", message)


def _result_only_gains(spec: Spec) -> Iterator[Problem]:
    for document, index, form, tool in _targets(spec):
        members = {name for success in tool.success_forms for name in success["properties"]}
        for name, source in form.get("gains", {}).items():
            place = ("forms", index, "gains", name)
            if name in members:
                message = f"{tool.key} answers with {name} already; a result may only gain members"
                yield document.problem(place, "upstream-gain", message)
            member = source.get("rows", source).get("member")
            if member is not None and member not in members:
                message = f"{tool.key} has no member {member!r} in its result"
                yield document.problem(place, "upstream-gain", message)


_LINTS: Final[Sequence[Lint]] = (
    Lint("upstream-tool", "a call form becomes a tool that there is", _tool_exists),
    Lint("upstream-argument", "a call form gives only arguments that fit its tool", _argument_is_declared),
    Lint("upstream-keeps-declared", "a call form drops no declared parameter", _nothing_declared_is_lost),
    Lint("upstream-gain", "a result gains members, and from ones that it has", _result_only_gains),
)

EMITTER: Final = Emitter(_emit, _LINTS, _surface)
