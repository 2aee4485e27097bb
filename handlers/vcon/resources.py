"""Resources of the `vcon` toolset: vCons and their parts by URI, with completion of values."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from vcontract.generated.errors import ValidationError
from vcontract.generated.results import vcon as results
from vcontract.handlers.contract.items import analysis_text
from vcontract.handlers.services import Services, Tools
from vcontract.handlers.vcon.core import metadata_document
from vcontract.handlers.vcon.listing import list_vcons
from vcontract.handlers.vcon.reference import read_version
from vcontract.handlers.vcon.responses import not_found, read_uuid
from vcontract.runtime.frame.calls.cursor import CursorRejected
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object, objects
from vcontract.runtime.frame.envelope import in_order
from vcontract.runtime.store.search import newest
from vcontract.runtime.store.search.newest import Kind, ListedVcon
from vcontract.runtime.store.search.pages import PagePosition
from vcontract.runtime.store.vcons import body_parts, counts
from vcontract.runtime.store.vcons.body_parts import ElementArray
from vcontract.runtime.store.vcons.preparation import ARRAYS
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.store.vcons.tags import TagStore
from vcontract.runtime.vcon.conformance import VERSIONS
from vcontract.runtime.vcon.identity import parse_uuid
from vcontract.runtime.vcon.tags import effective_purpose
from vcontract.runtime.vcon.times import ACCEPTED_DATE_FORMS, format_time, read_time
from vcontract.runtime.vcon.transcript import TRANSCRIPT_TYPES

_CURSOR_PURPOSE: Final = "vcon_ids"
_MAX_LISTED_VALUES: Final = 1_000
"""Maximum listed types or purposes."""
_CHARACTERS_OF_PART: Final = 240_000
"""Characters of a body per part, a multiple of four for base64."""
_ELEMENTS_OF_PART: Final = 100
_OFFERED: Final = 101
"""One more than the maximum, to detect more."""


class ResourceReader(Tools):
    """Implements `generated.protocols.VconResources`."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._tags = TagStore(services.vcons)

    async def recent_vcons(self, ctx: ToolContext, /, *, limit: int) -> results.RecentVconsContent:
        async with self._database.reading(ctx.tenant) as connection:
            found = await newest.newest_vcons(connection, ctx.tenant, limit)
            uuids = [vcon.uuid for vcon in found]
            whole = await list_vcons(self._vcons, connection, ctx, uuids, ARRAYS)
        vcons = [_without_bodies(vcon) for vcon in whole]
        content: results.RecentVconsContent = {"count": len(vcons), "limit": limit, "vcons": vcons}
        if len(vcons) < len(found):
            content["has_more"] = True
        return content

    async def recent_vcon_ids(self, ctx: ToolContext, /, *, limit: int) -> results.RecentVconIdsContent:
        async with self._database.reading(ctx.tenant) as connection:
            found = await newest.newest_vcons(connection, ctx.tenant, limit)
        return {"count": len(found), "limit": limit, "vcons": [_listed(vcon) for vcon in found]}

    async def vcon_ids(
        self, ctx: ToolContext, /, *, limit: int, cursor: str | None
    ) -> results.VconIdsContent:
        below = None if cursor is None else self._place(cursor, ctx)
        async with self._database.reading(ctx.tenant) as connection:
            found = await newest.newest_vcons(connection, ctx.tenant, limit + 1, below)
        page = found[:limit]
        has_more = len(found) > limit
        return {
            "count": len(page),
            "limit": limit,
            "has_more": has_more,
            "next_cursor": self._cursor_after(page[-1], ctx) if has_more else None,
            "vcons": [_listed(vcon) for vcon in page],
        }

    async def vcon(self, ctx: ToolContext, /, *, uuid: str) -> results.VconContent:
        stored = await self._stored(uuid, ctx)
        return {"vcon": stored.document(), "metadata": metadata_document(stored)}

    async def vcon_metadata(self, ctx: ToolContext, /, *, uuid: str) -> results.VconMetadataContent:
        return {"metadata": metadata_document(await self._stored(uuid, ctx, ()))}

    async def vcon_parties(self, ctx: ToolContext, /, *, uuid: str) -> results.VconPartiesContent:
        return {"parties": await self._array("parties", uuid, ctx)}

    async def vcon_dialog(self, ctx: ToolContext, /, *, uuid: str) -> results.VconDialogContent:
        return {"dialog": await self._array("dialog", uuid, ctx)}

    async def vcon_analysis(self, ctx: ToolContext, /, *, uuid: str) -> results.VconAnalysisContent:
        return {"analysis": await self._array("analysis", uuid, ctx)}

    async def vcon_attachments(self, ctx: ToolContext, /, *, uuid: str) -> results.VconAttachmentsContent:
        return {"attachments": await self._array("attachments", uuid, ctx)}

    async def dialog_body(
        self, ctx: ToolContext, /, *, uuid: str, index: int, offset: int
    ) -> results.DialogBodyContent:
        return await self._body("dialog", uuid, index, offset, ctx)

    async def analysis_body(
        self, ctx: ToolContext, /, *, uuid: str, index: int, offset: int
    ) -> results.AnalysisBodyContent:
        return await self._body("analysis", uuid, index, offset, ctx)

    async def attachment_body(
        self, ctx: ToolContext, /, *, uuid: str, index: int, offset: int
    ) -> results.AttachmentBodyContent:
        return await self._body("attachments", uuid, index, offset, ctx)

    async def vcon_elements(
        self, ctx: ToolContext, /, *, uuid: str, part: str, first: int
    ) -> results.VconElementsContent:
        stored = await self._stored(uuid, ctx, ())
        array = body_parts.ELEMENT_ARRAYS.get(part)
        if array is None:
            raise ValidationError(
                f"There is no array {part[:60]!r}; elements are in {', '.join(body_parts.ELEMENT_ARRAYS)}.",
                details={"parameter": "part", "reason": "not_allowed", "value": part[:60]},
            )
        async with self._database.reading(ctx.tenant) as connection:
            place = (connection, ctx.tenant, stored.uuid, array, first)
            elements = await body_parts.read_elements(*place, _ELEMENTS_OF_PART)
        return {"part": part, "first": first, "total": stored.counts[array], "elements": elements}

    async def attachments_of_type(
        self, ctx: ToolContext, /, *, uuid: str, type: str
    ) -> results.AttachmentsOfTypeContent:
        found = await self._attachments_for(type, uuid, ctx)
        return {"count": len(found), "type": type, "attachments": found}

    async def attachments_of_purpose(
        self, ctx: ToolContext, /, *, uuid: str, purpose: str
    ) -> results.AttachmentsOfPurposeContent:
        found = await self._attachments_for(purpose, uuid, ctx)
        return {"count": len(found), "purpose": purpose, "attachments": found}

    async def analysis_of_type(
        self, ctx: ToolContext, /, *, uuid: str, type: str
    ) -> results.AnalysisOfTypeContent:
        analyses = await self._array("analysis", uuid, ctx)
        found = [analysis for analysis in analyses if analysis.get("type") == type]
        return {"count": len(found), "type": type, "analysis": found}

    async def vcon_transcript(self, ctx: ToolContext, /, *, uuid: str) -> results.VconTranscriptContent:
        stored = await self._stored(uuid, ctx, ("analysis", "parties"))
        parties = stored.arrays.get("parties", [])
        transcripts = [
            analysis_text(index, analysis, parties)
            for index, analysis in objects(stored.arrays.get("analysis"))
            if analysis.get("type") in TRANSCRIPT_TYPES
        ]
        return {"count": len(transcripts), "transcripts": transcripts}

    async def vcon_summary(self, ctx: ToolContext, /, *, uuid: str) -> results.VconSummaryContent:
        stored = await self._stored(uuid, ctx, ("summary", "parties"))
        parties = stored.arrays.get("parties", [])
        summaries = [analysis_text(entry["index"], entry["doc"], parties) for entry in stored.summaries]
        return {"count": len(summaries), "summaries": summaries}

    async def vcon_tags(self, ctx: ToolContext, /, *, uuid: str) -> results.VconTagsContent:
        wanted = read_uuid(uuid)
        async with self._database.reading(ctx.tenant) as connection:
            tags = await self._tags.get(connection, ctx.tenant, wanted)
        if tags is None:
            raise not_found(wanted)
        return {"tags": tags}

    async def attachment_types(self, ctx: ToolContext, /) -> results.AttachmentTypesContent:
        listed, has_more = await self._in_use("attachment", ctx)
        content: results.AttachmentTypesContent = {"count": len(listed), "attachment_types": listed}
        if has_more:
            content["has_more"] = True
        return content

    async def attachment_purposes(self, ctx: ToolContext, /) -> results.AttachmentPurposesContent:
        listed, has_more = await self._in_use("attachment", ctx)
        content: results.AttachmentPurposesContent = {"count": len(listed), "attachment_purposes": listed}
        if has_more:
            content["has_more"] = True
        return content

    async def analysis_types(self, ctx: ToolContext, /) -> results.AnalysisTypesContent:
        listed, has_more = await self._in_use("analysis", ctx)
        content: results.AnalysisTypesContent = {"count": len(listed), "analysis_types": listed}
        if has_more:
            content["has_more"] = True
        return content

    async def vcon_schema(self, ctx: ToolContext, /, *, version: str) -> JsonObject:
        return self._context.schemas.documents[read_version(version)]

    async def complete_vcon_uuids(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        async with self._database.reading(ctx.tenant) as connection:
            return await newest.uuids_beginning_with(connection, ctx.tenant, beginning, _OFFERED)

    async def complete_attachment_purposes(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        return await self._beginning_with(beginning, "attachment", given, ctx)

    async def complete_analysis_types(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        return await self._beginning_with(beginning, "analysis", given, ctx)

    async def complete_tag_keys(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        async with self._database.reading(ctx.tenant) as connection:
            keys = await self._tags.keys_in_use(connection, ctx.tenant)
        return [key for key in keys if key.casefold().startswith(beginning.casefold())][:_OFFERED]

    async def complete_vcon_versions(
        self, ctx: ToolContext, /, *, beginning: str, given: Mapping[str, str]
    ) -> Sequence[str]:
        return [version for version in (*VERSIONS, "latest") if version.startswith(beginning)]

    async def _stored(self, uuid: str, ctx: ToolContext, parts: Collection[str] = ARRAYS) -> StoredVcon:
        wanted = read_uuid(uuid)
        stored = await self._vcons.get(ctx.tenant, wanted, parts)
        if stored is None:
            raise not_found(wanted)
        return stored

    async def _array(self, array: str, uuid: str, ctx: ToolContext) -> list[JsonObject]:
        """Return an array as in `get_vcon`; empty if it is absent."""
        stored = await self._stored(uuid, ctx, (array,))
        return stored.document((array,)).get(array) or []

    async def _body(
        self, array: ElementArray, uuid: str, index: int, offset: int, ctx: ToolContext
    ) -> results.DialogBodyContent:
        """Return a part of an element's body."""
        wanted = read_uuid(uuid)
        async with self._database.reading(ctx.tenant) as connection:
            place = (connection, ctx.tenant, wanted, array, index)
            part = await body_parts.read_part(*place, offset, _CHARACTERS_OF_PART)
        if part is None:
            stored = await self._stored(uuid, ctx, ())
            raise ValidationError(
                f"There is no body at {array}[{index}].",
                details={"parameter": "index", "reason": "no_body", "value": index, "counts": stored.counts},
            )
        end = offset + len(part.text)
        content: results.DialogBodyContent = {
            "index": index,
            "offset": offset,
            "length": part.length,
            "next_offset": end if end < part.length and part.text else None,
            "body": part.text,
        }
        if part.mediatype is not None:
            content["mediatype"] = part.mediatype
        if part.encoding is not None:
            content["encoding"] = part.encoding
        return in_order(results.DialogBodyContent, content)

    async def _attachments_for(self, purpose: str, uuid: str, ctx: ToolContext) -> list[JsonObject]:
        attachments = await self._array("attachments", uuid, ctx)
        return [each for each in attachments if effective_purpose(each) == purpose]

    async def _in_use(self, kind: Kind, ctx: ToolContext) -> tuple[list[results.ValueCountsEntry], bool]:
        """Values in use, most used first, and whether there are more than listed."""
        async with self._database.reading(ctx.tenant) as connection:
            found = (await counts.count(connection, ctx.tenant, kind))[kind]
        listed: list[results.ValueCountsEntry] = [
            {"value": each.name, "count": each.vcons} for each in found[:_MAX_LISTED_VALUES]
        ]
        return listed, len(found) > len(listed)

    async def _beginning_with(
        self, beginning: str, kind: Kind, given: Mapping[str, str], ctx: ToolContext
    ) -> Sequence[str]:
        """Types or purposes with a prefix, ignoring case, in the given vCon or in all."""
        uuid = parse_uuid(given.get("uuid", ""))
        async with self._database.reading(ctx.tenant) as connection:
            if uuid is not None:
                values = await newest.values_of(connection, ctx.tenant, kind, uuid)
            else:
                found = (await counts.count(connection, ctx.tenant, kind))[kind]
                values = [each.name for each in found]
        wanted = beginning.casefold()
        return [value for value in values if value.casefold().startswith(wanted)][:_OFFERED]

    def _cursor_after(self, vcon: ListedVcon, ctx: ToolContext) -> str:
        place = PagePosition(vcon.began_at, vcon.uuid)
        return self._cursors.seal(place.document(), purpose=_CURSOR_PURPOSE, tenant=ctx.tenant, arguments={})

    def _place(self, cursor: str, ctx: ToolContext) -> PagePosition:
        """Start of a page: after the vCon of a cursor, or before a date."""
        moment = read_time(cursor)
        if moment is not None:
            return PagePosition(moment, newest.FIRST)
        try:
            position = self._cursors.open(cursor, purpose=_CURSOR_PURPOSE, tenant=ctx.tenant, arguments={})
        except CursorRejected as rejected:
            raise ValidationError(
                "The cursor is neither the next_cursor of a page nor a date; "
                "read vcon://v1/vcons/ids to begin anew.",
                details={
                    "parameter": "cursor",
                    "reason": rejected.reason,
                    "accepted": ["next_cursor", *ACCEPTED_DATE_FORMS],
                },
            ) from None
        return PagePosition.read(position)


def _listed(vcon: ListedVcon) -> results.VconIdsEntry:
    entry: results.VconIdsEntry = {"uuid": str(vcon.uuid), "created_at": format_time(vcon.created_at)}
    if vcon.began_at != vcon.created_at:
        entry["began_at"] = format_time(vcon.began_at)
    if vcon.subject is not None:
        entry["subject"] = vcon.subject
    return entry


def _without_bodies(vcon: JsonObject) -> JsonObject:
    """The vCon without the bodies of its elements."""
    return {
        name: [_without_body(element) for element in value]
        if name in ARRAYS and name != "parties" and is_array(value)
        else value
        for name, value in vcon.items()
    }


def _without_body(element: JsonValue) -> JsonValue:
    if not is_object(element):
        return element
    return {name: value for name, value in element.items() if name != "body"}
