"""Every link between the project's own pages leads to an existing file and heading."""

import re
import tomllib
from pathlib import Path

import pytest

from docs import llms, pages, tables
from tests.sweep import sweep

ROOT = Path(__file__).parents[1]
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for room in ("docs", "plugins", "generated/docs") for page in (ROOT / room).rglob("*.md")),
    ]
)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
RAW = REPOSITORY.replace("github.com", "raw.githubusercontent.com")
# relative links lead nowhere where a package index shows the README
OF_THE_HOST = re.compile(rf"{re.escape(REPOSITORY)}/(?:blob|tree)/main/|{re.escape(RAW)}/main/")


def links(page: Path) -> list[str]:
    return [found["target"] for found in LINK.finditer(CODE.sub("", page.read_text(encoding="utf-8")))]


def headings(page: Path) -> set[str]:
    """The anchors of a page, as the code host makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def leads_nowhere(page: Path, link: str) -> bool:
    place = OF_THE_HOST.match(link)
    path, _, anchor = link[place.end() if place else 0 :].partition("#")
    target = (ROOT if place else page.parent) / path if path else page
    return not target.exists() or bool(anchor and anchor not in headings(target))


@sweep("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_to_what_is_there(page: Path) -> None:
    ours = [link for link in links(page) if OF_THE_HOST.match(link) or "://" not in link]
    assert [link for link in ours if leads_nowhere(page, link)] == []


def test_the_readme_links_from_wherever_it_is_read() -> None:
    found = links(ROOT / "README.md")
    assert len(found) > 20
    assert [link for link in found if not link.startswith("https://")] == []


def test_models_find_every_page_in_one_index() -> None:
    text = llms.index({"name": "vcontract", "description": "A store."}, REPOSITORY)
    found = re.findall(r"(?m)^- \[[^\]]+\]\((\S+)\): \S", text)
    assert {
        f"{REPOSITORY}/blob/main/{page.relative_to(ROOT).as_posix()}"
        for page in (ROOT / "docs").rglob("*.md")
    } <= set(found)
    assert all(f"<!-- {page.relative_to(ROOT).as_posix()} -->" in llms.whole() for page in llms.pages())


def test_every_page_is_on_one_shelf_of_the_site() -> None:
    placed = [name for names in pages.SHELVES.values() for name in names]
    assert sorted([*placed, "README.md"]) == sorted(
        page.relative_to(ROOT).as_posix() for page in llms.pages()
    )


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.name)
def test_a_page_has_the_tables_that_are_generated_for_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert "<!-- generated: " in text
    assert text == tables.with_parts(text), "docs are out of date; run: make generate"


def test_what_a_site_would_fetch_from_another_host_is_seen(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<link rel="canonical" href="https://a.example/"><a href="https://b.example/">b</a>'
        '<script async src="//c.example/c.js"></script><link rel=stylesheet href="https://d.example/d.css">'
    )
    (tmp_path / "page.css").write_text(
        "@import 'https://e.example'; a { background: url(https://f.example/f) }"
    )
    found = " ".join(pages.fetched_elsewhere(tmp_path))
    assert set(re.findall(r"(\w)\.example", found)) == set("cdef")


def test_a_link_to_nothing_is_seen() -> None:
    assert leads_nowhere(ROOT / "README.md", f"{REPOSITORY}/blob/main/docs/nothing.md")
    assert leads_nowhere(ROOT / "README.md", f"{REPOSITORY}/blob/main/docs/clients.md#nothing")
