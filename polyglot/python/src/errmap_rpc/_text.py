"""Text that came from elsewhere: repaired, shortened, noted."""

from __future__ import annotations

from collections.abc import Callable

MAX_NOTES = 64
"""Bounds what a hostile body can make a decoder remember."""


class Notes:
    """What a decoder or an encoder dropped or repaired, in words for people."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[str, ...] = ()) -> None:
        self.items = list(items)

    def add(self, note: str) -> None:
        if len(self.items) < MAX_NOTES:
            self.items.append(clip(repair(note), 512))
        elif len(self.items) == MAX_NOTES:
            self.items.append("further notes left out")

    def give(self, on_note: Callable[[str], None] | None) -> None:
        if on_note is not None:
            for note in self.items:
                on_note(note)


def repair(text: str) -> str:
    """Return text with U+FFFD for each lone surrogate; a pair of them is one character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def decode_utf8(data: bytes) -> str:
    """Return the text of UTF-8, with U+FFFD for each byte that is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    parts: list[str] = []
    while True:
        try:
            parts.append(data.decode("utf-8"))
            return "".join(parts)
        except UnicodeDecodeError as error:
            parts.append(data[: error.start].decode("utf-8"))
            parts.append("\ufffd" * (error.end - error.start))
            data = data[error.end :]


def byte_length(text: str) -> int:
    """Return the length of text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def cut(text: str, most: int) -> str:
    """Return the longest beginning of text of at most so many bytes of UTF-8."""
    data = text.encode("utf-8")
    if len(data) <= most:
        return text
    return data[:most].decode("utf-8", "ignore")


def clip(text: str, most: int) -> str:
    """Shorten text to about that many bytes."""
    return text if byte_length(text) <= most else cut(text, most) + "…"


def quote(text: str, most: int = 64) -> str:
    """Return text for a note."""
    return '"' + clip(text, most) + '"'
