"""The time for a text grows with its length, whatever is in it: nothing that is sent holds a reader up."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from tests.growth import grows_with_its_size
from tests.sweep import sweep
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.imports.transcripts.content import classify_user_text, without_bulk
from vcontract.runtime.imports.transcripts.edits import changes_of
from vcontract.runtime.imports.transcripts.model import Exchange, LinePosition, Message, ToolCall, ToolResult
from vcontract.runtime.imports.transcripts.prompt_queue import typed_text
from vcontract.runtime.imports.transcripts.redaction import Redactor
from vcontract.runtime.imports.transcripts.summaries import summary_line
from vcontract.runtime.store.vcons.preparation import PrepareContext, prepare
from vcontract.runtime.text.excerpts import densest
from vcontract.runtime.text.identifiers import identifier_kind
from vcontract.runtime.text.query import UnsearchableQuery, parse_query
from vcontract.runtime.text.query_language import QuerySyntaxError
from vcontract.runtime.text.snippets import snippet
from vcontract.runtime.text.words import fold, indexed_words, phone_words, symbol_words, words
from vcontract.runtime.vcon.bodies import decode_base64url
from vcontract.runtime.vcon.chunks import chunks_of
from vcontract.runtime.vcon.json_text import is_wording
from vcontract.runtime.vcon.text import body_text
from vcontract.runtime.vcon.times import read_time
from vcontract.runtime.vcon.traces import tool_subject

NOW = datetime(2026, 1, 2, tzinfo=UTC)
MARKUP = [
    *(
        "<",
        "</",
        "<!",
        "<!--",
        "<!-->",
        "<![",
        "<?",
        "<a",
        "<a ",
        "<a b='",
        '<a b="',
        "<a b='>",
        "<a b==",
        "<v ",
    ),
    *(
        "<v.",
        "<script>",
        "<script",
        "</script",
        "<title>",
        "<p>x</p>",
        "<td>",
        "&",
        "&#1",
        "&#",
        "&amp",
        "-->",
        "=",
    ),
    *("< ", "<a/", "<a\n", " \n", "\n\n", "a b='", "<a <b ", "</a "),
]
WORDS = [
    *(
        "!",
        "!x",
        "!!x ",
        "x!",
        "'",
        "x'",
        "_",
        "a b ",
        "$1 ",
        "+1 ",
        "1",
        "1 ",
        "(1)",
        "1-",
        "-",
        "é\u0301",
        "日",
        "ｶﾞ",
    ),
    *(
        "\u0301",
        "ก่",
        "a\u0301",
        "।क",
        "@",
        "a@b.",
        "a.b",
        "\u200b",
        "ﷺ",
        "\n",
        " \n",
        "x" * 999 + " ",
        "#",
        "''x",
    ),
]
NOTICES = [
    *("<system-reminder>\n", "<system-reminder", "<system-reminder>", "<system-reminder></system-reminder>"),
    *("<command-name> ", "<command-name></command-name>", "<command-args> ", "<bash-input> ", "[Request "),
    *(
        "\n<bash-stdout>",
        "<bash-stdout></bash-stdout>x\n",
        " <bash-stdout>\n</bash-stdout>",
        "\n ",
        "# AGENTS.md ",
    ),
    "<system-reminder></system-reminder><bash-stdout>\n",
]
SECRETS = [
    *(
        "sk-",
        "sk-a",
        "sk-ant-",
        "ghp_",
        "github_pat_",
        "hf_",
        "SG.",
        "SG.a",
        "AKIA",
        "://",
        "://a:",
        "xoxb-",
        "bearer ",
    ),
    *(
        "bearer a",
        "basic ",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN A",
        "glpat-",
        "sk_live_",
        "eyJ",
        "eyJa.",
        "-eyJ",
    ),
    *("token ", "token=", "password\\", "--password ", "x-api-key:", "cookie: a=b;", "curl -u a:", "?sig="),
]
QUERIES = [
    '"',
    '"a',
    '"a ',
    "“",
    "“a",
    "a ",
    "-",
    "-a ",
    "a OR ",
    "@",
    "a@",
    "a@.",
    "+1 ",
    "(",
    "()",
    "1 ",
    "tel:",
    "日",
]
LINES = [
    "*** Add File: a",
    "*** Add File: ",
    "*** Add File:  \n",
    " ",
    "a. ",
    "data:",
    "data:a;base64,",
    "A1b2",
    "b" * 999,
]


def as_element(mediatype: str) -> Callable[[str], object]:
    return lambda text: body_text({"body": text, "mediatype": mediatype})


def in_html(text: str) -> object:
    return body_text({"body": f"<title>{text}", "mediatype": "text/html"})


def in_cue(text: str) -> object:
    return body_text({"body": f"WEBVTT\n\n00:01.000 --> 00:02.000\n{text}", "mediatype": "text/vtt"})


def in_header(text: str) -> object:
    return body_text({"body": f"Content-Type: text/plain {text}\n\nHello", "mediatype": "message/rfc822"})


def in_parts(text: str) -> object:
    return body_text({"body": f"--b\n\n{text}", "mediatype": "multipart/mixed; boundary=b"})


def parsed(text: str) -> None:
    with suppress(UnsearchableQuery, QuerySyntaxError):
        parse_query(text)


def literally_parsed(text: str) -> None:
    with suppress(UnsearchableQuery, QuerySyntaxError):
        parse_query(text, any_word=True, literal=True)


def shown(text: str) -> object:
    return snippet(text, parse_query('a "x y" $1 日').terms)


def looked_for(text: str) -> object:
    return densest(text, parse_query('a "$1" x', literal=True).terms, 300)


def patched(text: str) -> object:
    place = LinePosition(1, NOW)
    return changes_of(
        [ToolCall(place, "1", "apply_patch", text, ToolResult(place, "1", "", "", is_error=False))]
    )


def summarised(text: str) -> str:
    place = LinePosition(1, NOW)
    said = [Message(place, "user", text, 1), Message(place, "agent", text, 1)]
    return summary_line((), [Exchange(1, 1, 1, NOW, NOW, entries=[*said])])


def redacted(text: str) -> object:
    return Redactor().text(text)


def sung(text: str) -> object:
    return [list(words(text)), list(symbol_words(text)), list(phone_words(text)), fold(text)]


MAIL = [
    "(",
    "a=",
    ";a=b",
    '"',
    '";',
    ";",
    "\n",
    "a: b\n",
    "--b\n",
    "--b\n\nx\n",
    "=?utf-8?q?a?= ",
    "<",
    "=\n",
    "\r\n",
]
BOUNDARIES = ["--b\nContent-Type: multipart/mixed; boundary=b\n\n", "--b\nContent-Type: message/rfc822\n\n"]
READERS: list[tuple[Callable[[str], object], list[str]]] = [
    (as_element("text/html"), MARKUP),
    (in_html, MARKUP),
    (in_cue, MARKUP),
    (as_element("text/vtt"), ["\n", "\n ", "-->\n", "\n-->\n"]),
    (in_header, MAIL),
    (in_parts, [*MAIL, *BOUNDARIES]),
    (indexed_words, WORDS),
    (sung, WORDS),
    (chunks_of, WORDS),
    (shown, ["a ", "x y ", "$1 ", "日", "a"]),
    (looked_for, ["a ", "$1", "x "]),
    (is_wording, [*WORDS, *SECRETS, "a+", "sha", "urn:uuid:", "0", "aB1", "http", ":"]),
    (read_time, ["1", "2025-10-14T", "0" * 9]),
    (decode_base64url, ["A", "=", " ", "A="]),
    (parsed, QUERIES),
    (literally_parsed, QUERIES),
    (identifier_kind, QUERIES),
    (classify_user_text, [*NOTICES, *MARKUP]),
    (
        typed_text,
        ["<user_instructions>", "<user_instructions></user_instructions>", "# AGENTS.md instructions", " "],
    ),
    (redacted, SECRETS),
    (patched, LINES),
    (without_bulk, LINES),
    (summarised, LINES),
    (lambda text: tool_subject("Bash", text), LINES),
]


def turns(count: int) -> JsonObject:
    return {
        "dialog": [
            {"type": "text", "body": {"words": [{"word": "hi", "speaker": 0}] * count, "transcript": ""}}
        ]
    }


def parties(count: int) -> JsonObject:
    return {"parties": [{"name": f"Ada {number}"} for number in range(count)]}


def unknown_members(count: int) -> JsonObject:
    return {"parties": [{f"member{number}": 1 for number in range(count)}]}


def wrong_elements(count: int) -> JsonObject:
    return {"dialog": [{"type": 1, "parties": [number + 9]} for number in range(count)]}


def tags(count: int) -> JsonObject:
    body = [f"key{number}:value" for number in range(count)]
    return {"attachments": [{"purpose": "tags", "encoding": "json", "body": body}]}


def entries(count: int) -> JsonObject:
    calls = [
        {
            "type": "tool-call",
            "call-id": str(number),
            "name": "Bash",
            "input": {"command": "ls"},
            "exchange": number,
        }
        for number in range(count)
    ]
    return {"analysis": [{"type": "agent_trace", "vendor": "v", "body": {"session": {"entries": calls}}}]}


def escaped(count: int) -> JsonObject:
    return {
        "analysis": [
            {"type": "transcript", "vendor": "v", "encoding": "json", "body": json.dumps(["a b"] * count)}
        ]
    }


DOCUMENTS = [turns, parties, unknown_members, wrong_elements, tags, entries, escaped]


CASES = [(reader, unit) for reader, units in READERS for unit in units]


@sweep(("reader", "unit"), CASES)
def test_reading_twice_the_text_takes_no_more_than_thrice_the_time(
    reader: Callable[[str], object], unit: str
) -> None:
    def read(size: int) -> Callable[[], object]:
        text = unit * (size // len(unit))
        return lambda: reader(text)

    assert grows_with_its_size(read)


@sweep("make", DOCUMENTS)
def test_preparing_twice_the_vcon_takes_no_more_than_thrice_the_time(
    make: Callable[[int], JsonObject],
) -> None:
    prepare_context = PrepareContext.load()

    def read(size: int) -> Callable[[], object]:
        vcon = {"uuid": "01939c3a-6f00-8abc-9def-0123456789ab", **make(size // 16)}
        return lambda: prepare(vcon, prepare_context, now=NOW)

    assert grows_with_its_size(read)
