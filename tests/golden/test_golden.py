"""What users hold of a release opens in every later version: a cursor, a signed vCon, an export, a backup."""

import asyncio
import json
import lzma
from pathlib import Path

import pytest

from tests.crashes.deaths import stop_database
from tests.e2e.conftest import command, environment
from tests.golden.keep import BOUND, HERE, KEY, POSITION, released_digest
from tests.keys import NOW
from tests.store.keep_release import CALL, UUID
from vcontract.generated.registry import SERVER
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.vcon.trust.keys import read_trusted
from vcontract.runtime.vcon.trust.signatures import Verifier
from vcontract.runtime.vcon.wrapped_forms import payload_of

RELEASES = sorted(folder for folder in HERE.iterdir() if (folder / "cursor.json").is_file())


def test_each_release_is_kept() -> None:
    released = {file.stem for file in (HERE.parents[1] / "spec" / "released").glob("*.json")}

    assert released <= {folder.name for folder in RELEASES}, "run `make keep-store` at the tag"


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
def test_the_contract_of_a_release_is_the_one_that_was_released(release: Path) -> None:
    kept = json.loads((release / "contract.json").read_text(encoding="utf-8"))

    assert released_digest(kept["version"]) == kept["digest"], "released with --again? run `make keep-store`"


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
def test_a_cursor_of_a_release_opens(release: Path) -> None:
    kept = json.loads((release / "cursor.json").read_text(encoding="utf-8"))
    if kept["contract"].partition(".")[0] != SERVER.version.partition(".")[0]:
        pytest.skip("cursors end with the major version")

    assert CursorCodec(KEY, SERVER.version).open(kept["cursor"], **BOUND) == POSITION


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
def test_a_signed_vcon_of_a_release_is_verified(release: Path) -> None:
    kept = json.loads((release / "signed.json").read_text(encoding="utf-8"))
    trusted = read_trusted(kept["key"])

    found = Verifier(trusted, NOW).verify(kept["signed"])

    assert (found.status, payload_of(kept["signed"])) == ("verified", CALL)


@pytest.mark.parametrize("release", RELEASES, ids=lambda folder: folder.name)
async def test_an_export_and_a_backup_of_a_release_are_read(release: Path, tmp_path: Path) -> None:
    backup = tmp_path / "store.backup"
    backup.write_bytes(lzma.decompress((release / "backup.xz").read_bytes()))
    for name, arguments in (
        ("restored", ("restore", str(backup))),
        ("imported", ("import", str(release / "export.jsonl"))),
    ):
        store = environment(tmp_path / name, {"embedding_provider": "none"})
        try:
            code, _, err = await command(store, *arguments)
            assert code == 0, err
            code, out, err = await command(store, "export", UUID)
            assert code == 0, err
            assert json.loads(out) == CALL
        finally:
            await asyncio.to_thread(stop_database, tmp_path / name)
