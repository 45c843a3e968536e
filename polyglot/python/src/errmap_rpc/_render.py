"""Details as JSON elements, and back (section 8 of the wire contract)."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import TYPE_CHECKING

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

from . import _json, _protojson, _scalar
from ._text import Notes, repair
from .detail import ERROR_INFO, RawDetail, serialize

if TYPE_CHECKING:
    from .catalog import Catalog

DEFAULT_MAX_DEPTH = 100

ENVELOPE_DEPTH = 8
"""How much deeper than on one wire a detail may stand on another. One that would
nest deeper there than readers take is not passed on as JSON."""

EMPTY = _json.object_of(())


def render(types: Catalog, detail: RawDetail) -> tuple[_json.Value, bool]:
    """Return a detail as JSON: an element as it stood; bytes as the ProtoJSON of
    their Any where that reads back as the same message, else under "@value". It is
    whole unless the bytes hold fields that the schema does not know."""
    if detail.element is not None:
        return detail.element, True
    if not detail.type_url and not detail.value:
        return EMPTY, True
    rendered = render_message(types, detail)
    if rendered is not None:
        return rendered
    value = base64.b64encode(detail.value).decode()
    return _json.object_of(
        [
            _json.member_of("@type", _json.string_of(detail.type_url)),
            _json.member_of("@value", _json.string_of(value)),
        ]
    ), True


def render_message(types: Catalog, detail: RawDetail) -> tuple[_json.Value, bool] | None:
    message = decode_detail(types, detail)
    if message is None:
        return None
    try:
        out = _protojson.marshal(Any(type_url=detail.type_url, value=detail.value), types)
        if out.depth > DEFAULT_MAX_DEPTH - ENVELOPE_DEPTH:
            return None
        # A copy, since one implementation of protobuf remembers the size of a message.
        known = type(message)()
        known.CopyFrom(message)
        known.DiscardUnknownFields()
        whole = serialize(known) == serialize(message)
        back = Any()
        _protojson.unmarshal(out, back, types)
    except _protojson.ProtoJSONError:
        return None
    again = decode_detail(types, RawDetail(back.type_url, back.value))
    if again is None or serialize(again) != serialize(known):
        return None
    return out, whole


def decode_detail(types: Catalog, detail: RawDetail) -> Message | None:
    """Read the bytes of a detail whose type is known."""
    cls = types.find_message(detail.name)
    return None if cls is None else _protojson.parse(cls, detail.value)


def parse_element(types: Catalog, element: _json.Value) -> RawDetail:
    """Read an element of a list of details. It is bytes where it is the empty Any,
    has the "@value" form, or is ProtoJSON that this program reads whole; else it
    stays the JSON that it is."""
    if element.text == "{}":
        return RawDetail()
    type_url = element_type(element)
    if type_url is None:
        return RawDetail(element=element)
    value = _value_form(element)
    if value is not None:
        return RawDetail(type_url, value)
    as_json = RawDetail(type_url, element=element)
    if types.find_message(type_url.rpartition("/")[2]) is None:
        return as_json
    read = Any()
    try:
        _protojson.unmarshal(element, read, types)
    except _protojson.ProtoJSONError:
        return as_json
    detail = RawDetail(read.type_url, read.value)
    if _json.has_number(element):
        rendered = render_message(types, detail)
        if rendered is None or not _json.numbers_come_back(element, rendered[0]):
            return as_json
    return detail


def read_again(types: Catalog, detail: RawDetail) -> RawDetail:
    """Return a detail that is JSON as bytes where this program, unlike the one that
    kept it as JSON, reads it whole."""
    return detail if detail.element is None else parse_element(types, detail.element)


def element_type(element: _json.Value) -> str | None:
    """Return the "@type" of an element, None where it has none."""
    for member in element.members or ():
        if member.name == "@type":
            text = member.value.string()
            if text is not None:
                return text
    return None


def known_part(types: Catalog, detail: RawDetail) -> RawDetail | None:
    """Return what of a JSON element reads as its type: members that the schema does
    not know or refuses are left out. None where nothing can be said of it."""
    cls = types.find_message(detail.name)
    if cls is None or detail.element is None:
        return None
    ignored = Notes()
    _, members = _json.take(detail.element.members or (), ignored, "@type")
    message = cls()
    name = message.DESCRIPTOR.full_name
    if name == ERROR_INFO:
        members = _readable_metadata(members)
    if name.startswith("google.protobuf."):
        ours, _ = _json.take(members, ignored, "value")
        if "value" not in ours or not _read_lenient(types, ours["value"], message):
            return None
    elif not _read_lenient(types, _json.object_of(members), message):
        message = cls()
        for member in members:
            part = cls()
            if _read_lenient(types, _json.object_of([member]), part):
                message.MergeFrom(part)
    return RawDetail(detail.type_url, serialize(message))


def text_members(members: Iterable[_json.Member], notes: Notes) -> list[_json.Member]:
    """Turn the values of members into strings, those that are none into their JSON
    text; null goes, and so does what stands twice."""
    out = []
    for member in members:
        if not member.value.is_null:
            text = member.value.string()
            text = member.value.text if text is None else text
            out.append(_json.member_of(member.name, _json.string_of(repair(text))))
    return _json.first_of_each(out, notes)


def _value_form(element: _json.Value) -> bytes | None:
    """Read {"@type":…,"@value":<base64>}, exactly these two members."""
    members = element.members or ()
    if len(members) != 2:
        return None
    value = element.member("@value")
    text = value.string() if value is not None else None
    if text is None:
        return None
    try:
        return _scalar.decode_base64(text)
    except _protojson.ProtoJSONError:
        return None


def _read_lenient(types: Catalog, value: _json.Value, message: Message) -> bool:
    try:
        _protojson.unmarshal(value, message, types, lenient=True)
    except _protojson.ProtoJSONError:
        return False
    return True


def _readable_metadata(members: Iterable[_json.Member]) -> list[_json.Member]:
    return [
        _json.Member(m.name, m.raw_name, _json.object_of(text_members(m.value.members, Notes())))
        if m.name == "metadata" and m.value.members is not None
        else m
        for m in members
    ]
