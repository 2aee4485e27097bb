"""One short session as each coding agent keeps it: two prompts, an edited file, a command that fails."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue

SESSION: Final = "0c1d2e3f-4a5b-4c6d-8e7f-8091a2b3c4d5"
PROJECT: Final = "/home/ann/shop"
FIRST: Final = "How do we sign the tokens?"
ANSWER: Final = "With RS256, and both keys published."
SECOND: Final = "Run the tests."
LAST: Final = "One of them fails."
COMMAND: Final = "pytest -q"
FAULT: Final = "1 failed"
FILE: Final = f"{PROJECT}/src/auth.py"


def write(path: Path, content: JsonValue | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def database(path: Path, script: str, rows: Iterable[tuple[str, tuple[object, ...]]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(script)
        for statement, values in rows:
            connection.execute(statement, values)
    return path


def _gemini_messages() -> list[JsonValue]:
    return [
        {"id": "m1", "timestamp": "2025-11-03T10:00:01.000Z", "type": "user", "content": FIRST},
        {
            "id": "m2",
            "timestamp": "2025-11-03T10:00:05.000Z",
            "type": "gemini",
            "content": ANSWER,
            "model": "gemini-x-pro",
            "thoughts": [
                {"subject": "Keys", "description": "Two of them.", "timestamp": "2025-11-03T10:00:03Z"}
            ],
            "tokens": {"total": 12},
            "toolCalls": [
                {
                    "id": "t1",
                    "name": "write_file",
                    "args": {"file_path": FILE, "content": "KEYS = 2\n"},
                    "result": [
                        {"functionResponse": {"id": "t1", "name": "write_file", "response": {"output": "ok"}}}
                    ],
                    "status": "success",
                    "timestamp": "2025-11-03T10:00:06.000Z",
                }
            ],
        },
        {"id": "m3", "timestamp": "2025-11-03T10:01:00.000Z", "type": "user", "content": [{"text": SECOND}]},
        {
            "id": "m4",
            "timestamp": "2025-11-03T10:01:09.000Z",
            "type": "gemini",
            "content": LAST,
            "model": "gemini-x-pro",
            "toolCalls": [
                {
                    "id": "t2",
                    "name": "run_shell_command",
                    "args": {"command": COMMAND},
                    "result": [{"functionResponse": {"response": {"error": FAULT}}}],
                    "status": "error",
                    "timestamp": "2025-11-03T10:01:05.000Z",
                }
            ],
        },
        {
            "id": "m5",
            "timestamp": "2025-11-03T10:01:10.000Z",
            "type": "info",
            "content": "Request cancelled.",
        },
    ]


def _gemini_head() -> JsonObject:
    return {
        "sessionId": SESSION,
        "projectHash": "ab" * 32,
        "startTime": "2025-11-03T10:00:00.000Z",
        "lastUpdated": "2025-11-03T10:01:10.000Z",
    }


def _of_gemini(root: Path) -> Path:
    folder = root / ".gemini" / "tmp" / "shop"
    write(root / ".gemini" / "projects.json", {"projects": {PROJECT: "shop"}})
    return folder


def gemini(root: Path) -> Path:
    path = _of_gemini(root) / "chats" / f"session-2025-11-03T10-00-{SESSION[:8]}.json"
    return write(path, {**_gemini_head(), "new_member": {"deep": 1}, "messages": _gemini_messages()})


def gemini_lines(root: Path) -> Path:
    """Lines as newer versions write them: a message again when its tools are done, one that is taken back."""
    messages = _gemini_messages()
    begun = {name: value for name, value in dict(messages[1]).items() if name != "toolCalls"}
    lines: list[JsonValue] = [_gemini_head(), messages[0], begun, {"$set": {"new_member": 1}}, *messages[1:]]
    path = _of_gemini(root) / "chats" / f"session-2025-11-03T10-00-{SESSION[:8]}.jsonl"
    return write(path, "".join(f"{json.dumps(line)}\n" for line in [*lines, {"$rewindTo": "m5"}]))


def gemini_checkpoint(root: Path) -> Path:
    turns: JsonValue = [
        {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context."}]},
        {"role": "model", "parts": [{"text": "Got it."}]},
        {"role": "user", "parts": [{"text": FIRST}]},
        {
            "role": "model",
            "parts": [
                {"text": ANSWER},
                {
                    "functionCall": {
                        "name": "write_file",
                        "args": {"file_path": FILE, "content": "KEYS = 2\n"},
                    }
                },
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "write_file", "response": {"output": "ok"}}}],
        },
        {"role": "user", "parts": [{"text": SECOND}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "run_shell_command", "args": {"command": COMMAND}}}],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"error": FAULT}}}],
        },
        {"role": "model", "parts": [{"text": LAST}]},
    ]
    return write(_of_gemini(root) / "checkpoint-keys.json", turns)


def continue_dev(root: Path) -> Path:
    def call(own: str, name: str, given: JsonObject, status: str, output: str) -> JsonObject:
        function = {"name": name, "arguments": json.dumps(given)}
        return {
            "toolCallId": own,
            "toolCall": {"id": own, "type": "function", "function": function},
            "status": status,
            "parsedArgs": given,
            "output": [{"name": "Result", "description": "", "content": output}],
        }

    wrote = call("t1", "create_new_file", {"filepath": FILE, "contents": "KEYS = 2\n"}, "done", "ok")
    ran = call("t2", "run_terminal_command", {"command": COMMAND}, "errored", FAULT)
    folder = root / ".continue" / "sessions"
    write(folder / "sessions.json", [{"sessionId": SESSION, "title": "Keys", "dateCreated": "1762164000000"}])
    history: JsonValue = [
        {"message": {"role": "user", "content": [{"type": "text", "text": FIRST}]}, "contextItems": []},
        {"message": {"role": "assistant", "content": ANSWER}, "contextItems": [], "toolCallStates": [wrote]},
        {"message": {"role": "tool", "content": "ok", "toolCallId": "t1"}, "contextItems": []},
        {"message": {"role": "user", "content": SECOND}, "contextItems": []},
        {"message": {"role": "assistant", "content": LAST}, "contextItems": [], "toolCallStates": [ran]},
    ]
    session: JsonValue = {
        "sessionId": SESSION,
        "title": "Keys",
        "workspaceDirectory": f"file://{PROJECT}",
        "history": history,
        "chatModelTitle": "model-x",
        "new_member": 1,
    }
    return write(folder / f"{SESSION}.json", session)


def aider(root: Path) -> Path:
    write(
        root / "shop" / ".aider.input.history",
        f"\n# 2025-11-03 10:00:01.5\n+{FIRST}\n\n# 2025-11-03 10:01:00\n+{SECOND}\n",
    )
    fenced = "```python\n#### no prompt\n> and no note\n```"
    return write(
        root / "shop" / ".aider.chat.history.md",
        "\n# aider chat started at 2025-11-02 09:00:00\n\n> Aider v0.86.0  \n"
        "> Model: model-x with diff edit format  \n"
        "\n#### What is here?  \n\nA shop.\n\n"
        "\n# aider chat started at 2025-11-03 10:00:00\n\n> Aider v0.86.0  \n"
        "> Model: model-x with diff edit format  \n"
        f"\n#### {FIRST}  \n\n{ANSWER}\n\n{fenced}\n\n> Applied edit to src/auth.py  \n"
        f"\n#### {SECOND}  \n> {FAULT}  \n\n{LAST}\n\n",
    )


_OPENCODE: Final = """
    create table session (id text primary key, project_id text, parent_id text, directory text, title text,
        version text, time_created integer, time_updated integer);
    create table message (id text primary key, session_id text, time_created integer, time_updated integer,
        data text);
    create table part (id text primary key, message_id text, session_id text, time_created integer,
        time_updated integer, data text);
"""
_BEGAN: Final = 1_762_164_000_000


def _opencode_messages() -> list[tuple[JsonObject, list[JsonObject]]]:
    def tool(own: str, name: str, given: JsonObject, **state: JsonValue) -> JsonObject:
        return {"type": "tool", "callID": own, "tool": name, "state": {"input": given, **state}}

    wrote = {"filePath": FILE, "content": "KEYS = 2\n"}
    agent: JsonObject = {"role": "assistant", "modelID": "model-x", "providerID": "someone"}
    return [
        (
            {"role": "user", "time": {"created": _BEGAN + 1_000}},
            [{"type": "text", "text": FIRST}, {"type": "text", "text": "added", "synthetic": True}],
        ),
        (
            {**agent, "time": {"created": _BEGAN + 5_000}},
            [
                {"type": "reasoning", "text": "Two keys.", "time": {"start": _BEGAN + 3_000}},
                {"type": "text", "text": ANSWER},
                tool("t1", "write", wrote, status="completed", output="ok", time={"start": 1, "end": 2}),
            ],
        ),
        ({"role": "user", "time": {"created": _BEGAN + 60_000}}, [{"type": "text", "text": SECOND}]),
        (
            {**agent, "time": {"created": _BEGAN + 69_000}},
            [
                tool("t2", "bash", {"command": COMMAND}, status="error", error=FAULT),
                {"type": "text", "text": LAST},
                {"type": "new-kind", "text": "kept"},
            ],
        ),
    ]


def opencode(root: Path) -> Path:
    rows: list[tuple[str, tuple[object, ...]]] = [
        (
            "insert into session values (?, 'p', null, ?, 'Keys', '1.2.0', ?, ?)",
            (f"ses_{SESSION[:8]}", PROJECT, _BEGAN, _BEGAN + 69_000),
        )
    ]
    for number, (info, parts) in enumerate(_opencode_messages()):
        own, at = f"msg_{number}", _BEGAN + number
        rows.append(
            (
                "insert into message values (?, ?, ?, ?, ?)",
                (own, f"ses_{SESSION[:8]}", at, at, json.dumps(info)),
            )
        )
        for place, part in enumerate(parts):
            values = (f"prt_{number}_{place}", own, f"ses_{SESSION[:8]}", at, at, json.dumps(part))
            rows.append(("insert into part values (?, ?, ?, ?, ?, ?)", values))
    return database(root / ".local" / "share" / "opencode" / "opencode.db", _OPENCODE, rows)


def opencode_documents(root: Path) -> Path:
    storage = root / ".local" / "share" / "opencode" / "storage"
    own = f"ses_{SESSION[:8]}"
    for number, (info, parts) in enumerate(_opencode_messages()):
        write(
            storage / "message" / own / f"msg_{number}.json",
            {"id": f"msg_{number}", "sessionID": own, **info},
        )
        for place, part in enumerate(parts):
            name = f"prt_{number}_{place}"
            write(storage / "part" / f"msg_{number}" / f"{name}.json", {"id": name, **part})
    session: JsonValue = {
        "id": own,
        "directory": PROJECT,
        "title": "Keys",
        "version": "1.0.0",
        "time": {"created": _BEGAN, "updated": _BEGAN + 69_000},
    }
    return write(storage / "session" / "p" / f"{own}.json", session)


def _bubbles() -> list[JsonObject]:
    def tool(own: str, name: str, given: JsonObject, status: str, result: str) -> JsonObject:
        return {
            "toolCallId": own,
            "name": name,
            "rawArgs": json.dumps(given),
            "status": status,
            "result": json.dumps({"output": result}),
        }

    return [
        {"bubbleId": "b1", "type": 1, "text": FIRST, "createdAt": "2025-11-03T10:00:01.000Z", "images": []},
        {
            "bubbleId": "b2",
            "type": 2,
            "thinking": {"text": "Two keys."},
            "createdAt": "2025-11-03T10:00:02.000Z",
        },
        {"bubbleId": "b3", "type": 2, "text": ANSWER, "createdAt": "2025-11-03T10:00:05.000Z"},
        {
            "bubbleId": "b4",
            "type": 2,
            "toolFormerData": tool(
                "t1", "write", {"file_path": FILE, "contents": "KEYS = 2\n"}, "completed", "ok"
            ),
        },
        {"bubbleId": "b5", "type": 1, "text": SECOND, "createdAt": "2025-11-03T10:01:00.000Z"},
        {
            "bubbleId": "b6",
            "type": 2,
            "toolFormerData": tool("t2", "run_terminal_cmd", {"command": COMMAND}, "error", FAULT),
        },
        {"bubbleId": "b7", "type": 2, "text": LAST, "new_member": [1]},
    ]


def cursor(root: Path) -> Path:
    user = root / ".config" / "Cursor" / "User"
    bubbles = _bubbles()
    composer: JsonObject = {
        "composerId": SESSION,
        "name": "Keys",
        "createdAt": _BEGAN,
        "lastUpdatedAt": _BEGAN + 69_000,
        "modelConfig": {"modelName": "model-x"},
        "blobEncryptionKey": "bm90LWEta2V5",
        "fullConversationHeadersOnly": [
            {"bubbleId": each["bubbleId"], "type": each["type"]} for each in bubbles
        ],
    }
    pairs: list[tuple[str, JsonObject]] = [
        (f"composerData:{SESSION}", composer),
        *((f"bubbleId:{SESSION}:{each['bubbleId']}", each) for each in bubbles),
        ("composerData:empty", {"composerId": "empty", "fullConversationHeadersOnly": []}),
    ]
    script = """
        create table cursorDiskKV (key text unique, value blob);
        create table ItemTable (key text, value blob);
    """
    place = user / "workspaceStorage" / "w1"
    write(place / "workspace.json", {"folder": f"file://{PROJECT}"})
    listed = json.dumps({"allComposers": [{"composerId": SESSION}]})
    database(
        place / "state.vscdb",
        script,
        [("insert into ItemTable values ('composer.composerData', ?)", (listed,))],
    )
    return database(
        user / "globalStorage" / "state.vscdb",
        script,
        [
            ("insert into cursorDiskKV values (?, ?)", (key, json.dumps(value).encode()))
            for key, value in pairs
        ],
    )


def cursor_lines(root: Path) -> Path:
    def line(role: str, *blocks: JsonObject) -> str:
        return json.dumps({"role": role, "message": {"content": list(blocks)}})

    typed = f"<attached_files>\nsrc/auth.py\n</attached_files>\n<user_query>\n{FIRST}\n</user_query>"
    used: JsonObject = {
        "type": "tool_use",
        "id": "t1",
        "name": "Write",
        "input": {"path": FILE, "contents": "KEYS = 2\n"},
    }
    ran: JsonObject = {"type": "tool_use", "id": "t2", "name": "Shell", "input": {"command": COMMAND}}
    lines = [
        line("user", {"type": "text", "text": typed}),
        line("assistant", {"type": "text", "text": ANSWER}, used),
        line("user", {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}),
        line("user", {"type": "text", "text": f"<user_query>\n{SECOND}\n</user_query>"}),
        line("assistant", ran),
        line("user", {"type": "tool_result", "tool_use_id": "t2", "content": FAULT, "is_error": True}),
        line("assistant", {"type": "text", "text": LAST}),
    ]
    folder = root / ".cursor" / "projects" / "home-ann-shop" / "agent-transcripts" / SESSION
    return write(folder / f"{SESSION}.jsonl", "".join(f"{each}\n" for each in lines))


WRITERS: Final[dict[str, Callable[[Path], Path]]] = {
    "gemini-cli": gemini,
    "gemini-cli lines": gemini_lines,
    "gemini-cli checkpoint": gemini_checkpoint,
    "continue": continue_dev,
    "aider": aider,
    "opencode": opencode,
    "opencode documents": opencode_documents,
    "cursor": cursor,
    "cursor lines": cursor_lines,
}
