"""Signatures, against the vectors of others."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from frontdesk import Agent, Unusable, _json, load_key, signing

AT = datetime(2026, 3, 14, 1, 57, 14, tzinfo=timezone.utc)
KEY = Ed25519PrivateKey.from_private_bytes(bytes([7] * 32))


def test_aip_signature_is_that_of_openssl() -> None:
    """The command of docs/intent-client.md prints this signature."""
    at = datetime(2025, 11, 14, 18, 22, 1, tzinfo=timezone.utc)
    mac = signing._mac(b"an example secret, not for use", "POST", "/pag/retrieve", b'{"aip_version":"0.1"}', signing.format_time(at), "9f2c4b7a1d")
    assert base64.b64encode(mac).decode() == "254gyQg+CESB6PPzI0Ia/0del8r4sx6/F4ILK4jzYcM="


def test_http_signature_covers_what_ramp_asks_for() -> None:
    """The base is that of docs/ramp-requesters.md."""
    digest = "sha-256=:wW0PZXA5i4GDKigI5HrM1hJVXa7sycyesB5s9TKusbc=:"
    at = datetime.fromtimestamp(1773451434, timezone.utc)
    parameters = signing.Parameters("buyer.example.com#k1", at)
    url = "https://ramp.example.com/ramp.v1.ExchangeService/DiscoverResources"
    signed = signing.sign_http("POST", url, {"content-digest": digest}, parameters, KEY)
    said = '("@method" "@target-uri" "content-digest");keyid="buyer.example.com#k1";alg="ed25519";created=1773451434;expires=1773451734'
    base = f'"@method": POST\n"@target-uri": {url}\n"content-digest": {digest}\n"@signature-params": {said}'
    assert signed["Signature-Input"] == "agent=" + said
    assert signed["Signature"] == f"agent=:{base64.b64encode(KEY.sign(base.encode())).decode()}:"


def test_thumbprint_is_that_of_the_draft() -> None:
    """The key of RFC 9421, appendix B.1.4, as the vectors of Web Bot Auth have it."""
    public = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs="))
    assert signing.thumbprint(public) == "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


def test_agent_signs_over_https_alone() -> None:
    agent = Agent("https://bots.example.com/.well-known/http-message-signatures-directory", KEY)
    assert agent.headers("GET", "http://127.0.0.1/ask", AT) == {}
    headers = agent.headers("POST", "https://Desk.example:443/ask?x=1", AT)
    said = headers["Signature-Input"].removeprefix("bot=")
    base = f'"@method": POST\n"@authority": desk.example\n"@path": /ask\n"signature-agent";key="bot": "{agent.directory}"\n'
    signature = base64.b64decode(headers["Signature"].removeprefix("bot=:").removesuffix(":"))
    assert signing.verifies(signing.public_bytes(KEY.public_key()), (base + f'"@signature-params": {said}').encode(), signature)
    assert said.endswith(';tag="web-bot-auth"') and headers["Signature-Agent"] == f'bot="{agent.directory}"'


@pytest.mark.parametrize(
    "spoil",
    [
        {"x-aip-nonce": "other"},
        {"x-aip-key-id": "other"},
        {"x-aip-timestamp": "2026-03-14T01:57:15Z"},
        {"x-aip-signature": "v2=AAAA"},
        {"x-aip-signature": ""},
    ],
)
def test_answers_signature_must_be_right(spoil: dict[str, str]) -> None:
    key = signing.PlatformKey("k", b"secret")
    headers = {name.lower(): value for name, value in key.headers("0.1", "200", "/retrieve", b"{}", AT).items()}
    assert key.verify(headers, 200, "/retrieve", b"{}", AT) is True
    assert key.verify({**headers, **spoil}, 200, "/retrieve", b"{}", AT) is False
    assert key.verify(headers, 500, "/retrieve", b"{}", AT) is False
    assert key.verify(headers, 200, "/retrieve", b"{ }", AT) is False
    assert key.verify(headers, 200, "/retrieve", b"{}", AT + timedelta(seconds=301)) is False
    assert key.verify({}, 200, "/retrieve", b"{}", AT) is None


def test_secrets_are_not_shown() -> None:
    assert "secret" not in repr(signing.PlatformKey("k", b"secret"))


def test_keys_are_read_or_said_to_be_none(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    text = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "agent-1.pem").write_bytes(b"A key.\n" + text)
    assert signing.public_bytes(load_key(tmp_path / "agent-1.pem").public_key()) == signing.public_bytes(KEY.public_key())
    with pytest.raises(Unusable, match="frontdesk keys agent"):
        load_key("nothing")
    with pytest.raises(Unusable):
        load_key(tmp_path / "missing.pem")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{"b":1.0,"a":[1e2,true,null,"é\\u0001"]}', '{"a":[100,true,null,"é\\u0001"],"b":1}'),
        ("[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]", "[333333333.3333333,1e+30,4.5,0.002,1e-27]"),
        ('{"\\ud83d\\ude00":1,"\\ufb33":2}', '{"\U0001f600":1,"\ufb33":2}'),
    ],
)
def test_canonical_form_is_that_of_rfc_8785(value: str, text: str) -> None:
    assert _json.canonical(json.loads(value)).decode() == text


@pytest.mark.parametrize("text", [b'{"a":1,"a":2}', b'"\xff"', b"[NaN]", b"[" * 101 + b"]" * 101, b"1" * 5000, b"[" * 100000])
def test_what_can_be_read_in_two_ways_is_no_json(text: bytes) -> None:
    with pytest.raises(_json.NotJSON):
        _json.canonical(_json.read(text, strict=True))
