"""Lints of whole tools: description, annotations, mixins, envelope, error codes, budget and messages."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen.documents import (
    JsonObject,
    JsonValue,
    Pointer,
    has_pointer,
    is_array,
    is_object,
    value_at,
)
from vcontract.codegen.envelopes import STYLE_OF
from vcontract.codegen.lints.lint import Lint
from vcontract.codegen.load import Document, Spec
from vcontract.codegen.problems import Problem
from vcontract.codegen.resolve import BUDGET, resolve_tools

MODEL_TOKENS: Final = 150
"""The most that descriptions may take on average."""

_CHARACTERS_A_TOKEN: Final = 4.25
"""What tools as they are listed take of o200k_base, a public vocabulary; tests/languages counts with it."""

_TOO_LARGE: Final = "too_large"
"""Stands for a keyword where words are for an answer over the budget."""
_PLACE_ITSELF: Final = ""
"""Stands for the keyword of words for an object at a place."""
_FIRST_SENTENCE: Final = re.compile(r"[A-Z\"`].{0,158}?[.!?](?= |$)", re.DOTALL)
_BACKWARD: Final = ("This ", "These ", "It ", "They ", "Also ", "As above")

_ENVELOPE: Final = re.compile(
    r"\b(?:ok|success)\"?\s*[:=]\s*(?:true|false)|\{\s*\"?(?:ok|success)\b"
    r"|\berror_code\b|\bisError\b|\bstructured_?content\b|\bin an? envelope\b",
    re.IGNORECASE,
)

_ALWAYS_POSSIBLE: Final = (
    "invalid_arguments",
    "permission_denied",
    "rate_limited",
    "unavailable",
    "timeout",
    "serialization",
    "internal",
)
"""Kinds of fault that any call may meet, whatever the tool."""


def _first_sentence(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        text: str = document.data["description"].strip()
        if not _FIRST_SENTENCE.match(text) or text.startswith(_BACKWARD):
            message = (
                "the first sentence must stand alone: begin with what the tool does, "
                "at most 160 characters, and end it with a full stop"
            )
            yield document.problem(("description",), "description-first-sentence", message)


def _length(spec: Spec) -> Iterator[Problem]:
    tools = spec.of_kind("tool")
    if not tools:
        return
    average = sum(model_tokens(document.data["description"]) for document in tools) / len(tools)
    if average > MODEL_TOKENS:
        longest = max(tools, key=lambda document: len(document.data["description"]))
        message = (
            f"descriptions take about {average:.0f} model tokens on average, {MODEL_TOKENS} are allowed; "
            f"this is the longest, about {model_tokens(longest.data['description'])}"
        )
        yield longest.problem(("description",), "description-length", message)


def model_tokens(text: str) -> int:
    """About how many tokens a model reads `text` as."""
    return math.ceil(len(text) / _CHARACTERS_A_TOKEN)


def _no_envelope_prose(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        found = _ENVELOPE.search(document.data["description"])
        if found:
            message = f"{found[0]!r}: envelopes are explained once, in the instructions of server.yaml"
            yield document.problem(("description",), "description-no-envelope", message)


def _annotations_agree(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        hints: JsonObject = document.data["annotations"]
        scope: str = document.data["scope"]
        if hints["read_only"] and hints["destructive"]:
            message = "a tool that only reads cannot be destructive"
            yield document.problem(("annotations",), "annotations-agree", message)
        if scope == "write" and hints["read_only"]:
            message = "scope is write, so read_only is false"
            yield document.problem(("annotations",), "annotations-agree", message)
        if scope == "read" and not hints["read_only"]:
            message = "scope is read, so read_only is true"
            yield document.problem(("annotations",), "annotations-agree", message)


def _mixins_do_not_clash(spec: Spec) -> Iterator[Problem]:
    mixins: JsonObject = spec.the("mixins").data["mixins"]
    for document in spec.of_kind("tool"):
        parts: tuple[tuple[str, Pointer], ...] = (
            ("parameter", ("params",)),
            ("member of meta", ("meta",)),
        )
        for what, pointer in parts:
            own: Pointer = pointer if what == "parameter" else ("response", *pointer)
            taken = dict.fromkeys(_members(document.data, own), "the tool itself")
            for index, mixin in enumerate(document.data.get("mixins", [])):
                for name in _members(mixins.get(mixin, {}), pointer):
                    if name in taken:
                        message = f"the {what} {name} comes from {mixin} and from {taken[name]}"
                        yield document.problem(("mixins", index), "mixin-clash", message)
                    taken.setdefault(name, mixin)


def _members(data: JsonObject, pointer: Pointer) -> list[str]:
    place = (*pointer, "properties")
    return list(value_at(data, place)) if has_pointer(data, place) else []


def _envelope_fits_toolset(spec: Spec) -> Iterator[Problem]:
    styles: dict[str, str] = {entry["id"]: entry["style"] for entry in spec.the("toolsets").data["toolsets"]}
    for document in spec.of_kind("tool"):
        toolset: str = document.data["toolset"]
        envelope = document.data["response"]["envelope"]
        style = STYLE_OF[envelope]
        if styles.get(toolset, style) != style:
            message = (
                f"the envelope {envelope} has errors of style {style}, "
                f"the toolset {toolset} those of style {styles[toolset]}"
            )
            yield document.problem(("response", "envelope"), "envelope-fits-toolset", message)


def _codes_are_declared(spec: Spec) -> Iterator[Problem]:
    document = spec.the("toolsets")
    for number, toolset in enumerate(document.data["toolsets"]):
        for kind in _ALWAYS_POSSIBLE:
            code: str = toolset["codes"][kind]
            if code not in toolset["base_errors"]:
                message = f"{kind} can befall every tool, so {code} belongs to base_errors"
                yield document.problem(("toolsets", number, "codes", kind), "toolset-codes-declared", message)


def _budget_agrees(spec: Spec) -> Iterator[Problem]:
    budget: JsonObject = spec.the("policy").data["byte_budget"]
    for document, pointer in _params_of_all(spec):
        place = (*pointer, "properties", BUDGET)
        if not has_pointer(document.data, place):
            continue
        for keyword, expected in budget.items():
            if value_at(document.data, place).get(keyword) != expected:
                message = f"{BUDGET}: {keyword} must be {expected}, as byte_budget in policy.yaml says"
                yield document.problem((*place, keyword), "budget-agrees-with-policy", message)


def _params_of_all(spec: Spec) -> Iterator[tuple[Document, Pointer]]:
    for document in spec.of_kind("tool"):
        yield document, ("params",)
    mixins = spec.the("mixins")
    for name in mixins.data["mixins"]:
        yield mixins, ("mixins", name, "params")


def _messages_have_rules(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        entries: list[JsonObject] = document.data.get("messages", [])
        if not entries:
            continue
        if document.path not in resolve_tools(spec):
            continue  # other lints report the cause
        schema = resolve_tools(spec)[document.path].input_schema
        for index, entry in enumerate(entries):
            keyword = entry.get("keyword", _PLACE_ITSELF)
            if not _has_rule(schema, entry["at"], keyword):
                what = f" has the keyword {keyword}" if keyword not in (_PLACE_ITSELF, _TOO_LARGE) else ""
                message = f"no schema at {entry['at']}{what}"
                yield document.problem(("messages", index, "at"), "message-has-rule", message)


def _has_rule(schema: JsonObject, at: str, keyword: str) -> bool:
    if keyword == "required":  # stands in the object, and is broken at the member that is missing
        holder, _, name = at.rpartition(".")
        return any(name in branch.get("required", ()) for branch in _schemas_at(schema, holder))
    if keyword in (_PLACE_ITSELF, _TOO_LARGE):
        return bool(_schemas_at(schema, at))
    return any(keyword in branch for branch in _schemas_at(schema, at))


def _schemas_at(schema: JsonObject, at: str) -> list[JsonObject]:
    """The schemas of the parameter that `at` names; none when there is no such one."""
    if not at.startswith("$"):
        return []
    found: list[JsonObject] = [schema]
    for step in at.removeprefix("$").replace("[]", ".[]").split(".")[1:]:
        found = [
            branch["items"] if step == "[]" else branch["properties"][step]
            for entry in found
            for branch in _branches(entry)
            if (step == "[]" and "items" in branch) or step in branch.get("properties", {})
        ]
    return [branch for entry in found for branch in _branches(entry)]


def _branches(schema: JsonObject) -> list[JsonObject]:
    """`schema` and those between which its `anyOf` chooses."""
    return [schema, *(branch for branch in schema.get("anyOf", []) if is_object(branch))]


def _promises_are_said(spec: Spec) -> Iterator[Problem]:
    for document in spec.of_kind("tool"):
        said = "\n".join(_descriptions(document.data)).lower()
        for index, words in enumerate(document.data.get("promises", [])):
            if words.lower() not in said:
                message = f"no description of this tool says {words!r}; change the promise with the words"
                yield document.problem(("promises", index), "promise-said", message)


def _descriptions(value: JsonValue) -> Iterator[str]:
    if is_object(value):
        for name, part in value.items():
            yield from [part] if name == "description" and isinstance(part, str) else _descriptions(part)
    elif is_array(value):
        for part in value:
            yield from _descriptions(part)


LINTS: Final[Sequence[Lint]] = (
    Lint("description-first-sentence", "the first sentence of a description stands alone", _first_sentence),
    Lint(
        "description-length",
        f"descriptions take {MODEL_TOKENS} model tokens a tool on average or fewer",
        _length,
        needs_whole_spec=True,
    ),
    Lint(
        "description-no-envelope",
        "envelopes are explained in server.yaml, never per tool",
        _no_envelope_prose,
    ),
    Lint("annotations-agree", "annotations contradict neither each other nor the scope", _annotations_agree),
    Lint("mixin-clash", "a parameter or member of meta comes from one place", _mixins_do_not_clash),
    Lint("envelope-fits-toolset", "all tools of a toolset have errors of one form", _envelope_fits_toolset),
    Lint(
        "toolset-codes-declared", "codes that any tool may answer with are base_errors", _codes_are_declared
    ),
    Lint("budget-agrees-with-policy", f"{BUDGET} has the bounds of policy.yaml", _budget_agrees),
    Lint("promise-said", "what a tool promises in words stands in its descriptions", _promises_are_said),
    Lint("message-has-rule", "a tool's own words are for a rule that its schema has", _messages_have_rules),
)
