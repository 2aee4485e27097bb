"""No text of an export is lost: what is nowhere in the vCon is found by a net that knows no format."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from tests.imports.test_declared import SPECS, written
from tests.imports.test_programs import come_in
from vcontract.runtime.frame.documents.json import JsonObject, MalformedJson, parse_json
from vcontract.runtime.imports.conservation import not_kept, texts_in

EXAMPLES: Final = [
    pytest.param(spec, example, id=f"{name}: {example['of']}")
    for name, spec in SPECS.items()
    if name != "vcon"
    for example in spec.get("examples", ())
    if spec["shape"] == "xml"
    or (str(example["content"]).lstrip()[:1] in ("{", "[") and ".json" in example["file"])
]
"""Examples of JSON and XML, whose members have names."""

MACHINERY: Final[dict[str, set[str]]] = {
    "claude-projects": {"creator"},
    "gemini": {"title"},  # `Prompted` before a prompt is the program's
    "genesys": {"language", "participantPurpose"},
    "gladia": {"channel", "languages"},
    "google-chat": {"created_date"},  # read as the time
    "google-speech": {"resultEndOffset", "resultEndTime"},
    "lechat": {"contentChunks"},  # calls of tools are not kept yet
    "slack": {"user", "text"},  # a deleted message is counted as left out
    "sms-backup": {"contact_name", "subject", "ct", "name", "text", "backup_set"},  # files are not kept yet
    "speechmatics": {"language", "attaches_to"},
    "telegram": {"about"},
}
"""Members that a format does not keep beyond those that its declaration names."""


def texts_of(spec: JsonObject, example: JsonObject) -> Iterator[tuple[str, str]]:
    """Every text of the file, with its path; of repaired ones, as they were meant."""
    content = str(example["content"])
    if spec["shape"] == "xml":
        for element in ElementTree.fromstring(content).iter():  # noqa: S314  (our own example)
            yield from texts_in(dict(element.attrib), f"$.{element.tag}")
        return
    try:
        documents = [parse_json(content)]
    except MalformedJson:
        documents = [parse_json(line) for line in content.splitlines() if line.strip()]
    for path, text in texts_in(documents):
        if spec.get("mojibake"):
            with suppress(UnicodeError):
                text = text.encode("latin-1").decode()
        yield path, text


def lost(spec: JsonObject, example: JsonObject, vcons: list[JsonObject]) -> list[tuple[str, str]]:
    declared = [
        *spec.get("not_kept", ()),
        *(name for each in spec.get("turns", ()) for name in each.get("not_kept", ())),
    ]
    names = {name.rpartition(".")[2] for name in declared} | MACHINERY.get(spec["name"], set())
    return list(not_kept(texts_of(spec, example), vcons, names))


@pytest.mark.parametrize(("spec", "example"), EXAMPLES)
def test_every_text_of_an_export_is_in_its_vcon(
    spec: JsonObject, example: JsonObject, tmp_path: Path
) -> None:
    vcons, problems = come_in(written(example, tmp_path))

    assert problems == []
    assert lost(spec, example, vcons) == []


@pytest.mark.parametrize("name", ["telegram", "teams-chat", "matrix", "fireflies", "discord", "openwebui"])
def test_the_net_reports_a_turn_that_a_reader_drops(name: str, tmp_path: Path) -> None:
    spec = SPECS[name]
    for example in spec["examples"]:
        vcons, _ = come_in(written(example, tmp_path))
        words = [turn for turn in vcons[0]["dialog"] if re.search(r"\w{3}", turn["body"])]
        vcons[0]["dialog"].remove(words[-1])

        assert lost(spec, example, vcons) != []


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [("Rain &amp; snow", True), ("<b>Rain</b>\n & snow", True), ("rain and snow", False), ("no", False)],
)
def test_the_net_compares_words_and_not_how_they_are_written(text: str, is_kept: bool) -> None:
    vcon: JsonObject = {"dialog": [{"body": "Rain & snow, not now"}]}

    assert list(not_kept([("$.text", text)], [vcon])) == ([] if is_kept else [("$.text", text)])
