"""The contract as one page: all of it is there, none of it becomes markup, nothing is fetched."""

import base64
import hashlib
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from vcontract.codegen.__main__ import main
from vcontract.codegen.model import Contract
from vcontract.codegen.report.changes import Change, Changes
from vcontract.codegen.report.page import page

HOSTILE = '</style></script><b id="planted">\'"&`'


class Reading(HTMLParser):
    """Elements, ids, references and texts of a page; every element must be closed where it was opened."""

    VOID = frozenset({"meta", "input", "br", "link", "img", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.elements if "id" in attributes]

    def values(self, name: str) -> list[str]:
        return [str(attributes[name]) for _, attributes in self.elements if name in attributes]


@pytest.fixture(scope="module")
def reading(good_contract: Contract) -> Reading:
    return Reading(page(good_contract))


def test_every_tool_resource_prompt_and_error_has_its_place(
    reading: Reading, good_contract: Contract
) -> None:
    wanted = {f"tool-{tool.key}" for tool in good_contract.tools}
    wanted |= {f"resource-{resource.name}" for resource in good_contract.resources}
    wanted |= {f"prompt-{prompt.name}" for prompt in good_contract.prompts}
    wanted |= {f"error-{error.code}" for error in good_contract.errors}

    assert wanted <= set(reading.ids)
    assert len(reading.ids) == len(set(reading.ids))


def test_the_search_finds_errors_by_code_and_by_words(reading: Reading, good_contract: Contract) -> None:
    words = {
        str(attributes["id"]): str(attributes["data-words"])
        for _, attributes in reading.elements
        if "data-words" in attributes
    }

    for error in good_contract.errors:
        assert error.code.lower() in words[f"error-{error.code}"]
        assert error.message.lower() in words[f"error-{error.code}"]


def test_every_link_and_reference_leads_somewhere_on_the_page(reading: Reading) -> None:
    targets = [href.removeprefix("#") for href in reading.values("href")]
    for name in ("for", "aria-controls", "aria-labelledby", "aria-describedby", "data-for"):
        targets += reading.values(name)

    assert set(targets) <= set(reading.ids)
    assert all(href.startswith("#") for href in reading.values("href"))


def test_the_page_has_landmarks_a_language_and_a_labelled_search(reading: Reading) -> None:
    tags = [tag for tag, _ in reading.elements]

    assert {"header", "main", "nav", "h1"} <= set(tags)
    assert tags.count("h1") == tags.count("main") == 1
    assert ("html", {"lang": "en"}) in reading.elements
    assert reading.values("for") == ["search"]
    assert set(reading.values("role")) >= {"search", "status"}
    assert all("aria-label" in rest for tag, rest in reading.elements if tag in ("nav", "pre"))


def test_nothing_is_fetched_and_no_other_script_may_run(reading: Reading) -> None:
    policy = next(
        str(each["content"])
        for tag, each in reading.elements
        if tag == "meta" and each.get("http-equiv") == "Content-Security-Policy"
    )

    assert not {"link", "img", "iframe", "object", "video"} & {tag for tag, _ in reading.elements}
    assert reading.values("src") == []
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(reading.texts[tag].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not any(name.startswith("on") for _, attributes in reading.elements for name in attributes)
    assert reading.values("style") == []


def test_whatever_the_spec_says_stays_text(good_contract: Contract) -> None:
    tool = replace(good_contract.tools[0], description=HOSTILE, title=HOSTILE, aliases=(HOSTILE,))
    prompt = replace(good_contract.prompts[0], description=HOSTILE, task=HOSTILE, aliases=(HOSTILE,))
    resource = replace(good_contract.resources[0], description=HOSTILE, uris=(HOSTILE,))
    server = replace(good_contract.server, title=HOSTILE)
    toolset = replace(good_contract.toolsets[0], title=HOSTILE, tools=(tool,))

    found = Reading(
        page(
            replace(
                good_contract,
                server=server,
                toolsets=(toolset, *good_contract.toolsets[1:]),
                resources=(resource, *good_contract.resources[1:]),
                prompts=(prompt,),
            )
        )
    )

    assert "planted" not in found.ids
    assert HOSTILE in found.texts["p"]


def test_equal_contracts_give_equal_pages(good_contract: Contract) -> None:
    assert page(good_contract) == page(good_contract)


def test_against_a_base_the_page_tells_what_changed_and_how_severe(project: Path) -> None:
    shutil.copytree(project / "spec", project / "base" / "spec")
    tool = project / "base" / "spec" / "tools" / "notes" / "read_note.yaml"
    name = "id: {type: string, description: The note's name.}"
    tool.write_text(
        tool.read_text().replace(name, f'{name}\n    old: {{type: string, description: "Gone <now>."}}')
    )
    output = project / "out" / "report.html"
    shutil.copytree(project / "spec" / "meta", project / "base" / "spec" / "meta", dirs_exist_ok=True)
    for folder in (project / "base", project):
        assert main(["--root", str(folder), "generate"]) == 0

    assert main(["--root", str(project), "report", "--against", "base", "--output", str(output)]) == 0

    text = output.read_text()
    found = Reading(text)
    assert text.index('id="changes"') < text.index('id="overview"')
    assert "Refused: 1 break" in found.texts["p"]
    assert re.search(r'<div class="change ERR">.*?#tool-read_note.*?<code>old</code>', text, re.DOTALL)
    assert 'class="chip ERR">1 change<' in text


def test_a_change_of_a_resource_or_a_prompt_stands_there_too(good_contract: Contract) -> None:
    change = Change(
        "ERR", "r", ("resource note", "prompt sum_up", "gone"), "a place", "m", "", "", "", "", ""
    )
    changes = Changes("base", "1.0", False, ("Refused.",), (change,))

    text = page(good_contract, changes)

    for entry in ("resource-note", "prompt-sum_up"):
        assert text.count(f'href="#{entry}"><code>') == 4
        assert 'class="chip ERR">1 change<' in text.partition(f'id="{entry}"')[2].partition("</summary>")[0]
    assert re.search('<li><a href="#change-1"><code>gone</code>.*>ERR<', text)
    assert text.count('id="change-1"') == 1
    assert set(Reading(text).values("href")) <= {f"#{id_}" for id_ in Reading(text).ids}


def test_a_warning_of_a_tool_that_promised_nothing_is_told_apart(good_contract: Contract) -> None:
    (first, second, *_) = (tool.key for tool in good_contract.tools)
    because = "it was beta"
    changes = tuple(
        Change("WARN", "r", (key,), "a place", "m", "", "", "", "", "", lowered)
        for key, lowered in ((first, because), (second, ""))
    )

    text = page(good_contract, Changes("base", "1.0", True, ("Passes.",), changes))

    side = text.partition("<nav")[2].partition("</nav>")[0]
    assert f'<code>{first}</code><span class="chip lowered" title="{because}">WARN<' in side
    assert f'<code>{second}</code><span class="chip WARN">WARN<' in side
    assert f"Only a warning: {because}." in text


def test_what_accepts_the_breaks_is_one_block_to_copy(good_contract: Contract) -> None:
    lines = ("Refused: 2 breaks.", "  - {rule: a}", "  - {rule: b}", "x must be deprecated first.")

    found = Reading(page(good_contract, Changes("base", "1.0", False, lines, ())))

    assert "- {rule: a}\n- {rule: b}" in found.texts["code"]
    assert "copy" in found.ids
    assert "copy" not in Reading(page(good_contract, Changes("base", "1.0", True, ("Passes.",), ()))).ids


def test_without_a_base_there_is_no_word_of_changes(reading: Reading) -> None:
    assert "changes" not in reading.ids


def test_a_base_that_is_none_is_an_error_and_writes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = project / "report.html"

    assert main(["--root", str(project), "report", "--against", "nowhere", "--output", str(output)]) == 2

    assert "'nowhere' is neither a folder nor a git ref" in capsys.readouterr().err
    assert not output.exists()
