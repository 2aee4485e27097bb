"""Lints of resources and prompts: their names, URIs and parameters, and the tools that they name."""

from collections.abc import Iterator, Sequence
from typing import Final

import jsonschema_rs

from vcontract.codegen import naming
from vcontract.codegen.documents import JsonObject, Pointer
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.model import Resource
from vcontract.codegen.problems import Problem
from vcontract.codegen.references import BrokenReferenceError
from vcontract.codegen.resolve import resolve_shapes, resolve_tools, tool_key
from vcontract.codegen.resolve_surface import VARIABLE, alternatives, resolve_resource


def _resources(spec: Spec) -> Iterator[tuple[Document, Pointer, JsonObject]]:
    for document in spec.of_kind("resources"):
        for index, entry in enumerate(document.data["resources"]):
            yield document, ("resources", index), entry


def _prompts(spec: Spec) -> Iterator[tuple[Document, Pointer, JsonObject]]:
    for document in spec.of_kind("prompts"):
        for index, entry in enumerate(document.data["prompts"]):
            yield document, ("prompts", index), entry


def _tool_documents(spec: Spec) -> dict[str, Document]:
    return {tool_key(spec, document.data): document for document in spec.of_kind("tool")}


def _resolved(spec: Spec) -> Iterator[tuple[Document, Pointer, JsonObject, Resource]]:
    """Every resource that can be resolved."""
    tools = {tool.key: tool for tool in resolve_tools(spec).values()}
    for document, pointer, entry in _resources(spec):
        try:
            resource = resolve_resource(spec, document, entry, tools[entry["tool"]], resolve_shapes(spec))
        except (BrokenReferenceError, RecursionError, KeyError):
            continue
        yield document, pointer, entry, resource


def _resource_name(spec: Spec) -> Iterator[Problem]:
    seen: set[str] = set()
    for document, pointer, entry in _resources(spec):
        name: str = entry["name"]
        if name in seen:
            message = f"two resources are named {name}"
            yield document.problem((*pointer, "name"), "resource-name", message)
        elif not naming.is_identifier(name):
            message = f"{name!r} is a Python keyword; choose another name"
            yield document.problem((*pointer, "name"), "resource-name", message)
        seen.add(name)


def _resource_tool(spec: Spec) -> Iterator[Problem]:
    tools = _tool_documents(spec)
    for document, pointer, entry in _resources(spec):
        tool = tools.get(entry["tool"])
        if tool is None:
            message = f"there is no tool {entry['tool']!r}"
        elif not tool.data["annotations"]["read_only"]:
            message = f"{entry['tool']} changes data; a resource goes with a tool that only reads"
        elif "content" not in entry and tool.data["response"]["envelope"] != "item":
            message = f"{entry['tool']} answers no item, so the resource must say what its content is"
        else:
            continue
        yield document.problem((*pointer, "tool"), "resource-tool", message)


def _resource_uri(spec: Spec) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for document, pointer, entry in _resources(spec):
        params: JsonObject = entry.get("params", {})
        for index, uri in enumerate(entry["uris"]):
            place = (*pointer, "uris", index)
            for name in VARIABLE.findall(uri):
                if name not in params:
                    message = f"{{{name}}} is not among the params"
                    yield document.problem(place, "resource-uri", message)
            form = VARIABLE.sub("{}", uri)
            if form in first:
                message = f"{first[form]} has the same form; a reader could not distinguish them"
                yield document.problem(place, "resource-uri", message)
            first.setdefault(form, uri)
        for name in params:
            if not any(name in VARIABLE.findall(uri) for uri in entry["uris"]):
                message = f"no URI has {{{name}}}"
                yield document.problem((*pointer, "params", name), "resource-uri", message)


def _resource_params(spec: Spec) -> Iterator[Problem]:
    for document, pointer, entry in _resources(spec):
        for name, schema in entry.get("params", {}).items():
            rules = {keyword: value for keyword, value in schema.items() if keyword != "complete"}
            if "default" in rules and not jsonschema_rs.Draft202012Validator(rules).is_valid(
                rules["default"]
            ):
                message = f"the default {rules['default']!r} is not what {name} may be"
                yield document.problem((*pointer, "params", name, "default"), "resource-params", message)


def _resource_example(spec: Spec) -> Iterator[Problem]:
    for document, pointer, entry, resource in _resolved(spec):
        if resource.example is None:
            continue
        given: str = entry["example"]["uri"]
        if not any(_fits(uri, given) for uri in entry["uris"]):
            message = f"{given} fits none of the resource's URIs"
            yield document.problem((*pointer, "example", "uri"), "resource-example", message)
        for error in jsonschema_rs.Draft202012Validator(resource.content).iter_errors(
            resource.example.content
        ):
            place: Pointer = (*pointer, "example", "content", *error.instance_path)
            message = " ".join(error.message.split())
            yield document.problem(place, "resource-example", message)


def _fits(uri: str, given: str) -> bool:
    pairs = list(zip(uri.split("/"), given.split("/"), strict=False))
    same_length = uri.count("/") == given.count("/")
    return same_length and all(mine == other or bool(VARIABLE.fullmatch(mine)) for mine, other in pairs)


def _prompt_name(spec: Spec) -> Iterator[Problem]:
    seen: set[str] = set()
    for document, pointer, entry in _prompts(spec):
        places: list[tuple[Pointer, str]] = [((*pointer, "name"), entry["name"])]
        places += [((*pointer, "aliases", i), alias) for i, alias in enumerate(entry.get("aliases", []))]
        for place, name in places:
            if name in seen:
                message = f"{name} is the name of another prompt"
                yield document.problem(place, "prompt-name", message)
            seen.add(name)


def _prompt_toolset(spec: Spec) -> Iterator[Problem]:
    known = [toolset["id"] for toolset in spec.the("toolsets").data["toolsets"]]
    for document, pointer, entry in _prompts(spec):
        if entry["toolset"] not in known:
            message = f"there is no toolset {entry['toolset']!r}; there is: {', '.join(known)}"
            yield document.problem((*pointer, "toolset"), "prompt-toolset", message)


def _prompt_tools(spec: Spec) -> Iterator[Problem]:
    tools = _tool_documents(spec)
    for document, pointer, entry in _prompts(spec):
        for number, step in enumerate(entry["steps"]):
            for words in alternatives(step):
                for name in VARIABLE.findall(words):
                    if name not in tools:
                        message = f"there is no tool {name!r}; write {{tool}} for tools only"
                        yield document.problem((*pointer, "steps", number, "say"), "prompt-tools", message)


def _prompt_arguments(spec: Spec) -> Iterator[Problem]:
    for document, pointer, entry in _prompts(spec):
        names: list[str] = []
        optional = False
        for index, argument in enumerate(entry["arguments"]):
            place = (*pointer, "arguments", index)
            if argument["name"] in names:
                message = f"two arguments are named {argument['name']}"
                yield document.problem(place, "prompt-arguments", message)
            if argument.get("required") and optional:
                yield document.problem(place, "prompt-arguments", "required arguments come first")
            optional = optional or not argument.get("required")
            names.append(argument["name"])
        for number, step in enumerate(entry["steps"]):
            if "when" in step and step["when"] not in names:
                listed = ", ".join(names) or "none"
                message = f"there is no argument {step['when']!r}; there is: {listed}"
                yield document.problem((*pointer, "steps", number, "when"), "prompt-arguments", message)


def _apps(spec: Spec) -> Iterator[tuple[Document, Pointer, JsonObject]]:
    for document in spec.of_kind("apps"):
        for index, entry in enumerate(document.data["apps"]):
            yield document, ("apps", index), entry


def _app_tools(spec: Spec) -> Iterator[Problem]:
    known = [entry["name"] for _, _, entry in _apps(spec)]
    named: set[str] = set()
    for document in spec.of_kind("tool"):
        if (name := document.data.get("ui")) is None:
            continue
        named.add(name)
        if name not in known:
            message = f"there is no view {name!r} in spec/apps.yaml; there is: {', '.join(known) or 'none'}"
            yield document.problem(("ui",), "app-tools", message)
    for document, pointer, entry in _apps(spec):
        if entry["name"] not in named:
            message = f"no tool names the view {entry['name']} in its `ui`"
            yield document.problem((*pointer, "name"), "app-tools", message)


def _app_names(spec: Spec) -> Iterator[Problem]:
    seen: set[str] = set()
    for document, pointer, entry in _apps(spec):
        for member in ("name", "uri"):
            if entry[member] in seen:
                message = f"another view has the {member} {entry[member]}"
                yield document.problem((*pointer, member), "app-names", message)
            seen.add(entry[member])


def _completion_owner(spec: Spec) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    toolsets = {key: document.data["toolset"] for key, document in _tool_documents(spec).items()}
    places: list[tuple[Document, Pointer, str, str]] = [
        (document, (*pointer, "params", name, "complete"), schema["complete"], toolsets[entry["tool"]])
        for document, pointer, entry in _resources(spec)
        for name, schema in entry.get("params", {}).items()
        if "complete" in schema and entry["tool"] in toolsets
    ]
    places += [
        (document, (*pointer, "arguments", index, "complete"), argument["complete"], entry["toolset"])
        for document, pointer, entry in _prompts(spec)
        for index, argument in enumerate(entry["arguments"])
        if "complete" in argument
    ]
    for document, place, source, toolset in places:
        owner = owners.setdefault(source, toolset)
        if owner != toolset:
            message = f"{source} belongs to the toolset {owner}, not to {toolset}; name another source"
            yield document.problem(place, "completion-owner", message)


LINTS: Final[Sequence[Lint]] = (
    Lint("resource-name", "a resource's name is unique and not a Python keyword", _resource_name),
    Lint(
        "resource-tool",
        "a resource goes with a tool that only reads, and says what it holds",
        _resource_tool,
        needs_whole_spec=True,
    ),
    Lint(
        "resource-uri",
        "the parameters of a URI are declared and used, and no two have one form",
        _resource_uri,
    ),
    Lint("resource-params", "a parameter's default is what the parameter may be", _resource_params),
    Lint("resource-example", "a resource's example is true", _resource_example),
    Lint("prompt-name", "names and aliases of prompts are one each", _prompt_name),
    Lint("prompt-toolset", "every toolset that a prompt names is in toolsets.yaml", _prompt_toolset),
    Lint("prompt-tools", "every tool that a prompt names is there", _prompt_tools, needs_whole_spec=True),
    Lint(
        "prompt-arguments", "arguments of a prompt have distinct names, and steps use them", _prompt_arguments
    ),
    Lint("app-names", "names and URIs of views are one each", _app_names),
    Lint("app-tools", "a view shows the answers of tools that name it", _app_tools, needs_whole_spec=True),
    Lint("completion-owner", "the values of one source come from one toolset", _completion_owner),
)
