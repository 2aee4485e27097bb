"""The calls with known truth: the same for a seed, valid, and with each kind of call and gap among few."""

from collections import Counter
from datetime import timedelta

from bench.known_calls import ALMOST, CANCEL, DISCLOSURE, GAPS, SAYING, Said, known_calls
from vcontract.runtime.text.phrases import phrase_query
from vcontract.runtime.vcon.conformance import VconSchemas

CALLS = known_calls(120)


def test_calls_are_the_same_for_a_seed_and_valid() -> None:
    schemas = VconSchemas.load()
    documents = CALLS.documents()

    assert documents == known_calls(120).documents()
    assert documents != known_calls(120, seed=2).documents()
    assert [report.violations for each in documents if not (report := schemas.check(each)).valid] == []
    assert len({each["uuid"] for each in documents}) == 120


def test_few_calls_have_each_kind_of_call_and_each_gap() -> None:
    calls = CALLS.calls
    within, beyond = [
        sum(bool(CALLS.before(call, timedelta(days=days))) for call in calls) for days in (7, 60)
    ]

    assert {call.gap for call in calls} == {None, *GAPS}
    assert 10 < within < beyond - 5
    assert all(Counter(call.said(Said(any=(phrase,))) for call in calls)[True] > 5 for phrase in SAYING)
    assert all(CALLS.counts(Said(any=(DISCLOSURE,), role="agent", first=60)))
    assert {(call.has_events, len(call.holds) > 0, len(call.parts)) for call in calls} == {
        (has_events, is_held, parts)
        for has_events in (True, False)
        for is_held in (True, False)
        for parts in (1, 2)
    }
    assert len({call.week for call in calls}) == 8
    assert {call.csat is None for call in calls} == {True, False}
    assert {call.sentiment is None for call in calls} == {True, False}
    assert any(call.is_withheld for call in calls)
    assert phrase_query(CANCEL) is not None
    assert not any(phrase in sentence for phrase in SAYING for sentence in ALMOST)
