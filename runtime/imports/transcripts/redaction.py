"""Redaction: secrets in the strings of a line replaced, before anything of it is written anywhere."""

import base64
import binascii
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from vcontract.runtime.documents.json import JsonValue, MalformedJson
from vcontract.runtime.documents.values import is_array, is_object
from vcontract.runtime.imports.transcripts.lines import Line, as_line

_END: Final = r"(?![A-Za-z0-9_])"
_START: Final = r"(?<![A-Za-z0-9_])"

_SECRETS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    (
        "private-key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r".*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    (
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _START + r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})" + _END,
    ),
    ("gitlab-token", ("glpat-", "glptt-", "glrt-"), _START + r"gl(?:pat|ptt|rt)-[A-Za-z0-9_-]{20,}"),
    ("anthropic-key", ("sk-ant-",), _START + r"sk-ant-[A-Za-z0-9_-]{16,}"),
    (
        "openai-key",
        ("sk-",),
        _START + r"sk-[A-Za-z0-9_-]{20,}+",
    ),
    ("aws-key", ("AKIA", "ASIA"), _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}" + _END),
    ("google-key", ("AIza",), _START + r"AIza[A-Za-z0-9_-]{35}"),
    ("slack-token", ("xox",), _START + r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("stripe-key", ("k_live_", "k_test_"), _START + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("huggingface-token", ("hf_",), _START + r"hf_[A-Za-z0-9]{30,}" + _END),
    ("npm-token", ("npm_",), _START + r"npm_[A-Za-z0-9]{36}" + _END),
    ("pypi-token", ("pypi-",), _START + r"pypi-[A-Za-z0-9_-]{50,}"),
    ("sendgrid-key", ("SG.",), _START + r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("digitalocean-token", ("_v1_",), _START + r"do[opr]_v1_[a-f0-9]{64}" + _END),
    (
        "bearer",
        ("earer", "EARER"),
        r"(?i:\bbearer[ \t]+)(?=[A-Za-z0-9._~+/-]*[0-9])[A-Za-z0-9._~+/-]{16,}=*",
    ),
    ("basic", ("asic", "ASIC"), r"(?i:\bbasic[ \t]+)[A-Za-z0-9+/]{8,}={0,2}"),
    ("url-password", ("://",), r"(?<=://)([^\s:/@\"'<>]*):([^\s/@\"'<>\[\]{}$]+)@"),
)
"""Each secret with the marks of which one must stand in a text for it to be looked for."""

_PATTERNS: Final = tuple((kind, marks, re.compile(pattern, re.DOTALL)) for kind, marks, pattern in _SECRETS)
_DIGIT: Final = re.compile(r"[0-9]")
_ESCAPES: Final = b"\\u00"
"""JSON may write any character as an escape, those of the marks too."""
_MARKS: Final = (*(mark.encode() for _, marks, _ in _SECRETS for mark in marks), _ESCAPES)


@dataclass(slots=True)
class Redactor:
    """Replaces secrets by `[REDACTED:<kind>]` and counts them; lines keep their numbers."""

    counts: Counter[str] = field(default_factory=Counter[str])

    @property
    def total(self) -> int:
        return self.counts.total()

    def line(self, line: Line) -> Line:
        """The line without secrets; the line itself when it has none."""
        if not any(mark in line.raw for mark in _MARKS):
            return line
        before = self.total
        try:
            value = self._value(line.value())
        except MalformedJson:
            text = self.text(line.raw.decode("utf-8", "surrogateescape"))
            return Line(line.number, text.encode("utf-8", "surrogateescape"), line.ended)
        return line if self.total == before else as_line(line, value)

    def text(self, text: str) -> str:
        """The text without secrets."""
        for kind, marks, pattern in _PATTERNS:
            if any(mark in text for mark in marks):
                text = pattern.sub(partial(self._replacement, kind), text)
        return text

    def _replacement(self, kind: str, found: re.Match[str]) -> str:
        kept = ""
        if kind == "openai-key" and not _DIGIT.search(found[0]):
            return found[0]  # words of a sentence, such as risk-of-something
        if kind == "url-password":
            kept = f"{found[1]}:"
        elif kind in ("bearer", "basic"):
            scheme, credentials = found[0].split(None, 1)
            if kind == "basic" and not _are_credentials(credentials):
                return found[0]
            kept = f"{scheme} "
        self.counts[kind] += 1
        return f"{kept}[REDACTED:{kind}]" + ("@" if kind == "url-password" else "")

    def _value(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self.text(value)
        if is_array(value):
            return [self._value(element) for element in value]
        if is_object(value):
            return {self.text(name): self._value(member) for name, member in value.items()}
        return value


def _are_credentials(text: str) -> bool:
    """Whether this is base64 of `name:password`, as the scheme has it; a word of a sentence is not."""
    try:
        return b":" in base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False
