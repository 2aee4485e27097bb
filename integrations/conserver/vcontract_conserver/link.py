"""A link of the conserver: keeps a vCon in vcontract as it is at this place of the chain."""

from typing import Any

from vcontract_conserver import storage

default_options: dict[str, Any] = {
    **storage.default_options,
    # end the chain of a vCon of which nothing is new
    "stop_known": False,
}


def run(vcon_uuid: str, link_name: str, opts: "dict[str, Any] | None" = None) -> "str | None":
    """The uuid, for the chain to go on with; None ends it. Raises: NotDone."""
    options = {**default_options, **(opts or {})}
    is_new = storage.keep(vcon_uuid, options)
    return vcon_uuid if is_new or not options["stop_known"] else None
