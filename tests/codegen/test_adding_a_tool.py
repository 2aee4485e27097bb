"""docs/adding-a-tool.md, walked in a copy of this repository's spec."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.edited_package import copy_package, served
from vcontract.codegen.__main__ import main
from vcontract.codegen.documents import JsonObject

GUIDE = "docs/adding-a-tool.md"
GIT = shutil.which("git") or "git"
DECLARED = re.compile(r"`(\w+\.yaml)` in\s+`(spec/tools/\w+)`:\n\n```yaml\n(.*?)```", re.DOTALL)


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Path:
    """This repository's spec and handlers, in a folder of their own."""
    root = tmp_path / "copy"
    shutil.copytree(repository / "spec", root / "spec")
    shutil.copytree(repository / "handlers", root / "handlers", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def declared_in_guide(repository: Path) -> tuple[str, str]:
    """The path and the text of the tool that the guide adds."""
    guide = (repository / GUIDE).read_text(encoding="utf-8")
    found = DECLARED.search(guide)
    assert found, f"{GUIDE} no longer shows a tool's file"
    return f"{found[2]}/{found[1]}", found[3]


def test_the_guides_tool_is_one_file_and_one_method(
    repository: Path, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # given: the tool's file, as the guide prints it
    path, text = declared_in_guide(repository)
    toolset, name = Path(path).parts[2], Path(path).stem
    assert not (copy / path).exists(), "the guide must add a tool that is not there"
    (copy / path).write_text(text, encoding="utf-8")

    # when: it is generated and scaffolded
    assert main(["--root", str(copy), "generate"]) == 0, capsys.readouterr().err
    assert main(["--root", str(copy), "scaffold", name]) == 0, capsys.readouterr().err

    # then: it is everywhere, and nothing was typed twice
    stub = capsys.readouterr().out
    generated = copy / "generated"
    assert f'"{name}": Tool(' in (generated / "registry.py").read_text()
    assert f"async def {name}(" in (generated / "protocols.py").read_text()
    wire = json.loads((generated / "contract" / f"{name}.json").read_text())
    assert (wire["name"], wire["toolset"]) == (name, toolset)
    assert wire["typical_bytes"] == {"example": 30}
    assert f"### `{name}`" in (generated / "docs" / "tools.md").read_text()
    assert f"    async def {name}(" in stub


@pytest.mark.parametrize(
    ("contract", "last", "first"),
    [
        ("project", "notes/read_note", "desk/write_note"),
        ("copy", "contract/vcon_taxonomy", "vcon/add_tag"),
    ],
    ids=["small", "whole"],
)
def test_two_branches_that_add_a_tool_to_different_toolsets_merge_without_a_conflict(
    contract: str, last: str, first: str, request: pytest.FixtureRequest
) -> None:
    """The last tool of one toolset and the first of the next: neighbours wherever tools are listed."""
    root: Path = request.getfixturevalue(contract)

    def git(*arguments: str) -> str:
        return subprocess.run(  # noqa: S603 - git of this machine, in a folder of the test
            [GIT, "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def commit(message: str) -> None:
        assert main(["--root", str(root), "generate"]) == 0
        git("add", "--all")
        git("commit", "-m", message)

    def add_beside(tool: str, name: str) -> None:
        """Add a tool like `tool`, whose file lies in the same toolset."""
        known = root / "spec" / "tools" / f"{tool}.yaml"
        text = re.sub(r"^name: \w+$", f"name: {name}", known.read_text(encoding="utf-8"), flags=re.MULTILINE)
        known.with_name(f"{name}.yaml").write_text(text, encoding="utf-8")
        commit(f"Add {name}")

    # given: two branches, each with a tool of its own and what was generated from it
    git("init", "--initial-branch", "main")
    (root / ".gitattributes").write_text("/generated/surface.json merge=union\n", encoding="utf-8")
    commit("The contract")
    git("switch", "--create", "theirs")
    add_beside(last, "zones")
    git("switch", "--create", "ours", "main")
    add_beside(first, "a_tool")
    # when: they are merged
    git("merge", "theirs")
    # then: what was merged is what the merged spec generates, but for the order of lines in the surface
    assert main(["--root", str(root), "generate"]) == 0
    assert git("diff", "--name-only") in ("", "generated/surface.json\n")


async def test_the_guides_handler_answers(
    repository: Path, tmp_path: Path, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = (repository / GUIDE).read_text(encoding="utf-8")
    package = copy_package(tmp_path)
    for name, toolset, text in DECLARED.findall(guide):
        (package / toolset / name).write_text(text, encoding="utf-8")
    assert main(["--root", str(package), "generate"]) == 0
    methods: list[str] = re.findall(r"```python\n(    async def .*?)```", guide, re.DOTALL)
    for method in methods:
        tool = method.split("(")[0].split()[-1]
        capsys.readouterr()
        assert main(["--root", str(package), "scaffold", tool]) == 0
        place = capsys.readouterr().out.partition("\n")[0].removeprefix("# ")
        fill_in(package / place, method, guide)

    async with served(tmp_path, database_url) as wire:

        async def call(name: str, **arguments: object) -> JsonObject:
            answer = await wire.request("tools/call", {"name": name, "arguments": arguments})
            content: JsonObject = answer["result"]["structuredContent"]
            return content

        for subject in ("a", "b", "a", "a"):
            await call("create_vcon", vcon_data={"parties": [{"name": "Ada"}], "subject": subject})

        assert (await call("count_vcons"))["count"] == 4
        assert (await call("count_vcons", since="yesterday and so on"))["error_code"] == "VALIDATION_ERROR"


def fill_in(file: Path, method: str, guide: str) -> None:
    """Put the guide's method before the first one of the module, with the imports that the guide names."""
    text = file.read_text(encoding="utf-8").replace("\n    async def ", f"\n{method}\n    async def ", 1)
    reported = re.findall(r"with `(\w+)` and `(\w+)` imported from `([\w.]+)`", guide)
    lines = [f"from {module} import {one}, {other}" for one, other, module in reported if one in method]
    head = text.index("\nfrom ")
    file.write_text(text[:head] + "\n" + "\n".join(lines) + text[head:], encoding="utf-8")


def test_the_guide_names_commands_that_exist(repository: Path) -> None:
    guide = (repository / GUIDE).read_text(encoding="utf-8")
    makefile = (repository / "Makefile").read_text(encoding="utf-8")

    targets = set(re.findall(r"make (\w[\w-]*)", guide))

    assert targets
    assert [
        target for target in sorted(targets) if not re.search(rf"^{target}:", makefile, re.MULTILINE)
    ] == []
