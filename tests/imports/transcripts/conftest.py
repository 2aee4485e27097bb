"""What the tests of transcripts share: lines made to order, and files of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]

SESSION = "7b0c1c9a-4f5e-4d0a-9c1e-2f3a4b5c6d7e"


def stamped(number: int) -> str:
    return f"2025-11-03T10:{number // 60:02}:{number % 60:02}Z"


class ClaudeCode:
    """Lines of Claude Code; each has the time of its number and a record id of its own."""

    def __init__(self, session: str = SESSION, cwd: str = "/home/ann/ledger") -> None:
        self.session = session
        self.cwd = cwd
        self.count = 0

    def line(self, type_: str, **members: object) -> dict[str, object]:
        self.count += 1
        return {
            "type": type_,
            "uuid": f"{self.session[:8]}-record-{self.count}",
            "parentUuid": f"{self.session[:8]}-record-{self.count - 1}" if self.count > 1 else None,
            "timestamp": stamped(self.count),
            "sessionId": self.session,
            "cwd": self.cwd,
            "version": "2.1.230",
            "gitBranch": "main",
            "isSidechain": False,
            **members,
        }

    def prompt(self, text: object, **members: object) -> dict[str, object]:
        return self.line("user", message={"role": "user", "content": text}, **members)

    def answer(
        self, *blocks: object, id: str | None = None, model: str = "claude-sonnet-4", **members: object
    ) -> dict[str, object]:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        message = {
            "id": id or f"msg_{self.count + 1}",
            "role": "assistant",
            "model": model,
            "content": content,
        }
        return self.line("assistant", message=message, **members)

    def result(
        self, call: str, content: object, *, is_error: bool = False, **members: object
    ) -> dict[str, object]:
        block = {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error}
        return self.prompt([block], **members)

    def queue(self, operation: str, content: object = None) -> dict[str, object]:
        return {
            "type": "queue-operation",
            "operation": operation,
            "timestamp": stamped(self.count),
            "sessionId": self.session,
            "content": content,
        }

    def queued_command(self, prompt: object) -> dict[str, object]:
        return self.line("attachment", attachment={"type": "queued_command", "prompt": prompt})


def call(id: str, name: str, **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def as_lines(lines: tuple[object, ...]) -> str:
    """Each line as JSON; a string stands for itself."""
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)


@pytest.fixture
def claude() -> ClaudeCode:
    return ClaudeCode()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines to a file and gives its path."""

    def write(*lines: object, name: str = f"{SESSION}.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_lines(lines), encoding="utf-8")
        return path

    return write
