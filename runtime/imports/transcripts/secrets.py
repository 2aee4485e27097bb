"""Patterns of secrets: known forms, and names that precede secret values."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_WORD: Final = "[A-Za-z0-9_]"
_COLUMNS: Final = re.compile(r" {2,}")

Found = re.Match[str]


@dataclass(frozen=True, slots=True)
class Form:
    """Form of one kind of secret; see secrets.txt."""

    kind: str
    starts: tuple[str, ...]
    """Prefixes, one of which must occur before the pattern is tried."""
    then: str
    is_whole: bool
    """Whether `then` includes the prefix."""
    example: str
    unlike: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern of secrets, with a check against look-alikes."""

    kind: str
    marks: tuple[str, ...]
    """Texts of which one must occur."""
    pattern: re.Pattern[str]
    """The group `secret` is replaced, or the whole match without one."""
    is_secret: Callable[[Found], bool]
    folds: bool = False
    """Whether marks are searched in lowercased text."""

    def may_stand_in(self, text: str, folded: str) -> bool:
        return any(map((folded if self.folds else text).__contains__, self.marks))


@cache
def forms() -> tuple[Form, ...]:
    """Forms in secrets.txt."""
    table = files("vcontract.runtime.imports.transcripts").joinpath("secrets.txt").read_text(encoding="utf-8")
    lines = (line for line in table.splitlines() if line and not line.startswith("#"))
    return tuple(_form(*_COLUMNS.split(line)[:5]) for line in lines)


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in order: keys that may contain other secrets, known forms, names."""
    return (*_BLOCKS, *_of_forms(), *_IN_CONTEXT, *_NAMED)


def is_named_secret(name: str, value: str) -> bool:
    """Whether a member with this name and value is a secret."""
    if name.lower() in ("cookie", "set-cookie"):
        return "=" in value
    found = _NAME.search(name)
    return found is not None and _is_value(name, value)


def _always(_: Found) -> bool:
    return True


def _form(kind: str, starts: str, then: str, example: str, unlike: str) -> Form:
    is_whole = starts.startswith("*")
    return Form(kind, tuple(starts.removeprefix("*").split(",")), then, is_whole, example, unlike)


def _of_forms() -> Iterator[Rule]:
    for form in forms():
        # an unbounded form ends where its letters do
        end = "" if ",}" in form.then else f"(?!{_WORD})"
        is_secret = _has_digit if form.kind == "openai-key" else _always
        for start in form.starts:
            literal = re.escape(start)
            # first found by its prefix, then checked for what precedes it
            begin = f"(?<!{_WORD})" if form.is_whole else f"{literal}(?<!{_WORD}{literal})"
            yield Rule(form.kind, (start,), re.compile(begin + form.then + end), is_secret)


def _has_digit(found: Found) -> bool:
    """Whether it has a digit, unlike a sequence of words such as risk-of-something."""
    return any(letter.isdigit() for letter in found[0])


def _is_pair(found: Found) -> bool:
    """Whether this is base64 of `name:password`, unlike a word of a sentence."""
    text = found["secret"]
    try:
        return b":" in base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False


def _is_no_placeholder(found: Found) -> bool:
    return not _PLACEHOLDER.match(found["secret"])


def _is_named_value(found: Found) -> bool:
    before = _BEFORE.search(found.string, max(0, found.start() - 40), found.start())
    return _is_value((before[0] if before else "") + found["name"], found["secret"])


def _is_value_of_line(found: Found) -> bool:
    """Whether only the name precedes it."""
    begin = found.string.rfind("\n", 0, found.start()) + 1
    if found.start() - begin > 80:
        return False
    return _LINE.match(found.string[begin : found.start()]) is not None and _is_named_value(found)


def _is_value(name: str, value: str) -> bool:
    if _NO_SECRET.search(name) or _PLACEHOLDER.match(value) or _SHOWN.match(value):
        return False
    if any(letter.isspace() for letter in value):
        return False
    if _PASSWORD.search(name):
        return 4 <= len(value) <= 400 and _SIGN.search(value) is not None
    digits = sum(letter.isdigit() for letter in value)
    return _KEY.match(value) is not None and 2 <= digits < len(value) and len(set(value)) >= 8


_PASSWORDS: Final = r"passw(?:or)?d|passphrase|passcode|pwd"
_NAMES: Final = (
    rf"(?:{_PASSWORDS}|secret|token|credential|authorization"
    r"|(?:api|access|account|auth|client|encryption|master|private|shared|signing|license)[_-]?key)"
    r"[A-Za-z0-9_-]{0,24}"
)
_NAME: Final = re.compile(_NAMES, re.IGNORECASE)
_PASSWORD: Final = re.compile(_PASSWORDS, re.IGNORECASE)
_LINE: Final = re.compile(r"\A[ \t-]*(?:export[ \t]+)?[\w.-]*\Z")
_BEFORE: Final = re.compile(r"[A-Za-z0-9_.-]+\Z")
_NO_SECRET: Final = re.compile(
    r"(?:public|csrf|page|next|cancel|cancellation|continuation|stop|pad|eos|bos|special|design)[_-]?token"
    r"|tokens|tokeni[sz]e"
    r"|(?:[_-]|(?<=[a-z])(?=[A-Z]))(?i:id|name|url|uri|file|path|type|kind|count|length|size|limit|ttl|hash|digest"
    r"|field|label|prompt|env|var|expiry|expires|expiration|endpoint|policy|hint|status|version|ref|arn|usage"
    r"|budget|index|position|reset|manager|provider|service|store|rule|form|input)s?\Z"
)
"""Names that look like secrets but are not, such as a page token."""
_PLACEHOLDER: Final = re.compile(
    r"[\[<({$%@&]|\.{2}|[x*•_0.-]+\Z"
    r"|(?:your|my|the|some|an?|test|fake|dummy|sample|example|change|replace|insert)(?![a-z0-9])"
    r"|(?:changeme|none|null|nil|true|false|undefined|string|required|optional|hidden|redacted|removed|masked"
    r"|env|os|process|self|this|config|settings|request|response|args|params|data|input|options|secrets|vault"
    r"|getenv)(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(r"[0-9!@#$%^&*+=?~]")
_KEY: Final = re.compile(r"[A-Za-z0-9_+/=.~:-]{12,400}\Z")
_SHOWN: Final = re.compile(
    r"[\w.]+[(\[]|[a-z]+://|[~.]{0,2}/|[A-Za-z]:\\|[0-9]+(?:\.[0-9]+)*\Z|[0-9]{4}-[0-9]{2}-[0-9]{2}"
)
"""References instead of values: a call, an address, a path; also a number or date."""


def _in_context(kind: str, mark: str, pattern: str, is_secret: Callable[[Found], bool] = _always) -> Rule:
    return Rule(kind, (mark,), re.compile(pattern), is_secret, folds=True)


_BLOCKS: Final = (
    Rule(
        "private-key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
            r".*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
        _always,
    ),
    Rule(
        "private-key",
        ("PuTTY-User-Key-File",),
        re.compile(r"PuTTY-User-Key-File-[0-9]:.*?(?:Private-MAC: [0-9a-f]+|\Z)", re.DOTALL),
        _always,
    ),
)
_VALUE: Final = r"[^\s\"'`\\<>]"
_MARKS: Final = (
    "passw",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "authorization",
    "key",
)
_IN_CONTEXT: Final = (
    _in_context(
        "bearer",
        "bearer",
        r"(?i:\bbearer[ \t]+)(?=[A-Za-z0-9._~+/-]*[0-9])(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)",
    ),
    _in_context("basic", "basic", r"(?i:\bbasic[ \t]+)(?P<secret>[A-Za-z0-9+/]{8,}={0,2})", _is_pair),
    _in_context(
        "url-password",
        "://",
        r"(?<=://)[^\s:/@\"'<>?#]*:(?P<secret>[^\s/\"'<>\[\]{}$?#]+)@",
        _is_no_placeholder,
    ),
    _in_context(
        "url-secret",
        "=",
        r"(?i)[?&](?:access_token|api_?key|token|key|sig|signature|client_secret"
        r"|x-(?:amz|goog)-(?:signature|security-token))=(?P<secret>[A-Za-z0-9%._~+/-]{16,})",
        _has_digit,
    ),
    _in_context("azure-key", "key=", r"(?i)(?:account|sharedaccess)key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    _in_context(
        "cookie",
        "cookie",
        r"(?i)\b(?:set-)?cookie[ \t]*:[ \t]*(?P<secret>[A-Za-z0-9_.-]+=[^\s;\"'\\]+(?:;[ \t]*[^\s;\"'\\]+)*)",
        _is_no_placeholder,
    ),
    _in_context(
        "header",
        ":",
        r"(?i)\b(?:(?:proxy-)?authorization|private-token|api-?key"
        r"|x-[a-z0-9-]{0,40}(?:key|token|secret|auth|signature)[a-z0-9-]{0,20})[ \t]*:[ \t]*"
        rf"(?:(?:token|apikey|key|digest|negotiate|basic|bearer)[ \t]+)?(?P<secret>{_VALUE}{{8,400}})",
        lambda found: _has_digit(found) and _is_no_placeholder(found),
    ),
    _in_context(
        "password",
        "curl",
        rf"\s(?:-u|--(?:proxy-)?user)[ =]*[\"']?[^\s:\"'$]{{1,100}}:(?P<secret>{_VALUE}{{3,200}})",
        _is_no_placeholder,
    ),
    _in_context(
        "password",
        "sshpass",
        rf"\bsshpass[ \t]+-p[ \t]*[\"']?(?P<secret>{_VALUE}{{3,200}})",
        _is_no_placeholder,
    ),
)
_NAMED: Final = (
    # in quotes, as in JSON and source code
    Rule(
        "secret",
        _MARKS,
        re.compile(
            rf"(?i)(?P<name>{_NAMES})\\*[\"'`]?[ \t]*(?::=|=>|=|:)[ \t]*\\*[\"'`]"
            rf"(?P<secret>{_VALUE}{{4,400}})(?=\\*[\"'`])"
        ),
        _is_named_value,
        folds=True,
    ),
    # a line of a settings file
    Rule(
        "secret",
        _MARKS,
        re.compile(rf"(?im)(?P<name>{_NAMES})[ \t]*[:=][ \t]*(?P<secret>{_VALUE}{{4,400}})(?=[ \t]*$)"),
        _is_value_of_line,
        folds=True,
    ),
    # as in an environment or a connection string
    Rule(
        "secret",
        _MARKS,
        re.compile(rf"(?i)(?P<name>{_NAMES})=(?P<secret>[^\s\"'`\\<>;&]{{4,400}})"),
        _is_named_value,
        folds=True,
    ),
    # as a command-line option
    Rule(
        "secret",
        _MARKS,
        re.compile(
            rf"(?i)(?<![^\s])--(?:[a-z0-9]+-){{0,3}}(?P<name>{_NAMES})[ \t]+(?P<secret>{_VALUE}{{4,400}})"
        ),
        _is_named_value,
        folds=True,
    ),
)
