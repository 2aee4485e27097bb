"""Local actions of the web page: import uploaded files and configure clients, by running our commands."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.administering import Administration
from vcontract.runtime.pages.onboarding import Offered, Run, UploadRejected
from vcontract.runtime.pages.saved_searches import SavedSearches

_COMMAND: Final = (sys.executable, "-c", "from vcontract.runtime.cli.main import main; main()")
_MAX_UPLOAD_BYTES: Final = 2 << 30
_MAX_UPLOAD_FILES: Final = 20_000
_MAX_FOLDERS: Final = 64
_MAX_PATH_BYTES: Final = 2_000
_MAX_NAME_BYTES: Final = 200
_MAX_LOG_LINES: Final = 100
_MAX_LISTED_FILES: Final = 200
_PATIENCE: Final = 20.0
"""Seconds for a cancelled import to end by itself."""


@dataclass(frozen=True, slots=True)
class Clients:
    """How to configure MCP clients for a server with given options."""

    offers: Callable[[Sequence[str]], Sequence[tuple[str, str, str, str]]]
    """Lists for each client its name, title, configuration file and entry."""
    accept: Callable[[str, Sequence[str]], str]
    """Writes a client's entry and returns a report. Raises: ValueError."""


class LocalMachine:
    """Stores uploaded files, and runs one import at a time as a subprocess."""

    def __init__(
        self,
        tenant: str,
        env_file: Path | None,
        clients: Clients,
        administration: Administration,
        data_dir: Path,
        programs: Sequence[str],
    ) -> None:
        self._clients = clients
        self.administration = administration
        self.searches = SavedSearches(data_dir, tenant)
        self.run: Run | None = None
        self.programs = programs
        """Coding agents with sessions on this machine."""
        self._options = [] if env_file is None else ["--env-file", str(env_file)]
        self._tenant = ["--tenant", tenant]
        self._home = tempfile.TemporaryDirectory(prefix="vcontract-import-")
        self._sent: dict[Path, int] = {}
        self._process: Process | None = None
        self.following: asyncio.Task[None] | None = None
        """Ends when the import has ended."""

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Store an uploaded file under its name."""
        self._check_idle()
        if len(self._sent) >= _MAX_UPLOAD_FILES:
            raise UploadRejected(
                f"These are more than {_MAX_UPLOAD_FILES:,} files. Use `vcontract import FOLDER` for them."
            )
        path = self._place(name)
        self._sent[path] = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                async for piece in pieces:
                    self._sent[path] += len(piece)
                    if sum(self._sent.values()) > _MAX_UPLOAD_BYTES:
                        raise UploadRejected(
                            "These files are larger than 2 GiB. Use `vcontract import` for them."
                        )
                    file.write(piece)
        except OSError as error:
            raise UploadRejected(f"{name} cannot be written: {error.strerror or error}") from error

    async def begin(self, what: str) -> None:
        """Start the import."""
        self._check_idle()
        report = Path(self._home.name, "report.json")
        await asyncio.to_thread(report.unlink, missing_ok=True)
        match what:
            case "files" if self._sent:
                description = f"{len(self._sent):,} file{'s' * (len(self._sent) != 1)}"
                command = ["import", str(self._folder), "--report", str(report)]
            case "files":
                raise UploadRejected("No file was sent. Choose files, or drop them onto the page.")
            case "examples":
                description, command = (
                    "the example conversations",
                    ["import", "--examples", "--report", str(report)],
                )
            case "sessions" if self.programs:
                description, command = f"sessions of {', '.join(self.programs)}", ["sync"]
            case _:
                raise UploadRejected(f"{what!r} cannot be imported.")
        self.run = Run(description)
        self._process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            *self._options,
            *command,
            *self._tenant,
            stdout=PIPE,
            stderr=STDOUT,
            start_new_session=True,
        )
        self.following = asyncio.create_task(self._follow(self.run, self._process, report))

    async def cancel(self) -> None:
        """Cancel the import as Ctrl-C does: what is stored stays."""
        if self.run is None or self._process is None or self.following is None or self.run.code is not None:
            self._forget()
            return
        self.run.is_cancelled = True
        for way in (signal.SIGINT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, way)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self.following), _PATIENCE)
                return

    async def close(self) -> None:
        """Stop the import and delete uploaded files."""
        await self.cancel()
        self._home.cleanup()

    def clients(self) -> list[Offered]:
        """List the clients that `vcontract connect` supports."""
        return [Offered(*offer) for offer in self._clients.offers(self._tenant)]

    def connect(self, client: str) -> str:
        """Configure a client as `vcontract connect CLIENT --yes` does."""
        try:
            return self._clients.accept(client, self._tenant)
        except ValueError as error:
            raise UploadRejected(str(error)) from error

    @property
    def _folder(self) -> Path:
        return Path(self._home.name, "sent")

    def _check_idle(self) -> None:
        if self.run is not None and self.run.code is None:
            raise UploadRejected("An import is running. Wait for its end, or cancel it.")

    def _place(self, name: str) -> Path:
        """Path for an uploaded file, always below the upload folder."""
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if len(parts) > _MAX_FOLDERS or len("/".join(parts).encode()) > _MAX_PATH_BYTES:
            raise UploadRejected(
                f"{name[:40]}… is too deep: at most {_MAX_FOLDERS} folders and {_MAX_PATH_BYTES:,} bytes are "
                "allowed. Use `vcontract import FOLDER`."
            )
        if not parts or not all(
            part.isprintable() and len(part.encode()) <= _MAX_NAME_BYTES for part in parts
        ):
            raise UploadRejected(f"{name!r} cannot be the name of a file.")
        return self._folder.joinpath(*parts)

    async def _follow(self, run: Run, process: Process, report: Path) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            text = line.decode(errors="replace").rstrip().replace(f"{self._folder}/", "")
            run.lines = [*run.lines, text][-_MAX_LOG_LINES:]
        code = await process.wait()
        run.files = await asyncio.to_thread(self._reported, report)
        self._forget()
        run.code = code

    def _reported(self, report: Path) -> list[JsonObject]:
        try:
            files: list[JsonObject] = json.loads(report.read_bytes())["files"]
        except (OSError, ValueError):
            return []
        shown = [
            {**file, "name": (file.get("file") or file["path"]).removeprefix(f"{self._folder}/")}
            for file in files
        ]
        return sorted(shown, key=lambda file: not file.get("why"))[:_MAX_LISTED_FILES]

    def _forget(self) -> None:
        for path in self._sent:
            path.unlink(missing_ok=True)
        self._sent.clear()
