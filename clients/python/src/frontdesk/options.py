"""What a client may be told about how to ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone

from .signing import Agent


def _now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass(frozen=True)
class Options:
    """The settings of a client; the defaults are fit for most."""

    token: str | Callable[[], str] | None = field(default=None, repr=False)
    """An API key or access token, or what gives one for each attempt. It is sent as a bearer token, to the first host alone."""

    user_agent: str = "frontdesk-python"
    max_answer: int = 64 << 20
    """The most bytes that are read of one answer."""

    max_event: int = 8 << 20
    """The most bytes of one event of a stream."""

    retries: int = 3
    """How often a request is repeated where that is safe: the other side has no time (429, 503), or the way broke."""

    max_wait: float = 30.0
    """The longest that one repetition waits, in seconds. Who wants more patience gets no repetition."""

    silence: float = 60.0
    """How long the other side may stay silent, in seconds."""

    timeout: float = 120.0
    """How long one attempt may take in all, in seconds; a stream is bounded by `silence` alone."""

    agent: Agent | None = None
    """Signs each request over https (Web Bot Auth), so that a server can say who asks it."""

    now: Callable[[], datetime] = _now
    """The clock by which requests are signed, and offers and keys held to be in time."""
