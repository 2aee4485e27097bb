"""Legacy names become current ones, each reported, and never at the cost of a current one."""

import jsonschema_rs
import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.legacy import LegacyNames, Rename
from vcontract.runtime.vcon.spec_files import shipped_json, shipped_yaml

DIGEST = "rLX3IBvcRU2gjN2ouDT6JQRbZNzf2E-DiCpvnKpw4t6wyHI0eLB5BJnifbcN5f8Z8uPuFrUD_xfeAMY9L2YjZA"
HASH = f"sha512-{DIGEST}"
OLD_HASH = "alg + signature"

RENAMED: list[tuple[JsonObject, JsonObject, list[Rename]]] = [
    ({"appended": {"uuid": "x"}}, {"amended": {"uuid": "x"}}, [Rename("$.amended", "appended", "amended")]),
    ({"appended": None}, {"amended": None}, [Rename("$.amended", "appended", "amended")]),
    ({"must_support": ["a"]}, {"critical": ["a"]}, [Rename("$.critical", "must_support", "critical")]),
    ({"must_understand": []}, {"critical": []}, [Rename("$.critical", "must_understand", "critical")]),
    (
        {"must_understand": ["b"], "must_support": ["a"]},
        {"must_understand": ["b"], "critical": ["a"]},
        [Rename("$.critical", "must_support", "critical")],
    ),
    *(
        (
            {array: [{}, {"mimetype": 5}]},
            {array: [{}, {"mediatype": 5}]},
            [Rename(f"$.{array}[1].mediatype", "mimetype", "mediatype")],
        )
        for array in ("dialog", "analysis", "attachments")
    ),
    *(
        (
            {array: [{"schema_version": "1"}]},
            {array: [{"schema": "1"}]},
            [Rename(f"$.{array}[0].schema", "schema_version", "schema")],
        )
        for array in ("analysis", "attachments")
    ),
    *(
        (
            {"dialog": [{old: [0]}]},
            {"dialog": [{new: [0]}]},
            [Rename(f"$.dialog[0].{new}", old, new)],
        )
        for old, new in (("transfer-target", "transfer_target"), ("target-dialog", "target_dialog"))
    ),
    (
        {"dialog": [{"party_history": [{"event": "dtmfdown", "dtmf": "1"}, {"event": "dtmfup"}]}]},
        {"dialog": [{"party_history": [{"event": "keydown", "button": "1"}, {"event": "keyup"}]}]},
        [
            Rename("$.dialog[0].party_history[0].button", "dtmf", "button"),
            Rename("$.dialog[0].party_history[0].event", "dtmfdown", "keydown"),
            Rename("$.dialog[0].party_history[1].event", "dtmfup", "keyup"),
        ],
    ),
    *(
        (
            {array: [{"alg": spelling, "signature": DIGEST}]},
            {array: [{"content_hash": HASH}]},
            [Rename(f"$.{array}[0].content_hash", OLD_HASH, "content_hash")],
        )
        for array in ("dialog", "analysis", "attachments")
        for spelling in ("SHA-512", "sha512", "SHA_512", "sha-512")
    ),
    (
        {"redacted": {"alg": "SHA-512", "signature": f"{DIGEST}=="}},
        {"redacted": {"content_hash": HASH}},
        [Rename("$.redacted.content_hash", OLD_HASH, "content_hash")],
    ),
    (
        {"appended": {"alg": "SHA-512", "signature": DIGEST}},
        {"amended": {"content_hash": HASH}},
        [
            Rename("$.amended", "appended", "amended"),
            Rename("$.amended.content_hash", OLD_HASH, "content_hash"),
        ],
    ),
]

KEPT: list[JsonObject] = [
    {"appended": {}, "amended": None},
    {"must_support": ["a"], "must_understand": ["b"], "critical": ["c"]},
    {"dialog": [{"mimetype": "a/b", "mediatype": "c/d"}]},
    {"dialog": [{"transfer-target": 0, "transfer_target": 1, "target-dialog": 0, "target_dialog": 1}]},
    {"dialog": [{"party_history": [{"event": "keyup", "dtmf": "1", "button": "2"}, None, "x"]}]},
    {"analysis": [{"schema": "1", "schema_version": "2"}]},
    {"dialog": [{"schema_version": "2", "event": "dtmfup", "dtmf": "1"}]},
    {"parties": [{"mimetype": "a/b"}], "mimetype": "a/b"},
    {"dialog": [{"alg": "SHA-512", "signature": DIGEST, "content_hash": "sha512-x"}]},
    {"dialog": [{"alg": "SHA-512", "signature": "abc123"}]},
    {"dialog": [{"alg": "SHA-256", "signature": DIGEST}]},
    {"dialog": [{"alg": "SHA-512"}, {"signature": DIGEST}, {"alg": 512, "signature": DIGEST}]},
    {"dialog": [{"body": {"mimetype": "a/b"}, "meta": {"alg": "SHA-512", "signature": DIGEST}}]},
    {"dialog": [None, "x"], "analysis": "x", "attachments": None, "redacted": [], "amended": 5},
]


@pytest.mark.parametrize(("given", "stored", "renames"), RENAMED)
def test_legacy_name_is_stored_under_the_current_one_and_reported(
    legacy_names: LegacyNames, given: JsonObject, stored: JsonObject, renames: list[Rename]
) -> None:
    assert legacy_names.translate(given) == (stored, renames)


@pytest.mark.parametrize("given", KEPT)
def test_what_is_no_legacy_name_or_has_a_current_one_beside_it_stays(
    legacy_names: LegacyNames, given: JsonObject
) -> None:
    assert legacy_names.translate(given) == (given, [])


def test_renamed_members_keep_their_places(legacy_names: LegacyNames) -> None:
    given = {"dialog": [{"type": "text", "mimetype": "a/b", "alg": "SHA-512", "signature": DIGEST, "z": 1}]}

    stored, _ = legacy_names.translate(given)

    assert list(stored["dialog"][0]) == ["type", "mediatype", "content_hash", "z"]


def test_one_element_is_translated_with_the_path_it_is_given(legacy_names: LegacyNames) -> None:
    dialog = {"mimetype": "a/b", "party_history": [{"dtmf": "1"}]}

    assert legacy_names.translate_element("dialog", dialog, "$.dialog") == (
        {"mediatype": "a/b", "party_history": [{"button": "1"}]},
        [
            Rename("$.dialog.mediatype", "mimetype", "mediatype"),
            Rename("$.dialog.party_history[0].button", "dtmf", "button"),
        ],
    )
    assert legacy_names.translate_element("attachments", {"schema_version": 1}, "$.a")[0] == {"schema": 1}
    assert legacy_names.translate_element("parties", {"mimetype": "x"}, "$.p") == ({"mimetype": "x"}, [])


def test_table_lists_every_rule_once_per_object(legacy_names: LegacyNames) -> None:
    lines = [(line.object, line.legacy, line.current) for line in legacy_names.table]

    assert len(lines) == len(set(lines))
    assert ("vcon", "must_support", "critical") in lines
    assert ("redacted", OLD_HASH, "content_hash") in lines
    assert ("party_history", "event: dtmfup", "event: keyup") in lines
    assert len(lines) == 18


@pytest.mark.parametrize(
    ("schema", "parts"), [("legacy", ("vcon", "legacy.yaml")), ("dealers", ("dealers.yaml",))]
)
def test_data_file_fits_its_own_schema(schema: str, parts: tuple[str, ...]) -> None:
    jsonschema_rs.validate(shipped_json("meta", f"{schema}.schema.json"), shipped_yaml(*parts))
