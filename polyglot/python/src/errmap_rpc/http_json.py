"""Errors on HTTP+JSON after AIP-193 (section 6 of the wire contract)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from . import _json
from ._carried import Item, Shape, plain_items, restore
from ._decode import DecodeOptions, keep, take_text
from ._render import parse_element
from ._settle import Candidate, EncodeOptions, Form, readable, settle
from ._text import Notes, quote
from ._write import details_member
from .code import canonical, code_by_name, code_from_http, code_of, row
from .definition import Definition
from .detail import RawDetail
from .error import Draft, Error, Readable, details_of, error_info, received_on
from .generated import specialize
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog

__all__ = ["HTTPError", "from_http_json", "to_http_json"]


@dataclass(frozen=True, slots=True)
class HTTPError:
    """An error as an HTTP response."""

    status: int
    body: str
    content_type: str
    retry_after: str = ""
    """The Retry-After header, "" for none."""


def to_http_json(error: Error, **arguments: Unpack[EncodeArguments]) -> HTTPError:
    """Return an error on HTTP+JSON as AIP-193 has it."""
    options = encode_options(arguments)
    error = readable(error, options.catalog)

    def write(c: Candidate, items: list[Item], _m: bool, carried: RawDetail | None) -> HTTPError:
        name = c.code_text or code_of(error.number).name
        parts = [
            f'"code":{c.status}',
            '"message":' + _json.quote(error.message),
            '"status":' + _json.quote(name),
            *details_member(options.catalog, items, carried),
        ]
        return HTTPError(c.status, '{"error":{' + ",".join(parts) + "}}", "application/json")

    out = settle(
        error,
        options,
        Form(
            wire=Wire.HTTP,
            candidates=_candidates(error, options),
            items=lambda _: plain_items(options.catalog, error, Shape.OBJECTS),
            write=write,
            read=lambda http, decode: decode_http(http.body, replace(decode, http_status=http.status)),
        ),
    )
    return replace(out, retry_after=error.retry_after)


def from_http_json(body: bytes | str, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the JSON body of an error on HTTP+JSON in the form of AIP-193 and in those
    that stand for it: inside an array, without its wrapper, with a canonical number or
    the text of one as its code, or a string as the error. Raises FormError for a body
    of another kind where there is no http_status either."""
    options = decode_options(arguments)
    return specialize(decode_http(body, options), options.errors)


def _candidates(error: Error, options: EncodeOptions) -> list[Candidate]:
    """Return the ways to say what was received on HTTP+JSON once more, before the way
    that an error made here has."""
    got, nothing = received_on(error, Wire.HTTP), Received(Wire.HTTP)
    own = own_http_status(error, options.catalog, options.catalog)
    candidate = Candidate(nothing, replace(nothing, http_status=own), status=own)
    if standable(got.http_status):
        said = replace(nothing, http_status=got.http_status)
        candidate = Candidate(said, nothing, status=got.http_status)
    if not got.code_text:
        return [candidate]
    named = replace(candidate, code_text=got.code_text)
    return [replace(named, said=replace(candidate.said, code_text=got.code_text)), candidate]


def standable(status: int) -> bool:
    """Tell whether an HTTP status is one of an error."""
    return 400 <= status <= 599


def own_http_status(error: Readable, errors: Catalog, types: Catalog) -> int:
    """Return the HTTP status of an error: that of its definition, else its code's."""
    number = error.number
    definition = definition_of_error(error, errors, types)
    if definition is not None and definition.code == code_of(number) and definition.http_status:
        return definition.http_status
    return row(number).http


def definition_of_error(error: Readable, errors: Catalog, types: Catalog) -> Definition | None:
    """Return the definition of the error's identity: of the first ErrorInfo whose
    domain is known."""
    for detail in details_of(error):
        info = error_info(types, detail)
        if info is not None and errors.knows_domain(info.domain):
            return errors.find(info.domain, info.reason)
    return None


def decode_http(body: bytes | str, options: DecodeOptions) -> Error:
    try:
        value = options.parse(body)
    except _json.JSONError as why:
        return options.foreign(Wire.HTTP, body, code_from_http, str(why))
    error = Draft()
    members = _error_members(error, value)
    if members is None:
        return options.foreign(Wire.HTTP, body, code_from_http, "no error object")
    ours, rest = _json.take(members, error.notes, "code", "message", "status", "details")
    if not ours:
        missing = "no code, message, status or details"
        return options.foreign(Wire.HTTP, body, code_from_http, missing)
    error.message = take_text(error, Wire.HTTP, ours, "message")
    _read_code(error, ours, rest, options)
    for element in options.elements(error, Wire.HTTP, ours, "details"):
        error.details.append(parse_element(options.types, element))
    keep(error, Wire.HTTP, rest)
    return restore_http(error, options, Wire.HTTP)


def restore_http(error: Draft, options: DecodeOptions, wire: Wire) -> Error:
    """Finish an error of a form whose HTTP status may be its own, and so need not be
    kept."""
    status = error.received_on(wire).http_status
    error.set_received(replace(error.received_on(wire), http_status=0))
    restore(options.types, error, Shape.OBJECTS)
    got = error.received_on(wire)
    if status != got.http_status and status != own_http_status(error, options.errors, options.types):
        error.set_received(got.merge(Received(wire, http_status=status), error.notes))
    return options.finish(error)


def _error_members(error: Draft, value: _json.Value) -> list[_json.Member] | None:
    """Find the members of the error object."""
    if value.elements is not None and len(value.elements) == 1:
        value = value.elements[0]
    if value.members is None:
        return None
    lost = Notes()
    ours, rest = _json.take(value.members, lost, "error")
    if "error" not in ours:
        return list(value.members)
    text, inner = ours["error"].string(), list(ours["error"].members or ())
    if text is not None:
        inner = [_json.member_of("message", _json.string_of(text))]
    elif ours["error"].members is None:
        return list(value.members)
    for note in lost.items:
        error.notes.add(note)
    return with_outer(inner, rest)


def with_outer(
    inner: Iterable[_json.Member], outer: Iterable[_json.Member], *names: str
) -> list[_json.Member]:
    """Return the members of an error object with those beside the object, which ride
    along: one whose name is taken becomes name_2."""
    members = list(inner)
    taken = {*names, *(member.name for member in members)}
    for member in outer:
        name = free_key(member.name, taken)
        taken.add(name)
        members.append(_json.member_of(name, member.value))
    return members


def free_key(key: str, taken: set[str]) -> str:
    """Return a key that is not taken: key, key_2, key_3 and so on."""
    free, n = key, 2
    while free in taken:
        free, n = f"{key}_{n}", n + 1
    return free


def _read_code(
    error: Draft, ours: dict[str, _json.Value], rest: list[_json.Member], options: DecodeOptions
) -> None:
    """Set the code: that of a known status name, else of a canonical number, else of
    the body's HTTP status, else of the transport's."""
    name = take_text(error, Wire.HTTP, ours, "status")
    raw, number, status = ours.get("code"), _json.read_number(ours.get("code")), 0
    if raw is not None and not raw.is_null and number is None:
        error.notes.add('member "code" is no number')
        _json.add_member(rest, _json.member_of("code", raw), error.notes)
    known = code_by_name(name)
    if number is not None and 100 <= number <= 599:
        status = number
    elif number is not None and raw is not None and (name or not canonical(number)):
        why = "no HTTP status" if name else "neither an HTTP status nor a canonical code"
        error.notes.add(f"code {number} is {why}")
        _json.add_member(rest, _json.member_of("code", raw), error.notes)
        number = None
    if known:
        error.number = known
    elif number is not None and not status:
        error.number = number
    else:
        error.number = int(code_from_http(status or options.http_status))
    received = error.received_on(Wire.HTTP)
    if name and not known:
        error.notes.add(f"status {quote(name)} names no code: {code_of(error.number).name}")
        received = replace(received, code_text=name)
    if status and options.http_status and status != options.http_status:
        error.notes.add(
            f"the response has HTTP status {options.http_status}, its body says {status}, which stands"
        )
    error.set_received(replace(received, http_status=status or options.http_status or received.http_status))
