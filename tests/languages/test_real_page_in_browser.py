"""The page over real conversations, transcripts and a journal, in a real browser; skipped without them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.languages.conftest import InChromium
from tests.languages.test_page_in_browser import COMMAND
from vcontract.codegen.documents import JsonObject

REAL: Final = Path(__file__).parents[3] / "shared" / "data"
PICTURES: Final = os.environ.get("VCONTRACT_PICTURES", "")
"""A folder for screenshots to be looked at."""
EMBEDDED: Final = "*-conversations"
"""The folder of vCons of which there are vectors: enough for a map."""


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not beside the repository")
def test_a_person_walks_through_real_conversations(
    in_chromium: InChromium, database_url: str, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "VCONTRACT_DATABASE_URL": database_url,
        "VCONTRACT_DATA_DIR": str(tmp_path / "data"),
    }

    def run(*arguments: str | Path) -> None:
        command = [*COMMAND, *map(str, arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        assert done.returncode == 0, done.stderr

    captured = {
        "content": "The line is quiet.",
        "experiencer": "Ann",
        "perspective": "I",
        "processing": "during",
    }
    run("import", *(REAL / "vcons").glob(EMBEDDED))
    run("embed")
    run("import", REAL / "vcons" / "call-centre", REAL / "transcripts")
    run(
        "call",
        "bridge_capture",
        json.dumps(captured),
        "--toolsets",
        "bridge",
    )
    with subprocess.Popen(  # noqa: S603
        [*COMMAND, "browse", "--no-open"], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        reported = {"address": process.stdout.readline().strip(), "pictures": PICTURES}
        try:
            seen: JsonObject = in_chromium("walk.mjs", reported)
        finally:
            process.terminate()

    assert (seen["messages"], seen["elsewhere"], seen["overflows"]) == ([], [], [])
    for walk in seen["walks"]:
        assert walk["marks"] == []
        assert walk["filters"] == 2  # from and until
        assert walk["found"] > 0
        assert walk["turns"] > 0
        assert walk["sessions"] == 8
        assert walk["bars"] > 100
        assert walk["names"] > 10
        assert walk["points"] == 42
