"""Conversations that nobody here made: their text is embedded, and each is found by what it says."""

from pathlib import Path

import pytest

from tests.embedding.conftest import Store
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.embedding.worker import EmbeddingWorker
from vcontract.runtime.frame.documents.json import JsonObject, parse_json
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.search.filter_conditions import Filters
from vcontract.runtime.store.search.pages import SearchRequest
from vcontract.runtime.store.search.search import Search
from vcontract.runtime.vcon.legacy import LegacyNames
from vcontract.runtime.vcon.text import passages

REAL_FILES = Path(__file__).parents[3] / "shared" / "data" / "vcons"
SAMPLE = 16

pytestmark = pytest.mark.skipif(not REAL_FILES.is_dir(), reason=f"{REAL_FILES} is not there")


def sample() -> list[JsonObject]:
    """Some of each collection, evenly spread."""
    files = [
        path
        for collection in ("call-centre", "gpt-conversations")
        for path in sorted((REAL_FILES / collection).rglob("*.json"))
    ]
    return [LegacyNames.load().translate(parse_json(path.read_bytes()))[0] for path in files][
        :: len(files) // SAMPLE
    ][:SAMPLE]


async def test_every_real_conversation_is_found_by_what_it_says(
    store: Store, database: Database, embeddings: Embeddings, worker: EmbeddingWorker, tenant: str
) -> None:
    documents = sample()
    uuids = await store(*documents)
    search = Search()

    waiting = await worker.drain(tenant)

    assert waiting.passages == 0
    for uuid, document in zip(uuids, documents, strict=True):
        said = [passage.content for passage in passages(document) if passage.part in ("dialog", "analysis")]
        vector = await embeddings.query(tenant, max(said, key=len))
        async with database.reading(tenant) as connection:
            page = await search.find(
                connection, tenant, SearchRequest(Filters(), 3, vector=vector, threshold=0.7)
            )
        assert uuid in [item.id for item in page.items]
