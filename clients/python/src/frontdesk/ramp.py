"""Exchanges of RAMP v1, asked as a buyer: what is offered, buying, fetching, reporting its use, disputing. Connect over JSON."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import BaseModel, ValidationError

from . import _content, _http, _json, _offers
from ._flow import Flow, Response, awaited, blocking
from ._offers import ExchangeKey, Price, function, price
from ._way import AsyncClient, Client
from .errors import (
    Broken,
    ExchangeError,
    NotAnExchange,
    NotBought,
    NotDisputed,
    Overcharged,
    Rejected,
    Unfinished,
    Unreachable,
    Unusable,
)
from .models.ramp import (
    DisputeResponse,
    Offer,
    ResourceResponse,
    TransactionResponse,
    TransactionResultItem,
    UsageReportResponse,
)
from .options import Options
from .signing import Parameters, content_digest, format_time, nonce, sign_http

WELL_KNOWN = "/.well-known/ramp-exchange.json"
VERSION = "1.0"
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Buyer:
    """Who buys: what its domain calls it, the domain, and the key whose public half /.well-known/ramp-agent.json there tells."""

    id: str
    domain: str
    key: Ed25519PrivateKey | None = None
    """Signs every request (RFC 9421); `signing.load_key` reads one. Without it nothing is signed, which most Exchanges refuse."""

    key_id: str = ""
    """What the domain's document calls the key; empty where it has one."""

    scopes: Sequence[str] = ()
    licence: str = ""
    """A licence or subscription that the Exchange gave."""


@dataclass(frozen=True)
class Quote:
    """What is offered for one address."""

    uri: str
    offers: list[Offer]
    """Offers that the Exchange has signed, that are in time and understood."""

    absence: str = ""
    """Why there is no offer, as OFFER_ABSENCE_REASON_NOT_IN_CATALOG; empty where there are some."""

    passed: list[str] = field(default_factory=list)
    """Why offers were passed over."""


@dataclass(frozen=True)
class Purchase:
    """What came of taking an offer. Keep it: a report and a dispute need it."""

    id: str
    uri: str
    offer: Offer
    result: TransactionResultItem
    denied: str = ""
    """Why it was not bought, as DENIAL_REASON_SCOPE_INSUFFICIENT; empty where it was."""

    @property
    def transaction(self) -> str:
        """The id under which the Exchange has it."""
        return self.result.transaction_id or ""

    @property
    def billing(self) -> str:
        """The id under which it is billed."""
        return self.result.billing_id or ""

    @property
    def cost(self) -> Price | None:
        """What the Exchange charged, or holds until the report."""
        cost = self.result.cost
        return Price(Decimal(repr(cost.amount or 0.0)), cost.currency or "") if cost else None

    @property
    def overcharged(self) -> bool:
        """Says whether more was charged than the offer says, or anything in another currency."""
        cost, most = self.cost, price(self.offer)
        if cost is None or not cost.amount or most is None:
            return False
        return not cost.amount <= most.amount or cost.currency.upper() != most.currency.upper()

    @property
    def url(self) -> str:
        """The address from which it can be fetched for a few minutes. It opens the content to whoever has it."""
        package = self.result.package
        return (package.retrieval.endpoint or "") if package and package.retrieval else ""

    @property
    def must_report(self) -> bool:
        """Says whether its use must be reported."""
        return any(each is not None and each.required for each in (self.offer.reporting, self.result.reporting_obligation))


@dataclass(frozen=True)
class Content:
    """What was bought, as it was delivered."""

    media: str
    body: bytes = field(repr=False)
    offered: bool
    """Says that it is what the offer described, byte for byte."""
    digested: bool
    """Says that it is what its own digest says."""

    @property
    def text(self) -> str:
        """The content as text."""
        return self.body.decode("utf-8", "replace")


@dataclass(frozen=True)
class Dispute:
    """Where a dispute stands."""

    id: str
    status: str
    """FILED, AUTO_RESOLVED and others, without DISPUTE_STATUS_."""

    resolution: str = ""
    explanation: str = ""
    raw: dict[str, Any] = field(default_factory=dict, repr=False)


class ExchangeCore:
    """What a client of an Exchange does: flows, for Exchange and AsyncExchange alike."""

    def __init__(self, url: str, buyer: Buyer, options: Options) -> None:
        if not buyer.id or not buyer.domain:
            raise Unusable("an Exchange wants to know who buys: give the buyer's id and domain")
        self.url = _http.private(_http.beside(url, WELL_KNOWN))
        self.buyer = buyer
        self.options = options
        self._manifest: dict[str, Any] | None = None
        self._keys: list[ExchangeKey] = []

    def open(self) -> Flow[dict[str, Any]]:
        """Reads the Exchange's manifest and its keys. Other methods do so where they were not read."""
        got = yield from _http.document(self.options, self.url)
        if got.status != 200:
            raise NotAnExchange(self.url, f"the status is {got.status}: there is no manifest here")
        manifest: dict[str, Any] = _json.snake(_json.members(got.body) or {})
        wanted = [manifest.get(name) for name in ("ver", "exchange_endpoint", "keys_uri")]
        if not all(isinstance(each, str) and each for each in wanted) or not str(manifest["ver"]).startswith("1."):
            raise NotAnExchange(self.url, "its manifest lacks a version 1, an exchange_endpoint or a keys_uri")
        _http.private(manifest["exchange_endpoint"])
        _http.private(manifest["keys_uri"])
        self._keys = yield from self._read_keys(manifest["keys_uri"])
        self._manifest = manifest
        return manifest

    def discover(
        self, uris: str | Sequence[str], *, uses: Sequence[str] = ("ai-input",), understood: Collection[str] = ()
    ) -> Flow[list[Quote]]:
        """Asks what is offered for addresses, and verifies the signature of every offer.

        `uses` are what the content is wanted for; `understood` are keys of `ext` that the program understands: offers
        that need others are passed over.
        """
        yield from self._opened()
        wanted = [uris] if isinstance(uris, str) else list(uris)
        query: dict[str, Any] = {"ver": VERSION, "id": str(uuid.uuid4()), "requester": self._requester(wanted)}
        if uses:
            query["requester"]["intended_use"] = [function(use) for use in uses]
        got, _ = yield from self._call("DiscoverResources", query, ResourceResponse)
        raw = _json.snake_names(_json.read(got.body, strict=True))
        groups: list[Any] = raw.get("offer_groups") or []
        if raw.get("offers") and wanted:
            groups = [{"uri": wanted[0], "offers": raw["offers"]}]
        fresh, quotes = False, []
        for group in groups[: _offers.MAX_OFFERS]:
            group = _json.snake_names(group) if isinstance(group, dict) else {}
            quote = Quote(str(group.get("uri", "")), [], str(group.get("absence_reason") or ""))
            for raw_offer in (group.get("offers") or [])[: _offers.MAX_OFFERS]:
                now = self.options.now()
                offer = _offers.read_offer(raw_offer, understood, now)
                if isinstance(offer, str):
                    quote.passed.append(offer + _http.apart(got.headers, now))
                    continue
                good = _offers.signed(raw_offer, self._keys, now)
                if not good and not fresh:
                    self._keys, fresh = (yield from self._read_keys(self._opened_manifest()["keys_uri"])), True
                    good = _offers.signed(raw_offer, self._keys, now)
                if good:
                    quote.offers.append(offer)
                else:
                    quote.passed.append(f"the offer {offer.offer_id} is not signed by the Exchange")
            quotes.append(quote)
        return quotes

    def execute(self, offer: Offer, *, id: str = "", uri: str = "") -> Flow[Purchase]:
        """Takes an offer that `discover` gave. The id makes it one purchase: who is not sure whether it was made calls
        again with the same id and offer, and buys nothing twice.

        What the Exchange denies says so in `denied`. Raises ExchangeError, NotAnExchange, Broken, Unreachable.
        """
        yield from self._opened()
        id = id or str(uuid.uuid4())
        request = {
            "ver": VERSION,
            "id": id,
            "requester": self._requester([]),
            "offer_id": offer.offer_id,
            "offer_signature": offer.exchange_signature,
        }
        _, answer = yield from self._call("ExecuteTransaction", request, TransactionResponse)
        items = answer.items or []
        result = items[0] if items else TransactionResultItem.model_validate({**answer.model_dump(), "offer_id": offer.offer_id})
        if answer.id != id or len(items) > 1 or result.offer_id != offer.offer_id:
            raise NotAnExchange(self._endpoint("ExecuteTransaction"), "the answer to the purchase is about something else")
        denied = result.denial_reason if result.denial_reason not in (None, "DENIAL_REASON_UNSPECIFIED") else ""
        if not denied and not (result.transaction_id and result.billing_id):
            problem = "the answer to the purchase has no transaction_id or no billing_id"
            raise NotAnExchange(self._endpoint("ExecuteTransaction"), problem)
        where = uri or (offer.identity.canonical_url or "" if offer.identity else "")
        return Purchase(id, where, offer, result, denied or "")

    def buy(self, uri: str, *, max: str | Decimal, currency: str, uses: Sequence[str] = ("ai-input",), id: str = "") -> Flow[Purchase]:
        """Buys the cheapest offer for an address that permits the uses and costs no more than `max` of a currency.

        Raises NotBought where nothing was bought, and nothing paid; Unfinished where that is not known: `execute` with
        its id and offer goes on, and buys nothing twice. Overcharged is bought, for more than was offered.
        """
        try:
            most = Decimal(max)
        except InvalidOperation as error:
            raise Unusable(f"max={max!r} is no amount; write it like max='0.05'") from error
        quotes = yield from self.discover(uri, uses=uses)
        offers = [offer for quote in quotes for offer in quote.offers]
        fit = [(cost, offer) for offer in offers if (cost := price(offer)) and _offers.permits(offer, [function(u) for u in uses])]
        affordable = [(c, o) for c, o in fit if c.amount <= most and (not c.amount or c.currency.upper() == currency.upper())]
        if not affordable:
            raise _not_bought(uri, quotes, fit, f"{most} {currency}")
        offer = min(affordable, key=lambda each: each[0].amount)[1]
        id = id or str(uuid.uuid4())
        try:
            bought = yield from self.execute(offer, id=id, uri=uri)
        except (Broken, Unreachable, NotAnExchange) as error:
            raise Unfinished(id, offer, error) from error
        if bought.denied:
            words = bought.denied.removeprefix("DENIAL_REASON_").lower()
            raise NotBought(f"nothing was bought for {uri}: the Exchange denies it, {words.replace('_', ' ')}", code=words)
        if bought.overcharged:
            raise Overcharged(bought)
        return bought

    def deliver(self, purchase: Purchase, *, accept: Sequence[str] = ()) -> Flow[Content]:
        """Fetches what was bought, and holds it against the offer's hash and its own digest.

        `accept` are media types, the best first. Raises OtherContent or Damaged for content that is another.
        """
        if not purchase.url:
            raise Unusable("the Exchange names no address from which this can be fetched")
        url = _http.private(purchase.url)
        kinds = ", ".join(kind if i == 0 else f"{kind};q={1 - min(i, 9) / 10:.1f}" for i, kind in enumerate(accept))
        r = _http.request(self.options, "GET", url, headers={"Accept": kinds or "*/*"})

        def attempt() -> Flow[Response]:
            return _http.once(self.options, r)

        got = yield from _http.persist(self.options, attempt, again=_http.PASSING, repeatable=True)
        if got.status != 200:
            raise _failure(got, self.options.now())
        digested = _content.digested(got.headers, got.body)
        same = _content.offered(purchase.offer, got.body, bool(accept))
        return Content(got.headers.get("content-type", ""), got.body, same, digested)

    def report_usage(
        self,
        purchase: Purchase,
        quantity: int = 1,
        *,
        uses: Sequence[str] = ("ai-input",),
        id: str = "",
        shown: bool | None = None,
        cited: bool | None = None,
        attribution: Sequence[Mapping[str, Any]] = (),
        at: datetime | None = None,
    ) -> Flow[str]:
        """Reports how a purchase was used, in the offer's unit, and gives the id of the report. Raises Rejected.

        The same id is the same report, however often it is filed; without one it is made of the purchase's.
        """
        self._bought(purchase)
        offer = purchase.offer
        manifest = yield from self._opened()
        usage: dict[str, Any] = {"consumed_quantity": quantity}
        for name, value in (
            ("function", [function(use) for use in uses]),
            ("consumed_unit", offer.pricing.unit if offer.pricing else None),
            ("displayed_to_user", shown),
            ("citation_included", cited),
            ("attribution", [dict(each) for each in attribution]),
        ):
            if value is not None and value != []:
                usage[name] = value
        report: dict[str, Any] = {
            "ver": VERSION,
            "id": id or f"{purchase.id}-report",
            "transaction_id": purchase.transaction,
            "billing_id": purchase.billing,
            "timestamp": format_time(at or self.options.now()),
            "usage": usage,
        }
        if manifest.get("domain"):
            report["exchange"] = manifest["domain"]
        if offer.identity and offer.identity.canonical_url:
            package = offer.package
            asset = {"uri": offer.identity.canonical_url, "title": package and package.title, "package_id": package and package.id}
            report["assets"] = [{name: value for name, value in asset.items() if value}]
        _, answer = yield from self._call("ReportUsage", report, UsageReportResponse)
        if not answer.accepted:
            raise Rejected(answer.rejection_reason or "")
        return answer.report_id or report["id"]

    def dispute(
        self,
        purchase: Purchase,
        reason: str,
        *,
        report_id: str,
        description: str = "",
        content: Content | None = None,
        id: str = "",
    ) -> Flow[Dispute]:
        """Disputes a purchase whose use was reported; with the same id again, says where that stands. Raises NotDisputed.

        `reason` is delivery-failed, content-mismatch, incomplete-content, wrong-content or expired-before-fetch.
        """
        self._bought(purchase)
        yield from self._opened()
        word = "DISPUTE_REASON_" + reason.upper().replace("-", "_").removeprefix("DISPUTE_REASON_")
        request = {
            "ver": VERSION,
            "id": id or f"{purchase.id}-dispute",
            "transaction_id": purchase.transaction,
            "billing_id": purchase.billing,
            "reason": word,
            "report_id": report_id,
        }
        if description:
            request["description"] = description
        if content is not None:
            request["received_content_hash"], request["received_hash_method"] = _content.sha256(content.body), "sha-256"
        _, answer = yield from self._call("DisputeTransaction", request, DisputeResponse)
        if not answer.accepted:
            raise NotDisputed(answer.rejection_reason or "", answer.dispute_id or "")
        status = (answer.status or "").removeprefix("DISPUTE_STATUS_")
        resolution = (answer.resolution or "").removeprefix("RESOLUTION_TYPE_").removeprefix("UNSPECIFIED")
        explanation = (answer.ext or {}).get("ramp.explanation", "")
        return Dispute(answer.dispute_id or "", status, resolution, str(explanation), answer.model_dump(exclude_none=True))

    # Within.

    def _opened(self) -> Flow[dict[str, Any]]:
        return self._manifest or (yield from self.open())

    def _opened_manifest(self) -> dict[str, Any]:
        assert self._manifest is not None
        return self._manifest

    def _endpoint(self, method: str) -> str:
        base = str(self._opened_manifest()["exchange_endpoint"]).rstrip("/")
        return f"{base}/ramp.v1.ExchangeService/{method}"

    def _bought(self, purchase: Purchase) -> None:
        if purchase.denied or not purchase.transaction:
            raise Unusable("this was not bought, so there is nothing to report or to dispute")

    def _read_keys(self, url: str) -> Flow[list[ExchangeKey]]:
        got = yield from _http.document(self.options, url)
        if got.status != 200:
            raise NotAnExchange(url, f"the status is {got.status}: there are no keys here")
        try:
            return _offers.read_keys(got.body)
        except _json.NotJSON as error:
            raise NotAnExchange(url, str(error)) from error

    def _requester(self, uris: Sequence[str]) -> dict[str, Any]:
        """Gives the buyer in a message. The message itself is not signed: who sees such a signature can use it again."""
        said: dict[str, Any] = {"id": self.buyer.id, "domain": self.buyer.domain, "type": "REQUESTER_TYPE_AGENT"}
        for name, value in (("uris", list(uris)), ("scopes", list(self.buyer.scopes)), ("license_id", self.buyer.licence)):
            if value:
                said[name] = value
        return said

    def _call(self, method: str, message: dict[str, Any], kind: type[M]) -> Flow[tuple[Response, M]]:
        """Makes an RPC in Connect's form, signed anew for each attempt. Each of them can be repeated."""
        url, body = self._endpoint(method), _json.write(message)

        def attempt() -> Flow[Response]:
            r = _http.request(self.options, "POST", url, body, self._signature(url, body))
            return _http.once(self.options, r)

        got = yield from _http.persist(self.options, attempt, repeatable=True)
        if got.status != 200:
            raise _failure(got, self.options.now())
        try:
            return got, kind.model_validate(_json.snake(_json.read(got.body, strict=True)))
        except (ValidationError, _json.NotJSON) as error:
            raise NotAnExchange(url, str(error)[:300]) from error

    def _signature(self, url: str, body: bytes) -> dict[str, str]:
        buyer = self.buyer
        if buyer.key is None:
            return {}
        digest = content_digest(body)
        keyid = f"{buyer.domain}#{buyer.key_id}" if buyer.key_id else buyer.domain
        parameters = Parameters(keyid=keyid, created=self.options.now(), nonce=nonce())
        return {"Content-Digest": digest, **sign_http("POST", url, {"content-digest": digest}, parameters, buyer.key)}


def _failure(got: Response, now: datetime) -> ExchangeError:
    """Reads a failure of Connect, or of none."""
    told, again = _json.members(got.body) or {}, _http.retry_after(got.headers)
    code, message = told.get("code"), told.get("message")
    if not isinstance(code, str) or not code:
        code, message = f"http_{got.status}", ""
    return ExchangeError(code, message if isinstance(message, str) else "", got.status, again, _http.apart(got.headers, now))


def _not_bought(uri: str, quotes: Sequence[Quote], fit: Sequence[tuple[Price, Offer]], most: str) -> NotBought:
    """Says why nothing that is offered was taken."""
    if fit:
        cheapest = min(fit, key=lambda each: each[0].amount)[0]
        return NotBought(f"nothing was bought for {uri}: it costs {cheapest}, and no more than {most} may be paid", code="too_dear")
    why = [passed for quote in quotes for passed in quote.passed]
    why += [quote.absence.removeprefix("OFFER_ABSENCE_REASON_").lower().replace("_", " ") for quote in quotes if quote.absence]
    why += ["no offer permits these uses at a price that an amount bounds"] if any(quote.offers for quote in quotes) else []
    return NotBought(f"nothing was bought for {uri}: {'; '.join(why) or 'it is not offered'}", code="no_offer")


class Exchange(Client[ExchangeCore]):
    """A client of one Exchange, at its address or that of its manifest (ramp-exchange.json)."""

    def __init__(self, url: str, buyer: Buyer, *, options: Options | None = None, http: httpx.Client | None = None) -> None:
        super().__init__(ExchangeCore(url, buyer, options or Options()), http)

    open = blocking(ExchangeCore.open)
    discover = blocking(ExchangeCore.discover)
    execute = blocking(ExchangeCore.execute)
    buy = blocking(ExchangeCore.buy)
    deliver = blocking(ExchangeCore.deliver)
    report_usage = blocking(ExchangeCore.report_usage)
    dispute = blocking(ExchangeCore.dispute)


class AsyncExchange(AsyncClient[ExchangeCore]):
    """Exchange for an event loop: the same methods, awaited."""

    def __init__(self, url: str, buyer: Buyer, *, options: Options | None = None, http: httpx.AsyncClient | None = None) -> None:
        super().__init__(ExchangeCore(url, buyer, options or Options()), http)

    open = awaited(ExchangeCore.open)
    discover = awaited(ExchangeCore.discover)
    execute = awaited(ExchangeCore.execute)
    buy = awaited(ExchangeCore.buy)
    deliver = awaited(ExchangeCore.deliver)
    report_usage = awaited(ExchangeCore.report_usage)
    dispute = awaited(ExchangeCore.dispute)
