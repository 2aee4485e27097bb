"""Changes of what holds for all tools: errors, policy, toolsets, shapes and instructions."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from vcontract.codegen.compat.findings import Finding, Witness, fact
from vcontract.codegen.compat.promises import refusals
from vcontract.codegen.compat.rules import rule_for
from vcontract.codegen.compat.texts import ABSENT, json_text
from vcontract.codegen.compat.walk import walk
from vcontract.codegen.documents import JsonObject, JsonValue, is_object

_BUDGETS: Final[dict[str, Literal["least", "most"]]] = {
    "byte_budget.default": "most",
    "byte_budget.minimum": "least",
    "byte_budget.maximum": "most",
    "result_limit_bytes": "most",
    "input_limits.vcon_bytes": "most",
    "input_limits.nesting": "most",
    "pages.default_limit": "most",
    "pages.max_limit": "most",
    "tags.per_vcon": "most",
    "tags.key_characters": "most",
    "tags.value_characters": "most",
}
"""The numbers that bound calls or answers: a most is tighter when smaller, a least when greater."""

_SELECTIONS: Final = frozenset({"include_groups", "default_includes", "search_modes"})
"""Groups of the policy that decide what a call may ask for, and what an answer holds."""

_REFUSING: Final = frozenset({"rejects", "requires"})

_DETAILS: Final = "details of an error are advice; the published answer leaves them open"


def compare_shared(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    """Every change between two documents contract.json."""
    if before["instructions"] != after["instructions"]:
        texts = before["instructions"], after["instructions"]
        yield _finding("instructions", "changed", "instructions", "the instructions", *texts)
    yield from _toolsets(before["toolsets"], after["toolsets"])
    yield from _rates(before["policy"]["rate_classes"], after["policy"]["rate_classes"])
    yield from _policy(before["policy"], after["policy"])
    yield from _errors(before["errors"], after["errors"])
    yield from _names("reason", before.get("reasons", ()), after.get("reasons", ()))
    yield from _shapes(before["shapes"], after["shapes"])


def tighter_rate(before: JsonObject, after: JsonObject) -> bool:
    """Whether somebody who was within the limit before may be over it after."""
    return bool(after["limit"] < before["limit"] or after["window_seconds"] > before["window_seconds"])


def rate_text(rate: JsonObject) -> str:
    return f"{rate['limit']} calls in {rate['window_seconds']} s"


def _finding(
    kind: str, action: str, path: str, words: str, before: str, after: str, witness: Witness | None = None
) -> Finding:
    rule = rule_for("contract", kind, action)
    return Finding(rule, rule.level, None, path, words, before, after, witness)


def _toolsets(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    for name in (name for name in before if name in after):
        old, new, words = before[name], after[name], f"toolset `{name}`"
        if old["default"] is not new["default"]:
            action = "added" if new["default"] else "removed"
            texts = json_text(old["default"]), json_text(new["default"])
            witness = None if new["default"] else fact("before", served=name)
            yield _finding("default toolset", action, f"toolsets.{name}.default", words, *texts, witness)
        if old["prefix"] is not new["prefix"]:
            texts = json_text(old["prefix"]), json_text(new["prefix"])
            yield _finding("prefix", "changed", f"toolsets.{name}.prefix", words, *texts)
        for member in ("title", "description"):
            if old[member] != new[member]:
                path = f"toolsets.{name}.{member}"
                yield _finding("toolset text", "changed", path, words, old[member], new[member])


def _rates(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    for name in (name for name in before if name in after and before[name] != after[name]):
        action = "tightened" if tighter_rate(before[name], after[name]) else "loosened"
        texts = rate_text(before[name]), rate_text(after[name])
        yield _finding("rate", action, f"policy.rate_classes.{name}", f"rate class `{name}`", *texts)


def _policy(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    modes = [policy.get("search_modes", {}) for policy in (before, after)]
    yield from _modes(*modes)
    old, new = _leaves(before), _leaves(after)
    for path in (path for path in {**old, **new} if old.get(path) != new.get(path)):
        side, texts = _BUDGETS.get(path), (json_text(old.get(path)), json_text(new.get(path)))
        words = f"`{path}` of the policy"
        if side is None:
            kind = "selection" if path.partition(".")[0] in _SELECTIONS else "policy"
            yield _finding(kind, "changed", f"policy.{path}", words, *texts)
            continue
        tightened = _tighter(side, old.get(path), new.get(path))
        action = "tightened" if tightened else "loosened"
        yield _finding("budget", action, f"policy.{path}", words, *texts)


def _tighter(side: Literal["least", "most"], before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is None
    return after < before if side == "most" else after > before


def _leaves(policy: JsonObject) -> JsonObject:
    """The values of the policy's groups by path; rate classes, and what modes refuse, aside."""
    leaves: JsonObject = {}
    for group, value in policy.items():
        if group == "rate_classes":
            continue
        members: JsonObject = value if is_object(value) else {"": value}
        leaves.update({f"{group}.{name}".rstrip("."): _unrefused(member) for name, member in members.items()})
    return leaves


def _unrefused(value: JsonValue) -> JsonValue:
    """A leaf without what a mode of a search refuses, which is compared by itself."""
    members: JsonObject = value if is_object(value) else {}
    return {name: member for name, member in members.items() if name not in _REFUSING} if members else value


def _names(kind: str, before: Iterable[str], after: Iterable[str]) -> Iterator[Finding]:
    """The error codes, or reasons, of which there are more or fewer."""
    was, now = list(before), list(after)
    for name in (name for name in was if name not in now):
        witness = fact("before", **{kind: name})
        yield _finding(kind, "removed", f"{kind}s.{name}", f"{kind} `{name}`", name, ABSENT, witness)
    for name in (name for name in now if name not in was):
        yield _finding(kind, "added", f"{kind}s.{name}", f"{kind} `{name}`", ABSENT, name)


def _modes(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    """What the modes of a search that there were, and are, refuse."""
    kept = [name for name in before if name in after]
    was, now = (refusals({name: modes[name] for name in kept}) for modes in (before, after))
    for refusal in [*was, *now]:
        if refusal in was and refusal in now:
            continue
        narrowed = refusal in now
        name, (word, parameter) = refusal["mode"], list(refusal.items())[1]
        path, words = f"policy.search_modes.{name}.{word}.{parameter}", f"mode `{name}` {word} `{parameter}`"
        texts = ("answered", "refused") if narrowed else ("refused", "answered")
        witness = fact("before", **refusal) if narrowed else None
        yield _finding("mode", "narrowed" if narrowed else "widened", path, words, *texts, witness)


def _errors(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    yield from _names("error", before, after)
    for code in (code for code in before if code in after):
        old, new, path, words = before[code], after[code], f"errors.{code}", f"error `{code}`"
        if old["fault"] != new["fault"]:
            yield _finding("fault", "changed", f"{path}.fault", words, old["fault"], new["fault"])
        if old["retryable"] is not new["retryable"]:
            texts = json_text(old["retryable"]), json_text(new["retryable"])
            yield _finding("retryability", "changed", f"{path}.retryable", words, *texts)
        if old["message"] != new["message"]:
            yield _finding("message", "changed", f"{path}.message", words, old["message"], new["message"])
        yield from _details(code, old["details"], new["details"])


def _details(code: str, before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    for change in walk("output", before, after, "details"):
        place = change.place
        lowered = change.rule.level == "ERR"
        yield Finding(
            change.rule,
            "WARN" if lowered else change.rule.level,
            None,
            f"errors.{code}.{place.path}",
            f"{place.words} (`{code}`)",
            change.before,
            change.after,
            lowered_because=_DETAILS if lowered else "",
        )


def _shapes(before: JsonObject, after: JsonObject) -> Iterator[Finding]:
    gone = {name: digest for name, digest in before.items() if name not in after}
    new = {name: digest for name, digest in after.items() if name not in before}
    for name, digest in gone.items():
        successor = next((other for other, same in new.items() if same == digest), None)
        path, words = f"shapes.{name}", f"shape `{name}`"
        if successor is None:
            yield _finding("shape", "removed", path, words, name, ABSENT)
        else:
            del new[successor]
            yield _finding("shape name", "changed", path, words, name, successor)
    for name in new:
        yield _finding("shape", "added", f"shapes.{name}", f"shape `{name}`", ABSENT, name)
