"""What a run found: ratios, growth and memory, as tables and as JSON."""

from dataclasses import asdict, dataclass, field

from rich.console import Console
from rich.table import Table

from bench.measure import Timing
from vcontract.runtime.frame.documents.json import JsonObject


@dataclass(frozen=True, slots=True)
class Ratio:
    """What we take, against the least that the same work takes in the same run."""

    what: str
    ours: Timing
    floor_is: str
    floor: Timing

    @property
    def ratio(self) -> float:
        return self.ours.p50 / self.floor.p50

    @property
    def ratio_p95(self) -> float:
        return self.ours.p95 / self.floor.p95


@dataclass(frozen=True, slots=True)
class Memory:
    """What a process holds, in MB: resident, and with shared pages counted by its share of them."""

    what: str
    rss: float
    pss: float


@dataclass(frozen=True, slots=True)
class Rate:
    """vCons a second, against another way to write the same rows."""

    what: str
    vcons: int
    ours: float
    floor_is: str
    floor: float

    @property
    def ratio(self) -> float:
        """How many times slower than the floor."""
        return self.floor / self.ours


@dataclass(frozen=True, slots=True)
class Growth:
    """One search at growing sizes of the corpus."""

    what: str
    at: dict[int, Timing]

    @property
    def factor(self) -> float:
        """p50 at the largest size over p50 at the smallest."""
        sizes = sorted(self.at)
        return self.at[sizes[-1]].p50 / self.at[sizes[0]].p50


@dataclass(slots=True)
class Report:
    """Everything one run of the benchmarks found."""

    ratios: list[Ratio] = field(default_factory=list[Ratio])
    rates: list[Rate] = field(default_factory=list[Rate])
    growths: list[Growth] = field(default_factory=list[Growth])
    memory: list[Memory] = field(default_factory=list[Memory])

    def document(self) -> JsonObject:
        return {
            "ratios": [
                {**asdict(one), "ratio": round(one.ratio, 3), "ratio_p95": round(one.ratio_p95, 3)}
                for one in self.ratios
            ],
            "rates": [{**asdict(one), "ratio": round(one.ratio, 3)} for one in self.rates],
            "growths": [
                {
                    "what": one.what,
                    "at": {str(size): asdict(timing) for size, timing in one.at.items()},
                    "factor": round(one.factor, 3),
                }
                for one in self.growths
            ],
            "memory": [asdict(one) for one in self.memory],
        }

    def show(self, console: Console) -> None:
        """Print what was found; milliseconds are p50 / p95."""
        if self.ratios:
            console.print(_ratio_table(self.ratios))
        if self.rates:
            console.print(_rate_table(self.rates))
        if self.growths:
            console.print(_growth_table(self.growths))
        if self.memory:
            console.print(_memory_table(self.memory))


def _ratio_table(ratios: list[Ratio]) -> Table:
    table = Table("ours", "ms", "against", "ms", "p50 ratio", "p95", title="Ratios", title_justify="left")
    for one in ratios:
        both = f"{one.ratio:.2f}", f"{one.ratio_p95:.2f}"
        table.add_row(one.what, _span(one.ours), one.floor_is, _span(one.floor), *both)
    return table


def _rate_table(rates: list[Rate]) -> Table:
    table = Table("ours", "vCons/s", "against", "vCons/s", "ratio", title="Rates", title_justify="left")
    for one in rates:
        table.add_row(
            f"{one.what} ({one.vcons:,})",
            f"{one.ours:,.0f}",
            one.floor_is,
            f"{one.floor:,.0f}",
            f"{one.ratio:.2f}",
        )
    return table


def _growth_table(growths: list[Growth]) -> Table:
    sizes = sorted({size for one in growths for size in one.at})
    table = Table(
        "search",
        *(f"ms at {size:,}" for size in sizes),
        "growth",
        title="Search, in process",
        title_justify="left",
    )
    for one in growths:
        cells = (_span(one.at[size]) if size in one.at else "" for size in sizes)
        table.add_row(one.what, *cells, f"{one.factor:.2f}")
    return table


def _memory_table(memory: list[Memory]) -> Table:
    table = Table("process", "MB resident", "MB, shared pages divided", title="Memory", title_justify="left")
    for one in memory:
        table.add_row(one.what, f"{one.rss:.0f}", f"{one.pss:.0f}")
    return table


def _span(timing: Timing) -> str:
    return f"{timing.p50:.2f} / {timing.p95:.2f}"
