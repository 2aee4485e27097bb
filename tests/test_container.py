"""The container: what its files promise, and that the database of the compose file is made by them.

No daemon is needed: the files are read, and what they run in PostgreSQL is run in one.
"""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from ruamel.yaml import YAML
from typer.main import get_command
from typer.testing import CliRunner

from tests.test_packaging import NEEDED_TO_BUILD
from vcontract.runtime.cli.main import app
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.installation import find_installation

ROOT = Path(__file__).parents[1]
Steps = list[tuple[str, str]]


def stages() -> list[Steps]:
    """The instructions of the Dockerfile, by the stage that they are in."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    steps = [
        (line.split()[0], line.partition(" ")[2].strip())
        for line in re.sub(r"\\\n\s*", " ", text).splitlines()
        if line.strip()
    ]
    starts = [place for place, (name, _) in enumerate(steps) if name == "FROM"]
    return [steps[start:end] for start, end in zip(starts, [*starts[1:], len(steps)], strict=True)]


def compose() -> Any:
    return YAML(typ="safe").load((ROOT / "compose.yaml").read_text())  # pyright: ignore[reportUnknownMemberType]


def given(steps: Steps, name: str) -> list[str]:
    return [value for step, value in steps if step == name]


def test_the_image_is_small_runs_as_nobody_in_particular_and_tells_its_health() -> None:
    *_, last = stages()

    assert given(last, "USER") == ["10001:10001"]
    assert [step for step, _ in last].index("USER") > [step for step, _ in last].index("COPY")
    assert given(last, "COPY") == ["--from=build /opt/vcontract /opt/vcontract"]
    assert all("-slim" in image for steps in stages() for image in given(steps, "FROM"))
    assert given(last, "VOLUME") == ['["/data"]']
    (health,) = given(last, "HEALTHCHECK")
    assert "/readyz" in json.loads(health[health.index("[") :])[2]
    assert [json.loads(start) for start in (*given(last, "ENTRYPOINT"), *given(last, "CMD"))] == [
        ["vcontract"],
        ["serve", "--http", "0.0.0.0:8000"],
    ]


def test_the_image_is_built_of_the_locked_packages_and_of_what_the_package_needs() -> None:
    build, _ = stages()
    copied = [source for value in given(build, "COPY") for source in value.split()[:-1]]
    sent = re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)

    assert sorted(copied) == sorted({*NEEDED_TO_BUILD, "requirements.lock"}) == sorted(sent)
    assert "--require-hashes --requirement requirements.lock" in given(build, "RUN")[0]
    assert "--no-deps" in given(build, "RUN")[1]
    assert [step for steps in stages() for step, _ in steps if step == "ADD"] == []
    assert "BUILDKIT_SBOM_SCAN_STAGE=true" in (ROOT / "Dockerfile").read_text()


def test_services_are_bound_and_have_their_secrets_from_files() -> None:
    services = compose()["services"]
    for name in ("owner", "server"):
        service = services[name]
        variables = set(service["environment"])
        assert variables <= Settings.variables()
        assert {name for name in variables if name.removesuffix("_FILE") in secret_variables()} == {
            name for name in variables if name.endswith("_FILE")
        }
        assert service["read_only"] is True
        assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
        read = {Path(path).name for path in service["environment"].values() if path.startswith("/run/")}
        assert read == set(service["secrets"])
    assert services["server"]["ports"] == ["127.0.0.1:8000:8000"]
    assert "ports" not in services["database"]
    for mount in services["database"]["volumes"][1:]:
        assert (ROOT / mount.split(":")[0]).is_file()


def secret_variables() -> set[str]:
    return {f"VCONTRACT_{name.upper()}" for name in Settings.secrets()}


@pytest.mark.parametrize("name", ["owner", "server"])
def test_what_a_service_runs_is_a_command_with_its_options(name: str) -> None:
    words = compose()["services"][name]["command"]
    command: Any = get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    options = {option for parameter in command.params for option in parameter.opts}

    assert {word for word in words if word.startswith("--")} <= options


def test_the_database_of_the_compose_file_is_planned_as_the_command_does() -> None:
    printed = CliRunner().invoke(app, ["db", "plan"]).stdout

    assert (ROOT / "container" / "plan.sql").read_text() == printed, (
        "run: vcontract db plan > container/plan.sql"
    )


def test_secrets_are_made_once_and_for_their_owner(tmp_path: Path) -> None:
    script, folder = ROOT / "container" / "make_secrets.sh", tmp_path / "secrets"
    for _ in range(2):
        subprocess.run([script, folder], check=True)  # noqa: S603  (our own)
        made = {path.name: path.read_text() for path in folder.iterdir()}
        assert set(made) == set(compose()["secrets"])
        assert len(set(made.values())) == 4
        (folder / "metrics_token").write_text("chosen")
    subprocess.run([script, folder], check=True)  # noqa: S603  (our own)
    assert (folder / "metrics_token").read_text() == "chosen"
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_the_database_of_the_compose_file_has_both_logins_with_their_passwords(tmp_path: Path) -> None:
    subprocess.run([ROOT / "container" / "make_secrets.sh", tmp_path / "secrets"], check=True)  # noqa: ASYNC221, S603
    cluster = EmbeddedCluster(tmp_path / "data", linger=0)
    cluster.start()
    try:
        for script in ("plan.sql", "passwords.sql"):
            subprocess.run(  # noqa: ASYNC221, S603  (our own)
                [
                    find_installation().program("psql"),
                    *shlex.split("--quiet --no-psqlrc --set ON_ERROR_STOP=1 --dbname"),
                    cluster.url("postgres"),
                    *("--file", ROOT / "container" / script),
                ],
                check=True,
                env={"SECRETS": str(tmp_path / "secrets"), "PATH": "/usr/bin:/bin"},
            )
        connection = await asyncpg.connect(cluster.url("postgres"))
        rows = await connection.fetch(
            "select rolname from pg_authid"
            " where rolname ~ '^vcontract_' and rolpassword is not null order by 1"
        )
        await connection.close()
    finally:
        cluster.release()

    assert [row["rolname"] for row in rows] == ["vcontract_login", "vcontract_owner"]
