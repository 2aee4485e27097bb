"""The page in a real browser: found, read and tagged by hand, wide and narrow, light and dark."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import PATIENCE
from tests.languages.conftest import InChromium
from tests.tools.bridge.endpoint import Streamed, model_in_a_thread
from vcontract.codegen.documents import JsonObject

COMMAND = [sys.executable, "-c", "from vcontract.runtime.cli.main import main; main()"]
HOSTILE = (
    "<script>alert(1)</script><img src=http://elsewhere.example/x onerror=alert(2)> \u202eabc " + "W" * 400
)
VCON: JsonObject = {
    "vcon": "0.4.0",
    "uuid": "01900000-0000-8000-8000-000000000001",
    "created_at": "2024-01-01T10:00:00Z",
    "subject": f"Kettle {HOSTILE}",
    "parties": [{"name": "Ann"}, {"name": HOSTILE}],
    "dialog": [
        {
            "type": "text",
            "start": f"2024-01-01T10:00:0{number}Z",
            "parties": [number],
            "mediatype": "text/plain",
            "body": text,
            "encoding": "none",
        }
        for number, text in enumerate(("I want a refund.", HOSTILE))
    ],
    "analysis": [{"type": "mood", "vendor": "ear", "dialog": 0, "body": HOSTILE, "encoding": "none"}],
}


LONG: JsonObject = {
    **VCON,
    "uuid": "01900000-0000-8000-8000-000000000002",
    "subject": "Long",
    "dialog": [
        {
            **VCON["dialog"][0],
            "body": f"Turn {number}.",
            "start": f"2024-01-01T{10 + number // 3_600}:{number // 60 % 60:02}:{number % 60:02}Z",
        }
        for number in range(10_000)
    ],
}
OTHERS: list[JsonObject] = [
    {**VCON, "uuid": f"01900000-0000-8000-9000-{number:012}", "subject": f"Call {number}", "dialog": []}
    for number in range(28)
]
CAPTURED = {"content": HOSTILE, "experiencer": "Ann", "perspective": "I", "processing": "during"}


@contextmanager
def browsing(
    database_url: str,
    folder: Path,
    vcons: Sequence[JsonObject],
    *options: str,
    of_page: Sequence[str] = (),
    **settings: str,
) -> Generator[str]:
    """The address that a page of a database with these vCons, begun in `folder`, lets one browser in by.

    `options` are those of both the import and the page, `of_page` those of the page alone.
    """
    environment = {
        **os.environ,
        "HOME": str(folder),
        "VCONTRACT_DATABASE_URL": database_url,
        "VCONTRACT_DATA_DIR": str(folder / "data"),
        "VCONTRACT_EMBEDDING_PROVIDER": "none",
        **settings,
    }
    if vcons:
        path = folder / "call.json"
        path.write_text(json.dumps(vcons))
        command = [*COMMAND, "import", str(path), *options]
        subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603
    with subprocess.Popen(  # noqa: S603
        [*COMMAND, "browse", "--no-open", *options, *of_page],
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
        assert process.wait(PATIENCE) == 0


@pytest.fixture
def address(database_url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a page of the module's database."""
    with browsing(database_url, tmp_path, [VCON, LONG, *OTHERS]) as address:
        yield address


def test_a_person_finds_reads_and_tags_a_conversation(in_chromium: InChromium, address: str) -> None:
    reported: JsonObject = {
        "address": address,
        "uuid": VCON["uuid"],
        "long": LONG["uuid"],
        "captured": CAPTURED,
    }
    seen: JsonObject = in_chromium("browse.mjs", reported)

    assert (seen["messages"], seen["elsewhere"], seen["overflows"], seen["cut"]) == ([], [], [], [])
    assert (seen["marked"], seen["followed"]) == (["refund"], "q")
    assert seen["focused"].startswith("Kettle <script>alert(1)</script>")
    assert seen["turns"] == ["I want a refund.", HOSTILE.replace("\u202e", "\\u202e")]
    assert (seen["violations"], seen["unseen"]) == ([], [])
    assert seen["further"] == {"loads": 0, "shown": 10, "focused": "main"}
    windowed = seen["windowed"]
    assert max(windowed.pop("down"), windowed.pop("up")) <= 600
    assert windowed.pop("nodes") < 8_000
    jumped = {"place": "#dialog-9200", "marked": ["Turn 9200."], "last": 9_999}
    assert windowed == {"inOrder": True, "jumped": jumped, "ends": [True, 0]}
    assert seen["copied"][0].startswith("# Kettle")
    assert seen["copied"][1].endswith(f"/vcon/{VCON['uuid']}#dialog-0")
    assert (seen["managed"], seen["undone"]) == (
        "Tagged 1 conversation.",
        "Undone: the tags are as they were.",
    )
    sheet = seen["sheet"]
    assert (sheet["open"], sheet["chosen"], sheet["closed"]) == (True, 1, True)
    assert sheet["before"] != sheet["after"]
    assert (len(seen["gone"]), min(seen["gone"]) > 0) == (5, True)
    assert seen["stays"]
    without = seen["withoutScript"]
    assert (without["turns"], without["hits"], without["place"]) == (2, 1, "#dialog-0")
    for path, words in (
        ("/store", "By hour of the week"),
        ("/evidence?q=refund", "I want a refund."),
        ("/journal", "source"),
        ("/contract", "vcon_search"),
    ):
        assert words in without[path]
    assert seen["refused"] == 403


def test_a_person_begins_with_an_archive_of_500_conversations(
    in_chromium: InChromium, database_url: str, tmp_path: Path
) -> None:
    archive = tmp_path / "calls.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(500):
            vcon = {**VCON, "uuid": f"01900000-0000-8000-a000-{number:012}"}
            file.writestr(f"calls/{number}.vcon.json", json.dumps(vcon))

    with browsing(database_url, tmp_path, [], "--tenant", "begins") as address:
        seen: JsonObject = in_chromium("begin.mjs", {"address": address, "zip": str(archive)})

    assert (seen["messages"], seen["violations"], seen["overflows"]) == ([], [], [])
    assert seen["navigation"] == ["Import", "Tools", "Admin"]
    assert seen["row"] == ["calls.zip", "500", "500", "0", ""]
    assert seen["told"] == "20 of 500 conversations"
    written = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())
    assert written["mcpServers"]["vcontract"]["args"] == ["serve", "--tenant", "begins"]
    assert seen["token"].startswith("vct_")


def test_an_answer_is_read_while_a_model_writes_it(
    in_chromium: InChromium, database_url: str, tmp_path: Path
) -> None:
    vcon = {**VCON, "uuid": "01900000-0000-8000-b000-000000000001"}
    cited = [{"text": f"{number}: {HOSTILE}", "sources": [f"{vcon['uuid']}#0"]} for number in range(20)]
    first, *rest = (json.dumps(each) for each in cited)
    pieces = ('{"sentences": [' + first, *(f", {each}" for each in rest), "]}")
    with model_in_a_thread() as model:
        model.answers = [Streamed(pieces)]
        address = f"http://127.0.0.1:{model.port}"
        llm = {"VCONTRACT_LLM_BASE_URL": f"{address}/v1", "VCONTRACT_LLM_MODEL": "small-model"}
        with browsing(database_url, tmp_path, [vcon], "--tenant", "asks", **llm) as page:
            seen: JsonObject = in_chromium("answer.mjs", {"address": page, "model": address})

    assert (seen["messages"], seen["violations"], seen["overflows"]) == ([], [], [])
    turns = seen["after"]["turns"]
    assert seen["while"] == {"sentences": 1, "busy": True, "turns": turns}
    assert seen["after"] == {"sentences": 20, "busy": False, "turns": turns}
    assert turns > 0
    assert seen["place"] == "#dialog-0"
