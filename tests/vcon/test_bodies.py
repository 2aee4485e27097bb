"""Bodies of every encoding and mediatype become plain text."""

import base64
from typing import Any

import pytest

from vcontract.runtime.vcon.bodies import (
    JsonBody,
    TextBody,
    decode_base64url,
    json_of_body,
    read_body,
)
from vcontract.runtime.vcon.text import body_text

HTML = """<html><head><title>Mail</title><style>p {color: red}</style><script>var a = "<b>";</script></head>
<body><h1>Hello</h1><p>Your  order <b>A&amp;B</b>&nbsp;is<br>late.</p><ul><li>One</li><li>Two</li></ul>
<table><tr><td>a</td><td>b</td></tr></table><!-- hidden --></body></html>"""
HTML_TEXT = "Hello\nYour order A&B is\nlate.\nOne\nTwo\na b"

MULTIPART = """--XX\r
Content-Type: text/plain; charset=utf-8\r
Content-Transfer-Encoding: quoted-printable\r
\r
Gr=C3=BC=C3=9Fe from the\r
text part.\r
--XX\r
Content-Type: text/html\r
\r
<p>The HTML part.</p>\r
--XX--\r
"""
HTML_ONLY = "--XX\r\nContent-Type: text/html\r\n\r\n<p>Only <i>HTML</i>.</p>\r\n--XX--\r\n"
MESSAGE = f"From: a@b.co\r\nSubject: x\r\nContent-Type: multipart/alternative; boundary=XX\r\n\r\n{MULTIPART}"
STRANGE_CHARSET = "--XX\r\nContent-Type: text/plain; charset=klingon\r\n\r\nnuqneH\r\n--XX--\r\n"
VTT = """WEBVTT

NOTE a comment

1
00:00:00.000 --> 00:00:02.000 align:left
<v Ada>Hello there.

00:00:02.000 --> 00:00:04.000
<v.loud Bo>Hi,</v> <i>Ada</i>.
"""


def base64url(text: str, charset: str = "utf-8") -> str:
    return base64.urlsafe_b64encode(text.encode(charset)).decode().rstrip("=")


CASES: dict[str, tuple[Any, str]] = {
    "text": ({"body": "Hello.", "encoding": "none", "mediatype": "text/plain"}, "Hello."),
    "no encoding": ({"body": "Hello.\n\nHi."}, "Hello.\n\nHi."),
    "a number as text": ({"body": "42", "encoding": "none"}, "42"),
    "brackets that are no json": ({"body": "[laughs] Right."}, "[laughs] Right."),
    "json in plain text": ({"body": '["a"]', "mediatype": "text/plain"}, '["a"]'),
    "markdown": ({"body": "# A *b*", "mediatype": "text/markdown"}, "# A *b*"),
    "string in json": ({"body": '"Hello."', "encoding": "json"}, "Hello."),
    "no json after all": ({"body": "Hello.", "encoding": "json"}, "Hello."),
    "number in json": ({"body": "42", "encoding": "json"}, "42"),
    "none": ({}, ""),
    "null": ({"body": None}, ""),
    "empty": ({"body": ""}, ""),
    "address only": ({"url": "https://example.com/a"}, ""),
    "html": ({"body": HTML, "mediatype": "text/html; charset=utf-8"}, HTML_TEXT),
    "html in capitals": ({"body": "<P>A</P><P>B</P>", "mediatype": "Text/HTML"}, "A\nB"),
    "html unclosed": ({"body": "<p>A <b>bold", "mediatype": "text/html"}, "A bold"),
    "multipart": (
        {"body": MULTIPART, "mediatype": 'multipart/alternative; boundary="XX"'},
        "Grüße from the\ntext part.",
    ),
    "multipart with html only": (
        {"body": HTML_ONLY, "mediatype": "multipart/mixed; boundary=XX"},
        "Only HTML.",
    ),
    "multipart that is none": ({"body": "Just text.", "mediatype": "multipart/mixed"}, "Just text."),
    "multipart of an unknown charset": (
        {"body": STRANGE_CHARSET, "mediatype": "multipart/mixed; boundary=XX"},
        "nuqneH",
    ),
    "message": ({"body": MESSAGE, "mediatype": "message/rfc822"}, "Grüße from the\ntext part."),
    "captions": ({"body": VTT, "mediatype": "text/vtt"}, "Ada: Hello there.\nBo: Hi, Ada."),
    "base64url text": (
        {"body": base64url("Grüße"), "encoding": "base64url", "mediatype": "text/plain"},
        "Grüße",
    ),
    "base64url with padding": (
        {"body": "SGVsbG8=", "encoding": "base64url", "mediatype": "text/plain"},
        "Hello",
    ),
    "base64url in another charset": (
        {
            "body": base64url("Grüße", "latin-1"),
            "encoding": "base64url",
            "mediatype": "text/plain; charset=latin-1",
        },
        "Grüße",
    ),
    "base64url in an unknown charset": (
        {"body": base64url("Hello"), "encoding": "base64url", "mediatype": "text/plain; charset=klingon"},
        "Hello",
    ),
    "base64url html": (
        {"body": base64url("<p>Hello"), "encoding": "base64url", "mediatype": "text/html"},
        "Hello",
    ),
    "base64url json": (
        {"body": base64url('{"a": "Hello"}'), "encoding": "base64url", "mediatype": "application/json"},
        "Hello",
    ),
    "base64url of no text": (
        {"body": base64url("%PDF"), "encoding": "base64url", "mediatype": "application/pdf"},
        "",
    ),
    "base64url of nobody knows what": ({"body": base64url("Hello"), "encoding": "base64url"}, ""),
    "broken base64url": ({"body": "a*b", "encoding": "base64url", "mediatype": "text/plain"}, ""),
    "nul in decoded text": (
        {"body": base64url("a\0b"), "encoding": "base64url", "mediatype": "text/plain"},
        "a b",
    ),
    "nul in json text": ({"body": '{"a": "x\\u0000y"}', "encoding": "json"}, "x y"),
}


@pytest.mark.parametrize("name", CASES)
def test_body_becomes_this_text(name: str) -> None:
    element, text = CASES[name]

    assert body_text(element) == text


def test_text_and_json_are_told_apart() -> None:
    assert read_body({"body": "a"}) == TextBody("a")
    assert read_body({"body": {"a": 1}}) == JsonBody({"a": 1})
    assert read_body({"body": "[1]", "encoding": "json"}) == JsonBody([1])
    assert read_body({"body": 0, "encoding": "json"}) == JsonBody(0)


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ({"body": {"a": 1}}, {"a": 1}),
        ({"body": '{"a": 1}', "mediatype": "text/plain"}, {"a": 1}),
        ({"body": base64url('{"a": 1}'), "encoding": "base64url"}, {"a": 1}),
        ({"body": "***", "encoding": "base64url"}, None),
        ({"body": "{broken"}, None),
        ({}, None),
    ],
)
def test_json_of_a_body_is_read_in_any_form(element: Any, value: Any) -> None:
    assert json_of_body(element) == value


@pytest.mark.parametrize("text", ["+/+/", "-_-_", "-_-_==", "-_ \n-_"])
def test_both_alphabets_padding_and_white_space_are_decoded(text: str) -> None:
    assert decode_base64url(text) == bytes.fromhex("fbffbf")


@pytest.mark.parametrize("text", ["a", "a*bc", "====", "ab=c", "ü"])
def test_other_characters_and_impossible_lengths_are_not_decoded(text: str) -> None:
    assert decode_base64url(text) is None
