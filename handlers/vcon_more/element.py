"""Edit one element of a vCon: its position, the changed vCon, and new violations."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from vcontract.generated.errors import ValidationError
from vcontract.handlers.vcon.components import USE_UPDATE_TAGS, element_violations, refused
from vcontract.handlers.vcon.updates import is_same, merge_patch
from vcontract.runtime.frame.documents.findings import Notice, Violation
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array, members
from vcontract.runtime.vcon.references import reference_violations
from vcontract.runtime.vcon.tags import is_tags_carrier

Array = Literal["parties", "dialog", "analysis", "attachments"]

PARAMETERS: Final[dict[Array, str]] = {
    "parties": "party",
    "dialog": "dialog",
    "analysis": "analysis",
    "attachments": "attachment",
}
"""Parameter for an element of each array, also its name in messages."""


@dataclass(frozen=True, slots=True)
class ElementPosition:
    """Position of an element in its vCon, and its parameter."""

    array: Array
    index: int

    @property
    def path(self) -> str:
        return f"$.{self.array}[{self.index}]"

    @property
    def parameter(self) -> str:
        return PARAMETERS[self.array]

    def __str__(self) -> str:
        return f"{self.parameter} {self.index}"

    def elements(self, vcon: JsonObject) -> list[JsonObject]:
        """All elements of its array."""
        return array(vcon.get(self.array))

    def element(self, vcon: JsonObject) -> JsonObject:
        """Return the element. Raises: ValidationError if it does not exist or holds tags."""
        elements = self.elements(vcon)
        if self.index >= len(elements):
            raise self._out_of_range(len(elements))
        element = elements[self.index]
        if self.array == "attachments" and is_tags_carrier(element):
            raise tags_not_here("index", "This attachment holds the tags, which do not change this way.")
        return element

    def replaced(self, vcon: JsonObject, element: JsonObject) -> JsonObject:
        """The vCon with `element` at this position, or appended."""
        elements = self.elements(vcon)
        return {**vcon, self.array: [*elements[: self.index], element, *elements[self.index + 1 :]]}

    def inside(self, violations: Iterable[Violation]) -> list[Violation]:
        """Violations at or below this position."""
        return [violation for violation in violations if violation.path.startswith(self.path)]

    def in_vcon(self, notice: Notice) -> Notice:
        """Convert a notice's path to the vCon."""
        path = self.path + (notice.path or "").removeprefix(f"$.{self.parameter}")
        return Notice(notice.code, notice.message, path)

    def in_arguments(self, violations: Iterable[Violation]) -> list[JsonObject]:
        """Convert violations' paths to the arguments, where they concern the element."""
        return [
            {
                "path": f"$.{self.parameter}{violation.path.removeprefix(self.path)}",
                "rule": violation.rule,
                "message": violation.message,
            }
            if violation.path.startswith(self.path)
            else {
                "path": violation.path,
                "rule": violation.rule,
                "message": f"In the stored vCon: {violation.message}",
            }
            for violation in violations
        ]

    def _out_of_range(self, count: int) -> ValidationError:
        allowed = f"0 to {count - 1}" if count > 1 else "only 0" if count else "none"
        return ValidationError(
            f"There is no {self}: the length of {self.array} is {count}, so allowed: {allowed}.",
            details={
                "parameter": "index",
                "reason": "index_out_of_range",
                "value": self.index,
                "count": count,
            },
            suggestions=["Read the vCon again with get_vcon; indices begin at 0."],
        )


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one element: the vCon before and after, and the position."""

    place: ElementPosition
    before: JsonObject
    after: JsonObject

    def check(self) -> list[Notice]:
        """Return warnings about the changed element.

        Raises: ValidationError with all new violations.
        """
        place, notices = self.place, list[Notice]()
        known = {_key(violation) for violation in self._element_violations(self.before, [])}
        violations = [
            violation
            for violation in self._element_violations(self.after, notices)
            if _key(violation) not in known
        ]
        references = {(each.path, each.rule) for each in reference_violations(self.before)}
        violations += place.in_arguments(
            each for each in reference_violations(self.after) if (each.path, each.rule) not in references
        )
        if violations:
            raise refused(violations)
        if place.array == "attachments" and is_tags_carrier(place.elements(self.after)[place.index]):
            raise tags_not_here(place.parameter, "An attachment whose purpose is tags would hold tags.")
        return list(map(place.in_vcon, notices))

    def _element_violations(self, vcon: JsonObject, notices: list[Notice]) -> list[JsonObject]:
        place, elements = self.place, self.place.elements(vcon)
        if place.array == "parties" or place.index >= len(elements):
            return []
        return element_violations(place.array, elements[place.index], f"$.{place.parameter}", notices)


def changed_element(element: JsonObject, given: JsonObject, *, whole: bool) -> JsonObject:
    """Merge `given` into the element, or replace it if `whole`."""
    merged = given if whole else merge_patch(element, given)
    return members(merged)


def changed_members(old: JsonObject, new: JsonObject) -> list[str]:
    """Changed members, new ones first."""
    return [
        name
        for name in dict.fromkeys((*new, *old))
        if (name in old) != (name in new) or not is_same(old.get(name), new.get(name))
    ]


def tags_not_here(parameter: str, message: str) -> ValidationError:
    return ValidationError(
        message, details={"parameter": parameter, "reason": "tags_not_here"}, suggestions=[USE_UPDATE_TAGS]
    )


def _key(violation: JsonObject) -> tuple[str, str]:
    return violation["path"], violation["rule"]
