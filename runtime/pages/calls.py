"""What happened in the calls of some days: numbers, agents, phrases, topics, and who called again."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.plots import Bar, columns
from vcontract.runtime.pages.rendering import Pages, address
from vcontract.runtime.pages.searching import SearchForm
from vcontract.runtime.pages.time_spans import Span, Window
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool
from vcontract.runtime.vcon.reading import began_at

AGENT: Final = "agent"
"""Role of those who take calls; everybody else is a caller."""
_MAX_GROUPS: Final = 500
_MAX_DAYS: Final = 366
_MAX_PHRASES: Final = 10
_WEEK: Final = 7

Ask = Callable[..., Awaitable[JsonObject]]
"""Calls a tool by name with arguments."""


@dataclass(frozen=True, slots=True)
class Days:
    """The first and the last day of a report."""

    since: date
    until: date

    @classmethod
    def week_of(cls, day: date) -> "Days":
        """The week, from Monday, that contains a day."""
        first = day - timedelta(days=day.weekday())
        return cls(first, first + timedelta(days=_WEEK - 1))

    @property
    def before(self) -> "Days":
        """As many days directly before."""
        length = self.until - self.since + timedelta(days=1)
        return Days(self.since - length, self.until - length)

    @property
    def after(self) -> "Days":
        """As many days directly after."""
        length = self.until - self.since + timedelta(days=1)
        return Days(self.since + length, self.until + length)

    def search(self, **given: str | tuple[str, ...]) -> SearchForm:
        """The search for conversations of these days."""
        changed: JsonObject = {"since": f"{self.since}", "until": f"{self.until}", **given}
        return replace(SearchForm(), **changed)


@dataclass(frozen=True, slots=True)
class Agent:
    """What one agent did."""

    name: str
    calls: int
    calls_before: int
    turns: int | None
    words: int | None
    seconds: float | None
    """Time of speaking; None where turns have no lengths."""
    href: str


@dataclass(frozen=True, slots=True)
class Said:
    """In how many conversations a phrase was said, and in how many before."""

    phrase: str
    now: int
    before: int
    unknown: int
    """Conversations of these days of which it is not known."""
    href: str


@dataclass(frozen=True, slots=True)
class CallReport:
    """The answers for some days. `problems` names what could not be counted."""

    days: Days
    calls: int
    calls_before: int
    callers: int
    timed: int
    seconds: float | None
    by_day: Sequence[Bar]
    agents: Sequence[Agent]
    said: Sequence[Said]
    topics: Sequence[JsonObject]
    without_vector: int
    again: Sequence[Bar]
    more_again: int
    """Callers beyond the listed groups."""
    problems: Sequence[str]
    href: str
    """The search for all of them."""

    def drawn(self) -> Markup:
        """Columns of the days."""
        return columns(self.by_day, "Conversations by day") if self.by_day else Markup("")

    def tables(self) -> Mapping[str, Sequence[Sequence[object]]]:
        """Each answer as rows under a heading, by the name of its file."""
        return {
            "days": [("day", "conversations"), *((bar.label, bar.count) for bar in self.by_day)],
            "agents": [
                ("agent", "conversations", "before", "turns", "words", "speaking_seconds"),
                *(
                    (each.name, each.calls, each.calls_before, each.turns, each.words, each.seconds)
                    for each in self.agents
                ),
            ],
            "said": [
                ("phrase", "conversations", "before", "unknown"),
                *((each.phrase, each.now, each.before, each.unknown) for each in self.said),
            ],
            "topics": [
                ("words", "conversations", "before", "change"),
                *(
                    (" ".join(each["words"]), each["now"], each["before"], each["change"])
                    for each in self.topics
                ),
            ],
            "called_again": [("caller", "conversations"), *((bar.label, bar.count) for bar in self.again)],
        }


async def call_report(
    ask: Ask, failure: type[Exception], days: Days, phrases: Sequence[str], root: str
) -> CallReport:
    """Answer from tools. `failure` is what `ask` raises for an error; `root` is where the page is."""
    problems: list[str] = []
    now, before = days.search().filters(), days.before.search().filters()

    async def counted(group_by: Sequence[str], filters: JsonObject, order: str = "count") -> JsonObject:
        return await ask(
            "vcon_aggregate", group_by=list(group_by), filters=filters, order=order, top=_MAX_GROUPS
        )

    async def if_possible(tool: str, **arguments: object) -> JsonObject:
        try:
            return await ask(tool, **arguments)
        except failure as error:
            problems.append(str(error))
            return {}

    by_day = await counted(["day"], now, "key")
    people, people_before = [await counted(["role", "party"], each) for each in (now, before)]
    spoken = await if_possible(
        "vcon_aggregate", group_by=["speaker"], filters=now, order="words", top=_MAX_GROUPS
    )
    topics = await if_possible(
        "vcon_topics",
        period=f"{days.since}/{days.until}",
        compare_to=f"{days.before.since}/{days.before.until}",
    )
    again = [
        Bar(_label(group), group["vcons"], days.search(party=_label(group)).address(root))
        for group in people["groups"]
        if group["key"][0] != AGENT and group["vcons"] > 1
    ]
    total_before = await counted(["month"], before)
    said: list[Said] = []
    for phrase in phrases[:_MAX_PHRASES]:
        try:
            said.append(await _said(ask, phrase, days, root))
        except failure as error:
            problems.append(str(error))
    counts = {days.since: 0} | {
        date.fromisoformat(group["key"][0]): int(group["vcons"]) for group in by_day["groups"]
    }
    return CallReport(
        days=days,
        calls=by_day["vcons"],
        calls_before=total_before["vcons"],
        callers=sum(group["key"][0] != AGENT for group in people["groups"]),
        timed=by_day.get("timed", 0),
        seconds=by_day.get("duration_seconds"),
        by_day=[_bar(span, root) for span in Window("day", days.since, days.until).spans(counts)],
        agents=_agents(people, people_before, spoken, days, root),
        said=said,
        topics=[
            {**topic, "href": days.search(q=" ".join(topic["words"]), mode="semantic").address(root)}
            for topic in topics.get("topics", ())
            if topic["words"]
        ],
        without_vector=topics.get("without_vector", 0),
        again=again,
        more_again=people["rest"]["groups"],
        problems=problems,
        href=days.search().address(root),
    )


def _bar(span: Span, root: str) -> Bar:
    return Bar(span.name, span.count, Days(span.since, span.until).search().address(root))


def _label(group: JsonObject) -> str:
    """Name of the party of a group of role and party, as written."""
    _, key = group["key"]
    _, label = group.get("label") or (None, None)
    return str(label or key)


def _agents(now: JsonObject, before: JsonObject, spoken: JsonObject, days: Days, root: str) -> list[Agent]:
    """Agents by number of conversations, with how much they spoke."""
    speaking = {group["key"][0]: group for group in spoken.get("groups", ())}
    calls_before = {group["key"][1]: group["vcons"] for group in before["groups"] if group["key"][0] == AGENT}
    agents: list[Agent] = []
    for group in now["groups"]:
        role, key = group["key"]
        if role == AGENT:
            said: JsonObject = speaking.get(key, {})
            agents.append(
                Agent(
                    _label(group),
                    group["vcons"],
                    calls_before.get(key, 0),
                    said.get("turns"),
                    said.get("words"),
                    said.get("duration_seconds"),
                    days.search(party=_label(group)).address(root),
                )
            )
    return agents


async def _said(ask: Ask, phrase: str, days: Days, root: str) -> Said:
    """Count the conversations in which a phrase was said, in these days and those before."""
    search = days.search(said=(phrase,))
    now, before = [
        await ask("vcon_aggregate", group_by=["month"], filters=each.search(said=(phrase,)).filters())
        for each in (days, days.before)
    ]
    unknown = now.get("said_unknown", 0)
    return Said(phrase, now["vcons"], before["vcons"], unknown, search.address(root))


async def calls(request: Request, pages: Pages) -> Response:
    """Show the report of a week, by default that of the last conversation."""
    root, given = request.scope.get("root_path", ""), request.query_params

    async def ask(tool: str, /, **arguments: object) -> JsonObject:
        return await call_tool(request, tool, **arguments)

    corpus: JsonObject = (await ask("vcon_graph_shape", node_types=["month"], max_edges=0, max_nodes=1))[
        "item"
    ]["corpus"]
    if "last" not in corpus:
        return pages.answer(request, "calls.html.jinja", report=None)
    last = date.fromisoformat(began_at(corpus["last"])[:10])
    days = _days_of(given.get("since", ""), given.get("until", "")) or Days.week_of(last)
    phrases = [phrase for phrase in given.getlist("said") if phrase.strip()]
    here = f"{root}/store/calls"

    def page_of(other: Days) -> str:
        return address(here, {"since": other.since, "until": other.until, "said": phrases})

    return pages.answer(
        request,
        "calls.html.jinja",
        report=await call_report(ask, ToolFailed, days, phrases, root),
        phrases=phrases,
        earlier=page_of(days.before),
        later=page_of(days.after) if days.until < last else "",
    )


def _days_of(since: str, until: str) -> Days | None:
    """The days that an address names; None if it names none, and at most a year."""
    try:
        days = Days(date.fromisoformat(since), date.fromisoformat(until))
    except ValueError:
        return None
    return days if timedelta(0) <= days.until - days.since < timedelta(days=_MAX_DAYS) else None
