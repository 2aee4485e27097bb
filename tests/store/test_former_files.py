"""Stores that applied a numbered file in another form, or under another number, become as a new one."""

import hashlib
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from tests.conftest import Cluster
from tests.house import ROOT
from tests.store.test_migrations import _schema_of  # pyright: ignore[reportPrivateUsage]
from vcontract.runtime.store.postgres.former_files import FORMER_FILES
from vcontract.runtime.store.postgres.migrations import migrate
from vcontract.runtime.store.postgres.schema_files import load_schema_files
from vcontract.runtime.store.postgres.schema_status import OwnerConnection, schema_status

MIGRATIONS: Final = ROOT / "migrations"
FORMER: Final = Path(__file__).parent / "former"
DIGESTS: Final = Path(__file__).parent / "numbered_files.txt"
CHANGED: Final = {*range(1, 10), 23, 36} - {6}
"""Numbers of files that were changed after they came in, which no later one may be."""
TRIGGER: Final = (
    "create or replace function vcontract.note_consent() returns trigger"
    " language plpgsql as $$ begin return null; end $$;"
)

# The files in place of those from a number on: in a former form, or that of another number.
STORES: Final[dict[str, tuple[int, list[str]]]] = {
    "versions": (18, ["19"]),
    "party counts and consent": (21, ["22", "consent"]),
    "consent": (23, ["consent"]),
    "composed names": (27, ["28"]),
    "late vectors": (32, ["late_vectors"]),
    "late vectors first": (33, ["late_vectors_first", "33", "34"]),
    "late vectors then": (33, ["late_vectors", "33"]),
    "passage words by tenant": (35, ["passage_words_by_tenant"]),
    "when said": (36, ["when_said"]),
}


def of_number(number: int) -> Path:
    (path,) = MIGRATIONS.glob(f"{number:04d}_*.sql")
    return path


@pytest.mark.usefixtures("superuser")
@pytest.mark.parametrize("store", STORES)
async def test_a_store_with_a_former_file_becomes_as_a_new_one(
    make_empty_database: Callable[[], Awaitable[str]],
    template_database: str,
    cluster: Cluster,
    tmp_path: Path,
    store: str,
) -> None:
    # given a store as it was made by files of then
    since, names = STORES[store]
    for number in range(1, since):
        shutil.copy(of_number(number), tmp_path)
    for number, name in enumerate(names, since):
        source = of_number(int(name)) if name.isdigit() else FORMER / f"{name}.sql"
        shutil.copy(source, tmp_path / f"{number:04d}_{source.stem.lstrip('0123456789_')}.sql")
    before = (MIGRATIONS / "before.sql").read_text()
    (tmp_path / "before.sql").write_text(before + (TRIGGER if "consent" in names else ""))
    url = await make_empty_database()
    connection: OwnerConnection = await asyncpg.connect(url)
    try:
        await migrate(connection, load_schema_files(tmp_path))
        assert (await schema_status(connection)).former
        # when this program opens it
        await migrate(connection)
        # then it is as a new one
        assert (await schema_status(connection)).is_current
        rows = await connection.fetch("select version, checksum from vcontract.migration")
        spaces = await connection.fetch("select model, calibration, state from vcontract.embedding_space")
    finally:
        await connection.close()
    assert {row["version"]: row["checksum"] for row in rows} == {
        file.version: file.checksum for file in load_schema_files().numbered
    }
    new: OwnerConnection = await asyncpg.connect(cluster.url(template_database))
    try:
        assert spaces == await new.fetch("select model, calibration, state from vcontract.embedding_space")
    finally:
        await new.close()
    assert sorted(_schema_of(url)) == sorted(_schema_of(cluster.url(template_database)))


def test_every_former_form_is_tried() -> None:
    given = {name for _, names in STORES.values() for name in names}
    tried = [of_number(int(name)) if name.isdigit() else FORMER / f"{name}.sql" for name in given]

    assert {digest_of(path.read_bytes()) for path in tried} == set(FORMER_FILES)


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text.replace(b"\r\n", b"\n")).hexdigest()


def test_no_numbered_file_changes_after_it_came_in() -> None:
    known = dict(line.split()[::-1] for line in DIGESTS.read_text().splitlines())
    found = {path.name: digest_of(path.read_bytes()) for path in sorted(MIGRATIONS.glob("[0-9]*.sql"))}

    for name, digest in found.items():
        assert name in known, f"add it to {DIGESTS}: {digest}  {name}"
        assert digest == known[name], f"{name} was changed: restore it, and write a new migration"
    assert found.keys() == known.keys()


def test_each_digest_is_that_of_the_first_commit_of_its_file() -> None:
    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S603, S607

    try:
        if git("rev-parse", "--is-shallow-repository").strip() != b"false":
            pytest.skip("a shallow clone does not know first commits")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no repository")
    listed = git("log", "--diff-filter=A", "--format=:%H", "--name-only", "--", "migrations").decode()
    first: dict[str, str] = {}
    commit = ""
    for line in listed.split():
        commit = line[1:] if line.startswith(":") else commit
        first[line] = commit  # the oldest comes last
    for line in DIGESTS.read_text().splitlines():
        digest, name = line.split()
        path = f"migrations/{name}"
        if path in first and int(name[:4]) not in CHANGED:
            assert digest_of(git("show", f"{first[path]}:{path}")) == digest, f"{name} was changed"
