"""The gate in a repository: a break in a branch, its report, its acceptance, and the next release."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.compat.conftest import REPOSITORY, Gate, commit, git
from tests.edited_package import copy_package
from vcontract.codegen.__main__ import main
from vcontract.codegen.compat.report import shortened
from vcontract.codegen.compat.verdict import (
    NO_ACCEPTANCES,
    allows_breaks,
    next_breaking,
    read_state,
    released_versions,
)
from vcontract.codegen.surface import print_surface

Edit = Callable[[str, str, str], None]

READ_NOTE = "tools/notes/read_note.yaml"
WRITE_NOTE = "tools/desk/write_note.yaml"
NAME = "id: {type: string, description: The note's name.}"
SHORT_NAME = "id: {type: string, maxLength: 4, description: The note's name.}"


def accept(repository: Path, report: str, reason: str = "Names are short now, and searched faster.") -> None:
    """Write the line that the report offers into spec/compat.yaml, with a reason."""
    line = re.search(r"^ *(- \{rule: .*\})$", report, re.MULTILINE)
    assert line, report
    text = NO_ACCEPTANCES.replace(" []", f"\n  {line[1].replace('…', reason)}")
    (repository / "spec" / "compat.yaml").write_text(text, encoding="utf-8")


def raise_version(edit: Edit, version: str) -> None:
    edit("server.yaml", "version: 1.2.3", f"version: {version}")


def test_a_break_in_a_branch_is_refused_and_passes_when_accepted_under_a_higher_version(
    repository: Path, gate: Gate, edit: Edit
) -> None:
    assert gate("--against", "main")[0] == 0
    edit(READ_NOTE, NAME, SHORT_NAME)

    code, report = gate("--against", "main")

    assert code == 1
    assert "ERR   read_note: parameter `id`  [input-bound-tightened]" in report
    assert "after:  maxLength 4" in report
    assert '{"name":"read_note","arguments":{"id":"aaaaa"}}' in report
    assert "spec/tools/notes/read_note.yaml:17" in report
    assert "in spec/server.yaml, 1.2.3 becomes 2.0.0 or higher" in report

    accept(repository, report)
    code, report = gate("--against", "main")
    assert code == 1
    assert "1.2.3 becomes 2.0.0 or higher" in report

    raise_version(edit, "1.3.0")
    assert gate("--against", "main")[0] == 1

    edit("server.yaml", "version: 1.3.0", "version: 2.0.0")
    code, report = gate("--against", "main")
    assert code == 0
    assert "[input-bound-tightened] accepted" in report
    assert gate()[0] == 0, "the last release is compared with when nothing is named"


def test_an_acceptance_that_matches_nothing_fails(repository: Path, gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    accept(repository, gate()[1])
    raise_version(edit, "2.0.0")
    edit(READ_NOTE, SHORT_NAME, NAME)

    code, report = gate()

    assert code == 1
    assert "spec/compat.yaml:4: accepts input-bound-tightened of read_note, input.id" in report
    assert "which is no break here; remove it" in report


def test_an_acceptance_is_of_one_change_and_not_of_another_of_the_same_place(
    repository: Path, gate: Gate, edit: Edit
) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    accept(repository, gate()[1])
    raise_version(edit, "2.0.0")
    edit(READ_NOTE, "maxLength: 4", "maxLength: 3")

    code, report = gate()

    assert code == 1
    assert "Refused: 1 break" in report
    assert "which is no break here" in report


def test_an_acceptance_that_the_base_has_was_judged_there(repository: Path, gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    accept(repository, gate()[1])
    raise_version(edit, "2.0.0")
    commit(repository)
    git(repository, "checkout", "--quiet", "-b", "later")
    edit(READ_NOTE, "maxLength: 4", "maxLength: 3")

    code, report = gate("--against", "change")

    assert code == 1
    assert "Refused: 1 break" in report
    assert "no break here" not in report
    assert "becomes" not in report, "the version rose since the last release, that is enough"


def test_an_acceptance_needs_a_reason(repository: Path, gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    accept(repository, gate()[1], reason="")

    code, report = gate()

    assert code == 1
    assert "spec/compat.yaml:4: meta-schema: acceptances.0.reason" in report


def test_releasing_keeps_the_contract_and_uses_the_acceptances_up(
    repository: Path, gate: Gate, edit: Edit, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    accept(repository, gate()[1])
    raise_version(edit, "2.0.0")

    assert main(["--root", str(repository), "release"]) == 0

    assert "spec/released/2.0.0.json" in capsys.readouterr().out
    assert (repository / "spec" / "compat.yaml").read_text(encoding="utf-8") == NO_ACCEPTANCES
    code, report = gate()
    assert code == 0
    assert "contract 2.0.0 (spec/released/2.0.0.json) -> 2.0.0: 0 ERR, 0 WARN, 0 INFO" in report


def test_a_release_needs_a_higher_version_and_a_contract_that_passes(
    repository: Path, edit: Edit, capsys: pytest.CaptureFixture[str]
) -> None:
    def release(*options: str) -> tuple[int, str]:
        capsys.readouterr()
        return main(["--root", str(repository), "release", *options]), capsys.readouterr().err

    assert release() == (
        1,
        "1.2.3 is released, and the spec says 1.2.3: raise version in spec/server.yaml, "
        "or say --again while nobody has it\n",
    )
    edit(READ_NOTE, NAME, SHORT_NAME)
    assert release("--again")[0] == 0
    edit(READ_NOTE, "maxLength: 4", "maxLength: 3")
    raise_version(edit, "1.3.0")
    code, message = release()
    assert code == 1
    assert "1.3.0 breaks what 1.2.3 promised" in message


@pytest.mark.parametrize(
    ("against", "says"),
    [
        ("nowhere", "'nowhere' is neither a folder nor a git ref of"),
        ("--upload-pack=x", "expected one argument"),
        ("spec", "spec has no generated/surface.json, which is compared"),
    ],
)
def test_what_cannot_be_compared_with_is_no_pass(
    gate: Gate, against: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code, shown = gate("--against", against)
    except SystemExit as stopped:
        code, shown = int(str(stopped.code)), capsys.readouterr().err

    assert code == 2
    assert says in shown


def test_a_folder_beside_the_released_versions_that_is_none_is_named(repository: Path, gate: Gate) -> None:
    (repository / "spec" / "released" / "draft").mkdir()

    assert gate() == (2, "spec/released/draft is not named for a version, such as 1.2.0.json; remove it\n")


def test_a_released_file_that_is_damaged_is_named(repository: Path, gate: Gate) -> None:
    kept = repository / "spec" / "released" / "1.2.3.json"
    for text, says in (
        ("{\n<<<<", "spec/released: 1.2.3.json:2 is no JSON"),
        ("{}", "spec/released/1.2.3.json is no released contract; restore the file"),
        ('{"tools": {"a": 1, "a": 2}}', "1.2.3.json has 'a' twice, as a merge leaves it; run make generate"),
        ("[]", "spec/released/1.2.3.json is no released contract; restore the file"),
    ):
        kept.write_text(text, encoding="utf-8")

        code, report = gate()

        assert code == 2
        assert says in report


def test_a_tool_that_is_taken_out_of_what_was_released_is_seen(repository: Path, gate: Gate) -> None:
    kept = repository / "spec" / "released" / "1.2.3.json"
    surface = json.loads(kept.read_text(encoding="utf-8"))
    del surface["tools"]["desk_write_note"]
    kept.write_text(print_surface(surface), encoding="utf-8")

    assert gate() == (
        2,
        "spec/released/1.2.3.json is not as it was released: its digest differs; restore the file\n",
    )


def test_a_merge_that_keeps_both_sides_of_an_entry_is_refused(
    repository: Path, gate: Gate, edit: Edit, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(REPOSITORY / ".gitattributes", repository)
    git(repository, "add", "--all")
    for branch, title in (("ours", "Read this note"), ("theirs", "Read that note")):
        git(repository, "checkout", "--quiet", "-b", branch, "change")
        edit(READ_NOTE, "title: Read a note", f"title: {title}")
        commit(repository)
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "ours")
    edit(READ_NOTE, "<<<<<<< HEAD\n", "")
    text = (repository / "spec" / READ_NOTE).read_text(encoding="utf-8")
    text = re.sub(r"=======\n.*>>>>>>> ours\n", "", text, flags=re.DOTALL)
    (repository / "spec" / READ_NOTE).write_text(text, encoding="utf-8")
    capsys.readouterr()

    assert main(["--root", str(repository), "generate", "--check"]) == 1
    assert "generated/ is out of date; run: make generate" in capsys.readouterr().err
    code, report = gate("--against", "main")
    assert (code, "surface.json" in report, "make generate" in report) == (2, True, True)
    assert main(["--root", str(repository), "generate"]) == 0
    assert gate("--against", "main")[0] == 0


def test_a_folder_with_a_generated_contract_can_be_compared_with(
    repository: Path, gate: Gate, edit: Edit, tmp_path: Path
) -> None:
    shutil.copytree(repository / "generated", tmp_path / "elsewhere" / "generated")
    edit(READ_NOTE, NAME, SHORT_NAME)

    code, report = gate("--against", str(tmp_path / "elsewhere"))

    assert code == 1
    assert "1 ERR" in report


EDITS = {
    "an envelope": ("envelopes.py", '"code"', '"kind"', "read_note.*: member `error.code`"),
    "an emitter": (
        "emit/openapi.py",
        '"operationId": tool.key',
        '"operationId": f"call_{tool.key}"',
        "operationId",
    ),
    "a template": ("templates/errors.py.jinja", "class {{ entry", "class Tool{{ entry", "python errors"),
    "an emitter of types": (
        "emit/typescript.py",
        'in required else "?"',
        'in required else ""',
        "typescript",
    ),
    "a naming": ("naming.py", '+ "Params"', '+ "Input"', "Params"),
    "what a server reads": ("emit/contract.py", '"inputSchema"', '"schema"', "inputSchema"),
}


@pytest.mark.parametrize("edited", EDITS)
def test_an_edit_of_the_generator_is_a_break_where_clients_see_it(
    repository: Path, tmp_path: Path, edited: str
) -> None:
    path, old, new, shown = EDITS[edited]
    file = copy_package(tmp_path) / "codegen" / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")

    def codegen(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603
            [sys.executable, "-m", "vcontract.codegen", "--root", str(repository), *command],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            cwd=tmp_path,
            check=False,
            capture_output=True,
            text=True,
        )

    assert codegen("generate").returncode == 0
    gate = codegen("breaking", "--against", "main")

    assert gate.returncode == 1, gate.stdout + gate.stderr
    assert re.search(f"^ERR .*{shown}", gate.stdout, re.MULTILINE), gate.stdout


def test_a_state_from_before_the_surface_was_kept_is_named(repository: Path, gate: Gate) -> None:
    git(repository, "rm", "--quiet", "generated/surface.json")
    git(repository, "commit", "--quiet", "--message", "As it was")

    code, report = gate("--against", "HEAD")

    assert code == 2
    assert "HEAD has no generated/surface.json, which is compared: it is older than that file" in report


@pytest.mark.parametrize("announced", [False, True])
def test_a_stable_tool_is_removed_only_after_a_release_deprecated_it(
    repository: Path, gate: Gate, edit: Edit, announced: bool
) -> None:
    if announced:
        edit(READ_NOTE, "stability: stable", "stability: stable\ndeprecated: {since: '1.2'}")
        assert main(["--root", str(repository), "release", "--again"]) == 0
    for path in ("resources.yaml", "server.yaml", READ_NOTE):
        edit(path, "read_note", "fetch_note")
    (repository / "spec" / READ_NOTE).rename(repository / "spec" / "tools/notes/fetch_note.yaml")
    raise_version(edit, "2.0.0")
    accept(repository, gate()[1])

    code, report = gate()

    assert code == (0 if announced else 1), report
    assert ("read_note must be deprecated in a release before it is removed." in report) is not announced


def test_a_version_below_the_released_one_is_refused(gate: Gate, edit: Edit) -> None:
    raise_version(edit, "1.2.2")

    code, report = gate()

    assert code == 1
    assert "The version is lowered: spec/server.yaml says 1.2.2, 1.2.3 is released." in report
    assert "No version is needed" not in report


def test_against_the_last_release_what_breaks_nothing_is_only_counted(gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, "title: Read a note", "title: Read one note")
    edit("policy.yaml", "default_limit: 5,", "default_limit: 4,")

    _, short = gate()
    _, whole = gate("--against", "main")

    assert "[contract-limit-tightened]" in short
    assert "contract-words-changed" not in short
    assert "1 other change, not listed" in short
    assert "[contract-words-changed]" in whole


def test_the_gravest_break_comes_first_with_its_line(repository: Path, gate: Gate, edit: Edit) -> None:
    edit("errors.yaml", "A word for the cause", "What it was")
    edit("prompts.yaml", "name: sum_up", "name: sum_all")
    edit("toolsets.yaml", "default: true", "default: false")

    _, report = gate("--against", "main", "--format", "markdown")

    assert report.startswith("**❌ 2 breaks: the prompt (it is gone, or has another name)")
    assert re.search(r"`contract-default-toolset-removed` in `spec/toolsets.yaml:\d+`", report)


def test_annotations_stand_at_the_lines_of_the_spec(gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    edit(READ_NOTE, "title: Read a note", "title: Read 100% of a note")

    code, report = gate("--format", "annotations")

    assert code == 1
    error, notice = report.splitlines()
    assert error.startswith(
        "::error file=spec/tools/notes/read_note.yaml,line=17,title=ERR input-bound-tightened::ERR   read_"
    )
    assert "%0A" in error
    assert notice.startswith("::notice file=spec/tools/notes/read_note.yaml,line=7,")
    assert "100%25 of a note" in notice


def test_what_lies_in_a_shape_or_a_mixin_is_shown_there(gate: Gate, edit: Edit) -> None:
    edit("shapes/note.yaml", "id: {type: string", "id: {type: string, maxLength: 9")
    edit("shapes/note.yaml", "enum: [memo, letter]", "enum: [memo, letter, card]")
    edit(
        "shapes/mixins.yaml", "default: 5000, description: Largest", "default: 5000, description: The largest"
    )

    _, report = gate("--format", "annotations")

    places = re.findall(r"^::\w+ file=([^,]+),line=(\d+),title=\w+ ([a-z-]+)::", report, re.MULTILINE)
    assert set(places) == {
        ("spec/shapes/mixins.yaml", "6", "input-description-changed"),
        ("spec/shapes/note.yaml", "3", "input-enum-value-added"),
        ("spec/shapes/note.yaml", "3", "output-promised-enum-grown"),
        ("spec/shapes/note.yaml", "17", "output-bound-tightened"),
    }


@pytest.mark.parametrize(
    ("path", "old", "new", "at"),
    [
        ("errors.yaml", "A word for the cause", "What it was", "reason: {"),
        ("policy.yaml", "default_limit: 5,", "default_limit: 4,", "pages: {"),
        ("toolsets.yaml", "default: true", "default: false", "default: true"),
        ("toolsets.yaml", "Writing notes", "Notes to write", "Writing notes"),
        ("resources.yaml", "maximum: 50", "maximum: 40", "limit: {"),
        ("resources.yaml", "required: [notes]", "required: []", "notes: {type"),
        ("resources.yaml", "maxLength: 20", "maxLength: 19", "id: {type"),
        ("prompts.yaml", "values: [short, long]", "values: [short]", "- {name: style"),
        ("prompts.yaml", "say: Keep to", "say: Stay with", "steps:"),
        ("shapes/note.yaml", "{type: number}]", "{type: number}, {type: boolean}]", "additionalProperties:"),
        (WRITE_NOTE, "maxLength: 10", "maxLength: 9", "items: {type: string, maxLength"),
    ],
)
def test_a_finding_stands_where_the_spec_says_what_changed(
    repository: Path, gate: Gate, edit: Edit, path: str, old: str, new: str, at: str
) -> None:
    text = (repository / "spec" / path).read_text(encoding="utf-8")
    line = text[: text.index(at)].count("\n") + 1
    edit(path, old, new)

    _, report = gate("--format", "annotations")

    assert set(re.findall(r"^::\w+ file=([^,]+),line=(\d+),", report, re.MULTILINE)) == {
        (f"spec/{path}", f"{line}")
    }


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("text", ""),
        (
            "annotations",
            "::error file=spec/tools/notes/read_note.yaml,line=27,title=example-params::id: ",
        ),
        ("markdown", "- `spec/tools/notes/read_note.yaml:27` example-params: id: "),
    ],
)
def test_a_spec_with_problems_is_refused_and_they_are_shown_where_a_reviewer_looks(
    repository: Path, edit: Edit, capsys: pytest.CaptureFixture[str], form: str, shown: str
) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME.replace("4", "1"))
    capsys.readouterr()

    assert main(["--root", str(repository), "breaking", "--format", form]) == 1

    out, err = capsys.readouterr()
    assert shown in out
    assert bool(out) is bool(shown)
    assert "spec/tools/notes/read_note.yaml:27: example-params: id: " in err


def test_markdown_has_a_section_for_each_level_and_one_for_what_the_model_reads(
    gate: Gate, edit: Edit
) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    edit(READ_NOTE, "description: Read one note.", "description: Read one note. It is whole.")
    edit("errors.yaml", "retryable: false", "retryable: true")
    edit("policy.yaml", "other: {limit: 20", "other: {limit: 30")

    code, report = gate("--format", "markdown")

    assert code == 1
    what, whom, version = (line.strip() for line in report.splitlines()[:3])
    assert what.startswith("**❌ 1 break: parameter `id` (a bound is tighter")
    assert whom == "Whom it hurts: users of read_note. Calls beyond the new bound are refused."
    assert version == "It needs version 2.0.0; spec/server.yaml says 1.2.3."
    assert re.findall(r"^## (\w+)|<summary>([^<]+)</summary>", report, re.MULTILINE) == [
        ("ERR", ""),
        ("WARN", ""),
        ("", "INFO: for the record"),
        ("", "What the model reads"),
    ]
    assert "### `read_note`: parameter `id`" in report
    assert "**Calls beyond the new bound are refused.**" in report
    assert '"id": "aaaaa"' in report
    assert '- {rule: input-bound-tightened, tool: "read_note"' in report
    assert " Read one note.\n+It is whole." in report


def test_what_accepts_the_breaks_is_one_block_of_the_comment(gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, NAME, SHORT_NAME)
    edit("toolsets.yaml", "default: true", "default: false")

    _, report = gate("--format", "markdown")

    (block,) = re.findall(r"```yaml\n(.*?)\n```", report, re.DOTALL)
    assert re.findall(r"^- {rule: ([\w-]+),", block, re.MULTILINE) == [
        "contract-default-toolset-removed",
        "input-bound-tightened",
    ]


@pytest.mark.parametrize(("count", "shown"), [(10, 10), (17, 6)])
def test_a_witness_of_many_members_is_shown_by_the_first_and_their_number(count: int, shown: int) -> None:
    whole = {f"tag_{number}": "a" for number in range(count)}

    found = shortened({"arguments": {"tags": whole}})["arguments"]["tags"]

    assert len(found) == shown
    assert found.get("…") == (f"{count} members" if shown < count else None)


def test_markdown_shows_every_line_of_words_whatever_they_hold(gate: Gate, edit: Edit) -> None:
    old, new = (
        r'"Read one note. Then:\n-- Whole.\n````\n<b>"',
        r'"Read one note. Then:\n++ Whole.\n````\n<b>"',
    )
    edit(READ_NOTE, "description: Read one note.", f"description: {old}")
    edit("server.yaml", "Notes are found", "-- Notes are found")

    _, first = gate("--format", "markdown")
    edit(READ_NOTE, old, new)
    _, second = gate("--format", "markdown")

    assert "+-- Whole.\n+````\n+<b>\n`````\n" in first
    assert "+++ Whole.\n+````\n" in second
    assert "+-- Notes are found" in second


def test_a_break_that_no_call_shows_is_called_a_statement(gate: Gate, edit: Edit) -> None:
    edit("toolsets.yaml", "default: true", "default: false")

    for form in ("text", "markdown"):
        assert "This is a statement: no single call or answer shows it." in gate("--format", form)[1]


def test_markdown_shows_what_a_problem_says_as_text(gate: Gate, edit: Edit) -> None:
    edit(READ_NOTE, "note.yaml#/$defs/Note", "note.yaml")

    assert "write &lt;file&gt;#/$defs/&lt;Shape&gt;" in gate("--format", "markdown")[1]


def test_a_change_that_tools_share_is_shown_once(gate: Gate, edit: Edit) -> None:
    edit("toolsets.yaml", "base_errors: [", "base_errors: [NO_SUCH_NOTE, ")

    _, report = gate()

    assert report.count("[tool-error-added]") == 1
    assert "WARN  find_notes" in report


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ("0.1.0", "0.1.9", False),
        ("0.1.0", "0.2.0", True),
        ("0.9.0", "1.0.0", True),
        ("1.4.0", "1.5.0", False),
        ("1.4.0", "2.0.0", True),
        ("1.4.0", "0.9.0", False),
        ("0.10.0", "0.9.0", False),
    ],
)
def test_while_the_major_version_is_zero_the_minor_one_counts(before: str, after: str, allowed: bool) -> None:
    assert allows_breaks(before, after) is allowed
    assert allows_breaks(before, next_breaking(before))


def test_each_released_contract_is_that_of_its_version() -> None:
    root = REPOSITORY / "spec" / "released"
    versions = released_versions(REPOSITORY)

    assert versions
    assert [read_state(root, f"{version}.json").version for version in versions] == versions
