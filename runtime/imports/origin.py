"""Where a document of an import came from, and what was wrong with it."""

from dataclasses import dataclass, replace

from vcontract.runtime.documents.json import JsonObject


@dataclass(frozen=True, slots=True)
class Origin:
    """The place of one document: a file, or a member of an archive, and where in it."""

    file: str
    member: str | None = None
    line: int | None = None
    """Counted from 1; None when the document is the whole file."""
    column: int = 1
    """Character of `line` at which the document starts, counted from 1."""
    element: int | None = None
    """Index in the array that the file holds, counted from 0."""

    @property
    def name(self) -> str:
        """The file, and the member after an exclamation mark: `calls.zip!2024/a.vcon`."""
        return self.file if self.member is None else f"{self.file}!{self.member}"

    def at(self, line: int, column: int) -> "Origin":
        """The place `line`, `column` of this document (both from 1), counted in the file."""
        before = self.line or 1
        return replace(
            self,
            line=before + line - 1,
            column=column + (self.column - 1 if line == 1 else 0),
        )

    def __str__(self) -> str:
        place = self.name
        if self.line is not None:
            place += f":{self.line}" + (f":{self.column}" if self.column > 1 else "")
        return place if self.element is None else f"{place} (element {self.element})"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a document, or a whole file, did not come in."""

    origin: Origin
    rule: str
    """A stable id: `malformed_json`, `encrypted`, `type`, `nul_character`, …"""
    message: str
    path: str = "$"
    """JSON path of the offending value, from the document's root."""

    def __str__(self) -> str:
        path = "" if self.path == "$" else f" at {self.path}"
        return f"{self.origin}: {self.rule}{path}: {self.message}"

    def as_json(self) -> JsonObject:
        """The problem as one flat object, absent parts left out."""
        document: JsonObject = {"file": self.origin.file}
        if self.origin.member is not None:
            document["member"] = self.origin.member
        if self.origin.line is not None:
            document["line"] = self.origin.line
            document["column"] = self.origin.column
        if self.origin.element is not None:
            document["element"] = self.origin.element
        return document | {"path": self.path, "rule": self.rule, "message": self.message}


@dataclass(frozen=True, slots=True)
class RawDocument:
    """The text of one document, not yet parsed."""

    origin: Origin
    text: bytes
    """UTF-8, no byte order mark."""
