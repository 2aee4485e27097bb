"""Watch the folders of sessions, and report changed files."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from vcontract.runtime.imports.transcripts.session_folders import SessionLocation, transcript_files

_PAUSE_MS: Final = 1_600
"""How long to collect further changes before reporting."""
_LOGS: Final = ("-wal", "-journal", "-shm")
"""Files that SQLite writes beside a database, often for a long time instead of it."""


class CannotFollow(Exception):
    """Files cannot be watched here; the message says why."""

    def __init__(self, message: str, cure: str) -> None:
        self.cure = cure
        super().__init__(message)


def check_following() -> None:
    """Check that watching works. Raises: CannotFollow."""
    if find_spec("watchfiles") is None:
        raise CannotFollow(
            "watching files needs the package watchfiles", cure="pip install '.[watch]' in a checkout"
        )


@asynccontextmanager
async def following(
    places: Sequence[SessionLocation], stop: asyncio.Event
) -> AsyncGenerator[AsyncIterator[list[Path]]]:
    """Yield changed session files in batches until `stop` is set.

    Raises: CannotFollow.
    """
    changes: asyncio.Queue[set[Path] | None] = asyncio.Queue()
    folders = {place.path for place in places if place.path.is_dir()}
    beside = {place.path.parent for place in places if not place.path.is_dir()}
    try:
        async with asyncio.TaskGroup() as group:
            watching = [
                group.create_task(_watch(watched, changes, stop, recursive=recursive))
                for watched, recursive in ((folders, True), (beside, False))
                if watched
            ]
            for task in watching:
                task.add_done_callback(lambda _: changes.put_nowait(None))
            try:
                yield _changed_files(places, changes, len(watching))
            finally:
                stop.set()
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def changes_in(folder: Path, stop: asyncio.Event) -> AsyncIterator[set[Path] | None]:
    """Yield None once the folder is watched, then sets of changed files, until `stop` is set.

    Raises: CannotFollow.
    """
    from watchfiles import awatch

    changes = awatch(
        folder,
        stop_event=stop,
        debounce=_PAUSE_MS,
        watch_filter=None,
        step=200,
        rust_timeout=500,
        yield_on_timeout=True,
    )
    is_watched = False
    try:
        async for several in changes:
            if not is_watched:
                is_watched = True
                yield None
            elif several:
                yield {_whole(Path(name)) for _, name in several}
    except (OSError, RuntimeError) as error:
        raise CannotFollow(
            f"{folder} cannot be watched: {error}",
            cure="allow more watched files, or run `vcontract import` from time to time",
        ) from None


async def _watch(
    folders: Iterable[Path],
    changes: "asyncio.Queue[set[Path] | None]",
    stop: asyncio.Event,
    *,
    recursive: bool,
) -> None:
    """Watch folders and queue changes. Raises: CannotFollow."""
    from watchfiles import awatch

    found = awatch(
        *folders, stop_event=stop, recursive=recursive, debounce=_PAUSE_MS, watch_filter=None, step=200
    )
    try:
        async for several in found:
            changes.put_nowait({Path(name) for _, name in several})
    except (OSError, RuntimeError) as error:  # errors of the operating system, as watchfiles raises them
        raise CannotFollow(
            f"the files cannot be followed: {error}",
            cure="allow more watched files, or run `vcontract sync` from time to time",
        ) from None


async def _changed_files(
    places: Sequence[SessionLocation], changes: "asyncio.Queue[set[Path] | None]", watching: int
) -> AsyncIterator[list[Path]]:
    while watching:
        changed = await changes.get()
        if changed is None:
            watching -= 1
        elif files := sorted({path for each in changed for path in _files(places, _whole(each))}):
            yield files


def _whole(path: Path) -> Path:
    """Return the database of an SQLite log; any other file is itself."""
    ending = next((ending for ending in _LOGS if path.name.endswith(ending)), "")
    return path.with_name(path.name.removesuffix(ending))


def _files(places: Sequence[SessionLocation], path: Path) -> list[Path]:
    """Return the file if it may contain sessions of a program at this place."""
    of = next((place for place in places if path == place.path or place.path in path.parents), None)
    if of is None or not of.program.may_hold(path.name):
        return []
    return transcript_files([SessionLocation(of.program, path)])
