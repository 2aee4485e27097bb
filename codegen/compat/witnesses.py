"""Documents that show a break: a tool's own examples, changed where the break is."""

from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen.compat.findings import Witness, WitnessKind
from vcontract.codegen.compat.given import arguments_given
from vcontract.codegen.compat.place import Step
from vcontract.codegen.compat.samples import NoDocumentError, Samples
from vcontract.codegen.compat.walk import Change
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.schemas import map_subschemas

_KINDS: Final[dict[str, tuple[WitnessKind, str]]] = {
    "input": ("call", "arguments"),
    "arguments": ("call", "arguments"),
    "output": ("response", "response"),
    "vcon": ("document", "document"),
}
"""By the name of a schema: the kind of witness, and the member that holds the document. Others have none:
no call or answer has them as a whole, so that a break in them is a statement."""

_TRIES: Final = 4
"""How many examples are tried; the next ones seldom show what these do not."""


class Witnesses:
    """Makes the witnesses of the breaks between two contracts."""

    def __init__(self, before: JsonObject, after: JsonObject) -> None:
        self._before, self._after = before, after

    def of_name(self, path: Sequence[str]) -> Witness | None:
        """A call by a name that only the side before knows, an answer in another envelope; else None."""
        match path:
            case ["tools" | "prompts" as part, name] | ["tools" | "prompts" as part, name, "aliases", _]:
                return Witness("call", {"name": path[-1], "arguments": self._call_of(part, name)})
            case ["tools", name, "envelope"]:
                old, new = (side["tools"][name]["output"] for side in (self._before, self._after))
                answer = _examples(self._after["tools"][name], incoming=False)[0]
                is_shown = shows(answer, old, new, incoming=False, arguments=False)
                return Witness("response", {"name": name, "response": answer}) if is_shown else None
            case ["tools", name, "refuses", _]:
                return Witness("call", {"name": name, "arguments": self.refused(path)})
            case _:
                return None

    def refused(self, path: Sequence[str]) -> JsonValue:
        """The arguments of an example that the new refusal at `path` refuses; None without one."""
        at, _, having = path[3].partition(" ")
        steps = [Step("member", "", name) for name in at.split(".")[1:]]
        for arguments in _examples(self._before["tools"][path[1]], incoming=True):
            value = _at(arguments, steps)
            if is_object(value) and value.keys() >= {*having.split("+")}:
                return arguments
        return None

    def _call_of(self, part: str, name: str) -> JsonValue:
        entry: JsonObject = self._before[part][name]
        if part == "tools":
            return _examples(entry, incoming=True)[0]
        return Samples(entry["arguments"]).smallest(entry["arguments"])

    def of_change(
        self, path: Sequence[str], change: Change, before: JsonObject, after: JsonObject
    ) -> Witness | None:
        """A document that one side takes and the other does not; None when none is found."""
        found = _KINDS.get("vcon" if path[0] == "vcon" else path[-1])
        if found is None:
            return None
        kind, member = found
        incoming = change.rule.id.startswith("input")
        tools: JsonObject = (self._before if incoming else self._after)["tools"]
        examples = _examples(tools[path[1]], incoming=incoming) if path[0] == "tools" else []
        for document in documents_of(change, before, after, examples):
            if shows(document, before, after, incoming=incoming, arguments=kind == "call"):
                return Witness(kind, {"name": path[1], member: document})
        return None


def shows(
    document: JsonValue, before: JsonObject, after: JsonObject, *, incoming: bool, arguments: bool
) -> bool:
    """Whether a call is accepted before and not after, or an answer is possible after and not before."""
    takes, refuses = sides(before, after, incoming=incoming)
    sent = [document, document]
    if arguments and is_object(document):
        sent = [arguments_given(document, schema) for schema in (takes, refuses)]
    return Samples(takes).allows(takes, sent[0]) and not Samples(refuses).allows(refuses, sent[1])


def sides(before: JsonObject, after: JsonObject, *, incoming: bool) -> tuple[JsonObject, JsonObject]:
    """The schema that documents come from, and the one that has to take them all."""
    return (before, after) if incoming else (after, as_read(before))


def as_read(schema: JsonValue) -> JsonValue:
    """`schema` for a reader that ignores properties it does not know."""
    if not is_object(schema):
        return schema
    opened = map_subschemas(schema, as_read)
    if opened.get("additionalProperties") is False:
        del opened["additionalProperties"]
    return opened


def documents_of(
    change: Change, before: JsonObject, after: JsonObject, examples: Sequence[JsonValue]
) -> Iterator[JsonValue]:
    """Whole documents of the side that allows more, with a value at the edge where the change is."""
    incoming = change.rule.id.startswith("input")
    source, target = sides(before, after, incoming=incoming)
    inner, other = change.schemas if incoming else (change.schemas[1], as_read(change.schemas[0]))
    ours, theirs = Samples(source, examples), Samples(target, examples)
    yield from examples
    for document in [*examples[:_TRIES], None]:
        present = _at(document, change.holder.steps)
        try:
            edges = list(ours.edges(inner, other, theirs, present if is_object(present) else None))
        except NoDocumentError:
            return
        for value in (edge for edge in edges if not theirs.allows(other, edge)):
            try:
                yield ours.holding(source, change.holder.steps, value, document, before=incoming)
            except NoDocumentError:
                continue


def _examples(tool: JsonObject, *, incoming: bool) -> list[JsonValue]:
    """What the examples of success send, or are answered."""
    examples = [example for example in tool["examples"].values() if "response" in example]
    return [example["params" if incoming else "response"] for example in examples]


def _at(document: JsonValue, steps: Sequence[Step]) -> JsonValue:
    """The value of a document where the steps lead, by the first entry of each list."""
    for step in steps:
        if step.kind == "member":
            document = document.get(step.name) if is_object(document) else None
        elif step.kind == "entry":
            document = document[0] if is_array(document) and document else None
    return document
