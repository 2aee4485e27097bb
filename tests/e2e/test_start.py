"""What a server loads before it says which tools it has."""

import re
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from pathlib import Path

from tests.e2e.conftest import COMMAND, Wire, environment

LATER = {
    "cryptography.x509": "for those who sign",
    "dateparser": "for words for times",
    "jinja2": "for the page",
    "jsonschema_rs": "for the first call",
    "numpy": "for vectors",
    "onnxruntime": "for the model",
    "postgast": "for analyze_query",
    "psutil": "nothing",
    "rich": "for tables on a terminal",
    "ruamel.yaml": "for templates",
    "snowballstemmer": "for the first word",
    "tokenizers": "for the model",
    "vcontract.generated.protocols": "for the type checkers",
    "vcontract.generated.results": "for the type checkers",
    "vcontract.handlers.bridge": "for the first call of the toolset",
    "vcontract.handlers.contract": "for the first call of the toolset",
    "vcontract.handlers.memory": "for the first call of the toolset",
    "vcontract.handlers.session": "for the first call of the toolset",
    "vcontract.handlers.vcon": "for the first call of the toolset",
    "vcontract.handlers.vcon_more": "for the first call of the toolset",
    "vcontract.runtime.imports": "for transcripts and files",
    "vcontract.runtime.llm": "for the bridge",
    "vcontract.runtime.pages": "for the page",
    "vcontract.runtime.store.vcons.preparation": "for what is written",
    "vcontract.runtime.text": "for words",
    "vcontract.runtime.workspace": "for sessions",
}
"""Packages, and what they are loaded for once that is asked."""


async def test_a_start_loads_nothing_that_only_calls_need(data_dir: Path, tmp_path: Path) -> None:
    with (tmp_path / "loaded").open("wb") as reported:  # no pipe holds as much
        process = await create_subprocess_exec(
            *(
                Path(COMMAND).with_name("python"),
                "-X",
                "importtime",
                COMMAND,
                "serve",
                "--toolsets",
                "all",
            ),
            stdin=PIPE,
            stdout=PIPE,
            stderr=reported,
            env=environment(data_dir, {"embedding_provider": "none"}),
            limit=1 << 24,
        )
    wire = Wire(process)
    await wire.initialize()
    tools = (await wire.request("tools/list"))["result"]["tools"]
    await wire.kill()
    loaded = set(re.findall(r"(?m)^import time:.*\| +(\S+)$", (tmp_path / "loaded").read_text()))

    assert tools
    assert "vcontract.runtime.frame.mcp.server" in loaded
    assert {name for name in loaded for late in LATER if name == late or name.startswith(f"{late}.")} == set()
