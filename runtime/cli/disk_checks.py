"""Disk checks of `vcontract doctor`: data folder, free space and database pages."""

import asyncio
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from vcontract.runtime.cli.check_result import Check
from vcontract.runtime.cli.console import counted, size_of
from vcontract.runtime.cli.open_store import store_failures

if TYPE_CHECKING:
    from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_MIN_FREE_BYTES = 1_000_000_000
_OTHER_FOLDER = "name another folder in VCONTRACT_DATA_DIR"
_READ_OR_WRITTEN = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH


def check_free_space(folder: Path) -> Check:
    """Check that the data folder, or its nearest existing parent, is writable and has free space."""
    there = folder.absolute()
    while True:
        try:
            mode = there.stat().st_mode
            break
        except PermissionError:
            return Check("disk", "failed", f"no permission to enter the folder of {there}", _OTHER_FOLDER)
        except OSError:
            there = there.parent
    if not stat.S_ISDIR(mode) or not os.access(there, os.W_OK | os.X_OK):
        return Check("disk", "failed", f"{there} is not a writable folder", _OTHER_FOLDER)
    free = shutil.disk_usage(there).free
    if free < _MIN_FREE_BYTES:
        return Check(
            "disk", "warning", f"only {size_of(free)} free", "free disk space, or set VCONTRACT_DATA_DIR"
        )
    return Check("disk", "ok", f"{size_of(free)} free")


def check_privacy(folder: Path) -> Check | None:
    """Check that other users cannot access the data folder. None if it is missing or inaccessible."""
    try:
        found = folder.stat().st_mode
    except OSError:
        return None
    if not stat.S_ISDIR(found):
        return None
    mode = stat.S_IMODE(found)
    if mode & _READ_OR_WRITTEN:
        may = "change" if mode & (stat.S_IWGRP | stat.S_IWOTH) else "list"
        closed = mode & ~_READ_OR_WRITTEN if os.geteuid() == 0 else 0o700
        detail = f"other users can {may} the contents of {folder} (mode {mode:04o})"
        return Check("folder", "warning", detail, f"run: chmod {closed:04o} '{folder}'")
    return Check("folder", "ok", "closed to other users")


async def check_embedded_pages(data_dir: Path) -> Check:
    """Verify the checksum of every page of the embedded cluster.

    Raises: CommandFailed when the cluster cannot be started.
    """
    from vcontract.runtime.store.inspect.page_checksums import PagesUnread, find_damage
    from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

    cluster = EmbeddedCluster(data_dir)
    with store_failures():
        await asyncio.to_thread(cluster.start)
        try:
            damaged = await find_damage(cluster)
        except PagesUnread as error:
            return Check("pages", "warning", f"could not be checked: {error}", f"see {cluster.log_file}")
        finally:
            cluster.release()
    if damaged:
        return Check(
            "pages",
            "failed",
            f"damaged on the disk: {', '.join(damaged)}",
            f"stop every vcontract and copy {cluster.folder} away; then `vcontract export` what can still be "
            "read, and import it with VCONTRACT_DATA_DIR set to a new folder, on a disk that is sound",
        )
    return Check("pages", "ok", "all checked, no damage")


async def check_server_checksums(connection: "OwnerConnection") -> Check:
    """Check the checksum failures that an external server has counted."""
    if await connection.fetchval("show data_checksums") != "on":
        cure = "enable them with pg_checksums while the server is stopped"
        return Check("pages", "warning", "the server has no checksums, so it cannot detect damage", cure)
    failures: int = await connection.fetchval(
        "select coalesce(sum(checksum_failures), 0) from pg_stat_database"
    )
    if failures:
        cure = "the server's log names the files; check tables and indexes with pg_amcheck"
        return Check("pages", "failed", f"the server found {counted(failures, 'damaged page')}", cure)
    return Check("pages", "ok", "checksums are on, no damage found")
