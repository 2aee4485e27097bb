"""View of a question: the turns that answer it, with links."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.plain_text import plain
from vcontract.runtime.pages.auth import ReadFailed, Written
from vcontract.runtime.pages.rendering import Pages, address, counted
from vcontract.runtime.pages.speakers import Person
from vcontract.runtime.pages.tool_client import ToolFailed, call_tool, visitor_of
from vcontract.runtime.pages.turns import turn_address

_SENTENCE: Final = Markup('<p dir="auto">{} <sup>{}</sup></p>\n')
_CITED: Final = Markup('<a href="{0}" title="{1}" aria-label="Source {2}: {1}">{2}</a>')
_PROBLEM: Final = Markup('<p class="problem end" role="alert">{}</p>\n')
_END: Final = Markup('<p class="note end">{}</p>\n')
_TOOL: Final = "vcon_recall"
_CAPTIONS: Final = {
    "likely": "An answer is likely here.",
    "unsure": "Unsure whether this answers it.",
    "nothing_found": "Nothing found that answers it.",
}


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A visitor's question; each member is a URL parameter."""

    q: str = ""
    page: str = ""
    """Cursor; empty for the first page."""
    answer: str = ""
    """Non-empty if a language model should write the answer."""

    @classmethod
    def of(cls, request: Request) -> "AskedQuestion":
        """Read the URL parameters."""
        return cls(**{name: request.query_params.get(name, "").strip() for name in cls.__slots__})


async def evidence(request: Request, pages: Pages) -> Response:
    """Show the answer to a question; without one, only the form."""
    root, query = request.scope.get("root_path", ""), AskedQuestion.of(request)
    shown: JsonObject = {"sources": [], "caption": "", "notes": [], "next": "", "problem": "", "streamed": ""}
    items: Sequence[JsonObject] = ()
    status, answers = 200, visitor_of(request).answer
    if query.q:
        try:
            answer = await call_tool(request, _TOOL, query=query.q, cursor=query.page or None)
            shown, items = shown | _shown(answer, query, root), answer["items"]
        except ToolFailed as refused:
            status, shown["problem"] = refused.status, str(refused)
    shown |= {"asked": query, "can_answer": answers is not None}
    if not shown["sources"]:
        items = ()
    if answers is None or not query.answer or not items:
        return pages.answer(request, "evidence.html.jinja", status, **shown)
    del shown["streamed"]
    written = _answer(answers(query.q), items, root)
    return pages.streamed(request, "evidence.html.jinja", written, **shown)


async def _answer(
    sentences: AsyncGenerator[Written], items: Sequence[JsonObject], root: str
) -> AsyncIterator[str]:
    """Stream the answer's sentences with links to sources, then the outcome."""
    numbers: dict[str, int] = {}
    try:
        async with aclosing(sentences):
            async for one in sentences:
                cited = Markup(" ").join(
                    _CITED.format(href, name, numbers.setdefault(href, len(numbers) + 1))
                    for href, name in (_cited(source, items, root) for source in one.sources)
                    if href
                )
                yield _SENTENCE.format(plain(one.text), cited)
    except ReadFailed as error:
        yield _PROBLEM.format(plain(str(error)))
        return
    yield _END.format(
        "Written by a language model from these conversations. Check it against them."
        if numbers
        else "The conversations found do not answer this."
    )


def _cited(source: str, items: Sequence[JsonObject], root: str) -> tuple[str, str]:
    """Link and name of a source; empty if it has no page."""
    id_, _, turn = source.partition("#")
    item = next((item for item in items if item["id"].startswith(id_)), None)
    if item is None:
        return "", ""
    shown = _source(item, root)
    name = f"{shown['title']}, turn {turn}" if turn else shown["title"]
    return turn_address(shown["href"], int(turn)) if turn and shown["href"] else shown["href"], name


def _shown(answer: JsonObject, query: AskedQuestion, root: str) -> JsonObject:
    meta, following = answer["meta"], answer["page"]["next_cursor"]
    notes: list[str] = [hint["message"] for hint in meta.get("hints", ())]
    if never_said := meta.get("never_said"):
        notes.append(f"Said nowhere: {', '.join(never_said)}.")
    if days := meta.get("days"):
        notes.append(f"Preferred what was said on: {'; '.join(days)}.")
    if meta["matching"]:
        at_least = "At least " if "matching_relation" in meta else ""
        notes.append(f"{at_least}{counted(meta['matching'], 'conversation')} matching.")
    is_past_the_end = query.page and not answer["items"]
    is_found = meta["answerable"] != "nothing_found"
    items: list[JsonObject] = answer["items"] if is_found else []
    return {
        "sources": [_source(item, root) for item in items],
        "caption": "The result ends before this page."
        if is_past_the_end
        else _CAPTIONS.get(meta["answerable"], ""),
        "notes": notes,
        "next": address(f"{root}/evidence", {"q": query.q, "page": following})
        if following and is_found
        else "",
    }


def _source(item: JsonObject, root: str) -> JsonObject:
    """A conversation or record with its turns; a reflection has no page to link to."""
    kind: str = item["kind"]
    is_vcon = kind in ("conversation", "session")
    here = f"{root}/vcon/{item['id']}" if is_vcon else f"{root}/journal/{item['id']}"
    href = "" if kind == "reflection" else here
    people: list[str] = item.get("people", [])
    return {
        "href": href,
        "kind": "" if kind == "conversation" else kind,
        "title": item.get("subject") or ", ".join(people) or "(no subject)",
        "people": ", ".join(people),
        "at": item.get("at", ""),
        "turns": [
            {
                "label": f"turn {turn['turn']}" if "turn" in turn else turn["part"],
                "href": turn_address(here, turn["turn"]) if is_vcon and "turn" in turn else href,
                "person": Person.of(turn["speaker"]) if "speaker" in turn else None,
                "at": turn.get("at", ""),
                "text": turn["text"],
            }
            for turn in item["turns"]
        ],
    }
