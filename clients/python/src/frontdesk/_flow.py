"""Flows: what a client does, without doing it.

A flow is a generator. It yields effects (send this, wait so long, here is an event) and is sent what came of them; what it
returns is the result of the call. Rules, retries and the reading of answers stand in flows, once. `_way.py` makes
the effects happen, in a thread or in an event loop.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

C = TypeVar("C")
P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")
C_co = TypeVar("C_co", covariant=True)


@dataclass(frozen=True)
class Request:
    """A request as it is sent. It is made once: no redirect is followed and nothing is repeated."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    silence: float = 60.0  # seconds without a byte
    deadline: float | None = None  # seconds for all of it
    max_bytes: int = 64 << 20  # of the body


@dataclass(frozen=True)
class Response:
    """A response. Its body is empty where it is read piece by piece."""

    status: int
    headers: Mapping[str, str]  # by names in lower case
    body: bytes = b""


@dataclass(frozen=True)
class Send:
    """Sends a request; comes back with its Response, the body read."""

    request: Request


@dataclass(frozen=True)
class Open:
    """Sends a request; comes back with its Response, the body not read."""

    request: Request


@dataclass(frozen=True)
class Read:
    """Reads on in what was opened; comes back with bytes, empty at the end."""


@dataclass(frozen=True)
class Sleep:
    """Waits."""

    seconds: float


@dataclass(frozen=True)
class Emit(Generic[T]):
    """Gives the caller an event."""

    event: T


Effect = Send | Open | Read | Sleep
Flow = Generator[Effect, Any, T]
Stream = Generator[Effect | Emit[S], Any, None]


class SyncWay(Protocol):
    """Makes the effects of flows happen in the calling thread."""

    def run(self, flow: Flow[T]) -> T: ...
    def iterate(self, flow: Stream[S]) -> Iterator[S]: ...


class AsyncWay(Protocol):
    """Makes the effects of flows happen in an event loop."""

    async def run(self, flow: Flow[T]) -> T: ...
    def iterate(self, flow: Stream[S]) -> AsyncIterator[S]: ...


class HasSync(Protocol[C_co]):
    """A client that blocks: what decides, and the way."""

    @property
    def core(self) -> C_co: ...
    @property
    def way(self) -> SyncWay: ...


class HasAsync(Protocol[C_co]):
    """A client for an event loop: what decides, and the way."""

    @property
    def core(self) -> C_co: ...
    @property
    def way(self) -> AsyncWay: ...


class _Method:
    """What the descriptors below share: the documentation is the flow's."""

    def __init__(self, flow: Callable[..., Any]) -> None:
        self.flow: Callable[..., Any] = flow
        self.__doc__ = flow.__doc__
        self.__wrapped__ = flow


class blocking(_Method, Generic[C, P, T]):
    """A method that runs a flow and gives its result."""

    def __init__(self, flow: Callable[Concatenate[C, P], Flow[T]]) -> None:
        super().__init__(flow)

    @overload
    def __get__(self, client: None, owner: type) -> blocking[C, P, T]: ...
    @overload
    def __get__(self, client: HasSync[C], owner: type) -> Callable[P, T]: ...
    def __get__(self, client: HasSync[C] | None, owner: type) -> Any:
        if client is None:
            return self
        bound = client

        @functools.wraps(self.flow)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            result: T = bound.way.run(self.flow(bound.core, *args, **kwargs))
            return result

        return call


class awaited(_Method, Generic[C, P, T]):
    """A method that runs a flow in an event loop and gives its result."""

    def __init__(self, flow: Callable[Concatenate[C, P], Flow[T]]) -> None:
        super().__init__(flow)

    @overload
    def __get__(self, client: None, owner: type) -> awaited[C, P, T]: ...
    @overload
    def __get__(self, client: HasAsync[C], owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: HasAsync[C] | None, owner: type) -> Any:
        if client is None:
            return self
        bound = client

        @functools.wraps(self.flow)
        async def call(*args: P.args, **kwargs: P.kwargs) -> T:
            result: T = await bound.way.run(self.flow(bound.core, *args, **kwargs))
            return result

        return call


class iterated(_Method, Generic[C, P, S]):
    """A method that gives the events of a flow as they come."""

    def __init__(self, flow: Callable[Concatenate[C, P], Stream[S]]) -> None:
        super().__init__(flow)

    @overload
    def __get__(self, client: None, owner: type) -> iterated[C, P, S]: ...
    @overload
    def __get__(self, client: HasSync[C], owner: type) -> Callable[P, Iterator[S]]: ...
    def __get__(self, client: HasSync[C] | None, owner: type) -> Any:
        if client is None:
            return self
        bound = client

        @functools.wraps(self.flow)
        def call(*args: P.args, **kwargs: P.kwargs) -> Iterator[S]:
            return bound.way.iterate(self.flow(bound.core, *args, **kwargs))

        return call


class aiterated(_Method, Generic[C, P, S]):
    """A method that gives the events of a flow as they come, in an event loop."""

    def __init__(self, flow: Callable[Concatenate[C, P], Stream[S]]) -> None:
        super().__init__(flow)

    @overload
    def __get__(self, client: None, owner: type) -> aiterated[C, P, S]: ...
    @overload
    def __get__(self, client: HasAsync[C], owner: type) -> Callable[P, AsyncIterator[S]]: ...
    def __get__(self, client: HasAsync[C] | None, owner: type) -> Any:
        if client is None:
            return self
        bound = client

        @functools.wraps(self.flow)
        def call(*args: P.args, **kwargs: P.kwargs) -> AsyncIterator[S]:
            return bound.way.iterate(self.flow(bound.core, *args, **kwargs))

        return call
