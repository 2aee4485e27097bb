"""What the gate prints: text for a terminal, JSON for programs, annotations for a code host."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vcontract.codegen.compat.findings import Finding, Witness
from vcontract.codegen.compat.locations import Locations
from vcontract.codegen.compat.rule import LEVELS
from vcontract.codegen.compat.state import ACCEPTANCES
from vcontract.codegen.compat.verdict import Verdict
from vcontract.codegen.documents import (
    JsonObject,
    JsonValue,
    compact_json,
    is_array,
    is_object,
    print_json,
)
from vcontract.codegen.problems import Problem

_SHOWN = 160
"""Longer values are cut in the middle, in text and in annotations; JSON and Markdown have the whole."""

_LONG = 200
_MANY = 5
"""Longer texts and arrays of a witness are cut where people read it."""

_COMMANDS = {"ERR": "error", "WARN": "warning", "INFO": "notice"}


@dataclass(frozen=True, slots=True)
class Group:
    """One change that several tools share, as they share a mixin or a shape."""

    findings: Sequence[Finding]

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def tools(self) -> list[str]:
        return [finding.tool for finding in self.findings if finding.tool is not None]


def groups(findings: Sequence[Finding]) -> list[Group]:
    """Equal changes together, in the order of the first of each."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        key = finding.rule.id, finding.level, finding.path, finding.before, finding.after
        found.setdefault(key, []).append(finding)
    return [Group(members) for members in found.values()]


def counts(verdict: Verdict) -> str:
    """`1 ERR, 2 WARN, 0 INFO, 3 for the model to read`."""
    changes = [finding for finding in verdict.findings if not finding.rule.read_by_model]
    parts = [f"{sum(finding.level == level for finding in changes)} {level}" for level in LEVELS]
    return ", ".join([*parts, f"{len(verdict.findings) - len(changes)} of what the model reads"])


def witness_words(witness: Witness) -> str:
    """What the witness' document shows."""
    match witness.kind:
        case "call":
            return "This call was valid and is refused"
        case "response":
            return "This answer was not possible and now is"
        case "listing":
            return "tools/list now says this, against the promise"
        case "read":
            return "This was found and no longer is"
        case "fact":
            return "This held and no longer does"


def shortened(value: JsonValue) -> JsonValue:
    """A document with long texts and arrays cut, and how long they are."""
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:20]}… ({len(value)} characters)"
    if is_array(value):
        kept = [shortened(entry) for entry in value[:_MANY]]
        return [*kept, f"… ({len(value)} entries)"] if len(value) > _MANY else kept
    return {name: shortened(member) for name, member in value.items()} if is_object(value) else value


def acceptance_line(finding: Finding) -> str:
    """The entry of spec/compat.yaml that accepts a break, but for the reason."""
    return (
        f"- {{rule: {finding.rule.id}, tool: {finding.tool}, path: {compact_json(finding.path)}, "
        f'fingerprint: "{finding.fingerprint}", reason: "…"}}'
    )


def outcome(verdict: Verdict) -> Iterator[str]:
    """Whether it passes, and if not, why and what to do."""
    refused = verdict.refused
    if refused:
        unaccepted = [finding for finding in refused if finding.fingerprint not in verdict.accepted]
        yield f"Refused: {_number(len(refused), 'break')} of what {verdict.promised} promised."
        if not verdict.version_allows_breaks:
            yield (
                f"Breaks need a higher version: in spec/server.yaml, {verdict.after} becomes "
                f"{verdict.wanted_version} or higher."
            )
        if unaccepted:
            yield (
                "Take back what is not meant, and accept the rest with a reason, "
                f"as entries of acceptances (without its []) in {ACCEPTANCES}:"
            )
            yield from (f"  {acceptance_line(finding)}" for finding in unaccepted)
    for acceptance, line in verdict.idle.items():
        yield (
            f"{ACCEPTANCES}:{line}: accepts {acceptance.rule} of {acceptance.tool}, {acceptance.path} "
            f"({acceptance.fingerprint}), which is no break here; remove it"
        )
    if verdict.passes:
        yield f"Passes: nothing breaks what {verdict.promised} promised, except as accepted."


def text_report(verdict: Verdict, locations: Locations) -> str:
    lines = [f"contract {verdict.before} ({verdict.base}) -> {verdict.after}: {counts(verdict)}", ""]
    for group in groups(verdict.findings):
        lines += [*_text_of(group, verdict, locations), ""]
    return "\n".join([*lines, *outcome(verdict)]) + "\n"


def annotations_report(verdict: Verdict, locations: Locations) -> str:
    """One command of the code host's log for each change, which it shows at the line of the spec."""
    lines: list[str] = []
    for group in groups(verdict.findings):
        finding = group.first
        place = locations.of(finding)
        where = f"file={_property(place[0])},line={place[1]}," if place else ""
        title = f"{finding.level} {finding.rule.id}" + _accepted_mark(finding, verdict)
        message = "\n".join(_text_of(group, verdict, locations))
        lines.append(f"::{_COMMANDS[finding.level]} {where}title={_property(title)}::{_message(message)}")
    for acceptance, line in verdict.idle.items():
        title = "An acceptance that matches nothing"
        message = f"There is no break {acceptance.rule} at {acceptance.path} of {acceptance.tool}; remove it"
        lines.append(f"::error file={ACCEPTANCES},line={line},title={title}::{_message(message)}")
    return "".join(f"{line}\n" for line in lines)


def annotated_problems(problems: Sequence[Problem]) -> str:
    """One command of the code host's log for each problem of a spec."""
    return "".join(
        f"::error file={_property(problem.file)},line={problem.line},title={_property(problem.id)}"
        f"::{_message(problem.message)}\n"
        for problem in problems
    )


def json_report(verdict: Verdict, locations: Locations) -> str:
    return print_json(
        {
            "base": verdict.base,
            "before": verdict.before,
            "after": verdict.after,
            "promised": verdict.promised,
            "wanted_version": verdict.wanted_version,
            "passes": verdict.passes,
            "findings": [
                {**finding_document(finding), **_judgement(finding, verdict, locations)}
                for finding in verdict.findings
            ],
            "idle_acceptances": [
                {
                    "rule": one.rule,
                    "tool": one.tool,
                    "path": one.path,
                    "fingerprint": one.fingerprint,
                    "line": line,
                }
                for one, line in verdict.idle.items()
            ],
        }
    )


def finding_document(finding: Finding) -> JsonObject:
    """A finding as JSON, whatever the verdict on it."""
    witness = finding.witness
    return {
        "rule": finding.rule.id,
        "level": finding.level,
        "tool": finding.tool,
        "path": finding.path,
        "before": finding.before,
        "after": finding.after,
        **({"lowered_because": finding.lowered_because} if finding.lowered_because else {}),
        **(
            {"witness": {"kind": witness.kind, "valid": witness.valid, "document": witness.document}}
            if witness
            else {}
        ),
    }


def _judgement(finding: Finding, verdict: Verdict, locations: Locations) -> JsonObject:
    place, acceptance = locations.of(finding), verdict.accepted.get(finding.fingerprint)
    return {
        "purpose": finding.rule.purpose,
        "effect": finding.rule.effect,
        "fingerprint": finding.fingerprint,
        "accepted": acceptance.reason if acceptance else None,
        "file": place[0] if place else None,
        "line": place[1] if place else None,
    }


def _text_of(group: Group, verdict: Verdict, locations: Locations) -> Iterator[str]:
    finding = group.first
    subject = f"{', '.join(group.tools)}: " if group.tools else ""
    mark = _accepted_mark(finding, verdict)
    yield f"{finding.level:<4}  {subject}{finding.words}  [{finding.rule.id}]{mark}"
    yield f"      {finding.rule.purpose} {finding.rule.effect}"
    yield f"      before: {_short(finding.before) or '–'}"
    yield f"      after:  {_short(finding.after) or '–'}"
    if finding.witness:
        document = compact_json(shortened(finding.witness.document))
        yield f"      {witness_words(finding.witness)}: {_short(document)}"
    if finding.lowered_because:
        yield f"      WARN at most: {finding.lowered_because}"
    if place := locations.of(finding):
        yield f"      {place[0]}:{place[1]}"


def _accepted_mark(finding: Finding, verdict: Verdict) -> str:
    return " accepted" if finding.fingerprint in verdict.accepted else ""


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    half = _SHOWN // 2
    return flat if len(flat) <= _SHOWN else f"{flat[:half]} … {flat[-half:]}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
