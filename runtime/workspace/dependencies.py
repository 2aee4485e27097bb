"""Install a project's dependencies from its own lock file. Most managers leave that file unchanged."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from vcontract.runtime.workspace.processes import Finished, run
from vcontract.runtime.workspace.project_facts import ProjectFacts

Status = Literal["disabled", "not_applicable", "ok", "failed", "timeout"]

_MAX_MESSAGE: Final = 2_000
# The first existing lock file decides.
_COMMANDS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("uv.lock", ("uv", "sync", "--frozen")),
    ("poetry.lock", ("poetry", "install", "--no-interaction")),
    ("pdm.lock", ("pdm", "sync")),
    ("Pipfile.lock", ("pipenv", "sync")),
    ("requirements.txt", ()),
    ("pnpm-lock.yaml", ("pnpm", "install", "--frozen-lockfile")),
    ("yarn.lock", ("yarn", "install", "--immutable")),
    ("bun.lock", ("bun", "install", "--frozen-lockfile")),
    ("bun.lockb", ("bun", "install", "--frozen-lockfile")),
    ("package-lock.json", ("npm", "ci")),
    ("Cargo.lock", ("cargo", "fetch", "--locked")),
    ("go.sum", ("go", "mod", "download")),
    ("Gemfile.lock", ("bundle", "install")),
    ("composer.lock", ("composer", "install", "--no-interaction")),
)
_ENVIRONMENTS: Final = (".venv", "venv", "env")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")
_OLD_YARN: Final = "# yarn lockfile v1"


@dataclass(frozen=True, slots=True)
class Sync:
    """Result. `message` gives the reason, or the end of the manager's output."""

    status: Status
    manager: str | None = None
    command: tuple[str, ...] | None = None
    milliseconds: int = 0
    message: str = ""

    @property
    def succeeded(self) -> bool:
        return self.status == "ok"


DISABLED: Final = Sync("disabled", message="not asked for: VCONTRACT_SESSION_DEPENDENCY_SYNC is off here")


async def sync_dependencies(facts: ProjectFacts, seconds: float) -> Sync:
    """Run the install command of the first lock file, in the order of `_COMMANDS`.

    This runs code of the project.
    """
    root = facts.workspace.seen
    top = facts.scan.top()
    found = next(((lock, command) for lock, command in _COMMANDS if lock in top), None)
    if found is None:
        return Sync("not_applicable", message="the project has no lock file that is known")
    lock: str = found[0]
    command: tuple[str, ...] = found[1]
    if lock == "requirements.txt":
        python = _own_python(root)
        if python is None:
            return Sync(
                "not_applicable", "pip", message="requirements.txt, and no virtual environment in the project"
            )
        command = (str(python), "-m", "pip", "install", "-r", "requirements.txt")
    elif lock == "yarn.lock" and _OLD_YARN in (facts.scan.text(lock) or "")[:1_000]:
        command = ("yarn", "install", "--frozen-lockfile")
    manager = "pip" if lock == "requirements.txt" else next(iter(command))
    try:
        finished = await run(command, root, seconds)
    except OSError:
        return Sync("failed", manager, command, message=f"{manager} is not on PATH")
    if finished.timed_out:
        message = f"ended after {seconds:g} s: it took too long. {_tail(finished)}".rstrip()
        return Sync("timeout", manager, command, finished.milliseconds, message)
    status: Status = "ok" if finished.succeeded else "failed"
    return Sync(status, manager, command, finished.milliseconds, _tail(finished))


def _own_python(root: Path) -> Path | None:
    pythons = [root / folder / "bin" / "python" for folder in _ENVIRONMENTS]
    return next((python for python in pythons if python.is_file()), None)


def _tail(finished: Finished) -> str:
    """Last 2,000 characters of the output, without terminal controls."""
    text = (finished.output + b"\n" + finished.errors).decode("utf-8", "replace")
    return _ESCAPES.sub("", text).strip()[-_MAX_MESSAGE:]
