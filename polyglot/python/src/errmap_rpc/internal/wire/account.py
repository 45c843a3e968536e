"""Sizes of what three headers say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .. import hub
from ..hub import Received
from ..jsontree import clean
from ..protobytes import framed, size_detail, size_varint

LINE_OVERHEAD = 32
"""What HTTP/2 counts of a header beside its name and value (RFC 9113 section 6.5.2)."""

STATUS_NAME = len("grpc-status")
MESSAGE_NAME = len("grpc-message")
DETAILS_NAME = len("grpc-status-details-bin")
WIRE_SIZE = 2
"""The size of the field of Received that names the wire."""


def size_base64(n: int) -> int:
    """Return the size of so many bytes in base64 without padding."""
    return (n * 8 + 5) // 6


@dataclass(slots=True)
class Account:
    """The sizes of what three headers say."""

    status: int  # the line grpc-status
    code: int  # the code in the Status
    message: int = 0
    escapes: int = 0  # what the message takes more where it is percent-encoded
    details: int = 0  # the details in the Status, with their tags, but for Carried
    shown: int = 0  # how many those are
    unknown: int = 0  # the unknown fields of the Status
    received: int = 0  # what rides along takes so much in Carried, with its tags
    rides: int = 0

    def but(self, **sizes: int) -> Account:
        return replace(self, **sizes)

    @property
    def size(self) -> int:
        """What the headers take, as HTTP/2 counts."""
        n = self.status
        if self.message:
            n += MESSAGE_NAME + self.message + self.escapes + LINE_OVERHEAD
        carried = self.received + self.rides
        if not self.shown and not self.unknown and not carried:
            return n
        status = self.code + framed(self.message) + self.details + self.unknown
        if carried:
            check = 4 + 8 * self.shown
            status += size_detail(len(hub.URL_CARRIED), carried + 1 + size_varint(check) + check)
        return n + DETAILS_NAME + size_base64(status) + LINE_OVERHEAD


def received_size(r: Received) -> int:
    """Return the size of what Carried holds of one wire, but for its members; 0 where that
    is nothing."""
    n = framed(hub.byte_length(clean(r.number))) + framed(hub.byte_length(clean(r.code_text)))
    n += framed(len(r.unknown_fields))
    if r.http_status:
        n += 1 + size_varint(r.http_status)
    return WIRE_SIZE + n if n else 0


def member_size(size: int, members: int) -> int:
    """Return the size of what Carried holds of one wire, the members too; size is that of
    the rest."""
    return max(size, WIRE_SIZE) + framed(members) if members else size


def ride_size(place: int, plain: bool, text: int) -> int:
    """Return the size of the JSON text of a detail in Carried, where its place takes so many
    bytes."""
    return framed(place + (2 if plain else 0) + framed(text))


STEPS_OF_PLACE = (1, 1 << 7, 1 << 14, 1 << 21)
"""The places from which on a place takes more bytes. The first of all is not written."""


class Places:
    """Tells how many bytes the place of a detail takes in Carried, while details are put
    among others: each moves those behind it by one."""

    def __init__(self, among: list[bool]) -> None:
        n = len(among)
        self.inside = [False] * n
        self.count = 0
        self.edge = [n] * len(STEPS_OF_PLACE)
        """For each of STEPS_OF_PLACE the index of the detail that is the last one before it;
        the number of details where there are not so many."""
        for i, there in enumerate(among):
            if there:
                self.put(i)

    def size(self, i: int) -> int:
        """Return the bytes that a place takes."""
        k = 0
        while k < len(self.edge) and self.edge[k] < i:
            k += 1
        return _size_of(k)

    def moved(self, i: int) -> list[tuple[int, int, int]]:
        """Return each detail whose place would take more bytes with one put at i, and what
        it takes before and then: of those that go over one step, the one before it."""
        n = len(self.inside)
        return [(last, _size_of(k), _size_of(k + 1)) for k, last in enumerate(self.edge) if i < last < n]

    def put(self, i: int) -> None:
        """Put a detail among the others. An edge only ever moves to the front, so all of this
        together takes one pass for each step."""
        self.inside[i] = True
        self.count += 1
        for k, last in enumerate(self.edge):
            if (last == len(self.inside) and self.count < STEPS_OF_PLACE[k]) or i > last:
                continue
            last -= 1
            while not self.inside[last]:
                last -= 1
            self.edge[k] = last


def _size_of(step: int) -> int:
    return 1 + step if step else 0
