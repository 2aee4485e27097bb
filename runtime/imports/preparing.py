"""The text of a document turned into what the store takes, or into the reason why not."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final, TypeAlias, cast
from uuid import UUID, uuid5

from vcontract.runtime.documents.json import JsonObject, MalformedJson, canonical_json, parse_json
from vcontract.runtime.imports.origin import Origin, Problem, RawDocument
from vcontract.runtime.imports.sources import STANDARD_INPUT_NAME
from vcontract.runtime.store.vcons.preparation import (
    Knowledge,
    PreparedVcon,
    VconRefused,
    prepare,
)
from vcontract.runtime.vcon.blocking import kind_of
from vcontract.runtime.vcon.forms import Encrypted, UnreadableForm, unwrap

_PLACE = re.compile(r"(?P<reason>.*) at line (?P<line>\d+) column (?P<column>\d+)", re.DOTALL)
_CONTENT_NAMESPACE: Final = UUID("5d3f2b1e-8c0a-5b7e-9f42-6a1d0c9e7b35")
_LONGEST_NAME = 255
_MOST_PROBLEMS = 20
_SIGNS: Final = frozenset({"vcon", "uuid", "parties", "dialog", "analysis", "attachments"})
"""Members of which even the barest vCon has one; other JSON lies in many folders."""
_NOT_A_VCON: Final = "A vCon has parties, dialog, analysis or attachments; this object has none, and no uuid."


@dataclass(frozen=True, slots=True)
class Ready:
    """A document that can be stored."""

    origin: Origin
    vcon: PreparedVcon


@dataclass(frozen=True, slots=True)
class Refused:
    """A document that cannot be stored, or a file that cannot be read on, and why: at least one problem."""

    problems: tuple[Problem, ...]


Prepared: TypeAlias = Ready | Refused


def prepare_document(raw: RawDocument, knowledge: Knowledge, now: datetime) -> Prepared:
    """What becomes of one document; raises nothing that the document is to blame for."""
    try:
        document = parse_json(raw.text)
    except MalformedJson as error:
        return Refused((_malformed(raw, str(error)),))
    if not isinstance(document, dict):
        return Refused((Problem(raw.origin, "type", f"A vCon is an object; this is {kind_of(document)}."),))
    try:
        unwrapped = unwrap(cast("JsonObject", document), raw.text.decode())
        if _SIGNS.isdisjoint(unwrapped.vcon):
            return Refused((Problem(raw.origin, "not_a_vcon", _NOT_A_VCON),))
        prepared = prepare(
            _with_uuid(unwrapped.vcon),
            knowledge,
            now=now,
            metadata=_metadata(raw.origin),
            signed_form=unwrapped.signed_form,
        )
    except Encrypted as error:
        return Refused((Problem(raw.origin, "encrypted", str(error)),))
    except UnreadableForm as error:
        return Refused((Problem(raw.origin, "signed_form", str(error)),))
    except VconRefused as error:
        return Refused(
            tuple(
                Problem(raw.origin, violation.rule, violation.message, violation.path)
                for violation in error.violations[:_MOST_PROBLEMS]
            )
        )
    except Exception as error:  # whatever is in a document, it stops no other
        message = f"cannot be prepared: {type(error).__name__}; the others are imported without it"
        return Refused((Problem(raw.origin, "not_prepared", message),))
    return Ready(raw.origin, replace(prepared, notices=(*prepared.notices, *unwrapped.notices)))


def _with_uuid(vcon: JsonObject) -> JsonObject:
    """The vCon with a uuid: one made from its content when it has none, so that it comes in only once."""
    if vcon.get("uuid") is not None:
        return vcon
    content = {name: value for name, value in vcon.items() if name != "uuid"}
    return {
        **vcon,
        "uuid": str(uuid5(_CONTENT_NAMESPACE, hashlib.sha256(canonical_json(content)).hexdigest())),
    }


def _malformed(raw: RawDocument, message: str) -> Problem:
    found = _PLACE.fullmatch(message)
    if found is None:
        return Problem(raw.origin, "malformed_json", message)
    line, column = int(found["line"]), int(found["column"])
    lines = raw.text.split(b"\n", line)
    if column == 0:  # the parser's name for a line break where none may be
        line -= 1
        column = len(lines[line - 1]) + 1
    # the parser counts bytes, a reader's editor characters
    column = len(lines[line - 1][: column - 1].decode(errors="replace")) + 1
    return Problem(raw.origin.at(line, column), "malformed_json", f"is not JSON: {found['reason']}")


def _metadata(origin: Origin) -> JsonObject:
    """The name of the file, which is kept beside the vCon."""
    if origin.member is None and origin.file == STANDARD_INPUT_NAME:
        return {}
    return {"filename": PurePosixPath(origin.member or origin.file).name[-_LONGEST_NAME:]}


def prepare_all(
    documents: Iterable[RawDocument | Problem], knowledge: Knowledge, now: datetime
) -> list[Prepared]:
    """What becomes of each, in order."""
    return [
        Refused((document,)) if isinstance(document, Problem) else prepare_document(document, knowledge, now)
        for document in documents
    ]
