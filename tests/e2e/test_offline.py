"""Search by meaning on a fresh machine without a network."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Serving, Wire

NOWHERE = "http://127.0.0.1:9"
"""No one answers there; whoever asks the network through it fails."""


async def _embedded(wire: Wire) -> None:
    """Wait until everything that is stored can be found by meaning."""
    while True:
        answer = await wire.call("vcon_capabilities")
        if answer["item"]["embedding"]["coverage"] == 1:
            return


async def test_the_first_search_by_meaning_in_a_fresh_directory_needs_no_network(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, NOWHERE)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    # where libraries that report their use keep what they have yet to send; in CI they are silent anyway
    monkeypatch.delenv("CI", raising=False)
    for name in ("HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "cache"))
    parcel = {
        "parties": [{"name": "Ada"}],
        "dialog": [
            {
                "type": "text",
                "start": "2025-01-01T00:00:00Z",
                "parties": 0,
                "mediatype": "text/plain",
                "encoding": "none",
                "body": "My parcel should have arrived last week and nobody tells me where it is.",
            }
        ],
    }

    async with serving(folder=tmp_path / "fresh", rate_limits="off") as wire:
        created = await wire.call("create_vcon", vcon_data=parcel)
        await _embedded(wire)
        found = await wire.call(
            "search_vcons_semantic", query="customer upset about a late delivery", threshold=0.3
        )
        errors = await wire.leave()

    assert [result["vcon_id"] for result in found["results"]] == [created["uuid"]]
    assert b'"level":"error"' not in errors
    assert [str(path) for path in (tmp_path / "cache").rglob("*")] == []
