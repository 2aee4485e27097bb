"""Operator's actions on the web page: webhooks and tokens, as the commands do them."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from vcontract.runtime.cli import tokens, webhooks
from vcontract.runtime.cli.console import written_time
from vcontract.runtime.cli.failures import CommandFailed
from vcontract.runtime.cli.open_store import open_as_owner

if TYPE_CHECKING:
    from vcontract.runtime.frame.documents.json import JsonObject
    from vcontract.runtime.settings import Settings

Result = TypeVar("Result")


class Operator:
    """Implements `runtime.pages.administering.Administration` for a tenant of the store of these settings."""

    def __init__(self, settings: "Settings", tenant: str) -> None:
        self._settings = settings
        self._tenant = tenant

    async def last_backup(self) -> str:
        from vcontract.runtime.store.vcons import audit

        async def newest() -> str:
            async with open_as_owner(self._settings) as connection:
                found = await audit.lines(
                    connection,
                    tenant=audit.WHOLE_STORE,
                    since=None,
                    action="backup",
                    outcome="done",
                    most=1,
                )
            return written_time(found[0].at) or "" if found else ""

        return await _in_plain_words(newest())

    async def webhooks(self) -> "list[JsonObject]":
        found = await _in_plain_words(webhooks.webhooks_of(self._settings, self._tenant))
        return [webhooks.webhook_document(each) for each in found]

    async def add_webhook(self, url: str, events: str) -> "JsonObject":
        return await _in_plain_words(webhooks.add_webhook(self._settings, self._tenant, url, events, ()))

    async def remove_webhook(self, id_: str) -> bool:
        return await _in_plain_words(webhooks.remove_webhook(self._settings, self._tenant, id_))

    async def tokens(self) -> "list[JsonObject]":
        found = await _in_plain_words(tokens.tokens_of(self._settings))
        return [tokens.token_document(each) for each in found]

    async def create_token(self, name: str, scopes: str, expires: str) -> "JsonObject":
        made = tokens.create_token(self._settings, name, self._tenant, scopes, expires=expires or None)
        return await _in_plain_words(made)

    async def revoke_token(self, id_: str) -> bool:
        return await _in_plain_words(tokens.revoke_token(self._settings, id_))


async def _in_plain_words(work: Awaitable[Result]) -> Result:
    """Convert errors. Raises: ValueError with the command's message."""
    try:
        return await work
    except CommandFailed as failed:
        sentences = (
            part[:1].upper() + part[1:] for part in (failed.message, failed.cause, failed.cure) if part
        )
        raise ValueError(". ".join(sentences)) from failed
