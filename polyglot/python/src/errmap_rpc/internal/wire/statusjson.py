"""The ProtoJSON of a google.rpc.Status."""

from __future__ import annotations

from .. import hub
from ..code import Code, code_from_http
from ..hub import Wire
from ..jsontree import MISSING, JSONError, Node, length, quote
from . import forms
from .carried import Shape, Writing
from .decode import Body, Reading
from .options import Decoding, Encoding, NotAnError
from .restore import restore
from .scalar import is_carried, status_code
from .status import OK
from .write import details_member, rest_members


def write_status_json(error: hub.Error, options: Encoding) -> str:
    """Return an error as the ProtoJSON of a google.rpc.Status."""
    w = Writing(error, options, Shape.OBJECTS)
    message = f',"message":{quote(error.message)}' if error.message else ""
    details = details_member(w)
    return f'{{"code":{error.number}{message}{details}{rest_members(w, Wire.STATUS, True, forms.STATUS.place_in)}}}'


def read_status_json(body: Body, options: Decoding) -> hub.Error:
    """Read the ProtoJSON of a google.rpc.Status."""
    r = Reading(options)
    try:
        root = r.parse(body)
    except JSONError as why:
        return r.foreign(Wire.STATUS, body, code_from_http, str(why))
    if not isinstance(root, dict):
        return r.foreign(Wire.STATUS, body, code_from_http, "not a JSON object")
    own = r.take(root, forms.STATUS)
    if length(root) and not ("code" in own or "message" in own or "details" in own):
        return r.foreign(Wire.STATUS, body, code_from_http, "no code, message or details")
    number = status_code(own.get("code"))
    if number is None:
        r.note("code is no number: UNKNOWN")
        r.rest.append(("code", own["code"]))
        number = int(Code.UNKNOWN)
    if number == 0:
        raise NotAnError(OK)
    r.error.number = number
    r.error.message = r.text(own, "message") or ""
    r.list(own, "details")
    carried = carried_member(r, own)
    r.keep(Wire.STATUS)
    restore(r, Shape.OBJECTS, carried)
    return r.finish()


def carried_member(r: Reading, own: dict[str, Node]) -> Node:
    """Return the member that Carried is; another's of that name is kept."""
    value = own.get(forms.CARRIED, MISSING)
    if value is MISSING or is_carried(value):
        return value
    r.rest.append((forms.CARRIED, value))
    return MISSING
