"""Secrets are replaced in the strings of a line, and nothing else changes."""

import base64
import json
import re
from pathlib import Path

import pytest

from vcontract.runtime.imports.transcripts.lines import Line
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.imports.transcripts.secrets import Form, forms

LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"
SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "transcripts"
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
        ("PuTTY-User-Key-File-2: x\nA\nPrivate-MAC: 0a1b\nend", "[REDACTED:private-key]\nend"),
        ("postgres://ann:p@ssW0rdXY@db/x", "postgres://ann:[REDACTED:url-password]@db/x"),
        ("X-Api-Key: a8b7c6d5e4f3a2b1", "X-Api-Key: [REDACTED:header]"),
        ("authorization: token a8b7c6d5e4f3a2b1", "authorization: token [REDACTED:header]"),
        ("Cookie: sid=abc123; theme=dark", "Cookie: [REDACTED:cookie]"),
        ("Set-Cookie: sid=abc123; Path=/", "Set-Cookie: [REDACTED:cookie]"),
        ("curl -u ann:hunter https://a.example", "curl -u ann:[REDACTED:password] https://a.example"),
        ("curl --user 'ann:hunter'", "curl --user 'ann:[REDACTED:password]'"),
        ("sshpass -p hunter ssh a", "sshpass -p [REDACTED:password] ssh a"),
        (f"AccountName=x;AccountKey={'a1' * 43}==", "AccountName=x;AccountKey=[REDACTED:azure-key]"),
        (
            "https://a.example/b?sv=1&sig=abcDEF0123%2Babcd",
            "https://a.example/b?sv=1&sig=[REDACTED:url-secret]",
        ),
        ("DB_PASSWORD=hunter2", "DB_PASSWORD=[REDACTED:secret]"),
        ("a\n  password: Tr0ub4dor&3;\nb", "a\n  password: [REDACTED:secret]\nb"),
        ("mysql --password hunter2 db", "mysql --password [REDACTED:secret] db"),
        ("Server=x;Password=P@ss1;Pooling=true", "Server=x;Password=[REDACTED:secret];Pooling=true"),
        ('{\\"password\\": \\"s3cret\\"}', '{\\"password\\": \\"[REDACTED:secret]\\"}'),
        ("client_secret='abc123def456ghi789'", "client_secret='[REDACTED:secret]'"),
        (f"aws_secret_access_key = {LETTERS}/+ab", "aws_secret_access_key = [REDACTED:secret]"),
        (
            "HEROKU_API_KEY=12345678-1234-4abc-8def-1234567890ab",
            "HEROKU_API_KEY=[REDACTED:secret]",
        ),
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
        "The password: see below, in section 12.",
        "max_tokens=4096, token_count: 12345678901234",
        "token = get_token('a1b2c3d4e5f6g7')",
        "password = os.environ['DB_PASSWORD_2']",
        '{"type": "password", "token": "string"}',
        "use --password to set it and --token <TOKEN>",
        "api_key=YOUR_API_KEY_1234 password=changeme",
        "secret_name='my-secret-1' token_url=https://a1.example/b2c3d4",
        "Cookie: a small file",
        "Authorization: required of everybody",
        "next_token=abc123def456ghi789",
        "expires token: 2024-01-02T03:04:05",
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


def written_out(form: str) -> str:
    """An example of a form, with the parts in braces as secrets.txt defines them."""
    kinds = {
        "hex": "0a1b2c3d4e5f6789",
        "up": "A2B3C4D5E6F7",
        "low": "a2b3c4d5e6f7",
        "no": "1234567890",
        "": LETTERS,
    }
    return re.sub(
        r"\{(?:([a-z]+) )?([0-9]+)\}",
        lambda found: (kinds[found[1] or ""] * 30)[: int(found[2])],
        form,
    )


def test_every_form_replaces_its_example_and_leaves_what_is_like_it() -> None:
    def reported(form: Form) -> list[str]:
        secret, redactor = written_out(form.example), Redactor()
        shown = [
            redactor.text(f"{before}{secret}{after}")
            for before, after in (("", ""), ("k=", " b"), ('("', '")'))
        ]
        faults = [text for text in shown if secret in text or f"[REDACTED:{form.kind}]" not in text]
        return faults + (
            [form.unlike] if Redactor().text(f"see {form.unlike} b") != f"see {form.unlike} b" else []
        )

    assert len(forms()) > 100
    assert {f"{form.kind} {form.starts}": faults for form in forms() if (faults := reported(form))} == {}


def test_members_are_secrets_by_their_names() -> None:
    members = {"password": "hunter2", "user": "ann2", "Cookie": "sid=1", "apiKey": LETTERS, "token": "none"}
    redactor = Redactor()
    line = redactor.line(Line(1, json.dumps({"input": members}).encode()))
    assert json.loads(line.raw)["input"] == {
        "password": "[REDACTED:secret]",
        "user": "ann2",
        "Cookie": "[REDACTED:secret]",
        "apiKey": "[REDACTED:secret]",
        "token": "none",
    }
    assert redactor.total == 3


def test_a_mark_that_is_written_with_an_escaped_slash_is_found() -> None:
    raw = b'{"a": "https:\\/\\/ann:s3cret@a.example"}'
    assert b"url-password" in Redactor().line(Line(1, raw)).raw


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample transcripts are not here")
def test_of_ten_thousand_words_of_real_sessions_less_than_one_is_taken_for_a_secret() -> None:
    words, redactor = 0, Redactor()
    for path in sorted(SAMPLES.rglob("*.jsonl")):
        for number, raw in enumerate(path.read_bytes().splitlines()):
            words += len(raw.split())
            redactor.line(Line(number, raw))
    assert words > 100_000
    assert redactor.total * 10_000 < words
