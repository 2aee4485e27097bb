"""Trust: signatures against what is trusted, encryption for recipients, hashes of content."""

import base64
import copy
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from joserfc.jwk import ECKey, RSAKey

from tests.keys import EC_KEY, LEAF, NOW, OTHER_RSA_KEY, ROOT, RSA_KEY, certificate, pem
from vcontract.runtime.frame.documents.json import JsonObject, dump_json, parse_json
from vcontract.runtime.vcon.trust.encryption import decrypt, encrypt
from vcontract.runtime.vcon.trust.fetching import Fetcher
from vcontract.runtime.vcon.trust.hashes import check, content_hash, hashed_elements, with_hashes
from vcontract.runtime.vcon.trust.key_errors import UnusableKey
from vcontract.runtime.vcon.trust.keys import (
    PrivateKey,
    PublicKey,
    Signer,
    Trusted,
    read_recipients,
    read_signer,
    read_trusted,
)
from vcontract.runtime.vcon.trust.signatures import Verifier, addresses_of_certificates, sign
from vcontract.runtime.vcon.wrapped_forms import UnreadableVcon, payload_of

UUID = "01928e10-193e-8231-b9a2-279e0d16bc46"
VCON: JsonObject = {"uuid": UUID, "created_at": "2026-01-01T00:00:00Z", "parties": [{"name": "Ann"}]}
VECTORS: dict[str, Any] = json.loads(Path(__file__).with_name("jose_vectors.json").read_text())


def outcomes(vcon: JsonObject) -> list[str]:
    return [check(path, element).outcome for path, element in hashed_elements(vcon)]


def verifier(
    *, anchors: Sequence[x509.Certificate] = (), keys: Sequence[PublicKey] = (), now: datetime = NOW
) -> Verifier:
    return Verifier(Trusted(tuple(anchors), tuple(keys)), now)


def changed(signed: JsonObject) -> JsonObject:
    other = dump_json({**VCON, "subject": "not what was signed"})
    return {**signed, "payload": base64.urlsafe_b64encode(other).decode().rstrip("=")}


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RS256", "ES256"])
def test_what_a_trusted_key_signed_is_verified_and_holds_the_same_vcon(key: PrivateKey) -> None:
    signed = sign(dump_json(VCON), UUID, Signer(key))

    found = verifier(keys=[OTHER_RSA_KEY.public_key(), key.public_key()]).verify(signed)

    assert (found.status, [one.reason for one in found.signatures]) == ("verified", ["trusted_key"])
    assert payload_of(signed) == VCON
    assert parse_json(dump_json(signed)) == signed


@pytest.mark.parametrize("key", [RSA_KEY, EC_KEY], ids=["RS256", "ES256"])
def test_a_changed_payload_breaks_the_signature_of_a_trusted_key(key: PrivateKey) -> None:
    signed = changed(sign(dump_json(VCON), UUID, Signer(key)))

    found = verifier(keys=[key.public_key()]).verify(signed)

    assert (found.status, found.signatures[0].reason) == ("broken", "signature_wrong")


def test_certificates_that_lead_to_an_anchor_verify_and_name_the_signer() -> None:
    signed = sign(dump_json(VCON), UUID, Signer(RSA_KEY, (LEAF,)))

    found = verifier(anchors=[ROOT]).verify(signed)

    assert (found.status, found.signatures[0].signer) == ("verified", "CN=Calls of Example")
    assert verifier(anchors=[LEAF]).verify(signed).status == "verified"
    assert verifier(anchors=[ROOT]).verify(changed(signed)).status == "broken"


@pytest.mark.parametrize(
    ("anchors", "now", "said"),
    [
        ([], NOW, "No certificate is trusted here."),
        (
            [certificate("Root", OTHER_RSA_KEY, "Root", OTHER_RSA_KEY, is_ca=True)],
            NOW,
            "candidates exhausted",
        ),
        ([ROOT], NOW + timedelta(days=400), "was valid until 2027-06-01"),
        ([LEAF], NOW - timedelta(days=2), "is valid from 2026-05-31 on"),
    ],
    ids=["nothing_trusted", "another_root", "expired", "not_yet"],
)
def test_certificates_that_are_not_trusted_leave_the_signature_unverified(
    anchors: list[x509.Certificate], now: datetime, said: str
) -> None:
    signed = sign(dump_json(VCON), UUID, Signer(RSA_KEY, (LEAF,)))

    found = verifier(anchors=anchors, now=now).verify(signed)

    assert (found.status, found.signatures[0].reason) == ("unverified", "certificate_not_trusted")
    assert said in str(found.signatures[0].detail)


def test_a_certificate_that_may_not_issue_others_vouches_for_none() -> None:
    issued = certificate("Somebody", EC_KEY, "Calls of Example", RSA_KEY)
    signed = sign(dump_json(VCON), UUID, Signer(EC_KEY, (issued, LEAF)))

    assert verifier(anchors=[ROOT]).verify(signed).status == "unverified"


@pytest.mark.parametrize(
    ("may_issue", "status"), [(None, "verified"), (True, "verified"), (False, "unverified")]
)
def test_the_key_usage_of_an_issuer_counts(may_issue: bool | None, status: str) -> None:
    between = certificate("Between", RSA_KEY, "Root", EC_KEY, is_ca=True, may_issue=may_issue)
    issued = certificate("Somebody", OTHER_RSA_KEY, "Between", RSA_KEY)
    signed = sign(dump_json(VCON), UUID, Signer(OTHER_RSA_KEY, (issued, between)))

    found = verifier(anchors=[ROOT]).verify(signed)

    assert found.status == status
    assert status == "verified" or "keyCertSign" in str(found.signatures[0].detail)


def test_signatures_that_are_too_many_to_be_checked_verify_nothing() -> None:
    signed = sign(dump_json(VCON), UUID, Signer(RSA_KEY))
    trusted = verifier(keys=[RSA_KEY.public_key()])
    sixteen: Any = [*signed["signatures"]] * 16
    wrong: Any = {**copy.deepcopy(signed["signatures"][0]), "signature": "AAAA"}

    assert trusted.verify({**signed, "signatures": sixteen}).status == "verified"
    found = trusted.verify({**signed, "signatures": [*sixteen, wrong]})

    assert (found.status, found.signatures[-1].reason) == ("unverified", "too_many_signatures")
    assert "17 signatures" in str(found.signatures[-1].detail)


def test_a_key_that_nobody_trusts_verifies_nothing() -> None:
    signed = sign(dump_json(VCON), UUID, Signer(RSA_KEY))

    assert verifier(keys=[OTHER_RSA_KEY.public_key()]).verify(signed).status == "unverified"
    assert verifier().verify(signed).signatures[0].reason == "no_trusted_key_fits"


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS384", None])
def test_an_algorithm_that_is_not_on_the_list_is_not_even_tried(algorithm: str | None) -> None:
    signed = sign(dump_json(VCON), UUID, Signer(RSA_KEY))
    member: Any = copy.deepcopy(signed["signatures"])
    member[0]["header"]["alg"] = algorithm

    found = verifier(keys=[RSA_KEY.public_key()]).verify({**signed, "signatures": member})

    assert (found.status, found.signatures[0].reason) == ("unverified", "algorithm_not_allowed")


def test_one_broken_signature_breaks_what_another_verified() -> None:
    first, second = (sign(dump_json(VCON), UUID, Signer(key)) for key in (RSA_KEY, EC_KEY))
    both: Any = [*copy.deepcopy(first["signatures"]), *copy.deepcopy(second["signatures"])]
    trusted = verifier(keys=[RSA_KEY.public_key(), EC_KEY.public_key()])
    assert trusted.verify({**first, "signatures": both}).status == "verified"

    both[1]["signature"] = both[0]["signature"]

    assert trusted.verify({**first, "signatures": both}).status == "broken"


def test_what_was_signed_again_is_checked_in_every_layer() -> None:
    inner = sign(dump_json(VCON), UUID, Signer(RSA_KEY))
    trusted = verifier(keys=[RSA_KEY.public_key(), EC_KEY.public_key()])

    whole = trusted.verify(sign(dump_json(inner), UUID, Signer(EC_KEY)))
    within = trusted.verify(sign(dump_json(changed(inner)), UUID, Signer(EC_KEY)))

    assert (whole.status, len(whole.signatures)) == ("verified", 2)
    assert within.status == "broken"


@pytest.mark.parametrize(
    "member",
    [
        {},
        {"protected": "@"},
        {"protected": "bm8", "signature": "AA"},
        {"header": {"alg": "RS256", "x5c": []}},
    ],
)
def test_a_malformed_signature_is_told_and_raises_nothing(member: JsonObject) -> None:
    found = verifier(keys=[RSA_KEY.public_key()]).verify({"payload": "e30", "signatures": [member]})

    assert found.status in {"broken", "unverified"}


def test_a_document_without_signatures_is_broken() -> None:
    assert verifier().verify({"payload": "e30", "signatures": []}).status == "broken"


def test_certificates_elsewhere_are_named_and_used_only_when_they_were_fetched() -> None:
    signed = sign(dump_json(VCON), UUID, Signer(RSA_KEY, (LEAF,)))
    member: Any = copy.deepcopy(signed["signatures"])
    del member[0]["header"]["x5c"]
    member[0]["header"]["x5u"] = "https://keys.example/calls.pem"
    elsewhere: JsonObject = {**signed, "signatures": member}

    assert addresses_of_certificates(elsewhere) == ["https://keys.example/calls.pem"]
    assert verifier(anchors=[ROOT]).verify(elsewhere).signatures[0].reason == "certificate_elsewhere"
    fetched = Verifier(Trusted((ROOT,)), NOW, {"https://keys.example/calls.pem": (LEAF,)})
    assert fetched.verify(elsewhere).status == "verified"


@pytest.mark.parametrize(
    ("url", "may"),
    [
        ("https://keys.example/a.pem", True),
        ("http://keys.example/a.pem", False),
        ("https://keys.example.evil/a.pem", False),
        ("https://keys.example@evil.example/a.pem", False),
        ("file:///etc/passwd", False),
        ("https://[", False),
    ],
)
def test_only_allowed_hosts_are_asked_and_only_over_https(url: str, may: bool) -> None:
    assert Fetcher({"keys.example"}).may_fetch(url) is may


def test_signatures_of_the_standard_are_verified() -> None:
    """Source: RFC 7515, appendix A.6."""
    vector = VECTORS["rfc7515_a6"]
    rsa_key, ec_key = RSAKey.import_key(vector["keys"][0]), ECKey.import_key(vector["keys"][1])

    found = verifier(keys=[rsa_key.public_key, ec_key.public_key]).verify(vector["signed"])

    assert [one.reason for one in found.signatures] == ["trusted_key", "trusted_key"]


def test_each_recipient_reads_what_was_encrypted_and_nobody_else() -> None:
    signed = sign(dump_json(VCON), UUID, Signer(EC_KEY))

    encrypted = encrypt(signed, UUID, [RSA_KEY.public_key(), OTHER_RSA_KEY.public_key()])

    assert decrypt(encrypted, [EC_KEY, OTHER_RSA_KEY]) == decrypt(encrypted, [RSA_KEY]) == signed
    assert encrypted["unprotected"] == {"cty": "application/vcon", "enc": "A256CBC-HS512", "uuid": UUID}
    with pytest.raises(UnreadableVcon, match="no configured key opens it"):
        decrypt(encrypted, [EC_KEY])


@pytest.mark.parametrize("name", ["ciphertext", "tag", "iv"])
def test_an_encrypted_vcon_that_was_changed_is_not_read(name: str) -> None:
    encrypted = encrypt(sign(dump_json(VCON), UUID, Signer(EC_KEY)), UUID, [RSA_KEY.public_key()])
    text = str(encrypted[name])

    with pytest.raises(UnreadableVcon):
        decrypt({**encrypted, name: ("B" if text[0] == "A" else "A") + text[1:]}, [RSA_KEY])


def test_encryption_of_the_standard_is_opened() -> None:
    """What is in it is a sentence, so that it is refused only after it was opened. Source: RFC 7516, A.1."""
    vector = VECTORS["rfc7516_a1"]
    key = RSAKey.import_key(vector["key"]).private_key
    assert isinstance(key, rsa.RSAPrivateKey)

    with pytest.raises(UnreadableVcon, match="What is encrypted is not JSON"):
        decrypt(vector["encrypted"], [key])


def test_hashes_are_made_of_what_is_inline_and_found_wrong_when_it_changed() -> None:
    hashed = with_hashes({"dialog": [{"body": "aGk", "encoding": "base64url"}, {"url": "https://example/1"}]})

    assert hashed["dialog"][0]["content_hash"] == content_hash(b"hi")
    assert "content_hash" not in hashed["dialog"][1]
    assert outcomes(hashed) == ["right"]
    assert with_hashes(hashed) == hashed
    hashed["dialog"][0]["body"] = "aGkh"
    assert outcomes(hashed) == ["wrong"]


def test_hashes_that_cannot_be_checked_say_why() -> None:
    found = outcomes(
        {
            "dialog": [
                {"url": "https://example/1", "content_hash": content_hash(b"x")},
                {"body": "x", "content_hash": "md5-abc"},
                {"content_hash": content_hash(b"x")},
                {"body": "x", "content_hash": ["md5-abc", content_hash(b"x")]},
            ]
        }
    )

    assert found == ["not_fetched", "algorithm_not_known", "no_content", "right"]


def test_keys_are_read_from_pem_with_the_certificates_beside_them() -> None:
    assert read_signer(pem(RSA_KEY, LEAF, ROOT)).chain == (LEAF, ROOT)
    assert read_trusted(pem(ROOT, EC_KEY.public_key())) == Trusted((ROOT,), (EC_KEY.public_key(),))
    assert read_recipients(pem(LEAF)) == (RSA_KEY.public_key(),)


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (read_trusted, "no key", "nothing in PEM"),
        (read_trusted, pem(RSA_KEY), "no certificate and no public key"),
        (read_signer, pem(LEAF), "no private key"),
        (read_signer, pem(EC_KEY, LEAF), "is of another key"),
        (read_signer, pem(ec.generate_private_key(ec.SECP384R1())), "P-256 is"),
        (read_signer, pem(rsa.generate_private_key(65537, 1024)), "1024 bits"),  # noqa: S505 (what is refused)
        (read_signer, "-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----", "cannot be read"),
    ],
    ids=["no_pem", "private", "no_key", "other_certificate", "other_curve", "short", "damaged"],
)
def test_a_key_that_cannot_be_used_is_refused_with_the_reason(read: Any, text: str, said: str) -> None:
    with pytest.raises(UnusableKey, match=said):
        read(text)
