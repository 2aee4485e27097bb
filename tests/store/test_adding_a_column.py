"""docs/adding-a-column.md, walked in a copy of this repository."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
GUIDE = REPOSITORY / "docs" / "adding-a-column.md"
PACKAGES = ("generated", "migrations", "runtime", "spec")

STORE_AND_LOAD = """
import asyncio, json, sys
from datetime import UTC, datetime
from pathlib import Path
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.owner import owner_connection
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.store.vcons.store import VconStore

UUIDS = [f"018f3a5e-0000-8000-8000-00000000000{number}" for number in range(3)]


async def main(url, folder):
    settings = Settings(database_url=url, data_dir=Path(folder), pool_size=1)
    async with owner_connection(settings) as owner:
        await migrate(owner)
    database, context, found = await Database.open(settings), PrepareContext.load(), []
    store = VconStore(database)
    for amended in ({}, {"amended": {"uuid": UUIDS[1]}}, {"amended": {"uuid": UUIDS[2]}}):
        vcon = prepare({"uuid": UUIDS[0], "parties": [], **amended}, context, now=datetime.now(UTC))
        await store.insert_batch("acme", [vcon], "replace")
        found.append((await store.get("acme", vcon.uuid)).amends)
    await database.close()
    print(json.dumps([each and UUIDS.index(each) for each in found]))


asyncio.run(main(*sys.argv[1:]))
"""


def copy_with_the_column(root: Path) -> None:
    """A copy of the package, changed as the guide says."""
    package = root / "vcontract"
    for name in PACKAGES:
        shutil.copytree(REPOSITORY / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "src" / "vcontract" / "__init__.py", package)
    guide = GUIDE.read_text(encoding="utf-8")
    column, function, field = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    (migration,) = re.findall(r"```sql\n(.*?)```", guide, re.DOTALL)
    vcons = package / "runtime" / "store" / "vcons"
    put(vcons / "tables.py", function + "\n\n", before=r"^VCON: Final")
    put(vcons / "tables.py", column, before=r"^    \),\n\)\nDOCUMENT: Final")
    put(vcons / "stored_vcon.py", field, before=r"^    tag_carriers: str\n")
    (command,) = re.findall(r"```sh\n(.*?)\n```", guide, re.DOTALL)
    makefile = str(REPOSITORY / "Makefile")
    made = subprocess.run(  # noqa: S603 - the guide's own command
        [*command.split(), "--no-print-directory", f"--makefile={makefile}"],
        cwd=package,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    last = max(file.name for file in (REPOSITORY / "migrations").glob("[0-9]*.sql"))
    assert made == f"migrations/{int(last[:4]) + 1:04}_amends.sql"
    (package / made).write_text(migration, encoding="utf-8")


def put(file: Path, lines: str, *, before: str) -> None:
    text = file.read_text(encoding="utf-8")
    (place,) = re.finditer(before, text, re.MULTILINE)
    file.write_text(text[: place.start()] + lines + text[place.start() :], encoding="utf-8")


async def test_a_column_is_its_declaration_its_migration_and_its_use(
    tmp_path: Path, make_empty_database: Callable[[], Awaitable[str]]
) -> None:
    copy_with_the_column(tmp_path / "copy")

    # inserted without one, revised to one, revised to another
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", STORE_AND_LOAD, await make_empty_database(), str(tmp_path / "data")),
        env={**os.environ, "PYTHONPATH": str(tmp_path / "copy")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await program.communicate()

    assert program.returncode == 0, errors.decode()
    assert json.loads(output) == [None, 1, 2]
