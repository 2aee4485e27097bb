"""Real files: a corpus of other people's vCons is read whole, and each malformed one is reported."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.frame.documents.json_values import objects
from vcontract.runtime.imports.converting import Converted, Converter
from vcontract.runtime.imports.reader import Reader
from vcontract.runtime.imports.sources import find_files
from vcontract.runtime.vcon.conformance import VconSchemas, blocking_violations
from vcontract.runtime.vcon.dealers import Dealers
from vcontract.runtime.vcon.legacy import LegacyNames
from vcontract.runtime.vcon.tags import read_tags, write_tags
from vcontract.runtime.vcon.text import Passage, passages
from vcontract.runtime.vcon.version_migration import migrate_version

CORPUS = Path(__file__).parents[3] / "shared" / "data" / "vcons"
pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason=f"needs the example corpus at {CORPUS}, which is not part of the project"
)

Reported = list[tuple[str, str]]

NO_OFFSET: Reported = [("$.created_at", "format"), ("$.dialog[0].start", "format")]
MALFORMED: dict[str, tuple[Reported, Reported]] = {
    "bad_dialog_types": (
        [],
        [
            ("$.dialog[0].parties[0]", "index_out_of_range"),
            ("$.dialog[0].parties[1]", "index_out_of_range"),
            ("$.dialog[0].duration", "type"),
            ("$.dialog[0].mediatype", "type"),
        ],
    ),
    "bad_duration": ([], [*NO_OFFSET, ("$.dialog[0].duration", "minimum"), ("$.dialog[0].url", "pattern")]),
    "bad_mimetype": ([], [*NO_OFFSET, ("$.dialog[0].mediatype", "pattern"), ("$.dialog[0].url", "pattern")]),
    "bad_party_ref": (
        [],
        [
            *NO_OFFSET,
            ("$.dialog[0].parties[1]", "index_out_of_range"),
            ("$.dialog[0].url", "pattern"),
        ],
    ),
    "bad_url": ([], [*NO_OFFSET, ("$.dialog[0].url", "pattern")]),
    "empty_vcon": (
        [("$.uuid", "format")],
        [
            ("$.uuid", "format"),
            ("$.vcon", "const"),
            ("$.created_at", "format"),
        ],
    ),
    "invalid_dialog_url": ([], [("$.dialog[0].url", "pattern")]),
    "missing_uuid_and_vcon_version": ([], [("$.uuid", "required")]),
    "null_dialog_string_analysis": ([("$.analysis", "type")], [("$.analysis", "type")]),
    "null_parties": (
        [],
        [
            ("$.parties", "required"),
            ("$.dialog[0].parties[0]", "index_out_of_range"),
            ("$.dialog[0].parties[1]", "index_out_of_range"),
            ("$.dialog[0].duration", "type"),
            ("$.dialog[0].mediatype", "type"),
        ],
    ),
    "out_of_range_party_indices": (
        [],
        [
            ("$.dialog[0].parties[1]", "index_out_of_range"),
            ("$.dialog[0].parties[2]", "index_out_of_range"),
            ("$.dialog[0].originator", "index_out_of_range"),
        ],
    ),
}


def documents(folder: str) -> Iterator[JsonObject]:
    for file in sorted((CORPUS / folder).iterdir()):
        yield parse_json(file.read_bytes())


@pytest.fixture(scope="module")
def usable() -> list[JsonObject]:
    return [*documents("call-centre"), *documents("gpt-conversations")]


def test_every_usable_file_is_translated_checked_and_turned_into_passages(
    usable: list[JsonObject], schemas: VconSchemas, legacy_names: LegacyNames
) -> None:
    assert len(usable) == 643
    for given in usable:
        before = json.dumps(given)
        vcon, renames = legacy_names.translate(given)

        assert blocking_violations(vcon) == []
        report = schemas.check(vcon)
        assert report.version == ("0.3.0" if "vcon" in given else "0.4.0")
        assert report.valid == (report.violation_count == 0)
        assert renames
        assert {passage.part for passage in passages(vcon)} >= {"party"}
        assert json.dumps(given) == before


def test_every_word_that_was_said_is_in_some_passage(
    usable: list[JsonObject], legacy_names: LegacyNames
) -> None:
    transcripts = 0
    for given in usable:
        vcon, _ = legacy_names.translate(given)
        found = passages(vcon)
        for index, dialog in enumerate(vcon["dialog"]):
            if "body" in dialog:
                assert words_of(found, "dialog", index) == set(dialog["body"].split())
        for index, analysis in enumerate(vcon["analysis"]):
            body = analysis["body"]
            if analysis["type"] == "transcript" and isinstance(body, list):
                said = {word for _, turn in objects(body) for word in str(turn["message"]).split()}
                assert words_of(found, "analysis", index) == said | {"Agent:", "Customer:"}
                transcripts += 1
            elif analysis["type"] == "transcript":
                assert words_of(found, "analysis", index) == set(body["transcript"].split())
                transcripts += 1
    assert transcripts == 337 + 42


def words_of(found: list[Passage], part: str, element: int) -> set[str]:
    return {
        word
        for passage in found
        if (passage.part, passage.element) == (part, element)
        for word in passage.content.split()
    }


def test_dealers_of_the_corpus_are_all_read(
    usable: list[JsonObject], dealers: Dealers, legacy_names: LegacyNames
) -> None:
    found = [dealers.find(legacy_names.translate(given)[0]) for given in usable]

    assert sum(dealer is not None for dealer, _ in found) == 213
    assert all(notices == [] for _, notices in found)
    assert {dealer.id for dealer, _ in found if dealer} == {"1100"}


def test_files_without_tags_go_out_as_they_came_in(usable: list[JsonObject]) -> None:
    assert all(read_tags(given) == ({}, []) and write_tags(given, {}) is given for given in usable)


def test_table_names_every_malformed_file() -> None:
    assert sorted(file.stem for file in (CORPUS / "invalid").iterdir()) == sorted(MALFORMED)


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_file_has_exactly_these_blocking_violations_and_findings(
    name: str, schemas: VconSchemas, legacy_names: LegacyNames
) -> None:
    blocking, findings = MALFORMED[name]
    vcon, _ = legacy_names.translate(parse_json((CORPUS / "invalid" / f"{name}.json").read_bytes()))

    assert [(v.path, v.rule) for v in blocking_violations(vcon)] == blocking
    assert [(v.path, v.rule) for v in schemas.all_violations(vcon)] == findings
    assert all(passage.content for passage in passages(vcon))


def test_each_real_file_is_equal_after_0_5_0_and_back_but_for_the_empty_members_that_are_reported() -> None:
    converters = {version: Converter(version) for version in ("0.4.0", "0.5.0")}
    now = datetime(2026, 1, 1, tzinfo=UTC)
    compared = 0
    for reading in (each for file in find_files([str(CORPUS)]).files for each in Reader().read(file)):
        older, newer = (converters[version].convert(reading, now) for version in ("0.4.0", "0.5.0"))
        if isinstance(older, Converted) and isinstance(newer, Converted):
            left_out = {
                (notice.path or "").removeprefix("$.")
                for notice in newer.notices
                if notice.code == "empty_member_left_out"
            }
            back = migrate_version(newer.vcon, "0.4.0").vcon
            assert back == {name: value for name, value in older.vcon.items() if name not in left_out}
            compared += 1
    assert compared > 600
