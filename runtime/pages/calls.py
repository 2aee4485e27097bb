"""What happened in the calls of some days: numbers, agents, phrases, topics, and who called again."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final, TypeVar

from markupsafe import Markup
from starlette.datastructures import QueryParams
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
OF_AGENTS: Final = ("talk_share", "longest_turn_seconds")
OF_CALLS: Final = ("handle_seconds", "silence_seconds", "overlaps", "hold_seconds", "transfers", "repeats")
MEASURES: Final = (*OF_AGENTS, *OF_CALLS)
"""Measures of each agent's conversations."""
_SHOWN_WEEKS: Final = 8
AGAIN_DAYS: Final = 7
"""Days before, in which a customer who calls again called already; as the measure `repeats` has it."""
_MAX_ROLES: Final = 4
MAX_SCORES: Final = 4
FIRST_SECONDS: Final = 60
_MAX_DIGITS: Final = 5
_MAX_GROUPS: Final = 500
_MAX_DAYS: Final = 366
MAX_PHRASES: Final = 10
_WEEK: Final = 7

Ask = Callable[..., Awaitable[JsonObject]]
"""Calls a tool by name with arguments."""
Answer = TypeVar("Answer")


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

    def search(self, **given: object) -> SearchForm:
        """The search for conversations of these days."""
        changed: JsonObject = {"since": f"{self.since}", "until": f"{self.until}", **given}
        return replace(SearchForm(), **changed)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Phrases, a disclosure and scores that a report counts."""

    phrases: Sequence[str] = ()
    disclosure: str = ""
    """Phrase that agents have to say, or nothing."""
    first_seconds: int = FIRST_SECONDS
    """When they have to say it."""
    scores: Sequence[str] = ()
    """Measures that are numbers of tags and analyses."""

    @property
    def measures(self) -> list[str]:
        return [*MEASURES, *self.scores]

    @property
    def week_measures(self) -> list[str]:
        return [*OF_CALLS, *self.scores]

    @property
    def without_disclosure(self) -> JsonObject:
        """Members of the search for calls without the disclosure."""
        seconds = f"{self.first_seconds}"
        return {"not_said": (self.disclosure,), "said_role": AGENT, "said_first": seconds}


@dataclass(frozen=True, slots=True)
class Measure:
    """The mean of a measure, and of how many conversations it is known."""

    known: int = 0
    unknown: int = 0
    mean: float | None = None
    median: float | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """What one agent did, or all of them together."""

    name: str
    key: str
    """As groups name it."""
    calls: int
    calls_before: int
    turns: int | None
    words: int | None
    measures: Mapping[str, Measure]
    href: str

    def row(self, measures: Sequence[str]) -> list[object]:
        counts = [self.calls, self.calls_before, self.turns, self.words]
        return [self.name, *counts, *_measure_cells(self.measures, measures)]


@dataclass(frozen=True, slots=True)
class Count:
    """A number of conversations and the link to them; without a link if no search finds the same."""

    now: int
    href: str = ""
    unknown: int = 0


_NONE: Final = Count(0)


@dataclass(frozen=True, slots=True)
class Said:
    """In how many conversations somebody said a phrase, and in how many before."""

    phrase: str
    now: int
    before: int
    unknown: int
    """Conversations without words."""
    href: str
    by_role: Mapping[str, Count]
    by_agent: Mapping[str, Mapping[str, Count]]
    """For each agent, conversations in which somebody says it, and with AGENT in which an agent does."""


@dataclass(frozen=True, slots=True)
class Undisclosed:
    """Conversations in which no agent said a phrase in time."""

    phrase: str
    first_seconds: int
    now: int
    before: int
    unknown: int
    href: str
    agents: Sequence[tuple[str, int, Count, int]]
    """Each agent's conversations, those without it, the most first, and those of which that is unknown."""


@dataclass(frozen=True, slots=True)
class Again:
    """Conversations of customers who called some days before, and those of which that is unknown."""

    calls: int = 0
    unknown: int = 0
    more: int = 0
    """People beyond the listed groups."""


@dataclass(frozen=True, slots=True)
class Week:
    """One week: its conversations, those with each phrase, those without the disclosure, and measures."""

    name: str
    calls: Count
    said: Sequence[Count]
    undisclosed: Count | None
    measures: Mapping[str, Measure]

    def row(self, measures: Sequence[str]) -> list[object]:
        without = None if self.undisclosed is None else self.undisclosed.now
        said = [count.now for count in self.said]
        return [self.name, self.calls.now, *said, without, *_measure_cells(self.measures, measures)]


@dataclass(frozen=True, slots=True)
class Score:
    """A number of an agent's conversations in one week."""

    week: str
    agent: str
    name: str
    measure: Measure

    def row(self) -> list[object]:
        measure = self.measure
        of_known = [measure.mean, measure.median, measure.known, measure.unknown]
        return [self.week, self.agent, self.name, *of_known]


@dataclass(frozen=True, slots=True)
class CallReport:
    """The answers for some days. `problems` names what could not be counted."""

    days: Days
    wanted: Wanted
    calls: int
    calls_before: int
    callers: int
    timed: int
    seconds: float | None
    by_day: Sequence[Bar]
    everybody: Agent | None
    """All agents together; None if nobody has the role."""
    agents: Sequence[Agent]
    said: Sequence[Said]
    undisclosed: Undisclosed | None
    weeks: Sequence[Week]
    scores: Sequence[Score]
    topics: Sequence[JsonObject]
    without_vector: int
    again: Sequence[Bar]
    """People who called again, and in how many conversations."""
    again_calls: Again
    problems: Sequence[str]
    href: str
    """The search for all of them."""

    def drawn(self) -> Markup:
        """Columns of the days."""
        return columns(self.by_day, "Conversations by day") if self.by_day else Markup("")

    def tables(self) -> Mapping[str, Sequence[Sequence[object]]]:
        """Each answer as rows under a heading, by the name of its file."""
        phrases = [each.phrase for each in self.said]
        everybody = [] if self.everybody is None else [replace(self.everybody, name="(all)")]
        tables: dict[str, Sequence[Sequence[object]]] = {
            "days": [("day", "conversations"), *((bar.label, bar.count) for bar in self.by_day)],
            "agents": [
                (
                    "agent",
                    "conversations",
                    "before",
                    "turns",
                    "words",
                    *_measure_heading(self.wanted.measures),
                ),
                *(each.row(self.wanted.measures) for each in (*everybody, *self.agents)),
            ],
            "weeks": [
                (
                    "week",
                    "conversations",
                    *phrases,
                    "without_disclosure",
                    *_measure_heading(self.wanted.week_measures),
                ),
                *(week.row(self.wanted.week_measures) for week in self.weeks),
            ],
            "said": [
                ("phrase", "by", "conversations", "before", "unknown"),
                *(row for each in self.said for row in _said_rows(each)),
            ],
            "said_by_agent": [
                ("agent", "phrase", "conversations", "said_by_agents"),
                *(
                    (
                        agent.name,
                        each.phrase,
                        *(each.by_agent[by].get(agent.key, _NONE).now for by in ("", AGENT)),
                    )
                    for each in self.said
                    for agent in self.agents
                ),
            ],
            "scores": [
                ("week", "agent", "score", "mean", "median", "known", "unknown"),
                *(each.row() for each in self.scores),
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
        if self.undisclosed is not None:
            without = self.undisclosed
            tables["disclosure"] = [
                ("agent", "conversations", "without", "unknown"),
                ("(all)", self.calls, without.now, without.unknown),
                *((name, calls, count.now, unknown) for name, calls, count, unknown in without.agents),
            ]
        return tables


def _measure_heading(names: Sequence[str]) -> list[str]:
    return [heading for name in names for heading in (name, f"{name}_known")]


def _measure_cells(measures: Mapping[str, Measure], names: Sequence[str]) -> list[object]:
    known = [measures.get(name, Measure()) for name in names]
    return [cell for measure in known for cell in (measure.mean, measure.known)]


def _said_rows(said: Said) -> list[tuple[object, ...]]:
    by_role = [(said.phrase, role, count.now, None, count.unknown) for role, count in said.by_role.items()]
    return [(said.phrase, "", said.now, said.before, said.unknown), *by_role]


async def call_report(
    ask: Ask, failure: type[Exception], days: Days, wanted: Wanted, root: str
) -> CallReport:
    """Answer from tools. `failure` is what `ask` raises for an error; `root` is where the page is."""
    return await _Reporter(ask, failure, days, wanted, root).report()


@dataclass(frozen=True, slots=True)
class _Reporter:
    ask: Ask
    failure: type[Exception]
    days: Days
    wanted: Wanted
    root: str
    problems: list[str] = field(default_factory=list[str])

    async def report(self) -> CallReport:
        days, wanted = self.days, self.wanted
        by_day = await self._count(["day"], days, order="key")
        people = await self._count(["role", "party"], days, measures=wanted.measures)
        before = await self._count(["role", "party"], days.before)
        roles = await self._count(["role"], days, measures=wanted.measures)
        spoken = await self._if_possible(self._count(["speaker"], days, order="words")) or {}
        topics = await self._if_possible(self._topics()) or {}
        agents = [
            self._agent(group, before, spoken) for group in people["groups"] if group["key"][0] == AGENT
        ]
        said = [
            counted
            for phrase in wanted.phrases[:MAX_PHRASES]
            if (counted := await self._if_possible(self._said(phrase, roles, agents))) is not None
        ]
        counts = {days.since: 0} | {
            date.fromisoformat(group["key"][0]): int(group["vcons"]) for group in by_day["groups"]
        }
        again, again_calls = await self._if_possible(self._again(agents)) or ([], Again())
        return CallReport(
            days=days,
            wanted=wanted,
            calls=by_day["vcons"],
            calls_before=before["vcons"],
            callers=sum(group["key"][0] != AGENT for group in people["groups"]),
            timed=by_day.get("timed", 0),
            seconds=by_day.get("duration_seconds"),
            by_day=[self._bar(span) for span in Window("day", days.since, days.until).spans(counts)],
            everybody=self._everybody(roles, await self._count(["role"], days.before), agents),
            agents=agents,
            said=said,
            undisclosed=await self._if_possible(self._undisclosed(agents)) if wanted.disclosure else None,
            weeks=await self._if_possible(self._weeks(said)) or [],
            scores=await self._if_possible(self._scores()) or [],
            topics=[
                {**topic, "href": self._link(q=" ".join(topic["words"]), mode="semantic")}
                for topic in topics.get("topics", ())
                if topic["words"]
            ],
            without_vector=topics.get("without_vector", 0),
            again=again,
            again_calls=again_calls,
            problems=self.problems,
            href=self._link(),
        )

    def _link(self, **search: object) -> str:
        return self.days.search(**search).address(self.root)

    async def _count(
        self,
        group_by: Sequence[str],
        days: Days,
        *,
        order: str = "count",
        measures: Sequence[str] = (),
        **search: object,
    ) -> JsonObject:
        """Count the conversations of some days that a search finds."""
        filters = days.search(**search).filters()
        given: JsonObject = {"measures": [*measures]} if measures else {}
        return await self.ask(
            "vcon_aggregate", group_by=[*group_by], filters=filters, order=order, top=_MAX_GROUPS, **given
        )

    async def _topics(self) -> JsonObject:
        """Topics; without them if there are too few or too many conversations."""
        before = self.days.before
        return await self.ask(
            "vcon_topics",
            period=f"{self.days.since}/{self.days.until}",
            compare_to=f"{before.since}/{before.until}",
        )

    async def _if_possible(self, answer: Awaitable[Answer]) -> Answer | None:
        """An answer; None, and a problem, if tools refuse it."""
        try:
            return await answer
        except self.failure as error:
            self.problems.append(str(error))
            return None

    async def _again(self, agents: Sequence[Agent]) -> tuple[list[Bar], Again]:
        """Count who called again. A name leads to all conversations of that person."""
        filters = {**self.days.search().filters(), "repeat_within_days": AGAIN_DAYS}
        found = await self.ask("vcon_aggregate", group_by=["party"], filters=filters, top=_MAX_GROUPS)
        whole = await self._count(["month"], self.days, measures=["repeats"])
        answering = {agent.key for agent in agents}
        people = [
            Bar(name, group["vcons"], SearchForm(party=name).address(self.root))
            for group in found["groups"]
            if group["key"][0] not in answering and (name := group.get("label", group["key"])[0])
        ]
        repeats = _measures(whole)["repeats"]
        return people, Again(found["vcons"], repeats.unknown, found["rest"]["groups"])

    def _bar(self, span: Span) -> Bar:
        return Bar(span.name, span.count, Days(span.since, span.until).search().address(self.root))

    def _agent(self, group: JsonObject, before: JsonObject, spoken: JsonObject) -> Agent:
        key, name = group["key"][1], _label(group)
        calls_before = next((each["vcons"] for each in before["groups"] if each["key"] == group["key"]), 0)
        speakers: dict[str, JsonObject] = {each["key"][0]: each for each in spoken.get("groups", ())}
        own = speakers.get(key) or {}
        href = self._link(party=name, role=AGENT)
        turns, words = own.get("turns"), own.get("words")
        return Agent(name, key, group["vcons"], calls_before, turns, words, _measures(group), href)

    def _everybody(self, roles: JsonObject, before: JsonObject, agents: Sequence[Agent]) -> Agent | None:
        for group in roles["groups"]:
            if group["key"][0] == AGENT:
                calls_before = _by_key(before).get(AGENT, 0)
                turns, words = [
                    sum(known) if (known := [each for each in counts if each is not None]) else None
                    for counts in ([each.turns for each in agents], [each.words for each in agents])
                ]
                measures, href = _measures(group), self._link(role=AGENT)
                return Agent("All agents", "", group["vcons"], calls_before, turns, words, measures, href)
        return None

    async def _said(self, phrase: str, roles: JsonObject, agents: Sequence[Agent]) -> Said:
        """Count conversations in which a phrase is said, by anybody and by each role, and of each agent."""
        search: JsonObject = {"said": (phrase,)}
        anybody = await self._count(["role", "party"], self.days, **search)
        before = await self._count(["month"], self.days.before, **search)
        by_agent = {"": self._of_agents(anybody, agents, search)}
        by_role: dict[str, Count] = {}
        for role in [group["key"][0] for group in roles["groups"][:_MAX_ROLES]]:
            of_role = {**search, "said_role": role}
            found = await self._count(["role", "party"], self.days, **of_role)
            by_role[role] = Count(found["vcons"], self._link(**of_role), found.get("said_unknown", 0))
            if role == AGENT:
                by_agent[AGENT] = self._of_agents(found, agents, of_role)
        by_agent.setdefault(AGENT, {})
        unknown = anybody.get("said_unknown", 0)
        now = anybody["vcons"]
        return Said(phrase, now, before["vcons"], unknown, self._link(**search), by_role, by_agent)

    def _of_agents(
        self, found: JsonObject, agents: Sequence[Agent], search: JsonObject
    ) -> Mapping[str, Count]:
        """The conversations of each agent among those found, by the agent's key."""
        counts = {group["key"][1]: group["vcons"] for group in found["groups"] if group["key"][0] == AGENT}
        return {
            agent.key: Count(counts.get(agent.key, 0), self._link(party=agent.name, role=AGENT, **search))
            for agent in agents
        }

    async def _undisclosed(self, agents: Sequence[Agent]) -> Undisclosed:
        """Count the conversations in which no agent says the disclosure in time."""
        without = self.wanted.without_disclosure
        said = {("said" if name == "not_said" else name): value for name, value in without.items()}
        now = await self._count(["role", "party"], self.days, **without)
        before = await self._count(["month"], self.days.before, **without)
        disclosed = self._of_agents(await self._count(["role", "party"], self.days, **said), agents, said)
        of_agents = self._of_agents(now, agents, without)
        agent_rows = [
            (agent.name, agent.calls, count, agent.calls - count.now - disclosed[agent.key].now)
            for agent in agents
            for count in [of_agents[agent.key]]
        ]
        return Undisclosed(
            self.wanted.disclosure,
            self.wanted.first_seconds,
            now["vcons"],
            before["vcons"],
            now.get("said_unknown", 0),
            self._link(**without),
            sorted(agent_rows, key=lambda row: -row[2].now),
        )

    async def _weeks(self, said: Sequence[Said]) -> list[Week]:
        """The last weeks up to the end of the days, those without conversations too."""
        last = Days.week_of(self.days.until)
        shown = Days(last.since - timedelta(weeks=_SHOWN_WEEKS - 1), self.days.until)
        whole = await self._count(["week"], shown, measures=self.wanted.week_measures)
        searches: list[JsonObject] = [{"said": (each.phrase,)} for each in said]
        if self.wanted.disclosure:
            searches.append(self.wanted.without_disclosure)
        found = [_by_key(await self._count(["week"], shown, **search)) for search in searches]
        groups = {group["key"][0]: group for group in whole["groups"]}
        weeks: list[Week] = []
        for number in range(_SHOWN_WEEKS):
            days = Days.week_of(shown.since + timedelta(weeks=number))
            days = replace(days, until=min(days.until, shown.until))
            name = f"{days.since:%G-W%V}"
            group = groups.get(name, {"vcons": 0})
            counts = [
                Count(of_weeks.get(name, 0), days.search(**search).address(self.root))
                if group["vcons"]
                else _NONE
                for search, of_weeks in zip(searches, found, strict=True)
            ]
            undisclosed = counts.pop() if self.wanted.disclosure else None
            calls = Count(group["vcons"], days.search().address(self.root))
            weeks.append(Week(name, calls, counts, undisclosed, _measures(group)))
        return weeks

    async def _scores(self) -> list[Score]:
        """The scores of each agent in each of the weeks that the days touch."""
        if not self.wanted.scores:
            return []
        found = await self._count(
            ["week", "role", "party"], self.days, order="key", measures=self.wanted.scores
        )
        return [
            Score(group["key"][0], group.get("label", group["key"])[2], name, measure)
            for group in found["groups"]
            if group["key"][1] == AGENT
            for name, measure in _measures(group).items()
        ]


def _by_key(found: JsonObject) -> dict[str, int]:
    return {group["key"][0]: group["vcons"] for group in found["groups"]}


def _measures(group: JsonObject) -> dict[str, Measure]:
    return {
        each["name"]: Measure(each["known"], each["unknown"], each.get("mean"), each.get("median"))
        for each in group.get("measures", ())
    }


def _label(group: JsonObject) -> str:
    """Name of the party of a group of role and party, as written."""
    _, key = group["key"]
    _, label = group.get("label") or (None, None)
    return str(label or key)


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
    wanted = _wanted(given)
    here = f"{root}/store/calls"

    def page_of(other: Days) -> str:
        return address(here, {"since": other.since, "until": other.until, **_members(wanted)})

    return pages.answer(
        request,
        "calls.html.jinja",
        report=await call_report(ask, ToolFailed, days, wanted, root),
        asked=_members(wanted),
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


def _wanted(given: QueryParams) -> Wanted:
    """Phrases and scores that an address asks for."""
    phrases, scores = [
        list(dict.fromkeys(value.strip() for value in given.getlist(name) if value.strip()))
        for name in ("said", "score")
    ]
    seconds = given.get("first", "")
    first = int(seconds) if seconds.isdecimal() and len(seconds) <= _MAX_DIGITS else FIRST_SECONDS
    return Wanted(phrases[:MAX_PHRASES], given.get("disclosure", "").strip(), first, scores[:MAX_SCORES])


def _members(wanted: Wanted) -> JsonObject:
    """Members of an address, as read by _wanted."""
    first = wanted.first_seconds if wanted.disclosure else ""
    return {
        "said": list(wanted.phrases),
        "disclosure": wanted.disclosure,
        "first": first,
        "score": list(wanted.scores),
    }
