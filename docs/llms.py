"""The pages for language models: llms.txt, an index, and llms-full.txt, all pages in one."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "docs"
FIRST = (
    "README.md",
    "docs/start-chats.md",
    "docs/start-agents.md",
    "docs/start-calls.md",
    "docs/cli.md",
    "docs/contract.md",
)
"""The pages that most readers need; the rest follows by name."""

_PARAGRAPH = re.compile(r"\n\n(?!Status:|```)(?P<text>[^\n#|<!\-].+?)(?:\n\n|\Z)", re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def pages() -> list[Path]:
    """Every page of the documentation, the most needed first."""
    first = [ROOT / name for name in FIRST]
    rooms = ("docs", "generated/docs", "plugins", "integrations/conserver")
    rest = [*ROOT.glob("*.md"), *(page for room in rooms for page in (ROOT / room).glob("*.md"))]
    return [*first, *sorted(set(rest) - set(first))]


def index(project: dict[str, object], repository: str) -> str:
    """llms.txt: the project in a sentence, and each page with its title and its first sentence."""
    lines = [f"# {project['name']}", "", f"> {project['description']}", "", "## Pages", ""]
    for page in pages():
        text = page.read_text(encoding="utf-8")
        place = f"{repository}/blob/main/{page.relative_to(ROOT).as_posix()}"
        lines.append(f"- [{_title(text)}]({place}): {_first_sentence(text)}")
    return "\n".join(lines) + "\n"


def whole() -> str:
    """llms-full.txt: every page, each after its place."""
    parts = (
        f"<!-- {page.relative_to(ROOT).as_posix()} -->\n\n{page.read_text('utf-8').strip()}"
        for page in pages()
    )
    return "\n\n".join(parts) + "\n"


def _title(text: str) -> str:
    return text.lstrip().partition("\n")[0].lstrip("# ").replace("`", "")


def _first_sentence(text: str) -> str:
    found = _PARAGRAPH.search(text)
    plain = _LINK.sub(r"\1", " ".join(found["text"].split())) if found else ""
    return re.split(r"(?<=[.!?])\s", plain, maxsplit=1)[0]


def main() -> int:
    """Write both; the exit status of the command."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    OUT.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("llms.txt", index(project, project["urls"]["Repository"])),
        ("llms-full.txt", whole()),
    ):
        (OUT / name).write_text(text, encoding="utf-8")
        print(f"wrote {OUT / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
