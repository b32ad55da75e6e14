"""Server-sent events, as the HTML standard reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(rb"\r\n|\n|\r")


class TooLong(Exception):
    """An event that has more bytes than are read."""


class Events:
    """Makes events out of the bytes of a stream, whatever pieces they come in."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.buffer = bytearray()
        self.looked = 0  # bytes of the buffer that end no line
        self.begun = False
        self.size = 0
        self.name = ""
        self.data: list[str] | None = None

    def feed(self, piece: bytes) -> Iterator[tuple[str, str]]:
        """Gives the events that end with a piece: their names and data."""
        self.buffer += piece
        start = 0
        for end in _LINE.finditer(self.buffer, self.looked):
            if end.group() == b"\r" and end.end() == len(self.buffer):
                break  # the LF that belongs to it may come with the next piece
            line, start = bytes(self.buffer[start : end.start()]), end.end()
            self.size += len(line)
            if self.size > self.max_bytes:
                raise TooLong
            event = self._line(line)
            if event is not None:
                yield event
        self.buffer = self.buffer[start:]
        self.looked = max(len(self.buffer) - 1, 0)
        if self.size + len(self.buffer) > self.max_bytes:
            raise TooLong

    def finish(self) -> Iterator[tuple[str, str]]:
        """Gives the event that ends with the stream, where its last line break is a lone CR."""
        if self.buffer.endswith(b"\r"):
            yield from self.feed(b"\n")

    def _line(self, line: bytes) -> tuple[str, str] | None:
        if not self.begun:
            self.begun, line = True, line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            name, data = self.name, self.data
            self.name, self.data, self.size = "", None, 0
            return None if data is None else (name, "\n".join(data))
        field, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self.name = value
        elif field == "data":
            self.data = self.data or []
            self.data.append(value)
        return None
