"""The way to the other side: bounds, redirects, secrets, and what comes in pieces."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from frontdesk import AsyncDesk, Broken, Desk, NotADesk, Options, Unreachable, Unusable
from frontdesk._sse import Events

ANSWER = {"_meta": {"response_type": "answer", "version": "0.55"}, "results": [{"@type": "Thing", "name": "a"}]}


def asking(handle: Callable[[httpx.Request], httpx.Response], url: str = "https://desk.example", **options: Any) -> Desk:
    return Desk(url, options=Options(**options), http=httpx.Client(transport=httpx.MockTransport(handle)))


def test_a_token_goes_to_the_first_host_alone() -> None:
    seen: list[tuple[str, str | None]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append((request.url.host, request.headers.get("Authorization")))
        if request.url.host == "desk.example":
            return httpx.Response(308, headers={"Location": "https://other.example/ask"})
        return httpx.Response(200, json=ANSWER)

    assert asking(handle, token="secret").answer("soup").results
    assert seen == [("desk.example", "Bearer secret"), ("other.example", None)]


@pytest.mark.parametrize(
    ("status", "to", "words"),
    [
        (302, "https://desk.example/b", "loses the request"),
        (307, "http://desk.example/ask", "not secured"),
        (308, "file:///etc/passwd", "not secured"),
    ],
)
def test_redirects_that_lose_the_question_or_lead_elsewhere_are_refused(status: int, to: str, words: str) -> None:
    with pytest.raises(NotADesk, match=words):
        asking(lambda _: httpx.Response(status, headers={"Location": to})).answer("soup")


def test_redirects_in_a_circle_end() -> None:
    with pytest.raises(NotADesk, match="more than 5 times"):
        asking(lambda _: httpx.Response(307, headers={"Location": "https://desk.example/ask"})).answer("soup")


@pytest.mark.parametrize("url", ["desk.example", "ftp://desk.example", "https://", "https://user:password@desk.example", "https://[::1", ""])
def test_an_address_that_is_none_is_said_to_be(url: str) -> None:
    with pytest.raises(Unusable) as error:
        Desk(url)
    assert "password@" not in str(error.value)


@pytest.mark.parametrize(
    ("url", "ask"),
    [("https://a.example", "/ask"), ("https://a.example/x/", "/x/ask"), ("https://a.example/x/ask", "/x/ask"), ("https://a.example/?q=1#f", "/ask")],
)
def test_the_endpoint_is_found(url: str, ask: str) -> None:
    paths: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path)
        return httpx.Response(200, json=ANSWER)

    asking(handle, url).answer("soup")
    assert paths == [ask]


def test_nothing_compressed_is_read() -> None:
    with pytest.raises(Broken, match="compressed"):
        asking(lambda _: httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"x"))).answer("soup")


def test_odd_bytes_are_no_answer_and_no_crash() -> None:
    for body in (b"", b"[1]", b"\xff\xfe", b"[" * 200000, b'{"_meta": 7}', b'{"_meta":{"response_type":"answer"},"results":{"a":1}}' + b"}"):
        with pytest.raises(NotADesk):
            asking(lambda _, body=body: httpx.Response(200, stream=httpx.ByteStream(body))).answer("soup")  # type: ignore[misc]


def test_a_question_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="limt"):
        asking(lambda _: httpx.Response(200, json=ANSWER)).answer("soup", limt=3)  # type: ignore[call-arg]


def test_no_cookies_are_kept() -> None:
    seen: list[str | None] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("Cookie"))
        return httpx.Response(200, json=ANSWER, headers={"Set-Cookie": "who=you; Path=/"})

    with Desk("https://desk.example") as desk:
        desk.way.client._transport = httpx.MockTransport(handle)
        desk.answer("soup")
        desk.answer("soup")
    assert seen == [None, None]


@pytest.fixture
def silent() -> Iterator[int]:
    """A server that takes a connection, sends the head of an answer, and then stays silent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def accept() -> None:
            try:
                while True:
                    connection, _ = server.accept()
                    held.append(connection)
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
            except OSError:
                return

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        for connection in held:
            connection.close()


def test_a_server_that_stays_silent_is_left(silent: int) -> None:
    with Desk(f"http://127.0.0.1:{silent}", options=Options(silence=0.2)) as desk, pytest.raises(Broken) as broken:
        desk.answer("soup")
    assert broken.value.cause == "silent"


def test_a_server_that_stays_silent_is_left_in_an_event_loop(silent: int) -> None:
    async def ask() -> None:
        async with AsyncDesk(f"http://127.0.0.1:{silent}", options=Options(silence=0.2)) as desk:
            await desk.answer("soup")

    with pytest.raises(Broken) as broken:
        asyncio.run(ask())
    assert broken.value.cause == "silent"


@pytest.fixture
def dripping() -> Iterator[int]:
    """A server that sends an answer for ever, a byte at a time, without a pause that would be silence."""
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            try:
                while True:
                    connection, _ = server.accept()
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
                    while not ended.wait(0.02):
                        connection.sendall(b" ")
            except OSError:
                return

        threading.Thread(target=drip, daemon=True).start()
        yield server.getsockname()[1]
        ended.set()


def test_an_answer_that_never_ends_is_left(dripping: int) -> None:
    options = Options(timeout=0.3)
    with Desk(f"http://127.0.0.1:{dripping}", options=options) as desk, pytest.raises(Broken):
        desk.answer("soup")


def test_halves_of_characters_are_made_whole() -> None:
    body = b'{"_meta":{"response_type":"answer"},"results":[{"@type":"Thing","name":"a\\ud800b"}]}'
    answer = asking(lambda _: httpx.Response(200, stream=httpx.ByteStream(body))).answer("soup")
    assert answer.results[0].name == "a\ufffdb"


def test_a_token_is_not_shown() -> None:
    assert "secret" not in repr(Options(token="secret"))


def test_nobody_there_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with Desk(f"http://127.0.0.1:{port}") as desk, pytest.raises(Unreachable, match="is a server running there"):
        desk.answer("soup")


STREAM = '\ufeffevent: a\r\ndata: {"x":\rdata: "ü"}\n\n: comment\n\nid: 1\nevent: b\ndata\n\ndata:z\r\r'
EVENTS = [("a", '{"x":\n"ü"}'), ("b", ""), ("", "z")]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_events_are_the_same_in_whatever_pieces_they_come(size: int) -> None:
    events, text = Events(1000), STREAM.encode()
    found = [event for at in range(0, len(text), size) for event in events.feed(text[at : at + size])]
    assert [*found, *events.finish()] == EVENTS


def test_a_long_event_in_small_pieces_is_read_in_time() -> None:
    events = Events(8 << 20)
    for _ in range(20000):
        assert not list(events.feed(b"x" * 100))
