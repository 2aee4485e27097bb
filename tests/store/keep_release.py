"""Keeps a store as this version makes it, for later ones to be tried on: `make keep-store` when releasing.

Written is tests/store/released/<version>.sql.xz: the schema and a little of every toolset.
"""

import json
import lzma
import os
import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path

from tests.house import ROOT
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.store.postgres.installation import find_installation

RELEASED = Path(__file__).parent / "released"
UUID = "0199044a-4400-8703-a883-b1dc3f18cf9a"
CALL: JsonObject = {
    "vcon": "0.4.0",
    "uuid": UUID,
    "created_at": "2025-09-01T10:00:00Z",
    "subject": "The workshop lease",
    "parties": [{"name": "Ann"}, {"name": "Ben"}],
    "dialog": [
        {
            "type": "text",
            "start": "2025-09-01T10:00:00Z",
            "parties": [0, 1],
            "body": "The workshop lease ends in May.",
            "encoding": "none",
            "mediatype": "text/plain",
        }
    ],
}
CALLS: tuple[tuple[str, JsonObject], ...] = (
    ("create_vcon", {"vcon_data": CALL}),
    ("add_tag", {"vcon_uuid": UUID, "key": "department", "value": "sales"}),
    ("session_store_reflection", {"content": "Ask for the lease early."}),
    (
        "bridge_capture",
        {
            "content": "Walked along the harbour.",
            "experiencer": "Ann",
            "perspective": "I",
            "processing": "during",
        },
    ),
)


def main() -> int:
    """Write the file; the exit status of the command."""
    file = RELEASED / f"{metadata.version('vcontract')}.sql.xz"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "VCONTRACT_DATA_DIR": folder}
        command = str(Path(sysconfig.get_path("scripts"), "vcontract"))
        for arguments in (
            *(("call", "--toolsets", "all", tool, json.dumps(given)) for tool, given in CALLS),
            ("import", str(ROOT / "docs" / "demo_session.jsonl")),
            ("embed",),
            ("token", "create", "Ann"),
        ):
            subprocess.run([command, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        cluster = EmbeddedCluster(Path(folder))
        cluster.start()
        dumped = subprocess.run(  # noqa: S603 - PostgreSQL's own program
            [
                *(find_installation().program("pg_dump"), "--dbname", cluster.url(), "--no-comments"),
                *("--schema=vcontract", "--extension=*", "--restrict-key=kept"),
            ],
            check=True,
            capture_output=True,
        )
        cluster.stop()
    RELEASED.mkdir(exist_ok=True)
    file.write_bytes(lzma.compress(dumped.stdout, preset=9))
    print(f"kept {file.relative_to(ROOT)}, {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
