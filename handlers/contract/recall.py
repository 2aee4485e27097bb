"""vcon_recall: return the turns that answer a question, within a token budget."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from pydantic import MISSING

from vcontract.generated.models import contract as models
from vcontract.generated.results.contract import (
    HintsEntry,
    VconRecallResult,
    VconRecallResultEntry,
    VconRecallResultEntryTurnsEntry,
    VconRecallResultMeta,
)
from vcontract.handlers.contract.hints import (
    empty_time_hint,
    hints,
    not_by_speaker_hint,
    people_apart_hints,
    unknown_people_hints,
)
from vcontract.handlers.contract.recall_arguments import (
    TOOLSETS,
    kinds_of,
    read_recall_filters,
    without_suggestion,
)
from vcontract.handlers.contract.recall_evidence import Evidence, Question
from vcontract.handlers.contract.recall_packing import (
    BYTES_PER_TOKEN,
    CLEAR,
    STOP,
    Key,
    Packing,
    PageSelection,
    RecallHit,
    ShownLine,
    asks_for_several,
)
from vcontract.handlers.contract.recall_people import Attribution, attribution
from vcontract.handlers.contract.recall_search import EvidenceSearch
from vcontract.handlers.contract.recall_text import (
    LAST_LINE,
    Source,
    excerpts_text,
    head_cost,
    last_line,
    line_cost,
    lines_text,
    mark_cost,
    size,
    survey_line,
    totals_line,
    turn_line,
    turn_line_cost,
)
from vcontract.handlers.contract.search_filters import refuse_unknown_tags
from vcontract.handlers.contract.search_words import map_query_errors
from vcontract.handlers.services import Services, Tools
from vcontract.runtime.embedding.embedder import ModelUnavailable
from vcontract.runtime.frame.context import ToolContext
from vcontract.runtime.frame.envelope import Document, in_order
from vcontract.runtime.store.postgres.database import Connection
from vcontract.runtime.store.search.filter_conditions import Filters, count_matching, count_unknown
from vcontract.runtime.store.search.ranking import Answerable, answerable
from vcontract.runtime.store.search.search_params import read_question
from vcontract.runtime.text.excerpts import excerpt
from vcontract.runtime.text.query import Term
from vcontract.runtime.text.query_language import without_operators
from vcontract.runtime.text.words import fold
from vcontract.runtime.vcon.times import format_time

_PLACES_OF_PAGE: Final = 40
_MAX_PLACES: Final = 400
_LAST_PAGE: Final = 99
_SURVEY_DEPTH: Final = 5
"""Candidates of a survey, in multiples of a search page's."""
_MAX_NEVER_SAID: Final = 10
_ONE_LINE: Final = 120
"""Maximum characters of a passage in a survey or list."""
_DECIMALS: Final = 3


class RecallTools(Tools):
    """vcon_recall."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._evidence = EvidenceSearch(services.vcons, services.search)

    async def vcon_recall(
        self, params: models.VconRecallParams, ctx: ToolContext, /
    ) -> Document[VconRecallResult]:
        filters = read_recall_filters(params)
        kinds = kinds_of(params, ctx, filters)
        texts = [params.query] if isinstance(params.query, str) else params.query
        questions, by_words_only = await self._questions(texts, ctx)
        page = 1 if params.cursor is MISSING else int(params.cursor)
        async with self._database.reading(ctx.tenant, by_key=True) as connection:
            if params.filters is not MISSING:
                await refuse_unknown_tags(connection, ctx.tenant, params.filters, filters, self._vocabulary)
            evidence = await self._evidence.find(
                connection,
                ctx.tenant,
                questions,
                filters,
                kinds,
                most=_most(params, page),
                depth=1 if params.view == "excerpts" else _SURVEY_DEPTH,
                speaker=None if params.speaker is MISSING else params.speaker,
            )
            pending = evidence.weighed[0].pending if evidence.weighed else None
            if pending is None:
                pending = (await self._embeddings.store.reach(connection, ctx.tenant)).pending
            unknown = await count_unknown(connection, filters)
            if params.view != "excerpts" and not TOOLSETS.keys() >= {*kinds}:
                evidence.searched = await count_matching(connection, filters.conditions())
            why: list[HintsEntry] = []
            if not evidence.places and not TOOLSETS.keys() >= {*kinds}:
                why = await self._why_nothing(connection, ctx.tenant, params, filters, evidence)
            elif evidence.places:
                why = await _empty_days(connection, ctx.tenant, evidence)
        by = [attribution(text, evidence, number) for number, text in enumerate(texts)]
        parts = _verdicts(evidence, by, of_empty_days=bool(evidence.places and why))
        meta: VconRecallResultMeta = {
            "view": params.view,
            "answerable": _verdict(parts, evidence),
            "matching": evidence.matching,
            "tokens": 0,
            "max_tokens": params.max_tokens,
            "kinds": [*kinds],
        }
        _add_facts(meta, evidence, unknown)
        _add_people(meta, parts, by)
        if why:
            meta["hints"] = why
        if by_words_only:
            meta["by_words_only"] = True
        elif pending:
            meta["pending"] = pending
        return _answer(params, texts, evidence, page, meta)

    async def _why_nothing(
        self,
        connection: Connection,
        tenant: str,
        params: models.VconRecallParams,
        filters: Filters,
        evidence: Evidence,
    ) -> list[HintsEntry]:
        """Return hints on which parameter excludes everything, with similar values."""
        found: list[HintsEntry] = []
        if params.speaker is not MISSING:
            speaker = fold(params.speaker)
            filters = replace(filters, people=tuple(name for name in filters.people if name != speaker))
            found = await unknown_people_hints(connection, tenant, "speaker", [speaker])
            if not found and evidence.has_hits:
                found = [not_by_speaker_hint(params.speaker)]
        if not found:
            found = await people_apart_hints(connection, tenant, _people_of(params))
        return await hints(
            connection,
            tenant,
            filters,
            self._vocabulary,
            is_further=params.cursor is not MISSING and params.cursor != "1",
            found=found,
            words=[{"word": word, "vcons": 0} for word in _never_said(evidence)],
        )

    async def _questions(self, texts: Sequence[str], ctx: ToolContext) -> tuple[list[Question], bool]:
        """Parse and embed the wordings. Also returns whether meaning is unavailable."""
        questions: list[Question] = []
        by_words_only = False
        for text in texts:
            question = without_operators(text) or text
            with map_query_errors({}, {}), without_suggestion():
                words = read_question(question)
            vector = None
            try:
                vector = await self._embeddings.query(ctx.tenant, text)
            except ModelUnavailable:
                by_words_only = True
                with map_query_errors({}, {}), without_suggestion():
                    words = read_question(question, by_meaning=False)
            questions.append(Question(text, words, vector))
        return questions, by_words_only


def _add_facts(meta: VconRecallResultMeta, evidence: Evidence, unknown: int) -> None:
    """Add what is known of the evidence, and the number of vCons of which too little is known."""
    if not evidence.is_complete:
        meta["matching_relation"] = "at_least"
    if never_said := _never_said(evidence):
        meta["never_said"] = never_said
    if named := [str(days) for days in evidence.days if days]:
        meta["days"] = list(dict.fromkeys(named))
    if unknown:
        meta["said_unknown"] = unknown
    if evidence.searched is not None:
        meta["searched"] = evidence.searched
    if meta["view"] == "list":
        meta["matching_turns"] = len(_matching(evidence))


async def _empty_days(connection: Connection, tenant: str, evidence: Evidence) -> list[HintsEntry]:
    """Return a hint for each range of past days that a question names and of which nothing is stored."""
    found: list[HintsEntry] = []
    times = [source.at for source in evidence.sources.values()]
    for days in {str(days): days for days in evidence.days if days}.values():
        window = days.window
        if window is None or window[0] > datetime.now(UTC) or any(map(days.has, times)):
            continue
        if (hint := await empty_time_hint(connection, tenant, str(days), *window)) is not None:
            found.append(hint)
    return found


def _add_people(meta: VconRecallResultMeta, parts: Sequence[Answerable], by: Sequence[Attribution]) -> None:
    """Add the verdict on each question, and whose the best turns are if others are named."""
    if len(parts) > 1:
        meta["parts"] = [*parts]
    if said_by := [one.said_by for one in by if one.said_by]:
        meta["said_by"] = list(dict.fromkeys(said_by))
    if nothing_by := [name for one in by for name in one.nothing_by]:
        meta["nothing_by"] = list(dict.fromkeys(nothing_by))


def _verdicts(evidence: Evidence, by: Sequence[Attribution], *, of_empty_days: bool) -> list[Answerable]:
    """Whether an answer to each question is likely.

    None is for a time of which nothing is stored, nor if another person said the best turn, or one nearly as
    good.
    """
    shares = _unknown_shares(evidence) or [0.0] * len(by)
    found: list[Answerable] = [
        answerable([best], share) for best, share in zip(evidence.best, shares, strict=True)
    ]
    verdicts: list[Answerable] = []
    for verdict, one in zip(found, by, strict=True):
        is_other = verdict == "likely" and (of_empty_days or one.said_by is not None or one.is_contested)
        verdicts.append("unsure" if is_other else verdict)
    return verdicts


def _verdict(parts: Sequence[Answerable], evidence: Evidence) -> Answerable:
    """Whether an answer to any of the questions is likely."""
    if "likely" in parts:
        return "likely"
    found = answerable(evidence.best, min(_unknown_shares(evidence), default=0.0))
    return "unsure" if found == "likely" else found


def _answer(
    params: models.VconRecallParams,
    texts: Sequence[str],
    evidence: Evidence,
    page: int,
    meta: VconRecallResultMeta,
) -> Document[VconRecallResult]:
    is_each_a_line = params.view != "excerpts"
    totals = _totals(params, evidence) if is_each_a_line and evidence.places else ""
    room = params.max_tokens * BYTES_PER_TOKEN - LAST_LINE - size(totals) - is_each_a_line
    is_nothing_found = meta["answerable"] == "nothing_found"
    packing = _packing(params, texts, evidence, room, is_nothing_found=is_nothing_found)
    chosen, left = _page_of(packing, room, page)
    following = str(page + 1) if left and page < _LAST_PAGE else None
    by_source = chosen.by_source()
    if page == 1 and not by_source:
        meta["answerable"] = "nothing_found"
    ending = last_line(
        meta["answerable"],
        matching=meta["matching"],
        is_exact=evidence.is_complete,
        shown=meta["matching"] if is_each_a_line else len(by_source),
        never_said=meta.get("never_said", ()),
        parts=meta.get("parts", ()),
        said_by=meta.get("said_by", ()),
        nothing_by=meta.get("nothing_by", ()),
        days=() if chosen.keys and meta.get("hints") else meta.get("days", ()),
        cursor=following,
        further_turns=len(left),
        further_sources=len({source for source, _ in left}),
        is_list=packing.is_list,
        is_survey=params.view == "survey",
        hints=[hint["message"] for hint in meta.get("hints", ())],
    )
    if page > 1 and not by_source:
        ending = f"Nothing is on page {page}: the result ends before it."
    block = _block(params, evidence, packing, chosen, len(texts), totals)
    text = "\n\n".join(filter(None, (block, ending)))
    meta["tokens"] = -(-size(text) // BYTES_PER_TOKEN)
    items = [
        _entry(
            evidence.sources[source], [(source, number) for number in numbers], chosen, packing.lines, params
        )
        for source, numbers in by_source.items()
    ]
    return Document(
        {
            "ok": True,
            "items": items,
            "page": {"next_cursor": following, "count": len(items), "has_more": following is not None},
            "meta": in_order(VconRecallResultMeta, meta),
        },
        text,
    )


def _most(params: models.VconRecallParams, page: int) -> int:
    """Number of passages of each question that are read."""
    if params.view == "list":
        return _MAX_PLACES
    return min(_PLACES_OF_PAGE * (page + params.max_tokens // 1_000), _MAX_PLACES)


def _people_of(params: models.VconRecallParams) -> list[str]:
    """People that all conversations have, for the line of totals."""
    people = [] if params.people is MISSING else list(params.people)
    return people if params.speaker is MISSING else [*people, params.speaker]


def _totals(params: models.VconRecallParams, evidence: Evidence) -> str:
    """Say how much matches, of how many conversations."""
    is_list = params.view == "list"
    places = _matching(evidence)
    return totals_line(
        len(places) if is_list else None,
        len({place.source for place in places}) if is_list else evidence.matching,
        evidence.searched,
        _people_of(params),
        is_exact=evidence.is_complete and (evidence.is_every_place or not is_list),
    )


def _matching(evidence: Evidence) -> list[RecallHit]:
    """Passages above chance."""
    return [place for place in evidence.places if place.is_match and place.key in evidence.lines]


def _block(
    params: models.VconRecallParams,
    evidence: Evidence,
    packing: Packing,
    chosen: PageSelection,
    queries: int,
    totals: str,
) -> str:
    """Format the lines of a page, after the totals of the views that have any."""
    if params.view == "excerpts" or not chosen.keys:
        return excerpts_text(chosen, evidence.sources, packing.lines, queries)
    line_of = turn_line if params.view == "list" else survey_line
    return f"{totals}\n{lines_text(chosen, evidence.sources, packing.lines, line_of, queries)}"


def _packing(
    params: models.VconRecallParams,
    texts: Sequence[str],
    evidence: Evidence,
    room: int,
    *,
    is_nothing_found: bool,
) -> Packing:
    """Return the lines that the view may show, with their sizes."""
    if params.view == "survey":
        return _survey(evidence, room, len(texts))
    if params.view == "list":
        return _list(evidence, room, len(texts))
    return Packing(
        _in_turn(evidence.places, len(texts)),
        evidence.lines.changed(lambda line: _fitting(line, room // 2)),
        lambda line, number: line_cost(line, number) + mark_cost(len(texts)),
        lambda source: head_cost(evidence.sources[source]),
        is_list=any(asks_for_several(text) for text in texts),
        speaker_only=params.speaker is not MISSING,
        stop=CLEAR if is_nothing_found else STOP,
    )


def _in_turn(places: Sequence[RecallHit], queries: int) -> Sequence[RecallHit]:
    """Take the best passages of several queries in turn, and after these the others in order."""
    if queries == 1:
        return places
    rank: dict[Key, tuple[int, int]] = {}
    for number in range(queries):
        own = [place for place in places if number in place.queries and place.score >= STOP]
        for order, place in enumerate(own):
            rank[place.key] = min(rank.get(place.key, (order, number)), (order, number))
    last = (len(places), 0)
    return sorted(places, key=lambda place: rank.get(place.key, last))


def _survey(evidence: Evidence, room: int, queries: int) -> Packing:
    """Best passage of each conversation above chance; at least of the best one."""
    first: dict[UUID, RecallHit] = {}
    turns: dict[UUID, list[int]] = {}
    for place in _in_turn(evidence.places, queries):
        if evidence.sources[place.source].hits or not first:
            first.setdefault(place.source, place)
        if place.is_match and place.number >= 0:
            turns.setdefault(place.source, []).append(place.number)
    for source, numbers in turns.items():
        evidence.sources[source] = replace(evidence.sources[source], matching_turns=tuple(sorted(numbers)))
    places = [replace(place, has_word=True) for place in first.values()]
    lines = _one_line_each(evidence, places, room)
    costs = {
        place.source: size(survey_line(evidence.sources[place.source], lines[place.key], place.number))
        + len("\n")
        + mark_cost(queries)
        for place in places
    }
    return Packing(places, lines, lambda _line, _number: 0, costs.__getitem__, is_survey=True)


def _list(evidence: Evidence, room: int, queries: int) -> Packing:
    """Every passage above chance; at least the best one."""
    places = _in_turn(_matching(evidence), queries) or evidence.places[:1]
    places = [replace(place, has_word=True) for place in places]
    sources = [evidence.sources[id_] for id_ in {place.source for place in places}]
    return Packing(
        places,
        _one_line_each(evidence, places, room),
        lambda line, number: turn_line_cost(line, number, sources) + mark_cost(queries),
        lambda _source: 0,
        is_survey=True,
    )


def _one_line_each(evidence: Evidence, places: Sequence[RecallHit], room: int) -> dict[Key, ShownLine]:
    """Cut the text of each passage around the words of the questions."""
    terms = [term for weighed in evidence.weighed for term in weighed.terms]
    most = min(_ONE_LINE, room // 4)
    return {place.key: _cut(evidence.lines[place.key], most, terms) for place in places}


def _page_of(packing: Packing, room: int, page: int) -> tuple[PageSelection, set[Key]]:
    """Return a page, and the matching lines that later pages show."""
    pages = packing.pages(room)
    chosen, shown = PageSelection({}), set[Key]()
    for _ in range(page):
        chosen = next(pages, PageSelection({}))
        shown |= chosen.keys.keys()
    if next(pages, None) is None:
        return chosen, set()
    return chosen, {place.key for place in packing.hits} - shown


def _fitting(line: ShownLine, room: int) -> ShownLine:
    """Shorten a line for a small budget."""
    return line if size(line.text) <= room else _cut(line, room // BYTES_PER_TOKEN)


def _cut(line: ShownLine, most: int, terms: Sequence[Term] = ()) -> ShownLine:
    shown = excerpt(line.text, terms, most)
    return line if shown == line.text else replace(line, text=shown, is_cut=True)


def _entry(
    source: Source,
    keys: Sequence[Key],
    chosen: PageSelection,
    lines: Mapping[Key, ShownLine],
    params: models.VconRecallParams,
) -> VconRecallResultEntry:
    entry: VconRecallResultEntry = {
        "id": source.id,
        "kind": source.kind,
        "hits": source.hits,
        "turns": [_turn(lines[key], key[1], chosen.keys[key], params) for key in keys],
    }
    if source.at is not None:
        entry["at"] = format_time(source.at)
    if source.subject:
        entry["subject"] = source.subject
    if source.version:
        entry["version"] = source.version
    if source.people:
        entry["people"] = list(source.people)
    return in_order(VconRecallResultEntry, entry)


def _turn(
    line: ShownLine, number: int, place: RecallHit | None, params: models.VconRecallParams
) -> VconRecallResultEntryTurnsEntry:
    turn: VconRecallResultEntryTurnsEntry = {"text": line.text}
    if number >= 0:
        turn["turn"] = number
    else:
        turn["part"] = line.part
    if line.speaker:
        turn["speaker"] = line.speaker
    if line.at is not None:
        turn["at"] = format_time(line.at)
    if line.is_cut:
        turn["cut"] = True
    if place is None:
        turn["context"] = True
    else:
        if not isinstance(params.query, str) and len(params.query) > 1:
            turn["answers"] = list(place.queries)
        if params.explain:
            turn["score"] = round(place.raw_score, _DECIMALS)
    return in_order(VconRecallResultEntryTurnsEntry, turn)


def _never_said(evidence: Evidence) -> list[str]:
    """Words of the questions that occur in no conversation."""
    words = {
        term.text: None
        for weighed in evidence.weighed
        for term, count in zip(weighed.query.terms, weighed.counts, strict=True)
        if not count
    }
    return list(words)[:_MAX_NEVER_SAID]


def _unknown_shares(evidence: Evidence) -> list[float]:
    """Share of each question's words by weight in no conversation; none if no conversations were searched."""
    return [
        sum(weight for weight, count in zip(one.weights, one.counts, strict=True) if not count)
        / (sum(one.weights) or 1)
        for one in evidence.weighed
    ]
