"""Clients that write without pause, each its own kind of thing, and find again what they wrote."""

import asyncio
import uuid
from asyncio.subprocess import DEVNULL
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from tests.crashes.ledger import ABSENT, Ledger, RejectedWrite
from tests.e2e.conftest import COMMAND, Wire, environment
from tests.imports.transcripts.conftest import ClaudeCode, as_lines
from vcontract.runtime.frame.documents.json import JsonObject, dump_json
from vcontract.runtime.store.postgres.schema_status import OwnerConnection

_ROWS = """
    select v.uuid::text as key, concat_ws(' ',
        (select count(*) from vcontract.party p where p.vcon = v.uuid),
        (select count(*) from vcontract.dialog d where d.vcon = v.uuid),
        (select count(*) from vcontract.analysis a where a.vcon = v.uuid),
        (select count(*) from vcontract.attachment a where a.vcon = v.uuid),
        (select count(*) from vcontract.tag t where t.vcon = v.uuid),
        (select count(*) from vcontract.dealer d where d.vcon = v.uuid),
        (select count(*) from vcontract.search_document s where s.id = v.uuid),
        (select count(distinct p.element) from vcontract.passage p where p.id = v.uuid and p.part = 'dialog')
    ) as state
    from vcontract.vcon v where v.subject_folded = $1
"""

_OTHER_TEXT = ", and what is read is another text"


class Writer(Protocol):
    """One client; `ledger` is what it knows."""

    ledger: Ledger

    async def write(self) -> None:
        """Write once or a few times.

        Raises: RejectedWrite; CancelledError and ConnectionError when the server is gone.
        """
        ...

    async def found(self, wire: Wire, owner: OwnerConnection) -> Mapping[str, str]:
        """The state of everything of this writer that is there."""
        ...


async def called(wire: Wire, tool: str, /, **arguments: object) -> JsonObject:
    """The answer of a call that succeeds.

    Raises: RejectedWrite.
    """
    answer = await wire.request("tools/call", {"name": tool, "arguments": arguments})
    content: JsonObject = answer["result"]["structuredContent"]
    if not content["success"]:
        details: JsonObject = content.get("details") or {}
        raise RejectedWrite(str(content), is_settled=details.get("reason") != "outcome_unknown")
    return content


def _conversation(id_: str, subject: str, turns: int) -> JsonObject:
    """One with rows of every kind."""
    return {
        "uuid": id_,
        "created_at": "2025-10-14T10:30:00Z",
        "subject": subject,
        "parties": [{"name": "Ann"}, {"name": "Bob", "tel": "+1-555-123-4567"}],
        "dialog": [
            {"type": "text", "parties": n % 2, "encoding": "none", "body": f"Turn {n} of {id_}. " * 40}
            for n in range(turns)
        ],
        "analysis": [{"type": "summary", "vendor": "v", "encoding": "none", "body": "They talk."}],
        "attachments": [
            {"purpose": "strolid_dealer", "body": {"id": 815, "name": "Iron Horse"}},
            {"purpose": "tags", "encoding": "json", "body": ["department:sales", "level:2"]},
        ],
    }


def _rows(turns: int, parties: int = 2) -> str:
    """What `_ROWS` says of such a conversation."""
    return f"{parties} {turns} 1 2 2 1 1 {turns}"


class Conversations:
    """Creates, appends to, replaces and deletes vCons."""

    def __init__(self, wire: Wire) -> None:
        self.ledger = Ledger()
        self._wire = wire
        self._subject = f"refund {uuid.uuid4()}"

    async def write(self) -> None:
        id_ = str(uuid.uuid4())
        vcon = _conversation(id_, self._subject, 5)
        with self.ledger.change(id_, _rows(5)):
            await called(self._wire, "create_vcon", vcon_data=vcon, validate_before_insert=False)
        turn = _conversation(id_, self._subject, 6)["dialog"][5]
        with self.ledger.change(id_, _rows(6)):
            await called(self._wire, "add_dialog", vcon_uuid=id_, dialog=turn)
        dialog = _conversation(id_, self._subject, 8)["dialog"]
        with self.ledger.change(id_, _rows(8)):
            await called(
                self._wire,
                "update_vcon",
                uuid=id_,
                updates={"dialog": dialog},
                merge_strategy="replace",
                validate_after_update=False,
            )
        await self._change_elements(id_)
        if self.ledger.writes % 3 == 0:
            with self.ledger.change(id_, ABSENT):
                await called(self._wire, "delete_vcon", uuid=id_, confirm=True)

    async def _change_elements(self, id_: str) -> None:
        """A party comes, a turn becomes another one and again what it was, and what came goes."""
        with self.ledger.change(id_, _rows(8, parties=3)):
            await called(self._wire, "add_party", vcon_uuid=id_, party={"name": "Cid"})
        last = _conversation(id_, self._subject, 8)["dialog"][7]
        for body, state in (("Something else.", _OTHER_TEXT), (last["body"], "")):
            with self.ledger.change(id_, _rows(8, parties=3) + state):
                await called(self._wire, "update_dialog", vcon_uuid=id_, index=7, dialog={"body": body})
        with self.ledger.change(id_, _rows(8)):
            await called(self._wire, "remove_party", vcon_uuid=id_, index=2)
        with self.ledger.change(id_, _rows(7)):
            await called(self._wire, "remove_dialog", vcon_uuid=id_, index=7)

    async def found(self, wire: Wire, owner: OwnerConnection) -> Mapping[str, str]:
        """As the tables have it; and as it is read: whole, turn by turn."""
        there = {row["key"]: row["state"] for row in await owner.fetch(_ROWS, self._subject)}
        for key, state in there.items():
            answer = await called(wire, "get_vcon", uuid=key)
            turns: list[JsonObject] = answer["vcon"]["dialog"]
            if turns != _conversation(key, self._subject, len(turns))["dialog"]:
                there[key] = state + _OTHER_TEXT
        return there


class Versions:
    """Takes consent back, holds and releases, and makes amended and redacted versions."""

    def __init__(self, wire: Wire) -> None:
        self.ledger = Ledger()
        self._wire = wire
        self._subject = f"refund {uuid.uuid4()}"

    async def write(self) -> None:
        id_ = str(uuid.uuid4())
        vcon = _conversation(id_, self._subject, 5)
        vcon["attachments"].append({"purpose": "consent", "party": 0, "consents": [_said("granted")]})
        with self.ledger.change(f"consent {id_}", "0 analysis infinity"):
            await called(self._wire, "create_vcon", vcon_data=vcon, validate_before_insert=False)
        revoked: JsonObject = {"consents": [_said("revoked")]}
        with self.ledger.change(f"consent {id_}", "0 analysis -infinity"):
            await called(self._wire, "update_attachment", vcon_uuid=id_, index=2, attachment=revoked)
        # under keys, so that what is sent again after a death is no second version
        with self.ledger.change(f"amended {id_}", "1 5 5 1"):
            await called(self._wire, "amend_vcon", vcon_uuid=id_, request_key=id_)
        with self.ledger.change(f"redacted {id_}", "1 5 5 1"):
            await called(self._wire, "redact_vcon", vcon_uuid=id_, words=["Turn"], request_key=id_)
        with self.ledger.change(f"held {id_}", "matter"):
            await called(self._wire, "hold_vcon", vcon_uuid=id_, reason="matter")
        if self.ledger.writes % 2:
            with self.ledger.change(f"held {id_}", ABSENT):
                await called(self._wire, "release_hold", vcon_uuid=id_)

    async def found(self, wire: Wire, owner: OwnerConnection) -> Mapping[str, str]:
        """Of versions how many there are, with their turns, turns with passages, and rows of consent."""
        rows = await owner.fetch(
            """
            with own as (select v.* from vcontract.vcon v where v.subject_folded = $1),
            version (key, id) as (
                select r.relation || ' ' || (v.head #>> array[r.relation, 'uuid']), v.uuid
                from own v cross join (values ('amended'), ('redacted')) r (relation)
                where v.head -> r.relation is not null
            )
            select 'consent ' || c.vcon as key, concat_ws(' ', c.party, c.purpose, c.until) as state
            from vcontract.consent c join own v on v.uuid = c.vcon
            where v.uuid not in (select id from version)
            union all
            select 'held ' || h.vcon, h.reason from vcontract.hold h join own v on v.uuid = h.vcon
            union all
            select n.key, concat_ws(' ', count(*),
                sum((select count(*) from vcontract.dialog d where d.vcon = n.id)),
                sum((select count(distinct p.element) from vcontract.passage p
                    where p.id = n.id and p.part = 'dialog')),
                sum((select count(*) from vcontract.consent c where c.vcon = n.id)))
            from version n group by n.key
            """,
            self._subject,
        )
        return {row["key"]: row["state"] for row in rows}


def _said(status: str) -> JsonObject:
    return {"purpose": "analysis", "status": status}


class Journal:
    """Captures, frames, enriches, weaves and releases."""

    def __init__(self, wire: Wire) -> None:
        self.ledger = Ledger()
        self._wire = wire
        self._name = str(uuid.uuid4())
        self._rounds = 0

    async def write(self) -> None:
        text = f"{self._name} had something happen, {uuid.uuid4()}."
        with self.ledger.change(f"source {text}", "1 0 0 1"):
            captured = await called(
                self._wire,
                "bridge_capture",
                content=text,
                experiencer="Mira",
                perspective="I",
                processing="during",
            )
        with self.ledger.change(f"moment {text}", "1 1 1 2"):
            framed = await called(
                self._wire,
                "bridge_frame",
                sourceIds=[captured["record"]["id"]],
                emoji="🌊",
                summary=text,
                shot="moment-of-recognition",
                qualities=[{"type": "emotional", "manifestation": "Still here."}],
            )
        moment: str = framed["record"]["id"]
        with self.ledger.change(f"moment {text}", "1 1 2 4"):
            two = [{"type": type_, "manifestation": "Still here."} for type_ in ("emotional", "spatial")]
            updates = {"narrative": "It went on.", "qualities": two}
            await called(self._wire, "bridge_enrich", id=moment, updates=updates)
        with self.ledger.change(f"scene {text}", "1 1 0 2"):
            await called(
                self._wire,
                "bridge_weave",
                momentIds=[moment],
                emoji="🌉",
                summary=text,
                narrative="It went on.",
                shot="crossing-threshold",
            )
        self._rounds += 1
        if self._rounds % 3 == 0:
            with self.ledger.change(f"moment {text}", ABSENT), self.ledger.change(f"scene {text}", ABSENT):
                await called(self._wire, "bridge_release", id=moment)

    async def found(self, wire: Wire, owner: OwnerConnection) -> Mapping[str, str]:
        """By type and text: how many records, and how many links, qualities and passages of them."""
        rows = await owner.fetch(
            """
            select concat_ws(' ', r.type, coalesce(r.content, r.summary)) as key, concat_ws(' ',
                count(distinct r.id),
                (select count(*) from vcontract.bridge_link l where l.holder = min(r.id)),
                (select count(*) from vcontract.bridge_quality q where q.moment_id = min(r.id)),
                (select count(*) from vcontract.passage p
                    where p.kind = 'bridge_' || r.type and p.id = any(array_agg(r.uid)))
            ) as state
            from vcontract.bridge_record r where starts_with(coalesce(r.content, r.summary), $1)
            group by r.type, coalesce(r.content, r.summary)
            """,
            self._name,
        )
        return {row["key"]: row["state"] for row in rows}


class Reflections:
    """Stores what was learned, corrects some of it, and takes stock."""

    def __init__(self, wire: Wire, project: Path) -> None:
        self.ledger = Ledger()
        self._wire = wire
        self._project = project
        self._name = str(uuid.uuid4())
        self._is_begun = False
        self._sessions: set[str] = set()
        self._asked = 0
        self._taken = 0

    async def write(self) -> None:
        if not self._is_begun:
            await called(self._wire, "session_init", working_directory=str(self._project))
            self._is_begun = True
        text = f"{self._name} learned that old tokens are refused, {uuid.uuid4()}."
        with self.ledger.change(text, "1 1 t"):
            stored = await called(self._wire, "session_store_reflection", content=text)
        if self.ledger.writes % 3 == 0:
            await self._correct(text, stored["reflection_id"])
        self._asked += 1
        checkpoint = await called(self._wire, "session_checkpoint")
        if checkpoint["checkpoint_id"] is None:  # the answer without a store: nothing was promised
            raise RejectedWrite(str(checkpoint), is_settled=False)
        self._taken += 1
        self._sessions.add(checkpoint["session_id"])
        self.ledger.acknowledge(f"checkpoint {checkpoint['checkpoint_id']}", "1")

    async def _correct(self, text: str, id_: str) -> None:
        """Give a reflection another text: either it or the old one is there, never both, never none."""
        corrected = f"{text} And so it is."
        self.ledger.pending.setdefault(text, set()).add(ABSENT)
        with self.ledger.change(corrected, "1 1 t"):
            await called(self._wire, "session_store_reflection", content=corrected, replaces=id_)
        self.ledger.acknowledge(text, ABSENT)

    async def found(self, wire: Wire, owner: OwnerConnection) -> Mapping[str, str]:
        rows = await owner.fetch(
            """
            select content as key, concat_ws(' ', count(*),
                (select count(*) from vcontract.passage p
                    where p.kind = 'reflection' and p.id = (array_agg(r.id))[1]),
                bool_and(exists (select from vcontract.passage p
                    where p.kind = 'reflection' and p.id = r.id and p.content = r.content))) as state
            from vcontract.reflection r where starts_with(content, $1) group by content
            """,
            self._name,
        )
        rows += await owner.fetch(
            """
            select 'checkpoint ' || id as key, count(*)::text as state from vcontract.session_checkpoint
            where session = any($1::uuid[]) group by id
            """,
            list(self._sessions),
        )
        there = {row["key"]: row["state"] for row in rows}
        strange = sorted(key for key in there if key.startswith("checkpoint ") and key not in self.ledger)
        for key in strange[: self._asked - self._taken]:  # one whose answer was lost may be there
            del there[key]
        return there


class Imports:
    """Imports files of vCons and transcripts that grow, by the command."""

    def __init__(self, data_dir: Path, folder: Path) -> None:
        self.ledger = Ledger()
        self._subject = f"refund {uuid.uuid4()}"
        self._process: asyncio.subprocess.Process | None = None
        self._data_dir = data_dir
        self._folder = folder

    async def write(self) -> None:
        ids = [str(uuid.uuid4()) for _ in range(20)]
        vcons = self._folder / f"{ids[0]}.jsonl"
        vcons.write_bytes(b"\n".join(dump_json(_conversation(id_, self._subject, 5)) for id_ in ids))
        await self._brought_in(vcons, {id_: _rows(5) for id_ in ids})
        session = str(uuid.uuid4())
        claude = ClaudeCode(session)
        transcript = self._folder / f"{session}.jsonl"
        lines: list[object] = []
        for exchanges in (2, 4):
            for _ in range(2):
                lines += [claude.prompt("What is refused?"), claude.answer("Old tokens are refused.")]
            transcript.write_text(as_lines(tuple(lines)), encoding="utf-8")
            await self._brought_in(transcript, {f"transcript {session}": f"{exchanges} {exchanges}"})

    async def stop(self) -> None:
        """Kill the command that runs."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def _brought_in(self, file: Path, things: Mapping[str, str]) -> None:
        for key, state in things.items():
            self.ledger.pending.setdefault(key, set()).add(state)
        self._process = await asyncio.create_subprocess_exec(
            *(COMMAND, "import", str(file)),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            env=environment(self._data_dir, {}),
        )
        if await self._process.wait() != 0:
            raise RejectedWrite(
                f"the import of {file.name} ended with {self._process.returncode}", is_settled=False
            )
        self.ledger.acknowledge_all(things)

    async def found(self, wire: Wire, owner: OwnerConnection) -> Mapping[str, str]:
        keys = self.ledger.acknowledged.keys() | self.ledger.pending.keys()
        sessions = [key.removeprefix("transcript ") for key in keys if key.startswith("transcript ")]
        rows = await owner.fetch(_ROWS, self._subject)
        rows += await owner.fetch(
            """
            select 'transcript ' || t.session as key, concat_ws(' ', count(*), count(distinct s.id)) as state
            from vcontract.transcript t
            join vcontract.transcript_exchange e using (tenant, vcon)
            left join vcontract.search_document s on s.tenant = e.tenant and s.id = e.id
            where t.session = any($1) group by t.session
            """,
            sessions,
        )
        return {row["key"]: row["state"] for row in rows}
