"""What an Exchange and a publisher may answer, in the parts that no transcript has."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from frontdesk import Options, _json, _offers, errors
from frontdesk.intent import _against
from frontdesk.models.intent import IntentDeclaration, IntentResponse
from frontdesk.models.ramp import Offer
from frontdesk.ramp import Buyer, Exchange, Purchase
from frontdesk.signing import public_bytes

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
KEY = Ed25519PrivateKey.from_private_bytes(bytes([5] * 32))
X = base64.b64encode(public_bytes(KEY.public_key())).decode()


def keys(**members: Any) -> list[_offers.ExchangeKey]:
    return _offers.read_keys(json.dumps({"keys": [{"id": "k", "algorithm": "ed25519", "public_key": X, **members}]}).encode())


def offer(camel: bool = False, **members: Any) -> dict[str, Any]:
    """Gives a signed offer; what is signed has the protocol's names for its members."""
    signed = {"offer_id": "o", "package": {"id": "p"}, "pricing": {"rate": 0.5, "currency": "EUR"}, "ext": {"aB": 1}, **members}
    signature = base64.b64encode(KEY.sign(_json.canonical(signed))).decode()
    if camel:
        signed["offerId"] = signed.pop("offer_id")
        return {**signed, "exchangeSignature": signature}
    return {**signed, "exchange_signature": signature}


def test_a_key_counts_within_its_time() -> None:
    hour = timedelta(hours=1)
    assert _offers.signed(offer(), keys(valid_from=(NOW - hour).isoformat(), valid_until=(NOW + hour).isoformat()), NOW)
    assert not _offers.signed(offer(), keys(valid_until=NOW.isoformat()), NOW)
    assert not _offers.signed(offer(), keys(valid_from=(NOW + hour).isoformat()), NOW)


def test_an_offer_is_verified_in_both_spellings_and_no_member_is_left_out() -> None:
    assert _offers.signed(offer(camel=True), keys(), NOW)
    assert not _offers.signed({**offer(camel=True), "more": 1}, keys(), NOW)
    assert not _offers.signed({**offer(), "exchange_signature": "AAAA"}, keys(), NOW)


@pytest.mark.parametrize("key", [{"public_key": "AAAA"}, {"algorithm": "rsa"}, {"valid_until": "soon"}, {"kty": "RSA"}])
def test_keys_that_cannot_be_read_are_left_out(key: dict[str, Any]) -> None:
    with pytest.raises(_json.NotJSON, match="no key"):
        keys(**key)


@pytest.mark.parametrize("text", [X, X.rstrip("="), X.replace("+", "-").replace("/", "_"), "ed25519:" + X, public_bytes(KEY.public_key()).hex()])
def test_keys_are_read_in_each_of_their_spellings(text: str) -> None:
    assert keys(public_key=text)[0].public == public_bytes(KEY.public_key())


@pytest.mark.parametrize(
    ("pricing", "cost"),
    [
        ({"rate": 0.5, "currency": "EUR"}, "0.5"),
        ({"model": "PRICING_MODEL_PER_TOKEN", "rate": 0.001, "estimated_quantity": 300}, "0.3"),
        ({"model": "PRICING_MODEL_PER_TOKEN", "rate": 0.001}, None),
        ({"model": "PRICING_MODEL_REVENUE_SHARE", "revshare": 0.1}, None),
        ({"rate": -1}, None),
        ({"model": "PRICING_MODEL_FREE"}, "0"),
    ],
)
def test_an_offer_costs_what_it_says_or_nobody_knows(pricing: dict[str, Any], cost: str | None) -> None:
    found = _offers.price(Offer.model_validate({"offer_id": "o", "pricing": pricing}))
    assert (found and found.amount) == (Decimal(cost) if cost else None)


@pytest.mark.parametrize(
    ("permitted", "prohibited", "use", "may"),
    [
        ([], [], "AI_TRAIN", True),
        (["SEARCH"], [], "AI_INPUT", False),
        (["AI_ALL"], [], "AI_INPUT", True),
        (["AI_ALL"], [], "SEARCH", False),
        (["ALL"], [], "SEARCH", True),
        ([], ["AI_TRAIN"], "AI_INPUT", True),
        ([], ["AI_TRAIN"], "AI_ALL", False),
        ([], ["ALL"], "SEARCH", False),
    ],
)
def test_what_is_prohibited_is_not_permitted(permitted: list[str], prohibited: list[str], use: str, may: bool) -> None:
    lists = {"permitted_functions": permitted, "prohibited_functions": prohibited}
    restrictions = {name: [f"FUNCTION_{each}" for each in functions] for name, functions in lists.items()}
    one = Offer.model_validate({"offer_id": "o", "restrictions": restrictions})
    assert _offers.permits(one, [f"FUNCTION_{use}"]) is may


class Selling:
    """An Exchange that signs what it offers, and answers a purchase as it is told."""

    def __init__(self, bought: dict[str, Any] | None) -> None:
        self.bought = bought
        self.ids: list[str] = []

    def handle(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.rsplit("/", 1)[-1]
        sent = json.loads(request.content or b"{}")
        if name == "ramp-exchange.json":
            told = {"ver": "1.0", "exchange_endpoint": "https://x.example", "keys_uri": "https://x.example/keys"}
            return httpx.Response(200, json=told)
        if name == "keys":
            return httpx.Response(200, json={"keys": [{"id": "k", "public_key": X}]})
        if name == "DiscoverResources":
            return httpx.Response(200, json={"offer_groups": [{"uri": "u", "offers": [offer()]}]})
        self.ids.append(sent["id"])
        if self.bought is None:
            raise httpx.ReadError("the connection is cut")
        answer = {"id": sent["id"], "transaction_id": "t", "billing_id": "b", **self.bought}
        return httpx.Response(200, json=answer)

    def buy(self) -> Purchase:
        options = Options(retries=2, now=lambda: NOW)
        exchange = Exchange("https://x.example", Buyer("a", "b.example"), options=options, http=self.http())
        exchange.way.sleep = lambda seconds: None
        return exchange.buy("u", max="1", currency="EUR", uses=())

    def http(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self.handle))


def test_more_than_was_offered_is_told() -> None:
    assert str(Selling({"cost": {"amount": 0.5, "currency": "EUR"}}).buy().cost) == "0.5 EUR"
    for cost in ({"amount": 0.51, "currency": "EUR"}, {"amount": 0.5, "currency": "USD"}):
        with pytest.raises(errors.Overcharged) as told:
            Selling({"cost": cost}).buy()
        assert told.value.purchase.transaction == "t"


def test_a_purchase_that_broke_off_can_be_finished_under_its_id() -> None:
    selling = Selling(None)
    with pytest.raises(errors.Unfinished) as told:
        selling.buy()
    assert selling.ids == [told.value.id] * 3, "it is one purchase, however often it is sent"
    assert told.value.offer.offer_id == "o"


def test_what_is_denied_is_not_bought() -> None:
    with pytest.raises(errors.NotBought) as told:
        Selling({"denial_reason": "DENIAL_REASON_INSUFFICIENT_BALANCE"}).buy()
    assert told.value.code == "insufficient_balance"


REQUEST = {"aip_version": "0.1", "request_id": "r"}
DECLARED: dict[str, Any] = {
    "aip_version": "0.1",
    "publisher": {"id": "p", "name": "P", "domain": "p.example"},
    "intent_access": {"enabled": True, "mode": "live_only", "training_use": False, "storage_rights": "none"},
    "editorial_domains": ["food"],
    "retrieval": {"supports": {"chunks": True, "citations": True, "full_article": False}, "max_chunks": 2, "max_tokens": 10},
    "compliance": {"revocable": True, "notice_required": False, "last_updated": "2025-11-14"},
}


def passages(**members: Any) -> dict[str, Any]:
    chunks = [{"id": "c1", "text": "One.", "token_count": 5}, {"id": "c2", "text": "Two.", "token_count": 5}]
    answer = {**REQUEST, "timestamp": "2026-03-01T12:00:00Z", "status": "ok", "content": {"chunks": chunks}}
    return {**answer, "citations": [{"source_url": "https://p.example/1", "chunk_ids": ["c1"]}], **members}


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({}, ""),
        ({"content": {"chunks": [{"id": "c1", "text": "One.", "token_count": 11}]}}, "11 tokens"),
        ({"limits_applied": {"max_tokens": 9}}, "10 tokens"),
        ({"limits_applied": {"max_chunks": 1}}, "2 passages"),
        ({"citations": [{"source_url": "https://p.example/1", "chunk_ids": ["c3"]}]}, "not there"),
        ({"denial": {"reason": "out_of_scope"}}, "status"),
        ({"aip_version": "1.0"}, "aip_version"),
        ({"request_id": "other"}, "request_id"),
    ],
)
def test_an_answer_keeps_to_the_declaration(members: dict[str, Any], problem: str) -> None:
    declaration = IntentDeclaration.model_validate(DECLARED)
    answer = IntentResponse.model_validate_json(json.dumps(passages(**members)), strict=True)
    found = _against(answer, REQUEST, declaration)
    assert problem in found and bool(found) == bool(problem)


@pytest.mark.parametrize("name", ["chunks", "citations"])
def test_what_is_not_declared_is_not_taken(name: str) -> None:
    supports = {**DECLARED["retrieval"]["supports"], name: False}
    declaration = IntentDeclaration.model_validate({**DECLARED, "retrieval": {"supports": supports}})
    answer = IntentResponse.model_validate_json(json.dumps(passages()), strict=True)
    assert "declaration" in _against(answer, REQUEST, declaration)
