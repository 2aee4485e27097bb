"""Chats with assistants: the exports of ChatGPT and of Claude."""

from collections.abc import Iterator

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.documents.values import array, is_object, members, objects
from vcontract.runtime.imports.programs.conversation import (
    About,
    Conversation,
    NotRead,
    ObjectFormat,
    Paper,
    Turn,
    moment,
    without,
    words,
)


def _read_chatgpt(document: JsonObject, _about: About) -> Conversation:
    nodes = members(document["mapping"])
    conversation = Conversation(
        words(document.get("conversation_id")) or words(document.get("id")) or dump_json(document).decode(),
        words(document.get("title")) or None,
        left=without(document, "title", "mapping", "conversation_id", "id", "create_time", "update_time"),
        began=moment(document.get("create_time")),
    )
    shown = _path_of(nodes, document.get("current_node"))
    for name in shown:
        _add_message(conversation, members(members(nodes[name]).get("message")))
    aside = {
        name: message
        for name, node in nodes.items()
        if name not in shown and _text_of(message := members(members(node).get("message")))
    }
    if aside:
        conversation.left["other_branches"] = aside
    return conversation


def _path_of(nodes: JsonObject, last: JsonValue) -> list[str]:
    """The nodes of the branch that was shown last, in order; of one that is not there, all of them.

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


def _add_message(conversation: Conversation, message: JsonObject) -> None:
    text = _text_of(message)
    author = members(message.get("author"))
    about = members(message.get("metadata"))
    role = words(author.get("role"))
    if not text or about.get("is_visually_hidden_from_conversation") is True:
        return
    if role == "user":
        speaker = conversation.speaker("user")
    elif role == "assistant":
        speaker = conversation.speaker("ChatGPT", kind="bot", role="assistant")
    else:
        speaker = conversation.speaker(words(author.get("name")) or role or "system", kind="bot", role=role)
    left = without(message, "author", "content", "create_time", "id", "weight", "end_turn", "status")
    conversation.turns.append(
        Turn(
            speaker,
            text,
            moment(message.get("create_time")),
            message_id=words(message.get("id")) or None,
            left=left,
        )
    )
    for _, file in objects(about.get("attachments")):
        conversation.enclose(file, file.get("name"), file.get("mime_type"))


def _text_of(message: JsonObject) -> str:
    content = members(message.get("content"))
    return "\n\n".join(text for text in _pieces_of(content) if text.strip())


def _pieces_of(content: JsonObject) -> Iterator[str]:
    for part in array(content.get("parts")):
        if isinstance(part, str):
            yield part
        elif is_object(part):
            kind = words(part.get("content_type")).removesuffix("_asset_pointer")
            yield words(part.get("text")) or f"[{kind or 'something'}]"
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
    for _, message in objects(document["chat_messages"]):
        text = _said_to_claude(message)
        papers = [*objects(message.get("attachments")), *objects(message.get("files"))]
        if not text and not papers:
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
        for _, paper in papers:
            told = words(paper.get("extracted_content"))
            conversation.papers.append(
                Paper(
                    len(conversation.turns) - 1,
                    words(paper.get("file_name")) or None,
                    "text/plain" if told else "application/json",
                    told or paper,
                    "none" if told else "json",
                    "file",
                )
            )
    return conversation


def _said_to_claude(message: JsonObject) -> str:
    pieces = [
        words(piece.get("text"))
        for _, piece in objects(message.get("content"))
        if piece.get("type") == "text"
    ]
    return "\n\n".join(piece for piece in pieces if piece.strip()) or words(message.get("text"))


CHATGPT = ObjectFormat(
    "chatgpt",
    "ChatGPT export",
    "Settings, Data controls, Export data; the link to a zip comes by mail",
    lambda document: is_object(document.get("mapping")) and "create_time" in document,
    _read_chatgpt,
)
CLAUDE = ObjectFormat(
    "claude",
    "Claude export",
    "Settings, Privacy, Export data; the link to a zip comes by mail",
    lambda document: isinstance(document.get("chat_messages"), list),
    _read_claude,
)
