"""That the watch over every call of the run sees what is broken, and who broke it."""

import json

import pytest

from tests.conftest import ALL_SCOPES
from tests.published import broken_promises_of_text
from tests.watch import Watch
from vcontract.runtime.frame.calls.call import RequestScope
from vcontract.runtime.frame.calls.dispatch import Dispatcher
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.contract.catalogue import Catalogue, Selection
from vcontract.runtime.frame.contract.package import load_package
from vcontract.runtime.frame.documents.json import JsonObject, dump_json

FOUND: JsonObject = {
    "ok": True,
    "item": {
        "id": "01939c3a-6f00-8abc-9def-0123456789ab",
        "uuid": "01939c3a-6f00-8abc-9def-0123456789ab",
        "created_at": "2025-10-14T10:30:00Z",
        "updated_at": "2025-10-14T10:30:00Z",
    },
}
MISSING: JsonObject = {"ok": False, "error": {"code": "NOT_FOUND", "message": "none", "details": {}}}


def broken(answer: JsonObject, text: str | None = None, *, is_error: bool = False) -> str:
    return "; ".join(
        broken_promises_of_text("vcon_fetch", answer, text or json.dumps(answer), is_error=is_error)
    )


def sized(answer: JsonObject, difference: int = 0) -> str:
    """The text of an answer, into which its own size is written, or another one."""
    answer["meta"] = {"include": ["core"], "max_response_bytes": 1024, "response_bytes": 100}
    answer["meta"]["response_bytes"] = len(dump_json(answer)) + difference
    return dump_json(answer).decode()


def test_whole_answers_break_nothing() -> None:
    found = dict(FOUND)

    assert broken(found, sized(found)) == ""
    assert broken(MISSING, is_error=True) == ""


@pytest.mark.parametrize(
    ("answer", "is_error", "fault"),
    [
        ({"ok": True}, False, "is not valid under any"),
        (MISSING, False, "isError is False"),
        ({**MISSING, "error": {"code": "CONFLICT", "message": "x"}}, True, "CONFLICT is not among"),
    ],
)
def test_a_broken_answer_is_seen(answer: JsonObject, is_error: bool, fault: str) -> None:
    assert fault in broken(answer, is_error=is_error)


def test_a_text_or_a_size_that_is_not_the_answers_is_seen() -> None:
    found = dict(FOUND)

    assert "response_bytes" in broken(found, sized(found, 1))
    assert "the text is not the answer's" in broken(MISSING, "{}", is_error=True)


class Failing:
    """Handlers that have an error of ours."""

    class contract:  # noqa: N801 - the name of the toolset
        class fetch:  # noqa: N801 - the name of the group
            @staticmethod
            async def vcon_fetch(_params: object, _ctx: object) -> JsonObject:
                kept: JsonObject = {}
                return {"item": kept["item"]}


async def test_a_handler_that_fails_fails_the_test_with_its_own_exception(watch: Watch) -> None:
    catalogue = Catalogue(load_package(), Selection())
    dispatcher = Dispatcher(RequestScope(catalogue, lambda _: None), Failing())

    outcome = await dispatcher.call("vcon_fetch", {"id": FOUND["item"]["id"]}, Caller("t", ALL_SCOPES))

    assert outcome.is_error
    with pytest.raises(KeyError, match="item") as raised:
        watch.report()
    assert raised.traceback[-1].name == "vcon_fetch"
    watch.report()
