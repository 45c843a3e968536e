"""The JSON error of the Connect protocol (section 4 of the wire contract)."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from . import _json
from ._carried import Item, Shape, plain_items, restore
from ._decode import DecodeOptions, keep, keep_http_status, take_text
from ._protojson import WELL_KNOWN, ProtoJSONError
from ._render import render_message
from ._scalar import decode_base64
from ._settle import Candidate, Form, readable, settle
from ._text import Notes
from .code import Code, code_by_connect_name, code_from_connect_http, row
from .detail import PREFIX, RawDetail, complete_url
from .error import Draft, Error
from .generated import specialize
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog

__all__ = ["from_connect_json", "to_connect_json"]


def to_connect_json(error: Error, **arguments: Unpack[EncodeArguments]) -> str:
    """Return an error as the JSON error of the Connect protocol, which is the body of
    a failed unary call and stands in the end-of-stream message of a stream. The HTTP
    status that goes with it is that of the code."""
    options = encode_options(arguments)
    error = readable(error, options.catalog)

    def write(_c: Candidate, items: list[Item], _m: bool, carried: RawDetail | None) -> str:
        details = [item.raw for item in items if item.plain]
        if carried is not None:
            details.append(carried)
        parts = [f'"code":"{row(error.number).connect}"']
        if error.message:
            parts.append('"message":' + _json.quote(error.message))
        if details:
            texts = [_detail_text(options.catalog, detail) for detail in details]
            parts.append('"details":[' + ",".join(texts) + "]")
        return "{" + ",".join(parts) + "}"

    nothing = Received(Wire.CONNECT)
    return settle(
        error,
        options,
        Form(
            wire=Wire.CONNECT,
            candidates=[Candidate(nothing, nothing)],
            items=lambda _: plain_items(options.catalog, error, Shape.BINARY),
            write=write,
            read=decode_connect,
        ),
    )


def from_connect_json(body: bytes | str, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the JSON error of the Connect protocol. A code that is none falls back to
    http_status, and to UNKNOWN in_stream. Raises FormError for a body of another kind
    where there is no status either."""
    options = decode_options(arguments)
    return specialize(decode_connect(body, options), options.errors)


def decode_connect(body: bytes | str, options: DecodeOptions) -> Error:
    try:
        value = options.parse(body)
    except _json.JSONError as why:
        return options.foreign(Wire.CONNECT, body, code_from_connect_http, str(why))
    if value.members is None:
        return options.foreign(Wire.CONNECT, body, code_from_connect_http, "not a JSON object")
    error = Draft()
    ours, rest = _json.take(value.members, error.notes, "code", "message", "details")
    if not ours:
        missing = "no code, message or details"
        return options.foreign(Wire.CONNECT, body, code_from_connect_http, missing)
    error.message = take_text(error, Wire.CONNECT, ours, "message")
    _read_code(error, ours.get("code"), rest, options)
    extras: list[_json.Value] = []
    for i, element in enumerate(options.elements(error, Wire.CONNECT, ours, "details")):
        try:
            detail, extra = _read_detail(element, error.notes)
        except ValueError as why:
            error.notes.add(f"detail {i} dropped: {why}")
            continue
        error.details.append(detail)
        extras.append(extra)
    if not all(extra.is_null for extra in extras):
        kept = _json.member_of("details", _json.array_of(extras))
        _json.add_member(rest, kept, error.notes)
    keep(error, Wire.CONNECT, rest)
    restore(options.types, error, Shape.BINARY)
    return options.finish(error)


def _read_code(
    error: Draft, value: _json.Value | None, rest: list[_json.Member], options: DecodeOptions
) -> None:
    name = value.string() if value is not None else None
    if name is not None:
        error.number = code_by_connect_name(name)
        if not error.number:
            error.set_received(replace(error.received_on(Wire.CONNECT), code_text=name))
    elif value is not None:
        _json.add_member(rest, _json.member_of("code", value), error.notes)
    if error.number:
        return
    error.number = int(Code.UNKNOWN)
    if options.http_status and not options.in_stream:
        error.number = int(code_from_connect_http(options.http_status))
        keep_http_status(error, Wire.CONNECT, options.http_status)
    error.notes.add(f"no code that Connect knows: {Code(error.number).name}")


def _read_detail(element: _json.Value, notes: Notes) -> tuple[RawDetail, _json.Value]:
    """Read one detail, and what it has beside type, value and debug; null for nothing.
    Raises ValueError for one that cannot be read."""
    if element.members is None:
        raise ValueError("it is no object")
    ours, rest = _json.take(element.members, notes, "type", "value", "debug")
    name = ours["type"].string() if "type" in ours else None
    if name is None:
        raise ValueError("its type is no string")
    text = ours["value"].string() if "value" in ours else None
    if text is None:
        raise ValueError("its value is no string")
    try:
        value = decode_base64(text)
    except ProtoJSONError:
        raise ValueError("its value is not base64") from None
    extra = _json.object_of(rest) if rest else _json.Value("null")
    return RawDetail(complete_url(name), value), extra


def _detail_text(types: Catalog, detail: RawDetail) -> str:
    value = base64.b64encode(detail.value).decode().rstrip("=")
    text = f'{{"type":{_json.quote(detail.name)},"value":"{value}"'
    debug = _debug(types, detail)
    return text + (f',"debug":{debug}' if debug else "") + "}"


def _debug(types: Catalog, detail: RawDetail) -> str:
    """Return the ProtoJSON of a detail, "" where it has none here."""
    if not detail.name:
        return ""
    rendered = render_message(types, replace(detail, type_url=PREFIX + detail.name))
    if rendered is None:
        return ""
    members = rendered[0].members or ()
    if len(members) == 2 and members[1].name == "value" and detail.name in WELL_KNOWN:
        return members[1].value.text
    return _json.object_of(members[1:]).text
