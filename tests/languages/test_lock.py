"""package-lock.json: every package pinned by its content, and no word of where it was fetched from."""

import json
import re
from pathlib import Path

from vcontract.codegen.documents import JsonObject

FOLDER = Path(__file__).parent
LOCK = (FOLDER / "package-lock.json").read_text(encoding="utf-8")


def test_the_lock_holds_no_address() -> None:
    assert re.findall(r"\S*://\S*|\S*\.(?:com|org|io|net|dev)\b", LOCK) == []
    assert '"resolved"' not in LOCK


def test_the_lock_holds_what_the_package_file_asks_for() -> None:
    wanted: dict[str, str] = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))[
        "devDependencies"
    ]
    packages: dict[str, JsonObject] = json.loads(LOCK)["packages"]
    root = packages.pop("")

    assert root["devDependencies"] == wanted
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
