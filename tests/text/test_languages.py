"""Languages: which one a text is in, and the stems that its words are found by."""

import pytest

from vcontract.runtime.text.languages import DeclaredText, declared_language, languages_of
from vcontract.runtime.text.query import parse_query
from vcontract.runtime.text.snippets import found_spans
from vcontract.runtime.text.words import base_of, indexed_texts, indexed_words, surfaces

GERMAN = "Die Rechnungen sind noch nicht bezahlt"
ENGLISH = "The invoices are still in the drawer and nobody has paid"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        ("Je voudrais payer la facture de l'assurance, mais elle est trop élevée", "fr"),
        ("Quiero una devolución, por favor, porque el paquete no llegó", "es"),
        ("Voglio il rimborso dell'ordine, non è colpa mia", "it"),
        ("Não recebi a encomenda, você pode ver onde está?", "pt"),
        ("Ik wil mijn geld terug, het is niet mijn schuld", "nl"),
        ("Jag vill ha pengarna tillbaka, det är inte mitt fel", "sv"),
        ("Jeg har ikke fået mine penge tilbage, hvad skal jeg nu gøre", "da"),
        ("Haluan rahani takaisin, koska se ei ole minun vikani", "fi"),
        ("Мне нужен возврат денег за сломанный телефон", "ru"),
        ("Param ne zaman geri gelecek, çünkü bu benim hatam değil", "tr"),
        ("Vreau banii înapoi, pentru că nu este vina mea și nu am primit nimic", "ro"),
        ("Szeretném visszakapni a pénzt, mert ez nem az én hibám", "hu"),
        ("die rolle", "en"),
        ("De La Soul", "en"),
        ("A-55871", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_text_is_known_by_its_function_words(text: str, language: str) -> None:
    assert languages_of([DeclaredText(surfaces(text))]) == [language]


def test_what_says_too_little_is_in_the_language_of_the_rest() -> None:
    texts = [GERMAN, "Danke, Herr Wagner", ENGLISH, "Er hat sie nicht mit der Post geschickt"]

    assert languages_of([DeclaredText(surfaces(text)) for text in texts]) == ["de", "de", "en", "de"]


def test_a_declared_language_counts_before_the_words() -> None:
    assert languages_of([DeclaredText(surfaces(GERMAN), "fr-CA"), DeclaredText(surfaces(GERMAN), "tlh")]) == [
        "fr",
        "de",
    ]
    assert [declared_language(tag) for tag in ("de", "pt-BR", "nb_NO", "German", "ja", "", None)] == [
        *("de", "pt", "no", "de", None, None, None)
    ]


def test_words_stand_in_the_index_by_their_stems_in_english_and_in_their_own_language() -> None:
    german, english = indexed_texts([GERMAN, ENGLISH])

    assert {"rechnungen": [2], "rechnung": [2], "lang:de": [1]}.items() <= german.items()
    assert not any(word.startswith("lang:") for word in english)


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", ["Rechnung", "Rechnungen"]),
        ("de", ["Haus", "Häuser"]),
        ("fr", ["facture", "l'facture", "FACTURES"]),
        ("es", ["devolución", "devoluciones"]),
        ("ru", ["телефон", "телефоны", "телефона"]),
        ("it", ["ordine", "ordini", "dell'ordine"]),
    ],
)
def test_the_forms_of_a_word_have_one_stem(language: str, forms: list[str]) -> None:
    stems = [
        {run[0] for run in parse_query(form).in_languages([language]).terms[0].alternatives} for form in forms
    ]

    assert any(all(stem in of_form for of_form in stems) for stem in stems[0])


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        *((lang, "Łódź, Gdański, Kołodziej", "lodz gdanski KOLODZIEJ") for lang in ("en", "de", "hu")),
        ("en", "Bjørn Sørensen, Đorđe, Æsop, Þór", "bjorn sorensen dorde aesop thor"),
        ("en", "BJØRN GØRING", "gøring"),
        ("en", "bjorn goring", "BJØRN GØRING"),
        ("en", "fiancé's naïve Zoë", "fiance naive zoe"),
        ("da", "Fødselsdagene i Køge, Århus", "fødselsdag koge arhus"),
        ("de", "Die Straßen und Häuser", "strasse HAUS"),
        ("es", "Las devoluciones del señor Núñez", "devolución senor nunez"),
        ("fi", "Näimme Bushin talot, Nokia'n", "talo nokia"),
        ("fr", "L’assurance et les œuvres, n’importe", "assurances oeuvre"),
        ("hu", "A számlák és őrök", "számla"),
        ("it", "Dell’ordine, gli ordini, città", "ordine citta"),
        ("nl", "De rekeningen, coördinatie", "rekening coordinatie"),
        ("no", "Regningene på Tromsø, bløtkake", "regning tromso blotkake"),
        ("pt", "As devoluções não chegaram, ação", "devolução acao"),
        ("ro", "Facturile și țara, ştiri", "factura tara stiri"),
        ("ru", "Телефоны, ёлка, дома\u0301", "телефон елка дом"),
        ("sv", "Fakturorna från Malmö", "faktura malmo"),
        ("tr", "İşçiler geldi", "işçi"),
        ("tr", "İzinler yok, İSTANBUL'DA IŞIK", "izin istanbul ışık isik"),
        ("tr", "I\u0307stanbul’da ısı düştü, İzmirʼde", "istanbul isi izmir İzmir"),
        ("tr", "istanbul, IŞIKLAR", "İSTANBUL ışık"),
        ("tr", "Ankara'da Ahmet’in evi", "Ankara ahmet ev"),
        ("tr", "Ankara", "Ankara'da"),
        ("en", "Ankara'da, o'clock", "ankara"),
        ("en", "علي قال كتاب مدرسة", "علی کتاب مدرسه"),
        ("en", "می\u200cروم کتاب ۱۴۰۳ یک", "ميروم كتاب 1403 يك"),
        ("en", "میروم", "می\u200cروم"),
        ("en", "می روم", "می\u200cروم"),
        ("en", "مرحبـــا", "مرحبا"),
        ("en", "комп\u02bcютер, комп'ютер", "комп’ютер"),
        ("en", "क्\u200dषमा १२", "क्षमा 12"),
    ],
)
def test_a_word_is_found_however_a_keyboard_writes_it(language: str, text: str, query: str) -> None:
    written = surfaces(text)
    found = indexed_words(text, written, language)
    terms = parse_query(query).in_languages([language] if language != "en" else []).terms

    for term in terms:
        assert any({*run} <= found.keys() for run in term.alternatives), term
        assert list(found_spans(text, [term])), term


@pytest.mark.parametrize("word", ["don't", "O'Brien", "d'Angelo", "can’t", "he'll", "y'all"])
def test_no_word_is_cut_from_a_contraction_or_a_name(word: str) -> None:
    assert base_of(word) == ""


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("wo ist die Rechnung", ["Rechnung"]),
        ("où est la facture", ["facture"]),
        ("die rolle", ["die", "rolle"]),
        ("我想退款", ["我想", "想退", "退款"]),
        ("refund退款 now", ["refund", "退款", "now"]),
        ("退", ["退"]),
        ("返金してください", ["返金", "金し", "して", "てく", "くだ", "ださ", "さい"]),
    ],
)
def test_a_query_is_read_in_its_language(query: str, words: list[str]) -> None:
    assert [term.text for term in parse_query(query).terms] == words


def test_what_is_excluded_has_to_stand_as_it_is() -> None:
    query = parse_query("退款 -没有到账")

    assert [term.text for term in query.excluded] == ["没有到账"]


def test_a_long_run_without_spaces_is_read_in_no_more_words_than_a_query_holds() -> None:
    assert len(parse_query("退款没有到账我想知道为什么" * 8).terms) < 64
