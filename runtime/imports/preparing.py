"""Parse and validate documents in worker threads or processes; returns Ready or Refused."""

import asyncio
import hashlib
import os
import re
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Final, Self, TypeAlias, cast
from uuid import UUID, uuid5

from vcontract.runtime.frame.documents.findings import Notice
from vcontract.runtime.frame.documents.json import (
    JsonObject,
    JsonValue,
    MalformedJson,
    canonical_json,
    dump_json,
    parse_json,
)
from vcontract.runtime.frame.documents.json_values import is_object
from vcontract.runtime.imports.programs.conversation import (
    DATE_GUESSED,
    About,
    Account,
    NotRead,
    is_date_guessed,
)
from vcontract.runtime.imports.programs.format_registry import converted_object
from vcontract.runtime.imports.programs.guessing import advice_for_object
from vcontract.runtime.imports.programs.odd_values import parse_export
from vcontract.runtime.imports.reader import Reading
from vcontract.runtime.imports.sources import STANDARD_INPUT_NAME, Origin, Problem, RawDocument, Silent
from vcontract.runtime.store.vcons.preparation import (
    PrepareContext,
    PreparedVcon,
    VconRefused,
    prepare,
)
from vcontract.runtime.store.vcons.preparer import LARGE
from vcontract.runtime.store.vcons.worker_processes import SPAWN, set_up_process
from vcontract.runtime.vcon.coercion import coerced
from vcontract.runtime.vcon.conformance import WRITTEN_VERSION
from vcontract.runtime.vcon.storage_checks import kind_of
from vcontract.runtime.vcon.version_migration import written
from vcontract.runtime.vcon.wrapped_forms import Decrypt, Encrypted, UnreadableVcon, unwrap

_PLACE = re.compile(r"(?P<reason>.*) at line (?P<line>\d+) column (?P<column>\d+)", re.DOTALL)
_CONTENT_NAMESPACE: Final = UUID("5d3f2b1e-8c0a-5b7e-9f42-6a1d0c9e7b35")
_MAX_FILENAME_LENGTH = 255
_MAX_VIOLATIONS = 20
_SIGNS: Final = frozenset({"vcon", "uuid", "parties", "dialog", "analysis", "attachments"})
"""Members of which every vCon has at least one; folders often contain other JSON."""
_NOT_A_VCON: Final = "This object is neither a vCon nor in a known format."


@dataclass(frozen=True, slots=True)
class Ready:
    """A document ready to store."""

    origin: Origin
    vcon: PreparedVcon
    account: Account | None = None
    """What became of the messages of an export; None for a vCon."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A document that cannot be stored, or a file that cannot be read further, with at least one problem."""

    problems: tuple[Problem, ...]


Prepared: TypeAlias = Ready | Silent | Rejected


@dataclass(frozen=True, slots=True)
class PlainVcon:
    """The vCon of a document, without what it was wrapped in."""

    vcon: JsonObject
    account: Account | None
    """What became of the messages of an export; None for a vCon."""
    signed_form: str | None
    notices: tuple[Notice, ...]


def prepare_document(
    raw: Reading,
    prepare_context: PrepareContext,
    now: datetime,
    decrypt: Decrypt | None = None,
    version: str = WRITTEN_VERSION,
) -> Prepared:
    """Prepare one document. Raises no error that the document causes.

    `version` is that of vCons made of other programs' exports.
    """
    plain = read_document(raw, now, decrypt, version)
    if not isinstance(plain, PlainVcon):
        return plain
    assert isinstance(raw, RawDocument)
    try:
        prepared = prepare(
            _with_uuid(plain.vcon),
            prepare_context,
            now=now,
            metadata=_metadata(raw.origin),
            signed_form=plain.signed_form,
        )
    except Exception as error:  # no document may stop the others
        return rejected(raw.origin, error)
    notices = (*prepared.notices, *plain.notices)
    return Ready(raw.origin, replace(prepared, notices=notices), plain.account)


def read_document(
    raw: Reading, now: datetime, decrypt: Decrypt | None, version: str
) -> PlainVcon | Silent | Rejected:
    """Read the vCon of one document. Raises no error that the document causes."""
    if isinstance(raw, Problem):
        return Rejected((raw,))
    if isinstance(raw, Silent):
        return raw
    malformed: Problem | None = None
    try:
        document = parse_json(raw.text)
    except MalformedJson as error:
        document = _mended_export(raw.text)
        if document is None:
            return Rejected((_malformed(raw, str(error)),))
        malformed = _malformed(raw, str(error))
    if not isinstance(document, dict):
        return Rejected((Problem(raw.origin, "type", f"A vCon is an object; this is {kind_of(document)}."),))
    try:
        given = cast("JsonObject", document)
        account, known = raw.account, given
        if account is None and (of_export := converted_object(given, lambda: _about(raw.origin, now))):
            account, known = of_export.account, of_export.vcon or given
        elif malformed is not None:
            return Rejected((malformed,))
        if account is not None and "vcon" in known:
            known = written(known, version)
        unwrapped = unwrap(known, (raw.text if known is given else dump_json(known)).decode(), decrypt)
        if _SIGNS.isdisjoint(unwrapped.vcon):
            return Rejected(
                (Problem(raw.origin, "not_a_vcon", f"{_NOT_A_VCON} {advice_for_object(unwrapped.vcon)}"),)
            )
        vcon, changed = coerced(unwrapped.vcon)
        if account is not None and is_date_guessed(vcon):
            changed = (*changed, Notice(DATE_GUESSED, "Neither the file nor its name has a date."))
    except Exception as error:  # no document may stop the others
        return rejected(raw.origin, error)
    own = () if account is None else [Notice(code, said) for code, said in account.notices.items()]
    return PlainVcon(vcon, account, unwrapped.signed_form, (*unwrapped.notices, *changed, *own))


def rejected(origin: Origin, error: Exception) -> Rejected:
    """Why a document cannot be prepared."""
    match error:
        case NotRead():
            return Rejected((Problem(origin, "export", str(error)),))
        case Encrypted():
            return Rejected((Problem(origin, "encrypted", str(error)),))
        case UnreadableVcon():
            return Rejected((Problem(origin, "signed_form", str(error)),))
        case VconRefused():
            return Rejected(
                tuple(
                    Problem(origin, violation.rule, violation.message, violation.path)
                    for violation in error.violations[:_MAX_VIOLATIONS]
                )
            )
        case _:
            message = f"cannot be prepared: {type(error).__name__}; the others are imported without it"
            return Rejected((Problem(origin, "not_prepared", message),))


def _about(origin: Origin, now: datetime) -> About:
    try:
        modified = datetime.fromtimestamp(int(Path(origin.file).stat().st_mtime), UTC)
    except (OSError, ValueError):
        modified = now
    return About.of(origin.member or origin.file, modified)


def _with_uuid(vcon: JsonObject) -> JsonObject:
    """Add a uuid derived from the content to a vCon without one, so that it is imported only once."""
    if vcon.get("uuid") is not None:
        return vcon
    content = {name: value for name, value in vcon.items() if name != "uuid"}
    return {
        **vcon,
        "uuid": str(uuid5(_CONTENT_NAMESPACE, hashlib.sha256(canonical_json(content)).hexdigest())),
    }


def _mended_export(text: bytes | str) -> JsonValue:
    """Parse an object of an export with values that JSON cannot have; None for other faults."""
    with suppress(MalformedJson):
        document = parse_export(text)
        if is_object(document) and "vcon" not in document and not document.keys() >= {"uuid", "parties"}:
            return document
    return None


def _malformed(raw: RawDocument, message: str) -> Problem:
    found = _PLACE.fullmatch(message)
    if found is None:
        return Problem(raw.origin, "malformed_json", message)
    line, column = int(found["line"]), int(found["column"])
    lines = raw.text.split(b"\n", line)
    if column == 0:  # the parser's position for an invalid line break
        line -= 1
        column = len(lines[line - 1]) + 1
    # the parser counts bytes, editors count characters
    column = len(lines[line - 1][: column - 1].decode(errors="replace")) + 1
    return Problem(raw.origin.at(line, column), "malformed_json", f"is not JSON: {found['reason']}")


def _metadata(origin: Origin) -> JsonObject:
    """Metadata with the file name, stored with the vCon."""
    if origin.member is None and origin.file == STANDARD_INPUT_NAME:
        return {}
    return {"filename": PurePosixPath(origin.member or origin.file).name[-_MAX_FILENAME_LENGTH:]}


_BATCHES_IN_THREAD: Final = 4
"""Starting processes takes nearly a second; fewer batches than this are faster in a thread."""

_MAX_PROCESSES: Final = 4


class Workers:
    """Prepares batches off the event loop. Leave the context to stop its workers.

    One core is left for the database and the program itself. Batches that may take long always use a process.
    """

    def __init__(
        self,
        processes: int | None = None,
        decryption_keys: str | None = None,
        version: str = WRITTEN_VERSION,
    ) -> None:
        self._prepare = partial(prepare_batch, decryption_keys=decryption_keys, version=version)
        self._processes = processes or max(1, min(_MAX_PROCESSES, (os.cpu_count() or 1) - 1))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._pool: ProcessPoolExecutor | None = None
        self._batches = 0

    @property
    def width(self) -> int:
        """Number of batches to keep in progress, so that each worker has the next one waiting."""
        return self._processes + 1

    def prepare(self, readings: Sequence[Reading], now: datetime) -> "asyncio.Future[list[Prepared]]":
        """Prepare documents, in order."""
        self._batches += 1
        loop = asyncio.get_running_loop()
        may_take_long = any(isinstance(each, RawDocument) and len(each.text) > LARGE for each in readings)
        executor = self._executor(may_take_long=may_take_long)
        return loop.run_in_executor(executor, partial(self._prepare, readings, now=now))

    def _executor(self, *, may_take_long: bool) -> Executor:
        if self._batches <= _BATCHES_IN_THREAD and not may_take_long:
            return self._thread
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._processes,
                mp_context=SPAWN,
                initializer=set_up_process,
            )
        return self._pool

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for executor in (self._thread, self._pool):
            if executor is not None:
                executor.shutdown(wait=True, cancel_futures=True)


def prepare_batch(
    readings: Sequence[Reading],
    now: datetime,
    decryption_keys: str | None = None,
    version: str = WRITTEN_VERSION,
) -> list[Prepared]:
    """Prepare documents in a worker, in order. Encrypted ones are decrypted with PEM keys."""
    decrypt = None if decryption_keys is None else decrypting(decryption_keys)
    return [prepare_document(each, _knowledge(), now, decrypt, version) for each in readings]


@lru_cache(maxsize=1)
def _knowledge() -> PrepareContext:
    """Load what preparation needs, once per process, because compiled schemas cannot be pickled."""
    return PrepareContext.load()


@lru_cache(maxsize=1)
def decrypting(keys: str) -> Decrypt:
    """Decrypts with PEM keys."""
    # only with a key, because the module is slow to load
    from vcontract.runtime.vcon.trust.encryption import decrypt
    from vcontract.runtime.vcon.trust.keys import read_private_keys

    return partial(decrypt, keys=read_private_keys(keys))
