"""status reports the state of everything and changes nothing."""

import pytest

from tests.conftest import ALL_SCOPES
from tests.services import isolated_services
from tests.tools.session.conftest import Client, Connect, Repository, Serving
from vcontract.generated.models.session import SessionStatusParams
from vcontract.handlers.session.status import StatusTools
from vcontract.runtime.app import App
from vcontract.runtime.frame.context import Caller, ToolContext
from vcontract.runtime.settings import Settings


async def test_everything_is_told_without_a_session(call: Client, repository: Repository) -> None:
    answer = await call("status", working_directory=str(repository.root))

    assert answer["session_active"] is False
    assert answer["session_id"] is None
    assert answer["project_context"]["name"] == "shop"
    assert set(answer["available_tools"]) >= {"init", "checkpoint", "end", "status"}
    assert answer["memory_system_status"]["enabled"] is True
    assert answer["memory_system_status"]["conversations_stored"] == 0
    assert answer["memory_system_status"]["reflections_stored"] == 0
    assert answer["permissions_status"]["checks"] == {
        "directory_readable": True,
        "directory_writable": True,
        "store_writable": True,
        "git_readable": True,
    }
    assert answer["permissions_status"]["opt_ins"] == {
        "dependency_sync": False,
        "git_checkpoint": False,
    }
    assert {name: check["ok"] for name, check in answer["health_checks"].items()} == {
        "store": True,
        "schema": True,
        "embeddings": True,
        "git": True,
        "working_directory": True,
    }


async def test_a_session_shows_its_project_until_it_ends(call: Client, repository: Repository) -> None:
    begun = await call("init", working_directory=str(repository.root))
    during = await call("status")
    await call("end")
    after = await call("status", session_id=begun["session_id"])

    assert during["session_active"] is True
    assert during["session_id"] == begun["session_id"]
    assert during["project_context"]["root"] == str(repository.root)
    assert after["session_active"] is False


async def test_without_a_model_that_is_said(serving: Serving, connect: Connect) -> None:
    async with serving(embedding_provider="none") as app:
        answer = await connect(app)("status")

    assert answer["memory_system_status"]["embeddings_available"] is False
    assert answer["health_checks"]["embeddings"]["ok"] is False


@pytest.mark.parametrize(
    ("folder", "code"), [("absent", "PROJECT_NOT_FOUND"), ("../../../../../../etc", "PERMISSION_DENIED")]
)
async def test_a_folder_that_cannot_be_looked_at_is_an_error(
    call: Client, repository: Repository, folder: str, code: str
) -> None:
    answer = await call("status", working_directory=f"{repository.root}/{folder}")

    assert answer["error_code"] == code


async def test_one_group_of_tools_is_built_alone(
    app: App, tenant: str, settings: Settings, repository: Repository
) -> None:
    rooted = settings.model_copy(update={"session_allowed_roots": (repository.root,)})
    tools = StatusTools(isolated_services(app.database, app.embeddings, rooted))
    caller = Caller(tenant, ALL_SCOPES, connection="test:alone", local=True)
    ctx = ToolContext(caller, app.catalogue.seen_by(caller), "0")

    answer = await tools.status(SessionStatusParams(working_directory=str(repository.root)), ctx)

    assert answer["project_context"]["name"] == "shop"
    assert answer["session_active"] is False
