"""How much of the exact answer a search of a large store finds.

`python -m bench.scale.exactness FOLDER` asks every fifth question about the recorded meetings, by both, by
meaning and with vcon_recall. `make relevance BENCH_ARGS="--keep KEPT"` leaves their store in KEPT/meetings.
"""

import asyncio
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

import asyncpg
import numpy as np
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from bench.relevance.folders import MEETINGS, read_folder
from bench.scale.calls import Questions
from bench.scale.stores import SEED, corpus
from bench.scale.vectors import Matrix, Vectors
from bench.subject import Subject, open_subject
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.search import candidates, pages

TENANT = "default"
FIRST = 10
ASKED = 20
WIDER = 20
"""As many times more candidates, found by every word, stand for all that there are in a search by both."""


async def recalls(folder: Path, conversations: int) -> Mapping[str, float]:
    """The shares of the exact first ten that `vcon_search` finds, by its mode."""
    questions = Questions(corpus(), conversations)
    async with open_subject(folder / "data") as subject:
        by_meaning = [
            _share(
                await _found(subject, {"mode": "semantic", "embedding": vector, "threshold": 0}),
                await _nearest(subject, vector),
            )
            for vector in questions.vectors[:ASKED]
        ]
        vectors = Vectors(SEED).answered_by(await _of_places(subject, questions.places[:ASKED])).tolist()
        by_both = [
            await share_of_exact(subject, {"query": text, "embedding": vector})
            for text, vector in zip(questions.texts[:ASKED], vectors, strict=True)
        ]
    return {"semantic": sum(by_meaning) / ASKED, "hybrid": sum(by_both) / ASKED}


async def share_of_exact(subject: Subject, question: JsonObject) -> float:
    """The share of the exact first ten that a hybrid search finds."""
    hybrid = {"mode": "hybrid", **question}
    found = await _found(subject, hybrid)
    with wider():
        return _share(found, await _found(subject, hybrid))


@contextmanager
def wider() -> Generator[None]:
    """Rank many times as many candidates inside, found by every word."""
    with (
        patch.object(pages, "MAX_BY_WORDS", WIDER * pages.MAX_BY_WORDS),
        patch.object(pages, "MAX_NEAREST", WIDER * pages.MAX_NEAREST),
        patch.object(candidates, "_MAX_LEADING_ROWS", 10**9),
    ):
        yield


async def _of_meetings(folder: Path) -> None:
    questions = [question.text for question in read_folder(MEETINGS).questions[::5]]
    shares: dict[str, list[float]] = {"hybrid": [], "semantic": [], "recall": []}
    async with open_subject(folder) as subject:
        for text in questions:
            shares["hybrid"].append(await share_of_exact(subject, {"query": text}))
            vector = (await subject.application.embeddings.query(TENANT, text)).vector.to_list()
            found = await _found(subject, {"mode": "semantic", "query": text, "threshold": 0})
            shares["semantic"].append(_share(found, await _nearest(subject, vector)))
            recalled = await _recalled(subject, text)
            with wider():
                shares["recall"].append(_share(recalled, await _recalled(subject, text)))
    for what, each in shares.items():
        print(f"{what}: {sum(each) / len(each):.3f} of the exact first {FIRST}, {len(each)} questions")


async def _recalled(subject: Subject, question: str) -> list[str]:
    """The best turns that vcon_recall shows, without those around them."""
    answer = await subject.call("vcon_recall", {"query": question, "explain": True})
    turns = [
        (turn["score"], f"{item['id']} {turn.get('turn', turn.get('part'))}")
        for item in answer["items"]
        for turn in item["turns"]
        if "score" in turn
    ]
    return [place for _, place in sorted(turns, key=lambda one: -one[0])[:FIRST]]


async def _found(subject: Subject, arguments: JsonObject) -> list[str]:
    answer = await subject.call("vcon_search", {"include": ["core"], "limit": FIRST, **arguments})
    return [item["uuid"] for item in answer["items"]]


async def _nearest(subject: Subject, vector: list[float]) -> list[str]:
    """The conversations with the nearest passages, every vector compared."""
    connection = await asyncpg.connect(subject.application.database.owner_url)
    try:
        await register_vector(connection)
        rows = await connection.fetch(
            "select id from vcontract.embedding where space = 1 and kind = 'vcon'"
            " group by id order by min(vector::halfvec(384) <#> $1) limit $2",
            HalfVector(vector),
            FIRST,
        )
    finally:
        await connection.close()
    return [str(row["id"]) for row in rows]


async def _of_places(subject: Subject, places: Sequence[tuple[str, int]]) -> Matrix:
    """The stored vectors of turns."""
    connection = await asyncpg.connect(subject.application.database.owner_url)
    try:
        await register_vector(connection)
        rows = [
            await connection.fetchval(
                "select vector from vcontract.embedding where space = 1 and kind = 'vcon' and id = $1"
                " and part = 'dialog' and element = $2 order by chunk limit 1",
                UUID(uuid),
                element,
            )
            for uuid, element in places
        ]
    finally:
        await connection.close()
    return np.array([row.to_numpy() for row in rows], np.float32)


def _share(found: list[str], exact: list[str]) -> float:
    return len(set(found) & set(exact)) / len(exact) if exact else 1.0


if __name__ == "__main__":
    asyncio.run(_of_meetings(Path(sys.argv[1])))
