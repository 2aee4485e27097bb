"""A worker that does nothing in the background, so that a test sees what the calls do themselves."""

from vcontract.runtime.embedding.worker import EmbeddingWorker


class Idle(EmbeddingWorker):
    """A worker that does nothing in the background, but what it is told to."""

    def start(self) -> None:
        """Leave all to the calls."""
