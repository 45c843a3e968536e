"""The JSON error of the Connect protocol."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

from .. import hub
from ..code import Code, code_by_connect_name, code_from_connect_http, name_of, row
from ..hub import Detail, Received, Wire
from ..jsontree import MISSING, JSONError, Node, Odd, compact, get, parse_or_missing, quote, text_of
from ..protojson import decode_base64
from . import forms
from .carried import Shape, Writing
from .decode import Body, Reading, keep_http_status
from .member import Place, Raw, members_text, split_members
from .options import DETAIL_DEPTH, Decoding, Encoding
from .received import detail_members
from .restore import restore
from .write import binary_details, with_carried


def write_connect(error: hub.Error, options: Encoding) -> str:
    """Return an error as the JSON error of the Connect protocol."""
    w = Writing(error, options, Shape.BINARY)
    shown = binary_details(w)
    stands = ""
    extras: list[str] = []
    if error.received or not hub.canonical(error.number):
        stands, riding = split_members(error.on(Wire.CONNECT).members, forms.CONNECT.place_in)
        extras, riding = _detail_extras(riding, len(shown))

        def rest(r: Received) -> Received:
            return replace(r, members=riding) if r.wire == Wire.CONNECT else r

        w.receive(False, rest)
    shown = with_carried(w, shown, Wire.CONNECT)
    parts = ['{"code":"', row(error.number).connect, '"']
    if error.message:
        parts += ',"message":', quote(error.message)
    lead = ',"details":[{"type":'
    for i, detail in enumerate(shown):
        value = b64encode(detail.value).decode().rstrip("=")
        parts += lead, quote(detail.name), ',"value":"', value, '"', _debug(w, detail)
        if i < len(extras):
            parts.append(extras[i])
        parts.append("}")
        lead = ',{"type":'
    if shown:
        parts.append("]")
    return "".join(parts) + stands + "}"


def _detail_extras(riding: str, details: int) -> tuple[list[str], str]:
    """Take the members of details out of those that ride, where there is an element for each
    of so many details."""
    root = parse_or_missing(riding) if riding else MISSING
    found = get(root, "details")
    if type(found) is not list or len(found) != details or not detail_members(found):
        return [], riding
    _, rest = split_members(riding, lambda name, _: Place.SAID if name == "details" else Place.RIDES)
    return [_after_commas(each) for each in found], rest


def _after_commas(node: Node) -> str:
    if node is None:
        return ""
    pairs = node.members if type(node) is Odd else node.items()
    return "".join([f',"{raw}":{compact(value)}' for raw, value in pairs])


def _debug(w: Writing, detail: Detail) -> str:
    """Return the debug member of a detail, where its type is linked. What Carried holds is
    for programs alone."""
    name = detail.name
    if not name or name == hub.CARRIED:
        return ""
    text, _ = w.codec.message_text(hub.PREFIX + name, detail.value, DETAIL_DEPTH)
    return ',"debug":' + text if text else ""


def read_connect(body: Body, options: Decoding) -> hub.Error:
    """Read the JSON error of the Connect protocol."""
    r = Reading(options)
    try:
        root = r.parse(body)
    except JSONError as why:
        return r.foreign(Wire.CONNECT, body, code_from_connect_http, str(why))
    if not isinstance(root, dict):
        return r.foreign(Wire.CONNECT, body, code_from_connect_http, "not a JSON object")
    own = r.take(root, forms.CONNECT)
    if not own:
        return r.foreign(Wire.CONNECT, body, code_from_connect_http, "no code, message or details")
    r.error.message = r.text(own, "message") or ""
    _read_code(r, own.get("code", MISSING))
    details = own.get("details")
    if type(details) is list:
        _read_details(r, details)
    elif details is not None:
        r.refuse(own, "details")
    r.keep(Wire.CONNECT)
    restore(r, Shape.BINARY)
    return r.finish()


def _read_code(r: Reading, value: Node) -> None:
    """Read the code. One that is none gives way to the HTTP status."""
    error, options = r.error, r.options
    if type(value) is str:
        text = text_of(value)
        error.number = code_by_connect_name(text)
        if error.number:
            return
        error.set_received(Received(Wire.CONNECT, code_text=text))
    elif value is not MISSING:
        r.rest.append(("code", value))
    error.number = int(Code.UNKNOWN)
    if options.http_status and not options.stream:
        error.number = int(code_from_connect_http(options.http_status))
        keep_http_status(error, Wire.CONNECT, options.http_status)
    r.note(f"no code that Connect knows: {name_of(error.number)}")


def _read_details(r: Reading, details: list[Node]) -> None:
    """Read the details, each on its own."""
    extras: list[str] = []
    some = False
    for i, node in enumerate(details[: r.at_most(len(details))]):
        rest, r.rest = r.rest, []
        read = _read_detail(r, node)
        extra, r.rest = r.rest, rest
        if isinstance(read, str):
            r.note(f"detail {i} dropped: {read}")
            continue
        r.error.details.append(read)
        if read.name == hub.CARRIED:
            if extra:
                r.note(f"detail {i}: members beside a Carried dropped")
            continue
        some = some or bool(extra)
        extras.append(members_text(extra) or "null")
    if some:
        r.rest.append(("details", Raw("[" + ",".join(extras) + "]")))


def _read_detail(r: Reading, node: Node) -> Detail | str:
    """Read one element of details, or say why not. What it has beside type, value and debug
    is put into rest."""
    if not isinstance(node, dict):
        return "it is no object"
    own = r.take(node, forms.CONNECT_DETAIL)
    name, value = own.get("type"), own.get("value")
    if type(name) is not str:
        return "its type is no string"
    if type(value) is not str:
        return "its value is no string"
    data = decode_base64(text_of(value))
    if data is None:
        return "its value is not base64"
    return Detail(hub.complete_url(text_of(name)), data)


__all__ = ["read_connect", "write_connect"]
