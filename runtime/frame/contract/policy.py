"""Limits and rate classes of the contract (spec/policy.yaml)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vcontract.runtime.frame.contract.ratelimit import RateClass


class UnknownRateClass(ValueError):
    """A rate limit is set for a class that the contract does not have; the message lists those it has."""


@dataclass(frozen=True, slots=True)
class ByteBudget:
    """Bounds of `max_response_bytes`, in bytes of UTF-8."""

    default: int
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits that apply to every tool."""

    rate_classes: Mapping[str, RateClass]
    byte_budget: ByteBudget
    result_limit_bytes: int
    """Maximum response size of a tool without a byte budget."""
    include_groups: Mapping[str, tuple[str, ...]]
    """Include group to the members of an item that it adds, in the order in which groups are suggested."""

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Policy":
        """Read the policy from a document like spec/policy.yaml.

        Raises: KeyError for a missing entry.
        """
        return cls(
            rate_classes={
                name: RateClass(name, rule["limit"], rule["window_seconds"])
                for name, rule in document["rate_classes"].items()
            },
            byte_budget=ByteBudget(**document["byte_budget"]),
            result_limit_bytes=document["result_limit_bytes"],
            include_groups={group: tuple(members) for group, members in document["include_groups"].items()},
        )

    def rate_classes_with(self, limits: Mapping[str, int]) -> dict[str, RateClass]:
        """Return the rate classes, with an operator's limits in place of the contract's.

        Raises: UnknownRateClass.
        """
        unknown = sorted(set(limits) - set(self.rate_classes))
        if unknown:
            raise UnknownRateClass(
                f"rate_limits names unknown classes: {', '.join(unknown)}; "
                f"the classes are {', '.join(self.rate_classes)}"
            )
        return {
            name: RateClass(name, limits.get(name, rule.limit), rule.window_seconds)
            for name, rule in self.rate_classes.items()
        }
