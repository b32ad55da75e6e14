"""What all clients do alike: addresses, headers, redirects, repetitions. Flows; nothing is sent here."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit

from ._flow import Flow, Open, Request, Response, Send, Sleep
from .errors import Broken, FrontdeskError, NotADesk, Unreachable, Unusable
from .options import Options

NO_TIME = frozenset({429, 503})
PASSING = frozenset({429, 500, 502, 503, 504})
FIRST_WAIT = 0.5
MAX_REDIRECTS = 5
MAX_DOCUMENT = 1 << 20
SERVICE_DEADLINE = 30.0  # of one attempt at services that are found by their documents


def web_address(address: str) -> str:
    """Gives an address of the web without its fragment. Raises Unusable."""
    try:
        at = urlsplit(address)
        host, _ = at.hostname, at.port
    except ValueError:
        at, host = urlsplit(""), None
    if at.scheme not in ("http", "https") or not host:
        raise Unusable(f"{address!r} is no web address; write it like https://www.example.com")
    if at.username is not None or at.password is not None:
        raise Unusable(f"the address of {host} holds a password; give it as Options.token")
    return address.split("#", 1)[0]


def beside(address: str, document: str) -> str:
    """Gives the address of a document of a site, from the site's address or the document's own."""
    address = web_address(address)
    at = urlsplit(address)
    return address if at.path.endswith(".json") else urljoin(address, document)


def on_this_machine(host: str) -> bool:
    """Says whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def private(address: str) -> str:
    """Gives an address that nobody on the way can read. Raises Unusable."""
    at = urlsplit(web_address(address))
    if at.scheme == "https" or on_this_machine(at.hostname or ""):
        return address
    raise Unusable(f"{address} is not https, and http is for this machine alone; ask its owner for https")


def origin(address: str) -> tuple[str, str, int]:
    """Gives scheme, host and port of an address."""
    at = urlsplit(address)
    return at.scheme, at.hostname or "", at.port or {"http": 80, "https": 443}.get(at.scheme, 0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Reads Retry-After (RFC 9110 §10.2.3); None where it says nothing."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 10:
        return float(value) or None
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    left = (at - datetime.now(timezone.utc)).total_seconds()
    return left if left > 0 else None


def apart(headers: Mapping[str, str], now: datetime) -> str:
    """Says how far the clock of the other side is from this one; empty where that is less than a minute, or not told."""
    try:
        at = parsedate_to_datetime(headers.get("date", ""))
        seconds = round((at - now).total_seconds())
    except (ValueError, TypeError):
        return ""
    if abs(seconds) <= 60 or "age" in headers:
        return ""
    where = "ahead of" if seconds > 0 else "behind"
    return f"; its clock is {abs(seconds)} s {where} this machine's: set the one that is wrong"


def patience(options: Options, asked: float | None, attempt: int) -> float | None:
    """Says how long to wait before one more attempt; None for no further one."""
    if attempt >= options.retries or (asked or 0.0) > options.max_wait:
        return None
    if asked:
        return asked + random.random() * asked / 8  # or all who were turned away would come back together
    wait = min(FIRST_WAIT * 2.0 ** min(attempt, 20), options.max_wait)
    return wait / 2 + random.random() * wait / 2


def bearer(options: Options) -> dict[str, str]:
    """Gives the header of the token."""
    token = options.token() if callable(options.token) else options.token
    return {"Authorization": f"Bearer {token}"} if token else {}


def request(
    options: Options, method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Request:
    """Writes a request with the usual headers; empty ones are left out."""
    given = {name: value for name, value in (headers or {}).items() if value}
    named = {"Accept": "application/json", "User-Agent": options.user_agent, **given}
    if body is not None:
        named.setdefault("Content-Type", "application/json")
    return Request(
        method, url, named, body, silence=options.silence, deadline=options.timeout, max_bytes=options.max_answer
    )


def follow(options: Options, r: Request, effect: type[Send] | type[Open]) -> Flow[Response]:
    """Sends a request, and follows redirects that keep it: no POST becomes a GET, and https stays https."""
    for _ in range(MAX_REDIRECTS + 1):
        signed = options.agent.headers(r.method, r.url, options.now()) if options.agent else {}
        got: Response = yield effect(replace(r, headers={**r.headers, **signed}))
        where = got.headers.get("location", "")
        if got.status not in (301, 302, 303, 307, 308) or not where:
            return got
        to = urljoin(r.url, where).split("#", 1)[0]
        if r.method != "GET" and got.status not in (307, 308):
            raise NotADesk(r.url, got.status, f"it has moved to {to} by a redirect that loses the request; use that address")
        if urlsplit(to).scheme not in ("https", urlsplit(r.url).scheme):
            raise NotADesk(r.url, got.status, f"it redirects to {to}, which is not secured")
        kept = r.headers if origin(to) == origin(r.url) else {n: v for n, v in r.headers.items() if n != "Authorization"}
        r = replace(r, url=web_address(to), headers=kept)
    raise NotADesk(r.url, 310, f"it redirects more than {MAX_REDIRECTS} times")


def persist(
    options: Options,
    attempt: Callable[[], Flow[Response]],
    *,
    again: Container[int] = NO_TIME,
    repeatable: bool = False,
    within: float | None = None,
) -> Flow[Response]:
    """Makes attempts until the other side has time. `repeatable` says that what broke off may be sent again.

    `within` bounds the time of all attempts, for bodies that must stay fresh.
    """
    began, number = options.now(), 0
    while True:
        asked: float | None = None
        got: Response | None = None
        fault: FrontdeskError | None = None
        try:
            got = yield from attempt()
        except (Unreachable, Broken) as error:
            if not repeatable or isinstance(error, Broken) and error.cause == "too_large":
                raise
            fault = error
        if got is not None:
            if got.status not in again:
                return got
            asked = retry_after(got.headers)
        wait = patience(options, asked, number)
        late = within is not None and (options.now() - began).total_seconds() + (wait or 0) > within
        if wait is None or late:
            if got is not None:
                return got
            assert fault is not None
            raise fault
        yield Sleep(wait)
        number += 1


def document(options: Options, url: str) -> Flow[Response]:
    """Reads a public document, until the server has time."""
    r = replace(request(options, "GET", url), max_bytes=MAX_DOCUMENT, deadline=min(options.timeout, SERVICE_DEADLINE))
    return (yield from persist(options, lambda: follow(options, r, Send)))


def once(options: Options, r: Request) -> Flow[Response]:
    """Sends what is for one address alone: no redirect is followed."""
    signed = options.agent.headers(r.method, r.url, options.now()) if options.agent else {}
    deadline = min(options.timeout, SERVICE_DEADLINE)
    got: Response = yield Send(replace(r, headers={**r.headers, **signed}, deadline=deadline))
    return got
