"""Which form of a schema before is which form after."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vcontract.codegen.compat.forms import Form, JsonType, constants_of, members_of, required_of
from vcontract.codegen.compat.texts import canonical, without_words

_SAME: Final = 1.0
_ALIKE: Final = 0.5
"""The share of common members from which two forms of an object count as one that was edited."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The forms of one type, by their index: those that belong together, and those left on each side."""

    pairs: Sequence[tuple[int, int]]
    only_before: Sequence[int]
    only_after: Sequence[int]


def paired(kind: JsonType, before: Sequence[Form], after: Sequence[Form]) -> Pairing:
    """Forms of the type `kind`: equal ones first, then those most alike, then what is left alone."""
    left = [index for index, form in enumerate(before) if form.type == kind]
    right = [index for index, form in enumerate(after) if form.type == kind]
    likeness = {(one, other): _likeness(before[one], after[other]) for one in left for other in right}
    pairs: list[tuple[int, int]] = []
    for wanted in (_SAME, _ALIKE, 0.0):
        for one, other in sorted(likeness, key=lambda pair: (-likeness[pair], pair)):
            alone = len(left) == len(right) == 1
            if likeness[one, other] < wanted or (wanted == 0.0 and not alone):
                continue
            if one in left and other in right:
                pairs.append((one, other))
                left.remove(one)
                right.remove(other)
    return Pairing(sorted(pairs), left, right)


def _likeness(one: Form, other: Form) -> float:
    """1 for forms that say the same, below 0 for such that a constant tells apart."""
    if canonical(without_words(one.schema)) == canonical(without_words(other.schema)):
        return _SAME
    first, second = constants_of(one.schema), constants_of(other.schema)
    if any(canonical(value) != canonical(second[name]) for name, value in first.items() if name in second):
        return -1.0
    ours = {*members_of(one.schema), *(f"{name}!" for name in required_of(one.schema))}
    theirs = {*members_of(other.schema), *(f"{name}!" for name in required_of(other.schema))}
    return 0.99 * len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0
