"""vcon_search over vCons in several languages: forms of a word, mixed stores, scripts without spaces."""

import pytest

from tests.conftest import Call
from tests.tools.contract.conftest import Store
from vcontract.runtime.frame.documents.json import JsonObject


def said(*turns: str, language: str | None = None) -> JsonObject:
    declared = {} if language is None else {"language": language}
    return {
        "parties": [{"name": "Ada"}],
        "dialog": [
            {"type": "text", "parties": 0, "encoding": "none", "body": turn, **declared} for turn in turns
        ],
    }


STORE = {
    "en": said("The invoice was sent twice and nobody has paid it yet."),
    "de": said("Ich habe die Rechnungen noch nicht bezahlt.", "Häuser"),
    "fr": said("Je n'ai pas reçu la facture, et elle est payée."),
    "es": said("No he recibido las devoluciones de mis pedidos."),
    "ru": said("Мне не вернули деньги за сломанные телефоны."),
    "zh": said("我的退款还没有到账,我想知道为什么。"),
    "ja": said("返金はいつ届きますか。注文を取り消しました。"),
    "th": said("ฉันต้องการเงินคืนสำหรับคำสั่งซื้อนี้"),
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("invoices", "en"),
        ("Rechnung", "de"),
        ("wo ist die Rechnung", "de"),
        ("Haus", "de"),
        ("factures", "fr"),
        ("la facture est payée", "fr"),
        ("devolución", "es"),
        ("телефон", "ru"),
        ("退款", "zh"),
        ("到账 退款", "zh"),
        ("返金", "ja"),
        ("注文", "ja"),
        ("เงินคืน", "th"),
    ],
)
async def test_forms_of_a_word_are_found_in_the_language_they_are_of(
    call: Call, store: Store, query: str, found: str
) -> None:
    ids = dict(zip(STORE, await store(list(STORE.values())), strict=True))

    answer = await call("vcon_search", mode="keyword", query=query)

    assert [item["id"] for item in answer["items"]] == [ids[found]]


async def test_the_words_of_an_answer_tell_the_stems_that_were_looked_for(call: Call, store: Store) -> None:
    await store([STORE["de"], STORE["en"]])

    answer = await call("vcon_search", mode="keyword", query="Rechnungen")

    assert answer["meta"]["words"] == [{"word": "Rechnungen", "vcons": 1, "languages": ["de"]}]
    (hit,) = answer["items"][0]["match"]["hits"]
    assert "<mark>Rechnungen</mark>" in hit["snippet"]


async def test_a_store_in_english_alone_looks_for_english_stems(call: Call, store: Store) -> None:
    await store([STORE["en"]])

    answer = await call("vcon_search", mode="keyword", query="invoices")

    assert answer["meta"]["words"] == [{"word": "invoices", "vcons": 1}]


@pytest.mark.parametrize(
    "document",
    [
        said("Faktura", "Rechnungen", language="de-DE"),
        {
            "parties": [{"name": "Ada"}],
            "dialog": [],
            "analysis": [
                {
                    "type": "transcript",
                    "vendor": "v",
                    "encoding": "json",
                    "body": '{"transcript": {"text": "Rechnungen", "language": "de"}, "segments": []}',
                }
            ],
        },
    ],
)
async def test_a_declared_language_is_taken_where_the_words_say_nothing(
    call: Call, store: Store, document: JsonObject
) -> None:
    (id_,) = await store([document])

    answer = await call("vcon_search", mode="keyword", query="Rechnung")

    assert [item["id"] for item in answer["items"]] == [id_]


async def test_a_misspelt_word_is_corrected_to_what_is_found_in_its_language(
    call: Call, store: Store
) -> None:
    (id_,) = await store([STORE["de"]])

    answer = await call("vcon_search", mode="keyword", query="Rechnumgen")

    assert [item["id"] for item in answer["items"]] == [id_]
    assert answer["meta"]["corrections"][0]["used"] == "rechnungen"


async def test_pages_agree_on_the_languages_that_were_looked_in(call: Call, store: Store) -> None:
    await store([STORE["de"], said("Die Rechnung ist da, aber sie ist nicht von mir."), STORE["en"]])

    first = await call("vcon_search", mode="keyword", query="Rechnung", limit=1)
    second = await call(
        "vcon_search", mode="keyword", query="Rechnung", limit=1, cursor=first["page"]["next_cursor"]
    )

    assert first["items"][0]["id"] != second["items"][0]["id"]
    assert not second["page"]["has_more"]
