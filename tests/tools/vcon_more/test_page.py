"""The page about the toolset shows what a server answers."""

import re
from pathlib import Path

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

PAGE = Path(__file__).parents[3] / "docs" / "vcon-work.md"
UUID = "01991608-3260-804b-a883-b1dc3f18cf9a"
VCON: JsonObject = {
    "vcon": "0.4.0",
    "uuid": UUID,
    "created_at": "2025-10-14T10:30:00Z",
    "subject": "A late parcel",
    "parties": [{"name": "Ann", "role": "agent"}, {"name": "Bob", "role": "customer"}],
    "dialog": [
        {
            "type": "text",
            "start": "2025-10-14T10:30:00Z",
            "parties": [1, 0],
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "Where is my parcel?",
        }
    ],
    "attachments": [{"purpose": "invoice", "start": "2025-10-14T10:30:00Z", "party": 1, "dialog": 0}],
}
CALLS: list[tuple[str, JsonObject]] = [
    ("update_party", {"index": 1, "party": {"tel": "+1-555-9876", "role": None}}),
    ("remove_party", {"index": 1}),
]


def shown(answer: JsonObject) -> str:
    """As `vcontract call` prints it, without the time of the day."""
    text = dump_json(answer, indent=2).decode()
    return re.sub(r'("updated_at": )"[^"]*"', r'\1"…"', text)


async def test_the_page_shows_what_is_answered(call: Call) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert (await call("create_vcon", vcon_data=VCON))["success"]

    reported = [
        f"$ vcontract call --toolsets all {tool} '{dump_json({'vcon_uuid': UUID, **arguments}).decode()}'\n"
        f"{shown(await call(tool, vcon_uuid=UUID, **arguments))}\n"
        for tool, arguments in CALLS
    ]

    missing = [text for text in reported if text not in page]
    assert missing == [], "put these into docs/vcon-work.md:\n\n" + "\n".join(missing)
