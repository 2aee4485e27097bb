"""Extract the text of a Word document (docx), one line per paragraph."""

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

MAIN_PART: Final = "word/document.xml"
"""Archive member with the text. Source: ECMA-376, 11.3.10."""

_BLANKS: Final = {"tab": "\t", "br": "\n", "cr": "\n"}


class NoText(ValueError):
    """The main part is unreadable; the message says why."""


@dataclass(slots=True)
class _Paragraphs:
    """Collects the text of `w:t` elements, line by line. Source: ECMA-376, 17.3."""

    pieces: list[str] = field(default_factory=list[str])
    is_text: bool = False

    def begin(self, name: str, _attributes: object) -> None:
        local = name.rpartition(" ")[2]
        self.is_text = local == "t"
        self.pieces.append(_BLANKS.get(local, ""))

    def end(self, name: str) -> None:
        self.is_text = False
        if name.rpartition(" ")[2] == "p":
            self.pieces.append("\n")

    def text(self, data: str) -> None:
        if self.is_text:
            self.pieces.append(data)


def text_of_word(xml: bytes) -> tuple[str, str | None]:
    """Return the text of a main part, one line per paragraph, and why it is incomplete, if it is.

    Raises: NoText for a document type declaration: Word writes none, and its entities could expand without
    limit.
    """
    found = _Paragraphs()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = found.begin
    parser.EndElementHandler = found.end
    parser.CharacterDataHandler = found.text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        return "".join(found.pieces), str(error)
    return "".join(found.pieces), None


def _refuse(*_: object) -> None:
    raise NoText("declares a document type, which no document of Word does")
