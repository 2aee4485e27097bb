"""No program runs that a folder names: a session ignores whatever its git is configured to run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.tools.session.conftest import Client, Repository, make_repository
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.spec_files import read_yaml
from vcontract.runtime.workspace.git_guard import run_guarded

GIT: Final = shutil.which("git") or "git"
SETTINGS: Final[JsonObject] = read_yaml(
    (Path(__file__).parent / "program_settings.yaml").read_text(encoding="utf-8")
)
SOUNDS_LIKE_A_PROGRAM: Final = re.compile(
    r".*(?:askpass|browser|clean|cmd|command|driver|editor|external|filter|fsmonitor|helper|hook|hookspath"
    r"|pack|pager|path|process|program|proxy|smudge|textconv|tunnel|vcs)|(?:alias|pager)\..*",
    re.IGNORECASE,
)


@dataclass
class Hostile:
    """A repository with a changed file, configured to run programs; each leaves a mark."""

    repository: Repository
    folder: Path
    programs: list[str] = field(default_factory=list[str])

    def program(self, name: str = "trap") -> str:
        """A program that leaves a mark."""
        file = self.folder / "programs" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch '{self.folder}/mark of {name}'\n")
        file.chmod(0o755)
        return str(file)

    @property
    def marks(self) -> list[str]:
        return sorted(path.name.removeprefix("mark of ") for path in self.folder.glob("mark of *"))

    def set(self, **settings: str) -> None:
        """Settings of the repository, `__` for each dot of their names."""
        for name, value in settings.items():
            self.repository.git("config", name.replace("__", "."), value)

    def springs(self, command: list[str]) -> bool:
        """Whether a plain git runs the program, in a copy of the repository."""
        copy = self.folder / "copy"
        shutil.copytree(self.repository.root, copy, symlinks=True)
        subprocess.run(command, cwd=copy, capture_output=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603
        marks = self.marks
        for name in marks:
            (self.folder / f"mark of {name}").unlink()
        return bool(marks)


def fsmonitor(hostile: Hostile) -> None:
    hostile.set(core__fsmonitor=hostile.program())


def textconv(hostile: Hostile) -> None:
    hostile.repository.write(".gitattributes", "* diff=x\n")
    hostile.set(diff__x__textconv=hostile.program())


def external_diff(hostile: Hostile) -> None:
    hostile.set(diff__external=hostile.program())


def diff_command(hostile: Hostile) -> None:
    hostile.repository.write(".gitattributes", "* diff=x\n")
    hostile.set(diff__x__command=hostile.program())


def hook(hostile: Hostile) -> None:
    """Git rewrites the index if only a file's time differs, and runs a hook for it."""
    os.utime(hostile.repository.root / "README.md", (1, 1))
    place = hostile.repository.root / ".git" / "hooks" / "post-index-change"
    place.parent.mkdir(exist_ok=True)
    shutil.copy(hostile.program(), place)


def hooks_folder(hostile: Hostile) -> None:
    os.utime(hostile.repository.root / "README.md", (1, 1))
    hostile.set(core__hooksPath=str(Path(hostile.program("post-index-change")).parent))


def pager(hostile: Hostile) -> None:
    hostile.set(core__pager=hostile.program(), pager__status=hostile.program())


def signature(hostile: Hostile) -> None:
    repository = hostile.repository
    head, message = repository.git("cat-file", "commit", "HEAD").split("\n\n", 1)
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n -----END PGP SIGNATURE-----\n\n{message}\n"
    file = repository.write(".git/signed", signed)
    repository.git("reset", "-q", "--soft", repository.git("hash-object", "-t", "commit", "-w", str(file)))
    hostile.set(log__showSignature="true", gpg__program=hostile.program())


def submodule(hostile: Hostile) -> None:
    inner = make_repository(hostile.repository.root / "lib")
    hostile.repository.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n')
    hostile.repository.git("add", "lib", ".gitmodules")
    hostile.repository.git("commit", "-q", "-m", "lib")
    filtered(Hostile(inner, hostile.folder))
    inner.write("README.md", "changed\n")
    hostile.set(submodule__lib__update=f"!{hostile.program()}", diff__ignoreSubmodules="none")


def include(hostile: Hostile) -> None:
    hostile.repository.write(".gitattributes", "* filter=x\n")
    hostile.repository.write(".git/more", f'[filter "x"]\n\tclean = {hostile.program()}\n')
    hostile.set(include__path="more")


def settings_of_the_work_tree(hostile: Hostile) -> None:
    hostile.repository.write(".gitattributes", "* filter=x\n")
    hostile.set(core__repositoryFormatVersion="1", extensions__worktreeConfig="true")
    hostile.repository.git("config", "--worktree", "filter.x.clean", hostile.program())


def filtered(hostile: Hostile) -> None:
    hostile.repository.write(".gitattributes", "* filter=x\n")
    hostile.set(filter__x__clean=hostile.program(), filter__x__required="true")


def filter_process(hostile: Hostile) -> None:
    hostile.repository.write(".git/info/attributes", "* filter=x\n")
    hostile.set(filter__x__process=hostile.program(), filter__x__required="true")


def filter_of_an_odd_name(hostile: Hostile) -> None:
    attributes = hostile.repository.root / ".gitattributes"
    attributes.write_bytes(b"* filter=a=\xff.b\n")
    with (hostile.repository.root / ".git" / "config").open("ab") as file:
        file.write(b'[filter "a=\xff.b"]\n\tclean = %s\n' % os.fsencode(hostile.program()))


def lazy_fetch(hostile: Hostile, url: str = "/nowhere", **settings: str) -> None:
    """An object is missing, and git is configured with a remote to fetch it from."""
    tree = hostile.repository.git("rev-parse", "HEAD^{tree}")
    (hostile.repository.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    hostile.set(
        core__repositoryFormatVersion="1",
        extensions__partialClone="origin",
        remote__origin__promisor="true",
        remote__origin__url=url,
        protocol__allow="always",
        protocol__file__allow="always",
        protocol__ext__allow="always",
        **settings,
    )


def lazy_fetch_by_upload_pack(hostile: Hostile) -> None:
    lazy_fetch(hostile, str(hostile.repository.root), remote__origin__uploadpack=hostile.program())


def lazy_fetch_by_ssh(hostile: Hostile) -> None:
    lazy_fetch(hostile, "ssh://localhost/x", core__sshCommand=hostile.program())


def lazy_fetch_by_proxy(hostile: Hostile) -> None:
    lazy_fetch(hostile, "git://localhost/x", core__gitProxy=hostile.program())


def lazy_fetch_by_command(hostile: Hostile) -> None:
    lazy_fetch(hostile, "short:x")
    hostile.repository.git("config", f"url.ext::{hostile.program()} .insteadOf", "short:")


STATUS: Final = [GIT, "status"]
DIFF: Final = [GIT, "diff"]
LOG: Final = [GIT, "log", "-1"]
LOG_IN_A_TERMINAL: Final = [sys.executable, "-c", f"import pty; pty.spawn([{GIT!r}, 'log'])"]
WAYS: Final[dict[Callable[[Hostile], None], list[str]]] = {
    fsmonitor: STATUS,
    textconv: DIFF,
    external_diff: DIFF,
    diff_command: DIFF,
    hook: STATUS,
    hooks_folder: STATUS,
    pager: LOG_IN_A_TERMINAL,
    signature: LOG,
    submodule: STATUS,
    include: STATUS,
    settings_of_the_work_tree: STATUS,
    filtered: STATUS,
    filter_process: STATUS,
    filter_of_an_odd_name: STATUS,
    lazy_fetch_by_upload_pack: STATUS,
    lazy_fetch_by_ssh: STATUS,
    lazy_fetch_by_proxy: STATUS,
    lazy_fetch_by_command: STATUS,
}
"""How a repository may have git run a program, and what of a plain git runs it."""


@pytest.fixture
def hostile(repository: Repository, tmp_path: Path) -> Hostile:
    return Hostile(repository, tmp_path)


async def live(call: Client, repository: Repository) -> JsonObject:
    """A whole session; what init said of git."""
    begun = await call("init", working_directory=str(repository.root))
    for tool in ("status", "checkpoint", "end"):
        answer = await call(tool)
        assert answer["success"], answer
    git: JsonObject = begun["project_context"]["structure_analysis"]["git"]
    return git


@pytest.mark.parametrize("way", [pytest.param(way, id=way.__name__) for way in WAYS])
async def test_no_program_runs_that_a_repository_names(
    call: Client, hostile: Hostile, way: Callable[[Hostile], None]
) -> None:
    way(hostile)
    hostile.repository.write("src/shop.py", "price = 2\n")
    assert hostile.springs(WAYS[way])

    git = await live(call, hostile.repository)

    assert hostile.marks == []
    if "lazy" in way.__name__:
        assert git is None
    else:
        assert (git["branch"], git["changed_files"]) == ("main", 1)


async def test_a_repository_that_git_cannot_read_is_told(call: Client, hostile: Hostile) -> None:
    lazy_fetch(hostile)

    begun = await call("init", working_directory=str(hostile.repository.root))

    assert "Keep the project in git: git cannot read the state of the work tree." in begun["recommendations"]


@pytest.mark.parametrize(
    ("forgotten", "way"),
    [
        # both keep git from fetching, and an older git knows the first only
        ("GIT_NO_LAZY_FETCH", lazy_fetch_by_upload_pack),
        ("GIT_ALLOW_PROTOCOL", lazy_fetch_by_upload_pack),
        # both keep hooks from running
        ("GIT_OPTIONAL_LOCKS", hook),
        # a git older than 2.31 takes no settings from its environment, so it is not asked for more
        ("GIT_CONFIG_COUNT", filtered),
        ("GIT_CONFIG_COUNT", fsmonitor),
    ],
)
async def test_no_program_runs_where_git_does_not_know_one_of_the_guards(
    call: Client,
    hostile: Hostile,
    forgotten: str,
    way: Callable[[Hostile], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way(hostile)
    hostile.repository.write("src/shop.py", "price = 2\n")
    older = tmp_path / "older" / "git"
    older.parent.mkdir()
    older.write_text(f'#!/bin/sh\nunset {forgotten}\nexec {GIT} "$@"\n')
    older.chmod(0o755)
    monkeypatch.setenv("PATH", f"{older.parent}{os.pathsep}{os.environ['PATH']}")

    await live(call, hostile.repository)

    assert hostile.marks == []


async def test_reading_a_repository_leaves_its_index_as_it_was(call: Client, repository: Repository) -> None:
    os.utime(repository.root / "README.md", (1, 1))
    index = repository.root / ".git" / "index"
    before = index.read_bytes()

    await live(call, repository)

    assert index.read_bytes() == before


async def test_more_settings_than_can_be_read_hide_none(
    call: Client, hostile: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    filtered(hostile)
    with (hostile.repository.root / ".git" / "config").open("a", encoding="utf-8") as file:
        file.write("[many]\n" + "".join(f"\tsetting-{number} = x\n" for number in range(2_000)))
    hostile.repository.write("src/shop.py", "price = 2\n")
    monkeypatch.setattr("vcontract.runtime.workspace.processes._MAX_OUTPUT", 4_096)

    assert await live(call, hostile.repository) is None
    assert hostile.marks == []


def concrete(name: str) -> str:
    """A name of the manual as a repository may set it."""
    return re.sub(r"<\w+>|\*", "trap", name)


async def test_no_setting_of_the_manual_names_a_program(call: Client, hostile: Hostile) -> None:
    hostile.repository.write(".gitattributes", "* filter=trap diff=trap merge=trap\n")
    for row in SETTINGS["programs"]:
        program = hostile.program(re.sub(r"\W", "-", row["name"]))
        value = row.get("value", "{program}").format(program=program, folder=Path(program).parent)
        hostile.repository.git("config", concrete(row["name"]), value)
    hostile.repository.write("src/shop.py", "price = 2\n")

    git = await live(call, hostile.repository)

    assert git["changed_files"] == 1
    assert hostile.marks == []
    for row in SETTINGS["programs"]:
        if row["kept"] == "emptied":
            got = await run_guarded(
                hostile.repository.root, ["config", "--default", "", "--get", concrete(row["name"])], 30
            )
            assert got.output in (b"\n", b"false\n", b"/dev/null\n"), row["name"]


def test_the_settings_that_name_programs_are_those_of_the_manual() -> None:
    """A newer git may know more: what sounds like a program has to be looked at, and listed."""
    known = {row["name"].casefold() for row in SETTINGS["programs"]}
    known |= {name.casefold() for name in SETTINGS["others"]}
    listed = subprocess.run([GIT, "help", "--config"], capture_output=True, text=True, check=True).stdout  # noqa: S603

    named = {name.casefold() for name in listed.split("\n") if SOUNDS_LIKE_A_PROGRAM.fullmatch(name)}

    assert named - known == set()
