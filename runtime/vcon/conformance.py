"""Check a vCon against the schema of its version, and its internal references."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self, TypeAlias, cast

from vcontract.runtime.frame.documents.findings import (
    MAX_VIOLATIONS,
    Conformance,
    Step,
    Violation,
    path_of,
    quoted,
)
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, as_doubles
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object, members
from vcontract.runtime.vcon.references import First, Located, located_references, reference_violations
from vcontract.runtime.vcon.spec_files import shipped_json
from vcontract.runtime.vcon.storage_checks import blocking_violations, kind_of

if TYPE_CHECKING:
    import jsonschema_rs

__all__ = [
    "LATEST_VERSION",
    "SUPPORTED_EXTENSIONS",
    "VERSIONS",
    "WRITTEN_VERSION",
    "VconSchemas",
    "amended_member",
    "blocking_violations",
    "redacted_member",
    "reference_violations",
    "schema_version",
    "unsupported_critical",
]

_Numbers: TypeAlias = tuple[int, int, int]

VERSIONS: tuple[str, ...] = ("0.3.0", "0.4.0", "0.5.0")
LATEST_VERSION = "0.5.0"
WRITTEN_VERSION = "0.4.0"
"""Version that templates and imports build; `version_migration.written` makes the one to write of it."""
SUPPORTED_EXTENSIONS: tuple[str, ...] = (
    "agent_session",
    "cc",
    "lawful_basis",
    "mcp_session",
    "wtf_transcription",
)

_OLDER_VERSIONS = frozenset({"0.3.0", "0.0.1", "0.0.2"})
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")
_SINCE_050 = ("sessions", "events", "redacted_from", "amended_from")
"""Top-level members that 0.5.0 introduced."""

# One fault may violate several keywords at one place; report the first of these.
_MOST_SPECIFIC_FIRST = ("not_allowed", "required", "type", "const", "enum", "format", "pattern")
_RULE_NAMES = {"falseSchema": "not_allowed"}
_ARTICLES = {"integer": "a whole number", "null": "null", "array": "an array", "object": "an object"}


def schema_version(vcon: JsonObject) -> str:
    """Return the version of the schema to check against: the one that the vCon names.

    A vCon that names none, or an unknown one, is checked as 0.5.0 if it has a member that 0.5.0 introduced,
    else as 0.4.0. A version newer than all known ones is checked against the latest.
    """
    version = vcon.get("vcon")
    if isinstance(version, str):
        if version in VERSIONS:
            return version
        if version in _OLDER_VERSIONS:
            return "0.3.0"
        if is_newer(version):
            return LATEST_VERSION
    return "0.5.0" if any(name in vcon for name in _SINCE_050) else "0.4.0"


def is_newer(version: str) -> bool:
    """Whether a version is newer than all that are known."""
    return (numbers := _numbers(version)) is not None and numbers > cast("_Numbers", _numbers(LATEST_VERSION))


def _numbers(version: str) -> "_Numbers | None":
    found = _VERSION.fullmatch(version)
    return found and (int(found[1]), int(found[2]), int(found[3] or 0))


def redacted_member(vcon: JsonObject) -> str:
    """Name of the member that refers to the less redacted version, in the syntax of this vCon."""
    return "redacted_from" if schema_version(vcon) == "0.5.0" else "redacted"


def amended_member(vcon: JsonObject) -> str:
    """Name of the member that refers to the version that this vCon adds to, in its syntax."""
    return "amended_from" if schema_version(vcon) == "0.5.0" else "amended"


def unsupported_critical(vcon: JsonObject) -> tuple[str, ...]:
    """Names in `critical` that this server does not support, without duplicates, in order."""
    names = [name for name in array(vcon.get("critical")) if isinstance(name, str)]
    return tuple(dict.fromkeys(name for name in names if name not in SUPPORTED_EXTENSIONS))


class VconSchemas:
    """The compiled vCon schemas."""

    def __init__(self, schemas: dict[str, JsonObject]) -> None:
        import jsonschema_rs  # many start without validating anything

        self.documents = schemas
        """Version to schema, as published."""
        self._validators = {
            version: jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
            for version, schema in schemas.items()
        }

    @classmethod
    def load(cls) -> Self:
        """Load the bundled schemas."""
        return cls({version: shipped_json("vcon", version, "vcon.schema.json") for version in VERSIONS})

    def check(self, vcon: JsonObject) -> Conformance:
        """Check a vCon with translated names. Reports the number of violations, and up to 50 of them."""
        violations = self.all_violations(vcon)
        return Conformance(
            version=schema_version(vcon),
            valid=not violations,
            violations=tuple(violations[:MAX_VIOLATIONS]),
            violation_count=len(violations),
            unsupported_critical=unsupported_critical(vcon),
        )

    def check_added(self, vcon: JsonObject, added: JsonObject, first: First) -> Conformance | None:
        """Check elements added to a valid vCon; None if they add violations.

        `added` is the vCon with only the elements from `first` on. The schema checks each element on its own.
        """
        if any(self._schema_violations(added)) or located_references(vcon, first):
            return None
        return Conformance(schema_version(vcon), True, (), 0, unsupported_critical(vcon))

    def all_violations(self, vcon: JsonObject) -> list[Violation]:
        """Every violation of the schema and of references, one per place, in document order."""
        try:
            found = [*self._schema_violations(vcon), *located_references(vcon)]
        except ValueError:
            # the validator cannot handle invalid Unicode
            return blocking_violations(vcon)
        first: dict[tuple[Step, ...], Located] = {}
        for located in sorted(found, key=_rank):
            first.setdefault(located[0], located)
        cut_off = {steps for steps, located in first.items() if located[1] == "not_allowed"}
        kept = [
            steps for steps in first if not any(steps[:depth] in cut_off for depth in range(1, len(steps)))
        ]
        in_order = sorted(kept, key=lambda steps: _position(vcon, steps))
        return [Violation(path_of(steps), first[steps][1], first[steps][2]) for steps in in_order]

    def _schema_violations(self, vcon: JsonObject) -> Iterator[Located]:
        version = schema_version(vcon)
        for error in self._validators[version].iter_errors(as_doubles(_without_nulls(vcon))):
            yield _located(error, self.documents[version])


def _rank(located: Located) -> int:
    return (
        _MOST_SPECIFIC_FIRST.index(located[1])
        if located[1] in _MOST_SPECIFIC_FIRST
        else len(_MOST_SPECIFIC_FIRST)
    )


def _position(vcon: JsonObject, steps: tuple[Step, ...]) -> tuple[int, ...]:
    """Sort key of a place in document order; a missing member comes after existing ones."""
    position: list[int] = []
    place: JsonValue = vcon
    for step in steps:
        if isinstance(step, int):
            position.append(step)
            place = array(place)[step]
        elif is_object(place):
            position.append(list(place).index(step) if step in place else len(place))
            place = place.get(step)
    return tuple(position)


def _located(error: "jsonschema_rs.ValidationError", schema: JsonObject) -> Located:
    import jsonschema_rs

    steps = tuple(error.instance_path)
    rule = _RULE_NAMES.get(error.kind.name, error.kind.name)
    title = _title(schema, error.schema_path)
    match error.kind:
        case jsonschema_rs.ValidationErrorKind.Required(property=name):
            member = cast(JsonValue, name)
            return (*steps, str(member)), rule, f'{title} needs "{member}", which is missing.'
        case jsonschema_rs.ValidationErrorKind.FalseSchema():
            return steps, rule, _not_allowed(str(steps[-1]), title)
        case jsonschema_rs.ValidationErrorKind.Type(types=types):
            wanted = " or ".join(_ARTICLES.get(name, f"a {name}") for name in _in_order(types))
            return steps, rule, f"Must be {wanted}; this is {kind_of(error.instance)}."
        case jsonschema_rs.ValidationErrorKind.Enum(options=options):
            return steps, rule, f"{_shown(error.instance)} is not one of {', '.join(map(str, options))}."
        case jsonschema_rs.ValidationErrorKind.Constant() if steps == ("vcon",):
            return steps, rule, _unknown_version(error.instance)
        case jsonschema_rs.ValidationErrorKind.Constant(expected_value=wanted):
            return steps, rule, f"{_shown(error.instance)} is not {_shown(wanted)}."
        case (
            jsonschema_rs.ValidationErrorKind.Format()
            | jsonschema_rs.ValidationErrorKind.Pattern()
            | jsonschema_rs.ValidationErrorKind.Minimum()
        ):
            return (
                steps,
                rule,
                f"{_shown(error.instance)} is not valid here; wanted: {_uncapitalized(title)}.",
            )
        case _:
            return steps, rule, f"{error.message}."


def _unknown_version(version: JsonValue) -> str:
    if isinstance(version, str) and is_newer(version):
        newest = f"{LATEST_VERSION}, the newest of {', '.join(VERSIONS)}"
        return f"{_shown(version)} is newer than {newest}; it was checked against that."
    return f"{_shown(version)} is not one of {', '.join(VERSIONS)}."


def _not_allowed(name: str, title: str) -> str:
    if title.startswith("vCon "):
        return f'"{name}" is reserved in {title}; remove it.'
    article = "an" if title[0] in "AEIOU" else "a"
    return f'"{name}" has no meaning on {article} {_uncapitalized(title)}; remove it.'


def _title(schema: JsonObject, schema_path: Iterable[Step]) -> str:
    """Nearest title above the failed keyword; every place in our schemas has one."""
    title = ""
    place: JsonValue = schema
    for step in schema_path:
        title = str(members(place).get("title", title))
        place = place[step]
    return title


def _in_order(types: Iterable[str]) -> list[str]:
    """Sort type names for reading: null last."""
    return sorted(types, key=lambda name: (name == "null", name == "array"))


def _shown(value: JsonValue) -> str:
    if isinstance(value, str):
        return quoted(value)
    return json.dumps(value) if isinstance(value, int | float) else kind_of(value).capitalize()


def _uncapitalized(title: str) -> str:
    """Lower the first letter of a title, except of acronyms (HTTPS, RFC, UUID)."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def _without_nulls(vcon: JsonObject) -> JsonObject:
    """Drop null members of the objects in the schema, because readers treat null as absent."""
    read = _present(vcon)
    for name in ("redacted", "amended", "redacted_from", "amended_from"):
        if is_object(read.get(name)):
            read[name] = _present(read[name])
    for name in ("parties", "dialog", "analysis", "attachments", "sessions", "events"):
        if is_array(read.get(name)):
            read[name] = [_present_element(element) for element in read[name]]
    return read


def _present_element(element: JsonValue) -> JsonValue:
    if not is_object(element):
        return element
    read = _present(element)
    for name in ("civicaddress", "session_id"):
        if is_object(read.get(name)):
            read[name] = _present(read[name])
    for name in ("party_history", "sessions"):
        if is_array(read.get(name)):
            read[name] = [_present(each) if is_object(each) else each for each in read[name]]
    return read


def _present(members: JsonObject) -> JsonObject:
    return {name: value for name, value in members.items() if value is not None}
