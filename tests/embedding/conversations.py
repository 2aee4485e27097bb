"""Conversations as the tests need them."""

from vcontract.runtime.frame.documents.json import JsonObject


def conversation(*turns: str, subject: str | None = None, **members: object) -> JsonObject:
    """A text conversation of two, turn by turn."""
    return {
        "vcon": "0.4.0",
        **({} if subject is None else {"subject": subject}),
        "parties": [{"name": "Ada Lang"}, {"name": "Omar Quist"}],
        "dialog": [
            {
                "type": "text",
                "start": "2025-10-10T10:00:00Z",
                "parties": [index % 2, 1 - index % 2],
                "body": turn,
                "mediatype": "text/plain",
                "encoding": "none",
            }
            for index, turn in enumerate(turns)
        ],
        **members,
    }
