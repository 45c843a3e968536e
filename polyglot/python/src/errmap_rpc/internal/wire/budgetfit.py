"""As much of an error as the budget has room for."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo

from .. import hub
from ..code import Code
from ..hub import Detail, Notes, Received, Wire
from ..protobytes import framed, size_detail, size_varint
from ..protojson import parse
from .account import (
    LINE_OVERHEAD,
    STATUS_NAME,
    Account,
    Places,
    member_size,
    received_size,
    ride_size,
)
from .budgetcut import ELEMENTS, InfoFields, elements_of
from .carried import Shape, Writing
from .detail import known_part
from .options import Encoding
from .percent import count_escapes

FIRST_TEXT = 1024
"""How much of the message comes before all but the most needed details."""


class Taken(enum.Enum):
    NOTHING = 0
    SHORTENED = 1
    ALL = 2


class Class(enum.Enum):
    """Where in the order a detail comes."""

    NONE = 0  # the Status does not show it
    RETRY = 1  # says how long to wait
    INFO = 2  # an ErrorInfo
    OTHER = 3
    HELP = 4  # for people
    DEBUG = 5  # for programmers


class Piece:
    """What is taken of one detail."""

    __slots__ = ("cut", "kind", "rides", "shows", "taken", "text", "text_size", "url_size", "value")

    def __init__(self, detail: Detail, value: bytes | None, carries: bool) -> None:
        self.value = value or b""
        """What the Status shows of it."""
        self.shows = value is not None
        self.kind = class_of(detail, self.value) if self.shows else Class.NONE
        self.rides = detail.json is not None and carries
        """Whether its JSON text rides along, text whether that was taken."""
        self.text = False
        self.text_size = hub.byte_length(detail.json) if detail.json is not None else 0
        self.url_size = hub.byte_length(detail.type_url)
        self.taken = Taken.NOTHING
        self.cut = b""
        """What of the value was taken where it was shortened."""


@dataclass(slots=True)
class Said:
    """What rides along of one wire."""

    wire: Wire
    size: int  # without the members
    members: int  # the size of those
    kept: bool = False  # whether the members were taken


def class_of(detail: Detail, value: bytes) -> Class:
    """Return the class of a detail that the Status shows. A RetryInfo without a delay tells
    nobody to wait, and an ErrorInfo that cannot be read has no parts."""
    name = detail.name
    if name == hub.ERROR_INFO:
        return Class.OTHER if parse(ErrorInfo, value) is None else Class.INFO
    if name == hub.RETRY_INFO:
        info = parse(RetryInfo, value)
        return Class.RETRY if isinstance(info, RetryInfo) and info.HasField("retry_delay") else Class.OTHER
    if name in (hub.HELP, hub.LOCALIZED_MESSAGE):
        return Class.HELP
    return Class.DEBUG if name == hub.DEBUG_INFO else Class.OTHER


class Fitting:
    """One error of which as much is taken as the budget has room for."""

    def __init__(self, error: hub.Error, options: Encoding, own: Wire | None) -> None:
        self.error = error
        self.own = own
        self.budget = options.budget
        self.carries = options.carries(error)
        self.text = error.message.encode()
        self.notes = Notes()
        self.unknown = 0
        """The size of the unknown fields that stand in the Status."""
        self.said_whole = False
        """Whether what rides along was taken, but for its JSON texts."""
        self.tries = 0
        """How often a size was asked for."""
        w = Writing(error, options, Shape.BINARY)
        self.details = w.details

        def rest(r: Received) -> Received:
            if r.wire != own:
                return r
            self.unknown = len(r.unknown_fields)
            return replace(r, unknown_fields=b"")

        w.receive(error.number > 0, rest)
        self.received = (
            [Said(r.wire, received_size(r), hub.byte_length(r.members)) for r in w.received] if self.carries else []
        )
        self.pieces = [Piece(d, known_part(w.codec, d), self.carries) for d in self.details]
        self.now = self.base()

    def base(self) -> Account:
        """Return the account of the code alone."""
        number = self.error.number
        if number < 0:
            number = int(Code.UNKNOWN)
        return Account(STATUS_NAME + len(str(number)) + LINE_OVERHEAD, 1 + size_varint(number))

    def whole(self) -> Account:
        """Return the account of the error as it is."""
        a = self.base()
        a.message, a.escapes, a.unknown = len(self.text), 2 * count_escapes(self.text), self.unknown
        a.received = sum(framed(member_size(r.size, r.members)) for r in self.received)
        places = Places([True] * len(self.pieces))
        for i, p in enumerate(self.pieces):
            if p.shows:
                a.details += size_detail(p.url_size, len(p.value))
                a.shown += 1
            if p.rides:
                a.rides += ride_size(places.size(i), p.shows, p.text_size)
        return a

    def attempt(self, account: Account) -> bool:
        """Tell whether an account is within the budget, and if so make it what is taken."""
        self.tries += 1
        if account.size > self.budget:
            return False
        self.now = account
        return True

    def run(self) -> None:
        """Take the parts in the order of the contract, which leaves some things open:

        - The first ErrorInfo is the first that has a reason; one without names no error.
        - A text in the place of a code is no JSON text: it comes with what else a wire said,
          as do the unknown fields that stand in the Status itself.
        - The first part of the message is as long as fits, up to its bound.
        - Of the further ErrorInfos each is taken as far as it fits before the next is.
        - Small is what has few bytes of type URL and value, of key and value, or of JSON
          text, however they are framed.
        """
        first = self.identity()
        for i in self.of(Class.RETRY):
            self.detail(i)
        self.rest()
        if first >= 0 and self.pieces[first].taken is not Taken.NOTHING:
            self.metadata(first, InfoFields(self.pieces[first].value))
        self.message(FIRST_TEXT)
        for i in self.of(Class.INFO):
            if i != first:
                fields = self.open(i)
                if fields is not None:
                    self.metadata(i, fields)
        self.smallest_first(Class.OTHER)
        self.smallest_first(Class.HELP)
        self.message(len(self.text))
        if self.now.message < len(self.text):
            self.notes.add(f"over budget: message of {len(self.text)} bytes cut to {self.now.message}")
        self.smallest_first(Class.DEBUG)
        self.texts()

    def of(self, kind: Class) -> list[int]:
        """Return the places of the details of a class."""
        return [i for i, p in enumerate(self.pieces) if p.kind is kind]

    def identity(self) -> int:
        """Take reason and domain of the first ErrorInfo that names an error, and return its
        place; -1 where there is none."""
        for i in self.of(Class.INFO):
            info = parse(ErrorInfo, self.pieces[i].value)
            if isinstance(info, ErrorInfo) and info.reason:
                self.open(i)
                return i
        return -1

    def open(self, i: int) -> InfoFields | None:
        """Take reason and domain of an ErrorInfo; None where they do not fit."""
        fields = InfoFields(self.pieces[i].value)
        if not self.attempt(self.with_detail(i, fields.identity)):
            self.dropped(i)
            return None
        self.pieces[i].taken = Taken.SHORTENED
        return fields

    def metadata(self, i: int, fields: InfoFields) -> None:
        """Take the entries of an ErrorInfo that fit beside its reason and domain, the
        smallest first, and then the fields that an ErrorInfo does not have, which only
        together say what their writer meant. Of one that is left whole the bytes stay."""
        p, size = self.pieces[i], fields.identity

        def add(more: int) -> bool:
            nonlocal size
            grown = size_detail(p.url_size, size + more) - size_detail(p.url_size, size)
            if not self.attempt(self.now.but(details=self.now.details + grown)):
                return False
            size += more
            return True

        for entry in fields.ordered_entries():
            entry.taken = add(len(entry.raw))
            if not entry.taken:
                key = entry.key.decode("utf-8", "replace")
                self.notes.add(
                    f"over budget: metadata {hub.quoted(key)} of {entry.size - len(entry.key)} bytes dropped"
                )
        others = fields.others
        others_taken = not others or add(others)
        if not others_taken:
            self.notes.add(f"over budget: fields of {others} bytes that detail {self.name(i)} does not know dropped")
        if size == len(p.value):
            p.taken = Taken.ALL
        else:
            p.taken, p.cut = Taken.SHORTENED, fields.kept(others_taken)

    def smallest_first(self, kind: Class) -> None:
        """Take the details of a class, those that do not fit whole as far as their elements
        go."""
        order = self.of(kind)
        order.sort(key=lambda i: (self.pieces[i].url_size + len(self.pieces[i].value), i))
        for i in order:
            self.detail(i)

    def with_detail(self, i: int, size: int) -> Account:
        """Return the account with one detail more, of which so many bytes are taken."""
        now = self.now
        return now.but(details=now.details + size_detail(self.pieces[i].url_size, size), shown=now.shown + 1)

    def detail(self, i: int) -> None:
        """Take a detail whole, or the longest prefix of its elements that fits."""
        p = self.pieces[i]
        if self.attempt(self.with_detail(i, len(p.value))):
            p.taken = Taken.ALL
            return
        plural = ELEMENTS.get(self.details[i].name)
        if plural is None or not self.prefix(i, plural):
            self.dropped(i)

    def prefix(self, i: int, plural: str) -> bool:
        """Take as many elements of a detail as fit, from the front, at least one; fields that
        its type does not have go."""
        p = self.pieces[i]
        elements = elements_of(p.value)
        if elements is None:
            return False
        size = kept = 0
        for raw in elements:
            self.tries += 1
            if self.with_detail(i, size + len(raw)).size > self.budget:
                break
            size, kept = size + len(raw), kept + 1
        if not kept or not self.attempt(self.with_detail(i, size)):
            return False
        p.taken, p.cut = Taken.SHORTENED, b"".join(elements[:kept])
        if kept < len(elements):
            self.notes.add(f"over budget: {len(elements) - kept} of {len(elements)} {plural} left out")
        else:
            self.notes.add(f"over budget: fields that detail {self.name(i)} does not know dropped")
        return True

    def dropped(self, i: int) -> None:
        self.notes.add(f"over budget: detail {self.name(i)} of {len(self.pieces[i].value)} bytes dropped")

    def name(self, i: int) -> str:
        return hub.clip(self.details[i].name, 128) or "without a type"

    def rest(self) -> None:
        """Take what rides along but for its JSON texts, as one: half of it could say
        something else."""
        received = self.now.received + sum(framed(r.size) for r in self.received)
        self.said_whole = self.attempt(self.now.but(unknown=self.unknown, received=received))
        if self.said_whole:
            return
        if self.carries and self.error.number <= 0:
            self.notes.add(f"over budget: number {self.error.number} dropped: the code is UNKNOWN")
        for r in self.error.received:
            if not replace(r, members="").empty and (self.carries or r.wire == self.own):
                self.notes.add(f"over budget: what the {r.wire} wire said dropped")

    def message(self, most: int) -> None:
        """Take the longest prefix of the message that fits, of at most so many bytes and
        ended at a character. One that ends in a space takes two bytes more than its bytes
        alone, since a space at an end is escaped: the search leaves that out, and then steps
        back."""
        text = self.text
        low, high = 0, min(most, len(text), self.budget)
        if low >= high:
            return
        escapes = 1 if text[0] == 32 else 0
        while low < high:  # low fits, above high nothing does
            middle = (low + high + 1) // 2
            # No space is at an end of this, or its escape would be counted.
            more = count_escapes(b"x" + text[low:middle] + b"x")
            self.tries += 1
            if self.now.but(message=middle, escapes=2 * (escapes + more)).size <= self.budget:
                low, escapes = middle, escapes + more
            else:
                high = middle - 1
        n = _cut(text, low)
        while n > self.now.message:
            if self.attempt(self.now.but(message=n, escapes=2 * count_escapes(text[:n]))):
                return
            n = _cut(text, n - 1)

    def texts(self) -> None:
        """Take the JSON texts that ride along, the smallest first. That of a detail that was
        shortened would not agree with what is shown."""
        texts: list[tuple[int, int]] = []  # size and place; places below 0 are of what wires said
        for i, r in enumerate(self.received):
            if r.members:
                texts.append((r.members, i - len(self.received)))
        for i, p in enumerate(self.pieces):
            if p.rides and (not p.shows or p.taken is Taken.ALL):
                texts.append((p.text_size, i))
        shown = Places([p.taken is not Taken.NOTHING for p in self.pieces])
        for _, place in sorted(texts):
            if place < 0:
                self.members(self.received[place])
            else:
                self.ride(place, shown)

    def members(self, r: Said) -> None:
        have = r.size if self.said_whole else 0
        grown = framed(member_size(have, r.members)) - framed(have)
        r.kept = self.attempt(self.now.but(received=self.now.received + grown))
        if not r.kept:
            self.notes.add(f"over budget: JSON received on the {r.wire} wire dropped")

    def ride(self, i: int, among: Places) -> None:
        """Take the JSON text of a detail. One that the Status does not show comes into the
        list by that, and moves the others."""
        p = self.pieces[i]
        rides = self.now.rides + ride_size(among.size(i), p.shows, p.text_size)
        if not p.shows:
            for j, before, after in among.moved(i):
                q = self.pieces[j]
                if q.text:
                    rides += ride_size(after, q.shows, q.text_size) - ride_size(before, q.shows, q.text_size)
        p.text = self.attempt(self.now.but(rides=rides))
        if not p.text:
            self.notes.add(f"over budget: JSON of detail {i} ({self.name(i)}) of {p.text_size} bytes dropped")
        elif not p.shows:
            among.put(i)

    def result(self) -> hub.Error:
        """Return the error with what was taken."""
        error = self.error.copy()
        error.message = self.text[: self.now.message].decode()
        error.details = []
        for p, detail in zip(self.pieces, self.details, strict=True):
            whole = p.text or (p.taken is Taken.ALL and not p.rides) or (not p.shows and not self.carries)
            if whole:
                error.details.append(detail)
            elif p.taken is not Taken.NOTHING:
                value = p.value if p.taken is Taken.ALL else p.cut
                error.details.append(Detail(detail.type_url, value))
        error.received = tuple(self._said())
        if self.carries and not self.said_whole and error.number <= 0:
            error.number = int(Code.UNKNOWN)
        return error

    def _said(self) -> list[Received]:
        """Return what was taken of what was received."""
        kept = {r.wire for r in self.received if r.kept}
        out = []
        for r in self.error.received:
            if not self.said_whole:
                r = Received(r.wire, members=r.members)
            if self.carries and r.wire not in kept:
                r = replace(r, members="")
            if not r.empty:
                out.append(r)
        return out


def _cut(text: bytes, n: int) -> int:
    """Return the greatest number of bytes, n at most, that ends at a character."""
    if n >= len(text):
        return len(text)
    while n > 0 and text[n] & 0xC0 == 0x80:
        n -= 1
    return max(n, 0)
