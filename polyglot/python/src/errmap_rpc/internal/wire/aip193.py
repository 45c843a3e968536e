"""HTTP+JSON in the form of AIP-193."""

from __future__ import annotations

import re
from dataclasses import replace

from .. import hub
from ..code import code_by_name, code_from_http, name_of, row, standable, target
from ..hub import Detail, Received, Wire
from ..jsontree import MISSING, JSONError, Node, length, members, quote, text_of
from ..schema import Catalog
from . import forms
from .carried import Shape, Writing
from .decode import Body, Reading
from .detail import definition
from .member import Keys, Member
from .options import Decoding, Encoding
from .received import merge_received
from .restore import restore
from .scalar import is_carried, read_number
from .statusjson import carried_member
from .write import details_member, rest_members


def write_http(error: hub.Error, options: Encoding) -> tuple[int, str]:
    """Return the HTTP status and the body of an error in the form of AIP-193."""
    w = Writing(error, options, Shape.OBJECTS)
    status, stands = http_status(w)
    text = error.on(Wire.HTTP).code_text
    # A text in the code's place stands where readers arrive at the code without it.
    named = bool(text) and int(code_from_http(status)) == target(error.number)
    name = text if named else name_of(error.number)

    def says(r: Received) -> Received:
        if r.wire != Wire.HTTP:
            return r
        return replace(r, http_status=0 if stands else r.http_status, code_text="" if named else r.code_text)

    details = details_member(w)
    rest = rest_members(w, Wire.HTTP, False, forms.HTTP.place_in, says)
    head = f'{{"error":{{"code":{status},"message":{quote(error.message)},"status":{quote(name)}'
    return status, f"{head}{details}{rest}}}}}"


def http_status(w: Writing) -> tuple[int, bool]:
    """Return the HTTP status that is written, and whether it says what was received: that is
    so where no reader takes it for the error's own."""
    own = own_http_status(w.error.number, w.details, w.options.catalog)
    got = w.error.on(Wire.HTTP).http_status
    if not standable(got):
        return own, False
    return got, got != own and got != row(w.error.number).http


def own_http_status(number: int, details: list[Detail], catalog: Catalog) -> int:
    """Return the HTTP status that an error has by its definition, else by its code."""
    found = definition(details, catalog)
    if found is not None and found.http_status and int(found.code) == target(number):
        return found.http_status
    return row(number).http


def read_http(body: Body, options: Decoding) -> hub.Error:
    """Read the JSON body of an error on HTTP+JSON in the form of AIP-193 and in those that
    stand for it."""
    r = Reading(options)
    try:
        root = r.parse(body)
    except JSONError as why:
        return r.foreign(Wire.HTTP, body, code_from_http, str(why))
    if type(root) is list and len(root) == 1:
        root = root[0]
    if not isinstance(root, dict):
        return r.foreign(Wire.HTTP, body, code_from_http, "no error object")
    own = _members(r, root)
    if own is None:
        return r.foreign(Wire.HTTP, body, code_from_http, "no code, message, status or details")
    if "message" in own:
        r.error.message = r.text(own, "message") or ""
    status = _read_code(r, own)
    r.list(own, "details")
    carried = carried_member(r, own)
    r.keep(Wire.HTTP)
    restore(r, Shape.OBJECTS, carried)
    keep_own_status(r, status)
    return r.finish()


def keep_own_status(r: Reading, status: int) -> None:
    """Keep the status of a response, unless it is the error's own."""
    error = r.error
    said = error.on(Wire.HTTP)
    if status in (0, said.http_status):
        return
    if status != own_http_status(error.number, error.details, r.options.catalog):
        error.set_received(merge_received(said, Received(Wire.HTTP, http_status=status), error.notes))


_SAYS = ("code", "message", "status", "details")


def _members(r: Reading, root: dict[str, Node]) -> dict[str, Node] | None:
    """Find the members of the error object; None where there is none."""
    inner = root.get("error", MISSING)
    if isinstance(inner, dict) and any(name in inner for name in _SAYS):
        own = r.take(inner, forms.HTTP)
        if length(root) > 1:
            _besides(r, root, own)
        return own
    own = r.take(root, forms.HTTP)
    if type(inner) is str:
        kept = []
        for name, value in r.rest:
            if name != "error" and name.casefold() == "error":
                r.folded(name)
            else:
                kept.append((name, value))
        r.rest = kept
        _error_text(r, text_of(inner), own)
        return own
    return own if any(name in own for name in _SAYS) else None


def _besides(r: Reading, root: dict[str, Node], own: dict[str, Node]) -> None:
    """Put what stands beside an error object into what rides along: one whose name is the
    form's or taken becomes name_2. A Carried there is read."""
    taken = Keys(*forms.HTTP.names, *(name for name, _ in r.rest))
    for name, value, repeats in members(root):
        if name == "error" and not repeats:
            continue
        if name != "error" and name.casefold() == "error":
            r.folded(name)
        elif repeats:
            r.twice(name)
        elif name == forms.CARRIED and is_carried(value) and not is_carried(own.get(name)):
            if name in own:
                r.rest.append((f"{name}_2", own[name]))
            own[name] = value
        else:
            r.rest.append((taken.free(name), value))


_TOKEN = re.compile(r"[a-z0-9_]+")


def _error_text(r: Reading, text: str, own: dict[str, Node]) -> None:
    """Read an error that is a string: it is the message, unless a member says more. What
    rides along loses what says nothing new."""
    message = own.get("message", MISSING)
    description = next((value for name, value in r.rest if name == "error_description"), MISSING)
    if type(description) is str and _TOKEN.fullmatch(text):
        # OAuth 2.0 (RFC 6749 section 5.2): a name of the error, and its text.
        r.error.message = text_of(description)
        own.pop("message", None)
        _without(r.rest, "error_description")
        said = type(message) is str and text_of(message) == r.error.message
        if message is not MISSING and message is not None and not said:
            taken = Keys("message", *(name for name, _ in r.rest))
            r.rest.append((taken.free("message"), message))
        return
    if type(message) is str:
        if text_of(message) != text:
            return
    else:
        r.error.message = text
        if message is not MISSING and message is not None:
            r.refuse(own, "message")
        own.pop("message", None)
    _without(r.rest, "error")  # what it says is said


def _without(rest: list[Member], gone: str) -> None:
    for i, (name, _) in enumerate(rest):
        if name == gone:
            del rest[i]
            return


def _read_code(r: Reading, own: dict[str, Node]) -> int:
    """Set the code: that of a known status name, else of a canonical number, else of the
    body's HTTP status, else of the transport's. Return the HTTP status that counts, and keep
    what of code and status could not be read."""
    error, received = r.error, r.options.http_status
    name = r.text(own, "status") or ""
    known = code_by_name(name)
    value = own.get("code")
    number = read_number(value)
    status = 0
    if number is None:
        if value is not None:
            r.note('member "code" is no number')
            r.rest.append(("code", value))
    elif 100 <= number <= 599:
        status = number
    elif not hub.canonical(number):
        r.note(f"code {number} is neither an HTTP status nor a canonical code")
        r.rest.append(("code", value))
    elif known and number != known:
        r.note(f"code {number} dropped: status {name} stands")
    if known:
        error.number = known
    elif number is not None and hub.canonical(number):
        error.number = number
    else:
        error.number = int(code_from_http(status or received))
    if name and not known:
        r.note(f"status {hub.quoted(name)} names no code: {name_of(error.number)}")
        error.set_received(Received(Wire.HTTP, code_text=name))
    if status and received and status != received:
        r.note(f"the response has HTTP status {received}, its body says {status}, which stands")
    return status or received
