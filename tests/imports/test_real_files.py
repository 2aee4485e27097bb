"""Files that nobody here made: all that can be stored comes in, and goes out as it came."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias
from uuid import UUID

import pytest

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.imports.export import export_all
from vcontract.runtime.imports.sources import Problem
from vcontract.runtime.imports.summary import Summary
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.store import VconStore
from vcontract.runtime.vcon.legacy import LegacyNames

RunImport: TypeAlias = Callable[..., Awaitable[tuple[Summary, list[Problem]]]]

REAL_FILES = Path(__file__).parents[3] / "shared" / "data" / "vcons"

pytestmark = pytest.mark.skipif(not REAL_FILES.is_dir(), reason=f"{REAL_FILES} is not there")

# The malformed files: None comes in, with its uuid if it has one; (rule, path) is refused.
MALFORMED: dict[str, tuple[str, str] | None] = {
    "bad_dialog_types.json": None,
    "bad_duration.json": None,
    "bad_mimetype.json": None,
    "bad_party_ref.json": None,
    "bad_url.json": None,
    "empty_vcon.json": ("format", "$.uuid"),
    "invalid_dialog_url.json": None,
    "missing_uuid_and_vcon_version.json": None,
    "null_dialog_string_analysis.json": ("type", "$.analysis"),
    "null_parties.json": None,
    "out_of_range_party_indices.json": None,
}


def translated(path: Path) -> JsonObject:
    """What the file's vCon is after the reported translations, which are the only changes there may be."""
    return LegacyNames.load().translate(parse_json(path.read_bytes()))[0]


async def exported(database: Database, tenant: str) -> dict[str, JsonObject]:
    """By uuid."""
    documents = [json.loads(line) async for line in export_all(VconStore(database), tenant)]
    return {document["uuid"]: document for document in documents}


@pytest.mark.parametrize(("collection", "count"), [("call-centre", 601), ("gpt-conversations", 42)])
async def test_every_vcon_of_a_real_collection_comes_in_and_goes_out_as_it_was(
    collection: str, count: int, run_import: RunImport, database: Database, tenant: str
) -> None:
    folder = REAL_FILES / collection

    summary, problems = await run_import(folder)
    out = await exported(database, tenant)

    assert (summary.created, summary.read, problems) == (count, count, [])
    given = [translated(path) for path in folder.rglob("*.json")]
    assert out == {vcon["uuid"]: vcon for vcon in given}


def test_the_malformed_files_are_those_listed_here() -> None:
    assert {path.name for path in (REAL_FILES / "invalid").iterdir()} == set(MALFORMED)


@pytest.mark.parametrize("name", MALFORMED)
async def test_a_malformed_file_comes_in_or_is_refused_for_its_fault(
    name: str, run_import: RunImport, database: Database, tenant: str
) -> None:
    path = REAL_FILES / "invalid" / name
    refusal = MALFORMED[name]

    summary, problems = await run_import(path)
    out = await exported(database, tenant)

    if refusal is not None:
        assert (summary.refused, out) == (1, {})
        assert [(problem.rule, problem.path) for problem in problems] == [refusal]
        return
    # the one that lacks nothing but its uuid gets one, and then conforms
    conforms = name == "missing_uuid_and_vcon_version.json"
    assert (summary.created, summary.conforming, problems) == (1, conforms, [])
    (vcon,) = out.values()
    assert {"uuid": str(UUID(vcon["uuid"])), **translated(path)} == vcon
