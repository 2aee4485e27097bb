"""The preparer: a large vCon is prepared in a thread, as a small one is, and holds nobody up."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from tests.conftest import Ask
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.store.vcons.preparation import PrepareContext, VconRefused, prepare
from vcontract.runtime.store.vcons.preparer import LARGE, Preparer, is_large
from vcontract.runtime.store.vcons.row_reuse import AddedElements, ReadBefore
from vcontract.runtime.text.tsvector import decode_strengths

NOW = datetime(2026, 1, 2, tzinfo=UTC)
MANY = "Ask for marmalade on Monday. " * (LARGE // 20)
SLOW = "<" * 4_000_000
"""Some seconds of work, as HTML."""


def large(**members: object) -> JsonObject:
    return {
        "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
        "subject": "Breakfast",
        "parties": [{"name": "Ada", "telephone": "x"}],
        "dialog": [{"type": "text", "mimetype": "text/plain", "body": MANY}],
        **members,
    }


@pytest.fixture(scope="module")
def prepare_context() -> PrepareContext:
    return PrepareContext.load()


@pytest.fixture
def preparer(prepare_context: PrepareContext) -> Preparer:
    return Preparer(prepare_context)


@pytest.mark.parametrize("document", [large(), large(created_at=None), {**large(), "uuid": None}])
async def test_a_large_vcon_is_prepared_as_a_small_one_is(
    document: JsonObject, preparer: Preparer, prepare_context: PrepareContext
) -> None:
    here = prepare(
        document, prepare_context, now=NOW, fill_created_at=True, metadata={"a": 1}, tags={"b": "c"}
    )

    there = await preparer.prepare(
        document, now=NOW, fill_created_at=True, metadata={"a": 1}, tags={"b": "c"}
    )

    same = here.uuid == there.uuid or document["uuid"] is None
    assert same
    assert [*there.document] == [*here.document]
    assert {**there.document, "uuid": None} == {**here.document, "uuid": None}
    assert (there.passages, there.words, there.spellings) == (here.passages, here.words, here.spellings)
    assert (there.conformance, there.renames, there.notices) == (here.conformance, here.renames, here.notices)
    assert (there.metadata, there.tags, there.content_digest) == (
        here.metadata,
        here.tags,
        here.content_digest,
    )


async def test_of_a_large_vcon_that_grew_only_what_was_added_is_checked(
    preparer: Preparer, prepare_context: PrepareContext
) -> None:
    before = large(vcon="0.4.0", created_at="2026-01-01T00:00:00Z", parties=[{"name": 1}])
    turn = {
        "type": "text",
        "start": "2026-01-01T00:00:00Z",
        "parties": [0],
        "mediatype": "text/plain",
        "body": "Bread.",
        "encoding": "none",
    }
    document = {**before, "dialog": [*before["dialog"], turn]}
    added = AddedElements(
        {"parties": 1, "dialog": 1}, {**document, "parties": [], "dialog": document["dialog"][1:]}
    )
    here = prepare(document, prepare_context, now=NOW, added=added)

    there = await preparer.prepare(document, now=NOW, added=added)

    assert there.conformance == here.conformance
    assert there.conformance != prepare(document, prepare_context, now=NOW).conformance


@pytest.mark.parametrize(
    ("body", "read"),
    [("The spokes are new.", [300]), ("Das ist nicht die Rechnung, und wir warten.", [*range(301)])],
    ids=["english", "german"],
)
async def test_of_a_long_english_vcon_that_got_a_turn_only_that_is_read(
    preparer: Preparer, prepare_context: PrepareContext, body: str, read: list[int]
) -> None:
    def turn(body: str) -> JsonObject:
        at = "2026-01-01T00:00:00Z"
        return {
            "type": "text",
            "start": at,
            "parties": [0],
            "mediatype": "text/plain",
            "body": body,
            "encoding": "none",
        }

    head = {"vcon": "0.4.0", "created_at": "2026-01-01T00:00:00Z", "parties": [{"name": "Ada"}]}
    before = {**head, "uuid": str(uuid4()), "dialog": [turn("The bicycle is ready for you.")] * 300}
    document = {**before, "dialog": [*before["dialog"], turn(body)]}
    added = AddedElements({"parties": 1, "dialog": 300}, {**document, "parties": [], "dialog": [turn(body)]})
    known = ReadBefore(300, prepare(before, prepare_context, now=NOW).words, (), is_numbered=True)

    prepared = await preparer.prepare(document, now=NOW, added=added, read_before=known)

    whole = prepare(document, prepare_context, now=NOW)
    assert [row.element for row in prepared.passages if row.part == "dialog"] == read
    assert decode_strengths(prepared.words) == decode_strengths(whole.words)
    assert (prepared.first_at, prepared.last_at) == (whole.first_at, whole.last_at)
    assert prepared.is_numbered


async def test_a_refusal_tells_everything(preparer: Preparer, prepare_context: PrepareContext) -> None:
    document = large(analysis="none", attachments=[1])
    with pytest.raises(VconRefused) as here:
        prepare(document, prepare_context, now=NOW)

    with pytest.raises(VconRefused) as there:
        await preparer.prepare(document, now=NOW)

    assert there.value.violations == here.value.violations


async def test_a_large_write_leaves_the_other_calls_answering(ask: Ask) -> None:
    dialog = [{"type": "text", "body": SLOW, "mediatype": "text/html"}, {"type": "text", "body": MANY}]
    vcon: JsonObject = {"parties": [{}], "dialog": dialog}
    creating = asyncio.ensure_future(ask("create_vcon", vcon_data=vcon, validate_before_insert=False))
    answered = 0

    while not creating.done():
        assert not (await ask("vcon_search", mode="metadata", filters={"subject": "refund"})).is_error
        answered += 1

    assert not creating.result().is_error
    # a call that holds the others up lets one or two through while the database works
    assert answered > 20


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a" * 11, True),
        ("a" * 10, False),
        ([0] * 11, True),
        ([[0, 0], {"ab": "cd"}], False),
        ({"a": ["b" * 11]}, True),
        ({"a" * 11: 0}, True),
        (None, False),
    ],
)
def test_what_is_large_is_told_by_its_characters_and_values(value: object, expected: bool) -> None:
    assert is_large(value, most=10) is expected
