"""What the comparison found: a change under its rule, with the document that shows what breaks."""

import hashlib
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcontract.codegen.compat.rule import Level, Rule
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json

WitnessKind: TypeAlias = Literal["call", "response", "listing", "read", "fact"]
Side: TypeAlias = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Witness:
    """A document that is valid on one side only.

    `call`: what a client sends, `{name, arguments}`; `response`: what a client reads; `listing`: what
    tools/list says of a tool, where valid means that it keeps what was promised; `read`: the URI of a
    resource; `fact`: what held for everybody, such as `{error: NOT_FOUND}`.
    """

    kind: WitnessKind
    document: JsonObject
    valid: Side


def fact(valid: Side, **members: JsonValue) -> Witness:
    """What held on one side only."""
    return Witness("fact", members, valid)


@dataclass(frozen=True, slots=True)
class Finding:
    """One change of the contract."""

    rule: Rule
    level: Level
    """The rule's, or less for a tool that is not stable and for details of errors."""
    tool: str | None
    """Its name before, or after when it is new;
    `resource <name>`, `prompt <name>`; None for what all share."""
    path: str
    words: str
    """The path as a person says it."""
    before: str
    after: str
    witness: Witness | None = None
    lowered_because: str = ""

    @property
    def fingerprint(self) -> str:
        """Tells this change of a place from another change of the same place."""
        whole = compact_json([self.rule.id, self.tool, self.path, self.before, self.after])
        return hashlib.sha256(whole.encode()).hexdigest()[:12]
