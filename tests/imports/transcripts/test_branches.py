"""What a rewind left is kept and marked, and is neither a turn nor found."""

import pytest

from tests.imports.transcripts.conftest import SESSION, ClaudeCode, Write, call
from tests.imports.transcripts.test_building import build, entries
from tests.imports.transcripts.test_codex import line, meta, said, texts
from vcontract.runtime.imports.transcripts.model import Harness
from vcontract.runtime.imports.transcripts.reading import read_exchanges
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.text import passages


def record(number: int) -> str:
    return f"{SESSION[:8]}-record-{number}"


def rewound(claude: ClaudeCode) -> list[object]:
    """The second prompt, its answer and its call are taken back and said in another way."""
    return [
        claude.prompt("Which database do we use?"),
        claude.answer("PostgreSQL."),
        claude.line("system", subtype="turn_duration"),
        claude.prompt("Move everything to walrusdb."),
        claude.answer("Moved: the store is walrusdb now.", call("t1", "Write", file_path="/walrus.py")),
        claude.result("t1", "walrus written"),
        claude.prompt("Now delete the old store."),
        claude.answer("Deleted the penguin tables."),
        claude.prompt("Keep it and add an index.", parentUuid=record(3)),
        claude.answer("Index added."),
    ]


def bodies(path: object, harness: Harness = "claude-code") -> list[str]:
    return [turn["body"] for turn in build(path, harness).document["dialog"]]  # type: ignore[arg-type]


def test_a_rewound_branch_is_kept_beside_the_turns_and_not_searched(claude: ClaudeCode, write: Write) -> None:
    built = build(write(*rewound(claude)))

    dialog = [turn["body"] for turn in built.document["dialog"]]
    assert dialog == ["Which database do we use?", "PostgreSQL.", "Keep it and add an index.", "Index added."]
    assert VconSchemas.load().check(built.document).violations == ()
    kept = [entry for entry in entries(built.document) if entry.get("abandoned")]
    assert [entry.get("content") for entry in kept if entry["type"] in ("user", "assistant")] == [
        "Move everything to walrusdb.",
        "Moved: the store is walrusdb now.",
        "Now delete the old store.",
        "Deleted the penguin tables.",
    ]
    assert "walrus written" in [entry.get("output") for entry in kept]
    indexed = " ".join(passage.content for passage in passages(built.document))
    assert "PostgreSQL" in indexed
    assert not [word for word in ("walrus", "penguin") if word in indexed]
    assert (built.files, built.document["attachments"]) == ((), [])
    assert [(row.number, row.dialog_from, row.dialog_to) for row in built.exchanges] == [
        (1, 0, 2),
        (2, 2, 2),
        (3, 2, 2),
        (4, 2, 4),
    ]


def test_an_exchange_is_abandoned_wherever_reading_begins(claude: ClaudeCode, write: Write) -> None:
    path = write(*rewound(claude))
    assert [each.abandoned for each in read_exchanges(path, "claude-code")] == [False, True, True, False]
    later = read_exchanges(path, "claude-code", first_line=7, first_number=3)
    assert [each.abandoned for each in later] == [True, False]


FIRST, SECOND, THIRD = "First way.", "Second way.", "Third way."


@pytest.mark.parametrize(
    ("parents", "live"),
    [
        ((2, 2), [FIRST, THIRD]),  # twice back to the same place
        ((2, 4), [FIRST, SECOND, THIRD]),  # one step after the other
        ((None, 4), [SECOND, THIRD]),  # back to the beginning
        ((None, None), [THIRD]),
        ((None, 2), [FIRST, THIRD]),  # ... and, in another window, further on the older branch
        (("gone", "gone"), [FIRST, SECOND, THIRD]),  # links that lead nowhere prove nothing
    ],
)
def test_the_branch_that_was_continued_last_is_the_conversation(
    parents: tuple[object, object], live: list[str], claude: ClaudeCode, write: Write
) -> None:
    second, third = (record(each) if isinstance(each, int) else each for each in parents)
    path = write(
        claude.prompt(FIRST),
        claude.answer("One."),
        claude.prompt(SECOND, parentUuid=second),
        claude.answer("Two."),
        claude.prompt(THIRD, parentUuid=third),
        claude.answer("Three."),
    )
    assert [text for text in bodies(path) if text.endswith("way.")] == live


def test_a_file_that_links_nothing_has_no_branches(claude: ClaudeCode, write: Write) -> None:
    path = write(*({**each, "parentUuid": None} for each in rewound(claude)))  # type: ignore[dict-item]
    assert len(bodies(path)) == 8


def test_forks_of_tools_hooks_and_compactions_are_no_rewinds(claude: ClaudeCode, write: Write) -> None:
    path = write(
        claude.prompt("Read both files."),
        claude.answer(call("t1", "Read", file_path="/a")),
        claude.answer(call("t2", "Read", file_path="/b")),
        claude.result("t1", "a", parentUuid=record(2)),
        claude.result("t2", "b", parentUuid=record(3)),
        claude.line("attachment", attachment={"type": "hook"}, parentUuid=record(5)),
        claude.answer("Both say yes.", parentUuid=record(5)),
        claude.prompt([{"type": "text", "text": "[Image: source]"}], isMeta=True),
        claude.prompt("And the third?", parentUuid=record(7)),
        claude.answer("It says no."),
        claude.line("system", subtype="compact_boundary", parentUuid=None, logicalParentUuid=record(10)),
        claude.prompt("Summary of before.", isCompactSummary=True),
        claude.prompt("Go on."),
        claude.answer("Done."),
    )
    assert bodies(path) == [
        *("Read both files.", "Both say yes.", "And the third?", "It says no.", "Go on.", "Done.")
    ]


def test_turns_that_codex_rolled_back_are_kept_beside_the_others(write: Write) -> None:
    path = write(
        meta(),
        said("user", "<environment_context>\n<cwd>/home/ann</cwd>\n</environment_context>"),
        said("user", "Which store?"),
        line("event_msg", type="user_message", message="Which store?"),
        said("assistant", "PostgreSQL."),
        said("user", "Take walrusdb."),
        line("event_msg", type="user_message", message="Take walrusdb."),
        said("assistant", "Taken."),
        line("event_msg", type="thread_rolled_back", num_turns=1),
        said("user", "Keep it."),
        line("event_msg", type="user_message", message="Keep it."),
        said("assistant", "Kept."),
    )
    assert bodies(path, "codex") == ["Which store?", "PostgreSQL.", "Keep it.", "Kept."]
    exchanges = list(read_exchanges(path, "codex"))
    assert texts([each for each in exchanges if each.abandoned]) == [
        ("user", "Take walrusdb."),
        ("agent", "Taken."),
    ]
