"""`vcontract project` links projects, removes links and shows them."""

import json
from pathlib import Path

import pytest

from tests.tools.session.conftest import Client, Connect, Run, make_repository
from vcontract.runtime.settings import Settings


@pytest.fixture
async def two_projects(connect: Connect, tmp_path: Path) -> tuple[str, str]:
    """Projects that sessions of this test's tenant worked in; their roots."""
    roots = [str(make_repository(tmp_path / name).root) for name in ("shop", "library")]
    for root in roots:
        assert (await connect()("init", working_directory=root))["success"]
    return roots[0], roots[1]


@pytest.fixture
def run(settings: Settings, tenant: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    assert settings.database_url is not None
    monkeypatch.setenv("VCONTRACT_DATABASE_URL", settings.database_url.get_secret_value())
    return Run("project", tenant)


async def test_projects_are_linked_shown_and_unlinked(run: Run, two_projects: tuple[str, str]) -> None:
    shop, library = two_projects

    linked = await run("link", "shop", library, "--kind", "extends")
    again = await run("link", "Shop", "library", "--kind", "extends")
    code, text = await run("list", "--json")
    removed = await run("unlink", "library", "shop")
    nothing = await run("unlink", "library", "shop")

    assert linked == (0, f"{shop} extends {library}\n")
    assert again == (0, f"{shop} extends {library} (already linked)\n")
    assert code == 0
    shown = json.loads(text)
    assert {entry["name"] for entry in shown["projects"]} == {"shop", "library"}
    assert shown["links"] == [{"project": shop, "kind": "extends", "other": library, "origin": "declared"}]
    assert removed == (0, "Removed 1 link.\n")
    assert nothing[0] == 1


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("link", "shop", "nowhere"), "project 'nowhere' not found"),
        (("link", "shop", "libary"), "did you mean library?"),
        (("link", "shop", "shop"), "cannot be linked to itself"),
        (("link", "shop", "library", "--kind", "likes"), "unknown kind 'likes'"),
    ],
)
async def test_a_link_that_cannot_be_is_refused(
    run: Run, two_projects: tuple[str, str], words: tuple[str, ...], reported: str
) -> None:
    code, text = await run(*words)

    assert code == 2
    assert reported in text


async def test_the_links_of_another_tenant_are_not_shown(
    call: Client, run: Run, two_projects: tuple[str, str]
) -> None:
    await run("link", *two_projects)

    assert await Run("project", "another-tenant")("list") == (0, "No projects yet.\n")
