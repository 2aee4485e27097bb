"""search_vcons_semantic and search_vcons_hybrid: results by meaning, by both, or the reason for none."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import Call
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.context import Caller
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue, dump_json
from vcontract.runtime.settings import Settings

TURNS = {
    "late": "My parcel should have arrived last week and nobody tells me where it is.",
    "refund": "Please send the money back to my card, the kettle broke after two days.",
    "dentist": "The tooth hurts when I drink something cold, could I see the doctor tomorrow?",
    "pricing": "With forty seats we could give you a discount of twelve percent a year.",
}
TEXT: JsonObject = {"mediatype": "text/plain", "encoding": "none", "body": "Good morning."}


@pytest.fixture
async def conversations(call: Call, app: App, tenant: str) -> dict[str, str]:
    """Four conversations, embedded; name to uuid."""
    uuids: dict[str, str] = {}
    for number, (name, turn) in enumerate(TURNS.items(), start=1):
        answer = await call(
            "create_vcon",
            vcon_data={
                "created_at": f"2025-05-0{number}T10:00:00Z",
                "parties": [{"name": "Ada"}, {"name": "Bo"}],
                "dialog": [
                    {
                        "type": "text",
                        "start": f"2025-05-0{number}T10:00:00Z",
                        "parties": [0, 1],
                        "mediatype": "text/plain",
                        "encoding": "none",
                        "body": turn,
                    }
                ],
            },
            metadata={"tags": {"topic": name}},
        )
        uuids[name] = answer["uuid"]
    await app.worker.drain(tenant)
    return uuids


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_dialog", {"dialog": {**TEXT, "type": "text", "start": "2025-05-01T10:01:00Z", "parties": 1}}),
        ("add_analysis", {"analysis": {**TEXT, "type": "summary", "vendor": "x", "dialog": 0}}),
        (
            "add_attachment",
            {"attachment": {**TEXT, "purpose": "note", "start": "2025-05-01T10:01:00Z", "party": 0}},
        ),
        ("update_vcon", {"updates": {"subject": "Something else"}}),
        ("update_vcon", {"updates": {"parties": [{"name": "Eve"}]}, "merge_strategy": "append"}),
        ("add_tag", {"key": "priority", "value": "high"}),
    ],
)
async def test_what_changes_is_still_found_by_what_it_says_before_the_worker_has_looked(
    call: Call, conversations: dict[str, str], tool: str, arguments: JsonObject
) -> None:
    uuid = conversations["late"]
    asked: JsonObject = {"query": "customer upset about a late delivery", "threshold": 0.3}
    before = await call("search_vcons_semantic", **asked)

    parameter = "uuid" if tool == "update_vcon" else "vcon_uuid"
    done = await call(tool, **{parameter: uuid}, **arguments)

    after = await call("search_vcons_semantic", **asked)
    assert done["success"], done
    assert after["results"][0]["vcon_id"] == uuid
    assert after["results"][0]["similarity_score"] == before["results"][0]["similarity_score"]
    assert after["index"]["embedded"] == 4


async def test_what_matched_is_shown_by_the_part_that_it_is_of(call: Call, app: App, tenant: str) -> None:
    said = "the washing machine leaks water all over my kitchen floor"
    text = {"encoding": "none", "mediatype": "text/plain", "body": said}
    await call(
        "create_vcon",
        vcon_data={
            "subject": "Washing machine leaks water",
            "parties": [{"name": "Ada"}],
            "dialog": [{"type": "text", "parties": 0, **text}],
            "analysis": [{"type": "summary", "vendor": "x", **text}],
            "attachments": [{"purpose": "note", **text}],
        },
        validate_before_insert=False,
    )
    await app.worker.drain(tenant)

    answer = await call("search_vcons_semantic", query="broken appliance flooding the house", threshold=0.4)

    matched = answer["results"][0]["matched_content"]
    assert matched["subject"] == "Washing machine leaks water"
    shown = {
        name: [{key: value for key, value in each.items() if key != "relevance"} for each in excerpts]
        for name, excerpts in matched.items()
        if name != "subject"
    }
    assert shown == {
        "dialog_excerpts": [{"dialog_index": 0, "turn": 0, "speaker": "Ada", "text": said}],
        "analysis_excerpts": [{"analysis_index": 0, "type": "summary", "text": said}],
        "attachment_excerpts": [{"attachment_index": 0, "text": said}],
    }


async def test_a_threshold_of_zero_is_honoured_and_one_that_nothing_passes_names_the_best(
    call: Call, conversations: dict[str, str]
) -> None:
    everything = await call("search_vcons_semantic", query="late delivery", threshold=0)
    nothing = await call("search_vcons_semantic", query="late delivery", threshold=1)

    assert everything["count"] == len(conversations)
    assert nothing["results"] == []
    best = everything["results"][0]["similarity_score"]
    assert nothing["best_below_threshold"] == pytest.approx(best, abs=2e-6)
    assert "threshold" in nothing["suggestions"][0]


@pytest.mark.parametrize("query", [*TURNS, "delivery", "appliance", "discount of a year", "cold water"])
async def test_the_best_below_the_threshold_is_passed_as_threshold(
    call: Call, conversations: dict[str, str], query: str
) -> None:
    nothing = await call("search_vcons_semantic", query=query, threshold=1)

    answer = await call("search_vcons_semantic", query=query, threshold=nothing["best_below_threshold"])

    assert nothing["results"] == []
    assert answer["count"] == 1


async def test_filters_hold_before_the_limit_in_both(call: Call, conversations: dict[str, str]) -> None:
    for tool, more in (
        ("search_vcons_semantic", {"threshold": 0}),
        ("search_vcons_hybrid", {"semantic_weight": 0.3}),
    ):
        answer = await call(tool, query="discount a year", tags={"topic": "pricing"}, limit=1, **more)
        assert [result["vcon_id"] for result in answer["results"]] == [conversations["pricing"]]
        assert answer["has_more"] is False
        dated = await call(tool, query="discount a year", start_date="2025-05-04", limit=5, **more)
        assert [result["vcon_id"] for result in dated["results"]] == [conversations["pricing"]]


@pytest.mark.parametrize("weight", [0, 0.3, 0.6, 1])
async def test_the_combined_score_joins_words_and_meaning_by_their_weight(
    call: Call, conversations: dict[str, str], weight: float
) -> None:
    answer = await call("search_vcons_hybrid", query="parcel money tooth discount", semantic_weight=weight)

    results = answer["results"]
    assert len({result["vcon_id"] for result in results}) == len(results) > 0
    for result in results:
        words = (1 - weight) * (result["keyword_score"] ** 3 if weight else result["keyword_score"])
        assert words - 1e-6 <= result["combined_score"] <= words + weight + 1e-6
        assert result["strength"] in ("strong", "fair", "weak")
    scores = [result["combined_score"] for result in results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({}, "query"),
        ({"query": "parcel", "embedding": [1.0] * 384}, "embedding"),
        ({"embedding": [0.0] * 384}, "embedding"),
        ({"embedding": [1.0] * 383}, "embedding"),
        ({"query": "parcel", "start_date": "soon"}, "start_date"),
    ],
)
async def test_a_search_that_says_too_little_or_too_much_is_refused(
    call: Call, conversations: dict[str, str], arguments: JsonObject, parameter: str
) -> None:
    answer = await call("search_vcons_semantic", **arguments)

    assert answer["error_code"] == "VALIDATION_ERROR"
    assert answer["details"]["parameter"] == parameter


SPOKEN = "the washing machine leaks water all over my kitchen floor"
TRANSCRIPTS: dict[str, JsonValue] = {
    "wtf": {
        "transcript": {"text": SPOKEN, "language": "en"},
        "segments": [{"id": 0, "start": 0.0, "end": 4.0, "text": SPOKEN, "confidence": 0.9, "speaker": 0}],
    },
    "deepgram": {"results": {"utterances": [{"speaker": 0, "transcript": SPOKEN, "confidence": 0.9}]}},
    "turns": [{"speaker": "Agent", "message": SPOKEN, "confidence": 0.9}],
}


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("body", TRANSCRIPTS.values(), ids=list(TRANSCRIPTS))
async def test_what_is_said_inside_json_transcripts_is_found_and_its_keys_are_not(
    call: Call, app: App, tenant: str, body: JsonValue, as_text: bool
) -> None:
    transcript = {
        "type": "transcript",
        "vendor": "x",
        "encoding": "json",
        "body": dump_json(body).decode() if as_text else body,
    }
    created = await call(
        "create_vcon",
        vcon_data={"parties": [{"name": "Ada"}], "analysis": [transcript]},
        validate_before_insert=False,
    )
    await app.worker.drain(tenant)

    found = await call("search_vcons_semantic", query="broken appliance flooding the house", threshold=0.5)
    of_keys = await call("search_vcons_semantic", query="confidence of a segment", threshold=0.5)

    assert [result["vcon_id"] for result in found["results"]] == [created["uuid"]]
    (excerpt,) = found["results"][0]["matched_content"]["analysis_excerpts"]
    assert SPOKEN in excerpt["text"]
    assert "confidence" not in excerpt["text"]
    assert of_keys["results"] == []


@pytest.fixture(scope="module")
async def app_without_model(settings: Settings) -> AsyncIterator[App]:
    """The application with no embedding provider."""
    built = await build(settings.model_copy(update={"rate_limits": None, "embedding_provider": "none"}))
    yield built
    await built.close()


@pytest.mark.parametrize("tool", ["search_vcons_semantic", "search_vcons_hybrid"])
async def test_without_a_model_the_answer_says_so_and_what_works_instead(
    app_without_model: App, tenant: str, tool: str
) -> None:
    caller = Caller(tenant, frozenset({"read"}))

    answer = (await app_without_model.dispatcher.call(tool, {"query": "parcel"}, caller)).structured

    assert answer["error_code"] == "DATABASE_ERROR"
    assert answer["details"]["reason"] == "semantic_unavailable"
    assert "search_vcons_content" in answer["suggestions"][0]


@pytest.mark.parametrize("query", ["HLB-19873", "+1 207 555 0134", "00256", "ada@example.com"])
async def test_an_identifier_is_refused_by_meaning_and_found_by_its_words_alone_with_both(
    call: Call, conversations: dict[str, str], query: str
) -> None:
    refused = await call("search_vcons_semantic", query=query)
    absent = await call("search_vcons_hybrid", query=query)
    subject = {"subject": f"About {query}", "parties": [{"name": "Cy"}], "dialog": []}
    added = await call("create_vcon", vcon_data=subject, validate_before_insert=False)
    found = await call("search_vcons_hybrid", query=query)

    assert refused["details"]["reason"] == "identifier_query"
    assert refused["suggestions"] == [{"tool": "search_vcons_content", "arguments": {"query": query}}]
    assert (absent["success"], absent["count"]) == (True, 0)
    assert [result["vcon_id"] for result in found["results"]] == [added["uuid"]]
