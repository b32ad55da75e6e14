"""The two ways to the other side: httpx in a thread, httpx in an event loop. They know nothing of any protocol."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any, Generic, TypeVar

import anyio
import httpx
from typing_extensions import Self

from ._flow import Effect, Emit, Flow, Open, Read, Request, Response, Send, Sleep, Stream
from .errors import Broken, FrontdeskError, Unreachable

C = TypeVar("C")
T = TypeVar("T")
S = TypeVar("S")


def _no_cookies() -> CookieJar:
    """Gives a jar that takes no cookie: nobody is followed from one question to the next."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


def _built(client: httpx.Client | httpx.AsyncClient, r: Request) -> httpx.Request:
    wait = min(r.silence, r.deadline) if r.deadline else r.silence
    # No compression: what is read is bounded by what was sent, and digests are over it.
    headers = {"Accept-Encoding": "identity", **r.headers}
    timeout = httpx.Timeout(wait)
    return client.build_request(r.method, r.url, headers=headers, content=r.body, timeout=timeout)


def _response(got: httpx.Response, r: Request) -> Response:
    if got.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        raise Broken(_bare(r.url), "connection", "it came compressed, though it was asked for as it is")
    return Response(got.status_code, {name.lower(): value for name, value in got.headers.items()})


def _bare(url: str) -> str:
    """Gives an address without its query, in which a signature may stand."""
    return url.split("?", 1)[0]


def _fault(error: Exception, r: Request, begun: bool) -> FrontdeskError:
    """Says what an error of httpx means."""
    url = _bare(r.url)
    if isinstance(error, httpx.ReadTimeout) or isinstance(error, httpx.TimeoutException) and begun:
        return Broken(url, "silent")
    if isinstance(error, httpx.RemoteProtocolError) or begun:
        return Broken(url, "connection")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return Unreachable(url, "it is no web address")
    return Unreachable(url, str(error) or type(error).__name__)


async def _given(body: bytes) -> AsyncIterator[bytes]:
    yield body


class _Budget:
    """Counts the bytes and the time of one response."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.left = request.max_bytes
        self.ends = time.monotonic() + request.deadline if request.deadline else None

    def take(self, piece: bytes) -> bytes:
        self.left -= len(piece)
        if self.left < 0:
            raise Broken(_bare(self.request.url), "too_large")
        if self.ends is not None and time.monotonic() > self.ends:
            raise Broken(_bare(self.request.url), "silent")
        return piece


class _SyncRun:
    """One call: what it opened is closed with it."""

    def __init__(self, client: httpx.Client, sleep: Callable[[float], Any]) -> None:
        self.client, self.sleep = client, sleep
        self.opened: httpx.Response | None = None
        self.pieces: Iterator[bytes] = iter(())
        self.budget: _Budget | None = None

    def perform(self, effect: Effect) -> Any:
        if isinstance(effect, Sleep):
            return self.sleep(effect.seconds)
        if isinstance(effect, Read):
            return self.read()
        response = self.open(effect.request)
        if isinstance(effect, Open):
            return response
        body = b"".join(iter(self.read, b""))
        self.close()
        return Response(response.status, response.headers, body)

    def open(self, r: Request) -> Response:
        self.close()
        self.budget = _Budget(r)
        try:
            self.opened = self.client.send(_built(self.client, r), stream=True, follow_redirects=False)
            read = self.opened.is_stream_consumed  # a transport of tests may give a response that was read
            self.pieces = iter([self.opened.content]) if read else self.opened.iter_raw()
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise _fault(error, r, False) from error
        return _response(self.opened, r)

    def read(self) -> bytes:
        assert self.budget is not None
        try:
            return self.budget.take(next(self.pieces, b""))
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise _fault(error, self.budget.request, True) from error

    def close(self) -> None:
        if self.opened is not None:
            self.opened.close()
            self.opened = None


class _AsyncRun:
    """One call in an event loop: what it opened is closed with it."""

    def __init__(self, client: httpx.AsyncClient, sleep: Callable[[float], Awaitable[Any]]) -> None:
        self.client, self.sleep = client, sleep
        self.opened: httpx.Response | None = None
        self.pieces: AsyncIterator[bytes] | None = None
        self.budget: _Budget | None = None

    async def perform(self, effect: Effect) -> Any:
        if isinstance(effect, Sleep):
            return await self.sleep(effect.seconds)
        if isinstance(effect, Read):
            return await self.read()
        response = await self.open(effect.request)
        if isinstance(effect, Open):
            return response
        pieces = []
        while piece := await self.read():
            pieces.append(piece)
        await self.close()
        return Response(response.status, response.headers, b"".join(pieces))

    async def open(self, r: Request) -> Response:
        await self.close()
        self.budget = _Budget(r)
        try:
            with anyio.fail_after(r.deadline):
                self.opened = await self.client.send(_built(self.client, r), stream=True, follow_redirects=False)
            read = self.opened.is_stream_consumed  # a transport of tests may give a response that was read
            self.pieces = _given(self.opened.content) if read else self.opened.aiter_raw()
        except TimeoutError as error:
            raise Broken(_bare(r.url), "silent") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise _fault(error, r, False) from error
        return _response(self.opened, r)

    async def read(self) -> bytes:
        assert self.budget is not None and self.pieces is not None
        try:
            return self.budget.take(await anext(self.pieces, b""))
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise _fault(error, self.budget.request, True) from error

    async def close(self) -> None:
        if self.opened is not None:
            await self.opened.aclose()
            self.opened = None


class Threaded:
    """Makes the effects of flows happen in the calling thread."""

    def __init__(self, http: httpx.Client | None = None) -> None:
        self.client = http or httpx.Client(follow_redirects=False, cookies=_no_cookies())
        self.ours = http is None
        self.sleep: Callable[[float], Any] = time.sleep

    def run(self, flow: Flow[T]) -> T:
        way = _SyncRun(self.client, self.sleep)
        try:
            effect = next(flow)
            while True:
                try:
                    came = way.perform(effect)
                except FrontdeskError as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(came)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            way.close()

    def iterate(self, flow: Stream[S]) -> Iterator[S]:
        way = _SyncRun(self.client, self.sleep)
        try:
            effect = next(flow)
            while True:
                if isinstance(effect, Emit):
                    yield effect.event
                    effect = next(flow)
                    continue
                try:
                    came = way.perform(effect)
                except FrontdeskError as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(came)
        except StopIteration:
            return
        finally:
            way.close()


class Looped:
    """Makes the effects of flows happen in an event loop."""

    def __init__(self, http: httpx.AsyncClient | None = None) -> None:
        self.client = http or httpx.AsyncClient(follow_redirects=False, cookies=_no_cookies())
        self.ours = http is None
        self.sleep: Callable[[float], Awaitable[Any]] = anyio.sleep

    async def run(self, flow: Flow[T]) -> T:
        way = _AsyncRun(self.client, self.sleep)
        try:
            effect = next(flow)
            while True:
                try:
                    came = await way.perform(effect)
                except FrontdeskError as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(came)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            await way.close()

    async def iterate(self, flow: Stream[S]) -> AsyncIterator[S]:
        way = _AsyncRun(self.client, self.sleep)
        try:
            effect = next(flow)
            while True:
                if isinstance(effect, Emit):
                    yield effect.event
                    effect = next(flow)
                    continue
                try:
                    came = await way.perform(effect)
                except FrontdeskError as error:
                    effect = flow.throw(error)
                else:
                    effect = flow.send(came)
        except StopIteration:
            return
        finally:
            await way.close()


class Client(Generic[C]):
    """A client that blocks. It is safe for several threads, and is closed by `close` or `with`."""

    def __init__(self, core: C, http: httpx.Client | None) -> None:
        self.core = core
        self.way = Threaded(http)

    def close(self) -> None:
        """Closes the connections, unless they belong to a client of httpx that was given."""
        if self.way.ours:
            self.way.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncClient(Generic[C]):
    """A client for one event loop. It is closed by `close` or `async with`."""

    def __init__(self, core: C, http: httpx.AsyncClient | None) -> None:
        self.core = core
        self.way = Looped(http)

    async def close(self) -> None:
        """Closes the connections, unless they belong to a client of httpx that was given."""
        if self.way.ours:
            await self.way.client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        await self.close()
