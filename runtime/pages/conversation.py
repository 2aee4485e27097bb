"""The view of one conversation: its turns page by page, its tags, what is like it, and how it is stored."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from vcontract.runtime.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.documents.values import array, members
from vcontract.runtime.pages.asking import Refused, asked, visitor_of
from vcontract.runtime.pages.door import CHANGE, FORM
from vcontract.runtime.pages.drawing import axis
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.vcon.bodies import decode_base64url
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.reading import Part, Said, read_conversation
from vcontract.runtime.vcon.traces import ToolUse, tool_subject

_MOST_BYTES: Final = 10_000_000
_FIRST_TURNS: Final = 100
"""Of each part, while all parts are shown."""
_TURNS: Final = 200
_MOST_WORDS: Final = 8_000
_MOST_MEDIA: Final = 8_000_000
_MEDIA: Final = frozenset(
    {
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "audio/mpeg",
        "audio/mp3",
        "audio/wav",
        "audio/x-wav",
    }
    | {"audio/ogg", "audio/webm", "audio/mp4", "audio/aac", "audio/flac", "video/mp4", "video/webm"}
)
"""What a browser shows or plays, and in which nothing runs."""


async def conversation(request: Request, pages: Pages, problem: str = "", status: int = 200) -> Response:
    """The page of a conversation."""
    uuid = str(request.path_params["uuid"])
    include = ["core", "parties", "summary", "tags", "dialog", "analysis", "attachments"]
    answer = await asked(request, "vcon_fetch", id=uuid, include=include, max_response_bytes=_MOST_BYTES)
    item: JsonObject = answer["item"]
    read = read_conversation(item, item["tags"])
    here = f"{request.scope.get('root_path', '')}/vcon/{item['id']}"
    only = request.query_params.get("part", "")
    parts = [_Part(part, here) for part in read.parts]
    known = [part for part in parts if part.key == only]
    shown = [part.page(item, *_place(request, part, alone=bool(known))) for part in known or parts]
    return pages.answer(
        request,
        "conversation.html.jinja",
        status,
        conversation=read,
        summaries=[each["text"] for each in item["summary"]],
        here=here,
        only=bool(known),
        parts=parts,
        shown=shown,
        history=list(_history(item)),
        findings=await _findings(request, item["id"]),
        may_tag=visitor_of(request).may("add_tag") and visitor_of(request).may("remove_tag"),
        change=request.scope[CHANGE],
        problem=problem,
    )


async def change_tags(request: Request, pages: Pages) -> Response:
    """Sets or removes a tag, and shows the conversation again."""
    uuid, form = str(request.path_params["uuid"]), request.scope[FORM]
    try:
        if "remove" in form:
            await asked(request, "remove_tag", vcon_uuid=uuid, key=form["remove"])
        else:
            await asked(
                request, "add_tag", vcon_uuid=uuid, key=form.get("key", ""), value=form.get("value", "")
            )
    except Refused as refused:
        return await conversation(request, pages, problem=str(refused), status=refused.status)
    return RedirectResponse(f"{request.scope.get('root_path', '')}/vcon/{uuid}", 303)


async def raw(request: Request, pages: Pages) -> Response:
    """The vCon as it is stored, and what in it does not conform."""
    uuid = str(request.path_params["uuid"])
    vcon = (await asked(request, "get_vcon", uuid=uuid))["vcon"]
    found = VconSchemas.load().check(vcon)
    findings = [f"{each.path}: {each.message}" for each in found.violations]
    text = dump_json(vcon, indent=2).decode()
    back = f"{request.scope.get('root_path', '')}/vcon/{uuid}"
    return pages.answer(
        request, "raw.html.jinja", title="As it is stored", text=text, back=back, findings=findings
    )


async def like(request: Request) -> Response:
    """Goes to the search for what is like a conversation in meaning."""
    from vcontract.runtime.pages.searching import Asked

    uuid = str(request.path_params["uuid"])
    item = (await asked(request, "vcon_fetch", id=uuid, include=["core", "summary", "transcript"]))["item"]
    texts = [each["text"] for each in item["summary"]]
    texts += [members(item["transcript"]).get("text", ""), item.get("subject", "")]
    words = next((" ".join(text.split()) for text in texts if text.strip()), "")
    query = Asked(q=words[:_MOST_LIKE], mode="semantic" if words else "hybrid")
    return RedirectResponse(query.address(request.scope.get("root_path", "")), 303)


_MOST_LIKE: Final = 1_000


async def _findings(request: Request, uuid: str) -> list[str]:
    if not visitor_of(request).may("get_vcon"):
        return []
    metadata = (await asked(request, "get_vcon", uuid=uuid, include_components=[]))["metadata"]
    verdict: JsonObject = metadata["conformance"]
    count = verdict["violation_count"]
    return [f"{count:,} against the schema of version {verdict['version']}"] if count else []


def _history(item: JsonObject) -> Iterator[tuple[str, str]]:
    """What this vCon was made from, as it says itself."""
    for name in ("redacted", "amended"):
        if told := item.get(name):
            yield name, dump_json(told).decode()
    yield "changed here", item["updated_at"]


def _place(request: Request, part: "_Part", *, alone: bool) -> tuple[int, int]:
    """From which turn on a part is shown, and how many turns."""
    given = request.query_params
    if alone:
        return _number(given.get("from", "")), _TURNS
    if part.key == "dialog" and (at := _number(given.get("at", ""))) >= _FIRST_TURNS:
        return max(0, at - _FIRST_TURNS // 2), _FIRST_TURNS
    return 0, _FIRST_TURNS


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


class _Part:
    """A part of a conversation as the page shows it."""

    def __init__(self, part: Part, here: str) -> None:
        self._part = part
        self._here = here
        self.key = part.name if part.index is None else f"{part.name}-{part.index}"
        self.title = part.title if part.index is None else f"{part.kind} {part.index}: {part.title}"
        self.total = len(part.said)

    def page(self, item: JsonObject, first: int, most: int) -> JsonObject:
        """Turns from `first` on, with the way to those before and after them."""
        first = min(first, max(0, self.total - 1))
        sides = {
            speaker: number
            for number, speaker in enumerate(dict.fromkeys(s.speaker for s in self._part.said))
        }
        turns = self._part.said[first : first + most]
        return {
            "key": self.key,
            "title": self.title,
            "axis": axis(self._part.said),
            "turns": [
                _turn(said, number, sides, _element(item, self._part, said))
                for number, said in enumerate(turns, first)
            ],
            "earlier": self._at(max(0, first - _TURNS)) if first else "",
            "later": self._at(first + most) if first + most < self.total else "",
        }

    def _at(self, first: int) -> str:
        return f"{self._here}?part={self.key}&from={first}#{self.key}"


def _turn(said: Said, number: int, sides: Mapping[str | None, int], element: JsonObject) -> JsonObject:
    length = len(said.words)
    return {
        "said": said,
        "number": number if said.dialog is None else said.dialog,
        "side": min(sides[said.speaker], 1) if said.speaker else 0,
        "when": _when(said),
        "words": said.words[:_MOST_WORDS],
        "cut": f"The first {_MOST_WORDS:,} of {length:,} characters." if length > _MOST_WORDS else "",
        "media": _media(element),
        "calls": [_call(use) for use in said.tools],
    }


def _when(said: Said) -> str:
    if said.at is not None:
        return f"{said.at:%Y-%m-%d %H:%M:%S}"
    if said.seconds is None:
        return ""
    minutes, seconds = divmod(int(said.seconds), 60)
    return f"{minutes:02}:{seconds:02}"


def _call(use: ToolUse) -> JsonObject:
    return {
        "head": f"{use.name} {tool_subject(use.name, use.input)}".strip(),
        "given": _written(use.input),
        "answered": _written(use.output),
    }


def _written(value: JsonValue) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else dump_json(value, indent=2).decode()
    return text if len(text) <= _MOST_WORDS else f"{text[:_MOST_WORDS]}…"


def _element(item: JsonObject, part: Part, said: Said) -> JsonObject:
    """The dialog or attachment that a turn is, where it may hold an image or a recording."""
    index = said.dialog if part.name == "dialog" else part.index
    elements: Sequence[JsonValue] = array(item.get(part.name))
    return members(elements[index]) if index is not None and part.name != "analysis" and said.aside else {}


def _media(element: JsonObject) -> str:
    """An inline image or recording as the address that a browser shows it by; empty for anything else."""
    mediatype, body = element.get("mediatype"), element.get("body")
    kind = mediatype.partition(";")[0].strip().lower() if isinstance(mediatype, str) else ""
    if kind not in _MEDIA or not isinstance(body, str) or not 0 < len(body) <= _MOST_MEDIA:
        return ""
    if element.get("encoding") != "base64url" or (data := decode_base64url(body)) is None:
        return ""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
