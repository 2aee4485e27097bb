"""The benchmarks' corpus: the same for everybody, valid, with words of every frequency."""

from collections import Counter

from bench.corpus import SHARES, TAGS, VOCABULARY_SIZE, Corpus
from vcontract.runtime.vcon.conformance import VconSchemas
from vcontract.runtime.vcon.dealers import Dealers
from vcontract.runtime.vcon.tags import read_tags


def test_a_vcon_depends_on_seed_and_number_only() -> None:
    numbered_from_zero = list(Corpus(seed=7).vcons(0, 12))
    numbered_from_ten = list(Corpus(seed=7).vcons(10, 12))

    assert numbered_from_zero[10:] == numbered_from_ten
    assert Corpus(seed=8).vcon(11) != numbered_from_zero[11]


def test_vcons_are_valid_and_different() -> None:
    schemas = VconSchemas.load()
    vcons = list(Corpus().vcons(0, 40))

    assert [report.violations for vcon in vcons if not (report := schemas.check(vcon)).valid] == []
    assert len({vcon["uuid"] for vcon in vcons}) == 40


def test_some_words_are_common_and_some_are_rare() -> None:
    corpus = Corpus()
    in_vcons = Counter(
        word
        for vcon in corpus.vcons(0, 200)
        for word in set(" ".join(turn["body"] for turn in vcon["dialog"]).lower().replace(".", "").split())
    )

    assert len(corpus.vocabulary) == VOCABULARY_SIZE
    assert in_vcons[corpus.word(0)] > 190
    assert 20 < in_vcons["order"] < 190
    assert sum(1 for count in in_vcons.values() if count == 1) > 1_000


def test_vcons_have_tags_and_some_have_a_dealer() -> None:
    dealers = Dealers.load()
    vcons = list(Corpus().vcons(0, 60))
    with_dealer = [vcon for vcon in vcons if dealers.find(vcon)[0] is not None]

    assert all(read_tags(vcon)[0].keys() == {*TAGS, *SHARES, "customer_id"} for vcon in vcons)
    assert 5 < len(with_dealer) < 55
