"""The `session` toolset: a working session from its beginning to its end, and what it remembers."""

from vcontract.generated.registry import SessionHandlers
from vcontract.handlers.session.checkpoints import CheckpointTools
from vcontract.handlers.session.ending import EndingTools
from vcontract.handlers.session.files import FileTools
from vcontract.handlers.session.reflecting import ReflectionTools
from vcontract.handlers.session.starting import StartingTools
from vcontract.handlers.session.status import StatusTools
from vcontract.runtime.embedding.service import Embeddings
from vcontract.runtime.imports.transcripts.syncing import ProjectTranscripts
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.workspace.rules import Rules


class Session(StartingTools, CheckpointTools, EndingTools, StatusTools, ReflectionTools, FileTools):
    """Every group of the toolset's tools."""


def session_handlers(
    database: Database, embeddings: Embeddings, rules: Rules, transcripts: ProjectTranscripts
) -> SessionHandlers:
    """Every group of the toolset, over one store."""
    session = Session(database, embeddings, rules, transcripts)
    return SessionHandlers(
        checkpoints=session,
        chunks=session,
        ending=session,
        files=session,
        reflecting=session,
        searching=session,
        starting=session,
        status=session,
    )
