"""Secrets are replaced in the strings of a line, and nothing else changes."""

import base64
import json

import pytest

from vcontract.runtime.imports.transcripts.lines import Line
from vcontract.runtime.imports.transcripts.redaction import Redactor

LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"
BASIC = base64.b64encode(b"ann:secret-word").decode()


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"token ghp_{LETTERS} here", "token [REDACTED:github-token] here"),
        (f"github_pat_{LETTERS}", "[REDACTED:github-token]"),
        (f"key=sk-ant-api03-{LETTERS}", "key=[REDACTED:anthropic-key]"),
        (f"sk-proj-{LETTERS}", "[REDACTED:openai-key]"),
        ("AKIA" + "ABCDEFGHIJKLMNOP", "[REDACTED:aws-key]"),
        (f"AIza{LETTERS[:35]}", "[REDACTED:google-key]"),
        (f"xoxb-{LETTERS}", "[REDACTED:slack-token]"),
        (f"Authorization: Bearer {LETTERS}", "Authorization: Bearer [REDACTED:bearer]"),
        (f"Authorization: Basic {BASIC}", "Authorization: Basic [REDACTED:basic]"),
        ("postgres://ann:pass-word@db/x", "postgres://ann:[REDACTED:url-password]@db/x"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nend",
            "[REDACTED:private-key]\nend",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIabc", "[REDACTED:private-key]"),
    ],
)
def test_a_secret_is_replaced(text: str, redacted: str) -> None:
    redactor = Redactor()
    line = redactor.line(Line(7, json.dumps({"content": [text]}).encode()))
    assert (line.number, json.loads(line.raw)) == (7, {"content": [redacted]})
    assert redactor.total == 1


@pytest.mark.parametrize(
    "text",
    [
        "Basic authentication needs a name.",
        "the bearer of this letter",
        "sk-learn and risk-free-looking-words",
        "https://example.org/a:b@c",
        "ghp_short",
        "postgres://ann:${PASSWORD}@db/x",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    line = Line(1, json.dumps({"text": text}).encode())
    redactor = Redactor()
    assert redactor.line(line) is line
    assert redactor.total == 0


def test_a_broken_line_is_redacted_as_text() -> None:
    line = Redactor().line(Line(1, f'{{"a": "ghp_{LETTERS}'.encode()))
    assert line.raw == b'{"a": "[REDACTED:github-token]'


def test_a_secret_written_with_escapes_is_found() -> None:
    raw = b'{"a": "\\u0067hp_' + LETTERS.encode() + b'"}'
    assert b"REDACTED" in Redactor().line(Line(1, raw)).raw
