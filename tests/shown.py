"""What a search shows of a conversation."""

from collections.abc import Sequence

from vcontract.runtime.frame.documents.json import JsonObject


def shown_turns(hits: Sequence[JsonObject]) -> list[JsonObject]:
    """The hits of an item, each followed by its neighbours."""
    turns: list[JsonObject] = []
    for hit in hits:
        turns.append(hit)
        turns += ({"content_type": hit["content_type"], **other} for other in hit.get("neighbours", ()))
    return turns
