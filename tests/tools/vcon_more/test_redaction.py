"""Redaction: what is sensitive is nowhere in the new version, and nowhere once the original is gone."""

import base64
import json
import logging
import resource
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Call
from tests.effort import examples
from tests.tools.vcon_more.conftest import Create
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.store.postgres.schema_status import OwnerConnection
from vcontract.runtime.text.redaction import redact
from vcontract.runtime.text.sensitive_text import RedactionRequest, Sensitive

CARD = "4111 1111 1111 1111"
START = "2025-01-01T00:00:00Z"
TEXT: JsonObject = {
    "type": "text",
    "start": START,
    "parties": 0,
    "mediatype": "text/plain",
    "encoding": "none",
}


def in_base64(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


CALL: JsonObject = {
    "subject": "Zelda Quimby's refund",
    "created_at": START,
    "parties": [{"name": "Zelda Quimby", "tel": "+1-555-987-6543", "role": "agent"}, {"name": "Agent Bo"}],
    "dialog": [
        {**TEXT, "body": f"It is {CARD}, says Zelda, of 12 Harbour Road."},
        {**TEXT, "mediatype": "text/html", "body": "Z<b>elda</b> 4111-<i>1111</i>-1111-1111"},
        {**TEXT, "encoding": "base64url", "body": in_base64("ZELDA QUIMBY 555 987 6543")},
        {
            **TEXT,
            "type": "recording",
            "mediatype": "audio/wav",
            "encoding": "base64url",
            "body": in_base64(b"\xff" * 9),
        },
        {
            "type": "recording",
            "start": START,
            "parties": 0,
            "mediatype": "audio/wav",
            "url": "https://x.example/a.wav",
        },
    ],
    "analysis": [
        {
            "type": "transcript",
            "vendor": "ear",
            "dialog": 0,
            "encoding": "json",
            "body": {
                "zelda": 4111111111111111,
                "words": [{"word": word, "at": "0.1"} for word in f"card {CARD} thanks".split()],
            },
        },
        {
            "type": "summary",
            "vendor": "v",
            "encoding": "json",
            "body": '{"who": "Zel\\u0064a", "at": 1700000000000}',
        },
    ],
    "attachments": [{"purpose": "tags", "encoding": "json", "body": ["caller:Quimby", "city:Oslo"]}],
}


def texts(value: JsonValue) -> str:
    """Everything that a document says, a body in base64 as the text that it is."""
    if is_object(value):
        return "\n".join(f"{name}\n{texts(member)}" for name, member in value.items())
    if is_array(value):
        return " ".join(texts(each) for each in value)
    if isinstance(value, str) and len(value) > 8 and value.replace("-", "").replace("_", "").isalnum():
        try:
            return f"{value}\n{base64.urlsafe_b64decode(value + '=' * (-len(value) % 4)).decode()}"
        except ValueError:
            return value
    return str(value)


def bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


async def test_a_version_without_what_is_sensitive_is_made_beside_the_original(
    call: Call, create: Create
) -> None:
    uuid = await create(**CALL)
    rules = ["cards", "names", "numbers", "addresses"]

    counted = await call("redact_vcon", vcon_uuid=uuid, rules=rules, dry_run=True)
    made = await call("redact_vcon", vcon_uuid=uuid, rules=rules)

    vcon = (await call("get_vcon", uuid=made["uuid"]))["vcon"]
    reported = bare(texts(vcon)) + bare(json.dumps(made) + json.dumps(counted))
    assert [
        word for word in ("zelda", "quimby", "4111", "1111", "9876543", "harbour") if word in reported
    ] == []
    assert vcon["redacted"] == {"uuid": uuid, "type": "addresses,cards,media,names,numbers"}
    assert "uuid" not in counted
    assert counted["counts"] == made["counts"]
    before = (await call("get_vcon", uuid=uuid))["vcon"]
    differing = {
        f"$.{array}[{index}]"
        for array in ("parties", "dialog", "analysis", "attachments")
        for index, (old, new) in enumerate(zip(before[array], vcon[array], strict=True))
        if old != new
    }
    assert set(made["changed"]) - {"$.subject"} == differing
    assert counted["changed"] == made["changed"]
    assert made["counts"].keys() == {"card", "name", "number", "address"}
    assert made["removed"] == ["$.dialog[3]", "$.dialog[4]"]
    assert vcon["dialog"][3] == {"type": "recording"}
    assert [len(vcon[array]) for array in ("parties", "dialog", "analysis")] == [2, 5, 2]
    assert vcon["parties"][0]["role"] == "agent"
    assert json.loads(vcon["analysis"][1]["body"])["at"] == 1700000000000
    # the original is as it was, and only it is found by what was redacted
    assert (await call("get_vcon", uuid=uuid))["vcon"]["subject"] == CALL["subject"]
    found = await call("vcon_search", query="Quimby", mode="keyword")
    recalled = await call("vcon_recall", query="Quimby")
    assert [item["id"] for item in found["items"]] == [item["id"] for item in recalled["items"]] == [uuid]


async def test_words_of_a_span_go_wherever_they_stand(call: Call, create: Create) -> None:
    said = [
        {**TEXT, "body": body}
        for body in ("The plan is Blue Falcon.", "blue-falcon? Which", "BLUE", "falcon flies")
    ]
    uuid = await create(dialog=said)

    made = await call(
        "redact_vcon", vcon_uuid=uuid, spans=[{"path": "$.dialog[0].body", "start": 12, "end": 23}]
    )

    vcon = (await call("get_vcon", uuid=made["uuid"]))["vcon"]
    assert [dialog["body"] for dialog in vcon["dialog"]] == [
        "The plan is [redacted: word].",
        "[redacted: word]? Which",
        "[redacted: word]",
        "[redacted: word] flies",
    ]


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({}, "rules"),
        ({"patterns": ["x*"]}, "patterns"),
        ({"patterns": ["("]}, "patterns"),
        ({"spans": [{"path": "$.dialog[0].body", "start": 90, "end": 95}]}, "spans"),
        ({"spans": [{"path": "dialog", "start": 0, "end": 5}]}, "spans"),
    ],
)
async def test_what_says_nothing_usable_is_refused(
    call: Call, create: Create, given: JsonObject, parameter: str
) -> None:
    uuid = await create(dialog=[{**TEXT, "body": "hello"}])

    refused = await call("redact_vcon", vcon_uuid=uuid, **given)

    assert refused["details"]["parameter"] == parameter


async def test_where_nothing_is_found_no_version_is_made_and_the_original_stays(
    call: Call, create: Create
) -> None:
    uuid = await create(dialog=[{**TEXT, "body": "hello"}])

    answer = await call("redact_vcon", vcon_uuid=uuid, rules=["cards"], keep_original=False)

    assert "uuid" not in answer
    assert (await call("get_vcon", uuid=uuid))["success"]


async def test_with_the_original_gone_no_table_and_no_log_holds_what_was_redacted(
    app: App,
    call: Call,
    create: Create,
    tenant: str,
    owner: OwnerConnection,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    uuid = await create(**CALL)
    await app.worker.drain(tenant)

    made = await call("redact_vcon", vcon_uuid=uuid, rules=["cards", "names", "numbers"], keep_original=False)
    await app.worker.drain(tenant)

    assert made["original_deleted"] is True
    assert "uuid" not in (await call("get_vcon", uuid=made["uuid"]))["vcon"]["redacted"]
    assert (await call("get_vcon", uuid=uuid))["error_code"] == "NOT_FOUND"
    recalled = await call(
        "vcon_recall", query=f"Zelda's card {CARD}", kinds=["conversation"], max_tokens=2000
    )
    assert uuid not in [item["id"] for item in recalled["items"]]
    assert [word for word in ("zelda", "4111") if word in bare(texts(recalled["items"]))] == []
    tables = await owner.fetch(
        "select relname from pg_class where relnamespace = 'vcontract'::regnamespace and relkind = 'r'"
    )
    held = [
        (table["relname"], row["row"])
        for table in tables
        for row in await owner.fetch(f"select t::text as row from vcontract.{table['relname']} t")  # noqa: S608
        if tenant in row["row"]
        and any(
            word in row["row"].casefold()
            for word in ("4111 1111", "4111111111111111", "zelda", "quimby", "9876543")
        )
    ]
    assert held == []
    audit = await owner.fetch("select action from vcontract.audit where tenant = $1", tenant)
    assert {"redact_vcon", "delete_vcon"} <= {row["action"] for row in audit}
    assert "4111" not in caplog.text
    assert "zelda" not in caplog.text.casefold()


SHAPES: list[Callable[[list[str]], JsonValue]] = [
    lambda words: {**TEXT, "body": f"so, {' '.join(words)}'s"},
    lambda words: {**TEXT, "body": "_".join(words).upper()},
    lambda words: {**TEXT, "encoding": "base64url", "body": in_base64(f"x {' '.join(words)} y")},
    lambda words: {**TEXT, "encoding": "json", "body": json.dumps({" ".join(words): ["\n".join(words)]})},
    lambda words: {
        **TEXT,
        "encoding": "json",
        "body": {"words": [{"w": {"text": word}} for word in ["a", *words]]},
    },
    lambda words: {
        **TEXT,
        "mediatype": "text/html",
        "body": "<p>" + "<br>".join(words) + "<!-- " + " ".join(words),
    },
    lambda words: {
        **TEXT,
        "x": {"url": f"https://x.example/{'%20'.join(words)}?t={in_base64(' '.join(words) + '!!!!')}"},
    },
]


@given(
    words=st.lists(st.text("qzxkvw", min_size=4, max_size=8), min_size=1, max_size=4),
    shapes=st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4),
)
@settings(max_examples=examples(60), deadline=None)
def test_given_words_are_nowhere_in_what_is_made(
    words: list[str], shapes: list[Callable[[list[str]], JsonValue]]
) -> None:
    vcon: JsonObject = {
        "uuid": "u",
        "parties": [{"name": " ".join(words)}],
        "dialog": [make(words) for make in shapes],
    }

    made = redact(vcon, RedactionRequest(words=(" ".join(words),))).document

    assert bare("".join(words)) not in bare(texts(made))


@pytest.mark.parametrize("given", ["Zoë Müller", "Zoe\u0308 Mu\u0308ller", "Zoë Mül\u00adler"])
@pytest.mark.parametrize(
    "written",
    [
        "Zoë Müller",
        "ZOE\u0308 MU\u0308LLER",
        "Zo\u200bë Mül\u00adler",
        "\u202eZo\u2060ë Mü\u200dller",
        "Ｚｏë-Ｍüｌｌｅｒ",
    ],
)
def test_words_go_however_their_letters_are_written(given: str, written: str) -> None:
    wanted = RedactionRequest(words=(given,))
    by_name = RedactionRequest(rules=frozenset({"names"}))
    vcon: JsonObject = {"parties": [{"name": given}], "subject": f"👩\u200d💻 é {written}\u200f, é"}

    for each in (wanted, by_name):
        assert redact(vcon, each).document["subject"].replace("\u202e", "").replace("\u200f", "") in (
            "👩\u200d💻 é [redacted: word], é",
            "👩\u200d💻 é [redacted: name], é",
        )


@pytest.mark.parametrize("name", ["प्रिया शर्मा", "i\u0307brahim", "İbrahim", "สมชาย ใจดี", "מִרְיָם"])
def test_names_go_in_whatever_script_they_are_written(name: str) -> None:
    vcon: JsonObject = {"parties": [{"name": name}], "subject": f"-- {name} -- {name.split()[0]} --"}

    made = redact(vcon, RedactionRequest(rules=frozenset({"names"}))).document

    assert made["subject"] == "-- [redacted: name] -- [redacted: name] --"


FORMS = [
    ("quibbleword", "Quibble-word|quibble word|quibble_word|q u i b b l e w o r d|QUÍBBLEWORD|quibbleword's"),
    ("Quibble Word", "quibbleword|quibble-word|Q.U.I.B.B.L.E. W.O.R.D.|quibble\u200bword"),
    ("José Müller", "Jose Muller|JOSE MÜLLER|josemuller|jose_muller|José-Müller's|J o s é M ü l l e r"),
    ("Jose Muller", "José Müller|Jo\u0301se\u0301 Mu\u0308ller"),
    ("Łukasz Żółć", "Lukasz Zolc|ŁUKASZ ŻÓŁĆ|lukasz.zolc"),
    ("Lukasz", "Łukasz|ŁUKASZ"),
    ("O'Brien", "OBrien|O’Brien|obrien|O Brien|O-Brien"),
    ("OBrien", "O'Brien|O’Brien|o brien"),
    ("obrien", "O'Brien|O BRIEN"),
    ("Jean-Luc", "jeanluc|Jean Luc|JEAN_LUC"),
    ("jeanluc", "Jean-Luc|Jean Luc"),
    ("McDonald", "Mc Donald|mcdonald|Mc-Donald"),
    ("Jørgen Straße", "Jorgen Strasse|JØRGEN STRASSE"),
    ("Işık İnce", "Isik Ince|ışık ince"),
    ("علی", "علي"),
    ("Ángel", "https://x.example/%C3%81ngel|angel"),
]


@pytest.mark.parametrize(("given", "written"), FORMS)
@pytest.mark.parametrize("by", ["words", "names"])
def test_words_and_names_go_in_every_form_that_search_equates(given: str, written: str, by: str) -> None:
    named = RedactionRequest(rules=frozenset({"names"}))
    wanted = RedactionRequest(words=(given,)) if by == "words" else named
    forms = written.split("|")
    vcon: JsonObject = {"parties": [{"name": given}], "dialog": [{"x": f"so {form}, ok"} for form in forms]}

    made = redact(vcon, wanted).document

    left = [form for form, each in zip(forms, made["dialog"], strict=True) if "redacted" not in each["x"]]
    rest = {
        each["x"].replace("https://x.example/", "").replace(f"[redacted: {by[:-1]}]", "*")
        for each in made["dialog"]
    }
    assert left == []
    assert rest <= {"so *, ok", "so * *, ok", "so *., ok", "so *.*, ok"}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Ina", "in a minute"),
        ("Justin", "just in case"),
        ("Amit", "am it, I"),
        ("Anna", "Annabel, Hanna, Hannah"),
        ("Le Van", "the van, level"),
    ],
)
def test_a_name_goes_from_no_other_words(name: str, kept: str) -> None:
    wanted = RedactionRequest(rules=frozenset({"names"}))

    made = redact({"parties": [{"name": name}], "subject": kept}, wanted).document

    assert made["subject"] == kept


async def test_no_search_recall_or_spelling_leads_to_other_forms_of_what_was_redacted(
    call: Call, create: Create
) -> None:
    forms = "Quibble-word|quíbbleword|quibble_word|Jean Luc Żółć|jeanluc|zolc|O'Brienne|obrienne"
    uuid = await create(
        parties=[{"name": "Jean-Luc Zolc"}], dialog=[{**TEXT, "body": form} for form in forms.split("|")]
    )

    await call(
        "redact_vcon",
        vcon_uuid=uuid,
        rules=["names"],
        words=["quibbleword", "OBrienne"],
        keep_original=False,
    )

    queries = [*forms.split("|"), "quibbleword", "quibblewrd", "Zolc", "obriene", "Quibble"]
    answers = {
        (query, tool): await call(tool, query=query, **mode)
        for query in queries
        for tool, mode in (("vcon_search", {"mode": "keyword"}), ("vcon_recall", {}))
    }
    found = [
        asked
        for asked, answer in answers.items()
        if any(
            word in bare(texts(answer.get("items", [])))
            for word in ("quibble", "quíbble", "jeanluc", "zolc", "żółć", "brienne")
        )
    ]
    assert found == []


async def test_a_word_that_goes_is_no_spelling_that_a_misspelled_one_is_corrected_to(
    call: Call, create: Create
) -> None:
    uuid = await create(dialog=[{**TEXT, "body": "ask Mu\u0308lleri\u00adna"}])

    await call("redact_vcon", vcon_uuid=uuid, words=["Müllerina"], keep_original=False)

    found = await call("vcon_search", query="mullerima", mode="keyword")
    assert found["items"] == []
    assert "mullerina" not in json.dumps(found)


@pytest.mark.parametrize(
    ("rule", "text", "left"),
    [
        ("cards", f"{CARD} 09/27", "[redacted: card] 09/27"),
        ("cards", "four one one one " * 1 + "one " * 12 + "ok", "[redacted: card] ok"),
        ("cards", "4111 1111 1111 1112", "4111 1111 1111 1112"),
        ("cards", "4111\u200b1111\u00ad1111\u20601111", "[redacted: card]"),
        ("numbers", "on 2025-10-14 call (030) 123-4567.", "on 2025-10-14 call [redacted: number]."),
        ("emails", "ann at example dot com, a.b@x.org", "[redacted: email], [redacted: email]"),
        ("addresses", "at 12 Main Street, Hauptstraße 5", "at [redacted: address], [redacted: address]"),
        ("names", "Anna's, the agent, and Annabel", "[redacted: name], the agent, and Annabel"),
    ],
)
def test_each_rule_finds_what_it_is_for_and_nothing_else(rule: str, text: str, left: str) -> None:
    wanted = RedactionRequest(rules=frozenset({rule}))  # type: ignore[arg-type]
    made = redact({"parties": [{"name": "Agent Anna"}], "subject": text}, wanted).document

    assert made["subject"] == left


async def test_a_pattern_that_takes_too_long_is_refused(
    call: Call, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vcontract.runtime.text.patterns._SECONDS", 0.3)
    uuid = await create(dialog=[{**TEXT, "body": "a" * 5_000 + "c!"}])

    refused = await call("redact_vcon", vcon_uuid=uuid, patterns=["(a|aa)+$b"])

    assert refused["details"]["parameter"] == "patterns"
    assert "too long" in json.dumps(refused)


async def test_a_pattern_that_takes_much_memory_is_refused_without_taking_it(
    call: Call, create: Create
) -> None:
    uuid = await create(dialog=[{**TEXT, "body": "a" * 200_000 + "!"}])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    refused = await call("redact_vcon", vcon_uuid=uuid, patterns=["(?R)?a"], dry_run=True)

    assert refused["details"]["parameter"] == "patterns"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024


def test_patterns_match_in_any_case_and_in_base64_and_their_process_ends() -> None:
    sensitive = Sensitive(RedactionRequest(patterns=(r"ZQ-\d+", "é+")), {})

    found = sensitive.find(f"zq-12, É {in_base64('ref zq-9 here')} \ud800 ZQ-7")
    sensitive.close()

    assert [(each.start, each.kind) for each in found] == [
        (0, "pattern"),
        (7, "pattern"),
        (9, "pattern"),
        (30, "pattern"),
    ]
