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
from vcontract.runtime.frame.documents.json import parse_json

ROOT = Path(__file__).parents[1]
PAGES = tuple(ROOT / "docs" / name for name in ("import.md", "clients.md", "performance.md"))
RECORDED = ROOT / "bench" / "scale" / "recorded.json"

_MARK = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)


def with_parts(page: str) -> str:
    """The page with the text of each mark made anew."""
    parts = {**tables(parse_json(RECORDED.read_bytes())), "formats": _formats(), "clients": _clients()}
    return _MARK.sub(lambda mark: mark[1] + parts[mark["name"]] + mark[3], page)


def _formats() -> str:
    listed = CliRunner().invoke(app, ["import", "--list-formats"])
    return f"```console\n$ vcontract import --list-formats\n{listed.stdout}```"


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
