"""Forms of a vCon: signed ones are unwrapped, encrypted ones refused, compressed ones opened."""

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from vcontract.runtime.documents import JsonObject
from vcontract.runtime.vcon.forms import MOST_BYTES, Encrypted, UnreadableForm, read_form, unwrap

UUID = "01928e10-193e-8231-b9a2-279e0d16bc46"
VCON: JsonObject = {"uuid": UUID, "subject": "Grüße", "parties": []}
Encoder = Callable[[bytes], bytes]


def plain(data: bytes) -> bytes:
    return data


def signed(document: JsonObject, *, uuid: str | None = None, encode: Encoder = plain) -> JsonObject:
    payload = base64.urlsafe_b64encode(encode(json.dumps(document).encode())).decode().rstrip("=")
    header = {"alg": "RS256", **({"uuid": uuid} if uuid else {})}
    return {"payload": payload, "signatures": [{"protected": "e30", "signature": "c2ln", "header": header}]}


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


def test_signed_file_keeps_its_text_as_it_was_written() -> None:
    text = json.dumps(signed(VCON), indent=3) + "\n"

    assert read_form(text.encode()).signed_form == text
    assert unwrap(json.loads(text), text=text).signed_form == text


@pytest.mark.parametrize("encode", [plain, gzip.compress])
def test_file_may_be_compressed_and_may_begin_with_a_byte_order_mark(encode: Encoder) -> None:
    assert read_form(encode(json.dumps(VCON).encode())).vcon == VCON
    assert read_form(encode(b"\xef\xbb\xbf" + json.dumps(VCON).encode())).vcon == VCON
    assert read_form(encode(json.dumps(signed(VCON)).encode())).vcon == VCON


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
        ({"payload": "bm90IGpzb24", "signatures": []}, "payload is not JSON"),
        ({"payload": base64.urlsafe_b64encode(b"[1]").decode(), "signatures": []}, "no object"),
        (
            {"payload": base64.urlsafe_b64encode(b"\x1f\x8bnonsense").decode(), "signatures": None},
            "decompressed",
        ),
        (endless(), "times over"),
    ],
    ids=range(7),
)
def test_payload_that_holds_no_vcon_is_refused_with_the_reason(document: JsonObject, why: str) -> None:
    with pytest.raises(UnreadableForm, match=why):
        unwrap(document)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b'{"a": NaN}', "not JSON"),
        (b'["a"]', "no object"),
        (gzip.compress(json.dumps(VCON).encode())[:-9], "ends too early"),
        (gzip.compress(b" " * (MOST_BYTES + 1)), "more than"),
    ],
    ids=range(6),
)
def test_file_that_holds_no_vcon_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(UnreadableForm, match=why):
        read_form(data)


def test_headers_of_any_type_are_passed_over() -> None:
    document: dict[str, Any] = signed(VCON)
    document["signatures"] = [None, {"header": "x"}, {"header": {"uuid": 5}}]

    (notice,) = unwrap(document).notices
    assert notice.path == "$.signatures[2].header.uuid"
