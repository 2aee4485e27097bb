"""How many modules and Python calls a warm call passes does not grow unseen."""

import json
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

import pytest

from tests.conftest import Call
from tests.house_figures import CALL_PATHS, CallPath
from tests.watch import Watch
from vcontract.runtime import imports
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.preparing import Workers

PACKAGE = str(Path(imports.__file__).parents[2])
RUNS = 3


async def way_of(work: Callable[[], Awaitable[object]]) -> CallPath:
    """The shortest way of a few runs: a coroutine that is resumed once more counts once more."""
    await work()
    return min([await _one_way(work) for _ in range(RUNS)], key=lambda way: way.calls)


async def _one_way(work: Callable[[], Awaitable[object]]) -> CallPath:
    modules: set[str] = set()
    calls = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            modules.add(frame.f_code.co_filename)
            calls += 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        await work()
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return CallPath(len(modules), calls)


def _look_away(*_: object) -> None:
    pass


@pytest.fixture
async def ways(
    call: Call,
    run_import: Callable[..., Awaitable[object]],
    make_vcon: Callable[..., JsonObject],
    tmp_path: Path,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, CallPath]:
    """The call paths as they are now, by the names of CALL_PATHS."""
    # what the tests look at in each answer is no part of the way
    monkeypatch.setattr(watch, "answered", _look_away)
    numbers = iter(range(100))

    async def bring_one() -> None:
        file = tmp_path / f"{next(numbers)}.json"
        file.write_text(json.dumps(make_vcon(int(file.stem))))
        with Workers(1) as workers:
            await run_import(file, by=workers)

    await bring_one()
    uuid = make_vcon(0)["uuid"]
    assert (await call("vcon_search", query="number", mode="keyword"))["items"]
    assert (await call("vcon_fetch", uuid=uuid))["ok"]
    return {
        "a keyword vcon_search": await way_of(lambda: call("vcon_search", query="number", mode="keyword")),
        "a vcon_fetch": await way_of(lambda: call("vcon_fetch", uuid=uuid)),
        "an import of one vCon": await way_of(bring_one),
    }


async def test_no_way_grows_by_more_than_a_tenth(ways: dict[str, CallPath]) -> None:
    assert ways.keys() == CALL_PATHS.keys()
    for name, way in ways.items():
        noted = CALL_PATHS[name]
        assert way.modules <= noted.modules * 1.1, f"{name}: {way}; shorten it, or note it in house_figures"
        assert way.calls <= noted.calls * 1.1, f"{name}: {way}; shorten it, or note it in house_figures"
        assert way.modules > 1, f"{name}: nothing was counted"
