"""A text that cannot be read stops nothing: what of it is not searched is said, and everything else is."""

from typing import Any

import pytest

from vcontract.runtime.frame.documents.json import JsonValue
from vcontract.runtime.vcon import text as reading
from vcontract.runtime.vcon.bodies import MAX_MARKUP
from vcontract.runtime.vcon.text import body_text, read_passages

NESTED_MAIL = "Content-Type: multipart/mixed; boundary=b\n" * 3_000


@pytest.mark.parametrize(
    ("mediatype", "body", "text"),
    [
        ("text/html", "<p>hello <![foo bar</p>", "hello"),
        ("text/html", "<p>hello <!foo", "hello"),
        ("text/html", "<p>hello <!-- never closed <p>x", "hello"),
        ("text/html", "<p>hello <a href='never closed <b>bold</b> text", "hello bold text"),
        ("text/html", "hello &#" + "9" * 9_999 + "; there", "hello \ufffd there"),
        ("text/html", "<p " + "a" * 100_000 + ">hello", "hello"),
        ("message/rfc822", f"Content-Type: text/plain {'(' * 4_000}\n\nhello", "hello"),
        ("message/rfc822", f"Content-Type: text/plain; charset={'x' * 9_999}\n\nhello", "hello"),
        ("message/rfc822", "Content-Type: text/plain; charset=punycode\n\nhello", "hello"),
        ("text/vtt", "00:01.000 --> 00:02.000\na < b <v Ada>hello", "a < b Ada: hello"),
    ],
)
def test_broken_markup_is_read_as_far_as_it_goes(mediatype: str, body: str, text: str) -> None:
    assert body_text({"body": body, "mediatype": mediatype}) == text


def test_a_part_whose_text_cannot_be_read_is_told_and_the_others_are_read() -> None:
    vcon = {
        "subject": "Refund",
        "dialog": [
            {"body": "Hello."},
            {"body": NESTED_MAIL, "mediatype": "message/rfc822"},
            {"body": "Goodbye."},
        ],
    }

    passages, notices = read_passages(vcon)

    assert [passage.content for passage in passages] == ["Refund", "Hello.", "Goodbye."]
    assert [(notice.code, notice.path) for notice in notices] == [("text_not_read", "$.dialog[1]")]
    assert "nest too deep" in notices[0].message


@pytest.mark.parametrize("fault", [AssertionError("x"), RecursionError(), MemoryError(), KeyError("x")])
def test_whatever_goes_wrong_in_one_part_stays_there(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_value: JsonValue, _parties: Any) -> str:
        raise fault

    monkeypatch.setattr(reading, "json_text", fail)
    vcon = {"dialog": [{"body": {"a": "b"}}, {"body": "Hello."}], "analysis": [{"body": ["c"]}]}

    passages, notices = read_passages(vcon)

    assert [passage.content for passage in passages] == ["Hello."]
    assert [notice.path for notice in notices] == ["$.dialog[0]", "$.analysis[0]"]
    assert body_text({"body": {"a": "b"}}) == ""


def test_markup_is_read_up_to_a_bound_and_what_is_behind_it_is_told() -> None:
    body = "<p>early</p>" + " " * MAX_MARKUP + "<p>late</p>"

    passages, notices = read_passages({"dialog": [{"body": body, "mediatype": "text/html"}]})

    assert [passage.content for passage in passages] == ["early"]
    assert [(notice.code, notice.path) for notice in notices] == [("text_cut", "$.dialog[0]")]
    assert "4,000,000" in notices[0].message
