"""The error object of JSON-RPC 2.0 (section 7 of the wire contract)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

from . import _json, _number
from ._carried import Item, Shape, plain_items, restore, wrapped
from ._compare import untyped
from ._decode import DecodeOptions, keep, take_text
from ._mcp_data import schema_object
from ._render import element_type
from ._rpc_data import MARKER_TYPE, read_data
from ._settle import Candidate, EncodeOptions, Form, readable, settle
from ._text import Notes, clip
from ._write import details_text
from .code import CODES_BY_NUMBER, Code, code_from_connect_http, row
from .definition import Definition
from .detail import RawDetail
from .error import Draft, Error, Readable, received_on
from .generated import specialize
from .http_json import definition_of_error, with_outer
from .options import DecodeArguments, EncodeArguments, decode_options, encode_options
from .profile import (
    INVALID_PARAMS,
    MCP_RESOURCE_NOT_FOUND,
    MCP_URL_ELICITATION,
    REASON_RESOURCE_NOT_FOUND,
    Profile,
)
from .received import Received, Wire

if TYPE_CHECKING:
    from .catalog import Catalog

__all__ = ["JSONRPCError", "from_jsonrpc", "to_jsonrpc"]


@dataclass(frozen=True, slots=True)
class JSONRPCError:
    """An error object of JSON-RPC 2.0."""

    number: int
    """Its code, for Profile.http_status too."""
    text: str
    """The whole object as JSON."""


def to_jsonrpc(error: Error, profile: Profile, **arguments: Unpack[EncodeArguments]) -> JSONRPCError:
    """Return an error as the error object of JSON-RPC 2.0 section 5.1 under a profile."""
    options = encode_options(arguments)
    writer = _Writer(readable(error, options.catalog), profile, options)
    return settle(
        writer.error,
        options,
        Form(
            wire=Wire.JSONRPC,
            candidates=writer.candidates(),
            items=writer.items,
            write=writer.write,
            read=lambda rpc, decode: decode_jsonrpc(rpc.text, profile, decode),
            marker=True,
            own=profile.own(),
            direct=writer.direct,
        ),
    )


def from_jsonrpc(body: bytes | str, profile: Profile, **arguments: Unpack[DecodeArguments]) -> Error:
    """Read the error object of JSON-RPC 2.0 under a profile, or the response that holds
    one. Raises FormError for a body of another kind where there is no http_status
    either."""
    options = decode_options(arguments)
    return specialize(decode_jsonrpc(body, profile, options), options.errors)


@dataclass(slots=True)
class _Writer:
    error: Error
    profile: Profile
    options: EncodeOptions

    def candidates(self) -> list[Candidate]:
        """Return the numbers that the error may have, the best first."""
        out: list[Candidate] = []
        token = received_on(self.error, Wire.JSONRPC).number
        number = _number.integer_token(token) if _number.is_number_token(token) else None
        if number is not None and self.profile.may_repeat(number):
            self._add(out, number, received=True)
        types = self.options.catalog
        self._add(out, implied_number(self.error, self.profile, types, types), received=False)
        self._add(out, row(self.error.number).jsonrpc, received=False)
        return out

    def _add(self, out: list[Candidate], number: int, received: bool) -> None:
        # A received number that a reader takes for the error's own is not said by it:
        # then it rides along, so it is tried both ways.
        if any(c.number == number and not c.said.number for c in out):
            return
        nothing, said = Received(Wire.JSONRPC), Received(Wire.JSONRPC, str(number))
        candidate = Candidate(said, nothing, number=number)
        if not received:
            candidate = Candidate(nothing, said, number=number)
        if self.profile is Profile.MCP and self._own(number) is not None:
            out.append(replace(candidate, alone=True))
        out.append(candidate)

    def _own(self, number: int) -> Definition | None:
        """Return the profile's own error that a number stands for beside the identity of
        the error; None where it is none."""
        definition = self.profile.numbered(number)
        if definition is not None or self.profile is not Profile.MCP or number != INVALID_PARAMS:
            return definition
        own = self.profile.own()
        definition = definition_of_error(self.error, own, own)
        if definition is not None and definition.reason == REASON_RESOURCE_NOT_FOUND:
            return definition
        return None

    def items(self, c: Candidate) -> list[Item]:
        items = plain_items(self.options.catalog, self.error, Shape.ELEMENTS)
        if self._own(c.number) is not None:
            for i, detail in enumerate(self.error.raw_details):
                text = untyped(detail)
                if text is not None:
                    items[i] = wrapped(self.options.catalog, detail, text)
        return items

    def write(self, c: Candidate, items: list[Item], marker: bool, carried: RawDetail | None) -> JSONRPCError:
        text = f'{{"code":{c.number},"message":{_json.quote(self.error.message)}'
        data = self._data(c, items, marker, carried)
        return JSONRPCError(c.number, text + (f',"data":{data}' if data else "") + "}")

    def _data(self, c: Candidate, items: list[Item], marker: bool, carried: RawDetail | None) -> str:
        """Return the data member, "" where there is nothing to say."""
        own = self._own(c.number) if self.profile is Profile.MCP else None
        members: list[_json.Member] = []
        if own is not None:
            members = schema_object(self.error, own, self.options.catalog)
            if c.alone:
                return _json.object_of(members).text if members else ""
        texts = details_text(self.options.catalog, items, None)
        typed = marker or carried is not None
        for item in items:
            if (
                item.plain
                and item.json.kind == "{"
                and (item.read.type_url or element_type(item.json) is not None)
            ):
                typed = True
        if marker:
            texts.append(f'{{"@type":"{MARKER_TYPE}","code":{int(self.error.code)}}}')
        if carried is not None:
            texts.extend(details_text(self.options.catalog, [], carried))
        text = "[" + ",".join(texts) + "]"
        if own is not None:
            parts = [f"{m.raw_name}:{m.value.text}" for m in members]
            return "{" + ",".join([*parts, f'"details":{text}']) + "}"
        if not texts:
            return ""
        return texts[0] if len(texts) == 1 and not typed else text

    def direct(self, c: Candidate, items: list[Item]) -> bool | None:
        if self.profile is Profile.MCP and self._own(c.number) is not None:
            return None
        if any(not item.read.type_url for item in items):
            return None
        types = self.options.catalog
        return any(
            rpc_code(self.error, self.profile, errors, types, c.number) != self.error.number
            for errors in (types, self.profile.own())
        )


def implied_number(error: Readable, profile: Profile, errors: Catalog, types: Catalog) -> int:
    """Return the number that an error has of its own: the catalogue's for its identity
    if the profile may write it, else the table's."""
    for catalog in (errors, profile.own()):
        definition = definition_of_error(error, catalog, types)
        if definition is not None:
            number = definition.jsonrpc_code
            if number and profile.may(number, definition.domain):
                return number
            break
    return row(error.number).jsonrpc


def rpc_code(error: Readable, profile: Profile, errors: Catalog, types: Catalog, number: int) -> int:
    """Return the code that a reader arrives at without a marker."""
    for catalog in (errors, profile.own()):
        definition = definition_of_error(error, catalog, types)
        if definition is not None:
            return int(definition.code)
    own = profile.numbered(number)
    if own is not None:
        return int(own.code)
    if profile is Profile.MCP and number == MCP_URL_ELICITATION:
        return int(Code.FAILED_PRECONDITION)
    return int(CODES_BY_NUMBER.get(number, Code.UNKNOWN))


def decode_jsonrpc(body: bytes | str, profile: Profile, options: DecodeOptions) -> Error:
    try:
        value = options.parse(body)
    except _json.JSONError as why:
        return options.foreign(Wire.JSONRPC, body, code_from_connect_http, str(why))
    if value.members is None:
        return options.foreign(Wire.JSONRPC, body, code_from_connect_http, "not a JSON object")
    error = Draft()
    members = _inside_response(value.members, error.notes)
    ours, rest = _json.take(members, error.notes, "code", "message", "data")
    if not ours:
        missing = "no code, message or data"
        return options.foreign(Wire.JSONRPC, body, code_from_connect_http, missing)
    error.message = take_text(error, Wire.JSONRPC, ours, "message")
    number, token = _read_number(error, ours.get("code"), rest)
    data = read_data(error, options, ours.get("data"), profile, number)
    error.details = data.details
    keep_number = bool(token)
    if data.own is not None:
        keep_number = data.supply(error, profile, options.types) and keep_number
    if profile is Profile.MCP and number in (MCP_RESOURCE_NOT_FOUND, MCP_URL_ELICITATION):
        keep_number = False
    error.number = data.marker or rpc_code(error, profile, options.errors, options.types, number)
    keep(error, Wire.JSONRPC, rest)
    restore(options.types, error, Shape.ELEMENTS)
    received = error.received_on(Wire.JSONRPC)
    own = str(implied_number(error, profile, options.errors, options.types))
    is_own = token == own or (received.number and token == str(row(error.number).jsonrpc))
    if keep_number and not is_own:
        error.set_received(received.merge(Received(Wire.JSONRPC, token), error.notes))
    return options.finish(error)


def _inside_response(members: tuple[_json.Member, ...], notes: Notes) -> Sequence[_json.Member]:
    """Return the members of the error object inside a response, with those that the
    response has beside it. The version and the id are the call's; a result beside an
    error is dropped."""
    lost = Notes()
    ours, rest = _json.take(members, lost, "jsonrpc", "id", "result", "error", "code")
    inner = ours["error"].members if "error" in ours else None
    if inner is None or "jsonrpc" not in ours or "code" in ours:
        return members
    for note in lost.items:
        notes.add(note)
    result = ours.get("result")
    if result is not None and not result.is_null:
        notes.add(f"result {clip(result.text, 128)} dropped: an error stands beside it")
    return with_outer(inner, rest, "code", "message", "data")


def _read_number(error: Draft, value: _json.Value | None, rest: list[_json.Member]) -> tuple[int, str]:
    """Read the code: the number, and its token, "" for none. One that is no integer
    within ±(2^53-1) is number 0, kept as it was received."""
    if value is None:
        error.notes.add("code is missing: UNKNOWN")
        return 0, ""
    number = _json.read_number(value)
    if number is not None:
        return number, str(number)
    token = value.string()
    token = value.text if token is None else token
    if _number.is_number_token(token):
        error.notes.add(f"code {clip(token, 64)} is no integer that JSON-RPC can say: UNKNOWN")
        return 0, token
    error.notes.add("code is no number: UNKNOWN")
    _json.add_member(rest, _json.member_of("code", value), error.notes)
    return 0, ""
