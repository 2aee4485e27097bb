"""vcon_fetch: return one stored vCon with the requested groups, or turns of several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.errors import InvalidArgument, NotFound
from vcontract.generated.models import contract as models
from vcontract.generated.results import contract as results
from vcontract.handlers.contract.items import (
    build_item,
    fetched_turn,
    parts_of,
    requested_groups,
    transcript_lines,
)
from vcontract.handlers.contract.recall_packing import Key, PageSelection, ShownLine
from vcontract.handlers.contract.recall_text import Source, excerpts_text
from vcontract.handlers.services import Tools
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.frame.documents.ranges import written_ranges
from vcontract.runtime.frame.envelope import Document, in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.vcons.id_prefixes import vcons_beginning_with
from vcontract.runtime.store.vcons.stored_vcon import StoredVcon
from vcontract.runtime.vcon.identity import MIN_SHORT_DIGITS, digits_of, not_an_id, parse_uuid
from vcontract.runtime.vcon.times import format_time
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
_OF_A_VCON: Final = 200
"""Bytes of one of several vCons beside its turns."""
_MAX_CANDIDATES: Final = 5
_WRONG_WITH: Final[Mapping[str, str]] = {
    "ambiguous_id": " (several ids begin with it)",
    "malformed_uuid": " (no id)",
}
_NO_TURN: Final = -1
"""Number of a line that is not a turn."""


class FetchTools(Tools):
    """vcon_fetch."""

    async def vcon_fetch(
        self, params: models.VconFetchParams, ctx: ToolContext, /
    ) -> Document[results.VconFetchResult]:
        if params.vcons is not MISSING:
            return await self._several(params, params.vcons, ctx)
        uuid = _handle(params)
        turns = None if params.turns is MISSING else _turns(params.turns)
        include = [] if turns is not None and params.include is MISSING else params.include
        groups = requested_groups(include, "vcon_fetch", ctx)
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            some = None
            if turns is not None and sum(map(len, turns)) <= _MAX_SOME and not {*groups} & _OF_ALL_TURNS:
                numbers = [number for each in turns for number in each]
                some = (await self._vcons.some_turns(connection, ctx.tenant, {uuid: numbers})).get(uuid)
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
            left_out.append({"group": "turns", "arguments": {"turns": _ranges_of(shown[fitting:])}})
            shown = shown[:fitting]
        item = build_item(found[0], groups, shown)
        text = None if {*groups} - _IN_TEXT else _text(found[0], shown, total)
        meta: results.VconFetchResultMeta = {"include": groups, "total_turns": total}
        if left_out:
            meta["left_out"] = left_out
        return Document({"ok": True, "item": item, "meta": meta}, text)

    async def _several(
        self,
        params: models.VconFetchParams,
        asked: Sequence[models.VconFetchParamsVconsEntry],
        ctx: ToolContext,
    ) -> Document[results.VconFetchResult]:
        """Return turns of several vCons as text, within one budget. Unknown IDs are named, and fail none."""
        groups = _groups_of_several(params, ctx)
        default = "0-" if params.turns is MISSING else params.turns
        ranges = [_turns(default if one.turns is MISSING else one.turns) for one in asked]
        given = list(dict.fromkeys(one.id for one in asked))
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            known, wrong = await _known_ids(connection, ctx.tenant, given)
            wanted: dict[UUID, list[range]] = {known[one.id]: [] for one in asked if one.id in known}
            for one, of_one in zip(asked, ranges, strict=True):
                if one.id in known:
                    wanted[known[one.id]] += of_one
            parts = await self._parts(connection, ctx.tenant, wanted, groups)
        not_found = _not_found(given, known, wrong, parts)
        if not parts:
            ids = [one["id"] for one in not_found]
            raise NotFound(f"None of these vCons is here: {', '.join(ids)}.", details={"ids": ids})
        shortest = {known[id_]: id_ for id_ in sorted(known, key=len, reverse=True)}
        return _answer_of_several(parts, shortest, groups, not_found, params.max_response_bytes)

    async def _parts(
        self, connection: Connection, tenant: str, wanted: Mapping[UUID, Sequence[range]], groups: list[str]
    ) -> dict[UUID, "_Part"]:
        """Load these turns of each vCon, in this order; vCons that do not exist are absent."""
        few = {uuid: of_one for uuid, of_one in wanted.items() if sum(map(len, of_one)) <= _MAX_SOME}
        numbers = {
            uuid: sorted({number for each in of_one for number in each}) for uuid, of_one in few.items()
        }
        whole = "transcript" in groups
        some = await self._vcons.some_turns(connection, tenant, numbers) if numbers and not whole else {}
        stored = await self._vcons.load(connection, tenant, [*some], parts_of(groups)) if some else []
        if others := [uuid for uuid in wanted if uuid not in some]:
            stored += await self._vcons.load(connection, tenant, others, parts_of([*groups, "transcript"]))
        read = {
            one.uuid: _Part(
                one, *(some.get(one.uuid) or _some_of(read_transcript({**one.arrays}), wanted[one.uuid]))
            )
            for one in stored
        }
        return {uuid: read[uuid] for uuid in wanted if uuid in read}


@dataclass(frozen=True, slots=True)
class _Part:
    """Turns of one of several vCons."""

    stored: StoredVcon
    turns: Sequence[TranscriptTurn]
    total: int
    """Number of turns that it has."""


def _groups_of_several(params: models.VconFetchParams, ctx: ToolContext) -> list[str]:
    """Return the groups for several vCons. Raises: InvalidArgument."""
    for name in ("id", "uuid"):
        if name in params.model_fields_set:
            raise InvalidArgument(
                f"{name} and vcons are two ways to name vCons; give one of them.",
                details={"parameter": name, "reason": "not_with_vcons"},
            )
    groups = requested_groups([] if params.include is MISSING else params.include, "vcon_fetch", ctx)
    if others := [group for group in groups if group not in _IN_TEXT]:
        raise InvalidArgument(
            f"vcons returns turns; {', '.join(others)} {'are' if len(others) > 1 else 'is'} of one vCon."
            " Send its id.",
            details={
                "parameter": "include",
                "reason": "not_with_vcons",
                "invalid_values": others,
                "accepted": sorted(_IN_TEXT),
            },
        )
    return groups


async def _known_ids(
    connection: Connection, tenant: str, given: Sequence[str]
) -> tuple[dict[str, UUID], dict[str, results.VconFetchResultMetaNotFoundEntry]]:
    """Complete IDs. Returns the ID for each text, and what is wrong with the other texts."""
    known: dict[str, UUID] = {}
    wrong: dict[str, results.VconFetchResultMetaNotFoundEntry] = {}
    digits: dict[str, str] = {}
    for text in given:
        if (uuid := parse_uuid(text)) is not None:
            known[text] = uuid
        elif (short := digits_of(text)) is not None and len(short) >= MIN_SHORT_DIGITS:
            digits[text] = short
        else:
            wrong[text] = {"id": text[:60], "reason": "malformed_uuid"}
    found = await vcons_beginning_with(connection, tenant, [*{*digits.values()}], _MAX_CANDIDATES)
    for text, short in digits.items():
        match found[short]:
            case [one]:
                known[text] = one
            case []:
                wrong[text] = {"id": text, "reason": "not_found"}
            case several:
                accepted = [str(one) for one in several]
                wrong[text] = {"id": text, "reason": "ambiguous_id", "accepted": accepted}
    return known, wrong


def _not_found(
    given: Sequence[str],
    known: Mapping[str, UUID],
    wrong: Mapping[str, results.VconFetchResultMetaNotFoundEntry],
    parts: Mapping[UUID, _Part],
) -> list[results.VconFetchResultMetaNotFoundEntry]:
    """Return why each ID is not among the parts."""
    found: list[results.VconFetchResultMetaNotFoundEntry] = []
    for id_ in given:
        if id_ in wrong:
            found.append(wrong[id_])
        elif known[id_] not in parts:
            found.append({"id": id_, "reason": "not_found"})
    return found


def _answer_of_several(
    parts: Mapping[UUID, _Part],
    ids: Mapping[UUID, str],
    groups: list[str],
    not_found: list[results.VconFetchResultMetaNotFoundEntry],
    max_response_bytes: int,
) -> Document[results.VconFetchResult]:
    """Return what fits of the parts. `ids` has the ID of each as the caller wrote it."""
    shown, rest = _shared_out(parts, min(_COMFORTABLE_BYTES, max_response_bytes))
    left = [{"id": ids[id_], "turns": _ranges_of(turns)} for id_, turns in rest.items()]
    first, *others = shown.values()
    item = build_item(first.stored, groups, first.turns)
    item["others"] = [_other(part) for part in others]
    meta: results.VconFetchResultMeta = {"include": groups, "total_turns": first.total}
    if not_found:
        meta["not_found"] = not_found
    if left:
        meta["left_out"] = [{"group": "turns", "arguments": {"vcons": [*left]}}]
    text = _text_of_several(shown, ids, not_found, left)
    return Document({"ok": True, "item": item, "meta": meta}, text)


def _shared_out(
    parts: Mapping[UUID, _Part], room: int
) -> tuple[dict[UUID, _Part], dict[UUID, Sequence[TranscriptTurn]]]:
    """Share out bytes evenly; what one does not need is for others. Also returns the turns left out."""
    room = room // _TIMES_WRITTEN - len(parts) * _OF_A_VCON
    needed = {id_: sum(map(_size_of, part.turns)) for id_, part in parts.items()}
    fitting: dict[UUID, int] = {}
    for left, id_ in zip(range(len(parts), 0, -1), sorted(parts, key=needed.__getitem__), strict=True):
        share = min(needed[id_], max(room, 0) // left)
        fitting[id_] = _fitting(parts[id_].turns, share)
        room -= share
    shown = {id_: replace(part, turns=part.turns[: fitting[id_]]) for id_, part in parts.items()}
    rest = {id_: part.turns[fitting[id_] :] for id_, part in parts.items()}
    return shown, {id_: turns for id_, turns in rest.items() if turns}


def _other(part: _Part) -> results.VconFetchResultItemOthersEntry:
    entry: results.VconFetchResultItemOthersEntry = {
        "id": str(part.stored.uuid),
        "began_at": format_time(part.stored.began_at),
        "total_turns": part.total,
        "turns": [fetched_turn(turn) for turn in part.turns],
    }
    if part.stored.subject:
        entry["subject"] = part.stored.subject
    return in_order(results.VconFetchResultItemOthersEntry, entry)


def _text_of_several(
    parts: Mapping[UUID, _Part],
    ids: Mapping[UUID, str],
    missing: Sequence[results.VconFetchResultMetaNotFoundEntry],
    left: Sequence[Mapping[str, str]],
) -> str:
    """Format the turns of each vCon under its heading, with what is absent and how to get it."""
    lines: dict[Key, ShownLine] = {}
    sources: dict[UUID, Source] = {}
    for id_, part in parts.items():
        sources[id_] = _source(part.stored, ids[id_], part.total)
        lines |= _lines(part.stored, part.turns)
        if not part.turns:
            lines[id_, _NO_TURN] = ShownLine(f"No such turn; it has {part.total}.", part="turns")
    block = excerpts_text(PageSelection(dict.fromkeys(lines)), sources, lines)
    named = ", ".join(f"{one['id']}{_WRONG_WITH.get(one['reason'], '')}" for one in missing)
    ending = [f"Not found: {named}."] if missing else []
    if left:
        rest = "; ".join(f"{one['id']} {one['turns']}" for one in left)
        ending.append(f"Left out for size: {rest}. Send these as vcons.")
    return "\n\n".join(filter(None, (block, " ".join(ending))))


def _handle(params: models.VconFetchParams) -> UUID:
    """Return the uuid in `id` or `uuid`. Raises: InvalidArgument."""
    given: dict[str, str] = {}
    if params.id is not MISSING:
        given["id"] = params.id
    if params.uuid is not MISSING:
        given["uuid"] = params.uuid
    if not given:
        raise InvalidArgument(
            "Give id (or uuid, which is the same): the handle of the vCon to fetch; or vcons for several.",
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
        room -= _size_of(turn)
        if room < 0:
            return max(at, 1)
    return len(turns)


def _size_of(turn: TranscriptTurn) -> int:
    return len(dump_json(turn.line + turn.calls)) + _OF_A_TURN


def _some_of(
    turns: Sequence[TranscriptTurn], wanted: Sequence[range]
) -> tuple[Sequence[TranscriptTurn], int]:
    """Select turns by number. Also returns the total."""
    shown = [turn for turn in turns if any(turn.number in each for each in wanted)]
    return shown, turns[-1].number + 1 if turns else 0


def _text(stored: StoredVcon, shown: Sequence[TranscriptTurn], total: int) -> str:
    """Format turns as in vcon_recall, with the total."""
    lines = _lines(stored, shown)
    block = excerpts_text(PageSelection(dict.fromkeys(lines)), {stored.uuid: _source(stored)}, lines)
    size = f"{total} turn{'' if total == 1 else 's'} in all"
    if not shown and total:
        return f"No turn has these numbers; {size}, 0 to {total - 1}."
    return "\n\n".join(filter(None, (block, f"{size}.")))


def _source(stored: StoredVcon, short_id: str = "", total: int = 0) -> Source:
    return Source(
        str(stored.uuid), "conversation", short_id, stored.began_at, stored.subject, last_turn=total - 1
    )


def _lines(stored: StoredVcon, shown: Sequence[TranscriptTurn]) -> dict[Key, ShownLine]:
    return {
        (stored.uuid, turn.number): ShownLine(turn.words or f"({turn.aside})", turn.speaker, turn.at)
        for turn in shown
    }


def _ranges_of(turns: Sequence[TranscriptTurn]) -> str:
    """Format the numbers of turns as `turns` takes them."""
    written = written_ranges([turn.number for turn in turns])
    return written if len(written) <= _MAX_RANGES_LENGTH else f"{turns[0].number}-{turns[-1].number}"


def _turns(text: str) -> Sequence[range]:
    """Parse `turns`. Raises: InvalidArgument."""
    ranges = read_ranges(text)
    if ranges is None:
        raise InvalidArgument(
            f'turns "{text[:60]}" is not a list of turns. Give numbers and ranges from low to high,'
            f' such as "{_RANGES}"; the first turn is 0.',
            details={
                "parameter": "turns",
                "reason": "malformed",
                "value": text[:60],
                "accepted": [_RANGES],
            },
        )
    return ranges
