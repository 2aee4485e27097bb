"""A small contract with fake handlers: everything between the transport and a handler, without a store.

Three toolsets: `notes` answers in the envelopes item and page, `shelf` in success, and `diary` and `trace`
bear a prefix beside others and share a tool name.
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from vcontract.generated.errors import ERRORS
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.context import Caller, Scope, ToolContext
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import ContractPackage
from vcontract.runtime.frame.contract.ratelimit import RateLimiter
from vcontract.runtime.frame.contract.registry import ServerIdentity, Tool, Toolset
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.envelope import Answer
from vcontract.runtime.frame.errors import StoreFault

FakeAnswer = Callable[[Any, ToolContext], Awaitable[Answer]]

INCLUDE = ["core", "parties", "tags", "dialog"]

NOTES_CODES = {
    "invalid_arguments": "INVALID_ARGUMENT",
    "permission_denied": "PERMISSION_DENIED",
    "rate_limited": "RATE_LIMIT_EXCEEDED",
    "not_found": "NOT_FOUND",
    "too_large": "RESPONSE_TOO_LARGE",
    "unavailable": "INTERNAL",
    "timeout": "INTERNAL",
    "serialization": "INTERNAL",
    "internal": "INTERNAL",
}
SHELF_CODES = {
    **NOTES_CODES,
    "invalid_arguments": "VALIDATION_ERROR",
    "too_large": "VALIDATION_ERROR",
    "unavailable": "DATABASE_ERROR",
    "timeout": "DATABASE_ERROR",
    "serialization": "DATABASE_ERROR",
    "internal": "DATABASE_ERROR",
}

POLICY: JsonObject = {
    "rate_classes": {
        "search": {"limit": 100, "window_seconds": 60},
        "create": {"limit": 50, "window_seconds": 60},
        "other": {"limit": 200, "window_seconds": 60},
    },
    "byte_budget": {"default": 250_000, "minimum": 1_024, "maximum": 10_000_000},
    "result_limit_bytes": 4_096,
    "include_groups": {
        "core": ["id", "subject"],
        "parties": ["parties"],
        "tags": ["tags"],
        "dialog": ["dialog"],
    },
}


class Budgeted(BaseModel):
    max_response_bytes: int = 250_000


class FetchParams(Budgeted):
    id: str
    include: list[str] = []
    filters: dict[str, Any] | None = None


class SearchParams(Budgeted):
    mode: str
    limit: Annotated[int, Field(ge=1)] = 25
    include: list[str] = []


class PutParams(BaseModel):
    note: dict[str, Any]
    stars: int | None = None


class ReadParams(BaseModel):
    words: str | list[str]


class NoParams(BaseModel):
    pass


class FakeHandlers:
    """Calls the function that a test put in `answers`."""

    def __init__(self, answers: Mapping[str, FakeAnswer]) -> None:
        self._answers = answers

    async def call(self, name: str, params: Any, ctx: ToolContext) -> Answer:
        return await self._answers[name](params, ctx)


def _error_branch(style: str, codes: frozenset[str]) -> JsonObject:
    if style == "item":
        error: JsonObject = {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "enum": sorted(codes)},
                "message": {"type": "string"},
                "details": {"type": "object"},
            },
        }
        return {
            "type": "object",
            "required": ["ok", "error"],
            "properties": {"ok": {"const": False}, "error": error},
        }
    return {
        "type": "object",
        "required": ["success", "error", "error_code"],
        "properties": {
            "success": {"const": False},
            "error": {"type": "string"},
            "error_code": {"type": "string", "enum": sorted(codes)},
            "details": {"type": "object"},
            "suggestions": {"type": "array"},
        },
    }


_BUDGET_PARAM: JsonObject = {"type": "integer", "minimum": 1024, "maximum": 10_000_000, "default": 250_000}
_INCLUDE_PARAM: JsonObject = {"type": "array", "items": {"type": "string", "enum": INCLUDE}}
_META: JsonObject = {
    "type": "object",
    "required": ["response_bytes", "max_response_bytes"],
    "properties": {"response_bytes": {"type": "integer"}, "max_response_bytes": {"type": "integer"}},
}
_ITEM: JsonObject = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "subject": {"type": "string"}},
}


class FakeContract:
    """The registry and the documents of the fake contract."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool[Any]] = {}
        self.documents: dict[str, JsonObject] = {}
        self._add(
            "note_fetch",
            "notes",
            "item",
            FetchParams,
            {
                "id": {"type": "string", "minLength": 1},
                "include": _INCLUDE_PARAM,
                "max_response_bytes": _BUDGET_PARAM,
                "filters": {
                    "type": "object",
                    "properties": {"subject": {"type": "string"}, "start_date": {"type": "string"}},
                    "additionalProperties": False,
                },
            },
            required=["id"],
            success={
                "type": "object",
                "required": ["ok", "item", "meta"],
                "properties": {"ok": {"const": True}, "item": _ITEM, "meta": _META},
            },
            aliases=("get_note",),
            budgeted=True,
            errors={"NOT_FOUND", "RESPONSE_TOO_LARGE"},
        )
        self._add(
            "note_search",
            "notes",
            "page",
            SearchParams,
            {
                "mode": {"type": "string", "enum": ["keyword", "metadata"]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
                "include": _INCLUDE_PARAM,
                "max_response_bytes": _BUDGET_PARAM,
            },
            required=["mode"],
            success={
                "type": "object",
                "required": ["ok", "items", "page", "meta"],
                "properties": {
                    "ok": {"const": True},
                    "items": {"type": "array", "items": _ITEM},
                    "page": {"type": "object", "required": ["next_cursor"]},
                    "meta": _META,
                },
            },
            rate_class="search",
            budgeted=True,
            errors={"CURSOR_INVALID", "RESPONSE_TOO_LARGE"},
        )
        self._add(
            "put_note",
            "shelf",
            "success",
            PutParams,
            {
                "note": {
                    "type": "object",
                    "properties": {
                        "dialog": {
                            "type": "array",
                            "items": {"type": "object", "properties": {"type": {"type": "string"}}},
                        }
                    },
                },
                "stars": {"anyOf": [{"type": "integer", "maximum": 5}, {"type": "boolean"}]},
            },
            required=["note"],
            success={
                "type": "object",
                "required": ["success", "id"],
                "properties": {"success": {"const": True}, "id": {"type": "string"}},
            },
            scope="write",
            rate_class="create",
            read_only=False,
            errors={"CONFLICT"},
        )
        self._add(
            "read",
            "diary",
            "document",
            ReadParams,
            {
                "words": {
                    "anyOf": [
                        {"type": "string", "minLength": 2},
                        {"type": "array", "minItems": 2, "items": {"type": "string", "minLength": 2}},
                    ]
                }
            },
            required=["words"],
            success={
                "type": "object",
                "required": ["success", "pages"],
                "properties": {"success": {"const": True}, "pages": {"type": "integer"}},
            },
            key="diary_read",
            messages=(
                ("$.words", "required", "Say what to read"),
                ("$.words", "anyOf", "Words are a text or a list"),
                ("$.words", "minLength", "Words are too short"),
                ("$.words[]", "minLength", "A word is too short"),
                ("$.words", "minItems", "Two words at least"),
            ),
        )
        for toolset in ("diary", "trace"):
            self._add(
                "search",
                toolset,
                "success",
                NoParams,
                {},
                required=[],
                success={
                    "type": "object",
                    "required": ["success"],
                    "properties": {"success": {"const": True}},
                },
                key=f"{toolset}_search",
            )

    def _add(
        self,
        name: str,
        toolset: str,
        envelope: Any,
        params: type[BaseModel],
        properties: JsonObject,
        *,
        required: list[str],
        success: JsonObject,
        scope: Scope = "read",
        rate_class: str = "other",
        read_only: bool = True,
        budgeted: bool = False,
        aliases: tuple[str, ...] = (),
        errors: set[str] | frozenset[str] = frozenset(),
        key: str | None = None,
        messages: tuple[tuple[str, str, str], ...] = (),
    ) -> None:
        item_style = envelope in ("item", "page")
        base = {"PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED"}
        base |= {"INVALID_ARGUMENT", "INTERNAL"} if item_style else {"VALIDATION_ERROR", "DATABASE_ERROR"}
        codes = frozenset(base | errors)
        key = key or name

        async def call(handlers: Any, arguments: Any, ctx: ToolContext) -> Answer:
            answer: Answer = await handlers.call(key, arguments, ctx)
            return answer

        title = name.replace("_", " ").capitalize()
        self.tools[key] = Tool(
            name=name,
            toolset=toolset,
            title=title,
            aliases=aliases,
            stability="stable",
            envelope=envelope,
            scope=scope,
            rate_class=rate_class,
            read_only=read_only,
            budgeted=budgeted,
            errors=codes,
            params=params,
            call=call,
            messages=messages,
        )
        self.documents[key] = {
            "name": name,
            "toolset": toolset,
            "title": title,
            "description": f"{title}, for tests.",
            "annotations": {
                "readOnlyHint": read_only,
                "destructiveHint": False,
                "idempotentHint": read_only,
                "openWorldHint": False,
            },
            "inputSchema": {
                "type": "object",
                "properties": properties,
                **({"required": required} if required else {}),
                "additionalProperties": False,
            },
            "listedSchema": {
                "type": "object",
                "properties": properties,
                **({"required": required} if required else {}),
            },
            "outputSchema": {
                "type": "object",
                "oneOf": [success, _error_branch("item" if item_style else "success", codes)],
            },
            "errors": sorted(codes),
        }

    def package(self) -> ContractPackage:
        return ContractPackage(
            tools=MappingProxyType(self.tools),
            toolsets=(
                Toolset("notes", "Notes", "…", False, True, "item", NOTES_CODES),
                Toolset("shelf", "Shelf", "…", False, True, "success", SHELF_CODES),
                Toolset("diary", "Diary", "…", True, False, "success", SHELF_CODES),
                Toolset("trace", "Trace", "…", True, False, "success", SHELF_CODES),
            ),
            identity=ServerIdentity(
                "fake",
                "Fake",
                "3.1.4",
                "Use it well.",
                "https://example.org/fake",
                "data:image/svg+xml;base64,PHN2Zy8+",
            ),
            policy=POLICY,
            errors=ERRORS,
            read_contract=lambda key: self.documents[key],
            read_shape=lambda key: {
                "tool_name": self.tools[key].name,
                "schema": self.documents[key]["outputSchema"],
            },
        )


@pytest.fixture
def fake_contract() -> FakeContract:
    return FakeContract()


@pytest.fixture
def package(fake_contract: FakeContract) -> ContractPackage:
    return fake_contract.package()


@pytest.fixture
def answers() -> dict[str, FakeAnswer]:
    """What the handlers answer, by key of the registry; each is `async (params, ctx) -> document`."""

    async def fetch(params: FetchParams, ctx: ToolContext) -> JsonObject:
        return {"ok": True, "item": {"id": params.id}, "meta": {"include": ["core"]}}

    async def search(params: SearchParams, ctx: ToolContext) -> JsonObject:
        return {"ok": True, "items": [], "page": {"next_cursor": None}, "meta": {"include": ["core"]}}

    async def put(params: PutParams, ctx: ToolContext) -> JsonObject:
        return {"success": True, "id": "n1"}

    async def found(params: NoParams, ctx: ToolContext) -> JsonObject:
        return {"success": True}

    return {
        "note_fetch": fetch,
        "note_search": search,
        "put_note": put,
        "diary_search": found,
        "trace_search": found,
    }


@pytest.fixture
def caller() -> Caller:
    return Caller("acme", frozenset({"read", "write", "admin"}))


@pytest.fixture
def make_dispatcher(package: ContractPackage, answers: dict[str, FakeAnswer]) -> Callable[..., Dispatcher]:
    """Makes a dispatcher over the fake contract."""

    def make(
        selection: Selection | None = None,
        rate_limiter: RateLimiter | None = None,
        classify: Callable[[BaseException], StoreFault | None] = lambda error: None,
    ) -> Dispatcher:
        catalogue = Catalogue(package, selection or Selection())
        return Dispatcher(RequestScope(catalogue, classify, rate_limiter), FakeHandlers(answers))

    return make


@pytest.fixture
def dispatcher(make_dispatcher: Callable[..., Dispatcher]) -> Dispatcher:
    return make_dispatcher()


@pytest.fixture
def every_toolset(make_dispatcher: Callable[..., Dispatcher]) -> Dispatcher:
    """Serves all toolsets, those with prefixes too."""
    return make_dispatcher(Selection(toolsets=("all",)))
