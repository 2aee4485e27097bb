"""Keeps what users hold of a release for later versions to open: `make keep-store` when releasing.

Written is tests/golden/<version>: a cursor, a signed vCon, the contract's digest, an export and a backup.
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
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.store.keep_release import CALL, UUID
from vcontract.generated.registry import SERVER
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.embedded import EmbeddedCluster
from vcontract.runtime.vcon.trust.keys import Signer
from vcontract.runtime.vcon.trust.signatures import sign

HERE = Path(__file__).parent
KEY: Final = b"a key of nobody"
BOUND: JsonObject = {
    "purpose": "vcon_search",
    "tenant": "acme",
    "arguments": {"query": "lease", "limit": 10, "filters": {"tags": {"department": "sales"}}},
    "model": "m1",
}
POSITION = [0.8312, UUID]


def main() -> int:
    """Write the files; the exit status of the command."""
    folder = HERE / metadata.version("vcontract")
    folder.mkdir(exist_ok=True)
    _keep_sealed(folder)
    _keep_store(folder)
    for file in sorted(folder.iterdir()):
        print(f"kept {file}, {file.stat().st_size:,} bytes")
    return 0


def _keep_sealed(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    signed = {"key": public, "signed": sign(dump_json(CALL), UUID, Signer(key))}
    cursor = {"contract": SERVER.version, "cursor": CursorCodec(KEY, SERVER.version).seal(POSITION, **BOUND)}
    contract = {"version": SERVER.version, "digest": released_digest(SERVER.version)}
    for name, kept in (("signed.json", signed), ("cursor.json", cursor), ("contract.json", contract)):
        (folder / name).write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def released_digest(version: str) -> str:
    """Digest of a contract in spec/released; the gate refuses a file that does not fit its own."""
    file = HERE.parents[1] / "spec" / "released" / f"{version}.json"
    return str(json.loads(file.read_text(encoding="utf-8"))["digest"])


def _keep_store(folder: Path) -> None:
    command = str(Path(sysconfig.get_path("scripts"), "vcontract"))
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "VCONTRACT_DATA_DIR": data, "VCONTRACT_EMBEDDING_PROVIDER": "none"}
        backup = Path(data, "store.backup")
        for arguments in (
            ("call", "create_vcon", json.dumps({"vcon_data": CALL})),
            ("export", "--output", str(folder / "export.jsonl")),
            ("backup", str(backup)),
        ):
            subprocess.run([command, *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        EmbeddedCluster(Path(data)).stop()
        (folder / "backup.xz").write_bytes(lzma.compress(backup.read_bytes(), preset=9))


if __name__ == "__main__":
    sys.exit(main())
