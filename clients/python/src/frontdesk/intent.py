"""Publishers of the Agentic Intent Protocol, asked as a platform: passages for one request of a person, and what was shown."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from . import _http, _json
from ._flow import Flow, Response, awaited, blocking
from ._way import AsyncClient, Client
from .errors import Denied, Failed, Forged, FrontdeskError, Invalid, Unsigned, Unusable
from .models.intent import IntentDeclaration, IntentEvent, IntentRequest, IntentResponse
from .options import Options
from .receipts import Receipt
from .signing import SKEW, PlatformKey, format_time

VERSIONS = ("0.1", "1.0")
WELL_KNOWN = "/.well-known/aip.json"
RECEIPT = "frontdesk.receipt"
# How long a declaration is used before it is read anew.
DECLARATION_AGE = timedelta(minutes=5)


@dataclass(frozen=True)
class Platform:
    """Who asks publishers: the id that the key was issued for, and the key."""

    id: str
    key: PlatformKey
    require_signed: bool = False
    """Refuses passages whose answer is not signed. A signature that is there must always be right."""

    software: str = ""
    software_version: str = ""


@dataclass(frozen=True)
class Chunk:
    """One passage."""

    id: str
    text: str
    token_count: int


@dataclass(frozen=True)
class Citation:
    """One source of passages."""

    source_url: str
    title: str
    chunk_ids: list[str]


@dataclass(frozen=True)
class Passages:
    """What a publisher gave. It is for the one request that it was asked for: keep none of it."""

    request_id: str
    timestamp: str
    chunks: list[Chunk]
    citations: list[Citation]
    signed: bool
    """Says that the answer was signed, and that the signature is right."""

    receipt: str = ""
    """The address of the receipt; empty where the publisher gives none."""

    extensions: dict[str, Any] = field(default_factory=dict, repr=False)


class PublisherCore:
    """What a client of a publisher does: flows, for Publisher and AsyncPublisher alike."""

    def __init__(self, url: str, platform: Platform, options: Options) -> None:
        self.url = _http.beside(url, WELL_KNOWN)
        self.platform = platform
        self.options = options
        self._declaration: IntentDeclaration | None = None
        self._read = datetime.min

    def open(self) -> Flow[IntentDeclaration]:
        """Reads the publisher's declaration anew. Other methods do so where it is missing, or older than five minutes."""
        got = yield from _http.document(self.options, self.url)
        if got.status != 200:
            raise Invalid(self.url, got.status, "the status is not 200: there is no declaration here, and so no permission")
        try:
            _json.read(got.body, strict=True)
            declaration = IntentDeclaration.model_validate_json(got.body, strict=True)
        except (ValidationError, _json.NotJSON) as error:
            raise Invalid(self.url, got.status, _first(error)) from error
        for url in _endpoints(declaration):
            if self.url.startswith("https://") and not url.lower().startswith("https://"):
                raise Unusable(f"the declaration came by https and names {url}, which is not secured")
            _http.web_address(url)
        self._declaration, self._read = declaration, self.options.now()
        return declaration

    def retrieve(
        self,
        domain: str,
        query: str = "",
        *,
        subdomain: str = "",
        confidence: float | None = None,
        language: str = "en-US",
        country: str = "",
        placement: str = "",
        session: str = "",
        turn: int = 0,
        latency_ms: int = 0,
    ) -> Flow[Passages]:
        """Asks for passages of an editorial domain, such as "food". Raises Denied, Failed, Invalid, Forged, Unsigned.

        What failed on its way, or that the publisher had no time for, is sent again with the same request id: a
        publisher that had answered already gives that answer again, and counts it once.
        """
        declaration = yield from self._current()
        if why := _closed(declaration, self.options.now()):
            raise Denied("access_disabled", why, 0)
        endpoint = declaration.endpoints.retrieve if declaration.endpoints else None
        if endpoint is None:
            raise Denied("unsupported", "the declaration names no address for requests", 0)
        request = _without_none(
            {
                "aip_version": declaration.aip_version,
                "request_id": "req_" + secrets.token_hex(16),
                "timestamp": format_time(self.options.now()),
                "platform": {
                    "id": self.platform.id,
                    "software": self.platform.software,
                    "software_version": self.platform.software_version,
                },
                "intent": {"domain": domain, "subdomain": subdomain, "confidence": confidence},
                "context": {
                    "language": language,
                    "geography": {"country": country} if country else None,
                    "placement": placement,
                },
                "runtime": {
                    "session_id": session or "s_" + secrets.token_hex(16),
                    "turn_index": turn,
                    "query_text": query,
                    "latency_budget_ms": latency_ms or None,
                },
            }
        )
        body = _checked(IntentRequest, request)
        got, signed = yield from self._signed("POST", endpoint.url, body, declaration.aip_version)
        return self._passages(request, got, signed, endpoint.url, declaration)

    def cite(
        self,
        passages: Passages,
        source_url: str,
        *,
        surface: str = "answer",
        chunk_ids: Sequence[str] = (),
        at: datetime | None = None,
        event_id: str = "",
    ) -> Flow[None]:
        """Tells the publisher that a person was shown a source: all passages that its citation has, or `chunk_ids`.

        It is told again, under the same event id, until the publisher has it: the event is recorded once.
        """
        shown = next((each for each in passages.citations if each.source_url == source_url), None)
        if shown is None:
            raise Unusable(f"{source_url} is none of the answer's sources")
        citation = {"source_url": source_url, "chunk_ids": list(chunk_ids or shown.chunk_ids), "display_surface": surface}
        part = {"event_type": "citation", "citation": citation}
        event_id = event_id or "evt_" + secrets.token_hex(16)
        yield from self._report(event_id, passages.request_id, format_time(at or self.options.now()), part)

    def confirm(self, passages: Passages) -> Flow[None]:
        """Tells the publisher what the platform took: an access event, for it to hold against its own record."""
        declaration = yield from self._current()
        taken = {
            "chunks_returned": len(passages.chunks),
            "token_count": sum(chunk.token_count for chunk in passages.chunks),
            "retrieval_mode": "chunks",
        }
        parts = (declaration.publisher.id, self.platform.id, passages.request_id)
        told = "".join(f"{len(part.encode())}:{part}," for part in parts)
        event_id = "platform_access_" + hashlib.sha256(told.encode()).hexdigest()[:32]
        part = {"event_type": "access", "access": taken}
        yield from self._report(event_id, passages.request_id, passages.timestamp, part)

    def receipt(self, passages: Passages) -> Flow[Receipt]:
        """Gets the receipt of passages: that the publisher gave them, in a ledger that it cannot change later.

        Keep it with the publisher's public keys (/.well-known/jwks.json): `receipts.verify` says years later whether
        it is true.
        """
        declaration = yield from self._current()
        own = declaration.endpoints.retrieve.url if declaration.endpoints and declaration.endpoints.retrieve else ""
        if not passages.receipt:
            raise Unusable("the publisher gave no receipt with these passages")
        if not own or _http.origin(own) != _http.origin(passages.receipt):
            raise Unusable(f"{passages.receipt} is not at the publisher, whom alone a signature is for")
        got, _ = yield from self._signed("GET", passages.receipt, None, declaration.aip_version)
        if got.status != 200:
            raise _failure(got) or Invalid(passages.receipt, got.status, "a receipt is answered with another status than 200")
        try:
            return Receipt.parse(got.body)
        except FrontdeskError as error:
            raise Invalid(passages.receipt, got.status, str(error)) from error

    # Within.

    def _current(self) -> Flow[IntentDeclaration]:
        known = self._declaration
        if known is not None and self.options.now() - self._read < DECLARATION_AGE:
            return known
        return (yield from self.open())

    def _report(self, event_id: str, request_id: str, at: str, part: Mapping[str, Any]) -> Flow[None]:
        declaration = yield from self._current()
        endpoint = declaration.endpoints.event if declaration.endpoints else None
        if endpoint is None:
            raise Unusable("the declaration names no address for events")
        event = {
            "aip_version": declaration.aip_version,
            "event_id": event_id,
            "timestamp": at,
            "request_id": request_id,
            "publisher": {"id": declaration.publisher.id, "domain": declaration.publisher.domain},
            "platform": {"id": self.platform.id},
            **part,
        }
        body = _checked(IntentEvent, event)
        got, _ = yield from self._signed("POST", endpoint.url, body, declaration.aip_version)
        if not 200 <= got.status < 300:
            raise _failure(got) or Invalid(endpoint.url, got.status, "events are answered with another status than 202 or 200")

    def _signed(self, method: str, url: str, body: bytes | None, version: str) -> Flow[tuple[Response, bool]]:
        """Sends a body under a signature until it is answered. Each attempt has its own nonce and time."""
        at = urlsplit(url)
        path = (at.path or "/") + ("?" + at.query if at.query else "")
        key = self.platform.key
        told: list[bool | None] = []

        def attempt() -> Flow[Response]:
            headers = key.headers(version, method, path, body or b"", self.options.now())
            got = yield from _http.once(self.options, _http.request(self.options, method, url, body, headers))
            told[:] = [key.verify(got.headers, got.status, path, got.body, self.options.now())]
            if told[0] is False:
                raise Forged("the signature of the publisher's answer is not right: it was changed on its way, or is somebody else's")
            return got

        # The body's own timestamp must stay fresh, and cannot be changed: the publisher would take it for another.
        within = SKEW.total_seconds() - 30
        got = yield from _http.persist(self.options, attempt, again=_http.PASSING, repeatable=True, within=within)
        return got, told[0] is True

    def _passages(
        self, request: dict[str, Any], got: Response, signed: bool, url: str, declaration: IntentDeclaration
    ) -> Passages:
        """Reads the answer of a retrieval."""
        try:
            _json.read(got.body, strict=True)
            answer = IntentResponse.model_validate_json(got.body, strict=True)
        except (ValidationError, _json.NotJSON) as error:
            raise _failure(got) or Invalid(url, got.status, _first(error)) from error
        again = _http.retry_after(got.headers)
        problem = _against(answer, request, declaration)
        anonymous = answer.error is not None and not answer.request_id  # from before the request was read
        if problem and not anonymous:
            raise Invalid(url, got.status, problem)
        if answer.denial:
            raise Denied(answer.denial.reason, answer.denial.message or "", got.status, again)
        if answer.error:
            raise Failed(answer.error.code, answer.error.message or "", got.status, again)
        if got.status != 200:
            raise Invalid(url, got.status, "passages come with a status that is not 200")
        if self.platform.require_signed and not signed:
            raise Unsigned("the publisher did not sign its answer; do without require_signed, or ask the publisher to sign")
        assert answer.content is not None
        extensions = dict(answer.extensions or {})
        receipt = extensions.get(RECEIPT)
        return Passages(
            request_id=request["request_id"],
            timestamp=answer.timestamp if isinstance(answer.timestamp, str) else format_time(answer.timestamp),
            chunks=[
                Chunk(each.id, each.text, (len(each.text) + 3) // 4 if each.token_count is None else each.token_count)
                for each in answer.content.chunks
            ],
            citations=[
                Citation(each.source_url, each.title or "", list(each.chunk_ids or [])) for each in answer.citations or []
            ],
            signed=signed,
            receipt=receipt if isinstance(receipt, str) else "",
            extensions=extensions,
        )


def _first(error: Exception) -> str:
    """Names the first thing that is wrong with a document."""
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_input=False)[0]
        return f"/{'/'.join(str(part) for part in found['loc'])}: {found['msg']}"
    return str(error)


def _checked(model: type[IntentRequest] | type[IntentEvent], document: dict[str, Any]) -> bytes:
    """Writes what is sent, if it is valid."""
    body = _json.write(document)
    try:
        model.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise Unusable(f"this cannot be sent: {_first(error)}") from error
    return body


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(each) for name, each in value.items() if each is not None and each != ""}
    return value


def _endpoints(declaration: IntentDeclaration) -> list[str]:
    e = declaration.endpoints
    return [each.url for each in (e.retrieve, e.event) if each is not None] if e else []


def _closed(declaration: IntentDeclaration, now: datetime) -> str:
    """Says why a declaration permits nothing; empty where it does."""
    access, sunset = declaration.intent_access, declaration.compliance.sunset
    if not access.enabled:
        return "access is not enabled"
    if access.state not in (None, "active"):
        return f"access is {access.state}"
    try:
        ended = bool(sunset) and now.date() > date.fromisoformat(str(sunset))
    except ValueError:
        ended = True
    return f"the declaration ended with {sunset}" if ended else ""


def _failure(got: Response) -> FrontdeskError | None:
    """Reads an error from an answer that is none of the protocol's, or none of its best; None for a status of success."""
    if got.status < 400:
        return None
    again, told = _http.retry_after(got.headers), (_json.members(got.body) or {}).get("error")
    if isinstance(told, dict) and isinstance(told.get("code"), str) and told["code"]:
        return Failed(told["code"], str(told.get("message") or ""), got.status, again)
    return Failed(f"http_{got.status}", "", got.status, again)


def _against(answer: IntentResponse, request: Mapping[str, Any], declaration: IntentDeclaration) -> str:
    """Says how an answer breaks the protocol, its request or the declaration; empty where it keeps them."""
    parts = {"ok": answer.content, "denied": answer.denial, "error": answer.error}
    for status, part in parts.items():
        if (part is not None) != (status == answer.status):
            return f"the status is {answer.status!r}, and the part of {status!r} is {'there' if part else 'not there'}"
    if answer.aip_version != request["aip_version"]:
        return f"/aip_version is {answer.aip_version!r}, and the request's is {request['aip_version']!r}"
    if answer.request_id != request["request_id"]:
        return "/request_id is not the request's"
    if answer.content is None:
        return "/citations: there is no content to cite" if answer.citations else ""
    chunks, declared, limits = answer.content.chunks, declaration.retrieval, answer.limits_applied
    tokens = sum(chunk.token_count or 0 for chunk in chunks)
    for bound in (limits, declared):
        if bound and bound.max_chunks and len(chunks) > bound.max_chunks:
            return f"/content/chunks has {len(chunks)} passages, and {bound.max_chunks} is the limit"
        if bound and bound.max_tokens and tokens > bound.max_tokens:
            return f"/content/chunks has {tokens} tokens, and {bound.max_tokens} is the limit"
    if not declared.supports.chunks:
        return "/content is there although the declaration says that no passages are given"
    if answer.citations and not declared.supports.citations:
        return "/citations is there although the declaration says that sources are not named"
    ids = {chunk.id for chunk in chunks}
    for citation in answer.citations or []:
        if not ids.issuperset(citation.chunk_ids or []):
            return f"/citations: {citation.source_url} cites passages that are not there"
    return ""


class Publisher(Client[PublisherCore]):
    """A client of one publisher, at its site's address or that of its declaration (aip.json)."""

    def __init__(self, url: str, platform: Platform, *, options: Options | None = None, http: httpx.Client | None = None) -> None:
        super().__init__(PublisherCore(url, platform, options or Options()), http)

    open = blocking(PublisherCore.open)
    retrieve = blocking(PublisherCore.retrieve)
    cite = blocking(PublisherCore.cite)
    confirm = blocking(PublisherCore.confirm)
    receipt = blocking(PublisherCore.receipt)


class AsyncPublisher(AsyncClient[PublisherCore]):
    """Publisher for an event loop: the same methods, awaited."""

    def __init__(self, url: str, platform: Platform, *, options: Options | None = None, http: httpx.AsyncClient | None = None) -> None:
        super().__init__(PublisherCore(url, platform, options or Options()), http)

    open = awaited(PublisherCore.open)
    retrieve = awaited(PublisherCore.retrieve)
    cite = awaited(PublisherCore.cite)
    confirm = awaited(PublisherCore.confirm)
    receipt = awaited(PublisherCore.receipt)
