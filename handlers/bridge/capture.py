"""capture: store raw text, from the call or a file, as a source."""

import asyncio
from typing import Final

from pydantic import MISSING

from vcontract.generated.errors import NotFound, PermissionDenied
from vcontract.generated.models import bridge as models
from vcontract.generated.results.bridge import BridgeCaptureResult
from vcontract.handlers.bridge.answers import Notices, format_message, record_document, record_facts
from vcontract.handlers.bridge.records import is_served, tool_name, unique
from vcontract.handlers.bridge.services import BridgeTools
from vcontract.handlers.bridge.texts import MAX_TEXT_BYTES, Problems, invalid
from vcontract.handlers.bridge.when import event_time
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.store.bridge.index import passages_of
from vcontract.runtime.store.bridge.records import Link, Source
from vcontract.runtime.workspace.confined_files import FileForbidden, FileMissing, NotAFile

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_SETTING: Final = "VCONTRACT_FILE_ROOTS"


class CaptureTools(BridgeTools):
    """The tool `capture`."""

    async def capture(
        self, params: models.BridgeCaptureParams, ctx: ToolContext, /
    ) -> Document[BridgeCaptureResult]:
        _check(params)
        now, notices = self._records.now(), Notices()
        file, content = await self._read(params, ctx)
        when = None
        if params.when is not MISSING and params.when.strip():
            when = event_time(self._times, params.when, now, notices)
        others = [] if params.reflects_on is MISSING else unique(params.reflects_on, "reflects_on", notices)
        source = Source(
            id=self._records.make_id("source", now),
            content=content,
            content_type=params.contentType,
            experiencer=params.experiencer,
            perspective=params.perspective,
            processing=params.processing,
            created=now,
            file=file,
            when=when,
            links=tuple(map(Link, others)),
        )
        vectors = await self._records.vectors(ctx, passages_of(source))
        async with self._records.changing(ctx) as connection:
            await self._records.of_type(connection, ctx, others, "source", "reflects_on")
            await self._records.store.put(connection, ctx.tenant, source, vectors)
            await self._records.note(connection, ctx, "capture", [source.id])
            await self._records.hint_at_unembedded(connection, ctx, [source.id], notices)
        self._point_on(ctx, source, notices)
        facts: BridgeCaptureResult = {
            "success": True,
            "record": record_document(source),
            "warnings": notices.warnings,
            "hints": notices.hints,
        }
        return Document(facts, format_message(f"Captured source {source.id}.", record_facts(source), notices))

    async def _read(self, params: models.BridgeCaptureParams, ctx: ToolContext) -> tuple[str | None, str]:
        """Return the file's path below its root, and the content of the call or file."""
        given = None if params.content is MISSING else params.content
        if params.file is MISSING:
            if given is None:
                raise invalid("$.content", "missing_content", "Give content, or a file to read it from.")
            return None, given
        if not ctx.caller.local:
            raise PermissionDenied(
                "file names a file of the server's machine, which only its local user may read.",
                details={"parameter": "file", "reason": "local_only"},
                suggestions=["Send the text itself in content, without file."],
            )
        limit = MAX_TEXT_BYTES["content"]
        try:
            # one byte more than allowed, besides a byte order mark, shows that a file is too long
            path, data = await asyncio.to_thread(
                self._files.read, params.file, limit + len(_BYTE_ORDER_MARK) + 1
            )
        except FileForbidden:
            raise _forbidden(bool(self._files)) from None
        except FileMissing:
            raise NotFound(
                "There is no such file in the folders that may be read.", details={"ids": [params.file]}
            ) from None
        except NotAFile:
            raise invalid(
                "$.file", "not_a_file", "file is a folder, a pipe or a device; it must be a file."
            ) from None
        return path, _decoded(data) if given is None else given

    def _point_on(self, ctx: ToolContext, source: Source, notices: Notices) -> None:
        if is_served(ctx, "frame"):
            notices.hint("frame", f"Frame it with {tool_name(ctx, 'frame')} when its qualities are clear.")
        if self._llm.configured and is_served(ctx, "autoframe"):
            notices.hint(
                "autoframe", f'{tool_name(ctx, "autoframe")} {{sourceId: "{source.id}"}} frames it for you.'
            )


def _check(params: models.BridgeCaptureParams) -> None:
    problems = Problems()
    fields: dict[str, object] = {
        "content": params.content,
        "experiencer": params.experiencer,
        "contentType": params.contentType,
        "file": params.file,
    }
    for name, value in fields.items():
        if isinstance(value, str):
            problems.check_text(f"$.{name}", name, value)
    if params.when is not MISSING and params.when.strip():
        problems.check_text("$.when", "when", params.when)
    problems.refuse()


def _decoded(data: bytes) -> str:
    data = data.removeprefix(_BYTE_ORDER_MARK)
    if len(data) > MAX_TEXT_BYTES["content"]:
        raise invalid(
            "$.file",
            "too_long",
            f"The file has more than the {MAX_TEXT_BYTES['content']} bytes that are stored.",
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid(
            "$.file", "not_utf8", f"The file is not UTF-8: byte {error.start} does not fit; convert it first."
        ) from None
    problems = Problems()
    problems.check_text("$.file", "content", text)
    problems.refuse()
    return text


def _forbidden(has_roots: bool) -> PermissionDenied:
    reason = (
        f"file is not below a folder that {_SETTING} names, or leads through a link or `..`."
        if has_roots
        else f"No file may be read: {_SETTING} names no folder."
    )
    return PermissionDenied(
        reason,
        details={"parameter": "file", "setting": _SETTING},
        suggestions=["Send the text as content."],
    )
