"""generated/manifest.json: which contract this is, and the digest of every file made from it."""

import hashlib
from collections.abc import Sequence

from vcontract.codegen.documents import print_json
from vcontract.codegen.model import Contract
from vcontract.codegen.output import OutputFile


def listing(contract: Contract, files: Sequence[OutputFile]) -> OutputFile:
    """The manifest of `files`, which are all others, sorted by path."""
    return OutputFile(
        "manifest.json",
        print_json(
            {
                "name": contract.server.name,
                "version": contract.server.version,
                "digest": contract.digest,
                "vcon_versions": [schema.version for schema in contract.vcon_schemas],
                "files": {file.path: _digest(file) for file in files},
            }
        ),
    )


def _digest(file: OutputFile) -> str:
    return "sha256:" + hashlib.sha256(file.text.encode()).hexdigest()
