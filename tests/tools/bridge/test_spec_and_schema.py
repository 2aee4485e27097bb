"""What the spec, the tables and the handlers say of the same thing is the same."""

import re

import pytest

from vcontract.handlers.bridge.texts import MAX_IDS, MAX_QUALITIES, MAX_TEXT_BYTES, MAX_TEXT_LENGTH
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.vcon.spec_files import shipped_yaml

SHAPES: JsonObject = shipped_yaml("shapes", "bridge.yaml")["$defs"]


@pytest.mark.parametrize(
    ("table", "column", "shape"),
    [
        ("bridge_record", "perspective", "BridgePerspective"),
        ("bridge_record", "processing", "BridgeProcessing"),
        ("bridge_record", "shot", "BridgeShot"),
        ("bridge_quality", "type", "BridgeQualityType"),
    ],
)
async def test_a_column_takes_the_values_of_the_spec(
    database: Database, tenant: str, table: str, column: str, shape: str
) -> None:
    async with database.reading(tenant) as connection:
        checks = await connection.fetch(
            "select pg_get_constraintdef(oid) as text from pg_constraint"
            " where conrelid = $1::text::regclass and contype = 'c'",
            f"vcontract.{table}",
        )

    values = [re.findall(r"'([^']+)'::text", row["text"]) for row in checks if f"({column} = " in row["text"]]

    assert [set(each) for each in values] == [set(SHAPES[shape]["enum"])]


def test_the_bounds_of_texts_are_those_of_the_spec() -> None:
    capture = load_package().read_contract("bridge_capture")["inputSchema"]["properties"]
    frame = load_package().read_contract("bridge_frame")["inputSchema"]["properties"]

    assert {
        "content": capture["content"]["maxLength"],
        "narrative": frame["narrative"]["maxLength"],
        "manifestation": frame["qualities"]["items"]["properties"]["manifestation"]["maxLength"],
    } == MAX_TEXT_BYTES
    assert {
        "experiencer": capture["experiencer"]["maxLength"],
        "summary": frame["summary"]["maxLength"],
        "contentType": capture["contentType"]["maxLength"],
        "when": capture["when"]["maxLength"],
    } == MAX_TEXT_LENGTH
    assert (frame["sourceIds"]["maxItems"], frame["qualities"]["maxItems"]) == (MAX_IDS, MAX_QUALITIES)


def test_every_value_that_a_prompt_explains_has_a_line_in_the_spec() -> None:
    for shape in ("BridgeQualityType", "BridgeShot"):
        lines = [line.partition(":")[0] for line in SHAPES[shape]["description"].splitlines()]
        assert set(SHAPES[shape]["enum"]) <= set(lines)
