"""vcon_recall says whose the best turns are, if a question names somebody else."""

from typing import Final

import pytest

from tests.conftest import Ask
from tests.tools.contract.conftest import Embed, Store
from tests.tools.contract.test_recall import chat
from vcontract.handlers.contract.recall_people import people_named
from vcontract.runtime.frame.documents.json import JsonObject

_FRIENDS: Final = (
    ("Dave Hill", "I spent all Saturday in my workshop and rebuilt the carburettor of the old Ford."),
    ("Calvin", "Nice. I was at the dentist, nothing new."),
    ("Dave Hill", "And on Sunday I painted the garage door green."),
    ("Calvin", "My flight to Osaka leaves on Tuesday morning."),
    ("Andrew", "I have to work, as ever."),
)


@pytest.fixture
async def friends(store: Store, embed: Embed) -> None:
    """A chat of three friends."""
    await store([chat(_FRIENDS)])
    await embed()


@pytest.mark.parametrize(
    ("query", "answerable", "remark"),
    [
        ("What did Dave rebuild of the old Ford in the workshop?", "likely", ""),
        (
            "What did Calvin rebuild of the old Ford in the workshop?",
            "unsure",
            "Said by Dave Hill, not by Calvin.",
        ),
        (
            "what did calvin rebuild of the old ford in the workshop",
            "unsure",
            "Said by Dave Hill, not by calvin.",
        ),
        ("Who rebuilt the carburettor of the old Ford, Calvin?", "likely", ""),
        ("When does Calvin's flight to Osaka leave?", "likely", ""),
        (
            "What did Dave Hill and Andrew rebuild of the old Ford in the workshop?",
            "likely",
            "Nothing by or about Andrew.",
        ),
    ],
)
async def test_an_answer_that_another_person_gave_is_not_likely_and_its_speaker_is_named(
    ask: Ask, friends: None, query: str, answerable: str, remark: str
) -> None:
    answer = await ask("vcon_recall", query=query)

    assert answer.structured["meta"]["answerable"] == answerable
    assert remark in answer.text.splitlines()[-1]
    assert bool(remark) == ("nothing_by" in answer.structured["meta"])


async def test_each_of_several_queries_has_its_own_verdict(ask: Ask, friends: None) -> None:
    queries = [
        "When does Calvin's flight to Osaka leave?",
        "What did Calvin rebuild of the old Ford in the workshop?",
    ]

    answer = await ask("vcon_recall", query=queries)

    assert answer.structured["meta"]["answerable"] == "likely"
    assert answer.structured["meta"]["parts"] == ["likely", "unsure"]
    assert answer.structured["meta"]["said_by"] == ["Dave Hill"]
    assert "By query: likely, unsure." in answer.text


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What did Anna Berg say to Bo?", ["Anna Berg", "Bo"]),
        ("what did anna say", ["Anna"]),
        ("What will Will do in May?", ["Will", "May"]),
        ("Which will did the agent mean?", []),
        ("Anna’s or Anna's dog?", ["Anna"]),
    ],
)
def test_names_of_people_are_recognised_in_a_question(question: str, named: list[str]) -> None:
    people = ["Anna Berg", "Anna Holm", "Bo", "Will Agent", "May"]

    assert [person.name.title() for person in people_named(question, people)] == named


@pytest.mark.parametrize(
    ("name", "answerable"), [("Eve", "likely"), ("Finn", "unsure")], ids=["said it", "talked about it"]
)
async def test_an_answer_is_not_likely_if_another_person_says_nearly_as_much_of_it(
    ask: Ask, store: Store, embed: Embed, name: str, answerable: str
) -> None:
    said = (
        ("Eve", "I sold my blue canoe to the neighbour for ninety pounds last summer."),
        ("Finn", "The blue canoe of the neighbour is lovely."),
        ("Eve", "You should, they are a good customer."),
    )
    await store([chat(said)])
    await embed()

    answer = await ask("vcon_recall", query=f"What did {name} get for the blue canoe sold to the neighbour?")

    assert answer.structured["meta"]["answerable"] == answerable
    assert "said_by" not in answer.structured["meta"]


@pytest.mark.parametrize(
    ("who", "reason"),
    [
        ({"people": ["Ann", "Bo"]}, "people_never_together"),
        ({"people": ["Ann"], "speaker": "Bo"}, "people_never_together"),
        ({"people": ["Ann", "Zoe"]}, "value_not_seen"),
        ({"people": ["Ann", "Cy"], "since": "2031-01-01"}, "no_vcons_of_that_time"),
    ],
)
async def test_people_who_share_no_conversation_are_named(
    ask: Ask, store: Store, who: JsonObject, reason: str
) -> None:
    await store([chat([("Ann", "The pear tree."), ("Cy", "Yes.")]), chat([("Bo", "The pear tree.")])])

    answer = await ask("vcon_recall", query="pear tree", **who)

    assert reason in [hint["reason"] for hint in answer.structured["meta"]["hints"]]
    assert ('"Ann" and "Bo" share no conversation.' in answer.text) == (reason == "people_never_together")
