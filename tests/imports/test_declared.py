"""Formats by declaration: each example of spec/formats comes in as it says there."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.house import ROOT
from tests.imports.call_centre import MORE, THIRTY, Transcript
from tests.imports.test_programs import come_in, said
from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.mappings import BadMapping, load_mapping, preview, with_conversations
from vcontract.runtime.imports.merging import merged
from vcontract.runtime.imports.programs.paths import values
from vcontract.runtime.imports.sources import find_files
from vcontract.runtime.vcon.spec_files import read_yaml
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
    path = folder / str(example["file"])
    for name, content in {**example.get("beside", {}), example["file"]: example["content"]}.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
    if path.suffix == ".db":  # the content is the SQL that makes it
        path.unlink()
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(example["content"])
    return path


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


@sweep(("spec", "example"), [each.values for each in EXAMPLES], ids=[str(each.id) for each in EXAMPLES])
def test_an_export_taken_again_is_the_same_conversation(
    spec: JsonObject, example: JsonObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = written(example, tmp_path_factory.mktemp("export"))

    assert come_in(path)[0] == come_in(path)[0]


def without(spec: JsonObject, example: JsonObject, turn: JsonObject) -> JsonObject:
    """The same export, without the message of this turn."""
    document = json.loads(example["content"])
    known = re.compile(rf'"(?:_|event_|message_)?id": "?{re.escape(turn.get("message_id", "none"))}"?[,}}]')
    for path in ("*", *spec.get("conversations", ()), ""):
        for variant in spec["turns"]:
            for messages in values(document, f"{path}.{variant['at'].partition('.*')[0]}".strip(".")):
                for message in list(messages):
                    written = json.dumps(message, ensure_ascii=False)
                    if known.search(written) or turn["body"] in written:
                        messages.remove(message)
    return {**example, "content": json.dumps(document)}


@pytest.mark.parametrize(
    ("spec", "example"),
    [
        each
        for each in EXAMPLES
        if each.id
        in {
            "messenger: end-to-end encrypted chats, a file each",
            "teams-chat: the list of chatMessage of Graph",
            "teams-chat: messages.json of Skype and Teams for private persons",
            "telegram: one chat, senders as numbers",
            "matrix: messages of the client-server API",
            "google-chat: with topic_id and message_id",
            "grok: create_time as $date",
            "openwebui: with the list of messages",
        }
    ],
)
def test_a_newer_export_adds_its_turns_to_the_conversation(
    spec: JsonObject, example: JsonObject, tmp_path: Path
) -> None:
    newer = come_in(written(example, tmp_path))[0][0]
    older = come_in(written(without(spec, example, newer["dialog"][-1]), tmp_path))[0][0]

    assert older["uuid"] == newer["uuid"]
    assert len(older["dialog"]) == len(newer["dialog"]) - 1
    assert (grown := merged(older, newer)) is not None
    assert said(grown) == said(newer)


def test_both_peoples_export_of_a_messenger_chat_is_one_conversation(tmp_path: Path) -> None:
    messages = [{"sender_name": "Ann", "timestamp_ms": 1709632800000, "content": "How is it?"}]
    uuids = set[str]()
    for other in ("Zoe", "Ann"):
        thread: JsonObject = {"title": other, "thread_path": f"inbox/{other.lower()}_1", "participants": []}
        (tmp_path / "message_1.json").write_text(json.dumps({**thread, "messages": messages}))
        uuids.add(come_in(tmp_path / "message_1.json")[0][0]["uuid"])

    assert len(uuids) == 1


@pytest.mark.parametrize("transcript", THIRTY, ids=lambda each: each.name)
def test_a_transcript_of_a_call_centre_comes_in_with_at_most_one_mapping(
    transcript: Transcript, tmp_path: Path
) -> None:
    path = tmp_path / transcript.name
    content = transcript.content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    mapping = None
    if transcript.mapping is not None:
        (tmp_path / "mapping.yaml").write_text(transcript.mapping)
        mapping = load_mapping(tmp_path / "mapping.yaml")

    vcons, problems = come_in(path, mapping)

    assert problems == []
    assert [said(vcon) for vcon in vcons] == transcript.calls
    assert len({vcon["uuid"] for vcon in vcons}) == len(transcript.calls)


@pytest.mark.parametrize("transcript", MORE, ids=lambda each: each.name)
def test_headings_of_six_more_languages_and_nested_json_need_no_mapping(
    transcript: Transcript, tmp_path: Path
) -> None:
    path = tmp_path / transcript.name
    path.write_text(str(transcript.content), encoding="utf-8")

    vcons, problems = come_in(path)

    assert problems == []
    assert [said(vcon) for vcon in vcons] == transcript.calls
    assert [vcon["subject"] for vcon in vcons] == transcript.titles
    assert len({vcon["uuid"] for vcon in vcons}) == len(transcript.calls)


def test_the_clock_of_a_row_counts_from_the_date_beside_it(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(
        "Chamada;Falante;Fala;Data;Hora\n1;Ana;Olá.;07/07/2026;23:59:59\n"
        "1;Beto;Bom dia.;07/07/2026;00:00:01\n"
    )

    vcons, _ = come_in(tmp_path / "c.csv")

    assert [turn["start"] for turn in vcons[0]["dialog"]] == ["2026-07-07T23:59:59Z", "2026-07-08T00:00:01Z"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "a,b,c\n1,Ann,How can I help?\n1,Bo,My line is dead.\n", "FILE --dry-run` shows how"),
        (
            "a.csv",
            "1,Ann,How can I help?\n1,Bo,My line is dead.\n",
            "a first line into it that names its columns",
        ),
        (
            "a.csv",
            "sku,price\nleek,2\nsoup,3\n",
            "which columns are the speaker and the text (this table has `sku`, `price`)",
        ),
        ("a.txt", "There was a leek.\nIt was dead.\n", "how a line begins in which somebody speaks"),
        (
            "a.json",
            '{"a": {"b": [{"x": "How can I help?", "y": "Ann"}, {"x": "My line is dead.", "y": "Bo"}]}}',
            "FILE --dry-run` shows how",
        ),
        ("a.json", '{"a": {"b": [{"x": "How can I help?"}]}}', "(there is text at `a.b.*.x`)"),
    ],
)
def test_a_file_that_no_format_knows_is_refused_with_what_to_do(
    name: str, content: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)

    vcons, problems = come_in(tmp_path / name)

    assert vcons == []
    assert says in str(problems[0])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "a,b,c\n1,Ann,How can I help?\n1,Bo,My line is dead.\n"),
        (
            "a.json",
            '{"a": {"b": [{"x": "How can I help?", "y": "Ann"}, {"x": "My line is dead.", "y": "Bo"}]}}',
        ),
        ("a.jsonl", '{"x": "How can I help?", "y": "Ann"}\n{"x": "My line is dead.", "y": "Bo"}\n'),
    ],
)
def test_a_dry_run_guesses_columns_without_a_known_name_by_their_content(
    name: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    found = preview(find_files([str(tmp_path / name)]))
    assert found is not None
    (tmp_path / "mapping.yaml").write_text(found[0].mapping)

    vcons, problems = come_in(tmp_path / name, load_mapping(tmp_path / "mapping.yaml"))

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [[("Ann", "How can I help?"), ("Bo", "My line is dead.")]]


def test_offsets_at_a_pace_that_nobody_speaks_at_are_milliseconds(tmp_path: Path) -> None:
    turns = [
        {"speaker": name, "text": "How can I help?", "start": start}
        for name, start in (("A", 0), ("B", 9000))
    ]
    (tmp_path / "2026-07-07.json").write_text(json.dumps({"turns": turns}))

    vcons, _ = come_in(tmp_path / "2026-07-07.json")

    assert [turn["start"] for turn in vcons[0]["dialog"]] == ["2026-07-07T00:00:00Z", "2026-07-07T00:00:09Z"]


def test_a_dry_run_of_a_folder_shows_the_file_that_needs_a_mapping_and_reads_the_others_as_ever(
    tmp_path: Path,
) -> None:
    spoken = [{"speaker": "Agent", "text": "Hello."}, {"speaker": "Customer", "text": "My line is dead."}]
    odd = [{"x": "How can I help?", "y": "Ann"}, {"x": "My line is dead.", "y": "Bo"}]
    (tmp_path / "a.json").write_text(json.dumps({"turns": spoken}))
    (tmp_path / "b.json").write_text(json.dumps({"said": odd}))
    (tmp_path / "c.txt").write_text("[00:00:08] Ann: Hello.\n[00:00:12] Bo: My line is dead.\n")
    found = preview(find_files([str(tmp_path)]))
    assert found is not None

    read = [come_in(tmp_path / name, found[1]) for name in ("a.json", "b.json", "c.txt")]

    assert Path(found[0].file).name == "b.json"
    assert [problems for _, problems in read] == [[], [], []]
    assert [said(vcon)[0][0] for vcons, _ in read for vcon in vcons] == ["Agent", "Ann", "Ann"]


def test_thirty_transcripts_of_a_call_centre_are_tried() -> None:
    assert len({each.name for each in THIRTY}) == 30


@pytest.mark.parametrize(
    "transcript", [each for each in THIRTY if each.mapping is None], ids=lambda each: each.name
)
def test_the_mapping_that_a_dry_run_writes_reads_the_file_the_same(
    transcript: Transcript, tmp_path: Path
) -> None:
    path = tmp_path / transcript.name
    content = transcript.content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = preview(find_files([str(path)]))
    assert found is not None
    (tmp_path / "mapping.yaml").write_text(found[0].mapping)

    mapped, problems = come_in(path, load_mapping(tmp_path / "mapping.yaml"))

    assert problems == []
    assert [said(vcon) for vcon in mapped] == transcript.calls
    assert [vcon["uuid"] for vcon in mapped] == [vcon["uuid"] for vcon in come_in(path)[0]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: [", "is not YAML"),
        ("name: calls\n", '"title" is a required property'),
        (
            "name: c\ntitle: c\ngot: c\nshape: table\nrecognise: [[a]]\nturns: [{at: '*', txt: [a]}]\n",
            "turns[0]: ",
        ),
        (
            "name: c\ntitle: c\ngot: c\nshape: lines\nline: '('\nrecognise: [{}]\n"
            "turns: [{at: '*', text: [a]}]\n",
            "line: '(' is not a regular expression: missing )",
        ),
    ],
)
def test_a_bad_mapping_says_where_and_why(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "mapping.yaml").write_text(text)

    with pytest.raises(BadMapping, match=re.escape(says)):
        load_mapping(tmp_path / "mapping.yaml")


def test_the_mapping_of_the_guide_reads_the_table_that_it_describes(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "import.md").read_text()
    (tmp_path / "mapping.yaml").write_text(guide.partition("```yaml\n")[2].partition("```")[0])
    (tmp_path / "july.csv").write_text("nr,notes,day\n7,The line is dead.,2026-07-31\n")

    vcons, problems = come_in(tmp_path / "july.csv", load_mapping(tmp_path / "mapping.yaml"))

    assert problems == []
    assert [said(vcon) for vcon in vcons] == [[("Caller", "The line is dead.")]]
    assert vcons[0]["created_at"] == "2026-07-31T00:00:00Z"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "contacts.csv",
            "name,email,notes\nAnn,ann@a.example,Likes tea.\nBob,bob@b.example,Owes us a cake.\n",
        ),
        ("prices.csv", "id,title,price\n1,Leek,2\n2,Soup,3\n"),
        ("compose.yaml", "services:\n  db:\n    host: here\n    user: ann\n    image: postgres\n"),
        ("manual.md", "# API\n\n" + "## {0}\n\n### Parameters\n\n- a\n\n### Returns\n\nA list.\n\n" * 2),
        (
            "changes.md",
            "# Changes\n\n## [2.0]\n\n### Added\n- x\n### Fixed\n- y\n\n## [1.0]\n\n### Added\n- z\n",
        ),
        ("soup.txt", "Soup\n\nTake: a leek.\nCook: an hour.\n"),
        (
            "contacts.json",
            '[{"name": "Ann", "notes": "Likes tea."}, {"name": "Bob", "notes": "Owes us a cake."}]',
        ),
    ],
)
def test_what_nobody_said_is_not_taken_for_a_conversation(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)

    vcons, problems = come_in(tmp_path / name)

    assert vcons == []
    assert len(problems) >= 1


def test_a_table_in_a_folder_is_read_only_if_it_certainly_is_a_conversation(tmp_path: Path) -> None:
    (tmp_path / "contacts.csv").write_text("name,notes\nAnn,Likes tea.\nBob,Owes us a cake.\n")
    (tmp_path / "calls.csv").write_text("call_id,speaker,text\n1,Agent,Hello.\n1,Customer,Hi.\n")

    sources = with_conversations(find_files([str(tmp_path)]), None)

    assert [Path(file.name).name for file in sources.files] == ["calls.csv"]
    assert [Path(file.name).name for file in sources.ignored] == ["contacts.csv"]


@pytest.mark.parametrize(
    ("name", "content", "turns"),
    [
        (
            "tickets.csv",
            "Ticket No.;Datum Anruf;Kd-Nr;Verlauf\n"
            'T-1001;17.09.2025 10:00;77;"Kunde: Hallo. Mitarbeiter: Ja?"\n'
            'T-1002;18.09.2025 11:00;78;"Kunde: Danke. Mitarbeiter: Bitte."\n',
            [
                [("Kunde", "Hallo."), ("Mitarbeiter", "Ja?")],
                [("Kunde", "Danke."), ("Mitarbeiter", "Bitte.")],
            ],
        ),
        (
            "first_apart.json",
            json.dumps(
                {
                    "id": "47",
                    "source": {"id": "1", "body": "<p>It is dead &amp; cold</p>", "author": {"name": "Mira"}},
                    "parts": {
                        "parts": [
                            {"id": "2", "body": "<p>Sorry!</p>", "author": {"name": "Jonas"}},
                            {"id": "3", "body": "<p>It is white.</p>", "author": {"name": "Mira"}},
                        ]
                    },
                }
            ),
            [[("Mira", "It is dead & cold"), ("Jonas", "Sorry!"), ("Mira", "It is white.")]],
        ),
        (
            "issue.json",
            json.dumps(
                {
                    "number": 7,
                    "body": "The build is red.",
                    "user": {"login": "mira"},
                    "comments": [
                        {"body": "Which one is it?", "user": {"login": "jonas"}, "created_at": 1709632800},
                        {"body": "The second one.", "user": {"login": "mira"}, "created_at": 1709632900},
                    ],
                }
            ),
            [[("mira", "The build is red."), ("jonas", "Which one is it?"), ("mira", "The second one.")]],
        ),
    ],
)
def test_a_guess_takes_no_id_for_a_speaker_and_keeps_a_first_message_apart_from_the_list(
    name: str, content: str, turns: list[list[tuple[str, str]]], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)

    vcons, problems = come_in(tmp_path / name)

    assert problems == []
    assert [said(vcon) for vcon in vcons] == turns


@pytest.mark.parametrize("transcript", THIRTY, ids=lambda each: each.name)
def test_a_mapping_that_a_dry_run_writes_has_no_regular_expression(
    transcript: Transcript, tmp_path: Path
) -> None:
    path = tmp_path / transcript.name
    content = transcript.content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    found = preview(find_files([str(path)]))

    assert found is None or not re.search(r"\(\?|\\d|\\s|\[\^", found[0].mapping)
