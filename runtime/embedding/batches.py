"""Batches of texts of like length, so that little is spent on padding."""

from collections.abc import Iterator, Sequence

PADDED_TOKENS = 1_024
"""A batch holds about so many tokens, padding included; larger ones are slower and need much more memory."""


def batches_by_length(lengths: Sequence[int], most: int = PADDED_TOKENS) -> Iterator[list[int]]:
    """Places in `lengths` in batches, shortest first.

    A batch padded to its longest text has at most `most` tokens; a longer text is a batch of its own.
    """
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
