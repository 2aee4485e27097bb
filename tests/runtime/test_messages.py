"""Lines and the messages in them."""

import io

import pytest
from mcp import types

from vcontract.runtime.frame.mcp import messages
from vcontract.runtime.frame.mcp.messages import RejectedMessage, lines_of, read_message, unread

PADDING = b" " * 300


@pytest.fixture(autouse=True)
def _short_lines(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # used by pytest
    monkeypatch.setattr(messages, "MAX_LINE_BYTES", 200)


def refusal(line: bytes) -> types.JSONRPCError:
    with pytest.raises(RejectedMessage) as caught:
        read_message(line)
    return caught.value.answer


def test_a_line_that_is_too_long_is_left_out_and_the_next_one_is_whole() -> None:
    stream = io.BytesIO(b"{}\n" + b"x" * 70_000 + b"end\n" + b"y" * 199 + b"\n" + b"z" * 402 + b"\nlast")

    first, long, longest, longer, last = lines_of(stream)

    assert (first, longest, last) == (b"{}\n", b"y" * 199 + b"\n", b"last")
    assert (long, longer) == (b"x" * 201, b"z" * 201)


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "method": "m", "params": {"id": 8, "a": "' + PADDING + b'"}}', 7),
        (b'{"id": "x", "method": "m", "params": {"a": "' + PADDING + b'"}}', "x"),
        (b'{"method": "m", "params": {"a": "' + PADDING + b'"}, "id": 0, "jsonrpc": "2.0"}', None),
        (b'{"method": "m", "params": {"a": "' + PADDING + b'", "id": 8}}', None),
        (b'{"method": "m", "params": {"a": "' + PADDING + b',\\"id\\":8}', None),
        (b'{"id": true, "method": "m", "params": {"a": "' + PADDING + b'"}}', None),
    ],
)
def test_who_sent_too_long_a_line_is_told_under_the_id_that_stands_before_what_is_long(
    line: bytes, request_id: types.RequestId | None
) -> None:
    (long,) = lines_of(io.BytesIO(line))

    answer = refusal(long)

    assert (answer.id, answer.error.code) == (request_id, types.INVALID_REQUEST)
    assert "longer than 200 bytes" in answer.error.message


def test_a_line_that_a_fault_of_ours_kept_from_being_read_is_answered_under_its_id() -> None:
    assert unread(b'{"jsonrpc": "2.0", "id": 7, "method": "m"}').id == 7
    assert unread(b"{").id is None
