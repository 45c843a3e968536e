"""What rides along, and the sums that tell whether it still belongs to what it came with."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from zlib import crc32

from errmap.v1 import carried_pb2

from .. import hub
from ..code import name_of
from ..hub import Detail, Received, Wire
from ..jsontree import MISSING, Node, canonical, clean, compact, parse_or_missing, quote
from ..protojson import Codec, Fidelity, serialize
from .detail import known_part, node_of, readable
from .options import DETAIL_DEPTH, Encoding


class Shape(enum.Enum):
    """What the lists of details of a kind of wire can show."""

    BINARY = 0  # bytes: status, Connect, gRPC
    OBJECTS = 1  # typed JSON objects: AIP-193, RFC 9457, status as JSON
    ELEMENTS = 2  # any JSON: JSON-RPC


class Ride(NamedTuple):
    """A detail that rides along."""

    place: int
    plain: bool  # whether a detail of the plain form stands for it


class Writing:
    """One error that is written. It collects what the form does not show."""

    def __init__(self, error: hub.Error, options: Encoding, shape: Shape) -> None:
        self.error = error
        self.options = options
        self.codec = options.catalog.codec
        self.details = readable(self.codec, error.details)
        self.shape = shape
        self.wrap = False
        """Whether what has no type is shown as a google.protobuf.Value, as on the numbers
        that a profile itself defines."""
        self.rides: list[Ride] = []
        self.guarded = False
        """Set where a Carried is needed although nothing rides, so that readers conclude
        nothing from what stands."""
        self.received: list[Received] = []
        """What of what was received the form does not say."""

    def receive(self, writes_number: bool, rest: Callable[[Received], Received] | None = None) -> None:
        """Note what rides of what was received: rest returns what the form does not say. A
        private code rides where the form does not write it."""
        error = self.error
        received = error.received
        if not writes_number and not hub.canonical(error.number):
            kept = hub.Error()
            kept.received = received
            kept.set_received(replace(kept.on(Wire.GRPC), number=str(error.number)))
            received = kept.received
        for said in received:
            left = said if rest is None else rest(said)
            if not left.empty:
                self.received.append(left)

    def carries(self, wire: Wire) -> bool:
        """Tell whether a Carried is to be written, and note what is left out where there is
        to be none."""
        if not self.rides and not self.received and not self.guarded:
            return False
        if self.options.carries(self.error):
            return True
        if self.error.carries and self.options.note is not None:
            self.options.note(f"{wire} form: what rides along is left out")
        return False

    def carried(self) -> carried_pb2.Carried:
        """Return the errmap.v1.Carried that goes with what was written."""
        carried = carried_pb2.Carried(check=self.check())
        for r in self.received:
            carried.received.add(
                wire=int(r.wire),
                number=clean(r.number),
                code_text=clean(r.code_text),
                http_status=r.http_status,
                members=r.members,
                unknown_fields=r.unknown_fields,
            )
        for place, plain in self.rides:
            detail = self.details[place]
            if detail.json is not None:
                carried.details.add(place=place, plain=plain, json=detail.json)
            else:
                carried.details.add(place=place, plain=plain, type_url=detail.type_url, value=detail.value)
        return carried

    def carried_bytes(self) -> bytes:
        return serialize(self.carried())

    def check(self) -> bytes:
        """Sum the plain form: its code and message, then of each detail that it shows the
        name and the text."""
        out = [head_sum(self.error.number, self.error.message)]
        for detail in self.details:
            view = self.view(detail)
            if view is not None:
                # In JSON the known part of bytes is all that readers see.
                out += detail_sums(self.codec, view, self.shape is not Shape.BINARY)
        return b"".join([n.to_bytes(4, "big") for n in out])

    def view(self, detail: Detail) -> Detail | None:
        """Return a detail as readers of the plain form see it; None where it is not there."""
        if self.wrap and (detail.empty if detail.json is None else not detail.type_url):
            return wrapped_view(self.codec, detail)
        if detail.json is None:
            return detail
        if self.shape is Shape.BINARY:
            value = known_part(self.codec, detail)
            return None if value is None else Detail(detail.type_url, value)
        return detail if self.shape is Shape.ELEMENTS or detail.type_url else None


def untyped_text(detail: Detail) -> str:
    """Return the JSON of a detail without a type."""
    return "{}" if detail.json is None else detail.json


def wrapped_text(detail: Detail) -> str:
    """Return a detail without a type as a google.protobuf.Value, which has each member once,
    as any object with a type."""
    return f'{{"@type":"{hub.PREFIX}{hub.VALUE}","value":{compact(node_of(detail), once=True)}}}'


def wrapped_view(codec: Codec, detail: Detail) -> Detail:
    """Return the google.protobuf.Value of a detail as readers see it."""
    text = wrapped_text(detail)
    found = codec.read_any(parse_or_missing(text))
    return Detail(hub.PREFIX + hub.VALUE, json=text) if found is None else Detail(*found)


def head_sum(number: int, message: str) -> int:
    return crc32(f"{name_of(number)}\n{message}".encode())


EMPTY_SUM = crc32(b"{}")


def detail_sums(codec: Codec, detail: Detail, known: bool) -> tuple[int, int]:
    """Return the sums of a detail's bare type name and of its text, the latter 0 where this
    program cannot say it exactly. Of bytes with fields that the schema does not know, the
    known part has one only where that is what is summed."""
    name = crc32(detail.name.encode())
    if detail.empty:
        return name, EMPTY_SUM
    if detail.json is None:
        text, fidelity = codec.any_text(hub.PREFIX + detail.name, detail.value, DETAIL_DEPTH)
        if fidelity is Fidelity.NONE or (fidelity is Fidelity.KNOWN and not known):
            return name, 0
        return name, text_sum(parse_or_missing(text))
    if not detail.type_url:
        return name, text_sum(node_of(detail))
    if not codec.linked(detail.type_url) or known_part(codec, detail) is not None:
        return name, 0
    # What its type cannot read at all is summed as the JSON that it is.
    node = dict(node_of(detail))
    node["@type"] = quote(hub.PREFIX + detail.name)[1:-1]
    return name, text_sum(node)


def text_sum(node: Node) -> int:
    """Sum the form of RFC 8785, 0 where there is none."""
    text = None if node is MISSING else canonical(node)
    return 0 if text is None else crc32(text.encode())
