"""The commands for people who look into their store: found, read, tagged, deleted and written out."""

import csv
import json
import re
import shutil
import socket
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Final, NoReturn, TypeAlias, get_args

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from tests.cli.test_help import COMMANDS
from tests.tools.bridge.endpoint import Answer, FakeModel, Raw, model_in_a_thread
from tests.vcon.calls_050 import CALLS
from tests.vcon.said_calls import DISCLOSED, chat, recording
from vcontract.generated.models.contract import SearchFiltersEvents
from vcontract.runtime.cli import completing, console
from vcontract.runtime.cli.ask_command import answer_text
from vcontract.runtime.cli.filter_options import EventKind
from vcontract.runtime.cli.main import app
from vcontract.runtime.cli.statistics import spark
from vcontract.runtime.frame.calls.dispatch import CallOutcome
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.installation import find_installation

Run: TypeAlias = Callable[..., Result]

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x9b2J \u202edesrever\u2066\u200b </p><script>alert(1)</script> =1+1"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")


def call(number: int, *said: str, **members: object) -> JsonObject:
    return {
        "vcon": "0.4.0",
        "uuid": f"01900000-0000-8000-8000-{number:012}",
        "created_at": f"2024-0{number}-01T10:00:00Z",
        "subject": f"Call {number}",
        "parties": [{"name": "Ann", "role": "agent"}, {"tel": "+4930123456"}],
        "dialog": [
            {
                "type": "text",
                "start": f"2024-0{number}-01T10:0{index}:00Z",
                "parties": [index % 2],
                "mediatype": "text/plain",
                "body": text,
                "encoding": "none",
            }
            for index, text in enumerate(said)
        ],
        **members,
    }


TRANSCRIPT = {
    "type": "transcript",
    "vendor": "ear",
    "dialog": 0,
    "encoding": "json",
    "body": [
        {"speaker": "Ann", "text": "Your refund is on its way.", "start": 61.5},
        {"speaker": 1, "text": "Thank you."},
    ],
}
REFUND = call(1, "I want a refund for the kettle.", "Of course.", analysis=[TRANSCRIPT])
KETTLE = call(2, "My kettle leaks.", "Which kettle is it?")
WEATHER = call(3, "It rains in Oslo.")
EVIL = call(
    4,
    HOSTILE,
    subject=f"Invoice {HOSTILE}",
    parties=[{"name": HOSTILE}],
    attachments=[{"purpose": HOSTILE, "body": HOSTILE, "encoding": "none"}],
    analysis=[{"type": HOSTILE, "vendor": "x", "body": HOSTILE, "encoding": "none"}],
)


@pytest.fixture(scope="module")
def store(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs the command on the module's database, which holds four conversations of tenant `default`."""
    folder = tmp_path_factory.mktemp("store")

    def invoke(*arguments: object, input: str | None = None, **env: str | None) -> Result:
        settings: dict[str, str | None] = {
            "VCONTRACT_DATABASE_URL": database_url,
            "VCONTRACT_DATA_DIR": str(folder / "data"),
            "COLUMNS": "120",
            **env,
        }
        return CliRunner().invoke(app, [str(item) for item in arguments], input, env=settings)

    path = folder / "calls.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (REFUND, KETTLE, WEATHER, EVIL)))
    assert invoke("import", path, "--wait-embeddings").exit_code == 0
    return invoke


@pytest.fixture
def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed goes to a terminal, whose pager is no program."""
    monkeypatch.setattr(console, "is_read_by_a_person", lambda: True)
    for module in ("counting", "searching", "showing"):
        monkeypatch.setattr(f"vcontract.runtime.cli.{module}.is_read_by_a_person", lambda: True)
    monkeypatch.setattr("pydoc.pager", print)
    monkeypatch.setenv("FORCE_COLOR", "1")


def stored(run: Run, tenant: str, vcon: JsonObject) -> JsonObject:
    outcome = run("call", "create_vcon", "-", "--tenant", tenant, input=json.dumps({"vcon_data": vcon}))
    assert outcome.exit_code == 0, outcome.output
    return vcon


def unstyled(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def ids(outcome: Result) -> list[str]:
    return [line.split("\t")[0] for line in outcome.stdout.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (["kettle", "--mode", "keyword"], {REFUND["uuid"], KETTLE["uuid"]}),
        (["refund", "kettle", "--mode", "keyword"], {REFUND["uuid"]}),
        (["kettle", "--mode", "keyword", "--since", "2024-02-01"], {KETTLE["uuid"]}),
        (["kettle", "--mode", "keyword", "--until", "2024-01-01"], {REFUND["uuid"]}),
        (["kettle", "--mode", "keyword", "--limit", "1"], {REFUND["uuid"], KETTLE["uuid"]}),
        (["Oslo", "--party", "Ann"], {WEATHER["uuid"]}),
        (["Oslo", "--party", "123456"], {WEATHER["uuid"]}),
        (["bad", "weather", "--mode", "semantic"], {WEATHER["uuid"]}),
    ],
)
def test_a_search_finds_what_its_words_and_options_ask_for(
    store: Run, arguments: list[str], found: set[str]
) -> None:
    outcome = store("search", *arguments)

    assert outcome.exit_code == 0, outcome.output
    hits = ids(outcome)
    assert hits[0] in found
    assert set(hits) <= found or "semantic" in arguments or "--party" in arguments
    first = outcome.stdout.splitlines()[0].split("\t")
    assert len(first) == 6
    assert "<mark>" not in outcome.stdout


def test_a_search_shows_date_subject_parties_and_the_words_marked(store: Run, on_a_terminal: None) -> None:
    outcome = store("search", "kettle", "--mode", "keyword")

    lines = outcome.stdout.splitlines()
    head = next(line for line in lines if "Call 2" in line)
    assert "2024-02-01 10:00" in head
    assert "Ann (agent), +4930123456" in head
    assert "\x1b[1;33mkettle\x1b[0m leaks" in outcome.stdout
    assert "[dialog 0; matched: words" in outcome.stdout
    assert KETTLE["uuid"] in outcome.stdout


def test_a_hit_in_an_analysis_is_called_by_its_type(store: Run, on_a_terminal: None) -> None:
    outcome = store("search", "on its way", "--mode", "keyword")
    assert "[transcript (analysis 0); matched: words" in outcome.stdout


def test_a_question_is_answered_by_turns_that_show_opens(store: Run) -> None:
    asked = store("ask", "where is the kettle")
    head, turn, *_ = asked.stdout.splitlines()
    id_, number = head.rsplit(" | ")[-1], turn[1 : turn.index("]")]

    assert asked.exit_code == 0
    assert "kettle" in asked.stdout
    assert turn.partition("] ")[2].split(": ")[-1] in store("show", f"{id_}#{number}").stdout


def test_a_question_without_an_answer_shows_no_turns_and_a_page_past_the_end_says_so(store: Run) -> None:
    nothing = store("ask", "zeppelin quantum harpsichord")
    whole = store("ask", "where is the kettle", "--page", "99")
    first = store("ask", "kettle", "--survey", "--tokens", "100")

    assert (nothing.exit_code, whole.exit_code) == (1, 1)
    assert nothing.stdout.startswith("Nothing found that answers it.")
    assert whole.stdout == "Nothing is on page 99: the result ends before it.\n"
    assert "cursor" not in first.stdout


@pytest.mark.parametrize(
    ("answerable", "text"),
    [
        ("likely", "[0] Ann: Hello.\n\nAn answer is likely above. More: 2 turns, 1 conversation (--page 2)."),
        ("nothing_found", "Nothing found that answers it."),
    ],
)
def test_a_further_page_is_offered_only_of_what_was_found(answerable: str, text: str) -> None:
    ending = "An answer is likely above." if answerable == "likely" else "Nothing found that answers it."
    result: JsonObject = {"page": {"next_cursor": "2"}, "meta": {"answerable": answerable}}

    said = f"[0] Ann: Hello.\n\n{ending} More: 2 turns, 1 conversation (cursor 2)."
    shown = answer_text(CallOutcome(said, result, is_error=False))

    assert shown == text


def test_dates_of_a_question_are_those_of_the_turns(store: Run) -> None:
    boiler = call(5, "The boiler hums.", "The boiler is silent now.")
    boiler["dialog"][1]["start"] = "2024-05-09T10:00:00Z"
    stored(store, "days", boiler)

    later = store("ask", "boiler silent", "--since", "2024-05-05", "--tenant", "days", "--json")
    after = store("ask", "boiler silent", "--since", "2024-05-10", "--tenant", "days")
    swapped = store("ask", "boiler silent", "--since", "2024-05-10", "--until", "2024-05-01")

    (found,) = json.loads(later.stdout)["items"]
    assert [turn["turn"] for turn in found["turns"] if "context" not in turn] == [1]
    assert after.exit_code == 1
    assert swapped.exit_code == 2


def test_a_question_about_what_nobody_said_is_not_answered(store: Run) -> None:
    asked = store("ask", "zeppelin harpsichord quarks", "--json")

    assert asked.exit_code == 1
    assert json.loads(asked.stdout)["meta"]["answerable"] == "nothing_found"


@pytest.fixture
def llm() -> Iterator[FakeModel]:
    with model_in_a_thread() as fake:
        yield fake


def sentences(*written: tuple[str, list[str]]) -> JsonObject:
    return {"sentences": [{"text": text, "sources": sources} for text, sources in written]}


def endpoint(llm: FakeModel) -> dict[str, str]:
    return {"VCONTRACT_LLM_BASE_URL": f"http://127.0.0.1:{llm.port}/v1", "VCONTRACT_LLM_MODEL": "small-model"}


def test_a_model_writes_the_answer_from_turns_that_show_opens(store: Run, llm: FakeModel) -> None:
    id_ = store("ask", "my kettle leaks").stdout.splitlines()[0].rsplit(" | ")[-1]
    llm.answers = [
        sentences(
            ("The kettle leaks.", [f"{id_}#0", "0199ffff#3"]),
            ("It was cheap.", [f"{id_}#99"]),
            ("It is blue.", []),
        )
    ]

    answered = store("ask", "what is wrong with the kettle", "--answer", **endpoint(llm))

    assert (answered.exit_code, answered.stdout) == (0, f"The kettle leaks. [{id_}#0]\n")
    assert "My kettle leaks." in store("show", f"{id_}#0").stdout
    (request,) = llm.requests
    question, marker, *material = request["messages"][1]["content"].replace("\n\n", "\n", 1).split("\n")
    assert question == "what is wrong with the kettle"
    assert material[-1] == marker
    assert marker in request["messages"][0]["content"]
    assert "My kettle leaks." in "\n".join(material)


def test_a_model_that_finds_no_answer_in_the_turns_declines(store: Run, llm: FakeModel) -> None:
    llm.answers = [sentences()]

    answered = store("ask", "what did the kettle cost", "--answer", **endpoint(llm))

    assert (answered.exit_code, answered.stdout) == (1, "The conversations found do not answer this.\n")


def test_a_model_is_not_asked_when_nothing_was_found(store: Run, llm: FakeModel) -> None:
    answered = store("ask", "zeppelin harpsichord quarks", "--answer", "--json", **endpoint(llm))

    assert answered.exit_code == 1
    assert json.loads(answered.stdout)["answer"] == []
    assert llm.requests == []


@pytest.mark.parametrize(
    ("written", "message", "cure"),
    [
        ("The kettle leaks.", "did not answer in the form asked for", "a model that follows a JSON schema"),
        (Raw(401), "did not answer: credentials_refused", "check VCONTRACT_LLM_API_KEY"),
        (Raw(400), "did not answer: request_refused", "leave out --answer"),
    ],
)
def test_a_model_that_gives_no_usable_answer_is_reported(
    store: Run, llm: FakeModel, written: Answer, message: str, cure: str
) -> None:
    llm.answers = [written]

    answered = store("ask", "what is wrong with the kettle", "--answer", **endpoint(llm))

    assert (answered.exit_code, answered.stdout) == (1, "")
    assert message in answered.stderr
    assert cure in answered.stderr


def test_an_answer_without_a_model_says_what_to_set(store: Run) -> None:
    answered = store("ask", "what is wrong with the kettle", "--answer", VCONTRACT_LLM_MODEL="small-model")

    assert (answered.exit_code, answered.stdout) == (2, "")
    assert "set VCONTRACT_LLM_BASE_URL, or leave out --answer" in answered.stderr


def test_a_search_goes_by_words_where_there_is_no_model(store: Run) -> None:
    outcome = store("search", "kettle", VCONTRACT_EMBEDDING_PROVIDER="none")
    refused = store("search", "kettle", "--mode", "semantic", VCONTRACT_EMBEDDING_PROVIDER="none")

    assert set(ids(outcome)) == {REFUND["uuid"], KETTLE["uuid"]}
    assert "Searched by words only: " in outcome.stderr
    assert refused.exit_code == 1
    assert "cure:  add --mode keyword" in refused.stderr


def test_a_search_that_finds_nothing_says_why(store: Run) -> None:
    outcome = store("search", "zeppelin", "--mode", "keyword")

    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert "Nothing found." in outcome.stderr
    assert "zeppelin" in outcome.stderr


def test_answers_in_json_are_those_of_the_tool_and_of_all_pages(store: Run) -> None:
    searched = json.loads(store("search", "kettle", "--mode", "keyword", "--json").stdout)
    listed = json.loads(store("list", "--limit", "3", "--json").stdout)
    shown = json.loads(store("show", REFUND["uuid"], "--json").stdout)

    assert {item["id"] for item in searched["items"]} == {REFUND["uuid"], KETTLE["uuid"]}
    assert [item["id"] for item in listed["items"]] == [EVIL["uuid"], WEATHER["uuid"], KETTLE["uuid"]]
    assert shown["item"]["dialog"] == REFUND["dialog"]


def test_the_list_has_the_newest_first_and_is_narrowed(store: Run, on_a_terminal: None) -> None:
    whole = store("list", "--limit", "2")
    narrowed = store("list", "--since", "2024-02-01", "--until", "2024-02-01")

    assert whole.stdout.index(EVIL["uuid"]) < whole.stdout.index(WEATHER["uuid"])
    assert "The first 2 of 4; --limit N shows more" in whole.stderr
    assert KETTLE["uuid"] in narrowed.stdout
    assert WEATHER["uuid"] not in narrowed.stdout


def test_a_conversation_is_shown_with_speakers_times_and_turns(store: Run) -> None:
    outcome = store("show", REFUND["uuid"])
    only = store("show", REFUND["uuid"], "--part", "analysis")

    assert outcome.stdout.splitlines()[:3] == [
        "Call 1",
        f"2024-01-01 10:00  {REFUND['uuid']}",
        "with Ann (agent), +4930123456",
    ]
    assert "2024-01-01 10:00:00  Ann: I want a refund for the kettle." in outcome.stdout
    assert "10:01:00  +4930123456: Of course." in outcome.stdout
    assert "── analysis 0: transcript by ear ──\n01:01  Ann: Your refund" in outcome.stdout
    assert "Speaker 1: Thank you." in only.stdout
    assert "kettle" not in only.stdout


def test_calls_of_tools_are_folded_and_unfolded(store: Run, tmp_path: Path) -> None:
    session = tmp_path / "s.jsonl"
    base = {
        "sessionId": "s1",
        "cwd": "/home/ann/shop",
        "version": "1.0.0",
        "userType": "external",
        "isSidechain": False,
    }
    ask = {"role": "user", "content": "List the files"}
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls -l"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "kettle.py"}
    texts: tuple[JsonObject, ...] = (
        {"type": "user", "uuid": "a", "parentUuid": None, "message": ask},
        {
            "type": "assistant",
            "uuid": "b",
            "parentUuid": "a",
            "message": {"role": "assistant", "content": [use]},
        },
        {"type": "user", "uuid": "c", "parentUuid": "b", "message": {"role": "user", "content": [result]}},
        {
            "type": "assistant",
            "uuid": "d",
            "parentUuid": "c",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "There is one."}]},
        },
    )
    lines = [{**base, "timestamp": f"2024-05-01T10:00:0{n}Z", **text} for n, text in enumerate(texts)]
    session.write_text("".join(json.dumps(each) + "\n" for each in lines))
    assert store("import", session, "--tenant", "agents").exit_code == 0
    (uuid,) = ids(store("list", "--tenant", "agents"))

    folded = store("show", uuid, "--tenant", "agents")
    unfolded = store("show", uuid, "--tools", "--tenant", "agents")

    assert "    1 tool call: Bash ls -l\n" in folded.stdout
    assert "kettle.py" not in folded.stdout
    assert "kettle.py" in unfolded.stdout
    assert ids(store("search", "files", "--toolset", "memory", "--tenant", "agents")) == [uuid]


def test_conversations_like_another_one_are_found_without_it(store: Run) -> None:
    outcome = store("similar", REFUND["uuid"], "--limit", "3")
    assert outcome.exit_code == 0
    assert REFUND["uuid"] not in ids(outcome)
    assert ids(outcome)[0] == KETTLE["uuid"]


def test_tags_are_set_found_and_removed(store: Run) -> None:
    tagged = store("tag", WEATHER["uuid"], "city=Oslo", "mood:grey")
    found = store("list", "--tag", "city=Oslo")
    removed = store("untag", WEATHER["uuid"], "city", "nope")
    gone = store("list", "--tag", "mood=blue", "--json")

    assert tagged.stdout == "tags city=Oslo, mood=grey\n"
    assert ids(found) == [WEATHER["uuid"]]
    assert (removed.exit_code, removed.stdout) == (1, "tags mood=grey\n")
    assert "tag not found: nope" in removed.stderr
    assert json.loads(gone.stdout)["items"] == []


def test_a_tag_is_shown_in_the_form_in_which_it_is_asked_for(store: Run) -> None:
    uuid = WEATHER["uuid"]
    for key, value in (("urgent", True), ("level", 2.5)):
        store("call", "add_tag", json.dumps({"vcon_uuid": uuid, "key": key, "value": value}))

    shown = store("show", uuid).stdout
    found = [ids(store("list", "--tag", tag)) for tag in ("urgent=true", "level=2.5")]
    store("untag", uuid, "urgent", "level")

    assert "level=2.5" in shown
    assert "urgent=true" in shown
    assert found == [[uuid]] * 2


def test_a_redaction_of_nothing_names_the_options(store: Run) -> None:
    refused = store("redact", REFUND["uuid"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "add --rules, --word or --pattern" in refused.stderr


def test_on_a_narrow_terminal_nothing_of_a_listing_is_cut(store: Run, on_a_terminal: None) -> None:
    wide = store("list", "-n", "2").stdout
    narrow = store("list", "-n", "2", COLUMNS="60").stdout
    counts = store("count", "month", "role", COLUMNS="40").stdout

    lines = [line.split(maxsplit=1) for line in unstyled(narrow).splitlines() if line.strip()]
    assert [line[0] for line in lines if line[0] in ("ID", "WHEN")] == ["ID", "WHEN"] * 2
    assert all(line[1].strip() in unstyled(wide) for line in lines if line[0] == "ID")
    assert max(len(line) for line in unstyled(narrow).splitlines()) <= 60
    assert re.search(r"^LAST +\d{4}-\d\d-\d\d *$", unstyled(counts), re.MULTILINE)


def test_what_is_redacted_is_in_no_backup_once_the_original_is_deleted(store: Run, tmp_path: Path) -> None:
    card = "5500 0055 5555 5559"
    paid = stored(store, "redacting", call(8, f"Take {card} of Ann, order ZQ-77.", subject="Ann pays"))
    asked = (
        "redact",
        paid["uuid"],
        "--tenant",
        "redacting",
        "--rules",
        "cards,names",
        "--pattern",
        r"ZQ-\d+",
    )

    counted = json.loads(store(*asked, "--dry-run", "--json").stdout)
    made = store(*asked, "--delete-original", "--json")
    reported = json.loads(made.stdout)
    shown = store("show", reported["uuid"], "--tenant", "redacting")
    backup = tmp_path / "store.backup"
    written = store("backup", backup)

    assert counted["counts"] == reported["counts"] == {"card": 1, "name": 3, "pattern": 1}
    assert ("uuid" in counted, reported["original_deleted"]) == (False, True)
    assert card not in made.output
    assert "[redacted: card] of [redacted: name], order [redacted: pattern]" in shown.stdout
    assert store("show", paid["uuid"], "--tenant", "redacting").exit_code == 1
    assert written.exit_code == 0, written.output
    dumped = rows_of(backup, tmp_path)
    assert "[redacted: pattern]" in dumped
    assert card not in dumped


def rows_of(backup: Path, folder: Path) -> str:
    """What the dump in a backup holds, as text."""
    dump = folder / "database.dump"
    with tarfile.open(backup) as files:
        content = files.extractfile(dump.name)
        assert content is not None
        dump.write_bytes(content.read())
    restoring = [find_installation().program("pg_restore"), "--file=-", str(dump)]
    return subprocess.check_output(restoring, text=True)  # noqa: S603  # the program that wrote it


def test_a_deletion_asks_unless_it_is_told_not_to(store: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ghost = call(9, "Boo.")
    stored(store, "default", ghost)

    unasked = store("delete", ghost["uuid"])
    one_missing = store("delete", ghost["uuid"], "00000000-0000-4000-8000-000000000000", "--yes")
    monkeypatch.setattr("vcontract.runtime.cli.changing.is_answered", lambda: True)
    refused = store("delete", ghost["uuid"], input="n\n")
    there = store("show", ghost["uuid"])
    done = store("delete", ghost["uuid"], input="y\n")
    gone = store("show", ghost["uuid"])

    assert (unasked.exit_code, one_missing.exit_code, refused.exit_code) == (2, 1, 1)
    assert "cure:  add --yes" in unasked.stderr
    assert f"2024-09-01  Call 9  {ghost['uuid']}" in refused.stderr
    assert (there.exit_code, done.exit_code, gone.exit_code) == (0, 0, 1)
    assert done.stdout.endswith("Deleted 1 conversation.\n")


def test_before_anything_is_embedded_it_is_said_how_what_is_alike_is_found(store: Run) -> None:
    waiting = stored(store, "waiting", {**REFUND, "uuid": "01900000-0000-8000-8000-000000000077"})

    outcome = store("similar", waiting["uuid"], "--tenant", "waiting")

    assert outcome.exit_code == 1
    assert "cure:  run `vcontract embed`" in outcome.stderr
    assert '"level"' not in outcome.stderr


def test_the_statistics_tell_counts_months_and_coverage(store: Run) -> None:
    plain = dict(line.split("\t") for line in store("stats").stdout.splitlines())
    as_json = json.loads(store("stats", "--json").stdout)

    assert plain["conversations"] == "4"
    assert plain["from"] == "2024-01-01 10:00"
    assert plain["months"] == "████ 2024-01 to 2024-04"
    assert plain["with dialogs"] == "text 4"
    assert plain["embedded"].endswith(" passages")
    assert plain["import"].endswith(" created 4")
    assert [each["report"]["created"] for each in as_json["imports"]] == [4]
    assert as_json["stored_bytes"] > 0
    assert as_json["months"] == {f"2024-0{month}": 1 for month in (1, 2, 3, 4)}
    assert as_json["embedding"]["coverage"] == 1


def test_conversations_are_counted_in_groups(store: Run, on_a_terminal: None) -> None:
    shown = store("count", "month", "role", "--since", "2024-02-01", "--by-key", "-n", "1")
    nothing = store("count", "tag:city", "--until", "2020-01-01")

    assert shown.exit_code == 0, shown.output
    assert re.search(r"^2024-02\s+agent\s+1\s+2\s+2024-02-01\s+2024-02-01\s*$", shown.stdout, re.MULTILINE)
    assert "3 conversations in total; 1 in no group; 1 more group (--limit N shows more)" in shown.stderr
    assert nothing.exit_code == 2
    assert "No vCon has the tag key" in nothing.stderr


def test_calls_of_some_days_are_a_page_and_tables_that_no_spreadsheet_computes(
    store: Run, tmp_path: Path
) -> None:
    parties = [{"name": "=1+1", "role": "agent"}, {"name": HOSTILE, "role": "customer"}]
    stored(store, "reported", call(5, "A kettle, please.", "Of course.", parties=parties))
    out = tmp_path / "out" / "calls"
    days = ("--since", "2024-05-01", "--until", "2024-05-07", "--said", "kettle", "--tenant", "reported")
    asked = ("--disclosure", "call is recorded", "--first", 30)

    done = store("report", "calls", *days, *asked, "--out", out, "--links", "http://127.0.0.1:9/browse/")
    html = (out / "calls.html").read_text()
    rows = {path.stem: list(csv.reader(path.read_text().splitlines())) for path in out.glob("*.csv")}

    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("1 conversation from 2024-05-01 to 2024-05-07, 0 before.")
    assert rows["said"] == [
        ["phrase", "by", "conversations", "before", "unknown"],
        ["kettle", "", "1", "0", "0"],
        ["kettle", "agent", "1", "", "0"],
        ["kettle", "customer", "0", "", "0"],
    ]
    assert rows["agents"][2][:3] == ["'=1+1", "1", "0"]
    assert rows["days"][1] == ["2024-05-01", "1"]
    assert len(rows["days"]) == 8
    assert rows.keys() == {
        *("said", "said_by_agent", "disclosure", "weeks", "scores", "agents", "days", "topics"),
        "called_again",
    }
    assert "http://127.0.0.1:9/browse/?since=2024-05-01&amp;until=2024-05-07&amp;said=kettle" in html
    assert "<script" not in html
    for wrong in (
        ("--week", "2024-W99"),
        ("--since", "soon"),
        ("--week", "2024-W01", "--until", "2024-01-02"),
    ):
        assert store("report", "calls", *wrong, "--out", out).exit_code == 2


def test_who_says_how_much_is_counted_by_speaker(store: Run, on_a_terminal: None) -> None:
    shown = unstyled(store("count", "speaker", COLUMNS="120").stdout)

    assert re.search(r"^SPEAKER\s+TURNS\s+WORDS\s+CONVERSATIONS", shown, re.MULTILINE)
    words = [int(row) for row in re.findall(r"\s+\d+\s+(\d+)\s+\d+\s.*\d{4}-\d\d-\d\d\s", shown)]
    assert words == sorted(words, reverse=True) != []


def test_counts_go_on_as_rows_with_tabs_and_as_the_tool_answers_them(store: Run) -> None:
    assert "transcript\t1\t2\t\t2024-01-01\t2024-01-01" in store("count", "type").stdout.splitlines()
    assert json.loads(store("count", "type", "--json").stdout)["groups"][-1]["key"] == ["transcript"]


def test_counts_have_the_means_of_measures_and_of_how_many_they_are_known(store: Run) -> None:
    talk = chat("measured", [(0, 0, 5, "Hello."), (1, 8, 2, "Hi.")])
    for dialog in talk["dialog"]:
        dialog["mediatype"] = "text/plain"
    stored(store, "measured", talk)
    measures = ("--measure", "talk_seconds", "--measure", "hold_seconds", "--tenant", "measured")

    [row] = store("count", "month", *measures).stdout.splitlines()
    shares = store("count", "role", "--measure", "talk_share", "--by-key", *measures[4:]).stdout.splitlines()
    refused = store("count", "month", "--measure", "talk")

    assert row.split("\t")[:7] == ["2026-11", "1", "2", "7", "1", "", "0"]
    assert [each.split("\t")[3] for each in shares] == ["0.7143", "0.2857"]
    assert refused.exit_code == 2
    assert "is not a measure" in refused.stderr


def test_an_amended_conversation_is_counted_once_unless_all_versions_are_asked_for(
    store: Run, on_a_terminal: None
) -> None:
    first = stored(store, "versions", call(5, "Hello."))
    later = stored(store, "versions", call(6, "Hello.", amended={"uuid": first["uuid"]}))
    in_versions = ("--tenant", "versions")

    latest = store("count", "day", *in_versions)
    every = store("count", "day", "--all-versions", *in_versions)
    listed = store("list", "--latest", "--json", *in_versions)

    assert (
        "1 conversation in total; 1 other version not counted (--all-versions counts them)" in latest.stderr
    )
    assert "2 conversations in total" in every.stderr
    assert [item["id"] for item in json.loads(listed.stdout)["items"]] == [later["uuid"]]
    assert len(json.loads(store("list", "--json", *in_versions).stdout)["items"]) == 2


def test_the_statistics_of_an_empty_store_are_told(store: Run) -> None:
    outcome = store("stats", "--tenant", "nobody")
    assert outcome.exit_code == 0
    assert "conversations\t0\n" in outcome.stdout


@pytest.mark.parametrize(
    ("counts", "bars"), [([], ""), ([0, 0], "  "), ([1, 0, 8], "▁ █"), ([5], "█"), ([1, 2, 3, 4], "▂▄▆█")]
)
def test_a_sparkline_has_a_bar_a_month(counts: list[int], bars: str) -> None:
    assert spark(counts) == bars


def test_every_command_takes_the_beginning_of_an_id(store: Run, tmp_path: Path) -> None:
    # given two conversations whose IDs part at the seventh digit
    first, second = call(1, "About the anchor."), call(2, "About the rudder.")
    first["uuid"], second["uuid"] = (
        "abcd0010-0000-8000-8000-000000000001",
        "abcd0020-0000-8000-8000-000000000002",
    )
    for each in (first, second):
        stored(store, "short", each)
    # when and then
    for arguments in (
        ["show", "abcd001"],
        ["show", "ABCD0010-0000-8"],
        ["tag", "abcd001", "part=anchor"],
        ["untag", "abcd001", "part"],
        ["verify", "abcd001"],
        ["redact", "abcd001", "--word", "anchor", "--dry-run"],
        ["export", "abcd001"],
        ["delete", "abcd001", "--yes"],
    ):
        outcome = store(*arguments, "--tenant", "short")
        assert (arguments, outcome.exit_code) == (arguments, 0), outcome.output
    assert store("show", "abcd", "--tenant", "short").exit_code == 0
    assert store("show", str(first["uuid"]), "--tenant", "short").exit_code == 1


NEEDED: Final = {
    "tag": ["kind=order"],
    "untag": ["kind"],
    "redact": ["--word", "x"],
    "reflection edit": ["New."],
    "delete": ["--yes"],
}
"""What commands with an ID need besides."""


def test_an_unknown_beginning_of_an_id_is_reported_by_every_command_that_takes_one(store: Run) -> None:
    takes_ids = {
        name.removeprefix("vcontract ")
        for name, command in COMMANDS.items()
        if any(each.metavar == "ID" for each in command.params if each.param_type_name == "argument")
    }
    found = sorted(name for name in takes_ids if not name.startswith("webhook"))
    assert {"show", "similar", "delete", "export", "reflection edit"} <= {*found}

    for name in found:
        outcome = store(*name.split(), "ffffffff", *NEEDED.get(name, []))
        assert (outcome.exit_code, "has an ID that begins with ffffffff" in outcome.output) == (1, True), name


def test_the_beginning_of_several_ids_lists_them(store: Run) -> None:
    alike = [call(number, f"Call {number}.") for number in (1, 2)]
    for number, each in enumerate(alike):
        each["uuid"] = f"bcde0000-0000-8000-8000-00000000000{number}"
        stored(store, "alike", each)

    for command in ("show", "export", "similar"):
        outcome = store(command, "bcde", "--tenant", "alike")
        assert outcome.exit_code == 2
        assert "more than one ID begins with bcde" in outcome.stderr
        assert [str(each["uuid"]) in outcome.stderr for each in alike] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["show", "7"], 2, "is not a uuid"),
        (["show", "12345678"], 1, "has an ID that begins with 12345678"),
        (["export", "xyz"], 2, "at least its first 4 digits"),
        (["show", "00000000-0000-4000-8000-000000000000"], 1, "`vcontract list` and `vcontract search`"),
        (["search", "the of and", "--mode", "keyword"], 2, """search for '"the of and"'"""),
        (["search", "!!! ???"], 2, "search for a word, or run `vcontract list`"),
        (["search", "!!! ???", "--mode", "keyword"], 2, "search for a word, or run `vcontract list`"),
        (["search", "x", "--since", "yesterday"], 2, '--since: "yesterday" is not a date'),
        (["search", "x", "--until", "soon"], 2, '--until: "soon" is not a date'),
        (["list", "--tag", "city"], 2, "write KEY=VALUE"),
        (
            ["list", "--since", "2025-05-05", "--until", "2025-01-01"],
            2,
            "--until 2025-01-01 is before --since 2025-05-05",
        ),
        (["export", "01900000", "--tag", "a=b"], 2, "IDs cannot be combined with --tag"),
        (["export", "--tag", "city"], 2, "write KEY=VALUE"),
        (["search", "x", "--tag", "a=b", "--toolset", "memory"], 2, "cannot be combined"),
        (["tag", "00000000-0000-4000-8000-000000000000", "a=b"], 1, "cure:"),
        (["export", "--format", "html", "--pretty"], 2, "--pretty requires"),
        (["similar", "00000000-0000-4000-8000-000000000000"], 1, "There is no vCon"),
    ],
)
def test_an_error_of_a_tool_is_told_in_words_with_a_cure(
    store: Run, arguments: list[str], code: int, words: str
) -> None:
    outcome = store(*arguments)
    assert outcome.exit_code == code, outcome.output
    assert words in outcome.stderr
    assert "INVALID_ARGUMENT" not in outcome.output


def test_a_full_disk_is_reported_in_words_without_a_log_line(
    store: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    async def refuse(*_: object) -> NoReturn:
        raise asyncpg.DiskFullError("no space left on device")

    monkeypatch.setattr("vcontract.handlers.vcon.tags.TagsTools._put", refuse)
    # when
    outcome = store("tag", KETTLE["uuid"], "a=b")
    # then
    assert outcome.exit_code == 3
    assert outcome.stderr == (
        "vcontract: the database's disk is full\n  cure:  free disk space, then run the command again\n"
    )


def test_a_store_that_is_read_only_is_not_changed(store: Run) -> None:
    outcome = store("tag", WEATHER["uuid"], "a=b", VCONTRACT_READ_ONLY="true")
    assert outcome.exit_code == 1
    assert "read-only" in outcome.stderr


def test_toolsets_that_are_not_served_do_not_take_the_commands_away(store: Run) -> None:
    assert store("list", VCONTRACT_TOOLSETS="memory", VCONTRACT_TOOLS="memory_search").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "Invoice", "--mode", "keyword"],
        ["list"],
        ["show", EVIL["uuid"]],
        ["show", EVIL["uuid"], "--json"],
        ["stats"],
        ["count", "type"],
        ["call", "vcon_fetch", json.dumps({"id": EVIL["uuid"], "include": ["dialog", "analysis"]})],
        *(["export", EVIL["uuid"], "--format", form] for form in ("markdown", "html", "csv")),
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[2:]).replace("{", "").replace('"', ""),
)
def test_nothing_in_a_conversation_steers_what_shows_it(store: Run, arguments: list[str]) -> None:
    outcome = store(*arguments)
    assert outcome.exit_code == 0
    assert STEERING.findall(outcome.stdout) == []


def test_on_a_terminal_only_our_own_styles_are_escape_sequences(store: Run, on_a_terminal: None) -> None:
    for arguments in (["search", "Invoice", "--mode", "keyword"], ["list"], ["show", EVIL["uuid"]]):
        outcome = store(*arguments)
        assert "\\u001b" in outcome.stdout
        assert STEERING.findall(re.sub("\x1b\\[[0-9;]*m", "", outcome.stdout)) == []
        assert "\x1b[31m" not in outcome.stdout


def test_an_exported_page_loads_and_runs_nothing(store: Run, tmp_path: Path) -> None:
    outcome = store("export", "--format", "html", "-o", tmp_path / "all.html")

    text = (tmp_path / "all.html").read_text()
    assert outcome.exit_code == 0
    assert text.count("<article>") == 4
    assert "default-src 'none'; style-src 'sha256-" in text
    assert "<script" not in text
    assert re.findall(r"\s(?:src|href|on\w+)=", text) == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<bdi class=who>Ann</bdi>" in text


def test_exported_markdown_quotes_what_was_said(store: Run) -> None:
    forged = call(
        8, "Fine.\n# Agreed\n---\n![x](http://evil.example/pixel)<img src=x>", subject="# Deal *now*"
    )
    stored(store, "md", forged)

    text = store("export", "--format", "markdown", "--tenant", "md").stdout

    assert text.startswith("# # Deal \\*now\\*\n")
    assert "**Ann** 2024-08-01T10:00:00Z:\n\n> Fine.\n> # Agreed\n> ---\n> !\\[x](" in text
    assert "<img" not in text
    assert [line for line in text.splitlines() if line.startswith("#")] == ["# # Deal \\*now\\*", "## Dialog"]


def test_exported_rows_are_turns_and_no_formulas(store: Run) -> None:
    formula = call(7, "=HYPERLINK(1)", "+1", 'a,"b"\nc')
    assert (
        store(
            "call", "create_vcon", "-", "--tenant", "csv", input=json.dumps({"vcon_data": formula})
        ).exit_code
        == 0
    )

    rows = list(
        csv.reader(StringIO(store("export", "--format", "csv", "--tenant", "csv").stdout, newline=""))
    )

    assert rows[0] == ["uuid", "created_at", "subject", "part", "index", "start", "speaker", "text"]
    assert [row[-1] for row in rows[1:]] == ["'=HYPERLINK(1)", "'+1", 'a,"b"\nc']
    assert rows[1][:7] == [
        formula["uuid"],
        formula["created_at"],
        "Call 7",
        "dialog",
        "0",
        "2024-07-01T10:00:00Z",
        "Ann",
    ]


def test_a_shell_completes_ids_tags_and_tools(store: Run) -> None:
    store("tag", KETTLE["uuid"], "colour=red")

    def completed(words: str) -> str:
        env = {"_VCONTRACT_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": words}
        return store(**env).stdout

    assert KETTLE["uuid"] in completed("vcontract show 0190")
    assert "Call 2" in completed("vcontract show 0190")
    assert "colour=red" in completed("vcontract list --tag col")
    assert "vcon_fetch" in completed("vcontract call vcon_f")
    assert "cursor" in completed("vcontract connect cu")
    assert EVIL["uuid"] in completed("vcontract show 01900000-0000-8000-8000-000000000004")


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "replies"),
    [
        (["show", "019000"], [vcon["uuid"] for vcon in (EVIL, WEATHER, KETTLE, REFUND)]),
        (["show", "--part", "dialog", "01900000-0000-8000-8000-000000000002"], [KETTLE["uuid"]]),
        (["call", "vcon_f"], ["vcon_fetch"]),
        (["list", "--tag", "shade"], ["shade=far and wide", "shade=$(exit)"]),
        (["list", "--tag", "shade", "="], ["far and wide", "$(exit)"]),
        (["list", "--tag", "shade", "=", "far"], ["far and wide"]),
        (["list", "--tag", "=", "shade", "=", "far"], ["far and wide"]),
        (["list", "--tag", '"shade=$'], ["shade=$(exit)"]),
    ],
)
def test_what_bash_completes_is_what_was_typed_and_runs_nothing(
    store: Run, words: list[str], replies: list[str]
) -> None:
    # given tags with what a shell takes for more than letters
    store("tag", KETTLE["uuid"], "shade=far and wide")
    store("tag", REFUND["uuid"], "shade=$(exit)")

    # when bash asks, which gives the words of key=value one by one, and the line goes on with each answer
    def vcontract(line: str) -> str:
        env = {"_VCONTRACT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
        outcome = store(**env)
        assert outcome.stderr == ""
        return outcome.stdout

    answers = vcontract("\n".join(["vcontract", *words]))

    # then it takes each for one word, letter by letter
    quote = '"' if words[-1].startswith('"') else ""
    shown = "".join(f"printf '%s\\n' {quote}{answer}{quote}\n" for answer in answers.splitlines())
    reported = subprocess.run([BASH or "", "--norc", "-c", shown], capture_output=True, text=True, check=True)  # noqa: S603
    assert sorted(reported.stdout.splitlines()) == sorted(replies)


def test_a_completion_makes_no_store(store: Run, tmp_path: Path) -> None:
    outcome = store(
        VCONTRACT_DATABASE_URL=None,
        VCONTRACT_DATA_DIR=str(tmp_path / "none"),
        _VCONTRACT_COMPLETE="complete_zsh",
        _TYPER_COMPLETE_ARGS="vcontract show 0",
    )
    assert outcome.stdout.strip() == "_files"
    assert not (tmp_path / "none").exists()


def test_a_server_that_does_not_answer_completes_nothing_and_is_not_waited_for(
    store: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completing, "_PATIENCE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        outcome = store(
            VCONTRACT_DATABASE_URL=f"postgresql://127.0.0.1:{mute.getsockname()[1]}/calls",
            _VCONTRACT_COMPLETE="complete_bash",
            COMP_WORDS="vcontract\nshow\n0199",
            COMP_CWORD="2",
        )
    assert (outcome.exit_code, outcome.output.strip()) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "exported"),
    [
        (["--tag", "topic=kettle"], [REFUND, KETTLE]),
        (["--tag", "topic=kettle", "--tag", "place=home"], [KETTLE]),
        (["--since", "2024-02-01"], [KETTLE, WEATHER]),
        (["--until", "2024-02-01"], [REFUND, KETTLE]),
        (["--since", "2024-02-01", "--until", "2024-02-01"], [KETTLE]),
        (["--party", "+4930123456", "--since", "2024-03-01"], [WEATHER]),
        (["--tag", "topic=none"], []),
    ],
)
def test_an_export_takes_the_filters_of_a_list(
    store: Run, tenant: str, arguments: list[str], exported: list[JsonObject]
) -> None:
    # given
    for each, tags in (
        (REFUND, ["topic=kettle"]),
        (KETTLE, ["topic=kettle", "place=home"]),
        (WEATHER, ["a=b"]),
    ):
        stored(store, tenant, each)
        store("tag", each["uuid"], *tags, "--tenant", tenant)
    # when
    outcome = store("export", *arguments, "--tenant", tenant)
    # then
    assert outcome.exit_code == 0, outcome.output
    assert [json.loads(line)["uuid"] for line in outcome.stdout.splitlines()] == [
        each["uuid"] for each in exported
    ]


def test_every_command_with_filters_takes_what_happened_in_a_call(store: Run, tenant: str) -> None:
    # given
    held, moved = CALLS["a call with a hold"], CALLS["a blind transfer"]
    for each in (held, moved, CALLS["a muted agent"]):
        stored(store, tenant, each)
    chosen = ("--event", "hold", "--event", "transfer", "--tenant", tenant)
    # when
    listed, exported = store("list", *chosen), store("export", *chosen)
    found = store("search", "transfer", "--mode", "keyword", *chosen)
    totals = store("count", "month", *chosen)
    # then
    uuids = {held["uuid"], moved["uuid"]}
    assert ({*ids(listed)}, ids(found)) == (uuids, [moved["uuid"]])
    assert {json.loads(line)["uuid"] for line in exported.stdout.splitlines()} == uuids
    assert totals.stdout.split("\t")[1] == "2"


def test_every_command_with_filters_takes_what_was_said_and_what_was_not(store: Run, tenant: str) -> None:
    # given
    known = [chat("said", [DISCLOSED]), chat("unsaid", [(1, 0, 5, "This call is recorded.")])]
    for each in (*known, recording("unknown", None)):
        given = json.dumps({"vcon_data": each, "validate_before_insert": False})
        store("call", "create_vcon", "-", "--tenant", tenant, input=given)
    about = ("--said-by", "agent", "--said-within", "first=60", "--tenant", tenant)
    # when
    listed = store("list", "--said", "call is recorded", *about)
    exported = store("export", "--not-said", "call is recorded", *about)
    totals = store("count", "month", "--not-said", "call is recorded", *about, "--json")
    printed = store("count", "month", "--not-said", "call is recorded", *about)
    refused = store("list", "--said", "x", "--said-within", "60")
    # then
    assert listed.stdout.split("\t")[2] == "said"
    assert [json.loads(line)["subject"] for line in exported.stdout.splitlines()] == ["unsaid"]
    answer = json.loads(totals.stdout)
    assert (answer["vcons"], answer["said_unknown"]) == (1, 1)
    for result in (listed, exported, printed):
        assert "1 more conversation is left out: words, times or roles are unknown." in result.stderr
    assert (refused.exit_code, "write first=60 or last=60" in refused.stderr) == (2, True)


def test_the_kinds_of_event_are_those_of_the_filter() -> None:
    [kinds] = get_args(SearchFiltersEvents.model_fields["any"].annotation)

    assert [*EventKind] == [*get_args(kinds)]


def test_weak_matches_after_a_strong_one_are_summed_up(store: Run, on_a_terminal: None) -> None:
    words = ("search", "my", "kettle", "leaks")

    short, whole = store(*words), store(*words, "--all")

    assert KETTLE["uuid"] in short.stdout
    assert WEATHER["uuid"] not in short.stdout
    assert "weak matches not shown; --all shows them." in short.stderr
    assert WEATHER["uuid"] in whole.stdout
    assert "not shown" not in whole.stderr


def test_a_turn_is_printed_as_data_with_the_two_around_it(store: Run) -> None:
    # when
    outcome = store("show", f"{REFUND['uuid']}#1", "--json")
    beyond = store("show", f"{REFUND['uuid']}#99", "--json")
    # then
    turns = json.loads(outcome.stdout)["item"]["turns"]
    assert {each["turn"]: each["text"] for each in turns}[1] == "Of course."
    assert (beyond.exit_code, beyond.stdout) == (1, "")
    assert "turn 99 not found: the conversation has" in beyond.stderr


def test_a_turn_is_shown_with_the_two_around_it(store: Run) -> None:
    turn = store("show", f"{REFUND['uuid']}#1")
    beyond = store("show", f"{REFUND['uuid']}#99")
    words = store("show", f"{REFUND['uuid']}#last")

    assert "Of course." in turn.stdout
    assert "── analysis" not in turn.stdout
    assert (beyond.exit_code, words.exit_code) == (1, 1)
    assert "turn 99 not found" in beyond.stderr
    assert "is not ID#TURN" in words.stderr
