"""Upstream calls: calls as another server takes them, rewritten into the declared ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Self

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """A call in its declared form, and what its result gains for the caller who gave it in another."""

    tool: str
    arguments: JsonObject
    given: JsonObject = field(default_factory=dict[str, JsonValue])
    gains: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    reshapes: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    input_schema: JsonObject | None = None
    """The schema that the arguments are checked against, where it is not the tool's own."""

    def reshaped(self, result: JsonObject) -> JsonObject | None:
        """A successful result as the caller asked for its rows; None when it stays as it is."""
        lists: JsonObject = {}
        for name, source in self.reshapes.items():
            kept = source["as"].get(self.given.get(source["by"]))
            if kept is not None:
                lists[name] = [row[kept] for row in result[name]]
        return {**result, **lists} if lists else None

    def gained(self, result: JsonObject) -> JsonObject:
        """The members to add to a successful result: none that it has."""
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
    """The forms of spec/upstream.yaml, in their order."""

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
        """Name to reason, of the other server's tools that have no equal here."""
        self._reshaped = frozenset(form["call"] for form in forms if "reshapes" in form)

    @classmethod
    def load(cls) -> Self:
        """The forms that were generated into this installation."""
        text = files("vcontract.generated").joinpath("upstream.json").read_bytes()
        document: JsonObject = json.loads(text)
        return cls(document["forms"], document["tools"], document["not_served"])

    def listed(self, tools: Mapping[str, JsonObject]) -> list[JsonObject]:
        """The documents of declared tools, and of those of the other server that become one of them.

        A tool whose rows may come in another shape than is declared promises none.
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
        """A call that is valid as declared, which stays; its result gains what the form that fits adds."""
        form = self._form(tool, arguments) or {}
        # what a form makes of a call that it rewrites is no member of one that it does not
        gains: JsonObject = {} if "becomes" in form or "gather" in form else form.get("gains", {})
        return DeclaredCall(tool, arguments, arguments, gains)

    def rewrite(self, tool: str, arguments: JsonObject) -> DeclaredCall | None:
        """The declared call of the first form that fits; None when none does.

        A call that fits no form of a tool that only the other server has fails by that tool's own schema.
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
    """The rows of a member: whole, or only the members that the value of an argument selects."""
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
    """The arguments that `arguments` become; what the caller gave goes before what the form gives."""
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
