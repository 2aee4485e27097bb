"""What the gate prints: text, JSON, annotations of a code host, and the comment of a pull request."""

import difflib
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from vcontract.codegen.compat.findings import Cause, Witness
from vcontract.codegen.compat.locations import Locations
from vcontract.codegen.compat.rules import LEVELS, Level
from vcontract.codegen.compat.state import ACCEPTANCES
from vcontract.codegen.compat.verdict import Verdict
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json, is_array, is_object, print_json
from vcontract.codegen.problems import Problem

_SHOWN: Final = 160
"""Longer values are cut in the middle, in text and in annotations."""

_LONG: Final = 200
_MANY: Final = 5
"""Longer texts and arrays of a witness are cut where people read it."""

_FOLDED: Final = 400
"""A longer document of a comment is folded away."""

_COMMENT: Final = 55_000
"""A comment holds no more than 65,536 characters; the rest is in the HTML report."""
_LEAST: Final = 3
"""Its head and a first section always stay."""

_COMMANDS: Final = {"ERR": "error", "WARN": "warning", "INFO": "notice"}

_HEADINGS: Final[dict[Level, str]] = {
    "ERR": "ERR: breaks what was promised",
    "WARN": "WARN: needs a person",
    "INFO": "INFO: for the record",
}

_STATEMENT: Final = "This is a statement: no single call or answer shows it."

_WITNESSES: Final = {
    "call": "This call was accepted and is refused",
    "response": "This answer was not possible and now is",
    "document": "This document was accepted and is refused",
}


def witness_words(witness: Witness) -> str:
    """What the witness shows."""
    return _WITNESSES[witness.kind]


def shortened(value: JsonValue) -> JsonValue:
    """A document with long texts and arrays cut, and how long they are."""
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:20]}… ({len(value)} characters)"
    if is_array(value):
        kept = [shortened(entry) for entry in value[:_MANY]]
        return [*kept, f"… ({len(value)} entries)"] if len(value) > _MANY else kept
    return {name: shortened(member) for name, member in value.items()} if is_object(value) else value


def counts(verdict: Verdict) -> str:
    """`1 ERR, 2 WARN, 0 INFO, 3 of what the model reads`."""
    found = Counter(
        "words" if cause.first.rule.read_by_model else cause.first.level for cause in verdict.causes
    )
    parts = [f"{found[level]} {level}" for level in LEVELS]
    return ", ".join([*parts, f"{found['words']} of what the model reads"])


def summary(verdict: Verdict) -> list[str]:
    """Three lines: what breaks, for whom, and what version it needs."""
    breaks = [cause for cause in verdict.causes if cause.first.level == "ERR"]
    if not breaks:
        warned = sum(cause.first.level == "WARN" for cause in verdict.causes)
        return [
            "Nothing breaks.",
            f"For a person to judge: {_number(warned, 'warning')}.",
            f"No version is needed: {verdict.after} may be released after {verdict.promised}."
            if not verdict.idle
            else f"{ACCEPTANCES} accepts what is no break; remove it.",
        ]
    first = breaks[0].first
    more = f", and {_number(len(breaks) - 1, 'other break')}" if len(breaks) > 1 else ""
    subjects = list(dict.fromkeys(name for cause in breaks for name in cause.subjects or ["all clients"]))
    accepted = [
        verdict.accepted[cause.fingerprint].reason
        for cause in breaks
        if cause.fingerprint in verdict.accepted
    ]
    needs = f"It needs version {verdict.wanted_version}; spec/server.yaml says {verdict.after}"
    return [
        f"{_number(len(breaks), 'break')}: {first.words} ({first.rule.purpose.rstrip('.').lower()}){more}.",
        f"Whom it hurts: users of {_listed(subjects)}. {first.rule.effect}",
        needs + (f", and {len(accepted)} of {len(breaks)} accepted." if accepted else "."),
    ]


def acceptance_line(cause: Cause) -> str:
    """The entry of spec/compat.yaml that accepts the breaks of one cause, but for the reason."""
    first = cause.first
    return (
        f"- {{rule: {first.rule.id}, tool: {compact_json(str(first.tool))}, "
        f"path: {compact_json(first.path)}, "
        f'fingerprint: "{cause.fingerprint}", reason: "…"}}'
    )


def outcome(verdict: Verdict) -> Iterator[str]:
    """Whether it passes, and if not, why and what to do."""
    refused = verdict.refused
    if refused:
        unaccepted = [cause for cause in refused if cause.fingerprint not in verdict.accepted]
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
            yield from (f"  {acceptance_line(cause)}" for cause in unaccepted)
    for acceptance, line in verdict.idle.items():
        yield (
            f"{ACCEPTANCES}:{line}: accepts {acceptance.rule} of {acceptance.tool}, {acceptance.path} "
            f"({acceptance.fingerprint}), which is no break here; remove it"
        )
    if verdict.passes:
        yield f"Passes: nothing breaks what {verdict.promised} promised, except as accepted."


def text_report(verdict: Verdict, locations: Locations) -> str:
    lines = [
        *summary(verdict),
        f"contract {verdict.before} ({verdict.base}) -> {verdict.after}: {counts(verdict)}",
        "",
    ]
    for cause in verdict.causes:
        lines += [*_text_of(cause, verdict, locations), ""]
    return "\n".join([*lines, *outcome(verdict)]) + "\n"


def annotations_report(verdict: Verdict, locations: Locations) -> str:
    """One command of the code host's log for each cause, which it shows at the line of the spec."""
    lines: list[str] = []
    for cause in verdict.causes:
        place = locations.of(cause.first)
        title = f"{cause.first.level} {cause.first.rule.id}" + _accepted_mark(cause, verdict)
        message = "\n".join(_text_of(cause, verdict, locations))
        lines.append(_annotation(_COMMANDS[cause.first.level], place, title, message))
    for acceptance, line in verdict.idle.items():
        message = f"There is no break {acceptance.rule} at {acceptance.path} of {acceptance.tool}; remove it"
        lines.append(_annotation("error", (ACCEPTANCES, line), "An acceptance that matches nothing", message))
    return "".join(lines)


def json_report(verdict: Verdict, locations: Locations) -> str:
    idle = [
        {name: getattr(one, name) for name in ("rule", "tool", "path", "fingerprint")} | {"line": line}
        for one, line in verdict.idle.items()
    ]
    head = {
        name: getattr(verdict, name)
        for name in ("base", "before", "after", "promised", "wanted_version", "passes")
    }
    causes = [_cause_document(cause, verdict, locations) for cause in verdict.causes]
    return print_json({**head, "summary": summary(verdict), "causes": causes, "idle_acceptances": idle})


def _cause_document(cause: Cause, verdict: Verdict, locations: Locations) -> JsonObject:
    finding, acceptance = cause.first, verdict.accepted.get(cause.fingerprint)
    place, witness = locations.of(finding), finding.witness
    return {
        "rule": finding.rule.id,
        "level": finding.level,
        "purpose": finding.rule.purpose,
        "effect": finding.rule.effect,
        "places": [{"tool": one.tool, "path": one.path} for one in cause.findings],
        "before": finding.before,
        "after": finding.after,
        "fingerprint": cause.fingerprint,
        "lowered_because": finding.lowered_because,
        "witness": {"kind": witness.kind, "document": witness.document} if witness else None,
        "accepted": acceptance.reason if acceptance else None,
        "file": place[0] if place else None,
        "line": place[1] if place else None,
    }


def comment(verdict: Verdict, _: Locations) -> str:
    """The comment of a pull request, in Markdown: three lines, then a section for each level."""
    what, whom, version = summary(verdict)
    changes = [cause for cause in verdict.causes if not cause.first.rule.read_by_model]
    words = [cause for cause in verdict.causes if cause.first.rule.read_by_model]
    parts = [
        f"**{'✅' if verdict.passes else '❌'} {what}**  \n{whom}  \n{version}",
        f"Contract {verdict.before} → {verdict.after}, compared with `{verdict.base}`: {counts(verdict)}.",
    ]
    for level, heading in _HEADINGS.items():
        found = [cause for cause in changes if cause.first.level == level]
        if found and level == "INFO":
            parts.append(_folded(heading, "\n".join(map(_row, found))))
        elif found:
            parts += [f"## {heading}", *(part for cause in found for part in _section(cause, verdict))]
    if words:
        parts.append(_folded("What the model reads", "\n\n".join(map(_words, words))))
    while sum(map(len, parts)) > _COMMENT and len(parts) > _LEAST:
        parts = [*parts[:-2], "More is in the HTML report, an artifact of this run."]
    return "\n\n".join(parts) + "\n"


REPORTS: Final[Mapping[str, Callable[[Verdict, Locations], str]]] = {
    "text": text_report,
    "json": json_report,
    "annotations": annotations_report,
    "markdown": comment,
}
"""The formats of the command line."""


def problems_report(problems: Sequence[Problem], form: str) -> str:
    """What is wrong with a spec that cannot be compared, in the formats of code hosts; empty in others."""
    if form == "annotations":
        return "".join(_annotation("error", (one.file, one.line), one.id, one.message) for one in problems)
    found = [
        f"- `{one.file}:{one.line}` {one.id}: {html.escape(one.message, quote=False)}" for one in problems
    ]
    head = "**❌ The spec has problems, and is not compared.**"
    return "\n".join([head, "", *found]) + "\n" if form == "markdown" else ""


def _section(cause: Cause, verdict: Verdict) -> Iterator[str]:
    finding = cause.first
    yield f"### {_subject(cause)}: {finding.words}"
    yield f"{finding.rule.purpose} **{finding.rule.effect}** `{finding.rule.id}`"
    if cause.places and len(cause.subjects) > len(_subjects_shown(cause)):
        yield _folded(cause.places, ", ".join(f"`{one.tool}` {one.path}" for one in cause.findings))
    yield f"| before | after |\n|---|---|\n| {_cell(finding.before)} | {_cell(finding.after)} |"
    if finding.witness:
        document = json.dumps(shortened(finding.witness.document), indent=2, ensure_ascii=False)
        block = f"```json\n{document}\n```"
        title = f"{witness_words(finding.witness)}:"
        yield f"{title}\n\n{block}" if len(document) <= _FOLDED else _folded(title, block)
    elif finding.level == "ERR":
        yield _STATEMENT
    if finding.lowered_because:
        yield f"Only a warning: {finding.lowered_because}."
    if finding.level == "ERR":
        accepted = verdict.accepted.get(cause.fingerprint)
        yield (
            f"{'✅ ' if verdict.version_allows_breaks else ''}Accepted: {accepted.reason}"
            if accepted
            else f"To accept it, version {verdict.wanted_version} or higher in `spec/server.yaml`, "
            f"and in `{ACCEPTANCES}`:\n\n```yaml\n{acceptance_line(cause)}\n```"
        )


def _row(cause: Cause) -> str:
    finding = cause.first
    change = " → ".join(filter(None, (_cell(_short(finding.before)), _cell(_short(finding.after)))))
    return f"- {_subject(cause)}: {finding.words}. {finding.rule.purpose} {change}"


def _words(cause: Cause) -> str:
    difference = difflib.unified_diff(
        _lines(cause.first.before), _lines(cause.first.after), n=100, lineterm=""
    )
    shown = "\n".join(line for line in list(difference)[2:] if not line.startswith("@@"))
    fence = "`" * max(4, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"**{_subject(cause)}**, {cause.first.words}\n\n{fence}diff\n{shown}\n{fence}"


def _lines(text: str) -> list[str]:
    """A text in sentences, so that a difference shows the sentence that changed."""
    return [line for part in text.splitlines() for line in part.replace(". ", ".\n").splitlines()]


def _subjects_shown(cause: Cause) -> list[str]:
    return cause.subjects[:3]


def _subject(cause: Cause) -> str:
    more = len(cause.subjects) - len(_subjects_shown(cause))
    named = ", ".join(f"`{name}`" for name in _subjects_shown(cause)) or "all tools"
    places = f" ({cause.places})" if cause.places else ""
    return (f"{named} and {more} more" if more else named) + places


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MANY]) + (f" and {len(names) - _MANY} more" if len(names) > _MANY else "")


def _cell(text: str) -> str:
    if not text:
        return "–"
    escaped = html.escape(" ".join(text.split()), quote=False).replace("|", "&#124;")
    return f"<code>{escaped}</code>"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _text_of(cause: Cause, verdict: Verdict, locations: Locations) -> Iterator[str]:
    finding = cause.first
    subject = f"{', '.join(cause.subjects)}: " if cause.subjects else ""
    places = f" ({cause.places})" if cause.places else ""
    mark = _accepted_mark(cause, verdict)
    yield f"{finding.level:<4}  {subject}{finding.words}{places}  [{finding.rule.id}]{mark}"
    yield f"      {finding.rule.purpose} {finding.rule.effect}"
    yield f"      before: {_short(finding.before) or '–'}"
    yield f"      after:  {_short(finding.after) or '–'}"
    if finding.witness:
        document = compact_json(shortened(finding.witness.document))
        yield f"      {witness_words(finding.witness)}: {_short(document)}"
    elif finding.level == "ERR":
        yield f"      {_STATEMENT}"
    if finding.lowered_because:
        yield f"      WARN at most: {finding.lowered_because}"
    if place := locations.of(finding):
        yield f"      {place[0]}:{place[1]}"


def _accepted_mark(cause: Cause, verdict: Verdict) -> str:
    return " accepted" if cause.fingerprint in verdict.accepted else ""


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    half = _SHOWN // 2
    return flat if len(flat) <= _SHOWN else f"{flat[:half]} … {flat[-half:]}"


def _annotation(command: str, place: tuple[str, int] | None, title: str, message: str) -> str:
    where = f"file={_property(place[0])},line={place[1]}," if place else ""
    return f"::{command} {where}title={_property(title)}::{_message(message)}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
