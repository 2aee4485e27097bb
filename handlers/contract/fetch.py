"""vcon_fetch: return one stored vCon, with the requested groups."""

from collections.abc import Sequence
from typing import Final, cast
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument, NotFound
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.items import build_item, parts_of, requested_groups, transcript_lines
from vcontract.handlers.contract.recall_packing import PageSelection, ShownLine
from vcontract.handlers.contract.recall_text import Source, excerpts_text
from vcontract.handlers.services import Tools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.documents.ranges import written_ranges
from vcontract.runtime.frame.envelope import Document
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.identity import not_an_id, parse_uuid
from vcontract.runtime.vcon.transcript import TranscriptTurn, read_ranges, read_transcript

_RANGES: Final = "3, 10-16, 40-"
_MAX_SOME: Final = 1_000
"""Maximum turns that are loaded individually, where possible."""
_OF_ALL_TURNS: Final = frozenset({"counts", "dialog", "analysis", "transcript"})
"""Groups that need the whole conversation."""
_IN_TEXT: Final = frozenset({"core", "transcript"})
"""Groups compatible with turns as text."""
_HEAVY: Final = frozenset({"dialog", "analysis", "attachments"})
_COMFORTABLE_BYTES: Final = 70_000
"""Maximum size of an answer for which the caller names no limit: below the 25,000 tokens of clients."""
_MAX_RANGES_LENGTH: Final = 1_000
_MAX_BYTES: Final = 10_000_000
_TIMES_WRITTEN: Final = 2
"""Turns are written as text and as data."""
_OF_A_TURN: Final = 100
"""Bytes of a turn beside its words."""


class FetchTools(Tools):
    """vcon_fetch."""

    async def vcon_fetch(
        self, params: models.VconFetchParams, ctx: ToolContext, /
    ) -> Document[results.VconFetchResult]:
        uuid = _handle(params)
        turns = _turns(params)
        include = [] if turns is not None and params.include is MISSING else params.include
        groups = requested_groups(include, "vcon_fetch", ctx)
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            some = None
            if turns is not None and sum(map(len, turns)) <= _MAX_SOME and not {*groups} & _OF_ALL_TURNS:
                numbers = [number for each in turns for number in each]
                some = await self._vcons.some_turns(connection, ctx.tenant, uuid, numbers)
            read = groups if turns is None or some is not None else [*groups, "transcript"]
            found = await self._vcons.load(connection, ctx.tenant, [uuid], parts_of(read))
        if not found:
            raise NotFound(f"There is no vCon {uuid} here.", details={"id": str(uuid)})
        room = None if "max_response_bytes" in params.model_fields_set else _COMFORTABLE_BYTES
        if turns is None:
            return Document(_whole(found[0], groups, room))
        shown, total = some or _some_of(read_transcript({**found[0].arrays}), turns)
        left_out: list[results.VconFetchResultMetaLeftOutEntry] = []
        if room is not None and (fitting := _fitting(shown, room // _TIMES_WRITTEN)) < len(shown):
            rest = written_ranges([turn.number for turn in shown[fitting:]])
            if len(rest) > _MAX_RANGES_LENGTH:
                rest = f"{shown[fitting].number}-{shown[-1].number}"
            left_out.append({"group": "turns", "arguments": {"turns": rest}})
            shown = shown[:fitting]
        item = build_item(found[0], groups, shown)
        text = None if {*groups} - _IN_TEXT else _text(found[0], shown, total)
        meta: results.VconFetchResultMeta = {"include": groups, "total_turns": total}
        if left_out:
            meta["left_out"] = left_out
        return Document({"ok": True, "item": item, "meta": meta}, text)


def _handle(params: models.VconFetchParams) -> UUID:
    """Return the uuid in `id` or `uuid`. Raises: InvalidArgument."""
    given: dict[str, str] = {}
    if params.id is not MISSING:
        given["id"] = params.id
    if params.uuid is not MISSING:
        given["uuid"] = params.uuid
    if not given:
        raise InvalidArgument(
            "Give id (or uuid, which is the same): the handle of the vCon to fetch.",
            details={"parameter": "id", "reason": "missing"},
        )
    uuids: set[UUID] = set()
    for name, value in given.items():
        if (uuid := parse_uuid(value)) is None:
            raise InvalidArgument(
                not_an_id(name, value),
                details={"parameter": name, "reason": "malformed_uuid", "value": value[:60]},
            )
        uuids.add(uuid)
    if len(uuids) > 1:
        raise InvalidArgument(
            "id and uuid name two different vCons; give one of them.",
            details={"parameter": "uuid", "reason": "differs_from_id"},
        )
    return uuids.pop()


def _whole(stored: StoredVcon, groups: list[str], room: int | None) -> results.VconFetchResult:
    """Return the item with these groups. With `room`, in bytes, leave out what exceeds it, and say so."""
    item = build_item(stored, groups)
    meta: results.VconFetchResultMeta = {"include": groups}
    if room is None or (size := len(dump_json(item))) <= room:
        return {"ok": True, "item": item, "meta": meta}
    left_out: list[results.VconFetchResultMetaLeftOutEntry] = []
    members: JsonObject = dict(item)
    transcript = item.get("transcript")
    said = 0 if transcript is None else len(dump_json(transcript["text"]))
    for group in sorted(_HEAVY & {*groups}, key=lambda group: -len(dump_json(members[group]))):
        if size - said > room // 2:
            size -= len(dump_json(members.pop(group)))
            arguments: JsonObject = {"include": [group], "max_response_bytes": _MAX_BYTES}
            left_out.append({"group": group, "arguments": arguments})
    if transcript is not None and size > room:
        turns = [turn for turn in read_transcript({**stored.arrays}, with_tools=True) if turn.words]
        fitting = _fitting(turns, max(room - (size - said), room // 4))
        whole = {**stored.head, **stored.arrays}
        lines = transcript_lines(whole, turns[:fitting], is_whole=fitting == len(turns))
        transcript["text"] = "\n".join(lines)
        if fitting < len(turns):
            rest: JsonObject = {"turns": f"{turns[fitting].number}-"}
            left_out.append({"group": "transcript", "arguments": rest})
    if left_out:
        meta["left_out"] = left_out
    return {"ok": True, "item": cast("results.VconFetchResultItem", members), "meta": meta}


def _fitting(turns: Sequence[TranscriptTurn], room: int) -> int:
    """Number of first turns that fit into some bytes; at least one."""
    for at, turn in enumerate(turns):
        room -= len(dump_json(turn.line + turn.calls)) + _OF_A_TURN
        if room < 0:
            return max(at, 1)
    return len(turns)


def _some_of(
    turns: Sequence[TranscriptTurn], wanted: Sequence[range]
) -> tuple[Sequence[TranscriptTurn], int]:
    """Select turns by number. Also returns the total."""
    shown = [turn for turn in turns if any(turn.number in each for each in wanted)]
    return shown, turns[-1].number + 1 if turns else 0


def _text(stored: StoredVcon, shown: Sequence[TranscriptTurn], total: int) -> str:
    """Format turns as in vcon_recall, with the total."""
    source = Source(str(stored.uuid), "conversation", "", stored.began_at, stored.subject)
    lines = {
        (stored.uuid, turn.number): ShownLine(turn.words or f"({turn.aside})", turn.speaker, turn.at)
        for turn in shown
    }
    block = excerpts_text(PageSelection(dict.fromkeys(lines)), {stored.uuid: source}, lines)
    size = f"{total} turn{'' if total == 1 else 's'} in all"
    if not shown and total:
        return f"No turn has these numbers; {size}, 0 to {total - 1}."
    return "\n\n".join(filter(None, (block, f"{size}.")))


def _turns(params: models.VconFetchParams) -> Sequence[range] | None:
    """Parse `turns`; None if it is absent."""
    if params.turns is MISSING:
        return None
    ranges = read_ranges(params.turns)
    if ranges is None:
        raise InvalidArgument(
            f'turns "{params.turns[:60]}" is not a list of turns. Give numbers and ranges from low to high,'
            f' such as "{_RANGES}"; the first turn is 0.',
            details={
                "parameter": "turns",
                "reason": "malformed",
                "value": params.turns[:60],
                "accepted": [_RANGES],
            },
        )
    return ranges
