"""The examples that are published are what the server answers: each is sent to a store made for them."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Final

import pytest
from pydantic import SecretStr

from tests.conftest import Ask
from tests.contract.examples import examples
from tests.keys import LEAF, ROOT, RSA_KEY, pem
from vcontract.runtime.app import App, build
from vcontract.runtime.frame.documents.json import JsonObject, JsonValue
from vcontract.runtime.frame.documents.json_values import is_array, is_object
from vcontract.runtime.settings import Settings

EXAMPLES: Final = examples()
UUID: Final = "01939c3a-6f00-8abc-9def-0123456789ab"
SOURCE, MOMENT, OTHER = (
    "src_01kach0xr0f8v5m2q7w9d3c6t1",
    "mom_01kach1zx0s7c4b1n8v5x2z9k6",
    "mom_01kach2a00d4g7j1m5q8t2w6y9",
)
SCENES: Final = ("sce_01kach3b00h2k5n8r1u4x7z0c3", "sce_01kach3b00h2k5n8r1u4x7z0c4")
CONVERSATION: JsonObject = {
    "vcon": "0.4.0",
    "uuid": UUID,
    "created_at": "2025-10-14T10:30:00Z",
    "subject": "Customer Support Call",
    "parties": [
        {"name": "Agent Smith", "mailto": "smith@example.com", "role": "agent"},
        {"name": "John Doe", "tel": "+1-555-1234", "role": "customer"},
    ],
    "dialog": [
        {
            "type": "text",
            "start": "2025-10-14T10:30:00Z",
            "parties": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "I am upset: my parcel is late, and a billing refund or a discount on pricing is due. "
            * 16,
        }
    ],
    "analysis": [
        {
            "type": "summary",
            "vendor": "acme",
            "dialog": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "A late parcel, and a refund.",
        }
    ],
    "attachments": [
        {
            "purpose": "invoice",
            "start": "2025-10-14T10:30:00Z",
            "party": 1,
            "dialog": 0,
            "mediatype": "text/plain",
            "encoding": "none",
            "body": "Forty dollars.",
        }
    ],
}
TAGS: JsonObject = {"department": "sales", "status": "open", "priority": 2, "resolved": True}
OTHERS: Final = {
    f"01939c3a-6f00-8abc-9def-00000000000{number}": {"department": department, "status": "open"}
    for number, department in enumerate(("sales", "support", "support"))
}
"""The tags of three more conversations of the same words."""

FRAMED: JsonObject = {
    "emoji": "🤔",
    "summary": "Auto-framing reveals interpretive depth",
    "shot": "moment-of-recognition",
    "qualities": [{"type": "attentional", "manifestation": "Noticing the text read me back."}],
}
CAPTURED: JsonObject = {"experiencer": "Sara", "perspective": "I", "processing": "during"}
WOVEN: JsonObject = {
    "emoji": "🌉",
    "summary": "Crossing",
    "narrative": "I went.",
    "shot": "crossing-threshold",
}

Before = tuple[str, JsonObject, str | None]
"""A call that comes before, and the id of an example that stands for the record it makes."""

ONE_SOURCE: Sequence[Before] = [
    ("bridge_capture", {**CAPTURED, "content": "I notice what reading feels like."}, SOURCE)
]
TWO_MOMENTS: Sequence[Before] = [
    *ONE_SOURCE,
    ("bridge_frame", {**FRAMED, "sourceIds": [SOURCE]}, MOMENT),
    ("bridge_frame", {**FRAMED, "sourceIds": [SOURCE]}, OTHER),
]
AMENDED: Before = (
    "create_vcon",
    {"vcon_data": {**CONVERSATION, "uuid": None, "amended": {"uuid": UUID}}},
    None,
)
SIGNED: Before = ("sign_vcon", {"vcon_uuid": UUID}, None)
BEFORE: Mapping[tuple[str, str], Sequence[Before]] = {
    ("bridge_autoframe", "no_model"): ONE_SOURCE,
    ("bridge_autoweave", "no_model"): [
        *TWO_MOMENTS,
        *(("bridge_weave", {**WOVEN, "momentIds": [MOMENT, OTHER]}, scene) for scene in SCENES),
    ],
    ("bridge_enrich", "typo"): ONE_SOURCE,
    ("bridge_frame", "one_source"): ONE_SOURCE,
    ("bridge_release", "source_with_its_moment"): TWO_MOMENTS[:2],
    ("bridge_search", "by_meaning"): TWO_MOMENTS[:2],
    ("bridge_status", "young_journal"): TWO_MOMENTS[:2],
    ("bridge_weave", "two_moments"): TWO_MOMENTS,
    ("get_vcon", "latest_version"): [AMENDED],
    ("list_holds", "one"): [("hold_vcon", {"vcon_uuid": UUID, "reason": "matter 2025-114"}, None)],
    ("redact_vcon", "under_legal_hold"): [
        ("hold_vcon", {"vcon_uuid": UUID, "reason": "Case 2025-117"}, None)
    ],
    ("remove_attachment", "referenced"): [
        ("update_analysis", {"vcon_uuid": UUID, "index": 0, "analysis": {"attachment": 0}}, None)
    ],
    ("sign_vcon", "signed_before"): [SIGNED],
    ("vcon_relations", "amended"): [AMENDED],
    ("verify_vcon", "trusted"): [SIGNED],
}
"""What is called before an example, where the conversation that the others meet is not enough."""

ELSEWHERE: Final = {
    **dict.fromkeys(
        [("bridge_autoframe", "preview"), ("bridge_autoframe", "slow_model")], "a language model"
    ),
    ("bridge_autoweave", "useless_answers"): "a language model",
    ("memory_read", "an_exchange"): "a transcript",
    ("memory_search", "one_query"): "a transcript",
    ("session_init", "begin"): "a repository",
    ("session_status", "no_session"): "a folder that is no repository",
    ("session_store_reflection", "solution"): "a repository",
    ("session_reflect_on_past", "tokens"): "a transcript",
    ("session_checkpoint", "halfway"): "a repository",
    ("session_end", "done"): "a repository",
    ("session_get_cached_chunk", "second"): "a long answer",
    **dict.fromkeys(
        [("vcon_search", "no_model"), ("memory_search", "no_embeddings")], "a server without a model"
    ),
    ("amend_vcon", "redacted"): "a redacted version",
    ("sign_vcon", "no_key"): "a server without a key",
    **dict.fromkeys(
        [(tool, "signed") for tool in ("add_analysis", "add_attachment", "add_dialog", "add_party")],
        "a signed file",
    ),
}
"""Examples that need what tests of their own tools make."""

VARYING: Final = {
    *("response_bytes", "estimated_bytes", "approximate_bytes", "max_response_bytes"),
    *("existing_updated_at", "actual", "known", "nearest", "limit"),
}
"""Members of details whose values depend on the store or the clock; their kind does not."""


@pytest.fixture(scope="module")
async def app(settings: Settings) -> AsyncIterator[App]:
    made = {
        "rate_limits": None,
        "toolsets": ("all",),
        "signing_key": SecretStr(pem(RSA_KEY, LEAF)),
        "trusted_keys": SecretStr(pem(ROOT)),
    }
    built = await build(settings.model_copy(update=made))
    yield built
    await built.close()


UNSHOWN: Final = {"plan", "stats_reset"}
"""What PostgreSQL says of itself: of a plan each kind of step has members of its own."""


def unlike(shown: JsonValue, given: JsonValue, *, exactly: bool, path: str = "$") -> Iterator[str]:
    """What an example shows and the answer does not have; of values their kind alone, unless `exactly`."""
    if is_object(shown) and is_object(given):
        for name, member in shown.items():
            if name in UNSHOWN:
                continue
            if name not in given:
                yield f"{path}.{name} is not in the answer"
            else:
                values = exactly and name not in VARYING
                yield from unlike(member, given[name], exactly=values, path=f"{path}.{name}")
    elif is_array(shown) and is_array(given):
        if (exactly and len(shown) != len(given)) or (shown and not given):
            yield f"{path}: {len(shown)} entries are shown, {len(given)} answered"
        for number, (one, other) in enumerate(zip(shown, given, strict=False)):
            yield from unlike(one, other, exactly=exactly, path=f"{path}[{number}]")
    elif (shown != given) if exactly else (None not in (shown, given) and kind(shown) != kind(given)):
        yield f"{path}: {shown!r} is shown, {given!r} answered"


def kind(value: JsonValue) -> str:
    """The type of a value; whole and other numbers are of one."""
    name = "dict" if is_object(value) else "list" if is_array(value) else value.__class__.__name__
    return "float" if name == "int" else name


REPLAYED = [(tool, each) for tool, each in EXAMPLES if (tool, each["name"]) not in ELSEWHERE]


@pytest.mark.parametrize(
    ("tool", "example"), REPLAYED, ids=[f"{tool}-{each['name']}" for tool, each in REPLAYED]
)
async def test_an_example_is_what_the_server_answers(
    app: App, ask: Ask, tenant: str, tool: str, example: JsonObject
) -> None:
    name = tool, example["name"]
    if name != ("create_vcon", "support_call"):
        for uuid, tags in {UUID: TAGS, **OTHERS}.items():
            vcon = {**CONVERSATION, "uuid": uuid}
            made = await ask("create_vcon", vcon_data=vcon, metadata={"tags": tags})
            assert not made.is_error, made.text
    ids: dict[str, str] = {}
    for before, arguments, stands_for in BEFORE.get(name, ()):
        made = await ask(before, **with_ids(arguments, ids))
        assert not made.is_error, made.text
        if stands_for:
            ids[stands_for] = made.structured["record"]["id"]
    if "search" in tool:
        await app.worker.drain(tenant)

    answer = (await ask(tool, as_local=True, **with_ids(example["params"], ids))).structured

    shown = with_ids(expected(example, answer), ids)
    assert list(unlike(shown, answer, exactly="error" in example)) == []


def with_ids(value: JsonObject, ids: Mapping[str, str]) -> JsonObject:
    """The value with the ids of the records that were made in place of those of the example."""
    text = json.dumps(value)
    for shown, made in ids.items():
        text = text.replace(shown, made)
    replaced: JsonObject = json.loads(text)
    return replaced


def expected(example: JsonObject, answer: JsonObject) -> JsonObject:
    """The answer that the example shows, as far as it shows it."""
    if "response" in example:
        return dict(example["response"])
    error: JsonObject = example["error"]
    details = {"details": error["details"]} if "details" in error else {}
    if "error_code" in answer:
        return {"success": False, "error_code": error["code"], **details}
    return {"ok": False, "error": {"code": error["code"], **details}}


def test_examples_that_are_left_to_other_tests_exist() -> None:
    assert set(ELSEWHERE) | set(BEFORE) <= {(tool, each["name"]) for tool, each in EXAMPLES}
