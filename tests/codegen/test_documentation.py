"""generated/docs: what a person reads about tools, resources and prompts."""

from pathlib import Path

import jsonschema_rs
import pytest

from vcontract.codegen.model import Contract
from vcontract.runtime.frame.documents.json import parse_json


def section(files: dict[str, str], tool: str) -> list[str]:
    """The lines about one tool."""
    return files["docs/tools.md"].partition(f"### `{tool}`\n")[2].partition("\n### ")[0].splitlines()


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        ("find_notes", "Find the notes that hold a word. Newest first."),
        ("find_notes", "Also answers to: `search_notes`."),
        (
            "find_notes",
            "Scope `read`; rate class `search`; envelope `page`; reads only; beta since 1.0.",
        ),
        ("find_notes", "| `word` | string, at least 1 character | yes | The word to find. |"),
        ("find_notes", "| `kind` | `memo` \\| `letter` |  | Only notes of this sort. |"),
        ("find_notes", "| `limit` | integer, 1 to 50 |  | Most notes of one page. Default `5`. |"),
        ("find_notes", "| `items[].score` | number | yes | How well it fits. |"),
        ("read_note", "| `NO_SUCH_NOTE` | no | There is no such note. |"),
        (
            "desk_write_note",
            "Scope `write`; rate class `other`; envelope `success`; writes; "
            "may destroy data; safe to repeat; experimental since 1.1.",
        ),
        ("desk_write_note", "| `colours` | array of string, at most 10 characters |  | Colours to use. |"),
        (
            "desk_write_note",
            "| `before.kind` | `memo` \\| `letter` | yes | What sort of note it is; will not grow. |",
        ),
    ],
)
def test_a_tool_is_documented_with_what_its_file_says(
    good_files: dict[str, str], tool: str, line: str
) -> None:
    assert line in section(good_files, tool)


def test_the_first_success_is_the_example(good_files: dict[str, str]) -> None:
    blocks = "\n".join(section(good_files, "read_note")).split("```json\n")[1:]

    params, response = (parse_json(block.partition("```")[0]) for block in blocks)
    assert params == {"id": "n1"}
    assert response["item"] == {"id": "n1", "kind": "memo", "author": {"name": "Ada"}}


def test_meta_schemas_are_json_schemas(repository: Path) -> None:
    for file in sorted((repository / "spec" / "meta").glob("*.schema.json")):
        jsonschema_rs.meta.validate(parse_json(file.read_bytes()))


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (
            "docs/resources.md",
            "| `note://v1/notes/newest/{limit}` | [Newest notes](#newest) | `find_notes` |",
        ),
        ("docs/resources.md", "| `limit` | integer, 1 to 50 |  | Most notes. Default `5`. |"),
        (
            "docs/resources.md",
            "| `notes[].kind` | `memo` \\| `letter` | yes | What sort of note it is; will not grow. |",
        ),
        ("docs/resources.md", "`note://v1/notes/newest/2`:"),
        ("docs/prompts.md", "Also answers to: `summarise`."),
        ("docs/prompts.md", "| `subject` | yes | What about. |"),
        ("docs/prompts.md", "1. Call `find_notes`."),
    ],
)
def test_resources_and_prompts_are_documented(good_files: dict[str, str], file: str, line: str) -> None:
    assert line in good_files[file].splitlines()


def test_the_content_of_a_resource_is_the_item_of_its_tool_where_it_says_nothing(
    good_contract: Contract,
) -> None:
    tools = {tool.key: tool for tool in good_contract.tools}
    (note,) = [resource for resource in good_contract.resources if resource.name == "note"]

    item = tools["read_note"].output_schema["oneOf"][0]["properties"]["item"]
    assert {name: note.content[name] for name in item} == item
