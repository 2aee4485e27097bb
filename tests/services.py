"""Services for handlers that a test builds alone."""

from vcontract.handlers.services import Services
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.frame.calls.cursor import CursorCodec
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vocabulary.closed_tags import DeclaredVocabulary


def isolated_services(
    database: Database, embeddings: Embeddings | None = None, settings: Settings | None = None
) -> Services:
    """Services of a server without a key for cursors or declared tags."""
    settings = settings or Settings()
    embeddings = embeddings or Embeddings(settings, database)
    return Services(settings, database, CursorCodec(None, "0.0.0"), embeddings, DeclaredVocabulary({}))
