"""The list of formats in docs/import.md and the tables of the recorded run in docs/performance.md.

`make generate` writes them between the pages' marks, `<!-- generated: NAME -->` and `<!-- end -->`.
"""

import re
import sys
from pathlib import Path

from typer.testing import CliRunner

from bench.scale.tables import tables
from vcontract.runtime.cli.main import app
from vcontract.runtime.documents.json import parse_json

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "docs" / "import.md", ROOT / "docs" / "performance.md")
RECORDED = ROOT / "bench" / "scale" / "recorded.json"

_MARK = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)


def with_parts(page: str) -> str:
    """The page with the text of each mark made anew."""
    parts = {**tables(parse_json(RECORDED.read_bytes())), "formats": _formats()}
    return _MARK.sub(lambda mark: mark[1] + parts[mark["name"]] + mark[3], page)


def _formats() -> str:
    listed = CliRunner().invoke(app, ["import", "--list-formats"])
    return f"```console\n$ vcontract import --list-formats\n{listed.stdout}```"


def main() -> int:
    """Write the pages; the exit status of the command."""
    for page in PAGES:
        page.write_text(with_parts(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
