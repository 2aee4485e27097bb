"""Text that would be code in SQL, in a pattern or in a query language is text here, wherever it stands."""

import pytest

from tests.conftest import Call
from vcontract.runtime.frame.documents.json import JsonObject

TEXTS = [
    "'; drop table vcontract.vcon; --",
    "' or '1'='1",
    "%') or true --",
    "\\'; select pg_sleep(10); --",
    "$$; select 1; $$",
    "a%b_c\\d",
    "\\",
    "%",
    "_",
    "(.*)+[a-z]{1,}",
    "it''s \"quoted\" `back`",
    "{}[]|&!<->:*",
    "%s %L %I %1$s {0}",
    "\u202edrow\u200b\ufeff",
    "💸 ‹日本› ß İ",
]


def conversation(text: str) -> JsonObject:
    return {
        "subject": f"x1 {text} x1",
        "created_at": "2025-06-01T00:00:00Z",
        "parties": [{"name": f"n {text} n", "mailto": f"m {text} m"}],
        "dialog": [{"type": "text", "parties": 0, "encoding": "none", "body": f"refund {text}"}],
        "attachments": [{"purpose": "strolid_dealer", "body": {"id": text, "name": f"d {text} d"}}],
        "tags": {"key": text},
    }


@pytest.mark.parametrize("mode", [{"mode": "metadata"}, {"mode": "keyword", "query": "refund"}], ids=str)
@pytest.mark.parametrize("text", TEXTS)
async def test_a_filter_is_literal_whatever_it_holds(call: Call, mode: JsonObject, text: str) -> None:
    ids: dict[str, str] = {}
    for stored in (text, "plain"):
        created = await call("create_vcon", vcon_data=conversation(stored), validate_before_insert=False)
        assert created["success"], created
        ids[stored] = created["uuid"]

    for filters in (
        {"subject": text},
        {"party_name": text},
        {"party_email": text},
        {"dealer_id": text.strip()},
        {"dealer_name": text},
        {"tags": {"key": text}},
    ):
        answer = await call("vcon_search", **mode, filters=filters)
        assert [item["id"] for item in answer["items"]] == [ids[text]], filters


@pytest.mark.parametrize("text", TEXTS)
async def test_a_query_is_words_whatever_it_holds(call: Call, text: str) -> None:
    created = await call("create_vcon", vcon_data=conversation(text), validate_before_insert=False)

    answer = await call("vcon_search", mode="keyword", query=f"refund OR {text}")
    phrase = await call("vcon_search", mode="keyword", query=f'"refund {text.replace(chr(34), " ")}"')

    for found in (answer, phrase):
        assert found["ok"], found
        assert [item["id"] for item in found["items"]] == [created["uuid"]]


@pytest.mark.parametrize("text", TEXTS)
async def test_a_tag_key_that_no_vcon_has_is_quoted_back_and_nothing_else_happens(
    call: Call, text: str
) -> None:
    await call("create_vcon", vcon_data=conversation("plain"), validate_before_insert=False)

    error = (await call("vcon_search", mode="metadata", filters={"tags": {text: "x"}}))["error"]

    if ":" in text:
        assert (error["code"], error["details"]["value"]) == ("INVALID_ARGUMENT", text)
    else:
        assert (error["code"], error["details"]["key"]) == ("AMBIGUOUS_QUERY", text)
        assert error["details"]["nearest"] == [{"key": "key", "count": 1}]


@pytest.mark.parametrize(
    "text", [*TEXTS, "../../etc/passwd", "\x00", "01939c3a-6f00-8abc-9def-0123456789ab'"]
)
async def test_an_id_that_is_none_is_refused(call: Call, text: str) -> None:
    for tool, name in (("vcon_fetch", "id"), ("vcon_fetch", "uuid"), ("get_vcon", "uuid")):
        answer = await call(tool, **{name: text})
        code = answer["error_code"] if "error_code" in answer else answer["error"]["code"]
        assert code in ("INVALID_ARGUMENT", "VALIDATION_ERROR")
