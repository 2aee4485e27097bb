"""Structural types, as alternatives of structures: what they are, and how they meet and join."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["string", "number", "boolean", "null", "array", "object"]

Type: TypeAlias = "tuple[Alternative, ...]"
"""The values that fit one of the alternatives."""

KINDS: Final[tuple[Kind, ...]] = ("string", "number", "boolean", "null", "array", "object")


@dataclass(frozen=True, slots=True)
class Notes:
    """What a reader is told about a type; no part of what it admits."""

    text: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    """Keyword and value of rules that a type cannot hold: a format, a bound, a default."""


@dataclass(frozen=True, slots=True)
class Scalar:
    kind: Kind
    literal: str | None = None
    """The only value, as JSON text, or a template of strings; None for every value of the kind."""


@dataclass(frozen=True, slots=True)
class ArrayOf:
    first: tuple[Type, ...]
    """Types of the first elements, by position."""
    least: int
    """How many of the first elements there must be."""
    rest: Type

    @property
    def kind(self) -> Kind:
        return "array"

    def at(self, position: int) -> Type:
        return self.first[position] if position < len(self.first) else self.rest


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    type: Type
    required: bool
    notes: Notes = field(default=Notes(), compare=False)


@dataclass(frozen=True, slots=True)
class ObjectOf:
    members: tuple[Member, ...]
    others: Type
    """Type of every member without a name here; NEVER when the object is closed."""

    @property
    def kind(self) -> Kind:
        return "object"

    def member(self, name: str) -> Member:
        found = (member for member in self.members if member.name == name)
        return next(found, Member(name, self.others, required=False))


Structure: TypeAlias = Scalar | ArrayOf | ObjectOf


@dataclass(frozen=True, slots=True)
class Alternative:
    """The values that fit all references and the structure."""

    references: tuple[str, ...] = ()
    structure: Structure | None = None
    """None where the references say everything; without references too, any value at all."""
    kinds: frozenset[Kind] = field(default=frozenset(KINDS), compare=False)
    """The kinds of value that the references admit."""


ANYTHING: Final[Type] = (Alternative(),)
NEVER: Final[Type] = ()


def both(left: Type, right: Type) -> Type:
    """The values that are in `left` and in `right`."""
    met = (_met(one, other) for one in left for other in right)
    return either(alternative for alternative in met if alternative is not None)


def either(alternatives: Iterable[Alternative]) -> Type:
    """The values that fit one of `alternatives`; one that another contains is left out."""
    kept: list[Alternative] = []
    for alternative in alternatives:
        if not any(_fits(alternative, other) for other in kept):
            kept = [*(other for other in kept if not _fits(other, alternative)), alternative]
    return tuple(kept)


def references_of(type_: Type) -> Iterator[str]:
    """The names that `type_` refers to, in the order they are met."""
    for alternative in type_:
        yield from alternative.references
        structure = alternative.structure
        if isinstance(structure, ArrayOf):
            for element in (*structure.first, structure.rest):
                yield from references_of(element)
        if isinstance(structure, ObjectOf):
            for member in (*(member.type for member in structure.members), structure.others):
                yield from references_of(member)


def _met(one: Alternative, other: Alternative) -> Alternative | None:
    references = tuple(dict.fromkeys((*one.references, *other.references)))
    kinds = one.kinds & other.kinds
    if one.structure is None or other.structure is None:
        structure = one.structure or other.structure
    else:
        structure = _structures_met(one.structure, other.structure)
        if structure is None:
            return None
    if structure is None:
        return Alternative(references, None, kinds) if kinds else None
    if structure.kind not in kinds:
        return None
    # Of one kind, and free within it: nothing that the references do not say.
    said_by_references = len(kinds) == 1 and _is_free(structure)
    return Alternative(references, None if said_by_references else structure, kinds)


def _is_free(structure: Structure) -> bool:
    """Whether `structure` admits every value of its kind."""
    if isinstance(structure, Scalar):
        return structure.literal is None
    if isinstance(structure, ArrayOf):
        return not structure.first and structure.rest == ANYTHING
    return not structure.members and structure.others == ANYTHING


def _structures_met(one: Structure, other: Structure) -> Structure | None:
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return _scalars_met(one, other)
    if isinstance(one, ArrayOf) and isinstance(other, ArrayOf):
        return _arrays_met(one, other)
    if isinstance(one, ObjectOf) and isinstance(other, ObjectOf):
        return _objects_met(one, other)
    return None


def _scalars_met(one: Scalar, other: Scalar) -> Scalar | None:
    if one.kind != other.kind:
        return None
    if one.literal is None or other.literal is None:
        return one if other.literal is None else other
    return one if one.literal == other.literal else None


def _arrays_met(one: ArrayOf, other: ArrayOf) -> ArrayOf | None:
    longest = max(len(one.first), len(other.first))
    first: list[Type] = []
    for position in range(longest):
        element = both(one.at(position), other.at(position))
        if element == NEVER:
            break
        first.append(element)
    least = max(one.least, other.least)
    if least > len(first):
        return None
    rest = both(one.rest, other.rest) if len(first) == longest else NEVER
    return ArrayOf(tuple(first), least, rest)


def _objects_met(one: ObjectOf, other: ObjectOf) -> ObjectOf | None:
    others = both(one.others, other.others)
    members: list[Member] = []
    for name in dict.fromkeys(member.name for member in (*one.members, *other.members)):
        left, right = one.member(name), other.member(name)
        required = left.required or right.required
        notes = left.notes if left.notes != Notes() else right.notes
        met = Member(name, both(left.type, right.type), required, notes)
        if met.type == NEVER and required:
            return None
        if met.type != others or required or notes != Notes():
            members.append(met)
    return ObjectOf(tuple(members), others)


def _fits(one: Alternative, other: Alternative) -> bool:
    """Whether every value that fits `one` fits `other` too, as far as their structure shows."""
    if not set(other.references) <= set(one.references):
        return False
    return other.structure is None or (
        one.structure is not None and _structure_fits(one.structure, other.structure)
    )


def _structure_fits(one: Structure, other: Structure) -> bool:
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return one.kind == other.kind and other.literal in (None, one.literal)
    if isinstance(one, ArrayOf) and isinstance(other, ArrayOf):
        positions = range(max(len(one.first), len(other.first)))
        return (
            one.least >= other.least
            and all(_type_fits(one.at(position), other.at(position)) for position in positions)
            and _type_fits(one.rest, other.rest)
        )
    if isinstance(one, ObjectOf) and isinstance(other, ObjectOf):
        names = {member.name for member in (*one.members, *other.members)}
        return _type_fits(one.others, other.others) and all(
            _type_fits(one.member(name).type, other.member(name).type)
            and one.member(name).required >= other.member(name).required
            for name in names
        )
    return False


def _type_fits(one: Type, other: Type) -> bool:
    return all(any(_fits(left, right) for right in other) for left in one)
