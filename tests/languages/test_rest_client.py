"""Clients that three generators make from generated/openapi.json, against the server that serves it."""

import asyncio
import importlib.util
import json
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import httpx2
import pytest

from tests.e2e.conftest import environment, serve_http
from tests.languages.conftest import FOLDER, ROOT
from vcontract.runtime.frame.documents.json import JsonObject

MODULES = FOLDER / "node_modules"
DOCUMENT = str(ROOT / "generated" / "openapi.json")
TSC = MODULES / "typescript" / "bin" / "tsc"
OPTIONS = (
    *("--strict", "--skipLibCheck", "--module", "nodenext"),
    *("--target", "es2022", "--lib", "es2022,dom,dom.iterable"),
)
SCRIPTS = {
    "rest.ts": (
        (
            *(MODULES / "openapi-typescript" / "bin" / "cli.js", DOCUMENT, "--output", "api.d.ts"),
            # What has a default may be left out of a call, and an object without named members has any.
            *("--default-non-nullable=false", "--empty-objects-unknown"),
        ),
        (TSC, *OPTIONS, "--exactOptionalPropertyTypes", "rest.ts"),
    ),
    "rest_functions.ts": (("functions.mjs", DOCUMENT), (TSC, *OPTIONS, "rest_functions.ts")),
}
"""By what somebody would write with a client: how it is generated and compiled."""


def run(folder: Path, *command: str | Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr


def compiled(node: str, folder: Path, script: str) -> Path:
    """The script as JavaScript, beside what is generated for it."""
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "package.json").write_text('{"type": "module"}')
    for name in (script, "functions.mjs"):
        (folder / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
    for arguments in SCRIPTS[script]:
        run(folder, node, *arguments)
    return (folder / script).with_suffix(".js")


@pytest.mark.parametrize("script", SCRIPTS)
async def test_a_generated_client_compiles_calls_and_reads(node: str, tmp_path: Path, script: str) -> None:
    program = compiled(node, tmp_path, script)
    async with serve_http(environment(tmp_path / "data", {"embedding_provider": "none"})) as (_, _, port):
        url = f"http://127.0.0.1:{port}"
        process = await asyncio.create_subprocess_exec(node, program, url, stdout=PIPE)
        out, _ = await process.communicate()

    reported: JsonObject = json.loads(out)
    assert reported["made"]["success"] is True
    assert [item["id"] for item in reported["items"]] == [reported["made"]["uuid"]]
    assert [each["uuid"] for each in reported["listed"]["vcons"]] == [reported["made"]["uuid"]]
    assert reported["refused"]["ok"] is False


async def test_generated_models_of_python_make_calls_and_read_answers(tmp_path: Path) -> None:
    options = ("--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.11")
    generator = (sys.executable, "-m", "datamodel_code_generator", "--input-file-type", "openapi", *options)
    run(tmp_path, *generator, "--input", DOCUMENT, "--output", "models.py")
    found = importlib.util.spec_from_file_location("generated_models", tmp_path / "models.py")
    assert found
    assert found.loader
    models = importlib.util.module_from_spec(found)
    sys.modules[found.name] = models  # the models refer to one another by its name
    found.loader.exec_module(models)

    async with (
        serve_http(environment(tmp_path / "data", {"embedding_provider": "none"})) as (_, _, port),
        httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}/v1/tools") as client,
    ):

        async def call(tool: str, name: str, **arguments: object) -> JsonObject:
            params = getattr(models, f"{name}Params")(**arguments)
            sent = params.model_dump_json(exclude_unset=True, by_alias=True)
            answer = await client.post(f"/{tool}", content=sent, headers={"content-type": "application/json"})
            read: JsonObject = (
                getattr(models, f"{name}Response").model_validate_json(answer.text).model_dump()
            )
            return read

        made = await call(
            "create_vcon", "CreateVcon", vcon_data={"vcon": "0.4.0", "parties": [{"name": "Ada"}]}
        )
        found_again = await call("vcon_search", "VconSearch", mode="metadata", limit=5)

    assert made["success"] is True
    assert [item["id"] for item in found_again["items"]] == [made["uuid"]]
