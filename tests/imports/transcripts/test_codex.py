"""Lines of Codex, in both of its forms, become exchanges."""

import json

import pytest

from tests.imports.transcripts.conftest import Write
from tests.imports.transcripts.test_building import build, entries
from vcontract.runtime.imports.transcripts.model import Event, Exchange
from vcontract.runtime.imports.transcripts.reading import read_exchanges

SESSION = "0199a1b2-3c4d-7e5f-8a9b-0c1d2e3f4a5b"


def line(type_: str, second: int = 0, **payload: object) -> dict[str, object]:
    return {"timestamp": f"2025-11-03T10:00:{second:02}.123Z", "type": type_, "payload": payload}


def meta() -> dict[str, object]:
    return line(
        "session_meta",
        id=SESSION,
        timestamp="2025-11-03T10:00:00Z",
        cwd="/home/ann/ledger",
        cli_version="0.50.0",
        model_provider="openai",
        git={"branch": "iso-dates", "commit_hash": "4be01d7"},
    )


def turn() -> dict[str, object]:
    return line("turn_context", cwd="/home/ann/ledger", model="gpt-5-codex")


def said(role: str, text: str, second: int = 1) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return line("response_item", second, type="message", role=role, content=[{"type": kind, "text": text}])


def called(name: str, given: object, call_id: str = "c1", kind: str = "function_call") -> dict[str, object]:
    if kind == "custom_tool_call":
        return line("response_item", type=kind, name=name, call_id=call_id, input=given)
    return line("response_item", type=kind, name=name, call_id=call_id, arguments=json.dumps(given))


def returned(output: object, call_id: str = "c1", kind: str = "function_call") -> dict[str, object]:
    return line("response_item", type=f"{kind}_output", call_id=call_id, output=output)


def texts(exchanges: list[Exchange]) -> list[tuple[str, str]]:
    return [(message.speaker, message.text) for exchange in exchanges for message in exchange.messages]


def test_a_display_copy_is_no_second_message_and_a_patch_adds_its_file(write: Write) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** End Patch"
    path = write(
        meta(),
        said("user", "<environment_context>\n<cwd>/home/ann/ledger</cwd>\n</environment_context>"),
        said("user", "Write a.py."),
        line("event_msg", type="user_message", message="Write a.py."),
        turn(),
        called("apply_patch", patch, kind="custom_tool_call"),
        returned('{"output":"Success","metadata":{"exit_code":0}}', kind="custom_tool_call"),
        line("event_msg", type="agent_message", message="Done."),
        said("assistant", "Done."),
    )

    built = build(path, "codex")

    assert [turn["body"] for turn in built.document["dialog"]] == ["Write a.py.", "Done."]
    (attachment,) = built.document["attachments"]
    assert (attachment["body"]["path"], attachment["body"]["operation"]) == ("a.py", "add")
    assert [(row.path, row.operation) for row in built.files] == [("a.py", "add")]


def test_a_copy_without_an_original_is_what_was_said(write: Write) -> None:
    path = write(
        meta(),
        line("event_msg", type="user_message", message="Hello."),
        line("event_msg", type="agent_message", message="Hello, Ann."),
    )
    assert texts(list(read_exchanges(path, "codex"))) == [("user", "Hello."), ("agent", "Hello, Ann.")]


def test_the_same_word_said_twice_is_said_twice(write: Write) -> None:
    path = write(
        meta(),
        *(
            given
            for _ in range(2)
            for given in (
                said("user", "continue"),
                line("event_msg", type="user_message", message="continue"),
                turn(),
                said("assistant", "ok"),
                line("event_msg", type="agent_message", message="ok"),
            )
        ),
    )
    assert texts(list(read_exchanges(path, "codex"))) == [("user", "continue"), ("agent", "ok")] * 2


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        "<user_instructions>Be brief.</user_instructions>",
        "<permissions instructions>Ask.</permissions instructions>",
        "# AGENTS.md instructions for /x\n\nBe brief.",
    ],
)
def test_scaffolding_is_no_prompt(write: Write, text: str) -> None:
    path = write(meta(), said("user", text), said("developer", "Be kind."), said("user", "Hello."))
    (exchange,) = read_exchanges(path, "codex")
    assert [prompt.text for prompt in exchange.prompts] == ["Hello."]
    assert [entry.type for entry in exchange.entries if isinstance(entry, Event)] == [
        "scaffolding",
        "developer",
    ]


@pytest.mark.parametrize("tag", ["environment_context", "user_instructions", "permissions instructions"])
def test_a_prompt_behind_scaffolding_is_said_once_and_kept(write: Write, tag: str) -> None:
    text = (
        f"<{tag}>\nx\n</{tag}>\n# AGENTS.md instructions for /x\n<INSTRUCTIONS>y</INSTRUCTIONS>\nAdd a test."
    )
    path = write(meta(), said("user", text), line("event_msg", type="user_message", message="Add a test."))
    (exchange,) = read_exchanges(path, "codex")
    assert [prompt.text for prompt in exchange.prompts] == ["Add a test."]


def test_a_prompt_in_a_block_beside_scaffolding_is_kept(write: Write) -> None:
    blocks = [
        {"type": "input_text", "text": text} for text in ("# AGENTS.md instructions for /x\nShort.", "Hello.")
    ]
    path = write(meta(), line("response_item", type="message", role="user", content=blocks))
    (exchange,) = read_exchanges(path, "codex")
    assert [prompt.text for prompt in exchange.prompts] == ["Hello."]


def test_what_the_agent_ran_on_is_told(write: Write) -> None:
    vcon = build(write(meta(), turn(), said("user", "Hi."), said("assistant", "Hi.")), "codex").document
    assert vcon["parties"][1]["meta"]["agent_session"] == {
        "model_id": "gpt-5-codex",
        "provider": "openai",
        "recording_agent": "codex/0.50.0",
        "environment": {"cwd": "/home/ann/ledger", "vcs_branch": "iso-dates", "vcs_commit": "4be01d7"},
    }
    assert vcon["analysis"][0]["body"]["session"]["session-id"] == SESSION


@pytest.mark.parametrize(
    ("output", "is_error"),
    [
        ('{"output":"fine","metadata":{"exit_code":0,"duration_seconds":0.1}}', False),
        ('{"output":"no such file","metadata":{"exit_code":2}}', True),
        ("Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno", True),
        ("Chunk ID: x\nProcess exited with code 0\nOutput:\nyes", False),
        ({"content": "denied", "success": False}, True),
        ("plain text", False),
    ],
)
def test_a_failed_command_is_an_error(write: Write, output: object, is_error: bool) -> None:
    path = write(meta(), said("user", "Run."), called("shell", {"command": ["ls"]}), returned(output))
    (exchange,) = read_exchanges(path, "codex")
    assert exchange.calls[0].result is not None
    assert exchange.calls[0].result.is_error is is_error
    assert exchange.calls[0].input == {"command": ["ls"]}


def test_the_event_of_a_command_wins_over_the_plain_copy(write: Write) -> None:
    end = line("event_msg", type="exec_command_end", call_id="c1", aggregated_output="whole", exit_code=1)
    for order in ((end, returned("cut")), (returned("cut"), end)):
        path = write(meta(), said("user", "Run."), called("shell", {"command": ["ls"]}), *order)
        (exchange,) = read_exchanges(path, "codex")
        result = exchange.calls[0].result
        assert result is not None
        assert (result.text, result.is_error) == ("whole", True)


def test_reasoning_is_kept_as_far_as_it_is_told(write: Write) -> None:
    thought = line(
        "response_item",
        type="reasoning",
        summary=[{"type": "summary_text", "text": "Look for dates."}],
        encrypted_content="gAAAA",
    )
    vcon = build(write(meta(), said("user", "Go."), thought), "codex").document
    assert [entry["content"] for entry in entries(vcon) if entry["type"] == "reasoning"] == [
        "Look for dates."
    ]
    assert "gAAAA" not in json.dumps(vcon)


def test_a_compaction_is_an_event(write: Write) -> None:
    path = write(meta(), said("user", "Go."), line("compacted", message="What happened so far."))
    (exchange,) = read_exchanges(path, "codex")
    assert [entry.type for entry in exchange.entries if isinstance(entry, Event)] == ["compact-summary"]


def test_the_old_flat_form_is_read_too(write: Write) -> None:
    path = write(
        {"id": SESSION, "timestamp": "2025-05-03T10:00:00Z", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
        {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": '{"command":["ls"]}'},
        {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "a.py is there."}],
        },
    )

    built = build(path, "codex")

    (exchange,) = built.exchanges
    assert (exchange.line_start, exchange.line_end) == (3, 6)
    assert [turn["body"] for turn in built.document["dialog"]] == ["Hello.", "a.py is there."]
    assert built.document["created_at"] == "2025-05-03T10:00:00Z"


@pytest.mark.parametrize(
    ("header", "change"),
    [
        ("*** Update File: src/a.py\n@@\n-x\n+y", ("src/a.py", "edit")),
        ("*** Delete File: src/a.py", ("src/a.py", "delete")),
        ("*** Update File: src/a.py\n*** Move to: src/b.py\n@@\n-x\n+y", ("src/b.py", "rename")),
    ],
)
def test_the_headers_of_a_patch_name_what_was_done(
    write: Write, header: str, change: tuple[str, str]
) -> None:
    patch = f"*** Begin Patch\n{header}\n*** End Patch"
    path = write(
        meta(), said("user", "Do."), called("shell", {"command": ["apply_patch", patch]}), returned("Done.")
    )
    built = build(path, "codex")
    assert [(row.path, row.operation) for row in built.files] == [change]
