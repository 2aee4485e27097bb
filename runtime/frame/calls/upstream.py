"""Rewrite calls in the forms of the other vCon server into the declared ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Self

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call in its declared form, and what to add to its result for a caller who used another form."""

    tool: str
    arguments: JsonObject
    given: JsonObject = field(default_factory=dict[str, JsonValue])
    gains: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    reshapes: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    input_schema: JsonObject | None = None
    """Schema to check the arguments against, if it is not the tool's own."""

    def reshaped(self, result: JsonObject) -> JsonObject | None:
        """Convert the rows of a successful result to the requested shape. None if nothing changes."""
        lists: JsonObject = {}
        for name, source in self.reshapes.items():
            kept = source["as"].get(self.given.get(source["by"]))
            if kept is not None:
                lists[name] = [row[kept] for row in result[name]]
        return {**result, **lists} if lists else None

    def gained(self, result: JsonObject) -> JsonObject:
        """Members to add to a successful result that does not have them yet."""
        gained: JsonObject = {}
        for name, source in self.gains.items():
            if "text" in source:
                gained[name] = source["text"].format_map(result)
            elif source.get("member") in result:
                gained[name] = result[source["member"]]
            elif "rows" in source:
                gained[name] = _rows(source["rows"], result, self.given)
            elif source.get("argument") in self.given:
                gained[name] = self.given[source["argument"]]
        return {name: value for name, value in gained.items() if name not in result}


class CallForms:
    """The forms of spec/upstream.yaml, in order."""

    def __init__(
        self,
        forms: Sequence[JsonObject],
        tools: Sequence[JsonObject] = (),
        not_served: Sequence[JsonObject] = (),
    ) -> None:
        self._forms = forms
        self._tools = tools
        self.not_served: Mapping[str, str] = {
            name: entry["because"] for entry in not_served for name in entry["names"]
        }
        """Tools of the other server without an equivalent here, each with the reason."""
        self._reshaped = frozenset(form["call"] for form in forms if "reshapes" in form)

    @classmethod
    def load(cls) -> Self:
        """Load the forms of this installation."""
        text = files("vcontract.generated").joinpath("upstream.json").read_bytes()
        document: JsonObject = json.loads(text)
        return cls(document["forms"], document["tools"], document["not_served"])

    def listed(self, tools: Mapping[str, JsonObject]) -> list[JsonObject]:
        """Return the documents of declared tools, plus those of the other server that map to one.

        A tool whose rows may have another shape has no output schema.
        """
        documents = [
            {**document, "outputSchema": None} if name in self._reshaped else document
            for name, document in tools.items()
        ]
        others = [
            {**tool, "listedSchema": tool["params"], "annotations": tools[tool["becomes"]]["annotations"]}
            for tool in self._tools
            if tool["becomes"] in tools
        ]
        return [*documents, *others]

    def unchanged(self, tool: str, arguments: JsonObject) -> DeclaredCall:
        """Keep a call that is valid as declared. Its result gains what the matching form adds."""
        form = self._form(tool, arguments) or {}
        # members that a form adds for calls it rewrites do not belong to this one
        gains: JsonObject = {} if "becomes" in form or "gather" in form else form.get("gains", {})
        return DeclaredCall(tool, arguments, arguments, gains)

    def rewrite(self, tool: str, arguments: JsonObject) -> DeclaredCall | None:
        """Return the declared call of the first form that matches, or None.

        A call of a tool that only the other server has fails by that tool's own schema if no form matches.
        """
        form = self._form(tool, arguments)
        if form is None:
            other = next((other for other in self._tools if other["name"] == tool), None)
            if other is None:
                return None
            return DeclaredCall(other["becomes"], arguments, arguments, input_schema=other["params"])
        return DeclaredCall(
            form.get("becomes", tool),
            _declared(form, arguments),
            arguments,
            form.get("gains", {}),
            form.get("reshapes", {}),
        )

    def _form(self, tool: str, arguments: JsonObject) -> JsonObject | None:
        return next((form for form in self._forms if form["call"] == tool and _fits(form, arguments)), None)


def _rows(source: JsonObject, result: JsonObject, given: JsonObject) -> JsonValue:
    """Convert the rows of a member: whole, or only the members that an argument selects."""
    rows: list[JsonObject] = result[source["member"]]
    kept: JsonValue = source["as"].get(given.get(source["by"]))
    if kept is None:
        return [*rows]
    if isinstance(kept, str):
        return [row[kept] for row in rows]
    return [{name: row[name] for name in kept if name in row} for row in rows]


def _fits(form: JsonObject, arguments: JsonObject) -> bool:
    when: JsonObject = form.get("when", {})
    given = all(name in arguments for name in when.get("given", []))
    missing = not any(name in arguments for name in when.get("missing", []))
    equal = all(arguments.get(name) == value for name, value in when.get("equal", {}).items())
    known = all(
        isinstance(arguments[name], str) and arguments[name] in meanings
        for name, meanings in form.get("by_value", {}).items()
        if name in arguments
    )
    return given and missing and equal and known


def _declared(form: JsonObject, arguments: JsonObject) -> JsonObject:
    """Convert the arguments. Those of the caller take precedence over those of the form."""
    meanings: JsonObject = form.get("by_value", {})
    left_out = {*form.get("drop", []), *meanings}
    kept = {name: value for name, value in arguments.items() if name not in left_out}
    if "gather" in form:
        gather: JsonObject = form["gather"]
        kept = {gather["into"]: {**gather.get("beside", {}), **kept}}
    given: JsonObject = dict(form.get("add", {}))
    for name, meant in meanings.items():
        if name in arguments:
            given |= meant[arguments[name]]
    return given | kept
