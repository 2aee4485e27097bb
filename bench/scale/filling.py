"""Vectors put into a store beside the passages that it holds."""

import time
from dataclasses import dataclass
from uuid import UUID

import asyncpg
import numpy as np
from pgvector.asyncpg import register_vector

from bench.scale.vectors import Matrix, Vectors
from bench.subject import Subject
from vcontract.runtime.embedding.vectors import half_vectors

_COLUMNS = ("tenant", "kind", "id", "part", "element", "chunk", "space", "vector")
_BATCH = 20_000
_SPACE = 1
"""The space that a new store begins with."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What the vCons of a store now hold, as the exact answers need it."""

    vectors: Matrix
    owners: list[UUID]
    """The vCon of each vector."""
    texts: list[str]
    index_seconds: float
    """How long building the index took."""


async def fill_vectors(subject: Subject, seed: int) -> Filled:
    """Give every passage of the store a vector, then build the index; what waited to be embedded is done."""
    connection = await asyncpg.connect(subject.application.database.owner_url)
    await register_vector(connection)
    try:
        await connection.execute("set statement_timeout = 0; set maintenance_work_mem = '2GB'")
        rows = await connection.fetch(
            "select tenant, kind, id, part, element, chunk, content from vcontract.passage"
            " where part <> 'party' order by id, part, element, chunk"
        )
        matrix = Vectors(seed).passages(0, len(rows))
        await connection.execute("truncate vcontract.embedding; delete from vcontract.embedding_task")
        index = await connection.fetchval("select pg_get_indexdef('vcontract.embedding_1_near'::regclass)")
        await connection.execute("drop index vcontract.embedding_1_near")
        for start in range(0, len(rows), _BATCH):
            halves = half_vectors(matrix[start : start + _BATCH])
            await connection.copy_records_to_table(
                "embedding",
                schema_name="vcontract",
                columns=_COLUMNS,
                records=[
                    (*tuple(row)[:6], _SPACE, half)
                    for row, half in zip(rows[start : start + _BATCH], halves, strict=True)
                ],
            )
        started = time.perf_counter()
        await connection.execute(index)
        seconds = time.perf_counter() - started
        await connection.execute("vacuum analyze")
    finally:
        await connection.close()
    # what the store compares is rounded to halves, so the exact answers are of halves too
    rounded = matrix.astype(np.float16).astype(np.float32)
    ours = [number for number, row in enumerate(rows) if row["kind"] == "vcon"]
    return Filled(
        rounded[ours], [rows[at]["id"] for at in ours], [rows[at]["content"] for at in ours], seconds
    )
