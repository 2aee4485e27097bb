"""Pages of semantic search: vCons by similarity only."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.candidates import Candidate, CandidateQuery, find_candidates
from vcontract.runtime.store.search.hits import (
    VCON,
    Hit,
    Item,
    PassageKey,
    QueryVector,
    ShownPassage,
    read_shown,
)
from vcontract.runtime.store.search.pages import (
    ALL,
    BEFORE_ALL,
    MAX_BY_INDEX,
    MAX_NEAREST,
    MAX_WEAK,
    Page,
    SearchRequest,
    are_weak,
)
from vcontract.runtime.store.search.ranking import similarity

_MAX_HITS_COMPARED: Final = 50


async def meaning_page(
    connection: Connection, tenant: str, request: SearchRequest, vector: QueryVector
) -> Page:
    """Return vCons with a passage of at least `threshold` similarity, best first, then by larger uuid.

    Without a threshold all vCons match, but at most five that are no better than chance are returned.
    """
    start, least = request.start, request.threshold or 0.0
    after, seen = BEFORE_ALL, 0
    if start:
        after, seen = (start["after"][0], UUID(start["after"][1])), int(start["seen"])
    conditions = request.filters.conditions()
    most = max(4 * (seen + request.limit + 1), MAX_NEAREST)
    while True:
        is_exhaustive = most > MAX_BY_INDEX
        rows = await find_candidates(connection, _nearest(conditions, vector, most))
        ordered = _by_similarity(rows, vector)
        found = _behind(ordered, after, least)[: request.limit + 1]
        is_all = is_exhaustive or len(rows) < most or _ends_below(ordered, least)
        if is_all or len(found) > request.limit:
            break
        most *= 4
    shown = found[: request.limit]
    if is_exhaustive or len(rows) >= most:
        # only the nearest passages were found, which may be too few of some of these
        rows = await _with_enough(connection, {id_ for _, id_ in shown}, rows, request, vector)
    items = await _similar(connection, tenant, request, vector, shown, rows)
    if request.threshold is None and not start and are_weak(items):
        return Page(items[:MAX_WEAK], only_weak=True)
    if not found and not start:
        return Page([], best_below_threshold=next((score for score, _ in ordered), None))
    if len(found) <= request.limit:
        return Page(items)
    return Page(items, _following(vector, shown[-1], seen + len(shown)))


def _following(vector: QueryVector, last: tuple[float, UUID], seen: int) -> JsonObject:
    """Start of the next page."""
    score, id_ = last
    return {"model": vector.space.model, "shift": vector.shift, "after": [score, str(id_)], "seen": seen}


def _nearest(conditions: JsonObject, vector: QueryVector, most: int) -> CandidateQuery:
    """Request this many nearest passages, or one per vCon in an exhaustive search."""
    if most > MAX_BY_INDEX:
        return CandidateQuery(
            VCON, conditions, vector=vector, max_nearest=ALL, max_of_one=1, is_exhaustive=True
        )
    return CandidateQuery(VCON, conditions, vector=vector, max_nearest=most, max_of_one=most)


def _behind(
    ordered: Sequence[tuple[float, UUID]], after: tuple[float, UUID], least: float
) -> list[tuple[float, UUID]]:
    """Return the results after a position with at least this similarity."""
    return [key for key in ordered if key < after and key[0] >= least]


def _ends_below(ordered: Sequence[tuple[float, UUID]], least: float) -> bool:
    return bool(ordered) and ordered[-1][0] < least


def _by_similarity(rows: Sequence[Candidate], vector: QueryVector) -> list[tuple[float, UUID]]:
    """Similarity of each vCon by its nearest passage, most similar first."""
    best: dict[UUID, float] = {}
    for row in rows:
        if row.cosine is not None:
            best[row.id] = max(best.get(row.id, -1.0), row.cosine)
    similar = {id_: similarity(cosine, vector.calibration) for id_, cosine in best.items()}
    return sorted(((score, id_) for id_, score in similar.items()), reverse=True)


def as_before(vector: QueryVector, start: JsonObject | None) -> QueryVector:
    """Return the vector with the scale of the previous page, from `start`, so that all pages agree."""
    return replace(vector, shift=start.get("shift", vector.shift)) if start else vector


async def _with_enough(
    connection: Connection,
    ids: Collection[UUID],
    rows: Sequence[Candidate],
    request: SearchRequest,
    vector: QueryVector,
) -> list[Candidate]:
    """Return the rows, with all passages of vCons that have fewer elements in them than are shown.

    A number of each part takes all passages.
    """
    elements: dict[UUID, set[tuple[str | None, int | None]]] = {id_: set() for id_ in ids}
    for row in rows:
        if row.id in elements:
            elements[row.id].add((row.part, row.element))
    most = request.hits_per_item + request.further_hits
    few = {id_ for id_, of_vcon in elements.items() if not request.further_hits or len(of_vcon) < most}
    if not few:
        return [*rows]
    every = await find_candidates(connection, _nearest_of(sorted(few), vector))
    return [*(row for row in rows if row.id not in few), *every]


def _nearest_of(ids: Sequence[UUID], vector: QueryVector) -> CandidateQuery:
    """Request the nearest passages of some vCons."""
    return CandidateQuery(
        VCON,
        {},
        vector=vector,
        max_nearest=ALL,
        max_of_one=_MAX_HITS_COMPARED,
        among=ids,
        is_exhaustive=True,
    )


async def _similar(
    connection: Connection,
    tenant: str,
    request: SearchRequest,
    vector: QueryVector,
    shown: Sequence[tuple[float, UUID]],
    rows: Sequence[Candidate],
) -> list[Item]:
    """Load vCons with their most similar passages, one per element: the requested number of each part.

    With further hits, the number is that of all parts together.
    """
    most = request.hits_per_item + request.further_hits
    cosines: dict[PassageKey, float] = {
        (row.id, row.part, row.element, row.chunk): row.cosine
        for row in rows
        if row.part is not None
        and row.element is not None
        and row.chunk is not None
        and row.cosine is not None
    }
    of_part: Counter[tuple[UUID, str | None]] = Counter()
    hits: dict[UUID, dict[tuple[str, int], PassageKey]] = {id_: {} for _, id_ in shown}
    scores: dict[PassageKey, float] = {}
    for key in sorted(cosines, key=lambda key: (-cosines[key], key)):
        id_, part, element, _ = key
        score = similarity(cosines[key], vector.calibration)
        is_wanted = id_ in hits and score >= (request.threshold or 0.0)
        counted = (id_, None if request.further_hits else part)
        if is_wanted and (part, element) not in hits[id_] and of_part[counted] < most:
            hits[id_][part, element] = key
            scores[key] = score
            of_part[counted] += 1
    shown_passages = await read_shown(connection, tenant, VCON, list(scores))
    items: list[Item] = []
    for score, id_ in shown:
        keys = list(hits[id_].values())
        places = tuple(
            Hit(*key[:3], text, scores[key], 0.0, scores[key], ("meaning",), name=name, turn=turn)
            for key in keys
            for text, name, turn in [shown_passages.get(key, ShownPassage(""))]
        )
        first = request.hits_per_item if request.further_hits else len(places)
        best = max(cosines[key] for key in keys)
        items.append(Item(id_, score, 0.0, 0.0, score, best, places[:first], len(places), places[first:]))
    return items
