"""Example documents that demonstrate a break, derived from the tool's examples."""

from collections.abc import Iterator, Sequence
from typing import Final

from vcontract.codegen.compat.forms import Shapes
from vcontract.codegen.compat.samples import Samples
from vcontract.codegen.compat.schema_diff import ENTRY, Change
from vcontract.codegen.documents import JsonObject, JsonValue, is_array, is_object
from vcontract.codegen.schemas import map_subschemas
from vcontract.runtime.frame.calls.schemas import without_placeholders

_MEMBERS: Final = {"input": "arguments", "arguments": "arguments", "output": "response", "vcon": "document"}
"""Schema name to the witness member with the document. Other schemas have no witness, because no document
consists of them.
"""

_TRIES: Final = 4
"""Maximum examples tried; further ones rarely help."""


class Witnesses:
    """Creates witnesses for breaks between two contracts."""

    def __init__(self, before: JsonObject, after: JsonObject) -> None:
        self._before, self._after = before, after

    def of_name(self, path: Sequence[str]) -> JsonObject | None:
        """Witness of a removed name, or of another envelope; else None."""
        match path:
            case ["tools" | "prompts" as part, name] | ["tools" | "prompts" as part, name, "aliases", _]:
                return {"name": path[-1], "arguments": self._call_of(part, name)}
            case ["tools", name, "envelope"]:
                old, new = (side["tools"][name]["output"] for side in (self._before, self._after))
                answer = _examples(self._after["tools"][name], incoming=False)[0]
                is_shown = shows(answer, old, new, incoming=False, arguments=False)
                return {"name": name, "response": answer} if is_shown else None
            case ["tools", name, "refuses", _]:
                return {"name": name, "arguments": self.refused(path)}
            case _:
                return None

    def refused(self, path: Sequence[str]) -> JsonValue:
        """Example arguments that a new refusal at `path` rejects, or None."""
        at, _, having = path[3].partition(" ")
        for arguments in _examples(self._before["tools"][path[1]], incoming=True):
            value = _at(arguments, at.split(".")[1:])
            if is_object(value) and value.keys() >= {*having.split("+")}:
                return arguments
        return None

    def _call_of(self, part: str, name: str) -> JsonValue:
        entry: JsonObject = self._before[part][name]
        if part == "tools":
            return _examples(entry, incoming=True)[0]
        return next(Samples(entry["arguments"]).values(entry["arguments"]))

    def of_change(
        self, path: Sequence[str], change: Change, before: JsonObject, after: JsonObject
    ) -> JsonObject | None:
        """A document that only one side accepts, or None."""
        member = _MEMBERS.get("vcon" if path[0] == "vcon" else path[-1])
        if member is None:
            return None
        incoming = change.rule.id.startswith("input")
        tools: JsonObject = (self._before if incoming else self._after)["tools"]
        examples = _examples(tools[path[1]], incoming=incoming) if path[0] == "tools" else []
        for document in documents_of(change, before, after, examples):
            if shows(document, before, after, incoming=incoming, arguments=member == "arguments"):
                return {"name": path[1], member: document}
        return None


def shows(
    document: JsonValue, before: JsonObject, after: JsonObject, *, incoming: bool, arguments: bool
) -> bool:
    """Whether a call is accepted only before, or a response possible only after."""
    taken = [
        Shapes.of(schema).allows(schema, without_placeholders(document, schema) if arguments else document)
        for schema in sides(before, after, incoming=incoming)
    ]
    return taken == [True, False]


def sides(before: JsonObject, after: JsonObject, *, incoming: bool) -> tuple[JsonObject, JsonObject]:
    """The schema that produces documents, and the one that must accept them."""
    return (before, after) if incoming else (after, as_read(before))


def as_read(schema: JsonValue) -> JsonValue:
    """`schema` for a reader that ignores unknown properties."""
    if not is_object(schema):
        return schema
    opened = map_subschemas(schema, as_read)
    if opened.get("additionalProperties") is False:
        del opened["additionalProperties"]
    return opened


def documents_of(
    change: Change, before: JsonObject, after: JsonObject, examples: Sequence[JsonValue]
) -> Iterator[JsonValue]:
    """Documents valid for the wider side, with an edge value at the change."""
    incoming = change.rule.id.startswith("input")
    source, target = sides(before, after, incoming=incoming)
    inner, other = change.schemas if incoming else (change.schemas[1], as_read(change.schemas[0]))
    ours, theirs = Samples(source, examples), Samples(target, examples)
    yield from examples
    for document in [*examples[:_TRIES], None]:
        present = _at(document, change.holder[1:])
        values = ours.values(
            inner,
            [form.schema for form in theirs.shapes.forms(other)],
            present if is_object(present) else None,
        )
        for value in (value for value in values if not theirs.shapes.allows(other, value)):
            yield from ours.placed(source, change.holder[1:], value, document)


def _examples(tool: JsonObject, *, incoming: bool) -> list[JsonValue]:
    """Arguments or responses of successful examples."""
    examples = [example for example in tool["examples"].values() if "response" in example]
    return [example["params" if incoming else "response"] for example in examples]


def _at(document: JsonValue, steps: Sequence[str]) -> JsonValue:
    """Value at the steps, following the first entry of lists."""
    for step in (step for step in steps if not step.startswith("<")):
        if step == ENTRY:
            document = document[0] if is_array(document) and document else None
        else:
            document = document.get(step) if is_object(document) else None
    return document
