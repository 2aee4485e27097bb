"""checkpoint reports the true state of a session, and commits only if nothing prevents it."""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import cast

import pytest

from tests.conftest import PATIENCE
from tests.tools.session.conftest import Client, Connect, Repository, Serving
from vcontract.generated.results.session import SessionCheckpointResultWorkflowInsights
from vcontract.handlers.session.checkpoints import suggestions_of
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.workspace import session_rules


@pytest.fixture
async def committing(serving: Serving) -> AsyncIterator[App]:
    async with serving(session_git_checkpoint=True) as app:
        yield app


@pytest.fixture
async def session(committing: App, connect: Connect, repository: Repository) -> Client:
    """A session in the repository, on a server that may commit."""
    call = connect(committing)
    assert (await call("init", working_directory=str(repository.root)))["success"]
    return call


async def test_tracked_changes_are_committed_and_nothing_else(
    session: Client, repository: Repository
) -> None:
    before = repository.head
    repository.write("src/shop.py", "price = 2\n")
    repository.write(".env", "SECRET=1\n")

    answer = await session("checkpoint")

    assert answer["git_checkpoint_created"] is True
    assert answer["git"]["status"] == "created"
    assert answer["git"]["commit"] == repository.head != before
    assert answer["git"]["files"] == 1
    assert answer["git"]["reason"] == "1 untracked file left alone (git add to include): .env"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == "src/shop.py"
    assert repository.git("status", "--porcelain") == "?? .env"
    message = repository.git("log", "-1", "--format=%B")
    overall = answer["quality_score"]["overall"]
    assert message.splitlines()[0] == f"checkpoint: shop (quality {overall}/100)"
    assert f"Vcontract-Session: {answer['session_id']}" in message
    assert answer["workflow_insights"]["commits_since_start"] == 1
    assert answer["workflow_insights"]["changed_files"] == 0


def merging(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.write("src/shop.py", "price = 3\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("README.md", "# Other\n")
    repository.commit()
    repository.git("merge", "-q", "--no-commit", "--no-ff", "side")


def rebasing(repository: Repository) -> None:
    repository.write("src/shop.py", "price = 3\n")
    repository.commit()
    repository.git("-c", "sequence.editor=sed -i s/pick/edit/", "rebase", "-q", "-i", "HEAD~1", check=False)
    repository.write("README.md", "# Other\n")


def picking(repository: Repository) -> None:
    """Between two commits that are picked: the conflict of the first is resolved and committed."""
    repository.git("checkout", "-q", "-b", "side")
    for price in (3, 4):
        repository.write("src/shop.py", f"price = {price}\n")
        repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("src/shop.py", "price = 5\n")
    repository.commit()
    repository.git("cherry-pick", "side~1", "side", check=False)
    repository.write("src/shop.py", "price = 6\n")
    repository.commit()
    repository.write("README.md", "# Other\n")


def detached(repository: Repository) -> None:
    repository.git("checkout", "-q", "--detach")
    repository.write("src/shop.py", "price = 3\n")


def staged(repository: Repository) -> None:
    repository.write("src/shop.py", "price = 3\n")
    repository.git("add", "src/shop.py")
    repository.write("README.md", "# Other\n")


def locked(repository: Repository) -> None:
    repository.write("src/shop.py", "price = 3\n")
    repository.write(".git/index.lock", "")


def about_to_add(repository: Repository) -> None:
    repository.write("new.py")
    repository.git("add", "--intent-to-add", "new.py")


def hook_fails(repository: Repository) -> None:
    repository.write("src/shop.py", "price = 3\n")
    repository.hook("pre-commit", "echo not today >&2; exit 1")


def untracked_only(repository: Repository) -> None:
    repository.write("new.py")


@pytest.mark.parametrize(
    ("prepare", "status", "reason"),
    [
        (merging, "refused", "merge"),
        (rebasing, "refused", "rebase"),
        (picking, "refused", "cherry_pick"),
        (detached, "refused", "detached_head"),
        (staged, "refused", "staged_changes: 1 file staged"),
        (about_to_add, "refused", "staged_changes"),
        (locked, "refused", "index_lock"),
        (hook_fails, "failed", "not today"),
        (untracked_only, "nothing_to_commit", "1 untracked file left alone"),
    ],
)
async def test_what_stands_against_a_commit_leaves_everything_as_it_was(
    session: Client, repository: Repository, prepare: object, status: str, reason: str
) -> None:
    assert callable(prepare)
    prepare(repository)
    before = state_of(repository)

    answer = await session("checkpoint")

    assert answer["success"] is True
    assert answer["git_checkpoint_created"] is False
    assert answer["git"]["status"] == status
    assert reason in answer["git"]["reason"]
    assert answer["checkpoint_id"]
    assert state_of(repository) == before


async def test_two_sessions_in_one_project_make_one_commit_of_one_change(
    serving: Serving, connect: Connect, repository: Repository
) -> None:
    before = repository.git("rev-list", "--count", "HEAD")
    repository.write("src/shop.py", "price = 3\n")
    async with serving(session_git_checkpoint=True) as app:
        one, two = connect(app), connect(app)
        for call in (one, two):
            await call("init", working_directory=str(repository.root))
        answers = await asyncio.gather(one("checkpoint"), two("checkpoint"))

    assert sorted(answer["git"]["status"] for answer in answers) == ["created", "nothing_to_commit"]
    assert int(repository.git("rev-list", "--count", "HEAD")) == int(before) + 1


async def test_a_commit_whose_message_a_hook_rewrote_is_told(session: Client, repository: Repository) -> None:
    repository.write("src/shop.py", "price = 3\n")
    repository.hook("commit-msg", 'echo "SHOP-1 checkpoint" > "$1"')

    answer = await session("checkpoint")

    assert answer["git_checkpoint_created"] is True
    assert answer["git"]["commit"] == repository.head
    assert repository.git("log", "-1", "--format=%s") == "SHOP-1 checkpoint"


async def test_a_commit_needs_an_identity(
    session: Client, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    repository.write("src/shop.py", "price = 3\n")
    repository.git("config", "--unset", "user.email")

    answer = await session("checkpoint")

    assert answer["git"]["status"] == "refused"
    assert "no_identity" in answer["git"]["reason"]


async def test_a_protected_branch_and_a_setting_that_is_off_keep_commits_away(
    serving: Serving, connect: Connect, repository: Repository
) -> None:
    repository.write("src/shop.py", "price = 3\n")
    before = state_of(repository)
    async with (
        serving(session_git_checkpoint=(repository.root,), session_git_protected_branches=("ma*",)) as on,
        serving(session_git_checkpoint=(repository.root / "src",)) as off,
    ):
        answers: list[JsonObject] = []
        for app in (on, off):
            call = connect(app)
            await call("init", working_directory=str(repository.root))
            answers.append(await call("checkpoint"))

    assert [answer["git"]["status"] for answer in answers] == ["refused", "disabled"]
    assert "protected_branch" in answers[0]["git"]["reason"]
    assert state_of(repository) == before


@pytest.mark.parametrize(
    ("hook", "script", "status", "reason"),
    [
        # to a branch that is level git switches without a word, to another one it does not
        ("pre-commit", "git symbolic-ref HEAD refs/heads/main", "created", "which is protected by main"),
        ("prepare-commit-msg", "git checkout -q --detach", "created", "from topic to no branch"),
        ("pre-commit", "git symbolic-ref HEAD refs/heads/old", "failed", "HEAD"),
        ("post-commit", "git checkout -q old", "failed", "HEAD is not at its commit"),
    ],
)
async def test_a_hook_that_switches_to_another_branch_is_told(
    serving: Serving,
    connect: Connect,
    repository: Repository,
    hook: str,
    script: str,
    status: str,
    reason: str,
) -> None:
    repository.git("branch", "old")
    repository.write("src/shop.py", "price = 2\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "topic")
    repository.write("src/shop.py", "price = 3\n")
    repository.hook(hook, script)
    async with serving(session_git_checkpoint=True, session_git_protected_branches=("main",)) as app:
        call = connect(app)
        await call("init", working_directory=str(repository.root))
        answer = await call("checkpoint")

    assert answer["git"]["status"] == status
    assert reason in answer["git"]["reason"]
    assert answer["git"]["commit"] == (repository.head if status == "created" else None)


async def test_a_repository_that_somebody_else_owns_is_told_with_its_cure(
    committing: App, connect: Connect, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretending = tmp_path / "bin" / "git"
    pretending.parent.mkdir()
    pretending.write_text(
        "#!/bin/sh\n"
        "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null\n"
        f'exec {shutil.which("git")} "$@"\n'
    )
    pretending.chmod(0o755)
    monkeypatch.setenv("PATH", f"{pretending.parent}{os.pathsep}{os.environ['PATH']}")
    repository.write("src/shop.py", "price = 2\n")
    cure = f"git config --global --add safe.directory {repository.root}"
    call = connect(committing)

    begun = await call("init", working_directory=str(repository.root))
    answer = await call("checkpoint")
    status = await call("status")

    assert answer["git"]["status"] == "refused"
    assert answer["git"]["reason"].startswith("dubious_ownership: ")
    assert answer["git"]["reason"].endswith(cure)
    assert (
        f"Keep the project in git: {answer['git']['reason'].partition(': ')[2]}." in begun["recommendations"]
    )
    assert (status["health_checks"]["git"]["ok"], cure in status["health_checks"]["git"]["detail"]) == (
        False,
        True,
    )
    assert status["permissions_status"]["checks"]["git_readable"] is False


async def test_a_repository_that_reaches_beyond_the_allowed_folders_is_left_alone(
    serving: Serving, connect: Connect, repository: Repository
) -> None:
    repository.write("src/shop.py", "price = 2\n")
    before = repository.head
    folder = repository.root / "src"
    async with serving(session_allowed_roots=(folder,), session_git_checkpoint=True) as app:
        call = connect(app)
        begun = await call("init", working_directory=str(folder))
        answer = await call("checkpoint")
        ended = await call("end")

    assert begun["project_context"]["root"] == str(folder)
    assert begun["project_context"]["structure_analysis"]["git"] is None
    assert answer["git"]["status"] == "refused"
    assert answer["git"]["reason"].startswith("outside: ")
    assert "VCONTRACT_SESSION_ALLOWED_ROOTS" in answer["git"]["reason"]
    assert ended["handoff_file_path"].startswith(f"{folder}/")
    assert not (repository.root / ".vcontract").exists()
    assert repository.head == before


async def test_a_repository_whose_work_tree_is_elsewhere_leads_nowhere(
    call: Client, repository: Repository, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    repository.git("config", "core.worktree", str(elsewhere))

    begun = await call("init", working_directory=str(repository.root))
    ended = await call("end")

    assert begun["project_context"]["root"] == str(repository.root)
    assert ended["handoff_file_path"].startswith(f"{repository.root}/")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("kind", ["repository", "link", "work tree"])
async def test_the_repository_of_another_project_is_left_alone(
    committing: App, connect: Connect, repository: Repository, tmp_path: Path, kind: str
) -> None:
    claimed, claiming = repository.root / ".git", tmp_path / "claiming"
    claiming.mkdir()
    if kind == "work tree":
        linked = tmp_path / "linked"
        repository.git("worktree", "add", "-q", "-b", "side", str(linked))
        claimed = claimed / "worktrees" / "linked"
    if kind == "link":
        (claiming / ".git").symlink_to(claimed)
    else:
        (claiming / ".git").write_text(f"gitdir: {claimed}\n")
    (claiming / "README.md").write_text("All yours.\n")
    before = repository.git("for-each-ref")
    call = connect(committing)

    begun = await call("init", working_directory=str(claiming))
    answer = await call("checkpoint")

    assert begun["project_context"]["root"] == str(claiming)
    assert begun["project_context"]["structure_analysis"]["git"] is None
    assert answer["git"]["status"] == "refused"
    assert answer["git"]["reason"].startswith("not_its_own: ")
    assert "remove it" in answer["git"]["reason"]
    assert repository.git("for-each-ref") == before


@pytest.mark.parametrize("arrangement", [["init", "-q", "--separate-git-dir"], ["init", "-q"]])
async def test_a_repository_kept_elsewhere_on_purpose_is_the_folders_own(
    committing: App, connect: Connect, repository: Repository, tmp_path: Path, arrangement: list[str]
) -> None:
    if "--separate-git-dir" in arrangement:
        repository.git(*arrangement, str(tmp_path / "kept.git"))
    else:
        kept = tmp_path / "kept" / ".git"
        kept.parent.mkdir()
        (repository.root / ".git").rename(kept)
        (repository.root / ".git").write_text(f"gitdir: {kept}\n")
        repository.git("config", "core.worktree", str(repository.root))
    call = connect(committing)

    begun = await call("init", working_directory=str(repository.root))

    assert begun["project_context"]["structure_analysis"]["git"] is not None


async def test_a_hook_that_waits_is_ended_with_all_its_processes(
    serving: Serving,
    connect: Connect,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session_rules, "GIT_SECONDS", 5.0)
    pids = tmp_path / "pids"
    repository.hook("pre-commit", f"sleep 300 & echo $! $$ > {pids}; read answer; sleep 300")
    repository.write("src/shop.py", "price = 2\n")
    before = state_of(repository)
    async with serving(session_git_checkpoint=True) as app:
        call = connect(app)
        await call("init", working_directory=str(repository.root))
        answer = await call("checkpoint")

    assert answer["git"]["status"] == "timeout"
    assert answer["git_checkpoint_created"] is False
    assert all([await has_ended(int(pid)) for pid in pids.read_text().split()])
    assert state_of(repository) == before


async def test_an_untouched_project_scores_the_same_again(call: Client, repository: Repository) -> None:
    await call("init", working_directory=str(repository.root))
    first = await call("checkpoint")
    second = await call("checkpoint")

    assert first["quality_score"] == second["quality_score"]
    assert second["workflow_insights"] == {
        "session_minutes": 0,
        "minutes_since_checkpoint": 0,
        "checkpoints": 2,
        "commits_since_start": 0,
        "changed_files": 0,
        "untracked_files": 0,
        "lines_added": 0,
        "lines_removed": 0,
        "score_change": 0,
        "reflections_stored": 0,
        "embedding_backlog": 0,
    }
    assert first["workflow_insights"]["score_change"] == 0
    assert second["optimization_suggestions"] == []
    assert second["git"]["status"] == "disabled"


async def test_overall_is_weighed_over_the_parts_that_apply(connect: Connect) -> None:
    remote = connect(local=False, name="ada")

    await remote("init")
    answer = await remote("checkpoint")

    assert answer["quality_score"] == {
        "overall": 100,
        "project_health": 0,
        "permissions": 100,
        "tools_available": 0,
        "not_applicable": ["project_health", "tools_available"],
    }
    assert answer["workflow_insights"]["changed_files"] is None


async def test_many_changes_and_a_fallen_score_are_told_with_their_numbers(
    call: Client, repository: Repository
) -> None:
    for number in range(20):
        repository.write(f"src/part{number}.py", "x = 1\n")
    repository.commit()
    await call("init", working_directory=str(repository.root))
    for number in range(20):
        repository.write(f"src/part{number}.py", "x = 2\n")
    for number in range(50):
        repository.write(f"notes/{number}.txt")
    repository.write("README.md", "")
    repository.write("pyproject.toml", "[broken")

    answer = await call("checkpoint")

    assert answer["workflow_insights"]["changed_files"] == 22
    assert answer["workflow_insights"]["lines_removed"] > 20
    reported = " ".join(answer["optimization_suggestions"])
    assert "22 tracked files are changed" in reported
    assert "50 of them" in reported
    assert f"fell by {-answer['workflow_insights']['score_change']}" in reported
    assert "22 of 24 tracked files are changed; last commit 0 min ago" in " ".join(answer["recommendations"])


def conflicting(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.write("src/shop.py", "price = 3\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("src/shop.py", "price = 4\n")
    repository.commit()
    repository.git("merge", "-q", "side", check=False)


def bisecting(repository: Repository) -> None:
    repository.git("bisect", "start")


@pytest.mark.parametrize(
    ("prepare", "advice"),
    [
        (conflicting, "Resolve the conflicts in src/shop.py, then finish the merge."),
        (merging, "Finish or abort the merge that is under way."),
        (rebasing, "Finish or abort the rebase that is under way."),
        (picking, "Finish or abort the cherry-pick that is under way."),
        (bisecting, "Finish or abort the bisect that is under way."),
    ],
)
async def test_while_git_waits_for_somebody_the_score_falls_and_the_advice_is_to_go_on(
    call: Client, repository: Repository, prepare: Callable[[Repository], None], advice: str
) -> None:
    # advice is given in order of the points that are lost, and five sentences at most
    for path in ("LICENSE", ".gitlab-ci.yml", "pylock.toml"):
        repository.write(path)
    repository.commit()
    begun = await call("init", working_directory=str(repository.root))
    prepare(repository)

    answer = await call("checkpoint")

    assert advice in answer["recommendations"]
    assert "Commit or stash" not in str(answer)
    assert answer["workflow_insights"]["score_change"] < 0
    assert begun["recommendations"] == []


async def test_what_happens_in_a_week_moves_the_score_and_the_advice(
    committing: App, connect: Connect, repository: Repository
) -> None:
    call = connect(committing)
    await call("init", working_directory=str(repository.root))
    reported: dict[str, tuple[int, str]] = {}

    async def take(day: str) -> JsonObject:
        point = await call("checkpoint")
        reported[day] = (point["quality_score"]["overall"], (point["recommendations"] or [""])[0])
        return point

    calm = await take("monday")
    conflicting(repository)
    await take("tuesday")
    repository.git("merge", "--abort")
    repository.git("checkout", "-q", "--detach")
    await take("wednesday")
    repository.git("checkout", "-q", "main")
    repository.hook("pre-commit", "echo the linter is not content >&2; exit 1")
    repository.write("src/shop.py", "price = 7\n")
    failed = await take("thursday")
    repository.hook("pre-commit", "exit 0")
    mended = await take("friday")

    scores = {day: score for day, (score, _) in reported.items()}
    assert all(scores[day] < scores["monday"] for day in ("tuesday", "wednesday", "thursday"))
    assert reported["tuesday"][1].startswith("Resolve the conflicts in src/shop.py")
    assert reported["wednesday"][1].startswith("Switch to a branch")
    assert reported["thursday"][1] == "Mend what keeps git from committing: the linter is not content"
    assert failed["quality_score"]["session"] == 50
    assert failed["workflow_insights"]["score_change"] == scores["thursday"] - scores["wednesday"]
    assert mended["git_checkpoint_created"] is True
    assert "session" not in {**calm["quality_score"], **mended["quality_score"]}
    assert scores["friday"] == scores["monday"]


async def test_no_progress_since_the_last_checkpoint_lowers_the_score(
    call: Client, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
    repository.git("commit", "-q", "--amend", "--no-edit")
    await call("init", working_directory=str(repository.root))
    first = await call("checkpoint")

    async def later(minutes: int) -> JsonObject:
        """The next checkpoint, when the last one was so long ago."""
        async with call.app.database.writing(call.caller.tenant) as connection:
            await connection.execute(
                "update vcontract.session_checkpoint set at = now() - make_interval(mins => $1)", minutes
            )
        return await call("checkpoint")

    soon, late = await later(45), await later(50)
    repository.write("src/shop.py", "price = 8\n")
    changed = await later(50)
    repository.git("checkout", "-q", "src/shop.py")
    await call("store_reflection", content="The price was right.")
    learned = await later(50)

    assert soon["quality_score"] == first["quality_score"]
    assert late["quality_score"]["session"] == 50
    assert late["quality_score"]["overall"] < first["quality_score"]["overall"]
    assert late["recommendations"][0] == (
        "Say what holds the work up, or end the session: nothing was changed, committed or learned"
        " in the 50 minutes since the last checkpoint."
    )
    assert "session" not in {**changed["quality_score"], **learned["quality_score"]}


NUMBERS: JsonObject = {
    "session_minutes": 0,
    "minutes_since_checkpoint": 0,
    "checkpoints": 1,
    "changed_files": 0,
    "untracked_files": 0,
    "score_change": 0,
    "reflections_stored": 0,
    "embedding_backlog": 0,
}


@pytest.mark.parametrize(
    ("name", "enough", "too_little"),
    [
        ("changed_files", 20, 19),
        ("untracked_files", 50, 49),
        ("minutes_since_checkpoint", 46, 45),
        ("checkpoints", 3, 2),
        ("embedding_backlog", 1_001, 1_000),
        ("score_change", -10, -9),
    ],
)
def test_a_number_suggests_something_from_its_bound_on(name: str, enough: int, too_little: int) -> None:
    assert len(suggestions_of(numbers(name, enough))) == 1
    assert suggestions_of(numbers(name, too_little)) == []


def numbers(name: str, value: int) -> SessionCheckpointResultWorkflowInsights:
    return cast("SessionCheckpointResultWorkflowInsights", {**NUMBERS, name: value})


def state_of(repository: Repository) -> tuple[str, str, str]:
    """HEAD, the index and the files of a work tree; index.lock counts as a file."""
    return (
        repository.head,
        repository.git("ls-files", "--stage"),
        repository.git("status", "--porcelain", "--ignored")
        + str(sorted(path.name for path in (repository.root / ".git").glob("*.lock"))),
    )


async def has_ended(pid: int) -> bool:
    """Whether a process ends; one that nobody waited for counts as ended."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        try:
            os.kill(pid, signal.SIG_DFL)
        except ProcessLookupError:
            return True
        if is_zombie(pid):
            return True
        await asyncio.sleep(0.02)
    return False


def is_zombie(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"
