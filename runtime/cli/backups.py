"""`vcontract backup` and `vcontract restore`: the whole store in one file."""

import io
import json
import os
import shutil
import tarfile
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vcontract.runtime.cli.auditing import record_command
from vcontract.runtime.cli.console import note
from vcontract.runtime.cli.failures import CommandFailed, ExitCode, file_cure
from vcontract.runtime.cli.invocation import settings_of
from vcontract.runtime.cli.open_store import open_as_owner, open_store, refuse_pooler, run

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings

_FORMAT: Final = "vcontract backup"
_MANIFEST: Final = "manifest.json"
_DUMP: Final = "database.dump"
_ARCHIVE: Final = "archive"

BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="The backup file.", show_default=False)]


def backup(context: typer.Context, file: BackupFile) -> None:
    """Back up the whole store to one file.

    Includes every tenant, vectors, journals and archived sessions, as of one moment; servers can keep
    running. Tokens are stored as digests. An existing file is not overwritten.
    """
    settings = settings_of(context)
    refuse_pooler(settings, "vcontract backup")
    if file.exists():
        raise CommandFailed(f"{file} already exists", cure="name a new file", code=ExitCode.USAGE)
    run(_backup(settings, file))
    note(f"Wrote {file}, {file.stat().st_size:,} bytes.")
    _, *others = settings.stores
    if others:
        note(f"It contains the home store only; back up {', '.join(others)}, too.")


def restore(context: typer.Context, file: BackupFile) -> None:
    """Restore a backup into an empty store.

    The roles may have other names than in the original store (VCONTRACT_ROLE_PREFIX).
    """
    settings = settings_of(context)
    refuse_pooler(settings, "vcontract restore")
    manifest = _manifest_of(file)
    _refuse_newer(manifest)
    run(_restore(settings, file, manifest))
    note(f"Restored {file} of {manifest['made_at']}.")


async def _backup(settings: "Settings", file: Path) -> None:
    from vcontract.runtime.store.postgres.dumps import write_dump
    from vcontract.runtime.store.postgres.encryption import client_url
    from vcontract.runtime.store.postgres.schema_status import schema_status
    from vcontract.runtime.store.vcons.audit import WHOLE_STORE

    async with open_store(settings), open_as_owner(settings) as connection:
        applied = (await schema_status(connection)).applied
        await record_command(connection, WHOLE_STORE, "backup", {"file": file.name})
        with _folder_beside(file) as folder:
            async with client_url(connection, _address(settings)) as address:
                await write_dump(address, folder / _DUMP)
            _pack(folder, file, _archive_of(settings), max((each.version for each in applied), default=0))


async def _restore(settings: "Settings", file: Path, manifest: "JsonObject") -> None:
    from vcontract.runtime.store.postgres import migrations
    from vcontract.runtime.store.postgres.dumps import drop_schema, move_archive, read_dump, tables_with_rows
    from vcontract.runtime.store.postgres.encryption import client_url
    from vcontract.runtime.store.postgres.roles import Roles
    from vcontract.runtime.store.vcons.audit import WHOLE_STORE

    archive, roles = _archive_of(settings), Roles.of(settings)
    async with open_store(settings), open_as_owner(settings) as connection:
        _refuse_unless_empty(await tables_with_rows(connection), archive)
        archive.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # an external server may lack it
        with _folder_beside(archive) as folder:
            _unpack(file, folder)
            await drop_schema(connection)
            try:
                async with client_url(connection, _address(settings)) as address:
                    await read_dump(connection, address, folder / _DUMP, roles)
            finally:
                # empty the store again if the dump is unreadable, else migrate it
                await migrations.migrate(connection, roles=roles)
            await move_archive(connection, Path(manifest["archive"]), archive)
            entry = {"file": file.name, "made_at": manifest["made_at"]}
            await record_command(connection, WHOLE_STORE, "restore", entry)
            _move_copies(folder / _ARCHIVE, archive)


def _pack(folder: Path, file: Path, archive: Path, migrations: int) -> None:
    """Pack the dump and archived transcripts into one file, readable only by its owner."""
    manifest: JsonObject = {
        "format": _FORMAT,
        "program": metadata.version("vcontract"),
        "migrations": migrations,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "archive": str(archive),
    }
    part = folder / file.name
    part.touch(0o600)
    with tarfile.open(part, "w") as whole:
        _add_text(whole, _MANIFEST, json.dumps(manifest, indent=2))
        whole.add(folder / _DUMP, _DUMP, filter=_plain)
        for copy in _copies(archive):
            name = Path(_ARCHIVE, copy.relative_to(archive))
            with suppress(FileNotFoundError):  # deleted in the meantime
                whole.add(copy, str(name), recursive=False, filter=_plain)
    part.rename(file)


def _copies(archive: Path) -> list[Path]:
    """Archived transcripts and their folders, each folder before its contents."""
    return [archive, *sorted(archive.rglob("*"))] if archive.is_dir() else []


def _unpack(file: Path, folder: Path) -> None:
    """Extract the dump and archived transcripts, readable only by their owner.

    Not with `TarFile.extractall`, which has no safe filter before Python 3.11.4.

    Raises: CommandFailed for a member that `backup` does not write.
    """
    with tarfile.open(file) as whole:
        for member in whole:
            place = PurePosixPath(member.name)
            is_expected = member.name in (_MANIFEST, _DUMP) or place.parts[:1] == (_ARCHIVE,)
            if not is_expected or ".." in place.parts or not (member.isreg() or member.isdir()):
                raise CommandFailed(
                    f"{file} is not a backup: it contains {member.name!r}", cure="restore another backup"
                )
            target = folder / place
            if member.isdir():
                target.mkdir(mode=0o700)
                continue
            content = whole.extractfile(member)
            assert content is not None  # a regular file has content
            target.touch(0o600)
            with target.open("wb") as out:
                shutil.copyfileobj(content, out)
            os.utime(target, (member.mtime, member.mtime))


def _move_copies(unpacked: Path, archive: Path) -> None:
    if unpacked.is_dir():
        shutil.move(unpacked, archive)


def _refuse_newer(manifest: "JsonObject") -> None:
    from vcontract.runtime.store.postgres.schema_files import load_schema_files

    if manifest["migrations"] > max(migration.version for migration in load_schema_files().numbered):
        raise CommandFailed(
            f"the backup was made by a newer vcontract, {manifest['program']}",
            cure="restore it with that version, or with a newer one",
        )


def _refuse_unless_empty(held: Sequence[str], archive: Path) -> None:
    if held or archive.exists():
        raise CommandFailed(
            "the store is not empty",
            cause=f"there is something in {', '.join(held) or archive}",
            cure="name a new folder in VCONTRACT_DATA_DIR, or an empty database",
        )


def _archive_of(settings: "Settings") -> Path:
    return settings.data_dir.expanduser().absolute() / _ARCHIVE


def _address(settings: "Settings") -> str:
    """Connection URL of the store's owner."""
    from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    return EmbeddedCluster(settings.data_dir).url()


def _manifest_of(file: Path) -> "JsonObject":
    """Read the manifest of a backup. Raises: CommandFailed if it is not one."""
    from vcontract.runtime.frame.documents.json import MalformedJson, parse_json

    try:
        with tarfile.open(file) as whole:
            member = whole.extractfile(_MANIFEST)
            manifest = parse_json(member.read()) if member is not None else None
    except FileNotFoundError:
        raise CommandFailed(f"{file} not found", code=ExitCode.USAGE) from None
    except OSError as error:
        raise CommandFailed(f"cannot read {file}: {error.strerror or error}", cure=file_cure(error)) from None
    except (tarfile.TarError, KeyError, MalformedJson):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:  # pyright: ignore[reportUnknownMemberType]
        raise CommandFailed(f"{file} is not a backup", cure="`vcontract backup FILE` creates one")
    return manifest  # pyright: ignore[reportUnknownVariableType]


@contextmanager
def _folder_beside(file: Path) -> Generator[Path]:
    """Temporary private folder on the same disk."""
    try:
        with tempfile.TemporaryDirectory(prefix=".vcontract-", dir=file.absolute().parent) as folder:
            yield Path(folder)
    except OSError as error:
        raise CommandFailed(
            f"cannot write {file}: {error.strerror or error}", cure=file_cure(error)
        ) from error


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Keep files and folders, without owner."""
    if not (member.isreg() or member.isdir()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _add_text(whole: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    member = tarfile.TarInfo(name)
    member.size = len(content)
    whole.addfile(member, io.BytesIO(content))
