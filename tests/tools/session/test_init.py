"""init looks at a project as it is, stays where it may, and finds its session again."""

import os
from pathlib import Path

import pytest

from tests.tools.session.conftest import Client, Connect, Repository, Serving, make_repository


async def test_health_is_the_points_of_the_checks_over_their_weights(
    call: Client, repository: Repository
) -> None:
    before = Path.cwd()
    answer = await call("init", working_directory=str(repository.root))

    analysis = answer["project_context"]["structure_analysis"]
    points = {check["name"]: (check["points"], check["weight"]) for check in analysis["checks"]}
    assert points == {
        "version_control": (20, 20),
        "manifest": (15, 15),
        "lockfile": (0, 10),
        "readme": (10, 10),
        "license": (0, 5),
        "tests": (15, 15),
        "ci": (0, 10),
        "docs": (5, 5),
        "clean_tree": (10, 10),
    }
    assert answer["project_context"]["health_score"] == 75
    assert answer["recommendations"] == [
        "Lock the dependencies: no pylock.toml for pip.",
        "Set up CI: no CI configuration.",
        "Add a licence: no licence.",
    ]
    assert (answer["project_context"]["name"], answer["project_context"]["type"]) == ("shop", "python")
    assert analysis["git"]["branch"] == "main"
    assert analysis["git"]["commit"] == repository.head
    assert answer["memory_initialized"] is True
    assert answer["permissions_setup"] is True
    assert Path.cwd() == before


async def test_a_folder_without_git_and_with_an_odd_name_is_a_project(call: Client, tmp_path: Path) -> None:
    folder = tmp_path / "проект 🎉"
    folder.mkdir()

    answer = await call("init", working_directory=str(folder))

    assert answer["project_context"]["name"] == "проект 🎉"
    assert answer["project_context"]["type"] == "unknown"
    assert answer["project_context"]["structure_analysis"]["git"] is None
    applied = {check["name"] for check in answer["project_context"]["structure_analysis"]["checks"]}
    assert applied == {"version_control", "readme", "license", "docs"}
    assert answer["memory_initialized"] is True


async def test_only_allowed_folders_are_touched(serving: Serving, connect: Connect, tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "a").mkdir(parents=True)
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "file").write_text("x")
    async with serving(session_allowed_roots=(inside,)) as app:
        call = connect(app)
        refused = [
            await call("init", working_directory=str(path))
            for path in (outside, outside / "absent", inside / "link", inside / ".." / "outside")
        ]
        absent = await call("init", working_directory=str(inside / "absent"))
        file = await call("init", working_directory=str(inside / "file"))

    assert [answer["error_code"] for answer in refused] == ["PERMISSION_DENIED"] * 4
    assert len({str(answer) for answer in refused}) == 1
    assert absent["error_code"] == file["error_code"] == "PROJECT_NOT_FOUND"
    assert absent["details"] == {"parameter": "working_directory", "reason": "does_not_exist"}
    assert file["details"]["reason"] == "not_a_folder"


@pytest.mark.parametrize("given", ["~nobody-of-that-name", "a\0b", "x" * 4_000])
async def test_a_path_that_is_none_is_refused_and_breaks_nothing(call: Client, given: str) -> None:
    answer = await call("init", working_directory=given)

    assert answer["error_code"] in ("PERMISSION_DENIED", "PROJECT_NOT_FOUND", "VALIDATION_ERROR")


async def test_over_http_nothing_is_touched_unless_roots_are_set(connect: Connect, tmp_path: Path) -> None:
    remote = connect(local=False, name="ada")

    refused = await remote("init", working_directory=str(tmp_path))
    answer = await remote("init")

    assert refused["error_code"] == "PERMISSION_DENIED"
    context = answer["project_context"]
    assert (context["name"], context["type"], context["health_score"]) == ("", "unknown", 0)
    assert context["structure_analysis"]["checks"] == []
    assert answer["memory_initialized"] is True


async def test_over_http_a_tenant_works_in_its_own_roots_alone_and_runs_nothing_of_a_project(
    serving: Serving, connect: Connect, repository: Repository, tmp_path: Path, tenant: str
) -> None:
    hook = repository.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    repository.write("src/shop.py", "price = 2\n")
    before = repository.head
    root = str(repository.root)
    settings = {
        "session_allowed_roots": (repository.root,),
        "session_git_checkpoint": True,
        "session_dependency_sync": True,
    }
    async with serving(**settings) as app:
        local_only = await connect(app, local=False, name="ada")("init", working_directory=root)
    async with serving(**settings, session_http_roots={tenant: (repository.root,)}) as app:
        other = connect(app, of_tenant=f"{tenant}x", local=False, name="eve")
        refused = await other("init", working_directory=root)
        call = connect(app, local=False, name="ada")
        begun = await call("init", working_directory=root)
        taken = await call("checkpoint")
        status = await call("status")

    for answer in (local_only, refused):
        assert answer["error_code"] == "PERMISSION_DENIED"
        assert "VCONTRACT_SESSION_HTTP_ROOTS" in str(answer)
    assert begun["project_context"]["root"] == root
    assert begun["dependency_sync"]["status"] == "disabled"
    assert (taken["git"]["status"], taken["git"]["reason"]) == (
        "disabled",
        "a call over HTTP commits nothing",
    )
    assert status["permissions_status"]["allowed_roots"] == [root]
    assert repository.head == before
    assert not (tmp_path / "ran").exists()


async def test_a_linked_work_tree_counts_to_its_main_one(call: Client, repository: Repository) -> None:
    linked = repository.root.parent / "linked"
    repository.git("worktree", "add", "-q", "-b", "side", str(linked))

    answer = await call("init", working_directory=str(linked))

    assert answer["project_context"]["name"] == "shop"
    assert answer["project_context"]["root"] == str(repository.root)
    assert answer["project_context"]["working_directory"] == str(linked)
    git = answer["project_context"]["structure_analysis"]["git"]
    assert (git["branch"], git["worktree"]) == ("side", str(linked))


async def test_ignored_and_vendored_folders_are_not_looked_at(call: Client, repository: Repository) -> None:
    repository.write(".gitignore", "generated/\n")
    repository.write("generated/package.json", "{}")
    repository.write("node_modules/x/package.json", "{}")

    answer = await call("init", working_directory=str(repository.root))

    assert answer["project_context"]["structure_analysis"]["manifests"] == ["pyproject.toml"]


async def test_a_name_that_is_not_utf_8_breaks_nothing(call: Client, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    Repository(folder).write(os.fsdecode(b"caf\xe9/package.json"), "{}")

    answer = await call("init", working_directory=str(folder))

    assert answer["project_context"]["structure_analysis"]["manifests"] == ["caf\ufffd/package.json"]


async def test_a_session_is_resumed_by_its_connection(call: Client, repository: Repository) -> None:
    first = await call("init", working_directory=str(repository.root))
    second = await call("init", working_directory=str(repository.root))

    assert first["resumed"] is False
    assert second["resumed"] is True
    assert second["session_id"] == first["session_id"]
    assert second["other_active_sessions"] == 0


async def test_two_connections_in_one_project_have_a_session_each(
    connect: Connect, repository: Repository
) -> None:
    one, other = connect(), connect()
    first = await one("init", working_directory=str(repository.root))
    second = await other("init", working_directory=str(repository.root))
    await one("end")

    assert second["session_id"] != first["session_id"]
    assert second["other_active_sessions"] == 1
    assert (await other("status"))["session_active"] is True
    assert (await other("status"))["session_id"] == second["session_id"]


async def test_several_sessions_of_equal_right_have_to_be_told_apart(
    serving: Serving, connect: Connect, tmp_path: Path, tenant: str
) -> None:
    make_repository(tmp_path / "shop")
    make_repository(tmp_path / "blog")
    async with serving(session_http_roots={tenant: (tmp_path,)}) as app:
        call = connect(app, local=False, name="ada", connection=None)
        ids = {
            name: (await call("init", working_directory=str(tmp_path / name)))["session_id"]
            for name in ("shop", "blog")
        }
        ambiguous = await call("end")
        ended = await call("end", session_id=ids["shop"])
        rest = await call("end")

    assert ambiguous["error_code"] == "VALIDATION_ERROR"
    named = {entry["project"]: entry["session_id"] for entry in ambiguous["details"]["sessions"]}
    assert named == ids
    assert ended["success"] is True
    assert rest["success"] is True


async def test_a_session_of_somebody_else_cannot_be_named(connect: Connect, repository: Repository) -> None:
    mine = await connect()("init", working_directory=str(repository.root))
    other = connect(local=False, name="eve")
    foreign = connect(of_tenant="another-tenant")

    for call in (other, foreign):
        answer = await call("checkpoint", session_id=mine["session_id"])
        assert answer["error_code"] == "VALIDATION_ERROR"
        assert answer["details"]["reason"] == "unknown_session"
        assert (await call("end"))["details"]["reason"] == "no_active_session"


async def test_local_dependencies_make_related_projects(
    call: Client, repository: Repository, connect: Connect
) -> None:
    library = make_repository(repository.root.parent / "library")
    repository.write(
        "pyproject.toml",
        '[project]\nname = "shop"\ndependencies = ["library"]\n'
        '[tool.uv.sources]\nlibrary = { path = "../library" }\n',
    )
    await call("init", working_directory=str(repository.root))
    linked = await _links(call)
    repository.write("pyproject.toml", '[project]\nname = "shop"\n')
    await call("init", working_directory=str(repository.root))

    assert linked == [(str(repository.root), str(library.root), "uses", "manifest")]
    assert await _links(call) == []


async def _links(call: Client) -> list[tuple[str, str, str, str]]:
    from vcontract.runtime.store.sessions.projects import links

    async with call.app.database.reading(call.caller.tenant) as connection:
        found = await links(connection, call.caller.tenant)
    return [(link.project.root, link.other.root, link.kind, link.origin) for link in found]
