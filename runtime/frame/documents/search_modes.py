"""Which parameters each search mode of the policy needs and accepts."""

from collections.abc import Collection, Mapping

from vcontract.runtime.frame.documents.json import JsonObject


def takes(rule: JsonObject, given: Collection[str]) -> bool:
    """Whether a mode with this rule accepts a call that gives these parameters."""
    names = set(given)
    one_of: list[str] = rule.get("one_of", [])
    return (
        names.issuperset(rule["requires"])
        and names.isdisjoint(rule["rejects"])
        and (not one_of or len(names.intersection(one_of)) == 1)
    )


def mode_takes(modes: Mapping[str, JsonObject], arguments: JsonObject) -> bool:
    """Whether the `mode` of a call accepts its other parameters; true for calls without such a mode."""
    mode = arguments.get("mode")
    rule = modes.get(mode) if isinstance(mode, str) else None
    return rule is None or takes(rule, arguments)
