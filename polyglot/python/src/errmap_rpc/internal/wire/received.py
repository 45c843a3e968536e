"""What wires said beside a google.rpc.Status: what could have been said, and merged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from errmap.v1 import carried_pb2

from .. import hub
from ..code import code_by_connect_name, code_by_name, is_http_status, name_of
from ..hub import Notes, Received, Wire
from ..jsontree import (
    MISSING,
    JSONError,
    Node,
    Number,
    compact,
    integer,
    members,
    parse,
    parse_or_missing,
    same,
)
from ..jsontree import text_of as text_of
from ..number import integer as integer_token
from ..number import is_number
from ..protobytes import fields_of
from . import forms
from .member import Member, members_text
from .options import DEFAULT_DEPTH
from .scalar import is_carried, read_number, status_code


def restore_received(error: hub.Error, carried: Iterable[carried_pb2.Received]) -> None:
    """Put back what other wires said, beside what this one did; what is said of wires that
    are to come stays. A private code comes back into its place where the plain form says
    UNKNOWN."""
    notes = error.notes
    found: dict[Wire, Received] = {}
    for p in carried:
        wire = Wire(int(p.wire)) if p.wire else None
        if wire is None or wire in found:
            notes.add("errmap.v1.Carried: what a wire said dropped: it has no wire, or one that stands before it")
            continue
        found[wire] = _from_carried(p, wire, notes)
    # The two forms of HTTP share one status, which is kept under HTTP.
    problem = found.get(Wire.PROBLEM)
    if problem is not None and problem.http_status:
        http = found.get(Wire.HTTP, Received(Wire.HTTP))
        found[Wire.HTTP] = replace(http, http_status=http.http_status or problem.http_status)
        found[Wire.PROBLEM] = replace(problem, http_status=0)
    grpc = found.get(Wire.GRPC)
    if grpc is not None and grpc.number:
        if name_of(error.number) == "UNKNOWN":
            error.number = int(grpc.number)
        else:
            notes.add(f"errmap.v1.Carried: number {grpc.number} dropped: the code is {name_of(error.number)}")
        found[Wire.GRPC] = replace(grpc, number="")
    for own in error.received:
        have = found.get(own.wire)
        found[own.wire] = own if have is None else merge_received(have, own, notes)
    error.received = tuple(found[wire] for wire in sorted(found) if not found[wire].empty)


def _from_carried(p: carried_pb2.Received, wire: Wire, notes: Notes) -> Received:
    """Read what one wire said, as far as it could have said it."""

    def drop(what: str) -> None:
        notes.add(f"errmap.v1.Carried: {what} dropped: the {wire} wire has none such")

    number, code_text, status, unknown = p.number, p.code_text, p.http_status, p.unknown_fields
    if number and not could_be_number(wire, number):
        drop(f"number {hub.quoted(number)}")
        number = ""
    if code_text and not could_be_code(wire, code_text):
        drop(f"code {hub.quoted(code_text)}")
        code_text = ""
    if status and not is_http_status(status):
        drop(f"HTTP status {status}")
        status = 0
    if unknown and not later_fields(unknown):
        drop("unknown fields")
        unknown = b""
    return Received(wire, number, code_text, status, _members(p.members, wire, notes, drop), unknown)


def _members(text: str, wire: Wire, notes: Notes, drop: Callable[[str], None]) -> str:
    if not text:
        return ""
    try:
        root = parse(text, DEFAULT_DEPTH)
    except JSONError:
        root = MISSING
    if not isinstance(root, dict):
        drop("members that are no JSON object")
        return ""
    kept: list[Member] = []
    for name, value, repeats in members(root):
        if repeats:
            notes.add(f"member {hub.quoted(name)} stands twice: the first counts")
        elif not could_be_member(wire, name, value):
            drop(f"member {hub.quoted(name)}")
        else:
            kept.append((name, value))
    return members_text(kept)


def later_fields(data: bytes) -> bool:
    """Tell whether bytes are fields of a google.rpc.Status that its schema does not know,
    and nothing else."""
    try:
        return not any(
            (number == 1 and kind == 0) or (number in (2, 3) and kind == 2) for number, kind, _, _ in fields_of(data)
        )
    except ValueError:
        return False


_INTEGER = re.compile(r"-?[1-9][0-9]{0,9}")


def could_be_number(wire: Wire, token: str) -> bool:
    """Tell whether a wire can have said a number that has no place in the error: a JSON-RPC
    code, or a private code of gRPC."""
    if not wire.known:
        return True
    if wire == Wire.JSONRPC:
        if not is_number(token):
            return False
        value = integer_token(token)
        return value is None or str(value) == token
    if wire == Wire.GRPC and _INTEGER.fullmatch(token):
        return -(2**31) <= int(token) < 2**31 and not hub.canonical(int(token))
    return False


def could_be_code(wire: Wire, text: str) -> bool:
    """Tell whether a text can have stood in the place of a wire's code and named none."""
    if not wire.known:
        return True
    if wire == Wire.CONNECT:
        return not code_by_connect_name(text)
    if wire == Wire.GRPC:
        return not (re.fullmatch(r"[0-9]+", text) and int(text[-4000:]) < 2**31 and len(text) < 4000)
    return wire == Wire.HTTP and not code_by_name(text)


def could_be_member(wire: Wire, name: str, value: Node) -> bool:
    """Tell whether a wire's reader would have kept a member: it has not a name of the form's
    and the type that the reader takes, nor one that differs from such a name in case alone."""
    if not wire.known:
        return True
    form = forms.OF[wire]
    if form.folds(name):
        return False
    return name not in form or _kept_there(wire, name, value)


def _kept_there(wire: Wire, name: str, value: Node) -> bool:
    """Tell whether the reader of a form keeps a member of the form's own name because of
    what it holds."""
    if name == forms.CARRIED:
        return not is_carried(value)
    if name == "code":
        return _code_kept(wire, value)
    if name == "details":
        if wire == Wire.CONNECT and type(value) is list:
            return detail_members(value)
        return type(value) is not list and value is not None
    if name == "data":
        return False
    if name == "metadata":
        return not isinstance(value, dict) and value is not None
    if name in ("type", "title"):
        return value is not None
    if name == "errors":
        return True
    if name == "status" and wire == Wire.PROBLEM:
        number = integer(value)
        return value is not None and (number is None or not is_http_status(number))
    return type(value) is not str and value is not None


def _code_kept(wire: Wire, value: Node) -> bool:
    if wire == Wire.CONNECT:
        return type(value) is not str
    if wire == Wire.STATUS:
        return status_code(value) is None
    if wire == Wire.PROBLEM:
        return not code_by_name(text_of(value))
    number = read_number(value)
    if wire == Wire.HTTP:
        return number is None or number < 1 or 16 < number < 100 or number > 599
    return number is None and type(value) is not Number


def detail_members(value: list[Node]) -> bool:
    """Tell whether an array holds, for each detail of a Connect error, the members that it
    has beside its own, or null."""
    for element in value:
        if element is None:
            continue
        if not isinstance(element, dict):
            return False
        for name, _, repeats in members(element):
            if repeats or name in forms.CONNECT_DETAIL or forms.CONNECT_DETAIL.folds(name):
                return False
    return True


def merge_received(carried: Received, own: Received, notes: Notes) -> Received:
    """Add to what rode along what its own wire says newly. What rode along stays; what is
    said against it is in a note."""

    def text(what: str, have: str, news: str) -> str:
        if have and news and have != news:
            notes.add(f"{what} {hub.quoted(news, 128)} dropped: {hub.quoted(have, 128)}, which rode along, stays")
        return have or news

    if carried.http_status and own.http_status and carried.http_status != own.http_status:
        notes.add(f"HTTP status {own.http_status} dropped: {carried.http_status}, which rode along, stays")
    if carried.unknown_fields and own.unknown_fields and carried.unknown_fields != own.unknown_fields:
        notes.add("unknown fields of a Status dropped: those that rode along stay")
    return Received(
        carried.wire,
        text("number", carried.number, own.number),
        text("code", carried.code_text, own.code_text),
        carried.http_status or own.http_status,
        _merge_members(carried.members, own.members, notes),
        carried.unknown_fields or own.unknown_fields,
    )


def _merge_members(carried: str, own: str, notes: Notes) -> str:
    if not carried or not own:
        return carried or own
    have, news = parse_or_missing(carried), parse_or_missing(own)
    if not isinstance(have, dict) or not isinstance(news, dict):
        return carried
    merged: list[Member] = list(have.items())
    for name, value in news.items():
        if name not in have:
            merged.append((name, value))
        elif not same(have[name], value):
            text = hub.clip(compact(value), 128)
            notes.add(f"member {hub.quoted(name)} with {text} dropped: the one that rode along stays")
    return members_text(merged)
