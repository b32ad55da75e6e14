"""Servers that answer odd things: whatever comes, a client gives a result or an error of its own."""

from __future__ import annotations

import copy
import json
import random
import re
from datetime import datetime, timezone
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from player import ADDRESS, TRANSCRIPTS

from frontdesk import Desk, FrontdeskError, Options
from frontdesk.intake import Business, IntakeAgent
from frontdesk.intent import Platform, Publisher
from frontdesk.ramp import Buyer, Exchange
from frontdesk.signing import PlatformKey

ODD: list[Any] = [None, True, -1, 0, 10**400, "", "x", [], {}, [[]], {"a": 1}, "\ud800", 1.5, "2026-13-01", "https://[::1", "http://a:99999/"]
OPTIONS = Options(retries=0, now=lambda: datetime(2026, 3, 1, 12, tzinfo=timezone.utc))
DOCS = [json.loads(file.read_text()) for file in sorted(TRANSCRIPTS.glob("*.json"))]


def mutated(value: Any, chance: random.Random) -> Any:
    """Gives a value of which up to three parts are odd, missing or twice."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        places: list[tuple[Any, Any]] = []
        todo = [value]
        while todo:
            at = todo.pop()
            names = list(at) if isinstance(at, dict) else range(len(at)) if isinstance(at, list) else []
            places += [(at, name) for name in names]
            todo += [at[name] for name in names]
        if not places:
            return value
        at, name = chance.choice(places)
        if chance.random() < 0.7:
            at[name] = copy.deepcopy(chance.choice(ODD))
        else:
            del at[name]
    return value


class Hostile:
    """Answers like a transcript's server that is out of its mind; the first requests sometimes as it should."""

    def __init__(self, doc: dict[str, Any], chance: random.Random) -> None:
        self.chance = chance
        self.told = [e["response"] for step in doc["steps"] for e in step["exchanges"] if "response" in e]
        opening = [e.get("response", {}) for e in doc["steps"][0]["exchanges"]]
        self.good = opening if doc["protocol"] != "nlweb" and chance.random() < 0.7 else []

    def handle(self, request: httpx.Request) -> httpx.Response:
        good = bool(self.good)
        told = self.good.pop(0) if good else self.chance.choice(self.told)
        sent = json.loads(request.content) if request.content else {}
        again = str(sent.get("request_id") or sent.get("session_id") or sent.get("id") or "x")
        text = re.sub(r"\$\{\w+\}", again, json.dumps(told.get("json")) if "json" in told else told.get("text", ""))
        body = text.encode()
        if "json" in told and not good:
            body = json.dumps(mutated(json.loads(text), self.chance)).encode()
        elif body and not good:
            at = self.chance.randrange(len(body))
            body = body[:at] + bytes([self.chance.randrange(256)]) + body[at + 1 :]
        kind = {"Content-Type": "application/json" if "json" in told else "text/event-stream"}
        return httpx.Response(told.get("status", 200), headers={**kind, **told.get("headers", {})}, stream=httpx.ByteStream(body))


def use(protocol: str, http: httpx.Client, chance: random.Random) -> None:
    """Does with a server what a program does."""
    if protocol == "nlweb":
        desk = Desk(ADDRESS, options=OPTIONS, http=http)
        desk.way.sleep = lambda seconds: None
        if chance.random() < 0.5:
            answer = desk.answer("soup", wait=5)
            print(answer, [(result.actions, result.passage, result.for_sale) for result in answer.results])
        else:
            print(*desk.ask("soup"))
    elif protocol == "intent":
        platform = Platform("example_chat", PlatformKey("plat_test_1", b"a secret of tests, 32 bytes long"))
        publisher = Publisher(ADDRESS, platform, options=OPTIONS, http=http)
        passages = publisher.retrieve("food")
        for citation in passages.citations:
            publisher.cite(passages, citation.source_url)
        publisher.confirm(passages)
    elif protocol == "intake":
        business = Business(ADDRESS, agent=IntakeAgent("agent-1"), options=OPTIONS, http=http)
        offered = business.submit("quote", {"trade": "plumber", "size": 3})
        print(offered, business.bind(offered, {"email": "jane@example.com", "full_name": "Jane"}))
    else:
        buyer = Buyer("bot", "buyer.example", Ed25519PrivateKey.from_private_bytes(bytes([7] * 32)), "k1")
        exchange = Exchange(ADDRESS, buyer, options=OPTIONS, http=http)
        bought = exchange.buy("https://desk.example/a", max="1", currency="USD", id="buy-1")
        print(bought, exchange.deliver(bought), exchange.report_usage(bought), exchange.dispute(bought, "incomplete-content", report_id="r"))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_comes_is_a_result_or_an_error_of_ours(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    chance, errors = random.Random(seed), 0
    for _ in range(120):
        doc = chance.choice(DOCS)
        with httpx.Client(transport=httpx.MockTransport(Hostile(doc, chance).handle)) as http:
            try:
                use(doc["protocol"], http, chance)
            except FrontdeskError as error:
                errors += 1
                print(error, error.code)
    assert errors > 20, "nothing went wrong, so nothing was tried"
