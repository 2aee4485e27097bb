"""Formats by declaration: each example of spec/formats comes in as it says there."""

from pathlib import Path
from typing import Final

import pytest

from tests.house import ROOT
from tests.imports.test_programs import come_in, said
from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.vcon.shipped import read_yaml
from vcontract.runtime.vcon.times import read_time

SPECS: Final = {
    path.stem: read_yaml(path.read_text()) for path in sorted((ROOT / "spec" / "formats").glob("*.yaml"))
}
EXAMPLES: Final = [
    pytest.param(spec, example, id=f"{name}: {example['of']}")
    for name, spec in SPECS.items()
    for example in spec.get("examples", ())
]


def written(example: JsonObject, folder: Path) -> Path:
    """The file of an example, with those beside it."""
    for name, content in {**example.get("beside", {}), example["file"]: example["content"]}.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder / str(example["file"])


@pytest.mark.parametrize(("spec", "example"), EXAMPLES)
def test_an_example_becomes_what_it_says(spec: JsonObject, example: JsonObject, tmp_path: Path) -> None:
    vcons, problems = come_in(written(example, tmp_path))

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [
        [tuple(turn) for turn in becomes["said"]] for becomes in example["becomes"]
    ]
    for vcon, becomes in zip(vcons, example["becomes"], strict=True):
        assert read_time(vcon["created_at"]) == read_time(becomes["began"])
        assert vcon["subject"] == becomes.get("title", vcon["subject"])
        assert f"source:{spec['name']}" in vcon["attachments"][0]["body"]


@pytest.mark.parametrize(("spec", "example"), EXAMPLES)
def test_an_export_taken_again_is_the_same_conversation(
    spec: JsonObject, example: JsonObject, tmp_path: Path
) -> None:
    path = written(example, tmp_path)

    assert come_in(path)[0] == come_in(path)[0]
