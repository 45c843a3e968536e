"""An error as data: what every wire is read into and written from. It decides nothing,
knows no wire, and imports nothing of ours."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

PREFIX = "type.googleapis.com/"
"""What a bare type name gets to be a type URL."""

ERROR_INFO = "google.rpc.ErrorInfo"
RETRY_INFO = "google.rpc.RetryInfo"
DEBUG_INFO = "google.rpc.DebugInfo"
BAD_REQUEST = "google.rpc.BadRequest"
PRECONDITION = "google.rpc.PreconditionFailure"
QUOTA_FAILURE = "google.rpc.QuotaFailure"
HELP = "google.rpc.Help"
LOCALIZED_MESSAGE = "google.rpc.LocalizedMessage"
STATUS = "google.rpc.Status"
CARRIED = "errmap.v1.Carried"
VALUE = "google.protobuf.Value"

URL_ERROR_INFO = PREFIX + ERROR_INFO
URL_CARRIED = PREFIX + CARRIED

MAX_NOTES = 64
"""Bounds what a hostile body can make a decoder remember."""


class Detail:
    """One detail of an error as it travels: a type URL with its bytes, or a JSON element
    that has no binary form here. The default is the empty google.protobuf.Any."""

    __slots__ = ("info", "json", "name", "node", "type_url", "value")

    def __init__(self, type_url: str = "", value: bytes = b"", json: str | None = None) -> None:
        self.type_url = type_url
        """Of a JSON element its "@type", "" where it has none."""
        self.value = value
        """The bytes, carried untouched; empty for a JSON element."""
        self.json = json
        """The compact text of a JSON element; None for bytes."""
        self.name = ERROR_INFO if type_url == URL_ERROR_INFO else type_url[type_url.rfind("/") + 1 :]
        """The bare type name: what follows the last slash of the type URL."""
        self.node: Any = None  # the JSON, once it was read
        self.info: Any = None  # what the bytes say as an ErrorInfo, once that was asked

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Detail) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        what = f"json={self.json!r}" if self.json is not None else f"value={self.value!r}"
        return f"RawDetail(type_url={self.type_url!r}, {what})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Detail, self._key()

    def _key(self) -> tuple[str, bytes, str | None]:
        return self.type_url, self.value, self.json

    @property
    def empty(self) -> bool:
        """Whether it is the empty Any, which is {} in JSON."""
        return not self.type_url and not self.value and self.json is None

    @property
    def typed(self) -> bool:
        """Whether its JSON is an object with a string "@type"."""
        return bool(self.type_url) or (self.json is None and bool(self.value))


def bare_name(type_url: str) -> str:
    return type_url[type_url.rfind("/") + 1 :]


def complete_url(name: str) -> str:
    """Make a bare type name a type URL."""
    return name if not name or "/" in name else PREFIX + name


class Wire(enum.IntEnum):
    """A form in which an error arrives."""

    CONNECT = 1
    GRPC = 2
    STATUS = 3
    HTTP = 4
    PROBLEM = 5
    JSONRPC = 6

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def _missing_(cls, value: object) -> Wire | None:
        """A wire of a later schema is kept as its number."""
        if not isinstance(value, int):
            return None
        wire = int.__new__(cls, value)
        wire._name_, wire._value_ = f"WIRE_{value}", value
        return wire

    @property
    def known(self) -> bool:
        return 1 <= self <= 6


@dataclass(frozen=True, slots=True)
class Received:
    """What one wire said of an error and a google.rpc.Status cannot say."""

    wire: Wire
    number: str = ""
    """The token of a JSON-RPC code, or in a Carried a private code; "" for none."""
    code_text: str = ""
    """What stood in the place of the code and names none."""
    http_status: int = 0
    """The status of the response; 0 for none."""
    members: str = ""
    """A compact JSON object of the members that are said nowhere else, sorted by name."""
    unknown_fields: bytes = b""
    """The fields of a google.rpc.Status that the schema does not know."""

    @property
    def empty(self) -> bool:
        return not (self.number or self.code_text or self.http_status or self.members or self.unknown_fields)


class Origin(enum.IntEnum):
    """Whose error it is, and so who may see it."""

    MADE = 0  # by the program, for a caller
    HIDDEN = 1  # stands for its cause, which is for no caller
    READ = 2  # from a wire, by a codec, which asks not from whom
    REMOTE = 3  # a peer sent it
    LOCAL = 4  # a call failed here, of which its peer said nothing


class Notes(list[str]):
    """What a decoder or an encoder dropped or repaired, in words for people."""

    def add(self, note: str) -> None:
        if len(self) < MAX_NOTES:
            self.append(clip(note, 512))
        elif len(self) == MAX_NOTES:
            self.append("further notes left out")


class Error:
    """An error in the model of google.rpc.Status, with what else a peer said."""

    __slots__ = ("details", "forwarded", "message", "notes", "number", "origin", "received")

    def __init__(self, number: int = 0, message: str = "", origin: Origin = Origin.MADE) -> None:
        self.number = number
        self.message = message
        self.details: list[Detail] = []
        """In order; the list of an error that others have is not changed."""
        self.received: tuple[Received, ...] = ()
        """In the order of Wire; none is empty."""
        self.notes = Notes()
        self.origin = origin
        self.forwarded = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Error, (), (None, {name: getattr(self, name) for name in self.__slots__})

    def copy(self) -> Error:
        clone = Error.__new__(Error)
        clone.number, clone.message, clone.origin = self.number, self.message, self.origin
        clone.details, clone.received, clone.notes = self.details, self.received, self.notes
        clone.forwarded = self.forwarded
        return clone

    def on(self, wire: Wire) -> Received:
        """Return what a wire said; empty where nothing."""
        for received in self.received:
            if received.wire == wire:
                return received
        return Received(wire)

    def set_received(self, received: Received) -> None:
        """Put it in its place, or take it away where it is empty."""
        kept = [have for have in self.received if have.wire != received.wire]
        if not received.empty:
            kept.append(received)
            kept.sort(key=lambda have: have.wire)
        self.received = tuple(kept)

    @property
    def carries(self) -> bool:
        """Whether something may ride along: on an error that was read. One that was made
        here says all that it says in its code, message and details."""
        return self.origin >= Origin.READ


def canonical(number: int) -> bool:
    """Tell whether a number is a code of an error."""
    return 1 <= number <= 16


def byte_length(text: str) -> int:
    """Return the length of text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def cut(text: str, most: int) -> str:
    """Return the longest beginning of text of at most so many bytes of UTF-8."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore")


def clip(text: str, most: int) -> str:
    """Shorten text to about that many bytes, and say so."""
    if len(text) * 4 <= most or byte_length(text) <= most:
        return text
    return cut(text, most) + "…"


def quoted(text: str, most: int = 64) -> str:
    """Return text for a note."""
    return '"' + clip(text, most) + '"'
