"""Map of meaning: project conversations to a plane, similar ones close together."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeAlias
from uuid import UUID

from vcontract.generated.results import contract as results
from vcontract.runtime.store.inspect.meaning_sample import Meaning, meanings, values_of
from vcontract.runtime.store.postgres.database import Database
from vcontract.runtime.store.vcons.counts import count
from vcontract.runtime.vcon.times import format_time

MAX_POINTS: Final = 1_000
KEPT_SECONDS: Final = 600.0
MAX_CACHED: Final = 64
_WAITED_SECONDS: Final = 3.0
"""Maximum wait for a map in progress."""


@dataclass(frozen=True, slots=True)
class _Map:
    made_at: float
    computed_at: str
    explained: float
    points: Sequence[tuple[Meaning, float, float]]


_Whose: TypeAlias = tuple[str, tuple[str, ...]]
"""A tenant, the purposes of the reader, and what is withheld for them."""


class MeaningMap:
    """Creates maps in the background, one at a time per tenant and purposes; caches them for minutes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[_Whose, _Map] = {}
        self._making: dict[_Whose, asyncio.Task[None]] = {}

    async def read(self, tenant: str, key: str | None) -> results.MeaningMapContent:
        """Return the map of up to 1,000 conversations, with the value of the tag `key` for each point.

        `state` is `making` if no map is ready within three seconds, and `none` if nothing is embedded.
        """
        whose = (tenant, await self._database.purposes_and_withheld(tenant))
        await self._make_in_time(whose)
        found = self._kept.get(whose)
        async with self._database.reading(tenant) as connection:
            (vcons,) = [each.vcons for each in (await count(connection, tenant, "vcon"))["vcon"]] or [0]
            if found is None or (not found.points and whose in self._making):
                return {"state": "making", "vcons": vcons, "points": []}
            ids = [meaning.uuid for meaning, _, _ in found.points]
            values: Mapping[UUID, str] = await values_of(connection, tenant, key, ids) if key else {}
        return {
            "state": "ready" if found.points else "none",
            "vcons": vcons,
            "computed_at": found.computed_at,
            "explained": found.explained,
            "points": [_point(meaning, x, y, values.get(meaning.uuid)) for meaning, x, y in found.points],
        }

    async def _make_in_time(self, whose: _Whose) -> None:
        """Refresh an outdated map. Without a map to show, wait for the new one, at most three seconds."""
        kept = self._kept.get(whose)
        if kept is not None and kept.points and time.monotonic() - kept.made_at < KEPT_SECONDS:
            return
        if whose not in self._making:
            self._making[whose] = asyncio.create_task(self._make(whose), name=f"map of {whose[0]}")
        making = self._making[whose]
        done, _ = await asyncio.wait({making}, timeout=0 if kept and kept.points else _WAITED_SECONDS)
        if done:
            self._making.pop(whose, None)
            await making

    async def _make(self, whose: _Whose) -> None:
        tenant, _ = whose
        async with self._database.reading(tenant) as connection:
            found = await meanings(connection, tenant, MAX_POINTS)
        places, explained = await asyncio.to_thread(plane, [meaning.vector for meaning in found])
        points = [(meaning, x, y) for meaning, (x, y) in zip(found, places, strict=True)]
        if len(self._kept) >= MAX_CACHED:
            del self._kept[next(iter(self._kept))]
        self._kept[whose] = _Map(time.monotonic(), format_time(datetime.now(UTC)), explained, points)


def plane(vectors: Sequence[Sequence[float]]) -> tuple[list[tuple[float, float]], float]:
    """Project vectors to the plane of largest variance, scaled to 0 to 1. Also returns the share of variance.

    Uses principal components. Their signs are fixed, so that the same vectors give the same map.
    """
    import numpy as np

    if not vectors:
        return [], 0.0
    rows = np.asarray(vectors, dtype=np.float64)
    rows -= rows.mean(axis=0)
    variances, axes = np.linalg.eigh(rows.T @ rows)
    axes = axes[:, -1:-3:-1]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])
    places = rows @ axes
    low, spread = places.min(axis=0), np.ptp(places, axis=0)
    places = np.where(spread > 0, (places - low) / np.where(spread > 0, spread, 1), 0.5)
    total = float(variances.clip(0).sum())
    explained = float(variances[-2:].clip(0).sum()) / total if total > 0 else 0.0
    return [(round(float(x), 4), round(float(y), 4)) for x, y in places], round(min(explained, 1.0), 4)


def _point(meaning: Meaning, x: float, y: float, value: str | None) -> results.MeaningMapContentPointsEntry:
    point: results.MeaningMapContentPointsEntry = {"id": str(meaning.uuid), "x": x, "y": y}
    if meaning.subject:
        point["subject"] = meaning.subject
    if value is not None:
        point["value"] = value
    return point
