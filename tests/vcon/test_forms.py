"""Forms of a vCon: signed ones are unwrapped, encrypted ones refused, compressed ones opened."""

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.vcon.wrapped_forms import MAX_VCON_BYTES, Encrypted, UnreadableVcon, unwrap

UUID = "01928e10-193e-8231-b9a2-279e0d16bc46"
VCON: JsonObject = {"uuid": UUID, "subject": "Grüße", "parties": []}
Encoder = Callable[[bytes], bytes]


def plain(data: bytes) -> bytes:
    return data


def holding(payload: bytes) -> JsonObject:
    return {"payload": base64.urlsafe_b64encode(payload).decode().rstrip("="), "signatures": []}


def signed(document: JsonObject, *, uuid: str | None = None, encode: Encoder = plain) -> JsonObject:
    header = {"alg": "RS256", **({"uuid": uuid} if uuid else {})}
    signature = {"protected": "e30", "signature": "c2ln", "header": header}
    return {**holding(encode(json.dumps(document).encode())), "signatures": [signature]}


def test_plain_vcon_is_itself() -> None:
    unwrapped = unwrap(VCON)

    assert unwrapped.vcon is VCON
    assert (unwrapped.signed_form, unwrapped.notices) == (None, [])


@pytest.mark.parametrize("encode", [plain, gzip.compress])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_signed_vcon_is_unwrapped_through_every_layer(encode: Encoder, times: int) -> None:
    document = VCON
    for _ in range(times):
        document = signed(document, uuid=UUID, encode=encode)

    unwrapped = unwrap(document)

    assert unwrapped.vcon == VCON
    assert json.loads(unwrapped.signed_form or "") == document
    assert unwrapped.notices == []


def test_signed_vcon_keeps_its_text_as_it_was_written() -> None:
    text = json.dumps(signed(VCON), indent=3) + "\n"

    assert unwrap(json.loads(text), text=text).signed_form == text


@pytest.mark.parametrize("encode", [plain, gzip.compress])
def test_payload_may_begin_with_a_byte_order_mark(encode: Encoder) -> None:
    assert unwrap(signed(VCON, encode=lambda data: encode(b"\xef\xbb\xbf" + data))).vcon == VCON


def test_uuid_in_the_header_that_differs_is_a_notice() -> None:
    other = UUID.replace("0", "9")

    assert unwrap(signed(VCON, uuid=UUID.upper())).notices == []
    (notice,) = unwrap(signed(VCON, uuid=other)).notices
    assert notice.code == "signed_uuid_differs"
    assert notice.path == "$.signatures[0].header.uuid"
    assert other in notice.message


ENCRYPTED: JsonObject = {
    "ciphertext": "x",
    "recipients": [],
    "unprotected": {"uuid": UUID},
    "iv": "",
    "tag": "",
}


@pytest.mark.parametrize("document", [ENCRYPTED, signed(ENCRYPTED)])
def test_encrypted_vcon_is_refused_with_the_reason(document: JsonObject) -> None:
    with pytest.raises(Encrypted, match=f'"{UUID}" is encrypted; without the key'):
        unwrap(document)


def endless(times: int = 20) -> JsonObject:
    document = VCON
    for _ in range(times):
        document = signed(document, encode=gzip.compress)
    return document


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"payload": 5, "signatures": []}, "base64url"),
        ({"payload": "", "signatures": []}, "base64url"),
        ({"payload": "***", "signatures": []}, "base64url"),
        (holding(b"not json"), "payload is not JSON"),
        (holding(b"\xff\xfe{}"), "not JSON"),
        (holding(b'{"a": NaN}'), "not JSON"),
        (holding(b"[1]"), "not an object"),
        (holding(b"\x1f\x8bnonsense"), "decompressed"),
        (holding(gzip.compress(json.dumps(VCON).encode())[:-9]), "ends too early"),
        (holding(gzip.compress(b" " * (MAX_VCON_BYTES + 1))), "more than"),
        (endless(), "times over"),
    ],
    ids=range(11),
)
def test_payload_that_holds_no_vcon_is_refused_with_the_reason(document: JsonObject, why: str) -> None:
    with pytest.raises(UnreadableVcon, match=why):
        unwrap(document)


def test_headers_of_any_type_are_passed_over() -> None:
    document: dict[str, Any] = signed(VCON)
    document["signatures"] = [None, {"header": "x"}, {"header": {"uuid": 5}}]

    (notice,) = unwrap(document).notices
    assert notice.path == "$.signatures[2].header.uuid"


def test_names_that_stand_twice_are_noticed_in_the_form_and_in_its_payload() -> None:
    payload = json.dumps(VCON).replace('"subject"', '"subject": "Eve", "subject"').encode()
    text = json.dumps(holding(payload))[:-1] + ', "signatures": []}'

    unwrapped = unwrap(json.loads(text), text=text)

    assert unwrapped.vcon == VCON
    assert [(notice.code, notice.path) for notice in unwrapped.notices] == [
        ("doubled_member", "$.signatures"),
        ("doubled_member", "$.subject"),
    ]
