"""Documents that show a break: built from the schemas, and kept only when they do show it."""

import re
from collections.abc import Iterator

from vcontract.codegen.compat.findings import Side, Witness
from vcontract.codegen.compat.promises import PROMPT, arguments_schema, as_read, promised
from vcontract.codegen.compat.samples import NoDocumentError, Samples
from vcontract.codegen.compat.state import State
from vcontract.codegen.compat.walk import Change
from vcontract.codegen.documents import JsonObject, JsonValue


def shows(witness: Witness, before: State, after: State) -> bool:
    """Whether the document is valid on the side that it claims, and on the other not."""
    valid, refused = (before, after) if witness.valid == "before" else (after, before)
    samples = Samples({})
    return samples.allows(promised(valid, witness), witness.document) and not samples.allows(
        promised(refused, witness), witness.document
    )


def witness_of(change: Change, name: str, before: JsonObject, after: JsonObject) -> Witness | None:
    """A call that was valid and is refused, or a response that was not valid and is; None if none is found.

    `before` and `after` are the whole schemas of the change's direction, `name` the tool's.
    """
    incoming = change.rule.direction == "input"
    member = "arguments" if incoming else "response"
    refusing = after if incoming else as_read(before)
    for document in _documents(change, incoming, before, after):
        if not Samples(refusing).allows(refusing, document):
            return Witness(
                "call" if incoming else "response",
                {"name": name, member: document},
                "before" if incoming else "after",
            )
    return None


def call_of(name: str, tool: JsonObject, valid: Side) -> Witness | None:
    """The smallest call of a tool by `name`, which only one side knows."""
    try:
        arguments = Samples(tool["inputSchema"]).smallest(tool["inputSchema"])
    except NoDocumentError:
        return None
    return Witness("call", {"name": name, "arguments": arguments}, valid)


def answer_of(name: str, tool: JsonObject) -> Witness | None:
    """The smallest response of a tool as it is now."""
    try:
        response = Samples(tool["outputSchema"]).smallest(tool["outputSchema"])
    except NoDocumentError:
        return None
    return Witness("response", {"name": name, "response": response}, "after")


def prompt_call(name: str, prompt: JsonObject) -> Witness:
    """The smallest request for a prompt by `name`, which only the state before knows."""
    schema = arguments_schema(prompt)
    return Witness("call", {"name": PROMPT + name, "arguments": Samples(schema).smallest(schema)}, "before")


def uri_read(name: str, uri: str, variables: JsonObject) -> Witness:
    """A URI that led to the resource `name` before."""
    filled = re.sub(r"\{(\w+)\}", lambda found: str(variables[found[1]]), uri)
    return Witness("read", {"name": name, "uri": filled}, "before")


def listing_of(name: str, tool: JsonObject, member: str) -> Witness:
    """What tools/list says of a tool now, the broken promise only."""
    return Witness("listing", {"name": name, member: tool[member]}, "after")


def _documents(change: Change, incoming: bool, before: JsonObject, after: JsonObject) -> Iterator[JsonValue]:
    """Whole documents, valid on the side that allows more, with a value at the edge where the change is."""
    source, target = (before, after) if incoming else (after, as_read(before))
    inner, other = change.schemas if incoming else change.schemas[::-1]
    ours, theirs = Samples(source), Samples(target)
    other = other if incoming else as_read(other)
    for value in _edges(ours, theirs, inner, other):
        if theirs.allows(other, value):
            continue
        try:
            document = ours.holding(source, change.holder.steps, value, before=incoming)
        except NoDocumentError:
            continue
        if ours.allows(source, document):
            yield document


def _edges(ours: Samples, theirs: Samples, inner: JsonValue, other: JsonValue) -> Iterator[JsonValue]:
    try:
        yield from ours.edges(inner, other, theirs)
    except NoDocumentError:
        return
