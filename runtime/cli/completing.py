"""Shell completion of tool names, conversation IDs and tags. Failures complete nothing."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING

import typer

from vcontract.runtime.cli.console import counted
from vcontract.runtime.frame.documents.plain_text import one_line

if TYPE_CHECKING:
    from vcontract.runtime.cli.tool_client import Tools

_MAX_COMPLETIONS = 50
_PATIENCE_SECONDS = 5.0
"""Timeout, so that a slow server does not block the prompt."""

Offer = tuple[str, str]
"""A completion and its description."""


def tool_names(incomplete: str) -> list[Offer]:
    """Tools whose name has this prefix."""
    from vcontract.runtime.frame.contract.package import load_package

    tools = load_package().tools.values()
    return _beginning(incomplete, ((tool.name, tool.title) for tool in tools))


def vcon_ids(context: typer.Context, incomplete: str) -> list[Offer]:
    """Newest conversations whose ID has this prefix, with their subjects."""

    async def newest(tools: "Tools") -> list[Offer]:
        answer = await tools.ask("vcon_search", mode="metadata", limit=100, include=["core"])
        return [(item["id"], item.get("subject", "")) for item in answer["items"]]

    return _beginning(incomplete, _asked(context, newest))


def tags_in_use(context: typer.Context, incomplete: str) -> list[Offer]:
    """Tags in use with this prefix, as `key=value`."""

    async def used(tools: "Tools") -> list[Offer]:
        answer = await tools.ask("vcon_taxonomy")
        return [
            (f"{key['key']}={value['value']}", counted(value["count"], "conversation"))
            for key in answer["item"]["common_tag_keys"]
            for value in key["sample_values"]
        ]

    return _beginning(incomplete, _asked(context, used))


def tag_keys_in_use(context: typer.Context, incomplete: str) -> list[Offer]:
    """Tag keys in use with this prefix."""
    pairs = tags_in_use(context, "")
    return _beginning(incomplete, ((pair.partition("=")[0], "") for pair, _ in pairs))


def _beginning(incomplete: str, offers: Iterable[Offer]) -> list[Offer]:
    fitting = {
        text: one_line(description)
        for text, description in offers
        if text.startswith(incomplete) and text == one_line(text)
    }
    return list(fitting.items())[:_MAX_COMPLETIONS]


def _asked(context: typer.Context, work: "Callable[[Tools], Awaitable[list[Offer]]]") -> list[Offer]:
    """Query the configured store. Return nothing if it does not exist; do not create it."""
    from vcontract.runtime.cli.failures import CommandFailed
    from vcontract.runtime.cli.invocation import DEFAULT_TENANT, settings_of
    from vcontract.runtime.cli.tool_client import call_tools
    from vcontract.runtime.store.postgres.embedded import EmbeddedCluster

    tenant = context.params.get("tenant") or DEFAULT_TENANT
    try:
        with redirect_stderr(StringIO()):
            settings = settings_of(context)
            if settings.database_url is None and not EmbeddedCluster(settings.data_dir).data.exists():
                return []
            return call_tools(context, tenant, work, seconds=_PATIENCE_SECONDS)
    except (CommandFailed, OSError):
        return []
