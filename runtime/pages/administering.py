"""Administration view: webhooks, tokens of the HTTP server, and the last backup."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from starlette.requests import Request
from starlette.responses import Response

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.pages.auth import CHANGE, FORM
from vcontract.runtime.pages.rendering import Pages
from vcontract.runtime.pages.tool_client import ToolFailed

_EVENTS: Final = ("created", "changed", "deleted")
_SCOPES: Final = ("read", "write", "admin")


class Administration(Protocol):
    """Operator's actions. Methods raise ValueError with a message for the operator."""

    async def last_backup(self) -> str:
        """When `vcontract backup` last finished; empty if never."""
        ...

    async def webhooks(self) -> list[JsonObject]:
        """The tenant's webhooks, without secrets."""
        ...

    async def add_webhook(self, url: str, events: str) -> JsonObject:
        """Create a webhook for these events and return it with its `secret`."""
        ...

    async def remove_webhook(self, id_: str) -> bool:
        """Delete a webhook. Returns whether it existed."""
        ...

    async def tokens(self) -> list[JsonObject]:
        """All tokens, newest first, without their secrets."""
        ...

    async def create_token(self, name: str, scopes: str, expires: str) -> JsonObject:
        """Create a `token` for the tenant; without `expires` it never expires."""
        ...

    async def revoke_token(self, id_: str) -> bool:
        """Revoke a token. Returns whether it was active."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """Result of a form."""

    caption: str = ""
    problem: str = ""
    secret: str = ""
    """Secret to show once."""
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    """Submitted values, if they must be corrected."""


class Administering:
    """The administration view. Responds 404 if there is no operator."""

    def __init__(self, pages: Pages, administration: Administration | None) -> None:
        self._pages = pages
        self._administration = administration

    async def show(self, request: Request) -> Response:
        """The page."""
        return await self._shown(request, Done())

    async def change(self, request: Request) -> Response:
        """Process a form and show the result."""
        form: Mapping[str, str] = request.scope[FORM]
        try:
            done = await self._done(form)
        except ValueError as error:
            return await self._shown(request, Done(problem=f"{error}.", form=form), 400)
        return await self._shown(request, done)

    async def _done(self, form: Mapping[str, str]) -> Done:
        """Process a form. Raises: ValueError."""
        administration, act, id_ = self._found(), form.get("act", ""), form.get("id", "")
        match act:
            case "add-webhook":
                made = await administration.add_webhook(form.get("url", "").strip(), _ticked(form, _EVENTS))
                return Done(
                    f"Added the webhook {made['id']}. Save the secret that signs its deliveries: "
                    "it is not shown again.",
                    secret=made["secret"],
                )
            case "create-token":
                name = form.get("name", "").strip()
                days = form.get("days", "").strip()
                made = await administration.create_token(
                    name, _ticked(form, _SCOPES), f"{days}d" if days else ""
                )
                return Done(
                    f"Created the token {name}. Save it: it is not shown again.", secret=made["token"]
                )
            case "remove-webhook" | "revoke-token" if "sure" not in form:
                raise ValueError("Nothing was changed. Tick the box to confirm")
            case "remove-webhook":
                there = await administration.remove_webhook(id_)
                return Done(f"Removed the webhook {id_}." if there else "It was removed already.")
            case "revoke-token":
                there = await administration.revoke_token(id_)
                return Done(
                    "Revoked. Running servers reject it within five seconds."
                    if there
                    else "It was of no use already."
                )
            case _:
                raise ValueError(f"There is no change {act!r}")

    def _found(self) -> Administration:
        if self._administration is None:
            raise ToolFailed(
                "Webhooks and tokens are not managed here. Use `vcontract webhook` and `vcontract token`.",
                404,
            )
        return self._administration

    async def _shown(self, request: Request, done: Done, status: int = 200) -> Response:
        administration = self._found()
        try:
            found = {
                "webhooks": await administration.webhooks(),
                "tokens": await administration.tokens(),
                "backup": await administration.last_backup(),
            }
        except ValueError as error:
            raise ToolFailed(f"{error}.", 503) from error
        return self._pages.answer(
            request,
            "admin.html.jinja",
            status,
            done=done,
            events=_EVENTS,
            scopes=_SCOPES,
            change=request.scope[CHANGE],
            **found,
        )


def _ticked(form: Mapping[str, str], names: tuple[str, ...]) -> str:
    """The ticked boxes in the form that commands use."""
    return ",".join(name for name in names if name in form)
