"""Nothing that reads a vCon changes it, whatever is in it."""

import copy
import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.conformance import VconSchemas, blocking_violations, reference_violations
from vcontract.runtime.vcon.dealers import Dealers
from vcontract.runtime.vcon.legacy import LegacyNames
from vcontract.runtime.vcon.tags import read_tags, write_tags
from vcontract.runtime.vcon.text import passages
from vcontract.runtime.vcon.times import conversation_time
from vcontract.runtime.vcon.wrapped_forms import UnreadableVcon, unwrap

NOW = datetime(2026, 1, 2, tzinfo=UTC)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 5),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        ["none", "json", "base64url", "text/html", "SHA-512", "A" * 86, "text", "transfer", "tags"]
    ),
    st.sampled_from(
        ['["a:b"]', '{"transcript": "x"}', "https://example.com/a", "2025-10-14T10:30:00", "strolid_dealer"]
    ),
)
TOP = (
    *(
        "vcon",
        "uuid",
        "created_at",
        "subject",
        "extensions",
        "critical",
        "must_support",
        "redacted",
        "amended",
    ),
    *("appended", "group", "tags", "payload", "signatures"),
)
OF_ELEMENT = (
    *(
        "type",
        "purpose",
        "start",
        "duration",
        "parties",
        "party",
        "originator",
        "recordings",
        "recording_set",
    ),
    *(
        "mediatype",
        "mimetype",
        "filename",
        "body",
        "encoding",
        "url",
        "content_hash",
        "alg",
        "signature",
        "schema",
    ),
    *(
        "session_id",
        "party_history",
        "transfer-target",
        "transfer_target",
        "original",
        "dialog",
        "attachment",
    ),
    *(
        "vendor",
        "schema_version",
        "name",
        "tel",
        "id",
        "did",
        "civicaddress",
        "event",
        "dtmf",
        "time",
        "text",
    ),
    *("speaker", "segments", "transcript", "messages", "content", "results", "payload", "signatures"),
    *("ciphertext", "recipients"),
)


def values(names: Sequence[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(names), inner, max_size=4)
        ),
        max_leaves=6,
    )


elements = st.one_of(st.dictionaries(st.sampled_from(OF_ELEMENT), values(OF_ELEMENT), max_size=8), scalars)
arrays = st.one_of(st.lists(elements, max_size=3), scalars)


def joined(top: JsonObject, parts: JsonObject) -> JsonObject:
    return {**top, **parts}


vcons = st.builds(
    joined,
    st.dictionaries(st.sampled_from(TOP), values(OF_ELEMENT), max_size=6),
    st.dictionaries(st.sampled_from(["parties", "dialog", "analysis", "attachments"]), arrays, max_size=4),
)


def printed(document: Any) -> str:
    return json.dumps(document)


@settings(max_examples=400, deadline=None)
@given(document=vcons)
def test_any_document_is_read_without_failing_and_without_being_changed(
    document: JsonObject, schemas: VconSchemas, legacy_names: LegacyNames, dealers: Dealers
) -> None:
    given_text = printed(document)

    translated, renames = legacy_names.translate(document)
    translated_text = printed(translated)
    again, no_renames = legacy_names.translate(translated)
    blocking_violations(translated)
    reference_violations(translated)
    report = schemas.check(translated)
    conversation_time(translated, NOW)
    tags, _ = read_tags(translated)
    write_tags(translated, {**tags, "new": 1})
    dealers.find(translated)
    found = passages(translated)
    with suppress(UnreadableVcon):
        unwrap(document)

    assert printed(document) == given_text
    assert printed(translated) == translated_text
    assert (len(report.violations) == 0) == report.valid
    assert len({violation.path for violation in schemas.all_violations(translated)}) == report.violation_count
    assert all(passage.content == passage.content.strip() != "" for passage in found)
    assert (translated_text == given_text) == (renames == [])
    if not {"must_understand"} & translated.keys():
        assert (printed(again), no_renames) == (translated_text, [])


def test_shared_parts_of_a_translation_are_not_changed_by_writing_tags(legacy_names: LegacyNames) -> None:
    document = {"attachments": [{"type": "tags", "mimetype": "a/b", "body": {"a": 1}}]}
    before = copy.deepcopy(document)

    translated, _ = legacy_names.translate(document)
    written = write_tags(translated, {"a": 2})

    assert document == before
    assert translated["attachments"][0]["body"] == {"a": 1}
    assert written["attachments"][0]["body"] == {"a": 2}
