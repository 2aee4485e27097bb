"""A storage module of the conserver: `save`, `get` and `delete` of vCons in vcontract."""

import importlib
import json
import uuid
from typing import Any, cast

from vcontract_conserver import client
from vcontract_conserver.client import Client, NotDone

default_options: dict[str, Any] = client.default_options

_KEPT = frozenset({"uuid", "created_at", "updated_at", "tags"})
"""What never changes, what the server sets, and what has a tool of its own."""


def save(vcon_uuid: str, opts: "dict[str, Any] | None" = None) -> None:
    """Store the conserver's vCon, or bring the stored one to what it is now. Raises: NotDone."""
    keep(vcon_uuid, opts)


def get(vcon_uuid: str, opts: "dict[str, Any] | None" = None) -> "dict[str, Any] | None":
    """The stored vCon; None when there is none. Raises: NotDone."""
    try:
        vcon: dict[str, Any] = Client(opts).call("get_vcon", uuid=vcon_uuid)["vcon"]
    except NotDone as error:
        if error.code == "NOT_FOUND":
            return None
        raise
    return vcon


def delete(vcon_uuid: str, opts: "dict[str, Any] | None" = None) -> bool:
    """Delete the stored vCon; whether there was one. Raises: NotDone."""
    try:
        Client(opts).call("delete_vcon", uuid=vcon_uuid, confirm=True)
    except NotDone as error:
        if error.code == "NOT_FOUND":
            return False
        raise
    return True


def keep(vcon_uuid: str, opts: "dict[str, Any] | None" = None) -> bool:
    """Store the conserver's vCon; whether anything of it was new. Raises: NotDone."""
    found = _redis().get_vcon(vcon_uuid)
    if found is None:
        raise NotDone(f"the conserver has no vCon {vcon_uuid}")
    vcon: dict[str, Any] = found.to_dict()
    server = Client(opts)
    try:
        # what does not conform is stored as it is: what is wrong is noted beside it
        server.call("create_vcon", vcon_data=vcon, validate_before_insert=False, request_key=_key())
    except NotDone as error:
        if error.code != "CONFLICT" or error.details.get("reason") != "exists":
            raise
        return False if error.details["identical"] else _update(server, vcon)
    return True


def _redis() -> Any:
    """The conserver's vCons, as its workers have them, and as its API once had."""
    try:
        module: Any = importlib.import_module("lib.vcon_redis")
    except ImportError:
        module = importlib.import_module("server.lib.vcon_redis")
    return module.VconRedis()


def _update(server: Client, vcon: "dict[str, Any]") -> bool:
    """Put what the conserver has in the place of what is stored; tags that are only there stay."""
    updates = {name: value for name, value in vcon.items() if name not in _KEPT}
    updated = server.call(
        "update_vcon",
        uuid=vcon["uuid"],
        updates=updates,
        merge_strategy="replace",
        validate_after_update=False,
        request_key=_key(),
    )
    tags = _tags_of(vcon)
    if not tags:
        return bool(updated["changed"])
    tagged = server.call("update_tags", vcon_uuid=vcon["uuid"], tags=tags)
    return bool(updated["changed"] or tagged["added"] or tagged["updated"])


def _key() -> str:
    """With it a call that is asked again, because its answer was lost, is answered as it was at first."""
    return f"conserver {uuid.uuid4()}"


def _tags_of(vcon: "dict[str, Any]") -> "dict[str, str]":
    """The tags in attachments of type or purpose `tags`: a list of `key:value`, or that as JSON."""
    tags: dict[str, str] = {}
    for attachment in vcon.get("attachments") or ():
        if "tags" not in (attachment.get("type"), attachment.get("purpose")):
            continue
        body: Any = attachment.get("body")
        if isinstance(body, str):
            try:
                body = json.loads(body)
            except ValueError:
                continue
        if not isinstance(body, list):
            continue
        for line in cast("list[Any]", body):
            key, colon, value = str(line).partition(":")
            if colon:
                tags[key] = value
    return tags
