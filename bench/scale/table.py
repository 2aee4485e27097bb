"""What a run at scale found, as tables."""

from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from bench.measure import Timing
from bench.scale.ours import Measured
from bench.scale.peers import PeerResult


@dataclass(frozen=True, slots=True)
class Import:
    """One step of growth: `vcontract import` of so many vCons, then vectors and the index over all."""

    vcons: int
    size: int
    passages: int
    """All that have vectors after it."""
    seconds: float
    index_seconds: float

    @property
    def passages_per_second(self) -> float:
        return self.passages * self.vcons / self.size / self.seconds


@dataclass(slots=True)
class Scale:
    """Everything one run found."""

    imports: list[Import] = field(default_factory=list[Import])
    ours: dict[int, list[Measured]] = field(default_factory=dict[int, list[Measured]])
    """By the number of vCons in the store."""
    peers: list[PeerResult] = field(default_factory=list[PeerResult])
    """At the smallest size."""


def show(scale: Scale, console: Console) -> None:
    """Print what was found; milliseconds are p50 / p95."""
    console.print(_imports(scale.imports))
    console.print(_ours(scale.ours))
    if scale.peers:
        console.print(_peers(scale))


def _imports(imports: list[Import]) -> Table:
    table = Table(
        "import of", "vCons/s", "passages/s", "store", "index", title="Growth", title_justify="left"
    )
    for one in imports:
        table.add_row(
            f"{one.vcons:,} vCons",
            f"{one.vcons / one.seconds:,.0f}",
            f"{one.passages_per_second:,.0f}",
            f"{one.size:,} vCons, {one.passages:,} passages",
            f"{one.index_seconds:,.0f} s",
        )
    return table


def _ours(ours: dict[int, list[Measured]]) -> Table:
    columns = [f"{what} at {size:,}" for size in ours for what in ("raw", "store", "tool", "recall")]
    table = Table("search", *columns, "growth", title="Searches, ms p50 / p95", title_justify="left")
    sizes = sorted(ours)
    for one in ours[sizes[-1]]:
        cells: list[str] = []
        same = [next((other for other in ours[size] if other.what == one.what), None) for size in ours]
        for other in same:
            timings = (other.raw, other.store, other.tool) if other else (None,) * 3
            cells += (*map(_span, timings), _share(other.recall if other else None))
        table.add_row(one.what, *cells, _growth(same[0], one))
    return table


def _growth(small: Measured | None, large: Measured) -> str:
    first, last = (one and (one.store or one.tool) for one in (small, large))
    return f"{last.p50 / first.p50:.2f}" if first and last else ""


def _peers(scale: Scale) -> Table:
    size = min(scale.ours)
    own = {one.what: one for one in scale.ours[size]}
    names = [f"{peer.name} {peer.version}" for peer in scale.peers]
    title = f"Side by side at {size:,} vCons, ms p50 (recall)"
    table = Table("search", "vcontract", *names, title=title, title_justify="left")
    for what in scale.peers[0].timings:
        cells = [_beside(peer.timings[what], peer.recalls.get(what)) for peer in scale.peers]
        ours = own[what]
        table.add_row(
            what,
            _beside(ours.store, ours.recall) if ours.store else "",
            *cells,
        )
    table.add_row("filling, s", "", *(f"{peer.fill_seconds:,.0f}" for peer in scale.peers))
    return table


def _span(timing: Timing | None) -> str:
    return "" if timing is None else f"{timing.p50:.2f} / {timing.p95:.2f}"


def _share(recall: float | None) -> str:
    return "" if recall is None else f"{recall:.3f}"


def _beside(timing: Timing, recall: float | None) -> str:
    return f"{timing.p50:.2f}" + (f" ({recall:.3f})" if recall is not None else "")
