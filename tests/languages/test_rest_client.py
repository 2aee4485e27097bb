"""A client that is generated from generated/openapi.json, against the server that serves it."""

import asyncio
import json
import subprocess
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.e2e.conftest import environment, serve_http
from tests.languages.conftest import FOLDER, ROOT
from vcontract.runtime.documents.json import JsonObject

MODULES = FOLDER / "node_modules"
GENERATED = ("--default-non-nullable=false", "--empty-objects-unknown")
"""What has a default may be left out of a call, and an object without named members has any."""
OPTIONS = (
    *("--strict", "--exactOptionalPropertyTypes", "--skipLibCheck"),
    *("--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"),
)


def compiled(node: str, folder: Path) -> Path:
    """rest.ts as JavaScript, beside the types that are generated for it."""
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "rest.ts").write_text((FOLDER / "rest.ts").read_text(encoding="utf-8"), encoding="utf-8")
    document = str(ROOT / "generated" / "openapi.json")
    for arguments in (
        (MODULES / "openapi-typescript" / "bin" / "cli.js", document, *GENERATED, "--output", "api.d.ts"),
        (MODULES / "typescript" / "bin" / "tsc", *OPTIONS, "rest.ts"),
    ):
        run = subprocess.run([node, *arguments], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
        assert run.returncode == 0, run.stdout + run.stderr
    return folder / "rest.js"


async def test_a_generated_client_calls_and_reads(node: str, tmp_path: Path) -> None:
    script = compiled(node, tmp_path)
    async with serve_http(environment(tmp_path / "data", {"embedding_provider": "none"})) as (_, _, port):
        process = await asyncio.create_subprocess_exec(node, script, f"http://127.0.0.1:{port}", stdout=PIPE)
        out, _ = await process.communicate()

    told: JsonObject = json.loads(out)
    assert told["made"]["success"] is True
    assert [item["id"] for item in told["items"]] == [told["made"]["uuid"]]
    assert [each["uuid"] for each in told["listed"]["vcons"]] == [told["made"]["uuid"]]
    assert told["refused"]["ok"] is False
