"""The example vCons are what they claim to be: valid, distinct, and the same in YAML and in JSON."""

import io
import json
from functools import cache
from pathlib import Path
from typing import cast
from uuid import UUID

import jsonschema_rs
import pytest
from ruamel.yaml import YAML

from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.vcon.conformance import VconSchemas

SPEC = Path(__file__).parents[2] / "spec"
FILES = sorted((SPEC / "examples").glob("*.yaml"))
NAMED_IN_THE_REFERENCE = {"minimal", "phone_call", "chat", "email", "video", "full_featured"}


def load_yaml(text: str) -> JsonObject:
    return cast(JsonObject, YAML(typ="safe", pure=True).load(text))  # pyright: ignore[reportUnknownMemberType]


@cache
def read_example(file: Path) -> JsonObject:
    return load_yaml(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def schemas() -> VconSchemas:
    return VconSchemas.load()


def test_examples_cover_the_names_of_the_reference_and_more() -> None:
    names = {file.stem for file in FILES}
    assert names >= NAMED_IN_THE_REFERENCE
    assert len(names) >= 12


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_example_file_fits_its_schema_and_its_name(file: Path) -> None:
    schema = json.loads((SPEC / "meta" / "example.schema.json").read_text(encoding="utf-8"))
    example = read_example(file)

    jsonschema_rs.validator_for(schema, validate_formats=True).validate(example)

    assert example["name"] == file.stem


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_example_is_a_valid_vcon(file: Path, schemas: VconSchemas) -> None:
    report = schemas.check(read_example(file)["vcon"])
    assert report.valid, report.violations
    assert report.version == "0.4.0"
    assert report.unsupported_critical == ()


def test_every_example_has_a_uuid_of_its_own() -> None:
    uuids = [read_example(file)["vcon"]["uuid"] for file in FILES]
    assert [str(UUID(uuid)) for uuid in uuids] == uuids
    assert len(set(uuids)) == len(uuids)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_example_survives_yaml_to_json_to_yaml(file: Path) -> None:
    vcon = read_example(file)["vcon"]

    from_json = parse_json(dump_json(vcon))
    text = io.StringIO()
    YAML(typ="safe", pure=True).dump(from_json, text)  # pyright: ignore[reportUnknownMemberType]

    assert from_json == vcon
    assert load_yaml(text.getvalue()) == vcon


def test_examples_show_every_kind_of_dialog_and_every_tags_dialect() -> None:
    vcons = [read_example(file)["vcon"] for file in FILES]
    dialogs = {dialog["type"] for vcon in vcons for dialog in vcon.get("dialog", [])}
    tags = [
        attachment["body"]
        for vcon in vcons
        for attachment in vcon.get("attachments", [])
        if attachment["purpose"] == "tags"
    ]

    assert dialogs == {"recording", "recording-set", "text", "transfer", "incomplete", "mcp_session"}
    assert {type(body) for body in tags} == {list, dict, str}
