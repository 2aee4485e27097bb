"""Every example that the reference prints succeeds as printed, given the vCon that it names."""

from tests.conftest import Call
from vcontract.runtime.app import App
from vcontract.runtime.frame.documents.json import JsonObject

UUID = "123e4567-e89b-12d3-a456-426614174000"
SUPPORT = {"department": "support", "priority": "high", "status": "open", "customer_id": "CUST-12345"}

PRINTED: list[tuple[str, JsonObject]] = [
    (
        "create_vcon",
        {
            "vcon_data": {
                "vcon": "0.3.0",
                "subject": "Customer Support Call",
                "parties": [
                    {"name": "Agent Smith", "mailto": "smith@company.com", "role": "agent"},
                    {"name": "John Doe", "tel": "+1-555-1234", "role": "customer"},
                ],
            }
        },
    ),
    ("get_vcon", {"uuid": UUID}),
    (
        "add_dialog",
        {
            "vcon_uuid": UUID,
            "dialog": {
                "type": "text",
                "start": "2025-10-14T10:30:00Z",
                "parties": [0, 1],
                "originator": 1,
                "body": "Hello, I need help with my account.",
                "encoding": "none",
            },
        },
    ),
    (
        "add_analysis",
        {
            "vcon_uuid": UUID,
            "analysis": {
                "type": "sentiment",
                "vendor": "OpenAI",
                "product": "GPT-4",
                "schema": "v1.0",
                "body": '{"sentiment": "positive", "score": 0.85, "confidence": 0.92}',
                "encoding": "json",
                "dialog": [0],
            },
        },
    ),
    (
        "add_attachment",
        {
            "vcon_uuid": UUID,
            "attachment": {
                "type": "invoice",
                "mediatype": "application/pdf",
                "filename": "invoice-12345.pdf",
                "body": "base64-encoded-pdf-content",
                "encoding": "base64url",
            },
        },
    ),
    ("search_vcons", {"subject": "support", "start_date": "2025-10-01T00:00:00Z", "limit": 20}),
    (
        "search_vcons_content",
        {"query": "billing issue refund", "tags": {"department": "support"}, "limit": 25},
    ),
    (
        "search_vcons_semantic",
        {
            "query": "customer frustrated about late delivery",
            "threshold": 0.75,
            "tags": {"priority": "high"},
            "limit": 15,
        },
    ),
    (
        "search_vcons_hybrid",
        {
            "query": "pricing discussion discount",
            "semantic_weight": 0.5,
            "tags": {"department": "sales"},
            "limit": 20,
        },
    ),
    (
        "search_by_tags",
        {"tags": {"department": "support", "priority": "high", "status": "open"}, "limit": 25},
    ),
    ("get_unique_tags", {"include_counts": True, "key_filter": "department"}),
    ("add_tag", {"vcon_uuid": UUID, "key": "department", "value": "sales"}),
    ("get_all_tags", {"vcon_uuid": UUID}),
    (
        "update_tags",
        {
            "vcon_uuid": UUID,
            "tags": {"status": "closed", "resolution": "resolved", "resolved_at": "2025-10-14T15:30:00Z"},
            "merge": True,
        },
    ),
    (
        "update_vcon",
        {"uuid": UUID, "updates": {"subject": "Updated: Customer Support Call - Resolved"}},
    ),
    (
        "create_vcon_from_template",
        {
            "template_name": "phone_call",
            "subject": "Sales Call",
            "parties": [
                {"name": "Sales Rep", "mailto": "rep@company.com"},
                {"name": "Prospect", "mailto": "prospect@client.com"},
            ],
        },
    ),
    ("delete_vcon", {"uuid": UUID, "confirm": True}),
]


async def test_all_printed_examples_succeed(call: Call, app: App, tenant: str) -> None:
    turns = [
        "I have a billing issue and want a refund.",
        "The customer is frustrated about the late delivery.",
    ]
    named = {
        "uuid": UUID,
        "created_at": "2025-10-14T10:00:00Z",
        "subject": "Customer support",
        "parties": [{"name": "Agent"}, {"name": "Customer"}],
        "dialog": [{"type": "text", "parties": 1, "encoding": "none", "body": turn} for turn in turns],
    }
    await call("create_vcon", vcon_data=named, metadata={"tags": SUPPORT}, validate_before_insert=False)
    answers: dict[str, JsonObject] = {}
    for tool, arguments in PRINTED:
        await app.worker.drain(tenant)
        answers[tool] = await call(tool, **arguments)

    assert {tool: answer["success"] for tool, answer in answers.items()} == {
        tool: True for tool, _ in PRINTED
    }
    assert [vcon["uuid"] for vcon in answers["search_vcons"]["vcons"]] == [
        answers["create_vcon"]["uuid"],
        UUID,
    ]
    assert {result["vcon_id"] for result in answers["search_vcons_content"]["results"]} == {UUID}
    assert [result["vcon_id"] for result in answers["search_vcons_semantic"]["results"]] == [UUID]
    assert answers["search_vcons_hybrid"]["results"] == []
    assert answers["search_by_tags"]["vcon_uuids"] == [UUID]
    assert answers["get_unique_tags"]["unique_keys"] == ["department"]
    assert answers["get_all_tags"]["tags"] == {**SUPPORT, "department": "sales"}
    assert answers["update_tags"]["count"] == 6
    assert answers["delete_vcon"]["deleted_uuid"] == UUID
