"""Response size: measure a response in bytes and suggest arguments for one that fits the limit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from vcontract.runtime.frame.calls.cursor import CURSOR_LIMIT
from vcontract.runtime.frame.contract.policy import Policy
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members
from vcontract.runtime.frame.documents.ranges import written_ranges

CORE = "core"
_ROUNDING = 1024
_FEW_TIMES = 16
"""How much larger than the budget a response may be for a larger budget to be suggested first."""
_SHARES = 64
"""Number of steps in which lists are shortened."""
_SLACK = 128
"""Bytes by which another page's cursor or counts may be longer than this page's."""
_OF_AN_ENTRY = 160
"""Maximum bytes of a turn as an entry, without its text: 27 for a time, 30 for numbers of 10 digits."""
_ROWS = ("items", "vcons", "vcon_uuids", "results")
_LISTS = ("max_nodes", "max_edges")
_COMPONENTS = {CORE: (), **{name: (name,) for name in ("parties", "dialog", "analysis", "attachments")}}
"""Groups of a vCon in a response without a page of items, by the values of include_components."""


def seal(result: JsonObject, max_response_bytes: int) -> bytes:
    """Set `meta.max_response_bytes` and `meta.response_bytes` in `result` and return its JSON text.

    `response_bytes` is the length of that text, including the number itself. The number is the last member,
    so it is written into the finished text instead of printing a large document twice.
    """
    meta: JsonObject = dict(result.pop("meta", {}))
    meta.pop("response_bytes", None)
    meta["max_response_bytes"] = max_response_bytes
    meta["response_bytes"] = 0
    result["meta"] = meta
    text = dump_json(result)
    without_number = len(text) - 1
    size = without_number + len(str(without_number))
    size = without_number + len(str(size))
    meta["response_bytes"] = size
    return b"%b%d}}" % (text[:-3], size)


@dataclass(frozen=True, slots=True)
class Adjustable:
    """Parameters that a caller may change to get a smaller response."""

    groups: str | None
    """The parameter that selects groups of members."""
    limit: bool
    lists: tuple[str, ...] = ()
    """Lists of an item that have their own `max_…` parameter. The first one needs at least one entry."""
    turns: bool = False
    """Whether the caller can select an item's turns by number."""

    @classmethod
    def of(cls, input_schema: JsonObject) -> "Adjustable":
        properties = input_schema.get("properties", {})
        named = (name for name in ("include", "include_components") if name in properties)
        lists = (name.removeprefix("max_") for name in properties if name in _LISTS)
        return cls(
            groups=next(named, None),
            limit="limit" in properties,
            lists=tuple(lists),
            turns="turns" in properties,
        )


def too_large_details(
    result: JsonObject, size: int, budget: int, policy: Policy, adjustable: Adjustable
) -> JsonObject:
    """Build error details for a response over its budget: sizes by group, and arguments that would fit."""
    measured = _Measured.of(result, size, budget, policy)
    details: JsonObject = {"max_response_bytes": budget, "response_bytes": size}
    if not measured.is_sealed:
        details = {"parameter": "max_response_bytes", "reason": "result_too_large", **details}
    if adjustable.groups:
        details["approximate_bytes"] = {group: measured.sums[group][-1] for group in measured.groups}
    if adjustable.lists and (shorter := _shorter_lists(result, size, budget, adjustable.lists)):
        return {**details, **shorter}
    if adjustable.turns and (fewer := _fewer_turns(result, size, budget)):
        return {**details, **fewer}
    return {**details, **_suggestion(measured, policy.byte_budget.maximum, adjustable)}


def _shorter_lists(result: JsonObject, size: int, budget: int, names: Sequence[str]) -> JsonObject:
    """Suggest shorter lists, all shortened by the same share. Empty if not even one entry fits."""
    lists = {name: array(result["item"].get(name)) for name in names}
    # where one list depends on another, shorter ones may hold other entries
    largest = {name: max((len(dump_json(each)) + 1 for each in of), default=0) for name, of in lists.items()}
    frame = size - sum(len(dump_json(each)) + 1 for of in lists.values() for each in of) + _SLACK
    for share in range(_SHARES - 1, -1, -1):
        kept = {name: len(of) * share // _SHARES for name, of in lists.items()}
        kept[names[0]] = max(kept[names[0]], 1)
        estimated = frame + sum(kept[name] * largest[name] for name in names)
        if estimated <= budget:
            return {
                "suggestion": {f"max_{name}": number for name, number in kept.items()},
                "estimated_bytes": estimated,
            }
    return {}


def _fewer_turns(result: JsonObject, size: int, budget: int) -> JsonObject:
    """Suggest the first of the requested turns. Empty if not even one fits."""
    if "turns" not in result["item"]:
        return _first_turns(members(result["item"].get("transcript")), size, budget)
    turns = [members(turn) for turn in array(result["item"].get("turns"))]
    in_transcript = result["item"].get("transcript") is not None
    estimated = size
    for kept in range(len(turns) - 1, 0, -1):
        estimated -= len(dump_json(turns[kept])) + 1
        if in_transcript:
            estimated -= len(dump_json(turns[kept].get("text", ""))) - 2  # without its quotes
        if estimated <= budget:
            numbers: list[int] = [turn["turn"] for turn in turns[:kept]]
            return {"suggestion": {"turns": written_ranges(numbers)}, "estimated_bytes": estimated}
    return {}


def _first_turns(transcript: JsonObject, size: int, budget: int) -> JsonObject:
    """Suggest the first turns of a whole transcript. Empty if its lines do not correspond to its turns."""
    text = transcript.get("text")
    lines = text.split("\n") if isinstance(text, str) else []
    if len(lines) < 2 or len(lines) != transcript.get("total_turns"):
        return {}
    estimated, kept = size - len(dump_json(text)), 0
    for line in lines:
        # once in the transcript, once as an entry
        more = 2 * len(dump_json(line)) + _OF_AN_ENTRY
        if estimated + more > budget:
            break
        estimated, kept = estimated + more, kept + 1
    if not 0 < kept < len(lines):
        return {}
    return {"suggestion": {"turns": written_ranges(range(kept))}, "estimated_bytes": estimated}


@dataclass(frozen=True, slots=True)
class _Choice:
    groups: tuple[str, ...]
    items: int
    estimated_bytes: int


@dataclass(frozen=True, slots=True)
class _Measured:
    """Sizes of a response's parts in bytes."""

    size: int
    budget: int
    groups: tuple[str, ...]
    """Groups in this response: core first, then in the order of the policy."""
    items: int
    sums: Mapping[str, Sequence[int]]
    """Group to its size in bytes within the first 0, 1, 2 … items."""
    frame: int
    """Size of everything outside the items."""
    growth: int
    """Bytes that a shorter page may need outside its items beyond what this page needed."""
    is_page: bool
    is_sealed: bool
    """Whether the response states its own size."""
    included: tuple[str, ...]
    """Groups that the response lists, including those without members."""

    @classmethod
    def of(cls, result: JsonObject, size: int, budget: int, policy: Policy) -> "_Measured":
        is_page, is_sealed = "item" not in result, "meta" in result
        members_of = policy.include_groups if is_sealed else _COMPONENTS
        lists = _lists_of(result)
        group_of = {member: group for group, members in members_of.items() for member in members}
        given = tuple(_sizes_of(parts, members_of, group_of) for parts in zip(*lists, strict=True))
        groups = (
            _groups_of(result, members_of)
            if is_sealed
            else tuple(group for group in members_of if group == CORE or any(one[group] for one in given))
        )
        sums = {group: (0, *accumulate(one[group] for one in given)) for group in groups}
        return cls(
            size=size,
            budget=budget,
            groups=groups,
            items=len(given),
            sums=sums,
            frame=size - sum(of_group[-1] for of_group in sums.values()),
            growth=(_cursor_growth(result) if is_sealed else _SLACK) if is_page else 0,
            is_page=is_page,
            is_sealed=is_sealed,
            included=_included(result) if is_sealed else (),
        )

    def estimate(self, groups: Sequence[str], items: int) -> int:
        """Return an upper bound of the size with these groups and the first `items` items."""
        content = sum(self.sums[group][items] for group in groups)
        return self.frame + content + (self.growth if items < self.items else 0)


def _suggestion(measured: _Measured, maximum: int, adjustable: Adjustable) -> JsonObject:
    """Suggest arguments whose response fits the budget, and state its size.

    A larger budget is suggested for whole items if a few times as much is enough, else only if nothing fits.
    Empty if not even the largest that the policy allows is enough.
    """
    # The number itself may be longer than the present one, and the store may change a little before the next
    # call.
    margin = len(str(maximum)) - len(str(measured.budget))
    largest = maximum - margin
    for within, choose in (
        (measured.budget, _fewer_items),
        (min(_FEW_TIMES * measured.budget, largest), _fewest_items),
        (measured.budget, _fewer_groups),
        (largest, _fewest_items),
        (largest, _fewer_groups),
    ):
        choice = choose(measured, within, adjustable)
        if choice is None:
            continue
        suggestion = _describe(choice, measured, adjustable)
        if within == measured.budget:
            return {"suggestion": suggestion, "estimated_bytes": choice.estimated_bytes}
        needed = choice.estimated_bytes + margin
        rounded = min(maximum, -(-(needed + 1) // _ROUNDING) * _ROUNDING)
        return {"suggestion": {**suggestion, "max_response_bytes": rounded}, "estimated_bytes": needed}
    return {}


def _describe(choice: _Choice, measured: _Measured, adjustable: Adjustable) -> JsonObject:
    """Format a choice as arguments and the size of their response."""
    suggestion: JsonObject = {}
    if adjustable.groups and measured.is_sealed:
        left_out = set(measured.groups) - set(choice.groups)
        suggestion[adjustable.groups] = [group for group in measured.included if group not in left_out]
    elif adjustable.groups and len(measured.groups) > 1:
        suggestion[adjustable.groups] = list(choice.groups[1:])
    if measured.is_page and choice.items < measured.items:
        suggestion["limit"] = choice.items
    return suggestion


def _fewer_items(measured: _Measured, budget: int, adjustable: Adjustable) -> _Choice | None:
    """Keep all groups and as many items as fit."""
    for items in _numbers_of_items(measured, adjustable):
        estimated = measured.estimate(measured.groups, items)
        if estimated <= budget:
            return _Choice(measured.groups, items, estimated)
    return None


def _fewest_items(measured: _Measured, budget: int, adjustable: Adjustable) -> _Choice | None:
    """Keep all groups and the fewest items that a caller can request."""
    items = _numbers_of_items(measured, adjustable)[-1]
    estimated = measured.estimate(measured.groups, items)
    return _Choice(measured.groups, items, estimated) if estimated <= budget else None


def _fewer_groups(measured: _Measured, budget: int, adjustable: Adjustable) -> _Choice | None:
    """Keep the groups that fit, with as many items as possible."""
    if not adjustable.groups:
        return None
    for items in _numbers_of_items(measured, adjustable):
        groups = _groups_within(measured, budget, items)
        if groups:
            return _Choice(groups, items, measured.estimate(groups, items))
    return None


def _numbers_of_items(measured: _Measured, adjustable: Adjustable) -> range:
    """Numbers of items that a caller can request, largest first."""
    everything = measured.items
    fewest = 1 if measured.is_page and adjustable.limit and everything else everything
    return range(everything, fewest - 1, -1)


def _groups_within(measured: _Measured, budget: int, items: int) -> tuple[str, ...]:
    """Select the groups that fit together, in their order. Empty if even core is too large."""
    chosen: list[str] = []
    for group in measured.groups:
        if measured.estimate([*chosen, group], items) <= budget:
            chosen.append(group)
        elif group == CORE:
            return ()
    return tuple(chosen)


def _groups_of(result: JsonObject, known: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    included = _included(result)
    return tuple(group for group in known if group == CORE or group in included)


def _included(result: JsonObject) -> tuple[str, ...]:
    return tuple(result["meta"].get("include", ()))


def _lists_of(result: JsonObject) -> list[Sequence[JsonValue]]:
    """Return the lists of a response that are shortened together, or its only item."""
    if "item" in result:
        return [[result["item"]]]
    return [rows for name in _ROWS if (rows := array(result.get(name)))] or [[]]


def _sizes_of(
    parts: Sequence[JsonValue], groups: Iterable[str], group_of: Mapping[str, str]
) -> dict[str, int]:
    """Bytes of one item's members by group, including names and commas. Members of no group count as core."""
    sizes = dict.fromkeys(groups, 0)
    for part in parts:
        if not is_object(part):
            sizes[CORE] += len(dump_json(part)) + 1
            continue
        sizes[CORE] += 2  # the braces
        for name, value in part.items():
            if name == "vcon" and is_object(value):
                sizes[CORE] += len('"vcon":,')
                for group, size in _sizes_of([value], sizes, group_of).items():
                    sizes[group] += size
            else:
                sizes[group_of.get(name, CORE)] += len(dump_json({name: value})) - 1
    return sizes


def _cursor_growth(result: JsonObject) -> int:
    present = result.get("page", {}).get("next_cursor")
    if present is None:
        return CURSOR_LIMIT + 2 - len("null")
    return min(CURSOR_LIMIT - len(present), _SLACK)
