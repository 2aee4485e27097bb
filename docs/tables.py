"""The formats in docs/import.md, the clients in docs/clients.md, the recorded run in docs/performance.md.

`make generate` writes them between the pages' marks, `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import re
import sys
from pathlib import Path

from typer.testing import CliRunner

from bench.scale.tables import tables
from vcontract.runtime.cli.connecting import known_clients
from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.imports.programs.declarations import declarations

ROOT = Path(__file__).parents[1]
PAGES = tuple(ROOT / "docs" / name for name in ("import.md", "clients.md", "performance.md"))
RECORDED = ROOT / "bench" / "scale" / "recorded.json"

_MARK = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)


def with_parts(page: str) -> str:
    """The page with the text of each mark made anew."""
    parts = {**tables(parse_json(RECORDED.read_bytes())), "clients": _clients()}
    parts |= {"formats": _formats(), "kept": _kept()}
    return _MARK.sub(lambda mark: mark[1] + parts[mark["name"]] + mark[3], page)


def _formats() -> str:
    listed = CliRunner().invoke(app, ["import", "--list-formats"])
    return f"```console\n$ vcontract import --list-formats\n{listed.stdout}```"


def _kept() -> str:
    """What each format stores as turns, as notices and beside them, by its declaration."""
    rows = ["| format | turn | notice | kept beside | not kept |", "|---|---|---|---|---|"]
    for spec in declarations().values():
        turn, notice, beside = _stored(spec)
        rows.append(f"| {spec['name']} | {turn} | {notice} | {beside} | {spec.get('omits', '')} |")
    return "\n".join(rows)


def _stored(spec: JsonObject) -> tuple[str, str, str]:
    if stores := spec.get("stores"):
        return stores["turn"], stores.get("notice", ""), stores.get("beside", "")
    turns = [*spec["turns"]]
    also = [_name_of(path) for turn in turns for path in turn.get("also", ())]
    also += ["names of files"] if any("files" in turn for turn in turns) else []
    beside = ["other branches"] if any("tree" in turn for turn in turns) else []
    beside += ["earlier words"] if any("edits" in turn for turn in turns) else []
    beside += ["quoted words"] if any("quoted" in turn for turn in turns) else []
    beside += ["content of files"] if any("file_data" in turn for turn in turns) else []
    notice = "notices of the program" if any("notices" in turn for turn in turns) else ""
    return ", ".join(dict.fromkeys(["text", *also])), notice, ", ".join([*beside, "other members"])


def _name_of(path: str) -> str:
    """The member that a path of further words begins with, in words."""
    names = [name for name in re.split(r"[.|]", path.replace("\\.", " ")) if re.match(r"[a-z]", name)]
    names = [name for name in names if name not in ("content", "children", "body")]
    return names[0].replace("_", " ") if names else "text"


def _clients() -> str:
    rows = [
        f"| {client['title']} | `vcontract connect {name}` | {_files(client['file'])} | `{client['under']}`"
        f" | [documentation]({client['source']}) |"
        for name, client in known_clients().items()
    ]
    return "\n".join(["| client | command | file | key | instructions |", "|---|---|---|---|---|", *rows])


def _files(files: dict[str, str]) -> str:
    systems = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
    if "any" in files:
        return f"`{files['any']}`"
    return ", ".join(f"`{file}` ({systems[system]})" for system, file in files.items())


def main() -> int:
    """Write the pages; the exit status of the command."""
    for page in PAGES:
        page.write_text(with_parts(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
