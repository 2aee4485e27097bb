"""Tables of what was found, for people to read."""

from collections import Counter
from collections.abc import Iterable

from rich.table import Table

from bench.relevance.asking import SearchOutcome
from bench.relevance.evidence import ANSWERABLE, Evidence
from bench.relevance.figures import Mean, Ranks, means
from bench.relevance.form import HALVES, KINDS, NONSENSE, Half, half_of

STRENGTHS = ("strong", "fair", "weak")
Judgement = tuple[str, str]
"""A question, and what an answer says of itself: its strength, or whether it is answerable."""


def show_ranks(found: list[SearchOutcome], half: Half) -> Table:
    """Where answers are listed: the mean of each figure and its error."""
    figures = {(one.set.name, one.way): _means(one, half) for one in found}
    table = Table("material", "way", *Ranks(None, None, 0).figures(), title_justify="left")
    table.title = f"Questions to {half} by, ± standard error (< is worse than one of its parts)"
    for one in found:
        parts = [figures[one.set.name, part] for part in one.parts]
        cells = [
            f"{mean}{' <' if any(part[name].value > mean.value for part in parts) else ''}"
            for name, mean in figures[one.set.name, one.way].items()
        ]
        table.add_row(one.set.name, one.way, *cells)
    return table


def _means(one: SearchOutcome, half: Half) -> dict[str, Mean]:
    return means(rank.figures() for asked, rank in one.answered() if asked.half == half)


def show_kinds(found: list[SearchOutcome]) -> Table:
    """Turn recall at 10 by kind of question, over both halves, where questions have marks."""
    table = Table("material", "way", *KINDS.values(), title="Turn @10 by kind", title_justify="left")
    for one in found:
        if not any(asked.kind for asked in one.set.questions):
            continue
        cells: list[str] = []
        for kind in KINDS.values():
            figures = [rank.figures()["turn @10"] for asked, rank in one.answered() if asked.kind == kind]
            cells.append(f"{Mean.of(figures).value:.2f} of {len(figures)}")
        table.add_row(one.set.name, one.way, *cells)
    return table


def show_strengths(found: list[SearchOutcome]) -> Table:
    """How strong the first item is said to be, where it is right and where nothing is."""
    table = _judged("right", title="Strong, fair and weak among what comes first")
    for one in found:
        if any(one.strengths):
            right = [
                (asked.text, strength)
                for (asked, rank), strength in zip(one.answered(), one.strengths, strict=True)
                if rank.conversation == 1
            ]
            table.add_row(one.set.name, one.way, *_counts(STRENGTHS, right, one))
    return table


def show_evidence(evidence: list[Evidence], half: Half) -> Table:
    """How much of the evidence fits into each budget of tokens, and how many bytes are read for it."""
    table = Table("material", "way", "a turn", "turns", "bytes", title_justify="left")
    table.title = f"Questions to {half} by: answering turns that vcon_recall returns within max_tokens"
    for one in evidence:
        figures = means(recalled.figures(asked) for asked, recalled in one.answered() if asked.half == half)
        if figures:
            size = figures["bytes"]
            cells = [str(figures["a turn"]), str(figures["turns"]), f"{size.value:,.0f} ±{size.error:,.0f}"]
            table.add_row(one.set.name, one.way, *cells)
    return table


def show_answerable(evidence: list[Evidence]) -> Table:
    """What `answerable` says of questions with an answer and without one."""
    table = _judged("answered", title="Likely, unsure and nothing found, by vcon_recall")
    for one in evidence:
        if one.nonsense:
            answered = [(asked.text, recalled.answerable) for asked, recalled in one.answered()]
            table.add_row(one.set.name, one.way, *_counts(ANSWERABLE, answered, one))
    return table


def _judged(first: str, *, title: str) -> Table:
    columns = [f"{what}, to {half}" for what in (first, "never said", "nothing") for half in HALVES]
    return Table("material", "way", *columns, title=title, title_justify="left")


def _counts(labels: tuple[str, ...], answered: list[Judgement], one: SearchOutcome | Evidence) -> list[str]:
    """How often each label occurs, by kind of question and half."""
    never_said = list(zip(one.set.never_said, one.never_said, strict=True))
    nonsense = list(zip(NONSENSE, one.nonsense, strict=True))
    return [
        _count(labels, (label for text, label in judgements if half_of(text) == half))
        for judgements in (answered, never_said, nonsense)
        for half in HALVES
    ]


def _count(labels: tuple[str, ...], found: Iterable[str]) -> str:
    counts = Counter(found)
    return ", ".join(str(counts[label]) for label in labels)
