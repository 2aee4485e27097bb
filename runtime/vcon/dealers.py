"""Find the dealer of a conversation in attachments of known purposes."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from vcontract.runtime.frame.documents.findings import Notice, path_of
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import members, objects
from vcontract.runtime.vcon.bodies import json_of_body
from vcontract.runtime.vcon.spec_files import read_yaml, shipped_yaml
from vcontract.runtime.vcon.tags import effective_purpose


@dataclass(frozen=True, slots=True)
class Dealer:
    """A dealer as described in one attachment."""

    id: str
    name: str | None
    outbound_phone_number: str | None
    team_id: str | None
    team_name: str | None
    source: str
    """Purpose of the attachment."""
    document: JsonObject
    """As published: `{id, name, outboundPhoneNumber, team: {id, name} | null, source}`."""


@dataclass(frozen=True, slots=True)
class _MemberNames:
    """Member names in an attachment's body that describe a dealer."""

    purpose: str
    id: str
    name: str | None
    outbound_phone_number: str | None
    team: str | None
    team_id: str
    team_name: str


class Dealers:
    """Dealer purposes of spec/dealers.yaml and of a deployment."""

    def __init__(self, *tables: JsonObject) -> None:
        self._forms = tuple(_member_names(entry) for table in tables for entry in table["dealers"])

    @classmethod
    def load(cls, *more: Path) -> Self:
        """Load the bundled purposes, then those in further files of the same form."""
        added = (read_yaml(path.read_text(encoding="utf-8")) for path in more)
        return cls(shipped_yaml("dealers.yaml"), *added)

    @property
    def purposes(self) -> tuple[str, ...]:
        """Known purposes, in order of precedence."""
        return tuple(form.purpose for form in self._forms)

    def find(self, vcon: JsonObject) -> tuple[Dealer | None, list[Notice]]:
        """Return the dealer of the first purpose with one, and a notice for each attachment without.

        Purposes are tried in file order, then attachments in order.
        """
        notices: list[Notice] = []
        attachments = _by_purpose(vcon.get("attachments"))
        for form in self._forms:
            for index, attachment in attachments.get(form.purpose, ()):
                dealer = _dealer(json_of_body(attachment), form)
                if dealer is not None:
                    return dealer, notices
                message = (
                    f"This {form.purpose} attachment names no dealer: its body must be an object, or the "
                    f'JSON text of one, with a string or a number in "{form.id}".'
                )
                notices.append(Notice("dealer_ignored", message, path_of(("attachments", index, "body"))))
        return None, notices


def _member_names(entry: JsonObject) -> _MemberNames:
    team = members(entry.get("team"))
    return _MemberNames(
        purpose=entry["purpose"],
        id=entry["id"],
        name=entry.get("name"),
        outbound_phone_number=entry.get("outbound_phone_number"),
        team=team.get("member"),
        team_id=team.get("id", "id"),
        team_name=team.get("name", "name"),
    )


def _by_purpose(attachments: JsonValue) -> dict[str, list[tuple[int, JsonObject]]]:
    found: dict[str, list[tuple[int, JsonObject]]] = {}
    for index, attachment in objects(attachments):
        found.setdefault(effective_purpose(attachment) or "", []).append((index, attachment))
    return found


def _dealer(body: JsonValue, form: _MemberNames) -> Dealer | None:
    said = members(body)
    dealer_id = _as_text(said.get(form.id))
    if dealer_id is None:
        return None
    name = _as_text(said.get(form.name)) if form.name else None
    phone = _as_text(said.get(form.outbound_phone_number)) if form.outbound_phone_number else None
    team = members(said.get(form.team)) if form.team else {}
    team_id, team_name = _as_text(team.get(form.team_id)), _as_text(team.get(form.team_name))
    named_team = {"id": team_id, "name": team_name} if team_id or team_name else None
    document: JsonObject = {
        "id": dealer_id,
        "name": name,
        "outboundPhoneNumber": phone,
        "team": named_team,
        "source": form.purpose,
    }
    return Dealer(dealer_id, name, phone, team_id, team_name, form.purpose, document)


def _as_text(value: JsonValue) -> str | None:
    """Return a non-empty string, or a number as text (815 and 815.0 are both "815"), else None."""
    if isinstance(value, str):
        return value.strip().replace("\0", "") or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)
