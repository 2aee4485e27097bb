"""The relevance questions put to ours and to the peers, over the same passages and vectors."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import asyncpg
import numpy as np
from pgvector.asyncpg import register_vector

from bench.relevance.asking import ask_vcons, store_vcons
from bench.relevance.figures import Ranks
from bench.relevance.form import OWN_SETS, Conversation, Place, Question, read_set
from bench.scale.peers import Passages, PeerQuery, PeerResult, peers
from bench.subject import Subject, open_subject
from vcontract.runtime.embedding.minilm import MiniLm

SETS = ("calls", "chats")
Recalls = tuple[float, float]
"""The shares of questions with their answering turn, and with its conversation, among the first ten."""


async def answers(folder: Path, measured: Sequence[PeerResult]) -> tuple[Recalls, list[PeerResult]]:
    """What `vcon_search` in hybrid mode finds of the answers, and the peers with what they find."""
    sets = [read_set(file) for file in OWN_SETS if file.stem in SETS]
    questions = [question for set_ in sets for question in set_.questions]
    async with open_subject(folder / "data") as subject:
        uuids = await store_vcons(subject, sets)
        found = [one for one in await ask_vcons(subject, sets, uuids) if one.way == "hybrid"]
        places, passages = await _passages(subject, [one for set_ in sets for one in set_.conversations])
        vectors = MiniLm().embed([question.text for question in questions], "query").tolist()
        asked = [
            PeerQuery(question.text, vector) for question, vector in zip(questions, vectors, strict=True)
        ]
        results: list[PeerResult] = []
        url = subject.application.database.owner_url
        by_name = {result.name: result for result in measured}
        for (name, _), peer in peers(folder / "peers", url).items():
            await peer.fill(passages)
            listed = [[places[n] for n in await peer.search(one)] for one in asked]
            turn, conversation = _recalls(listed, questions)
            results.append(replace(by_name[name], turn_recall=turn, conversation_recall=conversation))
    ranks = [rank for one in found for rank in one.ranks]
    return _shares(ranks), results


async def _passages(subject: Subject, conversations: Sequence[Conversation]) -> tuple[list[Place], Passages]:
    """The turns that the store has vectors of, and where each stands in the sets."""
    ids = {conversation.subject: conversation.id for conversation in conversations}
    connection = await asyncpg.connect(subject.application.database.owner_url)
    try:
        await register_vector(connection)
        rows = await connection.fetch(
            "select v.head ->> 'subject' as subject, p.element, p.content, e.vector from vcontract.passage p"
            " join vcontract.embedding e using (tenant, kind, id, part, element, chunk)"
            " join vcontract.vcon v on v.tenant = p.tenant and v.uuid = p.id"
            " where p.kind = 'vcon' and p.part = 'dialog' order by p.id, p.element, p.chunk"
        )
    finally:
        await connection.close()
    places: list[Place] = [(ids[row["subject"]], range(row["element"], row["element"] + 1)) for row in rows]
    vectors = np.array([row["vector"].to_numpy() for row in rows], np.float32)
    return places, Passages([row["content"] for row in rows], vectors, [0] * len(rows))


def _recalls(listed: Sequence[Sequence[Place]], questions: Sequence[Question]) -> Recalls:
    return _shares(
        [Ranks.among(places, question) for places, question in zip(listed, questions, strict=True)]
    )


def _shares(ranks: Sequence[Ranks]) -> Recalls:
    def share(found: Sequence[int | None]) -> float:
        return sum(rank is not None and rank <= 10 for rank in found) / len(found)

    return share([rank.turn for rank in ranks]), share([rank.conversation for rank in ranks])
