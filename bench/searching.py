"""Searches in process, at growing sizes of the corpus."""

from bench.corpus import Corpus
from bench.measure import Timing, measure
from bench.subject import Subject
from vcontract.runtime.frame.documents.json import JsonObject

COMMON_WORD = "order"
MIDDLE_WORD = "forklift"
RARE_RANK = 6_000
"""Words in most of the vCons, in some, in a handful: what the weights of words are made for."""


def searches(corpus: Corpus) -> dict[str, JsonObject]:
    """What is asked, by the name it has in the table."""
    common, middle, rare = COMMON_WORD, MIDDLE_WORD, corpus.word(RARE_RANK)
    metadata: JsonObject = {"mode": "metadata"}
    keyword: JsonObject = {"mode": "keyword"}
    return {
        "metadata, newest": metadata,
        "metadata, tag": {**metadata, "filters": {"tags": {"department": "sales", "priority": "high"}}},
        "metadata, party name": {**metadata, "filters": {"party_name": "tanaka"}},
        "metadata, phone": {**metadata, "filters": {"party_tel": "555-0123"}},
        "metadata, dealer": {**metadata, "filters": {"dealer_name": "harbor"}},
        "metadata, a week": {**metadata, "filters": {"start_date": "2024-01-02", "end_date": "2024-01-08"}},
        "keyword, common word": {**keyword, "query": common},
        "keyword, middle word": {**keyword, "query": middle},
        "keyword, rare word": {**keyword, "query": rare},
        "keyword, two words": {**keyword, "query": f"{common} {middle}"},
        "keyword, phrase": {**keyword, "query": '"order number"'},
        "keyword, any of two": {**keyword, "query": f"{middle} OR {rare}"},
        "keyword, word and tag": {**keyword, "query": common, "filters": {"tags": {"department": "sales"}}},
        "keyword, misspelled": {**keyword, "query": "replacemment"},
    }


async def measure_searches(subject: Subject, corpus: Corpus, runs: int) -> dict[str, Timing]:
    """The timing of each search at the size that the store has now."""
    timings: dict[str, Timing] = {}
    for name, arguments in searches(corpus).items():

        async def run(_: int, arguments: JsonObject = arguments) -> None:
            await subject.run("vcon_search", arguments)

        timings[name] = await measure(run, runs)
    return timings
