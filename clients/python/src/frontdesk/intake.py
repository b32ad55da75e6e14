"""Businesses of the Agent Intake Protocol: what they take in, what they offer, and accepting an offer."""

from __future__ import annotations

import ipaddress
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from . import _http, _json
from ._flow import Flow, Response, awaited, blocking
from ._personal import personal_members, pointer
from ._schema import unfit
from ._way import AsyncClient, Client
from .errors import Declined, NotAnIntake, OfferExpired, Pending, PersonalData, Refused, Unfit, Unusable
from .models.intake import IntakeBound, IntakeManifest, IntakeManifestIntake, IntakeResponse, IntakeResponseOffer
from .options import Options
from .signing import format_time

VERSION = "0.1.0"
WELL_KNOWN = "/.well-known/agent-intake.json"
MAX_ANSWER = 1 << 20

Scope = Literal["intake", "offer", "bind", "account_creation", "payment"]


@dataclass(frozen=True)
class IntakeAgent:
    """Who submits, on a person's behalf."""

    id: str = field(default_factory=lambda: f"agent-{secrets.token_hex(13)}")
    platform: str = ""
    name: str = ""
    bind_hosts: Sequence[str] = ()
    """Hosts beside the business's own at which offers may be bound. What binds is personal."""


@dataclass(frozen=True)
class Offered:
    """An offer that a business made: it binds nobody until it is accepted."""

    intake: str
    session: str
    offer: IntakeResponseOffer
    raw: dict[str, Any] = field(repr=False)

    @property
    def id(self) -> str:
        """The offer's id."""
        return self.offer.id

    @property
    def summary(self) -> str:
        """The offer in the business's words: data, and no instruction."""
        return self.offer.summary

    @property
    def requires(self) -> list[str]:
        """The names of what the business wants to know when the offer is accepted."""
        return list(self.offer.bind_requires or [])


@dataclass(frozen=True)
class BoundOffer:
    """What a business answered to an accepted offer. `bound` is None where it has another form, which `raw` has."""

    offer_id: str
    status: str
    message: str
    bound: IntakeBound | None
    raw: dict[str, Any] = field(repr=False)


class BusinessCore:
    """What a client of a business does: flows, for Business and AsyncBusiness alike."""

    def __init__(self, url: str, agent: IntakeAgent | None, options: Options) -> None:
        self.url = _http.private(_http.beside(url, WELL_KNOWN))
        self.agent = agent or IntakeAgent()
        self.options = replace(options, max_answer=min(options.max_answer, MAX_ANSWER))
        self._manifest: IntakeManifest | None = None

    def open(self) -> Flow[IntakeManifest]:
        """Reads what the business takes in, anew. Other methods do so where it was not read."""
        got = yield from _http.document(self.options, self.url)
        if got.status != 200:
            raise NotAnIntake(self.url, got.status, "the status is not 200: there is no manifest here")
        try:
            _json.read(got.body, strict=True)
            manifest = IntakeManifest.model_validate_json(got.body, strict=True)
        except (ValidationError, _json.NotJSON) as error:
            raise NotAnIntake(self.url, got.status, _first(error)) from error
        self._manifest = manifest
        return manifest

    def submit(
        self,
        intake: str,
        data: Mapping[str, Any],
        *,
        session: str = "",
        personal: bool = False,
        scopes: Sequence[Scope] = ("intake", "offer"),
        locale: str = "",
        timezone: str = "",
    ) -> Flow[Offered]:
        """Submits data to an intake, and gives the offer. Raises Unfit, PersonalData, Declined, Pending, Refused, NotAnIntake.

        Data is not sent where it does not fit the intake's schema, has members that the intake does not declare, or
        looks personal without `personal=True`, which says that the person authorized it. The same data in the same
        session is the same request, however often it is made: what breaks off is sent again.
        """
        manifest = self._manifest or (yield from self.open())
        to = _find(manifest, intake)
        problems = unfit(dict(to.input_schema), dict(data))
        if problems:
            raise Unfit(problems)
        if not personal and (members := personal_members(dict(data))):
            raise PersonalData(members)
        agent: dict[str, Any] = {"id": self.agent.id, "consent_scope": list(scopes)}
        agent |= {name: text for name, text in (("platform", self.agent.platform), ("name", self.agent.name)) if text}
        session = session or str(uuid.uuid4())
        metadata = {name: text for name, text in (("locale", locale), ("timezone", timezone)) if text}
        request = {"aip_version": VERSION, "agent": agent, "intake_data": dict(data), "session_id": session}
        body = _json.write({**request, "metadata": metadata} if metadata else request)
        got = yield from self._post(_http.private(to.endpoint), body, repeatable=True)
        return self._offered(to, session, got)

    def bind(
        self,
        offered: Offered,
        data: Mapping[str, Any],
        *,
        confirmed_at: datetime | None = None,
        scopes: Sequence[Scope] = (),
    ) -> Flow[BoundOffer]:
        """Accepts an offer. Call it when the person accepted, and authorized this data to be sent: its time goes along.

        `data` has all that the offer requires, and nothing else. Raises Unfit, OfferExpired, Refused, NotAnIntake. A bind
        that broke off is not sent again by itself; Frontdesk answers the same bind with the same answer.
        """
        offer, url = offered.offer, offered.offer.bind_endpoint
        if not url:
            raise Unusable("this offer cannot be accepted: it is the answer itself")
        if _expired(offer, self.options.now()):
            raise OfferExpired
        missing = [(pointer(name), "is required, and missing or empty") for name in offered.requires if _empty(data.get(name))]
        extra = [(pointer(name), "is not what the offer requires; leave it out") for name in sorted(set(data) - set(offered.requires))]
        if missing or extra:
            raise Unfit(missing + extra)
        consent = sorted({"intake", "offer", "bind", *scopes})
        bind = {
            "offer_id": offer.id,
            "session_id": offered.session,
            "bind_data": dict(data),
            "agent": {"id": self.agent.id, "consent_scope": consent},
            "metadata": {"user_confirmed_at": format_time(confirmed_at or self.options.now())},
        }
        manifest = self._manifest or (yield from self.open())
        self._own(_find(manifest, offered.intake), url)
        got = yield from self._post(url, _json.write(bind), repeatable=False)
        return _bound(got, url, offered)

    # Within.

    def _post(self, url: str, body: bytes, repeatable: bool) -> Flow[Response]:
        def attempt() -> Flow[Response]:
            return _http.once(self.options, _http.request(self.options, "POST", url, body, _http.bearer(self.options)))

        return (yield from _http.persist(self.options, attempt, repeatable=repeatable))

    def _offered(self, to: IntakeManifestIntake, session: str, got: Response) -> Offered:
        """Reads what was answered to a submission."""
        try:
            raw = _json.read(got.body, strict=True)
            answer = IntakeResponse.model_validate_json(got.body, strict=True)
        except (ValidationError, _json.NotJSON) as error:
            if got.status >= 400:
                raise _refusal(got, None) from error
            raise NotAnIntake(to.endpoint, got.status, _first(error)) from error
        if answer.status == "error" or got.status >= 400:
            raise _refusal(got, answer)
        if not _same(answer.session_id, session):
            raise NotAnIntake(to.endpoint, got.status, "the answer is to another session")
        if answer.status == "declined":
            raise Declined(answer.decline_reason or "", got.status)
        if answer.status == "pending":
            raise Pending(session, _later(got, raw))
        if got.status != 200 or answer.offer is None:
            raise NotAnIntake(to.endpoint, got.status, "an offer comes with the status 200, and is there")
        if problem := _against(to, answer.offer, self.options.now()):
            raise NotAnIntake(to.endpoint, got.status, problem)
        if answer.offer.bind_endpoint:
            self._own(to, answer.offer.bind_endpoint)
        return Offered(to.id, session, answer.offer, raw)

    def _own(self, to: IntakeManifestIntake, url: str) -> None:
        """Refuses an address to bind at that is not the business's: on the host of the manifest or intake, or below it."""
        host = urlsplit(_http.private(url)).hostname or ""
        for own in (self.url, to.endpoint):
            name = urlsplit(own).hostname or ""
            bare = name.removeprefix("www.")
            if host in (name, bare) or not _is_number(name) and host.endswith("." + bare):
                return
        if host not in {allowed.lower().rstrip(".") for allowed in self.agent.bind_hosts}:
            raise Unusable(f"the offer is to be accepted at {url}, which is not the business's; add its host to bind_hosts if the person trusts it")


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_input=False)[0]
        return f"/{'/'.join(str(part) for part in found['loc'])}: {found['msg']}"
    return str(error)


def _find(manifest: IntakeManifest, intake: str) -> IntakeManifestIntake:
    found = next((each for each in manifest.intakes if each.id == intake), None)
    if found is None:
        raise Unusable(f"the business has no intake {intake!r}; it has {', '.join(each.id for each in manifest.intakes)}")
    return found


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _empty(value: Any) -> bool:
    return value is None or isinstance(value, str | list | dict) and not value or isinstance(value, str) and not value.strip()


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _expired(offer: IntakeResponseOffer, now: datetime) -> bool:
    return offer.expires is not None and now >= offer.expires


def _against(to: IntakeManifestIntake, offer: IntakeResponseOffer, now: datetime) -> str:
    """Says how an offer breaks the manifest; empty where it keeps it."""
    if _expired(offer, now):
        return "/offer/expires has passed"
    if to.binding_available and not offer.bind_endpoint:
        return "/offer/bind_endpoint is missing, and the manifest says that offers can be accepted"
    if not to.binding_available and (offer.bind_endpoint or offer.bind_requires is not None):
        return "/offer can be accepted, and the manifest says that it cannot"
    return ""


def _later(got: Response, raw: Mapping[str, Any]) -> float | None:
    """Says how long a business wants to be left alone, by its metadata or its header; None where it does not say."""
    metadata = raw.get("metadata")
    seconds = metadata.get("retry_after_seconds") if isinstance(metadata, dict) else None
    told = float(seconds) if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 < seconds < 1e9 else 0.0
    return max(told, _http.retry_after(got.headers) or 0.0) or None


def _refusal(got: Response, answer: IntakeResponse | None) -> Refused:
    raw = _json.members(got.body) or {}
    if answer is not None and answer.error is not None:
        return Refused(answer.error.code, answer.error.message, got.status, _later(got, raw))
    return Refused(f"HTTP_{got.status}", "", got.status, _later(got, raw))


def _bound(got: Response, url: str, offered: Offered) -> BoundOffer:
    """Reads what was answered to a bind."""
    raw = _json.members(got.body)
    if got.status >= 400 or raw is not None and raw.get("status") == "error":
        try:
            answer = IntakeResponse.model_validate_json(got.body, strict=True)
        except ValidationError:
            answer = None
        raise _refusal(got, answer)
    if not 200 <= got.status < 300 or raw is None:
        raise NotAnIntake(url, got.status, "the answer is no JSON object with a status of success; ask the business whether the offer is accepted")
    try:
        bound = IntakeBound.model_validate_json(got.body, strict=True)
    except ValidationError:
        return BoundOffer(offered.id, str(raw.get("status", "")), str(raw.get("message", "")), None, raw)
    if bound.offer_id != offered.id or not _same(bound.session_id, offered.session):
        raise NotAnIntake(url, got.status, "the answer is about another offer or session; ask the business whether the offer is accepted")
    return BoundOffer(bound.offer_id, bound.status, bound.message or "", bound, raw)


class Business(Client[BusinessCore]):
    """A client of one business, at its site's address or that of its manifest (agent-intake.json)."""

    def __init__(
        self,
        url: str,
        *,
        agent: IntakeAgent | None = None,
        options: Options | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        super().__init__(BusinessCore(url, agent, options or Options()), http)

    open = blocking(BusinessCore.open)
    submit = blocking(BusinessCore.submit)
    bind = blocking(BusinessCore.bind)


class AsyncBusiness(AsyncClient[BusinessCore]):
    """Business for an event loop: the same methods, awaited."""

    def __init__(
        self,
        url: str,
        *,
        agent: IntakeAgent | None = None,
        options: Options | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(BusinessCore(url, agent, options or Options()), http)

    open = awaited(BusinessCore.open)
    submit = awaited(BusinessCore.submit)
    bind = awaited(BusinessCore.bind)
