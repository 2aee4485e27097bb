"""Import chats with assistants: exports of ChatGPT and Claude."""

from collections.abc import Iterator
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.frame.documents.json_values import array, is_object, members, objects
from vcontract.runtime.imports.conservation import texts_in
from vcontract.runtime.imports.programs.conversation import (
    About,
    Attachment,
    Conversation,
    NotRead,
    ObjectFormat,
    Turn,
    moment,
    without,
    words,
)
from vcontract.runtime.imports.programs.declarations import name_and_title
from vcontract.runtime.imports.programs.remainder import remainder

_REASONING: Final = frozenset({"thoughts", "reasoning_recap"})
"""ChatGPT's hidden reasoning, and its duration."""
_NOT_SHOWN: Final = "```\nThis block is not supported on your current device yet.\n```"
"""Claude's placeholder in exports where a tool was used."""
_DOCUMENT: Final = ("content", "file_text", "code")
"""Members of tool inputs that contain an artifact or a file written by Claude."""


def _read_chatgpt(document: JsonObject, _about: About) -> Conversation:
    nodes = members(document["mapping"])
    conversation = Conversation(
        words(document.get("conversation_id")) or words(document.get("id")) or dump_json(document).decode(),
        words(document.get("title")) or None,
        left=without(document, "title", "mapping", "conversation_id", "id", "create_time", "update_time"),
        began=moment(document.get("create_time")),
    )
    shown = _path_of(nodes, document.get("current_node"))
    reasoning: list[JsonValue] = []
    for name in shown:
        message = members(members(nodes[name]).get("message"))
        if words(members(message.get("content")).get("content_type")) in _REASONING:
            reasoning += filter(None, [_text_of(message)])
            conversation.kept("reasoning")
        elif _add_message(conversation, message, reasoning):
            reasoning = []
        elif _has_words(message):
            conversation.left.setdefault("other_messages", []).append(message)
            conversation.kept("other_messages")
    if reasoning:
        conversation.left["reasoning"] = reasoning
    aside = {
        name: message
        for name, node in nodes.items()
        if name not in shown and _has_words(message := members(members(node).get("message")))
    }
    if aside:
        conversation.left["other_branches"] = aside
        conversation.kept("other_branches", len(aside))
    return conversation


def _path_of(nodes: JsonObject, last: JsonValue) -> list[str]:
    """Nodes of the branch last shown, in order; all nodes if it is missing.

    Raises: NotRead.
    """
    name, path = words(last), dict[str, None]()
    while name in nodes and name not in path:
        path[name] = None
        name = words(members(nodes[name]).get("parent"))
    if path:
        return list(reversed(path))
    if not all(is_object(node) for node in nodes.values()):
        raise NotRead("is a ChatGPT export whose mapping holds other things than messages")
    return list(nodes)


def _has_words(message: JsonObject) -> bool:
    """Whether a message has any text beyond its type, also if it is not shown."""
    content = without(members(message.get("content")), "content_type", "language", "response_format_name")
    return any(True for _ in texts_in(content))


def _add_message(conversation: Conversation, message: JsonObject, reasoning: list[JsonValue]) -> bool:
    """Add a message with the preceding reasoning. Returns whether it has any content."""
    text = _text_of(message)
    author = members(message.get("author"))
    about = members(message.get("metadata"))
    role = words(author.get("role"))
    if not text or about.get("is_visually_hidden_from_conversation") is True:
        return False
    tool = words(message.get("recipient"))
    if role == "user":
        speaker = conversation.speaker("user")
    elif role == "assistant":
        speaker = conversation.speaker("ChatGPT", kind="bot", role="assistant")
    else:
        speaker = conversation.speaker(words(author.get("name")) or role or "system", kind="bot", role=role)
    left = without(message, "author", "content", "create_time", "id", "weight", "end_turn", "status")
    content = members(message.get("content"))
    if is_object(rest := remainder(without(content, "content_type"), [text], ())):
        left["content"] = rest
    conversation.turns.append(
        Turn(
            speaker,
            text,
            moment(message.get("create_time")),
            message_id=words(message.get("id")) or None,
            left={**left, "reasoning": reasoning} if reasoning else left,
            to=None if tool in ("", "all") else (conversation.speaker(tool, kind="bot", role="tool"),),
        )
    )
    for _, file in objects(about.get("attachments")):
        conversation.enclose(file, file.get("name"), file.get("mime_type"))
    return True


def _text_of(message: JsonObject) -> str:
    content = members(message.get("content"))
    return "\n\n".join(text for text in _pieces_of(content) if text.strip())


def _pieces_of(content: JsonObject) -> Iterator[str]:
    parts = array(content.get("parts"))
    is_transcribed = any(words(part.get("text")) for _, part in objects(parts))
    for part in parts:
        if isinstance(part, str):
            yield part
        elif is_object(part):
            kind = words(part.get("content_type")).removesuffix("_asset_pointer")
            if "audio" not in kind or not is_transcribed:
                yield words(part.get("text")) or f"[{kind or 'something'}]"
            elif kind == "audio_transcription":
                yield words(part.get("text"))
    for _, thought in objects(content.get("thoughts")):
        yield words(thought.get("content")) or words(thought.get("summary"))
    for name in ("text", "result", "content"):
        yield words(content.get(name))


def _read_claude(document: JsonObject, _about: About) -> Conversation:
    conversation = Conversation(
        words(document.get("uuid")) or dump_json(document).decode(),
        words(document.get("name")) or None,
        left=without(document, "uuid", "name", "chat_messages", "created_at", "updated_at"),
        began=moment(document.get("created_at")),
    )
    shown, aside = _branch_of([message for _, message in objects(document["chat_messages"])], document)
    if aside:
        conversation.left["other_branches"] = aside
        conversation.kept("other_branches", len(aside))
    for message in shown:
        text = _said_to_claude(message)
        papers = [*objects(message.get("attachments")), *objects(message.get("files"))]
        made = [*_documents(message)]
        if not text and not papers and not made:
            conversation.left.setdefault("other_messages", []).append(message)
            conversation.kept("other_messages")
            continue
        if message.get("sender") == "human":
            speaker = conversation.speaker("user")
        else:
            speaker = conversation.speaker("Claude", kind="bot", role="assistant")
        names = ("uuid", "text", "sender", "created_at", "attachments", "files")
        left = without(message, *names)
        if all(
            piece.get("type") == "text"
            and not without(piece, "type", "text", "start_timestamp", "stop_timestamp")
            for _, piece in objects(message.get("content"))
        ):
            left.pop("content", None)
        conversation.turns.append(
            Turn(
                speaker,
                text,
                moment(message.get("created_at")),
                message_id=words(message.get("uuid")) or None,
                left=left,
            )
        )
        turn = len(conversation.turns) - 1
        conversation.papers += [
            Attachment(turn, name, "text/plain", text, "none", "artifact") for name, text in made
        ]
        for _, paper in papers:
            extracted = words(paper.get("extracted_content"))
            conversation.papers.append(
                Attachment(
                    turn,
                    words(paper.get("file_name")) or None,
                    "text/plain" if extracted else "application/json",
                    extracted or paper,
                    "none" if extracted else "json",
                    "file",
                )
            )
    return conversation


def _said_to_claude(message: JsonObject) -> str:
    pieces = [
        words(piece.get("text"))
        for _, piece in objects(message.get("content"))
        if piece.get("type") in ("text", "voice_note")
    ]
    said = "\n\n".join(piece for piece in pieces if piece.strip())
    return said or words(message.get("text")).replace(_NOT_SHOWN, "").strip()


def _documents(message: JsonObject) -> Iterator[tuple[str | None, str]]:
    """Artifacts and files that Claude wrote, with title or path."""
    for _, piece in objects(message.get("content")):
        given = members(piece.get("input"))
        text = next((text for name in _DOCUMENT if (text := words(given.get(name))).strip()), "")
        title = words(given.get("title")) or words(given.get("path")) or words(given.get("id"))
        if piece.get("type") == "tool_use" and text and title:
            yield title, text


def _branch_of(messages: list[JsonObject], document: JsonObject) -> tuple[list[JsonObject], list[JsonValue]]:
    """Split messages into the branch last shown and the others. Without parents, all are shown."""
    by_id = {words(message.get("uuid")): message for message in messages}
    if not any(words(message.get("parent_message_uuid")) in by_id for message in messages):
        return messages, []
    name = words(document.get("current_leaf_message_uuid"))
    path: dict[str, None] = {}
    name = name if name in by_id else words(messages[-1].get("uuid"))
    while name in by_id and name not in path:
        path[name] = None
        name = words(by_id[name].get("parent_message_uuid"))
    shown = [by_id[each] for each in reversed(path)]
    return shown, [message for message in messages if words(message.get("uuid")) not in path]


def _read_project(document: JsonObject, _about: About) -> Conversation:
    """Read a project: description and instructions, then one turn per document."""
    name, began = words(document.get("name")), moment(document.get("created_at"))
    parts = ("uuid", "name", "description", "prompt_template", "created_at", "docs")
    conversation = Conversation(
        words(document.get("uuid")) or dump_json(document).decode(),
        name or None,
        left=without(document, *parts),
        began=began,
    )
    user = conversation.speaker("user")
    instructions = "\n\n".join(
        filter(str.strip, (words(document.get("description")), words(document["prompt_template"])))
    )
    conversation.turns.append(Turn(user, instructions or name, began))
    documents = sorted(
        (each for _, each in objects(document["docs"])), key=lambda each: words(each.get("created_at"))
    )
    for each in documents:
        file = words(each.get("filename"))
        conversation.turns.append(
            Turn(user, file, moment(each.get("created_at")), message_id=words(each.get("uuid")) or None)
        )
        turn = len(conversation.turns) - 1
        conversation.papers.append(
            Attachment(turn, file, "text/plain", words(each.get("content")), "none", "file")
        )
    return conversation


CHATGPT = ObjectFormat(
    *name_and_title("chatgpt"),
    lambda document: is_object(document.get("mapping")) and "create_time" in document,
    _read_chatgpt,
)
CLAUDE = ObjectFormat(
    *name_and_title("claude"),
    lambda document: isinstance(document.get("chat_messages"), list),
    _read_claude,
)
CLAUDE_PROJECTS = ObjectFormat(
    *name_and_title("claude-projects"),
    lambda document: isinstance(document.get("docs"), list) and "prompt_template" in document,
    _read_project,
)
