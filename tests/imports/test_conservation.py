"""No text of an export is lost: what is nowhere in the vCon is found by a net that knows no format."""

import gzip
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.imports.leaves import leaves
from tests.imports.test_declared import SPECS, written
from tests.imports.test_programs import come_in
from tests.imports.transcripts.test_building import build
from vcontract.runtime.frame.documents.json import JsonObject, MalformedJson, parse_json
from vcontract.runtime.imports.conservation import not_kept, texts_in
from vcontract.runtime.imports.programs import declared_formats
from vcontract.runtime.imports.programs.conversation import Conversation

DATA: Final = Path(__file__).parents[3] / "shared" / "data"

EXAMPLES: Final = [
    pytest.param(spec, example, id=f"{name}: {example['of']}")
    for name, spec in SPECS.items()
    if name != "vcon"
    for example in spec.get("examples", ())
]

MACHINERY: Final[dict[str, set[str]]] = {
    "captions": {"end", "dur", "begin", "agent"},
    "copilot": {"Author"},  # read as user and Copilot
    "gemini": {"title"},  # `Prompted` before a prompt is the program's
    "genesys": {"participantPurpose"},
    "gladia": {"channel"},
    "google-chat": {"created_date"},  # read as the time
    "icalendar": {"BEGIN", "END"},
    "mail": {"Date"},
    "slack": {"user", "text"},  # a deleted message is counted as left out
    "sms-backup": {"ct", "backup_set", "readable_date"},
    "speechmatics": {"attaches_to"},
    "telegram": {"about"},
    "wechat": {"senderUsername", "wxid"},
    "wechat-table": {"Sender"},
}
"""Members that a format does not keep beyond those that its declaration names."""
PROGRAM: Final[dict[str, str]] = {
    "gemini-html": r"My Activity History|Moje aktivita|Gemini Apps|Products:|Prompted\b.*|\w+ \d.*|\d+\. .*",
    "sms-backup": r"null|\(Unknown\)",
    "imessage": r"~/Library/.*",  # the name of the file is kept
}
"""Texts that are the program's."""


def texts_of(spec: JsonObject, path: Path) -> Iterator[tuple[str, str]]:
    """Every text of the file, with its path; of repaired ones, as they were meant."""
    program = re.compile(PROGRAM.get(spec["name"], r"(?!)"), re.DOTALL)
    for place, text in leaves(path, spec["name"]):
        if spec.get("mojibake"):
            with suppress(UnicodeError):
                text = text.encode("latin-1").decode()
        if not program.fullmatch(text.strip()):
            yield place, text


def lost(spec: JsonObject, path: Path, vcons: Iterable[JsonObject]) -> list[tuple[str, str]]:
    declared = [
        *spec.get("not_kept", ()),
        *(name for each in spec.get("turns", ()) for name in each.get("not_kept", ())),
    ]
    names = {name.rpartition(".")[2] for name in declared} | MACHINERY.get(spec["name"], set())
    return list(not_kept(texts_of(spec, path), vcons, names))


@pytest.mark.parametrize(("spec", "example"), EXAMPLES)
def test_every_text_of_an_export_is_in_its_vcon(
    spec: JsonObject, example: JsonObject, tmp_path: Path
) -> None:
    path = written(example, tmp_path)

    vcons, problems = come_in(path)

    assert problems == []
    assert lost(spec, path, vcons) == []


@pytest.mark.parametrize(
    "name",
    [
        "telegram",
        "teams-chat",
        "matrix",
        "fireflies",
        "discord",
        "chat",
        "copilot",
        "irssi",
        "mail",
        "sms-backup",
    ],
)
def test_the_net_reports_a_turn_that_a_reader_drops(name: str, tmp_path: Path) -> None:
    spec = SPECS[name]
    for example in spec["examples"]:
        path = written(example, tmp_path)
        vcons, _ = come_in(path)
        words = [turn for turn in vcons[0]["dialog"] if re.search(r"\w{3}", turn["body"])]
        vcons[0]["dialog"].remove(words[-1])

        assert lost(spec, path, vcons) != []


@pytest.mark.parametrize(
    ("name", "reader", "member"),
    [
        *((name, declared_formats, "remainder") for name in ("google-speech", "lechat", "llama-cpp")),
        *((name, Conversation, "event") for name in ("irc", "irssi", "chat")),
    ],
)
def test_the_net_reports_a_member_that_a_reader_drops(
    name: str, reader: object, member: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def drop(*_: object) -> None: ...

    monkeypatch.setattr(reader, member, drop)
    reported: list[tuple[str, str]] = []
    for example in SPECS[name]["examples"]:
        path = written(example, tmp_path)
        reported += lost(SPECS[name], path, come_in(path)[0])

    assert reported != []


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [("Rain &amp; snow", True), ("<b>Rain</b>\n & snow", True), ("rain and snow", False), ("no", False)],
)
def test_the_net_compares_words_and_not_how_they_are_written(text: str, is_kept: bool) -> None:
    vcon: JsonObject = {"dialog": [{"body": "Rain & snow, not now"}]}

    assert list(not_kept([("$.text", text)], [vcon])) == ([] if is_kept else [("$.text", text)])


# Files that nobody here made.

_SESSIONS: Final = {
    *("stop_reason", "service_tier", "signature", "data", "base64", "summary", "contenst"),
    *("snapshot", "toolUseResult"),  # copies of files, and of results
}
"""Members of agents' sessions that are not kept: copies, keys, and the title of another session."""


def texts_of_session(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text().splitlines():
        with suppress(MalformedJson):
            for place, text in texts_in(parse_json(line)):
                if place != "$" and not text.startswith("<command-"):
                    yield place, text


@pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is not there")
def test_every_text_of_a_real_session_is_in_its_vcon() -> None:
    paths = [path for path in (DATA / "transcripts").rglob("*.jsonl") if '"uuid"' in path.read_text()]
    for path in paths:
        with suppress(StopIteration):  # a file without exchanges
            assert list(not_kept(texts_of_session(path), [build(path).document], _SESSIONS)) == [], path
    assert paths != []


@pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is not there")
@pytest.mark.parametrize("name", ["meetings", "scenes", "locomo"])
def test_every_text_of_a_real_collection_is_in_its_vcons(name: str) -> None:
    path = DATA / name / "vcons.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        given = [parse_json(line) for line in lines]

    vcons, problems = come_in(path, conform=False)

    assert problems == []
    for document, vcon in zip(given, vcons, strict=True):
        assert list(not_kept(texts_in(document), [vcon])) == []
