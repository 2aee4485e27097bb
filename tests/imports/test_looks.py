"""A file without a conversation is recognized by its beginning."""

from pathlib import Path

import pytest

from vcontract.runtime.imports.file_sniffing import file_kinds
from vcontract.runtime.imports.sources import SourceFile, Sources

BEGINNINGS = {
    "a recording, video or picture": b"\0\0\0\x18ftypheic",
    "a PDF, RTF or old Office document": b"%PDF-1.7",
    "an SQLite database of an unknown program": b"SQLite format 3\0",
    "an Outlook data file; export single messages from Outlook": b"!BDN",
    "an archive without conversations": b"PK\x03\x04",
    "contacts": b"BEGIN:VCARD\r\n",
    "a web page": b"\n<!DOCTYPE html>",
    "Telegram's export as HTML": b'<!DOCTYPE html><html><div class="page_body chat_page"></div>',
    "Messenger's or Instagram's export as HTML": b'<html><body><div class="_2ph_ _a6-h _a6-i">Ann</div>',
    "Discord's export as HTML": b"<!DOCTYPE html><html><!-- made by DiscordChatExporter --></html>",
    "ChatGPT's export as HTML": b"<html><head><title>ChatGPT Data Export</title></head>",
    "an iMessage export as HTML": b'<html><body><div class="message"><div class="sent iMessage">',
    "Google Voice's export": b'<?xml version="1.0" ?><html><div class="hChatLog hfeed"></div></html>',
    "other JSON": b'{"a": 1}',
    "an empty file": b"\n",
    "text in an unknown format": "Dear Zoë,\r\nthe soup needs leek.".encode(),
    "a file of an unknown kind": b"soup\0leek",
}


def test_a_file_is_told_by_its_beginning(tmp_path: Path) -> None:
    reported: list[str] = []
    for number, beginning in enumerate(BEGINNINGS.values()):
        path = tmp_path / str(number)
        path.write_bytes(beginning)
        reported += [look for _, look in file_kinds(Sources((SourceFile(path, path.name, 0),), ()))]
    assert reported == list(BEGINNINGS)


@pytest.mark.parametrize(
    ("beginning", "look"),
    [
        (b"ID3\x04", "a recording, video or picture"),
        (b"RIFF\0\0\0\0WAVEfmt ", "a recording, video or picture"),
        (b"\xff\xd8\xff\xe0", "a recording, video or picture"),
        (b"{\\rtf1", "a PDF, RTF or old Office document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a PDF, RTF or old Office document"),
        (b"\x7fELF\x02\0", "a file of an unknown kind"),
        (b"bplist00\0", "a file of an unknown kind"),
        (b"[05/01/2024 10:00:00],Ann,hello", "text in an unknown format"),
        (b"[1.5, 2]", "other JSON"),
    ],
)
def test_files_of_a_kind_begin_in_several_ways(beginning: bytes, look: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(beginning)

    assert file_kinds(Sources((SourceFile(tmp_path / "file", "file", 0),), ())) == [("file", look)]


def test_what_was_left_aside_by_its_name_is_told_with_how_it_is_taken(tmp_path: Path) -> None:
    mail, export, talk = (tmp_path / name for name in ("old.bin", "conversations.txt", "talk.txt"))
    mail.write_bytes(
        b"From ann@example.com Mon Jan  1 00:00:00 2024\nFrom: Ann\nSubject: Bicycle\n\nIs it done?\n"
    )
    export.write_bytes(b"[]")
    talk.write_bytes(b"[00:00:08] Ann: Hello.\n")
    ignored = tuple(SourceFile(path, path.name, 0) for path in (mail, export, talk))

    assert file_kinds(Sources((), ignored)) == [
        ("old.bin", "a mail: name the file to import it"),
        ("conversations.txt", "JSON: name the file to import it"),
        ("talk.txt", "text in an unknown format"),
    ]
