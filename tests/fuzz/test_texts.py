"""Bodies of any kind: nothing escapes from what reads them, what was not read is told, and they come back."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Ask
from tests.effort import relaxed
from tests.imports.transcripts.test_any_lines import check
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.content import classify_user_text
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.vcon.text import body_text, read_passages

ANY_TEXT = [
    "hello",
    "a@b.co",
    "+1 555 123 4567",
    "日本語",
    "e\u0301",
    "\u0301",
    "ﷺ",
    " ",
    "\n",
    "\t",
    "!",
    "$40",
    "\u200b",
]
HTML = [
    *(
        "<p>",
        "</p>",
        "<b",
        "<a href='",
        '<a b="',
        ">",
        "<",
        "</",
        "<!--",
        "-->",
        "--!>",
        "<!",
        "<![CDATA[",
        "]]>",
        "<?",
    ),
    *(
        "<script>",
        "</script>",
        "</SCRIPT x",
        "<style>",
        "<title>",
        "</title>",
        "&amp;",
        "&#",
        "&#x110000;",
        "&#0;",
    ),
    *("&#99999999999999999999;", "&#xD800;", "&notin", "=", "'", '"', "/>", "<td>", "<br/>", "<![if", "<é>"),
]
MAIL = [
    *(
        "Content-Type: ",
        "text/plain",
        "text/html",
        "multipart/mixed",
        "multipart/related",
        "message/rfc822",
        "; ",
    ),
    *(
        "boundary=b",
        'boundary="b"',
        "boundary*0=b",
        "charset=",
        "utf-8",
        "punycode",
        "idna",
        "utf-16",
        "base64",
        "\0",
    ),
    *(
        "\n",
        "\r\n",
        "\n\n",
        "--b",
        "--b--",
        "(",
        "((((",
        '"',
        "=?utf-8?q?=",
        "?=",
        ": ",
        "=41",
        "=",
        "begin 644 x\n",
    ),
    *(
        "Content-Transfer-Encoding: ",
        "quoted-printable",
        "x-uuencode",
        "Content-Disposition: attachment",
        "From x\n",
    ),
]
CAPTIONS = [
    *(
        "WEBVTT\n\n",
        "00:01.000 --> 00:02.000\n",
        "-->",
        "<v Ada>",
        "<v.loud Bo>",
        "<v",
        "</v>",
        "<00:01.500>",
        "\n\n",
    ),
    *("<c.a.b>", "NOTE x\n", "<", ">", "&lt;", "1\n", "\r\n"),
]
TRANSCRIPTS = [
    *(
        "<system-reminder>",
        "</system-reminder>",
        "<bash-stdout>",
        "</bash-stdout>",
        "<command-name>",
        "</command-name>",
    ),
    *(
        "<command-args>",
        "</command-args>",
        "<bash-input>",
        "</bash-input>",
        "<local-command-stdout a=b>",
        "/clear",
    ),
    *(
        "[Request interrupted by user]",
        "sk-",
        "sk-ant-",
        "ghp_",
        "AKIA",
        "https://a:b@c",
        "-----BEGIN PRIVATE KEY-----",
    ),
    *(
        "Bearer ",
        "basic ",
        "# AGENTS.md instructions",
        "</INSTRUCTIONS>",
        "*** Add File: ",
        "\udc80",
        "a1B2c3D4e5",
    ),
]
MEDIATYPES = {
    "text/html": HTML,
    "message/rfc822": MAIL,
    "multipart/mixed; boundary=b": MAIL,
    "text/vtt": CAPTIONS,
    "text/plain; charset=punycode": TRANSCRIPTS,
    "application/json": [
        *'[]{},:"',
        "null",
        "1e999",
        '"text"',
        '"speaker"',
        '"segments"',
        '"transcript"',
        "\\u0000",
    ],
}


def of(fragments: list[str]) -> st.SearchStrategy[str]:
    """Texts of these fragments and of any, some of them many times over."""
    piece = st.sampled_from([*fragments, *ANY_TEXT]) | st.text(max_size=4)
    pieces = st.tuples(piece, st.sampled_from([1, 1, 1, 1, 2, 50])).map(lambda drawn: drawn[0] * drawn[1])
    return st.lists(pieces, max_size=14).map("".join)


@st.composite
def elements(draw: st.DrawFn) -> JsonObject:
    """A dialog with a body of some mediatype."""
    mediatype = draw(st.sampled_from(sorted(MEDIATYPES)))
    return {"type": "text", "mediatype": mediatype, "body": draw(of(MEDIATYPES[mediatype]))}


@relaxed(150)
@given(element=elements())
def test_any_body_is_read_or_told(element: JsonObject) -> None:
    before = json.dumps(element)

    passages, notices = read_passages({"dialog": [element, {"body": "marmalade"}]})

    assert passages[-1].content == "marmalade"
    assert {(notice.code, notice.path) for notice in notices} <= {("text_not_read", "$.dialog[0]")}
    text = body_text(element)
    assert not (notices and text)
    assert bool(text.strip()) is (len(passages) > 1)
    assert json.dumps(element) == before


@relaxed(40)
@given(element=elements())
async def test_any_body_is_stored_and_comes_back(ask: Ask, element: JsonObject) -> None:
    vcon: JsonObject = {"parties": [{}], "dialog": [element]}

    outcome = await ask("create_vcon", vcon_data=vcon, validate_before_insert=False, return_vcon=True)

    unstorable = "\0" in element["body"] or _is_half(element["body"])
    assert outcome.is_error is unstorable
    if not unstorable:
        assert outcome.structured["vcon"]["dialog"] == [element]


@relaxed(150)
@given(text=of(TRANSCRIPTS))
def test_any_prompt_is_somebodys_words(text: str) -> None:
    assert len(classify_user_text(text).text) <= len(f"! {text}")
    redactor = Redactor()
    once = redactor.text(text)
    assert (once == text) is (redactor.total == 0)


@relaxed(60)
@given(texts=st.lists(of(TRANSCRIPTS), max_size=6))
def test_any_transcript_is_read(tmp_path: Path, texts: list[str]) -> None:
    lines: list[object] = [
        {"type": "user", "sessionId": "s", "uuid": str(number), "message": {"role": "user", "content": text}}
        for number, text in enumerate(texts)
    ]
    check(tmp_path / "any.jsonl", "claude-code", lines)


def _is_half(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


@pytest.mark.parametrize("mediatype", sorted(MEDIATYPES))
def test_every_fragment_many_times_over_is_read(mediatype: str) -> None:
    for fragment in [*MEDIATYPES[mediatype], *ANY_TEXT]:
        body_text({"mediatype": mediatype, "body": fragment * 2_000})
