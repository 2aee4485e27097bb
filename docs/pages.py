"""The site: every page on its shelf, and no part of it fetched from another host."""

import re
import shutil
import sys
import tomllib
from pathlib import Path
from posixpath import relpath

from docs import llms

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "build" / "pages"
SITE = ROOT / "build" / "docs"
_PICTURES = ("docs/screenshots/search.png", "docs/rooms.svg")

SHELVES = {
    "Get started": (
        "docs/install.md",
        "docs/start-chats.md",
        "docs/start-agents.md",
        "docs/start-calls.md",
    ),
    "How to": (
        "docs/clients.md",
        "docs/import.md",
        "docs/memory.md",
        "docs/session.md",
        "docs/bridge.md",
        "docs/counting.md",
        "docs/calls.md",
        "docs/vcon-work.md",
        "docs/redact.md",
        "docs/signatures.md",
        "docs/consent.md",
        "docs/http.md",
        "docs/operations.md",
        "docs/container.md",
        "docs/postgresql.md",
        "docs/scaling.md",
        "docs/webhooks.md",
        "docs/upstream.md",
        "plugins/README.md",
        "integrations/conserver/README.md",
    ),
    "Reference": (
        "docs/cli.md",
        "docs/settings.md",
        "docs/contract.md",
        "docs/recall.md",
        "docs/search.md",
        "generated/docs/tools.md",
        "generated/docs/resources.md",
        "generated/docs/prompts.md",
        "docs/compatibility.md",
        "CHANGELOG.md",
    ),
    "Background": (
        "docs/architecture.md",
        "docs/decisions.md",
        "docs/performance.md",
        "SECURITY.md",
        "docs/threat-model.md",
        "CONTRIBUTING.md",
        "CODE_OF_CONDUCT.md",
        "docs/changing.md",
        "docs/adding-a-tool.md",
        "docs/adding-a-column.md",
    ),
}
"""Each page except the README, on its shelf, in the order in which it is shown."""

# what a browser fetches without a click
_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*?\bsrc=["']?(?:https?:)?//[^"'\s>]+
    |<link\b(?![^>]*\brel=["']?canonical)[^>]*?\bhref=["']?(?:https?:)?//[^"'\s>]+
    |(?:url\(|@import\s)\s*["']?(?:https?:)?//[^"'\s)]+""",
    re.VERBOSE,
)


def lay_out(repository: str) -> None:
    """Write all pages into one folder, the README first, with a table of contents of the shelves."""
    shutil.rmtree(SOURCES, ignore_errors=True)
    for page in llms.pages():
        name = page.relative_to(ROOT).as_posix()
        target = SOURCES / _place(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_linked(page.read_text(encoding="utf-8"), name, repository), encoding="utf-8")
    with (SOURCES / "index.md").open("a", encoding="utf-8") as first:
        first.writelines(_contents(caption, pages) for caption, pages in SHELVES.items())
    for picture in _PICTURES:
        (SOURCES / picture).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / picture, SOURCES / picture)


def fetched_elsewhere(site: Path) -> list[str]:
    """The references in a built site that a browser would fetch from another host."""
    return [
        f"{file.relative_to(site).as_posix()}: {found[0]}"
        for file in sorted(site.rglob("*"))
        if file.suffix in {".html", ".css"}
        for found in _FETCHED.finditer(file.read_text(encoding="utf-8"))
    ]


def _linked(text: str, name: str, repository: str) -> str:
    """A page's text in which links to other pages at the code host lead to those of the site."""
    raw = repository.replace("github.com", "raw.githubusercontent.com")
    places = "|".join(re.escape(place) for place in (f"{repository}/blob/main/", f"{raw}/main/"))
    ours = {page.relative_to(ROOT).as_posix() for page in llms.pages()} | {*_PICTURES}

    def beside(link: re.Match[str]) -> str:
        path = link["path"]
        return f"]({relpath(_place(path), Path(name).parent.as_posix())}" if path in ours else link[0]

    return re.sub(rf"\]\((?:{places})(?P<path>[^)#\s]+)", beside, text)


def _place(page: str) -> str:
    return "index.md" if page == "README.md" else page


def _contents(caption: str, pages: tuple[str, ...]) -> str:
    names = "\n".join(page.removesuffix(".md") for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n:caption: {caption}\n\n{names}\n```\n"


def main() -> int:
    """Lay the pages out, or with `--check` look at the built site; the exit status of the command."""
    if "--check" not in sys.argv:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        lay_out(project["urls"]["Repository"])
        return 0
    found = fetched_elsewhere(SITE)
    if found:
        print("The site asks other hosts for parts of it:", *found, sep="\n  ", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
