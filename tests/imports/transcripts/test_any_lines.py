"""Whatever stands in a file, it is read to its end, and what comes out can be stored."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.imports.transcripts.test_building import build
from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.imports.transcripts.model import Harness
from vcontract.runtime.imports.transcripts.reading import read_exchanges
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.imports.transcripts.source import CLAUDE_CODE_TYPES
from vcontract.runtime.vcon.storage_checks import blocking_violations
from vcontract.runtime.vcon.text import passages

Strategy: TypeAlias = st.SearchStrategy[JsonValue]


def either(*strategies: Strategy) -> Strategy:
    return st.one_of(*strategies)


def an_object(required: Mapping[str, Strategy], optional: Mapping[str, Strategy] | None = None) -> Strategy:
    return st.fixed_dictionaries(dict(required), optional=dict(optional or {}))


SCALARS: Strategy = either(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["", "\0", "\ud800", "user"]),
)
VALUES: Strategy = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
BLOCK_TYPES = ["text", "tool_use", "tool_result", "thinking", "image", "web_search_tool_result", "x"]
BLOCKS = an_object(
    {"type": either(st.sampled_from(BLOCK_TYPES), VALUES)},
    optional={
        "text": either(st.text(max_size=20), VALUES),
        "id": either(st.sampled_from(["t1", "t2"]), VALUES),
        "tool_use_id": either(st.sampled_from(["t1", "t2"]), VALUES),
        "name": either(st.sampled_from(["Edit", "Write", "Bash", "apply_patch"]), VALUES),
        "input": either(
            st.dictionaries(st.sampled_from(["file_path", "command", "edits", "content"]), VALUES), VALUES
        ),
        "content": VALUES,
        "source": VALUES,
        "thinking": VALUES,
    },
)
CONTENT = either(st.lists(either(BLOCKS, VALUES), max_size=4), st.text(max_size=20), VALUES)
MESSAGES = either(
    an_object({"content": CONTENT}, optional={"id": VALUES, "model": VALUES, "role": VALUES}),
    VALUES,
)
CLAUDE_CODE = an_object(
    {"type": st.sampled_from(sorted(CLAUDE_CODE_TYPES) + ["user", "assistant"] * 8)},
    optional={
        "message": MESSAGES,
        "uuid": either(st.sampled_from(["a", "b"]), VALUES),
        "parentUuid": either(st.sampled_from(["a", "b"]), VALUES),
        "timestamp": either(st.sampled_from(["2025-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"]), VALUES),
        "sessionId": VALUES,
        "cwd": VALUES,
        "isSidechain": VALUES,
        "isMeta": VALUES,
        "isCompactSummary": VALUES,
        "toolUseResult": VALUES,
        "operation": st.sampled_from(["enqueue", "remove", "dequeue", "popAll"]),
        "content": CONTENT,
        "attachment": either(an_object({"type": st.just("queued_command"), "prompt": CONTENT}), VALUES),
        "summary": VALUES,
        "leafUuid": VALUES,
        "gitBranch": VALUES,
        "version": VALUES,
        "agentId": VALUES,
        "subtype": VALUES,
    },
)
ITEM_TYPES = [
    "message",
    "reasoning",
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
]
ITEMS = an_object(
    {"type": either(st.sampled_from(ITEM_TYPES), VALUES)},
    optional={
        "role": either(st.sampled_from(["user", "assistant"]), VALUES),
        "content": either(st.lists(an_object({"type": st.just("input_text"), "text": VALUES})), VALUES),
        "call_id": either(st.sampled_from(["c1", "c2"]), VALUES),
        "name": either(st.sampled_from(["apply_patch", "shell"]), VALUES),
        "arguments": VALUES,
        "input": VALUES,
        "action": VALUES,
        "output": VALUES,
        "message": VALUES,
        "summary": VALUES,
        "git": VALUES,
        "id": VALUES,
        "exit_code": VALUES,
    },
)
CODEX = an_object(
    {
        "timestamp": either(st.just("2025-01-01T00:00:00Z"), VALUES),
        "type": st.sampled_from(
            ["session_meta", "turn_context", "compacted"] + ["response_item", "event_msg"] * 6
        ),
        "payload": either(ITEMS, VALUES),
    }
)


def check(path: Path, harness: Harness, lines: list[object]) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    exchanges = list(read_exchanges(path, harness, change=Redactor().line))
    starts = [exchange.line_start for exchange in exchanges]
    assert starts == sorted(starts)
    assert [exchange.number for exchange in exchanges] == list(range(1, len(exchanges) + 1))
    if exchanges:
        vcon = build(path, harness).document
        assert blocking_violations(vcon) == []
        passages(vcon)


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(lines=st.lists(either(CLAUDE_CODE, VALUES), max_size=12))
def test_any_lines_of_claude_code(tmp_path: Path, lines: list[object]) -> None:
    check(tmp_path / "any.jsonl", "claude-code", lines)


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(lines=st.lists(either(CODEX, ITEMS, VALUES), max_size=12))
def test_any_lines_of_codex(tmp_path: Path, lines: list[object]) -> None:
    check(tmp_path / "any.jsonl", "codex", lines)


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00{", b"\n\n\n", b'{"type": "user"}' * 3, b"[" * 100_000, b'"\\ud800"']
)
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes(data + b"\n")
    assert list(read_exchanges(path, "claude-code")) == []
    assert list(read_exchanges(path, "codex")) == []
