"""The style of what people and models read: `python -m tests.prose` lists what is against it.

It reads README, the pages of docs, the descriptions in spec and the docstrings, also those of members. It
compares the number of findings in each with the limits in prose.yaml, which may only fall.
"""

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from ruamel.yaml import YAML

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object

ROOT: Final = Path(__file__).parents[1]
LIMITS: Final = Path(__file__).with_name("prose.yaml")
MAX_WORDS: Final = 25
"""Words of a sentence."""
BANNED: Final = {
    r"\b(?:is|are|was|were|be) told\b": "say who reports or returns it",
    r"\btells?\b(?! (?:you|a|the|git|Claude) )": "says, reports, returns",
    r"\bwhoever\b": "anyone who, or name the actor",
    r"\bcomes? along\b": "is included, is shipped",
    r"\bof whom\b": "whose, or a new sentence",
    r"\bwhat is none\b|\bwhich is none\b": "anything else",
    r"\bfor good\b": "permanently",
    r"\blets? in\b": "accepts, admits",
    r"\bthere is none of this\b": "not found",
    r"\bleaves? aside\b": "skips",
    r"\bstands? (?:in|there|for|beside|below|above|on)\b": "is in, occurs, marks, replaces",
    r"\bbears?\b": "has",
    r"\b[Ss]o many\b": "this many, or how many",
    r"\bbesides\b": "also, in addition",
}
BANNED_IN_CODE: Final = {
    r"^(?:Of|Who|Whom|Whose|Whatever|So (?:long|many|much))\b": "a noun phrase or an imperative",
    r"^Where (?!to )": "a noun phrase or an imperative",
    r"^What (?:is|was|has|does|an?|the|of|came|else|it)\b": "a noun phrase or an imperative",
    r"\btold\b|\btells?\b": "says, reports, returns",
    r"\bis what .* is\b": "say it directly",
    r"\blets? go of\b": "releases, unloads",
    r"\bas things stand\b": "at present",
}
"""Also banned in docstrings, where `^` is the beginning of a sentence."""
_AREAS: Final = {
    "docs": ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/*/*.md"),
    "spec": ("spec/*.yaml", "spec/tools/*/*.yaml", "spec/shapes/*.yaml"),
    "docstrings": ("runtime/**/*.py", "handlers/**/*.py", "codegen/**/*.py"),
    "benchmarks": ("bench/**/*.py",),
}
_PROSE_MEMBERS: Final = frozenset({"description", "summary", "message", "say", "instructions"})
_FENCE: Final = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_GENERATED: Final = re.compile(r"<!-- (?:settings|command|generated)\b.*?<!-- end -->", re.DOTALL)
_CODE: Final = re.compile(r"`[^`\n]*`|\]\([^)]*\)|<[^>]*>")
_SENTENCE: Final = re.compile(
    r"(?<=[.!?:;])\s+(?=[\"“(A-Z`*\[0-9]|vCon|vcontract)"
    r"|\n\s*\n|\n\s*[-*|#]|\n\s*\d+\. |\n\s*[a-z-]+: |\s\|\s"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is against the style."""

    file: str
    text: str
    why: str


def findings(area: str) -> list[Finding]:
    """What is against the style in an area: docs, spec or docstrings."""
    found: list[Finding] = []
    for file in _files(_AREAS[area]):
        banned = BANNED | BANNED_IN_CODE if file.endswith(".py") else BANNED
        for text in _texts(ROOT / file):
            found += [Finding(file, sentence, why) for sentence, why in sentences_against(text, banned)]
    return found


def _files(patterns: tuple[str, ...]) -> list[str]:
    listed = subprocess.run(  # noqa: S603  (our own patterns)
        ["git", "ls-files", "--", *(f":(glob){pattern}" for pattern in patterns)],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.splitlines()


def _texts(file: Path) -> Iterator[str]:
    source = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        yield _FENCE.sub("\n\n", source)
    elif file.suffix == ".py":
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from map(inspect.cleandoc, _strings_of(node.body))
    else:
        yield from _prose_of(_loaded(source))


def _strings_of(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The docstring of a body, and those below its assignments."""
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case _:
                pass


def _loaded(source: str) -> JsonValue:
    return YAML(typ="safe").load(source)  # pyright: ignore[reportUnknownMemberType]


def _prose_of(value: JsonValue, name: str = "") -> Iterator[str]:
    """The texts of a spec that a client reads; examples are data."""
    if is_object(value):
        for key, member in value.items():
            if key not in ("example", "examples", "default", "enum", "const"):
                yield from _prose_of(member, str(key))
    elif is_array(value):
        for member in value:
            yield from _prose_of(member, name)
    elif isinstance(value, str) and name in _PROSE_MEMBERS:
        yield value


def sentences_against(text: str, banned: Mapping[str, str] = BANNED) -> Iterator[tuple[str, str]]:
    for sentence in _SENTENCE.split(_CODE.sub("Code", text)):
        plain = " ".join(sentence.split())
        if (count := len(plain.split())) > MAX_WORDS:
            yield plain, f"{count} words, at most {MAX_WORDS}"
        for pattern, instead in banned.items():
            if match := re.search(pattern, plain):
                yield plain, f"“{match[0]}”: {instead}"


def words() -> int:
    """Words of the pages of docs, without what `make generate` writes and the bars of tables."""
    pages = (ROOT / name for name in _files(("docs/*.md",)))
    texts = (_GENERATED.sub("", page.read_text(encoding="utf-8")) for page in pages)
    return sum(any(map(str.isalnum, word)) for text in texts for word in text.split())


def limits() -> dict[str, int]:
    """How many findings each area may have, and how many `words` docs may have."""
    return cast(dict[str, int], _loaded(LIMITS.read_text(encoding="utf-8")))


def main() -> int:
    """Print what is against the style; 1 when an area has more of it than its limit."""
    most = limits()
    count, limit = words(), most.pop("words")
    print(f"docs: {count:,} words, at most {limit:,}")
    is_over = count > limit
    for area, limit in most.items():
        found = findings(area)
        is_over = is_over or len(found) > limit
        if area in sys.argv[1:] or len(found) > limit:
            for one in found:
                print(f"{one.file}: {one.why}\n    {one.text}")
        worst = ", ".join(f"{file} {count}" for file, count in Counter(o.file for o in found).most_common(3))
        print(f"{area}: {len(found)} findings, at most {limit} ({worst})")
    return int(is_over)


if __name__ == "__main__":
    sys.exit(main())
