"""Redact secrets in lines before anything is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from vcontract.runtime.frame.documents.json import JsonValue, MalformedJson
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.imports.transcripts.lines import Line, with_value
from vcontract.runtime.imports.transcripts.secrets import Found, Rule, is_named_secret, rules


@dataclass(slots=True)
class Redactor:
    """Replaces secrets by `[REDACTED:<kind>]` and counts them. Line numbers do not change."""

    counts: Counter[str] = field(default_factory=Counter[str])

    @property
    def total(self) -> int:
        return self.counts.total()

    def line(self, line: Line) -> Line:
        """Return the line without secrets."""
        possible = _possible(line.raw)
        if not possible:
            return line
        before = self.total
        try:
            value = self._value(line.value(), possible)
        except MalformedJson:
            text = self.text(line.raw.decode("utf-8", "surrogateescape"))
            return Line(line.number, text.encode("utf-8", "surrogateescape"), line.ended)
        return line if self.total == before else with_value(line, value)

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        return self._text(text, rules())

    def _text(self, text: str, possible: Sequence[Rule]) -> str:
        folded = text.lower()
        for rule in possible:
            if rule.may_stand_in(text, folded):
                text = rule.pattern.sub(partial(self._replacement, rule), text)
        return text

    def _replacement(self, rule: Rule, found: Found) -> str:
        if not rule.is_secret(found):
            return found[0]
        self.counts[rule.kind] += 1
        start, end = found.span("secret" if "secret" in rule.pattern.groupindex else 0)
        return (
            found.string[found.start() : start] + f"[REDACTED:{rule.kind}]" + found.string[end : found.end()]
        )

    def _value(self, value: JsonValue, possible: Sequence[Rule]) -> JsonValue:
        if isinstance(value, str):
            return self._text(value, possible)
        if is_array(value):
            return [self._value(element, possible) for element in value]
        if is_object(value):
            return {
                self._text(name, possible): self._member(name, member, possible)
                for name, member in value.items()
            }
        return value

    def _member(self, name: str, value: JsonValue, possible: Sequence[Rule]) -> JsonValue:
        redacted = self._value(value, possible)
        if isinstance(redacted, str) and is_named_secret(name, redacted):
            self.counts["secret"] += 1
            return "[REDACTED:secret]"
        return redacted


def _possible(raw: bytes) -> Sequence[Rule]:
    """Rules whose marks a line may contain. JSON can escape any character of a mark."""
    if b"\\u00" in raw or b"\\/" in raw:
        return rules()
    text = raw.decode("latin-1")
    folded = text.lower()
    return [rule for rule in rules() if rule.may_stand_in(text, folded)]
