"""Webhooks: signed so that receivers can verify them, and sent to public addresses only."""

import asyncio
import socket

import pytest

from vcontract.runtime.vcon.trust import sending, webhooks
from vcontract.runtime.vcon.trust.sending import NotSent, Sender

SECRET = webhooks.parse_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
BODY = b'{"test": 2432232314}'
AT = 1614265330
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
"""Source: the test vector of Standard Webhooks' own libraries."""


def test_the_published_vector_is_signed_as_published() -> None:
    assert webhooks.signed_headers(SECRET, HEADERS["webhook-id"], AT, BODY) == HEADERS
    assert webhooks.is_signed(SECRET, HEADERS, BODY)


def test_one_signature_of_several_is_enough() -> None:
    several = f"v1a,x v1,{'A' * 43}= {HEADERS['webhook-signature']}"

    assert webhooks.is_signed(SECRET, {**HEADERS, "webhook-signature": several}, BODY)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "other"},
        {"webhook-timestamp": str(AT + 1)},
        {"webhook-signature": ""},
        {"webhook-signature": HEADERS["webhook-signature"].replace("v1,", "v2,")},
        {"webhook-signature": "v1,ö"},
        {"webhook-signature": f"{'v1,x ' * 10}{HEADERS['webhook-signature']}"},
    ],
)
def test_what_was_changed_is_not_signed(change: dict[str, str]) -> None:
    assert not webhooks.is_signed(SECRET, {**HEADERS, **change}, BODY)
    assert not webhooks.is_signed(SECRET, HEADERS, BODY + b" ")


@pytest.mark.parametrize(
    ("change", "now", "recent"),
    [
        ({}, AT + 300, True),
        ({}, AT - 300, True),
        ({}, AT + 301, False),
        ({}, AT - 301, False),
        ({"webhook-timestamp": "soon"}, AT, False),
        ({"webhook-timestamp": "9" * 400}, AT, False),
        ({"webhook-timestamp": ""}, AT, False),
        ({"webhook-id": ""}, AT, False),
        ({"webhook-id": "x" * 201}, AT, False),
    ],
)
def test_only_what_was_sent_about_now_is_recent(change: dict[str, str], now: float, recent: bool) -> None:
    assert webhooks.is_recent({**HEADERS, **change}, now) is recent


@pytest.mark.parametrize(
    "text", ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_*", f"whsec_{'A' * 88}"]
)
def test_what_is_no_secret_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="24 to 64 bytes"):
        webhooks.parse_secret(text)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "ftp://example.com/",
        "https:///x",
        "https://ann:pw@example.com/",
        "https://example.com/#x",
        "no address",
        "https://[::1/",
    ],
)
def test_an_address_that_could_not_be_sent_to_is_refused_at_once(url: str) -> None:
    with pytest.raises(NotSent):
        Sender().check(url)


@pytest.mark.parametrize(
    "host",
    [
        *(
            "127.0.0.1",
            "127.1",
            "2130706433",
            "localhost",
            "0.0.0.0",  # noqa: S104
            "10.0.0.1",
            "192.168.1.1",
            "172.16.0.1",
        ),
        *("169.254.169.254", "100.64.0.1", "224.0.0.1", "[::1]", "[::]", "[fe80::1]", "[fd00::1]"),
        *("[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[ff02::1]"),
        *("[64:ff9b:1::7f00:1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[fec0::1]", "192.0.0.8"),
        *("[3fff::1]", "[5f00::1]", "[::8.8.8.8%25eth0]", "a" * 300 + ".example", "a" * 64 + ".example"),
    ],
)
async def test_nothing_is_sent_to_a_machine_that_only_we_can_reach(host: str) -> None:
    with pytest.raises(NotSent, match=r"no public one|leads nowhere"):
        await Sender().post(f"https://{host}:1/", {}, b"")


async def test_a_name_that_leads_to_a_private_address_too_is_not_sent_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def resolved(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", (address, 443)) for address in ("8.8.8.8", "10.0.0.1")]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolved)
    with pytest.raises(NotSent, match="no public one"):
        await Sender().post("https://hooks.example/", {}, b"")


async def test_who_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(NotSent, match="no answer"):
            await Sender(["127.0.0.1"]).post(url, {}, b"")
