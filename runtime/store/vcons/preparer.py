"""Prepare vCons in a server: small ones in the call, large ones in a thread."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, is_array, is_object
from vcontract.runtime.store.vcons.indexed_texts import KnownTexts
from vcontract.runtime.store.vcons.preparation import PrepareContext, PreparedVcon, prepare
from vcontract.runtime.store.vcons.row_reuse import AddedElements, ReadAgain, ReadBefore
from vcontract.runtime.vcon.tags import TagValue

LARGE: Final = 100_000
"""Characters and values of a vCon above which preparation would delay other calls."""


class Preparer:
    """Prepares vCons; large ones in a thread, one after another."""

    def __init__(self, prepare_context: PrepareContext) -> None:
        self.prepare_context = prepare_context
        self._texts = KnownTexts()
        self._turn = asyncio.Lock()

    async def prepare(
        self,
        document: JsonObject,
        *,
        now: datetime,
        metadata: JsonObject | None = None,
        fill_created_at: bool = False,
        tags: Mapping[str, TagValue] | None = None,
        added: AddedElements | None = None,
        read_before: ReadBefore | None = None,
    ) -> PreparedVcon:
        """Run `preparation.prepare`.

        Raises: VconRefused, MetadataRefused.
        """
        work = partial(
            prepare, document, self.prepare_context, now=now, metadata=metadata, tags=tags, added=added
        )
        if read_before and not is_large(_unread(document, read_before)):
            with suppress(ReadAgain):
                return await asyncio.to_thread(work, read_before=read_before)
        work = partial(work, fill_created_at=fill_created_at, texts=self._texts)
        if not (is_large(document) or is_large(metadata)):
            return work()
        async with self._turn:
            return await asyncio.to_thread(work)


def _unread(document: JsonObject, before: ReadBefore) -> JsonObject:
    return document | {"dialog": array(document.get("dialog"))[before.turns :]}


def is_large(value: JsonValue, most: int = LARGE) -> bool:
    """Whether a JSON value has more than `most` characters and values. Stops counting there."""
    room = most
    waiting: list[JsonValue] = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            room -= len(value)
        elif is_object(value):
            room -= 2 * len(value)
            if room >= 0:
                room -= sum(map(len, value))
                waiting += value.values()
        elif is_array(value):
            room -= len(value)
            if room >= 0:
                waiting += value
        if room < 0:
            return True
    return False
