"""What happened in a call beside words: who joined, left, was held or transferred, and when.

Source: draft-ietf-vcon-vcon-core-05, Event Object; -04, party_history and dialogs of type transfer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import array, as_index, is_array, objects
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.transcript import speaker_label_of

TRANSFERS: Final = ("blind-transfer", "consultative-transfer")
HOLDS: Final = ("hold", "unhold")
_UNKNOWN: Final = "somebody"
_SENTENCES: Final = {
    "join": "{party} joins",
    "drop": "{party} leaves",
    "hold": "{party} is put on hold",
    "unhold": "{party} is taken off hold",
    "mute": "{party} is muted",
    "unmute": "{party} is unmuted",
    "keydown": "{party} presses {button}",
    "keyup": "{party} releases {button}",
    "consultation-start": "{party} consults {transfer_target} about a transfer of {transferee}",
    "blind-transfer": "{party} transfers {transferee} to {transfer_target}",
    "consultative-transfer": "{party} transfers {transferee} to {transfer_target} after a consultation",
    "transfer-abandoned": "{party} abandons the transfer of {transferee}",
}


@dataclass(frozen=True, slots=True)
class CallEvent:
    """One event, with indexes into the vCon. An unknown index is None."""

    kind: str
    """As 0.5.0 names it."""
    time: str | None
    """As written."""
    party: int | None = None
    """For a transfer, the party that transfers."""
    dialog: int | None = None
    session: int | None = None
    button: str | None = None
    transferee: int | None = None
    transfer_target: int | None = None
    consultation: int | None = None
    """Session of the consultation."""
    target_session: int | None = None

    @property
    def at(self) -> datetime | None:
        return None if self.time is None else read_time(self.time)

    def sentence(self, vcon: JsonObject) -> str:
        """The event in words, with the names of its parties: `Hugh is put on hold`."""
        parties = array(vcon.get("parties"))
        names = {
            name: _named(parties, getattr(self, name)) for name in ("party", "transferee", "transfer_target")
        }
        return _SENTENCES[self.kind].format(**names, button=self.button or "a key")


def call_events(vcon: JsonObject) -> list[CallEvent]:
    """Return the events of a vCon of any version, in order of time; those without a valid time come last."""
    found = [*_events(vcon), *_of_dialog(vcon)]
    timed = [(at, event) for event in found if (at := event.at) is not None]
    untimed = [event for event in found if event.at is None]
    return [event for _, event in sorted(timed, key=lambda each: each[0])] + untimed


def _events(vcon: JsonObject) -> Iterator[CallEvent]:
    for _, event in objects(vcon.get("events")):
        kind = event.get("type")
        if isinstance(kind, str) and kind in _SENTENCES:
            yield CallEvent(
                kind,
                _text(event.get("time")),
                _index(event.get("party")),
                _index(event.get("dialog")),
                _index(event.get("session")),
                _text(event.get("button")),
                _index(event.get("transferee")),
                _index(event.get("transfer_target")),
                _index(event.get("consultation")),
                _index(event.get("target_session")),
            )


def _of_dialog(vcon: JsonObject) -> Iterator[CallEvent]:
    """The events that versions before 0.5.0 keep in their dialogs."""
    for index, dialog in objects(vcon.get("dialog")):
        for _, event in objects(dialog.get("party_history")):
            kind = event.get("event")
            if isinstance(kind, str) and kind in _SENTENCES:
                party, button = _index(event.get("party")), _text(event.get("button"))
                yield CallEvent(kind, _text(event.get("time")), party, index, button=button)
        if dialog.get("type") == "transfer":
            yield CallEvent(
                "consultative-transfer" if "consultation" in dialog else "blind-transfer",
                _text(dialog.get("start")),
                _index(dialog.get("transferor")),
                index,
                transferee=_index(dialog.get("transferee")),
                transfer_target=_index(dialog.get("transfer_target")),
            )


def _named(parties: list[JsonValue], index: int | None) -> str:
    return _UNKNOWN if index is None or index >= len(parties) else speaker_label_of(parties, index)


def _index(value: JsonValue) -> int | None:
    return as_index(value[0] if is_array(value) and value else value)


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
