"""Plays the transcripts of test/sdk/transcripts, which the clients in other languages play, too. Its README.md has the form.

The player stands in place of the network, and time is a clock that it moves.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TRANSCRIPTS = Path(__file__).parents[3] / "test/sdk/transcripts"
ADDRESS = "https://desk.example"
PLACE = re.compile(r"\$\{(\w+)\}")


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in pieces, after which the connection may break or stay silent."""

    def __init__(self, body: bytes, then: str) -> None:
        self.body, self.then = body, then

    def __iter__(self) -> Iterator[bytes]:
        for at in range(0, len(self.body), 7):
            yield self.body[at : at + 7]
        if self.then == "cut":
            raise httpx.ReadError("cut")
        if self.then == "silence":
            raise httpx.ReadTimeout("silent")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


@dataclass
class Player:
    """Answers as a step has it, and notes what is not as it should be."""

    who: dict[str, Any]
    now: datetime
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    last: datetime = datetime.min.replace(tzinfo=timezone.utc)

    def clock(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    async def asleep(self, seconds: float) -> None:
        self.sleep(seconds)

    def begin(self, exchanges: list[dict[str, Any]]) -> None:
        """Begins a step: places in lower case are those of one step."""
        self.exchanges, self.last = list(exchanges), self.now
        self.places = {name: text for name, text in self.places.items() if name.lower() != name}

    def handle(self, request: httpx.Request) -> httpx.Response:
        what = f"{request.method} {request.url}"
        if not self.exchanges:
            self.faults.append(f"{what} {request.content!r} is sent, and nothing more is expected")
            raise httpx.ConnectError("not expected")
        exchange = self.exchanges.pop(0)
        passed = (self.now - self.last).total_seconds()
        if "after" in exchange and not exchange["after"][0] <= round(passed, 6) <= exchange["after"][1]:
            self.faults.append(f"{what} comes after {passed} seconds, want {exchange['after']}")
        self.last = self.now
        self.expect(exchange["request"], request)
        if exchange.get("fails"):
            raise httpx.ConnectError("the connection cannot be made")
        return self.answer(exchange["response"], request)

    def expect(self, want: dict[str, Any], request: httpx.Request) -> None:
        what = f"{request.method} {request.url}"
        if request.method != want["method"] or not self.fits(want["url"], str(request.url)):
            self.faults.append(f"{what} is sent, want {want['method']} {want['url']}")
        for name, value in want.get("headers", {}).items():
            got = request.headers.get(name)
            if (value is None) != (got is None) or value is not None and not self.fits(value, got):
                self.faults.append(f"{what}: the header {name} is {got!r}, want {value!r}")
        if "json" in want and not within(want["json"], json.loads(request.content), self):
            self.faults.append(f"{what}: the body is {request.content.decode()}, want {json.dumps(want['json'])}")
        if want.get("signed") == "aip" and not self.signed_aip(request):
            self.faults.append(f"{what}: the signature is not right")
        if want.get("signed") == "ramp" and not self.signed_ramp(request):
            self.faults.append(f"{what}: the signature over HTTP is not right")

    def mac(self, first: str, path: str, body: bytes, at: str, nonce: str) -> str:
        message = "\n".join([first, path, hashlib.sha256(body).hexdigest(), at, nonce])
        return "v1=" + base64.b64encode(hmac.digest(self.who["secret"].encode(), message.encode(), "sha256")).decode()

    def signed_aip(self, request: httpx.Request) -> bool:
        head = {name: request.headers[f"X-AIP-{name}"] for name in ("Key-Id", "Timestamp", "Nonce", "Signature")}
        path, at = request.url.raw_path.decode(), datetime.fromisoformat(head["Timestamp"].replace("Z", "+00:00"))
        want = self.mac(request.method, path, request.content, head["Timestamp"], head["Nonce"])
        return head["Signature"] == want and head["Key-Id"] == self.who["key"] and abs((at - self.now).total_seconds()) < 2

    def signed_ramp(self, request: httpx.Request) -> bool:
        digest = "sha-256=:" + base64.b64encode(hashlib.sha256(request.content).digest()).decode() + ":"
        label, _, said = request.headers["Signature-Input"].partition("=")
        base = f'"@method": {request.method}\n"@target-uri": {request.url}\n"content-digest": {digest}\n"@signature-params": {said}'
        key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(self.who["seed"]))
        want = base64.b64encode(key.sign(base.encode())).decode()
        keyid = self.who["domain"] + "#" + self.who["key_id"]
        right = request.headers["Signature"] == f"{label}=:{want}:" and request.headers["Content-Digest"] == digest
        begins = said.startswith('("@method" "@target-uri" "content-digest");')
        fresh = f";created={int(self.now.timestamp())};" in said and ";nonce=" in said
        return right and begins and fresh and f';keyid="{keyid}"' in said

    def answer(self, told: dict[str, Any], request: httpx.Request) -> httpx.Response:
        kind, body = "text/event-stream", self.filled(told.get("text", "")).encode()
        if "json" in told:
            kind, body = "application/json", self.filled(json.dumps(told["json"], ensure_ascii=False)).encode()
        headers = {"Content-Type": kind, **told.get("headers", {})}
        status = told.get("status", 200)
        if told.get("signed") == "aip":
            at = self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
            path = request.url.raw_path.decode()
            mac = self.mac(str(status), path, body, at, "a-nonce")
            headers |= {"X-AIP-Version": "0.1", "X-AIP-Key-Id": self.who["key"], "X-AIP-Timestamp": at}
            headers |= {"X-AIP-Nonce": "a-nonce", "X-AIP-Signature": mac}
        return httpx.Response(status, headers=headers, stream=Body(body, told.get("then", "")))

    def filled(self, text: str) -> str:
        return PLACE.sub(lambda at: self.places.get(at[1], ""), text)

    def fits(self, want: str, got: str | None) -> bool:
        """Says whether a text is one with places, and keeps what stands in them."""
        parts = PLACE.split(want)
        pattern = "".join("(.+?)" if i % 2 else re.escape(part) for i, part in enumerate(parts))
        found = re.fullmatch(pattern, got or "", re.DOTALL)
        if not found:
            return False
        return all(self.places.setdefault(name, text) == text for name, text in zip(parts[1::2], found.groups(), strict=True))


def within(want: Any, got: Any, places: Player | None = None) -> bool:
    """Says whether a value has what is wanted. With places, it must have nothing else, and fills them."""
    if isinstance(want, dict):
        if not isinstance(got, dict) or places is not None and len(got) != len(want):
            return False
        return all(name in got and within(value, got[name], places) for name, value in want.items())
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(within(w, g, places) for w, g in zip(want, got, strict=True))
    if isinstance(want, str) and isinstance(got, str) and places is not None:
        return places.fits(want, got)
    return bool(want == got)
