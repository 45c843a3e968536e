"""The data member of a JSON-RPC error."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from google.rpc.error_details_pb2 import ErrorInfo

from . import _json, _number
from ._decode import DecodeOptions
from ._mcp_data import (
    EMPTY,
    is_uri_object,
    object_details,
    schema_of,
    schema_value,
    without_empty_details,
)
from ._render import element_type, parse_element, text_members
from ._text import Notes, quote
from .catalog import DOMAIN_MCP
from .code import canonical
from .definition import Definition
from .detail import PREFIX, STATUS, RawDetail
from .error import Draft, error_info
from .http_json import free_key
from .profile import INVALID_PARAMS, REASON_RESOURCE_NOT_FOUND, Profile

if TYPE_CHECKING:
    from .catalog import Catalog

MARKER_TYPE = PREFIX + STATUS
"""The "@type" of the code marker."""


@dataclass(slots=True)
class RPCData:
    """What the data member says."""

    details: list[RawDetail] = field(default_factory=list)
    marker: int = 0
    own: Definition | None = None
    """The profile's own error that the number stands for."""
    free: _json.Value | None = None
    """Free-form data of such an error."""
    beside: tuple[_json.Member, ...] = ()
    """The members that MCP has beside details."""

    def supply(self, error: Draft, profile: Profile, types: Catalog) -> bool:
        """Give a profile's own error its ErrorInfo, first, where it came without one of
        the profile's domain, and put free-form data into its metadata. It is False where
        the ErrorInfo contradicts the number."""
        assert self.own is not None
        place, agree, info = -1, True, ErrorInfo()
        for i, detail in enumerate(error.details):
            found = error_info(types, detail)
            if found is not None and found.domain == profile.domain:
                place, info = i, found
                break
        supplied = place < 0
        if supplied:
            info = ErrorInfo(reason=self.own.reason, domain=self.own.domain)
            error.details.insert(0, RawDetail())
            place = 0
        else:
            known = profile.own().find(profile.domain, info.reason)
            if known is not None and known is not self.own:
                error.notes.add(
                    f"the number is that of {self.own.reason}, the ErrorInfo says {info.reason}, which stands"
                )
                self.own, agree = known, False
            # An ErrorInfo that came is what is read.
            for member in _unsaid(self.beside, info, self.own, error.notes):
                name = quote(member.name)
                error.notes.add(
                    f"member {name} beside details dropped: the ErrorInfo in them does not say it"
                )
            if self.free is None:
                return agree
        if error.details[place].element is not None:  # JSON stays the JSON that it is
            assert self.free is not None
            error.details.append(parse_element(types, self.free))
            return agree
        if supplied:
            _add_free_form(info, self.own, self.beside, error.notes)
        _add_free_form(info, self.own, _free_members(self.free), error.notes)
        error.details[place] = RawDetail.of(info)
        return agree


def read_data(
    error: Draft, options: DecodeOptions, data: _json.Value | None, profile: Profile, number: int
) -> RPCData:
    out = RPCData(own=profile.numbered(number))
    if out.own is None and profile is Profile.MCP and number == INVALID_PARAMS and is_uri_object(data):
        out.own = profile.own().find(DOMAIN_MCP, REASON_RESOURCE_NOT_FOUND)
    if data is None or data.text == "[]":
        return out
    elements: tuple[_json.Value, ...] | None
    if data.elements is not None:
        typed = any(element_type(element) is not None for element in data.elements)
        elements = data.elements if typed else None
    elif element_type(data) is not None:
        elements = (data,)
    elif profile is Profile.MCP and out.own is not None:
        data = without_empty_details(data)
        elements, out.beside = object_details(data)
    else:
        elements = None
    if elements is None:
        if out.own is not None:
            out.free = data
        else:
            out.details = [parse_element(options.types, data)]
        return out
    elements = options.at_most(error, elements)
    marked = -1
    for i, element in enumerate(elements):
        code = marker_code(element)
        if code:
            marked, out.marker = i, code
    untyped = []
    for i, element in enumerate(elements):
        if i == marked:
            _json.take(element.members or (), error.notes, "@type", "code")
            continue
        if out.own is not None and element_type(element) is None:
            untyped.append(element)
        else:
            out.details.append(parse_element(options.types, element))
    if untyped:
        out.free = _json.array_of(untyped)
    return out


def _free_members(free: _json.Value | None) -> tuple[_json.Member, ...]:
    """Return free-form data as members of metadata: those of an object by name, anything
    else under "data"."""
    if free is None:
        return ()
    return (_json.member_of("data", free),) if free.members is None else tuple(free.members)


def _add_free_form(
    info: ErrorInfo, definition: Definition, free: tuple[_json.Member, ...], notes: Notes
) -> None:
    """Put free-form data into metadata."""
    for member in _saying(free, definition, notes):
        info.metadata[free_key(member.name, set(info.metadata))] = member.value.string() or ""


def _saying(members: tuple[_json.Member, ...], definition: Definition, notes: Notes) -> list[_json.Member]:
    """Return the members that say something: those that the schema of MCP requires are
    nothing where they are empty."""
    required = schema_of(definition)
    return [
        member
        for member in text_members(members, notes)
        if member.name not in required or EMPTY[required[member.name]] != member.value.string()
    ]


def _unsaid(
    members: tuple[_json.Member, ...], info: ErrorInfo, definition: Definition, notes: Notes
) -> list[_json.Member]:
    """Return the members that the metadata of an ErrorInfo does not say."""
    required = schema_of(definition)

    def said(member: _json.Member) -> bool:
        if member.name not in info.metadata:
            return False
        text = info.metadata[member.name]
        if required.get(member.name, '"') != '"':
            text = schema_value(required[member.name], text).text
        return text == member.value.string()

    return [member for member in _saying(members, definition, notes) if not said(member)]


def marker_code(element: _json.Value) -> int:
    """Return the code of a code marker: an object of exactly the two members, of which
    peers that know no duplicates see no more; 0 where the element is none."""
    if any(member.name not in ("@type", "code") for member in element.members or ()):
        return 0
    kind, code = element.member("@type"), element.member("code")
    if kind is None or code is None or kind.string() != MARKER_TYPE or not code.is_number:
        return 0
    number = _number.integer_token(code.text)
    return number if number is not None and canonical(number) else 0
