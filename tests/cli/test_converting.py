"""`vcontract convert`: files, folders and standard input in another version, and what is said about it."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner, Result

from vcontract.runtime.cli.main import app
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.spec_files import shipped_yaml

pytestmark = pytest.mark.unit

Run: TypeAlias = Callable[..., Result]
TRANSFER: JsonObject = shipped_yaml("examples", "call_transfer.yaml")["vcon"]
CHAT: JsonObject = shipped_yaml("examples", "chat.yaml")["vcon"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the command without a database; keywords are its standard input and more environment."""

    def invoke(*arguments: object, input: str | bytes | None = None, **env: str) -> Result:
        nowhere = {"VCONTRACT_DATABASE_URL": "postgresql://127.0.0.1:1/nothing"}
        return CliRunner().invoke(app, [str(each) for each in arguments], input, env={**nowhere, **env})

    return invoke


def file_of(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def lines(text: str | bytes) -> list[JsonObject]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_folder_goes_to_0_5_0_and_back_and_all_that_was_inferred_is_reported(
    run: Run, tmp_path: Path
) -> None:
    without_time = json.loads(json.dumps(TRANSFER))
    for element in without_time["dialog"]:
        if element["type"] == "transfer":
            element.pop("start", None)
    file_of(tmp_path / "calls" / "a.vcon.json", without_time)
    file_of(tmp_path / "calls" / "deep" / "b.json", CHAT)
    there, back, report = tmp_path / "up.jsonl", tmp_path / "down.jsonl.gz", tmp_path / "report.jsonl"

    up = run("convert", tmp_path / "calls", "--output", there, "--report", report)
    down = run("convert", there, "--to", "0.4.0", "--output", back)

    assert (up.exit_code, up.stdout, down.exit_code) == (0, "", 0)
    assert up.stderr.startswith("Converted 2 vCons to 0.5.0\n")
    assert "2 of 2 conform to 0.5.0" in up.stderr
    (noted,) = [each for each in lines(report.read_text()) if each["code"] == "time_inferred"]
    assert (noted["file"], noted["uuid"]) == (str(tmp_path / "calls" / "a.vcon.json"), TRANSFER["uuid"])
    assert f"1 time_inferred, first in {noted['file']} at {noted['path']}: {noted['message']}" in up.stderr
    assert [each["vcon"] for each in lines(there.read_text())] == ["0.5.0", "0.5.0"]
    kept = [{**each, "kept_from": None} for each in lines(gzip.decompress(back.read_bytes()))]
    assert kept == [{**each, "kept_from": None} for each in (without_time, CHAT)]


def test_standard_input_is_converted_to_the_version_of_the_setting(run: Run) -> None:
    outcome = run("convert", "-", input=json.dumps(TRANSFER), VCONTRACT_VCON_VERSION="0.5.0")
    older = run("convert", "-", input=outcome.stdout, VCONTRACT_VCON_VERSION="0.4.0")

    (vcon,) = lines(outcome.stdout)
    assert vcon["vcon"] == "0.5.0"
    assert any(event["type"].endswith("-transfer") for event in vcon["events"])
    assert lines(older.stdout) == [TRANSFER]


def test_a_vcon_that_is_of_the_version_already_stays_equal(run: Run) -> None:
    outcome = run("convert", "-", "--to", "0.4.0", input=json.dumps(CHAT))

    assert lines(outcome.stdout) == [CHAT]
    assert outcome.stderr == "Converted 1 vCon to 0.4.0\n1 of 1 conform to 0.4.0\n"


def test_what_has_no_place_in_0_4_0_is_kept_and_named(run: Run) -> None:
    call: JsonObject = {
        "vcon": "0.5.0",
        "uuid": "01928e10-193e-8231-b9a2-279e0d16bc46",
        "created_at": "2026-11-02T09:00:00Z",
        "parties": [{}, {}],
        "sessions": [{"parties": [0, 1]}],
        "events": [
            {
                "type": "transfer-abandoned",
                "time": "2026-11-02T09:00:00Z",
                "session": 0,
                "party": 1,
                "transferee": 0,
            }
        ],
    }

    outcome = run("convert", "-", "--to", "0.4.0", input=json.dumps(call))

    (vcon,) = lines(outcome.stdout)
    assert vcon["kept_from"]["0.5.0"]["members"]["events"] == call["events"]
    assert "1 event_kept_aside, first in <stdin> at $.events[0]: 0.4.0 has no place" in outcome.stderr
    assert lines(run("convert", "-", "--to", "0.5.0", input=outcome.stdout).stdout) == [call]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ('{"vcon": oops', "malformed_json"),
        ({"vcon": "0.4.0", "dialog": "none"}, "type at $.dialog"),
        ({"payload": "", "signatures": []}, "signed_form"),
        (
            {"payload": "eyJ2Y29uIjoiMC40LjAiLCJwYXJ0aWVzIjpbXX0", "signatures": [{"signature": "x"}]},
            "signed: The vCon is signed",
        ),
        ({"name": "a recipe"}, "not_a_vcon"),
    ],
)
def test_what_cannot_be_converted_is_refused_with_its_place_and_the_others_go_on(
    run: Run, tmp_path: Path, document: object, said: str
) -> None:
    bad, good = file_of(tmp_path / "bad.json", document), file_of(tmp_path / "good.json", CHAT)

    outcome = run("convert", bad, good, "--to", "0.5.0")

    assert outcome.exit_code == 1
    assert [each["uuid"] for each in lines(outcome.stdout)] == [CHAT["uuid"]]
    assert f"refused: {bad}" in outcome.stderr
    assert said in outcome.stderr


def test_old_names_are_translated_on_the_way(run: Run) -> None:
    old = {**CHAT, "vcon": "0.0.1"}
    old["dialog"] = [
        {("mimetype" if name == "mediatype" else name): value for name, value in each.items()}
        for each in CHAT["dialog"]
    ]

    outcome = run("convert", "-", "--to", "0.4.0", input=json.dumps(old))

    assert lines(outcome.stdout) == [CHAT]
    assert "legacy_name, first in <stdin> at $.dialog[0].mediatype" in outcome.stderr
    assert "1 version_renamed" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "there is no file or folder 'nowhere'"),
        ([], "missing PATH"),
        (["-", "--to", "0.6.0"], "'0.6.0' is not one of 0.4.0, 0.5.0"),
    ],
)
def test_wrong_usage_writes_nothing(run: Run, arguments: list[str], said: str) -> None:
    outcome = run("convert", *arguments, input="")

    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert said in outcome.stderr
