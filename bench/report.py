"""What a run found: ratios and growth, as tables and as JSON."""

from dataclasses import asdict, dataclass, field

from rich.console import Console
from rich.table import Table

from bench.measure import Timing
from vcontract.runtime.documents.json import JsonObject


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

    def document(self) -> JsonObject:
        return {
            "ratios": [{**asdict(one), "ratio": round(one.ratio, 3)} for one in self.ratios],
            "rates": [{**asdict(one), "ratio": round(one.ratio, 3)} for one in self.rates],
            "growths": [
                {
                    "what": one.what,
                    "at": {str(size): asdict(timing) for size, timing in one.at.items()},
                    "factor": round(one.factor, 3),
                }
                for one in self.growths
            ],
        }

    def show(self, console: Console) -> None:
        """Print what was found; milliseconds are p50 / p95."""
        if self.ratios:
            console.print(_ratio_table(self.ratios))
        if self.rates:
            console.print(_rate_table(self.rates))
        if self.growths:
            console.print(_growth_table(self.growths))


def _ratio_table(ratios: list[Ratio]) -> Table:
    table = Table("ours", "ms", "against", "ms", "ratio", title="Ratios", title_justify="left")
    for one in ratios:
        table.add_row(one.what, _span(one.ours), one.floor_is, _span(one.floor), f"{one.ratio:.2f}")
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


def _span(timing: Timing) -> str:
    return f"{timing.p50:.2f} / {timing.p95:.2f}"
