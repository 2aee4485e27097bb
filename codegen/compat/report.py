"""Print the gate's verdict: text, JSON, CI annotations, and a pull request comment."""

import difflib
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from vcontract.codegen.compat.findings import Cause
from vcontract.codegen.compat.locations import Locations
from vcontract.codegen.compat.rules import LEVELS, Level
from vcontract.codegen.compat.verdict import ACCEPTANCES, Acceptance, Verdict, verdict_of
from vcontract.codegen.documents import JsonObject, JsonValue, compact_json, is_array, is_object
from vcontract.codegen.problems import Problem
from vcontract.codegen.validate import load_sound_spec

_SHOWN: Final = 160
"""Longer values are cut in the middle, in text and annotations."""

_NAMED: Final = 3
"""Maximum tools in a comment's heading."""

_LONG: Final = 200
_MANY: Final = 5
"""Longer texts and arrays of a witness are cut for display."""

_FOLDED: Final = 400
"""Longer documents in a comment are collapsed."""

_COMMENT: Final = 55_000
"""Comments are limited to 65,536 characters; the rest is in the HTML report."""
_MIN_PARTS: Final = 3
"""Head and first section, which are always kept."""

_COMMANDS: Final = {"ERR": "error", "WARN": "warning", "INFO": "notice"}

_HEADINGS: Final[dict[Level, str]] = {
    "ERR": "ERR: breaks what was promised",
    "WARN": "WARN: needs a person",
    "INFO": "INFO: for the record",
}

_STATEMENT: Final = "This is a statement: no single call or answer shows it."

_WITNESSES: Final = {
    "arguments": "This call was accepted and is refused",
    "response": "This answer was not possible and now is",
    "document": "This document was accepted and is refused",
}


def witness_words(witness: JsonObject) -> str:
    """Describe what the witness shows."""
    return next(words for member, words in _WITNESSES.items() if member in witness)


def shortened(value: JsonValue) -> JsonValue:
    """Cut long texts and arrays, with their lengths."""
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:20]}… ({len(value)} characters)"
    if is_array(value):
        kept = [shortened(entry) for entry in value[:_MANY]]
        return [*kept, f"… ({len(value)} entries)"] if len(value) > _MANY else kept
    if not is_object(value):
        return value
    shown = [*value][: _MANY if len(value) > 2 * _MANY else None]
    members = {name: shortened(value[name]) for name in shown}
    return members if len(shown) == len(value) else {**members, "…": f"{len(value)} members"}


def counts(verdict: Verdict) -> str:
    """`1 ERR, 2 WARN, 0 INFO, 3 texts that models read`."""
    found = Counter(
        "words" if cause.first.rule.read_by_model else cause.first.level for cause in verdict.causes
    )
    levels = ", ".join(f"{found[level]} {level}" for level in LEVELS)
    return f"{levels}, {_number(found['words'], 'text')} that models read"


def summary(verdict: Verdict) -> list[str]:
    """Summarize in three lines: what breaks, for whom, and the required version."""
    breaks = verdict.breaks
    if not breaks:
        warned = sum(cause.first.level == "WARN" for cause in verdict.causes)
        needs = f"No version is needed: {verdict.after} may be released after {verdict.promised}."
        idle = f"{ACCEPTANCES} accepts what is no break; remove it."
        needs = _lowered(verdict) if verdict.is_lowered else needs
        judged = f"For a person to judge: {_number(warned, 'warning')}."
        return ["Nothing breaks.", judged, idle if verdict.idle else needs]
    first = breaks[0].first
    more = f", and {_number(len(breaks) - 1, 'other break')}" if len(breaks) > 1 else ""
    names = list(dict.fromkeys(name for cause in breaks for name in cause.subjects or ["all clients"]))
    others = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    accepted = f", and {len(verdict.accepted)} of {len(breaks)} accepted" if verdict.accepted else ""
    return [
        f"{_number(len(breaks), 'break')}: {first.words} ({first.rule.purpose.rstrip('.').lower()}){more}.",
        f"Whom it hurts: users of {', '.join(names[:_MANY])}{others}. {first.rule.effect}",
        f"It needs version {verdict.wanted_version}; spec/server.yaml says {verdict.after}{accepted}.",
    ]


def _lowered(verdict: Verdict) -> str:
    return f"The version is lowered: spec/server.yaml says {verdict.after}, {verdict.promised} is released."


def acceptance_line(cause: Cause) -> str:
    """Entry of spec/compat.yaml that accepts a cause, without the reason."""
    rule, *named = [*cause.named, "…"]
    texts = zip(("tool", "path", "fingerprint", "reason"), map(compact_json, named), strict=True)
    return f"- {{rule: {rule}, {', '.join(f'{name}: {text}' for name, text in texts)}}}"


def outcome(verdict: Verdict) -> Iterator[str]:
    """Yield the outcome, and for a failure the reason and what to do."""
    if verdict.refused:
        yield f"Refused: {_number(len(verdict.refused), 'break')} of what {verdict.promised} promised."
        if not verdict.version_allows_breaks:
            needed = f"{verdict.after} becomes {verdict.wanted_version} or higher"
            yield f"Breaks need a higher version: in spec/server.yaml, {needed}."
        if lines := _acceptances(verdict):
            yield f"Undo the breaks that you do not want. Accept the others, with reasons, in {ACCEPTANCES},"
            yield "as entries of acceptances (without its []):"
            yield from (f"  {line}" for line in lines)
    for cause in verdict.unannounced:
        yield f"{', '.join(cause.subjects)} must be deprecated in a release before it is removed."
    yield from [_lowered(verdict)] if verdict.is_lowered else ()
    yield from (f"{ACCEPTANCES}:{line}: {_idle(one)}; remove it" for one, line in verdict.idle.items())
    if verdict.passes:
        yield f"Passes: nothing breaks what {verdict.promised} promised, except as accepted."


def _acceptances(verdict: Verdict) -> list[str]:
    return [acceptance_line(one) for one in verdict.refused if one.fingerprint not in verdict.accepted]


def text_report(verdict: Verdict, locations: Locations) -> str:
    versions = f"contract {verdict.before} ({verdict.base}) -> {verdict.after}: {counts(verdict)}"
    all_causes, is_release = verdict.causes, verdict.is_default
    listed = [cause for cause in all_causes if cause.first.level != "INFO"] if is_release else all_causes
    causes = [line for cause in listed for line in (*_text_of(cause, verdict, locations), "")]
    left = len(all_causes) - len(listed)
    more = [f"{_number(left, 'other change')}, not listed; BASE={verdict.base} lists them"]
    return (
        "\n".join([*summary(verdict), versions, "", *causes, *(more if left else ()), *outcome(verdict)])
        + "\n"
    )


def annotations_report(verdict: Verdict, locations: Locations) -> str:
    """Print CI annotations, one per cause, at the lines of the spec."""
    lines: list[str] = []
    for cause in verdict.causes:
        first, message = cause.first, "\n".join(_text_of(cause, verdict, locations))
        title = f"{first.level} {first.rule.id}{verdict.mark(cause)}"
        lines.append(_annotation(_COMMANDS[first.level], locations.of(first), title, message))
    for one, line in verdict.idle.items():
        title = "An acceptance that matches nothing"
        lines.append(_annotation("error", (ACCEPTANCES, line), title, f"{_idle(one)}; remove it"))
    return "".join(lines)


def comment(verdict: Verdict, locations: Locations) -> str:
    """Print a Markdown comment: three lines, then a section per level."""
    what, whom, version = summary(verdict)
    parts = [
        f"**{'✅' if verdict.passes else '❌'} {what}**  \n{whom}  \n{version}",
        f"Contract {verdict.before} → {verdict.after}, compared with `{verdict.base}`: {counts(verdict)}.",
    ]
    if lines := "\n".join(_acceptances(verdict)):
        needs = f"version {verdict.wanted_version} or higher in spec/server.yaml, and in {ACCEPTANCES}"
        parts.append(f"To accept what is wanted: {needs}:\n\n```yaml\n{lines}\n```")
    words = [cause for cause in verdict.causes if cause.first.rule.read_by_model]
    for level, heading in _HEADINGS.items():
        found = [cause for cause in verdict.causes if cause.first.level == level and cause not in words]
        if found and level == "INFO":
            parts.append(_folded(heading, "\n".join(map(_row, found))))
        elif found:
            parts += [
                f"## {heading}",
                *(part for cause in found for part in _section(cause, verdict, locations)),
            ]
    if words:
        parts.append(_folded("What the model reads", "\n\n".join(map(_words, words))))
    while sum(map(len, parts)) > _COMMENT and len(parts) > _MIN_PARTS:
        parts = [*parts[:-2], "More is in the HTML report, an artifact of this run."]
    return "\n\n".join(parts) + "\n"


REPORTS: Final[Mapping[str, Callable[[Verdict, Locations], str]]] = {
    "text": text_report,
    "annotations": annotations_report,
    "markdown": comment,
}
"""Output formats of the command line."""


def breaking(root: Path, against: str | None, form: str) -> tuple[str, bool]:
    """Compare the spec with a git ref, a folder, or by default the last release.

    Returns the report, and whether the spec passes. Raises: SpecError, NoStateError.
    """
    spec = load_sound_spec(root)
    verdict = verdict_of(root, spec, against)
    return REPORTS[form](verdict, Locations(spec)), verdict.passes


def problems_report(problems: Sequence[Problem], form: str) -> str:
    """Report problems of a spec that cannot be compared, in CI formats; empty in others."""
    if form == "annotations":
        return "".join(_annotation("error", (one.file, one.line), one.id, one.message) for one in problems)
    found = [
        f"- `{one.file}:{one.line}` {one.id}: {html.escape(one.message, quote=False)}" for one in problems
    ]
    head = "**❌ The spec has problems, and is not compared.**"
    return "\n".join([head, "", *found]) + "\n" if form == "markdown" else ""


def _section(cause: Cause, verdict: Verdict, locations: Locations) -> Iterator[str]:
    finding, accepted = cause.first, verdict.accepted.get(cause.fingerprint)
    yield f"### {_subject(cause)}: {finding.words}"
    place = locations.of(finding)
    where = f" in `{place[0]}:{place[1]}`" if place else ""
    yield f"{finding.rule.purpose} **{finding.rule.effect}** `{finding.rule.id}`{where}"
    if len(cause.subjects) > _NAMED:
        yield _folded(cause.places, ", ".join(f"`{one.tool}` {one.path}" for one in cause.findings))
    yield f"| before | after |\n|---|---|\n| {_cell(finding.before)} | {_cell(finding.after)} |"
    if finding.witness:
        document = json.dumps(shortened(finding.witness), indent=2, ensure_ascii=False)
        title, block = f"{witness_words(finding.witness)}:", f"```json\n{document}\n```"
        yield f"{title}\n\n{block}" if len(document) <= _FOLDED else _folded(title, block)
    elif finding.level == "ERR":
        yield _STATEMENT
    if finding.lowered_because:
        yield f"Only a warning: {finding.lowered_because}."
    if accepted:
        yield f"{'✅ ' if verdict.version_allows_breaks else ''}Accepted: {accepted.reason}"


def _row(cause: Cause) -> str:
    finding = cause.first
    change = " → ".join(filter(None, (_cell(_short(finding.before)), _cell(_short(finding.after)))))
    return f"- {_subject(cause)}: {finding.words}. {finding.rule.purpose} {change}"


def _words(cause: Cause) -> str:
    """Show a changed text, one sentence a line."""
    texts = cause.first.before, cause.first.after
    old, new = (text.replace(". ", ".\n").splitlines() for text in texts)
    difference = list(difflib.unified_diff(old, new, n=100, lineterm=""))[2:]
    shown = "\n".join(line for line in difference if not line.startswith("@@"))
    fence = "`" * max(4, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"**{_subject(cause)}**, {cause.first.words}\n\n{fence}diff\n{shown}\n{fence}"


def _subject(cause: Cause) -> str:
    named = ", ".join(f"`{name}`" for name in cause.subjects[:_NAMED]) or "all tools"
    more = f" and {len(cause.subjects) - _NAMED} more" if len(cause.subjects) > _NAMED else ""
    return named + more + (f" ({cause.places})" if cause.places else "")


def _cell(text: str) -> str:
    if not text:
        return "–"
    escaped = html.escape(" ".join(text.split()), quote=False).replace("|", "&#124;")
    return f"<code>{escaped}</code>"


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _idle(acceptance: Acceptance) -> str:
    named = f"{acceptance.rule} of {acceptance.tool}, {acceptance.path} ({acceptance.fingerprint})"
    return f"accepts {named}, which is no break here"


def _text_of(cause: Cause, verdict: Verdict, locations: Locations) -> Iterator[str]:
    finding = cause.first
    subject = f"{', '.join(cause.subjects)}: " if cause.subjects else ""
    places = f" ({cause.places})" if cause.places else ""
    rule = f"[{finding.rule.id}]{verdict.mark(cause)}"
    yield f"{finding.level:<4}  {subject}{finding.words}{places}  {rule}"
    yield f"      {finding.rule.purpose} {finding.rule.effect}"
    yield f"      before: {_short(finding.before) or '–'}"
    yield f"      after:  {_short(finding.after) or '–'}"
    if finding.witness:
        yield f"      {witness_words(finding.witness)}: {_short(compact_json(finding.witness))}"
    elif finding.level == "ERR":
        yield f"      {_STATEMENT}"
    if finding.lowered_because:
        yield f"      WARN at most: {finding.lowered_because}"
    if place := locations.of(finding):
        yield f"      {place[0]}:{place[1]}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    half = _SHOWN // 2
    return flat if len(flat) <= _SHOWN else f"{flat[:half]} … {flat[-half:]}"


def _annotation(command: str, place: tuple[str, int] | None, title: str, message: str) -> str:
    def escaped(text: str, *others: str) -> str:
        for sign in ("%", "\r", "\n", *others):
            text = text.replace(sign, f"%{ord(sign):02X}")
        return text

    where = f"file={escaped(place[0], ':', ',')},line={place[1]}," if place else ""
    return f"::{command} {where}title={escaped(title, ':', ',')}::{escaped(message)}\n"
