"""What rides along where a wire cannot say it (section 8 of the wire contract)."""

from __future__ import annotations

import enum
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from google.protobuf.unknown_fields import UnknownFieldSet

from errmap.v1 import carried_pb2

from . import _json, _number
from ._compare import contains
from ._render import (
    DEFAULT_MAX_DEPTH,
    EMPTY,
    element_type,
    known_part,
    parse_element,
    read_again,
    render,
    render_message,
)
from ._text import Notes, repair
from .code import Code, canonical, code_of
from .detail import CARRIED, PREFIX, RawDetail, serialize
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog
    from .error import Draft, Error


class Shape(enum.Enum):
    """What the lists of details of a kind of wire can show."""

    BINARY = 0  # bytes only: status, Connect, gRPC
    OBJECTS = 1  # JSON objects: AIP-193, RFC 9457, status as JSON
    ELEMENTS = 2  # any JSON: JSON-RPC


_NOTHING = RawDetail()


@dataclass(slots=True)
class Item:
    """One detail of an error in the plain form of a wire."""

    plain: bool = False  # whether the plain form has it at all
    raw: RawDetail = _NOTHING  # as it is written in a binary form
    json: _json.Value = EMPTY  # as it is written in a JSON form
    read: RawDetail = _NOTHING  # as a reader of the plain form sees it
    carried: RawDetail | None = None  # what must ride along


def plain_items(types: Catalog, error: Error, shape: Shape) -> list[Item]:
    """Return what a wire shows of each detail, and what must ride along."""
    return [_plain_item(types, detail, shape) for detail in error.raw_details]


def _plain_item(types: Catalog, detail: RawDetail, shape: Shape) -> Item:
    if shape is Shape.BINARY:
        if detail.element is None:
            return Item(True, raw=detail, read=detail)
        known = known_part(types, detail) if detail.type_url else None
        if known is None:
            return Item(carried=detail)
        return Item(True, raw=known, read=known, carried=detail)
    if shape is Shape.OBJECTS and detail.element is not None and detail.element.kind != "{":
        return Item(carried=detail)
    text, whole = render(types, detail)
    if whole:
        return Item(True, json=text, read=detail)
    return Item(True, json=text, read=parse_element(types, text), carried=detail)


def wrapped(types: Catalog, detail: RawDetail, text: _json.Value) -> Item:
    """Show a detail whose JSON has no "@type" as a google.protobuf.Value."""
    value = _json.object_of(
        [
            _json.member_of("@type", _json.string_of(PREFIX + "google.protobuf.Value")),
            _json.member_of("value", text),
        ]
    )
    return Item(True, json=value, read=parse_element(types, value), carried=detail)


def carry(types: Catalog, error: Error, items: list[Item], said: Received, writes_number: bool) -> RawDetail:
    """Return the Carried of an error for a plain form that says of what was received
    no more than said, and whether the plain form writes a private code."""
    full = {received.wire: received for received in error.received}
    if not canonical(error.number) and not writes_number:
        grpc = full.get(Wire.GRPC, Received(Wire.GRPC))
        full[Wire.GRPC] = replace(grpc, number=str(error.number))
    carried = carried_pb2.Carried(check=_check(types, error.number, error.message, items))
    for wire in sorted(full):
        received = full[wire].difference(said) if wire == said.wire else full[wire]
        if not received.empty:
            carried.received.append(
                carried_pb2.Received(
                    wire=int(wire),  # type: ignore[arg-type]
                    number=repair(received.number),
                    code_text=repair(received.code_text),
                    http_status=received.http_status,
                    members=received.members.text if received.members else "",
                    unknown_fields=received.unknown_fields,
                )
            )
    for place, item in enumerate(items):
        if item.carried is not None:
            entry = carried.details.add(place=place, plain=item.plain)
            if item.carried.element is not None:
                entry.json = item.carried.element.text
            else:
                entry.type_url, entry.value = item.carried.type_url, item.carried.value
    return RawDetail(PREFIX + CARRIED, serialize(carried))


def _check(types: Catalog, number: int, message: str, items: list[Item]) -> bytes:
    """Sum the plain form up."""
    sums = [_head_sum(number, message)]
    for item in items:
        if item.plain:
            sums.extend(_detail_sums(types, item.read))
    return struct.pack(f">{len(sums)}I", *sums)


def _head_sum(number: int, message: str) -> int:
    return zlib.crc32(f"{code_of(number).name}\n{message}".encode())


def _detail_sums(types: Catalog, detail: RawDetail) -> tuple[int, int]:
    """Return the sums of a detail's bare type name and of its ProtoJSON, the latter
    0 where this program cannot say it exactly."""
    name = zlib.crc32(detail.name.encode())
    if detail.element is not None:
        if detail.type_url:
            return name, 0
        value = detail.element
    elif not detail.type_url and not detail.value:
        value = EMPTY
    else:
        rendered = render_message(types, replace(detail, type_url=PREFIX + detail.name))
        if rendered is None or not rendered[1]:
            return name, 0
        value = rendered[0]
    text = _json.canonical(value)
    return name, 0 if text is None else zlib.crc32(text.encode())


def restore(types: Catalog, error: Draft, shape: Shape) -> None:
    """Finish an error that was read plain: take the Carried out of the details and,
    where it is to be believed, put back what it holds."""
    places = [i for i, detail in enumerate(error.details) if detail.name == CARRIED]
    if not places:
        return
    last = places[-1]
    detail, appended = error.details[last], error.details[last + 1 :]
    for place in places[:-1]:
        error.notes.add(f"errmap.v1.Carried dropped: detail {place} is not the last one")
    plain = [d for d in error.details[:last] if d.name != CARRIED]
    error.details = plain + appended
    carried = carried_pb2.Carried()
    try:
        if detail.element is not None:
            raise ValueError
        carried.MergeFromString(detail.value)
    except Exception:  # whatever the parser raises for foreign bytes
        error.notes.add("errmap.v1.Carried dropped: it cannot be read")
        return
    why = _doubt(types, error, carried, plain, shape)
    if why:
        error.notes.add(f"errmap.v1.Carried dropped: {why}")
        return
    if _has_unknown(carried):
        error.notes.add("errmap.v1.Carried: fields that its schema does not know dropped")
    error.details = _placed(types, carried, plain) + appended
    _restore_received(error, carried.received)


def _has_unknown(carried: carried_pb2.Carried) -> bool:
    """Tell whether a Carried has fields of another schema."""
    return any(len(UnknownFieldSet(part)) for part in (carried, *carried.received, *carried.details))


def _doubt(
    types: Catalog,
    error: Draft,
    carried: carried_pb2.Carried,
    plain: list[RawDetail],
    shape: Shape,
) -> str:
    """Say why a Carried is not to be believed, or nothing."""
    if len(carried.check) != 4 + 8 * len(plain):
        return "it was written for another number of details"
    sums = struct.unpack(f">{1 + 2 * len(plain)}I", carried.check)
    if sums[0] != _head_sum(error.number, error.message):
        return "it was written for another code or message"
    for i, detail in enumerate(plain):
        name, text = _detail_sums(types, detail)
        want = sums[2 + 2 * i]
        if name != sums[1 + 2 * i] or (text != want and text and want):
            return f"it was written for another detail {i}"
    following, used = 0, 0
    for entry in carried.details:
        whole = _from_carried(entry)
        if whole is None or whole.name == CARRIED or entry.place < following:
            return "a detail in it is malformed"
        used += entry.place - following
        following = entry.place + 1
        if used > len(plain) or (entry.plain and used == len(plain)):
            return "a detail in it has no place"
        if entry.plain:
            if not contains(types, whole, plain[used]):
                return "a detail in it says something else than the plain one"
            used += 1
        elif not _unshowable(whole, shape):
            return "a detail in it could have been plain"
    return ""


def _unshowable(detail: RawDetail, shape: Shape) -> bool:
    """Tell whether a detail has no plain form on a kind of wire."""
    from .catalog import NOTHING

    if detail.element is None:
        return False
    if detail.name.startswith("google.rpc.") and NOTHING.find_message(detail.name) is not None:
        return False  # every program has the type, so its known part is plain
    return shape is Shape.BINARY or (shape is Shape.OBJECTS and detail.element.kind != "{")


def _placed(types: Catalog, carried: carried_pb2.Carried, plain: list[RawDetail]) -> list[RawDetail]:
    """Put the carried details in their places among the plain ones."""
    out: list[RawDetail] = []
    rest = iter(plain)
    for entry in carried.details:
        while len(out) < entry.place:
            out.append(next(rest))
        if entry.plain:
            next(rest)
        whole = _from_carried(entry)
        assert whole is not None  # else there was doubt
        out.append(read_again(types, whole))
    out.extend(rest)
    return out


def _from_carried(entry: carried_pb2.CarriedDetail) -> RawDetail | None:
    content = entry.WhichOneof("content")
    if content == "value":
        return RawDetail(entry.type_url, entry.value)
    if content is None:
        return None
    try:
        element = _json.parse(entry.json, most_depth=DEFAULT_MAX_DEPTH)
    except _json.JSONError:
        return None
    return RawDetail(element_type(element) or "", element=element)


def _restore_received(error: Draft, carried: Iterable[carried_pb2.Received]) -> None:
    """Put back what other wires said, beside what this one did. A private code comes back
    into its place where the plain form says UNKNOWN."""
    known: set[Wire] = set()
    for entry in carried:
        received = _from_received(entry, error.notes)
        if not received.wire or received.wire in known:
            error.notes.add(
                "errmap.v1.Carried: what a wire said dropped: it has no wire, or one that stands before it"
            )
            continue
        known.add(received.wire)
        if received.wire == Wire.GRPC:
            token = received.number
            number = _number.integer_token(token) if _number.is_number_token(token) else None
            private = number is not None and number != 0 and not canonical(number)
            if private and abs(number or 0) < 2**31 and code_of(error.number) == Code.UNKNOWN:
                error.number = number or 0
                received = replace(received, number="")
        error.set_received(received.merge(error.received_on(received.wire), error.notes))


def _from_received(entry: carried_pb2.Received, notes: Notes) -> Received:
    """Read what one wire said, as far as it could have said it."""
    from .status import parse_status

    received = Received(Wire(int(entry.wire)), entry.number, entry.code_text)
    if 100 <= entry.http_status <= 999:
        received = replace(received, http_status=entry.http_status)
    elif entry.http_status:
        notes.add(f"errmap.v1.Carried: HTTP status {entry.http_status} dropped: it is none")
    try:
        status = parse_status(entry.unknown_fields, 0)
        if status.code or status.message or status.details:
            raise ValueError
        received = replace(received, unknown_fields=status.unknown)
    except ValueError:
        notes.add("errmap.v1.Carried: unknown fields of a Status dropped: they are none")
    if not entry.members:
        return received
    try:
        members = _json.parse(entry.members, most_depth=DEFAULT_MAX_DEPTH).members
    except _json.JSONError:
        members = None
    if members is None:
        notes.add("errmap.v1.Carried: members dropped: they are no JSON object")
    return received.with_members(members or ())
