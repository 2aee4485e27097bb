"""The report for a pull request, in Markdown: ERR, WARN, INFO, and what the model reads."""

import difflib
import html
import json
import re
from collections.abc import Iterator, Sequence

from vcontract.codegen.compat.report import (
    Group,
    acceptance_line,
    counts,
    groups,
    outcome,
    shortened,
    witness_words,
)
from vcontract.codegen.compat.rule import Level
from vcontract.codegen.compat.state import ACCEPTANCES
from vcontract.codegen.compat.verdict import Verdict
from vcontract.codegen.problems import Problem

_HEADINGS: dict[Level, str] = {
    "ERR": "ERR: breaks what was promised",
    "WARN": "WARN: needs a person",
    "INFO": "INFO: for the record",
}
_LONG = 400
"""A longer document is folded away."""
_MANY = 20
"""A longer table is folded away."""


def markdown_problems(problems: Sequence[Problem]) -> str:
    """What has to be mended before the contract can be compared."""
    found = [
        f"- `{problem.file}:{problem.line}` {problem.id}: {html.escape(problem.message, quote=False)}"
        for problem in problems
    ]
    return "\n".join(["# ❌ The spec has problems, and is not compared", "", *found]) + "\n"


def markdown_report(verdict: Verdict) -> str:
    """The whole report; a section without findings is left out."""
    changes = [finding for finding in verdict.findings if not finding.rule.read_by_model]
    words = [finding for finding in verdict.findings if finding.rule.read_by_model]
    parts = [
        f"# {'✅' if verdict.passes else '❌'} The contract, {verdict.before} → {verdict.after}",
        f"Compared with `{verdict.base}`: {counts(verdict)}.",
        "> " + "  \n> ".join(line.rstrip(":") for line in outcome(verdict) if not line.startswith("  ")),
    ]
    for level, heading in _HEADINGS.items():
        found = groups([finding for finding in changes if finding.level == level])
        if found:
            parts += [f"## {heading}", *(_table(found) if level == "INFO" else _sections(found, verdict))]
    if words:
        parts += ["## What the model reads", *(_words(group) for group in groups(words))]
    return "\n\n".join(parts) + "\n"


def _sections(found: Sequence[Group], verdict: Verdict) -> Iterator[str]:
    for group in found:
        finding = group.first
        yield f"### {_subject(group)}: {finding.words}"
        yield f"`{finding.rule.id}` {finding.rule.purpose} **{finding.rule.effect}**"
        yield f"| before | after |\n|---|---|\n| {_cell(finding.before)} | {_cell(finding.after)} |"
        if finding.witness:
            document = json.dumps(shortened(finding.witness.document), indent=2, ensure_ascii=False)
            yield _folded(f"{witness_words(finding.witness)}:", document)
        if finding.lowered_because:
            yield f"Only a warning: {finding.lowered_because}."
        if finding.level == "ERR":
            yield _acceptance(group, verdict)


def _acceptance(group: Group, verdict: Verdict) -> str:
    accepted = verdict.accepted.get(group.first.fingerprint)
    if accepted and verdict.version_allows_breaks:
        return f"✅ Accepted: {accepted.reason}"
    if accepted:
        return (
            f"Accepted ({accepted.reason}), but version {verdict.after} does not allow it: "
            f"{verdict.wanted_version} would."
        )
    lines = "\n".join(acceptance_line(finding) for finding in group.findings)
    return (
        f"To accept it: version {verdict.wanted_version} or higher in `spec/server.yaml`, "
        f"and in `{ACCEPTANCES}`:\n\n```yaml\n{lines}\n```"
    )


def _table(found: Sequence[Group]) -> Iterator[str]:
    rows = [
        f"| {_subject(group)} | {group.first.words.replace('|', chr(92) + '|')} | {group.first.rule.purpose} "
        f"| {_cell(group.first.before)} | {_cell(group.first.after)} |"
        for group in found
    ]
    table = "\n".join(["| tool | where | what | before | after |", "|---|---|---|---|---|", *rows])
    many = f"<details><summary>{len(rows)} changes</summary>\n\n{table}\n\n</details>"
    yield many if len(rows) > _MANY else table


def _words(group: Group) -> str:
    finding = group.first
    difference = difflib.unified_diff(_lines(finding.before), _lines(finding.after), n=100, lineterm="")
    lines = list(difference)[2:]  # the names of files, which there are not
    shown = "\n".join(line for line in lines if not line.startswith("@@"))
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * max(4, longest + 1)
    return f"**{_subject(group)}**, {finding.words}\n\n{fence}diff\n{shown}\n{fence}"


def _lines(text: str) -> list[str]:
    """A text in sentences, so that a difference shows the sentence that changed."""
    return [line for part in text.splitlines() for line in part.replace(". ", ".\n").splitlines()]


def _subject(group: Group) -> str:
    tools = [f"`{tool}`" for tool in group.tools]
    if not tools:
        return "all tools"
    return ", ".join(tools) if len(tools) <= 3 else f"{', '.join(tools[:3])} and {len(tools) - 3} more"


def _cell(text: str) -> str:
    if not text:
        return "–"
    escaped = html.escape(" ".join(text.split()), quote=False).replace("|", "&#124;")
    return f"<code>{escaped}</code>"


def _folded(summary: str, document: str) -> str:
    block = f"```json\n{document}\n```"
    if len(document) <= _LONG:
        return f"{summary}\n\n{block}"
    return f"<details><summary>{summary}</summary>\n\n{block}\n\n</details>"
