"""Front desks: any server that speaks NLWeb 0.55 over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import httpx
from typing_extensions import Unpack

from . import _http, _json, _sse
from ._flow import Emit, Flow, Open, Read, Response, Send, Sleep, Stream, aiterated, awaited, blocking, iterated
from ._way import AsyncClient, Client
from .answers import (
    MAX_PREVIOUS,
    Answer,
    Asking,
    Event,
    Meta,
    Promise,
    Question,
    read_answer,
    read_failure,
    read_item,
    read_meta,
    read_promise,
    word,
)
from .errors import Broken, Failure, NotADesk, Promised, Unreachable
from .options import Options

if TYPE_CHECKING:
    from .tools import Format

E = TypeVar("E", bound=Failure | Promised)

# How long to wait between two looks at a promise, and how often to come back to a desk that is started anew.
FIRST_LOOK, LONGEST_LOOK, MAX_UNREACHABLE = 0.2, 10.0, 6
_JSON, _EVENTS = "application/json", "text/event-stream"


class DeskCore:
    """What a client of a front desk does: flows, for Desk and AsyncDesk alike."""

    def __init__(self, url: str, options: Options) -> None:
        address = _http.web_address(url).split("?", 1)[0].rstrip("/")
        self.ask_url = address if address.endswith("/ask") else address + "/ask"
        self.base = self.ask_url.removesuffix("/ask")
        self.options = options

    def ask(self, question: str | Question, /, **asking: Unpack[Asking]) -> Stream[Event]:
        """Asks, and gives the answer as it comes: `for event in desk.ask("a quick soup")`.

        The last event is `complete` and has the whole answer. Raises Failure where the desk cannot answer, after
        the events that came; Promised where the answer is for later; Broken where the stream breaks off.
        """
        q = _question(question, asking)
        try:
            yield from self._events(q)
        except (Failure, Promised) as error:
            raise _of(error, q) from None

    def answer(self, question: str | Question, /, *, wait: float = 0, **asking: Unpack[Asking]) -> Flow[Answer]:
        """Asks, and gives the whole answer. Raises Failure (as NoResults), Promised, NotADesk, Broken, Unreachable.

        `wait` is for how many seconds an answer that is promised for later is waited for.
        """
        q = _question(question, asking)
        try:
            return _answered((yield from self._answer(q)), q)
        except Promised as error:
            if not wait:
                raise _of(error, q) from None
            promise = error.promise
        except Failure as error:
            raise _of(error, q) from None
        return _answered((yield from self.wait(promise, timeout=wait)), q)

    def follow(self, after: Answer | Failure | Promised, text: str, /, **asking: Unpack[Asking]) -> Flow[Answer]:
        """Asks the next question of a conversation: `desk.follow(answer, "only vegan")`.

        It goes on with the session of an earlier answer, or of a failure, and says which questions came before.
        """
        return (yield from self.answer(next_question(after, text), **asking))

    def reply(self, asked_back: Answer, answers: dict[str, object], /, **asking: Unpack[Asking]) -> Flow[Answer]:
        """Answers what a desk asked back (`answer.elicitation`), each by the id of its question.

        A value is a text, a list of them for a multi_select, a number, a bool, or NO_PREFERENCE.
        """
        before = asked_back.question or Question(text="")
        session = asked_back.meta.session or before.session
        q = before.model_copy(update={"filters": {**before.filters, **answers}, "session": session})
        return (yield from self.answer(q, **asking))

    def check(self, promise: Promise | str, /) -> Flow[Answer]:
        """Gives the answer of a promise, or raises Promised while it is worked on."""
        return (yield from self._await(promise, "checkin"))

    def cancel(self, promise: Promise | str, /) -> Flow[Answer | None]:
        """Ends the work on a promise: None, or the answer where that was there already."""
        try:
            return (yield from self._await(promise, "cancel"))
        except Failure as error:
            if error.code == "CANCELLED":
                return None
            raise

    def wait(self, promise: Promise | str, /, *, timeout: float = 600) -> Flow[Answer]:
        """Gives the answer of a promise when it is there, looking ever less often, also past a restart of the desk.

        Raises Promised after `timeout` seconds: the promise stays what it is, and can be waited for again.
        """
        last = promise if isinstance(promise, Promise) else Promise(promise)
        pause, away, spent = FIRST_LOOK, 0, 0.0
        while True:
            span = min(max(last.left, pause), LONGEST_LOOK)
            if spent + span > timeout:
                raise Promised(last)
            yield Sleep(span)
            spent, pause = spent + span, min(pause * 1.5, LONGEST_LOOK)
            try:
                return (yield from self.check(last))
            except Promised as error:
                last, away = error.promise, 0
            except Unreachable:
                away += 1
                if away > MAX_UNREACHABLE:
                    raise

    def forget(self, after: Answer | Failure, /) -> Flow[None]:
        """Has the desk forget what it keeps of a conversation that it was asked to remember."""
        session = after.meta.session
        conversation = word(session.get("conversation_id"))
        if not conversation:
            return
        url = f"{self.base}/sessions/{quote(conversation, safe='')}"
        state = word(session.get("state_token"))

        def attempt() -> Flow[Response]:
            headers = {"Session-State": state, **_http.bearer(self.options)}
            r = _http.request(self.options, "DELETE", url, headers=headers)
            return _http.follow(self.options, r, Send)

        got = yield from _http.persist(self.options, attempt)
        if got.status not in (200, 204):
            read_answer(url, got.status, got.body, _http.retry_after(got.headers))
            raise NotADesk(url, got.status, "the response to DELETE is no failure of NLWeb")

    def call_tool(self, name: str, arguments: str | Mapping[str, Any], /) -> Flow[str]:
        """Does what a model called one of `tools` for, and gives the JSON text to hand back. A failure is text, too."""
        from .tools import call

        return (yield from call(self, name, arguments))

    # Within.

    def _attempt(self, url: str, body: bytes, accept: str, language: str, effect: type[Send] | type[Open]) -> Flow[Response]:
        headers = {"Accept": accept, "Accept-Language": language, **_http.bearer(self.options)}
        r = _http.request(self.options, "POST", url, body, headers)
        return _http.follow(self.options, r if effect is Send else replace(r, deadline=None), effect)

    def _answer(self, q: Question) -> Flow[Answer]:
        body = _json.write(q.wire(False))
        got = yield from _http.persist(
            self.options, lambda: self._attempt(self.ask_url, body, _JSON, q.language, Send)
        )
        if _kind(got) != _EVENTS:
            return read_answer(self.ask_url, got.status, got.body, _http.retry_after(got.headers))
        reader = _Reader(self.ask_url, got.status, self.options.max_event)
        for _ in reader.feed(got.body):
            pass
        for _ in reader.end():
            pass
        return reader.answer

    def _events(self, q: Question) -> Stream[Event]:
        body = _json.write(q.wire(True))
        accept = f"{_EVENTS}, {_JSON};q=0.5"
        got = yield from _http.persist(
            self.options, lambda: self._attempt(self.ask_url, body, accept, q.language, Open)
        )
        if _kind(got) != _EVENTS:
            answer = read_answer(self.ask_url, got.status, (yield from _rest()), _http.retry_after(got.headers))
            for event in _as_events(_answered(answer, q)):
                yield Emit(event)
            return
        reader = _Reader(self.ask_url, got.status, self.options.max_event)
        reader.answer.question = q
        while not reader.complete:
            piece: bytes = yield Read()
            for event in reader.feed(piece) if piece else reader.end():
                yield Emit(event)

    def _await(self, promise: Promise | str, action: str) -> Flow[Answer]:
        token = promise.token if isinstance(promise, Promise) else promise
        url, body = f"{self.base}/await", _json.write({"promise_token": token, "action": action})
        got = yield from _http.persist(self.options, lambda: self._attempt(url, body, _JSON, "", Send))
        return read_answer(url, got.status, got.body, _http.retry_after(got.headers))


class _Reader:
    """Reads the events of a stream into events and an answer (NLWeb 0.55 §6)."""

    def __init__(self, url: str, status: int, max_event: int) -> None:
        self.url, self.status = url, status
        self.events = _sse.Events(max_event)
        self.answer = Answer()
        self.failure: Failure | None = None
        self.complete = False

    def feed(self, piece: bytes) -> Iterator[Event]:
        """Reads on. What came before an error is given first."""
        try:
            for name, data in self.events.feed(piece):
                yield from self._event(name, data)
                if self.complete:
                    return
        except _sse.TooLong:
            raise Broken(self.url, "too_large") from None

    def end(self) -> Iterator[Event]:
        """Reads the end of the stream, which must be complete."""
        for name, data in self.events.finish():
            yield from self._event(name, data)
        if self.failure and not self.complete:
            raise self.failure
        if not self.complete:
            raise Broken(self.url, "incomplete")

    def _event(self, name: str, data: str) -> list[Event]:
        members = _json.members(data.encode())
        if members is None:
            raise NotADesk(self.url, self.status, "the data of an event is no JSON object")
        meta = read_meta(members.get("_meta"))
        if name == "start":
            self.answer.meta = meta
            return [Event("start", meta=meta)]
        if name == "result":
            return self._result(members)
        if name == "delta":
            return [Event("delta", text=word(members.get("text")))]
        if name == "error":
            self.failure = read_failure(members, replace(meta, response_type="failure"), self.status, None)
        if name == "complete":
            return self._complete(members, meta)
        return []

    def _result(self, members: dict[str, object]) -> list[Event]:
        index = members.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise NotADesk(self.url, self.status, "a result has no index")
        result = read_item(index, members.get("item"))
        if result is None:
            raise NotADesk(self.url, self.status, "a result is no object")
        if self.answer.take(result):
            return [Event("result", result=result)]
        return [Event("summary", text=self.answer.summary)]

    def _complete(self, members: dict[str, object], meta: Meta) -> list[Event]:
        self.answer.meta = meta if meta.raw else self.answer.meta
        self.answer.rest(members)
        self.answer.results.sort(key=lambda result: result.index)
        self.complete = True
        if promise := read_promise(members, meta):
            raise Promised(promise)
        failure = self.failure or read_failure(members, meta, self.status, None)
        if failure:
            raise failure
        return [Event("complete", meta=self.answer.meta, answer=self.answer)]


def next_question(after: Answer | Failure | Promised, text: str) -> Question:
    """Gives the next question of a conversation."""
    before = after.question or Question(text="")
    meta = after.promise.meta if isinstance(after, Promised) else after.meta
    previous = list(before.previous)
    open_yet = isinstance(after, Promised) or isinstance(after, Answer) and after.elicitation is not None
    if before.text and not open_yet:
        previous = [*previous, before.text][-MAX_PREVIOUS:]
    session = meta.session or before.session
    return before.model_copy(update={"text": text, "previous": previous, "session": session})


def _question(question: str | Question, asking: Asking) -> Question:
    if isinstance(question, str):
        return Question(text=question, **asking)
    return Question(**{**question.model_dump(), **asking}) if asking else question


def _answered(answer: Answer, q: Question) -> Answer:
    answer.question = q
    return answer


def _of(error: E, q: Question) -> E:
    error.question = q
    return error


def _kind(got: Response) -> str:
    return got.headers.get("content-type", "").split(";", 1)[0].strip().lower()


def _rest() -> Flow[bytes]:
    pieces: list[bytes] = []
    while True:
        piece: bytes = yield Read()
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def _as_events(answer: Answer) -> list[Event]:
    """Gives an answer that came whole as if it had come in parts."""
    events = [Event("start", meta=answer.meta)]
    if answer.summary:
        events.append(Event("summary", text=answer.summary))
    events += [Event("result", result=result) for result in answer.results]
    return [*events, Event("complete", meta=answer.meta, answer=answer)]


class _Tools:
    """A front desk as tools of a language model."""

    def tools(self, format: Format = "openai") -> list[dict[str, Any]]:
        """Gives the tools in the format of "openai" (chat completions), "openai-responses" or "anthropic"."""
        from .tools import definitions

        return definitions(format)


class Desk(_Tools, Client[DeskCore]):
    """A client of one front desk, at its address or that of its endpoint, which ends in /ask."""

    def __init__(self, url: str, *, token: str | None = None, options: Options | None = None, http: httpx.Client | None = None) -> None:
        super().__init__(DeskCore(url, _with(options, token)), http)

    ask = iterated(DeskCore.ask)
    answer = blocking(DeskCore.answer)
    follow = blocking(DeskCore.follow)
    reply = blocking(DeskCore.reply)
    check = blocking(DeskCore.check)
    cancel = blocking(DeskCore.cancel)
    wait = blocking(DeskCore.wait)
    forget = blocking(DeskCore.forget)
    call_tool = blocking(DeskCore.call_tool)


class AsyncDesk(_Tools, AsyncClient[DeskCore]):
    """Desk for an event loop: the same methods, awaited."""

    def __init__(self, url: str, *, token: str | None = None, options: Options | None = None, http: httpx.AsyncClient | None = None) -> None:
        super().__init__(DeskCore(url, _with(options, token)), http)

    ask = aiterated(DeskCore.ask)
    answer = awaited(DeskCore.answer)
    follow = awaited(DeskCore.follow)
    reply = awaited(DeskCore.reply)
    check = awaited(DeskCore.check)
    cancel = awaited(DeskCore.cancel)
    wait = awaited(DeskCore.wait)
    forget = awaited(DeskCore.forget)
    call_tool = awaited(DeskCore.call_tool)


def _with(options: Options | None, token: str | None) -> Options:
    options = options or Options()
    return replace(options, token=token) if token is not None else options
