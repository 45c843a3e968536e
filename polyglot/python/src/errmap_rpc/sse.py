"""Server-sent events (the HTML standard, section 9.2), as bytes come in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .error import Error
from .internal.code import Code

_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


class EventReader:
    """Reads the data of events. Their names and ids say nothing here."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest: list[bytes] = []  # the parts of a line that has not ended
        self._waiting = 0  # their size
        self._data: list[bytes] = []
        self._size = 0
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of each event that ends in a part of the stream. Raises an Error
        that is local where an event is larger than the limit."""
        self._rest.append(chunk)
        self._waiting += len(chunk)
        if b"\n" not in chunk and b"\r" not in chunk and not self._rest[0].endswith(b"\r"):
            self._check()
            return
        lines = _END.split(b"".join(self._rest))
        self._rest = [lines.pop()]
        self._waiting = len(self._rest[0])
        for line in lines:
            if self._first:
                line, self._first = line.removeprefix(b"\xef\xbb\xbf"), False
            if not line:
                if self._data:
                    yield b"\n".join(self._data)
                self._data, self._size = [], 0
                continue
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
                self._size += len(value)
            self._check()
        self._check()

    def _check(self) -> None:
        if self._size + self._waiting > self._limit:
            text = f"an event is larger than {self._limit} bytes"
            raise Error(Code.RESOURCE_EXHAUSTED, text).with_local()
