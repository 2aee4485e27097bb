"""A worker that does nothing in the background, so that a test sees what the calls do themselves."""

from vcontract.runtime.embedding.worker import EmbeddingWorker


class Idle(EmbeddingWorker):
    """A worker that does nothing in the background, only what a test asks."""

    def start(self) -> None:
        """Leave all to the calls."""
