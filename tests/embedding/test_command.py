"""`vcontract embed`, and the worker of `vcontract serve`, as processes and commands on a real database."""

import asyncio
import json
import os
import re
import sysconfig
from asyncio.subprocess import PIPE
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.conftest import PATIENCE
from tests.embedding.conftest import Store
from tests.embedding.conversations import conversation
from vcontract.runtime.cli.embedding import Progress
from vcontract.runtime.cli.main import app
from vcontract.runtime.embedding.minilm import MiniLm
from vcontract.runtime.store.embeddings import EmbeddingStore, Waiting
from vcontract.runtime.store.postgres.database import Database

Run = Callable[..., Result]
COMMAND = str(Path(sysconfig.get_path("scripts"), "vcontract"))


@pytest.fixture
def run(database_url: str, tmp_path: Path) -> Run:
    """Runs the command on the module's database, out of the event loop; keywords are more environment."""

    def invoke(*arguments: str, **env: str) -> Result:
        settings = {
            "VCONTRACT_DATABASE_URL": database_url,
            "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
            "COLUMNS": "200",
            **env,
        }
        return CliRunner().invoke(app, arguments, env=settings)

    return invoke


async def test_embed_embeds_what_waits_and_says_so(store: Store, run: Run, tenant: str) -> None:
    await store(conversation("One.", "Two."))
    first = await asyncio.to_thread(run, "embed", "--tenant", tenant)
    await store(conversation("Three.", subject="Four"))
    second = await asyncio.to_thread(run, "embed", "--tenant", tenant)
    again = await asyncio.to_thread(run, "embed", "--tenant", tenant, "--json")

    assert (first.exit_code, second.exit_code, again.exit_code) == (0, 0, 0)
    assert first.stdout.startswith("Embedded 2 passages in ")
    assert f"2 of 2 passages embedded by {MiniLm.id}" in first.stdout
    assert "Continuing" not in first.stderr
    assert "Continuing: 2 of 4 passages already embedded" in second.stderr
    report = json.loads(again.stdout)
    report.pop("seconds")
    assert report == {
        "tenant": tenant,
        "embedded_now": 0,
        "failed": 0,
        "model": MiniLm.id,
        "passages": 4,
        "embedded": 4,
        "pending": 0,
        "coverage": 1.0,
    }


async def test_embed_that_was_stopped_goes_on_and_says_from_where(
    store: Store, run: Run, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for speaker in ("Ann", "Bo", "Cy"):
        await store(conversation(*(f"The kettle leaks, said {speaker}, {number}." for number in range(60))))
    advanced = Progress.advanced

    def interrupted(progress: Progress, waiting: Waiting) -> None:
        advanced(progress, waiting)
        if progress.done:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Progress, "advanced", interrupted)
        stopped = await asyncio.to_thread(run, "embed", "--tenant", tenant)
    resumed = await asyncio.to_thread(run, "embed", "--tenant", tenant)

    assert (stopped.exit_code, resumed.exit_code) == (130, 0)
    reported = re.search(r"Stopped after (\d+) passages in .*, (\d+) to go", stopped.stderr)
    assert reported is not None
    done, left = int(reported[1]), int(reported[2])
    assert done + left == 180
    assert f"Continuing: {done} of {done + left} passages already embedded" in resumed.stderr
    assert f"Embedded {left} passages" in resumed.stdout


def test_embed_tells_how_far_it_is_and_what_others_do_of_it() -> None:
    progress = Progress()
    stopped_before = progress.describe_progress()
    progress.advanced(Waiting(1_000, 0, is_over=False, taken=1_000))
    begun = progress.line()
    progress.advanced(Waiting(400, 0, is_over=False))

    assert stopped_before == ""
    assert begun == "0 of 1,000 passages; another process has 1,000 of them"
    assert re.fullmatch(r"600 of 1,000 passages, [\d,]+ a second, about 0 s to go", progress.line())
    assert re.fullmatch(r" after 600 passages in 0.\d s, 400 to go", progress.describe_progress())


@pytest.mark.parametrize(
    ("env", "code", "reported"),
    [
        ({"VCONTRACT_EMBEDDING_PROVIDER": "none"}, 1, "unset VCONTRACT_EMBEDDING_PROVIDER"),
        ({"VCONTRACT_EMBEDDING_PROVIDER": "onnx"}, 1, "VCONTRACT_EMBEDDING_PATH is not set"),
        ({"VCONTRACT_EMBEDDING_PROVIDER": "word2vec"}, 2, "VCONTRACT_EMBEDDING_PROVIDER"),
        ({"VCONTRACT_DATABASE_URL": "postgresql://ann:s3cret@127.0.0.1:1/no"}, 3, "cannot be used"),
    ],
)
async def test_embed_that_cannot_work_names_cause_and_cure(
    run: Run, env: dict[str, str], code: int, reported: str
) -> None:
    outcome = await asyncio.to_thread(lambda: run("embed", **env))

    assert outcome.exit_code == code
    assert reported in outcome.stderr
    assert "s3cret" not in outcome.output


async def test_the_doctor_tells_how_much_is_found_by_meaning(
    store: Store, run: Run, database: Database
) -> None:
    await store(conversation("One."), as_tenant="default")

    waiting = await asyncio.to_thread(run, "doctor", "--json")
    async with database.writing("default") as connection:
        await connection.execute("update vcontract.embedding_task set attempts = 1")
    failed = await asyncio.to_thread(run, "doctor", "--json")
    async with database.writing("default") as connection:
        await connection.execute("update vcontract.embedding_task set attempts = 0")
    await asyncio.to_thread(run, "embed")
    done = await asyncio.to_thread(run, "doctor", "--json")
    off = await asyncio.to_thread(lambda: run("doctor", "--json", VCONTRACT_EMBEDDING_PROVIDER="none"))
    broken = await asyncio.to_thread(lambda: run("doctor", "--json", VCONTRACT_EMBEDDING_PROVIDER="onnx"))

    checks = [
        next(check for check in json.loads(outcome.stdout)["checks"] if check["name"] == "embedding")
        for outcome in (waiting, done, off, broken, failed)
    ]
    assert [check["state"] for check in checks] == ["warning", "ok", "ok", "warning", "warning"]
    assert "vcontract embed" in checks[0]["cure"]
    assert checks[0]["detail"] == f"0 of 1 passage embedded by {MiniLm.id}; 1 pending"
    assert checks[4]["detail"] == f"{checks[0]['detail']}, of which 1 failed and will be retried"
    assert checks[1]["detail"] == f"1 of 1 passage embedded by {MiniLm.id}"
    assert "switched off" in checks[2]["detail"]
    assert "VCONTRACT_EMBEDDING_PATH" in checks[3]["cure"]


async def test_serve_embeds_in_the_background(
    store: Store, database: Database, database_url: str, tenant: str, tmp_path: Path
) -> None:
    async def pending() -> int:
        async with database.reading(tenant) as connection:
            return (await EmbeddingStore().coverage(connection, tenant)).pending

    await store(conversation("One.", "Two."))
    environment = {
        **os.environ,
        "VCONTRACT_DATABASE_URL": database_url,
        "VCONTRACT_DATA_DIR": str(tmp_path),
    }
    process = await asyncio.create_subprocess_exec(
        COMMAND, "serve", stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
    )
    async with asyncio.timeout(PATIENCE):
        while process.returncode is None and await pending():  # noqa: ASYNC110  (it is another process)
            await asyncio.sleep(0.05)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    answer = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    rest, errors = await asyncio.wait_for(process.communicate(b""), PATIENCE)

    assert (process.returncode, rest, errors) == (0, b"", b"")
    assert json.loads(answer)["id"] == 1
    assert await pending() == 0
