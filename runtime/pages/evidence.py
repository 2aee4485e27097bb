"""The view of a question: the turns that answer it, each with a link to where it was said."""

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.documents.json import JsonObject
from vcontract.runtime.pages.asking import Refused, asked
from vcontract.runtime.pages.people import Person
from vcontract.runtime.pages.rendering import Pages, address, counted
from vcontract.runtime.pages.turns import turn_address

_TOOL: Final = "vcon_recall"
_TOLD: Final = {
    "likely": "An answer is likely here.",
    "unsure": "Unsure whether this answers it.",
    "nothing_found": "Nothing found that answers it.",
}


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What a visitor asks; each is a value in the address."""

    q: str = ""
    page: str = ""
    """The cursor; empty for the first page."""

    @classmethod
    def of(cls, request: Request) -> "AskedQuestion":
        """What the address says."""
        return cls(**{name: request.query_params.get(name, "").strip() for name in cls.__slots__})


async def evidence(request: Request, pages: Pages) -> Response:
    """The page of a question; without one only the form."""
    root, query = request.scope.get("root_path", ""), AskedQuestion.of(request)
    told: JsonObject = {"sources": [], "told": "", "notes": [], "next": "", "problem": ""}
    status = 200
    if query.q:
        try:
            answer = await asked(request, _TOOL, query=query.q, cursor=query.page or None)
            told |= _shown(answer, query, root)
        except Refused as refused:
            status, told["problem"] = refused.status, str(refused)
    return pages.answer(request, "evidence.html.jinja", status, asked=query, **told)


def _shown(answer: JsonObject, query: AskedQuestion, root: str) -> JsonObject:
    meta, following = answer["meta"], answer["page"]["next_cursor"]
    notes: list[str] = []
    if never_said := meta.get("never_said"):
        notes.append(f"Said nowhere: {', '.join(never_said)}.")
    if days := meta.get("days"):
        notes.append(f"Preferred what was said on: {'; '.join(days)}.")
    if meta["matching"]:
        at_least = "At least " if "matching_relation" in meta else ""
        notes.append(f"{at_least}{counted(meta['matching'], 'conversation')} matching.")
    return {
        "sources": [_source(item, root) for item in answer["items"]],
        "told": _TOLD.get(meta["answerable"], ""),
        "notes": notes,
        "next": address(f"{root}/evidence", {"q": query.q, "page": following}) if following else "",
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
