"""A copy of this package that a test edits, and a server of it in a process of its own."""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.conftest import Wire, environment

REPOSITORY = Path(__file__).parents[1]
FOLDERS = ("codegen", "generated", "handlers", "migrations", "runtime", "spec")
SERVE = "from vcontract.runtime.cli.main import main; main()"


def copy_package(root: Path) -> Path:
    """The package in `root`/vcontract, to be edited."""
    package = root / "vcontract"
    for name in FOLDERS:
        shutil.copytree(REPOSITORY / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "src" / "vcontract" / "__init__.py", package)
    return package


@asynccontextmanager
async def served(root: Path, database_url: str, *options: str) -> AsyncGenerator[Wire]:
    """A server of the package in `root`, over stdio, past the handshake."""
    settings = environment(root / "data", {"database_url": database_url, "embedding_provider": "none"})
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, "serve", *options),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, **settings, "PYTHONPATH": str(root)},
        cwd=root,
        limit=1 << 25,
    )
    wire = Wire(process)
    try:
        await wire.initialize()
        yield wire
    finally:
        await wire.kill()
