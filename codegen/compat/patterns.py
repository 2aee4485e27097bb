"""Whether a regular expression allows all that another allows, where their structure alone proves it."""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, TypeAlias

_Node: TypeAlias = tuple[Any, Any]

_PARSER: Final[Any] = import_module("re._parser")
_REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT")


def allows_all_of(wide: str, narrow: str) -> bool:
    """Whether every text that matches `narrow` matches `wide`; False when that cannot be told."""
    try:
        trees = [list(_PARSER.parse(pattern)) for pattern in (wide, narrow)]
    except re.error:
        return False
    return _sequence(*trees)


def _sequence(wide: Sequence[_Node], narrow: Sequence[_Node]) -> bool:
    """Whether `wide` takes what `narrow` takes, part by part; its parts that may be empty can be left out."""
    if not wide:
        return not narrow
    if narrow and _node(wide[0], narrow[0]) and _sequence(wide[1:], narrow[1:]):
        return True
    return str(wide[0][0]) in _REPEATS and wide[0][1][0] == 0 and _sequence(wide[1:], narrow)


def _node(wide: _Node, narrow: _Node) -> bool:
    if repr(wide) == repr(narrow):
        return True
    kinds = str(wide[0]), str(narrow[0])
    if kinds[1] == "BRANCH":
        return all(_node(wide, _group(branch)) for branch in narrow[1][1])
    if kinds[0] == "BRANCH":
        return any(_node(_group(branch), narrow) for branch in wide[1][1])
    if "SUBPATTERN" in kinds:
        ours, theirs = _inside(wide), _inside(narrow)
        return (ours != [wide] or theirs != [narrow]) and _sequence(ours, theirs)
    if kinds[0] in _REPEATS:
        least, most, inner = wide[1]
        low, high, part = narrow[1] if kinds[1] in _REPEATS else (1, 1, [narrow])
        return bool(least <= low and high <= most) and _sequence(list(inner), list(part))
    return _class_allows(_characters(wide), _characters(narrow))


def _class_allows(wide: tuple[bool, frozenset[Any]], narrow: tuple[bool, frozenset[Any]]) -> bool:
    (negated, taken), (other_negated, given) = wide, narrow
    if not taken or not given:
        return False
    if negated and not other_negated:
        return not taken & given and all(isinstance(item, int) for item in taken | given)
    return negated is other_negated and (taken <= given if negated else given <= taken)


def _group(nodes: Any) -> _Node:
    return "SUBPATTERN", (None, 0, 0, nodes)


def _inside(node: _Node) -> list[_Node]:
    return list(node[1][3]) if str(node[0]) == "SUBPATTERN" and not node[1][1] else [node]


def _characters(node: _Node) -> tuple[bool, frozenset[Any]]:
    """Whether one node takes all but some characters, and which; none for what is no class."""
    members: set[Any] = set()
    for kind, value in node[1] if str(node[0]) == "IN" else [node]:
        match str(kind):
            case "LITERAL" | "NOT_LITERAL":
                members.add(value)
            case "RANGE":
                members.update(range(value[0], value[1] + 1))
            case "CATEGORY":
                members.add(str(value))
            case "NEGATE":
                pass
            case _:
                return False, frozenset()
    negated = str(node[0]) == "NOT_LITERAL" or (str(node[0]) == "IN" and str(node[1][0][0]) == "NEGATE")
    return negated, frozenset(members)
