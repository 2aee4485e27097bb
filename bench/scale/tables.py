"""What a run at scale found, as Markdown."""

from collections.abc import Iterable, Sequence

from vcontract.runtime.frame.documents.json import JsonObject

SLOW = 50
"""Milliseconds, above which a call that grows has a row of its own."""
GROWS = 2
"""Ratio of the medians at the largest and the smallest size, above which a call grows."""


def markdown(run: JsonObject) -> str:
    """Every table of a run; times are milliseconds, the median and behind it the 95th percentile."""
    return "\n\n".join(tables(run).values())


def tables(run: JsonObject) -> dict[str, str]:
    """The tables of a run by name: corpus, stores, calls, peers."""
    return {
        name: make(run)
        for name, make in (("corpus", _corpus), ("stores", _stores), ("calls", _calls), ("peers", _peers))
        if name in run and (name != "peers" or "calls" in run)
    }


def grown(run: JsonObject) -> dict[str, float]:
    """How many times longer each call takes at the largest size than at the smallest."""
    sizes = _sizes(run["calls"]["now"])
    small, large = (run["calls"]["now"][size] for size in (sizes[0], sizes[-1]))
    return {name: large[name]["p50"] / small[name]["p50"] for name in large if name in small}


def _corpus(run: JsonObject) -> str:
    rows = [
        [
            shape["name"],
            f"{shape['conversations']:,}",
            *(" / ".join(f"{value:,}" for value in shape[name]) for name in ("turns", "words", "speakers")),
            f"{shape['distinct']:,}",
            " / ".join(f"{share:.0%}".replace("%", " %") for share in shape["shares"]),
        ]
        for shape in run["corpus"]
    ]
    head = [
        "corpus",
        "conversations",
        "turns",
        "words a turn",
        "speakers",
        "distinct words",
        "share of the 10, 100, 1,000 most frequent",
    ]
    return _table(head, rows)


def _stores(run: JsonObject) -> str:
    recalls = run.get("recall", {}).get("now", {})
    rows = [
        [
            f"{release}, {int(size):,} conversations",
            f"{store['passages']:,}",
            f"{store['passages'] / store['import_seconds']:,.0f}",
            f"{store['index_seconds']:,.0f}",
            f"{store['bytes'] / 1e9:.2f}",
            *(
                _share(recalls.get(size, {}).get(mode)) if release == "now" else ""
                for mode in ("semantic", "hybrid")
            ),
        ]
        for release, sizes in run["stores"].items()
        for size, store in sorted(sizes.items(), key=lambda item: int(item[0]))
    ]
    head = [
        "store",
        "passages",
        "imported a second",
        "index of vectors, s",
        "GB",
        "semantic recall",
        "hybrid recall",
    ]
    return _table(head, rows)


def _calls(run: JsonObject) -> str:
    """The calls that grow, and the others in a sentence; all, of one size or beside an earlier release."""
    calls, growth = run["calls"], grown(run)
    sizes = _sizes(calls["now"])
    before, largest = calls.get("before", {}), calls["now"][sizes[-1]]
    shown = [
        name
        for name, timing in largest.items()
        if len(sizes) == 1 or before or (growth.get(name, 0) > GROWS and timing["p50"] > SLOW)
    ]
    rows = [
        [
            f"`{tool}`" + (f", {what}" if what else ""),
            *(_span(calls["now"][size].get(name)) for size in sizes),
            f"{growth[name]:.1f}" if name in growth else "",
            *(_median(before[size].get(name)) for size in _sizes(before)),
        ]
        for name in shown
        for tool, _, what in [name.partition(", ")]
    ]
    at = [f"{int(size):,}" for size in sizes]
    head = ["call", *at, "growth", *(f"before, {int(size):,}" for size in _sizes(before))]
    others = {name: timing["p50"] for name, timing in largest.items() if name not in shown}
    if not others:
        return _table(head, rows)
    slowest = max(others, key=others.__getitem__)
    rest = (
        f"The other {len(others)} grow at most twofold or take at most {SLOW} ms; "
        f"the slowest at {at[-1]} conversations is `{slowest}` with {_figure(others[slowest])} ms."
    )
    return f"{_table(head, rows)}\n\n{rest}"


def _peers(run: JsonObject) -> str:
    size = _sizes(run["calls"]["now"])[0]
    ours, store = run["calls"]["now"][size], run["stores"]["now"][size]
    turn, conversation = run["answers"]
    rows = [
        [
            "vcontract",
            _span(ours["vcon_search, hybrid"]),
            _span(ours["vcon_search, hybrid, 1 % by tag"]),
            f"{turn:.3f}",
            f"{conversation:.3f}",
            f"{store['import_seconds'] + store['index_seconds']:,.0f}",
            f"{store['bytes'] / 1e6:,.0f}",
        ],
        *(
            [
                f"{peer['name']} {peer['version']}",
                _span(peer["search"]),
                _span(peer["filtered"]),
                f"{peer['turn_recall']:.3f}",
                f"{peer['conversation_recall']:.3f}",
                f"{peer['fill_seconds']:,.0f}",
                f"{peer['bytes'] / 1e6:,.0f}",
            ]
            for peer in run["peers"]
        ),
    ]
    head = ["store", "search", "1 % kept", "answering turn @10", "its conversation @10", "filling, s", "MB"]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sizes(of: JsonObject) -> list[str]:
    return sorted(of, key=int)


def _span(timing: JsonObject | None) -> str:
    return "" if timing is None else f"{_figure(timing['p50'])} / {_figure(timing['p95'])}"


def _median(timing: JsonObject | None) -> str:
    return "" if timing is None else _figure(timing["p50"])


def _figure(milliseconds: float) -> str:
    return f"{milliseconds:.1f}" if milliseconds < 10 else f"{milliseconds:,.0f}"


def _share(recall: float | None) -> str:
    return "" if recall is None else f"{recall:.3f}"
