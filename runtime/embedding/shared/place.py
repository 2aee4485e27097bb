"""Where the servers of one user that need the same model find the process that holds it."""

import contextlib
import fcntl
import hashlib
import json
import os
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.store.postgres import sockets

if TYPE_CHECKING:
    from vcontract.runtime.embedding.recipe import Recipe
    from vcontract.runtime.settings import Settings

OWN_MODEL: Final = "set VCONTRACT_EMBEDDING_SHARED=false, so that each server loads the model itself"
_LONGEST_LOG: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """A folder closed to other users, with three files of one process in it.

    `socket` is where it listens. `lock` is locked as long as it lives: it inherits the descriptor of whoever
    started it, and the kernel drops the lock when it dies, however it dies. `log` is what it had to say.
    """

    folder: Path
    name: str

    @classmethod
    def of(cls, settings: "Settings", recipe: "Recipe") -> "Place":
        """The place of the model of a recipe, for the store that the settings name.

        Another store, model, installation or version of the program has another place.

        Raises: ModelUnavailable when no folder can be made for it.
        """
        url = settings.database_url
        told = [
            metadata.version("vcontract"),
            sys.executable,
            str(settings.data_dir.expanduser().absolute()),
            None if url is None else url.get_secret_value(),
            recipe.document(),
            _stamp(recipe.path),
        ]
        name = hashlib.sha256(json.dumps(told, sort_keys=True).encode("ascii")).hexdigest()[:16]
        wished = settings.data_dir.expanduser().absolute() / f"embedding-{os.geteuid()}"
        if sockets.fits(wished / f"{name}.socket"):
            # where the database is elsewhere, the data folder need not be ours to write to
            with contextlib.suppress(OSError):
                # root's may have to be passed through by the user whom the embedded database runs as
                around = 0o711 if os.geteuid() == 0 else 0o700
                wished.parent.mkdir(mode=around, parents=True, exist_ok=True)
                wished.mkdir(mode=0o700, exist_ok=True)
                return cls(_private(wished), name)
        instead = sockets.substitute_for(wished)
        try:
            instead.mkdir(mode=0o700, exist_ok=True)
            return cls(_private(instead), name)
        except OSError as error:
            raise ModelUnavailable("failed", f"cannot make {instead}: {error.strerror}", OWN_MODEL) from error

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.name}.socket"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def try_lock(self) -> int | None:
        """A descriptor that holds the lock: the process does not live. None: it lives, or is being started.

        Raises: OSError.
        """
        descriptor = os.open(self.folder / f"{self.name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def open_log(self) -> IO[bytes]:
        """The log, to be written on; a long one is begun anew.

        Raises: OSError.
        """
        with contextlib.suppress(FileNotFoundError):
            if self.log.stat().st_size > _LONGEST_LOG:
                self.log.unlink()
        return os.fdopen(
            os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "ab"
        )


def _private(folder: Path) -> Path:
    if sockets.is_private(folder, {os.geteuid()}):
        return folder
    raise ModelUnavailable(
        "failed",
        f"the folder {folder} belongs to somebody else or is open to others",
        f"remove it, or {OWN_MODEL}",
    )


def _stamp(path: str | None) -> list[int] | None:
    """What tells a model's file from the one that took its place."""
    if path is None:
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size]
